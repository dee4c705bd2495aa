//! A rate that a tool was not to exceed, and kept: what was asked for is then no figure of what could be done.

use model::finding::Evidence;
use model::tool_result::{PrintedValue, ToolResult};
use model::{Finding, FindingKind, MetricName, Severity, metric};

use crate::check::work::option;
use crate::check::{ToolCheck, ToolCheckContext, ToolCheckLook};

/// Tools whose option `rate` is of what they count, whole.
const TOOLS: &[&str] = &["sysbench", "pgbench", "ycsb"];

/// What they count a second.
const RATES: &[MetricName] =
    &[metric::TRANSACTIONS_PER_SECOND, metric::EVENTS_PER_SECOND, metric::OPERATIONS_PER_SECOND];

/// What is off by so much at most was kept.
const SLACK: f64 = 0.05;

pub(super) const CHECK: ToolCheck = ToolCheck {
    code: "asked-rate-kept",
    doc: "A tool was told to do so much a second at most, and did: the figure is what was asked for, not what could be done.",
    english: r#"
finding-asked-rate-kept =
    { $tool } was told to do { SHORT($asked, unit: "1/s") } at most, and did { SHORT($done, unit: "1/s") }: the figure is what was
    asked for, not what could be done
    .advice = leave the limit out to learn how much it can do, and take only latencies from this run
"#,
    remedies: &[],
    look: ToolCheckLook::EachResult(look),
};

fn look(result: &ToolResult, _: &ToolCheckContext<'_>) -> Vec<Finding> {
    check(result).into_iter().collect()
}

fn check(result: &ToolResult) -> Option<Finding> {
    let (asked, done) = asked_and_done(result)?;
    let is_kept = done.most() >= asked * (1.0 - SLACK) && done.least() <= asked * (1.0 + SLACK);
    if asked <= 0.0 || !is_kept {
        return None;
    }
    let evidence = Evidence::maybe_at("asked-rate", None)
        .arg("line", done.line)
        .arg("done", done.value)
        .arg("asked", asked);
    let finding = Finding::new(FindingKind::Validity, CHECK.code, Severity::Note)
        .arg("tool", result.tool.as_str())
        .arg("asked", asked)
        .arg("done", done.value)
        .because(evidence);
    Some(finding)
}

/// The most that all together were to do a second, and what they did.
fn asked_and_done(result: &ToolResult) -> Option<(f64, &PrintedValue)> {
    let whole = &result.whole;
    if TOOLS.contains(&result.tool.as_str()) {
        let asked: f64 = option(result, &["rate"])?.trim_end_matches("/s").parse().ok()?;
        return Some((asked, RATES.iter().find_map(|rate| whole.figure(*rate))?));
    }
    let is_mixed = whole.figure(metric::READ_IOPS).is_some() && whole.figure(metric::WRITE_IOPS).is_some();
    // With it each job of fio has this limit, for its reads and for its writes.
    let each = option(result, &["rate_iops"]).filter(|_| result.tool == "fio" && !is_mixed)?;
    let jobs: f64 = option(result, &["numjobs"]).map_or(Some(1.0), |jobs| jobs.parse().ok())?;
    let each: f64 = each.parse().ok()?;
    Some((each * jobs, whole.figure(metric::IOPS)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::fixture;

    fn of_fio(options: &str, iops: u32, jobs: u32) -> usize {
        let text = format!(
            "$ fio --name=a --rw=randread --time_based --runtime=30{options}\n\
             a: (groupid=0, jobs={jobs}): err= 0: pid=7: Sat Nov 28 10:00:00 2026\n  \
             read: IOPS={iops}, BW=4000KiB/s (4096kB/s)(117MiB/30001msec)\n"
        );
        fixture::found(&CHECK, &text).len()
    }

    #[test]
    fn a_limit_of_fio_that_was_kept_is_told() {
        assert_eq!(of_fio(" --rate_iops=1000", 1000, 1), 1);
        assert_eq!(of_fio(" --rate_iops=500 --numjobs=2", 1000, 2), 1);
        assert_eq!(of_fio(" --rate_iops=5000", 1000, 1), 0, "something else was the limit");
        assert_eq!(of_fio(" --rate_iops=1000,500", 1000, 1), 0);
        assert_eq!(of_fio("", 1000, 1), 0);
    }

    #[test]
    fn a_rate_of_transactions_that_was_kept_is_told() {
        let of_pgbench = |asked: &str| {
            let report = "transaction type: <builtin: TPC-B (sort of)>\nscaling factor: 1\nquery mode: simple\n\
                          number of clients: 4\nnumber of threads: 1\nduration: 60 s\n\
                          number of transactions actually processed: 1800\nlatency average = 9.000 ms\n\
                          tps = 30.940000 (without initial connection time)\n";
            fixture::found(&CHECK, &format!("$ pgbench -c 4 -T 60{asked}\n{report}")).len()
        };
        assert_eq!((of_pgbench(" --rate=31"), of_pgbench(" --rate=100"), of_pgbench("")), (1, 0, 0));
    }
}
