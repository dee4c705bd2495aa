//! What is written of how many times one figure is another, and is not so.

use model::finding::Evidence;
use model::tool_result::{ToolResult, UnreadCause, UnreadLines, WrittenLine};
use model::{Finding, FindingKind, ParameterName, Severity, ToolOutput, Unit};

use crate::check::claim::{Claim, Pair, Sentence};
use crate::check::prose::WrittenNumber;
use crate::check::work::option;
use crate::check::{ToolCheck, ToolCheckContext, ToolCheckLook};

/// Words of a sentence without figures that is about something else than what the text shows.
const ELSEWHERE: &[&str] = &[
    "production",
    "our ",
    "practice",
    "real",
    "application",
    "customer",
    "old ",
    "previous",
    "other ",
    "usual",
];

pub(super) const CHECK: ToolCheck = ToolCheck {
    code: "ratio-contradicts-results",
    doc: "A text says how many times, or which share, one figure is more or less than another, and no two figures of the same \
          sentence, or of the text and its results, make that.",
    english: r#"
finding-ratio-contradicts-results =
    { $how ->
        [base] the text says “{ $printed }”, but { $example } is { PERCENT($gain) } more than { $other }, and { $other } is
            { PERCENT($loss) } less than { $example }: the share is of the wrong one of the two
       *[other] the text says “{ $printed }”, but { $example } is { FIXED($ratio, decimals: 2) } times { $other }: { PERCENT($gain) } more
    }
    .advice = divide the figures again, and say which of them is the base

evidence-claim-line =
    line { $line }: { $name }
"#,
    remedies: &[],
    look: ToolCheckLook::All(look),
};

/// Two figures as they are written, and what they make.
#[derive(Clone)]
struct WrittenPair {
    greater: String,
    smaller: String,
    pair: Pair,
}

fn look(context: &ToolCheckContext<'_>) -> Vec<Finding> {
    context.outputs.iter().flat_map(of_text).collect()
}

fn of_text(output: &ToolOutput) -> Vec<Finding> {
    let paragraphs: Vec<Vec<Sentence>> = paragraphs(output).iter().map(|lines| sentences(lines)).collect();
    if paragraphs.iter().flatten().all(|sentence| sentence.claims.is_empty()) {
        return Vec::new();
    }
    let measured = measured(output);
    let has_figures = paragraphs.iter().flatten().any(|sentence| !sentence.numbers.is_empty());
    let mut all = Vec::new();
    for paragraph in &paragraphs {
        for (at, sentence) in paragraph.iter().enumerate() {
            let before = paragraph.get(..at).unwrap_or_default();
            let written: Vec<&WrittenNumber> = before.iter().flat_map(|sentence| &sentence.numbers).collect();
            let of = if !sentence.numbers.is_empty() {
                pairs(&sentence.numbers.iter().collect::<Vec<_>>())
            } else if !is_of_these(sentence) {
                Vec::new()
            } else if written.len() == 2 {
                pairs(&written)
            } else if has_figures {
                // Nobody knows which of them it means.
                Vec::new()
            } else {
                measured.clone()
            };
            all.extend(sentence.claims.iter().filter_map(|claim| contradiction(sentence, claim, &of)));
        }
    }
    all
}

/// The sentences of a text that somebody wrote, each with the line on which it ends.
pub(in crate::check) fn sentences_of(output: &ToolOutput) -> Vec<(u64, String)> {
    let all = paragraphs(output);
    all.iter().flat_map(|lines| sentences(lines)).map(|sentence| (sentence.line, sentence.text)).collect()
}

/// Those that say how many times, or which share, something is more or less.
pub(in crate::check) fn claiming_sentences(output: &ToolOutput) -> Vec<Sentence> {
    let all = paragraphs(output);
    all.iter().flat_map(|lines| sentences(lines)).filter(|sentence| !sentence.claims.is_empty()).collect()
}

/// Whether a sentence says so of figures that it has itself.
pub(in crate::check) fn has_claim_of_figures(output: &ToolOutput) -> bool {
    claiming_sentences(output)
        .iter()
        .any(|sentence| !pairs(&sentence.numbers.iter().collect::<Vec<_>>()).is_empty())
}

/// Whether a sentence without figures may be about those that stand before it.
fn is_of_these(sentence: &Sentence) -> bool {
    let lower = sentence.text.to_lowercase();
    !ELSEWHERE.iter().any(|word| lower.contains(word))
}

