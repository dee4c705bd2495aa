//! The swap areas that are in use (`/proc/swaps`, proc(5)), and how one comes into use and
//! leaves it (swapon(2)).

use std::ffi::CString;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use model::Value;

/// What it is called when no area is in use.
pub(super) const OFF: &str = "off";
const SWAPS: &str = "/proc/swaps";
/// `SWAP_FLAG_PREFER` and its mask (swapon(2)).
const PREFER: i32 = 0x8000;
const PRIORITY: i32 = 0x7fff;
const KIB: u64 = 1024;

/// An area that is in use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Area {
    pub(super) path: PathBuf,
    /// Without the page that describes it.
    pub(super) bytes: u64,
    pub(super) used: u64,
    /// Below 0 the kernel chose it, in the order in which areas came.
    priority: i32,
}

/// An area as it is written down: with the priority that somebody gave it.
pub(super) type SavedArea = (PathBuf, Option<i32>);

/// All that are in use, the most preferred first.
///
/// # Errors
/// Why they cannot be told.
pub(super) fn areas() -> Result<Vec<Area>, String> {
    match fs::read_to_string(SWAPS) {
        Ok(text) => Ok(parse(&text)),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            Err(format!("{SWAPS} is not there: this kernel was built without swap"))
        }
        Err(e) => Err(format!("{SWAPS}: {e}")),
    }
}

/// The lines of `/proc/swaps`: name, kind, KiB, KiB in use, priority.
pub(super) fn parse(text: &str) -> Vec<Area> {
    let area = |line: &str| {
        let mut words = line.split_whitespace();
        let (name, _kind) = (words.next()?, words.next()?);
        let mut size = || words.next()?.parse::<u64>().ok()?.checked_mul(KIB);
        let (bytes, used) = (size()?, size()?);
        Some(Area { path: plain(name), bytes, used, priority: words.next()?.parse().ok()? })
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

/// What is written down of areas: `/dev/sda2:-`, with a priority of its own `/dev/sda2:5`. The kernel
/// numbers the others by the order in which they came. None at all is `off`.
pub(super) fn shown(areas: &[Area]) -> Value {
    if areas.is_empty() {
        return OFF.into();
    }
    let one = |area: &Area| {
        let path = area.path.to_string_lossy();
        let number = if area.priority >= 0 { area.priority.to_string() } else { "-".to_owned() };
        Value::Text(format!("{path}:{number}"))
    };
    Value::List(areas.iter().map(one).collect())
}

/// What [`shown`] wrote down.
pub(super) fn parsed(value: &Value) -> Option<Vec<SavedArea>> {
    let all = match value {
        Value::List(all) => all,
        Value::Text(word) if word == OFF => return Some(Vec::new()),
        _ => return None,
    };
    let one = |value: &Value| {
        let Value::Text(text) = value else { return None };
        let (path, priority) = text.rsplit_once(':')?;
        let priority = if priority == "-" { None } else { Some(priority.parse().ok()?) };
        Some((PathBuf::from(path), priority))
    };
    all.iter().map(one).collect()
}

/// What puts areas back as they were: those that leave, and then those that come, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Steps {
    pub(super) leave: Vec<PathBuf>,
    pub(super) enter: Vec<SavedArea>,
}

/// The steps from what is in use `now` to what was `before`. Areas that were not there before are
/// left alone. Of those without a priority of their own one that comes into use is the least
/// preferred, so that whatever was below one that is missing has to come anew.
pub(super) fn steps(now: &[SavedArea], before: &[SavedArea]) -> Steps {
    let of_kernel = |areas: &[SavedArea]| -> Vec<PathBuf> {
        areas.iter().filter(|(_, priority)| priority.is_none()).map(|(path, _)| path.clone()).collect()
    };
    let wanted = of_kernel(before);
    let there: Vec<PathBuf> = of_kernel(now).into_iter().filter(|path| wanted.contains(path)).collect();
    let in_place = wanted.iter().zip(&there).take_while(|(wanted, there)| wanted == there).count();
    let mut steps = Steps::default();
    for area in before {
        let (path, priority) = area;
        let stays = match priority {
            Some(_) => now.contains(area),
            None => wanted[..in_place].contains(path),
        };
        if stays {
            continue;
        }
        if now.iter().any(|(known, _)| known == path) {
            steps.leave.push(path.clone());
        }
        steps.enter.push(area.clone());
    }
    steps
}

/// Takes an area out of use.
///
/// # Errors
/// Why the kernel does not.
pub(super) fn leave(path: &Path) -> Result<(), String> {
    let name = c_path(path)?;
    // SAFETY: it is a text that ends with a zero.
    let result = unsafe { libc::swapoff(name.as_ptr()) };
    told(result, "leaving", path)
}

/// Brings an area into use.
///
/// # Errors
/// Why the kernel does not.
pub(super) fn enter(path: &Path, priority: Option<i32>) -> Result<(), String> {
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
        assert_eq!((areas[1].bytes, areas[1].used), (1_048_572 << 10, 2 << 20));
        let back = parsed(&shown(&areas)).unwrap();
        assert_eq!(back[0], (PathBuf::from("/var/swap file"), Some(5)));
        assert_eq!(back[1], (PathBuf::from("/dev/sda2"), None));
        assert!(parse("Filename Type Size Used Priority\n").is_empty());
        assert_eq!((parsed(&Value::from("on")), shown(&[])), (None, Value::from("off")));
        assert_eq!(parsed(&shown(&[])), Some(Vec::new()));
    }

    fn saved(areas: &[(&str, Option<i32>)]) -> Vec<SavedArea> {
        areas.iter().map(|(path, priority)| (PathBuf::from(path), *priority)).collect()
    }

    fn done(now: &[(&str, Option<i32>)], before: &[(&str, Option<i32>)]) -> (Vec<String>, Vec<String>) {
        let steps = steps(&saved(now), &saved(before));
        let leave = steps.leave.iter().map(|path| path.display().to_string()).collect();
        (leave, steps.enter.iter().map(|(path, _)| path.display().to_string()).collect())
    }

    fn names(all: &[&str]) -> Vec<String> {
        all.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn regression_an_area_without_a_priority_came_back_behind_one_that_had_stayed() {
        let before = [("a", None), ("b", None), ("c", None), ("d", Some(5))];
        assert_eq!(done(&before, &before), (vec![], vec![]));
        assert_eq!(done(&[], &before), (vec![], names(&["a", "b", "c", "d"])));
        // What stays in place need not come anew: so areas leave from the last to the first.
        assert_eq!(done(&[("a", None), ("d", Some(5))], &before), (vec![], names(&["b", "c"])));
        assert_eq!(
            done(&[("b", None), ("c", None), ("d", Some(5))], &before),
            (names(&["b", "c"]), names(&["a", "b", "c"]))
        );
        assert_eq!(
            done(&[("a", None), ("c", None), ("b", None), ("d", Some(5))], &before),
            (names(&["b", "c"]), names(&["b", "c"]))
        );
        // One that came meanwhile is left alone, wherever it stands.
        let more = [("x", Some(9)), ("y", None), ("a", None), ("b", None), ("c", None), ("d", Some(5))];
        assert_eq!(done(&more, &before), (vec![], vec![]));
        // Somebody gave one another priority, or took its own away.
        let other = [("a", None), ("b", Some(1)), ("c", None), ("d", None)];
        assert_eq!(done(&other, &before), (names(&["b", "c", "d"]), names(&["b", "c", "d"])));
        assert_eq!(done(&before, &[]), (vec![], vec![]));
    }
}
