//! Downloads over HTTP/2 (RFC 9113): one connection, one stream on it at a time.
//!
//! The library `h2` is polled by hand, without a runtime. A turn receives once, gives what came to the
//! library, and takes the content that the library made of it.

use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use engine::clock;
use engine::fault::Fault;
use h2::client::{Connection, ResponseFuture, SendRequest};
use h2::{Reason, RecvStream};
use http::{Version, header};
use model::{FactName, Value};
use rustix::io::Errno;
use sha2::Digest;

use crate::workload::http::client::Server;
use crate::workload::http::dialog::{self, Unanswered};
use crate::workload::http::download::DOWNLOADING;
use crate::workload::http::download::exchange::{Exchange, Received, Receiving};
use crate::workload::http::download::polled_stream::PolledStream;
use crate::workload::http::headers::{Headers, fields_of};
use crate::workload::http::response::Head;
use crate::workload::http::stream::{Nothing, Stream};
use crate::workload::http::tls;
use crate::workload::http::url::Url;

/// So many bytes a server may send that were not taken, of a connection and of its one stream. It learns of
/// new room when half of it was taken, and the other half is more than the kernel's windows of TCP usually are
/// (`tcp_rmem`: 6 MiB). It costs no memory: what is not received stays in the socket.
pub(super) const WINDOW: u32 = 64 << 20;

/// A head may have so many bytes, as over HTTP/1.1.
const HEAD_MOST: u32 = 64 << 10;

const ANSWERING: &str = "before it answered";

/// A connection.
#[derive(Debug)]
pub(super) struct Http2 {
    stream: PolledStream,
    connection: Pin<Box<Connection<PolledStream, Bytes>>>,
    requests: SendRequest<Bytes>,
    /// The head that was asked for and is not there.
    awaited: Option<ResponseFuture>,
    content: Option<RecvStream>,
    /// Bytes of the content, where the server says it beforehand.
    promised: Option<u64>,
    /// How the connection ended.
    ended: Option<Result<(), h2::Error>>,
}

/// Nobody is woken: whoever polls waits for the socket.
fn context() -> Context<'static> {
    Context::from_waker(Waker::noop())
}

impl Http2 {
    /// Has the library take one lot of what is there, and send what it has to.
    fn drive(&mut self) {
        if self.ended.is_some() {
            return;
        }
        self.stream.begin_turn();
        if let Poll::Ready(result) = self.connection.as_mut().poll(&mut context()) {
            self.ended = Some(result);
        }
    }

    /// What tells more than `error`, if there is such: why the server ended the connection.
    fn cause<'a>(&'a self, error: &'a h2::Error) -> &'a h2::Error {
        match &self.ended {
            Some(Err(end)) if end.is_go_away() => end,
            _ => error,
        }
    }

    /// Why a request has no answer.
    #[cold]
    fn unanswered(&self, server: &Server, error: &h2::Error) -> Unanswered {
        if let Some(why) = self.stream.broken(server, ANSWERING) {
            return why;
        }
        let (at, error) = (&server.url.authority, self.cause(error));
        let Some(reason) = error.reason().filter(|_| error.is_remote()) else {
            return if error.is_io() { closed(server) } else { malformed(server, error).into() };
        };
        let instead = if reason == Reason::HTTP_1_1_REQUIRED { ": use http=1.1" } else { "" };
        if error.is_go_away() {
            Unanswered::Closed(Fault::Other(format!(
                "{at} ended the connection {ANSWERING} (GOAWAY, {reason:?}){instead}"
            )))
        } else {
            let fault = Fault::Other(format!("{at} refused the request (RST_STREAM, {reason:?}){instead}"));
            // It did nothing of the request (RFC 9113, section 8.7).
            match reason {
                Reason::REFUSED_STREAM => Unanswered::Closed(fault),
                _ => Unanswered::Other(fault),
            }
        }
    }

    /// Why the content ended after `got` bytes.
    #[cold]
    fn interrupted(&self, server: &Server, got: u64, error: &h2::Error) -> Fault {
        if let Some(why) = self.stream.broken(server, DOWNLOADING) {
            return why.into();
        }
        let (at, error) = (&server.url.authority, self.cause(error));
        let missing = self.promised.map_or(String::new(), |promised| {
            format!(", {} bytes before the length it promised", promised.saturating_sub(got))
        });
        Fault::Other(match error.reason() {
            Some(reason) if error.is_remote() && error.is_reset() => {
                format!("{at} reset the download after {got} bytes (RST_STREAM, {reason:?})")
            }
            Some(reason) if error.is_remote() => {
                format!("{at} ended the connection after {got} bytes of the download (GOAWAY, {reason:?})")
            }
            // So the library calls a length that is not the one that was promised.
            Some(Reason::PROTOCOL_ERROR)
                if error.is_reset() && self.promised.is_some_and(|all| got < all) =>
            {
                format!(
                    "{at} did not send what it promised: it ended after {got} bytes{missing}, or sent more"
                )
            }
            None if error.is_io() => format!("{at} ended the download after {got} bytes{missing}"),
            _ => return malformed(server, error),
        })
    }
}

fn malformed(server: &Server, error: &h2::Error) -> Fault {
    Fault::Other(format!(
        "the response from {} is no HTTP/2 ({error}): use http=1.1 if that is all it speaks",
        server.url.authority
    ))
}

fn closed(server: &Server) -> Unanswered {
    dialog::broken(server, &Nothing::Broken(Errno::CONNRESET), ANSWERING)
}

