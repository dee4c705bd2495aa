//! `headroom watch` of another machine, and with a trace of disks.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use crate::common::{StoryFolder, stderr, stdout};

/// What ends when it is dropped.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn another_machine_is_watched_through_its_node_and_its_rows_are_marked() {
    let place = StoryFolder::new();
    let mut node = Ended(place.start(&["node", "--listen", "127.0.0.1:0", "--key-file", "key.json"]));
    let mut join = String::new();
    BufReader::new(node.0.stdout.take().unwrap()).read_line(&mut join).unwrap();
    let output = place.run(&[
        "watch",
        "--peer",
        join.trim(),
        "--interval",
        "500ms",
        "--for",
        "6s",
        "-v",
        "--record",
        "w.json",
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output);
    // Here both are called the same, so that the far one goes by its address.
    assert!(
        text.lines().any(|line| line.trim_start().starts_with("127.0.0.1:") && line.contains(": all CPUs")),
        "{text}"
    );
    assert!(text.lines().any(|line| line.trim_start().starts_with("all CPUs ")), "{text}");
    let document = std::fs::read_to_string(place.path().join("w.json")).unwrap();
    let key = join.trim().rsplit_once('.').unwrap().1;
    assert!(!document.contains(key) && !text.contains(key), "the key is nowhere");
    drop(node);
    let gone = place.run(&["watch", "--peer", join.trim(), "--for", "1s"]);
    assert_eq!(gone.status.code(), Some(3), "{}", stderr(&gone));
    let wrong = place.run(&["watch", "--peer", "db2", "--for", "1s"]);
    assert_eq!(wrong.status.code(), Some(2), "{}", stderr(&wrong));
    assert!(stderr(&wrong).contains("no join string"), "{}", stderr(&wrong));
}

#[test]
fn a_trace_tells_where_the_time_of_a_disk_went_and_leaves_nothing() {
    let place = StoryFolder::new();
    let writes =
        "while :; do dd if=/dev/zero of=data bs=64k count=64 oflag=direct conv=notrunc || exit 1; done";
    let mut load = Command::new("sh");
    load.args(["-c", writes]).current_dir(place.path()).stdout(Stdio::null()).stderr(Stdio::null());
    let _load = Ended(load.spawn().unwrap());
    let output = place.run(&["watch", "--trace", "--interval", "1s", "--for", "6s", "-v"]);
    if output.status.code() == Some(3) && stderr(&output).contains("cannot be traced") {
        assert!(std::env::var_os("CI").is_none(), "in CI nothing is skipped: {}", stderr(&output));
        println!("skipped: {}", stderr(&output));
        return;
    }
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output);
    assert!(text.contains("writes: ") && text.contains(" at the device"), "{text}");
}
