//! The lines of bonnie++ beside its figures: headings, progress, and what it prints in place of figures.

use model::tool_result::ToolWarning;

use crate::tool::block::ToolLine;

/// `Version  2.00a       ------Sequential Output------ ...`, or with `Sequential Create`.
pub(super) fn is_title(text: &str) -> bool {
    text.contains("-Sequential Output-") || text.contains("-Sequential Create-")
}

/// `                    -Per Chr- --Block-- -Rewrite- ...`, `vm                  -Create-- --Read--- ...`.
pub(super) fn is_second_heading(text: &str) -> bool {
    text.contains("-Per Chr- ") || text.contains("-Create-- --")
}

/// `Name:Size etc        /sec %CP  /sec %CP`, `Machine        Size K/sec %CP`.
pub(super) fn is_third_heading(text: &str) -> bool {
    text.contains("/sec %CP") || text.contains("Size K/sec")
}

/// What lines that it writes while it runs begin with.
pub(super) const PROGRESS: &[&str] = &[
    "Using uid:",
    "Writing a byte at a time",
    "Writing with putc()",
    "Writing intelligently",
    "Rewriting...",
    "Reading a byte at a time",
    "Reading with getc()",
    "Reading intelligently",
    "start 'em...",
    "Create files in ",
    "Stat files in ",
    "Delete files in ",
];

/// What it says while it runs.
pub(super) fn is_progress(text: &str) -> bool {
    PROGRESS.iter().any(|beginning| text.starts_with(beginning))
}

/// What it prints in place of a rate where a test took less than half a second (`MinTime` in its bonnie.h).
const TOO_QUICK: &str = "+++++";

/// Its own warning that a test was too quick, where a line has one.
pub(super) fn too_quick(line: &ToolLine) -> Option<ToolWarning> {
    let warning =
        || ToolWarning { line: line.number, text: format!("{TOO_QUICK} (less than half a second)") };
    line.text.contains(TOO_QUICK).then(warning)
}
