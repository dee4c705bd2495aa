//! Loads with two ends, both in this process: what one counted must be what the
//! other did, strangers get nothing, and nobody waits for ever.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use load::fixture::FixtureStore;
use load::workload::net::connect::Connect;
use load::workload::net::loaded::Responsiveness;
use load::workload::net::pingpong::Pingpong;
use load::workload::net::stream::Stream;
use load::workload::{FIXTURES, Load, LoadContext, LoadEndpoint, Rendezvous, Workload};
use model::message::RendezvousAddress;
use model::{MetricName, Value, metric};

use crate::two_ends::{
    Both, TrialConditions, attempt, class_bytes, class_count, fact, run, run_inward, surveyed,
};

fn stream(changes: &[(&str, &str)]) -> Both {
    run(&Stream, &surveyed(&Stream, changes).unwrap())
}

#[test]
fn every_byte_of_a_counted_transfer_is_counted_at_both_ends() {
    for direction in ["send", "receive", "both"] {
        for others in [
            &[][..],
            &[("streams", "3")],
            &[("streams", "3"), ("threads", "1")],
            &[("streams", "5"), ("threads", "2"), ("zero-copy", "yes")],
            &[("zero-copy", "yes"), ("nodelay", "yes")],
            &[("zero-copy", "yes"), ("zero-copy-by", "msg-zerocopy")],
            &[("streams", "5"), ("threads", "2"), ("zero-copy", "yes"), ("zero-copy-by", "msg-zerocopy")],
            &[("zero-copy", "yes"), ("zero-copy-by", "io_uring")],
            &[("streams", "5"), ("threads", "2"), ("zero-copy", "yes"), ("zero-copy-by", "io_uring")],
            &[("buffer", "1000"), ("read-buffer", "7")],
        ] {
            let bytes = if others.contains(&("buffer", "1000")) { 100_003 } else { 5_000_011 };
            let text = bytes.to_string();
            let mut changes = vec![("direction", direction), ("bytes", text.as_str())];
            changes.extend(others);
            let both = stream(&changes);
            let of = |class| class_bytes(&both.near, class) + class_bytes(&both.far, class);
            let (sent, received) = (of("send"), of("receive"));
            let bytes = f64::from(bytes);
            assert!(
                (sent - bytes).abs() < 0.5 && (received - bytes).abs() < 0.5,
                "{changes:?}: {sent} {received}"
            );
            let arrived = both.metric(metric::THROUGHPUT) * both.metric(metric::ELAPSED);
            assert!((arrived / bytes - 1.0).abs() < 1e-6, "{changes:?}: {arrived}");
        }
    }
}

#[test]
fn each_direction_has_the_figures_of_both_ends() {
    for direction in ["send", "receive", "both"] {
        let both = stream(&[("direction", direction), ("streams", "2")]);
        let names = [
            "throughput",
            "sender_throughput",
            "sender_calls_per_second",
            "receiver_calls_per_second",
            "rtt",
        ];
        for name in names.into_iter().chain(["cpu_per_byte", "peer_cpu_per_byte"]).map(MetricName::new) {
            assert!(both.metric(name) > 0.0, "{direction} {name}");
        }
        assert!(both.metric(metric::RETRANSMITS) >= 0.0);
        // Who receives only has sent nothing, and says nothing of it.
        let receiver = if direction == "send" { &both.far } else { &both.near };
        let sends = receiver.result.main().metrics.contains_key(&metric::SENDER_THROUGHPUT);
        assert_eq!(sends, direction == "both", "{direction}");
        if direction == "both" {
            let sum = both.metric(metric::SEND_THROUGHPUT) + both.metric(metric::RECEIVE_THROUGHPUT);
            assert!((sum / both.metric(metric::THROUGHPUT) - 1.0).abs() < 1e-9);
        }
        let sender = if direction == "receive" { &both.far } else { &both.near };
        let names: Vec<_> = sender.result.main().series.iter().map(|s| s.name.as_str()).collect();
        assert_eq!(names, ["rtt", "congestion_window", "retransmits"]);
        assert!(sender.result.main().series.iter().all(|s| !s.values.is_empty()));
        for name in ["busy_time", "receive_window_limited_time", "send_buffer_limited_time", "delivery_rate"]
        {
            assert!(matches!(fact(sender, name), Value::Number(v) if v >= 0.0), "{name}");
        }
        assert!(matches!(fact(sender, "send_buffer_most"), Value::Integer(_)));
        assert_eq!(fact(&both.near, "remote_address"), "127.0.0.1".into());
    }
}

