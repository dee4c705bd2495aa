//! LUKS 2 by cryptsetup(8), with a random passphrase that is told to it on its standard input and to nobody else.

use std::path::PathBuf;

use engine::fault::Fault;
use model::parameter::{Kind, ParameterSpec, Word};
use model::stack::{LayerRole, LayerSpec, StackLayer};
use model::value::Value;

use crate::workload::disk::stack::command::{Commands, Program};
use crate::workload::disk::stack::crypt::{self, CRYPTSETUP, Cipher};
use crate::workload::disk::stack::kernel::KernelPart;
use crate::workload::disk::stack::record::LayerRecord;
use crate::workload::disk::stack::{BuildSite, LayerKind, integrity, mapping, random};
use crate::workload::named;

const WIPEFS: Program = Program { name: "wipefs", package: "util-linux", version: &["--version"] };

/// The headers of LUKS 2 take so much at the start of a device (cryptsetup-luksFormat(8)).
const HEADER_BYTES: u64 = 16 << 20;
/// A tag of HMAC-SHA-256 takes so much for each sector.
const TAG_BYTES: u64 = 32;

const INTEGRITY: ParameterSpec = ParameterSpec::new(
    "integrity",
    Kind::Choice,
    "Whether what is read is checked; then all of the device is written once at first.",
)
.default("none")
.words(&[
    Word { word: "none", doc: "it is not" },
    Word { word: "hmac-sha256", doc: "by a tag of HMAC-SHA-256 for each sector, which dm-integrity keeps" },
]);

pub(super) const SPEC: LayerSpec = LayerSpec {
    name: "luks",
    role: LayerRole::Device,
    devices: (1, 1),
    beside: None,
    options: &[
        crypt::CIPHER,
        crypt::SECTOR_SIZE,
        INTEGRITY,
        crypt::NO_READ_WORKQUEUE,
        crypt::NO_WRITE_WORKQUEUE,
        crypt::DISCARD,
    ],
    doc: "LUKS 2, encryption by dm-crypt",
};

/// The kind.
#[derive(Debug)]
pub(super) struct Luks;

/// The tags that a layer asks for, as cryptsetup calls them.
fn integrity_of(layer: &StackLayer) -> Option<String> {
    match layer.option(named("integrity")) {
        Some(Value::Text(word)) if word != "none" => Some(word),
        _ => None,
    }
}

