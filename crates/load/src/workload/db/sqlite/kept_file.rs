//! A file of SQLite that is kept in the target for later runs, and looked at before it is used again.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use engine::fault::Fault;
use rusqlite::{Connection, OpenFlags};

use crate::fixture::{Fixture, Progress};
use crate::host::HostInfo;
use crate::workload::db::dataset::DataSet;
use crate::workload::db::kept::{self, DataOrigin, KeptIdentity, KeptOrder};
use crate::workload::db::left::{KeptEntry, LeftOnServer, LeftThing, ServerList};
use crate::workload::db::sqlite::connection::{failed, is_whole};
use crate::workload::db::sqlite::fixture::{KeptFile, SqliteDatabase};
use crate::workload::db::sqlite::tables;
use crate::workload::db::url::{DatabaseSystem, DatabaseUrl};

/// What stands behind the name of the data.
const ENDING: &str = ".db";

/// What SQLite puts beside a file (sqlite.org/tempfiles.html).
pub(super) const BESIDE: [&str; 3] = ["-wal", "-shm", "-journal"];

/// Finds the file in the folder `folder`, or makes it.
///
/// # Errors
/// If another run uses it, it cannot be made, or it is told to stop.
pub(super) fn make(
    folder: &Path,
    order: &KeptOrder,
    host: &HostInfo,
    progress: &mut Progress<'_>,
) -> Result<SqliteDatabase, Fault> {
    let identity = KeptIdentity::of(&order.data, DatabaseSystem::Sqlite);
    let name = identity.name();
    let path = folder.join(format!("{name}{ENDING}"));
    let state = host.state_folder.as_deref().ok_or_else(|| {
        Fault::Other("kept data can be written down nowhere, so that nobody would know of it".to_owned())
    })?;
    let (list, url) = (ServerList::in_state(state), url_of(&path)?);
    let in_use = || Fault::Other(format!("another run uses the kept data {} now", path.display()));
    let record = match list.kept(&url, &name) {
        KeptEntry::None => None,
        KeptEntry::Free(record) => Some(record),
        KeptEntry::InUse => return Err(in_use()),
    };
    let is_there = is_there(&path)?;
    let found = (is_there && !order.choices.recreates).then(|| look(&path, &order.data, &identity));
    let left = LeftOnServer::new(&url, LeftThing::Kept { name: name.clone() });
    let write = || match list.write_alone(&url, &left) {
        Ok(written) => written.map_err(|_| in_use()),
        Err(e) => Err(Fault::system(format!("writing down that {name} is kept"), e)),
    };
    match found {
        Some(Ok(origin)) => {
            let record = record.map_or_else(write, Ok)?;
            return Ok(SqliteDatabase::kept(path, KeptFile { origin, _record: record }));
        }
        Some(Err(why)) if record.is_none() => {
            return Err(Fault::Other(format!(
                "{} is not the kept data that it is called, and no run of this machine made it: {why}. Give recreate=yes to \
                 have it removed and made anew",
                path.display()
            )));
        }
        _ => {}
    }
    if is_there {
        remove(&path).map_err(Fault::Other)?;
    }
    let record = record.map_or_else(write, Ok)?;
    match make_at(&path, folder, &order.data, &identity, host, progress, &|| Ok(())) {
        Ok(()) => Ok(SqliteDatabase::kept(path, KeptFile { origin: DataOrigin::Made, _record: record })),
        Err(fault) => {
            // A record of what could not be removed stays.
            if remove(&path).is_ok() {
                record.remove();
            }
            Err(fault)
        }
    }
}

/// Makes it in a hidden folder, and gives it its name once all of it is there and `clear` has made room for it.
///
/// # Errors
/// If it cannot be made, or there is something of that name.
pub(super) fn make_at(
    path: &Path,
    folder: &Path,
    data: &DataSet,
    identity: &KeptIdentity,
    host: &HostInfo,
    progress: &mut Progress<'_>,
    clear: &dyn Fn() -> Result<(), Fault>,
) -> Result<(), Fault> {
    let (tree, hidden) = tables::make_hidden(folder, data, host, progress)?;
    let marking = failed("marking a database");
    let connection =
        Connection::open_with_flags(&hidden, OpenFlags::SQLITE_OPEN_READ_WRITE).map_err(&marking)?;
    let mark = format!("{}; {}", kept::MAKE_MARK, identity.put_mark());
    connection.execute_batch(&mark).map_err(&marking)?;
    connection.close().map_err(|(_, error)| marking(error))?;
    let naming = |e: io::Error| Fault::system(format!("giving the database its name {}", path.display()), e);
    File::open(&hidden).and_then(|file| file.sync_all()).map_err(naming)?;
    clear()?;
    let place = || {
        // It never takes the place of another file.
        fs::hard_link(&hidden, path)?;
        File::open(folder)?.sync_all()
    };
    place().map_err(naming)?;
    Box::new(tree).remove()
}

