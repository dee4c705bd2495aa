//! Findings that several cases share, each said once: which are alike, and what
//! they say together.

use std::cmp::Reverse;

use model::run::CaseResult;
use model::{Finding, FindingKind, Run};

use crate::text::is_unit;

/// A finding that many cases share, said once.
pub(crate) struct Shared<'a> {
    /// The cases that have it; none where it is about the whole run.
    pub(crate) cases: Vec<&'a CaseResult>,
    /// Each case's own, or the run's.
    pub(crate) findings: Vec<&'a Finding>,
}

/// All findings of a run, the gravest first, alike ones together.
pub(crate) fn shared(run: &Run) -> Vec<Shared<'_>> {
    let of_cases = run.cases.iter().flat_map(|c: &CaseResult| c.findings.iter().map(move |f| (Some(c), f)));
    let mut all: Vec<_> = run.findings.iter().map(|f| (None, f)).chain(of_cases).collect();
    all.sort_by_key(|(_, f)| Reverse(f.severity));
    let mut merged: Vec<Shared<'_>> = Vec::new();
    for (case, finding) in all {
        let same = |s: &&mut Shared<'_>| s.findings.first().is_some_and(|f| alike(f, finding));
        match merged.iter_mut().find(same) {
            Some(shared) => {
                // A case may have several, such as one for each reason of a failure.
                let is_known = |case: &&CaseResult| shared.cases.iter().any(|c| std::ptr::eq(*c, *case));
                let new = case.filter(|case| !is_known(case));
                shared.cases.extend(new);
                shared.findings.push(finding);
            }
            None => merged.push(Shared { cases: case.into_iter().collect(), findings: vec![finding] }),
        }
    }
    merged
}

/// Whether one text does for both: the same words about the same thing, of
/// which only the numbers differ.
fn alike(a: &Finding, b: &Finding) -> bool {
    if a.text == b.text {
        return true;
    }
    if (a.kind, a.severity, &a.code, &a.resource) != (b.kind, b.severity, &b.code, &b.resource) {
        return false;
    }
    match a.kind {
        FindingKind::Deviation => differ_in_one_number(&a.text, &b.text),
        // "Cannot tell" says of each what is missing.
        FindingKind::Bottleneck if a.code == "cannot-tell" => false,
        FindingKind::Bottleneck | FindingKind::Validity => {
            together(&a.code, &[&a.text, &b.text], english).is_some()
        }
        _ => false,
    }
}

/// Whether two texts are the same but for one number: how much of the same
/// promise was kept.
fn differ_in_one_number(a: &str, b: &str) -> bool {
    let (a, b): (Vec<&str>, Vec<&str>) = (a.split(' ').collect(), b.split(' ').collect());
    let mut others = a.iter().zip(&b).filter(|(v, w)| v != w);
    let one = others.next();
    a.len() == b.len() && others.next().is_none() && one.is_none_or(|(v, w)| are_one_figure(v, w))
}

/// Findings that name programs behind a colon: those of the worst case stand for
/// all, `others used 21 to 159 % of a CPU: rustc (99 %)`.
const NAMING: &[&str] = &["disturbed-by-others"];
/// Findings that tell a reason behind a colon, which is the same or another one:
/// a number in it may be a place, or belong to what else it says.
const REASONED: &[&str] = &["trials-failed"];

/// What several findings of one code say together: their numbers as ranges, where
/// the words are the same. Nothing where they differ: then one text is not true
/// of all.
pub(crate) fn together(code: &str, texts: &[&str], join: impl Fn(&str, &str) -> String) -> Option<String> {
    let (is_naming, is_reasoned) = (NAMING.contains(&code), REASONED.contains(&code));
    if !is_naming && !is_reasoned {
        return only(ranges(texts.iter().copied(), &join));
    }
    let parts: Vec<(&str, &str)> = texts.iter().map(|t| t.split_once(": ").unwrap_or((*t, ""))).collect();
    let head = only(ranges(parts.iter().map(|(head, _)| *head), &join))?;
    let highest = |head: &str| head.split(' ').filter_map(number).fold(f64::MIN, f64::max);
    // Of equals the first, as its case is the one that is named.
    let worst = parts.iter().rev().max_by(|a, b| highest(a.0).total_cmp(&highest(b.0)))?;
    if is_reasoned && parts.iter().any(|(_, reason)| *reason != worst.1) {
        return None;
    }
    Some(if worst.1.is_empty() { head } else { format!("{head}: {}", worst.1) })
}

/// The one of a list that has no other.
fn only(mut all: Vec<String>) -> Option<String> {
    all.pop().filter(|_| all.is_empty())
}

