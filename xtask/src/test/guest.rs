//! The step `guest`: the stories of `crates/cli/tests/guest`, run in the guest,
//! with the program that the step `build` made. One boot runs them all.

use std::path::{Path, PathBuf};
use std::process::{Command as Process, Stdio};
use std::time::Duration;

use cargo_metadata::Message;

use super::{Outcome, cargo_program, tools};
use crate::error::Error;
use crate::guest::{self, Ended, Guest};
use crate::target_folder;

/// Enough for all stories on a busy machine; they take a small part of it.
const TIMEOUT: Duration = Duration::from_secs(600);

/// Runs the stories.
pub(super) fn run(root: &Path) -> Outcome {
    if let Err(why) = tools::require(guest::NEEDS) {
        return Outcome::Skipped(why);
    }
    match attempt(root) {
        Ok(ended) => judge(&ended),
        Err(e) => Outcome::Failed(e.to_string()),
    }
}

fn attempt(root: &Path) -> Result<Ended, Error> {
    let program = target_folder(root)?.join("release/headroom");
    if !program.exists() {
        let why = format!("`{}` is not there: run the step `build`, too", program.display());
        return Err(Error::Guest(why));
    }
    let stories = stories(root)?;
    println!("{} --ignored --test-threads=1", stories.display());
    let guest = Guest {
        memory_mib: guest::MEMORY_MIB,
        timeout: TIMEOUT,
        environment: vec![("HEADROOM_PROGRAM".into(), program.into())],
        command: vec![stories.into(), "--ignored".into(), "--test-threads=1".into()],
    };
    guest.run(root)
}

/// Builds the stories, and says where they are.
fn stories(root: &Path) -> Result<PathBuf, Error> {
    let failed = |why: String| Error::Guest(format!("the stories cannot be built: {why}"));
    let output = Process::new(cargo_program())
        // All tests, as the step `test` builds them: with `--test guest` cargo resolves features
        // otherwise, and builds half of the workspace anew (103 s on two cores).
        .args(["test", "--workspace", "--no-run"])
        .arg("--message-format=json-render-diagnostics")
        .current_dir(root)
        .stderr(Stdio::inherit())
        .output()
        .map_err(|e| failed(e.to_string()))?;
    if !output.status.success() {
        return Err(failed(format!("{}, see above", output.status)));
    }
    executable(&output.stdout).ok_or_else(|| failed("cargo named no program".to_owned()))
}

/// The program of the stories in cargo's messages.
fn executable(messages: &[u8]) -> Option<PathBuf> {
    Message::parse_stream(messages).find_map(|message| match message.ok()? {
        Message::CompilerArtifact(artifact) if artifact.target.name == "guest" && artifact.profile.test => {
            artifact.executable.map(Into::into)
        }
        _ => None,
    })
}

/// A story that failed, or none at all, is a failure.
fn judge(ended: &Ended) -> Outcome {
    match (ended.status, passed(&ended.stdout)) {
        (0, Some(1..)) => Outcome::Passed,
        (0, _) => Outcome::Failed("no story was run in the guest".to_owned()),
        (status, _) => Outcome::Failed(format!("the stories in the guest ended with status {status}")),
    }
}

/// How many tests passed, as the test harness says it.
fn passed(stdout: &str) -> Option<u32> {
    let line = stdout.lines().find_map(|line| line.strip_prefix("test result: ok. "))?;
    line.split_once(" passed;")?.0.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(status: u8, stdout: &str) -> Ended {
        Ended { status, stdout: stdout.to_owned() }
    }

    #[test]
    fn only_stories_that_ran_and_passed_pass() {
        let ran = "running 2 tests\n\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured\n";
        assert_eq!(judge(&ended(0, ran)), Outcome::Passed);
        for none in ["test result: ok. 0 passed; 0 failed; 3 ignored;\n", "", "test result: ok. x passed;"] {
            assert!(matches!(judge(&ended(0, none)), Outcome::Failed(_)), "{none}");
        }
        let failed = judge(&ended(101, "test result: FAILED. 1 passed; 1 failed;\n"));
        assert_eq!(failed, Outcome::Failed("the stories in the guest ended with status 101".to_owned()));
    }
}
