//! How much of the page cache of our own control group waits to be written, where the group's memory
//! is held to a limit: `memory.stat`, `memory.max`, `memory.high` and `memory.current` of version 2
//! (`Documentation/admin-guide/cgroup-v2.rst`, "Writeback"). The kernel then slows writers down by
//! what the group may have, long before the machine's thresholds (`domain_dirty_limits` in
//! `mm/page-writeback.c`). Version 1 accounts no writeback to groups, so of it only the limit and what
//! it leaves are read (`memory.limit_in_bytes`, `memory.usage_in_bytes`).

use model::{Resource, Unit, series};

use crate::Host;
use crate::inventory::cgroup;
use crate::sampler::file::{OpenFile, lines, number};
use crate::sampler::{ABSENT, Pace, SamplerColumn, SamplerKind, keyed, reader};

/// The page cache of the group and of those below it, in bytes. What is of shared memory
/// (`file` holds it too) is not of the files that are written back.
const CACHE: &[&str] = &["file_dirty", "file_writeback", "active_file", "inactive_file"];

pub(super) const KIND: SamplerKind = SamplerKind {
    name: "group-memory",
    doc: "the page cache of our own control group, what of it waits to be written or was read again, what a limit leaves, and how often \
          the group came to it",
    open: |host, _| {
        let Ok(groups) = cgroup::levels(host, "memory") else { return Vec::new() };
        let files = if groups.version == 1 { &FIRST } else { &SECOND };
        let own = groups.folders.iter().find(|folder| host.exists(folder));
        // The uppermost group of a machine has no limits of its own.
        let own = own.filter(|own| host.exists(format!("{own}/{}", files.limits[0])));
        let Some(own) = own else { return Vec::new() };
        let mut levels: Vec<Level> =
            groups.folders.iter().filter_map(|folder| Level::open(host, folder, files)).collect();
        if levels.iter_mut().all(|level| level.read().is_none()) {
            return Vec::new();
        }
        let gauge = |name: &&'static str| {
            (*name, SamplerColumn::gauge(Resource::CGROUP_MEMORY, name, Unit::Bytes, 1.0))
        };
        let path = format!("{own}/memory.stat");
        // A group's folder is named by what identifies it.
        let page = rustix::param::page_size() as f64;
        let again = SamplerColumn::counter(Resource::CGROUP_MEMORY, READ_AGAIN, Unit::Bytes, page);
        let again = [(READ_AGAIN, again)];
        let event = |name: &&'static str| {
            (*name, SamplerColumn::counter(Resource::CGROUP_MEMORY, name, Unit::One, 1.0))
        };
        let mut all = match groups.version {
            1 => keyed::open(host, &path, "memory.stat", Pace::Slow, again),
            _ => keyed::open(host, &path, "memory.stat", Pace::Fast, CACHE.iter().map(gauge).chain(again)),
        };
        let events = format!("{own}/memory.events");
        all.extend(keyed::open(host, &events, "memory.events", Pace::Slow, EVENTS.iter().map(event)));
        let left = [series::GROUP_LIMIT, series::GROUP_HEADROOM];
        let columns =
            left.map(|name| SamplerColumn::gauge(Resource::CGROUP_MEMORY, name.as_str(), Unit::Bytes, 1.0));
        all.extend(reader(files.limits[0], Pace::Fast, columns.into(), move |values| {
            let tightest = levels.iter_mut().filter_map(Level::read).min_by_key(|(_, headroom)| *headroom);
            if let (Some((limit, headroom)), [first, second]) = (tightest, values) {
                (*first, *second) = (limit, headroom);
            }
        }));
        all
    },
};

/// What the files of a group are called.
struct LevelFiles {
    limits: &'static [&'static str],
    current: &'static str,
}

const FIRST: LevelFiles = LevelFiles { limits: &["memory.limit_in_bytes"], current: "memory.usage_in_bytes" };
const SECOND: LevelFiles = LevelFiles { limits: &["memory.max", "memory.high"], current: "memory.current" };

/// Pages of files that had been in memory before, of `memory.stat` of either version: what is read again because it was given up.
const READ_AGAIN: &str = "workingset_refault_file";

/// How often the group came to its limits, of `memory.events`.
const EVENTS: &[&str] = &["high", "max", "oom_kill"];

/// From so many bytes on nothing is limited: version 1 has no word for that, and a number near the greatest.
const UNLIMITED: u64 = 1 << 60;

/// The files of one group that tell what its limit leaves.
struct Level {
    limits: Vec<OpenFile>,
    current: OpenFile,
}

impl Level {
    fn open(host: &Host, folder: &str, files: &LevelFiles) -> Option<Self> {
        let file = |leaf: &str| OpenFile::open(host, &format!("{folder}/{leaf}"));
        let limits = files.limits.iter().filter_map(|leaf| file(leaf)).collect();
        Some(Self { limits, current: file(files.current)? })
    }

