//! `perf bench` of the scheduler and of system calls: how long all of it took, and each operation. perf cuts the
//! digits behind its times and rates off.

use model::tool_result::ToolResult;
use model::{Unit, metric};

use super::word_before;
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::number::{bare, cut_off, exact, time, whole};
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct PerfBench;

const NAME: &str = "perf-bench";

/// The beginning of the first line: `# Running 'sched/pipe' benchmark:`.
const HEAD: &str = "# Running ";

/// Collections of which the benchmarks are read.
const COLLECTIONS: &[&str] = &["sched/", "syscall/"];

/// The beginning of the line of the time, and its end.
const TOTAL: (&str, &str) = ("Total time:", "[sec]");

const PER_OPERATION: &str = " usecs/op";
const PER_SECOND: &str = " ops/sec";

impl ToolReader for PerfBench {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "`perf bench` of sched and syscall: the time, the mean of an operation, and operations per second; not those of mem, \
         futex, numa and uprobe"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["perf"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        // It prints no multiples.
        &[]
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&[HEAD]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        benchmark(line.text.trim()).map(|_| Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let text = last.text.trim();
        if before.is_empty() {
            return Extent::More;
        }
        let is_note = text.starts_with("# ") && !text.starts_with(HEAD);
        let is_figure =
            text.starts_with(TOTAL.0) || text.ends_with(PER_OPERATION) || text.ends_with(PER_SECOND);
        if last.is_blank() || is_note || is_figure { Extent::More } else { Extent::EndsBefore }
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let mut result = block.without_blank_end().result(NAME, self.programs());
        for line in block.lines {
            take(&mut result, line);
        }
        if result.whole.window.is_none() {
            return Err(NotUnderstood::CutShort);
        }
        let elapsed = result.whole.window.clone();
        result.whole.add(metric::ELAPSED, elapsed);
        Ok(vec![result])
    }
}

/// Takes what a line says into the result.
fn take(result: &mut ToolResult, line: &ToolLine) {
    let (number, text) = (line.number, line.text.trim());
    let groups = || word_before(text, "groups").map(|groups| ("groups", groups));
    let option = benchmark(text).map(|name| ("test", name)).or_else(groups);
    if let Some((option, value)) = option {
        result.options.insert(option.to_owned(), value.to_owned());
    } else if let Some((count, _)) = text.strip_prefix("# Executed ").and_then(whole) {
        result.whole.operations = Some(exact(number, count, Unit::One));
    } else if let Some(total) =
        text.strip_prefix(TOTAL.0).and_then(|total| total.trim().strip_suffix(TOTAL.1))
    {
        result.whole.window = bare(number, total, Unit::Seconds).map(cut_off);
    } else if let Some(mean) = text.strip_suffix(PER_OPERATION) {
        result.whole.add(metric::LATENCY_MEAN, time(number, mean, "us").map(cut_off));
    } else if let Some(rate) = text.strip_suffix(PER_SECOND) {
        result.whole.add(metric::OPERATIONS_PER_SECOND, bare(number, rate, Unit::PerSecond).map(cut_off));
    }
}

/// The name of a benchmark, which older versions print without quotes and with dots behind it.
fn benchmark(text: &str) -> Option<&str> {
    let (name, rest) = text.strip_prefix(HEAD)?.split_once(' ')?;
    let name = name.trim_matches('\'');
    let is_known = COLLECTIONS.iter().any(|collection| name.starts_with(collection));
    (is_known && matches!(rest, "benchmark:" | "benchmark...")).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_benchmarks_are_known_in_both_forms() {
        for (text, expected) in [
            ("# Running 'sched/pipe' benchmark:", Some("sched/pipe")),
            ("# Running sched/messaging benchmark...", Some("sched/messaging")),
            ("# Running 'mem/memcpy' benchmark:", None),
            ("# Running the benchmark:", None),
        ] {
            assert_eq!(benchmark(text), expected, "{text}");
        }
    }

    #[test]
    fn what_was_cut_off_may_be_a_whole_step() {
        let text = "# Running 'sched/messaging' benchmark:\n# 20 sender and receiver processes per group\n\
                    # 10 groups == 400 processes run\n\n     Total time: 0.158 [sec]\n\nwords\n";
        let results = crate::tool::read("", text.as_bytes()).unwrap().results;
        let elapsed = results[0].whole.figure(metric::ELAPSED).unwrap();
        assert_eq!((elapsed.value, results[0].lines.last), (0.158, 5));
        assert!((elapsed.half_step - 0.001).abs() < 1e-9);
        assert_eq!(results[0].options["groups"], "10");
    }
}
