//! `db.slap` against mysqlslap on MariaDB: a row selected by its key, in a table of 100 rows, by as many clients, each
//! statement sent as a text with its value in it. mysqlslap has a thread for each client, ours one for all.
//!
//! mysqlslap does a number of statements and tells the time of all of them, that to connect among it. The number is
//! chosen so that a run takes as long as one of ours.

use crate::context::BenchContext;
use crate::db_product::DatabaseProduct;
use crate::db_server::PrivateDatabase;
use crate::judge::{Figure, Goal};
use crate::{Benchmark, Sides, db_sides};
use xtask::Error;

const FIGURES: &[Figure] = &[
    Figure { what: "queries/s", unit: "1/s", goal: Goal::LowAtLeast(0.97) },
    Figure { what: "client CPU per query", unit: "s", goal: Goal::HighAtMost(0.8) },
];

/// So many statements tell how long one takes.
const TRIED: f64 = 20_000.0;

const fn key<const CLIENTS: u32>(name: &'static str) -> Benchmark {
    Benchmark {
        name,
        peer: "mysqlslap",
        needs: &["mariadbd", "taskset"],
        figures: FIGURES,
        prepare: |context| prepare(context, CLIENTS),
    }
}

/// One client.
pub(crate) const KEY_1: Benchmark = key::<1>("db-mysqlslap-key-1");
/// Some.
pub(crate) const KEY_8: Benchmark = key::<8>("db-mysqlslap-key-8");
/// Many.
pub(crate) const KEY_50: Benchmark = key::<50>("db-mysqlslap-key-50");

struct SlapKeys {
    server: PrivateDatabase,
    clients: u32,
    /// Statements of one run of mysqlslap, as many of each client.
    statements: f64,
    start_cpu_s: f64,
}

fn prepare(context: &BenchContext, clients: u32) -> Result<Box<dyn Sides>, Error> {
    let server = PrivateDatabase::start(context, DatabaseProduct::MariaDb)?;
    let mut sides = SlapKeys { server, clients, statements: f64::from(clients), start_cpu_s: 0.0 };
    sides.start_cpu_s = db_sides::start_cpu_s(context, &sides.words())?;
    sides.statements = sides.whole(TRIED);
    let tried = sides.run(context)?;
    sides.statements = sides.whole(tried.queries / tried.seconds * f64::from(context.seconds));
    Ok(Box::new(sides))
}

impl SlapKeys {
    /// About so many statements, as many of each client.
    fn whole(&self, statements: f64) -> f64 {
        let clients = f64::from(self.clients);
        (statements / clients).ceil() * clients
    }

    fn words(&self) -> Vec<String> {
        vec![
            "mysqlslap".to_owned(),
            "--no-defaults".to_owned(),
            "--skip-ssl".to_owned(),
            format!("--socket={}", self.server.socket()),
            format!("--user={}", self.server.user()),
            "--auto-generate-sql".to_owned(),
            "--auto-generate-sql-load-type=key".to_owned(),
            // Without it there is no key.
            "--auto-generate-sql-add-autoincrement".to_owned(),
            format!("--concurrency={}", self.clients),
            format!("--number-of-queries={:.0}", self.statements),
        ]
    }

    fn run(&self, context: &BenchContext) -> Result<SlapRun, Error> {
        let cost = db_sides::peer(context, &self.words())?;
        let (seconds, queries) = slap_output(&cost.text)
            .ok_or_else(|| Error::Bench(format!("mysqlslap tells no time:\n{}", cost.text)))?;
        Ok(SlapRun { seconds, queries, cpu_s: cost.cpu_s })
    }
}

/// A run of mysqlslap.
#[derive(Debug)]
struct SlapRun {
    seconds: f64,
    queries: f64,
    cpu_s: f64,
}

impl Sides for SlapKeys {
    fn ours(&self, context: &BenchContext, seed: u64) -> Result<Vec<f64>, Error> {
        let clients = self.clients.to_string();
        let words = ["db.slap", "--mix", "key", "--clients", &clients, "--prepared", "no"];
        let metrics = db_sides::ours(context, &self.server, &words, seed)?;
        Ok(vec![metrics.get("queries_per_second")?, metrics.get("cpu_per_query")?])
    }

    fn peer(&self, context: &BenchContext) -> Result<Vec<f64>, Error> {
        let run = self.run(context)?;
        Ok(vec![run.queries / run.seconds, (run.cpu_s - self.start_cpu_s) / run.queries])
    }

    fn version(&self, context: &BenchContext) -> Result<String, Error> {
        // `mysqlslap  Ver 1.0 Distrib 10.11.19-MariaDB, for ...`: the server's is the same.
        Ok(format!("its mysqlslap, {}", self.server.version(context)?))
    }
}

/// The seconds of all statements, and how many they were.
fn slap_output(text: &str) -> Option<(f64, f64)> {
    let after = |label: &str| text.lines().find_map(|line| line.trim().strip_prefix(label)).map(str::trim);
    let number = |label: &str| after(label)?.parse::<f64>().ok();
    let seconds: f64 =
        after("Average number of seconds to run all queries:")?.strip_suffix(" seconds")?.parse().ok()?;
    let queries =
        number("Number of clients running queries:")? * number("Average number of queries per client:")?;
    (seconds > 0.0 && queries > 0.0).then_some((seconds, queries))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By mysqlslap of MariaDB 10.11.19.
    const CAPTURE: &str = "Benchmark
\tAverage number of seconds to run all queries: 1.452 seconds
\tMinimum number of seconds to run all queries: 1.452 seconds
\tMaximum number of seconds to run all queries: 1.452 seconds
\tNumber of clients running queries: 8
\tAverage number of queries per client: 2500

";

    #[test]
    fn a_real_answer_is_read() {
        assert_eq!(slap_output(CAPTURE), Some((1.452, 20_000.0)));
    }

    #[test]
    fn an_answer_without_a_time_is_none() {
        assert_eq!(slap_output("mysqlslap: Can't perform key test without a primary key!"), None);
        assert_eq!(slap_output(&CAPTURE.replace("1.452", "0.000")), None);
        assert_eq!(slap_output(&CAPTURE.replace("2500", "")), None);
    }
}
