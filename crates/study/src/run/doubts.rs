//! What a verdict hangs on is measured while the targets are still there: a level that the study
//! lacks is added as a case of its own, and trials are added where they differ too much. Trials
//! come as blocks over the cases that are compared, for those of one block are held against each
//! other.

use std::collections::BTreeSet;

use analysis::Remedy;
use model::plan::Case;
use model::run::{CaseRole, Outcome};

use super::{Execution, RunError, order};

/// Blocks after which what is still in doubt stays so.
const BLOCKS_MOST: u32 = 12;

/// Trials of a case below which nothing is added: whoever asks for so few wants no intervals.
const TRIALS_LEAST: u32 = 3;

impl Execution<'_> {
    /// Measures what the verdicts on a group's cases hang on, as far as the budget goes.
    pub(super) fn decide(&mut self, group: usize) -> Result<Outcome, RunError> {
        let controls = &self.plan.controls;
        if !controls.extra || controls.trials_max < TRIALS_LEAST {
            return Ok(Outcome::Complete);
        }
        let most = (controls.trials_max + BLOCKS_MOST) as usize;
        // Cases for whose verdicts a level was added.
        let mut deepened: BTreeSet<usize> = BTreeSet::new();
        let mut added_s = 0.0;
        for _ in 0..BLOCKS_MOST {
            let mut wanted: BTreeSet<usize> = BTreeSet::new();
            for (case, remedy) in self.remedies(group) {
                match remedy {
                    Remedy::Trials { beside } => {
                        wanted.insert(case);
                        wanted.extend(beside);
                    }
                    Remedy::Level { parameter, value } if deepened.insert(case) => {
                        let Some(asked) = self.plan.group(group).find(|c| c.index == case).cloned() else {
                            continue;
                        };
                        // Rounds to a steady state are not begun again for it.
                        let fits = self.meter.affords_beside(group, &asked, asked.trial_s + added_s);
                        if asked.has_rounds() || !fits {
                            continue;
                        }
                        let extra = self.variant(&asked, parameter, value, |_| {})?;
                        // Another group may have it.
                        let is_planned = |extra: &Case| {
                            let is = |c: &Case| c.loads == extra.loads && c.settings == extra.settings;
                            self.plan.cases.iter().any(is)
                        };
                        if let Some(mut extra) = extra.filter(|extra| !is_planned(extra)) {
                            added_s += 2.0 * asked.trial_s;
                            self.add_case(&mut extra, CaseRole::Extra { of: case })?;
                            wanted.extend([case, extra.index]);
                        }
                    }
                    Remedy::Level { .. } => {}
                }
            }
            // A level that was added has to have trials enough beside the case that it is for.
            let added = self.plan.group(group).filter_map(|c| match self.run.cases[c.index].role {
                CaseRole::Extra { of } => Some((c.index, of)),
                _ => None,
            });
            let few = |case: usize| self.run.cases[case].trials.len() < TRIALS_LEAST as usize;
            wanted.extend(added.filter(|(extra, _)| few(*extra)).flat_map(|(extra, of)| [extra, of]));
            let cases = self.plan.group(group).filter(|c| wanted.contains(&c.index));
            let cases = cases.filter(|c| self.run.cases[c.index].trials.len() < most);
            let cases: Vec<Case> = cases.cloned().collect();
            // One alone would be held against nothing.
            if cases.len() < 2 {
                break;
            }
            if let Some(outcome) = self.one_block(group, cases)? {
                return Ok(outcome);
            }
        }
        Ok(Outcome::Complete)
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
            Remedy::Trials { beside } => {
                (place(case), Remedy::Trials { beside: beside.into_iter().map(place).collect() })
            }
            level @ Remedy::Level { .. } => (place(case), level),
        });
        found.collect()
    }
}
