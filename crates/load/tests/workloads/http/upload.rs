//! Uploads, to servers that count, err, answer early, and go away.

use std::collections::BTreeMap;
use std::io::Read;
use std::sync::Mutex;

use super::server::receive;
use super::*;

const UPLOAD: &str = "http.upload";

/// The head of the next request, and nothing of its body.
fn head_of(client: &mut impl Read) -> std::io::Result<String> {
    let (mut head, mut byte) = (Vec::new(), [0]);
    while !head.ends_with(b"\r\n\r\n") {
        client.read_exact(&mut byte)?;
        head.push(byte[0]);
    }
    Ok(String::from_utf8(head).unwrap())
}

/// Each stream writes an object of its own, whole, and that is what counts.
#[test]
fn what_counts_is_what_arrived_and_was_acknowledged() {
    let came = Arc::new(Mutex::new(BTreeMap::<String, usize>::new()));
    let count = Arc::clone(&came);
    let server = Server::start(move |client| {
        while let Some((head, body)) = receive(client)? {
            assert!(!head.contains("Expect") && !head.contains("chunked"), "{head}");
            let line = head.lines().next().unwrap().to_owned();
            *count.lock().unwrap().entry(line).or_default() += body.len();
            ok(client, b"")?;
        }
        Ok(())
    });
    let given = [("url", &*server.url("/x/{stream}?y={stream}")), ("streams", "3"), ("size", "3000017")];
    for method in ["put", "post"] {
        came.lock().unwrap().clear();
        let once = [given.as_slice(), &[("method", method), ("until", "end")]].concat();
        let measured = run(UPLOAD, &once).unwrap();
        assert_eq!(measured.done_bytes, 3.0 * 3_000_017.0);
        assert_eq!(measured.metric("error_share"), 0.0);
        assert_eq!(measured.fact("answers"), "200: 3");
        let name = method.to_ascii_uppercase();
        let lines = [0, 1, 2].map(|n| (format!("{name} /x/{n}?y={n} HTTP/1.1"), 3_000_017));
        assert_eq!(*came.lock().unwrap(), BTreeMap::from(lines));
    }
    let counted = [given.as_slice(), &[("requests", "12")]].concat();
    let measured = run(UPLOAD, &counted).unwrap();
    assert!(measured.metric("throughput") > 0.0 && measured.metric("elapsed") > 0.0, "{measured:?}");
    assert_eq!(measured.fact("connections_made"), "3");
}

#[test]
fn a_file_arrives_as_it_is() {
    let came = Arc::new(Mutex::new(Vec::new()));
    let sums = Arc::clone(&came);
    let server = Server::start(move |client| {
        while let Some((_, body)) = receive(client)? {
            sums.lock().unwrap().push(sha256(&body));
            ok(client, b"thanks")?;
        }
        Ok(())
    });
    let sent = content(1_000_003);
    let mut file = tempfile::NamedTempFile::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    file.write_all(&sent).unwrap();
    let path = file.path().to_str().unwrap();
    let url = server.url("/x");
    let whole = [("url", &*url), ("upload-file", path), ("until", "end"), ("buffer", "64k")];
    assert_eq!(run(UPLOAD, &whole).unwrap().done_bytes, 1_000_003.0);
    let front = [whole.as_slice(), &[("size", "1000")]].concat();
    assert_eq!(run(UPLOAD, &front).unwrap().done_bytes, 1000.0);
    assert_eq!(*came.lock().unwrap(), [sha256(&sent), sha256(&sent[..1000])]);
    // Bodies that are made are none that a server has already.
    came.lock().unwrap().clear();
    run(UPLOAD, &[("url", &url), ("size", "100k"), ("requests", "4"), ("streams", "2")]).unwrap();
    let mut sums = came.lock().unwrap().clone();
    let all = sums.len();
    sums.sort_unstable();
    sums.dedup();
    assert!(all >= 4 && sums.len() == all, "{all}");
}

