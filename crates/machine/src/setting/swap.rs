//! `swap`: whether memory is swapped out to the areas that are in use (`/proc/swaps`, swapon(2)), or
//! to a file that is made for it.

use std::fs;

use model::parameter::Word;
use model::scalar::{self, binary};
use model::setting::SettingSpec;
use model::{Kind, ParameterSpec, Resource, Unit, Value};

use super::journal::SideEffect;
use super::swap_area::{self, Area, OFF, SavedArea, enter, leave, parsed, shown, steps};
use super::swap_file;
use super::{Setting, SettingError};

const MEMORY: &str = "/proc/meminfo";
const KIB: u64 = 1024;
/// What must be left of the memory when all of it is there again: a sixteenth.
const LEFT: u64 = 16;

const ON: &str = "on";
const FILE: Word = Word { word: "file", doc: "a file of this size is the only area in use" };

const NO_AREA: &str = "there is no swap area in use that could be left or kept";

pub(super) struct Swap;

static SPEC: SettingSpec = SettingSpec {
    value: ParameterSpec::new(
        "swap",
        Kind::Choice,
        "Whether memory is swapped out, and where to. With `off`, all areas in use are switched off (swapoff), which \
         reads their contents back and may take minutes; it is refused if they would not fit in the available memory. \
         They are put back as they were, each with its priority; those without one keep their order. Whether an area \
         uses discard is only in the kernel's log, and is not put back. `file:4GiB` is `off` with one area instead: a \
         file of this size, `swap-file` in the folder of the journal (/var/lib/headroom) or in the one that \
         $HEADROOM_SWAP_FOLDER names, without holes and for root alone. The folder must be on ext4, xfs or btrfs, and \
         a tenth of that file system, at least 1 GiB, must be left; the file is removed when swap is put back. Swap \
         belongs to the whole machine, with a peer to both.",
    )
    .words(&[Word { word: ON, doc: "as it was found" }, Word { word: OFF, doc: "no area is in use" }])
    .sized(FILE),
    unit: Unit::One,
    binds: None,
    holds: None,
    summary: "whether memory is swapped out, and where to",
};

impl Setting for Swap {
    fn spec(&self) -> &'static SettingSpec {
        &SPEC
    }

    fn is_of_namespace(&self) -> bool {
        false
    }

    fn read(&self, resource: &Resource) -> Result<Value, SettingError> {
        Ok(Value::Text(level(&areas(resource)?, swap_file::own().as_deref())))
    }

    fn read_each(&self, resource: &Resource) -> Result<Value, SettingError> {
        Ok(shown(&areas(resource)?))
    }

    // Another area that came meanwhile is not ours; the file that was made is removed by itself.
    fn is_as_before(&self, now: &Value, before: &Value) -> bool {
        match (parsed(now), parsed(before)) {
            (Some(now), Some(before)) => steps(&now, &before) == swap_area::Steps::default(),
            _ => false,
        }
    }

    fn lacks(&self, resource: &Resource, value: &Value) -> Option<String> {
        let has_none = areas(resource).is_ok_and(|areas| areas.is_empty());
        (has_none && *value == Value::from(ON)).then(|| NO_AREA.to_owned())
    }

    fn write(&self, resource: &Resource, value: &Value) -> Result<(), SettingError> {
        let refused = |reason: String| SettingError::refused(&SPEC, resource, value, reason);
        let now = areas(resource)?;
        match value {
            Value::Text(word) if word == OFF => leave_all(&now).map_err(refused),
            Value::Text(word) if word == ON && now.is_empty() => Err(refused(NO_AREA.to_owned())),
            Value::Text(word) if word == ON => Ok(()),
            other => match (file_bytes(other), parsed(other)) {
                (Some(bytes), _) => {
                    let path = swap_file::survey(bytes).map_err(refused)?;
                    let made = swap_file::make(&path, bytes).and_then(|()| enter(&path, None));
                    made.and_then(|()| leave_all(&now)).map_err(refused)
                }
                (None, Some(before)) => put_back(&now, &before).map_err(refused),
                (None, None) => Err(refused("it is neither on, off nor a file".to_owned())),
            },
        }
    }

    // What is swapped out comes back into memory, and goes out again when it is not used.
    fn side_effects(&self, resource: &Resource, value: &Value) -> Result<Vec<SideEffect>, SettingError> {
        let refused = |reason: String| SettingError::refused(&SPEC, resource, value, reason);
        let file = file_bytes(value);
        if *value != Value::from(OFF) && file.is_none() {
            return Ok(Vec::new());
        }
        if let Some(reason) = lost(&areas(resource)?) {
            return Err(refused(reason));
        }
        let Some(bytes) = file else { return Ok(Vec::new()) };
        let effect = swap_file::survey(bytes).and_then(|path| swap_file::effect(&path));
        Ok(vec![effect.map_err(refused)?])
    }
}

