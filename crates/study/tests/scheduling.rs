//! Planning and ordering against an agent that only pretends: what is asked of
//! it, in which order, and what becomes of its answers.
#![allow(clippy::unwrap_used)]

use agent::{Agent, AgentError, Watch};
use model::Study;
use model::event::Event;
use model::limit::LimitKind;
use model::message::{Reply, Request, TrialReport};
use model::plan::{Effect, FixtureKey, LoadSpec, Ownership, Problem, Survey};
use model::resource::PathStep;
use model::run::{Outcome, Run};
use model::trial::{Status, Trial, TrialResult};
use model::unit::{Quantity, Unit};
use store::{Entry, Store, StoreError};
use study::plan::{self, PlanError, Planned};
use study::read::arguments::{Arguments, Typed, apply, study_of_workload};
use study::read::from_toml;
use study::run::{Identity, RunError, Runner};

/// What the pretending agent does at a certain trial or fixture.
#[derive(Default)]
struct Pretender {
    /// Everything asked, in short.
    log: Vec<String>,
    /// Dies at this trial, counted from 0.
    dies_at: Option<usize>,
    /// Cannot make any fixture.
    full: bool,
    trials: usize,
}

fn word(load: &LoadSpec) -> String {
    let p = &load.parameters;
    match (p.text("pattern"), p.integer("queue-depth")) {
        (Ok(pattern), Ok(depth)) => format!("{pattern}:{depth}"),
        (_, Ok(depth)) => format!("{}:{depth}", load.workload),
        _ => load.workload.clone(),
    }
}

fn survey(mut loads: Vec<LoadSpec>) -> Survey {
    let mut survey = Survey::default();
    for load in &mut loads {
        if load.parameters.is_word("threads", "all") {
            load.parameters.set("threads", 1u64);
        }
        if load.parameters.is_word("size", "l3") {
            survey.problem = Some(Problem::refused("there is no third cache", "give bytes"));
        }
        if load.workload == "disk" {
            let target = load.parameters.text("target").unwrap().to_owned();
            survey.fixtures.push(FixtureKey::new(target, 1 << 20, Ownership::Created));
            for resource in ["filesystem:/", "block:md0", "block:sda"] {
                survey.path.push(PathStep { resource: resource.to_owned(), amplification: 1.0 });
            }
            if load.parameters.text("pattern").unwrap().contains("write") {
                survey.effect = Effect::Dirty;
            }
        }
    }
    survey.loads = loads;
    survey
}

impl Agent for Pretender {
    fn call(&mut self, request: Request, _watch: &mut Watch<'_>) -> Result<Reply, AgentError> {
        match request {
            Request::Look => Ok(Reply::Look(Vec::new())),
            Request::Describe => Ok(Reply::Machine(Box::default())),
            Request::Survey { cases, .. } => Ok(Reply::Survey(cases.into_iter().map(survey).collect())),
            Request::Calibrate { .. } => Ok(Reply::Calibration(Vec::new())),
            Request::Prepare { fixtures } => {
                let names: Vec<&str> = fixtures.iter().map(|f| f.target.as_str()).collect();
                self.log.push(format!("prepare {}", names.join(" ")));
                Ok(if self.full { Reply::Failed { reason: "no space".to_owned() } } else { Reply::Done })
            }
            Request::Release { fixtures } => {
                self.log.push(format!("release {}", fixtures.len()));
                Ok(Reply::Done)
            }
            Request::Trial(order) => {
                self.log.push(word(&order.loads[0]));
                self.trials += 1;
                if self.dies_at == Some(self.trials - 1) {
                    return Err(AgentError::Died("killed by signal 9".to_owned()));
                }
                let mut result = TrialResult::default();
                let value = 100.0 + (self.trials % 3) as f64;
                for metric in ["iops", "operations_per_second"] {
                    result.metrics.insert(metric.to_owned(), Quantity { value, unit: Unit::PerSecond });
                }
                Ok(Reply::Trial(Box::new(TrialReport { result, observer: Default::default() })))
            }
            Request::Cancel | Request::Finish => Ok(Reply::Done),
        }
    }
}