fn head_of(parts: &http::response::Parts) -> Head {
    let text = |name: header::HeaderName| {
        let value = parts.headers.get(name)?;
        Some(String::from_utf8_lossy(value.as_bytes()).trim().to_owned())
    };
    Head {
        status: parts.status.as_u16(),
        length: text(header::CONTENT_LENGTH).and_then(|length| length.parse().ok()),
        location: text(header::LOCATION),
        server: text(header::SERVER),
        etag: text(header::ETAG),
        encoding: text(header::CONTENT_ENCODING),
        keeps: true,
        is_http2: true,
        ..Head::default()
    }
}

impl Exchange for Http2 {
    type Request = http::Request<()>;

    fn offer(server: &mut Server) {
        server.offer_http2();
    }

    fn request(url: &Url, headers: &Headers) -> Result<http::Request<()>, Fault> {
        let wrong =
            |e: http::Error| Fault::Other(format!("no request to {} can be written: {e}", url.authority));
        let request = http::Request::get(url.text()).version(Version::HTTP_2);
        let mut request = request.body(()).map_err(wrong)?;
        *request.headers_mut() = fields_of(headers).map_err(wrong)?;
        Ok(request)
    }

    fn over(server: &Server, stream: Stream, room: usize) -> Result<Self, Fault> {
        if stream.session().is_some_and(|session| session.alpn_protocol() != Some(tls::HTTP2)) {
            return Err(server.refuses_http2());
        }
        let until_ns = clock::now_ns() + server.patience.as_nanos() as u64;
        let stream = PolledStream::new(stream, room);
        let mut builder = h2::client::Builder::new();
        builder
            .initial_window_size(WINDOW)
            .initial_connection_window_size(WINDOW)
            .max_header_list_size(HEAD_MOST)
            .enable_push(false);
        let mut handshake = Box::pin(builder.handshake::<PolledStream, Bytes>(stream.clone()));
        let (requests, connection) = loop {
            stream.begin_turn();
            match handshake.as_mut().poll(&mut context()) {
                Poll::Ready(Ok(both)) => break both,
                Poll::Ready(Err(_)) => {
                    let why = stream.broken(server, "when HTTP/2 was begun");
                    return Err(why.unwrap_or_else(|| closed(server)).into());
                }
                Poll::Pending if stream.wait(until_ns)? => {}
                Poll::Pending => return Err(server.silent("when HTTP/2 was begun")),
            }
        };
        Ok(Self {
            stream,
            connection: Box::pin(connection),
            requests,
            awaited: None,
            content: None,
            promised: None,
            ended: None,
        })
    }

    fn ask(&mut self, server: &Server, request: &http::Request<()>) -> Result<(), Unanswered> {
        // The server may have said meanwhile that it takes no more.
        self.drive();
        match (self.requests.poll_ready(&mut context()), &self.ended) {
            (Poll::Ready(Ok(())), None) => {}
            (Poll::Ready(Err(e)), _) => return Err(self.unanswered(server, &e)),
            (_, Some(Err(e))) => return Err(self.unanswered(server, e)),
            _ => return Err(closed(server)),
        }
        let sent = self.requests.send_request(request.clone(), true);
        let (response, _) = sent.map_err(|e| self.unanswered(server, &e))?;
        self.awaited = Some(response);
        self.drive();
        Ok(())
    }

    fn listen(&mut self, server: &Server) -> Result<Option<Head>, Unanswered> {
        self.drive();
        let Some(awaited) = &mut self.awaited else { return Ok(None) };
        match Pin::new(awaited).poll(&mut context()) {
            Poll::Ready(Ok(response)) => {
                let (parts, content) = response.into_parts();
                let head = head_of(&parts);
                (self.awaited, self.content, self.promised) = (None, Some(content), head.length);
                Ok(Some(head))
            }
            Poll::Ready(Err(e)) => Err(self.unanswered(server, &e)),
            Poll::Pending if self.ended.is_some() => Err(closed(server)),
            Poll::Pending => Ok(None),
        }
    }

    fn is_whole(&self) -> bool {
        self.content.as_ref().is_none_or(RecvStream::is_end_stream)
    }

    fn receive(&mut self, of: Receiving<'_>) -> Result<Option<Received>, Fault> {
        let Receiving { server, sink, mut digest, got } = of;
        self.drive();
        let mut came = Received { bytes: 0, is_whole: self.content.is_none() };
        while let Some(content) = &mut self.content {
            match content.poll_data(&mut context()) {
                Poll::Ready(Some(Ok(data))) => {
                    if let Some(digest) = &mut digest {
                        digest.update(&data);
                    }
                    sink.append(&data)?;
                    came.bytes += data.len() as u64;
                    // What was taken may be sent again.
                    let released = content.flow_control().release_capacity(data.len());
                    released.map_err(|e| malformed(server, &e))?;
                }
                Poll::Ready(Some(Err(e))) => return Err(self.interrupted(server, got + came.bytes, &e)),
                Poll::Ready(None) => (self.content, came.is_whole) = (None, true),
                Poll::Pending => break,
            }
        }
        sink.flush()?;
        if came.bytes > 0 || came.is_whole {
            return Ok(Some(came));
        }
        match &self.ended {
            None => Ok(None),
            Some(Err(e)) => Err(self.interrupted(server, got, e)),
            Some(Ok(())) => Err(closed(server).into()),
        }
    }

    fn keeps(&self) -> bool {
        self.ended.is_none()
    }

    fn wait(&self, until_ns: u64) -> Result<bool, Fault> {
        self.stream.wait(until_ns)
    }

    fn shutdown(&self) {
        self.stream.shutdown();
    }

    fn facts(&self) -> Vec<(FactName, Value)> {
        let mut all = self.stream.facts();
        all.push((FactName::new("http2_window"), Value::Integer(u64::from(WINDOW))));
        all
    }
}
