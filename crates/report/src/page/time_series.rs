//! What the samplers saw, on one clock.

use model::run::CaseResult;

use super::View;
use crate::document::{Block, Section};
use crate::figure;

pub(super) fn write(view: &View<'_>) -> Section {
    let mut section = Section::new("time", view.say("time-title"));
    let cases: Vec<&CaseResult> = view.cases().collect();
    let charts = figure::of_samples(view, &cases);
    if !charts.is_empty() {
        section.push(Block::Paragraph(view.say("time-about").into()));
        section.extend(charts);
    }
    section
}