/// A store that keeps the order of what it was given.
#[derive(Default)]
struct Notebook {
    trials: Vec<(usize, Trial)>,
    begun: usize,
    finished: Option<Run>,
    /// Takes so many trials and no more.
    room: Option<usize>,
}

impl Store for Notebook {
    fn begin(&mut self, run: &Run) -> Result<(), StoreError> {
        assert!(run.finished.is_none());
        self.begun += 1;
        Ok(())
    }
    fn add_trial(&mut self, _run: &str, case: usize, trial: &Trial) -> Result<(), StoreError> {
        if self.room == Some(self.trials.len()) {
            return Err(StoreError::Full { path: "store.db".into(), doing: "write to" });
        }
        self.trials.push((case, trial.clone()));
        Ok(())
    }
    fn finish(&mut self, run: &Run) -> Result<(), StoreError> {
        self.finished = Some(run.clone());
        Ok(())
    }
    fn list(&self) -> Result<Vec<Entry>, StoreError> {
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

fn study(kind: &str, options: &[(&str, &str)]) -> Study {
    let typed = |(name, value): &(&str, &str)| Typed { name: (*name).to_owned(), value: (*value).to_owned() };
    let arguments = Arguments { options: options.iter().map(typed).collect(), ..Arguments::default() };
    study_of_workload(&agent::catalogue(), kind, &arguments).unwrap()
}

fn planned(study: &Study, agent: &mut Pretender) -> Result<Planned, PlanError> {
    let mut watch = Watch { on_event: &mut |_| {}, cancelled: &|| false };
    plan::make(study, &agent::catalogue(), agent, &mut watch)
}

fn execute(study: &Study, agent: &mut Pretender, stop_after: Option<usize>) -> (Run, Notebook) {
    let planned = planned(study, agent).unwrap();
    let mut store = Notebook::default();
    let ended = std::cell::Cell::new(0);
    let mut on_event = |event: &Event| {
        if matches!(event, Event::TrialFinished { .. }) {
            ended.set(ended.get() + 1);
        }
    };
    let runner = Runner {
        agent,
        store: &mut store,
        catalogue: &agent::catalogue(),
        cancelled: &|| stop_after.is_some_and(|n| ended.get() >= n),
        on_event: &mut on_event,
    };
    let identity = Identity { command: vec![], version: "0".to_owned(), build: "test".to_owned() };
    let run = runner.run(study, &planned, &identity).unwrap();
    (run, store)
}

#[test]
fn the_order_of_a_seed_is_a_matter_of_record() {
    let study = study(
        "disk",
        &[("pattern", "randwrite,randread"), ("queue-depth", "1,8"), ("trials", "3"), ("seed", "42")],
    );
    let mut agent = Pretender::default();
    let (run, store) = execute(&study, &mut agent, None);
    let trials: Vec<&String> = agent.log.iter().filter(|l| !l.starts_with("prepare")).collect();
    insta::assert_debug_snapshot!(trials);
    assert_eq!(store.trials.len(), 12);
    assert_eq!((store.begun, store.finished.is_some()), (1, true));
    assert_eq!(run.outcome, Some(Outcome::Complete));
}

#[test]
fn a_target_is_varied_outside_and_let_go_when_done() {
    let study = study("disk", &[("target", "/a,/b"), ("queue-depth", "1,8"), ("trials", "2")]);
    let mut agent = Pretender::default();
    execute(&study, &mut agent, None);
    let prepared: Vec<&str> = agent
        .log
        .iter()
        .filter(|l| l.starts_with("prepare") || l.starts_with("release"))
        .map(String::as_str)
        .collect();
    let a = ["prepare /a"; 4];
    let b = ["prepare /b"; 4];
    assert_eq!(prepared, [&a[..], &["release 1"], &b[..], &["release 1"]].concat());
}

#[test]
fn an_agent_that_dies_fails_one_trial_and_the_run_goes_on() {
    let mut agent = Pretender { dies_at: Some(1), ..Pretender::default() };
    let (run, _) = execute(&study("null", &[("trials", "4")]), &mut agent, None);
    let status: Vec<Status> = run.cases[0].trials.iter().map(|t| t.status).collect();
    assert_eq!(status, [Status::Ok, Status::Failed, Status::Ok, Status::Ok]);
    assert_eq!(run.cases[0].trials[1].reason.as_deref(), Some("killed by signal 9"));
    assert_eq!(run.cases[0].estimates["operations_per_second"].n, 3);
    assert!(run.cases[0].findings.iter().any(|f| f.code == "trials-failed"));
}

#[test]
fn a_fixture_that_cannot_be_made_is_tried_once() {
    let mut agent = Pretender { full: true, ..Pretender::default() };
    let (run, _) = execute(&study("disk", &[("queue-depth", "1,8"), ("trials", "3")]), &mut agent, None);
    assert_eq!(agent.log.iter().filter(|l| l.starts_with("prepare")).count(), 1);
    for case in &run.cases {
        assert_eq!(case.trials.len(), 3);
        assert!(case.trials.iter().all(|t| t.reason.as_deref() == Some("no space")));
    }
}

#[test]
fn an_interrupt_keeps_what_was_finished() {
    let mut agent = Pretender::default();
    let (run, store) =
        execute(&study("null", &[("queue-depth", "1,8"), ("trials", "5")]), &mut agent, Some(3));
    assert_eq!(run.outcome, Some(Outcome::Interrupted));
    assert_eq!(store.trials.len(), 3);
    assert!(run.finished.is_some());
}

#[test]
fn a_store_that_fails_does_not_take_the_measured_trials_with_it() {
    let study = study("null", &[("trials", "5")]);
    let mut agent = Pretender::default();
    let planned = planned(&study, &mut agent).unwrap();
    let mut store = Notebook { room: Some(2), ..Notebook::default() };
    let runner = Runner {
        agent: &mut agent,
        store: &mut store,
        catalogue: &agent::catalogue(),
        cancelled: &|| false,
        on_event: &mut |_| {},
    };
    let identity = Identity { command: vec![], version: "0".to_owned(), build: "test".to_owned() };
    match runner.run(&study, &planned, &identity) {
        Err(RunError::Unkept { run, .. }) => {
            assert_eq!(run.cases[0].trials.len(), 3);
            assert_eq!(run.cases[0].estimates["operations_per_second"].n, 3);
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn precision_ends_cases_when_it_is_met() {
    // Values of 100, 101, 102: within 2 % soon, never within 0.01 %.
    let with = |precision| study("null", &[("trials", "5..15"), ("precision", precision)]);
    let (easy, _) = execute(&with("5%"), &mut Pretender::default(), None);
    let (hard, _) = execute(&with("0.01%"), &mut Pretender::default(), None);
    let count = |run: &Run| run.cases[0].trials.len();
    assert!((5..15).contains(&count(&easy)), "{}", count(&easy));
    assert_eq!(count(&hard), 15);
}

#[test]
fn impossible_cases_stop_a_study_or_are_left_out_with_the_reason() {
    let strict = study("memory.bandwidth", &[("size", "l2,l3")]);
    let error = planned(&strict, &mut Pretender::default()).unwrap_err();
    assert_eq!(error.to_string(), "memory.bandwidth size=l3: there is no third cache");
    assert!(!error.is_invalid());

    let text = "impossible = \"skip\"\n[[workload]]\nkind = \"memory.bandwidth\"\nsize = [\"l2\", \"l3\"]\n";
    let lenient = from_toml(&agent::catalogue(), "x", "x.toml", text).unwrap();
    let mut agent = Pretender::default();
    let (run, store) = execute(&lenient, &mut agent, None);
    assert_eq!(run.cases[1].trials[0].status, Status::Skipped);
    assert_eq!(run.cases[1].trials[0].reason.as_deref(), Some("there is no third cache"));
    assert_eq!(store.trials[0].0, 1, "the skipped case is stored");

    let nothing = text.replace("\"l2\", ", "");
    let nothing = from_toml(&agent::catalogue(), "x", "x.toml", &nothing).unwrap();
    assert!(matches!(planned(&nothing, &mut Pretender::default()), Err(PlanError::Impossible { .. })));
}

#[test]
fn cases_that_are_the_same_on_this_machine_are_one() {
    let planned = planned(&study("null", &[("threads", "1,all")]), &mut Pretender::default()).unwrap();
    assert_eq!(planned.plan.cases.len(), 1);
}

#[test]
fn the_same_work_has_the_same_id_wherever_and_however_long() {
    let id = |options: &[(&str, &str)]| {
        planned(&study("disk", options), &mut Pretender::default()).unwrap().plan.cases[0].work_id.clone()
    };
    let base = id(&[]);
    assert_eq!(base, id(&[("duration", "7s"), ("target", "/elsewhere")]));
    assert_ne!(base, id(&[("queue-depth", "2")]));
    assert_ne!(base, id(&[("direct", "no")]));
}

#[test]
fn arguments_and_toml_say_the_same() {
    let catalogue = agent::catalogue();
    let typed = study(
        "disk",
        &[("queue-depth", "1..8"), ("block-size", "4k,64k"), ("trials", "7"), ("direct", "no")],
    );
    let text = "[trials]\ntrials = 7\n[[workload]]\nkind = \"disk\"\nqueue-depth = [1, 2, 4, 8]\n\
                block-size = \"4KiB,65536\"\ndirect = false\n";
    let written = from_toml(&catalogue, "disk", "disk.toml", text).unwrap();
    assert_eq!(typed, written);
}

#[test]
fn options_override_a_ready_study_where_they_fit() {
    let catalogue = agent::catalogue();
    let mut study =
        from_toml(&catalogue, "overview", "overview", study::ready::find("overview").unwrap().text).unwrap();
    let typed = |name: &str, value: &str| Typed { name: name.to_owned(), value: value.to_owned() };
    let ok =
        Arguments { options: vec![typed("target", "/data"), typed("trials", "2")], ..Arguments::default() };
    apply(&catalogue, &mut study, &ok).unwrap();
    let disks = study.workloads.iter().filter(|w| w.kind == "disk");
    assert!(disks.clone().count() > 0 && disks.clone().all(|w| w.parameters.contains_key("target")));
    assert!(
        study.workloads.iter().filter(|w| w.kind != "disk").all(|w| !w.parameters.contains_key("target"))
    );
    assert_eq!(study.controls.trials_max, 2);
}

#[test]
fn promises_are_limits_of_the_device_that_a_study_drives() {
    let text = "[expect]\nwrite = \"530MB/s\"\nlatency_p99 = \"2ms\"\n\
                [trials]\ntrials = 1\n\
                [[workload]]\nkind = \"disk\"\npattern = [\"read\", \"write\"]\n";
    let study = from_toml(&agent::catalogue(), "test", "test.toml", text).unwrap();
    let (run, _) = execute(&study, &mut Pretender::default(), None);
    let promised: Vec<_> =
        run.machines[0].limits.iter().map(|l| (l.kind, l.resource.as_str(), l.effective)).collect();
    assert_eq!(promised, [(LimitKind::Promise, "block:md0", Some(530e6))], "once, however many cases");
    assert_eq!(run.study.expect.promises.len(), 2, "the study keeps the others");
}
