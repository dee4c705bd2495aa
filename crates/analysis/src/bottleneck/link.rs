//! A link that is full: between the device and the CPU, or to another machine.
//!
//! Each link of the path is judged by itself, for what is known wrongly of one, or not known, says nothing of the
//! others. An interface may be full of what others send: it counts all that passes, whoever's it is.

use language::format::Rates;
use model::finding::Evidence;
use model::limit::{Direction, LimitKind, UsualRange};
use model::profile::Transport;
use model::run::{CaseResult, Utilization};
use model::{Finding, Machine, Resource, ResourceKind, Severity, metric};

use super::pcie_state::{at_present_speed, fewer_lanes};
use super::{BEYOND, FULL, Verdict, end_of, finding, of_limit, share_of_full, shown};
use crate::measure::End;
use crate::utilization::bond::one_member;
use crate::{Context, measure};

/// Payload gets 76 to 94 % of a line rate, by packet size; above this share of
/// one nobody can say that there is room.
const LINE: f64 = 0.75;

/// More of a bound than this did not pass: no transfer exceeds one, but a clock may run
/// fast, and what was under way at both edges of a window is counted in one.
const BOUND: f64 = 1.05;

/// Of what passes a full interface the load has less than this, or nobody else's is worth naming: heads of packets,
/// which the interface counts too, are 5 % of it at an MTU of 1500.
pub(super) const NEARLY_ALL: f64 = 0.9;

pub(super) const ENGLISH: &str = r#"
finding-link-full =
    { $bound ->
        [storage] the network link to { RESOURCE($server) } is full:
            { SHORT($moved, unit: "B/s") } of { SHORT($bytes, unit: "B/s") } ({ PERCENT($fraction) } of the { SHORT($limit, $unit) } that payload can get of
            { RESOURCE($resource) }: { $source })
       *[other] { RESOURCE($resource) }{ of-end } { verb-is } full: { $shared ->
            [yes] { SHORT($carried, $unit) } pass it, heads of packets included, of which the load has { SHORT($own, $unit) };
                payload can get { SHORT($limit, $unit) }
           *[no] { PERCENT($fraction) } of { $bound ->
                [line] its line rate of { SHORT($limit, $unit) }
                [speed] the { SHORT($limit, $unit) } that payload can get at { SHORT($transfers) }T/s, the speed that it had
                    before the run; both its ends can do { SHORT($best_transfers) }T/s
                [range] the { SHORT($limit, $unit) } that payload can get at most, where { SHORT($least, $unit) } to
                    { SHORT($most, $unit) } are usual
               *[payload] the { SHORT($limit, $unit) } that payload can get
            }
        } ({ $source })
    }
    .advice =
        { $network ->
            [shared] stop what else sends over it, or measure when it does not
            [bond] more --streams use other members of the bond, where its hash tells them apart (xmit_hash_policy layer3+4)
            [speed] look at its speed under load (`cat /sys/bus/pci/devices/{ $name }/current_link_speed`); a card that is
                seated again, another slot or cable, or the firmware's settings may bring it back
            [yes] only a faster link can raise it, or larger packets, whose heads take less of it
           *[no] only a faster or wider link can raise it; a faster device behind it cannot
        }

evidence-link = { PERCENT($fraction) } of { RESOURCE($resource) }{ of-end }
evidence-link-carried = { SHORT($carried, $unit) } passed { RESOURCE($resource) }{ of-end }
evidence-link-beyond =
    { SHORT($demand, $unit) } would pass { RESOURCE($resource) }, { PERCENT($fraction) } of what it can, so something
    else answered or the path is another
evidence-link-line-rate =
    { RESOURCE($resource) } { verb-is } at { PERCENT($fraction) } of its line rate, and what payload can get of it is not known
evidence-link-range =
    { RESOURCE($resource) } { verb-is } at { PERCENT($fraction) } of what payload can get at most; a full one usually gives
    { SHORT($least, $unit) } to { SHORT($most, $unit) }, so whether it is full cannot be told
evidence-demand = the rate measured
"#;

