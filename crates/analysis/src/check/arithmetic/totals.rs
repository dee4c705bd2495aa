//! A total that is not what its parts did.

use model::finding::Evidence;
use model::tool_result::{PrintedValue, ToolMeasurement, ToolPart, ToolPartKind, ToolResult};
use model::{Finding, FindingKind, MetricName, Severity, Unit, metric};

use crate::check::work::parts;
use crate::check::{ToolCheck, ToolCheckContext, ToolCheckLook};

/// What is off by less may be the work of a last moment that one of the figures does not have.
const TOLERANCE: f64 = 0.01;

/// Parts that make the whole together. Intervals do not: they may be those of the sender, and the whole
/// what arrived.
const ADDED: &[ToolPartKind] = &[
    ToolPartKind::Direction,
    ToolPartKind::Thread,
    ToolPartKind::Job,
    ToolPartKind::Stream,
    ToolPartKind::Target,
];

pub(super) const CHECK: ToolCheck = ToolCheck {
    code: "total-contradicts-parts",
    doc: "The bytes, or the operations, of the whole are not the sum of those of its parts.",
    english: r#"
finding-total-contradicts-parts =
    { $tool } prints { $printed } for the whole, but its { $count } parts make { $unit ->
        [B] { SHORT($sum, unit: "B") }
        [bytes-per-second] { SHORT($sum, unit: "B/s") }
        [per-second] { SHORT($sum, unit: "1/s") }
       *[other] { FIXED($sum) } operations
    } together, { FIXED($ratio, decimals: 3) } times that
    .advice = look at the original output: a line may be missing, or from another run

evidence-sum-of-parts =
    line { $line }: { $printed } for the whole; lines { $first } to { $last }: { FIXED($ratio, decimals: 3) } times that together
"#,
    remedies: &[],
    look: ToolCheckLook::EachResult(look),
};

fn look(result: &ToolResult, _: &ToolCheckContext<'_>) -> Vec<Finding> {
    let amounts: [fn(&ToolMeasurement) -> Option<&PrintedValue>; 2] =
        [|measured| measured.bytes.as_ref(), |measured| measured.operations.as_ref()];
    let mut found = Vec::new();
    for amount in amounts {
        let Some(whole) = amount(&result.whole) else { continue };
        for kind in ADDED {
            found.extend(contradiction(result, whole, &parts(result, *kind), amount));
        }
    }
    found.extend(of_rates(result));
    found
}

/// Rates with those of reads and of writes, where there is nothing else.
const RATES: &[(MetricName, [MetricName; 2])] = &[
    (metric::THROUGHPUT, [metric::READ_THROUGHPUT, metric::WRITE_THROUGHPUT]),
    (metric::IOPS, [metric::READ_IOPS, metric::WRITE_IOPS]),
];

/// Of both directions at once, where no amounts are printed.
fn of_rates(result: &ToolResult) -> Vec<Finding> {
    if result.whole.window.is_some() || parts(result, ToolPartKind::Direction).len() > 2 {
        return Vec::new();
    }
    let of_one = |(name, [reads, writes]): &(MetricName, [MetricName; 2])| {
        let whole = result.whole.figure(*name)?;
        let values = [result.whole.figure(*reads)?, result.whole.figure(*writes)?];
        if agrees(whole, &values) || whole.value <= 0.0 {
            return None;
        }
        finding(result, whole, &values)
    };
    RATES.iter().filter_map(of_one).collect()
}

/// Whether the whole may be the sum of these.
fn agrees(whole: &PrintedValue, values: &[&PrintedValue]) -> bool {
    let least: f64 = values.iter().map(|value| value.least()).sum();
    let most: f64 = values.iter().map(|value| value.most()).sum();
    whole.most() >= least * (1.0 - TOLERANCE) && whole.least() <= most * (1.0 + TOLERANCE)
}

fn contradiction(
    result: &ToolResult,
    whole: &PrintedValue,
    parts: &[&ToolPart],
    amount: fn(&ToolMeasurement) -> Option<&PrintedValue>,
) -> Option<Finding> {
    let values: Vec<&PrintedValue> =
        parts.iter().map(|part| amount(&part.measured)).collect::<Option<Vec<_>>>()?;
    if values.len() < 2 {
        return None;
    }
    // What is sent and what arrives are the same bytes, seen from both ends.
    let is_one_side = groups(parts, &values).iter().any(|group| agrees(whole, group));
    if agrees(whole, &values) || is_one_side || whole.value <= 0.0 {
        return None;
    }
    finding(result, whole, &values)
}

