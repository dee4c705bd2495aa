//! Parameters that loads on databases have in common.

use std::time::Duration;

use engine::numa::RequestedNodes;
use model::Parameters;
use model::parameter::{Kind, ParameterSpec, Word};
use model::plan::Problem;
use model::profile::Aspect;
use model::resource::Symbol;

use crate::workload::common::LoadSchedule;
use crate::workload::db::isolation::{self, IsolationLevel};
use crate::workload::db::kept::{self, TableChoices};
use crate::workload::db::server;
use crate::workload::db::server::home::ServerHome;
use crate::workload::db::sqlite::{JOURNAL_MODES, SYNCHRONOUS, SqliteOptions};
use crate::workload::db::url::DatabaseUrl;
use crate::workload::disk::stacked;
use crate::workload::named;

/// The URL of what only SQLite has.
const OF_SQLITE: &[&str] = &["sqlite:"];
/// What is said of a server of ours where it is a file of SQLite: with the URL of a server nothing is said.
const NOT_STARTED: &[&str] = &["no"];

/// What the results of every load on a database depend on.
pub(in crate::workload) const PATH: &[Symbol] =
    &[Symbol::WorkerCpus, Symbol::TargetFileSystem, Symbol::TargetDevice, Symbol::ServerInterface];

/// Parameters of every load that say where it works; they stand before its own.
const OF_PLACE: [ParameterSpec; 12] = [
    URL,
    server::START,
    TARGET,
    stacked::STACK,
    stacked::LAYER,
    stacked::MEMBER_SIZE,
    stacked::PRESENT,
    server::VARIABLES,
    server::ALLOW_SETTINGS,
    server::PASSWORD_FILE,
    RECREATE,
    KEEP_DATA,
];

/// Parameters of every load that say how its statements are executed; they stand behind its own.
const OF_SESSIONS: [ParameterSpec; 7] =
    [PREPARED, isolation::ISOLATION, JOURNAL_MODE, SYNCHRONOUS_MODE, CACHE_SIZE, COLD, TIMEOUT];

/// How many parameters every load has.
pub(in crate::workload) const COMMON: usize = OF_PLACE.len() + OF_SESSIONS.len();

/// The parameters of a load that has these of its own: all together are `ALL`.
pub(in crate::workload) const fn with_common<const OWN: usize, const ALL: usize>(
    own: &[ParameterSpec; OWN],
) -> [ParameterSpec; ALL] {
    let (before, mut all) = (OF_PLACE.len(), [URL; ALL]);
    let mut place = 0;
    while place < ALL {
        all[place] = if place < before {
            OF_PLACE[place]
        } else if place < before + OWN {
            own[place - before]
        } else {
            OF_SESSIONS[place - before - OWN]
        };
        place += 1;
    }
    all
}

pub(in crate::workload) const URL: ParameterSpec = ParameterSpec::new(
    "url",
    Kind::Text,
    "Which database. `sqlite:` is a new one of SQLite in the target; `postgres://USER@HOST:PORT/DATABASE` and \
     `mysql://...` are servers, with `?tls=verify` over TLS; `sqlite:PATH` is a new file there, or one that is there already, \
     which `db.script` only reads. What is made is removed at the end. A password in it is \
     taken out before anything is kept; it may also stand in a file (`password-file`) or in the environment \
     (`HEADROOM_DB_PASSWORD`).",
)
.default("sqlite:")
.not_work();

pub(in crate::workload) const TARGET: ParameterSpec = ParameterSpec::new(
    "target",
    Kind::Path,
    "A folder, in which the database of SQLite, or a server that is started, is made and removed.",
)
.says(Aspect::Targets)
.folder()
.default(".")
.costly()
.not_work()
.only_with("url", OF_SQLITE);

const RECREATE: ParameterSpec = ParameterSpec::new(
    "recreate",
    Kind::Flag,
    "Remove tables of the load's names that are in the database of the URL already, or data that was kept; of SQLite a file \
     that has no other tables. Without it tables are left alone, and the load is refused.",
)
.default("no")
.silent_by_default()
.not_work();

const KEEP_DATA: ParameterSpec = ParameterSpec::new(
    "keep-data",
    Kind::Flag,
    "Keep the data for later runs, which look whether it is whole and use it. On a server it is in a database of its own, \
     whose name says what data it is; of SQLite it is a file in the target. `headroom restore --kept` removes it.",
)
.default("no")
.silent_by_default()
.not_work();

pub(in crate::workload) const CLIENTS: ParameterSpec =
    ParameterSpec::new("clients", Kind::Count, "Clients at once, each with a connection of its own.")
        .says(Aspect::Streams)
        .remote_max(1024)
        .default("1");

const PREPARED: ParameterSpec = ParameterSpec::new(
    "prepared",
    Kind::Flag,
    "Prepare each statement once. With `no` each is parsed anew, with its values in it.",
)
.default("yes");

pub(in crate::workload) const JOURNAL_MODE: ParameterSpec =
    ParameterSpec::new("journal-mode", Kind::Choice, "How SQLite keeps transactions whole.")
        .always_told()
        .default("wal")
        .words(JOURNAL_MODES)
        .only_with("start", NOT_STARTED);

pub(in crate::workload) const SYNCHRONOUS_MODE: ParameterSpec =
    ParameterSpec::new("synchronous", Kind::Choice, "What SQLite waits for when it commits.")
        .always_told()
        .default("full")
        .words(SYNCHRONOUS)
        .only_with("start", NOT_STARTED);

pub(in crate::workload) const CACHE_SIZE: ParameterSpec =
    ParameterSpec::new("cache-size", Kind::Size, "Bytes of pages that each connection of SQLite keeps.")
        .remote_max(64 << 30)
        .default("2000KiB")
        .only_with("start", NOT_STARTED);

