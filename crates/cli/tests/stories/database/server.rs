//! Servers of Debian's packages that a story starts as somebody else's: in a folder of their own, on loopback, with a
//! certificate, and with users who need passwords. They end with the story.

use std::fs::{self, Permissions};
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, geteuid, kill_process, kill_process_group};

use crate::common::{eventually, stderr, stdout};
use crate::database::processes_in;
use crate::network::tool;

/// Debian's `nobody` and `nogroup`: PostgreSQL refuses root.
const NOBODY: u32 = 65534;

/// Users sign in by their passwords, but for who looks at the server by its socket.
const HBA: &str = "local all all trust\nhost all md5_user all md5\nhost all all all scram-sha-256\n";

/// The users' password: others read it nowhere.
pub(super) const PASSWORD: &str = "hunter2-Wm4kPz";

/// Which server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Product {
    MariaDb,
    Postgres,
}

pub(super) const BOTH: [Product; 2] = [Product::MariaDb, Product::Postgres];

impl Product {
    pub(super) fn scheme(self) -> &'static str {
        match self {
            Self::MariaDb => "mysql",
            Self::Postgres => "postgres",
        }
    }

    /// Where its programs are; none where it is not installed, which is said. In CI it is.
    fn programs(self) -> Option<PathBuf> {
        let found = match self {
            Self::MariaDb => Path::new("/usr/sbin/mariadbd").is_file().then(|| PathBuf::from("/usr/bin")),
            Self::Postgres => newest_postgres(),
        };
        if found.is_none() {
            assert!(std::env::var_os("CI").is_none(), "CI has no {self:?}");
            println!("skipped: there is no {self:?} (mariadb-server, postgresql)");
        }
        found
    }

    /// The statements that make who comes by the network: one who may do everything, one to whom a database belongs,
    /// and one who may only read there. The tables of that database are the story's.
    fn users(self) -> Vec<(&'static str, String)> {
        let texts: &[(&str, &str)] = match self {
            Self::MariaDb => &[
                ("mysql", "DROP USER IF EXISTS ''@localhost"),
                ("mysql", "CREATE USER bench@'%' IDENTIFIED BY 'SECRET'"),
                ("mysql", "GRANT ALL PRIVILEGES ON *.* TO bench@'%'"),
                ("mysql", "CREATE DATABASE theirs"),
                ("mysql", "CREATE USER keeper@'%' IDENTIFIED BY 'SECRET'"),
                ("mysql", "GRANT ALL PRIVILEGES ON theirs.* TO keeper@'%'"),
                ("mysql", "CREATE USER reader@'%' IDENTIFIED BY 'SECRET'"),
                ("mysql", "GRANT SELECT ON theirs.* TO reader@'%'"),
                ("theirs", "CREATE TABLE sbtest1 (a INTEGER PRIMARY KEY, b VARCHAR(20))"),
                ("theirs", "INSERT INTO sbtest1 VALUES (1, 'one'), (2, 'two')"),
            ],
            Self::Postgres => &[
                ("postgres", "CREATE ROLE bench LOGIN CREATEDB PASSWORD 'SECRET'"),
                (
                    "postgres",
                    "SET password_encryption = 'md5'; CREATE ROLE md5_user LOGIN CREATEDB PASSWORD 'SECRET'",
                ),
                ("postgres", "CREATE ROLE keeper LOGIN PASSWORD 'SECRET'"),
                ("postgres", "CREATE DATABASE theirs OWNER keeper"),
                ("postgres", "CREATE ROLE reader LOGIN PASSWORD 'SECRET'"),
                (
                    "theirs",
                    "REVOKE CREATE ON SCHEMA public FROM PUBLIC; GRANT CREATE ON SCHEMA public TO keeper",
                ),
                ("theirs", "CREATE TABLE sbtest1 (a INTEGER PRIMARY KEY, b VARCHAR(20))"),
                ("theirs", "INSERT INTO sbtest1 VALUES (1, 'one'), (2, 'two')"),
                ("theirs", "ALTER TABLE sbtest1 OWNER TO keeper; GRANT SELECT ON sbtest1 TO reader"),
            ],
        };
        texts.iter().map(|(database, text)| (*database, text.replace("SECRET", PASSWORD))).collect()
    }
}

/// The folder of the programs of the newest version.
fn newest_postgres() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").ok()?.flatten();
    let version = |entry: fs::DirEntry| {
        let number: u32 = entry.file_name().to_str()?.parse().ok()?;
        Some((number, entry.path().join("bin"))).filter(|(_, folder)| folder.join("postgres").is_file())
    };
    versions.filter_map(version).max().map(|(_, folder)| folder)
}

