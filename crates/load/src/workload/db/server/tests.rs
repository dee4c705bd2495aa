//! Real servers, where they are installed.

use super::*;
use crate::workload::db::server::running::running;

fn request(start: StartedServer, variables: &[&str]) -> ServerRequest {
    let mut parameters = Parameters::default();
    let word = if start == StartedServer::Mariadb { "mariadb" } else { "postgres" };
    parameters.set(named("start"), word);
    let parts = variables.iter().map(|text| Value::Text((*text).to_owned())).collect();
    parameters.set(named(variables::PARAMETER), Value::List(parts));
    ServerRequest::of(&parameters).unwrap().unwrap()
}

/// A folder that every user may enter, and what is asked of a server in it; none where it is not installed. In CI it is.
fn survey(request: &ServerRequest) -> Option<(tempfile::TempDir, FixtureKey)> {
    use std::os::unix::fs::PermissionsExt;
    let place = tempfile::tempdir().unwrap();
    std::fs::set_permissions(place.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let folder = place.path().canonicalize().unwrap();
    let host = HostInfo { memory_available: 1 << 40, ..HostInfo::default() };
    match request.survey(&folder, 0, &host) {
        Ok(_) => Some((place, request.key(folder.to_str().unwrap()))),
        Err(problem) => {
            assert!(std::env::var_os("CI").is_none(), "in CI nothing is skipped: {problem:?}");
            println!("skipped: {}", problem.message);
            None
        }
    }
}

/// Of a process and those that it started, as the kernel has them.
fn status_line(process: u32, name: &str) -> Option<String> {
    let text = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    text.lines().find_map(|line| line.strip_prefix(name)).map(|rest| rest.trim().to_owned())
}

fn has_ended(process: u32) -> bool {
    status_line(process, "State:").is_none_or(|state| state.starts_with('Z'))
}

/// Whether the password stands in a file below `folder`, or in the words or the environment of `process`.
fn shows(password: &[u8], process: u32, folder: &Path) -> bool {
    let has = |bytes: &[u8]| bytes.windows(password.len()).any(|window| window == password);
    let of_process = ["cmdline", "environ"].map(|name| format!("/proc/{process}/{name}"));
    let mut open = vec![folder.to_owned()];
    let mut files: Vec<PathBuf> = of_process.into_iter().map(PathBuf::from).collect();
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(next).unwrap().flatten() {
            let kind = entry.file_type().unwrap();
            match () {
                () if kind.is_dir() => open.push(entry.path()),
                () if kind.is_file() => files.push(entry.path()),
                () => {}
            }
        }
    }
    files.into_iter().any(|path| std::fs::read(path).is_ok_and(|bytes| has(&bytes)))
}

fn lives_and_leaves_nothing(request: &ServerRequest) {
    let Some((target, key)) = survey(request) else { return };
    let host = HostInfo::default();
    let made = make(&key, &host, &mut |_| true).unwrap();
    let server: &PrivateServer = (&*made as &dyn std::any::Any).downcast_ref().unwrap();
    let process = server.process_id();
    if rustix::process::geteuid().is_root() {
        assert_ne!(status_line(process, "Uid:").unwrap().split_whitespace().next(), Some("0"), "it is root");
    }
    assert!(server.request.product().is_ready(&server.place, process));
    let reached = running(&key).unwrap();
    assert_eq!((reached.url.host.clone(), reached.url.user.as_str()), (server.url("x").host, USER));
    assert!(!shows(server.password().bytes(), process, target.path()), "the password is left somewhere");
    let told = format!("{made:?} {:?} {key:?}", server.facts());
    assert!(!told.contains(std::str::from_utf8(server.password().bytes()).unwrap()), "{told}");
    assert!(server.facts().iter().any(|(name, _)| name.as_str() == "server_configuration"));
    let options = server.facts().into_iter().find(|(name, _)| name.as_str() == "server_options").unwrap();
    let line = std::fs::read(format!("/proc/{process}/cmdline")).unwrap();
    let line = String::from_utf8_lossy(&line);
    let words: Vec<&str> = line.split('\0').collect();
    let options = options.1.to_string();
    assert!(options.split(", ").all(|option| words.contains(&option)), "{options}: {words:?}");

    // It is killed, and there again for the next trial.
    let pid = rustix::process::Pid::from_raw(i32::try_from(process).unwrap()).unwrap();
    rustix::process::kill_process(pid, Signal::KILL).unwrap();
    let until = std::time::Instant::now() + READY_WITHIN;
    // It is there until the last of its threads is gone.
    while server.process_id() == process && std::time::Instant::now() < until {
        std::thread::sleep(Duration::from_millis(10));
        server.check().unwrap();
    }
    let again = server.process_id();
    assert!(again != process && server.request.product().is_ready(&server.place, again));

    made.remove().unwrap();
    assert!(has_ended(again) && running(&key).is_none());
    assert_eq!(std::fs::read_dir(target.path()).unwrap().count(), 0);
}

#[test]
fn mariadb_lives_in_its_folder_and_leaves_nothing() {
    lives_and_leaves_nothing(&request(StartedServer::Mariadb, &["innodb_flush_log_at_trx_commit=0"]));
}

#[test]
fn postgres_lives_in_its_folder_and_leaves_nothing() {
    lives_and_leaves_nothing(&request(StartedServer::Postgres, &["synchronous_commit=off"]));
}

#[test]
fn a_server_that_does_not_start_says_why_and_leaves_nothing() {
    for (start, variable) in
        [(StartedServer::Mariadb, "no_such_variable=1"), (StartedServer::Postgres, "fsync=x")]
    {
        let Some((target, key)) = survey(&request(start, &[variable])) else { continue };
        let why = make(&key, &HostInfo::default(), &mut |_| true).unwrap_err().to_string();
        let name = variable.split('=').next().unwrap();
        assert!(why.contains("ended as it was started") && why.contains(name), "{why}");
        assert_eq!(std::fs::read_dir(target.path()).unwrap().count(), 0, "{why}");
    }
}

#[test]
fn who_stops_it_gets_nothing_and_nothing_stays() {
    let Some((target, key)) = survey(&request(StartedServer::Postgres, &[])) else { return };
    let stopped = make(&key, &HostInfo::default(), &mut |_| false);
    assert!(matches!(stopped, Err(Fault::Cancelled)));
    assert_eq!(std::fs::read_dir(target.path()).unwrap().count(), 0);
}

#[test]
fn a_request_goes_to_the_agent_and_back() {
    let asked = request(StartedServer::Mariadb, &["innodb_buffer_pool_size=1G", "sync_binlog=1"]);
    let sent = serde_json::to_value(&asked).unwrap();
    assert_eq!(sent["start"], "mariadb");
    assert_eq!(serde_json::from_value::<ServerRequest>(sent).unwrap(), asked);
    assert!(asked.product().memory_bytes(&asked.variables) > 1 << 30);
    assert_eq!(ServerRequest::of(&Parameters::default()), Ok(None));
}
