//! A storage stack as a fixture: made from the ground up with the tools that people use, each layer written down
//! before it is made, taken down in reverse (`docs/decisions/0034-stack.md`).
//!
//! A kind of layer is a file here and a line in [`TABLE`]. Loads know nothing of it: whoever surveys and runs them
//! puts the top of the stack in the place of their target ([`StackRequest`]).

mod array;
mod at_node;
mod blkid;
mod btrfs;
mod builder;
mod cache;
mod command;
mod crypt;
mod ext4;
mod fixture;
mod ground;
mod integrity;
mod kernel;
mod left;
mod loop_device;
mod luks;
mod lvm;
mod mapping;
mod md;
mod mount;
mod partition;
mod present;
mod raid;
mod random;
mod record;
mod request;
mod snapshot;
mod stripe;
#[cfg(test)]
mod tests;
mod thin;
mod volume_group;
mod wait;
mod write_hole;
mod xfs;
mod zram;

use std::fmt::Debug;
use std::path::{Path, PathBuf};

use engine::fault::Fault;
use model::stack::{LayerSpec, StackLayer};

use command::{Commands, Program};
use kernel::KernelPart;
use record::LayerRecord;

pub(in crate::workload::disk) use array::{ArrayEvent, ArrayRequest, StackArray};
pub use at_node::{presented_by, presented_for};
pub use fixture::{BuiltStack, STACKS};
pub use left::{LeftStack, remove_left};
pub use present::HeldLink;
pub(in crate::workload::disk) use present::{iscsi, nfs, nvme_tcp};
pub use request::{StackRequest, SurveyedStack};

/// Every kind of layer that stands on devices, in documentation order.
const TABLE: &[&dyn LayerKind] = &[
    &partition::Partition,
    &raid::RAID0,
    &raid::RAID1,
    &raid::RAID10,
    &raid::RAID5,
    &raid::RAID6,
    &raid::LINEAR,
    &luks::Luks,
    &crypt::Crypt,
    &integrity::Integrity,
    &lvm::Lvm,
    &thin::Thin,
    &snapshot::Snapshot,
    &cache::CACHE,
    &cache::WRITECACHE,
    &ext4::Ext4,
    &xfs::Xfs,
    &btrfs::Btrfs,
    &iscsi::Iscsi,
    &nvme_tcp::NvmeTcp,
    &nfs::Nfs,
];

/// What a stack may be made of; the first two make devices, of files and of memory.
pub(in crate::workload) const LAYERS: &[LayerSpec] = &[
    loop_device::SPEC,
    zram::SPEC,
    partition::SPEC,
    *raid::RAID0.spec,
    *raid::RAID1.spec,
    *raid::RAID10.spec,
    *raid::RAID5.spec,
    *raid::RAID6.spec,
    *raid::LINEAR.spec,
    luks::SPEC,
    crypt::SPEC,
    integrity::SPEC,
    lvm::SPEC,
    thin::SPEC,
    snapshot::SPEC,
    *cache::CACHE.spec,
    *cache::WRITECACHE.spec,
    ext4::SPEC,
    xfs::SPEC,
    btrfs::SPEC,
    iscsi::SPEC,
    nvme_tcp::SPEC,
    nfs::SPEC,
];

/// A kind of layer that stands on devices.
trait LayerKind: Debug + Sync {
    /// What it is, as data.
    fn spec(&self) -> &'static LayerSpec;

    /// The programs that make it and take it down.
    fn programs(&self) -> &'static [Program];

    /// What the kernel must have for it.
    fn kernel(&self) -> &'static [KernelPart];

