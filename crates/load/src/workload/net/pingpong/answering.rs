//! The end that answers over TCP: reads a request whole and sends it back.
//!
//! It goes on until the other end says that it has all answers, not until its own
//! window closes: the clocks of two machines differ, and a last request that
//! nobody answered would be a fault of the measurement. So one slot of its queue
//! stands for the connection and is in flight until then.

use std::net::TcpStream;

use engine::clock;
use engine::fault::Fault;
use engine::queue::{Completion, Operation, Queue, UNRECORDED, Wait};
use model::{FactName, Value};
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags};

use crate::workload::memory::buffer::Buffer;
use crate::workload::net::pingpong::message::Sizes;
use crate::workload::net::socket::{self, LOOK};

const ANSWERING: &str = "answering the other end";

/// For so long an end still answers after its load ended or was called off: long
/// enough for whatever is under way, on any clock.
const LATE_NS: u64 = 3_000_000_000;

/// The slots of a queue that answers: one for the present request, one for the
/// connection.
#[derive(Debug, Default)]
pub(in crate::workload) struct Slots {
    connection: Option<usize>,
    request: Option<usize>,
    /// Since when no slot is given out any more, ns.
    late_ns: Option<u64>,
    is_over: bool,
}

impl Slots {
    pub(in crate::workload) const DEPTH: usize = 2;

    /// One is given out.
    #[inline]
    pub(in crate::workload) fn start(&mut self, slot: usize) {
        if self.connection.is_none() {
            self.connection = Some(slot);
        } else {
            self.request = Some(slot);
        }
    }

    #[inline]
    pub(in crate::workload) fn answered(&mut self, bytes: usize, class: u8, done: &mut Vec<Completion>) {
        match self.request.take() {
            Some(slot) => done.push(Completion { slot, bytes: bytes as u64, class, ..Completion::default() }),
            None => self.late(clock::now_ns(), done),
        }
    }

    /// A part of a request came, or is awaited: what is under way may end, however late.
    #[inline]
    pub(in crate::workload) fn comes(&mut self, bytes: usize, class: u8, done: &mut Vec<Completion>) {
        let slot = self.request.take();
        done.extend(slot.map(|slot| Completion {
            slot,
            bytes: bytes as u64,
            class,
            ..Completion::default()
        }));
    }

    /// No request came for a while. The slot is given back, to see whether it is
    /// given out again.
    pub(in crate::workload) fn nothing(&mut self, done: &mut Vec<Completion>) {
        match self.request.take() {
            Some(slot) => done.push(Completion { slot, class: UNRECORDED, ..Completion::default() }),
            None => self.late(clock::now_ns(), done),
        }
    }

    /// The load has ended, and the other end has not said that it has.
    fn late(&mut self, now_ns: u64, done: &mut Vec<Completion>) {
        let since_ns = *self.late_ns.get_or_insert(now_ns);
        if now_ns.saturating_sub(since_ns) > LATE_NS {
            self.over(done);
        }
    }

    /// No request will come any more.
    pub(in crate::workload) fn over(&mut self, done: &mut Vec<Completion>) {
        self.is_over = true;
        let left = self.request.take().into_iter().chain(self.connection.take());
        done.extend(left.map(|slot| Completion { slot, class: UNRECORDED, ..Completion::default() }));
    }

    #[inline]
    pub(in crate::workload) fn is_over(&self) -> bool {
        self.is_over
    }
}

/// The end that answers.
#[derive(Debug)]
pub(in crate::workload::net) struct Answering {
    stream: TcpStream,
    buffer: Buffer,
    sizes: Sizes,
    busy: bool,
    /// What answers count as.
    class: u8,
    slots: Slots,
    /// Requests answered, and bytes of the present one that came.
    number: u64,
    got: usize,
    /// Bytes of the present answer that are sent.
    sent: usize,
}

/// What one look at the connection gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReadOutcome {
    /// A request of so many bytes was answered.
    Whole(usize),
    /// Something moved.
    Part,
    /// Nothing did.
    Nothing,
    /// The other end sends no more.
    End,
}

impl Answering {
    pub(in crate::workload::net) fn new(
        stream: TcpStream,
        (sizes, class): (Sizes, u8),
        busy: bool,
    ) -> Result<Self, Fault> {
        let mut buffer = Buffer::new(sizes.most())?;
        buffer.as_mut_slice().fill(0);
        let slots = Slots::default();
        Ok(Self { stream, buffer, sizes, busy, class, slots, number: 0, got: 0, sent: 0 })
    }

