//! Going on with a run that ended early: the same study, seed and order of trials, and only the trials that are
//! missing. What is measured now stands in one document with what was measured then, so that it must be the same work
//! on the same machine; where it is not, nothing is touched.
//!
//! The gap is a boundary of blocks: the next block has a number of its own, whatever is missing of the last one, so
//! that no comparison holds a trial from before against one from after it. A trial that failed before the gap stays in
//! the document, and is tried again.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use agent::{Agent, AgentError, CallContext};
use jiff::Timestamp;
use model::Machine;
use model::machine::CheckTime;
use model::plan::{Case, Plan};
use model::run::{CaseResult, CaseRole, Outcome, Resumption, Run};
use model::setting::SettingState;
use model::study::Controls;
use model::trial::{Status, Trial};
use model::workload::Catalogue;

use super::allocation::TrialsSoFar;
use super::progress::RunClock;
use super::{Execution, Invocation, RunError, Runner, condition_check, fixtures, head, timestamp};
use crate::plan::{FeasiblePlan, ROUNDS_MAX, ROUNDS_MIN, case_s, needed, trials_of};

/// The tool whose runs can be gone on with.
const OWN: &str = "headroom";

impl Runner<'_> {
    /// Goes on with `kept`, a run of the store, with `planned`, the plan of its study as it is now; returns the whole
    /// document, which is stored already. Fails before anything is touched if the machine or the work is no longer the
    /// same, if nothing is missing, or as [`check_kept`]; then as [`Runner::run`].
    pub fn resume(self, kept: Run, planned: &FeasiblePlan, identity: &Invocation) -> Result<Run, RunError> {
        let Runner { agent, store, catalogue, cancelled, on_event, lines_s, log_operations } = self;
        check_kept(&kept)?;
        let machines = agent.machines(&mut CallContext { on_event: &mut |_| {}, cancelled })?;
        let Some(clock) = machines.first().map(|machine| machine.clock.clone()) else {
            return Err(AgentError::Failed("no machine takes part".to_owned()).into());
        };
        let plan = taken_up(&kept, planned, machines, identity, catalogue)?;
        let order = next_order(&kept);
        let gap =
            Resumption { stopped: stopped(&kept), outcome: kept.outcome, resumed: timestamp(), order, clock };
        let mut run = kept;
        let before = run.outcome.take();
        run.finished = None;
        run.resumptions.push(gap);
        condition_check::take(agent, CheckTime::Before, &mut run.machines, cancelled);
        let aborted = Cell::new(false);
        let cancelled = || cancelled() || aborted.get();
        let mut execution = Execution {
            blocks: (0..plan.groups).map(|group| next_block(&run, group)).collect(),
            meter: RunClock::new(&plan),
            plan,
            catalogue,
            run,
            agent,
            store,
            cancelled: &cancelled,
            aborted: &aborted,
            on_event,
            lines_s,
            log_operations,
            order,
            resumed_from: order,
            unmade: fixtures::Failures::default(),
            looked_at: BTreeSet::new(),
            as_planned: BTreeMap::new(),
            refused: Vec::new(),
        };
        if before == Some(Outcome::Complete) && !execution.lacks_trials() {
            return Err(nothing_missing(execution.run.id));
        }
        let done_s = execution.done_s();
        execution.meter.leave_out(done_s);
        execution.store.resume(&execution.run)?;
        let measured = execution.all_groups();
        execution.end(measured)
    }
}

/// What of a run that is kept would be measured if it were gone on with.
#[derive(Clone, Debug, PartialEq)]
pub struct Remainder {
    /// The run.
    pub run: String,
    /// How many trials it has.
    pub kept: usize,
    /// The cases that lack trials, in their groups, and the time that these take.
    pub plan: Plan,
    /// How many trials each of these cases lacks, the fewest and the most, by the number of the case.
    pub missing: BTreeMap<usize, (u32, u32)>,
}

