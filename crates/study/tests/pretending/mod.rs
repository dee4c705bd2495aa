//! An agent that only pretends, and a store that only notes.
#![allow(dead_code)]

use agent::{Agent, AgentError, CallContext};
use model::event::Event;
use model::machine::Diagnosis;
use model::message::{Reply, Request, TrialReport};
use model::plan::{Effect, FixtureKey, LoadSpec, Ownership, Problem, Survey};
use model::profile::TargetState;
use model::resource::PathStep;
use model::run::{CaseResult, Rounds, Run};
use model::setting::Change;
use model::trial::{Steady, Trial, TrialResult, Window};
use model::unit::{Quantity, Unit};
use model::{Limit, LoadProfile, ParameterName, Resource, Study, WorkloadName, metric};
use store::{RunEntry, Store, StoreError};
use study::plan::{self, FeasiblePlan, PlanError};
use study::read::arguments::{Arguments, Typed, study_of_workload};
use study::run::{Invocation, RunError, Runner};

/// What the pretending agent does at a certain trial or fixture.
#[derive(Default)]
pub(crate) struct Pretender {
    /// Everything asked, in short.
    pub(crate) log: Vec<String>,
    /// Dies at this trial, counted from 0.
    pub(crate) dies_at: Option<usize>,
    /// Cannot make any fixture.
    pub(crate) full: bool,
    /// Cannot remove any fixture.
    pub(crate) keeps: bool,
    /// Dies while it makes the fixtures of these requests for some, counted from 0.
    pub(crate) dies_making: &'static [usize],
    pub(crate) makings: usize,
    pub(crate) trials: usize,
    /// What a load gives at which trial, counted from 0; around 100 without.
    pub(crate) gives: Option<fn(&LoadSpec, usize) -> f64>,
    /// Whether operations wait as Little's law says, in a window of a second.
    pub(crate) waits: bool,
    /// How long the start of each trial took, counted from 0, and whether it settled.
    pub(crate) starts: &'static [(f64, bool)],
    /// How much each trial was to be cut off at least, s.
    pub(crate) cuts: Vec<f64>,
    /// What a workload knows of a resource on its path, which is the first of these limits.
    pub(crate) limit: Option<fn(&LoadSpec) -> Limit>,
    /// Why a change cannot be made.
    pub(crate) lacks: Option<fn(&Change) -> Option<String>>,
    /// Why no case can be observed.
    pub(crate) unobserved: Option<&'static str>,
    /// Whether each trial was observed.
    pub(crate) observed: Vec<bool>,
}

pub(crate) fn word(load: &LoadSpec) -> String {
    let p = &load.parameters;
    match (p.text(ParameterName::new("pattern")), p.integer(ParameterName::new("queue-depth"))) {
        (Ok(pattern), Ok(depth)) => format!("{pattern}:{depth}"),
        (_, Ok(depth)) => format!("{}:{depth}", load.workload),
        _ => load.workload.to_string(),
    }
}

pub(crate) fn survey(mut loads: Vec<LoadSpec>) -> Survey {
    let mut survey = Survey::default();
    for load in &mut loads {
        let known = import::v1::profile(load.workload, &load.parameters);
        load.profile = Some(LoadProfile { headline: metric::IOPS, ..known });
        if load.parameters.is_word(ParameterName::new("threads"), "all") {
            load.parameters.set(ParameterName::new("threads"), 1u64);
        }
        if load.parameters.is_word(ParameterName::new("size"), "l3") {
            survey.problem = Some(Problem::refused("there is no third cache", "give bytes"));
        }
        let depth = load.parameters.integer(ParameterName::new("queue-depth"));
        if load.parameters.is_word(ParameterName::new("engine"), "sync") && depth.is_ok_and(|d| d > 1) {
            survey.problem = Some(Problem::refused("one operation at a time", "take threads"));
        }
        if load.workload == WorkloadName::new("disk") {
            let target = load.parameters.text(ParameterName::new("target")).unwrap().to_owned();
            let mut key = FixtureKey::new("file", target, 1 << 20, Ownership::Created);
            let mut passes = 1;
            if load.parameters.is_word(ParameterName::new("precondition"), "full") {
                key.state = TargetState::Steady;
                passes = 2;
            }
            if load.parameters.is_word(ParameterName::new("until"), "full") {
                key.used_up = true;
            }
            key.written = passes * key.bytes;
            survey.fixtures.push(key);
            for resource in ["filesystem:/", "block:md0", "block:sda"] {
                survey.path.push(PathStep { resource: Resource::from(resource), amplification: 1.0 });
            }
            if load.parameters.text(ParameterName::new("pattern")).unwrap().contains("write") {
                survey.effect = Effect::Dirty;
            }
            if load.parameters.is_word(ParameterName::new("until"), "full") {
                survey.effect = Effect::UsedUp;
            }
        }
    }
    survey.loads = loads;
    survey
}

