//! A worker that has several operations under way, each over connections of its own (epoll).

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use engine::drive::WorkerContext;
use engine::fault::Fault;
use engine::queue::{Completion, Operation, Queue, Wait};
use engine::schedule::WorkerIndex;
use engine::stop::REHEARSED;
use engine::{clock, lock};
use model::{FactName, Value};

use crate::workload::disk::distribution::random;
use crate::workload::http::facts;
use crate::workload::http::line::{Ended, Keeps, Line, ROOM, Shared};
use crate::workload::http::tally::Tally;
use crate::workload::http::turns::Turns;
use crate::workload::object::answer::{self, Refusal};
use crate::workload::object::bucket::{Ask, Payload, RequestBuilder, encoded};
use crate::workload::object::plan::{Act, Task};
use crate::workload::object::signature::sha256;
use crate::workload::object::store::Store;

/// A body of so many bytes goes with its head.
pub(super) const SMALL: usize = 16 << 10;

/// How far an operation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// None is under way.
    Idle,
    /// One request is all of it.
    Single,
    /// An upload of parts begins.
    Creating,
    /// Its parts are sent.
    Parts,
    Completing,
    Aborting,
}

/// An operation.
#[derive(Debug)]
struct Job {
    stage: Stage,
    /// The object.
    number: u64,
    /// What the store calls the upload.
    upload: String,
    /// What it calls each part that it has.
    tags: Vec<String>,
    /// The part that is sent next, and how many are under way.
    next: u64,
    under_way: u64,
    failed: bool,
    first_ns: u64,
}

/// What a connection is at.
#[derive(Clone, Copy, Debug)]
struct Carried {
    /// Bytes of the content that follow the request.
    content: usize,
    keeps: Keeps,
    part: u64,
}

/// The worker.
pub(super) struct Exchanging {
    store: Arc<Store>,
    task: Task,
    builder: RequestBuilder,
    worker: WorkerIndex,
    seed: u64,
    /// By slot.
    jobs: Vec<Job>,
    /// By connection; each slot has as many, next to each other.
    lines: Vec<Line>,
    messages: Vec<Vec<u8>>,
    loads: Vec<Carried>,
    turns: Turns,
    buffer: Box<[u8]>,
    tally: Tally,
    refusals: BTreeMap<String, u64>,
    /// Operations that ended well, and those that failed; why the last of these did.
    done: u64,
    failed: u64,
    last: Option<Refusal>,
}

impl std::fmt::Debug for Exchanging {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Exchanging").field("jobs", &self.jobs).finish_non_exhaustive()
    }
}

impl Exchanging {
    /// One with so many operations at once, whose connections stand when this returns.
    pub(super) fn new(
        store: Arc<Store>,
        task: Task,
        worker: WorkerIndex,
        slots: usize,
        seed: u64,
    ) -> Result<Self, Fault> {
        let connections = slots * task.width();
        let turns = Turns::new(connections, store.server.patience)?;
        let mut lines: Vec<Line> = (0..connections).map(Line::new).collect();
        let mut tally = Tally::default();
        for line in &mut lines {
            line.take(store.server.connect()?, turns.epoll())?;
            tally.connections += 1;
        }
        let job = || Job {
            stage: Stage::Idle,
            number: 0,
            upload: String::new(),
            tags: Vec::new(),
            next: 0,
            under_way: 0,
            failed: false,
            first_ns: 0,
        };
        Ok(Self {
            builder: store.builder.clone(),
            store,
            task,
            worker,
            seed,
            jobs: (0..slots).map(|_| job()).collect(),
            lines,
            messages: vec![Vec::new(); connections],
            loads: vec![Carried { content: 0, keeps: Keeps::Errors, part: 0 }; connections],
            turns,
            buffer: vec![0; ROOM].into_boxed_slice(),
            tally,
            refusals: BTreeMap::new(),
            done: 0,
            failed: 0,
            last: None,
        })
    }