const COLD: ParameterSpec = ParameterSpec::new(
    "cold",
    Kind::Flag,
    "Begin each trial with nothing of the database in memory, and count from the first transaction on: SQLite's file is \
     dropped from the page cache, and a server that was started for the run (`start`) is ended and started again with empty \
     buffers. With `no` it begins with what is there, after the warm-up.",
)
.default("no")
.silent_by_default();

pub(in crate::workload) const TIMEOUT: ParameterSpec = ParameterSpec::new(
    "timeout",
    Kind::Duration,
    "How long a statement waits for a lock, and for how long a transaction is begun again; then it has failed.",
)
.default("10s")
.not_work();

/// Where a load works, and with how many clients.
#[derive(Clone, Debug)]
pub(in crate::workload) struct ClientOptions {
    /// Of a server that is started it says the system only.
    pub(in crate::workload) url: DatabaseUrl,
    /// The server; none where there is none.
    pub(in crate::workload) home: Option<ServerHome>,
    pub(in crate::workload) target: String,
    pub(in crate::workload) threads: u64,
    pub(in crate::workload) clients: u64,
    pub(in crate::workload) prepares: bool,
    /// What is done with tables that are there already, or stay.
    pub(in crate::workload) tables: TableChoices,
    /// The isolation of its transactions; none where they have that of the database.
    pub(in crate::workload) isolation: Option<IsolationLevel>,
    /// Whether each trial begins with nothing of the database in the page cache.
    pub(in crate::workload) cold: bool,
    pub(in crate::workload) sqlite: SqliteOptions,
}

impl ClientOptions {
    /// What `parameters` say.
    pub(in crate::workload) fn of(parameters: &Parameters, schedule: &LoadSchedule) -> Result<Self, Problem> {
        let seconds = parameters.number(named("timeout"))?;
        let url = DatabaseUrl::parse(parameters.text(named("url"))?)?;
        let home = ServerHome::of(parameters, &url)?;
        let reads_only = home.is_none() && !url.database.is_empty();
        let keeps = parameters.flag(named("keep-data"))?;
        check_stack(parameters, home.as_ref(), &url)?;
        // Plans of earlier versions have none.
        let cold = parameters.given(named("cold"), Parameters::flag)?.unwrap_or(false);
        if cold && home.is_some() && schedule.nodes != RequestedNodes::default() {
            return Err(Problem::invalid(
                "a server that is started again for each cold trial would be held to the NUMA nodes of the load",
                "leave cold out, or the nodes",
            ));
        }
        if keeps && stacked::has_stack(parameters) {
            return Err(kept::refused(
                "a stack is taken down at the end of the run with all that lies on it",
            ));
        }
        Ok(Self {
            url: home.as_ref().map_or(url, |home| home.url.clone()),
            home,
            target: parameters.text(named("target"))?.to_owned(),
            threads: schedule.threads,
            clients: parameters.integer(named("clients"))?,
            prepares: parameters.flag(named("prepared"))?,
            tables: TableChoices { recreates: parameters.flag(named("recreate"))?, keeps },
            isolation: IsolationLevel::of(parameters)?,
            cold,
            sqlite: SqliteOptions {
                journal_mode: word(parameters, "journal-mode", JOURNAL_MODES)?.to_owned(),
                synchronous: word(parameters, "synchronous", SYNCHRONOUS)?.to_owned(),
                cache_bytes: parameters.integer(named("cache-size"))?,
                reads_only,
                timeout: Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX),
            },
        })
    }
}

/// Looks whether the database lies on the stack that is asked for: one that is there already does not, nor does one whose
/// path was given.
fn check_stack(parameters: &Parameters, home: Option<&ServerHome>, url: &DatabaseUrl) -> Result<(), Problem> {
    let is_elsewhere = home.map_or(!url.database.is_empty(), |home| home.targets().is_empty());
    if is_elsewhere && stacked::has_stack(parameters) {
        return Err(Problem::invalid(
            format!("the database of the url {url} does not lie on the stack"),
            "leave the url out, or the stack",
        ));
    }
    Ok(())
}

/// The word that a parameter has, if it is one of these: it becomes a part of a statement.
pub(in crate::workload) fn word(
    parameters: &Parameters,
    name: &'static str,
    words: &[Word],
) -> Result<&'static str, Problem> {
    let text = parameters.text(named(name))?;
    let known = words.iter().find(|known| known.word == text);
    let known =
        known.ok_or_else(|| Problem::invalid(format!("`{text}` is nothing that {name} can be"), ""))?;
    Ok(known.word)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is said of a load that is given these.
    fn told(given: &[(&'static str, &str)], url: &str) -> String {
        let mut parameters = Parameters::default();
        for (name, value) in given {
            parameters.set(named(name), *value);
        }
        let url = DatabaseUrl::parse(url).unwrap();
        let home = ServerHome::of(&parameters, &url).unwrap();
        let checked = check_stack(&parameters, home.as_ref(), &url);
        checked.map_or_else(|problem| problem.message, |()| String::new())
    }

    #[test]
    fn a_database_elsewhere_is_on_no_stack() {
        for stack in [("stack", "loop > ext4"), ("present", "nfs")] {
            for url in ["sqlite:/data/x.db", "postgres://me@here/x", "mysql://me@here/x"] {
                assert!(told(&[stack], url).contains("does not lie on the stack"), "{stack:?} {url}");
            }
            assert_eq!(told(&[stack], "sqlite:"), "");
            assert_eq!(told(&[stack, ("start", "postgres"), ("target", "/data")], "sqlite:"), "");
        }
        assert_eq!(told(&[], "sqlite:/data/x.db"), "");
    }
}
