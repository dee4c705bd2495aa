//! One stream: fetches the url over a connection that it keeps while the server does.

use std::fs::File;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use engine::clock;
use engine::drive::WorkerContext;
use engine::fault::Fault;
use engine::queue::{Completion, Operation, Queue, UNRECORDED, Wait};
use model::{FactName, Value};
use sha2::{Digest, Sha256};

use crate::workload::http::client::Server;
use crate::workload::http::dialog::Unanswered;
use crate::workload::http::download::DOWNLOADING;
use crate::workload::http::download::exchange::{Exchange, Received, Receiving};
use crate::workload::http::download::sink::{Sink, SinkOptions};
use crate::workload::http::download::spent::Spent;
use crate::workload::http::peer::PeerServer;
use crate::workload::http::response::Head;

/// The classes of its operations, by their place among those of the load.
pub(super) const RECEIVED: u8 = 0;
pub(super) const BEGAN: u8 = 1;

/// So long a call waits before the worker looks around, ns.
const LOOK_NS: u64 = 100_000_000;

/// What all streams fetch, and how.
#[derive(Debug)]
pub(super) struct Fetch<E: Exchange> {
    pub(super) server: Server,
    /// The way to it, where it is the other end of the load.
    pub(super) peer: Option<PeerServer>,
    pub(super) request: E::Request,
    pub(super) sink: SinkOptions,
    /// Whether each stream fetches once.
    pub(super) once: bool,
    pub(super) syncs: bool,
    pub(super) checksum: Option<[u8; 32]>,
    /// Bytes of the content, as the first answer says it beforehand.
    pub(super) length: OnceLock<u64>,
    /// The files of streams that have ended.
    pub(super) files: Mutex<Vec<(File, u64)>>,
    pub(super) spent: Spent,
    /// Connections that they made, and checksums that were compared.
    pub(super) connections: AtomicU64,
    pub(super) compared: AtomicU64,
}

impl<E: Exchange> Fetch<E> {
    /// A connection of worker `worker`.
    fn connect(&self, worker: usize) -> Result<E, Fault> {
        let stream = match &self.peer {
            Some(peer) => peer.connect(worker)?,
            None => self.server.connect()?,
        };
        E::over(&self.server, stream, self.sink.buffer)
    }
}

