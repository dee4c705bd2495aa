//! What a verdict hangs on is measured while the targets are still there: a level that the study
//! lacks is added as a case of its own, and trials are added where they differ too much. Trials
//! come as blocks over the cases that are compared, for those of one block are held against each
//! other.

use std::collections::{BTreeMap, BTreeSet};

use analysis::Remedy;
use model::plan::Case;
use model::run::{CaseRole, Outcome};
use stats::stopping::confirmed_at;

use super::{Execution, RunError, order};

/// Blocks after which what is still in doubt stays so.
const BLOCKS_MOST: u32 = 12;

/// What is added without a budget takes as long as the cases of the group themselves, or this long, in
/// seconds, where that is longer.
const ADDED_S: f64 = 60.0;

/// Trials of a case below which nothing is added: whoever asks for so few wants no intervals.
const TRIALS_LEAST: u32 = 3;

/// Cases that are measured together because a verdict hangs on it.
struct Comparison {
    cases: BTreeSet<usize>,
    /// Blocks that would probably do.
    blocks: usize,
}

/// What is known of a group's verdicts between one block and the next.
#[derive(Default)]
struct Doubts {
    /// Cases for whose verdicts a level was added.
    deepened: BTreeSet<usize>,
    /// How long the trials of these levels take, in seconds.
    added_s: f64,
    /// Cases whose verdicts lacked trials, with those beside them.
    open: BTreeMap<usize, BTreeSet<usize>>,
    /// Of these, how many trials there were when a verdict was there first.
    answered: BTreeMap<usize, usize>,
    /// Blocks that cases took part in.
    taken: BTreeMap<usize, u32>,
}

