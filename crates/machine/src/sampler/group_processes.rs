//! The processor time of a control group that counts none: the sum of what its processes used, and of what their children
//! used that have ended. Version 1 counts the time of a group in the hierarchy `cpuacct`, and a group that is held to a quota
//! in the hierarchy `cpu` need not be there.
//!
//! A process that comes and goes between two looks shows in its parent's account of children, where the parent is of the
//! group and waits for it; of others nothing is known. So the sum is at most what the group used.

use std::collections::HashMap;

use super::SamplerColumn;
use super::file::{Numbers, number};
use super::{ABSENT, Pace, Sampler, reader};
use crate::Host;

/// Groups in the group that are looked into.
const FOLDERS_MAX: usize = 64;
/// Processes that are looked at; of a group with more the time is unknown.
const PROCESSES_MAX: usize = 512;

/// What tells the processor time of the group in this folder, in ticks, once a second.
pub(super) fn open(host: &Host, folder: &str, column: SamplerColumn) -> Vec<Box<dyn Sampler>> {
    if !host.exists(format!("{folder}/cgroup.procs")) {
        return Vec::new();
    }
    let (host, folder) = (host.clone(), folder.to_owned());
    let mut account = GroupAccount::default();
    reader(&format!("{folder}/cgroup.procs"), Pace::Slow, vec![column], move |values| {
        values[0] = account.look(&host, &folder).unwrap_or(ABSENT);
    })
}

/// What a group was seen to use.
#[derive(Debug, Default)]
struct GroupAccount {
    /// Ticks since the first look.
    used: u64,
    /// The time of the first look's newest process is not known; all looks after it know what is newer.
    has_looked: bool,
    /// The latest start of a process that was seen, in ticks since the machine's.
    newest: u64,
    known: HashMap<u32, ProcessTicks>,
}

/// What `/proc/PID/stat` says of a process, in ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct ProcessTicks {
    started: u64,
    own: u64,
    children: u64,
}

impl GroupAccount {
    /// The ticks by now; none where there are too many processes.
    fn look(&mut self, host: &Host, folder: &str) -> Option<u64> {
        let mut folders = vec![folder.to_owned()];
        collect(host, folder, &mut folders);
        let mut now = HashMap::new();
        for folder in &folders {
            let text = host.text(format!("{folder}/cgroup.procs")).unwrap_or_default();
            for pid in text.lines().map(|line| number(line.as_bytes())).filter(|pid| *pid != ABSENT) {
                if now.len() >= PROCESSES_MAX {
                    return None;
                }
                // One that has ended meanwhile is passed over.
                let stat = host.text(format!("/proc/{pid}/stat"));
                let ticks = stat.and_then(|stat| ticks(stat.as_bytes()));
                now.extend(u32::try_from(pid).ok().zip(ticks));
            }
        }
        self.take(now);
        Some(self.used)
    }

    /// Adds what these used since they were seen before.
    fn take(&mut self, now: HashMap<u32, ProcessTicks>) {
        // Of two sums the greater counts: that of the processes alone, and that with their ended children, which falls where a
        // process ends whose parent is elsewhere.
        let (mut alone, mut whole) = (0_u64, 0_i128);
        for (pid, process) in &now {
            let before = self.known.get(pid).copied().filter(|before| before.started == process.started);
            // One that is older than the latest look came from another group, and brought its time along.
            let is_new = self.has_looked && process.started > self.newest;
            let before = before.unwrap_or(if is_new { ProcessTicks::default() } else { *process });
            alone += process.own.saturating_sub(before.own);
            let all = |ticks: &ProcessTicks| i128::from(ticks.own) + i128::from(ticks.children);
            whole += all(process) - all(&before);
        }
        for (pid, before) in &self.known {
            if now.get(pid).is_none_or(|process| process.started != before.started) {
                whole -= i128::from(before.own) + i128::from(before.children);
            }
        }
        self.used += alone.max(u64::try_from(whole).unwrap_or(0));
        self.newest = now.values().map(|process| process.started).fold(self.newest, u64::max);
        self.has_looked = true;
        self.known = now;
    }
}

