//! `db.tpcb` against pgbench on PostgreSQL: its default transaction and `-S`, prepared (`-M prepared`), on tables of the
//! same scale, by as many clients, one thread on both sides.

use crate::context::BenchContext;
use crate::db_product::DatabaseProduct;
use crate::db_server::{ClientWay, PrivateDatabase};
use crate::judge::{Figure, Goal};
use crate::{Benchmark, Sides, db_sides};
use xtask::Error;

const FIGURES: &[Figure] = &[
    Figure { what: "transactions/s", unit: "1/s", goal: Goal::LowAtLeast(0.97) },
    Figure { what: "client CPU per transaction", unit: "s", goal: Goal::HighAtMost(1.0) },
];

/// Over TLS each side has its own library, so that there is no goal.
const TOLD: &[Figure] = &[
    Figure { what: "transactions/s", unit: "1/s", goal: Goal::None },
    Figure { what: "client CPU per transaction", unit: "s", goal: Goal::None },
];

/// A load, by its word here and by pgbench's, with the scale of its tables: 15 MB of each.
#[derive(Debug)]
struct PgbenchLoad {
    mix: &'static str,
    builtin: &'static str,
    scale: &'static str,
}

const SELECT_ONLY: PgbenchLoad = PgbenchLoad { mix: "select-only", builtin: "select-only", scale: "1" };
/// With more branches fewer of the clients wait for one another.
const TPCB_LIKE: PgbenchLoad = PgbenchLoad { mix: "tpcb-like", builtin: "tpcb-like", scale: "10" };

/// The peer's database.
const DATABASE: &str = "pgbench";

const fn select_only<const CLIENTS: u32>(name: &'static str) -> Benchmark {
    Benchmark {
        name,
        peer: "pgbench",
        needs: &["psql", "taskset"],
        figures: FIGURES,
        prepare: |context| prepare(context, ClientWay::Socket, &SELECT_ONLY, CLIENTS),
    }
}

const fn tpcb_like<const CLIENTS: u32>(name: &'static str) -> Benchmark {
    Benchmark {
        name,
        peer: "pgbench",
        needs: &["psql", "taskset"],
        figures: FIGURES,
        prepare: |context| prepare(context, ClientWay::Socket, &TPCB_LIKE, CLIENTS),
    }
}

/// An account read; one client.
pub(crate) const SELECT_1: Benchmark = select_only::<1>("db-pgbench-select-1");
/// The same, some clients.
pub(crate) const SELECT_8: Benchmark = select_only::<8>("db-pgbench-select-8");
/// The same, many.
pub(crate) const SELECT_50: Benchmark = select_only::<50>("db-pgbench-select-50");
/// Three balances changed, one read, a row added; one client.
pub(crate) const TPCB_1: Benchmark = tpcb_like::<1>("db-pgbench-tpcb-1");
/// The same, some clients.
pub(crate) const TPCB_8: Benchmark = tpcb_like::<8>("db-pgbench-tpcb-8");
/// The same, many.
pub(crate) const TPCB_50: Benchmark = tpcb_like::<50>("db-pgbench-tpcb-50");

/// An account read over TLS, some clients: what TLS costs both sides.
pub(crate) const SELECT_8_TLS: Benchmark = Benchmark {
    name: "db-pgbench-select-8-tls",
    peer: "pgbench",
    needs: &["psql", "taskset", "openssl"],
    figures: TOLD,
    prepare: |context| prepare(context, ClientWay::Tls, &SELECT_ONLY, 8),
};

struct PgbenchTransactions {
    server: PrivateDatabase,
    program: String,
    load: &'static PgbenchLoad,
    clients: String,
    start_cpu_s: f64,
}

fn prepare(
    context: &BenchContext,
    way: ClientWay,
    load: &'static PgbenchLoad,
    clients: u32,
) -> Result<Box<dyn Sides>, Error> {
    let server = PrivateDatabase::start_for(context, DatabaseProduct::Postgres, way)?;
    server.create(context, DATABASE)?;
    // Debian's in PATH is a script that looks for the right one.
    let program = server.path_of("pgbench")?;
    let clients = clients.to_string();
    let mut sides = PgbenchTransactions { server, program, load, clients, start_cpu_s: 0.0 };
    sides.make_tables(context)?;
    // One transaction of each client, which prepares the statements.
    sides.start_cpu_s = db_sides::start_cpu_s(context, &sides.run_words(&["-t", "1"]))?;
    Ok(Box::new(sides))
}

