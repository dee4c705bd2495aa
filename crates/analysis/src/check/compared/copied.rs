//! Two results whose figures are the same to the last digit: one of them is a copy. No two executions measure the same so
//! exactly, whatever they did.

use std::collections::{BTreeMap, HashMap};

use model::finding::Evidence;
use model::metric::MetricSummary;
use model::tool_result::{ToolMeasurement, ToolPartKind, ToolResult};
use model::{Finding, FindingKind, MetricName, Severity, Unit, metric};

use super::sides::heading_of;
use crate::check::{ToolCheck, ToolCheckContext, ToolCheckLook};

/// What lists the parts of a machine says the same every time.
const INVENTORIES: &[&str] = &[
    "lspci",
    "lshw",
    "lscpu",
    "ip",
    "ifconfig",
    "ethtool",
    "ethtool-statistics",
    "numactl",
    "dmidecode",
    "nvme",
    "smartctl",
    "sensors",
    "free",
    "tc",
    "uptime",
    "top",
];

/// The first digits of a figure tell how fast the machine is, and are the same each time; those behind tell executions apart.
const OF_MACHINE: usize = 2;

/// Of sums, and of intervals of a rate that something limits, one digit more.
const OF_SUMS: usize = 3;

/// Executions of the same agree in so many further digits by chance in one of ten million.
const DIGITS_OF_SAME: usize = 7;

/// As [`DIGITS_OF_SAME`], of those that did something else.
const DIGITS_OF_OTHER: usize = 4;

/// Figures that do not agree show that it is no copy, but for a few that were changed.
const SHARE_MIN: f64 = 0.8;

/// A figure that more results have is none that tells them apart.
const RESULTS_MAX: usize = 6;

/// So many copies are told.
const TOLD: usize = 5;

pub(super) const CHECK: ToolCheck = ToolCheck {
    code: "same-figures-twice",
    doc: "Two results have figures that are the same to the last digit, more of them than chance makes the same: one is a copy of \
          the other, whatever is said of what differs between them.",
    english: r#"
finding-same-figures-twice =
    lines { $first } to { $last } and lines { $begins } to { $ends } have the same figures to the last digit ({ $example }){ $how ->
        [command] , though their commands differ: one is a copy of the other
        [options] , though they were run with other options: one is a copy of the other
        [heading] , though one is headed “{ $name }” and the other “{ $other }”: one is a copy of the other
       *[same] : that is one execution, which counts once
    }
    .advice = { $how ->
        [same] leave one of them out, or measure again
       *[other] measure again under the other condition: nothing is known of it
    }
"#,
    remedies: &[],
    look: ToolCheckLook::All(look),
};

fn look(context: &ToolCheckContext<'_>) -> Vec<Finding> {
    context.outputs.iter().flat_map(|output| of_text(&output.results, output)).take(TOLD).collect()
}

fn of_text(results: &[ToolResult], output: &model::ToolOutput) -> Vec<Finding> {
    let measured: Vec<&ToolResult> = results
        .iter()
        .filter(|result| !INVENTORIES.contains(&result.tool.as_str()) && !result.is_since_boot())
        .collect();
    // Which results have a figure that few have.
    let mut holders: HashMap<(&str, MetricName, &str), Vec<usize>> = HashMap::new();
    let figures: Vec<TellingFigures<'_>> = measured.iter().map(|result| TellingFigures::of(result)).collect();
    for (place, own) in figures.iter().enumerate() {
        for (name, text) in own.0.keys() {
            holders.entry((&measured[place].tool, *name, text)).or_default().push(place);
        }
    }
    let mut pairs: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for places in holders.values().filter(|places| places.len() <= RESULTS_MAX) {
        for (at, one) in places.iter().enumerate() {
            for other in places.iter().skip(at + 1) {
                *pairs.entry((*one, *other)).or_default() += 1;
            }
        }
    }
    let mut told: Vec<usize> = Vec::new();
    let mut found = Vec::new();
    for ((one, other), _) in pairs {
        // Of three copies two are told.
        if told.contains(&other) {
            continue;
        }
        let (a, b) = (measured[one], measured[other]);
        let Some(same) = figures[one].same_as(&figures[other]).filter(|_| !overlap(a, b)) else { continue };
        let difference = Difference::between(a, b, output);
        if same.digits >= difference.digits_min() {
            told.push(other);
            found.push(finding(a, b, &same, &difference));
        }
    }
    found
}