/// Under one kernel nothing can be read later, and every call was copied after all.
#[test]
fn what_was_sent_without_copying_says_what_became_of_it() {
    for way in ["msg-zerocopy", "io_uring"] {
        for threads in ["each", "1"] {
            let changes =
                [("streams", "2"), ("threads", threads), ("zero-copy", "yes"), ("zero-copy-by", way)];
            let both = stream(&changes);
            assert_eq!(fact(&both.near, "copied_share"), Value::Number(1.0), "{way} {threads}");
            assert!(both.metric(metric::THROUGHPUT) > 0.0);
        }
    }
    let sent = stream(&[("zero-copy", "yes")]);
    assert!(!sent.near.result.main().facts.contains_key(&model::FactName::new("copied_share")));
}

/// One thread serves them all, and each gets its share.
#[test]
fn fewer_threads_than_streams_serve_all_of_them() {
    for direction in ["send", "receive", "both"] {
        let parameters =
            surveyed(&Stream, &[("direction", direction), ("streams", "4"), ("threads", "1")]).unwrap();
        assert!(run(&Stream, &parameters).metric(metric::THROUGHPUT) > 0.0, "{direction}");
        let of = Load::new(&Stream, parameters, 1).unwrap().profile().concurrency;
        let ways = if direction == "both" { 2 } else { 1 };
        assert_eq!((of.workers, of.operations), (ways, 4 * ways), "{direction}");
    }
    let refused = surveyed(&Stream, &[("streams", "2"), ("threads", "3")]).unwrap_err();
    assert!(refused.message.contains("3 threads are more than the 2 streams"), "{refused:?}");
    let udp = surveyed(&Stream, &[("protocol", "udp"), ("streams", "2"), ("threads", "1")]).unwrap_err();
    assert!(udp.message.contains("over UDP each of the 2 streams"), "{udp:?}");
    // What follows the streams is no number, or it would stay where they are varied.
    let each = surveyed(&Stream, &[("streams", "4")]).unwrap();
    assert!(each.is_word(model::ParameterName::new("threads"), "each"), "{each:?}");
    assert_eq!(Load::new(&Stream, each, 1).unwrap().profile().concurrency.workers, 4);
}

#[test]
fn the_window_granted_is_what_the_kernel_says() {
    let both = stream(&[("window", "20000"), ("congestion", "reno")]);
    for end in [&both.near, &both.far] {
        assert_eq!(fact(end, "window_asked"), Value::Integer(20_000));
        // socket(7): doubled.
        assert_eq!(fact(end, "window_granted_send"), Value::Integer(40_000));
        assert_eq!(fact(end, "window_granted_receive"), Value::Integer(40_000));
        assert_eq!(fact(end, "congestion"), "reno".into());
    }
    let most: u64 = std::fs::read_to_string("/proc/sys/net/core/wmem_max").unwrap().trim().parse().unwrap();
    let capped = stream(&[("window", "512MiB")]);
    assert_eq!(fact(&capped.near, "window_granted_send"), Value::Integer(2 * most));
    let auto = stream(&[]);
    assert!(!auto.near.result.main().facts.contains_key(&model::FactName::new("window_asked")));
}

#[test]
fn packets_of_both_ends_bear_the_code_point_that_was_asked_for() {
    let both = stream(&[("dscp", "ef")]);
    for end in [&both.near, &both.far] {
        assert_eq!(fact(end, "dscp"), Value::Integer(46));
        assert!(matches!(fact(end, "ecn"), Value::Bool(_)));
    }
    let without = stream(&[]);
    assert!(!without.near.result.main().facts.contains_key(&model::FactName::new("dscp")));
    let refused = surveyed(&Stream, &[("dscp", "64")]).unwrap_err();
    assert!(refused.message.contains("no code point"), "{refused:?}");
}

