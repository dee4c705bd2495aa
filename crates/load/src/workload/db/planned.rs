//! A load on a server, planned: whichever load, and whichever system.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use engine::fault::Fault;
use engine::outcome::LoadOutcome;
use engine::queue::Class;
use engine::schedule::WorkerIndex;
use engine::{Prepared, SideMetrics, Worker};
use model::plan::{Effect, FixtureKey, Problem};
use model::profile::{ClassName, Flow, FlowUnit, OperationClass, Peer, Transport, WaitsFor};
use model::scalar::nanoseconds;
use model::trial::Window;
use model::{FactName, LoadProfile, Parameters, Value};

use crate::workload::common::LoadSchedule;
use crate::workload::db::connect_times::ConnectTimes;
use crate::workload::db::counts::AllCounts;
use crate::workload::db::metrics;
use crate::workload::db::remote::{self, RemoteSystem, WorkerClients};
use crate::workload::db::remote_fixture::{self, RemoteDatabase};
use crate::workload::db::sbtest::Sbtest;
use crate::workload::db::server::home::ServerHome;
use crate::workload::db::transaction::TransactionMix;
use crate::workload::db::wire::DatabaseServer;
use crate::workload::db::wire::connect::{trust, trusts_sent_key};
use crate::workload::db::wire::multiplexed::MultiplexedLoad;
use crate::workload::{HostInfo, LoadContext, Metrics, Planned, Requirements, named};

/// The most clients of one load.
pub(in crate::workload) const CLIENTS_MOST: u64 = 1024;

/// Bytes of the counts of one class of operations in the few records of a worker.
pub(in crate::workload) const CLASS_BYTES: u64 = 1 << 19;

/// Bytes that a worker takes for what it receives, and a client for its connection.
const WORKER_BYTES: u64 = 1 << 17;
const CLIENT_BYTES: u64 = 1 << 14;

/// Files that a process has open beside its connections.
const OTHER_FILES: u64 = 64;

/// Where a load on a server works, and with how many clients.
#[derive(Clone, Debug)]
pub(in crate::workload) struct ServerOptions {
    pub(in crate::workload) home: ServerHome,
    pub(in crate::workload) threads: u64,
    pub(in crate::workload) clients: u64,
    pub(in crate::workload) prepares: bool,
    /// Whether tables of the load's names that are there already are removed.
    pub(in crate::workload) recreates: bool,
    /// How long a statement waits for a lock, and a transaction is begun again.
    pub(in crate::workload) timeout: Duration,
}

impl ServerOptions {
    /// What `parameters` say; `home` is what some of them mean.
    ///
    /// # Errors
    /// If one is missing.
    pub(in crate::workload) fn of(
        parameters: &Parameters,
        schedule: &LoadSchedule,
        home: ServerHome,
    ) -> Result<Self, Problem> {
        let seconds = parameters.number(named("timeout"))?;
        Ok(Self {
            home,
            threads: schedule.threads,
            clients: parameters.integer(named("clients"))?,
            prepares: parameters.flag(named("prepared"))?,
            recreates: parameters.flag(named("recreate"))?,
            timeout: Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX),
        })
    }
}

/// What is done there.
#[derive(Clone, Debug)]
pub(in crate::workload) struct ServerLoad {
    pub(in crate::workload) mix: Arc<TransactionMix>,
    pub(in crate::workload) classes: &'static [Class],
    /// The tables, and what is left of them.
    pub(in crate::workload) data: Sbtest,
    pub(in crate::workload) effect: Effect,
}

/// The plan.
#[derive(Clone, Debug)]
pub(in crate::workload) struct PlannedServer {
    options: ServerOptions,
    load: ServerLoad,
}

impl PlannedServer {
    /// That of `load` at a server.
    pub(in crate::workload) fn new(options: ServerOptions, load: ServerLoad) -> Self {
        Self { options, load }
    }

    fn system(&self) -> Result<&'static dyn RemoteSystem, Problem> {
        let system = self.options.home.url.system;
        remote::system(system).ok_or_else(|| {
            Problem::invalid(
                format!("servers of `{}` are not spoken to yet", system.scheme()),
                "name another database",
            )
        })
    }

    /// The tables that it works on.
    fn database(&self) -> FixtureKey {
        let ServerOptions { home, recreates, .. } = &self.options;
        let used_up = self.load.effect == Effect::UsedUp;
        FixtureKey { used_up, ..remote_fixture::key(home, self.load.data, *recreates) }
    }

    /// What makes no sense together, or is too much for this machine.
    fn check(&self) -> Result<(), Problem> {
        self.system()?;
        trust(&self.options.home.url)?;
        trusts_sent_key(&self.options.home.url)?;
        let ServerOptions { threads, clients, .. } = self.options;
        if threads > clients {
            return Err(Problem::invalid(
                format!("{threads} threads are more than the {clients} clients that they serve"),
                "give as many clients, or fewer threads",
            ));
        }
        if clients > CLIENTS_MOST {
            return Err(Problem::invalid(
                format!("{clients} clients are more than one load may have"),
                format!("at most {CLIENTS_MOST}"),
            ));
        }
        let most = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
        match most {
            Some(most) if clients + OTHER_FILES > most => Err(Problem::refused(
                format!(
                    "{clients} connections are more than the {most} files that a process may have open here"
                ),
                "give fewer clients, or raise the limit first (ulimit -n)",
            )),
            _ => Ok(()),
        }
    }
}

