//! A server that does what it is told.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A server that answers connections as it is told, each in a thread of its own.
pub(crate) struct Server {
    pub(crate) port: u16,
    off: Arc<AtomicBool>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Server {
    pub(crate) fn start(
        serve: impl Fn(&mut TcpStream) -> std::io::Result<()> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let off = Arc::new(AtomicBool::new(false));
        let (told, serve) = (Arc::clone(&off), Arc::new(serve));
        let work = move || {
            for client in listener.incoming() {
                if told.load(Ordering::Relaxed) {
                    return;
                }
                let (mut client, serve) = (client.unwrap(), Arc::clone(&serve));
                client.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
                client.set_nodelay(true).unwrap();
                // Who goes away ends it.
                std::thread::spawn(move || serve(&mut client));
            }
        };
        Self { port, off, thread: Some(std::thread::spawn(work)) }
    }

    /// One that answers each request by this, as often as it is asked.
    pub(crate) fn answering(
        answer: impl Fn(&str, &mut TcpStream) -> std::io::Result<()> + Send + Sync + 'static,
    ) -> Self {
        Self::start(move |client| {
            while let Some(request) = hear(client)? {
                answer(&request, client)?;
            }
            Ok(())
        })
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.off.store(true, Ordering::Relaxed);
        let _ = TcpStream::connect(("127.0.0.1", self.port));
        self.thread.take().unwrap().join().unwrap();
    }
}

/// The next request, whose body is taken and forgotten; none if no more comes.
pub(crate) fn hear(client: &mut impl Read) -> std::io::Result<Option<String>> {
    Ok(receive(client)?.map(|(head, _)| head))
}

/// The next request and its body; none if no more comes. A client has one request under way: what is read with the
/// head is of its body.
pub(crate) fn receive(client: &mut impl Read) -> std::io::Result<Option<(String, Vec<u8>)>> {
    const END: &[u8] = b"\r\n\r\n";
    let (mut head, mut room) = (Vec::new(), [0; 4096]);
    let end = loop {
        if let Some(place) = head.windows(END.len()).position(|bytes| bytes == END) {
            break place + END.len();
        }
        match client.read(&mut room)? {
            0 => return Ok(None),
            got => head.extend_from_slice(&room[..got]),
        }
    };
    let mut body = head.split_off(end);
    let head = String::from_utf8(head).unwrap();
    let is_length = |name: &str| name.eq_ignore_ascii_case("content-length");
    let lines = head.lines().filter_map(|line| line.split_once(": "));
    let length = lines.filter(|(name, _)| is_length(name)).map(|(_, value)| value).next();
    let length = length.map_or(0, |length| length.parse().unwrap());
    let came = body.len().min(length);
    body.resize(length, 0);
    client.read_exact(&mut body[came..])?;
    Ok(Some((head, body)))
}

pub(crate) fn ok(client: &mut impl Write, body: &[u8]) -> std::io::Result<()> {
    client.write_all(format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len()).as_bytes())?;
    client.write_all(body)
}
