//! The kernel's counters while a trial's window is open: at its edges, at
//! edges of intervals between them, and some of them once a second; and where
//! the machine is to rest before and after, then too. Its own CPU time is
//! measured, since watching disturbs.

mod observer;
mod pace;
#[cfg(test)]
mod recorded_tests;
mod track;
mod workers;

use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use engine::{IdlePhases, clock};
use machine::Host;
use machine::sampler::{self, Processes, Scope};
use model::machine::ObserverCost;
use model::trial::{Counter, LOCAL, MachineTrial, ProcessUse, Series, Timeline, Window};
use model::{FactName, Resource, Value};
use rustix::time::{ClockId, clock_gettime};

pub use observer::MachineObserver;
use pace::{Pace, Slices};
pub use track::{SampleBuffer, SampledColumn};
use workers::WorkerWatch;

/// How far apart readings are that are dear, or of what changes slowly, ns.
const SLOW_NS: u64 = 1_000_000_000;

/// Looking at all processes takes at most this part of the time: with very many
/// of them, looks are further apart.
const PROCESS_SHARE: u32 = 100;

/// How far apart samples are at least while nothing runs, ns.
const REST_NS: u64 = 100_000_000;

/// So many samples at most of a rest, and of a warm-up behind one.
const REST_SAMPLES: u64 = 600;

/// What the sampler is told.
#[derive(Clone, Debug)]
pub(crate) enum SamplerCommand {
    /// The numbers of the threads that drive the main load: they are ready.
    Workers(Vec<u32>),
    /// Nothing runs yet; there is something to see nevertheless.
    Idle,
    /// The times of the load.
    Window(Timeline),
    /// The window is over, and the machine cools down.
    Closed,
}

/// All that is watched during a trial.
pub(crate) struct Watcher {
    fast: SampleBuffer,
    slow: SampleBuffer,
    processes: Option<Processes>,
    workers: WorkerWatch,
    /// What watching cost.
    pub(crate) cost: ObserverCost,
}

impl Watcher {
    /// Opens what `host` has of what may be sampled.
    pub(crate) fn open(host: &Host, scope: &Scope) -> Self {
        let (slow, fast) = sampler::open_all(host, scope).into_iter().partition(|s| s.is_slow());
        Self {
            fast: SampleBuffer::new(fast),
            slow: SampleBuffer::new(slow),
            processes: Processes::open(host),
            workers: WorkerWatch::default(),
            cost: ObserverCost::default(),
        }
    }

    /// One that looks at itself only: another agent watches this machine already,
    /// and must not take what this one uses for others'.
    pub(crate) fn of_itself(host: &Host) -> Self {
        let (fast, slow) = (SampleBuffer::new(sampler::open_own(host)), SampleBuffer::new(Vec::new()));
        let cost = ObserverCost::default();
        Self { fast, slow, processes: None, workers: WorkerWatch::default(), cost }
    }

    /// Watches these threads of this process too.
    fn watch_workers(&mut self, threads: &[u32]) {
        let (workers, samplers) = WorkerWatch::open(threads);
        let (slow, fast) = samplers.into_iter().partition(|s| s.is_slow());
        self.slow.add(slow);
        self.fast.add(fast);
        self.workers = workers;
    }

    /// What is known of the workers and what is not.
    pub(crate) fn facts(&self) -> impl Iterator<Item = (FactName, Value)> {
        self.workers.facts()
    }

    /// Waits for the timeline, then samples from the window's start to its end,
    /// and over the rest before and after it. What a count ends, or a cool-down,
    /// is over when the other side says so or hangs up, which wakes this thread
    /// at once.
    pub(crate) fn watch(&mut self, commands: &Receiver<SamplerCommand>, rest: IdlePhases) {
        let Ok(mut first) = commands.recv() else { return };
        if let SamplerCommand::Workers(threads) = &first {
            self.watch_workers(threads);
            let Ok(next) = commands.recv() else { return };
            first = next;
        }
        // The default slack of 50 us would be added to each wake-up.
        let _ = rustix::thread::set_current_timer_slack(Some(std::num::NonZeroU64::MIN));
        let (begin_cpu, begin_ns) = (thread_cpu_s(), clock::now_ns());
        let timeline = match first {
            SamplerCommand::Idle => self.before(commands, rest),
            SamplerCommand::Window(timeline) => Some(timeline),
            SamplerCommand::Workers(_) | SamplerCommand::Closed => None,
        };
        let Some(timeline) = timeline else { return };
        let spacing_ns = self.window(timeline, commands);
        if rest.cool_down_ns > 0 {
            self.after(commands, rest.cool_down_ns, spacing_ns);
        }
        let from_ns = if rest.idle_ns > 0 { begin_ns } else { timeline.window_ns };
        let watched_s = clock::now_ns().saturating_sub(from_ns) as f64 / 1e9;
        let cpus = machine::inventory::cpu::allowed_count();
        self.cost = ObserverCost { cpu_s: thread_cpu_s() - begin_cpu, watched_s, cpus };
    }