/// The worker.
#[derive(Debug)]
pub(super) struct Fetching<E: Exchange> {
    fetch: Arc<Fetch<E>>,
    worker: usize,
    connection: Option<E>,
    /// Whether this connection has answered before.
    has_answered: bool,
    sink: Sink,
    /// Whether a head was asked for and is not there.
    is_awaited: bool,
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

impl<E: Exchange> Fetching<E> {
    pub(super) fn new(fetch: Arc<Fetch<E>>, worker: usize) -> Result<Self, Fault> {
        let sink = Sink::new(fetch.sink.clone())?;
        let connection = Some(fetch.connect(worker)?);
        Ok(Self {
            fetch,
            worker,
            connection,
            has_answered: false,
            sink,
            is_awaited: false,
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
        loop {
            let connection = match &mut self.connection {
                Some(connection) => connection,
                none => {
                    self.connections += 1;
                    none.insert(self.fetch.connect(self.worker)?)
                }
            };
            match connection.ask(&self.fetch.server, &self.fetch.request) {
                Ok(()) => break,
                Err(why) => self.let_go(why)?,
            }
        }
        self.is_awaited = true;
        Ok(())
    }

    /// Lets the connection go if the request is to go over a new one. The fault of anything else.
    #[cold]
    fn let_go(&mut self, why: Unanswered) -> Result<(), Fault> {
        match why {
            Unanswered::Closed(_) if self.fetch.server.asks_again(self.has_answered) => {
                (self.connection, self.has_answered) = (None, false);
                Ok(())
            }
            why => Err(why.into()),
        }
    }

    /// Takes what is there of the head, or waits a moment for it; whether it is whole.
    #[cold]
    fn await_head(&mut self) -> Result<bool, Fault> {
        let Some(connection) = &mut self.connection else { return Ok(false) };
        match connection.listen(&self.fetch.server) {
            Ok(Some(head)) => {
                self.is_awaited = false;
                self.begin(&head).map(|()| true)
            }
            Ok(None) => self.rest("when it was to answer").map(|()| false),
            Err(why) => {
                self.let_go(why)?;
                self.ask().map(|()| false)
            }
        }
    }

    /// The content behind `head` begins.
    fn begin(&mut self, head: &Head) -> Result<(), Fault> {
        if !head.is_success() {
            return Err(Fault::Other(format!(
                "{} answers {} to GET {}",
                self.fetch.server.url.authority,
                head.status,
                self.fetch.server.url.shown_path()
            )));
        }
        if let Some(length) = head.length {
            self.fetch.length.get_or_init(|| length);
        }
        self.sink.begin(head.length)?;
        self.digest = Sha256::new();
        (self.is_under_way, self.got, self.has_answered, self.silent_ns) = (true, 0, true, 0);
        // An answer without content ends with its head.
        if self.connection.as_ref().is_some_and(Exchange::is_whole) { self.end() } else { Ok(()) }
    }

    /// One call that receives. None if nothing is there yet.
    #[inline]
    fn receive(&mut self) -> Result<Option<Received>, Fault> {
        let Some(connection) = &mut self.connection else {
            return Ok(Some(Received { bytes: 0, is_whole: true }));
        };
        let digest = self.fetch.checksum.is_some().then_some(&mut self.digest);
        let (server, sink) = (&self.fetch.server, &mut self.sink);
        connection.receive(Receiving { server, sink, digest, got: self.got })
    }

    /// All of the content came.
    #[cold]
    fn end(&mut self) -> Result<(), Fault> {
        self.sink.end()?;
        self.is_under_way = false;
        self.longest = self.longest.max(self.got);
        if !self.connection.as_ref().is_some_and(Exchange::keeps) {
            (self.connection, self.has_answered) = (None, false);
        }
        if let Some(wanted) = &self.fetch.checksum {
            self.fetch.compared.fetch_add(1, Ordering::Relaxed);
            let found: [u8; 32] = std::mem::take(&mut self.digest).finalize().into();
            if found != *wanted {
                let hex: String = found.iter().map(|byte| format!("{byte:02x}")).collect();
                self.wrong = Some(format!(
                    "the checksum of what {} sent is sha256:{hex}",
                    self.fetch.server.url.shown()
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
        let has_come = match &self.connection {
            // The ring takes what comes, and nobody else sees it.
            _ if self.sink.is_receiving() => self.sink.wait(now_ns + LOOK_NS)?,
            Some(connection) => connection.wait(now_ns + LOOK_NS)?,
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

impl<E: Exchange> Queue for Fetching<E> {
    fn start(&mut self, slot: usize, _operation: Operation) -> Result<(), Fault> {
        if !self.is_under_way {
            return self.ask();
        }
        let Received { bytes, is_whole } = match self.receive()? {
            Some(received) => received,
            None => {
                self.rest(DOWNLOADING)?;
                // What came meanwhile is the next call's.
                match self.receive()? {
                    Some(received) => received,
                    None => {
                        self.finished = Some(Completion { slot, class: UNRECORDED, ..Completion::default() });
                        return Ok(());
                    }
                }
            }
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
        if self.is_awaited && self.await_head()? {
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
        if let (Some(_), Some(connection)) = (&self.fetch.peer, &self.connection) {
            // The other end may go, before a device takes its time.
            connection.shutdown();
        }
        self.longest = self.longest.max(self.got);
        self.fetch.connections.fetch_add(std::mem::take(&mut self.connections), Ordering::Relaxed);
        self.sink.settle()?;
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

    fn buffers(&self) -> Vec<std::ops::Range<*const u8>> {
        self.sink.buffers()
    }

    fn facts(&self) -> Vec<(FactName, Value)> {
        self.connection.as_ref().map(Exchange::facts).unwrap_or_default()
    }
}
