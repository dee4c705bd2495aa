//! The fixtures that are ready, kept for the cases that share them.

use std::sync::atomic::{AtomicBool, Ordering};

use engine::Fault;
use load::workload::disk::fixture::Fixture;
use load::workload::disk::in_memory;
use load::workload::{DeviceProbe, MemoryBeneath, Shelf};
use machine::storage::{device_identity, device_state, memory_beneath};
use machine::{Host, inventory};
use model::machine::Memory;
use model::plan::FixtureKey;
use model::scalar::binary;

/// How workloads here learn about block devices.
pub(crate) const LOOK: DeviceProbe = DeviceProbe { state: device_state, identity: device_identity };

/// Everything that is ready.
#[derive(Debug, Default)]
pub(crate) struct Fixtures(Vec<Fixture>);

impl Fixtures {
    /// Makes what is not there yet; `tell` hears how far the present one is.
    pub(crate) fn make(
        &mut self,
        wanted: &[FixtureKey],
        cancel: &AtomicBool,
        tell: &mut dyn FnMut(&FixtureKey, u64),
    ) -> Result<(), Fault> {
        for key in wanted {
            if self.fixture(key).is_none() {
                check_memory(key)?;
                let fixture = Fixture::make(key, LOOK, &mut |done| {
                    tell(key, done);
                    !cancel.load(Ordering::Relaxed)
                })?;
                self.0.push(fixture);
            }
        }
        Ok(())
    }

    /// Puts away what is there of these.
    pub(crate) fn release(&mut self, keys: &[FixtureKey]) {
        self.0.retain(|f| !keys.contains(f.key()));
    }
}

/// Other fixtures of ours may have taken memory since the survey, which looked at
/// one case at a time.
fn check_memory(key: &FixtureKey) -> Result<(), Fault> {
    let Some((bytes, name)) = in_memory::fixture_bytes(key, MemoryBeneath(memory_beneath)) else {
        return Ok(());
    };
    let mut memory = Memory::default();
    inventory::memory::refresh(&Host::this(), &mut memory);
    let free = memory.available_bytes;
    if bytes <= free / 10 * 9 {
        return Ok(());
    }
    let (target, bytes, free) = (&key.target, binary(bytes), binary(free));
    Err(Fault::Other(format!("{target} is memory in the end ({name}) and may take {bytes}; {free} are free")))
}

impl Shelf for Fixtures {
    fn fixture(&self, key: &FixtureKey) -> Option<&Fixture> {
        self.0.iter().find(|f| f.key().is_same(key))
    }
}

#[cfg(test)]
mod tests;
