//! Recorded operations, done again: where each goes on this target, when it is due, and what came of
//! it. The list is read before time counts and shared by all workers; nothing here allocates while it
//! does.

use std::sync::{Arc, Mutex};

use engine::queue::Operation;
use engine::schedule::{DueTimes, WorkerIndex};
use engine::{clock, lock};

use crate::workload::disk::access::Task;
use crate::workload::disk::pattern::{KINDS, Kind};

/// One recorded operation. Five million of them take 160 MB.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Step {
    /// When it began, ns after the first one.
    pub(super) due_ns: u64,
    /// Its first byte, counted from the start of its source.
    pub(super) offset: u64,
    pub(super) bytes: u64,
    /// How long it took, ns; 0 where nobody knows. Seven digits are more than a clock has.
    pub(super) latency_ns: f32,
    /// Which of the recording's files and devices it went to.
    pub(super) source: u16,
    pub(super) kind: Kind,
    /// Of a write: whether it was on the medium when it ended (FUA).
    pub(super) is_forced: bool,
}

/// How a place in the recording becomes one on the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mapping {
    /// It is the same.
    Same,
    /// Behind the target's end it begins anew at its start.
    Wrap,
    /// All of what was recorded is stretched or pressed onto all of the target.
    Scale,
}

/// Where the operations of some sources go on one target.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Placement {
    pub(super) mapping: Mapping,
    /// Bytes from the start of the first source to the end of the last one, side by side.
    pub(super) extent: u64,
    /// Bytes of the target, in whole units.
    pub(super) room: u64,
    /// What every place is a multiple of, before and after.
    pub(super) unit: u64,
    /// Places are rounded down and ends up to multiples of this; 1 for as they are.
    pub(super) align: u64,
    /// Where each source begins, by its number.
    pub(super) bases: Vec<u64>,
}

impl Placement {
    /// The first byte and the length of a step's operation on the target, and whether it was moved.
    /// What would reach behind the end is moved back until it does not.
    #[inline]
    pub(super) fn place(&self, step: &Step) -> (u64, u64, bool) {
        let at = self.bases.get(usize::from(step.source)).copied().unwrap_or(0) + step.offset;
        let (mut begin, mut bytes) = (at, step.bytes);
        if self.align > 1 {
            begin = at / self.align * self.align;
            bytes = (at + step.bytes).next_multiple_of(self.align) - begin;
        }
        let bytes = bytes.min(self.room);
        let placed = match self.mapping {
            Mapping::Same => return (begin, bytes, false),
            Mapping::Wrap => begin % self.room,
            Mapping::Scale => {
                let scaled = begin as f64 * (self.room as f64 / self.extent as f64);
                scaled as u64 / self.unit * self.unit
            }
        };
        let placed = placed.min(self.room - bytes);
        (placed, bytes, placed != begin)
    }
}

/// What of a recording one target gets.
#[derive(Debug)]
pub(super) struct Course {
    pub(super) steps: Arc<Vec<Step>>,
    /// The numbers of its steps; all of them where there is no such list.
    pub(super) chosen: Option<Vec<u32>>,
    pub(super) placement: Placement,
    /// Whether it reads what was written.
    pub(super) writes_as_reads: bool,
    /// Whether writes that were forced are forced again: an engine may have no way to.
    pub(super) forces: bool,
    /// From the start of one pass to that of the next, ns.
    pub(super) pass_ns: u64,
    /// How many times as fast as recorded.
    pub(super) speed: f64,
    /// After so many operations of all its workers it is over; never where absent.
    pub(super) end: Option<u64>,
}

impl Course {
    /// Operations of one pass.
    pub(super) fn len(&self) -> u64 {
        self.chosen.as_ref().map_or(self.steps.len(), Vec::len) as u64
    }

    /// The step of operation `number`, and in which pass.
    #[inline]
    pub(super) fn step(&self, number: u64) -> Option<(&Step, u64)> {
        let len = self.len();
        // Most are of the first pass, and dividing takes longer than all the rest.
        let pass = if number < len { 0 } else { number.checked_div(len)? };
        let within = (number - pass * len) as usize;
        let index = match &self.chosen {
            Some(chosen) => *chosen.get(within)? as usize,
            None => within,
        };
        Some((self.steps.get(index)?, pass))
    }

    /// What it does now.
    #[inline]
    pub(super) fn kind(&self, step: &Step) -> Kind {
        if self.writes_as_reads && step.kind == Kind::Write { Kind::Read } else { step.kind }
    }

