//! How steps are found, and how to do it again.

use model::Value;
use stats::change_point::SIGNIFICANCE;

use super::view::TrendView;
use crate::document::{Block, Section};
use crate::page::method::typed;

pub(super) fn write(view: &TrendView<'_>) -> Section {
    let mut section = Section::new("method", view.say("method-title"));
    let arguments = [
        ("chance", Value::Number(SIGNIFICANCE)),
        ("margin", Value::Number(view.subject.trend.margin)),
        ("least", Value::from(view.subject.trend.runs_least as u64)),
    ];
    section.push(Block::Paragraph(view.words().tell("trend-method", &arguments).into()));
    if !view.subject.command.is_empty() {
        let mut again = Section::new("again", view.say("method-again"));
        again.push(Block::Code(typed(view.subject.command)));
        section.subsections.push(again);
    }
    section
}
