//! How long each part of the way took, as btt divides it.
//!
//! All times are of bios, as btt's are: a request of three bios counts three times. A bio that
//! was split counts once for each part, from the queueing of the whole, and one that was done in
//! two goes when the last of it is done (btt loses both). Two events of one
//! nanosecond are 0 apart here, and 1 ns in btt.
//! Bios without data (flushes) are counted apart.

use super::flight::{Bio, NEVER};
use super::traffic::IoClass;
use super::values::{ValueRecorder, ValueSummary};

/// A part of a bio's way. Times in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IoPhase {
    /// Q2G: from queue until a request was allocated.
    QueueToGet,
    /// G2I: from there until the scheduler had it. Each time, where a request was requeued.
    GetToInsert,
    /// Q2I: from queue until the scheduler had it, the first time.
    QueueToInsert,
    /// Q2M: from queue until it was merged into a request.
    QueueToMerge,
    /// From the allocation until the driver had it, where no scheduler came between. btt has no
    /// name for it.
    GetToIssue,
    /// I2D: from the scheduler to the driver. Each time, where a request was requeued.
    InsertToIssue,
    /// M2D: from the merge until the driver had it. Each time.
    MergeToIssue,
    /// Q2D: all before the driver. Each time.
    QueueToIssue,
    /// D2C: at the driver and the device, since it was issued last.
    IssueToComplete,
    /// Q2C: all of the way.
    QueueToComplete,
}

impl IoPhase {
    /// All of them, in the order of the way and of arrays.
    pub const ALL: [Self; 10] = [
        Self::QueueToGet,
        Self::GetToInsert,
        Self::QueueToInsert,
        Self::QueueToMerge,
        Self::GetToIssue,
        Self::InsertToIssue,
        Self::MergeToIssue,
        Self::QueueToIssue,
        Self::IssueToComplete,
        Self::QueueToComplete,
    ];
}

/// The times of one phase and class, in nanoseconds.
#[derive(Clone, Debug, PartialEq)]
pub struct PhaseTimes {
    /// Which part of the way.
    pub phase: IoPhase,
    /// Of which kind of I/O.
    pub class: IoClass,
    /// How long it took.
    pub times_ns: ValueSummary,
}

/// Where the time of those bios went whose whole way was seen. One with a flush before it waits for the device
/// meanwhile, and no event of it says so: it is left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TimeShares {
    /// Bios with a queueing, an issue and a completion.
    pub bios: u64,
    /// Their Q2C together, in nanoseconds.
    pub queue_to_complete_ns: u128,
    /// Their D2C together, in nanoseconds.
    pub issue_to_complete_ns: u128,
}

impl TimeShares {
    /// The share of the time that the device had them; the rest they waited in the host.
    #[must_use]
    pub fn device(&self) -> Option<f64> {
        (self.queue_to_complete_ns > 0)
            .then(|| self.issue_to_complete_ns as f64 / self.queue_to_complete_ns as f64)
    }
}

/// Takes the times of all phases and classes.
#[derive(Clone, Debug, Default)]
pub(super) struct PhaseRecorder {
    times: [[ValueRecorder; 3]; IoPhase::ALL.len()],
    shares: TimeShares,
}

impl PhaseRecorder {
    fn record(&mut self, phase: IoPhase, bio: &Bio, from: u64, to: u64) {
        if from != NEVER
            && let Some(class) = IoClass::of(bio.operation.direction)
        {
            self.times[phase as usize][class as usize].record(to.saturating_sub(from));
        }
    }

    pub(super) fn allocated(&mut self, bio: &mut Bio, now: u64) {
        self.record(IoPhase::QueueToGet, bio, bio.queue_ns, now);
        bio.get_ns = now;
    }

    pub(super) fn merged(&mut self, bio: &mut Bio, now: u64) {
        self.record(IoPhase::QueueToMerge, bio, bio.queue_ns, now);
        bio.merge_ns = now;
    }

    pub(super) fn inserted(&mut self, bio: &mut Bio, now: u64) {
        self.record(IoPhase::GetToInsert, bio, bio.get_ns, now);
        if bio.insert_ns == NEVER {
            self.record(IoPhase::QueueToInsert, bio, bio.queue_ns, now);
        }
        bio.insert_ns = now;
    }

    pub(super) fn issued(&mut self, bio: &mut Bio, now: u64) {
        if bio.insert_ns != NEVER {
            self.record(IoPhase::InsertToIssue, bio, bio.insert_ns, now);
        } else if bio.merge_ns != NEVER {
            self.record(IoPhase::MergeToIssue, bio, bio.merge_ns, now);
        } else {
            self.record(IoPhase::GetToIssue, bio, bio.get_ns, now);
        }
        self.record(IoPhase::QueueToIssue, bio, bio.queue_ns, now);
        bio.issue_ns = now;
    }

    pub(super) fn completed(&mut self, bio: &Bio, now: u64) {
        self.record(IoPhase::QueueToComplete, bio, bio.queue_ns, now);
        self.record(IoPhase::IssueToComplete, bio, bio.issue_ns, now);
        if bio.is_issued() && !bio.operation.flags.preflush {
            self.shares.bios += 1;
            self.shares.queue_to_complete_ns += u128::from(now.saturating_sub(bio.queue_ns));
            self.shares.issue_to_complete_ns += u128::from(now.saturating_sub(bio.issue_ns));
        }
    }

    pub(super) const fn shares(&self) -> TimeShares {
        self.shares
    }

    /// The phases that occurred.
    pub(super) fn report(self) -> Vec<PhaseTimes> {
        IoPhase::ALL
            .into_iter()
            .zip(self.times)
            .flat_map(|(phase, classes)| {
                IoClass::ALL.into_iter().zip(classes).map(move |(class, times)| (phase, class, times))
            })
            .filter(|(_, _, times)| times.count() > 0)
            .map(|(phase, class, times)| PhaseTimes { phase, class, times_ns: times.summary() })
            .collect()
    }
}
