//! Searching the concurrency of a case, before its own trials: what to measure next says
//! [`stats::capacity`]; each level is a case of its own in the document. The value that is found
//! becomes the case's, and the case is then measured anew like any other, beside the least
//! concurrency that gives nearly as much.

use agent::{AgentError, CallContext};
use model::event::Event;
use model::label::{Label, LabelPart};
use model::message::{Reply, Request};
use model::plan::{Case, LoadSpec, Survey};
use model::run::{CaseResult, CaseRole, Doubling, LevelSearch, Outcome, SearchEnd};
use model::trial::Status;
use model::{Kind, ParameterName};
use stats::capacity::{self, Found, GrowthEnd, LevelTrial, SearchBounds, SearchStep};

use super::{Execution, RunError, order};
use crate::plan::search::{duration, window_s};
use crate::plan::{ROUNDS_MIN, case_s};

/// The highest level that is tried.
const LEVEL_MOST: u64 = 4096;

/// Blocks in which the last levels are measured to be sure that they give no more.
const BLOCKS: u32 = 6;

/// Trials of one level that may fail before it is given up.
const FAILURES_MOST: usize = 2;

/// A search under way.
struct Searching {
    /// The case that is searched, as planned.
    case: Case,
    parameter: ParameterName,
    trials: Vec<LevelTrial>,
    bounds: SearchBounds,
    /// The levels with their cases.
    levels: Vec<(u64, Case)>,
    block: u32,
}

/// What came of a trial of a level.
enum Tried {
    Done,
    /// The level cannot be measured.
    Impossible,
    /// The person or the budget ended it.
    Ended(Outcome),
}

