//! What is done about changes that another process made: whether it still will
//! put them back itself, why no run may start before, and `headroom restore`.

use std::fmt;

use model::Value;

use super::journal::{Journal, JournalEntry, JournalError, SideEffect};
use super::namespace::{NamespaceScope, namespace_entry};
use super::process::Process;
use super::put_back::{RestoreOutcome, outlives_boot, put_back, put_back_effects};
use super::{Setting, SettingError, TABLE, find_to_put_back};

/// The command that puts back.
const COMMAND: &str = "headroom restore";
/// The one that also takes out what cannot be put back.
const DROP: &str = "headroom restore --drop";

/// How an entry of a journal stands to a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EntryState {
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

/// Whether an entry is of a state that each network namespace has for itself, and of
/// another one than `here`. What this version does not know is taken to be the
/// machine's, so that it is neither passed over nor dropped.
fn is_elsewhere(table: &'static [&'static dyn Setting], entry: &JournalEntry, here: &NamespaceScope) -> bool {
    let is_of_namespace =
        find_to_put_back(table, &entry.setting).is_ok_and(|setting| setting.is_of_namespace());
    is_of_namespace && entry.place.namespace != here.namespace
}

/// How an entry stands to a process at `here` whose controller is `controller`.
pub(super) fn standing(
    table: &'static [&'static dyn Setting],
    entry: &JournalEntry,
    here: &NamespaceScope,
    controller: Option<&Process>,
) -> EntryState {
    let JournalEntry { place, owner, controller: theirs, .. } = entry;
    // The id of a start of the kernel is no other machine's, and says it also
    // where /etc/machine-id was made anew, or is a container's own.
    if place.machine != here.machine && place.boot != here.boot {
        return EntryState::OtherMachine;
    }
    if place.boot != here.boot {
        return EntryState::OtherBoot;
    }
    if owner.lives() {
        return EntryState::UnderWay(owner.pid);
    }
    match theirs {
        Some(theirs) if Some(theirs) == controller && !is_elsewhere(table, entry, here) => {
            EntryState::Sibling
        }
        Some(theirs) if theirs.lives() => EntryState::UnderWay(theirs.pid),
        _ => EntryState::Left,
    }
}

impl EntryState {
    /// Why nothing may be changed because of the entry; none where it may.
    pub(super) fn refusal(
        self,
        table: &'static [&'static dyn Setting],
        entry: &JournalEntry,
        here: &NamespaceScope,
    ) -> Option<String> {
        let JournalEntry { setting, resource, .. } = entry;
        match self {
            EntryState::OtherMachine | EntryState::Sibling => None,
            // What is in another network namespace is another's host.
            EntryState::UnderWay(_) if is_elsewhere(table, entry, here) => None,
            EntryState::UnderWay(pid) => Some(format!(
                "another run (process {pid}) is under way and has set {setting} of {resource}: wait for its end"
            )),
            EntryState::OtherBoot | EntryState::Left => Some(format!(
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
    refusal_of(TABLE, &Journal::all(), &NamespaceScope::here())
}

pub(super) fn refusal_of(
    table: &'static [&'static dyn Setting],
    journals: &[Journal],
    here: &NamespaceScope,
) -> Result<Option<String>, JournalError> {
    for journal in journals {
        for entry in journal.entries()? {
            let reason = standing(table, &entry, here, None).refusal(table, &entry, here);
            if reason.is_some() {
                return Ok(reason);
            }
        }
    }
    Ok(None)
}

/// What was done about one entry.
#[derive(Clone, Debug, PartialEq)]
pub enum EntryOutcome {
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
    /// It was not put back, and taken out of the journal, as was asked for.
    Dropped,
}

/// What is done with entries that cannot be put back here: those of another
/// machine, and those that a driver or the kernel refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unrestorable {
    /// They stay in the journal.
    Keep,
    /// They are taken out of it, for a person said so.
    Drop,
}

/// One entry, and what was done about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Restored {
    /// The entry.
    pub entry: JournalEntry,
    /// What was done.
    pub outcome: EntryOutcome,
    /// What the kernel had changed with it and was put back too.
    pub with_it: Vec<String>,
    /// What it had changed with it and somebody else changed since: that is as they made it.
    pub left: Vec<String>,
}

