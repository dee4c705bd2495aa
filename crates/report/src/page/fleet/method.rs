//! How machines are held against each other, and how to do it again.

use analysis::fleet::FALSE_ALARM;
use model::Value;
use stats::outlier::LEAST;

use super::view::FleetView;
use crate::document::{Block, Section};
use crate::page::method::typed;

pub(super) fn write(view: &FleetView<'_>) -> Section {
    let mut section = Section::new("method", view.say("method-title"));
    let arguments = [
        ("chance", Value::Number(FALSE_ALARM)),
        ("margin", Value::Number(view.fleet().margin)),
        ("least", Value::from(LEAST as u64)),
    ];
    section.push(Block::Paragraph(view.words().tell("fleet-method", &arguments).into()));
    section.push(Block::Paragraph(view.words().tell("fleet-method-facts", &arguments).into()));
    if !view.subject.command.is_empty() {
        let mut again = Section::new("again", view.say("method-again"));
        again.push(Block::Code(typed(view.subject.command)));
        section.subsections.push(again);
    }
    section
}
