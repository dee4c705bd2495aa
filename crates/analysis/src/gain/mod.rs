//! What would more buy: for each thing that could be changed about what limits a case, the gain that
//! theory predicts, what is full then, and what was measured where some case of the run has that very
//! change.
//!
//! Predictions are bounds, not hopes. In a closed network with N operations under way, of which each
//! asks D of all resources and at most Dmax of one, the rate is X(N) <= min(N / D, 1 / Dmax)
//! (Denning and Buzen, "The Operational Analysis of Queueing Network Models", ACM Computing Surveys
//! 10(3), 1978), and it grows no faster than N. So n times as much under way gives at most n times
//! the rate, and never more than the next resource has: the device by the cases of the run that
//! filled it, links and quotas by their limits, processors by what they still have. What joins
//! operations that wait (merging, group commits) may beat that; what is measured stands beside it.
//! What is not known bounds nothing, and what nothing is known of is not predicted.

mod ceiling;
mod tried;

use model::definition::Definitions;
use model::profile::{Aspect, WaitsFor};
use model::run::{CaseResult, CaseRole, Gain, GainBound, GainFix, GainLaw};
use model::{Finding, FindingKind, ParameterName, Resource, Value};
use stats::amdahl::{self, ScalingPoint};

use crate::bottleneck::BY_DATAGRAMS;
use crate::measure::End;
use crate::{Context, measure};
use ceiling::{Ceiling, Ceilings};

/// What is twice as fast, or allowed twice.
const TWICE: f64 = 2.0;

/// What there is to look at.
pub(crate) struct GainContext<'a> {
    pub(crate) rules: Context<'a>,
    pub(crate) definitions: &'a Definitions,
    /// All cases of the run.
    pub(crate) cases: &'a [CaseResult],
}

/// What more would buy of a case whose verdict is given; nothing where none is.
pub(crate) fn of_case(case: &CaseResult, context: &GainContext<'_>) -> Vec<Gain> {
    // Beside a searched case its knee says the same, and nobody asked for what was added.
    let is_extra = matches!(case.role, CaseRole::Extra { .. } | CaseRole::Knee { .. });
    let is_result = !case.is_auxiliary() && !is_extra;
    let verdict = case.findings.iter().find(|f| f.kind == FindingKind::Bottleneck);
    let Some(verdict) = verdict.filter(|_| is_result && measure::is_closed(case)) else { return Vec::new() };
    let ceilings = Ceilings::of(case, context);
    let all = match verdict.code.as_str() {
        // Each client of a database has one statement under way.
        "round-trip-bound" if verdict.args.get("how") == Some(&Value::from("statements")) => {
            vec![more(case, Aspect::Streams, &ceilings, context)]
        }
        "latency-bound" | "round-trip-bound" => {
            let deeper = more(case, Aspect::Depth, &ceilings, context);
            vec![deeper.or_else(|| more(case, Aspect::Workers, &ceilings, context))]
        }
        "device-full" => vec![
            more(case, Aspect::Depth, &ceilings, context)
                .or_else(|| more(case, Aspect::Workers, &ceilings, context)),
            faster(verdict, GainFix::Resource, &ceilings),
        ],
        "device-bound" => vec![
            more(case, Aspect::Workers, &ceilings, context).filter(|_| is_behind_the_cache(verdict)),
            waited_for(verdict, &ceilings),
        ],
        "link-full" | "limit-reached" => vec![faster(verdict, GainFix::Resource, &ceilings)],
        "io-quota" | "allowance-exceeded" => vec![faster(verdict, GainFix::Quota, &ceilings)],
        "cpu-quota" => vec![without_quota(verdict, &ceilings)],
        "one-core-full" => {
            vec![more(case, Aspect::Workers, &ceilings, context), processor(case, End::Drives, &ceilings)]
        }
        "sender-cpu" | "receiver-cpu" => {
            let more = streams(case, &ceilings, context).filter(|_| !share_a_core(case, verdict));
            vec![more, processor(case, full_end(case, verdict), &ceilings)]
        }
        "all-cores-full" | "clock-held" => vec![processor(case, End::Drives, &ceilings)],
        "own-cores-full" => vec![alone(verdict, &ceilings)],
        // Of datagrams nobody waits for a window, so that a larger one brings no more than what was lost.
        "window-bound" if is_of_datagrams(verdict) => Vec::new(),
        "window-bound" => vec![window(verdict, &ceilings), streams(case, &ceilings, context)],
        _ => Vec::new(),
    };
    all.into_iter().flatten().collect()
}

/// Whether a window is small for datagrams.
fn is_of_datagrams(verdict: &Finding) -> bool {
    verdict.args.get("by") == Some(&Value::from(BY_DATAGRAMS))
}

