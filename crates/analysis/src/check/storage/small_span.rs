//! A load that touches a small part of its device.

use model::finding::Evidence;
use model::tool_result::ToolResult;
use model::{Finding, FindingKind, Machine, Severity};

use super::device::{disk_under, target_device};
use super::load::StorageLoad;
use crate::check::{ToolCheck, ToolCheckContext, ToolCheckLook};

/// Below this share of a device what is measured is a corner of it: the heads of a hard disk hardly
/// move, and a flash drive has the addresses of it all in its own memory.
const SHARE: f64 = 0.01;

/// Hard disks of today have 256 MiB of cache and more (datasheets of Seagate Exos and WD Ultrastar),
/// and controllers of arrays have gigabytes.
const CACHE_BYTES: u64 = 256 << 20;

pub(super) const CHECK: ToolCheck = ToolCheck {
    code: "small-span",
    doc: "What was touched is tiny against the device, or fits into a drive's own cache: the device is faster there than \
          as a whole.",
    english: r#"
finding-small-span =
    { $tool } used only { BINARY($span) }{ $how ->
        [share] {" "}of the { DECIMAL($device) } of { $target }
        [cache] , which fit in the cache of { $target } ({ BINARY($cache) })
       *[unknown] , which may fit in the drive's own cache
    }: over the whole device it may be slower
    .advice = use a span as large as the data will be{ $how ->
        [unknown] ; with --machine it is compared with the size of the device
       *[other] {""}
    }

evidence-small-span = lines { $first } to { $last }: { BINARY($span) }
"#,
    remedies: &[],
    look: ToolCheckLook::EachResult(look),
};

fn look(result: &ToolResult, context: &ToolCheckContext<'_>) -> Vec<Finding> {
    finding(result, context.machine).into_iter().collect()
}

fn finding(result: &ToolResult, machine: Option<&Machine>) -> Option<Finding> {
    let load = StorageLoad::of(result)?;
    // Of what memory answered or took, the device says nothing.
    let reaches_device = load.is_direct == Some(true) || load.writes && load.is_synced == Some(true);
    let span = load.span.filter(|span| *span > 0 && reaches_device)?;
    let line = Evidence::maybe_at("small-span", None)
        .arg("first", result.lines.first)
        .arg("last", result.lines.last)
        .arg("span", span);
    let new = |how: &str, severity| {
        Finding::new(FindingKind::Validity, CHECK.code, severity)
            .arg("tool", result.tool.as_str())
            .arg("how", how)
            .arg("span", span)
            .because(line.clone())
    };
    let found = machine.zip(load.target).and_then(|(machine, target)| target_device(machine, target));
    let disk = machine.zip(found).and_then(|(machine, (device, _))| disk_under(machine, device));
    let Some(disk) = disk.filter(|disk| disk.bytes > 0) else {
        return (span <= CACHE_BYTES).then(|| new("unknown", Severity::Note));
    };
    if let Some(cache) = disk.cache_bytes.filter(|cache| span <= *cache) {
        let finding = new("cache", Severity::Warning).arg("cache", cache);
        return Some(finding.arg("target", disk.name.as_str()));
    }
    let share = span as f64 / disk.bytes as f64;
    // Where places are visited in their order, a corner differs less from the whole.
    let severity = if load.is_random { Severity::Warning } else { Severity::Note };
    (share < SHARE).then(|| {
        let finding = new("share", severity).arg("device", disk.bytes);
        finding.arg("target", disk.name.as_str())
    })
}

#[cfg(test)]
mod tests {
    use super::super::device::tests::machine;
    use super::*;
    use crate::check::fixture;

    fn fio(options: &str) -> String {
        let capture = include_str!("../../../../import/tests/tool/fixtures/fio/fio-3.33-randread.out");
        capture.replacen("--filename=/tmp/chk/f", "--filename=/data/f", 1).replacen("--size=32M", options, 1)
    }

    #[test]
    fn a_span_that_a_drive_has_in_its_cache_is_told_without_a_machine() {
        let count = |options: &str| fixture::found(&CHECK, &fio(options)).len();
        assert_eq!(count("--size=32M --direct=1"), 1);
        assert_eq!(count("--size=8G --direct=1"), 0);
        assert_eq!(count("--size=32M"), 0, "that is a matter of the page cache");
    }

    #[test]
    fn a_corner_of_a_known_device_is_told_with_its_share() {
        let of = |options: &str, cache: Option<u64>| {
            let mut machine = machine(1 << 40, "ext4");
            machine.inventory.block[0].cache_bytes = cache;
            let output = import::tool::read("", fio(options).as_bytes()).unwrap();
            let found = finding(&output.results[0], Some(&machine)).into_iter().collect();
            crate::said::written(found).first().map(|finding| (finding.severity, finding.text.clone()))
        };
        let (severity, text) = of("--size=8G --direct=1", None).unwrap();
        assert_eq!(severity, Severity::Warning);
        assert!(text.contains("8 GiB of the") && text.contains("of sda"), "{text}");
        assert_eq!(of("--size=800G --direct=1", None), None);
        let (_, text) = of("--size=200M --direct=1", Some(256 << 20)).unwrap();
        assert!(text.contains("(256 MiB)"), "{text}");
    }
}
