//! Charts over time that a reader asks for: of any trial of any case of a run; or one quantity of several runs over each
//! other.

use language::Words;
use model::Run;
use model::run::CaseResult;

use super::{Subject, View};
use crate::document::{Block, Document, Section};
use crate::figure::{self, OverlaidRun};

/// A case with the trials that can be shown, each by its place from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SampledCase {
    /// Its place among all cases of the run, from 0.
    pub place: usize,
    /// What it is called.
    pub name: String,
    /// The places of its trials.
    pub trials: Vec<usize>,
}

/// The cases of a run whose trials have samples.
#[must_use]
pub fn sampled_cases(run: &Run) -> Vec<SampledCase> {
    let case = |(place, case): (usize, &CaseResult)| {
        let trials = figure::sampled_trials(case);
        (!trials.is_empty()).then(|| SampledCase { place, name: case.label.to_string(), trials })
    };
    run.cases.iter().enumerate().filter_map(case).collect()
}

/// The charts of one trial of one case, by their places from 0. It has no section where there is no such trial, or it has no
/// samples.
#[must_use]
pub fn of_trial(subject: &Subject<'_>, case: usize, trial: usize) -> Document {
    let view = View::new(subject);
    let mut document = begun(view.words, view.title(), super::byline(&view));
    document.footer = super::footer(&view);
    if let Some(case) = subject.run.cases.get(case) {
        let mut section = Section::new("time", case.label.to_string());
        section.extend(figure::of_trial(&view, case, trial));
        document.sections.extend((!section.is_empty()).then_some(section));
    }
    document
}

/// What can be shown of several runs, and what is.
pub struct OverlaidRuns {
    /// The quantities, by name.
    pub quantities: Vec<String>,
    /// The one that is shown.
    pub shown: Option<String>,
    /// It, as a page.
    pub document: Document,
}

/// One quantity of the trial nearest the median, of a case of the first run, by its place, and of the case of like work of
/// each other run. The quantity is the first where `quantity` names none that there is.
#[must_use]
pub fn of_runs(runs: &[Run], words: &'static Words, case: usize, quantity: Option<&str>) -> OverlaidRuns {
    let views: Vec<View<'_>> = runs.iter().map(|run| View::new(&Subject { run, words })).collect();
    let chosen = runs.first().and_then(|run| run.cases.get(case));
    let overlaid_runs: Vec<OverlaidRun<'_>> = views
        .iter()
        .filter_map(|view| {
            let case = chosen.and_then(|chosen| like(view.run, chosen))?;
            Some(OverlaidRun { view, case, name: named(view.run, runs) })
        })
        .collect();
    let mut all = figure::overlaid(&overlaid_runs);
    let quantities: Vec<String> = all.iter().map(|(name, ..)| name.clone()).collect();
    let place = quantities.iter().position(|name| Some(name.as_str()) == quantity).unwrap_or(0);
    let name = chosen.map(|case| case.label.to_string()).unwrap_or_default();
    let mut document = begun(words, words.count("over-time-runs", runs.len()), vec![name]);
    let mut shown = None;
    if place < all.len() {
        let (title, plot, notes) = all.swap_remove(place);
        let mut section = Section::new("time", title.as_str());
        let note = Some(notes.join(" ")).filter(|note| !note.is_empty());
        section.push(Block::Chart { title: title.clone(), note, plot: Box::new(plot) });
        let without: Vec<&str> = runs
            .iter()
            .filter(|run| !overlaid_runs.iter().any(|overlaid| std::ptr::eq(overlaid.view.run, *run)))
            .map(|run| run.id.as_str())
            .collect();
        if !without.is_empty() {
            section.push(Block::Paragraph(
                words.tell_texts("over-time-without", &[("runs", &without.join(", "))]).into(),
            ));
        }
        document.sections.push(section);
        shown = Some(title);
    }
    OverlaidRuns { quantities, shown, document }
}

/// The case of a run that did the same work as another's, or is called the same where that is not known.
fn like<'a>(run: &'a Run, chosen: &CaseResult) -> Option<&'a CaseResult> {
    let by_work = |case: &&CaseResult| !case.work_id.is_empty() && case.work_id == chosen.work_id;
    let sampled = || run.cases.iter().filter(|case| !figure::sampled_trials(case).is_empty());
    let by_name = |case: &&CaseResult| case.label == chosen.label;
    sampled()
        .filter(by_work)
        .find(by_name)
        .or_else(|| sampled().find(by_work))
        .or_else(|| sampled().find(by_name))
}

/// What a run is called among others: with its machine where these differ.
fn named(run: &Run, runs: &[Run]) -> String {
    let machine =
        |run: &Run| run.machines.first().map(|machine| machine.hostname.clone()).unwrap_or_default();
    let own = machine(run);
    match runs.iter().all(|other| machine(other) == own) || own.is_empty() {
        true => run.id.clone(),
        false => format!("{} ({own})", run.id),
    }
}

fn begun(words: &'static Words, title: String, byline: Vec<String>) -> Document {
    let footer = words.tell_texts("trend-footer", &[("version", env!("CARGO_PKG_VERSION"))]).into();
    Document { words, title, byline, purpose: Vec::new(), sections: Vec::new(), footer }
}

#[cfg(test)]
mod tests {
    use language::Language;

    use super::*;

    fn charts(document: &Document) -> usize {
        let blocks = document.sections.iter().flat_map(|section| &section.blocks);
        blocks.filter(|ranked| matches!(ranked.block, Block::Chart { .. })).count()
    }

    #[test]
    fn any_trial_of_any_case_has_its_charts() {
        let run = crate::tests::long::short();
        let cases = sampled_cases(&run);
        assert!(!cases.is_empty());
        let words = Language::English.words();
        let subject = Subject { run: &run, words };
        for case in &cases {
            for trial in &case.trials {
                let document = of_trial(&subject, case.place, *trial);
                assert!(charts(&document) > 0, "{case:?} {trial}");
            }
        }
        assert!(of_trial(&subject, 0, 10_000).sections.is_empty());
        assert!(of_trial(&subject, 10_000, 0).sections.is_empty());
    }

    #[test]
    fn a_quantity_of_several_runs_has_a_line_a_run() {
        let (mut one, mut other) = (crate::tests::long::short(), crate::tests::long::short());
        (one.id, other.id) = ("one".to_owned(), "other".to_owned());
        let case = sampled_cases(&one)[0].place;
        let words = Language::English.words();
        let runs = [one, other];
        let found = of_runs(&runs, words, case, None);
        assert_eq!(found.shown.as_ref(), found.quantities.first());
        let last = found.quantities.last().unwrap();
        let found = of_runs(&runs, words, case, Some(last));
        assert_eq!(found.shown.as_ref(), Some(last));
        let Block::Chart { plot, .. } = &found.document.sections[0].blocks[0].block else {
            panic!("a chart")
        };
        let tracks = plot.readout(words).unwrap().tracks;
        assert_eq!(tracks.iter().map(|track| track.name.as_str()).collect::<Vec<_>>(), ["one", "other"]);
        // A run without work like that is named.
        let [one, mut other] = runs;
        other.cases.iter_mut().for_each(|case| case.trials.clear());
        let found = of_runs(&[one, other], words, case, None);
        assert_eq!(found.document.sections[0].blocks.len(), 2);
        assert!(of_runs(&[], words, 0, None).shown.is_none());
    }
}