impl Planned for PlannedServer {
    fn survey(&mut self, host: &HostInfo) -> Result<Requirements, Problem> {
        self.check()?;
        let of_server = self.options.home.survey(self.load.data.bytes(), host)?;
        let mut resolved = Parameters::default();
        for target in self.options.home.targets() {
            resolved.set(named("target"), target.as_str());
        }
        let ServerOptions { threads, clients, .. } = self.options;
        let classes = self.load.classes.len() as u64;
        let memory_bytes = threads
            .saturating_mul(WORKER_BYTES + classes * CLASS_BYTES)
            .saturating_add(clients.saturating_mul(CLIENT_BYTES))
            .saturating_add(of_server);
        // The server first: the tables are made in it.
        let fixtures = self.options.home.fixture().into_iter().chain([self.database()]).collect();
        Ok(Requirements { resolved, fixtures, effect: self.load.effect, memory_bytes, limits: Vec::new() })
    }

    fn profile(&self, base: LoadProfile) -> LoadProfile {
        let mut waits_for: BTreeSet<WaitsFor> = [WaitsFor::Peer].into();
        if self.load.effect != Effect::Clean {
            waits_for.insert(WaitsFor::Flush);
            waits_for.extend((self.options.clients > 1).then_some(WaitsFor::Lock));
        }
        let mut concurrency = base.concurrency;
        concurrency.operations = self.options.clients.max(1);
        let class = OperationClass::Other(ClassName::new("transaction"));
        let targets = self.options.home.targets();
        let is_ours = !targets.is_empty();
        waits_for.extend(is_ours.then_some(WaitsFor::Device));
        LoadProfile {
            flows: vec![Flow::only(class, FlowUnit::Operations)],
            waits_for,
            targets: targets.len() as u64,
            paths: targets.to_vec(),
            span_bytes: is_ours.then(|| self.load.data.bytes()),
            peer: Some(Peer::AnotherProgram),
            // A server of ours is reached by a socket of its machine.
            transport: (!is_ours).then_some(Transport::Tcp),
            concurrency,
            ..base
        }
    }

    fn targets(&self) -> &[String] {
        self.options.home.targets()
    }

    fn servers(&self) -> Vec<String> {
        let host = &self.options.home.url.host;
        let is_named = !host.is_empty() && !host.starts_with('/');
        is_named.then(|| host.clone()).into_iter().collect()
    }

    fn prepare(&self, given: &LoadContext<'_>) -> Result<Box<dyn Prepared>, Fault> {
        let system = self.system()?;
        let found = given.fixtures.find::<RemoteDatabase>(&self.database());
        let made = found.ok_or_else(|| Fault::Other("the tables were not made".to_owned()))?.made()?;
        let ServerOptions { home, timeout, .. } = &self.options;
        let password = made.home.account.password.clone();
        let server = system.find(&made.home.url, password, *timeout)?;
        let server = server.with_session(home.session_statements());
        let mut known = system.describe(&server)?;
        known.extend(home.facts(given.fixtures));
        known.extend(system.read_variables(&server, home.variables())?);
        known.push((FactName::new("database_is_own"), Value::Bool(made.is_own)));
        Ok(Box::new(PreparedServer {
            system,
            server,
            load: self.load.clone(),
            options: self.options.clone(),
            counts: Arc::default(),
            connects: ConnectTimes::default(),
            known,
        }))
    }

    fn metrics(&self, mut all: Metrics, outcome: &LoadOutcome, window: Window) -> Metrics {
        all.extend(metrics::of_outcome(outcome, window));
        all
    }
}

/// A load that is ready: the tables are there, and each client opens a connection.
#[derive(Debug)]
struct PreparedServer {
    system: &'static dyn RemoteSystem,
    server: DatabaseServer,
    load: ServerLoad,
    options: ServerOptions,
    counts: Arc<AllCounts>,
    connects: ConnectTimes,
    known: Vec<(FactName, Value)>,
}

impl Prepared for PreparedServer {
    fn classes(&self) -> &'static [Class] {
        self.load.classes
    }

    fn facts(&self) -> Vec<(FactName, Value)> {
        self.known.clone()
    }

    fn facts_after(&self, _outcome: &LoadOutcome) -> Vec<(FactName, Value)> {
        let mut facts = self.counts.facts();
        facts.extend(self.connects.facts());
        facts
    }

    fn seen(&self, window: Window) -> SideMetrics {
        let mut metrics = self.counts.metrics(window);
        metrics.extend(self.connects.metrics());
        SideMetrics { metrics, ..SideMetrics::default() }
    }

    fn verdict(&self) -> Result<(), Fault> {
        self.counts.verdict()
    }

    fn worker(&self, worker: WorkerIndex, seed: u64) -> Result<Box<dyn Worker>, Fault> {
        let (index, of) = (worker.index as u64, worker.of.max(1) as u64);
        let ServerOptions { clients, prepares, timeout, .. } = &self.options;
        let own = clients / of + u64::from(index < clients % of);
        let clients = WorkerClients { clients: own.max(1), prepares: *prepares, connects: &self.connects };
        let load = MultiplexedLoad {
            mix: Arc::clone(&self.load.mix),
            counts: Arc::clone(&self.counts),
            seed,
            patience_ns: nanoseconds(timeout.as_secs_f64()),
        };
        self.system.worker(&self.server, clients, load)
    }
}
