//! Every option of fio 3.33 and of its engines for files, and those of later
//! versions that we know, with what becomes of each. The reference page is made
//! from these tables.

mod content;
mod ending;
mod engine;
mod pattern;
mod process;
mod report;
mod target;

use super::option::FioOption;

/// Options of one theme.
pub(super) struct Table {
    /// What they are about, for the reference page.
    pub(super) title: &'static str,
    /// The options.
    pub(super) options: &'static [FioOption],
}

/// Every table, in the order of the reference page.
pub(super) const TABLES: &[Table] = &[
    Table { title: "Jobs", options: process::JOBS },
    Table { title: "Files and devices", options: target::OPTIONS },
    Table { title: "What is done, and where", options: pattern::OPTIONS },
    Table { title: "Engine and queue", options: engine::OPTIONS },
    Table { title: "When it ends, and how fast it may go", options: ending::OPTIONS },
    Table { title: "Content and verification", options: content::CONTENT },
    Table { title: "Durability and the page cache", options: content::DURABILITY },
    Table { title: "The process and the machine", options: process::MACHINE },
    Table { title: "Reports and logs", options: report::OPTIONS },
    Table { title: "Recorded operations", options: report::REPLAY },
];
