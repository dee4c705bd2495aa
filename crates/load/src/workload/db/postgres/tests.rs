//! PostgreSQL itself: who gets in, what statements come to, and what ends a connection.

use std::sync::Arc;
use std::time::Duration;

use model::Value;
use model::database::fact;

use super::*;
use crate::workload::db::client::DatabaseClient;
use crate::workload::db::counters;
use crate::workload::db::password::Password;
use crate::workload::db::server_sizes::{self, LoadMoment};
use crate::workload::db::url::DatabaseUrl;
use crate::workload::db::wire::{DatabaseConnection, DatabaseServer};

#[path = "../../../../tests/workloads/db/postgres_server.rs"]
mod postgres_server;

use postgres_server::PostgresServer;

type Connection = DatabaseConnection<PostgresCodec>;

const PASSWORD: &str = "hunter2 ü";

fn found(url: &str, password: Option<&str>) -> Result<DatabaseServer, StatementFailure> {
    let password = password.map(|text| Password::new(text.as_bytes().to_vec()));
    let url = DatabaseUrl::parse(url).unwrap();
    DatabaseServer::find::<PostgresCodec>(&url, password, Duration::from_millis(200))
}

fn open(url: &str, password: Option<&str>) -> Result<Connection, StatementFailure> {
    Connection::open(&found(url, password)?)
}

/// Who the server says is there, or why it lets nobody in.
fn signed_in(url: &str, password: Option<&str>) -> Result<String, String> {
    let mut connection = open(url, password).map_err(|failure| failure.message)?;
    let rows = connection.query("SELECT current_user").map_err(|failure| failure.message)?;
    Ok(rows[0][0].clone().unwrap())
}

/// A server with a user for each way to sign in.
fn with_users() -> Option<PostgresServer> {
    let server = PostgresServer::start(&[])?;
    for (user, encryption) in [
        ("scram_user", "scram-sha-256"),
        ("md5_user", "md5"),
        ("clear_user", "scram-sha-256"),
        ("peer_user", "md5"),
    ] {
        let made = format!(
            "SET password_encryption = '{encryption}'; CREATE ROLE {user} LOGIN PASSWORD '{PASSWORD}'"
        );
        server.sql("postgres", &made);
    }
    Some(server)
}

#[test]
fn each_way_to_sign_in_lets_in_who_knows_the_password_and_nobody_else() {
    let Some(server) = with_users() else { return };
    for user in ["scram_user", "md5_user"] {
        let url = server.url(user, "postgres");
        assert_eq!(signed_in(&url, Some(PASSWORD)).as_deref(), Ok(user));
        let wrong = signed_in(&url, Some("hunter3")).unwrap_err();
        assert!(wrong.contains("password authentication failed") && !wrong.contains("hunter"), "{wrong}");
        let none = signed_in(&url, None).unwrap_err();
        assert!(none.contains("HEADROOM_DB_PASSWORD") && none.contains(user), "{none}");
    }
    // By the socket: trusted, and asked of the kernel.
    assert_eq!(signed_in(&server.socket_url("scram_user", "postgres"), None).as_deref(), Ok("scram_user"));
    assert_eq!(signed_in(&server.socket_url("peer_user", "postgres"), None).as_deref(), Ok("peer_user"));
    // In the clear, no password is said that others could read.
    let clear = server.url("clear_user", "postgres");
    let refused = signed_in(&clear, Some(PASSWORD)).unwrap_err();
    assert!(refused.contains("in the clear"), "{refused}");
    assert_eq!(signed_in(&format!("{clear}?tls=require"), Some(PASSWORD)).as_deref(), Ok("clear_user"));
}

#[test]
fn tls_is_spoken_where_the_url_says_so_and_binds_the_sign_in() {
    let Some(server) = with_users() else { return };
    let url = server.url("scram_user", "postgres");
    let required = format!("{url}?sslmode=require");
    // The server offers SCRAM-SHA-256-PLUS then, and refuses a wrong hash of its certificate.
    assert_eq!(signed_in(&required, Some(PASSWORD)).as_deref(), Ok("scram_user"));
    assert_eq!(
        signed_in(&server.url("md5_user", "postgres?tls=require"), Some(PASSWORD)).as_deref(),
        Ok("md5_user")
    );
    let untrusted = signed_in(&format!("{url}?tls=verify"), Some(PASSWORD)).unwrap_err();
    assert!(untrusted.contains("certificate") || untrusted.contains("authorities"), "{untrusted}");
    let is_tls = |url: &str| {
        let mut connection = open(url, Some(PASSWORD)).unwrap();
        let asked = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
        connection.query(asked).unwrap()[0][0].clone().unwrap()
    };
    assert_eq!((is_tls(&required), is_tls(&url)), ("t".to_owned(), "f".to_owned()));
    let Some(deaf) = PostgresServer::start(&["ssl=off"]) else { return };
    let refused = signed_in(&deaf.url("postgres", "postgres?tls=require"), None).unwrap_err();
    assert!(refused.contains("does not speak TLS"), "{refused}");
}

