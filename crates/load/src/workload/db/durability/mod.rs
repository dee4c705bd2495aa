//! `db.durability`: is what was acknowledged durable? Clients commit, the database is killed, and what is there after
//! its recovery is compared with what they were told.
//!
//! It shows what a kill of the process takes away, and nothing else: the page cache outlives a process, and not a power
//! cut. What that takes away is shown by the tests of the guest, by `dm-log-writes`.

mod client_process;
mod ledger;
mod rounds;
mod server_target;
mod spec;
mod sqlite_target;
mod table;

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use engine::fault::Fault;
use engine::outcome::LoadOutcome;
use engine::schedule::WorkerIndex;
use engine::{Prepared, Worker};
use model::plan::{Effect, FixtureKey, Ownership, Problem};
use model::profile::{Caches, ClassName, Flow, FlowUnit, LoadEnd, OperationClass, Peer, WaitsFor};
use model::scalar::binary;
use model::trial::Window;
use model::{
    FactName, LoadProfile, MetricName, Parameters, Quantity, Unit, Value, WorkloadSpec, database, metric,
};

pub use crate::workload::db::durability::client_process::commit_until_killed;

use crate::in_memory::{self, Room};
use crate::workload::common::LoadSchedule;
use crate::workload::db::durability::rounds::{CrashTarget, RoundThread};
use crate::workload::db::durability::server_target::ServerTarget;
use crate::workload::db::durability::spec::{
    COMMITS, LOST_SHARE, RECOVERY, ROUNDS_MOST, SPEC, UNACKNOWLEDGED,
};
use crate::workload::db::durability::sqlite_target::SqliteTarget;
use crate::workload::db::durability::table::{ROW_BYTES, ROWS_MOST};
use crate::workload::db::mysql::MySqlCodec;
use crate::workload::db::parameters::word;
use crate::workload::db::postgres::PostgresCodec;
use crate::workload::db::remote;
use crate::workload::db::server::PrivateServer;
use crate::workload::db::server::crash::CrashableServer;
use crate::workload::db::server::home::ServerHome;
use crate::workload::db::sqlite::{self, JOURNAL_MODES, SYNCHRONOUS, SqliteOptions};
use crate::workload::db::url::{DatabaseSystem, DatabaseUrl};
use crate::workload::db::wire::{DatabaseServer, Dialect};
use crate::workload::file::tree::{DATABASE, TREES, Tree};
use crate::workload::{HostInfo, LoadContext, Metrics, Planned, Requirements, Workload, named};

/// The latest moment of a kill.
const WITHIN_MOST: Duration = Duration::from_secs(60);

/// The most clients.
const CLIENTS_MOST: u64 = 256;

/// Bytes that always stay free on the file system.
const RESERVE_BYTES: u64 = 64 << 20;

/// Bytes of memory for the number of a row, in all places where it is.
const NUMBER_BYTES: u64 = 128;

/// The workload.
#[derive(Debug)]
pub struct DatabaseDurability;

impl Workload for DatabaseDurability {
    fn spec(&self) -> &'static WorkloadSpec {
        &SPEC
    }

    fn plan(&self, parameters: &Parameters, schedule: &LoadSchedule) -> Result<Box<dyn Planned>, Problem> {
        let seconds = |name| parameters.number(named(name)).map(Duration::try_from_secs_f64);
        let url = DatabaseUrl::parse(parameters.text(named("url"))?)?;
        Ok(Box::new(PlannedDurability {
            home: ServerHome::of(parameters, &url)?,
            url,
            target: [parameters.text(named("target"))?.to_owned()],
            clients: parameters.integer(named("clients"))?,
            rounds: parameters.integer(named("rounds"))?,
            within: seconds("kill-within")?.unwrap_or(Duration::MAX),
            options: SqliteOptions {
                journal_mode: word(parameters, "journal-mode", JOURNAL_MODES)?.to_owned(),
                synchronous: word(parameters, "synchronous", SYNCHRONOUS)?.to_owned(),
                cache_bytes: parameters.integer(named("cache-size"))?,
                timeout: seconds("timeout")?.unwrap_or(Duration::MAX),
                reads_only: false,
            },
            is_usual: schedule.threads == 1 && !schedule.is_open(),
        }))
    }
}