/// A prediction of `times` the rate by a law, or of what the least of these ceilings allows, which
/// then is the law.
fn predicted<'a>(
    fix: GainFix,
    law: GainLaw,
    times: f64,
    ceilings: impl Iterator<Item = &'a Ceiling>,
) -> Option<Gain> {
    let least = ceilings.min_by(|a, b| a.times.total_cmp(&b.times));
    let bound = least.filter(|ceiling| ceiling.times < times);
    let predicted = bound.map_or(times, |ceiling| ceiling.times.max(1.0));
    let law = if bound.is_some() { GainLaw::Utilization } else { law };
    let bound = bound.map(|c| GainBound { kind: c.kind, resource: c.resource.clone() });
    let (parameter, resource, from, to, least, tried) = (None, None, None, None, None, None);
    let gain = Gain { fix, parameter, resource, from, to, law, predicted, least, bound, tried };
    predicted.is_finite().then_some(gain)
}

/// More under way: a greater value of the parameter that says this of the load.
fn more(case: &CaseResult, aspect: Aspect, ceilings: &Ceilings, context: &GainContext<'_>) -> Option<Gain> {
    let load = &case.loads.main;
    let parameter = load.profile.parameter(aspect)?;
    let from = tried::value(case, parameter).filter(|from| *from > 0)?;
    let adds_workers = aspect != Aspect::Depth;
    let most = if adds_workers { workers_most(case, from, context) } else { None };
    let to = tried::next_value(case, parameter, from, context).or_else(|| from.checked_mul(2))?;
    let to = most.map_or(to, |most| to.min(most));
    if to <= from {
        return None;
    }
    let times = to as f64 / from as f64;
    let computes = measure::computes(case, workers_or_cpus(case, context));
    let (law, times) = match amdahl(case, parameter, to, context).filter(|_| adds_workers && computes) {
        Some(times) => (GainLaw::Amdahl, times),
        None if computes && adds_workers => (GainLaw::Utilization, times),
        None => (GainLaw::Little, times),
    };
    let gain = predicted(GainFix::More, law, times, ceilings.of_more(adds_workers))?;
    let shown = ceilings.shown_of_device().filter(|_| gain.law == GainLaw::Little);
    let least = shown.and_then(|times| least_of(case, to, from, times));
    let tried = tried::of(case, parameter, to, context);
    let [from, to] = [from, to].map(|value| Some(value as f64));
    let parameter = Some(parameter);
    Some(Gain { parameter, from, to, least: least.filter(|least| *least <= gain.predicted), tried, ..gain })
}

/// CPUs for those workers that have one each.
fn workers_or_cpus(case: &CaseResult, context: &GainContext<'_>) -> f64 {
    let machine = context.rules.machine;
    machine.map_or(measure::workers(case), |machine| measure::cpus_allowed(case, Some(machine)))
}

/// The greatest value of a number of workers of which each has a CPU, where the load computes;
/// absent where its workers wait.
fn workers_most(case: &CaseResult, from: u64, context: &GainContext<'_>) -> Option<u64> {
    let cpus = workers_or_cpus(case, context);
    if !measure::computes(case, cpus) {
        return None;
    }
    // Workers for each unit of the parameter: there may be several targets, or two ways.
    let each = measure::workers(case) / from as f64;
    (each > 0.0).then_some((cpus / each).floor() as u64)
}

/// What a case with one operation under way gives at least with more: of a network of queues that
/// is in balance, N / (D + (N - 1) Dmax) (Zahorjan and others, "Balanced Job Bound Analysis of
/// Queueing Networks", Communications of the ACM 25(2), 1982), with D the time of an operation
/// alone and Dmax that for which the full device is taken: D / Dmax is how many times the rate of the
/// case the device gave.
fn least_of(case: &CaseResult, to: u64, from: u64, times: f64) -> Option<f64> {
    let is_alone = measure::concurrency(case) == 1.0 && from == 1;
    let n = to as f64;
    (is_alone && times >= 1.0).then(|| n / (1.0 + (n - 1.0) / times))
}

/// How many times the rate `to` workers have, by Amdahl's law through the case and those with
/// fewer; absent where there are none, or where they do not follow it.
fn amdahl(case: &CaseResult, parameter: ParameterName, to: u64, context: &GainContext<'_>) -> Option<f64> {
    let own = tried::value(case, parameter)?;
    let siblings = context.rules.siblings;
    let [_, members] = siblings.at_depths(case);
    let point = |member: &crate::siblings::Member| {
        let threads = tried::value(siblings.case(member), parameter)?;
        let rate = member.rate.filter(|_| threads <= own)?;
        Some(ScalingPoint { threads: threads as f64, rate })
    };
    let points: Vec<ScalingPoint> = members.iter().filter_map(point).collect();
    let fit = amdahl::fit(&points).filter(amdahl::Fit::is_good)?;
    let times = fit.at(to as f64) / fit.at(own as f64);
    (times.is_finite() && times >= 1.0).then_some(times)
}

