//! Keys out of the list of processes: every user of a machine may read the words
//! with which a program was started (`ps`, /proc/PID/cmdline), and a join string has
//! a key in it. So what was typed is covered as soon as it is read, in the memory
//! from which the kernel shows it. For a moment it could be seen; a file or
//! standard input (`headroom node --join`) shows it never.

use std::fs::{self, OpenOptions};
use std::os::unix::fs::FileExt;

use crate::mask_keys::secrets;

/// Which field of /proc/self/stat says where the words begin (proc(5): `arg_start`,
/// the 48th), counted from what follows the name, which is the second.
const ARG_START: usize = 48 - 3;

/// Covers the keys of all join strings that were typed. Where that fails (`None`, as
/// where there are none), all is as with other programs.
pub(crate) fn cover() -> Option<()> {
    let words = fs::read("/proc/self/cmdline").ok()?;
    let secrets = secrets(&words);
    if secrets.is_empty() {
        return None;
    }
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    let start: u64 = stat.rsplit_once(')')?.1.split_whitespace().nth(ARG_START)?.parse().ok()?;
    let memory = OpenOptions::new().write(true).open("/proc/self/mem").ok()?;
    for secret in secrets {
        memory.write_all_at(&vec![b'.'; secret.len()], start + secret.start as u64).ok()?;
    }
    Some(())
}
