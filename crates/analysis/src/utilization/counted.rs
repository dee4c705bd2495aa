//! What a device below a loop device did, where that is throttled.

use std::ops::RangeInclusive;

use model::limit::{Direction, Limit};
use model::metric;
use model::run::CaseResult;

use crate::measure::{self, End};

/// How much more or less than the load asks for may pass a device below a loop device, as
/// times of it: its file system keeps and adds a little, others much.
const ALIKE: RangeInclusive<f64> = 0.5..=1.5;

/// What the device of an imposed limit below a loop device did. Which requests the file
/// system above it makes of the load's is not known, but bytes are about as many, if it is
/// the load that they are of.
pub(super) fn at_device(case: &CaseResult, limit: &Limit) -> Option<f64> {
    let direction = limit.direction?;
    let (bytes, requests) = match direction {
        Direction::Read => ("read_sectors", "reads"),
        Direction::Write => ("written_sectors", "writes"),
    };
    let rate = |name: &str| measure::median(case, |trial| End::Drives.rate(trial, &limit.resource, name));
    let own = measure::of_load(measure::profile(case), &case.loads.main.estimates)?.of(Some(direction));
    let is_own = own > 0.0 && ALIKE.contains(&(rate(bytes)? / own));
    is_own.then(|| rate(if limit.quantity == metric::IOPS { requests } else { bytes }))?
}

#[cfg(test)]
mod tests {
    use super::super::of_case;
    use crate::validity::fixture;
    use model::limit::{Direction, LimitKind};
    use model::resource::PathStep;
    use model::run::CaseResult;
    use model::{Better, Limit, Machine, Resource, ResourceKind, Unit, metric};

    /// Bug: a throttle below a loop device was known and not named.
    #[test]
    fn a_throttle_below_a_loop_device_is_held_against_what_its_device_did() {
        let mut case = fixture::disk_case("randread", 50e6, 51e6);
        let estimate = fixture::estimate(50e6, Unit::BytesPerSecond, Better::Higher);
        case.loads.main.estimates.insert(metric::THROUGHPUT, estimate);
        let step =
            |name: &str| PathStep { resource: Resource::of(ResourceKind::Block, name), amplification: 1.0 };
        let files = PathStep { resource: Resource::from("filesystem:/ (ext4)"), amplification: 1.0 };
        case.path = vec![step("loop0"), files, step("sda")];
        let sda = || Resource::of(ResourceKind::Block, "sda");
        let link =
            Limit::new(sda(), metric::THROUGHPUT, Unit::BytesPerSecond, LimitKind::Link, String::new());
        let throttle = |quantity, rate: f64, unit| Limit {
            direction: Some(Direction::Read),
            effective: Some(rate),
            ..Limit::new(sda(), quantity, unit, LimitKind::Quota, "a test".to_owned())
        };
        let machine = Machine {
            limits: vec![
                throttle(metric::THROUGHPUT, 52e6, Unit::BytesPerSecond),
                throttle(metric::IOPS, 1250.0, Unit::PerSecond),
                Limit { effective: Some(52e6), ..link },
            ],
            ..Machine::default()
        };
        let shares =
            |case: &CaseResult| of_case(case, &machine).iter().map(|u| u.fraction).collect::<Vec<_>>();
        let [bytes, requests] = shares(&case)[..] else { panic!("{:?}", of_case(&case, &machine)) };
        assert!((bytes - 51.0 / 52.0).abs() < 1e-3 && (requests - 0.8).abs() < 1e-3, "{bytes} {requests}");
        // Somebody else's bytes say nothing of it.
        case.loads.main.estimates.get_mut(&metric::THROUGHPUT).unwrap().median = 5e6;
        assert_eq!(shares(&case), Vec::<f64>::new());
    }
}
