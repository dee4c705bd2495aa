//! For how long volumes of Amazon's block store (EBS) were asked for more than they, or
//! the instance, may have: the statistics that each volume keeps in a log page of its own
//! ("Amazon EBS detailed performance statistics", EBS User Guide; its layout is that of
//! the amzn plugin of nvme-cli). Only root may ask.

use std::collections::BTreeMap;
use std::fs::{File, Metadata};
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Duration;

use model::{Resource, ResourceKind, Unit};

use crate::Host;
use crate::nvme::{self, Question};
use crate::sampler::{Pace, SamplerColumn, SamplerKind, reader};

/// What the volumes call themselves, and the maker of their controllers (PCI).
const MODEL: &str = "Amazon Elastic Block Store";
const VENDOR: &str = "0x1d0f";
/// The log page, and what its first four bytes are.
const PAGE: u32 = 0xd0;
const MAGIC: u32 = 0x3c23_b510;
const PAGE_BYTES: usize = 4096;
/// A volume has one namespace.
const NAMESPACE: u32 = 1;
/// The kernel's own time: after one of ours it would reset a volume that is in use.
const COMMAND_MS: u32 = 0;
/// One that takes longer is not asked again: the others would wait for it.
const PATIENCE: Duration = Duration::from_millis(50);

/// The counters, in microseconds, and where they stand.
const COUNTERS: &[(&str, usize)] = &[
    ("ebs_volume_performance_exceeded_iops", 56),
    ("ebs_volume_performance_exceeded_tp", 64),
    ("ec2_instance_ebs_performance_exceeded_iops", 72),
    ("ec2_instance_ebs_performance_exceeded_tp", 80),
];

pub(super) const KIND: SamplerKind = SamplerKind {
    name: "ebs",
    doc: "how long volumes of Amazon's block store were asked for more than they or the instance may have",
    open: |host, scope| {
        let (mut volumes, mut columns) = (Vec::new(), Vec::new());
        for name in &scope.block {
            let Some(volume) = Volume::open(host, name) else { continue };
            let resource = Resource::of(ResourceKind::Block, name);
            let column = |(word, _): &(&'static str, usize)| {
                SamplerColumn::counter(resource.clone(), word, Unit::Seconds, 1e-6)
            };
            columns.extend(COUNTERS.iter().map(column));
            volumes.push(volume);
        }
        reader("NVMe log page D0h", Pace::Slow, columns, move |values| {
            for (volume, own) in volumes.iter_mut().zip(values.chunks_mut(COUNTERS.len())) {
                volume.read(own);
            }
        })
    },
};

/// What a volume counts, as [`COUNTERS`].
type Counts = [u64; COUNTERS.len()];

/// A volume that answers.
enum Volume {
    /// One of this machine.
    Live(Asker),
    /// One of a recording, with what it counted then.
    Recorded(Vec<u64>),
    /// One that did not answer, or became slow.
    Left,
}

impl Volume {
    fn open(host: &Host, name: &str) -> Option<Self> {
        if !is_volume(host, name) {
            return None;
        }
        let mut live = None;
        let ask = || -> Result<BTreeMap<String, u64>, String> {
            let asker = Asker::of(open(host, name)?)?;
            let counts = asker.counts().ok_or("no answer")?;
            live = Some(asker);
            Ok(COUNTERS.iter().zip(counts).map(|((word, _), count)| ((*word).to_owned(), count)).collect())
        };
        let answer = host.probe(&format!("ebs/{name}"), ask).ok()?;
        if let Some(asker) = live {
            return Some(Self::Live(asker));
        }
        let counts = COUNTERS.iter().map(|(word, _)| answer.get(*word).copied());
        Some(Self::Recorded(counts.collect::<Option<_>>()?))
    }

    fn read(&mut self, values: &mut [u64]) {
        match self {
            Self::Live(asker) => match asker.counts() {
                Some(counts) => values.copy_from_slice(&counts),
                None => *self = Self::Left,
            },
            Self::Recorded(counts) => values.copy_from_slice(counts),
            Self::Left => {}
        }
    }
}

/// Whether a device is a volume: by its name, its model and who made its controller.
fn is_volume(host: &Host, name: &str) -> bool {
    let has = |leaf: &str, word: &str| {
        host.word(format!("/sys/block/{name}/device/{leaf}")).is_some_and(|found| found == word)
    };
    name.starts_with("nvme") && has("model", MODEL) && has("device/vendor", VENDOR)
}

/// The device of this name: what stands in `/dev` may be another.
fn open(host: &Host, name: &str) -> Result<File, String> {
    let flags = rustix::fs::OFlags::NONBLOCK.bits();
    let drive = File::options().read(true).custom_flags(flags as i32).open(format!("/dev/{name}"));
    let drive = drive.map_err(|e| e.to_string())?;
    let metadata = drive.metadata().map_err(|e| e.to_string())?;
    if !metadata.file_type().is_block_device() || !is_numbered(&metadata, host, name) {
        return Err("another device".to_owned());
    }
    Ok(drive)
}

/// Whether a device file has the number of the block device of this name.
fn is_numbered(metadata: &Metadata, host: &Host, name: &str) -> bool {
    let number = metadata.rdev();
    let number = format!("{}:{}", rustix::fs::major(number), rustix::fs::minor(number));
    host.word(format!("/sys/block/{name}/dev")).is_some_and(|own| own == number)
}

