//! The network interfaces of a machine.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One network interface; its addresses are kept in no document.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NetworkInterface {
    /// The kernel's name: `eth0`, `bond0`.
    pub name: String,
    /// `ethernet`, `loopback`, `bond`, `bridge`, `vlan`, `veth`, `tun`, `wifi`,
    /// `infiniband`, or the kernel's word for another.
    pub kind: String,
    /// `up`, `down`, `unknown` ... (operstate).
    pub state: String,
    /// Whether a carrier is seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub carrier: Option<bool>,
    /// The PCI function behind it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pci: Option<String>,
    /// The bus where it is not PCI: `virtio`, `usb`, `platform`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bus: Option<String>,
    /// Its driver.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub driver: Option<String>,
    /// The driver's version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub driver_version: Option<String>,
    /// The firmware's version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub firmware: Option<String>,
    /// Bits per second of the link now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speed_bits: Option<u64>,
    /// Bits per second of the fastest mode that both ends could use, or, where
    /// the other end says nothing, that this one can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_speed_bits: Option<u64>,
    /// Bits per second of the fastest mode that the other end offers and this one
    /// can; absent where the other end says nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partner_max_bits: Option<u64>,
    /// `full` or `half`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duplex: Option<String>,
    /// Bytes of the largest packet.
    pub mtu: u32,
    /// The largest MTU that the driver takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_mtu: Option<u32>,
    /// Receive queues.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rx_queues: Option<u32>,
    /// Transmit queues.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tx_queues: Option<u32>,
    /// Descriptors of each receive ring, now and at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rx_ring: Option<(u32, u32)>,
    /// Descriptors of each transmit ring, now and at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tx_ring: Option<(u32, u32)>,
    /// Offloads that shape a measurement, by their ethtool names, and whether
    /// they are on.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub offloads: BTreeMap<String, bool>,
    /// The queueing discipline at its root: `mq`, `fq_codel`, `tbf`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub qdisc: Option<String>,
    /// Bytes per second to which its queueing discipline holds it (TBF, HTB).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub qdisc_rate: Option<u64>,
    /// Bytes per second to which it holds each connection (`maxrate` of fq).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub qdisc_flow_rate: Option<u64>,
    /// Bytes per second to which classes of it, or disciplines below it, hold a part of the packets.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub qdisc_part_rates: Vec<u64>,
    /// The bond or bridge that it is part of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub master: Option<String>,
    /// The interfaces that it stands on: of a VLAN, a bond or a bridge.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub below: Vec<String>,
    /// How a bond is built.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bond: Option<Bond>,
    /// Its NUMA node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<u32>,
    /// Its addresses, each with the length of its network's prefix: `10.0.0.5/24`. They are for the screen of this
    /// machine alone: documents, messages between machines and recordings have none.
    #[serde(skip)]
    pub addresses: Vec<String>,
}

/// How a bond is built (`Documentation/networking/bonding.rst`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Bond {
    /// `balance-rr`, `active-backup`, `802.3ad` ...
    pub mode: String,
    /// Its members.
    pub members: Vec<String>,
    /// The member in use, where one is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active: Option<String>,
    /// How packets are spread: `layer2`, `layer3+4`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
}
