//! What the run measured of a change: a case that is the same but for one parameter, a level of the
//! search, or what was given more of for a proof.

use model::ParameterName;
use model::profile::Aspect;
use model::run::{CaseResult, CaseRole, ProofStep, TriedGain};

use super::GainContext;
use crate::{CONFIDENCE, measure};

/// A value that was measured stands for twice as much where it is between these shares of now.
const NEAR: std::ops::RangeInclusive<f64> = 1.5..=4.0;

/// The value of a parameter of a case; of workers as many as there are, where it says "all".
pub(super) fn value(case: &CaseResult, parameter: ParameterName) -> Option<u64> {
    let load = &case.loads.main;
    let is_workers = load.profile.aspects.get(&parameter) == Some(&Aspect::Workers);
    let workers = Some(load.profile.concurrency.workers).filter(|_| is_workers && load.profile.targets <= 1);
    load.parameters.integer(parameter).ok().or(workers)
}

/// The least greater value of a parameter that was measured and is about twice the present one.
pub(super) fn next_value(
    case: &CaseResult,
    parameter: ParameterName,
    from: u64,
    context: &GainContext<'_>,
) -> Option<u64> {
    let of_proof = case.proof.iter().flat_map(|proof| &proof.effects);
    let of_proof = of_proof.filter(|e| e.step == ProofStep::Relief && e.parameter == Some(parameter));
    let of_proof = of_proof.filter_map(|e| e.to).map(|to| to as u64);
    let others = others(case, parameter, context);
    let values = others.iter().filter_map(|other| value(other, parameter));
    values.chain(of_proof).filter(|value| NEAR.contains(&(*value as f64 / from as f64))).min()
}

/// What a value of a parameter gave, where it was measured.
pub(super) fn of(
    case: &CaseResult,
    parameter: ParameterName,
    to: u64,
    context: &GainContext<'_>,
) -> Option<TriedGain> {
    let relief = case.proof.iter().flat_map(|proof| &proof.effects).find(|effect| {
        let is = (effect.step, effect.parameter, effect.to);
        is == (ProofStep::Relief, Some(parameter), Some(to as f64))
    });
    if let Some(effect) = relief {
        let [times, low, high] = [effect.effect, effect.low, effect.high].map(|change| 1.0 + change);
        return Some(TriedGain { times, low: Some(low), high: Some(high), trials: effect.trials });
    }
    let all = others(case, parameter, context);
    let has = |other: &&&CaseResult| value(other, parameter) == Some(to);
    let other = all.iter().find(has)?;
    ratio(case, other, context)
}

/// The cases that do the same work with other values of a parameter.
fn others<'a>(case: &CaseResult, parameter: ParameterName, context: &GainContext<'a>) -> Vec<&'a CaseResult> {
    let siblings = context.rules.siblings;
    let is_depth = case.loads.main.profile.aspects.get(&parameter) == Some(&Aspect::Depth);
    let [depths, workers] = siblings.at_depths(case);
    let members = if is_depth { depths } else { workers };
    let mut all: Vec<&CaseResult> =
        members.iter().filter(|member| member.is_estimated).map(|member| siblings.case(member)).collect();
    // The levels of a search, its own or of the same work, are nobody's neighbours.
    let searches = |other: &&CaseResult| other.search.as_ref().is_some_and(|s| s.parameter == parameter);
    let searched = all.iter().copied().find(searches).and_then(|searched| siblings.place_of(searched));
    if let Some(of) = searched {
        all.extend(context.cases.iter().filter(|other| other.role == CaseRole::Level { of }));
    }
    all
}

/// How many times the rate of `case` the other has: by trials of the same blocks where they ran
/// beside each other.
fn ratio(case: &CaseResult, other: &CaseResult, context: &GainContext<'_>) -> Option<TriedGain> {
    let rates = |case: &CaseResult| -> Vec<(u32, f64)> {
        let rate =
            |trial: &model::Trial| Some((trial.block, crate::search_rate(case, trial, context.definitions)?));
        measure::good(case).filter_map(rate).collect()
    };
    let (own, others) = (rates(case), rates(other));
    let beside = |block: u32| own.iter().find(|(of, _)| *of == block).map(|(_, rate)| *rate);
    let pairs: Vec<(f64, f64)> =
        others.iter().filter_map(|(block, rate)| Some((*rate, beside(*block)?))).collect();
    // The blocks of a search are its own.
    let are_beside = pairs.len() >= 2 && !matches!(other.role, CaseRole::Level { .. });
    let of_all = |all: &[(u32, f64)]| all.iter().map(|(_, rate)| *rate).collect::<Vec<_>>();
    let (of_own, of_others) = (of_all(&own), of_all(&others));
    let ratio = match are_beside {
        true => stats::comparison::paired_ratio(&pairs, CONFIDENCE),
        false => stats::comparison::unpaired_ratio(&of_others, &of_own, CONFIDENCE),
    };
    let trials = others.len();
    if let Some(ratio) = ratio {
        let (low, high) = (Some(ratio.interval.low), Some(ratio.interval.high));
        return Some(TriedGain { times: ratio.ratio, low, high, trials });
    }
    // Too few trials for an interval.
    let times = stats::interval::median(&of_others)? / stats::interval::median(&of_own)?;
    (times.is_finite() && times > 0.0).then_some(TriedGain { times, low: None, high: None, trials })
}