const STATEMENTS: [&str; 7] = [
    "BEGIN",
    "COMMIT",
    "INSERT INTO t (a, b) VALUES (?, ?)",
    "SELECT a, b FROM t WHERE a >= ? ORDER BY a DESC",
    "UPDATE t SET b = b WHERE a >= ?",
    "LOCK TABLE t",
    "SELECT pg_terminate_backend(pg_backend_pid())",
];

fn client(server: &PostgresServer, prepares: bool) -> Connection {
    let mut client = open(&server.url("postgres", "postgres"), None).unwrap();
    let of = |text: &&str| SqlStatement::new(text, text.starts_with("INSERT") || text.starts_with("UPDATE"));
    let statements: Arc<[SqlStatement]> = STATEMENTS.iter().map(of).collect();
    client.set_statements(statements, prepares).unwrap();
    client
}

#[test]
fn statements_give_what_they_give_with_and_without_preparing() {
    let Some(server) = PostgresServer::start(&[]) else { return };
    for prepares in [true, false] {
        server.sql("postgres", "DROP TABLE IF EXISTS t; CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT)");
        let mut client = client(&server, prepares);
        for number in 0..5 {
            let values = [SqlValue::Integer(number), SqlValue::Text("it's \\ ?".to_owned())];
            assert_eq!(client.execute(2, &values, &[0, 1]), Ok(1));
        }
        assert_eq!(server.sql("postgres", "SELECT count(*) FROM t WHERE b = 'it''s \\ ?'"), "5");
        let two = [SqlValue::Integer(2)];
        assert_eq!((client.execute(3, &two, &[0]), client.execute(4, &two, &[0])), (Ok(3), Ok(3)));
        let mut kept = vec![SqlValue::Integer(2), SqlValue::Integer(0), SqlValue::Integer(0)];
        assert_eq!(client.keep(3, &mut kept, &[0], &[1, 2]), Ok(3));
        assert_eq!(kept[1..], [SqlValue::Integer(4), SqlValue::Text("it's \\ ?".to_owned())]);
        // One that is refused inside a transaction is in the middle of it until that is rolled back.
        assert_eq!(client.execute(0, &[], &[]), Ok(0));
        assert_eq!(client.execute(2, &[SqlValue::Integer(9), SqlValue::Integer(9)], &[0, 1]), Ok(1));
        let twice = client.execute(2, &[SqlValue::Integer(4), SqlValue::Integer(9)], &[0, 1]).unwrap_err();
        assert_eq!(twice.kind, FailureKind::Refused);
        assert!(twice.message.contains("23505"), "{twice:?}");
        client.roll_back().unwrap();
        client.roll_back().unwrap();
        assert_eq!(client.execute(3, &[SqlValue::Integer(0)], &[0]), Ok(5));
    }
}

#[test]
fn a_lock_that_is_not_given_is_a_conflict_and_a_connection_that_ends_is_lost() {
    let Some(server) = PostgresServer::start(&[]) else { return };
    server.sql("postgres", "CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT)");
    let (mut one, mut other) = (client(&server, true), client(&server, true));
    assert_eq!((one.execute(0, &[], &[]), one.execute(5, &[], &[])), (Ok(0), Ok(0)));
    let locked = other.execute(4, &[SqlValue::Integer(0)], &[0]).unwrap_err();
    assert_eq!(locked.kind, FailureKind::Conflict, "{locked:?}");
    other.roll_back().unwrap();
    one.roll_back().unwrap();
    assert_eq!(other.execute(4, &[SqlValue::Integer(0)], &[0]), Ok(0));
    let ended = one.execute(6, &[], &[]).unwrap_err();
    assert_eq!(ended.kind, FailureKind::Lost, "{ended:?}");
    assert!(ended.message.contains("57P01"), "it says why: {ended:?}");
}

