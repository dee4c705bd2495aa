//! How much of a file the page cache holds.

use std::fs::File;
use std::os::fd::AsRawFd;

/// Bytes of a file that are mapped at once, a multiple of every page size.
const PIECE: u64 = 1 << 30;

/// The number of cachestat(2) (Linux 6.5): every architecture gives new calls
/// the same number (`scripts/syscall.tbl`).
const CACHESTAT: libc::c_long = 451;

/// `struct cachestat_range` of `include/uapi/linux/mman.h`.
#[repr(C)]
struct Range {
    offset: u64,
    length: u64,
}

/// `struct cachestat` of `include/uapi/linux/mman.h`, in pages.
#[repr(C)]
#[derive(Default)]
struct Counts {
    cached: u64,
    dirty: u64,
    writeback: u64,
    evicted: u64,
    recently_evicted: u64,
}

/// The share of the first `span` bytes of `file` that the page cache holds, 0
/// to 1; absent where the kernel does not say.
pub(in crate::workload) fn cached_share(file: &File, span: u64) -> Option<f64> {
    let pages = span.div_ceil(rustix::param::page_size() as u64);
    let cached = match cachestat(file, span) {
        // Before Linux 6.5, and where a sandbox does not know it.
        Err(libc::ENOSYS | libc::EPERM) => by_mincore(file, span)?,
        counts => counts.ok()?.cached,
    };
    (pages > 0).then(|| (cached as f64 / pages as f64).min(1.0))
}

/// Bytes of `file` that are in the page cache and not yet on the device;
/// absent where the kernel does not say.
pub(super) fn dirty_bytes(file: &File) -> Option<u64> {
    let counts = cachestat(file, 0).ok()?;
    Some((counts.dirty + counts.writeback) * rustix::param::page_size() as u64)
}

/// Of the first `span` bytes, 0 for all; or the kernel's error number.
fn cachestat(file: &File, span: u64) -> Result<Counts, i32> {
    let range = Range { offset: 0, length: span };
    let mut counts = Counts::default();
    // SAFETY: both structures are as the kernel has them and live through the
    // call.
    let result = unsafe {
        libc::syscall(CACHESTAT, file.as_raw_fd(), &raw const range, &raw mut counts, 0 as libc::c_uint)
    };
    if result == 0 {
        return Ok(counts);
    }
    Err(std::io::Error::last_os_error().raw_os_error().unwrap_or_default())
}

/// mincore(2), for kernels without cachestat. Of files that we neither own nor
/// may write it says that all is cached (Linux 5.2), so those are not asked.
fn by_mincore(file: &File, span: u64) -> Option<u64> {
    use std::os::unix::fs::MetadataExt;
    let own = rustix::process::geteuid();
    if !own.is_root() && file.metadata().ok()?.uid() != own.as_raw() {
        return None;
    }
    let mut cached = 0;
    let mut offset = 0;
    while offset < span {
        let length = usize::try_from((span - offset).min(PIECE)).ok()?;
        cached += piece_by_mincore(file, offset, length)?;
        offset += length as u64;
    }
    Some(cached)
}

fn piece_by_mincore(file: &File, offset: u64, length: usize) -> Option<u64> {
    let pages = length.div_ceil(rustix::param::page_size());
    let mut resident = vec![0u8; pages];
    let offset = libc::off_t::try_from(offset).ok()?;
    // SAFETY: a new mapping at a place of the kernel's choice; it is not read.
    let map = unsafe {
        libc::mmap(std::ptr::null_mut(), length, libc::PROT_READ, libc::MAP_SHARED, file.as_raw_fd(), offset)
    };
    if map == libc::MAP_FAILED {
        return None;
    }
    // SAFETY: the mapping is `length` long, and `resident` has a byte for each
    // of its pages.
    let result = unsafe { libc::mincore(map, length, resident.as_mut_ptr()) };
    // SAFETY: the mapping made above, which nothing refers to.
    unsafe { libc::munmap(map, length) };
    (result == 0).then(|| resident.iter().filter(|byte| *byte & 1 == 1).count() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn both_ways_see_what_was_written_and_what_was_dropped() {
        let mut file = tempfile::tempfile_in(".").unwrap();
        let span = 4 << 20;
        file.write_all(&vec![7; span as usize]).unwrap();
        file.sync_all().unwrap();
        assert_eq!(by_mincore(&file, span), Some(1024));
        assert!(cached_share(&file, span).is_some_and(|share| share > 0.99));
        super::super::reopen::forget_cached(&file).unwrap();
        assert!(cached_share(&file, span).is_some_and(|share| share < 0.01));
        if let Ok(Counts { cached: pages, .. }) = cachestat(&file, span) {
            assert_eq!(Some(pages), by_mincore(&file, span));
        }
    }
}
