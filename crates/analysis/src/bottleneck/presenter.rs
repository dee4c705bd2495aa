//! The node that presents what a load drives: its processors, by what it counted, and its device, by how many of the
//! operations that this machine has under way are there (Little's law at both ends). What is neither there nor computed is on
//! the way.

use model::finding::{Evidence, Place};
use model::run::CaseResult;
use model::{Finding, Resource, Severity, fact};

use super::network::DECIDES;
use super::{FULL, Verdict, finding};
use crate::{Context, measure};

pub(super) const ENGLISH: &str = r#"
finding-presenter-cpu-full =
    the processors of { $machine }, which presents the disk, hold this back: { $how ->
        [thread] one thread of its kernel, { $name }, computes { PERCENT($share) } of the time
       *[all] all of them together are busy { PERCENT($share) } of the time
    }
    .advice =
        { $how ->
            [thread] several disks with a session each, or a target with more threads (nvme-tcp), use more of its CPUs
           *[all] more or faster CPUs there, or layers below the target that compute less, leave more for it
        }

finding-presenter-device-bound =
    the device { $device } of { $machine }, which presents the disk, holds this back: of { FIXED($under_way, decimals: 1) }
    operations under way { FIXED($there, decimals: 1) } are at it in the mean
    .advice =
        headroom run disk on that machine shows what the device can do alone; a faster device there gives more, a faster
        network does not

evidence-presenter-busy = all CPUs of { $machine } together are busy { PERCENT($share) } of the time
evidence-presenter-thread =
    the thread { $name } of the kernel of { $machine } computes { PERCENT($share) } of the time
evidence-presenter-device =
    of { FIXED($under_way, decimals: 1) } operations under way { FIXED($there, decimals: 1) } are at { $device } of
    { $machine }
evidence-presenter-way =
    { PERCENT($share) } of the operations under way are not at { $device } of { $machine }: they are on the way there or back,
    or in what presents it
"#;

pub(super) fn examine(case: &CaseResult, _context: &Context<'_>) -> Verdict {
    let Some(machine) = measure::presenter(case) else { return Verdict::Elsewhere };
    let evidence = |code: &str| Evidence::at(code, Place::Fact(fact::PRESENTED_ON)).arg("machine", machine);
    let full = |how: &str, share: f64| {
        let found = finding("presenter-cpu-full", Severity::Note);
        found.arg("machine", machine).arg("how", how).arg("share", share.min(1.0))
    };
    let busy = measure::presenter_busy(case);
    let of_all = |share: f64| evidence("presenter-busy").arg("share", share.min(1.0));
    if let Some(share) = busy.filter(|share| *share >= FULL) {
        return Verdict::Full(Box::new(full("all", share).arg("name", "").because(of_all(share))));
    }
    if let Some((name, share)) = measure::presenter_thread(case).filter(|(_, share)| *share >= FULL) {
        let thread = evidence("presenter-thread").arg("name", name.as_str()).arg("share", share.min(1.0));
        return Verdict::Full(Box::new(full("thread", share).arg("name", name).because(thread)));
    }
    if let Some(found) = device(case, machine, &evidence) {
        return found;
    }
    busy.map_or(Verdict::Elsewhere, |share| Verdict::Free(of_all(share)))
}

/// Operations of this machine that are under way in the mean, and those of them that are at the highest device of the node.
struct UnderWay {
    device: Resource,
    under_way: f64,
    there: f64,
}

impl UnderWay {
    fn of(case: &CaseResult) -> Option<Self> {
        let device = measure::presented_on(case).into_iter().next().filter(|_| measure::is_direct(case))?;
        let (_, rate) = measure::operations(case)?;
        let under_way = rate * measure::mean_latency(case)?;
        // What the target splits is there in several parts.
        let there = measure::presenter_queue(case, &device)?.min(under_way);
        Some(Self { device, under_way, there })
    }
}

/// Verdicts on a disk that may be what the way to it is.
const OF_DISKS: [&str; 2] = ["device-full", "latency-bound"];

/// That most operations are not at the device of the node: what looks like a disk that is slow, or full, is the way to it.
pub(super) fn on_the_way(named: &Finding, case: &CaseResult, _context: &Context<'_>) -> Option<Evidence> {
    let machine = measure::presenter(case).filter(|_| OF_DISKS.contains(&named.code.as_str()))?;
    let UnderWay { device, under_way, there } = UnderWay::of(case)?;
    let share = 1.0 - there / under_way;
    let evidence = Evidence::at("presenter-way", Place::Fact(fact::PRESENTED_ON)).arg("machine", machine);
    (share >= DECIDES).then(|| evidence.arg("device", device.name()).arg("share", share))
}

