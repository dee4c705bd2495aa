//! A figure of memory that poses as one of a device: reads and writes through the page cache.

use model::finding::Evidence;
use model::tool_result::{ToolRemedy, ToolResult};
use model::{Finding, FindingKind, Severity, ToolOutput};

use super::load::{CachedBefore, StorageLoad, moved};
use crate::check::{ToolCheck, ToolCheckContext, ToolCheckLook, prose};

/// Of writes of so many times the memory, all but a small part is on the device: Linux lets a fifth of
/// the memory wait to be written (`vm.dirty_ratio`, 20 % unless it is set).
const MEMORIES: f64 = 2.0;

pub(super) const CHECK: ToolCheck = ToolCheck {
    code: "page-cache-likely",
    doc: "It went through the page cache: writes without a sync, or reads of what memory holds. The figure is one of memory, as \
          far as the cache took part.",
    english: r#"
finding-page-cache-likely =
    { $tool } { $how ->
        [unsynced] wrote { BINARY($bytes) } through the page cache and did not wait for a sync: the figure says how fast memory
            took them, not the device
        [copied] copied { BINARY($bytes) } through the page cache and did not wait for a sync: the figure is that of the slower
            side, and what memory still holds is not yet on the device
        [again] read { BINARY($bytes) } from { BINARY($span) } through the page cache: from the second pass on memory answers,
            not the device
        [written-before] read { BINARY($span) } through the page cache that had just been written: what memory still holds of
            them does not come from the device
       *[unknown] read { BINARY($bytes) } through the page cache, which may have held them before: then memory answered, not
            the device
    }
    .advice = use direct I/O, which bypasses the page cache{ $how ->
        [unsynced] , or have a sync at the end in the time
        [copied] , or have a sync at the end in the time
       *[other] , or read more than the memory holds
    }

evidence-cached-options = lines { $first } to { $last }: no direct I/O{ $how ->
        [unsynced] , no sync
        [copied] , no sync
       *[other] {""}
    }
evidence-cached-memory = the machine has { BINARY($memory) } of memory
"#,
    remedies: &[ToolRemedy::BypassPageCache],
    look: ToolCheckLook::EachResult(look),
};

fn look(result: &ToolResult, context: &ToolCheckContext<'_>) -> Vec<Finding> {
    let machine = context.machine.map(|machine| machine.inventory.memory.total_bytes);
    let memory = machine.filter(|bytes| *bytes > 0).map(|bytes| bytes as f64);
    let is_dropped = context.output_of(result).is_some_and(|output| is_dropped(output, result));
    finding(result, memory, is_dropped).into_iter().collect()
}

/// Whether the page cache was emptied right above a result, as far as that line is among those of no tool.
fn is_dropped(output: &ToolOutput, result: &ToolResult) -> bool {
    let above = prose::heading(output, result);
    above.is_some_and(|above| above.texts().any(|(_, text)| text.contains("drop_caches")))
}

fn finding(result: &ToolResult, memory: Option<f64>, is_dropped: bool) -> Option<Finding> {
    let mut load = StorageLoad::of(result).filter(|load| load.is_direct == Some(false))?;
    if is_dropped {
        load.cached = CachedBefore::Dropped;
    }
    let span = load.span.map(|span| span as f64);
    // Who prints only rates moves at least what it touches.
    let bytes = moved(result).or(span)?;
    let (how, severity) = how(&load, bytes, span, memory)?;
    let mut finding = Finding::new(FindingKind::Validity, CHECK.code, severity)
        .arg("tool", result.tool.as_str())
        .arg("how", how)
        .arg("bytes", bytes);
    if let Some(span) = span {
        finding = finding.arg("span", span);
    }
    let options = Evidence::maybe_at("cached-options", None)
        .arg("first", result.lines.first)
        .arg("last", result.lines.last)
        .arg("how", how);
    let memory = memory.map(|memory| Evidence::maybe_at("cached-memory", None).arg("memory", memory));
    Some(finding.because(options).because_all(memory))
}

/// What speaks for the cache, and how much that matters; `None` where nothing does.
fn how(
    load: &StorageLoad<'_>,
    bytes: f64,
    span: Option<f64>,
    memory: Option<f64>,
) -> Option<(&'static str, Severity)> {
    if load.writes {
        let is_large = memory.is_some_and(|memory| bytes >= memory * MEMORIES);
        let is_doubted = load.is_synced == Some(false) && !is_large;
        // What comes from a disk may come slower than memory takes it.
        let found = if load.copies { ("copied", Severity::Note) } else { ("unsynced", Severity::Warning) };
        // It may read, too, what it wrote.
        if is_doubted || !load.reads || load.cached != CachedBefore::Written {
            return is_doubted.then_some(found);
        }
    }
    // Of what does not fit, a pass over it finds nothing.
    if memory.zip(span.or(Some(bytes))).is_some_and(|(memory, span)| span >= memory) {
        return None;
    }
    match load.cached {
        CachedBefore::Written => span.map(|_| ("written-before", Severity::Warning)),
        _ if span.is_some_and(|span| bytes > span) => Some(("again", Severity::Warning)),
        CachedBefore::Unknown => Some(("unknown", Severity::Note)),
        CachedBefore::Dropped => None,
    }
}

