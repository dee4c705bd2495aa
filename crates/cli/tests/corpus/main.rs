//! The frozen corpus: documents that version 0.1 wrote, and all that this version
//! makes of them. A change of structure leaves every byte as it is; a change of
//! words or of layout changes what is expected, in a commit of its own.
// A test may unwrap, in its helpers too.
#![allow(clippy::unwrap_used)]

mod expected;
mod kept;

use std::collections::BTreeMap;
use std::num::NonZero;
use std::sync::Mutex;
use std::thread;

use analysis::comparison::{ComparisonOptions, of_runs, within};
use language::{LANGUAGES, Language, Words};
use model::plan::LoadSpec;
use model::run::CaseLoad;
use model::{Comparison, ParameterName, Run};
use report::document::Document;
use report::document::terminal::{self, Detail};
use report::export::{COMPARISON_EXPORTERS, EXPORTERS, Exporter};
use report::page;
use report::terminal::Terminal;

/// What is made of the corpus: names of files and what they hold.
type Outputs = BTreeMap<String, Vec<u8>>;

/// Two runs that are compared, or one by a factor.
#[derive(Clone, Copy, Debug)]
enum Compared {
    Runs(&'static str, &'static str),
    Within(&'static str, &'static str),
}

const COMPARED: &[Compared] = &[
    Compared::Runs("memory", "memory-again"),
    Compared::Runs("two-machines", "two-machines-again"),
    Compared::Runs("cpu", "promise"),
    Compared::Within("companion", "queue-depth"),
    Compared::Within("killed", "threads"),
    Compared::Within("memory", "threads"),
    Compared::Within("mtu", "mtu"),
    Compared::Within("open-loop", "arrivals"),
    Compared::Within("sweep", "block-size"),
    Compared::Within("tree", "threads"),
    Compared::Within("two-machines", "direction"),
];

/// Formats that hold no words, so that one language is enough.
const WORDLESS: &[&str] = &["csv"];

/// The whole document is no view of it, and a comparison's names its build; all of its samples, in rows, are as little.
const LEFT_OUT: &[&str] = &["json", "csv-series"];

/// The files of one subject in every format and language.
fn formats<Write>(
    name: &str,
    table: &'static [Exporter<Write>],
    write: impl Fn(&Exporter<Write>, Language) -> Vec<u8>,
) -> Outputs {
    let mut outputs = Outputs::new();
    for exporter in table.iter().filter(|e| !e.printed && !LEFT_OUT.contains(&e.extension)) {
        let extension = exporter.extension;
        if WORDLESS.contains(&extension) {
            outputs.insert(format!("{name}.{extension}"), write(exporter, Language::English));
            continue;
        }
        for language in LANGUAGES {
            outputs.insert(format!("{name}.{}.{extension}", language.tag()), write(exporter, *language));
        }
    }
    outputs
}

