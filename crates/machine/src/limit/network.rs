//! Network links: the line rate, and what a TCP program can get of it.
//!
//! **Goodput** = payload of a packet / bytes that count against the limit. A
//! packet of the MTU holds 20 bytes of IPv4 (RFC 791) and 20 of TCP (RFC 9293)
//! head, and 12 more with timestamps (RFC 7323, padded to a multiple of 4, on by
//! default in Linux: `net.ipv4.tcp_timestamps`). What counts beside the MTU is a
//! matter of who limits:
//!
//! - the wire: 38 bytes (IEEE 802.3: preamble and start 8, head 14, check 4, gap
//!   12);
//! - TBF and HTB: 14, the head, which is all that the kernel sees
//!   (`qdisc_pkt_len`, tc-tbf(8));
//! - a VLAN tag adds 4 (IEEE 802.1Q).
//!
//! 10 GbE carries 9.41 Gbit/s at an MTU of 1500 and 9.90 at 9000.
//!
//! **Bound** of a link: the heads of IPv4 without timestamps, which no TCP has less
//! than (9.49 and 9.91 Gbit/s). **Usual range**: from IPv6 (40 bytes of head, RFC 8200)
//! with timestamps to that: 1428 to 1460 of the 1538 bytes of a frame at an MTU of
//! 1500, 8928 to 8960 of 9038 at 9000. What holds a trial goes by the segments that
//! it had (`analysis::utilization`).

use language::format;
use model::limit::{Direction, LimitKind, LimitScope, UsualRange};
use model::machine::{Bond, Inventory, NetworkInterface};
use model::{Limit, Resource, ResourceKind};

use super::{Rates, is_guest, link};

const HEADS: u32 = 20 + 20;
/// So much longer than that of IPv4 the head of IPv6 is.
const IPV6_MORE: u32 = 20;
const TIMESTAMPS: u32 = 12;
const ETHERNET: u32 = 14;
const ETHERNET_ON_WIRE: u32 = 8 + ETHERNET + 4 + 12;
const VLAN_TAG: u32 = 4;

/// What counts beside the packet, by who limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overhead {
    /// The wire: preamble, head, check and gap.
    Wire,
    /// A queueing discipline that shapes (TBF, HTB): the head alone.
    Tbf,
}

/// What a program gets through TCP over IPv4 in packets of `mtu` bytes, in the
/// unit of `rate_bits`. Zero where the MTU holds no payload.
#[must_use]
pub fn tcp_goodput(rate_bits: f64, mtu: u32, overhead: Overhead, timestamps: bool, vlan: bool) -> f64 {
    let heads = HEADS + if timestamps { TIMESTAMPS } else { 0 };
    payload_rate(rate_bits, mtu, heads, overhead, vlan)
}

/// What is left of a rate for what packets of `mtu` bytes hold behind their heads.
fn payload_rate(rate: f64, mtu: u32, heads: u32, overhead: Overhead, vlan: bool) -> f64 {
    let payload = f64::from(mtu.saturating_sub(heads));
    let around = match overhead {
        Overhead::Wire => ETHERNET_ON_WIRE,
        Overhead::Tbf => ETHERNET,
    } + if vlan { VLAN_TAG } else { 0 };
    rate * payload / (f64::from(mtu) + f64::from(around))
}

/// Interfaces whose speed is a number that some driver returns: what limits
/// them is the other end, the host or the CPU.
const VIRTUAL_DRIVERS: &[&str] =
    &["virtio_net", "vmxnet3", "hv_netvsc", "xen_netfront", "ena", "gve", "gvnic", "vif", "veth", "dummy"];

/// The driver of TUN and TAP devices, and the speeds that it states of itself:
/// 10 Mbit/s in older kernels, 10 Gbit/s since (`tun_default_link_ksettings` in
/// drivers/net/tun.c). Another one was set with ethtool, by somebody who knows what
/// carries the frames behind it.
const TUN: &str = "tun";
const TUN_OWN_SPEEDS: &[u64] = &[10_000_000, 10_000_000_000];

/// Adapters that exist, but in a guest are emulated.
const EMULATED_DRIVERS: &[&str] = &["e1000", "e1000e", "8139cp", "8139too", "pcnet32", "tulip", "igb"];

pub(super) fn limits(inventory: &Inventory) -> Vec<Limit> {
    inventory.network.iter().flat_map(|nic| links(inventory, nic).into_iter().chain(quotas(nic))).collect()
}

/// A rate in bits per second, each way, and where it is from.
struct Carried {
    receive: Option<u64>,
    send: Option<u64>,
    vlan: bool,
    source: String,
}

