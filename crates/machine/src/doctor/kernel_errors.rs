//! What the kernel's log says of parts that err (`/dev/kmsg`, `Documentation/ABI/testing/dev-kmsg`). Only what the kernel
//! itself wrote counts: others may write there too. Of a message nothing is kept but its kind, its part and when it was. The
//! log is a ring: what is older is gone. Errors of devices that stand on others are passed over, since what is below them
//! errs under its own name, but not those of file systems on them; and so are loops and memory.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;

use model::{Resource, ResourceKind, Severity};
use rustix::io::Errno;
use rustix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};

use super::since::Since;
use super::{Check, CheckContext, clip, condition, seen};
use crate::Host;

const CODE: &str = "kernel-errors";
const LOG: &str = "/dev/kmsg";
/// No record is longer (`PRINTK_MESSAGE_MAX` in `kernel/printk/internal.h`, 2 KiB; 8 KiB before).
const RECORD_BYTES: usize = 16 << 10;
/// More records than any ring holds, in case they come as fast as they are read.
const RECORDS_MAX: usize = 1 << 20;

/// Where a message has its part.
#[derive(Clone, Copy)]
enum PartPlace {
    /// Behind this text.
    After(&'static str),
    /// The word before this text.
    Before(&'static str),
    /// The address of a PCI function.
    Address,
    /// A part of this name.
    Named(&'static str),
}

/// A kind of message: it has all of these texts.
struct Pattern {
    what: &'static str,
    has: &'static [&'static str],
    part: PartPlace,
}

const fn pattern(what: &'static str, has: &'static [&'static str], part: PartPlace) -> Pattern {
    Pattern { what, has, part }
}

/// As the kernel words them: `arch/x86/kernel/cpu/mce`, `drivers/edac/edac_mc.c`, `drivers/pci/pcie/aer.c`, `drivers/pci/quirks.c`,
/// `block/blk-core.c`, `drivers/nvme/host/pci.c`, `drivers/ata/libata-eh.c`, `fs/ext4/super.c`, `fs/xfs/xfs_message.c`,
/// `fs/btrfs/messages.c`, `net/sched/sch_generic.c`, `kernel/watchdog.c`, `drivers/thermal/intel/therm_throt.c`. The first
/// that fits counts.
const PATTERNS: &[Pattern] = &[
    pattern("machine-check", &["Machine check events logged"], PartPlace::Named("cpu")),
    pattern("machine-check", &["Machine Check Exception"], PartPlace::Named("cpu")),
    pattern("memory-error", &["EDAC MC", " CE "], PartPlace::After("EDAC ")),
    pattern("memory-error", &["EDAC MC", " UE "], PartPlace::After("EDAC ")),
    pattern("memory-error", &["Memory failure: 0x"], PartPlace::Named("memory")),
    pattern("link-error", &["PCIe Bus Error: severity="], PartPlace::Address),
    pattern("link-retrained", &["retraining", "link"], PartPlace::Address),
    pattern("drive-error", &["I/O error, dev "], PartPlace::After(", dev ")),
    pattern("drive-error", &["medium error, dev "], PartPlace::After(", dev ")),
    pattern("drive-error", &[": failed command: "], PartPlace::Before(": failed command")),
    pattern("drive-reset", &["nvme ", " timeout, "], PartPlace::After("nvme ")),
    pattern("drive-reset", &["nvme ", "controller is down"], PartPlace::After("nvme ")),
    pattern("drive-reset", &[": hard resetting link"], PartPlace::Before(": hard resetting link")),
    pattern(OF_FILE_SYSTEM, &["EXT4-fs error (device "], PartPlace::After("(device ")),
    pattern(OF_FILE_SYSTEM, &["XFS (", "orruption"], PartPlace::After("XFS (")),
    pattern(OF_FILE_SYSTEM, &["XFS (", "metadata I/O error"], PartPlace::After("XFS (")),
    pattern(OF_FILE_SYSTEM, &["BTRFS error (device "], PartPlace::After("(device ")),
    pattern("queue-stalled", &[": NETDEV WATCHDOG: CPU"], PartPlace::Before(": NETDEV WATCHDOG")),
    pattern("queue-stalled", &["NETDEV WATCHDOG: "], PartPlace::After("NETDEV WATCHDOG: ")),
    pattern("lockup", &["soft lockup"], PartPlace::Named("cpu")),
    pattern("lockup", &["hard LOCKUP"], PartPlace::Named("cpu")),
    pattern("throttled", &["above threshold", "throttled"], PartPlace::Named("cpu")),
];

/// Devices that are no part of their own.
const NOT_PARTS: &[&str] = &["loop", "ram", "zram", "nbd", "sr", "fd"];

/// Devices that stand on others.
const STACKED: &[&str] = &["dm-", "md"];

/// What file systems tell of themselves, which nothing below them does.
const OF_FILE_SYSTEM: &str = "file-system-error";

/// The check. It says nothing unless it is asked about a time.
pub(super) const CHECK: Check = Check {
    code: CODE,
    doc: "with `--since`: the kernel's log tells of machine checks, errors of memory, links, drives, file systems or \
          network adapters, of lockups, or of throttling",
    english: r#"
condition-kernel-errors =
    since that time the kernel's log tells of { $what ->
        [machine-check] machine checks
        [memory-error] errors of memory
        [link-error] errors of the PCI Express link of { $part }
        [link-retrained] the PCI Express link of { $part } that had to be trained again
        [drive-error] errors of drive { $part }
        [drive-reset] resets of drive { $part }
        [file-system-error] errors of the file system on { $part }
        [queue-stalled] a queue of { $part } that stood still
        [lockup] CPUs that stood still
       *[throttled] CPUs that were throttled for heat
    }: messages: { $count }, the last { SPAN($ago) } ago
    .advice =
        { $what ->
            [throttled] improve the cooling; `journalctl -k` has the messages
           *[other] `journalctl -k` has the messages
        }

evidence-kernel-errors = messages: { $count }, the first { SPAN($first) } ago
"#,
    look: |context| context.since.map(|since| find(context, since)).unwrap_or_default(),
};

/// A message that fits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct KernelError {
    /// Seconds from the start of the machine.
    at_s: f64,
    what: String,
    part: String,
}

/// What of the log counts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct KernelLog {
    /// When it was read, seconds from the start of the machine.
    now_s: f64,
    /// The same, Unix time.
    unix_s: f64,
    /// The oldest message that is left, seconds from the start.
    oldest_s: f64,
    /// Whether there were older ones.
    is_cut: bool,
    errors: Vec<KernelError>,
}

