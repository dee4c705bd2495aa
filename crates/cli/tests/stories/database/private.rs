//! Every load on a database of SQLite and on servers that Headroom starts: what is counted is what was asked for, what
//! the database says of itself is kept, and neither a folder nor a process stays.

use serde_json::Value;

use crate::common::trials;
use crate::database::{DatabaseStory, fact, metric, word};

/// So many transactions each trial has.
const REQUESTS: &str = "200";
const COUNT: f64 = 200.0;

/// A load, and how many statements a transaction of each of its mixes has: at least and at most, since some loads have
/// several kinds of transactions.
struct AskedLoad {
    workload: &'static str,
    words: &'static [&'static str],
    each: &'static [(&'static str, f64, f64)],
    /// How many questions are asked of the tables afterwards.
    checks: u64,
}

const OLTP: AskedLoad = AskedLoad {
    workload: "db.oltp",
    words: &[
        "--rows",
        "1000",
        "--mix",
        "read-write,read-only,write-only,point-select,update-index,update-non-index,insert,delete",
    ],
    // As sysbench counts: 10 rows, 4 ranges, 2 updates, a removal, an insertion, BEGIN and COMMIT.
    each: &[
        ("read-write", 20.0, 20.0),
        ("read-only", 16.0, 16.0),
        ("write-only", 6.0, 6.0),
        ("point-select", 1.0, 1.0),
        ("update-index", 1.0, 1.0),
        ("update-non-index", 1.0, 1.0),
        ("insert", 1.0, 1.0),
        ("delete", 1.0, 1.0),
    ],
    checks: 0,
};

const SLAP: AskedLoad = AskedLoad {
    workload: "db.slap",
    words: &["--mix", "mixed,read,key,update,write"],
    each: &[
        ("mixed", 1.0, 1.0),
        ("read", 1.0, 1.0),
        ("key", 1.0, 1.0),
        ("update", 1.0, 1.0),
        ("write", 1.0, 1.0),
    ],
    checks: 0,
};

const TPCB: AskedLoad = AskedLoad {
    workload: "db.tpcb",
    words: &["--mix", "tpcb-like,simple-update,select-only"],
    each: &[("tpcb-like", 7.0, 7.0), ("simple-update", 5.0, 5.0), ("select-only", 1.0, 1.0)],
    checks: 2,
};

/// No transaction of it has more than 15 lines of four statements, and ten others.
const ORDERS: AskedLoad = AskedLoad {
    workload: "db.orders",
    words: &["--customers", "30", "--items", "100"],
    each: &[("", 5.0, 75.0)],
    checks: 7,
};

/// Three transactions in four have one statement, the fourth has four: 1.75 in the mean.
const SCRIPT: AskedLoad =
    AskedLoad { workload: "db.script", words: &["--sql", "shop.sql"], each: &[("", 1.3, 2.3)], checks: 0 };

/// For all three systems.
const SHOP: &str = "-- headroom: setup
CREATE TABLE goods (id INTEGER PRIMARY KEY, stock INTEGER);
INSERT INTO goods VALUES (1, 100), (2, 100), (3, 100), (4, 100), (5, 100), (6, 100), (7, 100), (8, 100);
CREATE TABLE sales (good INTEGER, note VARCHAR(40));
-- headroom: transaction weight=3
\\set id random(1, 8)
SELECT stock FROM goods WHERE id = :id;
-- headroom: transaction
\\set id random(1, 8)
\\set note text('order ####-@@@@')
BEGIN;
UPDATE goods SET stock = stock - 1 WHERE id = :id;
INSERT INTO sales VALUES (:id, :note);
COMMIT;
";

