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
use crate::diagnostic::suggest;

/// Options of one theme.
pub(super) struct Table {
    /// What they are about, for the reference page.
    pub(super) title: &'static str,
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

/// The option called `name`, by any of its names.
pub(super) fn find(name: &str) -> Option<&'static FioOption> {
    all().find(|o| o.name == name || o.aliases.contains(&name))
}

/// Every option, in the order of the reference page.
pub(super) fn all() -> impl Iterator<Item = &'static FioOption> + Clone {
    TABLES.iter().flat_map(|t| t.options.iter())
}

/// What an unknown name was most likely meant to be.
pub(super) fn nearest(name: &str) -> String {
    let names = all().flat_map(|o| std::iter::once(o.name).chain(o.aliases.iter().copied()));
    match suggest(name, names.collect::<Vec<_>>()) {
        help if help.starts_with("did you mean") => help,
        _ => "docs/reference/fio.md lists the options".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fio::option::OptionSupport;
    use crate::fio::value::Form;

    #[test]
    fn names_are_unique_and_every_option_says_what_becomes_of_it() {
        let mut names: Vec<&str> =
            all().flat_map(|o| std::iter::once(o.name).chain(o.aliases.iter().copied())).collect();
        names.sort_unstable();
        let twice = names.windows(2).find(|w| w[0] == w[1]);
        assert_eq!(twice, None);
        for option in all() {
            assert!(option.says.len() > 5 && !option.says.ends_with('.'), "{}", option.name);
            assert!(option.treatment != OptionSupport::Taken || option.form != Form::Any, "{}", option.name);
        }
    }

    #[test]
    fn an_unknown_name_has_a_near_one() {
        assert_eq!(nearest("iodepht"), "did you mean `iodepth`?");
        assert_eq!(nearest("blocksizes"), "did you mean `blocksize`?");
        assert!(nearest("the_quick_brown_fox_jumps").contains("fio.md"));
    }
}
