//! What became of the goals of each side's study, where it has some: in all its cases, those too that have no partner.

use super::view::ComparisonView;
use crate::document::{Block, Rank, Section, Text};
use crate::page::goals;

pub(super) fn write(view: &ComparisonView<'_>) -> Section {
    let mut section = Section::new("goals", view.say("goals-title"));
    let mut pairs: Vec<(String, Text)> = Vec::new();
    for (place, run) in view.whole.iter().enumerate() {
        let name = if view.whole.len() == 1 { view.say("comparison-run") } else { view.side(place) };
        pairs.extend(goals::lines(run).into_iter().map(|line| (name.clone(), line)));
    }
    if !pairs.is_empty() {
        section.put(Rank::Figure, Block::Pairs(pairs));
    }
    section
}
