//! Any load on any database, planned: on a file of SQLite, or here, on a server.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::thread::available_parallelism;

use engine::adaptive_spin::AdaptiveSpin;
use engine::fault::Fault;
use engine::outcome::LoadOutcome;
use engine::queue::Class;
use engine::schedule::WorkerIndex;
use engine::{Prepared, SideMetrics, Worker};
use model::plan::{Effect, FixtureKey, Problem};
use model::profile::{ClassName, Flow, FlowUnit, OperationClass, Peer, Transport, WaitsFor};
use model::scalar::nanoseconds;
use model::trial::Window;
use model::{FactName, LoadProfile, Value, WorkloadName};

use crate::fixture::FixtureStore;
use crate::in_memory;
use crate::workload::db::connect_times::ConnectTimes;
use crate::workload::db::counter_watch::CounterWatch;
use crate::workload::db::counts::AllCounts;
use crate::workload::db::dataset::DataSet;
use crate::workload::db::kept;
use crate::workload::db::load::{ConsistencyCheck, DatabaseLoad};
use crate::workload::db::load_facts;
use crate::workload::db::metrics;
use crate::workload::db::parameters::ClientOptions;
use crate::workload::db::planned_sqlite::PlannedSqlite;
use crate::workload::db::remote::{self, RemoteSystem, WorkerClients};
use crate::workload::db::remote_fixture::{self, RemoteDatabase};
use crate::workload::db::round_trip;
use crate::workload::db::server::home::ServerHome;
use crate::workload::db::server_settings::{self, HeldVariables, ServerSettings};
use crate::workload::db::sqlite::cold_start;
use crate::workload::db::target_space::TargetSpace;
use crate::workload::db::transaction::TransactionMix;
use crate::workload::db::url::DatabaseSystem;
use crate::workload::db::wire::DatabaseServer;
use crate::workload::db::wire::connect::{trust, trusts_sent_key};
use crate::workload::db::wire::multiplexed::MultiplexedLoad;
use crate::workload::{HostInfo, LoadContext, Metrics, Planned, Requirements, named};

/// The most clients of one load.
const CLIENTS_MOST: u64 = 1024;

/// Bytes of the counts of one class of operations in the few records of a worker.
const CLASS_BYTES: u64 = 1 << 19;

/// Bytes that a worker takes for what it receives, and a client for its connection.
const WORKER_BYTES: u64 = 1 << 17;
const CLIENT_BYTES: u64 = 1 << 14;

/// Tables of so many bytes at most are asked after each trial whether they agree.
const CHECKED_MOST: u64 = 256 << 20;

/// Files that a process has open beside its connections.
const OTHER_FILES: u64 = 64;

/// A load of the workload called `name`, planned for the system of its URL.
pub(in crate::workload) fn plan(
    name: WorkloadName,
    load: Box<dyn DatabaseLoad>,
    options: ClientOptions,
) -> Box<dyn Planned> {
    match options.home.clone() {
        None => Box::new(PlannedSqlite::new(name, load, options)),
        Some(home) => Box::new(PlannedServer { home, options, load }),
    }
}

/// The plan of a load on a server.
#[derive(Debug)]
struct PlannedServer {
    home: ServerHome,
    options: ClientOptions,
    load: Box<dyn DatabaseLoad>,
}

