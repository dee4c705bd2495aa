//! go-ycsb and go-tpc, which print a line for each kind of operation: `READ - Takes(s): 10.0, Count: 51234, OPS: 5123.6,
//! Avg(us): 1500, ...` (pkg/measurement/histogram.go of both).

use model::database::metric::NEW_ORDERS_PER_SECOND;
use model::tool_result::{PrintedValue, ToolMeasurement, ToolPart, ToolPartKind, ToolResult};
use model::{Unit, metric};

use super::{added, each_minute};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::latency::statistic;
use crate::tool::number::{bare, exact, leading, plain, time, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer of go-ycsb.
pub(super) struct GoYcsb;

/// The importer of go-tpc.
pub(super) struct GoTpc;

/// What stands in brackets before the lines of go-tpc.
const CURRENT: &str = "[Current]";
const SUMMARY: &str = "[Summary]";

/// The line above the last ones of go-ycsb.
const FINISHED: &str = "Run finished";

/// Which of the two.
#[derive(Clone, Copy, PartialEq)]
enum Program {
    Ycsb,
    Tpc,
}

/// One line.
struct Row<'a> {
    is_current: bool,
    name: &'a str,
    cells: &'a str,
}

impl<'a> Row<'a> {
    fn of(text: &'a str) -> Option<(Program, Self)> {
        let text = text.trim();
        let bare = text.strip_prefix(CURRENT).or_else(|| text.strip_prefix(SUMMARY));
        let (name, cells) = bare.unwrap_or(text).split_once(" - ")?;
        let name = name.trim();
        let is_name = !name.is_empty()
            && name.chars().all(|c| c.is_ascii_uppercase() || c == '_' || c.is_ascii_digit());
        if !is_name || !cells.starts_with("Takes(s): ") {
            return None;
        }
        let program = if cells.contains("TPM: ") { Program::Tpc } else { Program::Ycsb };
        Some((program, Self { is_current: text.starts_with(CURRENT), name, cells }))
    }

    fn measured(&self, line: u64) -> ToolMeasurement {
        let mut measured = ToolMeasurement::default();
        for cell in self.cells.split(", ") {
            let Some((label, value)) = cell.split_once(": ") else { continue };
            match label {
                "Takes(s)" => measured.window = bare(line, value, Unit::Seconds),
                "Count" => measured.operations = whole(value).map(|(count, _)| exact(line, count, Unit::One)),
                "OPS" => measured.add(metric::OPERATIONS_PER_SECOND, bare(line, value, Unit::PerSecond)),
                "TPM" => measured.add(metric::TRANSACTIONS_PER_SECOND, minute(line, value, "TPM")),
                // The sum of all is said by the mean, too.
                "Sum(ms)" | "Sum(us)" => {}
                _ => {
                    let Some((rank, unit)) = label.strip_suffix(')').and_then(|label| label.split_once('('))
                    else {
                        continue;
                    };
                    if let Some(metric) = statistic(&rank.to_ascii_lowercase()) {
                        measured.add(metric, time(line, value, unit));
                    }
                }
            }
        }
        measured
    }
}

/// A rate for each minute.
fn minute(line: u64, text: &str, unit: &str) -> Option<PrintedValue> {
    let number = leading(text, false)?;
    Some(each_minute(line, &format!("{} {unit}", number.digits), number.value, number.half_step))
}

impl Program {
    fn name(self) -> &'static str {
        match self {
            Self::Ycsb => "go-ycsb",
            Self::Tpc => "go-tpc",
        }
    }

    fn begins(self, line: &ToolLine) -> Option<Beginning> {
        Row::of(&line.text).filter(|(program, _)| *program == self).map(|_| Beginning::Certain)
    }

    fn extent(self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.trim();
        if text.starts_with("tpmC: ") && !before.is_empty() {
            return Extent::EndsHere;
        }
        let is_own = Row::of(text).is_some_and(|(program, _)| program == self);
        let is_between =
            || text == "Finished" || text.starts_with(FINISHED) || text.starts_with("***") || last.is_blank();
        if is_own || is_between() { Extent::More } else { Extent::EndsBefore }
    }

    fn read(self, block: &ToolBlock<'_>, programs: &[&str]) -> Result<Vec<ToolResult>, NotUnderstood> {
        let block = &block.without_blank_end();
        let mut result = block.result(self.name(), programs);
        let summary = block.lines.iter().any(|line| line.text.trim().starts_with(SUMMARY));
        for line in block.lines {
            if let Some((_, row)) = Row::of(&line.text).filter(|(_, row)| !(summary && row.is_current)) {
                let measured = row.measured(line.number);
                if row.name == "TOTAL" {
                    result.whole = measured;
                    continue;
                }
                // Each line is of all since the beginning: the last one counts.
                result.parts.retain(|part| part.name != row.name);
                let name = row.name.to_owned();
                result.parts.push(ToolPart { kind: ToolPartKind::Direction, name, start_s: None, measured });
            } else if let Some(rest) = line.text.trim().strip_prefix("tpmC: ") {
                let all = rest.split_once("tpmTotal: ").and_then(|(_, all)| minute(line.number, all, "TPM"));
                let orders = minute(line.number, rest, "tpmC");
                result.whole.add(NEW_ORDERS_PER_SECOND, orders);
                result.whole.add(metric::TRANSACTIONS_PER_SECOND, all);
            }
        }
        if result.parts.is_empty() && result.whole.is_empty() {
            return Err(NotUnderstood::CutShort);
        }
        failures(&mut result);
        options(&mut result);
        Ok(vec![result])
    }
}