/// Lines that stand one behind the other. A row of a table, a heading and an item of a list each are one of their own.
fn paragraphs(output: &ToolOutput) -> Vec<Vec<&WrittenLine>> {
    let prose = output.unread.iter().filter(|unread| unread.cause == UnreadCause::NoTool);
    let mut all: Vec<Vec<&WrittenLine>> = Vec::new();
    for line in prose.flat_map(|unread: &UnreadLines| &unread.written) {
        let goes_on = all.last().and_then(|lines| lines.last()).is_some_and(|before| {
            let stands_alone = |text: &str| {
                let text = text.trim_start();
                text.contains(['|', '\t'])
                    || text.starts_with(['#', '-', '*', '>', '\u{2022}'])
                    || text.contains("  ")
            };
            let begins = line.text.starts_with(|c: char| c.is_lowercase() || !c.is_ascii());
            before.line + 1 == line.line
                && !stands_alone(&line.text)
                && !before.text.contains(['|', '\t'])
                && begins
        });
        match all.last_mut().filter(|_| goes_on) {
            Some(lines) => lines.push(line),
            None => all.push(vec![line]),
        }
    }
    all
}

/// The sentences of a paragraph, each with the line on which it ends.
fn sentences(lines: &[&WrittenLine]) -> Vec<Sentence> {
    let mut all = Vec::new();
    let mut open = String::new();
    let mut at = 0;
    for line in lines {
        let text = line.text.replace(['\u{3002}', ';'], ". ");
        let mut rest = text.as_str();
        while let Some(end) = end_of_sentence(rest) {
            open.push_str(rest.get(..end).unwrap_or_default());
            all.push(Sentence::of(line.line, open.trim()));
            open.clear();
            rest = rest.get(end + 2..).unwrap_or_default();
        }
        open.push_str(rest);
        open.push(' ');
        at = line.line;
    }
    if !open.trim().is_empty() {
        all.push(Sentence::of(at, open.trim()));
    }
    all
}

/// Words that end with a full stop, in lower case: `i.e. 200 MB/s`.
const ABBREVIATIONS: &[&str] =
    &["i.e", "e.g", "vs", "approx", "ca", "resp", "avg", "incl", "z.b", "d.h", "bzw"];

/// Where the first sentence of a text ends.
fn end_of_sentence(text: &str) -> Option<usize> {
    let is_abbreviated = |at: &usize| {
        let before = text.get(..*at).unwrap_or_default().to_lowercase();
        let word =
            before.rsplit(|c: char| c.is_whitespace() || matches!(c, '(' | ',')).next().unwrap_or_default();
        ABBREVIATIONS.contains(&word)
    };
    let full_stop = text.match_indices(". ").map(|(at, _)| at).find(|at| !is_abbreviated(at));
    full_stop.or_else(|| text.find("? ")).or_else(|| text.find("! "))
}

/// All pairs of figures of one unit.
fn pairs(numbers: &[&WrittenNumber]) -> Vec<WrittenPair> {
    let mut all = Vec::new();
    for (at, a) in numbers.iter().enumerate() {
        for b in numbers.iter().skip(at + 1).filter(|b| b.unit == a.unit) {
            // Units that may mean two things mean the same one in both.
            let each: Vec<(f64, f64)> = if a.meanings.len() == b.meanings.len() {
                a.meanings.iter().copied().zip(b.meanings.iter().copied()).collect()
            } else {
                a.meanings.iter().flat_map(|x| b.meanings.iter().map(move |y| (*x, *y))).collect()
            };
            all.extend(each.into_iter().filter_map(|(x, y)| {
                let (greater, smaller) = if x >= y { (a, b) } else { (b, a) };
                let pair = Pair::of((x, a.step / 2.0), (y, b.step / 2.0), a.unit)?;
                Some(WrittenPair { greater: greater.text.clone(), smaller: smaller.text.clone(), pair })
            }));
        }
    }
    all
}

/// Those of the figures that were measured, where there are two results, of the same work.
fn measured(output: &ToolOutput) -> Vec<WrittenPair> {
    match output.results.as_slice() {
        [a, b] if is_same_work(a, b) => of_results(a, b).collect(),
        _ => Vec::new(),
    }
}

/// Whether two results may be compared by such a claim: the same tool did the same kind of work.
fn is_same_work(a: &ToolResult, b: &ToolResult) -> bool {
    let pattern = |result: &ToolResult| {
        let own = option(result, &["rw", "readwrite"]).map(str::to_owned);
        own.or_else(|| result.parameters.text(ParameterName::PATTERN).ok().map(str::to_owned))
    };
    let name = |result: &ToolResult| option(result, &["benchmark", "operation", "phase"]).map(str::to_owned);
    a.tool == b.tool && a.workload == b.workload && pattern(a) == pattern(b) && name(a) == name(b)
}

fn of_results<'a>(a: &'a ToolResult, b: &'a ToolResult) -> impl Iterator<Item = WrittenPair> + 'a {
    let figures =
        a.whole.figures.iter().filter_map(|figure| Some((&figure.printed, b.whole.figure(figure.metric)?)));
    let windows = a.whole.window.as_ref().zip(b.whole.window.as_ref());
    let kinds = [Unit::BytesPerSecond, Unit::PerSecond, Unit::Seconds];
    figures.chain(windows).filter(move |(a, _)| kinds.contains(&a.unit)).filter_map(|(a, b)| {
        let (greater, smaller) = if a.value >= b.value { (a, b) } else { (b, a) };
        let own =
            |printed: &model::tool_result::PrintedValue| (printed.value, printed.half_step / printed.value);
        let pair = Pair::of(own(a), own(b), a.unit)?;
        Some(WrittenPair { greater: greater.text.clone(), smaller: smaller.text.clone(), pair })
    })
}

