//! The store that is measured: what trials put there, and how that is taken away again. All of it is below a
//! random name; nothing else in the bucket is touched.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use engine::fault::Fault;
use engine::{clock, lock};
use rustix::event::PollFlags;
use rustix::io::Errno;

use crate::workload::http::client::{Server, wait};
use crate::workload::http::dialog::{self, Answer, Unanswered};
use crate::workload::http::response::{Head, Piece};
use crate::workload::http::stream::{Nothing, Stream};
use crate::workload::http::tally::Tally;
use crate::workload::object::answer::{self, Refusal};
use crate::workload::object::bucket::{Ask, Bucket, Payload, RequestBuilder, encoded};
use crate::workload::object::signature::sha256;

/// Bytes of an answer that are kept, at most: a page of uploads has less.
const KEPT_MOST: usize = 1 << 20;
const ROOM: usize = 16 << 10;

/// How often what a store refuses for a moment is asked again when objects are made ready or removed, and
/// after what time first.
const TRIES: u32 = 6;
const PAUSE: Duration = Duration::from_millis(100);

/// How often somebody who waits for others looks around.
const LOOK: Duration = Duration::from_millis(50);

/// What workers saw, once they have ended.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub(super) tally: Tally,
    /// Refusals by their codes.
    pub(super) refusals: BTreeMap<String, u64>,
}

/// Random bytes that objects and parts consist of.
pub(super) struct Content {
    pub(super) bytes: Vec<u8>,
    /// The hashes of pieces from its front, by their lengths.
    hashes: Vec<(u64, String)>,
}

impl std::fmt::Debug for Content {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Content").field("hashes", &self.hashes).finish_non_exhaustive()
    }
}

impl Content {
    /// With the hashes of pieces of these lengths.
    pub(super) fn new(bytes: Vec<u8>, lengths: &[u64]) -> Self {
        let hash = |length: &u64| {
            let end = usize::try_from(*length).unwrap_or(usize::MAX).min(bytes.len());
            (*length, sha256(&bytes[..end]))
        };
        let hashes = lengths.iter().map(hash).collect();
        Self { bytes, hashes }
    }

    /// A piece from its front as the body of a request.
    pub(super) fn payload(&self, length: u64) -> Payload<'_> {
        let hash = self.hashes.iter().find(|(own, _)| *own == length);
        Payload { bytes: length, sha256: hash.map_or("", |(_, hash)| hash.as_str()) }
    }
}

/// The store, and what of it is ours.
#[derive(Debug)]
pub(super) struct Store {
    pub(super) server: Server,
    pub(super) bucket: Bucket,
    pub(super) builder: RequestBuilder,
    /// What the names of all our objects begin with.
    pub(super) run: String,
    pub(super) content: Content,
    /// Connections when objects are made ready or removed.
    pub(super) connections: u64,
    /// Whether objects are put in parts.
    pub(super) has_parts: bool,
    /// Whether several runs use the same objects, of which nobody knows which is the last.
    pub(super) is_searched: bool,
    /// Objects 0 to this one, less one, may be there.
    pub(super) used: AtomicU64,
    /// Uploads of parts that are not complete: the object of each.
    pub(super) uploads: Mutex<BTreeMap<String, String>>,
    /// Whether all was removed.
    pub(super) is_clean: AtomicBool,
    pub(super) seen: Mutex<Seen>,
}

impl Store {
    /// What object `number` is called.
    pub(super) fn key(&self, number: u64) -> String {
        format!("{}{number:08}", self.run)
    }

    /// What the object is called by which the store is tried.
    fn tried_key(&self) -> String {
        format!("{}try", self.run)
    }

    /// Puts objects 0 to `count`, less one, of `bytes` bytes, over several connections.
    ///
    /// # Errors
    /// If the store does not take one.
    pub(super) fn fill(&self, count: u64, bytes: u64) -> Result<(), Fault> {
        self.used.fetch_max(count, Ordering::Relaxed);
        self.is_clean.store(false, Ordering::Relaxed);
        self.each(count, &mut || Ok(()), &|asker, number| {
            let payload = self.content.payload(bytes);
            let key = self.key(number);
            asker.insist(Ask { method: "PUT", key: &key, query: "", payload: Some(payload) }).map(|_| ())
        })
    }

