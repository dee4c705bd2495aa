//! How long the work of the kernel's queues ran while the load did, by the kernel's events: whatever device it was for.

use std::sync::Arc;

use engine::Fault;
use machine::trace::{TraceError, WorkCapture, WorkTimes};
use model::layer::{WorkQueueSource, WorkQueueUse};
use model::trial::{MachineTrial, Window};

use super::{TrialWatch, WindowTimes};

/// So many queues are told of.
const TOP: usize = 20;
/// Where the kernel had no room for more than this part of the events, nothing is concluded from the others.
const LOST_MOST: f64 = 0.01;

/// Says why the work cannot be watched: by a look, or because that is begun, and ended at once.
pub(super) fn look(_names: &[String], is_tried: bool) -> Result<(), String> {
    let found = match is_tried {
        true => WorkCapture::start(|_| false).and_then(WorkCapture::finish).map(|_| ()),
        false => WorkCapture::look(),
    };
    found.map_err(|error| error.to_string())
}

/// Begins to watch.
pub(super) fn begin(_names: &[String], times: &Arc<WindowTimes>) -> Result<Box<dyn TrialWatch>, Fault> {
    let window = Arc::clone(times);
    let capture = WorkCapture::start(move |at_ns| window.hold(at_ns)).map_err(of_trace)?;
    Ok(Box::new(WorkWatch { capture, times: Arc::clone(times) }))
}

fn of_trace(error: TraceError) -> Fault {
    Fault::Other(format!("the trace of the kernel's queues: {error}"))
}

struct WorkWatch {
    capture: WorkCapture,
    times: Arc<WindowTimes>,
}

impl TrialWatch for WorkWatch {
    fn finish(self: Box<Self>, machine: &mut MachineTrial) -> Result<(), Fault> {
        let Self { capture, times } = *self;
        let found = capture.finish().map_err(of_trace)?;
        if let Some(used) = times.window().and_then(|window| used(&found, window)) {
            machine.work_queues = used;
        }
        Ok(())
    }
}

/// What each queue used in a window; none where too many events were lost.
fn used(found: &WorkTimes, window: Window) -> Option<Vec<WorkQueueUse>> {
    let lost = found.lost_events as f64;
    let is_known = found.events > 0 && lost <= LOST_MOST * (found.events as f64 + lost);
    let of = |(queue, seconds): &(String, f64)| WorkQueueUse {
        queue: queue.clone(),
        cpu_s: *seconds,
        watched_s: window.seconds(),
        by: WorkQueueSource::Events,
    };
    is_known.then(|| found.queues.iter().take(TOP).map(of).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_seen_of_most_events_is_told_and_of_few_is_not() {
        let window = Window { start_ns: 0, end_ns: 2_000_000_000 };
        let queues = vec![("kcryptd-253:0-1".to_owned(), 1.5)];
        let found = WorkTimes { queues, events: 1000, lost_events: 5 };
        let all = used(&found, window).unwrap();
        assert_eq!(
            (all.len(), all[0].queue.as_str(), all[0].by),
            (1, "kcryptd-253:0-1", WorkQueueSource::Events)
        );
        assert!((all[0].cpu_s - 1.5).abs() < 1e-9 && (all[0].watched_s - 2.0).abs() < 1e-9);
        assert_eq!(used(&WorkTimes { lost_events: 500, ..found.clone() }, window), None);
        assert_eq!(used(&WorkTimes::default(), window), None);
    }
}
