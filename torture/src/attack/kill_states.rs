//! Kills of a run that changes several states of all kinds at once: of disks and their file system, of swap on
//! loop devices, zram and a file, of control groups, of numbers of the kernel, and of interfaces in a network
//! namespace. Whatever it had changed is put back. Most kills are drawn so that they meet changed settings; at the
//! end it is said how many did, and how many met each kind.

use std::path::Path;
use std::process::Command;

use super::kill_settings::{self, LAY, difference};
use super::{Attack, kill, machine_state, met};
use crate::namespaces::Namespaces;
use crate::process::{PATIENCE, Running, tool};
use crate::round::{Round, Trouble};
use crate::zram::Zram;

pub(super) const ATTACK: Attack = Attack {
    name: "kill-states",
    about: "kills a run that changes states of the machine, of disks and of interfaces; all is put back, at the latest by `headroom restore`",
    round,
};

/// Kills in a round: what is laid for one does for all.
const KILLS: u64 = 4;
/// Cases of a run, each with other settings: a run should take a second.
const CASES_MAX: u64 = 4;

/// What may be asked for, most with two levels; several on a line depend on one another. `@` stands for the
/// disk, `@/` for the file system.
const SETS: &[&str] = &[
    "scheduler@=mq-deadline,none queue-requests@=32,64",
    "scheduler@=mq-deadline,none",
    "kernel-flush@=no,yes read-ahead@=0",
    "kernel-flush@=no",
    "read-ahead@=0,1m",
    "sysctl.vm.swappiness=1,99",
    "sysctl.net.core.somaxconn=100,200",
    "numa-balancing=1,0",
    "dirty-bytes=64m,128m",
    "task-delay-accounting=yes,no",
    "congestion-control=reno",
    "transparent-huge-pages=never,always",
    "c-states=0,50",
    "drop-caches=no,yes",
    "swap=off,on",
    "swap=file:16m,off",
    "swap=file:16m",
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

/// What is not there on every machine, with a file that is where it is there.
const NEEDS: &[(&str, &str)] = &[
    ("numa-balancing", "/proc/sys/kernel/numa_balancing"),
    ("task-delay-accounting", "/proc/sys/kernel/task_delayacct"),
    ("transparent-huge-pages", "/sys/kernel/mm/transparent_hugepage/enabled"),
    ("c-states", "/dev/cpu_dma_latency"),
];

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
        let zram = self.zram_path();
        let all = [Some(&self.disk), Some(&self.swap), zram.as_ref(), Some(&self.files)];
        let names: Vec<&str> =
            all.into_iter().flatten().map(|path| path.trim_start_matches("/dev/")).collect();
        let seen = machine_state::look(round, namespaces, &names)?;
        let interfaces = kill_settings::state(round, namespaces)?;
        let swap_file = if Path::new(&self.swap_file).exists() { "a swap file\n" } else { "" };
        Ok(seen + &interfaces + swap_file)
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

/// What is asked for under one kill of a round, and how many cases that gives. What comes first is taken in
/// turn, from kill to kill and round to round, so that some hundred kills meet all of it.
fn sets(round: &mut Round, disks: &Disks, number: u64) -> (Vec<String>, u64) {
    let lacks =
        |set: &str| NEEDS.iter().any(|(setting, path)| set.starts_with(setting) && !Path::new(path).exists());
    let all: Vec<&str> = SETS.iter().copied().filter(|set| !lacks(set)).collect();
    let turn = round.seed().wrapping_mul(KILLS).wrapping_add(number) % all.len() as u64;
    let mut asked: Vec<&str> = all.get(usize::try_from(turn).unwrap_or(0)).copied().into_iter().collect();
    for _ in 0..1 + round.below(4) {
        let more = round.pick(&all);
        let begins = |text: &str, words: &[&str]| words.iter().any(|word| text.starts_with(word));
        let is_apart = |known: &&str| {
            let key = |text: &str| text.split('=').next().unwrap_or_default().to_owned();
            key(known) == key(more) || APART.iter().any(|words| begins(known, words) && begins(more, words))
        };
        if !asked.iter().any(is_apart) {
            asked.push(more);
        }
    }
    let mut cases = 1;
    let named = |set: &str| {
        let set = set.replace("@=", &format!("@{}=", disks.name()));
        let set = set.replace("@/=", &format!("@{}=", disks.point));
        let levels = kill_settings::levels(&set);
        if cases * levels <= CASES_MAX {
            cases *= levels;
            return set;
        }
        let (key, values) = set.split_once('=').unwrap_or((set.as_str(), ""));
        let values: Vec<&str> = values.split(',').collect();
        format!("{key}={}", round.pick(&values))
    };
    let sets = asked.iter().flat_map(|line| line.split(' ')).map(named).collect();
    (sets, cases)
}

/// One kill of a run; all is as `before` after it.
fn kill_once(
    round: &mut Round,
    (disks, namespaces): (&Disks, &Namespaces),
    (sets, cases): (&[String], u64),
    before: &str,
) -> Result<(), Trouble> {
    let mut arguments =
        vec!["run", "null", "--duration", "30ms", "--warm-up", "0", "--trials", "2", "--no-extra"];
    sets.iter().for_each(|set| arguments.extend(["--set", set.as_str()]));
    let run = Running::start(namespaces.headroom(round, &arguments))?;
    let (ended, is_both) = kill::under_settings(round, run, cases)?;
    round.nobody_is_left()?;
    let is_back = disks.state(round, namespaces)? == before;
    if !is_back {
        round.count("left changed until `restore`");
    }
    let restore = || Running::start(namespaces.headroom(round, &["restore"]))?.end(PATIENCE, &[])?.with(&[0]);
    let restored = restore()?;
    let after = disks.state(round, namespaces)?;
    if after != before {
        let what = format!("with {sets:?} these stayed changed:\n{}", difference(before, &after));
        return Err(restored.fault(&what));
    }
    if !is_back && !is_both {
        return Err(ended.fault(&format!("with {sets:?} who lived on left states changed until `restore`")));
    }
    // Twice is as once.
    let again = restore()?;
    match again.printed.contains("There is nothing to put back") {
        true => Ok(()),
        false => Err(again.fault("the second `restore` found something")),
    }
}

fn round(round: &mut Round) -> Result<(), Trouble> {
    let disks = Disks::new(round)?;
    // So that a kind that no kill meets is seen.
    met::here().for_each(|kind| round.count_times(kind, 0));
    let namespaces = Namespaces::new()?;
    namespaces.shell(round, LAY)?;
    disks.mount(round, &namespaces)?;
    let before = disks.state(round, &namespaces)?;
    for number in 0..KILLS {
        let (sets, cases) = sets(round, &disks, number);
        kill_once(round, (&disks, &namespaces), (&sets[..], cases), &before)?;
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
