//! Hands out metrics over HTTP/1.1: one path, one answer, no state.

use std::io::{self, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::WatchMetrics;

/// Who asks has so long for it, and to take the answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// Longer questions are none of ours.
const QUESTION_MAX: usize = 8 << 10;
/// So many are answered at once.
const AT_ONCE: usize = 16;

/// Why metrics cannot be handed out.
#[derive(Debug, thiserror::Error)]
pub enum MetricServerError {
    /// The address is no loopback one, and nobody said that it may be another.
    #[error("{0} can be reached from other machines")]
    Reachable(SocketAddr),
    /// It cannot be listened on.
    #[error("{0}: {1}")]
    Io(SocketAddr, io::Error),
}

/// Listens for who asks for metrics, until the program ends.
#[derive(Debug)]
pub struct MetricServer {
    address: SocketAddr,
}

impl MetricServer {
    /// Listens on this address, which is a loopback one unless `anywhere`.
    ///
    /// # Errors
    /// If it is another, or cannot be listened on.
    pub fn start(
        address: SocketAddr,
        anywhere: bool,
        metrics: &WatchMetrics,
    ) -> Result<Self, MetricServerError> {
        if !address.ip().is_loopback() && !anywhere {
            return Err(MetricServerError::Reachable(address));
        }
        let failed = |error| MetricServerError::Io(address, error);
        let listener = TcpListener::bind(address).map_err(failed)?;
        let local = listener.local_addr().map_err(failed)?;
        let metrics = metrics.clone();
        let spawned =
            std::thread::Builder::new().name("metrics".to_owned()).spawn(move || serve(&listener, &metrics));
        spawned.map_err(failed)?;
        Ok(Self { address: local })
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

fn serve(listener: &TcpListener, metrics: &WatchMetrics) {
    let busy = Arc::new(AtomicUsize::new(0));
    for stream in listener.incoming() {
        let Ok(stream) = stream else {
            // Out of descriptors, perhaps: it would be so again at once.
            std::thread::sleep(Duration::from_millis(100));
            continue;
        };
        if busy.fetch_add(1, Ordering::Relaxed) >= AT_ONCE {
            busy.fetch_sub(1, Ordering::Relaxed);
            continue;
        }
        let (metrics, own) = (metrics.clone(), Arc::clone(&busy));
        let done = move || {
            // Who went away meanwhile has no answer.
            let _ = answer(stream, &metrics);
            own.fetch_sub(1, Ordering::Relaxed);
        };
        if std::thread::Builder::new().name("metric".to_owned()).spawn(done).is_err() {
            busy.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

fn answer(mut stream: TcpStream, metrics: &WatchMetrics) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let question = question(&mut stream)?;
    let (status, kind, body) = match path(&question) {
        _ if !has_literal_host(&question) => {
            ("421 Misdirected Request", "text/plain", "another host\n".to_owned())
        }
        Some("/metrics") => ("200 OK", "text/plain; version=0.0.4; charset=utf-8", metrics.text()),
        Some("/") => ("200 OK", "text/plain", "Metrics are at /metrics.\n".to_owned()),
        Some(_) => ("404 Not Found", "text/plain", "Metrics are at /metrics.\n".to_owned()),
        None => ("405 Method Not Allowed", "text/plain", "GET /metrics\n".to_owned()),
    };
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\
         X-Content-Type-Options: nosniff\r\n\r\n",
        body.len()
    );
    stream.write_all((head + &body).as_bytes())
}

/// The head of a question.
fn question(stream: &mut TcpStream) -> io::Result<String> {
    let (mut bytes, mut part) = (Vec::new(), [0; 1024]);
    while !bytes.windows(4).any(|four| four == b"\r\n\r\n") {
        let read = stream.read(&mut part)?;
        if read == 0 || bytes.len() + read > QUESTION_MAX {
            return Err(io::ErrorKind::InvalidData.into());
        }
        bytes.extend(&part[..read]);
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The path of a GET, without what stands behind a question mark.
fn path(question: &str) -> Option<&str> {
    let target = question.lines().next()?.strip_prefix("GET ")?.split(' ').next()?;
    target.split('?').next()
}

/// Whether the question is to an address or `localhost`: a page of a stranger whose name was made to mean this machine has
/// that name here (DNS rebinding).
fn has_literal_host(question: &str) -> bool {
    let hosts = question.lines().skip(1).filter_map(|line| line.split_once(':'));
    let host =
        hosts.into_iter().find(|(name, _)| name.eq_ignore_ascii_case("host")).map(|(_, host)| host.trim());
    let Some(host) = host else { return true };
    let bare = match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((address, _)) => address,
        None => host.rsplit_once(':').map_or(host, |(name, _)| name),
    };
    bare.eq_ignore_ascii_case("localhost") || bare.parse::<IpAddr>().is_ok()
}
