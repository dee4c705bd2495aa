//! `file.metadata`: making, finding, opening, renaming, listing and removing
//! files, as mdtest and bonnie++ do: names, inodes and journals, not bytes.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use engine::fault::Fault;
use engine::outcome::LoadOutcome;
use engine::queue::{Class, Completion, Operation, Queue};
use engine::schedule::WorkerIndex;
use engine::{Prepared, Worker};
use model::parameter::{Kind, ParameterSpec, Word};
use model::plan::{Effect, FixtureKey, Ownership, Problem};
use model::profile::{Aspect, Caches, Flow, FlowUnit, OperationClass, WaitsFor};
use model::resource::Symbol;
use model::scalar::binary;
use model::trial::Window;
use model::{
    LoadProfile, MetricName, MetricSpec, Parameters, Quantity, Unit, WorkloadName, WorkloadSpec, metric,
};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::in_memory::{self, Room};
use crate::workload::common::{LoadSchedule, rate, time};
use crate::workload::disk::stacked;
use crate::workload::file::tree::{TREES, Tree};
use crate::workload::{
    HostInfo, LoadContext, Metrics, Planned, Requirements, Workload, common, named, profile,
};

pub(crate) const SPEC: WorkloadSpec = WorkloadSpec {
    name: WorkloadName::new("file.metadata"),
    definition_version: 1,
    summary: "files made, found, opened, renamed, listed and removed",
    doc: "Each thread makes its share of the files in a tree of folders of its own, then looks at each, opens each, \
          renames each, lists every folder, and removes each: one phase after the other, as mdtest does. A figure per \
          second is that of all threads while they did just this. Names that were made a moment ago are found in \
          memory: looking at and opening them measures the kernel's caches, making and removing them the file \
          system's journal. With directory-fsync each change of a folder is waited for, as mail and database servers \
          do. The tree has names, in a hidden folder of the target, and is removed at the end; if \
          the run is killed, by the next run or `headroom restore`.",
    parameters: PARAMETERS,
    headline: metric::OPERATIONS_PER_SECOND,
    metrics: METRICS,
    path: &[Symbol::WorkerCpus, Symbol::TargetFileSystem, Symbol::TargetDevice],
    examples: &[
        "file.metadata --target /data",
        "file.metadata --target /data --threads 1,4,16 --files 100000",
        "file.metadata --target /data --directory-fsync no,yes",
    ],
};

const METRICS: &[MetricSpec] = &[
    common::OPERATIONS,
    common::ELAPSED,
    rate(
        MetricName::new("create_per_second"),
        "Files made per second, by all threads while they made files.",
    ),
    rate(
        MetricName::new("stat_per_second"),
        "Files looked at (stat) per second, by all threads while they did that.",
    ),
    rate(
        MetricName::new("open_per_second"),
        "Files opened and closed per second, by all threads while they did that.",
    ),
    rate(
        MetricName::new("rename_per_second"),
        "Files renamed per second, by all threads while they did that.",
    ),
    rate(
        MetricName::new("list_per_second"),
        "Folders listed per second, by all threads while they did that.",
    ),
    rate(
        MetricName::new("unlink_per_second"),
        "Files removed per second, by all threads while they did that.",
    ),
    time(MetricName::new("create_latency_p50"), "Half of the files were made within this time."),
    time(MetricName::new("create_latency_p99"), "99 % of the files were made within this time."),
    time(MetricName::new("stat_latency_p50"), "Half of the files were looked at within this time."),
    time(MetricName::new("stat_latency_p99"), "99 % of the files were looked at within this time."),
    time(MetricName::new("open_latency_p50"), "Half of the files were opened and closed within this time."),
    time(MetricName::new("open_latency_p99"), "99 % of the files were opened and closed within this time."),
    time(MetricName::new("rename_latency_p50"), "Half of the files were renamed within this time."),
    time(MetricName::new("rename_latency_p99"), "99 % of the files were renamed within this time."),
    time(MetricName::new("list_latency_p50"), "Half of the folders were listed within this time."),
    time(MetricName::new("list_latency_p99"), "99 % of the folders were listed within this time."),
    time(MetricName::new("unlink_latency_p50"), "Half of the files were removed within this time."),
    time(MetricName::new("unlink_latency_p99"), "99 % of the files were removed within this time."),
    common::CPU_PER_OPERATION,
    common::USER_CPU_PER_OPERATION,
];

