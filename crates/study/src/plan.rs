//! From a study to a plan: levels are combined, the agent says of each case
//! what it needs and whether it can run, and cases are put into groups.

mod goals;
mod grouping;
mod layer_settings;
mod layers;
pub(crate) mod load_curve;
mod missing;
mod named_resources;
mod observers;
mod pinned;
mod ramp;
pub(crate) mod search;
mod settings;
pub mod written;

use std::collections::BTreeMap;

use self::missing::{LeftOut, Missing};
use self::pinned::Pinned;
use agent::{Agent, AgentError, CallContext, unexpected};
use model::label::{Label, LabelPart, LoadLabel};
use model::message::{Reply, Request};
use model::plan::{Case, Effect, FixtureKey, LoadSpec, Plan, Problem, ProblemKind, Survey};
use model::profile::{Aspect, LoadEnd};
use model::setting::Change;
use model::study::{Level, StudyWorkload};
use model::workload::Catalogue;
use model::{ObserverKind, ParameterName, ParameterSpec, Parameters, Study, Value};
use sha2::{Digest, Sha256};

/// The most rounds: as many as SNIA tries before it calls a device unsteady.
pub(crate) const ROUNDS_MAX: u32 = 25;

/// The fewest rounds: a window.
pub(crate) const ROUNDS_MIN: u32 = stats::steady::SNIA_WINDOW as u32;

/// The most cases of one study.
const CASES_MAX: usize = 10_000;

/// What a trial needs beside its warm-up and window, in seconds: threads,
/// rings, histograms.
const TRIAL_OVERHEAD_S: f64 = 0.05;

/// For the estimate of time only: how fast bytes are written, in B/s.
const WRITE_RATE: f64 = 200e6;

/// For estimates only: how many windows a search for the rate that
/// keeps a latency takes, the one that counts included.
const SEARCH_WINDOWS: f64 = 4.0;

/// Why there is no plan.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// There would be too many cases.
    #[error("the study has {0} cases or workloads, more than can be planned")]
    TooLarge(usize),
    /// A case cannot be run.
    #[error("{label}: {}", problem.message)]
    Impossible {
        /// The case.
        label: String,
        /// Why not, and what to do.
        problem: Problem,
    },
    /// The agent did not answer.
    #[error(transparent)]
    Agent(#[from] AgentError),
}

impl PlanError {
    /// What was asked for makes no sense.
    fn invalid(label: impl ToString, message: String, help: impl Into<String>) -> Self {
        Self::Impossible { label: label.to_string(), problem: Problem::invalid(message, help) }
    }

    /// Whether the asking is wrong, rather than refused by the machine.
    #[must_use]
    pub fn is_invalid(&self) -> bool {
        match self {
            PlanError::TooLarge(_) => true,
            PlanError::Impossible { problem, .. } => problem.kind == ProblemKind::Invalid,
            PlanError::Agent(_) => false,
        }
    }

    /// What to do about it.
    #[must_use]
    pub fn help(&self) -> Option<&str> {
        match self {
            PlanError::TooLarge(_) => Some("give fewer levels"),
            PlanError::Impossible { problem, .. } => {
                Some(&problem.help).filter(|h| !h.is_empty()).map(String::as_str)
            }
            PlanError::Agent(_) => None,
        }
    }
}

/// A plan, and the cases that this machine cannot run with the reason.
#[derive(Debug)]
pub struct FeasiblePlan {
    /// What will be done.
    pub plan: Plan,
    /// What cannot be.
    pub left_out: Vec<(Case, Problem)>,
}

/// Makes the plan of a study that is then carried out. Nothing is changed; what observers need is begun, and
/// ended at once, for nothing else tells whether it can be had.
///
/// # Errors
/// If a case cannot be run and the study does not leave such cases out, or none is left.
pub fn make(
    study: &Study,
    catalogue: &Catalogue,
    agent: &mut dyn Agent,
    watch: &mut CallContext<'_>,
) -> Result<FeasiblePlan, PlanError> {
    plan(study, catalogue, (agent, watch), true)
}

