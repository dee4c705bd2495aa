//! Carrying out a plan: groups one after the other, in each complete blocks of
//! all its cases in seeded random order, every trial stored as it ends.

mod allocation;
mod block;
mod condition_check;
mod doubts;
mod fixtures;
mod load_curve;
mod machine_limits;
mod observed;
mod order;
mod progress;
mod prove;
mod resume;
pub(crate) mod rounds;
mod search;
mod settings;

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use agent::{Agent, AgentError, CallContext, unexpected};
use model::event::Event;
use model::machine::{CheckTime, ObserverCost};
use model::message::{Reply, Request, TrialOrder, TrialReport, TrialRole};
use model::plan::{Case, Effect, FixtureKey, LoadSpec, Plan};
use model::run::{AnalysisInfo, Build, CaseResult, Origin, Outcome, Run, SCHEMA};
use model::trial::{Status, Trial, TrialResult};
use model::workload::Catalogue;
use model::{Definitions, Machine, Study, WorkloadName};
use store::{Store, StoreError};

use crate::plan::FeasiblePlan;
use progress::RunClock;

pub use resume::{Remainder, check_kept, remainder};

/// Why a run could not be carried out. What was measured is stored all the same, where the store still works.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The store failed while the run was under way: here is what was measured.
    /// What the store did not take before is kept nowhere else.
    #[error("{error}")]
    Unkept {
        /// The run so far, with its estimates.
        run: Box<Run>,
        /// What the store said.
        error: StoreError,
    },
    /// What was measured is stored, but the machine is not as it was found.
    #[error("{reason}")]
    Left {
        /// The run.
        id: String,
        /// Which setting or fixture is left, and why.
        reason: String,
    },
    /// A run that is kept cannot be gone on with; nothing was touched.
    #[error("run `{id}` cannot be resumed: {reason}")]
    NotResumed {
        /// The run.
        id: String,
        /// Why not, in a sentence without a full stop.
        reason: String,
    },
    /// The agent cannot be had at all.
    #[error(transparent)]
    Agent(#[from] AgentError),
}

/// Who asks, for the document.
#[derive(Clone, Debug)]
pub struct Invocation {
    /// The command as typed.
    pub command: Vec<String>,
    /// The release of Headroom.
    pub version: String,
    /// What kind of build it is.
    pub build: String,
}

/// What a run works with.
pub struct Runner<'a> {
    /// The end that measures.
    pub agent: &'a mut dyn Agent,
    /// Where trials go.
    pub store: &'a mut dyn Store,
    /// What the agents can run.
    pub catalogue: &'a Catalogue,
    /// Whether the person wants to stop.
    pub cancelled: &'a dyn Fn() -> bool,
    /// Hears what happens.
    pub on_event: &'a mut dyn FnMut(&Event),
    /// How long the intervals are, in seconds, whose figures it hears while a trial runs; absent to hear none. Asked
    /// before each trial.
    pub lines_s: &'a dyn Fn() -> Option<f64>,
    /// How many operations of each trial it hears of one by one; absent to hear of none.
    pub log_operations: Option<u64>,
}

impl Runner<'_> {
    /// Runs `planned`; returns the document, which is stored already. Fails if the store or the
    /// agent cannot be used. A trial that fails is no error.
    pub fn run(self, study: &Study, planned: &FeasiblePlan, identity: &Invocation) -> Result<Run, RunError> {
        let Runner { agent, store, catalogue, cancelled, on_event, lines_s, log_operations } = self;
        let meter = RunClock::new(&planned.plan);
        let mut machines = agent.machines(&mut CallContext { on_event: &mut |_| {}, cancelled })?;
        let Some(machine) = machines.first_mut() else {
            return Err(AgentError::Failed("no machine takes part".to_owned()).into());
        };
        machine.calibration = machine_limits::calibrate(agent, &planned.plan, cancelled)?;
        machine.limits.extend(machine_limits::promised(study, &planned.plan));
        machine.limits.extend(analysis::measured_limits(&machine.calibration));
        condition_check::take(agent, CheckTime::Before, &mut machines, cancelled);
        let run = head(study, planned, machines, identity, catalogue);
        store.begin(&run)?;
        for (index, case) in run.cases.iter().enumerate() {
            for trial in &case.trials {
                store.add_trial(&run.id, index, trial)?;
            }
        }
        let aborted = Cell::new(false);
        let cancelled = || cancelled() || aborted.get();
        let mut execution = Execution {
            plan: planned.plan.clone(),
            catalogue,
            run,
            agent,
            store,
            cancelled: &cancelled,
            aborted: &aborted,
            on_event,
            lines_s,
            log_operations,
            meter,
            order: u32::try_from(planned.left_out.len()).unwrap_or(u32::MAX),
            resumed_from: 0,
            blocks: vec![0; planned.plan.groups],
            unmade: fixtures::Failures::default(),
            looked_at: BTreeSet::new(),
            as_planned: BTreeMap::new(),
            refused: Vec::new(),
        };
        let measured = execution.all_groups();
        execution.end(measured)
    }
}

