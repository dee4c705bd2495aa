//! Proof by perturbation: a tenth of what is named as the limit is taken away, or more of it given,
//! and the result must move as that predicts; a tenth of what is not named must change nothing.
//! Which cases are measured for it is asked before ([`perturbations`]), what they say after.

use model::finding::{Evidence, Place};
use model::profile::Aspect;
use model::run::{CaseResult, CaseRole, Proof, ProofEffect, ProofOutcome, ProofStep, Run};
use model::search::CpuTake;
use model::{Finding, FindingKind, ParameterName, Resource, Severity, Value, fact, metric};

use crate::{CONFIDENCE, Context, measure};

/// The share that is taken away.
pub const TAKEN: f64 = 0.10;

/// What moves by less than this share of what was predicted did not move with it.
const MOVES: f64 = 0.5;

/// What moves by more than so many times what was predicted moved for another reason.
const TOO_MUCH: f64 = 2.5;

/// Relief that adds at least this shows that it was what lacked.
const RELIEVED: f64 = 0.05;

pub(crate) const ENGLISH: &str = r#"
finding-proof =
    { $outcome ->
        [proved] proved
        [refuted] refuted
       *[unproved] not proved
    }: { $evidence }

finding-proof-none =
    it cannot be proved here what the limit is: nothing of it can be taken away or added without touching others

evidence-proof-taken =
    { PERCENT($taken) } less of { RESOURCE($resource) } { $change ->
        [less] gave { PERCENT($by) } less
       *[more] gave { PERCENT($by) } more
    } ({ PERCENT($low) } to { PERCENT($high) })

evidence-proof-relief =
    { $parameter } { $to } instead of { $from } { $change ->
        [less] gave { PERCENT($by) } less
       *[more] gave { PERCENT($by) } more
    } ({ PERCENT($low) } to { PERCENT($high) })
"#;

/// What a finding about a proof means.
pub(crate) const CODES: &[(&str, &str)] = &[
    (
        "proof",
        "A tenth of what is named as the limit was taken away, or twice as much was allowed to be under way, in trials \
         beside those of the case. Proved: the result moved as predicted, and did not move with what was not named. \
         Refuted: it surely moved by less than half of that. Everything else is not proved.",
    ),
    (
        "proof-none",
        "The limit is one of which nothing can be taken away or added here without touching others, or without slowing any \
         load.",
    ),
];

/// One thing to try on a case.
#[derive(Clone, Debug, PartialEq)]
pub struct Perturbation {
    /// What it is for.
    pub step: ProofStep,
    /// What is done.
    pub how: PerturbationKind,
}

/// How a case is perturbed.
#[derive(Clone, Debug, PartialEq)]
pub enum PerturbationKind {
    /// A share of these CPUs is taken.
    Cpu(CpuTake),
    /// The same load runs beside it at so many operations a second.
    Device {
        /// Operations per second.
        rate: f64,
    },
    /// More is under way.
    Level {
        /// The parameter that is raised.
        parameter: ParameterName,
        /// Its value.
        value: u64,
    },
}

/// Verdicts that name processors of this machine.
const PROCESSORS: &[&str] = &["one-core-full", "own-cores-full", "all-cores-full", "sender-cpu"];

/// Verdicts that name a device, or what throttles it.
const DEVICES: &[&str] = &["device-full", "io-quota"];