impl Carried {
    fn both(bits: u64, source: String) -> Self {
        Self { receive: Some(bits), send: Some(bits), vlan: false, source }
    }
}

fn links(inventory: &Inventory, nic: &NetworkInterface) -> Vec<Limit> {
    let Some(carried) = carried(inventory, nic, 0) else { return Vec::new() };
    let one = |direction: Option<Direction>, bits: u64| {
        let line = bits as f64 / 8.0;
        let most = tcp_goodput(line, nic.mtu, Overhead::Wire, false, carried.vlan);
        let heads = HEADS + IPV6_MORE + TIMESTAMPS;
        let least = payload_rate(line, nic.mtu, heads, Overhead::Wire, carried.vlan);
        let usual = (most > 0.0).then_some(UsualRange { direction: None, least, most });
        let rates = Rates { line, effective: Some(most).filter(|g| *g > 0.0) };
        let bound =
            link(Resource::of(ResourceKind::Nic, &nic.name), direction, rates, carried.source.clone());
        Limit { payload: Some(at_most(nic)), usual: usual.into_iter().collect(), ..bound }
    };
    match (carried.receive, carried.send) {
        (Some(receive), Some(send)) if receive == send => vec![one(None, receive)],
        (receive, send) => receive
            .map(|bits| one(Some(Direction::Read), bits))
            .into_iter()
            .chain(send.map(|bits| one(Some(Direction::Write), bits)))
            .collect(),
    }
}

fn carried(inventory: &Inventory, nic: &NetworkInterface, depth: u32) -> Option<Carried> {
    // A VLAN on a bond on adapters is the deepest that is usual.
    if depth > 4 {
        return None;
    }
    let below = |name: &str| {
        let interface = inventory.network.iter().find(|n| n.name == name)?;
        carried(inventory, interface, depth + 1)
    };
    match nic.kind.as_str() {
        "bond" => bonded(inventory, nic.bond.as_ref()?, &below),
        "vlan" => below(nic.below.first()?).map(|c| Carried {
            vlan: true,
            source: format!("{}, with a VLAN tag", c.source),
            ..c
        }),
        "ethernet" | TUN => alone(inventory, nic),
        _ => None,
    }
}

fn alone(inventory: &Inventory, nic: &NetworkInterface) -> Option<Carried> {
    let driver = nic.driver.as_deref().unwrap_or_default();
    let is_virtual = VIRTUAL_DRIVERS.contains(&driver)
        || matches!(nic.bus.as_deref(), Some("virtio" | "xen" | "vmbus"))
        || is_guest(inventory) && EMULATED_DRIVERS.contains(&driver);
    if is_virtual {
        return None;
    }
    // 10 Tb/s: beyond any adapter.
    let bits = nic.speed_bits.filter(|b| (1..=10_000_000_000_000).contains(b))?;
    let is_tun = driver == TUN || nic.kind == TUN;
    if is_tun && TUN_OWN_SPEEDS.contains(&bits) {
        return None;
    }
    let set = if is_tun { ", as somebody set it" } else { "" };
    let mut source = format!("link at {}{set}", format::bits(bits));
    if let Some(duplex) = nic.duplex.as_deref().filter(|d| *d == "half") {
        source.push_str(&format!(", {duplex} duplex"));
    }
    if let Some(max) = nic.max_speed_bits.filter(|max| *max > bits) {
        source.push_str(&format!(" (it could {})", format::bits(max)));
    }
    Some(Carried::both(bits, source))
}

/// What a bond carries (`Documentation/networking/bonding.rst`, "mode").
fn bonded(inventory: &Inventory, bond: &Bond, below: &dyn Fn(&str) -> Option<Carried>) -> Option<Carried> {
    let up = |name: &&String| {
        let member = inventory.network.iter().find(|n| n.name == **name);
        member.is_none_or(|m| m.carrier != Some(false))
    };
    let members: Vec<&String> = bond.members.iter().filter(up).collect();
    // A member of unknown rate makes the sum unknown.
    let speeds: Option<Vec<u64>> = members.iter().map(|m| below(m)?.send).collect();
    let sum = || {
        speeds
            .as_ref()
            .filter(|s| !s.is_empty())
            .and_then(|s| s.iter().try_fold(0u64, |a, b| a.checked_add(*b)))
    };
    let active = || bond.active.as_deref().and_then(|m| below(m)?.send);
    let source = |what: &str| format!("bond, {}: {what}", bond.mode);
    let of_all = format!("the sum of {} members; one connection gets one member's at most", members.len());
    match bond.mode.as_str() {
        "active-backup" => Some(Carried::both(active()?, source("the member in use"))),
        "broadcast" => {
            let slowest = speeds?.into_iter().min()?;
            Some(Carried::both(slowest, source("all members send the same")))
        }
        "balance-tlb" => Some(Carried {
            receive: active(),
            send: Some(sum()?),
            vlan: false,
            source: source(&format!("sends over all, receives over one; {of_all}")),
        }),
        "balance-rr" => Some(Carried::both(sum()?, source(&format!("the sum of {} members", members.len())))),
        "balance-xor" | "802.3ad" | "balance-alb" => Some(Carried::both(sum()?, source(&of_all))),
        _ => None,
    }
}

