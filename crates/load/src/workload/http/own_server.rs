//! A server of this program: answers of a stated size from memory, for a load that names no other.
//!
//! It listens on the loopback interface while a trial is made ready and runs, and answers who has
//! the word that stands in its URL; others are sent away. One thread serves all connections.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use engine::clock;
use engine::fault::Fault;
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use rustix::buffer::spare_capacity;
use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, SocketFlags, sockopt};

use crate::workload::http::url::Url;

/// Bytes that answers are made of, again and again: as random as what disks and networks are
/// measured with.
const PIECE: usize = 1 << 20;

/// Bytes of one call that receives.
const ROOM: usize = 128 << 10;

/// A head of a request may have so many bytes.
const HEAD_MOST: usize = 64 << 10;

/// So many connections at once.
const CONNECTIONS_MOST: usize = 16_384;

/// How often it looks whether it is to end, ns.
const LOOK_NS: u64 = 50_000_000;

/// The listener among the sockets.
const LISTENER: u64 = u64::MAX;

/// A request, as far as it matters here: its body is taken and forgotten.
#[derive(Clone, Copy, Debug)]
pub(in crate::workload) struct Asked<'a> {
    pub(in crate::workload) method: &'a str,
    /// Path and query.
    pub(in crate::workload) path: &'a str,
    /// Bytes of its body.
    pub(in crate::workload) body: u64,
}

/// An answer.
#[derive(Clone, Debug, Default)]
pub(in crate::workload) struct Reply {
    /// The digits and the words; 200 where it is empty.
    pub(in crate::workload) status: &'static str,
    /// Headers of its own, each line ended.
    pub(in crate::workload) headers: String,
    /// What its body begins with.
    pub(in crate::workload) text: String,
    /// And so many bytes after that, random ones.
    pub(in crate::workload) bytes: u64,
}

/// What a server answers.
pub(in crate::workload) trait Service: Send + std::fmt::Debug {
    /// The answer to `asked`; none to who may not ask.
    fn answer(&mut self, asked: Asked<'_>) -> Option<Reply>;
}

/// Answers of so many bytes under one path; of none to who sends some.
#[derive(Debug)]
struct Bytes {
    path: String,
    bytes: u64,
}

impl Service for Bytes {
    fn answer(&mut self, asked: Asked<'_>) -> Option<Reply> {
        let bytes = if asked.body > 0 { 0 } else { self.bytes };
        let knows = asked.path.split('?').next() == Some(self.path.as_str());
        knows.then(|| Reply { bytes, ..Reply::default() })
    }
}

/// It runs until this is dropped.
#[derive(Debug)]
pub(in crate::workload) struct OwnServer {
    address: SocketAddr,
    word: String,
    off: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl OwnServer {
    /// Starts one whose answers have `bytes`.
    ///
    /// # Errors
    /// If it cannot listen.
    pub(in crate::workload) fn start(bytes: u64) -> Result<Self, Fault> {
        Self::with(|word| Box::new(Bytes { path: format!("/{word}"), bytes }))
    }

    /// Starts one whose answers are those of a service that is made with the word that all paths begin with.
    ///
    /// # Errors
    /// If it cannot listen.
    pub(in crate::workload) fn with(service: impl FnOnce(&str) -> Box<dyn Service>) -> Result<Self, Fault> {
        let failed = |e: std::io::Error| Fault::system("starting a server of our own", e);
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let mut secret = [0; 16];
        rustix::rand::getrandom(&mut secret, rustix::rand::GetRandomFlags::empty())
            .map_err(|e| Fault::system("making up a word for a server", e))?;
        let word: String = secret.iter().map(|byte| format!("{byte:02x}")).collect();
        let mut served = Served::new(listener, service(&word))
            .map_err(|e| Fault::system("starting a server of our own", e))?;
        let off = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&off);
        let work = move || served.run(&told);
        let thread =
            std::thread::Builder::new().name("http-server".to_owned()).spawn(work).map_err(failed)?;
        Ok(Self { address, word, off, thread: Some(thread) })
    }

    /// Where its answers are.
    pub(in crate::workload) fn url(&self) -> Url {
        Url {
            is_secure: false,
            host: self.address.ip().to_string(),
            port: self.address.port(),
            authority: self.address.to_string(),
            path: format!("/{}", self.word),
        }
    }
}

impl Drop for OwnServer {
    fn drop(&mut self) {
        self.off.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            // It panics with nobody.
            let _ = thread.join();
        }
    }
}

/// A connection, and how far its request and the answer to it are.
#[derive(Debug)]
struct Client {
    socket: OwnedFd,
    /// What came of a head that is not whole.
    head: Vec<u8>,
    /// Bytes of a body that are to come.
    coming: u64,
    /// The answer to be sent when they came.
    due: Option<Reply>,
    /// The head of an answer that is not sent.
    out: Vec<u8>,
    /// Bytes of the body of the answer that are not sent.
    left: u64,
    /// Whether the connection ends with the answer.
    closes: bool,
    /// Whether it is waited for until it can be sent to.
    waits: bool,
}

