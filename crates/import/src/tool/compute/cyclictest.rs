//! cyclictest: how late each of its threads woke up. Rows that a terminal overwrote stand one below the other in what was
//! kept of it: the last of each thread counts.

use model::tool_result::{LineRange, ToolMeasurement, ToolPart, ToolPartKind, ToolResult};
use model::{Unit, metric};

use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::latency::statistic;
use crate::tool::number::{exact, time, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Cyclictest;

const NAME: &str = "cyclictest";

/// The beginning of the line above the rows.
const POLICY: &str = "policy: ";

/// The beginning of the first line, which other programs of rt-tests print, too.
const HEAD: &str = "# /dev/cpu_dma_latency set to ";

/// How lines begin that stand between the rows, or above them.
const BETWEEN: &[&str] = &[HEAD, POLICY, "WARN: "];

/// The columns that are latencies, by what they are of each thread; what most people look for is the first.
const LATENCIES: &[(&str, &str)] = &[(" Max:", "max"), (" Avg:", "avg"), (" Min:", "min")];

impl ToolReader for Cyclictest {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "the rows of cyclictest: the least, the mean and the longest latency of each thread, and the extremes of all; not its histogram"
    }

    fn programs(&self) -> &'static [&'static str] {
        &[NAME]
    }

    fn counting(&self) -> &'static [CountingRule] {
        // Microseconds, or nanoseconds with -N, without multiples.
        &[]
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&[POLICY, "T:", HEAD]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = line.text.trim();
        if is_policy(text) || thread(text).is_some() {
            return Some(Beginning::Certain);
        }
        text.starts_with(HEAD).then_some(Beginning::Likely)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.trim();
        let is_own = last.is_blank()
            || thread(text).is_some()
            || BETWEEN.iter().any(|beginning| text.starts_with(beginning));
        if before.is_empty() || is_own { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut result = block.without_blank_end().result(NAME, self.programs());
        let unit = if has_nanoseconds(&result.command) { "ns" } else { "us" };
        for line in block.lines {
            let Some(id) = thread(line.text.trim()) else { continue };
            let Some(measured) = latencies(line, unit) else {
                result.unread.push(LineRange { first: line.number, last: line.number });
                continue;
            };
            match result.parts.iter_mut().find(|part| part.name == id) {
                Some(part) => part.measured = measured,
                None => result.parts.push(ToolPart {
                    kind: ToolPartKind::Thread,
                    name: id.to_owned(),
                    start_s: None,
                    measured,
                }),
            }
        }
        result.whole = match result.parts.as_slice() {
            [] if block.lines.iter().any(|line| is_policy(line.text.trim())) => {
                return Err(NotUnderstood::CutShort);
            }
            [] => return Err(NotUnderstood::OtherText),
            [only] => only.measured.clone(),
            several => extremes(several),
        };
        if result.parts.len() == 1 {
            result.parts.clear();
        }
        Ok(vec![result])
    }
}

/// `policy: fifo: loadavg: 1.04 0.74 0.61 3/1212 8147`.
fn is_policy(text: &str) -> bool {
    text.starts_with(POLICY) && text.contains(" loadavg: ")
}

/// Whether the command asks for nanoseconds.
fn has_nanoseconds(command: &[String]) -> bool {
    let is_short = |word: &str| {
        word.strip_prefix('-').is_some_and(|letters| !letters.starts_with('-') && letters.contains('N'))
    };
    command.iter().any(|word| word.as_str() == "--nsecs" || is_short(word))
}

/// The thread of a row: `T: 0 ( 8137) P:80 I:200 C:  73055 Min:      7 Act:   13 Avg:   15 Max:     151`.
fn thread(text: &str) -> Option<&str> {
    let rest = text.strip_prefix("T:")?.trim_start();
    let (_, behind) = whole(rest)?;
    let is_row = [" P:", " I:", " C:", " Min:"].iter().all(|column| behind.contains(column));
    let end = rest.len() - behind.len();
    if is_row { rest.get(..end) } else { None }
}

/// The figures of a row; `None` if it was cut before its last.
fn latencies(line: &ToolLine, unit: &str) -> Option<ToolMeasurement> {
    let value = |column: &str| line.text.split_once(column)?.1.split_whitespace().next();
    let (cycles, _) = value(" C:").and_then(whole)?;
    let mut measured = ToolMeasurement {
        operations: Some(exact(line.number, cycles, Unit::One)),
        ..ToolMeasurement::default()
    };
    for (column, name) in LATENCIES {
        let printed = time(line.number, value(column)?, unit)?;
        if let Some(metric) = statistic(name) {
            measured.add(metric, Some(printed));
        }
    }
    Some(measured)
}

/// The longest latency of all threads, and the least: their means are of other numbers of cycles each.
fn extremes(threads: &[ToolPart]) -> ToolMeasurement {
    let of = |metric| threads.iter().filter_map(move |thread| thread.measured.figure(metric));
    let mut all = ToolMeasurement::default();
    let longest = of(metric::LATENCY_MAX).max_by(|a, b| a.value.total_cmp(&b.value));
    all.add(metric::LATENCY_MAX, longest.cloned());
    if let Some(least) = statistic("min") {
        let shortest = of(least).min_by(|a, b| a.value.total_cmp(&b.value));
        all.add(least, shortest.cloned());
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: &str = "T: 0 ( 8137) P:80 I:200 C:  73055 Min:      7 Act:   13 Avg:   15 Max:     151\n\
                        T: 1 ( 8138) P:80 I:200 C:  73040 Min:      5 Act:   18 Avg:   16 Max:     125\n";

    fn read(text: &str) -> Vec<ToolResult> {
        crate::tool::read("", text.as_bytes()).unwrap().results
    }

    #[test]
    fn the_extremes_are_of_all_threads_and_the_last_rows_count() {
        let earlier = ROWS.replace("151", "20");
        let results = read(&format!("policy: fifo: loadavg: 1.04 0.74 0.61 3/1212 8147\n\n{earlier}{ROWS}"));
        let [result] = results.as_slice() else { panic!("{results:?}") };
        let value = |name| result.whole.figure(name).map(|figure| figure.value);
        assert!(value(metric::LATENCY_MAX).is_some_and(|most| (most - 151e-6).abs() < 1e-12));
        assert!(statistic("min").and_then(value).is_some_and(|least| (least - 5e-6).abs() < 1e-12));
        assert_eq!((result.parts.len(), value(metric::LATENCY_MEAN)), (2, None));
    }

    #[test]
    fn nanoseconds_are_known_by_the_command() {
        let results = read(&format!("$ cyclictest -mN -p80\n{ROWS}"));
        let longest = results[0].whole.figure(metric::LATENCY_MAX).unwrap();
        assert!((longest.value - 151e-9).abs() < 1e-15);
    }
}
