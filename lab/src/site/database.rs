//! A PostgreSQL at the far end: Debian's, without passwords, in a folder that goes with the site. It is outside of the
//! groups, the CPUs and the network of the load, so that what holds one of them back leaves the other in peace.

use std::fs::{self, Permissions};
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

/// Debian's `nobody`: PostgreSQL refuses root.
const NOBODY: u32 = 65534;

/// How long it may take until it lets clients in, and until it ends.
const READY_WITHIN: Duration = Duration::from_secs(60);
const ENDED_WITHIN: Duration = Duration::from_secs(20);
const LOOK: Duration = Duration::from_millis(50);

/// The server; ended when it is dropped.
#[derive(Debug)]
pub(crate) struct Database {
    child: Child,
    url: String,
}

impl Database {
    /// One in the new folder `folder`, at this address, with these settings (`NAME=VALUE`). `around` are the words by
    /// which a program comes to the far end.
    pub(crate) fn new(
        folder: &Path,
        around: &[String],
        address: &str,
        settings: &[&str],
    ) -> Result<Self, String> {
        let programs = programs().ok_or("there is no PostgreSQL (postgresql)")?;
        let failed = |e: std::io::Error| format!("a database in {}: {e}", folder.display());
        fs::create_dir(folder).map_err(failed)?;
        chown(folder, Some(NOBODY), Some(NOBODY)).map_err(failed)?;
        fs::set_permissions(folder, Permissions::from_mode(0o755)).map_err(failed)?;
        let data = folder.join("data").to_string_lossy().into_owned();
        let initdb = programs.join("initdb").to_string_lossy().into_owned();
        let make = ["-U", "lab", "-E", "UTF8", "--locale=C", "--no-sync", "-A", "trust", "-D", &data];
        run(as_nobody(&[], &initdb, folder).args(make))?;
        fs::write(Path::new(&data).join("pg_hba.conf"), "local all all trust\nhost all all all trust\n")
            .map_err(failed)?;
        let free = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
        let port = free.map_err(failed)?.port();
        let program = programs.join("postgres").to_string_lossy().into_owned();
        let mut command = as_nobody(around, &program, folder);
        command.args(["-D", &data]);
        let own = [
            format!("listen_addresses={address}"),
            format!("port={port}"),
            format!("unix_socket_directories={data}"),
            // Nothing in /dev/shm that stays if it is killed.
            "dynamic_shared_memory_type=mmap".to_owned(),
        ];
        for setting in own.iter().map(String::as_str).chain(settings.iter().copied()) {
            command.args(["-c", setting]);
        }
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = command.spawn().map_err(failed)?;
        // It is ended from here on.
        let mut database = Self { child, url: format!("postgres://lab@{address}:{port}/postgres") };
        database.await_ready(&programs, &data, port)?;
        Ok(database)
    }

    /// Asks by its socket, which is in no network.
    fn await_ready(&mut self, programs: &Path, data: &str, port: u16) -> Result<(), String> {
        let until = Instant::now() + READY_WITHIN;
        let port = port.to_string();
        loop {
            let mut asked = Command::new(programs.join("pg_isready"));
            if run(asked.args(["-q", "-h", data, "-p", &port])).is_ok() {
                return Ok(());
            }
            if !matches!(self.child.try_wait(), Ok(None)) || Instant::now() >= until {
                return Err("PostgreSQL does not start".to_owned());
            }
            std::thread::sleep(LOOK);
        }
    }

    /// What a load names.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        // A fast shutdown: one that is killed leaves a segment of shared memory.
        if matches!(self.child.try_wait(), Ok(None)) {
            let _ = kill_process(Pid::from_child(&self.child), Signal::INT);
        }
        let until = Instant::now() + ENDED_WITHIN;
        while matches!(self.child.try_wait(), Ok(None)) && Instant::now() < until {
            std::thread::sleep(LOOK);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// `program` as nobody, behind these words; it ends when the lab is killed.
fn as_nobody(around: &[String], program: &str, folder: &Path) -> Command {
    let nobody = NOBODY.to_string();
    let setpriv =
        ["setpriv", "--pdeathsig", "QUIT", "--reuid", &nobody, "--regid", &nobody, "--clear-groups"];
    let words: Vec<&str> = around.iter().map(String::as_str).chain(setpriv).chain([program]).collect();
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).current_dir(folder);
    command
}

fn run(command: &mut Command) -> Result<(), String> {
    let output = command.stdin(Stdio::null()).output().map_err(|e| format!("{command:?}: {e}"))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr).trim())),
    }
}

/// The folder of the programs of the newest version.
fn programs() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").ok()?.flatten();
    let version = |entry: fs::DirEntry| {
        let number: u32 = entry.file_name().to_str()?.parse().ok()?;
        Some((number, entry.path().join("bin"))).filter(|(_, folder)| folder.join("postgres").is_file())
    };
    versions.filter_map(version).max().map(|(_, folder)| folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_lets_clients_in_and_is_gone_again() {
        if !rustix::process::geteuid().is_root() || programs().is_none() {
            return println!("skipped: it needs root and PostgreSQL");
        }
        let place = tempfile::tempdir().unwrap();
        fs::set_permissions(place.path(), Permissions::from_mode(0o755)).unwrap();
        let database =
            Database::new(&place.path().join("database"), &[], "127.0.0.1", &["fsync=off"]).unwrap();
        let at = database.url().trim_start_matches("postgres://lab@").trim_end_matches("/postgres");
        assert!(std::net::TcpStream::connect(at).is_ok(), "{at}");
        let process = format!("/proc/{}", database.id());
        assert!(Path::new(&process).exists());
        drop(database);
        assert!(!Path::new(&process).exists());
    }
}