/// The document before any trial; cases that cannot run have one skipped trial that says why.
fn head(
    study: &Study,
    planned: &FeasiblePlan,
    machines: Vec<Machine>,
    identity: &Invocation,
    catalogue: &Catalogue,
) -> Run {
    let now = jiff::Timestamp::now();
    let version = |name: WorkloadName| catalogue.workload(name).map(|w| w.definition_version);
    let result = |case: &Case| {
        let mut result = CaseResult::planned(case, version);
        settings::asked(case, &mut result);
        result
    };
    let mut cases: Vec<CaseResult> = planned.plan.cases.iter().map(result).collect();
    for (order, (case, problem)) in (0..).zip(&planned.left_out) {
        let mut result = result(case);
        result.trials.push(Trial {
            order,
            block: 0,
            started: timestamp(),
            status: Status::Skipped,
            reason: Some(problem.message.clone()),
            result: TrialResult::default(),
        });
        cases.push(result);
    }
    let mut run = Run {
        schema: SCHEMA.to_owned(),
        id: run_id(now, study.controls.seed),
        started: now.to_string(),
        finished: None,
        outcome: None,
        resumptions: Vec::new(),
        origin: Origin {
            tool: "headroom".to_owned(),
            version: identity.version.clone(),
            command: identity.command.clone(),
        },
        headroom: Build { version: identity.version.clone(), build: identity.build.clone() },
        study: study.clone(),
        seed: study.controls.seed,
        machines,
        definitions: Definitions::default(),
        cases,
        findings: Vec::new(),
        tool_outputs: Vec::new(),
        analysis: AnalysisInfo { version: analysis::VERSION },
    };
    run.definitions = catalogue.definitions(run.workloads());
    run
}

/// `20261120-191542-k3f9`: sorts by time, short enough to type, and two runs of
/// one second differ.
pub(crate) fn run_id(now: jiff::Timestamp, seed: u64) -> String {
    const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
    let mut mixed =
        order::mix(seed, u64::from(now.subsec_nanosecond().unsigned_abs()) ^ u64::from(std::process::id()));
    let suffix: String = (0..4)
        .map(|_| {
            let letter = LETTERS[(mixed % 32) as usize];
            mixed /= 32;
            char::from(letter)
        })
        .collect();
    format!("{}-{suffix}", now.strftime("%Y%m%d-%H%M%S"))
}

/// What the longest start among the trials of a case took that settled, s.
fn cut_of(case: &CaseResult) -> f64 {
    let good = case.trials.iter().filter(|trial| trial.status == Status::Ok);
    let cuts = good.filter_map(|trial| trial.result.steady.as_ref()).filter(|steady| steady.settled);
    cuts.map(|steady| steady.truncated_s).fold(0.0, f64::max)
}

pub(crate) fn timestamp() -> String {
    jiff::Timestamp::now().to_string()
}

/// A run under way.
struct Execution<'a> {
    /// With the cases that were added on the way.
    plan: Plan,
    catalogue: &'a Catalogue,
    run: Run,
    agent: &'a mut dyn Agent,
    store: &'a mut dyn Store,
    cancelled: &'a dyn Fn() -> bool,
    /// Whether a trial met a condition of the study that ends the run: then it is cancelled, too.
    aborted: &'a Cell<bool>,
    on_event: &'a mut dyn FnMut(&Event),
    lines_s: &'a dyn Fn() -> Option<f64>,
    log_operations: Option<u64>,
    meter: RunClock,
    order: u32,
    /// Where the run was resumed: the order of the first trial since then.
    resumed_from: u32,
    /// By group: the block that comes next.
    blocks: Vec<u32>,
    /// Fixtures that could not be made.
    unmade: fixtures::Failures,
    /// The cases that were surveyed on what their targets lie on, which is there still.
    looked_at: BTreeSet<usize>,
    /// Their loads as they were before that: what they lie on is made anew now and then.
    as_planned: BTreeMap<usize, Vec<LoadSpec>>,
    /// Settings that were refused, and why.
    refused: settings::Refusals,
}