#[test]
fn datagrams_are_counted_and_numbered() {
    for direction in ["send", "receive", "both"] {
        let both =
            stream(&[("protocol", "udp"), ("direction", direction), ("bit-rate", "8m"), ("buffer", "500")]);
        // 8 Mbit/s are 2000 datagrams a second each way; no more may come.
        let ways = if direction == "both" { 2.0 } else { 1.0 };
        let packets = both.metric(metric::PACKETS_PER_SECOND);
        assert!(packets > 0.0 && packets < ways * 4000.0, "{direction}: {packets}");
        assert!((both.metric(metric::THROUGHPUT) / packets - 500.0).abs() < 1e-6, "{direction}");
        for name in ["loss", "reordered", "duplicates", "jitter"].map(MetricName::new) {
            assert!(both.metric(name) >= 0.0, "{direction} {name}");
        }
        assert!(!both.united.main().metrics.contains_key(&metric::RETRANSMITS), "{direction}");
    }
    let counted =
        stream(&[("protocol", "udp"), ("bit-rate", "80m"), ("buffer", "1000"), ("bytes", "200000")]);
    let (sent, received) = (class_bytes(&counted.near, "send"), class_bytes(&counted.far, "receive"));
    assert!((sent - 200_000.0).abs() < 0.5 && received <= sent + 0.5, "{sent} {received}");
    let lost = 1.0 - received / sent;
    assert!((counted.metric(metric::LOSS) - lost).abs() < 0.06, "{} {lost}", counted.metric(metric::LOSS));
}

#[test]
fn datagrams_that_a_full_buffer_drops_are_lost() {
    // Room for one or two datagrams, and as many as the socket takes.
    let both = stream(&[("protocol", "udp"), ("window", "1"), ("buffer", "1400"), ("streams", "2")]);
    assert!(both.metric(metric::LOSS) > 0.0, "{:?}", both.united.main().metrics);
    assert!(both.metric(metric::SENDER_THROUGHPUT) > both.metric(metric::THROUGHPUT));
}

#[test]
fn strangers_get_nothing_and_hold_up_nobody() {
    let hanging = Mutex::new(Vec::new());
    let visit = |rendezvous: &RendezvousAddress| {
        let to = (rendezvous.address, rendezvous.tcp);
        // One that says nothing, one that stops in the middle, and many more.
        for said in [&b""[..], b"a cookie"].iter().chain(std::iter::repeat_n(&&b"a"[..], 300)) {
            let mut stream = TcpStream::connect(to).unwrap();
            stream.write_all(said).unwrap();
            hanging.lock().unwrap().push(stream);
        }
        for wrong in [&b"b cookie of ours\0\0\0\0"[..], b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", &[0; 4096]] {
            let mut stream = TcpStream::connect(to).unwrap();
            // It may be shut out before all is said.
            let _ = stream.write_all(wrong);
            stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
            let mut got = Vec::new();
            let _ = stream.read_to_end(&mut got);
            assert_eq!(got, b"", "{wrong:?}");
        }
        let socket = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
        socket.send_to(b"b cookie of ours\0\0\0\0", (rendezvous.address, rendezvous.udp)).unwrap();
        socket.send_to(&[7; 2000], (rendezvous.address, rendezvous.udp)).unwrap();
        socket.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
        assert!(socket.recv(&mut [0; 64]).is_err());
    };
    let parameters = surveyed(&Stream, &[]).unwrap();
    let (near, far) =
        attempt(&Stream, &parameters, &TrialConditions { first: &visit, ..TrialConditions::default() });
    assert!(class_bytes(&near.unwrap(), "send") > 0.0 && class_bytes(&far.unwrap(), "receive") > 0.0);
}

#[test]
fn a_peer_that_dies_in_the_middle_is_a_fault_at_once() {
    for direction in ["send", "receive", "both"] {
        for (protocol, streams, threads) in [("tcp", "1", "each"), ("tcp", "3", "1"), ("udp", "1", "each")] {
            if (direction, protocol) == ("receive", "udp") {
                // Nothing comes any more: seen after 6 s of silence only.
                continue;
            }
            let changes = [
                ("direction", direction),
                ("protocol", protocol),
                ("streams", streams),
                ("threads", threads),
                ("duration", "60s"),
            ];
            let parameters = surveyed(&Stream, &changes).unwrap();
            let begin = Instant::now();
            let far_dies = Some(Duration::from_millis(100));
            let (near, _) =
                attempt(&Stream, &parameters, &TrialConditions { far_dies, ..TrialConditions::default() });
            let Err(fault) = near else { panic!("{changes:?}: nothing was noticed") };
            let fault = fault.to_string();
            assert!(fault.contains("closed its connection in the middle"), "{direction} {protocol}: {fault}");
            assert!(begin.elapsed() < Duration::from_secs(30), "{direction} {protocol}");
        }
    }
}

