//! A zram device of our own: a block device as fast as memory. It is made anew
//! and goes when it is dropped; no other is touched. (A kill leaves it, with its
//! memory: `echo N > /sys/class/zram-control/hot_remove`.)

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command as Process;
use std::time::{Duration, Instant};

use crate::context::BenchContext;
use crate::random_file;
use xtask::Error;

/// What both sides of a benchmark read of one; it is memory.
pub(crate) const BYTES: u64 = 256 << 20;

const CONTROL: &str = "/sys/class/zram-control";

/// How long it may be held by others before we give up removing it.
const PATIENCE: Duration = Duration::from_secs(5);

/// The device.
#[derive(Debug)]
pub(crate) struct Zram {
    number: String,
    /// `/dev/zramN`.
    pub(crate) path: PathBuf,
}

impl Zram {
    /// A new one of [`BYTES`] random bytes, none of them in the page cache.
    pub(crate) fn filled(context: &BenchContext) -> Result<Self, Error> {
        let zram = Self::new(BYTES)?;
        random_file::fill_uncached(context, &zram.path, BYTES)?;
        Ok(zram)
    }

    /// A new one of so many bytes.
    pub(crate) fn new(bytes: u64) -> Result<Self, Error> {
        let control = Path::new(CONTROL);
        if !control.exists() {
            // Without the module there is none, and it may not be ours to load.
            let _ = Process::new("modprobe").arg("zram").status();
        }
        // Reading this file makes a device and tells its number.
        let add = control.join("hot_add");
        let number = fs::read_to_string(&add).map_err(|e| {
            Error::Bench(format!(
                "a zram device cannot be made (`{}`: {e}): it takes root and the kernel's module zram",
                add.display()
            ))
        })?;
        let number = number.trim().to_owned();
        let zram = Self { path: PathBuf::from(format!("/dev/zram{number}")), number };
        let size = PathBuf::from(format!("/sys/block/zram{}/disksize", zram.number));
        fs::write(&size, bytes.to_string()).map_err(Error::file("write", &size))?;
        Ok(zram)
    }
}

impl Drop for Zram {
    fn drop(&mut self) {
        let remove = Path::new(CONTROL).join("hot_remove");
        // What looks at new devices may still have it open.
        let deadline = Instant::now() + PATIENCE;
        while let Err(e) = fs::write(&remove, &self.number) {
            if e.kind() != std::io::ErrorKind::ResourceBusy || Instant::now() > deadline {
                return eprintln!("xtask: cannot remove `{}`: {e}", self.path.display());
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_is_there_until_it_is_dropped() {
        let made = match Zram::new(1 << 20) {
            Ok(made) => made,
            Err(error) => return println!("skipped: {error}"),
        };
        let path = made.path.clone();
        assert!(path.exists());
        drop(made);
        assert!(!path.exists(), "{} is left", path.display());
    }
}
