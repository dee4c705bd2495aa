//! Downloads over HTTP/2, from a server that answers, resets, goes away or speaks something else.

use std::io::{ErrorKind, Read};
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};
use std::time::Instant;

use bytes::Bytes;
use h2::Reason;
use h2::server::Connection;
use http::{Response, StatusCode};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::*;

/// What never waits, as the library wants it.
struct Polled<S>(S);

fn polled<T>(result: std::io::Result<T>) -> Poll<std::io::Result<T>> {
    match result {
        Err(e) if e.kind() == ErrorKind::WouldBlock => Poll::Pending,
        result => Poll::Ready(result),
    }
}

impl<S: Read + Unpin> AsyncRead for Polled<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        _context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        let mut room = [0; 16 << 10];
        let most = room.len().min(into.remaining());
        polled(self.get_mut().0.read(&mut room[..most])).map_ok(|got| into.put_slice(&room[..got]))
    }
}

impl<S: Write + Unpin> AsyncWrite for Polled<S> {
    fn poll_write(
        self: Pin<&mut Self>,
        _context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<std::io::Result<usize>> {
        polled(self.get_mut().0.write(bytes))
    }

    fn poll_flush(self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        polled(self.get_mut().0.flush())
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        self.poll_flush(context)
    }
}

/// Polls until it is done.
fn finish<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return value;
        }
        std::thread::sleep(Duration::from_micros(200));
    }
}

