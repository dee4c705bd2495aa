//! Operations that failed: most tools count them in their rate and their latency (pgbench does not), and an error takes
//! another time than work that is done. And tools that did nothing.

use model::finding::Evidence;
use model::tool_result::{PrintedValue, ToolResult};
use model::{Finding, FindingKind, Severity, metric};

use crate::check::{ToolCheck, ToolCheckContext, ToolCheckLook};

/// Where fewer fail, the rest decides the figures.
const SOME: f64 = 0.01;

/// Where as many fail, the figures are those of errors.
const MOST: f64 = 0.5;

pub(super) const CHECK: ToolCheck = ToolCheck {
    code: "failed-operations",
    doc: "One operation in a hundred failed, or more: answers with an error, connections that broke, packets that got lost; \
          or none came to an end. Most tools have those that failed in their rates and latencies.",
    english: r#"
finding-failed-operations =
    { $how ->
        [all] all operations of { $tool } failed: no work was done, whatever its rate is
        [most] { PERCENT($share) } of the operations of { $tool } failed: most of the work was not done, whatever its rate is
        [none] { $tool } did nothing: none of its operations came to an end
        [lost] { PERCENT($share) } of the packets of { $tool } got lost: its other figures are of those that arrived
       *[some] { PERCENT($share) } of the operations of { $tool } failed: that may take less time than work that is done, or more,
            and most tools have it in their rate and their latency
    }
    .advice = find out why they fail, and measure again without failures

evidence-failed-line =
    line { $line }: { $printed }
"#,
    remedies: &[],
    look: ToolCheckLook::EachResult(look),
};

fn look(result: &ToolResult, _: &ToolCheckContext<'_>) -> Vec<Finding> {
    let failed = result.whole.figure(metric::ERROR_SHARE);
    let lost =
        result.whole.figure(metric::LOSS).filter(|loss| failed.is_none() && is_told_alone(result, loss));
    let found = failed.or(lost).filter(|failed| failed.value >= SOME).or_else(|| nothing(result));
    let Some(failed) = found else { return Vec::new() };
    let (how, severity) = match failed.value {
        share if share <= 0.0 => ("none", Severity::Error),
        // Where no packet arrives, nothing was done either.
        share if share >= 1.0 => ("all", Severity::Error),
        _ if lost.is_some() => ("lost", Severity::Warning),
        share if share >= MOST => ("most", Severity::Error),
        _ => ("some", Severity::Warning),
    };
    let line =
        Evidence::maybe_at("failed-line", None).arg("line", failed.line).arg("printed", failed.text.as_str());
    let finding = Finding::new(FindingKind::Validity, CHECK.code, severity)
        .arg("tool", result.tool.as_str())
        .arg("share", failed.value)
        .arg("how", how)
        .because(line);
    vec![finding]
}

/// The rate of a tool that did nothing at all.
fn nothing(result: &ToolResult) -> Option<&PrintedValue> {
    let rates = [
        metric::OPERATIONS_PER_SECOND,
        metric::TRANSACTIONS_PER_SECOND,
        metric::REQUESTS_PER_SECOND,
        metric::EVENTS_PER_SECOND,
    ];
    let rate = rates.iter().find_map(|rate| result.whole.figure(*rate))?;
    let is_none = result.whole.operations.as_ref().is_some_and(|all| all.value <= 0.0);
    (is_none && rate.value <= 0.0).then_some(rate)
}

/// Whether nothing else says that packets got lost: beside what was sent, what arrived does.
fn is_told_alone(result: &ToolResult, lost: &PrintedValue) -> bool {
    let has = |name| result.whole.figure(name).is_some();
    lost.value >= 1.0 || !(has(metric::SENDER_THROUGHPUT) && has(metric::THROUGHPUT))
}

#[cfg(test)]
mod tests {
    use model::Value;

    use super::*;
    use crate::check::fixture;

    fn wrk(errors: &str) -> String {
        format!(
            "Running 10s test @ http://h/x\n  1 threads and 2 connections\n  1000 requests in 10.00s, 1.00MB read\n{errors}\
             Requests/sec:    100.00\nTransfer/sec:    102.40KB\n"
        )
    }

    #[test]
    fn regression_errors_that_sysbench_ignores_were_not_seen() {
        let told = |errors: &str| {
            let text = format!(
                "SQL statistics:\n    transactions:                        30000  (300.00 per sec.)\n    ignored errors:  \
                 {errors} per sec.)\n\nGeneral statistics:\n    total time:                          100.00s\n"
            );
            fixture::found(&CHECK, &text).len()
        };
        assert_eq!((told("100 (1.00"), told("20000 (200.00")), (0, 1));
    }

    #[test]
    fn a_tool_that_did_nothing_is_found() {
        let how = |events: &str, rate: &str| {
            let text = format!(
                "sysbench 1.0.20\n\nTotal operations: {events} ( {rate} per second)\n\nGeneral statistics:\n    \
                 total time:                          1.0008s\n    total number of events:              {events}\n"
            );
            fixture::found(&CHECK, &text)
                .first()
                .map(|finding| (finding.severity, finding.args["how"].clone()))
        };
        assert_eq!(how("0", "0.00"), Some((Severity::Error, Value::from("none"))));
        assert_eq!(how("5", "5.00"), None);
    }

    #[test]
    fn answers_that_say_so_and_connections_that_broke_have_failed() {
        let found = |errors: &str| {
            let found = fixture::found(&CHECK, &wrk(errors));
            found.first().map(|finding| (finding.severity, finding.args["how"].clone()))
        };
        assert_eq!(found(""), None);
        assert_eq!(found("  Non-2xx or 3xx responses: 9\n"), None);
        let some = |how: &str, severity| Some((severity, Value::from(how)));
        assert_eq!(found("  Non-2xx or 3xx responses: 10\n"), some("some", Severity::Warning));
        assert_eq!(found("  Non-2xx or 3xx responses: 900\n"), some("most", Severity::Error));
        assert_eq!(found("  Non-2xx or 3xx responses: 1000\n"), some("all", Severity::Error));
        let broken = "  Socket errors: connect 100, read 200, write 700, timeout 5\n";
        assert_eq!(found(broken), some("most", Severity::Error));
        assert_eq!(
            found("  Socket errors: connect 0, read 0, write 0, timeout 900\n"),
            None,
            "they may be late"
        );
    }

    #[test]
    fn probes_that_get_lost_have_failed() {
        let found = |received: u32| {
            let text = format!(
                "Pinging 192.0.2.1 with 32 bytes of data:\nRequest timed out.\n\nPing statistics for 192.0.2.1:\n    \
                 Packets: Sent = 4, Received = {received}, Lost = {} ({}% loss),\n",
                4 - received,
                25 * (4 - received)
            );
            let found = fixture::found(&CHECK, &text);
            found.first().map(|finding| (finding.severity, finding.args["how"].clone()))
        };
        assert_eq!(found(0), Some((Severity::Error, Value::from("all"))));
        assert_eq!(found(3), Some((Severity::Warning, Value::from("lost"))));
        assert_eq!(found(4), None);
    }
}
