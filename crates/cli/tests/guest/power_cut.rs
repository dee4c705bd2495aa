//! What a power cut takes from a database that has acknowledged it. The database lies on a device whose writes are logged
//! (dm-log-writes). Rows are committed, one after the other; when some were acknowledged, a mark is put into the log,
//! and only then do they count. Later the log is replayed up to a mark on another device, without what a disk may have had
//! in its cache only; the database comes up on it, and what is there is compared.
//!
//! A database that does not flush must be seen to lose something, or the story proves nothing.

mod binary_log;

use std::fs::{File, OpenOptions, Permissions};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::{FileExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use rusqlite::Connection;
use rustix::process::Signal;

use crate::common::signal;
use crate::test_bed::{TestBed, does, eventually};
use crate::write_log::WriteLog;

/// Bytes of each disk: what a server and a journal need, four times in the guest's memory.
const DISK_BYTES: u64 = 160 << 20;

/// The image to begin with, the disk that is logged, the log, and the disk that it is replayed on.
const BASE: &str = "/dev/ram0";
const LIVE: &str = "/dev/ram1";
const LOG: &str = "/dev/ram2";
const REPLAYED: &str = "/dev/ram3";

/// Where the file system is mounted.
const PLACE: &str = "/mnt/power-cut";

/// The journal is not committed every 5 s: what nobody flushed is to be lost.
const OPTIONS: &str = "commit=300";

/// So many rows are committed between two marks, and so many marks are made.
const BATCH: u64 = 4;
const MARKS: u64 = 10;

/// How long a server may take to come up, under emulation.
const UP_WITHIN: Duration = Duration::from_secs(180);

/// A database that is open.
trait OpenDatabase {
    /// Commits a row of this number; when this returns, that was acknowledged.
    fn commit(&mut self, number: u64);

    /// The numbers of all rows; none where there is no such table any more.
    fn rows(&mut self) -> Vec<u64>;
}

/// A kind of database.
trait Engine {
    /// Makes an empty one with its table in this folder; nothing of it is open when this returns.
    fn make(&self, folder: &Path);

    /// Opens the one in this folder with a setting; none if it does not come up.
    fn open(&self, folder: &Path, setting: &str) -> Option<Box<dyn OpenDatabase>>;
}

/// A file system that is mounted until this is dropped.
fn mounted(device: &str, options: &str) -> TestBed {
    let mut bed = TestBed::new();
    std::fs::create_dir_all(PLACE).unwrap();
    bed.build(&["mount", "-o", options, device, PLACE], &["umount", PLACE]);
    bed
}

fn copy(from: &str, to: &str) -> File {
    let source = File::open(from).unwrap();
    let target = OpenOptions::new().read(true).write(true).open(to).unwrap();
    let mut piece = vec![0; 1 << 20];
    for at in (0..DISK_BYTES).step_by(piece.len()) {
        source.read_exact_at(&mut piece, at).unwrap();
        target.write_all_at(&piece, at).unwrap();
    }
    target.sync_all().unwrap();
    target
}

fn mark(batch: u64) -> String {
    format!("acknowledged-{batch}")
}

/// Disks, and an empty database on the first of them.
fn prepare(engine: &dyn Engine) -> TestBed {
    let mut bed = TestBed::new();
    bed.module("brd", &["rd_nr=4", &format!("rd_size={}", DISK_BYTES / 1024)]);
    does(&["mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0", BASE]);
    let place = mounted(BASE, "defaults");
    std::fs::set_permissions(PLACE, Permissions::from_mode(0o755)).unwrap();
    engine.make(Path::new(PLACE));
    drop(place);
    bed
}

/// Commits rows with this setting on a disk that is logged.
fn commit_all(engine: &dyn Engine, setting: &str) {
    drop(copy(BASE, LIVE));
    let mut bed = TestBed::new();
    let device = bed.mapped("cut", &format!("0 {} log-writes {LIVE} {LOG}", DISK_BYTES / 512));
    let place = mounted(&device, OPTIONS);
    let mut database = engine.open(Path::new(PLACE), setting).expect("it comes up where nothing was cut");
    for batch in 0..MARKS {
        for row in 0..BATCH {
            database.commit(batch * BATCH + row);
        }
        // From now on they count as acknowledged.
        does(&["dmsetup", "message", "cut", "0", "mark", &mark(batch)]);
    }
    drop(database);
    drop(place);
}

/// How many of the rows that were acknowledged at the mark of this batch are gone after a power cut there; all, if the
/// database does not come up.
fn lost_at(engine: &dyn Engine, setting: &str, batch: u64) -> usize {
    let replayed = copy(BASE, REPLAYED);
    let writes = WriteLog::read(File::open(LOG).unwrap()).replay_until(&mark(batch), &replayed);
    drop(replayed);
    let place = mounted(REPLAYED, OPTIONS);
    let there = engine.open(Path::new(PLACE), setting).map(|mut database| database.rows());
    drop(place);
    let acknowledged = 0..(batch + 1) * BATCH;
    let rows = there.as_deref().unwrap_or_default();
    let lost = acknowledged.clone().filter(|number| !rows.contains(number)).count();
    println!(
        "{setting}: after {} rows and {writes} writes that are durable, {lost} lost{}",
        acknowledged.end,
        if there.is_none() { ": it does not come up" } else { "" }
    );
    lost
}

/// What the settings lose at the last mark, and those that flush in the middle, too.
fn assert_losses(engine: &dyn Engine, flushing: &[&str], others: &[&str]) {
    let _bed = prepare(engine);
    for setting in flushing {
        commit_all(engine, setting);
        for batch in [MARKS / 2, MARKS - 1] {
            assert_eq!(
                lost_at(engine, setting, batch),
                0,
                "{setting} has acknowledged what it did not flush"
            );
        }
    }
    for setting in others {
        commit_all(engine, setting);
        assert!(lost_at(engine, setting, MARKS - 1) > 0, "{setting} lost nothing: this story proves nothing");
    }
}

/// SQLite, that of this program; a setting is a journal mode and what is waited for.
struct Sqlite;

struct OpenSqlite(Connection);

impl Sqlite {
    fn file(folder: &Path) -> PathBuf {
        folder.join("data.db")
    }
}

impl Engine for Sqlite {
    fn make(&self, folder: &Path) {
        let connection = Connection::open(Self::file(folder)).unwrap();
        connection.execute_batch("CREATE TABLE kept (number INTEGER PRIMARY KEY, filler TEXT)").unwrap();
    }

    fn open(&self, folder: &Path, setting: &str) -> Option<Box<dyn OpenDatabase>> {
        let (journal_mode, synchronous) = setting.split_once(' ').unwrap();
        let connection = Connection::open(Self::file(folder)).ok()?;
        // The mode is changed with all care, for it is not what is looked at.
        let pragmas = format!(
            "PRAGMA synchronous=EXTRA; PRAGMA journal_mode={journal_mode}; PRAGMA synchronous={synchronous}"
        );
        connection.execute_batch(&pragmas).ok()?;
        Some(Box::new(OpenSqlite(connection)))
    }
}

impl OpenDatabase for OpenSqlite {
    fn commit(&mut self, number: u64) {
        let number = i64::try_from(number).unwrap();
        self.0.execute("INSERT INTO kept VALUES (?1, ?2)", (number, "x".repeat(100))).unwrap();
    }

    fn rows(&mut self) -> Vec<u64> {
        let Ok(mut select) = self.0.prepare("SELECT number FROM kept") else { return Vec::new() };
        let rows = select.query_map([], |row| row.get::<_, i64>(0)).unwrap();
        rows.flatten().map(i64::unsigned_abs).collect()
    }
}

#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn a_power_cut_takes_from_sqlite_what_it_did_not_flush_and_nothing_else() {
    assert_losses(&Sqlite, &["WAL FULL", "DELETE EXTRA"], &["WAL NORMAL", "DELETE OFF"]);
    // Whether the removal of the journal is durable depends on the file system: told, and not asserted.
    let _bed = prepare(&Sqlite);
    commit_all(&Sqlite, "DELETE FULL");
    lost_at(&Sqlite, "DELETE FULL", MARKS - 1);
}