/// The share of operations whose lines are of those that failed: `READ_ERROR`, `NEW_ORDER_ERR`.
fn failures(result: &mut ToolResult) {
    let is_failed = |name: &str| name.ends_with("_ERROR") || name.ends_with("_ERR");
    let of = |failed: bool| -> Vec<&PrintedValue> {
        let parts = result.parts.iter().filter(|part| is_failed(&part.name) == failed);
        parts.filter_map(|part| part.measured.operations.as_ref()).collect()
    };
    let share = added(&of(true)).zip(added(&of(false))).map(|(failed, done)| {
        let text = format!("({}) / ({} + {})", failed.text, done.text, failed.text);
        plain(failed.line, text, failed.value / (done.value + failed.value).max(1.0), Unit::One)
    });
    result.whole.add(metric::ERROR_SHARE, share);
}

/// Fills in what the command says.
fn options(result: &mut ToolResult) {
    let command = std::mem::take(&mut result.command);
    for (word, next) in command.iter().zip(command.iter().skip(1)) {
        let told = match (word.as_str(), next.split_once('=')) {
            ("-T" | "--threads", _) => Some(("threads", next.as_str())),
            ("--warehouses", _) => Some(("warehouses", next.as_str())),
            ("-p" | "--prop", Some(("threadcount", value))) => Some(("threads", value)),
            ("-p" | "--prop", Some(("target", value))) => Some(("rate", value)),
            ("-P" | "--property_file", _) => Some(("workload", next.as_str())),
            _ => None,
        };
        result.options.extend(told.map(|(name, value)| (name.to_owned(), value.to_owned())));
    }
    result.command = command;
}

impl ToolReader for GoYcsb {
    fn name(&self) -> &'static str {
        Program::Ycsb.name()
    }

    fn doc(&self) -> &'static str {
        "the lines of go-ycsb, a kind of operation each; those at its end count"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["go-ycsb"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        &[]
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["Takes(s): "]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        Program::Ycsb.begins(line)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        Program::Ycsb.extent(lines)
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        Program::Ycsb.read(block, self.programs())
    }
}

impl ToolReader for GoTpc {
    fn name(&self) -> &'static str {
        Program::Tpc.name()
    }

    fn doc(&self) -> &'static str {
        "the summary of go-tpc's TPC-C, a kind of transaction each, and its new orders"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["go-tpc", "tiup"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        &[]
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&["Takes(s): "]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        Program::Tpc.begins(line)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        Program::Tpc.extent(lines)
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        Program::Tpc.read(block, self.programs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<ToolResult> {
        crate::tool::read("", text.as_bytes()).unwrap().results
    }

    #[test]
    fn the_last_line_of_each_kind_counts() {
        let results = read(
            "$ ./bin/go-ycsb run mysql -P workloads/workloada -p threadcount=16\n\
             READ   - Takes(s): 10.0, Count: 50000, OPS: 5000.0, Avg(us): 1500, Min(us): 300, Max(us): 50000, 99th(us): 6000\n\
             Run finished, takes 19.5s\n\
             READ   - Takes(s): 20.0, Count: 102000, OPS: 5100.0, Avg(us): 1510, Min(us): 300, Max(us): 50000, 99.99th(us): 40000\n\
             READ_ERROR - Takes(s): 20.0, Count: 102, OPS: 5.1, Avg(us): 1510\n\
             TOTAL  - Takes(s): 20.0, Count: 102000, OPS: 5100.0, Avg(us): 1510, Min(us): 300, Max(us): 50000\n",
        );
        assert_eq!((results.len(), results[0].tool.as_str()), (1, "go-ycsb"));
        let result = &results[0];
        assert_eq!(result.parts.len(), 2);
        assert_eq!(result.parts[0].measured.operations.as_ref().map(|all| all.value), Some(102_000.0));
        assert!(result.parts[0].measured.figure(model::MetricName::new("latency_p99_99")).is_some());
        assert_eq!(result.whole.figure(metric::OPERATIONS_PER_SECOND).map(|rate| rate.value), Some(5100.0));
        assert_eq!(result.options["threads"], "16");
        let share = result.whole.figure(metric::ERROR_SHARE).map(|share| share.value);
        assert!(share.is_some_and(|share| (share - 102.0 / 102_102.0).abs() < 1e-12));
    }

    #[test]
    fn of_go_tpc_the_summary_counts_and_its_rates_are_of_minutes() {
        let results = read(
            "[Current] NEW_ORDER - Takes(s): 10.0, Count: 4500, TPM: 27000.1, Sum(ms): 40212.3, Avg(ms): 8.9, 50th(ms): 8.4\n\
             Finished\n\
             [Summary] NEW_ORDER - Takes(s): 60.0, Count: 27000, TPM: 27000.0, Sum(ms): 242012.3, Avg(ms): 8.9, 50th(ms): 8.4, Max(ms): 100.7\n\
             tpmC: 27000.0, tpmTotal: 60000.0, efficiency: 52567.7%\n",
        );
        let value = |name| results[0].whole.figure(name).map(|printed| printed.value);
        assert_eq!(value(NEW_ORDERS_PER_SECOND), Some(450.0));
        assert_eq!(value(metric::TRANSACTIONS_PER_SECOND), Some(1000.0));
        let part = &results[0].parts[0].measured;
        assert_eq!(part.figure(metric::TRANSACTIONS_PER_SECOND).map(|rate| rate.value), Some(450.0));
        assert!(part.figure(metric::LATENCY_MEAN).is_some_and(|mean| (mean.value - 8.9e-3).abs() < 1e-12));
    }
}