/// Makes the plan to be looked at; touches nothing, so that what observers need is only looked for.
///
/// # Errors
/// Those of [`make`].
pub fn look(
    study: &Study,
    catalogue: &Catalogue,
    agent: &mut dyn Agent,
    watch: &mut CallContext<'_>,
) -> Result<FeasiblePlan, PlanError> {
    plan(study, catalogue, (agent, watch), false)
}

fn plan(
    study: &Study,
    catalogue: &Catalogue,
    (agent, watch): (&mut dyn Agent, &mut CallContext<'_>),
    is_tried: bool,
) -> Result<FeasiblePlan, PlanError> {
    settings::check(study, catalogue)?;
    if named_resources::any(study) {
        named_resources::check(study, &agent.describe(watch)?, catalogue)?;
    }
    let pinned = Pinned::of(study, agent, watch)?;
    let expanded = expand(study, catalogue)?;
    let cases: Vec<Vec<LoadSpec>> = expanded.iter().map(|c| c.loads.clone()).collect();
    let (destroy, wipe) = (study.controls.destroy.clone(), study.controls.wipe.clone());
    let surveys = match agent.call(Request::Survey { cases, destroy, wipe }, watch)? {
        Reply::Survey(surveys) if surveys.len() == expanded.len() => surveys,
        other => return Err(unexpected(other).into()),
    };
    let missing = Missing::of(study, (&expanded, &surveys), agent, watch)?;
    let unobserved = observers::missing((&expanded, &surveys), agent, watch, is_tried)?;
    let mut cases: Vec<Case> = Vec::new();
    let mut tests = Vec::new();
    let mut left_out = LeftOut::default();
    for ((mut candidate, survey), unobserved) in expanded.into_iter().zip(surveys).zip(unobserved) {
        let mut problem = survey.problem.clone().or_else(|| search::problem(&candidate, &survey));
        problem = problem.or_else(|| pinned.as_ref()?.problem(&survey.loads, catalogue));
        let test = candidate.test;
        if problem.is_none() {
            problem = missing.settle((study, catalogue), &mut candidate, &survey, &mut left_out)?;
        }
        if let Some(reason) = unobserved.filter(|_| problem.is_none()) {
            observers::leave_out((study, catalogue), &mut candidate, (&survey, reason), &mut left_out)?;
        }
        let case = to_case(candidate, survey, study, catalogue);
        match problem {
            Some(_) if study.skip_impossible && left_out.cases.iter().any(|(c, _)| is_same(c, &case)) => {}
            Some(problem) if study.skip_impossible => left_out.cases.push((case, problem)),
            Some(problem) => return Err(PlanError::Impossible { label: case.label.to_string(), problem }),
            // Words may resolve to what another level says already: `all` is 1
            // on a machine with one CPU.
            None if cases.iter().any(|c| is_same(c, &case)) => {}
            None => {
                tests.push(test);
                cases.push(case);
            }
        }
    }
    if let ([], Some((case, problem))) = (&cases[..], left_out.cases.first()) {
        return Err(PlanError::Impossible { label: case.label.to_string(), problem: problem.clone() });
    }
    goals::check(study, catalogue, cases.iter().chain(left_out.cases.iter().map(|(case, _)| case)))?;
    let groups = grouping::group(&mut cases, &tests, catalogue);
    ramp::check(study, catalogue, (&cases, groups))?;
    for (index, case) in cases.iter_mut().enumerate() {
        case.index = index;
    }
    let controls = &study.controls;
    let least = needed(&cases, groups, |case| case_s(case, controls.trials_min, ROUNDS_MIN));
    let most = needed(&cases, groups, |case| case_s(case, controls.trials_max, ROUNDS_MAX));
    let seconds = (least, most);
    let plan = Plan { cases, groups, controls: study.controls.clone(), seconds };
    Ok(FeasiblePlan { plan, left_out: left_out.cases })
}

/// Whether two cases would measure the same.
fn is_same(a: &Case, b: &Case) -> bool {
    (&a.loads, &a.settings, &a.observe, a.search) == (&b.loads, &b.settings, &b.observe, b.search)
}

/// One combination of levels, before the agent has seen it.
#[derive(Clone)]
struct Candidate {
    loads: Vec<LoadSpec>,
    /// The parameter that is searched, which is 1 until then.
    search: Option<ParameterName>,
    /// Hash of what makes two cases the same work.
    work_id: String,
    settings: Vec<Change>,
    observe: Vec<ObserverKind>,
    label: Label,
    /// Which of the study's workloads it is of.
    test: usize,
}

fn expand(study: &Study, catalogue: &Catalogue) -> Result<Vec<Candidate>, PlanError> {
    if study.workloads.len() > CASES_MAX / 10 {
        return Err(PlanError::TooLarge(study.workloads.len()));
    }
    let mut all = Vec::new();
    for (test, workload) in study.workloads.iter().enumerate() {
        let mut combinations = vec![Vec::new()];
        for load in std::iter::once(workload).chain(&workload.with) {
            // Counted before they are made: a product soon fills the memory.
            let levels = load.parameters.values().map(Vec::len);
            let count = levels.fold(combinations.len(), usize::saturating_mul);
            let count = count.saturating_mul(settings::count(study, workload));
            if count.saturating_add(all.len()) > CASES_MAX {
                return Err(PlanError::TooLarge(count.saturating_add(all.len())));
            }
            let variants = layers::each_layer(variants(load, catalogue), catalogue);
            combinations = each_with_each(&combinations, &variants);
        }
        for mut loads in combinations {
            share_target(&mut loads, workload, catalogue);
            let sets = settings::combinations(study, workload, &loads, catalogue);
            let unplaced = |problem| PlanError::Impossible { label: workload.kind.to_string(), problem };
            for settings in sets.map_err(unplaced)? {
                let label = label(&loads, &settings, study, workload, catalogue);
                let work_id = work_id(&loads, catalogue);
                let mut loads = loads.clone();
                let search = search::begin(&mut loads, catalogue)
                    .map_err(|(message, help)| PlanError::invalid(&label, message, help))?;
                let observe = workload.observe.clone();
                all.push(Candidate { loads, search, work_id, settings, observe, label, test });
            }
        }
    }
    refuse_idle(study, catalogue, &all)?;
    Ok(all)
}

/// Every list with every one of `more` behind it, the first varying slowest.
fn each_with_each<T: Clone>(lists: &[Vec<T>], more: &[T]) -> Vec<Vec<T>> {
    let with = |list: &[T], one: &T| [list, std::slice::from_ref(one)].concat();
    lists.iter().flat_map(|list| more.iter().map(move |one| with(list, one))).collect()
}

/// What runs beside a load runs on the same target, or with the same other end,
/// unless it was given one: a neighbour somewhere else would tell nothing, and
/// nobody asked for a file there.
fn share_target(loads: &mut [LoadSpec], workload: &StudyWorkload, catalogue: &Catalogue) {
    let Some((main, with)) = loads.split_first_mut() else { return };
    let named = |load: &LoadSpec, aspect| catalogue.parameter_for(catalogue.workload(load.workload)?, aspect);
    layers::share_stack(main, with, workload, catalogue);
    for aspect in [Aspect::Targets, Aspect::Peer] {
        let Some(target) = named(main, aspect).and_then(|name| main.parameters.get(name)) else { continue };
        for (load, given) in with.iter_mut().zip(&workload.with) {
            let Some(name) = named(load, aspect) else { continue };
            if load.parameters.get(name).is_some() && !given.parameters.contains_key(&name) {
                load.parameters.set(name, target.clone());
            }
        }
    }
}

/// Refuses what was asked for and has no meaning in any case: it would silently
/// do nothing.
fn refuse_idle(study: &Study, catalogue: &Catalogue, all: &[Candidate]) -> Result<(), PlanError> {
    for load in study.workloads.iter().flat_map(|w| std::iter::once(w).chain(&w.with)) {
        let Some(spec) = catalogue.workload(load.kind) else { continue };
        for name in load.parameters.keys() {
            let of_kind = |l: &&LoadSpec| l.workload == load.kind;
            let mut same = all.iter().flat_map(|c| &c.loads).filter(of_kind);
            let used = same.any(|l| l.parameters.get(*name).is_some());
            let with = catalogue.parameter(spec, name.as_str()).and_then(|p| p.with);
            if let Some((other, values)) = with.filter(|_| !used) {
                return Err(PlanError::invalid(
                    load.kind,
                    format!("`{name}` has no meaning here: it goes with {other}={}", values.join(" or ")),
                    format!("leave it out, or give {other}"),
                ));
            }
        }
    }
    Ok(())
}

/// Every combination of one load's levels, the first parameter varying slowest.
fn variants(load: &StudyWorkload, catalogue: &Catalogue) -> Vec<LoadSpec> {
    let Some(spec) = catalogue.workload(load.kind) else { return Vec::new() };
    let mut sets = vec![Parameters::default()];
    for parameter in catalogue.parameters(spec) {
        let given = load.parameters.get(&parameter.name);
        let default = || parameter.default.and_then(|text| parameter.parse(text).ok()).map(|v| vec![vec![v]]);
        let Some(levels) = given.cloned().or_else(default) else { continue };
        sets = sets
            .iter()
            .flat_map(|set| levels.iter().map(move |level| with_level(set, parameter.name, level)))
            .collect();
    }
    let mut variants: Vec<LoadSpec> = Vec::new();
    for mut parameters in sets {
        catalogue.drop_idle(spec, &mut parameters);
        let variant = LoadSpec::new(load.kind, parameters);
        // Levels of what has no meaning here are one case.
        if !variants.contains(&variant) {
            variants.push(variant);
        }
    }
    variants
}

fn with_level(set: &Parameters, name: ParameterName, level: &Level) -> Parameters {
    let mut set = set.clone();
    let value = match &level[..] {
        [] => return set,
        [value] => value.clone(),
        parts => Value::List(parts.to_vec()),
    };
    set.set(name, value);
    set
}

/// The workload and those parameters and settings that tell its cases apart
/// within the study.
fn label(
    loads: &[LoadSpec],
    changes: &[Change],
    study: &Study,
    workload: &StudyWorkload,
    catalogue: &Catalogue,
) -> Label {
    let is_single = study.workloads.len() == 1
        && workload.parameters.values().all(|levels| levels.len() == 1)
        && study.settings_of(workload).values().all(|levels| levels.len() == 1);
    let one = |(place, load): (usize, &LoadSpec)| {
        let spec = catalogue.workload(load.workload)?;
        let siblings: Vec<&StudyWorkload> = match place {
            0 => study.workloads.iter().filter(|w| w.kind == load.workload).collect(),
            _ => workload.with.iter().skip(place - 1).take(1).collect(),
        };
        let varies = |name: ParameterName| {
            let given: Vec<_> = siblings.iter().map(|w| w.parameters.get(&name)).collect();
            given.windows(2).any(|w| w[0] != w[1])
                || given
                    .iter()
                    .flatten()
                    .any(|levels| layers::stands_for_several(spec, name, levels, catalogue))
                || given.iter().flatten().any(|levels| levels.len() > 1)
                || (place > 0 || is_single) && given.iter().any(Option::is_some)
        };
        let part = |parameter: &'static ParameterSpec| {
            let value = load.parameters.get(parameter.name).filter(|_| varies(parameter.name))?;
            Some(LabelPart { name: parameter.name.to_string(), kind: parameter.kind, value: value.clone() })
        };
        let parameters = catalogue.parameters(spec).filter_map(part).collect();
        Some(LoadLabel { workload: load.workload, parameters })
    };
    let loads = loads.iter().enumerate().filter_map(one).collect();
    Label { loads, settings: settings::label_parts(study, workload, changes, is_single) }
}

