//! What loads leave at a server, and set there: databases and variables that are written down first, isolation levels.

use std::path::Path;

use load::fixture::FixtureStore;
use load::workload::db::left::left_on_servers;
use load::workload::db::left_restore::{RestoredOnServer, restore_at};
use load::workload::{FIXTURES, HostInfo, Load, LoadContext, Watch};

use super::postgres_server::PostgresServer;
use super::{Bench, Given, OLTP, surveyed, surveyed_of};

fn state() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

fn host(state: &Path) -> HostInfo {
    HostInfo { state_folder: Some(state.to_owned()), ..super::host() }
}

/// The databases that are not the server's own.
fn others(server: &PostgresServer) -> Vec<String> {
    let asked =
        "SELECT datname FROM pg_database WHERE NOT datistemplate AND datname <> 'postgres' ORDER BY 1";
    server.sql("postgres", asked).lines().map(str::to_owned).collect()
}

/// What the list has of a run that was killed.
fn listed(state: &Path, file: &str, record: &serde_json::Value) {
    let list = state.join("databases");
    std::fs::create_dir_all(&list).unwrap();
    std::fs::write(list.join(file), record.to_string()).unwrap();
}

#[test]
fn a_database_is_in_the_list_while_it_is_there() {
    let Some(server) = PostgresServer::start(&[]) else { return };
    let (state, folder) = (state(), state());
    let mut load = surveyed(folder.path(), &[("url", &server.url("postgres", ""))]).unwrap();
    let needs = load.survey(&super::host()).unwrap();
    let mut fixtures = FixtureStore::new(FIXTURES);
    fixtures.make(&needs.fixtures[0], &host(state.path()), &mut |_| true).unwrap();
    let list = state.path().join("databases");
    let names = || -> Vec<String> {
        let entries = list.read_dir().unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    };
    assert_eq!(names(), others(&server));
    assert!(left_on_servers(state.path(), true).is_empty(), "its run is under way");
    fixtures.remove(&needs.fixtures).unwrap();
    assert!(names().is_empty() && others(&server).is_empty());
    // Making it is stopped.
    let stopped = fixtures.make(&needs.fixtures[0], &host(state.path()), &mut |_| false);
    assert!(matches!(stopped, Err(engine::Fault::Cancelled)), "{stopped:?}");
    assert!(names().is_empty() && others(&server).is_empty());
}

#[test]
fn what_a_killed_run_left_is_removed_where_it_is_named_and_nothing_else() {
    let Some(server) = PostgresServer::start(&[]) else { return };
    let state = state();
    let (left, running) = ("headroom_0123456789abcdef", "headroom_fedcba9876543210");
    for name in [left, running, "shop"] {
        server.sql("postgres", &format!("CREATE DATABASE {name}"));
    }
    let url = server.url("postgres", "");
    for name in [left, "shop", "headroom_0000000000000000"] {
        let record = serde_json::json!({ "url": url, "kind": "database", "name": name });
        listed(state.path(), name, &record);
    }
    assert_eq!(left_on_servers(state.path(), false).len(), 2, "a name that is none of ours is passed over");
    let elsewhere = restore_at(state.path(), "postgres://postgres@127.0.0.1:1/", None, false).unwrap();
    assert!(elsewhere.is_empty(), "nothing was left there");
    // One is gone already.
    let restored = restore_at(state.path(), &url, None, false).unwrap();
    assert!(restored.len() == 2 && restored.iter().all(RestoredOnServer::is_settled), "{restored:?}");
    assert_eq!(others(&server), [running, "shop"]);
    assert!(left_on_servers(state.path(), false).is_empty());
}

#[test]
fn what_cannot_be_removed_stays_in_the_list() {
    let Some(server) = PostgresServer::start(&[]) else { return };
    let state = state();
    let name = "headroom_0123456789abcdef";
    server.sql("postgres", &format!("CREATE DATABASE {name}"));
    server.sql("postgres", "CREATE ROLE guest LOGIN");
    let record = serde_json::json!({ "url": server.url("postgres", ""), "kind": "database", "name": name });
    listed(state.path(), name, &record);
    let refused = restore_at(state.path(), &server.socket_url("guest", "postgres"), None, false).unwrap();
    assert!(refused.is_empty(), "a socket is another place than a port");
    let refused = restore_at(state.path(), &server.url("nobody_known", ""), None, false).unwrap_err();
    assert!(!refused.message.is_empty());
    assert_eq!((left_on_servers(state.path(), false).len(), others(&server).len()), (1, 1));
    drop(server);
    let record = left_on_servers(state.path(), false).remove(0).to_string();
    let url = record.split('`').nth(1).unwrap().strip_prefix("headroom restore --url ").unwrap();
    let gone = restore_at(state.path(), url, None, false).unwrap_err();
    assert!(gone.message.contains("nothing takes connections"), "{gone:?}");
    assert_eq!(left_on_servers(state.path(), false).len(), 1);
}

