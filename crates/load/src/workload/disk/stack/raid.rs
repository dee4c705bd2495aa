//! Arrays of md by mdadm(8). An array is known by its UUID, whatever number the kernel gives it.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use engine::fault::Fault;
use model::parameter::{Kind, ParameterSpec, Word};
use model::stack::{LayerRole, LayerSpec, StackLayer};
use model::value::Value;

use crate::workload::disk::stack::command::{Commands, Program};
use crate::workload::disk::stack::kernel::KernelPart;
use crate::workload::disk::stack::md::{self, MdFolder, SyncSpeeds};
use crate::workload::disk::stack::record::LayerRecord;
use crate::workload::disk::stack::write_hole::{self, JOURNAL, JOURNAL_MODE, PARTIAL_PARITY_LOG};
use crate::workload::disk::stack::{BuildSite, LayerKind, random};
use crate::workload::named;

pub(super) const MDADM: Program = Program { name: "mdadm", package: "mdadm", version: &["--version"] };

/// How long what looks at new devices may hold one.
const BUSY: Duration = Duration::from_secs(10);
/// What is told of the time until all members agree.
const INITIAL_SYNC: &str = "initial-sync";

/// The levels, as arrays of each are made.
#[derive(Debug)]
pub(super) struct Raid {
    pub(super) spec: &'static LayerSpec,
    /// As mdadm calls it.
    level: &'static str,
    kernel: &'static [KernelPart],
    /// How many of so many members hold data.
    data_members: fn(u64) -> u64,
}

const CHUNK: ParameterSpec =
    ParameterSpec::new("chunk", Kind::Size, "Bytes on one member before the next; 512 KiB without it.");
const BITMAP: ParameterSpec =
    ParameterSpec::new("bitmap", Kind::Choice, "The write-intent bitmap.").default("none").words(&[
        Word { word: "none", doc: "there is none" },
        Word { word: "internal", doc: "with the superblocks, on each member" },
    ]);
const ASSUME_CLEAN: ParameterSpec = ParameterSpec::new(
    "assume-clean",
    Kind::Flag,
    "Whether the members are taken to agree: then nothing is synchronised at first. New files do, as they are zeros.",
)
.default("no");
const STRIPE_CACHE: ParameterSpec =
    ParameterSpec::new("stripe-cache", Kind::Count, "Stripes that are kept in memory; 256 without it.");
const THREADS: ParameterSpec = ParameterSpec::new(
    "group-threads",
    Kind::Count,
    "Threads that compute parity beside the array's own; 0 without it, which leaves all to one.",
)
.or_zero();
const SPARES: ParameterSpec = ParameterSpec::new(
    "spares",
    Kind::Count,
    "How many of its devices, the last ones, are spares: they hold nothing until a member fails or the array grows.",
)
.default("0")
.or_zero();
const SPEED_MIN: ParameterSpec = ParameterSpec::new(
    "sync-speed-min",
    Kind::Size,
    "Bytes per second that a synchronisation takes of each member beside other work, at least; what the machine sets without it.",
);
const SPEED_MAX: ParameterSpec = ParameterSpec::new(
    "sync-speed-max",
    Kind::Size,
    "Bytes per second that a synchronisation takes of each member at most; what the machine sets without it.",
);
const LAYOUT: ParameterSpec =
    ParameterSpec::new("layout", Kind::Choice, "Where the two copies lie.").default("near").words(&[
        Word { word: "near", doc: "at the same place of two members" },
        Word { word: "far", doc: "far apart, which reads as fast as stripes" },
        Word { word: "offset", doc: "one stripe further" },
    ]);

const PARITY_LAYOUT: ParameterSpec = ParameterSpec::new("layout", Kind::Choice, "Where parity and data lie.")
    .default("left-symmetric")
    .words(&[
        Word { word: "left-symmetric", doc: "parity goes to the left, and data follow it" },
        Word { word: "left-asymmetric", doc: "parity goes to the left, and data begin at the first member" },
        Word { word: "right-symmetric", doc: "parity goes to the right, and data follow it" },
        Word {
            word: "right-asymmetric",
            doc: "parity goes to the right, and data begin at the first member",
        },
    ]);

