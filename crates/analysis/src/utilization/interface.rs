//! How much of a network interface a case used, at either end.

use std::ops::RangeInclusive;

use model::limit::{Direction, Limit, LimitKind, LimitScope};
use model::profile::Transport;
use model::resource::PathStep;
use model::run::{CaseResult, Utilization};
use model::{Machine, Resource, ResourceKind, Trial, fact, metric};

use super::bond::one_member;
use super::pacing;
use crate::measure::{self, End};

/// Bytes of heads in a packet: IPv4 and TCP.
const HEADS: f64 = 20.0 + 20.0;
/// And TCP's timestamps.
const TIMESTAMPS: f64 = 12.0;

/// What the case asks of the interface that its data passed on another machine,
/// as that machine's end told of it.
pub(crate) fn of_far(case: &CaseResult, machine: &Machine) -> Vec<Utilization> {
    let end = measure::good(case).filter_map(measure::far).find(|p| p.machine == machine.id);
    let Some(interface) = end.and_then(|p| p.facts.get(&fact::INTERFACE)) else { return Vec::new() };
    let resource = Resource::of(ResourceKind::Nic, interface);
    let limits = machine.limits.iter().filter(|l| l.resource == resource && l.quantity == metric::THROUGHPUT);
    let used = |limit: &Limit| {
        let (bound, source) = bound(case, machine, limit, End::Answers)?;
        // What one end sends the other receives.
        let here = limit.direction.map(|direction| match direction {
            Direction::Read => Direction::Write,
            Direction::Write => Direction::Read,
        });
        let demand = measure::carried(case, here).filter(|d| !super::is_passed(limit, *d, bound))?;
        if !may_hold(case, limit, (demand, bound), End::Answers) {
            return None;
        }
        let source = format!("{source}, of {}", machine.id);
        let machine = Some(machine.id.clone());
        let usual = super::usual(case, limit, bound);
        let flows = connections(case, limit);
        Some(Utilization { machine, usual, flows, ..super::used(limit, &resource, demand, bound, source) })
    };
    let paced = pacing::of(case, End::Answers, &resource);
    let paced = paced.map(|used| Utilization { machine: Some(machine.id.clone()), ..used });
    limits.filter_map(used).chain(paced).collect()
}

/// What Ethernet has around a frame that an interface does not count: preamble, check sequence and gap (IEEE 802.3).
const AROUND_FRAME: f64 = 8.0 + 4.0 + 12.0;

/// What passed the interface of the machine that drives, by its own count, for a load of which nobody knows how large its
/// questions and answers are; in bytes per second of payload that would take as much of the limit in whole packets.
/// Whoever else used it counts with it. Packets that offloading joined count as one.
pub(super) fn counted(case: &CaseResult, limit: &Limit) -> Option<f64> {
    // The rate of a stream is that of its payload.
    if measure::is_loopback(case) || measure::profile(case).is_stream() {
        return None;
    }
    let of = |name: &str| measure::median(case, |trial| measure::rate(trial, &limit.resource, name));
    // A queueing discipline counts what the interface does.
    let around = if limit.kind == LimitKind::Link { AROUND_FRAME } else { 0.0 };
    let passed = |bytes: &str, packets: &str| Some(of(bytes)? + around * of(packets).unwrap_or_default());
    let (came, went) = (passed("rx_bytes", "rx_packets"), passed("tx_bytes", "tx_packets"));
    let all = match limit.direction {
        Some(Direction::Read) => came,
        Some(Direction::Write) => went,
        None => came.into_iter().chain(went).reduce(f64::max),
    };
    let line = limit.line.or(limit.effective).filter(|line| *line > 0.0)?;
    all.filter(|all| *all > 0.0).map(|all| all * limit.bound().unwrap_or(line) / line)
}

