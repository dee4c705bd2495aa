//! One result of what both ends of a stream counted.

use model::trial::TrialResult;
use model::{MetricName, Quantity, Unit, metric};

use crate::workload::Merged;
use crate::workload::net::direction::StreamDirection;
use crate::workload::net::stream::{PlannedStream, spec};

/// What one end alone knows, unless data goes both ways.
const ONE_ENDED: &[MetricName] = &[
    metric::SENDER_THROUGHPUT,
    MetricName::new("sender_calls_per_second"),
    MetricName::new("receiver_calls_per_second"),
    metric::RETRANSMITS,
    metric::RTT,
    metric::PACKETS_PER_SECOND,
    metric::LOSS,
    MetricName::new("reordered"),
    MetricName::new("duplicates"),
    metric::JITTER,
];

/// The share of what was sent that may be under way when the window closes, at
/// most: more than that is loss. A tenth of a second of a window of 2 s.
const UNDER_WAY: f64 = 0.05;

/// How figures of both ways become one.
fn both(name: MetricName, ours: f64, theirs: f64) -> f64 {
    match name.as_str() {
        "loss" | "jitter" => ours.max(theirs),
        "rtt" => ours,
        _ => ours + theirs,
    }
}

fn value(result: &TrialResult, name: MetricName) -> Option<f64> {
    result.main().metrics.get(&name).map(|q| q.value)
}

/// What a rate of an end came to in its own window.
fn total(result: &TrialResult, name: MetricName) -> Option<f64> {
    Some(value(result, name)? * result.window?.seconds())
}

/// Puts what `far` knows better into `near`. Datagrams may all be lost; a
/// connection that carried nothing was not measured.
pub(super) fn merge(stream: &PlannedStream, near: &mut TrialResult, far: &TrialResult) -> Merged {
    let StreamDirection { sends, receives } = stream.direction;
    let both_ways = sends && receives;
    // Each end's rates are over its own window, and where a count ends both,
    // these are different ones.
    let seconds = if stream.schedule.bytes.is_some() { span(near, far) } else { None };
    let rate = |result: &TrialResult, name: MetricName| match seconds {
        Some(seconds) => total(result, name).map(|total| total / seconds),
        None => value(result, name),
    };
    let (here, there) = (rate(near, metric::THROUGHPUT), rate(far, metric::THROUGHPUT));
    // An end that received nothing was seen to receive nothing.
    let arrived = here.unwrap_or(0.0) + there.unwrap_or(0.0);
    let is_udp = !stream.options.is_tcp;
    let ways = [(sends, there, "at the other end"), (receives, here, "at this end")];
    let silent = ways.into_iter().find(|(goes, came, _)| *goes && came.is_none_or(|rate| rate <= 0.0));
    if let Some((.., place)) = silent.filter(|_| !is_udp) {
        return Err(nothing_came(place, near));
    }
    let sent = rate(near, metric::SENDER_THROUGHPUT).unwrap_or(0.0)
        + rate(far, metric::SENDER_THROUGHPUT).unwrap_or(0.0);
    let mut put = |name: MetricName, value: f64, unit: Unit| {
        near.main_mut().metrics.insert(name, Quantity { value, unit });
    };
    put(metric::THROUGHPUT, arrived, Unit::BytesPerSecond);
    if both_ways {
        put(metric::SEND_THROUGHPUT, there.unwrap_or(0.0), Unit::BytesPerSecond);
        put(metric::RECEIVE_THROUGHPUT, here.unwrap_or(0.0), Unit::BytesPerSecond);
    }
    if let Some(seconds) = seconds {
        put(metric::ELAPSED, seconds, Unit::Seconds);
    }
    for name in ONE_ENDED {
        let Some(theirs) = far.main().metrics.get(name) else { continue };
        let ours = near.main().metrics.get(name).filter(|_| both_ways).map(|q| q.value);
        let value = ours.map_or(theirs.value, |ours| both(*name, ours, theirs.value));
        near.main_mut().metrics.insert(*name, Quantity { value, unit: theirs.unit });
    }
    if let Some(theirs) = far.main().metrics.get(&metric::CPU_PER_BYTE) {
        near.main_mut().metrics.insert(spec::PEER_CPU_PER_BYTE.name, *theirs);
    }
    if is_udp && sent > 0.0 {
        tail_loss(near, arrived / sent);
    }
    Ok(())
}

