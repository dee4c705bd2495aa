//! A file of SQLite at the path of a URL: made for the run, and removed at its end. What is there already stays as it is;
//! only a database that has no other tables than those of the load is removed first, where that is asked for.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use engine::fault::Fault;
use engine::lock;
use model::plan::{FixtureKey, Ownership, Problem};
use serde::{Deserialize, Serialize};

use crate::fixture::{FixtureKind, FixtureResult, Progress};
use crate::host::HostInfo;
use crate::workload::db::dataset::DataSet;
use crate::workload::db::kept::{self, KeptIdentity};
use crate::workload::db::left::{Inode, LeftOnServer, LeftThing, MadeFile, ServerList};
use crate::workload::db::sqlite::fixture::SqliteDatabase;
use crate::workload::db::sqlite::kept_file::{self, BESIDE, beside};
use crate::workload::db::url::DatabaseSystem;
use crate::workload::left_records::LeftRecord;

/// The kind of files.
pub const NAMED_FILES: FixtureKind = FixtureKind { name: "database-file", make };

/// The table that says what data it is; it is ours.
const MARK: &str = "headroom_data";

/// What helps where something is in the way that a killed run may have left.
const NAME_ANOTHER: &str =
    "name another file; if a run that was killed left it, `headroom restore` removes it";
const RECREATE: &str = "name a new file, or give recreate=yes, which removes this one; if a run that was killed left it, \
                        `headroom restore` removes it";

/// What helps where the file is not there.
const FORGET: &str =
    "type `headroom restore` again when it is, or `headroom restore --drop`, which forgets it";

/// The files that this process has made and not removed yet: a survey in the middle of a run meets them.
static MADE: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Whether this process has made the file at this path, a whole one, and not removed it yet.
pub(in crate::workload) fn is_made_here(file: &str) -> bool {
    lock(&MADE).iter().any(|made| made == Path::new(file))
}

/// What a load needs in the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::workload) struct NamedFileOrder {
    /// Where: a whole path.
    pub(in crate::workload) file: String,
    pub(in crate::workload) data: DataSet,
    /// Whether a database that has nothing but these tables is removed first.
    pub(in crate::workload) recreates: bool,
}

/// The whole path of the file that `path` names, and its folder.
///
/// # Errors
/// If its folder is not there, or the path cannot stand in a URL.
pub(in crate::workload) fn place(path: &Path) -> Result<(PathBuf, String), Problem> {
    let told = path.display();
    let wrong =
        |why: &str| Problem::invalid(format!("{told}: {why}"), "name a new file in a folder that is there");
    let name = path.file_name().ok_or_else(|| wrong("it names no file"))?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !folder.is_dir() {
        return Err(wrong("its folder is not there"));
    }
    let folder = folder.canonicalize().map_err(|e| wrong(&e.to_string()))?;
    let file = folder.join(name);
    let text = file.to_str().filter(|text| !text.contains('?')).map(str::to_owned);
    text.map(|text| (folder, text)).ok_or_else(|| wrong("a URL cannot name it"))
}

/// What is made for `order`, whose file lies in `folder`.
pub(in crate::workload) fn key(folder: &str, order: &NamedFileOrder) -> FixtureKey {
    let NamedFileOrder { file, data, recreates } = order;
    let bytes = data.bytes();
    let first = if *recreates { "removes a database of these tables that is there, " } else { "" };
    FixtureKey {
        details: serde_json::json!(order),
        written: bytes,
        about: format!("{first}makes {data} in the new file {file}, and removes it"),
        ..FixtureKey::new(NAMED_FILES.name, folder, bytes, Ownership::Created)
    }
}

