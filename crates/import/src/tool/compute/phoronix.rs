//! Phoronix Test Suite: the mean of each test's runs as it prints it at their end, and the bars by which it compares
//! systems. What a test counts in is the test's own matter: times become seconds, all else keeps its unit.

use model::tool_result::{PrintedValue, ToolMeasurement, ToolPart, ToolPartKind, ToolResult};
use model::{MetricName, Unit, metric};

use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{exact, leading, plain};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Phoronix;

const NAME: &str = "phoronix-test-suite";

/// Where profiles of tests come from: before their names.
const SOURCES: &[&str] = &["pts/", "system/", "local/", "git/"];

/// What ends the line above the bars.
const SCALES: &[&str] = &[" < Lower Is Better", " > Higher Is Better"];

/// What belongs to the average stands at most so many lines below it.
const AFTER_AVERAGE: usize = 3;

const RUN: &str = "Started Run ";
const AVERAGE: &str = "Average: ";
const DEVIATION: &str = "Deviation: ";
const SAMPLES: &str = "Samples: ";

/// How other lines begin that it prints while a test runs.
const OTHERS: &[&str] =
    &[RUN, AVERAGE, "Test ", "Estimated ", "Running ", "Utilizing ", "Trial Run", "[NOTICE] "];

/// A figure of a test that is no time.
const RESULT: MetricName = MetricName::new("result");
const RESULT_MEAN: MetricName = MetricName::new("result_mean");
const RESULT_STDDEV: MetricName = MetricName::new("result_stddev");

impl ToolReader for Phoronix {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the means and the runs of each test of the Phoronix Test Suite, and the bars by which it compares systems"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME]
    }

    fn counting(&self) -> &'static [CountingRule] {
        // Its tests print what they like, which is kept as it is.
        &[]
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&[" Is Better", "pts/", "system/", "local/", "git/"]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = line.text.trim();
        (profile(text).is_some() || scale(text).is_some()).then_some(Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let (Some(first), Some((last, before))) = (lines.first(), lines.split_last()) else {
            return Extent::More;
        };
        let text = last.text.trim();
        if before.is_empty() {
            return Extent::More;
        }
        let belongs = if scale(first.text.trim()).is_some() {
            bar(text).is_some()
        } else if before.iter().rev().take(AFTER_AVERAGE).any(|line| line.text.trim().starts_with(AVERAGE)) {
            text.starts_with(DEVIATION) || text.starts_with(SAMPLES)
        } else {
            let is_own = OTHERS.iter().any(|other| text.starts_with(*other)) || text.ends_with(':');
            profile(text).is_none() && (last.is_blank() || is_own || number(text).is_some())
        };
        if belongs { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let result = block.without_blank_end().result(NAME, self.programs());
        let results = match block.lines.split_first() {
            Some((first, rows)) if scale(first.text.trim()).is_some() => bars(first, rows, &result),
            _ => test(block.lines, result).into_iter().collect(),
        };
        if results.is_empty() { Err(NotUnderstood::CutShort) } else { Ok(results) }
    }
}

/// The profile of a test with its version, and what is said of the run: `pts/stress-ng-1.4.0 [Test: CPU Stress]`.
fn profile(text: &str) -> Option<(&str, &str)> {
    let (profile, run) = text.split_once(' ').unwrap_or((text, ""));
    let name = SOURCES.iter().find_map(|source| profile.strip_prefix(*source))?;
    let (_, version) = name.rsplit_once('-')?;
    let is_version = version.split('.').count() == 3
        && version.split('.').all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()));
    let is_run = run.is_empty() || run.starts_with('[') && run.ends_with(']');
    (is_version && is_run).then(|| (profile, run.trim_matches(['[', ']'])))
}

/// The unit of `Signs Per Second > Higher Is Better`.
fn scale(text: &str) -> Option<&str> {
    SCALES.iter().find_map(|end| text.strip_suffix(*end)).map(str::trim).filter(|unit| !unit.is_empty())
}

/// A number that stands alone.
fn number(text: &str) -> Option<PrintedValue> {
    let read = leading(text, false).filter(|number| number.rest.is_empty())?;
    Some(PrintedValue { half_step: read.half_step, ..plain(0, read.digits, read.value, Unit::One) })
}

/// The system and the figure of `5.4.0-rc3 ................. 224 |=======`, which has no bar where it is the only one.
fn bar(text: &str) -> Option<(&str, PrintedValue)> {
    let text = text.split_once('|').map_or(text, |(text, _)| text).trim_end();
    let (name, value) = text.rsplit_once(' ')?;
    let name = name.trim_end().strip_suffix('.')?.trim_end_matches('.').strip_suffix(' ')?;
    Some((name.trim(), number(value)?))
}

/// A figure in the unit of a test, by the names of a time and of all else.
fn figure(
    line: u64,
    read: PrintedValue,
    unit: &str,
    names: (MetricName, MetricName),
) -> (MetricName, PrintedValue) {
    let (time, other) = names;
    let scale = match unit {
        "Seconds" => Some(1.0),
        "Milliseconds" | "ms" => Some(1e-3),
        "Microseconds" | "us" => Some(1e-6),
        "Nanoseconds" | "ns" => Some(1e-9),
        _ => None,
    };
    let text = format!("{} {unit}", read.text);
    let own = Unit::of_symbol(unit).filter(|_| !unit.is_empty()).unwrap_or(Unit::One);
    let (name, unit, scale) = match scale {
        Some(scale) => (time, Unit::Seconds, scale),
        None => (other, own, 1.0),
    };
    let (value, half_step) = (read.value * scale, read.half_step * scale);
    (name, PrintedValue { half_step, ..plain(line, text, value, unit) })
}

