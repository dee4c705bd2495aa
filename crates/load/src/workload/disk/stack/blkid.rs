//! The UUID that a device bears, read from the device itself and from no cache: blkid(8) of util-linux.

use std::path::Path;

use crate::workload::disk::stack::command::{Commands, Program};

pub(super) const BLKID: Program = Program { name: "blkid", package: "util-linux", version: &["--version"] };

/// The UUID of what is on `device`; none where there is none, or it cannot be read.
pub(super) fn uuid(device: &Path, commands: &mut Commands<'_>) -> Option<String> {
    let device = device.to_str()?;
    let said = commands.ask(&BLKID, &["--probe", "--output", "value", "--match-tag", "UUID", device])?;
    said.lines().next().map(|line| line.trim().to_owned()).filter(|uuid| !uuid.is_empty())
}