/// A server and a client of its own, that reads statements from a pipe.
struct OpenServer {
    server: Child,
    /// What ends the server at once, with all that it started.
    ending: Signal,
    client: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl OpenServer {
    /// Waits until `probe` ends well, and starts `client`; none if the server ends before.
    fn new(mut server: Child, ending: Signal, probe: &[&str], client: &[&str]) -> Option<Self> {
        let end = Instant::now() + UP_WITHIN;
        let is_up = || {
            let mut command = Command::new(probe[0]);
            command.args(&probe[1..]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            command.status().unwrap().success()
        };
        while !is_up() {
            if server.try_wait().unwrap().is_some() {
                return None;
            }
            if Instant::now() >= end {
                signal(server.id(), ending);
                server.wait().unwrap();
                return None;
            }
            std::thread::sleep(Duration::from_millis(300));
        }
        let mut command = Command::new(client[0]);
        let pipes = command.args(&client[1..]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut client = pipes.spawn().unwrap();
        let (to, from) = (client.stdin.take().unwrap(), BufReader::new(client.stdout.take().unwrap()));
        Some(Self { server, ending, client, to, from })
    }

    fn say(&mut self, statements: &str) {
        writeln!(self.to, "{statements}").unwrap();
        self.to.flush().unwrap();
    }

    /// The lines that come until one that says this.
    fn lines_until(&mut self, last: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            assert!(self.from.read_line(&mut line).unwrap() > 0, "the client has ended: {lines:?}");
            let line = line.trim();
            if line == last {
                return lines;
            }
            lines.push(line.to_owned());
        }
    }
}

impl Drop for OpenServer {
    fn drop(&mut self) {
        // What it does at its end is behind the last mark.
        for (process, sent) in [(&mut self.client, Signal::KILL), (&mut self.server, self.ending)] {
            if process.try_wait().unwrap().is_none() {
                signal(process.id(), sent);
                process.wait().unwrap();
            }
        }
    }
}

impl OpenDatabase for OpenServer {
    fn commit(&mut self, number: u64) {
        self.say(&format!("INSERT INTO kept VALUES ({number}, '{}'); SELECT {number};", "x".repeat(100)));
        assert_eq!(self.lines_until(&number.to_string()), Vec::<String>::new());
    }

    fn rows(&mut self) -> Vec<u64> {
        self.say("SELECT number FROM kept; SELECT 'end';");
        let lines = self.lines_until("end");
        lines.iter().map(|line| line.parse().unwrap()).collect()
    }
}

/// The table on a server.
const TABLE: &str = "CREATE TABLE kept (number BIGINT PRIMARY KEY, filler CHAR(100) NOT NULL)";

/// Whether a program is there; in CI it is.
fn has(program: &Path) -> bool {
    assert!(
        program.exists() || std::env::var_os("CI").is_none(),
        "in CI nothing is skipped: there is no {}",
        program.display()
    );
    if !program.exists() {
        println!("skipped: there is no {}", program.display());
    }
    program.exists()
}

/// Starts a server with its log in memory.
fn started(command: &mut Command) -> Child {
    let log = File::create("/dev/shm/power-cut.log").unwrap();
    command.stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log).spawn().unwrap()
}

/// Ends a server well, with everything on its disk.
fn end_well(mut server: Child, with: Signal) {
    signal(server.id(), with);
    eventually("the server ends", || server.try_wait().unwrap().is_some());
}

/// MariaDB's InnoDB; a setting is options of the server.
struct MariaDb;

impl MariaDb {
    const PROGRAM: &'static str = "/usr/sbin/mariadbd";
    const SOCKET: &'static str = "/dev/shm/power-cut.sock";
    const CLIENT: [&'static str; 8] = [
        "mariadb",
        "--no-defaults",
        "--batch",
        "--unbuffered",
        "--skip-column-names",
        "--socket=/dev/shm/power-cut.sock",
        "--user=root",
        "--database=test_of_power",
    ];

