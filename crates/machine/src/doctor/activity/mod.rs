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
use serde::{Deserialize, Serialize};

use crate::Host;
use counters::Counters;
use process::Processes;

/// How far apart the looks are. CPU times come in ticks of 10 ms, of which two
/// CPUs make 40 in this time: enough to tell 5 % from nothing.
const APART: Duration = Duration::from_millis(200);
/// How long one look at all processes may take; those after it are not seen.
/// Reading one costs about 10 us, so this is for machines with 10,000 of them.
const LOOK_MAX: Duration = Duration::from_millis(100);
/// Seconds in a clock tick: USER_HZ is 100 on all architectures that Linux has
/// left (`include/asm-generic/param.h`).
const TICK_S: f64 = 0.01;

/// What went on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Activity {
    /// Seconds between the looks.
    pub(crate) seconds: f64,
    /// CPUs that were online.
    pub(crate) cpus: u32,
    /// CPU seconds that others used: all but idle, waiting, stolen and ours.
    pub(crate) others_s: Option<f64>,
    /// CPU seconds that the hypervisor gave to others while we wanted them.
    pub(crate) steal_s: Option<f64>,
    /// Processes of others that used CPU time, most first, then those that are
    /// known to disturb.
    pub(crate) processes: Vec<Process>,
    /// Headrooms that are not ours.
    pub(crate) other_headrooms: u32,
    /// Pages read from swap.
    pub(crate) swapped_in: Option<u64>,
    /// Pages written to swap.
    pub(crate) swapped_out: Option<u64>,
    /// How often CPUs were throttled.
    pub(crate) throttled: Option<u64>,
    /// How often, since the machine was started: the most of any counter.
    pub(crate) throttled_ever: Option<u64>,
    /// What disks did.
    pub(crate) disks: Vec<Traffic>,
    /// What network interfaces did.
    pub(crate) networks: Vec<Traffic>,
}

/// Processes of one name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Process {
    /// The name that the kernel has, 15 bytes at most.
    pub(crate) name: String,
    /// Whether it is a thread of the kernel.
    pub(crate) kernel: bool,
    /// CPU seconds used.
    pub(crate) cpu_s: f64,
    /// Whether it was running or waiting for a device, or used CPU time.
    pub(crate) active: bool,
    /// How many there are.
    pub(crate) count: u32,
}

/// What passed through one device.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Traffic {
    /// The kernel's name.
    pub(crate) name: String,
    /// Requests or packets, both ways.
    pub(crate) operations: u64,
    /// Bytes, both ways.
    pub(crate) bytes: u64,
}

impl Activity {
    /// CPU seconds as a number of CPUs; absent where the looks make no sense:
    /// nobody uses far more CPUs than there are.
    pub(crate) fn as_cpus(&self, cpu_s: f64) -> Option<f64> {
        let most = 2.0 * f64::from(self.cpus);
        let cpus = cpu_s / self.seconds;
        (self.seconds > 0.0 && (0.0..=most).contains(&cpus) && self.cpus > 0).then_some(cpus)
    }

    /// A count as a rate; absent where the looks make no sense.
    pub(crate) fn per_second(&self, count: u64) -> Option<f64> {
        (self.seconds > 0.0).then(|| count as f64 / self.seconds)
    }

    /// The processes of this name.
    pub(crate) fn process(&self, name: &str) -> Option<&Process> {
        self.processes.iter().find(|p| p.name == name)
    }
}

/// Watches `host` for a moment, or reads what was seen when it was recorded.
///
/// # Errors
/// Why there is nothing to see.
pub(crate) fn watch(host: &Host) -> Result<Activity, Absent> {
    host.probe("activity", || {
        // Not through a recorder: it would keep every process's file.
        let live = Host::this();
        let start = Instant::now();
        let before = Counters::read(&live).ok_or("/proc/stat cannot be read")?;
        let processes = Processes::read(&live, LOOK_MAX);
        std::thread::sleep(APART.saturating_sub(start.elapsed()));
        let later = Processes::read(&live, LOOK_MAX);
        let after = Counters::read(&live).ok_or("/proc/stat cannot be read")?;
        Ok(compare(&live, (&before, &processes), (&after, &later), start.elapsed().as_secs_f64()))
    })
}

fn compare(
    host: &Host,
    before: (&Counters, &Processes),
    after: (&Counters, &Processes),
    seconds: f64,
) -> Activity {
    let step = |name: fn(&Counters) -> Option<u64>| Some(name(after.0)?.saturating_sub(name(before.0)?));
    let used = process::compare(host, before.1, after.1, std::process::id());
    let ticks = |t: u64| t as f64 * TICK_S;
    Activity {
        seconds,
        cpus: after.0.cpus,
        others_s: step(|c| c.busy).map(|t| (ticks(t) - used.ours_s).max(0.0)),
        steal_s: step(|c| c.steal).map(ticks),
        processes: used.processes,
        other_headrooms: used.other_headrooms,
        swapped_in: step(|c| c.swapped_in),
        swapped_out: step(|c| c.swapped_out),
        throttled: step(|c| c.throttled),
        throttled_ever: after.0.throttled_most,
        disks: counters::traffic(&before.0.disks, &after.0.disks),
        networks: counters::traffic(&before.0.networks, &after.0.networks),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_busy_process_that_is_not_ours_is_seen_by_its_share() {
        // A shell that computes; it is a child of ours, so it must not count as
        // another's: what is ours is taken out of the machine's total.
        let mut child = std::process::Command::new("sh").args(["-c", "while :; do :; done"]).spawn().unwrap();
        let live = Host::this();
        let (a, before) = (Counters::read(&live).unwrap(), Processes::read(&live, LOOK_MAX));
        std::thread::sleep(APART);
        let (later, b) = (Processes::read(&live, LOOK_MAX), Counters::read(&live).unwrap());
        let ours = compare(&live, (&a, &before), (&b, &later), 0.2);
        // Seen from process 1, that child is a stranger.
        let theirs = process::compare(&live, &before, &later, u32::MAX);
        child.kill().unwrap();
        child.wait().unwrap();
        let shell = theirs.processes.iter().find(|p| p.name == "sh").unwrap();
        assert!(shell.cpu_s > 0.0 && shell.active && !shell.kernel, "{shell:?}");
        let total = b.busy.unwrap() - a.busy.unwrap();
        assert!(ours.others_s.unwrap() < total as f64 * TICK_S, "{ours:?}");
    }

    #[test]
    fn a_moment_on_this_machine_is_short_and_complete() {
        let start = Instant::now();
        let activity = watch(&Host::this()).unwrap();
        assert!(activity.seconds >= 0.2 && start.elapsed() >= APART);
        assert!(activity.cpus > 0 && activity.others_s.is_some() && activity.swapped_in.is_some());
        let text = serde_json::to_string(&activity).unwrap();
        let recorded = Host::parse(&format!("==> /probe/activity\n{text}\n"));
        assert_eq!(watch(&recorded).unwrap(), activity);
    }
}
