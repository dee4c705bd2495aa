//! What was promised: one row for each promise, with the case that was held
//! against it, or why none was.

use model::run::CaseResult;
use model::{Finding, FindingKind, MetricName, Severity, Unit, Value};

use super::View;
use super::findings;
use crate::document::{Answer, Block, Column, Piece, Rank, Section, Table, Text, Tone};
use crate::format::{self, Rates};

/// So many promises have room on a screen.
const FEW: usize = 12;
/// The code of a promise that no case was held against.
const UNTESTED: &str = "promise-not-tested";

/// What became of a promise, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Verdict {
    Short,
    Beyond,
    Unsure,
    Untested,
    Kept,
}

impl Verdict {
    fn of(finding: &Finding) -> Self {
        match (text(finding, "sure"), text(finding, "how")) {
            _ if finding.code == UNTESTED => Verdict::Untested,
            (_, Some("beyond")) => Verdict::Beyond,
            (Some("no"), _) => Verdict::Unsure,
            (_, Some("kept")) => Verdict::Kept,
            (_, Some("short")) => Verdict::Short,
            _ if finding.severity >= Severity::Warning => Verdict::Short,
            _ => Verdict::Kept,
        }
    }

    fn badge(self, view: &View<'_>) -> Piece {
        let (tone, key) = match self {
            Verdict::Short => (Tone::Warning, "promise-short"),
            Verdict::Beyond => (Tone::Warning, "promise-beyond"),
            Verdict::Unsure => (Tone::Plain, "promise-unsure"),
            Verdict::Untested => (Tone::Plain, "promise-untested"),
            Verdict::Kept => (Tone::Good, "promise-kept"),
        };
        Piece::Badge(tone, view.say(key))
    }
}

/// A promise with all that was held against it.
struct HeldPromise<'a> {
    /// The finding that decides.
    finding: &'a Finding,
    /// Its case; none where no case was held against it.
    case: Option<&'a CaseResult>,
    /// How many cases were held against it.
    count: usize,
}

/// Whether a finding has a row of the table; what an older or another program
/// wrote may lack what a row needs.
pub(super) fn is_row(finding: &Finding) -> bool {
    finding.kind == FindingKind::Deviation
        && text(finding, "promise").is_some()
        && number(finding, "promised").is_some()
        && unit(finding).is_some()
}

/// Every promise once, in the order of the run's cases, untested ones last.
fn all<'a>(view: &View<'a>) -> Vec<HeldPromise<'a>> {
    let of_cases = view.cases().flat_map(|c| c.findings.iter().map(move |f| (Some(c), f)));
    let of_run = view.run.findings.iter().map(|f| (None, f));
    let mut all: Vec<HeldPromise<'a>> = Vec::new();
    for (case, finding) in of_cases.chain(of_run).filter(|(_, f)| is_row(f)) {
        let key = |f: &Finding| (text(f, "promise").map(str::to_owned), number(f, "promised"));
        match all
            .iter_mut()
            .find(|h| key(h.finding) == key(finding) && h.finding.resource == finding.resource)
        {
            Some(held) => {
                held.count += 1;
                if decides(finding, held.finding) {
                    (held.case, held.finding) = (case, finding);
                }
            }
            None => all.push(HeldPromise { finding, case, count: 1 }),
        }
    }
    all
}

/// Whether a case says more of a promise than another: of a rate the best, since
/// that is what the drive can do; of a bound from above, such as a latency, the
/// worst.
fn decides(one: &Finding, other: &Finding) -> bool {
    number(one, "measured")
        .zip(number(other, "measured"))
        .or(number(one, "fraction").zip(number(other, "fraction")))
        .is_some_and(|(a, b)| a > b)
}

/// The section; empty where nothing was promised.
pub(super) fn section(view: &View<'_>) -> Option<(Severity, Section)> {
    let all = all(view);
    if all.is_empty() {
        return None;
    }
    let mut section = Section { names_rows: true, ..Section::new("promises", view.say("findings-promises")) };
    let columns = [
        ("promise-column", false, 0),
        ("promise-column-value", true, 0),
        ("promise-column-case", false, 3),
        ("promise-column-measured", true, 0),
        ("column-interval", true, 2),
        ("promise-column-share", true, 0),
        ("promise-column-verdict", false, 0),
    ];
    let column = |(key, is_number, spare): (&str, bool, u8)| {
        let column = if is_number { Column::numbers(view.say(key)) } else { Column::words(view.say(key)) };
        column.to_spare(spare)
    };
    let table = Table {
        columns: columns.map(column).into(),
        rows: all.iter().map(|held| row(view, held)).collect(),
        ..Table::default()
    };
    let rank = if all.len() <= FEW { Rank::Figure } else { Rank::Detail };
    section.put(rank, Block::Table(table.without_empty_columns()));
    section.push(Block::Paragraph(view.say("promises-note").into()));
    let gravest = all.iter().map(|h| h.finding.severity).max()?;
    Some((gravest, section))
}