fn to_case(candidate: Candidate, survey: Survey, study: &Study, catalogue: &Catalogue) -> Case {
    let surveyed = if survey.problem.is_some() { &candidate.loads } else { &survey.loads };
    let work_id = search::work_id_of(&candidate, surveyed, catalogue);
    let loads = if survey.problem.is_some() { candidate.loads } else { survey.loads };
    let window_s = loads.first().map_or(1.0, |main| trial_s(main) + rest_s(main));
    let mut case = Case {
        index: 0,
        work_id,
        label: candidate.label,
        settings: candidate.settings,
        fixtures: survey.fixtures,
        effect: survey.effect,
        path: survey.path,
        limits: survey.limits,
        search: candidate.search,
        search_s: None,
        take_cpu: None,
        observe: candidate.observe,
        group: 0,
        trial_s: study.controls.warm_up_s + window_s + TRIAL_OVERHEAD_S,
        loads,
    };
    case.search_s = case.search.map(|_| search::usual_s(&case) + load_curve::usual_s(&case, catalogue));
    case
}

/// Hash of what makes two cases the same work: workloads, the version of their
/// definitions, and the parameters that are part of the work.
#[must_use]
pub fn work_id(loads: &[LoadSpec], catalogue: &Catalogue) -> String {
    let mut hash = Sha256::new();
    for load in loads {
        let Some(spec) = catalogue.workload(load.workload) else { continue };
        let work: BTreeMap<ParameterName, &Value> = load
            .parameters
            .iter()
            .filter(|(name, value)| counts(catalogue.parameter(spec, name.as_str()), value))
            .collect();
        let work = serde_json::to_string(&work).unwrap_or_default();
        hash.update(format!("{} {} {work}\n", spec.name, spec.definition_version));
    }
    shortened(hash)
}

