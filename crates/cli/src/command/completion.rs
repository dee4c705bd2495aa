//! Words that a shell offers while a command is typed. The lines that `headroom completions` prints call
//! this program again, with what is typed so far: only it knows which workloads there are, what the one
//! that was typed takes, which runs are kept, and which devices the machine has. `clap_complete` finds the
//! place in the line and speaks with each shell; here stands what may be at the places that clap knows
//! nothing of. Nothing is made or changed for it, and what goes wrong is silent: it would stand among what
//! is being typed.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::iter;
use std::path::{Path, PathBuf};

use clap::{Arg, Command};
use clap_complete::engine::ValueCompleter;
use clap_complete::env::{Bash, EnvCompleter, Fish, Zsh};
use clap_complete::{ArgValueCompleter, CompletionCandidate, PathCompleter};
use model::workload::Catalogue;
use model::{Kind, ParameterSpec};
use store::{SqliteStore, Store};
use study::built_in::{BuiltInStudy, FIT, READY};
use study::read::from_toml;
use study::read::inputs::{self, StudyInput};

use super::{fit, offered_command_line};

/// The variable by which a shell asks; it has the shell's name.
pub(crate) const VARIABLE: &str = "HEADROOM_COMPLETE";

/// The shells that can ask.
pub(crate) const SHELLS: [&dyn EnvCompleter; 3] = [&Bash, &Zsh, &Fish];

/// The answer to a shell that asks: `headroom -- WORDS`, with the variable set. Empty where there is none.
pub(crate) fn asked(arguments: &[OsString]) -> Option<Vec<u8>> {
    let variable = std::env::var_os(VARIABLE)?;
    let (Some(mark), typed) = (arguments.get(1), arguments.get(2..)?) else { return None };
    if mark != "--" {
        return None;
    }
    if typed.is_empty() {
        return Some(Vec::new());
    }
    let shell = SHELLS.into_iter().find(|shell| variable.to_str().is_some_and(|name| shell.is(name)));
    let mut answer = Vec::new();
    let folder = std::env::current_dir().ok();
    let mut line = Line::of(typed, &::agent::catalogue()).command();
    let written =
        shell.map(|shell| shell.write_complete(&mut line, typed.to_vec(), folder.as_deref(), &mut answer));
    match written {
        Some(Ok(())) => Some(answer),
        _ => Some(Vec::new()),
    }
}

/// What of a line decides what may be at other places of it.
struct Line {
    /// The parameters of the workload, or of those of the built-in study, that was typed behind `run` or `fit`.
    parameters: Vec<&'static ParameterSpec>,
    /// What that study asks.
    inputs: Vec<StudyInput>,
    /// Where the runs are.
    store: Option<PathBuf>,
}

impl Line {
    fn of(typed: &[OsString], catalogue: &Catalogue) -> Self {
        let words: Vec<&str> = typed.iter().filter_map(|word| word.to_str()).collect();
        // The first is the program, and the second the command.
        let workload = words.iter().skip(2).find_map(|word| catalogue.called(word));
        let is_fit = words.get(1) == Some(&"fit");
        let is_meant = |ready: &&BuiltInStudy, word: &str| {
            ready.name == word || is_fit && ready.name.strip_prefix(FIT) == Some(word)
        };
        let ready = words.iter().skip(2).find_map(|word| READY.iter().find(|ready| is_meant(ready, word)));
        let study = ready.and_then(|ready| from_toml(catalogue, ready.name, ready.name, ready.text).ok());
        let of_study =
            study.iter().flat_map(|study| &study.workloads).flat_map(|one| iter::once(one).chain(&one.with));
        let driven = of_study.filter_map(|one| catalogue.workload(one.kind)).chain(workload);
        let mut parameters: Vec<&'static ParameterSpec> = Vec::new();
        for spec in driven.flat_map(|spec| catalogue.parameters(spec)) {
            if !parameters.iter().any(|known| known.name == spec.name) {
                parameters.push(spec);
            }
        }
        let named = words.iter().zip(words.iter().skip(1)).find(|(option, _)| **option == "--store");
        let named = named.map(|(_, path)| *path);
        let named = named.or_else(|| words.iter().find_map(|word| word.strip_prefix("--store=")));
        Self {
            parameters,
            inputs: ready.and_then(|ready| inputs::declared(ready.name, ready.text).ok()).unwrap_or_default(),
            store: named.map(PathBuf::from).or_else(SqliteStore::default_path),
        }
    }

