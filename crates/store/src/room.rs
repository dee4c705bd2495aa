//! Room for a store on a file system that has none left.
//!
//! Reading needs none. To remove a run does: SQLite first writes the pages that
//! it will change to its journal. So the journal stays beside the store, with
//! [`RESERVE_BYTES`] that are already its own, and a removal that does not fit
//! into them is done in steps that do. What each step frees goes back to the
//! file system, so the steps grow.
//!
//! A step that finds no room even so (the store is older than the reserve, or
//! was made on a full file system) keeps its journal in memory. Should the
//! program be killed in the few milliseconds of such a step, the store would be
//! damaged; the alternative is a store that cannot be made smaller.

use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rusqlite::{Connection, ErrorCode};
use rustix::fs::{FallocateFlags, OFlags, fallocate};

use crate::annotation;
use crate::opening::beside;

/// What the journal keeps for itself: enough for a step that removes one blob
/// or frees one page, which changes fewer than ten pages of 4 KiB.
pub(crate) const RESERVE_BYTES: u64 = 128 << 10;

/// How many rows or pages the first of several steps takes.
const FIRST_STEP: u32 = 1024;

/// Every row or page at once.
const ALL: u32 = i32::MAX as u32;

/// Gives the journal its reserve. The file is left as it is; only blocks behind
/// its content become its own. Nothing depends on it but a later removal, so a
/// file system that cannot do this is no failure.
pub(crate) fn reserve(connection: &Connection) {
    let Some(path) = connection.path() else { return };
    let mut options = OpenOptions::new();
    options.write(true).custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed());
    if let Ok(journal) = options.open(beside(Path::new(path), "-journal")) {
        let _ = fallocate(&journal, FallocateFlags::KEEP_SIZE, 0, RESERVE_BYTES);
    }
}

/// Removes the run with all that belongs to it, and gives its room back. False
/// if there is no such run.
pub(crate) fn remove(connection: &Connection, id: &str) -> rusqlite::Result<bool> {
    let rows = match connection.execute("DELETE FROM run WHERE id = ?1", [id]) {
        Err(error) if lacks_room(&error) => remove_head(connection, id)?,
        other => other?,
    };
    if rows > 0 {
        // The run is gone, whether or not its room could be given back. What
        // stays of it is removed with the next run.
        let _ = sweep(connection);
    }
    Ok(rows > 0)
}

/// Removes a run's head and leaves its trials to [`sweep`]. From then on nobody
/// sees the run, so a removal that is interrupted leaves no part of a run that
/// looks like a whole one.
fn remove_head(connection: &Connection, id: &str) -> rusqlite::Result<usize> {
    connection.pragma_update(None, "foreign_keys", false)?;
    let delete = || connection.execute("DELETE FROM run WHERE id = ?1", [id]);
    let done = match delete() {
        Err(error) if lacks_room(&error) => with_journal_in_memory(connection, delete),
        other => other,
    };
    connection.pragma_update(None, "foreign_keys", true)?;
    done
}

/// Removes what belongs to no run, and gives free pages back to the disk.
fn sweep(connection: &Connection) -> rusqlite::Result<()> {
    const BLOBS: &str = "DELETE FROM blob WHERE rowid IN
        (SELECT blob.rowid FROM trial JOIN blob ON blob.trial = trial.number
         WHERE trial.run NOT IN (SELECT number FROM run) LIMIT ?1)";
    const TRIALS: &str = "DELETE FROM trial WHERE number IN
        (SELECT number FROM trial WHERE run NOT IN (SELECT number FROM run) LIMIT ?1)";
    const ANNOTATIONS: &str = "DELETE FROM annotation WHERE (run, kind, name) IN
        (SELECT run, kind, name FROM annotation WHERE run NOT IN (SELECT id FROM run) LIMIT ?1)";
    let all_of = |step: &dyn Fn(u32) -> rusqlite::Result<usize>| {
        in_steps(step, || with_journal_in_memory(connection, || step(1)))
    };
    all_of(&|most| free_pages(connection, most))?;
    for rows in [BLOBS, TRIALS] {
        all_of(&|most| connection.execute(rows, [most]))?;
    }
    if annotation::is_there(connection)? {
        all_of(&|most| connection.execute(ANNOTATIONS, [most]))?;
    }
    all_of(&|most| free_pages(connection, most))
}