/// All that are in use, the most preferred first.
fn areas(resource: &Resource) -> Result<Vec<Area>, SettingError> {
    swap_area::areas().map_err(|reason| SettingError::unreadable(&SPEC, resource, reason))
}

/// What these areas are called as a level, where `own` is the path of the file of our own.
fn level(areas: &[Area], own: Option<&std::path::Path>) -> String {
    let Some(file) = areas.iter().find(|area| Some(area.path.as_path()) == own) else {
        return if areas.is_empty() { OFF } else { ON }.to_owned();
    };
    let size = scalar::show(Kind::Size, &Value::Integer(swap_file::bytes(file)));
    let more = match areas.len() {
        1 => String::new(),
        all => format!(" and {} more", all - 1),
    };
    format!("{}:{size}{more}", FILE.word)
}

/// The size of the file that is asked for, if it is one.
fn file_bytes(value: &Value) -> Option<u64> {
    let Value::Text(text) = value else { return None };
    let size = text.strip_prefix(FILE.word)?.strip_prefix(':')?;
    match scalar::parse(Kind::Size, size).ok()? {
        Value::Integer(bytes) => Some(bytes),
        _ => None,
    }
}

/// Takes all areas out of use, the least preferred first: then those that are left, if the kernel refuses
/// one or this process is killed, keep their order.
fn leave_all(areas: &[Area]) -> Result<(), String> {
    areas.iter().rev().try_for_each(|area| leave(&area.path))
}

/// Brings areas into use again that were in use before, in their order.
fn put_back(now: &[Area], before: &[SavedArea]) -> Result<(), String> {
    let now = parsed(&shown(now)).unwrap_or_default();
    let steps = steps(&now, before);
    // One that fails keeps no other from being used again.
    let left = steps.leave.iter().filter_map(|path| leave(path).err());
    let mut failed: Vec<String> = left.collect();
    failed.extend(steps.enter.iter().filter_map(|(path, priority)| enter(path, *priority).err()));
    if failed.is_empty() { Ok(()) } else { Err(failed.join("; ")) }
}

/// Why these areas could not all be taken out of use, or not be put back; none where they could.
fn lost(areas: &[Area]) -> Option<String> {
    if let Some(odd) = areas.iter().find(|area| area.path.to_str().is_none()) {
        return Some(format!("{} is not valid UTF-8, so that it could not be put back", odd.path.display()));
    }
    if let Some(lost) = areas.iter().find(|area| !area.path.exists()) {
        return Some(format!(
            "{} has no name any more, so that it could not be put back",
            lost.path.display()
        ));
    }
    no_room(areas, &fs::read_to_string(MEMORY).unwrap_or_default())
}

/// Why what is swapped out to these areas would not fit into the memory that `text` tells of.
fn no_room(areas: &[Area], text: &str) -> Option<String> {
    let used: u64 = areas.iter().map(|area| area.used).sum();
    match available(text) {
        Some((available, total)) if used.saturating_add(total / LEFT) > available => Some(format!(
            "{} are swapped out and would have to come back into memory, of which {} are available and a sixteenth of \
             all ({}) must be left: end what uses memory, or leave swap as it is",
            binary(used),
            binary(available),
            binary(total / LEFT)
        )),
        Some(_) => None,
        None => Some(format!("{MEMORY} does not say how much memory is available")),
    }
}

