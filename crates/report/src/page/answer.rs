//! The study's question and its answer in plain words, from facts only: how
//! fast, what limits, whether promises were kept, whether it may be trusted.

use model::run::Outcome;
use model::{FindingKind, Severity, Status, WorkloadName};

use super::conclusion::{self, Conclusion};
use super::highlights::{self, BestCase};
use super::{
    View, class, findings, gains, goals, nearest_limits, price, promises, resumption, study_verdict, wear,
};
use crate::document::{Answer, Block, Notice, Piece, Rank, Section, Text, Tone};
use crate::merged_findings::MergedFinding;
use crate::view::WorkloadGroup;

/// So many doubts are named.
const NAMED: usize = 3;
/// So many sentences about one workload stand on the first screen; of more, their verdicts are counted.
const SENTENCES: usize = 5;
/// So many figures of one workload stand in a line.
const IN_A_LINE: usize = 4;

pub(super) fn write(view: &View<'_>) -> Section {
    let mut section = Section::new("answer", view.say("answer-title"));
    let study = &view.run.study;
    if let Some(question) = &study.question {
        let question = view.words.or(&format!("study-{}-question", study.name), question);
        section.put(Rank::Verdict, Block::Lead(question.into()));
    }
    if let Some(notice) = ending(view) {
        section.put(Rank::Verdict, Block::Notice(notice));
    }
    let conclusions = conclusion::all(view);
    // What every reader asks first, and what there is to say.
    section.answer([
        goals::answer(view),
        study_verdict::answer(view),
        fast(view),
        class::answer(view),
        limits(view, &conclusions),
        gains::answer(view, &conclusions),
        nearest_limits::answer(view),
        promises::answer(view),
        price::answer(view),
        wear::answer(view),
        health(view),
    ]);
    section
}

/// What is unusual about how the run ended.
fn ending(view: &View<'_>) -> Option<Notice> {
    let (ok, failed, skipped) =
        (view.trials(Status::Ok), view.trials(Status::Failed), view.trials(Status::Skipped));
    let aborted = analysis::abort_cause(view.run).map(|cause| goals::aborted(view, &cause));
    let outcome = match view.run.outcome {
        _ if aborted.is_some() => aborted,
        Some(Outcome::Complete | Outcome::Budget) => None,
        Some(Outcome::Interrupted) => Some(view.say("ending-interrupted")),
        None => Some(view.say("ending-unfinished")),
    };
    let none = (ok == 0).then(|| view.say("ending-no-trial"));
    let counted = |key: &str, count: usize| (count > 0).then(|| view.count(key, count));
    let lines = [outcome, none, counted("ending-failed", failed), counted("ending-skipped", skipped)];
    let mut text: Vec<String> = lines.into_iter().flatten().collect();
    let severity = match ok {
        0 => Severity::Error,
        // A gap alone takes nothing from the figures.
        _ if text.is_empty() => Severity::Note,
        _ => Severity::Warning,
    };
    text.extend(resumption::gaps(view));
    (!text.is_empty()).then(|| Notice {
        id: None,
        severity,
        kind: view.say("ending-title"),
        about: String::new(),
        cases: None,
        text: text.join(" ").into(),
        details: reasons(view),
        advice: None,
    })
}

/// Why trials failed, each reason once.
fn reasons(view: &View<'_>) -> Vec<Text> {
    let trials = view.cases().flat_map(|c| &c.trials);
    let mut all: Vec<&str> = trials.filter_map(|t| t.reason.as_deref()).collect();
    all.sort_unstable();
    all.dedup();
    all.truncate(8);
    all.into_iter().map(Into::into).collect()
}

fn fast(view: &View<'_>) -> Option<Answer> {
    let best = highlights::best(view);
    let lines = crate::grouped(best.iter().map(|one| (one.case.loads.main.workload, one)));
    let line = |(workload, all): &(WorkloadName, Vec<&BestCase<'_>>)| {
        let mut text =
            Text::default().link(all[0].section.clone(), view.called(workload.as_str())).plain(": ");
        for (index, one) in all.iter().take(IN_A_LINE).enumerate() {
            let value = view.with_metric(crate::load::rates(one.case), one.metric, one.estimate);
            text = text.plain(if index > 0 { "; " } else { "" }).strong(value);
            text = text.plain(format!(" ({})", view.whole(one.case)));
        }
        if all.len() > IN_A_LINE { text.plain("; …") } else { text }
    };
    let elsewhere = lines.iter().map(line).collect();
    Some(Answer { question: view.say("answer-fast"), lines: Vec::new(), elsewhere })
}