impl Pretender {
    /// Why each of so many cases cannot be observed.
    fn unobservable(&self, cases: usize) -> Reply {
        Reply::Missing(vec![self.unobserved.map(str::to_owned); cases])
    }
}

impl Agent for Pretender {
    fn call(&mut self, request: Request, _watch: &mut CallContext<'_>) -> Result<Reply, AgentError> {
        match request {
            Request::Diagnose => Ok(Reply::Diagnose(Diagnosis::default())),
            Request::Describe => Ok(Reply::Machine(Box::default())),
            Request::LookAtSettings { changes } => {
                let lacks = self.lacks.unwrap_or(|_| None);
                Ok(Reply::Missing(changes.iter().map(lacks).collect()))
            }
            Request::LookAtObservers { cases } => Ok(self.unobservable(cases.len())),
            Request::Survey { cases, .. } => {
                let mut surveys: Vec<Survey> = cases.into_iter().map(survey).collect();
                for survey in &mut surveys {
                    let Some(limit) = self.limit.map(|limit| limit(&survey.loads[0])) else { continue };
                    survey.path.push(PathStep { resource: limit.resource.clone(), amplification: 1.0 });
                    survey.limits.push(limit);
                }
                Ok(Reply::Survey(surveys))
            }
            Request::Calibrate { .. } => Ok(Reply::Calibration(Vec::new())),
            Request::Prepare { fixtures } => {
                let names: Vec<&str> = fixtures.iter().map(|f| f.target.as_str()).collect();
                self.log.push(format!("prepare {}", names.join(" ")));
                self.makings += 1;
                if self.dies_making.contains(&(self.makings - 1)) {
                    return Err(AgentError::Died("killed by signal 9".to_owned()));
                }
                Ok(if self.full { Reply::Failed { reason: "no space".to_owned() } } else { Reply::Done })
            }
            Request::Release { fixtures } => {
                self.log.push(format!("release {}", fixtures.len()));
                let reason = "/data/.headroom-tree-1-1 could not be removed".to_owned();
                Ok(if self.keeps { Reply::Failed { reason } } else { Reply::Done })
            }
            Request::Trial(order) => {
                self.log.push(word(&order.loads[0]));
                self.trials += 1;
                if self.dies_at == Some(self.trials - 1) {
                    return Err(AgentError::Died("killed by signal 9".to_owned()));
                }
                self.cuts.push(order.cut_least_s);
                self.observed.push(!order.observe.is_empty());
                let start = self.starts.get(self.trials - 1);
                let steady = start.map(|(truncated_s, settled)| Steady {
                    method: "mser-5".to_owned(),
                    settled: *settled,
                    truncated_s: *truncated_s,
                });
                let mut result = TrialResult { steady, ..TrialResult::default() };
                result.main_mut().facts.insert(model::fact::BYTES_WRITTEN, 1000u64.into());
                let usual = 100.0 + (self.trials % 3) as f64;
                let value = self.gives.map_or(usual, |gives| gives(&order.loads[0], self.trials - 1));
                for metric in [metric::IOPS, metric::OPERATIONS_PER_SECOND] {
                    result
                        .main_mut()
                        .metrics
                        .insert(metric.to_owned(), Quantity { value, unit: Unit::PerSecond });
                }
                if self.waits {
                    put_latency(&mut result, &order.loads[0], value);
                }
                Ok(Reply::Trial(Box::new(TrialReport { result, observer: Default::default() })))
            }
            Request::Time => Ok(Reply::Time(0)),
            Request::Set { .. }
            | Request::Open(_)
            | Request::Begin(_)
            | Request::LookAtPresented(_)
            | Request::Present(_)
            | Request::Withdraw(_)
            | Request::Watch(_)
            | Request::LookAtUse { .. }
            | Request::Attach(_) => Ok(Reply::Failed { reason: "nobody pretends that".to_owned() }),
            Request::Cancel | Request::Finish | Request::Restore => Ok(Reply::Done),
        }
    }
}

/// As many operations as a load has under way take so long that `rate` of them end in a second.
fn put_latency(result: &mut TrialResult, load: &LoadSpec, rate: f64) {
    let depth = load.parameters.integer(ParameterName::new("queue-depth")).unwrap() as f64;
    let mut histogram = stats::histogram::new_latency();
    histogram.record_n((1e9 * depth / rate) as u64, 1000).unwrap();
    let text = stats::histogram::encode(&histogram).unwrap();
    result.main_mut().histograms.insert(metric::LATENCY, text);
    result.window = Some(Window { start_ns: 0, end_ns: 1_000_000_000 });
}