    /// The command line with what may stand at its places.
    fn command(&self) -> Command {
        offered_command_line().mut_subcommands(|command| {
            let name = command.get_name().to_owned();
            command.mut_args(|argument| self.completed(&name, argument))
        })
    }

    /// An argument of a command with what it may be.
    fn completed(&self, command: &str, argument: Arg) -> Arg {
        let id = argument.get_id().to_string();
        let of_run = |spec: &&&ParameterSpec| ["run", "fit"].contains(&command) && spec.name.as_str() == id;
        let is_of_study = |input: &&StudyInput| ["run", "fit"].contains(&command) && input.name == id;
        if let Some(input) = self.inputs.iter().find(is_of_study) {
            // It was hidden among those of all studies.
            return argument.hide(false).help(format!("{} Default: {}", input.doc, input.default));
        }
        if let Some(spec) = self.parameters.iter().find(of_run) {
            // It was hidden among those of all workloads.
            return of_parameter(argument.hide(false), spec);
        }
        let store = self.store.clone();
        let completer = match (command, id.as_str()) {
            ("run", "study") => ArgValueCompleter::new(studies),
            ("fit", "study") => ArgValueCompleter::new(uses),
            ("workloads", _) | ("list" | "trend" | "fleet", "name") => ArgValueCompleter::new(workloads),
            ("run" | "fit", "with") => ArgValueCompleter::new(workloads),
            ("run" | "fit", "set") => ArgValueCompleter::new(settings_to_set),
            ("settings", _) => ArgValueCompleter::new(settings),
            ("studies", _) => ArgValueCompleter::new(built_in_studies),
            ("run" | "fit", "destroy") | ("trace" | "verify-tool", "target") => {
                ArgValueCompleter::new(places)
            }
            ("run" | "fit", "resume")
            | (
                "show" | "note" | "tag" | "baseline" | "rm" | "report" | "export" | "compare" | "fleet",
                "run",
            ) => ArgValueCompleter::new(move |current: &OsStr| runs(store.as_deref(), current)),
            ("check", "run") => ArgValueCompleter::new(PathCompleter::dir()),
            _ if takes_path(&argument) => ArgValueCompleter::new(PathCompleter::any()),
            _ => return argument,
        };
        argument.add(completer)
    }
}

/// Whether the value of an argument is a path, as its help says: `FILE`, `PATH` or `DIR`.
fn takes_path(argument: &Arg) -> bool {
    let names = argument.get_value_names().unwrap_or_default();
    names.iter().any(|name| name.split('|').any(|name| ["FILE", "PATH", "DIR", "HOST"].contains(&name)))
}

/// The option of a parameter with the words that it takes; a comma behind one makes more of them.
fn of_parameter(argument: Arg, spec: &'static ParameterSpec) -> Arg {
    if spec.kind == Kind::Path {
        return argument.add(ArgValueCompleter::new(places));
    }
    let words = move |current: &OsStr| {
        let own = spec.all_words().map(|word| (word.word.to_owned(), word.doc.to_owned()));
        let flags = ["yes", "no"].into_iter().filter(|_| spec.kind == Kind::Flag);
        beginning(current, own.chain(flags.map(|word| (word.to_owned(), String::new()))))
    };
    argument.value_delimiter(',').add(ArgValueCompleter::new(words))
}

/// Those words that what is typed may become, each with what it is.
fn beginning(current: &OsStr, words: impl IntoIterator<Item = (String, String)>) -> Vec<CompletionCandidate> {
    let current = current.to_string_lossy();
    let fitting = words.into_iter().filter(|(word, _)| word.starts_with(&*current));
    let candidate = |(word, what): (String, String)| {
        CompletionCandidate::new(word).help(Some(what).filter(|what| !what.is_empty()).map(Into::into))
    };
    fitting.map(candidate).collect()
}

