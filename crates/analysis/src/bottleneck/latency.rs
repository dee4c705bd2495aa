//! Nothing is full: the load waits for its own operations.

use model::finding::{Evidence, Place};
use model::profile::{Durability, OperationClass};
use model::run::CaseResult;
use model::{Finding, Resource, ResourceKind, Severity, metric};

use super::device::surely_more;
use super::flushed::Flushed;
use super::layer::held::Held;
use super::{Verdict, cores, finding, mounted_sync, shown};
use crate::siblings::Member;
use crate::{Context, measure};

/// So much more at a greater depth says that there was room.
const GAIN: f64 = 0.05;

/// From this share of the time on syncs are felt.
const FELT: f64 = 0.1;

pub(super) const ENGLISH: &str = r#"
finding-latency-bound =
    latency-bound: { $depth ->
        [1] 1 operation
       *[other] { FIXED($depth) } operations
    } in flight, each { SHORT($latency_s, unit: "s") }{ $syncs ->
        [yes] , and { PERCENT($sync_share) } of the time is spent in syncs of { SHORT($sync_s, unit: "s") }
       *[no] {""}
    }; { $others ->
        [yes] more passes { RESOURCE($resource) } than the load moves: others there, or a file system, may be what it waits for
        [cpus] all CPUs that it may use are busy, so that it may wait for one of these as well
        [layer] { PERCENT($held) } of them are in it, and not at the devices below it
        [flushes] { RESOURCE($device) } is flushed { SHORT($flushes, unit: "1/s") }, for { PERCENT($flushing) } of the time, and the
            load waits for that
        [durable] each write waits until it is on the medium (O_SYNC, O_DSYNC)
        [mounted] the file system is mounted so that each write waits until it is on the device
       *[no] nothing known is full
    }
    .advice =
        { $deeper ->
            [0] { $queued ->
                [yes] a greater --queue-depth or more --threads show
               *[no] more --threads show
            } how much the device can do at once
           *[other] {""}
        }

evidence-sync = { SHORT($latency_s, unit: "s") } on average
evidence-deeper = { FIXED($depth) } operations in flight give more
evidence-storage-answer =
    of the time of requests to the server, { PERCENT($fraction) } lies between their sending and their answers
"#;

pub(super) fn examine(case: &CaseResult, context: &Context<'_>) -> Verdict {
    let Some(mean) = measure::mean_latency(case).filter(|_| measure::is_closed(case)) else {
        return Verdict::Elsewhere;
    };
    // A write into the page cache says nothing of the device.
    let has_storage = measure::device(case).is_some() || measure::storage_server(case).is_some();
    if !has_storage || !measure::is_direct(case) {
        return Verdict::Elsewhere;
    }
    let depth = measure::concurrency(case);
    let better = deeper_and_better(case, context);
    // What a layer keeps is no sign of a device that is full.
    let held = Held::of(case);
    let is_inside = held.as_ref().is_some_and(|held| held.inside);
    if !has_one_each(case) && better.is_none() && !is_inside {
        return Verdict::Elsewhere;
    }
    let sync = syncing(case, depth);
    let mut found = finding("latency-bound", Severity::Note)
        .arg("depth", depth)
        .arg("latency_s", mean)
        .arg("syncs", sync.is_some())
        .arg("queued", measure::profile(case).concurrency.depth.is_some())
        .arg("deeper", better.map_or(0.0, measure::concurrency))
        .because(measure::latency_evidence(mean));
    found = because_of(found, case, context, held.as_ref());
    if let Some((mean, share)) = sync {
        found = found
            .arg("sync_s", mean)
            .arg("sync_share", share)
            .because(shown("sync", metric::SYNCS_PER_SECOND).arg("latency_s", mean));
    }
    if let Some(better) = better {
        let more = Evidence::at("deeper", Place::Case(better.label.to_string()));
        found = found.because(more.arg("depth", measure::concurrency(better)));
    }
    if let Some(share) = answering(case) {
        let answer = Evidence { code: "storage-answer".to_owned(), ..Evidence::default() };
        found = found.because(answer.arg("fraction", share));
    }
    let held = held.map(|held| held.resource);
    found.resource = held.or_else(|| measure::devices_name(case)).or_else(|| server(case).cloned());
    Verdict::Full(Box::new(found))
}

/// What is known of why its operations take so long. Who else has the device is seen later (`inside`).
fn because_of(found: Finding, case: &CaseResult, context: &Context<'_>, held: Option<&Held>) -> Finding {
    let found = match held {
        Some(held) => found.because(held.evidence(case)),
        None => found,
    };
    let flushed = Flushed::of(case).filter(|flushed| flushed.decides(case));
    let writes = measure::does(case, OperationClass::Write);
    if cores::are_all_busy(case, context) {
        found.arg("others", "cpus")
    } else if let Some(held) = held.filter(|held| held.inside) {
        found.arg("others", "layer").arg("held", held.share.min(1.0))
    } else if let Some(Flushed { resource, rate, share }) = flushed {
        let found = found.arg("others", "flushes").arg("device", resource.as_str());
        found.arg("flushes", rate).arg("flushing", share)
    } else if writes && measure::profile(case).durability == Durability::EachWrite {
        found.arg("others", "durable")
    } else if mounted_sync::is_mounted(case, context) {
        found.arg("others", "mounted")
    } else {
        found.arg("others", false)
    }
}

/// Whether no more than one operation is under way at each device that the targets lie on.
pub(super) fn has_one_each(case: &CaseResult) -> bool {
    // Shares of several devices are rounded.
    measure::each_device(case) <= 1.0 + 1e-6
}

