//! Cases that are observed: each has a twin that does the same work with the observers, in the
//! same blocks and in the same random order. So the figures of the case are of trials that nobody
//! watched, and what watching costs is known from pairs.

use model::label::LabelPart;
use model::plan::Case;
use model::run::CaseRole;
use model::{Kind, ObserverKind, Value};

use super::{Execution, RunError};

impl Execution<'_> {
    /// Adds the twins of a group's cases that lack theirs; a level that was added for a verdict has one, too:
    /// where its operations wait is what the verdict hangs on.
    pub(super) fn add_observed(&mut self, group: usize) -> Result<(), RunError> {
        let results = &self.run.cases;
        let lacks_twin = |case: &&Case| {
            let twin = CaseRole::Observed { of: case.index };
            !case.observe.is_empty()
                && matches!(results[case.index].role, CaseRole::Asked | CaseRole::Extra { .. })
                && results.iter().all(|other| other.role != twin)
        };
        let cases: Vec<Case> = self.plan.group(group).filter(lacks_twin).cloned().collect();
        for case in cases {
            let names: Vec<&str> = case.observe.iter().map(|kind| kind.name()).collect();
            let value = Value::from(names.join("+").as_str());
            let part = LabelPart { name: "observe".to_owned(), kind: Kind::Choice, value };
            let mut twin = Case { search: None, search_s: None, ..case.clone() };
            twin.label.settings.push(part);
            self.add_case(&mut twin, CaseRole::Observed { of: case.index })?;
        }
        Ok(())
    }

    /// What watches the trials of a case.
    pub(super) fn observers(&self, case: &Case) -> Vec<ObserverKind> {
        let is_twin = matches!(self.run.cases[case.index].role, CaseRole::Observed { .. });
        if is_twin { case.observe.clone() } else { Vec::new() }
    }
}
