//! What the sections of a report look at: the run, and what several of them
//! need to know of it.

use model::workload::Catalogue;
use model::{Run, WorkloadSpec};

use super::Subject;

/// A run as a report sees it.
pub struct View<'a> {
    /// The run.
    pub run: &'a Run,
    /// What can be measured.
    pub catalogue: &'a Catalogue,
    /// The words.
    pub words: &'static language::Words,
}

impl<'a> View<'a> {
    pub(crate) fn new(subject: &Subject<'a>) -> Self {
        Self { run: subject.run, catalogue: subject.catalogue, words: subject.words }
    }

    /// The report's title.
    #[must_use]
    pub fn title(&self) -> String {
        self.run.study.title.clone().unwrap_or_else(|| self.run.study.name.clone())
    }

    /// The description of a workload.
    #[must_use]
    pub fn workload(&self, name: &str) -> Option<&WorkloadSpec> {
        self.catalogue.workload(name)
    }
}
