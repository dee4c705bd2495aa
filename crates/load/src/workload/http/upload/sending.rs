//! One stream: sends bodies over a connection that it keeps while the server does.

use std::fs::File;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use engine::clock;
use engine::fault::Fault;
use engine::queue::{Completion, Operation, Queue, Wait};
use model::{FactName, Value};
use rustix::event::PollFlags;
use rustix::io::Errno;
use rustix::net::Shutdown;

use crate::workload::http::client::{Server, wait};
use crate::workload::http::dialog::{self, Answer, Hearing, Unanswered};
use crate::workload::http::facts;
use crate::workload::http::peer::{self, PeerServer};
use crate::workload::http::response::{Head, Piece};
use crate::workload::http::stream::{Nothing, Stream};
use crate::workload::http::tally::Tally;
use crate::workload::http::upload::body::{Body, Unsent};
use crate::workload::http::upload::limits::{is_refusal, is_stale};
use crate::workload::http::url;
use crate::workload::net::socket;
use crate::workload::net::stream::state::{self, State};
use crate::workload::net::worker_samples::{SampleCollector, WorkerSamples};

/// The classes of its operations, by their place among those of the load.
pub(super) const SENT: u8 = 0;
pub(super) const FAILED: u8 = 1;

const SENDING: &str = "in the middle of an upload";

/// So long a call waits before the worker looks around, ns.
const LOOK_NS: u64 = 20_000_000;

/// What all streams send, and where.
#[derive(Debug)]
pub(super) struct Transfer {
    pub(super) server: Server,
    /// The way to it, where it is the other end of the load.
    pub(super) peer: Option<PeerServer>,
    pub(super) method: &'static str,
    /// Bytes of each body.
    pub(super) bytes: u64,
    /// Bytes of one call that sends.
    pub(super) buffer: usize,
    /// The file to be sent and its name; random bytes where there is none.
    pub(super) source: Option<(File, String)>,
    /// Whether each stream sends once.
    pub(super) once: bool,
    /// How long an upload may take, ns: for ever where it is not time that ends the load.
    pub(super) longest_ns: AtomicU64,
    /// What workers saw, once they have ended.
    pub(super) seen: Mutex<Seen>,
    /// What their connections looked like.
    pub(super) states: SampleCollector<State>,
}

impl Transfer {
    /// A connection of worker `worker`.
    fn connect(&self, worker: usize) -> Result<Stream, Fault> {
        match &self.peer {
            Some(peer) => peer.connect(worker),
            None => self.server.connect(),
        }
    }
}

/// What workers saw of answers.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub(super) tally: Tally,
    /// What the server said of itself.
    pub(super) server: Vec<(FactName, Value)>,
    /// Uploads that began anew over another connection.
    pub(super) retries: u64,
}

/// How far an upload is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Idle,
    Sending,
    /// All was sent.
    Answering,
}

/// What came of going on.
#[derive(Debug)]
enum Step {
    /// Something moved.
    Moved,
    /// Nothing can, before the kernel says so.
    Waits(PollFlags),
    Ended(Completion),
}

/// The worker.
#[derive(Debug)]
pub(super) struct Sending {
    transfer: Arc<Transfer>,
    worker: usize,
    /// The head of the request.
    head: Vec<u8>,
    body: Body,
    stream: Option<Stream>,
    /// Whether this connection has answered before, and whether this upload began anew because the
    /// server had closed such a one.
    has_answered: bool,
    was_retried: bool,
    phase: Phase,
    slot: usize,
    /// Bytes of the head that were sent.
    head_sent: usize,
    /// When the upload began, ns, and bytes that its connection had not acknowledged when nothing moved.
    begun_ns: u64,
    queued: Option<u64>,
    /// When the last byte was handed over, and when anything moved last, ns.
    last_ns: u64,
    moved_ns: u64,
    hearing: Hearing,
    /// The answer, once its head is there.
    answer: Option<Answer>,
    room: Box<[u8]>,
    ended: bool,
    tally: Tally,
    retries: u64,
    server: Vec<(FactName, Value)>,
    /// Of the connection, as long as it is the first one.
    track: Option<WorkerSamples<State>>,
}

