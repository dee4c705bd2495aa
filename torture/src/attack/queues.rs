//! The queues of this machine's disks, as settings of disks change them: what stood beside an attack has them as they
//! were, and so has a loop device that the attack used for a while, which keeps its queue when its file is gone.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// What settings change of any queue.
const FILES: &[&str] = &["nr_requests", "scheduler"];
/// The kernel itself may make more of it when a loop device gets a file (`blk_apply_bdi_limits` in
/// `block/blk-settings.c`).
const READ_AHEAD: &str = "read_ahead_kb";

/// Those of all disks that were there.
#[derive(Default)]
pub(super) struct Queues {
    /// The folder of disks.
    disks: PathBuf,
    before: BTreeMap<String, DiskQueue>,
}

/// The queue of one disk.
#[derive(PartialEq, Eq)]
struct DiskQueue {
    /// The file of a loop device; empty where it has none.
    file: String,
    /// What stands in the files of the queue.
    state: String,
}

impl Queues {
    /// As they are now, in this folder of disks (`/sys/block`).
    pub(super) fn look(disks: &Path) -> Self {
        Self { disks: disks.to_owned(), before: queues(disks) }
    }

    /// Which are no longer as they were. A loop device that has another file now is somebody's at the moment.
    pub(super) fn changed(&self) -> Vec<String> {
        let now = queues(&self.disks);
        let changed = |(name, before): (&String, &DiskQueue)| {
            let after = now.get(name).filter(|after| after.file == before.file)?;
            let said = format!("the queue of {name}, which was `{}` and is `{}`", before.state, after.state);
            (after != before).then_some(said)
        };
        self.before.iter().filter_map(changed).collect()
    }
}

fn queues(disks: &Path) -> BTreeMap<String, DiskQueue> {
    let entries = fs::read_dir(disks).into_iter().flatten().flatten();
    entries
        .map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            let queue = queue(&name, &entry.path());
            (name, queue)
        })
        .collect()
}

fn queue(name: &str, disk: &Path) -> DiskQueue {
    let read = |file: &Path| fs::read_to_string(file).unwrap_or_default().trim().to_owned();
    let file = read(&disk.join("loop/backing_file"));
    let is_fixed = !name.starts_with("loop") || !file.is_empty();
    let names = FILES.iter().copied().chain(is_fixed.then_some(READ_AHEAD));
    let state: Vec<String> =
        names.map(|name| format!("{name} {}", read(&disk.join("queue").join(name)))).collect();
    DiskQueue { file, state: state.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_queue_that_is_not_put_back_is_seen() {
        let disks = tempfile::tempdir().unwrap();
        let write = |file: &str, text: &str| {
            let path = disks.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        for disk in ["loop1", "loop2", "sda"] {
            write(&format!("{disk}/queue/nr_requests"), "128\n");
            write(&format!("{disk}/queue/read_ahead_kb"), "128\n");
        }
        write("loop2/loop/backing_file", "/somebodys\n");
        let queues = Queues::look(disks.path());
        assert_eq!(queues.changed(), [""; 0]);
        // The kernel does this, where a free loop device gets a file.
        write("loop1/queue/read_ahead_kb", "2560\n");
        assert_eq!(queues.changed(), [""; 0]);
        for (file, text, named) in [
            ("loop1/queue/nr_requests", "64\n", "loop1"),
            ("loop2/queue/read_ahead_kb", "0\n", "loop2"),
            ("sda/queue/read_ahead_kb", "0\n", "sda"),
        ] {
            write(file, text);
            let changed = queues.changed();
            assert!(changed.len() == 1 && changed[0].contains(&format!("of {named},")), "{changed:?}");
            write(file, "128\n");
        }
        // Somebody uses it now.
        write("loop1/loop/backing_file", "/others\n");
        write("loop1/queue/nr_requests", "64\n");
        assert_eq!(queues.changed(), [""; 0]);
    }
}
