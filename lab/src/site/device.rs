//! The device below a load: one that was laid for it, or the disk of the folder.

use std::fs;
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::site::neighbour::random_bytes;
use crate::tool::{read, tool};
use crate::zram::Zram;

const MIB: u64 = 1 << 20;

/// The device.
#[derive(Debug)]
pub(crate) struct Device {
    /// Its name in /sys/block.
    name: String,
    laid: Option<Laid>,
}

/// One that was laid; gone when it is dropped.
#[derive(Debug)]
enum Laid {
    Loop { path: PathBuf, _file: NamedTempFile },
    Zram(Zram),
}

/// What a device did since the machine was started (Documentation/block/stat.rst).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct DeviceCounts {
    pub(crate) requests: f64,
    pub(crate) bytes: f64,
    /// Seconds that requests waited, all together.
    pub(crate) waited_s: f64,
    pub(crate) flushes: f64,
}

impl Device {
    /// The whole disk below a folder.
    pub(crate) fn below(folder: &Path) -> Result<Self, String> {
        let failed = |e: std::io::Error| format!("the disk below {}: {e}", folder.display());
        let number = fs::metadata(folder).map_err(failed)?.dev();
        let (major, minor) = (rustix::fs::major(number), rustix::fs::minor(number));
        let own = fs::canonicalize(format!("/sys/dev/block/{major}:{minor}")).map_err(failed)?;
        let whole = if own.join("partition").exists() { own.parent().unwrap_or(&own) } else { &own };
        let name = whole.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Self { name, laid: None })
    }

    /// A loop device over a file in memory.
    pub(crate) fn new_loop(mib: u64) -> Result<Self, String> {
        Self::over_file(Path::new("/dev/shm"), mib, "off")
    }

    /// A loop device over a file in this folder, around the page cache.
    pub(crate) fn new_loop_on(folder: &Path, mib: u64) -> Result<Self, String> {
        Self::over_file(folder, mib, "on")
    }

    fn over_file(folder: &Path, mib: u64, is_direct: &str) -> Result<Self, String> {
        let failed = |e: std::io::Error| format!("{}: {e}", folder.display());
        let mut file = NamedTempFile::new_in(folder).map_err(failed)?;
        let bytes = random_bytes(usize::try_from(mib * MIB).unwrap_or(usize::MAX))?;
        file.write_all(&bytes).map_err(failed)?;
        file.as_file().sync_all().map_err(failed)?;
        let direct = format!("--direct-io={is_direct}");
        let words = ["--find", "--show", &direct, &file.path().to_string_lossy()];
        let path = PathBuf::from(tool("losetup", &words)?);
        Ok(Self { name: name_of(&path), laid: Some(Laid::Loop { path, _file: file }) })
    }

    /// A zram device, filled.
    pub(crate) fn new_zram(mib: u64) -> Result<Self, String> {
        let zram = Zram::new(mib * MIB).map_err(|e| e.to_string())?;
        let one = random_bytes(usize::try_from(MIB).unwrap_or(usize::MAX))?;
        let failed = |e: std::io::Error| format!("{}: {e}", zram.path.display());
        let mut device = fs::File::options().write(true).open(&zram.path).map_err(failed)?;
        for _ in 0..mib {
            device.write_all(&one).map_err(failed)?;
        }
        device.sync_all().map_err(failed)?;
        drop(device);
        Ok(Self { name: name_of(&zram.path), laid: Some(Laid::Zram(zram)) })
    }

    /// What a load names to drive it, where it was laid.
    pub(crate) fn path(&self) -> Option<String> {
        let path = match self.laid.as_ref()? {
            Laid::Loop { path, .. } => path,
            Laid::Zram(zram) => &zram.path,
        };
        Some(path.to_string_lossy().into_owned())
    }

    /// `MAJOR:MINOR`.
    pub(crate) fn number(&self) -> Result<String, String> {
        Ok(read(&format!("/sys/block/{}/dev", self.name))?.trim().to_owned())
    }

    pub(crate) fn counts(&self) -> Option<DeviceCounts> {
        counts(&read(&format!("/sys/block/{}/stat", self.name)).ok()?)
    }
}

impl Drop for Laid {
    fn drop(&mut self) {
        if let Self::Loop { path, .. } = self
            && let Err(e) = tool("losetup", &["--detach", &path.to_string_lossy()])
        {
            eprintln!("lab: {e}");
        }
    }
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn counts(stat: &str) -> Option<DeviceCounts> {
    let fields: Vec<f64> = stat.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    let of = |index: usize| fields.get(index).copied();
    Some(DeviceCounts {
        requests: of(0)? + of(4)?,
        // Sectors are of 512 bytes, whatever the device has.
        bytes: (of(2)? + of(6)?) * 512.0,
        waited_s: of(10)? / 1000.0,
        flushes: of(15).unwrap_or(0.0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_s_account_is_read() {
        let stat = "  10 0 80 5 20 1 160 7 0 9 12 0 0 0 0 3 4\n";
        let expected = DeviceCounts { requests: 30.0, bytes: 122_880.0, waited_s: 0.012, flushes: 3.0 };
        assert_eq!(counts(stat), Some(expected));
        assert_eq!(counts("1 2 3"), None);
    }
}