/// A running server.
pub(super) struct OwnServer {
    product: Product,
    programs: PathBuf,
    port: u16,
    settings: Vec<String>,
    process: Option<Child>,
    folder: tempfile::TempDir,
}

impl OwnServer {
    /// Starts one with these settings, each `NAME=VALUE`; none where it is not installed.
    pub(super) fn start(product: Product, settings: &[&str]) -> Option<Self> {
        let programs = product.programs()?;
        // The path of a socket may have 107 bytes, so that it is not in the folder of the build.
        let folder = tempfile::Builder::new().prefix("headroom-server-").tempdir().unwrap();
        fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let settings = settings.iter().map(|text| (*text).to_owned()).collect();
        let mut server = Self { product, programs, port, settings, process: None, folder };
        server.initialise();
        server.start_again();
        for (database, text) in product.users() {
            server.sql(database, &text);
        }
        Some(server)
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_owned()
    }

    /// The certificate, which vouches for itself.
    pub(super) fn certificate(&self) -> String {
        self.path("certificate.pem")
    }

    fn initialise(&self) {
        make_certificate(&self.path("key.pem"), &self.certificate());
        let data = self.path("data");
        let mut command = match self.product {
            Product::MariaDb => {
                let mut command = Command::new(self.programs.join("mariadb-install-db"));
                command.args(["--no-defaults", "--skip-name-resolve", "--skip-test-db"]);
                command.args(["--auth-root-authentication-method=normal", &format!("--datadir={data}")]);
                command.args(geteuid().is_root().then_some("--user=root"));
                command
            }
            Product::Postgres => {
                fs::create_dir(&data).unwrap();
                let files =
                    [(data.clone(), 0o700), (self.path("key.pem"), 0o600), (self.certificate(), 0o644)];
                for (path, mode) in files {
                    fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
                    if geteuid().is_root() {
                        chown(&path, Some(NOBODY), Some(NOBODY)).unwrap();
                    }
                }
                let mut command = self.as_nobody("initdb");
                command.args(["-U", "postgres", "-E", "UTF8", "--locale=C", "--no-sync", "-A", "trust"]);
                command.args(["-D", &data]);
                command
            }
        };
        let made = command.output().unwrap();
        assert!(made.status.success(), "{}{}", stdout(&made), stderr(&made));
        if self.product == Product::Postgres {
            fs::write(Path::new(&data).join("pg_hba.conf"), HBA).unwrap();
        }
    }

    /// A program of PostgreSQL that is not root.
    fn as_nobody(&self, name: &str) -> Command {
        let mut command = Command::new(self.programs.join(name));
        command.current_dir(self.folder.path());
        if geteuid().is_root() {
            command.uid(NOBODY).gid(NOBODY);
        }
        command
    }

    /// Starts it in its folder, and waits until it lets clients in.
    pub(super) fn start_again(&mut self) {
        let (data, key, certificate) = (self.path("data"), self.path("key.pem"), self.certificate());
        let mut command = match self.product {
            Product::MariaDb => {
                let mut command = Command::new("/usr/sbin/mariadbd");
                command.args(["--no-defaults", "--skip-name-resolve", "--bind-address=127.0.0.1"]);
                command.args(["--innodb-buffer-pool-size=32M", "--innodb-flush-log-at-trx-commit=0"]);
                command.args([format!("--datadir={data}"), format!("--port={}", self.port)]);
                command.args([format!("--socket={}", self.path("socket")), format!("--ssl-key={key}")]);
                command
                    .args([format!("--pid-file={}", self.path("pid")), format!("--ssl-cert={certificate}")]);
                command.args(geteuid().is_root().then_some("--user=root"));
                command.args(self.settings.iter().map(|setting| format!("--{setting}")));
                command
            }
            Product::Postgres => {
                let own = [
                    "listen_addresses=127.0.0.1".to_owned(),
                    format!("port={}", self.port),
                    format!("unix_socket_directories={data}"),
                    "fsync=off".to_owned(),
                    "shared_buffers=16MB".to_owned(),
                    "ssl=on".to_owned(),
                    format!("ssl_key_file={key}"),
                    format!("ssl_cert_file={certificate}"),
                ];
                let mut command = self.as_nobody("postgres");
                command.args(["-D", &data]);
                for setting in own.iter().chain(&self.settings) {
                    command.args(["-c", setting]);
                }
                command
            }
        };
        let log = fs::OpenOptions::new().create(true).append(true).open(self.path("log")).unwrap();
        let out = log.try_clone().unwrap();
        command.stdin(Stdio::null()).stdout(out).stderr(log).process_group(0);
        self.process = Some(command.spawn().unwrap());
        eventually("the server lets clients in", || {
            let ended = self.process.as_mut().unwrap().try_wait().unwrap();
            assert!(
                ended.is_none(),
                "it ended: {}",
                fs::read_to_string(self.path("log")).unwrap_or_default()
            );
            self.ask(self.own_database(), "SELECT 1").is_ok()
        });
    }

