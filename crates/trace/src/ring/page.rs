//! One page of the ring buffer (`kernel/trace/ring_buffer.c`, `ring_buffer_read_page`): a
//! time, how many bytes of events follow, and events with the time since the one before.

use std::ops::Range;

use super::page_header::PageHeader;

/// Events were overwritten between the page before and this one.
const MISSED: u32 = 1 << 31;
/// How many is stored behind the last event.
const MISSED_STORED: u32 = 1 << 30;
/// The bits of `commit` that are a length (libtraceevent's `COMMIT_MASK`).
const LENGTH: u32 = (1 << 27) - 1;

/// The kinds of entries; less is the length of data in words, 0 a length of its own.
const PADDING: u32 = 29;
const TIME_EXTEND: u32 = 30;
const TIME_STAMP: u32 = 31;

/// How many bits of a time stand in the first word of an entry.
const TIME_BITS: u32 = 27;
/// The bits that a whole time stamp has no room for (`TS_MSB`).
const TIME_TOP: u64 = 0xf8 << 56;

/// Why a page cannot be read, or not to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PageError {
    /// It is shorter than its head says.
    #[error("a page of the trace is shorter than it says")]
    Short,
    /// An entry is longer than what is left of the page.
    #[error("an event of the trace is longer than its page")]
    Overlong,
}

/// One event of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawEvent<'a> {
    /// When, by the trace's clock.
    pub time_ns: u64,
    /// Its fields.
    pub data: &'a [u8],
}

/// One page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RingPage<'a> {
    /// When it began.
    pub time_ns: u64,
    /// That events were lost before it, and how many where the kernel tells.
    pub lost: Option<Option<u64>>,
    data: &'a [u8],
}

impl<'a> RingPage<'a> {
    /// Reads the head of a page.
    ///
    /// # Errors
    /// If it is too short.
    pub fn parse(header: &PageHeader, bytes: &'a [u8]) -> Result<Self, PageError> {
        let time_ns = header.timestamp.unsigned(bytes).ok_or(PageError::Short)?;
        let commit = header.commit.unsigned(bytes).ok_or(PageError::Short)?;
        // The upper half of a wide one is the sign of the lower.
        let commit = (commit & u64::from(u32::MAX)) as u32;
        let length = (commit & LENGTH) as usize;
        let rest = bytes.get(header.data.offset..).ok_or(PageError::Short)?;
        let (data, behind) = rest.split_at_checked(length).ok_or(PageError::Short)?;
        let lost = (commit & MISSED != 0).then(|| {
            let stored = if commit & MISSED_STORED == 0 { None } else { long(behind, header.commit.size) };
            stored.filter(|count| *count > 0).map(i64::cast_unsigned)
        });
        Ok(Self { time_ns, lost, data })
    }

    /// Its events in order. After an error there are no more.
    #[must_use]
    pub fn events(&self) -> PageEvents<'a> {
        PageEvents { time_ns: self.time_ns, rest: self.data }
    }

    /// Where the first of them is in a page with this head.
    pub(super) const fn place(&self, header: &PageHeader) -> PagePlace {
        let begin = header.data.offset;
        PagePlace { time_ns: self.time_ns, rest: begin..begin + self.data.len() }
    }
}

/// A number as wide as the kernel's `long` at the start of `bytes`; -1 says that it is not known.
fn long(bytes: &[u8], size: usize) -> Option<i64> {
    match size {
        4 => bytes.first_chunk().map(|word| i64::from(i32::from_ne_bytes(*word))),
        _ => bytes.first_chunk().map(|word| i64::from_ne_bytes(*word)),
    }
}

/// Where the next event of a page is: without the page, so that both can be kept side by side.
#[derive(Clone, Debug)]
pub(super) struct PagePlace {
    time_ns: u64,
    /// What is still to be read of the page.
    rest: Range<usize>,
}

impl PagePlace {
    /// The next event of the page with these bytes: when it happened, and where its data is. After an error there
    /// are no more.
    pub(super) fn next(&mut self, bytes: &[u8]) -> Option<Result<(u64, Range<usize>), PageError>> {
        let rest = bytes.get(self.rest.clone()).unwrap_or_default();
        let mut events = PageEvents { time_ns: self.time_ns, rest };
        let event = events.next();
        self.time_ns = events.time_ns;
        self.rest.start = self.rest.end.saturating_sub(events.rest.len());
        // The data of an event ends where the rest begins.
        let end = self.rest.start;
        let found = |event: RawEvent<'_>| (event.time_ns, end.saturating_sub(event.data.len())..end);
        event.map(|event| event.map(found))
    }
}