fn workloads(current: &OsStr) -> Vec<CompletionCandidate> {
    let all = ::agent::catalogue().workloads;
    beginning(current, all.into_iter().map(|spec| (spec.name.to_string(), spec.summary.to_owned())))
}

fn built_in_studies(current: &OsStr) -> Vec<CompletionCandidate> {
    beginning(current, READY.iter().map(|ready| (ready.name.to_owned(), "a built-in study".to_owned())))
}

/// What `fit` takes, but for files.
fn uses(current: &OsStr) -> Vec<CompletionCandidate> {
    beginning(current, fit::uses().map(|(name, study)| (name.to_owned(), study.to_owned())))
}

/// What `run` takes: workloads, studies, and files of either kind.
fn studies(current: &OsStr) -> Vec<CompletionCandidate> {
    let is_study = |path: &Path| {
        path.is_dir() || path.extension().is_some_and(|end| end == "toml" || end == "fio" || end == "job")
    };
    let mut all = workloads(current);
    all.extend(built_in_studies(current));
    all.extend(PathCompleter::any().filter(is_study).complete(current));
    all
}

fn settings(current: &OsStr) -> Vec<CompletionCandidate> {
    let all = ::agent::settings();
    beginning(current, all.iter().map(|spec| (spec.name().to_string(), spec.summary.to_owned())))
}

/// The same, to be followed by a value.
fn settings_to_set(current: &OsStr) -> Vec<CompletionCandidate> {
    let all = ::agent::settings();
    beginning(current, all.iter().map(|spec| (format!("{}=", spec.name()), spec.summary.to_owned())))
}

/// The runs in a store that is there, the newest first, and documents of runs.
fn runs(store: Option<&Path>, current: &OsStr) -> Vec<CompletionCandidate> {
    // To open one that is not there would make it.
    let store = store.filter(|path| path.is_file()).and_then(|path| SqliteStore::open(path).ok());
    let entries = store.and_then(|store| store.list().ok()).unwrap_or_default();
    let newest = (!entries.is_empty()).then(|| ("last".to_owned(), "the newest run".to_owned()));
    let kept = entries.into_iter().map(|entry| (entry.id, entry.title.unwrap_or(entry.study)));
    let mut all = beginning(current, newest.into_iter().chain(kept));
    let is_document = |path: &Path| path.is_dir() || path.extension().is_some_and(|end| end == "json");
    all.extend(PathCompleter::any().filter(is_document).complete(current));
    all
}

/// Paths, and block devices in place of all that is in `/dev`.
fn places(current: &OsStr) -> Vec<CompletionCandidate> {
    const DEVICES: &str = "/dev/";
    let mut all = beginning(current, block_devices(Path::new("/sys/class/block")));
    if !current.to_string_lossy().starts_with(DEVICES) {
        all.extend(PathCompleter::any().complete(current));
    }
    all
}

/// The block devices that have a size, in order, by their folder in sysfs.
fn block_devices(folder: &Path) -> Vec<(String, String)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut all: Vec<(String, String)> = entries
        .filter_map(|entry| {
            // Sectors of 512 bytes, whatever those of the device are (sysfs-block).
            let size = fs::read_to_string(entry.path().join("size")).ok()?;
            let bytes = size.trim().parse::<u64>().ok()?.checked_mul(512).filter(|bytes| *bytes > 0)?;
            let name = entry.file_name().to_str()?.replace('!', "/");
            Some((format!("/dev/{name}"), format!("{} MB", bytes / 1_000_000)))
        })
        .collect();
    all.sort();
    all
}

#[cfg(test)]
mod tests {
    use model::run::{AnalysisInfo, Build, Origin, SCHEMA};

    use super::*;

    /// What is offered for the last word of a line, without what it is.
    fn offered(line: &str) -> Vec<String> {
        let typed: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let mut command = Line::of(&typed, &::agent::catalogue()).command();
        let place = typed.len() - 1;
        let folder = tempfile::tempdir().unwrap();
        let found = clap_complete::engine::complete(&mut command, typed, place, Some(folder.path())).unwrap();
        found.iter().map(|candidate| candidate.get_value().to_string_lossy().into_owned()).collect()
    }

