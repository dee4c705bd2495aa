//! Which devices are sampled.

use model::machine::{BlockDevice, BlockKind, Inventory, NetworkInterface};

use crate::Host;

/// What may be sampled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    /// Block devices, without `/dev/`.
    pub block: Vec<String>,
    /// Network interfaces.
    pub network: Vec<String>,
    /// PCI functions that name the links to these.
    pub pci: Vec<String>,
    /// Whether the temperature of every core is read where its package has one
    /// too: each reading interrupts that core.
    pub cores: bool,
}

impl Scope {
    /// Every whole device that is in use or could be, and every interface that
    /// is up. Where the inventory has none, the names that the kernel lists.
    #[must_use]
    pub fn of(inventory: &Inventory, host: &Host) -> Self {
        let block: Vec<String> = inventory
            .block
            .iter()
            .filter(|device| is_worth(device, &inventory.block))
            .map(|d| d.name.clone())
            .collect();
        let network: Vec<String> =
            inventory.network.iter().filter(|interface| is_up(interface)).map(|i| i.name.clone()).collect();
        let mut pci: Vec<String> = Vec::new();
        let drives = inventory.block.iter().filter_map(|d| d.pci.clone());
        for address in drives.chain(inventory.network.iter().filter_map(|n| n.pci.clone())) {
            // One link is sampled once, under the name that its limit has.
            let function = inventory.pci_device(&address).map(|d| inventory.link_function(d).address.clone());
            let address = function.unwrap_or(address);
            if !pci.contains(&address) {
                pci.push(address);
            }
        }
        Self {
            pci,
            cores: false,
            block: if inventory.block.is_empty() { listed_block(host) } else { block },
            network: if inventory.network.is_empty() { listed_network(host) } else { network },
        }
    }

    /// With the temperature of every core, where that is asked for.
    #[must_use]
    pub fn and_cores(self, cores: bool) -> Self {
        Self { cores, ..self }
    }

    /// With these block devices too.
    #[must_use]
    pub fn and_block(mut self, devices: impl IntoIterator<Item = String>) -> Self {
        for device in devices {
            if !self.block.contains(&device) {
                self.block.push(device);
            }
        }
        self
    }
}

/// Partitions are counted with their disks; a memory or loop device that holds
/// nothing counts nothing.
fn is_worth(device: &BlockDevice, all: &[BlockDevice]) -> bool {
    let used = || {
        !device.mounts.is_empty()
            || all.iter().any(|other| other.below.contains(&device.name) && !other.mounts.is_empty())
    };
    match device.kind {
        BlockKind::Partition => false,
        BlockKind::Loop => device.backing_file.is_some() || used(),
        BlockKind::Zram | BlockKind::Optical => device.bytes > 0,
        BlockKind::Ram => used(),
        BlockKind::Disk | BlockKind::Md | BlockKind::Dm | BlockKind::Other => true,
    }
}

/// A loopback or a tunnel does not know whether it is up.
fn is_up(interface: &NetworkInterface) -> bool {
    is_up_word(&interface.state)
}

fn is_up_word(state: &str) -> bool {
    matches!(state.trim(), "up" | "unknown")
}

fn listed_block(host: &Host) -> Vec<String> {
    let is_worth = |name: &String| {
        let memory = name.strip_prefix("ram").is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit()));
        !memory && host.number(format!("/sys/block/{name}/size")) != Some(0)
    };
    host.names("/sys/block").into_iter().filter(is_worth).collect()
}

fn listed_network(host: &Host) -> Vec<String> {
    let state = |name: &String| host.text(format!("/sys/class/net/{name}/operstate"));
    host.names("/sys/class/net").into_iter().filter(|n| state(n).is_some_and(|s| is_up_word(&s))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(name: &str, kind: BlockKind) -> BlockDevice {
        BlockDevice { name: name.to_owned(), kind, bytes: 1 << 30, ..BlockDevice::default() }
    }

    #[test]
    fn unused_loop_and_memory_devices_are_left_out() {
        let mut used = device("loop1", BlockKind::Loop);
        used.backing_file = Some("/image".to_owned());
        let mut empty = device("zram0", BlockKind::Zram);
        empty.bytes = 0;
        let block = vec![
            device("sda", BlockKind::Disk),
            device("sda1", BlockKind::Partition),
            device("loop0", BlockKind::Loop),
            used,
            empty,
            device("zram1", BlockKind::Zram),
            device("ram0", BlockKind::Ram),
            device("md0", BlockKind::Md),
        ];
        let interface = |name: &str, state: &str| NetworkInterface {
            name: name.to_owned(),
            state: state.to_owned(),
            ..NetworkInterface::default()
        };
        let network = vec![interface("lo", "unknown"), interface("eth0", "up"), interface("eth1", "down")];
        let scope = Scope::of(&Inventory { block, network, ..Inventory::default() }, &Host::parse(""));
        assert_eq!(scope.block, ["sda", "loop1", "zram1", "md0"]);
        assert_eq!(scope.network, ["lo", "eth0"]);
        let more = scope.and_block(["sda".to_owned(), "loop0".to_owned()]);
        assert_eq!(more.block, ["sda", "loop1", "zram1", "md0", "loop0"]);
    }

    #[test]
    fn without_an_inventory_the_kernel_lists_are_used() {
        let host = Host::parse(
            "==> /sys/block/vda/size\n1000\n==> /sys/block/loop0/size\n0\n==> /sys/block/ram0/size\n100\n\
             ==> /sys/class/net/eth0/operstate\nup\n==> /sys/class/net/eth1/operstate\ndown\n\
             ==> /sys/class/net/bonding_masters\nbond0\n",
        );
        let scope = Scope::of(&Inventory::default(), &host);
        assert_eq!((scope.block, scope.network), (vec!["vda".to_owned()], vec!["eth0".to_owned()]));
    }
}
