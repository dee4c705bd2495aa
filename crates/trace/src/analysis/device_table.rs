//! What is kept of each device, up to a number of devices.

use super::DEVICES_MAX;
use crate::event::Device;

/// Devices in the order in which they were first seen.
#[derive(Clone, Debug)]
pub(super) struct DeviceTable<T> {
    devices: Vec<(Device, T)>,
    /// Where the device of the last event stands: the next one's is most often the same.
    last: usize,
}

impl<T> DeviceTable<T> {
    pub(super) const fn new() -> Self {
        Self { devices: Vec::new(), last: 0 }
    }

    /// What is kept of this device, made if it is new; nothing if there are too many.
    pub(super) fn entry(&mut self, device: Device, make: impl FnOnce() -> T) -> Option<&mut T> {
        if self.devices.get(self.last).is_none_or(|(known, _)| *known != device) {
            self.last = match self.devices.iter().position(|(known, _)| *known == device) {
                Some(place) => place,
                None if self.devices.len() < DEVICES_MAX => {
                    self.devices.push((device, make()));
                    self.devices.len() - 1
                }
                None => return None,
            };
        }
        self.devices.get_mut(self.last).map(|(_, kept)| kept)
    }

    /// All of them, to be changed.
    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut (Device, T)> {
        self.devices.iter_mut()
    }

    /// All of them.
    pub(super) fn into_devices(self) -> impl Iterator<Item = (Device, T)> {
        self.devices.into_iter()
    }

    /// What is kept of all of them.
    #[cfg(test)]
    pub(super) fn kept(&self) -> Vec<&T> {
        self.devices.iter().map(|(_, kept)| kept).collect()
    }
}
