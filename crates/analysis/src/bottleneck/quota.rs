//! What somebody imposed: a control group's CPU quota or I/O throttle, what a
//! queueing discipline lets through, what a provider lets a rented machine have.

use std::collections::BTreeSet;

use language::format::Rates;
use model::finding::{Evidence, Place};
use model::limit::{Allowance, LimitKind};
use model::profile::Transport;
use model::run::{CaseResult, Utilization};
use model::trial::Counter;
use model::{Finding, Resource, ResourceKind, Severity, Value, metric};

use super::link::{self, NEARLY_ALL};
use super::reach::{in_most_intervals, is_reached};
use super::{BEYOND, FULL, Verdict, allowance, end_of, finding, of_limit, shown};
use crate::measure::End;
use crate::{Context, measure};

/// A quota that stopped each worker for this share of a window held it back.
const STOPPED: f64 = 0.02;

/// So many times as much as an imposed rate was not held by it; in a short window a bucket lets much more through.
const PASSED: f64 = 2.0;

/// What passes an interface whose rate is used up, of what payload gets: heads of packets count too, unless packets were joined.
const CARRIED: f64 = 0.98;

pub(super) const ENGLISH: &str = r#"
finding-io-quota =
    an imposed limit holds this back: { $shared ->
        [yes] { SHORT($carried, $unit) } pass { RESOURCE($resource) }{ of-end }, of which the load has { SHORT($own, $unit) };
            payload may have { SHORT($limit, $unit) }
        [each] { PERCENT($fraction) } of the { SHORT($limit, $unit) } that { $connections ->
            [1] its connection
           *[other] its { FIXED($connections) } connections
        } may send{ $connections ->
            [1] {""}
           *[other] {" "}together
        } over { RESOURCE($resource) }{ of-end }
       *[no] { PERCENT($fraction) } of the { SHORT($limit, $unit) } that { RESOURCE($resource) }{ of-end } may do
    } ({ $source })
    .advice =
        { $network ->
            [rented] a larger instance type is allowed more{ $flows ->
                [yes] ; over a network of Amazon's one TCP flow alone has at most 5 Gbit/s (10 within a placement group),
                    several have more
               *[no] {""}
            }
            [shared] stop what else sends over it, send more in each packet, raise the rate, or remove the queueing discipline
                (tc qdisc)
            [each] raise the rate of each connection (maxrate of the queueing discipline fq; SO_MAX_PACING_RATE, which the program, or
                one of a control group, sets), or send over more connections
            [yes] raise the rate, or remove the queueing discipline (tc qdisc)
           *[no] raise or remove the throttle, or measure outside of the group
        }

finding-cpu-quota =
    the control group's CPU quota{ of-end } holds this back: { $counted ->
        [no] its threads use { PERCENT($fraction) } of it
       *[yes] each of its threads was stopped for { SHORT($stopped_s, unit: "s") } of each second
    }
    .advice = raise cpu.max (cpu.cfs_quota_us) of the group, or measure outside of it

evidence-quota = { PERCENT($fraction) } of the quota on { RESOURCE($resource) }{ of-end }
evidence-quota-unclear =
    { $why ->
        [beyond] { RESOURCE($resource) } had { PERCENT($fraction) } of what its provider is known to allow, so what is known is wrong
        [passed] { RESOURCE($resource) } had { PERCENT($fraction) } of what is imposed on it, so that this does not hold it
        [shared] { RESOURCE($resource) } had { PERCENT($fraction) } of what its provider allows all such resources together
       *[baseline] { RESOURCE($resource) } had { PERCENT($fraction) } of what its provider allows all the time, and nobody
            counts what was held back
    }
evidence-throttled = { SHORT($stopped_s, unit: "s") } stopped each second
"#;