/// Looks whether the file can be made.
///
/// # Errors
/// If there is something already that stays.
pub(in crate::workload) fn check(order: &NamedFileOrder) -> Result<(), Problem> {
    let path = Path::new(&order.file);
    let told = path.display();
    let stays = |why: String, help: &str| Err(Problem::refused(format!("{told} {why}"), help));
    for ending in BESIDE {
        let other = beside(path, ending);
        if fs::symlink_metadata(&other).is_ok() {
            let other = other.display();
            return stays(
                format!("cannot be made: {other} is there, which belongs to a database of that name"),
                NAME_ANOTHER,
            );
        }
    }
    match fs::symlink_metadata(path) {
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(()),
        Err(e) => return stays(format!("cannot be looked at: {e}"), "name another file"),
        Ok(about) if !about.is_file() => {
            return stays("is there, and no file".to_owned(), "name another file");
        }
        Ok(_) => {}
    }
    if path.file_stem().and_then(|stem| stem.to_str()).is_some_and(kept::is_kept_name) {
        return stays("is data that is kept".to_owned(), "`headroom restore --kept` removes it");
    }
    let tables = match tables(&order.file) {
        Ok(tables) => tables,
        Err(e) => return stays(format!("is there, and no database of SQLite: {e}"), "name another file"),
    };
    let layouts = order.data.layouts(DatabaseSystem::Sqlite);
    let is_own = |table: &String| table == MARK || layouts.iter().any(|layout| layout.name == *table);
    match (tables.iter().find(|table| !is_own(table)), tables.first()) {
        (Some(_), _) if matches!(order.data, DataSet::Statements { .. }) => stays(
            "is there already, and what its script makes is not compared".to_owned(),
            "name a new file, or remove this one",
        ),
        (Some(other), _) => stays(
            format!("is there already, with a table {other} that is none of this load"),
            "name a new file; a database that is there is only read, by db.script with data=existing",
        ),
        (None, _) if order.recreates => Ok(()),
        (None, Some(table)) => stays(format!("has a table {table} already, which is left alone"), RECREATE),
        (None, None) => stays("is there already, and is left alone".to_owned(), RECREATE),
    }
}

/// The tables, views and triggers of the database in `file`, read so that nothing is made or changed beside it.
fn tables(file: &str) -> rusqlite::Result<Vec<String>> {
    let connection = kept_file::open_unchanged(file)?;
    let mut asked = connection.prepare(
        "SELECT name FROM sqlite_master WHERE type <> 'index' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'",
    )?;
    let names = asked.query_map([], |row| row.get::<_, String>(0))?;
    names.collect()
}

fn make(key: &FixtureKey, host: &HostInfo, progress: &mut Progress<'_>) -> FixtureResult {
    let order: NamedFileOrder = serde_json::from_value(key.details.clone())
        .map_err(|e| Fault::Other(format!("this agent does not know what a database is to have: {e}")))?;
    let path = Path::new(&order.file);
    let identity = KeptIdentity::of(&order.data, DatabaseSystem::Sqlite);
    let list = host.state_folder.as_deref().map(ServerList::in_state);
    let url = kept_file::url_of(path)?;
    if is_made_here(&order.file) || list.as_ref().is_some_and(|list| list.is_made(&url)) {
        return Err(Fault::Other(format!(
            "another run, or other data of this one, is in {} now",
            order.file
        )));
    }
    check(&order)?;
    let before = Inode::of(path).ok();
    let folder = Inode::of(Path::new(&key.target)).ok();
    let left = LeftOnServer::new(&url, LeftThing::File { digest: identity.digest().to_owned(), folder });
    // Without a list there is one place less where it is told.
    let record = list.and_then(|list| list.write(&left).ok());
    let made = make_anew(path, Path::new(&key.target), &order, &identity, host, progress);
    match made {
        Ok(inode) => {
            lock(&MADE).push(path.to_owned());
            Ok(Box::new(SqliteDatabase::named(NamedFile { path: path.to_owned(), inode, record })))
        }
        Err(fault) => {
            // One that was there before stays, and a record of what could not be removed too.
            let is_as_before = before.is_some() && Inode::of(path).ok() == before;
            let left = MadeFile { path, digest: identity.digest(), folder };
            if is_as_before || remove_left(&left).is_ok() {
                record.into_iter().for_each(LeftRecord::remove);
            }
            Err(fault)
        }
    }
}

