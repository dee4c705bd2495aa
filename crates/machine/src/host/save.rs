//! Putting a recording in place only when it is whole: a file or a folder is
//! written under a name of its own first, and nothing of it stays where that
//! fails (a full disk).

use std::fs::File;
use std::io::{Error, ErrorKind, Result, Write};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, RenameFlags};
use rustix::io::Errno;

/// Writes `bytes` to a file at `path`, where nothing may be.
///
/// # Errors
/// If something is there, or it cannot be written.
pub(super) fn file(path: &Path, bytes: &[u8]) -> Result<()> {
    let name = path.file_name().ok_or(ErrorKind::InvalidInput)?;
    let temporary = path.with_file_name(format!(".{}.{}", name.to_string_lossy(), mark()));
    // What has this name already is not ours to remove.
    let mut file = File::create_new(&temporary)?;
    let written = file
        .write_all(bytes)
        // Some file systems find out only now that they are full.
        .and_then(|()| file.sync_all())
        .and_then(|()| rename_to_nothing(&temporary, path));
    if written.is_err() {
        let _ = std::fs::remove_file(&temporary);
    }
    written
}

fn rename_to_nothing(from: &Path, to: &Path) -> Result<()> {
    match rustix::fs::renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        // Not all file systems can promise that (rename(2)).
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
            if std::fs::symlink_metadata(to).is_ok() {
                return Err(ErrorKind::AlreadyExists.into());
            }
            std::fs::rename(from, to)
        }
        other => Ok(other?),
    }
}

/// Has `write` fill the folder at `path`, which is new or empty. What it writes
/// is put in place at the end, from a folder within.
///
/// # Errors
/// If the folder holds something, or it cannot be written.
pub(super) fn folder(path: &Path, write: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
    let made: Vec<PathBuf> = path
        .ancestors()
        .take_while(|p| !p.as_os_str().is_empty() && !p.exists())
        .map(Path::to_owned)
        .collect();
    let temporary = path.join(format!(".{}", mark()));
    let filled = std::fs::create_dir_all(path).and_then(|()| {
        if std::fs::read_dir(path)?.next().is_some() {
            return Err(Error::new(ErrorKind::AlreadyExists, "the folder is not empty"));
        }
        std::fs::create_dir(&temporary)?;
        let placed = write(&temporary).and_then(|()| move_up(&temporary, path));
        if placed.is_err() {
            let _ = std::fs::remove_dir_all(&temporary);
        }
        placed
    });
    if filled.is_err() {
        // Only what is empty and was not there before; the innermost is first.
        for folder in made {
            let _ = std::fs::remove_dir(folder);
        }
    }
    filled
}

/// Moves what `from` holds to `to`, back again if that fails, and removes it.
fn move_up(from: &Path, to: &Path) -> Result<()> {
    let mut moved: Vec<PathBuf> = Vec::new();
    for entry in std::fs::read_dir(from)?.collect::<Result<Vec<_>>>()? {
        let place = to.join(entry.file_name());
        if let Err(error) = rename_to_nothing(&entry.path(), &place) {
            for place in moved {
                let _ = place.file_name().map(|name| std::fs::rename(&place, from.join(name)));
            }
            return Err(error);
        }
        moved.push(place);
    }
    std::fs::remove_dir(from)
}

/// Part of a name that is ours, and this process's.
fn mark() -> String {
    format!("headroom-{}", std::process::id())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regression_a_file_of_somebody_else_beside_a_recording_was_removed() {
        let place = tempfile::tempdir().unwrap();
        let other = place.path().join(format!(".a.host.{}", mark()));
        std::fs::write(&other, "precious").unwrap();
        assert!(file(&place.path().join("a.host"), b"x").is_err());
        assert_eq!(std::fs::read(&other).unwrap(), b"precious");
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).unwrap();
        entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn a_file_is_whole_or_not_there_and_never_replaces_another() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("x.host");
        file(&path, b"one").unwrap();
        assert_eq!(file(&path, b"two").unwrap_err().kind(), ErrorKind::AlreadyExists);
        assert_eq!(std::fs::read(&path).unwrap(), b"one");
        assert_eq!(names(place.path()), ["x.host"]);
    }

    #[test]
    fn a_folder_is_whole_or_as_it_was() {
        let place = tempfile::tempdir().unwrap();
        let new = place.path().join("a/b");
        let full = |place: &Path| {
            std::fs::create_dir(place.join("proc"))?;
            std::fs::write(place.join("proc/part"), "x")?;
            Err(ErrorKind::StorageFull.into())
        };
        assert_eq!(folder(&new, full).unwrap_err().kind(), ErrorKind::StorageFull);
        assert!(names(place.path()).is_empty());
        std::fs::create_dir_all(&new).unwrap();
        assert_eq!(folder(&new, full).unwrap_err().kind(), ErrorKind::StorageFull);
        assert!(names(&new).is_empty());
        folder(&new, |place| std::fs::write(place.join("file"), "x")).unwrap();
        assert_eq!(names(&new), ["file"]);
        assert_eq!(folder(&new, |_| Ok(())).unwrap_err().kind(), ErrorKind::AlreadyExists);
        assert_eq!(names(&new), ["file"]);
    }
}
