//! What a story stands on: modules, devices and mounts made for it alone, and
//! taken away in reverse when it ends, so that the next finds none of them.

use std::process::{Command, Output};

/// The bytes of a RAM disk of [`Ground::ram_disks`].
pub(crate) const RAM_DISK_BYTES: u64 = 64 << 20;

/// What was made, as the commands that undo it.
#[derive(Debug)]
pub(crate) struct Ground {
    undo: Vec<Vec<String>>,
}

impl Ground {
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
        let folder = std::path::Path::new("/sys/module").join(name);
        assert!(!folder.exists(), "{name} is loaded: what did the story before leave?");
        self.build(&[&["modprobe", name], parameters].concat(), &["modprobe", "-r", name]);
    }

    /// Empty disks `/dev/ram0`, `/dev/ram1` and so on, which can be partitioned.
    pub(crate) fn ram_disks(&mut self, count: usize) {
        let size = format!("rd_size={}", RAM_DISK_BYTES / 1024);
        self.module("brd", &[&format!("rd_nr={count}"), &size, "max_part=8"]);
    }

    /// Runs a command that makes something, and later the one that undoes it.
    pub(crate) fn build(&mut self, words: &[&str], undo: &[&str]) {
        does(words);
        self.undo.push(undo.iter().map(|word| (*word).to_owned()).collect());
    }
}

impl Drop for Ground {
    fn drop(&mut self) {
        for words in self.undo.drain(..).rev() {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let output = output(&words);
            // A second panic would hide the first; the next story finds the rest.
            if !output.status.success() {
                eprintln!("{words:?} failed: {}", String::from_utf8_lossy(&output.stderr));
            }
        }
    }
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
