//! Loads on HTTP servers, against servers that do what they are told: count, err, lie, stall, go away.

mod download;
mod faults;
mod http2;
mod mixes;
mod peer;
mod ports;
pub(crate) mod server;
mod stalls;
mod tls;
mod upload;

use std::io::Write;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use engine::numa::Confinement;
use engine::{LoadPlan, Observer, Session};
use load::fixture::FixtureStore;
use load::workload::{FIXTURES, HostInfo, Load, LoadContext, catalogue, find};
use model::trial::Timeline;
use model::{FactName, MetricName, Parameters, Phase, Value, WorkloadName};
use sha2::{Digest, Sha256};

use server::{Server, hear, ok};

/// What a trial of a load gave.
#[derive(Debug)]
pub(crate) struct Measured {
    pub(crate) metrics: Vec<(MetricName, f64)>,
    pub(crate) facts: Vec<(FactName, Value)>,
    pub(crate) done_bytes: f64,
}

impl Measured {
    pub(crate) fn metric(&self, name: &str) -> f64 {
        let found = self.metrics.iter().find(|(metric, _)| metric.as_str() == name);
        found.unwrap_or_else(|| panic!("no {name}: {self:?}")).1
    }

    pub(crate) fn fact(&self, name: &str) -> String {
        let found = self.facts.iter().find(|(fact, _)| fact.as_str() == name);
        found.unwrap_or_else(|| panic!("no {name}: {self:?}")).1.to_string()
    }
}

struct Silent;

impl Observer for Silent {
    fn starts(&self, _timeline: Timeline) {}
    fn phase(&self, _phase: Phase, _at_ns: u64) {}
}

/// Parameters and their values.
pub(crate) type Given<'a> = &'a [(&'a str, &'a str)];

/// One trial of a load with these parameters.
pub(crate) fn run(workload: &str, given: Given<'_>) -> Result<Measured, String> {
    let workload = find(WorkloadName::intern(workload).unwrap()).unwrap();
    let mut parameters = Parameters::default();
    let usual = [("duration", "300ms")];
    for (name, text) in usual.iter().chain(given) {
        let spec = catalogue().parameter(workload.spec(), name).unwrap_or_else(|| panic!("no {name}"));
        parameters.set(spec.name, spec.parse(text).unwrap());
    }
    let host = HostInfo { cpus: 2, memory_available: 2 << 30, ..HostInfo::default() };
    let mut load = Load::new(workload, parameters, 2).map_err(|problem| problem.message)?;
    load.schedule.check().map_err(|problem| problem.message)?;
    load.survey(&host).map_err(|problem| problem.message)?;
    // Who makes it ready knows the parameters only.
    let load = Load::new(workload, load.parameters, 2).map_err(|problem| problem.message)?;
    let fixtures = FixtureStore::new(FIXTURES);
    let context = LoadContext { fixtures: &fixtures, endpoint: None, watch: load::workload::Watch::NONE };
    let prepared = load.prepare(&context).map_err(|fault| fault.to_string())?;
    let plan = LoadPlan {
        prepared: &*prepared,
        cpus: vec![None; prepared.workers(load.schedule.threads as usize)],
        confinement: Confinement::default(),
        rate: load.schedule.open_loop(),
        stop: load.schedule.stop(),
        seed: 1,
    };
    let warm_up_ns = if prepared.counts_from_start() { 0 } else { 5_000_000 };
    let session = Session { loads: vec![plan], warm_up_ns, interval_ns: None, cut_least_ns: 0 };
    let outcome = session.run(&Silent, &AtomicBool::new(false));
    let cleaned = prepared.clean_up(&|| ());
    let outcome = match outcome {
        Ok(outcome) => cleaned.map(|()| outcome),
        Err(fault) => Err(fault.and(cleaned)),
    };
    let outcome = outcome.map_err(|fault| fault.to_string())?;
    let of = &outcome.loads[0];
    let beside = prepared.seen(outcome.window);
    let facts = prepared.facts().into_iter().chain(of.facts.clone()).chain(prepared.facts_after(of));
    let facts = facts.chain(beside.facts).collect();
    let all = load.metrics(of, outcome.window).into_iter().chain(beside.metrics);
    let metrics = all.map(|(name, q)| (name, q.value)).collect();
    // Operations over several intervals count in parts, whose sum is not quite the whole.
    Ok(Measured { metrics, facts, done_bytes: (of.done_bytes * 1e3).round() / 1e3 })
}

