//! Huge pages (`Documentation/admin-guide/mm/hugetlbpage.rst`,
//! `transhuge.rst`).

use model::machine::HugePages;

use crate::Host;

const FOLDER: &str = "/sys/kernel/mm/hugepages";

/// The sizes that the kernel has, smallest first.
pub(super) fn sizes(host: &Host) -> Vec<HugePages> {
    let mut sizes: Vec<HugePages> = host.names(FOLDER).iter().filter_map(|name| size(host, name)).collect();
    sizes.sort_by_key(|pages| pages.bytes);
    sizes
}

fn size(host: &Host, name: &str) -> Option<HugePages> {
    let kib: u64 = name.strip_prefix("hugepages-")?.strip_suffix("kB")?.parse().ok()?;
    let bytes = kib.checked_mul(1024).filter(|bytes| *bytes > 0)?;
    let count = |leaf: &str| host.number(format!("{FOLDER}/{name}/{leaf}"));
    let (reserved, free) = (count("nr_hugepages")?, count("free_hugepages")?);
    let whole = reserved.checked_mul(bytes)?;
    (whole <= super::BYTES_MAX && free <= reserved).then_some(HugePages { bytes, reserved, free })
}

/// Whether the kernel uses huge pages by itself: the word in brackets of
/// `always [madvise] never`.
pub(super) fn transparent(host: &Host) -> Option<String> {
    let text = host.text("/sys/kernel/mm/transparent_hugepage/enabled")?;
    let (_, rest) = text.split_once('[')?;
    let (word, _) = rest.split_once(']')?;
    ["always", "madvise", "never"].contains(&word).then(|| word.to_owned())
}