    /// When operation `number` is due, ns from the start.
    #[inline]
    fn due_ns(&self, number: u64) -> Option<u64> {
        let (step, pass) = self.step(number)?;
        let ns = pass.saturating_mul(self.pass_ns).saturating_add(step.due_ns);
        Some((ns as f64 / self.speed) as u64)
    }
}

/// When the operations of one worker are due.
#[derive(Debug)]
pub(super) struct WorkerTimes {
    pub(super) course: Arc<Course>,
    pub(super) worker: WorkerIndex,
}

impl DueTimes for WorkerTimes {
    #[inline]
    fn due_ns(&self, sequence: u64) -> Option<u64> {
        let number = number_of(self.worker, sequence);
        let is_over = self.course.end.is_some_and(|end| number >= end);
        if is_over { None } else { self.course.due_ns(number) }
    }
}

/// The number of a worker's operation among those of all workers: they take turns.
#[inline]
fn number_of(worker: WorkerIndex, sequence: u64) -> u64 {
    (worker.index as u64).saturating_add(sequence.saturating_mul(worker.of as u64))
}

/// What was done, by kind, and how it went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) operations: [u64; KINDS],
    pub(super) bytes: [u64; KINDS],
    /// Writes that were on the medium when they ended.
    pub(super) forced: u64,
    /// Zeros that were written, for the file system has no other way.
    pub(super) zeros_written: u64,
    /// Operations at another place than was recorded.
    pub(super) moved: u64,
    /// Operations of which it was recorded how long they took.
    pub(super) compared: u64,
    /// Those of them that took longer.
    pub(super) slower: u64,
}

impl Counts {
    pub(super) fn add(&mut self, other: &Counts) {
        let sums = self.operations.iter_mut().chain(&mut self.bytes);
        for (sum, more) in sums.zip(other.operations.iter().chain(&other.bytes)) {
            *sum += more;
        }
        self.forced += other.forced;
        self.zeros_written += other.zeros_written;
        self.moved += other.moved;
        self.compared += other.compared;
        self.slower += other.slower;
    }
}

/// An operation in flight.
#[derive(Clone, Copy, Debug, Default)]
struct Flight {
    started_ns: u64,
    /// How long it took when it was recorded.
    latency_ns: f32,
}

/// One worker's part of a course. What it did is in the tally when it is gone.
#[derive(Debug)]
pub(super) struct Playback {
    course: Arc<Course>,
    worker: WorkerIndex,
    flights: Vec<Flight>,
    counts: Counts,
    tally: Arc<Mutex<Counts>>,
}

impl Playback {
    /// That of `worker` with so many operations in flight at once.
    pub(super) fn new(
        course: Arc<Course>,
        worker: WorkerIndex,
        depth: usize,
        tally: Arc<Mutex<Counts>>,
    ) -> Self {
        let flights = vec![Flight::default(); depth.max(1)];
        Self { course, worker, flights, counts: Counts::default(), tally }
    }

    pub(super) fn operations_to_end(&self) -> Option<u64> {
        let before = self.worker.index as u64;
        self.course.end.map(|end| end.saturating_sub(before).div_ceil(self.worker.of.max(1) as u64))
    }

    /// What `operation` does, which begins in `slot`.
    #[inline]
    pub(super) fn task(&mut self, slot: usize, operation: Operation) -> Task {
        let Some((step, _)) = self.course.step(number_of(self.worker, operation.sequence)) else {
            return Task::SYNC;
        };
        let is_timed = step.latency_ns > 0.0;
        self.flights[slot] =
            Flight { started_ns: if is_timed { clock::now_ns() } else { 0 }, latency_ns: step.latency_ns };
        let kind = self.course.kind(step);
        if kind == Kind::Sync {
            return Task::SYNC;
        }
        let (offset, bytes, is_moved) = self.course.placement.place(step);
        self.counts.moved += u64::from(is_moved);
        let is_forced = step.is_forced && kind == Kind::Write && self.course.forces;
        Task { kind, file: 0, offset, bytes, is_forced }
    }

    /// Zeros are written, for the file system has no other way.
    #[cold]
    pub(super) fn zeros_are_written(&self) {
        lock(&self.tally).zeros_written += 1;
    }

