//! Data that is kept for later runs, and what is read where it lies.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use load::fixture::FixtureStore;
use load::workload::db::left::{KeptData, kept_for_later, kept_on_servers, left_on_servers};
use load::workload::db::left_restore::{RestoredOnServer, remove_kept_file, remove_kept_files, restore_at};
use load::workload::{FIXTURES, HostInfo};
use rusqlite::Connection;

use super::loads::{file, path};
use super::postgres_server::PostgresServer;
use super::{Bench, Given, OLTP, surveyed_of};

pub(super) fn folder() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

/// A load of which is listed in `state` what stays, with its data in `target`.
pub(super) fn bench(name: &str, state: &Path, target: &Path, given: Given<'_>) -> Result<Bench, String> {
    let mut load = surveyed_of(name, target, given)?;
    let host = HostInfo { state_folder: Some(state.to_owned()), ..super::host() };
    let mut fixtures = FixtureStore::new(FIXTURES);
    for key in &load.survey(&super::host()).map_err(|problem| problem.message)?.fixtures {
        fixtures.make(key, &host, &mut |_| true).map_err(|fault| fault.to_string())?;
    }
    Ok(Bench { load, fixtures, folder: folder() })
}

/// Runs it; whether the data was there, and whether it had been changed.
fn origin(bench: Bench) -> [bool; 2] {
    let measured = bench.run().unwrap();
    bench.end();
    ["data_reused", "data_written_before"].map(|name| measured.fact(name) == "yes")
}

const KEPT: [(&str, &str); 4] =
    [("keep-data", "yes"), ("rows", "500"), ("requests", "20"), ("duration", "60s")];

fn with<'a>(more: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    [&KEPT[..], more].concat()
}

/// The only file in a folder.
fn only(folder: &Path) -> PathBuf {
    let all: Vec<_> = folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(all.len(), 1, "{all:?}");
    all[0].clone()
}

#[test]
fn a_file_of_sqlite_is_kept_found_again_and_removed_on_request() {
    let (state, target) = (folder(), folder());
    let run = |mix: &str, more: Given<'_>| {
        let given = with(&[&[("mix", mix)][..], more].concat());
        origin(bench(OLTP, state.path(), target.path(), &given).unwrap())
    };
    assert_eq!(run("read-only", &[]), [false, false]);
    let path = only(target.path());
    assert!(path.file_name().unwrap().to_str().unwrap().starts_with("headroom_kept_"), "{path:?}");
    let inode = || path.metadata().unwrap().ino();
    let first = inode();
    assert_eq!(run("read-only", &[]), [true, false]);
    assert_eq!(run("update-index", &[("synchronous", "full")]), [true, false]);
    assert_eq!(run("read-only", &[]), [true, true]);
    assert_eq!(inode(), first);
    // A run that uses it keeps others out.
    let given = with(&[("mix", "read-only")]);
    let one = bench(OLTP, state.path(), target.path(), &given).unwrap();
    let told = bench(OLTP, state.path(), target.path(), &given).err().unwrap();
    assert!(told.contains("another run uses"), "{told}");
    assert!(remove_kept_files(state.path()).is_empty(), "it is in use");
    one.end();
    // Rows are missing: it is made anew.
    Connection::open(&path).unwrap().execute_batch("DELETE FROM sbtest1 WHERE id = 7").unwrap();
    assert_eq!(run("read-only", &[]), [false, false]);
    assert_eq!(run("read-only", &[("recreate", "yes")]), [false, false]);
    // Other data has another file.
    let other = with(&[("rows", "501")]);
    bench(OLTP, state.path(), target.path(), &other).unwrap().end();
    assert_eq!(target.path().read_dir().unwrap().count(), 2);
    assert!(left_on_servers(state.path(), false).is_empty(), "nothing of it is left by accident");
    // One of them alone.
    let listed = |path: &Path| {
        let all = kept_for_later(state.path());
        all.iter().filter(|one| one.kept() == Some(KeptData::File(path))).count()
    };
    assert_eq!((listed(&path), kept_for_later(state.path()).len()), (1, 2));
    assert!(remove_kept_file(state.path(), &target.path().join("mine.db")).is_none());
    assert!(remove_kept_file(state.path(), &path).unwrap().is_settled() && !path.exists());
    assert_eq!((listed(&path), kept_for_later(state.path()).len()), (0, 1));
    bench(OLTP, state.path(), target.path(), &with(&[])).unwrap().end();
    let removed = remove_kept_files(state.path());
    assert!(removed.len() == 2 && removed.iter().all(RestoredOnServer::is_settled), "{removed:?}");
    assert_eq!(target.path().read_dir().unwrap().count(), 0);
    assert!(remove_kept_files(state.path()).is_empty());
}

#[test]
fn a_file_of_somebody_else_is_no_kept_data() {
    let (state, target) = (folder(), folder());
    bench(OLTP, state.path(), target.path(), &with(&[])).unwrap().end();
    let path = only(target.path());
    std::fs::remove_file(&path).unwrap();
    assert!(remove_kept_file(state.path(), &path).unwrap().is_settled());
    Connection::open(&path).unwrap().execute_batch("CREATE TABLE mine (a)").unwrap();
    let told = bench(OLTP, state.path(), target.path(), &with(&[])).err().unwrap();
    assert!(told.contains("is not the kept data") && told.contains("recreate=yes"), "{told}");
    let told = bench(OLTP, state.path(), target.path(), &with(&[("recreate", "yes")])).err().unwrap();
    assert!(told.contains("no mark"), "{told}");
    let tables: i64 = Connection::open(&path)
        .unwrap()
        .query_row("SELECT count(*) FROM sqlite_schema WHERE name = 'mine'", [], |row| row.get(0))
        .unwrap();
    assert_eq!(tables, 1);
}

