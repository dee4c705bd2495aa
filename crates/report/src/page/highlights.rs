//! The most informative cases: the best of each kind of load, for as many kinds as
//! a reader takes in at a glance.

use model::limit::LimitKind;
use model::profile::WaitsFor;
use model::run::{CaseResult, Estimate, Utilization};
use model::{Better, Kind, MetricName, metric};

use crate::load;
use crate::view::{View, WorkloadGroup};

/// So many figures at most, where there is a choice.
const FIGURES: usize = 12;

/// The best case of its kind.
pub(crate) struct BestCase<'a> {
    /// The section of its workload.
    pub(crate) section: String,
    pub(crate) case: &'a CaseResult,
    /// The metric by which it is the best.
    pub(crate) metric: MetricName,
    /// Its estimate of that.
    pub(crate) estimate: &'a Estimate,
}

/// The best case of each kind of load, in the order of the run. Kinds are told
/// apart by choices and sizes; if that gives too many, by choices only; if that
/// does too, each workload is one.
pub(crate) fn best<'a>(view: &View<'a>) -> Vec<BestCase<'a>> {
    let groups = view.groups();
    let level = |fits: fn(Kind) -> bool| -> Vec<BestCase<'a>> {
        groups.iter().flat_map(|group| of_group(view, group, fits)).collect()
    };
    let finest = level(|kind| matches!(kind, Kind::Choice | Kind::Size | Kind::Path | Kind::Flag));
    if finest.len() <= FIGURES {
        return finest;
    }
    let choices = level(|kind| kind == Kind::Choice);
    if choices.len() <= FIGURES { choices } else { level(|_| false) }
}

fn of_group<'a>(view: &View<'a>, group: &WorkloadGroup<'a>, fits: fn(Kind) -> bool) -> Vec<BestCase<'a>> {
    let factors = view.varying(&group.cases, fits);
    let with = group.cases.iter().copied().filter(|c| !c.loads.main.estimates.is_empty());
    let of_kind = |case: &'a CaseResult| {
        let kind: Vec<_> = factors.iter().map(|f| case.loads.main.parameters.get(*f)).collect();
        (kind, case)
    };
    let kinds = crate::grouped(with.map(of_kind));
    kinds.iter().filter_map(|(_, cases)| best_of(group, cases)).collect()
}

fn best_of<'a>(group: &WorkloadGroup<'a>, cases: &[&'a CaseResult]) -> Option<BestCase<'a>> {
    let metric = crate::load::headline(cases);
    let largest = cases.iter().filter_map(|c| working_set(c)).max();
    let cases: Vec<&CaseResult> = cases.iter().copied().filter(|c| working_set(c) == largest).collect();
    let known = cases.iter().filter_map(|c| Some((*c, c.loads.main.estimates.get(&metric)?)));
    let rank = |e: &Estimate| match e.better {
        Better::Higher => e.median,
        Better::Lower => -e.median,
    };
    let (case, estimate) = known.max_by(|a, b| rank(a.1).total_cmp(&rank(b.1)))?;
    Some(BestCase { section: group.id(), case, metric, estimate })
}

/// The bytes that a load of memory goes through, again and again: the fewer, the
/// faster, and the less it tells of memory.
fn working_set(case: &CaseResult) -> Option<u64> {
    let profile = crate::load::profile(case);
    profile.span_bytes.filter(|_| profile.waits_only_for(&[WaitsFor::Memory]))
}

/// The limit that a case is nearest to, of those that say something. That the
/// CPUs are busy counts only for a case that is not near any other limit: a load
/// that waits for memory keeps them busy too.
pub(crate) fn nearest(case: &CaseResult) -> Option<&Utilization> {
    const NEAR: f64 = 0.7;
    let promised = |u: &&Utilization| matches!(u.kind, LimitKind::Promise | LimitKind::Datasheet);
    let cpus = |u: &&Utilization| u.quantity == metric::CPU && u.kind == LimitKind::Hardware;
    let told = || case.utilization.iter().filter(|u| !promised(u) && load::tells(u));
    told().find(|u| !cpus(u) && u.fraction >= NEAR).or_else(|| told().next())
}

/// The case that uses the largest share of a limit of its path.
pub(crate) fn fullest<'a>(view: &View<'a>) -> Option<&'a CaseResult> {
    let share = |case: &&CaseResult| nearest(case).map_or(0.0, |u| u.fraction);
    let measured = view.cases().filter(|case| !case.utilization.is_empty());
    measured.max_by(|a, b| share(a).total_cmp(&share(b)))
}