    fn on<R>(
        &mut self,
        line: usize,
        now_ns: u64,
        act: impl FnOnce(&mut Line, &mut Shared<'_>) -> Result<R, Fault>,
    ) -> Result<R, Fault> {
        let Self { store, lines, messages, loads, turns, buffer, tally, .. } = self;
        let Carried { content, keeps, .. } = loads[line];
        let mut shared = Shared {
            server: &store.server,
            epoll: turns.epoll(),
            messages,
            body: &store.content.bytes[..content],
            keeps,
            head_only: false,
            keeps_alive: true,
            buffer,
            tally,
            now_ns,
        };
        act(&mut lines[line], &mut shared)
    }

    /// Sends a request over a connection, with so many bytes of the content behind it, or a text.
    fn send(&mut self, line: usize, ask: Ask<'_>, body: Body<'_>, keeps: Keeps) -> Result<(), Fault> {
        let mut message = self.builder.head(ask);
        let content = match body {
            Body::Content(bytes) if bytes > SMALL => bytes,
            Body::Content(bytes) => {
                message.extend_from_slice(&self.store.content.bytes[..bytes]);
                0
            }
            Body::Text(text) => {
                message.extend_from_slice(text.as_bytes());
                0
            }
        };
        self.messages[line] = message;
        (self.loads[line].content, self.loads[line].keeps) = (content, keeps);
        self.on(line, 0, |own, shared| own.begin(line, shared))
    }

    /// Begins operation `index` in a slot.
    fn begin(&mut self, slot: usize, index: u64) -> Result<(), Fault> {
        let Task { act, objects, bytes, page, .. } = self.task;
        let line = slot * self.task.width();
        let number = match act {
            Act::Put => (index & !REHEARSED) % objects,
            Act::Get | Act::List => random(self.seed, index) % objects,
            Act::Delete if index < objects => index,
            Act::Delete => {
                return Err(Fault::Other(format!(
                    "all {objects} objects were deleted before the time was over: give more objects, or until=end"
                )));
            }
        };
        let job = &mut self.jobs[slot];
        (job.number, job.failed, job.first_ns, job.stage) = (number, false, 0, Stage::Single);
        let store = Arc::clone(&self.store);
        let key = store.key(number);
        let nothing = Body::Text("");
        match act {
            Act::Put => {
                store.used.fetch_max(number + 1, Ordering::Relaxed);
                if self.task.parts() > 1 {
                    self.jobs[slot].stage = Stage::Creating;
                    let ask = Ask { method: "POST", key: &key, query: "uploads=", payload: None };
                    return self.send(line, ask, nothing, Keeps::All);
                }
                let payload = Some(store.content.payload(bytes));
                let ask = Ask { method: "PUT", key: &key, query: "", payload };
                self.send(line, ask, Body::Content(bytes as usize), Keeps::Errors)
            }
            Act::Get => {
                let ask = Ask { method: "GET", key: &key, query: "", payload: None };
                self.send(line, ask, nothing, Keeps::Errors)
            }
            Act::List => {
                let (prefix, after) = (encoded(&store.run, false), encoded(&key, false));
                let query = format!("list-type=2&max-keys={page}&prefix={prefix}&start-after={after}");
                let ask = Ask { method: "GET", key: "", query: &query, payload: None };
                self.send(line, ask, nothing, Keeps::Errors)
            }
            Act::Delete => {
                let ask = Ask { method: "DELETE", key: &key, query: "", payload: None };
                self.send(line, ask, nothing, Keeps::Errors)
            }
        }
    }

    /// Sends the next part of an object over a connection.
    fn send_part(&mut self, slot: usize, line: usize) -> Result<(), Fault> {
        let store = Arc::clone(&self.store);
        let job = &mut self.jobs[slot];
        let part = job.next;
        job.next += 1;
        job.under_way += 1;
        let (key, upload) = (store.key(job.number), encoded(&job.upload, false));
        self.loads[line].part = part;
        let bytes = self.task.part_bytes(part);
        let query = format!("partNumber={}&uploadId={upload}", part + 1);
        let ask =
            Ask { method: "PUT", key: &key, query: &query, payload: Some(store.content.payload(bytes)) };
        self.send(line, ask, Body::Content(bytes as usize), Keeps::Errors)
    }

    /// Completes an upload of parts, or aborts one that failed.
    fn close_upload(&mut self, slot: usize) -> Result<(), Fault> {
        let line = slot * self.task.width();
        let job = &mut self.jobs[slot];
        let key = self.store.key(job.number);
        let query = format!("uploadId={}", encoded(&job.upload, false));
        if job.failed {
            job.stage = Stage::Aborting;
            let ask = Ask { method: "DELETE", key: &key, query: &query, payload: None };
            return self.send(line, ask, Body::Text(""), Keeps::Errors);
        }
        job.stage = Stage::Completing;
        let text = answer::completion(&job.tags);
        let hash = sha256(text.as_bytes());
        let payload = Some(Payload { bytes: text.len() as u64, sha256: &hash });
        let ask = Ask { method: "POST", key: &key, query: &query, payload };
        self.send(line, ask, Body::Text(&text), Keeps::All)
    }

    /// Goes on with the operation whose request over a connection ended so; the operation, if it ended too.
    fn advance(&mut self, line: usize, ended: Ended) -> Result<Option<Completion>, Fault> {
        let slot = line / self.task.width();
        let stage = self.jobs[slot].stage;
        let is_ok = self.is_ok(line, stage, ended);
        let job = &mut self.jobs[slot];
        job.first_ns = ended.first_ns;
        match stage {
            Stage::Idle => Ok(None),
            Stage::Single => Ok(Some(self.complete(slot, is_ok))),
            Stage::Creating => {
                let upload = answer::text(self.lines[line].kept(), "UploadId").filter(|_| is_ok);
                let Some(upload) = upload else { return Ok(Some(self.complete(slot, false))) };
                lock(&self.store.uploads).insert(upload.clone(), self.store.key(job.number));
                let parts = self.task.parts();
                (job.stage, job.upload, job.next, job.under_way) = (Stage::Parts, upload, 0, 0);
                job.tags.clear();
                job.tags.resize(parts as usize, String::new());
                for beside in 0..self.task.width().min(parts as usize) {
                    self.send_part(slot, line + beside)?;
                }
                Ok(None)
            }
            Stage::Parts => {
                let part = self.loads[line].part as usize;
                job.under_way -= 1;
                match self.lines[line].head().etag.clone().filter(|_| is_ok) {
                    Some(tag) => job.tags[part] = tag,
                    None => job.failed = true,
                }
                if !job.failed && job.next < self.task.parts() {
                    self.send_part(slot, line)?;
                } else if job.under_way == 0 {
                    self.close_upload(slot)?;
                }
                Ok(None)
            }
            Stage::Completing if !is_ok => {
                job.failed = true;
                self.close_upload(slot).map(|()| None)
            }
            Stage::Completing | Stage::Aborting => {
                if is_ok {
                    lock(&self.store.uploads).remove(&job.upload);
                }
                let is_whole = stage == Stage::Completing;
                Ok(Some(self.complete(slot, is_whole)))
            }
        }
    }

    /// Whether a request did what it was to do; what the store says instead is counted.
    fn is_ok(&mut self, line: usize, stage: Stage, ended: Ended) -> bool {
        let has_size = || self.task.act != Act::Get || ended.bytes == self.task.bytes;
        if (200..300).contains(&ended.status) && stage != Stage::Completing && has_size() {
            return true;
        }
        let refusal = self.builder.refusal(ended.status, self.lines[line].kept());
        let name = match &refusal {
            Some(refusal) => refusal.name(),
            None if has_size() => return true,
            None => "another size".to_owned(),
        };
        // What goes wrong when a failed upload is aborted is not why it failed.
        if stage != Stage::Aborting {
            self.last = refusal;
        }
        *self.refusals.entry(name).or_default() += 1;
        false
    }

    /// The operation of a slot ended.
    fn complete(&mut self, slot: usize, is_ok: bool) -> Completion {
        *if is_ok { &mut self.done } else { &mut self.failed } += 1;
        let job = &mut self.jobs[slot];
        job.stage = Stage::Idle;
        let moves = matches!(self.task.act, Act::Put | Act::Get) && is_ok;
        let bytes = if moves { self.task.bytes } else { 0 };
        Completion { slot, bytes, class: u8::from(!is_ok), handed_ns: job.first_ns }
    }
}

/// What follows the head of a request.
#[derive(Clone, Copy, Debug)]
enum Body<'a> {
    /// So many bytes of the content.
    Content(usize),
    Text(&'a str),
}

impl Queue for Exchanging {
    fn depth(&self) -> usize {
        self.jobs.len()
    }

