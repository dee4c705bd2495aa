//! What both tracers of a benchmark have in common: how much room the kernel has for their events,
//! how long they run at most, and what is counted of a trace.

use crate::context::BenchContext;
use xtask::Error;

/// What the buffer of each CPU has.
pub(crate) const BUFFER_MIB: u32 = 16;

/// How long a tracer runs at most, beside the time that a run measures: if nobody ends it, it ends
/// by itself.
const PATIENCE_S: u32 = 120;

/// The most seconds that a tracer runs.
pub(crate) fn seconds_most(context: &BenchContext) -> u32 {
    PATIENCE_S + u32::from(context.seconds)
}

/// How many events there were, by the kernel's own counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TraceCounts {
    /// Those that were read.
    pub(crate) read: u64,
    /// Those that were not.
    pub(crate) lost: u64,
}

impl TraceCounts {
    /// All that the kernel made.
    pub(crate) fn all(self) -> f64 {
        (self.read + self.lost) as f64
    }

    /// Which part of them was lost.
    pub(crate) fn lost_share(self) -> f64 {
        self.lost as f64 / self.all().max(1.0)
    }

    /// An error if so many operations cannot have been traced: each has two events at least.
    pub(crate) fn require(self, operations: f64) -> Result<(), Error> {
        let all = self.all();
        if all >= 2.0 * operations {
            return Ok(());
        }
        Err(Error::Bench(format!("a trace of {operations} operations has {all} events: it is not of them")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_of_something_else_is_refused() {
        let counts = TraceCounts { read: 150, lost: 50 };
        assert_eq!(counts.lost_share(), 0.25);
        counts.require(100.0).unwrap();
        counts.require(101.0).unwrap_err();
        assert_eq!(TraceCounts { read: 0, lost: 0 }.lost_share(), 0.0);
    }
}
