//! Servers that go wrong under a download, each in its own way, in one run: the trials on them fail with the
//! reason, that on a good one is kept, and what was set for all of them is put back. Needs root and `ip`.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::net::TcpStream;
use std::sync::Mutex;
use std::time::Duration;

use rustix::net::sockopt;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::common::{stderr, trials};
use crate::settings::TestNetwork;
use crate::web_server::WebServer;

/// What goes wrong at each path, and what is said of it; nothing of the good one.
const PATHS: [(&str, &str); 9] = [
    (
        "/reset",
        "reset the connection after 30000 bytes of a download, 970000 bytes before the length it promised",
    ),
    ("/short", "ended the download after 5 bytes, 995 bytes before the length it promised"),
    ("/more", "it sent more than it said"),
    ("/good", ""),
    ("/stall", "sent nothing for 0.3 s in the middle of a download"),
    ("/errs", "answers 503 to GET /errs"),
    ("/round", "redirects in a circle"),
    ("/huge", "its head has more than 64 KiB or 96 lines"),
    ("/wrong", "the checksum of what"),
];

/// What is downloaded if all is well, and another content as long.
static CONTENT: [u8; 100_000] = [7; 100_000];
static OTHER: [u8; 100_000] = [8; 100_000];

fn ok(client: &mut TcpStream, length: usize, content: &[u8]) -> io::Result<()> {
    client.write_all(format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n").as_bytes())?;
    client.write_all(content)
}

fn go_wrong(path: &str, client: &mut TcpStream) -> io::Result<()> {
    let ends = || -> io::Result<()> { Err(io::ErrorKind::ConnectionAborted.into()) };
    match path {
        "/reset" => {
            ok(client, 1_000_000, &CONTENT[..30_000])?;
            // A reset takes away what was not read.
            std::thread::sleep(Duration::from_millis(100));
            sockopt::set_socket_linger(&*client, Some(Duration::ZERO))?;
            ends()
        }
        "/short" => {
            ok(client, 1000, b"hello")?;
            ends()
        }
        "/more" => client.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello, and more than that"),
        "/stall" => {
            ok(client, 1000, b"hello")?;
            std::thread::sleep(Duration::from_secs(2));
            ends()
        }
        "/errs" => client.write_all(b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n"),
        "/huge" => {
            client.write_all(b"HTTP/1.1 200 OK\r\nX: ")?;
            client.write_all(&[b'x'; 200_000])
        }
        "/wrong" => ok(client, OTHER.len(), &OTHER),
        _ => ok(client, CONTENT.len(), &CONTENT),
    }
}

/// Each url is tried before its trial, where all but the circle are as they should be.
fn answer(path: &str, is_first: bool, client: &mut TcpStream) -> io::Result<()> {
    let to = |place: &str| format!("HTTP/1.1 302 Found\r\nLocation: {place}\r\nContent-Length: 0\r\n\r\n");
    match path {
        "/round" => client.write_all(to("/again").as_bytes()),
        "/again" => client.write_all(to("/round").as_bytes()),
        _ if is_first => ok(client, CONTENT.len(), &CONTENT),
        path => go_wrong(path, client),
    }
}

#[test]
fn servers_that_go_wrong_fail_their_trials_alone_and_all_is_put_back() {
    let network = TestNetwork::new("web");
    let asked = Mutex::new(BTreeSet::new());
    let server = WebServer::start(Some(&network.name), move |path, client| {
        let is_first = asked.lock().unwrap().insert(path.to_owned());
        answer(path, is_first, client)
    });
    let urls = PATHS.map(|(path, _)| server.url(path)).join(",");
    let hex: String = Sha256::digest(&CONTENT[..]).iter().map(|byte| format!("{byte:02x}")).collect();
    let sum = format!("sha256:{hex}");
    let what = ["run", "http.download", "--url", &urls, "--until", "end", "--verify", &sum];
    let how = ["--timeout", "300ms", "--trials", "1", "--set", "mtu@va=1400", "--json"];
    let output = network.run(&[&what[..], &how].concat());
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["outcome"], "complete");
    let cases = document["cases"].as_array().unwrap();
    assert_eq!(cases.len(), PATHS.len());
    for ((path, told), case) in PATHS.iter().zip(cases) {
        let trial = &case["trials"][0];
        if told.is_empty() {
            assert_eq!(trial["status"], "ok", "{path}: {trial}");
            let rate = trial["loads"][0]["metrics"]["throughput"]["value"].as_f64();
            assert!(rate.is_some_and(|rate| rate > 0.0), "{path}: {trial}");
        } else {
            assert_eq!(trial["status"], "failed", "{path}: {trial}");
            let reason = trial["reason"].as_str().unwrap();
            assert!(reason.contains(told), "{path}: {reason}");
        }
        assert_eq!(case["settings"]["mtu@va"][0]["read_back"], 1400, "{path}");
    }
    // Nothing is lost, and all is as it was.
    let stored = network.place.stored();
    let statuses = |document: &Value| -> Vec<Value> {
        trials(document).iter().map(|trial| trial["status"].clone()).collect()
    };
    assert_eq!(statuses(&stored), statuses(&document));
    assert_eq!(network.mtu(), 1500);
    assert!(!network.journal().exists());
}
