//! What went on during a moment: two looks at the kernel's counters, 200 ms
//! apart, and what changed between them. A load average says what was; this
//! says what is. Our own share is taken out.
//!
//! It is one answer to one question, `activity`, so that a recorded machine
//! answers too. Of processes only names of what uses CPU time or is known to
//! disturb are kept: the rest is nobody's business.

mod counters;
mod process;

use std::time::{Duration, Instant};

use model::machine::Absent;

use crate::Host;
use crate::doctor::activity::Activity;
use crate::sampler::TICK_S;
use counters::Counters;

pub(super) use counters::written_bytes;
use process::Processes;

/// How far apart the looks are. CPU times come in ticks of 10 ms, of which two
/// CPUs make 40 in this time: enough to tell 5 % from nothing.
const APART: Duration = Duration::from_millis(200);
/// How long one look at all processes may take; those after it are not seen.
/// Reading one costs about 10 us, so this is for machines with 10,000 of them.
const LOOK_MAX: Duration = Duration::from_millis(100);

/// Watches `host` for a moment, or reads what was seen when it was recorded.
///
/// # Errors
/// Why there is nothing to see.
pub(crate) fn watch(host: &Host) -> Result<Activity, Absent> {
    host.probe("activity", || {
        // Not through a recorder: it would keep every process's file.
        let live = Host::this();
        let start = Instant::now();
        let before = ActivitySnapshot::begin(&live)?;
        std::thread::sleep(APART.saturating_sub(start.elapsed()));
        let after = ActivitySnapshot::end(&live)?;
        Ok(compare(&live, &before, &after, start.elapsed().as_secs_f64()))
    })
}

/// One look.
struct ActivitySnapshot {
    counters: Counters,
    /// CPU seconds that this process has used, and those of its children that
    /// have ended. Looking costs some itself, between the counters.
    own_s: f64,
    processes: Processes,
}

impl ActivitySnapshot {
    /// The counters, then all processes.
    fn begin(live: &Host) -> Result<Self, String> {
        let counters = Counters::read(live).ok_or("/proc/stat cannot be read")?;
        let own_s = own_seconds(live);
        Ok(Self { counters, own_s, processes: Processes::read(live, LOOK_MAX, std::process::id()) })
    }

    /// All processes, then the counters, so that nothing is between the looks
    /// that the counters do not have.
    fn end(live: &Host) -> Result<Self, String> {
        let processes = Processes::read(live, LOOK_MAX, std::process::id());
        let own_s = own_seconds(live);
        Ok(Self { counters: Counters::read(live).ok_or("/proc/stat cannot be read")?, own_s, processes })
    }
}

/// The clock of this process, which needs no ticks, and, by proc_pid_stat(5), its
/// children's times, fields 16 and 17.
fn own_seconds(live: &Host) -> f64 {
    let clock = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    let children = live.text("/proc/self/stat").and_then(|text| {
        let fields = text.rsplit_once(')')?.1.split_whitespace();
        // The state, field 3, is the first after the name.
        fields.skip(13).take(2).map(|f| f.parse::<u64>().ok()).try_fold(0u64, |sum, t| sum.checked_add(t?))
    });
    clock.tv_sec as f64 + clock.tv_nsec as f64 * 1e-9 + children.unwrap_or(0) as f64 * TICK_S
}

fn compare(host: &Host, before: &ActivitySnapshot, after: &ActivitySnapshot, seconds: f64) -> Activity {
    let (first, last) = (&before.counters, &after.counters);
    let step = |name: fn(&Counters) -> Option<u64>| Some(name(last)?.saturating_sub(name(first)?));
    let used = process::compare(host, &before.processes, &after.processes, std::process::id());
    let ours_s = (after.own_s - before.own_s).max(0.0) + used.relatives_s;
    let ticks = |t: u64| t as f64 * TICK_S;
    Activity {
        seconds,
        cpus: last.cpus,
        others_s: step(|c| c.busy).map(|t| (ticks(t) - ours_s).max(0.0)),
        steal_s: step(|c| c.steal).map(ticks),
        processes: used.processes,
        other_headrooms: used.other_headrooms,
        swapped_in: step(|c| c.swapped_in),
        swapped_out: step(|c| c.swapped_out),
        throttled: counters::most_throttled(&first.throttles, &last.throttles),
        throttled_ever: last.throttles.iter().copied().max(),
        disks: counters::traffic(&first.disks, &last.disks),
        networks: counters::traffic(&first.networks, &last.networks),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_busy_process_that_is_not_ours_is_seen_by_its_share() {
        // A shell that computes; it is a child of ours, so it must not count as
        // another's: what is ours is taken out of the machine's total.
        let mut child = std::process::Command::new("sh")
            .args(["-c", "ulimit -t 30; while :; do :; done"])
            .spawn()
            .unwrap();
        let live = Host::this();
        let before = ActivitySnapshot::begin(&live).unwrap();
        std::thread::sleep(APART);
        let after = ActivitySnapshot::end(&live).unwrap();
        let ours = compare(&live, &before, &after, 0.2);
        // Seen from a process that is not there, that child is a stranger.
        let theirs = process::compare(&live, &before.processes, &after.processes, u32::MAX);
        child.kill().unwrap();
        child.wait().unwrap();
        let shell = theirs.processes.iter().find(|p| p.name == "sh").unwrap();
        assert!(shell.active && !shell.kernel, "{shell:?}");
        let total = after.counters.busy.unwrap() - before.counters.busy.unwrap();
        assert!(ours.others_s.unwrap() <= total as f64 * TICK_S, "{ours:?}");
    }

    #[test]
    fn our_own_time_is_taken_out_even_where_no_process_could_be_read() {
        let look = |busy, own_s| ActivitySnapshot {
            counters: Counters { cpus: 2, busy: Some(busy), ..Counters::default() },
            own_s,
            processes: Processes::default(),
        };
        let seen = compare(&Host::parse(""), &look(100, 1.0), &look(130, 1.2), 0.2);
        assert!((seen.others_s.unwrap() - 0.1).abs() < 1e-9, "{seen:?}");
        let own = own_seconds(&Host::this());
        assert!(own > 0.0 && own.is_finite(), "{own}");
    }

    #[test]
    fn a_moment_on_this_machine_is_complete() {
        let activity = watch(&Host::this()).unwrap();
        assert!(activity.cpus > 0 && activity.others_s.is_some() && activity.swapped_in.is_some());
        let text = serde_json::to_string(&activity).unwrap();
        let recorded = Host::parse(&format!("==> /probe/activity\n{text}\n"));
        assert_eq!(watch(&recorded).unwrap(), activity);
    }
}
