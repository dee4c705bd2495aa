//! Notes that every run of this kind on such a machine has: said once, at the end, folded.

use super::View;
use super::findings;
use crate::document::{Block, Section};

pub(super) fn write(view: &View<'_>) -> Section {
    let notices = findings::general_notices(view);
    let mut section = Section::new("general", view.count("general-title", notices.len()));
    // Folded on a screen; the title says how many there are.
    if !notices.is_empty() {
        let blocks = notices.into_iter().map(Block::Notice).collect();
        section.push(Block::More { title: view.say("general-about"), blocks });
    }
    section
}
