//! What a run leaves at the server of a database when it dies together with its agent: it is told, and taken back by who
//! names the server again.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use rustix::process::{Signal, geteuid};

use crate::common::{StoryFolder, agent_of, eventually, flat, lives, signal, stderr, stdout};

/// Debian's `nobody` and `nogroup`: the server refuses root.
const NOBODY: u32 = 65534;

const PASSWORD: &str = "hunter2-Zq8vTr";

/// A PostgreSQL of Debian's package, on loopback, gone with this.
struct Postgres {
    process: Child,
    programs: PathBuf,
    port: u16,
    folder: tempfile::TempDir,
}

impl Postgres {
    /// None where it is not installed, which is said. In CI it is.
    fn start() -> Option<Self> {
        let Some(programs) = programs() else {
            assert!(std::env::var_os("CI").is_none(), "in CI nothing is skipped: there is no PostgreSQL");
            println!("skipped: there is no PostgreSQL (`apt install postgresql`)");
            return None;
        };
        let folder = tempfile::Builder::new().prefix("headroom-postgres-").tempdir().unwrap();
        fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
        let data = folder.path().join("data");
        fs::create_dir(&data).unwrap();
        fs::set_permissions(&data, Permissions::from_mode(0o700)).unwrap();
        if geteuid().is_root() {
            chown(&data, Some(NOBODY), Some(NOBODY)).unwrap();
        }
        let made = as_nobody(&programs.join("initdb"), folder.path())
            .args(["-U", "postgres", "--locale=C", "--no-sync", "-A", "trust", "-D"])
            .arg(&data)
            .status()
            .unwrap();
        assert!(made.success());
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let log = fs::File::create(folder.path().join("log")).unwrap();
        let process = as_nobody(&programs.join("postgres"), folder.path())
            .args(["-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=", "-c", "fsync=off"])
            .args(["-c", "shared_buffers=16MB", "-c", &format!("port={port}"), "-D"])
            .arg(&data)
            .stderr(log)
            .spawn()
            .unwrap();
        let server = Self { process, programs, port, folder };
        eventually("the server is ready", || server.ask("SELECT 1").is_some());
        Some(server)
    }

    /// What its own client says, if the server answers.
    fn ask(&self, statement: &str) -> Option<String> {
        let said = Command::new(self.programs.join("psql"))
            .args(["-XAtq", "-h", "127.0.0.1", "-U", "postgres", "-d", "postgres", "-p"])
            .args([&self.port.to_string(), "-c", statement])
            .current_dir(self.folder.path())
            .output()
            .unwrap();
        said.status.success().then(|| String::from_utf8(said.stdout).unwrap().trim_end().to_owned())
    }

    /// The databases that are ours.
    fn ours(&self) -> String {
        self.ask(r"SELECT datname FROM pg_database WHERE datname LIKE 'headroom\_%'").unwrap()
    }

    fn url(&self) -> String {
        format!("postgres://postgres:{PASSWORD}@127.0.0.1:{}/", self.port)
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        signal(self.process.id(), Signal::INT);
        let _ = self.process.wait();
    }
}

/// The folder of the programs of the newest version.
fn programs() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").ok()?.flatten();
    let found = versions.filter_map(|version| {
        let number: u32 = version.file_name().to_str()?.parse().ok()?;
        let programs = version.path().join("bin");
        programs.join("initdb").is_file().then_some((number, programs))
    });
    found.max().map(|(_, programs)| programs)
}

fn as_nobody(program: &Path, folder: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(folder).stdin(Stdio::null()).stdout(Stdio::null());
    if geteuid().is_root() {
        command.uid(NOBODY).gid(NOBODY);
    }
    command
}

/// Kills a run and its agent once `is_under_way`. Neither may clean up: both are stopped before they are killed.
fn kill_both(mut run: Child, what: &str, is_under_way: impl FnMut() -> bool) {
    let agent = agent_of(run.id());
    eventually(what, is_under_way);
    for with in [Signal::STOP, Signal::KILL] {
        [run.id(), agent].into_iter().for_each(|process| signal(process, with));
    }
    run.wait().unwrap();
    eventually("both are gone", || !lives(agent));
}

