//! The first minutes of somebody who has the file and nothing else: what the bare program says, the help,
//! the version, words that a shell completes, and mistakes that end in what to type instead.

use std::path::Path;
use std::process::Command;

use crate::common::{StoryFolder, flat, program, stderr, stdout};

fn fits(text: &str) {
    for line in text.lines() {
        assert!(console::measure_text_width(line) <= 80, "{line}");
    }
}

#[test]
fn the_bare_program_says_in_ten_lines_what_to_type() {
    let place = StoryFolder::new();
    let output = place.run(&[]);
    assert_eq!(output.status.code(), Some(2));
    let said = stderr(&output);
    assert!(output.stdout.is_empty() && said.lines().count() == 10, "{said}");
    assert!(said.contains("  headroom run ") && said.contains("  headroom --help "), "{said}");
    fits(&said);
    assert!(!place.store().exists());
}

#[test]
fn help_is_about_what_was_typed_only() {
    let place = StoryFolder::new();
    let asked = |arguments: &[&str]| {
        let output = place.run(arguments);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", stderr(&output));
        let said = stdout(&output);
        fits(&said);
        said
    };
    let disk = asked(&["help", "disk"]);
    assert!(disk.contains("\nExamples\n  headroom run disk "), "{disk}");
    assert!(disk.contains("\n  queue-depth = 1\n") && !disk.contains("\n  streams = "), "{disk}");
    let asked_behind = Command::new(program()).args(["run", "disk", "--help"]).output().unwrap();
    assert_eq!(stdout(&asked_behind), disk);
    let run = Command::new(program()).args(["run", "--help"]).output().unwrap();
    let run = stdout(&run);
    assert!(run.starts_with("Examples:\n  headroom run\n"), "{run}");
    assert!(run.contains("--trials") && !run.contains("--queue-depth <"), "{run}");
    assert!(asked(&["help"]).contains("compare"));
    assert!(asked(&["--help"]).starts_with("Examples:\n"));
    assert!(place.names().is_empty() && !place.store().exists());
}

#[test]
fn the_version_is_a_line_and_the_build_a_few_more() {
    let place = StoryFolder::new();
    let short = stdout(&place.run(&["--version"]));
    assert_eq!(short, format!("headroom {}\n", env!("CARGO_PKG_VERSION")));
    let long = stdout(&place.run(&["--version", "--verbose"]));
    assert!(long.starts_with(&short), "{long}");
    let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap();
    for says in ["commit ", "target ", "headroom.run/", "protocol ", kernel.trim()] {
        assert!(long.contains(says), "no `{says}`: {long}");
    }
}

/// What bash offers for the last word of a line, by the lines that the program prints for it.
fn completed(place: &Path, words: &[&str]) -> Vec<String> {
    let script = r#"
        source <("$0" completions bash)
        COMP_WORDS=(headroom "$@")
        COMP_CWORD=$#
        COMP_TYPE=9
        _clap_complete_headroom headroom "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
        printf '%s\n' "${COMPREPLY[@]}"
    "#;
    let mut bash = Command::new("bash");
    bash.args(["--norc", "-c", script]).arg(program()).args(words).current_dir(place);
    let output = bash.env("HOME", place).env_remove("XDG_DATA_HOME").output().unwrap();
    stdout(&output).lines().map(str::to_owned).collect()
}

#[test]
fn bash_completes_workloads_their_parameters_and_runs() {
    let place = StoryFolder::new();
    let path = place.path();
    assert_eq!(completed(path, &["run", "cpu.pri"]), ["cpu.primes"]);
    assert_eq!(completed(path, &["run", "cpu.primes", "--max-p"]), ["--max-prime"]);
    assert_eq!(completed(path, &["run", "disk", "--pattern", "randr"]), ["randread", "randrw"]);
    let none = completed(path, &["show", "2"]);
    assert!(none.iter().all(String::is_empty), "{none:?}");
    assert!(place.names().is_empty(), "a store was made: {:?}", place.names());
    let run = place.run(&["run", "null", "--duration", "1ms", "--trials", "1", "--json"]);
    let run: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
    let id = run["id"].as_str().unwrap();
    let store = place.store();
    let typed = ["show", "--store", store.to_str().unwrap(), &id[..4]];
    assert_eq!(completed(path, &typed), [id]);
}

