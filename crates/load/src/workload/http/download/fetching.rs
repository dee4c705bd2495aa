//! One stream: fetches the url over a connection that it keeps while the server does.

use std::fs::File;
use std::sync::{Arc, Mutex, PoisonError};

use engine::clock;
use engine::drive::WorkerContext;
use engine::fault::Fault;
use engine::queue::{Completion, Operation, Queue, UNRECORDED, Wait};
use model::{FactName, Value};
use rustix::event::PollFlags;
use rustix::io::Errno;
use rustix::net::Shutdown;
use sha2::{Digest, Sha256};

use crate::workload::http::client::{Server, wait};
use crate::workload::http::dialog::{self, Answer, Hearing, Unanswered};
use crate::workload::http::download::sink::{Sink, SinkOptions, Splice};
use crate::workload::http::download::spent::Spent;
use crate::workload::http::facts;
use crate::workload::http::peer::{self, PeerServer};
use crate::workload::http::response::{Piece, Reader};
use crate::workload::http::stream::{Nothing, Stream};

/// The classes of its operations, by their place among those of the load.
pub(super) const RECEIVED: u8 = 0;
pub(super) const BEGAN: u8 = 1;

const DOWNLOADING: &str = "in the middle of a download";

/// So long a call waits before the worker looks around, ns.
const LOOK_NS: u64 = 100_000_000;

/// What all streams fetch, and how.
#[derive(Debug)]
pub(super) struct Fetch {
    pub(super) server: Server,
    /// The way to it, where it is the other end of the load.
    pub(super) peer: Option<PeerServer>,
    /// The request, whole.
    pub(super) message: Vec<u8>,
    pub(super) sink: SinkOptions,
    /// Whether each stream fetches once.
    pub(super) once: bool,
    pub(super) syncs: bool,
    pub(super) checksum: Option<[u8; 32]>,
    /// The files of streams that have ended.
    pub(super) files: Mutex<Vec<(File, u64)>>,
    pub(super) spent: Spent,
}

impl Fetch {
    /// A connection of worker `worker`.
    fn connect(&self, worker: usize) -> Result<Stream, Fault> {
        match &self.peer {
            Some(peer) => peer.connect(worker),
            None => self.server.connect(),
        }
    }
}

/// The worker.
#[derive(Debug)]
pub(super) struct Fetching {
    fetch: Arc<Fetch>,
    worker: usize,
    stream: Option<Stream>,
    /// Whether this connection has answered before.
    has_answered: bool,
    reader: Reader,
    sink: Sink,
    /// The head that was asked for and is not there.
    awaited: Option<Hearing>,
    /// What came with the head and is not counted.
    came: Vec<u8>,
    /// Whether an answer is under way, and how many bytes came of it.
    is_under_way: bool,
    got: u64,
    /// The most bytes of one fetch.
    longest: u64,
    digest: Sha256,
    silent_ns: u64,
    /// When the first request was sent, and how long the server was waited for since, ns.
    begun_ns: Option<u64>,
    waited_ns: u64,
    ended: bool,
    wrong: Option<String>,
    connections: u64,
    finished: Option<Completion>,
}

impl Fetching {
    pub(super) fn new(fetch: Arc<Fetch>, worker: usize) -> Result<Self, Fault> {
        let sink = Sink::new(fetch.sink.clone())?;
        let stream = fetch.connect(worker)?;
        Ok(Self {
            fetch,
            worker,
            stream: Some(stream),
            has_answered: false,
            reader: Reader::default(),
            sink,
            awaited: None,
            came: Vec::new(),
            is_under_way: false,
            got: 0,
            longest: 0,
            digest: Sha256::new(),
            silent_ns: 0,
            begun_ns: None,
            waited_ns: 0,
            ended: false,
            wrong: None,
            connections: 1,
            finished: None,
        })
    }

    /// Sends the request, over a new connection where there is none.
    #[cold]
    fn ask(&mut self) -> Result<(), Fault> {
        self.begun_ns.get_or_insert_with(clock::now_ns);
        let server = &self.fetch.server;
        loop {
            let (stream, is_new) = match &mut self.stream {
                Some(stream) => (stream, !self.has_answered),
                none => {
                    self.connections += 1;
                    (none.insert(self.fetch.connect(self.worker)?), true)
                }
            };
            match dialog::send(server, stream, &self.fetch.message) {
                Ok(()) => break,
                // A server may close a connection that has answered (nginx: after 1,000 answers).
                Err(Unanswered::Closed(_)) if !is_new && self.fetch.peer.is_none() => {
                    (self.stream, self.has_answered) = (None, false)
                }
                Err(why) => return Err(why.into()),
            }
        }
        self.awaited = Some(Hearing::new(false));
        Ok(())
    }