/// The smallest and the most of members that a stack can name.
const MOST: usize = 26;

pub(super) const RAID0: Raid = Raid {
    spec: &LayerSpec {
        name: "raid0",
        role: LayerRole::Device,
        devices: (2, MOST),
        beside: None,
        options: &[CHUNK],
        doc: "an array of md, striped",
    },
    level: "0",
    kernel: &[KernelPart::Array("raid0", "raid0")],
    data_members: |members| members,
};

pub(super) const RAID1: Raid = Raid {
    spec: &LayerSpec {
        name: "raid1",
        role: LayerRole::Device,
        devices: (2, MOST),
        beside: None,
        options: &[BITMAP, ASSUME_CLEAN, SPARES, SPEED_MIN, SPEED_MAX],
        doc: "an array of md, mirrored",
    },
    level: "1",
    kernel: &[KernelPart::Array("raid1", "raid1")],
    data_members: |_| 1,
};

pub(super) const RAID10: Raid = Raid {
    spec: &LayerSpec {
        name: "raid10",
        role: LayerRole::Device,
        devices: (2, MOST),
        beside: None,
        options: &[CHUNK, LAYOUT, BITMAP, ASSUME_CLEAN, SPARES, SPEED_MIN, SPEED_MAX],
        doc: "an array of md, striped over two copies",
    },
    level: "10",
    kernel: &[KernelPart::Array("raid10", "raid10")],
    data_members: |members| members / 2,
};

pub(super) const RAID5: Raid = Raid {
    spec: &LayerSpec {
        name: "raid5",
        role: LayerRole::Device,
        devices: (3, MOST),
        beside: JOURNAL,
        options: &[
            CHUNK,
            PARITY_LAYOUT,
            BITMAP,
            JOURNAL_MODE,
            PARTIAL_PARITY_LOG,
            ASSUME_CLEAN,
            STRIPE_CACHE,
            THREADS,
            SPARES,
            SPEED_MIN,
            SPEED_MAX,
        ],
        doc: "an array of md with one member of parity",
    },
    level: "5",
    kernel: &[KernelPart::Array("raid5", "raid456")],
    data_members: |members| members.saturating_sub(1),
};

pub(super) const RAID6: Raid = Raid {
    spec: &LayerSpec {
        name: "raid6",
        role: LayerRole::Device,
        devices: (4, MOST),
        beside: JOURNAL,
        options: &[
            CHUNK,
            PARITY_LAYOUT,
            BITMAP,
            JOURNAL_MODE,
            ASSUME_CLEAN,
            STRIPE_CACHE,
            THREADS,
            SPARES,
            SPEED_MIN,
            SPEED_MAX,
        ],
        doc: "an array of md with two members of parity",
    },
    level: "6",
    kernel: &[KernelPart::Array("raid6", "raid456")],
    data_members: |members| members.saturating_sub(2),
};

pub(super) const LINEAR: Raid = Raid {
    spec: &LayerSpec {
        name: "linear",
        role: LayerRole::Device,
        devices: (2, MOST),
        beside: None,
        options: &[],
        doc: "an array of md, one member behind the other",
    },
    level: "linear",
    kernel: &[KernelPart::Array("linear", "md-linear")],
    data_members: |members| members,
};

/// Whether arrays of this kind keep their data when a member fails.
pub(super) fn is_redundant(kind: &str) -> bool {
    [RAID1, RAID10, RAID5, RAID6].iter().any(|raid| raid.spec.name == kind)
}

/// Whether arrays of this kind are given more members while they are used.
pub(super) fn grows(kind: &str) -> bool {
    [RAID5, RAID6].iter().any(|raid| raid.spec.name == kind)
}

/// How many of the devices of a layer are spares.
pub(super) fn spares(layer: &StackLayer) -> usize {
    match layer.option(SPARES.name) {
        Some(Value::Integer(count)) => usize::try_from(count).unwrap_or(usize::MAX),
        _ => 0,
    }
}

