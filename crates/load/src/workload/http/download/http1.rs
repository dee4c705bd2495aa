//! Downloads over HTTP/1.1: bytes as they come from the socket, counted by their length.

use engine::fault::Fault;
use model::{FactName, Value};
use rustix::event::PollFlags;
use rustix::io::Errno;
use rustix::net::Shutdown;
use sha2::{Digest, Sha256};

use crate::workload::http::client::{self, Server};
use crate::workload::http::dialog::{self, Answer, Hearing, Unanswered};
use crate::workload::http::download::DOWNLOADING;
use crate::workload::http::download::exchange::{Exchange, Received, Receiving};
use crate::workload::http::download::sink::{Sink, Splice};
use crate::workload::http::download::transfer::Transfer;
use crate::workload::http::facts;
use crate::workload::http::headers::{Headers, Request, head_of};
use crate::workload::http::peer;
use crate::workload::http::response::{Head, Malformed, Piece, Reader};
use crate::workload::http::stream::{Nothing, Stream};
use crate::workload::http::url::Url;

/// A connection.
#[derive(Debug)]
pub(super) struct Http1 {
    stream: Stream,
    /// The head that was asked for and is not there.
    awaited: Option<Hearing>,
    reader: Reader,
    /// What came with the head and is not counted.
    came: Vec<u8>,
}

impl Http1 {
    /// Takes the bytes that came with the head.
    #[cold]
    fn take_came(&mut self, sink: &mut Sink, digest: Option<&mut Sha256>) -> Result<Received, Fault> {
        let came = std::mem::take(&mut self.came);
        if let Some(digest) = digest {
            digest.update(&came);
        }
        sink.take(&came)?;
        Ok(Received { bytes: came.len() as u64, is_whole: self.reader.is_done() })
    }

    fn splice(&mut self, of: Receiving<'_>) -> Result<Option<Received>, Fault> {
        let Receiving { server, sink, got, .. } = of;
        match sink.splice(&self.stream, self.reader.left().unwrap_or(u64::MAX)) {
            Ok(0) => self.closed(server, got).map(Some),
            Ok(bytes) => Ok(Some(Received { bytes, is_whole: self.reader.skip(bytes) })),
            Err(Splice::Came(Nothing::Yet)) => Ok(None),
            Err(Splice::Came(e)) => Err(self.broken(server, &e, got)),
            Err(Splice::Went(fault)) => Err(fault),
        }
    }

    /// Moves the content of chunks, of which `received` bytes are in `room`, to its front, over what frames
    /// it.
    fn unframe(&mut self, server: &Server, room: &mut [u8], received: usize) -> Result<Received, Fault> {
        let (mut taken, mut from) = (0, 0);
        loop {
            let mut rest = &room[from..received];
            let before = rest.len();
            let body = match self.reader.next(&mut rest).map_err(|e| server.malformed(e))? {
                Piece::Body(body) => body.len(),
                Piece::Head => 0,
                Piece::End => return Ok(Received { bytes: taken as u64, is_whole: true }),
                Piece::More => return Ok(Received { bytes: taken as u64, is_whole: false }),
            };
            let end = from + before - rest.len();
            room.copy_within(end - body..end, taken);
            (taken, from) = (taken + body, end);
        }
    }

    /// The server closed the connection: whether that is the end of the content.
    #[cold]
    fn closed(&self, server: &Server, got: u64) -> Result<Received, Fault> {
        if self.reader.ends_with_connection() {
            return Ok(Received { bytes: 0, is_whole: true });
        }
        if server.is_peer() {
            return Err(peer::broken(Errno::CONNRESET));
        }
        let missing = self.missing();
        Err(Fault::Other(format!("{} ended the download after {got} bytes{missing}", server.url.authority)))
    }

    /// The fault of a connection that broke after `got` bytes of the content.
    #[cold]
    fn broken(&self, server: &Server, why: &Nothing, got: u64) -> Fault {
        match why {
            why if why.is_closed() && !server.is_peer() => Fault::Other(format!(
                "{} reset the connection after {got} bytes of a download{}: its program ended or gave up, or something \
                 on the way ended the connection",
                server.url.authority,
                self.missing()
            )),
            why => server.broken(why, DOWNLOADING),
        }
    }

