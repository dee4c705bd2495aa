//! Findings, the gravest first, with what was ruled out and what to do.

use std::cmp::Reverse;

use model::run::CaseResult;
use model::{Finding, FindingKind, Run, Severity};

use crate::text::paragraph;

/// What stands before all lines of a finding but its first.
const INDENT: &str = "    ";

/// A severity in a word, since colour may be missing.
pub(crate) fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

/// What stands before a finding: how grave it is, or that it says what holds a
/// result back, which is no fault.
fn mark(finding: &Finding) -> &'static str {
    match (finding.kind, finding.severity) {
        (FindingKind::Bottleneck, Severity::Note) => "bottleneck",
        (_, severity) => word(severity),
    }
}

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
                shared.cases.extend(case);
                shared.findings.push(finding);
            }
            None => merged.push(Shared { cases: case.into_iter().collect(), findings: vec![finding] }),
        }
    }
    merged
}

/// All findings of a run as wrapped lines; empty if there are none. A finding
/// that many cases share is written once.
#[must_use]
pub fn text(run: &Run) -> String {
    let label = |shared: &Shared<'_>| {
        let first = shared.cases.first().map_or("run", |c| called(run, c));
        match shared.findings.len() {
            1 => first.to_owned(),
            many => format!("{many} cases, such as {first}"),
        }
    };
    shared(run).iter().map(|shared| one(&label(shared), &shared.findings)).collect()
}

/// A case in the words that tell it from others: of a workload's only one, what
/// was asked of it stands below its table.
fn called<'a>(run: &Run, case: &'a CaseResult) -> &'a str {
    let is_only = run.cases.iter().filter(|c| c.workload == case.workload).count() == 1;
    if is_only { &case.workload } else { &case.label }
}

/// Whether one text does for both: the same words, the same verdict, or the
/// same doubt about several cases, which the first of them shows well enough.
fn alike(a: &Finding, b: &Finding) -> bool {
    let about = (a.kind, a.severity, &a.code, &a.resource) == (b.kind, b.severity, &b.code, &b.resource);
    // "Cannot tell" says of each what is missing.
    let same_verdict = a.kind == FindingKind::Bottleneck && a.code != "cannot-tell";
    let same_promise = a.kind == FindingKind::Deviation && about && differ_in_one_number(&a.text, &b.text);
    a.text == b.text || same_promise || ((a.kind == FindingKind::Validity || same_verdict) && about)
}

/// Whether two texts are the same but for one number: how much of the same
/// promise was kept.
fn differ_in_one_number(a: &str, b: &str) -> bool {
    let (a, b): (Vec<&str>, Vec<&str>) = (a.split(' ').collect(), b.split(' ').collect());
    let mut others = a.iter().zip(&b).filter(|(v, w)| v != w);
    let one = others.next();
    a.len() == b.len() && others.next().is_none() && one.is_none_or(|(v, w)| are_one_figure(v, w))
}

/// A finding with all that several cases have to say with it.
fn one(who: &str, same: &[&Finding]) -> String {
    let Some(first) = same.first() else { return String::new() };
    let texts: Vec<&str> = same.iter().map(|f| f.text.as_str()).collect();
    let text = together(&texts, english);
    let text = text.as_ref().unwrap_or(&first.text);
    let mut out = paragraph("", INDENT, &format!("{}: {who}: {text}", mark(first)));
    let bottlenecks = same.iter().filter(|f| f.kind == FindingKind::Bottleneck);
    let texts = bottlenecks.flat_map(|f| &f.ruled_out).filter_map(|e| e.text.as_deref());
    let ruled_out = ranges(texts.map(|t| t.trim_end_matches('.')), english);
    if !ruled_out.is_empty() {
        out.push_str(&paragraph(INDENT, INDENT, &format!("Ruled out: {}.", ruled_out.join("; "))));
    }
    for advice in distinct(same.iter().filter_map(|f| f.advice.as_deref())) {
        out.push_str(&paragraph(INDENT, INDENT, advice));
    }
    out
}

