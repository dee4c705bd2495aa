//! Loads on a real PostgreSQL: what is counted is what is in the tables afterwards, and nothing stays.

use super::postgres_server::PostgresServer;
use super::{Bench, Given, surveyed};
use load::fixture::FixtureStore;
use load::workload::FIXTURES;

/// A load on the server, with these parameters too.
fn bench(url: &str, given: Given<'_>) -> Bench {
    let all: Vec<_> = [("url", url)].into_iter().chain(given.iter().copied()).collect();
    Bench::new(&all)
}

/// The databases that are not the server's own.
fn others(server: &PostgresServer) -> String {
    let asked = "SELECT datname FROM pg_database WHERE NOT datistemplate AND datname <> 'postgres'";
    server.sql("postgres", asked)
}

#[test]
fn every_mix_runs_on_a_server_and_is_counted() {
    let Some(server) = PostgresServer::start(&[]) else { return };
    for (mix, of_each) in [
        (
            "read-write",
            [("point_select", 10), ("index_update", 1), ("delete", 1), ("insert", 1), ("begin", 1)],
        ),
        (
            "read-only",
            [("point_select", 10), ("sum_range", 1), ("distinct_range", 1), ("begin", 1), ("commit", 1)],
        ),
        ("point-select", [("point_select", 1), ("begin", 0), ("commit", 0), ("insert", 0), ("delete", 0)]),
    ] {
        for (prepared, tables) in [("yes", "1"), ("no", "2")] {
            let url = server.url("postgres", "");
            let given = [
                ("mix", mix),
                ("prepared", prepared),
                ("tables", tables),
                ("requests", "50"),
                ("duration", "60s"),
            ];
            let bench = bench(&url, &given);
            let measured = bench.run().unwrap();
            assert_eq!((measured.finished, measured.count("transaction")), (50, 50), "{mix}");
            for (kind, times) in of_each {
                assert_eq!(measured.count(kind), 50 * times, "{mix}: {kind} {:?}", measured.counted);
            }
            assert_eq!(measured.metric("error_share"), 0.0);
            assert!(measured.metric("rows_per_second") > 0.0, "{mix}");
            bench.end();
        }
    }
    assert_eq!(others(&server), "");
}

#[test]
fn rows_are_those_that_sqlite_has_and_what_was_committed_is_there() {
    let Some(server) = PostgresServer::start(&[]) else { return };
    for (clients, threads) in [("1", "1"), ("30", "2")] {
        let given = [("mix", "insert"), ("clients", clients), ("threads", threads), ("tables", "2")];
        let bench = bench(&server.url("postgres", ""), &given);
        let database = others(&server);
        assert!(database.starts_with("headroom_"), "{database}");
        let ask = |sql: &str| server.sql(&database, sql);
        assert_eq!(ask("SELECT count(*), min(id), max(id) FROM sbtest2"), "1000|1|1000");
        let row = Bench::new(&[("tables", "2")]);
        let same = row.ask("SELECT sum(k * id) FROM sbtest2").to_string();
        assert_eq!(ask("SELECT sum(k * id) FROM sbtest2"), same);
        row.end();
        let measured = bench.run().unwrap();
        let committed = measured.number("transactions_committed");
        assert!(committed > 0);
        let rows = ask("SELECT (SELECT count(*) FROM sbtest1) + (SELECT count(*) FROM sbtest2)");
        assert_eq!(rows, (2_000 + committed).to_string(), "{clients} clients");
        assert_eq!(measured.fact("connections"), clients);
        assert_eq!(measured.fact("fsync"), "off");
        assert!(measured.fact("database_version").starts_with("PostgreSQL "), "{:?}", measured.facts);
        assert_eq!(measured.given("connect_p50").is_some(), clients == "30");
        bench.end();
        assert_eq!(others(&server), "");
    }
}

#[test]
fn clients_that_meet_begin_again_and_lose_nothing() {
    let Some(server) = PostgresServer::start(&["deadlock_timeout=10ms"]) else { return };
    let given = [
        ("mix", "write-only"),
        ("clients", "16"),
        ("rows", "10"),
        ("distribution", "uniform"),
        ("duration", "2s"),
    ];
    let bench = bench(&server.url("postgres", ""), &given);
    let database = others(&server);
    let measured = bench.run().unwrap();
    // Ten rows and sixteen clients that take four each in any order: some of them deadlock.
    assert!(measured.number("transactions_retried") > 0, "{:?}", measured.facts);
    assert!(measured.fact("transaction_errors").contains("40P01"), "{:?}", measured.facts);
    assert!(measured.number("transactions_committed") > 0);
    assert_eq!(server.sql(&database, "SELECT count(*) <= 10 FROM sbtest1"), "t");
    bench.end();
}

