//! What the tests stand on: loop devices, mounts and programs that are put away
//! again however a test ends.

use std::ffi::OsStr;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};

use model::plan::DeviceState;

/// Says that a test could not be run, which in CI is a failure.
pub(crate) fn skip(why: &str) {
    assert!(std::env::var_os("CI").is_none(), "in CI nothing is skipped: {why}");
    println!("skipped: {why}");
}

/// Runs a program to its end.
pub(crate) fn run<S: AsRef<OsStr>>(
    program: &str,
    arguments: impl IntoIterator<Item = S>,
) -> Result<String, String> {
    let output = Command::new(program).args(arguments).stdin(Stdio::null()).env("LC_ALL", "C").output();
    let output = output.map_err(|e| format!("{program}: {e}"))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    if output.status.success() {
        return Ok(text(&output.stdout));
    }
    Err(format!("{program}: {} {}", text(&output.stdout), text(&output.stderr)))
}

/// A loop device on a sparse file of its own.
pub(crate) struct Disk {
    pub(crate) device: PathBuf,
    pub(crate) file: PathBuf,
    _folder: tempfile::TempDir,
}

impl Disk {
    /// None, said on the way, where no loop device can be had.
    pub(crate) fn new(bytes: u64) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("disk");
        File::create(&file).unwrap().set_len(bytes).unwrap();
        match attach(&file, &[]) {
            Ok(device) => Some(Self { device, file, _folder: folder }),
            Err(why) => {
                skip(&why);
                None
            }
        }
    }

    pub(crate) fn path(&self) -> &str {
        self.device.to_str().unwrap()
    }

    pub(crate) fn state(&self) -> DeviceState {
        state(&self.device)
    }

    /// The path of its partition.
    pub(crate) fn part(&self, number: u32) -> String {
        format!("{}p{number}", self.path())
    }

    /// Writes a table of two partitions and has the kernel know them, which
    /// needs no partition support in it.
    pub(crate) fn divide(&self, label: &str) {
        let script = self.file.with_extension("table");
        let sectors = std::fs::metadata(&self.file).unwrap().len() / 512;
        let size = (sectors - 4096) / 2 / 2048 * 2048;
        std::fs::write(&script, format!("label: {label}\nsize={size}\nsize={size}\n")).unwrap();
        let status = Command::new("sfdisk")
            .args(["--quiet", "--no-reread", "--no-tell-kernel"])
            .arg(&self.device)
            .stdin(File::open(&script).unwrap())
            .status();
        assert!(status.unwrap().success());
        run("partx", ["--add", self.path()]).unwrap();
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = run("partx", ["--delete", self.path()]);
        let _ = run("losetup", ["--detach", self.path()]);
    }
}

/// Attaches a loop device to a file; one at a time, for `losetup` opens those
/// that it takes for free.
pub(crate) fn attach(file: &Path, options: &[&str]) -> Result<PathBuf, String> {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let options = ["--find", "--show"].iter().chain(options).map(OsStr::new);
    Ok(run("losetup", options.chain([file.as_os_str()]))?.into())
}

pub(crate) fn state(device: impl AsRef<Path>) -> DeviceState {
    machine::storage::device_state(device.as_ref()).unwrap()
}

/// Ends something when the test does: a program and its arguments.
pub(crate) struct Undo(pub(crate) &'static str, pub(crate) Vec<String>);

impl Drop for Undo {
    fn drop(&mut self) {
        let _ = run(self.0, &self.1);
    }
}

/// A program that runs until the test ends.
pub(crate) struct RunningProgram(pub(crate) Child);

impl RunningProgram {
    /// Runs `script` in `sh`, and waits for the line that it prints when it is
    /// ready.
    pub(crate) fn start(program: &str, arguments: &[&str]) -> Self {
        use std::io::{BufRead, BufReader};
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let held = Self(child);
        assert_eq!(line.trim(), "ready", "{program} {arguments:?}");
        held
    }
}

impl Drop for RunningProgram {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A mount that is taken away again.
pub(crate) struct Mounted {
    pub(crate) point: PathBuf,
    _folder: tempfile::TempDir,
}

impl Mounted {
    pub(crate) fn new(device: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let point = folder.path().canonicalize().unwrap();
        run("mount", [OsStr::new(device), point.as_os_str()]).unwrap();
        Self { point, _folder: folder }
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = run("umount", [self.point.as_os_str()]);
    }
}
