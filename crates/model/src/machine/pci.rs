//! The PCI tree of a machine.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Inventory;

/// Bus numbers end at 255 (PCI Express Base Specification 6.0, section 7.5.1.3),
/// so no real tree is deeper.
const DEPTH_MAX: usize = 256;

/// One PCI function.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PciDevice {
    /// Domain, bus, device and function: `0000:01:00.0`.
    pub address: String,
    /// The bridge above it; absent directly below the root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// Class code, 24 bits: `0x010802`.
    pub class: u32,
    /// The class in words.
    pub class_name: String,
    /// The vendor's number.
    pub vendor: u16,
    /// The device's number.
    pub device: u16,
    /// The vendor in words, where the table of names is there or the vendor is
    /// well known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vendor_name: Option<String>,
    /// The device in words, where the table of names is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device_name: Option<String>,
    /// The driver bound to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub driver: Option<String>,
    /// Its NUMA node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<u32>,
    /// The link, as the function's own registers tell it: the one above an
    /// endpoint or a switch's upstream port, the one below a root port or a
    /// switch's downstream port. Absent for what is not PCI Express and for
    /// endpoints of the root complex.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<PciLink>,
}

impl PciDevice {
    /// Whether it is a bridge to another PCI bus (class 06, subclass 04).
    #[must_use]
    pub fn is_bridge(&self) -> bool {
        self.class >> 8 == 0x0604
    }

    /// Domain, bus and device, without the function: `0000:01:00`.
    #[must_use]
    pub fn slot(&self) -> &str {
        self.address.rsplit_once('.').map_or(self.address.as_str(), |(slot, _)| slot)
    }
}

impl Inventory {
    /// PCI functions from `address` up to the root, itself first.
    #[must_use]
    pub fn pci_to_root(&self, address: &str) -> Vec<&PciDevice> {
        let first = self.pci_device(address);
        let above = |d: &&PciDevice| d.parent.as_deref().and_then(|p| self.pci_device(p));
        std::iter::successors(first, above).take(DEPTH_MAX).collect()
    }

    /// Whether the link of a function is the one below it: ports alternate on
    /// the way down, root port, upstream port of a switch, its downstream port,
    /// and so on (section 1.3).
    #[must_use]
    pub fn link_faces_down(&self, device: &PciDevice) -> bool {
        let above = || self.pci_to_root(&device.address).into_iter().skip(1).filter(|d| d.is_bridge());
        device.is_bridge() && above().count() % 2 == 0
    }

    /// The function that names the link of `device`. All functions of a slot
    /// share the one link above them, which has the name of the first of them;
    /// of those that face down each has a link of its own below it.
    #[must_use]
    pub fn link_function<'a>(&'a self, device: &'a PciDevice) -> &'a PciDevice {
        if self.link_faces_down(device) {
            return device;
        }
        self.link_sharers(device).into_iter().min_by_key(|d| &d.address).unwrap_or(device)
    }

    /// The functions that share the link above `device`, itself among them;
    /// empty where it has none.
    #[must_use]
    pub fn link_sharers<'a>(&'a self, device: &'a PciDevice) -> Vec<&'a PciDevice> {
        let has_lanes = |d: &PciDevice| d.link.is_some_and(|l| l.lanes.is_some_and(|n| n > 0));
        if !has_lanes(device) {
            return Vec::new();
        }
        if self.link_faces_down(device) {
            return vec![device];
        }
        let same = |d: &&PciDevice| d.slot() == device.slot() && d.parent == device.parent;
        self.pci.iter().filter(same).filter(|d| has_lanes(d) && !self.link_faces_down(d)).collect()
    }
}

/// One PCI Express link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PciLink {
    /// Transfers per second and lane now; links slow down when idle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transfers: Option<f64>,
    /// Lanes now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lanes: Option<u32>,
    /// Transfers per second and lane that this function can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_transfers: Option<f64>,
    /// Lanes that this function has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_lanes: Option<u32>,
    /// Largest payload of a packet in bytes, as set (Device Control register);
    /// absent where configuration space could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_payload: Option<u32>,
    /// Largest request to read in bytes, as set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_read_request: Option<u32>,
}

#[cfg(test)]
mod tests {
    use super::*;

    const BRIDGE: u32 = 0x06_0400;

    fn function(address: &str, parent: Option<&str>, class: u32) -> PciDevice {
        PciDevice {
            address: address.to_owned(),
            parent: parent.map(str::to_owned),
            class,
            link: Some(PciLink { lanes: Some(8), ..PciLink::default() }),
            ..PciDevice::default()
        }
    }

    fn named(inventory: &Inventory, address: &str) -> String {
        inventory.link_function(inventory.pci_device(address).unwrap()).address.clone()
    }

    #[test]
    fn functions_of_a_slot_share_the_link_above_and_ports_have_each_their_own_below() {
        let mut inventory = Inventory {
            pci: vec![
                function("0000:00:1c.0", None, BRIDGE),
                function("0000:00:1c.1", None, BRIDGE),
                function("0000:01:00.1", Some("0000:00:1c.0"), 0x02_0000),
                function("0000:01:00.0", Some("0000:00:1c.0"), 0x02_0000),
                function("0000:02:00.0", Some("0000:00:1c.1"), BRIDGE),
                function("0000:02:00.1", Some("0000:00:1c.1"), 0x08_8000),
                function("0000:03:00.0", Some("0000:02:00.0"), BRIDGE),
                function("0000:03:00.1", Some("0000:02:00.0"), BRIDGE),
            ],
            ..Inventory::default()
        };
        for (address, link) in [
            ("0000:00:1c.1", "0000:00:1c.1"),
            ("0000:01:00.0", "0000:01:00.0"),
            ("0000:01:00.1", "0000:01:00.0"),
            // A switch's own function beside its upstream port.
            ("0000:02:00.1", "0000:02:00.0"),
            ("0000:03:00.1", "0000:03:00.1"),
        ] {
            assert_eq!(named(&inventory, address), link, "{address}");
        }
        // A first function without a link names none.
        inventory.pci[3].link = None;
        assert_eq!(named(&inventory, "0000:01:00.1"), "0000:01:00.1");
    }

    #[test]
    fn a_tree_that_goes_in_circles_ends() {
        let own = function("0000:01:00.0", Some("0000:01:00.0"), BRIDGE);
        let circle = Inventory { pci: vec![own], ..Inventory::default() };
        assert_eq!(circle.pci_to_root("0000:01:00.0").len(), DEPTH_MAX);
        assert_eq!(named(&circle, "0000:01:00.0"), "0000:01:00.0");
    }
}