    /// Samples from now until the window opens; none where it never does.
    fn before(&mut self, commands: &Receiver<SamplerCommand>, rest: IdlePhases) -> Option<Timeline> {
        let mut spacing_ns = REST_NS.max(rest.idle_ns / REST_SAMPLES);
        let mut due = clock::now_ns();
        let mut slow_due = due;
        self.fast.start(due, spacing_ns);
        self.slow.start(due, SLOW_NS.max(spacing_ns));
        self.fast.rests();
        self.slow.rests();
        let mut timeline: Option<Timeline> = None;
        loop {
            let opens = timeline.map_or(u64::MAX, |t| t.window_ns);
            let left = Duration::from_nanos(due.min(opens).saturating_sub(clock::now_ns()));
            match commands.recv_timeout(left) {
                Ok(SamplerCommand::Window(told)) => {
                    timeline = Some(told);
                    let warm_up_ns = told.window_ns.saturating_sub(told.start_ns);
                    spacing_ns = spacing_ns.max(warm_up_ns / REST_SAMPLES);
                    continue;
                }
                Ok(_) => continue,
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) => {}
            }
            let now = clock::now_ns();
            // The window's own first sample follows at once.
            if now.saturating_add(spacing_ns / 4) >= opens {
                return timeline;
            }
            self.fast.sample();
            due = now + spacing_ns;
            if slow_due <= now {
                self.slow.sample();
                slow_due = now + self.slow.spacing_ns();
            }
        }
    }

    /// Samples from the end of the window until the other side hangs up.
    fn after(&mut self, commands: &Receiver<SamplerCommand>, cool_down_ns: u64, window_spacing_ns: u64) {
        let spacing_ns = REST_NS.max(window_spacing_ns).max(cool_down_ns / REST_SAMPLES);
        let slow_ns = SLOW_NS.max(spacing_ns);
        let mut due = clock::now_ns() + spacing_ns;
        let mut slow_due = clock::now_ns() + slow_ns;
        self.fast.rests();
        self.slow.rests();
        loop {
            let left = Duration::from_nanos(due.saturating_sub(clock::now_ns()));
            let over = match commands.recv_timeout(left) {
                Ok(_) => continue,
                Err(error) => error == RecvTimeoutError::Disconnected,
            };
            self.fast.sample();
            due = clock::now_ns() + spacing_ns;
            if over || slow_due <= clock::now_ns() {
                self.slow.sample();
                slow_due = clock::now_ns() + slow_ns;
            }
            if over {
                return;
            }
        }
    }

    /// Samples from the window's start to its end; how far apart, at last, ns.
    fn window(&mut self, timeline: Timeline, commands: &Receiver<SamplerCommand>) -> u64 {
        let mut pace = Pace::of(timeline, self.fast.samples_max());
        self.fast.open_window(timeline.window_ns, pace.spacing_ns());
        self.slow.open_window(timeline.window_ns, SLOW_NS.max(pace.spacing_ns()));
        let mut edge = timeline.window_ns;
        let (mut slow_due, mut processes_due) = (edge, edge);
        let mut looks = Slices::of(timeline);
        if let Some(waits) = &mut self.workers.waits {
            waits.begin(timeline.window_ns);
        }
        loop {
            let over = self.ends_before(edge, commands, &mut looks) || edge >= timeline.end_ns;
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
                return pace.spacing_ns();
            }
            self.make_room(&mut pace);
            edge = pace.next_after(clock::now_ns().max(edge));
        }
    }

    /// Waits for an edge, and looks at the workers meanwhile; whether the window is over
    /// before it.
    fn ends_before(&mut self, edge: u64, commands: &Receiver<SamplerCommand>, looks: &mut Slices) -> bool {
        loop {
            let due = self.workers.waits.as_ref().map_or(edge, |_| looks.due_ns().min(edge));
            match commands.recv_timeout(Duration::from_nanos(due.saturating_sub(clock::now_ns()))) {
                Ok(SamplerCommand::Closed) | Err(RecvTimeoutError::Disconnected) => return true,
                Ok(_) => continue,
                Err(RecvTimeoutError::Timeout) => {}
            }
            if due == edge {
                return false;
            }
            let now_ns = clock::now_ns();
            if let Some(waits) = &mut self.workers.waits {
                waits.look(now_ns);
            }
            looks.advance(now_ns);
        }
    }

    /// A window whose length nobody knew is sampled closely at first; as it
    /// goes on, every second sample is dropped.
    fn make_room(&mut self, pace: &mut Pace) {
        if pace.is_too_close(self.fast.samples_of_window()) {
            pace.widen();
            self.fast.thin();
        }
        if self.slow.samples_of_window() > self.slow.samples_max() {
            self.slow.thin();
        }
    }

    /// All that was seen of this machine.
    pub(crate) fn machine(&self, window: Window) -> MachineTrial {
        MachineTrial {
            machine: LOCAL.to_owned(),
            counters: self.counters(window),
            processes: self.processes(window),
            work_queues: self.processes.as_ref().map(|all| all.work_queues(window)).unwrap_or_default(),
            series: self.series(),
            ..MachineTrial::default()
        }
    }

    /// Every counter at the window's edges: the samples nearest to them.
    pub(crate) fn counters(&self, window: Window) -> Vec<Counter> {
        [&self.fast, &self.slow].into_iter().flat_map(|track| track.counters(window)).collect()
    }

    /// Every column over time that has something to tell.
    pub(crate) fn series(&self) -> Vec<Series> {
        [&self.fast, &self.slow].into_iter().flat_map(SampleBuffer::series).collect()
    }

    /// Who used most CPU time; of one that looks at itself, it alone.
    pub(crate) fn processes(&self, window: Window) -> Vec<ProcessUse> {
        match &self.processes {
            Some(processes) => processes.top(window),
            None => self.itself(window).into_iter().collect(),
        }
    }

    fn itself(&self, window: Window) -> Option<ProcessUse> {
        let own: Vec<Counter> =
            self.counters(window).into_iter().filter(|c| c.resource == Resource::OWN_PROCESS).collect();
        Some(ProcessUse {
            pid: std::process::id(),
            name: "headroom".to_owned(),
            own: true,
            kernel: false,
            cpu_s: own.iter().filter_map(Counter::change).sum(),
            watched_s: own.first()?.seconds(),
        })
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
    // This thread waits for the other, as a worker does for what it drives.
    let own = rustix::thread::gettid().as_raw_nonzero().get().cast_unsigned();
    let workers = SamplerCommand::Workers(vec![own]);
    if send.send(workers).is_ok() && send.send(SamplerCommand::Window(timeline)).is_ok() {
        let watcher = &mut watcher;
        // In a thread of its own: what it asks of the kernel is for it alone.
        std::thread::scope(|scope| {
            scope.spawn(move || watcher.watch(&receive, IdlePhases::default()));
        });
    }
    drop(send);
    watcher.cost
}

