//! zram devices: memory in which data lie compressed. They bear no name: one of ours is known by its limit of memory, which
//! is a random number far beyond any memory (`Documentation/admin-guide/blockdev/zram.rst`).

use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use engine::fault::Fault;
use model::parameter::{Kind, ParameterSpec, Word};
use model::stack::{LayerRole, LayerSpec};

use crate::workload::disk::stack::command::Commands;
use crate::workload::disk::stack::ground::GroundOptions;
use crate::workload::disk::stack::kernel::MODPROBE;
use crate::workload::disk::stack::random;
use crate::workload::disk::stack::record::LayerRecord;

pub(super) const SPEC: LayerSpec = LayerSpec {
    name: "zram",
    role: LayerRole::Ground,
    devices: (1, 26),
    beside: None,
    options: &[ParameterSpec::new(
        "algorithm",
        Kind::Choice,
        "How what is written is compressed, where the kernel has that; as the kernel prefers without it.",
    )
    .words(&[
        Word { word: "lzo-rle", doc: "by LZO, with runs of zeros apart" },
        Word { word: "lzo", doc: "by LZO" },
        Word { word: "lz4", doc: "by LZ4" },
        Word { word: "zstd", doc: "by Zstandard" },
    ])],
    doc: "zram devices, memory in which data lie compressed; the target has nothing of it",
};

/// Where devices are made and removed.
const CONTROL: &str = "/sys/class/zram-control";
/// What is told of the making of one.
const ZRAM_DEVICE: &str = "zram-device";
/// How long what looks at new devices may hold one.
const BUSY: Duration = Duration::from_secs(10);
/// The limit of one of ours, in pages, without its mark: no machine has so many.
const LIMIT_PAGES: u64 = 1 << 40;

/// Whether the kernel has them ready.
pub(super) fn is_ready() -> bool {
    Path::new(CONTROL).exists()
}

/// A new mark, which nobody else's has.
pub(super) fn mark() -> Result<String, Fault> {
    Ok(random::digits(&random::bytes::<4>()?))
}

/// The limit of memory of the one with this mark, in bytes.
fn limit(mark: &str) -> Option<u64> {
    let mark = u32::from_str_radix(mark, 16).ok()?;
    Some((LIMIT_PAGES + u64::from(mark)) * rustix::param::page_size() as u64)
}

/// The limit of memory in a `mm_stat` (zram.rst: the fourth of its numbers).
fn limit_of(mm_stat: &str) -> Option<u64> {
    mm_stat.split_whitespace().nth(3)?.parse().ok()
}

/// The number of the one with this mark.
fn find(mark: &str) -> Option<String> {
    let wanted = limit(mark)?;
    let entries = fs::read_dir("/sys/block").ok()?;
    entries.flatten().find_map(|entry| {
        let number = entry.file_name().to_str()?.strip_prefix("zram")?.to_owned();
        let stat = fs::read_to_string(entry.path().join("mm_stat")).ok()?;
        (limit_of(&stat)? == wanted).then_some(number)
    })
}

/// Makes one with this mark; its node. What is there after an error, [`take_down`] removes.
pub(super) fn make(
    mark: &str,
    options: &GroundOptions,
    commands: &mut Commands<'_>,
) -> Result<PathBuf, Fault> {
    if !is_ready() {
        // Without a device of its own, which would be nobody's.
        commands.run(&MODPROBE, &["zram", "num_devices=0"])?;
    }
    let begin = Instant::now();
    let missing = || Fault::Other(format!("`{mark}` is no mark of a zram device"));
    let limit = limit(mark).ok_or_else(missing)?;
    let (add, remove) = (Path::new(CONTROL).join("hot_add"), Path::new(CONTROL).join("hot_remove"));
    // Reading the one makes a device: not before it is sure that it can be removed.
    OpenOptions::new()
        .write(true)
        .open(&remove)
        .map_err(|e| Fault::system(format!("opening {}", remove.display()), e))?;
    let number =
        fs::read_to_string(&add).map_err(|e| Fault::system(format!("reading {}", add.display()), e))?;
    let name = format!("zram{}", number.trim());
    let folder = Path::new("/sys/block").join(&name);
    let write = |file: &str, text: &str| {
        let path = folder.join(file);
        fs::write(&path, text).map_err(|e| Fault::system(format!("writing {text} to {}", path.display()), e))
    };
    // From here on it is known as ours; without that nobody would find it.
    if let Err(fault) = write("mem_limit", &limit.to_string()) {
        let _ = fs::write(&remove, number.trim());
        return Err(fault);
    }
    if let Some(algorithm) = &options.algorithm {
        write("comp_algorithm", algorithm)?;
    }
    write("disksize", &options.devices.bytes.to_string())?;
    commands.note(ZRAM_DEVICE.to_owned(), begin.elapsed());
    Ok(Path::new("/dev").join(name))
}

/// Removes the one that a record says, if it is there. Whether it was.
pub(super) fn take_down(record: &LayerRecord, commands: &mut Commands<'_>) -> Result<bool, Fault> {
    let (mut was_there, mut last) = (false, None);
    let gone = commands.wait_until(BUSY, || match find(&record.uuid) {
        Some(number) => {
            was_there = true;
            last = fs::write(Path::new(CONTROL).join("hot_remove"), &number).err();
            false
        }
        None => true,
    })?;
    match last {
        Some(error) if !gone => {
            Err(Fault::system(format!("removing the zram device of {}", record.name), error))
        }
        _ => Ok(was_there),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::disk::stack::loop_device::LoopOptions;

    fn record(mark: &str) -> LayerRecord {
        LayerRecord {
            kind: SPEC.name.to_owned(),
            name: "headroom_00000000000000ab_a".to_owned(),
            uuid: mark.to_owned(),
            below: Vec::new(),
            beside: None,
            on_devices: false,
            place: None,
            access: None,
        }
    }

    #[test]
    fn a_limit_has_the_mark_in_it() {
        let page = rustix::param::page_size() as u64;
        assert_eq!(limit("00000001"), Some(((1 << 40) + 1) * page));
        assert_eq!(limit("no mark"), None);
        let stat = "       0        0        0 4503599627374592        0        0\n";
        assert_eq!(limit_of(stat), Some(4_503_599_627_374_592));
        assert_eq!(limit_of("1 2 3"), None);
        assert_ne!(mark().unwrap(), mark().unwrap());
    }

    #[test]
    fn a_device_is_known_by_its_mark_and_removed() {
        if !is_ready() || !rustix::process::geteuid().is_root() {
            assert!(std::env::var_os("CI").is_none(), "in CI nothing is skipped");
            println!("skipped: no zram device can be made here");
            return;
        }
        let devices = LoopOptions { bytes: 16 << 20, direct_io: true, allocated: false, partitions: false };
        let options = GroundOptions { devices, algorithm: None };
        let mark = mark().unwrap();
        let mut always = || true;
        let mut commands = Commands::new(&mut always);
        let made = make(&mark, &options, &mut commands).unwrap();
        let found = |mark: &str| find(mark).map(|number| PathBuf::from(format!("/dev/zram{number}")));
        assert_eq!(found(&mark), Some(made));
        assert!(!take_down(&record("ffffffff"), &mut commands).unwrap(), "another mark");
        assert!(found(&mark).is_some());
        assert!(take_down(&record(&mark), &mut commands).unwrap());
        assert_eq!(find(&mark), None);
        assert!(!take_down(&record(&mark), &mut commands).unwrap());
    }
}