/// The events of a page.
#[derive(Clone, Debug)]
pub struct PageEvents<'a> {
    time_ns: u64,
    rest: &'a [u8],
}

impl<'a> PageEvents<'a> {
    fn word(&mut self) -> Option<u32> {
        let (word, rest) = self.rest.split_first_chunk()?;
        self.rest = rest;
        Some(u32::from_ne_bytes(*word))
    }

    fn take(&mut self, bytes: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(bytes)?;
        self.rest = rest;
        Some(taken)
    }

    /// The data of the next event, or nothing after an entry that is none; an error where the
    /// page ends within it.
    fn entry(&mut self, kind: u32, delta: u64) -> Result<Option<&'a [u8]>, PageError> {
        let over = PageError::Overlong;
        match kind {
            PADDING => {
                // Its length counts the word that it stands in.
                let length = self.word().ok_or(over)?;
                self.take((length as usize).saturating_sub(4)).ok_or(over)?;
                // An event that was discarded; 1 stands for 0 there (`rb_event_discard`).
                if delta != 1 {
                    self.time_ns = self.time_ns.wrapping_add(delta);
                }
                Ok(None)
            }
            TIME_EXTEND => {
                let high = u64::from(self.word().ok_or(over)?);
                self.time_ns = self.time_ns.wrapping_add(high << TIME_BITS | delta);
                Ok(None)
            }
            TIME_STAMP => {
                let high = u64::from(self.word().ok_or(over)?);
                let low = high << TIME_BITS | delta;
                let whole = low | self.time_ns & TIME_TOP;
                // It passed the end of those bits since (`rb_fix_abs_ts`).
                let passed = self.time_ns & TIME_TOP != 0 && whole < self.time_ns;
                self.time_ns = if passed { whole.wrapping_add(1 << 59) } else { whole };
                Ok(None)
            }
            words => {
                self.time_ns = self.time_ns.wrapping_add(delta);
                let length = if words == 0 {
                    self.word().ok_or(over)?.checked_sub(4).ok_or(over)? as usize
                } else {
                    words as usize * 4
                };
                self.take(length).map(Some).ok_or(over)
            }
        }
    }
}

