//! Loads on stores of objects that speak the protocol of Amazon S3: put, get, list and delete.
//!
//! Requests go over the connections of `http.requests`, in HTTP/1.1, each signed when it begins: that is part of
//! its time, as with every client.

mod answer;
mod bucket;
mod credentials;
mod exchanging;
mod own_store;
mod plan;
mod signature;
mod spec;
mod store;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use engine::fault::Fault;
use engine::lock;
use engine::outcome::LoadOutcome;
use engine::queue::Class;
use engine::schedule::WorkerIndex;
use engine::{Prepared, Worker};
use model::plan::Problem;
use model::profile::{Flow, FlowUnit, OperationClass, Peer, Transport, WaitsFor};
use model::trial::Window;
use model::{FactName, LoadProfile, MetricName, Parameters, Value, WorkloadSpec};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::workload::common::LoadSchedule;
use crate::workload::http::client::Server;
use crate::workload::http::own_server::OwnServer;
use crate::workload::http::parameters::{self, SELF};
use crate::workload::http::response::Head;
use crate::workload::http::tally::PARTING;
use crate::workload::http::tls::Trust;
use crate::workload::http::url::Url;
use crate::workload::http::{errors, facts};
use crate::workload::object::bucket::{Bucket, RequestBuilder};
use crate::workload::object::credentials::Credentials;
use crate::workload::object::exchanging::Exchanging;
use crate::workload::object::own_store::OwnStore;
use crate::workload::object::plan::{Act, Task};
use crate::workload::object::signature::Signer;
use crate::workload::object::store::{Content, Seen, Store};
use crate::workload::{HostInfo, LoadContext, Metrics, Planned, Requirements, Watch, Workload, named};

/// What becomes of operations: answers that are none of success are no operations.
const CLASSES: &[Class] = &[
    Class { name: "answer", counts: true, fails: false },
    Class { name: errors::CLASS, counts: false, fails: true },
];

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
        let store = Store {
            builder: RequestBuilder::new(&server.url, &self.bucket, signer, self.signs_payload),
            server,
            bucket: self.bucket.clone(),
            run: format!("{}headroom-{word}/", self.bucket.prefix),
            content: Content::new(bytes, &self.task.lengths()),
            connections: self.concurrency.clamp(1, HELPERS_MOST),
            has_parts: self.task.parts() > 1,
            is_searched: self.schedule.latency_target.is_some(),
            used: AtomicU64::new(0),
            uploads: Mutex::default(),
            is_clean: AtomicBool::new(true),
            seen: Mutex::new(Seen::default()),
        };
        known.push((
            FactName::new("objects_below"),
            Value::Text(format!("s3://{}/{}", store.bucket.name, store.run)),
        ));
        let prepared = PreparedObjects {
            store: Arc::new(store),
            task: self.task,
            concurrency: self.concurrency,
            known,
            _own: own,
        };
        // From here on, whatever is put is removed when this is dropped.
        prepared.make_ready(given.watch)
    }

    fn metrics(&self, mut metrics: Metrics, outcome: &LoadOutcome, _window: Window) -> Metrics {
        metrics.extend(errors::share(outcome));
        metrics
    }
}

#[derive(Debug)]
struct PreparedObjects {
    store: Arc<Store>,
    task: Task,
    concurrency: u64,
    known: Vec<(FactName, Value)>,
    /// Answers as long as this is there.
    _own: Option<OwnServer>,
}

impl PreparedObjects {
    /// Tries the store, and puts what is to be there.
    fn make_ready(mut self, watch: Watch<'_>) -> Result<Box<dyn Prepared>, Fault> {
        match self.fill(watch) {
            Ok(head) => {
                self.known.extend(facts::of_server(&head));
                Ok(Box::new(self))
            }
            Err(fault) => {
                // That it was ended is no reason to leave anything.
                let beat = || drop(watch.look());
                Err(fault.and(self.clean_up(&beat)))
            }
        }
    }

    fn fill(&self, watch: Watch<'_>) -> Result<Head, Fault> {
        let head = self.store.try_out()?;
        if self.task.act != Act::Put {
            self.store.fill(self.task.objects, self.task.bytes, &mut || watch.look())?;
        }
        Ok(head)
    }
}

impl Drop for PreparedObjects {
    /// Where nobody cleaned up, there is nobody either to be told what stays; its name begins with
    /// `headroom-`.
    fn drop(&mut self) {
        let _ = self.clean_up(&|| ());
    }
}

impl Prepared for PreparedObjects {
    fn classes(&self) -> &'static [Class] {
        CLASSES
    }

    fn stages(&self) -> Option<[MetricName; 2]> {
        Some([MetricName::new("first_byte"), MetricName::new("rest")])
    }

    /// A warm-up would use the objects up.
    fn counts_from_start(&self) -> bool {
        self.task.act == Act::Delete
    }

    fn facts(&self) -> Vec<(FactName, Value)> {
        self.known.clone()
    }

    fn facts_after(&self, _outcome: &LoadOutcome) -> Vec<(FactName, Value)> {
        let seen = lock(&self.store.seen);
        let mut facts = seen.tally.facts();
        if !seen.refusals.is_empty() {
            facts.push((FactName::new("error_codes"), Value::Text(seen.codes())));
        }
        let unlisted = seen.unlisted.clone().map(Value::Text);
        facts.extend(unlisted.map(|why| (FactName::new("uploads_not_listed"), why)));
        facts
    }

    fn verdict(&self) -> Result<(), Fault> {
        self.store.verdict(self.task.bytes)
    }

    fn clean_up(&self, beat: &dyn Fn()) -> Result<(), Fault> {
        if self.store.is_clean.load(Ordering::Relaxed) {
            return Ok(());
        }
        self.store.clean(&mut || {
            beat();
            Ok(())
        })
    }

    fn worker(&self, worker: WorkerIndex, seed: u64) -> Result<Box<dyn Worker>, Fault> {
        let (index, of) = (worker.index as u64, worker.of.max(1) as u64);
        let own = self.concurrency / of + u64::from(index < self.concurrency % of);
        let (store, slots) = (Arc::clone(&self.store), own.max(1) as usize);
        store.is_clean.store(false, Ordering::Relaxed);
        Ok(Box::new(Exchanging::new(store, self.task, worker, slots, seed)?))
    }
}
