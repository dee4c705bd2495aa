//! Devices of the device mapper, by sysfs (`Documentation/ABI/testing/sysfs-block-dm`).

use std::fs;
use std::path::{Path, PathBuf};

use engine::fault::Fault;

use crate::workload::disk::stack::command::{Commands, Program};

pub(super) const DMSETUP: Program = Program { name: "dmsetup", package: "dmsetup", version: &["--version"] };

/// A device of the device mapper.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MappedDevice {
    /// Its node.
    pub(super) path: PathBuf,
    /// The device mapper's own UUID of it, which whoever made it gave.
    pub(super) uuid: String,
}

impl MappedDevice {
    /// Whether the mapping `name` is the one that was made: then its UUID has `mark` in it.
    ///
    /// # Errors
    /// If it is another.
    pub(super) fn check(&self, name: &str, mark: &str) -> Result<(), Fault> {
        if self.uuid.contains(mark) {
            return Ok(());
        }
        Err(Fault::Other(format!(
            "the mapping {name} has the UUID {}, and {mark} was made: it is left alone",
            self.uuid
        )))
    }
}

/// The one that is called `name`.
pub(super) fn find(name: &str) -> Option<MappedDevice> {
    let text = |path: PathBuf| fs::read_to_string(path).ok().map(|text| text.trim_end().to_owned());
    let entries = fs::read_dir("/sys/block").ok()?;
    let mut folders = entries.flatten().map(|entry| entry.path());
    let folder = folders.find(|folder| text(folder.join("dm/name")).as_deref() == Some(name))?;
    let path = Path::new("/dev").join(folder.file_name()?);
    Some(MappedDevice { path, uuid: text(folder.join("dm/uuid")).unwrap_or_default() })
}

/// The node of the one that a program has just made.
///
/// # Errors
/// If it is not there.
pub(super) fn made(name: &str) -> Result<PathBuf, Fault> {
    find(name)
        .map(|made| made.path)
        .ok_or_else(|| Fault::Other(format!("the mapping {name} was made and is not there")))
}

/// Removes the one that is called `name`, of which no other program of ours takes care.
///
/// # Errors
/// If it stays, with what dmsetup(8) said.
pub(super) fn remove(name: &str, commands: &mut Commands<'_>) -> Result<(), Fault> {
    commands.run(&DMSETUP, &["remove", "--retry", name]).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mapping_of_another_is_left_alone() {
        let found = MappedDevice { path: "/dev/dm-0".into(), uuid: "CRYPT-PLAIN-x".to_owned() };
        found.check("x", "CRYPT-PLAIN-x").unwrap();
        let refused = found.check("x", "CRYPT-PLAIN-y").unwrap_err().to_string();
        assert!(refused.contains("left alone") && refused.contains("CRYPT-PLAIN-x"), "{refused}");
        assert_eq!(find("no such mapping"), None);
    }
}