    /// `task`, which began in `slot`, is done; the kernel was given it at `handed_ns`, 0 where nobody
    /// took the time. Recorded is how long the device took, so that is what is compared.
    #[inline]
    pub(super) fn ended(&mut self, slot: usize, task: Task, handed_ns: u64) {
        self.counts.operations[task.kind as usize] += 1;
        self.counts.bytes[task.kind as usize] += task.bytes;
        self.counts.forced += u64::from(task.is_forced);
        let Flight { started_ns, latency_ns } = self.flights[slot];
        if latency_ns > 0.0 {
            let took_ns = clock::now_ns().saturating_sub(started_ns.max(handed_ns));
            self.counts.compared += 1;
            self.counts.slower += u64::from(took_ns as f64 > f64::from(latency_ns));
        }
    }
}

impl Drop for Playback {
    fn drop(&mut self) {
        lock(&self.tally).add(&self.counts);
    }
}

#[cfg(test)]
mod tests {
    use model::Parameters;

    use super::*;
    use crate::workload::disk::access::Access;
    use crate::workload::disk::content::Content;
    use crate::workload::disk::job::{Flight as JobFlight, Job};
    use crate::workload::disk::{plan_with, target};

    fn step(due_ns: u64, offset: u64, kind: Kind) -> Step {
        Step { due_ns, offset, bytes: 4096, latency_ns: 0.0, source: 0, kind, is_forced: false }
    }

    fn placement(mapping: Mapping, extent: u64, room: u64) -> Placement {
        Placement { mapping, extent, room, unit: 4096, align: 1, bases: vec![0, 1 << 20] }
    }

    #[test]
    fn places_are_mapped_by_the_rule_and_never_reach_behind_the_end() {
        let at = |mapping, offset, bytes| {
            let step = Step { bytes, ..step(0, offset, Kind::Read) };
            placement(mapping, 1 << 20, 64 << 10).place(&step)
        };
        assert_eq!(at(Mapping::Same, 8192, 4096), (8192, 4096, false));
        assert_eq!(at(Mapping::Wrap, 8192, 4096), (8192, 4096, false));
        assert_eq!(at(Mapping::Wrap, (64 << 10) + 4096, 4096), (4096, 4096, true));
        // It would reach over the end, so it begins before.
        assert_eq!(at(Mapping::Wrap, 60 << 10, 8192), (56 << 10, 8192, true));
        assert_eq!(at(Mapping::Wrap, 0, 1 << 20), (0, 64 << 10, false));
        assert_eq!(at(Mapping::Scale, 512 << 10, 4096), (32 << 10, 4096, true));
        assert_eq!(at(Mapping::Scale, (512 << 10) + 32768, 4096), (32 << 10, 4096, true));
        let second = Step { source: 1, ..step(0, 4096, Kind::Read) };
        assert_eq!(placement(Mapping::Same, 2 << 20, 2 << 20).place(&second).0, (1 << 20) + 4096);
    }

    #[test]
    fn what_is_aligned_covers_what_was_recorded() {
        let aligned = Placement { align: 4096, ..placement(Mapping::Same, 1 << 20, 1 << 20) };
        let odd = Step { bytes: 1000, ..step(0, 4000, Kind::Read) };
        assert_eq!(aligned.place(&odd), (0, 8192, false));
    }

    fn course(end: Option<u64>) -> Course {
        let steps = vec![step(0, 0, Kind::Read), step(100, 4096, Kind::Write), step(300, 8192, Kind::Read)];
        Course {
            steps: Arc::new(steps),
            chosen: None,
            placement: placement(Mapping::Same, 1 << 20, 1 << 20),
            writes_as_reads: false,
            forces: true,
            pass_ns: 450,
            speed: 2.0,
            end,
        }
    }

    #[test]
    fn operations_behind_a_pass_begin_the_next_one() {
        let course = course(None);
        let at = |number| course.step(number).map(|(step, pass)| (step.due_ns, pass));
        assert_eq!(
            [at(0), at(2), at(3), at(7)],
            [Some((0, 0)), Some((300, 0)), Some((0, 1)), Some((100, 2))]
        );
        let nothing = Course { chosen: Some(Vec::new()), ..course };
        assert!(nothing.step(0).is_none());
        // A number that no recording has does not overflow.
        let times = WorkerTimes { course: Arc::new(nothing), worker: WorkerIndex { index: 1, of: 4 } };
        assert_eq!(times.due_ns(u64::MAX), None);
    }