fn row(view: &View<'_>, held: &HeldPromise<'_>) -> Vec<Text> {
    let finding = held.finding;
    let (unit, promised) = (unit(finding).unwrap_or(Unit::One), number(finding, "promised"));
    let is_most = text(finding, "bound") == Some("most");
    let value = promised.map(|value| format::setting(value, unit)).unwrap_or_default();
    let bound = if is_most { "promise-most" } else { "promise-least" };
    let metric = text(finding, "metric").or(text(finding, "promise")).and_then(MetricName::intern);
    let estimate = held
        .case
        .zip(metric)
        .and_then(|(c, metric)| c.loads.main.estimates.get(&metric))
        .filter(|e| e.unit == unit);
    let fraction = number(finding, "fraction");
    let share = fraction.or(promised.filter(|p| *p > 0.0).and_then(|p| Some(estimate?.median / p)));
    // A load beside the case's own, or an array, is in the share: of such, what
    // was asked of the drive.
    let measured =
        fraction.zip(promised).map(|(share, promised)| share * promised).or(estimate.map(|e| e.median));
    let is_own = estimate.zip(measured).is_some_and(|(e, m)| (e.median / m - 1.0).abs() < 1e-6);
    let interval =
        estimate.filter(|_| is_own).and_then(|e| view.interval(Rates::Bytes, e)).unwrap_or_default();
    vec![
        name(view, finding).into(),
        view.tell(bound, &[("value", &value)]).into(),
        case(view, held, is_most).into(),
        measured.map(|value| format::quantity(value, unit)).unwrap_or_default().into(),
        interval.into(),
        share.map(format::percent).unwrap_or_default().into(),
        Text(vec![Verdict::of(finding).badge(view)]).plain(reason(view, finding)),
    ]
}

fn name(view: &View<'_>, finding: &Finding) -> String {
    let promise = text(finding, "promise").unwrap_or_default();
    if text(finding, "by") == Some("datasheet") {
        view.tell("promise-of-sheet", &[("promise", promise)])
    } else {
        promise.to_owned()
    }
}

fn case(view: &View<'_>, held: &HeldPromise<'_>, is_most: bool) -> String {
    let Some(case) = held.case else { return String::new() };
    let name = view.name(case);
    if held.count < 2 {
        return name;
    }
    let key = if is_most { "promise-worst-of" } else { "promise-best-of" };
    view.words.tell(key, &[("case", name.as_str().into()), ("count", (held.count as u64).into())])
}

/// Why a promise was not tested.
fn reason(view: &View<'_>, finding: &Finding) -> String {
    if finding.code == UNTESTED { findings::sentence(&view.words.reason(finding)) } else { String::new() }
}

/// Whether promises were kept, where there are any.
pub(super) fn answer(view: &View<'_>) -> Option<Answer> {
    let question = view.say("answer-promised");
    let verdicts: Vec<Verdict> = all(view).iter().map(|h| Verdict::of(h.finding)).collect();
    if verdicts.is_empty() {
        let line = view.say("answer-promise-unknown").into();
        return (!view.run.study.expect.is_empty()).then_some(Answer {
            question,
            lines: vec![line],
            elsewhere: Vec::new(),
        });
    }
    let of = |verdict: Verdict| verdicts.iter().filter(|v| **v == verdict).count();
    let (kept, missed) = (of(Verdict::Kept), of(Verdict::Short) + of(Verdict::Beyond));
    let (tone, key) = match (kept, missed) {
        (kept, 0) if kept == verdicts.len() => (Tone::Good, "answer-kept"),
        (0, 0) if of(Verdict::Unsure) == 0 => (Tone::Plain, "answer-kept-untested"),
        (_, 0) if of(Verdict::Unsure) > 0 => (Tone::Plain, "answer-kept-unsure"),
        (0, _) => (Tone::Warning, "answer-kept-none"),
        _ => (if missed > 0 { Tone::Warning } else { Tone::Plain }, "answer-not-kept"),
    };
    let counts = [("kept", (kept as u64).into()), ("total", (verdicts.len() as u64).into())];
    let mut parts = vec![view.words.tell("answer-promises-kept", &counts)];
    for (key, count) in [
        ("answer-promises-missed", missed),
        ("answer-promises-unsure", of(Verdict::Unsure)),
        ("answer-promises-untested", of(Verdict::Untested)),
    ] {
        // "None of 41 kept" is enough where there is nothing to add.
        if count > 0 && !(kept == 0 && count == verdicts.len() && count == missed) {
            parts.push(view.count(key, count));
        }
    }
    let line = Text(vec![Piece::Badge(tone, view.say(key))]).link("promises", parts.join(", "));
    Some(Answer { question, lines: vec![line], elsewhere: Vec::new() })
}

