//! `dirty-bytes`: how much of the page cache may be dirty before who writes must wait
//! (`vm.dirty_bytes` and `vm.dirty_ratio`, `Documentation/admin-guide/sysctl/vm.rst`).

use std::fs;
use std::path::Path;

use model::setting::SettingSpec;
use model::{Kind, ParameterSpec, Resource, Unit, Value};

use super::journal::SideEffect;
use super::{Setting, SettingError};

const FOLDER: &str = "/proc/sys/vm";
const BYTES: &str = "dirty_bytes";
const RATIO: &str = "dirty_ratio";

pub(super) struct DirtyBytes;

static SPEC: SettingSpec = SettingSpec {
    value: ParameterSpec::new(
        "dirty-bytes",
        Kind::Size,
        "How many bytes of the page cache may be waiting to be written before a program that writes must wait \
         (vm.dirty_bytes). Where the kernel was told a share of memory instead (vm.dirty_ratio, shown as 20%), that is put back. \
         The kernel begins to write by itself at its background limit, or at half of this where that limit is not below it, and \
         slows writers down from midway between the two. It belongs to the \
         whole machine, with a peer to both.",
    ),
    unit: Unit::Bytes,
    binds: None,
    holds: None,
    summary: "bytes that may be dirty before writers wait",
};

impl Setting for DirtyBytes {
    fn spec(&self) -> &'static SettingSpec {
        &SPEC
    }

    fn is_of_namespace(&self) -> bool {
        false
    }

    fn read(&self, resource: &Resource) -> Result<Value, SettingError> {
        read(Path::new(FOLDER), resource)
    }

    fn write(&self, resource: &Resource, value: &Value) -> Result<(), SettingError> {
        write(Path::new(FOLDER), resource, value)
    }

    // The one that is written makes the other 0, which is both parts of this setting
    // (`dirty_bytes_handler` and `dirty_ratio_handler` in `mm/page-writeback.c`).
    fn side_effects(&self, _resource: &Resource, _value: &Value) -> Result<Vec<SideEffect>, SettingError> {
        Ok(Vec::new())
    }
}

/// Bytes, or a share of memory as a text: `20%`.
fn read(folder: &Path, resource: &Resource) -> Result<Value, SettingError> {
    let number = |leaf: &str| {
        let path = folder.join(leaf);
        let unreadable = |reason: String| {
            SettingError::unreadable(&SPEC, resource, format!("{}: {reason}", path.display()))
        };
        let text = fs::read_to_string(&path).map_err(|e| unreadable(e.to_string()))?;
        text.trim().parse::<u64>().map_err(|_| unreadable(format!("`{}` is no number", text.trim())))
    };
    Ok(match number(BYTES)? {
        0 => Value::Text(format!("{}%", number(RATIO)?)),
        bytes => Value::Integer(bytes),
    })
}

fn write(folder: &Path, resource: &Resource, value: &Value) -> Result<(), SettingError> {
    let refused = |reason: String| SettingError::refused(&SPEC, resource, value, reason);
    let (leaf, text) = match value {
        Value::Integer(bytes) => (BYTES, bytes.to_string()),
        Value::Text(share) if share.ends_with('%') => (RATIO, share.trim_end_matches('%').to_owned()),
        _ => return Err(refused("it is no size".to_owned())),
    };
    let path = folder.join(leaf);
    fs::write(&path, format!("{text}\n")).map_err(|error| {
        let why = match error.kind() {
            std::io::ErrorKind::PermissionDenied => "; it needs root of the machine itself",
            std::io::ErrorKind::InvalidInput => "; the least is two pages, 8KiB mostly",
            _ => "",
        };
        refused(format!("{}: {error}{why}", path.display()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_and_a_share_are_told_apart_and_put_back() {
        let folder = tempfile::tempdir().unwrap();
        let of = |leaf: &str, text: &str| fs::write(folder.path().join(leaf), text).unwrap();
        let read = || read(folder.path(), &Resource::MACHINE);
        of(BYTES, "0\n");
        of(RATIO, "20\n");
        let before = read().unwrap();
        assert_eq!(before, Value::from("20%"));
        write(folder.path(), &Resource::MACHINE, &Value::Integer(64 << 20)).unwrap();
        assert_eq!(read(), Ok(Value::Integer(64 << 20)));
        // What the kernel does when a share is written.
        write(folder.path(), &Resource::MACHINE, &before).unwrap();
        of(BYTES, "0\n");
        assert_eq!(read(), Ok(before));
        assert!(write(folder.path(), &Resource::MACHINE, &Value::Bool(true)).is_err());
        of(BYTES, "x");
        assert!(read().unwrap_err().to_string().contains("dirty_bytes"));
    }
}