/// What [`Runner::resume`] would measure of `kept`; touches nothing.
///
/// # Errors
/// Those of [`Runner::resume`], before anything is touched.
pub fn remainder(
    kept: &Run,
    planned: &FeasiblePlan,
    agent: &mut dyn Agent,
    watch: &mut CallContext<'_>,
    (identity, catalogue): (&Invocation, &Catalogue),
) -> Result<Remainder, RunError> {
    check_kept(kept)?;
    let mut plan = taken_up(kept, planned, agent.machines(watch)?, identity, catalogue)?;
    let Controls { trials_min, trials_max, .. } = plan.controls;
    let so_far = TrialsSoFar { run: kept, controls: &planned.plan.controls, resumed_from: next_order(kept) };
    plan.cases.retain(|case| so_far.wants_more(case));
    if kept.outcome == Some(Outcome::Complete) && plan.cases.is_empty() {
        return Err(nothing_missing(kept.id.clone()));
    }
    let tried = |case: &Case| u32::try_from(so_far.tried(case)).unwrap_or(u32::MAX);
    let of_case = |case: &Case| {
        let lacks = |all: u32| all.saturating_sub(tried(case)).max(1);
        let (least, most) =
            (trials_of(case, trials_min, ROUNDS_MIN), trials_of(case, trials_max, ROUNDS_MAX));
        (case.index, (lacks(least), lacks(most)))
    };
    let missing: BTreeMap<usize, (u32, u32)> = plan.cases.iter().map(of_case).collect();
    let seconds = |case: &Case, trials: u32, rounds: u32| match tried(case) {
        0 => case_s(case, trials, rounds),
        tried => case.trial_s * f64::from(trials.saturating_sub(tried).max(1)),
    };
    plan.seconds = (
        needed(&plan.cases, plan.groups, |case| seconds(case, trials_min, ROUNDS_MIN)),
        needed(&plan.cases, plan.groups, |case| seconds(case, trials_max, ROUNDS_MAX)),
    );
    Ok(Remainder { run: kept.id.clone(), kept: trials(kept).count(), plan, missing })
}

/// The plan of a run that is gone on with, within what is left of its budget; refused if the machine or the work is
/// no longer the same.
fn taken_up(
    kept: &Run,
    planned: &FeasiblePlan,
    machines: Vec<Machine>,
    identity: &Invocation,
    catalogue: &Catalogue,
) -> Result<Plan, RunError> {
    let refused = |reason: String| RunError::NotResumed { id: kept.id.clone(), reason };
    let changes = differences(kept, &head(&kept.study, planned, machines, identity, catalogue));
    if !changes.is_empty() {
        return Err(refused(format!("it is no longer the same: {}", changes.join("; "))));
    }
    what_is_left(&planned.plan, kept).map_err(refused)
}

fn nothing_missing(id: String) -> RunError {
    RunError::NotResumed { id, reason: "no trial of it is missing".to_owned() }
}

/// Whether a run of the store is one that can be gone on with, whatever the machine is now.
///
/// # Errors
/// If another tool measured it, other machines took part, a condition of its study ended it, or some of its cases that had
/// begun depend on what came of others: rounds, searches, proofs, and observed cases are not taken up in the middle.
pub fn check_kept(run: &Run) -> Result<(), RunError> {
    let depends = |case: &CaseResult| {
        let is_own = matches!(case.role, CaseRole::Asked | CaseRole::Extra { .. });
        case.rounds.is_some() || case.search.is_some() || !is_own
    };
    let reason = if run.origin.tool != OWN {
        format!("its figures are those of {}", run.origin.tool)
    } else if run.machines.len() > 1 {
        "other machines took part in it, and the keys to them are not kept".to_owned()
    } else if analysis::abort_cause(run).is_some() {
        "a trial met the condition of its study that ends it".to_owned()
    } else if run.study.controls.prove || run.study.controls.ramp.is_some() || run.cases.iter().any(depends) {
        DEPENDS.to_owned()
    } else {
        return Ok(());
    };
    Err(RunError::NotResumed { id: run.id.clone(), reason })
}

/// What cannot be taken up in the middle.
const DEPENDS: &str = "what had begun of it has rounds to a steady state, a search, a proof, a ramp, an observer, or a storage \
                       stack that is made for it, which begin anew with their run";

/// Whether something of a group was measured.
fn has_begun(run: &Run, group: usize) -> bool {
    let is_measured = |trial: &Trial| trial.status != Status::Skipped;
    let mut own = run.cases.iter().filter(|case| case.block == group);
    own.any(|case| case.rounds.is_some() || case.search.is_some() || case.trials.iter().any(is_measured))
}

/// What of a plan can be done after what was measured before: within what is left of the budget.
fn what_is_left(plan: &Plan, kept: &Run) -> Result<Plan, String> {
    let depends = |case: &Case| {
        let is_on_stack = case.fixtures.iter().any(|fixture| fixture.carries_targets);
        case.has_rounds() || case.search.is_some() || !case.observe.is_empty() || is_on_stack
    };
    if plan.cases.iter().any(|case| depends(case) && has_begun(kept, case.group)) {
        return Err(DEPENDS.to_owned());
    }
    let mut plan = plan.clone();
    if let Some(budget_s) = &mut plan.controls.budget_s {
        *budget_s -= spent_s(kept);
        // What was left of it when it ended the run had no room for a trial.
        if *budget_s <= 0.0 || kept.outcome == Some(Outcome::Budget) {
            return Err("its budget is used up".to_owned());
        }
    }
    Ok(plan)
}