/// What limits each workload, in the order of the run: a sentence for each kind of its cases, or,
/// of many, how often what does.
fn limits(view: &View<'_>, conclusions: &[Conclusion<'_>]) -> Option<Answer> {
    let lines = view.groups().into_iter().flat_map(|group| {
        let own: Vec<_> = conclusions.iter().filter(|one| one.section == group.id()).collect();
        let line = |one: &&Conclusion<'_>| {
            Text::default().link(group.id(), one.title(view)).plain(": ").plain(one.text.clone())
        };
        if (1..=SENTENCES).contains(&own.len()) {
            return own.iter().map(line).collect();
        }
        counted(view, &group).into_iter().collect::<Vec<Text>>()
    });
    Some(Answer { question: view.say("answer-limits"), lines: lines.collect(), elsewhere: Vec::new() })
}

/// How many cases of a workload what limits.
fn counted(view: &View<'_>, group: &WorkloadGroup<'_>) -> Option<Text> {
    let verdicts = verdicts(view, group.name);
    if verdicts.is_empty() {
        return None;
    }
    let mut text = Text::default().link(group.id(), view.called(group.name.as_str())).plain(": ");
    for (index, (verdict, count)) in verdicts.into_iter().enumerate() {
        text = text.plain(if index > 0 { "; " } else { "" }).strong(verdict);
        if count < group.cases.len() {
            let count = [("count", (count as u64).into()), ("total", (group.cases.len() as u64).into())];
            text = text.plain(format!(" ({})", view.words.tell("cases-of", &count)));
        }
    }
    Some(text)
}

/// The verdicts on the cases of a workload, each with how many it is for; what
/// is not known comes last.
fn verdicts(view: &View<'_>, workload: WorkloadName) -> Vec<(String, usize)> {
    let told = view.findings.iter().filter_map(|shared| {
        let first = shared.findings.first().filter(|f| f.kind == FindingKind::Bottleneck)?;
        let count = shared.cases.iter().filter(|c| c.loads.main.workload == workload).count();
        (count > 0).then(|| (findings::verdict(view, first), count))
    });
    let summed = |(verdict, counts): (String, Vec<usize>)| (verdict, counts.into_iter().sum::<usize>());
    let mut all: Vec<(String, usize)> = crate::grouped(told).into_iter().map(summed).collect();
    let unknown = view.say("verdict-cannot-tell");
    all.sort_by_key(|(verdict, count)| (*verdict == unknown, std::cmp::Reverse(*count)));
    all.truncate(IN_A_LINE);
    all
}

/// Whether the figures may be trusted, and the machine's state.
fn health(view: &View<'_>) -> Option<Answer> {
    if view.trials(Status::Ok) == 0 {
        return None;
    }
    let doubts: Vec<(String, &MergedFinding<'_>)> = findings::doubts(view).collect();
    let conditions = findings::all_conditions(view);
    let grave: Vec<_> =
        conditions.iter().enumerate().filter(|(_, c)| c.finding.severity >= Severity::Warning).collect();
    let severities = doubts.iter().flat_map(|(_, s)| s.findings.iter().map(|f| f.severity));
    let gravest = severities.chain(grave.iter().map(|(_, c)| c.finding.severity)).max();
    let (tone, word, text) = match gravest {
        Some(Severity::Error) => (Tone::Error, "health-bad", "health-bad-text"),
        Some(Severity::Warning) => (Tone::Warning, "health-care", "health-care-text"),
        _ => (Tone::Good, "health-good", "health-good-text"),
    };
    let mut first = Text(vec![Piece::Badge(tone, view.say(word))]).plain(view.words.tell(
        text,
        &[("doubts", (doubts.len() as u64).into()), ("conditions", (grave.len() as u64).into())],
    ));
    if view.run.outcome == Some(Outcome::Budget) {
        first = first.plain(format!(" {}", view.say("ending-budget")));
    }
    let mut elsewhere = Vec::new();
    let of_doubt = |(id, shared): &(String, &MergedFinding<'_>)| {
        let cases = view.count("cases", shared.cases.len().max(1));
        Text::default()
            .link(id.clone(), findings::clause(&findings::text(view, shared)))
            .plain(format!(" ({cases})"))
    };
    elsewhere.extend(doubts.iter().take(NAMED).map(of_doubt));
    let of_condition = |(index, c): &(usize, &findings::Condition<'_>)| {
        let text = findings::clause(&findings::sentence(&view.words.finding(c.finding)));
        Text::default().link(format!("condition-{}", index + 1), text)
    };
    elsewhere.extend(grave.iter().take(NAMED).map(of_condition));
    Some(Answer { question: view.say("answer-health"), lines: vec![first], elsewhere })
}
