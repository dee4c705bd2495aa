//! Requests and streams that wait for what was lost, and those that do not.

use model::profile::Arrival;
use model::trial::Window;
use model::{Better, Quantity, Unit};

use super::*;
use crate::validity::fixture;

/// What holds connections back of which 900 take 100 us and so many so long, while so many timeouts are counted.
fn found(late: (u64, u64), timeouts: u64) -> Finding {
    with_packets(late, timeouts, (1000, 1000))
}

/// The same, where IP had so many packets to send of which so many left.
fn with_packets((late, late_ns): (u64, u64), timeouts: u64, packets: (u64, u64)) -> Finding {
    let mut case = fixture::case(1);
    fixture::workload(&mut case, "net.connect");
    fixture::set(&mut case, "peer", "10.0.0.2:7117");
    let estimate = fixture::estimate(1000.0, Unit::PerSecond, Better::Higher);
    case.loads.main.estimates.insert(metric::CONNECTIONS_PER_SECOND, estimate);
    let mut latency = stats::histogram::new_latency();
    latency.record_n(100_000, 900).unwrap();
    latency.record_n(late_ns, late).unwrap();
    let text = stats::histogram::encode(&latency).unwrap();
    case.trials[0].result.main_mut().histograms.insert(metric::LATENCY, text);
    let counter =
        |name: &str, count| fixture::counter("tcp", &format!("/proc/net/netstat {name}"), 1.0, count);
    fixture::far(&mut case);
    fixture::far_machine(&mut case).counters = vec![counter("TCPLossProbes", timeouts / 2)];
    let own = vec![counter("TCPTimeouts", timeouts.div_ceil(2)), counter("TCPLossProbes", 0)];
    let counters = &mut case.trials[0].result.local_mut().counters;
    *counters = own;
    for (name, count) in [("OutRequests", packets.0), ("OutTransmits", packets.1)] {
        counters.push(fixture::counter("ip", &format!("/proc/net/snmp {name}"), 1.0, count));
    }
    let found = crate::bottleneck::check(&case, &fixture::context(&Default::default()));
    crate::said::written(found).remove(0)
}

const SECOND: u64 = 1_000_000_000;

/// Bug: connections whose first segment was dropped were said to be bound by the way there and back.
#[test]
fn requests_that_wait_until_tcp_sends_again_are_held_back_by_loss() {
    let dropped = found((10, SECOND), 10);
    assert_eq!(dropped.code, "loss-bound", "{dropped:?}");
    assert!(
        dropped.text.contains("of the time requests wait for segments that were lost"),
        "{}",
        dropped.text
    );
    assert!(dropped.text.contains("10 /s"), "{}", dropped.text);
    assert!(dropped.advice.is_some_and(|advice| advice.contains("listen queue")));
    assert!(
        dropped.evidence[0].text.as_deref().is_some_and(|text| text.contains("10 requests that took 200 ms"))
    );
}

/// Bug: TCP counts no timeout for what a firewall of its own machine does not let leave, so that the server was said to answer late.
#[test]
fn requests_that_the_own_firewall_drops_are_held_back_by_loss() {
    let found = with_packets((10, SECOND), 0, (1000, 988));
    assert_eq!(found.code, "loss-bound", "{found:?}");
    assert!(found.text.ends_with("is dropped by a firewall (nftables, iptables)"), "{}", found.text);
    assert_ne!(with_packets((10, SECOND), 0, (1000, 1000)).code, "loss-bound");
    assert_ne!(with_packets((900, SECOND), 0, (1000, 988)).code, "loss-bound", "too few for all of them");
}

/// What holds back a stream over 50 us that gets 1 MB/s, of whose segments some 1 in 8 are lost, while the sender's
/// kernel counts so many timeouts a second.
fn short_way(timeouts: u64) -> Finding {
    let mut case = fixture::case(1);
    fixture::workload(&mut case, "net.stream");
    for (name, value) in [("direction", "send"), ("protocol", "tcp"), ("peer", "10.0.0.2:7117")] {
        fixture::set(&mut case, name, value);
    }
    fixture::set(&mut case, "streams", 1u64);
    let estimate = fixture::estimate(1e6, Unit::BytesPerSecond, Better::Higher);
    case.loads.main.estimates.insert(metric::THROUGHPUT, estimate);
    let rate = Quantity { value: 1e6, unit: Unit::BytesPerSecond };
    let result = &mut case.trials[0].result;
    result.window = Some(Window { start_ns: 0, end_ns: 1_000_000_000 });
    result.local_mut().counters =
        vec![fixture::counter("tcp", "/proc/net/netstat TCPTimeouts", 1.0, timeouts)];
    let main = result.main_mut();
    main.metrics = [
        (metric::THROUGHPUT, rate),
        (metric::RETRANSMITS, Quantity { value: 100.0, unit: Unit::One }),
        (metric::RTT, Quantity { value: 5e-5, unit: Unit::Seconds }),
    ]
    .into();
    for (name, value) in [
        (fact::BUSY_TIME, 1.0),
        (fact::RECEIVE_WINDOW_LIMITED_TIME, 0.0),
        (fact::SEND_BUFFER_LIMITED_TIME, 0.0),
        (fact::MSS, 1448.0),
    ] {
        main.facts.insert(name, value.into());
    }
    fixture::far(&mut case).metrics = [(metric::THROUGHPUT, rate)].into();
    let found = crate::bottleneck::check(&case, &fixture::context(&Default::default()));
    crate::said::written(found).remove(0)
}