pub(super) fn examine(case: &CaseResult, context: &Context<'_>) -> Verdict {
    let stopped = stopped(case, context);
    let (clear, doubtful): (Vec<&Utilization>, Vec<&Utilization>) =
        imposed(case).into_iter().partition(|used| doubt(case, used).is_none());
    // What is reached comes before what is passed by more than a bucket lets through, and that before what is published;
    // then the tightest. Of two that are as tight the nearer one, which stands first.
    let rank = |used: &Utilization| {
        let is_held = used.allowance.is_none() && is_reached(case, used);
        u8::from(is_held) + u8::from(is_held && used.fraction <= BEYOND)
    };
    let order =
        |a: &Utilization, b: &Utilization| rank(a).cmp(&rank(b)).then(a.fraction.total_cmp(&b.fraction));
    let tightest = clear.iter().copied().rev().max_by(|a, b| order(a, b));
    let reached = tightest.filter(|used| is_reached(case, used));
    // Of a rate that is reached for certain, or a full link, more CPU time brings no more than what is left of it.
    if let Some(used) =
        reached.filter(|used| stopped.is_none() || used.allowance.is_none() && used.fraction <= BEYOND)
    {
        let is_other = |other: &&Utilization| rank(other) > 0 && !std::ptr::eq(*other, used);
        let others = clear.iter().copied().filter(is_other).map(|other| of_limit(other, "quota"));
        let others = others.chain(stopped.into_iter().flat_map(|found| found.evidence));
        let others: Vec<Evidence> = others.map(|one| Evidence { beside: true, ..one }).collect();
        return Verdict::Full(Box::new(held(case, used).because_all(others)));
    }
    let shared = clear.iter().find_map(|used| Some((*used, carried_with_others(case, used)?)));
    if let Some((used, carried)) = shared {
        return Verdict::Full(Box::new(held_with_others(case, used, carried)));
    }
    let of_time = if link::is_full(case) { None } else { stopped.or_else(|| uncounted(case, context)) };
    if let Some(found) = of_time {
        return Verdict::Full(Box::new(found));
    }
    let doubtful = doubtful.into_iter().find_map(|used| Some((used, doubt(case, used)?)));
    match (doubtful, tightest) {
        (Some((used, why)), _) => Verdict::Unknown(of_limit(used, "quota-unclear").arg("why", why)),
        (None, Some(used)) => Verdict::Free(of_limit(used, "quota")),
        (None, None) => Verdict::Elsewhere,
    }
}

/// What was imposed on the resources of a path. What a provider allows is decided by the
/// counters of what it held back, where there are any. That of CPU time shows in how long
/// it stopped us.
fn imposed(case: &CaseResult) -> Vec<&Utilization> {
    let quotas = case.utilization.iter().filter(|u| u.kind == LimitKind::Quota && u.quantity != metric::CPU);
    quotas.filter(|used| used.allowance.is_none() || !allowance::is_counted(case, used)).collect()
}

/// Why a limit that was imposed, or the figure that a provider published, says nothing for certain.
fn doubt(case: &CaseResult, used: &Utilization) -> Option<&'static str> {
    let is_same = |u: &Utilization| u.allowance == used.allowance && u.quantity == used.quantity;
    let is_other = |u: &Utilization| u.resource != used.resource && u.source == used.source && is_same(u);
    let Some(allowance) = used.allowance else { return (used.fraction > PASSED).then_some("passed") };
    match allowance {
        _ if used.fraction > BEYOND => Some("beyond"),
        // Who has credits passes it, and who has none is held below it too.
        Allowance::Baseline if used.fraction >= FULL => Some("baseline"),
        _ if used.fraction < FULL && case.utilization.iter().any(is_other) => Some("shared"),
        _ => None,
    }
}

/// That a limit holds the case back.
pub(super) fn held(case: &CaseResult, used: &Utilization) -> Finding {
    let (value, unit) = measure::written(used.limit, used.unit, &used.resource);
    let is_network = Rates::of_resource(&used.resource) == Rates::Bits;
    let network = match used.allowance {
        Some(_) => "rented",
        None if used.flows.is_some() => "each",
        None if is_network => "yes",
        None => "no",
    };
    let demand =
        case.loads.main.estimates.contains_key(&used.quantity).then(|| shown("demand", used.quantity));
    finding("io-quota", Severity::Warning)
        .on(used.resource.clone())
        .arg("fraction", used.fraction)
        .arg("limit", value)
        .arg("unit", unit)
        .arg("source", used.source.as_str())
        .arg("network", network)
        .arg("shared", if used.flows.is_some() { Value::from("each") } else { Value::from(false) })
        .arg("connections", used.flows.unwrap_or_default())
        .arg("flows", is_network)
        .arg("end", end_of(used).word())
        .arg("machine", used.machine.as_deref().unwrap_or_default())
        .because(of_limit(used, "quota"))
        .because_all(in_most_intervals(case, used))
        .because_all(demand)
}

