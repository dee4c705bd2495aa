//! Uses of devices that no holder and no mount tells: swap, arrays by the list
//! of md, targets of a storage network, and programs that have them open.

use super::node::{self, Node};
use crate::Host;
use crate::inventory::block::mount::unescape;

/// Swap: `/proc/swaps` (proc(5)).
pub(super) fn swap(host: &Host, members: &[Node]) -> Vec<String> {
    let text = host.text("/proc/swaps").unwrap_or_default();
    let paths = text.lines().skip(1).filter_map(|line| line.split_whitespace().next()).map(unescape);
    let uses = paths.flat_map(|path| {
        let on = members.iter().filter(move |node| node.is_called(host, &path));
        on.map(|node| format!("{} is in use as swap", node.shown()))
    });
    uses.collect()
}

/// Arrays: `/proc/mdstat`, where holders are not shown.
pub(super) fn arrays(host: &Host, members: &[Node]) -> Vec<String> {
    let text = host.text("/proc/mdstat").unwrap_or_default();
    let mut uses = Vec::new();
    // `md0 : active raid1 sdb1[1] sda1[0](F)`
    for (array, rest) in text.lines().filter_map(|line| line.split_once(" : ")) {
        let names: Vec<&str> = rest.split(' ').filter_map(|word| Some(word.split_once('[')?.0)).collect();
        let on = members.iter().filter(|node| names.contains(&node.name.as_str()));
        uses.extend(on.map(|node| format!("{} is a member of the array /dev/{array}", node.shown())));
    }
    uses
}

/// Targets of a storage network: what configfs shows of LIO
/// (`drivers/target/target_core_{iblock,file}.c`, `show_configfs_dev_params`)
/// and of the NVMe target (`drivers/nvme/target/configfs.c`). The latter, and
/// LIO's files, do not claim what they serve.
pub(super) fn exports(host: &Host, members: &[Node]) -> Vec<String> {
    const LIO: &str = "/sys/kernel/config/target/core";
    const NVMET: &str = "/sys/kernel/config/nvmet/subsystems";
    let mut uses = Vec::new();
    for adapter in host.names(LIO) {
        for store in host.names(format!("{LIO}/{adapter}")) {
            let folder = format!("{LIO}/{adapter}/{store}");
            let info = host.text(format!("{folder}/info")).unwrap_or_default();
            let path = host.text(format!("{folder}/udev_path")).unwrap_or_default();
            let on = members.iter().filter(|node| lio_serves(host, &info, path.trim(), node));
            uses.extend(on.map(|node| {
                format!("{} is given out as a SCSI target (LIO's {adapter}/{store})", node.shown())
            }));
        }
    }
    for subsystem in host.names(NVMET) {
        for number in host.names(format!("{NVMET}/{subsystem}/namespaces")) {
            let path = host.text(format!("{NVMET}/{subsystem}/namespaces/{number}/device_path"));
            let on = path.iter().flat_map(|path| members.iter().filter(|n| n.is_called(host, path.trim())));
            uses.extend(on.map(|node| {
                format!("{} is given out as namespace {number} of {subsystem} over NVMe", node.shown())
            }));
        }
    }
    uses
}

/// Whether the store that `info` and `udev_path` tell of is `node`:
/// `UDEV PATH: /dev/sdb`, `Major: 8 Minor: 16` or `File: /dev/sdb`.
fn lio_serves(host: &Host, info: &str, udev_path: &str, node: &Node) -> bool {
    let words: Vec<&str> = info.split_whitespace().collect();
    let after = |name: &str| words.iter().position(|w| *w == name).and_then(|at| words.get(at + 1)).copied();
    let numbers = after("Major:").zip(after("Minor:")).map(|(major, minor)| format!("{major}:{minor}"));
    let paths = [Some(udev_path), after("PATH:"), after("File:")];
    numbers.as_ref() == Some(&node.number) || paths.into_iter().flatten().any(|p| node.is_called(host, p))
}

/// Programs of this machine that have a device open for writing: virtual
/// machines and databases on raw devices claim nothing. We ourselves are left
/// out. As far as we may see into other processes.
pub(super) fn writers(members: &[Node]) -> Vec<String> {
    let own = std::process::id().to_string();
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let mut uses = Vec::new();
    for process in processes.filter_map(|entry| entry.file_name().into_string().ok()) {
        if process == own || !process.bytes().all(|b| b.is_ascii_digit()) {
            continue;
        }
        for number in open_for_writing(&process) {
            let Some(node) = members.iter().find(|node| node.number == number) else { continue };
            let name = std::fs::read_to_string(format!("/proc/{process}/comm")).unwrap_or_default();
            let sentence =
                format!("{} is open for writing in process {process} ({})", node.shown(), name.trim_end());
            if !uses.contains(&sentence) {
                uses.push(sentence);
            }
        }
    }
    uses
}

/// The numbers of the block devices that a process (`self` too) has open for
/// writing.
pub(super) fn open_for_writing(process: &str) -> Vec<String> {
    let folder = format!("/proc/{process}/fd");
    let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let open = names.filter_map(|name| {
        let number = node::number_of(&format!("{folder}/{name}"))?;
        let info = std::fs::read_to_string(format!("/proc/{process}/fdinfo/{name}")).ok()?;
        let flags = info.lines().find_map(|line| line.strip_prefix("flags:"))?;
        // In octal; the last two bits are O_WRONLY or O_RDWR (open(2)).
        let flags = u32::from_str_radix(flags.trim(), 8).ok()?;
        (flags & 0o3 != 0).then_some(number)
    });
    open.collect()
}
