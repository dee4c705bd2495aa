//! Kills of a run that changes states of the machine and of a disk: its queue, swap, control groups,
//! numbers of the kernel. Whatever it had changed is put back.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::kill_settings::difference;
use super::{Attack, kill};
use crate::process::{PATIENCE, Running, tool};
use crate::round::{Round, Trouble};

pub(super) const ATTACK: Attack = Attack {
    name: "kill-states",
    about: "kills a run that changes states of the machine and of a disk; all is put back, at the latest by `headroom restore`",
    round,
};

/// Files of the machine that a setting may change.
const FILES: &[&str] = &[
    "/proc/sys/vm/swappiness",
    "/proc/sys/vm/dirty_bytes",
    "/proc/sys/vm/dirty_ratio",
    "/proc/sys/vm/min_free_kbytes",
    "/proc/sys/kernel/task_delayacct",
    "/proc/sys/net/ipv4/tcp_congestion_control",
    "/sys/kernel/mm/transparent_hugepage/enabled",
    "/proc/swaps",
];

/// Of the disk.
const QUEUE: &[&str] = &["scheduler", "nr_requests", "read_ahead_kb", "wbt_lat_usec", "write_cache"];

/// What may be asked for, each with two levels; `@` stands for the disk, `@/` for the file system.
const SETS: &[&str] = &[
    "scheduler@=mq-deadline,none",
    "queue-requests@=32,64",
    "read-ahead@=0,1m",
    "sysctl.vm.swappiness=1,99",
    "dirty-bytes=64m,128m",
    "task-delay-accounting=yes,no",
    "congestion-control=reno,cubic",
    "transparent-huge-pages=never,always",
    "c-states=0,50",
    "drop-caches=no,yes",
    "swap=off,on",
    "swap=file:16m,off",
    "cgroup-cpu=0.5,1",
    "cgroup-memory=256m,512m",
    "cgroup-io-read-operations@=500,1000",
    "mount-options@/=noatime+nobarrier,lazytime+commit=30",
];

/// Loop devices on files in the round's folder, one of them in use as swap, one mounted.
struct Disks {
    disk: String,
    swap: String,
    /// The swap file that a run makes.
    swap_file: String,
    files: String,
    point: String,
}

impl Disks {
    fn new(round: &Round) -> Result<Self, Trouble> {
        let attach = |name: &str| -> Result<String, Trouble> {
            let path = round.path(name);
            std::fs::write(&path, vec![1; 8 << 20]).map_err(|e| Trouble::Untried(format!("{path}: {e}")))?;
            Ok(tool("losetup", &["--find", "--show", &path])?.trim().to_owned())
        };
        let disk = attach("disk")?;
        // What is begun is taken away, whatever fails.
        let (swap, files, point) = (String::new(), String::new(), round.path("mounted"));
        let swap_file = round.path("state/swap-file");
        let mut disks = Self { disk, swap, swap_file, files, point };
        disks.swap = attach("swap")?;
        tool("mkswap", &[&disks.swap])?;
        tool("swapon", &["--priority", "7", &disks.swap])?;
        disks.files = attach("files")?;
        tool("mkfs.ext4", &["-q", "-F", &disks.files])?;
        std::fs::create_dir(&disks.point).map_err(|e| Trouble::Untried(format!("{}: {e}", disks.point)))?;
        tool("mount", &["-t", "ext4", &disks.files, &disks.point])?;
        Ok(disks)
    }

    fn name(&self) -> &str {
        self.disk.trim_start_matches("/dev/")
    }

