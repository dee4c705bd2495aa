//! Runs that are removed, wholly or not quite.

use std::fs;

use super::example;
use crate::{SqliteStore, Store};

/// A store with two runs of four trials; of the first, only the head was removed
/// before the program was killed.
fn half_removed(folder: &tempfile::TempDir) -> SqliteStore {
    let mut store = SqliteStore::open(&folder.path().join("runs.db")).unwrap();
    for id in ["a1", "b2"] {
        store.begin(&example::run(id, "2026-03-01T10:00:00Z")).unwrap();
        for order in 0..4 {
            store.add_trial(id, 0, &example::trial(order)).unwrap();
        }
    }
    store
        .connection
        .execute_batch(
            "PRAGMA foreign_keys = OFF; DELETE FROM run WHERE id = 'b2'; PRAGMA foreign_keys = ON;",
        )
        .unwrap();
    assert_eq!(rows(&store, "trial"), 8);
    store
}

fn rows(store: &SqliteStore, table: &str) -> usize {
    store.connection.query_row(&format!("SELECT COUNT(*) FROM {table}"), [], |row| row.get(0)).unwrap()
}

#[test]
fn the_trials_of_a_run_that_is_half_removed_become_no_other_runs() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = half_removed(&folder);
    assert_eq!(store.list().unwrap().len(), 1);
    store.begin(&example::run("c3", "2026-03-01T10:00:00Z")).unwrap();
    assert!(store.load("c3").unwrap().cases.iter().all(|case| case.trials.is_empty()));
    store.add_trial("c3", 0, &example::trial(0)).unwrap();
}

#[test]
fn what_is_left_of_a_half_removed_run_goes_with_the_next() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = half_removed(&folder);
    store.remove("a1").unwrap();
    for table in ["run", "trial", "blob"] {
        assert_eq!(rows(&store, table), 0, "{table}");
    }
    let size = fs::metadata(folder.path().join("runs.db")).unwrap().len();
    assert!(size <= 48 << 10, "{size} bytes without a run");
}