/// What of the storage that a server has passes the interface towards it, the limit's way; of a limit of each way, the way
/// that more passes. What the page cache answers, or takes over, passes it at another time.
pub(super) fn to_storage(case: &CaseResult, limit: &Limit, step: &PathStep) -> Option<f64> {
    measure::storage_server(case)
        .filter(|_| limit.quantity == metric::THROUGHPUT && measure::is_direct(case))?;
    let own = measure::of_load(measure::profile(case), &case.loads.main.estimates)?;
    let all = own.and(measure::company(case));
    let passes = match limit.direction {
        Some(direction) => all.of(Some(direction)),
        None => all.read.max(all.written),
    };
    (passes > 0.0).then_some(passes * step.amplification)
}

/// What to hold a demand against, and where that is known from. What payload gets
/// of an interface goes by the packets that the trial made: by its MTU and the
/// segments of TCP (`mss`, options taken off), or by its datagrams; not by those of
/// TCP at the MTU that the interface had when the machine was described. A limit of each
/// connection is one of all of them together.
pub(super) fn bound(case: &CaseResult, machine: &Machine, limit: &Limit, end: End) -> Option<(f64, String)> {
    let (rate, source) = of_packets(case, machine, limit, end)?;
    Some((rate * connections(case, limit).unwrap_or(1) as f64, source))
}

/// How many connections send in a case, where a limit is of each of them.
pub(super) fn connections(case: &CaseResult, limit: &Limit) -> Option<u64> {
    (limit.scope == LimitScope::EachFlow).then(|| measure::sending(case))
}

/// From so many times for each packet that it sends on, a queueing discipline holds packets back.
pub(super) const HELD: f64 = 0.01;

/// Whether a limit of a part of the packets may be that of the load's: the queueing discipline held packets back, and the load
/// has just as much as it lets through. Of one that has room nobody knows whether it is passed at all.
pub(super) fn may_hold(case: &CaseResult, limit: &Limit, (demand, bound): (f64, f64), end: End) -> bool {
    let held = |trial: &Trial| {
        let times = end.change(trial, &limit.resource, "qdisc_overlimits")?;
        Some(times / end.change(trial, &limit.resource, "tx_packets").filter(|sent| *sent > 0.0)?)
    };
    limit.scope != LimitScope::Part
        || REACHED.contains(&(demand / bound))
            && measure::median(case, held).is_some_and(|times| times >= HELD)
}

/// A rate of a class is had where so much of it is.
const REACHED: RangeInclusive<f64> = 0.95..=1.02;

fn of_packets(case: &CaseResult, machine: &Machine, limit: &Limit, end: End) -> Option<(f64, String)> {
    let known = limit.bound()?;
    if let Some(member) = one_member(case, machine, &limit.resource, end).filter(|_| is_link(limit)) {
        let of_link = (member.bound()?, member.known_from());
        let (rate, source) = by_trial(case, machine, member, end).unwrap_or(of_link);
        return Some((rate, format!("{source}; of the bond it takes one member")));
    }
    Some(by_trial(case, machine, limit, end).unwrap_or_else(|| (known, limit.known_from())))
}

fn is_link(limit: &Limit) -> bool {
    limit.kind == LimitKind::Link && limit.quantity == metric::THROUGHPUT
}

