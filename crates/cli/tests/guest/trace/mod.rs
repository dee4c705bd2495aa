//! Traces of dd, of a download, of the sqlite3 shell's commits and of fio, taken by `headroom trace` and by blktrace at
//! the same time. What blkparse, btt and Headroom itself make of both must be the same: every event with its
//! place, size, action and kind, CPU and thread; every count; and times, as far as events have the same ones.
//!
//! blktrace begins before Headroom and ends after it, and meanwhile the disks are idle.
//!
//! An event has two probes, blktrace's and that of its trace event, which run one after the other and each read the
//! clock. So its times differ by what lies between, and a mean of times by no more than the events do.
//!
//! Not compared, and why:
//! - The order of events of different CPUs: one may come between the two probes of another. On each CPU the
//!   order of each action is compared. What goes by the order of all is left out: depths, distances of seeks,
//!   requests at Q, how long the disk was plugged.
//! - Whether an unplug was by a timer: the kernel's trace event does not say so.
//! - Of which disk a plug or an unplug is: it does not say that either. Where the load's disk is the only one with
//!   requests they are compared like all others; where there are several they are left out.
//! - The numbers of events: each capture has its own.
//! - btt's phases, where bios are split: btt loses these. No load but the stacked one has them.

mod capture;
mod disk_counters;
mod event_lines;
mod figures;
mod tools;
mod totals;

use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::test_bed::{TestBed, does, eventually};
use capture::{Captures, first_event_ns};
use event_lines::{EventLine, TimeDifferences, assert_same_order, assert_same_text, events};
use figures::{assert_fits_btt, assert_same_figures, of_disk};
use tools::{blkparse, btt};
use totals::assert_same_totals;

/// What is traced on a disk with a file system of its own.
struct Load<'a> {
    /// The disk's I/O scheduler.
    scheduler: &'a str,
    /// What the shell runs in a folder there. It must write and read so little at once that no bio is split.
    script: &'a str,
    /// Actions and kinds of which there must be some, for the load to be what it is meant to be.
    has: &'a [&'a str],
}

/// A file system that writes nothing by itself.
const MAKE: &[&str] =
    &["mkfs.ext4", "-q", "-b", "4096", "-E", "lazy_itable_init=0,lazy_journal_init=0,nodiscard"];

/// And reads nothing: at any moment of the first five seconds the kernel would read which blocks are free
/// (`ext4_register_li_request` in `fs/ext4/super.c`).
const MOUNT: &str = "noatime,noinit_itable,no_prefetch_block_bitmaps";

/// Events that a load has at least.
const FEWEST: usize = 100;

/// Traces a load twice, and holds all against all.
fn assert_is_traced_alike(load: &Load<'_>) {
    let mut bed = TestBed::new();
    // Taken away last, for the disk may use it.
    bed.build(&["modprobe", "mq-deadline"], &["sh", "-c", "modprobe -qr mq-deadline; true"]);
    let disk = bed.scsi_disk(&["dev_size_mb=96", "ndelay=100000"]);
    let folder = bed.mounted(MAKE, &format!("/dev/{disk}"), MOUNT);
    std::fs::write(format!("/sys/block/{disk}/queue/scheduler"), load.scheduler).unwrap();
    let folder = folder.to_str().unwrap();
    does(&["sync", "-f", folder]);
    let script = format!("cd {folder}; {}; sync -f .", load.script);
    let captures = Captures::of(&[&disk], &script);
    captures.write_as_blktrace(&disk);

    let [theirs, ours] = [captures.theirs(), captures.ours()];
    let [their_text, our_text] = [&theirs, &ours].map(|folder| blkparse(folder, &disk));
    let their_events = events(&their_text, first_event_ns(&theirs, &disk));
    let our_events = events(&our_text, first_event_ns(&ours, &disk));
    assert_has(&their_events, load.has);
    let differences = TimeDifferences::between(&their_events, &our_events);
    differences.assert_one_clock();
    assert_same_order(&their_events, &our_events);
    assert_same_totals(&their_text, &our_text);
    let spread_ns = differences.spread_ns();
    let [their_btt, our_btt] = [&theirs, &ours].map(|folder| btt(folder, &disk));
    their_btt.assert_same(&our_btt, spread_ns);

    // What Headroom itself says of both.
    assert_same_text(&captures.text(), &our_text);
    let of_theirs = captures.read_theirs(&disk);
    assert_same_figures(&captures.live, &of_theirs, &disk, spread_ns);
    assert_fits_btt(of_disk(&captures.live, &disk), &our_btt);
    assert_fits_btt(of_disk(&of_theirs, &disk), &their_btt);
}

