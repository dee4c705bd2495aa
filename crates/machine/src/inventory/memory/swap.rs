//! Swap areas in use: `/proc/swaps` (proc_swaps(5)).

use model::machine::Swap;

use crate::Host;
use crate::inventory::block::mount::unescape;

/// The areas in the kernel's order.
pub(super) fn read(host: &Host) -> Vec<Swap> {
    host.text("/proc/swaps").unwrap_or_default().lines().skip(1).filter_map(area).collect()
}

/// A line: name, kind, size and use in KiB, priority. Spaces of a name are
/// escaped.
fn area(line: &str) -> Option<Swap> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [path, kind, size, used, priority] = words.as_slice() else { return None };
    let bytes = |kib: &str| kib.parse::<u64>().ok()?.checked_mul(1024).filter(|b| *b <= super::BYTES_MAX);
    Some(Swap {
        path: unescape(path),
        kind: (*kind).to_owned(),
        bytes: bytes(size)?,
        used_bytes: bytes(used)?,
        priority: priority.parse().ok()?,
    })
}