    #[test]
    fn workers_take_turns_and_each_is_due_when_the_recording_says() {
        let course = Arc::new(course(Some(5)));
        let due = |index| {
            let times = WorkerTimes { course: Arc::clone(&course), worker: WorkerIndex { index, of: 2 } };
            (0..4).map_while(|sequence| times.due_ns(sequence)).collect::<Vec<_>>()
        };
        // The fourth operation is the first of the second pass.
        assert_eq!((due(0), due(1)), (vec![0, 150, 275], vec![50, 225]));
        let own = |index| {
            let worker = WorkerIndex { index, of: 2 };
            Playback::new(Arc::clone(&course), worker, 1, Arc::default()).operations_to_end()
        };
        assert_eq!((own(0), own(1)), (Some(3), Some(2)));
    }

    #[test]
    fn what_was_done_is_counted_when_the_worker_is_gone() {
        let tally: Arc<Mutex<Counts>> = Arc::default();
        let mut alone =
            Playback::new(Arc::new(course(None)), WorkerIndex { index: 0, of: 1 }, 1, Arc::clone(&tally));
        for sequence in 0..4 {
            let task = alone.task(0, Operation { index: sequence, sequence });
            alone.ended(0, task, 0);
        }
        assert_eq!(lock(&tally).operations, [0; KINDS]);
        drop(alone);
        let counts = *lock(&tally);
        assert_eq!((counts.operations, counts.bytes), ([3, 1, 0, 0, 0], [12288, 4096, 0, 0, 0]));
        assert_eq!(counts.compared, 0, "nobody knows how long they took");
    }

    /// Bug: the length of a discard counted as bytes that were moved.
    #[test]
    fn a_discard_moves_no_bytes() {
        let mut plan = plan_with(Parameters::default()).unwrap();
        target::resolve_sizes(&mut plan, 1 << 20);
        let worker = WorkerIndex { index: 0, of: 1 };
        let playback = Playback::new(Arc::new(course(None)), worker, 1, Arc::default());
        let mut job = Job {
            playback: Some(Box::new(playback)),
            ..Job::new(Access::of(&plan).unwrap(), Vec::new(), "target", Content::Random, false)
        };
        let task = Task { kind: Kind::Trim, bytes: 1 << 30, ..Task::SYNC };
        let ended =
            |job: &mut Job| job.ended(0, JobFlight { task, handed_ns: 0 }, Ok(1 << 30)).unwrap().bytes;
        assert_eq!(ended(&mut job), 0);
        // Where all that a load does is discard, that is its rate.
        job.playback = None;
        assert_eq!(ended(&mut job), 1 << 30);
    }

    #[test]
    fn writes_that_were_forced_are_forced_again_where_that_can_be_done() {
        for (forces, writes_as_reads, expected) in
            [(true, false, [false, true, false]), (false, false, [false; 3]), (true, true, [false; 3])]
        {
            let mut course = Course { forces, writes_as_reads, ..course(None) };
            // Of what is no write the flag says nothing.
            let steps = course.steps.iter().map(|step| Step { is_forced: true, ..*step });
            course.steps = Arc::new(steps.collect());
            let tally: Arc<Mutex<Counts>> = Arc::default();
            let worker = WorkerIndex { index: 0, of: 1 };
            let mut alone = Playback::new(Arc::new(course), worker, 1, Arc::clone(&tally));
            let forced = [0, 1, 2].map(|sequence| {
                let task = alone.task(0, Operation { index: sequence, sequence });
                alone.ended(0, task, 0);
                task.is_forced
            });
            assert_eq!(forced, expected);
            drop(alone);
            assert_eq!(lock(&tally).forced, u64::from(expected[1]));
        }
    }

    #[test]
    fn what_took_longer_than_recorded_is_counted() {
        let tally: Arc<Mutex<Counts>> = Arc::default();
        let mut course = course(None);
        let times = [1.0, 3.6e12, 0.0];
        let steps = course.steps.iter().zip(times).map(|(step, latency_ns)| Step { latency_ns, ..*step });
        course.steps = Arc::new(steps.collect());
        let mut alone =
            Playback::new(Arc::new(course), WorkerIndex { index: 0, of: 1 }, 1, Arc::clone(&tally));
        for sequence in 0..3 {
            let task = alone.task(0, Operation { index: sequence, sequence });
            std::thread::sleep(std::time::Duration::from_millis(1));
            alone.ended(0, task, 0);
        }
        drop(alone);
        let counts = *lock(&tally);
        // Nothing takes less than a nanosecond, or an hour.
        assert_eq!((counts.compared, counts.slower), (2, 1));
    }
}
