//! hyperfine: what it prints, and what it exports as JSON, CSV or Markdown. A benchmark is a result: the mean
//! of its runs, with their standard deviation, the fastest and the slowest. Its CPU times are those of
//! getrusage(2), the mean of all runs.

mod json;
mod ratios;
mod table;
mod text;

use model::tool_arithmetic::FigureDisagreement;
use model::tool_result::{PrintedValue, ToolResult};
use model::{MetricName, metric};

use crate::tool::arithmetic::JsonNode;
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::counting::CountingRule;
use crate::tool::reader::{Beginning, Extent, LineMarks, NotUnderstood, ToolReader};

/// The importer.
pub(super) struct Hyperfine;

const NAME: &str = "hyperfine";

const ELAPSED_MEDIAN: MetricName = MetricName::new("elapsed_p50");
const ELAPSED_MIN: MetricName = MetricName::new("elapsed_min");
const ELAPSED_MAX: MetricName = MetricName::new("elapsed_max");

impl ToolReader for Hyperfine {
    fn name(&self) -> &'static str {
        NAME
    }

    fn doc(&self) -> &'static str {
        "what hyperfine prints, and its JSON, CSV and Markdown; each command is a result, with the mean of its runs"
    }

    fn programs(&self) -> &'static [&'static str] {
        &["hyperfine"]
    }

    fn counting(&self) -> &'static [CountingRule] {
        &[]
    }

    fn marks(&self) -> LineMarks {
        LineMarks::of(&[&[
            "Benchmark ",
            "Time (mean ",
            "Time (abs ",
            "command,mean,stddev,",
            "| Command | Mean [",
        ]])
    }

    fn begins(&self, line: &ToolLine) -> Option<Beginning> {
        let text = line.text.trim();
        let is_one =
            text::heading(text).is_some() || text::is_time(text) || table::TableForm::of(text).is_some();
        is_one.then_some(Beginning::Certain)
    }

    fn extent(&self, lines: &[ToolLine]) -> Extent {
        let Some((last, before)) = lines.split_last() else { return Extent::More };
        let Some(first) = before.first() else { return Extent::More };
        let belongs = match table::TableForm::of(first.text.trim()) {
            Some(form) => form.has(&last.text),
            None => text::belongs(last),
        };
        if belongs { Extent::More } else { Extent::EndsBefore }
    }

    fn knows_json(&self, text: &str) -> bool {
        ["\"results\"", "\"command\"", "\"mean\"", "\"system\""].iter().all(|name| text.contains(name))
    }

    fn disagreements_of_all(&self, lines: &[ToolLine]) -> Vec<FigureDisagreement> {
        ratios::disagreements(lines)
    }

    fn disagreements_of_json(&self, root: &JsonNode) -> Vec<FigureDisagreement> {
        ratios::disagreements_of_json(root)
    }

    fn read(&self, block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
        let first = block.lines.first().map_or("", |line| line.text.trim());
        let results = if first.starts_with('{') {
            json::read(block)?
        } else if let Some(form) = table::TableForm::of(first) {
            table::read(block, form)
        } else {
            text::read(block)
        };
        if results.is_empty() { Err(NotUnderstood::CutShort) } else { Ok(results) }
    }
}

/// What is known of one benchmark.
#[derive(Default)]
struct Benchmark {
    /// The command that was timed.
    command: Option<String>,
    mean: Option<PrintedValue>,
    deviation: Option<PrintedValue>,
    median: Option<PrintedValue>,
    least: Option<PrintedValue>,
    greatest: Option<PrintedValue>,
    user: Option<PrintedValue>,
    system: Option<PrintedValue>,
    runs: Option<PrintedValue>,
}

impl Benchmark {
    /// As a result that stands in `block`; `None` without a time.
    fn result(self, block: &ToolBlock<'_>) -> Option<ToolResult> {
        let mut result = block.result(NAME, Hyperfine.programs());
        let mean = self.mean?;
        // Of a single run there is no mean.
        let is_single = self.runs.as_ref().is_some_and(|runs| runs.value == 1.0);
        let time = if is_single { metric::ELAPSED } else { metric::ELAPSED_MEAN };
        let whole = &mut result.whole;
        whole.add(time, Some(mean));
        whole.add(metric::ELAPSED_STDDEV, self.deviation);
        whole.add(ELAPSED_MEDIAN, self.median);
        whole.add(ELAPSED_MIN, self.least);
        whole.add(ELAPSED_MAX, self.greatest);
        whole.add(metric::CPU_USER_TIME, self.user);
        whole.add(metric::CPU_SYSTEM_TIME, self.system);
        whole.add(metric::RUNS, self.runs.filter(|_| !is_single));
        result.options.extend(self.command.map(|command| ("command".to_owned(), command)));
        Some(result)
    }
}
