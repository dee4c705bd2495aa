//! Putting back what an entry of the journal says: the state itself, then what the kernel had changed
//! with it, each read again. Who does it, and when, is the guard's and the command's.

use model::{Resource, Value};

use super::journal::{JournalEntry, SideEffect};
use super::namespace::NamespaceScope;
use super::order::{of_effect, of_entry};
use super::{Setting, SettingError, block, find_in, find_to_put_back};

/// What came of putting a state back.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum RestoreOutcome {
    /// It was this, and is as before now.
    From(Value),
    /// It was as before already.
    Already,
    /// The resource is gone, and its state with it.
    Gone,
}

/// What came of putting an entry back.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PutBack {
    /// What came of the state itself.
    pub(super) main: RestoreOutcome,
    /// What the kernel had changed with it and was not as before, with what it was.
    pub(super) with_it: Vec<(SideEffect, Value)>,
    /// What the kernel had changed with it and somebody else changed since, with what they made it.
    pub(super) left: Vec<(SideEffect, Value)>,
}

/// Puts back what an entry says, then what the kernel had changed with it, and
/// reads each again. What somebody else made of that since is left as it is
/// ([`made_by_others`]); `all` are the entries that are to be put back. Where the first
/// cannot be put back, what would outlive a start of the machine is put back all the same. What went with its device
/// is not looked for on another that has its name now.
pub(super) fn put_back(
    table: &'static [&'static dyn Setting],
    entry: &JournalEntry,
    all: &[JournalEntry],
) -> Result<PutBack, SettingError> {
    if is_gone(entry) {
        return Ok(PutBack { main: RestoreOutcome::Gone, with_it: Vec::new(), left: Vec::new() });
    }
    let theirs = made_by_others(table, entry, all);
    match put_back_one(table, &entry.setting, &entry.resource, &entry.before) {
        Ok(main) => {
            let mut left = Vec::new();
            for (effect, value) in theirs {
                // It was set anew just now. What does not fit any more becomes what it was before the run.
                if put_back_one(table, &effect.setting, &effect.resource, &value).is_ok() {
                    left.push((effect, value));
                }
            }
            let is_ours = |effect: &&SideEffect| !left.iter().any(|(theirs, _)| theirs == *effect);
            let with_it = put_back_effects(table, entry.side_effects.iter().filter(is_ours))?;
            Ok(PutBack { main, with_it, left })
        }
        Err(error) => {
            let lasting = entry.side_effects.iter().filter(|effect| outlives_boot(table, &effect.setting));
            // What fails with it stays in the journal with it, and is tried again.
            let _ = put_back_effects(table, lasting);
            Err(error)
        }
    }
}

/// Whether the device of an entry is gone, whatever bears its name now. After another start of the machine a disk
/// has another folder, and may be the same.
pub(super) fn is_gone(entry: &JournalEntry) -> bool {
    let is_of_this_boot = entry.place.boot == NamespaceScope::here().boot;
    is_of_this_boot && entry.device.is_some() && block::identity(&entry.resource) != entry.device
}

/// Whether a side effect of an entry is one that the kernel sets anew on the way back, too.
pub(super) fn is_set_anew(
    table: &'static [&'static dyn Setting],
    entry: &JournalEntry,
    effect: &SideEffect,
) -> bool {
    let resets = |setting: &dyn Setting| setting.resets().contains(&effect.setting.as_str());
    effect.resource == entry.resource && find_in(table, &entry.setting).is_some_and(resets)
}

/// The side effects that somebody else changed since, each with what it is now: of those that are set anew
/// on the way back, too, what is neither as the kernel made it nor as before. Only while the setting itself is
/// as it was made, for another change of it would have set them anew as well. What another entry
/// puts back is not among them.
fn made_by_others(
    table: &'static [&'static dyn Setting],
    entry: &JournalEntry,
    all: &[JournalEntry],
) -> Vec<(SideEffect, Value)> {
    let setting = find_to_put_back(table, &entry.setting);
    let now = setting.and_then(|setting| setting.read_as(&entry.resource, &entry.asked));
    // After another start of the machine nothing of it is as the kernel had made it.
    let is_of_this_boot = entry.place.boot == NamespaceScope::here().boot;
    if entry.made.is_empty() || !is_of_this_boot || now.as_ref() != Ok(&entry.asked) {
        return Vec::new();
    }
    let theirs = |effect: &SideEffect| {
        let made = entry.made.get(&effect.setting).filter(|_| is_set_anew(table, entry, effect))?;
        let now = find_to_put_back(table, &effect.setting).ok()?.read(&effect.resource).ok()?;
        let is_put_back = all.iter().any(|other| of_entry(other) == of_effect(effect));
        let is_theirs = now != *made && now != effect.before && !is_put_back;
        is_theirs.then(|| (effect.clone(), now))
    };
    entry.side_effects.iter().filter_map(theirs).collect()
}

/// Whether a state may still be as it was made after another start of the machine.
pub(super) fn outlives_boot(table: &'static [&'static dyn Setting], setting: &str) -> bool {
    find_to_put_back(table, setting).is_ok_and(|setting| setting.outlives_boot())
}

/// Puts back what the kernel had changed along, and reads each again: those that were not
/// as before, with what they were.
pub(super) fn put_back_effects<'a>(
    table: &'static [&'static dyn Setting],
    effects: impl IntoIterator<Item = &'a SideEffect>,
) -> Result<Vec<(SideEffect, Value)>, SettingError> {
    let (mut with_it, mut first) = (Vec::new(), None);
    for effect in effects {
        match put_back_one(table, &effect.setting, &effect.resource, &effect.before) {
            Ok(RestoreOutcome::From(from)) => with_it.push((effect.clone(), from)),
            Ok(RestoreOutcome::Already | RestoreOutcome::Gone) => {}
            Err(error) => {
                first.get_or_insert(error);
            }
        }
    }
    first.map_or(Ok(with_it), Err)
}

fn put_back_one(
    table: &'static [&'static dyn Setting],
    name: &str,
    resource: &Resource,
    before: &Value,
) -> Result<RestoreOutcome, SettingError> {
    let setting = find_to_put_back(table, name)?;
    let current = match setting.read_each(resource) {
        Err(SettingError::Gone { .. }) => return Ok(RestoreOutcome::Gone),
        other => other?,
    };
    if setting.is_as_before(&current, before) {
        return Ok(RestoreOutcome::Already);
    }
    match setting.write(resource, before) {
        Err(SettingError::Gone { .. }) => return Ok(RestoreOutcome::Gone),
        other => other?,
    }
    let read_back = setting.read_each(resource)?;
    if !setting.is_as_before(&read_back, before) {
        return Err(SettingError::clamped(setting.spec(), resource, before, &read_back));
    }
    Ok(RestoreOutcome::From(current))
}
