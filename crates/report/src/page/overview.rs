//! The machine at a glance: what only several workloads together show.

use crate::document::Section;
use crate::figure;
use crate::view::View;

pub(super) fn write(view: &View<'_>) -> Section {
    let mut section = Section::new("whole", view.say("whole-title"));
    section.extend(figure::of_run(view));
    section
}