#[test]
fn tables_of_others_are_left_alone_unless_that_is_asked_for() {
    let Some(server) = PostgresServer::start(&[]) else { return };
    server.sql("postgres", "CREATE ROLE guest LOGIN");
    server.sql("postgres", "CREATE DATABASE theirs OWNER guest");
    server.sql("theirs", "CREATE TABLE sbtest1 (a INTEGER); ALTER TABLE sbtest1 OWNER TO guest; INSERT INTO sbtest1 VALUES (7)");
    let make = |url: &str, given: Given<'_>| {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let all: Vec<_> = [("url", url)].into_iter().chain(given.iter().copied()).collect();
        let mut load = surveyed(folder.path(), &all).unwrap();
        let needs = load.survey(&super::host()).unwrap();
        let mut fixtures = FixtureStore::new(FIXTURES);
        let made = fixtures.make(&needs.fixtures[0], &super::host(), &mut |_| true);
        made.map_err(|fault| fault.to_string())
    };
    let url = server.socket_url("guest", "theirs");
    let refused = make(&url, &[("tables", "2")]).unwrap_err();
    assert!(refused.contains("sbtest1 already") && refused.contains("recreate=yes"), "{refused}");
    assert_eq!(server.sql("theirs", "SELECT a FROM sbtest1"), "7");
    assert_eq!(server.sql("theirs", "SELECT to_regclass('sbtest2') IS NULL"), "t", "nothing was made");
    let nowhere = make(&server.socket_url("guest", ""), &[]).unwrap_err();
    assert!(nowhere.contains("may not make databases"), "{nowhere}");
    let bench = bench(
        &url,
        &[("tables", "2"), ("recreate", "yes"), ("mix", "read-only"), ("requests", "5"), ("duration", "60s")],
    );
    let measured = bench.run().unwrap();
    assert_eq!((measured.count("transaction"), measured.fact("database_is_own")), (5, "no"));
    bench.end();
    assert_eq!(server.sql("theirs", "SELECT to_regclass('sbtest1') IS NULL"), "t");
    assert_eq!(others(&server), "theirs");
}

#[test]
fn a_fill_that_is_stopped_and_a_server_that_is_not_there_leave_nothing() {
    let Some(server) = PostgresServer::start(&[]) else { return };
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let url = server.url("postgres", "");
    let mut load = surveyed(folder.path(), &[("url", &url), ("rows", "100000")]).unwrap();
    let needs = load.survey(&super::host()).unwrap();
    let mut fixtures = FixtureStore::new(FIXTURES);
    let mut asked = 0;
    let stopped = fixtures.make(&needs.fixtures[0], &super::host(), &mut |_| {
        asked += 1;
        asked < 3
    });
    assert!(matches!(stopped, Err(engine::Fault::Cancelled)), "{stopped:?}");
    assert_eq!((asked, others(&server)), (3, String::new()));
    drop(server);
    let gone = fixtures.make(&needs.fixtures[0], &super::host(), &mut |_| true).unwrap_err();
    assert!(gone.to_string().contains("nothing takes connections"), "{gone}");
}

#[test]
fn a_server_that_ends_fails_the_trial_with_its_reason() {
    let Some(server) = PostgresServer::start(&[]) else { return };
    let given = [("mix", "read-only"), ("clients", "4"), ("duration", "20s")];
    let bench = bench(&server.url("postgres", ""), &given);
    let database = others(&server);
    let ends = std::thread::spawn(move || {
        let kill = format!(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = '{database}'"
        );
        // Once all of them are there; one more reads the server's counters.
        let there = format!(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = '{database}' AND backend_type = 'client backend'"
        );
        for _ in 0..500 {
            if server.sql("postgres", &there).parse::<u64>().is_ok_and(|count| count >= 4) {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        server.sql("postgres", &kill);
        server
    });
    let why = bench.run().err().unwrap();
    assert!(why.contains("57P01") || why.contains("ended the connection"), "{why}");
    let server = ends.join().unwrap();
    bench.end();
    assert_eq!(others(&server), "");
}
