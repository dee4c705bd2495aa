//! A database of the user's, which is only read.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use model::plan::Problem;

/// What a file of SQLite begins with (sqlite.org/fileformat2.html, section 1.3).
const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// Where it says how it is read: 2 for a write-ahead log.
const READ_VERSION: usize = 19;
const WITH_LOG: u8 = 2;

/// Looks whether there is a database at `path` that can be read without anything being made beside it.
///
/// # Errors
/// Why not.
pub(in crate::workload) fn check(path: &Path) -> Result<(), Problem> {
    let told = path.display();
    let wrong = |why: String| Problem::invalid(format!("{told}: {why}"), "name a file of SQLite");
    let about = path.metadata().map_err(|e| wrong(plain(&e)))?;
    if !about.is_file() {
        return Err(wrong("it is no file".to_owned()));
    }
    let mut head = [0; READ_VERSION + 1];
    let mut file = File::open(path).map_err(|e| wrong(plain(&e)))?;
    file.read_exact(&mut head).map_err(|_| wrong("it is too short for a database of SQLite".to_owned()))?;
    if !head.starts_with(MAGIC) {
        return Err(wrong("it is no database of SQLite".to_owned()));
    }
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    if head[READ_VERSION] == WITH_LOG && !Path::new(&log).exists() {
        return Err(Problem::refused(
            format!(
                "{told} has a write-ahead log, and nobody has it open: who reads it has to make files beside it"
            ),
            "copy it and read the copy in another journal mode, or keep it open in the program that it is of",
        ));
    }
    Ok(())
}

/// Why a file cannot be read, without the number of the error.
fn plain(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "no such file".to_owned(),
        std::io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::*;

    #[test]
    fn what_is_no_database_or_would_be_written_beside_is_refused() {
        let place = tempfile::tempdir_in(".").unwrap();
        let told = |name: &str| check(&place.path().join(name)).unwrap_err().message;
        assert!(told("none").contains("no such file"));
        std::fs::create_dir(place.path().join("folder")).unwrap();
        assert!(told("folder").contains("it is no file"));
        for (name, text, why) in
            [("empty", "", "too short"), ("text", "a text, which is no database", "is no database")]
        {
            std::fs::write(place.path().join(name), text).unwrap();
            assert!(told(name).contains(why), "{name}");
        }
        let path = place.path().join("x.db");
        let connection = Connection::open(&path).unwrap();
        connection.execute_batch("CREATE TABLE t (a)").unwrap();
        assert_eq!(check(&path), Ok(()));
        connection.query_row("PRAGMA journal_mode=wal", [], |row| row.get::<_, String>(0)).unwrap();
        connection.execute_batch("INSERT INTO t VALUES (1)").unwrap();
        assert_eq!(check(&path), Ok(()), "somebody has it open");
        drop(connection);
        assert!(told("x.db").contains("write-ahead log"));
    }
}
