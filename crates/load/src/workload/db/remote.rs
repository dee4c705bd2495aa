//! The systems whose servers are spoken to: one line each.

use std::fmt::Debug;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use engine::Worker;
use engine::clock;
use engine::fault::Fault;
use model::{FactName, Value};

use crate::fixture::Progress;
use crate::workload::db::client::{FailureKind, StatementFailure};
use crate::workload::db::connect_times::ConnectTimes;
use crate::workload::db::counter_watch::CounterWatch;
use crate::workload::db::kept_tables;
use crate::workload::db::load::ConsistencyCheck;
use crate::workload::db::mysql::MySqlCodec;
use crate::workload::db::password::Password;
use crate::workload::db::postgres::PostgresCodec;
use crate::workload::db::remote_tables::{self, MadeTables, TableOrder};
use crate::workload::db::server::variables::{self, ServerVariable};
use crate::workload::db::transaction::SqlStatement;
use crate::workload::db::url::{DatabaseSystem, DatabaseUrl};
use crate::workload::db::wire::multiplexed::{MultiplexedLoad, MultiplexedWorker};
use crate::workload::db::wire::{DatabaseConnection, DatabaseServer, Dialect, TextRow};

/// The system of these servers; none for what is no server.
pub(in crate::workload) fn system(system: DatabaseSystem) -> Option<&'static dyn RemoteSystem> {
    static MYSQL: SystemOf<MySqlCodec> = SystemOf(PhantomData);
    static POSTGRES: SystemOf<PostgresCodec> = SystemOf(PhantomData);
    match system {
        DatabaseSystem::MySql => Some(&MYSQL),
        DatabaseSystem::Postgres => Some(&POSTGRES),
        DatabaseSystem::Sqlite => None,
    }
}

/// So often it is asked how long a round trip takes.
const ROUND_TRIPS: usize = 21;

/// The clients of one worker.
#[derive(Debug)]
pub(in crate::workload) struct WorkerClients<'a> {
    pub(in crate::workload) clients: u64,
    pub(in crate::workload) prepares: bool,
    pub(in crate::workload) connects: &'a ConnectTimes,
}

/// What a load asks of a system, whichever it is.
pub(in crate::workload) trait RemoteSystem: Debug + Sync {
    /// The server that `url` names, where one signs in with `password`.
    ///
    /// # Errors
    /// If its name means nothing here.
    fn find(
        &self,
        url: &DatabaseUrl,
        password: Option<Password>,
        timeout: Duration,
    ) -> Result<DatabaseServer, Fault>;

    /// These variables as the server has them in a session.
    ///
    /// # Errors
    /// If it has none of that name.
    fn read_variables(
        &self,
        server: &DatabaseServer,
        variables: &[ServerVariable],
    ) -> Result<Vec<(FactName, Value)>, Fault>;

    /// Brings the server to where each trial begins; what it says of itself, and how far away it is.
    ///
    /// # Errors
    /// If it cannot be asked.
    fn describe(&self, server: &DatabaseServer) -> Result<Vec<(FactName, Value)>, Fault>;

    /// Begins to read the counters of the server.
    fn watch(&self, server: &DatabaseServer) -> CounterWatch;

    /// As [`remote_tables::make`].
    ///
    /// # Errors
    /// As there.
    fn make(
        &self,
        server: &DatabaseServer,
        order: TableOrder<'_>,
        progress: &mut Progress<'_>,
    ) -> Result<MadeTables, Fault>;

    /// As [`remote_tables::check`].
    ///
    /// # Errors
    /// As there.
    fn check(&self, made: &MadeTables) -> Result<(), Fault>;

    /// As [`remote_tables::remove`].
    ///
    /// # Errors
    /// As there.
    fn remove(&self, made: MadeTables) -> Result<(), Fault>;

    /// As [`remote_tables::remove_database`]; where `server` names no other database, its own is used for that.
    ///
    /// # Errors
    /// As there.
    fn remove_database(&self, server: &DatabaseServer, name: &str) -> Result<(), Fault>;

    /// As [`kept_tables::mark_written`].
    ///
    /// # Errors
    /// As there.
    fn mark_written(&self, made: &MadeTables) -> Result<(), Fault>;

    /// What the server answers to a statement, in a session of its own.
    ///
    /// # Errors
    /// Why it does not.
    fn ask(&self, server: &DatabaseServer, statement: &str) -> Result<Vec<TextRow>, StatementFailure>;

    /// As [`remote_tables::agree`].
    ///
    /// # Errors
    /// As there.
    fn agree(&self, server: &DatabaseServer, checks: &[ConsistencyCheck]) -> Result<(), Fault>;

    /// A worker with its clients, who are connected when this returns.
    ///
    /// # Errors
    /// If one does not get in, or a statement is none.
    fn worker(
        &self,
        server: &DatabaseServer,
        clients: WorkerClients<'_>,
        load: MultiplexedLoad,
    ) -> Result<Box<dyn Worker>, Fault>;
}

/// The system whose protocol this is.
struct SystemOf<C>(PhantomData<fn() -> C>);

impl<C: Dialect> Debug for SystemOf<C> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(C::NAME)
    }
}

