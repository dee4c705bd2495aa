//! A server that stands still once: the latency from due times has the wait of all that was due meanwhile,
//! as it follows from the rate, the stop and the duration. A closed loop hides it.

use std::sync::OnceLock;
use std::time::Instant;

use super::*;

/// A server that answers, but for `stop` from `from` after its first request on.
fn that_stops(from: Duration, stop: Duration) -> Server {
    let begun = OnceLock::<Instant>::new();
    Server::answering(move |_, client| {
        let since = begun.get_or_init(Instant::now).elapsed();
        if (from..from + stop).contains(&since) {
            std::thread::sleep(from + stop - since);
        }
        ok(client, b"x")
    })
}

/// The wait that all but this share of the requests do not exceed, where they are due at equal distances for
/// `window` and a server stops once for `stop`: what is due at a moment t of the stop waits for stop - t, so
/// that a share of (stop - x) / window waits for longer than x.
fn calculated(stop: Duration, window: Duration, share: f64) -> f64 {
    (stop.as_secs_f64() - share * window.as_secs_f64()).max(0.0)
}

#[test]
fn a_server_that_stands_still_shows_in_what_was_due() {
    let (stop, window) = (Duration::from_millis(800), Duration::from_secs(2));
    let server = that_stops(Duration::from_millis(500), stop);
    let given = [("url", &*server.url("/")), ("rate", "800/s"), ("duration", "2s"), ("connections", "4")];
    let measured = run(REQUESTS, &given).unwrap();
    for (name, share) in [("latency_p90", 0.1), ("latency_p99", 0.01), ("latency_max", 0.0)] {
        let (is, expected) = (measured.metric(name), calculated(stop, window, share));
        assert!((is - expected).abs() < 0.1, "{name}: {is}, and {expected} follows: {measured:?}");
    }
    // From their starts, only the four that were under way saw the stop: one in four hundred.
    assert!(measured.metric("service_time_p99") < 0.1, "{measured:?}");
}

/// Within 5 % of what follows: what was due during the stop is answered one after the other, which takes a
/// while too.
#[test]
#[ignore = "long: cargo xtask test --long"]
fn a_stop_of_two_seconds_is_what_follows_from_rate_stop_and_duration() {
    const TOLERANCE: f64 = 0.05;
    // In the second half: what changes in the first may be taken for what precedes a steady load, and be cut off.
    let (from, stop, window) = (Duration::from_secs(6), Duration::from_secs(2), Duration::from_secs(10));
    let server = that_stops(from, stop);
    let usual = [("duration", "10s"), ("connections", "4")];
    let url = server.url("/");
    let open = run(REQUESTS, &[[("url", &*url), ("rate", "200/s")], usual].concat()).unwrap();
    for (name, share) in [("latency_p99", 0.01), ("latency_max", 0.0)] {
        let (is, expected) = (open.metric(name), calculated(stop, window, share));
        assert!((is / expected - 1.0).abs() < TOLERANCE, "{name}: {is}, and {expected} follows: {open:?}");
    }
    assert_eq!(open.metric("error_share"), 0.0, "{open:?}");
    // All 2,000 that were due were answered.
    let rate = open.metric("requests_per_second");
    assert!((rate - 200.0).abs() < 1.0, "{rate}");
    // From their starts, only the four that were under way saw the stop: two in a thousand.
    assert!(open.metric("service_time_p99") < 0.1, "{open:?}");

    let server = that_stops(from, stop);
    let url = server.url("/");
    let closed = run(REQUESTS, &[&[("url", &*url)][..], &usual].concat()).unwrap();
    assert!(closed.metric("latency_p99") < 0.1, "a closed loop sees nothing of it: {closed:?}");
    let longest = closed.metric("latency_max");
    assert!((longest / stop.as_secs_f64() - 1.0).abs() < TOLERANCE, "{longest}: {closed:?}");
}