impl PlannedServer {
    fn system(&self) -> Result<&'static dyn RemoteSystem, Problem> {
        let system = self.options.url.system;
        remote::system(system).ok_or_else(|| {
            Problem::invalid(format!("`{}` is no server", system.scheme()), "name another database")
        })
    }

    /// The tables that it works on.
    fn database(&self) -> FixtureKey {
        let used_up = self.load.effect() == Effect::UsedUp;
        let key = remote_fixture::key(&self.home, self.load.data(), self.options.tables);
        FixtureKey { used_up, ..key }
    }

    /// What makes no sense together, or is too much for this machine.
    fn check(&self) -> Result<(), Problem> {
        self.system()?;
        if self.options.cold && self.home.targets().is_empty() {
            return Err(Problem::invalid(
                "a server keeps what it read in buffers of its own, and one that runs already is not started anew, so that no \
                 trial on it begins cold",
                "leave cold out, or have a server started for the run: `--start mariadb`, `--start postgres`",
            ));
        }
        trust(&self.options.url)?;
        trusts_sent_key(&self.options.url)?;
        if let Some(level) = self.options.isolation {
            level.check(self.options.url.system)?;
        }
        let ClientOptions { threads, clients, .. } = self.options;
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

    /// Whether there is a disk from which a cold trial reads.
    fn check_cold(&self, host: &HostInfo) -> Result<(), Problem> {
        let folder = self.home.targets().first().filter(|_| self.options.cold);
        match folder.filter(|folder| in_memory::room(Path::new(folder), u64::MAX, host).memory.is_some()) {
            None => Ok(()),
            Some(folder) => Err(Problem::refused(
                format!("a database in {folder} is always in memory, so that no trial begins cold"),
                "give a target on a disk, or leave cold out",
            )),
        }
    }

    /// Whether there is something to be kept, and a place where it stays.
    fn check_kept(&self) -> Result<(), Problem> {
        if !self.options.tables.keeps {
            return Ok(());
        }
        let why = if self.home.targets().is_empty() {
            kept::nothing_kept(self.load.effect(), &self.load.data())
        } else {
            Some("a server that is started for the run ends with its data")
        };
        why.map_or(Ok(()), |why| Err(kept::refused(why)))
    }

    /// Whether tables that were there before stay as they are.
    fn check_existing(&self) -> Result<(), Problem> {
        if self.load.data() != DataSet::Existing {
            return Ok(());
        }
        if self.options.url.database.is_empty() {
            return Err(Problem::invalid(
                "no url names a database, so that there are no tables",
                "name one: postgres://user@host/database",
            ));
        }
        if self.load.effect() != Effect::Clean {
            return Err(Problem::refused(
                "the transactions would change tables that were there before",
                "only select from those, or have the file make tables of its own",
            ));
        }
        Ok(())
    }

    /// The statements with which each session begins. One on tables that were there before refuses to write, so that
    /// no function that a SELECT calls does.
    fn session_statements(&self) -> Vec<String> {
        let mut all = self.home.session_statements();
        let system = self.options.url.system;
        all.extend(self.options.isolation.and_then(|level| level.statement(system)));
        if self.load.data() == DataSet::Existing {
            let read_only = match system {
                DatabaseSystem::Postgres => "SET default_transaction_read_only = on",
                DatabaseSystem::MySql | DatabaseSystem::Sqlite => "SET SESSION TRANSACTION READ ONLY",
            };
            all.push(read_only.to_owned());
        }
        all
    }

    /// Sets the variables of the whole server, where that is asked for.
    fn set_variables(&self, fixtures: &FixtureStore) -> Result<Option<HeldVariables>, Fault> {
        let Some(key) = server_settings::key(&self.home) else { return Ok(None) };
        let found = fixtures.find::<ServerSettings>(&key);
        let settings = found.ok_or_else(|| Fault::Other("the server was not made ready".to_owned()))?;
        settings.set(self.home.variables()).map(Some)
    }

    /// What is known before a trial of the server and of a session.
    fn describe(
        &self,
        server: &DatabaseServer,
        mix: &TransactionMix,
        fixtures: &FixtureStore,
    ) -> Result<Vec<(FactName, Value)>, Fault> {
        let system = self.system()?;
        let mut known = system.describe(server)?;
        if let Some(level) = self.options.isolation {
            level.confirm(&known).map_err(Fault::Other)?;
        }
        known.extend(self.home.facts(fixtures));
        known.extend(system.read_variables(server, self.home.variables())?);
        if self.home.sets_globally {
            known.push((FactName::new("server_variables_global"), Value::Bool(true)));
        }
        known.extend(load_facts::of(&*self.load, mix));
        // One of ours is somewhere else in each run.
        let is_named = self.home.targets().is_empty();
        let address = is_named.then(|| Value::Text(self.options.url.to_string()));
        known.extend(address.map(|address| (FactName::new("database_address"), address)));
        Ok(known)
    }

    /// Where it is seen whether a disk is full: of a server that was started.
    fn space(&self) -> TargetSpace {
        TargetSpace::of(self.home.targets().first().map(String::as_str))
    }

    /// So many processors a server may use that was started for this load: those that we may. One that was there may use others.
    fn processors(&self) -> Option<usize> {
        let is_started = !self.home.targets().is_empty();
        is_started.then(available_parallelism)?.map(NonZeroUsize::get).ok()
    }

    /// The load on the tables that were made.
    fn ready(&self, given: &LoadContext<'_>) -> Result<PreparedServer, Fault> {
        let system = self.system()?;
        let cached = match self.options.cold {
            true => self.home.begin_cold(given.fixtures, &mut || given.watch.look().is_ok())?,
            false => None,
        };
        let variables = self.set_variables(given.fixtures)?;
        let found = given.fixtures.find::<RemoteDatabase>(&self.database());
        let made = found.ok_or_else(|| Fault::Other("the tables were not made".to_owned()))?.made()?;
        let password = made.home.account.password.clone();
        let server = system.find(&made.home.url, password, self.options.sqlite.timeout)?;
        let server = server.with_session(self.session_statements());
        let mix = self.load.mix(self.options.url.system)?;
        let mut known = self.describe(&server, &mix, given.fixtures)?;
        let bytes = self.load.data().bytes();
        known.push((FactName::new("database_is_own"), Value::Bool(made.is_own)));
        known.extend(cached.map(|share| (cold_start::CACHED_SHARE, Value::Number(share))));
        if let Some(origin) = made.origin() {
            known.extend(origin.facts());
            if self.load.effect() != Effect::Clean {
                system.mark_written(made)?;
            }
        }
        Ok(PreparedServer {
            _variables: variables,
            counters: system.watch(&server),
            system,
            server,
            mix: Arc::new(mix),
            classes: self.load.classes(),
            statements: self.load.statements(),
            // Each reads tables whole.
            checks: if bytes <= CHECKED_MOST { self.load.checks() } else { Vec::new() },
            options: self.options.clone(),
            counts: Arc::default(),
            connects: ConnectTimes::default(),
            processors: self.processors(),
            known,
            space: self.space(),
        })
    }
}

