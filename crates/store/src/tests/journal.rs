//! What lies beside a store, and stores of version 0.1, which had a log there.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use rusqlite::Connection;

use super::{as_ordinary_user, example, names};
use crate::{SqliteStore, State, Store, StoreError};

/// Whether a store has a write-ahead log, as its header says.
fn has_log(path: &Path) -> bool {
    fs::read(path).unwrap()[18..20] == [2, 2]
}

/// A store with a run, as version 0.1 kept it; the connection is open.
fn of_version_0_1(path: &Path) -> Connection {
    SqliteStore::open(path).unwrap().begin(&example::run("a1", "2026-03-01T10:00:00Z")).unwrap();
    let old = Connection::open(path).unwrap();
    old.execute_batch("PRAGMA journal_mode = WAL; UPDATE run SET title = 'in the log'").unwrap();
    assert!(has_log(path));
    old
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

/// On a full file system SQLite cannot make the file that a write-ahead log's
/// readers map into memory, or makes one with holes that end the program.
#[test]
fn no_file_beside_a_store_is_mapped_into_memory() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.db");
    let mut store = SqliteStore::open(&path).unwrap();
    store.begin(&example::run("a1", "2026-03-01T10:00:00Z")).unwrap();
    store.list().unwrap();
    assert_eq!(names(folder.path()), ["runs.db", "runs.db-journal"]);
    assert!(!has_log(&path));
}

#[test]
fn the_journal_has_room_of_its_own_once_a_run_began() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.db");
    let mut store = SqliteStore::open(&path).unwrap();
    store.begin(&example::run("a1", "2026-03-01T10:00:00Z")).unwrap();
    let allocated = || fs::metadata(folder.path().join("runs.db-journal")).unwrap().blocks() * 512;
    assert!(allocated() >= crate::room::RESERVE_BYTES, "{}", allocated());
    // It stays, whatever is written.
    store.add_trial("a1", 0, &example::trial(0)).unwrap();
    drop(store);
    assert!(allocated() >= crate::room::RESERVE_BYTES, "{}", allocated());
}

#[test]
fn a_store_of_version_0_1_loses_its_log_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.db");
    drop(of_version_0_1(&path));
    let store = SqliteStore::open(&path).unwrap();
    assert_eq!(store.list().unwrap()[0].title.as_deref(), Some("in the log"));
    assert!(!has_log(&path));
    assert!(names(folder.path()).iter().all(|name| !name.ends_with("-wal") && !name.ends_with("-shm")));
}

#[test]
fn a_store_that_version_0_1_has_open_is_used_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.db");
    let old = of_version_0_1(&path);
    let mut store = SqliteStore::open(&path).unwrap();
    store.begin(&example::run("a2", "2026-03-01T10:00:00Z")).unwrap();
    let seen: usize = old.query_row("SELECT COUNT(*) FROM run", [], |row| row.get(0)).unwrap();
    assert_eq!((seen, store.list().unwrap().len()), (2, 2));
    assert!(has_log(&path));
    drop((old, store));
    assert_eq!(SqliteStore::open(&path).unwrap().list().unwrap().len(), 2);
    assert!(!has_log(&path));
}

#[test]
fn a_store_that_somebody_else_writes_can_be_read_with_its_log() {
    for old in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs.db");
        let (mut _old, mut _new) = (None, None);
        if old {
            _old = Some(of_version_0_1(&path));
        } else {
            let mut store = SqliteStore::open(&path).unwrap();
            store.begin(&example::run("a1", "2026-03-01T10:00:00Z")).unwrap();
            _new = Some(store);
        }
        for name in names(folder.path()) {
            set_mode(&folder.path().join(name), 0o644);
        }
        set_mode(&path, 0o444);
        set_mode(folder.path(), 0o555);
        as_ordinary_user(|| {
            let store = SqliteStore::open(&path).unwrap();
            assert_eq!(store.list().unwrap()[0].state, State::Running);
        });
        set_mode(folder.path(), 0o755);
    }
}

/// A store in the folder whose writer was killed within a change: what lies on
/// the disk while a change that is larger than the cache is under way.
fn half_written(folder: &Path) {
    let original = tempfile::tempdir().unwrap();
    let path = original.path().join("runs.db");
    let mut store = SqliteStore::open(&path).unwrap();
    store.begin(&example::run("a1", "2026-03-01T10:00:00Z")).unwrap();
    for order in 0..20 {
        store.add_trial("a1", 0, &example::trial(order)).unwrap();
    }
    store
        .connection
        .execute_batch("PRAGMA cache_size = 5; BEGIN; UPDATE blob SET data = zeroblob(5000);")
        .unwrap();
    for name in names(original.path()) {
        fs::copy(original.path().join(&name), folder.join(&name)).unwrap();
    }
    assert_ne!(fs::read(folder.join("runs.db-journal")).unwrap()[0], 0, "the journal is of no use yet");
}

#[test]
fn a_change_that_a_kill_left_half_made_is_undone() {
    let folder = tempfile::tempdir().unwrap();
    half_written(folder.path());
    let store = SqliteStore::open(&folder.path().join("runs.db")).unwrap();
    let run = store.load("a1").unwrap();
    let expected: Vec<_> = (0..20).map(example::trial).collect();
    assert_eq!(run.cases[0].trials, expected);
}

#[test]
fn a_change_left_half_made_where_nobody_may_write_is_said() {
    let folder = tempfile::tempdir().unwrap();
    half_written(folder.path());
    let path = folder.path().join("runs.db");
    set_mode(folder.path(), 0o555);
    as_ordinary_user(|| {
        let error = SqliteStore::open(&path).unwrap_err();
        assert!(matches!(error, StoreError::HalfWritten { .. }), "{error:?}");
        assert!(error.help().contains("`headroom list`"), "{}", error.help());
    });
    set_mode(folder.path(), 0o755);
}
