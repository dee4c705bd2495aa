//! Loads on stores of objects that speak the protocol of Amazon S3: put, get, list and delete.
//!
//! Requests go over the connections of `http.requests`, in HTTP/1.1, each signed when it begins: that is part of
//! its time, as with every client.

mod answer;
mod asker;
mod begun;
mod bucket;
mod credentials;
mod exchanging;
mod own_store;
mod plan;
mod prepared;
mod signature;
mod spec;
mod store;

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use engine::fault::Fault;
use engine::outcome::LoadOutcome;
use engine::{Prepared, clock, lock};
use model::plan::Problem;
use model::profile::{Flow, FlowUnit, OperationClass, Peer, Transport, WaitsFor};
use model::trial::Window;
use model::{FactName, LoadProfile, Parameters, Value, WorkloadSpec};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::workload::common::LoadSchedule;
use crate::workload::http::client::Server;
use crate::workload::http::own_server::OwnServer;
use crate::workload::http::parameters::{self, SELF};
use crate::workload::http::tally::PARTING;
use crate::workload::http::tls::Trust;
use crate::workload::http::url::Url;
use crate::workload::http::{errors, facts};
use crate::workload::object::begun::{MARK, Record, RemovalProgress};
use crate::workload::object::bucket::{Bucket, RequestBuilder};
use crate::workload::object::credentials::Credentials;
use crate::workload::object::own_store::OwnStore;
use crate::workload::object::plan::{Act, Task};
use crate::workload::object::prepared::PreparedObjects;
use crate::workload::object::signature::Signer;
use crate::workload::object::store::{Content, Seen, Store};
use crate::workload::{HostInfo, LoadContext, Metrics, Planned, Requirements, Workload, named};

pub use crate::workload::object::answer::heard;
pub use crate::workload::object::begun::{LeftObjects, objects_left};

/// The most connections of one load, the most objects, and the most parts of one (Amazon S3 User Guide,
/// "Multipart upload limits").
const CONNECTIONS_MOST: u64 = 10_000;
const OBJECTS_MOST: u64 = 100_000;
const PARTS_MOST: u64 = 10_000;

/// The largest body of one request: 5 GiB, with AWS, and all of it is in memory.
const BODY_MOST: u64 = 5 << 30;

/// Descriptors that a trial needs beside its connections, at most.
const OTHER_FILES: u64 = 256;

/// Connections over which objects are made ready and removed, at most.
const HELPERS_MOST: u64 = 32;

/// How long what killed runs left is removed before a trial, s.
const LEFT_MOST_S: u64 = 60;

/// One of the four workloads.
#[derive(Debug)]
pub struct Object(Act);

/// `object.put`.
pub const PUT: Object = Object(Act::Put);
/// `object.get`.
pub const GET: Object = Object(Act::Get);
/// `object.list`.
pub const LIST: Object = Object(Act::List);
/// `object.delete`.
pub const DELETE: Object = Object(Act::Delete);

impl Workload for Object {
    fn spec(&self) -> &'static WorkloadSpec {
        match self.0 {
            Act::Put => &spec::PUT,
            Act::Get => &spec::GET,
            Act::List => &spec::LIST,
            Act::Delete => &spec::DELETE,
        }
    }

    fn plan(&self, parameters: &Parameters, schedule: &LoadSchedule) -> Result<Box<dyn Planned>, Problem> {
        let whole = |name| parameters.given(named(name), Parameters::integer);
        Ok(Box::new(PlannedObjects {
            schedule: schedule.clone(),
            endpoint: parameters.text(named("endpoint"))?.to_owned(),
            bucket: Bucket::parse(parameters.text(named("bucket"))?)?,
            region: parameters.text(named("region"))?.to_owned(),
            credentials: parameters.given(named("credentials"), Parameters::text)?.map(PathBuf::from),
            trust: parameters::trust(parameters)?,
            patience: parameters::patience(parameters)?,
            concurrency: parameters.integer(named("concurrency"))?,
            signs_payload: parameters.is_word(named("payload"), "signed"),
            task: Task {
                act: self.0,
                objects: parameters.integer(named("objects"))?,
                bytes: parameters.integer(named("size"))?,
                part: whole("part-size")?,
                parts_at_once: whole("parts")?.unwrap_or(1),
                page: whole("max-keys")?.unwrap_or(1),
            },
        }))
    }
}

#[derive(Debug)]
struct PlannedObjects {
    schedule: LoadSchedule,
    /// As it was given.
    endpoint: String,
    bucket: Bucket,
    region: String,
    credentials: Option<PathBuf>,
    trust: Trust,
    patience: Duration,
    concurrency: u64,
    signs_payload: bool,
    task: Task,
}

impl PlannedObjects {
    fn is_self(&self) -> bool {
        self.endpoint == SELF
    }

