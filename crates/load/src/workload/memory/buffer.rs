//! Memory of our own from the kernel, aligned to pages, of the kind of pages
//! that is asked for.

use std::ops::Range;
use std::ptr::{NonNull, null_mut};

use engine::fault::Fault;
use rustix::mm::{Advice, MapFlags, MprotectFlags, ProtFlags, madvise, mmap_anonymous, mprotect, munmap};

use crate::workload::memory::pages::Pages;

/// A mapping of whole pages, zeroed by the kernel on first touch.
#[derive(Debug)]
pub struct Buffer {
    start: NonNull<u8>,
    bytes: usize,
    /// What was mapped: the buffer, and where it is aligned to huge pages what
    /// cannot be touched before and behind it.
    mapping: NonNull<u8>,
    mapped: usize,
}

// SAFETY: the mapping belongs to this value alone; it can be used from any
// thread.
unsafe impl Send for Buffer {}

// SAFETY: what is shared gives away no more than a pointer, and whoever writes
// through it promises that nobody else does.
unsafe impl Sync for Buffer {}

/// Above this, huge pages are asked for: a 2 MiB page is the common size.
pub(super) const HUGE_BYTES: usize = 2 << 20;

impl Buffer {
    /// Maps `bytes`, rounded up to whole pages; asks for huge pages where they
    /// fit.
    ///
    /// # Errors
    /// If the kernel has none to give.
    pub fn new(bytes: usize) -> Result<Self, Fault> {
        Self::of(bytes, Pages::Auto)
    }

    /// Maps `bytes` in pages of this kind. They lie where the calling thread's policy puts what is
    /// touched first (`engine::numa`).
    ///
    /// # Errors
    /// If the kernel has none to give, or no such pages, or not in the node that is asked for.
    pub fn of(bytes: usize, pages: Pages) -> Result<Self, Fault> {
        let bytes = pages.rounded(bytes as u64) as usize;
        let buffer = match pages {
            // The kernel aligns them. MAP_HUGE_SHIFT of include/uapi/asm-generic/hugetlb_encode.h.
            Pages::Reserved(page) => {
                Self::plain(bytes, MapFlags::HUGETLB | MapFlags::from_bits_retain(page.ilog2() << 26))?
            }
            _ if bytes >= HUGE_BYTES => Self::aligned(bytes)?,
            _ => Self::plain(bytes, MapFlags::empty())?,
        };
        if bytes >= HUGE_BYTES {
            let advice = match pages {
                Pages::Auto | Pages::Transparent => Some(Advice::LinuxHugepage),
                Pages::Base => Some(Advice::LinuxNoHugepage),
                Pages::Reserved(_) => None,
            };
            // A kernel without huge pages refuses, and small ones remain.
            let _ = advice.map(|advice| buffer.advise(advice));
        }
        if let Pages::Reserved(page) = pages {
            buffer.take_reserved(page)?;
        }
        Ok(buffer)
    }

    /// Aligned to huge pages, so that all of it can be of them, and a mapping
    /// of its own among those of the process, so that the kernel can say of it
    /// alone what pages it has.
    fn aligned(bytes: usize) -> Result<Self, Fault> {
        let mapped = bytes + 2 * HUGE_BYTES;
        let mapping = map(mapped, ProtFlags::empty(), MapFlags::empty())?;
        let skip = mapping.as_ptr().wrapping_add(1).align_offset(HUGE_BYTES) + 1;
        // SAFETY: less than two huge pages are skipped of what was mapped.
        let start = unsafe { mapping.add(skip) };
        let buffer = Self { start, bytes, mapping, mapped };
        let flags = MprotectFlags::READ | MprotectFlags::WRITE;
        // SAFETY: the range lies in the mapping just made.
        unsafe { mprotect(start.as_ptr().cast(), bytes, flags) }
            .map_err(|e| Fault::system(format!("getting {bytes} bytes of memory"), e))?;
        Ok(buffer)
    }

    /// Where the kernel puts it.
    fn plain(bytes: usize, flags: MapFlags) -> Result<Self, Fault> {
        let start = map(bytes, ProtFlags::READ | ProtFlags::WRITE, flags)?;
        Ok(Self { start, bytes, mapping: start, mapped: bytes })
    }

    /// Takes every page now: a node that has none left would end the process at
    /// first touch (SIGBUS).
    fn take_reserved(&self, page: u64) -> Result<(), Fault> {
        match self.advise(Advice::LinuxPopulateWrite) {
            // A kernel before 5.14 cannot do this.
            Ok(()) | Err(rustix::io::Errno::INVAL) => Ok(()),
            Err(error) => {
                let pages = self.bytes as u64 / page;
                let what = format!("getting {pages} reserved huge pages of {}", model::scalar::binary(page));
                Err(Fault::system(what, error))
            }
        }
    }

    fn advise(&self, advice: Advice) -> rustix::io::Result<()> {
        // SAFETY: the range is ours, and no advice used here takes pages away.
        unsafe { madvise(self.start.as_ptr().cast(), self.bytes, advice) }
    }

    /// Its length in bytes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.bytes
    }

    /// Never true: a buffer has at least one page.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        false
    }

    /// Where it lies.
    #[must_use]
    pub fn range(&self) -> Range<*const u8> {
        let start = self.start.as_ptr().cast_const();
        start..start.wrapping_add(self.bytes)
    }

    /// Its first byte.
    #[must_use]
    pub fn as_mut_ptr(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    /// All of it.
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        // SAFETY: the mapping is `bytes` long, initialised (zeroed) and borrowed
        // by `self`.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.bytes) }
    }
}

/// A fresh private mapping.
fn map(bytes: usize, protection: ProtFlags, flags: MapFlags) -> Result<NonNull<u8>, Fault> {
    // SAFETY: a fresh anonymous mapping at an address of the kernel's choice
    // aliases nothing.
    let start = unsafe { mmap_anonymous(null_mut(), bytes, protection, MapFlags::PRIVATE | flags) }
        .map_err(|e| Fault::system(format!("getting {bytes} bytes of memory"), e))?;
    NonNull::new(start.cast::<u8>())
        .ok_or_else(|| Fault::Other("the kernel mapped memory at address 0".to_owned()))
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours and nothing borrows it any more.
        let _ = unsafe { munmap(self.mapping.as_ptr().cast(), self.mapped) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_zeroed_writable_and_as_long_as_asked() {
        for pages in [Pages::Auto, Pages::Base, Pages::Transparent] {
            for bytes in [1, 4096, 5000, HUGE_BYTES - 1, HUGE_BYTES, HUGE_BYTES + 1] {
                let mut buffer = Buffer::of(bytes, pages).unwrap();
                assert!(buffer.len() >= bytes && buffer.len() as u64 == pages.rounded(bytes as u64));
                let all = buffer.as_mut_slice();
                assert!(all.iter().all(|b| *b == 0));
                all.fill(1);
                if bytes >= HUGE_BYTES {
                    assert_eq!(buffer.as_mut_ptr().align_offset(HUGE_BYTES), 0, "{pages:?} {bytes}");
                }
            }
        }
    }
}