/// What payload a link's bound is of.
fn at_most(nic: &NetworkInterface) -> String {
    format!(
        "at most the goodput of TCP over IPv4 at MTU {} without timestamps; usual is from IPv6 with them to that",
        nic.mtu
    )
}

/// What payload was taken to be.
pub(super) fn assumed(nic: &NetworkInterface) -> String {
    goodput_at(nic.mtu)
}

fn goodput_at(mtu: u32) -> String {
    format!("goodput of TCP over IPv4 at MTU {mtu}, timestamps assumed on")
}

/// To what a queueing discipline holds what is sent: all of it, each connection, and a part of the packets.
fn quotas(nic: &NetworkInterface) -> impl Iterator<Item = Limit> {
    let whole = nic.qdisc_rate.into_iter().map(|rate| (LimitScope::All, rate));
    let each = nic.qdisc_flow_rate.into_iter().map(|rate| (LimitScope::EachFlow, rate));
    let parts = nic.qdisc_part_rates.iter().map(|rate| (LimitScope::Part, *rate));
    whole.chain(each).chain(parts).filter_map(|(scope, rate)| quota(nic, scope, rate))
}

fn quota(nic: &NetworkInterface, scope: LimitScope, bytes: u64) -> Option<Limit> {
    let bytes = Some(bytes).filter(|rate| *rate > 0)? as f64;
    let is_vlan = nic.kind == "vlan";
    let goodput = tcp_goodput(bytes, nic.mtu, Overhead::Tbf, true, is_vlan);
    let rates = Rates { line: bytes, effective: Some(goodput).filter(|g| *g > 0.0) };
    let source = format!("queueing discipline {}", nic.qdisc.as_deref().unwrap_or("of unknown kind"));
    let bound = link(Resource::of(ResourceKind::Nic, &nic.name), Some(Direction::Write), rates, source);
    Some(Limit { kind: LimitKind::Quota, scope, payload: Some(assumed(nic)), ..bound })
}

/// The limit of a virtual link of our own, both of whose ends are held to `bits_per_s` by a queueing discipline and make
/// packets of `mtu` bytes: what TCP gets of it each way.
#[must_use]
pub fn held_link(interface: &str, bits_per_s: f64, mtu: u32, source: String) -> Limit {
    let line = bits_per_s / 8.0;
    let goodput = tcp_goodput(line, mtu, Overhead::Tbf, true, false);
    let rates = Rates { line, effective: Some(goodput).filter(|g| *g > 0.0) };
    Limit {
        payload: Some(goodput_at(mtu)),
        ..link(Resource::of(ResourceKind::Nic, interface), None, rates, source)
    }
}

#[cfg(test)]
mod tests {
    use model::{Resource, ResourceKind};

    use super::*;

    fn nic(name: &str, bits: Option<u64>) -> NetworkInterface {
        NetworkInterface {
            name: name.to_owned(),
            kind: "ethernet".to_owned(),
            driver: Some("ixgbe".to_owned()),
            speed_bits: bits,
            mtu: 1500,
            ..NetworkInterface::default()
        }
    }

    fn bond(mode: &str, active: Option<&str>, speeds: &[Option<u64>]) -> Inventory {
        let mut network: Vec<NetworkInterface> =
            speeds.iter().enumerate().map(|(i, s)| nic(&format!("eth{i}"), *s)).collect();
        network.push(NetworkInterface {
            kind: "bond".to_owned(),
            bond: Some(Bond {
                mode: mode.to_owned(),
                members: network.iter().map(|n| n.name.clone()).collect(),
                active: active.map(str::to_owned),
                hash: None,
            }),
            ..nic("bond0", None)
        });
        Inventory { network, ..Inventory::default() }
    }

    fn of(inventory: &Inventory, name: &str) -> Vec<(Option<Direction>, f64)> {
        let wanted = Resource::of(ResourceKind::Nic, name);
        limits(inventory)
            .into_iter()
            .filter(|l| l.resource == wanted)
            .map(|l| (l.direction, l.line.unwrap() * 8.0 / 1e9))
            .collect()
    }

