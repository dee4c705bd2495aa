//! A swap file on the disk of the folder; no longer used when it is dropped. (A kill leaves it in use: `swapon --show` names
//! it, and `swapoff` ends it.)

use std::fs::File;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use crate::tool::tool;

const MIB: usize = 1 << 20;

/// The file.
#[derive(Debug)]
pub(crate) struct Swap {
    path: PathBuf,
}

impl Swap {
    /// One of so many MiB in this folder.
    pub(crate) fn new(folder: &Path, mib: u64) -> Result<Self, String> {
        let path = folder.join("swap");
        let failed = |e: std::io::Error| format!("{}: {e}", path.display());
        let mut file =
            File::options().write(true).create_new(true).mode(0o600).open(&path).map_err(failed)?;
        // The kernel swaps to no file with holes.
        let zeros = vec![0_u8; MIB];
        for _ in 0..mib {
            file.write_all(&zeros).map_err(failed)?;
        }
        file.sync_all().map_err(failed)?;
        drop(file);
        let name = path.to_string_lossy().into_owned();
        tool("mkswap", &[name.as_str()])?;
        tool("swapon", &[name.as_str()])?;
        Ok(Self { path })
    }
}

impl Drop for Swap {
    fn drop(&mut self) {
        let name = self.path.to_string_lossy().into_owned();
        if let Err(e) = tool("swapoff", &[name.as_str()]) {
            eprintln!("lab: {e}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_swap_file_is_used_until_it_is_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let is_used = || {
            let all = std::fs::read_to_string("/proc/swaps").unwrap_or_default();
            all.contains(&*folder.path().to_string_lossy())
        };
        let swap = match Swap::new(folder.path(), 2) {
            Ok(swap) => swap,
            Err(e) => return println!("skipped: {e}"),
        };
        assert!(is_used());
        drop(swap);
        assert!(!is_used());
    }
}
