//! The other loads on databases, against a real file of SQLite: those of pgbench, mysqlslap, a wholesaler and a user.

use std::io::Write;

use model::ParameterName;
use tempfile::NamedTempFile;

use super::{Bench, Given, surveyed_of};

/// A file with this text, which is removed when it is dropped.
pub(super) fn file(text: &str) -> NamedTempFile {
    let mut file = NamedTempFile::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    file.write_all(text.as_bytes()).unwrap();
    file
}

pub(super) fn path(file: &NamedTempFile) -> String {
    file.path().to_string_lossy().into_owned()
}

#[test]
fn transactions_of_pgbench_leave_balances_that_add_up() {
    for (mix, of_each, writes) in [
        (
            "tpcb-like",
            [("begin", 1), ("account_update", 1), ("teller_update", 1), ("branch_update", 1)],
            true,
        ),
        (
            "simple-update",
            [("begin", 1), ("account_update", 1), ("history_insert", 1), ("branch_update", 0)],
            true,
        ),
        (
            "select-only",
            [("begin", 0), ("point_select", 1), ("account_update", 0), ("history_insert", 0)],
            false,
        ),
    ] {
        let bench = Bench::of("db.tpcb", &[("mix", mix), ("clients", "3")]);
        assert_eq!(bench.ask("SELECT count(*) FROM pgbench_accounts"), 100_000);
        assert_eq!(bench.ask("SELECT count(DISTINCT bid) * 1000 + count(*) FROM pgbench_tellers"), 1010);
        let measured = bench.run().unwrap();
        let committed = measured.number("transactions_committed");
        assert!(committed > 0, "{mix}");
        let history = bench.ask("SELECT count(*) FROM pgbench_history");
        assert_eq!(history, if writes { i64::try_from(committed).unwrap() } else { 0 }, "{mix}");
        let accounts = bench.ask("SELECT sum(abalance) FROM pgbench_accounts");
        assert_eq!(accounts, bench.ask("SELECT coalesce(sum(delta), 0) FROM pgbench_history"), "{mix}");
        let transactions = measured.count("transaction");
        for (kind, times) in of_each {
            let count = measured.count(kind);
            // Those at the edges of the window may have had a part only.
            assert!(count.abs_diff(transactions * times) <= 3, "{mix}: {count} of {kind} for {transactions}");
        }
        assert_eq!((measured.fact("database_checked"), measured.number("consistency_checks")), ("yes", 2));
        bench.end();
    }
}

/// What is wrong in the tables fails the trial.
#[test]
fn balances_that_do_not_add_up_fail_the_trial() {
    let bench = Bench::of("db.tpcb", &[("mix", "select-only"), ("requests", "5")]);
    bench.run().unwrap();
    bench.open().execute_batch("UPDATE pgbench_tellers SET tbalance = 7 WHERE tid = 4").unwrap();
    let why = bench.run().err().unwrap();
    assert!(why.contains("tellers add up to those of branches") && why.contains("off by 7"), "{why}");
    bench.end();
}

#[test]
fn statements_of_mysqlslap_are_executed() {
    for (mix, prepared, kinds) in [
        ("read", "yes", &["table_select"][..]),
        ("key", "no", &["point_select"][..]),
        ("update", "yes", &["non_index_update"][..]),
        ("write", "no", &["insert"][..]),
        ("mixed", "yes", &["table_select", "insert"][..]),
    ] {
        let given = [("mix", mix), ("prepared", prepared), ("requests", "60"), ("char-columns", "2")];
        let bench = Bench::of("db.slap", &given);
        assert_eq!(bench.ask("SELECT count(*) FROM t1 WHERE length(charcol2) = 126"), 100);
        let measured = bench.run().unwrap();
        assert_eq!(measured.finished, 60, "{mix}");
        let counts: Vec<u64> = kinds.iter().map(|kind| measured.count(kind)).collect();
        assert!(
            counts.iter().all(|count| *count > 0) && counts.iter().sum::<u64>() == 60,
            "{mix}: {counts:?}"
        );
        let committed = i64::try_from(measured.number("transactions_committed")).unwrap();
        let rows = bench.ask("SELECT count(*) FROM t1") - 100;
        match mix {
            "write" => assert_eq!(rows, committed),
            "mixed" => assert!((1..committed).contains(&rows), "{rows} of {committed}"),
            _ => assert_eq!(rows, 0),
        }
        bench.end();
    }
}

#[test]
fn insertions_repeat_only_where_that_is_asked_for() {
    for (repeated, different) in [("yes", 10), ("no", 200)] {
        let bench =
            Bench::of("db.slap", &[("mix", "write"), ("repeated-inserts", repeated), ("requests", "200")]);
        let measured = bench.run().unwrap();
        assert!(measured.number("transactions_committed") >= 200);
        let found = bench.ask("SELECT count(DISTINCT charcol1) FROM t1 WHERE id > 100");
        assert!(
            if repeated == "yes" { found == different } else { found >= different },
            "{repeated}: {found}"
        );
        bench.end();
    }
}