impl LayerKind for Luks {
    fn spec(&self) -> &'static LayerSpec {
        &SPEC
    }

    fn programs(&self) -> &'static [Program] {
        &[CRYPTSETUP, WIPEFS]
    }

    fn kernel(&self) -> &'static [KernelPart] {
        &[KernelPart::Mapping("dm_crypt")]
    }

    /// The mapping that keeps the tags is removed by its own program, where it was left alone.
    fn programs_of(&self, layer: &StackLayer) -> &'static [Program] {
        if integrity_of(layer).is_some() { &[mapping::DMSETUP] } else { &[] }
    }

    fn kernel_of(&self, layer: &StackLayer) -> &'static [KernelPart] {
        if integrity_of(layer).is_some() { &[KernelPart::Mapping("dm_integrity")] } else { &[] }
    }

    fn capacity(&self, layer: &StackLayer, below: &[u64]) -> u64 {
        let bytes = below.iter().sum::<u64>().saturating_sub(HEADER_BYTES);
        match integrity_of(layer) {
            Some(_) => integrity::room(bytes, crypt::sector_size(layer).unwrap_or(512), TAG_BYTES),
            None => bytes,
        }
    }

    fn refuses(&self, layer: &StackLayer) -> Option<String> {
        if integrity_of(layer).is_some() {
            if layer.option(named("discard")) == Some(Value::Bool(true)) {
                return Some("what keeps integrity passes no discards down".to_owned());
            }
            if crypt::cipher(layer).name.contains("adiantum") {
                return Some("integrity goes with AES alone".to_owned());
            }
        }
        crypt::refuses_sector(layer)
    }

    fn make(&self, site: &mut BuildSite<'_, '_>) -> Result<PathBuf, Fault> {
        let device = site.device()?.to_owned();
        let Cipher { name: cipher, key_bits } = crypt::cipher(site.layer);
        let bits = key_bits.to_string();
        let sector = crypt::sector_size(site.layer).map(|bytes| bytes.to_string());
        let tags = integrity_of(site.layer);
        let passphrase = random::digits(&random::bytes::<32>()?);
        let LayerRecord { uuid, name, .. } = site.record;
        let mut words = vec!["luksFormat", "--batch-mode", "--type", "luks2", "--uuid", uuid];
        // How long a passphrase is stretched is of no interest: this one cannot be guessed.
        words.extend(["--pbkdf", "pbkdf2", "--pbkdf-force-iterations", "1000"]);
        words.extend(["--cipher", cipher, "--key-size", &bits, "--key-file", "-"]);
        words.extend(sector.iter().flat_map(|bytes| ["--sector-size", bytes.as_str()]));
        // We write the first tags, on a mapping that bears our name.
        words.extend(tags.iter().flat_map(|tags| ["--integrity", tags.as_str(), "--integrity-no-wipe"]));
        words.push(&device);
        let mut open = vec!["open", "--type", "luks2", "--key-file", "-"];
        open.extend(crypt::open_flags(site.layer));
        open.extend([device.as_str(), name]);
        site.commands.run_with(&CRYPTSETUP, &words, passphrase.as_bytes())?;
        site.commands.run_with(&CRYPTSETUP, &open, passphrase.as_bytes())?;
        let made = mapping::made(name)?;
        if tags.is_some() {
            integrity::write_tags(&made, site.commands)?;
        }
        Ok(made)
    }

    fn take_down(&self, record: &LayerRecord, commands: &mut Commands<'_>) -> Result<bool, Fault> {
        let found = mapping::find(&record.name);
        if let Some(found) = &found {
            // `CRYPT-LUKS2-` and the digits of the UUID (dm_prepare_uuid in lib/libdevmapper.c of cryptsetup).
            found.check(&record.name, &random::bare(&record.uuid))?;
            commands.run(&CRYPTSETUP, &["close", &record.name])?;
        }
        // The one that keeps the tags is made first, and may have been left alone.
        let tags = integrity::below(&record.name);
        let left = mapping::find(&tags);
        if let Some(left) = &left {
            left.check(&tags, &random::bare(&record.uuid))?;
            mapping::remove(&tags, commands)?;
        }
        if record.on_devices {
            for device in record.devices() {
                let uuid = commands.ask(&CRYPTSETUP, &["luksUUID", device]);
                if uuid.is_some_and(|uuid| uuid.trim() == record.uuid) {
                    commands.run(&WIPEFS, &["--all", "--quiet", "--types", "crypto_LUKS", device])?;
                }
            }
        }
        Ok(found.is_some() || left.is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Parameters;

    fn layer(options: &[(&'static str, Value)]) -> StackLayer {
        let mut parameters = Parameters::default();
        options.iter().for_each(|(name, value)| parameters.set(named(name), value.clone()));
        StackLayer { spec: &SPEC, beside: None, options: parameters }
    }

    #[test]
    fn tags_take_room_and_exclude_options_of_plain_sectors() {
        let integrity = ("integrity", Value::from("hmac-sha256"));
        let bytes = 116 << 20;
        assert_eq!(Luks.capacity(&layer(&[]), &[bytes]), 100 << 20);
        assert!(Luks.capacity(&layer(std::slice::from_ref(&integrity)), &[bytes]) < 94 << 20);
        // As measured: 115572736 bytes of a device of 128 MiB.
        let large = [integrity.clone(), ("sector-size", 4096u64.into())];
        let capacity = Luks.capacity(&layer(&large), &[128 << 20]);
        assert!(capacity <= 115_572_736 && capacity > 105 << 20, "{capacity}");
        assert_eq!(Luks.refuses(&layer(&large)), None);
        let needs = |layer: &StackLayer| (Luks.programs_of(layer).len(), Luks.kernel_of(layer).len());
        assert_eq!((needs(&layer(&large)), needs(&layer(&[]))), ((1, 1), (0, 0)));
        let both = layer(&[integrity, ("discard", true.into())]);
        assert!(Luks.refuses(&both).unwrap().contains("no discards"));
        assert!(Luks.refuses(&layer(&[("sector-size", 600u64.into())])).unwrap().contains("none of 512"));
    }
}
