//! A store on a file system that is full: ext4 of our own on a loop device, in a
//! mount namespace of our own, which is gone when the story ends. With blocks of
//! 1 KiB, which ext4 gives small file systems by itself, a file may have a hole
//! within a page of memory; with blocks of 4 KiB it may not.

use std::process::Command;

use crate::common::StoryFolder;

/// In this place, `disk` is an ext4 with blocks of so many bytes and the store
/// of two runs, filled to the last block; then `script` runs, in which `step
/// NAME COMMAND...` keeps what a command said and how it ended. `before` runs
/// before it is filled. Absent where this cannot be done.
fn steps(block: u32, before: &str, script: &str) -> Option<StoryFolder> {
    if !rustix::process::geteuid().is_root() {
        assert!(std::env::var_os("CI").is_none(), "CI must run this as root");
        println!("skipped: mounting needs root");
        return None;
    }
    let place = StoryFolder::new();
    let script = format!(
        "mkdir disk; truncate -s 8M image
         mkfs.ext4 -q -F -m 0 -b {block} image && mount -o loop image disk || exit 9
         step() {{ name=$1; shift; \"$@\" > $name.out 2>&1; echo $? > $name.code; }}
         measure() {{ \"$HEADROOM\" run null --warm-up 0 --pin none --store disk/x.db \"$@\"; }}
         headroom() {{ \"$HEADROOM\" \"$@\" --store disk/x.db; }}
         avail() {{ df -B1 --output=avail disk | tail -n 1; }}
         fill() {{ for n in 1 2 3 4; do for size in 64k 1k; do
             dd if=/dev/zero of=disk/filler$1-$n-$size bs=$size; sync; done; [ $(avail) = 0 ] && break; done 2> /dev/null; }}
         for n in 1 2; do step make$n measure --duration 20ms --trials 2; done
         {before}
         fill; df -B1 --output=avail disk > free.out
         {script}
         umount disk"
    );
    let mut command = Command::new("unshare");
    command.args(["-m", "sh", "-c", &script]).current_dir(place.path());
    command.env("HEADROOM", crate::common::program()).env("NO_COLOR", "1");
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    for n in 1..=2 {
        assert_eq!(step(&place, &format!("make{n}")).0, 0, "{}", step(&place, &format!("make{n}")).1);
    }
    let free = step_text(&place, "free");
    assert_eq!(free.split_whitespace().last(), Some("0"), "{free}");
    Some(place)
}

fn step_text(place: &StoryFolder, name: &str) -> String {
    std::fs::read_to_string(place.path().join(format!("{name}.out"))).unwrap()
}

/// The exit status of a step, and what it said on one line.
fn step(place: &StoryFolder, name: &str) -> (i32, String) {
    let code = std::fs::read_to_string(place.path().join(format!("{name}.code"))).unwrap();
    let text = step_text(place, name);
    (code.trim().parse().unwrap(), text.split_whitespace().collect::<Vec<_>>().join(" ").replace("| ", ""))
}

/// How many runs a step listed.
fn listed(place: &StoryFolder, name: &str) -> usize {
    step_text(place, name).lines().filter(|line| line.contains(" null")).count()
}

#[test]
fn a_store_on_a_full_disk_is_read() {
    for block in [1024, 4096] {
        let commands =
            "step list headroom list; step show headroom show last; step export headroom export last";
        let Some(place) = steps(block, "", commands) else { return };
        for name in ["list", "show", "export"] {
            let (code, text) = step(&place, name);
            assert_eq!(code, 0, "blocks of {block}: {name}: {text}");
        }
        assert_eq!(listed(&place, "list"), 2, "{}", step_text(&place, "list"));
    }
}

#[test]
fn a_run_on_a_full_disk_says_what_to_do() {
    for block in [1024, 4096] {
        let Some(place) =
            steps(block, "", "step run measure --duration 20ms --trials 1; step list headroom list")
        else {
            return;
        };
        let (code, text) = step(&place, "run");
        // Pages that earlier runs no longer use may take its head, and no more.
        assert!(code == 3 || code == 1, "blocks of {block}: {code}: {text}");
        assert!(text.contains("no space is left for it") && text.contains("`headroom rm RUN`"), "{text}");
        let runs = if code == 3 { 2 } else { 3 };
        assert_eq!(listed(&place, "list"), runs, "{}", step_text(&place, "list"));
    }
}

#[test]
fn runs_are_removed_from_a_store_on_a_full_disk_and_give_their_room_back() {
    removed("");
}

/// As a store of version 0.1, which has no room of its own for a journal.
#[test]
fn runs_are_removed_where_not_even_a_journal_has_room() {
    removed("rm disk/x.db-journal");
}

fn removed(before: &str) {
    for block in [1024, 4096] {
        let script = "stat -c %s disk/x.db > before.out
                      for n in 1 2; do step rm$n headroom rm last; step list$n headroom list; done
                      stat -c %s disk/x.db > after.out; rm disk/filler-*
                      step again measure --duration 20ms --trials 1";
        let Some(place) = steps(block, before, script) else { return };
        let round = format!("blocks of {block}, {before}");
        for n in 1..=2 {
            let (code, text) = step(&place, &format!("rm{n}"));
            assert_eq!(code, 0, "{round}: {text}");
            let list = format!("list{n}");
            assert_eq!(step(&place, &list).0, 0, "{round}: {}", step_text(&place, &list));
            assert_eq!(listed(&place, &list), 2 - n, "{round}: {}", step_text(&place, &list));
        }
        let bytes = |name: &str| step_text(&place, name).trim().parse::<u64>().unwrap();
        assert!(
            bytes("after") < bytes("before"),
            "{round}: {} bytes, {} before",
            bytes("after"),
            bytes("before")
        );
        assert_eq!(step(&place, "again").0, 0, "{round}: {}", step(&place, "again").1);
    }
}

/// The disk is filled after the first trials: what was stored by then is there,
/// and the message says so.
#[test]
fn trials_stored_before_the_disk_was_full_are_not_said_to_be_lost() {
    for block in [1024, 4096] {
        let script = "rm disk/filler-*
                      step run measure --trials 400 --duration 50ms & run=$!
                      for n in $(seq 200); do
                          headroom list 2> /dev/null | awk '$2 == \"running\" && $4 >= 2 { exit 1 }' || break
                          sleep 0.05
                      done
                      fill again; wait $run; step show headroom show last; step list headroom list";
        let Some(place) = steps(block, "", script) else { return };
        let (code, text) = step(&place, "run");
        assert_eq!(code, 1, "blocks of {block}: {text}");
        assert!(text.contains("no space is left"), "{text}");
        assert!(text.contains("trials in the summary above are stored: `headroom show"), "{text}");
        assert_eq!(step(&place, "show").0, 0, "{}", step(&place, "show").1);
        assert_eq!(listed(&place, "list"), 3, "{}", step_text(&place, "list"));
    }
}