impl Sending {
    /// One with a connection that stands; `head` is that of its requests.
    pub(super) fn new(
        transfer: Arc<Transfer>,
        head: Vec<u8>,
        seed: u64,
        worker: usize,
    ) -> Result<Self, Fault> {
        let body = match &transfer.source {
            Some((file, path)) => {
                let file =
                    file.try_clone().map_err(|e| Fault::system(format!("opening {path} once more"), e))?;
                Body::file(file, path, transfer.buffer)
            }
            None => Body::random(transfer.buffer, seed),
        };
        let stream = transfer.connect(worker)?;
        let track = Some(WorkerSamples::default());
        let mut tally = Tally::default();
        tally.connections += 1;
        Ok(Self {
            transfer,
            worker,
            head,
            body,
            stream: Some(stream),
            has_answered: false,
            was_retried: false,
            phase: Phase::Idle,
            slot: 0,
            head_sent: 0,
            begun_ns: 0,
            queued: None,
            last_ns: 0,
            moved_ns: 0,
            hearing: Hearing::default(),
            answer: None,
            room: vec![0; dialog::ROOM].into_boxed_slice(),
            ended: false,
            tally,
            retries: 0,
            server: Vec::new(),
            track,
        })
    }

    /// Begins with the head, over a new connection where there is none.
    fn begin(&mut self) -> Result<(), Fault> {
        if self.stream.is_none() {
            self.stream = Some(self.transfer.connect(self.worker)?);
            self.tally.connections += 1;
            self.has_answered = false;
            // What TCP counts begins anew with it, too; the other end of a load keeps its connection.
            self.track = self.track.take().filter(|_| self.transfer.peer.is_some());
        }
        (self.head_sent, self.answer, self.hearing) = (0, None, Hearing::new(false));
        self.body.begin();
        (self.phase, self.moved_ns) = (Phase::Sending, clock::now_ns());
        Ok(())
    }

    /// Sends, by one call, what can be of head and body; whether all was sent.
    #[inline]
    fn push(&mut self) -> Result<bool, Unsent> {
        let Some(stream) = &mut self.stream else { return Ok(false) };
        while self.head_sent < self.head.len() {
            self.head_sent += stream.send(&self.head[self.head_sent..])?;
        }
        let bytes = self.transfer.bytes;
        if self.body.sent() < bytes {
            self.body.send(stream, bytes)?;
        } else if stream.holds() {
            // What TLS has taken and the kernel has not.
            stream.send(&[])?;
        }
        Ok(self.body.sent() == bytes && !stream.holds())
    }

    /// Takes what is there of the answer; whether it is whole.
    fn hear(&mut self) -> Result<bool, Unanswered> {
        let Some(stream) = &mut self.stream else { return Ok(false) };
        let server = &self.transfer.server;
        if self.answer.is_none() {
            self.answer = self.hearing.listen(server, stream, &mut self.room)?;
        }
        let Some(answer) = &mut self.answer else { return Ok(false) };
        while !answer.reader.is_done() {
            let got = match stream.receive(&mut self.room) {
                Ok(0) if answer.reader.ends_with_connection() => return Ok(true),
                Ok(0) => {
                    let end = Nothing::Broken(Errno::CONNRESET);
                    return Err(dialog::broken(server, &end, "while it answered"));
                }
                Ok(got) => got,
                Err(Nothing::Yet) => return Ok(false),
                Err(e) => return Err(dialog::broken(server, &e, "while it answered")),
            };
            let mut rest = &self.room[..got];
            while let Piece::Head | Piece::Body(_) =
                answer.reader.next(&mut rest).map_err(|e| server.malformed(e))?
            {}
        }
        Ok(true)
    }

    /// Goes on as far as one call brings it.
    #[inline]
    fn go_on(&mut self) -> Result<Step, Fault> {
        if self.phase == Phase::Sending {
            match self.push() {
                Ok(false) => return Ok(Step::Moved),
                Ok(true) => {
                    (self.phase, self.last_ns) = (Phase::Answering, clock::now_ns());
                    return Ok(Step::Moved);
                }
                Err(Unsent::Stream(Nothing::Yet)) => {}
                Err(Unsent::Stream(why)) if why.is_closed() => return self.refused_the_rest(),
                Err(Unsent::Stream(e)) => return Err(self.transfer.server.broken(&e, SENDING)),
                Err(Unsent::Body(fault)) => return Err(fault),
            }
        }
        Ok(self.listen()?.unwrap_or(Step::Waits(match self.phase {
            Phase::Sending => PollFlags::IN | PollFlags::OUT,
            Phase::Idle | Phase::Answering => PollFlags::IN,
        })))
    }

