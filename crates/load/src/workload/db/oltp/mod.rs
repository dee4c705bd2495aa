//! `db.oltp`: the transactions of sysbench's OLTP loads.

mod mix;
mod prepared;
mod spec;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use engine::Prepared;
use engine::fault::Fault;
use engine::outcome::LoadOutcome;
use model::parameter::Word;
use model::plan::{Effect, FixtureKey, Problem};
use model::profile::{Caches, ClassName, Flow, FlowUnit, OperationClass, WaitsFor};
use model::scalar::binary;
use model::trial::Window;
use model::{LoadProfile, Parameters, WorkloadSpec};

use crate::in_memory::{self, Room};
use crate::workload::common::LoadSchedule;
use crate::workload::db::generator::RowDistribution;
use crate::workload::db::metrics;
use crate::workload::db::oltp::mix::{OltpMix, OltpShape};
use crate::workload::db::oltp::prepared::PreparedOltp;
use crate::workload::db::oltp::spec::SPEC;
use crate::workload::db::planned::{CLASS_BYTES, CLIENTS_MOST, PlannedServer, ServerLoad, ServerOptions};
use crate::workload::db::sbtest::Sbtest;
use crate::workload::db::server::home::ServerHome;
use crate::workload::db::sqlite::fixture::{self, SqliteDatabase};
use crate::workload::db::sqlite::{self, JOURNAL_MODES, SYNCHRONOUS, SqliteOptions};
use crate::workload::db::url::DatabaseUrl;
use crate::workload::{HostInfo, LoadContext, Metrics, Planned, Requirements, Workload, named};

/// Rows that the tables may have: keys are numbers of 32 bits with a sign, in sysbench's tables.
const ROWS_MOST: u64 = i32::MAX as u64;

/// Bytes that always stay free on the file system, and the longest write-ahead log that is allowed for: SQLite begins
/// it anew when it has 1,000 pages, unless a reader keeps it from that.
const RESERVE_BYTES: u64 = 64 << 20;
const LOG_BYTES: u64 = 64 << 20;

/// The workload.
#[derive(Debug)]
pub struct Oltp;

impl Workload for Oltp {
    fn spec(&self) -> &'static WorkloadSpec {
        &SPEC
    }

    fn plan(&self, parameters: &Parameters, schedule: &LoadSchedule) -> Result<Box<dyn Planned>, Problem> {
        let integer = |name| parameters.integer(named(name));
        let seconds = parameters.number(named("timeout"))?;
        let options = SqliteOptions {
            journal_mode: word(parameters, "journal-mode", JOURNAL_MODES)?,
            synchronous: word(parameters, "synchronous", SYNCHRONOUS)?,
            cache_bytes: integer("cache-size")?,
            timeout: Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX),
        };
        let word = parameters.text(named("mix"))?;
        let mix = OltpMix::called(word)
            .ok_or_else(|| Problem::invalid(format!("`{word}` is no mix of db.oltp"), ""))?;
        let url = DatabaseUrl::parse(parameters.text(named("url"))?)?;
        let home = ServerHome::of(parameters, &url)?;
        let shape = OltpShape {
            system: home.as_ref().map_or(url.system, |home| home.url.system),
            data: Sbtest { tables: integer("tables")?, rows: integer("rows")? },
            range_size: integer("range-size")?,
            distribution: RowDistribution::of(parameters)?,
        };
        if shape.data.rows > ROWS_MOST {
            return Err(Problem::invalid(
                format!("{} rows are more than the keys of a table", shape.data.rows),
                "give fewer rows",
            ));
        }
        if let Some(home) = home {
            let load = ServerLoad {
                mix: Arc::new(mix.transactions(&shape)),
                classes: mix.classes(),
                data: shape.data,
                effect: mix.effect,
            };
            let options = ServerOptions::of(parameters, schedule, home)?;
            return Ok(Box::new(PlannedServer::new(options, load)));
        }
        Ok(Box::new(PlannedOltp {
            target: [parameters.text(named("target"))?.to_owned()],
            threads: schedule.threads,
            clients: integer("clients")?,
            mix,
            shape,
            prepares: parameters.flag(named("prepared"))?,
            url,
            options,
        }))
    }
}

/// The word that a parameter has, if it is one of these: it becomes a part of a statement.
fn word(parameters: &Parameters, name: &'static str, words: &[Word]) -> Result<String, Problem> {
    let text = parameters.text(named(name))?;
    let known = words.iter().find(|known| known.word == text);
    let known =
        known.ok_or_else(|| Problem::invalid(format!("`{text}` is nothing that {name} can be"), ""))?;
    Ok(known.word.to_owned())
}

#[derive(Clone, Debug)]
struct PlannedOltp {
    url: DatabaseUrl,
    target: [String; 1],
    threads: u64,
    clients: u64,
    mix: &'static OltpMix,
    shape: OltpShape,
    prepares: bool,
    options: SqliteOptions,
}

impl PlannedOltp {
    /// The database that it works on.
    fn database(&self) -> FixtureKey {
        let used_up = self.mix.effect == Effect::UsedUp;
        FixtureKey { used_up, ..fixture::key(&self.target[0], self.shape.data) }
    }