/// In what the machine and the work differ from those of the run that is kept, each in words.
fn differences(kept: &Run, now: &Run) -> Vec<String> {
    let circumstances = analysis::comparison::circumstances(kept, now);
    let mut all: Vec<String> =
        circumstances.iter().map(|d| format!("{}: {}, now {}", d.text, d.before, d.after)).collect();
    let planned = kept.cases.iter().filter(|case| case.role == CaseRole::Asked).count();
    if planned != now.cases.len() {
        all.push(format!("cases: {planned}, now {}", now.cases.len()));
        return all;
    }
    let of_case = |(before, after): (&CaseResult, &CaseResult)| {
        difference(before, after).map(|what| format!("{what} of `{}`", after.label))
    };
    all.extend(kept.cases.iter().zip(&now.cases).filter_map(of_case));
    all
}

/// In what a case is no longer the same.
fn difference(before: &CaseResult, after: &CaseResult) -> Option<&'static str> {
    let is_left_out = |case: &CaseResult| case.trials.iter().any(|trial| trial.status == Status::Skipped);
    let is_same_work = before.work_id == after.work_id
        && before.loads.iter().count() == after.loads.iter().count()
        && before.loads.iter().zip(after.loads.iter()).all(|(a, b)| {
            (a.workload, a.definition_version, &a.parameters)
                == (b.workload, b.definition_version, &b.parameters)
        });
    // One change may be made at several resources.
    let asked = |case: &CaseResult| -> Vec<(String, BTreeSet<String>)> {
        let settings = case.settings.iter();
        let words = |state: &SettingState| state.asked.to_string();
        settings.map(|(key, states)| (key.clone(), states.iter().map(words).collect())).collect()
    };
    [
        (before.role == CaseRole::Asked && is_same_work, "the work"),
        (before.block == after.block, "the group"),
        (is_left_out(before) == is_left_out(after), "whether this machine can do the work"),
        (before.path == after.path, "the path of the data"),
        (asked(before) == asked(after), "the settings"),
    ]
    .into_iter()
    .find_map(|(is_same, what)| (!is_same).then_some(what))
}

fn trials(run: &Run) -> impl Iterator<Item = &Trial> {
    run.cases.iter().flat_map(|case| &case.trials)
}

/// The order of the trial that comes next.
fn next_order(run: &Run) -> u32 {
    trials(run).map(|trial| trial.order.saturating_add(1)).max().unwrap_or(0)
}

/// The block of a group that comes next: one that no trial is in.
fn next_block(run: &Run, group: usize) -> u32 {
    let of_group = run.cases.iter().filter(|case| case.block == group).flat_map(|case| &case.trials);
    let measured = of_group.filter(|trial| trial.status != Status::Skipped);
    measured.map(|trial| trial.block.saturating_add(1)).max().unwrap_or(0)
}

/// When a run ended; where it was killed, when its last trial began, or, without one since then, when it was resumed,
/// or itself.
fn stopped(run: &Run) -> String {
    let gap = run.resumptions.last();
    let last = trials(run).max_by_key(|trial| trial.order);
    let last =
        last.filter(|trial| gap.is_none_or(|gap| trial.order >= gap.order)).map(|trial| &trial.started);
    let begun = gap.map_or(&run.started, |gap| &gap.resumed);
    run.finished.as_ref().or(last).unwrap_or(begun).clone()
}

/// How long a run was under way, without its gaps, in seconds.
fn spent_s(run: &Run) -> f64 {
    let ms = |text: &str| text.parse::<Timestamp>().map_or(0, Timestamp::as_millisecond);
    let last = stopped(run);
    let begins = std::iter::once(&run.started).chain(run.resumptions.iter().map(|gap| &gap.resumed));
    let ends = run.resumptions.iter().map(|gap| &gap.stopped).chain(std::iter::once(&last));
    begins.zip(ends).map(|(begin, end)| (ms(end) - ms(begin)).max(0) as f64 / 1e3).sum()
}

impl Execution<'_> {
    /// Whether a group was measured before the gap: a later one had begun, and its cases have trials enough.
    pub(super) fn was_measured(&self, group: usize) -> bool {
        let is_before = |trial: &Trial| trial.status != Status::Skipped && trial.order < self.resumed_from;
        let has_begun = |case: &CaseResult| case.block > group && case.trials.iter().any(is_before);
        self.run.cases.iter().any(has_begun) && self.plan.group(group).all(|case| !self.wants_more(case))
    }

    /// Whether cases were added to a group before the gap: what they were for is not taken up in the middle.
    pub(super) fn was_deepened(&self, group: usize) -> bool {
        let is_added = |case: &CaseResult| case.block == group && matches!(case.role, CaseRole::Extra { .. });
        self.run.cases.iter().any(is_added)
    }

    /// How long the fewest trials of all cases take, as far as they are there, in seconds.
    fn done_s(&self) -> f64 {
        let least = self.plan.controls.trials_min as usize;
        let so_far = self.so_far();
        self.plan.cases.iter().map(|case| case.trial_s * so_far.tried(case).min(least) as f64).sum()
    }

    fn lacks_trials(&self) -> bool {
        self.plan.cases.iter().any(|case| self.wants_more(case))
    }
}