/// What fish offers for a line, without what it says of each word; none where there is no fish.
fn completed_by_fish(place: &Path, line: &str) -> Option<Vec<String>> {
    let mut fish = Command::new("fish");
    // The lines call `headroom`, wherever it is.
    let script = "set -x PATH $argv[2] $PATH; headroom completions fish | source; complete -C $argv[1]";
    fish.args(["--no-config", "-c", script, line]).arg(program().parent().unwrap()).current_dir(place);
    let fish = fish.env("HOME", place).env_remove("XDG_DATA_HOME").env_remove("XDG_CONFIG_HOME").output();
    if fish.as_ref().is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound) {
        assert!(std::env::var_os("CI").is_none(), "CI must have fish");
        println!("skipped: fish is not installed");
        return None;
    }
    let said = stdout(&fish.unwrap());
    Some(said.lines().map(|line| line.split('\t').next().unwrap_or_default().to_owned()).collect())
}

#[test]
fn fish_completes_what_a_study_asks_and_values() {
    let place = StoryFolder::new();
    for (line, words) in [
        ("headroom run cpu.pri", &["cpu.primes"][..]),
        ("headroom run disk --pattern randr", &["randread", "randrw"]),
        ("headroom fit etcd --fsync", &["--fsync-limit"]),
    ] {
        let Some(found) = completed_by_fish(place.path(), line) else { return };
        assert_eq!(found, words, "{line}");
    }
}

