//! The protocol against a MariaDB of its own: Debian's package, in a temporary folder, by its socket and by loopback.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use base64::prelude::{BASE64_STANDARD, Engine};
use model::Value;
use model::database::fact;

use crate::workload::db::client::{DatabaseClient, FailureKind, StatementFailure};
use crate::workload::db::generator::SqlValue;
use crate::workload::db::mysql::MySqlCodec;
use crate::workload::db::password::Password;
use crate::workload::db::server_sizes::{self, LoadMoment};
use crate::workload::db::transaction::SqlStatement;
use crate::workload::db::url::{DatabaseSystem, DatabaseUrl};
use crate::workload::db::wire::{Codec, DatabaseConnection, DatabaseServer, Dialect, RowTarget};

type Connection = DatabaseConnection<MySqlCodec>;

/// How long a server may take to begin.
const START: Duration = Duration::from_secs(120);

/// A server that is gone when this is dropped.
struct OwnMariaDb {
    server: Child,
    port: u16,
    folder: tempfile::TempDir,
}

impl Drop for OwnMariaDb {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// Where a program of the server's package is.
fn program(name: &str) -> Option<PathBuf> {
    ["/usr/sbin", "/usr/bin", "/usr/libexec"]
        .into_iter()
        .map(|folder| Path::new(folder).join(name))
        .find(|path| path.exists())
}

fn pem(what: &str, der: &[u8]) -> String {
    let text = BASE64_STANDARD.encode(der);
    let lines: Vec<_> = text.as_bytes().chunks(64).map(String::from_utf8_lossy).collect();
    format!("-----BEGIN {what}-----\n{}\n-----END {what}-----\n", lines.join("\n"))
}

impl OwnMariaDb {
    /// None where the package is not installed. In CI it is.
    fn start() -> Option<Self> {
        let (Some(server), Some(install)) = (program("mariadbd"), program("mariadb-install-db")) else {
            assert!(std::env::var_os("CI").is_none(), "in CI nothing is skipped: there is no mariadbd");
            println!("skipped: there is no mariadbd (mariadb-server)");
            return None;
        };
        // A socket's path has at most 107 bytes.
        let folder = tempfile::Builder::new().prefix("headroom-").tempdir_in("/tmp").unwrap();
        let data = format!("--datadir={}", folder.path().join("data").display());
        let is_root = rustix::process::geteuid().is_root();
        let user = is_root.then_some("--user=root");
        let made = Command::new(install)
            .args([
                "--no-defaults",
                "--skip-name-resolve",
                "--skip-test-db",
                "--auth-root-authentication-method=normal",
                &data,
            ])
            .args(user)
            .output()
            .unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let key = rcgen::KeyPair::generate().unwrap();
        let certificate =
            rcgen::CertificateParams::new(vec!["localhost".to_owned()]).unwrap().self_signed(&key).unwrap();
        std::fs::write(folder.path().join("key.pem"), pem("PRIVATE KEY", &key.serialize_der())).unwrap();
        std::fs::write(folder.path().join("certificate.pem"), pem("CERTIFICATE", certificate.der())).unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let of = |option: &str, name: &str| format!("--{option}={}", folder.path().join(name).display());
        let server = Command::new(server)
            .args([
                "--no-defaults",
                "--skip-name-resolve",
                "--bind-address=127.0.0.1",
                "--innodb-buffer-pool-size=32M",
                &data,
            ])
            .args([of("socket", "socket"), of("pid-file", "pid"), of("log-error", "log")])
            .args([of("ssl-key", "key.pem"), of("ssl-cert", "certificate.pem"), format!("--port={port}")])
            .args(user)
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        let mut own = Self { server, port, folder };
        own.wait();
        Some(own)
    }

