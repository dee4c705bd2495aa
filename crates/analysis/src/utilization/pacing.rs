//! What the sockets of a load may send: somebody set the rate at which each is paced at most (`SO_MAX_PACING_RATE`, socket(7)), be
//! it the program or one that sets it for others' sockets (a BPF program of a control group). TCP paces what it is given, without
//! heads (`tcp_update_skb_after_send` in net/ipv4/tcp_output.c).

use model::limit::{Direction, LimitKind};
use model::profile::Transport;
use model::run::{CaseResult, Utilization};
use model::{Resource, Unit, fact, metric};

use crate::measure::{self, End};

/// How much of that an end has which sends over `interface`.
pub(super) fn of(case: &CaseResult, end: End, interface: &Resource) -> Option<Utilization> {
    let is_tcp = measure::profile(case).transport == Some(Transport::Tcp);
    let each = measure::median(case, |trial| end.number(trial, fact::PACING_RATE_MOST));
    let each = each.filter(|rate| is_tcp && *rate > 0.0)?;
    let sends = if end.answers() { Direction::Read } else { Direction::Write };
    let demand = measure::carried(case, Some(sends))?;
    let connections = measure::sending(case);
    let limit = each * connections as f64;
    Some(Utilization {
        machine: None,
        resource: interface.clone(),
        quantity: metric::THROUGHPUT,
        kind: LimitKind::Quota,
        demand,
        limit,
        usual: None,
        unit: Unit::BytesPerSecond,
        fraction: demand / limit,
        line_only: false,
        promise: None,
        allowance: None,
        flows: Some(connections),
        source: "SO_MAX_PACING_RATE of the sockets that send".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use model::resource::PathStep;
    use model::{Better, Machine};

    use super::*;
    use crate::bottleneck::tests::verdict_on;
    use crate::utilization::of_case;
    use crate::validity::fixture;

    /// What is said of so many streams that send so much in all, from sockets that are paced at 12.5 MB/s.
    fn said(direction: &str, streams: u64, rate: f64) -> (String, String) {
        let mut case = fixture::case(1);
        fixture::workload(&mut case, "net.stream");
        for (name, value) in [("direction", direction), ("protocol", "tcp"), ("peer", "10.0.0.2:7117")] {
            fixture::set(&mut case, name, value);
        }
        fixture::set(&mut case, "streams", streams);
        case.path = vec![PathStep { resource: Resource::from("nic:eth0"), amplification: 1.0 }];
        let estimate = fixture::estimate(rate, Unit::BytesPerSecond, Better::Higher);
        case.loads.main.estimates.insert(metric::THROUGHPUT, estimate);
        let main = case.trials[0].result.main_mut();
        main.facts.insert(fact::PACING_RATE_MOST, model::Value::Integer(12_500_000));
        let machine = Machine::default();
        case.utilization = of_case(&case, &machine);
        let found = verdict_on(&machine, &[case]);
        (found.code, found.text)
    }

    /// Bug: of streams that are paced at a rate which somebody set for their sockets nothing was named.
    #[test]
    fn sockets_that_are_paced_at_a_rate_hold_streams_back() {
        let (code, text) = said("send", 4, 49.6e6);
        assert_eq!(code, "io-quota", "{text}");
        let expected = "an imposed limit holds this back: 99 % of the 400 Mbit/s that its 4 connections may send together";
        assert!(text.starts_with(expected) && text.contains("SO_MAX_PACING_RATE"), "{text}");
        assert_ne!(said("send", 4, 30e6).0, "io-quota", "it has room");
        assert_ne!(said("receive", 4, 49.6e6).0, "io-quota", "the other end sends");
    }
}
