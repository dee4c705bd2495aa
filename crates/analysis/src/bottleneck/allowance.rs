//! What a provider held back of a rented machine, by counters that say so: packets that
//! it queued or dropped for being more than the instance may have (the ENA driver of
//! Amazon, `ethtool -S`), and how long a volume was asked for more than it or the
//! instance may have (the statistics of EBS).

use model::finding::{Evidence, Place};
use model::limit::Direction;
use model::profile::OperationClass;
use model::run::{CaseResult, Utilization};
use model::trial::Trial;
use model::{Resource, ResourceKind, Severity, fact};

use super::{Verdict, finding};
use crate::Context;
use crate::measure::{self, End};

/// Of the packets that passed, from this share on it is felt that others were held back,
/// as with packets that were dropped.
const PACKETS_FELT: f64 = 0.001;
/// From this share of the window on it is felt that a volume was asked for too much.
const TIME_FELT: f64 = 0.05;

/// What a counter counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Counts {
    /// Packets that came in.
    Received,
    /// Packets that went out.
    Sent,
    /// Packets of both ways.
    Packets,
    /// Packets of connections that could not be tracked.
    Untracked,
    /// Time, of a block device.
    Time,
}

/// A counter of what was held back.
struct HeldBack {
    /// The counter, by the driver's name.
    counter: &'static str,
    counts: Counts,
    /// What there was too much of, as the findings of all languages call it.
    allowance: &'static str,
}

/// "Monitor network performance for your EC2 instance" and "Amazon EBS detailed
/// performance statistics" in Amazon's user guides.
const COUNTERS: &[HeldBack] = &[
    held_back("bw_in_allowance_exceeded", Counts::Received, "bytes-in"),
    held_back("bw_out_allowance_exceeded", Counts::Sent, "bytes-out"),
    held_back("pps_allowance_exceeded", Counts::Packets, "packets"),
    held_back("conntrack_allowance_exceeded", Counts::Untracked, "tracked"),
    held_back("ebs_volume_performance_exceeded_iops", Counts::Time, "volume-operations"),
    held_back("ebs_volume_performance_exceeded_tp", Counts::Time, "volume-bytes"),
    held_back("ec2_instance_ebs_performance_exceeded_iops", Counts::Time, "instance-operations"),
    held_back("ec2_instance_ebs_performance_exceeded_tp", Counts::Time, "instance-bytes"),
];

const fn held_back(counter: &'static str, counts: Counts, allowance: &'static str) -> HeldBack {
    HeldBack { counter, counts, allowance }
}

impl HeldBack {
    /// Whether what it counts is on the way of the load's data at an end.
    fn is_on_way(&self, case: &CaseResult, end: End) -> bool {
        let sends = measure::way(case).map(|way| (way == Direction::Write) != end.answers());
        match self.counts {
            Counts::Received => sends != Some(true),
            Counts::Sent => sends != Some(false),
            Counts::Untracked => measure::does(case, OperationClass::Connect),
            Counts::Packets | Counts::Time => true,
        }
    }

    /// From which share on it is felt.
    fn felt(&self) -> f64 {
        if self.counts == Counts::Time { TIME_FELT } else { PACKETS_FELT }
    }
}

pub(super) const ENGLISH: &str = r#"
finding-allowance-exceeded =
    the provider holds this back: { $allowance ->
        [bytes-in] more comes in through { RESOURCE($resource) }{ of-end } than the instance may have
        [bytes-out] more goes out through { RESOURCE($resource) }{ of-end } than the instance may have
        [packets] more packets pass { RESOURCE($resource) }{ of-end } than the instance may have
        [tracked] more connections pass { RESOURCE($resource) }{ of-end } than are tracked for the instance
        [volume-operations] { RESOURCE($resource) } is asked for more operations than the volume may have
        [volume-bytes] { RESOURCE($resource) } is asked for more bytes than the volume may have
        [instance-operations] { RESOURCE($resource) } is asked for more operations than the instance may have
       *[instance-bytes] { RESOURCE($resource) } is asked for more bytes than the instance may have
    }, by its counter in { $trials } of { $of } trials
    .advice =
        { $allowance ->
            [bytes-in] a larger instance type is allowed more; after a rest it may have credits again; one TCP flow alone
                has at most 5 Gbit/s (10 within a placement group), several have more
            [bytes-out] a larger instance type is allowed more; after a rest it may have credits again; one TCP flow alone
                has at most 5 Gbit/s (10 within a placement group), several have more
            [packets] larger packets, or a larger instance type
            [tracked] fewer connections at once, or a larger instance type
            [volume-operations] a volume that was bought with more operations
            [volume-bytes] a volume that was bought with more throughput
           *[other] a larger instance type is allowed more; after a rest it may have credits again
        }

