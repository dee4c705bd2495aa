//! Settings that are refused before anything is changed: without root, and where the interface carries the
//! session of who started it. Needs root.

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use crate::common::{copy_of_program, flat, stderr, stdout};
use crate::settings::TestNetwork;

/// A user who may change nothing (`nobody`).
const NOBODY: u32 = 65534;
const SWAPPINESS: &str = "/proc/sys/vm/swappiness";
const SHORT: &[&str] = &["run", "null", "--duration", "50ms", "--warm-up", "0", "--trials", "1"];

/// `headroom ARGUMENTS` as that user, by a copy where they may go.
fn as_nobody(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(folder.join("headroom"));
    command.args(arguments).current_dir(folder).uid(NOBODY).gid(NOBODY).env("NO_COLOR", "1");
    command.env("HEADROOM_STATE", folder.join("state")).env("HOME", folder).env_remove("XDG_STATE_HOME");
    command
}

#[test]
fn without_root_settings_are_refused_before_anything_is_changed_and_the_rest_works() {
    if !rustix::process::geteuid().is_root() {
        assert!(std::env::var_os("CI").is_none(), "CI must run this as root");
        println!("skipped: becoming another user needs root");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::chown(folder.path(), Some(NOBODY), Some(NOBODY)).unwrap();
    copy_of_program(&folder.path().join("headroom"));
    let run = |arguments: &[&str]| as_nobody(folder.path(), arguments).output().unwrap();
    let store = ["--store", "x.db"];
    let before = std::fs::read_to_string(SWAPPINESS).unwrap();
    let other = if before.trim() == "37" { "38" } else { "37" };
    for set in [&format!("sysctl.vm.swappiness={other}")[..], "dirty-bytes=64m", "cgroup-cpu=0.5"] {
        let refused = run(&[SHORT, &store, &["--set", set]].concat());
        let said = flat(&stderr(&refused));
        assert_eq!(refused.status.code(), Some(3), "{set}: {said}");
        let name = set.split(['=', '@']).next().unwrap();
        for part in [
            &format!("`{name}` cannot be changed: Headroom does not run as root")[..],
            "CAP_NET_ADMIN",
            "`headroom settings` shows how each setting stands",
        ] {
            assert!(said.contains(part), "{set}: {part}: {said}");
        }
    }
    assert_eq!(std::fs::read_to_string(SWAPPINESS).unwrap(), before);
    assert!(!folder.path().join("state/settings.journal").exists());
    // What would be done can be seen, and so can how a setting stands.
    let plan = run(&[SHORT, &store, &["--set", "sysctl.vm.swappiness=37", "--dry-run"]].concat());
    assert!(plan.status.success() && stdout(&plan).contains("vm.swappiness"), "{}", stderr(&plan));
    let shown = run(&["settings", "sysctl.vm.swappiness"]);
    assert!(stdout(&shown).contains(before.trim()), "{}", stdout(&shown));
    for words in [&["settings"][..], &["settings", "swap"]] {
        let told = flat(&stdout(&run(words)));
        assert!(told.contains("does not run as root: no setting can be changed"), "{words:?}: {told}");
    }
    let measured = run(&[SHORT, &store].concat());
    assert_eq!(measured.status.code(), Some(0), "{}", stderr(&measured));
    assert_eq!(stdout(&run(&["restore"])), "There is nothing to put back.\n");
}

#[test]
fn the_interface_of_the_session_in_which_it_was_started_is_left_alone() {
    let network = TestNetwork::new("session");
    let with = |set: &str, session: &str| {
        let mut command = network.command(&[SHORT, &["--set", set]].concat());
        command.env("SSH_CONNECTION", session).output().unwrap()
    };
    let over_va = "10.213.1.2 50022 10.213.1.1 22";
    for set in ["mtu@va=9000", "interface-rate@va=1g", "tx-queue-length@va=10", "offload-tso@va=no"] {
        let refused = with(set, over_va);
        let said = flat(&stderr(&refused));
        assert_eq!(refused.status.code(), Some(3), "{set}: {said}");
        assert!(said.contains("va carries the SSH session from 10.213.1.2"), "{set}: {said}");
    }
    assert_eq!(network.mtu(), 1500);
    assert!(!network.journal().exists());
    // What drops nothing, another interface, and whoever says that the session may be lost.
    for (set, session) in [
        ("offload-gro@va=yes", over_va),
        ("mtu@vb=9000", over_va),
        ("mtu@va=1500", over_va),
        ("mtu@va=9000", ""),
    ] {
        let done = with(set, session);
        assert_eq!(done.status.code(), Some(0), "{set}: {}", stderr(&done));
    }
    assert_eq!(network.mtu(), 1500);
}
