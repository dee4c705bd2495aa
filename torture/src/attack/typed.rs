//! Numbers, words and nonsense for every option: told as a mistake, or planned, and
//! never a panic, an end without a word or a wait without an end.

use super::Attack;
use crate::process::PATIENCE;
use crate::round::{Round, Trouble};

pub(super) const ATTACK: Attack = Attack {
    name: "typed",
    about: "types extreme values for every parameter and control; each is planned or told as a mistake",
    round,
};

/// Lines in one round.
const TRIES: u64 = 10;

const VALUES: &[&str] = &[
    "0",
    "-0",
    "-1",
    "1",
    "0.0000000001",
    "1e308",
    "1e-308",
    "nan",
    "inf",
    "-inf",
    "18446744073709551615",
    "18446744073709551616",
    "9223372036854775807",
    "99999999999999999999d",
    "1ns",
    "0.4ns",
    "1d",
    "292y",
    "0s",
    "1/s",
    "10g/s",
    "0/s",
    "1e300/s",
    "100%",
    "101%",
    "-1%",
    "0%",
    "50%",
    "1..64",
    "64..1",
    "1..1e18",
    "0..0",
    "1..16:0",
    "1..16:1",
    "1..1000000000:1",
    ",",
    ",,",
    "1,1,1",
    "",
    " ",
    "\u{1f600}",
    "é",
    "%s%n",
    "../../x",
    "a=b",
    "all",
    "none",
    "yes",
    "no",
    "16e",
    "16Ei",
    "8Ei",
    "7EiB",
    "1b",
    "4k",
    "4KiB",
    "1m",
    "l3",
    "/",
    "/dev/null",
    "/proc/self/mem",
    "auto",
    "random",
    "--",
    "-",
    "0x10",
    "1_000",
    "٣",
    "1;2",
    "\"1\"",
    "1 2",
    "true",
    "+5",
    "100000",
    "4294967296",
    "1e9",
    "1000000d",
    "0.5",
    "5e-324",
    "1e400",
];

/// What may well be right.
const USUAL: &[&str] = &[
    "1",
    "2",
    "1,2",
    "1..8",
    "4k",
    "1m",
    "4k..64k",
    "1s",
    "100ms",
    "10k/s",
    "50%",
    "yes",
    "no",
    "all",
    "auto",
    "none",
    "read",
    "randwrite",
    "tcp",
    "udp",
    "copy",
    "sync",
    "uniform",
    "sha256",
    "direct",
    "fsync",
    "3",
    "16",
    "self",
];

fn round(round: &mut Round) -> Result<(), Trouble> {
    let table = round.run(&["workloads"])?.with(&[0])?.printed;
    // Behind the line of titles.
    let workloads: Vec<&str> =
        table.lines().skip(1).filter_map(|line| line.split(' ').next()).filter(|w| !w.is_empty()).collect();
    if workloads.is_empty() {
        return Err(Trouble::Untried("no workloads are named".to_owned()));
    }
    for _ in 0..TRIES {
        let name = round.pick(&workloads);
        let explained = round.run(&["workloads", name])?.with(&[0])?.printed;
        let parameters: Vec<&str> = explained
            .lines()
            .filter(|line| line.contains(" = "))
            .filter_map(|line| first_after(line, "  "))
            .collect();
        let mut line = vec!["run".to_owned(), name.to_owned(), "--dry-run".to_owned()];
        let options = round.pick(&[1, 1, 1, 2, 3]);
        for _ in 0..options {
            let option = if parameters.is_empty() || round.below(4) == 0 {
                round.pick(CONTROLS)
            } else {
                round.pick(&parameters)
            };
            let value = if round.below(2) == 0 { round.pick(USUAL) } else { round.pick(VALUES) };
            line.push(format!("--{option}={value}"));
        }
        let words: Vec<&str> = line.iter().map(String::as_str).collect();
        let run = round.start(&words)?;
        let ended = run.end(PATIENCE, &[])?.with(&[0, 2, 3])?;
        round.count(match ended.code() {
            Some(0) => "planned",
            Some(2) => "told as a mistake",
            _ => "refused",
        });
        if ended.code() != Some(0) && ended.said.trim().is_empty() {
            return Err(ended.fault("it says nothing"));
        }
    }
    Ok(())
}

/// The first word of a line that begins just behind `margin`.
fn first_after<'a>(line: &'a str, margin: &str) -> Option<&'a str> {
    let rest = line.strip_prefix(margin).filter(|rest| !rest.starts_with(' '))?;
    rest.split_whitespace().next()
}

/// Options of every run that are no parameters.
const CONTROLS: &[&str] = &[
    "trials",
    "precision",
    "budget",
    "seed",
    "interval",
    "warm-up",
    "pin",
    "patience",
    "set",
    "with",
    "wipe",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_where_they_begin() {
        assert_eq!(first_after(" disk     reads and writes", " "), Some("disk"));
        assert_eq!(first_after("          of files", " "), None);
        assert_eq!(first_after("  peer = self", "  "), Some("peer"));
    }
}
