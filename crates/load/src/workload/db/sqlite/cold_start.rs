//! Beginning a trial with nothing of a file of SQLite in the page cache.

use std::fs::File;
use std::path::Path;

use engine::Fault;
use model::{FactName, Value};

use crate::workload::disk::reopen::forget_cached;
use crate::workload::disk::residency;

/// The share of a database's files that the page cache held when the clients of a cold trial were about to open it, or its
/// server was about to be started, 0 to 1.
pub(in crate::workload) const CACHED_SHARE: FactName = FactName::new("database_cached_share");

/// Drops what the page cache holds of the file at `path`, after writing back what is dirty; returns how much stayed, where
/// the kernel says that.
///
/// # Errors
/// If it cannot be opened or written back.
pub(in crate::workload) fn forget(path: &Path) -> Result<Option<(FactName, Value)>, Fault> {
    let failed = |e: std::io::Error| Fault::system(format!("opening {}", path.display()), e);
    let file = File::open(path).map_err(failed)?;
    forget_cached(&file)?;
    let bytes = file.metadata().map_err(failed)?.len();
    let share = residency::cached_share(&file, bytes);
    Ok(share.map(|share| (CACHED_SHARE, Value::Number((share * 1000.0).round() / 1000.0))))
}