/// The URL of the file, under which it stands in the list.
///
/// # Errors
/// If none can name it.
pub(super) fn url_of(path: &Path) -> Result<DatabaseUrl, Fault> {
    let text = path.to_str().filter(|text| !text.contains('?'));
    let text = text.ok_or_else(|| {
        Fault::Other(format!("data cannot be kept in {}: a URL cannot name it", path.display()))
    })?;
    Ok(DatabaseUrl::parse(&format!("sqlite:{text}"))?)
}

/// Whether there is a file.
///
/// # Errors
/// If there is something else.
pub(in crate::workload) fn is_there(path: &Path) -> Result<bool, Fault> {
    match fs::symlink_metadata(path) {
        Ok(about) if about.is_file() => Ok(true),
        Ok(_) => Err(Fault::Other(format!("{} is no file", path.display()))),
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(false),
        Err(e) => Err(Fault::system(format!("looking at {}", path.display()), e)),
    }
}

/// Looks whether all that lies beside the file at `path` in the names of SQLite is of `user`: it is followed when the file
/// is opened, as [`open_unchanged`] says.
///
/// # Errors
/// What is not.
fn check_beside(path: &Path, user: u32) -> Result<(), String> {
    for ending in BESIDE {
        let other = beside(path, ending);
        match fs::symlink_metadata(&other) {
            Ok(about) if about.is_file() && about.uid() == user => {}
            Ok(_) => return Err(format!("{} is no file of this user", other.display())),
            Err(e) if e.kind() == ErrorKind::NotFound => {}
            Err(e) => return Err(format!("{} cannot be looked at: {e}", other.display())),
        }
    }
    Ok(())
}

/// Looks whether the data is there and whole: its mark, and how many rows its tables have.
fn look(path: &Path, data: &DataSet, identity: &KeptIdentity) -> Result<DataOrigin, String> {
    check_beside(path, rustix::process::geteuid().as_raw())?;
    let connection = open(path)?;
    let (digest, written) = mark(&connection)?;
    let was_written = identity.read_mark(&digest, &written)?;
    if was_written {
        is_whole(&connection).map_err(|fault| fault.to_string())?;
    }
    for table in data.layouts(DatabaseSystem::Sqlite) {
        let question = format!("SELECT COUNT(*) FROM {}", table.name);
        let found: i64 = connection.query_row(&question, [], |row| row.get(0)).map_err(|e| e.to_string())?;
        if u64::try_from(found) != Ok(table.rows) {
            return Err(format!("the table {} has {found} rows, and not {}", table.name, table.rows));
        }
    }
    Ok(DataOrigin::Found { was_written })
}

/// A connection to data that is used again, which brings in what a killed run left in a write-ahead log.
///
/// # Errors
/// If there is no database.
fn open(path: &Path) -> Result<Connection, String> {
    Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE).map_err(|e| e.to_string())
}

/// A connection to the database in `file` as it lies there: what is beside it is neither read nor changed
/// (sqlite.org/uri.html, `immutable`). In a folder where others may write, that may be theirs, and SQLite removes the
/// file that a rollback journal names as its super-journal (sqlite.org/atomiccommit.html).
///
/// # Errors
/// If it cannot be opened.
pub(super) fn open_unchanged(file: &str) -> rusqlite::Result<Connection> {
    let encoded = file.replace('%', "%25").replace('#', "%23").replace('?', "%3f");
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Connection::open_with_flags(format!("file:{encoded}?immutable=1"), flags)
}

/// The digest in the mark of the file at `path`, whatever lies beside it. No run may use the file.
///
/// # Errors
/// If there is no mark.
pub(super) fn digest(path: &Path) -> Result<String, String> {
    let file = path.to_str().ok_or_else(|| "a URL cannot name it".to_owned())?;
    let connection = open_unchanged(file).map_err(|e| e.to_string())?;
    mark(&connection).map(|(digest, _)| digest)
}