#[test]
fn a_database_that_a_killed_run_left_is_told_and_removed_where_it_is_named() {
    let Some(server) = Postgres::start() else { return };
    let place = StoryFolder::new();
    let url = server.url();
    let run = place.start(&["run", "db.oltp", "--url", &url, "--rows", "2000000"]);
    kill_both(run, "rows are made", || !server.ours().is_empty());
    let name = server.ours();
    server.ask("CREATE DATABASE headroom_of_others").unwrap();

    let told = place.run(&["restore"]);
    let said = stdout(&told);
    assert_eq!(told.status.code(), Some(1), "{}", stderr(&told));
    assert!(
        said.contains(&name) && said.contains("headroom restore --url postgres://postgres@127.0.0.1"),
        "{said}"
    );
    assert!(!said.contains(PASSWORD), "{said}");
    assert!(server.ours().contains(&name), "without the url nothing is done");

    // A statement that the killed run had begun may go on for a while.
    let mut said = String::new();
    eventually("it is removed", || {
        let restored = place.run(&["restore", "--url", &url]);
        said = stdout(&restored) + &stderr(&restored);
        restored.status.success()
    });
    assert!(said.contains(&format!("the database {name}, which a killed run left: it is removed")), "{said}");
    assert!(!said.contains(PASSWORD), "{said}");
    assert_eq!(server.ours(), "headroom_of_others");
    assert!(stdout(&place.run(&["restore"])).contains("nothing to put back"));
}

#[test]
fn a_variable_that_a_killed_run_had_changed_is_put_back_where_it_is_named() {
    let Some(server) = Postgres::start() else { return };
    let place = StoryFolder::new();
    let url = server.url();
    let shown = || server.ask("SHOW commit_delay").unwrap();
    let load = ["run", "db.oltp", "--url", &url, "--rows", "100", "--duration", "60s", "--trials", "1"];
    let asked = ["--server-variables", "commit_delay=9", "--allow-server-settings", "yes"];
    kill_both(place.start(&[&load[..], &asked].concat()), "it is changed", || shown() == "9");

    let told = place.run(&["restore"]);
    assert_eq!(told.status.code(), Some(1), "{}", stderr(&told));
    let said = stdout(&told);
    assert!(said.contains("the variable commit_delay") && said.contains("left it at 9"), "{said}");
    assert_eq!(shown(), "9", "without the url nothing is done");
    let mut said = String::new();
    eventually("it is put back", || {
        let restored = place.run(&["restore", "--url", &url]);
        said.push_str(&(stdout(&restored) + &stderr(&restored)));
        restored.status.success()
    });
    assert!(said.contains("the variable commit_delay, which a killed run left changed"), "{said}");
    assert_eq!((shown().as_str(), server.ours().as_str()), ("0", ""));

    // A run that may change variables there puts back what a killed one left, too.
    kill_both(place.start(&[&load[..], &asked].concat()), "it is changed again", || shown() == "9");
    let next = ["--requests", "5", "--server-variables", "commit_delay=5", "--allow-server-settings", "yes"];
    let run = place.run(&[&load[..], &next].concat());
    assert_eq!(run.status.code(), Some(0), "{}{}", stdout(&run), stderr(&run));
    assert_eq!(shown(), "0");
    assert!(!stdout(&place.run(&["restore"])).contains("commit_delay"));
    eventually("the database of the killed run is removed", || {
        place.run(&["restore", "--url", &url]).status.success()
    });
    assert_eq!(server.ours(), "");
    assert!(stdout(&place.run(&["restore"])).contains("nothing to put back"));
}

#[test]
fn a_server_that_is_gone_is_told_until_it_is_forgotten() {
    let place = StoryFolder::new();
    let (name, list) = ("headroom_0123456789abcdef", place.path().join("store.db-state/databases"));
    fs::create_dir_all(&list).unwrap();
    // Nobody listens there once it is dropped.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let url = format!("mysql://me@127.0.0.1:{port}/");
    let record = serde_json::json!({ "url": url, "kind": "database", "name": name });
    fs::write(list.join(name), record.to_string()).unwrap();
    let typed = format!("mysql://me:{PASSWORD}@127.0.0.1:{port}/");
    let refused = place.run(&["restore", "--url", &typed]);
    let said = flat(&(stdout(&refused) + &stderr(&refused)));
    assert!(!refused.status.success() && said.contains("nothing takes connections"), "{said}");
    assert!(!said.contains(PASSWORD), "{said}");
    for (arguments, code) in [(&["restore"][..], 1), (&["restore", "--drop"], 0)] {
        let restored = place.run(arguments);
        assert_eq!(restored.status.code(), Some(code), "{}", stderr(&restored));
        assert!(
            stdout(&restored).contains(&format!("the database {name} at {url}")),
            "{}",
            stdout(&restored)
        );
    }
    assert!(stdout(&place.run(&["restore"])).contains("nothing to put back"));
}
