//! What is said of runs: kept beside them, and gone with them.

use rusqlite::Connection;

use super::example;
use crate::opening::{APPLICATION_ID, VERSION};
use crate::sqlite::SCHEMA;
use crate::{Annotations, SqliteStore, Store};

const STARTED: &str = "2026-03-01T10:00:00Z";

fn store(folder: &tempfile::TempDir) -> SqliteStore {
    SqliteStore::open(&folder.path().join("runs.db")).unwrap()
}

#[test]
fn tags_a_note_and_a_baseline_are_kept_replaced_and_taken_away() {
    let folder = tempfile::tempdir().unwrap();
    let mut own = store(&folder);
    let run = example::run("a1", STARTED);
    own.keep(&run).unwrap();
    assert!(own.annotations().unwrap().is_empty());
    for value in ["3", "4"] {
        own.set_tag("a1", "rack", Some(value)).unwrap();
    }
    own.set_tag("a1", "site", Some("Köln")).unwrap();
    own.set_note("a1", Some("before the new kernel")).unwrap();
    own.set_baseline("a1", Some(STARTED)).unwrap();
    let said = store(&folder).annotations().unwrap().remove("a1").unwrap();
    let tags = [("rack", "4"), ("site", "Köln")].map(|(n, v)| (n.to_owned(), v.to_owned()));
    assert_eq!(
        said,
        Annotations {
            tags: tags.into_iter().collect(),
            note: Some("before the new kernel".to_owned()),
            accepted: Some(STARTED.to_owned()),
        }
    );
    assert_eq!(own.load("a1").unwrap(), run, "the document is as it was");
    own.set_tag("a1", "rack", None).unwrap();
    own.set_tag("a1", "site", None).unwrap();
    own.set_note("a1", None).unwrap();
    own.set_baseline("a1", None).unwrap();
    assert!(own.annotations().unwrap().is_empty());
    assert!(own.set_note("no-such", Some("x")).is_err());
}

#[test]
fn runs_that_begin_get_the_tags_that_are_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let mut own = store(&folder);
    own.begin(&example::run("a1", STARTED)).unwrap();
    own.tag_runs(vec![("rack".to_owned(), "3".to_owned())]);
    own.begin(&example::run("b2", STARTED)).unwrap();
    let all = own.annotations().unwrap();
    assert_eq!(all.keys().collect::<Vec<_>>(), ["b2"]);
    assert_eq!(all["b2"].tags["rack"], "3");
}

#[test]
fn what_was_said_of_a_run_goes_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut own = store(&folder);
    for id in ["a1", "b2", "c3"] {
        own.begin(&example::run(id, STARTED)).unwrap();
        own.set_note(id, Some("x")).unwrap();
    }
    own.remove("a1").unwrap();
    assert_eq!(own.annotations().unwrap().keys().collect::<Vec<_>>(), ["b2", "c3"]);
    // A removal that was interrupted leaves it; the next takes it along.
    own.connection
        .execute_batch(
            "PRAGMA foreign_keys = OFF; DELETE FROM run WHERE id = 'b2'; PRAGMA foreign_keys = ON;",
        )
        .unwrap();
    own.remove("c3").unwrap();
    assert!(own.annotations().unwrap().is_empty());
}

#[test]
fn a_store_from_before_gets_the_table_with_the_first_annotation() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.db");
    let connection = Connection::open(&path).unwrap();
    let marks = format!("PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = 3;");
    connection.execute_batch(&(marks + SCHEMA)).unwrap();
    connection
        .execute_batch(
            "INSERT INTO run (number, id, started, study, hostname, cases, document)
             VALUES (1, 'a1', '2026-03-01T10:00:00Z', 'disk', 'host-7', 0, '{}')",
        )
        .unwrap();
    connection.close().unwrap();
    let version = || -> u32 {
        let connection = Connection::open(&path).unwrap();
        connection.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap()
    };
    assert!(store(&folder).annotations().unwrap().is_empty());
    store(&folder).set_note("a1", None).unwrap();
    assert_eq!(version(), 3, "to look, or to take away what is not there, changes nothing");
    store(&folder).set_note("a1", Some("x")).unwrap();
    assert_eq!(version(), VERSION);
    assert_eq!(store(&folder).annotations().unwrap()["a1"].note.as_deref(), Some("x"));
}

#[test]
fn the_workloads_of_a_run_are_known_without_its_trials() {
    let folder = tempfile::tempdir().unwrap();
    let mut own = store(&folder);
    let run = example::run("a1", STARTED);
    own.keep(&run).unwrap();
    assert_eq!(own.workloads("a1").unwrap(), run.workloads());
    assert!(own.workloads("no-such").unwrap().is_empty());
}
