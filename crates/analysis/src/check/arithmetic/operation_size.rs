//! Bytes and operations that do not make the size that each operation has.

use model::finding::Evidence;
use model::tool_result::{PrintedValue, ToolMeasurement, ToolResult};
use model::{Finding, FindingKind, Severity, metric};

use crate::check::work::{block_bytes, iops_as_printed};
use crate::check::{ToolCheck, ToolCheckContext, ToolCheckLook};

/// What is off by less may be operations under way at the edges, and some that were short.
const TOLERANCE: f64 = 0.02;

/// What dd writes behind the whole records where none was a part of one.
const ALL_WHOLE: &str = "+0";

pub(super) const CHECK: ToolCheck = ToolCheck {
    code: "size-contradicts-operations",
    doc: "The bytes per second divided by the operations per second, or all bytes by all operations, are not the block size \
          that was asked for.",
    english: r#"
finding-size-contradicts-operations =
    { $how ->
        [amounts] { SHORT($bytes, unit: "B") } in { $other } operations
       *[rates] { $printed } at { $other }
    } are { BINARY($computed) } for each operation, but the block size is { BINARY($block) }
    .advice = check that both figures are of the same run, and which unit the rate has

evidence-size-arithmetic =
    lines { $first } and { $last }: { $printed } / { $other } = { BINARY($computed) }
"#,
    remedies: &[],
    look: ToolCheckLook::EachResult(look),
};

fn look(result: &ToolResult, _: &ToolCheckContext<'_>) -> Vec<Finding> {
    let Some(block) = block_bytes(result) else { return Vec::new() };
    let mut found: Vec<Finding> =
        result.measurements().filter_map(|(_, measured)| contradiction(measured, block)).collect();
    // The whole and its only part say the same.
    found.dedup();
    found
}

fn contradiction(measured: &ToolMeasurement, block: u64) -> Option<Finding> {
    of_rates(measured, block).or_else(|| of_amounts(measured, block))
}

/// More bytes than the operations have room for; fewer where the tool says that all of them were whole.
fn of_amounts(measured: &ToolMeasurement, block: u64) -> Option<Finding> {
    let (bytes, operations) = (measured.bytes.as_ref()?, measured.operations.as_ref()?);
    let are_whole = operations.text.ends_with(ALL_WHOLE);
    let asked = block as f64;
    let is_more = bytes.least() > operations.most() * asked * (1.0 + TOLERANCE);
    let is_less = are_whole && bytes.most() < operations.least() * asked * (1.0 - TOLERANCE);
    (operations.value > 0.0 && (is_more || is_less)).then(|| {
        let finding = finding(bytes, operations, block);
        finding.arg("how", "amounts").arg("bytes", bytes.value).arg("other", operations.text.as_str())
    })
}

fn of_rates(measured: &ToolMeasurement, block: u64) -> Option<Finding> {
    let (bytes, operations) = (measured.figure(metric::THROUGHPUT)?, measured.figure(metric::IOPS)?);
    if bytes.least() <= 0.0 || operations.least() <= 0.0 {
        return None;
    }
    let least = bytes.least() / operations.most();
    let most = bytes.most() / operations.least();
    let asked = block as f64;
    if asked >= least * (1.0 - TOLERANCE) && asked <= most * (1.0 + TOLERANCE) {
        return None;
    }
    Some(finding(bytes, operations, block).arg("how", "rates"))
}

fn finding(bytes: &PrintedValue, operations: &PrintedValue, block: u64) -> Finding {
    let computed = bytes.value / operations.value;
    let evidence = Evidence::maybe_at("size-arithmetic", None)
        .arg("first", bytes.line.min(operations.line))
        .arg("last", bytes.line.max(operations.line))
        .arg("printed", bytes.text.as_str())
        .arg("other", operations.text.as_str())
        .arg("computed", computed);
    Finding::new(FindingKind::Validity, CHECK.code, Severity::Error)
        .arg("printed", bytes.text.as_str())
        .arg("other", iops_as_printed(operations))
        .arg("computed", computed)
        .arg("block", block)
        .because(evidence)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::fixture;

    fn fio(rate: &str) -> String {
        format!(
            "x: (g=0): rw=randread, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=psync, iodepth=1\n\
             fio-3.33\nx: (groupid=0, jobs=1): err= 0: pid=1: Fri Nov 27 19:33:58 2026\n  \
             read: IOPS=10.0k, BW={rate}(391MiB/10000msec)\n"
        )
    }

    #[test]
    fn bytes_divided_by_operations_are_the_block_size() {
        let count = |rate: &str| fixture::found(&CHECK, &fio(rate)).len();
        assert_eq!(count("39.1MiB/s (41.0MB/s)"), 0);
        assert_eq!(count("78.2MiB/s (82.0MB/s)"), 1);
        assert_eq!(count("313MiB/s (328MB/s)"), 1, "bits for bytes");
    }

    #[test]
    fn records_of_dd_have_their_size() {
        let count = |records: &str, bytes: u64| {
            let text = format!(
                "$ dd if=/dev/zero of=/data/x bs=1M count=64\n{records} records in\n{records} records out\n\
                 {bytes} bytes copied, 1.00000 s, {:.1} MB/s\n",
                bytes as f64 / 1e6
            );
            fixture::found(&CHECK, &text).len()
        };
        assert_eq!((count("64+0", 64 << 20), count("63+1", (63 << 20) + 5)), (0, 0));
        assert_eq!((count("64+0", 640 << 20), count("64+0", 6 << 20)), (1, 1));
    }
}
