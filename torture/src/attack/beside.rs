//! Things of somebody else's that stand beside an attack on storage stacks: a loop device, an array, a mapping, a volume
//! group and a mount, called much as Headroom calls what it makes. What this machine cannot make of them is left out,
//! and not counted. They are on files of the round, and are taken away with it.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::time::Duration;

use super::queues::Queues;
use crate::namespaces::Namespaces;
use crate::process::tool;
use crate::round::{Round, Trouble};

/// What they are called: as a stack of Headroom's.
pub(super) const NAME: &str = "headroom_00000000000000aa";

/// Bytes of each file: enough for a journal of ext4 and for an extent of LVM.
const FILE_BYTES: u64 = 16 << 20;
/// Bytes of chance that are written to each of them.
const CONTENT_BYTES: usize = 256 << 10;

/// No copy of the group in /etc/lvm, and no dmeventd.
const LVM_CONFIG: &str = "activation { monitoring=0 } backup { backup=0 archive=0 }";
/// A number that nobody counts up to.
const ARRAY: &str = "/dev/md77";
/// Where the disks of this machine are.
const DISKS: &str = "/sys/block";

/// Each of them that is there.
#[derive(Default)]
pub(super) struct Beside {
    /// The loop devices, whose signatures stay.
    loops: Vec<String>,
    /// The devices of which every byte stays.
    devices: Vec<String>,
    /// The name of the mapping and of the volume.
    mappings: Vec<String>,
    /// The file in the mounted file system.
    file: Option<String>,
    /// The commands that take them away, the last one first.
    undo: Vec<Vec<String>>,
    /// How all of them were.
    before: String,
    /// The arrays and mappings of the machine, with these.
    known: Vec<String>,
    /// The queues of the machine's disks, with these.
    queues: Queues,
}

impl Beside {
    /// Makes all that can be made here. It must be dropped after the namespaces, in which the mount is.
    ///
    /// # Errors
    /// If there are no loop devices.
    pub(super) fn make(&mut self, round: &mut Round, namespaces: &Namespaces) -> Result<(), Trouble> {
        let folder = round.path(NAME);
        fs::create_dir(&folder).map_err(|e| Trouble::Untried(format!("{folder}: {e}")))?;
        // Where nobody loads it on demand.
        let _ = tool("modprobe", &["--quiet", "loop"]);
        for index in 0..6 {
            self.loop_device(&format!("{folder}/disk{index}"))?;
        }
        self.devices.extend(self.loops.first().cloned());
        round.count("beside it: a loop device");
        if self.array().is_ok() {
            round.count("beside it: an array");
        }
        if self.mapping().is_ok() {
            round.count("beside it: a mapping");
        }
        if self.group().is_ok() {
            round.count("beside it: a volume group");
        }
        for device in self.devices.clone() {
            let content = round.bytes(CONTENT_BYTES);
            write(Path::new(&device), &content)?;
        }
        if self.mount(round, namespaces, &folder).is_ok() {
            round.count("beside it: a mount");
        }
        self.before = self.state(round, namespaces)?;
        self.known = arrays_and_mappings();
        self.queues = Queues::look(Path::new(DISKS));
        Ok(())
    }

    /// # Errors
    /// If one of them is no longer what it was.
    pub(super) fn is_as_it_was(&self, round: &Round, namespaces: &Namespaces) -> Result<(), Trouble> {
        let now = match self.state(round, namespaces) {
            Ok(now) => now,
            Err(Trouble::Untried(why)) => format!("it cannot be read: {why}"),
            Err(fault) => return Err(fault),
        };
        match now == self.before {
            true => Ok(()),
            false => Err(Trouble::Fault(format!(
                "what stands beside the stack was touched\n  before: {}\n  after: {now}",
                self.before
            ))),
        }
    }

    /// The arrays and mappings that there are now and were not before.
    pub(super) fn newer(&self) -> Vec<String> {
        let newer = arrays_and_mappings().into_iter().filter(|name| !self.known.contains(name));
        newer.map(|name| format!("the array or mapping {name}")).collect()
    }

    /// The queues of disks that settings of a stack have changed and that are not put back.
    pub(super) fn changed_queues(&self) -> Vec<String> {
        self.queues.changed()
    }

    fn loop_device(&mut self, file: &str) -> Result<(), Trouble> {
        let made = File::create(file).and_then(|made| made.set_len(FILE_BYTES));
        made.map_err(|e| Trouble::Untried(format!("{file}: {e}")))?;
        let device = tool("losetup", &["--find", "--show", file])?.trim().to_owned();
        self.undo_by(&["losetup", "--detach", &device]);
        self.loops.push(device);
        Ok(())
    }

    fn array(&mut self) -> Result<(), Trouble> {
        let [_, first, second, ..] = self.loops.as_slice() else { return Err(too_few()) };
        if Path::new("/sys/block/md77").exists() {
            return Err(Trouble::Untried(format!("{ARRAY} is there")));
        }
        let name = format!("--name={NAME}_1");
        let create = ["--create", ARRAY, "--run", "--level=1", "--assume-clean", "--metadata=1.2", &name];
        tool("mdadm", &[&create[..], &["--raid-devices=2", first, second]].concat())?;
        self.undo_by(&["mdadm", "--stop", ARRAY]);
        self.devices.push(ARRAY.to_owned());
        Ok(())
    }

