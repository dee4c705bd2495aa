//! MariaDB as a server of ours: in one folder, by a Unix socket alone, with one user.

use std::io::Read;
use std::os::unix::net::UnixStream;
use std::process::Command;
use std::time::Duration;

use engine::fault::Fault;
use rustix::process::Signal;

use crate::workload::db::server::program::ProgramNames;
use crate::workload::db::server::variables::{self, ServerVariable};
use crate::workload::db::server::{Launch, ServerPlace, ServerProduct, USER};
use crate::workload::db::url::DatabaseSystem;

/// MariaDB.
#[derive(Debug)]
pub(super) struct MariaDb;

/// What its socket is called.
const SOCKET: &str = "socket";

/// What a greeting begins with: three bytes of length, the number 0, and the version of the protocol, which is 10
/// (mariadb.com/kb, "Connection", "Initial Handshake Packet"). A server that lets nobody in yet sends an error, 255.
const GREETING: usize = 5;
const PROTOCOL: u8 = 10;

/// How long a greeting may take.
const PATIENCE: Duration = Duration::from_millis(500);

/// Bytes of the buffer pool unless it is said otherwise (`innodb_buffer_pool_size`), and of all else.
const BUFFER_POOL_BYTES: u64 = 128 << 20;
const OTHER_MEMORY_BYTES: u64 = 256 << 20;

/// What it is always told. Those of a load come behind them and win.
const OPTIONS: &[&str] =
    &["--skip-networking", "--skip-log-bin", "--local-infile=0", "--max-connections=1100"];

impl ServerProduct for MariaDb {
    fn name(&self) -> &'static str {
        "MariaDB"
    }

    fn system(&self) -> DatabaseSystem {
        DatabaseSystem::MySql
    }

    fn package(&self) -> &'static str {
        "mariadb-server"
    }

    fn programs(&self) -> ProgramNames {
        ProgramNames { server: "mariadbd", initialiser: "mariadb-install-db", versions: &[] }
    }

    fn users(&self) -> &'static [&'static str] {
        &["mysql"]
    }

    /// A client names the socket itself.
    fn host(&self, place: &ServerPlace) -> String {
        place.shortcut().join(SOCKET).to_string_lossy().into_owned()
    }

    fn initialise(&self, place: &ServerPlace) -> Result<Command, Fault> {
        let mut command = place.around.command(&place.installed.initialiser);
        command.arg("--no-defaults").arg(format!("--datadir={}", place.data().display())).args([
            "--auth-root-authentication-method=normal",
            "--skip-test-db",
            "--skip-name-resolve",
        ]);
        Ok(command)
    }

    fn options(&self) -> &'static [&'static str] {
        OPTIONS
    }

    fn start(&self, place: &ServerPlace, asked: &[ServerVariable], launch: Launch) -> Result<Command, Fault> {
        let mut command = place.around.command(&place.installed.server);
        command
            .arg("--no-defaults")
            .arg(format!("--datadir={}", place.data().display()))
            // From its data on, which is short wherever that is.
            .arg(format!("--socket=../{SOCKET}"))
            .arg(format!("--pid-file={}", place.around.folder.join("pid").display()))
            .arg(format!("--tmpdir={}", place.around.folder.display()))
            .args(OPTIONS);
        // Statements read and write files there only: nothing of anybody's is in it.
        command.arg(format!("--secure-file-priv={}", place.around.folder.display()));
        command.args(asked.iter().map(|variable| format!("--{}", variable.assignment())));
        if launch == Launch::Cold {
            // Otherwise it reads the pages again that were in its buffer pool when it was ended.
            command.arg("--innodb-buffer-pool-load-at-startup=0");
        }
        if launch == Launch::First {
            let file = place.around.new_file("first.sql", users(place.around.password.bytes()).as_bytes())?;
            command.arg(format!("--init-file={}", file.display()));
        }
        Ok(command)
    }

    fn is_ready(&self, place: &ServerPlace, _process: u32) -> bool {
        let greeting = || {
            let mut stream = UnixStream::connect(place.shortcut().join(SOCKET))?;
            stream.set_read_timeout(Some(PATIENCE))?;
            let mut bytes = [0; GREETING];
            stream.read_exact(&mut bytes)?;
            Ok::<_, std::io::Error>(bytes[GREETING - 1] == PROTOCOL)
        };
        greeting().unwrap_or(false)
    }

    fn made_for_start(&self) -> &'static [&'static str] {
        &["first.sql"]
    }

    fn endings(&self) -> &'static [(Signal, Duration)] {
        const { &[(Signal::TERM, Duration::from_secs(60))] }
    }

    fn at_our_death(&self) -> Signal {
        // What it leaves is in its folder.
        Signal::KILL
    }

    fn memory_bytes(&self, asked: &[ServerVariable]) -> u64 {
        let pool = variables::bytes_of(asked, "innodb_buffer_pool_size").unwrap_or(BUFFER_POOL_BYTES);
        pool.saturating_add(OTHER_MEMORY_BYTES)
    }

    /// An empty one has 110 MiB, most of which is the redo log (MariaDB 10.11), and the undo log grows beside the tables.
    fn disk_bytes(&self, asked: &[ServerVariable]) -> u64 {
        const REDO_BYTES: u64 = 96 << 20;
        let redo = variables::bytes_of(asked, "innodb_log_file_size").unwrap_or(REDO_BYTES);
        redo.saturating_add(512 << 20)
    }
}

/// The statements, one a line, that leave one user, who may do everything and must give the password.
fn users(password: &[u8]) -> String {
    // Of digits and letters, as we made it.
    let password = String::from_utf8_lossy(password);
    format!(
        "DELETE FROM mysql.global_priv WHERE User <> 'mariadb.sys';\nFLUSH PRIVILEGES;\n\
         CREATE USER '{USER}'@'localhost' IDENTIFIED BY '{password}';\n\
         GRANT ALL PRIVILEGES ON *.* TO '{USER}'@'localhost' WITH GRANT OPTION;\n"
    )
}