/// There are enough events, of these kinds, and no bio was split.
fn assert_has(events: &[EventLine], kinds: &[&str]) {
    let mut found: Vec<String> =
        events.iter().map(|event| format!("{} {}", event.action, event.rwbs)).collect();
    assert!(found.len() >= FEWEST, "only {} events", found.len());
    found.sort();
    found.dedup();
    assert!(!found.iter().any(|kind| kind.starts_with('X')), "bios were split: {found:?}");
    for kind in kinds {
        assert!(found.iter().any(|found| found.starts_with(kind)), "{kind} is not in {found:?}");
    }
}

#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn a_trace_of_dd_agrees_with_blktraces() {
    let script = "dd if=/dev/zero of=direct bs=64k count=16 oflag=direct status=none
        dd if=/dev/zero of=buffered bs=64k count=8 conv=fsync status=none
        dd if=direct of=/dev/null bs=128k iflag=direct status=none
        dd if=buffered iflag=nocache count=0 status=none
        dd if=buffered of=/dev/null bs=64k status=none";
    let has =
        &["Q W", "G W", "I W", "D W", "C W", "Q R", "G R", "I R", "D R", "C R", "D FN", "C FN", "P N", "U N"];
    assert_is_traced_alike(&Load { scheduler: "mq-deadline", script, has });
}

#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn a_trace_of_a_download_agrees_with_blktraces() {
    let content = tempfile::tempdir_in("/dev/shm").unwrap();
    std::fs::write(content.path().join("content"), vec![7_u8; 384 << 10]).unwrap();
    let server = WebServer::start(content.path());
    // Not all of it at once, so that there is more than one write of data.
    let download = format!("curl -sS -o download http://127.0.0.1:{}/content; sync download", server.port);
    let script = (0..8).map(|number| format!("{download}; mv download download{number}"));
    let script = script.collect::<Vec<_>>().join("; ");
    let has = &["Q W", "G W", "D W", "C W", "D FN", "C FN"];
    assert_is_traced_alike(&Load { scheduler: "none", script: &script, has });
}

#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn a_trace_of_commits_of_sqlite_agrees_with_blktraces() {
    let inserts = (0..8).map(|number| format!("\"insert into t values({number}, randomblob(3000))\""));
    let inserts = inserts.collect::<Vec<_>>().join(" ");
    let script = format!("sqlite3 database \"create table t(number integer, content blob)\" {inserts}");
    let has = &["Q W", "G W", "I W", "D W", "C W", "Q FW", "D FN", "C FN", "P N", "U N"];
    assert_is_traced_alike(&Load { scheduler: "mq-deadline", script: &script, has });
}

/// Several at once, which are merged before they are sent. There need be no unplug: without a scheduler Linux 6.1
/// sends what was plugged without an event for it (`blk_mq_plug_issue_direct` in `block/blk-mq.c`), unless the thread
/// sleeps meanwhile. The loads with a scheduler have unplugs.
#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn a_trace_of_fio_agrees_with_blktraces() {
    // Its blocks are there before: nothing waits for the file to grow.
    let script = "dd if=/dev/zero of=file bs=64k count=8 conv=fsync status=none
        fio --filename=file --size=512k --bs=4k --direct=1 --ioengine=libaio --iodepth=16 --output=/dev/null \
            --name=order --rw=write --iodepth_batch_submit=8 \
            --name=scattered --stonewall --rw=randrw --number_ios=64";
    let has = &["Q W", "G W", "M W", "D W", "C W", "Q R", "D R", "C R", "P N"];
    assert_is_traced_alike(&Load { scheduler: "none", script, has });
}

/// busybox's web server on loopback. It ends when it is dropped.
struct WebServer {
    child: Child,
    port: u16,
}

impl WebServer {
    /// One that serves a folder.
    fn start(folder: &Path) -> Self {
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = free.local_addr().unwrap().port();
        drop(free);
        let mut command = Command::new("busybox");
        command.args(["httpd", "-f", "-p", &format!("127.0.0.1:{port}"), "-h"]).arg(folder);
        let child = command.stdin(Stdio::null()).spawn().unwrap();
        let server = Self { child, port };
        eventually("the web server listens", || TcpStream::connect(("127.0.0.1", port)).is_ok());
        server
    }
}

impl Drop for WebServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Where the second disk of the stack begins, in sectors of the stack, and where the first one's part begins there.
const BORDER: u64 = 32768;
const START: u64 = 2048;

