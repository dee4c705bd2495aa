//! What changes settings and puts them back: each change stands in the journal
//! before it is made and is read back after; what is no longer asked for is put
//! back at once, the rest in reverse order when the keeper goes.

use std::time::{Duration, Instant};

use model::Value;

use super::journal::{Entry, Journal};
use super::namespace::Where;
use super::process::Process;
use super::restore::{Standing, standing};
use super::{Setting, SettingError, TABLE, find_in};

/// One change that is asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Wanted {
    /// The setting.
    pub setting: String,
    /// Its resource.
    pub resource: String,
    /// What it is to be.
    pub value: Value,
}

/// How a setting stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Now {
    /// The setting.
    pub setting: String,
    /// Its resource.
    pub resource: String,
    /// What it was before anything was changed.
    pub before: Value,
    /// What it is, as read after the change.
    pub read_back: Value,
}

/// Changes settings, and puts them back when it is dropped.
pub struct Keeper {
    table: &'static [&'static dyn Setting],
    journal: Journal,
    place: Where,
    owner: Process,
    controller: Option<Process>,
    /// What is not as it was found, in the order of the changes.
    held: Vec<Entry>,
    /// Whether it is over: nothing is changed any more.
    closed: bool,
}

impl Keeper {
    /// One that has changed nothing yet, with the journal of this process. What a
    /// dead process of the same `controller` had changed becomes its own at the
    /// first request.
    #[must_use]
    pub fn new(controller: Option<Process>) -> Self {
        Self::with(TABLE, Journal::own(), controller)
    }

    /// One with a journal elsewhere.
    #[must_use]
    pub fn with_journal(journal: Journal, controller: Option<Process>) -> Self {
        Self::with(TABLE, journal, controller)
    }

