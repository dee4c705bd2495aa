//! A file of SQLite where its path was given: made, used and removed; what is there already stays.

use std::path::Path;

use load::workload::db::left::left_on_servers;
use load::workload::db::left_restore::{RestoredOnServer, remove_left_files};
use rusqlite::Connection;

use super::kept::{bench, folder};
use super::{Bench, Given, OLTP};

/// A load on the file `name` in `place`, listed in `state`.
fn on_file(state: &Path, place: &Path, name: &str, more: Given<'_>) -> Result<Bench, String> {
    let url = format!("sqlite:{}", place.join(name).display());
    let given = [("url", &*url), ("rows", "500"), ("requests", "20"), ("duration", "60s")];
    bench(OLTP, state, place, &[&given[..], more].concat())
}

fn names(folder: &Path) -> Vec<String> {
    let entries = folder.read_dir().unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<String> = entries.map(|name| name.into_string().unwrap()).collect();
    names.sort_unstable();
    names
}

#[test]
fn a_file_whose_path_is_given_is_made_and_removed() {
    let (state, place) = (folder(), folder());
    let one = on_file(state.path(), place.path(), "mine.db", &[("mix", "read-write")]).unwrap();
    assert_eq!(names(place.path()), ["mine.db"]);
    let rows = Connection::open(place.path().join("mine.db")).unwrap();
    let count: i64 = rows.query_row("SELECT COUNT(*) FROM sbtest1", [], |row| row.get(0)).unwrap();
    assert_eq!(count, 500);
    drop(rows);
    // Other data of the same run cannot be in it, and who surveys again meets it.
    let told = on_file(state.path(), place.path(), "mine.db", &[("rows", "501")]).err().unwrap();
    assert!(told.contains("other data of this one"), "{told}");
    assert!(remove_left_files(state.path()).is_empty(), "it is in use");
    let measured = one.run().unwrap();
    assert!(measured.number("transactions_committed") >= 20);
    assert_eq!(measured.fact("journal_mode"), "wal");
    one.end();
    assert_eq!(names(place.path()), Vec::<String>::new());
    assert!(left_on_servers(state.path(), false).is_empty());
}

#[test]
fn what_is_there_already_is_left_alone_but_for_tables_of_the_load_that_may_go() {
    let (state, place) = (folder(), folder());
    let run = |more: Given<'_>| on_file(state.path(), place.path(), "theirs.db", more);
    let file = place.path().join("theirs.db");
    Connection::open(&file).unwrap().execute_batch("CREATE TABLE sbtest1 (id INTEGER)").unwrap();
    let before = std::fs::read(&file).unwrap();
    let told = run(&[]).err().unwrap();
    assert!(told.contains("has a table sbtest1 already"), "{told}");
    assert_eq!((std::fs::read(&file).unwrap(), names(place.path())), (before, vec!["theirs.db".to_owned()]));
    run(&[("recreate", "yes")]).unwrap().end();
    assert_eq!(names(place.path()), Vec::<String>::new());
    Connection::open(&file)
        .unwrap()
        .execute_batch("CREATE TABLE sbtest1 (id); CREATE TABLE mine (id)")
        .unwrap();
    let before = std::fs::read(&file).unwrap();
    for more in [&[][..], &[("recreate", "yes")]] {
        let told = run(more).err().unwrap();
        assert!(told.contains("a table mine that is none of this load"), "{told}");
    }
    assert_eq!((std::fs::read(&file).unwrap(), names(place.path())), (before, vec!["theirs.db".to_owned()]));
    let told = run(&[("keep-data", "yes")]).err().unwrap();
    assert!(told.contains("keeps nothing in"), "{told}");
}

/// Which a killed run left is known by the list and a mark in the file.
#[test]
fn a_file_that_a_killed_run_left_is_removed_and_no_other() {
    let (state, place) = (folder(), folder());
    let one = on_file(state.path(), place.path(), "mine.db", &[]).unwrap();
    let (file, list) = (place.path().join("mine.db"), state.path().join("databases"));
    let (database, record) = (std::fs::read(&file).unwrap(), only_text(&list));
    one.end();
    std::fs::write(list.join("file-0"), record).unwrap();
    assert_eq!(left_on_servers(state.path(), false).len(), 1);
    Connection::open(&file).unwrap().execute_batch("CREATE TABLE mine (id)").unwrap();
    let kept = remove_left_files(state.path());
    assert!(kept.len() == 1 && !kept[0].is_settled() && file.is_file(), "{kept:?}");
    std::fs::write(&file, database).unwrap();
    let removed = remove_left_files(state.path());
    assert!(removed.len() == 1 && removed.iter().all(RestoredOnServer::is_settled), "{removed:?}");
    assert!(removed[0].to_string().contains("mine.db, which a killed run left: it is removed"));
    assert_eq!((names(place.path()), names(&list)), (Vec::new(), Vec::new()));
}

/// What the only file of a list says.
fn only_text(list: &Path) -> String {
    let names = names(list);
    assert_eq!(names.len(), 1, "{names:?}");
    std::fs::read_to_string(list.join(&names[0])).unwrap()
}
