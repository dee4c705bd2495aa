//! What the caller knows of the machine, and the trace does not say.

use crate::event::Device;

/// What an analysis is told beside the trace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnalysisOptions {
    /// The devices and partitions that are used for nothing but swap. A swap file's device must
    /// not stand here: its file system's I/O would be taken for swapping.
    pub swap_devices: Vec<Device>,
    /// How much was swapped meanwhile, where the caller counted it.
    pub swap_counters: Option<SwapCounters>,
}

/// By how much two counters of `/proc/vmstat` grew while the trace ran, in pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SwapCounters {
    /// `pswpin`: pages read from swap.
    pub pages_in: u64,
    /// `pswpout`: pages written to swap.
    pub pages_out: u64,
}
