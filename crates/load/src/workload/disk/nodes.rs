//! The file system of device nodes, `/dev`, which is memory: a name there that
//! does not exist is a device that is not there, never a new file.

use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

use model::plan::Problem;

/// As many names are told, at most.
const TOLD: usize = 8;

/// Whether `folder` lies on the file system of `/dev` itself: devtmpfs, or what a
/// container has there. (`/dev/shm` is one of its own.)
pub(super) fn is_below(folder: &Path) -> bool {
    let Ok(folder) = folder.canonicalize() else { return false };
    let device = |path: &Path| path.metadata().map(|m| m.dev()).ok();
    folder.starts_with("/dev") && device(&folder).is_some() && device(&folder) == device(Path::new("/dev"))
}

/// The folder that holds `path`; a bare name lies in the current one.
pub(super) fn parent_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Of a folder of device nodes.
pub(super) fn no_place(text: &str) -> Problem {
    Problem::refused(
        format!("{text} is where device nodes are: a file there would be in memory"),
        "give one of the devices, or a folder on a disk",
    )
}

/// Of a name at which there is nothing.
pub(super) fn missing(text: &str, path: &Path) -> Problem {
    let near = near(path);
    let help = match &near[..] {
        [] => "see `headroom machine` for those that there are".to_owned(),
        near => format!("there is {}; see `headroom machine`", near.join(", ")),
    };
    Problem::refused(format!("there is no device {text}, and files are not made among device nodes"), help)
}

/// Block devices beside `path`: those whose names begin alike up to a digit; all
/// that are no loop or RAM disks where there is none such.
fn near(path: &Path) -> Vec<String> {
    let folder = parent_of(path);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let family: String = name.chars().take_while(|c| !c.is_ascii_digit()).take(4).collect();
    let is_block = |path: &Path| path.metadata().is_ok_and(|m| m.file_type().is_block_device());
    let mut all: Vec<String> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| is_block(&entry.path()))
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    all.sort_unstable();
    let alike: Vec<String> = all.iter().filter(|other| other.starts_with(&family)).cloned().collect();
    let others = || all.into_iter().filter(|n| !n.starts_with("loop") && !n.starts_with("ram")).collect();
    let chosen: Vec<String> = if alike.is_empty() { others() } else { alike };
    chosen.into_iter().take(TOLD).map(|name| folder.join(name).display().to_string()).collect()
}
