//! Proof by perturbation: a tenth of what is named as the limit is taken away, or more of it given,
//! and the result must move as that predicts; a tenth of what is not named must change nothing.
//! Which cases are measured for it is asked before ([`perturbations`]), what they say after.

mod attempt;
mod judge;
#[cfg(test)]
mod tests;

use model::finding::{Evidence, Place};
use model::profile::Aspect;
use model::run::{CaseResult, CaseRole, Proof, ProofEffect, ProofOutcome, ProofStep, Run};
use model::search::UnprovedReason;
use model::{Finding, FindingKind, Resource, Severity, Value, fact, metric};
use stats::response::{self, PAIRS_LEAST};

pub use attempt::{Perturbation, PerturbationKind, perturbations};
use judge::{Tried, judge};

use crate::{CONFIDENCE, measure};

/// The share that is taken away.
pub const TAKEN: f64 = 0.10;

/// Less than this share of a resource shows nothing.
const TAKEN_LEAST: f64 = 0.03;

/// More than so much of processors is not what was asked for: others had them meanwhile.
const TAKEN_MOST: f64 = 0.4;

/// What more of something would give, at least, had it been what lacked: where it gives half of this
/// it is believed. Another limit may stand close above, so it is not in proportion to what is given.
const RELIEVED: f64 = 1.10;

/// Work that takes so many times the time, or so much less, is done in another way.
const OTHERWISE: f64 = 1.4;

/// So many times as much must have been granted for a window to have been given.
const GRANTED: f64 = 1.25;

pub(crate) const ENGLISH: &str = r#"
finding-proof =
    { $outcome ->
        [proved] proved
        [refuted] refuted
       *[unproved] { $why ->
            [both] not proved, for what was not named moved it as well
            [exceeds] not proved, for it fell by far more than was taken
            [little] not proved, for too little of it could be taken or given
            [otherwise] not proved, for the load did its work in another way while it was tried
            [failed] not proved, for trials failed
            [noisy] not proved, for the trials differ too much
           *[other] not proved
        }
    }: { $evidence }

finding-proof-none =
    it cannot be proved here what the limit is: { $why ->
        [others] other programs use what something would have to be taken of
        [steady] other writes would undo the steady state
        [untried] there was no time for it, or it was refused
       *[nothing] nothing of it can be taken away or added without touching others
    }

proof-changed =
    { $change ->
        [less] gave { PERCENT($by, decimals: 1) } less
        [more] gave { PERCENT($by, decimals: 1) } more
       *[nothing] changed nothing
    } ({ PERCENT($low, decimals: 1) } to { PERCENT($high, decimals: 1) })

evidence-proof-taken =
    { PERCENT($taken) } less of { RESOURCE($resource) }{ of-end } { proof-changed }{ $idles ->
        [yes] , though it was idle { PERCENT($idle) } of the time without that
       *[no] {""}
    }
evidence-proof-relief = { $parameter } { $to } instead of { $from } { proof-changed }
evidence-proof-window = { $parameter } { BINARY($to) } instead of { BINARY($from) } { proof-changed }
evidence-proof-raised = { PERCENT($more) } more { $parameter } { proof-changed }
"#;

/// What a finding about a proof means.
pub(crate) const CODES: &[(&str, &str)] = &[
    (
        "proof",
        "In trials beside those of the case a tenth of what is named as the limit was taken away, or more of it was given, \
         and a tenth of something else was taken away. Proved: the result followed what was named in proportion, and not the other. \
         Refuted: it surely followed by less than three quarters, and probably by less than half; or the CPUs that are named \
         stood idle for half of the time, and what is idle holds nothing back. What follows is said at an \
         error of less than 5 %, for trials that differ by up to 8 %. Everything else is not proved, and the text says why.",
    ),
    (
        "proof-none",
        "The limit is one of which nothing can be taken away or added here without touching others, or without slowing any \
         load; or it was not tried.",
    ),
];

