//! How much of a network interface a case used, at either end.

use model::limit::{Direction, Limit};
use model::machine::Machine;
use model::run::{CaseResult, Utilization};

use crate::measure;

/// Bytes of heads in a packet: IPv4, TCP, and TCP's timestamps.
const HEADS: f64 = 20.0 + 20.0 + 12.0;

/// What the case asks of the interface that its data passed on another machine,
/// as that machine's end told of it.
pub(crate) fn of_far(case: &CaseResult, machine: &Machine) -> Vec<Utilization> {
    let end = measure::good(case).filter_map(measure::far).find(|p| p.machine == machine.id);
    let Some(interface) = end.and_then(|p| p.facts.get("interface")) else { return Vec::new() };
    let resource = format!("nic:{interface}");
    let limits = machine.limits.iter().filter(|l| l.resource == resource && l.quantity == "throughput");
    let used = |limit: &Limit| {
        let (bound, source) = bound(case, machine, limit, true)?;
        // What one end sends the other receives.
        let here = limit.direction.map(|direction| match direction {
            Direction::Read => Direction::Write,
            Direction::Write => Direction::Read,
        });
        let demand = measure::carried(case, here)?;
        Some(Utilization {
            machine: Some(machine.id.clone()),
            resource: resource.clone(),
            quantity: limit.quantity.clone(),
            kind: limit.kind,
            demand,
            limit: bound,
            unit: limit.unit,
            fraction: demand / bound,
            line_only: limit.effective.is_none(),
            source: format!("{source}, of {}", machine.id),
        })
    };
    limits.filter_map(used).collect()
}

/// What to hold a demand against, and where that is known from. What payload gets
/// of an interface goes by the MTU that it had in the trial and by the segments
/// that TCP made (`mss`, options taken off), not by the MTU that it had when the
/// machine was described.
pub(super) fn bound(
    case: &CaseResult,
    machine: &Machine,
    limit: &Limit,
    of_far: bool,
) -> Option<(f64, String)> {
    let known = limit.bound()?;
    let by_trial = || {
        let name = limit.resource.strip_prefix("nic:")?;
        let then = f64::from(machine.inventory.network.iter().find(|n| n.name == name)?.mtu);
        let (line, effective) = (limit.line?, limit.effective?);
        let trial = measure::good(case).next()?;
        let mtu = measure::number(trial, of_far, "interface_mtu")?;
        let sender_is_far = case.parameters.is_word("direction", "receive");
        let mss = measure::number(trial, sender_is_far, "mss")?;
        // IPv6 has 20 bytes more of head, and timestamps may be off.
        if (mtu, mss) == (then, then - HEADS) {
            return None;
        }
        // What counts beside a packet, by who limits, was reckoned with the heads
        // of then (machine::limit, network links).
        let around = line * (then - HEADS) / effective - then;
        let bound = Some(line * mss / (mtu + around)).filter(|b| b.is_finite() && *b > 0.0)?;
        Some((
            bound,
            format!("{}; in the trial the MTU was {mtu:.0}, and a segment {mss:.0} bytes", limit.source),
        ))
    };
    Some(by_trial().unwrap_or_else(|| (known, limit.source.clone())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::utilization::of_case;
    use crate::validity::fixture;
    use model::limit::LimitKind;
    use model::resource::PathStep;
    use model::{Better, Unit};

    #[test]
    fn what_payload_gets_of_a_link_goes_by_the_mtu_of_the_trial() {
        let mut machine = Machine::default();
        let nic = model::machine::NetworkInterface { name: "eth0".into(), mtu: 1500, ..Default::default() };
        machine.inventory.network.push(nic);
        // 10 GbE: 9.41 Gb/s at an MTU of 1500, 9.90 at 9000.
        machine.limits.push(Limit {
            resource: "nic:eth0".to_owned(),
            quantity: "throughput".to_owned(),
            direction: None,
            kind: LimitKind::Link,
            line: Some(1.25e9),
            effective: Some(1.25e9 * 1448.0 / 1538.0),
            unit: Unit::BytesPerSecond,
            block_bytes: None,
            access: None,
            source: "link at 10 Gb/s".to_owned(),
        });
        let mut case = fixture::case(1);
        case.workload = "net.stream".to_owned();
        case.parameters.set("direction", "send");
        case.path = vec![PathStep { resource: "nic:eth0".to_owned(), amplification: 1.0 }];
        let estimate = fixture::estimate(9.41e9 / 8.0, Unit::BytesPerSecond, Better::Higher);
        case.estimates.insert("throughput".to_owned(), estimate);
        let fraction = |mtu: u64, mss: u64| {
            let mut case = case.clone();
            let facts = &mut case.trials[0].result.facts;
            facts.insert("interface_mtu".to_owned(), mtu.into());
            facts.insert("mss".to_owned(), mss.into());
            of_case(&case, &machine).into_iter().find(|u| u.resource == "nic:eth0").unwrap().fraction
        };
        assert!((fraction(1500, 1448) - 1.0).abs() < 0.001);
        assert!((fraction(9000, 8948) - 9.41 / 9.90).abs() < 0.001, "{}", fraction(9000, 8948));
        // Over IPv6 the same figure is more of what there is.
        assert!((fraction(1500, 1428) - 9.41e9 / (1e10 * 1428.0 / 1538.0)).abs() < 1e-6);
    }
}