    /// Takes what is there of the head, or waits a moment for it; whether it is whole.
    #[cold]
    fn await_head(&mut self) -> Result<bool, Fault> {
        let (Some(hearing), Some(stream)) = (&mut self.awaited, &mut self.stream) else { return Ok(false) };
        match hearing.listen(&self.fetch.server, stream) {
            Ok(Some(answer)) => {
                self.awaited = None;
                self.begin(answer).map(|()| true)
            }
            Ok(None) => self.rest("when it was to answer").map(|()| false),
            Err(Unanswered::Closed(_)) if self.has_answered && self.fetch.peer.is_none() => {
                (self.stream, self.has_answered) = (None, false);
                self.ask().map(|()| false)
            }
            Err(why) => Err(why.into()),
        }
    }

    /// The content of `answer` begins.
    fn begin(&mut self, answer: Answer) -> Result<(), Fault> {
        let head = answer.head();
        if !head.is_success() {
            return Err(Fault::Other(format!(
                "{} answers {} to GET {}",
                self.fetch.server.url.authority, head.status, self.fetch.server.url.path
            )));
        }
        self.sink.begin(head.length)?;
        self.digest = Sha256::new();
        (self.reader, self.came) = (answer.reader, answer.body);
        (self.is_under_way, self.got, self.has_answered, self.silent_ns) = (true, 0, true, 0);
        // An answer without content ends with its head.
        if self.came.is_empty() && self.reader.is_done() { self.end() } else { Ok(()) }
    }

    /// Takes `bytes` of content that lie elsewhere.
    fn take_came(&mut self) -> Result<u64, Fault> {
        let came = std::mem::take(&mut self.came);
        if self.fetch.checksum.is_some() {
            self.digest.update(&came);
        }
        self.sink.take(&came)?;
        Ok(came.len() as u64)
    }

    /// One call that receives; the bytes of content, and whether all came. None if none is there yet.
    #[inline]
    fn receive(&mut self) -> Result<Option<(u64, bool)>, Fault> {
        let Some(stream) = &mut self.stream else { return Ok(Some((0, true))) };
        let is_spliced = self.sink.splices() && stream.is_plain() && self.reader.is_plain_body();
        if is_spliced {
            let most = self.reader.left().unwrap_or(u64::MAX);
            return match self.sink.splice(stream, most) {
                Ok(0) => self.closed().map(Some),
                Ok(bytes) => Ok(Some((bytes, self.reader.skip(bytes)))),
                Err(Splice::Came(Nothing::Yet)) => Ok(None),
                Err(Splice::Came(e)) => Err(self.fetch.server.broken(&e, DOWNLOADING)),
                Err(Splice::Went(fault)) => Err(fault),
            };
        }
        let is_plain = self.reader.is_plain_body();
        let left = self.reader.left();
        let room = self.sink.room();
        let most =
            left.map_or(room.len(), |left| usize::try_from(left).unwrap_or(usize::MAX).min(room.len()));
        let most = if is_plain { most } else { room.len() };
        let got = match stream.receive(&mut room[..most]) {
            Ok(0) => return self.closed().map(Some),
            Ok(got) => got,
            Err(Nothing::Yet) => return Ok(None),
            Err(e) => return Err(self.fetch.server.broken(&e, DOWNLOADING)),
        };
        if is_plain {
            if self.fetch.checksum.is_some() {
                self.digest.update(&room[..got]);
            }
            self.sink.put(got)?;
            return Ok(Some((got as u64, self.reader.skip(got as u64))));
        }
        // Chunks: their content moves to the front, over what frames it.
        let (mut taken, mut from, mut is_whole) = (0, 0, false);
        loop {
            let mut rest = &room[from..got];
            let before = rest.len();
            let body = match self.reader.next(&mut rest).map_err(|e| self.fetch.server.malformed(e))? {
                Piece::Body(body) => body.len(),
                Piece::Head => 0,
                Piece::End => {
                    is_whole = true;
                    break;
                }
                Piece::More => break,
            };
            let used = before - rest.len();
            let end = from + used;
            room.copy_within(end - body..end, taken);
            (taken, from) = (taken + body, end);
        }
        if self.fetch.checksum.is_some() {
            self.digest.update(&room[..taken]);
        }
        self.sink.put(taken)?;
        Ok(Some((taken as u64, is_whole)))
    }