impl<C: Dialect + 'static> RemoteSystem for SystemOf<C> {
    fn find(
        &self,
        url: &DatabaseUrl,
        password: Option<Password>,
        timeout: Duration,
    ) -> Result<DatabaseServer, Fault> {
        DatabaseServer::find::<C>(url, password, timeout).map_err(fault)
    }

    fn read_variables(
        &self,
        server: &DatabaseServer,
        variables: &[ServerVariable],
    ) -> Result<Vec<(FactName, Value)>, Fault> {
        if variables.is_empty() {
            return Ok(Vec::new());
        }
        let mut connection = DatabaseConnection::<C>::open(server).map_err(fault)?;
        variables::read_back(C::SYSTEM, variables, &mut |text| connection.query(text))
    }

    fn describe(&self, server: &DatabaseServer) -> Result<Vec<(FactName, Value)>, Fault> {
        let mut connection = DatabaseConnection::<C>::open(server).map_err(fault)?;
        for before in C::BEFORE_TRIAL {
            is_done(connection.query(before)).map_err(fault)?;
        }
        let version = first(&mut connection, C::VERSION)?.unwrap_or_default();
        let mut facts = vec![
            (FactName::new("database_version"), Value::Text(version)),
            (FactName::new("database_connection"), Value::Text(server.way().to_owned())),
        ];
        for (question, name) in C::SETTINGS {
            // A setting that this version does not have is no setting of it.
            if let Ok(rows) = connection.query(question)
                && let Some(value) = rows.into_iter().flatten().flatten().next()
            {
                facts.push((FactName::new(name), Value::Text(value)));
            }
        }
        let trip_s = round_trip_s(&mut connection)?;
        facts.push((FactName::new("database_round_trip"), Value::Number(trip_s)));
        Ok(facts)
    }

    fn watch(&self, server: &DatabaseServer) -> CounterWatch {
        CounterWatch::start::<C>(server.clone())
    }

    fn make(
        &self,
        server: &DatabaseServer,
        order: TableOrder<'_>,
        progress: &mut Progress<'_>,
    ) -> Result<MadeTables, Fault> {
        remote_tables::make::<C>(server, order, progress)
    }

    fn check(&self, made: &MadeTables) -> Result<(), Fault> {
        remote_tables::check::<C>(made)
    }

    fn remove(&self, made: MadeTables) -> Result<(), Fault> {
        remote_tables::remove::<C>(made)
    }

    fn remove_database(&self, server: &DatabaseServer, name: &str) -> Result<(), Fault> {
        let is_itself = server.url.database == name;
        let entry =
            if is_itself { server.with_database(C::MAINTENANCE) } else { remote_tables::entry::<C>(server) };
        remote_tables::remove_database::<C>(&entry, name)
    }

    fn mark_written(&self, made: &MadeTables) -> Result<(), Fault> {
        kept_tables::mark_written::<C>(&made.home)
    }

    fn ask(&self, server: &DatabaseServer, statement: &str) -> Result<Vec<TextRow>, StatementFailure> {
        DatabaseConnection::<C>::open(&remote_tables::entry::<C>(server))?.query(statement)
    }

    fn agree(&self, server: &DatabaseServer, checks: &[ConsistencyCheck]) -> Result<(), Fault> {
        remote_tables::agree::<C>(server, checks)
    }

    fn worker(
        &self,
        server: &DatabaseServer,
        clients: WorkerClients<'_>,
        load: MultiplexedLoad,
    ) -> Result<Box<dyn Worker>, Fault> {
        let statements: Arc<[SqlStatement]> = load.mix.statements.clone().into();
        let mut all = Vec::new();
        for _ in 0..clients.clients {
            let begun_ns = clock::now_ns();
            let mut connection = DatabaseConnection::<C>::open(server).map_err(fault)?;
            clients.connects.add(clock::now_ns().saturating_sub(begun_ns));
            connection.set_statements(Arc::clone(&statements), clients.prepares).map_err(fault)?;
            all.push(connection);
        }
        Ok(Box::new(MultiplexedWorker::new(all, load)?))
    }
}

/// How long it takes to ask for nothing much: the median of several times, s. The first may have to read the
/// catalogue.
fn round_trip_s<C: Dialect>(connection: &mut DatabaseConnection<C>) -> Result<f64, Fault> {
    let mut times = Vec::with_capacity(ROUND_TRIPS);
    for _ in 0..ROUND_TRIPS {
        let begun_ns = clock::now_ns();
        connection.query("SELECT 1").map_err(fault)?;
        times.push(clock::now_ns().saturating_sub(begun_ns));
    }
    times.sort_unstable();
    Ok(times[ROUND_TRIPS / 2] as f64 / 1e9)
}

/// The first value of the answer to a question.
pub(in crate::workload) fn first<C: Dialect>(
    connection: &mut DatabaseConnection<C>,
    question: &str,
) -> Result<Option<String>, Fault> {
    Ok(connection.query(question).map_err(fault)?.into_iter().flatten().next().flatten())
}

/// Whether something was done that the server may refuse.
///
/// # Errors
/// If the connection is lost.
pub(in crate::workload) fn is_done<R>(result: Result<R, StatementFailure>) -> Result<bool, StatementFailure> {
    match result {
        Ok(_) => Ok(true),
        Err(failure) if failure.kind == FailureKind::Lost => Err(failure),
        Err(_) => Ok(false),
    }
}

/// The fault of a load that cannot go on.
#[cold]
pub(in crate::workload) fn fault(failure: StatementFailure) -> Fault {
    Fault::Other(failure.message)
}