#[test]
fn uploads_that_a_server_failed_to_take_do_not_count() {
    let server = Server::answering(|request, client| match request.starts_with("PUT /3 ") {
        true => client.write_all(b"HTTP/1.1 500 Full\r\nContent-Length: 4\r\n\r\nfull"),
        false => client.write_all(b"HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n"),
    });
    let given = [("url", &*server.url("/{stream}")), ("streams", "4"), ("size", "100000"), ("until", "end")];
    let measured = run(UPLOAD, &given).unwrap();
    assert_eq!(measured.done_bytes, 300_000.0, "{measured:?}");
    assert_eq!(measured.metric("error_share"), 0.25);
    assert_eq!(measured.fact("answers"), "201: 3, 500: 1");
    let why = run(UPLOAD, &[("url", &server.url("/3")), ("size", "1k")]).unwrap_err();
    assert!(why.contains("did not acknowledge any") && why.contains("500: "), "{why}");
}

/// A server may answer in the middle of a body: then it stands still, or goes away with the rest unread.
#[test]
fn an_answer_in_the_middle_of_a_body_is_told() {
    const SAYS: &[u8] = b"HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    let stays = Server::start(|client| {
        head_of(client)?;
        client.write_all(SAYS)?;
        std::thread::sleep(Duration::from_secs(2));
        Ok(())
    });
    let goes = Server::start(|client| {
        head_of(client)?;
        client.write_all(SAYS)
    });
    let reads_on = Server::start(|client| {
        head_of(client)?;
        client.write_all(SAYS)?;
        std::io::copy(client, &mut std::io::sink()).map(|_| ())
    });
    for server in [&stays, &goes, &reads_on] {
        let why = run(UPLOAD, &[("url", &server.url("/big")), ("size", "256m")]).unwrap_err();
        assert!(
            why.contains("answers 413 to PUT /big, after ") && why.contains("does not accept bodies of"),
            "{why}"
        );
    }
    let given = [("url", &*goes.url("/big")), ("size", "1g"), ("method", "post")];
    let why = run(UPLOAD, &given).unwrap_err();
    assert!(why.contains("to POST /big"), "{why}");
}

#[test]
fn what_the_next_request_would_meet_too_ends_the_trial() {
    let says = |status: &'static str| {
        Server::answering(move |_, client| {
            let head =
                format!("HTTP/1.1 {status}\r\nLocation: http://b.example/\r\nContent-Length: 0\r\n\r\n");
            client.write_all(head.as_bytes())
        })
    };
    for (status, told) in [
        ("301 Moved", "redirects to http://b.example/"),
        ("403 Forbidden", "answers 403 to PUT /x"),
        ("405 Method Not Allowed", "it does not accept PUT there"),
    ] {
        let why = run(UPLOAD, &[("url", &says(status).url("/x")), ("size", "10k")]).unwrap_err();
        assert!(why.contains(told), "{status}: {why}");
    }
    let goes = Server::start(|client| head_of(client).map(|_| ()));
    let why = run(UPLOAD, &[("url", &goes.url("/x")), ("size", "64m")]).unwrap_err();
    assert!(why.contains("broke the connection off after") && why.contains("67108864"), "{why}");
    let stops = Server::start(|client| {
        head_of(client)?;
        std::thread::sleep(Duration::from_secs(3));
        Ok(())
    });
    let given = [("url", &*stops.url("/x")), ("size", "256m"), ("timeout", "300ms"), ("duration", "5s")];
    let why = run(UPLOAD, &given).unwrap_err();
    assert!(why.contains("sent nothing for 0.3 s in the middle of an upload"), "{why}");
}