/// What the thread works with.
#[derive(Debug)]
struct Served {
    listener: TcpListener,
    epoll: OwnedFd,
    clients: BTreeMap<u64, Client>,
    next: u64,
    service: Box<dyn Service>,
    piece: Vec<u8>,
    room: Vec<u8>,
}

/// Whether a connection goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Goes {
    On,
    Away,
}

impl Served {
    fn new(listener: TcpListener, service: Box<dyn Service>) -> Result<Self, Errno> {
        let epoll = epoll::create(CreateFlags::CLOEXEC)?;
        rustix::io::ioctl_fionbio(&listener, true)?;
        epoll::add(&epoll, &listener, EventData::new_u64(LISTENER), EventFlags::IN)?;
        let mut piece = vec![0; PIECE];
        Xoshiro256PlusPlus::seed_from_u64(1).fill_bytes(&mut piece);
        let (clients, room) = (BTreeMap::new(), vec![0; ROOM]);
        Ok(Self { listener, epoll, clients, next: 0, service, piece, room })
    }

    fn run(&mut self, off: &AtomicBool) {
        let mut events: Vec<Event> = Vec::with_capacity(256);
        while !off.load(Ordering::Relaxed) {
            events.clear();
            let waited =
                epoll::wait(&self.epoll, spare_capacity(&mut events), Some(&clock::timespec(LOOK_NS)));
            if waited.is_err_and(|e| e != Errno::INTR) {
                return;
            }
            for event in &events {
                match event.data.u64() {
                    LISTENER => self.accept(),
                    number => self.serve(number),
                }
            }
        }
    }

    fn accept(&mut self) {
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        loop {
            let socket = match rustix::net::accept_with(&self.listener, flags) {
                Ok(socket) => socket,
                // No descriptor is left: a moment later one may be.
                Err(Errno::MFILE | Errno::NFILE) => return std::thread::sleep(Duration::from_millis(5)),
                Err(_) => return,
            };
            if self.clients.len() >= CONNECTIONS_MOST {
                continue;
            }
            let _ = sockopt::set_tcp_nodelay(&socket, true);
            if epoll::add(&self.epoll, &socket, EventData::new_u64(self.next), EventFlags::IN).is_err() {
                continue;
            }
            let (head, out) = (Vec::new(), Vec::new());
            let client =
                Client { socket, head, coming: 0, due: None, out, left: 0, closes: false, waits: false };
            self.clients.insert(self.next, client);
            self.next += 1;
        }
    }

    fn serve(&mut self, number: u64) {
        let Some(mut client) = self.clients.remove(&number) else { return };
        if self.go_on(&mut client) == Goes::Away {
            return;
        }
        let waits = client.has_more();
        if waits != client.waits {
            client.waits = waits;
            let wanted = if waits { EventFlags::OUT } else { EventFlags::IN };
            if epoll::modify(&self.epoll, client.socket.as_fd(), EventData::new_u64(number), wanted).is_err()
            {
                return;
            }
        }
        self.clients.insert(number, client);
    }

    fn go_on(&mut self, client: &mut Client) -> Goes {
        if client.has_more() {
            return client.push(&self.piece);
        }
        let got = match rustix::net::recv(&client.socket, &mut self.room, RecvFlags::DONTWAIT) {
            Ok((0, _)) => return Goes::Away,
            Ok((got, _)) => got,
            Err(Errno::AGAIN | Errno::INTR) => return Goes::On,
            Err(_) => return Goes::Away,
        };
        client.hear(&self.room[..got], &mut *self.service);
        client.push(&self.piece)
    }
}

impl Client {
    fn has_more(&self) -> bool {
        !self.out.is_empty() || self.left > 0
    }

    /// Takes what came: the rest of a body, or of a head.
    fn hear(&mut self, bytes: &[u8], service: &mut dyn Service) {
        if self.coming > 0 {
            self.coming = self.coming.saturating_sub(bytes.len() as u64);
            if self.coming == 0 {
                let due = self.due.take().unwrap_or_default();
                self.answer(&due, false);
            }
            return;
        }
        self.head.extend_from_slice(bytes);
        let mut headers = [httparse::EMPTY_HEADER; 64];
        let mut request = httparse::Request::new(&mut headers);
        let used = match request.parse(&self.head) {
            Ok(httparse::Status::Complete(used)) => used,
            Ok(httparse::Status::Partial) if self.head.len() <= HEAD_MOST => return,
            _ => return self.refuse("400 Bad Request"),
        };
        let value = |name: &str| {
            let found = request.headers.iter().find(|header| header.name.eq_ignore_ascii_case(name))?;
            std::str::from_utf8(found.value).ok()
        };
        self.closes = value("connection").is_some_and(|word| word.eq_ignore_ascii_case("close"));
        let body: u64 = value("content-length").and_then(|text| text.trim().parse().ok()).unwrap_or(0);
        let (method, path) = (request.method.unwrap_or_default(), request.path.unwrap_or_default());
        let is_head = method == "HEAD";
        let reply = service.answer(Asked { method, path, body });
        let came = (self.head.len() - used) as u64;
        self.head.clear();
        let Some(reply) = reply else { return self.refuse("403 Forbidden") };
        self.coming = body.saturating_sub(came);
        if self.coming > 0 {
            self.due = Some(reply);
        } else {
            self.answer(&reply, is_head);
        }
    }

