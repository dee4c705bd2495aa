//! `swap`: whether memory is swapped out to the areas that are in use (`/proc/swaps`, swapon(2)).

use std::ffi::CString;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use model::setting::SettingSpec;
use model::{Kind, ParameterSpec, Resource, Unit, Value};

use super::journal::SideEffect;
use super::{Setting, SettingError};

const SWAPS: &str = "/proc/swaps";
const MEMORY: &str = "/proc/meminfo";
/// `SWAP_FLAG_PREFER` and its mask (swapon(2)).
const PREFER: i32 = 0x8000;
const PRIORITY: i32 = 0x7fff;
const KIB: u64 = 1024;
/// What must be left of the memory when all of it is there again: a sixteenth.
const LEFT: u64 = 16;

pub(super) struct Swap;

static SPEC: SettingSpec = SettingSpec {
    value: ParameterSpec::new(
        "swap",
        Kind::Choice,
        "Whether memory is swapped out. With `off`, all areas in use are switched off (swapoff), \
         which reads back what they hold and may take \
         minutes; it is refused where that would not fit in the memory that is available. They are put back as they were, each \
         with its priority; those without one keep their order. Whether an area discards is only in the kernel's log, and is \
         not put back. It belongs to the whole machine, with a peer to both.",
    )
    .words(&[
        model::parameter::Word { word: "on", doc: "as it was found" },
        model::parameter::Word { word: "off", doc: "no area is in use" },
    ]),
    unit: Unit::One,
    binds: None,
    holds: None,
    summary: "whether memory is swapped out",
};

/// An area that is in use.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Area {
    path: PathBuf,
    used: u64,
    /// Below 0 the kernel chose it, in the order in which areas came.
    priority: i32,
}

impl Setting for Swap {
    fn spec(&self) -> &'static SettingSpec {
        &SPEC
    }

    fn is_of_namespace(&self) -> bool {
        false
    }

    fn read(&self, resource: &Resource) -> Result<Value, SettingError> {
        Ok(Value::from(if areas(resource)?.is_empty() { "off" } else { "on" }))
    }

    fn read_each(&self, resource: &Resource) -> Result<Value, SettingError> {
        Ok(Value::List(areas(resource)?.iter().map(shown).collect()))
    }

    fn is_as_before(&self, now: &Value, before: &Value) -> bool {
        match (parsed(now), parsed(before)) {
            (Some(now), Some(before)) => before.iter().all(|area| now.contains(area)),
            _ => false,
        }
    }

    fn write(&self, resource: &Resource, value: &Value) -> Result<(), SettingError> {
        let refused = |reason: String| SettingError::refused(&SPEC, resource, value, reason);
        let now = areas(resource)?;
        match value {
            Value::Text(word) if word == "off" => {
                now.iter().try_for_each(|area| leave(&area.path)).map_err(refused)
            }
            Value::Text(word) if word == "on" && now.is_empty() => {
                Err(refused("there is no swap area in use that could be left or kept".to_owned()))
            }
            Value::Text(word) if word == "on" => Ok(()),
            list => {
                let before = parsed(list).ok_or_else(|| refused("it is neither on nor off".to_owned()))?;
                let is_missing =
                    |(path, _): &&(PathBuf, Option<i32>)| !now.iter().any(|area| area.path == *path);
                // One that fails keeps no other from being used again.
                let failed = before
                    .iter()
                    .filter(is_missing)
                    .filter_map(|(path, priority)| enter(path, *priority).err());
                let failed: Vec<String> = failed.collect();
                if failed.is_empty() { Ok(()) } else { Err(refused(failed.join("; "))) }
            }
        }
    }

    // What is swapped out comes back into memory, and goes out again when it is not used.
    fn side_effects(&self, resource: &Resource, value: &Value) -> Result<Vec<SideEffect>, SettingError> {
        let refused = |reason: String| Err(SettingError::refused(&SPEC, resource, value, reason));
        if *value != Value::from("off") {
            return Ok(Vec::new());
        }
        let areas = areas(resource)?;
        if let Some(odd) = areas.iter().find(|area| area.path.to_str().is_none()) {
            return refused(format!("{} is no text, so that it could not be put back", odd.path.display()));
        }
        if let Some(lost) = areas.iter().find(|area| !area.path.exists()) {
            return refused(format!(
                "{} has no name any more, so that it could not be put back",
                lost.path.display()
            ));
        }
        let used: u64 = areas.iter().map(|area| area.used).sum();
        let available = fs::read_to_string(MEMORY).ok().and_then(|text| available(&text));
        match available {
            Some((available, total)) if used.saturating_add(total / LEFT) > available => refused(format!(
                "{used} bytes lie there, and of {available} that are available a sixteenth of all memory must be left"
            )),
            Some(_) => Ok(Vec::new()),
            None => refused(format!("{MEMORY} does not say how much memory is available")),
        }
    }
}

/// All that are in use, the most preferred first.
fn areas(resource: &Resource) -> Result<Vec<Area>, SettingError> {
    match fs::read_to_string(SWAPS) {
        Ok(text) => Ok(parse(&text)),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Err(SettingError::unreadable(
            &SPEC,
            resource,
            format!("{SWAPS} is not there: this kernel was built without swap"),
        )),
        Err(e) => Err(SettingError::unreadable(&SPEC, resource, format!("{SWAPS}: {e}"))),
    }
}