/// Whether both stand in the same lines: one output of a tool may be several results.
fn overlap(a: &ToolResult, b: &ToolResult) -> bool {
    a.lines.first <= b.lines.last && b.lines.first <= a.lines.last
}

/// The figures of a result that another execution would not have, each with how many digits tell it apart.
struct TellingFigures<'a>(BTreeMap<(MetricName, &'a str), usize>);

/// What two results have in common.
struct SameFigures<'a> {
    digits: usize,
    examples: Vec<&'a str>,
}

impl<'a> TellingFigures<'a> {
    fn of(result: &'a ToolResult) -> Self {
        let mut all = BTreeMap::new();
        for (part, measured) in result.measurements() {
            let is_interval = part.is_some_and(|part| part.kind == ToolPartKind::Interval);
            add(&mut all, measured, is_interval);
        }
        Self(all)
    }

    /// The figures that both have alike, where these are most of those of either.
    fn same_as(&self, other: &Self) -> Option<SameFigures<'a>> {
        let same = || self.0.iter().filter(|(key, _)| other.0.contains_key(*key));
        let least = self.0.len().min(other.0.len());
        if (same().count() as f64) < SHARE_MIN * least as f64 {
            return None;
        }
        // Rates follow from one another, and from the time; latencies do not.
        let of_rates = same().filter(|((name, _), _)| is_of_rate(*name)).map(|(_, digits)| *digits).max();
        let mut texts: Vec<&str> = Vec::new();
        let mut of_others = 0;
        for ((name, text), digits) in same() {
            if !is_of_rate(*name) && !texts.contains(text) {
                texts.push(text);
                of_others += digits;
            }
        }
        let mut examples: Vec<(usize, &'a str)> =
            same().map(|((_, text), digits)| (*digits, *text)).collect();
        examples.sort_by_key(|(digits, _)| std::cmp::Reverse(*digits));
        let examples = examples.into_iter().map(|(_, text)| text).take(3).collect();
        Some(SameFigures { digits: of_rates.unwrap_or(0) + of_others, examples })
    }
}

/// Rates, times and means are of one another: of each there are as many as there are units.
fn is_of_rate(name: MetricName) -> bool {
    let is_latency = name.statistic().is_some();
    let is_extreme = matches!(
        name.summary(),
        Some((_, MetricSummary::Least | MetricSummary::Greatest | MetricSummary::Sum))
    );
    !is_latency && !is_extreme
}

fn add<'a>(
    all: &mut BTreeMap<(MetricName, &'a str), usize>,
    measured: &'a ToolMeasurement,
    is_interval: bool,
) {
    let figures = measured.figures.iter().map(|figure| (figure.metric, &figure.printed));
    let window = measured.window.iter().map(|window| (metric::ELAPSED, window));
    for (name, printed) in figures.chain(window) {
        let is_measured = [Unit::BytesPerSecond, Unit::PerSecond, Unit::Seconds].contains(&printed.unit);
        // What was made of others is printed as `10000 / 9.1394`.
        let is_own =
            !printed.text.contains(" / ") && !printed.text.contains(" + ") && !printed.text.contains("...");
        let is_sum = matches!(name.summary(), Some((_, MetricSummary::Sum)));
        let of_machine = if is_interval || is_sum { OF_SUMS } else { OF_MACHINE };
        let digits = digits(&printed.text).saturating_sub(of_machine);
        if is_measured && is_own && digits > 0 && printed.value > 0.0 {
            all.insert((name, printed.text.as_str()), digits);
        }
    }
}

/// How many digits of a number count: zeros at its ends do not.
fn digits(text: &str) -> usize {
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == ',')).unwrap_or(text.len());
    let number: String = text.chars().take(end).filter(char::is_ascii_digit).collect();
    number.trim_matches('0').len()
}

/// By what two results are said to differ.
struct Difference {
    how: &'static str,
    headings: Option<(String, String)>,
}