pub(super) fn examine(case: &CaseResult, context: &Context<'_>) -> Verdict {
    // What memory modules carry is a link too, and judged with the memory.
    let links =
        case.utilization.iter().filter(|u| u.kind == LimitKind::Link && u.resource != Resource::MEMORY);
    let all: Vec<(&Utilization, LinkState)> = links.map(|used| (used, LinkState::of(case, used))).collect();
    // Of two that are as full the nearer one, which stands first.
    let fullest = all.iter().rev().max_by(|(a, of_a), (b, of_b)| {
        of_a.rank().cmp(&of_b.rank()).then(share_of_full(a).total_cmp(&share_of_full(b)))
    });
    let Some((fullest, state)) = fullest.copied() else { return Verdict::Elsewhere };
    match state {
        LinkState::Full => {
            let is_other = |one: &&(&Utilization, LinkState)| {
                matches!(one.1, LinkState::Full) && !std::ptr::eq(one.0, fullest)
            };
            let others = all.iter().filter(is_other);
            let others = others.map(|(used, _)| Evidence { beside: true, ..of_limit(used, "link") });
            let lanes = context.machine.and_then(|machine| fewer_lanes(fullest, machine));
            let lanes = lanes.map(|evidence| Evidence { beside: true, ..evidence });
            let found = full(case, fullest).because_all(others).because_all(lanes);
            let is_bond = is_member(case, fullest, context);
            Verdict::Full(Box::new(if is_bond { found.arg("network", "bond") } else { found }))
        }
        LinkState::Shared(carried) => Verdict::Full(Box::new(shared(case, fullest, carried))),
        LinkState::Beyond => {
            let (demand, unit) = measure::written(fullest.demand, fullest.unit, &fullest.resource);
            let missing = of_limit(fullest, "link-beyond").arg("demand", demand);
            Verdict::Unknown(missing.arg("unit", unit))
        }
        LinkState::Range(range) => {
            Verdict::Unknown(with_range(of_limit(fullest, "link-range"), fullest, range))
        }
        LinkState::LineRate => Verdict::Unknown(of_limit(fullest, "link-line-rate")),
        LinkState::Free => {
            let slow = context.machine.and_then(|machine| slowed_down(case, machine));
            slow.map_or_else(
                || Verdict::Free(of_limit(fullest, "link")),
                |found| Verdict::Full(Box::new(found)),
            )
        }
    }
}

/// Whether a link of the path is full with what the load moves.
pub(super) fn is_full(case: &CaseResult) -> bool {
    let is_link = |used: &&Utilization| used.kind == LimitKind::Link && used.resource != Resource::MEMORY;
    case.utilization.iter().filter(is_link).any(|used| matches!(LinkState::of(case, used), LinkState::Full))
}

/// Whether what is full of a bond of this machine is the member that the streams take.
fn is_member(case: &CaseResult, used: &Utilization, context: &Context<'_>) -> bool {
    let here = context.machine.filter(|_| used.machine.is_none());
    here.is_some_and(|machine| one_member(case, machine, &used.resource, End::Drives).is_some())
}

/// A PCI Express link that is full at the speed that it was seen at, which is less than what both its ends can.
fn slowed_down(case: &CaseResult, machine: &Machine) -> Option<Finding> {
    let links = case.utilization.iter().filter(|used| used.kind == LimitKind::Link);
    let mut slow = links.filter_map(|used| at_present_speed(used, machine));
    let (used, speed) = slow.find(|(used, _)| matches!(LinkState::of(case, used), LinkState::Full))?;
    let found = full(case, &used).arg("bound", "speed").arg("network", "speed");
    let found = found.arg("transfers", speed.now).arg("best_transfers", speed.best);
    Some(found.arg("name", used.resource.name()).arg("source", "current_link_speed"))
}

/// What is known of a link.
#[derive(Clone, Copy, Debug)]
enum LinkState {
    /// It has room.
    Free,
    /// Of a line rate payload gets a share that nobody knows.
    LineRate,
    /// What passes it may be all that payload gets.
    Range(UsualRange),
    /// More than it can would pass it.
    Beyond,
    /// It is full with what others send over it: so many bytes in each second.
    Shared(f64),
    /// It is full.
    Full,
}

