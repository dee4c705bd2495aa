//! PostgreSQL as a server of ours: in one folder, by a Unix socket alone, with one user.

use std::process::Command;
use std::time::Duration;

use engine::fault::Fault;
use rustix::process::Signal;

use crate::workload::db::server::program::ProgramNames;
use crate::workload::db::server::variables::{self, ServerVariable};
use crate::workload::db::server::{Launch, ServerPlace, ServerProduct, USER};
use crate::workload::db::url::DatabaseSystem;

/// PostgreSQL.
#[derive(Debug)]
pub(super) struct Postgres;

/// The line of `postmaster.pid` that says what the server does, from 0, and what it says when it lets clients in
/// (`LOCK_FILE_LINE_PM_STATUS` and `PM_STATUS_READY` in `src/include/utils/pidfile.h`; `pg_ctl` reads the same).
const STATUS_LINE: usize = 7;
const READY: &str = "ready";

/// Bytes of shared buffers unless it is said otherwise, and of all else.
const SHARED_BUFFERS_BYTES: u64 = 128 << 20;
const OTHER_MEMORY_BYTES: u64 = 256 << 20;

/// What it is always told. Its socket lies beside its data, and nothing is in /dev/shm that would stay if all of this
/// were killed.
const OPTIONS: &[&str] = &[
    "listen_addresses=",
    "unix_socket_directories=..",
    "unix_socket_permissions=0777",
    "port=5432",
    "dynamic_shared_memory_type=mmap",
    "max_connections=1100",
];

impl ServerProduct for Postgres {
    fn name(&self) -> &'static str {
        "PostgreSQL"
    }

    fn system(&self) -> DatabaseSystem {
        DatabaseSystem::Postgres
    }

    fn package(&self) -> &'static str {
        "postgresql"
    }

    fn programs(&self) -> ProgramNames {
        let versions = &[("/usr/lib/postgresql", "bin"), ("/usr/lib/pgsql", "bin")];
        ProgramNames { server: "postgres", initialiser: "initdb", versions }
    }

    fn users(&self) -> &'static [&'static str] {
        &["postgres"]
    }

    /// A client names the folder; the socket in it has the port in its name.
    fn host(&self, place: &ServerPlace) -> String {
        place.shortcut().to_string_lossy().into_owned()
    }

    fn initialise(&self, place: &ServerPlace) -> Result<Command, Fault> {
        let mut line = place.around.password.bytes().to_vec();
        line.push(b'\n');
        let file = place.around.new_file("password", &line);
        line.fill(0);
        let mut command = place.around.command(&place.installed.initialiser);
        command
            .arg(format!("--pgdata={}", place.data().display()))
            .arg(format!("--username={USER}"))
            .arg(format!("--pwfile={}", file?.display()))
            .args(["--auth=scram-sha-256", "--encoding=UTF8", "--locale=C"]);
        Ok(command)
    }

    fn options(&self) -> &'static [&'static str] {
        OPTIONS
    }

    fn start(
        &self,
        place: &ServerPlace,
        asked: &[ServerVariable],
        _launch: Launch,
    ) -> Result<Command, Fault> {
        let mut command = place.around.command(&place.installed.server);
        command.arg("-D").arg(place.data());
        let asked = asked.iter().map(ServerVariable::assignment);
        for assignment in OPTIONS.iter().map(|option| (*option).to_owned()).chain(asked) {
            command.arg("-c").arg(assignment);
        }
        Ok(command)
    }

    /// One that was killed leaves the file: the first line has the number of the process that it is of.
    fn is_ready(&self, place: &ServerPlace, process: u32) -> bool {
        let text = std::fs::read_to_string(place.data().join("postmaster.pid")).unwrap_or_default();
        let line = |number| text.lines().nth(number).map(str::trim);
        line(0) == Some(process.to_string().as_str()) && line(STATUS_LINE) == Some(READY)
    }

    fn made_for_start(&self) -> &'static [&'static str] {
        &["password"]
    }

    /// A fast shutdown, then an immediate one (PostgreSQL's manual, "Shutting Down the Server"): a process that is
    /// killed instead leaves a segment of shared memory.
    fn endings(&self) -> &'static [(Signal, Duration)] {
        const { &[(Signal::INT, Duration::from_secs(60)), (Signal::QUIT, Duration::from_secs(10))] }
    }

    fn at_our_death(&self) -> Signal {
        Signal::QUIT
    }

    fn memory_bytes(&self, asked: &[ServerVariable]) -> u64 {
        let buffers = variables::bytes_of(asked, "shared_buffers").unwrap_or(SHARED_BUFFERS_BYTES);
        buffers.saturating_add(OTHER_MEMORY_BYTES)
    }

    /// An empty one has 40 MiB; the write-ahead log grows to `max_wal_size`, 1 GiB, and somewhat more.
    fn disk_bytes(&self, asked: &[ServerVariable]) -> u64 {
        const WAL_BYTES: u64 = 1 << 30;
        let log = variables::bytes_of(asked, "max_wal_size").unwrap_or(WAL_BYTES);
        log.saturating_add(log / 4).saturating_add(256 << 20)
    }
}
