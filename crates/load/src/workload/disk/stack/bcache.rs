//! A device with a cache on a second one, which is to be fast, by bcache (`Documentation/admin-guide/bcache.rst`). Both are
//! known by the UUID of the set of caches, which is ours; the kernel is told of them by its files in sysfs, as udev tells
//! it.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use engine::fault::Fault;
use model::parameter::{Kind, ParameterSpec, Word};
use model::stack::{BesideDevice, LayerRole, LayerSpec, StackLayer};
use model::value::Value;

use crate::workload::disk::stack::command::{Commands, Program};
use crate::workload::disk::stack::kernel::{KernelPart, MODPROBE};
use crate::workload::disk::stack::partition::WIPEFS;
use crate::workload::disk::stack::record::LayerRecord;
use crate::workload::disk::stack::{BuildSite, LayerKind};

// Neither says its version.
const MAKE_BCACHE: Program = Program { name: "make-bcache", package: "bcache-tools", version: &[] };
const SUPER_SHOW: Program = Program { name: "bcache-super-show", package: "bcache-tools", version: &[] };

/// The folder of all sets of caches.
const SETS: &str = "/sys/fs/bcache";
/// How long the kernel may take to begin or to end with a device.
const WITHIN: Duration = Duration::from_secs(30);
/// The superblock lies before the data: 8 KiB, and a part of a block at the end may not be used.
const RESERVED: u64 = 1 << 20;

const MODE: ParameterSpec =
    ParameterSpec::new("mode", Kind::Choice, "When what is written reaches the slow device.")
        .default("writethrough")
        .words(&[
            Word { word: "writethrough", doc: "before it is said to be written; the cache has it, too" },
            Word { word: "writeback", doc: "later" },
            Word { word: "writearound", doc: "before it is said to be written, and the cache has it not" },
        ]);
const CUTOFF: ParameterSpec = ParameterSpec::new(
    "sequential-cutoff",
    Kind::Size,
    "Bytes in sequence after which a program goes around the cache; 4 MiB without it, and 0 is never.",
)
.or_zero();

pub(super) const SPEC: LayerSpec = LayerSpec {
    name: "bcache",
    role: LayerRole::Device,
    devices: (1, 1),
    beside: Some(BesideDevice { name: "fast", required: true }),
    options: &[MODE, CUTOFF],
    doc: "a device with a cache on a fast device, by bcache",
};

/// The kind.
#[derive(Debug)]
pub(super) struct Bcache;

impl LayerKind for Bcache {
    fn spec(&self) -> &'static LayerSpec {
        &SPEC
    }

    fn programs(&self) -> &'static [Program] {
        &[MAKE_BCACHE, SUPER_SHOW, WIPEFS, MODPROBE]
    }

    fn kernel(&self) -> &'static [KernelPart] {
        &[KernelPart::Module("bcache")]
    }

    fn capacity(&self, _layer: &StackLayer, below: &[u64]) -> u64 {
        below.iter().sum::<u64>().saturating_sub(RESERVED)
    }

    fn make(&self, site: &mut BuildSite<'_, '_>) -> Result<PathBuf, Fault> {
        let slow = site.device()?.to_owned();
        let fast = site.beside()?.map(str::to_owned);
        let fast = fast.ok_or_else(|| Fault::Other("bcache has two devices".to_owned()))?;
        if !Path::new(SETS).join("register").exists() {
            site.commands.run(&MODPROBE, &["bcache"])?;
        }
        // It makes none where it finds something else, and that was given up.
        for device in [&slow, &fast] {
            site.commands.run(&WIPEFS, &["--all", "--quiet", device])?;
        }
        let uuid = &site.record.uuid;
        site.commands.run(&MAKE_BCACHE, &["--cset-uuid", uuid, "-C", &fast, "-B", &slow])?;
        let folder = backing(&slow);
        let attached = || Path::new(SETS).join(uuid).exists() && folder.join("dev").exists();
        let mut last = None;
        for device in [&fast, &slow] {
            // Where there is udev, it may have told the kernel first.
            last = fs::write(Path::new(SETS).join("register"), device).err().or(last);
        }
        let is_made = site.commands.wait_until(WITHIN, || attached() && node(&folder).is_some())?;
        let Some(made) = node(&folder).filter(|_| is_made) else {
            let why = last.map(|error| format!(": {error}")).unwrap_or_default();
            return Err(Fault::Other(format!("the kernel does not take {slow} with its cache {fast}{why}")));
        };
        set_options(site.layer, &folder)?;
        Ok(made)
    }

    fn take_down(&self, record: &LayerRecord, commands: &mut Commands<'_>) -> Result<bool, Fault> {
        let mut was_there = false;
        let ours: Vec<&str> =
            record.devices().filter(|device| is_of_set(device, &record.uuid, commands)).collect();
        // The device that is cached first, for it uses the cache.
        let devices = ours.iter().map(|device| backing(device)).filter(|folder| folder.join("stop").exists());
        for folder in devices.chain([Path::new(SETS).join(&record.uuid)]) {
            if folder.exists() {
                was_there = true;
                stop(&folder, commands)?;
            }
        }
        if record.on_devices {
            for device in ours {
                // The kernel closes it a moment after its folder is gone.
                let mut last = None;
                let done = commands.wait_until(WITHIN, || {
                    let mut always = || true;
                    let words = ["--all", "--quiet", "--types", "bcache", device];
                    last = Commands::new(&mut always).run(&WIPEFS, &words).err();
                    last.is_none()
                })?;
                if let Some(fault) = last.filter(|_| !done) {
                    return Err(fault);
                }
            }
        }
        Ok(was_there)
    }
}

