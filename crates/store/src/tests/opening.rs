//! What is opened, and that a refused file is left as it was.

use std::ffi::OsString;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use super::{as_ordinary_user, contents, example, names};
use crate::opening::{APPLICATION_ID, VERSION};
use crate::sqlite::{SCHEMA, default_path};
use crate::{SqliteStore, Store, StoreError};

/// Opens a file that must be refused, and checks that nothing in the folder
/// changed.
fn refused(path: &Path) -> StoreError {
    let folder = path.parent().unwrap();
    let before = contents(folder);
    let error = SqliteStore::open(path).unwrap_err();
    assert!(contents(folder) == before, "{error}: and it changed the folder, now {:?}", names(folder));
    assert!(error.to_string().contains(&path.display().to_string()), "no path: {error}");
    assert!(!error.help().is_empty());
    error
}

/// A database with these pragmas and tables.
fn forge(path: &Path, batch: &str) {
    let connection = Connection::open(path).unwrap();
    connection.execute_batch(batch).unwrap();
    connection.close().unwrap();
}

fn ours(version: u32) -> String {
    format!("PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {version};")
}

#[test]
fn a_file_that_is_no_database_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes");
    for (content, why) in [
        ("", "it is empty"),
        ("a letter", "it is not an SQLite database"),
        ("SQLite format 3\0 and no more", "it is not an SQLite database"),
    ] {
        fs::write(&path, content).unwrap();
        let error = refused(&path);
        assert!(matches!(error, StoreError::NotAStore { .. }), "{error}");
        assert!(error.to_string().ends_with(why), "{error}");
    }
}

#[test]
fn a_folder_and_a_socket_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("inner");
    fs::create_dir(&inner).unwrap();
    assert!(refused(&inner).to_string().ends_with("it is a folder"));
    let socket = folder.path().join("socket");
    let _listener = UnixListener::bind(&socket).unwrap();
    assert!(refused(&socket).to_string().ends_with("it is not a regular file"));
}

#[test]
fn a_database_of_another_program_is_refused_even_while_it_is_in_use() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("other.db");
    forge(&path, "PRAGMA application_id = 7; CREATE TABLE bookmark (url TEXT);");
    assert!(refused(&path).to_string().ends_with("of another program"));

    let open = Connection::open(&path).unwrap();
    open.execute_batch("PRAGMA journal_mode = WAL; INSERT INTO bookmark VALUES ('x');").unwrap();
    assert_eq!(names(folder.path()), ["other.db", "other.db-shm", "other.db-wal"]);
    refused(&path);
}

#[test]
fn our_mark_on_foreign_tables_does_not_make_a_store() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("forged.db");
    for (batch, why) in [
        ("CREATE TABLE bookmark (url TEXT);".to_owned(), "a table `bookmark` that is not ours"),
        ("CREATE TABLE run (a); CREATE TABLE trial (a);".to_owned(), "it has no table `blob`"),
        (format!("{SCHEMA} CREATE TABLE bookmark (url TEXT);"), "a table `bookmark` that is not ours"),
        ("CREATE TABLE run (a); PRAGMA journal_mode = WAL;".to_owned(), "it has no table `trial`"),
    ] {
        forge(&path, &(ours(VERSION) + &batch));
        let error = refused(&path);
        assert!(error.to_string().ends_with(why), "{error}");
        fs::remove_file(&path).unwrap();
    }
    forge(&path, &(ours(0) + SCHEMA));
    assert!(refused(&path).to_string().ends_with("no version"));
}

#[test]
fn a_store_of_version_1_stays_one_until_it_gets_a_run() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.db");
    forge(&path, &(ours(1) + SCHEMA));
    let version = || -> u32 {
        let connection = Connection::open(&path).unwrap();
        connection.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap()
    };
    assert!(SqliteStore::open(&path).unwrap().list().unwrap().is_empty());
    assert_eq!(version(), 1);
    SqliteStore::open(&path).unwrap().begin(&example::run("a1", "2026-03-01T10:00:00Z")).unwrap();
    assert_eq!(version(), VERSION);
    assert_eq!(SqliteStore::open(&path).unwrap().list().unwrap().len(), 1);
}

#[test]
fn a_newer_store_is_refused_with_both_versions() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.db");
    forge(&path, &(ours(VERSION + 6) + SCHEMA));
    let error = refused(&path);
    assert!(
        matches!(error, StoreError::Newer { found, known, .. } if (found, known) == (VERSION + 6, VERSION))
    );
    assert!(error.to_string().contains("version 10") && error.to_string().contains("version 4"), "{error}");
}

#[test]
fn a_damaged_store_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.db");
    drop(SqliteStore::open(&path).unwrap());
    let mut bytes = fs::read(&path).unwrap();
    bytes[100..].fill(0xa5);
    fs::write(&path, bytes).unwrap();
    let error = refused(&path);
    assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
}

#[test]
fn a_missing_folder_is_named_and_not_made() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("no/such/runs.db");
    let error = SqliteStore::open(&path).unwrap_err();
    let named = folder.path().join("no/such").display().to_string();
    assert!(matches!(error, StoreError::NoFolder { .. }), "{error}");
    assert!(error.to_string().contains(&named) && error.help().contains(&named), "{error}");
    assert!(names(folder.path()).is_empty());
}

