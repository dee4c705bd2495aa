//! How a disk is attached: the buses on its way in `/sys/devices`, and the link
//! of its port.

use crate::Host;
use crate::inventory::pci::function_above;

/// How a disk is attached.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Attached {
    pub(super) transport: Option<String>,
    pub(super) link_bits: Option<u64>,
    pub(super) link_max_bits: Option<u64>,
    pub(super) pci: Option<String>,
}

/// Whether a part of the way is of a bus.
type OfBus = fn(&str) -> bool;

/// What a part of the way says about the transport, what tells most first: the
/// kernel speaks SCSI over most of these.
const BUSES: &[(OfBus, &str)] = &[
    (|part| numbered(part, "session"), "iscsi"),
    (|part| part.starts_with("end_device-"), "sas"),
    (|part| part.starts_with("rport-"), "fc"),
    (|part| numbered(part, "ata"), "sata"),
    (|part| numbered(part, "usb"), "usb"),
    (|part| numbered(part, "virtio"), "virtio"),
    (|part| part == "mmc_host", "mmc"),
    (|part| part.starts_with("vbd-"), "xen"),
    (|part| numbered(part, "host"), "scsi"),
];

fn numbered(part: &str, front: &str) -> bool {
    part.strip_prefix(front).is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}

/// How the device at `folder` is attached.
pub(super) fn of(host: &Host, folder: &str) -> Attached {
    let Some(place) = host.resolve(folder) else { return Attached::default() };
    let parts: Vec<&str> = place.split('/').collect();
    if parts.iter().any(|part| *part == "nvme" || *part == "nvme-subsystem" || *part == "nvme-fabrics") {
        return nvme(host, folder, &place);
    }
    let bus = BUSES.iter().find(|(is, _)| parts.iter().any(|part| is(part)));
    let transport = bus.map(|(_, name)| (*name).to_owned());
    let (link_bits, link_max_bits) = match transport.as_deref() {
        Some("sata") => sata_link(host, &parts),
        Some("sas") => sas_link(host, &parts),
        Some("usb") => (usb_link(host, &parts), None),
        _ => (None, None),
    };
    Attached { transport, link_bits, link_max_bits, pci: function_above(&place).map(str::to_owned) }
}

/// A namespace stands below its controller or, where there may be several ways
/// to it, below a subsystem that names its controllers
/// (`drivers/nvme/host/multipath.c`).
fn nvme(host: &Host, folder: &str, place: &str) -> Attached {
    let way = controllers(host, folder).into_iter().next();
    let place = way.clone().unwrap_or_else(|| place.to_owned());
    let controller = way.unwrap_or_else(|| format!("{folder}/device"));
    let transport = match host.text(format!("{controller}/transport")).as_deref().map(str::trim) {
        None | Some("" | "pcie") => "nvme".to_owned(),
        Some(fabric) => format!("nvme-{fabric}"),
    };
    Attached {
        transport: Some(transport),
        pci: function_above(&place).map(str::to_owned),
        ..Attached::default()
    }
}

/// The controllers that the namespace at `folder` is reached by, where it stands
/// below a subsystem; none where it stands below its only one.
pub(in crate::inventory) fn controllers(host: &Host, folder: &str) -> Vec<String> {
    let device = format!("{folder}/device");
    if host.exists(format!("{device}/transport")) {
        return Vec::new();
    }
    let ways = host.names(&device).into_iter().filter(|name| numbered(name, "nvme"));
    ways.filter_map(|way| host.resolve(format!("{device}/{way}"))).collect()
}

/// The SATA link of the port on the way: its speed now and the most that the
/// hardware is limited to (`Documentation/ABI/testing/sysfs-ata`).
fn sata_link(host: &Host, parts: &[&str]) -> (Option<u64>, Option<u64>) {
    let Some(at) = parts.iter().position(|part| numbered(part, "ata")) else { return (None, None) };
    let port = parts[..=at].join("/");
    let name = format!("link{}", &parts[at]["ata".len()..]);
    let below = format!("{port}/{name}/ata_link/{name}");
    let folder = if host.exists(&below) { below } else { format!("/sys/class/ata_link/{name}") };
    let rate = |leaf: &str| host.text(format!("{folder}/{leaf}")).as_deref().and_then(rate);
    (rate("sata_spd"), rate("hw_sata_spd_limit"))
}

