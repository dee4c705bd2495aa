//! The network interfaces: `/sys/class/net`
//! (`Documentation/ABI/testing/sysfs-class-net`), with what ethtool and netlink
//! add. Addresses are read for the screen only, and never where this machine is recorded.

pub(crate) mod ethtool;
pub(crate) mod ethtool_socket;
mod held;
pub(crate) mod netlink;
#[cfg(test)]
mod tests;
pub(crate) mod wire;

use model::machine::{Absent, Bond, NetworkInterface};

use super::pci;
use crate::Host;

/// Where the interfaces are listed.
const INTERFACES: &str = "/sys/class/net";
/// Faster than any link, and slower than what stands for "unknown"
/// (`SPEED_UNKNOWN`, which older kernels write as 65535 or 4294967295).
const MBIT_MAX: u64 = 10_000_000;

/// The network interfaces of `host`, in order of their names.
#[must_use]
pub fn describe(host: &Host, absent: &mut Vec<Absent>) -> Vec<NetworkInterface> {
    let asker = netlink::InterfaceQuery::default();
    let kernel = host.text("/proc/sys/kernel/osrelease");
    let mut interfaces = Vec::new();
    // The list of bonds is a file among the folders.
    for name in host.names(INTERFACES).into_iter().filter(|n| n != "bonding_masters") {
        let place = InterfaceFolder { host, name: &name, folder: format!("{INTERFACES}/{name}") };
        match place.interface(&asker, kernel.as_deref()) {
            Ok(interface) => interfaces.push(interface),
            Err(reason) => absent.push(Absent { what: format!("network interface {name}"), reason }),
        }
    }
    interfaces
}

/// One interface of a machine.
struct InterfaceFolder<'a> {
    host: &'a Host,
    name: &'a str,
    folder: String,
}