/// CPU seconds of the calling thread.
pub(crate) fn thread_cpu_s() -> f64 {
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
        send.send(SamplerCommand::Window(timeline)).unwrap();
        std::thread::scope(|scope| {
            let watcher = &mut watcher;
            scope.spawn(move || watcher.watch(&receive, IdlePhases::default()));
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

    #[test]
    fn what_a_worker_waits_in_is_counted_over_the_window() {
        let mut watcher = Watcher::open(&Host::parse(""), &Scope::default());
        let window_ns = clock::now_ns() + 20_000_000;
        let end_ns = window_ns + 400_000_000;
        let timeline = Timeline { start_ns: window_ns, window_ns, interval_ns: 4_000_000, end_ns };
        let (send, receive) = channel();
        let own = rustix::thread::gettid().as_raw_nonzero().get().cast_unsigned();
        send.send(SamplerCommand::Workers(vec![own])).unwrap();
        send.send(SamplerCommand::Window(timeline)).unwrap();
        std::thread::scope(|scope| {
            let watcher = &mut watcher;
            scope.spawn(move || watcher.watch(&receive, IdlePhases::default()));
            std::thread::sleep(Duration::from_millis(500));
        });
        let counters = watcher.counters(Window { start_ns: window_ns, end_ns });
        let of = |name: &str| find(&counters, "load:workers", &format!("/proc/self/task/*/syscall {name}"));
        let slept = of("wait_timer");
        assert!(slept.change().unwrap() > 0.0 && of("looks").change().unwrap() >= 1.0, "{counters:?}");
        assert_eq!(of("wait_socket").change(), Some(0.0));
    }

    fn find<'a>(counters: &'a [Counter], resource: &str, source: &str) -> &'a Counter {
        let found = counters.iter().find(|c| c.resource.as_str() == resource && c.source == source);
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
            let own: Vec<_> = series
                .iter()
                .filter(|s| s.resource == Resource::OWN_PROCESS && s.name == model::series::USER)
                .collect();
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
    #[ignore = "long: cargo xtask test --long"]
    fn series_reach_from_the_begin_of_idle_to_the_end_of_the_cool_down() {
        let root = tempfile::tempdir().unwrap();
        let chip = root.path().join("sys/class/hwmon/hwmon0");
        std::fs::create_dir_all(&chip).unwrap();
        std::fs::write(chip.join("name"), "coretemp\n").unwrap();
        for (file, text) in [("temp1_label", "Package id 0"), ("temp2_label", "Core 0")] {
            std::fs::write(chip.join(file), text).unwrap();
        }
        let cpu = root.path().join("sys/devices/system/cpu");
        std::fs::create_dir_all(cpu.join("cpu0/thermal_throttle")).unwrap();
        std::fs::write(cpu.join("online"), "0\n").unwrap();
        let at = |milli: u64| {
            let count = cpu.join("cpu0/thermal_throttle/core_throttle_count");
            std::fs::write(count, format!("{milli}\n")).unwrap();
            std::fs::write(chip.join("temp1_input"), format!("{milli}\n")).unwrap();
            std::fs::write(chip.join("temp2_input"), format!("{}\n", milli + 1000)).unwrap();
        };
        at(40_000);
        let host = Host::recorded(root.path());
        let mut watcher = Watcher::open(&host, &Scope::of(&Default::default(), &host).and_cores(true));
        let (send, receive) = channel();
        let rest = IdlePhases { idle_ns: 2_500_000_000, cool_down_ns: 1_200_000_000 };
        let begin_ns = clock::now_ns();
        let mut window = Window { start_ns: 0, end_ns: 0 };
        std::thread::scope(|scope| {
            let watcher = &mut watcher;
            send.send(SamplerCommand::Idle).unwrap();
            scope.spawn(move || watcher.watch(&receive, rest));
            std::thread::sleep(Duration::from_millis(2500));
            at(55_000);
            let start_ns = clock::now_ns() + 20_000_000;
            window = Window { start_ns, end_ns: start_ns + 1_100_000_000 };
            let timeline =
                Timeline { start_ns, window_ns: start_ns, interval_ns: 11_000_000, end_ns: window.end_ns };
            send.send(SamplerCommand::Window(timeline)).unwrap();
            std::thread::sleep(Duration::from_millis(1150));
            send.send(SamplerCommand::Closed).unwrap();
            at(42_000);
            std::thread::sleep(Duration::from_millis(1200));
            drop(send);
        });
        let end_ns = clock::now_ns();
        let series = watcher.series();
        let of = |name: &str| series.iter().find(|s| s.resource.as_str() == name).unwrap();
        for (core, add) in [("sensor:coretemp/Package id 0", 0.0), ("sensor:coretemp/Core 0", 1.0)] {
            let heat = of(core);
            assert_eq!(heat.values.last(), Some(&(42.0 + add)), "{heat:?}");
            for seen in [40.0, 55.0] {
                assert!(heat.values.contains(&(seen + add)), "{seen}: {heat:?}");
            }
            assert!(heat.start_ns >= begin_ns && heat.start_ns < window.start_ns, "{heat:?}");
            let reach_ns = heat.start_ns + heat.interval_ns * heat.values.len() as u64;
            assert!(reach_ns > window.end_ns && reach_ns <= end_ns + heat.interval_ns, "{heat:?}");
            assert_eq!((window.start_ns - heat.start_ns) % heat.interval_ns, 0, "an edge is the window's");
        }
        let used =
            find(&watcher.counters(window), "cpu:0", "/sys/devices/system/cpu core_throttle_count").clone();
        assert!(used.before_ns >= window.start_ns && used.after_ns < end_ns - 1_000_000_000, "{used:?}");
        assert_eq!((used.before, used.after), (55_000, 55_000), "counters are the window's");
        assert!(watcher.cost.watched_s >= 4.7, "{:?}", watcher.cost);
    }

    #[test]
    fn a_trial_that_never_starts_leaves_nothing_behind() {
        let mut watcher = Watcher::open(&Host::this(), &Scope::default());
        let (send, receive) = channel();
        drop(send);
        watcher.watch(&receive, IdlePhases::default());
        let window = Window { start_ns: 0, end_ns: u64::MAX };
        assert!(watcher.counters(window).is_empty() && watcher.series().is_empty());
        assert!(watcher.processes(window).is_empty());
    }
}
