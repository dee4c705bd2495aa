//! A volume group of LVM by lvm(8) on the devices of a layer, and the volume in it that is driven. The programs are shown
//! those devices and no others (`--devices`), and keep no copies of what they do (`backup`). Nothing that was made a
//! moment ago has to be checked before it is used, so that no other programs are needed (`thin_check_executable`).

use std::path::PathBuf;

use engine::fault::Fault;

use crate::workload::disk::stack::command::{Commands, Program};
use crate::workload::disk::stack::record::LayerRecord;
use crate::workload::disk::stack::{BuildSite, mapping, random};

pub(super) const LVM: Program = Program { name: "lvm", package: "lvm2", version: &["version"] };

/// What stays of the user's own: no copy of the group in /etc/lvm, and dmeventd does not watch its volumes. And a group may
/// stand on a volume of another.
const CONFIG: &str = "devices { scan_lvs=1 } activation { monitoring=0 } backup { backup=0 archive=0 } \
                      global { thin_check_executable=\"\" cache_check_executable=\"\" }";
/// The name of the volume that is driven.
pub(super) const VOLUME: &str = "data";
/// What the label and whole extents of 4 MiB may take of each device (vgcreate(8)).
const LOST_BYTES: u64 = 8 << 20;
/// Of a volume that nothing is on, and of which there may be no node yet by which it could be wiped.
pub(super) const UNTOUCHED: [&str; 4] = ["--wipesignatures", "n", "--zero", "n"];

/// What the devices of a group offer in extents.
pub(super) fn room(below: &[u64]) -> u64 {
    below.iter().map(|bytes| bytes.saturating_sub(LOST_BYTES)).sum()
}

/// A group that was made.
#[derive(Debug)]
pub(super) struct VolumeGroup {
    pub(super) name: String,
    /// The devices on which it stands, and behind them the one that a cache uses.
    pub(super) devices: Vec<String>,
}

impl VolumeGroup {
    /// Makes it on all devices of a layer, each with a UUID of ours.
    pub(super) fn make(site: &mut BuildSite<'_, '_>) -> Result<Self, Fault> {
        let devices: Vec<String> =
            site.devices()?.into_iter().chain(site.beside()?).map(str::to_owned).collect();
        let group = Self { name: site.record.name.clone(), devices };
        for (index, device) in group.devices.iter().enumerate() {
            let uuid = volume_uuid(&site.record.uuid, index);
            let words = ["--yes", "--quiet", "--uuid", &uuid, "--norestorefile", device];
            group.run(site.commands, "pvcreate", &words)?;
        }
        let devices = group.devices.iter().map(String::as_str);
        let words: Vec<&str> = ["--yes", "--quiet", &group.name].into_iter().chain(devices).collect();
        group.run(site.commands, "vgcreate", &words)?;
        Ok(group)
    }

    /// Runs a command of lvm(8) that sees the devices of the group alone.
    pub(super) fn run(
        &self,
        commands: &mut Commands<'_>,
        command: &str,
        words: &[&str],
    ) -> Result<String, Fault> {
        run(commands, command, &self.devices.join(","), words)
    }

    /// A volume of it, as commands are told.
    pub(super) fn volume(&self, name: &str) -> String {
        format!("{}/{name}", self.name)
    }

    /// The node of the volume that is driven.
    pub(super) fn device(&self) -> Result<PathBuf, Fault> {
        mapping::made(&mapped(&self.name))
    }
}

/// Runs a command of lvm(8) that sees these devices alone, with commas between them.
fn run(commands: &mut Commands<'_>, command: &str, devices: &str, words: &[&str]) -> Result<String, Fault> {
    commands.run(&LVM, &[&[command, "--config", CONFIG, "--devices", devices][..], words].concat())
}

/// Removes the group of a layer with all that is in it, if it stands on devices that bear our UUIDs.
pub(super) fn take_down(record: &LayerRecord, commands: &mut Commands<'_>) -> Result<bool, Fault> {
    let devices: Vec<&str> = record.devices().collect();
    let shown = devices.join(",");
    let (mut ours, mut is_grouped) = (Vec::new(), false);
    for (index, device) in devices.iter().enumerate() {
        let ask = ["--noheadings", "--options", "pv_uuid,vg_name", device];
        // Nothing of LVM's may be on it, or not any more.
        let Ok(said) = run(commands, "pvs", &shown, &ask) else { continue };
        let mut fields = said.split_whitespace();
        if fields.next() != Some(volume_uuid(&record.uuid, index).as_str()) {
            continue;
        }
        ours.push(*device);
        match fields.next() {
            Some(group) if group != record.name => {
                return Err(Fault::Other(format!(
                    "{device} belongs to the group {group}, and {} was made: it is left alone",
                    record.name
                )));
            }
            Some(_) => is_grouped = true,
            None => {}
        }
    }
    if ours.is_empty() {
        let is_mapped = mapping::find(&mapped(&record.name)).is_some();
        return if is_mapped { Err(Fault::Other(still(record))) } else { Ok(false) };
    }
    if is_grouped {
        run(commands, "vgchange", &shown, &["--quiet", "--activate", "n", &record.name])?;
        run(commands, "vgremove", &shown, &["--yes", "--quiet", "--force", &record.name])?;
    }
    for device in ours {
        run(commands, "pvremove", &shown, &["--yes", "--quiet", device])?;
    }
    Ok(true)
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

/// The UUID of the device number `index` of a group in the form of LVM: 32 characters in groups of 6, 4, 4, 4, 4, 4 and 6
/// (`lib/uuid/uuid.c`). They differ in the last two digits.
fn volume_uuid(uuid: &str, index: usize) -> String {
    let all = random::bare(uuid);
    let all = match all.len().checked_sub(2).and_then(|at| all.split_at_checked(at)) {
        Some((most, last)) => {
            let last = u8::from_str_radix(last, 16).unwrap_or(0);
            format!("{most}{:02x}", last.wrapping_add(u8::try_from(index).unwrap_or(u8::MAX)))
        }
        None => all,
    };
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
    fn a_uuid_has_the_form_of_lvm_and_each_device_its_own() {
        let uuid = "01234567-89ab-cdef-0123-456789abcdfe";
        assert_eq!(volume_uuid(uuid, 0), "012345-6789-abcd-ef01-2345-6789-abcdfe");
        assert_eq!(volume_uuid(uuid, 1), "012345-6789-abcd-ef01-2345-6789-abcdff");
        assert_eq!(volume_uuid(uuid, 2), "012345-6789-abcd-ef01-2345-6789-abcd00");
        assert_eq!(volume_uuid("x", 0), "x------");
    }

    #[test]
    fn each_device_loses_a_part() {
        assert_eq!(room(&[100 << 20, 50 << 20]), 134 << 20);
        assert_eq!(room(&[1 << 20]), 0);
    }
}
