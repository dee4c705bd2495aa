//! The kernel's counters while a trial's window is open: at its edges, at
//! edges of intervals between them, and some of them once a second. Its own CPU
//! time is measured, since watching disturbs.

mod pace;
mod track;

use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use load::engine::clock;
use load::engine::record::Timeline;
use machine::Host;
use machine::sampler::{self, Processes, Scope};
use model::machine::ObserverCost;
use model::trial::{Counter, ProcessUse, Series, Window};
use rustix::time::{ClockId, clock_gettime};

use pace::Pace;
use track::Track;

/// What document calls the machine that this agent runs on.
const MACHINE: &str = "local";

/// How far apart readings are that are dear, or of what changes slowly, ns.
const SLOW_NS: u64 = 1_000_000_000;

/// Looking at all processes takes at most this part of the time: with very many
/// of them, looks are further apart.
const PROCESS_SHARE: u32 = 100;

/// All that is watched during a trial.
pub(crate) struct Watcher {
    fast: Track,
    slow: Track,
    processes: Option<Processes>,
    /// What watching cost.
    pub(crate) cost: ObserverCost,
}

impl Watcher {
    /// Opens what `host` has of what may be sampled.
    pub(crate) fn open(host: &Host, scope: &Scope) -> Self {
        let (slow, fast) = sampler::open_all(host, scope).into_iter().partition(|s| s.is_slow());
        Self {
            fast: Track::new(fast),
            slow: Track::new(slow),
            processes: Processes::open(host),
            cost: ObserverCost::default(),
        }
    }

    /// Waits for the timeline, then samples from the window's start to its end.
    /// Where a count ends the window, the other side hangs up then, which wakes
    /// this thread at once.
    pub(crate) fn watch(&mut self, timeline: &Receiver<Timeline>) {
        let hung_up = timeline;
        let Ok(timeline) = timeline.recv() else { return };
        // The default slack of 50 us would be added to each wake-up.
        let _ = rustix::thread::set_current_timer_slack(Some(std::num::NonZeroU64::MIN));
        let begin_cpu = thread_cpu_s();
        let mut pace = Pace::of(timeline, self.fast.samples_max());
        self.fast.start(timeline.window_ns, pace.spacing_ns());
        self.slow.start(timeline.window_ns, SLOW_NS.max(pace.spacing_ns()));
        let mut edge = timeline.window_ns;
        let (mut slow_due, mut processes_due) = (edge, edge);
        loop {
            let left = Duration::from_nanos(edge.saturating_sub(clock::now_ns()));
            let hangs_up = matches!(hung_up.recv_timeout(left), Err(RecvTimeoutError::Disconnected));
            let over = hangs_up || edge >= timeline.end_ns;
            self.fast.sample();
            // Those that are due nearer to this edge than to the next.
            let soon = edge + pace.spacing_ns() / 2;
            if over || slow_due <= soon {
                self.slow.sample();
                slow_due += self.slow.spacing_ns();
            }
            if let Some(processes) = self.processes.as_mut().filter(|_| over || processes_due <= soon) {
                let cost_ns = processes.look().as_nanos() as u64;
                processes_due = (processes_due + SLOW_NS).max(edge + cost_ns * u64::from(PROCESS_SHARE));
            }
            if over {
                break;
            }
            self.make_room(&mut pace);
            edge = pace.next_after(clock::now_ns().max(edge));
        }
        let watched_s = clock::now_ns().saturating_sub(timeline.window_ns) as f64 / 1e9;
        let cpus = machine::inventory::cpu::allowed_count();
        self.cost = ObserverCost { cpu_s: thread_cpu_s() - begin_cpu, watched_s, cpus };
    }

    /// A window whose length nobody knew is sampled closely at first; as it
    /// goes on, every second sample is dropped.
    fn make_room(&mut self, pace: &mut Pace) {
        if pace.is_too_close(self.fast.samples()) {
            pace.widen();
            self.fast.thin();
        }
        if self.slow.samples() > self.slow.samples_max() {
            self.slow.thin();
        }
    }

    /// Every counter at the window's edges: the samples nearest to them.
    pub(crate) fn counters(&self, window: Window) -> Vec<Counter> {
        [&self.fast, &self.slow].into_iter().flat_map(|track| track.counters(window)).collect()
    }

    /// Every column over time that has something to tell.
    pub(crate) fn series(&self) -> Vec<Series> {
        [&self.fast, &self.slow].into_iter().flat_map(Track::series).collect()
    }

    /// Who used most CPU time.
    pub(crate) fn processes(&self, window: Window) -> Vec<ProcessUse> {
        self.processes.as_ref().map(|processes| processes.top(MACHINE, window)).unwrap_or_default()
    }
}