#[test]
fn orders_keep_the_conditions_of_tpc_c() {
    let given =
        [("clients", "4"), ("customers", "30"), ("items", "100"), ("warehouses", "2"), ("duration", "600ms")];
    for prepared in ["yes", "no"] {
        let bench = Bench::of("db.orders", &[&given[..], &[("prepared", prepared)]].concat());
        assert_eq!(bench.ask("SELECT count(*) FROM order_line"), 6000);
        let measured = bench.run().unwrap();
        assert_eq!(measured.fact("transactions_failed"), "0", "{:?}", measured.facts);
        assert_eq!((measured.fact("database_checked"), measured.number("consistency_checks")), ("yes", 7));
        for kind in ["new_order", "payment", "begin", "commit", "selects", "inserts", "updates"] {
            assert!(measured.count(kind) > 0, "{kind}: {:?}", measured.counted);
        }
        // Whole transactions are no statements: none has more than 15 lines of 4, and 10.
        let ratio = measured.metric("queries_per_second") / measured.metric("transactions_per_second");
        assert!((8.0..75.0).contains(&ratio), "{ratio}");
        assert!(measured.metric("new_order_latency_p50") > measured.metric("begin_latency_p50"));
        assert!(bench.ask("SELECT count(*) FROM orders") > 600);
        assert_eq!(
            bench.ask("SELECT count(*) FROM order_line WHERE ol_dist_info IS NULL OR ol_amount IS NULL"),
            0
        );
        bench.end();
    }
}

#[test]
fn an_order_without_its_lines_fails_the_trial() {
    let bench = Bench::of("db.orders", &[("customers", "30"), ("items", "100"), ("requests", "5")]);
    bench.open().execute_batch("DELETE FROM order_line WHERE ol_o_id = 3 AND ol_number = 2").unwrap();
    let why = bench.run().err().unwrap();
    assert!(why.contains("every order has its lines") && why.contains("off by 10"), "{why}");
    bench.end();
}

pub(super) const SHOP: &str = "-- headroom: setup
CREATE TABLE goods (id INTEGER PRIMARY KEY, name TEXT, stock INTEGER);
INSERT INTO goods WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
  SELECT i, 'goods ' || i, 100 FROM n;
CREATE TABLE log (at INTEGER, note TEXT);
-- headroom: transaction weight=3
\\set id random_zipfian(1, 100, 1.1)
SELECT name, stock FROM goods WHERE id = :id;
-- headroom: transaction
\\set id random(1, 100)
\\set note text('order? ####-@@@@')
BEGIN;
SELECT stock AS left_over FROM goods WHERE id = :id \\gset
\\set next :left_over - 1
UPDATE goods SET stock = :next WHERE id = :id;
INSERT INTO log VALUES (:next, :note);
COMMIT;
";

#[test]
fn transactions_of_a_file_are_executed_by_their_weights() {
    let sql = file(SHOP);
    for prepared in ["yes", "no"] {
        let given = [("sql", &*path(&sql)), ("clients", "3"), ("prepared", prepared), ("requests", "400")];
        let bench = Bench::of("db.script", &given);
        let measured = bench.run().unwrap();
        let sold = bench.ask("SELECT 100 * 100 - sum(stock) FROM goods");
        // Each client that writes has the lock, so that what it read is still so.
        assert_eq!(sold, bench.ask("SELECT count(*) FROM log"));
        let committed = i64::try_from(measured.number("transactions_committed")).unwrap();
        // A quarter of 400, with a standard deviation of 9.
        assert!((committed / 8..committed / 2).contains(&sold), "{sold} of {committed}");
        assert_eq!(bench.ask("SELECT count(*) FROM log WHERE note NOT GLOB 'order? [0-9]*-[a-z]*'"), 0);
        assert!(measured.count("updates").abs_diff(measured.count("inserts")) <= 3, "{:?}", measured.counted);
        assert!(measured.count("selects") > measured.count("updates"));
        assert_eq!(measured.fact("sql_sha256").len(), 64);
        bench.end();
    }
}

#[test]
fn scripts_work_on_the_tables_of_pgbench_and_of_sysbench() {
    let of_pgbench = file(
        "\\set aid random(1, 100000 * :scale)\n\\set bid random(1, :scale)\n\
         SELECT abalance FROM pgbench_accounts WHERE aid = :aid;\nSELECT bbalance FROM pgbench_branches WHERE bid = :bid;\n",
    );
    let of_sysbench = file("\\set id random(1, :rows)\nUPDATE sbtest2 SET k = k + 1 WHERE id = :id;\n");
    for (sql, more, kind, each) in [
        (&of_pgbench, &[("data", "pgbench")][..], "selects", 2),
        (&of_sysbench, &[("data", "sysbench"), ("tables", "2"), ("rows", "500")][..], "updates", 1),
    ] {
        let sql = path(sql);
        let bench = Bench::of("db.script", &[&[("sql", &*sql), ("requests", "30")][..], more].concat());
        let measured = bench.run().unwrap();
        assert_eq!(measured.count(kind), 30 * each, "{:?}", measured.counted);
        assert_eq!(measured.fact("transactions_failed"), "0");
        bench.end();
    }
}

