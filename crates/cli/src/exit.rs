//! Why a command could not be carried out, and which exit code says so.

use std::io::ErrorKind;
use std::path::PathBuf;

use agent::AgentError;
use report::export::ExportError;
use store::StoreError;
use study::run::RunError;
use study::{Diagnostic, PlanError};

use crate::browser::BrowserError;
use crate::tool_hints;

/// Bad arguments or study.
pub(crate) const INVALID: u8 = 2;
/// Refused: unsafe target, missing permission or tool; nothing was touched.
pub(crate) const REFUSED: u8 = 3;
/// Done, but a trial failed.
pub(crate) const TRIAL_FAILED: u8 = 1;
/// Done, but a case falls short of what the study's `[expect]` promises.
pub(crate) const UNKEPT: u8 = 1;
/// Done, but a goal is not kept in a case.
pub(crate) const GOAL_NOT_KEPT: u8 = 1;
/// Done, but a part of the machine had errors where the study asks whether it is to be accepted.
pub(crate) const NOT_ACCEPTED: u8 = 1;
/// Ended early, by a condition of the study.
pub(crate) const ABORTED: u8 = 1;
/// Done, but it cannot be told whether a goal is kept, and the user asked for this code.
pub(crate) const GOAL_UNKNOWN: u8 = 4;
/// Done, but a condition of the machine could disturb a measurement.
pub(crate) const CONDITION: u8 = 1;
/// Done, but something is worse than the baseline, and the user asked for this code, or the command that should
/// have told of it failed.
pub(crate) const WORSE: u8 = 1;
/// Done, but a figure of another tool is not what it says.
pub(crate) const DOUBTED: u8 = 1;
/// Interrupted; everything was put back.
pub(crate) const INTERRUPTED: u8 = 130;

/// Why a command could not be carried out.
#[derive(Debug)]
pub enum Failure {
    /// Something that was typed or written is wrong.
    Usage(Diagnostic),
    /// A case cannot be run.
    Plan(PlanError),
    /// The run ended early.
    Run(RunError),
    /// The store cannot be used.
    Store(StoreError),
    /// The agent cannot be used.
    Agent(AgentError),
    /// A format cannot hold the run.
    Export(ExportError),
    /// No PDF was printed.
    Browser(BrowserError),
    /// A file cannot be read or written.
    File {
        /// What was tried.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// The kernel's error.
        source: std::io::Error,
    },
    /// The run is done and kept, but its file could not be written.
    Unwritten {
        /// The run.
        id: String,
        /// Why not.
        failure: Box<Failure>,
    },
    /// Arguments that do not fit together.
    Arguments {
        /// What is wrong.
        message: String,
        /// What would be right.
        help: String,
    },
    /// Something that would do harm.
    Refused {
        /// What it is.
        message: String,
        /// What to do instead.
        help: String,
    },
    /// The store failed while a run was under way.
    Unkept {
        /// What is left of the run.
        run: Box<StoreFailure>,
        /// The store's error.
        error: StoreError,
    },
    /// The person stopped it before anything began.
    Interrupted,
}

/// What is left of a run whose store failed.
#[derive(Debug)]
pub struct StoreFailure {
    /// The run.
    pub id: String,
    /// How many trials were measured.
    pub measured: usize,
    /// How many of them are stored; absent if the store cannot be read either.
    pub stored: Option<usize>,
}

impl StoreFailure {
    /// Where what was measured can be found.
    fn whereabouts(&self) -> String {
        let StoreFailure { id, measured, .. } = self;
        match self.stored {
            None => format!(
                "What of this run is stored, `headroom show {id}` would show. The summary above has all."
            ),
            Some(0) => "The summary above is all that is left of this run.".to_owned(),
            Some(all) if all >= *measured => format!("Every trial is stored: `headroom show {id}`."),
            Some(some) => format!(
                "{some} of the {measured} trials in the summary above are stored: `headroom show {id}` shows them."
            ),
        }
    }
}

