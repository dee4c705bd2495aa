//! Kills of a run that changes several states of all kinds at once: of disks and their file system, of swap on
//! loop devices, zram and a file, of control groups, of numbers of the kernel, and of interfaces in a network
//! namespace. Whatever it had changed is put back. At the end it is said how many kills met each kind.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::kill_settings::{self, LAY, difference};
use super::{Attack, kill, met};
use crate::namespaces::Namespaces;
use crate::process::{PATIENCE, Running, tool};
use crate::round::{Round, Trouble};
use crate::zram::Zram;

pub(super) const ATTACK: Attack = Attack {
    name: "kill-states",
    about: "kills a run that changes states of the machine, of disks and of interfaces; all is put back, at the latest by `headroom restore`",
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
    "/sys/kernel/mm/transparent_hugepage/defrag",
    "/proc/sys/vm/dirty_background_bytes",
    "/proc/sys/vm/dirty_background_ratio",
    "/proc/sys/net/ipv4/tcp_allowed_congestion_control",
];

/// Of the disk.
const QUEUE: [&str; 5] = ["scheduler", "nr_requests", "read_ahead_kb", "wbt_lat_usec", "write_cache"];

/// What may be asked for, most with two levels; several on a line depend on one another. `@` stands for the
/// disk, `@/` for the file system.
const SETS: &[&str] = &[
    "scheduler@=mq-deadline,none queue-requests@=32,64",
    "scheduler@=mq-deadline,none",
    "kernel-flush@=no,yes read-ahead@=0",
    "kernel-flush@=no",
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
    "mtu@va=1400,9000",
    "mtu@va=1400,9000 mtu@vm=1300",
    "tx-queue-length@va=7",
    "queueing-discipline@va=pfifo,bfifo",
    "interface-rate@va=1g",
    "offloads@va=no",
    "offload-tso@va=no,yes",
    "offload-gro@va=yes",
];

/// Of these one is asked for at a time: they are limits of one group, or of one state.
const APART: &[&[&str]] = &[
    &["cgroup"],
    &["offload"],
    &["mtu", "tx-queue-length", "queueing-discipline", "interface-rate"],
    &["scheduler"],
    &["kernel-flush", "read-ahead"],
    &["swap"],
];

/// All that a setting of the machine could have changed, as it is seen in the namespaces; `$QUEUE` and
/// `$OPTIONS` are of the disks, `$POINT` is the mount point. What cannot be read has no state, and how much of an
/// area is used is nobody's.
const LOOK: &str = r#"
    for file in $FILES $QUEUE $OPTIONS; do sed "s|^|$file: |" $file 2> /dev/null || true; done
    awk 'NR > 1 { print "swap", $1, $2, $5 }' /proc/swaps | sort
    awk -v point="$POINT" '$5 == point' /proc/self/mountinfo"#;

/// Loop devices on files in the round's folder, one of them in use as swap beside zram, one mounted.
struct Disks {
    disk: String,
    swap: String,
    /// The swap file that a run makes.
    swap_file: String,
    files: String,
    point: String,
    /// In use as swap; none where the kernel has no zram.
    zram: Option<Zram>,
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
        let mut disks = Self { disk, swap, swap_file, files, point, zram: None };
        disks.swap = attach("swap")?;
        tool("mkswap", &[&disks.swap])?;
        tool("swapon", &["--priority", "7", &disks.swap])?;
        disks.zram = Zram::new(16 << 20).ok();
        if let Some(path) = disks.zram_path() {
            tool("mkswap", &[&path])?;
            tool("swapon", &["--priority", "9", &path])?;
        }
        disks.files = attach("files")?;
        tool("mkfs.ext4", &["-q", "-F", &disks.files])?;
        std::fs::create_dir(&disks.point).map_err(|e| Trouble::Untried(format!("{}: {e}", disks.point)))?;
        Ok(disks)
    }

    fn zram_path(&self) -> Option<String> {
        self.zram.as_ref().map(|zram| zram.path.to_string_lossy().into_owned())
    }

    /// Mounts the file system inside, where it goes with the namespaces.
    fn mount(&self, round: &Round, namespaces: &Namespaces) -> Result<(), Trouble> {
        namespaces.tool(round, "mount", &["-t", "ext4", &self.files, &self.point]).map(drop)
    }

    fn name(&self) -> &str {
        self.disk.trim_start_matches("/dev/")
    }

    /// All that a setting could have changed.
    fn state(&self, round: &Round, namespaces: &Namespaces) -> Result<String, Trouble> {
        let queue = QUEUE.map(|leaf| format!("/sys/class/block/{}/queue/{leaf}", self.name())).join(" ");
        let options = format!("/proc/fs/ext4/{}/options", self.files.trim_start_matches("/dev/"));
        let places = format!(
            "FILES='{}'; QUEUE='{queue}'; OPTIONS='{options}'; POINT='{}'",
            FILES.join(" "),
            self.point
        );
        let seen = namespaces.shell(round, &format!("{places}{LOOK}"))?;
        let interfaces = kill_settings::state(round, namespaces)?;
        let swap_file = if Path::new(&self.swap_file).exists() { "a swap file\n" } else { "" };
        Ok(seen + &interfaces + &groups(Path::new("/sys/fs/cgroup"), 3) + swap_file)
    }
}