/// The first digits of a hash, which are enough to tell works apart.
pub(crate) fn shortened(hash: Sha256) -> String {
    hash.finalize().iter().take(8).map(|b| format!("{b:02x}")).collect()
}

/// Whether a parameter tells works apart. One at its default does not, so that
/// a new parameter leaves the ids of old runs as they are.
fn counts(spec: Option<&'static ParameterSpec>, value: &Value) -> bool {
    let Some(spec) = spec else { return true };
    spec.work && spec.default_value().as_ref() != Some(value)
}

/// Seconds for all cases, of which each takes so many, fixtures included.
pub(crate) fn needed(cases: &[Case], groups: usize, each: impl Fn(&Case) -> f64) -> f64 {
    let mut kept: Vec<&FixtureKey> = Vec::new();
    let mut preparing = 0.0;
    for group in 0..groups {
        let own: Vec<&Case> = cases.iter().filter(|c| c.group == group).collect();
        for fixture in own.iter().flat_map(|c| &c.fixtures) {
            if !kept.contains(&fixture) {
                preparing += fixture.written as f64 / WRITE_RATE;
                kept.push(fixture);
            }
        }
        // A state that was changed is made again for the next group.
        if own.iter().any(|c| c.effect != Effect::Clean) {
            kept.retain(|f| !f.has_state());
        }
    }
    preparing + cases.iter().map(each).sum::<f64>()
}

