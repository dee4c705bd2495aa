//! Names of threads. Most events of the block layer have the name of the thread that the
//! CPU ran, and all have its number; the others get the name from here.

use std::fmt;

use crate::event::TaskName;

/// Asks the machine for the name of a thread.
pub type NameLookup = Box<dyn FnMut(u32) -> Option<TaskName> + Send>;

/// How many names are kept; a power of two.
const NAMES: usize = 1024;

/// The last names that were seen on a CPU.
pub(super) struct TaskNames {
    /// By the low bits of the number: a name pushes out another.
    known: Vec<(u32, TaskName)>,
    idle: TaskName,
    lookup: NameLookup,
}

impl fmt::Debug for TaskNames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TaskNames").field("idle", &self.idle).finish_non_exhaustive()
    }
}

impl TaskNames {
    /// Those of `cpu`. The idle task has no number, and a name by its CPU.
    pub(super) fn new(cpu: u32, lookup: NameLookup) -> Self {
        let idle = name(format!("swapper/{cpu}").as_bytes());
        Self { known: vec![(0, TaskName::default()); NAMES], idle, lookup }
    }

    /// That an event called `thread` by this name.
    pub(super) fn learn(&mut self, thread: u32, name: TaskName) {
        if thread != 0 && name.0[0] != 0 {
            self.known[slot(thread)] = (thread, name);
        }
    }

    /// The name of `thread`; an empty one where nobody knows.
    pub(super) fn of(&mut self, thread: u32) -> TaskName {
        if thread == 0 {
            return self.idle;
        }
        let (known, name) = self.known[slot(thread)];
        if known == thread {
            return name;
        }
        let name = (self.lookup)(thread).unwrap_or_default();
        self.known[slot(thread)] = (thread, name);
        name
    }
}

fn slot(thread: u32) -> usize {
    thread as usize & (NAMES - 1)
}

/// A name of these bytes, cut where it is too long. Events have 16 of them, of which those behind the first zero
/// may be anything.
pub(super) fn name(bytes: &[u8]) -> TaskName {
    /// Each byte 1, and each byte 0x80.
    const ONES: u128 = u128::MAX / 0xff;
    const TOPS: u128 = ONES << 7;
    /// The last byte is always zero.
    const BITS_MAX: u32 = 120;
    let bytes = match bytes.first_chunk() {
        Some(whole) => *whole,
        None => {
            let mut short = [0; 16];
            short[..bytes.len()].copy_from_slice(bytes);
            short
        }
    };
    let word = u128::from_le_bytes(bytes);
    // The lowest of these bits stands in the first byte that is zero, whatever the others say.
    let zeros = word.wrapping_sub(ONES) & !word & TOPS;
    let bits = (zeros.trailing_zeros() & !7).min(BITS_MAX);
    TaskName((word & ((1_u128 << bits) - 1)).to_le_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_learnt_or_asked_for_once() {
        let mut asked = 0;
        let lookup: NameLookup = Box::new(move |thread| {
            asked += 1;
            (thread != 9).then(|| name(format!("{thread}-{asked}").as_bytes()))
        });
        let mut names = TaskNames::new(3, lookup);
        assert_eq!(names.of(0).bytes(), b"swapper/3");
        names.learn(7, name(b"dd"));
        assert_eq!(names.of(7).bytes(), b"dd");
        assert_eq!((names.of(8).bytes(), names.of(8).bytes()), (&b"8-1"[..], &b"8-1"[..]));
        assert_eq!((names.of(9).bytes(), names.of(9).bytes()), (&b""[..], &b""[..]));
        // Another with the same low bits pushes it out.
        names.learn(7 + 1024, name(b"other"));
        assert_eq!(names.of(7).bytes(), b"7-3");
        assert_eq!(name(&[b'x'; 40]).bytes().len(), 15);
    }

    #[test]
    fn a_name_ends_at_its_first_zero_and_is_zero_behind_it() {
        for length in 0..=16 {
            let mut bytes = [0xff; 16];
            bytes[..length].fill(1);
            if let Some(end) = bytes.get_mut(length) {
                *end = 0;
            }
            let mut expected = [0; 16];
            expected[..length.min(15)].fill(1);
            assert_eq!(name(&bytes).0, expected, "{length}");
            assert_eq!(name(&bytes[..length]).0, expected, "{length}");
        }
        assert_eq!(name(b"\xc3\x80\x01x\0y").bytes(), b"\xc3\x80\x01x");
    }
}