const PARAMETERS: &[ParameterSpec] = &[
    ParameterSpec::new("target", Kind::Path, "A folder, in which a tree is made and removed.").says(Aspect::Targets)
        .folder()
        .default(".")
        .costly()
        .not_work(),
    stacked::STACK,
    stacked::LAYER,
    stacked::MEMBER_SIZE,
    stacked::PRESENT,
    ParameterSpec::new("files", Kind::Count, "Files, of all threads together.").default("10000"),
    ParameterSpec::new("file-size", Kind::Size, "Bytes written into each file when it is made.")
        .default("0")
        .or_zero(),
    ParameterSpec::new("width", Kind::Count, "Folders in each folder of the tree, down to its depth.").default("10"),
    ParameterSpec::new("depth", Kind::Count, "Levels of folders; 0 has all files of a thread in one.")
        .default("2")
        .or_zero(),
    ParameterSpec::new("order", Kind::Choice, "In which order files are looked at, opened, renamed and removed.")
        .default("random")
        .words(&[
            Word { word: "random", doc: "at random, each once" },
            Word { word: "made", doc: "as they were made" },
        ]),
    ParameterSpec::new(
        "directory-fsync",
        Kind::Flag,
        "After each file made, renamed or removed its folder is synced (fsync), and that is part of the operation.",
    )
    .default("no"),
    ParameterSpec::new("until", Kind::Choice, "What ends a trial.").default("end").ends_trial().words(&[
        Word { word: "end", doc: "all phases over all files" },
        Word { word: "time", doc: "the duration, if it is shorter" },
    ]),
];

/// The most folders of one tree.
const FOLDERS_MAX: u64 = 100_000;
/// Inodes and bytes that always stay free on the file system.
const RESERVE: u64 = 10_000;
const RESERVE_BYTES: u64 = 64 << 20;
/// What a name costs at the least: a block of ext4, with some share of folders.
const BYTES_LEAST: u64 = 4096;
/// The most files: they are numbered by 32 bits.
const FILES_MAX: u64 = u32::MAX as u64;
/// As much of a file is written at once, from one buffer.
const CHUNK: u64 = 1 << 20;
/// What a thread and the tree keep of a folder: its path, twice, and an open file.
const FOLDER_BYTES: u64 = 1 << 10;

/// The phases, in order; a class each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Create,
    Stat,
    Open,
    Rename,
    List,
    Unlink,
}

const PHASES: [Phase; 6] =
    [Phase::Create, Phase::Stat, Phase::Open, Phase::Rename, Phase::List, Phase::Unlink];
const CLASSES: &[Class] = &[
    Class { name: "create", counts: true, fails: false },
    Class { name: "stat", counts: true, fails: false },
    Class { name: "open", counts: true, fails: false },
    Class { name: "rename", counts: true, fails: false },
    Class { name: "list", counts: true, fails: false },
    Class { name: "unlink", counts: true, fails: false },
];

#[derive(Debug)]
pub(crate) struct Metadata;

impl Workload for Metadata {
    fn spec(&self) -> &'static WorkloadSpec {
        &SPEC
    }

    fn plan(&self, parameters: &Parameters, schedule: &LoadSchedule) -> Result<Box<dyn Planned>, Problem> {
        let get = |name| parameters.integer(name);
        Ok(Box::new(PlannedMetadata {
            target: [parameters.text(named("target"))?.to_owned()],
            threads: schedule.threads,
            files: get(named("files"))?,
            size: get(named("file-size"))?,
            width: get(named("width"))?,
            depth: get(named("depth"))?,
            random: parameters.is_word(named("order"), "random"),
            sync: parameters.flag(named("directory-fsync"))?,
        }))
    }
}

