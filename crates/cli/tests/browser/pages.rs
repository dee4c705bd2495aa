//! Reports in the browser: of an ordinary run in every language, of a very long
//! one, and of those that nobody wants.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use language::{LANGUAGES, Language};
use model::Run;
use report::page::{Subject, comparison};

use crate::chromium::{Chromium, Page};
use crate::disks::disks;
use crate::inspect::{MATRIX, assert_clean, check, inspect};
use crate::long::{long, short};
use crate::odd::odd;

/// The run with what this version knows of its workloads.
fn defined(run: Run) -> Run {
    Run { definitions: agent::catalogue().definitions(run.workloads()), ..run }
}

/// The report of a run as a page in a file.
fn write(folder: &Path, name: &str, run: &Run, language: Language) -> PathBuf {
    let run = &defined(run.clone());
    let subject = Subject { run, words: language.words() };
    let file = folder.join(format!("{name}.html"));
    let exporter = report::export::for_path(report::export::EXPORTERS, &file).unwrap();
    std::fs::write(&file, (exporter.write)(&subject).unwrap()).unwrap();
    file
}

#[test]
fn a_report_is_right_in_every_language() {
    let Some(program) = crate::browser() else { return };
    let (chromium, folder) = (Chromium::start(&program), tempfile::tempdir().unwrap());
    for language in LANGUAGES {
        let file = write(folder.path(), &format!("short-{}", language.tag()), &short(), *language);
        assert_clean(&inspect(&chromium, &file));
    }
}

/// Two runs of the same work, the second a little slower and on another machine.
#[test]
fn a_comparison_is_right_in_every_language() {
    let Some(program) = crate::browser() else { return };
    let (chromium, folder) = (Chromium::start(&program), tempfile::tempdir().unwrap());
    let mut other = short();
    other.id = "another".to_owned();
    other.machines.iter_mut().for_each(|m| m.inventory.cpu.model = Some("another processor".to_owned()));
    let trials = other.cases.iter_mut().take(3).flat_map(|c| &mut c.trials);
    for quantity in trials.flat_map(|t| t.result.main_mut().metrics.values_mut()) {
        quantity.value *= 1.25;
    }
    let runs = [short(), other].map(defined);
    let comparison = analysis::comparison::of_runs(&runs, &Default::default()).unwrap();
    let command = ["headroom", "compare", "a", "b"].map(str::to_owned);
    for language in LANGUAGES {
        let subject = comparison::ComparisonSubject {
            comparison: &comparison,
            runs: &runs,
            command: &command,
            words: language.words(),
        };
        let file = folder.path().join(format!("comparison-{}.html", language.tag()));
        let exporter = report::export::for_path(report::export::COMPARISON_EXPORTERS, &file).unwrap();
        std::fs::write(&file, (exporter.write)(&subject).unwrap()).unwrap();
        assert_clean(&inspect(&chromium, &file));
    }
}

/// What only disks have: rounds, caches, targets, reads beside writes.
#[test]
#[ignore = "long: cargo xtask test --long"]
fn reports_of_disks_are_right() {
    let Some(program) = crate::browser() else { return };
    let (chromium, folder) = (Chromium::start(&program), tempfile::tempdir().unwrap());
    for (index, (name, run)) in disks().into_iter().enumerate() {
        let language = LANGUAGES[index % LANGUAGES.len()];
        let file = write(folder.path(), &format!("disk-{name}-{}", language.tag()), &run, language);
        assert_clean(&inspect(&chromium, &file));
    }
}

#[test]
#[ignore = "long: cargo xtask test --long"]
fn a_report_of_500_cases_is_right_and_below_3_mb() {
    let Some(program) = crate::browser() else { return };
    let (chromium, folder) = (Chromium::start(&program), tempfile::tempdir().unwrap());
    let file = write(folder.path(), "long", &long(), Language::English);
    let inspection = inspect(&chromium, &file);
    assert!(inspection.bytes < 3_000_000, "{} bytes", inspection.bytes);
    assert_clean(&inspection);
}

/// Nothing of a run becomes a part of the page: no script runs, nothing is
/// asked for, no element that the page does not have otherwise.
#[test]
#[ignore = "long: cargo xtask test --long"]
fn reports_of_odd_runs_are_right_and_run_nothing() {
    let Some(program) = crate::browser() else { return };
    let (chromium, folder) = (Chromium::start(&program), tempfile::tempdir().unwrap());
    let mut wrong: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, run) in odd() {
        let file = write(folder.path(), &name, &run, Language::English);
        let page = Page::open(&chromium, &file, MATRIX[0]);
        for view in MATRIX.iter().filter(|v| ["1440-light", "360-dark"].contains(&v.name)) {
            page.show(*view);
            for complaint in check(&page) {
                wrong.entry(complaint.to_string()).or_default().push(format!("{name} {}", view.name));
            }
        }
        for alarm in page.console().into_iter().chain(page.requests()) {
            wrong.entry(alarm).or_default().push(name.clone());
        }
        page.close();
    }
    let lines: Vec<String> =
        wrong.iter().map(|(what, places)| format!("{what}\n    in {}", places.join(", "))).collect();
    assert!(lines.is_empty(), "{} complaints:\n{}", lines.len(), lines.join("\n"));
}