    #[test]
    fn goodput_is_what_the_studies_and_trials_measured() {
        let giga = |rate: f64, mtu, overhead| tcp_goodput(rate, mtu, overhead, true, false) / 1e9;
        assert!((giga(1e10, 1500, Overhead::Wire) - 9.41).abs() < 0.01);
        assert!((giga(1e10, 9000, Overhead::Wire) - 9.90).abs() < 0.01);
        let shaped = giga(1e9, 1500, Overhead::Tbf) * 1e3;
        assert!((956.0..957.0).contains(&shaped), "{shaped}");
        // Without timestamps 12 bytes more, with a tag 4 bytes less of room.
        assert_eq!(tcp_goodput(1538.0, 1500, Overhead::Wire, false, false), 1460.0);
        assert_eq!(tcp_goodput(1542.0, 1500, Overhead::Wire, true, true), 1448.0);
    }

    #[test]
    fn a_link_that_is_held_carries_as_much_each_way() {
        let found = held_link("hr0a", 1e9, 1500, "bit-rate of nfs".to_owned());
        assert_eq!(
            (found.resource.as_str(), found.direction, found.kind),
            ("nic:hr0a", None, LimitKind::Link)
        );
        assert_eq!(found.line, Some(125e6));
        // 1448 of 1514 bytes.
        assert!((found.bound().unwrap() - 125e6 * 1448.0 / 1514.0).abs() < 1.0, "{found:?}");
        assert!(
            found.usual.is_empty() && found.known_from().starts_with("bit-rate of nfs; goodput"),
            "{found:?}"
        );
        assert_eq!(held_link("hr0a", 1e9, 40, String::new()).effective, None);
    }

    #[test]
    fn an_absurd_mtu_leaves_nothing() {
        for mtu in [0, 1, 52] {
            assert_eq!(tcp_goodput(1e9, mtu, Overhead::Wire, true, true), 0.0);
        }
        assert!(tcp_goodput(1e9, u32::MAX, Overhead::Wire, true, true) < 1e9);
        let inventory = Inventory {
            network: vec![NetworkInterface { mtu: 0, ..nic("eth0", Some(1)) }],
            ..Inventory::default()
        };
        let found = &limits(&inventory)[0];
        assert_eq!((found.effective, found.usual.len()), (None, 0));
    }

