//! Whether a database failed because the file system that it lies on is full. Servers say that in their own ways, which
//! name no place (`The table 'sbtest1' is full`), or end: PostgreSQL does when it cannot write its log.

use std::path::{Path, PathBuf};

use engine::fault::Fault;
use model::scalar::binary;

/// With less than this free nothing can be made any more.
const NOTHING: u64 = 1 << 20;

/// With less than this free a server may fail: PostgreSQL makes the files of its log of 16 MiB each (`wal_segment_size`),
/// InnoDB those of tables longer by 4 MiB (`FSP_FREE_ADD` in `fsp0fsp.h`: four extents).
const LITTLE: u64 = 16 << 20;

/// The folder of a database that is here; none of one that is elsewhere.
#[derive(Clone, Debug, Default)]
pub(in crate::workload) struct TargetSpace(Option<PathBuf>);

impl TargetSpace {
    /// That of the database in this folder.
    pub(in crate::workload) fn of(folder: Option<&str>) -> Self {
        Self(folder.map(PathBuf::from))
    }

    /// Why a load on it failed: `fault`, and before it that there is no room left, if that is so.
    #[cold]
    pub(in crate::workload) fn explain(&self, fault: Fault) -> Fault {
        self.explain_by(fault, free_in)
    }

    /// The same, where `free_in` says how much is free.
    fn explain_by(&self, fault: Fault, free_in: fn(&Path) -> Option<u64>) -> Fault {
        let free = self.0.as_deref().filter(|_| !matches!(fault, Fault::Cancelled)).and_then(free_in);
        match self.0.as_deref().zip(free).and_then(|(folder, free)| lacking(folder, free)) {
            Some(space) => Fault::Other(format!("{space}: {fault}")),
            None => fault,
        }
    }
}

/// Bytes that are free for others than root where `folder` lies; none where that cannot be seen, and where the file system
/// does not say how large it is (statfs(2): what is undefined for one is 0).
fn free_in(folder: &Path) -> Option<u64> {
    let stat = rustix::fs::statvfs(folder).ok()?;
    (stat.f_blocks > 0).then(|| stat.f_bavail.saturating_mul(stat.f_frsize))
}

/// That `folder` has too little left, where so many bytes are free.
fn lacking(folder: &Path, free: u64) -> Option<String> {
    let folder = folder.display();
    match free {
        ..NOTHING => Some(format!("no space left on {folder} ({} free)", binary(free))),
        NOTHING..LITTLE => Some(format!("hardly any space left on {folder} ({} free)", binary(free))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_free_says_how_full_it_is() {
        let at = |free| lacking(Path::new("/data"), free);
        assert_eq!(at(0).as_deref(), Some("no space left on /data (0 bytes free)"));
        assert_eq!(at(10 << 20).as_deref(), Some("hardly any space left on /data (10 MiB free)"));
        assert_eq!(at(LITTLE), None);
    }

    #[test]
    fn only_a_fault_of_a_load_on_a_full_disk_is_explained() {
        let told = |space: TargetSpace, fault| space.explain(fault).to_string();
        let full = || Fault::Other("it is full".to_owned());
        assert_eq!(told(TargetSpace::default(), full()), "it is full");
        assert_eq!(told(TargetSpace::of(Some("/no-such-folder")), full()), "it is full");
        // The kernel's own files take no bytes, and their file system has no size.
        assert_eq!(told(TargetSpace::of(Some("/proc")), full()), "it is full");
        let told = |fault| TargetSpace::of(Some("/data")).explain_by(fault, |_| Some(0)).to_string();
        assert_eq!(told(full()), "no space left on /data (0 bytes free): it is full");
        assert_eq!(told(Fault::Cancelled), "cancelled");
    }
}