/// What the trials beside a case say of its verdict; none where it was not asked.
pub(crate) fn of_case(run: &Run, place: usize) -> Option<Proof> {
    let case = &run.cases[place];
    let of_place = |other: &CaseResult| match other.role {
        CaseRole::Proof { of, step } if of == place => Some(step),
        _ => None,
    };
    let all: Vec<(ProofStep, &CaseResult)> =
        run.cases.iter().filter_map(|other| Some((of_place(other)?, other))).collect();
    let tried: Vec<Tried> = all.iter().filter_map(|(step, other)| tried(run, case, other, *step)).collect();
    if tried.is_empty() {
        return None;
    }
    // What was to be tried and failed proves nothing.
    let lacks = |step| all.iter().any(|(own, _)| *own == step) && tried.iter().all(|t| t.effect.step != step);
    let has_failed = [ProofStep::Named, ProofStep::Other, ProofStep::Rival].into_iter().any(lacks);
    let (outcome, why) =
        if has_failed { (ProofOutcome::Unproved, Some(UnprovedReason::Failed)) } else { judge(&tried) };
    Some(Proof { outcome, why, effects: tried.into_iter().map(|t| t.effect).collect() })
}

/// How much `other` differs from the case, in trials of the same blocks, and what that says.
fn tried(run: &Run, case: &CaseResult, other: &CaseResult, step: ProofStep) -> Option<Tried> {
    let rate = |case: &CaseResult, trial| crate::search_rate(case, trial, &run.definitions);
    let beside = |block: u32| measure::good(case).find(|t| t.block == block).and_then(|t| rate(case, t));
    let pairs: Vec<(f64, f64)> =
        measure::good(other).filter_map(|t| Some((rate(other, t)?, beside(t.block)?))).collect();
    let ratio = stats::comparison::paired_ratio(&pairs, CONFIDENCE)?;
    let changed = Change::of(case, other);
    let of_group = other.taken.as_ref().filter(|take| take.of_group);
    let otherwise = of_group.is_some_and(|take| is_otherwise(case, other, take.far));
    let in_proportion = match (changed.taken, changed.raised) {
        (Some(taken), _) => Some(-taken),
        (None, raised) => raised,
    };
    let little = changed.taken.is_some_and(|taken| taken < TAKEN_LEAST) || !changed.was_given;
    let predicted = match changed.taken {
        Some(taken) => 1.0 - taken.min(0.9),
        None => RELIEVED,
    };
    let interval = ratio.interval;
    let Change { resource, machine, setting, parameter, from, to, taken, idle, .. } = changed;
    let effect = ProofEffect {
        step,
        resource,
        machine,
        setting,
        parameter,
        from,
        to,
        taken,
        idle,
        in_proportion,
        effect: ratio.ratio - 1.0,
        low: interval.low - 1.0,
        high: interval.high - 1.0,
        trials: pairs.len(),
    };
    Some(Tried { effect, response: response::of_pairs(&pairs, predicted), little, otherwise })
}

/// Whether the workers of an end spent far more or far less time on what the case measures than
/// without the perturbation: a load that waits for its quota wakes up elsewhere, and leaves what its
/// kernel does to others.
fn is_otherwise(case: &CaseResult, other: &CaseResult, far: bool) -> bool {
    let names: &[_] = match far {
        true => &[metric::PEER_CPU_PER_BYTE],
        false => &[metric::CPU_PER_BYTE, metric::CPU_PER_OPERATION],
    };
    let cost = |case: &CaseResult| names.iter().find_map(|name| measure::estimated(case, *name));
    let ratio = cost(other).zip(cost(case)).map(|(with, without)| with / without);
    ratio.is_some_and(|ratio| !(1.0 / OTHERWISE..=OTHERWISE).contains(&ratio))
}

/// What a perturbed case has otherwise than the case.
#[derive(Default)]
struct Change {
    resource: Option<Resource>,
    machine: Option<String>,
    setting: Option<String>,
    parameter: Option<model::ParameterName>,
    from: Option<f64>,
    to: Option<f64>,
    /// The share that was really taken.
    taken: Option<f64>,
    /// For which share of the time the CPUs were idle without it.
    idle: Option<f64>,
    /// How much more a setting lets through.
    raised: Option<f64>,
    /// Whether what was to be given was granted.
    was_given: bool,
}

