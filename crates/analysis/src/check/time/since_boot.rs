//! The first report of iostat, vmstat, mpstat, zpool and dstat, taken for what happens now: it is of all the time since the machine
//! started.

use model::finding::Evidence;
use model::tool_result::ToolResult;
use model::{Finding, FindingKind, Severity, Unit};

use crate::check::{ToolCheck, ToolCheckContext, ToolCheckLook};

pub(super) const CHECK: ToolCheck = ToolCheck {
    code: "since-boot",
    doc: "Rates of iostat, vmstat, mpstat, zpool iostat or dstat are means over all the time since the machine started, for there is no \
          report but the first: they say nothing of the load that ran then.",
    english: r#"
finding-since-boot =
    the only report of { $tool } is its first one, whose rates are means since the machine started: they say nothing about a
    load that ran for a short part of that time
    .advice = give it an interval and a count, such as { $example }, and read the reports after the first

evidence-since-boot = lines { $first } to { $last }
"#,
    remedies: &[],
    look: ToolCheckLook::All(look),
};

/// Tools that have such reports, with the command that has others, too.
const TOOLS: &[(&str, &str)] = &[
    ("iostat", "iostat -x 1 10"),
    ("iostat-unix", "iostat 1 10"),
    ("vmstat", "vmstat 1 10"),
    ("mpstat", "mpstat -P ALL 1 10"),
    ("zpool", "zpool iostat 1 10"),
    ("dstat", "dstat 1 10"),
];

fn look(context: &ToolCheckContext<'_>) -> Vec<Finding> {
    // Of each device there is a result.
    let first = |(tool, example): &(&str, &str)| {
        let mut results = context.results.iter().filter(|result| result.tool == *tool && has_rates(result));
        let is_known = results.clone().any(|result| !result.is_since_boot());
        let result = results.next().filter(|_| !is_known)?;
        Some(finding(result, example))
    };
    TOOLS.iter().filter_map(first).collect()
}

/// Lists of counters are no reports: whoever asks for them knows since when they count. What processors did is a
/// rate, too.
fn has_rates(result: &ToolResult) -> bool {
    let mut figures = result.whole.figures.iter();
    figures.any(|figure| {
        matches!(figure.printed.unit, Unit::PerSecond | Unit::BytesPerSecond)
            || figure.metric.processor_state().is_some()
    })
}

fn finding(result: &ToolResult, example: &str) -> Finding {
    let lines = Evidence::maybe_at("since-boot", None)
        .arg("first", result.lines.first)
        .arg("last", result.lines.last);
    Finding::new(FindingKind::Validity, CHECK.code, Severity::Warning)
        .arg("tool", result.tool.as_str())
        .arg("example", example)
        .because(lines)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::fixture;

    const REPORT: &str = "Device r/s rkB/s r_await\nsda 10.00 40.00 1.00\nsdb 1.00 4.00 1.00\n\n";

    #[test]
    fn the_first_report_alone_is_told_once() {
        assert_eq!(fixture::found(&CHECK, &format!("$ iostat -xd\n{REPORT}")).len(), 1);
        assert_eq!(fixture::found(&CHECK, &format!("$ iostat -xd 1 2\n{REPORT}{REPORT}")).len(), 0);
        assert_eq!(fixture::found(&CHECK, &format!("$ iostat -xdy 1 1\n{REPORT}")).len(), 0);
    }

    #[test]
    fn a_lone_report_of_mpstat_is_since_the_start_where_no_time_passed() {
        let report = |end: &str| {
            format!("10:00:00 CPU %usr %sys %iowait %irq %idle\n{end} all 1.00 2.00 0.00 0.00 97.00\n")
        };
        assert_eq!(fixture::found(&CHECK, &report("10:00:00")).len(), 1);
        assert_eq!(fixture::found(&CHECK, &report("10:00:01")).len(), 0);
    }

    #[test]
    fn a_list_of_counters_is_no_report() {
        let list = include_str!("../../../../import/tests/tool/fixtures/vmstat/vmstat-4.0.2-summary.out");
        assert_eq!(fixture::found(&CHECK, list).len(), 0);
        let alone = include_str!("../../../../import/tests/tool/fixtures/vmstat/vmstat-4.0.2-since-boot.out");
        assert_eq!(fixture::found(&CHECK, alone).len(), 1);
    }
}
