//! Beginning a trial with nothing of a server of ours in memory: it is ended in good order, the page cache drops its files,
//! and it is started again with empty buffers.

use std::fs::File;
use std::path::Path;

use engine::fault::Fault;
use engine::lock;

use crate::workload::db::server::{DEEPEST, Launch, PrivateServer, launch};
use crate::workload::disk::reopen::forget_cached;
use crate::workload::disk::residency;

/// How much of the files of a server there is, and how much of that the page cache holds, bytes.
#[derive(Clone, Copy, Debug, Default)]
struct CachedFiles {
    bytes: f64,
    cached: f64,
}

impl PrivateServer {
    /// Starts it again with nothing of its data in memory. Returns the share of its files that the page cache held
    /// before that start, 0 to 1, where the kernel says it.
    ///
    /// It dies with the calling thread, as it does with the one that started it first (prctl(2), `PR_SET_PDEATHSIG`).
    ///
    /// # Errors
    /// If it cannot be ended, a file cannot be dropped from the page cache, or it does not come up.
    pub(in crate::workload) fn begin_cold(
        &self,
        goes_on: &mut dyn FnMut() -> bool,
    ) -> Result<Option<f64>, Fault> {
        let mut process = lock(&self.process);
        process.stop(self.request.product().endings())?;
        let mut files = Some(CachedFiles::default());
        forget(&self.place.data(), 0, &mut files)?;
        *process = launch(&self.request, &self.place, Launch::Cold, goes_on)?;
        let share = files.filter(|files| files.bytes > 0.0).map(|files| files.cached / files.bytes);
        Ok(share.map(|share| (share * 1000.0).round() / 1000.0))
    }
}

/// Drops the files in `folder` and below from the page cache; `files` counts them, none where the kernel does not say what
/// stays.
fn forget(folder: &Path, depth: u32, files: &mut Option<CachedFiles>) -> Result<(), Fault> {
    let failed = |path: &Path, e| Fault::system(format!("reading {}", path.display()), e);
    for entry in std::fs::read_dir(folder).map_err(|e| failed(folder, e))? {
        let entry = entry.map_err(|e| failed(folder, e))?;
        let path = entry.path();
        let about = entry.metadata().map_err(|e| failed(&path, e))?;
        if about.is_dir() && depth < DEEPEST {
            forget(&path, depth + 1, files)?;
        } else if about.is_file() && about.len() > 0 {
            let file = File::open(&path).map_err(|e| failed(&path, e))?;
            forget_cached(&file)?;
            let share = residency::cached_share(&file, about.len());
            *files = files.zip(share).map(|(files, share)| CachedFiles {
                bytes: files.bytes + about.len() as f64,
                cached: files.cached + about.len() as f64 * share,
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_in_all_folders_are_dropped_from_the_page_cache() {
        let place = tempfile::tempdir_in(".").unwrap();
        let inner = place.path().join("base");
        std::fs::create_dir(&inner).unwrap();
        for path in [place.path().join("one"), inner.join("two"), inner.join("empty")] {
            std::fs::write(&path, vec![7; if path.ends_with("empty") { 0 } else { 1 << 20 }]).unwrap();
        }
        let mut files = Some(CachedFiles::default());
        forget(place.path(), 0, &mut files).unwrap();
        // A kernel that does not say it is none of ours.
        let files = files.unwrap();
        assert!((files.bytes - f64::from(2 << 20)).abs() < 1.0, "{files:?}");
        // A file system in memory keeps all.
        let is_kept = (files.cached - files.bytes).abs() < 1.0;
        assert!(files.cached < files.bytes / 10.0 || is_kept, "{files:?}");
        assert!(forget(&place.path().join("none"), 0, &mut Some(files)).is_err());
    }
}