impl Failure {
    /// Arguments that do not fit together: what is wrong, and what would be right.
    pub(crate) fn arguments(message: impl Into<String>, help: impl Into<String>) -> Self {
        Failure::Arguments { message: message.into(), help: help.into() }
    }

    /// Something that would do harm: what it is, and what to do instead.
    pub(crate) fn refused(message: impl Into<String>, help: impl Into<String>) -> Self {
        Failure::Refused { message: message.into(), help: help.into() }
    }

    /// The exit code that says so (design, section 2).
    #[must_use]
    pub fn code(&self) -> u8 {
        match self {
            Failure::Usage(_) | Failure::Arguments { .. } => INVALID,
            Failure::Plan(PlanError::Agent(AgentError::Cancelled))
            | Failure::Browser(BrowserError::Interrupted)
            | Failure::Interrupted => INTERRUPTED,
            Failure::Unwritten { failure, .. } if failure.code() == INTERRUPTED => INTERRUPTED,
            Failure::Browser(BrowserError::Missing(_) | BrowserError::NotThere(_)) => REFUSED,
            Failure::Plan(error) if error.is_invalid() => INVALID,
            Failure::Store(
                StoreError::Unknown { .. }
                | StoreError::Ambiguous { .. }
                | StoreError::Absent { .. }
                | StoreError::Empty { .. },
            ) => INVALID,
            // A store that fails later makes it `Unkept`: here it took not even the head
            // of the run.
            Failure::Run(RunError::Store(_) | RunError::NotResumed { .. }) => REFUSED,
            Failure::Run(_)
            | Failure::Unkept { .. }
            | Failure::Agent(_)
            | Failure::Export(_)
            | Failure::Browser(_)
            | Failure::Unwritten { .. } => TRIAL_FAILED,
            // Results that could not be printed: much was done before.
            Failure::File { what: "writing to", .. } => TRIAL_FAILED,
            Failure::Plan(_) | Failure::Store(_) | Failure::File { .. } | Failure::Refused { .. } => REFUSED,
        }
    }

    /// What happened, in a sentence.
    #[must_use]
    pub fn message(&self) -> String {
        without_error_numbers(&self.whole_message())
    }

    fn whole_message(&self) -> String {
        match self {
            Failure::Usage(m) => m.message.clone(),
            Failure::Plan(e) => e.to_string(),
            Failure::Run(e) => e.to_string(),
            Failure::Store(error) | Failure::Unkept { error, .. } => error.to_string(),
            Failure::Agent(e) => e.to_string(),
            Failure::Export(e) => e.to_string(),
            Failure::Browser(e) => e.message(),
            Failure::File { what, path, source } => format!("{what} {} failed: {source}", path.display()),
            Failure::Arguments { message, .. } | Failure::Refused { message, .. } => message.clone(),
            Failure::Unwritten { failure, .. } => failure.whole_message(),
            Failure::Interrupted => "interrupted before anything was measured".to_owned(),
        }
    }

    /// What to do about it.
    #[must_use]
    pub fn help(&self) -> Option<String> {
        match self {
            Failure::Usage(m) => m.help.clone(),
            Failure::Plan(e) => e.help().map(str::to_owned),
            Failure::Browser(e) => e.help(),
            Failure::Store(e) | Failure::Run(RunError::Store(e)) => Some(e.help()),
            Failure::Unkept { run, error } => Some(format!("{} {}", error.help(), run.whereabouts())),
            Failure::Arguments { help, .. } | Failure::Refused { help, .. } => Some(help.clone()),
            Failure::Run(RunError::Left { id, .. }) => {
                Some(format!("type `headroom restore`; the run is kept: `headroom show {id}`"))
            }
            Failure::Run(RunError::NotResumed { id, .. }) => {
                Some(format!("measure anew, without --resume; `headroom show {id}` shows what was measured"))
            }
            Failure::Unwritten { id, .. } => Some(format!("the run is kept: `headroom export {id} -o FILE`")),
            Failure::File { source, .. } => file_help(source.kind()).map(str::to_owned),
            _ => None,
        }
    }
}