fn content(bytes: usize) -> Vec<u8> {
    (0..bytes as u64).map(|place| (place.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8).collect()
}

fn sha256(bytes: &[u8]) -> String {
    let hex: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{hex}")
}

const REQUESTS: &str = "http.requests";
const DOWNLOAD: &str = "http.download";

#[test]
fn what_is_counted_is_what_the_server_answered() {
    let asked = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&asked);
    let server = Server::answering(move |request, client| {
        assert!(request.starts_with("GET /x?y HTTP/1.1\r\nHost: 127.0.0.1:") && !request.contains("Accept"));
        count.fetch_add(1, Ordering::Relaxed);
        ok(client, b"hello")
    });
    let url = server.url("/x?y");
    let measured = run(REQUESTS, &[("url", &url), ("connections", "3"), ("requests", "500")]).unwrap();
    let answers = measured.fact("answers");
    let counted: u64 = answers.strip_prefix("200: ").unwrap().parse().unwrap();
    // The first one, by which the url is tried, is in nobody's count.
    assert_eq!(asked.load(Ordering::Relaxed), counted + 1, "{answers}");
    assert!(counted >= 500);
    assert_eq!(measured.fact("connections_made"), "3");
    assert_eq!(measured.metric("error_share"), 0.0);
    assert!(measured.metric("first_byte_p50") <= measured.metric("latency_p50"));
}

