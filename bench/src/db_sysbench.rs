//! `db.oltp` against sysbench's OLTP on MariaDB and PostgreSQL: the same statements, prepared on both sides, on tables of as
//! many rows, by as many clients. sysbench has a thread for each client, ours one for all.

use crate::context::BenchContext;
use crate::db_product::DatabaseProduct;
use crate::db_server::{ClientWay, PrivateDatabase};
use crate::judge::{Figure, Goal};
use crate::{Benchmark, Sides, db_sides};
use xtask::Error;

const FIGURES: &[Figure] = &[
    Figure { what: "queries/s", unit: "1/s", goal: Goal::LowAtLeast(0.97) },
    Figure { what: "client CPU per query", unit: "s", goal: Goal::HighAtMost(0.8) },
];

/// Over TLS each side has its own library, so that there is no goal.
const TOLD: &[Figure] = &[
    Figure { what: "queries/s", unit: "1/s", goal: Goal::None },
    Figure { what: "client CPU per query", unit: "s", goal: Goal::None },
];

/// A load, by its word here and by the name of sysbench's script.
#[derive(Debug)]
struct OltpLoad {
    mix: &'static str,
    script: &'static str,
}

static LOADS: [OltpLoad; 3] = [
    OltpLoad { mix: "read-only", script: "oltp_read_only" },
    OltpLoad { mix: "point-select", script: "oltp_point_select" },
    OltpLoad { mix: "read-write", script: "oltp_read_write" },
];
/// Their places.
const READ: usize = 0;
const POINT: usize = 1;
const READ_WRITE: usize = 2;

/// Rows of the table, some 24 MB.
const ROWS: &str = "100000";

/// The peer's database and its table.
const DATABASE: &str = "sbtest";
const TABLE: &str = "sbtest1";

const fn mariadb<const LOAD: usize, const CLIENTS: u32>(name: &'static str) -> Benchmark {
    Benchmark {
        name,
        peer: "sysbench",
        needs: &["mariadbd", "sysbench", "taskset"],
        figures: FIGURES,
        prepare: |context| {
            prepare(context, DatabaseProduct::MariaDb, ClientWay::Socket, &LOADS[LOAD], CLIENTS)
        },
    }
}

const fn postgres<const LOAD: usize, const CLIENTS: u32>(name: &'static str) -> Benchmark {
    Benchmark {
        name,
        peer: "sysbench",
        needs: &["psql", "sysbench", "taskset"],
        figures: FIGURES,
        prepare: |context| {
            prepare(context, DatabaseProduct::Postgres, ClientWay::Socket, &LOADS[LOAD], CLIENTS)
        },
    }
}

/// MariaDB, ten rows by their keys and four ranges, in a transaction; one client.
pub(crate) const MARIADB_READ_1: Benchmark = mariadb::<READ, 1>("db-sysbench-mariadb-read-1");
/// The same, some clients.
pub(crate) const MARIADB_READ_8: Benchmark = mariadb::<READ, 8>("db-sysbench-mariadb-read-8");
/// The same, many.
pub(crate) const MARIADB_READ_50: Benchmark = mariadb::<READ, 50>("db-sysbench-mariadb-read-50");
/// MariaDB, a row by its key; one client.
pub(crate) const MARIADB_POINT_1: Benchmark = mariadb::<POINT, 1>("db-sysbench-mariadb-point-1");
/// The same, some clients.
pub(crate) const MARIADB_POINT_8: Benchmark = mariadb::<POINT, 8>("db-sysbench-mariadb-point-8");
/// The same, many.
pub(crate) const MARIADB_POINT_50: Benchmark = mariadb::<POINT, 50>("db-sysbench-mariadb-point-50");
/// MariaDB, reads and four changes in a transaction; one client.
pub(crate) const MARIADB_WRITE_1: Benchmark = mariadb::<READ_WRITE, 1>("db-sysbench-mariadb-readwrite-1");
/// The same, some clients.
pub(crate) const MARIADB_WRITE_8: Benchmark = mariadb::<READ_WRITE, 8>("db-sysbench-mariadb-readwrite-8");
/// The same, many.
pub(crate) const MARIADB_WRITE_50: Benchmark = mariadb::<READ_WRITE, 50>("db-sysbench-mariadb-readwrite-50");
/// PostgreSQL, ten rows by their keys and four ranges, in a transaction; one client.
pub(crate) const POSTGRES_READ_1: Benchmark = postgres::<READ, 1>("db-sysbench-postgres-read-1");
/// The same, some clients.
pub(crate) const POSTGRES_READ_8: Benchmark = postgres::<READ, 8>("db-sysbench-postgres-read-8");
/// The same, many.
pub(crate) const POSTGRES_READ_50: Benchmark = postgres::<READ, 50>("db-sysbench-postgres-read-50");
/// PostgreSQL, a row by its key; one client.
pub(crate) const POSTGRES_POINT_1: Benchmark = postgres::<POINT, 1>("db-sysbench-postgres-point-1");
/// The same, some clients.
pub(crate) const POSTGRES_POINT_8: Benchmark = postgres::<POINT, 8>("db-sysbench-postgres-point-8");
/// The same, many.
pub(crate) const POSTGRES_POINT_50: Benchmark = postgres::<POINT, 50>("db-sysbench-postgres-point-50");
/// PostgreSQL, reads and four changes in a transaction; one client.
pub(crate) const POSTGRES_WRITE_1: Benchmark = postgres::<READ_WRITE, 1>("db-sysbench-postgres-readwrite-1");
/// The same, some clients.
pub(crate) const POSTGRES_WRITE_8: Benchmark = postgres::<READ_WRITE, 8>("db-sysbench-postgres-readwrite-8");
/// The same, many.
pub(crate) const POSTGRES_WRITE_50: Benchmark =
    postgres::<READ_WRITE, 50>("db-sysbench-postgres-readwrite-50");

