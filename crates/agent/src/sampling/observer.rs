//! A machine that is watched for as long as somebody likes, whatever runs on it: the same samplers as beside a trial, and
//! the same figures of any window that is still remembered.

use std::time::Duration;

use engine::clock;
use machine::Host;
use machine::sampler::{self, Processes, Scope};
use model::Resource;
use model::trial::{LOCAL, MachineTrial, ProcessUse, Window};

use super::track::SampleBuffer;
use super::{PROCESS_SHARE, SLOW_NS};

/// Looks at processes that are remembered where a sliding window is watched: then all of them are forgotten, for their
/// list grows with every process that comes.
const LOOKS_MAX: u32 = 60;

/// Watches a machine.
pub struct MachineObserver {
    fast: SampleBuffer,
    slow: SampleBuffer,
    processes: Option<Processes>,
    slow_due_ns: u64,
    processes_due_ns: u64,
    looks: u32,
    /// When the two latest looks at processes were taken, and who used most between them.
    looked_ns: [u64; 2],
    latest: Vec<ProcessUse>,
    keeps_all: bool,
}

impl MachineObserver {
    /// Opens what `host` has of what may be sampled; samples will be so far apart. `keeps_all` says whether the
    /// processes of the whole time are wanted, and not those of the last second.
    #[must_use]
    pub fn open(host: &Host, scope: &Scope, spacing: Duration, keeps_all: bool) -> Self {
        let (slow, fast) = sampler::open_all(host, scope).into_iter().partition(|s| s.is_slow());
        let (mut fast, mut slow) = (SampleBuffer::new(fast), SampleBuffer::new(slow));
        let (now, spacing_ns) = (clock::now_ns(), spacing.as_nanos() as u64);
        fast.start(now, spacing_ns);
        slow.start(now, spacing_ns.max(SLOW_NS));
        let processes = Processes::open(host);
        Self {
            fast,
            slow,
            processes,
            slow_due_ns: now,
            processes_due_ns: now,
            looks: 0,
            looked_ns: [now; 2],
            latest: Vec::new(),
            keeps_all,
        }
    }

    /// Reads what is due. Returns when, ns of the monotonic clock, and whether all was read, and not only what is cheap.
    pub fn sample(&mut self) -> (u64, bool) {
        let now = clock::now_ns();
        self.fast.sample();
        let is_slow_due = now + SLOW_NS / 20 >= self.slow_due_ns;
        if is_slow_due {
            self.slow.sample();
            self.slow_due_ns = now + SLOW_NS;
        }
        if now + SLOW_NS / 20 >= self.processes_due_ns {
            self.look(now);
        }
        (now, is_slow_due)
    }

    fn look(&mut self, now: u64) {
        let Some(processes) = &mut self.processes else { return };
        self.looks += 1;
        if self.looks > LOOKS_MAX && !self.keeps_all {
            // What they have used so far is what the next look begins with.
            processes.forget();
            self.looks = 1;
        }
        let cost = processes.look();
        self.looked_ns = [self.looked_ns[1], now];
        // One look tells nothing; what was known before it still holds.
        if self.looks > 1 {
            let [start_ns, end_ns] = self.looked_ns;
            self.latest = processes.top(Window { start_ns, end_ns });
        }
        let rest_ns = cost.as_nanos() as u64 * u64::from(PROCESS_SHARE);
        self.processes_due_ns = now + SLOW_NS.max(rest_ns);
    }

    /// Drops samples before this time.
    pub fn forget_before(&mut self, at_ns: u64) {
        self.fast.forget_before(at_ns);
        self.slow.forget_before(at_ns);
    }

    /// What was read often, and what once a second.
    #[must_use]
    pub fn buffers(&self) -> [&SampleBuffer; 2] {
        [&self.fast, &self.slow]
    }

    /// How much of a counter there was in each second of a window.
    #[must_use]
    pub fn rate(&self, resource: &Resource, name: &str, window: Window) -> Option<f64> {
        self.buffers().into_iter().find_map(|buffer| buffer.rate(resource, name, window))
    }

    /// What a gauge showed at last.
    #[must_use]
    pub fn gauge(&self, resource: &Resource, name: &str) -> Option<f64> {
        self.buffers().into_iter().find_map(|buffer| buffer.gauge(resource, name))
    }

    /// The processes that used most CPU time between the two latest looks.
    #[must_use]
    pub fn latest_processes(&self) -> &[ProcessUse] {
        &self.latest
    }

    /// The same over a window.
    #[must_use]
    pub fn processes_of(&self, window: Window) -> Vec<ProcessUse> {
        self.processes.as_ref().map(|all| all.top(window)).unwrap_or_default()
    }

    /// All that was seen of the machine in a window, as a run document has it.
    #[must_use]
    pub fn machine_trial(&self, window: Window) -> MachineTrial {
        MachineTrial {
            machine: LOCAL.to_owned(),
            counters: self.buffers().into_iter().flat_map(|buffer| buffer.counters(window)).collect(),
            processes: self.processes_of(window),
            work_queues: self.processes.as_ref().map(|all| all.work_queues(window)).unwrap_or_default(),
            series: self.buffers().into_iter().flat_map(SampleBuffer::series).collect(),
            ..MachineTrial::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_that_is_watched_tells_rates_gauges_and_who_computes() {
        let host = Host::this();
        let scope = Scope::of(&Default::default(), &host);
        let mut observer = MachineObserver::open(&host, &scope, Duration::from_millis(20), false);
        observer.sample();
        let begin = clock::now_ns();
        while clock::now_ns() < begin + 200_000_000 {
            std::hint::spin_loop();
        }
        observer.processes_due_ns = 0;
        let (now, all) = observer.sample();
        assert!(!all, "once a second");
        let window = Window { start_ns: begin, end_ns: now };
        let cpus = Resource::CPUS;
        let busy = observer.rate(&cpus, "user", window).unwrap();
        assert!(busy > 0.2, "{busy}");
        assert!(observer.gauge(&Resource::MEMORY, "MemAvailable").unwrap() > 1e6);
        assert!(observer.rate(&cpus, "no such column", window).is_none());
        assert!(observer.latest_processes().iter().any(|p| p.own && p.cpu_s > 0.05));
        let trial = observer.machine_trial(window);
        let user = trial.counters.iter().find(|c| c.source == "/proc/stat user").unwrap();
        assert!((user.change().unwrap() / user.seconds() - busy).abs() < 1e-6);
        assert!(trial.series.iter().any(|s| s.resource == cpus));
    }
}