impl Planned for PlannedServer {
    fn survey(&mut self, host: &HostInfo) -> Result<Requirements, Problem> {
        self.check()?;
        self.load.read()?;
        self.load.mix(self.options.url.system)?;
        self.check_existing()?;
        self.check_kept()?;
        let of_server = self.home.survey(self.load.data().bytes(), host)?;
        self.check_cold(host)?;
        let mut resolved = self.load.resolved();
        for target in self.home.targets() {
            resolved.set(named("target"), target.as_str());
        }
        let ClientOptions { threads, clients, .. } = self.options;
        let classes = self.load.classes().len() as u64;
        let memory_bytes = threads
            .saturating_mul(WORKER_BYTES + classes * CLASS_BYTES)
            .saturating_add(clients.saturating_mul(CLIENT_BYTES))
            .saturating_add(of_server);
        // The server first: the tables are made in it.
        let settings = server_settings::key(&self.home);
        let fixtures = self.home.fixture().into_iter().chain(settings).chain([self.database()]).collect();
        let effect = self.load.effect();
        Ok(Requirements { resolved, fixtures, effect, memory_bytes, limits: Vec::new() })
    }

    fn profile(&self, base: LoadProfile) -> LoadProfile {
        let mut waits_for: BTreeSet<WaitsFor> = [WaitsFor::Peer].into();
        if self.load.effect() != Effect::Clean {
            waits_for.insert(WaitsFor::Flush);
            waits_for.extend((self.options.clients > 1).then_some(WaitsFor::Lock));
        }
        let mut concurrency = base.concurrency;
        concurrency.operations = self.options.clients.max(1);
        let class = OperationClass::Other(ClassName::new("transaction"));
        let targets = self.home.targets();
        let is_ours = !targets.is_empty();
        waits_for.extend(is_ours.then_some(WaitsFor::Device));
        LoadProfile {
            flows: vec![Flow::only(class, FlowUnit::Operations)],
            waits_for,
            targets: targets.len() as u64,
            paths: targets.to_vec(),
            span_bytes: is_ours.then(|| self.load.data().bytes()),
            peer: Some(Peer::AnotherProgram),
            // A server of ours is reached by a socket of its machine.
            transport: (!is_ours).then_some(Transport::Tcp),
            concurrency,
            ..base
        }
    }

