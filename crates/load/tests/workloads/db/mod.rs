//! Loads on databases, against a real file of SQLite: what is counted is what is in the tables afterwards.

mod at_servers;
mod durability;
mod kept;
mod loads;
mod named_file;
mod postgres;
mod postgres_loads;
mod postgres_server;
mod server_counts;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use engine::numa::Confinement;
use engine::{LoadPlan, Observer, Session};
use load::fixture::FixtureStore;
use load::workload::{FIXTURES, HostInfo, Load, LoadContext, Watch, catalogue, find};
use model::trial::Timeline;
use model::{MetricName, Parameters, Phase, WorkloadName};
use rusqlite::Connection;
use tempfile::TempDir;

const OLTP: &str = "db.oltp";

struct Silent;

impl Observer for Silent {
    fn starts(&self, _timeline: Timeline) {}
    fn phase(&self, _phase: Phase, _at_ns: u64) {}
}

/// Parameters and their values.
type Given<'a> = &'a [(&'a str, &'a str)];

/// A load whose database is there, until it is dropped.
struct Bench {
    load: Load,
    fixtures: FixtureStore,
    folder: TempDir,
}

/// What one trial gave.
struct Measured {
    metrics: Vec<(MetricName, f64)>,
    facts: Vec<(String, String)>,
    /// Latencies of each class of operations that has some.
    counted: Vec<(&'static str, u64)>,
    finished: u64,
}

impl Measured {
    fn metric(&self, name: &str) -> f64 {
        self.given(name).unwrap_or_else(|| panic!("no {name}: {:?}", self.metrics))
    }

    fn given(&self, name: &str) -> Option<f64> {
        self.metrics.iter().find(|(metric, _)| metric.as_str() == name).map(|(_, value)| *value)
    }

    fn fact(&self, name: &str) -> &str {
        let found = self.facts.iter().find(|(fact, _)| fact == name);
        &found.unwrap_or_else(|| panic!("no {name}: {:?}", self.facts)).1
    }

    fn number(&self, fact: &str) -> u64 {
        self.fact(fact).parse().unwrap()
    }

    fn count(&self, class: &str) -> u64 {
        self.counted.iter().find(|(name, _)| *name == class).map_or(0, |(_, count)| *count)
    }
}

fn host() -> HostInfo {
    HostInfo { cpus: 2, memory_available: 2 << 30, ..HostInfo::default() }
}

fn surveyed(folder: &Path, given: Given<'_>) -> Result<Load, String> {
    surveyed_of(OLTP, folder, &[&[("rows", "1000")][..], given].concat())
}

fn surveyed_of(name: &str, folder: &Path, given: Given<'_>) -> Result<Load, String> {
    let workload = find(WorkloadName::intern(name).unwrap()).unwrap();
    let mut parameters = Parameters::default();
    let target = folder.to_string_lossy();
    let usual = [("duration", "200ms"), ("target", &*target), ("synchronous", "off")];
    for (name, text) in usual.iter().chain(given) {
        let spec = catalogue().parameter(workload.spec(), name).unwrap_or_else(|| panic!("no {name}"));
        parameters.set(spec.name, spec.parse(text).unwrap());
    }
    let mut load = Load::new(workload, parameters, 2).map_err(|problem| problem.message)?;
    load.schedule.check().map_err(|problem| problem.message)?;
    load.survey(&host()).map_err(|problem| problem.message)?;
    // Who makes it ready knows the parameters only.
    let mut again = Load::new(workload, load.parameters, 2).map_err(|problem| problem.message)?;
    again.survey(&host()).map_err(|problem| problem.message)?;
    Ok(again)
}

impl Bench {
    fn new(given: Given<'_>) -> Self {
        Self::of(OLTP, &[&[("rows", "1000")][..], given].concat())
    }

    /// A load of the workload of this name.
    fn of(name: &str, given: Given<'_>) -> Self {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let mut load = surveyed_of(name, folder.path(), given).unwrap();
        let needs = load.survey(&host()).unwrap();
        let mut fixtures = FixtureStore::new(FIXTURES);
        for key in &needs.fixtures {
            fixtures.make(key, &host(), &mut |_| true).unwrap();
        }
        Self { load, fixtures, folder }
    }

    /// The file of the database.
    fn path(&self) -> PathBuf {
        let hidden = self.folder.path().read_dir().unwrap().next().unwrap().unwrap().path();
        hidden.join("owner0").join("data.db")
    }

    /// A connection of the test's own.
    fn open(&self) -> Connection {
        Connection::open(self.path()).unwrap()
    }

    fn ask(&self, sql: &str) -> i64 {
        self.open().query_row(sql, [], |row| row.get(0)).unwrap()
    }

