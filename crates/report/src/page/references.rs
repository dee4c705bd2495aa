//! What the study rests on.

use super::View;
use crate::document::{Block, Section};

pub(super) fn write(view: &View<'_>) -> Section {
    let mut section = Section::new("references", view.say("references-title"));
    let references = &view.run.study.references;
    if !references.is_empty() {
        section.push(Block::List(references.iter().map(|r| r.as_str().into()).collect()));
    }
    section
}
