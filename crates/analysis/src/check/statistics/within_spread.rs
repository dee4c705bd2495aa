//! A difference between two commands that is no larger than what their runs differ by: a tool that compares
//! them names a winner all the same.

use model::finding::Evidence;
use model::tool_result::{PrintedValue, ToolResult};
use model::{Finding, FindingKind, Severity, metric};
use stats::comparison::SampleSummary;

use crate::check::work::option;
use crate::check::{ToolCheck, ToolCheckContext, ToolCheckLook};

/// Equal means differ by more in one of twenty pairs.
const P_MOST: f64 = 0.05;

pub(super) const CHECK: ToolCheck = ToolCheck {
    code: "within-spread",
    doc: "Two commands that were timed beside one another differ by no more than their own runs do, by Welch's t, or where \
          the number of runs is not known by the standard deviations: there is no winner.",
    english: r#"
finding-within-spread =
    { $name } took { PERCENT($share) } longer than { $other }, and runs of the same command differ by as much: which of them is
    faster cannot be told from this
    .advice = call them equally fast, or run both more often, in turn and on a quiet machine

evidence-spread-line =
    line { $line }: { $printed } on average, with a standard deviation of { $amount }
"#,
    remedies: &[],
    look: ToolCheckLook::All(look),
};

fn look(context: &ToolCheckContext<'_>) -> Vec<Finding> {
    context.outputs.iter().flat_map(|output| of_text(&output.results)).collect()
}

/// What one execution of a tool timed stands together.
fn of_text(results: &[ToolResult]) -> Vec<Finding> {
    let is_one = |a: &ToolResult, b: &ToolResult| a.tool == b.tool && a.command == b.command;
    results.chunk_by(is_one).flat_map(of_one_execution).collect()
}

/// Each command is held against the fastest, as the tool does.
fn of_one_execution(results: &[ToolResult]) -> Vec<Finding> {
    let timed: Vec<TimedRuns<'_>> = results.iter().filter_map(TimedRuns::of).collect();
    let fastest = timed.iter().min_by(|a, b| a.mean.value.total_cmp(&b.mean.value));
    let Some(fastest) = fastest else { return Vec::new() };
    // Twice the same is no comparison.
    let others = timed.iter().filter(|one| one.name != fastest.name && one.mean.value > fastest.mean.value);
    others.filter(|other| is_within_spread(fastest, other)).map(|other| finding(fastest, other)).collect()
}

/// The runs of one command, as the tool sums them up.
struct TimedRuns<'a> {
    name: &'a str,
    mean: &'a PrintedValue,
    deviation: &'a PrintedValue,
    count: Option<f64>,
}

impl<'a> TimedRuns<'a> {
    fn of(result: &'a ToolResult) -> Option<Self> {
        let whole = &result.whole;
        Some(Self {
            name: option(result, &["command"])?,
            mean: whole.figure(metric::ELAPSED_MEAN).filter(|mean| mean.value > 0.0)?,
            deviation: whole.figure(metric::ELAPSED_STDDEV)?,
            count: whole.figure(metric::RUNS).map(|runs| runs.value),
        })
    }

    fn summary(&self) -> Option<SampleSummary> {
        Some(SampleSummary { mean: self.mean.value, deviation: self.deviation.value, count: self.count? })
    }
}

fn is_within_spread(fastest: &TimedRuns<'_>, other: &TimedRuns<'_>) -> bool {
    let tested = fastest.summary().zip(other.summary()).and_then(|(a, b)| a.p_value(b));
    match tested {
        Some(p) => p > P_MOST,
        None => {
            let spread = fastest.deviation.value.hypot(other.deviation.value);
            other.mean.value - fastest.mean.value < spread
        }
    }
}

fn finding(fastest: &TimedRuns<'_>, other: &TimedRuns<'_>) -> Finding {
    let line = |runs: &TimedRuns<'_>| {
        Evidence::maybe_at("spread-line", None)
            .arg("line", runs.mean.line)
            .arg("printed", runs.mean.text.as_str())
            .arg("amount", runs.deviation.text.as_str())
    };
    Finding::new(FindingKind::Validity, CHECK.code, Severity::Warning)
        .arg("name", other.name)
        .arg("other", fastest.name)
        .arg("share", other.mean.value / fastest.mean.value - 1.0)
        .because(line(fastest))
        .because(line(other))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::fixture;

    fn benchmark(command: &str, mean: f64, deviation: f64, runs: u32) -> String {
        format!(
            "Benchmark 1: {command}\n  Time (mean \u{b1} \u{3c3}):  {mean:.1} ms \u{b1} {deviation:.1} ms    [User: 1.0 ms, \
             System: 2.0 ms]\n  Range (min \u{2026} max):  1.0 ms \u{2026} 900.0 ms    {runs} runs\n \n"
        )
    }

    fn count(means: [f64; 2], deviation: f64, runs: u32) -> usize {
        let [first, second] = means;
        let text = benchmark("a", first, deviation, runs) + &benchmark("b", second, deviation, runs);
        fixture::found(&CHECK, &text).len()
    }

    #[test]
    fn a_winner_within_the_spread_is_none() {
        assert_eq!(count([100.0, 102.0], 10.0, 10), 1);
        assert_eq!(count([102.0, 100.0], 10.0, 10), 1);
        assert_eq!(count([100.0, 150.0], 10.0, 10), 0);
        assert_eq!(count([100.0, 102.0], 10.0, 1000), 0, "so many runs tell it");
    }

    #[test]
    fn a_table_without_the_number_of_runs_is_held_against_its_deviations() {
        let table = |other: f64| {
            format!(
                "| Command | Mean [ms] | Min [ms] | Max [ms] | Relative |\n|:---|---:|---:|---:|---:|\n\
                 | `a` | 100.0 \u{b1} 10.0 | 90.0 | 120.0 | 1.00 |\n| `b` | {other:.1} \u{b1} 10.0 | 90.0 | 190.0 | 1.10 |\n"
            )
        };
        let count = |other: f64| fixture::found(&CHECK, &table(other)).len();
        assert_eq!((count(110.0), count(130.0)), (1, 0));
    }

    #[test]
    fn the_same_command_twice_has_no_winner_to_doubt() {
        let text = benchmark("a", 100.0, 10.0, 10) + &benchmark("a", 101.0, 10.0, 10);
        assert_eq!(fixture::found(&CHECK, &text).len(), 0);
    }
}
