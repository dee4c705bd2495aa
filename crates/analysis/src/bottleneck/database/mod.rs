//! What holds a load on a database back: each client executes a statement, waits for it, and executes the next, so that
//! the clients' time is what there is to be spent. Where half of it goes is what is named: in the clients' own threads
//! (`clients`), in the processors of the server, or of SQLite, which works in those threads (`processor`), in waits for
//! locks (`locks`), for the log (`log`) and for pages (`reads`), or on the way (`round_trip`). What is left is the
//! server's own. A mean number of clients that wait for something is their share times the clients
//! (Little's law).

pub(super) mod clients;
pub(super) mod locks;
pub(super) mod log;
pub(super) mod most;
pub(super) mod processor;
pub(super) mod reads;
pub(super) mod round_trip;
pub(super) mod temporary;
#[cfg(test)]
mod tests;

use model::database::metric as names;
use model::profile::Aspect;
use model::run::CaseResult;
use model::{FactName, MetricName, Resource, Trial, fact, metric};

use super::FULL;
use crate::measure::{self, End};

/// CPUs that are busy for so much are full where more clients than CPUs ask for them: who waits for an answer gives way
/// now and then.
const CROWDED: f64 = 0.85;

/// So much of what all CPUs do is of both ends where these are what fills them.
const MOSTLY: f64 = 0.8;

/// Whether the load executes transactions on a database.
pub(super) fn is_one(case: &CaseResult) -> bool {
    measure::does_transactions(case)
}

/// Whether it does so on a server; otherwise the database works in the threads of its clients.
fn is_served(case: &CaseResult) -> bool {
    is_one(case) && measure::is_net(case)
}

/// How many clients there are.
fn clients(case: &CaseResult) -> f64 {
    measure::concurrency(case).max(1.0)
}

/// A metric, in the mean trial.
fn median_of(case: &CaseResult, name: MetricName) -> Option<f64> {
    measure::median(case, |trial| measure::measured(trial, name))
}

/// A fact that is a number, in the mean trial.
fn known(case: &CaseResult, name: FactName) -> Option<f64> {
    measure::median(case, |trial| measure::number(trial, name))
}

/// The share of the clients' time that so many of them in the mean are.
fn share(case: &CaseResult, name: MetricName) -> Option<f64> {
    Some((median_of(case, name)? / clients(case)).min(1.0))
}

/// CPU seconds of the clients' threads for each second.
fn client_cpu(case: &CaseResult) -> Option<f64> {
    let of = |trial: &Trial| {
        let rate = measure::measured(trial, metric::TRANSACTIONS_PER_SECOND)?;
        Some(measure::measured(trial, metric::CPU_PER_OPERATION)? * rate)
    };
    measure::median(case, of)
}

/// What so much for each second is for each statement.
fn each_statement(case: &CaseResult, per_second: f64) -> Option<f64> {
    let queries = median_of(case, names::QUERIES_PER_SECOND).filter(|queries| *queries > 0.0)?;
    Some(per_second / queries)
}

/// The parameter that says how many clients there are.
fn client_option(case: &CaseResult) -> String {
    let name = measure::profile(case).parameter(Aspect::Streams);
    name.map_or_else(|| "clients".to_owned(), |name| name.to_string())
}

/// All CPUs of this machine: how many, and for which share of their time they were busy.
struct BusyCpus {
    cpus: f64,
    busy: f64,
}

fn busy_cpus(case: &CaseResult) -> Option<BusyCpus> {
    let cpus = End::Drives.cpus(case)?;
    let busy = |trial: &Trial| {
        let of = |name: &str| measure::rate(trial, &Resource::CPUS, name);
        Some((1.0 - (of("idle")? + of("iowait").unwrap_or(0.0)) / cpus).max(0.0))
    };
    Some(BusyCpus { cpus, busy: measure::median(case, busy)? })
}

impl BusyCpus {
    /// Whether a load that uses so much of them is most of what they do.
    fn are_mostly(&self, used: f64) -> bool {
        used >= MOSTLY * self.busy * self.cpus
    }
}

/// CPUs that clients and server fill together.
struct SharedCpus {
    cpus: f64,
    clients: f64,
    server: f64,
}

/// All CPUs of this machine, where both ends are here and fill them.
fn shared_cpus(case: &CaseResult) -> Option<SharedCpus> {
    let all = busy_cpus(case)?;
    let is_full = all.busy >= FULL || all.busy >= CROWDED && clients(case) > all.cpus;
    let (clients, server) = (client_cpu(case)?, median_of(case, names::SERVER_CPU)?);
    let is_theirs = is_full && all.are_mostly(clients + server);
    is_theirs.then_some(SharedCpus { cpus: all.cpus, clients, server })
}

/// Where the time of clients goes in whose threads the database works, as shares of it.
struct LibraryTime {
    /// They waited while they committed: for what they wrote to be flushed.
    log: f64,
    /// They waited otherwise: for what they read.
    reads: f64,
}

/// That time, of SQLite. What is neither computing, nor standing ready for a CPU, nor sleeping for a lock, is waiting for
/// files.
fn library_time(case: &CaseResult) -> Option<LibraryTime> {
    if is_served(case) {
        return None;
    }
    let computed = client_cpu(case)? / clients(case);
    let ready = known(case, fact::RUN_DELAY).unwrap_or(0.0) / clients(case);
    let locks = share(case, names::CLIENTS_WAITING_FOR_LOCKS)?;
    let waits = (1.0 - computed - ready - locks).max(0.0);
    let log = share(case, names::CLIENTS_COMMITTING)?.min(waits);
    Some(LibraryTime { log, reads: waits - log })
}
