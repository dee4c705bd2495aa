//! A queue depth that was asked for and cannot have been: the kernel's asynchronous I/O (io_submit(2)) through
//! the page cache waits until each operation is done.

use model::finding::Evidence;
use model::tool_result::{ToolRemedy, ToolResult};
use model::{Finding, FindingKind, Severity};

use super::load::StorageLoad;
use crate::check::work::option;
use crate::check::{ToolCheck, ToolCheckContext, ToolCheckLook};

pub(super) const CHECK: ToolCheck = ToolCheck {
    code: "depth-without-direct",
    doc: "Several operations were to be in flight by Linux's asynchronous I/O, without direct I/O: it then does one after \
          the other.",
    english: r#"
finding-depth-without-direct =
    { $tool } was to have { $depth } operations in flight, but through the page cache: there the asynchronous I/O of Linux does
    one after the other, so the figure is that of depth 1
    .advice = use direct I/O, which bypasses the page cache, or io_uring

evidence-depth-without-direct = lines { $first } to { $last }: depth { $depth }, no direct I/O
"#,
    remedies: &[ToolRemedy::BypassPageCache],
    look: ToolCheckLook::EachResult(look),
};

/// As many requests as sysbench has in flight where it is not told (`--file-async-backlog`).
const BACKLOG_OF_SYSBENCH: u64 = 128;

fn look(result: &ToolResult, _: &ToolCheckContext<'_>) -> Vec<Finding> {
    check(result).into_iter().collect()
}

fn check(result: &ToolResult) -> Option<Finding> {
    let depth = depth_of_linux(result).filter(|depth| *depth > 1)?;
    StorageLoad::of(result).filter(|load| load.is_direct == Some(false))?;
    let lines = Evidence::maybe_at("depth-without-direct", None)
        .arg("first", result.lines.first)
        .arg("last", result.lines.last)
        .arg("depth", depth);
    let finding = Finding::new(FindingKind::Validity, CHECK.code, Severity::Warning)
        .arg("tool", result.tool.as_str())
        .arg("depth", depth)
        .because(lines);
    Some(finding)
}

/// The depth that was asked of Linux's asynchronous I/O.
fn depth_of_linux(result: &ToolResult) -> Option<u64> {
    if option(result, &["ioengine"]) == Some("libaio") {
        return option(result, &["iodepth"])?.parse().ok();
    }
    let is_async = option(result, &["file-io-mode"]) == Some("async");
    let backlog = option(result, &["file-async-backlog"]).and_then(|backlog| backlog.parse().ok());
    is_async.then(|| backlog.unwrap_or(BACKLOG_OF_SYSBENCH))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::fixture;

    fn fio(options: &str) -> String {
        format!(
            "$ fio --name=x --rw=randread --bs=4k --size=1G --filename=/data/f {options}\n\
             fio-3.33\nx: (groupid=0, jobs=1): err= 0: pid=1: Fri Nov 27 19:33:58 2026\n  \
             read: IOPS=10.0k, BW=39.1MiB/s (41.0MB/s)(1024MiB/26200msec)\n"
        )
    }

    #[test]
    fn a_depth_that_cannot_have_been_is_told() {
        let count = |options: &str| fixture::found(&CHECK, &fio(options)).len();
        assert_eq!(count("--ioengine=libaio --iodepth=32"), 1);
        assert_eq!(count("--ioengine=libaio --iodepth=32 --direct=1"), 0);
        assert_eq!(count("--ioengine=libaio --iodepth=1"), 0);
        assert_eq!(count("--ioengine=io_uring --iodepth=32"), 0, "its workers wait for it");
        assert_eq!(count("--ioengine=psync --iodepth=32"), 0, "nobody takes that for a depth");
    }
}
