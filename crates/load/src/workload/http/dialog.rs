//! One request at a time over a connection of its own, where waiting is all there is to do.

use engine::clock;
use engine::fault::Fault;
use rustix::event::PollFlags;
use rustix::io::Errno;

use crate::workload::http::client::{Server, wait};
use crate::workload::http::response::{Head, Piece, Reader};
use crate::workload::http::stream::{Nothing, Stream};

/// Bytes of one call that receives a head.
pub(in crate::workload) const ROOM: usize = 16 << 10;

/// What came of a response so far.
#[derive(Debug)]
pub(in crate::workload) struct Answer {
    pub(in crate::workload) reader: Reader,
    /// What came of the body with the head.
    pub(in crate::workload) body: Vec<u8>,
}

impl Answer {
    /// What the head says.
    pub(in crate::workload) fn head(&self) -> &Head {
        self.reader.head()
    }
}

/// Why a request has no answer.
#[derive(Debug)]
pub(in crate::workload) enum Unanswered {
    /// The server closed the connection, or broke it off, before it answered.
    Closed(Fault),
    /// Anything else.
    Other(Fault),
}

impl From<Unanswered> for Fault {
    fn from(why: Unanswered) -> Self {
        match why {
            Unanswered::Closed(fault) | Unanswered::Other(fault) => fault,
        }
    }
}

impl From<Fault> for Unanswered {
    fn from(fault: Fault) -> Self {
        Self::Other(fault)
    }
}

/// The same of a call that gave nothing.
pub(in crate::workload) fn broken(server: &Server, why: &Nothing, doing: &str) -> Unanswered {
    let fault = server.broken(why, doing);
    if why.is_closed() { Unanswered::Closed(fault) } else { Unanswered::Other(fault) }
}

/// Sends all of `bytes`.
///
/// # Errors
/// If the connection breaks, or the server takes nothing for too long.
pub(in crate::workload) fn send(
    server: &Server,
    stream: &mut Stream,
    mut bytes: &[u8],
) -> Result<(), Unanswered> {
    let patience_ns = server.patience.as_nanos() as u64;
    loop {
        match stream.send(bytes) {
            Ok(sent) => bytes = &bytes[sent..],
            Err(Nothing::Yet) => {
                if !wait(stream, PollFlags::OUT, clock::now_ns() + patience_ns)? {
                    return Err(server.silent("while a request was sent").into());
                }
            }
            Err(e) => return Err(broken(server, &e, "while a request was sent")),
        }
        if bytes.is_empty() && !stream.holds() {
            return Ok(());
        }
    }
}

/// A response whose head is awaited.
#[derive(Debug, Default)]
pub(in crate::workload) struct Hearing(Reader);

impl Hearing {
    /// Of the response to the last request.
    pub(in crate::workload) fn new(head_only: bool) -> Self {
        let mut reader = Reader::default();
        reader.begin(head_only);
        Self(reader)
    }

    /// Takes what is there, by way of `room`; the answer, once its head is whole.
    ///
    /// # Errors
    /// If what comes cannot be understood, or no more comes.
    pub(in crate::workload) fn listen(
        &mut self,
        server: &Server,
        stream: &mut Stream,
        room: &mut [u8],
    ) -> Result<Option<Answer>, Unanswered> {
        const DOING: &str = "before it answered";
        loop {
            let got = match stream.receive(room) {
                Ok(0) => return Err(broken(server, &Nothing::Broken(Errno::CONNRESET), DOING)),
                Ok(got) => got,
                Err(Nothing::Yet) => return Ok(None),
                Err(e) => return Err(broken(server, &e, DOING)),
            };
            let (mut rest, mut body, mut is_whole) = (&room[..got], Vec::new(), false);
            loop {
                match self.0.next(&mut rest).map_err(|e| server.malformed(e))? {
                    Piece::Head => is_whole = true,
                    Piece::Body(bytes) => body.extend_from_slice(bytes),
                    Piece::End | Piece::More => break,
                }
            }
            if is_whole {
                return Ok(Some(Answer { reader: std::mem::take(&mut self.0), body }));
            }
        }
    }
}

/// Waits for the head of the response to the last request.
///
/// # Errors
/// If none comes that can be understood.
pub(in crate::workload) fn hear(
    server: &Server,
    stream: &mut Stream,
    head_only: bool,
) -> Result<Answer, Unanswered> {
    let patience_ns = server.patience.as_nanos() as u64;
    let (mut hearing, mut room) = (Hearing::new(head_only), [0; ROOM]);
    loop {
        if let Some(answer) = hearing.listen(server, stream, &mut room)? {
            return Ok(answer);
        }
        if !wait(stream, PollFlags::IN, clock::now_ns() + patience_ns)? {
            return Err(server.silent("when it was to answer").into());
        }
    }
}
