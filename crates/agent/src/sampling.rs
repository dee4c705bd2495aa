//! The kernel's counters at every interval's edge while a trial runs. Its own
//! CPU time is measured, since watching disturbs.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use load::engine::clock;
use load::engine::record::Timeline;
use machine::sampler::{ABSENT, Sampler};
use model::machine::ObserverCost;
use model::trial::{Counter, Window};
use rustix::time::{ClockId, clock_gettime};

/// Samples kept of one trial; a trial that ends by count may last long.
const SAMPLES_MAX: usize = 20_000;

/// Intervals shorter than this are not all sampled, ns.
const PACE_NS: u64 = 50_000_000;

/// One look at all samplers.
#[derive(Debug)]
struct Sample {
    at_ns: u64,
    /// The columns of all samplers, one after the other.
    values: Vec<u64>,
}

/// What was seen during a trial.
#[derive(Debug, Default)]
pub(crate) struct Samples {
    samples: Vec<Sample>,
    pub(crate) cost: ObserverCost,
}

/// Waits for the timeline, then samples at each interval's edge from the
/// window's start to its end. Where a count ends the window, the other side
/// hangs up then, which wakes this thread at once.
pub(crate) fn watch(samplers: &mut [Box<dyn Sampler>], timeline: &Receiver<Timeline>) -> Samples {
    let hung_up = timeline;
    let Ok(timeline) = timeline.recv() else { return Samples::default() };
    // The default slack of 50 us would be added to each wake-up.
    let _ = rustix::thread::set_current_timer_slack(Some(std::num::NonZeroU64::MIN));
    let mut seen = Samples::default();
    let begin_cpu = thread_cpu_s();
    // MSER-5 cuts off whole batches of five intervals, so these edges suffice.
    let every = if timeline.interval_ns < PACE_NS { 5 } else { 1 };
    let mut edge = timeline.window_ns;
    loop {
        let left = Duration::from_nanos(edge.saturating_sub(clock::now_ns()));
        let over = matches!(hung_up.recv_timeout(left), Err(RecvTimeoutError::Disconnected));
        let mut values = vec![ABSENT; samplers.iter().map(|s| s.columns().len()).sum()];
        let mut rest = values.as_mut_slice();
        for sampler in samplers.iter_mut() {
            let (own, others) = rest.split_at_mut(sampler.columns().len());
            sampler.read(own);
            rest = others;
        }
        seen.samples.push(Sample { at_ns: clock::now_ns(), values });
        if over || edge >= timeline.end_ns {
            break;
        }
        if seen.samples.len() >= SAMPLES_MAX {
            // Only the edges of the window are needed; keep the first and go on.
            seen.samples.truncate(1);
        }
        edge = (edge + timeline.interval_ns * every).min(timeline.end_ns);
    }
    let watched_s = clock::now_ns().saturating_sub(timeline.window_ns) as f64 / 1e9;
    let cpus = machine::inventory::cpu::allowed_count();
    seen.cost = ObserverCost { cpu_s: thread_cpu_s() - begin_cpu, watched_s, cpus };
    seen
}

fn thread_cpu_s() -> f64 {
    let t = clock_gettime(ClockId::ThreadCPUTime);
    t.tv_sec as f64 + t.tv_nsec as f64 / 1e9
}

impl Samples {
    /// Every counter at the window's edges: the samples nearest to them.
    pub(crate) fn counters(&self, samplers: &[Box<dyn Sampler>], window: Window) -> Vec<Counter> {
        let nearest = |at_ns: u64| self.samples.iter().min_by_key(|s| s.at_ns.abs_diff(at_ns));
        let (Some(before), Some(after)) = (nearest(window.start_ns), nearest(window.end_ns)) else {
            return Vec::new();
        };
        let mut counters = Vec::new();
        let columns = samplers.iter().flat_map(|s| s.columns().iter().map(|c| (s.source(), c)));
        for ((source, column), (first, last)) in columns.zip(before.values.iter().zip(&after.values)) {
            if *first == ABSENT || *last == ABSENT {
                continue;
            }
            counters.push(Counter {
                machine: "local".to_owned(),
                resource: column.resource.clone(),
                source: format!("{source} {}", column.name),
                before: *first,
                after: *last,
                before_ns: before.at_ns,
                after_ns: after.at_ns,
                unit: Some(column.unit),
                scale: Some(column.scale),
            });
        }
        counters
    }
}