/// Makes it in place of one that may go, which goes once the new one is whole; returns which file it is.
fn make_anew(
    path: &Path,
    folder: &Path,
    order: &NamedFileOrder,
    identity: &KeptIdentity,
    host: &HostInfo,
    progress: &mut Progress<'_>,
) -> Result<Inode, Fault> {
    let clear = || clear(path, order);
    kept_file::make_at(path, folder, &order.data, identity, host, progress, &clear)?;
    Inode::of(path).map_err(|e| Fault::system(format!("looking at {}", path.display()), e))
}

/// Removes the one that may go, if it still may.
fn clear(path: &Path, order: &NamedFileOrder) -> Result<(), Fault> {
    check(order)?;
    if order.recreates
        && let Err(e) = fs::remove_file(path)
        && e.kind() != ErrorKind::NotFound
    {
        return Err(Fault::system(format!("removing {}", path.display()), e));
    }
    Ok(())
}

/// A file that is made, and removed at the end, or when this is dropped.
#[derive(Debug)]
pub(super) struct NamedFile {
    pub(super) path: PathBuf,
    inode: Inode,
    record: Option<LeftRecord>,
}

impl NamedFile {
    /// Looks whether it still is where it was made.
    ///
    /// # Errors
    /// If it is not.
    pub(super) fn check(&self) -> Result<(), Fault> {
        let told = self.path.display();
        match Inode::of(&self.path) {
            Ok(inode) if inode == self.inode => Ok(()),
            Ok(_) => Err(Fault::Other(format!("{told} is another file than was made there"))),
            Err(e) => Err(Fault::system(format!("looking for {told}"), e)),
        }
    }

    /// Removes it, with what SQLite has put beside it.
    ///
    /// # Errors
    /// If it is another file, or cannot be removed.
    pub(super) fn remove(&mut self) -> Result<(), Fault> {
        let told = self.path.display();
        match Inode::of(&self.path) {
            Err(e) if e.kind() == ErrorKind::NotFound => {}
            Ok(inode) if inode != self.inode => {
                return Err(Fault::Other(format!("{told} is another file than was made there, and stays")));
            }
            _ => {
                let removed = kept_file::remove_all(&self.path);
                removed.map_err(|why| Fault::Other(format!("{told} could not be removed: {why}")))?;
            }
        }
        self.record.take().into_iter().for_each(LeftRecord::remove);
        Ok(())
    }
}

impl Drop for NamedFile {
    fn drop(&mut self) {
        // Whoever wants to know what stays removes it.
        let _ = self.remove();
        lock(&MADE).retain(|made| *made != self.path);
    }
}

