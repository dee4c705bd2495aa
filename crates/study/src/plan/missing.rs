//! Settings that this machine does not have, or that cannot be read: asked before anything runs.

use agent::{Agent, CallContext, unexpected};
use machine::Host;
use model::Study;
use model::message::{Reply, Request};
use model::plan::{Case, Problem, Survey};
use model::setting::Change;
use model::workload::Catalogue;

use super::settings::{SELF, missed};
use super::{Candidate, PlanError, label, to_case};

/// Why what lies towards this very program is left alone.
const OWN_LOOPBACK: &str =
    "without a peer it would be changed on this machine's loopback, which everything on it uses";

/// What of a plan's settings cannot be had.
pub(super) struct Missing {
    /// Changes that cannot be made, with the reason.
    changes: Vec<(Change, String)>,
    /// Changes of which at least one to another value of the same state can be made.
    levels: Vec<Change>,
}

/// The cases of a plan that are not run, with the reasons.
#[derive(Default)]
pub(super) struct LeftOut {
    pub(super) cases: Vec<(Case, Problem)>,
    /// Settings of which it was said, with the place of the workload.
    pub(super) told: Vec<(usize, String)>,
}

/// What of a case cannot be had.
enum Lack {
    /// A setting, whatever its value: the case itself can be measured without it.
    Setting {
        /// Which.
        key: String,
        /// Why.
        problem: Problem,
    },
    /// One level.
    Level(Problem),
}

impl Missing {
    /// Of all cases that could run otherwise.
    pub(super) fn of(
        study: &Study,
        (expanded, surveys): (&[Candidate], &[Survey]),
        agent: &mut dyn Agent,
        watch: &mut CallContext<'_>,
    ) -> Result<Self, PlanError> {
        let mut asked: Vec<Change> = Vec::new();
        let runs = expanded.iter().zip(surveys).filter(|(_, survey)| survey.problem.is_none());
        for change in runs.flat_map(|(candidate, _)| &candidate.settings) {
            if !asked.contains(change) {
                asked.push(change.clone());
            }
        }
        if asked.is_empty() {
            return Ok(Self { changes: Vec::new(), levels: Vec::new() });
        }
        let reasons = match agent.call(Request::LookAtSettings { changes: asked.clone() }, watch)? {
            Reply::Missing(reasons) if reasons.len() == asked.len() => reasons,
            other => return Err(unexpected(other).into()),
        };
        let (mut changes, mut there) = (Vec::new(), Vec::new());
        for (change, reason) in asked.into_iter().zip(reasons) {
            // Who asks for it by name, and not for all that can be had, is told so as a whole.
            let is_own = study.skip_impossible && change.peer.as_deref() == Some(SELF);
            match reason.or_else(|| is_own.then(|| OWN_LOOPBACK.to_owned())) {
                Some(reason) => changes.push((change, reason)),
                None => there.push(change),
            }
        }
        let has_others = |change: &Change| there.iter().any(|other| is_same_setting(change, other));
        let levels = changes.iter().map(|(change, _)| change).filter(|c| has_others(c)).cloned().collect();
        Ok(Self { changes, levels })
    }

    /// Takes out of a case what this machine does not have, which is said once for each workload: the
    /// case is then measured as the machine was found. Returns why it cannot be, where that is so: a level is
    /// missing, or a setting would not hold its load.
    ///
    /// # Errors
    /// If something is missing and the study leaves nothing out.
    pub(super) fn settle(
        &self,
        (study, catalogue): (&Study, &Catalogue),
        candidate: &mut Candidate,
        survey: &Survey,
        left_out: &mut LeftOut,
    ) -> Result<Option<Problem>, PlanError> {
        while let Some(lack) = self.lack(&candidate.settings) {
            let (key, problem) = match lack {
                Lack::Level(problem) => return Ok(Some(problem)),
                Lack::Setting { key, problem } => (key, problem),
            };
            if !study.skip_impossible {
                return Err(PlanError::Impossible { label: candidate.label.to_string(), problem });
            }
            let once = (candidate.test, key);
            if !left_out.told.contains(&once) {
                let case = to_case(candidate.clone(), survey.clone(), study, catalogue);
                left_out.cases.push((case, problem));
                left_out.told.push(once);
            }
            self.strip(&mut candidate.settings);
            let workload = &study.workloads[candidate.test];
            candidate.label = label(&candidate.loads, &candidate.settings, study, workload, catalogue);
        }
        Ok(missed(&Host::this(), &candidate.settings, &survey.loads))
    }

    /// What of a case cannot be had: a setting before a level, for without it the case is another.
    fn lack(&self, settings: &[Change]) -> Option<Lack> {
        let problem = |reason: &str| {
            Problem::refused(reason, "leave it out; `headroom settings` shows what can be changed here")
        };
        let of = |change: &Change| self.changes.iter().find(|(known, _)| known == change);
        let found: Vec<&(Change, String)> = settings.iter().filter_map(of).collect();
        if let Some((change, reason)) = found.iter().find(|(change, _)| !self.levels.contains(change)) {
            return Some(Lack::Setting { key: change.key(), problem: problem(reason) });
        }
        found.first().map(|(_, reason)| Lack::Level(problem(reason)))
    }

    /// Leaves the settings that are there.
    fn strip(&self, settings: &mut Vec<Change>) {
        let is_there = |change: &Change| {
            self.levels.contains(change) || !self.changes.iter().any(|(known, _)| known == change)
        };
        settings.retain(is_there);
    }
}

/// Whether two changes are of the same state of the same resources, to whatever value.
fn is_same_setting(a: &Change, b: &Change) -> bool {
    (&a.name, &a.resource, &a.peer, &a.targets, &a.layers)
        == (&b.name, &b.resource, &b.peer, &b.targets, &b.layers)
}