/// A load with all that it needs, and a list of what it leaves.
struct SetGlobally {
    load: Load,
    fixtures: FixtureStore,
    state: tempfile::TempDir,
    _folder: tempfile::TempDir,
}

impl SetGlobally {
    fn new(server: &PostgresServer, variables: &str) -> Self {
        let (state, folder) = (state(), state());
        let url = server.url("postgres", "");
        let given = [
            ("url", &*url),
            ("server-variables", variables),
            ("allow-server-settings", "yes"),
            ("requests", "5"),
            ("rows", "100"),
        ];
        let mut load = surveyed_of(OLTP, folder.path(), &given).unwrap();
        let mut fixtures = FixtureStore::new(FIXTURES);
        for key in &load.survey(&super::host()).unwrap().fixtures {
            fixtures.make(key, &host(state.path()), &mut |_| true).unwrap();
        }
        Self { load, fixtures, state, _folder: folder }
    }

    /// What is known of it before a trial.
    fn facts(&self) -> Result<Vec<(String, String)>, String> {
        let context = LoadContext { fixtures: &self.fixtures, endpoint: None, watch: Watch::NONE };
        let prepared = self.load.prepare(&context).map_err(|fault| fault.to_string())?;
        Ok(prepared.facts().into_iter().map(|(name, value)| (name.to_string(), value.to_string())).collect())
    }

    fn end(mut self) {
        let needs = self.load.survey(&super::host()).unwrap();
        self.fixtures.remove(&needs.fixtures).unwrap();
        assert!(left_on_servers(self.state.path(), false).is_empty());
    }
}

#[test]
fn a_variable_of_the_whole_server_is_set_for_a_run_and_put_back() {
    let Some(server) = PostgresServer::start(&[]) else { return };
    let shown = || server.sql("postgres", "SHOW commit_delay");
    let set = SetGlobally::new(&server, "commit_delay=9");
    assert_eq!(shown(), "0", "nothing is changed before a trial");
    let facts = set.facts().unwrap();
    assert_eq!(shown(), "9");
    let has = |name: &str, value: &str| facts.iter().any(|(known, text)| known == name && text == value);
    assert!(has("server_variables", "commit_delay=9") && has("server_variables_global", "yes"), "{facts:?}");
    set.end();
    assert_eq!(shown(), "0");
    let written = "SELECT count(*) FROM pg_file_settings WHERE name = 'commit_delay'";
    assert_eq!(server.sql("postgres", written), "0");
}

#[test]
fn a_variable_that_cannot_be_set_for_a_server_fails_the_trial_and_is_put_back() {
    // The server of the tests has it on its command line, which is above all files.
    let Some(server) = PostgresServer::start(&[]) else { return };
    let set = SetGlobally::new(&server, "fsync=on");
    let why = set.facts().unwrap_err();
    assert!(why.contains("no effect on fsync") && why.contains("command line"), "{why}");
    set.end();
    let written = "SELECT count(*) FROM pg_file_settings WHERE name = 'fsync'";
    assert_eq!(server.sql("postgres", written), "0");
    let set = SetGlobally::new(&server, "shared_buffers=64MB");
    let why = set.facts().unwrap_err();
    assert!(why.contains("only when it starts"), "{why}");
    set.end();
}

#[test]
fn an_isolation_level_is_set_and_read_back() {
    let Some(server) = PostgresServer::start(&[]) else { return };
    let url = server.url("postgres", "");
    let bench = |given: Given<'_>| Bench::new(&[&[("url", &*url)][..], given].concat());
    for (asked, found) in [("unchanged", "read committed"), ("serializable", "serializable")] {
        let bench = bench(&[("isolation", asked), ("requests", "5"), ("duration", "60s")]);
        assert_eq!(bench.run().unwrap().fact("transaction_isolation"), found);
        bench.end();
    }
    let given = [
        ("isolation", "repeatable-read"),
        ("mix", "update-index"),
        ("clients", "16"),
        ("rows", "1"),
        ("duration", "1s"),
    ];
    let bench = bench(&given);
    let measured = bench.run().unwrap();
    assert_eq!(measured.fact("transaction_isolation"), "repeatable read");
    // Sixteen clients at one row: who waited for another's change may not go on with what it saw before.
    assert!(measured.fact("transaction_errors").contains("40001"), "{:?}", measured.facts);
    bench.end();
}

#[test]
fn an_isolation_level_that_a_database_lacks_is_refused() {
    let folder = state();
    let refused = |given: Given<'_>| surveyed(folder.path(), given).err().unwrap();
    let told = refused(&[("isolation", "read-committed")]);
    assert!(told.contains("no isolation read-committed"), "{told}");
    let told = refused(&[("isolation", "read-uncommitted"), ("url", "postgres://me@192.0.2.1/x")]);
    assert!(told.contains("no isolation read-uncommitted"), "{told}");
    assert!(surveyed(folder.path(), &[("isolation", "serializable")]).is_ok());
}