/// Bug: over a short way loss allows so much that a stream which waits for timeouts was said to be held back by nobody
/// knows what.
#[test]
fn a_stream_that_waits_for_timeouts_is_held_back_by_loss_over_a_short_way_too() {
    let found = short_way(4);
    assert_eq!(found.code, "loss-bound", "{found:?}");
    assert!(found.text.starts_with("loss holds this back: 80 % of the time or more"), "{}", found.text);
    let unsure = short_way(1);
    assert_eq!(unsure.code, "cannot-tell");
    assert!(unsure.evidence.iter().any(|one| one.code == "retransmits" && one.beside), "{unsure:?}");
}

/// Bug: of a disk that another machine presents over a way which loses segments nothing was said but that it is slow.
#[test]
fn what_is_lost_on_the_way_to_storage_stands_beside_its_latency() {
    use crate::bottleneck::tests::{disk, verdict};
    let with = |again: u64, is_presented: bool| {
        let mut case = disk(1, 100.0, 10_000.0, 2.0);
        for trial in &mut case.trials {
            let count =
                |name: &str, count| fixture::counter("tcp", &format!("/proc/net/snmp {name}"), 1.0, count);
            let all = [count("RetransSegs", again), count("OutSegs", 1000)];
            trial.result.local_mut().counters.extend(all);
            if is_presented {
                let devices = model::Value::List(vec![model::Value::from("block:sdb")]);
                trial.result.main_mut().facts.insert(fact::PRESENTED_ON, devices);
            }
        }
        let found = verdict(&[case]);
        assert_eq!(found.code, "latency-bound");
        found.evidence.iter().any(|one| one.code == "retransmits" && one.beside)
    };
    assert!(with(20, true));
    assert!(!with(0, true));
    assert!(!with(20, false), "a disk of this machine");
}

/// What holds back so many requests a second by datagrams, one at a time and answered after 100 us, of which so many
/// were lost.
fn by_datagrams(rate: f64, lost: f64) -> Finding {
    asked_for(rate, lost, None)
}

/// The same, of requests that are asked for at a rate.
fn asked_for(rate: f64, lost: f64, asked: Option<f64>) -> Finding {
    let mut case = fixture::case(1);
    fixture::workload(&mut case, "net.pingpong");
    fixture::set(&mut case, "peer", "10.0.0.2:7117");
    fixture::set(&mut case, "protocol", "udp");
    let estimate = fixture::estimate(rate, Unit::PerSecond, Better::Higher);
    case.loads.main.estimates.insert(metric::OPERATIONS_PER_SECOND, estimate);
    let main = case.trials[0].result.main_mut();
    main.metrics.insert(metric::OPERATIONS_PER_SECOND, Quantity { value: rate, unit: Unit::PerSecond });
    main.metrics.insert(metric::LOSS, Quantity { value: lost, unit: Unit::One });
    let mut latency = stats::histogram::new_latency();
    latency.record_n(100_000, 900).unwrap();
    let text = stats::histogram::encode(&latency).unwrap();
    main.histograms.extend([(metric::LATENCY, text.clone()), (metric::SERVICE_TIME, text)]);
    if asked.is_some() {
        let concurrency = &mut case.loads.main.profile.concurrency;
        (concurrency.arrival, concurrency.rate_per_s) = (Arrival::Open, asked);
    }
    let found = crate::bottleneck::check(&case, &fixture::context(&Default::default()));
    crate::said::written(found).remove(0)
}

/// Bug: requests by datagrams of which one in 20 was lost, so that each of these took a second, were said to be bound
/// by the 100 us of the others.
#[test]
fn requests_whose_answers_do_not_come_are_held_back_by_loss() {
    let found = by_datagrams(19.0, 0.05);
    assert_eq!(found.code, "loss-bound", "{found:?}");
    assert!(found.text.contains("requests wait for answers that do not come"), "{}", found.text);
    assert!(found.advice.is_some_and(|advice| advice.contains("policer")));
    assert_eq!(asked_for(19.0, 0.05, Some(100.0)).code, "loss-bound", "the rate is not kept for them");
    assert_eq!(by_datagrams(9900.0, 0.000_001).code, "round-trip-bound", "hardly any is lost");
    assert_eq!(by_datagrams(19.0, 0.001).code, "round-trip-bound", "what takes the time is something else");
}

#[test]
fn slow_answers_without_timeouts_and_timeouts_of_others_are_no_loss() {
    assert_ne!(found((10, SECOND), 2).code, "loss-bound", "a server that takes its time");
    assert_ne!(found((10, 100_000), 10).code, "loss-bound", "none of them took so long");
    assert_ne!(found((900, SECOND / 10), 900).code, "loss-bound", "nor so long as a timeout is");
}