/// Why a connection that carried nothing gives no figure.
fn nothing_came(place: &str, near: &TrialResult) -> String {
    let window = near.window.map_or(0.0, |window| window.seconds());
    format!(
        "nothing arrived {place} within the window of {window:.1} s, over connections that stood: the path let \
         nothing through, a call is larger than the rate asked for lets through in that time, or the programs at \
         both ends were given no CPU"
    )
}

/// How long a transfer took that a count ended, s: from the first call of a
/// sender to the last of a receiver, which is from the first to the last of both
/// ends, on the near clock.
fn span(near: &TrialResult, far: &TrialResult) -> Option<f64> {
    let (ours, theirs) = (near.window?, far.window?);
    let start_ns = ours.start_ns.min(theirs.start_ns);
    let seconds = ours.end_ns.max(theirs.end_ns).saturating_sub(start_ns) as f64 / 1e9;
    (seconds > 0.0).then_some(seconds)
}

/// Numbers tell nothing of what was lost after the last datagram that came. Where
/// that is more than can be under way at the window's edges, the share that
/// arrived of what was sent says it.
fn tail_loss(near: &mut TrialResult, arrived: f64) {
    let known = value(near, metric::LOSS).unwrap_or(0.0);
    if 1.0 - known - arrived > UNDER_WAY {
        near.main_mut().metrics.insert(metric::LOSS, Quantity { value: 1.0 - arrived, unit: Unit::One });
    }
}

#[cfg(test)]
mod tests {
    use model::trial::Window;
    use model::{ParameterName, Parameters, Value};

    use super::*;
    use crate::workload::net::stream::Stream;
    use crate::workload::{Load, named};

    fn end(window: (u64, u64), metrics: &[(MetricName, f64)]) -> TrialResult {
        let metrics = metrics.iter().map(|(name, value)| {
            let unit = spec::SPEC.metric(*name).unwrap().unit;
            (*name, Quantity { value: *value, unit })
        });
        let window = Some(Window { start_ns: window.0, end_ns: window.1 });
        let mut result = TrialResult { window, ..TrialResult::default() };
        result.main_mut().metrics = metrics.collect();
        result
    }

    fn stream(direction: &str, others: &[(&str, Value)]) -> Load {
        let mut parameters = Parameters::default();
        parameters.set(named("direction"), direction);
        others
            .iter()
            .for_each(|(name, value)| parameters.set(ParameterName::intern(name).unwrap(), value.clone()));
        Load::new(&Stream, parameters, 1).unwrap()
    }

    fn united(
        direction: &str,
        others: &[(&str, Value)],
        near: TrialResult,
        far: &TrialResult,
    ) -> TrialResult {
        let mut near = near;
        stream(direction, others).merge(&mut near, far).unwrap();
        near
    }

    const SECOND: (u64, u64) = (0, 1_000_000_000);

    #[test]
    fn the_result_is_what_the_receiver_got() {
        let near = end(
            SECOND,
            &[(metric::SENDER_THROUGHPUT, 130.0), (metric::RETRANSMITS, 3.0), (metric::CPU_PER_BYTE, 1e-9)],
        );
        let far = end(
            SECOND,
            &[
                (metric::THROUGHPUT, 117.0),
                (MetricName::new("receiver_calls_per_second"), 9.0),
                (metric::CPU_PER_BYTE, 2e-9),
            ],
        );
        let sent = united("send", &[], near.clone(), &far);
        assert_eq!(value(&sent, metric::THROUGHPUT), Some(117.0));
        assert_eq!(value(&sent, metric::SENDER_THROUGHPUT), Some(130.0));
        assert_eq!(value(&sent, MetricName::new("receiver_calls_per_second")), Some(9.0));
        assert_eq!(
            (value(&sent, metric::CPU_PER_BYTE), value(&sent, metric::PEER_CPU_PER_BYTE)),
            (Some(1e-9), Some(2e-9))
        );
        // The other way, the near end is the one that knows.
        let received = united("receive", &[], far.clone(), &near);
        assert_eq!(
            (value(&received, metric::THROUGHPUT), value(&received, metric::RETRANSMITS)),
            (Some(117.0), Some(3.0))
        );
    }

