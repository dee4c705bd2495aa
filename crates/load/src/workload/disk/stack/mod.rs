//! A storage stack as a fixture: made from the ground up with the tools that people use, each layer written down
//! before it is made, taken down in reverse (`docs/decisions/0034-stack.md`).
//!
//! A kind of layer is a file here and a line in [`TABLE`]. Loads know nothing of it: whoever surveys and runs them
//! puts the top of the stack in the place of their target ([`StackRequest`]).

mod blkid;
mod btrfs;
mod builder;
mod command;
mod ext4;
mod fixture;
mod ground;
mod kernel;
mod left;
mod loop_device;
mod luks;
mod lvm;
mod mapping;
mod mount;
mod present;
mod raid;
mod random;
mod record;
mod request;
#[cfg(test)]
mod tests;
mod xfs;

use std::fmt::Debug;
use std::path::PathBuf;

use engine::fault::Fault;
use model::stack::{LayerSpec, StackLayer};

use command::{Commands, Program};
use kernel::KernelPart;
use record::LayerRecord;

pub use fixture::{BuiltStack, STACKS};
pub use left::{LeftStack, remove_left};
pub(in crate::workload::disk) use present::{iscsi, nfs, nvme_tcp};
pub use request::{StackRequest, SurveyedStack};

/// Every kind of layer that stands on devices, in documentation order.
const TABLE: &[&dyn LayerKind] = &[
    &raid::RAID0,
    &raid::RAID1,
    &raid::RAID10,
    &raid::RAID5,
    &raid::RAID6,
    &raid::LINEAR,
    &luks::Luks,
    &lvm::Lvm,
    &ext4::Ext4,
    &xfs::Xfs,
    &btrfs::Btrfs,
    &iscsi::Iscsi,
    &nvme_tcp::NvmeTcp,
    &nfs::Nfs,
];

/// What a stack may be made of; the first makes devices of files.
pub(in crate::workload) const LAYERS: &[LayerSpec] = &[
    loop_device::SPEC,
    *raid::RAID0.spec,
    *raid::RAID1.spec,
    *raid::RAID10.spec,
    *raid::RAID5.spec,
    *raid::RAID6.spec,
    *raid::LINEAR.spec,
    luks::SPEC,
    lvm::SPEC,
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

    /// About how many bytes it offers on devices of so many, never more than it does: so much may be asked for
    /// before it is made.
    fn capacity(&self, layer: &StackLayer, below: &[u64]) -> u64;

    /// Why its options cannot be had, whatever the machine; none where they can.
    fn refuses(&self, _layer: &StackLayer) -> Option<String> {
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
        let wrong = |path: &PathBuf| {
            Fault::Other(format!("{} is no name that programs can be given", path.display()))
        };
        self.below.iter().map(|path| path.to_str().ok_or_else(|| wrong(path))).collect()
    }
}

/// The kind of this name.
fn find(name: &str) -> Option<&'static dyn LayerKind> {
    TABLE.iter().copied().find(|kind| kind.spec().name == name)
}
