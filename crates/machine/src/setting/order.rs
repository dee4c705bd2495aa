//! In which order settings are changed of which one sets the other anew, as a scheduler does with the
//! queue: that one first, and what it sets anew after it. Pure looks at what is held and asked for; the
//! guard acts on them.
//!
//! An entry of the journal says what a state was before anything was changed, also of what another change
//! had set anew by then. So whoever puts back need not know the order: the last change first, and again
//! what stood in another's way.

use model::{Resource, Value};

use super::guard::Wanted;
use super::journal::{JournalEntry, SideEffect};
use super::{Setting, SettingError, find_in};

/// A setting of a resource.
pub(super) type Place<'a> = (&'a str, &'a Resource);

/// What is asked for.
pub(super) fn of_wanted(wanted: &Wanted) -> Place<'_> {
    (&wanted.setting, &wanted.resource)
}

/// What an entry is of.
pub(super) fn of_entry(entry: &JournalEntry) -> Place<'_> {
    (&entry.setting, &entry.resource)
}

/// What is changed along.
pub(super) fn of_effect(effect: &SideEffect) -> Place<'_> {
    (&effect.setting, &effect.resource)
}

/// Whether the first is changed before the second.
pub(super) fn precedes(table: &'static [&'static dyn Setting], first: Place<'_>, second: Place<'_>) -> bool {
    first != second && find_in(table, first.0).is_some_and(|s| s.precedes(first.1, second.0, second.1))
}

/// What is asked for, each before what it sets anew, and else as it was asked.
pub(super) fn in_order(table: &'static [&'static dyn Setting], wanted: &[Wanted]) -> Vec<Wanted> {
    let mut left: Vec<&Wanted> = wanted.iter().collect();
    let mut ordered = Vec::new();
    while !left.is_empty() {
        let is_free =
            |one: &&Wanted| !left.iter().any(|other| precedes(table, of_wanted(other), of_wanted(one)));
        // In a circle it is whichever was asked for first.
        let at = left.iter().position(is_free).unwrap_or(0);
        ordered.push(left.remove(at).clone());
    }
    ordered
}

/// The places in `held` of what is put back before `wanted` is made: what is not asked for any more, what a
/// change would set anew, and all that goes with one of these.
///
/// # Errors
/// If a state on which that depends cannot be read.
pub(super) fn to_put_back(
    table: &'static [&'static dyn Setting],
    held: &[JournalEntry],
    wanted: &[Wanted],
) -> Result<Vec<usize>, SettingError> {
    let is_asked = |entry: &JournalEntry| wanted.iter().any(|one| of_wanted(one) == of_entry(entry));
    let mut marked: Vec<bool> = held.iter().map(|entry| !is_asked(entry)).collect();
    for one in wanted {
        let place = of_wanted(one);
        let after = |entry: &JournalEntry| precedes(table, place, of_entry(entry));
        let before = |entry: &JournalEntry| precedes(table, of_entry(entry), place);
        // What stands alone is for who changes it. What is new sets the others anew by being held, also where it
        // is so already.
        let is_held = held.iter().any(|entry| of_entry(entry) == place);
        let is_alone = !held.iter().any(|entry| after(entry) || before(entry));
        if is_alone || is_held && is_so(table, one)? {
            continue;
        }
        for (mark, entry) in marked.iter_mut().zip(held) {
            *mark |= after(entry) || of_entry(entry) == place;
        }
    }
    let goes_with = |at: usize, other: usize| {
        let (one, other) = (of_entry(&held[at]), of_entry(&held[other]));
        precedes(table, one, other) || precedes(table, other, one)
    };
    let all = 0..held.len();
    loop {
        let joins =
            |at: &usize| !marked[*at] && all.clone().any(|other| marked[other] && goes_with(*at, other));
        let Some(next) = all.clone().find(joins) else { break };
        marked[next] = true;
    }
    Ok(all.filter(|at| marked[*at]).collect())
}

/// Whether it is as asked already.
fn is_so(table: &'static [&'static dyn Setting], one: &Wanted) -> Result<bool, SettingError> {
    let setting = find_in(table, &one.setting).ok_or_else(|| SettingError::Unknown(one.setting.clone()))?;
    Ok(setting.read_as(&one.resource, &one.value)? == one.value)
}

/// What a state was before anything was changed, where an entry other than the one at `own` says it.
pub(super) fn original(held: &[JournalEntry], place: Place<'_>, own: Option<usize>) -> Option<Value> {
    let others = held.iter().enumerate().filter(|(at, _)| Some(*at) != own);
    let mut said = others.flat_map(|(_, entry)| {
        let effects = entry.side_effects.iter().map(|effect| (of_effect(effect), &effect.before));
        std::iter::once((of_entry(entry), &entry.before)).chain(effects)
    });
    said.find(|(known, _)| *known == place).map(|(_, before)| before.clone())
}

/// Refuses changes that cannot be made together ([`Setting::is_apart`]).
///
/// # Errors
/// The first such pair.
pub(super) fn refuse_together(
    table: &'static [&'static dyn Setting],
    wanted: &[Wanted],
) -> Result<(), SettingError> {
    for Wanted { setting: name, resource, value } in wanted {
        let Some(setting) = find_in(table, name) else { continue };
        let is_apart = |w: &&Wanted| setting.is_apart(resource, &w.setting, &w.resource);
        if let Some(other) = wanted.iter().find(is_apart) {
            let (name, is_there) =
                (&other.setting, [&Resource::MACHINE, &other.resource].contains(&resource));
            let which = match is_there {
                true => format!("`{name}`, which is to be changed there too"),
                false => format!("`{name}` of {}, which is to be changed too", other.resource),
            };
            let reason = format!("it depends on {which}: change one of them in a run");
            return Err(SettingError::refused(setting.spec(), resource, value, reason));
        }
    }
    Ok(())
}
