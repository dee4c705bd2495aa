//! Targets that are memory in the end: a file system on tmpfs says how large it
//! may become, not what memory is there for it, and a RAM disk says nothing. Who
//! fills one past what is free has the kernel kill something.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use model::plan::{FixtureKey, Ownership};

use crate::host::{HostInfo, MemoryBeneath};

/// What may be written below a folder.
pub(crate) struct Room {
    pub(crate) bytes: u64,
    /// The memory that it is, if it is some.
    pub(crate) memory: Option<String>,
}

/// The room below `folder`, where its file system says that `free` bytes are; that of the target that will be there,
/// where it is still to be made.
pub(crate) fn room(folder: &Path, free: u64, host: &HostInfo) -> Room {
    if let Some(bytes) = host.room {
        return Room { bytes, memory: None };
    }
    let is_ramfs = is_ramfs(folder);
    let memory = (host.beneath.0)(folder).or_else(|| is_ramfs.then(|| "ramfs".to_owned()));
    // A ramfs says nothing of sizes.
    let free = if is_ramfs { u64::MAX } else { free };
    let bytes = if memory.is_some() { free.min(host.memory_room()) } else { free };
    Room { bytes, memory }
}

/// Whether `path` lies on a ramfs, which has no size (`RAMFS_MAGIC` of
/// `include/uapi/linux/magic.h`).
pub(crate) fn is_ramfs(path: &Path) -> bool {
    const RAMFS_MAGIC: u64 = 0x8584_58f6;
    rustix::fs::statfs(path).is_ok_and(|stat| stat.f_type as u64 & 0xffff_ffff == RAMFS_MAGIC)
}

/// Bytes of memory that a fixture takes, and in what; none where it lies
/// elsewhere or is only read. Of a RAM disk nobody knows what it has taken
/// already, so it counts in full.
#[must_use]
pub fn fixture_bytes(key: &FixtureKey, beneath: MemoryBeneath) -> Option<(u64, String)> {
    let path = Path::new(&key.target);
    if key.ownership == Ownership::Borrowed {
        return None;
    }
    let memory = (beneath.0)(path)?;
    let taken = match key.ownership {
        Ownership::Surrendered => {
            path.metadata().ok().filter(Metadata::is_file).map_or(0, |m| m.blocks().saturating_mul(512))
        }
        _ => 0,
    };
    Some((key.bytes.saturating_sub(taken), memory))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn what_is_written_to_memory_takes_memory() {
        let all = MemoryBeneath(|_| Some("tmpfs at /x".to_owned()));
        let mut file = tempfile::NamedTempFile::new_in(".").unwrap();
        let key = |ownership| FixtureKey::new("file", file.path().to_string_lossy(), 1 << 30, ownership);
        let bytes = |key: &FixtureKey| fixture_bytes(key, all).map(|(bytes, _)| bytes);
        assert_eq!(bytes(&key(Ownership::Created)), Some(1 << 30));
        assert_eq!(bytes(&key(Ownership::Borrowed)), None);
        let surrendered = key(Ownership::Surrendered);
        assert_eq!(bytes(&surrendered), Some(1 << 30));
        assert_eq!(
            bytes(&FixtureKey { target: "/dev/null".to_owned(), ..surrendered.clone() }),
            Some(1 << 30)
        );
        assert_eq!(fixture_bytes(&surrendered, MemoryBeneath::default()), None);
        file.write_all(&[1; 1 << 16]).unwrap();
        file.as_file().sync_all().unwrap();
        let left = bytes(&surrendered).unwrap();
        assert!(left <= (1 << 30) - (1 << 16), "what it has already is not taken again: {left}");
    }
}