/// Runs `load` with one client where `more` says, and looks whether all that was counted fits together. What else a
/// trial must show, `shows` looks at.
fn runs(load: &AskedLoad, more: &[&str], shows: impl Fn(&Value)) {
    let story = DatabaseStory::new();
    std::fs::write(story.place.path().join("shop.sql"), SHOP).unwrap();
    let words = [load.words, &["--target", story.target(), "--requests", REQUESTS], more].concat();
    let document = story.good(load.workload, &words);
    let cases = document["cases"].as_array().unwrap();
    assert_eq!(cases.len(), load.each.len(), "{}", load.workload);
    for case in cases {
        let mix = word(case, "mix");
        let (_, least, most) = load.each.iter().find(|(known, ..)| *known == mix).unwrap();
        let trial = &case["trials"][0];
        let about = format!("{} {mix}: {trial:#}", load.workload);
        let number = |name: &str| metric(trial, name).unwrap_or_else(|| panic!("no {name}: {about}"));
        // One client does one at a time, so that no more were begun than were asked for.
        assert_eq!(fact(trial, "transactions_committed"), 200, "{about}");
        assert!((number("elapsed") * number("transactions_per_second") - COUNT).abs() < 0.5, "{about}");
        // What the edges of the window cut is a part of one transaction.
        let each = number("queries_per_second") / number("transactions_per_second");
        assert!((0.98 * least..=1.02 * most).contains(&each), "{each} statements: {about}");
        assert_eq!(number("error_share"), 0.0, "{about}");
        let percentiles = ["latency_p50", "latency_p90"].map(number);
        assert!(percentiles[0] > 0.0 && percentiles[0] <= percentiles[1], "{about}");
        assert!(number("latency_max") >= percentiles[1], "{about}");
        assert!(metric(trial, "latency_p99").is_none(), "of 200 there are two beyond it: {about}");
        if load.checks > 0 {
            assert_eq!(fact(trial, "consistency_checks"), load.checks, "{about}");
        }
        shows(trial);
    }
}

fn on_sqlite(load: &AskedLoad) {
    runs(load, &["--synchronous", "off", "--journal-mode", "wal"], |trial| {
        assert!(fact(trial, "database_version").as_str().unwrap().starts_with("SQLite 3."), "{trial:#}");
        assert_eq!(fact(trial, "synchronous"), "off");
        assert_eq!(fact(trial, "journal_mode"), "wal");
        assert_eq!(fact(trial, "database_checked"), true);
    });
}

/// Whether a server is installed; where it is not, that is said. In CI it is.
pub(super) fn is_there(server: &str) -> bool {
    let found = match server {
        "mariadb" => std::path::Path::new("/usr/sbin/mariadbd").is_file(),
        _ => std::path::Path::new("/usr/lib/postgresql").is_dir(),
    };
    assert!(found || std::env::var_os("CI").is_none(), "CI has no {server}");
    if !found {
        println!("skipped: there is no {server}");
    }
    found
}

/// The same on a server that is started, with a variable that each has its own way to name.
fn on_started(server: &str, load: &AskedLoad) {
    if !is_there(server) {
        return;
    }
    let (variables, version, setting, value) = match server {
        "mariadb" => {
            let asked = "innodb_flush_log_at_trx_commit=0";
            (asked, "MariaDB ", "innodb_flush_log_at_trx_commit", "0")
        }
        _ => ("synchronous_commit=off+max_wal_size=64MB", "PostgreSQL ", "synchronous_commit", "off"),
    };
    runs(load, &["--start", server, "--server-variables", variables], |trial| {
        let text = |name: &str| fact(trial, name).as_str().unwrap_or_else(|| panic!("no {name}: {trial:#}"));
        assert!(text("database_version").starts_with(version), "{trial:#}");
        assert_eq!((text("database_connection"), text(setting)), ("Unix socket", value));
        assert!(text("server_variables").contains(&format!("{setting}={value}")), "{trial:#}");
        assert!(!text("server_version").is_empty() && !text("server_user").contains("root"), "{trial:#}");
        assert_eq!(fact(trial, "database_is_own"), true);
        let round_trip_s = fact(trial, "database_round_trip").as_f64().unwrap();
        assert!(round_trip_s > 0.0 && round_trip_s < 10.0, "{round_trip_s}");
        assert_eq!(fact(trial, "connections"), 1);
    });
}