impl Difference {
    fn between(a: &ToolResult, b: &ToolResult, output: &model::ToolOutput) -> Self {
        let headings = heading_of(output, a).zip(heading_of(output, b)).filter(|(one, other)| one != other);
        let how = match () {
            () if !a.command.is_empty() && !b.command.is_empty() && a.command != b.command => "command",
            () if headings.is_some() => "heading",
            () if a.options != b.options || a.version != b.version => "options",
            () => "same",
        };
        Self { how, headings }
    }

    fn digits_min(&self) -> usize {
        if self.how == "same" { DIGITS_OF_SAME } else { DIGITS_OF_OTHER }
    }
}

fn finding(a: &ToolResult, b: &ToolResult, same: &SameFigures<'_>, difference: &Difference) -> Finding {
    let lines = |result: &ToolResult| {
        Evidence::maybe_at("printed-lines", None)
            .arg("first", result.lines.first)
            .arg("last", result.lines.last)
    };
    let finding = Finding::new(FindingKind::Validity, CHECK.code, Severity::Warning)
        .arg("first", a.lines.first)
        .arg("last", a.lines.last)
        .arg("begins", b.lines.first)
        .arg("ends", b.lines.last)
        .arg("example", same.examples.join(", "))
        .arg("how", difference.how)
        .because(lines(a))
        .because(lines(b));
    match &difference.headings {
        Some((one, other)) if difference.how == "heading" => {
            finding.arg("name", one.as_str()).arg("other", other.as_str())
        }
        _ => finding,
    }
}

#[cfg(test)]
mod tests {
    use model::Value;

    use super::*;
    use crate::check::fixture;

    const FIO: &str = include_str!("../../../../import/tests/tool/fixtures/fio/fio-3.33-randread.out");
    const PGBENCH: &str =
        include_str!("../../../../import/tests/tool/fixtures/pgbench/pgbench-15.18-tpcb.out");

    fn told(text: &str) -> Vec<Value> {
        fixture::found(&CHECK, text).iter().map(|finding| finding.args["how"].clone()).collect()
    }

    #[test]
    fn an_output_that_stands_twice_is_one_execution() {
        assert_eq!(told(FIO), []);
        assert_eq!(told(&format!("{FIO}\n{FIO}")), [Value::from("same")]);
        assert_eq!(told(&format!("{FIO}\n{FIO}\n{FIO}")), [Value::from("same"), Value::from("same")]);
        let other = FIO
            .replace("avg=67.8", "avg=71.2")
            .replace("avg=67.9", "avg=71.3")
            .replace("max=3124", "max=2210");
        let other =
            other.replace("[  693]", "[  701]").replace("[ 2442]", "[ 2114]").replace("[  176]", "[  181]");
        assert_eq!(told(&format!("{FIO}\n{other}")), []);
    }

    #[test]
    fn a_copy_under_another_condition_is_told() {
        let other = PGBENCH.replacen("-c 4 -j 2", "-c 64 -j 2", 1);
        assert_eq!(told(&format!("{PGBENCH}\n\n{other}\n")), [Value::from("command")]);
        let headed = format!("Before the change:\n{PGBENCH}\n\nAfter the change:\n{PGBENCH}\n");
        assert_eq!(told(&headed), [Value::from("heading")]);
        let measured = headed.replacen("427.959843", "431.204417", 1).replacen("9.347", "9.276", 1);
        assert_eq!(told(&measured), []);
    }

    #[test]
    fn figures_of_few_digits_may_be_the_same() {
        let dd =
            "64+0 records in\n64+0 records out\n67108864 bytes (67 MB, 64 MiB) copied, 0.04 s, 1.7 GB/s\n";
        assert_eq!(told(&format!("$ dd if=a of=b\n{dd}$ dd if=a of=c\n{dd}")), []);
        let long = dd.replace("0.04 s", "39.6791 s").replace("1.7 GB/s", "1.7 MB/s");
        assert_eq!(told(&format!("$ dd if=a of=b\n{long}$ dd if=a of=c\n{long}")), [Value::from("command")]);
    }

    #[test]
    fn digits_at_the_ends_that_are_zero_do_not_count() {
        assert_eq!((digits("100.00 MB/s"), digits("0.00123 s"), digits("427.959843")), (1, 3, 9));
    }
}
