//! Zeros, on storage of which nobody knows whether it stores them.

use model::finding::Evidence;
use model::machine::{BlockDevice, BlockKind, Mount};
use model::tool_result::{ToolRemedy, ToolResult};
use model::{Finding, FindingKind, Machine, Severity};

use super::device::{disk_under, target_device};
use super::load::StorageLoad;
use crate::check::{ToolCheck, ToolCheckContext, ToolCheckLook};

pub(super) const CHECK: ToolCheck = ToolCheck {
    code: "zeros-written",
    doc: "Zeros were written: file systems, arrays, clouds and some drives compress them or store none at all, and are faster \
          with them than with data.",
    english: r#"
finding-zeros-written =
    { $tool } wrote zeros: { $storage ->
        [compresses] { $filesystem } compresses them to almost nothing, so that hardly any reach the device
        [virtual] the storage behind a virtual or thin device may not keep them
       *[unknown] real data is slower where the file system, an array or the drive compresses, or does not store zeros
    }
    .advice = write data that cannot be compressed, such as a file of random bytes that is in memory

evidence-zeros-written = lines { $first } to { $last }: zeros
"#,
    remedies: &[ToolRemedy::RandomContent],
    look: ToolCheckLook::EachResult(look),
};

/// What is known of the storage below a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Storage {
    /// It stores what it is given.
    Plain,
    /// Its file system compresses.
    Compresses,
    /// It is virtual, or takes room only when something is written.
    Virtual,
    /// Nothing.
    Unknown,
}

fn look(result: &ToolResult, context: &ToolCheckContext<'_>) -> Vec<Finding> {
    finding(result, context.machine).into_iter().collect()
}

fn finding(result: &ToolResult, machine: Option<&Machine>) -> Option<Finding> {
    let load = StorageLoad::of(result).filter(|load| load.writes && load.zeros == Some(true))?;
    let found = machine.zip(load.target).and_then(|(machine, target)| target_device(machine, target));
    let mount = found.and_then(|(_, mount)| mount);
    let storage = match (machine, found) {
        (Some(machine), Some((device, mount))) => storage(machine, device, mount),
        _ => Storage::Unknown,
    };
    let (code, severity) = match storage {
        Storage::Plain => return None,
        Storage::Compresses => ("compresses", Severity::Error),
        Storage::Virtual => ("virtual", Severity::Warning),
        Storage::Unknown => ("unknown", Severity::Warning),
    };
    let lines = Evidence::maybe_at("zeros-written", None)
        .arg("first", result.lines.first)
        .arg("last", result.lines.last);
    let mut finding = Finding::new(FindingKind::Validity, CHECK.code, severity)
        .arg("tool", result.tool.as_str())
        .arg("storage", code);
    if let Some(mount) = mount {
        finding = finding.arg("filesystem", mount.kind.as_str());
    }
    Some(finding.because(lines))
}

fn storage(machine: &Machine, device: &BlockDevice, mount: Option<&Mount>) -> Storage {
    const STORE_ALL: &[&str] = &["ext2", "ext3", "ext4", "xfs", "vfat", "exfat", "jfs"];
    const DRIVES: &[&str] = &["nvme", "sata", "sas", "usb", "mmc"];
    if mount.is_some_and(|mount| mount.options.split(',').any(|option| option.starts_with("compress"))) {
        return Storage::Compresses;
    }
    if mount.is_some_and(|mount| !STORE_ALL.contains(&mount.kind.as_str())) {
        return Storage::Unknown;
    }
    // LVM may be thin, and a mapping may compress (VDO).
    if device.kind == BlockKind::Dm {
        return Storage::Virtual;
    }
    let disk = disk_under(machine, device);
    match disk.and_then(|disk| disk.transport.as_deref()) {
        Some(transport) if DRIVES.contains(&transport) => Storage::Plain,
        Some(_) => Storage::Virtual,
        None => Storage::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::super::device::tests::machine;
    use super::*;
    use crate::check::fixture;

    fn dd(input: &str) -> String {
        format!(
            "$ dd if={input} of=/data/x bs=1M count=64 oflag=direct\n64+0 records in\n64+0 records out\n\
             67108864 bytes (67 MB, 64 MiB) copied, 0.04 s, 1.7 GB/s\n"
        )
    }

    #[test]
    fn zeros_are_told_and_data_is_not() {
        let severity = |input: &str| fixture::found(&CHECK, &dd(input)).first().map(|f| f.severity);
        assert_eq!(severity("/dev/zero"), Some(Severity::Warning));
        assert_eq!(severity("/dev/urandom"), None);
        assert_eq!(severity("/data/y"), None);
    }

    #[test]
    fn a_known_storage_decides() {
        let of = |file_system: &str, change: fn(&mut Machine)| {
            let mut machine = machine(1 << 40, file_system);
            change(&mut machine);
            let output = import::tool::read("", dd("/dev/zero").as_bytes()).unwrap();
            let found = finding(&output.results[0], Some(&machine)).into_iter().collect();
            crate::said::written(found).first().map(|finding| finding.severity)
        };
        assert_eq!(of("ext4", |_| {}), None);
        let compressing = |machine: &mut Machine| {
            for mount in &mut machine.inventory.block[1].mounts {
                mount.options = "rw,compress=zstd:3".to_owned();
            }
        };
        assert_eq!(of("btrfs", compressing), Some(Severity::Error));
        assert_eq!(of("btrfs", |_| {}), Some(Severity::Warning));
        let is_virtual = |machine: &mut Machine| {
            machine.inventory.block[0].transport = Some("virtio".to_owned());
        };
        assert_eq!(of("xfs", is_virtual), Some(Severity::Warning));
    }
}