/// The highest device of the node, if most of what is under way is there. Through the page cache nobody knows what is.
fn device(case: &CaseResult, machine: &str, evidence: &dyn Fn(&str) -> Evidence) -> Option<Verdict> {
    let UnderWay { device, under_way, there } = UnderWay::of(case)?;
    let of_device = evidence("presenter-device")
        .arg("device", device.name())
        .arg("there", there)
        .arg("under_way", under_way);
    if under_way <= 0.0 || there < DECIDES * under_way {
        return Some(Verdict::Free(of_device));
    }
    Some(Verdict::Full(Box::new(
        finding("presenter-device-bound", Severity::Note)
            .arg("machine", machine)
            .arg("device", device.name())
            .arg("there", there)
            .arg("under_way", under_way)
            .because(of_device),
    )))
}

#[cfg(test)]
mod tests {
    use model::trial::{MachineTrial, ProcessUse};
    use model::{Finding, Value};

    use super::super::tests::{disk, verdict};
    use super::*;
    use crate::validity::fixture::counter;

    /// 32 operations under way of 1 ms each at a disk that `b` presents, whose CPUs are busy for so many of 100 ticks, and at
    /// whose device so many operations are in the mean.
    fn found(busy: u64, thread_s: f64, there: u64, change: impl Fn(&mut model::run::CaseResult)) -> Finding {
        let mut case = disk(32, 32_000.0, 1_000.0, 2.0);
        for trial in &mut case.trials {
            let counters = vec![
                counter("cpu", "/proc/stat system", 0.01, busy),
                counter("cpu", "/proc/stat idle", 0.01, 100 - busy),
                counter("block:sdb", "/proc/diskstats read_ms", 1e-3, there * 1_000),
                counter("block:sdb", "/proc/diskstats write_ms", 1e-3, 0),
            ];
            let thread = ProcessUse {
                pid: 7,
                name: "iscsi_trx".to_owned(),
                own: false,
                kernel: true,
                cpu_s: thread_s,
                watched_s: 1.0,
            };
            let machine = MachineTrial { counters, processes: vec![thread], ..MachineTrial::of("b") };
            trial.result.machines.push(machine);
            let devices = Value::List(vec![Value::from("block:sdb")]);
            trial.result.main_mut().facts.insert(fact::PRESENTED_ON, devices);
        }
        change(&mut case);
        verdict(&[case])
    }

    #[test]
    fn the_processors_of_a_node_are_named_by_what_it_counted() {
        let full = found(98, 0.2, 1, |_| {});
        assert_eq!((full.code.as_str(), &full.args["how"]), ("presenter-cpu-full", &Value::from("all")));
        let thread = found(40, 0.97, 1, |_| {});
        assert_eq!(
            (thread.code.as_str(), &thread.args["name"]),
            ("presenter-cpu-full", &Value::from("iscsi_trx"))
        );
        assert_ne!(found(40, 0.5, 1, |_| {}).code, "presenter-cpu-full");
    }

    #[test]
    fn the_device_of_a_node_is_named_where_most_of_what_is_under_way_is_there() {
        let device = found(40, 0.2, 24, |_| {});
        assert_eq!(
            (device.code.as_str(), &device.args["device"]),
            ("presenter-device-bound", &Value::from("sdb"))
        );
        assert_ne!(found(40, 0.2, 8, |_| {}).code, "presenter-device-bound");
    }

    /// Bug: a disk was said to be slow though hardly anything of what was under way was there.
    #[test]
    fn operations_that_are_not_at_the_device_of_a_node_are_on_the_way() {
        let told = found(40, 0.2, 1, |case| case.loads.main.profile.concurrency.operations = 1);
        assert_eq!(told.code, "latency-bound");
        assert!(told.evidence.iter().any(|one| one.beside && one.code == "presenter-way"), "{told:?}");
    }

    /// Under one kernel the processors of a node are those of the load, and are judged as such.
    #[test]
    fn a_node_under_the_same_kernel_is_not_judged_by_itself() {
        let here = found(98, 0.97, 24, |case| {
            for trial in &mut case.trials {
                trial.result.main_mut().facts.insert(fact::ONE_MACHINE, true.into());
            }
        });
        assert!(!here.code.starts_with("presenter"), "{}", here.code);
    }
}
