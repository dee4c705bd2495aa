//! What routing netlink tells of interfaces and their queueing disciplines
//! (rtnetlink(7), `include/uapi/linux/{if_link,pkt_sched}.h`), the probe
//! `netlink/NAME`.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::net::IpAddr;

use serde::{Deserialize, Serialize};

use super::held::{CLASSFUL, each_held_to, held_to, parts_held_to};
use super::wire::{
    self, GET_LINK, GET_QDISC, IFLA_IFNAME, IFLA_INFO_KIND, IFLA_LINKINFO, IFLA_MAX_MTU, IFLA_QDISC,
    LINK_HEAD, TC_HEAD, attribute, long, number, text,
};

const GET_ADDRESS: u16 = 22;
const GET_CLASS: u16 = 42;
/// Bytes of `struct ifaddrmsg`.
const ADDRESS_HEAD: usize = 8;
const IFA_ADDRESS: u16 = 1;
const IFA_LOCAL: u16 = 2;
const IFLA_EXT_MASK: u16 = 29;
/// Leaves counters out of a dump (`RTEXT_FILTER_SKIP_STATS`).
const SKIP_STATS: u32 = 1 << 3;
pub(crate) const TCA_KIND: u16 = 1;
pub(crate) const TCA_OPTIONS: u16 = 2;
pub(crate) const TCA_TBF_PARMS: u16 = 1;
pub(crate) const TCA_TBF_RATE64: u16 = 4;
pub(crate) const TCA_TBF_BURST: u16 = 6;
const TCA_FQ_QUANTUM: u16 = 3;
const TCA_FQ_RATE_ENABLE: u16 = 5;
const TCA_FQ_FLOW_MAX_RATE: u16 = 7;
const TCA_HFSC_USC: u16 = 3;
const TCA_FQ_CODEL_QUANTUM: u16 = 6;
const TCA_HTB_PARMS: u16 = 1;
const TCA_HTB_INIT: u16 = 2;
const TCA_HTB_CEIL64: u16 = 7;
/// Bytes of `struct tc_netem_qopt`, behind which netem has its attributes.
const NETEM_HEAD: usize = 24;
const TCA_NETEM_RATE: u16 = 6;
const TCA_NETEM_RATE64: u16 = 8;
const TCA_CAKE_BASE_RATE64: u16 = 2;

/// What the kernel answers for one interface.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Answer {
    /// Its kind, `bond`, `vlan`, `veth`; hardware has none.
    pub(super) kind: Option<String>,
    pub(super) max_mtu: Option<u32>,
    pub(super) qdisc: Option<String>,
    /// Bytes per second to which the root queueing discipline holds it.
    pub(super) qdisc_rate: Option<u64>,
    /// The same of each connection.
    pub(super) qdisc_flow_rate: Option<u64>,
    /// The same of a part of the packets.
    pub(super) qdisc_part_rates: Vec<u64>,
}

/// Asks this machine, once for all interfaces.
#[derive(Debug, Default)]
pub(super) struct InterfaceQuery {
    links: OnceCell<Result<BTreeMap<String, Link>, String>>,
    qdiscs: OnceCell<Vec<Node>>,
    addresses: OnceCell<Vec<(u32, String)>>,
}

#[derive(Debug)]
struct Link {
    index: u32,
    answer: Answer,
}

/// A queueing discipline or a class of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Node {
    /// The interface's number.
    pub(crate) index: u32,
    /// The upper half names the discipline, and is 0 where the kernel made it by itself.
    pub(crate) handle: u32,
    pub(crate) parent: u32,
    pub(crate) kind: String,
    /// Bytes per second: the rate of TBF, netem and CAKE, the ceiling of a class of HTB or HFSC.
    pub(crate) rate: Option<u64>,
    /// Bytes per second of each connection, of fq.
    pub(crate) flow_rate: Option<u64>,
    /// Bytes that may wait, of TBF.
    pub(crate) limit: Option<u32>,
    /// The class for packets that no filter names, of HTB.
    pub(crate) fallback: Option<u32>,
    /// Bytes that a flow may send in its turn, of fq and fq_codel.
    pub(crate) quantum: Option<u32>,
}

