//! Mistakes near a join key: whatever is wrong, what is shown has no key.

use super::Attack;
use crate::process::PATIENCE;
use crate::round::{Round, Trouble};

pub(super) const ATTACK: Attack = Attack {
    name: "mistakes",
    about: "breaks studies and command lines that have a join key; nothing shown has it",
    round,
};

/// A join string as `headroom node` prints it; the last part is the key.
const JOIN: &str =
    "headroom://127.0.0.1:1#htskKzm-X8ocUfGqLlGgP2Ado4O-LnOCCn1Htb5bDes.8X6-s2S3SbzV-pUl82lsXg";
/// What must never be seen. A piece of it is as bad.
const KEY: &str = "8X6-s2S3SbzV-pUl82lsXg";
/// The shortest piece that counts.
const PIECE: usize = 8;

/// Mutated studies and lines in one round: each is a process of a few milliseconds.
const TRIES: u64 = 10;

fn round(round: &mut Round) -> Result<(), Trouble> {
    for _ in 0..TRIES {
        let arguments = if round.below(2) == 0 { study(round)? } else { line(round) };
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        // Nobody listens at port 1 of loopback: what is well is refused there.
        let run = round.start(&arguments)?;
        let ended = run.end(PATIENCE, &[])?;
        round.count(match ended.code() {
            Some(2) => "mistakes told",
            _ => "other ends",
        });
        let shown = joined(&(ended.printed.clone() + &ended.said));
        // What the mutation itself broke the key into is not the key any more.
        let mut pieces = (0..=KEY.len() - PIECE).map(|at| &KEY[at..at + PIECE]);
        if let Some(piece) = pieces.find(|piece| shown.contains(piece)) {
            return Err(ended.fault(&format!("a piece of the key is shown: {piece}")));
        }
    }
    Ok(())
}

/// Without what lines and frames put into it.
fn joined(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace() && *c != '|').collect()
}

/// A study that is wrong somewhere.
fn study(round: &mut Round) -> Result<Vec<String>, Trouble> {
    let lines = [
        format!("peer = \"{JOIN}\""),
        "title = \"A title\"".to_owned(),
        "[trials]".to_owned(),
        "trials = 2".to_owned(),
        "[[workload]]".to_owned(),
        "kind = \"net.stream\"".to_owned(),
        "threads = [1, 2]".to_owned(),
        format!("peer = \"{JOIN}\""),
    ];
    let mut text: Vec<u8> = Vec::new();
    for line in &lines {
        if round.below(6) > 0 {
            text.extend(line.as_bytes());
            text.push(b'\n');
        }
    }
    for _ in 0..round.below(3) {
        let at = usize::try_from(round.below(text.len() as u64)).unwrap_or(0);
        let byte = round.pick(b"\"#=[]\n x0-.@:\\'");
        match round.below(3) {
            0 => text.insert(at, byte),
            1 if !text.is_empty() => text[at] = byte,
            _ if !text.is_empty() => _ = text.remove(at),
            _ => {}
        }
    }
    let path = round.path("study.toml");
    std::fs::write(&path, text).map_err(|e| Trouble::Untried(format!("a study: {e}")))?;
    Ok(vec!["run".to_owned(), path])
}

/// A command line that is wrong somewhere.
fn line(round: &mut Round) -> Vec<String> {
    let with = format!("net.stream --peer {JOIN}");
    let equal = format!("--peer={JOIN}");
    let words: &[&[&str]] = &[
        &["run", "net.stream", "--peer", JOIN],
        &["run", "net.stream", &equal],
        &["run", "null", "--with", &with],
        &["run", JOIN],
        &[JOIN],
        &["node", "--join", JOIN],
        &["machine", "--host", JOIN],
        &["show", JOIN],
        &["compare", JOIN, "last"],
        &["workloads", JOIN],
        &["run", "net.stream", "--set", JOIN],
        &["run", "net.stream", "--peer", JOIN, "--threads", JOIN],
        &["restore", JOIN],
    ];
    let mut line: Vec<String> = round.pick(words).iter().map(|word| (*word).to_owned()).collect();
    let wrong =
        round.pick(&["--wrong", "--duration", "--threads=x", "--set", "-o", "--trials", "0", "\u{1b}[2J"]);
    let at = usize::try_from(1 + round.below(line.len() as u64)).unwrap_or(1);
    line.insert(at, wrong.to_owned());
    line
}
