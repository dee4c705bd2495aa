//! dm-integrity by integritysetup(8): a tag for each sector, which is checked when that is read. A sector without a tag
//! cannot be read, so all of the device is written once at first.

use std::fs::OpenOptions;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use engine::fault::Fault;
use model::parameter::{Kind, ParameterSpec, Word};
use model::stack::{LayerRole, LayerSpec, StackLayer};

use crate::workload::disk::stack::command::{Commands, Program};
use crate::workload::disk::stack::kernel::KernelPart;
use crate::workload::disk::stack::md::TELL;
use crate::workload::disk::stack::record::LayerRecord;
use crate::workload::disk::stack::{BuildSite, LayerKind, crypt, mapping};
use crate::workload::named;

const INTEGRITYSETUP: Program =
    Program { name: "integritysetup", package: "cryptsetup-bin", version: &["--version"] };
const WIPEFS: Program = Program { name: "wipefs", package: "util-linux", version: &["--version"] };

/// What is told of the time until every sector has a tag.
const FIRST_TAGS: &str = "first-tags";
/// So much is written at once.
const PIECE: usize = 1 << 20;
/// After so many bytes it is waited until they are on the device: all at the end could take minutes, in which nobody is
/// asked whether to go on.
const SYNC_EACH: u64 = 256 << 20;

const ALGORITHM: ParameterSpec =
    ParameterSpec::new("algorithm", Kind::Choice, "How a tag is computed.").default("crc32c").words(&[
        Word { word: "crc32c", doc: "CRC-32C, 4 bytes a sector" },
        Word { word: "xxhash64", doc: "xxHash, 8 bytes a sector" },
        Word { word: "sha256", doc: "SHA-256, 32 bytes a sector" },
    ]);
const MODE: ParameterSpec =
    ParameterSpec::new("mode", Kind::Choice, "How a sector and its tag stay one after a crash.")
        .default("journal")
        .words(&[
            Word { word: "journal", doc: "both are written to a journal first" },
            Word { word: "bitmap", doc: "tags of regions that were being written are computed anew" },
            Word { word: "direct", doc: "not at all" },
        ]);
const SECTOR_SIZE: ParameterSpec =
    ParameterSpec::new("sector-size", Kind::Size, "Bytes that have one tag, 512 to 4096.").default("512");

pub(super) const SPEC: LayerSpec = LayerSpec {
    name: "integrity",
    role: LayerRole::Device,
    devices: (1, 1),
    beside: None,
    options: &[ALGORITHM, MODE, SECTOR_SIZE],
    doc: "dm-integrity, a tag for each sector",
};

/// The kind.
#[derive(Debug)]
pub(super) struct Integrity;

/// The words of integritysetup that a layer asks for: how tags are computed, and how they stay right.
fn algorithm_and_mode(layer: &StackLayer) -> (String, Option<&'static str>) {
    let word = |name: &'static str| layer.option(named(name)).map(|value| value.to_string());
    let mode = match word("mode").as_deref() {
        Some("bitmap") => Some("--integrity-bitmap-mode"),
        Some("direct") => Some("--integrity-no-journal"),
        _ => None,
    };
    (word("algorithm").unwrap_or_else(|| "crc32c".to_owned()), mode)
}

/// What tags of so many bytes leave of a device. The journal takes a part in 128 of it, 64 MiB at most
/// (`DEFAULT_JOURNAL_SIZE_FACTOR` and `DEFAULT_MAX_JOURNAL_SECTORS` in `drivers/md/dm-integrity.c`); what lies between
/// runs of sectors is filled up.
pub(super) fn room(bytes: u64, sector: u64, tag: u64) -> u64 {
    (bytes / 100 * 97).saturating_sub(1 << 20) / (sector + tag) * sector
}

/// What cryptsetup calls the mapping below one of LUKS that keeps its tags.
pub(super) fn below(name: &str) -> String {
    format!("{name}_dif")
}

/// Writes zeros to all of a mapping: what has no tag yet cannot be read. The tools do this on a mapping whose name we do
/// not know, which would stay if they were killed.
pub(super) fn write_tags(device: &Path, commands: &mut Commands<'_>) -> Result<(), Fault> {
    let begin = Instant::now();
    let fault = |e| Fault::system(format!("writing the first tags of {}", device.display()), e);
    let mut file = OpenOptions::new().write(true).open(device).map_err(fault)?;
    let all = file.seek(SeekFrom::End(0)).map_err(fault)?;
    file.rewind().map_err(fault)?;
    let zeros = vec![0; PIECE];
    let status = commands.status();
    let (mut left, mut unwritten, mut told) = (all, 0, begin);
    while left > 0 {
        commands.go_on()?;
        let piece = usize::try_from(left).unwrap_or(PIECE).min(PIECE);
        file.write_all(&zeros[..piece]).map_err(fault)?;
        left -= piece as u64;
        unwritten += piece as u64;
        if unwritten >= SYNC_EACH {
            file.sync_data().map_err(fault)?;
            unwritten = 0;
        }
        if told.elapsed() >= TELL {
            told = Instant::now();
            let percent = (all - left) as f64 / all as f64 * 100.0;
            status.tell(&format!("the first tags are written: {percent:.0} % done"));
        }
    }
    file.sync_all().map_err(fault)?;
    status.tell("");
    commands.note(FIRST_TAGS.to_owned(), begin.elapsed());
    Ok(())
}