/// The folders of groups in a group.
fn collect(host: &Host, folder: &str, found: &mut Vec<String>) {
    for name in host.names(folder) {
        let below = format!("{folder}/{name}");
        if found.len() >= FOLDERS_MAX {
            return;
        }
        let is_file = name.starts_with("cpu.") || name.starts_with("cgroup.");
        if !is_file && host.exists(format!("{below}/cgroup.procs")) {
            found.push(below.clone());
            collect(host, &below, found);
        }
    }
}

/// Of proc_pid_stat(5): utime and stime, cutime and cstime, starttime. The name may hold blanks and parentheses, so it ends
/// at the last one.
fn ticks(stat: &[u8]) -> Option<ProcessTicks> {
    /// The place of field 14, counted from the one after the state.
    const USER: usize = 10;
    /// Fields between `cstime` and `starttime`.
    const BETWEEN: usize = 4;
    let close = stat.iter().rposition(|byte| *byte == b')')?;
    let mut fields = Numbers(stat.get(close + 3..)?).skip(USER);
    let mut next = || fields.next().filter(|ticks| *ticks != ABSENT);
    let (user, system, of_user, of_system) = (next()?, next()?, next()?, next()?);
    let started = fields.nth(BETWEEN).filter(|ticks| *ticks != ABSENT)?;
    Some(ProcessTicks { started, own: user.checked_add(system)?, children: of_user.checked_add(of_system)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(started: u64, own: u64, children: u64) -> ProcessTicks {
        ProcessTicks { started, own, children }
    }

    fn looked(looks: &[&[(u32, ProcessTicks)]]) -> Vec<u64> {
        let mut account = GroupAccount::default();
        let mut take = |look: &&[(u32, ProcessTicks)]| {
            account.take(look.iter().copied().collect());
            account.used
        };
        looks.iter().map(&mut take).collect()
    }

    #[test]
    fn what_was_used_before_the_first_look_and_in_other_groups_does_not_count() {
        let used = looked(&[
            &[(7, process(10, 500, 0))],
            &[(7, process(10, 530, 0)), (8, process(5, 900, 900)), (9, process(20, 4, 0))],
            &[(7, process(10, 540, 0)), (8, process(5, 901, 900)), (9, process(20, 4, 0))],
        ]);
        assert_eq!(used, [0, 34, 45], "9 is new, and 8 is older than the first look");
    }

    /// A shell starts one program after the other, which each live shorter than a look takes.
    #[test]
    fn children_that_come_and_go_count_by_their_parent() {
        let used = looked(&[
            &[(7, process(10, 1, 0))],
            &[(7, process(10, 2, 40)), (8, process(30, 9, 0))],
            // 8 has ended, and its time went to its parent.
            &[(7, process(10, 3, 95))],
        ]);
        assert_eq!(used, [0, 50, 97]);
    }

    #[test]
    fn a_process_that_ends_takes_nothing_away_and_its_number_may_come_again() {
        let used = looked(&[
            &[(7, process(10, 1, 0)), (8, process(11, 800, 0))],
            &[(7, process(10, 11, 0))],
            &[(7, process(40, 3, 0))],
        ]);
        assert_eq!(used, [0, 10, 13]);
    }

    #[test]
    fn a_group_is_the_sum_of_its_processes_and_of_those_of_groups_in_it() {
        let stat = |user: u32| format!("1 (a) b) S 1 1 1 0 -1 64 0 0 0 0 {user} 5 7 8 20 0 1 0 99 0\n");
        let host = |user| {
            Host::parse(&format!(
                "==> /sys/fs/cgroup/cpu/job/cgroup.procs\n71\n==> /sys/fs/cgroup/cpu/job/in/cgroup.procs\n72\n73\n\
                 ==> /proc/71/stat\n{}==> /proc/72/stat\n{}",
                stat(user),
                stat(2 * user)
            ))
        };
        assert_eq!(ticks(stat(3).as_bytes()), Some(process(99, 8, 15)));
        let mut account = GroupAccount::default();
        assert_eq!(account.look(&host(100), "/sys/fs/cgroup/cpu/job"), Some(0));
        assert_eq!(account.look(&host(110), "/sys/fs/cgroup/cpu/job"), Some(30));
    }
}