/// A database that is killed, and what it says of itself.
type DescribedTarget = (Box<dyn CrashTarget>, Vec<(FactName, Value)>);

/// A load whose parameters were read.
#[derive(Debug)]
struct PlannedDurability {
    url: DatabaseUrl,
    /// The server; none for SQLite.
    home: Option<ServerHome>,
    /// The folder of SQLite.
    target: [String; 1],
    clients: u64,
    rounds: u64,
    within: Duration,
    options: SqliteOptions,
    /// Whether one thread does the rounds, one after the other.
    is_usual: bool,
}

impl PlannedDurability {
    /// What makes no sense.
    fn check(&self) -> Result<(), Problem> {
        let wrong = |message: String, help: &str| Err(Problem::invalid(message, help));
        let is_ours = match &self.home {
            Some(home) => home.fixture().is_some(),
            None => self.url.database.is_empty(),
        };
        if !is_ours {
            return wrong(
                format!("{} kills its database, so that it takes none that is there already", SPEC.name),
                "leave the url out, or give start",
            );
        }
        if !self.is_usual {
            return wrong(
                "the rounds come one after the other, at no rate, and one thread does them".to_owned(),
                "leave threads, rate and latency-target out, and give clients",
            );
        }
        if self.clients > CLIENTS_MOST {
            return wrong(
                format!("{} clients are more than this load may have", self.clients),
                "at most 256",
            );
        }
        if self.rounds > ROUNDS_MOST {
            return wrong(
                format!("{} rounds are more than a trial may have", self.rounds),
                "at most 50; give more trials",
            );
        }
        if self.within > WITHIN_MOST || self.within.is_zero() {
            return wrong(
                "kill-within is no time in which a database is killed".to_owned(),
                "more than 0, and at most 60s",
            );
        }
        Ok(())
    }

    /// What all rows of a trial may take, with the log.
    fn bytes(&self) -> u64 {
        self.rounds.saturating_mul(ROWS_MOST * ROW_BYTES)
    }

    /// The tree with the file of SQLite; each trial has a new one.
    fn tree(&self) -> FixtureKey {
        let folder = &self.target[0];
        FixtureKey {
            used_up: true,
            about: format!("makes a database of its own in {folder}, kills who writes to it, and removes it"),
            ..FixtureKey::new(TREES.name, folder, 0, Ownership::Created)
        }
    }

    /// The server, which no other load has: it is killed.
    fn server(home: &ServerHome) -> Option<FixtureKey> {
        let mut key = home.fixture()?;
        key.details["killed"] = true.into();
        key.about = format!("{}; it is killed several times", key.about);
        Some(key)
    }

    fn fixture(&self) -> Result<FixtureKey, Problem> {
        match &self.home {
            None => Ok(self.tree()),
            Some(home) => Self::server(home)
                .ok_or_else(|| Problem::invalid("there is no server that may be killed", "give start")),
        }
    }

