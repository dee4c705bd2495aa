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
/// Its copy at the end, and up to a mebibyte that fdisk leaves.
const END_BYTES: u64 = 2 << 20;
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

/// What sfdisk(8) reads: a table with our UUID, and a partition from here to the end.
fn script(uuid: &str, start_sector: u64) -> String {
    format!("label: gpt\nlabel-id: {uuid}\nfirst-lba: 34\nunit: sectors\n\nstart={start_sector}\n")
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
        below.iter().sum::<u64>().saturating_sub(offset(layer)).saturating_sub(END_BYTES)
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
        let sector = fs::read_to_string(folder.join("queue/logical_block_size"))
            .ok()
            .and_then(|text| text.trim().parse::<u64>().ok())
            .unwrap_or(512);
        let offset = offset(site.layer);
        if sector == 0 || !offset.is_multiple_of(sector) {
            return Err(Fault::Other(format!(
                "no partition of {device} begins at {offset}: its sectors have {sector} bytes"
            )));
        }
        let script = script(&site.record.uuid, offset / sector);
        let words = ["--quiet", "--no-reread", "--no-tell-kernel", "--wipe", "always", &device];
        site.commands.run_with(&SFDISK, &words, script.as_bytes())?;
        // Where there is udev, it may have told the kernel first.
        let added = site.commands.run(&PARTX, &["--add", "--nr", "1", &device]);
        let mut found = None;
        site.commands.wait_until(WITHIN, || {
            found = first_partition(&folder).filter(|node| node.exists());
            found.is_some()
        })?;
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
        // sfdisk of util-linux 2.38 made 260033 sectors from sector 63 of 262144.
        let capacity = Partition.capacity(&layer(32256), &[262_144 * 512]);
        assert!(capacity <= 260_033 * 512 && capacity > 255_000 * 512, "{capacity}");
        let plain = StackLayer { spec: &SPEC, beside: None, options: Parameters::default() };
        assert_eq!(offset(&plain), OFFSET);
        assert!(script("u", 63).ends_with("label-id: u\nfirst-lba: 34\nunit: sectors\n\nstart=63\n"));
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