    /// Whether objects can be put and removed: so keys, bucket, region and clocks are told to be wrong before
    /// anything is measured, and nothing is put that cannot be removed.
    ///
    /// # Errors
    /// If not.
    pub(super) fn try_out(&self) -> Result<Head, Fault> {
        let key = self.tried_key();
        let mut asker = Asker::new(self);
        let payload = Some(self.content.payload(0));
        let (head, _) = asker.insist(Ask { method: "PUT", key: &key, query: "", payload })?;
        self.is_clean.store(false, Ordering::Relaxed);
        asker.insist(Ask { method: "DELETE", key: &key, query: "", payload: None })?;
        self.is_clean.store(true, Ordering::Relaxed);
        Ok(head)
    }

    /// Removes all that is ours. `watch` is asked all the time whether to go on.
    ///
    /// # Errors
    /// If something stays, with how to remove it.
    pub(super) fn clean(&self, watch: &mut dyn FnMut() -> Result<(), Fault>) -> Result<(), Fault> {
        let stays = |fault: Fault| match fault {
            Fault::Cancelled => fault,
            fault => Fault::Other(format!(
                "objects of this trial could not be removed, and stay below s3://{}/{}: {fault}. Remove them by hand \
                 (aws s3 rm --recursive)",
                self.bucket.name, self.run
            )),
        };
        self.abort_uploads().map_err(stays)?;
        let key = self.tried_key();
        let tried = Ask { method: "DELETE", key: &key, query: "", payload: None };
        Asker::new(self).remove(tried).map_err(stays)?;
        let used = self.used.load(Ordering::Relaxed);
        self.each(used, watch, &|asker, number| {
            let key = self.key(number);
            asker.remove(Ask { method: "DELETE", key: &key, query: "", payload: None })
        })
        .map_err(stays)?;
        self.is_clean.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Aborts uploads of parts: those that are known, and those whose names a broken connection took away.
    fn abort_uploads(&self) -> Result<(), Fault> {
        if !self.has_parts {
            return Ok(());
        }
        let mut asker = Asker::new(self);
        let query = format!("prefix={}&uploads=", encoded(&self.run, false));
        let list = Ask { method: "GET", key: "", query: &query, payload: None };
        let mut open: BTreeMap<String, String> = lock(&self.uploads).clone();
        // A key that may not list has its own account only.
        if let Ok((_, body)) = asker.insist(list) {
            let found = answer::uploads(&body).into_iter().filter(|(key, _)| key.starts_with(&self.run));
            open.extend(found.map(|(key, id)| (id, key)));
        }
        for (id, key) in open {
            let query = format!("uploadId={}", encoded(&id, false));
            asker.remove(Ask { method: "DELETE", key: &key, query: &query, payload: None })?;
            lock(&self.uploads).remove(&id);
        }
        Ok(())
    }

    /// Does something with each number below `count`, over several connections at once, until one fails.
    fn each(
        &self,
        count: u64,
        watch: &mut dyn FnMut() -> Result<(), Fault>,
        act: &(dyn Fn(&mut Asker<'_>, u64) -> Result<(), Fault> + Sync),
    ) -> Result<(), Fault> {
        let (next, off, fault) = (AtomicU64::new(0), AtomicBool::new(false), Mutex::new(None));
        let work = || {
            let mut asker = Asker::new(self);
            while !off.load(Ordering::Relaxed) {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= count {
                    return;
                }
                if let Err(why) = act(&mut asker, number) {
                    lock(&fault).get_or_insert(why);
                    off.store(true, Ordering::Relaxed);
                }
            }
        };
        std::thread::scope(|scope| {
            let most = self.connections.min(count);
            let mut threads = Vec::new();
            for _ in 0..most {
                match std::thread::Builder::new().name("objects".to_owned()).spawn_scoped(scope, work) {
                    Ok(thread) => threads.push(thread),
                    // Those that are there do all of it.
                    Err(_) if !threads.is_empty() => break,
                    Err(e) => return Err(Fault::system("starting a thread", e)),
                }
            }
            while threads.iter().any(|thread| !thread.is_finished()) {
                if let Err(why) = watch() {
                    lock(&fault).get_or_insert(why);
                    off.store(true, Ordering::Relaxed);
                }
                std::thread::sleep(if count < 100 { LOOK / 50 } else { LOOK });
            }
            Ok(())
        })?;
        fault.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner).map_or(Ok(()), Err)
    }
}

/// The head of an answer, and its body.
type Answered = (Head, Vec<u8>);

/// One request at a time, over a connection that is kept.
#[derive(Debug)]
struct Asker<'a> {
    store: &'a Store,
    builder: RequestBuilder,
    stream: Option<Stream>,
}

impl<'a> Asker<'a> {
    fn new(store: &'a Store) -> Self {
        Self { store, builder: store.builder.clone(), stream: None }
    }

