//! One partition over all of a device, in a GPT made by sfdisk(8). The table bears our UUID.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use engine::fault::Fault;
use model::parameter::{Kind, ParameterSpec};
use model::stack::{LayerRole, LayerSpec, StackLayer};
use model::value::Value;

use crate::workload::disk::stack::command::{Commands, Program};
use crate::workload::disk::stack::kernel::KernelPart;
use crate::workload::disk::stack::record::LayerRecord;
use crate::workload::disk::stack::{Below, BuildSite, LayerKind, find, zram};
use crate::workload::named;

const SFDISK: Program = Program { name: "sfdisk", package: "fdisk", version: &["--version"] };
const PARTX: Program = Program { name: "partx", package: "util-linux", version: &["--version"] };
const WIPEFS: Program = Program { name: "wipefs", package: "util-linux", version: &["--version"] };

/// Where it begins, where nobody says: fdisk's own place, which fits every stripe and every block that erases.
const OFFSET: u64 = 1 << 20;
/// The table takes 34 sectors of 512 bytes, or 6 of 4 KiB (UEFI specification, GUID partition table).
const OFFSET_LEAST: u64 = 24 << 10;
/// What is left at the end, where its copy is: less would do, but ends of partitions are aligned, too.
const END_BYTES: u64 = 1 << 20;
/// How long a node may take to appear, and a partition to be let go by what looks at new ones.
const WITHIN: Duration = Duration::from_secs(10);

pub(super) const SPEC: LayerSpec = LayerSpec {
    name: "partition",
    role: LayerRole::Device,
    devices: (1, 1),
    beside: None,
    options: &[ParameterSpec::new(
        "offset",
        Kind::Size,
        "Where it begins, from 24 KiB; 32256 is sector 63, which fits no block of 4 KiB.",
    )
    .default("1m")],
    doc: "a partition over all of the device, in a GPT",
};

/// The kind.
#[derive(Debug)]
pub(super) struct Partition;

fn offset(layer: &StackLayer) -> u64 {
    match layer.option(named("offset")) {
        Some(Value::Integer(bytes)) => bytes,
        _ => OFFSET,
    }
}

/// What sfdisk(8) reads: a table with our UUID, and a partition of so many sectors. Without their number it would leave
/// more on an array, by its stripes.
fn script(uuid: &str, start: u64, sectors: u64) -> String {
    // Of sectors of 4 KiB the table takes fewer.
    let first = start.min(34);
    let header = format!("label: gpt\nlabel-id: {uuid}\nfirst-lba: {first}\nunit: sectors\n");
    format!("{header}\nstart={start}, size={sectors}\n")
}

/// How many bytes a partition from `offset` has on a device of `bytes`.
fn room(bytes: u64, offset: u64) -> u64 {
    bytes.saturating_sub(offset).saturating_sub(END_BYTES)
}

/// A number in a file of a device's folder in sysfs.
fn number(path: &Path) -> Option<u64> {
    fs::read_to_string(path).ok()?.trim().parse().ok()
}

/// The folder of a device in sysfs.
fn sysfs(device: &Path) -> PathBuf {
    Path::new("/sys/class/block").join(device.file_name().unwrap_or_default())
}

/// The node of the first partition of a device whose folder in sysfs this is, as far as the kernel knows one.
fn first_partition(folder: &Path) -> Option<PathBuf> {
    let entries = fs::read_dir(folder).ok()?;
    let mut partitions = entries.flatten().filter(|entry| {
        fs::read_to_string(entry.path().join("partition")).is_ok_and(|number| number.trim() == "1")
    });
    partitions.next().map(|entry| Path::new("/dev").join(entry.file_name()))
}

