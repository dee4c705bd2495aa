//! What would more buy: a table beside each workload, and the greatest gain of each in a line on the
//! first screen.

use language::format;
use model::run::{CaseResult, Gain, GainCeiling, GainFix, GainLaw};
use model::{FindingKind, Resource, Value};

use super::conclusion::{self, Conclusion};
use super::{View, findings};
use crate::document::{Answer, Block, Column, Rank, Section, Table, Text};

/// A gain of less than this is none.
const NOTHING: f64 = 1.05;

/// So many cases of one workload are told of.
const CASES: usize = 8;

/// The greatest gain of each workload, in a line each.
pub(super) fn answer(view: &View<'_>, conclusions: &[Conclusion<'_>]) -> Option<Answer> {
    let by_workload = crate::grouped(conclusions.iter().map(|one| (one.section.clone(), one)));
    let line = |(section, own): (String, Vec<&Conclusion<'_>>)| {
        let all = own.iter().flat_map(|one| one.case.gains.iter().map(move |gain| (*one, gain)));
        let worth = all.filter(|(_, gain)| gain.predicted >= NOTHING);
        // Of equal ones what was tried, then the first.
        let key = |gain: &Gain| (gain.predicted, gain.tried.is_some());
        let (one, gain) = worth.reduce(|a, b| if key(b.1) > key(a.1) { b } else { a })?;
        let text = [Some(change(view, one.case, gain)), Some(prediction(view, gain)), measured(view, gain)];
        let [change, prediction, measured] = text.map(Option::unwrap_or_default);
        let texts = [("change", change.as_str()), ("prediction", &prediction), ("measured", &measured)];
        let key = if gain.tried.is_some() { "gain-line-tried" } else { "gain-line" };
        Some(Text::default().link(section, one.title(view)).plain(": ").plain(view.tell(key, &texts)))
    };
    let lines: Vec<Text> = by_workload.into_iter().filter_map(line).collect();
    (!lines.is_empty()).then(|| Answer { question: view.say("answer-gains"), lines, elsewhere: Vec::new() })
}

