//! The end that answers over TCP: reads a request whole and sends it back.
//!
//! It goes on until the other end says that it has all answers, not until its own
//! window closes ([`AnswerSlots`]): a last request that nobody answered would be a
//! fault of the measurement.

use std::net::TcpStream;

use engine::clock;
use engine::fault::Fault;
use engine::queue::{Completion, Operation, Queue, Wait};
use model::{FactName, Value};
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags};

use crate::workload::memory::buffer::Buffer;
use crate::workload::net::answer_slots::AnswerSlots;
use crate::workload::net::pingpong::message::Sizes;
use crate::workload::net::socket::{self, LOOK};

const ANSWERING: &str = "answering the other end";

/// The end that answers.
#[derive(Debug)]
pub(in crate::workload::net) struct Answering {
    stream: TcpStream,
    buffer: Buffer,
    sizes: Sizes,
    busy: bool,
    /// What answers count as.
    class: u8,
    slots: AnswerSlots,
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
        let slots = AnswerSlots::default();
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
        AnswerSlots::DEPTH
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
