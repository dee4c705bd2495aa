//! What is watched of the threads that drive the main load: what they wait in,
//! what the kernel accounts of their waits, and what the processor counts; and
//! of what is not known, why.

use machine::Host;
use machine::sampler::{self, CountedMode, Sampler, WorkerWaits};
use model::{FactName, Value, fact};

/// The workers, and what is not known of them.
#[derive(Default)]
pub(super) struct WorkerWatch {
    /// None where they cannot be asked, or are not known.
    pub(super) waits: Option<WorkerWaits>,
    unknown: Vec<(FactName, String)>,
    hardware: Option<CountedMode>,
}

impl WorkerWatch {
    /// Of these threads of this process, with the samplers that they are read by.
    pub(super) fn open(threads: &[u32]) -> (Self, Vec<Box<dyn Sampler>>) {
        let (mut own, mut samplers) = (Self::default(), Vec::new());
        if let Some(waits) = own.known(fact::WAITS_UNKNOWN, WorkerWaits::open(threads)) {
            samplers.extend(waits.sampler());
            own.waits = Some(waits);
        }
        let delays = sampler::delays(&Host::this(), threads);
        samplers.extend(own.known(fact::DELAYS_UNKNOWN, delays).into_iter().flatten());
        if let Some((counters, mode)) = own.known(fact::HARDWARE_COUNTERS_UNKNOWN, sampler::hardware(threads))
        {
            samplers.extend(counters);
            own.hardware = Some(mode);
        }
        (own, samplers)
    }

    /// What there is; else the reason is kept.
    fn known<T>(&mut self, unknown: FactName, found: Result<T, String>) -> Option<T> {
        found.map_err(|reason| self.unknown.push((unknown, reason))).ok()
    }

    /// What is counted and what is not, with its reason.
    pub(super) fn facts(&self) -> impl Iterator<Item = (FactName, Value)> {
        let mode = |mode| match mode {
            CountedMode::UserAndKernel => fact::USER_AND_KERNEL,
            CountedMode::User => fact::USER,
        };
        let counted = self.hardware.map(|hardware| (fact::HARDWARE_COUNTERS, mode(hardware).into()));
        let unknown = self.unknown.iter().map(|(name, reason)| (*name, reason.as_str().into()));
        unknown.chain(counted)
    }
}