/// What to try on a case of a run whose findings are made; none where its limit cannot be
/// moved. `named` stands for the verdict's code where it is given, for tests.
#[must_use]
pub fn perturbations(run: &Run, case: usize, named: Option<&str>) -> Vec<Perturbation> {
    let siblings = crate::Siblings::of(&run.cases);
    let Some(case) = run.cases.get(case) else { return Vec::new() };
    let context = Context::of(run, case, &siblings);
    let verdict = case.findings.iter().find(|f| f.kind == FindingKind::Bottleneck);
    let Some(verdict) = verdict.filter(|f| f.code != "cannot-tell") else { return Vec::new() };
    // Other writes would undo a steady state.
    if case.rounds.is_some() {
        return Vec::new();
    }
    let code = named.unwrap_or(&verdict.code);
    // A sender at the far end, or the interrupts of a CPU, cannot be taken time from here.
    let is_here = code != "sender-cpu"
        || !measure::sender(case).answers() && verdict.args.get("by") != Some(&Value::from("core"));
    let all: [Option<Perturbation>; 3] = if PROCESSORS.contains(&code) && is_here {
        let relief = (code == "one-core-full").then(|| more(case, Aspect::Workers, &context)).flatten();
        [cpu(case, &context, ProofStep::Named), device(case, &context, ProofStep::Other), relief]
    } else if DEVICES.contains(&code) && measure::device(case).is_some() {
        [device(case, &context, ProofStep::Named), cpu(case, &context, ProofStep::Other), None]
    } else if code == "latency-bound" || code == "round-trip-bound" {
        [None, None, more(case, Aspect::Depth, &context).or_else(|| more(case, Aspect::Workers, &context))]
    } else {
        [None, None, None]
    };
    let all: Vec<Perturbation> = all.into_iter().flatten().collect();
    // What is not named proves nothing alone.
    if all.iter().all(|p| p.step == ProofStep::Other) { Vec::new() } else { all }
}

/// A share of the CPUs that the load runs on, or may run on.
fn cpu(case: &CaseResult, context: &Context<'_>, step: ProofStep) -> Option<Perturbation> {
    let own = measure::good(case).find_map(|trial| {
        let workers = &trial.result.placement.as_ref()?.workers;
        workers.iter().filter(|w| w.load == 0).map(|w| w.cpu).collect::<Option<Vec<u32>>>()
    });
    let mut cpus = own
        .filter(|own| !own.is_empty())
        .unwrap_or_else(|| context.machine.map(|m| m.inventory.cpu.allowed.clone()).unwrap_or_default());
    cpus.sort_unstable();
    cpus.dedup();
    let is_known = !cpus.is_empty();
    let how = PerturbationKind::Cpu(CpuTake { cpus, share: TAKEN });
    is_known.then_some(Perturbation { step, how })
}

/// The same load beside it, at a tenth of its rate.
fn device(case: &CaseResult, context: &Context<'_>, step: ProofStep) -> Option<Perturbation> {
    // Another worker must have a CPU of its own, or it would take processor time.
    let cpus = context.machine.map_or(0, |m| m.inventory.cpu.allowed.len()) as f64;
    if !measure::is_closed(case) || !measure::is_direct(case) || measure::workers(case) >= cpus {
        return None;
    }
    measure::device(case)?;
    let (_, rate) = measure::operations(case)?;
    Some(Perturbation { step, how: PerturbationKind::Device { rate: rate * TAKEN } })
}

/// Twice as much under way.
fn more(case: &CaseResult, aspect: Aspect, context: &Context<'_>) -> Option<Perturbation> {
    let load = &case.loads.main;
    let parameter = load.profile.parameter(aspect)?;
    let value = load.parameters.integer(parameter).ok()?.checked_mul(2)?;
    let cpus = context.machine.map_or(0, |m| m.inventory.cpu.allowed.len()) as u64;
    let fits = aspect != Aspect::Workers || value <= cpus;
    let how = PerturbationKind::Level { parameter, value };
    fits.then_some(Perturbation { step: ProofStep::Relief, how })
}

/// What the trials beside a case say of its verdict; none where it was not asked.
pub(crate) fn of_case(run: &Run, place: usize) -> Option<Proof> {
    let case = &run.cases[place];
    let tried = run.cases.iter().filter_map(|other| match other.role {
        CaseRole::Proof { of, step } if of == place => Some((step, other)),
        _ => None,
    });
    let effects: Vec<ProofEffect> =
        tried.filter_map(|(step, other)| effect(run, case, other, step)).collect();
    if effects.is_empty() {
        return None;
    }
    let was_tried = |step| {
        let is = |role| matches!(role, CaseRole::Proof { of, step: own } if of == place && own == step);
        run.cases.iter().any(|other| is(other.role))
    };
    // What was to be tried and failed, or was tried too seldom, proves nothing.
    let has = |step| effects.iter().any(|e| e.step == step);
    let lacks = [ProofStep::Named, ProofStep::Other].into_iter().any(|step| was_tried(step) && !has(step));
    let few = effects.iter().any(|e| e.trials < TRIALS_LEAST);
    let outcome = if lacks || few { ProofOutcome::Unproved } else { judge(&effects) };
    Some(Proof { outcome, effects })
}

