//! A web server that is slow by itself: it sends or takes so many bytes a second, or thinks before it answers.
//! Threads of the lab; what they rest by intention is counted, so that it is known that the server
//! was what took the time.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::scenario::Serving;

/// What is sent at a time.
const PIECE: usize = 64 << 10;

/// An answer without content.
const EMPTY: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";

/// How often somebody looks whether it is over.
const LOOK: Duration = Duration::from_millis(50);

/// What all threads of a server share.
#[derive(Debug, Default)]
struct Shared {
    over: AtomicBool,
    rested_ns: AtomicU64,
    /// Whose turn it is, where requests are answered one after the other.
    turn: Mutex<()>,
}

impl Shared {
    fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }

    fn rest(&self, time: Duration) {
        let begin = Instant::now();
        std::thread::sleep(time);
        let rested = u64::try_from(begin.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.rested_ns.fetch_add(rested, Ordering::Relaxed);
    }
}

/// The server; ended when it is dropped.
#[derive(Debug)]
pub(crate) struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    pub(crate) fn new(serving: Serving) -> Result<Self, String> {
        let failed = |e: std::io::Error| format!("a server: {e}");
        let listener = TcpListener::bind(("127.0.0.1", 0)).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let shared = Arc::new(Shared::default());
        let theirs = Arc::clone(&shared);
        let thread = std::thread::spawn(move || accept(&listener, serving, &theirs));
        Ok(Self { address, shared, thread: Some(thread) })
    }

    /// What a load is given to reach it.
    pub(crate) fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// Seconds that it rested so far.
    pub(crate) fn rested_s(&self) -> f64 {
        self.shared.rested_ns.load(Ordering::Relaxed) as f64 / 1e9
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn accept(listener: &TcpListener, serving: Serving, shared: &Arc<Shared>) {
    while !shared.is_over() {
        match listener.accept() {
            Ok((stream, _)) => {
                let shared = Arc::clone(shared);
                std::thread::spawn(move || {
                    // A client that goes ends it; that is no fault.
                    let _ = talk(&stream, serving, &shared);
                });
            }
            Err(_) => std::thread::sleep(LOOK),
        }
    }
}

/// Answers one request after the other, until the client goes or it is over.
fn talk(stream: &TcpStream, serving: Serving, shared: &Shared) -> std::io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(LOOK))?;
    stream.set_write_timeout(Some(LOOK))?;
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream);
    while let Some(head) = head(&mut reader, shared)? {
        let pace =
            if let Serving::Takes(bytes_per_s) = serving { Some(Pace::new(bytes_per_s)) } else { None };
        discard(&mut reader, head.body, pace, shared)?;
        match serving {
            Serving::Thinks(time) => {
                shared.rest(time);
                send(stream, EMPTY, shared)?;
            }
            Serving::OneByOne(time) => {
                let turn = shared.turn.lock().unwrap_or_else(PoisonError::into_inner);
                shared.rest(time);
                drop(turn);
                send(stream, EMPTY, shared)?;
            }
            Serving::Takes(_) => send(stream, EMPTY, shared)?,
            Serving::Rate { bytes_per_s, answer } => {
                send(
                    stream,
                    format!("HTTP/1.1 200 OK\r\nContent-Length: {answer}\r\n\r\n").as_bytes(),
                    shared,
                )?;
                if !head.is_bodiless {
                    meter(stream, bytes_per_s, answer, shared)?;
                }
            }
        }
    }
    Ok(())
}

/// What matters of a request's head.
#[derive(Debug, PartialEq, Eq)]
struct Head {
    /// Bytes of the body that follows.
    body: u64,
    /// Whether the answer has none: HEAD.
    is_bodiless: bool,
}

/// The next head; none if the client went, or it is over.
fn head(reader: &mut impl BufRead, shared: &Shared) -> std::io::Result<Option<Head>> {
    let mut text = Vec::new();
    loop {
        if shared.is_over() {
            return Ok(None);
        }
        match reader.read_until(b'\n', &mut text) {
            Ok(0) => return Ok(None),
            Ok(_) if text.ends_with(b"\r\n\r\n") => return Ok(Some(parsed(&text))),
            Err(e) if !is_late(&e) => return Err(e),
            _ => {}
        }
    }
}

fn parsed(head: &[u8]) -> Head {
    let text = String::from_utf8_lossy(head).to_ascii_lowercase();
    let length = text.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok());
    Head { body: length.unwrap_or(0), is_bodiless: text.starts_with("head ") }
}

fn is_late(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted)
}

fn over() -> std::io::Error {
    std::io::Error::other("it is over")
}

/// When a piece is due.
#[derive(Debug)]
struct Pace {
    bytes_per_s: f64,
    due: Instant,
}

impl Pace {
    fn new(bytes_per_s: u64) -> Self {
        Self { bytes_per_s: bytes_per_s.max(1) as f64, due: Instant::now() }
    }