    /// Looks whether there is room in the folder for SQLite, and makes its path whole; returns how much memory the file
    /// takes.
    fn survey_folder(&mut self, host: &HostInfo) -> Result<u64, Problem> {
        let needed = self.bytes();
        let [text] = &mut self.target;
        let folder = Path::new(text.as_str());
        if !folder.is_dir() {
            return Err(Problem::invalid(format!("{text} is no folder"), "give an existing folder"));
        }
        let refused = |e: rustix::io::Errno| {
            let why = std::io::Error::from(e);
            Problem::refused(
                format!("{text} cannot be written to: {why}"),
                "give a folder in which you may write: `--target FOLDER`",
            )
        };
        let stat = rustix::fs::statvfs(folder).map_err(refused)?;
        rustix::fs::access(folder, rustix::fs::Access::WRITE_OK | rustix::fs::Access::EXEC_OK)
            .map_err(refused)?;
        let free = stat.f_bavail.saturating_mul(stat.f_frsize);
        let Room { bytes: room, memory } = in_memory::room(folder, free, host);
        if needed.saturating_add(RESERVE_BYTES) > room {
            let (free, needed) = (binary(room), binary(needed));
            return Err(Problem::refused(
                format!("{needed} may be needed in {text}, where {free} are free"),
                "give fewer rounds, or another target",
            ));
        }
        let whole = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        *text = whole.to_string_lossy().into_owned();
        Ok(if memory.is_some() { needed } else { 0 })
    }

    /// The file of SQLite, with a new table, and what it says of itself.
    fn sqlite_target(&self, given: &LoadContext<'_>) -> Result<DescribedTarget, Fault> {
        let tree = given.fixtures.find::<Tree>(&self.tree());
        let tree = tree.ok_or_else(|| Fault::Other("there is no folder for the database".to_owned()))?;
        let folder = tree.folders(1, 1, 0)?.pop();
        let path = folder
            .ok_or_else(|| Fault::Other("there is no folder for the database".to_owned()))?
            .join(DATABASE);
        let connection = client_process::make_table(&path, &self.options)?;
        let known = sqlite::describe(&connection)?;
        let target: Box<dyn CrashTarget> = Box::new(SqliteTarget { path, options: self.options.clone() });
        Ok((target, known))
    }

    /// The server of `home`, with a new table, and what it says of itself.
    fn server_target(&self, home: &ServerHome, given: &LoadContext<'_>) -> Result<DescribedTarget, Fault> {
        let key = Self::server(home);
        let made = key.and_then(|key| given.fixtures.find::<PrivateServer>(&key));
        let made = made.ok_or_else(|| Fault::Other("the server was not started".to_owned()))?;
        let system = remote::system(home.url.system)
            .ok_or_else(|| Fault::Other("there is no such kind of server".to_owned()))?;
        let (crashable, timeout) = (made.crashable(), self.options.timeout);
        let (server, target) = match home.url.system {
            DatabaseSystem::Postgres => server_and_target::<PostgresCodec>(crashable, timeout)?,
            DatabaseSystem::MySql | DatabaseSystem::Sqlite => {
                server_and_target::<MySqlCodec>(crashable, timeout)?
            }
        };
        let mut known = system.describe(&server)?;
        known.extend(made.facts());
        known.extend(system.read_variables(&server, home.variables())?);
        Ok((target, known))
    }
}

/// The server with its new table, and the same as a target.
fn server_and_target<C: Dialect + 'static>(
    crashable: CrashableServer,
    timeout: Duration,
) -> Result<(DatabaseServer, Box<dyn CrashTarget>), Fault> {
    let target = ServerTarget::<C>::new(crashable, timeout)?;
    let server = target.server().clone();
    let target: Box<dyn CrashTarget> = Box::new(target);
    Ok((server, target))
}

impl Planned for PlannedDurability {
    fn survey(&mut self, host: &HostInfo) -> Result<Requirements, Problem> {
        self.check()?;
        let bytes = self.bytes();
        let of_server = self.home.as_mut().map(|home| home.survey(bytes, host)).transpose()?;
        let of_place = match of_server {
            Some(memory_bytes) => memory_bytes,
            None => self.survey_folder(host)?,
        };
        let mut resolved = Parameters::default();
        for target in self.targets() {
            resolved.set(named("target"), target.as_str());
        }
        let rows = self.rounds.saturating_mul(ROWS_MOST);
        let caches = if self.home.is_none() { self.options.cache_bytes } else { 0 };
        let memory_bytes = rows
            .saturating_mul(NUMBER_BYTES)
            .saturating_add(self.clients.saturating_mul(caches))
            .saturating_add(of_place);
        let effect = if self.home.is_none() { Effect::UsedUp } else { Effect::Dirty };
        let fixtures = vec![self.fixture()?];
        Ok(Requirements { resolved, fixtures, effect, memory_bytes, limits: Vec::new() })
    }