impl Restored {
    /// Whether nothing is left to be done.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        !matches!(
            self.outcome,
            EntryOutcome::ElsewhereInMachine(_)
                | EntryOutcome::OtherMachine
                | EntryOutcome::UnderWay(_)
                | EntryOutcome::Failed(_)
        )
    }

    /// Whether it can be dropped: nobody will put it back, or nobody here.
    fn may_be_dropped(&self) -> bool {
        matches!(self.outcome, EntryOutcome::OtherMachine | EntryOutcome::Failed(_))
    }
}

impl fmt::Display for Restored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let JournalEntry { setting, resource, .. } = &self.entry;
        write!(f, "{setting} of {resource}: ")?;
        match &self.outcome {
            EntryOutcome::PutBack { from, to } => write!(f, "put back from {from} to {to}"),
            EntryOutcome::Already(value) if self.with_it.is_empty() && self.left.is_empty() => {
                write!(f, "it is {value} as before; nothing had to be done")
            }
            EntryOutcome::Already(value) => write!(f, "it is {value} as before"),
            EntryOutcome::Gone => f.write_str("it no longer exists, so there is nothing to put back"),
            EntryOutcome::Restarted => {
                let rest = if self.with_it.is_empty() { "; nothing had to be done" } else { "" };
                write!(f, "the machine was restarted since, which undid it{rest}")
            }
            EntryOutcome::NamespaceGone => write!(
                f,
                "its network namespace (net:[{}]) is gone, with the interfaces that were made in it; a card that was \
                 moved there is back in the first one: look at it",
                self.entry.place.namespace
            ),
            EntryOutcome::ElsewhereInMachine(command) => {
                write!(f, "it is in another network namespace; type `{command}`")
            }
            EntryOutcome::OtherMachine => write!(
                f,
                "it belongs to another machine (machine-id {}), with which this one shares the journal, or from which \
                 it was copied; type `{COMMAND}` there; if that machine no longer exists, `{DROP}` takes it out of \
                 the journal",
                self.entry.place.machine
            ),
            EntryOutcome::UnderWay(pid) => {
                write!(f, "process {pid} uses it, and will put it back itself")
            }
            EntryOutcome::Failed(error) => write!(
                f,
                "could not be put back: {error}; it was {} before; if it never can be, `{DROP}` takes it out of the \
                 journal",
                shown(&self.entry)
            ),
            EntryOutcome::Dropped => write!(
                f,
                "taken out of the journal and not put back; it was {} before, and a run had made it {}",
                shown(&self.entry),
                show(setting, &self.entry.asked)
            ),
        }?;
        for (what, all) in
            [("put back with it", &self.with_it), ("left as somebody else made it", &self.left)]
        {
            if !all.is_empty() {
                write!(f, "; {what}: {}", all.join(", "))?;
            }
        }
        Ok(())
    }
}

/// A value of a setting as a person writes it.
fn show(setting: &str, value: &Value) -> String {
    find_to_put_back(TABLE, setting).map_or_else(|_| value.to_string(), |s| s.spec().show(value))
}

/// What an entry says was before, with all that the kernel changed with it.
fn shown(entry: &JournalEntry) -> String {
    let mut text = show(&entry.setting, &entry.before);
    for SideEffect { setting, resource, before } in &entry.side_effects {
        text += &format!(", {setting} of {resource} {}", show(setting, before));
    }
    text
}

/// Puts back what processes that are dead had changed, the last change first.
///
/// # Errors
/// If a journal cannot be read or written.
pub fn restore(unrestorable: Unrestorable) -> Result<Vec<Restored>, JournalError> {
    restore_from(TABLE, &Journal::all(), &NamespaceScope::here(), unrestorable)
}

pub(super) fn restore_from(
    table: &'static [&'static dyn Setting],
    journals: &[Journal],
    here: &NamespaceScope,
    unrestorable: Unrestorable,
) -> Result<Vec<Restored>, JournalError> {
    let mut all = Vec::new();
    for journal in journals {
        if !journal.entries()?.is_empty() {
            all.append(&mut restore_one(table, journal, here, unrestorable)?);
        }
    }
    Ok(all)
}