#[test]
fn every_mix_of_sysbench_runs_on_sqlite_and_is_counted() {
    on_sqlite(&OLTP);
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn the_other_loads_run_on_sqlite_and_are_counted() {
    [SLAP, TPCB, ORDERS, SCRIPT].iter().for_each(on_sqlite);
}

#[test]
fn a_file_of_transactions_runs_on_a_mariadb_that_is_started() {
    on_started("mariadb", &SCRIPT);
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn every_load_runs_on_a_mariadb_that_is_started_and_is_counted() {
    [OLTP, SLAP, TPCB, ORDERS].iter().for_each(|load| on_started("mariadb", load));
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn every_load_runs_on_a_postgresql_that_is_started_and_is_counted() {
    [OLTP, SLAP, TPCB, ORDERS, SCRIPT].iter().for_each(|load| on_started("postgres", load));
}

/// Clients that meet: what was begun again is told, and nothing is lost.
#[test]
#[ignore = "long: cargo xtask test --long"]
fn clients_that_meet_on_a_few_rows_begin_again_and_all_is_counted() {
    for server in ["mariadb", "postgres"] {
        if !is_there(server) {
            continue;
        }
        let story = DatabaseStory::new();
        let meet = ["--mix", "write-only", "--rows", "10", "--distribution", "uniform", "--clients", "16"];
        let more = ["--start", server, "--target", story.target(), "--duration", "2s"];
        let more = match server {
            "mariadb" => [&more[..], &["--server-variables", "innodb_flush_log_at_trx_commit=0"]].concat(),
            _ => [&more[..], &["--server-variables", "deadlock_timeout=10ms+max_wal_size=64MB"]].concat(),
        };
        let (code, document) = story.run("db.oltp", &[&meet[..], &more].concat());
        let all = trials(&document);
        let trial = all[0];
        // Who removed no row because another put it in anew is refused when it puts it in: that has failed.
        assert_eq!((code, trial["status"].as_str()), (0, Some("ok")), "{trial:#}");
        story.assert_nothing_is_left();
        assert!(fact(trial, "transactions_committed").as_u64() > Some(0), "{trial:#}");
        let retried = fact(trial, "transactions_retried").as_u64().unwrap();
        assert!(retried > 0, "sixteen clients and ten rows: {trial:#}");
        let errors = fact(trial, "transaction_errors").as_str().unwrap();
        assert!(errors.contains(if server == "mariadb" { "1213" } else { "40P01" }), "{errors}");
        assert!(metric(trial, "retries_per_second").is_some_and(|rate| rate > 0.0), "{trial:#}");
    }
}

/// Levels of a server's variable are servers of their own, and what each was told is kept with it.
#[test]
#[ignore = "long: cargo xtask test --long"]
fn levels_of_a_servers_variable_are_compared() {
    if !is_there("mariadb") {
        return;
    }
    let story = DatabaseStory::new();
    let levels = "innodb_flush_log_at_trx_commit=0,innodb_flush_log_at_trx_commit=1";
    let document = story.good(
        "db.oltp",
        &[
            "--start",
            "mariadb",
            "--target",
            story.target(),
            "--server-variables",
            levels,
            "--rows",
            "1000",
            "--duration",
            "200ms",
        ],
    );
    let all = trials(&document);
    let mut values: Vec<&str> =
        all.iter().map(|trial| fact(trial, "innodb_flush_log_at_trx_commit").as_str().unwrap()).collect();
    values.sort_unstable();
    assert_eq!(values, ["0", "1"]);
    for trial in all {
        let value = fact(trial, "innodb_flush_log_at_trx_commit").as_str().unwrap();
        let told = fact(trial, "server_configuration").as_str().unwrap();
        assert_eq!(told, format!("innodb_flush_log_at_trx_commit={value}"));
    }
}
