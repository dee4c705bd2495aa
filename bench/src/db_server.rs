//! A server of databases for both sides of a benchmark: MariaDB or PostgreSQL of Debian, on the first CPU, with data of
//! its own in the scratch folder and a Unix socket there. Nothing of the machine's own server is read or touched. It is
//! not run as root, ends with this process, and its folder goes when it is dropped.
//!
//! By the socket nobody gives a password: only root and the server's user may enter the folder that it is in. A port there is
//! only for clients that come over TLS, with a password ([`DatabaseTls`]).

use std::fs::{self, File};
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Child, Command as Process, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, geteuid, kill_process};

use crate::context::{self, BenchContext};
use crate::db_product::{DatabaseProduct, PORT, owned, text, version_of};
use crate::db_tls::{self, DatabaseTls};
use crate::place;
use xtask::Error;

/// How long one gets to let clients in.
const BEGINS: Duration = Duration::from_secs(30);
/// How long it gets to end by its signal.
const ENDS: Duration = Duration::from_secs(10);

/// A path of a socket has so many bytes at most (unix(7): 108 with the zero behind it).
const SOCKET_PATH_MOST: usize = 107;

/// What the server writes to, in its folder.
const LOG: &str = "log";

/// A running one.
#[derive(Debug)]
pub(crate) struct PrivateDatabase {
    child: Child,
    product: DatabaseProduct,
    folder: PathBuf,
    cpu: u32,
    /// How clients come over the network; none if they come by its socket.
    tls: Option<DatabaseTls>,
}

/// How clients of both sides reach a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClientWay {
    /// By its Unix socket.
    Socket,
    /// Over TLS at a port of loopback.
    Tls,
}

impl PrivateDatabase {
    /// Makes its data and starts it, on the first CPU; clients come by its socket.
    pub(crate) fn start(context: &BenchContext, product: DatabaseProduct) -> Result<Self, Error> {
        Self::start_for(context, product, ClientWay::Socket)
    }

    /// The same for clients that come so.
    pub(crate) fn start_for(
        context: &BenchContext,
        product: DatabaseProduct,
        way: ClientWay,
    ) -> Result<Self, Error> {
        let folder = context.scratch(product.program());
        // A port has five digits at most.
        let socket = product.socket(&folder, "65535");
        if socket.as_os_str().len() > SOCKET_PATH_MOST {
            let socket = socket.display();
            return Err(Error::Bench(format!(
                "`{socket}` is longer than a socket's path may be: build elsewhere (CARGO_TARGET_DIR)"
            )));
        }
        let account = if geteuid().is_root() { Some(account(product.system_user())?) } else { None };
        make_folder(&folder, account)?;
        let before = run_as(product, account);
        let tls = match way {
            ClientWay::Socket => None,
            ClientWay::Tls => Some(DatabaseTls::make(context, &folder, &before)?),
        };
        let initialiser = product.initialiser(&folder, tls.as_ref())?;
        let words: Vec<&str> = before.iter().chain(&initialiser).map(String::as_str).collect();
        context.output(None, words[0], &words[1..])?;
        let (cpu, log) = (place::first()?, folder.join(LOG));
        let log = File::create(&log).map_err(Error::file("make", &log))?;
        let failed = |e: std::io::Error| Error::Bench(format!("starting {}: {e}", product.program()));
        // taskset and setpriv become the server: its number is the child's.
        let child = Process::new("taskset")
            .args(["-c", &cpu.to_string()])
            .args(before.iter().chain(&product.starter(&folder, tls.as_ref())?))
            .current_dir(&folder)
            .stdin(Stdio::null())
            .stdout(log.try_clone().map_err(failed)?)
            .stderr(log)
            .spawn()
            .map_err(failed)?;
        let mut server = Self { child, product, folder, cpu, tls };
        server.await_ready(context)?;
        Ok(server)
    }

