//! Numbers of events, as the kernel counts them: for each device and each CPU from 1.

use crate::event::Device;
use crate::key_hash::KeyMap;

/// So many pairs are counted; then the count begins anew. No machine has as many.
const PAIRS_MAX: usize = 1 << 16;

/// More are not left out at once: what reads traces takes a larger gap for a count that began anew.
const GAP_MAX: u64 = 1 << 30;

/// The last number of each.
#[derive(Debug, Default)]
pub(crate) struct Sequences(KeyMap<(Device, u32), u32>);

impl Sequences {
    /// The next number of events of this device on this CPU.
    pub(crate) fn next(&mut self, device: Device, cpu: u32) -> u32 {
        let last = self.last(device, cpu);
        *last = last.wrapping_add(1);
        *last
    }

    /// Leaves out the numbers of events that were lost.
    pub(crate) fn leave_out(&mut self, device: Device, cpu: u32, events: u64) {
        let last = self.last(device, cpu);
        *last = last.wrapping_add(events.min(GAP_MAX) as u32);
    }

    fn last(&mut self, device: Device, cpu: u32) -> &mut u32 {
        if self.0.len() >= PAIRS_MAX && !self.0.contains_key(&(device, cpu)) {
            self.0.clear();
        }
        self.0.entry((device, cpu)).or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_device_is_counted_on_each_cpu() {
        let mut all = Sequences::default();
        let [a, b] = [1, 2].map(|minor| Device { major: 8, minor });
        let counted = [(a, 0), (a, 0), (a, 1), (b, 0), (a, 0)].map(|(device, cpu)| all.next(device, cpu));
        assert_eq!(counted, [1, 2, 1, 1, 3]);
        all.leave_out(a, 0, 5);
        assert_eq!((all.next(a, 0), all.next(a, 1)), (9, 2));
    }
}