fn contradiction(sentence: &Sentence, claim: &Claim, pairs: &[WrittenPair]) -> Option<Finding> {
    let distance = |pair: &WrittenPair| pair.pair.distance(claim);
    let nearest = pairs.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
    if distance(nearest) == 0.0 {
        return None;
    }
    let wrong_base = pairs.iter().find(|pair| pair.pair.has_wrong_base(claim));
    let (how, meant) = wrong_base.map_or(("other", nearest), |pair| ("base", pair));
    let Pair { greater, smaller, .. } = meant.pair;
    let line =
        Evidence::maybe_at("claim-line", None).arg("line", sentence.line).arg("name", sentence.text.as_str());
    let finding = Finding::new(FindingKind::Validity, CHECK.code, Severity::Warning)
        .arg("how", how)
        .arg("printed", claim.text.as_str())
        .arg("example", meant.greater.as_str())
        .arg("other", meant.smaller.as_str())
        .arg("ratio", greater / smaller)
        .arg("gain", greater / smaller - 1.0)
        .arg("loss", 1.0 - smaller / greater)
        .because(line);
    Some(finding)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::fixture;

    fn text_of(value: &model::Value) -> String {
        match value {
            model::Value::Text(text) => text.clone(),
            other => panic!("{other:?}"),
        }
    }

    fn dd(seconds: &str, rate: &str) -> String {
        format!(
            "64+0 records in\n64+0 records out\n67108864 bytes (67 MB, 64 MiB) copied, {seconds} s, {rate}\n"
        )
    }

    fn said(text: &str) -> Vec<String> {
        let found = fixture::found(&CHECK, &format!("{}\n{text}\n", dd("0.500000", "134 MB/s")));
        found.iter().map(|finding| text_of(&finding.args["how"])).collect()
    }

    #[test]
    fn a_claim_is_held_against_the_figures_of_its_sentence() {
        for right in [
            "Throughput went from 120 to 180 MB/s, 50% faster.",
            "Latency fell from 8.0 ms to 5.0 ms, 37.5% lower.",
            "A has 100 MB/s and B 210 MB/s, about twice as fast.",
            "With cache: 120 MB/s. Without: 180 MB/s. That is 50% more.",
            "180 MB/s vs 120 MB/s with 20% less CPU",
            "It should be 90% faster: 120 MB/s now, 180 MB/s then",
            "95% of requests took 3 ms, 99% took 5 ms",
            "99% took below 5 ms, 95% in less than 3 ms",
            "120 MB/s and 180 MB/s let it run 60% more containers",
            "We saw 200 MB/s, then 300 MB/s, 1.5 times faster",
            "120MB/s에서 180MB/s로 50% 향상",
            "120 MB/sから180 MB/sへ50%向上",
        ] {
            assert_eq!(said(right), Vec::<String>::new(), "{right}");
        }
        for (wrong, how) in [
            ("Throughput went from 120 to 180 MB/s, 80% faster.", "other"),
            ("Throughput went from 120 to 180 MB/s, 33% faster.", "base"),
            ("A has 100 MB/s and B 130 MB/s: B is twice as fast.", "other"),
            ("With cache: 120 MB/s. Without: 180 MB/s. That is 80% more.", "other"),
            ("120MB/s에서 180MB/s로 2배 빨라졌다", "other"),
            ("120 MB/sから180 MB/sへ80%向上", "other"),
        ] {
            assert_eq!(said(wrong), [how], "{wrong}");
        }
    }

    #[test]
    fn a_claim_of_two_results_is_held_against_them() {
        let count = |claim: &str| {
            let text = format!("{}{}{claim}\n", dd("0.500000", "134 MB/s"), dd("0.250000", "268 MB/s"));
            fixture::found(&CHECK, &text).len()
        };
        assert_eq!(count("The second disk is twice as fast."), 0);
        assert_eq!(count("The second disk is 100% faster."), 0);
        assert_eq!(count("The second disk is three times larger."), 0);
        assert_eq!(count("The second disk is 4x faster."), 1);
        assert_eq!(count("The second disk is 4x faster than the last one we had."), 0);
        assert_eq!(count("In our production workload writes are 4x faster."), 0);
        assert_eq!(count("It holds 60% more containers."), 0);
        assert_eq!(count("That is 3 times slower than 10 ms."), 0);
    }

    #[test]
    fn with_one_result_nobody_knows_what_it_is_compared_with() {
        assert_eq!(said("This is 40% faster than the old disk."), Vec::<String>::new());
    }
}