    fn start(&mut self, slot: usize, operation: Operation) -> Result<(), Fault> {
        self.begin(slot, operation.index)
    }

    /// Goes on with connections that can, up to the first whose operation ends.
    fn reap(&mut self, wait: Wait, done: &mut Vec<Completion>) -> Result<(), Fault> {
        self.turns.ask(wait, &self.store.server, &mut self.lines)?;
        while let Some(line) = self.turns.take() {
            let ended = self.on(line, clock::now_ns(), Line::go_on)?;
            if self.lines[line].has_more() {
                self.turns.add(line);
            }
            let Some(ended) = ended else { continue };
            if let Some(completion) = self.advance(line, ended)? {
                done.push(completion);
                return Ok(());
            }
        }
        Ok(())
    }

    /// Of deletions: each object once.
    fn operations_to_end(&self) -> Option<u64> {
        let (index, of) = (self.worker.index as u64, self.worker.of.max(1) as u64);
        let objects = self.task.objects;
        (self.task.act == Act::Delete).then(|| objects / of + u64::from(index < objects % of))
    }

    fn settle(&mut self) -> Result<bool, Fault> {
        let mut seen = lock(&self.store.seen);
        seen.tally.add(std::mem::take(&mut self.tally));
        for (name, count) in std::mem::take(&mut self.refusals) {
            *seen.refusals.entry(name).or_default() += count;
        }
        seen.done += std::mem::take(&mut self.done);
        seen.failed += std::mem::take(&mut self.failed);
        seen.last = self.last.take().or(seen.last.take());
        Ok(false)
    }

    /// The first worker removes what all have put: none works any more.
    fn verify(&mut self, life: &WorkerContext<'_>) -> Result<(), Fault> {
        if self.worker.index > 0 || self.store.is_searched {
            return Ok(());
        }
        match self.store.clean(&mut || life.beat()) {
            // What stays may be a consequence of why all failed, which is said first.
            Err(left) if !matches!(left, Fault::Cancelled) => match self.store.verdict(self.task.bytes) {
                Ok(()) => Err(left),
                Err(why) => Err(why.and(Err(left))),
            },
            cleaned => cleaned,
        }
    }

    fn facts(&self) -> Vec<(FactName, Value)> {
        self.lines.iter().find_map(Line::stream).map(facts::of).unwrap_or_default()
    }
}