    #[test]
    fn both_ways_are_added_and_the_worse_loss_counts() {
        let near = end(
            SECOND,
            &[(metric::THROUGHPUT, 40.0), (metric::SENDER_THROUGHPUT, 51.0), (metric::LOSS, 0.25)],
        );
        let far = end(
            SECOND,
            &[(metric::THROUGHPUT, 50.0), (metric::SENDER_THROUGHPUT, 41.0), (metric::LOSS, 0.01)],
        );
        let both = united("both", &[], near, &far);
        let of = |name| value(&both, name).unwrap();
        assert_eq!(
            (of(metric::THROUGHPUT), of(metric::SEND_THROUGHPUT), of(metric::RECEIVE_THROUGHPUT)),
            (90.0, 50.0, 40.0)
        );
        assert_eq!((of(metric::SENDER_THROUGHPUT), of(metric::LOSS)), (92.0, 0.25));
    }

    #[test]
    fn a_counted_transfer_lasts_until_the_receiver_has_it() {
        // 8 MB: the sender was rid of it after 60 ms, the receiver had it after 70.
        let near = end((1_000_000_000, 1_060_000_000), &[(metric::SENDER_THROUGHPUT, 8e6 / 0.06)]);
        let far = end((1_001_000_000, 1_070_000_000), &[(metric::THROUGHPUT, 8e6 / 0.069)]);
        let result = united("send", &[("bytes", 8_000_000u64.into())], near, &far);
        assert!((value(&result, metric::THROUGHPUT).unwrap() - 8e6 / 0.07).abs() < 1.0, "{result:?}");
        assert!((value(&result, metric::ELAPSED).unwrap() - 0.07).abs() < 1e-9);
    }

    #[test]
    fn a_connection_that_carried_nothing_gives_no_figure() {
        let (idle, busy) =
            (end(SECOND, &[]), end(SECOND, &[(metric::THROUGHPUT, 50.0), (metric::SENDER_THROUGHPUT, 9.0)]));
        let why = |direction: &str, near: &TrialResult, far| {
            stream(direction, &[]).merge(&mut near.clone(), far).unwrap_err()
        };
        assert!(
            why("send", &busy, &idle).contains("nothing arrived at the other end within the window of 1.0 s")
        );
        assert!(why("receive", &idle, &busy).contains("nothing arrived at this end"));
        // Half of it is not both.
        assert!(why("both", &busy, &idle).contains("at the other end"));
        assert!(why("both", &idle, &busy).contains("at this end"));
    }

    #[test]
    fn what_was_lost_to_the_end_is_not_forgotten() {
        let udp = [("protocol", "udp".into())];
        let near = end(SECOND, &[(metric::SENDER_THROUGHPUT, 1000.0)]);
        // The link went away in the middle; the numbers until then had no gap.
        let half = end(SECOND, &[(metric::THROUGHPUT, 500.0), (metric::LOSS, 0.0)]);
        assert_eq!(value(&united("send", &udp, near.clone(), &half), metric::LOSS), Some(0.5));
        let nothing = united("send", &udp, near.clone(), &end(SECOND, &[]));
        assert_eq!(
            (value(&nothing, metric::LOSS), value(&nothing, metric::THROUGHPUT)),
            (Some(1.0), Some(0.0))
        );
        // What is under way at the edges is not lost.
        let most = end(SECOND, &[(metric::THROUGHPUT, 990.0), (metric::LOSS, 0.001)]);
        assert_eq!(value(&united("send", &udp, near, &most), metric::LOSS), Some(0.001));
    }
}