/// The digest in the mark, and whether transactions were to change the data.
///
/// # Errors
/// If there is no mark.
fn mark(connection: &Connection) -> Result<(String, String), String> {
    let found = connection.query_row(kept::ASK_MARK, [], |row| {
        Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?.to_string()))
    });
    found.map_err(|_| "it has no mark of kept data".to_owned())
}

/// Removes the kept file at `path`, and what SQLite has put beside it: nothing else, whatever it is called.
///
/// # Errors
/// Why it stays.
pub(in crate::workload) fn remove(path: &Path) -> Result<(), String> {
    match is_there(path) {
        Ok(true) => {}
        Ok(false) => return Ok(()),
        Err(fault) => return Err(fault.to_string()),
    }
    let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
    if !kept::is_of(name, &digest(path)?) {
        return Err("its mark is of other data".to_owned());
    }
    remove_all(path)
}

/// The path of what SQLite calls so beside the file at `path`.
pub(super) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut beside = path.as_os_str().to_owned();
    beside.push(ending);
    PathBuf::from(beside)
}

/// Removes the file at `path`, and what SQLite has put beside it.
///
/// # Errors
/// Why it stays.
pub(super) fn remove_all(path: &Path) -> Result<(), String> {
    fs::remove_file(path).map_err(|e| e.to_string())?;
    remove_beside(path)
}

/// Removes what SQLite has put beside the file at `path`.
///
/// # Errors
/// Why it stays.
pub(super) fn remove_beside(path: &Path) -> Result<(), String> {
    for ending in BESIDE {
        match fs::remove_file(beside(path, ending)) {
            Err(e) if e.kind() != ErrorKind::NotFound => return Err(e.to_string()),
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::db::dataset::sbtest::Sbtest;

    /// What a rollback journal begins and ends with (sqlite.org/fileformat2.html, section 3).
    const MAGIC: [u8; 8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7];
    const SECTOR: u32 = 512;

    /// A rollback journal of a database of so many pages that changes none of them, and names a super-journal.
    fn journal(pages: u32, page_bytes: u32, names: &Path) -> Vec<u8> {
        let name = names.to_str().unwrap().as_bytes();
        let number = |value: u32| value.to_be_bytes();
        let mut all = MAGIC.to_vec();
        for value in [0, 0, pages, SECTOR, page_bytes] {
            all.extend(number(value));
        }
        all.resize(SECTOR as usize, 0);
        all.extend(number((1 << 30) / page_bytes + 1));
        all.extend(name);
        all.extend(number(u32::try_from(name.len()).unwrap()));
        all.extend(number(name.iter().map(|byte| u32::from(*byte)).sum()));
        all.extend(MAGIC);
        all
    }

    #[test]
    fn a_file_that_a_journal_of_somebody_else_names_stays() {
        let place = tempfile::tempdir_in(".").unwrap();
        let folder = place.path().canonicalize().unwrap();
        let data = DataSet::Sbtest(Sbtest { tables: 1, rows: 10 });
        let identity = KeptIdentity::of(&data, DatabaseSystem::Sqlite);
        let path = folder.join(format!("{}{ENDING}", identity.name()));
        let connection = Connection::open(&path).unwrap();
        connection.execute_batch(&format!("{}; {}", kept::MAKE_MARK, identity.put_mark())).unwrap();
        let number =
            |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, u32>(0)).unwrap();
        let (pages, page_bytes) = (number("page_count"), number("page_size"));
        connection.close().unwrap();
        let other = folder.join("mine");
        fs::write(&other, "mine").unwrap();
        fs::write(beside(&path, "-journal"), journal(pages, page_bytes, &other)).unwrap();
        remove(&path).unwrap();
        let names: Vec<_> = folder.read_dir().unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, ["mine"]);
    }

    #[test]
    fn what_lies_beside_data_that_is_used_again_is_a_file_of_the_same_user() {
        let place = tempfile::tempdir_in(".").unwrap();
        let path = place.path().join("x.db");
        let user = rustix::process::geteuid().as_raw();
        assert_eq!(check_beside(&path, user), Ok(()));
        fs::write(beside(&path, "-wal"), "").unwrap();
        assert_eq!(check_beside(&path, user), Ok(()));
        let told = check_beside(&path, user ^ 1).unwrap_err();
        assert!(told.contains("x.db-wal is no file of this user"), "{told}");
        std::os::unix::fs::symlink("elsewhere", beside(&path, "-journal")).unwrap();
        let told = check_beside(&path, user).unwrap_err();
        assert!(told.contains("x.db-journal is no file of this user"), "{told}");
    }
}
