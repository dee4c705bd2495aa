//! What the sides ran against: servers, their versions and settings, and how far away they are.

use super::view::ComparisonView;
use crate::document::Section;
use crate::page::servers::{self, ServerColumn};

pub(super) fn write(view: &ComparisonView<'_>) -> Section {
    let mut section = Section::new("servers", view.say("servers-title"));
    let Some(first) = view.runs.first() else { return section };
    let mut all: Vec<ServerColumn<'_>> = Vec::new();
    for (place, run) in view.runs.iter().enumerate() {
        let columns = servers::columns(run);
        let is_one = columns.len() == 1;
        for column in columns {
            let title = match (&view.comparison.by, is_one) {
                (Some(_), _) => column.title.clone(),
                (None, true) => view.side(place),
                (None, false) => format!("{}: {}", view.side(place), column.title),
            };
            all.push(column.titled(title));
        }
    }
    section.extend(servers::blocks(first, all));
    section
}