impl LinkState {
    fn of(case: &CaseResult, used: &Utilization) -> Self {
        // Where nothing is known to be usual, the limit was reckoned with packets that may be larger
        // than those there were.
        let beyond = if used.usual.is_some() { BOUND } else { BEYOND };
        if used.fraction > beyond {
            return Self::Beyond;
        }
        if share_of_full(used) >= FULL {
            return Self::Full;
        }
        if let Some(carried) = carried_for_others(case, used) {
            return Self::Shared(carried);
        }
        match used.usual {
            Some(range) if used.demand >= FULL * range.least => Self::Range(range),
            None if used.line_only && used.fraction > LINE => Self::LineRate,
            _ => Self::Free,
        }
    }

    /// What decides comes before what is not known, and that before what has room.
    fn rank(self) -> u8 {
        match self {
            Self::Free => 0,
            Self::LineRate | Self::Range(_) | Self::Beyond => 1,
            Self::Shared(_) => 2,
            Self::Full => 3,
        }
    }
}

/// What passed an interface in each second the way of the load's data, where that is all that it can carry and a good
/// part of it is not the load's.
fn carried_for_others(case: &CaseResult, used: &Utilization) -> Option<f64> {
    // What is lost behind it was sent all the same, and small datagrams are half heads.
    let is_udp = measure::profile(case).transport == Some(Transport::Udp);
    if is_udp || !used.resource.is_named(ResourceKind::Nic) {
        return None;
    }
    let carried = passed(case, &used.resource, end_of(used))?;
    // Heads of packets are counted too, so that one which is full counts more than payload can get.
    let is_full = carried >= used.limit && carried <= BEYOND * used.limit;
    (is_full && used.demand < NEARLY_ALL * carried).then_some(carried)
}

/// Bytes that passed an interface of an end in each second the way of the load's data, by its own count.
pub(super) fn passed(case: &CaseResult, interface: &Resource, end: End) -> Option<f64> {
    let counted = |name: &str| measure::median(case, |trial| end.rate(trial, interface, name));
    match measure::way(case).map(|way| (way == Direction::Write) != end.answers()) {
        Some(true) => counted("tx_bytes"),
        Some(false) => counted("rx_bytes"),
        None => [counted("rx_bytes"), counted("tx_bytes")].into_iter().flatten().reduce(f64::max),
    }
}

/// An interface that is full with what others send over it, too.
fn shared(case: &CaseResult, used: &Utilization, carried: f64) -> Finding {
    let written = |value| measure::written(value, used.unit, &used.resource);
    let (limit, unit) = written(used.limit);
    let evidence = of_limit(used, "link-carried").arg("carried", written(carried).0).arg("unit", unit);
    finding("link-full", Severity::Warning)
        .on(used.resource.clone())
        .arg("fraction", used.fraction)
        .arg("limit", limit)
        .arg("unit", unit)
        .arg("bound", if used.line_only { "line" } else { "payload" })
        .arg("source", used.source.as_str())
        // Journals and parity of storage are the load's own.
        .arg("network", if measure::storage_server(case).is_some() { "yes" } else { "shared" })
        .arg("shared", true)
        .arg("carried", written(carried).0)
        .arg("own", written(used.demand).0)
        .arg("end", end_of(used).word())
        .arg("machine", used.machine.as_deref().unwrap_or_default())
        .because(evidence)
        .because_all(demand(case))
}

/// The rate that asks for it. That of requests is told by the interface.
fn demand(case: &CaseResult) -> Option<Evidence> {
    let is_measured = case.loads.main.estimates.contains_key(&metric::THROUGHPUT);
    is_measured.then(|| shown("demand", metric::THROUGHPUT))
}

