//! Loads on databases that end before their end: by Ctrl-C, or because run and agent are killed. No process of a server
//! outlives them, and what nobody was left to remove is removed by `headroom restore`.

use std::process::Child;

use rustix::process::Signal;

use crate::common::{agent_of, eventually, lives, signal, stderr, stdout, wait_for_trials};
use crate::database::private::is_there;
use crate::database::server::{BOTH, OwnServer, PASSWORD};
use crate::database::{DatabaseStory, names_in, processes_in, server_folder};

/// A load of some minutes, with these words: in the target, unless they have the URL of a server.
fn begin(story: &DatabaseStory, words: &[&str]) -> Child {
    let load = ["run", "db.oltp", "--rows", "2000", "--mix", "write-only", "--clients", "4"];
    let times = ["--duration", "300ms", "--warm-up", "0", "--trials", "500", "--no-extra"];
    let here = ["--target", story.target()];
    let target = if words.contains(&"--url") { &[][..] } else { &here[..] };
    story.place.start(&[&load[..], target, words, &times].concat())
}

/// Interrupts it in the middle of a trial.
fn is_interrupted(story: &DatabaseStory, more: &[&str]) {
    let run = begin(story, more);
    wait_for_trials(&story.place, 1);
    let agent = agent_of(run.id());
    std::thread::sleep(std::time::Duration::from_millis(100));
    signal(run.id(), Signal::INT);
    let output = run.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{more:?}: {}", stderr(&output));
    eventually("the agent ends", || !lives(agent));
    story.assert_nothing_is_left();
    let document = story.place.stored();
    assert_eq!(document["outcome"], "interrupted");
    assert!(stdout(&story.place.run(&["restore"])).contains("nothing to put back"), "{more:?}");
}

#[test]
fn an_interrupted_load_on_sqlite_leaves_nothing() {
    is_interrupted(&DatabaseStory::new(), &[]);
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn an_interrupted_load_on_a_server_that_was_started_leaves_nothing() {
    for server in ["mariadb", "postgres"].into_iter().filter(|server| is_there(server)) {
        is_interrupted(&DatabaseStory::new(), &["--start", server]);
    }
}

/// While the server's folder is made ready, too.
#[test]
#[ignore = "long: cargo xtask test --long"]
fn who_stops_a_run_while_a_server_is_made_ready_finds_nothing_left() {
    for server in ["mariadb", "postgres"].into_iter().filter(|server| is_there(server)) {
        let story = DatabaseStory::new();
        let run = begin(&story, &["--start", server]);
        eventually("the folder is made ready", || {
            server_folder(story.target.path()).is_some_and(|folder| folder.join("data").is_dir())
        });
        signal(run.id(), Signal::INT);
        let output = run.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130), "{server}: {}", stderr(&output));
        story.assert_nothing_is_left();
    }
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn an_interrupted_load_on_a_server_of_others_removes_its_database() {
    for product in BOTH {
        let Some(server) = OwnServer::start(product, &[]) else { continue };
        let before = server.theirs();
        is_interrupted(&DatabaseStory::new(), &["--url", &server.url_with("bench", PASSWORD, "")]);
        assert_eq!((server.theirs(), server.databases_of_ours()), (before, String::new()), "{product:?}");
    }
}

/// Kills run and agent together, so that neither can clean up, and restores.
fn is_killed(more: &[&str]) {
    let story = DatabaseStory::new();
    let mut run = begin(&story, more);
    wait_for_trials(&story.place, 1);
    let agent = agent_of(run.id());
    assert!(more.is_empty() || !processes_in(story.target.path()).is_empty(), "a server runs there");
    for with in [Signal::STOP, Signal::KILL] {
        [agent, run.id()].into_iter().for_each(|process| signal(process, with));
    }
    run.wait().unwrap();
    eventually("all of them are gone, with the server", || {
        !lives(agent) && processes_in(story.target.path()).is_empty()
    });
    let left = names_in(story.target.path());
    assert!(left.len() == 1 && left[0].starts_with(".headroom-tree-"), "{more:?}: {left:?}");
    let restored = story.place.run(&["restore"]);
    assert_eq!(restored.status.code(), Some(0), "{more:?}: {}{}", stdout(&restored), stderr(&restored));
    assert!(stdout(&restored).contains("it is removed"), "{}", stdout(&restored));
    story.assert_nothing_is_left();
    assert!(stdout(&story.place.run(&["restore"])).contains("nothing to put back"));
    // What was measured before is there.
    let document = story.place.stored();
    assert!(document.get("finished").is_none() && document["cases"][0]["trials"][0]["status"] == "ok");
}

#[test]
fn what_a_killed_load_on_sqlite_leaves_is_removed_by_restore() {
    is_killed(&[]);
}

/// The file is where its path was given, and known by a list and by a mark in it.
#[test]
fn a_file_of_sqlite_that_a_killed_load_leaves_is_removed_by_restore() {
    let story = DatabaseStory::new();
    let url = format!("sqlite:{}/mine.db", story.target());
    let run = begin(&story, &["--url", &url]);
    wait_for_trials(&story.place, 1);
    let agent = agent_of(run.id());
    for with in [Signal::STOP, Signal::KILL] {
        [agent, run.id()].into_iter().for_each(|process| signal(process, with));
    }
    let output = run.wait_with_output().unwrap();
    eventually("all of them are gone", || !lives(agent));
    let left = names_in(story.target.path());
    assert!(left.contains(&"mine.db".to_owned()), "{left:?}: {}{}", stdout(&output), stderr(&output));
    let restored = story.place.run(&["restore"]);
    assert_eq!(restored.status.code(), Some(0), "{}{}", stdout(&restored), stderr(&restored));
    assert!(stdout(&restored).contains("mine.db, which a killed run left: it is removed"));
    story.assert_nothing_is_left();
    assert!(stdout(&story.place.run(&["restore"])).contains("nothing to put back"));
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn a_server_that_was_started_dies_with_a_killed_run_and_restore_removes_its_folder() {
    for server in ["mariadb", "postgres"].into_iter().filter(|server| is_there(server)) {
        is_killed(&["--start", server]);
    }
}

/// The agent alone is left: it ends the server, and removes its folder.
#[test]
#[ignore = "long: cargo xtask test --long"]
fn an_agent_whose_run_was_killed_ends_the_server_and_leaves_nothing() {
    for server in ["mariadb", "postgres"].into_iter().filter(|server| is_there(server)) {
        let story = DatabaseStory::new();
        let mut run = begin(&story, &["--start", server]);
        wait_for_trials(&story.place, 1);
        let agent = agent_of(run.id());
        run.kill().unwrap();
        run.wait().unwrap();
        eventually("the agent ends", || !lives(agent));
        story.assert_nothing_is_left();
    }
}