#[test]
fn lines_for_shells_are_what_these_can_read() {
    let place = StoryFolder::new();
    for (shell, begins) in
        [("zsh", "#compdef headroom\n"), ("fish", "complete "), ("bash", "\n_clap_complete")]
    {
        let output = place.run(&["completions", shell]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let lines = stdout(&output);
        assert!(lines.starts_with(begins) && lines.contains("HEADROOM_COMPLETE="), "{lines}");
    }
    let unknown = place.run(&["completions", "csh"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(stderr(&unknown).contains("bash, zsh, fish"), "{}", stderr(&unknown));
}

/// Every command that is about kept runs, with the exit code where there are none.
const READERS: &[(&[&str], i32)] = &[
    (&["list"], 0),
    (&["baseline"], 0),
    (&["fixtures"], 0),
    (&["show"], 2),
    (&["report", "last", "-o", "x.html"], 2),
    (&["export", "last"], 2),
    (&["compare", "last", "2026"], 2),
    (&["compare", "last", "--class"], 2),
    (&["trend"], 2),
    (&["fleet"], 2),
    (&["tag", "last", "rack=3"], 2),
    (&["note", "last", "new"], 2),
    (&["rm", "last"], 2),
    (&["run", "--resume", "last"], 2),
    (&["fit", "--resume", "last", "--dry-run"], 2),
];

#[test]
fn regression_whoever_only_looked_for_runs_made_a_store() {
    let home = StoryFolder::new();
    for (typed, code) in READERS {
        let mut command = Command::new(program());
        command.args(*typed).current_dir(home.path()).env("NO_COLOR", "1");
        command.env("HOME", home.path()).env("HEADROOM_STATE", home.path().join("state"));
        let output = command.env_remove("XDG_DATA_HOME").output().unwrap();
        let said = flat(&(stdout(&output) + &stderr(&output)));
        assert_eq!(output.status.code(), Some(*code), "{typed:?}: {said}");
        assert!(said.contains("`headroom "), "{typed:?} says nothing of what to type: {said}");
        assert!(home.names().is_empty(), "{typed:?} left {:?}", home.names());
    }
    let named = home.run(&["list"]);
    assert!(
        flat(&stdout(&named)).contains("store.db"),
        "a store that was mistyped is told: {}",
        stdout(&named)
    );
    assert!(!home.store().exists());
}

/// Everything below a folder, with sizes and the times of the last change.
fn everything(folder: &Path) -> Vec<String> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let metadata = entry.metadata().unwrap();
        let (path, length) = (entry.path(), metadata.len());
        all.push(format!("{} {length} {:?}", path.display(), metadata.modified().unwrap()));
        if metadata.is_dir() {
            all.extend(everything(&path));
        }
    }
    all.sort();
    all
}

#[test]
fn a_dry_run_measures_nothing_and_writes_nothing() {
    let place = StoryFolder::new();
    std::fs::write(place.path().join("mine.txt"), "mine").unwrap();
    let before = everything(place.path());
    for typed in [
        &["run", "--dry-run"][..],
        &["run", "disk", "--target", ".", "--pattern", "write", "--size", "16MiB", "--dry-run"],
        &[
            "run",
            "disk",
            "--target",
            ".",
            "--pattern",
            "write",
            "--rate",
            "1k/s",
            "--dry-run",
            "--endurance",
            "1TB",
        ],
        &["run", "db.oltp", "--target", ".", "--dry-run"],
        &["run", "server-baseline", "--target", ".", "--dry-run"],
        &["run", "burn-in", "--target", ".", "--dry-run"],
        &["fit", "etcd", "--target", ".", "--dry-run"],
        &["fit", "postgres", "--target", ".", "--dry-run"],
        &["fit", "backup-target", "--target", ".", "--dry-run"],
        &["fit", "video-recorder", "--target", ".", "--dry-run", "--json"],
    ] {
        let output = place.run(typed);
        let said = stdout(&output);
        // A server that is not here, or a file system that holds the store, is refused.
        let code = output.status.code();
        assert!(code == Some(0) && !said.is_empty() || code == Some(3), "{typed:?}: {}", stderr(&output));
        assert_eq!(everything(place.path()), before, "{typed:?}");
        if code == Some(0) && !typed.contains(&"--json") {
            assert!(said.contains("Time needed: "), "{typed:?}: {said}");
        }
    }
}

/// (arguments, exit code, what is said to type)
const MISTAKES: &[(&[&str], i32, &str)] = &[
    (&["rnu"], 2, "did you mean `headroom run`?"),
    (&["disk"], 2, "`headroom run disk"),
    (&["run", "cpu"], 2, "`cpu` has several workloads: cpu.primes"),
    (&["run", "sysbench"], 2, "`headroom verify-tool sysbench`"),
    (&["run", "everything-at-once"], 2, "`headroom workloads` lists the workloads"),
    (&["check", "no-such.txt"], 3, "correct the path"),
    (&["show"], 2, "`headroom run` makes one"),
    (&["export"], 2, "headroom export last > run.json"),
    (&["run", "disk", "cpu.primes"], 2, "`--with cpu.primes`"),
    (&["run", "/proc"], 2, "`headroom run disk --target /proc`"),
    (&["run", "null", "-o", "goals.xml"], 2, "--format junit -o FILE.xml"),
    (&["show", "last", "-o", "x.html"], 2, "`headroom report RUN -o FILE`"),
    (&["run", "null", "--trials", "0"], 2, "`0` is not a number of trials"),
    // Habits of other tools.
    (&["run", "iperf3", "-c", "10.0.0.2"], 2, "`headroom run net.stream` measures the like"),
    (&["run", "net.stream", "-c", "10.0.0.2"], 2, "did you mean `--peer`?"),
    (&["run", "disk", "--operation", "read"], 2, "did you mean `--pattern`?"),
    (&["run", "disk", "--pattern", "rand"], 2, "did you mean `randread`?"),
    (&["run", "disk", "--size", "1,5G"], 2, "did you mean `1.5G`?"),
    (&["run", "disk", "--pattern", "seq"], 2, "did you mean `read`?"),
    (&["run", "disk", "--expect", "bw > 500MB/s"], 2, "did you mean `throughput`?"),
    (&["run", "disk", "--expect", "lat < 1ms"], 2, "did you mean `latency_p99`?"),
    (&["run", "disk", "bs=4k"], 2, "`--block-size 4k`"),
    (&["run", "disk", "--trails", "3"], 2, "did you mean `--trials`?"),
    (&["bench"], 2, "did you mean `headroom run`?"),
    (&["--target", "/data"], 2, "a command comes first: `headroom run disk --target /data"),
];

#[test]
fn a_folder_that_was_mistyped_is_told_from_one_that_is_there() {
    let place = StoryFolder::new();
    let planned = |target: &str| {
        let target = place.path().join(target);
        let target = target.to_str().unwrap();
        let output = place.run(&["run", "disk", "--target", target, "--size", "16MiB", "--dry-run"]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        flat(&stdout(&output))
    };
    assert!(planned("dtaa").contains("dtaa is no folder: the file lies in "), "{}", planned("dtaa"));
    assert!(!planned(".").contains("is no folder"), "{}", planned("."));
}

#[test]
fn the_first_mistakes_end_in_what_to_type() {
    let place = StoryFolder::new();
    for (typed, code, says) in MISTAKES {
        let output = place.run(typed);
        let found = flat(&stderr(&output));
        assert_eq!(output.status.code(), Some(*code), "{typed:?}: {found}");
        assert!(found.contains(says) && !found.contains("os error"), "{typed:?}: {found}");
    }
}