    /// How many bytes of the content did not come, where that is known.
    fn missing(&self) -> String {
        self.reader
            .left()
            .map_or(String::new(), |left| format!(", {left} bytes before the length it promised"))
    }

    /// Whether nothing came between two answers: what did was more than the last one was to have.
    fn check_rest(&mut self, server: &Server) -> Result<(), Unanswered> {
        if self.reader.head().status == 0 {
            return Ok(());
        }
        match self.stream.receive(&mut [0; 1]) {
            Ok(more) if more > 0 => Err(server.malformed(Malformed::Surplus).into()),
            // One that was closed meanwhile shows when it is asked.
            _ => Ok(()),
        }
    }
}

impl Exchange for Http1 {
    type Request = Vec<u8>;

    fn offer(_server: &mut Server) {}

    fn request(url: &Url, headers: &Headers) -> Result<Vec<u8>, Fault> {
        let request = Request { method: "GET", path: &url.path, keeps: true, introduces: true, body: None };
        Ok(head_of(request, url, headers).into_bytes())
    }

    fn over(_server: &Server, stream: Stream, _room: usize) -> Result<Self, Fault> {
        Ok(Self { stream, awaited: None, reader: Reader::default(), came: Vec::new() })
    }

    fn ask(&mut self, server: &Server, request: &Vec<u8>) -> Result<(), Unanswered> {
        self.check_rest(server)?;
        dialog::send(server, &mut self.stream, request)?;
        self.awaited = Some(Hearing::new(false));
        Ok(())
    }

    fn listen(&mut self, server: &Server) -> Result<Option<Head>, Unanswered> {
        let Some(hearing) = &mut self.awaited else { return Ok(None) };
        let Some(Answer { reader, body }) =
            hearing.listen(server, &mut self.stream, &mut [0; dialog::ROOM])?
        else {
            return Ok(None);
        };
        (self.awaited, self.reader, self.came) = (None, reader, body);
        Ok(Some(self.reader.head().clone()))
    }

    fn is_whole(&self) -> bool {
        self.came.is_empty() && self.reader.is_done()
    }

    #[inline]
    fn receive(&mut self, of: Receiving<'_>) -> Result<Option<Received>, Fault> {
        if !self.came.is_empty() {
            return self.take_came(of.sink, of.digest).map(Some);
        }
        let is_plain = self.reader.is_plain_body();
        let transfer = match of.sink.transfer() {
            way if is_plain && self.stream.is_plain() => way,
            _ => Transfer::Buffer,
        };
        if transfer == Transfer::Splice {
            return self.splice(of);
        }
        let Receiving { server, sink, digest, got } = of;
        let left = self.reader.left().map_or(usize::MAX, |left| usize::try_from(left).unwrap_or(usize::MAX));
        let received = if transfer == Transfer::Ring {
            sink.receive(&self.stream, left)
        } else {
            let room = sink.room();
            let most = room.len().min(left);
            self.stream.receive(&mut room[..most])
        };
        let received = match received {
            Ok(0) => return self.closed(server, got).map(Some),
            Ok(received) => received,
            Err(Nothing::Yet) => return Ok(None),
            Err(e) => return Err(self.broken(server, &e, got)),
        };
        let came = if is_plain {
            let bytes = received as u64;
            Received { bytes, is_whole: self.reader.skip(bytes) }
        } else {
            self.unframe(server, sink.room(), received)?
        };
        let bytes = came.bytes as usize;
        if let Some(digest) = digest {
            digest.update(&sink.room()[..bytes]);
        }
        sink.put(bytes)?;
        Ok(Some(came))
    }

    fn keeps(&self) -> bool {
        self.reader.head().keeps
    }

    fn wait(&self, until_ns: u64) -> Result<bool, Fault> {
        client::wait(&self.stream, PollFlags::IN, until_ns)
    }

    fn shutdown(&self) {
        let _ = rustix::net::shutdown(&self.stream, Shutdown::Write);
    }

    fn facts(&self) -> Vec<(FactName, Value)> {
        facts::of(&self.stream)
    }
}
