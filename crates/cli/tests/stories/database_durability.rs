//! Is what a database acknowledged there when its process was killed? For settings that wait for the log none is lost;
//! of the others it is told how many were, which may be none.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::Value;

use crate::common::{StoryFolder, flat, stderr, trials};

/// Runs it with these words in `target`; fails if it does not end well.
fn document(place: &StoryFolder, target: &Path, words: &[&str]) -> Value {
    let target = target.to_str().unwrap();
    let usual = ["run", "db.durability", "--target", target, "--clients", "2", "--rounds", "2"];
    let few = ["--kill-within", "400ms", "--trials", "1", "--no-extra"];
    let (code, document) = place.document(&[&usual[..], &few, words].concat());
    assert_eq!(code, 0, "{document}");
    assert_eq!(std::fs::read_dir(target).unwrap().count(), 0, "something is left");
    document
}

/// What each case lost, with what it says of its settings; every case acknowledged something, and says what was
/// not shown.
fn losses(document: &Value) -> Vec<(String, f64)> {
    let of = |case: &Value| {
        let load = &case["trials"][0]["loads"][0];
        let metric = |name: &str| load["metrics"][name]["value"].as_f64().unwrap_or_else(|| panic!("{load}"));
        assert!(metric("acknowledged_commits") > 0.0 && metric("recovery_time") > 0.0, "{load}");
        assert_eq!(load["facts"]["process_kills"], 2, "{load}");
        let findings = case["findings"].as_array().unwrap();
        let found = findings.iter().find(|finding| finding["code"] == "acknowledged-but-lost").unwrap();
        assert!(found["text"].as_str().unwrap().contains("power cut"), "{found}");
        let lost = metric("lost_commits");
        assert_eq!(found["severity"], if lost > 0.0 { "warning" } else { "note" }, "{found}");
        let settings = ["server_variables", "journal_mode", "synchronous"];
        let told = settings.iter().filter_map(|name| load["facts"][*name].as_str());
        (told.collect::<Vec<_>>().join(" "), lost)
    };
    document["cases"].as_array().unwrap().iter().map(of).collect()
}

/// Of these settings none is lost; of the others it is printed how many.
fn assert_keeps(document: &Value, durable: &[&str]) {
    let losses = losses(document);
    for setting in durable {
        let found = losses.iter().find(|(told, _)| told == setting);
        assert_eq!(found.map(|(_, lost)| *lost), Some(0.0), "{setting}: {losses:?}");
    }
    println!("lost by a kill of the process: {losses:?}");
}

#[test]
fn sqlite_keeps_what_it_acknowledged_when_its_process_is_killed() {
    let place = StoryFolder::new();
    let target = tempfile::tempdir_in(place.path()).unwrap();
    let document = document(&place, target.path(), &["--journal-mode", "wal,delete"]);
    assert_keeps(&document, &["wal full", "delete full"]);
}

/// Whether one of these files is there, which is the server; in CI it is.
fn has(server: &str, files: &[&str]) -> bool {
    let is_there = files.iter().any(|file| Path::new(file).exists());
    assert!(is_there || std::env::var_os("CI").is_none(), "in CI nothing is skipped: there is no {server}");
    if !is_there {
        println!("skipped: there is no {server}");
    }
    is_there
}

/// A folder that the user of a server may enter, too.
fn open_folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
    folder
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn mariadb_keeps_what_it_acknowledged_when_it_waits_for_its_log() {
    if !has("MariaDB", &["/usr/sbin/mariadbd", "/usr/bin/mariadbd", "/usr/libexec/mariadbd"]) {
        return;
    }
    let (place, target) = (StoryFolder::new(), open_folder());
    let levels = [1, 0, 2].map(|level| format!("innodb_flush_log_at_trx_commit={level}"));
    let words = ["--start", "mariadb", "--server-variables", &levels.join(",")];
    let document = document(&place, target.path(), &words);
    // What was given to the kernel outlives the process, so that 2 loses nothing here either.
    assert_keeps(&document, &[&levels[0], &levels[2]]);
}

/// A transaction that was prepared when the process was killed is committed if the binary log has it.
#[test]
#[ignore = "long: cargo xtask test --long"]
fn mariadb_with_a_binary_log_keeps_what_it_acknowledged() {
    if !has("MariaDB", &["/usr/sbin/mariadbd", "/usr/bin/mariadbd", "/usr/libexec/mariadbd"]) {
        return;
    }
    let (place, target) = (StoryFolder::new(), open_folder());
    let levels = [1, 0].map(|every| format!("log_bin=1+sync_binlog={every}"));
    let words = ["--start", "mariadb", "--server-variables", &levels.join(",")];
    let document = document(&place, target.path(), &words);
    assert_keeps(&document, &["log_bin=ON, sync_binlog=1", "log_bin=ON, sync_binlog=0"]);
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn postgres_keeps_what_it_acknowledged_when_it_waits_for_its_log() {
    if !has("PostgreSQL", &["/usr/lib/postgresql", "/usr/bin/postgres", "/usr/lib/pgsql"]) {
        return;
    }
    let (place, target) = (StoryFolder::new(), open_folder());
    let levels = ["on", "off"].map(|level| format!("synchronous_commit={level}"));
    let words = ["--start", "postgres", "--server-variables", &levels.join(",")];
    let document = document(&place, target.path(), &words);
    assert_keeps(&document, &[&levels[0]]);
}

#[test]
fn a_server_that_is_not_ours_is_not_killed() {
    let place = StoryFolder::new();
    let output =
        place.run(&["run", "db.durability", "--url", "postgres://me@127.0.0.1:1/x", "--trials", "1"]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(flat(&stderr(&output)).contains("kills its database"), "{}", stderr(&output));
    assert!(trials_of(&place).is_empty());
}

/// The trials that are stored, if there are any.
fn trials_of(place: &StoryFolder) -> Vec<Value> {
    let output = place.run(&["export", "last"]);
    let document: Result<Value, _> = serde_json::from_slice(&output.stdout);
    document.map(|document| trials(&document).into_iter().cloned().collect()).unwrap_or_default()
}
