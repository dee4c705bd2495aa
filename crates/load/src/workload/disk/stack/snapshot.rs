//! A volume of LVM of which a snapshot is kept: the volume is driven, so that what a chunk was is copied before it is first
//! overwritten ([`super::volume_group`]).

use std::path::PathBuf;

use engine::fault::Fault;
use model::parameter::{Kind, ParameterSpec};
use model::stack::{LayerRole, LayerSpec, StackLayer};
use model::value::Value;

use crate::workload::disk::stack::command::{Commands, Program};
use crate::workload::disk::stack::kernel::KernelPart;
use crate::workload::disk::stack::record::LayerRecord;
use crate::workload::disk::stack::volume_group::{self, LVM, UNTOUCHED, VOLUME, VolumeGroup};
use crate::workload::disk::stack::{BuildSite, LayerKind};
use crate::workload::named;

/// The name of the snapshot.
const SNAPSHOT: &str = "kept";
/// The part of the group, in percent, that the volume has: the snapshot has room for all of it, and for its own metadata.
const PERCENT: u64 = 45;
/// Of `lvcreate --chunksize` for snapshots.
const CHUNKS: std::ops::RangeInclusive<u64> = 4 << 10..=512 << 10;
/// An extent that does not fit.
const EXTENT_BYTES: u64 = 4 << 20;

pub(super) const SPEC: LayerSpec = LayerSpec {
    name: "snapshot",
    role: LayerRole::Device,
    devices: (1, 26),
    beside: None,
    options: &[ParameterSpec::new(
        "chunk",
        Kind::Size,
        "Bytes that are copied together, a power of two from 4 to 512 KiB.",
    )
    .default("4k")],
    doc: "LVM, a volume of which a snapshot is kept",
};

/// The kind.
#[derive(Debug)]
pub(super) struct Snapshot;

fn chunk(layer: &StackLayer) -> u64 {
    match layer.option(named("chunk")) {
        Some(Value::Integer(bytes)) => bytes,
        _ => *CHUNKS.start(),
    }
}

impl LayerKind for Snapshot {
    fn spec(&self) -> &'static LayerSpec {
        &SPEC
    }

    fn programs(&self) -> &'static [Program] {
        &[LVM]
    }

    fn kernel(&self) -> &'static [KernelPart] {
        &[KernelPart::Mapping("dm_mod"), KernelPart::Mapping("dm_snapshot")]
    }

    fn capacity(&self, _layer: &StackLayer, below: &[u64]) -> u64 {
        (volume_group::room(below) / 100 * PERCENT).saturating_sub(EXTENT_BYTES)
    }

    fn refuses(&self, layer: &StackLayer) -> Option<String> {
        let bytes = chunk(layer);
        let is_good = bytes.is_power_of_two() && CHUNKS.contains(&bytes);
        (!is_good).then(|| format!("chunk={bytes} is no power of two from 4 to 512 KiB"))
    }

    fn make(&self, site: &mut BuildSite<'_, '_>) -> Result<PathBuf, Fault> {
        let group = VolumeGroup::make(site)?;
        let extents = format!("{PERCENT}%VG");
        let words = ["--yes", "--quiet", "--extents", &extents, "--name", VOLUME, &group.name];
        group.run(site.commands, "lvcreate", &[&words[..], &UNTOUCHED].concat())?;
        let chunk = format!("{}b", chunk(site.layer));
        let origin = group.volume(VOLUME);
        let words = ["--yes", "--quiet", "--snapshot", "--chunksize", &chunk, "--extents", "100%ORIGIN"];
        group.run(site.commands, "lvcreate", &[&words[..], &["--name", SNAPSHOT, &origin]].concat())?;
        group.device()
    }

    fn take_down(&self, record: &LayerRecord, commands: &mut Commands<'_>) -> Result<bool, Fault> {
        volume_group::take_down(record, commands)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Parameters;

    #[test]
    fn a_chunk_is_a_power_of_two_and_the_snapshot_takes_half() {
        let with = |chunk: u64| {
            let mut options = Parameters::default();
            options.set(named("chunk"), chunk);
            StackLayer { spec: &SPEC, beside: None, options }
        };
        for (chunk, is_good) in
            [(4096, true), (512 << 10, true), (2048, false), (12288, false), (1 << 20, false)]
        {
            assert_eq!(Snapshot.refuses(&with(chunk)).is_none(), is_good, "{chunk}");
        }
        // LVM 2.03.16 made a volume of 113246208 bytes of two devices of 128 MiB.
        let capacity = Snapshot.capacity(&with(4096), &[128 << 20, 128 << 20]);
        assert!(capacity <= 113_246_208 && capacity > 100 << 20, "{capacity}");
    }
}
