//! What is wrong with the figures, the gravest first.

use std::collections::{HashMap, HashSet};

use analysis::check::checks;
use model::{Finding, Severity, Value};

use super::{NAMED, PlacedResult, ToolSubject, called, placed};
use crate::document::{Block, Notice, Rank, Section, Text};
use crate::page::findings::{sentence, severity_key};

/// So many findings of one check stand where details are not asked for.
const SHOWN: usize = 5;

/// The most of one check that a page has.
const LISTED: usize = 50;

/// A finding with the places of the results that it is about, among all; none where that is all.
struct MergedFinding<'a> {
    finding: &'a Finding,
    places: Vec<usize>,
}

pub(super) fn write(subject: &ToolSubject<'_>) -> Section {
    let mut section = Section::new("findings", subject.words.say("check-findings"));
    let results = placed(subject);
    if results.is_empty() {
        section.put(Rank::Verdict, Block::Paragraph(subject.words.say("check-prose-only").into()));
    }
    let mut all = merged(subject);
    // Of the same gravity in the order of the checks.
    let order: HashMap<&str, usize> = checks().map(|check| check.code).zip(0..).collect();
    all.sort_by_key(|MergedFinding { finding, .. }| {
        (std::cmp::Reverse(finding.severity), order.get(finding.code.as_str()).copied())
    });
    if all.is_empty() {
        section.put(Rank::Verdict, Block::Paragraph(subject.words.say("check-nothing").into()));
    }
    let is_alike = |a: &MergedFinding<'_>, b: &MergedFinding<'_>| {
        (a.finding.severity, &a.finding.code) == (b.finding.severity, &b.finding.code)
    };
    for alike in all.chunk_by(is_alike) {
        let is_grave = alike.iter().any(|merged| merged.finding.severity >= Severity::Warning);
        let rank = if is_grave { Rank::Verdict } else { Rank::Caution };
        for (place, merged) in alike.iter().take(LISTED).enumerate() {
            let rank = if place < SHOWN { rank } else { Rank::Detail };
            section.put(rank, Block::Notice(notice(subject, merged, &results)));
        }
        if let Some(more) = alike.len().checked_sub(SHOWN).filter(|more| *more > 0) {
            let more = subject.words.count("check-more-findings", more);
            section.put(rank, Block::Paragraph(more.into()));
        }
    }
    section
}

/// What findings that say the same have in common, written out: numbers have no order.
fn said(finding: &Finding) -> String {
    format!("{} {:?}", finding.code, finding.args)
}

/// All findings, each once.
fn merged<'a>(subject: &ToolSubject<'a>) -> Vec<MergedFinding<'a>> {
    // A case may have very many results, and a finding is about those in which it was found.
    let mut found: HashMap<String, Vec<usize>> = HashMap::new();
    for (place, findings) in subject.found.iter().enumerate() {
        for finding in findings {
            let places = found.entry(said(finding)).or_default();
            if places.last() != Some(&place) {
                places.push(place);
            }
        }
    }
    let mut known: HashSet<String> = HashSet::new();
    let mut all: Vec<MergedFinding<'_>> = Vec::new();
    for case in &subject.run.cases {
        for finding in &case.findings {
            let key = said(finding);
            if known.contains(&key) {
                continue;
            }
            // Of a document that another version made, all results of the case.
            let of_case =
                || case.trials.iter().filter_map(|trial| usize::try_from(trial.order).ok()).collect();
            let places = found.remove(&key).unwrap_or_else(of_case);
            all.push(MergedFinding { finding, places });
            known.insert(key);
        }
    }
    all.extend(subject.run.findings.iter().map(|finding| MergedFinding { finding, places: Vec::new() }));
    all
}

/// The sentence of a finding: where it begins with the name of its tool, that stays as it is written.
fn told(finding: &Finding, text: &str) -> String {
    let written = sentence(text);
    let tool = match finding.args.get("tool") {
        Some(Value::Text(tool)) => tool.as_str(),
        _ => "",
    };
    match written.get(tool.len()..) {
        Some(rest) if text.trim_start().starts_with(tool) => format!("{tool}{rest}"),
        _ => written,
    }
}

fn notice(subject: &ToolSubject<'_>, merged: &MergedFinding<'_>, results: &[PlacedResult<'_>]) -> Notice {
    let (words, finding) = (subject.words, merged.finding);
    let evidence = finding.evidence.iter().filter_map(|evidence| words.evidence(evidence));
    let named = merged.places.iter().take(NAMED).filter_map(|place| results.get(*place));
    let mut about: Vec<String> = named.map(|placed| called(subject, *placed)).collect();
    let more = merged.places.len().saturating_sub(NAMED);
    about.extend((more > 0).then(|| words.count("and-more", more)));
    Notice {
        id: None,
        severity: finding.severity,
        kind: words.say(severity_key(finding.severity)),
        about: about.join("; "),
        cases: None,
        text: Text::ticked(&told(finding, &words.finding(finding))),
        details: evidence.map(Text::from).collect(),
        advice: words.advice(finding).map(|advice| Text::ticked(&sentence(&advice))),
    }
}
