//! flent's summary: a line of each series, with its mean, median and 99th percentile. What it keeps in
//! its own files (`.flent.gz`) is not read here.

use model::tool_result::{Counting, PrintedValue, ToolMeasurement, ToolPartKind, ToolResult};
use model::{MetricName, Unit, metric};

use super::given::{GivenOptions, OptionSpec};
use super::part;
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{exact, leading, quantity, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Flent;

const NAME: &str = "flent";

const BITS: CountingRule = CountingRule {
    tool: NAME,
    versions: "1.x to 2.x",
    units: "Mbits/s",
    counting: Counting::Decimal,
    proof: "flent/runners.py runs netperf with `-f m`, whose rates are multiples of 10^6 bits",
};

const RULES: &[CountingRule] = &[BITS];

/// What lines beside the table begin with.
const LINES: &[&str] = &[
    "Starting ",
    "Started ",
    "Data file written to ",
    "Initialised ",
    "WARNING: ",
    "ERROR: ",
    "  Title: ",
    "  Cut data ",
];

impl ToolReader for Flent {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the summary that flent prints of a test, with its series in Mbits/s and ms"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["flent", "netperf-wrapper"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        RULES
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["Starting Flent ", "Started Flent ", "Summary of "]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let is_start = line.text.starts_with("Starting Flent ") || line.text.starts_with("Started Flent ");
        (is_start || summary(&line.text).is_some()).then_some(Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.as_str();
        let is_begin = |line: &ToolLine| summary(&line.text).is_some();
        if is_begin(last) && before.iter().any(is_begin)
            || text.starts_with("Starting Flent ") && !before.is_empty()
        {
            return Extent::EndsBefore;
        }
        let belongs = last.is_blank()
            || is_begin(last)
            || is_heading(text)
            || Series::of(last).is_some()
            || last.is_indented() && text.ends_with("No data.")
            || LINES.iter().any(|beginning| text.starts_with(beginning));
        if belongs { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let series: Vec<Series<'_>> = block.lines.iter().filter_map(Series::of).collect();
        let heading =
            block.lines.iter().find(|line| is_heading(&line.text)).ok_or(NotUnderstood::CutShort)?;
        if series.is_empty() {
            return Err(NotUnderstood::CutShort);
        }
        let mut result = block.result(NAME, self.programs());
        let version = block.lines.iter().find_map(|line| line.text.strip_prefix("Starting Flent "));
        result.version = version.and_then(|rest| rest.split_whitespace().next()).map(str::to_owned);
        if let Some(last) = block.lines.iter().rev().find(|line| !line.is_blank()) {
            result.lines.last = last.number;
        }
        if let Some((test, moment)) = block.lines.iter().find_map(|line| summary(&line.text)) {
            result.moment = Some(moment.trim_end_matches('.').to_owned());
            result.options.insert("test".to_owned(), test.to_owned());
        }
        result.options.extend(GivenOptions::of(&result.command, TABLE).options);
        for one in &series {
            result.parts.push(part(ToolPartKind::Stream, one.name, one.measured(&heading.text)));
        }
        result.whole = whole_of(&series, &heading.text);
        Ok(vec![result])
    }
}

const TABLE: &[OptionSpec] = &[
    OptionSpec::value(Some('H'), "host"),
    OptionSpec::value(Some('l'), "length"),
    OptionSpec::value(Some('s'), "step-size"),
    OptionSpec::value(Some('t'), "title-extra"),
    OptionSpec::value(Some('D'), "data-dir"),
    OptionSpec::value(Some('o'), "output"),
    OptionSpec::value(Some('f'), "format"),
    OptionSpec::value(None, "test-parameter"),
];

/// The test and the time of `Summary of tcp_download test run from 2024-03-01 10:00:00`.
fn summary(text: &str) -> Option<(&str, &str)> {
    let (test, moment) = text.strip_prefix("Summary of ")?.split_once(" test run ")?;
    let moment = moment.strip_prefix("from ").or_else(|| moment.strip_prefix("at ")).unwrap_or(moment);
    (!test.contains(' ')).then_some((test, moment))
}

/// `                   avg       median       99th %          # data pts`.
fn is_heading(text: &str) -> bool {
    text.starts_with(' ') && text.contains(" avg") && text.contains(" median") && text.contains("# data pts")
}

/// A series: ` TCP download     :      37325.68     37516.38     38000.00 Mbits/s           299`.
struct Series<'a> {
    line: u64,
    name: &'a str,
    /// In the order of the heading; absent where it says N/A.
    numbers: Vec<Option<&'a str>>,
    unit: &'a str,
    count: Option<u64>,
}

impl<'a> Series<'a> {
    fn of(line: &'a ToolLine) -> Option<Self> {
        let (name, rest) = line.text.rsplit_once(" : ")?;
        let is_number = |word: &&str| leading(word, false).is_some_and(|number| number.rest.is_empty());
        let mut numbers: Vec<Option<&str>> = Vec::new();
        let mut words = rest.split_whitespace().peekable();
        while let Some(word) = words.next_if(|word| *word == "N/A" || is_number(word)) {
            numbers.push(Some(word).filter(|word| *word != "N/A"));
        }
        let unit = words.next()?;
        let count = words.next().and_then(whole).filter(|(_, rest)| rest.is_empty()).map(|(count, _)| count);
        let is_whole = line.is_indented() && !numbers.is_empty() && words.next().is_none() && count.is_some();
        is_whole.then_some(Self { line: line.number, name: name.trim(), numbers, unit, count })
    }

    fn is_rate(&self) -> bool {
        self.unit.ends_with("bits/s")
    }

    fn is_time(&self) -> bool {
        self.unit == "ms"
    }

    fn printed(&self, place: usize) -> Option<PrintedValue> {
        let number = self.numbers.get(place).copied().flatten()?;
        quantity(self.line, &format!("{number} {}", self.unit), Counting::Decimal)
    }

    /// What the columns of the heading say.
    fn measured(&self, heading: &str) -> ToolMeasurement {
        let mut measured = ToolMeasurement::default();
        let has_p99 = heading.contains("99th %");
        let names = match (self.is_rate(), self.is_time()) {
            (true, _) => {
                [metric::THROUGHPUT, MetricName::new("throughput_p50"), MetricName::new("throughput_p99")]
            }
            (_, true) => [MetricName::new("latency_mean"), metric::LATENCY_P50, metric::LATENCY_P99],
            _ => return measured,
        };
        let columns = if has_p99 { 3 } else { 2 };
        for (place, name) in names.into_iter().enumerate().take(columns) {
            measured.add(name, self.printed(place));
        }
        let count = self.count.map(|count| exact(self.line, count, Unit::One));
        measured.add(MetricName::new("data_points"), count);
        measured
    }
}

/// The whole: the rate of the only series that has one, or of their sum, and the times of the ping.
fn whole_of(series: &[Series<'_>], heading: &str) -> ToolMeasurement {
    let mut whole = ToolMeasurement::default();
    let rates: Vec<&Series<'_>> = series.iter().filter(|series| series.is_rate()).collect();
    let totals: Vec<&Series<'_>> =
        rates.iter().copied().filter(|series| series.name.ends_with(" totals")).collect();
    let sums: Vec<&Series<'_>> =
        rates.iter().copied().filter(|series| series.name.ends_with(" sum")).collect();
    let rate = match (rates.as_slice(), totals.as_slice(), sums.as_slice()) {
        ([only], ..) | (_, [only], _) | (_, [], [only]) => Some(*only),
        _ => None,
    };
    whole.add(metric::THROUGHPUT, rate.and_then(|rate| rate.printed(0)));
    let times: Vec<&Series<'_>> = series.iter().filter(|series| series.is_time()).collect();
    let average = times.iter().find(|series| series.name.ends_with("avg"));
    let time = match times.as_slice() {
        [only] => Some(*only),
        _ => average.copied(),
    };
    for figure in time.map(|time| time.measured(heading).figures).unwrap_or_default() {
        if figure.metric != MetricName::new("data_points") {
            whole.figures.push(figure);
        }
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_series_is_read_by_the_columns_of_its_heading() {
        let line = ToolLine {
            number: 1,
            text: " TCP download    :        94.10        94.20          N/A Mbits/s           299"
                .to_owned(),
        };
        let series = Series::of(&line).unwrap();
        assert_eq!((series.name, series.unit, series.count), ("TCP download", "Mbits/s", Some(299)));
        let measured = series.measured("   avg       median       99th %          # data pts");
        let names: Vec<&str> = measured.figures.iter().map(|figure| figure.metric.as_str()).collect();
        assert_eq!(names, ["throughput", "throughput_p50", "data_points"]);
        assert!((measured.figures[0].printed.value - 11_762_500.0).abs() < 1e-3);
    }

    #[test]
    fn other_lines_with_a_colon_are_none() {
        for text in [" note : see 5 below", "x : 5 ms 3", " a : b"] {
            assert!(Series::of(&ToolLine { number: 1, text: text.to_owned() }).is_none(), "{text}");
        }
    }
}
