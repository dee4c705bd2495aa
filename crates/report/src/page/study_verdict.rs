//! What the question of the study comes to, with the rates that say so.

use model::finding::{Evidence, Place};
use model::run::CaseResult;
use model::{Finding, FindingKind};

use super::{View, findings};
use crate::document::{Answer, Piece, Text, Tone};

/// So many cases stand below the answer.
const MOST: usize = 8;

/// The code of the answer whether the machine is to be accepted.
const ACCEPTANCE: &str = "accepts";

/// The answer, where a rule gave one.
pub(super) fn answer(view: &View<'_>) -> Option<Answer> {
    let found = view.run.findings.iter().find(|finding| finding.kind == FindingKind::Answer)?;
    let text = findings::sentence(&view.words.finding(found));
    let first = match badge(found) {
        Some((tone, key)) => Text(vec![Piece::Badge(tone, view.say(key))]).plain(text),
        None => text.into(),
    };
    let rates = found.evidence.iter().take(MOST).filter_map(|evidence| rate(view, evidence));
    let lines = std::iter::once(first).chain(rates).collect();
    Some(Answer { question: view.say("answer-question"), lines, elsewhere: Vec::new() })
}

/// The answer in a word; of another version's there is none.
fn badge(found: &Finding) -> Option<(Tone, &'static str)> {
    let word = found.args.get("answer")?.to_string();
    let is_acceptance = found.code == ACCEPTANCE;
    Some(match word.as_str() {
        "yes" if is_acceptance => (Tone::Good, "answer-accepts-yes"),
        "no" if is_acceptance => (Tone::Error, "answer-accepts-no"),
        "yes" => (Tone::Good, "answer-absorbs-yes"),
        "head" => (Tone::Warning, "answer-absorbs-head"),
        "no" => (Tone::Error, "answer-absorbs-no"),
        "elsewhere" => (Tone::Plain, "answer-absorbs-elsewhere"),
        "unknown" => (Tone::Plain, "answer-absorbs-unknown"),
        _ => return None,
    })
}

/// A rate with the case that it is of: `the source alone: 1.18 GB/s (...), 9.41 Gbit/s (MTU 1500)`.
fn rate(view: &View<'_>, evidence: &Evidence) -> Option<Text> {
    let said = view.words.evidence(evidence)?;
    let case = match &evidence.at {
        Some(Place::Case(label)) => view.cases().find(|case| case.label.to_string() == *label),
        _ => None,
    };
    let text = Text::from(said);
    Some(match case {
        Some(case) => text.plain(" (").link(section(view, case)?, view.name(case)).plain(")"),
        None => text,
    })
}

/// The section of a case's workload.
fn section(view: &View<'_>, case: &CaseResult) -> Option<String> {
    view.groups().iter().find(|group| group.name == case.loads.main.workload).map(|group| group.id())
}

#[cfg(test)]
mod tests {
    use language::{LANGUAGES, Language};
    use model::Severity;

    use super::*;
    use crate::page::Subject;

    fn finding(answer: &str) -> Finding {
        let numbers = ["source", "sink", "lasting", "head"];
        let mut found = Finding::new(FindingKind::Answer, "absorbs", Severity::Note)
            .arg("answer", answer)
            .arg("why", "trials")
            .arg("least", "no")
            .arg("bytes", 2.7e9);
        for name in numbers {
            found = found.arg(name, 440e6).arg(&format!("{name}_bits"), 3520e6);
        }
        found
    }

    fn told(language: Language, answer: &str, at: Place) -> Vec<String> {
        let mut run = crate::tests::run();
        let evidence = Evidence::at("absorbs-sink", at).arg("rate", 530e6).arg("rate_bits", 4240e6);
        let evidence = evidence.arg("known", "yes").arg("low", 520e6).arg("high", 540e6);
        run.findings = vec![finding(answer).because(evidence)];
        analysis::write_english(&mut run.findings);
        let view = View::new(&Subject { run: &run, words: language.words() });
        super::answer(&view).map(|answer| answer.lines.iter().map(Text::words).collect()).unwrap_or_default()
    }

    #[test]
    fn the_answer_stands_first_with_the_rates_below_it() {
        let label = crate::tests::run().cases[0].label.to_string();
        let lines = told(Language::English, "head", Place::Case(label));
        assert!(lines[0].starts_with("Only at first: 440 MB/s"), "{lines:?}");
        assert!(lines[0].contains("the first 2.7 GB are taken at 440 MB/s"), "{lines:?}");
        let rate = "the sink alone: 530 MB/s (520 MB/s to 540 MB/s), 4.24 Gbit/s (";
        assert!(lines[1].starts_with(rate) && lines[1].ends_with(')'), "{lines:?}");
        // A case that is not there.
        let lines = told(Language::English, "head", Place::Case("gone".to_owned()));
        assert!(lines[1].ends_with("4.24 Gbit/s"), "{lines:?}");
    }

    #[test]
    fn every_answer_has_its_word_in_every_language() {
        for language in LANGUAGES {
            let mut seen = Vec::new();
            for answer in ["yes", "head", "no", "elsewhere", "unknown"] {
                let lines = told(*language, answer, Place::Case(String::new()));
                assert!(!lines[0].contains("absorbs") && !seen.contains(&lines[0]), "{lines:?}");
                seen.push(lines[0].clone());
            }
        }
    }

    #[test]
    fn regression_fits_had_two_forms_of_an_answer() {
        for code in ["fits", "sustains"] {
            for (answer, word) in [("yes", "Yes"), ("no", "No"), ("unknown", "Cannot tell")] {
                let finding = Finding::new(FindingKind::Answer, code, Severity::Note).arg("answer", answer);
                let (_, key) = badge(&finding).unwrap();
                assert_eq!(Language::English.words().tell(key, &[]), word, "{code}");
            }
        }
    }

    #[test]
    fn acceptance_is_said_in_a_word_of_its_own() {
        for (answer, word) in [("yes", "Passed"), ("no", "Failed"), ("unknown", "Cannot tell")] {
            let finding = Finding::new(FindingKind::Answer, ACCEPTANCE, Severity::Note).arg("answer", answer);
            let (_, key) = badge(&finding).unwrap();
            assert_eq!(Language::English.words().tell(key, &[]), word);
        }
    }

    #[test]
    fn a_study_without_one_says_nothing() {
        let run = crate::tests::run();
        assert!(
            super::answer(&View::new(&Subject { run: &run, words: Language::English.words() })).is_none()
        );
    }
}
