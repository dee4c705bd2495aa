//! Opening a file that is open once more, and what the page cache holds of it.

use std::fs::{File, OpenOptions};
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;

use engine::fault::Fault;

/// How a file is opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpenMode {
    /// Around the page cache (O_DIRECT).
    pub direct: bool,
    /// For writing too.
    pub write: bool,
    /// Each write returns when its data is durable (O_DSYNC).
    pub dsync: bool,
}

/// Opens `file`, called `name`, once more, with flags of its own. It works for
/// files without a name, which no path reaches. It fails if the file system refuses
/// O_DIRECT, or the file may not be written.
pub(super) fn reopen(file: &File, how: OpenMode, name: &str) -> Result<File, Fault> {
    let OpenMode { direct, write, dsync } = how;
    let mut options = OpenOptions::new();
    options.read(true).write(write);
    options.custom_flags(flag(direct, libc::O_DIRECT) | flag(dsync, libc::O_DSYNC));
    options.open(format!("/proc/self/fd/{}", file.as_raw_fd())).map_err(|error| {
        if direct && error.raw_os_error() == Some(libc::EINVAL) {
            return Fault::Other(format!("the file system of {name} refuses O_DIRECT; use direct=no"));
        }
        Fault::system(format!("opening the file under {name}"), error)
    })
}

/// `flag` where it is asked for.
pub(super) fn flag(is_asked: bool, flag: i32) -> i32 {
    if is_asked { flag } else { 0 }
}

/// Drops what the page cache holds of `file`, after writing back what is dirty,
/// so that a buffered read finds it on the device.
pub(in crate::workload) fn forget_cached(file: &File) -> Result<(), Fault> {
    file.sync_data().map_err(|e| Fault::system("writing back a file's cached pages", e))?;
    rustix::fs::fadvise(file, 0, None, rustix::fs::Advice::DontNeed)
        .map_err(|e| Fault::system("dropping a file's cached pages", e))
}