    /// What makes no sense together, or is too much.
    fn check(&self) -> Result<(), Problem> {
        let (threads, clients) = (self.threads, self.clients);
        let wrong = |message: String, help: &str| Err(Problem::invalid(message, help));
        if !self.url.database.is_empty() {
            return wrong(
                format!("of SQLite, db.oltp works on a new database only, and not on {}", self.url),
                "leave the url out",
            );
        }
        if threads > clients {
            return wrong(
                format!("{threads} threads are more than the {clients} clients, each of which has a thread"),
                "leave threads out, and give clients",
            );
        }
        if clients > CLIENTS_MOST {
            return wrong(format!("{clients} clients are more than one load may have"), "at most 1024");
        }
        Ok(())
    }

    /// Whether there is room for the database in `folder`; whether that room is memory.
    fn check_room(&self, folder: &Path, host: &HostInfo) -> Result<bool, Problem> {
        let text = &self.target[0];
        let refused = |e: rustix::io::Errno| {
            let why = std::io::Error::from(e);
            Problem::refused(format!("{text} cannot be written to: {why}"), "use another target")
        };
        let stat = rustix::fs::statvfs(folder).map_err(refused)?;
        rustix::fs::access(folder, rustix::fs::Access::WRITE_OK | rustix::fs::Access::EXEC_OK)
            .map_err(refused)?;
        let free = stat.f_bavail.saturating_mul(stat.f_frsize);
        let Room { bytes: room, memory } = in_memory::room(folder, free, host);
        let needed = self.shape.data.bytes().saturating_add(LOG_BYTES);
        if needed.saturating_add(RESERVE_BYTES) > room {
            let (free, needed) = (binary(room), binary(needed));
            let free = match &memory {
                None => format!("{text} has {free} free"),
                Some(memory) => {
                    format!("{text} is memory in the end ({memory}), of which it may take {free}")
                }
            };
            return Err(Problem::refused(
                format!("{free}, and {needed} may be needed"),
                "give fewer rows or tables, or another target",
            ));
        }
        Ok(memory.is_some())
    }

    /// What a transaction may wait for.
    fn waits_for(&self) -> BTreeSet<WaitsFor> {
        let mut waits: BTreeSet<WaitsFor> = [WaitsFor::Processor, WaitsFor::Device].into();
        if self.mix.writes() {
            waits.extend((self.options.synchronous != "off").then_some(WaitsFor::Flush));
            waits.extend((self.clients > 1).then_some(WaitsFor::Lock));
        }
        waits
    }
}

impl Planned for PlannedOltp {
    fn survey(&mut self, host: &HostInfo) -> Result<Requirements, Problem> {
        self.check()?;
        let folder = Path::new(&self.target[0]);
        if !folder.is_dir() {
            return Err(Problem::invalid(
                format!("{} is no folder", self.target[0]),
                "give an existing folder",
            ));
        }
        let in_memory = self.check_room(folder, host)?;
        let full = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        self.target = [full.to_string_lossy().into_owned()];
        let mut resolved = Parameters::default();
        resolved.set(named("target"), self.target[0].as_str());
        let classes = self.mix.classes().len() as u64;
        let own = self.clients.saturating_mul(self.options.cache_bytes.saturating_add(classes * CLASS_BYTES));
        let database = self.database();
        let memory_bytes = own.saturating_add(if in_memory { database.bytes } else { 0 });
        let fixtures = vec![database];
        Ok(Requirements { resolved, fixtures, effect: self.mix.effect, memory_bytes, limits: Vec::new() })
    }

    fn profile(&self, base: LoadProfile) -> LoadProfile {
        let mut concurrency = base.concurrency;
        concurrency.workers = self.clients.max(1);
        concurrency.operations = self.clients.max(1);
        let class = OperationClass::Other(ClassName::new("transaction"));
        LoadProfile {
            flows: vec![Flow::only(class, FlowUnit::Operations)],
            waits_for: self.waits_for(),
            targets: 1,
            paths: self.target.to_vec(),
            span_bytes: Some(self.shape.data.bytes()),
            caches: Caches::PageCache,
            concurrency,
            ..base
        }
    }

    fn targets(&self) -> &[String] {
        &self.target
    }

    fn prepare(&self, given: &LoadContext<'_>) -> Result<Box<dyn Prepared>, Fault> {
        let made = given.fixtures.find::<SqliteDatabase>(&self.database());
        let made = made.ok_or_else(|| Fault::Other("the database was not made".to_owned()))?;
        let (connection, _) = sqlite::open(&made.path, &self.options)?;
        sqlite::reset(&connection)?;
        let known = sqlite::describe(&connection)?;
        Ok(Box::new(PreparedOltp {
            path: made.path.clone(),
            options: self.options.clone(),
            mix: Arc::new(self.mix.transactions(&self.shape)),
            classes: self.mix.classes(),
            clients: usize::try_from(self.clients).unwrap_or(usize::MAX),
            prepares: self.prepares,
            counts: Arc::default(),
            known,
        }))
    }

    fn metrics(&self, mut all: Metrics, outcome: &LoadOutcome, window: Window) -> Metrics {
        all.extend(metrics::of_outcome(outcome, window));
        all
    }
}
