//! What changes settings and puts them back: each change stands in the journal
//! before it is made and is read back after; what is no longer asked for is put
//! back at once, the rest in reverse order when the guard goes.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use model::{Resource, Value};

use super::journal::{Journal, JournalEntry, SideEffect};
use super::namespace::NamespaceScope;
use super::order::{self, of_effect, of_entry, of_wanted};
use super::process::Process;
use super::put_back::{is_gone, is_set_anew, put_back};
use super::restore::{EntryState, standing};
use super::{Setting, SettingError, TABLE, block, find_in, find_to_put_back};

/// One change that is asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Wanted {
    /// The setting.
    pub setting: String,
    /// Its resource.
    pub resource: Resource,
    /// What it is to be.
    pub value: Value,
}

/// How a setting stands.
#[derive(Clone, Debug, PartialEq)]
pub struct CurrentState {
    /// The setting.
    pub setting: String,
    /// Its resource.
    pub resource: Resource,
    /// What it was before anything was changed.
    pub before: Value,
    /// What it is, as read after the change.
    pub read_back: Value,
}

/// Changes settings, and puts them back when it is dropped.
pub struct SettingGuard {
    table: &'static [&'static dyn Setting],
    journal: Journal,
    place: NamespaceScope,
    owner: Process,
    controller: Option<Process>,
    /// What is not as it was found, or must stay so for us, in the order of the
    /// changes.
    held: Vec<JournalEntry>,
    /// What is or was held and could be used before it was changed, so that it is waited for.
    ready: Vec<(&'static dyn Setting, Resource)>,
    /// What was asked for last, and became so.
    asked: Vec<Wanted>,
    /// Whether it is over: nothing is changed any more.
    closed: bool,
}

