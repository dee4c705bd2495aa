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

/// All findings of a run as wrapped lines; empty if there are none. A finding
/// that many cases share is written once.
#[must_use]
pub fn text(run: &Run) -> String {
    let of_cases = run.cases.iter().flat_map(|c: &CaseResult| c.findings.iter().map(move |f| (Some(c), f)));
    let mut all: Vec<_> = run.findings.iter().map(|f| (None, f)).chain(of_cases).collect();
    all.sort_by_key(|(_, f)| Reverse(f.severity));
    let mut merged: Vec<(Vec<&str>, Vec<&Finding>)> = Vec::new();
    for (case, finding) in all {
        let label = case.map_or("run", |c| c.label.as_str());
        match merged.iter_mut().find(|(_, same)| same.first().is_some_and(|f| f.text == finding.text)) {
            Some((labels, same)) => {
                labels.push(label);
                same.push(finding);
            }
            None => merged.push((vec![label], vec![finding])),
        }
    }
    merged.iter().map(|(labels, same)| one(labels, same)).collect()
}

/// A finding with all that several cases have to say with it.
fn one(labels: &[&str], same: &[&Finding]) -> String {
    let Some(first) = same.first() else { return String::new() };
    let who = match labels {
        [one] => (*one).to_owned(),
        many => format!("{} cases, such as {}", many.len(), many.first().unwrap_or(&"")),
    };
    let mut out = paragraph("", INDENT, &format!("{}: {who}: {}", mark(first), first.text));
    let bottlenecks = same.iter().filter(|f| f.kind == FindingKind::Bottleneck);
    let mut ruled_out = distinct(bottlenecks.flat_map(|f| &f.ruled_out).filter_map(|e| e.text.as_deref()));
    for text in &mut ruled_out {
        *text = text.trim_end_matches('.');
    }
    if !ruled_out.is_empty() {
        out.push_str(&paragraph(INDENT, INDENT, &format!("Ruled out: {}.", ruled_out.join("; "))));
    }
    for advice in distinct(same.iter().filter_map(|f| f.advice.as_deref())) {
        out.push_str(&paragraph(INDENT, INDENT, advice));
    }
    out
}

/// Each text once, in the order they come.
fn distinct<'a>(all: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
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
    fn a_bottleneck_says_what_it_is_not_and_what_to_do() {
        let mut run = crate::tests::run();
        let bound = Finding::new(FindingKind::Bottleneck, "b", Severity::Note, "The link of sda is full.");
        run.cases[0].findings =
            vec![bound.clone().not_because(ruled_out("CPU at 12 %.")).advise("Use another port.")];
        let mut other = run.cases[0].clone();
        other.label = "disk randread".to_owned();
        other.findings = vec![bound.not_because(ruled_out("CPU at 13 %.")).advise("Use another port.")];
        let expected = "bottleneck: disk read: The link of sda is full.\n    Ruled out: CPU at 12 %.\n    Use another port.\n";
        assert_eq!(text(&run), expected);
        run.cases.push(other);
        let expected = "bottleneck: 2 cases, such as disk read: The link of sda is full.\n    \
                        Ruled out: CPU at 12 %; CPU at 13 %.\n    Use another port.\n";
        assert_eq!(text(&run), expected);
    }
}