/// All gains of the cases of a workload, those that answer for it first.
pub(super) fn put(
    view: &View<'_>,
    section: &mut Section,
    cases: &[&CaseResult],
    conclusions: &[Conclusion<'_>],
) {
    let answers = |case: &CaseResult| conclusions.iter().any(|one| std::ptr::eq(one.case, case));
    let mut all: Vec<&CaseResult> = cases.iter().copied().filter(|case| !case.gains.is_empty()).collect();
    if all.is_empty() {
        return;
    }
    // Stable: otherwise in the order of the run.
    all.sort_by_key(|case| !answers(case));
    let more = all.len().saturating_sub(CASES);
    all.truncate(CASES);
    let columns = ["gain-change", "gain-predicted", "gain-law", "gain-measured"].map(|key| view.say(key));
    let mut table = Table {
        caption: view.say("gain-table"),
        columns: columns.map(Column::words).to_vec(),
        ..Table::default()
    };
    for case in all {
        if cases.len() > 1 {
            table.groups.push((table.rows.len(), view.short(case).into()));
        }
        for gain in &case.gains {
            let cells = [
                change(view, case, gain),
                prediction(view, gain),
                view.say(law(gain.law)),
                measured(view, gain).unwrap_or_default(),
            ];
            table.rows.push(cells.map(Text::from).to_vec());
        }
    }
    section.put(Rank::Detail, Block::Table(table.without_empty_columns()));
    if more > 0 {
        section.put(Rank::Detail, Block::Paragraph(view.count("gain-more", more).into()));
    }
}

/// What is changed: `queue depth 64 instead of 32`.
fn change(view: &View<'_>, case: &CaseResult, gain: &Gain) -> String {
    let fix = match gain.fix {
        GainFix::More => "more",
        GainFix::Window => "window",
        GainFix::Processor => "processor",
        GainFix::Alone => "alone",
        GainFix::Resource => "resource",
        GainFix::Quota => "quota",
        GainFix::NoQuota => "no-quota",
        GainFix::Other => "other",
    };
    let whole = |value: Option<f64>| value.map(|value| value.max(0.0).round() as u64);
    let ends = whole(gain.from).zip(whole(gain.to));
    let [from, to] = match (ends, gain.parameter) {
        (Some((from, to)), Some(parameter)) => {
            let to = conclusion::part(view, case, parameter, Some(to)).unwrap_or_default();
            [from.to_string(), to]
        }
        (Some((from, to)), None) => [from, to].map(format::part),
        (None, _) => [String::new(), String::new()],
    };
    let texts = [
        ("fix", Value::from(fix)),
        ("resource", Value::Text(resource(view, case, gain))),
        ("known", Value::Bool(ends.is_some())),
        ("from", Value::Text(from)),
        ("to", Value::Text(to)),
    ];
    view.words.tell("gain-fix", &texts)
}

/// What is to be faster: what the verdict names, with its machine, where it is that.
fn resource(view: &View<'_>, case: &CaseResult, gain: &Gain) -> String {
    let Some(own) = &gain.resource else { return String::new() };
    let verdict = case.findings.iter().find(|f| f.kind == FindingKind::Bottleneck);
    match verdict.filter(|verdict| verdict.resource.as_ref() == Some(own)) {
        Some(verdict) => findings::resource(view, verdict),
        None => view.resource(own),
    }
}

/// How much that gives, and what then is full.
fn prediction(view: &View<'_>, gain: &Gain) -> String {
    let least = gain.least.map(times);
    let most = times(gain.predicted);
    let how = match (&least, gain.law) {
        _ if gain.predicted < NOTHING => "nothing",
        (Some(least), _) if *least != most => "range",
        (_, GainLaw::Amdahl) if gain.bound.is_none() => "likely",
        _ => "most",
    };
    let bound = gain.bound.as_ref();
    let kind = bound.map_or("none", |bound| match bound.kind {
        GainCeiling::Resource => "resource",
        GainCeiling::Workers => "workers",
        GainCeiling::OtherEnd => "other-end",
        GainCeiling::Processors => "processors",
        GainCeiling::Other => "none",
    });
    let limit = bound.and_then(|bound| bound.resource.as_ref()).map(|resource| view.resource(resource));
    let texts = [
        ("how", Value::from(how)),
        ("least", Value::Text(least.unwrap_or_default())),
        ("times", Value::Text(most)),
        ("bound", Value::from(kind)),
        ("limit", Value::Text(limit.unwrap_or_default())),
        ("several", Value::Bool(bound.and_then(|b| b.resource.as_ref()).is_some_and(Resource::is_several))),
    ];
    view.words.tell("gain-prediction", &texts)
}

/// How many times, in two or three digits that say something: `1.9`.
fn times(value: f64) -> String {
    format::trimmed(format::ratio(value))
}

/// What was measured of it.
fn measured(view: &View<'_>, gain: &Gain) -> Option<String> {
    let tried = gain.tried.as_ref()?;
    let mid = times(tried.times);
    let Some((low, high)) = tried.low.zip(tried.high) else {
        return Some(view.tell("gain-tried-alone", &[("times", &mid)]));
    };
    let texts = [("times", mid), ("low", times(low)), ("high", times(high))];
    Some(view.tell("gain-tried", &texts.each_ref().map(|(name, text)| (*name, text.as_str()))))
}

fn law(law: GainLaw) -> &'static str {
    match law {
        GainLaw::Little => "gain-law-little",
        GainLaw::Utilization => "gain-law-utilization",
        GainLaw::Window => "gain-law-window",
        GainLaw::Amdahl => "gain-law-amdahl",
        GainLaw::Other => "gain-law-other",
    }
}
