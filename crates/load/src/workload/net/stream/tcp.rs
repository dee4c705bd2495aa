//! The workers of a TCP stream: one that sends as fast as the socket takes, one
//! that reads as fast as it gives.
//!
//! A connection ends with a farewell that only the two ends know, so that the
//! end of the data is told from a peer that died. It is sent when nobody's time
//! counts any more, and the receiver reads until it has it, so that nobody's
//! kernel resets a connection that still carries data.

use std::net::{Shutdown, TcpStream};
use std::sync::Arc;

use engine::drive::WorkerContext;
use engine::fault::Fault;
use engine::queue::{Completion, Operation, Queue, UNRECORDED};
use engine::ready::Interest;
use model::{FactName, Value};
use rustix::io::Errno;
use rustix::net::SendFlags;

use crate::workload::memory::buffer::Buffer;
use crate::workload::net::hello::COOKIE;
use crate::workload::net::iperf3::client::await_end;
use crate::workload::net::socket::{self, LOOKS_MOST, Quiet};
use crate::workload::net::stream::several::{Connection, Parting};
use crate::workload::net::stream::source::Source;
use crate::workload::net::stream::state::{self, State};
use crate::workload::net::worker_samples::{SampleCollector, WorkerSamples};

/// The kinds of operations.
pub(in crate::workload::net) const SEND: u8 = 0;
pub(in crate::workload::net) const RECEIVE: u8 = 1;

const SENDING: &str = "sending to the other end";
const RECEIVING: &str = "receiving from the other end";

/// The end of a connection that sends.
#[derive(Debug)]
pub(in crate::workload::net) struct Sending {
    stream: TcpStream,
    source: Source,
    share: Share,
    quiet: Quiet,
    /// Bytes of the farewell that the socket took.
    said: usize,
    finished: Option<Completion>,
    track: WorkerSamples<State>,
    book: Arc<SampleCollector<State>>,
}

/// What both kinds of workers are told.
#[derive(Debug)]
pub(in crate::workload::net) struct Share {
    /// Bytes of one call.
    pub(in crate::workload::net) bytes: usize,
    /// Bytes to the end, where a count ends it.
    pub(in crate::workload::net) left: Option<u64>,
    /// The last bytes of the connection; none where the other end closes it.
    pub(in crate::workload::net) farewell: Option<[u8; COOKIE]>,
}

impl Sending {
    /// Sends from `source` over `stream`, and hands in what it saw to `book`.
    pub(in crate::workload::net) fn new(
        stream: TcpStream,
        source: Source,
        share: Share,
        book: Arc<SampleCollector<State>>,
    ) -> Self {
        let (quiet, track) = (Quiet::default(), WorkerSamples::default());
        Self { stream, source, share, quiet, said: 0, finished: None, track, book }
    }

    /// One call: its completion, and whether it took all that it was given.
    #[inline]
    fn send(&mut self) -> Result<(Completion, bool), Fault> {
        let Share { bytes, left, .. } = &mut self.share;
        let most = left.map_or(*bytes, |left| left.min(*bytes as u64) as usize);
        let nothing = Completion { class: UNRECORDED, ..Completion::default() };
        if most == 0 {
            return Ok((nothing, false));
        }
        match self.source.send(&self.stream, most) {
            Ok(sent) if sent > 0 => {
                self.quiet.ends();
                if let Some(left) = left {
                    *left -= sent as u64;
                }
                let done = Completion { bytes: sent as u64, class: SEND, ..Completion::default() };
                Ok((done, sent == most))
            }
            Ok(_) | Err(Errno::AGAIN | Errno::INTR) => Ok((nothing, false)),
            Err(e) => Err(socket::broken_on(&self.stream, SENDING, e)),
        }
    }

    /// Says farewell and sends no more.
    fn close(&mut self, life: &WorkerContext<'_>) -> Result<(), Fault> {
        let Some(farewell) = self.share.farewell else { return await_end(&self.stream, life) };
        for _ in 0..LOOKS_MOST {
            if self.say(&farewell)? == Parting::Done {
                return Ok(());
            }
            life.beat()?;
        }
        Err(socket::silent_on(&self.stream, SENDING))
    }

