//! A rate that a tool was asked for, and did not keep: what is late waits in a queue.

use model::finding::Evidence;
use model::tool_result::ToolResult;
use model::{Finding, FindingKind, MetricName, Severity, metric};

use crate::check::work::option;
use crate::check::{ToolCheck, ToolCheckContext, ToolCheckLook};

/// Tools whose option `rate` is of what they count, whole.
const TOOLS: &[&str] = &["sysbench", "pgbench", "ycsb"];

/// What they count a second.
const RATES: &[MetricName] =
    &[metric::TRANSACTIONS_PER_SECOND, metric::EVENTS_PER_SECOND, metric::OPERATIONS_PER_SECOND];

/// A share that is missing at the end of a run that kept its rate.
const SLACK: f64 = 0.05;

/// Operations that begin at random moments are as many as asked for within so many standard deviations.
const DEVIATIONS: f64 = 3.0;

pub(super) const CHECK: ToolCheck = ToolCheck {
    code: "asked-rate-missed",
    doc: "A tool was asked for a rate and did less: its latencies say how long the queue became.",
    english: r#"
finding-asked-rate-missed =
    { $tool } was asked for { SHORT($asked, unit: "1/s") } and did { SHORT($done, unit: "1/s") }: what is late waits, so
    latencies grow with the length of the run, and say how long the queue became
    .advice = ask for a rate that is kept, and read latencies only there

evidence-asked-rate = line { $line }: { SHORT($done, unit: "1/s") } of { SHORT($asked, unit: "1/s") }
"#,
    remedies: &[],
    look: ToolCheckLook::EachResult(look),
};

fn look(result: &ToolResult, _: &ToolCheckContext<'_>) -> Vec<Finding> {
    check(result).into_iter().collect()
}

fn check(result: &ToolResult) -> Option<Finding> {
    let asked = option(result, &["rate"]).filter(|_| TOOLS.contains(&result.tool.as_str()))?;
    let asked: f64 = asked.trim_end_matches("/s").parse().ok()?;
    let window = result.whole.window.as_ref()?;
    let done = RATES.iter().find_map(|rate| result.whole.figure(*rate))?;
    let random = DEVIATIONS / (asked * window.value).sqrt();
    let is_missed = asked > 0.0 && done.most() < asked * (1.0 - SLACK.max(random));
    if !is_missed {
        return None;
    }
    let evidence = Evidence::maybe_at("asked-rate", None)
        .arg("line", done.line)
        .arg("done", done.value)
        .arg("asked", asked);
    let finding = Finding::new(FindingKind::Validity, CHECK.code, Severity::Warning)
        .arg("tool", result.tool.as_str())
        .arg("asked", asked)
        .arg("done", done.value)
        .because(evidence);
    Some(finding)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::fixture;

    fn found(asked: &str, tps: &str) -> usize {
        let report = format!(
            "transaction type: <builtin: TPC-B (sort of)>\nscaling factor: 1\nquery mode: simple\nnumber of clients: 4\n\
             number of threads: 1\nduration: 60 s\nnumber of transactions actually processed: 1800\n\
             latency average = 9000.000 ms\ntps = {tps} (without initial connection time)\n"
        );
        fixture::found(&CHECK, &format!("$ pgbench -c 4 -T 60{asked}\n{report}")).len()
    }

    #[test]
    fn a_rate_that_was_not_kept_is_told() {
        assert_eq!(found(" --rate=100", "30.940000"), 1);
        assert_eq!(found(" --rate=31", "30.940000"), 0, "it was kept");
        assert_eq!(found("", "30.940000"), 0, "none was asked for");
    }
}
