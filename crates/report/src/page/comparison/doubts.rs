//! What casts doubt on the figures of each side.

use super::view::ComparisonView;
use crate::document::{Block, Section};
use crate::page::findings;

pub(super) fn write(view: &ComparisonView<'_>) -> Section {
    let mut section = Section::new("doubts", view.say("findings-validity"));
    for (place, run) in view.runs.iter().enumerate() {
        let notices = findings::doubt_notices(run).into_iter().map(Block::Notice);
        // One run needs no name.
        if view.runs.len() == 1 {
            section.extend(notices);
            continue;
        }
        let mut part = Section::new(format!("doubts-{}", place + 1), view.side(place));
        part.extend(notices);
        if !part.is_empty() {
            section.subsections.push(part);
        }
    }
    section
}

/// How many there are on all sides.
pub(super) fn count(view: &ComparisonView<'_>) -> usize {
    view.runs.iter().map(|run| findings::doubts(run).count()).sum()
}