evidence-allowance-packets = { RESOURCE($resource) }: { FIXED($count) } packets queued or dropped in one window
evidence-allowance-time = { RESOURCE($resource) }: { SHORT($exceeded_s, unit: "s") } of one window above it
"#;

/// What the good trials say of one counter of one resource.
struct Seen {
    end: End,
    of: &'static HeldBack,
    resource: Resource,
    /// Those in which it was felt.
    trials: usize,
    /// The one in which it was felt most.
    worst: Growth,
}

/// How far a counter went in one trial.
struct Growth {
    /// In packets or seconds.
    change: f64,
    /// Of the packets that passed, or of the time.
    share: f64,
    source: String,
}

pub(super) fn examine(case: &CaseResult, _context: &Context<'_>) -> Verdict {
    let ends = measure::counted_ends(case);
    let all = ends.iter().flat_map(|end| COUNTERS.iter().flat_map(move |of| seen(case, *end, of)));
    let order = |a: &Seen, b: &Seen| a.trials.cmp(&b.trials).then(a.worst.share.total_cmp(&b.worst.share));
    let Some(worst) = all.max_by(order) else { return Verdict::Elsewhere };
    let good = measure::good(case).count();
    let evidence = evidence(&worst);
    if worst.trials == 0 || worst.trials * 2 < good {
        return Verdict::Free(evidence);
    }
    Verdict::Full(Box::new(
        finding("allowance-exceeded", Severity::Warning)
            .on(worst.resource)
            .arg("allowance", worst.of.allowance)
            .arg("trials", worst.trials as u64)
            .arg("of", good as u64)
            .arg("end", worst.end.word())
            .arg("machine", worst.end.machine(case).unwrap_or_default())
            .because(evidence),
    ))
}

/// Whether anybody counts what is held back of the resource of a limit: then that
/// decides, and no published figure does.
pub(super) fn is_counted(case: &CaseResult, used: &Utilization) -> bool {
    let end = if used.machine.is_some() { End::Answers } else { End::Drives };
    let has = |trial: &Trial, of: &HeldBack| {
        measure::named(end.counters(trial), &used.resource, of.counter).is_some()
    };
    measure::good(case).any(|trial| COUNTERS.iter().any(|of| has(trial, of)))
}

/// What a counter says of each resource on the path that has it.
fn seen(case: &CaseResult, end: End, of: &'static HeldBack) -> Vec<Seen> {
    let mut found: Vec<Seen> = Vec::new();
    for trial in measure::good(case).filter(|_| of.is_on_way(case, end)) {
        for resource in resources(case, trial, end, of.counts) {
            let Some(growth) = growth(trial, end, of, &resource) else { continue };
            let trials = usize::from(growth.share >= of.felt());
            match found.iter_mut().find(|seen| seen.resource == resource) {
                None => found.push(Seen { end, of, resource, trials, worst: growth }),
                Some(seen) => {
                    seen.trials += trials;
                    if growth.share > seen.worst.share {
                        seen.worst = growth;
                    }
                }
            }
        }
    }
    found
}

/// Absent where the counter, or what it is a share of, was not read.
fn growth(trial: &Trial, end: End, of: &HeldBack, resource: &Resource) -> Option<Growth> {
    let counter = measure::named(end.counters(trial), resource, of.counter)?;
    let change = counter.change()?;
    let all = match of.counts {
        Counts::Time => counter.seconds(),
        _ => end.change(trial, resource, "rx_packets")? + end.change(trial, resource, "tx_packets")?,
    };
    let share = if all > 0.0 { change / all } else { 0.0 };
    Some(Growth { change, share, source: counter.source.clone() })
}

/// What the data passes at an end that may have such a counter. The path is that of the
/// end that drives.
fn resources(case: &CaseResult, trial: &Trial, end: End, counts: Counts) -> Vec<Resource> {
    if counts != Counts::Time {
        let interface = end.fact(trial, fact::INTERFACE);
        return interface.map(|name| Resource::of(ResourceKind::Nic, name)).into_iter().collect();
    }
    let steps = case.path.iter().filter(|_| !end.answers());
    steps.map(|step| &step.resource).filter(|r| r.is_named(ResourceKind::Block)).cloned().collect()
}