    /// The programs that the options of a layer need beside those.
    fn programs_of(&self, _layer: &StackLayer) -> &'static [Program] {
        &[]
    }

    /// What the kernel must have beside that for the options of a layer.
    fn kernel_of(&self, _layer: &StackLayer) -> &'static [KernelPart] {
        &[]
    }

    /// About how many bytes it offers on devices of so many, never more than it does: so much may be asked for
    /// before it is made.
    fn capacity(&self, layer: &StackLayer, below: &[u64]) -> u64;

    /// Why its options cannot be had, whatever the machine; none where they can.
    fn refuses(&self, _layer: &StackLayer) -> Option<String> {
        None
    }

    /// Why it cannot stand on what is below; none where it can.
    fn refuses_on(&self, _layer: &StackLayer, _below: Below<'_>) -> Option<String> {
        None
    }

    /// Why this machine as it is now cannot have it, though it has the programs and the parts of the kernel, and what
    /// helps; none where it can.
    fn refuses_here(&self) -> Option<(String, String)> {
        None
    }

    /// Makes it, with the name and the UUID of its record. What it returns is driven, or stood upon: a device, or
    /// the folder where it is mounted. What is there after an error, [`LayerKind::take_down`] removes.
    ///
    /// # Errors
    /// What could not be done, and what the program said.
    fn make(&self, site: &mut BuildSite<'_, '_>) -> Result<PathBuf, Fault>;

    /// Removes what a record says, if it is there and is what was made: by its name and its UUID. Whether there was
    /// something.
    ///
    /// # Errors
    /// What stays, and why.
    fn take_down(&self, record: &LayerRecord, commands: &mut Commands<'_>) -> Result<bool, Fault>;

    /// Whether it can become as large as what it stands on has become, while it is used.
    fn can_grow(&self) -> bool {
        false
    }

    /// Makes it so large.
    ///
    /// # Errors
    /// What the program said, or that it cannot grow.
    fn grow(&self, _record: &LayerRecord, _commands: &mut Commands<'_>) -> Result<(), Fault> {
        Err(Fault::Other(format!("`{}` does not grow", self.spec().name)))
    }
}

/// What a layer is to stand on.
#[derive(Clone, Copy, Debug)]
struct Below<'a> {
    /// The kind of the layer below; [`model::stack::MEMBERS`] where the stack does not say what is there.
    kind: &'a str,
    /// How many devices that is.
    devices: usize,
}

/// Where a layer is made.
#[derive(Debug)]
struct BuildSite<'a, 'b> {
    /// What was asked for.
    layer: &'a StackLayer,
    /// What was written down of it.
    record: &'a LayerRecord,
    /// The devices on which it stands.
    below: &'a [PathBuf],
    /// The device that it uses beside them.
    beside: Option<&'a Path>,
    commands: &'a mut Commands<'b>,
}

impl BuildSite<'_, '_> {
    /// The only device on which it stands.
    fn device(&self) -> Result<&str, Fault> {
        self.devices()?
            .first()
            .copied()
            .ok_or_else(|| Fault::Other("this layer stands on nothing".to_owned()))
    }

    /// All devices on which it stands.
    fn devices(&self) -> Result<Vec<&str>, Fault> {
        self.below.iter().map(|path| text(path)).collect()
    }

    /// The device that it uses beside them; none where it uses none.
    fn beside(&self) -> Result<Option<&str>, Fault> {
        self.beside.map(text).transpose()
    }
}

/// A path as programs are given it.
fn text(path: &Path) -> Result<&str, Fault> {
    let wrong = || Fault::Other(format!("{} is no name that programs can be given", path.display()));
    path.to_str().ok_or_else(wrong)
}

/// The first device on which a layer stands.
fn device_below(record: &LayerRecord) -> Result<&str, Fault> {
    let device = record.below.first().and_then(|path| path.to_str());
    device.ok_or_else(|| Fault::Other(format!("nobody wrote down on which device `{}` stands", record.kind)))
}

/// The folder of this machine that a share of ours presents which is mounted at `place`; none where that is none of ours.
#[must_use]
pub fn presented_folder(place: &Path) -> Option<PathBuf> {
    record::below_mounted(place).filter(|below| below.is_dir())
}

/// The kind of this name.
fn find(name: &str) -> Option<&'static dyn LayerKind> {
    TABLE.iter().copied().find(|kind| kind.spec().name == name).or_else(|| present::remote::find(name))
}
