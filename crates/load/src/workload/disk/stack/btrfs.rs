//! btrfs, made by mkfs.btrfs(8), on one device or several.

use std::path::PathBuf;

use engine::fault::Fault;
use model::parameter::{Kind, ParameterSpec, Word};
use model::stack::{LayerRole, LayerSpec, StackLayer};
use model::value::Value;

use crate::workload::disk::stack::blkid::BLKID;
use crate::workload::disk::stack::command::{Commands, Program};
use crate::workload::disk::stack::kernel::KernelPart;
use crate::workload::disk::stack::record::LayerRecord;
use crate::workload::disk::stack::{Below, BuildSite, LayerKind, mount};
use crate::workload::named;

const MKFS: Program = Program { name: "mkfs.btrfs", package: "btrfs-progs", version: &["--version"] };
const BTRFS: Program = Program { name: "btrfs", package: "btrfs-progs", version: &["--version"] };

const DATA: ParameterSpec =
    ParameterSpec::new("data", Kind::Choice, "How data lie on several devices.").default("single").words(&[
        Word { word: "single", doc: "each extent on one" },
        Word { word: "raid0", doc: "striped" },
        Word { word: "raid1", doc: "on two" },
        Word { word: "raid10", doc: "striped over pairs, of four at least" },
    ]);

const COMPRESSION: ParameterSpec =
    ParameterSpec::new("compression", Kind::Choice, "How data are compressed.").default("no").words(&[
        Word { word: "no", doc: "not at all" },
        Word { word: "zstd", doc: "by Zstandard" },
        Word { word: "lzo", doc: "by LZO" },
        Word { word: "zlib", doc: "by zlib" },
    ]);

pub(super) const SPEC: LayerSpec = LayerSpec {
    name: "btrfs",
    role: LayerRole::FileSystem,
    devices: (1, 26),
    beside: None,
    options: &[DATA, COMPRESSION, mount::OPTIONS],
    doc: "the file system btrfs, on one device or several",
};

/// The kind.
#[derive(Debug)]
pub(super) struct Btrfs;

impl LayerKind for Btrfs {
    fn spec(&self) -> &'static LayerSpec {
        &SPEC
    }

    fn programs(&self) -> &'static [Program] {
        &[MKFS, mount::MOUNT, mount::UMOUNT, BLKID]
    }

    fn kernel(&self) -> &'static [KernelPart] {
        &[KernelPart::FileSystem("btrfs")]
    }

    /// Metadata are there twice, and chunks of them are taken as they are needed.
    fn capacity(&self, layer: &StackLayer, below: &[u64]) -> u64 {
        let copies = match layer.option(named("data")) {
            Some(Value::Text(word)) if word == "raid1" || word == "raid10" => 2,
            _ => 1,
        };
        below.iter().sum::<u64>() / 100 * 70 / copies
    }

    fn refuses(&self, layer: &StackLayer) -> Option<String> {
        mount::refuses(layer)
    }

    fn refuses_on(&self, layer: &StackLayer, below: Below<'_>) -> Option<String> {
        let Some(Value::Text(data)) = layer.option(DATA.name) else { return None };
        let fewest = match data.as_str() {
            "raid0" | "raid1" => 2,
            "raid10" => 4,
            _ => 1,
        };
        (below.devices < fewest)
            .then(|| format!("data={data} needs at least {fewest} devices, and here are {}", below.devices))
    }

    fn make(&self, site: &mut BuildSite<'_, '_>) -> Result<PathBuf, Fault> {
        let word = |name: &'static str| site.layer.option(named(name)).map(|value| value.to_string());
        let data = word("data").unwrap_or_else(|| "single".to_owned());
        let compression = word("compression").filter(|word| word != "no");
        let devices: Vec<String> = site.devices()?.into_iter().map(str::to_owned).collect();
        let mut words = vec!["-q", "-f", "-U", &site.record.uuid, "-L", "headroom", "-d", &data];
        words.extend(devices.iter().map(String::as_str));
        site.commands.run(&MKFS, &words)?;
        let others = devices.iter().skip(1).map(|device| format!("device={device}"));
        let more: Vec<String> = others.chain(compression.map(|word| format!("compress={word}"))).collect();
        mount::mount(site, "btrfs", &more)
    }

    fn take_down(&self, record: &LayerRecord, commands: &mut Commands<'_>) -> Result<bool, Fault> {
        mount::unmount(record, commands)
    }

    fn can_grow(&self) -> bool {
        true
    }

    fn grow(&self, record: &LayerRecord, commands: &mut Commands<'_>) -> Result<(), Fault> {
        commands.run(&BTRFS, &["filesystem", "resize", "max", mount::point_of(record)?]).map(drop)
    }
}