/// Removes the file that a killed run left, if it has the mark with its digest. One that is not there is gone only where
/// its folder is the one that it was made in: otherwise its file system may not be mounted now.
///
/// # Errors
/// Why it stays.
pub(in crate::workload) fn remove_left(left: &MadeFile<'_>) -> Result<(), String> {
    let path = left.path;
    let Some(folder) = path.parent().filter(|folder| folder.is_dir()) else {
        return Err(format!("its folder is not there now; {FORGET}"));
    };
    if !kept_file::is_there(path).map_err(|fault| fault.to_string())? {
        if left.folder.is_none() || Inode::of(folder).ok() != left.folder {
            return Err(format!("its file system is not mounted there now, as far as can be told; {FORGET}"));
        }
        // It may have been killed after the file was removed, and before what SQLite had put beside it.
        return kept_file::remove_beside(path);
    }
    if kept_file::digest(path)? != left.digest {
        return Err("its mark is of other data".to_owned());
    }
    kept_file::remove_all(path)
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::*;
    use crate::workload::db::dataset::sbtest::Sbtest;

    fn order(file: &Path, recreates: bool) -> NamedFileOrder {
        let data = DataSet::Sbtest(Sbtest { tables: 1, rows: 10 });
        NamedFileOrder { file: file.to_str().unwrap().to_owned(), data, recreates }
    }

    fn told(file: &Path, recreates: bool) -> String {
        check(&order(file, recreates)).map_or_else(|problem| problem.message, |()| String::new())
    }

    #[test]
    fn only_what_has_nothing_but_tables_of_the_load_may_go() {
        let place = tempfile::tempdir_in(".").unwrap();
        let file = place.path().join("a %#b.db");
        assert_eq!((told(&file, false), told(&file, true)), (String::new(), String::new()));
        Connection::open(&file).unwrap().execute_batch("CREATE TABLE sbtest1 (id INTEGER)").unwrap();
        assert!(told(&file, false).contains("has a table sbtest1 already"), "{}", told(&file, false));
        assert_eq!(told(&file, true), "");
        Connection::open(&file).unwrap().execute_batch("CREATE VIEW mine AS SELECT 1").unwrap();
        for recreates in [false, true] {
            assert!(
                told(&file, recreates).contains("a table mine that is none"),
                "{}",
                told(&file, recreates)
            );
        }
        assert_eq!(place.path().read_dir().unwrap().count(), 1, "nothing is made beside it");
        let text = place.path().join("text");
        std::fs::write(&text, "a text that is no database at all, and long enough for a head of one")
            .unwrap();
        assert!(told(&text, true).contains("no database"), "{}", told(&text, true));
        assert!(told(place.path(), true).contains("no file"));
        let other = place.path().join("other.db");
        std::fs::write(place.path().join("other.db-wal"), "x").unwrap();
        assert!(told(&other, true).contains("other.db-wal is there"), "{}", told(&other, true));
    }

    #[test]
    fn what_a_script_makes_is_not_compared() {
        let place = tempfile::tempdir_in(".").unwrap();
        let file = place.path().join("x.db");
        Connection::open(&file).unwrap().execute_batch("CREATE TABLE mine (id INTEGER)").unwrap();
        let data = DataSet::Statements { statements: vec!["CREATE TABLE mine (id INTEGER)".to_owned()] };
        let problem = check(&NamedFileOrder { data, ..order(&file, true) }).unwrap_err();
        assert!(problem.message.contains("is not compared"), "{problem:?}");
    }

    #[test]
    fn what_a_killed_run_left_beside_its_file_goes_where_its_folder_is() {
        let place = tempfile::tempdir_in(".").unwrap();
        let file = place.path().join("x.db");
        std::fs::write(place.path().join("x.db-wal"), "x").unwrap();
        std::fs::write(place.path().join("y.db-wal"), "y").unwrap();
        let folder = Inode::of(place.path()).ok();
        remove_left(&MadeFile { path: &file, digest: "", folder }).unwrap();
        let names: Vec<_> =
            place.path().read_dir().unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, ["y.db-wal"]);
        let elsewhere = place.path().join("no-such").join("x.db");
        let left = MadeFile { path: &elsewhere, digest: "", folder };
        assert!(remove_left(&left).unwrap_err().contains("is not there now"));
    }

    #[test]
    fn regression_a_file_whose_disk_is_not_mounted_was_said_to_be_removed() {
        let place = tempfile::tempdir_in(".").unwrap();
        let (mounted, point) = (place.path().join("mounted"), place.path().join("point"));
        fs::create_dir(&mounted).unwrap();
        fs::create_dir(&point).unwrap();
        let path = point.join("x.db");
        let beside = point.join("x.db-wal");
        fs::write(&beside, "x").unwrap();
        // The folder under the mount is another one; in an old list it is not told which it was.
        for folder in [Inode::of(&mounted).ok(), None] {
            let left = MadeFile { path: &path, digest: "", folder };
            let why = remove_left(&left).unwrap_err();
            assert!(why.contains("is not mounted") && why.contains("restore --drop"), "{why}");
            assert!(beside.is_file(), "nothing of another file system is removed");
        }
        let left = MadeFile { path: &path, digest: "", folder: Inode::of(&point).ok() };
        assert_eq!(remove_left(&left), Ok(()));
    }

    #[test]
    fn a_place_is_a_whole_path_in_a_folder_that_is_there() {
        let (folder, file) = super::place(Path::new("x.db")).unwrap();
        assert_eq!(Path::new(&file), folder.join("x.db"));
        assert!(folder.is_absolute());
        for (path, why) in [("/no/such/x.db", "its folder is not there"), ("/", "names no file")] {
            assert!(super::place(Path::new(path)).unwrap_err().message.contains(why), "{path}");
        }
    }
}
