//! Numbers of events, as the kernel counts them: for each device and each CPU from 1.

use std::collections::HashMap;

use crate::event::Device;

/// So many pairs are counted; then the count begins anew. No machine has as many.
const PAIRS_MAX: usize = 1 << 16;

/// The last number of each.
#[derive(Debug, Default)]
pub(crate) struct Sequences(HashMap<(Device, u32), u32>);

impl Sequences {
    /// The next number of events of this device on this CPU.
    pub(crate) fn next(&mut self, device: Device, cpu: u32) -> u32 {
        if self.0.len() >= PAIRS_MAX && !self.0.contains_key(&(device, cpu)) {
            self.0.clear();
        }
        let last = self.0.entry((device, cpu)).or_default();
        *last = last.wrapping_add(1);
        *last
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
    }
}
