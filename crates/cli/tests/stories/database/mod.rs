//! Loads on databases from the command line: on SQLite, on servers that Headroom starts, and on servers that a story
//! started as somebody else's. What is counted is what was done, what goes wrong is told, and nothing stays.

mod by_url;
mod ended;
mod faults;
mod full;
mod left;
mod private;
mod server;

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::common::{StoryFolder, trials};

/// One trial of each case, and no case that was not asked for.
const ONCE: [&str; 5] = ["--trials", "1", "--warm-up", "0", "--no-extra"];

/// What a story measures, and where a server that Headroom starts has its folder: one that every user may enter, since
/// root has another user run it.
struct DatabaseStory {
    place: StoryFolder,
    target: tempfile::TempDir,
}

impl DatabaseStory {
    fn new() -> Self {
        let target = tempfile::Builder::new().prefix("headroom-story-").tempdir().unwrap();
        std::fs::set_permissions(target.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
        Self { place: StoryFolder::new(), target }
    }

    fn target(&self) -> &str {
        self.target.path().to_str().unwrap()
    }

    /// The exit code and the document of one trial of each case.
    fn run(&self, workload: &str, words: &[&str]) -> (i32, Value) {
        self.place.document(&[&["run", workload][..], words, &ONCE].concat())
    }

    /// The document where each trial is a good one, and nothing was left.
    fn good(&self, workload: &str, words: &[&str]) -> Value {
        let (code, document) = self.run(workload, words);
        for trial in trials(&document) {
            assert_eq!(trial["status"], "ok", "{workload} {words:?}: {trial:#}");
            assert_eq!(fact(trial, "transactions_failed"), 0, "{workload} {words:?}: {trial:#}");
        }
        assert_eq!((code, document["outcome"].as_str()), (0, Some("complete")), "{workload} {words:?}");
        self.assert_nothing_is_left();
        document
    }

    /// Neither a folder in the target nor a process in it.
    fn assert_nothing_is_left(&self) {
        assert_eq!(names_in(self.target.path()), Vec::<String>::new());
        assert_eq!(processes_in(self.target.path()), Vec::<u32>::new());
    }
}

/// What the first load of a trial says that it found.
fn fact<'a>(trial: &'a Value, name: &str) -> &'a Value {
    &trial["loads"][0]["facts"][name]
}

/// What it measured; none where there was too little for it.
fn metric(trial: &Value, name: &str) -> Option<f64> {
    trial["loads"][0]["metrics"][name]["value"].as_f64()
}

/// Why each trial failed that did.
fn reasons(document: &Value) -> Vec<&str> {
    trials(document).into_iter().filter_map(|trial| trial["reason"].as_str()).collect()
}

/// The word of a parameter of a case.
fn word<'a>(case: &'a Value, name: &str) -> &'a str {
    case["loads"][0]["parameters"][name].as_str().unwrap_or_default()
}

fn names_in(folder: &Path) -> Vec<String> {
    let entries = folder.read_dir().unwrap().map(|entry| entry.unwrap().file_name());
    entries.map(|name| name.into_string().unwrap()).collect()
}

/// Processes that work in `folder`, or below: servers do, and what they start.
fn processes_in(folder: &Path) -> Vec<u32> {
    let folder = folder.canonicalize().unwrap();
    let works_there = |process: &u32| {
        // Of a folder that is gone it says so behind the path.
        let link = std::fs::read_link(format!("/proc/{process}/cwd"));
        link.is_ok_and(|at| at.starts_with(&folder))
    };
    let all = std::fs::read_dir("/proc").unwrap().flatten();
    all.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).filter(works_there).collect()
}

/// The folder of the server in `target`, while there is one.
fn server_folder(target: &Path) -> Option<PathBuf> {
    let tree = target.read_dir().ok()?.flatten().next()?.path();
    Some(tree.join("server")).filter(|folder| folder.is_dir())
}