/// The SAS link of the port that the end device hangs on: what its first phy
/// negotiated, and what that can (`drivers/scsi/scsi_transport_sas.c`).
fn sas_link(host: &Host, parts: &[&str]) -> (Option<u64>, Option<u64>) {
    let end = parts.iter().position(|part| part.starts_with("end_device-")).unwrap_or(0);
    let port = parts[..end].join("/");
    let phys = host.names(&port).into_iter().filter(|name| name.starts_with("phy-"));
    let rates = phys.map(|phy| {
        let rate =
            |leaf: &str| host.text(format!("{port}/{phy}/sas_phy/{phy}/{leaf}")).as_deref().and_then(rate);
        (rate("negotiated_linkrate"), rate("maximum_linkrate_hw"))
    });
    rates.into_iter().find(|(now, _)| now.is_some()).unwrap_or((None, None))
}

/// The USB link of the device on the way, which may stand behind hubs, in bits per second: `speed` is in Mbit/s
/// (`Documentation/ABI/stable/sysfs-bus-usb`).
fn usb_link(host: &Host, parts: &[&str]) -> Option<u64> {
    // `2-1.4` is a device, `usb2` the root hub, `2-1.4:1.0` an interface of the device.
    let is_device = |part: &&str| {
        let is_of_path = |b: u8| b.is_ascii_digit() || b == b'-' || b == b'.';
        part.contains('-') && part.starts_with(|c: char| c.is_ascii_digit()) && part.bytes().all(is_of_path)
    };
    let at = parts.iter().rposition(is_device)?;
    let speed: f64 = host.text(format!("{}/speed", parts[..=at].join("/")))?.trim().parse().ok()?;
    (1.0..=1e6).contains(&speed).then(|| (speed * 1e6).round() as u64)
}

