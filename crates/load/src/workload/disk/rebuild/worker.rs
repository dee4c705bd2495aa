//! A worker of `disk` that knows which phase it is: its operations are of the class of the phase in which they end. It
//! costs two readings of the clock for each, which a load on an array does not feel.

use std::ops::Range;
use std::sync::Arc;

use engine::drive::WorkerContext;
use engine::fault::Fault;
use engine::queue::{Class, Completion, Operation, OperationPart, Queue, UNRECORDED, Wait};
use engine::{Worker, clock};
use model::trial::Timeline;
use model::{FactName, Value};

use crate::workload::disk::rebuild::course::LatencyRecorder;
use crate::workload::disk::rebuild::event::{EventPhase, EventState};

/// A class for each phase, and one for syncs.
pub(super) const CLASSES: &[Class] = &[
    of_phase(EventPhase::Before),
    of_phase(EventPhase::Degraded),
    of_phase(EventPhase::During),
    of_phase(EventPhase::After),
    Class { name: "sync", counts: false, fails: false },
];

/// The class of syncs.
const SYNC: u8 = 4;

const fn of_phase(phase: EventPhase) -> Class {
    Class { name: phase.name(), counts: true, fails: false }
}

/// The worker.
pub(super) struct PhasedWorker {
    disk: Box<dyn Worker>,
    /// The classes that its operations have of `disk`.
    classes: &'static [Class],
    state: Arc<EventState>,
    /// When the operation in each slot started, ns.
    started_ns: Vec<u64>,
    latencies: LatencyRecorder,
}

impl PhasedWorker {
    /// One that drives `disk`, whose operations are of `classes`.
    pub(super) fn new(disk: Box<dyn Worker>, classes: &'static [Class], state: Arc<EventState>) -> Self {
        let started_ns = vec![0; disk.depth()];
        Self { disk, classes, state, started_ns, latencies: LatencyRecorder::new(u64::MAX) }
    }

    /// The class of an operation that ended in this phase; what ends behind the last is not recorded.
    fn class(&self, of_disk: u8, phase: usize) -> u8 {
        if of_disk == UNRECORDED || phase >= EventPhase::ALL.len() {
            return UNRECORDED;
        }
        match self.classes.get(usize::from(of_disk)) {
            Some(class) if !class.counts => SYNC,
            _ => u8::try_from(phase).unwrap_or(0),
        }
    }
}

impl Queue for PhasedWorker {
    fn depth(&self) -> usize {
        self.disk.depth()
    }

    fn set_timeline(&mut self, timeline: Timeline) {
        self.latencies = LatencyRecorder::new(timeline.window_ns);
        self.state.begin(timeline.window_ns);
        self.disk.set_timeline(timeline);
    }

    fn start(&mut self, slot: usize, operation: Operation) -> Result<(), Fault> {
        self.started_ns[slot] = clock::now_ns();
        self.disk.start(slot, operation)
    }

    fn reap(&mut self, wait: Wait, done: &mut Vec<Completion>) -> Result<(), Fault> {
        self.disk.reap(wait, done)?;
        self.state.check()?;
        let (now_ns, phase) = (clock::now_ns(), self.state.phase());
        for completion in done {
            completion.class = self.class(completion.class, phase);
            if completion.class < SYNC {
                let piece = self.latencies.record(self.started_ns[completion.slot], now_ns);
                piece.into_iter().for_each(|piece| self.state.hand_in(piece));
            }
        }
        Ok(())
    }

    fn take_parts(&mut self, parts: &mut Vec<OperationPart>) {
        self.disk.take_parts(parts);
    }

    /// The event ends it.
    fn operations_to_end(&self) -> Option<u64> {
        Some(u64::MAX)
    }

    fn follows(&self) -> bool {
        self.disk.follows()
    }

    fn ended(&self) -> bool {
        self.state.is_over() || self.disk.ended()
    }

    fn settle(&mut self) -> Result<bool, Fault> {
        self.state.check()?;
        self.latencies.take().into_iter().for_each(|piece| self.state.hand_in(piece));
        self.disk.settle()
    }

    fn verify(&mut self, life: &WorkerContext<'_>) -> Result<(), Fault> {
        self.disk.verify(life)
    }

    fn facts(&self) -> Vec<(FactName, Value)> {
        let mut facts = self.disk.facts();
        facts.extend(self.state.facts());
        facts
    }

    fn buffers(&self) -> Vec<Range<*const u8>> {
        self.disk.buffers()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two operations at once, done as soon as they are asked for: reads and syncs in turn.
    struct Instantly(Vec<(usize, u8)>);

    impl Queue for Instantly {
        fn depth(&self) -> usize {
            2
        }

        fn start(&mut self, slot: usize, operation: Operation) -> Result<(), Fault> {
            self.0.push((slot, u8::from(operation.index % 2 == 1)));
            Ok(())
        }

        fn reap(&mut self, _wait: Wait, done: &mut Vec<Completion>) -> Result<(), Fault> {
            done.extend(self.0.drain(..).map(|(slot, class)| Completion {
                slot,
                class,
                ..Completion::default()
            }));
            Ok(())
        }
    }

    const OF_DISK: &[Class] = &[
        Class { name: "read", counts: true, fails: false },
        Class { name: "sync", counts: false, fails: false },
    ];

    #[test]
    fn operations_are_of_the_phase_in_which_they_end_and_syncs_are_syncs() {
        let state = Arc::new(EventState::default());
        let mut worker = PhasedWorker::new(Box::new(Instantly(Vec::new())), OF_DISK, Arc::clone(&state));
        worker.set_timeline(Timeline { start_ns: 0, window_ns: 0, interval_ns: 1, end_ns: u64::MAX });
        for index in [0, 1] {
            let slot = usize::try_from(index).unwrap();
            worker.start(slot, Operation { index, sequence: index }).unwrap();
        }
        let mut done = Vec::new();
        worker.reap(Wait::One, &mut done).unwrap();
        let classes: Vec<&str> = done.iter().map(|one| CLASSES[usize::from(one.class)].name).collect();
        assert_eq!(classes, ["before", "sync"]);
        assert_eq!(
            (worker.class(0, 2), worker.class(1, 2), worker.class(UNRECORDED, 2)),
            (2, SYNC, UNRECORDED)
        );
        assert_eq!(worker.class(0, EventPhase::ALL.len()), UNRECORDED);
        assert!(!worker.ended());
    }

    #[test]
    fn classes_are_in_the_order_of_the_phases() {
        let names: Vec<&str> = EventPhase::ALL.into_iter().map(EventPhase::name).collect();
        let of_classes: Vec<&str> = CLASSES.iter().map(|class| class.name).collect();
        assert_eq!(of_classes[..4], names);
        assert!(!CLASSES[usize::from(SYNC)].counts);
    }
}
