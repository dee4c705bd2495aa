//! What is known of one option of fio, and finding it by name.
//!
//! Every option has one of four fates. Nothing is ignored in silence unless the
//! table says why it cannot change what is measured.

use super::table;
use super::value::Form;
use crate::diagnostic::suggest;

/// What becomes of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It has its like here.
    Taken,
    /// It does not change what is measured.
    Harmless,
    /// It has no like here; the run goes on and says what differs.
    Unsupported,
    /// Without it the job would be another one, so the file is refused.
    Refused,
}

/// One option of fio's job files.
#[derive(Debug)]
pub struct FioOption {
    /// Its name.
    pub name: &'static str,
    /// Its other names.
    pub aliases: &'static [&'static str],
    /// How its value is written.
    pub(super) form: Form,
    /// What becomes of it.
    pub fate: Fate,
    /// Taken: what it becomes. Harmless: why it is. Unsupported: what its
    /// absence changes. Refused: why.
    pub says: &'static str,
    /// Values that ask for nothing.
    neutral: &'static [&'static str],
}

impl FioOption {
    const fn new(name: &'static str, fate: Fate, says: &'static str) -> Self {
        Self { name, aliases: &[], form: Form::Any, fate, says, neutral: &["0"] }
    }

    /// One that has its like here.
    pub(super) const fn taken(name: &'static str, form: Form, says: &'static str) -> Self {
        Self { form, ..Self::new(name, Fate::Taken, says) }
    }

    /// One that does not change what is measured.
    pub(super) const fn harmless(name: &'static str, says: &'static str) -> Self {
        Self::new(name, Fate::Harmless, says)
    }

    /// One that has no like here.
    pub(super) const fn unsupported(name: &'static str, says: &'static str) -> Self {
        Self::new(name, Fate::Unsupported, says)
    }

    /// One without which the job would be another.
    pub(super) const fn refused(name: &'static str, says: &'static str) -> Self {
        Self::new(name, Fate::Refused, says)
    }

    /// With other names.
    pub(super) const fn or(mut self, aliases: &'static [&'static str]) -> Self {
        self.aliases = aliases;
        self
    }

    /// With the values that ask for nothing; `0` unless told otherwise.
    pub(super) const fn unless(mut self, neutral: &'static [&'static str]) -> Self {
        self.neutral = neutral;
        self
    }

    /// Whether `value` asks for nothing.
    pub(super) fn is_neutral(&self, value: Option<&str>) -> bool {
        value.is_some_and(|v| self.neutral.contains(&v))
    }
}

/// The option called `name`, by any of its names.
pub(super) fn find(name: &str) -> Option<&'static FioOption> {
    all().find(|o| o.name == name || o.aliases.contains(&name))
}

/// Every option, in the order of the reference page.
pub(super) fn all() -> impl Iterator<Item = &'static FioOption> + Clone {
    table::TABLES.iter().flat_map(|t| t.options.iter())
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

    #[test]
    fn names_are_unique_and_every_option_says_what_becomes_of_it() {
        let mut names: Vec<&str> =
            all().flat_map(|o| std::iter::once(o.name).chain(o.aliases.iter().copied())).collect();
        names.sort_unstable();
        let twice = names.windows(2).find(|w| w[0] == w[1]);
        assert_eq!(twice, None);
        for option in all() {
            assert!(option.says.len() > 5 && !option.says.ends_with('.'), "{}", option.name);
            assert!(option.fate != Fate::Taken || option.form != Form::Any, "{}", option.name);
        }
    }

    #[test]
    fn an_unknown_name_has_a_near_one() {
        assert_eq!(nearest("iodepht"), "did you mean `iodepth`?");
        assert_eq!(nearest("blocksizes"), "did you mean `blocksize`?");
        assert!(nearest("the_quick_brown_fox_jumps").contains("fio.md"));
    }
}