#[test]
fn what_cannot_be_kept_is_told() {
    let target = folder();
    let told = surveyed_of(OLTP, target.path(), &with(&[("mix", "delete")])).err().unwrap();
    assert!(told.contains("use the tables up"), "{told}");
    let url = [("mix", "delete"), ("url", "postgres://me@192.0.2.1/x")];
    let told = surveyed_of(OLTP, target.path(), &with(&url)).err().unwrap();
    assert!(told.contains("use the tables up"), "{told}");
}

#[test]
fn tables_on_a_server_are_kept_found_again_and_removed_on_request() {
    let Some(server) = PostgresServer::start(&[]) else { return };
    let (state, target) = (folder(), folder());
    let url = server.url("postgres", "");
    let others = || {
        let asked = "SELECT datname FROM pg_database WHERE NOT datistemplate AND datname <> 'postgres'";
        server.sql("postgres", asked)
    };
    let make = |more: Given<'_>| {
        let given = with(&[&[("url", &*url)][..], more].concat());
        bench(OLTP, state.path(), target.path(), &given)
    };
    assert_eq!(origin(make(&[("mix", "read-only")]).unwrap()), [false, false]);
    let name = others();
    assert!(name.starts_with("headroom_kept_"), "{name}");
    let made =
        |name: &str| server.sql("postgres", &format!("SELECT oid FROM pg_database WHERE datname = '{name}'"));
    let first = made(&name);
    assert_eq!(origin(make(&[("mix", "update-index")]).unwrap()), [true, false]);
    assert_eq!(origin(make(&[("mix", "read-only")]).unwrap()), [true, true]);
    assert_eq!((made(&name), others()), (first.clone(), name.clone()));
    let one = make(&[]).unwrap();
    let told = make(&[]).err().unwrap();
    assert!(told.contains("another run uses"), "{told}");
    one.end();
    server.sql(&name, "DELETE FROM sbtest1 WHERE id = 7");
    assert_eq!(origin(make(&[("mix", "read-only")]).unwrap()), [false, false]);
    assert_ne!(made(&name), first);
    // Of another machine that is not done yet.
    server.sql(&name, "DROP TABLE headroom_data");
    let elsewhere = folder();
    let given = with(&[("url", &*url)]);
    let told = bench(OLTP, elsewhere.path(), target.path(), &given).err().unwrap();
    assert!(told.contains("no run of this machine made it"), "{told}");
    assert_eq!(others(), name);

    assert_eq!(kept_on_servers(state.path()).len(), 1);
    assert!(restore_at(state.path(), &url, None, false).unwrap().is_empty(), "it is kept");
    assert_eq!(others(), name);
    let removed = restore_at(state.path(), &url, None, true).unwrap();
    assert!(removed.len() == 1 && removed[0].is_settled(), "{removed:?}");
    assert_eq!((others(), kept_on_servers(state.path()).len()), (String::new(), 0));
}

#[test]
fn a_database_of_the_user_s_is_read_and_nothing_of_it_changes() {
    let (state, place) = (folder(), folder());
    let database = place.path().join("shop.db");
    let connection = Connection::open(&database).unwrap();
    connection.execute_batch("CREATE TABLE goods (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO goods VALUES (1, 'a'), (2, 'b')").unwrap();
    drop(connection);
    let before = (std::fs::read(&database).unwrap(), database.metadata().unwrap().mtime_nsec());
    let url = format!("sqlite:{}", database.display());
    let run = |text: &str| {
        let sql = file(text);
        let path = path(&sql);
        let given = [
            ("url", &*url),
            ("sql", &*path),
            ("data", "existing"),
            ("clients", "2"),
            ("requests", "50"),
            ("duration", "60s"),
        ];
        let bench = bench("db.script", state.path(), place.path(), &given)?;
        let measured = bench.run()?;
        bench.end();
        Ok::<_, String>(measured)
    };
    let measured = run("\\set id random(1, 2)\nSELECT name FROM goods WHERE id = :id;").unwrap();
    assert!(measured.count("selects") >= 50, "{:?}", measured.counted);
    assert_eq!(measured.fact("journal_mode"), "delete");
    let told = run("UPDATE goods SET name = 'c';").err().unwrap();
    assert!(told.contains("would change tables"), "{told}");
    assert_eq!((std::fs::read(&database).unwrap(), database.metadata().unwrap().mtime_nsec()), before);
    assert_eq!(only(place.path()), database);
    let sql = file("SELECT 1;");
    let sql_path = path(&sql);
    let none = [("url", "sqlite:/no/such.db"), ("sql", &*sql_path), ("data", "existing")];
    let told = surveyed_of("db.script", place.path(), &none).err().unwrap();
    assert!(told.contains("/no/such.db: no such file"), "{told}");
}
