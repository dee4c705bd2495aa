//! What the stories share: the program, a folder of their own, and looking at
//! what it left behind.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// Commands that keep no runs and read none.
const WITHOUT_STORE: &[&str] = &[
    "machine",
    "node",
    "doctor",
    "workloads",
    "settings",
    "restore",
    "fixtures",
    "studies",
    "check",
    "verify-tool",
    "trace",
    "completions",
    "man",
    "help",
    "--help",
    "--version",
    // What a shell asks.
    "--",
];

/// A folder with a store of its own, on the disk that holds the build (a
/// temporary folder may be in memory, where O_DIRECT differs).
pub(crate) struct StoryFolder {
    folder: tempfile::TempDir,
}

impl StoryFolder {
    pub(crate) fn new() -> Self {
        let base = Path::new(env!("CARGO_TARGET_TMPDIR"));
        Self { folder: tempfile::tempdir_in(base).unwrap() }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn store(&self) -> PathBuf {
        self.path().join("store.db")
    }

    /// Names in the folder, other than the store's.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.path()).unwrap();
        let mut names: Vec<String> = entries
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .filter(|n| !n.starts_with("store.db"))
            .collect();
        names.sort();
        names
    }

    /// `headroom ARGUMENTS --store ...`, in the folder.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(program());
        command.args(arguments).current_dir(self.path()).env("NO_COLOR", "1");
        // A story that leaves settings changed must not stop the others.
        command.env("HEADROOM_STATE", self.path().join("store.db-state"));
        if arguments.first().is_some_and(|a| !WITHOUT_STORE.contains(a)) {
            command.arg("--store").arg(self.store());
        }
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Starts it; the story ends it.
    pub(crate) fn start(&self, arguments: &[&str]) -> Child {
        self.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// Runs with `--json=full` and reads the document.
    pub(crate) fn document(&self, arguments: &[&str]) -> (i32, Value) {
        let output = self.run(&[arguments, &["--json=full"]].concat());
        let code = output.status.code().unwrap();
        let document = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&output.stderr)));
        (code, document)
    }

    /// The document of the run that started last.
    pub(crate) fn stored(&self) -> Value {
        let output = self.run(&["export", "last"]);
        assert!(output.status.success(), "{}", stderr(&output));
        serde_json::from_slice(&output.stdout).unwrap()
    }
}

impl Drop for StoryFolder {
    /// A story that fails may leave a stack and changed settings; their list goes with the folder.
    fn drop(&mut self) {
        if std::thread::panicking() && self.path().join("store.db-state").exists() {
            // It is failing already, and a second panic would hide why.
            let _ = self.command(&["restore"]).stdin(Stdio::null()).output();
        }
    }
}

/// The program of the stories: another where the guest's step names one.
pub(crate) fn program() -> PathBuf {
    std::env::var_os("HEADROOM_PROGRAM").map_or_else(|| env!("CARGO_BIN_EXE_headroom").into(), PathBuf::from)
}

/// Copies the program, for a user who may not go where it was built. Another process copies: a file that this one
/// writes stays open in what other tests start meanwhile, and a file that is open for writing is not executed.
pub(crate) fn copy_of_program(to: &Path) {
    assert!(Command::new("cp").arg(program()).arg(to).status().unwrap().success());
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// What was said, without the ends of its lines.
pub(crate) fn flat(said: &str) -> String {
    said.split_whitespace().collect::<Vec<_>>().join(" ").replace("| ", "")
}

/// The process id of the agent of the run `parent`, once there is one.
pub(crate) fn agent_of(parent: u32) -> u32 {
    let end = Instant::now() + Duration::from_secs(20);
    while Instant::now() < end {
        if let Some(child) = children(parent).first() {
            return *child;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    panic!("the run never started an agent");
}

fn children(parent: u32) -> Vec<u32> {
    let text = std::fs::read_to_string(format!("/proc/{parent}/task/{parent}/children")).unwrap_or_default();
    text.split_whitespace().filter_map(|w| w.parse().ok()).collect()
}

/// Whether a process is there and no zombie.
pub(crate) fn lives(process: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let is_ended = stat.rsplit_once(')').is_none_or(|(_, rest)| rest.trim_start().starts_with('Z'));
    // The first thread may have ended before others, which still hold what is open.
    let threads = std::fs::read_dir(format!("/proc/{process}/task")).map_or(0, Iterator::count);
    !is_ended || threads > 1
}

/// Waits until `what` holds.
pub(crate) fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(30);
    while Instant::now() < end {
        if holds() {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("never: {what}");
}

pub(crate) fn signal(process: u32, signal: rustix::process::Signal) {
    let process = rustix::process::Pid::from_raw(i32::try_from(process).unwrap()).unwrap();
    rustix::process::kill_process(process, signal).unwrap();
}

/// Kills a run and its agent so that neither may clean up: both are stopped before they are killed.
pub(crate) fn kill_together(processes: [u32; 2]) {
    use rustix::process::Signal;
    for with in [Signal::STOP, Signal::KILL] {
        processes.into_iter().for_each(|process| signal(process, with));
    }
}

/// Waits until the store has `count` trials of the run under way.
pub(crate) fn wait_for_trials(place: &StoryFolder, count: usize) {
    eventually("so many trials are stored", || {
        let output = place.run(&["export", "last"]);
        let Ok(document) = serde_json::from_slice::<Value>(&output.stdout) else { return false };
        trials(&document).len() >= count
    });
}

/// All trials of a document.
pub(crate) fn trials(document: &Value) -> Vec<&Value> {
    let cases = document["cases"].as_array().unwrap();
    cases.iter().flat_map(|c| c["trials"].as_array().unwrap()).collect()
}

/// The document of a run that is interrupted when it has `count` trials.
pub(crate) fn interrupted(place: &StoryFolder, arguments: &[&str], count: usize) -> Value {
    let run = place.start(arguments);
    wait_for_trials(place, count);
    signal(run.id(), rustix::process::Signal::INT);
    let output = run.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
    place.stored()
}
