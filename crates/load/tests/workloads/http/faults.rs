//! Servers that break off, lie about lengths and send heads without an end, in the middle of a trial.

use rustix::net::sockopt;

use super::*;

/// Answers so many requests well, then does something else once for each connection.
fn after(
    good: u64,
    then: impl Fn(&mut std::net::TcpStream) -> std::io::Result<()> + Send + Sync + 'static,
) -> Server {
    let asked = AtomicU64::new(0);
    Server::start(move |client| {
        while hear(client)?.is_some() {
            if asked.fetch_add(1, Ordering::Relaxed) >= good {
                return then(client);
            }
            ok(client, b"hello")?;
        }
        Ok(())
    })
}

/// Closes a connection by a reset, once what was sent has been read.
fn reset(client: &std::net::TcpStream) -> std::io::Result<()> {
    std::thread::sleep(Duration::from_millis(100));
    sockopt::set_socket_linger(client, Some(Duration::ZERO))?;
    Ok(())
}

/// A reset in the middle of a download is told with how much had come, however it is moved.
#[test]
fn a_download_that_is_reset_says_how_far_it_came() {
    let resets = || {
        after(1, |client| {
            client.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")?;
            client.write_all(&[7; 30_000])?;
            reset(client)
        })
    };
    for way in ["buffer", "splice", "io_uring"] {
        let server = resets();
        let why = run(DOWNLOAD, &[("url", &server.url("/")), ("move", way)]).unwrap_err();
        let told = "reset the connection after 30000 bytes of a download, 970000 bytes before the length";
        assert!(why.contains(told), "{way}: {why}");
    }
    let chunks = after(1, |client| {
        client.write_all(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n")?;
        reset(client)
    });
    let why = run(DOWNLOAD, &[("url", &chunks.url("/"))]).unwrap_err();
    assert!(why.contains("after 5 bytes of a download: its program ended"), "{why}");
}

#[test]
fn requests_that_are_reset_are_errors() {
    let asked = AtomicU64::new(0);
    let server = Server::start(move |client| {
        while hear(client)?.is_some() {
            if asked.fetch_add(1, Ordering::Relaxed) % 10 == 9 {
                client.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello")?;
                std::thread::sleep(Duration::from_millis(5));
                sockopt::set_socket_linger(&*client, Some(Duration::ZERO))?;
                return Ok(());
            }
            ok(client, b"hello")?;
        }
        Ok(())
    });
    let measured =
        run(REQUESTS, &[("url", &server.url("/")), ("connections", "2"), ("requests", "200")]).unwrap();
    let share = measured.metric("error_share");
    assert!((0.08..0.12).contains(&share), "{share}");
    assert!(measured.fact("answers").contains("ended early: "), "{measured:?}");
}

/// A head without an end ends a trial, wherever it comes: in one line, or in many.
#[test]
fn a_huge_head_in_the_middle_of_a_trial_is_told() {
    for line in [200_000, 20] {
        let huge = move |client: &mut std::net::TcpStream| {
            client.write_all(b"HTTP/1.1 200 OK\r\n")?;
            for number in 0.. {
                client.write_all(format!("X-{number}: {}\r\n", "x".repeat(line)).as_bytes())?;
            }
            Ok(())
        };
        for workload in [REQUESTS, DOWNLOAD] {
            let server = after(3, huge);
            let why = run(workload, &[("url", &server.url("/"))]).unwrap_err();
            assert!(why.contains("its head has more than 64 KiB or 96 lines"), "{workload} {line}: {why}");
        }
    }
}

/// Too little is an early end, which has a test of its own; too much belongs to no answer.
#[test]
fn more_than_a_server_said_is_told() {
    let says = || {
        after(3, |client| {
            client.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello, and more than that")?;
            hear(client).map(drop)
        })
    };
    for workload in [REQUESTS, DOWNLOAD] {
        let server = says();
        let why = run(workload, &[("url", &server.url("/"))]).unwrap_err();
        assert!(why.contains("it sent more than it said"), "{workload}: {why}");
    }
    // Too far from the head to come with it.
    let server = after(1, |client| {
        client.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")?;
        client.write_all(&[b'x'; 99_999])?;
        std::thread::sleep(Duration::from_millis(50));
        // The last byte and what is too much come together.
        client.write_all(&[b'x'; 1_000])?;
        hear(client).map(drop)
    });
    let why = run(DOWNLOAD, &[("url", &server.url("/")), ("buffer", "64k")]).unwrap_err();
    assert!(why.contains("it sent more than it said"), "{why}");
}

/// Less than it said: the connection stays, and the answer never ends.
#[test]
fn less_than_a_server_said_is_waited_for_no_longer_than_allowed() {
    let server = after(1, |client| {
        client.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhello")?;
        hear(client).map(drop)
    });
    let given = [("url", &*server.url("/")), ("timeout", "200ms"), ("duration", "3s")];
    for workload in [REQUESTS, DOWNLOAD] {
        let why = run(workload, &given).unwrap_err();
        assert!(why.contains("sent nothing for 0.2 s"), "{workload}: {why}");
    }
}

/// What a server says when a url is tried may not be what it says later.
#[test]
fn a_server_that_refuses_a_download_in_the_middle_of_a_trial_is_told() {
    for (status, told) in [("503 Busy", "answers 503 to GET /"), ("302 Found", "answers 302 to GET /")] {
        let server = after(3, move |client| {
            let head = format!("HTTP/1.1 {status}\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n");
            client.write_all(head.as_bytes())
        });
        let why = run(DOWNLOAD, &[("url", &server.url("/"))]).unwrap_err();
        assert!(why.contains(told), "{status}: {why}");
    }
}

/// No circle, and no end either.
#[test]
fn redirects_that_lead_on_without_an_end_are_told() {
    let server = Server::answering(|request, client| {
        let number: u32 = request.split(' ').nth(1).unwrap()[1..].parse().unwrap();
        let next = number + 1;
        client.write_all(
            format!("HTTP/1.1 302 Found\r\nLocation: /{next}\r\nContent-Length: 0\r\n\r\n").as_bytes(),
        )
    });
    let why = run(DOWNLOAD, &[("url", &server.url("/0"))]).unwrap_err();
    assert!(why.contains("more than 20 redirects lead on, the last to "), "{why}");
}