/// Bytes per second of each member at which a layer may be synchronised, where that was asked for.
pub(super) fn speed_most(layer: &StackLayer) -> Option<u64> {
    match layer.options.get(SPEED_MAX.name) {
        Some(Value::Integer(bytes_per_s)) => Some(*bytes_per_s),
        _ => None,
    }
}

impl LayerKind for Raid {
    fn spec(&self) -> &'static LayerSpec {
        self.spec
    }

    fn programs(&self) -> &'static [Program] {
        &[MDADM]
    }

    fn kernel(&self) -> &'static [KernelPart] {
        self.kernel
    }

    /// The superblock, a bitmap and room for a reshape lie before the data: up to 128 MiB of a large member.
    fn capacity(&self, layer: &StackLayer, below: &[u64]) -> u64 {
        let members = below.len().saturating_sub(spares(layer)) as u64;
        let least = below.iter().copied().min().unwrap_or(0);
        let each = (least / 100 * 95).max(least.saturating_sub(129 << 20));
        each.saturating_mul((self.data_members)(members))
    }

    fn refuses(&self, layer: &StackLayer) -> Option<String> {
        if let Some(why) = write_hole::refuses(layer) {
            return Some(why);
        }
        let Some(Value::Integer(chunk)) = layer.option(CHUNK.name) else { return None };
        // Only without copies and parity any number of pages will do (md(4)).
        let (is_good, wanted) = match self.level {
            "0" => (chunk.is_multiple_of(4096), "multiple of 4 KiB"),
            _ => (chunk.is_power_of_two(), "power of two"),
        };
        (!is_good || chunk < 4096).then(|| format!("chunk={chunk} is no {wanted} from 4 KiB"))
    }

    fn make(&self, site: &mut BuildSite<'_, '_>) -> Result<PathBuf, Fault> {
        let LayerRecord { name, uuid, .. } = site.record;
        let devices: Vec<String> = site.devices()?.into_iter().map(str::to_owned).collect();
        let mut words = self.create_words(site.layer, name, uuid, &devices);
        words.extend(site.beside()?.map(|journal| format!("--write-journal={journal}")));
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        site.commands.run(&MDADM, &words)?;
        let begin = Instant::now();
        let missing = || Fault::Other(format!("the array {name} was made and is not there"));
        let array = find(uuid, site.commands).ok_or_else(missing)?;
        let md = MdFolder::of(&array);
        set_options(site.layer, &md)?;
        let bytes = md.wait_until_whole(begin, site.commands)?;
        write_hole::set_journal_mode(site.layer, &md)?;
        // Levels without copies have nothing to synchronise.
        if md.has_copies() {
            let is_clean = site.layer.option(named("assume-clean")) == Some(Value::Bool(true));
            let took = begin.elapsed();
            if !is_clean {
                site.commands.note(INITIAL_SYNC.to_owned(), took);
            }
            let rate = |bytes: u64| bytes as f64 / took.as_secs_f64();
            let initial = bytes.filter(|_| !is_clean && !took.is_zero()).map(rate);
            site.commands.note_speeds(SyncSpeeds { initial, ..md.speeds() });
        }
        Ok(array)
    }

    fn take_down(&self, record: &LayerRecord, commands: &mut Commands<'_>) -> Result<bool, Fault> {
        let found = find(&record.uuid, commands);
        if let Some(array) = &found {
            let path = text(array)?;
            commands.run_until_done(BUSY, &MDADM, &["--quiet", "--stop", path])?;
        }
        // Without udev nobody else removes the link.
        let link = link(&record.name);
        if link.symlink_metadata().is_ok_and(|m| m.is_symlink()) {
            let _ = fs::remove_file(&link);
        }
        if record.on_devices {
            // Or the next start of the machine would assemble it.
            for device in record.devices() {
                let said = commands.ask(&MDADM, &["--examine", "--export", device]);
                if said.is_some_and(|said| has_uuid(&said, &record.uuid)) {
                    commands.run(&MDADM, &["--quiet", "--zero-superblock", device])?;
                }
            }
        }
        Ok(found.is_some())
    }
}