    /// Looks for the answer, which may come before all was sent.
    fn listen(&mut self) -> Result<Option<Step>, Fault> {
        match self.hear() {
            Ok(true) => self.finish(true).map(Some),
            // A server that answers in the middle will not take the rest.
            Ok(false) if self.phase == Phase::Sending && self.answer.is_some() => {
                self.finish(false).map(Some)
            }
            Ok(false) => Ok(None),
            Err(Unanswered::Closed(_)) => self.closed().map(Some),
            Err(Unanswered::Other(fault)) => Err(fault),
        }
    }

    /// Looks what the connection is like, if it is time to, or `always`.
    #[inline]
    fn look(&mut self, always: bool) {
        if let (Some(track), Some(stream)) = (&mut self.track, &self.stream) {
            state::look(track, stream, always);
        }
    }

    /// The connection takes nothing any more: what the server had answered before, if it had.
    #[cold]
    fn refused_the_rest(&mut self) -> Result<Step, Fault> {
        // What came before a reset can be read after it (tcp_reset of net/ipv4/tcp_input.c keeps it).
        match self.listen()? {
            Some(step) => Ok(step),
            None => self.closed(),
        }
    }

    /// The connection ended before the answer was whole.
    #[cold]
    fn closed(&mut self) -> Result<Step, Fault> {
        if self.answer.is_some() {
            return self.finish(false);
        }
        self.stream = None;
        if self.transfer.peer.is_some() {
            return Err(peer::broken(Errno::CONNRESET));
        }
        let is_stale = is_stale(clock::now_ns().saturating_sub(self.begun_ns));
        if self.transfer.server.asks_again(self.has_answered) && !self.was_retried && is_stale {
            self.was_retried = true;
            self.retries += 1;
            self.begin()?;
            return Ok(Step::Moved);
        }
        if self.has_answered {
            self.tally.count(0, false);
            return Ok(self.end(false));
        }
        Err(Fault::Other(format!(
            "{} broke the connection off after {} of the {} bytes of a body, and did not answer: its program ended, or \
             refuses such requests",
            self.transfer.server.url.authority,
            self.body.sent(),
            self.transfer.bytes
        )))
    }

    /// The answer is there, all of it or all that comes.
    fn finish(&mut self, is_whole: bool) -> Result<Step, Fault> {
        let Some(answer) = self.answer.take() else { return Ok(Step::Moved) };
        let (head, is_early) = (answer.head(), self.phase == Phase::Sending);
        if self.server.is_empty() {
            self.server = facts::of_server(head);
        }
        if is_refusal(head.status) {
            return Err(self.refused(head, is_early));
        }
        self.tally.count(head.status, is_whole && !is_early);
        // One that answers before it has the whole request will not take the rest.
        let keeps = is_whole && !is_early && head.keeps;
        if !keeps {
            self.stream = None;
        }
        let is_taken = is_whole && !is_early && head.is_success();
        self.has_answered = keeps;
        Ok(self.end(is_taken))
    }

    /// The upload is over.
    fn end(&mut self, is_taken: bool) -> Step {
        self.phase = Phase::Idle;
        self.ended |= self.transfer.once;
        Step::Ended(Completion {
            slot: self.slot,
            bytes: if is_taken { self.transfer.bytes } else { 0 },
            class: if is_taken { SENT } else { FAILED },
            handed_ns: self.last_ns,
        })
    }

    /// Whether the upload may go on: it is waited for after the window too, but not for ever.
    fn check_age(&self, now_ns: u64) -> Result<(), Fault> {
        let age_ns = now_ns.saturating_sub(self.begun_ns);
        if age_ns <= self.transfer.longest_ns.load(Ordering::Relaxed) {
            return Ok(());
        }
        Err(Fault::Other(format!(
            "an upload to {} had sent {} of {} bytes after {} s and was still unfinished, which is too long for the \
             window: give a smaller size, a longer duration or until=end",
            self.transfer.server.url.authority,
            self.body.sent(),
            self.transfer.bytes,
            age_ns / 1_000_000_000
        )))
    }