/// How far back the log reaches.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum LogReach {
    /// It cannot be read.
    #[default]
    Unread,
    /// To the moment that was asked about, or to the start of the machine.
    Whole,
    /// So many seconds: what was before is gone.
    Seconds(f64),
}

/// How far back the log reaches towards a moment.
pub(super) fn reach(host: &Host, since: &Since) -> LogReach {
    let Some(log) = log(host) else { return LogReach::Unread };
    let since_s = log.now_s - (log.unix_s - since.unix_s);
    match log.is_cut && log.oldest_s > since_s {
        true => LogReach::Seconds(log.now_s - log.oldest_s),
        false => LogReach::Whole,
    }
}

fn log(host: &Host) -> Option<KernelLog> {
    host.probe("kernel-log", read).ok()
}

/// Reads what there is now; nobody waits for more.
fn read() -> Result<KernelLog, String> {
    let flags = rustix::fs::OFlags::NONBLOCK.bits() as i32;
    let mut file = File::options().read(true).custom_flags(flags).open(LOG).map_err(|e| {
        match Errno::from_io_error(&e) {
            Some(Errno::ACCESS | Errno::PERM) => "permission denied".to_owned(),
            _ => e.to_string(),
        }
    })?;
    let (mut texts, mut record) = (Vec::new(), vec![0; RECORD_BYTES]);
    for _ in 0..RECORDS_MAX {
        match file.read(&mut record) {
            Ok(0) => break,
            Ok(length) => texts.push(String::from_utf8_lossy(&record[..length]).into_owned()),
            Err(e) => match Errno::from_io_error(&e) {
                // Overwritten meanwhile: the next reading has the oldest that is left.
                Some(Errno::PIPE | Errno::INTR) => {}
                Some(Errno::AGAIN) => break,
                _ => return Err(e.to_string()),
            },
        }
    }
    let seconds = |clock| {
        let time = clock_gettime(clock);
        time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
    };
    let log = of_records(texts.iter().map(String::as_str));
    Ok(KernelLog { now_s: seconds(ClockId::Monotonic), unix_s: seconds(ClockId::Realtime), ..log })
}

