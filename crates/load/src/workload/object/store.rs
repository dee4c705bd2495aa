//! The store that is measured: what trials put there, and how that is taken away again. All of it is below a
//! random name; nothing else in the bucket is touched.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use engine::fault::Fault;
use engine::lock;

use crate::workload::http::client::Server;
use crate::workload::http::response::Head;
use crate::workload::http::tally::Tally;
use crate::workload::object::answer::{self, Refusal, UploadMarker};
use crate::workload::object::asker::Asker;
use crate::workload::object::begun::{Record, RemovalProgress};
use crate::workload::object::bucket::{Ask, Bucket, Payload, RequestBuilder, encoded};
use crate::workload::object::signature::sha256;

/// Pages of a list of uploads, at most: one that leads in a circle has no end.
const PAGES_MOST: usize = 1_000;

/// How often somebody who waits for others looks around.
const LOOK: Duration = Duration::from_millis(50);

/// What workers saw, once they have ended.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub(super) tally: Tally,
    /// Refusals by their codes.
    pub(super) refusals: BTreeMap<String, u64>,
    /// Operations that ended well, and those that failed.
    pub(super) done: u64,
    pub(super) failed: u64,
    /// Why the last one failed; absent where it came with another size.
    pub(super) last: Option<Refusal>,
    /// Why uploads of parts could not be listed, if they could not.
    pub(super) unlisted: Option<String>,
}

impl Seen {
    /// How many refusals there were of each code.
    pub(super) fn codes(&self) -> String {
        let each: Vec<String> =
            self.refusals.iter().map(|(code, count)| format!("{code}: {count}")).collect();
        each.join(", ")
    }
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
    /// What of it was removed since anything was put.
    pub(super) removed: Mutex<RemovalProgress>,
    /// Whether all was removed, or what stays was told.
    pub(super) is_clean: AtomicBool,
    /// In the list of what a killed run leaves.
    pub(super) record: Mutex<Option<Record>>,
    /// After this moment nothing is asked of the store any more when objects are made ready or removed, ns.
    pub(super) until_ns: AtomicU64,
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