    fn answer(&mut self, reply: &Reply, is_head: bool) {
        let Reply { status, headers, text, bytes } = reply;
        let status = if status.is_empty() { "200 OK" } else { *status };
        let close = if self.closes { "Connection: close\r\n" } else { "" };
        let length = text.len() as u64 + bytes;
        let mut head = format!(
            "HTTP/1.1 {status}\r\nServer: headroom\r\n{headers}Content-Length: {length}\r\n{close}\r\n"
        );
        if !is_head {
            head.push_str(text);
        }
        self.out = head.into_bytes();
        self.left = if is_head { 0 } else { *bytes };
    }

    fn refuse(&mut self, status: &'static str) {
        self.head.clear();
        (self.closes, self.coming, self.due) = (true, 0, None);
        self.answer(&Reply { status, ..Reply::default() }, false);
    }

    /// Sends what the socket takes.
    fn push(&mut self, piece: &[u8]) -> Goes {
        // What is left has its turn after the others.
        let mut turn = PIECE;
        while self.has_more() {
            if turn == 0 {
                return Goes::On;
            }
            let most = usize::try_from(self.left).unwrap_or(usize::MAX).min(piece.len());
            let sent = if self.out.is_empty() {
                rustix::net::send(&self.socket, &piece[..most], SendFlags::NOSIGNAL | SendFlags::DONTWAIT)
            } else {
                // A small body goes with its head.
                let head = self.out.len();
                self.out.extend_from_slice(&piece[..most.min(16 << 10)]);
                let sent =
                    rustix::net::send(&self.socket, &self.out, SendFlags::NOSIGNAL | SendFlags::DONTWAIT);
                self.out.truncate(head);
                sent
            };
            match sent {
                Ok(sent) => {
                    turn = turn.saturating_sub(sent);
                    let of_head = sent.min(self.out.len());
                    self.out.drain(..of_head);
                    self.left -= (sent - of_head) as u64;
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return Goes::On,
                Err(_) => return Goes::Away,
            }
        }
        if self.closes && self.coming == 0 && self.head.is_empty() { Goes::Away } else { Goes::On }
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    const BYTES: u64 = 3_000_017;

    /// Runs a client; none where there is no such program. In CI there is.
    fn client(program: &str, words: &[&str]) -> Option<bool> {
        let done = Command::new(program).args(words).env_remove("http_proxy").output();
        match done {
            Ok(output) => Some(output.status.success()),
            Err(why) => {
                assert!(std::env::var_os("CI").is_none(), "in CI nothing is skipped: {program}: {why}");
                println!("skipped: there is no {program}");
                None
            }
        }
    }

    /// What our own loads understand might be no HTTP.
    #[test]
    fn other_clients_get_what_it_has_and_send_what_it_forgets() {
        let server = OwnServer::start(BYTES).unwrap();
        let Url { authority, path, .. } = server.url();
        let url = format!("http://{authority}{path}");
        let folder = tempfile::tempdir_in(".").unwrap();
        let [curl, wget, aria2] = ["curl", "wget", "aria2"].map(|name| folder.path().join(name));
        let [curl, wget] = [&curl, &wget].map(|path| path.to_str().unwrap());
        let quiet = ["-q", "--silent", "--show-error", "--fail", "--noproxy", "*"];
        let by_curl = client("curl", &[&quiet[..], &["--output", curl, &url]].concat());
        let by_wget = client("wget", &["--no-config", "--quiet", "--no-proxy", "-O", wget, &url]);
        let place = folder.path().to_str().unwrap();
        let usual = ["--no-conf", "--quiet", "--no-proxy=127.0.0.1", "--file-allocation=none"];
        let by_aria2 = client("aria2c", &[&usual[..], &["--dir", place, "--out", "aria2", &url]].concat());
        let files = [(by_curl, curl), (by_wget, wget), (by_aria2, aria2.to_str().unwrap())];
        for (done, file) in files {
            let Some(is_good) = done else { continue };
            assert!(is_good, "{file}");
            assert_eq!(std::fs::metadata(file).unwrap().len(), BYTES, "{file}");
        }
        if by_curl.is_some() {
            let send = ["--header", "Expect:", "--upload-file", curl, &url];
            assert_eq!(client("curl", &[&quiet[..], &send].concat()), Some(true));
            let head = ["--head", "--output", wget, &url];
            assert_eq!(client("curl", &[&quiet[..], &head].concat()), Some(true));
            // Who does not know the word is sent away.
            let other = ["--output", wget, &format!("http://{authority}/")];
            assert_eq!(client("curl", &[&quiet[..], &other].concat()), Some(false));
        }
    }
}