impl SettingGuard {
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
        let (place, owner) = (NamespaceScope::here(), Process::this());
        let (held, ready, asked) = (Vec::new(), Vec::new(), Vec::new());
        Self { table, journal, place, owner, controller, held, ready, asked, closed: false }
    }

    /// Makes these changes, and puts back what was changed before and is not
    /// among them; asked for what is so already, it only reads. Whatever fails,
    /// everything is put back.
    ///
    /// # Errors
    /// If a change is refused or becomes something else, another run is changing
    /// settings, or one that was killed left some.
    pub fn set(&mut self, wanted: &[Wanted]) -> Result<Vec<CurrentState>, SettingError> {
        if self.closed {
            return Err(SettingError::Occupied("the run is over: nothing is changed any more".to_owned()));
        }
        let is_as_found = self.held.is_empty() && self.ready.is_empty();
        if wanted.is_empty() && is_as_found && !self.journal.path().exists() {
            return Ok(Vec::new());
        }
        let now = self.attempt(wanted).map_err(|error| match self.restore() {
            Ok(()) => error,
            Err(left) => SettingError::NotPutBack { error: Box::new(error), left: Box::new(left) },
        })?;
        self.asked = wanted.to_vec();
        Ok(now)
    }

    fn attempt(&mut self, wanted: &[Wanted]) -> Result<Vec<CurrentState>, SettingError> {
        order::refuse_together(self.table, wanted)?;
        self.take_over()?;
        self.forget_gone()?;
        self.put_back_before(wanted)?;
        for one in order::in_order(self.table, wanted) {
            self.one(&one)?;
        }
        self.wait_for_all()?;
        // Read when all are made: one of them may have changed another.
        wanted.iter().map(|w| self.now(w)).collect()
    }

    /// Puts back what is not asked for any more, and what goes with a change: the last change first, and
    /// again what another stood in the way of. What is asked for stays ours meanwhile.
    fn put_back_before(&mut self, wanted: &[Wanted]) -> Result<(), SettingError> {
        let places = order::to_put_back(self.table, &self.held, wanted)?;
        let mut entries: Vec<JournalEntry> = places.into_iter().map(|at| self.held[at].clone()).collect();
        loop {
            let (mut left, mut first) = (Vec::new(), None);
            for entry in entries.iter().rev() {
                let is_wanted = wanted.iter().any(|one| of_wanted(one) == of_entry(entry));
                let at = self.position(&entry.setting, &entry.resource).filter(|_| !is_wanted);
                let done = match at {
                    Some(at) => self.put_back(at),
                    None => self.put_back_and_hold(entry),
                };
                if let Err(error) = done {
                    first.get_or_insert(error);
                    left.insert(0, entry.clone());
                }
            }
            match first {
                None => return Ok(()),
                Some(error) if left.len() == entries.len() => return Err(error),
                Some(_) => entries = left,
            }
        }
    }

    /// Makes what a dead process of the same controller had changed its own.
    fn take_over(&mut self) -> Result<(), SettingError> {
        if !self.journal.path().exists() {
            return Ok(());
        }
        let mut journal = self.journal.lock()?;
        for entry in journal.entries().to_vec() {
            if self.held.contains(&entry) {
                continue;
            }
            let standing = standing(self.table, &entry, &self.place, self.controller.as_ref());
            if standing == EntryState::Sibling {
                let own = JournalEntry { owner: self.owner, ..entry.clone() };
                journal.replace(&entry, &own)?;
                self.held.push(own);
            }
        }
        Ok(())
    }

    /// Takes out what went with its device, as one of a storage stack that was made anew: another may have its name.
    fn forget_gone(&mut self) -> Result<(), SettingError> {
        for at in (0..self.held.len()).rev() {
            if is_gone(&self.held[at]) {
                self.put_back(at)?;
            }
        }
        Ok(())
    }

    /// Makes one state hold. Another level of what is changed already is reached
    /// from what was before, so that it is the same in whatever order levels come.
    fn one(&mut self, wanted: &Wanted) -> Result<(), SettingError> {
        let Wanted { setting: name, resource, value } = wanted;
        let setting = find_in(self.table, name).ok_or_else(|| SettingError::Unknown(name.clone()))?;
        let is_known = self.ready.iter().any(|(known, at)| is_it(*known, at, name, resource));
        let was_ready = is_known || setting.is_ready(resource);
        let held = self.position(name, resource);
        if let Some(at) = held {
            if setting.read_as(resource, value)? == *value {
                return setting.renew(resource, value);
            }
            // With what sets it anew it was put back already.
            if !self.is_set_anew(name, resource) {
                put_back(self.table, &self.held[at], &self.held)?;
            }
        }
        let at = self.hold(setting, wanted, held)?;
        if was_ready && !is_known {
            self.ready.push((setting, resource.clone()));
        }
        if setting.read_as(resource, value)? != *value {
            setting.write(resource, value)?;
        }
        if was_ready {
            wait_until_ready(setting, resource, value)?;
        }
        self.forget_what_stayed(at)
    }

    /// Waits for what could be used before: also for what was put back because it is not asked for
    /// any more, or after an error. That is waited for once.
    fn wait_for_all(&mut self) -> Result<(), SettingError> {
        let outcome =
            self.ready.iter().filter(|(setting, resource)| !setting.is_ready(resource)).try_for_each(
                |(setting, resource)| match setting.read(resource) {
                    Err(SettingError::Gone { .. }) => Ok(()),
                    value => wait_until_ready(*setting, resource, &value?),
                },
            );
        let held = &self.held;
        self.ready.retain(|(setting, at)| held.iter().any(|e| is_it(*setting, at, &e.setting, &e.resource)));
        outcome
    }

    /// Writes down what a state is and what the kernel will change with it, before
    /// it is changed; also one that is so already, for it must stay so. Whether
    /// another run is at it is looked at under the same lock as the entry is
    /// written, so that of two that start together one gets in.
    fn hold(
        &mut self,
        setting: &dyn Setting,
        wanted: &Wanted,
        held: Option<usize>,
    ) -> Result<usize, SettingError> {
        let Wanted { setting: name, resource, value } = wanted;
        let mut journal = self.journal.lock()?;
        for entry in journal.entries().iter().filter(|entry| !self.held.contains(entry)) {
            let standing = standing(self.table, entry, &self.place, self.controller.as_ref());
            if let Some(reason) = standing.refusal(self.table, entry, &self.place) {
                return Err(SettingError::Occupied(reason));
            }
        }
        let current = setting.read_as(resource, value)?;
        if let Some(at) = held.filter(|_| current == *value) {
            return Ok(at);
        }
        let side_effects =
            if current == *value { Vec::new() } else { self.side_effects(setting, wanted, held)? };
        if let Some(at) = held {
            let known = &self.held[at].before;
            // It was put back just now: what came since the first level is changed, too.
            let before = match self.is_set_anew(name, resource) {
                true => known.clone(),
                false => setting.read_each(resource)?,
            };
            if !setting.is_as_before(&before, known) {
                return Err(SettingError::clamped(setting.spec(), resource, known, &before));
            }
            let asked = value.clone();
            let made = BTreeMap::new();
            let entry = JournalEntry { side_effects, before, asked, made, ..self.held[at].clone() };
            journal.replace(&self.held[at], &entry)?;
            self.held[at] = entry;
            return Ok(at);
        }
        let before = match order::original(&self.held, of_wanted(wanted), None) {
            Some(before) if self.is_set_anew(name, resource) => before,
            _ => setting.read_each(resource)?,
        };
        let entry = JournalEntry {
            place: self.place.clone(),
            owner: self.owner,
            controller: self.controller,
            setting: name.clone(),
            resource: resource.clone(),
            before,
            asked: value.clone(),
            side_effects,
            made: BTreeMap::new(),
            device: block::identity(resource),
        };
        journal.add(&entry)?;
        self.held.push(entry);
        Ok(self.held.len() - 1)
    }

    /// Where the entry of a setting is in `held`.
    fn position(&self, setting: &str, resource: &Resource) -> Option<usize> {
        self.held.iter().position(|e| e.setting == setting && e.resource == *resource)
    }

    /// Whether something that is held is changed before this, and sets it anew.
    fn is_set_anew(&self, setting: &str, resource: &Resource) -> bool {
        self.held.iter().any(|entry| order::precedes(self.table, of_entry(entry), (setting, resource)))
    }

    /// What the kernel changes with it, but for what another entry puts back by itself, and as it was
    /// before anything was changed.
    fn side_effects(
        &self,
        setting: &dyn Setting,
        wanted: &Wanted,
        own: Option<usize>,
    ) -> Result<Vec<SideEffect>, SettingError> {
        let mut found = Vec::new();
        for effect in setting.side_effects(&wanted.resource, &wanted.value)? {
            match order::original(&self.held, of_effect(&effect), own) {
                None => found.push(effect),
                // What it sets anew on the way back, too, has to be put back after it.
                Some(before) if order::precedes(self.table, of_wanted(wanted), of_effect(&effect)) => {
                    found.push(SideEffect { before, ..effect });
                }
                Some(_) => {}
            }
        }
        Ok(found)
    }

    /// Takes out of an entry what the kernel might have changed with it and did
    /// not: that is not ours to put back, unless it is set anew on the way back. Of
    /// that it is written down what the kernel made of it.
    fn forget_what_stayed(&mut self, at: usize) -> Result<(), SettingError> {
        let entry = &self.held[at];
        let (mut side_effects, mut made) = (Vec::new(), BTreeMap::new());
        for effect in &entry.side_effects {
            let setting = find_to_put_back(self.table, &effect.setting);
            let now = setting.and_then(|setting| setting.read(&effect.resource));
            let is_anew = is_set_anew(self.table, entry, effect);
            if is_anew || now.as_ref() != Ok(&effect.before) {
                side_effects.push(effect.clone());
            }
            if let (true, Ok(now)) = (is_anew, now) {
                made.insert(effect.setting.clone(), now);
            }
        }
        if side_effects != entry.side_effects || made != entry.made {
            let entry = JournalEntry { side_effects, made, ..entry.clone() };
            self.journal.lock()?.replace(&self.held[at], &entry)?;
            self.held[at] = entry;
        }
        Ok(())
    }

    /// How a state that was asked for stands; an error if it is another.
    fn now(&self, wanted: &Wanted) -> Result<CurrentState, SettingError> {
        let Wanted { setting: name, resource, value } = wanted;
        let setting = find_in(self.table, name).ok_or_else(|| SettingError::Unknown(name.clone()))?;
        let read_back = setting.read_as(resource, value)?;
        if read_back != *value {
            return Err(SettingError::clamped(setting.spec(), resource, value, &read_back));
        }
        let held = self.position(name, resource);
        let before = held.map_or_else(|| read_back.clone(), |at| self.held[at].before.clone());
        Ok(CurrentState { setting: name.clone(), resource: resource.clone(), before, read_back })
    }

    /// Reads again all that was asked for last.
    ///
    /// # Errors
    /// If something is not as asked any more: somebody else changed it, and what
    /// was measured meanwhile was not measured under it.
    pub fn check(&self) -> Result<(), SettingError> {
        for Wanted { setting: name, resource, value } in &self.asked {
            let setting = find_in(self.table, name).ok_or_else(|| SettingError::Unknown(name.clone()))?;
            let found = setting.read_as(resource, value)?;
            if found != *value {
                return Err(SettingError::Changed {
                    setting: name.clone(),
                    resource: resource.clone(),
                    asked: setting.spec().show(value),
                    found: setting.spec().show(&found),
                });
            }
        }
        Ok(())
    }

    /// Puts everything back, the last change first. What cannot be put back stays
    /// in the journal, and the rest is put back all the same.
    ///
    /// # Errors
    /// The first thing that could not be put back.
    pub fn restore(&mut self) -> Result<(), SettingError> {
        self.asked.clear();
        // What a process died over that had the same controller is ours too.
        let lost = self.take_over().err();
        // One may stand in another's way: an interface cannot be larger than the
        // one that it lies on. As long as something was put back the rest is
        // tried again.
        loop {
            let (before, mut first) = (self.held.len(), None);
            for at in (0..before).rev() {
                if let Err(error) = self.put_back(at) {
                    first.get_or_insert(error);
                }
            }
            let is_stuck = self.held.len() == before;
            match lost.clone().or(first) {
                Some(error) if is_stuck => return Err(error),
                None => return Ok(()),
                Some(_) => {}
            }
        }
    }

    /// Puts everything back, and changes nothing from then on.
    ///
    /// # Errors
    /// As [`SettingGuard::restore`].
    pub fn close(&mut self) -> Result<(), SettingError> {
        self.closed = true;
        self.restore()
    }

    /// Puts back what stays ours. What had been changed along is as before, too: the next change says anew
    /// what goes with it.
    fn put_back_and_hold(&mut self, entry: &JournalEntry) -> Result<(), SettingError> {
        put_back(self.table, entry, &self.held)?;
        if let Some(at) = self.position(&entry.setting, &entry.resource) {
            let (side_effects, made) = (Vec::new(), BTreeMap::new());
            let alone = JournalEntry { side_effects, made, ..self.held[at].clone() };
            if alone != self.held[at] {
                self.journal.lock()?.replace(&self.held[at], &alone)?;
                self.held[at] = alone;
            }
        }
        Ok(())
    }

    fn put_back(&mut self, at: usize) -> Result<(), SettingError> {
        let entry = self.held[at].clone();
        put_back(self.table, &entry, &self.held)?;
        self.journal.lock()?.remove(&entry)?;
        self.held.remove(at);
        Ok(())
    }
}

impl Drop for SettingGuard {
    fn drop(&mut self) {
        // What cannot be put back stands in the journal, and the next run says so.
        let _ = self.close();
    }
}

/// Whether that is this setting of this resource.
fn is_it(setting: &dyn Setting, at: &Resource, name: &str, resource: &Resource) -> bool {
    setting.spec().name() == name && at == resource
}

/// Most drivers take their device down and up again to change it, and a link is
/// negotiated within a few seconds.
const READY_PATIENCE: Duration = Duration::from_secs(15);

/// Waits until a resource that was changed can be used again. What is put back at the end is
/// not waited for: who does it may be about to be killed.
fn wait_until_ready(setting: &dyn Setting, resource: &Resource, value: &Value) -> Result<(), SettingError> {
    let end = Instant::now() + READY_PATIENCE;
    while !setting.is_ready(resource) {
        if Instant::now() >= end {
            let reason =
                format!("it has had no link for {} s since it was changed", READY_PATIENCE.as_secs());
            return Err(SettingError::refused(setting.spec(), resource, value, reason));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}