    fn profile(&self, base: LoadProfile) -> LoadProfile {
        let class = OperationClass::Other(ClassName::new("round"));
        let mut waits_for: BTreeSet<WaitsFor> = [WaitsFor::Device, WaitsFor::Flush].into();
        waits_for.extend(self.home.is_some().then_some(WaitsFor::Peer));
        let targets = self.targets();
        let window_s = match base.end {
            // At most, without what recoveries take.
            LoadEnd::Pass => Some(self.rounds as f64 * self.within.as_secs_f64()),
            _ => base.window_s,
        };
        LoadProfile {
            window_s,
            flows: vec![Flow::only(class, FlowUnit::Operations)],
            waits_for,
            targets: targets.len() as u64,
            paths: targets.to_vec(),
            caches: Caches::PageCache,
            peer: self.home.as_ref().map(|_| Peer::AnotherProgram),
            ..base
        }
    }

    fn targets(&self) -> &[String] {
        match &self.home {
            Some(home) => home.targets(),
            None => &self.target,
        }
    }

    fn prepare(&self, given: &LoadContext<'_>) -> Result<Box<dyn Prepared>, Fault> {
        let (target, mut known) = match &self.home {
            None => self.sqlite_target(given)?,
            Some(home) => self.server_target(home, given)?,
        };
        known.push((database::fact::WRITES, Value::Bool(true)));
        let thread = RoundThread::start(target, self.clients.max(1), self.within)?;
        Ok(Box::new(PreparedDurability { thread, rounds: self.rounds, known }))
    }

    fn metrics(&self, mut all: Metrics, outcome: &LoadOutcome, _window: Window) -> Metrics {
        let fact = |name: FactName| outcome.facts.get(&name).and_then(Value::number);
        let ratio =
            |part: FactName, whole: FactName| Some(fact(part)? / fact(whole).filter(|whole| *whole > 0.0)?);
        let figures: [(MetricName, Unit, Option<f64>); 6] = [
            (COMMITS.name, COMMITS.unit, ratio(rounds::ACKNOWLEDGED, rounds::COMMITTING)),
            (metric::LOST_COMMITS, Unit::One, fact(rounds::LOST)),
            (LOST_SHARE.name, LOST_SHARE.unit, ratio(rounds::LOST, rounds::ACKNOWLEDGED)),
            (metric::ACKNOWLEDGED_COMMITS, Unit::One, fact(rounds::ACKNOWLEDGED)),
            (UNACKNOWLEDGED.name, UNACKNOWLEDGED.unit, fact(rounds::UNACKNOWLEDGED)),
            (RECOVERY.name, RECOVERY.unit, ratio(rounds::RECOVERING, rounds::KILLS)),
        ];
        let quantity = |(name, unit, value): (MetricName, Unit, Option<f64>)| {
            Some((name, Quantity { value: value?, unit }))
        };
        all.extend(figures.into_iter().filter_map(quantity));
        all
    }
}

/// A load that is ready: the table is there, and the rounds have their thread.
#[derive(Debug)]
struct PreparedDurability {
    thread: RoundThread,
    rounds: u64,
    known: Vec<(FactName, Value)>,
}

impl Prepared for PreparedDurability {
    fn counts_from_start(&self) -> bool {
        true
    }

    /// One does the rounds, one after the other.
    fn workers(&self, _threads: usize) -> usize {
        1
    }

    fn facts(&self) -> Vec<(FactName, Value)> {
        self.known.clone()
    }

    fn worker(&self, _worker: WorkerIndex, seed: u64) -> Result<Box<dyn Worker>, Fault> {
        Ok(Box::new(self.thread.queue(seed, self.rounds)?))
    }
}
