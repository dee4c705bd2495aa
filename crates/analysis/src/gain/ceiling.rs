//! How far the rate of a case can grow before something else is full: for each resource that is
//! known, how many times the rate it still takes.

use model::limit::{Allowance, LimitKind};
use model::run::{CaseResult, GainCeiling, Utilization};
use model::{Finding, FindingKind, Resource, ResourceKind};

use super::{GainContext, is_processor};
use crate::bottleneck::share_of_full;
use crate::measure::End;
use crate::{MEASURED_TOO_LOW, measure};

/// What is full at so many times the rate.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Ceiling {
    pub(super) times: f64,
    pub(super) kind: GainCeiling,
    pub(super) resource: Option<Resource>,
    /// Of the device: how many times the rate a case of the run showed it to give, which may be less
    /// than what it can.
    shown: Option<f64>,
}

/// All that is known of a case.
pub(super) struct Ceilings(Vec<Ceiling>);

impl Ceilings {
    pub(super) fn of(case: &CaseResult, context: &GainContext<'_>) -> Self {
        let mut all: Vec<Ceiling> = case.utilization.iter().filter_map(limit).collect();
        all.extend(device(case, context));
        all.extend(workers(case));
        all.extend(other_end(case));
        all.extend(processors(case, context));
        all.retain(|ceiling| ceiling.times.is_finite() && ceiling.times > 0.0);
        Self(all)
    }

    /// Those that hold where more is under way. More workers have more of their own time.
    pub(super) fn of_more(&self, adds_workers: bool) -> impl Iterator<Item = &Ceiling> {
        let of_worker = |kind| matches!(kind, GainCeiling::Workers | GainCeiling::OtherEnd);
        self.0.iter().filter(move |ceiling| !(adds_workers && of_worker(ceiling.kind)))
    }

    /// Those of all but one resource.
    pub(super) fn but(&self, resource: &Resource) -> impl Iterator<Item = &Ceiling> {
        self.0.iter().filter(move |ceiling| ceiling.resource.as_ref() != Some(resource))
    }

    /// Those of what is no processor of this end.
    pub(super) fn but_processors_of(&self, end: End) -> impl Iterator<Item = &Ceiling> {
        let of_end = move |kind| match kind {
            GainCeiling::Workers | GainCeiling::Processors => !end.answers(),
            GainCeiling::OtherEnd => end.answers(),
            _ => false,
        };
        self.0.iter().filter(move |ceiling| !of_end(ceiling.kind))
    }

    /// How many times the rate a case of the run showed the device to give.
    pub(super) fn shown_of_device(&self) -> Option<f64> {
        self.0.iter().find_map(|ceiling| ceiling.shown)
    }
}

/// A link, a quota, or what was measured of a resource. A promise and a datasheet are no bounds,
/// and what is passed already was known wrongly.
fn limit(used: &Utilization) -> Option<Ceiling> {
    let bounds = match used.kind {
        LimitKind::Link | LimitKind::Measured | LimitKind::Hardware => true,
        // A baseline may be passed.
        LimitKind::Quota => used.allowance.is_none_or(|allowance| allowance == Allowance::Most),
        LimitKind::Promise | LimitKind::Datasheet => false,
    };
    let is_known = used.fraction > 0.0 && used.fraction <= MEASURED_TOO_LOW;
    // What waits in memory is bounded, not what passes it.
    let passes = used.resource != Resource::PAGE_CACHE;
    (bounds && is_known && passes && !is_processor(&used.resource)).then(|| Ceiling {
        times: (1.0 / share_of_full(used)).max(1.0),
        kind: GainCeiling::Resource,
        resource: Some(used.resource.clone()),
        shown: None,
    })
}