impl Execution<'_> {
    /// Searches the levels of those cases of a group that ask for it.
    pub(super) fn search_levels(&mut self, group: usize) -> Result<Outcome, RunError> {
        let mut outcome = Outcome::Complete;
        let to_search = |c: &&Case| {
            let result = &self.run.cases[c.index];
            c.search.is_some() && result.search.is_none() && result.trials.is_empty()
        };
        let cases: Vec<Case> = self.plan.group(group).filter(to_search).cloned().collect();
        for case in cases {
            match self.search(group, case)? {
                Outcome::Complete => {}
                Outcome::Budget => outcome = Outcome::Budget,
                Outcome::Interrupted => return Ok(Outcome::Interrupted),
            }
        }
        Ok(outcome)
    }

    fn search(&mut self, group: usize, case: Case) -> Result<Outcome, RunError> {
        let Some(parameter) = case.search else { return Ok(Outcome::Complete) };
        let bounds = SearchBounds { most: LEVEL_MOST, blocks: BLOCKS };
        let mut search = Searching {
            case,
            parameter,
            trials: Vec::new(),
            bounds,
            levels: Vec::new(),
            block: self.blocks[group],
        };
        let (found, outcome) = loop {
            let levels = match capacity::next(&search.trials, search.bounds) {
                SearchStep::Done(found) => break (Some(found), Outcome::Complete),
                SearchStep::Higher(level) => vec![level],
                SearchStep::Block(levels) => {
                    search.block += 1;
                    levels
                }
            };
            match self.try_levels(group, &mut search, levels)? {
                Tried::Done => {}
                // What lies below is all that there is.
                Tried::Impossible => {
                    let reached = search.trials.iter().map(|t| t.concurrency).max();
                    match reached {
                        Some(reached) if reached < search.bounds.most => search.bounds.most = reached,
                        _ => break (capacity::so_far(&search.trials, search.bounds), Outcome::Complete),
                    }
                }
                Tried::Ended(outcome) => break (capacity::so_far(&search.trials, search.bounds), outcome),
            }
        };
        self.blocks[group] = search.block + 1;
        if outcome == Outcome::Interrupted {
            return Ok(outcome);
        }
        // Without any level it is settled all the same, so that it is not searched twice.
        let nothing = || Found { best: 1, knee: 1, ended: GrowthEnd::Unsure, growth: Vec::new() };
        self.settle_on(group, &search, &found.unwrap_or_else(nothing), outcome)?;
        Ok(outcome)
    }

    /// One trial of each of these levels, in shuffled order.
    fn try_levels(
        &mut self,
        group: usize,
        search: &mut Searching,
        levels: Vec<u64>,
    ) -> Result<Tried, RunError> {
        let mut cases = Vec::new();
        for level in levels {
            match self.level(search, level)? {
                Some(case) => cases.push(case),
                None => return Ok(Tried::Impossible),
            }
        }
        order::shuffle(&mut cases, self.run.seed, group, search.block);
        for case in cases {
            if (self.cancelled)() {
                return Ok(Tried::Ended(Outcome::Interrupted));
            }
            if !self.meter.affords_beside(group, &case, self.still_to_do_s(group)) {
                return Ok(Tried::Ended(Outcome::Budget));
            }
            if !self.trial(&case, search.block)? {
                return Ok(Tried::Ended(self.what_ended()));
            }
            let result = &self.run.cases[case.index];
            let level =
                search.levels.iter().find(|(_, c)| c.index == case.index).map_or(1, |(level, _)| *level);
            let last = result.trials.last().filter(|t| t.status == Status::Ok);
            let rate = last.and_then(|t| analysis::search_rate(result, t, &self.run.definitions));
            match rate.filter(|rate| *rate > 0.0) {
                Some(rate) => {
                    search.trials.push(LevelTrial { block: search.block, concurrency: level, rate });
                }
                None => {
                    let failed = result.trials.iter().filter(|t| t.status != Status::Ok).count();
                    if failed >= FAILURES_MOST || last.is_some() {
                        return Ok(Tried::Impossible);
                    }
                }
            }
        }
        Ok(Tried::Done)
    }

    /// Seconds of what a group has still to do beside the levels of a search.
    fn still_to_do_s(&self, group: usize) -> f64 {
        let least = self.plan.controls.trials_min;
        let asked = |c: &&Case| self.run.cases[c.index].role == CaseRole::Asked;
        let left = |c: &Case| match self.run.cases[c.index].trials.len() {
            0 if c.search.is_some() => 2.0 * c.trial_s * f64::from(least),
            0 => case_s(c, least, ROUNDS_MIN),
            _ => 0.0,
        };
        self.plan.group(group).filter(asked).map(left).sum()
    }

    /// The case of a level; none if the machine cannot do it.
    fn level(&mut self, search: &mut Searching, level: u64) -> Result<Option<Case>, RunError> {
        if let Some((_, case)) = search.levels.iter().find(|(known, _)| *known == level) {
            return Ok(Some(case.clone()));
        }
        let window = search.case.loads.first().and_then(|main| duration(main, self.catalogue));
        let shorter = window.map(|(name, seconds)| (name, seconds, window_s(seconds)));
        let set = |load: &mut LoadSpec| {
            if let Some((name, _, seconds)) = shorter {
                load.parameters.set(name, seconds);
            }
        };
        let role = CaseRole::Level { of: search.case.index };
        let Some(mut case) = self.variant(&search.case, search.parameter, level, set)? else {
            return Ok(None);
        };
        if let Some((_, own, window)) = shorter {
            case.trial_s = (case.trial_s - own + window).max(0.0);
        }
        self.add_case(&mut case, role)?;
        search.levels.push((level, case.clone()));
        Ok(Some(case))
    }

    /// `case` with another value of a parameter, and what else `change` changes, as the agent sees
    /// it; none if it cannot be run.
    pub(super) fn variant(
        &mut self,
        case: &Case,
        parameter: ParameterName,
        value: u64,
        change: impl FnOnce(&mut LoadSpec),
    ) -> Result<Option<Case>, RunError> {
        let mut loads: Vec<LoadSpec> =
            case.loads.iter().map(|l| LoadSpec::new(l.workload, l.parameters.clone())).collect();
        let Some(main) = loads.first_mut() else { return Ok(None) };
        main.parameters.set(parameter, value);
        change(main);
        let mut label = case.label.clone();
        relabel(&mut label, parameter, value);
        self.with_loads(case, loads, label)
    }

    /// `case` with these loads, as the agent sees them; none if it cannot be run.
    pub(super) fn with_loads(
        &mut self,
        case: &Case,
        loads: Vec<LoadSpec>,
        label: Label,
    ) -> Result<Option<Case>, RunError> {
        let survey = self.survey(loads)?;
        Ok(survey.map(|survey| Case {
            work_id: crate::plan::work_id(&survey.loads, self.catalogue),
            label,
            loads: survey.loads,
            fixtures: survey.fixtures,
            effect: survey.effect,
            path: survey.path,
            limits: survey.limits,
            search: None,
            search_s: None,
            ..case.clone()
        }))
    }

    fn survey(&mut self, loads: Vec<LoadSpec>) -> Result<Option<Survey>, RunError> {
        let controls = &self.plan.controls;
        let (destroy, wipe) = (controls.destroy.clone(), controls.wipe.clone());
        let mut watch = CallContext { on_event: &mut |_| {}, cancelled: self.cancelled };
        match self.agent.call(Request::Survey { cases: vec![loads], destroy, wipe }, &mut watch) {
            Ok(Reply::Survey(mut surveys)) => Ok(surveys.pop().filter(|s| s.problem.is_none())),
            Err(AgentError::Unreachable(reason)) => Err(AgentError::Unreachable(reason).into()),
            // The next trial says what is the matter.
            Ok(_) | Err(_) => Ok(None),
        }
    }

    /// Adds a case to the plan and to the document.
    pub(super) fn add_case(&mut self, case: &mut Case, role: CaseRole) -> Result<(), RunError> {
        case.index = self.run.cases.len();
        let result = CaseResult { role, ..self.planned(case) };
        self.store.set_case(&self.run.id, case.index, &result)?;
        self.run.cases.push(result);
        self.meter.add(case);
        self.plan.cases.push(case.clone());
        Ok(())
    }

    fn planned(&self, case: &Case) -> CaseResult {
        let version = |name| self.catalogue.workload(name).map(|w| w.definition_version);
        let mut result = CaseResult::planned(case, version);
        super::settings::asked(case, &mut result);
        result
    }

    /// Gives the searched case the value that was found, and adds the least that gives nearly as
    /// much.
    fn settle_on(
        &mut self,
        group: usize,
        search: &Searching,
        found: &Found,
        outcome: Outcome,
    ) -> Result<(), RunError> {
        let asked = &search.case;
        let Some(mut best) = self.variant(asked, search.parameter, found.best, |_| {})? else {
            return Ok(());
        };
        (best.search, best.search_s) = (asked.search, asked.search_s);
        // It is the same work whatever was found.
        best.work_id.clone_from(&asked.work_id);
        let result = CaseResult {
            search: Some(LevelSearch {
                parameter: search.parameter,
                best: found.best,
                knee: found.knee,
                ended: ended(found.ended, outcome),
                growth: found.growth.iter().map(doubling).collect(),
            }),
            ..self.planned(&best)
        };
        self.store.set_case(&self.run.id, best.index, &result)?;
        self.run.cases[best.index] = result;
        let place = self.plan.cases.iter().position(|c| c.index == best.index);
        if let Some(place) = place {
            self.plan.cases[place] = best.clone();
        }
        (self.on_event)(&Event::LevelFound {
            case: best.index,
            parameter: search.parameter,
            best: found.best,
            knee: found.knee,
        });
        if found.knee != found.best {
            let knee = self.variant(asked, search.parameter, found.knee, |_| {})?;
            if let Some(mut knee) = knee {
                knee.group = group;
                self.add_case(&mut knee, CaseRole::Knee { of: best.index })?;
            }
        }
        Ok(())
    }
}

fn ended(ended: GrowthEnd, outcome: Outcome) -> SearchEnd {
    match ended {
        _ if outcome != Outcome::Complete => SearchEnd::Budget,
        GrowthEnd::Flat => SearchEnd::Flat,
        GrowthEnd::Unsure => SearchEnd::Unsure,
        GrowthEnd::Latency => SearchEnd::Latency,
        GrowthEnd::Bound => SearchEnd::Bound,
    }
}

fn doubling(growth: &capacity::Growth) -> Doubling {
    let capacity::Growth { from, to, gain, high } = *growth;
    Doubling { from, to, gain, high: high.is_finite().then_some(high) }
}

/// Says the value of a searched parameter in a label that had the word for it.
fn relabel(label: &mut Label, parameter: ParameterName, value: u64) {
    let Some(main) = label.loads.first_mut() else { return };
    match main.parameters.iter_mut().find(|part| part.name == parameter.as_str()) {
        Some(part) => part.value = value.into(),
        None => main.parameters.push(LabelPart {
            name: parameter.to_string(),
            kind: Kind::Count,
            value: value.into(),
        }),
    }
}
