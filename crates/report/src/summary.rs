//! What a person reads when a run has ended: which machine, how fast, what to
//! think of it, where it is kept.

use model::run::{CaseResult, Outcome};
use model::trial::Status;
use model::workload::Catalogue;
use model::{Run, Study};

use crate::section::{condition, findings, machine, setting, workload};
use crate::text::{clauses, paragraph, printable};
use crate::{WIDTH, format};

/// The summary for a terminal of [`WIDTH`] columns.
#[must_use]
pub fn text(run: &Run, catalogue: &Catalogue, seconds: Option<f64>) -> String {
    let mut out = String::new();
    let title = printable(run.study.title.as_ref().unwrap_or(&run.study.name));
    let duration = seconds.map(format::span).unwrap_or_default();
    let room = WIDTH.saturating_sub(duration.len());
    out.push_str(format!("{title:<room$}{duration}").trim_end());
    out.push('\n');
    for line in machine::lines(run) {
        out.push_str(&paragraph("", "  ", &clauses(&line)));
    }
    if let Some(text) = state(run) {
        out.push_str(&format!("{text}\n"));
    }
    out.push_str(&notes(&run.study));
    out.push('\n');
    out.push_str(&in_short(run, catalogue));
    out.push_str(&workload::text(run, catalogue));
    for block in [findings::text(run), condition::of_run(run)] {
        if !block.is_empty() {
            out.push_str(&block);
            out.push('\n');
        }
    }
    out.push_str(&setting::text(run));
    out.push_str(&method(run));
    out
}

/// What has to be known of a study, a paragraph each, for a terminal.
#[must_use]
pub fn notes(study: &Study) -> String {
    study.notes.iter().map(|note| paragraph("note: ", "  ", note)).collect()
}

/// The answers to a study that asks something, before all tables; what was asked
/// for by parameters has its answer in the first table.
fn in_short(run: &Run, catalogue: &Catalogue) -> String {
    if run.study.question.is_none() {
        return String::new();
    }
    let words = language::Language::English.words();
    let mut out = String::new();
    for answer in crate::page::in_short(&crate::page::Subject { run, catalogue, words }) {
        out.push_str(&format!("{}\n", answer.question));
        out.extend(answer.all().iter().map(|line| paragraph("  ", "    ", &line.words())));
    }
    if !out.is_empty() {
        out.push('\n');
    }
    out
}

/// What is unusual about how the run ended.
fn state(run: &Run) -> Option<&'static str> {
    match run.outcome {
        Some(Outcome::Complete) => None,
        Some(Outcome::Budget) => Some("The budget ended it before every case had all its trials."),
        Some(Outcome::Interrupted) => Some("It was interrupted; what was finished is here."),
        None => Some("It is unfinished: still running, or killed. What was finished is here."),
    }
}

/// What the prefixes of rates mean.
fn units(run: &Run) -> String {
    let has = |rates| run.cases.iter().any(|case| crate::load::rates(case) == rates);
    let bytes = " Bytes are decimal: 1 MB/s is 1,000,000 bytes per second.";
    let bits = " 1 Mbit/s is 1,000,000 bits per second.";
    [(format::Rates::Bytes, bytes), (format::Rates::Bits, bits)]
        .into_iter()
        .filter_map(|(rates, text)| has(rates).then_some(text))
        .collect()
}

/// Trials that gave a result.
fn finished(case: &CaseResult) -> usize {
    case.trials.iter().filter(|t| t.status == Status::Ok).count()
}

fn method(run: &Run) -> String {
    let trials: Vec<usize> = run.cases.iter().map(finished).filter(|n| *n > 0).collect();
    let (Some(least), Some(most)) = (trials.iter().min(), trials.iter().max()) else {
        return "No trial was finished.\n".to_owned();
    };
    let trials = if least == most { most.to_string() } else { format!("{least} to {most}") };
    let plural = if trials == "1" { "" } else { "s" };
    let text = format!(
        "Median and 95 % interval over {trials} trial{plural} a case, in shuffled blocks, seed {}.{}",
        run.seed,
        units(run)
    );
    paragraph("", "", &text)
}