/// That the whole is not the sum of these.
fn finding(result: &ToolResult, whole: &PrintedValue, values: &[&PrintedValue]) -> Option<Finding> {
    let unit = match whole.unit {
        Unit::BytesPerSecond => "bytes-per-second",
        Unit::PerSecond => "per-second",
        other => other.symbol(),
    };
    let sum: f64 = values.iter().map(|value| value.value).sum();
    let lines = || values.iter().map(|value| value.line);
    let evidence = Evidence::maybe_at("sum-of-parts", None)
        .arg("line", whole.line)
        .arg("printed", whole.text.as_str())
        .arg("first", lines().min()?)
        .arg("last", lines().max()?)
        .arg("ratio", sum / whole.value);
    let finding = Finding::new(FindingKind::Validity, CHECK.code, Severity::Error)
        .arg("tool", result.tool.as_str())
        .arg("printed", whole.text.as_str())
        .arg("count", u64::try_from(values.len()).ok()?)
        .arg("sum", sum)
        .arg("unit", unit)
        .arg("ratio", sum / whole.value)
        .because(evidence);
    Some(finding)
}

/// The values of parts whose names end with the same word: those of `sender`, those of `receiver`.
fn groups<'a>(parts: &[&ToolPart], values: &[&'a PrintedValue]) -> Vec<Vec<&'a PrintedValue>> {
    let mut groups: Vec<(&str, Vec<&'a PrintedValue>)> = Vec::new();
    for (part, value) in parts.iter().zip(values.iter().copied()) {
        let end = part.name.rsplit(' ').next().unwrap_or_default();
        match groups.iter_mut().find(|(own, _)| *own == end) {
            Some((_, group)) => group.push(value),
            None => groups.push((end, vec![value])),
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

#[cfg(test)]
mod tests {
    use model::ToolOutput;

    use super::*;
    use crate::check::fixture;

    fn fio(total: &str) -> String {
        let job = |pid: u32| {
            format!(
                "w: (groupid=0, jobs=1): err= 0: pid={pid}: Fri Nov 27 19:33:58 2026\n  \
                 write: IOPS=64, BW=64.0MiB/s (67.1MB/s)(64.0MiB/1000msec); 0 zone resets\n     \
                 issued rwts: total=0,64,0,0 short=0,0,0,0 dropped=0,0,0,0\n"
            )
        };
        format!(
            "fio-3.33\n{}{}\nRun status group 0 (all jobs):\n  \
             WRITE: bw=128MiB/s (134MB/s), 64.0MiB/s-64.0MiB/s (67.1MB/s-67.1MB/s), io={total}, run=1000-1000msec\n",
            job(1),
            job(2)
        )
    }

    #[test]
    fn the_whole_is_the_sum_of_its_parts() {
        let count = |total: &str| fixture::found(&CHECK, &fio(total)).len();
        assert_eq!(count("128MiB (134MB)"), 0);
        assert_eq!(count("192MiB (201MB)"), 1);
    }

    #[test]
    fn a_total_rate_is_that_of_reads_and_writes() {
        let capture =
            include_str!("../../../../import/tests/tool/fixtures/yabs/yabs-v2026-07-03-disk-alone.out");
        assert_eq!(fixture::found(&CHECK, capture).len(), 0);
        for (from, to) in [("377.01 MB/s", "577.01 MB/s"), ("(92.0k)", "(46.0k)")] {
            assert_eq!(fixture::found(&CHECK, &capture.replacen(from, to, 1)).len(), 1, "{to}");
        }
    }

    #[test]
    fn both_ends_of_a_stream_are_no_two_streams() {
        let value = |value: f64| PrintedValue {
            line: 1,
            text: value.to_string(),
            value,
            unit: model::Unit::Bytes,
            half_step: 0.0,
            counting: None,
        };
        let part = |name: &str, bytes: f64| ToolPart {
            kind: ToolPartKind::Stream,
            name: name.to_owned(),
            start_s: None,
            measured: ToolMeasurement { bytes: Some(value(bytes)), ..ToolMeasurement::default() },
        };
        let found = |whole: f64| {
            let parts = vec![part("5 sender", 100.0), part("7 sender", 100.0), part("5 receiver", 90.0)];
            let whole = ToolMeasurement { bytes: Some(value(whole)), ..ToolMeasurement::default() };
            let result = ToolResult { whole, parts, ..ToolResult::default() };
            let output = ToolOutput { results: vec![result], ..ToolOutput::default() };
            let context = ToolCheckContext::new(std::slice::from_ref(&output), None);
            look(&output.results[0], &context).len()
        };
        assert_eq!((found(200.0), found(90.0), found(290.0), found(150.0)), (0, 0, 0, 1));
    }
}
