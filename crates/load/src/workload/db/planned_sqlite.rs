//! Any load on a file of SQLite, a new one in the target or where its path was given, or one that is only read: whether there
//! is room for it, and what it waits for.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use engine::Prepared;
use engine::fault::Fault;
use engine::outcome::LoadOutcome;
use model::plan::{Effect, FixtureKey, Problem};
use model::profile::{Caches, ClassName, Flow, FlowUnit, OperationClass, WaitsFor};
use model::scalar::binary;
use model::trial::Window;
use model::{LoadProfile, WorkloadName};

use crate::fixture::FixtureStore;
use crate::in_memory::{self, Room};
use crate::workload::db::dataset::DataSet;
use crate::workload::db::kept::{self, DataOrigin};
use crate::workload::db::load::DatabaseLoad;
use crate::workload::db::load_facts;
use crate::workload::db::metrics;
use crate::workload::db::parameters::ClientOptions;
use crate::workload::db::sqlite::checkpoint_watch::CheckpointWatch;
use crate::workload::db::sqlite::fixture::SqliteDatabase;
use crate::workload::db::sqlite::named_file::{self, NamedFileOrder};
use crate::workload::db::sqlite::prepared::PreparedSqlite;
use crate::workload::db::sqlite::{self, cold_start, existing_file, tables};
use crate::workload::db::target_space::TargetSpace;
use crate::workload::db::url::DatabaseSystem;
use crate::workload::{HostInfo, LoadContext, Metrics, Planned, Requirements, named};

/// The most clients of one load.
const CLIENTS_MOST: u64 = 1024;

/// Bytes that always stay free on the file system, and the longest write-ahead log that is allowed for: SQLite begins
/// it anew when it has 1,000 pages, unless a reader keeps it from that.
const RESERVE_BYTES: u64 = 64 << 20;
const LOG_BYTES: u64 = 64 << 20;

/// Bytes of the counts of one class of operations in the few records of a worker.
const CLASS_BYTES: u64 = 1 << 19;

/// A load whose parameters were read.
#[derive(Debug)]
pub(in crate::workload) struct PlannedSqlite {
    /// The workload, for messages.
    name: WorkloadName,
    load: Box<dyn DatabaseLoad>,
    options: ClientOptions,
    /// The folder that it is in, or the database that it reads.
    target: [String; 1],
    /// The new file whose path was given, a whole path.
    file: Option<String>,
}

impl PlannedSqlite {
    /// `load`, which is one of the workload called `name`.
    pub(in crate::workload) fn new(
        name: WorkloadName,
        load: Box<dyn DatabaseLoad>,
        mut options: ClientOptions,
    ) -> Self {
        // A file that is there is only read; any other load makes its own.
        options.sqlite.reads_only &= load.data() == DataSet::Existing;
        let target = [options.target.clone()];
        Self { name, load, options, target, file: None }
    }

    /// The database that is made for it.
    fn database(&self) -> FixtureKey {
        let used_up = self.load.effect() == Effect::UsedUp;
        let [folder] = &self.target;
        let key = match &self.file {
            Some(file) => named_file::key(folder, &self.order(file)),
            None => tables::key(folder, self.load.data(), self.options.tables),
        };
        FixtureKey { used_up, ..key }
    }

    /// What it needs in the new file at this path.
    fn order(&self, file: &str) -> NamedFileOrder {
        let recreates = self.options.tables.recreates;
        NamedFileOrder { file: file.to_owned(), data: self.load.data(), recreates }
    }

    /// The path that was given for a new file.
    fn named(&self) -> Option<&Path> {
        let path = self.options.url.database.as_str();
        (!path.is_empty() && !self.options.sqlite.reads_only).then(|| Path::new(path))
    }

    /// The database of the user's that it reads, where it has none of its own.
    fn existing(&self) -> Option<&Path> {
        self.options.sqlite.reads_only.then(|| Path::new(&self.options.url.database))
    }

    /// Where the database is, and where it came from if it is kept.
    fn find(&self, fixtures: &FixtureStore) -> Result<(PathBuf, Option<DataOrigin>), Fault> {
        if let Some(path) = self.existing() {
            return Ok((path.to_owned(), None));
        }
        let made = fixtures.find::<SqliteDatabase>(&self.database());
        let made = made.ok_or_else(|| Fault::Other("the database was not made".to_owned()))?;
        Ok((made.path.clone(), made.origin()))
    }

    /// What a load needs that reads the database of the user's at `path`.
    fn survey_existing(&self, path: &Path) -> Result<Requirements, Problem> {
        if self.load.effect() != Effect::Clean {
            return Err(Problem::refused(
                "the transactions would change tables that were there before",
                "only select from those, or have the file make tables of its own",
            ));
        }
        existing_file::check(path)?;
        Ok(Requirements { memory_bytes: self.memory_bytes(), ..Requirements::default() })
    }

    /// Bytes that its clients take.
    fn memory_bytes(&self) -> u64 {
        let classes = self.load.classes().len() as u64;
        let each = self.options.sqlite.cache_bytes.saturating_add(classes * CLASS_BYTES);
        self.options.clients.saturating_mul(each)
    }