    pub(super) fn with(
        table: &'static [&'static dyn Setting],
        journal: Journal,
        controller: Option<Process>,
    ) -> Self {
        let (place, owner) = (Where::here(), Process::this());
        Self { table, journal, place, owner, controller, held: Vec::new(), closed: false }
    }

    /// Makes these changes, and puts back what was changed before and is not
    /// among them; asked for what is so already, it only reads. Whatever fails,
    /// everything is put back.
    ///
    /// # Errors
    /// If a change is refused or becomes something else, another run is changing
    /// settings, or one that was killed left some.
    pub fn set(&mut self, wanted: &[Wanted]) -> Result<Vec<Now>, SettingError> {
        if self.closed {
            return Err(SettingError::Occupied("the run is over: nothing is changed any more".to_owned()));
        }
        if wanted.is_empty() && self.held.is_empty() && !self.journal.path().exists() {
            return Ok(Vec::new());
        }
        self.attempt(wanted).map_err(|error| match self.restore() {
            Ok(()) => error,
            Err(left) => SettingError::NotPutBack { error: Box::new(error), left: Box::new(left) },
        })
    }

    fn attempt(&mut self, wanted: &[Wanted]) -> Result<Vec<Now>, SettingError> {
        self.take_over(!wanted.is_empty())?;
        let is_wanted = |e: &Entry| wanted.iter().any(|w| w.setting == e.setting && w.resource == e.resource);
        for at in (0..self.held.len()).rev() {
            if !is_wanted(&self.held[at]) {
                self.put_back(at)?;
            }
        }
        wanted.iter().map(|w| self.one(w)).collect()
    }

    /// Makes what a dead process of the same controller had changed its own.
    fn take_over(&mut self, to_change: bool) -> Result<(), SettingError> {
        for entry in self.journal.entries()? {
            if self.held.contains(&entry) {
                continue;
            }
            match standing(&entry, &self.place, self.controller.as_ref()) {
                Standing::Sibling => {
                    let own = Entry { owner: self.owner, ..entry.clone() };
                    self.journal.replace(&entry, &own)?;
                    self.held.push(own);
                }
                other if to_change => {
                    if let Some(reason) = other.refusal(&entry, &self.place) {
                        return Err(SettingError::Occupied(reason));
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn one(&mut self, wanted: &Wanted) -> Result<Now, SettingError> {
        let Wanted { setting: name, resource, value } = wanted;
        let setting = find_in(self.table, name).ok_or_else(|| SettingError::Unknown(name.clone()))?;
        let current = setting.read(resource)?;
        let held = self.held.iter().find(|e| e.setting == *name && e.resource == *resource);
        let before = held.map_or_else(|| current.clone(), |e| e.before.clone());
        if current != *value {
            if held.is_none() {
                let entry = Entry {
                    place: self.place.clone(),
                    owner: self.owner,
                    controller: self.controller,
                    setting: name.clone(),
                    resource: resource.clone(),
                    before: before.clone(),
                    asked: value.clone(),
                };
                self.journal.add(&entry)?;
                self.held.push(entry);
            }
            change(setting, resource, value)?;
        }
        let read_back = setting.read(resource)?;
        if read_back != *value {
            return Err(SettingError::Clamped {
                setting: name.clone(),
                resource: resource.clone(),
                asked: setting.spec().show(value),
                took: setting.spec().show(&read_back),
            });
        }
        Ok(Now { setting: name.clone(), resource: resource.clone(), before, read_back })
    }

    /// Puts everything back, the last change first. What cannot be put back stays
    /// in the journal, and the rest is put back all the same.
    ///
    /// # Errors
    /// The first thing that could not be put back.
    pub fn restore(&mut self) -> Result<(), SettingError> {
        // What a process died over that had the same controller is ours too.
        let mut first = if self.journal.path().exists() { self.take_over(false).err() } else { None };
        for at in (0..self.held.len()).rev() {
            if let Err(error) = self.put_back(at) {
                first.get_or_insert(error);
            }
        }
        first.map_or(Ok(()), Err)
    }

    /// Puts everything back, and changes nothing from then on.
    ///
    /// # Errors
    /// As [`Keeper::restore`].
    pub fn close(&mut self) -> Result<(), SettingError> {
        self.closed = true;
        self.restore()
    }

    fn put_back(&mut self, at: usize) -> Result<(), SettingError> {
        let entry = self.held[at].clone();
        put_back(self.table, &entry)?;
        self.journal.remove(&entry)?;
        self.held.remove(at);
        Ok(())
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        // What cannot be put back stands in the journal, and the next run says so.
        let _ = self.close();
    }
}

/// Most drivers take their device down and up again to change it, and a link is
/// negotiated within a few seconds.
const READY_PATIENCE: Duration = Duration::from_secs(15);

/// Changes a resource and waits until it can be used again. What is put back is
/// not waited for: who does it may be about to be killed.
fn change(setting: &dyn Setting, resource: &str, value: &Value) -> Result<(), SettingError> {
    let was_ready = setting.is_ready(resource);
    setting.write(resource, value)?;
    let end = Instant::now() + READY_PATIENCE;
    while was_ready && !setting.is_ready(resource) {
        if Instant::now() >= end {
            return Err(SettingError::Refused {
                setting: setting.spec().name().to_owned(),
                resource: resource.to_owned(),
                asked: setting.spec().show(value),
                reason: format!("it has had no link for {} s since it was changed", READY_PATIENCE.as_secs()),
            });
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}

/// What came of putting an entry back.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum PutBack {
    /// It was this, and is as before now.
    From(Value),
    /// It was as before already.
    Already,
    /// The resource is gone, and its state with it.
    Gone,
}

/// Puts back what an entry says, and reads it again.
pub(super) fn put_back(
    table: &'static [&'static dyn Setting],
    entry: &Entry,
) -> Result<PutBack, SettingError> {
    let Entry { setting: name, resource, before, .. } = entry;
    let setting = find_in(table, name).ok_or_else(|| SettingError::Unknown(name.clone()))?;
    let current = match setting.read(resource) {
        Err(SettingError::Gone { .. }) => return Ok(PutBack::Gone),
        other => other?,
    };
    if current == *before {
        return Ok(PutBack::Already);
    }
    match setting.write(resource, before) {
        Err(SettingError::Gone { .. }) => return Ok(PutBack::Gone),
        other => other?,
    }
    let read_back = setting.read(resource)?;
    if read_back != *before {
        return Err(SettingError::Clamped {
            setting: name.clone(),
            resource: resource.clone(),
            asked: setting.spec().show(before),
            took: setting.spec().show(&read_back),
        });
    }
    Ok(PutBack::From(current))
}
