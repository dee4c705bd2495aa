//! Loads of HTTP against nginx, held against what it has, what it logged, and what other clients counted.

mod server;

use std::collections::BTreeMap;
use std::process::Command;

use serde_json::Value;

use crate::common::{StoryFolder, stderr, stdout, trials};
use server::{ANSWERS_MOST, Answered, FILE_BYTES, Nginx, PAGE_BYTES, Port, file_sha256, has};

/// The parameter that says what the content must be.
const VERIFY: &str = "--verify";

/// One trial each of `workload`, and its document; all of it must go well.
fn run(place: &StoryFolder, nginx: &Nginx, workload: &str, words: &[&str]) -> Value {
    let certificate = nginx.certificate();
    let usual = ["run", workload, "--trials", "1", "--ca-file", &certificate];
    let (code, document) = place.document(&[&usual[..], words].concat());
    assert_eq!(code, 0, "{document:#}");
    for trial in trials(&document) {
        assert_eq!(trial["status"], "ok", "{trial:#}");
    }
    document
}

fn metric(trial: &Value, name: &str) -> f64 {
    trial["loads"][0]["metrics"][name]["value"]
        .as_f64()
        .unwrap_or_else(|| panic!("{name} is missing: {trial:#}"))
}

fn fact<'a>(trial: &'a Value, name: &str) -> &'a Value {
    let fact = &trial["loads"][0]["facts"][name];
    assert!(!fact.is_null(), "{name} is missing: {trial:#}");
    fact
}

/// Bytes that counted in a trial which ended by itself.
fn moved(trial: &Value) -> u64 {
    (metric(trial, "throughput") * metric(trial, "elapsed")).round() as u64
}

/// Answers of a trial, by their status.
fn answers(trial: &Value) -> BTreeMap<String, usize> {
    let text = fact(trial, "answers").as_str().unwrap();
    let each = text.split(", ").map(|each| each.split_once(": ").unwrap());
    each.map(|(status, count)| (status.to_owned(), count.parse().unwrap())).collect()
}

/// The most requests over one connection.
fn most_of_one_connection(log: &[Answered]) -> usize {
    let mut counts = BTreeMap::<u64, usize>::new();
    for answer in log {
        *counts.entry(answer.connection).or_default() += 1;
    }
    counts.into_values().max().unwrap_or(0)
}

/// Two streams fetch the file from each port, and get what nginx has and all that it says it sent.
fn download(place: &StoryFolder, nginx: &Nginx, http: &str, ports: [Port; 2]) {
    let (urls, sum) = (nginx.urls(&ports.map(|port| (port, "/file"))), file_sha256());
    let words = ["--url", &urls, "--http", http, VERIFY, &sum, "--streams", "2", "--until", "end"];
    let document = run(place, nginx, "http.download", &words);
    let all = trials(&document);
    assert_eq!(all.len(), ports.len());
    for (port, trial) in ports.into_iter().zip(all) {
        assert_eq!(fact(trial, "http_version"), http);
        assert!(fact(trial, "server").as_str().unwrap().starts_with("nginx/"), "{trial:#}");
        assert_eq!(trial["loads"][0]["facts"]["tls_version"].is_string(), port == Port::Secure, "{trial:#}");
        assert_eq!(fact(trial, "content_length"), FILE_BYTES);
        assert_eq!(moved(trial), 2 * FILE_BYTES);
        // The first of three finds out whether the url leads anywhere, and may be broken off.
        let mut log = nginx.answered(port, "/file", 3);
        log.sort_by_key(|answer| answer.connection);
        assert_eq!(log.len(), 3, "{log:#?}");
        let sent: u64 = log[1..].iter().map(|answer| answer.sent).sum();
        assert_eq!(sent, moved(trial), "{log:#?}");
    }
}

