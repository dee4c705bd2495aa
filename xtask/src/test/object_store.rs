//! `s3s-fs`: an object store of another project that verifies signatures, against which the long test
//! holds the loads on object stores. It comes from the registry of crates, as it is published there
//! with its lock file, and is built once for each version, below the target folder.

use std::fs;
use std::path::Path;
use std::process::{Command as Process, Stdio};

use crate::cargo::{cargo_program, target_folder};
use crate::outcome::Outcome;

const NAME: &str = "s3s-fs";

/// The newest one that the Rust of this workspace builds: 0.15 needs 1.96.
const VERSION: &str = "0.14.1";

/// Where it is installed, below the target folder. The stories of `cli` look there.
const FOLDER: &str = "tools";

/// Installs it, unless it is there.
pub(super) fn install(root: &Path) -> Outcome {
    let folder = match target_folder(root) {
        Ok(target) => target.join(FOLDER),
        Err(e) => return Outcome::Failed(e.to_string()),
    };
    if is_installed(&folder) {
        return Outcome::Passed;
    }
    let build = folder.join("build");
    // Compiled quickly, but its hashes are not to take all of the tests' time.
    let installed = Process::new(cargo_program())
        .args(["install", NAME, "--version", VERSION, "--locked", "--features", "binary", "--debug"])
        .args(["--quiet", "--force", "--root"])
        .arg(&folder)
        .arg("--target-dir")
        .arg(&build)
        .env("CARGO_PROFILE_DEV_OPT_LEVEL", "1")
        .env("CARGO_PROFILE_DEV_DEBUG", "0")
        .current_dir(root)
        .stdin(Stdio::null())
        .status();
    // What it was built from takes much room, and is not needed again.
    let _ = fs::remove_dir_all(&build);
    match installed {
        Ok(status) if status.success() && is_installed(&folder) => Outcome::Passed,
        Ok(status) => Outcome::Skipped(format!(
            "`cargo install {NAME} --version {VERSION}`: {status}; tests of object stores that need it were skipped"
        )),
        Err(e) => Outcome::Failed(format!("cargo cannot be run: {e}")),
    }
}

/// Whether this version is there, and can be run.
fn is_installed(folder: &Path) -> bool {
    let said = Process::new(folder.join("bin").join(NAME)).arg("--version").stdin(Stdio::null()).output();
    said.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).trim_end() == format!("{NAME} {VERSION}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes a program that says this. Another process writes it: one that this process has open, or a
    /// child of another test, could not be run.
    fn make(program: &Path, says: &str) {
        let script = "printf '#!/bin/sh\\necho %s\\n' \"$1\" > \"$0\" && chmod 755 \"$0\"";
        let made = Process::new("sh").args(["-c", script]).arg(program).arg(says).status().unwrap();
        assert!(made.success());
    }

    #[test]
    fn it_is_there_if_it_is_this_version() {
        let folder = tempfile::tempdir().unwrap();
        assert!(!is_installed(folder.path()));
        let program = folder.path().join("bin").join(NAME);
        fs::create_dir(folder.path().join("bin")).unwrap();
        for (version, expected) in [(VERSION, true), ("0.14.0", false), ("0.14.10", false)] {
            make(&program, &format!("{NAME} {version}"));
            assert_eq!(is_installed(folder.path()), expected, "{version}");
        }
    }
}
