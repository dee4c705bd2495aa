//! Settings of whole servers, at real ones where they are installed.

use model::Parameters;

use super::*;
use crate::fixture::FixtureStore;
use crate::workload::db::isolation::IsolationLevel;
use crate::workload::db::left::left_on_servers;
use crate::workload::db::server::variables;
use crate::workload::db::url::DatabaseUrl;
use crate::workload::{FIXTURES, named};

/// A server of ours, spoken to as if it were another's.
struct Place {
    system: &'static dyn RemoteSystem,
    server: DatabaseServer,
    state: tempfile::TempDir,
    _fixtures: FixtureStore,
    _target: tempfile::TempDir,
}

/// None where it is not installed. In CI it is.
fn place(start: &'static str) -> Option<Place> {
    use std::os::unix::fs::PermissionsExt;
    let target = tempfile::tempdir().unwrap();
    std::fs::set_permissions(target.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut parameters = Parameters::default();
    parameters.set(named("start"), start);
    parameters.set(named("target"), target.path().to_str().unwrap());
    let sqlite = DatabaseUrl::parse("sqlite:").unwrap();
    let mut home = ServerHome::of(&parameters, &sqlite).unwrap().unwrap();
    let host = HostInfo { memory_available: 1 << 40, ..HostInfo::default() };
    if let Err(problem) = home.survey(0, &host) {
        assert!(std::env::var_os("CI").is_none(), "in CI nothing is skipped: {problem:?}");
        println!("skipped: {}", problem.message);
        return None;
    }
    let mut fixtures = FixtureStore::new(FIXTURES);
    fixtures.make(&home.fixture().unwrap(), &host, &mut |_| true).unwrap();
    let (url, password) = home::reach(&home.place(), &home.details()).unwrap();
    let system = remote::system(url.system).unwrap();
    let server = system.find(&url, password, LOCK_TIMEOUT).unwrap();
    let state = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
    Some(Place { system, server, state, _fixtures: fixtures, _target: target })
}

impl Place {
    fn settings(&self) -> ServerSettings {
        let list = ServerList::in_state(self.state.path());
        ServerSettings { system: self.system, server: self.server.clone(), list, changes: Mutex::default() }
    }

    fn now(&self, name: &str) -> String {
        read(self.system, &self.server, name).unwrap()
    }
}

fn asked(text: &str) -> Vec<ServerVariable> {
    let mut parameters = Parameters::default();
    parameters.set(named(variables::PARAMETER), text);
    variables::of(&parameters).unwrap()
}

/// Sets two values of one variable, then another variable, and ends; then a run that is killed.
fn sets_and_puts_back(place: &Place, one: [&str; 3], other: [&str; 2]) {
    let [name, first, second] = one;
    let (was, other_was) = (place.now(name), place.now(other[0]));
    let settings = place.settings();
    let held = settings.set(&asked(&format!("{name}={first}"))).unwrap();
    assert_eq!(place.now(name), first);
    let left = || left_on_servers(place.state.path(), false);
    assert!(left().is_empty(), "it is under way");
    let refused = settings.set(&asked(&format!("{name}={second}"))).unwrap_err().to_string();
    assert!(refused.contains("another load of this trial"), "{refused}");
    drop(held);
    let held = settings.set(&asked(&format!("{name}={second}"))).unwrap();
    assert_eq!(place.now(name), second);
    drop(held);

    // Another run.
    let refused = place.settings().set(&asked(&format!("{name}={first}"))).unwrap_err().to_string();
    assert!(refused.contains("another run is at it"), "{refused}");
    assert_eq!(place.now(name), second);

    // A trial that asks for another variable has the first as it was.
    drop(settings.set(&asked(&format!("{}={}", other[0], other[1]))).unwrap());
    assert_eq!((place.now(name), place.now(other[0])), (was.clone(), other[1].to_owned()));

    // Somebody else.
    let literal = format!("'{other_was}'");
    let literal = if other_was.parse::<f64>().is_ok() { &other_was } else { &literal };
    write(place.system, &place.server, other[0], Some(literal.as_str())).unwrap();
    let refused = settings.set(&asked(&format!("{}={}", other[0], other[1]))).unwrap_err().to_string();
    assert!(refused.contains("somebody changed the variable"), "{refused}");
    Box::new(settings).remove().unwrap();
    assert_eq!((place.now(name), place.now(other[0])), (was, other_was));
    assert!(left().is_empty());
}

/// What is left of a run that is killed is the record, and a server that is as it was made.
fn a_kill_is_put_back(place: &Place, name: &str, value: &str) {
    let was = place.now(name);
    let settings = place.settings();
    let before = sql::before(place.system, &place.server, name).unwrap();
    drop(settings.set(&asked(&format!("{name}={value}"))).unwrap());
    // Its file is not locked any more then; what it holds in memory is gone.
    let changed = std::mem::take(&mut *lock(&settings.changes)).changed;
    drop((changed, settings));
    assert_eq!(place.now(name), value);
    let left = left_on_servers(place.state.path(), false);
    assert!(left.len() == 1 && left[0].to_string().contains(name), "{left:?}");
    let refused = place.settings().set(&asked(&format!("{name}={value}"))).unwrap_err().to_string();
    assert!(refused.contains("headroom restore --url"), "{refused}");
    put_back(place.system, &place.server, name, before.as_deref()).unwrap();
    assert_eq!(place.now(name), was);
    assert_eq!(left_on_servers(place.state.path(), true).len(), 1);
}

#[test]
fn variables_of_mariadb_are_set_for_all_and_put_back() {
    let Some(place) = place("mariadb") else { return };
    let flush = ["innodb_flush_log_at_trx_commit", "0", "2"];
    sets_and_puts_back(&place, flush, ["innodb_adaptive_flushing", "0"]);
    a_kill_is_put_back(&place, "innodb_flush_log_at_trx_commit", "0");
    let settings = place.settings();
    let refused = settings.set(&asked("no_such_variable=1")).unwrap_err().to_string();
    assert!(refused.contains("no_such_variable"), "{refused}");
    let refused = settings.set(&asked("innodb_flush_log_at_trx_commit=x")).unwrap_err().to_string();
    assert!(refused.contains("innodb_flush_log_at_trx_commit"), "{refused}");
    Box::new(settings).remove().unwrap();
}

#[test]
fn variables_of_postgres_are_set_for_all_and_put_back() {
    let Some(place) = place("postgres") else { return };
    sets_and_puts_back(&place, ["synchronous_commit", "off", "local"], ["commit_delay", "10"]);
    a_kill_is_put_back(&place, "synchronous_commit", "off");
    // What ALTER SYSTEM had set before is there again.
    place.system.ask(&place.server, "ALTER SYSTEM SET commit_delay = '7'").unwrap();
    let settings = place.settings();
    drop(settings.set(&asked("commit_delay=9")).unwrap());
    Box::new(settings).remove().unwrap();
    assert_eq!(sql::before(place.system, &place.server, "commit_delay").unwrap().as_deref(), Some("7"));
    assert_eq!(place.now("commit_delay"), "7");

    let settings = place.settings();
    let refused = settings.set(&asked("shared_buffers=64MB")).unwrap_err().to_string();
    assert!(refused.contains("only when it starts"), "{refused}");
    let refused = settings.set(&asked("no_such_variable=1")).unwrap_err().to_string();
    assert!(refused.contains("no variable no_such_variable"), "{refused}");
    assert!(
        left_on_servers(place.state.path(), false)
            .iter()
            .all(|left| !left.to_string().contains("shared_buffers"))
    );
    Box::new(settings).remove().unwrap();
}

/// Every level that the system has is what a session has that asked for it.
fn isolation_is_read_back(place: &Place, database: &str) {
    use IsolationLevel::{ReadCommitted, ReadUncommitted, RepeatableRead, Serializable};
    let system = place.server.url.system;
    for level in [ReadUncommitted, ReadCommitted, RepeatableRead, Serializable] {
        if level.check(system).is_ok() {
            let session = level.statement(system).into_iter().collect();
            let server = place.server.with_database(database).with_session(session);
            let facts = place.system.describe(&server).unwrap();
            assert_eq!(level.confirm(&facts), Ok(()), "{facts:?}");
        }
    }
}

#[test]
fn sessions_of_mariadb_have_the_isolation_that_was_asked_for() {
    let Some(place) = place("mariadb") else { return };
    isolation_is_read_back(&place, "mysql");
}

#[test]
fn sessions_of_postgres_have_the_isolation_that_was_asked_for() {
    let Some(place) = place("postgres") else { return };
    isolation_is_read_back(&place, "postgres");
}

#[test]
fn what_a_changed_list_says_is_not_executed() {
    let Some(place) = place("postgres") else { return };
    let refused =
        put_back(place.system, &place.server, "commit_delay", Some("0'; DROP TABLE x; --")).unwrap_err();
    assert!(refused.to_string().contains("cannot be written in a statement"), "{refused}");
}

#[test]
fn nothing_is_asked_of_a_server_whose_settings_are_left_alone() {
    let mut parameters = Parameters::default();
    parameters.set(named("server-variables"), "fsync=off");
    let url = DatabaseUrl::parse("postgres://me@192.0.2.1/x").unwrap();
    assert_eq!(key(&ServerHome::of(&parameters, &url).unwrap().unwrap()), None);
    parameters.set(named(variables::ALLOWANCE), true);
    let asked = key(&ServerHome::of(&parameters, &url).unwrap().unwrap()).unwrap();
    assert_eq!(asked.target, "postgres://me@192.0.2.1/x");
    // Without a place where it is written down nothing is changed.
    let refused = make(&asked, &HostInfo::default(), &mut |_| true).unwrap_err().to_string();
    assert!(refused.contains("written down nowhere"), "{refused}");
}