impl Drop for Disks {
    fn drop(&mut self) {
        for area in [Some(self.swap.clone()), self.zram_path()].into_iter().flatten() {
            let _ = Command::new("swapoff").arg(area).output();
        }
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

/// What a round asks for.
fn sets(round: &mut Round, disks: &Disks) -> Vec<String> {
    let mut asked: Vec<&str> = Vec::new();
    for _ in 0..2 + round.below(4) {
        let more = round.pick(SETS);
        let begins = |text: &str, words: &[&str]| words.iter().any(|word| text.starts_with(word));
        let is_apart = |known: &&str| {
            let key = |text: &str| text.split('=').next().unwrap_or_default().to_owned();
            key(known) == key(more) || APART.iter().any(|words| begins(known, words) && begins(more, words))
        };
        if !asked.iter().any(is_apart) {
            asked.push(more);
        }
    }
    let named = |set: &str| {
        let set = set.replace("@=", &format!("@{}=", disks.name()));
        set.replace("@/=", &format!("@{}=", disks.point))
    };
    asked.iter().flat_map(|line| line.split(' ')).map(named).collect()
}

fn round(round: &mut Round) -> Result<(), Trouble> {
    // So that a kind that no kill meets is seen.
    met::all().for_each(|kind| round.count_times(kind, 0));
    let disks = Disks::new(round)?;
    let namespaces = Namespaces::new()?;
    namespaces.shell(round, LAY)?;
    disks.mount(round, &namespaces)?;
    let before = disks.state(round, &namespaces)?;
    let sets = sets(round, &disks);
    let mut arguments = vec!["run", "null", "--duration", "30ms", "--warm-up", "0", "--trials", "2"];
    sets.iter().for_each(|set| arguments.extend(["--set", set.as_str()]));
    let run = Running::start(namespaces.headroom(round, &arguments))?;
    let (ended, is_both) = kill::at_some_time(round, run, Duration::from_millis(2500))?;
    round.nobody_is_left()?;
    let is_back = disks.state(round, &namespaces)? == before;
    if !is_back {
        round.count("left changed until `restore`");
    }
    let restore = || Running::start(namespaces.headroom(round, &["restore"]))?.end(PATIENCE, &[])?.with(&[0]);
    let restored = restore()?;
    let after = disks.state(round, &namespaces)?;
    if after != before {
        let what = format!("with {sets:?} these stayed changed:\n{}", difference(&before, &after));
        return Err(restored.fault(&what));
    }
    if !is_back && !is_both {
        return Err(ended.fault("who lived on left states changed until `restore`"));
    }
    // Twice is as once.
    let again = restore()?;
    if !again.printed.contains("There is nothing to put back") {
        return Err(again.fault("the second `restore` found something"));
    }
    // What comes next is let in.
    let short = ["run", "null", "--duration", "20ms", "--warm-up", "0", "--trials", "1"];
    let next = [&short[..], &["--set", "sysctl.vm.swappiness=42"]].concat();
    Running::start(namespaces.headroom(round, &next))?.end(PATIENCE, &[])?.with(&[0])?;
    match disks.state(round, &namespaces)? {
        after if after == before => Ok(()),
        after => Err(Trouble::Fault(format!("the next run left:\n{}", difference(&before, &after)))),
    }
}
