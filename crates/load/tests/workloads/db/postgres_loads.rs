//! The other loads on databases, on a real PostgreSQL: what must hold afterwards holds, and nothing stays.

use load::fixture::FixtureStore;
use load::workload::FIXTURES;

use super::loads::{SHOP, file, path};
use super::postgres_server::PostgresServer;
use super::{Bench, surveyed_of};

/// The databases that are not the server's own.
fn others(server: &PostgresServer) -> String {
    let asked = "SELECT datname FROM pg_database WHERE NOT datistemplate AND datname <> 'postgres'";
    server.sql("postgres", asked)
}

#[test]
fn transactions_of_pgbench_and_of_orders_keep_what_must_hold() {
    let Some(server) = PostgresServer::start(&["deadlock_timeout=10ms"]) else { return };
    let url = server.url("postgres", "");
    for (workload, more, checks, rows) in [
        ("db.tpcb", &[("mix", "tpcb-like")][..], 2, "SELECT count(*) FROM pgbench_history"),
        (
            "db.tpcb",
            &[("mix", "simple-update"), ("prepared", "no")][..],
            2,
            "SELECT count(*) FROM pgbench_history",
        ),
        ("db.orders", &[("customers", "30"), ("items", "100")][..], 7, "SELECT count(*) FROM orders"),
        (
            "db.orders",
            &[("customers", "30"), ("items", "100"), ("prepared", "no")][..],
            7,
            "SELECT count(*) FROM orders",
        ),
    ] {
        let given = [&[("url", &*url), ("clients", "8"), ("duration", "1s")][..], more].concat();
        let bench = Bench::of(workload, &given);
        let database = others(&server);
        let count = || server.sql(&database, rows).parse::<u64>().unwrap();
        let before = count();
        let measured = bench.run().unwrap();
        assert_eq!(measured.fact("transactions_failed"), "0", "{workload}: {:?}", measured.facts);
        assert_eq!(measured.number("consistency_checks"), checks);
        let (committed, added) = (measured.number("transactions_committed"), count() - before);
        assert!(added > 0 && added <= committed, "{workload}: {added} of {committed}");
        if workload == "db.tpcb" {
            assert_eq!(added, committed, "{more:?}");
        }
        bench.end();
        assert_eq!(others(&server), "");
    }
}

#[test]
fn balances_that_do_not_add_up_fail_the_trial() {
    let Some(server) = PostgresServer::start(&[]) else { return };
    let url = server.url("postgres", "");
    let bench = Bench::of(
        "db.tpcb",
        &[("url", &*url), ("mix", "select-only"), ("requests", "5"), ("duration", "60s")],
    );
    bench.run().unwrap();
    server.sql(&others(&server), "UPDATE pgbench_tellers SET tbalance = 7 WHERE tid = 4");
    let why = bench.run().err().unwrap();
    assert!(why.contains("tellers add up to those of branches") && why.contains("off by 7"), "{why}");
    bench.end();
}

#[test]
fn statements_of_mysqlslap_are_executed() {
    let Some(server) = PostgresServer::start(&[]) else { return };
    let url = server.url("postgres", "");
    for (mix, kind) in [
        ("read", "table_select"),
        ("key", "point_select"),
        ("update", "non_index_update"),
        ("write", "insert"),
    ] {
        let given = [("url", &*url), ("mix", mix), ("requests", "60"), ("duration", "60s")];
        let bench = Bench::of("db.slap", &given);
        let measured = bench.run().unwrap();
        assert_eq!((measured.finished, measured.count(kind)), (60, 60), "{mix}");
        let rows: u64 = server.sql(&others(&server), "SELECT count(*) - 100 FROM t1").parse().unwrap();
        assert_eq!(rows, if mix == "write" { measured.number("transactions_committed") } else { 0 });
        bench.end();
    }
    assert_eq!(others(&server), "");
}

#[test]
fn a_file_makes_its_tables_in_a_database_of_its_own() {
    let Some(server) = PostgresServer::start(&[]) else { return };
    let (url, sql) = (server.url("postgres", ""), file(SHOP));
    let sql = (path(&sql), sql);
    for prepared in ["yes", "no"] {
        let given = [
            ("url", &*url),
            ("sql", &*sql.0),
            ("prepared", prepared),
            ("requests", "200"),
            ("duration", "60s"),
        ];
        let bench = Bench::of("db.script", &given);
        let database = others(&server);
        let measured = bench.run().unwrap();
        assert_eq!(measured.fact("transactions_failed"), "0", "{:?}", measured.facts);
        let log: u64 = server.sql(&database, "SELECT count(*) FROM log").parse().unwrap();
        assert!(log > 0 && log < measured.number("transactions_committed"), "{log}");
        assert_eq!(server.sql(&database, "SELECT 100 * 100 - sum(stock) FROM goods"), log.to_string());
        bench.end();
        assert_eq!(others(&server), "");
    }
    server.sql("postgres", "CREATE ROLE guest LOGIN");
    server.sql("postgres", "CREATE DATABASE theirs OWNER guest");
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let given = [("url", &*server.socket_url("guest", "theirs")), ("sql", &*sql.0)];
    let mut load = surveyed_of("db.script", folder.path(), &given).unwrap();
    let needs = load.survey(&super::host()).unwrap();
    let mut fixtures = FixtureStore::new(FIXTURES);
    let refused = fixtures.make(&needs.fixtures[0], &super::host(), &mut |_| true).unwrap_err().to_string();
    assert!(refused.contains("in a database of their own only"), "{refused}");
    assert_eq!(server.sql("theirs", "SELECT count(*) FROM pg_class WHERE relname IN ('goods', 'log')"), "0");
}

#[test]
fn tables_that_are_there_are_only_read() {
    let Some(server) = PostgresServer::start(&[]) else { return };
    server.sql("postgres", "CREATE DATABASE theirs");
    server.sql("theirs", "CREATE TABLE t AS SELECT a, a * 2 AS b FROM generate_series(1, 50) AS a");
    let url = server.url("postgres", "theirs");
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let writes = file("DELETE FROM t;");
    let given = [("url", &*url), ("sql", &*path(&writes)), ("data", "existing")];
    let told = surveyed_of("db.script", folder.path(), &given).err().unwrap();
    assert!(told.contains("would change tables"), "{told}");
    let reads = file("\\set a random(1, 50)\nSELECT b FROM t WHERE a = :a;\n");
    let given = [
        ("url", &*url),
        ("sql", &*path(&reads)),
        ("data", "existing"),
        ("requests", "40"),
        ("duration", "60s"),
    ];
    let bench = Bench::of("db.script", &given);
    let measured = bench.run().unwrap();
    assert_eq!((measured.finished, measured.count("selects")), (40, 40));
    assert_eq!(measured.fact("transactions_failed"), "0");
    bench.end();
    // Nor does a function that a statement calls.
    server.sql("theirs", "CREATE FUNCTION f() RETURNS INTEGER LANGUAGE sql AS 'DELETE FROM t; SELECT 1'");
    let calls = file("SELECT f();");
    let given = [
        ("url", &*url),
        ("sql", &*path(&calls)),
        ("data", "existing"),
        ("requests", "2"),
        ("duration", "60s"),
    ];
    let bench = Bench::of("db.script", &given);
    let why = bench.run().err().unwrap();
    assert!(why.contains("read-only transaction"), "{why}");
    bench.end();
    assert_eq!(server.sql("theirs", "SELECT count(*), sum(b) FROM t"), "50|2550");
}