    fn targets(&self) -> &[String] {
        self.home.targets()
    }

    fn servers(&self) -> Vec<String> {
        let host = &self.options.url.host;
        let is_named = !host.is_empty() && !host.starts_with('/');
        is_named.then(|| host.clone()).into_iter().collect()
    }

    fn prepare(&self, given: &LoadContext<'_>) -> Result<Box<dyn Prepared>, Fault> {
        self.load.read().map_err(|problem| Fault::Other(problem.message))?;
        let prepared = self.ready(given).map_err(|fault| self.space().explain(fault))?;
        Ok(Box::new(prepared))
    }

    fn metrics(&self, mut all: Metrics, outcome: &LoadOutcome, window: Window) -> Metrics {
        all.extend(metrics::of_statements(outcome, window, self.load.statements()));
        all
    }
}

/// A load that is ready: the tables are there, and each client opens a connection.
#[derive(Debug)]
struct PreparedServer {
    /// Those of the whole server, for as long as it is measured.
    _variables: Option<HeldVariables>,
    /// What the server counts.
    counters: CounterWatch,
    system: &'static dyn RemoteSystem,
    server: DatabaseServer,
    mix: Arc<TransactionMix>,
    classes: &'static [Class],
    /// How many of these are of transactions as such and of statements.
    statements: usize,
    checks: Vec<ConsistencyCheck>,
    options: ClientOptions,
    counts: Arc<AllCounts>,
    connects: ConnectTimes,
    /// So many the server may use, where that is known: counted before each worker is bound to one.
    processors: Option<usize>,
    known: Vec<(FactName, Value)>,
    space: TargetSpace,
}

impl Prepared for PreparedServer {
    fn classes(&self) -> &'static [Class] {
        self.classes
    }

    fn counts_from_start(&self) -> bool {
        self.options.cold
    }

    fn facts(&self) -> Vec<(FactName, Value)> {
        self.known.clone()
    }

    fn facts_after(&self, outcome: &LoadOutcome) -> Vec<(FactName, Value)> {
        let mut facts = self.counts.facts();
        facts.extend(self.connects.facts());
        self.counters.finish();
        facts.extend(self.counters.facts());
        facts.extend(round_trip::share(&self.known, outcome, self.statements));
        facts.push((FactName::new("consistency_checks"), Value::Integer(self.checks.len() as u64)));
        facts
    }

    fn seen(&self, window: Window) -> SideMetrics {
        let mut metrics = self.counts.metrics(window);
        metrics.extend(self.connects.metrics());
        self.counters.finish();
        metrics.extend(self.counters.metrics(window));
        SideMetrics { metrics, series: self.counters.series(window), ..SideMetrics::default() }
    }

    fn verdict(&self) -> Result<(), Fault> {
        self.counts.verdict().map_err(|fault| self.space.explain(fault))?;
        if self.checks.is_empty() { Ok(()) } else { self.system.agree(&self.server, &self.checks) }
    }

    fn worker(&self, worker: WorkerIndex, seed: u64) -> Result<Box<dyn Worker>, Fault> {
        let (index, of) = (worker.index as u64, worker.of.max(1) as u64);
        let ClientOptions { clients, prepares, .. } = self.options;
        let own = clients / of + u64::from(index < clients % of);
        let clients = WorkerClients { clients: own.max(1), prepares, connects: &self.connects };
        let load = MultiplexedLoad {
            mix: Arc::clone(&self.mix),
            counts: Arc::clone(&self.counts),
            seed,
            patience_ns: nanoseconds(self.options.sqlite.timeout.as_secs_f64()),
            spin: AdaptiveSpin::beside_server(worker.of, self.processors),
            space: self.space.clone(),
        };
        self.system.worker(&self.server, clients, load).map_err(|fault| self.space.explain(fault))
    }
}