    /// Kills it, with all that it started.
    pub(super) fn kill(&mut self) {
        let Some(mut process) = self.process.take() else { return };
        // Its number is its own until it is reaped.
        let group = Pid::from_child(&process);
        let _ = kill_process_group(group, Signal::KILL);
        let _ = process.wait();
        // Others of the group hold its memory as long as they are there.
        eventually("the server is gone", || processes_in(self.folder.path()).is_empty());
    }

    fn own_database(&self) -> &'static str {
        match self.product {
            Product::MariaDb => "mysql",
            Product::Postgres => "postgres",
        }
    }

    /// What its own client says to a statement, values apart by `|`; or why it says nothing.
    pub(super) fn ask(&self, database: &str, statement: &str) -> Result<String, String> {
        let said = match self.product {
            Product::MariaDb => Command::new(self.programs.join("mariadb"))
                .args(["--no-defaults", "--batch", "--skip-column-names", "--user=root"])
                .args([format!("--socket={}", self.path("socket")), format!("--database={database}")])
                .args(["--execute", statement])
                .output(),
            Product::Postgres => Command::new(self.programs.join("psql"))
                .args(["-XAtq", "-v", "ON_ERROR_STOP=1", "-U", "postgres", "-h", &self.path("data"), "-p"])
                .args([&self.port.to_string(), "-d", database, "-c", statement])
                .output(),
        };
        let said = said.unwrap();
        match said.status.success() {
            true => Ok(stdout(&said).trim_end().replace('\t', "|")),
            false => Err(stderr(&said)),
        }
    }

    /// The same of what must succeed.
    pub(super) fn sql(&self, database: &str, statement: &str) -> String {
        self.ask(database, statement).unwrap_or_else(|why| panic!("{statement}: {why}"))
    }

    /// The URL of a database for a user, without the password.
    pub(super) fn url(&self, user: &str, database: &str) -> String {
        format!("{}://{user}@127.0.0.1:{}/{database}", self.product.scheme(), self.port)
    }

    /// The same with a password in it.
    pub(super) fn url_with(&self, user: &str, password: &str, database: &str) -> String {
        self.url(&format!("{user}:{password}"), database)
    }

    /// The databases of ours that are there.
    pub(super) fn databases_of_ours(&self) -> String {
        let asked = match self.product {
            Product::MariaDb => {
                "SELECT schema_name FROM information_schema.schemata WHERE schema_name LIKE 'headroom%'"
            }
            Product::Postgres => "SELECT datname FROM pg_database WHERE datname LIKE 'headroom%'",
        };
        self.sql(self.own_database(), asked)
    }

    /// What is in the database of others: its tables, and all that is in the one that was there from the beginning.
    pub(super) fn theirs(&self) -> String {
        let schema = match self.product {
            Product::MariaDb => "theirs",
            Product::Postgres => "public",
        };
        let tables = format!(
            "SELECT table_name FROM information_schema.tables WHERE table_schema = '{schema}' ORDER BY table_name"
        );
        let rows = "SELECT a, b FROM sbtest1 ORDER BY a";
        [self.sql("theirs", &tables), self.sql("theirs", rows)].join("\n")
    }
}

impl Drop for OwnServer {
    fn drop(&mut self) {
        let Some(mut process) = self.process.take() else { return };
        // Killed, PostgreSQL leaves a segment of shared memory; MariaDB leaves nothing, and takes longer to end.
        let with = if self.product == Product::Postgres { Signal::QUIT } else { Signal::KILL };
        let _ = kill_process(Pid::from_child(&process), with);
        let _ = process.wait();
    }
}

/// One of a server, not of an authority.
fn make_certificate(key: &str, certificate: &str) {
    let kind = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
    let names = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"];
    let rest = ["-addext", "basicConstraints=critical,CA:FALSE", "-days", "2"];
    tool("openssl", &[&kind[..], &names, &rest, &["-keyout", key, "-out", certificate]].concat());
}
