//! How many of the operations that a load has under way its device has, by the device's own count. The kernel counts a
//! request from when the block layer has it (`/proc/diskstats`, the time of reads and writes): what waits for a throttle of a
//! control group or for a lock of a file system is none of it, and neither is what a thread computes.

use model::profile::{Durability, OperationClass};
use model::run::CaseResult;
use model::{Resource, Trial, metric};

use super::{
    DeviceWork, End, does, does_transactions, is_closed, is_direct, is_net, mean_of, median, operations,
    profile, workers,
};

/// A device that counts fewer operations than this share of the load's does not count them, or joins them.
const COUNTED: f64 = 0.8;

/// From this share of what is under way on, most of it is above the block layer: a thread that is woken up takes a part of
/// the time of a quick operation as well.
const MOST: f64 = 0.75;

/// Operations under way in the mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct UnderWay {
    /// Of the load, from when each was sent until it was done (Little's law).
    pub(crate) load: f64,
    /// At the device, those of others among them.
    pub(crate) device: f64,
    /// Threads of the load that compute, or stand ready without a CPU.
    threads: f64,
}

impl UnderWay {
    /// Of a load past the page cache that syncs nothing, for a flush is neither a read nor a write; absent where the device
    /// does not count, or counts fewer than the load has.
    pub(crate) fn of(case: &CaseResult, device: &Resource) -> Option<Self> {
        let syncs = !matches!(profile(case).durability, Durability::None | Durability::End);
        let moves = does(case, OperationClass::Read) || does(case, OperationClass::Write);
        if syncs || !moves || !is_direct(case) || is_net(case) || does_transactions(case) {
            return None;
        }
        let (_, rate) = operations(case)?;
        let since_sent = if is_closed(case) { metric::LATENCY } else { metric::SERVICE_TIME };
        let mean_s = median(case, |trial| mean_of(&trial.result.main().histograms, since_sent))?;
        let queue = |trial: &Trial| {
            let work = DeviceWork::of(trial, device)?;
            (work.operations >= COUNTED * rate).then_some(work.queue)
        };
        let at_device = median(case, queue)?;
        let wanted = End::Drives.wanted_share(case).or_else(|| End::Drives.worker_share(case))?;
        Some(Self { load: rate * mean_s, device: at_device, threads: wanted * workers(case) })
    }

    /// Whether most of the load's operations are neither at the device nor with a thread that computes: they wait above the
    /// block layer.
    pub(crate) fn is_above(&self) -> bool {
        self.load > 0.0 && self.load - self.device - self.threads >= MOST * self.load
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bottleneck::tests::disk;
    use crate::measure::layers::tests::did;

    #[test]
    fn what_neither_the_device_nor_a_thread_has_waits_above_it() {
        let of = |queue: f64, cpu_us: f64, counted: f64| {
            // 1,000 reads a second, each 1 ms: one is under way all the time.
            let mut case = disk(1, 1_000.0, 1_000.0, cpu_us);
            did(&mut case, "sda", counted * 4096e3, 0.0, queue);
            UnderWay::of(&case, &case.path[0].resource).map(|found| found.is_above())
        };
        assert_eq!(of(0.1, 20.0, 1.0), Some(true));
        assert_eq!(of(0.4, 20.0, 1.0), Some(false), "the device has it");
        assert_eq!(of(0.1, 300.0, 1.0), Some(false), "the thread computes");
        assert_eq!(of(0.1, 20.0, 0.5), None, "the device does not count it");
    }
}