fn full(case: &CaseResult, used: &Utilization) -> Finding {
    let (limit, unit) = measure::written(used.limit, used.unit, &used.resource);
    let server = server_behind(case, used);
    let bound = match used.usual {
        _ if server.is_some() => "storage",
        Some(_) => "range",
        None if used.line_only => "line",
        None => "payload",
    };
    let is_network = Rates::of_resource(&used.resource) == Rates::Bits;
    let mut found = finding("link-full", Severity::Note)
        .on(used.resource.clone())
        .arg("fraction", used.fraction)
        .arg("limit", limit)
        .arg("unit", unit)
        .arg("bound", bound)
        .arg("source", used.source.as_str())
        .arg("network", is_network)
        .arg("shared", false)
        .arg("end", end_of(used).word())
        .arg("machine", used.machine.as_deref().unwrap_or_default());
    if let Some(range) = used.usual {
        let [(least, _), (most, _)] = ends(used, range);
        found = found.arg("least", least).arg("most", most);
    }
    if let Some(server) = server {
        // Storage is read in bytes, though its link is in bits.
        found = found.arg("server", server.as_str()).arg("moved", used.demand).arg("bytes", used.limit);
    }
    found.because(of_limit(used, "link")).because_all(demand(case))
}

/// The server of the storage that the case drives, where this is the interface towards it.
fn server_behind<'a>(case: &'a CaseResult, used: &Utilization) -> Option<&'a Resource> {
    let is_towards = used.machine.is_none() && used.resource.is_named(ResourceKind::Nic);
    let server = measure::storage_server(case).filter(|_| is_towards)?;
    case.path.get(server).map(|step| &step.resource)
}