impl InterfaceQuery {
    /// What this machine's kernel says of the interface.
    pub(super) fn ask(&self, name: &str) -> Result<Answer, String> {
        let links = self.links.get_or_init(links).as_ref().map_err(Clone::clone)?;
        let link = links.get(name).ok_or("not there")?;
        let all = self.qdiscs.get_or_init(|| disciplines().unwrap_or_default());
        let own: Vec<&Node> = all.iter().filter(|node| node.index == link.index).collect();
        let has_classes = own.iter().any(|node| CLASSFUL.contains(&node.kind.as_str()));
        let classes = if has_classes { nodes(GET_CLASS, link.index).unwrap_or_default() } else { Vec::new() };
        let qdisc_rate = held_to(&own, &classes);
        let qdisc_part_rates = parts_held_to(&own, &classes, qdisc_rate);
        let qdisc_flow_rate = each_held_to(&own);
        Ok(Answer { qdisc_rate, qdisc_flow_rate, qdisc_part_rates, ..link.answer.clone() })
    }

    /// The addresses of the interface on this machine. They are no part of an answer, for answers are recorded.
    pub(super) fn addresses_of(&self, name: &str) -> Vec<String> {
        let Ok(links) = self.links.get_or_init(links) else { return Vec::new() };
        let Some(link) = links.get(name) else { return Vec::new() };
        let all = self.addresses.get_or_init(|| addresses().unwrap_or_default());
        all.iter().filter(|(index, _)| *index == link.index).map(|(_, address)| address.clone()).collect()
    }
}

/// Every address of this machine with the number of its interface.
fn addresses() -> Result<Vec<(u32, String)>, String> {
    let messages = wire::dump(GET_ADDRESS, &[0; ADDRESS_HEAD])?;
    Ok(messages.iter().filter_map(|message| address(message)).collect())
}

/// Reads `struct ifaddrmsg` and what follows (`include/uapi/linux/if_addr.h`).
fn address(message: &[u8]) -> Option<(u32, String)> {
    let (prefix, index) = (*message.get(1)?, number(message, 4)?);
    let all = message.get(ADDRESS_HEAD..)?;
    // Where a link has but two ends, the other attribute is the far one's.
    let bytes = attribute(all, IFA_LOCAL).or_else(|| attribute(all, IFA_ADDRESS))?;
    let of_four = || Some(IpAddr::from(<[u8; 4]>::try_from(bytes).ok()?));
    let of_six = || Some(IpAddr::from(<[u8; 16]>::try_from(bytes).ok()?));
    Some((index, format!("{}/{prefix}", of_four().or_else(of_six)?)))
}

fn links() -> Result<BTreeMap<String, Link>, String> {
    let mut payload = vec![0; LINK_HEAD];
    payload.extend(8_u16.to_ne_bytes());
    payload.extend(IFLA_EXT_MASK.to_ne_bytes());
    payload.extend(SKIP_STATS.to_ne_bytes());
    let messages = wire::dump(GET_LINK, &payload)?;
    Ok(messages.iter().filter_map(|message| link(message)).collect())
}

fn link(message: &[u8]) -> Option<(String, Link)> {
    let index = number(message, 4)?;
    let all = message.get(LINK_HEAD..)?;
    let name = text(attribute(all, IFLA_IFNAME)?)?;
    let info = attribute(all, IFLA_LINKINFO);
    let answer = Answer {
        kind: info.and_then(|info| text(attribute(info, IFLA_INFO_KIND)?)),
        // 0 is "no bound".
        max_mtu: attribute(all, IFLA_MAX_MTU).and_then(|mtu| number(mtu, 0)).filter(|mtu| *mtu > 0),
        qdisc: attribute(all, IFLA_QDISC).and_then(text),
        ..Answer::default()
    };
    Some((name, Link { index, answer }))
}

