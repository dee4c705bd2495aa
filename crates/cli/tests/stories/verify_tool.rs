//! Installed tools, held against the same loads of Headroom. Whether they agree depends on the machine; that both ran as
//! often, and nothing is left, does not.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::process::Signal;
use serde_json::Value;

use crate::common::{StoryFolder, eventually, lives, signal, stderr};
use crate::device::Disk;

#[test]
fn a_tool_is_told_on_what_to_work() {
    let place = StoryFolder::new();
    for (tool, needed) in [("fio", "folder"), ("hdparm", "block device")] {
        let output = place.run(&["verify-tool", tool]);
        assert_eq!(output.status.code(), Some(2));
        let said = stderr(&output);
        assert!(said.contains("--target") && said.contains(needed), "{said}");
    }
    std::fs::write(place.path().join("file"), "x").unwrap();
    let output = place.run(&["verify-tool", "hdparm", "--target", "file"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("no block device"), "{}", stderr(&output));
}

#[test]
fn fio_is_held_against_the_same_load_here() {
    is_held_in_a_folder("fio");
}

#[test]
fn dd_is_held_against_the_same_load_here() {
    is_held_in_a_folder("dd");
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn hdparm_is_held_against_the_same_load_here() {
    if !has("hdparm", "-V") {
        return;
    }
    let place = StoryFolder::new();
    let Some(disk) = Disk::of(&place, "disk", 64) else { return };
    is_held(&place, "hdparm", &["--target", &disk.path]);
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn wrk_is_held_against_the_same_load_here() {
    if has("wrk", "-v") && has("nginx", "-v") {
        is_held(&StoryFolder::new(), "wrk", &[]);
    }
}

/// It is in no repository of Debian's that is free, so that CI has none.
#[test]
#[ignore = "long: cargo xtask test --long"]
fn netperf_is_held_against_the_same_load_here() {
    if Command::new("netperf").arg("-V").output().is_err() {
        println!("skipped: there is no netperf");
        return;
    }
    is_held(&StoryFolder::new(), "netperf", &[]);
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn nuttcp_is_held_against_the_same_load_in_a_namespace() {
    if !has("nuttcp", "-V") {
        return;
    }
    let place = StoryFolder::new();
    if rustix::process::geteuid().is_root() {
        is_held(&place, "nuttcp", &[]);
    } else {
        let output = place.run(&["verify-tool", "nuttcp"]);
        assert_eq!(output.status.code(), Some(3));
        assert!(stderr(&output).contains("root"), "{}", stderr(&output));
    }
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn pgbench_is_held_against_the_same_load_here() {
    if has("psql", "--version") {
        is_held(&StoryFolder::new(), "pgbench", &[]);
    }
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn mysqlslap_is_held_against_the_same_load_here() {
    if has("mariadbd", "--version") && has("mysqlslap", "--version") {
        is_held(&StoryFolder::new(), "mysqlslap", &[]);
    }
}

/// Nobody has to look for a server that a signal left behind.
#[test]
#[ignore = "long: cargo xtask test --long"]
fn a_server_ends_with_the_command_however_that_ends() {
    if !has("wrk", "-v") || !has("nginx", "-v") {
        return;
    }
    let place = StoryFolder::new();
    for how in [Signal::INT, Signal::KILL] {
        let temporary = temporary_folder();
        let mut command = place.command(&["verify-tool", "wrk", "--seconds", "30"]);
        command.env("TMPDIR", temporary.path()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let mut server = None;
        eventually("nginx runs", || {
            server = number_of_nginx(temporary.path());
            server.is_some()
        });
        let server = server.unwrap();
        assert!(lives(server));
        signal(child.id(), how);
        let status = child.wait().unwrap();
        eventually("nginx has ended", || !lives(server));
        if how == Signal::INT {
            assert_eq!(status.code(), Some(130));
            assert_eq!(std::fs::read_dir(temporary.path()).unwrap().count(), 0, "it left something");
        }
    }
}

/// The process of the nginx whose folder lies in this one, once it has written it down.
fn number_of_nginx(folder: &Path) -> Option<u32> {
    let own = std::fs::read_dir(folder).ok()?.flatten().next()?.path();
    std::fs::read_to_string(own.join("server/nginx.pid")).ok()?.trim().parse().ok()
}

/// A folder with a short path that the users of servers may enter.
fn temporary_folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

/// Whether a program is there; where it is not, that is said, and in CI it is wrong.
fn has(program: &str, argument: &str) -> bool {
    let found = Command::new(program).arg(argument).output().is_ok();
    assert!(found || std::env::var_os("CI").is_none(), "in CI nothing is skipped: there is no {program}");
    if !found {
        println!("skipped: there is no {program}");
    }
    found
}

fn is_held_in_a_folder(tool: &str) {
    if !has(tool, "--version") {
        return;
    }
    let place = StoryFolder::new();
    std::fs::create_dir(place.path().join("data")).unwrap();
    is_held(&place, tool, &["--target", "data"]);
    assert_eq!(std::fs::read_dir(place.path().join("data")).unwrap().count(), 0);
}

fn is_held(place: &StoryFolder, tool: &str, more: &[&str]) {
    let temporary = temporary_folder();
    let words = [&["verify-tool", tool, "--seconds", "1", "--pairs", "2", "--json"][..], more].concat();
    let output = place.command(&words).env("TMPDIR", temporary.path()).output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 1)), "{}", stderr(&output));
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let said = document.to_string();
    assert!(said.contains(&format!("\"{tool}\"")) && said.contains("\"headroom\""), "{said}");
    let rows = document["rows"].as_array().unwrap();
    let judged: Vec<&Value> = rows.iter().filter(|row| row["judged"] == true).collect();
    assert!(!judged.is_empty(), "they did the same work: {said}");
    for row in judged {
        for side in ["baseline", "new"] {
            assert_eq!(row[side]["n"], 2, "{row:#}");
        }
    }
    assert_eq!(std::fs::read_dir(temporary.path()).unwrap().count(), 0, "it left something");
}
