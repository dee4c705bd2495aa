//! Names of threads by their numbers: from `/proc`, and of those that have ended from the kernel's tracer,
//! which keeps some of the last that ran (`saved_cmdlines` in `Documentation/trace/ftrace.rst`).

use std::path::{Path, PathBuf};

use trace::event::TaskName;
use trace::ring::NameLookup;

/// A way to ask for names; `saved` is the tracer's list. The kernel's events number threads as the machine
/// does, so in a namespace with numbers of its own `/proc` is not asked.
pub(super) fn lookup(saved: PathBuf) -> NameLookup {
    let has_proc = is_first_namespace();
    Box::new(move |thread| of_proc(thread).filter(|_| has_proc).or_else(|| of_saved(&saved, thread)))
}

fn of_proc(thread: u32) -> Option<TaskName> {
    let text = std::fs::read(format!("/proc/{thread}/comm")).ok()?;
    Some(name(text.split(|byte| *byte == b'\n').next().unwrap_or_default()))
}

/// One line has a number and a name.
fn of_saved(list: &Path, thread: u32) -> Option<TaskName> {
    let text = std::fs::read(list).ok()?;
    let own = format!("{thread} ");
    let mut lines = text.split(|byte| *byte == b'\n');
    let found = lines.find_map(|line| line.trim_ascii_start().strip_prefix(own.as_bytes()))?;
    Some(name(found)).filter(|name| !name.bytes().is_empty() && name.bytes() != b"<...>")
}

fn name(bytes: &[u8]) -> TaskName {
    let mut name = TaskName::default();
    let length = bytes.len().min(name.0.len() - 1);
    name.0[..length].copy_from_slice(&bytes[..length]);
    name
}

/// Whether processes have the numbers here that the kernel's events have.
fn is_first_namespace() -> bool {
    /// `PROC_PID_INIT_INO` in `include/linux/proc_ns.h`.
    const FIRST: &str = "pid:[4026531836]";
    std::fs::read_link("/proc/self/ns/pid").is_ok_and(|link| link.as_os_str() == FIRST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_has_a_name_and_one_that_is_not_there_has_none() {
        let own = std::fs::read_to_string("/proc/self/comm").unwrap();
        assert_eq!(of_proc(std::process::id()).unwrap().bytes(), own.trim_end().as_bytes());
        assert_eq!(of_proc(u32::MAX), None);
    }

    #[test]
    fn a_thread_that_has_ended_has_the_name_that_the_tracer_kept() {
        let list = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(list.path(), "12 dd\n123 a b\n7 <...>\n").unwrap();
        let of = |thread| of_saved(list.path(), thread).map(|name| name.bytes().to_vec());
        assert_eq!(of(12), Some(b"dd".to_vec()));
        assert_eq!(of(123), Some(b"a b".to_vec()));
        assert_eq!((of(7), of(1), of(3)), (None, None, None));
        let mut asked = lookup(list.path().to_owned());
        assert!(asked(u32::MAX).is_none());
    }
}
