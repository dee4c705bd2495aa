//! The processes at one moment, and who of them used CPU time until another.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use crate::Host;
use crate::doctor::activity::Process;
use crate::doctor::{background_work, lazy_init, other_headroom};
use crate::sampler::{KERNEL_THREAD, TICK_S};

/// A line of parents is followed no further: no machine has one as long.
const PARENTS_MAX: usize = 256;

/// All processes.
#[derive(Clone, Debug, Default)]
pub(super) struct Processes {
    by_id: BTreeMap<u32, ProcessSample>,
    /// Whether there was time for all of them.
    is_complete: bool,
}

/// One process.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ProcessSample {
    name: String,
    state: char,
    parent: u32,
    is_kernel: bool,
    ticks: u64,
    /// When it began: an id may be used again.
    started: u64,
}

impl Processes {
    /// The processes that can be read within `time`; the process `me` and those
    /// above it in any case, for what is ours must not count as others'.
    pub(super) fn read(host: &Host, time: Duration, me: u32) -> Self {
        let start = Instant::now();
        let read = |id: u32| host.text(format!("/proc/{id}/stat")).as_deref().and_then(parse);
        let mut all = Self { by_id: BTreeMap::new(), is_complete: true };
        let mut own = me;
        for _ in 0..PARENTS_MAX {
            if all.by_id.contains_key(&own) {
                break;
            }
            let Some(seen) = read(own) else { break };
            let id = std::mem::replace(&mut own, seen.parent);
            all.by_id.insert(id, seen);
        }
        let mut ids: Vec<u32> = host.names("/proc").iter().filter_map(|n| n.parse().ok()).collect();
        ids.sort_unstable();
        ids.retain(|id| !all.by_id.contains_key(id));
        for id in ids {
            if start.elapsed() > time {
                all.is_complete = false;
                break;
            }
            all.by_id.extend(read(id).map(|seen| (id, seen)));
        }
        all
    }

    fn parent(&self, id: u32) -> Option<u32> {
        self.by_id.get(&id).map(|p| p.parent)
    }

    fn name(&self, id: u32) -> Option<&str> {
        self.by_id.get(&id).map(|p| p.name.as_str())
    }

    /// The process `me`, those above it that have its name (an agent is a child
    /// of the command), and all below them.
    fn family(&self, me: u32) -> BTreeSet<u32> {
        let mut top = me;
        for _ in 0..PARENTS_MAX {
            match self.parent(top) {
                Some(parent) if parent != top && self.name(parent) == self.name(me) => top = parent,
                _ => break,
            }
        }
        let is_below = |id: u32| {
            let line = std::iter::successors(Some(id), |id| self.parent(*id));
            line.take(PARENTS_MAX).any(|id| id == top)
        };
        self.by_id.keys().copied().filter(|id| is_below(*id)).collect()
    }
}

/// proc_pid_stat(5). The name stands in parentheses and may hold any of them.
fn parse(text: &str) -> Option<ProcessSample> {
    let (open, close) = (text.find('(')?, text.rfind(')')?);
    let name = text.get(open + 1..close)?.to_owned();
    let rest: Vec<&str> = text.get(close + 1..)?.split_whitespace().collect();
    // Field 3, the state, is the first of the rest.
    let field = |number: usize| rest.get(number - 3)?.parse::<u64>().ok();
    Some(ProcessSample {
        name,
        state: rest.first()?.chars().next()?,
        parent: u32::try_from(field(4)?).ok()?,
        is_kernel: field(9)? & KERNEL_THREAD != 0,
        ticks: field(14)?.checked_add(field(15)?)?,
        started: field(22)?,
    })
}

/// Who used CPU time between two moments.
#[derive(Clone, Debug, Default)]
pub(super) struct Used {
    /// CPU seconds of those that belong to us, without the process itself.
    pub(super) relatives_s: f64,
    /// Others, most first.
    pub(super) processes: Vec<Process>,
    /// Headrooms that are not ours.
    pub(super) other_headrooms: u32,
}

/// Who used CPU time, seen from process `me`.
pub(super) fn compare(host: &Host, before: &Processes, after: &Processes, me: u32) -> Used {
    let family = after.family(me);
    let mut used = Used::default();
    let mut others: BTreeMap<(String, bool), Process> = BTreeMap::new();
    for (id, now) in &after.by_id {
        let earlier = before.by_id.get(id).filter(|b| b.started == now.started);
        // What was not there before used all its time since; unless it was only
        // not reached.
        let ticks = match earlier {
            Some(earlier) => now.ticks.saturating_sub(earlier.ticks),
            None if before.is_complete => now.ticks,
            None => 0,
        };
        let cpu_s = ticks as f64 * TICK_S;
        if family.contains(id) {
            used.relatives_s += if *id == me { 0.0 } else { cpu_s };
            continue;
        }
        if now.name == other_headroom::NAME && after.name(now.parent) != Some(other_headroom::NAME) {
            used.other_headrooms = used.other_headrooms.saturating_add(1);
        }
        let is_known = is_known(host, *id, now);
        if ticks == 0 && !is_known {
            continue;
        }
        let is_at_work = |p: &ProcessSample| matches!(p.state, 'R' | 'D');
        let entry = others.entry((now.name.clone(), now.is_kernel)).or_insert_with(|| Process {
            name: now.name.clone(),
            kernel: now.is_kernel,
            ..Process::default()
        });
        entry.cpu_s += cpu_s;
        entry.count = entry.count.saturating_add(1);
        entry.active |= ticks > 0 || is_at_work(now) || earlier.is_some_and(is_at_work);
    }
    used.processes = others.into_values().collect();
    used.processes.sort_by(|a, b| b.cpu_s.total_cmp(&a.cpu_s));
    used
}

