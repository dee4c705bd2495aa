//! LUKS 2 by cryptsetup(8), with a random passphrase that is told to it on its standard input and to nobody else.

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

const CRYPTSETUP: Program =
    Program { name: "cryptsetup", package: "cryptsetup-bin", version: &["--version"] };
const WIPEFS: Program = Program { name: "wipefs", package: "util-linux", version: &["--version"] };

/// The headers of LUKS 2 take so much at the start of a device (cryptsetup-luksFormat(8)).
const HEADER_BYTES: u64 = 16 << 20;

const CIPHER: ParameterSpec =
    ParameterSpec::new("cipher", Kind::Choice, "How it is encrypted.").default("aes-xts").words(&[
        Word { word: "aes-xts", doc: "AES in XTS mode with a key of 512 bits, cryptsetup's default" },
        Word { word: "aes-128-xts", doc: "the same with a key of 256 bits" },
        Word { word: "adiantum", doc: "Adiantum with XChaCha12, for processors without AES" },
    ]);

pub(super) const SPEC: LayerSpec = LayerSpec {
    name: "luks",
    role: LayerRole::Device,
    devices: (1, 1),
    options: &[
        CIPHER,
        ParameterSpec::new("sector-size", Kind::Size, "Bytes that are encrypted together, 512 to 4096."),
        ParameterSpec::new("no-read-workqueue", Kind::Flag, "Whether reads are decrypted where they end.")
            .default("no"),
        ParameterSpec::new(
            "no-write-workqueue",
            Kind::Flag,
            "Whether writes are encrypted where they begin.",
        )
        .default("no"),
        ParameterSpec::new("discard", Kind::Flag, "Whether discards are passed down.").default("no"),
    ],
    doc: "LUKS 2, encryption by dm-crypt",
};

/// The kind.
#[derive(Debug)]
pub(super) struct Luks;

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

    fn capacity(&self, _layer: &StackLayer, below: &[u64]) -> u64 {
        below.iter().sum::<u64>().saturating_sub(HEADER_BYTES)
    }

    fn refuses(&self, layer: &StackLayer) -> Option<String> {
        match layer.option(named("sector-size")) {
            Some(Value::Integer(512 | 1024 | 2048 | 4096)) | None => None,
            Some(other) => Some(format!("sector-size={other} is none of 512, 1024, 2048 and 4096")),
        }
    }

    fn make(&self, site: &mut BuildSite<'_, '_>) -> Result<PathBuf, Fault> {
        let device = site.device()?.to_owned();
        let option = |name: &'static str| site.layer.option(named(name));
        let flag = |name: &'static str| option(name) == Some(Value::Bool(true));
        let (cipher, key_bits) = match option("cipher") {
            Some(Value::Text(word)) if word == "adiantum" => ("xchacha12,aes-adiantum-plain64", "256"),
            Some(Value::Text(word)) if word == "aes-128-xts" => ("aes-xts-plain64", "256"),
            _ => ("aes-xts-plain64", "512"),
        };
        let sector = match option("sector-size") {
            Some(Value::Integer(bytes)) => Some(bytes.to_string()),
            _ => None,
        };
        let passphrase = random::digits(&random::bytes::<32>()?);
        let LayerRecord { uuid, name, .. } = site.record;
        let mut words = vec!["luksFormat", "--batch-mode", "--type", "luks2", "--uuid", uuid];
        // How long a passphrase is stretched is of no interest: this one cannot be guessed.
        words.extend(["--pbkdf", "pbkdf2", "--pbkdf-force-iterations", "1000"]);
        words.extend(["--cipher", cipher, "--key-size", key_bits, "--key-file", "-"]);
        words.extend(sector.iter().flat_map(|bytes| ["--sector-size", bytes.as_str()]));
        words.push(&device);
        let mut open = vec!["open", "--type", "luks2", "--key-file", "-"];
        let flags = [
            ("no-read-workqueue", "--perf-no_read_workqueue"),
            ("no-write-workqueue", "--perf-no_write_workqueue"),
            ("discard", "--allow-discards"),
        ];
        open.extend(flags.into_iter().filter(|(option, _)| flag(option)).map(|(_, word)| word));
        open.extend([device.as_str(), name]);
        site.commands.run_with(&CRYPTSETUP, &words, passphrase.as_bytes())?;
        site.commands.run_with(&CRYPTSETUP, &open, passphrase.as_bytes())?;
        let made = mapping::find(name);
        made.map(|made| made.path).ok_or_else(|| Fault::Other(format!("the mapping {name} is not there")))
    }

    fn take_down(&self, record: &LayerRecord, commands: &mut Commands<'_>) -> Result<bool, Fault> {
        let found = mapping::find(&record.name);
        if let Some(found) = &found {
            // `CRYPT-LUKS2-` and the digits of the UUID (dm_prepare_uuid in lib/libdevmapper.c of cryptsetup).
            if !found.uuid.contains(&random::bare(&record.uuid)) {
                return Err(Fault::Other(format!(
                    "the mapping {} has the UUID {}, and {} was made: it is left alone",
                    record.name, found.uuid, record.uuid
                )));
            }
            commands.run(&CRYPTSETUP, &["close", &record.name])?;
        }
        if record.on_devices {
            for device in record.below.iter().filter_map(|path| path.to_str()) {
                let uuid = commands.ask(&CRYPTSETUP, &["luksUUID", device]);
                if uuid.is_some_and(|uuid| uuid.trim() == record.uuid) {
                    commands.run(&WIPEFS, &["--all", "--quiet", "--types", "crypto_LUKS", device])?;
                }
            }
        }
        Ok(found.is_some())
    }
}