/// Both ends of what is usual, in the unit that people read the resource in.
fn ends(used: &Utilization, range: UsualRange) -> [(f64, &'static str); 2] {
    [range.least, range.most].map(|value| measure::written(value, used.unit, &used.resource))
}

fn with_range(evidence: Evidence, used: &Utilization, range: UsualRange) -> Evidence {
    let [(least, unit), (most, _)] = ends(used, range);
    evidence.arg("least", least).arg("most", most).arg("unit", unit)
}

#[cfg(test)]
mod tests {
    use model::resource::PathStep;
    use model::{Better, Unit};

    use super::*;
    use crate::bottleneck::tests::{disk, used, verdict};
    use crate::validity::fixture;

    /// Study E's link: 5 GT/s x 2 lanes at a payload of 128 bytes, with a demand in B/s.
    fn study_e(demand: f64, direction: Direction) -> CaseResult {
        let (line, skips) = (1e9, 1534.0 / 1538.0);
        let least = match direction {
            Direction::Read => 128.0 / 152.0,
            Direction::Write => 64.0 / 86.0,
        };
        let limit = line * 128.0 / 148.0;
        let usual = UsualRange {
            direction: Some(direction),
            least: line * skips * least,
            most: line * skips * 128.0 / 148.0,
        };
        let mut case = disk(32, 100_000.0, 300.0, 2.0);
        let link = used("pci:0000:02:00.0", LimitKind::Link, demand / limit);
        case.utilization = vec![Utilization { demand, limit, usual: Some(usual), ..link }];
        case
    }

    /// Issue 25: a limit that was exceeded is none. Eight disks moved 865 MB/s.
    #[test]
    fn eight_disks_fill_study_es_link_and_do_not_pass_its_bound() {
        for direction in [Direction::Read, Direction::Write] {
            let found = verdict(&[study_e(865e6, direction)]);
            assert_eq!(found.code, "link-full", "{found:?}");
            let text = found.text;
            assert!(text.contains("100 % of the 864.9 MB/s that payload can get at most"), "{text}");
            assert!(text.contains("862.6 MB/s are usual"), "{text}");
        }
    }

    /// What a client of exported storage has of a link of 16 Mbit/s.
    fn exported(fraction: f64) -> CaseResult {
        let mut case = disk(32, 30.0, 300.0, 2.0);
        let step = |name: &str| PathStep { resource: Resource::from(name), amplification: 1.0 };
        case.path = ["block:sda", "nic:hr0a", "server:198.18.0.2", "block:md127"].map(step).to_vec();
        let link = used("nic:hr0a", LimitKind::Link, fraction);
        case.utilization = vec![Utilization { demand: fraction * 2e6, limit: 2e6, ..link }];
        case
    }

    #[test]
    fn the_link_to_a_server_of_storage_is_told_in_bytes() {
        let found = verdict(&[exported(0.95)]);
        assert_eq!((found.code.as_str(), found.args["bound"].to_string().as_str()), ("link-full", "storage"));
        assert_eq!(found.resource, Some(Resource::from("nic:hr0a")));
        assert!(
            found.text.contains("198.18.0.2 is full: 1.9 MB/s of 2 MB/s (95 % of the 16 Mbit/s"),
            "{}",
            found.text
        );
        assert_ne!(verdict(&[exported(0.6)]).code, "link-full");
    }

    #[test]
    fn within_the_range_nobody_can_tell_and_below_it_there_is_room() {
        let code = |demand, direction| {
            let found = verdict(&[study_e(demand, direction)]);
            assert_eq!(found.code, "cannot-tell", "{found:?}");
            let is = |code: &str| found.evidence.iter().chain(&found.ruled_out).any(|e| e.code == code);
            ["link-range", "link-beyond", "link"].into_iter().find(|&code| is(code)).unwrap()
        };
        assert_eq!(code(800e6, Direction::Read), "link-range");
        assert_eq!(code(572e6, Direction::Read), "link");
        // Completions may be of 64 bytes.
        assert_eq!(code(720e6, Direction::Write), "link-range");
        assert_eq!(code(720e6, Direction::Read), "link");
        assert_eq!(code(572e6, Direction::Write), "link");
        // Only what is beyond the bound is impossible.
        assert_eq!(code(920e6, Direction::Read), "link-beyond");
    }

    fn link(resource: &str, fraction: f64) -> Utilization {
        used(resource, LimitKind::Link, fraction)
    }

    /// Bug: of a link that is said to be passed nobody knew anything, and a full one behind it was not named.
    #[test]
    fn what_is_known_wrongly_of_one_link_hides_no_other() {
        let mut case = disk(32, 100_000.0, 300.0, 2.0);
        case.utilization = vec![link("pci:0000:01:00.0", 3.2), link("sata:sda", 0.97)];
        let found = verdict(&[case.clone()]);
        assert_eq!(found.resource.as_ref().map(Resource::as_str), Some("sata:sda"), "{found:?}");
        case.utilization[1].fraction = 0.5;
        assert!(verdict(&[case]).evidence.iter().any(|e| e.code == "link-beyond"));
    }

    /// Bug: a link with room was ruled out, and of one that may be full nothing was said.
    #[test]
    fn a_link_that_may_be_full_is_told_before_one_that_is_not() {
        let mut case = study_e(800e6, Direction::Read);
        case.utilization.insert(0, link("sata:sda", 0.94));
        let found = verdict(&[case]);
        assert!(found.evidence.iter().any(|e| e.code == "link-range"), "{found:?}");
    }

    #[test]
    fn of_two_interfaces_that_are_called_the_same_the_full_one_is_told_with_its_machine() {
        let mut case = disk(32, 100_000.0, 300.0, 2.0);
        let far = Utilization { machine: Some("10.0.0.2:7117".to_owned()), ..link("nic:eth0", 0.99) };
        case.utilization = vec![far, link("nic:eth0", 0.5)];
        let found = verdict(&[case.clone()]);
        assert_eq!((&found.args["end"], &found.args["machine"]), (&"far".into(), &"10.0.0.2:7117".into()));
        assert!(found.text.contains("eth0 of 10.0.0.2:7117 is full"), "{}", found.text);
        case.utilization.swap(0, 1);
        case.utilization[0].fraction = 0.97;
        case.utilization[1].fraction = 0.5;
        assert!(verdict(&[case]).text.contains("eth0 is full"));
    }

    #[test]
    fn two_links_that_are_full_are_both_told() {
        let mut case = disk(32, 100_000.0, 300.0, 2.0);
        case.utilization = vec![link("pci:0000:01:00.0", 0.99), link("sata:sda", 0.96)];
        let found = verdict(&[case]);
        assert_eq!(found.resource.as_ref().map(Resource::as_str), Some("pci:0000:01:00.0"));
        let beside: Vec<&str> =
            found.evidence.iter().filter(|e| e.beside).filter_map(|e| e.text.as_deref()).collect();
        assert_eq!(beside.len(), 1, "{found:?}");
        assert!(beside[0].starts_with("96 % of"), "{beside:?}");
    }

    /// A stream of so many bytes per second over an interface whose payload can have so many, and what that counted
    /// one way meanwhile.
    fn stream(protocol: &str, own: f64, limit: f64, (source, counted): (&str, u64)) -> Finding {
        let mut case = fixture::case(3);
        fixture::workload(&mut case, "net.stream");
        for (name, value) in [("direction", "send"), ("protocol", protocol), ("peer", "10.0.0.2:7117")] {
            fixture::set(&mut case, name, value);
        }
        let estimate = fixture::estimate(own, Unit::BytesPerSecond, Better::Higher);
        case.loads.main.estimates.insert(metric::THROUGHPUT, estimate);
        case.utilization =
            vec![Utilization { demand: own, limit, ..used("nic:eth0", LimitKind::Link, own / limit) }];
        count(&mut case, "nic:eth0", (source, counted));
        verdict(&[case])
    }

    /// Bytes that an interface counted in a second.
    fn count(case: &mut CaseResult, interface: &str, (source, bytes): (&str, u64)) {
        for trial in &mut case.trials {
            let counter = fixture::counter(interface, &format!("/proc/net/dev {source}"), 1.0, bytes);
            trial.result.local_mut().counters.push(counter);
        }
    }

    /// Bug: half of a link was ruled out, though others had the other half.
    #[test]
    fn an_interface_that_others_fill_too_is_full() {
        let found = |own: f64, counted: u64, source: &str| stream("tcp", own, 117.7e6, (source, counted));
        let full = found(60e6, 123_000_000, "tx_bytes");
        assert_eq!((full.code.as_str(), &full.args["shared"]), ("link-full", &true.into()));
        assert!(
            full.text.contains("984 Mbit/s pass it") && full.text.contains("480 Mbit/s"),
            "{}",
            full.text
        );
        assert!(full.advice.unwrap().starts_with("stop what else sends over it"));
        assert_ne!(found(60e6, 100_000_000, "tx_bytes").code, "link-full", "it has room");
        assert_ne!(found(60e6, 123_000_000, "rx_bytes").code, "link-full", "the other way");
        assert_ne!(found(60e6, 400_000_000, "tx_bytes").code, "link-full", "more than it can");
        // Alone it is full by itself.
        assert_eq!(found(117e6, 122_300_000, "tx_bytes").args["shared"], false.into());
    }

    /// Bug: datagrams of the load itself, which were lost behind the interface, and their heads were called another's.
    #[test]
    fn no_datagrams_of_the_load_are_called_another_s() {
        let found = |own: f64, limit: f64, counted: u64| stream("udp", own, limit, ("tx_bytes", counted));
        // At 1 Gbit/s 119.6 MB/s are sent in datagrams of 1,472 bytes, and half of them arrive.
        let lost = found(60e6, 119.6e6, 123_000_000);
        assert_eq!(lost.code, "cannot-tell", "{lost:?}");
        assert!(lost.evidence.iter().any(|e| e.code == "no-account-udp"), "{lost:?}");
        // In datagrams of 300 bytes 102.5 MB/s fit, and an eighth of what the interface counts is heads.
        assert_eq!(found(96.3e6, 102.5e6, 109_700_000).code, "cannot-tell");
        // What arrives may fill it as any other load does.
        assert_eq!(found(118e6, 119.6e6, 121_400_000).args["shared"], false.into());
    }

    /// Bug: over a full network to storage, the journal and the parity of the load itself were to be stopped.
    #[test]
    fn nobody_is_told_to_stop_what_storage_itself_sends() {
        let mut case = exported(0.6);
        count(&mut case, "nic:hr0a", ("tx_bytes", 2_050_000));
        let found = verdict(&[case]);
        assert_eq!((found.code.as_str(), &found.args["shared"]), ("link-full", &true.into()));
        let advice = found.advice.unwrap();
        assert!(advice.starts_with("only a faster link can raise it"), "{advice}");
    }
}
