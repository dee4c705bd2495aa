//! The buffers of a disk worker: one for each slot, aligned as O_DIRECT wants.

use engine::fault::Fault;

use crate::workload::memory::buffer::Buffer;

/// One buffer a slot, in one mapping.
#[derive(Debug)]
pub(in crate::workload::disk) struct Slots {
    all: Buffer,
    stride: usize,
    block: usize,
    depth: usize,
}

impl Slots {
    pub(super) fn new(depth: usize, block: u64) -> Result<Self, Fault> {
        let block =
            usize::try_from(block).map_err(|_| Fault::Other("a block larger than memory".to_owned()))?;
        let stride = block.next_multiple_of(4096);
        let bytes =
            stride.checked_mul(depth).ok_or_else(|| Fault::Other("buffers larger than memory".to_owned()))?;
        let all = Buffer::new(bytes)?;
        Ok(Self { all, stride, block, depth })
    }

    /// Where all of them lie.
    pub(super) fn range(&self) -> std::ops::Range<*const u8> {
        self.all.range()
    }

    /// The first byte of slot `slot`.
    #[inline]
    pub(super) fn pointer(&self, slot: usize) -> *mut u8 {
        self.all.as_mut_ptr().wrapping_add(slot * self.stride)
    }

    /// The bytes of slot `slot`, which must not be in flight; others may be.
    #[inline]
    pub(super) fn bytes(&mut self, slot: usize) -> &mut [u8] {
        assert!(slot < self.depth, "there is no slot {slot}");
        // SAFETY: the slot lies within the mapping, slots do not overlap, and
        // the borrow of `self` keeps others from making a second reference.
        unsafe { std::slice::from_raw_parts_mut(self.pointer(slot), self.block) }
    }

    /// Each slot, for registering it with the kernel: one by one, because a
    /// registered buffer may have at most 1 GiB.
    pub(super) fn each(&self) -> Vec<libc::iovec> {
        (0..self.depth)
            .map(|slot| libc::iovec { iov_base: self.pointer(slot).cast(), iov_len: self.block })
            .collect()
    }
}