/// Texts that differ in their numbers only as one with the least and the most
/// of each: `83 to 84 % of the link sda`, where `join` writes the two.
pub(crate) fn ranges<'a>(
    all: impl Iterator<Item = &'a str>,
    join: impl Fn(&str, &str) -> String,
) -> Vec<String> {
    let mut sentences: Vec<Vec<(&str, &str)>> = Vec::new();
    for text in all.filter(|t| !t.is_empty()) {
        let words: Vec<&str> = text.split(' ').collect();
        let same = |known: &&mut Vec<(&str, &str)>| {
            let fits = |(place, ((w, _), v)): (usize, (&(&str, &str), &&str))| {
                w == v || are_one_figure(w, v) && !is_place(&words, place)
            };
            known.len() == words.len() && known.iter().zip(&words).enumerate().all(fits)
        };
        match sentences.iter_mut().find(same) {
            Some(known) => known.iter_mut().zip(&words).for_each(|(range, word)| widen(range, word)),
            None => sentences.push(words.iter().map(|w| (*w, *w)).collect()),
        }
    }
    let shown = |(low, high): &(&str, &str)| {
        if low == high {
            return (*low).to_owned();
        }
        let ((low, _), (high, particle)) = (number_and_particle(low), number_and_particle(high));
        join(low, high) + particle
    };
    sentences.iter().map(|words| words.iter().map(shown).collect::<Vec<_>>().join(" ")).collect()
}

/// Whether the number there says where something is, as an offset does: between
/// two of them there is nothing to tell.
fn is_place(words: &[&str], index: usize) -> bool {
    let before = index.checked_sub(1).map(|i| words[i]);
    let is_whole = number_and_particle(words[index]).0.bytes().all(|b| b.is_ascii_digit());
    let has_unit = words.get(index + 1).is_some_and(|w| is_unit(w));
    is_whole && !has_unit && before.is_some_and(|w| matches!(w, "at" | "offset" | "sector"))
}

fn english(low: &str, high: &str) -> String {
    format!("{low} to {high}")
}

/// A word's number and what Korean writes to it without a space: `2.9배가`.
fn number_and_particle(word: &str) -> (&str, &str) {
    word.split_at(word.find(|c: char| !c.is_ascii()).unwrap_or(word.len()))
}

fn number(word: &str) -> Option<f64> {
    number_and_particle(word).0.parse().ok().filter(|n: &f64| n.is_finite())
}

/// Both are numbers, of the same thing.
fn are_one_figure(a: &str, b: &str) -> bool {
    number(a).zip(number(b)).is_some() && number_and_particle(a).1 == number_and_particle(b).1
}

fn widen<'a>(range: &mut (&'a str, &'a str), word: &'a str) {
    let is_less = |a: &str, b: &str| number(a).zip(number(b)).is_some_and(|(a, b)| a < b);
    if is_less(word, range.0) {
        range.0 = word;
    }
    if is_less(range.1, word) {
        range.1 = word;
    }
}