#[test]
fn downloads_are_what_nginx_has_and_all_that_it_sent() {
    let place = StoryFolder::new();
    let Some(nginx) = Nginx::start(&place) else { return };
    download(&place, &nginx, "1.1", [Port::Clear, Port::Secure]);
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn downloads_over_http2_are_what_nginx_has_and_all_that_it_sent() {
    let place = StoryFolder::new();
    let Some(nginx) = Nginx::start(&place) else { return };
    download(&place, &nginx, "2", [Port::Http2, Port::Secure]);
}

/// nginx ends a connection after so many answers, over HTTP/2 by a GOAWAY: that is no error.
#[test]
#[ignore = "long: cargo xtask test --long"]
fn downloads_go_on_over_connections_that_nginx_ends() {
    let place = StoryFolder::new();
    let Some(nginx) = Nginx::start(&place) else { return };
    let url = nginx.url(Port::Secure, "/page");
    let words = ["--url", &url, "--http", "1.1,2", "--duration", "300ms", "--warm-up", "0"];
    let document = run(&place, &nginx, "http.download", &words);
    let all = trials(&document);
    assert_eq!(all.len(), 2);
    for trial in &all {
        assert!(fact(trial, "connections_made").as_u64().unwrap() > 1, "{trial:#}");
    }
    let made: u64 = all.iter().map(|trial| fact(trial, "connections_made").as_u64().unwrap()).sum();
    // All but the last of each trial had as many answers as they may.
    let log = nginx.answered(Port::Secure, "/page", (made as usize - 2) * ANSWERS_MOST);
    assert_eq!(most_of_one_connection(&log), ANSWERS_MOST);
    assert!(log.iter().all(|answer| answer.status == 200), "{log:#?}");
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn as_many_requests_are_counted_as_nginx_logs() {
    let place = StoryFolder::new();
    let Some(nginx) = Nginx::start(&place) else { return };
    let ports = [Port::Clear, Port::Secure];
    let urls = nginx.urls(&ports.map(|port| (port, "/page")));
    let words = ["--url", &urls, "--requests", "400", "--warm-up", "0", "--connections", "4"];
    let document = run(&place, &nginx, "http.requests", &words);
    for (port, trial) in ports.into_iter().zip(trials(&document)) {
        assert_eq!(metric(trial, "error_share"), 0.0);
        let answers = answers(trial);
        assert_eq!(answers.keys().collect::<Vec<_>>(), ["200"]);
        let counted = answers["200"];
        assert!(counted >= 400, "{trial:#}");
        assert!(moved(trial) >= 400 * PAGE_BYTES && moved(trial) <= counted as u64 * PAGE_BYTES, "{trial:#}");
        // The first one, by which the url is tried, is in nobody's count.
        let log = nginx.answered(port, "/page", counted + 1);
        assert_eq!(log.len(), counted + 1);
        assert!(log.iter().all(|answer| (answer.status, answer.sent) == (200, PAGE_BYTES)), "{log:#?}");
        assert_eq!(most_of_one_connection(&log), ANSWERS_MOST);
        let made = fact(trial, "connections_made").as_u64().unwrap() as usize;
        assert!(made >= counted / ANSWERS_MOST, "{made} connections for {counted} requests");
    }
}

/// wrk ends while some of its requests are under way, at most one on each connection.
#[test]
#[ignore = "long: cargo xtask test --long"]
fn wrk_counts_requests_as_nginx_logs_them_too() {
    let place = StoryFolder::new();
    let Some(nginx) = Nginx::start(&place).filter(|_| has("wrk", "-v")) else { return };
    std::fs::copy(nginx.path("content/page"), nginx.path("content/other")).unwrap();
    let url = nginx.url(Port::Clear, "/other");
    let said = Command::new("wrk").args(["-t", "1", "-c", "4", "-d", "1s", &url]).output().unwrap();
    let said = stdout(&said);
    let line = said.lines().find(|line| line.contains(" requests in ")).unwrap_or_else(|| panic!("{said}"));
    let theirs: usize = line.split_whitespace().next().unwrap().parse().unwrap();
    let url = nginx.url(Port::Clear, "/page");
    let words = ["--url", &url, "--duration", "500ms", "--warm-up", "100ms", "--connections", "4"];
    let document = run(&place, &nginx, "http.requests", &words);
    let ours = answers(trials(&document)[0])["200"];
    // Ours has a request more, which tries the url.
    for (path, counted) in [("/other", theirs), ("/page", ours + 1)] {
        let logged = nginx.answered(Port::Clear, path, counted).len();
        assert!((counted..=counted + 4).contains(&logged), "{path}: {counted} of {logged}");
    }
}

/// What other clients bring is what counts for ours, and nginx logs it alike.
#[test]
#[ignore = "long: cargo xtask test --long"]
fn curl_wget_and_aria2_bring_what_a_download_counts() {
    let place = StoryFolder::new();
    let Some(nginx) = Nginx::start(&place) else { return };
    let expected = std::fs::read(nginx.path("content/file")).unwrap();
    let aria2 = ["--no-conf", "--quiet", "--no-proxy=127.0.0.1", "--file-allocation=none", "--out"];
    let clients: [(&str, &[&str]); 3] = [
        ("curl", &["-q", "--silent", "--show-error", "--noproxy", "*", "--output"]),
        ("wget", &["--no-config", "--quiet", "--no-proxy", "-O"]),
        ("aria2c", &aria2),
    ];
    let (url, sum) = (nginx.url(Port::Clear, "/file"), file_sha256());
    let mut brought = 0;
    for (program, words) in clients.into_iter().filter(|(program, _)| has(program, "--version")) {
        let name = format!("by-{program}");
        let mut command = Command::new(program);
        let output = command.args(words).args([&name, &url]).current_dir(place.path()).output().unwrap();
        assert!(output.status.success(), "{program}: {}{}", stdout(&output), stderr(&output));
        let got = std::fs::read(place.path().join(&name)).unwrap();
        assert!(got == expected, "{program} brought another file");
        brought += 1;
    }
    let theirs = nginx.answered(Port::Clear, "/file", brought);
    assert_eq!(theirs.len(), brought, "{theirs:#?}");
    assert!(theirs.iter().all(|answer| (answer.status, answer.sent) == (200, FILE_BYTES)), "{theirs:#?}");
    let words = ["--url", &url, VERIFY, &sum, "--until", "end"];
    let document = run(&place, &nginx, "http.download", &words);
    assert_eq!(moved(trials(&document)[0]), FILE_BYTES);
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn answers_of_errors_are_counted_as_nginx_logs_them() {
    let place = StoryFolder::new();
    let Some(nginx) = Nginx::start(&place) else { return };
    std::fs::write(place.path().join("paths"), "/page\n/page\n/page\n/nothing\n").unwrap();
    let url = nginx.url(Port::Clear, "/");
    let words = ["--url", &url, "--paths", "paths", "--requests", "1000", "--warm-up", "0"];
    let document = run(&place, &nginx, "http.requests", &[&words[..], &["--connections", "4"]].concat());
    let trial = trials(&document)[0];
    let answers = answers(trial);
    let (found, missed) = (answers["200"], answers["404"]);
    let share = metric(trial, "error_share");
    assert!((0.15..0.35).contains(&share), "{share}");
    // One of them is the first request, which is in nobody's count.
    let log = nginx.answered(Port::Clear, "/", found + missed + 1);
    let logged = |status: u16| log.iter().filter(|answer| answer.status == status).count();
    assert_eq!(log.len(), found + missed + 1);
    assert!((found..=found + 1).contains(&logged(200)) && (missed..=missed + 1).contains(&logged(404)));
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn uploads_are_what_nginx_stores_and_all_that_it_took() {
    let place = StoryFolder::new();
    let Some(nginx) = Nginx::start(&place) else { return };
    let sent = std::fs::read(nginx.path("content/file")).unwrap();
    let both = |name: &str| {
        [(Port::Clear, format!("/put/clear-{name}")), (Port::Secure, format!("/put/tls-{name}"))]
    };
    let urls = |all: &[(Port, String)]| {
        nginx.urls(&all.iter().map(|(port, path)| (*port, path.as_str())).collect::<Vec<_>>())
    };
    // A file, once.
    let (file, whole) = (nginx.path("content/file"), both("whole"));
    let words = ["--url", &urls(&whole), "--upload-file", &file, "--until", "end"];
    let document = run(&place, &nginx, "http.upload", &words);
    for ((_, path), trial) in whole.iter().zip(trials(&document)) {
        assert_eq!(moved(trial), FILE_BYTES);
        let stored = std::fs::read(nginx.path(path.trim_start_matches('/'))).unwrap();
        assert!(stored == sent, "{path} is another file");
    }
    // Bodies that are made, again and again, over more connections than there are streams.
    let made = both("{stream}");
    let words =
        ["--url", &urls(&made), "--size", "60000", "--streams", "2", "--requests", "60", "--warm-up", "0"];
    let document = run(&place, &nginx, "http.upload", &words);
    for ((port, path), trial) in made.iter().zip(trials(&document)) {
        assert_eq!(metric(trial, "error_share"), 0.0);
        let counted: usize = answers(trial).values().sum();
        assert!(counted >= 60 && moved(trial) <= counted as u64 * 60_000, "{trial:#}");
        assert!(fact(trial, "connections_made").as_u64().unwrap() > 2, "{trial:#}");
        let (prefix, _) = path.split_once('{').unwrap();
        let log = nginx.answered(*port, prefix, counted + 1);
        let log: Vec<_> = log.into_iter().filter(|answer| !answer.path.ends_with("whole")).collect();
        assert_eq!(log.len(), counted, "{log:#?}");
        assert!(log.iter().all(|answer| answer.taken == 60_000), "{log:#?}");
        for stream in 0..2 {
            let name = format!("{}{stream}", prefix.trim_start_matches('/'));
            assert_eq!(std::fs::metadata(nginx.path(&name)).unwrap().len(), 60_000);
        }
    }
}

/// Trials of a run in which some fail, and why they do.
fn reasons(place: &StoryFolder, workload: &str, words: &[&str]) -> Vec<String> {
    let (code, document) = place.document(&[&["run", workload, "--trials", "1"], words].concat());
    assert_eq!(code, 1, "{document:#}");
    let reason = |trial: &&Value| trial["reason"].as_str().unwrap_or_default().to_owned();
    trials(&document).iter().map(reason).collect()
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn what_nginx_refuses_is_told() {
    let place = StoryFolder::new();
    let Some(nginx) = Nginx::start(&place) else { return };
    let urls =
        |paths: &[&str]| nginx.urls(&paths.iter().map(|path| (Port::Clear, *path)).collect::<Vec<_>>());
    let sum = file_sha256();
    let held = |workload: &str, paths: &[&str], words: &[&str], told: &[&str]| {
        let said = reasons(&place, workload, &[&["--url", &urls(paths)], words].concat());
        assert_eq!(said.len(), told.len(), "{said:?}");
        for (reason, told) in said.iter().zip(told) {
            assert!(reason.contains(told) && reason.is_empty() == told.is_empty(), "{told}: {reason}");
        }
    };
    let (gone, away) = ("answers 404 to GET /nothing", "broke the connection off before it answered");
    let fetched = ["/nothing", "/away", "/round", "/page", "/moved"];
    // What a redirect leads to is the file; a page is another.
    let told = [gone, away, "redirects in a circle", "checksum of what", ""];
    held("http.download", &fetched, &[VERIFY, &sum, "--until", "end"], &told);
    held("http.requests", &["/nothing", "/away"], &["--requests", "50"], &[gone, away]);
    let large = "it does not accept bodies of 100000 bytes. Use a smaller size";
    let told = [large, "answers 405 to PUT /page", "broke the connection off", ""];
    held(
        "http.upload",
        &["/small/x", "/page", "/away", "/put/x"],
        &["--size", "100000", "--until", "end"],
        &told,
    );
    // nginx answers in the middle of a body, and reads on for a while.
    let told = ["answers 413 to PUT /small/x"];
    held("http.upload", &["/small/x"], &["--size", "100m", "--until", "end"], &told);
    assert_eq!(std::fs::read_dir(nginx.path("small")).unwrap().count(), 0);
}

/// Whoever meters it, the server or the way, is named, and not this machine.
#[test]
#[ignore = "long: cargo xtask test --long"]
fn a_rate_that_nginx_limits_is_the_server_s() {
    let place = StoryFolder::new();
    let Some(nginx) = Nginx::start(&place) else { return };
    let large = std::fs::File::create(nginx.path("content/large")).unwrap();
    large.set_len(400 << 20).unwrap();
    let url = nginx.url(Port::Clear, "/limited");
    let words = ["--url", &url, "--warm-up", "300ms", "--duration", "1s"];
    let document = run(&place, &nginx, "http.download", &words);
    let findings = document["cases"][0]["findings"].as_array().unwrap();
    let is_named = |code: &str| findings.iter().any(|found| found["code"] == code);
    assert!(is_named("server-bound") || is_named("constant-limit"), "{findings:#?}");
}