impl Change {
    fn of(case: &CaseResult, other: &CaseResult) -> Self {
        if let Some(take) = &other.taken {
            return Self::of_cpus(case, other, take);
        }
        if let Some(company) = other.loads.beside.get(case.loads.beside.len()..).and_then(<[_]>::first) {
            return Self::of_company(case, company);
        }
        let setting = case.settings.iter().find_map(|(key, states)| {
            let asked = |states: &[model::setting::SettingState]| states.first()?.asked.number();
            let (from, to) = (asked(states)?, asked(other.settings.get(key)?)?);
            (from != to).then(|| (key.clone(), from, to))
        });
        if let Some((key, from, to)) = setting {
            let raised = (from > 0.0).then(|| to / from - 1.0);
            let ends = Self { from: Some(from), to: Some(to), ..Self::default() };
            return Self { setting: Some(key), raised, was_given: true, ..ends };
        }
        let of_main = |(name, value): (model::ParameterName, &Value)| {
            let own = case.loads.main.parameters.get(name);
            (own != Some(value)).then(|| (name, own.and_then(Value::number), value.number()))
        };
        let Some((name, from, to)) = other.loads.main.parameters.iter().find_map(of_main) else {
            return Self::default();
        };
        let is_window = case.loads.main.profile.parameter(Aspect::Window) == Some(name);
        let granted = [case, other].map(attempt::granted);
        let was_given = match granted {
            [Some(before), Some(now)] if is_window => now >= GRANTED * before,
            _ => true,
        };
        // Of sockets that the kernel sizes: what it gave, which is twice what one asks for.
        let from = from.or_else(|| granted[0].filter(|_| is_window).map(|bytes| bytes / 2.0));
        // One thread less is so much less of the CPUs.
        let fewer = from.zip(to).filter(|(from, to)| to < from && !is_window);
        let taken = fewer.map(|(from, to)| 1.0 - to / from);
        let resource = taken.map(|_| Resource::CPUS);
        Self { resource, parameter: Some(name), from, to, taken, was_given, ..Self::default() }
    }

    fn of_cpus(case: &CaseResult, other: &CaseResult, take: &model::search::CpuTake) -> Self {
        let end = if take.far { measure::End::Answers } else { measure::End::Drives };
        let share = measure::median(other, |trial| end.number(trial, fact::CPU_TAKEN));
        // Of all that the group has without it: a quota gives it no more beside it.
        let group = measure::median(case, |trial| {
            let of = |name| end.rate(trial, &Resource::OWN_PROCESS, name);
            Some(of("user")? + of("system")?)
        });
        let taken = match (share, group.filter(|group| *group > 0.0)) {
            (Some(share), Some(group)) if take.of_group => Some(share * take.cpus.len() as f64 / group),
            (Some(share), _) if !take.of_group => Some(share),
            _ => None,
        };
        // What was held up for longer than it asked for took more than is in proportion to anything.
        let taken = taken.filter(|taken| *taken <= TAKEN_MOST);
        let machine = end.machine(other).map(str::to_owned);
        Self {
            resource: Some(attempt::resource_of(take)),
            machine,
            idle: idle(case, take, end).filter(|_| !take.of_group),
            taken,
            was_given: taken.is_some(),
            ..Self::default()
        }
    }

    fn of_company(case: &CaseResult, company: &model::run::CaseLoad) -> Self {
        let of = |load: &model::run::CaseLoad, name| load.estimates.get(&name).map(|e| e.median);
        let names = [metric::IOPS, metric::OPERATIONS_PER_SECOND, metric::THROUGHPUT];
        let taken = names.into_iter().find_map(|name| {
            let own = of(&case.loads.main, name).filter(|own| *own > 0.0)?;
            Some(of(company, name)? / own)
        });
        let resource = measure::devices_name(case).or_else(|| {
            let nic = case.path.iter().find(|s| s.resource.is_named(model::ResourceKind::Nic));
            nic.map(|step| step.resource.clone())
        });
        Self { resource, taken, was_given: taken.is_some(), ..Self::default() }
    }
}

/// For which share of the time neither the CPUs of which something is taken were busy nor the load's
/// threads computed or stood ready: a thread that fills one of many CPUs leaves these idle, and is
/// full.
fn idle(case: &CaseResult, take: &model::search::CpuTake, end: measure::End) -> Option<f64> {
    let cpus = measure::median(case, |trial| {
        let of = |cpu: &u32| {
            let rate = |name| end.rate(trial, &Resource::of(model::ResourceKind::Cpu, *cpu), name);
            Some(rate("idle")? + rate("iowait").unwrap_or(0.0))
        };
        Some(take.cpus.iter().map(of).sum::<Option<f64>>()? / take.cpus.len() as f64)
    })?;
    // Both ends may run on the CPUs of one machine.
    let both = [measure::End::Drives, measure::End::Answers];
    let ends =
        both.into_iter().filter(|one| *one == end || measure::is_net(case) && measure::is_one_machine(case));
    let wanted = |end: measure::End| end.wanted_share(case).or_else(|| end.worker_share(case));
    let wanted = ends.map(wanted).try_fold(0.0, |most: f64, share| Some(most.max(share?)))?;
    Some(cpus.min(1.0 - wanted).max(0.0))
}

