//! Reading a file that a person named. It may be anything: a device that never
//! ends, a pipe into which nobody writes, something larger than the memory. So only
//! regular files are read, and pipes where they make sense; only so many bytes, and
//! a pipe only as long as something comes out of it.

use std::fs::{File, FileType, OpenOptions};
use std::io::{Error, ErrorKind, Read, Result};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// For how long a pipe may be silent: who fills it may wait for a password, or for
/// a network.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// What is borne of a file.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// At most so many bytes.
    pub bytes: u64,
    /// For how long a pipe may be silent; without it no pipe is read.
    pub pipe: Option<Duration>,
}

impl Bounds {
    /// For a regular file.
    #[must_use]
    pub fn of_file(bytes: u64) -> Self {
        Self { bytes, pipe: None }
    }

    /// For a regular file or a pipe, such as the shell's `<(command)`.
    #[must_use]
    pub fn of_pipe(bytes: u64) -> Self {
        Self { bytes, pipe: Some(PATIENCE) }
    }
}

/// All that is in the file at `path`.
///
/// # Errors
/// As [`open`] and [`contents`].
pub fn read(path: &Path, bounds: Bounds) -> Result<Vec<u8>> {
    contents(&open(path, bounds)?, bounds)
}

/// Opens the file at `path` without waiting for anybody.
///
/// # Errors
/// If it cannot be opened, or is of another kind (`InvalidInput`): it is not
/// opened then, for that alone makes some devices act.
pub fn open(path: &Path, bounds: Bounds) -> Result<File> {
    allowed(path.metadata()?.file_type(), bounds)?;
    let flags = libc::O_NONBLOCK | libc::O_NOCTTY;
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    // Another may have come to that name.
    allowed(file.metadata()?.file_type(), bounds)?;
    Ok(file)
}

fn allowed(kind: FileType, bounds: Bounds) -> Result<()> {
    let what = match kind {
        kind if kind.is_file() => return Ok(()),
        kind if kind.is_fifo() && bounds.pipe.is_some() => return Ok(()),
        kind if kind.is_dir() => "it is a folder",
        kind if kind.is_fifo() => "it is a pipe",
        kind if kind.is_socket() => "it is a socket",
        _ => "it is a device",
    };
    Err(Error::new(ErrorKind::InvalidInput, what))
}

/// All that is in `file`, which [`open`] opened, from where it stands.
///
/// # Errors
/// If it cannot be read, is larger than allowed (`FileTooLarge`), or is a pipe that
/// was silent for too long (`TimedOut`).
pub fn contents(file: &File, bounds: Bounds) -> Result<Vec<u8>> {
    let metadata = file.metadata()?;
    let mut bytes = Vec::new();
    if metadata.is_file() && metadata.len() <= bounds.bytes {
        // It may grow meanwhile.
        file.take(bounds.bytes.saturating_add(1)).read_to_end(&mut bytes)?;
    } else if metadata.is_file() {
        return Err(too_large(bounds));
    } else {
        fill(file, bounds, &mut bytes)?;
    }
    if bytes.len() as u64 > bounds.bytes { Err(too_large(bounds)) } else { Ok(bytes) }
}

/// Reads a pipe until its other end is closed, or one byte more than allowed.
fn fill(mut pipe: &File, bounds: Bounds, bytes: &mut Vec<u8>) -> Result<()> {
    let patience = bounds.pipe.unwrap_or_default();
    let timeout = Timespec::try_from(patience).map_err(Error::other)?;
    let mut chunk = vec![0; 64 << 10];
    while bytes.len() as u64 <= bounds.bytes {
        let mut polled = [PollFd::new(pipe, PollFlags::IN)];
        match poll(&mut polled, Some(&timeout)) {
            Ok(0) => {
                let text = format!("nothing came out of this pipe for {} s", patience.as_secs_f64());
                return Err(Error::new(ErrorKind::TimedOut, text));
            }
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => continue,
            Err(e) => return Err(e.into()),
        }
        match pipe.read(&mut chunk) {
            Ok(0) => return Ok(()),
            Ok(count) => bytes.extend_from_slice(&chunk[..count]),
            Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
            Err(e) => return Err(e),
        }
    }
    Ok(())
}

fn too_large(bounds: Bounds) -> Error {
    let text = format!("it is larger than {}", model::scalar::binary(bounds.bytes));
    Error::new(ErrorKind::FileTooLarge, text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    const SHORT: Bounds = Bounds { bytes: 1000, pipe: Some(Duration::from_millis(50)) };

    fn pipe_in(folder: &Path) -> std::path::PathBuf {
        let path = folder.join("pipe");
        rustix::fs::mkfifoat(rustix::fs::CWD, &path, rustix::fs::Mode::from_raw_mode(0o600)).unwrap();
        path
    }

    #[test]
    fn regression_a_device_or_a_pipe_was_read_for_ever() {
        let refused = |path: &Path, bounds| read(path, bounds).unwrap_err();
        let zero = refused(Path::new("/dev/zero"), SHORT);
        assert_eq!((zero.kind(), zero.to_string().as_str()), (ErrorKind::InvalidInput, "it is a device"));
        assert_eq!(refused(Path::new("/proc"), SHORT).kind(), ErrorKind::InvalidInput);
        let folder = tempfile::tempdir().unwrap();
        let pipe = pipe_in(folder.path());
        assert_eq!(refused(&pipe, Bounds::of_file(1000)).to_string(), "it is a pipe");
        // Nobody writes, then somebody who says nothing.
        assert_eq!(refused(&pipe, SHORT).kind(), ErrorKind::TimedOut);
        let _silent = OpenOptions::new().read(true).write(true).open(&pipe).unwrap();
        let silent = refused(&pipe, SHORT);
        assert_eq!(silent.to_string(), "nothing came out of this pipe for 0.05 s");
        assert_eq!(refused(Path::new("/no/such"), SHORT).kind(), ErrorKind::NotFound);
    }

    #[test]
    fn no_more_is_read_than_is_allowed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, [7; 1000]).unwrap();
        assert_eq!(read(&path, SHORT).unwrap(), [7; 1000]);
        std::fs::write(&path, [7; 1001]).unwrap();
        let error = read(&path, SHORT).unwrap_err();
        assert_eq!(
            (error.kind(), error.to_string().as_str()),
            (ErrorKind::FileTooLarge, "it is larger than 1000 bytes")
        );
        // It says 0 bytes of itself, and has more.
        assert_eq!(read(Path::new("/proc/self/status"), SHORT).unwrap_err().kind(), ErrorKind::FileTooLarge);
    }

    #[test]
    fn a_pipe_is_read_to_its_end_and_no_further_than_allowed() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = pipe_in(folder.path());
        for (length, is_whole) in [(1000, true), (200_000, false)] {
            let own = pipe.clone();
            let writer = std::thread::spawn(move || {
                let mut end = OpenOptions::new().write(true).open(own).unwrap();
                for chunk in vec![7; length].chunks(300) {
                    if end.write_all(chunk).is_err() {
                        return;
                    }
                }
            });
            let context = Bounds { pipe: Some(PATIENCE), ..SHORT };
            let found = read(&pipe, context);
            writer.join().unwrap();
            match found {
                Ok(bytes) => assert!(is_whole && bytes == vec![7; length]),
                Err(e) => assert!(!is_whole && e.kind() == ErrorKind::FileTooLarge, "{e}"),
            }
        }
    }
}