/// Bios that go from a device on to two others, in whole or split: the writes cross the border of the two, and are
/// larger than the first disk takes at once. The reads end at the border, for the trace event of a split does not
/// say how large the bio was, and of one that a stacking driver splits blkparse then shows a read as N.
#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn a_trace_of_stacked_devices_agrees_with_blktraces_and_with_their_table() {
    let mut bed = TestBed::new();
    let scsi = bed.scsi_disk(&["dev_size_mb=64", "ndelay=100000"]);
    bed.ram_disks(1);
    let table = format!("0 {BORDER} linear /dev/{scsi} {START}\n{BORDER} {BORDER} linear /dev/ram0 0\n");
    bed.joined("stack", &table);
    let stack = does(&["dmsetup", "info", "-c", "--noheadings", "-o", "blkdevname", "stack"]);
    let stack = stack.trim();
    // Once the stack is there: it goes by the limits that it finds.
    std::fs::write(format!("/sys/block/{scsi}/queue/max_sectors_kb"), "64").unwrap();
    let script = format!(
        "dd if=/dev/zero of=/dev/{stack} bs=96k count=5 seek=168 oflag=direct conv=notrunc status=none
        dd if=/dev/{stack} of=/dev/null bs=32k count=8 skip=508 iflag=direct status=none"
    );
    let disks = [stack, &scsi, "ram0"];
    let captures = Captures::of(&disks, &script);

    let theirs = captures.theirs();
    let all_ours = captures.text();
    let numbers = disks.map(number_of);
    let [of_stack, of_scsi, _] = numbers.each_ref();
    for (disk, number) in disks.into_iter().zip(&numbers) {
        let their_text = blkparse(&theirs, disk);
        let their_events = without_plugs(events(&their_text, 0), number);
        // Of the text of all, the lines of this device.
        let of_this = all_ours.lines().filter(|line| line.split_whitespace().next() == Some(number.as_str()));
        let our_events = without_plugs(events(&of_this.collect::<Vec<_>>().join("\n"), 0), number);
        TimeDifferences::between(&their_events, &our_events).assert_mostly_alike();
        assert_same_order(&their_events, &our_events);
        assert_counts(of_disk(&captures.live, disk), &their_events);
        let splits = their_events.iter().filter(|event| event.action == "X").count();
        assert_eq!(splits > 0, number != &numbers[2], "{disk}: {splits} splits");
        // A remap stands with the device to which it leads.
        let offset = if number == of_scsi { START.cast_signed() } else { -BORDER.cast_signed() };
        let remaps: Vec<&EventLine> = their_events.iter().filter(|event| event.action == "A").collect();
        assert_eq!(remaps.is_empty(), number == of_stack, "{disk}: {remaps:?}");
        for remap in remaps {
            let words: Vec<&str> = remap.rest.split_whitespace().collect();
            let [to, "+", _, "<-", from, from_sector] = words.as_slice() else { panic!("{remap:?}") };
            assert_eq!(*from, format!("({of_stack})"), "{remap:?}");
            let [to, from_sector] = [to, from_sector].map(|sector| sector.parse::<i64>().unwrap());
            assert_eq!(to, from_sector + offset, "{remap:?}");
        }
    }
}

/// The number of a disk as blkparse shows it: `8,0`.
fn number_of(disk: &str) -> String {
    std::fs::read_to_string(format!("/sys/block/{disk}/dev")).unwrap().trim().replace(':', ",")
}

/// The events but those of plugging; all of them must be of this device.
fn without_plugs(events: Vec<EventLine>, number: &str) -> Vec<EventLine> {
    let is_plug = |event: &EventLine| matches!(event.action.as_str(), "P" | "U");
    let events: Vec<EventLine> = events.into_iter().filter(|event| !is_plug(event)).collect();
    assert!(events.iter().all(|event| event.device == number), "{number}: {events:?}");
    events
}

/// What Headroom counts of a device must be how many of blktrace's events it has.
fn assert_counts(device: &serde_json::Value, events: &[EventLine]) {
    let of = |action: &str, is_wanted: &dyn Fn(&str) -> bool| {
        let wanted = |event: &&EventLine| event.action == action && is_wanted(&event.rwbs);
        events.iter().filter(wanted).count()
    };
    let is_write = |rwbs: &str| rwbs.contains('W');
    for (figure, action) in [("queued", "Q"), ("issued", "D"), ("completed", "C")] {
        let found = ["reads", "writes"].map(|way| device[figure][way]["count"].as_u64());
        let expected = [of(action, &|rwbs| !is_write(rwbs)), of(action, &is_write)].map(|count| count as u64);
        assert_eq!(found, expected.map(Some), "{figure} of {:#}", device["name"]);
    }
    for (figure, action) in [("remapped", "A"), ("split", "X")] {
        assert_eq!(
            device[figure].as_u64(),
            Some(of(action, &|_| true) as u64),
            "{figure}: {:#}",
            device["name"]
        );
    }
}