/// The results of the systems that bars compare.
fn bars(scale_line: &ToolLine, rows: &[ToolLine], of_all: &ToolResult) -> Vec<ToolResult> {
    let unit = scale(scale_line.text.trim()).unwrap_or_default();
    let one = |line: &ToolLine| {
        let (name, read) = bar(line.text.trim())?;
        let (metric, printed) = figure(line.number, read, unit, (metric::ELAPSED, RESULT));
        let mut result = ToolResult { name: Some(name.to_owned()), ..of_all.clone() };
        result.whole.add(metric, Some(printed));
        Some(result)
    };
    rows.iter().filter_map(one).collect()
}

/// The result of a test; `None` if it was cut before its mean.
fn test(lines: &[ToolLine], mut result: ToolResult) -> Option<ToolResult> {
    let mut trials: Vec<(u64, PrintedValue)> = Vec::new();
    let (mut mean, mut share) = (None, None);
    for line in lines {
        let text = line.text.trim();
        if let Some((profile, run)) = profile(text) {
            result.options.insert("test".to_owned(), profile.to_owned());
            if !run.is_empty() {
                result.options.insert("run".to_owned(), run.to_owned());
            }
        } else if let Some(rest) = text.strip_prefix(AVERAGE) {
            let (digits, unit) = rest.split_once(' ').unwrap_or((rest, ""));
            mean = number(digits).map(|read| (line.number, read, unit.trim()));
        } else if let Some(rest) = text.strip_prefix(DEVIATION) {
            share = rest.strip_suffix('%').and_then(number);
        } else if let Some(read) = number(text) {
            trials.push((line.number, read));
        }
    }
    let (line, mean, unit) = mean?;
    let deviation = share.map(|share| PrintedValue {
        text: format!("{}% of {}", share.text, mean.text),
        value: share.value / 100.0 * mean.value,
        half_step: share.half_step / 100.0 * mean.value,
        ..mean.clone()
    });
    let (name, printed) = figure(line, mean, unit, (metric::ELAPSED_MEAN, RESULT_MEAN));
    result.whole.add(name, Some(printed));
    if let Some(deviation) = deviation {
        let (name, printed) = figure(line, deviation, unit, (metric::ELAPSED_STDDEV, RESULT_STDDEV));
        result.whole.add(name, Some(printed));
    }
    let runs = u64::try_from(trials.len()).ok().filter(|runs| *runs > 0);
    result.whole.add(metric::RUNS, runs.map(|runs| exact(line, runs, Unit::One)));
    for (at, (line, read)) in (1u64..).zip(trials) {
        let (name, printed) = figure(line, read, unit, (metric::ELAPSED, RESULT));
        let mut measured = ToolMeasurement::default();
        measured.add(name, Some(printed));
        let kind = ToolPartKind::Other;
        result.parts.push(ToolPart { kind, name: format!("run {at}"), start_s: None, measured });
    }
    Some(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<ToolResult> {
        crate::tool::read("", text.as_bytes()).unwrap().results
    }

    #[test]
    fn the_mean_of_the_runs_is_the_whole() {
        let results = read(
            "    pts/n-queens-1.2.1 [Size: 18]\n    Test 1 of 1\n    Estimated Trial Run Count:    3\n\
             \x20       Started Run 1 @ 23:21:05\n        Started Run 2 @ 23:26:59\n\n    Elapsed Time:\n\
             \x20       350\n        360\n\n    Average: 355 Seconds\n    Deviation: 2.00%\n\nprose\n",
        );
        let whole = &results[0].whole;
        let value = |name| whole.figure(name).map(|printed| (printed.value * 1e6).round() / 1e6);
        assert_eq!(value(metric::ELAPSED_MEAN), Some(355.0));
        assert_eq!(value(metric::ELAPSED_STDDEV), Some(7.1));
        assert_eq!(value(metric::RUNS), Some(2.0));
        assert_eq!((results.len(), results[0].parts.len()), (1, 2));
        assert_eq!(results[0].options["test"], "pts/n-queens-1.2.1");
    }

    #[test]
    fn units_of_tests_are_kept() {
        let results = read(
            "pts/stress-ng-1.4.0\n    CPU Stress:\n        10\n    Average: 10 Bogo Ops/s\n    Deviation: 0.00%\n",
        );
        let printed = results[0].whole.figure(RESULT_MEAN).unwrap();
        assert_eq!((printed.value, printed.text.as_str()), (10.0, "10 Bogo Ops/s"));
        assert_eq!(Some(printed.unit), Unit::of_symbol("Bogo Ops/s"));
    }

    #[test]
    fn each_bar_is_a_system() {
        let results = read(
            "    Milliseconds < Lower Is Better\n    5.3.0 ...... 225 |===========\n    a system . 2594 |==========\n\nprose\n",
        );
        let names: Vec<&str> = results.iter().filter_map(|result| result.name.as_deref()).collect();
        assert_eq!(names, ["5.3.0", "a system"]);
        assert_eq!(results[0].whole.figure(metric::ELAPSED).map(|time| time.value), Some(0.225));
        assert!(bar("It is 5").is_none() && profile("pts/words").is_none());
    }
}
