//! Files and devices that are ready to be driven, and what is asked of them.

use std::fs::File;
use std::os::unix::fs::MetadataExt;

use engine::fault::Fault;
use model::plan::{FixtureKey, Ownership};
use model::profile::TargetState;
use model::scalar::binary;
use model::{FactName, Value, fact};
use serde::{Deserialize, Serialize};

use crate::fixture::Fixture;
use crate::host::DeviceProbe;
use crate::workload::disk::content::Content;
use crate::workload::disk::identity;
use crate::workload::disk::kept::KeptUse;
use crate::workload::disk::reopen::{OpenMode, reopen};

/// What kinds of fixtures they are.
pub(super) const FILE: &str = "file";
pub(super) const DEVICE: &str = "device";

/// What tells one from another, beside what every fixture has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Details {
    /// Into how many files of equal size the bytes are divided.
    pub(super) files: u64,
    /// What is written into it.
    pub(super) content: Content,
    /// Whether all of it is discarded first.
    pub(super) purge: bool,
    /// Whether it is kept for later runs, and found again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) kept: bool,
}

impl Details {
    /// What `key` asks for, if it is one of a file or a device.
    pub(super) fn of(key: &FixtureKey) -> Result<Self, Fault> {
        serde_json::from_value(key.details.clone()).map_err(|e| {
            Fault::Other(format!("this agent does not understand how to prepare {}: {e}", key.target))
        })
    }

    /// `key` with these details, and what it costs to make.
    pub(super) fn put(&self, mut key: FixtureKey) -> FixtureKey {
        let passes = match (key.ownership, &key.state) {
            (Ownership::Borrowed, _) => 0,
            _ if key.used_up => 0,
            (_, TargetState::Steady) => 2,
            // Making a file of ours fills it.
            (Ownership::Created, _) | (_, TargetState::Filled) => 1,
            _ => 0,
        };
        key.details = serde_json::json!(self);
        key.written = key.bytes.saturating_mul(passes);
        key.discarded = if self.purge && key.kind == DEVICE { key.bytes } else { 0 };
        key
    }

    /// What is done to the target of `key`, in a sentence without a full stop.
    pub(super) fn about(&self, key: &FixtureKey) -> String {
        let (size, target) = (binary(key.bytes), &key.target);
        let device = if key.kind == DEVICE { "the block device " } else { "" };
        let mut line = match key.ownership {
            Ownership::Created if key.used_up => format!(
                "writes a file in {target}, without a name, until no space is left or it has {size}, and removes it"
            ),
            Ownership::Created if self.kept => format!(
                "finds the file of {size} that an earlier run kept in {target}, or writes it, and keeps it for later runs"
            ),
            Ownership::Created if self.files > 1 => {
                let files = self.files;
                format!(
                    "writes {files} files of {size} together in {target}, without names, and removes them"
                )
            }
            Ownership::Created => {
                format!("writes a file of {size} in {target}, without a name, and removes it")
            }
            Ownership::Borrowed => format!("reads {size} of {device}{target}, which is yours"),
            Ownership::Surrendered => format!("OVERWRITES {size} of {device}{target}, as --destroy allows"),
        };
        if !key.holds.is_empty() {
            line.push_str(&format!(", which holds {}, as --wipe allows", key.holds.join(", ")));
        }
        if key.discarded > 0 {
            line.push_str("; discards all of it first (purge)");
        }
        match key.state {
            TargetState::Filled => {
                line.push_str("; writes it once before it is measured (precondition=fill)");
            }
            TargetState::Steady => {
                line.push_str("; writes it twice, sequentially, before it is measured (precondition=full)");
            }
            _ => {}
        }
        line
    }
}

/// Files, or one device, that are ready.
#[derive(Debug)]
pub struct Files {
    pub(super) key: FixtureKey,
    pub(super) details: Details,
    pub(super) files: Vec<File>,
    /// Of a device: what tells which one is open.
    pub(super) look: Option<DeviceProbe>,
    /// Of a file that is kept for later runs: nobody else uses it meanwhile.
    pub(super) kept: Option<KeptUse>,
}

impl Files {
    /// Bytes of each.
    pub(super) fn file_bytes(&self) -> u64 {
        self.key.bytes / self.details.files.max(1)
    }

    /// Opens all of them once more, with flags of their own.
    ///
    /// # Errors
    /// If the file system refuses O_DIRECT, or a file may not be written.
    pub fn open(&self, how: OpenMode) -> Result<Vec<File>, Fault> {
        self.files.iter().map(|file| reopen(file, how, &self.key.target)).collect()
    }

    /// What of them shapes results: their state, and how much of them really has
    /// blocks (holes are read from nowhere).
    pub(super) fn facts(&self) -> Vec<(FactName, Value)> {
        let state = match self.key.state {
            TargetState::Filled => "fill",
            TargetState::Steady => "full",
            _ => "none",
        };
        let is_device = self.key.kind == DEVICE;
        let mut facts = vec![
            (FactName::new("target_kind"), Value::from(if is_device { DEVICE } else { FILE })),
            (FactName::new("preconditioned"), Value::from(state)),
        ];
        if self.details.purge {
            facts.push((
                FactName::new("purged"),
                Value::from(if is_device { "discarded" } else { "a new file" }),
            ));
        }
        if let Some(kept) = &self.kept {
            facts.push((FactName::new("data_reused"), Value::Bool(kept.was_found)));
        }
        let metadata: Vec<_> = self.files.iter().filter_map(|f| f.metadata().ok()).collect();
        let bytes: u64 = metadata.iter().map(MetadataExt::size).sum();
        if metadata.len() == self.files.len() && !is_device && bytes > 0 {
            let allocated = metadata.iter().map(|m| m.blocks() as f64 * 512.0).sum::<f64>() / bytes as f64;
            let rounded = (allocated.min(1.0) * 1000.0).round() / 1000.0;
            facts.push((fact::ALLOCATED_SHARE, Value::Number(rounded)));
        }
        facts
    }
}

impl Fixture for Files {
    /// A device may have another medium by now.
    fn check(&self) -> Result<(), Fault> {
        let Some((look, _)) = self.look.as_ref().zip(self.key.identity.as_ref()) else { return Ok(()) };
        self.files.iter().try_for_each(|file| {
            let now = (look.identity)(file);
            let now = now.map_err(|e| Fault::system(format!("looking at {}", self.key.target), e))?;
            identity::compare_device(&self.key, &now)
        })
    }

    /// Closes them: those of ours have no name, unless they are to be kept.
    fn remove(self: Box<Self>) -> Result<(), Fault> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_is_named_as_one_with_what_is_lost() {
        let details = Details { files: 1, content: Content::Random, purge: false, kept: false };
        let key = FixtureKey::new(DEVICE, "/dev/loop7", 256 << 20, Ownership::Surrendered);
        let plain = "OVERWRITES 256 MiB of the block device /dev/loop7, as --destroy allows";
        assert_eq!(details.about(&key), plain);
        let holds = vec!["gpt".to_owned(), "ext4 on /dev/loop7p1".to_owned()];
        let held = FixtureKey { holds, ..key.clone() };
        let lost = format!("{plain}, which holds gpt, ext4 on /dev/loop7p1, as --wipe allows");
        assert_eq!(details.about(&held), lost);
        let read = FixtureKey { ownership: Ownership::Borrowed, ..key };
        assert_eq!(details.about(&read), "reads 256 MiB of the block device /dev/loop7, which is yours");
    }
}
