//! Both sides over each other, a section for each workload.

use model::run::CaseResult;

use super::view::ComparisonView;
use crate::document::{Block, Section};
use crate::figure;

pub(super) fn write(view: &ComparisonView<'_>) -> Section {
    let mut section = Section::new("charts", view.say("comparison-charts"));
    for group in view.all.groups() {
        let cases: Vec<&CaseResult> = group.cases.clone();
        let mut part = Section::new(format!("charts-{}", group.place + 1), group.name.as_str());
        part.extend(figure::of_sides(&view.all, &cases));
        if !part.is_empty() {
            section.subsections.push(part);
        }
    }
    if !section.is_empty() {
        section.push(Block::Paragraph(view.say("comparison-charts-about").into()));
    }
    section
}