#[derive(Clone, Debug)]
struct PlannedMetadata {
    target: [String; 1],
    threads: u64,
    files: u64,
    /// Bytes of each file.
    size: u64,
    width: u64,
    depth: u64,
    random: bool,
    sync: bool,
}

impl PlannedMetadata {
    /// The tree in which it makes its files. Its loads have folders of their own.
    fn tree(&self) -> FixtureKey {
        let key = FixtureKey::new(TREES.name, &self.target[0], 0, Ownership::Created);
        FixtureKey { used_up: true, ..key }
    }
}

impl Planned for PlannedMetadata {
    fn survey(&mut self, host: &HostInfo) -> Result<Requirements, Problem> {
        let Self { target: [text], threads, files, size, .. } = &*self;
        let (threads, files, size, folder) = (*threads, *files, *size, Path::new(text));
        if !folder.is_dir() {
            return Err(Problem::invalid(format!("{text} is no folder"), "give an existing folder"));
        }
        let leaves = folders(self.width, self.depth, threads)?;
        if files < threads {
            return Err(Problem::invalid(
                format!("{files} files are fewer than the {threads} threads that share them"),
                "give more files",
            ));
        }
        if files > FILES_MAX {
            return Err(Problem::invalid(
                format!("{files} files are too many: at most {FILES_MAX} are supported"),
                "give fewer files",
            ));
        }
        let sum = files.saturating_add(leaves.saturating_mul(2));
        let bytes = files.saturating_mul(size).saturating_add(sum.saturating_mul(BYTES_LEAST));
        let in_memory = check_room(folder, text, sum, bytes, host)?;
        let own = (threads + 1) * size.min(CHUNK) + files * size_of::<u32>() as u64 + leaves * FOLDER_BYTES;
        let memory_bytes = own.saturating_add(if in_memory { bytes } else { 0 });
        let full = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        let what = if size > 0 { format!(" of {}", binary(size)) } else { String::new() };
        let about =
            format!("makes {files} files{what} in a folder of its own in {}, and removes it", full.display());
        self.target = [full.to_string_lossy().into_owned()];
        let mut resolved = Parameters::default();
        resolved.set(named("target"), self.target[0].as_str());
        let fixtures = vec![FixtureKey { about, ..self.tree() }];
        Ok(Requirements { resolved, fixtures, effect: Effect::UsedUp, memory_bytes, limits: Vec::new() })
    }

    fn profile(&self, base: LoadProfile) -> LoadProfile {
        let calls = Flow::only(OperationClass::Metadata, FlowUnit::Operations);
        let mut profile = profile::of_one(base, WaitsFor::Device, calls);
        profile.waits_for.extend(self.sync.then_some(WaitsFor::Flush));
        profile.phases = CLASSES.iter().map(|class| class.name.to_owned()).collect();
        LoadProfile { targets: 1, paths: self.target.to_vec(), caches: Caches::PageCache, ..profile }
    }

    fn targets(&self) -> &[String] {
        &self.target
    }

    fn prepare(&self, given: &LoadContext<'_>) -> Result<Box<dyn Prepared>, Fault> {
        let tree = given.fixtures.find::<Tree>(&self.tree());
        let tree = tree.ok_or_else(|| Fault::Other("there is no tree for its files".to_owned()))?;
        let leaves = tree.folders(self.threads as usize, self.width, self.depth)?;
        let chunk = vec![0x5a; self.size.min(CHUNK) as usize].into();
        Ok(Box::new(PreparedMetadata { plan: self.clone(), leaves, chunk }))
    }