/// The body was taken; what comes then is no answer, or not all of one.
#[test]
fn an_answer_to_an_upload_that_is_none_is_told() {
    let silent = "sent nothing for 1 s when it was to answer";
    let huge = [b"HTTP/1.1 200 OK\r\nX: ".as_slice(), &[b'x'; 200_000]].concat();
    let cases: [(Vec<u8>, &str); 5] = [
        (huge, "its head has more than 64 KiB or 96 lines"),
        (b"SSH-2.0-OpenSSH_9.2\r\n".to_vec(), "its head is none of HTTP/1.1"),
        (
            b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello, and more".to_vec(),
            "it sent more than it said",
        ),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhello".to_vec(), silent),
        (Vec::new(), silent),
    ];
    for (bytes, told) in cases {
        let server = Server::start(move |client| {
            receive(client)?;
            client.write_all(&bytes)?;
            // It stays as long as the other side does.
            receive(client).map(drop)
        });
        let given = [("url", &*server.url("/x")), ("size", "10k"), ("timeout", "1s"), ("duration", "3s")];
        let why = run(UPLOAD, &given).unwrap_err();
        assert!(why.contains(told), "{told}: {why}");
    }
}

#[test]
fn connections_that_a_server_closes_after_an_answer_are_made_anew() {
    let server = Server::start(|client| {
        for _ in 0..3 {
            if receive(client)?.is_none() {
                break;
            }
            ok(client, b"")?;
        }
        Ok(())
    });
    let measured = run(UPLOAD, &[("url", &server.url("/x")), ("size", "10k"), ("requests", "30")]).unwrap();
    assert_eq!(measured.metric("error_share"), 0.0, "{measured:?}");
    assert!(measured.fact("connections_made").parse::<u64>().unwrap() >= 10, "{measured:?}");
    assert!(measured.fact("uploads_retried").parse::<u64>().unwrap() >= 9, "{measured:?}");
}

/// To send such a body again would hide that it failed.
#[test]
fn regression_an_upload_that_breaks_off_in_the_middle_is_an_error() {
    let asked = AtomicU64::new(0);
    let server = Server::start(move |client| {
        while let Ok(head) = head_of(client) {
            assert!(head.to_ascii_lowercase().contains("content-length: 16777216\r\n"), "{head}");
            if asked.fetch_add(1, Ordering::Relaxed) == 5 {
                std::thread::sleep(Duration::from_millis(1200));
                break;
            }
            client.read_exact(&mut vec![0; 16 << 20])?;
            ok(client, b"")?;
        }
        Ok(())
    });
    let measured = run(UPLOAD, &[("url", &server.url("/x")), ("size", "16m"), ("requests", "10")]).unwrap();
    assert!(measured.metric("error_share") > 0.05, "{measured:?}");
    assert!(measured.fact("answers").contains("ended early: 1"), "{measured:?}");
    assert_eq!(measured.fact("uploads_retried"), "0");
}

/// What a server answers in the middle of a body is its answer, and the body is not sent again.
#[test]
fn regression_a_refusal_in_the_middle_of_a_request_is_counted_once() {
    let asked = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&asked);
    let server = Server::start(move |client| {
        while head_of(client).is_ok() {
            if count.fetch_add(1, Ordering::Relaxed) % 2 == 1 {
                return client.write_all(b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n");
            }
            client.read_exact(&mut vec![0; 8 << 20])?;
            ok(client, b"")?;
        }
        Ok(())
    });
    let given = [("method", "put"), ("body", "8m"), ("requests", "20"), ("connections", "2")];
    let measured = run(REQUESTS, &[&[("url", &*server.url("/x"))], given.as_slice()].concat()).unwrap();
    let answers = measured.fact("answers");
    assert!(answers.contains("503: ") && !answers.contains("early"), "{answers}");
    let all: u64 = answers.split(", ").map(|each| each[5..].parse::<u64>().unwrap()).sum();
    assert_eq!(all, asked.load(Ordering::Relaxed), "{answers}");
}

