//! Opens a store, or refuses to, without changing a file that is not one.
//!
//! SQLite itself is not asked whether a file is ours: opening a database may
//! write beside it or into it (journals, recovery). So the file's first
//! bytes are read plainly, and only a file that carries our application id and
//! a version that we know reaches SQLite at all.
//!
//! A new store is made under another name and linked into place when it is
//! whole. Nobody ever sees half a store, so a file without content is
//! certainly not ours, and two programs that make the same store at once get
//! the same one.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags};
use rustix::fs::{Access, access};

use crate::annotation;
use crate::error::StoreError;
use crate::room::RESERVE_BYTES;
use crate::sqlite::{BUSY_TIMEOUT, SCHEMA, SqliteStore, TABLES};

/// Marks our files, as SQLite's file format provides for: "Hdrm".
pub(crate) const APPLICATION_ID: u32 = 0x4864_726d;

/// The version of what is kept. A store with a higher one is refused; one of version 1
/// holds documents of `headroom.run/1` only, one of version 2 no decimals, both in the same tables, and one of
/// version 3 has no table for annotations. All get this version with their next run, or with an annotation.
pub(crate) const VERSION: u32 = 4;

/// The lowest version that is read.
const VERSION_FIRST: u32 = 1;

/// Opens the store at `path`; makes it if there is nothing.
pub(crate) fn open(path: &Path) -> Result<Connection, StoreError> {
    match fs::metadata(path) {
        Ok(_) => {}
        Err(e) if e.kind() == io::ErrorKind::NotFound => make(path)?,
        Err(e) => return Err(StoreError::io(path, "open", e)),
    }
    let log = inspect(path)?;
    connect(path, log)
}

impl SqliteStore {
    /// Opens the store at `path` to read and annotate the runs that it has. Nothing is made: fails with
    /// [`StoreError::Absent`] if there is nothing, otherwise as [`Self::open`].
    pub fn open_existing(path: &Path) -> Result<Self, StoreError> {
        match path.try_exists() {
            Ok(false) => Err(StoreError::Absent { path: path.to_owned() }),
            _ => Self::open(path),
        }
    }
}

/// How a store's writers keep a half-made change from damaging it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Log {
    /// A rollback journal.
    Journal,
    /// A write-ahead log: version 0.1 made stores so.
    Ahead,
}

/// Refuses what is not a store of ours, by the first bytes of the file (SQLite
/// file format, "The Database Header").
fn inspect(path: &Path) -> Result<Log, StoreError> {
    const HEADER: usize = 100;
    const MAGIC: &[u8] = b"SQLite format 3\0";
    let refuse = |why: &str| Err(StoreError::NotAStore { path: path.to_owned(), why: why.to_owned() });
    let denied = |e| StoreError::io(path, "open", e);

    let metadata = fs::metadata(path).map_err(denied)?;
    if metadata.is_dir() {
        return refuse("it is a folder");
    }
    // Reading a pipe or a device could wait, or do something.
    if !metadata.is_file() {
        return refuse("it is not a regular file");
    }
    let mut header = Vec::with_capacity(HEADER);
    File::open(path).and_then(|f| f.take(HEADER as u64).read_to_end(&mut header)).map_err(denied)?;
    if header.is_empty() {
        return refuse("it is empty");
    }
    if header.len() < HEADER || !header.starts_with(MAGIC) {
        return refuse("it is not an SQLite database");
    }
    let word = |at: usize| u32::from_be_bytes(std::array::from_fn(|i| header[at + i]));
    if word(68) != APPLICATION_ID {
        return refuse("it is an SQLite database of another program");
    }
    check_version(path, word(60))?;
    // The version that a reader must know: 1 is a journal, 2 a log.
    Ok(if header[19] == 2 { Log::Ahead } else { Log::Journal })
}

fn check_version(path: &Path, found: u32) -> Result<(), StoreError> {
    match found {
        0 => Err(StoreError::NotAStore { path: path.to_owned(), why: "it carries no version".to_owned() }),
        VERSION_FIRST..=VERSION => Ok(()),
        _ => Err(StoreError::Newer { path: path.to_owned(), found, known: VERSION }),
    }
}

