//! LVM by lvm(8): a physical volume, a group, and a volume over all of it. The programs are shown the one device and no
//! other (`--devices`), and keep no copies of what they do (`backup`).

use std::path::PathBuf;

use engine::fault::Fault;
use model::stack::{LayerRole, LayerSpec, StackLayer};

use crate::workload::disk::stack::command::{Commands, Program};
use crate::workload::disk::stack::kernel::KernelPart;
use crate::workload::disk::stack::record::LayerRecord;
use crate::workload::disk::stack::{BuildSite, LayerKind, mapping, random};

const LVM: Program = Program { name: "lvm", package: "lvm2", version: &["version"] };

/// What stays of the user's own: no copy of the group in /etc/lvm.
const CONFIG: &str = "backup { backup=0 archive=0 }";
/// The name of the volume.
const VOLUME: &str = "data";
/// What the label and whole extents of 4 MiB may take (vgcreate(8)).
const LOST_BYTES: u64 = 8 << 20;

pub(super) const SPEC: LayerSpec = LayerSpec {
    name: "lvm",
    role: LayerRole::Device,
    devices: (1, 1),
    options: &[],
    doc: "LVM, one linear volume over all of the device",
};

/// The kind.
#[derive(Debug)]
pub(super) struct Lvm;

/// Runs a command of lvm(8) that sees `device` alone.
fn run(commands: &mut Commands<'_>, command: &str, device: &str, words: &[&str]) -> Result<String, Fault> {
    commands.run(&LVM, &[&[command, "--config", CONFIG, "--devices", device][..], words].concat())
}

impl LayerKind for Lvm {
    fn spec(&self) -> &'static LayerSpec {
        &SPEC
    }

    fn programs(&self) -> &'static [Program] {
        &[LVM]
    }

    fn kernel(&self) -> &'static [KernelPart] {
        &[KernelPart::Mapping("dm_mod")]
    }

    fn capacity(&self, _layer: &StackLayer, below: &[u64]) -> u64 {
        below.iter().sum::<u64>().saturating_sub(LOST_BYTES)
    }

    fn make(&self, site: &mut BuildSite<'_, '_>) -> Result<PathBuf, Fault> {
        let device = site.device()?.to_owned();
        let LayerRecord { name, uuid, .. } = site.record;
        let commands = &mut *site.commands;
        let uuid = volume_uuid(uuid);
        let words = ["--yes", "--quiet", "--uuid", &uuid, "--norestorefile", &device];
        run(commands, "pvcreate", &device, &words)?;
        run(commands, "vgcreate", &device, &["--yes", "--quiet", name, &device])?;
        // There may be no node of the volume yet by which it could be wiped: nothing is on it.
        let whole = ["--wipesignatures", "n", "--zero", "n", "--extents", "100%FREE", "--name", VOLUME, name];
        run(commands, "lvcreate", &device, &[&["--yes", "--quiet"][..], &whole].concat())?;
        let made = mapping::find(&mapped(name));
        made.map(|made| made.path).ok_or_else(|| Fault::Other(format!("the volume of {name} is not there")))
    }

    fn take_down(&self, record: &LayerRecord, commands: &mut Commands<'_>) -> Result<bool, Fault> {
        let Some(device) = record.below.first().and_then(|path| path.to_str()) else { return Ok(false) };
        let ask = ["--noheadings", "--options", "pv_uuid,vg_name", device];
        let is_mapped = mapping::find(&mapped(&record.name)).is_some();
        let Ok(said) = run(commands, "pvs", device, &ask) else {
            // Nothing of LVM's is on it any more.
            return if is_mapped { Err(Fault::Other(still(record))) } else { Ok(false) };
        };
        let mut fields = said.split_whitespace();
        if fields.next() != Some(volume_uuid(&record.uuid).as_str()) {
            return if is_mapped { Err(Fault::Other(still(record))) } else { Ok(false) };
        }
        if let Some(group) = fields.next() {
            if group != record.name {
                return Err(Fault::Other(format!(
                    "{device} belongs to the group {group}, and {} was made: it is left alone",
                    record.name
                )));
            }
            run(commands, "vgchange", device, &["--quiet", "--activate", "n", group])?;
            run(commands, "vgremove", device, &["--yes", "--quiet", "--force", group])?;
        }
        run(commands, "pvremove", device, &["--yes", "--quiet", device])?;
        Ok(true)
    }
}

/// The device mapper's name of the volume of a group, in whose name is no hyphen.
fn mapped(group: &str) -> String {
    format!("{group}-{VOLUME}")
}

fn still(record: &LayerRecord) -> String {
    format!(
        "the volume of {} is there, and the device on which it was made is another: it is left alone",
        record.name
    )
}

/// A UUID in the form of LVM: 32 characters in groups of 6, 4, 4, 4, 4, 4 and 6 (`lib/uuid/uuid.c`).
fn volume_uuid(uuid: &str) -> String {
    let all = random::bare(uuid);
    let mut parts = Vec::new();
    let mut rest = all.as_str();
    for length in [6, 4, 4, 4, 4, 4, 6] {
        let (part, tail) = rest.split_at(length.min(rest.len()));
        parts.push(part);
        rest = tail;
    }
    parts.join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uuid_has_the_form_of_lvm() {
        let uuid = "01234567-89ab-cdef-0123-456789abcdef";
        assert_eq!(volume_uuid(uuid), "012345-6789-abcd-ef01-2345-6789-abcdef");
        assert_eq!(volume_uuid("x"), "x------");
    }
}