    fn server(folder: &Path, setting: Option<&str>) -> Child {
        let mut command = Command::new(Self::PROGRAM);
        command
            .arg("--no-defaults")
            .arg(format!("--datadir={}", folder.join("data").display()))
            .arg(format!("--socket={}", Self::SOCKET))
            .args(["--pid-file=/dev/shm/power-cut.pid", "--user=root", "--skip-networking", "--skip-log-bin"])
            .args(["--innodb-buffer-pool-size=24M", "--innodb-log-file-size=8M", "--tmpdir=/dev/shm"])
            // The log is flushed by commits, or not at all while this goes on.
            .arg("--innodb-flush-log-at-timeout=2700")
            .args(setting.into_iter().flat_map(str::split_whitespace));
        started(&mut command)
    }

    fn ask(statement: &'static str) -> Vec<&'static str> {
        [&Self::CLIENT[..7], &["-e", statement]].concat()
    }
}

impl Engine for MariaDb {
    fn make(&self, folder: &Path) {
        let data = format!("--datadir={}", folder.join("data").display());
        let ways = ["--auth-root-authentication-method=normal", "--skip-test-db", "--skip-name-resolve"];
        let own = ["mariadb-install-db", "--no-defaults", "--user=root", "--innodb-log-file-size=8M", &data];
        does(&[&own[..], &ways].concat());
        let mut server = Self::server(folder, None);
        eventually("MariaDB is up", || {
            assert!(server.try_wait().unwrap().is_none(), "it ended: see its log");
            let made = Command::new(Self::CLIENT[0])
                .args(&Self::ask("CREATE DATABASE IF NOT EXISTS test_of_power")[1..])
                .stderr(Stdio::null())
                .status();
            made.unwrap().success()
        });
        let table = format!("USE test_of_power; {TABLE} ENGINE=InnoDB");
        does(&[&Self::CLIENT[..7], &["-e", &table]].concat());
        end_well(server, Signal::TERM);
    }

