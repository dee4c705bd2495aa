//! Programs beside the load: they compute, copy, start others or read the disk. Each
//! ends when it is dropped, and when the lab is killed.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::tool;

/// One of them.
#[derive(Debug)]
pub(crate) struct Neighbour {
    child: Child,
}

/// Bytes of the file that [`Neighbour::reader`] reads.
const FILE_BYTES: usize = 64 << 20;

impl Neighbour {
    /// Computes on one CPU.
    pub(crate) fn burner(cpu: usize) -> Result<Self, String> {
        Self::shell("while :; do :; done", Some(cpu))
    }

    /// Copies on one CPU, more than its caches hold.
    pub(crate) fn copier(cpu: usize) -> Result<Self, String> {
        Self::shell("exec dd if=/dev/zero of=/dev/null bs=64M status=none", Some(cpu))
    }

    /// Starts one program after the other.
    pub(crate) fn fork_storm() -> Result<Self, String> {
        Self::shell("while :; do /bin/true; done", None)
    }

    /// Reads a file in this folder, around the page cache.
    pub(crate) fn reader(folder: &Path) -> Result<Self, String> {
        let path = folder.join("neighbour");
        let failed = |e: std::io::Error| format!("{}: {e}", path.display());
        let mut file = File::create(&path).map_err(failed)?;
        file.write_all(&random_bytes(FILE_BYTES)?).map_err(failed)?;
        file.sync_all().map_err(failed)?;
        let words = format!("dd if='{}' of=/dev/null bs=256k iflag=direct status=none", path.display());
        Self::shell(&format!("while :; do {words} || exit; done"), None)
    }

    fn shell(lines: &str, cpu: Option<usize>) -> Result<Self, String> {
        let mut command = Command::new("setpriv");
        command.args(["--pdeathsig", "KILL"]);
        if let Some(cpu) = cpu {
            command.args(["taskset", "-c", &cpu.to_string()]);
        }
        command.args(["sh", "-c", lines]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = command.spawn().map_err(|e| format!("`setpriv`: {e}"))?;
        Ok(Self { child })
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Neighbour {
    fn drop(&mut self) {
        tool::end(&mut self.child, Duration::from_secs(2));
    }
}

/// What does not compress.
pub(crate) fn random_bytes(count: usize) -> Result<Vec<u8>, String> {
    let mut bytes = vec![0; count];
    let failed = |e: std::io::Error| format!("/dev/urandom: {e}");
    let mut random = File::open("/dev/urandom").map_err(failed)?;
    std::io::Read::read_exact(&mut random, &mut bytes).map_err(failed)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_neighbour_is_gone_when_it_is_dropped() {
        let neighbour = match Neighbour::fork_storm() {
            Ok(neighbour) => neighbour,
            Err(e) => return println!("skipped: {e}"),
        };
        let folder = format!("/proc/{}", neighbour.id());
        assert!(Path::new(&folder).exists());
        drop(neighbour);
        assert!(!Path::new(&folder).exists());
    }
}
