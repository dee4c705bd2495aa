//! YCSB: the lines that it prints at its end, of any binding. Each kind of operation is a part.

use model::tool_result::{Counting, PrintedValue, ToolMeasurement, ToolPart, ToolPartKind, ToolResult};
use model::{MetricName, Unit, metric};

use super::added;
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::latency::statistic;
use crate::tool::number::{count, exact, plain, time, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Ycsb;

const NAME: &str = "ycsb";

/// The class of the lines that are of all operations.
const ALL: &str = "OVERALL";

/// Operations of the program itself, at its end.
const CLEANUP: &str = "CLEANUP";

/// What the class of operations that failed ends with.
const FAILED: &str = "-FAILED";

/// What the class begins with that has the same operations again, with their times from when they were due.
const INTENDED: &str = "Intended-";

/// So many classes of operations have a part: no workload has as many.
const CLASSES_MAX: usize = 256;

/// An operation that is made of two others, which are counted, too.
const OF_OTHERS: &str = "READ-MODIFY-WRITE";

impl ToolReader for Ycsb {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "what YCSB prints at its end: the rate of all operations, and the latencies of each kind"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME, "ycsb.sh"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        &[]
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["[OVERALL], "]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        row(&line.text).filter(|(class, ..)| *class == ALL).map(|_| Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let belongs = row(&last.text).is_some_and(|(class, name, _)| {
            // The first line of all comes once.
            before.is_empty() || class != ALL || !name.starts_with("RunTime")
        });
        if belongs { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut result = block.result(NAME, self.programs());
        for line in block.lines {
            let Some((class, name, value)) = row(&line.text) else { continue };
            if class == ALL {
                take(line.number, name, value, &mut result.whole);
            } else if !class.starts_with("TOTAL_GC")
                && class != CLEANUP
                && let Some(measured) = part(&mut result.parts, class)
            {
                take(line.number, name, value, measured);
            }
        }
        result.parts.retain(|part| !part.measured.is_empty());
        if result.whole.figures.is_empty() {
            return Err(NotUnderstood::CutShort);
        }
        sums(&mut result);
        options(&mut result);
        Ok(vec![result])
    }
}

/// The class, the name and the value of `[READ], AverageLatency(us), 1002.1`.
fn row(text: &str) -> Option<(&str, &str, &str)> {
    let (class, rest) = text.trim().strip_prefix('[')?.split_once("], ")?;
    let (name, value) = rest.split_once(", ")?;
    let is_class = !class.is_empty() && class.chars().all(|c| c.is_ascii_alphanumeric() || "-_%".contains(c));
    is_class.then(|| (class, name, value.trim()))
}

/// The part of operations of this class; `None` if there are too many.
fn part<'a>(parts: &'a mut Vec<ToolPart>, class: &str) -> Option<&'a mut ToolMeasurement> {
    let at = match parts.iter().position(|part| part.name == class) {
        Some(at) => at,
        None if parts.len() < CLASSES_MAX => {
            let measured = ToolMeasurement::default();
            let kind = ToolPartKind::Direction;
            parts.push(ToolPart { kind, name: class.to_owned(), start_s: None, measured });
            parts.len() - 1
        }
        None => return None,
    };
    parts.get_mut(at).map(|part| &mut part.measured)
}

fn take(line: u64, name: &str, value: &str, measured: &mut ToolMeasurement) {
    let microseconds = || time(line, value, "us");
    match name {
        "RunTime(ms)" => measured.window = time(line, value, "ms"),
        "Throughput(ops/sec)" => {
            let rate = count(line, value, Counting::Decimal, Unit::PerSecond);
            measured.add(metric::OPERATIONS_PER_SECOND, rate);
        }
        "Operations" => measured.operations = whole(value).map(|(count, _)| exact(line, count, Unit::One)),
        "AverageLatency(us)" => measured.add(metric::LATENCY_MEAN, microseconds()),
        "MinLatency(us)" => measured.add(MetricName::new("latency_min"), microseconds()),
        "MaxLatency(us)" => measured.add(metric::LATENCY_MAX, microseconds()),
        _ => {
            if let Some(metric) = name.strip_suffix("PercentileLatency(us)").and_then(percentile) {
                measured.add(metric, microseconds());
            }
        }
    }
}

/// The metric of the rank in `99.9PercentileLatency(us)`, `99thPercentileLatency(us)`.
fn percentile(rank: &str) -> Option<MetricName> {
    statistic(rank.trim_end_matches(|c: char| c.is_ascii_alphabetic()))
}

