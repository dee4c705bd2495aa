//! The disk of a server that a run started fills up, and has room again later: a small ext4 of the story's own, on a
//! loop device, in a mount namespace of its own.

use std::process::Command;

use crate::common::{flat, program, stderr, stdout, trials};
use crate::database::faults::may_mount;
use crate::database::private::is_there;
use crate::database::{DatabaseStory, names_in, processes_in, reasons};

/// Somebody else fills the disk of so many MiB after the first good trial, up to the last byte, and makes room again
/// after the first that failed.
fn fills_and_has_room_again(server: &str, variables: &str, mib: u32) {
    if !is_there(server) || !may_mount() {
        return;
    }
    let story = DatabaseStory::new();
    let target = story.target.path().canonicalize().unwrap();
    let script = format!(
        "truncate -s {mib}M \"$IMAGE\"; mkfs.ext4 -q -F -m 0 \"$IMAGE\" && mkdir small || exit 99
         mount -o loop \"$IMAGE\" small || exit 99
         rmdir small/lost+found
         await() {{
           looks=0
           until \"$HEADROOM\" export last --store \"$STORE\" 2>/dev/null | grep -q \"\\\"$1\\\"\" || [ $looks -ge 300 ]; do
             looks=$((looks + 1)); sleep 0.1
           done
         }}
         \"$HEADROOM\" run db.oltp --start {server} --server-variables {variables} --target small --store \"$STORE\" \
           --mix insert --rows 1000 --clients 4 --duration 500ms --trials 14 --warm-up 0 --no-extra & run=$!
         await ok
         n=0
         for size in 256M 64M 16M 4M 1M; do
           while fallocate -l $size small/filler$n 2>/dev/null; do n=$((n + 1)); done
           rm -f small/filler$n
         done
         dd if=/dev/zero of=small/filler-last bs=4k 2>/dev/null
         await failed
         rm -f small/filler*
         wait $run; code=$?
         ls -A small | grep . && exit 98
         umount small || exit 97
         rmdir small; exit $code"
    );
    let mut command = Command::new("unshare");
    command.args(["-m", "sh", "-c", &script]).current_dir(&target).env("HEADROOM", program());
    command.env("IMAGE", story.place.path().join("image")).env("STORE", story.place.store());
    command.env("HEADROOM_STATE", story.place.path().join("state")).env("NO_COLOR", "1");
    let output = command.output().unwrap();
    let said = flat(&(stderr(&output) + &stdout(&output)));
    assert_eq!(output.status.code(), Some(1), "{server}: {said}");
    let document = story.place.stored();
    assert_eq!(document["outcome"], "complete", "{server}: {said}");
    let all = trials(&document);
    let statuses: Vec<&str> = all.iter().map(|trial| trial["status"].as_str().unwrap()).collect();
    assert_eq!(
        (statuses.first(), statuses.last()),
        (Some(&"ok"), Some(&"ok")),
        "{server}: {statuses:?} {said}"
    );
    let told = reasons(&document);
    let place = format!("space left on {}", target.join("small").display());
    assert!(told.first().is_some_and(|told| told.contains(&place)), "{server}: {told:?}");
    assert_eq!(names_in(&target), Vec::<String>::new());
    assert_eq!(processes_in(&target), Vec::<u32>::new());
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn a_disk_that_fills_under_a_started_mariadb_fails_a_trial_and_the_others_go_on() {
    let variables = "innodb_flush_log_at_trx_commit=0+innodb_log_file_size=8M";
    fills_and_has_room_again("mariadb", variables, 700);
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn a_disk_that_fills_under_a_started_postgresql_fails_a_trial_and_the_others_go_on() {
    fills_and_has_room_again("postgres", "synchronous_commit=off+max_wal_size=64MB", 450);
}