    /// What makes no sense together, or is too much.
    fn check(&self) -> Result<(), Problem> {
        let ClientOptions { url, threads, clients, .. } = &self.options;
        let wrong = |message: String, help: &str| Err(Problem::invalid(message, help));
        if self.options.tables.keeps && self.named().is_some() {
            return wrong(
                format!("{} keeps nothing in {url}: the file is removed at the end", self.name),
                "leave the url out and name a folder as target: kept data has a name of its own there",
            );
        }
        if self.options.tables.keeps
            && let Some(why) = kept::nothing_kept(self.load.effect(), &self.load.data())
        {
            return Err(kept::refused(why));
        }
        if let Some(level) = self.options.isolation {
            level.check(url.system)?;
        }
        if threads > clients {
            return wrong(
                format!("{threads} threads are more than the {clients} clients, each of which has a thread"),
                "leave threads out, and give clients",
            );
        }
        if *clients > CLIENTS_MOST {
            return wrong(format!("{clients} clients are more than one load may have"), "at most 1024");
        }
        Ok(())
    }

    /// Whether there is room for the database in `folder`; whether that room is memory.
    fn check_room(&self, folder: &Path, host: &HostInfo) -> Result<bool, Problem> {
        let text = &self.target[0];
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
        let needed = self.load.data().bytes().saturating_add(LOG_BYTES);
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
                "give less data, or another target",
            ));
        }
        Ok(memory.is_some())
    }

    /// What a transaction may wait for.
    fn waits_for(&self) -> BTreeSet<WaitsFor> {
        let mut waits: BTreeSet<WaitsFor> = [WaitsFor::Processor, WaitsFor::Device].into();
        if self.load.effect() != Effect::Clean {
            waits.extend((self.options.sqlite.synchronous != "off").then_some(WaitsFor::Flush));
            waits.extend((self.options.clients > 1).then_some(WaitsFor::Lock));
        }
        waits
    }

    /// Where it is seen whether a disk is full.
    fn space(&self) -> TargetSpace {
        TargetSpace::of(self.target.first().map(String::as_str))
    }

    /// The load on the database that was made, or is there.
    fn ready(&self, given: &LoadContext<'_>) -> Result<PreparedSqlite, Fault> {
        let (path, origin) = self.find(given.fixtures)?;
        let (connection, _) = sqlite::open(&path, &self.options.sqlite)?;
        if origin.is_some() && self.load.effect() != Effect::Clean {
            sqlite::mark_written(&connection)?;
        }
        if !self.options.sqlite.reads_only {
            sqlite::reset(&connection)?;
        }
        let mut known = sqlite::describe(&connection)?;
        known.extend(origin.into_iter().flat_map(DataOrigin::facts));
        let mix = self.load.mix(DatabaseSystem::Sqlite).map_err(|problem| Fault::Other(problem.message))?;
        known.extend(load_facts::of(&*self.load, &mix));
        if self.options.cold {
            // Who closes a file last may write to it.
            drop(connection);
            known.extend(cold_start::forget(&path)?);
        }
        let sqlite = &self.options.sqlite;
        let has_log = sqlite.journal_mode == "wal" && !sqlite.reads_only;
        Ok(PreparedSqlite {
            checkpoints: has_log.then(|| CheckpointWatch::start(&path)),
            path,
            options: self.options.sqlite.clone(),
            mix: Arc::new(mix),
            classes: self.load.classes(),
            checks: self.load.checks(),
            clients: usize::try_from(self.options.clients).unwrap_or(usize::MAX),
            prepares: self.options.prepares,
            counts: Arc::default(),
            known,
            is_cold: self.options.cold,
            space: self.space(),
        })
    }
}

impl Planned for PlannedSqlite {
    fn survey(&mut self, host: &HostInfo) -> Result<Requirements, Problem> {
        self.load.read()?;
        self.check()?;
        self.load.mix(DatabaseSystem::Sqlite)?;
        if let Some(path) = self.existing() {
            let path = path.to_owned();
            let needs = self.survey_existing(&path)?;
            self.target = [path.canonicalize().unwrap_or(path).to_string_lossy().into_owned()];
            return Ok(Requirements { resolved: self.load.resolved(), ..needs });
        }
        if self.load.data() == DataSet::Existing {
            return Err(Problem::invalid(
                "a new database of SQLite has no tables that are there already",
                "give the url of a server, or sqlite:PATH, or have the file make tables",
            ));
        }
        let mut resolved = self.load.resolved();
        let in_memory = if let Some(path) = self.named() {
            let (folder, file) = named_file::place(path)?;
            // Cases that are added later meet what this run has made.
            if !named_file::is_made_here(&file) {
                named_file::check(&self.order(&file))?;
            }
            (self.target, self.file) = ([folder.to_string_lossy().into_owned()], Some(file));
            self.check_room(&folder, host)?
        } else {
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
            resolved.set(named("target"), self.target[0].as_str());
            in_memory
        };
        if self.options.cold && in_memory {
            return Err(Problem::refused(
                format!("a database in {} is always in memory, so that no trial begins cold", self.target[0]),
                "give a target on a disk, or leave cold out",
            ));
        }
        let database = self.database();
        let in_it = if in_memory { database.bytes } else { 0 };
        let memory_bytes = self.memory_bytes().saturating_add(in_it);
        let (fixtures, effect) = (vec![database], self.load.effect());
        Ok(Requirements { resolved, fixtures, effect, memory_bytes, limits: Vec::new() })
    }

    fn profile(&self, base: LoadProfile) -> LoadProfile {
        let mut concurrency = base.concurrency;
        concurrency.workers = self.options.clients.max(1);
        concurrency.operations = self.options.clients.max(1);
        let class = OperationClass::Other(ClassName::new("transaction"));
        let bytes = self.load.data().bytes();
        LoadProfile {
            flows: vec![Flow::only(class, FlowUnit::Operations)],
            waits_for: self.waits_for(),
            targets: 1,
            paths: self.target.to_vec(),
            span_bytes: (bytes > 0).then_some(bytes),
            caches: Caches::PageCache,
            concurrency,
            ..base
        }
    }

    fn targets(&self) -> &[String] {
        &self.target
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