/// A thread that asks one volume, and is left behind if it does not answer: a command
/// that was sent cannot be taken back, and who samples must not wait for it.
struct Asker {
    ask: SyncSender<()>,
    answer: Receiver<Option<Counts>>,
}

impl Asker {
    fn of(drive: File) -> Result<Self, String> {
        let (ask, asked) = sync_channel(1);
        let (send, answer) = sync_channel(1);
        // Nobody may be waiting any more.
        let work = move || while asked.recv().is_ok() && send.send(ask_volume(&drive)).is_ok() {};
        let thread = std::thread::Builder::new().name("ebs".to_owned()).spawn(work);
        thread.map(|_| Self { ask, answer }).map_err(|e| e.to_string())
    }

    /// What the volume counts now, if it says so in time.
    fn counts(&self) -> Option<Counts> {
        self.ask.try_send(()).ok()?;
        self.answer.recv_timeout(PATIENCE).ok()?
    }
}

fn ask_volume(drive: &File) -> Option<Counts> {
    let mut page = [0; PAGE_BYTES];
    let question = Question::log_page(PAGE, NAMESPACE, page.len(), 0);
    nvme::read(drive, question, COMMAND_MS, &mut page).ok()?;
    counts(&page)
}

/// The counters of a page; none of one that has another beginning.
fn counts(page: &[u8]) -> Option<Counts> {
    if u32::from_le_bytes(*page.first_chunk()?) != MAGIC {
        return None;
    }
    let mut counts = [0; COUNTERS.len()];
    for (count, (_, at)) in counts.iter_mut().zip(COUNTERS) {
        *count = u64::from_le_bytes(*page.get(*at..)?.first_chunk()?);
    }
    Some(counts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampler::{ABSENT, Scope};

    #[test]
    fn the_counters_stand_behind_those_of_what_was_done() {
        let mut page = vec![0_u8; PAGE_BYTES];
        page[..4].copy_from_slice(&MAGIC.to_le_bytes());
        // Operations, bytes and times of reads and writes, then the four; the queue after them.
        for (number, at) in (1_u64..).zip((8..96).step_by(8)) {
            page[at..at + 8].copy_from_slice(&number.to_le_bytes());
        }
        assert_eq!(counts(&page), Some([7, 8, 9, 10]));
        assert_eq!(counts(&page[..80]), None);
        page[0] = 0;
        assert_eq!(counts(&page), None, "another page");
        assert_eq!(counts(&[]), None);
    }

    /// A recorded disk of this model, behind a controller of this maker.
    fn recorded(name: &str, model: &str, vendor: &str) -> String {
        format!(
            "==> /sys/block/{name}/device/model\n{model}              \n\
             ==> /sys/block/{name}/device/device/vendor\n{vendor}\n\
             ==> /probe/ebs/{name}\n{{\"ebs_volume_performance_exceeded_iops\": 912033, \
             \"ebs_volume_performance_exceeded_tp\": 0, \"ec2_instance_ebs_performance_exceeded_iops\": 0, \
             \"ec2_instance_ebs_performance_exceeded_tp\": 41203}}\n"
        )
    }

    #[test]
    fn a_recorded_volume_has_what_it_counted_and_other_disks_have_nothing() {
        let text = [
            recorded("nvme0n1", MODEL, "0x1d0f"),
            recorded("nvme1n1", "Amazon EC2 NVMe Instance Storage", "0x1d0f"),
            recorded("nvme2n1", MODEL, "0x144d"),
            recorded("sda", MODEL, "0x1d0f"),
        ];
        let host = Host::parse(&text.concat());
        let block = ["nvme0n1", "nvme1n1", "nvme2n1", "sda", "sdb"].map(str::to_owned).to_vec();
        let mut all = (KIND.open)(&host, &Scope { block, ..Scope::default() });
        let mut values = [ABSENT; 4];
        all[0].read(&mut values);
        assert_eq!((all.len(), values), (1, [912_033, 0, 0, 41_203]));
        let column = &all[0].columns()[0];
        assert_eq!((column.resource.as_str(), column.value(912_033)), ("block:nvme0n1", Some(0.912_033)));
    }

    /// `/dev/null` is 1:3 (`Documentation/admin-guide/devices.txt`).
    #[test]
    fn a_device_file_is_opened_by_its_number() {
        let null = File::open("/dev/null").unwrap().metadata().unwrap();
        let is = |number: &str| {
            let host = Host::parse(&format!("==> /sys/block/null/dev\n{number}\n"));
            is_numbered(&null, &host, "null")
        };
        assert!(is("1:3") && !is("1:5") && !is("3:1") && !is(""));
        let host = Host::parse("==> /sys/block/null/dev\n1:3\n");
        assert_eq!(open(&host, "null").unwrap_err(), "another device", "no block device");
    }

    #[test]
    fn who_does_not_answer_is_left() {
        let asker = Asker::of(File::open("/dev/null").unwrap()).unwrap();
        assert_eq!(asker.counts(), None);
        let mut volume = Volume::Live(asker);
        let mut values = [ABSENT; 4];
        volume.read(&mut values);
        assert!(matches!(volume, Volume::Left) && values == [ABSENT; 4]);
    }
}
