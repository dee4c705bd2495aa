//! XFS, made by mkfs.xfs(8), which makes none of less than 300 MiB, and with stripes none of 512 MiB: their log has 64 MiB
//! at least, in one of eight parts.

use std::path::PathBuf;

use engine::fault::Fault;
use model::stack::{LayerRole, LayerSpec, StackLayer};

use crate::workload::disk::stack::blkid::BLKID;
use crate::workload::disk::stack::command::{Commands, Program};
use crate::workload::disk::stack::kernel::KernelPart;
use crate::workload::disk::stack::record::LayerRecord;
use crate::workload::disk::stack::{BuildSite, LayerKind, mount, stripe};

const MKFS: Program = Program { name: "mkfs.xfs", package: "xfsprogs", version: &["-V"] };
const GROW: Program = Program { name: "xfs_growfs", package: "xfsprogs", version: &["-V"] };

pub(super) const SPEC: LayerSpec = LayerSpec {
    name: "xfs",
    role: LayerRole::FileSystem,
    devices: (1, 1),
    beside: None,
    options: &[stripe::UNIT, stripe::WIDTH, mount::OPTIONS],
    doc: "the file system XFS, of at least 300 MiB, or of at least 768 MiB where stripe-unit and stripe-width are given",
};

/// The kind.
#[derive(Debug)]
pub(super) struct Xfs;

impl LayerKind for Xfs {
    fn spec(&self) -> &'static LayerSpec {
        &SPEC
    }

    fn programs(&self) -> &'static [Program] {
        &[MKFS, mount::MOUNT, mount::UMOUNT, BLKID]
    }

    fn kernel(&self) -> &'static [KernelPart] {
        &[KernelPart::FileSystem("xfs")]
    }

    /// The log takes at least 64 MiB (mkfs.xfs(8)), and what is kept for allocations some more.
    fn capacity(&self, _layer: &StackLayer, below: &[u64]) -> u64 {
        (below.iter().sum::<u64>() / 100 * 95).saturating_sub(96 << 20)
    }

    fn refuses(&self, layer: &StackLayer) -> Option<String> {
        stripe::refuses(layer).or_else(|| mount::refuses(layer))
    }

    fn make(&self, site: &mut BuildSite<'_, '_>) -> Result<PathBuf, Fault> {
        let device = site.device()?.to_owned();
        let metadata = format!("uuid={}", site.record.uuid);
        let stripe = stripe::of(site.layer).map(|s| format!("su={},sw={}", s.unit_bytes, s.width));
        let mut words = vec!["-q", "-f", "-m", &metadata, "-L", "headroom"];
        words.extend(stripe.iter().flat_map(|stripe| ["-d", stripe.as_str()]));
        words.push(&device);
        site.commands.run(&MKFS, &words)?;
        mount::mount(site, "xfs", &[])
    }

    fn take_down(&self, record: &LayerRecord, commands: &mut Commands<'_>) -> Result<bool, Fault> {
        mount::unmount(record, commands)
    }

    fn can_grow(&self) -> bool {
        true
    }

    fn grow(&self, record: &LayerRecord, commands: &mut Commands<'_>) -> Result<(), Fault> {
        commands.run(&GROW, &["-d", mount::point_of(record)?]).map(drop)
    }
}
