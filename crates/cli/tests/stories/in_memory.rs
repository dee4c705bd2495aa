//! Targets that are memory in the end: they are held to the memory that is free,
//! whatever their file systems say of room.

use std::process::{Command, Output};

use crate::common::{StoryFolder, program, stderr};

/// Runs `headroom run ARGUMENTS --dry-run` where `small` is a tmpfs that may
/// become larger than any machine's memory, `small/given` a file of 1 TiB in it,
/// and `$DEVICE` a loop device on another; all in a mount namespace of its own.
fn plan(place: &StoryFolder, arguments: &str) -> Option<Output> {
    if !rustix::process::geteuid().is_root() {
        assert!(std::env::var_os("CI").is_none(), "CI must run this as root");
        println!("skipped: mounting a tmpfs needs root");
        return None;
    }
    let script = format!(
        "set -e; mkdir -p small; mount -t tmpfs -o size=4t none small; truncate -s 1t small/image small/given
         DEVICE=$(losetup --find --show small/image); set +e
         \"$HEADROOM\" run {arguments} --dry-run; code=$?
         losetup -d $DEVICE; exit $code"
    );
    let mut command = Command::new("unshare");
    command.args(["-m", "sh", "-c", &script]).current_dir(place.path());
    command.env("HEADROOM", program()).env("HEADROOM_STATE", place.path().join("state")).env("NO_COLOR", "1");
    Some(command.output().unwrap())
}

#[test]
fn regression_a_target_in_memory_was_not_held_to_the_memory_that_is_free() {
    let place = StoryFolder::new();
    for arguments in [
        "disk --target small --size 1t",
        "disk --target small/given --pattern write --destroy small/given",
        "disk --target $DEVICE --pattern write --destroy $DEVICE",
        "file.metadata --target small --files 1000 --file-size 1g --threads 2",
    ] {
        let Some(output) = plan(&place, arguments) else { return };
        let told = stderr(&output);
        assert_eq!(output.status.code(), Some(3), "{arguments}: {told}");
        let words: Vec<&str> = told.split_whitespace().collect();
        assert!(words.join(" ").contains("memory in the end (tmpfs at"), "{arguments}: {told}");
    }
    // What fits may be had, and reading takes nothing.
    for arguments in ["disk --target small --size 64m", "disk --target $DEVICE", "disk --target small/given"]
    {
        let Some(output) = plan(&place, arguments) else { return };
        assert_eq!(output.status.code(), Some(0), "{arguments}: {}", stderr(&output));
    }
}
