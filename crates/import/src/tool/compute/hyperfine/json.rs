//! What hyperfine exports as JSON, in seconds.

use model::Unit;
use model::tool_result::{PrintedValue, ToolResult, ToolWarning};
use serde::Deserialize;

use super::Benchmark;
use crate::tool::block::ToolBlock;
use crate::tool::number::{exact, plain};
use crate::tool::reader::NotUnderstood;

/// What is read of a document.
#[derive(Deserialize)]
struct Document {
    results: Vec<BenchmarkJson>,
}

/// What is read of a benchmark.
#[derive(Deserialize)]
struct BenchmarkJson {
    command: String,
    mean: Option<f64>,
    stddev: Option<f64>,
    median: Option<f64>,
    user: Option<f64>,
    system: Option<f64>,
    min: Option<f64>,
    max: Option<f64>,
    #[serde(default)]
    times: Option<Vec<f64>>,
    #[serde(default)]
    exit_codes: Option<Vec<Option<i64>>>,
}

/// Reads a document; its figures stand at the line where it begins.
///
/// # Errors
/// If it is cut, or another's.
pub(super) fn read(block: &ToolBlock<'_>) -> Result<Vec<ToolResult>, NotUnderstood> {
    let document: Document = serde_json::from_str(&block.text()).map_err(|error| match error.is_eof() {
        true => NotUnderstood::CutShort,
        false => NotUnderstood::OtherText,
    })?;
    Ok(document.results.into_iter().filter_map(|one| one.result(block)).collect())
}

impl BenchmarkJson {
    fn result(self, block: &ToolBlock<'_>) -> Option<ToolResult> {
        let line = block.range().first;
        let seconds = |value: Option<f64>| -> Option<PrintedValue> {
            let value = value?;
            Some(plain(line, format!("{value} s"), value, Unit::Seconds))
        };
        // The times themselves are kept only where they were not left out.
        let runs = self.times.filter(|times| !times.is_empty());
        let runs = runs.map(|times| exact(line, times.len() as u64, Unit::One));
        let benchmark = Benchmark {
            command: Some(self.command),
            mean: seconds(self.mean),
            deviation: seconds(self.stddev),
            median: seconds(self.median),
            least: seconds(self.min),
            greatest: seconds(self.max),
            user: seconds(self.user),
            system: seconds(self.system),
            runs,
        };
        let result = benchmark.result(block)?;
        let failed = self.exit_codes.unwrap_or_default().into_iter().flatten().find(|code| *code != 0);
        let warning = failed.map(|code| ToolWarning { line, text: format!("exit_codes: {code}") });
        Some(ToolResult { warnings: warning.into_iter().collect(), ..result })
    }
}

#[cfg(test)]
mod tests {
    use model::metric;

    #[test]
    fn a_command_that_failed_is_told() {
        let text = |code: u32| {
            format!(
                "{{\"results\": [{{\"command\": \"a\", \"mean\": 0.5, \"stddev\": null, \"user\": 0.25, \"system\": 0.0, \
                 \"min\": 0.25, \"max\": 0.75, \"times\": [0.25, 0.75], \"exit_codes\": [0, {code}]}}]}}\n"
            )
        };
        let read = |code: u32| crate::tool::read("", text(code).as_bytes()).unwrap().results;
        assert_eq!(read(1)[0].warnings[0].text, "exit_codes: 1");
        assert!(read(0)[0].warnings.is_empty());
        assert_eq!(read(0)[0].whole.figure(metric::RUNS).unwrap().value, 2.0);
        assert_eq!(read(0)[0].whole.figure(metric::ELAPSED_STDDEV), None);
    }
}
