//! Kills of a run under load: no finished trial is lost, nothing is left beside the
//! store, nobody stays.

use std::fs;
use std::time::Duration;

use rustix::process::Signal;

use super::{Attack, kill};
use crate::process::send;
use crate::round::{Round, Trouble, trials};

pub(super) const ATTACK: Attack = Attack {
    name: "kill-load",
    about: "kills a run under load; no finished trial is lost, no file and no process is left",
    round,
};

/// What runs, with the target's place as `@`.
const LOADS: &[&[&str]] = &[
    &["null"],
    &["cpu.primes"],
    &["memory.bandwidth", "--size", "1m"],
    &["disk", "--pattern", "randwrite", "--size", "8m", "--target", "@"],
    &["disk", "--pattern", "randread", "--size", "8m", "--engine", "io_uring", "--target", "@"],
    &["disk", "--pattern", "write", "--target", "@/given", "--destroy", "@/given"],
    // A trial is all of its files, however long that takes.
    &["file.metadata", "--files", "1000", "--target", "@"],
    &["net.stream"],
    &["net.pingpong"],
];

/// Bytes of the file that is given up.
const GIVEN: u64 = 4 << 20;

fn round(round: &mut Round) -> Result<(), Trouble> {
    let unready = |e: std::io::Error| Trouble::Untried(format!("the target: {e}"));
    let target = round.path("target");
    fs::create_dir(&target).map_err(unready)?;
    let given = format!("{target}/given");
    fs::File::create(&given).and_then(|file| file.set_len(GIVEN)).map_err(unready)?;
    let load = round.pick(LOADS);
    let words: Vec<String> = load.iter().map(|word| word.replace('@', &target)).collect();
    let mut arguments = vec!["run"];
    arguments.extend(words.iter().map(String::as_str));
    arguments.extend(["--duration", "60ms", "--warm-up", "10ms", "--trials", "8"]);
    let run = round.start(&arguments)?;
    round.wait(Duration::from_millis(1500));
    // What was stored before the kill must be there after it. To read takes time, in
    // which the run goes on, so some rounds do without.
    let before =
        if round.below(2) == 0 { round.stored()?.map_or(0, |document| trials(&document)) } else { 0 };
    if round.below(8) == 0 {
        // A machine that was put to sleep.
        let all = [vec![run.id()], run.children()].concat();
        all.iter().for_each(|id| send(*id, Signal::STOP));
        round.wait(Duration::from_millis(300));
        all.iter().for_each(|id| send(*id, Signal::CONT));
        round.count("stopped and continued before");
    }
    let (_, is_both) = kill::at_some_time(round, run, Duration::from_millis(1500))?;
    round.nobody_is_left()?;
    let after = round.stored()?;
    let kept = after.as_ref().map_or(0, trials);
    if kept < before {
        return Err(Trouble::Fault(format!("{before} trials were stored, and {kept} are left")));
    }
    round.count_times("trials kept", kept as u64);
    round.run(&["list"])?.with(&[0])?;
    if after.is_some() {
        round.run(&["show", "last"])?.with(&[0])?;
    }
    let length =
        fs::metadata(&given).map_err(|e| Trouble::Fault(format!("the given file is gone: {e}")))?.len();
    if length != GIVEN {
        return Err(Trouble::Fault(format!("the given file has {length} bytes, and had {GIVEN}")));
    }
    let left = names(&target);
    if left.iter().any(|name| !name.starts_with(".headroom-tree-")) {
        return Err(Trouble::Fault(format!("files are left: {left:?}")));
    }
    if !left.is_empty() && !is_both {
        return Err(Trouble::Fault(format!("a tree is left, and not both were killed: {left:?}")));
    }
    if !left.is_empty() {
        // Only if run and agent die together can nobody remove it.
        round.count("trees left until `restore`");
        round.run(&["restore"])?.with(&[0])?;
    }
    match names(&target) {
        left if left.is_empty() => Ok(()),
        left => Err(Trouble::Fault(format!("`restore` leaves files: {left:?}"))),
    }
}

/// The names in the target, other than the given file.
fn names(target: &str) -> Vec<String> {
    let entries = fs::read_dir(target).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.filter(|name| name != "given").collect()
}
