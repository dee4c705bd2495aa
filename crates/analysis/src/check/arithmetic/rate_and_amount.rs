//! A rate that is not what was done, divided by the time it took.

use model::database::metric as database;
use model::finding::Evidence;
use model::tool_result::{PrintedValue, ToolMeasurement, ToolResult};
use model::{Finding, FindingKind, MetricName, Severity, metric};

use crate::check::work::OPERATION_RATES;
use crate::check::{ToolCheck, ToolCheckContext, ToolCheckLook};

/// What is off by less may be the work of a last moment that one of the figures does not have.
const TOLERANCE: f64 = 0.01;

/// Factors by which a rate is off where a unit is taken for another.
const KNOWN: &[(f64, &str)] = &[
    (1000.0 / 1024.0, "binary"),
    (1e6 / 1_048_576.0, "binary"),
    (1e9 / 1_073_741_824.0, "binary"),
    (1024.0 / 1000.0, "decimal"),
    (1_048_576.0 / 1e6, "decimal"),
    (1_073_741_824.0 / 1e9, "decimal"),
    (8.0, "bits"),
    (0.125, "bits"),
    (60.0, "minutes"),
];

pub(super) const CHECK: ToolCheck = ToolCheck {
    code: "rate-contradicts-amount",
    doc: "The rate is not the bytes, or the operations, divided by the seconds that stand beside it.",
    english: r#"
finding-rate-contradicts-amount =
    { $tool } prints { $printed }, but { $amount } in { $lasted } are { SHORT($computed, $unit) }{ $cause ->
        [binary] {""}: its rate is in multiples of 1024
        [decimal] {""}: its rate is in multiples of 1000
        [bits] {""}: bits are taken for bytes
        [minutes] {""}: minutes are missing from the time, or it is of another clock
        [nothing] {""}
       *[unknown] {""}: the rate is { FIXED($ratio, decimals: 3) } times that
    }
    .advice = rely on what was counted, not on the rate; if somebody typed the text, look at the original

evidence-rate-arithmetic =
    line { $line }: { $amount } / { $lasted } = { SHORT($computed, $unit) }; printed { $printed }
"#,
    remedies: &[],
    look: ToolCheckLook::EachResult(look),
};

/// Tools take the time of the rate and the time that they print some milliseconds apart: sysbench, before and after its
/// threads end. No unit differs by so small a share.
const CLOCKS_S: f64 = 0.005;
const CLOCKS_SHARE: f64 = 0.02;

fn look(result: &ToolResult, _: &ToolCheckContext<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    for (_, measured) in result.measurements() {
        found.extend(contradiction(result, measured, metric::THROUGHPUT, measured.bytes.as_ref()));
        for rate in OPERATION_RATES.iter().chain(&[metric::FLOPS]) {
            found.extend(contradiction(result, measured, *rate, measured.operations.as_ref()));
        }
        let statements = measured.figure(database::QUERIES);
        found.extend(contradiction(result, measured, database::QUERIES_PER_SECOND, statements));
        found.extend(by_cpu_time(result, measured));
    }
    // The whole and its only part say the same.
    found.dedup();
    found
}

fn contradiction(
    result: &ToolResult,
    measured: &ToolMeasurement,
    metric: MetricName,
    amount: Option<&PrintedValue>,
) -> Option<Finding> {
    held_against(result, metric, measured.figure(metric)?, (amount?, measured.window.as_ref()?))
}

/// Of a rate for each second of CPU time.
fn by_cpu_time(result: &ToolResult, measured: &ToolMeasurement) -> Option<Finding> {
    let name = metric::OPERATIONS_PER_CPU_SECOND;
    let (rate, operations) = (measured.figure(name)?, measured.operations.as_ref()?);
    let user = measured.figure(metric::CPU_USER_TIME)?;
    let system = measured.figure(metric::CPU_SYSTEM_TIME)?;
    let both = PrintedValue {
        text: format!("{} + {}", user.text, system.text),
        value: user.value + system.value,
        half_step: user.half_step + system.half_step,
        ..user.clone()
    };
    held_against(result, name, rate, (operations, &both))
}

fn held_against(
    result: &ToolResult,
    metric: MetricName,
    rate: &PrintedValue,
    (amount, window): (&PrintedValue, &PrintedValue),
) -> Option<Finding> {
    let computed = amount.value / window.value;
    let least = amount.least() / window.most();
    let most = amount.most() / window.least();
    // Of a time that was rounded to nothing, nothing follows.
    if window.least() <= 0.0 || !most.is_finite() {
        return None;
    }
    if rate.most() >= least * (1.0 - TOLERANCE) && rate.least() <= most * (1.0 + TOLERANCE) {
        return None;
    }
    // Of a short time two readings of a clock are more than rounding apart.
    let apart_s = (amount.value / rate.value - window.value).abs();
    if apart_s <= CLOCKS_S.min(CLOCKS_SHARE * window.value) {
        return None;
    }
    let ratio = rate.value / computed;
    // A factor is known as well as the figures are.
    let blur = TOLERANCE + rate.half_step / rate.value.abs() + (most - least) / computed / 2.0;
    let known = KNOWN.iter().find(|(factor, _)| (ratio / factor - 1.0).abs() <= blur.min(0.02));
    // Of no amount no rate is a multiple.
    let cause = if computed > 0.0 { known.map_or("unknown", |(_, name)| *name) } else { "nothing" };
    let evidence = Evidence::at("rate-arithmetic", model::finding::Place::Metric(metric))
        .arg("line", rate.line)
        .arg("printed", rate.text.as_str())
        .arg("amount", amount.text.as_str())
        .arg("lasted", window.text.as_str())
        .arg("computed", computed)
        .arg("unit", rate.unit.symbol());
    let finding = Finding::new(FindingKind::Validity, CHECK.code, Severity::Error)
        .arg("tool", result.tool.as_str())
        .arg("printed", rate.text.as_str())
        .arg("amount", amount.text.as_str())
        .arg("lasted", window.text.as_str())
        .arg("computed", computed)
        .arg("unit", rate.unit.symbol())
        .arg("cause", cause)
        .because(evidence);
    Some(if ratio.is_finite() { finding.arg("ratio", ratio) } else { finding })
}