/// Whether a process is kept even if it uses no CPU time.
fn is_known(host: &Host, id: u32, process: &ProcessSample) -> bool {
    if process.is_kernel {
        return process.name == lazy_init::THREAD;
    }
    if process.name == other_headroom::NAME {
        return true;
    }
    let Some(known) = background_work::known(&process.name) else { return false };
    let Some(waiting) = known.unless else { return true };
    !host.text(format!("/proc/{id}/cmdline")).is_some_and(|line| line.contains(waiting))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stat file up to field 22.
    fn stat(id: u32, name: &str, state: char, parent: u32, flags: u64, ticks: u64) -> String {
        format!(
            "==> /proc/{id}/stat\n{id} ({name}) {state} {parent} 0 0 0 -1 {flags} 0 0 0 0 {ticks} 1 0 0 20 0 1 0 77\n"
        )
    }

    fn processes(tree: &str) -> Processes {
        Processes::read(&Host::parse(tree), Duration::from_secs(60), 201)
    }

    fn machine(busy: u64) -> String {
        [
            stat(1, "systemd", 'S', 0, 0, 500),
            stat(2, "kthreadd", 'S', 0, KERNEL_THREAD, 0),
            stat(40, "kswapd0", 'S', 2, KERNEL_THREAD, busy),
            stat(41, "ext4lazyinit", 'S', 2, KERNEL_THREAD, 0),
            stat(100, "odd) R 1 (name", 'S', 1, 0, 10 * busy),
            stat(101, "rsync", 'D', 1, 0, 0),
            stat(102, "rsync", 'S', 1, 0, 0),
            "==> /proc/102/cmdline\nrsync\0--daemon\0\n".to_owned(),
            stat(200, "headroom", 'S', 1, 0, busy),
            stat(201, "headroom", 'R', 200, 0, busy),
            stat(202, "sh", 'R', 201, 0, busy),
            stat(300, "headroom", 'S', 1, 0, 0),
            stat(301, "headroom", 'S', 300, 0, 0),
        ]
        .concat()
    }

    #[test]
    fn time_is_split_between_us_and_others() {
        let (before, after) = (processes(&machine(0)), processes(&machine(2)));
        let used = compare(&Host::parse(&machine(2)), &before, &after, 201);
        assert!((used.relatives_s - 0.04).abs() < 1e-9, "{used:?}");
        assert_eq!(used.other_headrooms, 1);
        let of = |name: &str| used.processes.iter().find(|p| p.name == name).unwrap();
        let odd = of("odd) R 1 (name");
        assert!((odd.cpu_s - 0.2).abs() < 1e-9 && odd.active && used.processes[0] == *odd, "{used:?}");
        assert!(of("kswapd0").kernel && of("kswapd0").active);
        assert!(!of("ext4lazyinit").active);
        // The daemon that waits for orders is not work; the other is.
        assert_eq!((of("rsync").count, of("rsync").active), (1, true));
        assert!(used.processes.iter().all(|p| p.name != "systemd" && p.name != "sh"), "{used:?}");
    }

    #[test]
    fn an_id_that_is_used_again_is_another_process() {
        let before = processes(&stat(9, "old", 'S', 1, 0, 1000));
        let tree = stat(9, "new", 'S', 1, 0, 3).replace(" 77\n", " 99\n");
        let used = compare(&Host::parse(&tree), &before, &processes(&tree), 201);
        assert!((used.processes[0].cpu_s - 0.04).abs() < 1e-9, "{used:?}");
    }

    #[test]
    fn what_was_not_reached_before_has_no_time() {
        let mut before = processes("");
        before.is_complete = false;
        let tree = stat(9, "late", 'S', 1, 0, 300);
        assert!(compare(&Host::parse(&tree), &before, &processes(&tree), 201).processes.is_empty());
    }

    #[test]
    fn garbled_processes_are_not_there() {
        for text in ["", "1 (x", "1 (x) S", ") (", "1 (x) S -1 0 0 0 -1 0 0 0 0 0 0 0"] {
            assert_eq!(parse(text), None, "{text}");
        }
        // Parents in a ring end.
        let ring = [stat(5, "a", 'S', 6, 0, 0), stat(6, "a", 'S', 5, 0, 0)].concat();
        assert_eq!(processes(&ring).family(5).len(), 2);
    }

    #[test]
    fn this_process_is_found_with_its_parent() {
        let live = Host::this();
        let all = Processes::read(&live, Duration::from_secs(60), std::process::id());
        let me = all.by_id.get(&std::process::id()).unwrap();
        assert_eq!(me.parent, std::os::unix::process::parent_id());
        let theirs = procfs::process::Process::myself().unwrap().stat().unwrap();
        assert_eq!((me.name.as_str(), me.started), (theirs.comm.as_str(), theirs.starttime));
    }

    #[test]
    fn without_time_we_and_those_above_us_are_read_all_the_same() {
        let all = Processes::read(&Host::parse(&machine(1)), Duration::ZERO, 201);
        assert!([1, 200, 201].iter().all(|id| all.by_id.contains_key(id)), "{all:?}");
        let none = Processes::read(&Host::parse(&stat(5, "a", 'S', 5, 0, 0)), Duration::ZERO, 5);
        assert_eq!(none.by_id.len(), 1);
    }
}