    fn run(&self) -> Result<Measured, String> {
        let context = LoadContext { fixtures: &self.fixtures, endpoint: None, watch: Watch::NONE };
        let prepared = self.load.prepare(&context).map_err(|fault| fault.to_string())?;
        let workers = prepared.workers(usize::try_from(self.load.schedule.threads).unwrap());
        let plan = LoadPlan {
            prepared: &*prepared,
            cpus: vec![None; workers],
            confinement: Confinement::default(),
            rate: self.load.schedule.open_loop(),
            stop: self.load.schedule.stop(),
            seed: 1,
        };
        let session =
            Session { loads: vec![plan], warm_up_ns: 5_000_000, interval_ns: None, cut_least_ns: 0 };
        let outcome = session.run(&Silent, &AtomicBool::new(false)).map_err(|fault| fault.to_string())?;
        let of = &outcome.loads[0];
        let beside = prepared.seen(outcome.window);
        let all = self.load.metrics(of, outcome.window).into_iter().chain(beside.metrics);
        let facts = prepared.facts().into_iter().chain(prepared.facts_after(of));
        Ok(Measured {
            metrics: all.map(|(name, quantity)| (name, quantity.value)).collect(),
            facts: facts.map(|(name, value)| (name.to_string(), value.to_string())).collect(),
            counted: of.classes.iter().map(|class| (class.class.name, class.latency.len())).collect(),
            finished: of.completions,
        })
    }

