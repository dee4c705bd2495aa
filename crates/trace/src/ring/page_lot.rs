//! Pages of one CPU as the kernel gave them, one behind another in memory that is used again.

/// How many bytes of pages a lot has room for: 16 pages on most machines, one where pages are larger.
pub const LOT_BYTES: usize = 64 << 10;

/// Pages of one CPU, in order.
#[derive(Debug)]
pub struct PageLot {
    bytes: Vec<u8>,
    page_bytes: usize,
    /// Where each page ends.
    ends: Vec<usize>,
}

impl PageLot {
    /// One with room for as many pages of `page_bytes` as fit into [`LOT_BYTES`], one at least.
    #[must_use]
    pub fn new(page_bytes: usize) -> Self {
        let page_bytes = page_bytes.max(1);
        let pages = (LOT_BYTES / page_bytes).max(1);
        Self { bytes: vec![0; pages * page_bytes], page_bytes, ends: Vec::with_capacity(pages) }
    }

    /// Where the next page goes; nothing where it is full.
    pub fn room(&mut self) -> Option<&mut [u8]> {
        let begin = self.filled_bytes();
        self.bytes.get_mut(begin..begin.saturating_add(self.page_bytes))
    }

    /// Says that the next page was put where it goes, and has `length` bytes: what is beyond the room does not
    /// count.
    pub fn push(&mut self, length: usize) {
        let begin = self.filled_bytes();
        let end = begin.saturating_add(length.min(self.page_bytes)).min(self.bytes.len());
        self.ends.push(end);
    }

    /// How many pages it has.
    #[must_use]
    pub fn pages(&self) -> usize {
        self.ends.len()
    }

    /// The page `place`; an empty one where there is none.
    #[must_use]
    pub fn page(&self, place: usize) -> &[u8] {
        let begin = place.checked_sub(1).map_or(Some(0), |before| self.ends.get(before).copied());
        let range = begin.zip(self.ends.get(place).copied()).map(|(begin, end)| begin..end);
        range.and_then(|range| self.bytes.get(range)).unwrap_or_default()
    }

    /// Forgets its pages; the memory stays.
    pub fn clear(&mut self) {
        self.ends.clear();
    }

    fn filled_bytes(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_stand_one_behind_another_until_it_is_full() {
        let mut lot = PageLot::new(16 << 10);
        for byte in 1..=4_u8 {
            lot.room().unwrap()[..5].fill(byte);
            lot.push(if byte == 2 { 5 } else { 16 << 10 });
        }
        // The second one was short, so there is room for its rest.
        assert_eq!((lot.pages(), lot.room().is_some()), (4, false));
        assert_eq!((lot.page(1), &lot.page(2)[..6]), (&[2; 5][..], &[3, 3, 3, 3, 3, 0][..]));
        assert_eq!((lot.page(3).len(), lot.page(4).len()), (16 << 10, 0));
        lot.clear();
        assert_eq!((lot.pages(), lot.page(0).len(), lot.room().unwrap().len()), (0, 0, 16 << 10));
        assert_eq!(PageLot::new(256 << 10).room().map(|room| room.len()), Some(256 << 10));
    }
}