    fn await_ready(&mut self, context: &BenchContext) -> Result<(), Error> {
        let deadline = Instant::now() + BEGINS;
        while !self.product.is_ready(&self.folder, self.child.id()) {
            context.go_on()?;
            let ended = self.child.try_wait().map_err(|e| Error::Bench(format!("watching a server: {e}")))?;
            if ended.is_some() || Instant::now() > deadline {
                let says = fs::read_to_string(self.folder.join(LOG)).unwrap_or_default();
                let (program, says) = (self.product.program(), says.trim_end());
                return Err(Error::Bench(format!("{program} lets nobody in: {says}")));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    }

    /// Who it is.
    pub(crate) fn product(&self) -> DatabaseProduct {
        self.product
    }

    /// The path of its socket.
    pub(crate) fn socket(&self) -> String {
        text(&self.product.socket(&self.folder, &self.port()))
    }

    /// Where clients of PostgreSQL find it: the folder of its socket, or an address.
    pub(crate) fn host(&self) -> String {
        if self.tls.is_some() { db_tls::ADDRESS.to_owned() } else { text(&self.folder) }
    }

    /// Its port, which names the socket of PostgreSQL.
    pub(crate) fn port(&self) -> String {
        self.tls.as_ref().map_or_else(|| PORT.to_owned(), |tls| tls.port.to_string())
    }

    /// As whom clients sign in.
    pub(crate) fn user(&self) -> &'static str {
        if self.tls.is_some() { db_tls::USER } else { self.product.user() }
    }

    /// How they come over the network, if they do.
    pub(crate) fn tls(&self) -> Option<&DatabaseTls> {
        self.tls.as_ref()
    }

    /// The word of Headroom for it, without a database: ours makes its own.
    pub(crate) fn url(&self) -> String {
        let (scheme, socket) = match self.product {
            DatabaseProduct::MariaDb => ("mysql", self.socket()),
            DatabaseProduct::Postgres => ("postgres", self.host()),
        };
        let user = self.user();
        match &self.tls {
            None => format!("{scheme}://{user}@{}/", encoded(&socket)),
            Some(tls) => {
                let (at, file) = (db_tls::ADDRESS, encoded(&tls.file("cacert.pem")));
                format!("{scheme}://{user}@{at}:{}/?tls=verify&ca-file={file}", tls.port)
            }
        }
    }

    /// Where a program is that comes with it.
    pub(crate) fn path_of(&self, program: &str) -> Result<String, Error> {
        self.product.path_of(program)
    }

    /// Makes an empty database for a peer.
    pub(crate) fn create(&self, context: &BenchContext, database: &str) -> Result<(), Error> {
        self.execute(context, self.product.first_database(), &[&format!("CREATE DATABASE {database}")])
    }

    /// Has its own client execute these statements, one after the other; it comes by the socket.
    pub(crate) fn execute(
        &self,
        context: &BenchContext,
        database: &str,
        statements: &[&str],
    ) -> Result<(), Error> {
        let words = match self.product {
            DatabaseProduct::MariaDb => owned(&[
                "mariadb",
                "--no-defaults",
                "--skip-ssl",
                &format!("--socket={}", self.socket()),
                &format!("--user={}", self.product.user()),
                &format!("--database={database}"),
                &format!("--execute={}", statements.join("; ")),
            ]),
            DatabaseProduct::Postgres => {
                let program = self.path_of("psql")?;
                let (folder, port, user) = (text(&self.folder), self.port(), self.product.user());
                let to = [&program, "-X", "-q", "-h", &folder, "-p", &port, "-U", user, "-d", database];
                // Each is a transaction of its own: VACUUM is refused in one.
                let all = statements.iter().flat_map(|statement| ["-c", statement]);
                let words = to.into_iter().chain(["-v", "ON_ERROR_STOP=1"]).chain(all);
                words.map(str::to_owned).collect()
            }
        };
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        context.output(None, words[0], &words[1..]).map(drop)
    }

    /// Brings a table that a peer has filled to where ours leaves its own: its statistics are known, and it is written.
    pub(crate) fn settle(
        &self,
        context: &BenchContext,
        database: &str,
        tables: &[&str],
    ) -> Result<(), Error> {
        let of_each = match self.product {
            DatabaseProduct::MariaDb => "ANALYZE TABLE",
            DatabaseProduct::Postgres => "VACUUM ANALYZE",
        };
        let mut statements: Vec<String> = tables.iter().map(|table| format!("{of_each} {table}")).collect();
        if self.product == DatabaseProduct::Postgres {
            statements.push("CHECKPOINT".to_owned());
        }
        let statements: Vec<&str> = statements.iter().map(String::as_str).collect();
        self.execute(context, database, &statements)
    }

    /// `mariadbd 10.11.19-MariaDB on CPU 0 by a Unix socket, innodb_...`.
    pub(crate) fn version(&self, context: &BenchContext) -> Result<String, Error> {
        let program = self.product.program();
        let says = context.output(None, &self.path_of(program)?, &["--version"])?;
        let version = version_of(&says).unwrap_or("of no version");
        let settings = self.product.settings().join(", ");
        let way = if self.tls.is_some() { "over TLS on loopback" } else { "by a Unix socket" };
        Ok(format!("{program} {version} on CPU {} {way}, {settings}", self.cpu))
    }
}

impl Drop for PrivateDatabase {
    fn drop(&mut self) {
        // One that has ended has no number any more.
        if matches!(self.child.try_wait(), Ok(None)) {
            let _ = kill_process(Pid::from_child(&self.child), self.product.ending());
            if !matches!(context::ends_within(&self.child, ENDS), Ok(true)) {
                let _ = self.child.kill();
            }
        }
        let _ = self.child.wait();
        if let Err(e) = fs::remove_dir_all(&self.folder) {
            eprintln!("xtask: cannot remove `{}`: {e}", self.folder.display());
        }
    }
}

/// A user and a group, by their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Ids {
    user: u32,
    group: u32,
}