/// What bcache has of a device in sysfs.
fn backing(device: &str) -> PathBuf {
    let name = Path::new(device).file_name().unwrap_or_default();
    Path::new("/sys/class/block").join(name).join("bcache")
}

/// The node of the cached device: `dev` leads to its folder.
fn node(folder: &Path) -> Option<PathBuf> {
    let device = fs::canonicalize(folder.join("dev")).ok()?;
    Some(Path::new("/dev").join(device.file_name()?)).filter(|node| node.exists())
}

/// Whether a device bears a superblock of the set with this UUID.
fn is_of_set(device: &str, uuid: &str, commands: &mut Commands<'_>) -> bool {
    commands.ask(&SUPER_SHOW, &[device]).is_some_and(|said| names_set(&said, uuid))
}

/// Whether `bcache-super-show` names this set: `cset.uuid` and its UUID.
fn names_set(said: &str, uuid: &str) -> bool {
    said.lines().filter_map(|line| line.strip_prefix("cset.uuid")).any(|rest| rest.trim() == uuid)
}

/// Has the kernel let go of a device or of a set, and waits until it has.
fn stop(folder: &Path, commands: &mut Commands<'_>) -> Result<(), Fault> {
    let asked = fs::write(folder.join("stop"), "1");
    if commands.wait_until(WITHIN, || !folder.exists())? {
        return Ok(());
    }
    let why = asked.err().map(|error| format!(": {error}")).unwrap_or_default();
    Err(Fault::Other(format!("{} is still there{why}", folder.display())))
}

fn set_options(layer: &StackLayer, folder: &Path) -> Result<(), Fault> {
    let given = [(MODE.name, "cache_mode"), (CUTOFF.name, "sequential_cutoff")];
    for (option, file) in given {
        let text = match layer.option(option) {
            Some(Value::Text(word)) => word,
            Some(Value::Integer(bytes)) => bytes.to_string(),
            _ => continue,
        };
        let path = folder.join(file);
        fs::write(&path, &text)
            .map_err(|e| Fault::system(format!("writing {text} to {}", path.display()), e))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_of_another_set_is_none_of_ours() {
        let said = "sb.magic\t\tok\ndev.uuid\t\tb0e9\ncset.uuid\t\t0123-ab\n";
        assert!(names_set(said, "0123-ab"));
        assert!(!names_set(said, "b0e9") && !names_set(said, "0123") && !names_set("", ""));
    }

    #[test]
    fn the_node_is_where_its_link_leads_and_there() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(node(folder.path()), None);
        std::os::unix::fs::symlink("/proc/self", folder.path().join("dev")).unwrap();
        assert_eq!(node(folder.path()), None, "no such node");
        assert_eq!(Bcache.capacity(&plain(), &[9 << 20]), 8 << 20);
        assert_eq!(backing("/dev/loop7"), Path::new("/sys/class/block/loop7/bcache"));
    }

    fn plain() -> StackLayer {
        StackLayer { spec: &SPEC, beside: Some('b'), options: model::Parameters::default() }
    }
}