    /// The answer to `ask`, which is asked again while the store refuses it for a moment.
    fn insist(&mut self, ask: Ask<'_>) -> Result<Answered, Fault> {
        match self.tried(ask)? {
            Ok(answer) => Ok(answer),
            Err(refusal) => Err(self.refused(ask, &refusal)),
        }
    }

    /// The same of what is to be away: that it is none is no failure.
    fn remove(&mut self, ask: Ask<'_>) -> Result<(), Fault> {
        match self.tried(ask)? {
            Err(refusal) if refusal.status != 404 => Err(self.refused(ask, &refusal)),
            _ => Ok(()),
        }
    }

    fn refused(&self, ask: Ask<'_>, refusal: &Refusal) -> Fault {
        let (at, bucket) = (&self.store.server.url.authority, &self.store.bucket.name);
        let explained = refusal.explained(bucket);
        Fault::Other(format!("{at} answers {} of s3://{bucket}/{} with {explained}", ask.method, ask.key))
    }

    /// What the store says, where the connection lets it say something.
    fn tried(&mut self, ask: Ask<'_>) -> Result<Result<Answered, Refusal>, Fault> {
        let mut pause = PAUSE;
        for _ in 1..TRIES {
            let (head, body) = self.ask(ask)?;
            match Refusal::of(head.status, &body) {
                None => return Ok(Ok((head, body))),
                Some(refusal) if refusal.is_passing() => std::thread::sleep(pause),
                Some(refusal) => return Ok(Err(refusal)),
            }
            pause *= 2;
        }
        let (head, body) = self.ask(ask)?;
        Ok(Refusal::of(head.status, &body).map_or(Ok((head, body)), Err))
    }

    /// The answer, over a new connection if the one that was kept is closed.
    fn ask(&mut self, ask: Ask<'_>) -> Result<Answered, Fault> {
        if let Some(stream) = self.stream.take() {
            match self.over(stream, ask) {
                Err(Unanswered::Closed(_)) => {}
                other => return Ok(other?),
            }
        }
        let stream = self.store.server.connect()?;
        Ok(self.over(stream, ask)?)
    }

    fn over(&mut self, mut stream: Stream, ask: Ask<'_>) -> Result<Answered, Unanswered> {
        let Self { store, builder, .. } = self;
        let server = &store.server;
        let mut message = builder.head(ask);
        let bytes = ask.payload.map_or(0, |payload| payload.bytes);
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX).min(store.content.bytes.len());
        message.extend_from_slice(&store.content.bytes[..bytes]);
        let sent = dialog::send(server, &mut stream, &message);
        let is_sent = sent.is_ok();
        // A store that refuses a request may answer before it has all of it, and go away.
        let answer = match (dialog::hear(server, &mut stream, false), sent) {
            (Ok(answer), _) => answer,
            (Err(_), Err(why)) | (Err(why), Ok(())) => return Err(why),
        };
        let (head, body, is_whole) = rest(server, &mut stream, answer)?;
        if is_sent && is_whole && head.keeps {
            self.stream = Some(stream);
        }
        Ok((head, body))
    }
}

/// The whole of an answer, and whether the connection stands after it.
fn rest(server: &Server, stream: &mut Stream, answer: Answer) -> Result<(Head, Vec<u8>, bool), Unanswered> {
    const DOING: &str = "while it answered";
    let Answer { mut reader, mut body } = answer;
    let patience_ns = server.patience.as_nanos() as u64;
    let mut room = [0; ROOM];
    while !reader.is_done() {
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