#[test]
fn what_a_file_may_not_do_is_told_before_anything_is_made() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let stranger = folder.path().join("stranger.db");
    let attach = format!("ATTACH DATABASE '{}' AS other;", stranger.display());
    let long = "-".repeat((1 << 20) + 1);
    let cases: [(&str, Given<'_>, &str); 11] = [
        (&attach, &[], "line 1: `ATTACH` is not executed"),
        ("SELECT 1;\n\\sleep 1 s\n", &[], "line 2: `\\sleep` is not read"),
        ("SELECT :id;", &[], "`:id` was not set"),
        ("", &[], "it has no transaction"),
        (&long, &[], "longer than 1 MiB"),
        (SHOP, &[("data", "pgbench")], "makes tables of its own"),
        (SHOP, &[("clients", "5000")], "more than one load may have"),
        (SHOP, &[("url", "sqlite:no-such-folder/x.db")], "its folder is not there"),
        ("SELECT 1;", &[("data", "existing")], "no tables that are there already"),
        ("SELECT 1;", &[("data", "existing"), ("url", "postgres://here")], "no url names a database"),
        ("DELETE FROM t;", &[("data", "existing"), ("url", "postgres://here/x")], "would change tables"),
    ];
    for (text, more, why) in cases {
        let sql = file(text);
        let path = path(&sql);
        let given = [&[("sql", &*path)][..], more].concat();
        let told = surveyed_of("db.script", folder.path(), &given).err().unwrap();
        assert!(told.contains(why), "{why}: {told}");
    }
    let told = surveyed_of("db.script", folder.path(), &[]).err().unwrap();
    assert!(told.contains("none is given"), "{told}");
    let told = surveyed_of("db.script", folder.path(), &[("sql", "no-such-file")]).err().unwrap();
    assert!(told.contains("no-such-file: no such file"), "{told}");
    assert_eq!(folder.path().read_dir().unwrap().count(), 0);
}

/// Bug: two files were the same work if they had the same name.
#[test]
fn regression_what_a_file_holds_was_no_part_of_the_work() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let surveyed = |text: &str, more: Given<'_>| {
        let sql = file(text);
        let path = path(&sql);
        let given = [&[("sql", &*path)][..], more].concat();
        let load = surveyed_of("db.script", folder.path(), &given)?;
        Ok::<_, String>(load.parameters.text(ParameterName::new("sql-content")).unwrap().to_owned())
    };
    let content = surveyed("SELECT 1;", &[]).unwrap();
    assert!(content.starts_with("sha256:") && content.len() == "sha256:".len() + 64, "{content}");
    assert_eq!(surveyed("SELECT 1;", &[("sql-content", &content)]), Ok(content.clone()));
    assert_ne!(surveyed("SELECT 2;", &[]).unwrap(), content);
    let told = surveyed("SELECT 2;", &[("sql-content", &content)]).unwrap_err();
    assert!(told.contains("does not hold what it must hold"), "{told}");
}

/// A statement that the database does not know fails when it is prepared, or when it is executed.
#[test]
fn a_statement_that_the_database_refuses_fails_the_trial_with_its_reason() {
    let sql = file("SELECT a FROM nowhere;");
    for prepared in ["yes", "no"] {
        let bench = Bench::of(
            "db.script",
            &[("sql", &*path(&sql)), ("data", "sysbench"), ("prepared", prepared), ("requests", "3")],
        );
        let why = bench.run().err().unwrap();
        assert!(why.contains("no such table: nowhere"), "{why}");
        bench.end();
    }
}

#[test]
fn tables_that_a_file_cannot_make_leave_nothing() {
    let sql = file(
        "-- headroom: setup\nCREATE TABLE t (a);\nINSERT INTO other VALUES (1);\n-- headroom: transaction\nSELECT a FROM t;",
    );
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let mut load = surveyed_of("db.script", folder.path(), &[("sql", &*path(&sql))]).unwrap();
    let needs = load.survey(&super::host()).unwrap();
    let mut fixtures = load::fixture::FixtureStore::new(load::workload::FIXTURES);
    let refused = fixtures.make(&needs.fixtures[0], &super::host(), &mut |_| true).unwrap_err().to_string();
    assert!(refused.contains("statement 2") && refused.contains("no such table: other"), "{refused}");
    assert_eq!(folder.path().read_dir().unwrap().count(), 0);
}

/// Scales and sizes past what keys have room for.
#[test]
fn sizes_that_are_too_large_are_told() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    for (workload, given, why) in [
        ("db.tpcb", &[("scale", "20001")][..], "more accounts than keys"),
        ("db.tpcb", &[("scale", "20000")][..], "may be needed"),
        ("db.slap", &[("rows", "3000000000")][..], "more than the keys"),
        ("db.slap", &[("int-columns", "17")][..], "more columns"),
        ("db.slap", &[("int-columns", "0"), ("char-columns", "0")][..], "no column beside its key"),
        ("db.orders", &[("warehouses", "100001")][..], "more than db.orders has room for"),
    ] {
        let told = surveyed_of(workload, folder.path(), given).err().unwrap();
        assert!(told.contains(why), "{workload} {given:?}: {told}");
    }
}
