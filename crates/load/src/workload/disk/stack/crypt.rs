//! Plain dm-crypt by cryptsetup(8): no header, and a random key that nobody keeps. Its options are those of what
//! encrypts, so LUKS has them, too ([`super::luks`]).

use std::path::PathBuf;

use engine::fault::Fault;
use model::parameter::{Kind, ParameterSpec, Word};
use model::stack::{LayerRole, LayerSpec, StackLayer};
use model::value::Value;

use crate::workload::disk::stack::command::{Commands, Program};
use crate::workload::disk::stack::kernel::KernelPart;
use crate::workload::disk::stack::record::LayerRecord;
use crate::workload::disk::stack::{BuildSite, LayerKind, mapping, random};
use crate::workload::named;

pub(super) const CRYPTSETUP: Program =
    Program { name: "cryptsetup", package: "cryptsetup-bin", version: &["--version"] };

pub(super) const CIPHER: ParameterSpec =
    ParameterSpec::new("cipher", Kind::Choice, "How it is encrypted.").default("aes-xts").words(&[
        Word { word: "aes-xts", doc: "AES in XTS mode with a key of 512 bits, cryptsetup's default" },
        Word { word: "aes-128-xts", doc: "the same with a key of 256 bits" },
        Word { word: "adiantum", doc: "Adiantum with XChaCha12, for processors without AES" },
    ]);
pub(super) const SECTOR_SIZE: ParameterSpec =
    ParameterSpec::new("sector-size", Kind::Size, "Bytes that are encrypted together, 512 to 4096.");
pub(super) const NO_READ_WORKQUEUE: ParameterSpec =
    ParameterSpec::new("no-read-workqueue", Kind::Flag, "Whether reads are decrypted where they end.")
        .default("no");
pub(super) const NO_WRITE_WORKQUEUE: ParameterSpec =
    ParameterSpec::new("no-write-workqueue", Kind::Flag, "Whether writes are encrypted where they begin.")
        .default("no");
pub(super) const DISCARD: ParameterSpec =
    ParameterSpec::new("discard", Kind::Flag, "Whether discards are passed down.").default("no");

pub(super) const SPEC: LayerSpec = LayerSpec {
    name: "crypt",
    role: LayerRole::Device,
    devices: (1, 1),
    beside: None,
    options: &[CIPHER, SECTOR_SIZE, NO_READ_WORKQUEUE, NO_WRITE_WORKQUEUE, DISCARD],
    doc: "plain encryption by dm-crypt, without a header",
};

/// A cipher with the size of its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cipher {
    /// As dm-crypt calls it.
    pub(super) name: &'static str,
    pub(super) key_bits: u16,
}

/// The one that a layer asks for.
pub(super) fn cipher(layer: &StackLayer) -> Cipher {
    match layer.option(named("cipher")) {
        Some(Value::Text(word)) if word == "adiantum" => {
            Cipher { name: "xchacha12,aes-adiantum-plain64", key_bits: 256 }
        }
        Some(Value::Text(word)) if word == "aes-128-xts" => Cipher { name: "aes-xts-plain64", key_bits: 256 },
        _ => Cipher { name: "aes-xts-plain64", key_bits: 512 },
    }
}

/// The bytes that are encrypted together, as a layer asks for them.
pub(super) fn sector_size(layer: &StackLayer) -> Option<u64> {
    match layer.option(named("sector-size")) {
        Some(Value::Integer(bytes)) => Some(bytes),
        _ => None,
    }
}

/// Why there are no sectors of the size that a layer asks for.
pub(super) fn refuses_sector(layer: &StackLayer) -> Option<String> {
    match sector_size(layer) {
        Some(512 | 1024 | 2048 | 4096) | None => None,
        Some(other) => Some(format!("sector-size={other} is none of 512, 1024, 2048 and 4096")),
    }
}

/// What `cryptsetup open` is told of how the mapping works.
pub(super) fn open_flags(layer: &StackLayer) -> Vec<&'static str> {
    let flags = [
        ("no-read-workqueue", "--perf-no_read_workqueue"),
        ("no-write-workqueue", "--perf-no_write_workqueue"),
        ("discard", "--allow-discards"),
    ];
    let is_set = |name: &'static str| layer.option(named(name)) == Some(Value::Bool(true));
    flags.into_iter().filter(|(option, _)| is_set(option)).map(|(_, word)| word).collect()
}

/// The kind.
#[derive(Debug)]
pub(super) struct Crypt;

impl LayerKind for Crypt {
    fn spec(&self) -> &'static LayerSpec {
        &SPEC
    }

    fn programs(&self) -> &'static [Program] {
        &[CRYPTSETUP]
    }

    fn kernel(&self) -> &'static [KernelPart] {
        &[KernelPart::Mapping("dm_crypt")]
    }

    fn capacity(&self, _layer: &StackLayer, below: &[u64]) -> u64 {
        below.iter().sum()
    }

    fn refuses(&self, layer: &StackLayer) -> Option<String> {
        refuses_sector(layer)
    }

    fn make(&self, site: &mut BuildSite<'_, '_>) -> Result<PathBuf, Fault> {
        let device = site.device()?.to_owned();
        let Cipher { name: cipher, key_bits } = cipher(site.layer);
        let bits = key_bits.to_string();
        let sector = sector_size(site.layer).map(|bytes| bytes.to_string());
        let name = &site.record.name;
        let mut words = vec!["open", "--batch-mode", "--type", "plain", "--cipher", cipher];
        // A key from a file is taken as it is, and of this one only so much.
        words.extend(["--key-size", &bits, "--key-file", "-"]);
        words.extend(sector.iter().flat_map(|bytes| ["--sector-size", bytes.as_str()]));
        words.extend(open_flags(site.layer));
        words.extend([device.as_str(), name]);
        let key = random::bytes::<64>()?;
        site.commands.run_with(&CRYPTSETUP, &words, &key)?;
        mapping::made(name)
    }

    /// The device mapper's UUID has our name in it (dm_prepare_uuid in `lib/libdevmapper.c` of cryptsetup). Nothing of
    /// it is on the device.
    fn take_down(&self, record: &LayerRecord, commands: &mut Commands<'_>) -> Result<bool, Fault> {
        let Some(found) = mapping::find(&record.name) else { return Ok(false) };
        found.check(&record.name, &format!("CRYPT-PLAIN-{}", record.name))?;
        commands.run(&CRYPTSETUP, &["close", &record.name])?;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Parameters;

    #[test]
    fn each_cipher_has_a_key_and_flags_are_words_of_cryptsetup() {
        let layer = |word: &str| {
            let mut options = Parameters::default();
            options.set(named("cipher"), word);
            options.set(named("no-write-workqueue"), true);
            StackLayer { spec: &SPEC, beside: None, options }
        };
        let of = |word: &str| (cipher(&layer(word)).name, cipher(&layer(word)).key_bits);
        assert_eq!(of("aes-xts"), ("aes-xts-plain64", 512));
        assert_eq!(of("aes-128-xts"), ("aes-xts-plain64", 256));
        assert_eq!(of("adiantum"), ("xchacha12,aes-adiantum-plain64", 256));
        assert_eq!(open_flags(&layer("aes-xts")), ["--perf-no_write_workqueue"]);
        assert_eq!(sector_size(&layer("aes-xts")), None);
    }
}