/// Seconds for so many trials of a case, or rounds where it has them, with what a search takes.
pub(crate) fn case_s(case: &Case, trials: u32, rounds: u32) -> f64 {
    let observed = if case.observe.is_empty() { 0 } else { trials };
    let own = case.trial_s * f64::from(trials_of(case, trials, rounds) + observed);
    match case.search_s {
        // Levels, then two cases: the most, and the least concurrency that gives nearly as much.
        Some(search_s) => search_s + 2.0 * own,
        None => own,
    }
}

/// How often a case is measured: the last rounds are its first trials.
pub(crate) fn trials_of(case: &Case, trials: u32, rounds: u32) -> u32 {
    if case.has_rounds() { rounds + trials.saturating_sub(ROUNDS_MIN) } else { trials }
}

/// For how long nothing runs in a trial of a load, in seconds.
fn rest_s(load: &LoadSpec) -> f64 {
    load.profile.as_ref().map_or(0.0, |p| p.idle_s.unwrap_or(0.0) + p.cool_down_s.unwrap_or(0.0))
}

/// How long one trial of a load takes, about, in seconds.
fn trial_s(load: &LoadSpec) -> f64 {
    let Some(profile) = &load.profile else { return 1.0 };
    let window_s = profile.window_s.unwrap_or(1.0);
    let moving = |bytes: u64| bytes as f64 / WRITE_RATE;
    match profile.end {
        LoadEnd::Pass | LoadEnd::Full => {
            profile.span_bytes.map_or(window_s, |span| moving(span) * profile.targets.max(1) as f64)
        }
        LoadEnd::Bytes(bytes) => moving(bytes),
        _ if profile.concurrency.is_searched() => window_s * SEARCH_WINDOWS,
        _ => window_s,
    }
}