/// Under the journal's lock, so that no run starts between the look at an entry
/// and its end.
fn restore_one(
    table: &'static [&'static dyn Setting],
    journal: &Journal,
    here: &NamespaceScope,
    unrestorable: Unrestorable,
) -> Result<Vec<Restored>, JournalError> {
    let mut journal = journal.lock()?;
    let entries: Vec<JournalEntry> = journal.entries().iter().rev().cloned().collect();
    let mut all: Vec<Restored> =
        entries.iter().map(|entry| one(table, entry.clone(), &entries, here)).collect();
    // One may have stood in another's way: as long as something was put back, what
    // failed is tried again.
    let failed =
        |all: &[Restored]| all.iter().filter(|r| matches!(r.outcome, EntryOutcome::Failed(_))).count();
    let mut before = all.len();
    while failed(&all) > 0 && failed(&all) < before {
        before = failed(&all);
        for restored in all.iter_mut().filter(|r| matches!(r.outcome, EntryOutcome::Failed(_))) {
            *restored = one(table, restored.entry.clone(), &entries, here);
        }
    }
    for restored in &mut all {
        if unrestorable == Unrestorable::Drop && restored.may_be_dropped() {
            restored.outcome = EntryOutcome::Dropped;
        }
        if restored.is_settled() {
            journal.remove(&restored.entry)?;
        }
    }
    Ok(all)
}

fn one(
    table: &'static [&'static dyn Setting],
    entry: JournalEntry,
    all: &[JournalEntry],
    here: &NamespaceScope,
) -> Restored {
    let (mut with_it, mut left) = (Vec::new(), Vec::new());
    let outcome = match standing(table, &entry, here, None) {
        EntryState::OtherMachine => EntryOutcome::OtherMachine,
        EntryState::OtherBoot if !outlives_boot(table, &entry.setting) => {
            // A file that was made for it is there still.
            let lasting = entry.side_effects.iter().filter(|effect| outlives_boot(table, &effect.setting));
            match put_back_effects(table, lasting) {
                Ok(others) => {
                    with_it = others.iter().map(|(effect, from)| with_main(effect, from)).collect();
                    EntryOutcome::Restarted
                }
                Err(error) => EntryOutcome::Failed(error),
            }
        }
        EntryState::UnderWay(pid) => EntryOutcome::UnderWay(pid),
        EntryState::Sibling | EntryState::Left if is_elsewhere(table, &entry, here) => {
            match namespace_entry(entry.place.namespace) {
                Some(namespace_entry) => EntryOutcome::ElsewhereInMachine(namespace_entry.command(COMMAND)),
                None => EntryOutcome::NamespaceGone,
            }
        }
        EntryState::Sibling | EntryState::Left | EntryState::OtherBoot => {
            match put_back(table, &entry, all) {
                Ok(done) => {
                    with_it = done.with_it.iter().map(|(effect, from)| with_main(effect, from)).collect();
                    left = done.left.iter().map(|(effect, now)| left_at(effect, now)).collect();
                    match done.main {
                        RestoreOutcome::From(from) => EntryOutcome::PutBack {
                            from: show(&entry.setting, &from),
                            to: show(&entry.setting, &entry.before),
                        },
                        RestoreOutcome::Already => EntryOutcome::Already(show(&entry.setting, &entry.before)),
                        // It may have another name by now.
                        RestoreOutcome::Gone if outlives_boot(table, &entry.setting) => {
                            EntryOutcome::Failed(SettingError::Gone {
                                setting: entry.setting.clone(),
                                resource: entry.resource.clone(),
                            })
                        }
                        RestoreOutcome::Gone => EntryOutcome::Gone,
                    }
                }
                Err(error) => EntryOutcome::Failed(error),
            }
        }
    };
    Restored { entry, outcome, with_it, left }
}

fn with_main(SideEffect { setting, resource, before }: &SideEffect, from: &Value) -> String {
    format!("{setting} of {resource} from {} to {}", show(setting, from), show(setting, before))
}

fn left_at(SideEffect { setting, resource, before }: &SideEffect, now: &Value) -> String {
    let (now, before) = (show(setting, now), show(setting, before));
    format!("{setting} of {resource} at {now}, which was {before} before the run")
}