/// What watching `host` for so long costs, done as in a trial that time ends.
#[must_use]
pub fn watching_cost(host: &Host, scope: &Scope, seconds: f64) -> ObserverCost {
    let mut watcher = Watcher::open(host, scope);
    let interval_ns = (seconds.clamp(0.01, 3600.0) * 1e7) as u64;
    // A short while before the window, so that the thread sleeps when it opens.
    let window_ns = clock::now_ns() + 10_000_000;
    let timeline =
        Timeline { start_ns: window_ns, window_ns, interval_ns, end_ns: window_ns + 100 * interval_ns };
    let (send, receive) = channel();
    if send.send(timeline).is_ok() {
        let watcher = &mut watcher;
        // In a thread of its own: what it asks of the kernel is for it alone.
        std::thread::scope(|scope| {
            scope.spawn(move || watcher.watch(&receive));
        });
    }
    drop(send);
    watcher.cost
}

fn thread_cpu_s() -> f64 {
    let t = clock_gettime(ClockId::ThreadCPUTime);
    t.tv_sec as f64 + t.tv_nsec as f64 / 1e9
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Watches a window that is ended by its time, or by a count after so long,
    /// while a thread of ours keeps a CPU busy.
    fn watched(window_ms: u64, by_count: bool) -> (Watcher, Window) {
        let host = Host::this();
        let mut watcher = Watcher::open(&host, &Scope::of(&Default::default(), &host));
        let window_ns = clock::now_ns() + 20_000_000;
        let end_ns = window_ns + window_ms * 1_000_000;
        let interval_ns = window_ms * 10_000;
        let told_ns = if by_count { u64::MAX } else { end_ns };
        let timeline = Timeline { start_ns: window_ns, window_ns, interval_ns, end_ns: told_ns };
        let (send, receive) = channel();
        send.send(timeline).unwrap();
        std::thread::scope(|scope| {
            let watcher = &mut watcher;
            scope.spawn(move || watcher.watch(&receive));
            while clock::now_ns() < end_ns {
                std::hint::spin_loop();
            }
            // By time, the samples end by themselves.
            if by_count {
                drop(send);
            } else {
                std::thread::spawn(move || {
                    std::thread::sleep(Duration::from_secs(20));
                    drop(send);
                });
            }
        });
        (watcher, Window { start_ns: window_ns, end_ns })
    }

    fn find<'a>(counters: &'a [Counter], resource: &str, source: &str) -> &'a Counter {
        let found = counters.iter().find(|c| c.resource == resource && c.source == source);
        found.unwrap_or_else(|| panic!("{resource} {source}: {counters:?}"))
    }

    #[test]
    fn a_window_is_sampled_from_edge_to_edge() {
        for by_count in [false, true] {
            let (watcher, window) = watched(400, by_count);
            let counters = watcher.counters(window);
            let own = find(&counters, "self", "getrusage(2) user");
            assert!(own.change().unwrap() > 0.0, "this thread was busy: {own:?}");
            // The samples nearest to the edges: on a busy machine one before the
            // end may be nearer than the last, which came late.
            assert!(own.before_ns >= window.start_ns && own.after_ns > own.before_ns, "{own:?} {window:?}");
            let cpu = find(&counters, "cpu", "/proc/stat user");
            assert!(cpu.before_ns == own.before_ns && cpu.after_ns == own.after_ns, "one sample has both");
            assert_eq!((cpu.unit, cpu.scale), (Some(model::Unit::Seconds), Some(0.01)));
            assert!(watcher.cost.cpu_s > 0.0 && watcher.cost.watched_s >= 0.4, "{:?}", watcher.cost);

            let series = watcher.series();
            let own: Vec<_> = series.iter().filter(|s| s.resource == "self" && s.name == "user").collect();
            assert_eq!((own.len(), own[0].unit, own[0].start_ns), (1, model::Unit::One, window.start_ns));
            let length_ns = own[0].interval_ns * own[0].values.len() as u64;
            assert!(length_ns.abs_diff(400_000_000) <= own[0].interval_ns || by_count, "{own:?}");
            assert!(series.iter().all(|s| s.values.iter().all(|v| v.is_finite())));
            assert!(
                series.iter().all(|s| s.values.iter().any(|v| *v != 0.0)),
                "what never moved has no series"
            );
        }
    }

    #[test]
    fn a_trial_that_never_starts_leaves_nothing_behind() {
        let mut watcher = Watcher::open(&Host::this(), &Scope::default());
        let (send, receive) = channel();
        drop(send);
        watcher.watch(&receive);
        let window = Window { start_ns: 0, end_ns: u64::MAX };
        assert!(watcher.counters(window).is_empty() && watcher.series().is_empty());
        assert!(watcher.processes(window).is_empty());
    }
}
