//! What only a connection shows: limits of size, time and number, TLS, and the end.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use language::Language;
use store::SqliteStore;

use super::made;
use crate::{WebServer, WebServerError, WebServerOptions};

/// A server on a port of its own.
struct Running {
    address: SocketAddr,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<Result<(), WebServerError>>>,
    _folder: tempfile::TempDir,
}

fn options(listen: &str, folder: &Path) -> WebServerOptions {
    let path = folder.join("runs.db");
    WebServerOptions {
        listen: listen.parse().unwrap(),
        names: Vec::new(),
        certificate: None,
        as_root: false,
        language: Language::English,
        open: Box::new(move || SqliteStore::open(&path)),
        tell: |_| {},
    }
}

impl Running {
    fn start(certificate: Option<(Vec<u8>, Vec<u8>)>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        made::fill(&mut SqliteStore::open(&folder.path().join("runs.db")).unwrap());
        let server =
            WebServer::bind(WebServerOptions { certificate, ..options("127.0.0.1:0", folder.path()) })
                .unwrap();
        let (address, stop) = (server.address(), Arc::new(AtomicBool::new(false)));
        let own = Arc::clone(&stop);
        let thread = Some(std::thread::spawn(move || server.run(&own)));
        Self { address, stop, thread, _folder: folder }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream
    }

    /// What comes back on a connection of its own.
    fn say(&self, text: &str) -> String {
        let mut stream = self.connect();
        // It may be refused before all of it is sent.
        let _ = stream.write_all(text.as_bytes());
        read(&mut stream)
    }

    fn get(&self, path: &str) -> String {
        self.say(&format!("GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", self.address))
    }

    fn end(&mut self) -> Result<(), WebServerError> {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.take().unwrap().join().unwrap()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn read(stream: &mut impl Read) -> String {
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn fifty_read_at_once_and_the_server_ends_when_it_is_told() {
    let mut server = Running::start(None);
    let open = server.connect();
    let path = format!("/run/{}", made::BEFORE);
    std::thread::scope(|scope| {
        let readers: Vec<_> = (0..50)
            .map(|n| {
                let (server, path) = (&server, if n % 2 == 0 { "/" } else { path.as_str() });
                scope.spawn(move || server.get(path))
            })
            .collect();
        for reader in readers {
            let answer = reader.join().unwrap();
            assert!(
                answer.starts_with("HTTP/1.1 200 ") && answer.ends_with("</html>\n")
                    || answer.ends_with("</html>")
            );
        }
    });
    // One that says nothing, and a stream of events, do not keep it.
    let mut events = server.connect();
    let head = format!("GET /live/events HTTP/1.1\r\nHost: {}\r\n\r\n", server.address);
    events.write_all(head.as_bytes()).unwrap();
    let mut first = [0; 12];
    events.read_exact(&mut first).unwrap();
    assert_eq!(&first, b"HTTP/1.1 200");
    server.end().unwrap();
    assert!(read(&mut events).contains("event: runs"));
    drop(open);
    assert!(TcpStream::connect(server.address).is_err());
}

#[test]
fn a_huge_head_is_refused() {
    let server = Running::start(None);
    let host = server.address;
    let one = format!("GET / HTTP/1.1\r\nHost: {host}\r\nX-Long: {}\r\n\r\n", "a".repeat(200_000));
    let many: String = (0..200).map(|n| format!("X-{n}: 1\r\n")).collect();
    for head in [one, format!("GET / HTTP/1.1\r\nHost: {host}\r\n{many}\r\n"), "a".repeat(100_000)] {
        let answer = server.say(&head);
        let is_refused = answer.is_empty() || answer.starts_with("HTTP/1.1 4");
        assert!(is_refused && !answer.contains(made::BEFORE), "{answer}");
    }
    assert!(server.get("/").starts_with("HTTP/1.1 200 "));
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn a_client_that_sends_or_reads_too_slowly_is_left() {
    let server = Running::start(None);
    let mut silent = server.connect();
    let mut slow = server.connect();
    let began = Instant::now();
    slow.write_all(b"GET / HTTP/1.1\r\n").unwrap();
    while began.elapsed() < Duration::from_secs(20) && slow.write_all(b"X: 1\r\n").is_ok() {
        std::thread::sleep(Duration::from_millis(500));
    }
    assert!(began.elapsed() < Duration::from_secs(20), "a head may take 10 seconds");
    assert!(!read(&mut silent).contains("HTTP/1.1 200"));
    // A body that never comes.
    let mut body = server.connect();
    let head = format!(
        "POST /sign-in HTTP/1.1\r\nHost: {0}\r\nOrigin: http://{0}\r\nContent-Length: 50\r\n\
         Content-Type: application/x-www-form-urlencoded\r\n\r\n",
        server.address
    );
    body.write_all(head.as_bytes()).unwrap();
    assert!(read(&mut body).starts_with("HTTP/1.1 408"));
    assert!(server.get("/").starts_with("HTTP/1.1 200 "));
}

#[test]
fn beyond_its_connections_a_server_says_that_it_is_busy() {
    let server = Running::start(None);
    let held: Vec<TcpStream> = (0..256).map(|_| server.connect()).collect();
    assert!(server.get("/").starts_with("HTTP/1.1 503 "));
    drop(held);
    let began = Instant::now();
    while !server.get("/").starts_with("HTTP/1.1 200 ") {
        assert!(began.elapsed() < Duration::from_secs(30), "those who left make room");
    }
}

#[test]
fn with_a_certificate_everything_comes_over_tls() {
    let (own, chain, key) = crate::tls::example();
    let server = Running::start(Some((chain, key)));
    assert!(!server.get("/").contains("HTTP/1.1 200"), "not in the clear");
    let mut roots = rustls::RootCertStore::empty();
    roots.add(own).unwrap();
    let config =
        rustls::ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
    let name = rustls::pki_types::ServerName::try_from("localhost").unwrap();
    let connection = rustls::ClientConnection::new(Arc::new(config), name).unwrap();
    let mut stream = rustls::StreamOwned::new(connection, server.connect());
    let head =
        format!("GET / HTTP/1.1\r\nHost: localhost:{}\r\nConnection: close\r\n\r\n", server.address.port());
    stream.write_all(head.as_bytes()).unwrap();
    let answer = read(&mut stream);
    assert!(answer.starts_with("HTTP/1.1 200 ") && answer.contains(made::BEFORE), "{answer}");
}

#[test]
fn an_address_that_is_taken_is_told() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let folder = tempfile::tempdir().unwrap();
    let error = WebServer::bind(options(&address, folder.path())).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("cannot listen on {address}: another program listens there already")
    );
    assert!(error.help().contains("--listen 127.0.0.1:"));
    // An address of nobody here (RFC 5737), which root asks for too.
    let options = WebServerOptions { as_root: true, ..options("192.0.2.1:7118", folder.path()) };
    assert!(WebServer::bind(options).unwrap_err().to_string().contains("no such address"));
}

#[test]
fn root_is_not_served_to_others_unless_that_was_said() {
    if !rustix::process::geteuid().is_root() {
        // Not eprintln: this crate prints nothing. Without root there is nothing to refuse.
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for listen in ["0.0.0.0:0", "[::]:0", "192.0.2.1:0"] {
        let error = WebServer::bind(options(listen, folder.path())).unwrap_err();
        assert!(matches!(error, WebServerError::Root(_)), "{listen}: {error}");
        assert!(error.help().contains("--as-root"));
    }
}