/// Has what was said go out for a moment.
async fn go_on<S: Read + Write + Unpin>(connection: &mut Connection<Polled<S>, Bytes>) {
    let until = Instant::now() + Duration::from_millis(150);
    std::future::poll_fn(|context| {
        let is_closed = connection.poll_closed(context).is_ready();
        if is_closed || Instant::now() >= until { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}

/// Answers what is asked over one connection: the path says how.
async fn serve<S: Read + Write + Unpin>(io: S, body: Bytes) -> Result<(), h2::Error> {
    let mut connection = h2::server::handshake(Polled(io)).await?;
    while let Some(asked) = connection.accept().await {
        let (request, mut respond) = asked?;
        assert_eq!(request.headers()["accept-encoding"], "identity");
        let path = request.uri().path();
        let response = || Response::builder().header("server", "test");
        let of_length = |bytes: usize| response().header("content-length", bytes).body(()).unwrap();
        let half = body.slice(..body.len() / 2);
        match path {
            "/whole" | "/last" => {
                respond.send_response(of_length(body.len()), false)?.send_data(body.clone(), true)?;
                if path == "/last" {
                    connection.graceful_shutdown();
                }
            }
            // It does not say how long it is.
            "/open" => {
                respond.send_response(response().body(()).unwrap(), false)?.send_data(body.clone(), true)?;
            }
            "/empty" => drop(respond.send_response(of_length(0), true)?),
            "/short" => {
                respond.send_response(of_length(body.len()), false)?.send_data(half, true)?;
            }
            "/reset" => {
                let mut content = respond.send_response(of_length(body.len()), false)?;
                content.send_data(half, false)?;
                go_on(&mut connection).await;
                content.send_reset(Reason::INTERNAL_ERROR);
            }
            "/abrupt" => {
                let mut content = respond.send_response(of_length(body.len()), false)?;
                content.send_data(half, false)?;
                go_on(&mut connection).await;
                connection.abrupt_shutdown(Reason::ENHANCE_YOUR_CALM);
            }
            "/refused" => respond.send_reset(Reason::HTTP_1_1_REQUIRED),
            "/silent" => {
                let mut content = respond.send_response(of_length(body.len()), false)?;
                content.send_data(half, false)?;
                for _ in 0..20 {
                    go_on(&mut connection).await;
                }
            }
            "/moved" => {
                let moved = response().status(StatusCode::FOUND).header("location", "/whole");
                drop(respond.send_response(moved.body(()).unwrap(), true)?);
            }
            _ => drop(
                respond.send_response(response().status(StatusCode::NOT_FOUND).body(()).unwrap(), true)?,
            ),
        }
    }
    Ok(())
}

/// A server of HTTP/2 in the clear, or over TLS.
fn server(body: &[u8], secure: Option<Arc<ServerConfig>>) -> Server {
    let body = Bytes::copy_from_slice(body);
    Server::start(move |client| {
        client.set_nonblocking(true)?;
        let served = match &secure {
            None => finish(serve(client, body.clone())),
            Some(config) => {
                let session = ServerConnection::new(Arc::clone(config)).unwrap();
                finish(serve(StreamOwned::new(session, client), body.clone()))
            }
        };
        served.map_err(std::io::Error::other)
    })
}

const HTTP2: (&str, &str) = ("http", "2");

#[test]
fn a_download_over_http2_is_what_the_server_sent() {
    let body = content(3_000_017);
    let sum = sha256(&body);
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let folder = folder.path().to_str().unwrap();
    let server = server(&body, None);
    for path in ["/whole", "/open", "/moved"] {
        let url = server.url(path);
        let summed = [("url", &*url), HTTP2, ("until", "end"), ("verify", &*sum)];
        let cases: [Given<'_>; 4] = [
            &[],
            &[("streams", "2"), ("buffer", "4k")],
            &[("target", folder), ("sync", "end")],
            &[("target", folder), ("direct", "yes"), ("buffer", "64k")],
        ];
        for more in cases {
            let measured = run(DOWNLOAD, &[summed.as_slice(), more].concat());
            let measured = measured.unwrap_or_else(|why| panic!("{path} {more:?}: {why}"));
            let streams = if more.contains(&("streams", "2")) { 2.0 } else { 1.0 };
            assert_eq!(measured.done_bytes, streams * body.len() as f64, "{path} {more:?}");
            assert_eq!(measured.fact("http_version"), "2");
            assert_eq!(measured.fact("http2_window"), (64 << 20).to_string());
            assert_eq!(measured.fact("server"), "test");
        }
    }
    let other = sha256(b"other");
    let url = server.url("/whole");
    let wrong = run(DOWNLOAD, &[("url", &*url), HTTP2, ("verify", &*other)]).unwrap_err();
    assert!(wrong.contains(&sum), "{wrong}");
    let none = run(DOWNLOAD, &[("url", &*server.url("/empty")), HTTP2, ("until", "end")]).unwrap();
    assert_eq!(none.done_bytes, 0.0);
}

/// More than all windows hold goes by one connection: what was taken is given back.
#[test]
fn windows_open_again() {
    let body = content(70 << 20);
    let server = server(&body, None);
    let url = server.url("/whole");
    let given = [("url", &*url), HTTP2, ("until", "end"), ("verify", &*sha256(&body))];
    let measured = run(DOWNLOAD, &given).unwrap();
    assert_eq!((measured.done_bytes, &*measured.fact("connections_made")), (body.len() as f64, "1"));
}

#[test]
fn a_server_that_takes_no_more_requests_is_connected_to_anew() {
    let server = server(&content(10_000), None);
    let last = run(DOWNLOAD, &[("url", &*server.url("/last")), HTTP2]).unwrap();
    assert!(last.fact("connections_made").parse::<u64>().unwrap() > 1, "{last:?}");
    let whole = run(DOWNLOAD, &[("url", &*server.url("/whole")), HTTP2]).unwrap();
    assert_eq!(whole.fact("connections_made"), "1");
    assert!(whole.done_bytes > 10_000.0, "{whole:?}");
}

#[test]
fn what_breaks_in_the_middle_is_told() {
    let server = server(&content(1_000_000), None);
    for (path, told) in [
        ("/reset", "(RST_STREAM, INTERNAL_ERROR)"),
        ("/abrupt", "(GOAWAY, ENHANCE_YOUR_CALM)"),
        ("/short", "did not send what it promised"),
        ("/refused", "(RST_STREAM, HTTP_1_1_REQUIRED): use http=1.1"),
        ("/silent", "sent nothing for 0.5 s in the middle of a download"),
        ("/nothing", "answers 404 to GET /nothing"),
    ] {
        let given = [("url", &*server.url(path)), HTTP2, ("timeout", "500ms"), ("duration", "3s")];
        let why = run(DOWNLOAD, &given).unwrap_err();
        assert!(why.contains(told), "{path}: {why}");
    }
}

#[test]
fn http2_over_tls_is_offered_alone() {
    let body = content(1_000_003);
    let (config, authority) = tls::configured("127.0.0.1", &[b"http/1.1", b"h2"]);
    let server = server(&body, Some(config));
    let mut file = tempfile::NamedTempFile::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    file.write_all(authority.as_bytes()).unwrap();
    let url = tls::url(&server) + "whole";
    let believed = ("ca-file", file.path().to_str().unwrap());
    let sum = sha256(&body);
    let given = [("url", &*url), HTTP2, believed, ("until", "end"), ("verify", &*sum)];
    let measured = run(DOWNLOAD, &given).unwrap();
    assert_eq!(measured.done_bytes, body.len() as f64);
    assert_eq!((&*measured.fact("http_version"), &*measured.fact("tls_version")), ("2", "TLSv1_3"));
}

#[test]
fn who_speaks_no_http2_is_told() {
    let server = Server::answering(|_, client| ok(client, b"hello"));
    let why = run(DOWNLOAD, &[("url", &*server.url("/")), HTTP2, ("timeout", "2s")]).unwrap_err();
    assert!(why.contains("no HTTP/2") && why.contains("use http=1.1"), "{why}");
    // One chooses nothing, the other ends the handshake.
    let choices: [&[&[u8]]; 2] = [&[], &[b"http/1.1"]];
    for protocols in choices {
        let (config, _) = tls::configured("127.0.0.1", protocols);
        let server = Server::start(move |client| {
            let session = ServerConnection::new(Arc::clone(&config)).unwrap();
            let mut stream = StreamOwned::new(session, client);
            hear(&mut stream).map(drop)
        });
        let given = [("url", &*tls::url(&server)), HTTP2, ("insecure", "yes"), ("timeout", "2s")];
        let why = run(DOWNLOAD, &given).unwrap_err();
        assert!(why.contains("does not choose HTTP/2") && why.contains("use http=1.1"), "{why}");
    }
}

#[test]
fn headers_of_connections_are_refused() {
    let mut file = tempfile::NamedTempFile::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    file.write_all(b"Upgrade: h2c\n").unwrap();
    let given = [("url", "http://127.0.0.1:1/"), HTTP2, ("headers", file.path().to_str().unwrap())];
    let why = run(DOWNLOAD, &given).unwrap_err();
    assert!(why.contains("`upgrade`") && why.contains("HTTP/2 has none such"), "{why}");
}