#[test]
fn nobody_behind_the_address_is_said() {
    let parameters = surveyed(&Stream, &[]).unwrap();
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let tcp = closed.local_addr().unwrap().port();
    drop(closed);
    let rendezvous = RendezvousAddress {
        address: [127, 0, 0, 1].into(),
        tcp,
        udp: tcp,
        cookie: "00".repeat(16),
        way: Default::default(),
        kind: Default::default(),
    };
    let endpoint = LoadEndpoint { drives: true, rendezvous: Rendezvous::Out(&rendezvous), load: 0 };
    let context = LoadContext {
        fixtures: &FixtureStore::new(FIXTURES),
        endpoint: Some(endpoint),
        watch: load::workload::Watch::NONE,
    };
    let prepared = Load::new(&Stream, parameters, 1).unwrap().prepare(&context).unwrap();
    let fault =
        prepared.worker(engine::schedule::WorkerIndex { index: 0, of: 1 }, 1).err().unwrap().to_string();
    assert!(fault.contains("127.0.0.1") && fault.contains("closed the connection"), "{fault}");
}

#[test]
fn a_far_end_that_can_only_go_out_does_the_same() {
    for direction in ["send", "receive", "both"] {
        let threads = if direction == "receive" { "1" } else { "each" };
        let changes =
            [("direction", direction), ("streams", "2"), ("threads", threads), ("bytes", "5000011")];
        let both = run_inward(&Stream, &surveyed(&Stream, &changes).unwrap());
        let of = |class| class_bytes(&both.near, class) + class_bytes(&both.far, class);
        let (sent, received) = (of("send"), of("receive"));
        assert!(
            (sent - 5_000_011.0).abs() < 0.5 && (received - sent).abs() < 0.5,
            "{direction}: {sent} {received}"
        );
        assert_eq!(class_bytes(&both.near, "send") > 0.0, direction != "receive", "{direction}");
        let udp = [("protocol", "udp"), ("bit-rate", "80m"), ("buffer", "1000"), ("bytes", "200000")];
        let changes = [&udp[..], &[("direction", direction)]].concat();
        let both = run_inward(&Stream, &surveyed(&Stream, &changes).unwrap());
        let of = |class| class_bytes(&both.near, class) + class_bytes(&both.far, class);
        assert!(of("send") > 0.0 && of("receive") > 0.0, "{direction}");
    }
    for protocol in ["tcp", "udp"] {
        let changes = [("protocol", protocol), ("requests", "300"), ("verify", "content")];
        let both = run_inward(&Pingpong, &surveyed(&Pingpong, &changes).unwrap());
        assert_eq!(both.near.outcome.completions, 300, "{changes:?}");
        assert!(class_count(&both.far, "answer") > 298.0, "{changes:?}");
    }
    let for_long = [("duration", "500ms")];
    let both = run_inward(&Responsiveness, &surveyed(&Responsiveness, &for_long).unwrap());
    assert!(both.metric(metric::LATENCY_P50) > 0.0 && both.metric(metric::SEND_THROUGHPUT) > 0.0);
    // Its connections are the load, and the near end makes them all the same.
    let both = run_inward(&Connect, &surveyed(&Connect, &for_long).unwrap());
    assert!(
        both.metric(MetricName::new("connections_per_second")) > 0.0
            && class_count(&both.far, "accept") > 0.0
    );
}

#[test]
fn the_address_to_go_out_from_is_the_near_ends_even_where_the_far_one_goes() {
    // None of this machine's: who went out from it would fail.
    let both = run_inward(&Stream, &surveyed(&Stream, &[("local-address", "192.0.2.1")]).unwrap());
    assert!(both.metric(metric::THROUGHPUT) > 0.0);
}

fn pingpong(changes: &[(&str, &str)]) -> Both {
    run(&Pingpong, &surveyed(&Pingpong, changes).unwrap())
}

