//! Block devices as somebody who wants to write to one must know them: who
//! uses them, and what they hold.

use std::io;
use std::path::Path;

use model::plan::DeviceState;

/// What is known of the block device at `path`. Nothing is written.
///
/// # Errors
/// If there is no block device at `path`, or it cannot be opened.
pub fn device_state(path: &Path) -> io::Result<DeviceState> {
    Err(io::Error::other(format!("{} cannot be looked at by this version", path.display())))
}