    /// The server closed the connection: whether that is the end of the content.
    #[cold]
    fn closed(&mut self) -> Result<(u64, bool), Fault> {
        self.stream = None;
        if self.reader.ends_with_connection() {
            return Ok((0, true));
        }
        if self.fetch.peer.is_some() {
            return Err(peer::broken(Errno::CONNRESET));
        }
        let missing = self
            .reader
            .left()
            .map_or(String::new(), |left| format!(", {left} bytes before the length it promised"));
        Err(Fault::Other(format!(
            "{} ended the download after {} bytes{missing}",
            self.fetch.server.url.authority, self.got
        )))
    }

    /// All of the content came.
    #[cold]
    fn end(&mut self) -> Result<(), Fault> {
        self.sink.end()?;
        self.is_under_way = false;
        self.longest = self.longest.max(self.got);
        if !self.reader.head().keeps {
            (self.stream, self.has_answered) = (None, false);
        }
        if let Some(wanted) = &self.fetch.checksum {
            let found: [u8; 32] = std::mem::take(&mut self.digest).finalize().into();
            if found != *wanted {
                let hex: String = found.iter().map(|byte| format!("{byte:02x}")).collect();
                self.wrong = Some(format!(
                    "the checksum of what {} sent is sha256:{hex}",
                    self.fetch.server.url.text()
                ));
            }
        }
        self.ended |= self.fetch.once || self.wrong.is_some();
        Ok(())
    }

    /// Waits a moment for the server.
    #[cold]
    fn rest(&mut self, doing: &str) -> Result<(), Fault> {
        let now_ns = clock::now_ns();
        let has_come = match &self.stream {
            Some(stream) => wait(stream, PollFlags::IN, now_ns + LOOK_NS)?,
            None => false,
        };
        self.waited_ns += clock::now_ns().saturating_sub(now_ns);
        if has_come {
            return Ok(());
        }
        self.silent_ns += LOOK_NS;
        if u128::from(self.silent_ns) > self.fetch.server.patience.as_nanos() {
            return Err(self.fetch.server.silent(doing));
        }
        Ok(())
    }
}

impl Queue for Fetching {
    fn start(&mut self, slot: usize, _operation: Operation) -> Result<(), Fault> {
        if !self.is_under_way {
            return self.ask();
        }
        let (bytes, is_whole) = if self.came.is_empty() {
            match self.receive()? {
                Some(received) => received,
                None => {
                    self.rest(DOWNLOADING)?;
                    // What came meanwhile is the next call's.
                    match self.receive()? {
                        Some(received) => received,
                        None => {
                            self.finished =
                                Some(Completion { slot, class: UNRECORDED, ..Completion::default() });
                            return Ok(());
                        }
                    }
                }
            }
        } else {
            let bytes = self.take_came()?;
            (bytes, self.reader.is_done())
        };
        self.silent_ns = 0;
        self.got += bytes;
        if is_whole {
            self.end()?;
        }
        self.finished = Some(Completion { slot, bytes, class: RECEIVED, ..Completion::default() });
        Ok(())
    }

    /// A head is awaited here, so that the worker looks around meanwhile.
    #[inline]
    fn reap(&mut self, _wait: Wait, done: &mut Vec<Completion>) -> Result<(), Fault> {
        if self.awaited.is_some() && self.await_head()? {
            done.push(Completion { class: BEGAN, ..Completion::default() });
        }
        done.extend(self.finished.take());
        Ok(())
    }

    #[inline]
    fn ended(&self) -> bool {
        self.ended
    }

    fn settle(&mut self) -> Result<bool, Fault> {
        if let (Some(_), Some(stream)) = (&self.fetch.peer, &self.stream) {
            // The other end may go, before a device takes its time. If it is gone, it is.
            let _ = rustix::net::shutdown(stream, Shutdown::Write);
        }
        self.longest = self.longest.max(self.got);
        if let Some(begun_ns) = self.begun_ns {
            let all_ns = clock::now_ns().saturating_sub(begun_ns);
            self.fetch.spent.add(all_ns, self.waited_ns, self.sink.spent_ns());
        }
        let synced = if self.fetch.syncs { self.sink.sync()? } else { false };
        if let Some(file) = self.sink.file()
            && let Ok(file) = file.try_clone()
        {
            self.fetch.files.lock().unwrap_or_else(PoisonError::into_inner).push((file, self.longest));
        }
        Ok(synced)
    }

    fn verify(&mut self, _life: &WorkerContext<'_>) -> Result<(), Fault> {
        self.wrong.take().map_or(Ok(()), |wrong| Err(Fault::Verification(wrong)))
    }

    fn facts(&self) -> Vec<(FactName, Value)> {
        let mut all = self.stream.as_ref().map(facts::of).unwrap_or_default();
        all.push((FactName::new("connections_made"), Value::Integer(self.connections)));
        all
    }
}