/// The bytes of memory that are available, and of all of it.
fn available(text: &str) -> Option<(u64, u64)> {
    let of = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(KIB)
    };
    Some((of("MemAvailable:")?, of("MemTotal:")?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setting::swap_area::parse;

    const HEAD: &str = "Filename Type Size Used Priority\n";
    const DISK: &str = "/dev/sda2 partition 1048572 2048 -2\n";

    #[test]
    fn areas_are_called_by_the_level_that_they_are() {
        let page = rustix::param::page_size() as u64;
        let file = format!("/state/swap-file file {} 0 -3\n", (4_u64 << 20) - page / KIB);
        let of = |lines: &[&str]| {
            let own = std::path::Path::new("/state/swap-file");
            level(&parse(&(HEAD.to_owned() + &lines.concat())), Some(own))
        };
        assert_eq!((of(&[]), of(&[DISK])), ("off".to_owned(), "on".to_owned()));
        assert_eq!(of(&[&file]), "file:4GiB");
        assert_eq!(of(&[DISK, &file]), "file:4GiB and 1 more");
        assert_eq!(level(&parse(&format!("{HEAD}{file}")), None), "on", "it is somebody's");
        // What is read back is what is asked for.
        assert_eq!(SPEC.value.parse("file:4096m"), Ok(Value::from("file:4GiB")));
        assert_eq!(file_bytes(&"file:4GiB".into()), Some(4 << 30));
        for other in ["on", "file", "file:", "file:4GiB and 1 more"] {
            assert_eq!(file_bytes(&other.into()), None, "{other}");
        }
    }

    #[test]
    fn areas_are_as_before_with_others_beside_them_and_not_without_one() {
        let before = shown(&parse(&format!("{HEAD}{DISK}")));
        let more = shown(&parse(&format!("{HEAD}{DISK}/dev/sdb1 partition 9 0 7\n")));
        assert!(Swap.is_as_before(&before, &before) && Swap.is_as_before(&more, &before));
        assert!(!Swap.is_as_before(&OFF.into(), &before));
        assert!(!Swap.is_as_before(&before, &Value::from("on")));
        assert!(Swap.is_as_before(&before, &OFF.into()), "the file that was made is removed by itself");
    }

    #[test]
    fn areas_whose_content_would_not_fit_into_memory_are_not_left() {
        let memory = |available_kib: u64| {
            format!("MemTotal:       16777216 kB\nMemFree: 1 kB\nMemAvailable:    {available_kib} kB\n")
        };
        // Two GiB in all, beside one GiB that must be left.
        let full =
            parse(&format!("{HEAD}/dev/sda2 partition 4194304 1048576 -2\n/s file 4194304 1048576 5\n"));
        let reason = no_room(&full, &memory((3 << 20) - 1)).unwrap();
        let said = SettingError::refused(&SPEC, &Resource::MACHINE, &OFF.into(), reason).to_string();
        let expected = "swap=off was refused for machine: 2 GiB are swapped out and would have to come back into \
                        memory, of which 3.0 GiB are available and a sixteenth of all (1 GiB) must be left: end what \
                        uses memory, or leave swap as it is";
        assert_eq!(said, expected);
        assert_eq!(no_room(&full, &memory(3 << 20)), None);
        assert_eq!(no_room(&parse(&format!("{HEAD}{DISK}")), &memory(3 << 20)), None);
        let unknown = no_room(&full, "MemTotal: 16777216 kB\n").unwrap();
        assert!(unknown.contains("does not say how much memory"), "{unknown}");
    }

    #[test]
    fn memory_is_read() {
        let text = "MemTotal:       1000 kB\nMemFree: 1 kB\nMemAvailable:    500 kB\n";
        assert_eq!(available(text), Some((512_000, 1_024_000)));
        assert_eq!(available("MemTotal: 5 kB\n"), None);
    }
}