    fn has(line: &str, word: &str) {
        let offered = offered(line);
        assert!(offered.iter().any(|one| one == word), "{line}: no {word} in {offered:?}");
    }

    #[test]
    fn commands_workloads_studies_and_settings_are_offered() {
        has("headroom comp", "compare");
        assert!(!offered("headroom a").iter().any(|word| word == "agent"));
        has("headroom run cpu", "cpu.primes");
        has("headroom run over", "overview");
        has("headroom workloads net", "net.stream");
        has("headroom studies disk", "disk-quick");
        has("headroom settings mt", "mtu");
        has("headroom run disk --set mt", "mtu=");
        has("headroom completions z", "zsh");
    }

    #[test]
    fn parameters_are_those_of_the_workload_that_was_typed() {
        has("headroom run disk --block", "--block-size");
        assert!(!offered("headroom run disk --s").iter().any(|word| word == "--streams"));
        has("headroom run net.stream --stre", "--streams");
        has("headroom run disk --tri", "--trials");
        has("headroom run disk --pattern rand", "randread");
        has("headroom run disk --pattern read,rand", "read,randwrite");
        has("headroom run disk --direct y", "yes");
        // Before a workload is known, each of any is offered if nothing else fits.
        has("headroom run --block", "--block-size");
    }

    /// Bug: behind a study, neither what it asks nor the parameters of its workloads stood among the options.
    #[test]
    fn regression_what_a_study_asks_is_offered() {
        has("headroom fit etcd --fsync", "--fsync-limit");
        has("headroom fit etcd --tar", "--target");
        has("headroom fit backup-target --si", "--size");
        has("headroom run fit-video-recorder --stre", "--streams");
        has("headroom run disk-quick --tar", "--target");
        has("headroom fit etcd --target /de", "/dev/");
        // What is hidden is offered only where nothing else begins so.
        has("headroom fit etcd --", "--fsync-limit");
        has("headroom run disk-quick --", "--queue-depth");
        assert!(!offered("headroom fit postgres --").iter().any(|word| word == "--fsync-limit"));
    }

    /// A run that measured nothing.
    fn run(id: &str) -> model::Run {
        let text = str::to_owned;
        model::Run {
            schema: text(SCHEMA),
            id: text(id),
            started: text("2026-11-28T08:15:00Z"),
            finished: None,
            outcome: None,
            resumptions: Vec::new(),
            origin: Origin { tool: text("headroom"), version: text("0"), command: Vec::new() },
            headroom: Build { version: text("0"), build: text("debug") },
            study: model::Study::default(),
            seed: 1,
            machines: Vec::new(),
            definitions: model::Definitions::default(),
            cases: Vec::new(),
            findings: Vec::new(),
            tool_outputs: Vec::new(),
            analysis: AnalysisInfo { version: 1 },
        }
    }

    #[test]
    fn runs_that_are_kept_are_offered_and_no_store_is_made() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store.db");
        let line = |option: &str| format!("headroom show {option} ");
        let named = line(&format!("--store {}", path.display()));
        assert!(!offered(&named).iter().any(|word| word == "last"));
        assert!(!path.exists());
        let run = run("20261128-081500-ab12");
        SqliteStore::open(&path).unwrap().keep(&run).unwrap();
        for line in [named, line(&format!("--store={}", path.display()))] {
            has(&line, "last");
            has(&line, &run.id);
        }
    }

    #[test]
    fn devices_without_a_size_are_not_offered() {
        let folder = tempfile::tempdir().unwrap();
        for (name, sectors) in [("sda", "4000000\n"), ("loop0", "0\n"), ("cciss!c0d0", "8000\n")] {
            fs::create_dir(folder.path().join(name)).unwrap();
            fs::write(folder.path().join(name).join("size"), sectors).unwrap();
        }
        let found = block_devices(folder.path());
        let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["/dev/cciss/c0d0", "/dev/sda"]);
        assert_eq!(found[1].1, "2048 MB");
    }
}
