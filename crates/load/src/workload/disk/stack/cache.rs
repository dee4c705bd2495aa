//! A volume of LVM with a cache on a second device, which is to be fast: dm-cache for what is read and written often, or
//! dm-writecache for what is written ([`super::volume_group`], lvmcache(7)).

use std::path::PathBuf;

use engine::fault::Fault;
use model::parameter::{Kind, ParameterSpec, Word};
use model::stack::{BesideDevice, LayerRole, LayerSpec, StackLayer};
use model::value::Value;

use crate::workload::disk::stack::command::{Commands, Program};
use crate::workload::disk::stack::kernel::KernelPart;
use crate::workload::disk::stack::record::LayerRecord;
use crate::workload::disk::stack::volume_group::{self, LVM, UNTOUCHED, VOLUME, VolumeGroup};
use crate::workload::disk::stack::{BuildSite, LayerKind};
use crate::workload::named;

/// The name of the volume on the fast device.
const FAST: &str = "fast";
/// A chunk is a multiple of so much, and at most a gibibyte (lvmcache(7)).
const CHUNK_UNIT: u64 = 32 << 10;
const CHUNK_MOST: u64 = 1 << 30;

const MODE: ParameterSpec =
    ParameterSpec::new("mode", Kind::Choice, "When what is written reaches the slow device.")
        .default("writethrough")
        .words(&[
            Word { word: "writethrough", doc: "before it is said to be written" },
            Word { word: "writeback", doc: "later" },
        ]);
const CHUNK: ParameterSpec = ParameterSpec::new(
    "chunk",
    Kind::Size,
    "Bytes that are cached together, a multiple of 32 KiB; 64 KiB without it, more of a large cache.",
);

/// The kinds, as each is made.
#[derive(Debug)]
pub(super) struct Cache {
    pub(super) spec: &'static LayerSpec,
    kernel: &'static [KernelPart],
}

const BESIDE: Option<BesideDevice> = Some(BesideDevice { name: FAST, required: true });

pub(super) const CACHE: Cache = Cache {
    spec: &LayerSpec {
        name: "cache",
        role: LayerRole::Device,
        devices: (1, 1),
        beside: BESIDE,
        options: &[MODE, CHUNK],
        doc: "LVM, a volume with a cache on a fast device, by dm-cache",
    },
    kernel: &[KernelPart::Mapping("dm_mod"), KernelPart::Mapping("dm_cache")],
};

pub(super) const WRITECACHE: Cache = Cache {
    spec: &LayerSpec {
        name: "writecache",
        role: LayerRole::Device,
        devices: (1, 1),
        beside: BESIDE,
        options: &[],
        doc: "LVM, a volume of which writes go to a fast device first, by dm-writecache",
    },
    kernel: &[KernelPart::Mapping("dm_mod"), KernelPart::Mapping("dm_writecache")],
};

impl Cache {
    /// The words of `lvconvert` for what a layer asks for.
    fn convert_words(&self, layer: &StackLayer) -> Vec<String> {
        let mut words = vec!["--yes".to_owned(), "--quiet".to_owned(), "--type".to_owned()];
        words.extend([self.spec.name.to_owned(), "--cachevol".to_owned(), FAST.to_owned()]);
        if let Some(Value::Text(mode)) = layer.option(named("mode")) {
            words.extend(["--cachemode".to_owned(), mode]);
        }
        if let Some(Value::Integer(bytes)) = layer.option(named("chunk")) {
            words.extend(["--chunksize".to_owned(), format!("{bytes}b")]);
        }
        words
    }
}

impl LayerKind for Cache {
    fn spec(&self) -> &'static LayerSpec {
        self.spec
    }

    fn programs(&self) -> &'static [Program] {
        &[LVM]
    }

    fn kernel(&self) -> &'static [KernelPart] {
        self.kernel
    }

    fn capacity(&self, _layer: &StackLayer, below: &[u64]) -> u64 {
        volume_group::room(below)
    }

    fn refuses(&self, layer: &StackLayer) -> Option<String> {
        match layer.option(named("chunk")) {
            Some(Value::Integer(bytes))
                if bytes == 0 || !bytes.is_multiple_of(CHUNK_UNIT) || bytes > CHUNK_MOST =>
            {
                Some(format!("chunk={bytes} is no multiple of 32 KiB up to 1 GiB"))
            }
            _ => None,
        }
    }

    fn make(&self, site: &mut BuildSite<'_, '_>) -> Result<PathBuf, Fault> {
        let group = VolumeGroup::make(site)?;
        let [slow, fast] = &group.devices[..] else {
            return Err(Fault::Other(format!("a {} has two devices", self.spec.name)));
        };
        // The one on the fast device is attached where it is not in use.
        for (name, device, active) in [(VOLUME, slow, "y"), (FAST, fast, "n")] {
            let words = ["--yes", "--quiet", "--activate", active, "--extents", "100%PVS", "--name", name];
            let all = [&words[..], &UNTOUCHED, &[group.name.as_str(), device]].concat();
            group.run(site.commands, "lvcreate", &all)?;
        }
        let (words, volume) = (self.convert_words(site.layer), group.volume(VOLUME));
        let words: Vec<&str> = words.iter().map(String::as_str).chain([volume.as_str()]).collect();
        group.run(site.commands, "lvconvert", &words)?;
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
    fn what_is_asked_for_is_told_to_lvm() {
        let mut options = Parameters::default();
        options.set(named("chunk"), 65536u64);
        options.set(named("mode"), "writeback");
        let layer = StackLayer { spec: CACHE.spec, beside: Some('b'), options };
        let words = CACHE.convert_words(&layer).join(" ");
        assert_eq!(
            words,
            "--yes --quiet --type cache --cachevol fast --cachemode writeback --chunksize 65536b"
        );
        let plain = StackLayer { spec: WRITECACHE.spec, beside: Some('b'), options: Parameters::default() };
        assert_eq!(
            WRITECACHE.convert_words(&plain).join(" "),
            "--yes --quiet --type writecache --cachevol fast"
        );
        assert_eq!(CACHE.refuses(&layer), None);
        assert_eq!(CACHE.capacity(&layer, &[108 << 20]), 100 << 20);
        let mut odd = layer.clone();
        odd.options.set(named("chunk"), 40_000u64);
        assert!(CACHE.refuses(&odd).unwrap().contains("multiple of 32 KiB"));
    }
}
