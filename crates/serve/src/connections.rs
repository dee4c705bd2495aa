//! Connections: taken in up to a number, of one address up to a smaller one, each with bounds of size and time; what comes
//! beyond is told that the server is busy. The heads of requests are bounded by hyper, their bodies by who reads them.

use std::collections::HashMap;
use std::future::{Future, poll_fn};
use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;
use std::time::Duration;

use axum::Router;
use http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1::Builder;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use rustls::ServerConfig;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::{Semaphore, watch};
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;

use crate::client::Client;
use crate::router;
use crate::shared::Shared;
use crate::timed_stream::TimedStream;

/// Connections at a time, and of one address that is not this machine.
const MOST: usize = 256;
const MOST_OF_ONE: usize = 32;

/// For so long a head may take to come, a handshake of TLS, and a connection without movement.
const HEAD: Duration = Duration::from_secs(10);
const HANDSHAKE: Duration = Duration::from_secs(10);
const STILL: Duration = Duration::from_secs(30);

/// The largest head of a request, and the most headers.
const HEAD_BYTES: usize = 16 << 10;
const HEADERS: usize = 64;

/// How often is looked whether the server is to stop.
const LOOK: Duration = Duration::from_millis(100);
/// What is under way then has so long to end.
const LEAVE: Duration = Duration::from_secs(2);

/// So many at a time are told that there is no room; others find the door closed.
const REFUSED: usize = 64;

/// What is said to whom there is no room for.
const BUSY: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";

/// Runs until `stop` is set, on this thread and those that wait for the store.
pub(crate) fn run(
    listener: TcpListener,
    tls: Option<Arc<ServerConfig>>,
    shared: &Arc<Shared>,
    stop: &Arc<AtomicBool>,
) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(shared.threads())
        .build()?;
    let done = runtime.block_on(accept(listener, tls.map(TlsAcceptor::from), shared, stop));
    // What still reads the store is not waited for.
    runtime.shutdown_background();
    done
}

async fn accept(
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    shared: &Arc<Shared>,
    stop: &Arc<AtomicBool>,
) -> io::Result<()> {
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let router = router::router(shared);
    let (ends, end) = watch::channel(false);
    let room = Arc::new(Room::default());
    let refused = Arc::new(Semaphore::new(REFUSED));
    while !stop.load(Ordering::Relaxed) {
        let (stream, from) = match timeout(LOOK, listener.accept()).await {
            Err(_) => continue,
            Ok(Ok(accepted)) => accepted,
            // A client that is gone already, or no descriptor is left for one: others may leave.
            Ok(Err(_)) => {
                sleep(LOOK).await;
                continue;
            }
        };
        match room.enter(from) {
            Some(place) => {
                let connection =
                    Connection { router: router.clone(), client: Client(from.ip()), end: end.clone() };
                tokio::spawn(connection.serve(stream, tls.clone(), place));
            }
            None if tls.is_none() => {
                if let Ok(place) = Arc::clone(&refused).try_acquire_owned() {
                    tokio::spawn(async move {
                        refuse(&stream).await;
                        drop(place);
                    });
                }
            }
            None => {}
        }
    }
    drop(listener);
    shared.ends();
    let _ = ends.send(true);
    drop(end);
    let _ = timeout(LEAVE, ends.closed()).await;
    Ok(())
}

/// Says that the server is busy. What the client said is read first: it would not hear the answer of one that hangs up on it.
async fn refuse(stream: &TcpStream) {
    let mut said = [0; 4096];
    let _ = timeout(LOOK * 5, stream.readable()).await;
    let _ = stream.try_read(&mut said);
    let _ = stream.try_write(BUSY);
}

/// Who is connected.
#[derive(Debug, Default)]
struct Room(Mutex<(usize, HashMap<IpAddr, usize>)>);

impl Room {
    /// A place for a connection from this address, where there is one.
    fn enter(self: &Arc<Self>, from: SocketAddr) -> Option<Place> {
        let address = from.ip().to_canonical();
        let mut taken = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let of_one = taken.1.get(&address).copied().unwrap_or_default();
        // All users of this machine come from one address.
        if taken.0 >= MOST || !address.is_loopback() && of_one >= MOST_OF_ONE {
            return None;
        }
        taken.0 += 1;
        taken.1.insert(address, of_one + 1);
        Some(Place { room: Arc::clone(self), address })
    }
}

/// A place of a connection, free again when dropped.
#[derive(Debug)]
struct Place {
    room: Arc<Room>,
    address: IpAddr,
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.room.0.lock().unwrap_or_else(PoisonError::into_inner);
        taken.0 -= 1;
        match taken.1.get(&self.address).copied() {
            Some(count) if count > 1 => drop(taken.1.insert(self.address, count - 1)),
            _ => drop(taken.1.remove(&self.address)),
        }
    }
}

/// What a connection needs.
struct Connection {
    router: Router,
    client: Client,
    end: watch::Receiver<bool>,
}

impl Connection {
    async fn serve(self, stream: TcpStream, tls: Option<TlsAcceptor>, place: Place) {
        let _place = place;
        let _ = stream.set_nodelay(true);
        let stream = TimedStream::new(stream, STILL);
        match tls {
            None => self.answer(stream).await,
            Some(tls) => {
                if let Ok(Ok(stream)) = timeout(HANDSHAKE, tls.accept(stream)).await {
                    self.answer(stream).await;
                }
            }
        }
    }

    /// Answers requests until either side has had enough, or the server ends.
    async fn answer(self, stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static) {
        let Self { router, client, mut end } = self;
        let service = Service { pages: TowerToHyperService::new(router), client };
        let mut builder = Builder::new();
        builder
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD)
            .max_buf_size(HEAD_BYTES)
            .max_headers(HEADERS);
        let mut connection = pin!(builder.serve_connection(TokioIo::new(stream), service));
        let mut ended = pin!(end.wait_for(|ends| *ends));
        let mut is_ending = false;
        // What goes wrong with a connection is the client's to see.
        let _ = poll_fn(|cx| {
            if !is_ending && ended.as_mut().poll(cx).is_ready() {
                is_ending = true;
                connection.as_mut().graceful_shutdown();
            }
            match connection.as_mut().poll(cx) {
                Poll::Ready(done) => Poll::Ready(done),
                Poll::Pending => Poll::Pending,
            }
        })
        .await;
    }
}

/// The pages, told where each request comes from.
struct Service {
    pages: TowerToHyperService<Router>,
    client: Client,
}

impl hyper::service::Service<Request<Incoming>> for Service {
    type Response = <TowerToHyperService<Router> as hyper::service::Service<Request<Incoming>>>::Response;
    type Error = <TowerToHyperService<Router> as hyper::service::Service<Request<Incoming>>>::Error;
    type Future = <TowerToHyperService<Router> as hyper::service::Service<Request<Incoming>>>::Future;

    fn call(&self, mut request: Request<Incoming>) -> Self::Future {
        request.extensions_mut().insert(self.client);
        self.pages.call(request)
    }
}
