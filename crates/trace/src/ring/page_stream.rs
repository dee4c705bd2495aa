//! The pages of one CPU, from which events are taken one by one when it is their turn: until then they stay as
//! the kernel gave them, which takes the least room.

use std::collections::VecDeque;
use std::ops::Range;

use super::decode::{CpuDecoder, Decoded};
use super::page::PagePlace;
use super::page_lot::PageLot;

/// What is next.
#[derive(Debug)]
enum Head {
    /// Events that were lost before a page; how many, where the kernel tells.
    Lost(Option<u64>),
    /// The event that has its data there in the page that is being read.
    Event(Range<usize>),
}

/// What is at hand of one CPU.
#[derive(Debug)]
pub(super) struct PageStream {
    decoder: CpuDecoder,
    lots: VecDeque<PageLot>,
    /// Which page of the first lot is being read, or the next one.
    page: usize,
    /// Where the event behind the head is in that page; nothing between two pages.
    place: Option<PagePlace>,
    head: Option<(u64, Head)>,
    /// All of its events up to here are at hand or were given.
    complete_ns: u64,
    pub(super) is_ended: bool,
}

impl PageStream {
    /// One of which nothing is at hand yet.
    pub(super) fn new(decoder: CpuDecoder) -> Self {
        Self {
            decoder,
            lots: VecDeque::new(),
            page: 0,
            place: None,
            head: None,
            complete_ns: 0,
            is_ended: false,
        }
    }

    pub(super) const fn decoder(&self) -> &CpuDecoder {
        &self.decoder
    }

    /// When the next event happened, if one is at hand.
    pub(super) fn head_ns(&self) -> Option<u64> {
        self.head.as_ref().map(|(time_ns, _)| *time_ns)
    }

    /// Until when all of its events are at hand or were given.
    pub(super) const fn complete_ns(&self) -> u64 {
        self.complete_ns
    }

    /// That all of its events up to here are at hand.
    pub(super) fn complete_to(&mut self, time_ns: u64) {
        self.complete_ns = self.complete_ns.max(time_ns);
    }

    /// Takes more pages. Lots of which nothing is left go to `emptied`.
    pub(super) fn push(&mut self, lot: PageLot, emptied: &mut Vec<PageLot>) {
        self.lots.push_back(lot);
        if self.head.is_none() {
            self.advance(emptied);
        }
    }

    /// Takes the next event and goes on to the one behind it. Nothing where it says nothing to us.
    pub(super) fn take(&mut self, emptied: &mut Vec<PageLot>) -> Option<Decoded> {
        let (time_ns, head) = self.head.take()?;
        let decoded = match head {
            Head::Lost(events) => Some(Decoded::TraceRecord(self.decoder.lost(time_ns, events))),
            Head::Event(data) => {
                let page = self.lots.front().map(|lot| lot.page(self.page)).unwrap_or_default();
                self.decoder.event(time_ns, page.get(data).unwrap_or_default())
            }
        };
        self.advance(emptied);
        decoded
    }

    /// Looks for the next event, in this page or a later one.
    fn advance(&mut self, emptied: &mut Vec<PageLot>) {
        while self.head.is_none() {
            let Some(lot) = self.lots.front() else { return };
            let bytes = lot.page(self.page);
            if let Some(place) = &mut self.place {
                match place.next(bytes) {
                    Some(Ok((time_ns, data))) => self.head = Some((time_ns, Head::Event(data))),
                    // What is left of a garbled page is given up, and the decoder counts that.
                    Some(Err(_)) => {
                        self.decoder.give_up_page();
                        self.end_page();
                    }
                    None => self.end_page(),
                }
            } else if self.page < lot.pages() {
                match self.decoder.begin(bytes) {
                    Ok(page) => {
                        self.place = Some(page.place(self.decoder.header()));
                        self.head = page.lost.map(|events| (page.time_ns, Head::Lost(events)));
                    }
                    Err(_) => self.end_page(),
                }
            } else {
                self.page = 0;
                emptied.extend(self.lots.pop_front());
            }
        }
        // Its events are in order.
        self.complete_ns = self.complete_ns.max(self.head_ns().unwrap_or(0));
    }

    fn end_page(&mut self) {
        self.place = None;
        self.page += 1;
    }
}