/// What a terminal shows of a document: in brief, as a review reads it; with all
/// details; and narrow, with colours, in a language of wide letters.
fn on_terminals(name: &str, command: &str, document: impl Fn(&'static Words) -> Document) -> Outputs {
    let (english, brief) = (document(Language::English.words()), Detail::Brief(command));
    let shown =
        |document: &Document, terminal, detail| terminal::write(document, terminal, detail).into_bytes();
    let korean = shown(&document(Language::Korean.words()), Terminal::new(60, true), brief);
    Outputs::from([
        (format!("{name}.txt"), shown(&english, Terminal::default(), brief)),
        (format!("{name}.all"), shown(&english, Terminal::default(), Detail::All)),
        (format!("{name}.ko.ansi"), korean),
    ])
}

fn of_run(name: &str, run: &Run) -> Outputs {
    let mut outputs = formats(name, EXPORTERS, |exporter, language| {
        (exporter.write)(&page::Subject { run, words: language.words() }).unwrap()
    });
    outputs.extend(on_terminals(name, "headroom show -v", |words| {
        page::document(&page::Subject { run, words })
    }));
    outputs
}

fn of_comparison(compared: Compared) -> Outputs {
    let options = ComparisonOptions::default();
    let (name, runs, comparison): (String, Vec<Run>, Comparison) = match compared {
        Compared::Runs(before, after) => {
            let runs = vec![kept::document(before), kept::document(after)];
            let comparison = of_runs(&runs, &options).unwrap();
            (format!("{before}-and-{after}"), runs, comparison)
        }
        Compared::Within(name, by) => {
            let run = kept::document(name);
            let comparison = within(&run, by, &options).unwrap();
            (format!("{name}-by-{by}"), vec![run], comparison)
        }
    };
    let command = ["headroom".to_owned(), "compare".to_owned()];
    let mut outputs = formats(&name, COMPARISON_EXPORTERS, |exporter, language| {
        let words = language.words();
        let (runs, comparison, command) = (&runs, &comparison, &command);
        (exporter.write)(&page::comparison::ComparisonSubject { comparison, runs, command, words }).unwrap()
    });
    outputs.extend(on_terminals(&name, "headroom compare -v RUN RUN", |words| {
        let (runs, comparison, command) = (&runs, &comparison, &command);
        page::comparison::document(&page::comparison::ComparisonSubject { comparison, runs, command, words })
    }));
    outputs
}

/// One piece of the work.
#[derive(Clone, Debug)]
enum Piece {
    Document(String),
    Comparison(Compared),
}

/// All outputs, made by all CPUs.
fn outputs() -> Outputs {
    let documents = kept::names().into_iter().map(Piece::Document);
    let pieces =
        Mutex::new(documents.chain(COMPARED.iter().copied().map(Piece::Comparison)).collect::<Vec<_>>());
    let made = Mutex::new(Outputs::new());
    let work = || {
        loop {
            let Some(piece) = pieces.lock().unwrap().pop() else { return };
            let outputs = match &piece {
                Piece::Document(name) => of_run(name, &kept::document(name)),
                Piece::Comparison(compared) => of_comparison(*compared),
            };
            made.lock().unwrap().extend(outputs);
        }
    };
    let workers = thread::available_parallelism().map_or(1, NonZero::get);
    thread::scope(|scope| (0..workers).for_each(|_| drop(scope.spawn(work))));
    made.into_inner().unwrap()
}

#[test]
fn what_is_made_of_the_corpus_stays_as_it_is() {
    expected::compare(&outputs());
}

/// The documents hold what the corpus is for.
#[test]
fn the_corpus_has_every_workload_and_every_kind_of_run() {
    let runs: Vec<Run> = kept::names().iter().map(|name| kept::document(name)).collect();
    let cases = || runs.iter().flat_map(|run| &run.cases);
    // Those of version 0.1; the catalogue may grow.
    let workloads: std::collections::BTreeSet<&str> =
        cases().map(|case| case.loads.main.workload.as_str()).collect();
    assert_eq!(workloads.len(), 21, "{workloads:?}");
    assert!(runs.iter().any(|run| run.machines.len() == 2), "two machines");
    assert!(cases().any(|case| !case.loads.beside.is_empty()), "a load beside another");
    assert!(cases().any(|case| !case.settings.is_empty()), "a setting");
    assert!(
        cases().flat_map(|case| &case.trials).any(|t| t.status == model::Status::Failed),
        "a failed trial"
    );
    assert!(runs.iter().any(|run| run.outcome == Some(model::run::Outcome::Interrupted)), "interrupted");
    assert!(runs.iter().any(|run| run.outcome == Some(model::run::Outcome::Budget)), "ended by its budget");
    assert!(runs.iter().any(|run| !run.study.expect.promises.is_empty()), "a promise");
}

/// What a store of version 0.1 holds is read as the documents are.
#[test]
fn a_store_of_version_0_1_is_read() {
    let runs = kept::store();
    assert_eq!(runs.len(), 2);
    for run in runs {
        assert!(run.cases.iter().all(|case| !case.loads.main.estimates.is_empty()), "{}", run.id);
        assert_eq!(run.cases.iter().map(|case| case.trials.len()).sum::<usize>(), 6, "{}", run.id);
        let subject = page::Subject { run: &run, words: Language::English.words() };
        let text = terminal::write(&page::document(&subject), Terminal::default(), Detail::Brief("-v"));
        assert!(text.contains("95 % interval"), "{text}");
    }
}

/// The same work is the same work for ever: the identities that version 0.1 wrote
/// are those that this version gives to the same loads.
#[test]
fn work_of_version_0_1_keeps_its_identity() {
    let catalogue = agent::catalogue();
    for name in kept::names() {
        for case in kept::as_written(&name).cases {
            let all = std::iter::once(&case.loads.main).chain(&case.loads.beside);
            let load = |load: &CaseLoad| {
                let mut parameters = load.parameters.clone();
                // A thread for each stream was written down as one thread.
                if load.workload.as_str() == "net.stream" {
                    parameters.remove(ParameterName::new("threads"));
                }
                LoadSpec::new(load.workload, parameters)
            };
            let loads: Vec<LoadSpec> = all.map(load).collect();
            // What is defined anew is other work.
            let main = &case.loads.main;
            let now = catalogue.workload(main.workload).map(|spec| spec.definition_version);
            let is_same = main.definition_version.is_none_or(|then| now == Some(then));
            let work_id = study::plan::work_id(&loads, &catalogue);
            assert_eq!(work_id == case.work_id, is_same, "{name}: {}: {work_id}", case.label);
        }
    }
}
