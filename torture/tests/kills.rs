//! A few kills under changed settings in each test; `cargo xtask test --long` makes a hundred. Needs root.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::path::{Path, PathBuf};
use std::process::Command;

/// Says why the test is skipped, which is no reason in CI.
fn skip(reason: &str) {
    assert!(std::env::var_os("CI").is_none(), "{reason}");
    println!("skipped: {reason}");
}

#[test]
fn what_a_few_kills_leave_changed_is_put_back() {
    if !rustix::process::geteuid().is_root() {
        return skip("loop devices, mounts and network namespaces are root's");
    }
    let torture = Path::new(env!("CARGO_BIN_EXE_torture"));
    // With the tests of the workspace the program is built, too, and lies beside it.
    let program = std::env::var_os("HEADROOM_PROGRAM");
    let program = program.map_or_else(|| torture.with_file_name("headroom"), PathBuf::from);
    if !program.exists() {
        return skip(&format!("there is no {}: `cargo build` makes it", program.display()));
    }
    let words = ["--only", "kill-states", "--kills", "4", "--minutes", "5", "--program"];
    let output = Command::new(torture).args(words).arg(&program).output().unwrap();
    let [printed, said] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
    assert!(output.status.success(), "{printed}{said}");
    let line = printed.lines().find(|line| line.ends_with("kills under changed settings")).unwrap();
    let times: u64 = line.split_whitespace().next().unwrap().parse().unwrap();
    assert!(times >= 4, "{printed}");
}
