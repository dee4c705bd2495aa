//! Keys out of the list of processes: every user of a machine may read the words
//! with which a program was started (`ps`, /proc/PID/cmdline), and a join string has
//! a key in it. So what was typed is covered as soon as it is read, in the memory
//! from which the kernel shows it. For a moment it could be seen; a file or
//! standard input (`headroom node --join`) shows it never.

use std::fs::{self, OpenOptions};
use std::ops::Range;
use std::os::unix::fs::FileExt;

use crate::mask_keys::secrets;

/// Which fields of /proc/self/stat say where the words and the environment begin
/// (proc(5): `arg_start`, the 48th, and `env_start`, the 50th), counted from what follows
/// the name, which is the second.
const ARG_START: usize = 48 - 3;
const ENV_START: usize = 50 - 3;

/// Covers the keys of all join strings and the passwords of all databases that were
/// typed. Where that fails (`None`, as where there are none), all is as with other
/// programs.
pub(crate) fn cover() -> Option<()> {
    let words = fs::read("/proc/self/cmdline").ok()?;
    overwrite(ARG_START, secrets(&words))
}

/// Covers the value of a variable of the environment where the kernel shows with what this
/// process was started. `None` where that fails, or there is none of that name.
pub(crate) fn cover_variable(name: &str) -> Option<()> {
    let environment = fs::read("/proc/self/environ").ok()?;
    let mut at = 0;
    let mut values = Vec::new();
    for variable in environment.split(|byte| *byte == 0) {
        let value = variable.strip_prefix(name.as_bytes()).and_then(|rest| rest.strip_prefix(b"="));
        if let Some(value) = value {
            values.push(at + variable.len() - value.len()..at + variable.len());
        }
        at += variable.len() + 1;
    }
    overwrite(ENV_START, values)
}

/// Puts full stops over `places` in the memory that begins where this field says.
fn overwrite(field: usize, places: Vec<Range<usize>>) -> Option<()> {
    if places.is_empty() {
        return None;
    }
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    let start: u64 = stat.rsplit_once(')')?.1.split_whitespace().nth(field)?.parse().ok()?;
    let memory = OpenOptions::new().write(true).open("/proc/self/mem").ok()?;
    for place in places {
        memory.write_all_at(&vec![b'.'; place.len()], start + place.start as u64).ok()?;
    }
    Some(())
}