#[cfg(test)]
mod tests {
    use model::Value;

    use super::*;
    use crate::check::fixture;

    fn dd(operands: &str) -> String {
        format!(
            "$ dd {operands}\n64+0 records in\n64+0 records out\n67108864 bytes (67 MB, 64 MiB) copied, 0.04 s, 1.7 GB/s\n"
        )
    }

    fn how_of(text: &str) -> Option<(String, Severity)> {
        let found = fixture::found(&CHECK, text);
        assert!(found.len() < 2);
        let finding = found.first()?;
        match finding.args.get("how") {
            Some(Value::Text(how)) => Some((how.clone(), finding.severity)),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_waits_for_no_device_is_told() {
        let unsynced = how_of(&dd("if=/dev/zero of=/data/x bs=1M count=64"));
        assert_eq!(unsynced, Some(("unsynced".to_owned(), Severity::Warning)));
        let copied = how_of(&dd("if=/dev/mmcblk0 of=/data/x bs=1M"));
        assert_eq!(
            copied,
            Some(("copied".to_owned(), Severity::Note)),
            "the other side may be the slower one"
        );
        for sink in ["/dev/null", "/dev/zero"] {
            let unknown = how_of(&dd(&format!("if=/data/x of={sink} bs=1M")));
            assert_eq!(unknown, Some(("unknown".to_owned(), Severity::Note)));
        }
    }

    #[test]
    fn what_reached_the_device_or_is_not_known_is_not() {
        for operands in [
            "if=/dev/zero of=/data/x bs=1M count=64 oflag=direct",
            "if=/dev/zero of=/data/x bs=1M count=64 conv=fdatasync",
            "if=/dev/zero of=/dev/sdb bs=1M count=64",
            "if=/data/x of=/dev/null bs=1M iflag=direct",
            "if=/dev/zero of=/dev/null bs=1M count=64",
        ] {
            assert_eq!(how_of(&dd(operands)), None, "{operands}");
        }
        assert_eq!(how_of(dd("").split_once('\n').unwrap().1), None, "without the command nothing is known");
    }

    #[test]
    fn regression_a_page_cache_that_was_emptied_before_was_blamed() {
        let read = dd("if=/data/x of=/dev/null bs=1M");
        assert_eq!(how_of(&format!("# echo 3 > /proc/sys/vm/drop_caches\n{read}")), None);
        assert_eq!(how_of(&format!("# sync\n{read}")), Some(("unknown".to_owned(), Severity::Note)));
    }

    #[test]
    fn fio_reads_the_same_file_again() {
        let capture = include_str!("../../../../import/tests/tool/fixtures/fio/fio-3.33-randread.out");
        let again = how_of(capture);
        assert_eq!(again, Some(("again".to_owned(), Severity::Warning)));
        assert_eq!(how_of(&capture.replacen("--rw=randread", "--rw=randread --direct=1", 1)), None);
        assert_eq!(how_of(&capture.replacen("--size=32M", "--size=32G", 1)), None, "each place once at most");
    }

    #[test]
    fn the_memory_of_the_machine_decides() {
        let of = |memory: f64| {
            let text = dd("if=/dev/zero of=/data/x bs=1M count=64");
            let output = import::tool::read("", text.as_bytes()).unwrap();
            crate::said::written(finding(&output.results[0], Some(memory), false).into_iter().collect()).len()
        };
        assert_eq!((of(16e9), of(20e6)), (1, 0));
    }

    #[test]
    fn iozone_reads_what_it_wrote() {
        let rows = |flags: &str| {
            format!(
                "        Command line used: iozone -a {flags}\n        Output is in kBytes/sec\n\
                 \x20             kB  reclen    write  rewrite    read    reread\n\
                 \x20             64       4   121639   190947   184516   180788\n"
            )
        };
        assert_eq!(how_of(&rows("-g 64k")), Some(("unsynced".to_owned(), Severity::Warning)));
        assert_eq!(how_of(&rows("-e")), Some(("written-before".to_owned(), Severity::Warning)));
        assert_eq!(how_of(&rows("-I")), None);
    }

    #[test]
    fn sysbench_reads_what_it_wrote() {
        let capture = include_str!(
            "../../../../import/tests/tool/fixtures/sysbench/sysbench-1.0.20-fileio-rndrd-cached.out"
        );
        let written = how_of(capture);
        assert_eq!(written, Some(("written-before".to_owned(), Severity::Warning)));
    }
}