impl InterfaceFolder<'_> {
    fn file(&self, leaf: &str) -> String {
        format!("{}/{leaf}", self.folder)
    }

    fn word(&self, leaf: &str) -> Option<String> {
        self.host.word(self.file(leaf))
    }

    /// The last part of the place that a link leads to.
    fn link(&self, leaf: &str) -> Option<String> {
        let place = self.host.resolve(self.file(leaf))?;
        place.rsplit_once('/').map(|(_, name)| name.to_owned())
    }

    fn interface(
        &self,
        asker: &netlink::InterfaceQuery,
        kernel: Option<&str>,
    ) -> Result<NetworkInterface, String> {
        let mtu = self.host.read(self.file("mtu")).map_err(|a| format!("mtu: {}", a.reason))?;
        let mtu = mtu.trim().parse().map_err(|_| "garbled: mtu")?;
        let told: ethtool::Answer = self
            .host
            .probe(&format!("ethtool/{}", self.name), || ethtool::ask(self.name))
            .unwrap_or_default();
        let route: netlink::Answer =
            self.host.probe(&format!("netlink/{}", self.name), || asker.ask(self.name)).unwrap_or_default();
        let (pci, bus) = self.attachment(&told);
        let of_function = |pci: &String| pci::node(self.host, &format!("/sys/bus/pci/devices/{pci}"));
        // Bonds and the like answer with a number of their own.
        let has_device = pci.is_some() || bus.is_some();
        let version = told.version.clone().filter(|v| is_word(v) && Some(v.as_str()) != kernel);
        Ok(NetworkInterface {
            name: self.name.to_owned(),
            kind: self.kind(route.kind.as_deref()),
            state: self.word("operstate").unwrap_or_else(|| "unknown".to_owned()),
            carrier: self.host.flag(self.file("carrier")),
            node: pci::node(self.host, &self.file("device")).or_else(|| pci.as_ref().and_then(of_function)),
            pci,
            bus,
            driver: self.link("device/driver").or_else(|| told.driver.clone().filter(|d| is_word(d))),
            // What drivers of the kernel's own tree answer is the kernel's.
            driver_version: version,
            firmware: told.firmware.clone().filter(|f| has_device && is_word(f)),
            speed_bits: self.host.number(self.file("speed")).or(told.speed_mbit).and_then(bits),
            max_speed_bits: told.most_mbit().and_then(bits),
            partner_max_bits: told.partner_max_mbit.and_then(bits),
            duplex: self
                .word("duplex")
                .or_else(|| told.duplex.clone())
                .filter(|d| d == "full" || d == "half"),
            mtu,
            max_mtu: route.max_mtu.filter(|most| *most > 0),
            rx_queues: self.queues("rx-").or_else(|| told.queues(told.channels.rx)),
            tx_queues: self.queues("tx-").or_else(|| told.queues(told.channels.tx)),
            rx_ring: told.rings.rx,
            tx_ring: told.rings.tx,
            offloads: told.offloads,
            qdisc: route.qdisc.filter(|q| is_word(q)),
            qdisc_rate: route.qdisc_rate.filter(|rate| *rate > 0),
            qdisc_flow_rate: route.qdisc_flow_rate.filter(|rate| *rate > 0),
            qdisc_part_rates: route.qdisc_part_rates,
            master: self.link("master"),
            below: self.below(),
            bond: self.bond(),
            addresses: if self.host.is_unrecorded() { asker.addresses_of(self.name) } else { Vec::new() },
        })
    }

    /// What it is: by what the kernel shows only for one kind, by netlink's
    /// word, by uevent's, and at last by its hardware type (`ARPHRD_*` in
    /// `include/uapi/linux/if_arp.h`).
    fn kind(&self, netlink: Option<&str>) -> String {
        const BY_FILE: &[(&str, &str)] = &[
            ("bonding", "bond"),
            ("bridge", "bridge"),
            ("wireless", "wifi"),
            ("phy80211", "wifi"),
            ("tun_flags", "tun"),
        ];
        const BY_TYPE: &[(u64, &str)] = &[
            (1, "ethernet"),
            (32, "infiniband"),
            (280, "can"),
            (512, "ppp"),
            (768, "ipip"),
            (769, "ip6tnl"),
            (772, "loopback"),
            (776, "sit"),
            (778, "gre"),
            (801, "wifi"),
            (802, "wifi"),
            (803, "wifi"),
            (823, "ip6gre"),
        ];
        let by_file = BY_FILE.iter().find(|(leaf, _)| self.host.exists(self.file(leaf)));
        if let Some((_, kind)) = by_file {
            return (*kind).to_owned();
        }
        let netlink = netlink.filter(|kind| is_word(kind)).map(str::to_owned);
        let uevent = self.word("uevent").unwrap_or_default();
        let device_type = || uevent.lines().find_map(|l| l.strip_prefix("DEVTYPE=")).map(str::to_owned);
        match netlink.or_else(device_type).as_deref() {
            Some("ipoib") => return "infiniband".to_owned(),
            Some("wlan") => return "wifi".to_owned(),
            Some(kind) if !kind.is_empty() => return kind.to_owned(),
            _ => {}
        }
        let number = self.host.number(self.file("type"));
        let by_type = BY_TYPE.iter().find(|(n, _)| Some(*n) == number);
        by_type.map_or("unknown", |(_, kind)| *kind).to_owned()
    }

    /// The PCI function behind it, and the bus where its device is not on PCI
    /// itself; neither for virtual interfaces.
    fn attachment(&self, told: &ethtool::Answer) -> (Option<String>, Option<String>) {
        let Some(place) = self.host.resolve(self.file("device")) else {
            return (
                told.bus.as_deref().filter(|b| pci::function_above(b) == Some(b)).map(str::to_owned),
                None,
            );
        };
        let function = pci::function_above(&place).map(str::to_owned);
        let last = place.rsplit('/').next().unwrap_or_default();
        let by_place = || {
            let numbered = last.strip_prefix("virtio").is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit()));
            let bus = match () {
                () if numbered => "virtio",
                () if place.contains("/usb") => "usb",
                () if place.starts_with("/sys/devices/platform/") => "platform",
                () => return None,
            };
            Some(bus.to_owned())
        };
        let bus = self.link("device/subsystem").or_else(by_place);
        (function, bus.filter(|bus| bus != "pci"))
    }

    fn queues(&self, front: &str) -> Option<u32> {
        let names = self.host.names(self.file("queues"));
        let count = names.iter().filter(|name| name.starts_with(front)).count();
        u32::try_from(count).ok().filter(|n| *n > 0)
    }

    /// What it stands on (`Documentation/ABI/testing/sysfs-class-net`: `lower_*`).
    fn below(&self) -> Vec<String> {
        let names = self.host.names(&self.folder);
        names.iter().filter_map(|name| name.strip_prefix("lower_")).map(str::to_owned).collect()
    }

    /// How a bond is built; words come with their numbers, `802.3ad 4`.
    fn bond(&self) -> Option<Bond> {
        let first = |leaf: &str| self.word(leaf)?.split_whitespace().next().map(str::to_owned);
        let members = self.word("bonding/slaves").unwrap_or_default();
        Some(Bond {
            mode: first("bonding/mode")?,
            members: members.split_whitespace().map(str::to_owned).collect(),
            active: first("bonding/active_slave"),
            hash: first("bonding/xmit_hash_policy"),
        })
    }
}

/// Bits per second of a speed that is one.
fn bits(mbit: u64) -> Option<u64> {
    (1..=MBIT_MAX).contains(&mbit).then(|| mbit * 1_000_000)
}

/// Whether a driver's answer says something.
fn is_word(text: &str) -> bool {
    !matches!(text.trim(), "" | "N/A" | "n/a" | "unknown")
}
