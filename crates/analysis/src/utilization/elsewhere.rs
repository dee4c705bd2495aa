//! A rate that is imposed beside the path: what comes to an interface may be passed through another one, whose queueing discipline
//! holds it (`ifb`, tc-mirred(8)), and what leaves a bridge leaves by one of its ports. Which way packets take within a machine is not
//! followed; but an interface that carries just as much as the load has, as fast as its rate lets it, while it holds packets back, is on
//! that way.

use std::ops::RangeInclusive;

use model::limit::{Direction, Limit, LimitKind, LimitScope};
use model::run::{CaseResult, Utilization};
use model::{Machine, ResourceKind, Trial, metric};

use super::interface::HELD;
use crate::measure::{self, End};

/// The load has so much of what payload may have, and the interface carries so much of its rate.
const REACHED: RangeInclusive<f64> = 0.93..=1.02;
const CARRIED: RangeInclusive<f64> = 0.93..=1.05;

/// What a case has of rates of interfaces that are not on its path.
pub(super) fn of_case(case: &CaseResult, machine: &Machine) -> Vec<Utilization> {
    if !measure::is_net(case) {
        return Vec::new();
    }
    let ways = [Direction::Read, Direction::Write];
    let Some(moved) = ways.iter().filter_map(|way| measure::carried(case, Some(*way))).reduce(f64::max)
    else {
        return Vec::new();
    };
    let is_beside = |limit: &&Limit| {
        limit.kind == LimitKind::Quota
            && limit.quantity == metric::THROUGHPUT
            && limit.scope == LimitScope::All
            && limit.allowance.is_none()
            && limit.resource.is_named(ResourceKind::Nic)
            && case.path.iter().all(|step| step.resource != limit.resource)
    };
    let holds = |limit: &&Limit| {
        let rate = |name: &'static str| {
            measure::median(case, |trial: &Trial| End::Drives.rate(trial, &limit.resource, name))
        };
        let (Some(bound), Some(line)) = (limit.bound(), limit.line) else { return false };
        let held =
            rate("qdisc_overlimits").zip(rate("tx_packets")).is_some_and(|(held, sent)| held >= HELD * sent);
        let carries = rate("tx_bytes").is_some_and(|carried| CARRIED.contains(&(carried / line)));
        held && carries && REACHED.contains(&(moved / bound))
    };
    let limits = machine.limits.iter().filter(is_beside).filter(holds);
    limits.filter_map(|limit| super::of_limit(limit, moved)).collect()
}

#[cfg(test)]
mod tests {
    use model::resource::PathStep;
    use model::{Better, Resource, Unit};

    use super::*;
    use crate::bottleneck::tests::verdict_on;
    use crate::utilization;
    use crate::validity::fixture;

    /// What is said of a stream that receives 12 MB/s, while an interface beside its path that lets through 12.5 MB/s carries so much
    /// and holds packets back so often.
    fn found(carried: u64, held: u64) -> model::Finding {
        let mut case = fixture::case(1);
        fixture::workload(&mut case, "net.stream");
        for (name, value) in [("direction", "receive"), ("protocol", "tcp"), ("peer", "10.0.0.2:7117")] {
            fixture::set(&mut case, name, value);
        }
        case.path = vec![PathStep { resource: Resource::from("nic:eth0"), amplification: 1.0 }];
        let estimate = fixture::estimate(12e6, Unit::BytesPerSecond, Better::Higher);
        case.loads.main.estimates.insert(metric::THROUGHPUT, estimate);
        let count = |name: &str, count| fixture::counter("nic:ifb0", &format!("x {name}"), 1.0, count);
        case.trials[0].result.local_mut().counters =
            vec![count("tx_bytes", carried), count("tx_packets", 8000), count("qdisc_overlimits", held)];
        let mut machine = Machine::default();
        let (unit, source) = (Unit::BytesPerSecond, "queueing discipline tbf".to_owned());
        let quota =
            Limit::new(Resource::from("nic:ifb0"), metric::THROUGHPUT, unit, LimitKind::Quota, source);
        let direction = Some(Direction::Write);
        machine.limits = vec![Limit { direction, line: Some(12.5e6), effective: Some(12.1e6), ..quota }];
        case.utilization = utilization::of_case(&case, &machine);
        verdict_on(&machine, &[case])
    }

    /// Bug: of a stream whose packets are held back on an interface of their own as they come nothing was named.
    #[test]
    fn a_rate_of_an_interface_beside_the_path_that_carries_just_this_load_is_named() {
        let shaped = found(12_450_000, 4000);
        assert_eq!((shaped.code.as_str(), shaped.resource), ("io-quota", Some(Resource::from("nic:ifb0"))));
        assert_ne!(found(12_450_000, 0).code, "io-quota", "it holds nothing back");
        assert_ne!(found(5_000_000, 4000).code, "io-quota", "it carries something else");
    }
}