/// The server that has the storage which the case drives.
fn server(case: &CaseResult) -> Option<&Resource> {
    case.path.get(measure::storage_server(case)?).map(|step| &step.resource)
}

/// How much of the time of its requests an NFS client waited for their answers, at the server and on the way: the rest
/// they waited in the client until they were sent. The kernel counts it for each mount.
fn answering(case: &CaseResult) -> Option<f64> {
    server(case)?;
    let mount = case.path.iter().map(|step| &step.resource).find(|r| r.is_named(ResourceKind::FileSystem))?;
    measure::median(case, |trial| {
        let of = |names: [&str; 2]| -> f64 {
            names.iter().filter_map(|name| measure::rate(trial, mount, name)).sum()
        };
        let all = of(["read_ms", "write_ms"]);
        (all > 0.0).then(|| (of(["read_answer_ms", "write_answer_ms"]) / all).min(1.0))
    })
}

/// What syncs cost where that is felt: how long one takes in the mean, s, and the share of
/// the workers' time.
pub(super) fn syncing(case: &CaseResult, depth: f64) -> Option<(f64, f64)> {
    let rate = measure::estimated(case, metric::SYNCS_PER_SECOND)?;
    let mean =
        measure::median(case, |t| measure::mean_of(&t.result.main().histograms, metric::SYNC_LATENCY))?;
    let share = (rate * mean / depth).min(1.0);
    (share >= FELT).then_some((mean, share))
}

/// The first case of the run that does the same work at a greater depth and
/// surely gives more.
pub(super) fn deeper_and_better<'a>(case: &CaseResult, context: &Context<'a>) -> Option<&'a CaseResult> {
    let (depth, (_, own)) = (measure::concurrency(case), measure::operations(case)?);
    // Nearly all that give no more are told by a division, the others by what
    // their trials say.
    let gives_more = |other: &&Member| {
        let gain = other.rate.filter(|_| own > 0.0).map(|rate| rate / own - 1.0);
        other.depth > depth
            && gain.is_some_and(|gain| gain > GAIN)
            && surely_more(case, context.siblings.case(other))
    };
    let groups = context.siblings.at_depths(case);
    let first = groups.iter().filter_map(|group| group.iter().find(gives_more)).min_by_key(|m| m.place);
    first.map(|member| context.siblings.case(member))
}

#[cfg(test)]
mod tests {
    use model::resource::PathStep;

    use super::*;
    use crate::bottleneck::tests::{disk, machine, verdict, verdict_on};
    use crate::validity::fixture;

    #[test]
    fn who_waits_for_the_server_of_a_mount_is_told_how_long_of_it() {
        let mut case = disk(1, 1000.0, 990.0, 2.0);
        let path = ["filesystem:/mnt/a (nfs4)", "nic:eth0", "server:10.0.0.3"];
        let step = |resource: &str| PathStep { resource: Resource::from(resource), amplification: 1.0 };
        case.path = path.map(step).to_vec();
        for trial in &mut case.trials {
            trial.result.local_mut().counters.extend([
                fixture::counter(path[0], "/proc/self/mountstats read_ms", 1e-3, 1000),
                fixture::counter(path[0], "/proc/self/mountstats read_answer_ms", 1e-3, 900),
            ]);
        }
        let found = verdict(&[case]);
        assert_eq!(found.code, "latency-bound", "{found:?}");
        assert_eq!(found.resource, Some(Resource::from("server:10.0.0.3")));
        let share = found.evidence.iter().find(|e| e.code == "storage-answer");
        let share = share.and_then(|e| e.args.get("fraction")?.number());
        assert!(share.is_some_and(|share| (share - 0.9).abs() < 1e-9), "{found:?}");
    }

    /// Bug: of two disks, each with one read at a time, it was said that only another depth shows whether they are full.
    #[test]
    fn several_disks_with_one_operation_each_wait_for_these() {
        let found = |disks: &[&str]| {
            let mut case = disk(2, 18_000.0, 110.0, 5.0);
            let amplification = 1.0 / disks.len() as f64;
            let step = |name: &&str| PathStep { resource: Resource::from(*name), amplification };
            case.path = disks.iter().map(step).collect();
            verdict(&[case])
        };
        let both = found(&["block:sda", "block:sdb"]);
        assert_eq!(both.code, "latency-bound", "{both:?}");
        assert_eq!(both.resource, Some(Resource::from("block:sda+sdb")));
        assert_eq!(found(&["block:sda"]).code, "cannot-tell", "it has two at a time");
    }

    /// Bug: of a load on the one CPU that it may use, which others fill, it was said that nothing is full.
    #[test]
    fn one_that_may_use_a_cpu_that_others_fill_is_not_told_that_nothing_is_full() {
        let mut machine = machine();
        machine.inventory.cpu.online = vec![0, 1];
        machine.inventory.cpu.allowed = vec![1];
        let text = |busy: u64| {
            let mut case = disk(1, 9_000.0, 110.0, 5.0);
            for (cpu, user) in [("cpu", busy), ("cpu:0", 0), ("cpu:1", busy)] {
                let all = if cpu == "cpu" { 200 } else { 100 };
                for trial in &mut case.trials {
                    let counters = [("user", user), ("idle", all - user)].map(|(name, ticks)| {
                        fixture::counter(cpu, &format!("/proc/stat {name}"), 0.01, ticks)
                    });
                    trial.result.local_mut().counters.extend(counters);
                }
            }
            let found = verdict_on(&machine, &[case]);
            assert_eq!(found.code, "latency-bound", "{found:?}");
            found.text
        };
        assert!(text(99).contains("all CPUs that it may use are busy"), "{}", text(99));
        assert!(text(40).ends_with("nothing known is full"), "{}", text(40));
    }
}