impl<'a> Iterator for PageEvents<'a> {
    type Item = Result<RawEvent<'a>, PageError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let word = self.word()?;
            // A bit field: its first member is the low bits where the first byte is the low one.
            let (kind, delta) = if cfg!(target_endian = "little") {
                (word & 0x1f, word >> 5)
            } else {
                (word >> TIME_BITS, word & ((1 << TIME_BITS) - 1))
            };
            if kind == PADDING && delta == 0 {
                // The rest of the page is not used.
                self.rest = &[];
                return None;
            }
            match self.entry(kind, u64::from(delta)) {
                Ok(Some(data)) => return Some(Ok(RawEvent { time_ns: self.time_ns, data })),
                Ok(None) => {}
                Err(error) => {
                    self.rest = &[];
                    return Some(Err(error));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::event_format::FormatField;
    use super::*;

    fn header() -> PageHeader {
        let field = |offset, size| FormatField { offset, size, is_signed: false };
        PageHeader { timestamp: field(0, 8), commit: field(8, 8), data: field(16, 240) }
    }

    fn word(kind: u32, delta: u32) -> [u8; 4] {
        let word = if cfg!(target_endian = "little") { delta << 5 | kind } else { kind << 27 | delta };
        word.to_ne_bytes()
    }

    fn page(time: u64, flags: u64, entries: &[&[u8]], behind: &[u8]) -> Vec<u8> {
        let data = entries.concat();
        let commit = data.len() as u64 | flags;
        let mut bytes = [&time.to_ne_bytes()[..], &commit.to_ne_bytes()[..], &data[..], behind].concat();
        bytes.resize(256, 0);
        bytes
    }

    fn times(bytes: &[u8]) -> Vec<(u64, usize)> {
        let page = RingPage::parse(&header(), bytes).unwrap();
        let events: Vec<RawEvent<'_>> = page.events().map(Result::unwrap).collect();
        // One by one they are the same.
        let mut place = page.place(&header());
        for event in &events {
            let (time_ns, data) = place.next(bytes).unwrap().unwrap();
            assert_eq!((time_ns, &bytes[data]), (event.time_ns, event.data));
        }
        assert!(place.next(bytes).is_none());
        events.iter().map(|event| (event.time_ns, event.data.len())).collect()
    }

    #[test]
    fn times_add_up_over_all_kinds_of_entries() {
        let long = 12_u32.to_ne_bytes();
        let high = 2_u32.to_ne_bytes();
        let bytes = page(
            1000,
            0,
            &[
                &word(2, 5),
                &[7; 8],
                // A length of its own: 4 for itself, and 8.
                &word(0, 10),
                &long,
                &[8; 8],
                &word(TIME_EXTEND, 3),
                &high,
                // Discarded, after 6 ns, then one after 0.
                &word(PADDING, 6),
                &long,
                &[9; 8],
                &word(PADDING, 1),
                &long,
                &[9; 8],
                &word(1, 1),
                &[1; 4],
                &word(PADDING, 0),
                &[0xff; 20],
            ],
            &[],
        );
        let last = 1015 + (2 << 27) + 3 + 6 + 1;
        assert_eq!(times(&bytes), [(1005, 8), (1015, 8), (last, 4)]);
    }

    #[test]
    fn a_whole_time_stamp_keeps_the_bits_that_it_has_no_room_for() {
        let stamp = |time: u64| {
            let low = u32::try_from(time & ((1 << 27) - 1)).unwrap();
            let high = u32::try_from(time >> 27 & u64::from(u32::MAX)).unwrap();
            [&word(TIME_STAMP, low)[..], &high.to_ne_bytes()[..], &word(1, 0)[..], &[0; 4][..]].concat()
        };
        assert_eq!(times(&page(0, 0, &[&stamp(123_456_789_012)], &[])), [(123_456_789_012, 4)]);
        let top = 1_u64 << 59;
        assert_eq!(times(&page(top + 5, 0, &[&stamp(9)], &[])), [(top + 9, 4)]);
        // 59 bits went round.
        assert_eq!(times(&page(top + 5, 0, &[&stamp(4)], &[])), [(2 * top + 4, 4)]);
    }

    #[test]
    fn lost_events_are_told_with_their_number_where_it_is_known() {
        let (missed, stored) = (u64::from(MISSED), u64::from(MISSED_STORED));
        let lost =
            |flags, behind: &[u8]| RingPage::parse(&header(), &page(1, flags, &[], behind)).unwrap().lost;
        assert_eq!(lost(0, &[]), None);
        assert_eq!(lost(missed, &[]), Some(None));
        assert_eq!(lost(missed | stored, &144_u64.to_ne_bytes()), Some(Some(144)));
        assert_eq!(lost(missed | stored, &(-1_i64).to_ne_bytes()), Some(None));
        // As the kernel shows a flag in the sign of a wider number.
        assert_eq!(lost(0xffff_ffff_c000_0000, &9_u64.to_ne_bytes()), Some(Some(9)));
    }

    #[test]
    fn what_does_not_fit_is_an_error_and_the_end() {
        assert_eq!(RingPage::parse(&header(), &[0; 12]), Err(PageError::Short));
        assert_eq!(RingPage::parse(&header(), &page(1, 241, &[], &[])), Err(PageError::Short));
        let too_small = [word(0, 1), [0; 4]].concat();
        let none = Vec::new();
        for (first, rest) in [
            (word(28, 0), &none),
            (word(0, 1), &none),
            (word(TIME_EXTEND, 1), &none),
            (word(1, 0), &too_small),
        ] {
            let data: &[u8] = if rest.is_empty() { &[] } else { &[0; 4] };
            let bytes = page(1, 0, &[&word(1, 1), &[0; 4], &first, data, rest], &[]);
            let page = RingPage::parse(&header(), &bytes).unwrap();
            let events: Vec<_> = page.events().collect();
            assert_eq!(events.last(), Some(&Err(PageError::Overlong)), "{events:?}");
        }
    }
}
