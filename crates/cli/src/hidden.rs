//! Keys out of the list of processes: every user of a machine may read the words
//! with which a program was started (`ps`, /proc/PID/cmdline), and a join string has
//! a key in it. So what was typed is covered as soon as it is read, in the memory
//! from which the kernel shows it. For a moment it could be seen; a file or
//! standard input (`headroom node --join`) shows it never.

use std::fs::{self, OpenOptions};
use std::ops::Range;
use std::os::unix::fs::FileExt;

use agent::node::SCHEME;

/// Which field of /proc/self/stat says where the words begin (proc(5): `arg_start`,
/// the 48th), counted from what follows the name, which is the second.
const ARG_START: usize = 48 - 3;

/// Covers the keys of all join strings that were typed. Where that fails, all is as
/// with other programs.
pub(crate) fn cover() {
    let _ = try_to_cover();
}

fn try_to_cover() -> Option<()> {
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

/// What follows the `#` of join strings.
fn secrets(words: &[u8]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut from = 0;
    let ends = |byte: &u8| matches!(byte, 0 | b',' | b'+' | b' ' | b'\'' | b'"');
    while let Some(at) = words[from..].windows(SCHEME.len()).position(|w| w == SCHEME.as_bytes()) {
        let begin = from + at + SCHEME.len();
        let end = words[begin..].iter().position(ends).map_or(words.len(), |length| begin + length);
        if let Some(mark) = words[begin..end].iter().position(|byte| *byte == b'#') {
            found.push(begin + mark + 1..end);
        }
        from = end;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_wherever_they_stand_in_a_word() {
        let words = b"run\0--peer\0headroom://a:1#k.l,headroom://b\0--with=x --peer 'headroom://c#m' y#z\0";
        let shown: Vec<&[u8]> = secrets(words).into_iter().map(|range| &words[range]).collect();
        assert_eq!(shown, [&b"k.l"[..], b"m"]);
        assert!(secrets(b"headroom://").is_empty() && secrets(b"").is_empty());
    }
}