#[test]
fn a_path_without_permission_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("runs.db");
    drop(SqliteStore::open(&path).unwrap());
    fs::set_permissions(&path, Permissions::from_mode(0o000)).unwrap();
    fs::set_permissions(folder.path(), Permissions::from_mode(0o555)).unwrap();
    let new = folder.path().join("new.db");
    as_ordinary_user(|| {
        for (path, doing) in [(&path, "cannot open"), (&new, "cannot make")] {
            let error = SqliteStore::open(path).unwrap_err();
            assert!(matches!(error, StoreError::Access { .. }), "{error}");
            assert!(error.to_string().contains("Permission denied"), "{error}");
            assert!(error.to_string().starts_with(doing), "{error}");
        }
    });
    assert_eq!(names(folder.path()), ["runs.db"]);
    fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_store_that_cannot_be_written_can_be_read() {
    let folder = tempfile::tempdir().unwrap();
    // A name that a URI would misread.
    let path = folder.path().join("runs?mode=rw#1%41.db");
    let run = example::run("a1", "2026-03-01T10:00:00Z");
    SqliteStore::open(&path).unwrap().begin(&run).unwrap();
    for (file, parent) in [(0o444, 0o755), (0o666, 0o555), (0o444, 0o555)] {
        fs::set_permissions(&path, Permissions::from_mode(file)).unwrap();
        fs::set_permissions(folder.path(), Permissions::from_mode(parent)).unwrap();
        let before = contents(folder.path());
        as_ordinary_user(|| {
            let mut store = SqliteStore::open(&path).unwrap();
            assert_eq!(store.list().unwrap().len(), 1);
            assert_eq!(store.load("a1").unwrap().id, "a1");
            for error in [
                store.begin(&example::run("a2", "2026-03-01T10:00:00Z")).unwrap_err(),
                store.add_trial("a1", 0, &example::trial(0)).unwrap_err(),
                store.finish(&run).unwrap_err(),
                store.remove("a1").unwrap_err(),
            ] {
                assert!(matches!(error, StoreError::ReadOnly { .. }), "{error}");
            }
        });
        assert!(contents(folder.path()) == before, "{:?}", names(folder.path()));
    }
    fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_name_with_a_meaning_for_sqlite_is_only_a_name() {
    let folder = tempfile::tempdir().unwrap();
    // The meaning is only in the bare name, so it must be tried from its
    // folder; no other test uses a relative path.
    std::env::set_current_dir(folder.path()).unwrap();
    for name in [":memory:", "file:x?mode=memory"] {
        let path = Path::new(name);
        SqliteStore::open(path).unwrap().begin(&example::run("a1", "2026-03-01T10:00:00Z")).unwrap();
        assert_eq!(SqliteStore::open(path).unwrap().list().unwrap().len(), 1);
    }
    let [memory, file] = [":memory:", "file:x?mode=memory"];
    assert_eq!(
        names(folder.path()),
        [memory.to_owned(), format!("{memory}-journal"), file.to_owned(), format!("{file}-journal")]
    );
}

#[test]
fn programs_that_make_one_store_at_once_get_the_same() {
    for _ in 0..10 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs.db");
        std::thread::scope(|scope| {
            for id in ["a", "b", "c", "d"] {
                let path = &path;
                scope.spawn(move || {
                    SqliteStore::open(path)
                        .unwrap()
                        .begin(&example::run(id, "2026-03-01T10:00:00Z"))
                        .unwrap();
                });
            }
        });
        assert_eq!(SqliteStore::open(&path).unwrap().list().unwrap().len(), 4);
        assert_eq!(names(folder.path()), ["runs.db", "runs.db-journal"]);
    }
}

#[test]
fn the_default_place_is_made_for_the_user_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("share/headroom/headroom.db");
    drop(SqliteStore::open_with_folders(&path).unwrap());
    for made in ["share", "share/headroom"] {
        let mode = fs::metadata(folder.path().join(made)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700, "{made}");
    }
    // A folder that is there keeps its mode.
    fs::set_permissions(folder.path().join("share"), Permissions::from_mode(0o755)).unwrap();
    drop(SqliteStore::open_with_folders(&path).unwrap());
    let mode = fs::metadata(folder.path().join("share")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o755);
}

#[test]
fn the_default_place_follows_the_xdg_specification() {
    let text = |s: &str| Some(OsString::from(s));
    let home = PathBuf::from("/home/u/.local/share/headroom/headroom.db");
    assert_eq!(default_path(text("/data"), text("/home/u")), Some("/data/headroom/headroom.db".into()));
    assert_eq!(default_path(None, text("/home/u")), Some(home.clone()));
    assert_eq!(default_path(text(""), text("/home/u")), Some(home.clone()));
    assert_eq!(default_path(text("relative"), text("/home/u")), Some(home));
    assert_eq!(default_path(None, text("")), None);
    assert_eq!(default_path(None, None), None);
}
