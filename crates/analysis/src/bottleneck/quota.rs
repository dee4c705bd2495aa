//! What somebody imposed: a control group's CPU quota or I/O throttle.

use std::collections::BTreeSet;

use language::format::Rates;
use model::finding::{Evidence, Place};
use model::limit::LimitKind;
use model::run::CaseResult;
use model::trial::Counter;
use model::{Resource, Severity, metric};

use super::{FULL, Verdict, finding, of_limit, shown};
use crate::measure::End;
use crate::{Context, measure};

/// A quota that stopped each worker for this share of a window held it back.
const STOPPED: f64 = 0.02;

pub(super) const ENGLISH: &str = r#"
finding-io-quota =
    an imposed limit holds this back: { PERCENT($fraction) } of the { SHORT($limit, $unit) } that
    { RESOURCE($resource) } may do ({ $source })
    .advice =
        { $network ->
            [yes] raise the rate, or remove the queueing discipline (tc qdisc)
           *[no] raise or remove the throttle, or measure outside of the group
        }

finding-cpu-quota =
    the control group's CPU quota{ of-end } holds this back: each of its threads was stopped for
    { SHORT($stopped_s, unit: "s") } of each second
    .advice = raise cpu.max (cpu.cfs_quota_us) of the group, or measure outside of it

evidence-quota = { PERCENT($fraction) } of the quota on { RESOURCE($resource) }
evidence-throttled = { SHORT($stopped_s, unit: "s") } stopped each second
"#;

pub(super) fn examine(case: &CaseResult, context: &Context<'_>) -> Verdict {
    if let Some(full) = stopped(case, context) {
        return full;
    }
    // That of CPU time shows in how long it stopped us.
    let quotas = case.utilization.iter().filter(|u| u.kind == LimitKind::Quota && u.quantity != metric::CPU);
    // Of two that are as tight the nearer one, which stands first.
    let Some(tightest) = quotas.rev().max_by(|a, b| a.fraction.total_cmp(&b.fraction)) else {
        return Verdict::Elsewhere;
    };
    let evidence = of_limit(tightest, "quota");
    if tightest.fraction < FULL {
        return Verdict::Free(evidence);
    }
    let (value, unit) = measure::written(tightest.limit, tightest.unit, &tightest.resource);
    let is_network = Rates::of_resource(&tightest.resource) == Rates::Bits;
    let metric = tightest.quantity;
    Verdict::Full(Box::new(
        finding("io-quota", Severity::Warning)
            .on(tightest.resource.clone())
            .arg("fraction", tightest.fraction)
            .arg("limit", value)
            .arg("unit", unit)
            .arg("source", tightest.source.as_str())
            .arg("network", is_network)
            .because(evidence)
            .because(shown("demand", metric)),
    ))
}

/// A quota of CPU time, by how long it stopped each worker of an end.
fn stopped(case: &CaseResult, context: &Context<'_>) -> Option<Verdict> {
    // A control group is a process's own, whether both ends are under one kernel or not.
    let ends: &[End] = if measure::is_net(case) { &[End::Drives, End::Answers] } else { &[End::Drives] };
    let of_ends = ends.iter().filter_map(|end| stopped_at(case, context, *end));
    let worst = of_ends.max_by(|a, b| a.stopped.total_cmp(&b.stopped));
    let Stopped { end, stopped, place } = worst.filter(|worst| worst.stopped >= STOPPED)?;
    let evidence = Evidence::at("throttled", place).arg("stopped_s", stopped);
    let found = finding("cpu-quota", Severity::Warning).on(Resource::CGROUP_CPU).arg("stopped_s", stopped);
    let machine = end.machine(case).unwrap_or_default();
    Some(Verdict::Full(Box::new(found.arg("end", end.word()).arg("machine", machine).because(evidence))))
}

/// How long a quota stopped each worker.
struct Stopped {
    end: End,
    /// Seconds in each second.
    stopped: f64,
    place: Place,
}

/// A quota may stand at any level; the one that stopped the workers most counts.
fn stopped_at(case: &CaseResult, context: &Context<'_>, end: End) -> Option<Stopped> {
    let threads = measure::workers(case);
    let cpus = match end {
        End::Drives => context.machine.map(|m| m.inventory.cpu.allowed.len().max(1) as f64),
        End::Answers => end.cpus(case),
    };
    let workers = threads.min(cpus.unwrap_or(threads));
    let is_quota = |c: &&Counter| c.resource == Resource::CGROUP_CPU && c.source.ends_with(" throttled_time");
    let sources: BTreeSet<&str> = measure::good(case)
        .flat_map(|t| end.counters(t))
        .filter(is_quota)
        .map(|c| c.source.as_str())
        .collect();
    let stopped_by = |source: &str| {
        let stopped = measure::median(case, |t| {
            let counter = end.counters(t).iter().filter(is_quota).find(|c| c.source == source)?;
            Some(counter.change()? / counter.seconds()).filter(|rate| rate.is_finite())
        })?;
        let place = Place::Counter { resource: Resource::CGROUP_CPU, source: source.to_owned() };
        // The kernel adds up the stopped time of each CPU.
        Some(Stopped { end, stopped: stopped / workers, place })
    };
    sources.into_iter().filter_map(stopped_by).max_by(|a, b| a.stopped.total_cmp(&b.stopped))
}
