//! Requests to the store one at a time, where objects are made ready or removed and waiting is all there is to do.

use std::sync::atomic::Ordering;
use std::time::Duration;

use engine::clock;
use engine::fault::Fault;
use rustix::event::PollFlags;
use rustix::io::Errno;

use crate::workload::http::client::{Server, wait};
use crate::workload::http::dialog::{self, Answer, Unanswered};
use crate::workload::http::response::{Head, Piece};
use crate::workload::http::stream::{Nothing, Stream};
use crate::workload::object::answer::Refusal;
use crate::workload::object::bucket::{Ask, RequestBuilder};
use crate::workload::object::exchanging::SMALL;
use crate::workload::object::store::Store;

/// Bytes of an answer that are kept, at most: a page of 1,000 uploads with the longest names has less.
const KEPT_MOST: usize = 4 << 20;
const ROOM: usize = 16 << 10;

/// How often what a store refuses for a moment is asked again when objects are made ready or removed, and
/// after what time first.
const TRIES: u32 = 6;
const PAUSE: Duration = Duration::from_millis(100);

/// Why something was not done.
const LATE: &str = "the time for it was over";

/// The head of an answer, and its body.
type Answered = (Head, Vec<u8>);

/// One request at a time, over a connection that is kept.
#[derive(Debug)]
pub(super) struct Asker<'a> {
    store: &'a Store,
    /// With no more patience than there is time.
    server: Server,
    builder: RequestBuilder,
    stream: Option<Stream>,
}

impl<'a> Asker<'a> {
    /// One that has no connection yet.
    pub(super) fn new(store: &'a Store) -> Self {
        Self { store, server: store.server.clone(), builder: store.builder.clone(), stream: None }
    }

    /// The answer to `ask`, which is asked again while the store refuses it for a moment.
    ///
    /// # Errors
    /// If there is none, or it is no success.
    pub(super) fn insist(&mut self, ask: Ask<'_>) -> Result<Answered, Fault> {
        match self.tried(ask)? {
            Ok(answer) => Ok(answer),
            Err(refusal) => Err(self.refused(ask, &refusal)),
        }
    }

    /// The same of what is to be away: that it is none is no failure.
    ///
    /// # Errors
    /// If it may still be there.
    pub(super) fn remove(&mut self, ask: Ask<'_>) -> Result<(), Fault> {
        match self.tried(ask)? {
            Err(refusal) if refusal.status != 404 => Err(self.refused(ask, &refusal)),
            _ => Ok(()),
        }
    }

    /// The fault of a request that was refused.
    pub(super) fn refused(&self, ask: Ask<'_>, refusal: &Refusal) -> Fault {
        let (at, bucket) = (&self.store.server.url.authority, &self.store.bucket.name);
        let explained = refusal.explained(bucket);
        Fault::Other(format!("{at} answers {} of s3://{bucket}/{} with {explained}", ask.method, ask.key))
    }

    /// What the store says; it is asked again while it refuses for a moment or breaks the connection off.
    ///
    /// # Errors
    /// If it says nothing.
    pub(super) fn tried(&mut self, ask: Ask<'_>) -> Result<Result<Answered, Refusal>, Fault> {
        let (mut pause, mut left) = (PAUSE, TRIES);
        loop {
            left = left.saturating_sub(1);
            let time_ns = self.store.until_ns.load(Ordering::Relaxed).saturating_sub(clock::now_ns());
            if time_ns == 0 {
                return Err(Fault::Other(LATE.to_owned()));
            }
            self.server.patience = self.store.server.patience.min(Duration::from_nanos(time_ns));
            match self.ask(ask) {
                Ok((head, body)) => match self.builder.refusal(head.status, &body) {
                    None => return Ok(Ok((head, body))),
                    Some(refusal) if left == 0 || !refusal.is_passing() => return Ok(Err(refusal)),
                    Some(_) => {}
                },
                // A store that is overloaded, or what is before it, breaks connections off.
                Err(Unanswered::Closed(_)) if left > 0 => {}
                Err(why) => return Err(why.into()),
            }
            std::thread::sleep(pause);
            pause *= 2;
        }
    }

    /// The answer, over a new connection if the one that was kept is closed.
    fn ask(&mut self, ask: Ask<'_>) -> Result<Answered, Unanswered> {
        if let Some(stream) = self.stream.take() {
            match self.over(stream, ask) {
                Err(Unanswered::Closed(_)) if self.server.asks_again(true) => {}
                other => return other,
            }
        }
        let stream = self.server.connect()?;
        self.over(stream, ask)
    }

    fn over(&mut self, mut stream: Stream, ask: Ask<'_>) -> Result<Answered, Unanswered> {
        let Self { store, server, builder, .. } = self;
        let server = &*server;
        let mut message = builder.head(ask);
        let bytes = ask.payload.map_or(0, |payload| payload.bytes);
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX).min(store.content.bytes.len());
        let mut body = &store.content.bytes[..bytes];
        // One that is long is not copied: there are as many requests as connections.
        if bytes <= SMALL {
            message.extend_from_slice(std::mem::take(&mut body));
        }
        let sent = dialog::send(server, &mut stream, &message).and_then(|()| match body {
            [] => Ok(()),
            long => dialog::send(server, &mut stream, long),
        });
        let is_sent = sent.is_ok();
        // A store that refuses a request may answer before it has all of it, and go away.
        let answer = match (dialog::hear(server, &mut stream, false), sent) {
            (Ok(answer), _) => answer,
            (Err(_), Err(why)) | (Err(why), Ok(())) => return Err(why),
        };
        let until_ns = store.until_ns.load(Ordering::Relaxed);
        let (head, body, is_whole) = rest(server, &mut stream, answer, until_ns)?;
        if is_sent && is_whole && head.keeps {
            self.stream = Some(stream);
        }
        Ok((head, body))
    }
}

/// The whole of an answer, which may take until then, and whether the connection stands after it.
fn rest(
    server: &Server,
    stream: &mut Stream,
    answer: Answer,
    until_ns: u64,
) -> Result<(Head, Vec<u8>, bool), Unanswered> {
    const DOING: &str = "while it answered";
    let Answer { mut reader, mut body } = answer;
    let patience_ns = server.patience.as_nanos() as u64;
    let mut room = [0; ROOM];
    while !reader.is_done() {
        if clock::now_ns() >= until_ns {
            return Err(Fault::Other(LATE.to_owned()).into());
        }
        let got = match stream.receive(&mut room) {
            Ok(0) if reader.ends_with_connection() => return Ok((reader.head().clone(), body, false)),
            Ok(0) => return Err(dialog::broken(server, &Nothing::Broken(Errno::CONNRESET), DOING)),
            Ok(got) => got,
            Err(Nothing::Yet) => {
                if !wait(stream, PollFlags::IN, clock::now_ns() + patience_ns)? {
                    return Err(server.silent(DOING).into());
                }
                continue;
            }
            Err(e) => return Err(dialog::broken(server, &e, DOING)),
        };
        let mut left = &room[..got];
        loop {
            match reader.next(&mut left).map_err(|e| server.malformed(e))? {
                Piece::Body(bytes) if body.len() < KEPT_MOST => body.extend_from_slice(bytes),
                Piece::Head | Piece::Body(_) => {}
                Piece::End | Piece::More => break,
            }
        }
    }
    Ok((reader.head().clone(), body, true))
}