impl Execution<'_> {
    fn all_groups(&mut self) -> Result<Outcome, RunError> {
        let mut outcome = Outcome::Complete;
        for group in 0..self.plan.groups {
            if self.was_measured(group) {
                continue;
            }
            match self.group(group)? {
                Outcome::Complete => {}
                // Other groups have shares of the budget of their own.
                Outcome::Budget => outcome = Outcome::Budget,
                Outcome::Interrupted => return Ok(Outcome::Interrupted),
            }
            let steps = [Self::decide, Self::load_curves, Self::prove];
            let is_deepened = self.was_deepened(group);
            for step in steps {
                if !is_deepened && step(self, group)? == Outcome::Interrupted {
                    return Ok(Outcome::Interrupted);
                }
            }
            self.finish_cases(group);
            self.release_unneeded(group)?;
        }
        if outcome == Outcome::Budget { self.spend_the_rest() } else { Ok(outcome) }
    }

    /// What later groups left of the budget goes to cases of earlier ones that
    /// had to do without; not to those whose files are gone by now.
    fn spend_the_rest(&mut self) -> Result<Outcome, RunError> {
        self.meter.share_no_more();
        for group in 0..self.plan.groups {
            let is_made_anew = self.plan.fixtures_of(group).iter().all(|f| f.used_up);
            if is_made_anew && self.group(group)? == Outcome::Interrupted {
                return Ok(Outcome::Interrupted);
            }
        }
        let is_done = self.plan.cases.iter().all(|case| !self.wants_more(case));
        Ok(if is_done { Outcome::Complete } else { Outcome::Budget })
    }

    /// Rounds where they are asked for, then blocks until each case has trials enough: of all that
    /// lack some, or of those that lack most where the budget is too short for all.
    fn group(&mut self, group: usize) -> Result<Outcome, RunError> {
        let steadied = self.rounds(group)?;
        if steadied != Outcome::Complete {
            return Ok(steadied);
        }
        let outcome = self.search_levels(group)?;
        if outcome == Outcome::Interrupted {
            return Ok(outcome);
        }
        self.add_observed(group)?;
        let mut unaffordable: BTreeSet<usize> = BTreeSet::new();
        loop {
            let mut cases = self.next_cases(group, &unaffordable);
            if cases.is_empty() {
                break;
            }
            let block = self.blocks[group];
            order::shuffle(&mut cases, self.run.seed, group, block);
            if let Some(ended) = self.block((group, block), &mut cases, &mut unaffordable)? {
                return Ok(ended);
            }
            self.blocks[group] += 1;
        }
        Ok(if unaffordable.is_empty() { outcome } else { Outcome::Budget })
    }

    /// What ended a trial early: the person or the budget.
    fn what_ended(&self) -> Outcome {
        if (self.cancelled)() { Outcome::Interrupted } else { Outcome::Budget }
    }

    /// One trial, stored. Returns false if the person or the budget ended it.
    fn trial(&mut self, case: &Case, block: u32) -> Result<bool, RunError> {
        let Some(trial) = self.attempt(case, block)? else { return Ok(false) };
        self.keep(case, trial.clone())?;
        self.announce(case, &trial);
        Ok(true)
    }

    /// One trial, not stored yet; none if the person or the budget ended it.
    fn attempt(&mut self, case: &Case, block: u32) -> Result<Option<Trial>, RunError> {
        (self.on_event)(&Event::TrialStarted { case: case.index, label: case.label.to_string(), block });
        self.meter.trial_starts();
        let started = timestamp();
        let measured = self.measure(case, block);
        // What a trial used up is made anew for the next.
        let case = &self.planned_case(case);
        let removed = self.remove(fixtures::used_up(&case.fixtures));
        let (status, reason, result) = match measured {
            Ok(report) => {
                self.add_cost(report.observer);
                (Status::Ok, None, report.result)
            }
            Err(AgentError::Cancelled) => return removed.map(|()| None),
            Err(AgentError::Unreachable(reason)) => return Err(AgentError::Unreachable(reason).into()),
            Err(error) => {
                if matches!(error, AgentError::Died(_) | AgentError::Hung(_)) {
                    self.looked_at.clear();
                }
                (Status::Failed, Some(error.to_string()), TrialResult::default())
            }
        };
        let trial = Trial { order: self.order, block, started, status, reason, result };
        self.order += 1;
        match removed {
            Ok(()) => Ok(Some(trial)),
            Err(error) => self.keep(case, trial).and(Err(error)),
        }
    }

    /// A case as the plan has it by now.
    fn planned_case(&self, case: &Case) -> Case {
        self.plan.cases.iter().find(|known| known.index == case.index).unwrap_or(case).clone()
    }

    fn keep(&mut self, case: &Case, trial: Trial) -> Result<(), RunError> {
        let stored = self.store.add_trial(&self.run.id, case.index, &trial);
        self.run.cases[case.index].add_trial(trial);
        self.aborted.set(self.aborted.get() || analysis::abort_cause(&self.run).is_some());
        Ok(stored?)
    }

    /// Says that a trial is over, and how long the rest takes.
    fn announce(&mut self, case: &Case, trial: &Trial) {
        let Trial { status, reason, .. } = trial;
        let reason = reason.clone();
        (self.on_event)(&Event::TrialFinished { case: case.index, status: *status, reason });
        let (done_s, total_s) = self.meter.trial_done(case);
        (self.on_event)(&Event::TimeLeft { done_s, total_s });
    }

    fn measure(&mut self, case: &Case, block: u32) -> Result<TrialReport, AgentError> {
        // What is changed of a stack must be there.
        let is_of_stack = case.settings.iter().any(|change| !change.layers.is_empty());
        if !is_of_stack {
            self.settle(case)?;
        }
        let case = &self.on_ground(case)?;
        if is_of_stack {
            self.settle(case)?;
        }
        self.make_fixtures(case)?;
        let observe = self.observers(case);
        let on_event = &mut *self.on_event;
        let cancelled = || (self.cancelled)() || self.meter.is_over();
        let mut watch = CallContext { on_event: &mut |e| on_event(&Event::Agent(e)), cancelled: &cancelled };
        let controls = &self.plan.controls;
        let order = TrialOrder {
            loads: case.loads.clone(),
            // Another for each trial: the same places again would be answered by
            // whatever cache saw them last.
            seed: order::mix(order::mix(self.run.seed, u64::from(block)), case.index as u64),
            warm_up_s: controls.warm_up_s,
            interval_s: controls.interval_s,
            cut_least_s: cut_of(&self.run.cases[case.index]),
            pin: controls.pin.clone(),
            role: TrialRole::Alone,
            take_cpu: case.take_cpu.clone(),
            observe,
            from_last: false,
            lines_s: (self.lines_s)(),
            log_operations: self.log_operations,
        };
        match self.agent.call(Request::Trial(Box::new(order)), &mut watch)? {
            Reply::Trial(report) => Ok(*report),
            other => Err(unexpected(other)),
        }
    }

    fn add_cost(&mut self, cost: ObserverCost) {
        if let Some(machine) = self.run.machines.first_mut() {
            let sum = machine.observer_cost.get_or_insert_with(ObserverCost::default);
            sum.cpu_s += cost.cpu_s;
            sum.watched_s += cost.watched_s;
            sum.cpus = cost.cpus;
        }
    }

    /// Estimates of a group's cases, and the news of them.
    fn finish_cases(&mut self, group: usize) {
        let indices: Vec<usize> = self.plan.group(group).map(|c| c.index).collect();
        let is_level = |case: &usize| {
            let result = &self.run.cases[*case];
            result.is_auxiliary() || block::is_left_out(result)
        };
        let (levels, others): (Vec<usize>, Vec<usize>) = indices.into_iter().partition(is_level);
        for case in levels {
            analysis::estimate_case(&mut self.run.cases[case], &self.run.definitions);
        }
        for case in others {
            let result = &mut self.run.cases[case];
            analysis::estimate_case(result, &self.run.definitions);
            let headline = analysis::headline(result);
            let event = Event::CaseFinished {
                case,
                label: result.label.to_string(),
                rate_unit: result.loads.main.profile.rate_unit,
                headline: headline.map(|(name, estimate)| (name, estimate.clone())),
                failed: result.trials.iter().filter(|t| t.status == Status::Failed).count(),
            };
            (self.on_event)(&event);
        }
    }

    /// Puts away fixtures that no later group needs, and those that were brought
    /// into a state which this group's writes have changed.
    fn release_unneeded(&mut self, group: usize) -> Result<(), RunError> {
        let later: Vec<_> = (group + 1..self.plan.groups).flat_map(|g| self.plan.fixtures_of(g)).collect();
        let dirty = self.plan.group(group).any(|case| case.effect != Effect::Clean);
        // What stands on the same disks as another cannot be there at the same time.
        let next = self.plan.fixtures_of(group + 1);
        let goes = |f: &FixtureKey| {
            !later.contains(f) || dirty && f.has_state() || f.carries_targets && !next.contains(f)
        };
        self.remove(self.plan.fixtures_of(group).into_iter().filter(goes).collect())
    }

    fn conclude(mut self, outcome: Outcome) -> Result<Run, RunError> {
        if outcome != Outcome::Interrupted {
            condition_check::take(self.agent, CheckTime::After, &mut self.run.machines, self.cancelled);
        }
        self.run.finished = Some(timestamp());
        self.run.outcome = Some(outcome);
        analysis::derive(&mut self.run);
        match self.store.finish(&self.run) {
            Ok(()) => Ok(self.run),
            Err(error) => Err(self.unkept(error)),
        }
    }

    fn unkept(mut self, error: StoreError) -> RunError {
        analysis::derive(&mut self.run);
        RunError::Unkept { run: Box::new(self.run), error }
    }
}