fn by_trial(case: &CaseResult, machine: &Machine, limit: &Limit, end: End) -> Option<(f64, String)> {
    let name = limit.resource.named(ResourceKind::Nic)?;
    let then = f64::from(machine.inventory.network.iter().find(|n| n.name == name)?.mtu);
    let (line, effective) = (limit.line?, limit.effective?);
    let trial = measure::good(case).next()?;
    let mtu = end.number(trial, fact::INTERFACE_MTU).unwrap_or(then);
    // What counts beside a packet, by who limits, was reckoned with the heads of
    // then (machine::limit, network links).
    let heads = heads(limit);
    let around = line * (then - heads) / effective - then;
    if measure::profile(case).transport == Some(Transport::Udp) {
        let payload = measure::sender(case).number(trial, fact::DATAGRAM)?;
        let is_v6 = end.fact(trial, fact::REMOTE_ADDRESS).is_some_and(|a| a.to_string().contains(':'));
        let all = datagram_bytes(payload, mtu, around, is_v6);
        let bound = Some(line * payload / all).filter(|b| b.is_finite() && *b > 0.0)?;
        let link = &limit.source;
        let family = if is_v6 { "IPv6" } else { "IPv4" };
        return Some((
            bound,
            format!("{link}; payload of UDP over {family} in datagrams of {payload:.0} bytes"),
        ));
    }
    let mss = measure::sender(case).number(trial, fact::MSS)?;
    // IPv6 has 20 bytes more of head, and timestamps may be off.
    if (mtu, mss) == (then, then - heads) {
        return None;
    }
    let bound = Some(line * mss / (mtu + around)).filter(|b| b.is_finite() && *b > 0.0)?;
    Some((
        bound,
        format!("{}; in the trial the MTU was {mtu:.0}, and a segment {mss:.0} bytes", limit.known_from()),
    ))
}

/// With what heads the limit was reckoned: a bound with the least, beside which stands
/// what is usual; a shaper's rate, and all of older documents, with timestamps.
fn heads(limit: &Limit) -> f64 {
    if limit.usual.is_empty() { HEADS + TIMESTAMPS } else { HEADS }
}

/// Bytes of the head of UDP (RFC 768), of IPv4 (RFC 791), of IPv6 and of its
/// fragments (RFC 8200).
const UDP: f64 = 8.0;
const IPV4: f64 = 20.0;
const IPV6: f64 = 40.0;
const IPV6_FRAGMENT: f64 = 8.0;
/// The least that an Ethernet frame holds (IEEE 802.3); shorter ones are filled up.
const FRAME_LEAST: f64 = 46.0;
/// So much around a packet is the wire's, which has gaps and preambles; a queueing
/// discipline counts the head alone.
const WIRE_LEAST: f64 = 38.0;