    /// Nothing moved for a while: whether the server may be waited for further.
    #[cold]
    fn check_silence(&mut self) -> Result<(), Fault> {
        let now_ns = clock::now_ns();
        // What the other end acknowledges moves too: a slow link takes long to empty a large buffer.
        let queued = self.stream.as_ref().and_then(socket::queued);
        if queued != self.queued {
            (self.queued, self.moved_ns) = (queued, now_ns);
        }
        if u128::from(now_ns.saturating_sub(self.moved_ns)) <= self.transfer.server.patience.as_nanos() {
            return Ok(());
        }
        Err(self.transfer.server.silent(match self.phase {
            Phase::Sending => SENDING,
            Phase::Idle | Phase::Answering => "when it was to answer",
        }))
    }

    /// The fault of an answer that the next request would have too.
    #[cold]
    fn refused(&self, head: &Head, is_early: bool) -> Fault {
        let Transfer { server, method, bytes, .. } = &*self.transfer;
        let when = if is_early {
            format!(", after {} of the {bytes} bytes of the body", self.body.sent())
        } else {
            String::new()
        };
        let why = match (head.status, &head.location) {
            (300..=399, Some(location)) => {
                let location = url::hidden(location);
                format!(": it redirects to {location}, and uploads do not follow redirects: give that url")
            }
            (405, _) => format!(": it does not accept {method} there"),
            (411, _) => ": it does not know the length of the body".to_owned(),
            (413, _) => format!(
                ": it does not accept bodies of {bytes} bytes. Use a smaller size, or raise its limit (nginx: \
                 client_max_body_size)"
            ),
            _ => String::new(),
        };
        let (at, path, status) = (&server.url.authority, &server.url.path, head.status);
        Fault::Other(format!("{at} answers {status} to {method} {path}{when}{why}"))
    }
}

impl Queue for Sending {
    fn start(&mut self, slot: usize, _operation: Operation) -> Result<(), Fault> {
        (self.slot, self.was_retried, self.last_ns) = (slot, false, 0);
        (self.begun_ns, self.queued) = (clock::now_ns(), None);
        self.begin()
    }

    fn reap(&mut self, wait_for: Wait, done: &mut Vec<Completion>) -> Result<(), Fault> {
        if self.phase == Phase::Idle {
            return Ok(());
        }
        // One that just begins says nothing.
        if self.head_sent > 0 {
            self.look(false);
        }
        let now_ns = clock::now_ns();
        self.check_age(now_ns)?;
        let most_ns = match wait_for {
            Wait::Poll => 0,
            Wait::For(ns) => ns.min(LOOK_NS),
            Wait::One => LOOK_NS,
        };
        let until_ns = now_ns + most_ns;
        // A connection that takes all that it is given would hide an answer that came early.
        let mut step = match self.phase {
            Phase::Sending if self.body.sent() > 0 => self.listen()?,
            _ => None,
        };
        loop {
            match step.take().map_or_else(|| self.go_on(), Ok)? {
                Step::Ended(completion) => {
                    done.push(completion);
                    return Ok(());
                }
                Step::Moved => {
                    self.moved_ns = clock::now_ns();
                    if self.moved_ns >= until_ns {
                        return Ok(());
                    }
                }
                Step::Waits(wanted) => {
                    self.look(false);
                    let Some(stream) = &self.stream else { return Ok(()) };
                    if wait(stream, wanted, until_ns)? {
                        self.moved_ns = clock::now_ns();
                        continue;
                    }
                    return self.check_silence();
                }
            }
        }
    }

    fn ended(&self) -> bool {
        self.ended
    }

    fn settle(&mut self) -> Result<bool, Fault> {
        self.look(true);
        if let Some(track) = &mut self.track {
            self.transfer.states.hand_in(track);
            if let Some(stream) = self.stream.as_ref().filter(|_| self.transfer.peer.is_some()) {
                // The other end may go. If it is gone, it is.
                let _ = rustix::net::shutdown(stream, Shutdown::Write);
            }
        }
        let mut seen = self.transfer.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.tally.add(std::mem::take(&mut self.tally));
        seen.retries += std::mem::take(&mut self.retries);
        if seen.server.is_empty() {
            seen.server = std::mem::take(&mut self.server);
        }
        Ok(false)
    }

    fn facts(&self) -> Vec<(FactName, Value)> {
        self.stream.as_ref().map(facts::of).unwrap_or_default()
    }
}
