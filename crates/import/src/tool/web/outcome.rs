//! How requests ended: how many there were, and how many of them failed. Some tools count them by status, some by its
//! class, some by what went wrong.

use model::Unit;
use model::tool_result::PrintedValue;

use crate::tool::number::{exact, plain};

/// How a request ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// With an answer that does not say that it failed.
    Good,
    /// Without an answer, or with one that says so.
    Failed,
    /// The end of the run came before its answer, which tells nothing of the server.
    Unfinished,
}

impl Outcome {
    /// Of an answer with this status (RFC 9110, section 15).
    pub(super) fn of_status(status: u64) -> Self {
        if status >= 400 { Self::Failed } else { Self::Good }
    }
}

/// Requests, counted by how they ended.
#[derive(Clone, Debug, Default)]
pub(super) struct Outcomes {
    /// The line of the last count; 0 before the first.
    line: u64,
    good: u64,
    failed: u64,
    unfinished: u64,
    /// The counts as printed, of which no more are kept than are shown.
    texts: Vec<String>,
}

/// A sum of more counts is shown as what it comes to.
const TEXTS_MAX: usize = 8;

impl Outcomes {
    /// Adds so many requests that ended so.
    pub(super) fn add(&mut self, line: u64, count: u64, outcome: Outcome) {
        let own = match outcome {
            Outcome::Good => &mut self.good,
            Outcome::Failed => &mut self.failed,
            Outcome::Unfinished => &mut self.unfinished,
        };
        *own = own.saturating_add(count);
        if count > 0 || self.line == 0 {
            self.line = line;
        }
        if count > 0 && self.texts.len() <= TEXTS_MAX {
            self.texts.push(count.to_string());
        }
    }

    /// How many there were; `None` if nothing was counted.
    pub(super) fn operations(&self) -> Option<PrintedValue> {
        let all = self.good.saturating_add(self.failed).saturating_add(self.unfinished);
        let counted = (self.line > 0).then(|| exact(self.line, all, Unit::One))?;
        let is_shown = (1..=TEXTS_MAX).contains(&self.texts.len());
        Some(if is_shown { PrintedValue { text: self.texts.join(" + "), ..counted } } else { counted })
    }

    /// The share of those that failed among all that came to an end; `None` if none did.
    pub(super) fn error_share(&self) -> Option<PrintedValue> {
        let ended = self.good.saturating_add(self.failed);
        let share = self.failed as f64 / ended as f64;
        let text = format!("{}/{ended}", self.failed);
        (ended > 0).then(|| plain(self.line, text, share, Unit::One))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_did_not_end_is_an_operation_and_no_failure() {
        let mut outcomes = Outcomes::default();
        assert_eq!((outcomes.operations(), outcomes.error_share()), (None, None));
        outcomes.add(3, 60, Outcome::of_status(200));
        outcomes.add(4, 20, Outcome::of_status(503));
        outcomes.add(5, 20, Outcome::Unfinished);
        outcomes.add(6, 0, Outcome::Failed);
        let all = outcomes.operations().unwrap();
        assert_eq!((all.value, all.line, all.text.as_str()), (100.0, 5, "60 + 20 + 20"));
        let share = outcomes.error_share().unwrap();
        assert_eq!((share.value, share.text.as_str()), (0.25, "20/80"));
    }

    #[test]
    fn a_long_sum_is_shown_as_what_it_comes_to() {
        let mut outcomes = Outcomes::default();
        (0..1000).for_each(|_| outcomes.add(1, 2, Outcome::Failed));
        assert_eq!(outcomes.operations().unwrap().text, "2000");
        assert_eq!(outcomes.texts.len(), TEXTS_MAX + 1);
    }
}