    /// Rests until after so many bytes, which were moved, the next are due; what came late is not made up for in a
    /// lump.
    fn rest(&mut self, bytes: usize, shared: &Shared) {
        let now = Instant::now();
        let each = Duration::from_secs_f64(bytes as f64 / self.bytes_per_s);
        self.due = (self.due + each).max(now);
        let pause = self.due.saturating_duration_since(now);
        if !pause.is_zero() {
            shared.rest(pause);
        }
    }
}

/// Reads a body, at a pace if one is given, and forgets it.
fn discard(
    reader: &mut impl Read,
    mut left: u64,
    mut pace: Option<Pace>,
    shared: &Shared,
) -> std::io::Result<()> {
    let mut piece = vec![0; PIECE];
    while left > 0 {
        if shared.is_over() {
            return Err(over());
        }
        let most = usize::try_from(left).unwrap_or(usize::MAX).min(PIECE);
        match reader.read(&mut piece[..most]) {
            Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
            Ok(got) => {
                left -= got as u64;
                if let Some(pace) = &mut pace {
                    pace.rest(got, shared);
                }
            }
            Err(e) if !is_late(&e) => return Err(e),
            Err(_) => {}
        }
    }
    Ok(())
}

/// Sends all of it.
fn send(mut stream: &TcpStream, mut bytes: &[u8], shared: &Shared) -> std::io::Result<()> {
    while !bytes.is_empty() {
        if shared.is_over() {
            return Err(over());
        }
        match stream.write(bytes) {
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(sent) => bytes = &bytes[sent..],
            Err(e) if !is_late(&e) => return Err(e),
            Err(_) => {}
        }
    }
    Ok(())
}

/// Sends an answer at a rate: each piece when it is due, and none made up for in a lump.
fn meter(stream: &TcpStream, bytes_per_s: u64, answer: u64, shared: &Shared) -> std::io::Result<()> {
    let piece = vec![b'x'; PIECE];
    let each = Duration::from_secs_f64(PIECE as f64 / bytes_per_s.max(1) as f64);
    let mut left = answer;
    let mut due = Instant::now();
    while left > 0 {
        let now = Instant::now();
        due = due.max(now) + each;
        let most = usize::try_from(left).unwrap_or(usize::MAX).min(PIECE);
        send(stream, &piece[..most], shared)?;
        left -= most as u64;
        let pause = due.saturating_duration_since(Instant::now());
        if !pause.is_zero() {
            shared.rest(pause);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(server: &Server, request: &[u8]) -> Vec<u8> {
        let mut stream = TcpStream::connect(server.address).unwrap();
        stream.write_all(request).unwrap();
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        answer
    }

    #[test]
    fn an_answer_is_metered_and_the_rest_is_counted() {
        let server = Server::new(Serving::Rate { bytes_per_s: 10_000_000, answer: 300_000 }).unwrap();
        let answer = ask(&server, b"GET / HTTP/1.1\r\nHost: a\r\n\r\n");
        assert!(answer.starts_with(b"HTTP/1.1 200 OK\r\nContent-Length: 300000\r\n\r\n"));
        assert!(answer.ends_with(b"x") && answer.len() > 300_000);
        assert!(server.rested_s() > 0.0, "it rested between the pieces");
        let none = ask(&server, b"HEAD / HTTP/1.1\r\n\r\n");
        assert!(none.ends_with(b"\r\n\r\n"), "no content");
        assert!(server.url().starts_with("http://127.0.0.1:"));
    }

    #[test]
    fn a_body_is_taken_and_answered_after_a_while() {
        let server = Server::new(Serving::Thinks(Duration::from_millis(5))).unwrap();
        let twice = b"PUT /a HTTP/1.1\r\ncontent-length: 5\r\n\r\nhello\
            PUT /b HTTP/1.1\r\nContent-Length: 2\r\n\r\nhi";
        let answer = String::from_utf8(ask(&server, twice)).unwrap();
        assert_eq!(answer.matches("200 OK").count(), 2);
        assert!(server.rested_s() >= 0.01);
    }

    #[test]
    fn requests_of_two_connections_take_turns() {
        let server = Server::new(Serving::OneByOne(Duration::from_millis(20))).unwrap();
        let begin = Instant::now();
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| assert_eq!(ask(&server, b"GET / HTTP/1.1\r\n\r\n"), EMPTY));
            }
        });
        assert!(begin.elapsed() >= Duration::from_millis(40), "one after the other");
        assert!(server.rested_s() >= 0.04);
    }

    #[test]
    fn a_body_is_taken_at_a_rate() {
        let server = Server::new(Serving::Takes(10_000_000)).unwrap();
        let mut request = b"PUT /a HTTP/1.1\r\nContent-Length: 500000\r\n\r\n".to_vec();
        request.resize(request.len() + 500_000, b'x');
        assert_eq!(ask(&server, &request), EMPTY);
        // 50 ms, of which the first and the last piece may be missing.
        assert!((0.02..10.0).contains(&server.rested_s()), "{}", server.rested_s());
    }

    #[test]
    fn heads_are_read() {
        let head = parsed(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 12\r\n\r\n");
        assert_eq!(head, Head { body: 12, is_bodiless: false });
        assert!(parsed(b"HEAD / HTTP/1.1\r\n\r\n").is_bodiless);
    }
}
