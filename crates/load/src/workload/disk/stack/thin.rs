//! A thin volume of LVM, as large as its pool, which is all of a group: each chunk gets its place when it is first written
//! ([`super::volume_group`]).

use std::path::PathBuf;

use engine::fault::Fault;
use model::parameter::{Kind, ParameterSpec};
use model::stack::{LayerRole, LayerSpec, StackLayer};
use model::value::Value;

use crate::workload::disk::stack::command::{Commands, Program};
use crate::workload::disk::stack::kernel::KernelPart;
use crate::workload::disk::stack::record::LayerRecord;
use crate::workload::disk::stack::volume_group::{self, LVM, VOLUME, VolumeGroup};
use crate::workload::disk::stack::{BuildSite, LayerKind};
use crate::workload::named;

/// The name of the pool.
const POOL: &str = "pool";
/// A chunk is a multiple of so much, and at most a gibibyte (lvmthin(7)).
const CHUNK_UNIT: u64 = 64 << 10;
const CHUNK_MOST: u64 = 1 << 30;
/// What metadata take at least, in whole extents, with some to spare.
const METADATA_BYTES: u64 = 16 << 20;

pub(super) const SPEC: LayerSpec = LayerSpec {
    name: "thin",
    role: LayerRole::Device,
    devices: (1, 26),
    beside: None,
    options: &[
        ParameterSpec::new(
            "chunk",
            Kind::Size,
            "Bytes that get their place together, a multiple of 64 KiB; 64 KiB without it, more of a large pool.",
        ),
        ParameterSpec::new("zero", Kind::Flag, "Whether a chunk is zeroed when it gets its place.")
            .default("yes"),
    ],
    doc: "LVM, a thin volume on a pool over all of its devices",
};

/// The kind.
#[derive(Debug)]
pub(super) struct Thin;

impl LayerKind for Thin {
    fn spec(&self) -> &'static LayerSpec {
        &SPEC
    }

    fn programs(&self) -> &'static [Program] {
        &[LVM]
    }

    fn kernel(&self) -> &'static [KernelPart] {
        &[KernelPart::Mapping("dm_mod"), KernelPart::Mapping("dm_thin_pool")]
    }

    /// Metadata take 64 bytes for each chunk of at least 64 KiB (lvmthin(7)).
    fn capacity(&self, _layer: &StackLayer, below: &[u64]) -> u64 {
        (volume_group::room(below) / 1000 * 998).saturating_sub(METADATA_BYTES)
    }

    fn refuses(&self, layer: &StackLayer) -> Option<String> {
        match layer.option(named("chunk")) {
            Some(Value::Integer(bytes))
                if bytes == 0 || !bytes.is_multiple_of(CHUNK_UNIT) || bytes > CHUNK_MOST =>
            {
                Some(format!("chunk={bytes} is no multiple of 64 KiB up to 1 GiB"))
            }
            _ => None,
        }
    }

    fn make(&self, site: &mut BuildSite<'_, '_>) -> Result<PathBuf, Fault> {
        let group = VolumeGroup::make(site)?;
        let chunk = match site.layer.option(named("chunk")) {
            Some(Value::Integer(bytes)) => Some(format!("{bytes}b")),
            _ => None,
        };
        let zero = if site.layer.option(named("zero")) == Some(Value::Bool(false)) { "n" } else { "y" };
        let mut words = vec!["--yes", "--quiet", "--type", "thin-pool", "--zero", zero];
        words.extend(chunk.iter().flat_map(|chunk| ["--chunksize", chunk.as_str()]));
        // A spare for metadata that are to be repaired would take room.
        words.extend(["--poolmetadataspare", "n", "--extents", "100%FREE", "--name", POOL, &group.name]);
        group.run(site.commands, "lvcreate", &words)?;
        let pool = group.volume(POOL);
        let ask = ["--noheadings", "--nosuffix", "--units", "b", "--options", "lv_size", &pool];
        let size = format!("{}b", group.run(site.commands, "lvs", &ask)?.trim());
        let words = ["--yes", "--quiet", "--type", "thin", "--wipesignatures", "n", "--virtualsize", &size];
        let names = ["--thinpool", POOL, "--name", VOLUME, &group.name];
        group.run(site.commands, "lvcreate", &[&words[..], &names].concat())?;
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
    fn a_chunk_is_a_multiple_and_metadata_take_room() {
        let with = |chunk: u64| {
            let mut options = Parameters::default();
            options.set(named("chunk"), chunk);
            StackLayer { spec: &SPEC, beside: None, options }
        };
        assert_eq!(Thin.refuses(&with(192 << 10)), None);
        for bad in [0, 4096, 100 << 10, 2 << 30] {
            assert!(Thin.refuses(&with(bad)).is_some(), "{bad}");
        }
        // LVM 2.03.16 made a pool of 251658240 bytes of two devices of 128 MiB.
        let capacity = Thin.capacity(&with(64 << 10), &[128 << 20, 128 << 20]);
        assert!(capacity <= 251_658_240 && capacity > 220 << 20, "{capacity}");
    }
}