/// Each text once, in the order they come.
pub(crate) fn distinct<'a>(all: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut seen = Vec::new();
    for text in all.filter(|t| !t.is_empty()) {
        if !seen.contains(&text) {
            seen.push(text);
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use model::Severity;

    use super::*;

    /// What the findings of a run say, a line each: how many cases, and the text.
    fn text(run: &Run) -> String {
        let line = |shared: &Shared<'_>| {
            let texts: Vec<&str> = shared.findings.iter().map(|f| f.text.as_str()).collect();
            let together = together(&shared.findings[0].code, &texts, english);
            format!("{}: {}\n", shared.cases.len(), together.as_deref().unwrap_or(texts[0]))
        };
        shared(run).iter().map(line).collect()
    }

    #[test]
    fn one_doubt_about_several_cases_is_told_once() {
        let mut run = crate::tests::run();
        let doubt = |percent: u32| {
            let text = format!("others used {percent} % of a CPU");
            vec![Finding::new(FindingKind::Validity, "disturbed-by-others", Severity::Warning).worded(text)]
        };
        run.cases[0].findings = doubt(50);
        let mut other = run.cases[0].clone();
        other.findings = doubt(60);
        run.cases.push(other);
        assert_eq!(text(&run), "2: others used 50 to 60 % of a CPU\n");
        for finding in run.cases.iter_mut().flat_map(|c| &mut c.findings) {
            finding.kind = FindingKind::Bottleneck;
        }
        assert_eq!(text(&run), "2: others used 50 to 60 % of a CPU\n");
        // Two that cannot be told lack two things.
        for finding in run.cases.iter_mut().flat_map(|c| &mut c.findings) {
            finding.code = "cannot-tell".to_owned();
        }
        assert_eq!(text(&run).lines().count(), 2);
    }

    #[test]
    fn the_worst_of_several_doubts_is_not_hidden_behind_the_first() {
        let texts = ["others used 21 % of a CPU: cargo", "others used 159 % of a CPU: rustc (99 %)"];
        let told = together("disturbed-by-others", &texts, english).unwrap();
        assert_eq!(told, "others used 21 to 159 % of a CPU: rustc (99 %)");
        let without = ["others used 21 % of a CPU", "others used 9 % of a CPU"];
        assert_eq!(together("x", &without, english).unwrap(), "others used 9 to 21 % of a CPU");
        assert_eq!(together("disturbed-by-others", &["one thing: a", "another: b"], english), None);
        assert_eq!(together("x", &texts, english), None);
        assert_eq!(together("x", &[], english), None);
    }

    #[test]
    fn regression_what_was_true_of_one_case_was_said_of_three() {
        let mut run = crate::tests::run();
        let bound = |text: &str| {
            vec![Finding::new(FindingKind::Bottleneck, "latency-bound", Severity::Note).worded(text)]
        };
        let texts = [
            "latency-bound: 1 at a time, each 66.75 us; nothing known is full",
            "latency-bound: 1 at a time, each 70 us, and 50 % of the time is spent in syncs; nothing known is full",
            "latency-bound: 4 at a time, each 90 us; nothing known is full",
        ];
        run.cases[0].findings = bound(texts[0]);
        for text in &texts[1..] {
            let mut other = run.cases[0].clone();
            other.findings = bound(text);
            run.cases.push(other);
        }
        let told = text(&run);
        assert!(told.contains("2: latency-bound: 1 to 4 at a time, each 66.75 to 90"), "{told}");
        assert!(told.contains("1: latency-bound: 1 at a time, each 70 us, and 50 %"), "{told}");
        for text in ["others", "left-out"] {
            for finding in run.cases.iter_mut().flat_map(|c| &mut c.findings) {
                (finding.kind, finding.code) = (FindingKind::Validity, text.to_owned());
            }
            assert_eq!(shared(&run).len(), 2);
        }
    }

    #[test]
    fn regression_reasons_of_failures_were_shown_as_one() {
        let mut run = crate::tests::run();
        let failed =
            |text: &str| Finding::new(FindingKind::Validity, "trials-failed", Severity::Error).worded(text);
        run.cases[0].findings = vec![
            failed("1 of 2 trials failed: wrong data at 16994304: 512 bytes"),
            failed("1 of 2 trials failed: wrong data at 29224960: 512 bytes"),
        ];
        let told = text(&run);
        assert!(!told.contains("16994304 to"), "{told}");
        assert_eq!(told.matches("1: 1 of 2 trials failed: wrong data at ").count(), 2, "{told}");
        // The same reason is one finding, whatever the number of trials.
        let mut other = run.cases[0].clone();
        other.findings.truncate(1);
        other.findings[0].text = "2 of 2 trials failed: wrong data at 16994304: 512 bytes".to_owned();
        run.cases.push(other);
        let told = text(&run);
        assert!(told.contains("2: 1 to 2 of 2 trials failed: wrong data at 16994304: 512"), "{told}");
        // Nor does an offset elsewhere become a range, though a share does.
        assert_eq!(together("x", &["wrong at 4096", "wrong at 8192"], english), None);
        assert_eq!(together("x", &["CPU at 4 %", "CPU at 8 %"], english).unwrap(), "CPU at 4 to 8 %");
    }

    #[test]
    fn regression_one_case_with_two_findings_was_counted_as_two_cases() {
        let mut run = crate::tests::run();
        let late = |share: u32| {
            Finding::new(FindingKind::Validity, "late", Severity::Warning)
                .worded(format!("{share} % came late"))
        };
        run.cases[0].findings = vec![late(3), late(9)];
        assert_eq!(text(&run), "1: 3 to 9 % came late\n");
        assert_eq!(shared(&run)[0].cases.len(), 1);
    }

    #[test]
    fn numbers_with_a_particle_are_a_range_too() {
        let merged = |all: [&'static str; 2]| ranges(all.into_iter(), |low, high| format!("{low} ~ {high}"));
        assert_eq!(
            merged(["지연 시간은 2.9배가 됩니다", "지연 시간은 1.4배가 됩니다"]),
            ["지연 시간은 1.4 ~ 2.9배가 됩니다"]
        );
        assert_eq!(merged(["시행 2회", "시행 3개"]).len(), 2);
    }
}