    /// Puts objects 0 to `count`, less one, of `bytes` bytes, over several connections. `watch` is asked all
    /// the time whether to go on.
    ///
    /// # Errors
    /// If the store does not take one.
    pub(super) fn fill(
        &self,
        count: u64,
        bytes: u64,
        watch: &mut dyn FnMut() -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        self.used.fetch_max(count, Ordering::Relaxed);
        self.is_put_to();
        let put = |asker: &mut Asker<'_>, number| {
            let payload = self.content.payload(bytes);
            let key = self.key(number);
            asker.insist(Ask { method: "PUT", key: &key, query: "", payload: Some(payload) }).map(|_| ())
        };
        self.each(0..count, watch, &put).1
    }

    /// From here on there may be something to remove.
    pub(super) fn is_put_to(&self) {
        *lock(&self.removed) = RemovalProgress::default();
        self.is_clean.store(false, Ordering::Relaxed);
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
        let put = Ask { method: "PUT", key: &key, query: "", payload };
        self.is_clean.store(false, Ordering::Relaxed);
        let (head, _) = match asker.tried(put)? {
            Ok(answer) => answer,
            Err(refusal) => {
                // What is refused for good was not taken; of the rest nobody knows.
                self.is_clean.store(!refusal.is_passing(), Ordering::Relaxed);
                return Err(asker.refused(put, &refusal));
            }
        };
        asker.insist(Ask { method: "DELETE", key: &key, query: "", payload: None })?;
        self.is_clean.store(true, Ordering::Relaxed);
        Ok(head)
    }

    /// Whether any operation on objects of `bytes` bytes succeeded, or none was tried.
    ///
    /// # Errors
    /// If all failed, with why the last one did.
    pub(super) fn verdict(&self, bytes: u64) -> Result<(), Fault> {
        let seen = lock(&self.seen);
        if seen.failed == 0 || seen.done > 0 {
            return Ok(());
        }
        let (at, bucket) = (&self.server.url.authority, &self.bucket.name);
        let why = match &seen.last {
            Some(refusal) => refusal.explained(bucket),
            None => format!("objects that do not have the {bytes} bytes that were put"),
        };
        Err(Fault::Other(format!(
            "none of {} operations on s3://{bucket} succeeded. To the last one, {at} answered with {why} (errors by code: {})",
            seen.failed,
            seen.codes()
        )))
    }

    /// Removes all that is ours. `watch` is asked all the time whether to go on.
    ///
    /// # Errors
    /// If something stays, with how to remove it.
    pub(super) fn clean(&self, watch: &mut dyn FnMut() -> Result<(), Fault>) -> Result<(), Fault> {
        let removed = self.remove_all(watch);
        let record = lock(&self.record).take_if(|_| !matches!(removed, Err(Fault::Cancelled)));
        // What stays is in the list for the next run.
        match (record, &removed) {
            (Some(record), Ok(())) => record.remove(),
            (Some(mut record), Err(_)) => record.note(*lock(&self.removed)),
            (None, _) => {}
        }
        let removed = removed.map_err(|fault| match fault {
            Fault::Cancelled => fault,
            fault => Fault::Other(format!(
                "objects of this trial could not be removed and remain below s3://{}/{}: {fault}. Remove them by hand \
                 (aws s3 rm --recursive)",
                self.bucket.name, self.run
            )),
        });
        let is_cancelled = matches!(removed, Err(Fault::Cancelled));
        self.is_clean.store(!is_cancelled, Ordering::Relaxed);
        removed
    }

    /// Removes all of it; what stays is told by nobody yet.
    ///
    /// # Errors
    /// If something stays.
    pub(super) fn remove_all(&self, watch: &mut dyn FnMut() -> Result<(), Fault>) -> Result<(), Fault> {
        let aborted = self.abort_uploads(watch);
        if matches!(aborted, Err(Fault::Cancelled)) {
            return aborted;
        }
        // An upload that stays is no reason to leave the objects.
        match (aborted, self.remove_objects(watch)) {
            (Ok(()), removed) | (_, removed @ Err(Fault::Cancelled)) => removed,
            (Err(left), removed) => Err(left.and(removed)),
        }
    }

    fn remove_objects(&self, watch: &mut dyn FnMut() -> Result<(), Fault>) -> Result<(), Fault> {
        let key = self.tried_key();
        let tried = Ask { method: "DELETE", key: &key, query: "", payload: None };
        Asker::new(self).remove(tried)?;
        let remove = |asker: &mut Asker<'_>, number| {
            let key = self.key(number);
            asker.remove(Ask { method: "DELETE", key: &key, query: "", payload: None })
        };
        let from = lock(&self.removed).objects;
        let (reached, removed) = self.each(from..self.used.load(Ordering::Relaxed), watch, &remove);
        lock(&self.removed).objects = reached;
        removed
    }

    /// Aborts uploads of parts: those that are known, and those whose names a broken connection took away.
    fn abort_uploads(&self, watch: &mut dyn FnMut() -> Result<(), Fault>) -> Result<(), Fault> {
        if !self.has_parts {
            return Ok(());
        }
        let mut asker = Asker::new(self);
        let mut open: BTreeMap<String, String> = lock(&self.uploads).clone();
        let listed = self.list_uploads(&mut asker, &self.run, &mut open, watch);
        if matches!(listed, Err(Fault::Cancelled)) {
            return listed;
        }
        let aborted = self.abort(&mut asker, open, watch);
        let (Err(why), false) = (listed, matches!(aborted, Err(Fault::Cancelled))) else { return aborted };
        // A store may list those of one object only, and a key that may list none has its own account.
        match self.abort_one_by_one(&mut asker, &why, watch) {
            Err(Fault::Cancelled) => Err(Fault::Cancelled),
            others => aborted.and(others),
        }
    }

    /// Aborts these uploads, by their names and objects.
    ///
    /// # Errors
    /// If one stays, or the person asked to stop.
    fn abort(
        &self,
        asker: &mut Asker<'_>,
        open: BTreeMap<String, String>,
        watch: &mut dyn FnMut() -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let mut left = Ok(());
        for (id, key) in open {
            watch()?;
            let query = format!("uploadId={}", encoded(&id, false));
            let abort = Ask { method: "DELETE", key: &key, query: &query, payload: None };
            match asker.tried(abort)? {
                Err(refusal) if refusal.status != 404 => {
                    left = left.and(Err(asker.refused(abort, &refusal)));
                    // A store that is out of order is not asked for each of them.
                    if refusal.is_passing() {
                        break;
                    }
                }
                _ => {
                    lock(&self.uploads).remove(&id);
                }
            }
        }
        left
    }

    /// Adds our uploads of parts that the store lists of keys with this prefix, page by page.
    fn list_uploads(
        &self,
        asker: &mut Asker<'_>,
        prefix: &str,
        open: &mut BTreeMap<String, String>,
        watch: &mut dyn FnMut() -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let prefix = encoded(prefix, false);
        let mut from: Option<UploadMarker> = None;
        for _ in 0..PAGES_MOST {
            watch()?;
            let query = match &from {
                None => format!("prefix={prefix}&uploads="),
                Some(UploadMarker { key, id: None }) => {
                    format!("key-marker={}&prefix={prefix}&uploads=", encoded(key, false))
                }
                Some(UploadMarker { key, id: Some(id) }) => format!(
                    "key-marker={}&prefix={prefix}&upload-id-marker={}&uploads=",
                    encoded(key, false),
                    encoded(id, false)
                ),
            };
            let list = Ask { method: "GET", key: "", query: &query, payload: None };
            let (_, body) = asker.insist(list)?;
            let found = answer::uploads(&body).into_iter().filter(|(key, _)| key.starts_with(&self.run));
            open.extend(found.map(|(key, id)| (id, key)));
            let next = answer::next_uploads(&body);
            // A page that leads to itself leads nowhere.
            if next.is_none() || next == from {
                return Ok(());
            }
            from = next;
        }
        Err(Fault::Other(format!("its list of uploads has no end after {PAGES_MOST} pages")))
    }

    /// Lists and aborts uploads object by object. Where these cannot be listed either, it is told `why` all together
    /// could not be.
    ///
    /// # Errors
    /// If one stays, or the person asked to stop.
    fn abort_one_by_one(
        &self,
        asker: &mut Asker<'_>,
        why: &Fault,
        watch: &mut dyn FnMut() -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let mut left = Ok(());
        let from = lock(&self.removed).uploads;
        for number in from..self.used.load(Ordering::Relaxed) {
            let mut open = BTreeMap::new();
            match self.list_uploads(asker, &self.key(number), &mut open, watch) {
                Ok(()) => {}
                Err(Fault::Cancelled) => return Err(Fault::Cancelled),
                Err(_) => {
                    lock(&self.seen).unlisted = Some(why.to_string());
                    break;
                }
            }
            match self.abort(asker, open, watch) {
                Err(Fault::Cancelled) => return Err(Fault::Cancelled),
                aborted => left = left.and(aborted),
            }
            if left.is_ok() {
                lock(&self.removed).uploads = number + 1;
            }
        }
        left
    }

    /// Does something with each of these numbers, over several connections at once, until one fails. The first
    /// with which it may not be done, or the end, and why it ended before.
    fn each(
        &self,
        numbers: Range<u64>,
        watch: &mut dyn FnMut() -> Result<(), Fault>,
        act: &(dyn Fn(&mut Asker<'_>, u64) -> Result<(), Fault> + Sync),
    ) -> (u64, Result<(), Fault>) {
        let (next, failed) = (AtomicU64::new(numbers.start), AtomicU64::new(numbers.end));
        let (off, fault) = (AtomicBool::new(false), Mutex::new(None));
        let count = numbers.end.saturating_sub(numbers.start);
        let work = || {
            let mut asker = Asker::new(self);
            while !off.load(Ordering::Relaxed) {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= numbers.end {
                    return;
                }
                if let Err(why) = act(&mut asker, number) {
                    failed.fetch_min(number, Ordering::Relaxed);
                    lock(&fault).get_or_insert(why);
                    off.store(true, Ordering::Relaxed);
                }
            }
        };
        let begun = std::thread::scope(|scope| {
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
        });
        // Whatever was begun has ended.
        let reached = next.into_inner().min(failed.into_inner());
        let fault = fault.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        (reached, begun.and(fault.map_or(Ok(()), Err)))
    }
}