/// The most that the same work gave on a device that it filled.
fn device(case: &CaseResult, context: &GainContext<'_>) -> Option<Ceiling> {
    let siblings = context.rules.siblings;
    let (_, own) = measure::operations(case).filter(|(_, own)| *own > 0.0)?;
    let groups = siblings.at_depths(case);
    let members = groups.iter().flat_map(|group| group.iter());
    let full = members.filter_map(|member| Some((member.rate?, room(siblings.case(member))?)));
    let all = || full.clone().chain(room(case).map(|room| (own, room)));
    let most = all().map(|(rate, room)| rate * room).fold(0.0, f64::max);
    let shown = all().map(|(rate, _)| rate).fold(0.0, f64::max);
    let resource = measure::devices_name(case).filter(|_| most > 0.0)?;
    Some(Ceiling {
        times: (most / own).max(1.0),
        kind: GainCeiling::Resource,
        resource: Some(resource),
        shown: Some((shown / own).max(1.0)),
    })
}

/// How many times the rate of a case that fills its device that can at most give; absent where the
/// case does not fill it. Where latency ended a search, the last doubling still added something:
/// as the rate is concave in what is under way, the next one, twice as wide, adds at most twice
/// that.
fn room(case: &CaseResult) -> Option<f64> {
    let is_full = |f: &&Finding| f.kind == FindingKind::Bottleneck && f.code == "device-full";
    let full = case.findings.iter().find(is_full)?;
    if full.args.get("how") != Some(&"latency".into()) {
        return Some(1.0);
    }
    let added = full.args.get("more")?.number().filter(|_| full.args.get("change") != Some(&"less".into()));
    Some(added.map_or(1.0, |added| 1.0 + 2.0 * added / (1.0 + added)))
}

/// The time of the workers.
fn workers(case: &CaseResult) -> Option<Ceiling> {
    let (_, used) = measure::worker_cpu(case).filter(|(_, used)| *used > 0.0)?;
    Some(processor(measure::workers(case) / used, GainCeiling::Workers))
}

/// The time of the workers of the other end.
fn other_end(case: &CaseResult) -> Option<Ceiling> {
    let share = End::Answers.worker_share(case).filter(|share| measure::is_net(case) && *share > 0.0)?;
    Some(processor(1.0 / share, GainCeiling::OtherEnd))
}

/// What the CPUs that the load may run on still have: what it uses and what is idle, over what it
/// uses, which grows with the rate (the utilization law); no more than a quota of CPU time allows.
fn processors(case: &CaseResult, context: &GainContext<'_>) -> Option<Ceiling> {
    // Of two programs only one is counted as ours.
    if measure::is_one_machine(case) && !measure::is_loopback(case) {
        return None;
    }
    let cpus = measure::CaseCpus::of(case, Some(context.rules.machine?));
    let all: Vec<Resource> = match cpus.allowed.len() >= cpus.online.len() {
        true => vec![Resource::CPUS],
        false => cpus.allowed.iter().map(|cpu| Resource::of(ResourceKind::Cpu, cpu)).collect(),
    };
    let times = measure::median(case, |trial| {
        let rate = |resource: &Resource, name: &str| measure::rate(trial, resource, name);
        let idle: f64 = all.iter().map(|cpu| rate(cpu, "idle")).sum::<Option<f64>>()?;
        let waiting: f64 = all.iter().filter_map(|cpu| rate(cpu, "iowait")).sum();
        let ours = rate(&Resource::OWN_PROCESS, "user")? + rate(&Resource::OWN_PROCESS, "system")?;
        (ours > 0.0).then_some((ours + idle + waiting) / ours)
    })?;
    let is_quota = |used: &&Utilization| {
        used.kind == LimitKind::Quota && used.quantity == model::metric::CPU && used.fraction > 0.0
    };
    let allowed = case.utilization.iter().filter(is_quota).map(|used| 1.0 / used.fraction);
    Some(processor(allowed.fold(times, f64::min), GainCeiling::Processors))
}

fn processor(times: f64, kind: GainCeiling) -> Ceiling {
    Ceiling { times: times.max(1.0), kind, resource: None, shown: None }
}