/// How much `other` differs from the case, in trials of the same blocks.
fn effect(run: &Run, case: &CaseResult, other: &CaseResult, step: ProofStep) -> Option<ProofEffect> {
    let rate = |case: &CaseResult, trial| crate::search_rate(case, trial, &run.definitions);
    let beside = |block: u32| measure::good(case).find(|t| t.block == block).and_then(|t| rate(case, t));
    let pairs: Vec<(f64, f64)> =
        measure::good(other).filter_map(|t| Some((rate(other, t)?, beside(t.block)?))).collect();
    let ratio = stats::comparison::paired_ratio(&pairs, CONFIDENCE)?;
    let own = measure::operations(case).map(|(_, rate)| rate);
    let company = other.loads.beside.get(case.loads.beside.len()..).and_then(<[_]>::first);
    let taken = match (&other.taken, company, own) {
        (Some(_), ..) => measure::median(other, |t| match t.result.main().facts.get(&fact::CPU_TAKEN) {
            Some(Value::Number(share)) => Some(*share),
            _ => None,
        }),
        (None, Some(load), Some(own)) if own > 0.0 => {
            let done = load
                .estimates
                .get(&metric::IOPS)
                .or_else(|| load.estimates.get(&metric::OPERATIONS_PER_SECOND));
            done.map(|done| done.median / own)
        }
        _ => None,
    };
    let resource = match &other.taken {
        Some(take) => Some(Resource::of_cpus(&take.cpus)),
        None => company.and_then(|_| measure::devices_name(case)),
    };
    let parameter = case.loads.main.parameters.iter().find_map(|(name, value)| {
        let theirs = other.loads.main.parameters.get(name)?;
        (resource.is_none() && theirs != value).then(|| (name, value.clone(), theirs.clone()))
    });
    let (parameter, from, to) = parameter.map_or((None, None, None), |(n, f, t)| (Some(n), Some(f), Some(t)));
    let interval = ratio.interval;
    Some(ProofEffect {
        step,
        resource,
        parameter,
        from: from.and_then(|v| v.number()),
        to: to.and_then(|v| v.number()),
        taken,
        effect: ratio.ratio - 1.0,
        low: interval.low - 1.0,
        high: interval.high - 1.0,
        trials: pairs.len(),
    })
}

/// Whether a result moved as much less as was taken.
fn moved(effect: &ProofEffect) -> Option<bool> {
    let taken = effect.taken.filter(|taken| *taken > 0.0)?;
    let follows = effect.high < 0.0 && effect.effect <= -MOVES * taken && effect.effect >= -TOO_MUCH * taken;
    match (follows, effect.low > -MOVES * taken) {
        (true, _) => Some(true),
        (false, true) => Some(false),
        (false, false) => None,
    }
}

fn judge(effects: &[ProofEffect]) -> ProofOutcome {
    let of = |step: ProofStep| effects.iter().find(move |e| e.step == step);
    let (named, other, relief) = (of(ProofStep::Named), of(ProofStep::Other), of(ProofStep::Relief));
    let is_relieved = relief.is_some_and(|e| e.low > 0.0 && e.effect >= RELIEVED);
    let (named, other) = (named.map(moved), other.map(moved));
    match (named, other) {
        // Twice the threads are twice as much under way, too: alone they do not tell a processor.
        (None, _) if is_relieved => ProofOutcome::Proved,
        (Some(Some(true)), None | Some(Some(false))) => ProofOutcome::Proved,
        (Some(Some(true)), _) => ProofOutcome::Unproved,
        (Some(Some(false)), _) => ProofOutcome::Refuted,
        (None, _) if relief.is_some_and(|e| e.high < RELIEVED) => ProofOutcome::Refuted,
        _ => ProofOutcome::Unproved,
    }
}

/// Whether more trials would decide it.
#[must_use]
pub fn is_open(run: &Run, place: usize) -> bool {
    let proof = of_case(run, place);
    proof.is_none_or(|proof| {
        proof.outcome == ProofOutcome::Unproved || proof.effects.iter().any(|e| e.trials < TRIALS_LEAST)
    })
}

/// Trials beside each other, at least, before a proof is given.
const TRIALS_LEAST: usize = 4;