#[test]
fn every_request_has_its_reply() {
    for protocol in ["tcp", "udp"] {
        for others in [
            &[("message-size", "1")][..],
            &[("message-size", "20k")],
            &[("message-size", "100"), ("outstanding", "7")],
            &[("message-size", "64"), ("wait", "poll")],
            &[("message-size", "64"), ("wait", "poll"), ("outstanding", "3")],
            &[("message-size", "64"), ("threads", "2")],
        ] {
            let mut changes = vec![("protocol", protocol), ("requests", "300"), ("verify", "content")];
            changes.extend(others);
            let both = pingpong(&changes);
            assert_eq!(both.near.outcome.completions, 300, "{changes:?}");
            // Those of the warm-up too; of what began before the window, a part.
            assert!(class_count(&both.far, "answer") > 298.0, "{changes:?}");
            assert!(
                both.metric(metric::LATENCY_P50) > 0.0 && both.metric(metric::HALF_ROUND_TRIP) > 0.0,
                "{changes:?}"
            );
            assert_eq!(both.united.main().metrics.contains_key(&metric::LOSS), protocol == "udp");
        }
    }
}

#[test]
fn long_messages_cross_without_standing_still() {
    for others in [&[("outstanding", "3")][..], &[], &[("wait", "poll"), ("outstanding", "2")]] {
        // More than both sockets hold.
        let mut changes =
            vec![("message-size", "8MiB"), ("requests", "6"), ("verify", "content"), ("window", "64k")];
        changes.extend(others);
        let both = pingpong(&changes);
        assert_eq!(both.near.outcome.completions, 6, "{changes:?}");
    }
}

#[test]
fn a_message_that_takes_longer_than_the_window_has_a_rate_all_the_same() {
    // 8 MiB there and back take milliseconds, of which a window of 100 us has none whole.
    let both = pingpong(&[("message-size", "8MiB"), ("duration", "100us")]);
    assert!(both.near.outcome.latency.is_empty());
    let (throughput, half) = (both.metric(metric::THROUGHPUT), both.metric(metric::HALF_ROUND_TRIP));
    assert!((throughput / (8.0 * 1048576.0 / half) - 1.0).abs() < 1e-9);
    assert!(half > 50e-6, "it lasted longer than the window: {half}");
}

#[test]
fn throughput_is_the_message_for_half_of_the_mean_round_trip() {
    let both = pingpong(&[("message-size", "1000"), ("outstanding", "2")]);
    let of = |name| both.metric(name);
    assert!((of(metric::HALF_ROUND_TRIP) * 2.0 / of(metric::LATENCY_P50) - 1.0).abs() < 1e-9);
    let mean = both.near.outcome.latency.mean() / 1e9;
    assert!((of(metric::THROUGHPUT) * mean / 2.0 / 2000.0 - 1.0).abs() < 1e-9);
    // Never more than was answered, and there is nobody else to wait for.
    assert!(of(metric::THROUGHPUT) > 2.0 * 1000.0 * of(metric::OPERATIONS_PER_SECOND) * 0.99);
    assert!(of(MetricName::new("peer_cpu_per_operation")) > 0.0);
    assert!(both.far.outcome.latency.is_empty(), "an answer is no round trip");
    // Two connections carry what both do.
    let two = pingpong(&[("message-size", "1000"), ("threads", "2")]);
    let mean = two.near.outcome.latency.mean() / 1e9;
    assert!((two.metric(metric::THROUGHPUT) * mean / 2.0 / 2000.0 - 1.0).abs() < 1e-9);
}

#[test]
fn neighbours_have_figures_of_their_own() {
    let both = pingpong(&[("message-size", "64"), ("neighbours", "3"), ("verify", "content")]);
    assert!(
        both.metric(MetricName::new("below_half_round_trip")) > 0.0
            && both.metric(MetricName::new("above_half_round_trip")) > 0.0
    );
    let counts = ["exact", "below", "above"].map(|name| class_count(&both.near, name));
    assert!(counts.iter().all(|c| (c - counts[0]).abs() <= 2.0), "{counts:?}");
    let (below, of_below) = (class_bytes(&both.near, "below"), counts[1]);
    assert!((below / of_below - 61.0).abs() < 1e-6, "{below} {of_below}");
}