fn evidence(seen: &Seen) -> Evidence {
    let place = Place::Counter { resource: seen.resource.clone(), source: seen.worst.source.clone() };
    let (code, argument) = match seen.of.counts {
        Counts::Time => ("allowance-time", "exceeded_s"),
        _ => ("allowance-packets", "count"),
    };
    Evidence::at(code, place).arg("resource", seen.resource.as_str()).arg(argument, seen.worst.change)
}

#[cfg(test)]
mod tests {
    use model::resource::PathStep;
    use model::trial::Counter;
    use model::{Better, Finding, Unit, Value, metric};

    use super::super::tests::{disk, verdict};
    use super::*;
    use crate::validity::fixture;

    /// A load with another machine over `ens5`, in so many trials, each of 100,000 packets.
    fn load(workload: &str, direction: &str, trials: u32) -> CaseResult {
        let mut case = fixture::case(trials);
        fixture::workload(&mut case, workload);
        fixture::set(&mut case, "peer", "10.0.0.2:7117");
        fixture::set(&mut case, "direction", direction);
        let estimate = fixture::estimate(62e6, Unit::BytesPerSecond, Better::Higher);
        case.loads.main.estimates.insert(metric::THROUGHPUT, estimate);
        case.path = vec![PathStep { resource: Resource::from("nic:ens5"), amplification: 1.0 }];
        for trial in &mut case.trials {
            trial.result.main_mut().facts.insert(fact::INTERFACE, "ens5".into());
        }
        case
    }

    /// A counter, among 100,000 packets that passed.
    fn packets(resource: &str, name: &str, count: u64) -> Vec<Counter> {
        let passed = [("rx_packets", 30_000), ("tx_packets", 70_000), (name, count)];
        passed.map(|(n, c)| fixture::counter(resource, &format!("ethtool(8) {n}"), 1.0, c)).to_vec()
    }

    /// The case with trials in which `name` counted so many packets.
    fn counted(workload: &str, direction: &str, name: &str, counts: &[u64]) -> CaseResult {
        let mut case = load(workload, direction, counts.len() as u32);
        for (trial, count) in case.trials.iter_mut().zip(counts) {
            trial.result.local_mut().counters = packets("nic:ens5", name, *count);
        }
        case
    }

    fn is_ruled_out(found: &Finding, code: &str) -> bool {
        found.code != "allowance-exceeded" && found.ruled_out.iter().any(|e| e.code == code)
    }

    #[test]
    fn a_counter_that_grew_in_half_of_the_trials_names_its_allowance() {
        for (workload, direction, name, allowance, says) in [
            ("net.stream", "receive", "bw_in_allowance_exceeded", "bytes-in", "comes in through network"),
            ("net.stream", "send", "bw_out_allowance_exceeded", "bytes-out", "goes out through network"),
            ("net.stream", "send", "pps_allowance_exceeded", "packets", "more packets pass network"),
            ("net.connect", "send", "conntrack_allowance_exceeded", "tracked", "than are tracked for"),
        ] {
            let found = verdict(&[counted(workload, direction, name, &[0, 200, 900, 0])]);
            assert_eq!(found.code, "allowance-exceeded");
            assert_eq!(found.resource.as_ref().map(Resource::as_str), Some("nic:ens5"));
            assert_eq!(found.args["allowance"], Value::from(allowance));
            assert!(found.text.contains(says) && found.text.ends_with("in 2 of 4 trials"), "{}", found.text);
            let text = found.evidence[0].text.as_deref().unwrap();
            assert!(text.contains("900 packets queued or dropped"), "{text}");
            let advice = found.advice.as_deref().unwrap();
            assert_eq!(advice.contains("5 Gbit/s"), allowance.starts_with("bytes"), "{advice}");
        }
    }

    #[test]
    fn one_that_grew_in_fewer_is_ruled_out_and_another_interface_is_elsewhere() {
        for counts in [&[0, 0, 900][..], &[0, 0, 0]] {
            let case = counted("net.stream", "send", "bw_out_allowance_exceeded", counts);
            assert!(is_ruled_out(&verdict(&[case]), "allowance-packets"));
        }
        let mut case = load("net.stream", "send", 1);
        case.trials[0].result.local_mut().counters = packets("nic:ens6", "pps_allowance_exceeded", 900);
        let found = verdict(&[case]);
        assert!(!found.ruled_out.iter().any(|e| e.code == "allowance-packets"), "{found:?}");
    }