/// What left by an interface in each second, where that is all that its queueing discipline lets through and a good part of
/// it is not the payload of the load: others send as well, or the load sends again what was dropped.
fn carried_with_others(case: &CaseResult, used: &Utilization) -> Option<f64> {
    // What is lost behind it was sent all the same, and small datagrams are half heads.
    let is_udp = measure::profile(case).transport == Some(Transport::Udp);
    if is_udp
        || used.allowance.is_some()
        || used.flows.is_some()
        || !used.resource.is_named(ResourceKind::Nic)
    {
        return None;
    }
    // It holds what is sent, at either end.
    let end = end_of(used);
    let carried = measure::median(case, |trial| end.rate(trial, &used.resource, "tx_bytes"))?;
    let is_full = (CARRIED * used.limit..=BEYOND * used.limit).contains(&carried);
    (is_full && used.demand < NEARLY_ALL * carried).then_some(carried)
}

/// That a rate holds the case back which others use, too.
fn held_with_others(case: &CaseResult, used: &Utilization, carried: f64) -> Finding {
    let written = |value| measure::written(value, used.unit, &used.resource);
    let (carried, unit) = written(carried);
    let evidence = of_limit(used, "link-carried").arg("carried", carried).arg("unit", unit);
    let found = held(case, used).arg("network", "shared").arg("shared", true);
    found.arg("carried", carried).arg("own", written(used.demand).0).because(evidence)
}

/// A quota of CPU time, by how long it stopped each worker of an end.
fn stopped(case: &CaseResult, context: &Context<'_>) -> Option<Finding> {
    // A control group is a process's own, whether both ends are under one kernel or not.
    let ends: &[End] = if measure::is_net(case) { &[End::Drives, End::Answers] } else { &[End::Drives] };
    let of_ends = ends.iter().filter_map(|end| stopped_at(case, context, *end));
    let worst = of_ends.max_by(|a, b| a.stopped.total_cmp(&b.stopped));
    let Stopped { end, stopped, place } = worst.filter(|worst| worst.stopped >= STOPPED)?;
    let evidence = Evidence::at("throttled", place).arg("stopped_s", stopped);
    let found = of_cpu_time(case, end).arg("stopped_s", stopped).arg("counted", true);
    Some(found.because(evidence))
}

/// That a quota stopped the threads of a load whose link is full: raised alone it would bring hardly more.
pub(super) fn beside_link(named: &Finding, case: &CaseResult, context: &Context<'_>) -> Option<Evidence> {
    let found = stopped(case, context).filter(|_| named.code == "link-full")?;
    found.evidence.into_iter().next()
}

fn of_cpu_time(case: &CaseResult, end: End) -> Finding {
    let found = finding("cpu-quota", Severity::Warning).on(Resource::CGROUP_CPU);
    found.arg("end", end.word()).arg("machine", end.machine(case).unwrap_or_default())
}

/// A quota of CPU time that the threads use up, where nobody counted for how long it stopped them. One that is for more
/// CPUs than they may use holds nobody.
fn uncounted(case: &CaseResult, context: &Context<'_>) -> Option<Finding> {
    if measure::good(case).any(|trial| End::Drives.counters(trial).iter().any(is_stop)) {
        return None;
    }
    let cpus = measure::workers(case).min(measure::cpus_allowed(case, context.machine));
    let is_it = |used: &&Utilization| used.kind == LimitKind::Quota && used.quantity == metric::CPU;
    let used = case.utilization.iter().filter(is_it).max_by(|a, b| a.fraction.total_cmp(&b.fraction))?;
    let is_used_up = (FULL..=BEYOND).contains(&used.fraction) && used.limit < cpus;
    is_used_up.then(|| {
        let found = of_cpu_time(case, End::Drives).arg("fraction", used.fraction).arg("counted", false);
        found.because(of_limit(used, "quota"))
    })
}

/// Whether a counter is of the time for which a quota stopped threads.
fn is_stop(counter: &Counter) -> bool {
    counter.resource == Resource::CGROUP_CPU && counter.source.ends_with(" throttled_time")
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
        End::Drives => context.machine.map(|_| measure::cpus_allowed(case, context.machine).max(1.0)),
        End::Answers => end.cpus(case),
    };
    let workers = threads.min(cpus.unwrap_or(threads));
    let is_quota = |c: &&Counter| is_stop(c);
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
        // The kernel adds up the stopped time of each CPU, be it of others in the group; who computes is not stopped.
        let stopped = (stopped / workers).min(1.0 - end.worker_share(case).unwrap_or_default());
        Some(Stopped { end, stopped, place })
    };
    sources.into_iter().filter_map(stopped_by).max_by(|a, b| a.stopped.total_cmp(&b.stopped))
}

#[cfg(test)]
mod tests;
