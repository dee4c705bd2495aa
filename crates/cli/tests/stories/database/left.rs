//! What a run leaves at a server of others when it dies together with its agent: it is told, and taken back by who names
//! the server again.

use std::fs;
use std::net::TcpListener;
use std::process::Child;

use rustix::process::Signal;

use crate::common::{StoryFolder, agent_of, eventually, flat, lives, signal, stderr, stdout};
use crate::database::ONCE;
use crate::database::server::{BOTH, OwnServer, PASSWORD, Product};

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

/// Names the server until nothing is left there: what a killed run had begun may go on for a while. Returns all that was
/// said.
fn restored(place: &StoryFolder, url: &str) -> String {
    let mut said = String::new();
    eventually("nothing is left at the server", || {
        let restored = place.run(&["restore", "--url", url]);
        said.push_str(&(stdout(&restored) + &stderr(&restored)));
        restored.status.success()
    });
    assert!(!said.contains(PASSWORD), "{said}");
    said
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn a_database_that_a_killed_run_left_is_told_and_removed_where_it_is_named() {
    for product in BOTH {
        let Some(server) = OwnServer::start(product, &[]) else { continue };
        let before = server.theirs();
        let place = StoryFolder::new();
        let url = server.url_with("bench", PASSWORD, "");
        let run = place.start(&["run", "db.oltp", "--url", &url, "--rows", "2000000"]);
        kill_both(run, "rows are made", || !server.databases_of_ours().is_empty());
        let name = server.databases_of_ours();

        let told = place.run(&["restore"]);
        let said = stdout(&told);
        assert_eq!(told.status.code(), Some(1), "{product:?}: {}", stderr(&told));
        let command = format!("`headroom restore --url {}`", server.url("bench", ""));
        assert!(said.contains(&name) && said.contains(&command), "{said}");
        assert!(!said.contains(PASSWORD), "{said}");
        assert_eq!(server.databases_of_ours(), name, "without the url nothing is done");

        let said = restored(&place, &url);
        assert!(
            said.contains(&format!("the database {name}, which a killed run left: it is removed")),
            "{said}"
        );
        assert_eq!((server.theirs(), server.databases_of_ours()), (before, String::new()), "{product:?}");
        assert!(stdout(&place.run(&["restore"])).contains("nothing to put back"));
    }
}

/// A variable of a server, and values that it does not have by itself.
fn variable(product: Product) -> (&'static str, [&'static str; 2]) {
    match product {
        Product::MariaDb => ("innodb_flush_log_at_trx_commit", ["2", "1"]),
        Product::Postgres => ("commit_delay", ["9", "5"]),
    }
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn a_variable_that_a_killed_run_had_changed_is_put_back_where_it_is_named() {
    for product in BOTH {
        let Some(server) = OwnServer::start(product, &[]) else { continue };
        let place = StoryFolder::new();
        let url = server.url_with("bench", PASSWORD, "");
        let (name, values) = variable(product);
        let shown = || match product {
            Product::MariaDb => server.sql("mysql", &format!("SELECT @@global.{name}")),
            Product::Postgres => server.sql("postgres", &format!("SHOW {name}")),
        };
        if product == Product::Postgres {
            server.sql("postgres", "ALTER ROLE bench SUPERUSER");
        }
        let was = shown();
        let start = |value: &str, duration: &str| {
            let variable = format!("{name}={value}");
            let load = ["run", "db.oltp", "--url", &url, "--rows", "100", "--duration", duration];
            let more = ["--server-variables", &variable, "--allow-server-settings", "yes"];
            place.start(&[&load[..], &more, &ONCE].concat())
        };
        kill_both(start(values[0], "60s"), "it is changed", || shown() == values[0]);

        let told = place.run(&["restore"]);
        assert_eq!(told.status.code(), Some(1), "{product:?}: {}", stderr(&told));
        let said = stdout(&told);
        assert!(said.contains(&format!("the variable {name}")) && said.contains("left it at"), "{said}");
        assert_eq!(shown(), values[0], "without the url nothing is done");
        let said = restored(&place, &url);
        assert!(said.contains(&format!("the variable {name}, which a killed run left changed")), "{said}");
        assert_eq!((shown(), server.databases_of_ours()), (was.clone(), String::new()), "{product:?}");

        // A run that may change variables there puts back what a killed one left, too.
        kill_both(start(values[0], "60s"), "it is changed again", || shown() == values[0]);
        let output = start(values[1], "200ms").wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{product:?}: {}{}", stdout(&output), stderr(&output));
        assert_eq!(shown(), was, "{product:?}");
        assert!(!stdout(&place.run(&["restore"])).contains(name));
        restored(&place, &url);
        assert_eq!(server.databases_of_ours(), "");
        assert!(stdout(&place.run(&["restore"])).contains("nothing to put back"));
    }
}

#[test]
fn a_server_that_is_gone_is_told_until_it_is_forgotten() {
    let place = StoryFolder::new();
    let (name, list) = ("headroom_0123456789abcdef", place.path().join("store.db-state/databases"));
    fs::create_dir_all(&list).unwrap();
    // Nobody listens there once it is dropped.
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
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
        let said = stdout(&restored);
        assert!(said.contains(&format!("the database {name} at {url}")), "{said}");
    }
    assert!(stdout(&place.run(&["restore"])).contains("nothing to put back"));
}
