//! How many bytes the devices at the bottom of a stack read and wrote for each byte of the load: what parity, journals,
//! copies and read-ahead of the layers make of it, by the counters of these devices.

use model::layer::{LayerDevice, StorageLayers};
use model::machine::BlockKind;
use model::metric;
use model::run::CaseResult;
use model::trial::Trial;

use crate::measure::{self, DeviceWork};

/// Bytes at the bottom of a stack for each byte of the load.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Amplification {
    /// Bytes that were read.
    pub read: f64,
    /// Bytes that were written.
    pub written: f64,
}

/// That of a case, in the trial in the middle; absent where the load passes no stack, or its lowest devices count
/// nothing (memory does not).
#[must_use]
pub fn amplification(case: &CaseResult) -> Option<Amplification> {
    let layers = measure::stacked(case)?;
    let ground = ground(layers);
    let of = |trial: &Trial| {
        let load = measure::measured(trial, metric::THROUGHPUT).filter(|rate| *rate > 0.0)?;
        let all = ground.iter().map(|device| DeviceWork::of(trial, &device.resource));
        let all: Vec<DeviceWork> = all.collect::<Option<_>>()?;
        let sum = |of: fn(&DeviceWork) -> f64| all.iter().map(of).sum::<f64>() / load;
        let found = Amplification { read: sum(|work| work.read), written: sum(|work| work.written) };
        let bytes = found.read + found.written;
        (bytes > 0.0).then_some((bytes, found))
    };
    measure::middle(case, of)
}

/// The lowest devices: loop devices, where the stack stands on such, and not what their files lie on.
pub(crate) fn ground(layers: &StorageLayers) -> Vec<&LayerDevice> {
    let lowest = || layers.devices.iter().filter(|device| device.below.is_empty());
    let loops: Vec<&LayerDevice> = lowest().filter(|device| device.kind == BlockKind::Loop).collect();
    if loops.is_empty() { lowest().collect() } else { loops }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::layers::tests::{device, did, put, stack};
    use crate::validity::fixture;

    #[test]
    fn what_members_read_and_wrote_is_told_for_each_byte_of_the_load() {
        let mut case = fixture::disk_case("randwrite", 4096e3, 4096e3);
        assert_eq!(amplification(&case), None);
        put(&mut case, &stack("raid5"));
        assert_eq!(amplification(&case), None, "they did not count");
        for disk in ["sda", "sdb", "sdc", "sdd"] {
            did(&mut case, disk, 1024e3, 2048e3, 0.1);
        }
        let found = amplification(&case).unwrap();
        assert!((found.read - 1.0).abs() < 1e-9 && (found.written - 2.0).abs() < 1e-9, "{found:?}");
    }

    #[test]
    fn what_the_file_of_a_loop_device_lies_on_is_another_s() {
        let mut case = fixture::disk_case("write", 4096e3, 4096e3);
        let devices = vec![device("loop0", BlockKind::Loop, &[]), device("vda", BlockKind::Disk, &[])];
        put(&mut case, &StorageLayers { devices, work_cpus: Vec::new() });
        did(&mut case, "loop0", 0.0, 4096e3, 0.1);
        did(&mut case, "vda", 0.0, 9e9, 0.1);
        assert!((amplification(&case).unwrap().written - 1.0).abs() < 1e-9);
    }
}