    /// All that a setting could have changed.
    fn state(&self) -> String {
        let read = |path: &str| {
            let text = std::fs::read_to_string(path).unwrap_or_default();
            // How much of the swap is used is nobody's state.
            let line = |line: &str| match path {
                "/proc/swaps" => line
                    .split_whitespace()
                    .filter(|word| word.parse::<u64>().is_err())
                    .collect::<Vec<_>>()
                    .join(" "),
                _ => line.to_owned(),
            };
            text.lines().map(|text| format!("{path}: {}\n", line(text))).collect::<String>()
        };
        let queue = QUEUE.iter().map(|leaf| read(&format!("/sys/class/block/{}/queue/{leaf}", self.name())));
        let name = self.files.trim_start_matches("/dev/");
        let options = read(&format!("/proc/fs/ext4/{name}/options"));
        let table = std::fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
        let is_it = |line: &&str| line.split(' ').nth(4) == Some(self.point.as_str());
        let mounted: String = table.lines().filter(is_it).map(|line| format!("{line}\n")).collect();
        FILES.iter().map(|path| read(path)).chain(queue).chain([options, mounted]).collect::<String>()
            + &groups(Path::new("/sys/fs/cgroup"), 3)
            + if Path::new(&self.swap_file).exists() { "a swap file\n" } else { "" }
    }
}

impl Drop for Disks {
    fn drop(&mut self) {
        let _ = Command::new("swapoff").arg(&self.swap).output();
        let _ = Command::new("umount").arg(&self.point).output();
        for device in [&self.disk, &self.swap, &self.files] {
            let _ = Command::new("losetup").args(["--detach", device]).output();
        }
    }
}

/// The control groups of Headroom's that are there.
fn groups(folder: &Path, depth: u32) -> String {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found = String::new();
    for path in entries.map(|entry| entry.path()).filter(|path| path.is_dir() && !path.is_symlink()) {
        if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("headroom-")) {
            found.push_str(&format!("{}\n", path.display()));
        }
        if depth > 0 {
            found.push_str(&groups(&path, depth - 1));
        }
    }
    found
}

fn round(round: &mut Round) -> Result<(), Trouble> {
    let disks = Disks::new(round)?;
    let before = disks.state();
    let mut sets: Vec<String> = Vec::new();
    for _ in 0..1 + round.below(4) {
        let set = round.pick(SETS).replace("@=", &format!("@{}=", disks.name()));
        let set = set.replace("@/=", &format!("@{}=", disks.point));
        let key = |text: &str| text.split('=').next().unwrap_or_default().to_owned();
        // Limits of one control group are tried one at a time, and what one of two sets anew.
        let both = |one: &str, known: &str| known.starts_with(one) && set.starts_with(one);
        let is_queue = |text: &str| text.starts_with("scheduler") || text.starts_with("queue-requests");
        let is_like = |known: &String| {
            key(known) == key(&set) || both("cgroup", known) || is_queue(known) && is_queue(&set)
        };
        if !sets.iter().any(is_like) {
            sets.push(set);
        }
    }
    let mut arguments = vec!["run", "null", "--duration", "30ms", "--warm-up", "0", "--trials", "4"];
    sets.iter().for_each(|set| arguments.extend(["--set", set.as_str()]));
    let run = Running::start(round.command(&arguments))?;
    let (ended, is_both) = kill::at_some_time(round, run, Duration::from_millis(2500))?;
    round.nobody_is_left()?;
    let is_back = disks.state() == before;
    if !is_back {
        round.count("left changed until `restore`");
    }
    let restored = Running::start(round.command(&["restore"]))?.end(PATIENCE, &[])?.with(&[0])?;
    let after = disks.state();
    if after != before {
        let what = format!("with {sets:?} these stayed changed:\n{}", difference(&before, &after));
        return Err(restored.fault(&what));
    }
    if !is_back && !is_both {
        return Err(ended.fault("who lived on left states changed until `restore`"));
    }
    // Twice is as once.
    Running::start(round.command(&["restore"]))?.end(PATIENCE, &[])?.with(&[0])?;
    // What comes next is let in.
    let next = [
        "run",
        "null",
        "--duration",
        "20ms",
        "--warm-up",
        "0",
        "--trials",
        "1",
        "--set",
        "sysctl.vm.swappiness=42",
    ];
    Running::start(round.command(&next))?.end(PATIENCE, &[])?.with(&[0])?;
    match disks.state() {
        after if after == before => Ok(()),
        after => Err(Trouble::Fault(format!("the next run left:\n{}", difference(&before, &after)))),
    }
}