/// A row by its key over TLS, some clients, MariaDB: what TLS costs both sides.
pub(crate) const MARIADB_POINT_8_TLS: Benchmark = Benchmark {
    name: "db-sysbench-mariadb-point-8-tls",
    peer: "sysbench",
    needs: &["mariadbd", "sysbench", "taskset", "openssl"],
    figures: TOLD,
    prepare: |context| prepare(context, DatabaseProduct::MariaDb, ClientWay::Tls, &LOADS[POINT], 8),
};
/// The same, PostgreSQL.
pub(crate) const POSTGRES_POINT_8_TLS: Benchmark = Benchmark {
    name: "db-sysbench-postgres-point-8-tls",
    peer: "sysbench",
    needs: &["psql", "sysbench", "taskset", "openssl"],
    figures: TOLD,
    prepare: |context| prepare(context, DatabaseProduct::Postgres, ClientWay::Tls, &LOADS[POINT], 8),
};

struct SysbenchOltp {
    server: PrivateDatabase,
    load: &'static OltpLoad,
    clients: String,
    start_cpu_s: f64,
}

fn prepare(
    context: &BenchContext,
    product: DatabaseProduct,
    way: ClientWay,
    load: &'static OltpLoad,
    clients: u32,
) -> Result<Box<dyn Sides>, Error> {
    let server = PrivateDatabase::start_for(context, product, way)?;
    server.create(context, DATABASE)?;
    let mut sides = SysbenchOltp { server, load, clients: clients.to_string(), start_cpu_s: 0.0 };
    sides.make_tables(context)?;
    sides.start_cpu_s = db_sides::start_cpu_s(context, &sides.words("--events=1", "run"))?;
    Ok(Box::new(sides))
}

impl SysbenchOltp {
    /// The words of sysbench that end as `until` says.
    fn words(&self, until: &str, command: &str) -> Vec<String> {
        let (server, user) = (&self.server, self.server.user());
        let to: Vec<String> = match server.product() {
            DatabaseProduct::MariaDb => {
                let at = match server.tls() {
                    None => vec![format!("--mysql-socket={}", server.socket())],
                    Some(tls) => vec![
                        format!("--mysql-host={}", server.host()),
                        format!("--mysql-port={}", server.port()),
                        format!("--mysql-password={}", tls.password()),
                        "--mysql-ssl=on".to_owned(),
                    ],
                };
                let as_whom = [format!("--mysql-user={user}"), format!("--mysql-db={DATABASE}")];
                ["--db-driver=mysql".to_owned()].into_iter().chain(at).chain(as_whom).collect()
            }
            DatabaseProduct::Postgres => {
                let mut to = vec![
                    "--db-driver=pgsql".to_owned(),
                    format!("--pgsql-host={}", server.host()),
                    format!("--pgsql-port={}", server.port()),
                    format!("--pgsql-user={user}"),
                    format!("--pgsql-db={DATABASE}"),
                ];
                to.extend(server.tls().map(|tls| format!("--pgsql-password={}", tls.password())));
                to
            }
        };
        let (rows, threads) = (format!("--table-size={ROWS}"), format!("--threads={}", self.clients));
        let load = ["--tables=1".to_owned(), rows, threads, until.to_owned(), command.to_owned()];
        let program = ["sysbench".to_owned(), self.load.script.to_owned()];
        db_sides::client(server, program.into_iter().chain(to).chain(load).collect())
    }

