//! Where bios came from: partitions, stacked devices, swap.

use super::counts::{CountedBytes, ReadWrite};
use super::options::{AnalysisOptions, SwapCounters};
use super::traffic::IoClass;
use crate::event::{BlockEvent, Device};

/// Pairs of devices that are counted one by one.
pub const REMAPS_MAX: usize = 256;

/// Bios that went from one device on to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RemapCount {
    /// The partition or stacked device that they were sent to.
    pub from: Device,
    /// The device that they went to.
    pub to: Device,
    /// How many, and their bytes.
    pub bios: ReadWrite<CountedBytes>,
}

/// I/O of one swap device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SwapDeviceIo {
    /// The device or partition.
    pub device: Device,
    /// What was read from it and written to it. The reads of swapping in, the writes of
    /// swapping out.
    pub io: ReadWrite<CountedBytes>,
}

/// What is known of swapping. Nothing else in a trace is evidence of it: that the idle task
/// (`swapper`) ran when something was completed only says that the CPU had nothing else to do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SwapReport {
    /// The swap devices that were named, and their own I/O.
    pub devices: Vec<SwapDeviceIo>,
    /// What the kernel counted meanwhile, where the caller told.
    pub counters: Option<SwapCounters>,
}

/// Counts what comes from where.
#[derive(Clone, Debug)]
pub(super) struct StackRecorder {
    remaps: Vec<RemapCount>,
    remaps_beyond: u64,
    swap: Vec<SwapCounts>,
    counters: Option<SwapCounters>,
}

/// What was queued to a swap device, and what passed on from it. A partition has no queue of
/// its own, and only the latter is seen; a stacked device has both, of the same data.
#[derive(Clone, Copy, Debug)]
struct SwapCounts {
    device: Device,
    queued: ReadWrite<CountedBytes>,
    passed_on: ReadWrite<CountedBytes>,
}

impl StackRecorder {
    pub(super) fn new(options: &AnalysisOptions) -> Self {
        let counts = |device: &Device| SwapCounts {
            device: *device,
            queued: ReadWrite::default(),
            passed_on: ReadWrite::default(),
        };
        Self {
            remaps: Vec::new(),
            remaps_beyond: 0,
            swap: options.swap_devices.iter().map(counts).collect(),
            counters: options.swap_counters,
        }
    }

    pub(super) const fn set_counters(&mut self, counters: SwapCounters) {
        self.counters = Some(counters);
    }

    /// A bio came to `to`, from a device above it.
    pub(super) fn remapped(&mut self, event: &BlockEvent, from: Device, to: Device) {
        if let Some(swap) = self.swap.iter_mut().find(|swap| swap.device == from) {
            count(&mut swap.passed_on, event);
        }
        let place = self.remaps.iter().position(|remap| remap.from == from && remap.to == to);
        let remap = match place {
            Some(place) => &mut self.remaps[place],
            None if self.remaps.len() < REMAPS_MAX => {
                self.remaps.push(RemapCount { from, to, bios: ReadWrite::default() });
                let last = self.remaps.len() - 1;
                &mut self.remaps[last]
            }
            None => {
                self.remaps_beyond += 1;
                return;
            }
        };
        count(&mut remap.bios, event);
    }

    /// A bio came to `device`.
    pub(super) fn queued(&mut self, event: &BlockEvent, device: Device) {
        if let Some(swap) = self.swap.iter_mut().find(|swap| swap.device == device) {
            count(&mut swap.queued, event);
        }
    }

    pub(super) fn report(self) -> (Vec<RemapCount>, u64, SwapReport) {
        let devices = self.swap.iter().map(|swap| {
            let has_queue = swap.queued != ReadWrite::default();
            SwapDeviceIo { device: swap.device, io: if has_queue { swap.queued } else { swap.passed_on } }
        });
        let swap = SwapReport { devices: devices.collect(), counters: self.counters };
        (self.remaps, self.remaps_beyond, swap)
    }
}

/// Counts what moves data.
fn count(io: &mut ReadWrite<CountedBytes>, event: &BlockEvent) {
    match IoClass::of(event.operation.direction) {
        Some(IoClass::Read) => io.reads.add(event.bytes),
        Some(IoClass::Write) => io.writes.add(event.bytes),
        Some(IoClass::Other) | None => {}
    }
}