/// Bits per second of `6.0 Gbps` (libata) or `12.0 Gbit` (SAS); `<unknown>` and
/// `Phy disabled` are none.
fn rate(text: &str) -> Option<u64> {
    let (number, unit) = text.trim().split_once(' ')?;
    let rate: f64 = number.parse().ok()?;
    let plausible = matches!(unit, "Gbps" | "Gbit") && (1.0..=1000.0).contains(&rate);
    // In tenths of Gbit/s, so that 1.5 is exact.
    plausible.then(|| (rate * 10.0).round() as u64 * 100_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_read_as_both_transports_write_them() {
        for (text, bits) in [
            ("1.5 Gbps", Some(1_500_000_000)),
            ("6.0 Gbps\n", Some(6_000_000_000)),
            ("12.0 Gbit", Some(12_000_000_000)),
            ("22.5 Gbit", Some(22_500_000_000)),
            ("<unknown>", None),
            ("Unknown", None),
            ("Phy disabled", None),
            ("-6.0 Gbps", None),
            ("1e99 Gbps", None),
            ("6.0 GT/s", None),
        ] {
            assert_eq!(rate(text), bits, "{text}");
        }
    }

    #[test]
    fn the_link_of_usb_is_that_of_the_device_behind_its_hubs() {
        let link = |place: &str, speed: &str| {
            let host = Host::parse(&format!(
                "==> /sys/block/x -> ../devices/{place}/host6/target6:0:0/6:0:0:0/block/x\n\
                 ==> /sys/devices/{place}/host6/target6:0:0/6:0:0:0/block/x/size\n1\n{speed}"
            ));
            of(&host, "/sys/block/x").link_bits
        };
        let hub = "pci0000:00/0000:00:14.0/usb2/2-1";
        let speeds =
            format!("==> /sys/devices/{hub}/speed\n10000\n==> /sys/devices/{hub}/2-1.4/speed\n5000\n");
        assert_eq!(link(&format!("{hub}/2-1.4/2-1.4:1.0"), &speeds), Some(5_000_000_000));
        assert_eq!(link(&format!("{hub}/2-1:1.0"), &speeds), Some(10_000_000_000));
        assert_eq!(link(&format!("{hub}/2-1:1.0"), "==> /sys/devices/pci0000:00/x\n480\n"), None);
        let slow = "platform/usb@fe90/usb8/8-1";
        let speed = format!("==> /sys/devices/{slow}/speed\n1.5\n");
        assert_eq!(link(&format!("{slow}/8-1:1.0"), &speed), Some(1_500_000));
    }

    #[test]
    fn the_way_through_sysfs_tells_the_transport() {
        for (place, transport) in [
            ("pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0/block/x", Some("sata")),
            ("pci0000:00/0000:00:14.0/usb1/1-1/1-1:1.0/host6/target6:0:0/6:0:0:0/block/x", Some("usb")),
            (
                "pci0000:00/0000:00:01.0/0000:01:00.0/host0/port-0:0/end_device-0:0/target0:0:0/0:0:0:0/block/x",
                Some("sas"),
            ),
            ("pci0000:00/0000:00:01.0/0000:01:00.0/host0/target0:2:0/0:2:0:0/block/x", Some("scsi")),
            (
                "pci0000:00/0000:00:01.0/0000:01:00.0/host1/rport-1:0-0/target1:0:0/1:0:0:0/block/x",
                Some("fc"),
            ),
            ("pci0000:00/0000:00:05.0/virtio2/host2/target2:0:0/2:0:0:0/block/x", Some("virtio")),
            ("platform/host7/session1/target7:0:0/7:0:0:0/block/x", Some("iscsi")),
            ("vbd-51712/block/x", Some("xen")),
            ("virtual/nvme-fabrics/ctl/nvme1/x", Some("nvme")),
            ("virtual/block/x", None),
            ("platform/atahost/hostess/block/x", None),
        ] {
            let host = Host::parse(&format!(
                "==> /sys/block/x -> ../devices/{place}\n==> /sys/devices/{place}/size\n1\n"
            ));
            assert_eq!(of(&host, "/sys/block/x").transport.as_deref(), transport, "{place}");
        }
    }

    #[test]
    fn a_namespace_with_several_ways_is_attached_as_its_controller() {
        let subsystem = "/sys/devices/virtual/nvme-subsystem/nvme-subsys0";
        let controller = "/sys/devices/pci0000:00/0000:00:1d.0/0000:01:00.0/nvme/nvme0";
        let host = Host::parse(&format!(
            "==> /sys/block/nvme0n1 -> ../devices/virtual/nvme-subsystem/nvme-subsys0/nvme0n1\n\
             ==> {subsystem}/nvme0n1/size\n1000\n==> {subsystem}/nvme0n1/device -> ../../nvme-subsys0\n\
             ==> {subsystem}/nvme0 -> ../../../pci0000:00/0000:00:1d.0/0000:01:00.0/nvme/nvme0\n\
             ==> {controller}/transport\npcie\n\
             ==> /sys/block/nvme1n1 -> ../devices/virtual/nvme-fabrics/ctl/nvme1/nvme1n1\n\
             ==> /sys/devices/virtual/nvme-fabrics/ctl/nvme1/nvme1n1/device -> ../../nvme1\n\
             ==> /sys/devices/virtual/nvme-fabrics/ctl/nvme1/transport\ntcp\n"
        ));
        let local = of(&host, "/sys/block/nvme0n1");
        assert_eq!((local.transport.as_deref(), local.pci.as_deref()), (Some("nvme"), Some("0000:01:00.0")));
        let far = of(&host, "/sys/block/nvme1n1");
        assert_eq!((far.transport.as_deref(), far.pci), (Some("nvme-tcp"), None));
    }
}
