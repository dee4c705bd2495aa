//! What drives say of their own health: asked of NVMe and SATA drives with
//! commands that only read and that wake no drive from standby. Identities
//! that come with the answers are not kept.
//!
//! Each drive is asked on a thread of its own, for one that is busy or broken
//! may take seconds, and nobody waits for the thread if it does: a command that
//! has been sent cannot be taken back without resetting the drive. Not even the
//! end of the process ends it: who waits for that waits for the command.

mod ata;
mod nvme;

use std::collections::BTreeMap;
use std::fs::File;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use model::machine::{Absent, BlockDevice, BlockKind, Inventory};
use serde::{Deserialize, Serialize};

use crate::Host;
use crate::inventory::runtime_pm;

/// How long all drives together may take, from the question on. A healthy one
/// answers within milliseconds; a hard disk that seeks, within 100.
const TIME: Duration = Duration::from_millis(350);
/// What the kernel is told to wait for one command, in milliseconds. When it is
/// over the kernel resets the drive, so it is far more than a drive under load
/// takes; but it also holds up the end of this process, so it is not the 60
/// seconds of smartmontools.
const COMMAND_MS: u32 = 5_000;
/// How many drives are asked.
const DRIVES_MAX: usize = 256;

/// What one drive says.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Smart {
    /// `nvme` or `ata`.
    pub(crate) kind: String,
    /// How warm it is, degrees Celsius.
    pub(crate) temperature_c: Option<f64>,
    /// From which temperature on it warns (NVMe).
    pub(crate) warning_c: Option<f64>,
    /// At which temperature it must not be (NVMe).
    pub(crate) critical_c: Option<f64>,
    /// How much of its life is used, per cent; may be over 100 (NVMe).
    pub(crate) percentage_used: Option<u32>,
    /// What is left of its spare blocks, per cent (NVMe).
    pub(crate) available_spare: Option<u32>,
    /// Below what the spare is too little, per cent (NVMe).
    pub(crate) spare_threshold: Option<u32>,
    /// Bits of what is wrong (NVMe).
    pub(crate) critical_warning: Option<u32>,
    /// Errors that could not be corrected (NVMe).
    pub(crate) media_errors: Option<u64>,
    /// How far a self-test that runs is: `running 40 %`.
    pub(crate) self_test: Option<String>,
    /// The fastest link that it can, bits per second (ATA).
    pub(crate) link_max_bits: Option<u64>,
    /// Attributes that makers use for wear, by number. What they mean differs
    /// from maker to maker, so they are kept as they are (ATA).
    pub(crate) wear: BTreeMap<String, Attribute>,
    /// What it counts of bad sectors and of broken transfers (ATA).
    pub(crate) errors: BTreeMap<String, u64>,
}

/// One attribute of an ATA drive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Attribute {
    /// The normalised value.
    pub(crate) value: u32,
    /// The raw value.
    pub(crate) raw: u64,
}

/// What drives answered, by name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answers(BTreeMap<String, Result<Smart, Absent>>);

impl Answers {
    /// What drive `name` says.
    pub(crate) fn of(&self, name: &str) -> Option<&Smart> {
        self.0.get(name)?.as_ref().ok()
    }

    /// All drives that answered.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&str, &Smart)> {
        self.0.iter().filter_map(|(name, answer)| Some((name.as_str(), answer.as_ref().ok()?)))
    }

    /// Drives that we may not ask.
    pub(crate) fn denied(&self) -> impl Iterator<Item = &str> {
        let is_denied = |a: &Result<Smart, Absent>| matches!(a, Err(a) if a.reason == DENIED);
        self.0.iter().filter(move |(_, a)| is_denied(a)).map(|(name, _)| name.as_str())
    }
}

/// The reason why a drive was not asked.
const DENIED: &str = "permission denied";

/// Where an answer will come from.
type Pending = Receiver<Result<Smart, String>>;

/// Questions that are under way.
#[derive(Debug)]
pub(crate) struct Questions {
    asked: Instant,
    /// Each with its answer to come, or why it was not asked.
    drives: Vec<(String, Result<Pending, String>)>,
}