    /// Removes the database; nothing of it stays.
    fn end(mut self) {
        let needs = self.load.survey(&host()).unwrap();
        self.fixtures.remove(&needs.fixtures).unwrap();
        assert_eq!(self.folder.path().read_dir().unwrap().count(), 0);
    }
}

#[test]
fn tables_are_those_of_sysbench() {
    let bench = Bench::new(&[("tables", "3"), ("rows", "4321")]);
    for table in 1..=3 {
        assert_eq!(bench.ask(&format!("SELECT count(*) FROM sbtest{table}")), 4321);
        assert_eq!(bench.ask(&format!("SELECT max(id) - min(id) FROM sbtest{table}")), 4320);
        let wrong = format!(
            "SELECT count(*) FROM sbtest{table} WHERE k < 1 OR k > 4321 OR length(c) <> 119 OR length(pad) <> 59"
        );
        assert_eq!(bench.ask(&wrong), 0);
        let index = format!("SELECT count(*) FROM sqlite_schema WHERE type = 'index' AND name = 'k_{table}'");
        assert_eq!(bench.ask(&index), 1);
    }
    let same = "SELECT count(*) FROM sbtest1 JOIN sbtest2 USING (id) WHERE sbtest1.c = sbtest2.c";
    assert_eq!(bench.ask(same), 0, "each table has rows of its own");
    // 75 % of k are near the middle, with those that come there anyway: at least half.
    assert!(bench.ask("SELECT count(*) FROM sbtest1 WHERE k BETWEEN 2139 AND 2183") > 2160);
    bench.end();
}

#[test]
fn every_statement_is_counted_with_its_kind() {
    for (mix, of_each) in [
        ("read-only", [("point_select", 10), ("sum_range", 1), ("begin", 1), ("commit", 1)]),
        ("read-write", [("point_select", 10), ("index_update", 1), ("delete", 1), ("insert", 1)]),
        ("point-select", [("point_select", 1), ("begin", 0), ("commit", 0), ("insert", 0)]),
    ] {
        for (prepared, tables) in [("yes", "1"), ("no", "2")] {
            let given = [("mix", mix), ("prepared", prepared), ("tables", tables), ("requests", "50")];
            let bench = Bench::new(&given);
            let measured = bench.run().unwrap();
            // The one client does one at a time, so that no more than was asked for was begun.
            assert_eq!(measured.finished, 50, "{mix}");
            assert_eq!(measured.count("transaction"), 50, "{mix}");
            for (kind, times) in of_each {
                assert_eq!(measured.count(kind), 50 * times, "{mix}: {kind} {:?}", measured.counted);
            }
            assert_eq!(measured.metric("error_share"), 0.0);
            assert!(measured.metric("rows_per_second") > 0.0, "{mix}");
            assert!(measured.metric("transactions_per_second") > 0.0, "{mix}");
            bench.end();
        }
    }
}

#[test]
fn queries_are_those_of_the_transactions() {
    let bench = Bench::new(&[("mix", "read-only"), ("requests", "200")]);
    let measured = bench.run().unwrap();
    let ratio = measured.metric("queries_per_second") / measured.metric("transactions_per_second");
    assert!((ratio - 16.0).abs() < 0.2, "{ratio}");
    // 10 rows, 100 of three ranges each, and a sum; looked at every 20 ms.
    let rows = measured.metric("rows_per_second") / measured.metric("transactions_per_second");
    assert!((150.0..450.0).contains(&rows), "{rows}");
    assert!(measured.metric("latency_p50") >= measured.metric("point_select_latency_p50"));
    assert!(measured.given("insert_latency_p50").is_none());
    assert!(measured.metric("cpu_per_query") < measured.metric("cpu_per_operation"));
    bench.end();
}

#[test]
fn what_was_committed_is_in_the_tables() {
    for clients in ["1", "4"] {
        let bench = Bench::new(&[("mix", "insert"), ("clients", clients), ("tables", "2")]);
        let measured = bench.run().unwrap();
        let committed = i64::try_from(measured.number("transactions_committed")).unwrap();
        let rows = bench.ask("SELECT (SELECT count(*) FROM sbtest1) + (SELECT count(*) FROM sbtest2)");
        assert!(committed > 0);
        assert_eq!(rows, 2_000 + committed, "{clients} clients");
        assert_eq!(measured.fact("database_checked"), "yes");
        bench.end();
    }
}

#[test]
fn rows_that_are_removed_and_put_in_again_stay_as_many_under_several_clients() {
    let bench = Bench::new(&[("mix", "write-only"), ("clients", "4"), ("distribution", "zipf")]);
    let measured = bench.run().unwrap();
    assert_eq!(bench.ask("SELECT count(*) FROM sbtest1"), 1000);
    let sum = bench.ask("SELECT sum(k) FROM sbtest1");
    assert!(sum > 0 && measured.number("transactions_committed") > 0);
    assert_eq!(measured.fact("transactions_failed"), "0", "{:?}", measured.facts);
    // One that writes takes the lock at once, so that it waits and is not refused halfway.
    assert_eq!(measured.fact("transactions_retried"), "0", "{:?}", measured.facts);
    bench.end();
}

#[test]
fn settings_of_sqlite_are_those_that_were_asked_for() {
    for (journal, synchronous) in
        [("wal", "normal"), ("delete", "full"), ("truncate", "extra"), ("memory", "off")]
    {
        let bench =
            Bench::new(&[("journal-mode", journal), ("synchronous", synchronous), ("requests", "20")]);
        let measured = bench.run().unwrap();
        assert_eq!((measured.fact("journal_mode"), measured.fact("synchronous")), (journal, synchronous));
        assert!(measured.fact("database_version").starts_with("SQLite 3."), "{:?}", measured.facts);
        assert!(measured.number("database_bytes") > 100_000);
        bench.end();
    }
}

#[test]
fn pages_that_sqlite_finds_in_its_own_cache_are_counted() {
    let share = |cache: &str| {
        let choice = [("mix", "point-select"), ("distribution", "uniform"), ("cache-size", cache)];
        let bench = Bench::new(&[&choice[..], &[("rows", "20000"), ("requests", "8000")]].concat());
        let share = bench.run().unwrap().metric("server_buffer_hit_share");
        bench.end();
        share
    };
    let (small, large) = (share("100KiB"), share("64MiB"));
    assert!(0.0 < small && small < large && large <= 1.0, "{small} {large}");
}

/// What a warm-up reads would be in the page cache when the window opens, so that there is none.
#[test]
fn a_cold_trial_begins_with_nothing_of_the_database_in_the_page_cache() {
    let given = [("mix", "point-select"), ("rows", "20000"), ("requests", "50")];
    let share = |measured: &Measured| {
        let found = measured.facts.iter().find(|(name, _)| name == "database_cached_share");
        found.map(|(_, share)| share.parse::<f64>().unwrap())
    };
    let bench = Bench::new(&[&given[..], &[("cold", "yes")]].concat());
    // Twice, for the first trial brings some of it there.
    for _ in 0..2 {
        let found = share(&bench.run().unwrap()).unwrap();
        assert!(found < 0.1, "{found}");
    }
    let context = LoadContext { fixtures: &bench.fixtures, endpoint: None, watch: Watch::NONE };
    assert!(bench.load.prepare(&context).unwrap().counts_from_start());
    bench.end();
    let bench = Bench::new(&given);
    assert_eq!(share(&bench.run().unwrap()), None);
    bench.end();
}

/// A server is started again for each trial: its buffers are empty then, and so is the page cache of its files.
#[test]
#[ignore = "long: cargo xtask test --long"]
fn a_cold_trial_begins_with_nothing_of_a_started_servers_data_in_memory() {
    let given =
        [("mix", "point-select"), ("rows", "100000"), ("requests", "300"), ("distribution", "uniform")];
    for start in ["mariadb", "postgres"] {
        let hits = |cold: &str| -> Vec<f64> {
            let bench = Bench::new(&[&given[..], &[("start", start), ("cold", cold)]].concat());
            let shares = (0..2).map(|_| {
                let measured = bench.run().unwrap();
                let found = measured.facts.iter().find(|(name, _)| name == "database_cached_share");
                match (cold, found) {
                    ("yes", Some((_, share))) => assert!(share.parse::<f64>().unwrap() < 0.1, "{share}"),
                    (_, found) => assert!(cold == "no" && found.is_none(), "{found:?}"),
                }
                measured.metric("server_buffer_hit_share")
            });
            let shares = shares.collect();
            bench.end();
            shares
        };
        let (warm, cold) = (hits("no"), hits("yes"));
        assert!(cold.iter().all(|share| *share < 0.97), "{start}: {cold:?}");
        assert!(warm[1] > 0.99, "{start}: {warm:?}");
    }
}

/// Another program may have locked the database. That is waited for and counted; past the timeout the transaction has
/// failed, and what failed is no transaction.
#[test]
fn a_lock_is_waited_for_and_what_gets_none_has_failed() {
    let bench = Bench::new(&[("mix", "update-index"), ("timeout", "20ms"), ("duration", "300ms")]);
    let other = bench.open();
    let before: i64 = bench.ask("SELECT sum(k) FROM sbtest1");
    other.query_row("PRAGMA journal_mode=wal", [], |row| row.get::<_, String>(0)).unwrap();
    // Held for less than the trial, so that some transactions succeed.
    let held = std::thread::spawn({
        let path = bench.path();
        let begun = Instant::now();
        move || {
            let other = Connection::open(path).unwrap();
            while begun.elapsed() < Duration::from_millis(150) {
                if other.execute_batch("BEGIN IMMEDIATE").is_ok() {
                    std::thread::sleep(Duration::from_millis(60));
                    other.execute_batch("ROLLBACK").unwrap();
                }
                std::thread::sleep(Duration::from_millis(1));
            }
        }
    });
    drop(other);
    let measured = bench.run().unwrap();
    held.join().unwrap();
    let committed = i64::try_from(measured.number("transactions_committed")).unwrap();
    assert!(committed > 0, "{:?}", measured.facts);
    // Each adds 1 to one row.
    assert_eq!(bench.ask("SELECT sum(k) FROM sbtest1"), before + committed);
    bench.end();
}

#[test]
fn a_database_that_stays_locked_fails_the_trial_with_the_reason() {
    let bench = Bench::new(&[("mix", "update-index"), ("timeout", "20ms"), ("requests", "3")]);
    let other = bench.open();
    // The journal of the trial, and so the same lock.
    other.query_row("PRAGMA journal_mode=wal", [], |row| row.get::<_, String>(0)).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let why = bench.run().err().unwrap();
    assert!(why.contains("none of") && why.contains("database is locked"), "{why}");
    other.execute_batch("ROLLBACK").unwrap();
    drop(other);
    bench.end();
}

#[test]
fn an_open_loop_counts_from_the_moment_that_was_due() {
    let bench = Bench::new(&[("mix", "point-select"), ("rate", "500/s"), ("clients", "2")]);
    let measured = bench.run().unwrap();
    assert!(measured.given("service_time_p50").is_some() && measured.given("late_starts").is_some());
    assert!(measured.count("point_select") > 20, "{:?}", measured.counted);
    bench.end();
}

#[test]
fn what_makes_no_sense_is_told_before_anything_is_made() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let cases: [(Given<'_>, &str); 7] = [
        (&[("threads", "8"), ("clients", "2")], "8 threads are more than the 2 clients"),
        (&[("clients", "5000")], "more than one load may have"),
        (&[("rows", "3000000000")], "more than the keys"),
        (&[("tables", "10000"), ("rows", "1000000000")], "may be needed"),
        (&[("url", "postgres://me@here/x?oh=1")], "`oh`"),
        (&[("url", "mysql://me:hunter2@here/x")], "has a password"),
        (&[("url", "mysql://me@here/x"), ("cold", "yes")], "no trial on it begins cold"),
    ];
    for (given, why) in cases {
        let told = surveyed(folder.path(), given).err().unwrap();
        assert!(told.contains(why) && !told.contains("hunter2"), "{given:?}: {told}");
    }
    assert_eq!(folder.path().read_dir().unwrap().count(), 0);
}

#[test]
fn a_fill_that_is_stopped_leaves_nothing() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let mut load = surveyed(folder.path(), &[("rows", "50000")]).unwrap();
    let needs = load.survey(&host()).unwrap();
    let mut fixtures = FixtureStore::new(FIXTURES);
    let mut asked = 0;
    let stopped = fixtures.make(&needs.fixtures[0], &host(), &mut |_| {
        asked += 1;
        asked < 5
    });
    assert!(matches!(stopped, Err(engine::Fault::Cancelled)), "{stopped:?}");
    assert_eq!((asked, folder.path().read_dir().unwrap().count()), (5, 0));
}
