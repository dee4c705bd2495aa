//! What would decide a verdict that cannot be told: a level that was not measured, or more trials.
//! Whoever carries out a study asks for it while it still can.

use model::profile::Aspect;
use model::run::{CaseResult, CaseRole, Run};
use model::{FindingKind, ParameterName};

use crate::bottleneck::device;
use crate::{Context, measure};

/// What would decide the verdict on a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// The same work with more under way.
    Level {
        /// The parameter to be raised.
        parameter: ParameterName,
        /// Its value.
        value: u64,
    },
    /// More trials of the case, and in the same blocks of these, by their places in the run.
    Trials {
        /// The cases beside it.
        beside: Vec<usize>,
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
        let is_level = matches!(remedy, Remedy::Level { .. });
        (case.rounds.is_none() || !is_level).then_some((place, remedy))
    };
    run.cases.iter().enumerate().filter_map(of).collect()
}

fn of_case(case: &CaseResult, context: &Context<'_>) -> Option<Remedy> {
    let verdict = case.findings.iter().find(|f| f.kind == FindingKind::Bottleneck)?;
    if verdict.code != "cannot-tell" {
        return None;
    }
    let lacks = |codes: &[&str]| verdict.evidence.iter().any(|e| codes.contains(&e.code.as_str()));
    if lacks(LEVELS) {
        return level(case, case.loads.main.profile.concurrency.depth.is_none());
    }
    let cpus = context.machine.map_or(0, |m| m.inventory.cpu.allowed.len()) as f64;
    if lacks(WORKERS) && measure::workers(case) < cpus {
        return level(case, true);
    }
    let beside = device::neighbours(case, context);
    (lacks(TRIALS) && !beside.is_empty()).then_some(Remedy::Trials { beside })
}

/// Twice as much under way: more workers, or a deeper queue.
fn level(case: &CaseResult, of_workers: bool) -> Option<Remedy> {
    let load = &case.loads.main;
    let aspect = if of_workers { Aspect::Workers } else { Aspect::Depth };
    let parameter = load.profile.parameter(aspect).filter(|name| load.parameters.get(*name).is_some())?;
    let value = load.parameters.integer(parameter).ok()?;
    (measure::concurrency(case) > 0.0).then_some(Remedy::Level { parameter, value: value.checked_mul(2)? })
}
