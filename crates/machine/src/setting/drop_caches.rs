//! `drop-caches`: whether each trial begins with empty caches (`vm.drop_caches`,
//! `Documentation/admin-guide/sysctl/vm.rst`).
//!
//! It is no state of the kernel, but done anew before each trial: what is read back is whether this
//! process does it.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use model::setting::SettingSpec;
use model::{Kind, ParameterSpec, Resource, Unit, Value};

use super::journal::SideEffect;
use super::{Setting, SettingError};

const FILE: &str = "/proc/sys/vm/drop_caches";
/// Pages, and names and nodes of files.
const ALL: &str = "3\n";

/// Whether this process does it.
static DONE: AtomicBool = AtomicBool::new(false);

pub(super) struct DropCaches;

static SPEC: SettingSpec = SettingSpec {
    value: ParameterSpec::new(
        "drop-caches",
        Kind::Flag,
        "Whether each trial begins with empty caches: before it, all that is dirty is written (sync, twice, as a loop device \
         makes its file dirty), and then the whole machine's page cache and its cached file names and inodes are dropped \
         (vm.drop_caches), those under a loop device, too. What other programs are using stays; they are slower until they \
         have read the rest again. What a load prepares for itself afterwards is in the cache. \
         The kernel writes a line to its log each time, unless it was told not to. It belongs to the \
         whole machine, with a peer to both.",
    ),
    unit: Unit::One,
    binds: None,
    holds: None,
    summary: "whether each trial begins with empty caches",
};

impl Setting for DropCaches {
    fn spec(&self) -> &'static SettingSpec {
        &SPEC
    }

    fn is_of_namespace(&self) -> bool {
        false
    }

    fn read(&self, _resource: &Resource) -> Result<Value, SettingError> {
        Ok(Value::Bool(DONE.load(Ordering::Relaxed)))
    }

    fn write(&self, resource: &Resource, value: &Value) -> Result<(), SettingError> {
        let refused = |reason: String| SettingError::refused(&SPEC, resource, value, reason);
        let Value::Bool(is_on) = value else { return Err(refused("it is neither yes nor no".to_owned())) };
        if *is_on {
            drop_all(Path::new(FILE)).map_err(|error| {
                let why = match error.kind() {
                    std::io::ErrorKind::PermissionDenied | std::io::ErrorKind::ReadOnlyFilesystem => {
                        "; it needs root of the machine itself"
                    }
                    _ => "",
                };
                refused(format!("{FILE}: {error}{why}"))
            })?;
        }
        DONE.store(*is_on, Ordering::Relaxed);
        Ok(())
    }

    fn renew(&self, resource: &Resource, value: &Value) -> Result<(), SettingError> {
        if *value == Value::Bool(true) { self.write(resource, value) } else { Ok(()) }
    }

    // Caches fill again by themselves.
    fn side_effects(&self, _resource: &Resource, _value: &Value) -> Result<Vec<SideEffect>, SettingError> {
        Ok(Vec::new())
    }
}

fn drop_all(file: &Path) -> std::io::Result<()> {
    // Whether it may be done is known before a long sync.
    let mut command = std::fs::OpenOptions::new().write(true).open(file)?;
    rustix::fs::sync();
    rustix::fs::sync();
    std::io::Write::write_all(&mut command, ALL.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_is_given_where_there_is_one() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("drop_caches");
        assert!(drop_all(&file).is_err());
        std::fs::write(&file, "").unwrap();
        drop_all(&file).unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), ALL);
    }
}
