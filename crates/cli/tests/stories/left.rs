//! What a run leaves in a folder of the user's when it dies together with its
//! agent, and who removes it.

use std::os::unix::fs::MetadataExt;

use rustix::process::Signal;

use crate::common::{StoryFolder, agent_of, eventually, lives, signal, stderr, stdout};

/// Kills a run of `file.metadata` in `data`, and its agent, while files are made.
fn kill_both(place: &StoryFolder) {
    let arguments =
        ["run", "file.metadata", "--target", "data", "--files", "200000", "--directory-fsync", "yes"];
    let mut run = place.start(&arguments);
    let agent = agent_of(run.id());
    eventually("files are made", || !trees(place).is_empty() && trees(place)[0].join("owner0").exists());
    // Neither may clean up: both are stopped before they are killed.
    for with in [Signal::STOP, Signal::KILL] {
        [run.id(), agent].into_iter().for_each(|process| signal(process, with));
    }
    run.wait().unwrap();
    eventually("both are gone", || !lives(agent));
    assert_eq!(trees(place).len(), 1);
}

fn trees(place: &StoryFolder) -> Vec<std::path::PathBuf> {
    place.path().join("data").read_dir().unwrap().map(|entry| entry.unwrap().path()).collect()
}

#[test]
fn regression_a_tree_stayed_for_ever_when_run_and_agent_died_together() {
    let place = StoryFolder::new();
    std::fs::create_dir(place.path().join("data")).unwrap();
    kill_both(&place);
    let tree = trees(&place).remove(0);
    // What is not ours stays, and is said.
    std::fs::write(tree.join("mine"), "precious").unwrap();
    let restored = place.run(&["restore"]);
    assert_eq!(restored.status.code(), Some(1), "{}", stderr(&restored));
    assert!(stdout(&restored).contains("could not be removed: mine: "), "{}", stdout(&restored));
    assert!(!tree.join("owner0").exists() && tree.join("lock").exists());
    std::fs::remove_file(tree.join("mine")).unwrap();
    let restored = place.run(&["restore"]);
    assert_eq!(restored.status.code(), Some(0), "{}", stderr(&restored));
    assert!(stdout(&restored).contains("it is removed"), "{}", stdout(&restored));
    assert!(trees(&place).is_empty());
    assert!(stdout(&place.run(&["restore"])).contains("nothing to put back"));
}

#[test]
fn regression_a_tree_was_removed_only_by_a_run_in_the_same_folder() {
    let place = StoryFolder::new();
    let data = place.path().canonicalize().unwrap().join("data");
    let (name, list) = (".headroom-tree-1-1", place.path().join("store.db-state/trees"));
    std::fs::create_dir_all(data.join(name).join("owner0/d0")).unwrap();
    std::fs::write(data.join(name).join("owner0/d0/f1"), "").unwrap();
    std::fs::write(data.join(name).join("lock"), "").unwrap();
    std::fs::create_dir_all(&list).unwrap();
    let metadata = data.metadata().unwrap();
    let line = format!("{} {} {}\n", metadata.dev(), metadata.ino(), data.display());
    std::fs::write(list.join(name), line).unwrap();
    let plan = place.run(&["run", "null", "--dry-run"]);
    assert!(plan.status.success() && !trees(&place).is_empty(), "a plan touches nothing");
    let next = place.run(&["run", "null", "--duration", "50ms", "--trials", "1"]);
    assert_eq!(next.status.code(), Some(0), "{}", stderr(&next));
    assert!(stderr(&next).contains("it is removed"), "{}", stderr(&next));
    assert!(trees(&place).is_empty());
}

#[test]
fn objects_that_a_killed_run_may_have_left_are_told_until_they_are_forgotten() {
    let place = StoryFolder::new();
    let (name, list) =
        ("headroom-0123456789abcdef0123456789abcdef", place.path().join("store.db-state/objects"));
    std::fs::create_dir_all(&list).unwrap();
    let record = serde_json::json!({
        "endpoint": "https://store:9000", "bucket": "bench", "below": format!("a/{name}/"), "objects": 7,
        "has_parts": true
    });
    std::fs::write(list.join(name), record.to_string()).unwrap();
    for (arguments, code) in [(&["restore"][..], 1), (&["restore", "--drop"], 0)] {
        let restored = place.run(arguments);
        let said = stdout(&restored);
        assert_eq!(restored.status.code(), Some(code), "{}", stderr(&restored));
        assert!(said.contains(&format!("s3://bench/a/{name}/ at https://store:9000")), "{said}");
    }
    assert!(stdout(&place.run(&["restore"])).contains("nothing to put back"));
}