impl PgbenchTransactions {
    /// The words of pgbench with `what` in them.
    fn words(&self, what: &[&str]) -> Vec<String> {
        let (host, port, server) = (self.server.host(), self.server.port(), &self.server);
        let to = [self.program.as_str(), "-h", &host, "-p", &port, "-U", server.user()];
        let words = to.iter().chain(what).chain(&[DATABASE]).map(|word| (*word).to_owned());
        db_sides::client(server, words.collect())
    }

    /// Those of a run that ends as `until` says.
    fn run_words(&self, until: &[&str]) -> Vec<String> {
        let how = ["-n", "-M", "prepared", "-b", self.load.builtin, "-c", &self.clients, "-j", "1"];
        self.words(&[&how[..], until].concat())
    }

    /// Makes the tables anew: what a run before has changed would be the next one's work.
    fn make_tables(&self, context: &BenchContext) -> Result<(), Error> {
        db_sides::peer(context, &self.words(&["-i", "-q", "-s", self.load.scale]))?;
        let tables = ["pgbench_accounts", "pgbench_tellers", "pgbench_branches", "pgbench_history"];
        self.server.settle(context, DATABASE, &tables)
    }
}

impl Sides for PgbenchTransactions {
    fn ours(&self, context: &BenchContext, seed: u64) -> Result<Vec<f64>, Error> {
        let PgbenchLoad { mix, scale, .. } = self.load;
        let words = ["db.tpcb", "--mix", mix, "--clients", &self.clients, "--scale", scale];
        let metrics = db_sides::ours(context, &self.server, &words, seed)?;
        Ok(vec![metrics.get("transactions_per_second")?, metrics.get("cpu_per_operation")?])
    }

    fn peer(&self, context: &BenchContext) -> Result<Vec<f64>, Error> {
        self.make_tables(context)?;
        let cost = db_sides::peer(context, &self.run_words(&["-T", &context.seconds.to_string()]))?;
        let output = PgbenchOutput::read(&cost.text).ok_or_else(|| {
            Error::Bench(format!("pgbench tells no rate, or transactions that failed:\n{}", cost.text))
        })?;
        Ok(vec![output.transactions_per_s, (cost.cpu_s - self.start_cpu_s) / output.transactions])
    }

    fn version(&self, context: &BenchContext) -> Result<String, Error> {
        Ok(format!("its pgbench, scale {}, {}", self.load.scale, self.server.version(context)?))
    }
}

/// What pgbench tells of a run in which no transaction failed.
#[derive(Debug, PartialEq)]
struct PgbenchOutput {
    transactions: f64,
    transactions_per_s: f64,
}

impl PgbenchOutput {
    fn read(text: &str) -> Option<Self> {
        let after = |label: &str| text.lines().find_map(|line| line.strip_prefix(label)).map(str::trim);
        // Since PostgreSQL 15.
        if after("number of failed transactions:").is_some_and(|failed| !failed.starts_with("0 ")) {
            return None;
        }
        let transactions: f64 = after("number of transactions actually processed:")?.parse().ok()?;
        let rate = after("tps = ")?.strip_suffix(" (without initial connection time)")?;
        let transactions_per_s: f64 = rate.parse().ok()?;
        (transactions > 0.0 && transactions_per_s > 0.0).then_some(Self { transactions, transactions_per_s })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By pgbench 15.18, shortened.
    const CAPTURE: &str = "transaction type: <builtin: TPC-B (sort of)>
scaling factor: 10
query mode: prepared
number of clients: 8
number of threads: 1
maximum number of tries: 1
duration: 1 s
number of transactions actually processed: 1931
number of failed transactions: 0 (0.000%)
latency average = 4.176 ms
initial connection time = 20.565 ms
tps = 1915.904588 (without initial connection time)
";

    #[test]
    fn a_real_answer_is_read() {
        let expected = PgbenchOutput { transactions: 1_931.0, transactions_per_s: 1_915.904_588 };
        assert_eq!(PgbenchOutput::read(CAPTURE), Some(expected));
    }

    #[test]
    fn an_answer_with_failures_or_without_a_rate_is_none() {
        assert_eq!(PgbenchOutput::read(&CAPTURE.replace("transactions: 0 (", "transactions: 3 (")), None);
        assert_eq!(PgbenchOutput::read(&CAPTURE.replace("1931", "0")), None);
        assert_eq!(PgbenchOutput::read(&CAPTURE.replace("tps", "rate")), None);
        assert_eq!(PgbenchOutput::read(""), None);
    }
}
