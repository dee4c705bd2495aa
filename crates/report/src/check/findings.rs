//! What is wrong with the figures, the gravest first.

use model::{Finding, Severity, Value};

use super::{ToolSubject, called};
use crate::document::{Block, Notice, Rank, Section, Text};
use crate::page::findings::{sentence, severity_key};

/// So many places are named of a finding that many results share.
const NAMED: usize = 5;

pub(super) fn write(subject: &ToolSubject<'_>) -> Section {
    let mut section = Section::new("findings", subject.words.say("check-findings"));
    let mut all = merged(subject);
    // Stable: of the same gravity, in the order of the checks.
    all.sort_by_key(|(finding, _)| std::cmp::Reverse(finding.severity));
    if all.is_empty() {
        section.put(Rank::Verdict, Block::Paragraph(subject.words.say("check-nothing").into()));
    }
    for (finding, places) in &all {
        let rank = if finding.severity >= Severity::Warning { Rank::Verdict } else { Rank::Caution };
        section.put(rank, Block::Notice(notice(subject, finding, places)));
    }
    section
}

/// All findings, each once, with the results that they are about; none where that is all.
fn merged<'a>(subject: &ToolSubject<'a>) -> Vec<(&'a Finding, Vec<String>)> {
    let results: Vec<_> = subject.run.tool_outputs.iter().flat_map(|output| &output.results).collect();
    let mut all: Vec<(&Finding, Vec<String>)> = Vec::new();
    for case in &subject.run.cases {
        let orders = case.trials.iter().filter_map(|trial| usize::try_from(trial.order).ok());
        let about: Vec<String> =
            orders.filter_map(|order| results.get(order)).map(|result| called(subject, result)).collect();
        for finding in &case.findings {
            let is_same = |(other, _): &&mut (&Finding, Vec<String>)| {
                (&other.code, &other.args) == (&finding.code, &finding.args)
            };
            match all.iter_mut().find(is_same) {
                Some((_, places)) => places.extend(about.iter().cloned()),
                None => all.push((finding, about.clone())),
            }
        }
    }
    all.extend(subject.run.findings.iter().map(|finding| (finding, Vec::new())));
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

fn notice(subject: &ToolSubject<'_>, finding: &Finding, places: &[String]) -> Notice {
    let words = subject.words;
    let evidence = finding.evidence.iter().filter_map(|evidence| words.evidence(evidence));
    let mut about: Vec<&str> = places.iter().take(NAMED).map(String::as_str).collect();
    let more = places.len().saturating_sub(NAMED);
    let more = (more > 0).then(|| words.count("and-more", more));
    about.extend(more.as_deref());
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
