//! Requests of a file: how often each is sent, how, with what body, and the figures of each.

use std::sync::Mutex;

use super::*;

/// A file of requests in a folder of its own, with a body beside it.
fn file_of(text: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    std::fs::write(folder.path().join("body.json"), b"{\"from\": \"a file\"}").unwrap();
    let path = folder.path().join("requests");
    std::fs::write(&path, text).unwrap();
    let path = path.to_str().unwrap().to_owned();
    (folder, path)
}

#[test]
fn a_mix_is_sent_as_its_lines_say() {
    let heard = Arc::new(Mutex::new(std::collections::BTreeMap::<String, (u64, Vec<u8>)>::new()));
    let hears = Arc::clone(&heard);
    let server = Server::start(move |client| {
        while let Some((head, body)) = server::receive(client)? {
            let line = head.lines().next().unwrap().to_owned();
            let length = head.lines().find_map(|line| line.strip_prefix("Content-Length: "));
            assert_eq!(length.map(str::to_owned), line.starts_with('P').then(|| body.len().to_string()));
            let is_head = line.starts_with("HEAD ");
            let mut heard = hears.lock().unwrap();
            let entry = heard.entry(line).or_default();
            (entry.0, entry.1) = (entry.0 + 1, body);
            drop(heard);
            if is_head {
                client.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")?;
            } else {
                ok(client, b"hello")?;
            }
        }
        Ok(())
    });
    let text = "# of the test\n5 /a?x=1\n3 POST /b {\"in\": \"line\"}\nPUT /c @body.json\nHEAD /d\n\nPOST /e random:3k\n";
    let (_folder, path) = file_of(text);
    let given = [("url", &*server.url("/")), ("paths", &*path), ("requests", "4400"), ("connections", "4")];
    let measured = run(REQUESTS, &given).unwrap();
    assert_eq!(measured.metric("error_share"), 0.0, "{measured:?}");
    let heard = heard.lock().unwrap();
    let of = |line: &str| heard.get(&format!("{line} HTTP/1.1")).unwrap_or_else(|| panic!("{line}")).clone();
    let all: u64 = heard.values().map(|(count, _)| count).sum();
    let lines = ["GET /a?x=1", "POST /b", "PUT /c", "HEAD /d", "POST /e"];
    for (line, weight) in lines.iter().zip([5.0, 3.0, 1.0, 1.0, 1.0]) {
        let share = of(line).0 as f64 / all as f64;
        // Five standard deviations of a share of 4,400.
        assert!((share - weight / 11.0).abs() < 0.038, "{line}: {share}");
    }
    assert_eq!(heard.len(), 5);
    assert_eq!(
        (of("POST /b").1, of("PUT /c").1),
        (b"{\"in\": \"line\"}".to_vec(), b"{\"from\": \"a file\"}".to_vec())
    );
    assert_eq!(of("POST /e").1.len(), 3 << 10);
}

/// Each request has its own latency, and its answers add up to those of the load.
#[test]
fn each_request_of_a_mix_has_figures_of_its_own() {
    let server = Server::answering(|request, client| match request.split(' ').nth(1).unwrap() {
        "/slow" => {
            std::thread::sleep(Duration::from_millis(8));
            ok(client, b"x")
        }
        "/wrong" => client.write_all(b"HTTP/1.1 500 Oh\r\nContent-Length: 0\r\n\r\n"),
        _ => ok(client, b"x"),
    });
    let (_folder, path) = file_of("4 GET /fast?secret\nGET /slow\nGET /wrong\n");
    let given = [("url", &*server.url("/")), ("paths", &*path), ("connections", "1"), ("requests", "600")];
    let measured = run(REQUESTS, &given).unwrap();
    assert!(measured.metric("line_2_latency_p50") >= 0.008, "{measured:?}");
    assert!(measured.metric("line_1_latency_p50") < measured.metric("line_2_latency_p50"));
    let rates: f64 =
        ["line_1_per_second", "line_2_per_second"].iter().map(|name| measured.metric(name)).sum();
    let all = measured.metric("requests_per_second");
    assert!((rates / all - 1.0).abs() < 1e-6, "{rates} {all}");
    assert_eq!((&*measured.fact("line_1"), &*measured.fact("line_3")), ("GET /fast?…", "GET /wrong"));
    assert_eq!((&*measured.fact("line_2_errors"), &*measured.fact("line_3_answers")), ("0", "0"));
    assert!(measured.fact("line_3_errors").parse::<u64>().unwrap() > 50, "{measured:?}");
    let answered =
        ["line_1_answers", "line_2_answers"].map(|name| measured.fact(name).parse::<u64>().unwrap());
    assert!(answered[0] > 2 * answered[1] && answered[1] > 50, "{answered:?}");
    // Together they are what the whole trial counted, warm-up included.
    let failed = measured.fact("line_3_errors").parse::<u64>().unwrap();
    let all = format!("200: {}, 500: {failed}", answered[0] + answered[1]);
    assert_eq!(measured.fact("answers"), all, "{measured:?}");
    // A single request, or too many, have the figures of the load alone.
    for text in ["/fast\n".to_owned(), "/fast\n".repeat(9)] {
        let (_folder, path) = file_of(&text);
        let given = [("url", &*server.url("/")), ("paths", &*path), ("requests", "50")];
        let measured = run(REQUESTS, &given).unwrap();
        assert!(measured.metrics.iter().all(|(name, _)| !name.as_str().starts_with("line_")), "{measured:?}");
    }
}

/// What a query says may be a key, wherever the request stands in a file.
#[test]
fn regression_a_query_was_in_the_message_of_a_request_that_is_refused() {
    let server = Server::answering(|_, client| {
        client.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
    });
    let (_folder, path) = file_of("POST /a\nGET /nothing?key=secret\n");
    let why = run(REQUESTS, &[("url", &*server.url("/")), ("paths", &*path)]).unwrap_err();
    assert!(why.contains("answers 404 to GET /nothing?…") && !why.contains("secret"), "{why}");
}

#[test]
fn the_same_seed_sends_the_same_requests() {
    let order = |seed_text: &str| {
        let heard = Arc::new(Mutex::new(String::new()));
        let hears = Arc::clone(&heard);
        let server = Server::answering(move |request, client| {
            hears.lock().unwrap().push_str(&request[4..6]);
            ok(client, b"x")
        });
        let (_folder, path) = file_of(seed_text);
        let given = [("url", &*server.url("/")), ("paths", &*path), ("connections", "1"), ("requests", "50")];
        run(REQUESTS, &given).unwrap();
        let text = heard.lock().unwrap().clone();
        // Before those that count there are as many as the warm-up had time for.
        text[text.len() - 100..].to_owned()
    };
    let first = order("2 GET /a\nGET /b\n");
    assert!(first.contains("/a") && first.contains("/b"), "{first}");
    assert_eq!(first, order("2 GET /a\nGET /b\n"));
    assert_ne!(first, order("GET /a\n2 GET /b\n"));
}

#[test]
fn a_file_that_is_wrong_names_the_line() {
    for (text, told) in [
        ("/a\nFETCH /b\n", "line 2: `FETCH` is not a method"),
        ("\n# c\n/a b\n", "line 3: it has a body and no method"),
        ("POST /b @nowhere\n", "line 1: its body in "),
        ("# nothing\n", "has 0 requests"),
    ] {
        let (_folder, path) = file_of(text);
        let why = run(REQUESTS, &[("url", "http://127.0.0.1:1/"), ("paths", &path)]).unwrap_err();
        assert!(why.contains(told), "{text}: {why}");
    }
}
