//! The network interfaces: what ip and ethtool show.

use model::Unit;
use model::machine::{Inventory, NetworkInterface, PciDevice};

use super::pci::address;
use super::tree;
use crate::document::Branch;
use crate::format;
use crate::text::{counted, facts, groups};

pub(super) fn branches(inventory: &Inventory) -> Vec<Branch> {
    let nodes: Vec<tree::Node> = inventory.network.iter().map(|i| node(i, &inventory.pci)).collect();
    tree::branches(&nodes, &(0..nodes.len()).collect::<Vec<_>>())
}

fn node(interface: &NetworkInterface, pci: &[PciDevice]) -> tree::Node {
    let node = interface.node.map(|n| format!("NUMA node {n}"));
    let lines = vec![
        groups([Some(made(interface)), node]),
        addresses(interface),
        groups([Some(queues(interface)), Some(discipline(interface))]),
        offloads(interface),
        standing(interface),
    ];
    tree::Node {
        name: interface.name.clone(),
        head: head(interface),
        lines,
        own: interface.pci.as_deref().map(|a| ("PCI", address(a, pci).to_owned())),
        ..tree::Node::default()
    }
}

/// Kind, state, speed, MTU.
fn head(interface: &NetworkInterface) -> String {
    let duplex = interface.duplex.as_ref().map(|d| format!(" {d} duplex")).unwrap_or_default();
    let most = interface.max_speed_bits.filter(|m| Some(*m) != interface.speed_bits).map(format::bits);
    let speed = match (interface.speed_bits, most) {
        (Some(now), Some(most)) => Some(format!("{}{duplex} (at most {most})", format::bits(now))),
        (Some(now), None) => Some(format!("{}{duplex}", format::bits(now))),
        (None, Some(most)) => Some(format!("at most {most}")),
        (None, None) => None,
    };
    let mtu = (interface.mtu > 0).then(|| format!("MTU {}", interface.mtu));
    let largest = interface.max_mtu.filter(|m| *m != interface.mtu).map(|m| format!(" (at most {m})"));
    let carrier = (interface.carrier == Some(false)).then(|| "no carrier".to_owned());
    facts([
        Some(interface.kind.clone()),
        (interface.state != "unknown").then(|| interface.state.clone()),
        carrier,
        speed,
        mtu.map(|mtu| mtu + &largest.unwrap_or_default()),
    ])
}

fn made(interface: &NetworkInterface) -> String {
    let driver = interface.driver.as_ref().map(|driver| match &interface.driver_version {
        Some(version) => format!("driver {driver} {version}"),
        None => format!("driver {driver}"),
    });
    facts([interface.bus.clone(), driver, interface.firmware.as_ref().map(|f| format!("firmware {f}"))])
}

/// `10.0.0.5/24 fe80::1/64`, on the machine itself.
fn addresses(interface: &NetworkInterface) -> String {
    match &interface.addresses[..] {
        [] => String::new(),
        all => format!("addresses {}", all.join(" ")),
    }
}

fn queues(interface: &NetworkInterface) -> String {
    let queues = match (interface.rx_queues, interface.tx_queues) {
        (Some(rx), Some(tx)) => Some(format!("queues {rx} rx {tx} tx")),
        (Some(rx), None) => Some(format!("queues {rx} rx")),
        (None, Some(tx)) => Some(format!("queues {tx} tx")),
        (None, None) => None,
    };
    let ring = |name: &str, ring: Option<(u32, u32)>| {
        ring.map(|(now, most)| {
            format!("{name} ring {now}{}", if most == now { String::new() } else { format!(" of {most}") })
        })
    };
    facts([queues, ring("rx", interface.rx_ring), ring("tx", interface.tx_ring)])
}

fn discipline(interface: &NetworkInterface) -> String {
    let written = |rate: u64| {
        let (bits, bytes) =
            (format::bits(rate.saturating_mul(8)), format::quantity(rate as f64, Unit::BytesPerSecond));
        format!("{bits} ({bytes})")
    };
    let rate = interface.qdisc_rate.map(|rate| format!("held to {}", written(rate)));
    let each = interface.qdisc_flow_rate.map(|rate| format!("each connection held to {}", written(rate)));
    let parts: Vec<String> = interface.qdisc_part_rates.iter().map(|rate| written(*rate)).collect();
    let parts = (!parts.is_empty()).then(|| format!("classes held to {}", parts.join(", ")));
    facts([interface.qdisc.as_ref().map(|q| format!("qdisc {q}")), rate, each, parts])
}

/// Offloads by their short names, on and off.
fn offloads(interface: &NetworkInterface) -> String {
    let those = |on: bool| {
        let names: Vec<&str> = interface
            .offloads
            .iter()
            .filter(|(_, v)| **v == on)
            .map(|(name, _)| short_offload(name))
            .collect();
        (!names.is_empty()).then(|| format!("{} {}", if on { "offloads" } else { "off" }, names.join(" ")))
    };
    groups([those(true), those(false)])
}

/// ethtool's own short names (ethtool(8), `-K`), where it has one.
fn short_offload(name: &str) -> &str {
    match name {
        "rx-checksumming" => "rx",
        "tx-checksumming" => "tx",
        "scatter-gather" => "sg",
        "tcp-segmentation-offload" => "tso",
        "udp-fragmentation-offload" => "ufo",
        "generic-segmentation-offload" => "gso",
        "generic-receive-offload" => "gro",
        "large-receive-offload" => "lro",
        "rx-vlan-offload" => "rxvlan",
        "tx-vlan-offload" => "txvlan",
        "ntuple-filters" => "ntuple",
        "receive-hashing" => "rxhash",
        other => other,
    }
}

/// What it is part of, and what it is made of.
fn standing(interface: &NetworkInterface) -> String {
    let bond = interface.bond.as_ref().map(|bond| {
        facts([
            Some(format!("{} of {}", bond.mode, counted(bond.members.len(), "member"))),
            Some(bond.members.join(" ")),
            bond.active.as_ref().map(|a| format!("{a} in use")),
            bond.hash.as_ref().map(|h| format!("spread by {h}")),
        ])
    });
    let below = (!interface.below.is_empty() && interface.bond.is_none())
        .then(|| format!("on {}", interface.below.join(", ")));
    groups([bond, below, interface.master.as_ref().map(|m| format!("part of {m}"))])
}