    /// Where the store is.
    fn url(&self) -> Result<Url, Problem> {
        let url = Url::parse(&self.endpoint)?;
        if url.path.contains('?') {
            return Err(Problem::invalid(
                "the endpoint has a query, which is no part of a store's address",
                "write it as http://host:port or https://host",
            ));
        }
        Ok(url)
    }

    /// The keys; our own store takes any.
    fn keys(&self) -> Result<Credentials, Problem> {
        if self.is_self() {
            let own = || "headroom".to_owned();
            return Ok(Credentials { key_id: own(), secret: own(), token: None });
        }
        Credentials::find(self.credentials.as_deref())
    }

    /// Bytes of the longest body.
    fn body(&self) -> u64 {
        self.task.lengths().into_iter().max().unwrap_or(0)
    }

    /// The store, with what is ours below `run`.
    fn store(&self, server: Server, builder: RequestBuilder, run: String, content: Content) -> Store {
        Store {
            builder,
            server,
            bucket: self.bucket.clone(),
            run,
            content,
            connections: self.concurrency.clamp(1, HELPERS_MOST),
            has_parts: self.task.parts() > 1,
            is_searched: self.schedule.latency_target.is_some(),
            used: AtomicU64::new(0),
            uploads: Mutex::default(),
            removed: Mutex::default(),
            is_clean: AtomicBool::new(true),
            record: Mutex::default(),
            until_ns: AtomicU64::new(u64::MAX),
            seen: Mutex::new(Seen::default()),
        }
    }

    /// What may be left if this is killed.
    fn may_leave(&self, store: &Store) -> LeftObjects {
        LeftObjects {
            endpoint: self.endpoint.clone(),
            bucket: self.bucket.name.clone(),
            below: store.run.clone(),
            objects: self.task.objects,
            has_parts: store.has_parts,
            removed: RemovalProgress::default(),
        }
    }

    /// Removes what runs that were killed left in this bucket, by the keys of this one, and tells of it. That it
    /// cannot be is no reason not to measure: it stays in the list, and no later trial of this run tries again.
    ///
    /// # Errors
    /// If the person asked to stop.
    fn remove_left(
        &self,
        state: &Path,
        own: &Store,
        given: &LoadContext<'_>,
    ) -> Result<Vec<(FactName, Value)>, Fault> {
        let (mut removed, mut stays) = (Vec::new(), Vec::new());
        let until_ns = clock::now_ns() + LEFT_MOST_S * 1_000_000_000;
        for (left, mut record) in begun::left(state) {
            if (&left.endpoint, &left.bucket) != (&self.endpoint, &self.bucket.name) {
                continue;
            }
            let note = format!("objects left below {}", left.below);
            if let Some(why) = given.fixtures.noted(&note) {
                stays.push(why);
                continue;
            }
            let (server, builder) = (own.server.clone(), own.builder.clone());
            let nothing = Content::new(Vec::new(), &[]);
            let mut store = self.store(server, builder, left.below.clone(), nothing);
            (store.has_parts, store.until_ns) = (left.has_parts, AtomicU64::new(until_ns));
            store.used.store(left.objects.min(OBJECTS_MOST), Ordering::Relaxed);
            // Of many objects each run may remove some.
            *lock(&store.removed) = left.removed;
            match store.remove_all(&mut || given.watch.look()) {
                Ok(()) => {
                    record.remove();
                    removed.push(left.below);
                }
                Err(Fault::Cancelled) => return Err(Fault::Cancelled),
                Err(fault) => {
                    record.note(*lock(&store.removed));
                    let why = format!("{} ({fault})", left.below);
                    given.fixtures.note(note, why.clone());
                    stays.push(why);
                }
            }
        }
        let fact = |name, all: Vec<String>| {
            (!all.is_empty()).then(|| (FactName::new(name), Value::Text(all.join(", "))))
        };
        let told = [fact("removed_of_killed_runs", removed), fact("left_of_killed_runs", stays)];
        Ok(told.into_iter().flatten().collect())
    }

