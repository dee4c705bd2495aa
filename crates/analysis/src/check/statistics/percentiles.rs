//! A percentile of which too few operations lie beyond it.

use std::collections::BTreeSet;

use model::finding::Evidence;
use model::metric::Statistic;
use model::tool_result::{PrintedValue, ToolMeasurement, ToolRemedy, ToolResult};
use model::{Finding, FindingKind, MetricName, Severity};

use crate::check::{ToolCheck, ToolCheckContext, ToolCheckLook};

/// As many must lie beyond a percentile of ours, too.
const BEYOND: f64 = 10.0;

/// Longer than what most tools do where nothing is said.
const LONGER_S: u32 = 60;

pub(super) const CHECK: ToolCheck = ToolCheck {
    code: "percentile-beyond-count",
    doc: "Fewer than ten operations lie beyond a percentile: it is the time of a few, and another run has another.",
    english: r#"
finding-percentile-beyond-count =
    { $share ->
        [none] { WORDS($metric) } is that of the slowest one: of { FIXED($count) } operations, none lies beyond it
       *[few] { WORDS($metric) } rests on too few operations: of { FIXED($count) }, only { FIXED($beyond, decimals: 1) } lie beyond it
    }
    .advice =
        { $highest ->
            [0] rely on no percentile of so few operations; run longer
           *[other] rely on no percentile above p{ $highest }; run longer for higher ones
        }

evidence-percentile-count =
    line { $line }: { $printed }; { FIXED($count) } operations by line { $last }
"#,
    remedies: &[ToolRemedy::RunFor(LONGER_S)],
    look: ToolCheckLook::EachResult(look),
};

/// Percentiles that tools print.
const PRINTED: &[f64] = &[50.0, 90.0, 95.0, 99.0, 99.9];

/// Those above are printed by default, and nobody quotes them.
const QUOTED: f64 = 99.9;

fn look(result: &ToolResult, _: &ToolCheckContext<'_>) -> Vec<Finding> {
    let mut told = BTreeSet::new();
    let lowest = result.measurements().filter_map(|(_, measured)| lowest_unsupported(measured));
    // Of jobs that did the same, and of the whole and its only part, one is enough.
    lowest.filter(|found| told.insert(found.metric)).map(|found| found.finding()).collect()
}

/// The lowest percentile that too few lie beyond.
struct Unsupported<'a> {
    metric: MetricName,
    percent: f64,
    printed: &'a PrintedValue,
    count: &'a PrintedValue,
}

fn lowest_unsupported(measured: &ToolMeasurement) -> Option<Unsupported<'_>> {
    // Of no operation there is no percentile.
    let count = measured.operations.as_ref().filter(|count| count.value > 0.0)?;
    let percentiles = measured.figures.iter().filter_map(|figure| match figure.metric.statistic()? {
        (_, Statistic::Percentile(percent)) => Some((percent, figure)),
        _ => None,
    });
    let unsupported = percentiles.filter(|(percent, _)| beyond(count, *percent) < BEYOND);
    let (percent, figure) = unsupported.min_by(|(a, _), (b, _)| a.total_cmp(b))?;
    Some(Unsupported { metric: figure.metric, percent, printed: &figure.printed, count })
}

/// How many operations lie beyond a percentile.
fn beyond(count: &PrintedValue, percent: f64) -> f64 {
    count.value * (1.0 - percent / 100.0)
}

impl Unsupported<'_> {
    fn finding(&self) -> Finding {
        let beyond_it = beyond(self.count, self.percent);
        let supported = PRINTED.iter().copied().rfind(|percent| beyond(self.count, *percent) >= BEYOND);
        let severity = if self.percent > QUOTED { Severity::Note } else { Severity::Warning };
        let evidence = Evidence::maybe_at("percentile-count", None)
            .arg("line", self.printed.line)
            .arg("printed", self.printed.text.as_str())
            .arg("count", self.count.value)
            .arg("last", self.count.line);
        Finding::new(FindingKind::Validity, CHECK.code, severity)
            .arg("metric", self.metric.as_str())
            .arg("count", self.count.value)
            .arg("beyond", beyond_it)
            .arg("share", if beyond_it < 1.0 { "none" } else { "few" })
            .arg("highest", supported.unwrap_or(0.0))
            .because(evidence)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::fixture;

    fn fio(operations: u64) -> String {
        format!(
            "fio-3.33\nx: (groupid=0, jobs=1): err= 0: pid=1: Fri Nov 27 19:33:58 2026\n  \
             read: IOPS=10.0k, BW=39.1MiB/s (41.0MB/s)(78.2MiB/2000msec)\n    lat percentiles (usec):\n     \
             | 50.00th=[   90], 90.00th=[  120], 99.00th=[  500], 99.90th=[  800]\n     \
             issued rwts: total={operations},0,0,0 short=0,0,0,0 dropped=0,0,0,0\n"
        )
    }

    #[test]
    fn ten_must_lie_beyond_a_percentile() {
        for (operations, metric) in [
            (20_000, None),
            (9_999, Some("latency_p99_9")),
            (999, Some("latency_p99")),
            (64, Some("latency_p90")),
        ] {
            let found = fixture::found(&CHECK, &fio(operations));
            let said = found.first().and_then(|finding| finding.args.get("metric"));
            assert_eq!(said, metric.map(model::Value::from).as_ref(), "{operations}");
        }
    }
}