impl Execution<'_> {
    /// Measures what the verdicts on a group's cases hang on, as far as the budget goes: where it
    /// does not go far enough for all, those that need the least time come first.
    ///
    /// A verdict that more trials gave is confirmed as a precision is: looking until there is one
    /// prefers those that chance gives ([`stats::doubling`]).
    pub(super) fn decide(&mut self, group: usize) -> Result<Outcome, RunError> {
        let controls = &self.plan.controls;
        if !controls.extra || controls.trials_max < TRIALS_LEAST {
            return Ok(Outcome::Complete);
        }
        let most = (controls.trials_max + BLOCKS_MOST) as usize;
        let own_s: f64 = self.plan.group(group).map(|c| self.meter.took_s(c)).sum();
        let mut left_s = match controls.budget_s {
            Some(_) => f64::INFINITY,
            None => (own_s * f64::from(controls.trials_max)).max(ADDED_S),
        };
        let mut doubts = Doubts::default();
        loop {
            let remedies = self.remedies(group);
            let mut wanted = self.levels_wanted(group, &remedies, &mut doubts)?;
            wanted.extend(self.trials_wanted(&remedies, &mut doubts));
            let may_go_on = |case: &usize| {
                let blocks = doubts.taken.get(case).copied().unwrap_or(0);
                blocks < BLOCKS_MOST && self.run.cases[*case].trials.len() < most
            };
            for comparison in &mut wanted {
                comparison.cases.retain(may_go_on);
            }
            // One alone would be held against nothing.
            wanted.retain(|comparison| comparison.cases.len() >= 2);
            let chosen = self.affordable(group, wanted);
            let cases: Vec<Case> =
                self.plan.group(group).filter(|c| chosen.contains(&c.index)).cloned().collect();
            left_s -= cases.iter().map(|c| self.meter.took_s(c)).sum::<f64>();
            if cases.is_empty() || left_s < 0.0 {
                return Ok(Outcome::Complete);
            }
            for case in &chosen {
                *doubts.taken.entry(*case).or_default() += 1;
            }
            if let Some(outcome) = self.one_block(group, cases)? {
                return Ok(outcome);
            }
        }
    }

    /// Adds the levels that verdicts lack; what lacks trials beside them.
    fn levels_wanted(
        &mut self,
        group: usize,
        remedies: &[(usize, Remedy)],
        doubts: &mut Doubts,
    ) -> Result<Vec<Comparison>, RunError> {
        for (case, remedy) in remedies {
            let (case, Remedy::Level(levels)) = (*case, remedy) else { continue };
            if !doubts.deepened.insert(case) {
                continue;
            }
            let Some(asked) = self.plan.group(group).find(|c| c.index == case).cloned() else { continue };
            // Rounds to a steady state are not begun again for it.
            let fits = self.meter.affords_beside(group, &asked, asked.trial_s + doubts.added_s);
            if asked.has_rounds() || !fits {
                continue;
            }
            let mut extra = None;
            for (parameter, value) in levels {
                extra = self.variant(&asked, *parameter, *value, |_| {})?;
                if extra.is_some() {
                    break;
                }
            }
            // Another group may have it.
            let is_planned = |extra: &Case| {
                let is = |c: &Case| c.loads == extra.loads && c.settings == extra.settings;
                self.plan.cases.iter().any(is)
            };
            if let Some(mut extra) = extra.filter(|extra| !is_planned(extra)) {
                let trials = if asked.observe.is_empty() { 2.0 } else { 3.0 };
                doubts.added_s += trials * asked.trial_s;
                self.add_case(&mut extra, CaseRole::Extra { of: case })?;
            }
        }
        self.add_observed(group)?;
        // A level that was added has to have trials enough beside the case that it is for, and its twin beside it.
        let few = |c: &Case| match self.run.cases[c.index].role {
            CaseRole::Extra { of } => {
                let lacking = (TRIALS_LEAST as usize).saturating_sub(self.run.cases[c.index].trials.len());
                let twin = CaseRole::Observed { of: c.index };
                let twin = self.run.cases.iter().position(|other| other.role == twin);
                let cases = [of, c.index].into_iter().chain(twin).collect();
                (lacking > 0).then_some(Comparison { cases, blocks: lacking })
            }
            _ => None,
        };
        Ok(self.plan.group(group).filter_map(few).collect())
    }

    /// The cases whose verdicts lack trials, or have too few since they were there first.
    fn trials_wanted(&self, remedies: &[(usize, Remedy)], doubts: &mut Doubts) -> Vec<Comparison> {
        let mut wanted = Vec::new();
        let mut lacking = BTreeSet::new();
        for (case, remedy) in remedies {
            let Remedy::Trials { beside, blocks } = remedy else { continue };
            let cases: BTreeSet<usize> = beside.iter().chain([case]).copied().collect();
            lacking.insert(*case);
            doubts.answered.remove(case);
            doubts.open.insert(*case, cases.clone());
            wanted.push(Comparison { cases, blocks: blocks.unwrap_or(BLOCKS_MOST as usize) });
        }
        for (case, cases) in doubts.open.iter().filter(|(case, _)| !lacking.contains(*case)) {
            // Pairs are no more than the trials of the one that has the fewest.
            let trials = cases.iter().map(|c| self.run.cases[*c].trials.len()).min().unwrap_or(0);
            let first = *doubts.answered.entry(*case).or_insert(trials);
            let left = confirmed_at(first).saturating_sub(trials);
            if left > 0 {
                wanted.push(Comparison { cases: cases.clone(), blocks: left });
            }
        }
        wanted
    }

    /// The cases of the next block: of all comparisons if there is time for all of them, or of the
    /// one that needs the least.
    fn affordable(&self, group: usize, wanted: Vec<Comparison>) -> BTreeSet<usize> {
        let trial_s = |case: &usize| {
            let planned = self.plan.group(group).find(|c| c.index == *case);
            planned.map_or(0.0, |c| self.meter.took_s(c))
        };
        let takes_s = |c: &Comparison| {
            c.blocks.min(BLOCKS_MOST as usize) as f64 * c.cases.iter().map(trial_s).sum::<f64>()
        };
        let all_s: f64 = wanted.iter().map(takes_s).sum();
        if self.meter.left_s(group).is_none_or(|left_s| all_s <= left_s) {
            return wanted.into_iter().flat_map(|comparison| comparison.cases).collect();
        }
        let least = wanted.into_iter().min_by(|a, b| takes_s(a).total_cmp(&takes_s(b)));
        least.map(|comparison| comparison.cases).unwrap_or_default()
    }

    /// One trial of each of these; how it ended, where that is the end of all.
    pub(super) fn one_block(
        &mut self,
        group: usize,
        mut cases: Vec<Case>,
    ) -> Result<Option<Outcome>, RunError> {
        let block = self.blocks[group];
        self.blocks[group] += 1;
        order::shuffle(&mut cases, self.run.seed, group, block);
        for case in &cases {
            if (self.cancelled)() {
                return Ok(Some(Outcome::Interrupted));
            }
            if !self.meter.affords_beside(group, case, 0.0) {
                return Ok(Some(Outcome::Complete));
            }
            if !self.trial(case, block)? {
                return Ok(Some(self.what_ended()));
            }
        }
        Ok(None)
    }

    /// What would decide the verdicts on a group's cases, by their places in the run.
    fn remedies(&mut self, group: usize) -> Vec<(usize, Remedy)> {
        let part = self.part(group);
        let place = |at: usize| part.places[at];
        let found = analysis::remedies(&part.run).into_iter();
        let found = found.map(|(case, remedy)| match remedy {
            Remedy::Trials { beside, blocks } => {
                let beside = beside.into_iter().map(place).collect();
                (place(case), Remedy::Trials { beside, blocks })
            }
            level @ Remedy::Level(_) => (place(case), level),
        });
        found.collect()
    }
}
