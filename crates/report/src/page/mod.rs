//! The report of a run: which sections it has, in which order.

mod answer;
mod block_trace;
mod capacity;
mod case_table;
pub mod class;
pub mod comparison;
mod conclusion;
pub(crate) mod findings;
pub mod fleet;
mod gains;
mod general;
pub(crate) mod goals;
mod headline;
mod heat;
pub(crate) mod highlights;
mod layer_cost;
mod listing;
mod machine;
mod making;
mod method;
mod nearest_limits;
pub(crate) mod notes;
pub mod over_time;
mod overview;
mod price;
mod promises;
mod references;
mod resumption;
mod servers;
mod setting;
mod study_verdict;
mod tables;
mod target_table;
mod time_series;
pub mod trend;
mod waterfall;
mod wear;
mod workloads;

use model::{Machine, parallel};

pub use crate::view::{Subject, View};

use crate::document::{Block, Document, Rank, Ranked, Section, Text};
use crate::inventory::brief;

/// Every section, in order: a file and a line here. One that says nothing is left out.
const SECTIONS: &[fn(&View<'_>) -> Section] = &[
    answer::write,
    goals::write,
    headline::write,
    findings::write,
    machine::write,
    overview::write,
    waterfall::write,
    making::write,
    workloads::write,
    servers::write,
    heat::write,
    time_series::write,
    tables::write,
    method::write,
    price::write,
    wear::write,
    references::write,
    general::write,
];

/// The report as a document, which has no format yet.
#[must_use]
pub fn document(subject: &Subject<'_>) -> Document {
    let view = View::new(subject);
    let sections = parallel::map_few(SECTIONS, |write| write(&view)).into_iter().filter(|s| !s.is_empty());
    Document {
        words: subject.words,
        title: view.title(),
        byline: byline(&view),
        purpose: purpose(&view),
        sections: sections.collect(),
        footer: footer(&view),
    }
}

/// Who, on what, when.
fn byline(view: &View<'_>) -> Vec<String> {
    let machine = view.run.machines.first();
    let all = [
        view.run.study.author.clone(),
        machine.and_then(brief::name).map(str::to_owned),
        machine.map(|m| brief::line(view.words, m)),
        Some(method::moment(&view.run.started)),
    ];
    all.into_iter().flatten().filter(|t| !t.trim().is_empty()).collect()
}

fn purpose(view: &View<'_>) -> Vec<Ranked> {
    let study = &view.run.study;
    let text = study.purpose.as_deref().unwrap_or_default();
    // A built-in study has its purpose in every language.
    let text = match text.is_empty() {
        true => String::new(),
        false => view.words.or(&format!("study-{}-purpose", study.name), text),
    };
    let paragraphs = text.split("\n\n").map(str::trim).filter(|p| !p.is_empty());
    let paragraphs = paragraphs.map(|p| Ranked { rank: Rank::Detail, block: Block::Paragraph(p.into()) });
    // The one that drives stands in the byline.
    let other = |m: &Machine| (machine::called(m), brief::line(view.words, m).into());
    let others: Vec<(String, Text)> = view.run.machines.iter().skip(1).map(other).collect();
    let others = Some(others).filter(|others| !others.is_empty()).map(Block::Pairs);
    let others = others.map(|block| Ranked { rank: Rank::Verdict, block });
    others.into_iter().chain(paragraphs).collect()
}

fn footer(view: &View<'_>) -> Text {
    let texts = [("version", view.run.headroom.version.as_str()), ("run", &view.run.id)];
    view.tell("footer", &texts).into()
}

#[cfg(test)]
mod tests {
    use language::Language;
    use model::Run;

    use super::*;

    fn said(run: &Run, language: Language) -> Vec<String> {
        let all = purpose(&View::new(&Subject { run, words: language.words() }));
        let text = |ranked: &Ranked| match &ranked.block {
            Block::Paragraph(text) => Some(text.words()),
            _ => None,
        };
        all.iter().filter_map(text).collect()
    }

    #[test]
    fn what_a_built_in_study_is_for_is_told_in_the_language_of_the_page() {
        let mut run = crate::tests::run();
        (run.study.name, run.study.purpose) = ("dd".to_owned(), Some("For dd.".to_owned()));
        assert_eq!(said(&run, Language::English), ["For dd."]);
        assert_ne!(said(&run, Language::Japanese), ["For dd."]);
        // Another's has its own words, and one without a purpose gets none.
        run.study.name = "mine.toml".to_owned();
        assert_eq!(said(&run, Language::Japanese), ["For dd."]);
        (run.study.name, run.study.purpose) = ("dd".to_owned(), None);
        assert!(said(&run, Language::Japanese).is_empty());
    }
}