impl Raid {
    fn create_words(&self, layer: &StackLayer, name: &str, uuid: &str, devices: &[String]) -> Vec<String> {
        let option = |name: &'static str| layer.option(named(name));
        let mut words = vec![
            "--create".to_owned(),
            link(name).to_string_lossy().into_owned(),
            "--quiet".to_owned(),
            "--run".to_owned(),
            "--metadata=1.2".to_owned(),
            format!("--level={}", self.level),
            format!("--name={name}"),
            format!("--uuid={}", array_uuid(uuid)),
            format!("--raid-devices={}", devices.len().saturating_sub(spares(layer))),
        ];
        if spares(layer) > 0 {
            words.push(format!("--spare-devices={}", spares(layer)));
        }
        if let Some(Value::Integer(bytes)) = option("chunk") {
            // mdadm's own unit is the kibibyte.
            words.push(format!("--chunk={}K", bytes / 1024));
        }
        if let Some(Value::Text(word)) = option("layout") {
            // Of two copies mdadm wants to know how many, and the first letter.
            words.push(match word.as_str() {
                "near" | "far" | "offset" => format!("--layout={}2", &word[..1]),
                parity => format!("--layout={parity}"),
            });
        }
        words.extend(write_hole::word(layer));
        if option("assume-clean") == Some(Value::Bool(true)) {
            words.push("--assume-clean".to_owned());
        }
        words.extend_from_slice(devices);
        words
    }
}

/// Tells an array what was asked of it and is no word of mdadm's.
fn set_options(layer: &StackLayer, md: &MdFolder) -> Result<(), Fault> {
    let count: fn(u64) -> String = |count| count.to_string();
    let speed: fn(u64) -> String = md::written_speed;
    for (option, file, written) in [
        (STRIPE_CACHE.name, "stripe_cache_size", count),
        (THREADS.name, "group_thread_cnt", count),
        (SPEED_MIN.name, "sync_speed_min", speed),
        (SPEED_MAX.name, "sync_speed_max", speed),
    ] {
        if let Some(Value::Integer(asked)) = layer.options.get(option) {
            let text = written(*asked);
            md.write(file, &text)
                .map_err(|e| Fault::system(format!("writing {text} to {}", md.file(file).display()), e))?;
        }
    }
    Ok(())
}

/// The link to the array that mdadm makes.
fn link(name: &str) -> PathBuf {
    Path::new("/dev/md").join(name)
}

fn text(path: &Path) -> Result<&str, Fault> {
    path.to_str().ok_or_else(|| Fault::Other(format!("{} is no name of an array", path.display())))
}

/// A UUID as mdadm writes it: four words of eight digits.
fn array_uuid(uuid: &str) -> String {
    let all = random::bare(uuid);
    all.as_bytes()
        .chunks(8)
        .map(|word| String::from_utf8_lossy(word).into_owned())
        .collect::<Vec<_>>()
        .join(":")
}

/// Whether mdadm says that what it was asked about has this UUID.
pub(super) fn has_uuid(said: &str, uuid: &str) -> bool {
    let wanted = format!("MD_UUID={}", array_uuid(uuid));
    said.lines().any(|line| line.trim() == wanted)
}