/// Marks a store that gets a run of this version, or an annotation, so that an older program says that it
/// is too old for it; and makes the table that an older store lacks.
pub(crate) fn raise_version(connection: &Connection) -> rusqlite::Result<()> {
    let found: u32 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if found >= VERSION {
        return connection.execute_batch(annotation::SCHEMA);
    }
    let change = connection.unchecked_transaction()?;
    change.pragma_update(None, "user_version", VERSION)?;
    change.execute_batch(annotation::SCHEMA)?;
    change.commit()
}

/// Opens an inspected store: to read and write where the file and its folder
/// allow it, otherwise to read.
fn connect(path: &Path, log: Log) -> Result<Connection, StoreError> {
    let failed = |e| StoreError::sqlite(path, "open", e);
    // A whole path, because SQLite gives some relative ones a meaning.
    let real = path.canonicalize().map_err(|e| StoreError::io(path, "open", e))?;
    let folder = real.parent().unwrap_or(Path::new("/"));
    let writable = access(&real, Access::WRITE_OK).is_ok() && access(folder, Access::WRITE_OK).is_ok();
    if writable
        && log == Log::Ahead
        && let Some(alone) = leave_log(path, &real)?
    {
        return Ok(alone);
    }
    let connection =
        if writable { open_to_write(&real) } else { open_to_read(&real, log) }.map_err(failed)?;
    connection.busy_timeout(BUSY_TIMEOUT).map_err(failed)?;
    check_tables(path, &connection)?;
    if writable {
        set_up(&connection).map_err(failed)?;
    }
    Ok(connection)
}

fn open_to_write(real: &Path) -> rusqlite::Result<Connection> {
    Connection::open_with_flags(real, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX)
}

/// Says how this program writes. What SQLite sorts goes into memory: a file for
/// it would need room.
fn set_up(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch(&format!(
        "PRAGMA foreign_keys = ON;
         PRAGMA synchronous = FULL;
         PRAGMA temp_store = MEMORY;
         PRAGMA journal_size_limit = {RESERVE_BYTES};"
    ))?;
    // A store that a program of version 0.1 has open keeps its log meanwhile.
    let mode: String = connection.pragma_query_value(None, "journal_mode", |row| row.get(0))?;
    if mode != "wal" {
        connection.execute_batch("PRAGMA journal_mode = PERSIST;")?;
    }
    Ok(())
}

/// Gives a store of version 0.1 a journal instead of its log. Whoever has such a
/// store for himself needs no memory shared with others, which on a full file
/// system cannot be had.
///
/// If others have it open, it stays as it is. If there is no room to put the log
/// into the store, the answer is a connection that has the store for itself: it
/// reads both.
fn leave_log(path: &Path, real: &Path) -> Result<Option<Connection>, StoreError> {
    let failed = |e| StoreError::sqlite(path, "open", e);
    let connection = open_to_write(real).map_err(failed)?;
    connection.busy_timeout(Duration::ZERO).map_err(failed)?;
    connection.execute_batch("PRAGMA locking_mode = EXCLUSIVE;").map_err(failed)?;
    match check_tables(path, &connection) {
        Err(StoreError::Busy { .. }) => return Ok(None),
        other => other?,
    }
    // With the journal in memory this needs no room. It is safe all the same: what
    // changes stands within the first hundred bytes of the file, one sector.
    match connection.execute_batch("PRAGMA journal_mode = MEMORY;") {
        Ok(()) => Ok(None),
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => Ok(None),
        Err(_) => {
            connection.busy_timeout(BUSY_TIMEOUT).map_err(failed)?;
            set_up(&connection).map_err(failed)?;
            Ok(Some(connection))
        }
    }
}

/// Opens a store that cannot be written. For a write-ahead log SQLite wants a
/// file for its readers beside the store, which cannot be made here; `immutable`
/// says that nobody writes, so none is needed. Where a log with content lies
/// beside the store, somebody does write, or was killed, and SQLite must read
/// both.
fn open_to_read(real: &Path, log: Log) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    if log == Log::Journal || fs::metadata(beside(real, "-wal")).is_ok_and(|m| m.len() > 0) {
        return Connection::open_with_flags(real, flags);
    }
    let mut uri = String::from("file:");
    for byte in real.as_os_str().as_bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => {
                uri.push(char::from(*byte))
            }
            _ => uri.push_str(&format!("%{byte:02x}")),
        }
    }
    uri.push_str("?immutable=1");
    Connection::open_with_flags(uri, flags | OpenFlags::SQLITE_OPEN_URI)
}