/// What several findings say together: their numbers as ranges, where the words
/// are the same. Where only those before the first colon are (`others used 21 %
/// of a CPU: rustc, cargo`), what stands behind it is that of the highest
/// number. Nothing where the words differ.
pub(crate) fn together(texts: &[&str], join: impl Fn(&str, &str) -> String) -> Option<String> {
    if let [one] = &ranges(texts.iter().copied(), &join)[..] {
        return Some(one.clone());
    }
    let parts: Vec<(&str, &str)> = texts.iter().filter_map(|t| t.split_once(": ")).collect();
    let heads = ranges(parts.iter().map(|(head, _)| *head), &join);
    let highest = |head: &str| head.split(' ').filter_map(number).fold(f64::MIN, f64::max);
    let worst = parts.iter().max_by(|a, b| highest(a.0).total_cmp(&highest(b.0)))?;
    match &heads[..] {
        [head] if parts.len() == texts.len() => Some(format!("{head}: {}", worst.1)),
        _ => None,
    }
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
            known.len() == words.len()
                && known.iter().zip(&words).all(|((w, _), v)| w == v || are_one_figure(w, v))
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
    use super::*;
    use model::finding::{Evidence, Place};

    fn ruled_out(text: &str) -> Vec<Evidence> {
        vec![Evidence::at("x", Place::Metric("y".to_owned()), text)]
    }

    #[test]
    fn one_doubt_about_several_cases_is_told_once() {
        let mut run = crate::tests::run();
        let doubt = |percent: u32| {
            let text = format!("others used {percent} % of a CPU");
            vec![Finding::new(FindingKind::Validity, "others", Severity::Warning, text)]
        };
        run.cases[0].findings = doubt(50);
        let mut other = run.cases[0].clone();
        other.findings = doubt(60);
        run.cases.push(other);
        assert_eq!(text(&run), "warning: 2 cases, such as disk read: others used 50 to 60 % of a CPU\n");
        for finding in run.cases.iter_mut().flat_map(|c| &mut c.findings) {
            finding.kind = FindingKind::Bottleneck;
        }
        assert_eq!(text(&run), "warning: 2 cases, such as disk read: others used 50 to 60 % of a CPU\n");
        // Two that cannot be told lack two things.
        for finding in run.cases.iter_mut().flat_map(|c| &mut c.findings) {
            finding.code = "cannot-tell".to_owned();
        }
        assert_eq!(text(&run).lines().count(), 2);
    }

    #[test]
    fn the_worst_of_several_doubts_is_not_hidden_behind_the_first() {
        let texts = ["others used 21 % of a CPU: cargo", "others used 159 % of a CPU: rustc (99 %)"];
        let told = together(&texts, english).unwrap();
        assert_eq!(told, "others used 21 to 159 % of a CPU: rustc (99 %)");
        assert_eq!(together(&["one thing: a", "another: b"], english), None);
        assert_eq!(together(&["one thing", "another: b"], english), None);
        assert_eq!(together(&[], english), None);
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

    #[test]
    fn a_bottleneck_says_what_it_is_not_and_what_to_do() {
        let mut run = crate::tests::run();
        let bound = Finding::new(FindingKind::Bottleneck, "b", Severity::Note, "The link of sda is full.");
        run.cases[0].findings =
            vec![bound.clone().not_because(ruled_out("CPU at 12 %.")).advise("Use another port.")];
        let mut other = run.cases[0].clone();
        other.label = "disk randread".to_owned();
        other.findings = vec![
            bound
                .not_because(ruled_out("CPU at 13 %."))
                .not_because(ruled_out("sda at 5 %"))
                .not_because(ruled_out("nothing else"))
                .advise("Use another port."),
        ];
        let expected = "bottleneck: disk: The link of sda is full.\n    Ruled out: CPU at 12 %.\n    Use another port.\n";
        assert_eq!(text(&run), expected);
        run.cases.push(other);
        let expected = "bottleneck: 2 cases, such as disk read: The link of sda is full.\n    \
                        Ruled out: CPU at 12 to 13 %; sda at 5 %; nothing else.\n    Use another port.\n";
        assert_eq!(text(&run), expected);
    }
}
