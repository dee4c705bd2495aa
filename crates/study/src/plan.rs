//! From a study to a plan: levels are combined, the agent says of each case
//! what it needs and whether it can run, and cases are put into groups.

use std::collections::BTreeMap;

use agent::{Agent, AgentError, Watch, unexpected};
use model::message::{Reply, Request};
use model::plan::{Case, FixtureKey, LoadSpec, Plan, Problem, ProblemKind, Survey};
use model::study::{Level, StudyWorkload};
use model::workload::Catalogue;
use model::{ParameterSpec, Parameters, Study, Value, scalar};
use sha2::{Digest, Sha256};

/// The most cases of one study.
const CASES_MAX: usize = 10_000;

/// What a trial needs beside its warm-up and window, in seconds: threads,
/// rings, histograms.
const TRIAL_OVERHEAD_S: f64 = 0.05;

/// For the estimate of time only: how fast a fixture is written, in B/s.
const FIXTURE_RATE: f64 = 200e6;

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
pub struct Planned {
    /// What will be done.
    pub plan: Plan,
    /// What cannot be.
    pub left_out: Vec<(Case, Problem)>,
}

/// Makes the plan; touches nothing.
///
/// # Errors
/// If a case cannot be run and the study does not leave such cases out, or none
/// is left.
pub fn make(
    study: &Study,
    catalogue: &Catalogue,
    agent: &mut dyn Agent,
    watch: &mut Watch<'_>,
) -> Result<Planned, PlanError> {
    let expanded = expand(study, catalogue)?;
    let cases: Vec<Vec<LoadSpec>> = expanded.iter().map(|c| c.loads.clone()).collect();
    let (destroy, wipe) = (study.controls.destroy.clone(), study.controls.wipe.clone());
    let surveys = match agent.call(Request::Survey { cases, destroy, wipe }, watch)? {
        Reply::Survey(surveys) if surveys.len() == expanded.len() => surveys,
        other => return Err(unexpected(other).into()),
    };
    let mut cases: Vec<Case> = Vec::new();
    let mut left_out = Vec::new();
    for (candidate, survey) in expanded.into_iter().zip(surveys) {
        let problem = survey.problem.clone();
        let case = to_case(candidate, survey, study, catalogue);
        match problem {
            Some(problem) if study.skip_impossible => left_out.push((case, problem)),
            Some(problem) => return Err(PlanError::Impossible { label: case.label, problem }),
            // Words may resolve to what another level says already: `all` is 1
            // on a machine with one CPU.
            None if cases.iter().any(|c| c.loads == case.loads) => {}
            None => cases.push(case),
        }
    }
    if let ([], Some((case, problem))) = (&cases[..], left_out.first()) {
        return Err(PlanError::Impossible { label: case.label.clone(), problem: problem.clone() });
    }
    let groups = group(&mut cases, catalogue);
    for (index, case) in cases.iter_mut().enumerate() {
        case.index = index;
    }
    let seconds = (needed(&cases, study.controls.trials_min), needed(&cases, study.controls.trials_max));
    let plan = Plan { cases, groups, controls: study.controls.clone(), seconds };
    Ok(Planned { plan, left_out })
}

/// One combination of levels, before the agent has seen it.
struct Candidate {
    loads: Vec<LoadSpec>,
    label: String,
}

fn expand(study: &Study, catalogue: &Catalogue) -> Result<Vec<Candidate>, PlanError> {
    if study.workloads.len() > CASES_MAX / 10 {
        return Err(PlanError::TooLarge(study.workloads.len()));
    }
    let mut all = Vec::new();
    for workload in &study.workloads {
        let mut combinations = vec![Vec::new()];
        for load in std::iter::once(workload).chain(&workload.with) {
            // Counted before they are made: a product soon fills the memory.
            let levels = load.parameters.values().map(Vec::len);
            let count = levels.fold(combinations.len(), usize::saturating_mul);
            if count.saturating_add(all.len()) > CASES_MAX {
                return Err(PlanError::TooLarge(count.saturating_add(all.len())));
            }
            let variants = variants(load, catalogue);
            combinations = combinations
                .iter()
                .flat_map(|c: &Vec<LoadSpec>| {
                    variants.iter().map(move |v| [&c[..], std::slice::from_ref(v)].concat())
                })
                .collect();
        }
        for loads in combinations {
            let label = label(&loads, study, workload, catalogue);
            all.push(Candidate { loads, label });
        }
    }
    Ok(all)
}

/// Every combination of one load's levels, the first parameter varying slowest.
fn variants(load: &StudyWorkload, catalogue: &Catalogue) -> Vec<LoadSpec> {
    let Some(spec) = catalogue.workload(&load.kind) else { return Vec::new() };
    let mut sets = vec![Parameters::default()];
    for parameter in catalogue.parameters(spec) {
        let given = load.parameters.get(parameter.name);
        let default = || parameter.default.and_then(|text| parameter.parse(text).ok()).map(|v| vec![vec![v]]);
        let Some(levels) = given.cloned().or_else(default) else { continue };
        sets = sets
            .iter()
            .flat_map(|set| levels.iter().map(move |level| with_level(set, parameter.name, level)))
            .collect();
    }
    sets.into_iter().map(|parameters| LoadSpec { workload: load.kind.clone(), parameters }).collect()
}

fn with_level(set: &Parameters, name: &str, level: &Level) -> Parameters {
    let mut set = set.clone();
    let value = match &level[..] {
        [] => return set,
        [value] => value.clone(),
        parts => Value::List(parts.to_vec()),
    };
    set.0.insert(name.to_owned(), value);
    set
}