    /// One call: reads of the request, or once it is whole sends of the answer.
    #[inline]
    fn serve(&mut self) -> Result<ReadOutcome, Fault> {
        let bytes = self.sizes.at(self.number).bytes;
        if self.got < bytes {
            let flags = if self.busy { RecvFlags::DONTWAIT } else { RecvFlags::empty() };
            match rustix::net::recv(&self.stream, &mut self.buffer.as_mut_slice()[self.got..bytes], flags) {
                Ok((0, _)) if self.got == 0 => return Ok(ReadOutcome::End),
                Ok((0, _)) => return Err(socket::broken(ANSWERING, Errno::CONNRESET)),
                Ok((got, _)) => self.got += got,
                Err(Errno::AGAIN | Errno::INTR) => return Ok(ReadOutcome::Nothing),
                Err(e) => return Err(socket::broken(ANSWERING, e)),
            }
            if self.got < bytes {
                return Ok(ReadOutcome::Part);
            }
        }
        match rustix::net::send(
            &self.stream,
            &self.buffer.as_mut_slice()[self.sent..bytes],
            SendFlags::NOSIGNAL,
        ) {
            Ok(sent) => self.sent += sent,
            Err(Errno::AGAIN | Errno::INTR) => return Ok(ReadOutcome::Nothing),
            Err(e) => return Err(socket::broken(ANSWERING, e)),
        }
        if self.sent < bytes {
            return Ok(ReadOutcome::Part);
        }
        (self.got, self.sent) = (0, 0);
        self.number += 1;
        Ok(ReadOutcome::Whole(bytes))
    }
}

impl Queue for Answering {
    #[inline]
    fn depth(&self) -> usize {
        Slots::DEPTH
    }

    #[inline]
    fn start(&mut self, slot: usize, _operation: Operation) -> Result<(), Fault> {
        self.slots.start(slot);
        Ok(())
    }

    #[inline]
    fn reap(&mut self, _wait: Wait, done: &mut Vec<Completion>) -> Result<(), Fault> {
        let until_ns = if self.busy { clock::now_ns() + LOOK.as_nanos() as u64 } else { 0 };
        loop {
            match self.serve()? {
                ReadOutcome::Whole(bytes) => {
                    self.slots.answered(bytes, self.class, done);
                    return Ok(());
                }
                ReadOutcome::Part => {}
                ReadOutcome::End => {
                    self.slots.over(done);
                    return Ok(());
                }
                // A call that waits has waited; one that polls looks again.
                ReadOutcome::Nothing if clock::now_ns() < until_ns => std::hint::spin_loop(),
                ReadOutcome::Nothing => {
                    self.slots.nothing(done);
                    return Ok(());
                }
            }
        }
    }

    #[inline]
    fn ended(&self) -> bool {
        self.slots.is_over()
    }

    fn facts(&self) -> Vec<(FactName, Value)> {
        socket::facts(&self.stream)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finished(slots: &mut Slots, with: impl FnOnce(&mut Slots, &mut Vec<Completion>)) -> Vec<(usize, u8)> {
        let mut done = Vec::new();
        with(slots, &mut done);
        done.iter().map(|c| (c.slot, c.class)).collect()
    }

    #[test]
    fn the_connection_stays_in_flight_until_it_is_over() {
        let mut slots = Slots::default();
        slots.start(0);
        slots.start(1);
        assert_eq!(finished(&mut slots, |s, done| s.answered(5, 3, done)), [(1, 3)]);
        // The load ended: no slot is given out, and requests are still answered.
        assert_eq!(finished(&mut slots, |s, done| s.answered(5, 3, done)), []);
        assert!(!slots.is_over());
        assert_eq!(finished(&mut slots, |s, done| s.over(done)), [(0, UNRECORDED)]);
        assert!(slots.is_over());
    }

    #[test]
    fn a_request_that_still_comes_is_taken_to_its_end() {
        let mut slots = Slots::default();
        slots.start(0);
        slots.start(1);
        assert_eq!(finished(&mut slots, |s, done| s.comes(5, 3, done)), [(1, 3)]);
        // The load ended, however long ago.
        for _ in 0..2 {
            assert_eq!(finished(&mut slots, |s, done| s.comes(5, 3, done)), []);
            assert!(!slots.is_over());
            slots.late_ns = Some(0);
        }
        // But no other one is waited for.
        assert_eq!(finished(&mut slots, |s, done| s.late(1 + LATE_NS, done)), [(0, UNRECORDED)]);
    }

    #[test]
    fn who_says_no_farewell_is_not_waited_for_when_the_load_has_ended() {
        let mut slots = Slots::default();
        slots.start(0);
        // As long as the load lives, nothing is no end.
        for _ in 0..100 {
            slots.start(1);
            assert_eq!(finished(&mut slots, Slots::nothing), [(1, UNRECORDED)]);
        }
        for now_ns in [5, 5 + LATE_NS] {
            assert_eq!(finished(&mut slots, |s, done| s.late(now_ns, done)), []);
        }
        assert_eq!(finished(&mut slots, |s, done| s.late(6 + LATE_NS, done)), [(0, UNRECORDED)]);
        assert!(slots.is_over());
    }
}