/// A store that keeps the order of what it was given.
#[derive(Default)]
pub(crate) struct Notebook {
    pub(crate) trials: Vec<(usize, Trial)>,
    /// The rounds of a case each time they were given.
    pub(crate) rounds: Vec<(usize, Rounds)>,
    /// Cases that were added or changed.
    pub(crate) cases: Vec<(usize, CaseResult)>,
    pub(crate) begun: usize,
    pub(crate) resumed: usize,
    pub(crate) finished: Option<Run>,
    /// Takes so many trials and no more.
    pub(crate) room: Option<usize>,
}

impl Store for Notebook {
    fn begin(&mut self, run: &Run) -> Result<(), StoreError> {
        assert!(run.finished.is_none());
        self.begun += 1;
        Ok(())
    }
    fn resume(&mut self, run: &Run) -> Result<(), StoreError> {
        assert!(run.finished.is_none() && !run.resumptions.is_empty());
        self.resumed += 1;
        Ok(())
    }
    fn add_trial(&mut self, _run: &str, case: usize, trial: &Trial) -> Result<(), StoreError> {
        if self.room == Some(self.trials.len()) {
            return Err(StoreError::Full { path: "store.db".into(), doing: "write to" });
        }
        self.trials.push((case, trial.clone()));
        Ok(())
    }
    fn set_case(&mut self, _run: &str, case: usize, result: &CaseResult) -> Result<(), StoreError> {
        self.cases.push((case, result.clone()));
        Ok(())
    }
    fn set_rounds(&mut self, _run: &str, case: usize, rounds: &Rounds) -> Result<(), StoreError> {
        self.rounds.push((case, rounds.clone()));
        Ok(())
    }
    fn finish(&mut self, run: &Run) -> Result<(), StoreError> {
        self.finished = Some(run.clone());
        Ok(())
    }
    fn list(&self) -> Result<Vec<RunEntry>, StoreError> {
        Ok(Vec::new())
    }
    fn load(&self, _id: &str) -> Result<Run, StoreError> {
        Ok(self.finished.clone().unwrap())
    }
    fn remove(&mut self, _id: &str) -> Result<(), StoreError> {
        Ok(())
    }
    fn resolve(&self, text: &str) -> Result<String, StoreError> {
        Ok(text.to_owned())
    }
}

pub(crate) fn study(kind: &str, options: &[(&str, &str)]) -> Study {
    let typed = |(name, value): &(&str, &str)| Typed { name: (*name).to_owned(), value: (*value).to_owned() };
    let arguments = Arguments { options: options.iter().map(typed).collect(), ..Arguments::default() };
    let mut study = study_of_workload(&agent::catalogue(), kind, &arguments).unwrap();
    // What is added for a verdict has tests of its own.
    study.controls.extra = options.contains(&("extra", "yes"));
    study
}

pub(crate) fn planned(study: &Study, agent: &mut Pretender) -> Result<FeasiblePlan, PlanError> {
    let mut watch = CallContext { on_event: &mut |_| {}, cancelled: &|| false };
    plan::make(study, &agent::catalogue(), agent, &mut watch)
}

pub(crate) fn execute(study: &Study, agent: &mut Pretender, stop_after: Option<usize>) -> (Run, Notebook) {
    let mut store = Notebook::default();
    let run = run_into(study, agent, &mut store, stop_after).unwrap();
    (run, store)
}

/// Runs it to its end, or until so many trials are done.
pub(crate) fn run_into(
    study: &Study,
    agent: &mut Pretender,
    store: &mut Notebook,
    stop_after: Option<usize>,
) -> Result<Run, RunError> {
    let planned = planned(study, agent).unwrap();
    let ended = std::cell::Cell::new(0);
    let mut on_event = |event: &Event| {
        if matches!(event, Event::TrialFinished { .. }) {
            ended.set(ended.get() + 1);
        }
    };
    let runner = Runner {
        agent,
        store,
        catalogue: &agent::catalogue(),
        cancelled: &|| stop_after.is_some_and(|n| ended.get() >= n),
        on_event: &mut on_event,
        lines_s: &|| None,
        log_operations: None,
    };
    let identity = Invocation { command: vec![], version: "0".to_owned(), build: "test".to_owned() };
    runner.run(study, &planned, &identity)
}

/// Goes on with a run, to its end.
pub(crate) fn resume(kept: Run, agent: &mut Pretender, store: &mut Notebook) -> Result<Run, RunError> {
    let planned = planned(&kept.study, agent).unwrap();
    let catalogue = agent::catalogue();
    let on_event = &mut |_: &Event| {};
    let runner = Runner {
        agent,
        store,
        catalogue: &catalogue,
        cancelled: &|| false,
        on_event,
        lines_s: &|| None,
        log_operations: None,
    };
    let identity = Invocation { command: vec![], version: "0".to_owned(), build: "test".to_owned() };
    runner.resume(kept, &planned, &identity)
}