/// The user of this name.
fn account(name: &str) -> Result<Ids, Error> {
    let users = fs::read_to_string("/etc/passwd").unwrap_or_default();
    ids_of(&users, name).ok_or_else(|| {
        Error::Bench(format!(
            "a server is not run as root, and there is no user `{name}`, whom its package makes"
        ))
    })
}

/// The user of this name among `users` (passwd(5)), if it is not root.
fn ids_of(users: &str, name: &str) -> Option<Ids> {
    let line = users.lines().find(|line| line.split(':').next() == Some(name))?;
    let mut numbers = line.split(':').skip(2).map(|field| field.parse::<u32>().ok());
    let (user, group) = (numbers.next()??, numbers.next()??);
    (user != 0).then_some(Ids { user, group })
}

/// An empty folder that nobody else may enter.
fn make_folder(folder: &Path, account: Option<Ids>) -> Result<(), Error> {
    fs::create_dir(folder).map_err(Error::file("make", folder))?;
    let mode = fs::Permissions::from_mode(0o700);
    fs::set_permissions(folder, mode).map_err(Error::file("make private", folder))?;
    if let Some(Ids { user, group }) = account {
        chown(folder, Some(user), Some(group)).map_err(Error::file("change the owner of", folder))?;
    }
    Ok(())
}

/// The words before a program of the server: as that user, and ended if this process is (setpriv(1)).
fn run_as(product: DatabaseProduct, account: Option<Ids>) -> Vec<String> {
    let mut words = owned(&["setpriv", "--pdeathsig", product.ending_word()]);
    if let Some(Ids { user, group }) = account {
        let (user, group) = (format!("--reuid={user}"), format!("--regid={group}"));
        words.extend([user, group, "--clear-groups".to_owned()]);
    }
    words
}

