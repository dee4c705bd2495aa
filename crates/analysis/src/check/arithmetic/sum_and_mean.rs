//! A sum that is not its count times its mean: sysbench prints the latencies of all events together, and how
//! many events each thread had.

use model::finding::Evidence;
use model::metric::MetricSummary;
use model::tool_result::{PrintedValue, ToolFigure, ToolMeasurement, ToolResult};
use model::{Finding, FindingKind, MetricName, Severity, metric};

use crate::check::work::option;
use crate::check::{ToolCheck, ToolCheckContext, ToolCheckLook};

/// What is off by less may be operations that only one of the figures has.
const TOLERANCE: f64 = 0.02;

pub(super) const CHECK: ToolCheck = ToolCheck {
    code: "sum-contradicts-mean",
    doc: "A mean times the number of operations, or of threads, is not the sum that is printed beside it.",
    english: r#"
finding-sum-contradicts-mean =
    { $how ->
        [threads] { $printed } for each of { FIXED($count) } threads make { FIXED($computed) }, and { $amount } are printed
            for all
        [times] { $printed } for each of { FIXED($count) } threads make { SHORT($computed, unit: "s") }, and { $amount } is
            printed for all operations together
       *[operations] { FIXED($count) } operations at a mean of { $printed } make { SHORT($computed, unit: "s") }, and
            { $amount } is printed for all
    }
    .advice = look at the original output: the figures may be of several runs, or in other units than they say
"#,
    remedies: &[],
    look: ToolCheckLook::EachResult(look),
};

fn look(result: &ToolResult, _: &ToolCheckContext<'_>) -> Vec<Finding> {
    let mut found: Vec<Finding> =
        result.measurements().filter_map(|(_, measured)| of_operations(measured)).collect();
    found.extend(of_threads(result));
    found.dedup();
    found
}

/// The mean of all operations, and their sum.
fn of_operations(measured: &ToolMeasurement) -> Option<Finding> {
    let operations = measured.operations.as_ref()?;
    let of = |metric: MetricName, how: MetricSummary| {
        metric.summary().filter(|(_, summary)| *summary == how).map(|(of, _)| of)
    };
    measured.figures.iter().find_map(|sum| {
        let distribution = of(sum.metric, MetricSummary::Sum)?;
        let is_mean = |figure: &&ToolFigure| of(figure.metric, MetricSummary::Mean) == Some(distribution);
        let mean = measured.figures.iter().find(is_mean)?;
        contradiction("operations", operations.value, &mean.printed, &sum.printed)
    })
}

/// What each thread did, and what all of them did; and how long each was at it.
fn of_threads(result: &ToolResult) -> Vec<Finding> {
    let threads = option(result, &["threads", "num-threads"]).and_then(|threads| threads.parse::<f64>().ok());
    let Some(threads) = threads else { return Vec::new() };
    let whole = &result.whole;
    let events = whole.figure(metric::THREAD_EVENTS_MEAN).zip(whole.operations.as_ref());
    let is_sum =
        |figure: &&ToolFigure| figure.metric.summary() == Some((metric::LATENCY, MetricSummary::Sum));
    let sum = whole.figures.iter().find(is_sum).map(|figure| &figure.printed);
    let times = whole.figure(metric::THREAD_TIME_MEAN).zip(sum);
    let events = events.and_then(|(mean, all)| contradiction("threads", threads, mean, all));
    let times = times.and_then(|(mean, all)| contradiction("times", threads, mean, all));
    events.into_iter().chain(times).collect()
}

fn contradiction(how: &str, count: f64, mean: &PrintedValue, sum: &PrintedValue) -> Option<Finding> {
    let (least, most) = (mean.least() * count, mean.most() * count);
    let agrees = sum.most() >= least * (1.0 - TOLERANCE) && sum.least() <= most * (1.0 + TOLERANCE);
    if agrees || count <= 0.0 {
        return None;
    }
    let lines = Evidence::maybe_at("printed-lines", None)
        .arg("first", mean.line.min(sum.line))
        .arg("last", mean.line.max(sum.line));
    let finding = Finding::new(FindingKind::Validity, CHECK.code, Severity::Error)
        .arg("how", how)
        .arg("count", count)
        .arg("printed", mean.text.as_str())
        .arg("computed", mean.value * count)
        .arg("amount", sum.text.as_str())
        .because(lines);
    Some(finding)
}

#[cfg(test)]
mod tests {
    use model::Value;

    use super::*;
    use crate::check::fixture;

    #[test]
    fn a_sum_is_its_count_times_its_mean() {
        let capture =
            include_str!("../../../../import/tests/tool/fixtures/sysbench/sysbench-1.0.20-cpu-intervals.out");
        assert_eq!(fixture::found(&CHECK, capture).len(), 0);
        for (from, to, how) in [
            (" 2995.06", " 29950.6", "operations"),
            ("0.77", "7.77", "operations"),
            ("3893.0000/0.00", "1946.0000/0.00", "threads"),
            ("2.9951/0.00", "1.9951/0.00", "times"),
        ] {
            let found = fixture::found(&CHECK, &capture.replacen(from, to, 1));
            assert_eq!(found.first().and_then(|f| f.args.get("how")), Some(&Value::from(how)), "{to}");
        }
    }
}
