//! What is known of one option of fio.
//!
//! Every option has one of four treatments. Nothing is ignored in silence unless the
//! table says why it cannot change what is measured.

use super::value::Form;

/// What becomes of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionSupport {
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
    pub treatment: OptionSupport,
    /// Taken: what it becomes. Harmless: why it is. Unsupported: what its
    /// absence changes. Refused: why.
    pub says: &'static str,
    /// Values that ask for nothing.
    neutral: &'static [&'static str],
}

impl FioOption {
    const fn new(name: &'static str, treatment: OptionSupport, says: &'static str) -> Self {
        Self { name, aliases: &[], form: Form::Any, treatment, says, neutral: &["0"] }
    }

    /// One that has its like here.
    pub(super) const fn taken(name: &'static str, form: Form, says: &'static str) -> Self {
        Self { form, ..Self::new(name, OptionSupport::Taken, says) }
    }

    /// One that does not change what is measured.
    pub(super) const fn harmless(name: &'static str, says: &'static str) -> Self {
        Self::new(name, OptionSupport::Harmless, says)
    }

    /// One that has no like here.
    pub(super) const fn unsupported(name: &'static str, says: &'static str) -> Self {
        Self::new(name, OptionSupport::Unsupported, says)
    }

    /// One that has no like here, whatever its value.
    pub(super) const fn foreign(name: &'static str, says: &'static str) -> Self {
        Self::unsupported(name, says).unless(&[])
    }

    /// One without which the job would be another.
    pub(super) const fn refused(name: &'static str, says: &'static str) -> Self {
        Self::new(name, OptionSupport::Refused, says)
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