/// The workload and those parameters that tell its cases apart within the
/// study.
fn label(loads: &[LoadSpec], study: &Study, workload: &StudyWorkload, catalogue: &Catalogue) -> String {
    let mut words = Vec::new();
    for (place, load) in loads.iter().enumerate() {
        let Some(spec) = catalogue.workload(&load.workload) else { continue };
        words.push(if place == 0 { load.workload.clone() } else { format!("with {}", load.workload) });
        let siblings: Vec<&StudyWorkload> = match place {
            0 => study.workloads.iter().filter(|w| w.kind == load.workload).collect(),
            _ => workload.with.iter().skip(place - 1).take(1).collect(),
        };
        for parameter in catalogue.parameters(spec) {
            let given: Vec<_> = siblings.iter().map(|w| w.parameters.get(parameter.name)).collect();
            let alone = study.workloads.len() == 1 && place == 0;
            let single = alone && workload.parameters.values().all(|levels| levels.len() == 1);
            let varies = given.windows(2).any(|w| w[0] != w[1])
                || given.iter().flatten().any(|levels| levels.len() > 1)
                || (place > 0 || single) && given.iter().any(Option::is_some);
            if let Some(value) = load.parameters.get(parameter.name).filter(|_| varies) {
                words.push(format!("{}={}", parameter.name, scalar::show(parameter.kind, value)));
            }
        }
    }
    words.join(" ")
}

fn to_case(candidate: Candidate, survey: Survey, study: &Study, catalogue: &Catalogue) -> Case {
    let loads = if survey.problem.is_some() { candidate.loads } else { survey.loads };
    let duration = loads.first().and_then(|l| l.parameters.number("duration").ok()).unwrap_or(1.0);
    Case {
        index: 0,
        work_id: work_id(&loads, catalogue),
        label: candidate.label,
        fixtures: survey.fixtures,
        effect: survey.effect,
        touches: survey.touches,
        path: survey.path,
        group: 0,
        trial_s: study.controls.warm_up_s + duration + TRIAL_OVERHEAD_S,
        loads,
    }
}

/// Hash of what makes two cases the same work: workloads, the version of their
/// definitions, and the parameters that are part of the work.
fn work_id(loads: &[LoadSpec], catalogue: &Catalogue) -> String {
    let mut hash = Sha256::new();
    for load in loads {
        let Some(spec) = catalogue.workload(&load.workload) else { continue };
        let work: BTreeMap<&String, &Value> = load
            .parameters
            .0
            .iter()
            .filter(|(name, value)| counts(catalogue.parameter(spec, name), value))
            .collect();
        let work = serde_json::to_string(&work).unwrap_or_default();
        hash.update(format!("{} {} {work}\n", spec.name, spec.definition_version));
    }
    hash.finalize().iter().take(8).map(|b| format!("{b:02x}")).collect()
}

/// Whether a parameter tells works apart. One at its default does not, so that
/// a new parameter leaves the ids of old runs as they are.
fn counts(spec: Option<&'static ParameterSpec>, value: &Value) -> bool {
    let Some(spec) = spec else { return true };
    let default = spec.default.and_then(|text| spec.parse(text).ok());
    spec.work && default.as_ref() != Some(value)
}

/// Puts cases into groups, which run one after the other: cases that share a
/// fixture and leave it alike are measured together, reads before writes, and
/// each level of a costly parameter has a group of its own.
fn group(cases: &mut [Case], catalogue: &Catalogue) -> usize {
    type Key = (Vec<FixtureKey>, Vec<String>, model::plan::Effect);
    let key = |case: &Case| -> Key {
        let costly = case.loads.iter().flat_map(|load| {
            let spec = catalogue.workload(&load.workload);
            let names = spec.into_iter().flat_map(|s| catalogue.parameters(s)).filter(|p| p.costly);
            names.map(|p| format!("{}={:?}", p.name, load.parameters.get(p.name))).collect::<Vec<_>>()
        });
        (case.fixtures.clone(), costly.collect(), case.effect)
    };
    let mut keys: Vec<Key> = cases.iter().map(key).collect();
    // In order of first appearance, but all that touches one target together,
    // and reads of it before writes.
    let targets = |fixtures: &[FixtureKey]| -> Vec<String> {
        let mut all: Vec<String> = fixtures.iter().map(|f| f.target.clone()).collect();
        all.sort();
        all.dedup();
        all
    };
    let first =
        |fixtures: &[FixtureKey]| cases.iter().position(|c| targets(&c.fixtures) == targets(fixtures));
    keys.sort_by_cached_key(|k| (first(&k.0), k.2, k.clone()));
    keys.dedup();
    let groups: Vec<usize> =
        cases.iter().map(|case| keys.iter().position(|k| *k == key(case)).unwrap_or(0)).collect();
    for (case, group) in cases.iter_mut().zip(groups) {
        case.group = group;
    }
    keys.len()
}

/// Seconds for so many trials of each case, fixtures included.
fn needed(cases: &[Case], trials: u32) -> f64 {
    let mut fixtures: Vec<&FixtureKey> = cases.iter().flat_map(|c| &c.fixtures).collect();
    fixtures.sort();
    fixtures.dedup();
    let written = fixtures.iter().filter(|f| f.ownership == model::plan::Ownership::Created);
    let preparing: f64 = written.map(|f| f.bytes as f64 / FIXTURE_RATE).sum();
    preparing + cases.iter().map(|c| c.trial_s * f64::from(trials)).sum::<f64>()
}