    /// One call that says farewell, or the rest of it.
    fn say(&mut self, farewell: &[u8; COOKIE]) -> Result<Parting, Fault> {
        match self.source.settle() {
            Ok(()) => {}
            Err(Errno::AGAIN | Errno::INTR) => return Ok(Parting::Waits),
            Err(e) => return Err(socket::broken_on(&self.stream, SENDING, e)),
        }
        match rustix::net::send(&self.stream, &farewell[self.said..], SendFlags::NOSIGNAL) {
            Ok(sent) => self.said += sent,
            Err(Errno::AGAIN | Errno::INTR) => return Ok(Parting::Waits),
            Err(e) => return Err(socket::broken_on(&self.stream, SENDING, e)),
        }
        if self.said < farewell.len() {
            return Ok(Parting::Moves);
        }
        self.stream.shutdown(Shutdown::Write).map_err(|e| Fault::system(SENDING, e))?;
        Ok(Parting::Done)
    }
}

impl Queue for Sending {
    #[inline]
    fn start(&mut self, slot: usize, _operation: Operation) -> Result<(), Fault> {
        let (done, _) = self.send()?;
        if done.class == UNRECORDED && !self.ended() {
            self.lasts()?;
        }
        self.finished = Some(Completion { slot, ..done });
        state::look(&mut self.track, &self.stream, false);
        Ok(())
    }

    #[inline]
    fn finished(&mut self) -> Option<Completion> {
        self.finished.take()
    }

    #[inline]
    fn ended(&self) -> bool {
        self.share.left == Some(0)
    }

    fn settle(&mut self) -> Result<bool, Fault> {
        state::look(&mut self.track, &self.stream, true);
        self.book.hand_in(&mut self.track);
        Ok(false)
    }

    fn verify(&mut self, life: &WorkerContext<'_>) -> Result<(), Fault> {
        self.close(life)
    }

    fn buffers(&self) -> Vec<std::ops::Range<*const u8>> {
        self.source.range().into_iter().collect()
    }

    fn facts(&self) -> Vec<(FactName, Value)> {
        let mut facts = socket::facts(&self.stream);
        facts.extend(self.source.facts());
        facts
    }
}

impl Connection for Sending {
    const INTEREST: Interest = Interest::Write;

    fn socket(&self) -> &TcpStream {
        &self.stream
    }

    #[inline]
    fn call(&mut self) -> Result<(Completion, bool), Fault> {
        let done = self.send()?;
        state::look(&mut self.track, &self.stream, false);
        Ok(done)
    }

    #[cold]
    fn lasts(&mut self) -> Result<(), Fault> {
        self.quiet.lasts(&self.stream, SENDING)
    }

    fn has_farewell(&self) -> bool {
        self.share.farewell.is_some()
    }

    fn part(&mut self) -> Result<Parting, Fault> {
        match self.share.farewell {
            Some(farewell) => self.say(&farewell),
            None => Ok(Parting::Done),
        }
    }
}

/// The end of a connection that receives.
#[derive(Debug)]
pub(in crate::workload::net) struct Receiving {
    stream: TcpStream,
    buffer: Buffer,
    share: Share,
    quiet: Quiet,
    /// The last bytes that came.
    tail: [u8; COOKIE],
    is_over: bool,
    finished: Option<Completion>,
}

impl Receiving {
    /// Receives over `stream`.
    pub(in crate::workload::net) fn new(stream: TcpStream, share: Share) -> Result<Self, Fault> {
        let mut buffer = Buffer::new(share.bytes)?;
        // Its pages are there before time counts.
        buffer.as_mut_slice().fill(1);
        let (quiet, tail) = (Quiet::default(), [0; COOKIE]);
        Ok(Self { stream, buffer, share, quiet, tail, is_over: false, finished: None })
    }