    #[test]
    fn study_as_adapter_has_10_gigabits() {
        let inventory =
            Inventory { network: vec![nic("eth0", Some(10_000_000_000))], ..Inventory::default() };
        let found = limits(&inventory);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].line, Some(1.25e9));
        let near = |bytes: f64, gigabits: f64| (bytes * 8.0 / 1e9 - gigabits).abs() < 0.01;
        assert!(near(found[0].effective.unwrap(), 9.49));
        assert!(found[0].known_from().contains("at MTU 1500 without timestamps"));
        let range = found[0].usual_of(None).unwrap();
        assert!(near(range.least, 9.28) && near(range.most, 9.49), "{range:?}");
    }

    /// 1460 and 1428 of the 1538 bytes of a frame, 8960 and 8928 of 9038.
    #[test]
    fn bound_and_range_are_shares_of_whole_frames() {
        for (mtu, most, least, frame) in [(1500, 1460.0, 1428.0, 1538.0), (9000, 8960.0, 8928.0, 9038.0)] {
            let inventory = Inventory {
                network: vec![NetworkInterface { mtu, ..nic("eth0", Some(8_000_000_000)) }],
                ..Inventory::default()
            };
            let found = &limits(&inventory)[0];
            let near = |found: f64, payload: f64| (found - 1e9 * payload / frame).abs() < 1.0;
            let range = found.usual_of(None).unwrap();
            assert!(near(found.effective.unwrap(), most) && near(range.most, most), "{found:?}");
            assert!(near(range.least, least), "{found:?}");
        }
    }

    #[test]
    fn what_a_virtual_adapter_claims_bounds_nothing() {
        for driver in ["virtio_net", "veth", "vmxnet3", "ena", "gve", "gvnic"] {
            let adapter = NetworkInterface { driver: Some(driver.to_owned()), ..nic("eth0", Some(1 << 33)) };
            let inventory = Inventory { network: vec![adapter], ..Inventory::default() };
            assert!(limits(&inventory).is_empty(), "{driver}");
        }
        // A TAP device has a number of its driver's, until somebody sets one.
        for (megabits, count) in [(10, 0), (10_000, 0), (100, 1)] {
            let tap = NetworkInterface {
                driver: Some("tun".to_owned()),
                kind: "tun".to_owned(),
                ..nic("tap0", Some(megabits * 1_000_000))
            };
            let inventory = Inventory { network: vec![tap], ..Inventory::default() };
            assert_eq!(limits(&inventory).len(), count, "{megabits}");
        }
        let mut guest = Inventory {
            network: vec![NetworkInterface {
                driver: Some("e1000".to_owned()),
                ..nic("eth0", Some(1_000_000_000))
            }],
            ..Inventory::default()
        };
        assert_eq!(limits(&guest).len(), 1);
        guest.system.virtualization = Some("kvm".to_owned());
        assert!(limits(&guest).is_empty());
    }

    #[test]
    fn a_bond_carries_what_its_mode_lets_it() {
        let one = 1_000_000_000;
        let two = [Some(one), Some(one)];
        assert_eq!(of(&bond("balance-alb", None, &two), "bond0"), [(None, 2.0)]);
        assert_eq!(of(&bond("802.3ad", None, &two), "bond0"), [(None, 2.0)]);
        assert_eq!(of(&bond("broadcast", None, &[Some(one), Some(10 * one)]), "bond0"), [(None, 1.0)]);
        let tlb = of(&bond("balance-tlb", Some("eth1"), &two), "bond0");
        assert_eq!(tlb, [(Some(Direction::Read), 1.0), (Some(Direction::Write), 2.0)]);
        let backup = bond("active-backup", Some("eth1"), &[Some(one), Some(10 * one)]);
        assert_eq!(of(&backup, "bond0"), [(None, 10.0)]);
        assert!(of(&bond("active-backup", None, &two), "bond0").is_empty());
        assert!(of(&bond("802.3ad", None, &[Some(one), None]), "bond0").is_empty());
        assert!(of(&bond("802.3ad", None, &[Some(u64::MAX), Some(u64::MAX)]), "bond0").is_empty());
        let note = &limits(&bond("802.3ad", None, &two))[2].source;
        assert!(note.contains("one connection gets one member's"), "{note}");
    }

    #[test]
    fn a_member_without_a_carrier_carries_nothing() {
        let mut inventory = bond("802.3ad", None, &[Some(1_000_000_000), None]);
        inventory.network[1].carrier = Some(false);
        assert_eq!(of(&inventory, "bond0"), [(None, 1.0)]);
    }

    #[test]
    fn a_vlan_has_the_rate_below_and_a_tag() {
        let mut inventory =
            Inventory { network: vec![nic("eth0", Some(1_000_000_000))], ..Inventory::default() };
        inventory.network.push(NetworkInterface {
            kind: "vlan".to_owned(),
            below: vec!["eth0".to_owned()],
            ..nic("eth0.7", None)
        });
        let found = limits(&inventory);
        let goodput = found[1].effective.unwrap() * 8.0;
        assert!((goodput - 1e9 * 1460.0 / 1542.0).abs() < 1.0);
        inventory.network[1].below = vec!["eth0.7".to_owned()];
        assert_eq!(limits(&inventory).len(), 1, "a circle ends");
    }

    #[test]
    fn a_shaper_is_a_quota_on_what_is_sent() {
        let shaped = NetworkInterface {
            driver: Some("veth".to_owned()),
            qdisc: Some("tbf".to_owned()),
            qdisc_rate: Some(125_000_000),
            ..nic("v0", None)
        };
        let inventory = Inventory { network: vec![shaped], ..Inventory::default() };
        let found = limits(&inventory);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].kind, found[0].direction), (LimitKind::Quota, Some(Direction::Write)));
        let megabits = found[0].effective.unwrap() * 8.0 / 1e6;
        assert!((956.0..957.0).contains(&megabits), "{megabits}");
    }

    #[test]
    fn what_each_connection_may_have_and_what_a_part_may_have_are_quotas_of_their_own() {
        let paced = NetworkInterface {
            driver: Some("veth".to_owned()),
            qdisc: Some("fq".to_owned()),
            qdisc_flow_rate: Some(12_500_000),
            qdisc_part_rates: vec![1_000_000],
            ..nic("v0", None)
        };
        let found = limits(&Inventory { network: vec![paced], ..Inventory::default() });
        let told: Vec<_> = found.iter().map(|l| (l.kind, l.scope, l.line)).collect();
        let quota = LimitKind::Quota;
        let expected = [(quota, LimitScope::EachFlow, Some(12.5e6)), (quota, LimitScope::Part, Some(1e6))];
        assert_eq!(told, expected);
    }
}