    fn mapping(&mut self) -> Result<(), Trouble> {
        let device = self.loops.get(3).ok_or_else(too_few)?;
        let name = format!("{NAME}_2");
        let table = format!("0 {} linear {device} 0", FILE_BYTES / 512);
        tool("dmsetup", &["create", &name, "--table", &table])?;
        self.undo_by(&["dmsetup", "remove", "--retry", &name]);
        self.devices.push(format!("/dev/mapper/{name}"));
        self.mappings.push(name);
        Ok(())
    }

    fn group(&mut self) -> Result<(), Trouble> {
        let device = self.loops.get(4).ok_or_else(too_few)?.clone();
        let name = format!("{NAME}_3");
        let lvm = |command: &'static str, words: &[&str]| {
            let shown = [command, "--config", LVM_CONFIG, "--devices", device.as_str(), "--yes", "--quiet"];
            tool("lvm", &[&shown[..], words].concat())
        };
        lvm("pvcreate", &[&device])?;
        lvm("vgcreate", &[&name, &device])?;
        let whole =
            ["--wipesignatures", "n", "--zero", "n", "--extents", "100%FREE", "--name", "data", &name];
        lvm("lvcreate", &whole)?;
        let shown = ["--config", LVM_CONFIG, "--devices", &device, "--quiet", "--activate", "n", &name];
        self.undo_by(&[&["lvm", "vgchange"][..], &shown].concat());
        // A hyphen stands between the group and the volume.
        self.mappings.push(format!("{name}-data"));
        self.devices.push(format!("/dev/mapper/{name}-data"));
        Ok(())
    }

    fn mount(&mut self, round: &mut Round, namespaces: &Namespaces, folder: &str) -> Result<(), Trouble> {
        let device = self.loops.get(5).ok_or_else(too_few)?.clone();
        let point = format!("{folder}/{NAME}.1");
        let file = format!("{point}/content");
        fs::create_dir(&point).map_err(|e| Trouble::Untried(format!("{point}: {e}")))?;
        let content = round.path("content-of-others");
        write_new(Path::new(&content), &round.bytes(CONTENT_BYTES))?;
        tool("mkfs.ext4", &["-q", &device])?;
        namespaces.tool(round, "mount", &[&device, &point])?;
        // The mount itself goes with its namespace.
        namespaces.tool(round, "cp", &[&content, &file])?;
        self.file = Some(file);
        Ok(())
    }

    /// What they are: their signatures, content, tables, and that they are there.
    fn state(&self, round: &Round, namespaces: &Namespaces) -> Result<String, Trouble> {
        let mut text = String::new();
        let mut add = |program: &str, words: &[&str]| {
            namespaces.tool(round, program, words).map(|said| {
                text += said.trim();
                text.push('\n');
            })
        };
        for device in &self.loops {
            add("losetup", &["--noheadings", "--list", "--output", "NAME,BACK-FILE,OFFSET", device])?;
            add("wipefs", &["--no-act", "--noheadings", "--output", "OFFSET,TYPE,UUID", device])?;
        }
        for device in &self.devices {
            // As it is below, and not in the page cache.
            add("blockdev", &["--flushbufs", device])?;
            add("sha256sum", &[device])?;
        }
        for name in &self.mappings {
            add("dmsetup", &["table", name])?;
        }
        if let Some(file) = &self.file {
            add("sha256sum", &[file])?;
        }
        Ok(text)
    }

    fn undo_by(&mut self, words: &[&str]) {
        self.undo.push(words.iter().map(|word| (*word).to_owned()).collect());
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        for words in self.undo.drain(..).rev() {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let Some((program, arguments)) = words.split_first() else { continue };
            // Who has just used it may hold it a moment longer.
            for _ in 0..20 {
                if tool(program, arguments).is_ok() {
                    break;
                }
                std::thread::sleep(Duration::from_millis(100));
            }
        }
    }
}

/// The arrays that run and the mappings of this machine, as the kernel calls them.
fn arrays_and_mappings() -> Vec<String> {
    let devices = fs::read_dir(DISKS).into_iter().flatten().flatten();
    let is_one = |path: &Path| {
        let state = fs::read_to_string(path.join("md/array_state")).unwrap_or_default();
        path.join("dm").exists() || !["", "clear", "inactive"].contains(&state.trim())
    };
    let own = devices.filter(|device| is_one(&device.path()));
    own.map(|device| device.file_name().to_string_lossy().into_owned()).collect()
}

fn too_few() -> Trouble {
    Trouble::Untried("too few loop devices".to_owned())
}

/// Writes to the beginning of what is there.
fn write(path: &Path, content: &[u8]) -> Result<(), Trouble> {
    let opened = OpenOptions::new().write(true).open(path);
    let written = opened.and_then(|mut file| file.write_all(content).and_then(|()| file.sync_all()));
    written.map_err(|e| Trouble::Untried(format!("{}: {e}", path.display())))
}

fn write_new(path: &Path, content: &[u8]) -> Result<(), Trouble> {
    fs::write(path, content).map_err(|e| Trouble::Untried(format!("{}: {e}", path.display())))
}
