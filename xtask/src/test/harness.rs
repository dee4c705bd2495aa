//! A harness: a program of tests as cargo builds it, run and counted.

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::process::{Command as Process, ExitStatus, Stdio};
use std::time::Instant;

use crate::cargo::Built;

/// How many tests ended how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) passed: u32,
    pub(crate) failed: u32,
    /// Left out.
    pub(crate) ignored: u32,
}

impl Counts {
    /// The tests that were run.
    pub(crate) fn ran(&self) -> u32 {
        self.passed + self.failed
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.ignored += other.ignored;
    }

    /// What a harness says at its end; none if it did not come to that.
    pub(crate) fn read(output: &str) -> Option<Self> {
        let line = output.lines().rev().find_map(|line| line.strip_prefix("test result: "))?;
        let count = |what: &str| {
            let before = line.split(&format!(" {what}")).next()?;
            before.rsplit([' ', ';']).next()?.parse().ok()
        };
        Some(Self { passed: count("passed")?, failed: count("failed")?, ignored: count("ignored")? })
    }
}

/// The closing line of all tests.
impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed", self.passed, self.failed)
    }
}

/// Which tests of a harness are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TestFilter {
    All,
    /// Those with one of these in their names.
    With(&'static [&'static str]),
    /// All but those.
    Without(&'static [&'static str]),
}

impl TestFilter {
    /// As the harness takes it.
    fn arguments(self) -> Vec<&'static str> {
        match self {
            Self::All => Vec::new(),
            Self::With(words) => words.to_vec(),
            Self::Without(words) => words.iter().flat_map(|word| ["--skip", *word]).collect(),
        }
    }
}

/// How a harness is run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HarnessOptions {
    pub(crate) filter: TestFilter,
    /// Its tests at a time.
    pub(crate) threads: usize,
    /// Whether tests that take long are run, too.
    pub(crate) is_long: bool,
}

/// Runs a harness. What it printed is shown at once when it ended, whole if a test
/// failed, else in a line.
pub(crate) fn run(harness: &Built, manner: HarnessOptions) -> Counts {
    let name = format!("{}/{}", harness.package, harness.target);
    let mut command = Process::new(&harness.executable);
    command.current_dir(&harness.folder).stdin(Stdio::null()).env("CARGO_MANIFEST_DIR", &harness.folder);
    command.arg(format!("--test-threads={}", manner.threads)).args(manner.filter.arguments());
    if manner.is_long {
        command.arg("--include-ignored");
    }
    let started = Instant::now();
    let (status, out, err) = match output(&mut command) {
        Ok(output) => output,
        Err(e) => {
            println!("{name}: cannot be run: {e}");
            return Counts { failed: 1, ..Counts::default() };
        }
    };
    let seconds = started.elapsed().as_secs_f64();
    let (counts, is_good) = judge(&out, status.success());
    if is_good {
        let skips = out.lines().chain(err.lines()).filter(|line| line.to_lowercase().starts_with("skipped"));
        skips.for_each(|line| println!("{name}: {line}"));
        println!("{name}: {counts}, {} left out, {seconds:.1} s", counts.ignored);
    } else {
        println!("{out}{err}\n{name}: {counts}, {}, {seconds:.1} s", status);
    }
    counts
}

/// How a program ended and what it printed. Into files, not pipes: one that a test
/// started and left behind would keep a pipe open, and be waited for.
fn output(command: &mut Process) -> io::Result<(ExitStatus, String, String)> {
    let (out, err) = (tempfile::tempfile()?, tempfile::tempfile()?);
    let status = command.stdout(out.try_clone()?).stderr(err.try_clone()?).status()?;
    let text = |mut file: File| {
        let mut bytes = Vec::new();
        file.rewind()?;
        file.read_to_end(&mut bytes)?;
        io::Result::Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    Ok((status, text(out)?, text(err)?))
}

/// What the harness counted, and whether all is well. One that ended otherwise
/// than it says, or without saying, has failed.
fn judge(out: &str, has_succeeded: bool) -> (Counts, bool) {
    match Counts::read(out) {
        Some(counts) if has_succeeded && counts.failed == 0 => (counts, true),
        Some(counts) => (Counts { failed: counts.failed.max(1), ..counts }, false),
        None => (Counts { failed: 1, ..Counts::default() }, false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "running 3 tests\n\ntest result: ok. 12 passed; 0 failed; 3 ignored; 0 measured; 1 filtered out; finished in 0.1s\n";
    const BAD: &str = "test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out\n";

    #[test]
    fn the_harness_is_believed_only_if_it_ended_well() {
        let good = Counts { passed: 12, failed: 0, ignored: 3 };
        assert_eq!(judge(GOOD, true), (good, true));
        assert_eq!(judge(GOOD, false), (Counts { failed: 1, ..good }, false), "it died at its end");
        assert_eq!(judge(BAD, false), (Counts { passed: 1, failed: 2, ignored: 0 }, false));
        assert_eq!(judge("", true), (Counts { failed: 1, ..Counts::default() }, false), "it ran nothing");
        assert_eq!(judge("", false).0.failed, 1);
    }

    #[test]
    fn a_part_and_the_rest_are_told_to_the_harness() {
        let words = &["a::", "b::c::"];
        assert_eq!(TestFilter::With(words).arguments(), ["a::", "b::c::"]);
        assert_eq!(TestFilter::Without(words).arguments(), ["--skip", "a::", "--skip", "b::c::"]);
        assert!(TestFilter::All.arguments().is_empty());
    }

    #[test]
    fn regression_a_process_that_a_test_left_behind_was_waited_for() {
        let began = Instant::now();
        let mut shell = Process::new("sh");
        shell.args(["-c", "sleep 5 & echo said; echo wrong >&2"]);
        let (status, out, err) = output(&mut shell).unwrap();
        assert!(status.success() && out == "said\n" && err == "wrong\n", "{out}{err}");
        assert!(began.elapsed().as_secs() < 5, "the end of the sleep was waited for");
    }

    #[test]
    fn counts_add_up() {
        let mut sum = Counts::default();
        sum.add(Counts { passed: 2, failed: 1, ignored: 4 });
        sum.add(Counts { passed: 3, failed: 0, ignored: 1 });
        assert_eq!((sum.to_string().as_str(), sum.ran(), sum.ignored), ("5 passed, 1 failed", 6, 5));
    }
}
