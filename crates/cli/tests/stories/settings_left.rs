//! What is left of settings after a kill, and what `headroom restore` makes of it: twice, twice at once, on a device that
//! is gone, from another network namespace or after that is gone, and after another start of the machine. Needs root.

use std::cell::Cell;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::common::{StoryFolder, agent_of, eventually, lives, signal, stderr, stdout};
use crate::settings::TestNetwork;

const NOTHING: &str = "There is nothing to put back.\n";
const SWAPPINESS: &str = "/proc/sys/vm/swappiness";

fn text(path: &str) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{path}: {e}")).trim().to_owned()
}

/// Writes a journal with one entry that a killed run left, of this start of the machine.
fn leave(place: &StoryFolder, entry: Value) {
    let mut left = json!({
        "machine": std::fs::read_to_string("/etc/machine-id").unwrap_or_default().trim(),
        "boot": text("/proc/sys/kernel/random/boot_id"),
        "namespace": 7,
        "owner": {"pid": 1, "start_ticks": u64::MAX},
        "controller": null,
    });
    left.as_object_mut().unwrap().extend(entry.as_object().unwrap().clone());
    let state = place.path().join("store.db-state");
    std::fs::create_dir_all(&state).unwrap();
    std::fs::write(state.join("settings.journal"), format!("{left}\n")).unwrap();
}

/// Restores once, which says `expected`, and once more, which finds nothing.
fn restores(expected: &[&str], run: impl Fn() -> Output) {
    let done = run();
    assert_eq!(done.status.code(), Some(0), "{}{}", stdout(&done), stderr(&done));
    for part in expected {
        assert!(stdout(&done).contains(part), "{part}: {}", stdout(&done));
    }
    let again = run();
    assert_eq!((again.status.code(), stdout(&again).as_str()), (Some(0), NOTHING), "{}", stderr(&again));
}

/// A run of many trials.
const LONG: &[&str] = &["run", "null", "--duration", "300ms", "--warm-up", "0", "--trials", "60"];

/// Starts it, and kills it together with its agent once `is_changed`.
fn kill_under(mut command: Command, is_changed: impl FnMut() -> bool) {
    let mut run = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    eventually("what was asked for is changed", is_changed);
    let agent = agent_of(run.id());
    // Neither may clean up: both are stopped before they are killed.
    for with in [Signal::STOP, Signal::KILL] {
        [agent, run.id()].into_iter().for_each(|process| signal(process, with));
    }
    run.wait().unwrap();
    eventually("both are gone", || !lives(agent));
}

/// A loop device, detached when it is dropped.
struct Loop(String);

impl Loop {
    fn new(place: &StoryFolder) -> Self {
        let file = place.path().join("disk");
        std::fs::write(&file, vec![1; 4 << 20]).unwrap();
        let output = Command::new("losetup").args(["--find", "--show"]).arg(&file).output().unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        Self(stdout(&output).trim().trim_start_matches("/dev/").to_owned())
    }

    fn queue(&self, leaf: &str) -> String {
        format!("/sys/class/block/{}/queue/{leaf}", self.0)
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let _ = Command::new("losetup").args(["--detach", &format!("/dev/{}", self.0)]).status();
    }
}

#[test]
fn restore_puts_a_disk_back_once_and_finds_nothing_the_second_time() {
    let place = StoryFolder::new();
    let disk = Loop::new(&place);
    let (scheduler, requests) = (disk.queue("scheduler"), disk.queue("nr_requests"));
    let (before, depth) = (text(&scheduler), text(&requests));
    let is_none = before.contains("[none]") || before == "none";
    let (own, other) = if is_none { ("none", "mq-deadline") } else { ("mq-deadline", "none") };
    if !before.contains(own) || !before.contains(other) {
        assert!(std::env::var_os("CI").is_none(), "this kernel has no mq-deadline");
        println!("skipped: this kernel has no mq-deadline");
        return;
    }
    let at = format!("block:{}", disk.0);
    std::fs::write(&scheduler, other).unwrap();
    assert_ne!(text(&requests), depth, "a scheduler sets the queue anew");
    leave(
        &place,
        json!({
            "setting": "scheduler", "resource": at, "before": own, "asked": other,
            "side_effects":
                [{"setting": "queue-requests", "resource": at, "before": depth.parse::<u64>().unwrap()}],
        }),
    );
    let said = format!("scheduler of {at}: put back from {other} to {own}");
    restores(&[said.as_str()], || place.run(&["restore"]));
    assert_eq!((text(&scheduler), text(&requests)), (before, depth));
}

#[test]
fn after_another_start_of_the_machine_nothing_is_written_and_the_journal_is_cleared() {
    let place = StoryFolder::new();
    let before = text(SWAPPINESS);
    let other = if before == "3" { 4 } else { 3 };
    let entry = json!({
        "boot": "00000000-0000-0000-0000-000000000000", "owner": {"pid": std::process::id(), "start_ticks": 1},
        "setting": "sysctl.vm.swappiness", "resource": "machine", "before": other.to_string(), "asked": "99",
    });
    leave(&place, entry);
    let refused = place.run(&["run", "null", "--duration", "50ms", "--warm-up", "0", "--trials", "1"]);
    assert_eq!(refused.status.code(), Some(3), "{}", stderr(&refused));
    let said = ["the machine was restarted since, which undid it; nothing had to be done"];
    restores(&said, || place.run(&["restore"]));
    assert_eq!(text(SWAPPINESS), before);
    assert!(!place.path().join("store.db-state/settings.journal").exists());
}