/// Bytes that a datagram with so much payload takes of a limit that counts `around`
/// beside each packet. One that is larger than the MTU goes in fragments, of which
/// all but the last hold a multiple of 8 bytes.
fn datagram_bytes(payload: f64, mtu: f64, around: f64, is_v6: bool) -> f64 {
    let head = if is_v6 { IPV6 } else { IPV4 };
    let data = payload + UDP;
    if head + data <= mtu {
        let least = if around >= WIRE_LEAST - 0.5 { FRAME_LEAST } else { 0.0 };
        return (head + data).max(least) + around;
    }
    let head = if is_v6 { IPV6 + IPV6_FRAGMENT } else { head };
    let each = ((mtu - head) / 8.0).floor() * 8.0;
    data + (data / each).ceil() * (head + around)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::utilization::of_case;
    use crate::validity::fixture;
    use model::limit::UsualRange;
    use model::profile::{Flow, FlowUnit, OperationClass, Peer};
    use model::{Better, Resource, ResourceKind, Unit};

    /// A machine with an interface of 10 Gbit/s at an MTU of 1500.
    fn ten_gigabit() -> Machine {
        let mut machine = Machine::default();
        let nic = model::machine::NetworkInterface { name: "eth0".into(), mtu: 1500, ..Default::default() };
        machine.inventory.network.push(nic);
        machine.limits.push(Limit {
            resource: Resource::of(ResourceKind::Nic, "eth0"),
            quantity: metric::THROUGHPUT,
            direction: None,
            kind: LimitKind::Link,
            line: Some(1.25e9),
            effective: Some(1.25e9 * 1448.0 / 1538.0),
            unit: Unit::BytesPerSecond,
            block_bytes: None,
            access: None,
            chipset: None,
            promise: None,
            allowance: None,
            scope: model::limit::LimitScope::All,
            payload: None,
            usual: Vec::new(),
            source: "link at 10 Gbit/s".to_owned(),
        });
        machine
    }

    #[test]
    fn what_payload_gets_of_a_link_goes_by_the_mtu_of_the_trial() {
        // 10 GbE: 9.41 Gbit/s at an MTU of 1500, 9.90 at 9000.
        let machine = ten_gigabit();
        let mut case = fixture::case(1);
        fixture::workload(&mut case, "net.stream");
        fixture::set(&mut case, "direction", "send");
        case.path = vec![PathStep { resource: Resource::of(ResourceKind::Nic, "eth0"), amplification: 1.0 }];
        let estimate = fixture::estimate(9.41e9 / 8.0, Unit::BytesPerSecond, Better::Higher);
        case.loads.main.estimates.insert(metric::THROUGHPUT, estimate);
        let fraction = |mtu: u64, mss: u64| {
            let mut case = case.clone();
            let facts = &mut case.trials[0].result.main_mut().facts;
            facts.insert(fact::INTERFACE_MTU, mtu.into());
            facts.insert(fact::MSS, mss.into());
            of_case(&case, &machine).into_iter().find(|u| u.resource.as_str() == "nic:eth0").unwrap().fraction
        };
        assert!((fraction(1500, 1448) - 1.0).abs() < 0.001);
        assert!((fraction(9000, 8948) - 9.41 / 9.90).abs() < 0.001, "{}", fraction(9000, 8948));
        // Over IPv6 the same figure is more of what there is.
        assert!((fraction(1500, 1428) - 9.41e9 / (1e10 * 1428.0 / 1538.0)).abs() < 1e-6);
    }

    /// A limit that has what is usual beside it was reckoned without timestamps.
    #[test]
    fn a_trials_segments_give_the_bound_whatever_the_limit_was_reckoned_with() {
        let mut machine = Machine::default();
        let nic = model::machine::NetworkInterface { name: "eth0".into(), mtu: 1500, ..Default::default() };
        machine.inventory.network.push(nic);
        let (least, most) = (1.25e9 * 1428.0 / 1538.0, 1.25e9 * 1460.0 / 1538.0);
        let (resource, unit) = (Resource::of(ResourceKind::Nic, "eth0"), Unit::BytesPerSecond);
        let link = Limit::new(resource.clone(), metric::THROUGHPUT, unit, LimitKind::Link, String::new());
        machine.limits.push(Limit {
            line: Some(1.25e9),
            effective: Some(most),
            usual: vec![UsualRange { direction: None, least, most }],
            ..link
        });
        let mut case = fixture::case(1);
        fixture::workload(&mut case, "net.stream");
        fixture::set(&mut case, "direction", "send");
        case.path = vec![PathStep { resource, amplification: 1.0 }];
        let full = fixture::estimate(1.25e9 * 1448.0 / 1538.0, unit, Better::Higher);
        case.loads.main.estimates.insert(metric::THROUGHPUT, full);
        let of_nic = |case: &CaseResult| of_case(case, &machine).remove(0);
        // Nothing is known of its segments.
        let used = of_nic(&case);
        assert!((used.limit - most).abs() < 1.0 && used.usual.is_some(), "{used:?}");
        let facts = &mut case.trials[0].result.main_mut().facts;
        facts.insert(fact::INTERFACE_MTU, 1500_u64.into());
        facts.insert(fact::MSS, 1448_u64.into());
        let used = of_nic(&case);
        assert!((used.fraction - 1.0).abs() < 1e-9 && used.usual.is_none(), "{used:?}");
    }

    #[test]
    fn an_interface_carries_the_storage_that_a_server_has() {
        let mut machine = Machine::default();
        let (resource, unit) = (Resource::of(ResourceKind::Nic, "eth0"), Unit::BytesPerSecond);
        let link = Limit::new(resource.clone(), metric::THROUGHPUT, unit, LimitKind::Link, String::new());
        machine.limits.push(Limit { line: Some(125e6), effective: Some(118e6), ..link });
        let server = Resource::of(ResourceKind::Server, "10.0.0.3");
        let path = |resources: &[&Resource]| -> Vec<PathStep> {
            let step = |resource: &&Resource| PathStep { resource: (*resource).clone(), amplification: 1.0 };
            resources.iter().map(step).collect()
        };
        let share = |case: &CaseResult| {
            let used = of_case(case, &machine).into_iter().find(|used| used.resource == resource);
            used.map(|used| used.fraction)
        };
        let mut case = fixture::disk_case("read", 116.82e6, 116.82e6);
        let estimate = fixture::estimate(116.82e6, unit, Better::Higher);
        case.loads.main.estimates.insert(metric::THROUGHPUT, estimate);
        case.path = path(&[&resource, &server]);
        assert!(share(&case).is_some_and(|share| (share - 0.99).abs() < 1e-9), "{:?}", share(&case));
        // The server of a load has nothing of its storage.
        case.path = path(&[&server, &resource]);
        assert_eq!(share(&case), None);
        case.path = path(&[&resource, &server]);
        fixture::set(&mut case, "direct", false);
        assert_eq!(share(&case), None);
    }

    /// What is used of an imposed rate of 1 Gbit/s with this scope by so many streams that send 480 MB/s together, while the
    /// queueing discipline holds packets back so often for 1000 that it sends.
    fn of_scope(scope: LimitScope, streams: u64, held: u64) -> Option<Utilization> {
        let mut machine = Machine::default();
        let (resource, unit) = (Resource::of(ResourceKind::Nic, "eth0"), Unit::BytesPerSecond);
        let quota = Limit::new(resource.clone(), metric::THROUGHPUT, unit, LimitKind::Quota, String::new());
        let direction = Some(Direction::Write);
        machine.limits.push(Limit { direction, scope, line: Some(125e6), effective: Some(120e6), ..quota });
        let mut case = fixture::case(1);
        fixture::workload(&mut case, "net.stream");
        fixture::set(&mut case, "direction", "send");
        fixture::set(&mut case, "streams", streams);
        case.path = vec![PathStep { resource: resource.clone(), amplification: 1.0 }];
        let estimate = fixture::estimate(if streams > 1 { 480e6 } else { 120e6 }, unit, Better::Higher);
        case.loads.main.estimates.insert(metric::THROUGHPUT, estimate);
        let count = |name: &str, count| {
            fixture::counter(resource.clone(), &format!("rtnetlink(7) {name}"), 1.0, count)
        };
        let counters = vec![count("qdisc_overlimits", held), count("tx_packets", 1000)];
        case.trials[0].result.local_mut().counters = counters;
        of_case(&case, &machine).into_iter().find(|used| used.resource == resource)
    }

    /// Bug: what fq lets each connection have was held against nothing.
    #[test]
    fn a_limit_of_each_connection_is_one_of_all_of_them_together() {
        let used = of_scope(LimitScope::EachFlow, 4, 0).unwrap();
        assert_eq!((used.flows, used.limit), (Some(4), 480e6));
        assert!((used.fraction - 1.0).abs() < 1e-9, "{used:?}");
        let whole = of_scope(LimitScope::All, 4, 0).unwrap();
        assert_eq!((whole.flows, whole.limit), (None, 120e6));
    }

    #[test]
    fn a_limit_of_a_part_counts_where_it_is_reached_and_packets_were_held_back() {
        assert!(of_scope(LimitScope::Part, 1, 400).is_some());
        assert!(of_scope(LimitScope::Part, 1, 0).is_none(), "it held nothing back");
        assert!(of_scope(LimitScope::Part, 4, 400).is_none(), "the load passes another class");
    }

    /// Bug: of requests whose answers are large nobody knew how much of a link they take, and the server was blamed.
    #[test]
    fn requests_of_unknown_size_take_of_a_link_what_it_counted() {
        let mut machine = Machine::default();
        let (resource, unit) = (Resource::of(ResourceKind::Nic, "eth0"), Unit::BytesPerSecond);
        let link = Limit::new(resource.clone(), metric::THROUGHPUT, unit, LimitKind::Link, String::new());
        machine.limits.push(Limit { line: Some(125e6), effective: Some(117.7e6), ..link });
        let mut case = fixture::case(3);
        let profile = &mut case.loads.main.profile;
        profile.flows = vec![Flow::only(OperationClass::Exchange, FlowUnit::Operations)];
        profile.peer = Some(Peer::AnotherProgram);
        case.path = vec![PathStep { resource: resource.clone(), amplification: 1.0 }];
        let share = |case: &CaseResult| of_case(case, &machine).first().map(|used| used.fraction);
        assert_eq!(share(&case), None, "nobody counted");
        for trial in &mut case.trials {
            for (name, steps) in [
                ("rx_bytes", 123_060_000),
                ("rx_packets", 81_300),
                ("tx_bytes", 3_000_000),
                ("tx_packets", 40_000),
            ] {
                let counter =
                    fixture::counter(resource.clone(), &format!("/proc/net/dev {name}"), 1.0, steps);
                trial.result.local_mut().counters.push(counter);
            }
        }
        assert!(share(&case).is_some_and(|share| (share - 1.0).abs() < 1e-3), "{:?}", share(&case));
        machine.limits[0].direction = Some(Direction::Write);
        let sent = of_case(&case, &machine)[0].demand;
        // With what is around 40,000 frames.
        assert!((sent / (3.96e6 * 117.7 / 125.0) - 1.0).abs() < 1e-6, "{sent}");
    }

    #[test]
    fn a_datagram_takes_its_own_heads_of_a_link() {
        let wire = |payload: f64, mtu: f64| datagram_bytes(payload, mtu, 38.0, false);
        // 10 GbE carries 9.57 Gbit/s of whole datagrams, 9.44 over IPv6.
        assert_eq!(wire(1472.0, 1500.0), 1538.0);
        assert_eq!(datagram_bytes(1452.0, 1500.0, 38.0, true), 1538.0);
        // TBF counts 14 bytes, and fills nothing up.
        assert_eq!(datagram_bytes(1472.0, 1500.0, 14.0, false), 1514.0);
        assert_eq!((wire(1.0, 1500.0), datagram_bytes(1.0, 1500.0, 14.0, false)), (84.0, 43.0));
        // 8 KiB are six fragments of up to 1480 bytes, over IPv6 of up to 1448.
        assert_eq!(wire(8192.0, 1500.0), 8200.0 + 6.0 * 58.0);
        assert_eq!(datagram_bytes(8192.0, 1500.0, 38.0, true), 8200.0 + 6.0 * 86.0);
    }

    #[test]
    fn datagrams_are_not_held_against_what_tcp_would_get() {
        let machine = ten_gigabit();
        let mut case = fixture::case(1);
        fixture::workload(&mut case, "net.stream");
        for (name, value) in [("direction", "send"), ("protocol", "udp")] {
            fixture::set(&mut case, name, value);
        }
        case.path = vec![PathStep { resource: Resource::of(ResourceKind::Nic, "eth0"), amplification: 1.0 }];
        let full = fixture::estimate(1.25e9 * 1472.0 / 1538.0, Unit::BytesPerSecond, Better::Higher);
        case.loads.main.estimates.insert(metric::THROUGHPUT, full);
        let facts = &mut case.trials[0].result.main_mut().facts;
        facts.insert(fact::DATAGRAM, 1472_u64.into());
        facts.insert(fact::REMOTE_ADDRESS, "10.0.0.2".into());
        let used = of_case(&case, &machine).into_iter().find(|u| u.resource.as_str() == "nic:eth0").unwrap();
        assert!((used.fraction - 1.0).abs() < 1e-9, "{used:?}");
        assert_eq!(used.source, "link at 10 Gbit/s; payload of UDP over IPv4 in datagrams of 1472 bytes");
    }
}