    fn metrics(&self, mut all: Metrics, outcome: &LoadOutcome, _window: Window) -> Metrics {
        for class in &outcome.classes {
            // One operation at a time: while a thread was at it, it did one in
            // each mean latency.
            let mean = stats::histogram::mean(&class.latency).map(|ns| ns / 1e9);
            if let Some(mean) = mean.filter(|mean| *mean > 0.0) {
                let value = self.threads as f64 / mean;
                let name = metric::PER_SECOND.of(class.class.name);
                all.extend(name.map(|name| (name, Quantity { value, unit: Unit::PerSecond })));
            }
        }
        all
    }
}

/// Folders at the lowest level of all threads' trees.
fn folders(width: u64, depth: u64, threads: u64) -> Result<u64, Problem> {
    let depth = u32::try_from(depth).unwrap_or(u32::MAX);
    let leaves = width.checked_pow(depth).and_then(|n| n.checked_mul(threads));
    leaves.filter(|n| *n <= FOLDERS_MAX).ok_or_else(|| {
        Problem::invalid(
            format!(
                "a tree {width} wide and {depth} deep for {threads} threads has more than {FOLDERS_MAX} folders"
            ),
            "give a smaller width or depth",
        )
    })
}

/// Whether so many names and bytes find room below `folder`; whether that room is
/// memory.
fn check_room(folder: &Path, text: &str, names: u64, bytes: u64, host: &HostInfo) -> Result<bool, Problem> {
    let refused = |e: rustix::io::Errno| {
        Problem::refused(
            format!("{text} cannot be written to: {}", io::Error::from(e)),
            "give a folder in which you may write: `--target FOLDER`",
        )
    };
    let stat = rustix::fs::statvfs(folder).map_err(refused)?;
    rustix::fs::access(folder, rustix::fs::Access::WRITE_OK | rustix::fs::Access::EXEC_OK)
        .map_err(refused)?;
    // File systems that make inodes as they need them (btrfs) say 0.
    if stat.f_files > 0 && names.saturating_add(RESERVE) > stat.f_favail {
        return Err(Problem::refused(
            format!("{text} has {} free inodes, which is no room for {names} names", stat.f_favail),
            "give fewer files or another target",
        ));
    }
    let Room { bytes: room, memory } =
        in_memory::room(folder, stat.f_bavail.saturating_mul(stat.f_frsize), host);
    if bytes.saturating_add(RESERVE_BYTES) > room {
        let (free, needed) = (binary(room), binary(bytes));
        let free = match memory {
            None => format!("{text} has {free} free"),
            Some(memory) => format!("{text} is memory in the end ({memory}), of which it may take {free}"),
        };
        return Err(Problem::refused(
            format!("{free}, and {needed} may be needed"),
            "give fewer or smaller files, or another target",
        ));
    }
    Ok(memory.is_some())
}

#[derive(Debug)]
struct PreparedMetadata {
    plan: PlannedMetadata,
    /// The folders of all threads, those of one after those of another.
    leaves: Vec<PathBuf>,
    /// What files are written from, piece by piece.
    chunk: Arc<[u8]>,
}

impl Prepared for PreparedMetadata {
    fn classes(&self) -> &'static [Class] {
        CLASSES
    }

    fn counts_from_start(&self) -> bool {
        true
    }

    fn worker(&self, worker: WorkerIndex, seed: u64) -> Result<Box<dyn Worker>, Fault> {
        let (index, of) = (worker.index as u64, worker.of as u64);
        let mine = self.plan.files * (index + 1) / of - self.plan.files * index / of;
        let each = self.leaves.len() / worker.of.max(1);
        let folders = self.leaves[worker.index * each..(worker.index + 1) * each].to_vec();
        let opened = folders.iter().filter(|_| self.plan.sync).map(File::open).collect::<io::Result<_>>();
        let handles = opened.map_err(|e| Fault::system("opening a folder of the tree", e))?;
        let mut order: Vec<u32> = (0..mine as u32).collect();
        if self.plan.random {
            shuffle(&mut order, seed ^ index);
        }
        let (size, chunk) = (self.plan.size, Arc::clone(&self.chunk));
        Ok(Box::new(Walk { folders, handles, order, size, chunk, done: 0, finished: None }))
    }
}

