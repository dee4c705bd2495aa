//! What the study rests on, and where ranges of classes are from.

use super::{View, class};
use crate::document::{Block, Section, Text};

pub(super) fn write(view: &View<'_>) -> Section {
    let mut section = Section::new("references", view.say("references-title"));
    let own = view.run.study.references.iter().map(|reference| Text::from(reference.as_str()));
    let references: Vec<Text> = own.chain(class::sources(view)).collect();
    if !references.is_empty() {
        section.push(Block::List(references));
    }
    section
}
