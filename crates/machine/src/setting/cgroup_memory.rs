//! `cgroup-memory`: the memory that a control group of our own gives the process that runs the
//! loads (`memory.limit_in_bytes` of `Documentation/admin-guide/cgroup-v1/memory.rst`, `memory.max`
//! of `Documentation/admin-guide/cgroup-v2.rst`).

use std::fs;
use std::io;
use std::path::Path;

use model::setting::SettingSpec;
use model::{Kind, ParameterSpec, Resource, ResourceKind, Unit, Value};

use super::journal::SideEffect;
use super::own_group::{self, MEMORY, MEMORY_FIRST, MEMORY_SECOND};
use super::{Setting, SettingError};
use crate::Host;

/// With less the process that runs the loads may be killed before it has begun.
const LEAST: u64 = 64 << 20;
/// The kernel counts whole pages; the smallest are of this size.
const PAGE: u64 = 4096;

pub(super) struct CgroupMemory;

static SPEC: SettingSpec = SettingSpec {
    value: ParameterSpec::new(
        "cgroup-memory",
        Kind::Size,
        "The memory that the process which runs the loads may use, including its page cache: at least 64MiB, in whole \
         pages. The process is put into a control group of its own (version 1 or 2) with all its threads; \
         the group is removed at the \
         end. Memory that it had before is not counted. What it reads and writes through the page cache leaves the cache \
         sooner; a load that needs more than this for itself is killed by the kernel, and the trial fails. Swap is \
         not limited.",
    ),
    unit: Unit::Bytes,
    binds: None,
    holds: None,
    summary: "memory that the process which runs the loads gets",
};

impl Setting for CgroupMemory {
    fn spec(&self) -> &'static SettingSpec {
        &SPEC
    }

    fn is_of_namespace(&self) -> bool {
        false
    }

    fn place(&self, host: &Host, bound: Resource) -> Result<Resource, SettingError> {
        match own_group::folder(host, MEMORY, std::process::id()) {
            Ok(folder) => Ok(Resource::of(ResourceKind::Cgroup, folder)),
            Err(reason) => Err(SettingError::unreadable(&SPEC, &bound, reason)),
        }
    }

    fn read(&self, resource: &Resource) -> Result<Value, SettingError> {
        let folder = folder(resource);
        if own_group::is_hidden(folder) {
            return Err(SettingError::unreadable(&SPEC, resource, own_group::HIDDEN.to_owned()));
        }
        Ok(own_group::value(folder, own_group::memory(folder).map(Value::Integer)))
    }

    fn write(&self, resource: &Resource, value: &Value) -> Result<(), SettingError> {
        let folder = folder(resource);
        let changed = match value {
            Value::Text(_) => put(folder, None).and_then(|()| own_group::leave(folder)),
            Value::Integer(bytes) if *bytes < LEAST => {
                Err(io::Error::other("64MiB is the least that is set"))
            }
            Value::Integer(bytes) if !bytes.is_multiple_of(PAGE) => {
                Err(io::Error::other(format!("the kernel counts whole pages: {}", bytes / PAGE * PAGE)))
            }
            Value::Integer(bytes) => own_group::enter(folder, MEMORY, || put(folder, Some(*bytes))),
            _ => Err(io::Error::other("it is no size")),
        };
        changed.map_err(|error| SettingError::refused(&SPEC, resource, value, error.to_string()))
    }

    // The group is our own, as of cgroup-cpu.
    fn side_effects(&self, resource: &Resource, value: &Value) -> Result<Vec<SideEffect>, SettingError> {
        match own_group::in_the_way(folder(resource)) {
            None => Ok(Vec::new()),
            Some(reason) => Err(SettingError::refused(&SPEC, resource, value, reason)),
        }
    }
}

fn folder(resource: &Resource) -> &Path {
    Path::new(resource.named(ResourceKind::Cgroup).unwrap_or(resource.as_str()))
}

/// Sets the limit, or takes it away. Without the controller, or the group, there is none.
fn put(folder: &Path, bytes: Option<u64>) -> io::Result<()> {
    let files = [(MEMORY_SECOND, "max"), (MEMORY_FIRST, "-1")];
    let Some((leaf, none)) = files.into_iter().find(|(leaf, _)| folder.join(leaf).exists()) else {
        return if bytes.is_none() { Ok(()) } else { Err(own_group::no_controller(MEMORY, folder)) };
    };
    let path = folder.join(leaf);
    let text = bytes.map_or_else(|| none.to_owned(), |bytes| bytes.to_string());
    fs::write(&path, text).map_err(|e| io::Error::new(e.kind(), format!("{}: {e}", path.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_written_and_read_in_both_versions() {
        for (leaf, none, shown) in
            [(MEMORY_SECOND, "max", "max\n"), (MEMORY_FIRST, "-1", "9223372036854771712\n")]
        {
            let folder = tempfile::tempdir().unwrap();
            fs::write(folder.path().join(leaf), shown).unwrap();
            assert_eq!(own_group::memory(folder.path()), None, "{leaf}");
            put(folder.path(), Some(128 << 20)).unwrap();
            assert_eq!(own_group::memory(folder.path()), Some(128 << 20), "{leaf}");
            put(folder.path(), None).unwrap();
            assert_eq!(fs::read_to_string(folder.path().join(leaf)).unwrap(), none);
        }
        let folder = tempfile::tempdir().unwrap();
        assert!(put(folder.path(), None).is_ok());
        assert!(put(folder.path(), Some(LEAST)).unwrap_err().to_string().contains("memory"));
    }

    #[test]
    fn too_little_and_parts_of_pages_are_refused() {
        let resource = Resource::from("cgroup:/hr-none/headroom-1");
        for (bytes, says) in [(1 << 20, "64MiB is the least"), (100_000_000, "99999744")] {
            let error = CgroupMemory.write(&resource, &Value::Integer(bytes)).unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
        }
    }
}