fn text<'a>(finding: &'a Finding, name: &str) -> Option<&'a str> {
    match finding.args.get(name) {
        Some(Value::Text(text)) => Some(text),
        _ => None,
    }
}

fn number(finding: &Finding, name: &str) -> Option<f64> {
    finding.args.get(name)?.number()
}

fn unit(finding: &Finding) -> Option<Unit> {
    let symbol = text(finding, "unit")?;
    [Unit::BytesPerSecond, Unit::PerSecond, Unit::Seconds].into_iter().find(|unit| unit.symbol() == symbol)
}

#[cfg(test)]
mod tests {
    use language::{LANGUAGES, Language};

    use super::*;
    use crate::page::Subject;

    fn promise(key: &str, fraction: f64) -> Finding {
        let how = if fraction < 0.95 { "short" } else { "kept" };
        let severity = if how == "kept" { Severity::Note } else { Severity::Warning };
        Finding::new(FindingKind::Deviation, "promise", severity)
            .worded("x")
            .on("block:sda")
            .arg("by", "study")
            .arg("promise", key)
            .arg("metric", "iops")
            .arg("how", how)
            .arg("sure", "yes")
            .arg("fraction", fraction)
            .arg("promised", 900e3)
            .arg("unit", "1/s")
    }

    fn untested(key: &str) -> Finding {
        let text = "20 k/s, promised as x, is not tested: no load measures that";
        Finding::new(FindingKind::Deviation, UNTESTED, Severity::Note)
            .worded(text)
            .arg("promise", key)
            .arg("promised", 20e3)
            .arg("unit", "1/s")
            .arg("reason", "metric")
            .arg("direction", "read")
    }

    /// The answer's words and the rows, of a run with these findings.
    fn told(language: Language, cases: &[Vec<Finding>], of_run: Vec<Finding>) -> (String, Vec<Vec<String>>) {
        let mut run = crate::tests::long::short();
        run.cases.iter_mut().for_each(|c| c.findings.clear());
        for (case, findings) in run.cases.iter_mut().zip(cases) {
            case.findings.clone_from(findings);
        }
        run.findings = of_run;
        let view = View::new(&Subject { run: &run, words: language.words() });
        let (_, section) = section(&view).unwrap();
        let Block::Table(table) = &section.blocks[0].block else { panic!("a table first") };
        let rows = table.rows.iter().map(|row| row.iter().map(Text::words).collect()).collect();
        (answer(&view).unwrap().lines[0].words(), rows)
    }

    #[test]
    fn promises_are_counted_by_what_became_of_them() {
        let of = |cases: &[Vec<Finding>], run| told(Language::English, cases, run).0;
        let missed: Vec<Finding> = (0..41).map(|n| promise(&format!("p{n}"), 0.5)).collect();
        assert_eq!(of(&[missed], vec![]), "No: none of 41 kept");
        let kept = || vec![promise("a", 1.0), promise("b", 2.0)];
        assert_eq!(of(&[kept()], vec![untested("c"), untested("d")]), "Not all: 2 of 4 kept, 2 not tested");
        assert_eq!(of(&[kept()], vec![]), "Yes: 2 of 2 kept");
        assert_eq!(of(&[], vec![untested("c")]), "Not tested: none of 1 kept, 1 not tested");
        let unsure = promise("b", 0.9).arg("sure", "no");
        assert_eq!(
            of(&[vec![promise("a", 1.0), unsure]], vec![]),
            "Cannot tell: 1 of 2 kept, 1 cannot be told"
        );
    }

    #[test]
    fn a_promise_of_many_cases_is_one_row_with_the_best() {
        let cases = [vec![promise("iops", 0.07)], vec![promise("iops", 0.13)], vec![promise("iops", 0.1)]];
        let (_, rows) = told(Language::English, &cases[..2], vec![untested("random-read-4k")]);
        assert_eq!(rows.len(), 2);
        assert!(rows[0][2].ends_with(", the best of 2"), "{:?}", rows[0]);
        assert!(rows[0].contains(&"13 %".to_owned()) && rows[0].last().unwrap().starts_with("not kept"));
        assert_eq!(rows[1].last().unwrap(), "not tested: No load measures that.");
    }

    #[test]
    fn every_language_has_the_reason_alone() {
        for language in LANGUAGES {
            let (_, rows) = told(*language, &[], vec![untested("c")]);
            let said = rows[0].last().unwrap();
            assert!(said.len() > 20 && !said.contains("20 k/s"), "{said}");
            // Of a promise that says no direction, neither is named.
            let at_random = |direction: &str| {
                let finding = untested("c").arg("reason", "access").arg("access", "random");
                let (_, rows) = told(*language, &[], vec![finding.arg("direction", direction)]);
                rows[0].last().unwrap().clone()
            };
            if *language != Language::English {
                assert_ne!(at_random("both"), at_random("write"));
            }
        }
    }
}
