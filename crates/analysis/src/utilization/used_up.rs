//! A throttle that what its device counts uses up, though the load's own figures say otherwise: it moves more than the device
//! has to, as with a file that is compressed, sparse or in memory for a part, or the path does not tell which part of it comes
//! to a member of a mapping.

use std::ops::RangeInclusive;

use model::limit::{Limit, LimitKind};
use model::resource::PathStep;
use model::run::CaseResult;
use model::{Machine, ResourceKind, metric};

use super::counted::{self, HELD, REACHED};
use crate::measure::{self, End};

/// So many times the load's bytes are no more than the load's: the rest is the edges of a window, and what a file system adds.
const OWN: RangeInclusive<f64> = 0.0..=1.1;
/// Workers that neither compute nor stand ready without a CPU for this share of the time wait for the device.
const WAITS: f64 = 0.5;

/// What a case asks of a limit: where a throttle is used up, what its device counts.
pub(super) fn demand(case: &CaseResult, machine: &Machine, limit: &Limit, step: &PathStep) -> Option<f64> {
    at_device(case, limit, step).or_else(|| super::demand(case, machine, limit, step))
}

/// What a device counts of what a throttle holds, where that uses the throttle up, is no more than the load has, and the load
/// waits for most of its time. Whose it is, no device tells; what others do there would be near the throttle by chance only.
fn at_device(case: &CaseResult, limit: &Limit, step: &PathStep) -> Option<f64> {
    let is_throttle = limit.kind == LimitKind::Quota && limit.allowance.is_none();
    let is_block = step.resource.is_named(ResourceKind::Block) && limit.resource == step.resource;
    let no_figures =
        measure::is_net(case) || measure::does_transactions(case) || !case.loads.beside.is_empty();
    if !is_throttle || !is_block || no_figures || !super::is_for(case, limit) {
        return None;
    }
    let direction = limit.direction?;
    let [bytes, requests, joined] = counted::counters(direction);
    let rate = |name: &str| measure::median(case, |trial| End::Drives.rate(trial, &limit.resource, name));
    let moved = rate(bytes)?;
    let passed = match limit.quantity {
        // What was joined with a neighbour had passed the throttle before.
        metric::IOPS => rate(requests)? + rate(joined).unwrap_or_default(),
        metric::THROUGHPUT => moved,
        _ => return None,
    };
    let own = measure::of_load(measure::profile(case), &case.loads.main.estimates)?.of(Some(direction));
    // A mirror writes all of it to each of its members.
    let is_own = own > 0.0 && OWN.contains(&(moved / (own * step.amplification.max(1.0))));
    let is_used_up = (REACHED..=HELD).contains(&(passed / limit.bound()?));
    (is_own && is_used_up && waits(case)).then_some(passed)
}

/// Whether the workers of a load wait for most of their time.
fn waits(case: &CaseResult) -> bool {
    let used = End::Drives.wanted_share(case).or_else(|| End::Drives.worker_share(case));
    used.is_some_and(|used| 1.0 - used >= WAITS)
}

#[cfg(test)]
mod tests {
    use model::limit::Direction;
    use model::{Better, MetricName, Resource, Unit};

    use super::super::of_case;
    use super::*;
    use crate::bottleneck::tests::{disk, used};
    use crate::measure::layers::tests::did;
    use crate::validity::fixture;

    /// How much of a throttle of `sdb` of 1,000 operations, or of 4,096,000 bytes, a second is used by a load of `rate` blocks of
    /// 4 KiB each second of which `passed` come to that disk, which is one of two below a mapping, or the only one.
    fn share(quantity: MetricName, rate: f64, passed: f64, members: &[&str], cpu_us: f64) -> Option<f64> {
        let mut case = disk(1, rate, 1e6 / rate, cpu_us);
        let each = 1.0 / members.len() as f64;
        let step = |name: &str, amplification: f64| PathStep {
            resource: Resource::of(ResourceKind::Block, name),
            amplification,
        };
        case.path = if members.len() > 1 { vec![step("dm-0", 1.0)] } else { Vec::new() };
        case.path.extend(members.iter().map(|name| step(name, each)));
        did(&mut case, "sdb", passed * 4096.0, 0.0, 0.0);
        let unit = if quantity == metric::IOPS { Unit::PerSecond } else { Unit::BytesPerSecond };
        let sdb = Resource::from("block:sdb");
        let bound = Limit::new(sdb, quantity, unit, LimitKind::Quota, "a test".to_owned());
        let effective = if quantity == metric::IOPS { 1_000.0 } else { 4_096e3 };
        let limit = Limit { direction: Some(Direction::Read), effective: Some(effective), ..bound };
        let machine = Machine { limits: vec![limit], ..Machine::default() };
        of_case(&case, &machine).first().map(|used| (used.fraction * 100.0).round())
    }

    /// Bug: of a mapping one of whose members is throttled, and has all of the load, half of the throttle was said to be used.
    #[test]
    fn a_member_that_has_all_of_the_load_uses_up_its_throttle() {
        for quantity in [metric::IOPS, metric::THROUGHPUT] {
            assert_eq!(share(quantity, 990.0, 990.0, &["sda", "sdb"], 5.0), Some(99.0), "{quantity}");
        }
        assert_eq!(
            share(metric::THROUGHPUT, 600.0, 600.0, &["sda", "sdb"], 5.0),
            Some(30.0),
            "as the path says"
        );
        assert_eq!(
            share(metric::THROUGHPUT, 600.0, 990.0, &["sda", "sdb"], 5.0),
            Some(30.0),
            "of others, too"
        );
        assert_eq!(
            share(metric::THROUGHPUT, 990.0, 990.0, &["sda", "sdb"], 900.0),
            Some(50.0),
            "it computes"
        );
    }

    /// Bug: of a file that is compressed the load's bytes were held against a throttle of its disk, which had a third of them.
    #[test]
    fn what_the_device_has_of_a_compressed_file_uses_up_its_throttle() {
        for quantity in [metric::IOPS, metric::THROUGHPUT] {
            assert_eq!(share(quantity, 3_000.0, 990.0, &["sdb"], 5.0), Some(99.0), "{quantity}");
            assert_eq!(share(quantity, 3_000.0, 500.0, &["sdb"], 5.0), Some(300.0), "it holds nothing");
        }
    }

    /// Through the page cache as well, however little of it is compressed data.
    #[test]
    fn of_buffered_reads_of_a_compressed_file_too() {
        let mut case = disk(1, 9_000.0, 110.0, 5.0);
        fixture::set(&mut case, "direct", false);
        did(&mut case, "sda", 4_000e3, 0.0, 0.0);
        case.utilization = vec![used("block:sda", LimitKind::Quota, 0.5)];
        let estimate = fixture::estimate(9_000.0 * 4096.0, Unit::BytesPerSecond, Better::Higher);
        case.loads.main.estimates.insert(metric::THROUGHPUT, estimate);
        let sda = Resource::from("block:sda");
        let bound =
            Limit::new(sda, metric::THROUGHPUT, Unit::BytesPerSecond, LimitKind::Quota, String::new());
        let limit = Limit { direction: Some(Direction::Read), effective: Some(4_096e3), ..bound };
        let machine = Machine { limits: vec![limit], ..Machine::default() };
        assert_eq!(of_case(&case, &machine).first().map(|used| (used.fraction * 100.0).round()), Some(98.0));
    }
}
