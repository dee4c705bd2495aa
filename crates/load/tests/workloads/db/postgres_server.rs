//! A server of PostgreSQL as Debian's package has it, started for one test: in a temporary folder, on loopback and a
//! Unix socket, without anything of its own that is kept safe. It refuses root, so that root starts it as nobody.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, geteuid, kill_process};
use tempfile::TempDir;

/// Debian's `nobody` and `nogroup`.
const NOBODY: u32 = 65534;

/// How long it may take to start, and to end.
const PATIENCE: Duration = Duration::from_secs(60);

/// Who gets in, and how: one line a kind of sign-in.
const HBA: &str = "local all peer_user peer map=everybody\n\
                   local all all trust\n\
                   host all scram_user all scram-sha-256\n\
                   host all md5_user all md5\n\
                   host all clear_user all password\n\
                   host all postgres all trust\n";

/// The server, which ends with it.
#[derive(Debug)]
pub(crate) struct PostgresServer {
    process: Child,
    programs: PathBuf,
    port: u16,
    folder: TempDir,
}

impl PostgresServer {
    /// Starts one, with these settings; none where it is not installed, which is said.
    pub(crate) fn start(settings: &[&str]) -> Option<Self> {
        let Some(programs) = programs() else {
            assert!(std::env::var_os("CI").is_none(), "CI has no PostgreSQL");
            println!("skipped: there is no PostgreSQL (`apt install postgresql`)");
            return None;
        };
        // The path of a socket may have 107 bytes, so that it is not in the folder of the build.
        let folder = tempfile::Builder::new().prefix("headroom-postgres-").tempdir().unwrap();
        fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
        let data = folder.path().join("data");
        fs::create_dir(&data).unwrap();
        own(&data, 0o700);
        let made = as_nobody(&programs.join("initdb"), folder.path())
            .args(["-U", "postgres", "-E", "UTF8", "--locale=C", "--no-sync", "-A", "trust", "-D"])
            .arg(&data)
            .output()
            .unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        fs::write(data.join("pg_hba.conf"), HBA).unwrap();
        fs::write(data.join("pg_ident.conf"), "everybody /^.*$ peer_user\n").unwrap();
        let (certificate, key) = (data.join("server.crt"), data.join("server.key"));
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        fs::write(&certificate, pem("CERTIFICATE", made.cert.der())).unwrap();
        fs::write(&key, pem("PRIVATE KEY", &made.signing_key.serialize_der())).unwrap();
        [&certificate, &key].into_iter().for_each(|file| own(file, 0o600));
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut command = as_nobody(&programs.join("postgres"), folder.path());
        let socket = format!("unix_socket_directories={}", data.display());
        let own_port = format!("port={port}");
        let usual = ["listen_addresses=127.0.0.1", "fsync=off", "shared_buffers=16MB", "ssl=on"];
        for setting in usual.into_iter().chain([&*socket, &*own_port]).chain(settings.iter().copied()) {
            command.args(["-c", setting]);
        }
        let log = fs::File::create(folder.path().join("log")).unwrap();
        let process = command.arg("-D").arg(&data).stderr(log).spawn().unwrap();
        let mut server = Self { process, programs, port, folder };
        server.await_ready();
        Some(server)
    }

    fn await_ready(&mut self) {
        let begun = Instant::now();
        loop {
            let asked = Command::new(self.programs.join("pg_isready"))
                .args(["-q", "-h", "127.0.0.1", "-p"])
                .arg(self.port.to_string())
                .status()
                .unwrap();
            if asked.success() {
                return;
            }
            let log = || fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
            assert!(self.process.try_wait().unwrap().is_none(), "it ended: {}", log());
            assert!(begun.elapsed() < PATIENCE, "it does not get ready: {}", log());
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// The URL of a database for a user, over TCP.
    pub(crate) fn url(&self, user: &str, database: &str) -> String {
        format!("postgres://{user}@127.0.0.1:{}/{database}", self.port)
    }

    /// The same over its Unix socket.
    pub(crate) fn socket_url(&self, user: &str, database: &str) -> String {
        let folder = self.folder.path().join("data").display().to_string().replace('/', "%2F");
        format!("postgres://{user}@{folder}:{}/{database}", self.port)
    }

    /// What its own client says to a statement, rows apart by lines and values by `|`.
    pub(crate) fn sql(&self, database: &str, statement: &str) -> String {
        let said = Command::new(self.programs.join("psql"))
            .args(["-XAtq", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1", "-U", "postgres", "-p"])
            .args([&self.port.to_string(), "-d", database, "-c", statement])
            .output()
            .unwrap();
        assert!(said.status.success(), "{statement}: {}", String::from_utf8_lossy(&said.stderr));
        String::from_utf8(said.stdout).unwrap().trim_end().to_owned()
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        // A fast shutdown; then there is no mercy.
        let _ = kill_process(Pid::from_child(&self.process), Signal::INT);
        let begun = Instant::now();
        while matches!(self.process.try_wait(), Ok(None)) && begun.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(10));
        }
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The folder of the programs of the newest version.
fn programs() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").ok()?;
    let mut found: Vec<(u32, PathBuf)> = versions
        .filter_map(|version| {
            let version = version.ok()?;
            let number = version.file_name().to_str()?.parse().ok()?;
            Some((number, version.path().join("bin")))
        })
        .filter(|(_, folder)| folder.join("postgres").is_file() && folder.join("initdb").is_file())
        .collect();
    found.sort();
    found.pop().map(|(_, folder)| folder)
}

/// A program that is not root, and hears nothing.
fn as_nobody(program: &Path, folder: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(folder).stdin(Stdio::null()).stdout(Stdio::null());
    if geteuid().is_root() {
        command.uid(NOBODY).gid(NOBODY);
    }
    command
}

/// Gives a file to who the server runs as.
fn own(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    if geteuid().is_root() {
        chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
    }
}

/// The text form (RFC 7468), in lines of 64 characters.
fn pem(what: &str, der: &[u8]) -> String {
    let text = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, der);
    let lines: Vec<&str> =
        text.as_bytes().chunks(64).map(|line| std::str::from_utf8(line).unwrap()).collect();
    format!("-----BEGIN {what}-----\n{}\n-----END {what}-----\n", lines.join("\n"))
}