    fn open(&self, folder: &Path, setting: &str) -> Option<Box<dyn OpenDatabase>> {
        let server = Self::server(folder, Some(setting));
        let probe = Self::ask("SELECT 1");
        let open = OpenServer::new(server, Signal::KILL, &probe, &Self::CLIENT)?;
        Some(Box::new(open))
    }
}

#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn a_power_cut_takes_from_mariadb_what_it_did_not_flush_and_nothing_else() {
    if !has(Path::new(MariaDb::PROGRAM)) {
        return;
    }
    let level = |level| format!("--innodb-flush-log-at-trx-commit={level}");
    assert_losses(&MariaDb, &[&level(1)], &[&level(2)]);
}

/// PostgreSQL, from the folder of its programs; a setting is one of the server.
struct Postgres(PathBuf);

impl Postgres {
    const CLIENT: [&'static str; 12] = [
        "psql",
        "--no-psqlrc",
        "--quiet",
        "--no-align",
        "--tuples-only",
        "--host=/dev/shm",
        "--port=5999",
        "--username=postgres",
        "--dbname=postgres",
        "--no-password",
        "--set=ON_ERROR_STOP=0",
        "--file=-",
    ];

    /// The newest that is there.
    fn find() -> Self {
        let all = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
        let newest = all.map(|entry| entry.path().join("bin")).max();
        Self(newest.unwrap_or_else(|| PathBuf::from("/usr/lib/postgresql/bin")))
    }

    /// The user and the group of the package, or nobody: it refuses root.
    fn user() -> (u32, u32) {
        let users = std::fs::read_to_string("/etc/passwd").unwrap();
        let line = users.lines().find(|line| line.starts_with("postgres:"));
        let numbers =
            line.map(|line| line.split(':').skip(2).take(2).map(|number| number.parse::<u32>().unwrap()));
        match numbers.map(Iterator::collect::<Vec<u32>>).as_deref() {
            Some([user, group]) => (*user, *group),
            _ => (65534, 65534),
        }
    }

    fn command(&self, program: &str, folder: &Path) -> Command {
        let (user, group) = Self::user();
        let mut command = Command::new(self.0.join(program));
        command.uid(user).gid(group).current_dir(folder).arg("-D").arg(folder.join("data"));
        command
    }

    fn server(&self, folder: &Path, setting: Option<&str>) -> Child {
        let own = [
            "listen_addresses=",
            "unix_socket_directories=/dev/shm",
            "port=5999",
            "shared_buffers=16MB",
            "max_wal_size=32MB",
            "min_wal_size=2MB",
            "autovacuum=off",
            "dynamic_shared_memory_type=mmap",
        ];
        let mut command = self.command("postgres", folder);
        for assignment in own.into_iter().chain(setting) {
            command.arg("-c").arg(assignment);
        }
        started(&mut command)
    }

    fn ask(statement: &str) -> Vec<&str> {
        [&Self::CLIENT[..11], &["-c", statement]].concat()
    }
}

impl Engine for Postgres {
    fn make(&self, folder: &Path) {
        let data = folder.join("data");
        std::fs::create_dir(&data).unwrap();
        let (user, group) = Self::user();
        chown(&data, Some(user), Some(group)).unwrap();
        std::fs::set_permissions(&data, Permissions::from_mode(0o700)).unwrap();
        let mut initialise = self.command("initdb", folder);
        initialise.args(["-U", "postgres", "-E", "UTF8", "--locale=C", "-A", "trust", "--wal-segsize=1"]);
        let made = initialise.output().unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let mut server = self.server(folder, None);
        eventually("PostgreSQL is up", || {
            assert!(server.try_wait().unwrap().is_none(), "it ended: see its log");
            let asked = Self::ask("SELECT 1");
            Command::new(asked[0]).args(&asked[1..]).stderr(Stdio::null()).status().unwrap().success()
        });
        does(&Self::ask(TABLE));
        end_well(server, Signal::INT);
    }

    fn open(&self, folder: &Path, setting: &str) -> Option<Box<dyn OpenDatabase>> {
        let server = self.server(folder, Some(setting));
        // All that it started ends with it, and nothing more is written.
        let open = OpenServer::new(server, Signal::QUIT, &Self::ask("SELECT 1"), &Self::CLIENT)?;
        Some(Box::new(open))
    }
}

#[test]
#[ignore = "needs the guest: cargo xtask test --only guest"]
fn a_power_cut_takes_from_postgres_what_it_did_not_flush_and_nothing_else() {
    let postgres = Postgres::find();
    if !has(&postgres.0.join("postgres")) {
        return;
    }
    assert_losses(&postgres, &["synchronous_commit=on"], &["fsync=off"]);
}
