//! A run that is shorter than the caches before a device: it may have filled them, and no more.

use model::finding::Evidence;
use model::tool_result::{ToolMeasurement, ToolRemedy, ToolResult};
use model::{Finding, FindingKind, Severity, metric};

use crate::check::work::writes_to_storage;
use crate::check::{ToolCheck, ToolCheckContext, ToolCheckLook};

/// What the largest controllers keep with a battery (8 GB of DDR4, as of Broadcom's 9500 series); the
/// part of an SSD that takes one bit a cell for speed is several times as large.
const CACHE_BYTES: f64 = 8_589_934_592.0;

/// A run of so many seconds is long enough to see the rate fall, even where little was written.
const LONG_S: f64 = 120.0;

pub(super) const CHECK: ToolCheck = ToolCheck {
    code: "shorter-than-caches",
    doc: "Less was written than caches of controllers and fast parts of SSDs hold: the rate may be theirs.",
    english: r#"
finding-shorter-than-caches =
    { SHORT($written, unit: "B") } were written in { $lasted }. Controllers cache up to { BINARY($cache) }, and SSDs write
    the first tens of GB faster: this may be the rate of a cache
    .advice = write for minutes, and more than the device can cache, until the rate no longer falls

evidence-written-in =
    line { $line }: { SHORT($written, unit: "B") } in { $lasted }
"#,
    remedies: &[ToolRemedy::RunFor(300)],
    look: ToolCheckLook::EachResult(look),
};

fn look(result: &ToolResult, _: &ToolCheckContext<'_>) -> Vec<Finding> {
    check(result).into_iter().collect()
}

fn check(result: &ToolResult) -> Option<Finding> {
    let window = result.whole.window.as_ref().filter(|_| writes_to_storage(result))?;
    let written = written(result)?;
    if written <= 0.0 || written >= CACHE_BYTES || window.value >= LONG_S {
        return None;
    }
    let evidence = Evidence::maybe_at("written-in", None)
        .arg("line", window.line)
        .arg("written", written)
        .arg("lasted", window.text.as_str());
    let finding = Finding::new(FindingKind::Validity, CHECK.code, Severity::Note)
        .arg("written", written)
        .arg("lasted", window.text.as_str())
        .arg("cache", CACHE_BYTES)
        .because(evidence);
    Some(finding)
}

/// Bytes that were written: of a load that reads, too, those alone.
fn written(result: &ToolResult) -> Option<f64> {
    let window = result.whole.window.as_ref()?;
    let of_writes = result.whole.figure(metric::WRITE_THROUGHPUT).map(|rate| rate.value * window.value);
    of_writes.or_else(|| bytes(&result.whole))
}

fn bytes(measured: &ToolMeasurement) -> Option<f64> {
    let of_rate = || Some(measured.figure(metric::THROUGHPUT)?.value * measured.window.as_ref()?.value);
    measured.bytes.as_ref().map(|bytes| bytes.value).or_else(of_rate)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::fixture;

    fn fio(pattern: &str, amount: &str, ms: u32) -> String {
        let class = if pattern.ends_with("read") { "read" } else { "write" };
        format!(
            "x: (g=0): rw={pattern}, bs=(R) 1024KiB-1024KiB, (W) 1024KiB-1024KiB, (T) 1024KiB-1024KiB, ioengine=psync, iodepth=1\n\
             fio-3.33\nx: (groupid=0, jobs=1): err= 0: pid=1: Fri Nov 27 19:33:58 2026\n  \
             {class}: IOPS=500, BW=500MiB/s (524MB/s)({amount}/{ms}msec)\n"
        )
    }

    #[test]
    fn little_that_was_written_may_be_in_a_cache() {
        assert_eq!(fixture::found(&CHECK, &fio("write", "5000MiB", 10_000)).len(), 1);
        assert_eq!(fixture::found(&CHECK, &fio("write", "146GiB", 300_000)).len(), 0);
        assert_eq!(fixture::found(&CHECK, &fio("randread", "5000MiB", 10_000)).len(), 0);
    }
}