    /// One call; bytes that came, or none when none did.
    #[inline]
    fn receive(&mut self) -> Result<Option<usize>, Fault> {
        let buffer = &mut self.buffer.as_mut_slice()[..self.share.bytes];
        match rustix::io::read(&self.stream, &mut *buffer) {
            Ok(0) if self.share.farewell.is_none_or(|farewell| farewell == self.tail) => {
                self.is_over = true;
                Ok(None)
            }
            Ok(0) => Err(socket::broken(RECEIVING, Errno::CONNRESET)),
            Ok(got) => {
                self.quiet.ends();
                keep_tail(&mut self.tail, &buffer[..got]);
                Ok(Some(got))
            }
            Err(Errno::AGAIN | Errno::INTR) => Ok(None),
            Err(e) => Err(socket::broken(RECEIVING, e)),
        }
    }

    /// One call: its completion, and whether it filled the buffer.
    #[inline]
    fn take(&mut self) -> Result<(Completion, bool), Fault> {
        let Some(got) = self.receive()? else {
            return Ok((Completion { class: UNRECORDED, ..Completion::default() }, false));
        };
        let mut bytes = got as u64;
        if let Some(left) = &mut self.share.left {
            // The farewell is none of the bytes that were asked for.
            bytes = bytes.min(*left);
            *left -= bytes;
        }
        let done = Completion { bytes, class: RECEIVE, ..Completion::default() };
        Ok((done, got == self.share.bytes))
    }
}

impl Connection for Receiving {
    const INTEREST: Interest = Interest::Read;

    fn socket(&self) -> &TcpStream {
        &self.stream
    }

    #[inline]
    fn call(&mut self) -> Result<(Completion, bool), Fault> {
        self.take()
    }

    #[cold]
    fn lasts(&mut self) -> Result<(), Fault> {
        self.quiet.lasts_longer(&self.stream, RECEIVING)
    }

    fn has_farewell(&self) -> bool {
        self.share.farewell.is_some()
    }

    fn part(&mut self) -> Result<Parting, Fault> {
        if self.is_over {
            return Ok(Parting::Done);
        }
        let came = self.receive()?.is_some();
        Ok(match self.is_over {
            true => Parting::Done,
            false if came => Parting::Moves,
            false => Parting::Waits,
        })
    }
}

/// Keeps the last bytes of all that came so far.
#[inline]
fn keep_tail(tail: &mut [u8; COOKIE], came: &[u8]) {
    if let Some(last) = came.last_chunk() {
        *tail = *last;
    } else {
        tail.rotate_left(came.len());
        tail[COOKIE - came.len()..].copy_from_slice(came);
    }
}

impl Queue for Receiving {
    #[inline]
    fn start(&mut self, slot: usize, _operation: Operation) -> Result<(), Fault> {
        let mut done = Completion { class: UNRECORDED, ..Completion::default() };
        if !self.ended() {
            (done, _) = self.take()?;
            if done.class == UNRECORDED && !self.is_over {
                self.lasts()?;
            }
        }
        self.finished = Some(Completion { slot, ..done });
        Ok(())
    }

    #[inline]
    fn finished(&mut self) -> Option<Completion> {
        self.finished.take()
    }

    #[inline]
    fn ended(&self) -> bool {
        self.is_over || self.share.left == Some(0)
    }

    fn verify(&mut self, life: &WorkerContext<'_>) -> Result<(), Fault> {
        self.quiet.ends();
        if self.share.farewell.is_none() {
            return await_end(&self.stream, life);
        }
        while !self.is_over {
            if self.receive()?.is_none() && !self.is_over {
                self.lasts()?;
            }
            life.beat()?;
        }
        Ok(())
    }

    fn buffers(&self) -> Vec<std::ops::Range<*const u8>> {
        vec![self.buffer.range()]
    }

    fn facts(&self) -> Vec<(FactName, Value)> {
        socket::facts(&self.stream)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tail_is_the_last_bytes_however_they_came() {
        let all: Vec<u8> = (0..200).collect();
        for pieces in [vec![200], vec![1; 200], vec![3, 15, 16, 17, 1, 1, 147], vec![199, 1]] {
            let (mut tail, mut at) = ([0; COOKIE], 0);
            for piece in pieces {
                keep_tail(&mut tail, &all[at..at + piece]);
                at += piece;
            }
            assert_eq!(tail[..], all[200 - COOKIE..], "{at}");
        }
    }
}