/// Asks all drives of `inventory` that can be.
pub(crate) fn ask(host: &Host, inventory: &Inventory) -> Questions {
    let is_asked = |d: &&BlockDevice| {
        d.kind == BlockKind::Disk && matches!(d.transport.as_deref(), Some("nvme" | "sata"))
    };
    let drives = inventory.block.iter().filter(is_asked).take(DRIVES_MAX);
    // Opening a disk that the kernel has put to sleep would wake it.
    let question = |d: &BlockDevice| match runtime_pm::refuses(host, &format!("/sys/block/{}/device", d.name))
    {
        Some(reason) => Err(reason),
        None if host.is_this() => Ok(send(d)),
        None => Err("recorded".to_owned()),
    };
    let drives = drives.map(|d| (d.name.clone(), question(d)));
    Questions { asked: Instant::now(), drives: drives.collect() }
}

fn send(drive: &BlockDevice) -> Pending {
    let (sender, receiver) = channel();
    let (name, is_nvme) = (drive.name.clone(), drive.transport.as_deref() == Some("nvme"));
    // Names of SCSI disks with a slash in them have an exclamation mark in sysfs.
    let path = format!("/dev/{}", name.replace('!', "/"));
    let question = move || {
        let answer = open(&path).and_then(|drive| if is_nvme { nvme::ask(&drive) } else { ata::ask(&drive) });
        // Nobody may be waiting any more.
        let _ = sender.send(answer);
    };
    // A thread that cannot be made drops the sender: the answer is absent.
    let _ = std::thread::Builder::new().name("smart".to_owned()).spawn(question);
    receiver
}

fn open(path: &str) -> Result<File, String> {
    use std::os::unix::fs::OpenOptionsExt;
    let flags = rustix::fs::OFlags::NONBLOCK.bits();
    let file = File::options().read(true).custom_flags(flags as i32).open(path);
    file.map_err(|e| rustix::io::Errno::from_io_error(&e).map_or_else(|| e.to_string(), reason_of))
}

fn reason_of(error: rustix::io::Errno) -> String {
    use rustix::io::Errno;
    match error {
        Errno::ACCESS | Errno::PERM => DENIED.to_owned(),
        Errno::NOTTY | Errno::INVAL | Errno::OPNOTSUPP => "not supported".to_owned(),
        other => std::io::Error::from(other).to_string(),
    }
}

impl Questions {
    /// What came back in time.
    pub(crate) fn answers(self, host: &Host) -> Answers {
        let asked = self.asked;
        let answer = |(name, receiver): (String, Result<Pending, String>)| {
            let answer = host.probe(&format!("smart/{name}"), || {
                let receiver = receiver?;
                let left = TIME.saturating_sub(asked.elapsed());
                receiver.recv_timeout(left).unwrap_or_else(|_| Err("no answer in time".to_owned()))
            });
            (name, answer)
        };
        Answers(self.drives.into_iter().map(answer).collect())
    }
}

/// A number of `N` bytes, the lowest first.
fn little_endian<const N: usize>(page: &[u8], at: usize) -> Option<u64> {
    let bytes = page.get(at..at.checked_add(N)?)?;
    Some(bytes.iter().rev().fold(0u64, |n, b| (n << 8) | u64::from(*b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recorded_drive_answers_and_others_are_left_alone() {
        let disk = |name: &str, transport: &str| BlockDevice {
            name: name.to_owned(),
            transport: Some(transport.to_owned()),
            ..BlockDevice::default()
        };
        let inventory = Inventory {
            block: vec![
                disk("nvme0n1", "nvme"),
                disk("sda", "sata"),
                disk("sdb", "usb"),
                disk("vda", "virtio"),
            ],
            ..Inventory::default()
        };
        let host = Host::parse(
            "==> /probe/smart/nvme0n1\n{\"kind\": \"nvme\", \"temperature_c\": 41.0}\n\
             ==> /probe/smart/sda !permission denied\n==> /probe/smart/vda\n{}\n",
        );
        let answers = ask(&host, &inventory).answers(&host);
        assert_eq!(answers.of("nvme0n1").unwrap().temperature_c, Some(41.0));
        assert_eq!(answers.denied().collect::<Vec<_>>(), ["sda"]);
        assert_eq!(answers.all().count(), 1);
        assert_eq!(answers.0.len(), 2);
    }

    #[test]
    fn a_drive_that_is_not_there_says_so_and_takes_no_time() {
        let name = "headroom-no-such-drive".to_owned();
        let disk = BlockDevice { name, transport: Some("nvme".to_owned()), ..BlockDevice::default() };
        let inventory = Inventory { block: vec![disk], ..Inventory::default() };
        let host = Host::this();
        let answers = ask(&host, &inventory).answers(&host);
        assert_eq!(answers.all().count(), 0);
        let reason = &answers.0["headroom-no-such-drive"].as_ref().unwrap_err().reason;
        assert!(reason.contains("No such file"), "{reason}");
    }
}