    /// The limit, and what is left of it (`mem_cgroup_wb_stats` in `mm/memcontrol.c`); none where
    /// there is no limit.
    fn read(&mut self) -> Option<(u64, u64)> {
        let limit =
            self.limits.iter_mut().filter_map(only_number).min().filter(|limit| *limit < UNLIMITED)?;
        Some((limit, limit.saturating_sub(only_number(&mut self.current)?)))
    }
}

/// The number that a file holds; none for `max`.
fn only_number(file: &mut OpenFile) -> Option<u64> {
    let number = number(lines(file.read()?).next()?);
    (number != ABSENT).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampler::{Sampler, Scope};

    /// What is read: the column's name and its value.
    fn read(text: &str) -> Vec<(&'static str, u64)> {
        let mut all: Vec<Box<dyn Sampler>> = (KIND.open)(&Host::parse(text), &Scope::default());
        let mut found = Vec::new();
        for sampler in &mut all {
            let mut values = vec![ABSENT; sampler.columns().len()];
            sampler.read(&mut values);
            found.extend(sampler.columns().iter().map(|column| column.name).zip(values));
        }
        found
    }

    fn tree(own_max: &str, own_high: &str, above: &str) -> String {
        format!(
            "==> /proc/self/cgroup\n0::/a/b\n\
             ==> /sys/fs/cgroup/a/memory.max\n{above}\n==> /sys/fs/cgroup/a/memory.high\nmax\n\
             ==> /sys/fs/cgroup/a/memory.current\n90000000\n\
             ==> /sys/fs/cgroup/a/b/memory.max\n{own_max}\n==> /sys/fs/cgroup/a/b/memory.high\n{own_high}\n\
             ==> /sys/fs/cgroup/a/b/memory.current\n70000000\n\
             ==> /sys/fs/cgroup/a/b/memory.stat\nanon 5\nfile 66000000\nfile_mapped 1\nfile_dirty 6000000\n\
             file_writeback 2000000\ninactive_file 40000000\nactive_file 20000000\nworkingset_refault_file 9\n\
             ==> /sys/fs/cgroup/a/b/memory.events\nlow 0\nhigh 12\nmax 3\noom 0\noom_kill 0\n"
        )
    }

    fn left(text: &str) -> Vec<u64> {
        let of =
            |name: &str| read(text).into_iter().find(|(found, _)| *found == name).map(|(_, value)| value);
        ["memory_limit", "memory_headroom"].into_iter().filter_map(of).collect()
    }

    #[test]
    fn the_cache_of_a_group_with_a_limit_is_read_with_what_is_left() {
        let all = read(&tree("100000000", "80000000", "max"));
        for expected in [
            ("file_dirty", 6_000_000),
            ("file_writeback", 2_000_000),
            ("active_file", 20_000_000),
            ("inactive_file", 40_000_000),
            ("workingset_refault_file", 9),
            ("high", 12),
            ("max", 3),
            ("memory_limit", 80_000_000),
            ("memory_headroom", 10_000_000),
        ] {
            assert!(all.contains(&expected), "{expected:?}: {all:?}");
        }
        assert_eq!(
            left(&tree("100000000", "max", "95000000")),
            [95_000_000, 5_000_000],
            "what is above is less"
        );
        assert_eq!(left(&tree("60000000", "max", "max")), [60_000_000, 0], "it is beyond");
    }

    #[test]
    fn without_a_limit_nothing_is_read() {
        assert!(read(&tree("max", "max", "max")).is_empty());
        let root = "==> /proc/self/cgroup\n0::/\n==> /sys/fs/cgroup/memory.stat\nfile_dirty 1\n";
        assert!(read(root).is_empty(), "the machine's own");
    }

    /// Bug: of a group of version 1 nobody knew that its memory was full.
    #[test]
    fn of_version_1_the_limit_is_read_and_nothing_of_writeback() {
        let first = |limit: &str, above: &str| {
            format!(
                "==> /proc/self/cgroup\n4:memory:/a\n0::/\n\
                 ==> /sys/fs/cgroup/memory/memory.limit_in_bytes\n{above}\n\
                 ==> /sys/fs/cgroup/memory/memory.usage_in_bytes\n900000\n\
                 ==> /sys/fs/cgroup/memory/a/memory.limit_in_bytes\n{limit}\n\
                 ==> /sys/fs/cgroup/memory/a/memory.usage_in_bytes\n700000\n\
                 ==> /sys/fs/cgroup/memory/a/memory.stat\ncache 5\nworkingset_refault_file 4\n"
            )
        };
        const NONE: &str = "9223372036854771712";
        let all = read(&first("1000000", NONE));
        let expected =
            [("workingset_refault_file", 4), ("memory_limit", 1_000_000), ("memory_headroom", 300_000)];
        assert_eq!(all, expected);
        assert_eq!(left(&first(NONE, "950000")), [950_000, 50_000], "what is above is less");
        assert!(read(&first(NONE, NONE)).is_empty());
    }
}