    /// Makes the table anew: what a run before has changed would be the next one's work.
    fn make_tables(&self, context: &BenchContext) -> Result<(), Error> {
        for command in ["cleanup", "prepare"] {
            db_sides::peer(context, &self.words("--events=0", command))?;
        }
        self.server.settle(context, DATABASE, &[TABLE])
    }
}

impl Sides for SysbenchOltp {
    fn ours(&self, context: &BenchContext, seed: u64) -> Result<Vec<f64>, Error> {
        let words = ["db.oltp", "--mix", self.load.mix, "--clients", &self.clients, "--rows", ROWS];
        let metrics = db_sides::ours(context, &self.server, &words, seed)?;
        Ok(vec![metrics.get("queries_per_second")?, metrics.get("cpu_per_query")?])
    }

    fn peer(&self, context: &BenchContext) -> Result<Vec<f64>, Error> {
        self.make_tables(context)?;
        let cost = db_sides::peer(context, &self.words(&format!("--time={}", context.seconds), "run"))?;
        let output = OltpOutput::read(&cost.text)
            .ok_or_else(|| Error::Bench(format!("sysbench tells no queries:\n{}", cost.text)))?;
        Ok(vec![output.queries_per_s, (cost.cpu_s - self.start_cpu_s) / output.queries])
    }

    fn version(&self, context: &BenchContext) -> Result<String, Error> {
        let sysbench = context.output(None, "sysbench", &["--version"])?;
        Ok(format!("{}, {}", sysbench.trim(), self.server.version(context)?))
    }
}

/// What sysbench tells of a run.
#[derive(Debug, PartialEq)]
struct OltpOutput {
    queries: f64,
    queries_per_s: f64,
}

impl OltpOutput {
    fn read(text: &str) -> Option<Self> {
        let rest = text.lines().find_map(|line| line.trim().strip_prefix("queries:"))?;
        let (queries, rate) = rest.split_once('(')?;
        let queries: f64 = queries.trim().parse().ok()?;
        let queries_per_s: f64 = rate.split_once(" per sec.")?.0.trim().parse().ok()?;
        (queries > 0.0 && queries_per_s > 0.0).then_some(Self { queries, queries_per_s })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By sysbench 1.0.20 on PostgreSQL 15.18, shortened.
    const CAPTURE: &str = "Threads started!

SQL statistics:
    queries performed:
        read:                            5922
        write:                           1676
        other:                           852
        total:                           8450
    transactions:                        418    (331.31 per sec.)
    queries:                             8450   (6697.50 per sec.)
    ignored errors:                      5      (3.96 per sec.)
    reconnects:                          0      (0.00 per sec.)

General statistics:
    total time:                          1.2610s
    total number of events:              418
";

    #[test]
    fn a_real_answer_is_read() {
        let expected = OltpOutput { queries: 8_450.0, queries_per_s: 6_697.5 };
        assert_eq!(OltpOutput::read(CAPTURE), Some(expected));
    }

    #[test]
    fn an_answer_without_queries_is_none() {
        assert_eq!(OltpOutput::read("FATAL: unable to connect to MySQL server"), None);
        assert_eq!(OltpOutput::read(&CAPTURE.replace("8450   (", "0   (")), None);
        assert_eq!(OltpOutput::read(&CAPTURE.replace(" per sec.", "")), None);
    }

    #[test]
    fn places_are_those_of_the_loads() {
        let scripts = [READ, POINT, READ_WRITE].map(|place| LOADS[place].script);
        assert_eq!(scripts, ["oltp_read_only", "oltp_point_select", "oltp_read_write"]);
    }
}