/// Nobody asked for that; whoever measures is to know of it.
#[test]
fn content_that_a_server_compresses_is_told() {
    let server = Server::answering(|_, client| {
        client.write_all(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\nhi")
    });
    for workload in [REQUESTS, DOWNLOAD] {
        assert_eq!(run(workload, &[("url", &server.url("/"))]).unwrap().fact("content_encoding"), "gzip");
    }
}

#[test]
fn statuses_of_errors_are_no_operations_and_are_counted() {
    let asked = AtomicU64::new(0);
    let server = Server::answering(move |_, client| match asked.fetch_add(1, Ordering::Relaxed) % 4 {
        3 => client.write_all(b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n"),
        _ => ok(client, b"hello"),
    });
    let measured = run(REQUESTS, &[("url", &server.url("/")), ("connections", "2")]).unwrap();
    let share = measured.metric("error_share");
    assert!((0.24..0.26).contains(&share), "{share}");
    assert!(measured.fact("answers").contains("503: "), "{measured:?}");
}

#[test]
fn a_wrong_url_is_told_at_once() {
    let server = Server::answering(|_, client| {
        client.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
    });
    for workload in [REQUESTS, DOWNLOAD] {
        let why = run(workload, &[("url", &server.url("/nothing"))]).unwrap_err();
        assert!(why.contains("404") && why.contains("/nothing"), "{why}");
        let none = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let why = run(workload, &[("url", &format!("http://{none}/"))]).unwrap_err();
        assert!(why.contains("nothing takes connections"), "{why}");
        let why = run(workload, &[("url", "http://no.such.name.invalid/")]).unwrap_err();
        assert!(why.contains("leads nowhere"), "{why}");
        let why = run(workload, &[("url", "no url")]).unwrap_err();
        assert!(why.contains("no URL of HTTP"), "{why}");
    }
}

/// A server that closes a connection after some answers, with or without a word, is no error.
#[test]
fn connections_that_a_server_closes_are_made_anew() {
    for says in [true, false] {
        let server = Server::start(move |client| {
            for answer in 0..10 {
                if hear(client)?.is_none() {
                    return Ok(());
                }
                let close = if says && answer == 9 { "Connection: close\r\n" } else { "" };
                client
                    .write_all(format!("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n{close}\r\nhi").as_bytes())?;
            }
            Ok(())
        });
        let given = [("url", &*server.url("/")), ("connections", "4"), ("requests", "400")];
        let measured = run(REQUESTS, &given).unwrap();
        assert_eq!(measured.metric("error_share"), 0.0, "{says}: {measured:?}");
        assert!(measured.fact("connections_made").parse::<u64>().unwrap() >= 40, "{says}: {measured:?}");
        let measured = run(DOWNLOAD, &[("url", &server.url("/"))]).unwrap();
        assert!(measured.fact("connections_made").parse::<u64>().unwrap() > 1, "{measured:?}");
    }
}

#[test]
fn each_request_has_its_connection_without_keep_alive() {
    let server = Server::start(|client| {
        if let Some(request) = hear(client)? {
            assert!(request.contains("Connection: close\r\n"));
            ok(client, b"hello")?;
        }
        Ok(())
    });
    let given = [("url", &*server.url("/")), ("keep-alive", "no"), ("connections", "4"), ("requests", "200")];
    let measured = run(REQUESTS, &given).unwrap();
    let answers: u64 = measured.fact("answers").strip_prefix("200: ").unwrap().parse().unwrap();
    assert_eq!(measured.fact("connections_made"), answers.to_string());
    assert_eq!(measured.metric("error_share"), 0.0);
}

#[test]
fn an_answer_that_ends_early_is_an_error_of_requests_and_the_end_of_a_download() {
    let asked = AtomicU64::new(0);
    let server = Server::start(move |client| {
        while hear(client)?.is_some() {
            if asked.fetch_add(1, Ordering::Relaxed) > 5 {
                return client.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhello");
            }
            ok(client, b"hello")?;
        }
        Ok(())
    });
    let measured = run(REQUESTS, &[("url", &server.url("/")), ("connections", "1")]).unwrap();
    assert!(measured.metric("error_share") > 0.5, "{measured:?}");
    assert!(measured.fact("answers").contains("ended early"), "{measured:?}");
    let why = run(DOWNLOAD, &[("url", &server.url("/"))]).unwrap_err();
    assert!(why.contains("after 5 bytes, 995 bytes before the length it promised"), "{why}");
}

#[test]
fn a_server_that_says_nothing_ends_the_trial_with_the_reason() {
    let asked = AtomicU64::new(0);
    let server = Server::start(move |client| {
        while hear(client)?.is_some() {
            if asked.fetch_add(1, Ordering::Relaxed) > 3 {
                client.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhello")?;
                std::thread::sleep(Duration::from_secs(3));
                return Ok(());
            }
            ok(client, b"hello")?;
        }
        Ok(())
    });
    for workload in [REQUESTS, DOWNLOAD] {
        let given = [("url", &*server.url("/")), ("timeout", "300ms"), ("duration", "5s")];
        let why = run(workload, &given).unwrap_err();
        assert!(why.contains("sent nothing for 0.3 s"), "{workload}: {why}");
    }
}

/// The time until a head is that of its server, and waiting for it is no fault.
#[test]
fn a_head_that_takes_its_time_is_waited_for_and_measured() {
    let server = Server::answering(|_, client| {
        std::thread::sleep(Duration::from_millis(250));
        ok(client, b"hello")
    });
    let measured = run(DOWNLOAD, &[("url", &server.url("/")), ("duration", "1s")]).unwrap();
    assert!((0.25..0.4).contains(&measured.metric("first_byte_max")), "{measured:?}");
    let why = run(DOWNLOAD, &[("url", &server.url("/")), ("timeout", "100ms")]).unwrap_err();
    assert!(why.contains("sent nothing for 0.1 s when it was to answer"), "{why}");
}

#[test]
fn what_is_no_http_is_told() {
    let says = |bytes: &'static [u8]| {
        Server::start(move |client| {
            hear(client)?;
            client.write_all(bytes)
        })
    };
    let mut huge = b"HTTP/1.1 200 OK\r\nX: ".to_vec();
    huge.resize(1 << 20, b'x');
    let cases: [(&[u8], &str); 4] = [
        (b"SSH-2.0-OpenSSH_9.2\r\n", "no HTTP/1.1"),
        (huge.leak(), "64 KiB"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", "Content-Length"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nhello\r\n", "chunk"),
    ];
    for (bytes, told) in cases {
        for workload in [REQUESTS, DOWNLOAD] {
            let why = run(workload, &[("url", &says(bytes).url("/"))]).unwrap_err();
            assert!(why.contains(told), "{workload}: {why}");
        }
    }
}

#[test]
fn redirects_are_followed_and_circles_are_told() {
    let server = Server::answering(|request, client| {
        let path = request.split(' ').nth(1).unwrap();
        let to =
            |place: &str| format!("HTTP/1.1 302 Found\r\nLocation: {place}\r\nContent-Length: 0\r\n\r\n");
        match path {
            "/a" => client.write_all(to("b").as_bytes()),
            "/b" => client.write_all(to("/c").as_bytes()),
            "/round" => client.write_all(to("/again").as_bytes()),
            "/again" => client.write_all(to("/round").as_bytes()),
            _ => ok(client, b"found"),
        }
    });
    let measured = run(DOWNLOAD, &[("url", &server.url("/a")), ("until", "end")]).unwrap();
    assert_eq!(measured.done_bytes, 5.0);
    let why = run(DOWNLOAD, &[("url", &server.url("/round"))]).unwrap_err();
    assert!(why.contains("in a circle"), "{why}");
}

/// What a user's headers say may be a key: it goes to the server that was named, and to no other.
#[test]
fn headers_do_not_follow_a_redirect_elsewhere() {
    let heard = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&heard);
    let elsewhere = Server::answering(move |request, client| {
        assert!(!request.contains("secret"), "{request}");
        count.fetch_add(1, Ordering::Relaxed);
        ok(client, b"found")
    });
    let there = elsewhere.url("/there");
    let server = Server::answering(move |request, client| {
        assert!(request.contains("authorization: secret"), "{request}");
        client.write_all(
            format!("HTTP/1.1 302 Found\r\nLocation: {there}\r\nContent-Length: 0\r\n\r\n").as_bytes(),
        )
    });
    let mut file = tempfile::NamedTempFile::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    file.write_all(b"Authorization: secret\n").unwrap();
    let given = [("url", &*server.url("/")), ("headers", file.path().to_str().unwrap()), ("until", "end")];
    assert_eq!(run(DOWNLOAD, &given).unwrap().done_bytes, 5.0);
    assert_eq!(heard.load(Ordering::Relaxed), 2);
}