/// What counts of these records, oldest first.
fn of_records<'a>(records: impl Iterator<Item = &'a str>) -> KernelLog {
    let mut log = KernelLog::default();
    let mut is_first = true;
    for record in records {
        let Some(message) = Message::of(record) else { continue };
        if std::mem::take(&mut is_first) {
            (log.oldest_s, log.is_cut) = (message.at_s, message.number > 0);
        }
        log.errors.extend(message.error());
    }
    log
}

/// A record of the log.
struct Message<'a> {
    is_kernel: bool,
    number: u64,
    at_s: f64,
    text: &'a str,
}

impl<'a> Message<'a> {
    /// `priority,number,microseconds,flags;text`, with further lines of dictionary.
    fn of(record: &'a str) -> Option<Self> {
        let (head, rest) = record.split_once(';')?;
        let mut fields = head.split(',').map(str::parse::<u64>);
        let mut field = || fields.next()?.ok();
        let (priority, number, microseconds) = (field()?, field()?, field()?);
        // The lowest three bits are the level, the others the facility; the kernel's is 0.
        Some(Self {
            is_kernel: priority >> 3 == 0,
            number,
            at_s: microseconds as f64 / 1e6,
            text: rest.lines().next().unwrap_or_default(),
        })
    }

    fn error(&self) -> Option<KernelError> {
        let fits = |pattern: &&Pattern| pattern.has.iter().all(|text| self.text.contains(*text));
        let pattern = PATTERNS.iter().filter(|_| self.is_kernel).find(fits)?;
        let part = part(self.text, pattern.part)?;
        let is_of = |names: &[&str]| names.iter().any(|start| part.starts_with(start));
        let is_told_below = pattern.what != OF_FILE_SYSTEM && is_of(STACKED);
        (!is_of(NOT_PARTS) && !is_told_below).then(|| KernelError {
            at_s: self.at_s,
            what: pattern.what.to_owned(),
            part,
        })
    }
}

/// The part that a message is about.
fn part(text: &str, place: PartPlace) -> Option<String> {
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '!');
    let words = |text: &str| -> Vec<String> { text.split_whitespace().map(str::to_owned).collect() };
    let found = match place {
        PartPlace::Named(name) => name.to_owned(),
        PartPlace::After(marker) => {
            let (_, behind) = text.split_once(marker)?;
            behind.chars().take_while(|c| is_of_name(*c)).collect()
        }
        PartPlace::Before(marker) => words(text.split_once(marker)?.0).pop()?,
        PartPlace::Address => {
            let cut = |word: String| word.trim_end_matches([':', ',']).to_owned();
            words(text).into_iter().map(cut).find(|word| is_address(word))?
        }
    };
    (!found.is_empty()).then_some(found)
}

/// `0000:01:00.0`.
fn is_address(word: &str) -> bool {
    let is_hex = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_hexdigit());
    let parts: Vec<&str> = word.split([':', '.']).collect();
    parts.len() == 4 && parts.iter().all(|part| is_hex(part)) && word.contains('.')
}