impl LayerKind for Partition {
    fn spec(&self) -> &'static LayerSpec {
        &SPEC
    }

    fn programs(&self) -> &'static [Program] {
        &[SFDISK, PARTX, WIPEFS]
    }

    fn kernel(&self) -> &'static [KernelPart] {
        &[]
    }

    fn capacity(&self, layer: &StackLayer, below: &[u64]) -> u64 {
        // A sector may not fit.
        room(below.iter().sum(), offset(layer)).saturating_sub(4096)
    }

    fn refuses(&self, layer: &StackLayer) -> Option<String> {
        let offset = offset(layer);
        let is_good = offset.is_multiple_of(512) && offset >= OFFSET_LEAST;
        (!is_good).then(|| format!("offset={offset} is no multiple of 512 from 24 KiB"))
    }

    /// The kernel reads no partitions of devices of the device mapper, of zram and of partitions.
    fn refuses_on(&self, _layer: &StackLayer, below: Below<'_>) -> Option<String> {
        let has_mapping =
            |kind: &dyn LayerKind| kind.kernel().iter().any(|part| matches!(part, KernelPart::Mapping(_)));
        let is_without = below.kind == SPEC.name
            || below.kind == zram::SPEC.name
            || find(below.kind).is_some_and(has_mapping);
        is_without.then(|| format!("the kernel reads no partitions on `{}`; put it below", below.kind))
    }

    fn make(&self, site: &mut BuildSite<'_, '_>) -> Result<PathBuf, Fault> {
        let device = site.device()?.to_owned();
        let folder = sysfs(Path::new(&device));
        if folder.join("partition").exists() || folder.join("dm").exists() {
            return Err(Fault::Other(format!(
                "{device} is a partition or a mapping itself, on which the kernel reads no partitions"
            )));
        }
        let unknown = || Fault::Other(format!("{device} does not say how large it is"));
        // In units of 512 bytes (Documentation/ABI/stable/sysfs-block).
        let bytes = number(&folder.join("size")).ok_or_else(unknown)?.saturating_mul(512);
        let sector = number(&folder.join("queue/logical_block_size")).ok_or_else(unknown)?.max(512);
        let offset = offset(site.layer);
        let sectors = room(bytes, offset) / sector;
        if sectors == 0 || !offset.is_multiple_of(sector) {
            return Err(Fault::Other(format!(
                "no partition of {device} begins at {offset}: it has {bytes} bytes, and its sectors have {sector}"
            )));
        }
        let script = script(&site.record.uuid, offset / sector, sectors);
        let words = ["--quiet", "--no-reread", "--no-tell-kernel", "--wipe", "always", &device];
        site.commands.run_with(&SFDISK, &words, script.as_bytes())?;
        // Where there is udev, it may have told the kernel first.
        let added = site.commands.run(&PARTX, &["--add", "--nr", "1", &device]);
        let found =
            site.commands.wait_for(WITHIN, || first_partition(&folder).filter(|node| node.exists()))?;
        match (found, added) {
            (Some(node), _) => Ok(node),
            (None, Err(fault)) => Err(fault),
            (None, Ok(_)) => {
                Err(Fault::Other(format!("the partition of {device} was made and is not there")))
            }
        }
    }

    fn take_down(&self, record: &LayerRecord, commands: &mut Commands<'_>) -> Result<bool, Fault> {
        let Some(device) = record.devices().next() else { return Ok(false) };
        let label = commands.ask(&SFDISK, &["--disk-id", device]);
        if !label.is_some_and(|label| label.trim().eq_ignore_ascii_case(&record.uuid)) {
            return Ok(false);
        }
        let folder = sysfs(Path::new(device));
        let was_there = first_partition(&folder).is_some();
        let mut last = None;
        let gone = commands.wait_until(WITHIN, || {
            let mut always = || true;
            if first_partition(&folder).is_some() {
                last = Commands::new(&mut always).run(&PARTX, &["--delete", "--nr", "1", device]).err();
            }
            first_partition(&folder).is_none()
        })?;
        if !gone {
            let why = last.map(|fault| fault.to_string()).unwrap_or_default();
            return Err(Fault::Other(format!("the partition of {device} is still there: {why}")));
        }
        if record.on_devices {
            commands.run(&WIPEFS, &["--all", "--quiet", "--types", "gpt,PMBR", device])?;
        }
        Ok(was_there)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Parameters;

    fn layer(offset: u64) -> StackLayer {
        let mut options = Parameters::default();
        options.set(named("offset"), offset);
        StackLayer { spec: &SPEC, beside: None, options }
    }

    #[test]
    fn it_begins_where_it_can_and_ends_before_the_copy_of_the_table() {
        for (bytes, is_good) in [(1 << 20, true), (32256, true), (17408, false), (30000, false), (0, false)] {
            assert_eq!(Partition.refuses(&layer(bytes)).is_none(), is_good, "{bytes}");
        }
        let bytes = 128 << 20;
        assert_eq!(Partition.capacity(&layer(1 << 20), &[bytes]), (126 << 20) - 4096);
        assert_eq!(room(bytes, 32256) / 512, 262_144 - 63 - 2048);
        assert_eq!(room(1 << 20, 1 << 20), 0);
        let plain = StackLayer { spec: &SPEC, beside: None, options: Parameters::default() };
        assert_eq!(offset(&plain), OFFSET);
        let script = script("u", 63, 100);
        assert!(script.ends_with("label-id: u\nfirst-lba: 34\nunit: sectors\n\nstart=63, size=100\n"));
        let large = super::script("u", 6, 100);
        assert!(large.ends_with("first-lba: 6\nunit: sectors\n\nstart=6, size=100\n"), "{large}");
    }

    #[test]
    fn it_stands_on_what_can_have_partitions() {
        let on = |kind| Partition.refuses_on(&layer(OFFSET), Below { kind, devices: 1 }).is_none();
        for kind in ["loop", "raid5", "linear", model::stack::MEMBERS] {
            assert!(on(kind), "{kind}");
        }
        for kind in ["luks", "lvm", "cache", "zram", "partition"] {
            assert!(!on(kind), "{kind}");
        }
    }

    #[test]
    fn the_first_partition_is_found_by_its_number() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(first_partition(folder.path()), None);
        for (name, number) in [("sdx10", "10\n"), ("sdx1", "1\n")] {
            fs::create_dir(folder.path().join(name)).unwrap();
            fs::write(folder.path().join(name).join("partition"), number).unwrap();
        }
        fs::create_dir(folder.path().join("queue")).unwrap();
        assert_eq!(first_partition(folder.path()), Some("/dev/sdx1".into()));
    }
}