/// With percent signs for what has a meaning of its own in a URL.
fn encoded(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let each = |byte: u8| if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02x}") };
    text.bytes().map(each).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Starts one, has it execute something, and ends it.
    fn starts_and_goes(product: DatabaseProduct, proof: &str) {
        if let Err(why) = xtask::tools::require(&[proof]) {
            return println!("skipped: {why}");
        }
        let target = tempfile::tempdir().unwrap();
        // Its user passes through.
        fs::set_permissions(target.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let context = BenchContext::new(target.path(), 1).unwrap();
        let server = PrivateDatabase::start(&context, product).unwrap();
        server.create(&context, "x").unwrap();
        server.execute(&context, "x", &["CREATE TABLE t (a INTEGER)", "INSERT INTO t VALUES (1)"]).unwrap();
        server.settle(&context, "x", &["t"]).unwrap();
        let refused = server.execute(&context, "x", &["SELECT a FROM no_such_table"]).unwrap_err();
        assert!(refused.to_string().contains("no_such_table"), "{refused}");
        let version = server.version(&context).unwrap();
        assert!(
            version.contains(" by a Unix socket, ") && version.contains("max_connections=200"),
            "{version}"
        );
        let (process, folder) = (server.child.id(), server.folder.clone());
        let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
        assert!(!status.contains("\nUid:\t0\t"), "it runs as root");
        drop(server);
        assert!(!folder.exists() && !Path::new(&format!("/proc/{process}")).exists());
    }

    #[test]
    fn postgres_starts_and_goes() {
        starts_and_goes(DatabaseProduct::Postgres, "psql");
    }

    #[test]
    #[ignore = "long: cargo xtask test --long"]
    fn mariadb_starts_and_goes() {
        starts_and_goes(DatabaseProduct::MariaDb, "mariadbd");
    }

    /// Clients come over TLS with a password, and nobody else comes to the port.
    #[test]
    #[ignore = "long: cargo xtask test --long"]
    fn postgres_and_mariadb_speak_tls() {
        if let Err(why) = xtask::tools::require(&["psql", "mariadbd", "openssl"]) {
            return println!("skipped: {why}");
        }
        for product in [DatabaseProduct::Postgres, DatabaseProduct::MariaDb] {
            let target = tempfile::tempdir().unwrap();
            fs::set_permissions(target.path(), fs::Permissions::from_mode(0o755)).unwrap();
            let context = BenchContext::new(target.path(), 1).unwrap();
            let server = PrivateDatabase::start_for(&context, product, ClientWay::Tls).unwrap();
            let (host, port) = (server.host(), server.port());
            let tls = server.tls().unwrap();
            let words: Vec<String> = match product {
                DatabaseProduct::Postgres => {
                    let program = server.path_of("psql").unwrap();
                    let asked = "SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
                    // -w: it asks nobody for a password.
                    let to = ["-X", "-w", "-h", &host, "-p", &port, "-U", server.user(), "-d", "postgres"];
                    let all = [&[program.as_str()][..], &to, &["-At", "-c", asked]].concat();
                    all.into_iter().map(str::to_owned).collect()
                }
                DatabaseProduct::MariaDb => vec![
                    "mariadb".to_owned(),
                    "--no-defaults".to_owned(),
                    format!("--ssl-ca={}", tls.file("cacert.pem")),
                    format!("--host={host}"),
                    format!("--port={port}"),
                    format!("--user={}", server.user()),
                    format!("--password={}", tls.password()),
                    "--execute=SHOW STATUS LIKE 'Ssl_version'".to_owned(),
                ],
            };
            let words = [tls.before_clients(), words].concat();
            let all: Vec<&str> = words.iter().map(String::as_str).collect();
            assert!(context.output(None, all[0], &all[1..]).unwrap().contains("TLSv1."), "{product:?}");
            let unknown: Vec<&str> =
                all.iter().copied().filter(|word| !word.contains(tls.password())).collect();
            assert!(
                context.output(None, unknown[0], &unknown[1..]).is_err(),
                "{product:?}: without a password"
            );
            assert!(server.version(&context).unwrap().contains(" over TLS on loopback, "), "{product:?}");
        }
    }

    #[test]
    fn a_socket_whose_path_is_too_long_is_refused() {
        let target = tempfile::tempdir().unwrap();
        let deep = target.path().join("x".repeat(100));
        let context = BenchContext::new(&deep, 1).unwrap();
        let error = PrivateDatabase::start(&context, DatabaseProduct::MariaDb).unwrap_err();
        assert!(error.to_string().contains("longer than a socket's path may be"), "{error}");
    }

    #[test]
    fn the_user_is_that_of_the_package_and_never_root() {
        let users = "root:x:0:0::/root:/bin/sh\nmysql:x:106:110::/:/bin/false\npostgres:x:0:0::/:/bin/sh\n";
        assert_eq!(ids_of(users, "mysql"), Some(Ids { user: 106, group: 110 }));
        assert_eq!((ids_of(users, "postgres"), ids_of(users, "nobody")), (None, None));
        let words = run_as(DatabaseProduct::Postgres, ids_of(users, "mysql"));
        assert_eq!(words.join(" "), "setpriv --pdeathsig QUIT --reuid=106 --regid=110 --clear-groups");
        assert_eq!(run_as(DatabaseProduct::MariaDb, None).join(" "), "setpriv --pdeathsig KILL");
    }

    #[test]
    fn a_path_is_a_host() {
        assert_eq!(encoded("/a b/x-1.s"), "%2fa%20b%2fx-1.s");
    }
}
