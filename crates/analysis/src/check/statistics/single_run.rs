//! One run of a tool: it has no interval.

use model::finding::Evidence;
use model::metric::MetricSummary;
use model::tool_result::{ToolFigure, ToolRemedy, ToolResult};
use model::{Finding, FindingKind, Severity, metric};

use crate::check::{ToolCheck, ToolCheckContext, ToolCheckLook};

/// As many as a study makes by default.
const ENOUGH: u32 = 5;

pub(super) const CHECK: ToolCheck = ToolCheck {
    code: "single-run",
    doc: "What was run once has no interval: nobody can say how far another run would be off.",
    english: r#"
finding-single-run = { $tool } was run only once like this: how far another run would differ is not known
    .advice = run the same command { $times } times, and check all outputs together: they become trials with an interval

evidence-printed-lines = lines { $first } to { $last }
"#,
    remedies: &[ToolRemedy::Repeat(ENOUGH)],
    look: ToolCheckLook::EachResult(look),
};

/// Tools that watch what others do: to start them again repeats nothing of it.
const WATCHING: &[&str] = &[
    "blkparse",
    "btt",
    "dstat",
    "iostat",
    "iotop",
    "mpstat",
    "nfsiostat",
    "pidstat",
    "sar",
    "top",
    "turbostat",
    "uptime",
    "vmstat",
    "zpool",
];

fn look(result: &ToolResult, context: &ToolCheckContext<'_>) -> Vec<Finding> {
    // The tool did it several times itself.
    let is_mean =
        [metric::RUNS, metric::ELAPSED_STDDEV].iter().any(|name| result.whole.figure(*name).is_some());
    let spread = [MetricSummary::Least, MetricSummary::Greatest].map(|summary| elapsed(result, summary));
    let is_mean = is_mean || matches!(spread, [Some(least), Some(greatest)] if least < greatest);
    // Of what a machine has, or did since its start, there is nothing to repeat.
    let is_alone = !result.is_since_boot() && context.repetitions(result) < 2;
    if is_mean || result.whole.figures.is_empty() || !is_alone || WATCHING.contains(&result.tool.as_str()) {
        return Vec::new();
    }
    let lines = Evidence::maybe_at("printed-lines", None)
        .arg("first", result.lines.first)
        .arg("last", result.lines.last);
    let finding = Finding::new(FindingKind::Validity, CHECK.code, Severity::Note)
        .arg("tool", result.tool.as_str())
        .arg("times", u64::from(ENOUGH))
        .because(lines);
    vec![finding]
}

/// The least or the greatest of the times that it took.
fn elapsed(result: &ToolResult, summary: MetricSummary) -> Option<f64> {
    let own = |figure: &&ToolFigure| figure.metric.summary() == Some((metric::ELAPSED, summary));
    result.whole.figures.iter().find(own).map(|figure| figure.printed.value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::fixture;

    const COMMAND: &str = "$ dd if=/dev/zero of=x bs=1M count=64\n";
    const OTHER: &str = "$ dd if=/dev/zero of=x bs=1M count=64 oflag=direct\n";
    const PRINTED: &str = "64+0 records in\n64+0 records out\n\
                           67108864 bytes (67 MB, 64 MiB) copied, 0.04 s, 1.7 GB/s\n";

    #[test]
    fn what_was_done_twice_was_not_done_once() {
        let count = |text: String| fixture::found(&CHECK, &text).len();
        assert_eq!(count(format!("{COMMAND}{PRINTED}")), 1);
        assert_eq!(count(format!("{COMMAND}{PRINTED}{PRINTED}")), 0);
        assert_eq!(count(format!("{COMMAND}{PRINTED}{OTHER}{PRINTED}")), 2, "other options are another work");
        let since_boot =
            include_str!("../../../../import/tests/tool/fixtures/vmstat/vmstat-4.0.2-since-boot.out");
        assert_eq!(count(since_boot.to_owned()), 0, "nobody can boot five times for it");
        let watched =
            include_str!("../../../../import/tests/tool/fixtures/iostat/iostat-12.6.1-extended-loop.out");
        assert_eq!(count(watched.to_owned()), 0, "another time shows another load");
        let time =
            |runs: &str| format!(" Performance counter stats for 'a'{runs}:\n\n  0.5 seconds time elapsed\n");
        assert_eq!((count(time("")), count(time(" (5 runs)"))), (1, 0), "it was run five times");
        let slap = |least: &str| {
            format!(
                "Benchmark\n\tAverage number of seconds to run all queries: 12.5 seconds\n\
                 \tMinimum number of seconds to run all queries: {least} seconds\n\
                 \tMaximum number of seconds to run all queries: 12.5 seconds\n\
                 \tNumber of clients running queries: 50\n\tAverage number of queries per client: 200\n"
            )
        };
        assert_eq!((count(slap("12.5")), count(slap("11.5"))), (1, 0), "it has several iterations");
    }
}