/// Queueing disciplines of all interfaces.
///
/// # Errors
/// Why the kernel does not list them.
pub(crate) fn disciplines() -> Result<Vec<Node>, String> {
    nodes(GET_QDISC, 0)
}

/// Queueing disciplines of all interfaces, or classes of one.
fn nodes(kind: u16, index: u32) -> Result<Vec<Node>, String> {
    let mut payload = [0; TC_HEAD];
    payload[4..8].copy_from_slice(&index.to_ne_bytes());
    let messages = wire::dump(kind, &payload)?;
    Ok(messages.iter().filter_map(|message| node(message)).collect())
}

/// Reads `struct tcmsg` and what follows.
pub(crate) fn node(message: &[u8]) -> Option<Node> {
    let all = message.get(TC_HEAD..)?;
    let kind = text(attribute(all, TCA_KIND)?)?;
    let options = attribute(all, TCA_OPTIONS).unwrap_or_default();
    let (handle, parent) = (number(message, 8)?, number(message, 12)?);
    // `struct tc_ratespec` is 12 bytes with the rate in its last four, and all
    // ones where an attribute of 64 bits has it; TBF's is the first of
    // `struct tc_tbf_qopt`, HTB's ceiling the second of `struct tc_htb_opt`.
    // In the same way netem's is the first word of `struct tc_netem_rate`, and
    // HFSC's the last of `struct tc_service_curve`.
    let rate = |options: &[u8], parameters: u16, at: usize, wide: u16| {
        let narrow = || number(attribute(options, parameters)?, at).filter(|r| *r != u32::MAX).map(u64::from);
        attribute(options, wide).and_then(long).or_else(narrow)
    };
    // `struct tc_htb_glob`: version, rate to quantum, default class.
    let fallback = || number(attribute(options, TCA_HTB_INIT)?, 8).filter(|minor| *minor != 0);
    Some(Node {
        index: number(message, 4)?,
        handle,
        parent,
        // Behind both of its `struct tc_ratespec`.
        limit: attribute(options, TCA_TBF_PARMS).filter(|_| kind == "tbf").and_then(|all| number(all, 24)),
        rate: match kind.as_str() {
            "tbf" => rate(options, TCA_TBF_PARMS, 8, TCA_TBF_RATE64),
            "htb" => rate(options, TCA_HTB_PARMS, 20, TCA_HTB_CEIL64),
            "hfsc" => attribute(options, TCA_HFSC_USC).and_then(|curve| number(curve, 8)).map(u64::from),
            "netem" => {
                rate(options.get(NETEM_HEAD..).unwrap_or_default(), TCA_NETEM_RATE, 0, TCA_NETEM_RATE64)
            }
            "cake" => attribute(options, TCA_CAKE_BASE_RATE64).and_then(long),
            _ => None,
        },
        flow_rate: if kind == "fq" { flow_rate(options) } else { None },
        fallback: if kind == "htb" { fallback().map(|minor| handle & 0xffff_0000 | minor) } else { None },
        quantum: match kind.as_str() {
            "fq" => attribute(options, TCA_FQ_QUANTUM).and_then(|bytes| number(bytes, 0)),
            "fq_codel" => attribute(options, TCA_FQ_CODEL_QUANTUM).and_then(|bytes| number(bytes, 0)),
            _ => None,
        },
        kind,
    })
}