    /// Bug: one packet in half of the trials convicted the provider.
    #[test]
    fn a_few_packets_of_a_million_hold_nothing_back() {
        let mut case = counted("net.stream", "send", "pps_allowance_exceeded", &[5, 5]);
        for trial in &mut case.trials {
            trial.result.local_mut().counters[1].after = 1_000_000;
        }
        assert!(is_ruled_out(&verdict(&[case]), "allowance-packets"));
    }

    /// Bug: what came in besides counted against a load that sends, and the packets of
    /// others' connections against a stream.
    #[test]
    fn counters_off_the_way_of_the_data_say_nothing() {
        for (direction, name) in [
            ("send", "bw_in_allowance_exceeded"),
            ("receive", "bw_out_allowance_exceeded"),
            ("send", "conntrack_allowance_exceeded"),
        ] {
            let found = verdict(&[counted("net.stream", direction, name, &[900, 900])]);
            assert_ne!(found.code, "allowance-exceeded", "{name}");
            assert!(!found.ruled_out.iter().any(|e| e.code == "allowance-packets"), "{found:?}");
        }
        // Where data goes both ways, both are on it.
        for name in ["bw_in_allowance_exceeded", "bw_out_allowance_exceeded"] {
            let found = verdict(&[counted("net.stream", "both", name, &[900, 900])]);
            assert_eq!(found.code, "allowance-exceeded", "{name}");
        }
    }

    #[test]
    fn the_other_end_is_held_back_too_and_is_named() {
        let named = |name: &str| {
            let mut case = load("net.stream", "send", 1);
            fixture::far(&mut case).facts.insert(fact::INTERFACE, "eth0".into());
            fixture::far_machine(&mut case).counters = packets("nic:eth0", name, 500);
            verdict(&[case])
        };
        let found = named("bw_in_allowance_exceeded");
        assert_eq!(found.code, "allowance-exceeded");
        assert!(found.text.contains("through network interface eth0 of 10.0.0.2:7117"), "{}", found.text);
        assert_ne!(named("bw_out_allowance_exceeded").code, "allowance-exceeded", "it receives");
    }

    /// Reads of `sda` and `sdb` in three trials, in which each counted so many microseconds
    /// of one second.
    fn volumes(trials: [[u64; 2]; 3]) -> CaseResult {
        let mut case = disk(32, 3000.0, 10_000.0, 2.0);
        let names = ["block:sda", "block:sdb"];
        let step = |name: &str| PathStep { resource: Resource::from(name), amplification: 0.5 };
        case.path = names.map(step).to_vec();
        for (trial, times) in case.trials.iter_mut().zip(trials) {
            let source = "NVMe log page D0h ebs_volume_performance_exceeded_iops";
            let counters = names.into_iter().zip(times);
            let counters = counters.map(|(name, time)| fixture::counter(name, source, 1e-6, time));
            trial.result.local_mut().counters.extend(counters);
        }
        case
    }

    #[test]
    fn a_volume_says_for_how_long_it_was_asked_for_too_much() {
        let found = verdict(&[volumes([[800_000, 0]; 3])]);
        assert_eq!(
            found.text,
            "the provider holds this back: disk sda is asked for more operations than the volume may have, by its \
             counter in 3 of 3 trials"
        );
        assert!(found.evidence[0].text.as_deref().unwrap().contains("800 ms of one window"), "{found:?}");
        // Bug: so did a microsecond.
        assert!(is_ruled_out(&verdict(&[volumes([[50, 50]; 3])]), "allowance-time"));
    }

    /// Bug: trials of two volumes were added up.
    #[test]
    fn each_volume_has_trials_of_its_own() {
        let once = volumes([[800_000, 0], [0, 800_000], [0, 0]]);
        assert!(is_ruled_out(&verdict(&[once]), "allowance-time"));
        let found = verdict(&[volumes([[800_000, 0], [900_000, 60_000], [0, 70_000]])]);
        assert_eq!(found.args["trials"], Value::from(2_u64));
        assert_eq!(found.resource.as_ref().map(Resource::as_str), Some("block:sda"), "the greater share");
    }
}