/// A buffer that empties slowly is no silence, though no call can send for longer than the timeout.
#[test]
fn regression_a_server_that_takes_bytes_slowly_is_not_silent() {
    let server = Server::start(|client| {
        rustix::net::sockopt::set_socket_recv_buffer_size(&*client, 64 << 10)?;
        head_of(client)?;
        let mut left: usize = 2 << 20;
        let mut room = vec![0; 50_000];
        while left > 0 {
            let most = left.min(room.len());
            client.read_exact(&mut room[..most])?;
            left -= most;
            std::thread::sleep(Duration::from_millis(50));
        }
        ok(client, b"")
    });
    let url = server.url("/x");
    let given = [("url", &*url), ("timeout", "500ms"), ("until", "end")];
    let upload = [given.as_slice(), &[("size", "2m")]].concat();
    assert_eq!(run(UPLOAD, &upload).unwrap().metric("error_share"), 0.0);
    let request =
        [&given[..2], &[("method", "put"), ("body", "2m"), ("requests", "1"), ("connections", "1")]];
    assert_eq!(run(REQUESTS, &request.concat()).unwrap().metric("error_share"), 0.0);
}

/// The time of an answer is that of the server, without that of the body.
#[test]
fn the_time_until_an_answer_begins_with_the_last_byte() {
    let server = Server::answering(|_, client| {
        std::thread::sleep(Duration::from_millis(30));
        ok(client, b"")
    });
    // A percentile needs ten beyond it.
    let measured = run(UPLOAD, &[("url", &server.url("/")), ("size", "10k"), ("requests", "25")]).unwrap();
    let [answer, whole] = ["answer_p50", "latency_p50"].map(|name| measured.metric(name));
    assert!((0.03..0.2).contains(&answer) && answer <= whole * 1.01, "{measured:?}");
    // Meanwhile nothing was under way.
    let idle: f64 = measured.fact("all_acknowledged_share").parse().unwrap();
    assert!((0.5..=1.0).contains(&idle), "{measured:?}");
}

/// A server that reads slowly, so that its window is full.
#[test]
fn a_window_that_the_server_does_not_empty_is_told() {
    let server = Server::start(|client| {
        rustix::net::sockopt::set_socket_recv_buffer_size(&*client, 64 << 10)?;
        let mut room = vec![0; 50_000];
        loop {
            head_of(client)?;
            for _ in 0..20 {
                client.read_exact(&mut room)?;
                std::thread::sleep(Duration::from_millis(10));
            }
            ok(client, b"")?;
        }
    });
    let given = [("url", &*server.url("/")), ("size", "1000000"), ("duration", "1s")];
    let measured = run(UPLOAD, &given).unwrap();
    let number = |name: &str| measured.fact(name).parse::<f64>().unwrap();
    assert!((0.3..=1.0).contains(&number("server_window_full_share")), "{measured:?}");
    assert!(number("peer_window_most") > 10_000.0, "{measured:?}");
}

/// What TCP counts of a connection says nothing of the one that comes after it.
#[test]
fn nothing_is_told_of_connections_that_are_made_anew() {
    let server = Server::start(|client| {
        if receive(client)?.is_some() {
            client.write_all(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")?;
        }
        Ok(())
    });
    let given = [("url", &*server.url("/")), ("size", "10k"), ("duration", "500ms")];
    let measured = run(UPLOAD, &given).unwrap();
    let told = |name: &str| measured.facts.iter().any(|(fact, _)| fact.as_str() == name);
    assert!(measured.fact("connections_made").parse::<u64>().unwrap() > 1, "{measured:?}");
    assert!(!told("server_window_full_share") && !told("all_acknowledged_share"), "{measured:?}");
}

#[test]
fn what_cannot_be_sent_is_refused() {
    let mut file = tempfile::NamedTempFile::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    file.write_all(b"five!").unwrap();
    let path = file.path().to_str().unwrap();
    let cases: [(Given<'_>, &str); 6] = [
        (&[("upload-file", "/nowhere/at/all")], "cannot be read"),
        (&[("upload-file", "/")], "no file with content"),
        (&[("upload-file", path), ("size", "6")], "has 5 bytes, and 6"),
        (&[("rate", "10/s")], "rate has no meaning"),
        (&[("threads", "2"), ("streams", "3")], "a thread of its own"),
        (&[("buffer", "1k")], "not what one call can have"),
    ];
    for (given, told) in cases {
        let why = run(UPLOAD, given).unwrap_err();
        assert!(why.contains(told), "{given:?}: {why}");
    }
}