/// The lines of `/proc/swaps`: name, kind, KiB, KiB in use, priority.
fn parse(text: &str) -> Vec<Area> {
    let area = |line: &str| {
        let mut words = line.split_whitespace();
        let name = words.next()?;
        let used = words.nth(2)?.parse::<u64>().ok()?.checked_mul(KIB)?;
        Some(Area { path: plain(name), used, priority: words.next()?.parse().ok()? })
    };
    let mut areas: Vec<Area> = text.lines().skip(1).filter_map(area).collect();
    areas.sort_by_key(|area| std::cmp::Reverse(area.priority));
    areas
}

/// A name in which the kernel has written spaces and the like as octal numbers (`\040`).
fn plain(name: &str) -> PathBuf {
    let (mut bytes, mut rest) = (Vec::new(), name.as_bytes());
    while let Some((first, after)) = rest.split_first() {
        let octal = |digits: &[u8]| {
            let text = std::str::from_utf8(digits).ok()?;
            u8::from_str_radix(text, 8).ok()
        };
        match after.get(..3).and_then(octal).filter(|_| *first == b'\\') {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[3..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    PathBuf::from(std::ffi::OsStr::from_bytes(&bytes))
}

/// What is written down of an area: `/dev/sda2`, with a priority of its own `/dev/sda2:5`. The kernel
/// numbers the others by the order in which they came.
fn shown(area: &Area) -> Value {
    let path = area.path.to_string_lossy();
    let number = if area.priority >= 0 { area.priority.to_string() } else { "-".to_owned() };
    Value::Text(format!("{path}:{number}"))
}

/// What [`shown`] wrote down.
fn parsed(value: &Value) -> Option<Vec<(PathBuf, Option<i32>)>> {
    let Value::List(all) = value else { return None };
    let one = |value: &Value| {
        let Value::Text(text) = value else { return None };
        let (path, priority) = text.rsplit_once(':')?;
        let priority = if priority == "-" { None } else { Some(priority.parse().ok()?) };
        Some((PathBuf::from(path), priority))
    };
    all.iter().map(one).collect()
}

/// The bytes of memory that are available, and of all of it.
fn available(text: &str) -> Option<(u64, u64)> {
    let of = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        line.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(KIB)
    };
    Some((of("MemAvailable:")?, of("MemTotal:")?))
}

fn leave(path: &Path) -> Result<(), String> {
    let name = c_path(path)?;
    // SAFETY: it is a text that ends with a zero.
    let result = unsafe { libc::swapoff(name.as_ptr()) };
    told(result, "leaving", path)
}

fn enter(path: &Path, priority: Option<i32>) -> Result<(), String> {
    let name = c_path(path)?;
    let flags = priority.map_or(0, |priority| PREFER | (priority & PRIORITY));
    // SAFETY: it is a text that ends with a zero.
    let result = unsafe { libc::swapon(name.as_ptr(), flags) };
    told(result, "using", path)
}

fn c_path(path: &Path) -> Result<CString, String> {
    CString::new(path.as_os_str().as_bytes()).map_err(|_| format!("{} is no name", path.display()))
}

fn told(result: i32, doing: &str, path: &Path) -> Result<(), String> {
    if result == 0 {
        return Ok(());
    }
    let error = std::io::Error::last_os_error();
    let why = match error.kind() {
        std::io::ErrorKind::PermissionDenied => "; it needs root of the machine itself",
        _ => "",
    };
    Err(format!("{doing} {}: {error}{why}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n\
        /dev/dm-1                               partition\t8388604\t\t1024\t\t-3\n\
        /var/swap\\040file                       file\t\t1048572\t\t0\t\t5\n\
        /dev/sda2                               partition\t1048572\t\t2048\t\t-2\n";

    #[test]
    fn areas_are_read_written_down_and_read_again() {
        let areas = parse(TEXT);
        let names: Vec<_> = areas.iter().map(|area| area.path.display().to_string()).collect();
        assert_eq!(names, ["/var/swap file", "/dev/sda2", "/dev/dm-1"]);
        assert_eq!(areas[1].used, 2 << 20);
        let value = Value::List(areas.iter().map(shown).collect());
        let back = parsed(&value).unwrap();
        assert_eq!(back[0], (PathBuf::from("/var/swap file"), Some(5)));
        assert_eq!(back[1], (PathBuf::from("/dev/sda2"), None));
        // Another area that came meanwhile is not ours.
        let more = [&[Value::from("/dev/sdb1:7")][..], &value_of(&value)].concat();
        assert!(Swap.is_as_before(&Value::List(more), &value));
        assert!(!Swap.is_as_before(&Value::List(Vec::new()), &value));
        assert!(parse("Filename Type Size Used Priority\n").is_empty());
        assert_eq!(parsed(&Value::from("on")), None);
    }

    fn value_of(value: &Value) -> Vec<Value> {
        let Value::List(all) = value else { panic!("{value}") };
        all.clone()
    }

    #[test]
    fn memory_is_read() {
        let text = "MemTotal:       1000 kB\nMemFree: 1 kB\nMemAvailable:    500 kB\n";
        assert_eq!(available(text), Some((512_000, 1_024_000)));
        assert_eq!(available("MemTotal: 5 kB\n"), None);
    }
}