/// All operations, and the share of them that failed.
fn sums(result: &mut ToolResult) {
    for part in result.parts.iter_mut().filter(|part| part.name.starts_with(INTENDED)) {
        part.measured.operations = None;
    }
    if result.parts.iter().any(|part| part.name.starts_with(OF_OTHERS)) {
        return;
    }
    let of = |is_wanted: fn(&str) -> bool| -> Vec<&PrintedValue> {
        let parts = result.parts.iter().filter(|part| is_wanted(&part.name));
        parts.filter_map(|part| part.measured.operations.as_ref()).collect()
    };
    let all = added(&of(|_| true));
    let failed = added(&of(|name| name.ends_with(FAILED)));
    let share = failed.zip(all.as_ref()).map(|(failed, all)| {
        let text = format!("({}) / ({})", failed.text, all.text);
        plain(failed.line, text, failed.value / all.value.max(1.0), Unit::One)
    });
    result.whole.operations = all;
    result.whole.add(metric::ERROR_SHARE, share);
}

/// Fills in what the command says: its threads, and the rate that was asked for.
fn options(result: &mut ToolResult) {
    let command = std::mem::take(&mut result.command);
    for (word, next) in command.iter().zip(command.iter().skip(1)) {
        let told = match (word.as_str(), next.split_once('=')) {
            ("-threads", _) => Some(("threads", next.as_str())),
            ("-target", _) => Some(("rate", next.as_str())),
            ("-p", Some(("threadcount", value))) => Some(("threads", value)),
            ("-p", Some(("target", value))) => Some(("rate", value)),
            ("-P", _) => Some(("workload", next.as_str())),
            _ => None,
        };
        result.options.extend(told.map(|(name, value)| (name.to_owned(), value.to_owned())));
    }
    if let Some(phase @ ("load" | "run")) = command.get(1).map(String::as_str) {
        result.options.insert("phase".to_owned(), phase.to_owned());
    }
    result.command = command;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<ToolResult> {
        crate::tool::read("", text.as_bytes()).unwrap().results
    }

    #[test]
    fn operations_that_failed_are_a_share_of_all() {
        let results = read(
            "[OVERALL], RunTime(ms), 1000\n[OVERALL], Throughput(ops/sec), 100.0\n[READ], Operations, 90\n\
             [READ], 99.9PercentileLatency(us), 500\n[READ-FAILED], Operations, 10\n[CLEANUP], Operations, 1\n",
        );
        let share = results[0].whole.figure(metric::ERROR_SHARE).map(|share| share.value);
        assert_eq!(share, Some(0.1));
        assert_eq!(results[0].whole.operations.as_ref().map(|all| all.value), Some(100.0));
        let names: Vec<&str> = results[0].parts.iter().map(|part| part.name.as_str()).collect();
        assert_eq!(names, ["READ", "READ-FAILED"]);
        let tail = results[0].parts[0].measured.figure(metric::LATENCY_P99_9).map(|tail| tail.value);
        assert!(tail.is_some_and(|tail| (tail - 5e-4).abs() < 1e-12));
    }

    #[test]
    fn operations_made_of_others_are_not_counted_again() {
        let results = read(
            "[OVERALL], RunTime(ms), 1000\n[OVERALL], Throughput(ops/sec), 100.0\n[READ], Operations, 100\n\
             [READ-MODIFY-WRITE], Operations, 50\n",
        );
        assert!(results[0].whole.operations.is_none());
    }

    #[test]
    fn operations_whose_times_are_of_two_kinds_are_counted_once() {
        let results = read(
            "[OVERALL], RunTime(ms), 1000\n[OVERALL], Throughput(ops/sec), 100.0\n[READ], Operations, 100\n\
             [Intended-READ], Operations, 100\n[Intended-READ], 95thPercentileLatency(us), 7\n",
        );
        assert_eq!(results[0].whole.operations.as_ref().map(|all| all.value), Some(100.0));
        let intended = &results[0].parts[1].measured;
        assert!(intended.figure(MetricName::new("latency_p95")).is_some() && intended.operations.is_none());
    }

    #[test]
    fn each_run_is_a_result() {
        let one = "[OVERALL], RunTime(ms), 1000\n[OVERALL], Throughput(ops/sec), 100.0\n";
        assert_eq!(read(&format!("{one}{one}")).len(), 2);
    }

    #[test]
    fn threads_stand_in_two_places_of_a_command() {
        for words in ["ycsb run basic -threads 8 -P workloads/workloada", "ycsb run basic -p threadcount=8"] {
            let command = words.split(' ').map(str::to_owned).collect();
            let mut result = ToolResult { command, ..ToolResult::default() };
            options(&mut result);
            assert_eq!(result.options.get("threads").map(String::as_str), Some("8"), "{words}");
        }
    }
}