/// Whether more trials would decide it.
#[must_use]
pub fn is_open(run: &Run, place: usize) -> bool {
    of_case(run, place).is_none_or(|proof| {
        proof.why == Some(UnprovedReason::Noisy) || proof.effects.iter().any(|e| e.trials < PAIRS_LEAST)
    })
}

/// Why a case has no proof although one was asked for; none where it has one, or no verdict.
pub(crate) fn why_none(run: &Run, place: usize) -> Option<&'static str> {
    let case = &run.cases[place];
    let is_verdict = |f: &&Finding| f.kind == FindingKind::Bottleneck && f.code != "cannot-tell";
    let is_asked = run.study.controls.prove && case.role == CaseRole::Asked && case.proof.is_none();
    case.findings.iter().find(is_verdict).filter(|_| is_asked)?;
    Some(perturbations(run, place, None, &|_| None).err().unwrap_or("untried"))
}

/// The proof of a case, as a finding.
pub(crate) fn finding(run: &Run, place: usize) -> Option<Finding> {
    let case = &run.cases[place];
    let Some(proof) = &case.proof else {
        let none = |why| Finding::new(FindingKind::Proof, "proof-none", Severity::Note).arg("why", why);
        return why_none(run, place).map(none);
    };
    let word = match proof.outcome {
        ProofOutcome::Proved => "proved",
        ProofOutcome::Refuted => "refuted",
        _ => "unproved",
    };
    let severity = if proof.outcome == ProofOutcome::Refuted { Severity::Warning } else { Severity::Note };
    let verdict = case.findings.iter().find(|f| f.kind == FindingKind::Bottleneck);
    let resource = verdict.and_then(|v| v.resource.clone()).unwrap_or(Resource::CPUS);
    let found = Finding::new(FindingKind::Proof, "proof", severity).on(resource).arg("outcome", word);
    let found = found.arg("why", proof.why.map_or("", UnprovedReason::word));
    Some(found.because_all(proof.effects.iter().map(|effect| evidence(case, effect))))
}

/// What one perturbation did, in a sentence.
fn evidence(case: &CaseResult, effect: &ProofEffect) -> Evidence {
    let place = || Place::Case(case.label.to_string());
    // Whose interval holds 0 showed no change.
    let change = match effect.effect {
        _ if effect.low <= 0.0 && effect.high >= 0.0 => "nothing",
        effect if effect < 0.0 => "less",
        _ => "more",
    };
    // Of what became less, the ends are said as how much less.
    let sign = if change == "less" { -1.0 } else { 1.0 };
    let (low, high) = (effect.low * sign, effect.high * sign);
    let said = |code: &str| {
        Evidence::at(code, place())
            .arg("change", change)
            .arg("by", effect.effect.abs())
            .arg("low", low.min(high))
            .arg("high", low.max(high))
    };
    let end = if effect.machine.is_some() { measure::End::Answers } else { measure::End::Drives };
    match (&effect.resource, &effect.setting, effect.parameter) {
        (Some(resource), ..) => said("proof-taken")
            .arg("resource", resource.as_str())
            .arg("taken", effect.taken.unwrap_or_default())
            .arg("idle", effect.idle.unwrap_or_default())
            .arg("idles", effect.step == ProofStep::Named && judge::is_idle(effect))
            .arg("end", end.word())
            .arg("machine", effect.machine.as_deref().unwrap_or_default()),
        (None, Some(setting), _) => said("proof-raised")
            .arg("parameter", setting.as_str())
            .arg("more", effect.in_proportion.unwrap_or_default()),
        (None, None, parameter) => {
            let is_window =
                parameter.is_some() && case.loads.main.profile.parameter(Aspect::Window) == parameter;
            said(if is_window { "proof-window" } else { "proof-relief" })
                .arg("parameter", parameter.map_or("", |p| p.as_str()))
                .arg("from", effect.from.unwrap_or_default())
                .arg("to", effect.to.unwrap_or_default())
        }
    }
}
