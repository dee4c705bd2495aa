//! A trend of runs made by hand, as a page in every language and as text.

use analysis::trend::TrendHistory;
use language::{LANGUAGES, Language};
use model::run::Estimate;
use model::{Better, Machine, Run, Unit, metric};

use super::*;
use crate::document::terminal::{self, Detail};
use crate::document::{html, markdown};
use crate::terminal::Terminal;

/// Runs whose main figure loses a tenth with a new kernel at the tenth of twenty; the fourth was accepted.
pub(crate) fn trend() -> Trend {
    let mut history = TrendHistory::new(None);
    for place in 0..20 {
        let mut run: Run = crate::tests::run();
        run.id = format!("r{place}");
        run.started = format!("2026-11-{:02}T12:00:00Z", place + 1);
        let level = if place < 10 { 1.0 } else { 0.9 };
        let factor = level * [1.01, 0.99, 1.0, 1.015, 0.985][place % 5];
        let mut machine = Machine { hostname: "host-7".to_owned(), ..Machine::default() };
        machine.inventory.kernel = if place < 10 { "6.1" } else { "6.18" }.to_owned();
        run.machines = vec![machine];
        let median = 90_000.0 * factor;
        let estimate = Estimate {
            n: 5,
            median,
            low: Some(median * 0.99),
            high: Some(median * 1.01),
            confidence: Some(0.95),
            method: None,
            unit: Unit::PerSecond,
            better: Better::Higher,
        };
        let load = &mut run.cases[0].loads.main;
        load.profile.headline = metric::IOPS;
        load.estimates.insert(metric::IOPS, estimate);
        history.add(&run, (place == 3).then_some("2026-11-04T18:00:00Z"));
    }
    history.finish(0.02)
}

fn shown(language: Language, write: fn(&Document) -> String) -> String {
    let trend = trend();
    let said: BTreeMap<String, String> =
        [("r5".to_owned(), "rack=3; new fan".to_owned())].into_iter().collect();
    let command = ["headroom", "trend", "disk"].map(str::to_owned);
    let subject = TrendSubject { trend: &trend, said: &said, command: &command, words: language.words() };
    write(&document(&subject))
}

fn brief(document: &Document) -> String {
    terminal::write(document, Terminal::default(), Detail::Brief("headroom trend -v disk"))
}

#[test]
fn the_text_says_what_is_worse_where_it_stepped_and_what_changed() {
    let text = shown(Language::English, brief);
    for says in ["r10", "6.18", "-10.", "worse", "kernel", "rack=3; new fan", "2026-11-11", "2026-11-04"] {
        assert!(text.contains(says), "no `{says}`: {text}");
    }
    assert!(text.lines().all(|line| line.chars().count() <= crate::WIDTH), "{text}");
}

#[test]
fn the_page_has_a_chart_and_no_key_of_a_text_in_any_language() {
    for language in LANGUAGES {
        let page = shown(*language, html::write);
        assert!(page.contains("<svg") && page.contains("headroom trend disk"), "{page}");
        for text in [shown(*language, markdown::write), shown(*language, brief)] {
            assert!(!text.contains("trend-") && !text.contains("comparison-"), "{language:?}: {text}");
        }
    }
}

#[test]
fn a_trend_of_nothing_says_so() {
    let trend = TrendHistory::new(None).finish(0.02);
    let said = BTreeMap::new();
    let subject = TrendSubject { trend: &trend, said: &said, command: &[], words: Language::English.words() };
    let text = brief(&document(&subject));
    assert!(text.contains("No run has such a figure"), "{text}");
}