#[test]
fn an_interface_that_is_gone_has_nothing_to_put_back() {
    let network = TestNetwork::new("gone");
    network.kill_both();
    let deleted = Command::new("ip").args(["-n", &network.name, "link", "del", "va"]).status().unwrap();
    assert!(deleted.success() && Path::new(&network.journal()).exists());
    let said = ["mtu of nic:va: it no longer exists, so there is nothing to put back"];
    restores(&said, || network.run(&["restore"]));
    assert!(!network.journal().exists());
}

#[test]
fn an_interface_whose_namespace_is_gone_has_nothing_to_put_back() {
    let network = TestNetwork::new("nowhere");
    network.kill_both();
    let deleted = Command::new("ip").args(["netns", "del", &network.name]).status().unwrap();
    assert!(deleted.success() && network.journal().exists());
    let said =
        ["mtu of nic:va: its network namespace (net:[", "is gone, with the interfaces that were made in it"];
    restores(&said, || network.place.run(&["restore"]));
    assert!(!network.journal().exists());
}

#[test]
fn what_was_changed_of_the_machine_from_a_namespace_is_put_back_from_another() {
    const PRESSURE: &str = "/proc/sys/vm/vfs_cache_pressure";
    let network = TestNetwork::new("machine");
    let before = text(PRESSURE);
    let other = if before == "101" { "102" } else { "101" };
    let set = format!("sysctl.vm.vfs_cache_pressure={other}");
    kill_under(network.command(&[LONG, &["--set", &set]].concat()), || text(PRESSURE) == other);
    assert_eq!(text(PRESSURE), other);
    let said = format!("sysctl.vm.vfs_cache_pressure of machine: put back from {other} to {before}");
    restores(&[said.as_str()], || network.place.run(&["restore"]));
    assert_eq!(text(PRESSURE), before);
    assert!(!network.journal().exists());
}

#[test]
fn of_two_restores_at_once_one_puts_back() {
    let network = TestNetwork::new("twice");
    network.kill_both();
    let start = |_| {
        let mut command = network.command(&["restore"]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let both = [0, 1].map(start).map(|restore| restore.wait_with_output().unwrap());
    let mut said: Vec<String> = both.iter().map(stdout).collect();
    said.sort_unstable_by_key(|text| text == NOTHING);
    assert!(both.iter().all(|done| done.status.code() == Some(0)), "{said:?}");
    assert!(said[0].contains("mtu of nic:va: put back from 9000 to 1500"), "{said:?}");
    assert_eq!(said[1], NOTHING);
    assert_eq!(network.mtu(), 1500);
    assert!(!network.journal().exists());
}

/// A disk that is made of memory, and can be taken away; gone when it is dropped.
struct MemoryDisk {
    number: String,
    /// Its number may be another's afterwards.
    is_there: Cell<bool>,
}

impl MemoryDisk {
    /// None, and said so, where this kernel has no zram.
    fn new() -> Option<Self> {
        let Ok(number) = std::fs::read_to_string("/sys/class/zram-control/hot_add") else {
            assert!(std::env::var_os("CI").is_none(), "this kernel has no zram");
            println!("skipped: this kernel has no zram");
            return None;
        };
        let number = number.trim().to_owned();
        // One without a size is no disk yet.
        std::fs::write(format!("/sys/block/zram{number}/disksize"), "16M").unwrap();
        Some(Self { number, is_there: Cell::new(true) })
    }

    /// Takes it away, if nobody has it open; whether it is gone.
    fn take_away(&self) -> bool {
        if self.is_there.get() && std::fs::write("/sys/class/zram-control/hot_remove", &self.number).is_ok() {
            self.is_there.set(false);
        }
        !self.is_there.get()
    }
}

impl Drop for MemoryDisk {
    fn drop(&mut self) {
        let end = Instant::now() + Duration::from_secs(5);
        while !self.take_away() && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

#[test]
fn a_disk_that_is_gone_has_nothing_to_put_back() {
    let Some(disk) = MemoryDisk::new() else { return };
    let place = StoryFolder::new();
    let (name, journal) =
        (format!("zram{}", disk.number), place.path().join("store.db-state/settings.journal"));
    let read_ahead = format!("/sys/block/{name}/queue/read_ahead_kb");
    let other = if text(&read_ahead) == "256" { ("512", "512KiB") } else { ("256", "256KiB") };
    let set = format!("read-ahead@{name}={}", other.1);
    kill_under(place.command(&[LONG, &["--set", &set]].concat()), || text(&read_ahead) == other.0);
    assert!(journal.exists());
    eventually("nobody looks at the disk", || disk.take_away());
    let said = format!("read-ahead of block:{name}: it no longer exists, so there is nothing to put back");
    restores(&[said.as_str()], || place.run(&["restore"]));
    assert!(!journal.exists());
    // What comes next is let in.
    let next = place.run(&["run", "null", "--duration", "50ms", "--warm-up", "0", "--trials", "1"]);
    assert_eq!(next.status.code(), Some(0), "{}", stderr(&next));
}