fn shuffle(order: &mut [u32], seed: u64) {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    for last in (1..order.len()).rev() {
        let other = ((u128::from(random.next_u64()) * (last as u128 + 1)) >> 64) as usize;
        order.swap(last, other);
    }
}

/// One thread's way through all phases.
#[derive(Debug)]
struct Walk {
    folders: Vec<PathBuf>,
    /// The same, open, where folders are synced.
    handles: Vec<File>,
    order: Vec<u32>,
    size: u64,
    chunk: Arc<[u8]>,
    done: u64,
    finished: Option<Completion>,
}

impl Walk {
    /// The phase of a thread's operation `sequence`, and its number in it.
    fn step(&self, sequence: u64) -> Option<(Phase, usize)> {
        let mut left = usize::try_from(sequence).ok()?;
        for phase in PHASES {
            let steps = if phase == Phase::List { self.folders.len() } else { self.order.len() };
            if left < steps {
                return Some((phase, left));
            }
            left -= steps;
        }
        None
    }

    /// Operations of all phases.
    fn steps(&self) -> u64 {
        (self.order.len() * (PHASES.len() - 1) + self.folders.len()) as u64
    }

    fn name(&self, prefix: char, number: u32) -> (usize, PathBuf) {
        let folder = number as usize % self.folders.len();
        (folder, self.folders[folder].join(format!("{prefix}{number}")))
    }

    fn operate(&self, phase: Phase, step: usize) -> io::Result<()> {
        let number = |step: usize| if phase == Phase::Create { step as u32 } else { self.order[step] };
        match phase {
            Phase::Create => {
                let (folder, path) = self.name('f', number(step));
                let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
                let mut left = self.size;
                while left > 0 {
                    let piece = left.min(self.chunk.len() as u64);
                    file.write_all(&self.chunk[..piece as usize])?;
                    left -= piece;
                }
                if !self.handles.is_empty() {
                    file.sync_all()?;
                }
                self.sync(folder)
            }
            Phase::Stat => fs::metadata(self.name('f', number(step)).1).map(drop),
            Phase::Open => File::open(self.name('f', number(step)).1).map(drop),
            Phase::Rename => {
                let (folder, from) = self.name('f', number(step));
                fs::rename(from, self.name('r', number(step)).1)?;
                self.sync(folder)
            }
            Phase::List => {
                for entry in fs::read_dir(&self.folders[step])? {
                    entry?;
                }
                Ok(())
            }
            Phase::Unlink => {
                let (folder, path) = self.name('r', number(step));
                fs::remove_file(path)?;
                self.sync(folder)
            }
        }
    }

    fn sync(&self, folder: usize) -> io::Result<()> {
        self.handles.get(folder).map_or(Ok(()), File::sync_all)
    }
}

impl Queue for Walk {
    fn start(&mut self, slot: usize, operation: Operation) -> Result<(), Fault> {
        let Some((phase, step)) = self.step(operation.sequence) else {
            return Err(Fault::Other("all phases are over".to_owned()));
        };
        self.operate(phase, step).map_err(|e| {
            let verb = CLASSES[phase as usize].name;
            Fault::system(format!("{verb} of file {step} in the tree"), e)
        })?;
        self.done += 1;
        self.finished = Some(Completion { slot, class: phase as u8, ..Completion::default() });
        Ok(())
    }

    #[inline]
    fn finished(&mut self) -> Option<Completion> {
        self.finished.take()
    }

    fn ended(&self) -> bool {
        self.done == self.steps()
    }

    fn operations_to_end(&self) -> Option<u64> {
        Some(self.steps())
    }
}

#[cfg(test)]
mod tests;