#[test]
fn sizes_and_what_it_does_beside_are_read() {
    let Some(server) = PostgresServer::start(&["log_statement=all"]) else { return };
    let filled = "CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT); \
                  INSERT INTO t SELECT n, repeat('x', 100) FROM generate_series(1, 10000) n";
    server.sql("postgres", filled);
    let mut connection = open(&server.url("postgres", "postgres"), None).unwrap();
    let mut read = |moment| {
        server_sizes::read(DatabaseSystem::Postgres, moment, &mut |text| connection.query(text)).unwrap()
    };
    let (before, after) = (read(LoadMoment::Before), read(LoadMoment::After));
    let asked = "SELECT pg_total_relation_size('t')";
    let bytes: u64 = server.sql("postgres", asked).parse().unwrap();
    assert_eq!(
        before,
        [(fact::BYTES, Value::Integer(bytes)), (fact::BUFFER_BYTES, Value::Integer(16 << 20)),]
    );
    assert_eq!(after, [(fact::BYTES_AFTER, Value::Integer(bytes))]);
    let value = |name: &str, connection: &mut Connection| {
        let (question, _) = PostgresCodec::SETTINGS.iter().find(|(_, own)| *own == name).unwrap();
        connection.query(question).unwrap()[0][0].clone().unwrap()
    };
    assert_eq!(value("log_statement", &mut connection), "all");
    assert_eq!(value("log_min_duration_statement", &mut connection), "-1");
    assert_eq!(value("debug_assertions", &mut connection), "off");
    assert_eq!(value("shared_preload_libraries", &mut connection), "");
}

#[test]
fn all_commits_are_those_of_every_database() {
    let Some(server) = PostgresServer::start(&[]) else { return };
    let mut connection = open(&server.url("postgres", "postgres"), None).unwrap();
    let questions = counters::questions(DatabaseSystem::Postgres);
    let question = questions.iter().find(|text| text.contains("all_xact_commit")).unwrap();
    let mut count = || {
        let object = connection.query(question).unwrap()[0][0].clone().unwrap();
        let object: serde_json::Value = serde_json::from_str(&object).unwrap();
        object["all_xact_commit"].as_f64().unwrap()
    };
    let before = count();
    // Another database than the one of the connection; counts are handed in when a session ends, at the latest.
    let many: String = (0..200).map(|_| "SELECT 1; COMMIT; ").collect();
    server.sql("template1", &many);
    let until = std::time::Instant::now() + Duration::from_secs(20);
    while count() < before + 200.0 {
        assert!(std::time::Instant::now() < until, "they are not counted");
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn rows_are_put_in_as_they_are() {
    let Some(server) = PostgresServer::start(&[]) else { return };
    server.sql("postgres", "CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT)");
    let mut connection = open(&server.url("postgres", "postgres"), None).unwrap();
    let text = "a\tb\\n\n'\r$1 ü";
    let mut row = 0;
    let mut next = |values: &mut Vec<SqlValue>| {
        *values = vec![SqlValue::Integer(row), SqlValue::Text(text.to_owned())];
        row += 1;
        row <= 10_000
    };
    let target = RowTarget { table: "t", columns: &["a", "b"] };
    connection.put_rows(target, &mut next).unwrap();
    let rows = connection.query("SELECT count(*), min(b), max(b), min(a), max(a), NULL FROM t").unwrap();
    let expected = ["10000", text, text, "0", "9999"].map(|text| Some(text.to_owned()));
    assert_eq!(rows, [[&expected[..], &[None]].concat()]);
    // Another time the keys are there already; the connection can be used all the same.
    row = 0;
    let mut again = |values: &mut Vec<SqlValue>| {
        *values = vec![SqlValue::Integer(5), SqlValue::Integer(0)];
        row += 1;
        row == 1
    };
    let refused = connection.put_rows(target, &mut again).unwrap_err();
    assert!(refused.message.contains("23505"), "{refused:?}");
    let absent = RowTarget { table: "absent", columns: &["a"] };
    assert!(connection.put_rows(absent, &mut again).unwrap_err().message.contains("42P01"));
    assert_eq!(connection.query("SELECT 1").unwrap(), [[Some("1".to_owned())]]);
}