/// More connections, each with a sender and a receiver of its own.
fn streams(case: &CaseResult, ceilings: &Ceilings, context: &GainContext<'_>) -> Option<Gain> {
    // Two programs on one machine share its processors, and only one of them is counted.
    if measure::is_one_machine(case) && !measure::is_loopback(case) {
        return None;
    }
    let aspects = [Aspect::Streams, Aspect::Workers];
    let aspect = aspects.into_iter().find(|a| case.loads.main.profile.parameter(*a).is_some())?;
    more(case, aspect, ceilings, context)
}

/// Whether several streams come to one CPU already, which takes their packets: more of them do as well.
fn share_a_core(case: &CaseResult, verdict: &Finding) -> bool {
    verdict.args.get("by") == Some(&Value::from("core")) && measure::concurrency(case) > 1.0
}

/// A resource that is twice as fast, or of which twice as much is allowed.
fn faster(verdict: &Finding, fix: GainFix, ceilings: &Ceilings) -> Option<Gain> {
    let resource = verdict.resource.clone()?;
    let gain = predicted(fix, GainLaw::Utilization, TWICE, ceilings.but(&resource))?;
    Some(Gain { resource: Some(resource), ..gain })
}

/// Whether a verdict is of a device that a load waits for through the page cache.
fn is_behind_the_cache(verdict: &Finding) -> bool {
    let how = verdict.args.get("how");
    ["reads", "syncs"].iter().any(|one| how == Some(&Value::from(*one)))
}

/// A device that is twice as fast, where the load waits for it for a share of its time and does all else by itself
/// (Amdahl, "Validity of the single processor approach to achieving large scale computing capabilities", AFIPS 30, 1967).
fn waited_for(verdict: &Finding, ceilings: &Ceilings) -> Option<Gain> {
    let share = number(verdict, "share").filter(|_| is_behind_the_cache(verdict))?;
    let resource = verdict.resource.clone()?;
    let times = 1.0 / (1.0 - share + share / TWICE);
    let gain = predicted(GainFix::Resource, GainLaw::Amdahl, times, ceilings.but(&resource))?;
    Some(Gain { resource: Some(resource), ..gain })
}

/// The end whose processors a verdict names.
fn full_end(case: &CaseResult, verdict: &Finding) -> End {
    if verdict.code == "sender-cpu" { measure::sender(case) } else { measure::receiver(case) }
}

/// Twice the processor time of an end. What a core that waits for memory would gain nobody knows.
fn processor(case: &CaseResult, end: End, ceilings: &Ceilings) -> Option<Gain> {
    if measure::profile(case).may_wait_for(&WaitsFor::Memory) {
        return None;
    }
    predicted(GainFix::Processor, GainLaw::Utilization, TWICE, ceilings.but_processors_of(end))
}

/// Workers that a quota stopped for a part of each second compute at most as long again as that.
fn without_quota(verdict: &Finding, ceilings: &Ceilings) -> Option<Gain> {
    let is_near = verdict.args.get("end").is_none_or(|end| *end == Value::from("near"));
    let stopped = number(verdict, "stopped_s").filter(|stopped| is_near && *stopped < 1.0)?;
    let times = 1.0 / (1.0 - stopped);
    predicted(GainFix::NoQuota, GainLaw::Utilization, times, ceilings.but_processors_of(End::Drives))
}

/// Workers that have a share of a CPU, beside others, would have it all.
fn alone(verdict: &Finding, ceilings: &Ceilings) -> Option<Gain> {
    let is_shared = verdict.args.get("ours") == Some(&Value::Bool(false));
    let share = number(verdict, "share").filter(|share| is_shared && *share > 0.0 && *share <= 1.0)?;
    let gain = predicted(
        GainFix::Alone,
        GainLaw::Utilization,
        1.0 / share,
        ceilings.but_processors_of(End::Drives),
    )?;
    Some(Gain { resource: verdict.resource.clone(), ..gain })
}

/// A window that is twice as large.
fn window(verdict: &Finding, ceilings: &Ceilings) -> Option<Gain> {
    let gain = predicted(GainFix::Window, GainLaw::Window, TWICE, ceilings.of_more(false))?;
    let from = number(verdict, "window").filter(|bytes| *bytes > 0.0);
    Some(Gain { from, to: from.map(|bytes| bytes * TWICE), ..gain })
}

fn number(finding: &Finding, name: &str) -> Option<f64> {
    finding.args.get(name)?.number()
}

/// Resources of processors: what is full of them is known by what workers and CPUs still have.
fn is_processor(resource: &Resource) -> bool {
    use model::ResourceKind::{Cgroup, Cpu, OwnProcess};
    matches!(resource.kind(), Cpu | Cgroup | OwnProcess)
}

#[cfg(test)]
mod tests;
