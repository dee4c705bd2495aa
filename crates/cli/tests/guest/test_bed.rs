//! What a story stands on: modules, devices and mounts made for it alone, and
//! taken away in reverse when it ends, so that the next finds none of them.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The bytes of a RAM disk of [`TestBed::ram_disks`]: what XFS wants at least is
/// 300 MiB. Only what is written takes memory.
pub(crate) const RAM_DISK_BYTES: u64 = 320 << 20;
/// The same in the device mapper's unit.
pub(crate) const RAM_DISK_SECTORS: u64 = RAM_DISK_BYTES / 512;

/// What was made, as the commands that undo it.
#[derive(Debug)]
pub(crate) struct TestBed {
    undo: Vec<Vec<String>>,
}

impl TestBed {
    /// An empty one. Only in the guest: what stories do would harm a machine.
    pub(crate) fn new() -> Self {
        let line = std::fs::read_to_string("/proc/cmdline").unwrap();
        let is_guest = line.split_whitespace().any(|word| word == "headroom.guest");
        assert!(is_guest, "this story runs in the guest only: cargo xtask test --only guest");
        Self { undo: Vec::new() }
    }

    /// Loads a module with these parameters. It must not be loaded already, for
    /// then they would have no effect.
    pub(crate) fn module(&mut self, name: &str, parameters: &[&str]) {
        let folder = Path::new("/sys/module").join(name);
        assert!(!folder.exists(), "{name} is loaded: what did the story before leave?");
        self.build(&[&["modprobe", name], parameters].concat(), &["modprobe", "-r", name]);
    }

    /// Empty disks `/dev/ram0`, `/dev/ram1` and so on, which can be partitioned.
    pub(crate) fn ram_disks(&mut self, count: usize) {
        let size = format!("rd_size={}", RAM_DISK_BYTES / 1024);
        self.module("brd", &[&format!("rd_nr={count}"), &size, "max_part=8"]);
    }

    /// A SCSI disk made of memory; its name.
    pub(crate) fn scsi_disk(&mut self, parameters: &[&str]) -> String {
        self.module("sd_mod", &[]);
        self.module("scsi_debug", parameters);
        let list =
            "ls -d /sys/bus/pseudo/drivers/scsi_debug/adapter0/host*/target*/*/block/* 2>/dev/null; true";
        let mut found = String::new();
        eventually("the disk is there", || {
            found = does(&["sh", "-c", list]);
            !found.is_empty()
        });
        found.trim().rsplit('/').next().unwrap().to_owned()
    }

    /// A device of the device mapper, `/dev/mapper/NAME`, with this table.
    pub(crate) fn mapped(&mut self, name: &str, table: &str) -> String {
        self.build(&["dmsetup", "create", name, "--table", table], &["dmsetup", "remove", name]);
        format!("/dev/mapper/{name}")
    }

    /// The same of a table with several lines.
    pub(crate) fn joined(&mut self, name: &str, table: &str) -> String {
        let file = format!("/dev/shm/{name}");
        std::fs::write(&file, table).unwrap();
        self.build(&["dmsetup", "create", name, &file], &["dmsetup", "remove", name]);
        format!("/dev/mapper/{name}")
    }

    /// A mirror `/dev/md0` of two devices.
    pub(crate) fn mirror(&mut self, first: &str, second: &str) {
        let create = ["mdadm", "--create", "/dev/md0", "--run", "--level=1", "--assume-clean"];
        let members = ["--raid-devices=2", first, second];
        self.build(&[&create[..], &members].concat(), &["mdadm", "--stop", "/dev/md0"]);
        // It writes to its members until it is clean.
        does(&["mdadm", "--wait-clean", "/dev/md0"]);
    }

    /// A file system on `device`, made with these words and mounted with these
    /// options; where it is, everybody may write.
    pub(crate) fn mounted(&mut self, make: &[&str], device: &str, options: &str) -> PathBuf {
        does(&[make, &[device]].concat());
        let point = Path::new("/mnt").join(device.rsplit('/').next().unwrap());
        std::fs::create_dir_all(&point).unwrap();
        let text = point.to_str().unwrap();
        self.build(&["mount", "-o", options, device, text], &["umount", text]);
        std::fs::set_permissions(&point, Permissions::from_mode(0o777)).unwrap();
        point
    }

    /// Runs a command that makes something, and later the one that undoes it.
    pub(crate) fn build(&mut self, words: &[&str], undo: &[&str]) {
        does(words);
        self.undo.push(undo.iter().map(|word| (*word).to_owned()).collect());
    }
}

impl Drop for TestBed {
    fn drop(&mut self) {
        for words in self.undo.drain(..).rev() {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let mut done = output(&words);
            // What looks at new devices may hold one a moment longer.
            for _ in 0..20 {
                if done.status.success() {
                    break;
                }
                std::thread::sleep(std::time::Duration::from_millis(100));
                done = output(&words);
            }
            // A second panic would hide the first; the next story finds the rest.
            if !done.status.success() {
                eprintln!("{words:?} failed: {}", String::from_utf8_lossy(&done.stderr));
            }
        }
    }
}

/// Waits until `what` holds; for long, as the guest is slow.
pub(crate) fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    for _ in 0..240 {
        if holds() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(500));
    }
    panic!("never: {what}");
}

/// Runs a command that must succeed; what it printed.
pub(crate) fn does(words: &[&str]) -> String {
    let output = output(words);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{words:?}: {said}{}", String::from_utf8_lossy(&output.stderr));
    said
}

fn output(words: &[&str]) -> Output {
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).stdin(std::process::Stdio::null());
    command.output().unwrap_or_else(|e| panic!("{words:?} cannot be run: {e}"))
}

/// A text without what the breaking of lines puts in, which may be anywhere.
fn joined(text: &str) -> String {
    text.replace("\n  | ", "").split_whitespace().collect()
}

/// Whether a run said this.
pub(crate) fn says(output: &Output, words: &str) -> bool {
    joined(&String::from_utf8_lossy(&output.stderr)).contains(&joined(words))
}
