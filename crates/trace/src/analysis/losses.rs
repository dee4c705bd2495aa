//! What is not known: events that the kernel had no room for, and what could not be matched.

/// The figures that lost events touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AffectedFigure {
    /// Counts, bytes, rates and who did what are too low.
    Counts,
    /// Times of phases are of those whose events were seen; the others may have been slower.
    Phases,
    /// Depths may be too low where an issue was lost, and too high where a completion was.
    Depth,
    /// What seems a seek may have been sequential, and a stall may have been a gap of ours.
    Order,
}

/// What could not be matched on one device, and why. None of it is guessed: a completion
/// without a beginning counts as completed, and in no time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UnmatchedIo {
    /// Completions whose beginning was not seen, before any event was lost: they were on
    /// their way when the trace began.
    pub begun_before: u64,
    /// Issues of what was not seen to be queued, before any event was lost: it was queued
    /// before the trace, or by a driver above that queues nothing.
    pub queued_before: u64,
    /// Completions whose beginning was not seen, after events had been lost.
    pub completions_after_loss: u64,
    /// Issues of what was not seen to be queued, after events had been lost.
    pub issues_after_loss: u64,
    /// Bios that were on their way when the trace ended.
    pub unfinished_bios: u64,
    /// Requests that the device had when the trace ended.
    pub unfinished_requests: u64,
    /// Bios and requests that were given up, because so many can only be left over from lost
    /// events.
    pub given_up: u64,
}

impl UnmatchedIo {
    /// What only lost events explain.
    #[must_use]
    pub const fn by_loss(&self) -> u64 {
        self.completions_after_loss + self.issues_after_loss + self.given_up
    }
}

/// Events that the kernel had no room for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LossReport {
    /// How often it was seen that a buffer had been full.
    pub times: u64,
    /// How many events, as far as the kernel told.
    pub events: u64,
    /// How many of the times it did not tell how many.
    pub times_unknown: u64,
    /// When it was first and last seen, on the trace's clock.
    pub seen_ns: Option<(u64, u64)>,
    /// The CPUs whose buffers were full, of the first 1,024.
    pub cpus: Vec<u32>,
    /// Which figures this touches: none where nothing was lost.
    pub affected: Vec<AffectedFigure>,
}

/// CPUs that are named.
const CPUS_MAX: usize = 1024;

/// Follows losses.
#[derive(Clone, Debug, Default)]
pub(super) struct LossRecorder {
    report: LossReport,
    /// A bit for each CPU.
    cpus: [u64; CPUS_MAX / 64],
}

impl LossRecorder {
    pub(super) fn take(&mut self, now: u64, cpu: u32, events: Option<u64>) {
        let report = &mut self.report;
        report.times += 1;
        match events {
            Some(events) => report.events = report.events.saturating_add(events),
            None => report.times_unknown += 1,
        }
        report.seen_ns = Some((report.seen_ns.map_or(now, |(first, _)| first), now));
        let cpu = cpu as usize;
        if cpu < CPUS_MAX {
            self.cpus[cpu / 64] |= 1 << (cpu % 64);
        }
    }

    /// Whether anything was lost so far.
    pub(super) const fn any(&self) -> bool {
        self.report.times > 0
    }

    pub(super) fn report(self) -> LossReport {
        let cpus = (0..CPUS_MAX as u32).filter(|cpu| self.cpus[*cpu as usize / 64] >> (cpu % 64) & 1 == 1);
        let affected = if self.any() {
            vec![AffectedFigure::Counts, AffectedFigure::Phases, AffectedFigure::Depth, AffectedFigure::Order]
        } else {
            Vec::new()
        };
        LossReport { cpus: cpus.collect(), affected, ..self.report }
    }
}
