//! A latency that is the length of a queue. In a closed loop with so many operations in flight each
//! waits for those before it: Little's law gives the latency from the depth and the rate, whatever
//! the device needs for one.

use model::finding::Evidence;
use model::tool_result::{ToolPartKind, ToolResult};
use model::{Finding, FindingKind, Severity, metric};

use crate::check::work::{iops_as_printed, is_closed_loop, outstanding, parts};
use crate::check::{ToolCheck, ToolCheckContext, ToolCheckLook};

/// As many as the queue of a SATA device holds (native command queuing).
const DEEP: u64 = 32;

/// As many requests as Linux keeps for a queue with a scheduler: twice `BLKDEV_DEFAULT_RQ`
/// (include/linux/blkdev.h, block/blk-mq-sched.c). What is beyond waits before the device has it.
const BEYOND_QUEUE: u64 = 256;

/// A latency of at least this share of what the law gives is that of the queue.
const SHARE: f64 = 0.7;

pub(super) const CHECK: ToolCheck = ToolCheck {
    code: "latency-is-queue",
    doc: "With so many operations in flight the latency is their number divided by the rate: it says how long the queue \
          is, not how fast the device is.",
    english: r#"
finding-latency-is-queue =
    { $depth } operations in flight at { $printed } take { SHORT($computed, unit: "s") } each by Little's law, and
    { $lasted } are printed: this latency says how long the queue is, not what the device needs for one operation
    .advice = take the latency from a run with one operation in flight, and only the rate from this one

evidence-queue-arithmetic =
    line { $line }: { $depth } / { $printed } = { SHORT($computed, unit: "s") }
"#,
    remedies: &[],
    look: ToolCheckLook::EachResult(look),
};

fn look(result: &ToolResult, _: &ToolCheckContext<'_>) -> Vec<Finding> {
    check(result).into_iter().collect()
}

fn check(result: &ToolResult) -> Option<Finding> {
    let depth = outstanding(result).filter(|depth| *depth >= DEEP)?;
    // Of reads and writes in one queue each waits for both.
    let of_whole = result.whole.figure(metric::LATENCY_MEAN);
    let rate = result.whole.figure(metric::IOPS).filter(|rate| rate.value > 0.0)?;
    let directions = parts(result, ToolPartKind::Direction);
    let of_directions = directions.iter().filter_map(|part| part.measured.figure(metric::LATENCY_MEAN));
    let latency = of_whole.or_else(|| of_directions.max_by(|a, b| a.value.total_cmp(&b.value)))?;
    let computed = depth as f64 / rate.value;
    if !is_closed_loop(result) || latency.value < SHARE * computed {
        return None;
    }
    let severity = if depth > BEYOND_QUEUE { Severity::Warning } else { Severity::Note };
    let evidence = Evidence::maybe_at("queue-arithmetic", None)
        .arg("line", rate.line)
        .arg("depth", depth)
        .arg("printed", rate.text.as_str())
        .arg("computed", computed);
    let finding = Finding::new(FindingKind::Validity, CHECK.code, severity)
        .arg("depth", depth)
        .arg("printed", iops_as_printed(rate))
        .arg("lasted", latency.text.as_str())
        .arg("computed", computed)
        .because(evidence);
    Some(finding)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::fixture;

    fn fio(depth: u32, jobs: u32, mean: &str) -> String {
        format!(
            "x: (g=0): rw=randwrite, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=libaio, iodepth={depth}\n\
             fio-3.33\nx: (groupid=0, jobs={jobs}): err= 0: pid=1: Fri Nov 27 19:33:58 2026\n  \
             write: IOPS=184k, BW=719MiB/s (754MB/s)(126GiB/180000msec); 0 zone resets\n     \
             lat (msec): min=1, max=2000, avg={mean}, stdev=10.00\n"
        )
    }

    #[test]
    fn sixty_four_jobs_with_512_each_measure_their_queue() {
        let found = fixture::found(&CHECK, &fio(512, 64, "166.00"));
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].severity, Severity::Warning);
        let computed = found[0].args.get("computed").and_then(model::Value::number).unwrap();
        assert!((computed - 32768.0 / 184e3).abs() < 1e-9, "{computed}");
    }

    #[test]
    fn a_shallow_queue_and_another_latency_are_none() {
        assert_eq!(
            fixture::found(&CHECK, &fio(32, 1, "0.17")).first().map(|f| f.severity),
            Some(Severity::Note)
        );
        assert_eq!(fixture::found(&CHECK, &fio(8, 1, "0.04")).len(), 0);
        assert_eq!(fixture::found(&CHECK, &fio(512, 64, "6.00")).len(), 0);
    }
}
