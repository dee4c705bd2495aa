//! Putting back what an entry of the journal says: the state itself, then what the kernel had changed
//! with it, each read again. Who does it, and when, is the guard's and the command's.

use model::{Resource, Value};

use super::journal::{JournalEntry, SideEffect};
use super::{Setting, SettingError, find_to_put_back};

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

/// Puts back what an entry says, then what the kernel had changed with it, and
/// reads each again: what came of the first, and of those of the others that were
/// not as before. Where the first cannot be put back, what would outlive a start of the
/// machine is put back all the same.
pub(super) fn put_back(
    table: &'static [&'static dyn Setting],
    entry: &JournalEntry,
) -> Result<(RestoreOutcome, Vec<(SideEffect, Value)>), SettingError> {
    match put_back_one(table, &entry.setting, &entry.resource, &entry.before) {
        Ok(main) => Ok((main, put_back_effects(table, &entry.side_effects)?)),
        Err(error) => {
            let lasting = entry.side_effects.iter().filter(|effect| outlives_boot(table, &effect.setting));
            // What fails with it stays in the journal with it, and is tried again.
            let _ = put_back_effects(table, lasting);
            Err(error)
        }
    }
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
