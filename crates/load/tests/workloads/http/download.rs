//! Downloads: what is told of all streams together, and what no message shows.

use super::*;

#[test]
fn regression_connections_of_all_streams_are_told() {
    let server = Server::answering(|_, client| ok(client, b"hello"));
    let given = [("url", &*server.url("/")), ("streams", "3"), ("until", "end")];
    let measured = run(DOWNLOAD, &given).unwrap();
    assert_eq!(measured.fact("connections_made"), "3");
    // Each fetch of this one has a connection of its own.
    let closes = Server::answering(|_, client| {
        client.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi")
    });
    let counted = [("url", &*closes.url("/")), ("streams", "2")];
    let measured = run(DOWNLOAD, &counted).unwrap();
    assert!(measured.fact("connections_made").parse::<u64>().unwrap() > 2, "{measured:?}");
}

#[test]
fn regression_a_checksum_that_nothing_was_compared_with_is_a_fault() {
    let server = Server::answering(|request, client| {
        if request.starts_with("GET /whole ") {
            return ok(client, b"hello");
        }
        client.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhello")?;
        std::thread::sleep(Duration::from_secs(3));
        Ok(())
    });
    let sum = sha256(b"hello");
    let why = run(DOWNLOAD, &[("url", &server.url("/")), ("verify", &sum)]).unwrap_err();
    assert!(why.contains("compared with nothing") && why.contains("until=end"), "{why}");
    run(DOWNLOAD, &[("url", &server.url("/"))]).unwrap();
    let whole = [("url", &*server.url("/whole")), ("verify", &*sum), ("until", "end"), ("streams", "2")];
    assert_eq!(run(DOWNLOAD, &whole).unwrap().fact("checksums_compared"), "2");
}

#[test]
fn regression_signatures_in_redirects_are_in_no_message() {
    let server = Server::answering(|request, client| {
        let path = request.split(' ').nth(1).unwrap();
        let to =
            |place: &str| format!("HTTP/1.1 307 Elsewhere\r\nLocation: {place}\r\nContent-Length: 0\r\n\r\n");
        match path {
            "/a" => client.write_all(to("/b?X-Amz-Signature=hunter2").as_bytes()),
            "/odd" => client.write_all(to("ftp://b.example/?X-Amz-Signature=hunter2").as_bytes()),
            "/round" => client.write_all(to("/round?X-Amz-Signature=hunter2").as_bytes()),
            path if path.starts_with("/round") => client.write_all(to("/round").as_bytes()),
            _ => client.write_all(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n"),
        }
    });
    for (path, told) in
        [("/a", "403 to GET /b?…"), ("/odd", "scheme is ftp"), ("/round", "in a circle, by way of")]
    {
        let why = run(DOWNLOAD, &[("url", &server.url(path))]).unwrap_err();
        assert!(why.contains(told) && !why.contains("hunter2"), "{path}: {why}");
    }
    let why = run("http.upload", &[("url", &server.url("/a")), ("size", "1k")]).unwrap_err();
    assert!(why.contains("redirects to /b?…") && !why.contains("hunter2"), "{why}");
}