/// A sentence without Rust's `(os error N)`, for which nobody knows what to type.
fn without_error_numbers(text: &str) -> String {
    const MARK: &str = " (os error ";
    let mut words = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once(MARK) {
        words.push_str(before);
        rest = match behind.split_once(')') {
            Some((number, after)) if number.bytes().all(|byte| byte.is_ascii_digit()) => after,
            _ => {
                words.push_str(MARK);
                behind
            }
        };
    }
    words + rest
}

/// What to do about a file that cannot be read or written.
fn file_help(kind: ErrorKind) -> Option<&'static str> {
    match kind {
        ErrorKind::NotFound => Some("correct the path"),
        ErrorKind::PermissionDenied => {
            Some("ask who owns it to let you, or type the command as root, for instance by `sudo`")
        }
        ErrorKind::IsADirectory => Some("that is a folder: name a file in it"),
        ErrorKind::NotADirectory => Some("a part of the path is no folder: correct it"),
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Some("make room, or name another place"),
        ErrorKind::ReadOnlyFilesystem => Some("the file system is read-only: name another place"),
        _ => None,
    }
}

macro_rules! from {
    ($variant:ident, $error:ty) => {
        impl From<$error> for Failure {
            fn from(error: $error) -> Self {
                Failure::$variant(error)
            }
        }
    };
}

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Self {
        Failure::Usage(tool_hints::explained(diagnostic))
    }
}

from!(Plan, PlanError);
from!(Run, RunError);
from!(Store, StoreError);
from!(Agent, AgentError);
from!(Export, ExportError);
from!(Browser, BrowserError);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_that_takes_no_run_is_a_refusal() {
        let read_only = || StoreError::ReadOnly { path: PathBuf::from("x.db"), doing: "write to" };
        assert_eq!(Failure::Run(RunError::Store(read_only())).code(), REFUSED);
        assert_eq!(Failure::Store(read_only()).code(), REFUSED);
        let agent = RunError::Agent(AgentError::Unreachable(String::new()));
        assert_eq!(Failure::Run(agent).code(), TRIAL_FAILED);
    }

    #[test]
    fn regression_of_a_file_that_is_not_there_the_number_of_the_error_was_said_and_not_what_to_do() {
        for (number, says) in [(2, "correct the path"), (13, "sudo"), (21, "folder"), (28, "make room")] {
            let source = std::io::Error::from_raw_os_error(number);
            let failure = Failure::File { what: "reading", path: PathBuf::from("fio.txt"), source };
            assert!(failure.help().unwrap().contains(says), "{failure:?}");
            let message = failure.message();
            assert!(
                message.starts_with("reading fio.txt failed: ") && !message.contains("os error"),
                "{message}"
            );
        }
    }

    #[test]
    fn regression_trials_that_are_stored_were_said_to_be_lost() {
        let help = |stored| {
            let run = Box::new(StoreFailure { id: "a1".to_owned(), measured: 5, stored });
            let error = StoreError::Full { path: PathBuf::from("x.db"), doing: "write to" };
            Failure::Unkept { run, error }.help().unwrap()
        };
        assert!(help(Some(0)).ends_with("all that is left of this run."), "{}", help(Some(0)));
        for (stored, says) in [(Some(4), "4 of the 5 trials"), (Some(5), "Every trial"), (None, "would show")]
        {
            let help = help(stored);
            assert!(help.contains(says) && help.contains("`headroom show a1`"), "{help}");
            assert!(!help.contains("all that is left"), "{help}");
        }
    }

    #[test]
    fn regression_ctrl_c_while_the_page_of_a_run_was_printed_counted_as_a_failed_trial() {
        let unwritten = |failure: BrowserError| Failure::Unwritten {
            id: "a".to_owned(),
            failure: Box::new(Failure::Browser(failure)),
        };
        assert_eq!(unwritten(BrowserError::Interrupted).code(), INTERRUPTED);
        assert_eq!(unwritten(BrowserError::Missing(Vec::new())).code(), TRIAL_FAILED);
    }
}