/// The proof of a case, as a finding; where one was asked for and nothing could be tried, that.
pub(crate) fn finding(case: &CaseResult, is_asked: bool) -> Option<Finding> {
    let Some(proof) = &case.proof else {
        let has_verdict =
            case.findings.iter().any(|f| f.kind == FindingKind::Bottleneck && f.code != "cannot-tell");
        let none = || Finding::new(FindingKind::Proof, "proof-none", Severity::Note);
        return (is_asked && has_verdict && case.role == CaseRole::Asked).then(none);
    };
    let word = match proof.outcome {
        ProofOutcome::Proved => "proved",
        ProofOutcome::Refuted => "refuted",
        _ => "unproved",
    };
    let severity = if proof.outcome == ProofOutcome::Refuted { Severity::Warning } else { Severity::Note };
    let verdict = case.findings.iter().find(|f| f.kind == FindingKind::Bottleneck);
    let resource = verdict.and_then(|v| v.resource.clone()).unwrap_or(Resource::CPUS);
    let mut found = Finding::new(FindingKind::Proof, "proof", severity).on(resource).arg("outcome", word);
    for effect in &proof.effects {
        let place = || Place::Case(case.label.to_string());
        let change = if effect.effect < 0.0 { "less" } else { "more" };
        // Of what became less, the ends are said as how much less.
        let sign = if effect.effect < 0.0 { -1.0 } else { 1.0 };
        let (low, high) = (effect.low * sign, effect.high * sign);
        let said = |code: &str| {
            Evidence::at(code, place())
                .arg("change", change)
                .arg("by", effect.effect.abs())
                .arg("low", low.min(high))
                .arg("high", low.max(high))
        };
        found = found.because(match (&effect.resource, effect.parameter) {
            (Some(resource), _) => said("proof-taken")
                .arg("resource", resource.as_str())
                .arg("taken", effect.taken.unwrap_or_default()),
            (None, parameter) => said("proof-relief")
                .arg("parameter", parameter.map_or("", |p| p.as_str()))
                .arg("from", effect.from.unwrap_or_default())
                .arg("to", effect.to.unwrap_or_default()),
        });
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn effect(step: ProofStep, taken: Option<f64>, [low, effect, high]: [f64; 3]) -> ProofEffect {
        let (resource, parameter, from, to) = (None, None, None, None);
        ProofEffect { step, resource, parameter, from, to, taken, effect, low, high, trials: 5 }
    }

    #[test]
    fn what_moves_as_much_as_was_taken_is_proved_and_what_stays_is_refuted() {
        let named = |interval| effect(ProofStep::Named, Some(0.1), interval);
        let other = |interval| effect(ProofStep::Other, Some(0.1), interval);
        let stays = [-0.01, 0.0, 0.01];
        let falls = [-0.12, -0.1, -0.08];
        for (effects, outcome) in [
            (vec![named(falls), other(stays)], ProofOutcome::Proved),
            (vec![named(falls)], ProofOutcome::Proved),
            (vec![named(stays), other(falls)], ProofOutcome::Refuted),
            // Both moved: nobody knows which it was.
            (vec![named(falls), other(falls)], ProofOutcome::Unproved),
            // Too little is known.
            (vec![named([-0.2, -0.06, 0.1]), other(stays)], ProofOutcome::Unproved),
            // It fell by far more than was taken.
            (vec![named([-0.5, -0.4, -0.3]), other(stays)], ProofOutcome::Unproved),
        ] {
            assert_eq!(judge(&effects), outcome, "{effects:?}");
        }
    }

    /// Bug: twice the threads proved that a disk's one thread was held back by its processor.
    #[test]
    fn more_under_way_proves_a_wait_and_no_processor() {
        let relief = |interval| effect(ProofStep::Relief, None, interval);
        assert_eq!(judge(&[relief([0.5, 0.6, 0.7])]), ProofOutcome::Proved);
        assert_eq!(judge(&[relief([-0.01, 0.0, 0.02])]), ProofOutcome::Refuted);
        let named = effect(ProofStep::Named, Some(0.1), [-0.01, 0.0, 0.01]);
        assert_eq!(judge(&[named, relief([0.5, 0.6, 0.7])]), ProofOutcome::Refuted);
    }
}
