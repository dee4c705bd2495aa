//! A control group whose writes to the disk under a folder are throttled (version 1, its
//! `Documentation/admin-guide/cgroup-v1/blkio-controller.rst`, or 2, `admin-guide/cgroup-v2.rst`).
//! What runs outside of it is not held back. Needs root; removed when it is dropped.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use xtask::Error;

const ROOT: &str = "/sys/fs/cgroup";

/// The controller by its names in versions 1 and 2.
const CONTROLLERS: [&str; 2] = ["blkio", "io"];

/// The group.
#[derive(Debug)]
pub(crate) struct WriteThrottle {
    folder: PathBuf,
    /// The file that takes processes.
    processes: String,
}

impl WriteThrottle {
    /// At most so many bytes per second.
    pub(crate) fn new(below: &Path, bytes_per_s: u64) -> Result<Self, Error> {
        let device = device_below(below)?;
        let (root, name) = (Path::new(ROOT), format!("headroom-bench-{}", std::process::id()));
        let path = Path::new("/proc/self/cgroup");
        let membership = fs::read_to_string(path).map_err(Error::file("read", path))?;
        let own = own_path(&membership, CONTROLLERS[0]).filter(|_| root.join(CONTROLLERS[0]).is_dir());
        let (folder, file, limit) = match own {
            Some(own) => (
                root.join(CONTROLLERS[0]).join(own.trim_start_matches('/')).join(name),
                "blkio.throttle.write_bps_device",
                format!("{device} {bytes_per_s}"),
            ),
            None => {
                let enabled = fs::read_to_string(root.join("cgroup.subtree_control")).unwrap_or_default();
                if !enabled.split_whitespace().any(|controller| controller == CONTROLLERS[1]) {
                    return Err(Error::Bench(
                        "no disk can be throttled: there is no control group controller `io` here".to_owned(),
                    ));
                }
                (root.join(name), "io.max", format!("{device} wbps={bytes_per_s}"))
            }
        };
        fs::create_dir(&folder).map_err(Error::file("make", &folder))?;
        // From here on it is removed, whatever happens.
        let processes = folder.join("cgroup.procs").to_string_lossy().into_owned();
        let throttle = Self { folder, processes };
        let file = throttle.folder.join(file);
        fs::write(&file, limit).map_err(Error::file("write", &file))?;
        Ok(throttle)
    }

    /// The words before a command that run it in this group.
    pub(crate) fn words(&self) -> [&str; 4] {
        ["sh", "-c", r#"echo $$ > "$0" && exec "$@""#, &self.processes]
    }
}

impl Drop for WriteThrottle {
    fn drop(&mut self) {
        // The last process may take a moment to leave.
        for _ in 0..250 {
            match fs::remove_dir(&self.folder) {
                Err(e) if e.kind() == ErrorKind::ResourceBusy => {
                    std::thread::sleep(Duration::from_millis(20));
                }
                Err(e) if e.kind() != ErrorKind::NotFound => {
                    return eprintln!("xtask: cannot remove `{}`: {e}", self.folder.display());
                }
                _ => return,
            }
        }
        eprintln!("xtask: `{}` still has processes and is left", self.folder.display());
    }
}

/// `MAJOR:MINOR` of the whole disk below the file system of `path`: partitions cannot be throttled.
fn device_below(path: &Path) -> Result<String, Error> {
    let number = fs::metadata(path).map_err(Error::file("look at", path))?.dev();
    let (major, minor) = (rustix::fs::major(number), rustix::fs::minor(number));
    let block = PathBuf::from(format!("/sys/dev/block/{major}:{minor}"));
    let folder = block.canonicalize().map_err(|e| {
        let path = path.display();
        Error::Bench(format!("the file system of `{path}` lies on no one device that can be throttled: {e}"))
    })?;
    let parent = folder.parent().filter(|_| folder.join("partition").exists());
    let number = parent.unwrap_or(&folder).join("dev");
    Ok(fs::read_to_string(&number).map_err(Error::file("read", &number))?.trim().to_owned())
}

/// The path of our own group of a controller of version 1 (cgroups(7)).
fn own_path<'a>(membership: &'a str, controller: &str) -> Option<&'a str> {
    membership.lines().find_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, path) = (parts.next()?, parts.next()?);
        controllers.split(',').any(|one| one == controller).then_some(path)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_group_is_found_by_its_controller() {
        let text = "9:blkio:/a/b\n8:cpu,cpuacct:/c\n1:name=systemd:/d\n0::/e\n";
        assert_eq!(own_path(text, "blkio"), Some("/a/b"));
        assert_eq!(own_path(text, "cpuacct"), Some("/c"));
        assert_eq!(own_path(text, "io"), None);
    }

    #[test]
    fn a_group_is_there_until_it_is_dropped_and_takes_processes() {
        let throttle = match WriteThrottle::new(&xtask::root(), 80_000_000) {
            Ok(made) => made,
            Err(error) => return println!("skipped: {error}"),
        };
        let words = throttle.words();
        let output = std::process::Command::new(words[0])
            .args(&words[1..])
            .args(["cat", "/proc/self/cgroup"])
            .output()
            .unwrap();
        let name = throttle.folder.file_name().unwrap().to_string_lossy().into_owned();
        assert!(String::from_utf8_lossy(&output.stdout).contains(&name), "{output:?}");
        let path = throttle.folder.clone();
        drop(throttle);
        assert!(!path.exists(), "{} is left", path.display());
    }
}
