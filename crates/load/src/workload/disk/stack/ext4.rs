//! ext4, made by mke2fs(8).

use std::fmt::Write;
use std::path::PathBuf;

use engine::fault::Fault;
use model::parameter::{Kind, ParameterSpec};
use model::stack::{LayerRole, LayerSpec, StackLayer};
use model::value::Value;

use crate::workload::disk::stack::blkid::BLKID;
use crate::workload::disk::stack::command::{Commands, Program};
use crate::workload::disk::stack::kernel::KernelPart;
use crate::workload::disk::stack::record::LayerRecord;
use crate::workload::disk::stack::stripe::{self, Stripe};
use crate::workload::disk::stack::{BuildSite, LayerKind, device_below, mount};
use crate::workload::named;

const MKFS: Program = Program { name: "mkfs.ext4", package: "e2fsprogs", version: &["-V"] };
const RESIZE: Program = Program { name: "resize2fs", package: "e2fsprogs", version: &["-V"] };

/// The bytes of a block where stripes are told.
const BLOCK_BYTES: u64 = 4096;

pub(super) const SPEC: LayerSpec = LayerSpec {
    name: "ext4",
    role: LayerRole::FileSystem,
    devices: (1, 1),
    beside: None,
    options: &[
        ParameterSpec::new("journal", Kind::Flag, "Whether it has a journal.").default("yes"),
        stripe::UNIT,
        stripe::WIDTH,
        mount::OPTIONS,
    ],
    doc: "the file system ext4",
};

/// The kind.
#[derive(Debug)]
pub(super) struct Ext4;

impl LayerKind for Ext4 {
    fn spec(&self) -> &'static LayerSpec {
        &SPEC
    }

    fn programs(&self) -> &'static [Program] {
        &[MKFS, mount::MOUNT, mount::UMOUNT, BLKID]
    }

    fn kernel(&self) -> &'static [KernelPart] {
        &[KernelPart::FileSystem("ext4")]
    }

    /// Inodes take 256 bytes for each 16 KiB, the journal up to 64 MiB of a gibibyte, and root keeps 5 %
    /// (mke2fs.conf(5)).
    fn capacity(&self, _layer: &StackLayer, below: &[u64]) -> u64 {
        below.iter().sum::<u64>() / 100 * 85
    }

    fn refuses(&self, layer: &StackLayer) -> Option<String> {
        stripe::refuses(layer).or_else(|| mount::refuses(layer))
    }

    fn make(&self, site: &mut BuildSite<'_, '_>) -> Result<PathBuf, Fault> {
        let device = site.device()?.to_owned();
        // What is not written now a thread of the kernel writes while loads are measured.
        let mut extended = "lazy_itable_init=0,lazy_journal_init=0".to_owned();
        let stripe = stripe::of(site.layer);
        if let Some(Stripe { unit_bytes, width }) = stripe {
            // Both in blocks.
            let stride = unit_bytes / BLOCK_BYTES;
            let _ = write!(extended, ",stride={stride},stripe_width={}", stride * width);
        }
        let journal = match site.layer.option(named("journal")) {
            Some(Value::Bool(false)) => "^has_journal",
            _ => "has_journal",
        };
        let uuid = &site.record.uuid;
        let block = BLOCK_BYTES.to_string();
        let mut words = vec!["-q", "-F", "-U", uuid, "-L", "headroom", "-E", &extended, "-O", journal];
        if stripe.is_some() {
            // Small ones would have blocks of 1 KiB.
            words.extend(["-b", &block]);
        }
        words.push(&device);
        site.commands.run(&MKFS, &words)?;
        mount::mount(site, "ext4", &[])
    }

    fn take_down(&self, record: &LayerRecord, commands: &mut Commands<'_>) -> Result<bool, Fault> {
        mount::unmount(record, commands)
    }

    fn can_grow(&self) -> bool {
        true
    }

    fn grow(&self, record: &LayerRecord, commands: &mut Commands<'_>) -> Result<(), Fault> {
        commands.run(&RESIZE, &[device_below(record)?]).map(drop)
    }
}