fn find(context: &CheckContext<'_>, since: &Since) -> Vec<model::Finding> {
    let Some(log) = log(context.host) else { return Vec::new() };
    let since_s = log.now_s - (log.unix_s - since.unix_s);
    // Each kind and part, with how many messages there were, and when the first and the last.
    let mut kinds: BTreeMap<(&str, &str), (u64, f64, f64)> = BTreeMap::new();
    for error in log.errors.iter().filter(|error| error.at_s >= since_s) {
        let part = (error.what.as_str(), error.part.as_str());
        let told = kinds.entry(part).or_insert((0, error.at_s, error.at_s));
        *told = (told.0 + 1, told.1, error.at_s);
    }
    let finding = |((what, part), (count, first, last)): ((&str, &str), (u64, f64, f64))| {
        let severity = if what == "throttled" { Severity::Note } else { Severity::Warning };
        condition(CODE, severity)
            .on(resource(what, part))
            .arg("what", what)
            .arg("part", clip(part))
            .arg("count", count)
            .arg("ago", log.now_s - last)
            .because(seen(CODE).arg("count", count).arg("first", log.now_s - first))
    };
    kinds.into_iter().map(finding).collect()
}

/// The part as the document names it.
fn resource(what: &str, part: &str) -> Resource {
    let kind = match what {
        "memory-error" => return Resource::MEMORY,
        "machine-check" | "lockup" | "throttled" => return Resource::CPUS,
        "link-error" | "link-retrained" => ResourceKind::Pci,
        "queue-stalled" => ResourceKind::Nic,
        _ => ResourceKind::Block,
    };
    Resource::of(kind, part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::since::errors_since;
    use crate::doctor::tests::{CheckResult, diagnose, written};
    use model::machine::Inventory;

    /// The kind and the part of a message of the kernel's, as the kernel words it.
    fn told(text: &str) -> Option<(String, String)> {
        let log = of_records([format!("4,7,5000000,-;{text}\n SUBSYSTEM=x\n").as_str()].into_iter());
        assert_eq!((log.oldest_s, log.is_cut), (5.0, true));
        log.errors.into_iter().next().map(|error| (error.what, error.part))
    }

    #[test]
    fn messages_of_the_kernel_are_known_by_kind_and_part() {
        for (text, what, part) in [
            ("mce: [Hardware Error]: Machine check events logged", "machine-check", "cpu"),
            ("EDAC MC0: 1 CE memory read error on CPU_SrcID#0 (channel:0 slot:0)", "memory-error", "MC0"),
            (
                "pcieport 0000:00:1c.0: PCIe Bus Error: severity=Corrected, type=Physical Layer, (Receiver ID)",
                "link-error",
                "0000:00:1c.0",
            ),
            (
                "pcieport 0000:00:1c.4: broken device, retraining non-functional downstream link at 2.5GT/s",
                "link-retrained",
                "0000:00:1c.4",
            ),
            ("I/O error, dev sda, sector 2048 op 0x0:(READ) flags 0x0", "drive-error", "sda"),
            ("blk_update_request: critical medium error, dev sdb, sector 9", "drive-error", "sdb"),
            ("ata1.00: failed command: READ FPDMA QUEUED", "drive-error", "ata1.00"),
            ("nvme nvme0: I/O tag 3 (1003) QID 3 timeout, aborting", "drive-reset", "nvme0"),
            ("nvme nvme1: controller is down; will reset: CSTS=0xffffffff", "drive-reset", "nvme1"),
            ("ata2: hard resetting link", "drive-reset", "ata2"),
            ("EXT4-fs error (device sda1): ext4_find_entry:1455: inode #2", "file-system-error", "sda1"),
            ("XFS (sdc): Corruption of in-memory data detected.", "file-system-error", "sdc"),
            ("BTRFS error (device sdd1 state EA): bdev /dev/sdd1 errs", "file-system-error", "sdd1"),
            // Bug: file systems on LVM, LUKS or md were passed over with their devices.
            ("XFS (dm-0): Corruption of in-memory data detected.", "file-system-error", "dm-0"),
            ("EXT4-fs error (device md127): ext4_lookup:1785: inode #2", "file-system-error", "md127"),
            ("NETDEV WATCHDOG: eth0 (e1000e): transmit queue 0 timed out", "queue-stalled", "eth0"),
            (
                "e1000e 0000:00:19.0 eth1: NETDEV WATCHDOG: CPU: 3: transmit queue 0 timed out 5000 ms",
                "queue-stalled",
                "eth1",
            ),
            ("watchdog: BUG: soft lockup - CPU#1 stuck for 22s!", "lockup", "cpu"),
            ("CPU0: Core temperature above threshold, cpu clock throttled", "throttled", "cpu"),
        ] {
            assert_eq!(told(text), Some((what.to_owned(), part.to_owned())), "{text}");
        }
        for other in [
            "I/O error, dev loop0, sector 0 op 0x0:(READ)",
            "I/O error, dev dm-3, sector 0",
            "I/O error, dev md0, sector 0",
            "EXT4-fs error (device loop3): ext4_lookup:1785: inode #2",
            "e1000e 0000:00:19.0 eth0: NIC Link is Up 1000 Mbps Full Duplex",
            "nvme nvme0: 8/0/0 default/read/poll queues",
            "",
        ] {
            assert_eq!(told(other), None, "{other}");
        }
    }

    #[test]
    fn what_others_write_into_the_log_does_not_count() {
        let kernel = "3,0,100,-;I/O error, dev sda, sector 1\n";
        let other = "30,1,200,-;I/O error, dev sda, sector 1\n";
        let log = of_records([kernel, other, "garbled", "x,y,z;w", ""].into_iter());
        assert_eq!((log.errors.len(), log.is_cut), (1, false));
    }

    const RECORDED: &str = "==> /probe/kernel-log\n{\"now_s\": 1000.0, \"unix_s\": 5000.0, \"oldest_s\": 200.0, \
        \"is_cut\": true, \"errors\": [{\"at_s\": 300.0, \"what\": \"drive-error\", \"part\": \"sda\"}, \
        {\"at_s\": 900.0, \"what\": \"drive-error\", \"part\": \"sda\"}, \
        {\"at_s\": 990.0, \"what\": \"drive-error\", \"part\": \"sda\"}]}\n";

    #[test]
    fn messages_since_a_moment_are_counted_and_how_far_the_log_reaches_is_told() {
        let report = |unix_s: f64| {
            let since = Since { unix_s, ..Since::default() };
            errors_since(&Host::parse(RECORDED), &Inventory::default(), &since)
        };
        let recent = report(4800.0);
        let text =
            "since that time the kernel's log tells of errors of drive sda: messages: 2, the last 10 s ago";
        assert_eq!(recent.findings.iter().map(|f| f.text.as_str()).collect::<Vec<_>>(), [text]);
        assert_eq!(recent.findings[0].resource, Some(Resource::from("block:sda")));
        assert_eq!(recent.sources.log, LogReach::Whole);
        assert_eq!(report(4000.0).sources.log, LogReach::Seconds(800.0));
        assert!(report(4995.0).findings.is_empty());
    }

    #[test]
    fn every_kind_has_words_and_none_is_told_unasked() {
        for pattern in PATTERNS {
            let finding = condition(CODE, Severity::Warning)
                .on(resource(pattern.what, "sda"))
                .arg("what", pattern.what)
                .arg("part", "sda")
                .arg("count", 3_u64)
                .arg("ago", 75.0)
                .because(seen(CODE).arg("count", 3_u64).arg("first", 90.0));
            assert!(written(finding).text.contains("messages: 3"), "{}", pattern.what);
        }
        assert_eq!(diagnose(&CHECK, RECORDED), CheckResult::nothing());
    }
}