/// Each way of framing and of moving, to a file and to nowhere, gives the content that was sent.
#[test]
fn a_download_is_what_the_server_sent() {
    let body = Arc::new(content(3_000_017));
    let sent = Arc::clone(&body);
    let server = Server::answering(move |request, client| match request.split(' ').nth(1).unwrap() {
        "/chunks" => {
            client.write_all(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")?;
            for chunk in sent.chunks(10_007) {
                client.write_all(format!("{:x};x=y\r\n", chunk.len()).as_bytes())?;
                client.write_all(chunk)?;
                client.write_all(b"\r\n")?;
            }
            client.write_all(b"0\r\nA: b\r\n\r\n")
        }
        "/close" => {
            client.write_all(b"HTTP/1.0 200 OK\r\n\r\n")?;
            client.write_all(&sent)?;
            client.shutdown(std::net::Shutdown::Write)
        }
        _ => ok(client, &sent),
    });
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let folder = folder.path().to_str().unwrap();
    let sum = sha256(&body);
    for path in ["/length", "/chunks", "/close"] {
        let url = server.url(path);
        let once = [("url", &*url), ("until", "end")];
        let summed = [once.as_slice(), &[("verify", &*sum)]].concat();
        let filed = [summed.as_slice(), &[("target", folder), ("sync", "end")]].concat();
        let direct = [filed.as_slice(), &[("direct", "yes"), ("buffer", "64k")]].concat();
        let spliced = [once.as_slice(), &[("target", folder), ("move", "splice")]].concat();
        let nowhere = [once.as_slice(), &[("move", "splice")]].concat();
        let ring = [("move", "io_uring")];
        let ringed = [filed.as_slice(), &ring, &[("buffer", "10007")]].concat();
        let ringed_direct = [direct.as_slice(), &ring].concat();
        let ringed_nowhere = [summed.as_slice(), &ring].concat();
        let rings = [ringed, ringed_direct, ringed_nowhere];
        for given in [summed, filed, direct, spliced, nowhere].into_iter().chain(rings) {
            let measured = run(DOWNLOAD, &given).unwrap_or_else(|why| panic!("{given:?}: {why}"));
            assert_eq!(measured.done_bytes, body.len() as f64, "{given:?}");
        }
        assert_eq!(std::fs::read_dir(folder).unwrap().count(), 0);
    }
    let wrong = run(DOWNLOAD, &[("url", &server.url("/x")), ("verify", &sha256(b"other"))]).unwrap_err();
    assert!(wrong.contains(&sum), "{wrong}");
    let given = [("url", &*server.url("/x")), ("until", "end"), ("target", folder), ("sync", "end")];
    let durable = run(DOWNLOAD, &given).unwrap();
    assert!(durable.metric("throughput_durable") <= durable.metric("throughput") * 1.001, "{durable:?}");
    // What was written by way of the page cache is still there at the end, and nothing is that went around it.
    assert!(durable.fact("cached_share_after").parse::<f64>().unwrap() > 0.9, "{durable:?}");
    let direct = run(DOWNLOAD, &[given.as_slice(), &[("direct", "yes")]].concat()).unwrap();
    assert!(direct.facts.iter().all(|(name, _)| name.as_str() != "cached_share_after"), "{direct:?}");
}

/// A receive of a ring that waits for a server keeps neither the trial from its end nor the worker from its
/// patience.
#[test]
fn a_ring_waits_no_longer_than_it_may() {
    let body = Arc::new(content(3_000_017));
    let sent = Arc::clone(&body);
    let server = Server::answering(move |request, client| {
        if !request.starts_with("GET /slow ") {
            return ok(client, &sent);
        }
        client.write_all(format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", sent.len()).as_bytes())?;
        client.write_all(&sent[..100_000])?;
        std::thread::sleep(Duration::from_secs(2));
        client.write_all(&sent[100_000..])
    });
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let by_ring = [("move", "io_uring"), ("target", folder.path().to_str().unwrap())];
    let (fast, slow) = (server.url("/fast"), server.url("/slow"));
    let again = run(DOWNLOAD, &[[("url", &*fast), ("sync", "end")], by_ring].concat()).unwrap();
    assert!(again.done_bytes > body.len() as f64 && again.metric("throughput") > 0.0, "{again:?}");
    let ended = run(DOWNLOAD, &[[("url", &*slow), ("duration", "500ms")], by_ring].concat()).unwrap();
    assert!(ended.done_bytes < body.len() as f64, "{ended:?}");
    let why =
        run(DOWNLOAD, &[[("url", &*slow), ("timeout", "300ms")], [by_ring[0], ("duration", "5s")]].concat());
    assert!(why.as_ref().is_err_and(|why| why.contains("sent nothing for 0.3 s in the middle")), "{why:?}");
}

#[test]
fn what_contradicts_itself_is_refused() {
    let folder = env!("CARGO_TARGET_TMPDIR");
    let cases: [(&str, Given<'_>, &str); 12] = [
        (DOWNLOAD, &[("direct", "yes")], "without a target"),
        (DOWNLOAD, &[("url", "https://a/"), ("move", "splice")], "TLS must see all"),
        (DOWNLOAD, &[("url", "https://a/"), ("move", "io_uring")], "TLS must see all"),
        (DOWNLOAD, &[("move", "splice"), ("direct", "yes"), ("target", folder)], "around it"),
        (DOWNLOAD, &[("http", "2")], "speaks HTTP/1.1 only"),
        (DOWNLOAD, &[("http", "2"), ("url", "http://a/"), ("move", "splice")], "has frames around them"),
        (DOWNLOAD, &[("http", "2"), ("url", "http://a/"), ("move", "io_uring")], "has frames around them"),
        (DOWNLOAD, &[("target", "/nowhere/at/all")], "no folder"),
        (DOWNLOAD, &[("rate", "10/s")], "rate has no meaning"),
        (REQUESTS, &[("threads", "4"), ("connections", "2")], "4 threads are more"),
        (REQUESTS, &[("headers", "/nowhere")], "cannot be read"),
        (REQUESTS, &[("paths", "/nowhere")], "no file that can be read"),
    ];
    for (workload, given, told) in cases {
        let why = run(workload, given).unwrap_err();
        assert!(why.contains(told), "{given:?}: {why}");
    }
}

#[test]
fn paths_of_a_file_are_asked_for_as_often_as_they_stand_there() {
    let counts = Arc::new([const { AtomicU64::new(0) }; 2]);
    let counted = Arc::clone(&counts);
    let server = Server::answering(move |request, client| {
        counted[usize::from(request.starts_with("GET /b "))].fetch_add(1, Ordering::Relaxed);
        ok(client, b"x")
    });
    let mut file = tempfile::NamedTempFile::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    file.write_all(b"/a\n\n/b\n/a\n/a\n").unwrap();
    let path = file.path().to_str().unwrap();
    run(REQUESTS, &[("url", &server.url("/")), ("paths", path), ("requests", "2000")]).unwrap();
    let [a, b] = [0, 1].map(|place| counts[place].load(Ordering::Relaxed) as f64);
    let share = b / (a + b);
    assert!((0.2..0.3).contains(&share), "{share}");
}

/// Bodies are sent whole, and a method that takes one is not tried beforehand.
#[test]
fn bodies_arrive_whole() {
    let asked = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&asked);
    let server = Server::answering(move |request, client| {
        assert!(request.starts_with("PUT /x HTTP/1.1\r\n") && request.contains("Content-Length: 300000\r\n"));
        count.fetch_add(1, Ordering::Relaxed);
        ok(client, b"")
    });
    let given = [("url", &*server.url("/x")), ("method", "put"), ("body", "300000"), ("requests", "50")];
    let measured = run(REQUESTS, &given).unwrap();
    let answers: u64 = measured.fact("answers").strip_prefix("200: ").unwrap().parse().unwrap();
    assert_eq!(asked.load(Ordering::Relaxed), answers);
}
