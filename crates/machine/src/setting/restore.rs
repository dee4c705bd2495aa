//! What is done about changes that another process made: whether it still will
//! put them back itself, why no run may start before, and `headroom restore`.

use std::fmt;

use super::journal::{Entry, Journal, JournalError};
use super::keeper::{PutBack, put_back};
use super::namespace::{Where, door};
use super::process::Process;
use super::{Setting, SettingError, TABLE, find_in};

/// The command that puts back.
const COMMAND: &str = "headroom restore";

/// How an entry of a journal stands to a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// It is of another machine with which this one shares its files.
    OtherMachine,
    /// The machine was started anew since.
    OtherBoot,
    /// Who made it, or the one for whom it was made, lives and will put it back.
    UnderWay(u32),
    /// Who made it is dead, and had the same controller.
    Sibling,
    /// Who made it is dead, and nobody will put it back.
    Left,
}

/// How an entry stands to a process at `here` whose controller is `controller`.
pub(super) fn standing(entry: &Entry, here: &Where, controller: Option<&Process>) -> Standing {
    let Entry { place, owner, controller: theirs, .. } = entry;
    if place.machine != here.machine {
        return Standing::OtherMachine;
    }
    if place.boot != here.boot {
        return Standing::OtherBoot;
    }
    if owner.lives() {
        return Standing::UnderWay(owner.pid);
    }
    match theirs {
        Some(theirs) if Some(theirs) == controller && place.namespace == here.namespace => Standing::Sibling,
        Some(theirs) if theirs.lives() => Standing::UnderWay(theirs.pid),
        _ => Standing::Left,
    }
}

impl Standing {
    /// Why nothing may be changed because of the entry; none where it may.
    pub(super) fn refusal(self, entry: &Entry, here: &Where) -> Option<String> {
        let Entry { setting, resource, .. } = entry;
        match self {
            Standing::OtherMachine | Standing::Sibling => None,
            // What is in another network namespace is another's host.
            Standing::UnderWay(_) if entry.place.namespace != here.namespace => None,
            Standing::UnderWay(pid) => Some(format!(
                "another run (process {pid}) is under way and has changed {setting} of {resource}: wait for its end"
            )),
            Standing::OtherBoot | Standing::Left => Some(format!(
                "a run that was killed left {setting} of {resource} changed: type `{COMMAND}` first"
            )),
        }
    }
}

/// Why no run may start now: another is changing settings, or one that was
/// killed left some. None where it may.
///
/// # Errors
/// If a journal cannot be read.
pub fn refusal() -> Result<Option<String>, JournalError> {
    refusal_of(&Journal::all(), &Where::here())
}

pub(super) fn refusal_of(journals: &[Journal], here: &Where) -> Result<Option<String>, JournalError> {
    for journal in journals {
        for entry in journal.entries()? {
            let reason = standing(&entry, here, None).refusal(&entry, here);
            if reason.is_some() {
                return Ok(reason);
            }
        }
    }
    Ok(None)
}

/// What was done about one entry.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// It was put back: from what, to what.
    PutBack {
        /// What it was.
        from: String,
        /// What it is again.
        to: String,
    },
    /// It was as before already.
    Already(String),
    /// The resource is not there any more, nor is its state.
    Gone,
    /// The machine was started anew, which undid it.
    Restarted,
    /// Its network namespace is gone, with the interfaces that were made in it.
    NamespaceGone,
    /// It is in another network namespace: the command that puts it back there.
    ElsewhereInMachine(String),
    /// It is of another machine.
    OtherMachine,
    /// A process that lives will put it back.
    UnderWay(u32),
    /// It could not be put back.
    Failed(SettingError),
}

/// One entry, and what was done about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Restored {
    /// The entry.
    pub entry: Entry,
    /// What was done.
    pub outcome: Outcome,
}

impl Restored {
    /// Whether nothing is left to be done.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        !matches!(
            self.outcome,
            Outcome::ElsewhereInMachine(_)
                | Outcome::OtherMachine
                | Outcome::UnderWay(_)
                | Outcome::Failed(_)
        )
    }
}

impl fmt::Display for Restored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Entry { setting, resource, .. } = &self.entry;
        write!(f, "{setting} of {resource}: ")?;
        match &self.outcome {
            Outcome::PutBack { from, to } => write!(f, "put back from {from} to {to}"),
            Outcome::Already(value) => write!(f, "it is {value} as before; nothing was to be done"),
            Outcome::Gone => f.write_str("it is not there any more, so there is nothing to put back"),
            Outcome::Restarted => {
                f.write_str("the machine was started anew since, which undid it; nothing was to be done")
            }
            Outcome::NamespaceGone => write!(
                f,
                "its network namespace (net:[{}]) is gone, and the interfaces that were made in it; a card that was \
                 moved there is back in the first one: look at it",
                self.entry.place.namespace
            ),
            Outcome::ElsewhereInMachine(command) => {
                write!(f, "it is in another network namespace; type `{command}`")
            }
            Outcome::OtherMachine => write!(
                f,
                "it is of another machine (machine-id {}), with which this one shares the journal; type `{COMMAND}` there",
                self.entry.place.machine
            ),
            Outcome::UnderWay(pid) => {
                write!(f, "process {pid} is at work with it, and will put it back itself")
            }
            Outcome::Failed(error) => write!(f, "could not be put back: {error}"),
        }
    }
}

/// Puts back what processes that are dead had changed, the last change first.
///
/// # Errors
/// If a journal cannot be read or written.
pub fn restore() -> Result<Vec<Restored>, JournalError> {
    restore_from(TABLE, &Journal::all(), &Where::here())
}

pub(super) fn restore_from(
    table: &'static [&'static dyn Setting],
    journals: &[Journal],
    here: &Where,
) -> Result<Vec<Restored>, JournalError> {
    let mut all = Vec::new();
    for journal in journals {
        for entry in journal.entries()?.into_iter().rev() {
            let outcome = one(table, &entry, here);
            let restored = Restored { entry, outcome };
            if restored.is_settled() {
                journal.remove(&restored.entry)?;
            }
            all.push(restored);
        }
    }
    Ok(all)
}

fn one(table: &'static [&'static dyn Setting], entry: &Entry, here: &Where) -> Outcome {
    match standing(entry, here, None) {
        Standing::OtherMachine => return Outcome::OtherMachine,
        Standing::OtherBoot => return Outcome::Restarted,
        Standing::UnderWay(pid) => return Outcome::UnderWay(pid),
        Standing::Sibling | Standing::Left => {}
    }
    if entry.place.namespace != here.namespace {
        return match door(entry.place.namespace) {
            Some(door) => Outcome::ElsewhereInMachine(door.command(COMMAND)),
            None => Outcome::NamespaceGone,
        };
    }
    let show = |value: &model::Value| {
        find_in(table, &entry.setting).map_or_else(|| value.to_string(), |s| s.spec().show(value))
    };
    match put_back(table, entry) {
        Ok(PutBack::From(from)) => Outcome::PutBack { from: show(&from), to: show(&entry.before) },
        Ok(PutBack::Already) => Outcome::Already(show(&entry.before)),
        Ok(PutBack::Gone) => Outcome::Gone,
        Err(error) => Outcome::Failed(error),
    }
}
