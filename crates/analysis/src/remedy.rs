//! What would decide a verdict that cannot be told: a level that was not measured, or more trials.
//! Whoever carries out a study asks for it while it still can.

use model::finding::{Evidence, Place};
use model::profile::Aspect;
use model::run::{CaseResult, CaseRole, Run};
use model::{FindingKind, ParameterName, Value};

use crate::bottleneck::{device, memory};
use crate::{Context, measure};

/// What would decide the verdict on a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// The same work with more under way, or by fewer workers, by the first of these parameters at its value that the
    /// work can have: not every engine has a queue.
    Level(Vec<(ParameterName, u64)>),
    /// More trials of the case, and in the same blocks of these, by their places in the run.
    Trials {
        /// The cases beside it.
        beside: Vec<usize>,
        /// How many blocks more would probably do, by the present spread, if that can be said.
        blocks: Option<usize>,
    },
}

/// Evidence of a verdict that lacks a level.
const LEVELS: &[&str] = &["device-deepest", "device-depth-alone"];

/// Evidence of a verdict that lacks a level with more workers.
const WORKERS: &[&str] = &["device-workers-busy"];

/// Evidence of a verdict that lacks trials.
const TRIALS: &[&str] = &["device-noise", "device-unsure", "device-few-trials"];

/// What would decide the verdicts on the cases of a run that cannot be told, by their places. The
/// run's findings must be made ([`crate::derive`]).
#[must_use]
pub fn remedies(run: &Run) -> Vec<(usize, Remedy)> {
    let siblings = crate::Siblings::of(&run.cases);
    let of = |(place, case): (usize, &CaseResult)| {
        // A level that was added for a verdict has none that anybody asked for.
        if !matches!(case.role, CaseRole::Asked) || case.search.is_some() {
            return None;
        }
        let context = Context::of(run, case, &siblings);
        let remedy = of_case(case, &context)?;
        let is_level = matches!(remedy, Remedy::Level(_));
        (case.rounds.is_none() || !is_level).then_some((place, remedy))
    };
    run.cases.iter().enumerate().filter_map(of).collect()
}

fn of_case(case: &CaseResult, context: &Context<'_>) -> Option<Remedy> {
    let verdict = case.findings.iter().find(|f| f.kind == FindingKind::Bottleneck)?;
    let has = |name: &str, value: Value| verdict.args.get(name) == Some(&value);
    if verdict.code == "memory-bandwidth-full" && has("all", true.into()) && has("bound", "copy".into()) {
        return fewer(case, context);
    }
    if verdict.code != "cannot-tell" {
        return None;
    }
    let lacks = |codes: &[&str]| verdict.evidence.iter().any(|e| codes.contains(&e.code.as_str()));
    if lacks(LEVELS) {
        return level(case, &[Aspect::Depth, Aspect::Workers]);
    }
    let cpus = measure::cpus_allowed(case, context.machine);
    if lacks(WORKERS) && measure::workers(case) < cpus {
        return level(case, &[Aspect::Workers]);
    }
    let beside = device::neighbours(case, context);
    let blocks = device::blocks_lacking(case, context);
    (lacks(TRIALS) && !beside.is_empty()).then_some(Remedy::Trials { beside, blocks })
}

/// Seconds of a trial beside its window and its warm-up: threads, rings, files that are found.
const OVERHEAD_S: f64 = 0.1;

/// Blocks more than nobody takes: what needs them is not decided by trials.
const BLOCKS_MOST: usize = 1000;

/// What it would take to decide a verdict that lacks trials, for which this is missing: so many
/// blocks, so long, and what to ask for to have them.
pub(crate) fn more_would_do(
    case: &CaseResult,
    context: &Context<'_>,
    missing: &[Evidence],
) -> Option<Evidence> {
    let lacks_trials = missing.iter().any(|e| TRIALS.contains(&e.code.as_str()));
    let is_asked = matches!(case.role, CaseRole::Asked) && case.search.is_none();
    let beside = device::neighbours(case, context);
    if !lacks_trials || !is_asked || beside.is_empty() {
        return None;
    }
    let blocks = device::blocks_lacking(case, context).filter(|blocks| *blocks <= BLOCKS_MOST)?;
    let controls = context.controls;
    let others = beside.into_iter().filter_map(|place| context.siblings.at(place));
    let block_s: f64 = others
        .chain([case])
        .filter_map(|c| measure::good(c).last()?.result.window)
        .map(|window| window.seconds() + controls.warm_up_s + OVERHEAD_S)
        .sum();
    let seconds = blocks as f64 * block_s;
    let trials = measure::good(case).count() + blocks;
    let by = match controls.budget_s {
        _ if !controls.extra => "extra",
        Some(_) => "budget",
        None => "trials",
    };
    let evidence = Evidence::at("more-would-do", Place::Case(case.label.to_string()))
        .arg("more", blocks as u64)
        .arg("seconds", seconds)
        .arg("trials", trials as u64)
        .arg("by", by);
    // To the next five seconds: it is an estimate.
    let budget_s = controls.budget_s.map(|budget_s| ((budget_s + seconds) / 5.0).ceil() * 5.0);
    Some(match budget_s {
        Some(budget_s) => evidence.arg("budget", budget_s),
        None => evidence,
    })
}

/// Half the workers, where nothing shows whether memory is full or all that draw from it.
fn fewer(case: &CaseResult, context: &Context<'_>) -> Option<Remedy> {
    let load = &case.loads.main;
    let parameter = load.profile.parameter(Aspect::Workers)?;
    let half = load.parameters.integer(parameter).ok()? / 2;
    let Some(fewer) = memory::by_fewer(case, context) else {
        return (half > 0).then(|| Remedy::Level(vec![(parameter, half)]));
    };
    let beside = context.siblings.place_of(fewer).filter(|_| memory::is_open(case, fewer))?;
    Some(Remedy::Trials { beside: vec![beside], blocks: Some(BLOCKS_AT_ONCE) })
}

/// Blocks after which it is looked at again.
const BLOCKS_AT_ONCE: usize = 3;

/// Twice as much under way, by one of these, the first that can be raised.
fn level(case: &CaseResult, by: &[Aspect]) -> Option<Remedy> {
    let load = &case.loads.main;
    let twice = |aspect: &Aspect| {
        let parameter = load.profile.parameter(*aspect)?;
        Some((parameter, load.parameters.integer(parameter).ok()?.checked_mul(2)?))
    };
    let levels: Vec<_> = by.iter().filter_map(twice).collect();
    (measure::concurrency(case) > 0.0 && !levels.is_empty()).then_some(Remedy::Level(levels))
}