/// The array that has this UUID.
pub(super) fn find(uuid: &str, commands: &mut Commands<'_>) -> Option<PathBuf> {
    let entries = fs::read_dir("/sys/block").ok()?;
    let arrays = entries.flatten().filter(|entry| entry.path().join("md").is_dir());
    let mut paths = arrays.map(|entry| Path::new("/dev").join(entry.file_name()));
    paths.find(|path| {
        let said = path.to_str().and_then(|path| commands.ask(&MDADM, &["--detail", "--export", path]));
        said.is_some_and(|said| has_uuid(&said, uuid))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Parameters;

    const UUID: &str = "01234567-89ab-cdef-0123-456789abcdef";

    #[test]
    fn an_array_is_known_by_the_uuid_that_mdadm_writes() {
        let said = "MD_LEVEL=raid6\nMD_UUID=01234567:89abcdef:01234567:89abcdef\nMD_NAME=x:y\n";
        assert!(has_uuid(said, UUID));
        assert!(!has_uuid(said, "11234567-89ab-cdef-0123-456789abcdef"));
        assert!(!has_uuid("", UUID));
    }

    #[test]
    fn what_is_asked_for_is_told_to_mdadm() {
        let mut options = Parameters::default();
        options.set(named("chunk"), 65536u64);
        options.set(named("assume-clean"), true);
        let layer = StackLayer { spec: RAID6.spec, beside: None, options };
        let devices = ["/dev/a", "/dev/b"].map(str::to_owned);
        let words = RAID6.create_words(&layer, "n", UUID, &devices).join(" ");
        assert!(words.starts_with("--create /dev/md/n "), "{words}");
        for word in ["--level=6", "--chunk=64K", "--bitmap=none", "--assume-clean", "--raid-devices=2"] {
            assert!(words.contains(word), "{word}: {words}");
        }
        assert!(words.ends_with(" /dev/a /dev/b") && !words.contains("--spare-devices"), "{words}");
        let plain = StackLayer { spec: RAID10.spec, beside: None, options: Parameters::default() };
        let words = RAID10.create_words(&plain, "n", UUID, &devices).join(" ");
        assert!(words.contains("--layout=n2") && !words.contains("--chunk"), "{words}");
        let mut options = Parameters::default();
        options.set(named("layout"), "right-asymmetric");
        let mut parity = StackLayer { spec: RAID5.spec, beside: Some('d'), options };
        let words = RAID5.create_words(&parity, "n", UUID, &devices).join(" ");
        assert!(words.contains("--layout=right-asymmetric"), "{words}");
        assert_eq!(RAID5.refuses(&parity), None);
        parity.options.set(named("bitmap"), "internal");
        assert!(RAID5.refuses(&parity).unwrap().contains("not both"));
    }

    #[test]
    fn a_chunk_is_one_that_mdadm_takes_as_it_is() {
        let refused = |raid: &Raid, chunk: u64| {
            let mut options = Parameters::default();
            options.set(named("chunk"), chunk);
            raid.refuses(&StackLayer { spec: raid.spec, beside: None, options })
        };
        for (chunk, striped, others) in [(65536, true, true), (12288, true, false), (5000, false, false)] {
            assert_eq!(refused(&RAID0, chunk).is_none(), striped, "{chunk}");
            assert_eq!(refused(&RAID10, chunk).is_none(), others, "{chunk}");
        }
        assert!(refused(&RAID0, 0).is_some() && refused(&RAID5, 2048).is_some());
    }

    #[test]
    fn spares_are_no_members_yet() {
        let mut options = Parameters::default();
        options.set(SPARES.name, 1u64);
        let layer = StackLayer { spec: RAID5.spec, beside: None, options };
        let devices = ["/dev/a", "/dev/b", "/dev/c", "/dev/d"].map(str::to_owned);
        let words = RAID5.create_words(&layer, "n", UUID, &devices).join(" ");
        assert!(words.contains("--raid-devices=3 --spare-devices=1"), "{words}");
        let without = StackLayer { spec: RAID5.spec, beside: None, options: Parameters::default() };
        assert_eq!((spares(&layer), spares(&without)), (1, 0));
        assert_eq!(RAID5.capacity(&layer, &[100 << 30; 4]), RAID5.capacity(&without, &[100 << 30; 3]));
        assert!(is_redundant("raid10") && !is_redundant("raid0") && grows("raid6") && !grows("raid1"));
    }

    #[test]
    fn parity_takes_room() {
        let of = |raid: &Raid, members: usize| {
            let layer = StackLayer { spec: raid.spec, beside: None, options: Parameters::default() };
            raid.capacity(&layer, &vec![100u64 << 30; members]) >> 30
        };
        assert_eq!((of(&RAID0, 4), of(&RAID1, 2), of(&RAID10, 4)), (399, 99, 199));
        assert_eq!((of(&RAID5, 3), of(&RAID6, 8)), (199, 599));
    }
}
