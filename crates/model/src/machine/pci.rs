//! The PCI tree of a machine.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