/// Bytes per second of each connection that fq lets through: all ones are no bound, and where it does not pace at all
/// there is none (tc-fq(8), `maxrate` and `nopacing`).
fn flow_rate(options: &[u8]) -> Option<u64> {
    let word = |kind: u16| attribute(options, kind).and_then(|bytes| number(bytes, 0));
    let paces = word(TCA_FQ_RATE_ENABLE) != Some(0);
    word(TCA_FQ_FLOW_MAX_RATE).filter(|rate| paces && *rate > 0 && *rate < u32::MAX).map(u64::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inventory::network::wire::ROOT;

    /// Messages that Linux 6.18 sent for `tc qdisc add dev va root tbf rate
    /// 80gbit ...` and for HTB with a class of 800 Mbit/s and one below it of up
    /// to 40 Gbit/s, without attributes that are not read.
    const TBF: &str = "000000000300000000000180ffffffff03000000080001007462660038000200280001000001000000000000\
        ffffffff00000000000000000000000000e1f50999990100000000000c00040000e40b5402000000";
    const HTB: &str = "000000000200000000000100ffffffff0300000008000100687462002400020018000200110003000a000000\
        10000000000000000000000008000500e8030000";
    const HTB_TOP: &str = "000000000200000001000100ffffffff00000000080001006874620034000200300001000001000000000000\
        00e1f505000100000000000000e1f505fa000000fa000000400d03000700000000000000";
    const HTB_LEAF: &str = "0000000002000000100001000100010000000000080001006874620040000200300001000001000000000000\
        20bcbe000001000000000000ffffffffd007000000000000400d030000000000000000000c00070000f2052a01000000";

    /// Numbers in the messages are in the order of the machine that sent them.
    #[cfg(target_endian = "little")]
    #[test]
    fn messages_of_a_real_kernel_are_read() {
        let read = |hex: &str| {
            let byte = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
            node(&(0..hex.len()).step_by(2).map(byte).collect::<Vec<_>>()).unwrap()
        };
        let tbf = read(TBF);
        assert_eq!((tbf.kind.as_str(), tbf.index, tbf.parent), ("tbf", 3, ROOT));
        assert_eq!(held_to(&[&tbf], &[]), Some(10_000_000_000), "80 Gbit/s need 64 bits");
        let (root, top, leaf) = (read(HTB), read(HTB_TOP), read(HTB_LEAF));
        assert_eq!((top.rate, leaf.rate), (Some(100_000_000), Some(5_000_000_000)));
        assert_eq!((leaf.handle, leaf.parent, root.fallback), (0x1_0010, 0x1_0001, Some(0x1_0010)));
        assert_eq!(held_to(&[&root], &[leaf, top]), Some(100_000_000));
    }

    /// Bug: a rate of netem or CAKE was not known.
    #[test]
    fn rates_of_netem_and_cake_are_read() {
        let held = |kind: &str, options: &[u8]| {
            let mut message = vec![0; TC_HEAD];
            message[12..16].copy_from_slice(&ROOT.to_ne_bytes());
            wire::push_attribute(&mut message, TCA_KIND, format!("{kind}\0").as_bytes());
            wire::push_attribute(&mut message, TCA_OPTIONS, options);
            held_to(&[&node(&message).unwrap()], &[])
        };
        let netem = |rate: u32, wide: Option<u64>| {
            let mut options = vec![0; NETEM_HEAD];
            let parameters: Vec<u8> = [rate, 0, 0, 0].iter().flat_map(|word| word.to_ne_bytes()).collect();
            wire::push_attribute(&mut options, TCA_NETEM_RATE, &parameters);
            if let Some(wide) = wide {
                wire::push_attribute(&mut options, TCA_NETEM_RATE64, &wide.to_ne_bytes());
            }
            held("netem", &options)
        };
        assert_eq!(netem(2_500_000, None), Some(2_500_000));
        assert_eq!(netem(u32::MAX, Some(10_000_000_000)), Some(10_000_000_000));
        assert_eq!(netem(0, None), None, "it only delays");
        let cake = |rate: u64| {
            let mut options = Vec::new();
            wire::push_attribute(&mut options, TCA_CAKE_BASE_RATE64, &rate.to_ne_bytes());
            held("cake", &options)
        };
        assert_eq!((cake(2_500_000), cake(0)), (Some(2_500_000), None));
    }

    /// Bug: what fq lets each connection have was not known.
    #[test]
    fn the_rate_of_each_connection_of_fq_is_read() {
        let read = |attributes: &[(u16, u32)]| {
            let mut options = Vec::new();
            for (kind, value) in attributes {
                wire::push_attribute(&mut options, *kind, &value.to_ne_bytes());
            }
            let mut message = vec![0; TC_HEAD];
            message[12..16].copy_from_slice(&ROOT.to_ne_bytes());
            wire::push_attribute(&mut message, TCA_KIND, b"fq\0");
            wire::push_attribute(&mut message, TCA_OPTIONS, &options);
            each_held_to(&[&node(&message).unwrap()])
        };
        let most = |rate| (TCA_FQ_FLOW_MAX_RATE, rate);
        assert_eq!(read(&[(TCA_FQ_RATE_ENABLE, 1), most(12_500_000)]), Some(12_500_000));
        assert_eq!(read(&[most(u32::MAX)]), None, "no bound");
        assert_eq!(read(&[(TCA_FQ_RATE_ENABLE, 0), most(12_500_000)]), None, "it does not pace");
        assert_eq!(read(&[]), None);
    }

    #[test]
    fn the_quantum_of_fair_queues_is_read() {
        let message = |kind: &str, attribute: u16| {
            let mut options = Vec::new();
            wire::push_attribute(&mut options, 2, &10_000_u32.to_ne_bytes());
            wire::push_attribute(&mut options, attribute, &1514_u32.to_ne_bytes());
            let mut message = vec![0; TC_HEAD];
            wire::push_attribute(&mut message, TCA_KIND, format!("{kind}\0").as_bytes());
            wire::push_attribute(&mut message, TCA_OPTIONS, &options);
            node(&message).unwrap().quantum
        };
        assert_eq!(message("fq", TCA_FQ_QUANTUM), Some(1514));
        assert_eq!(message("fq_codel", TCA_FQ_CODEL_QUANTUM), Some(1514));
        assert_eq!((message("fq", TCA_FQ_CODEL_QUANTUM), message("sfq", TCA_FQ_QUANTUM)), (None, None));
    }

    #[test]
    fn an_address_stands_with_the_length_of_its_prefix() {
        let message = |prefix: u8, attributes: &[(u16, &[u8])]| {
            let mut message = vec![2, prefix, 0, 0];
            message.extend(7_u32.to_ne_bytes());
            for (kind, payload) in attributes {
                wire::push_attribute(&mut message, *kind, payload);
            }
            address(&message)
        };
        let (near, far): (&[u8], &[u8]) = (&[10, 0, 0, 5], &[10, 0, 0, 6]);
        assert_eq!(message(24, &[(IFA_ADDRESS, near)]), Some((7, "10.0.0.5/24".to_owned())));
        let point_to_point = message(32, &[(IFA_ADDRESS, far), (IFA_LOCAL, near)]);
        assert_eq!(point_to_point, Some((7, "10.0.0.5/32".to_owned())));
        let six: [u8; 16] = [0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1];
        assert_eq!(message(64, &[(IFA_ADDRESS, &six[..])]), Some((7, "fe80::1/64".to_owned())));
        assert_eq!(message(24, &[(IFA_ADDRESS, &near[..3])]), None);
        assert_eq!(address(&[2, 24, 0]), None);
    }

    #[test]
    fn the_loopback_of_this_machine_is_among_the_links() {
        let answer = InterfaceQuery::default().ask("lo").unwrap();
        assert_eq!((answer.kind, answer.max_mtu), (None, None));
        assert!(answer.qdisc.is_some());
        assert!(InterfaceQuery::default().ask("no-such-interface").is_err());
    }
}