#[test]
fn an_open_loop_asks_at_its_rate_over_both_protocols() {
    for protocol in ["tcp", "udp"] {
        let both = pingpong(&[("protocol", protocol), ("rate", "500"), ("outstanding", "4")]);
        // 50 are due in 0.1 s; never more.
        let done = both.near.outcome.completions;
        assert!((1..=51).contains(&done), "{protocol}: {done}");
        assert!(both.metric(metric::HALF_ROUND_TRIP) > 0.0);
        assert!(!both.united.main().metrics.contains_key(&metric::THROUGHPUT), "{protocol}");
    }
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn who_waits_for_a_reply_of_the_dead_is_told() {
    for others in [&[("outstanding", "1")][..], &[("outstanding", "4")], &[("protocol", "udp")]] {
        let mut changes = vec![("duration", "60s")];
        changes.extend(others);
        let begin = Instant::now();
        let beside =
            TrialConditions { far_dies: Some(Duration::from_millis(100)), ..TrialConditions::default() };
        let (near, _) = attempt(&Pingpong, &surveyed(&Pingpong, &changes).unwrap(), &beside);
        let Err(fault) = near else { panic!("{changes:?}: nothing was noticed") };
        let fault = fault.to_string();
        assert!(fault.contains("closed its connection in the middle"), "{changes:?}: {fault}");
        assert!(begin.elapsed() < Duration::from_secs(30), "{changes:?}");
    }
}

#[test]
fn every_connection_is_made_answered_and_closed() {
    for close in ["far", "near", "reset"] {
        for others in [&[][..], &[("threads", "2")], &[("local-address", "127.0.0.5")]] {
            let mut changes = vec![("close", close), ("requests", "200")];
            changes.extend(others);
            let both = run(&Connect, &surveyed(&Connect, &changes).unwrap());
            assert_eq!(both.near.outcome.completions, 200, "{changes:?}");
            let accepted = class_count(&both.far, "accept");
            // Those of the warm-up too; of what began before the window, a part.
            assert!(accepted > 198.0, "{changes:?}: {accepted}");
            let of = |name| both.metric(name);
            assert!(
                of(MetricName::new("connections_per_second")) > 0.0
                    && of(MetricName::new("peer_cpu_per_operation")) > 0.0
            );
            assert!(
                of(MetricName::new("handshake_p50")) > 0.0
                    && of(MetricName::new("handshake_p50")) <= of(metric::LATENCY_MAX),
                "{changes:?}"
            );
        }
    }
}

#[test]
fn messages_go_there_and_back_beside_what_fills_the_link() {
    for direction in ["none", "send", "receive", "both"] {
        let changes = [("direction", direction), ("streams", "2")];
        // A message may wait for most of a window where other tests take the CPUs.
        let once = || run(&Responsiveness, &surveyed(&Responsiveness, &changes).unwrap());
        let is_told = |both: &Both| both.united.main().metrics.contains_key(&metric::LATENCY_P50);
        let both = (0..3).map(|_| once()).find(is_told).unwrap_or_else(once);
        assert!(both.metric(metric::LATENCY_P50) > 0.0, "{direction}");
        let has = |name: MetricName| both.united.main().metrics.get(&name).is_some_and(|q| q.value > 0.0);
        assert_eq!(has(metric::THROUGHPUT), direction != "none", "{direction}");
        assert_eq!(has(metric::SEND_THROUGHPUT), ["send", "both"].contains(&direction), "{direction}");
        assert_eq!(has(metric::RECEIVE_THROUGHPUT), ["receive", "both"].contains(&direction), "{direction}");
        assert_eq!(both.united.main().metrics.contains_key(&metric::RTT), direction != "none", "{direction}");
        let (sent, received) = (class_bytes(&both.near, "send"), class_bytes(&both.far, "receive"));
        assert_eq!(sent > 0.0, received > 0.0, "{direction}");
    }
}

#[test]
fn what_loads_of_two_ends_cannot_do_is_refused() {
    let wrong: [(&dyn Workload, &str, &str); 5] = [
        (&Pingpong, "message-size", "9MiB"),
        (&Pingpong, "outstanding", "2000"),
        (&Connect, "latency-target", "1ms@99%"),
        (&Responsiveness, "rate", "10"),
        (&Responsiveness, "threads", "2"),
    ];
    for (workload, name, value) in wrong {
        let problem = surveyed(workload, &[(name, value)]).unwrap_err();
        assert!(!problem.help.is_empty(), "{name}: {problem:?}");
    }
}