    fn wait(&mut self) {
        let begun = Instant::now();
        while let Err(failure) = self.open("root", "", "mysql", "") {
            let ended = self.server.try_wait().unwrap();
            if ended.is_some() || begun.elapsed() > START {
                let log = std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
                panic!("the server does not begin: {failure:?} {ended:?}\n{log}");
            }
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    /// A connection by the socket, or by loopback with these options.
    fn open(
        &self,
        user: &str,
        password: &str,
        database: &str,
        options: &str,
    ) -> Result<Connection, StatementFailure> {
        let socket = self.folder.path().join("socket").display().to_string().replace('/', "%2F");
        let host = if options.is_empty() { socket } else { format!("127.0.0.1:{}", self.port) };
        let url = DatabaseUrl::parse(&format!("mysql://{user}@{host}/{database}{options}")).unwrap();
        let password = (!password.is_empty()).then(|| Password::new(password.as_bytes().to_vec()));
        let server = DatabaseServer::find::<MySqlCodec>(&url, password, Duration::from_secs(1))?;
        Connection::open(&server)
    }
}

#[test]
fn a_server_is_spoken_to() {
    let Some(own) = OwnMariaDb::start() else { return };
    let mut root = own.open("root", "", MySqlCodec::MAINTENANCE, "").unwrap();
    assert_eq!(root.query(MySqlCodec::MAY_CREATE).unwrap(), [[Some("1".to_owned())]]);
    let version = root.query(MySqlCodec::VERSION).unwrap();
    assert!(version[0][0].as_ref().unwrap().starts_with("MariaDB "), "{version:?}");
    root.query(&MySqlCodec::create_database("headroom_test")).unwrap();
    rows_are_put_in_as_they_are(&own);
    sizes_are_read(&own);
    statements_do_what_they_say(&own, true);
    statements_do_what_they_say(&own, false);
    locks_are_waited_for_and_given_up(&own);
    users_sign_in(&own, &mut root);
    the_server_may_end(&own, &mut root);
    root.query(&MySqlCodec::drop_database("headroom_test")).unwrap();
    assert!(own.open("root", "", "headroom_test", "").is_err_and(|e| e.message.contains("headroom_test")));
}

fn rows_are_put_in_as_they_are(own: &OwnMariaDb) {
    let mut connection = own.open("root", "", "headroom_test", "").unwrap();
    assert_eq!(connection.query(&MySqlCodec::has_table("t")).unwrap().len(), 0);
    connection.query("CREATE TABLE t (a INT PRIMARY KEY, b VARCHAR(200), k INT)").unwrap();
    assert_eq!(connection.query(&MySqlCodec::has_table("t")).unwrap().len(), 1);
    let text = r#"it's \n "%" é"#;
    let long = "x".repeat(100);
    let mut number = 0;
    let mut next = |row: &mut Vec<SqlValue>| {
        number += 1;
        row.clear();
        let text = if number == 7 { text } else { &long };
        row.extend([SqlValue::Integer(number), SqlValue::Text(text.to_owned()), SqlValue::Integer(-number)]);
        number <= 20_000
    };
    let target = RowTarget { table: "t", columns: &["a", "b", "k"] };
    connection.put_rows(target, &mut next).unwrap();
    for text in MySqlCodec::after_filling("t") {
        connection.query(&text).unwrap();
    }
    let found = connection.query("SELECT COUNT(*), SUM(k), MAX(a) FROM t").unwrap();
    assert_eq!(found, [["20000", "-200010000", "20000"].map(|text| Some(text.to_owned()))]);
    let found = connection.query("SELECT b, NULL FROM t WHERE a = 7").unwrap();
    assert_eq!(found, [[Some(text.to_owned()), None]]);
}

/// 20,000 rows of more than 100 bytes in a buffer pool of 32 MiB, and what else it may do beside.
fn sizes_are_read(own: &OwnMariaDb) {
    let mut connection = own.open("root", "", "headroom_test", "").unwrap();
    let mut read = |moment| {
        server_sizes::read(DatabaseSystem::MySql, moment, &mut |text| connection.query(text)).unwrap()
    };
    let (before, after) = (read(LoadMoment::Before), read(LoadMoment::After));
    assert_eq!(before[1], (fact::BUFFER_BYTES, Value::Integer(32 << 20)));
    let bytes = before[0].1.number().unwrap();
    assert!((2e6..32e6).contains(&bytes), "{before:?}");
    assert_eq!((before[0].0, after[0].0), (fact::BYTES, fact::BYTES_AFTER));
    for (question, name) in MySqlCodec::SETTINGS {
        let says = |value: &str| Some(Some(value.to_owned()));
        let Ok(rows) = connection.query(question) else { continue };
        let value = rows.into_iter().flatten().next();
        match *name {
            "query_cache_type" => assert_eq!(value, says("OFF")),
            "general_log" | "performance_schema" => assert_eq!(value, says("0"), "{name}"),
            "slow_query_log" => assert_eq!(value, says("off")),
            "innodb_flush_log_at_trx_commit" => assert_eq!(value, says("1")),
            _ => {}
        }
    }
}

fn statements_do_what_they_say(own: &OwnMariaDb, prepares: bool) {
    let statements: Arc<[SqlStatement]> = [
        ("BEGIN", false),
        ("COMMIT", false),
        ("SELECT b FROM t WHERE a=?", false),
        ("SELECT a, b, k FROM t WHERE a BETWEEN ? AND ?", false),
        ("INSERT INTO t VALUES (?, ?, ?)", true),
        ("UPDATE t SET k=k+1 WHERE a=?", true),
        ("DELETE FROM t WHERE a=?", true),
        ("SELECT SUM(k) FROM t WHERE a BETWEEN ? AND ?", false),
        ("SELECT a FROM t WHERE b=?", false),
    ]
    .map(|(text, writes)| SqlStatement::new(text, writes))
    .into();
    let mut connection = own.open("root", "", "headroom_test", "").unwrap();
    connection.set_statements(statements, prepares).unwrap();
    let text = r"a\'b";
    let values = [SqlValue::Integer(30_000), SqlValue::Text(text.to_owned()), SqlValue::Integer(1)];
    // Twice: the server then leaves out what it told before.
    for _ in 0..2 {
        let mut run = |statement, parameters: &[usize]| connection.execute(statement, &values, parameters);
        assert_eq!(run(0, &[]), Ok(0));
        assert_eq!(run(2, &[2]), Ok(1));
        assert_eq!(run(3, &[2, 0]), Ok(20_000), "{prepares}");
        assert_eq!(run(4, &[0, 1, 2]), Ok(1));
        assert_eq!(run(8, &[1]), Ok(1), "the text is the one that was given");
        let twice = run(4, &[0, 1, 2]).unwrap_err();
        assert_eq!(twice.kind, FailureKind::Refused);
        assert!(!twice.message.contains("30000"), "{twice:?}");
        assert_eq!(run(5, &[0]), Ok(1));
        assert_eq!((run(6, &[0]), run(6, &[0])), (Ok(1), Ok(0)));
        assert_eq!((run(7, &[2, 0]), run(1, &[])), (Ok(1), Ok(0)));
        assert_eq!((run(0, &[]), run(4, &[0, 1, 2])), (Ok(0), Ok(1)));
        connection.roll_back().unwrap();
        assert_eq!(connection.execute(2, &values, &[0]), Ok(0), "it was rolled back");
    }
    let wrong: Arc<[SqlStatement]> = [SqlStatement::new("SELECT nothing FROM t", false)].into();
    let refused = connection.set_statements(wrong, true).unwrap_err();
    assert!(refused.message.contains("SELECT nothing FROM t") && refused.message.contains("'nothing'"));
}

fn locks_are_waited_for_and_given_up(own: &OwnMariaDb) {
    let statements: Arc<[SqlStatement]> =
        ["BEGIN", "UPDATE t SET k=k+1 WHERE a=?"].map(|text| SqlStatement::new(text, true)).into();
    let client = || {
        let mut connection = own.open("root", "", "headroom_test", "").unwrap();
        connection.set_statements(Arc::clone(&statements), true).unwrap();
        connection
    };
    let (mut one, mut other) = (client(), client());
    let values = [SqlValue::Integer(1), SqlValue::Integer(2)];
    one.execute(0, &values, &[]).unwrap();
    assert_eq!(one.execute(1, &values, &[0]), Ok(1));
    other.execute(0, &values, &[]).unwrap();
    assert_eq!(other.execute(1, &values, &[1]), Ok(1));
    let given_up = other.execute(1, &values, &[0]).unwrap_err();
    assert_eq!(given_up.kind, FailureKind::Conflict, "{given_up:?}");
    other.roll_back().unwrap();
    assert_eq!(one.execute(1, &values, &[1]), Ok(1), "the other one has let go");
    one.roll_back().unwrap();
    assert_eq!(other.execute(1, &values, &[0]), Ok(1));
}

fn users_sign_in(own: &OwnMariaDb, root: &mut Connection) {
    // It would be taken for everybody who comes by the socket.
    root.query("DROP USER IF EXISTS ''@localhost").unwrap();
    root.query("CREATE USER old@'%' IDENTIFIED VIA mysql_native_password USING PASSWORD('hunter2')").unwrap();
    let mut users = vec!["old"];
    if root.query("INSTALL SONAME 'auth_ed25519'").is_ok() {
        root.query("CREATE USER curve@'%' IDENTIFIED VIA ed25519 USING PASSWORD('hunter2')").unwrap();
        users.push("curve");
    } else {
        assert!(std::env::var_os("CI").is_none(), "in CI nothing is skipped: there is no auth_ed25519");
        println!("skipped: this MariaDB has no plugin for ed25519");
    }
    for user in users {
        for options in ["", "?tls=off", "?tls=require"] {
            let mut connection = own.open(user, "hunter2", "", options).unwrap();
            let shown = connection.query("SHOW SESSION STATUS LIKE 'Ssl_cipher'").unwrap();
            let is_secure = shown[0][1].as_ref().is_some_and(|cipher| !cipher.is_empty());
            assert_eq!(is_secure, options == "?tls=require", "{shown:?}");
            assert_eq!(connection.query("SELECT 1").unwrap(), [[Some("1".to_owned())]]);
        }
        let told = own.open(user, "hunter3", "", "").err().unwrap().message;
        assert!(told.contains("Access denied") && !told.contains("hunter3"), "{told}");
        assert!(own.open(user, "", "", "").is_err_and(|e| e.message.contains("Access denied")));
        let refused = own.open(user, "hunter2", "mysql", "").err().unwrap();
        assert!(refused.message.contains("mysql"), "{refused:?}");
    }
    let told = own.open("old", "hunter2", "", "?tls=verify").err().unwrap().message;
    assert!(told.contains("certificate"), "{told}");
}

fn the_server_may_end(own: &OwnMariaDb, root: &mut Connection) {
    let mut connection = own.open("root", "", "headroom_test", "").unwrap();
    let found = connection.query("SELECT CONNECTION_ID()").unwrap();
    let id = found[0][0].clone().unwrap();
    root.query(&format!("KILL {id}")).unwrap();
    let failure = connection.query("SELECT 1").unwrap_err();
    assert_eq!(failure.kind, FailureKind::Lost, "{failure:?}");
}

#[test]
fn a_socket_is_a_path_or_where_packages_have_it() {
    assert_eq!(MySqlCodec::socket("/run/x/socket", 3306), Path::new("/run/x/socket"));
    let place = tempfile::tempdir_in(".").unwrap();
    let folder = place.path().to_str().unwrap();
    assert_eq!(MySqlCodec::socket(folder, 3306), place.path().join("mysqld.sock"));
    assert!(MySqlCodec::socket("", 3306).is_absolute());
}