    /// What makes no sense together.
    fn check(&self) -> Result<(), Problem> {
        let (task, threads) = (&self.task, self.schedule.threads);
        let wrong = |message: String, help: &str| Err(Problem::invalid(message, help));
        if self.concurrency < threads {
            return wrong(
                format!("{threads} threads are more than the {} operations at once", self.concurrency),
                "give a concurrency of as many, or fewer threads",
            );
        }
        let connections = self.concurrency.saturating_mul(task.width() as u64);
        if connections > CONNECTIONS_MOST {
            return wrong(
                format!("{connections} connections are more than one load may have"),
                "give a smaller concurrency, or fewer parts at once; 10000 together at most",
            );
        }
        if task.objects > OBJECTS_MOST {
            return wrong(
                format!("{} objects are more than one load may have", task.objects),
                "at most 100000",
            );
        }
        if task.act == Act::Put && task.objects < self.concurrency {
            return wrong(
                format!("{} names are too few for {} objects at once", task.objects, self.concurrency),
                "give as many objects as concurrency, or more",
            );
        }
        if task.act == Act::Delete && self.schedule.latency_target.is_some() {
            return wrong(
                "a latency-target takes many runs, and each object can be deleted only once".to_owned(),
                "leave it out",
            );
        }
        if task.act == Act::Put && task.part.is_none() && task.parts_at_once > 1 {
            return wrong("parts has no meaning without a part-size".to_owned(), "give both, or none");
        }
        if task.parts() > PARTS_MOST {
            return wrong(
                format!("{} parts are more than the {PARTS_MOST} that an object may have", task.parts()),
                "give a larger part-size",
            );
        }
        if self.body() > BODY_MOST {
            return wrong(
                "one request would have more than 5 GiB, which no store takes".to_owned(),
                "give a part-size, or a smaller size",
            );
        }
        let ends = if self.is_self() { 2 } else { 1 };
        let needed = ((connections + HELPERS_MOST) * ends)
            .saturating_add(threads.saturating_mul(PARTING as u64))
            .saturating_add(OTHER_FILES);
        let files = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
        if let Some(most) = files.filter(|most| needed > *most) {
            return Err(Problem::refused(
                format!(
                    "{connections} connections are more than the {most} files that a process may have open here"
                ),
                "give a smaller concurrency, or raise the limit first (ulimit -n)",
            ));
        }
        Ok(())
    }
}

impl Planned for PlannedObjects {
    fn survey(&mut self, _host: &HostInfo) -> Result<Requirements, Problem> {
        if !self.is_self() {
            self.url()?;
        }
        self.keys()?;
        self.check()?;
        let connections = self.concurrency.saturating_mul(self.task.width() as u64);
        let buffers = self
            .schedule
            .threads
            .saturating_mul(128 << 10)
            .saturating_add(connections.saturating_mul(32 << 10));
        let memory_bytes = self.body().saturating_add(buffers);
        Ok(Requirements { memory_bytes, ..Requirements::default() })
    }

    fn profile(&self, base: LoadProfile) -> LoadProfile {
        let mut concurrency = base.concurrency;
        concurrency.operations = self.concurrency.max(1);
        let peer = if self.is_self() { Peer::SameProgram } else { Peer::AnotherProgram };
        LoadProfile {
            flows: vec![Flow::only(OperationClass::Exchange, FlowUnit::Operations)],
            waits_for: [WaitsFor::Peer].into(),
            peer: Some(peer),
            transport: Some(Transport::Tcp),
            concurrency,
            ..base
        }
    }

    fn servers(&self) -> Vec<String> {
        let host =
            if self.is_self() { Some("127.0.0.1".to_owned()) } else { self.url().ok().map(|url| url.host) };
        host.into_iter().collect()
    }

    fn prepare(&self, given: &LoadContext<'_>) -> Result<Box<dyn Prepared>, Fault> {
        let (url, own) = if self.is_self() {
            let own = OwnServer::with(|word| Box::new(OwnStore::new(word)))?;
            (own.url(), Some(own))
        } else {
            (self.url()?, None)
        };
        let mut server = Server::find(url, &self.trust, self.patience)?;
        let mut known = facts::of(&server.reach()?);
        let mut secret = [0; 24];
        rustix::rand::getrandom(&mut secret, rustix::rand::GetRandomFlags::empty())
            .map_err(|e| Fault::system("making up a name for objects", e))?;
        let (word, seed) = secret.split_at(16);
        let word: String = word.iter().map(|byte| format!("{byte:02x}")).collect();
        let seed = seed.iter().fold(0, |seed: u64, byte| (seed << 8) | u64::from(*byte));
        let mut bytes = vec![0; self.body() as usize];
        Xoshiro256PlusPlus::seed_from_u64(seed).fill_bytes(&mut bytes);
        let signer = Signer::new(self.keys()?, &self.region);
        let builder = RequestBuilder::new(&server.url, &self.bucket, signer, self.signs_payload);
        let run = format!("{}{MARK}{word}/", self.bucket.prefix);
        let content = Content::new(bytes, &self.task.lengths());
        let store = self.store(server, builder, run, content);
        if let Some(state) = given.fixtures.state().filter(|_| !self.is_self()) {
            known.extend(self.remove_left(state, &store, given)?);
            // Without a list there is one place less where it is told.
            *lock(&store.record) = Record::write(state, &self.may_leave(&store)).ok();
        }
        known.push((
            FactName::new("objects_below"),
            Value::Text(format!("s3://{}/{}", store.bucket.name, store.run)),
        ));
        let prepared = PreparedObjects::new(store, (self.task, self.concurrency), known, own);
        // From here on, whatever is put is removed when this is dropped.
        prepared.make_ready(given.watch)
    }

    fn metrics(&self, mut metrics: Metrics, outcome: &LoadOutcome, _window: Window) -> Metrics {
        metrics.extend(errors::share(outcome));
        metrics
    }
}
