//! The password of a database is seen by nobody: not in the list of processes, nor in what is printed or kept.

use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::Child;

use crate::common::{StoryFolder, agent_of, eventually, stderr, stdout};

const PASSWORD: &str = "hunter2-Zq8vTr";

fn has(bytes: &[u8]) -> bool {
    bytes.windows(PASSWORD.len()).any(|window| window == PASSWORD.as_bytes())
}

/// No file of the folder, the store among them, has it.
fn assert_kept_nowhere(folder: &Path) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            assert_kept_nowhere(&entry.path());
        } else if entry.file_type().unwrap().is_file() {
            assert!(!has(&std::fs::read(entry.path()).unwrap()), "{}", entry.path().display());
        }
    }
}

/// A client of `server`, which says nothing to it; fails if the run ends first.
fn client_of(server: &TcpListener, run: &mut Child) -> TcpStream {
    server.set_nonblocking(true).unwrap();
    let mut client = None;
    eventually("the run connects", || {
        assert!(run.try_wait().unwrap().is_none(), "it ended before it connected");
        client = server.accept().ok();
        client.is_some()
    });
    client.unwrap().0
}

#[test]
fn a_password_in_a_url_is_seen_nowhere() {
    for scheme in ["postgres", "mysql"] {
        let server = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = server.local_addr().unwrap().port();
        let url = format!("{scheme}://me:{PASSWORD}@127.0.0.1:{port}/x");
        let place = StoryFolder::new();
        let load = ["run", "db.oltp", "--url", &url, "--trials", "1", "--duration", "50ms", "--json=full"];
        let mut run = place.start(&load);
        let client = client_of(&server, &mut run);
        // It waits for an answer now.
        for process in [run.id(), agent_of(run.id())] {
            for file in ["cmdline", "environ"] {
                let path = format!("/proc/{process}/{file}");
                assert!(!has(&std::fs::read(&path).unwrap()), "{path} shows it");
            }
        }
        drop((client, server));
        let output = run.wait_with_output().unwrap();
        let (out, err) = (stdout(&output), stderr(&output));
        assert!(!has(&output.stdout) && !has(&output.stderr), "{out}{err}");
        assert!(out.contains(&format!("{scheme}://me@127.0.0.1:{port}/x")), "{out}{err}");
        assert_kept_nowhere(place.path());
    }
}

#[test]
fn a_password_that_was_typed_wrongly_is_not_repeated() {
    let place = StoryFolder::new();
    for words in [
        &["run", "db.oltp", "--url", "postgres://me:PASSWORD/x@here/y"][..],
        &["run", "db.oltp", "--url", "postgres://me@here/y?password=PASSWORD"],
        &["run", "db.oltp", "--urll", "postgres://me:PASSWORD@here/y"],
        &["run", "db.oltp", "--url", "mysql://me:PASSWORD@here:x/y"],
        &["run", "mysql://me:PASSWORD@here/y"],
        &["compare", "mysql://me:PASSWORD@here/y", "last"],
    ] {
        let words: Vec<String> = words.iter().map(|word| word.replace("PASSWORD", PASSWORD)).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let output = place.run(&words);
        assert!(!output.status.success(), "{words:?}");
        let shown = stdout(&output) + &stderr(&output);
        assert!(!shown.contains(PASSWORD), "{words:?}: {shown}");
    }
    let study = format!("[[workload]]\nkind = \"db.oltp\"\nurl = \"mysql://me:{PASSWORD}@here/y\"\n");
    std::fs::write(place.path().join("study.toml"), study).unwrap();
    let output = place.run(&["run", "study.toml"]);
    let shown = stdout(&output) + &stderr(&output);
    assert!(!output.status.success() && !shown.contains(PASSWORD), "{shown}");
    assert!(shown.contains("has a password"), "{shown}");
}
