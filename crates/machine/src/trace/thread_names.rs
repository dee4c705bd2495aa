//! Names of threads by their numbers, from `/proc`.

use trace::event::TaskName;
use trace::ring::NameLookup;

/// A way to ask for names. The kernel's events number threads as the machine does, so in a
/// namespace with numbers of its own nobody is asked.
pub(super) fn lookup() -> NameLookup {
    if is_first_namespace() { Box::new(of) } else { Box::new(|_| None) }
}

fn of(thread: u32) -> Option<TaskName> {
    let text = std::fs::read(format!("/proc/{thread}/comm")).ok()?;
    let mut name = TaskName::default();
    let length = text.iter().position(|byte| *byte == b'\n').unwrap_or(text.len()).min(name.0.len() - 1);
    name.0[..length].copy_from_slice(&text[..length]);
    Some(name)
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
        assert_eq!(of(std::process::id()).unwrap().bytes(), own.trim_end().as_bytes());
        assert_eq!(of(u32::MAX), None);
    }
}