#[cfg(test)]
mod tests {
    use model::Value;

    use super::*;
    use crate::check::fixture;

    fn dd(end: &str) -> String {
        format!("64+0 records in\n64+0 records out\n67108864 bytes (67 MB, 64 MiB) copied, {end}\n")
    }

    #[test]
    fn the_rate_of_linpack_is_that_of_its_order_and_its_time() {
        let row = |rate: &str| {
            format!("WR11C2R4       20000   192     2     2             104.21             {rate}\n")
        };
        assert_eq!(fixture::found(&CHECK, &row("5.1183e+01")).len(), 0);
        assert_eq!(fixture::found(&CHECK, &row("5.1183e+02")).len(), 1);
    }

    #[test]
    fn what_rounding_explains_is_no_contradiction() {
        for end in ["0.039679 s, 1.7 GB/s", "0.04 s, 1.7 GB/s", "60.5 s, 1.1 MB/s", "0.267000 s, 248 MB/s"] {
            assert_eq!(fixture::found(&CHECK, &dd(end)).len(), 0, "{end}");
        }
    }

    #[test]
    fn a_rate_in_other_units_than_it_says_is_told_with_its_factor() {
        for (end, cause) in [
            ("1.00000 s, 64.00 MB/s", "binary"),
            ("0.500000 s, 1074 MB/s", "bits"),
            ("30.0000 s, 134.2 MB/s", "minutes"),
            ("1.00000 s, 99 MB/s", "unknown"),
        ] {
            let found = fixture::found(&CHECK, &dd(end));
            assert_eq!(found.len(), 1, "{end}");
            assert_eq!(found[0].args.get("cause"), Some(&Value::from(cause)), "{end}");
            assert_eq!(found[0].severity, Severity::Error);
        }
    }

    /// Bug: it said that the rate was “inf times that”.
    #[test]
    fn of_no_amount_no_multiple_is_told() {
        let text = "0+0 records in\n0+0 records out\n0 bytes copied, 1.00000 s, 1.7 GB/s\n";
        let found = fixture::found(&CHECK, text);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].args.get("cause"), Some(&Value::from("nothing")));
        assert_eq!(found[0].args.get("ratio"), None);
    }

    #[test]
    fn regression_transactions_that_ended_after_the_time_were_held_against_the_rate() {
        let report = |mean: &str| {
            format!(
                "transaction type: <builtin: TPC-B (sort of)>\nscaling factor: 1\nquery mode: simple\nnumber of clients: 16\n\
                 number of threads: 16\nduration: 5 s\nnumber of transactions actually processed: 80\n\
                 latency average: {mean} ms\ntps = 12.500000 (excluding connections establishing)\n"
            )
        };
        assert_eq!(fixture::found(&CHECK, &report("1100.000")).len(), 0, "the last ones took another second");
        assert_eq!(fixture::found(&CHECK, &report("2.000")).len(), 1);
    }

    #[test]
    fn operations_of_a_cpu_second_are_held_against_the_cpu_time() {
        let capture =
            include_str!("../../../../import/tests/tool/fixtures/stress-ng/stress-ng-0.15.06-brief.out");
        assert_eq!(fixture::found(&CHECK, capture).len(), 0);
        for (from, to) in [("1405.40", "4405.40"), ("      0.57", "      0.17")] {
            assert_eq!(fixture::found(&CHECK, &capture.replacen(from, to, 1)).len(), 1, "{to}");
        }
    }

    #[test]
    fn statements_are_held_against_their_rate() {
        let capture = include_str!(
            "../../../../import/tests/tool/fixtures/sysbench/sysbench-1.0.20-oltp-read-write.out"
        );
        assert_eq!(fixture::found(&CHECK, capture).len(), 0);
        assert_eq!(fixture::found(&CHECK, &capture.replacen("8658.18", "5658.18", 1)).len(), 1);
    }

    #[test]
    fn events_and_transactions_are_counted_too() {
        let sysbench =
            include_str!("../../../../import/tests/tool/fixtures/sysbench/sysbench-1.0.20-cpu-intervals.out");
        let pgbench = include_str!("../../../../import/tests/tool/fixtures/pgbench/pgbench-15.18-tpcb.out");
        for capture in [sysbench, pgbench] {
            assert_eq!(fixture::found(&CHECK, capture).len(), 0);
        }
        let ten_times = |capture: &str, name: &str| {
            let line = capture.lines().find(|line| line.contains(name)).unwrap();
            let more = format!("{line}0");
            fixture::found(&CHECK, &capture.replacen(line, &more, 1)).len()
        };
        assert_eq!(ten_times(sysbench, "total number of events:"), 1);
        assert_eq!(ten_times(pgbench, "number of transactions actually processed:"), 1);
    }
}