impl LayerKind for Integrity {
    fn spec(&self) -> &'static LayerSpec {
        &SPEC
    }

    fn programs(&self) -> &'static [Program] {
        &[INTEGRITYSETUP, WIPEFS]
    }

    fn kernel(&self) -> &'static [KernelPart] {
        &[KernelPart::Mapping("dm_integrity")]
    }

    fn capacity(&self, layer: &StackLayer, below: &[u64]) -> u64 {
        let tag = match algorithm_and_mode(layer).0.as_str() {
            "crc32c" => 4,
            "xxhash64" => 8,
            _ => 32,
        };
        room(below.iter().sum(), crypt::sector_size(layer).unwrap_or(512), tag)
    }

    fn refuses(&self, layer: &StackLayer) -> Option<String> {
        crypt::refuses_sector(layer)
    }

    fn make(&self, site: &mut BuildSite<'_, '_>) -> Result<PathBuf, Fault> {
        let device = site.device()?.to_owned();
        let (algorithm, mode) = algorithm_and_mode(site.layer);
        let sector = crypt::sector_size(site.layer).unwrap_or(512).to_string();
        let name = &site.record.name;
        let format =
            ["format", "--batch-mode", "--no-wipe", "--integrity", &algorithm, "--sector-size", &sector];
        site.commands.run(&INTEGRITYSETUP, &[&format[..], &[device.as_str()]].concat())?;
        let mut open = vec!["open", "--integrity", &algorithm];
        open.extend(mode);
        open.extend([device.as_str(), name]);
        site.commands.run(&INTEGRITYSETUP, &open)?;
        let made = mapping::made(name)?;
        write_tags(&made, site.commands)?;
        Ok(made)
    }

    /// Its superblock has no UUID, so that it is known as ours by the mapping that stands on it. Nothing assembles one
    /// at the start of a machine.
    fn take_down(&self, record: &LayerRecord, commands: &mut Commands<'_>) -> Result<bool, Fault> {
        let Some(found) = mapping::find(&record.name) else { return Ok(false) };
        found.check(&record.name, &format!("CRYPT-INTEGRITY-{}", record.name))?;
        commands.run(&INTEGRITYSETUP, &["close", &record.name])?;
        if record.on_devices {
            for device in record.devices() {
                commands.run(&WIPEFS, &["--all", "--quiet", "--types", "DM_integrity", device])?;
            }
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Parameters;
    use model::value::Value;

    fn layer(options: &[(&'static str, Value)]) -> StackLayer {
        let mut parameters = Parameters::default();
        options.iter().for_each(|(name, value)| parameters.set(named(name), value.clone()));
        StackLayer { spec: &SPEC, beside: None, options: parameters }
    }

    #[test]
    fn tags_take_room_and_never_more_than_is_said() {
        let sha = ("algorithm", Value::from("sha256"));
        // Devices of 128 MiB as integritysetup 2.6.1 made them.
        for (options, offered) in
            [(vec![("sector-size", Value::from(4096u64))], 133_079_040), (vec![sha], 124_788_736)]
        {
            let capacity = Integrity.capacity(&layer(&options), &[128 << 20]);
            assert!(capacity <= offered && capacity > offered / 100 * 93, "{capacity} of {offered}");
        }
    }

    #[test]
    fn modes_are_words_of_integritysetup() {
        let of = |word: &str| algorithm_and_mode(&layer(&[("mode", Value::from(word))]));
        assert_eq!(of("journal"), ("crc32c".to_owned(), None));
        assert_eq!(of("bitmap").1, Some("--integrity-bitmap-mode"));
        assert_eq!(of("direct").1, Some("--integrity-no-journal"));
    }

    #[test]
    fn all_of_a_device_is_written() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let bytes = PIECE + PIECE / 2;
        std::fs::write(file.path(), vec![1u8; bytes]).unwrap();
        let mut never = || false;
        let stopped = write_tags(file.path(), &mut Commands::new(&mut never));
        assert!(matches!(stopped, Err(Fault::Cancelled)), "{stopped:?}");
        let mut always = || true;
        let mut commands = Commands::new(&mut always);
        write_tags(file.path(), &mut commands).unwrap();
        assert!(std::fs::read(file.path()).unwrap() == vec![0u8; bytes]);
        assert_eq!(commands.take_times()[0].step, FIRST_TAGS);
    }
}
