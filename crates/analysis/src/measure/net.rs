//! What rules read of a load between two machines.

use model::limit::Direction;
use model::run::CaseResult;
use model::trial::{Part, Trial};
use model::{Parameters, Value};

/// Whether the load has another end.
pub(crate) fn is_net(case: &CaseResult) -> bool {
    case.workload.starts_with("net.")
}

/// Whether both ends are this machine.
pub(crate) fn is_loopback(case: &CaseResult) -> bool {
    is_net(case) && case.parameters.is_word("peer", "self")
}

/// Which way its data goes, seen from the machine that drives; absent where both.
pub(crate) fn way(parameters: &Parameters) -> Option<Direction> {
    match parameters.text("direction").ok()? {
        "send" => Some(Direction::Write),
        "receive" => Some(Direction::Read),
        _ => None,
    }
}

/// Bytes per second of payload that pass the interface of the machine that drives
/// one way.
pub(crate) fn carried(case: &CaseResult, direction: Option<Direction>) -> Option<f64> {
    let of = |name: &str| case.estimates.get(name).map(|e| e.median);
    if case.workload == "net.pingpong" {
        // There and back: as much each way.
        let size = case.parameters.integer("message-size").ok()? as f64;
        return Some(of("operations_per_second")? * size);
    }
    if !matches!(case.workload.as_str(), "net.stream" | "net.loaded") {
        return None;
    }
    let own = way(&case.parameters).filter(|_| case.workload == "net.stream");
    match (own, direction) {
        (Some(own), Some(asked)) if own != asked => None,
        (Some(_), _) => of("throughput"),
        (None, Some(Direction::Write)) => of("send_throughput"),
        (None, Some(Direction::Read)) => of("receive_throughput"),
        // An interface carries as much each way at once.
        (None, None) => {
            [of("send_throughput"), of("receive_throughput")].into_iter().flatten().reduce(f64::max)
        }
    }
}

/// From this share of the rate asked for on, a stream of datagrams had it: what is
/// under way at the edges of the window is missing.
const HAD: f64 = 0.98;

/// Whether datagrams arrived at the rate that they were asked to be sent at: the load
/// asks for no more.
pub(crate) fn has_its_bit_rate(case: &CaseResult) -> bool {
    let Ok(bits) = case.parameters.number("bit-rate") else { return false };
    let ways = if way(&case.parameters).is_none() { 2.0 } else { 1.0 };
    case.estimates.get("throughput").is_some_and(|e| e.median >= HAD * ways * bits / 8.0)
}

/// What the far end of a trial measured.
pub(crate) fn far(trial: &Trial) -> Option<&Part> {
    trial.result.parts.iter().find(|p| p.machine != "local" && p.load.is_none() && p.target.is_none())
}

/// A fact of one end: of the near one, or of the far one.
pub(crate) fn fact<'a>(trial: &'a Trial, of_far: bool, name: &str) -> Option<&'a Value> {
    if of_far { far(trial)?.facts.get(name) } else { trial.result.facts.get(name) }
}

/// The same as a number.
pub(crate) fn number(trial: &Trial, of_far: bool, name: &str) -> Option<f64> {
    match fact(trial, of_far, name)? {
        Value::Number(v) => Some(*v),
        Value::Integer(v) => Some(*v as f64),
        _ => None,
    }
}