/// Gives at most so many unused pages back to the disk, and says how many. The
/// pragma frees one page for each row that is asked of it.
fn free_pages(connection: &Connection, most: u32) -> rusqlite::Result<usize> {
    let unused = || connection.pragma_query_value(None, "freelist_count", |row| row.get::<_, usize>(0));
    let before = unused()?;
    let mut statement = connection.prepare(&format!("PRAGMA incremental_vacuum({most})"))?;
    let mut rows = statement.query([])?;
    while rows.next()?.is_some() {}
    Ok(before.saturating_sub(unused()?))
}

/// Does a step until nothing is left for it to do: all at once if that finds
/// room, otherwise in steps as large as find it, and where even the smallest
/// finds none, that one without.
fn in_steps(
    step: impl Fn(u32) -> rusqlite::Result<usize>,
    without_room: impl Fn() -> rusqlite::Result<usize>,
) -> rusqlite::Result<()> {
    let mut most = ALL;
    loop {
        let done = match step(most) {
            Err(error) if lacks_room(&error) && most > 1 => {
                most = if most > FIRST_STEP { FIRST_STEP } else { (most / 8).max(1) };
                continue;
            }
            Err(error) if lacks_room(&error) => without_room()?,
            done => {
                most = most.saturating_mul(2).min(ALL);
                done?
            }
        };
        if done == 0 {
            return Ok(());
        }
    }
}

/// Does something with its journal in memory, where the file system has no room
/// for it. This also gives back the room of the journal beside the store.
fn with_journal_in_memory(
    connection: &Connection,
    work: impl Fn() -> rusqlite::Result<usize>,
) -> rusqlite::Result<usize> {
    let journal = |mode: &str| connection.pragma_update(None, "journal_mode", mode);
    journal("MEMORY")?;
    let done = work();
    journal("PERSIST")?;
    done
}

/// Whether something failed because nothing could be written anew: no block for
/// the journal or the store, or no name for the journal.
fn lacks_room(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DiskFull | ErrorCode::CannotOpen))
}

#[cfg(test)]
mod tests {
    use std::cell::{Cell, RefCell};

    use rusqlite::ffi;

    use super::*;

    fn full() -> rusqlite::Error {
        rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_FULL), None)
    }

    /// A thousand rows, of which a step can take no more than there is room for;
    /// each one makes a little.
    #[test]
    fn a_removal_without_room_is_done_in_steps_that_grow_with_what_they_free() {
        let (left, room) = (Cell::new(1000_u32), Cell::new(0_u32));
        let steps = RefCell::new(Vec::new());
        let step = |most: u32| {
            let taken = most.min(left.get());
            if taken > room.get() {
                return Err(full());
            }
            steps.borrow_mut().push(taken);
            left.set(left.get() - taken);
            room.set(room.get() + taken);
            Ok(taken as usize)
        };
        let without = || {
            room.set(room.get() + 1);
            step(1)
        };
        in_steps(step, without).unwrap();
        assert_eq!(left.get(), 0);
        let steps = steps.into_inner();
        assert_eq!(steps[0], 1);
        assert!(steps.len() < 40, "{steps:?}");
    }

    #[test]
    fn another_failure_than_a_lack_of_room_ends_a_removal() {
        let broken = || rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_CORRUPT), None);
        let error = in_steps(|_| Err(broken()), || panic!("there is room")).unwrap_err();
        assert_eq!(error.sqlite_error_code(), Some(ErrorCode::DatabaseCorrupt));
    }
}
