//! What control groups allow (`Documentation/admin-guide/cgroup-v2.rst`,
//! `cpu.max` and `io.max`, and their like of version 1).

use model::limit::{Direction, LimitKind};
use model::machine::{Inventory, IoThrottle};
use model::{Limit, Resource, ResourceKind, Unit, metric};

pub(super) fn limits(inventory: &Inventory) -> Vec<Limit> {
    let cpu = inventory.cgroup.cpu_quota.map(|seconds| {
        let source = "the control group's CPU quota".to_owned();
        let bound = Limit::new(Resource::CPUS, metric::CPU, Unit::One, LimitKind::Quota, source);
        Limit { effective: Some(seconds), ..bound }
    });
    cpu.into_iter().chain(inventory.cgroup.io.iter().flat_map(throttles)).collect()
}

/// The bounds of one device. Zero throttles nothing, in either version.
fn throttles(io: &IoThrottle) -> Vec<Limit> {
    [
        (io.read_bytes, Direction::Read, Unit::BytesPerSecond),
        (io.write_bytes, Direction::Write, Unit::BytesPerSecond),
        (io.read_operations, Direction::Read, Unit::PerSecond),
        (io.write_operations, Direction::Write, Unit::PerSecond),
    ]
    .into_iter()
    .filter_map(|(rate, direction, unit)| {
        let rate = rate.filter(|r| *r > 0)?;
        let (quantity, noun) = match unit {
            Unit::PerSecond => (metric::IOPS, "operations"),
            _ => (metric::THROUGHPUT, "bytes"),
        };
        let verb = if direction == Direction::Read { "reads" } else { "writes" };
        let resource = Resource::of(ResourceKind::Block, &io.device);
        let source = format!("the control group's throttle on {noun} of {verb}");
        let bound = Limit::new(resource, quantity, unit, LimitKind::Quota, source);
        Some(Limit { direction: Some(direction), effective: Some(rate as f64), ..bound })
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_throttle_is_a_bound_of_its_device() {
        let mut inventory = Inventory::default();
        inventory.cgroup.io = vec![IoThrottle {
            device: "vda".to_owned(),
            read_bytes: Some(100_000_000),
            write_bytes: None,
            read_operations: Some(0),
            write_operations: Some(500),
        }];
        let found: Vec<_> = limits(&inventory)
            .into_iter()
            .map(|l| (l.resource, l.quantity, l.direction, l.effective, l.unit))
            .collect();
        let device = || Resource::from("block:vda");
        assert_eq!(
            found,
            [
                (device(), metric::THROUGHPUT, Some(Direction::Read), Some(1e8), Unit::BytesPerSecond),
                (device(), metric::IOPS, Some(Direction::Write), Some(500.0), Unit::PerSecond),
            ]
        );
    }
}