/// Refuses a database that says it is ours but has other tables, and one whose
/// version changed in the log only.
fn check_tables(path: &Path, connection: &Connection) -> Result<(), StoreError> {
    let failed = |e| StoreError::sqlite(path, "open", e);
    let version = connection.pragma_query_value(None, "user_version", |row| row.get(0)).map_err(failed)?;
    check_version(path, version)?;
    let found: Vec<String> = connection
        .prepare(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite~_%' ESCAPE '~'",
        )
        .and_then(|mut statement| statement.query_map([], |row| row.get(0))?.collect())
        .map_err(failed)?;
    let refuse = |why| Err(StoreError::NotAStore { path: path.to_owned(), why });
    let is_ours = |name: &str| name == annotation::TABLE || TABLES.contains(&name);
    if let Some(foreign) = found.iter().find(|name| !is_ours(name)) {
        return refuse(format!("it has a table `{foreign}` that is not ours"));
    }
    if let Some(missing) = TABLES.iter().find(|name| !found.iter().any(|f| f == *name)) {
        return refuse(format!("it has no table `{missing}`"));
    }
    Ok(())
}

/// Makes a new store at `path`, or leaves the one that somebody else made in
/// the meantime.
fn make(path: &Path) -> Result<(), StoreError> {
    let denied = |e| StoreError::io(path, "make", e);
    let given = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = match given.canonicalize() {
        Ok(folder) => folder,
        Err(e) if e.kind() == io::ErrorKind::NotFound => {
            return Err(StoreError::NoFolder { path: path.to_owned(), folder: given.to_owned() });
        }
        Err(e) => return Err(denied(e)),
    };
    let draft = Draft::new(&folder, path).map_err(denied)?;
    draft.fill().map_err(|e| StoreError::sqlite(path, "make", e))?;
    File::open(&draft.path).and_then(|f| f.sync_all()).map_err(denied)?;
    match fs::hard_link(&draft.path, path) {
        Ok(()) => {}
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => return Ok(()),
        // A file system without hard links; the name was free a moment ago.
        Err(_) => fs::rename(&draft.path, path).map_err(denied)?,
    }
    File::open(&folder).and_then(|f| f.sync_all()).map_err(denied)
}

/// A store in the making, gone when dropped.
struct Draft {
    path: PathBuf,
}

impl Draft {
    /// An empty file in `folder` that nobody else has.
    fn new(folder: &Path, store: &Path) -> io::Result<Self> {
        let name = store.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        let mut number = 0_u32;
        loop {
            let path = folder.join(beside(Path::new(name), &format!(".new-{}-{number}", std::process::id())));
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(_) => return Ok(Self { path }),
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => number += 1,
                Err(e) => return Err(e),
            }
        }
    }

    /// Writes the empty tables. `auto_vacuum` lets a removed run give its room
    /// back to the disk; it can only be chosen before the first table.
    fn fill(&self) -> rusqlite::Result<()> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&self.path, flags)?;
        connection.execute_batch(&format!(
            "PRAGMA auto_vacuum = INCREMENTAL;
             PRAGMA application_id = {APPLICATION_ID};
             PRAGMA user_version = {VERSION};
             {SCHEMA}
             {}",
            annotation::SCHEMA
        ))?;
        connection.close().map_err(|(_, e)| e)
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // What SQLite puts beside it is there only if `fill` failed.
        for suffix in ["", "-wal", "-shm", "-journal"] {
            let _ = fs::remove_file(beside(&self.path, suffix));
        }
    }
}

/// `path` with `suffix` at its end.
pub(crate) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut bytes = path.as_os_str().as_bytes().to_vec();
    bytes.extend_from_slice(suffix.as_bytes());
    OsString::from_vec(bytes).into()
}
