//! The workers of a UDP stream. Each datagram begins with its number and the time
//! at which it was sent, from which the receiver knows what was lost, came twice
//! or out of order, and how much the time on the way varies.

use std::net::UdpSocket;
use std::sync::Arc;

use engine::drive::WorkerContext;
use engine::fault::Fault;
use engine::queue::{Completion, Operation, Queue, UNRECORDED};
use engine::{SideMetrics, clock};
use model::trial::Window;
use model::{FactName, MetricName, Quantity, SeriesName, Unit, Value, fact, metric};
use rustix::io::Errno;
use rustix::net::SendFlags;

use crate::workload::memory::buffer::Buffer;
use crate::workload::net::hello::{self, HELLO};
use crate::workload::net::iperf3::Head;
use crate::workload::net::socket::{self, LOOK, LOOKS_MOST};
use crate::workload::net::stream::arrivals::{Arrivals, Counts};
use crate::workload::net::stream::tcp::{RECEIVE, SEND};
use crate::workload::net::worker_samples::{SampleCollector, Timed, WorkerSamples};

/// Number and time, both `u64` in network order.
pub(super) const HEADER: usize = 16;

/// The number of the datagrams that say that no more come.
const LAST: u64 = u64::MAX;

/// A sender that was held up makes up for at most so much of its rate, ns.
const DEBT_NS: f64 = 100e6;

/// So many calls without a datagram, after the first came, end a load that a
/// count ends: its last ones may be lost. 1 s.
const LOOKS_AT_END: u32 = 10;

const SENDING: &str = "sending datagrams to the other end";
const RECEIVING: &str = "receiving datagrams from the other end";

/// Sends datagrams, at a rate if there is one.
#[derive(Debug)]
pub(super) struct Sending {
    pub(super) socket: UdpSocket,
    pub(super) buffer: Buffer,
    /// Bytes of one datagram.
    pub(super) bytes: usize,
    /// Bytes to the end, where a count ends it.
    pub(super) left: Option<u64>,
    /// Between two datagrams, ns; 0 as fast as they go.
    pub(super) gap_ns: f64,
    /// Whether the other end reads iperf3's heads.
    pub(super) is_iperf3: bool,
    due_ns: f64,
    /// When the first was due, from which `due_ns` counts: of the time since the boot
    /// a floating point number would round short gaps.
    origin_ns: Option<u64>,
    number: u64,
    quiet: u32,
    finished: Option<Completion>,
}

impl Sending {
    /// Sends datagrams of `bytes` bytes.
    pub(super) fn new(
        socket: UdpSocket,
        (buffer, bytes): (Buffer, usize),
        left: Option<u64>,
        (gap_ns, is_iperf3): (f64, bool),
    ) -> Self {
        Self {
            socket,
            buffer,
            bytes,
            left,
            gap_ns,
            is_iperf3,
            due_ns: 0.0,
            origin_ns: None,
            number: 0,
            quiet: 0,
            finished: None,
        }
    }

    /// Waits until the next datagram is due, asleep, but no longer than a look;
    /// whether it is due. One that comes late for it is followed by the next
    /// without a pause until the rate is made up for.
    #[inline]
    fn pace(&mut self) -> bool {
        if self.gap_ns <= 0.0 {
            return true;
        }
        let clock_ns = clock::now_ns();
        let origin_ns = *self.origin_ns.get_or_insert(clock_ns);
        let now_ns = clock_ns.saturating_sub(origin_ns) as f64;
        let until_ns = self.due_ns.min(now_ns + LOOK.as_nanos() as f64);
        if until_ns > now_ns {
            let until = clock::timespec(origin_ns.saturating_add(until_ns as u64));
            let _ = rustix::thread::clock_nanosleep_absolute(rustix::time::ClockId::Monotonic, &until);
        }
        if until_ns < self.due_ns {
            return false;
        }
        self.due_ns = self.due_ns.max(now_ns - DEBT_NS) + self.gap_ns;
        true
    }

    #[inline]
    fn send(&mut self) -> Result<Completion, Fault> {
        let nothing = Completion { class: UNRECORDED, ..Completion::default() };
        if self.left == Some(0) || !self.pace() {
            return Ok(nothing);
        }
        let datagram = &mut self.buffer.as_mut_slice()[..self.bytes];
        if self.is_iperf3 {
            Head::at(clock::now_ns(), self.number + 1).put(true, datagram);
        } else {
            datagram[..8].copy_from_slice(&self.number.to_be_bytes());
            datagram[8..HEADER].copy_from_slice(&clock::now_ns().to_be_bytes());
        }
        match rustix::net::send(&self.socket, datagram, SendFlags::NOSIGNAL) {
            Ok(sent) => {
                self.quiet = 0;
                self.number += 1;
                if let Some(left) = &mut self.left {
                    *left = left.saturating_sub(sent as u64);
                }
                Ok(Completion { bytes: sent as u64, class: SEND, ..Completion::default() })
            }
            // The queue of the interface is full (send(2)), or somebody called.
            Err(Errno::NOBUFS | Errno::INTR) => Ok(nothing),
            Err(Errno::AGAIN) => {
                self.quiet += 1;
                if self.quiet > LOOKS_MOST {
                    return Err(socket::silent(SENDING));
                }
                Ok(nothing)
            }
            Err(Errno::MSGSIZE) => Err(Fault::Other(format!(
                "a datagram of {} bytes is more than the path or the socket takes: give a smaller `buffer`",
                self.bytes
            ))),
            Err(e) => Err(socket::broken(SENDING, e)),
        }
    }
}

impl Queue for Sending {
    #[inline]
    fn start(&mut self, slot: usize, _operation: Operation) -> Result<(), Fault> {
        self.finished = Some(Completion { slot, ..self.send()? });
        Ok(())
    }

    #[inline]
    fn finished(&mut self) -> Option<Completion> {
        self.finished.take()
    }

    #[inline]
    fn ended(&self) -> bool {
        self.left == Some(0)
    }

    /// Says, three times for one may be lost, that no more come. It is said at
    /// once, because a load that a count ends waits for it at the other end.
    fn settle(&mut self) -> Result<bool, Fault> {
        if self.is_iperf3 {
            // It is told over its control connection.
            return Ok(false);
        }
        let mut last = [0; HEADER];
        last[..8].copy_from_slice(&LAST.to_be_bytes());
        for _ in 0..3 {
            // Lost or refused, the other end ends by itself.
            let _ = rustix::net::send(&self.socket, &last, SendFlags::NOSIGNAL);
        }
        Ok(false)
    }

    fn facts(&self) -> Vec<(FactName, Value)> {
        let mut facts = socket::facts(&self.socket);
        facts.push((fact::DATAGRAM, Value::Integer(self.bytes as u64)));
        facts
    }
}

/// What a receiver had counted at one moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tally {
    at_ns: u64,
    counts: Counts,
}

impl Timed for Tally {
    fn at_ns(&self) -> u64 {
        self.at_ns
    }
}

/// Receives datagrams.
#[derive(Debug)]
pub(super) struct Receiving {
    socket: UdpSocket,
    buffer: Buffer,
    /// None where the other end is an iperf3.
    hello: Option<[u8; HELLO]>,
    arrivals: Arrivals,
    track: WorkerSamples<Tally>,
    book: Arc<SampleCollector<Tally>>,
    /// Whether a count ends the load.
    by_count: bool,
    quiet: u32,
    is_over: bool,
    finished: Option<Completion>,
}

impl Receiving {
    /// Receives over `socket`; what was said first on it may come again.
    pub(super) fn new(
        socket: UdpSocket,
        hello: Option<[u8; HELLO]>,
        by_count: bool,
        book: Arc<SampleCollector<Tally>>,
    ) -> Result<Self, Fault> {
        let mut buffer = Buffer::new(1 << 16)?;
        buffer.as_mut_slice().fill(1);
        Ok(Self {
            socket,
            buffer,
            hello,
            arrivals: Arrivals::default(),
            track: WorkerSamples::default(),
            book,
            by_count,
            quiet: 0,
            is_over: false,
            finished: None,
        })
    }

    /// One call; bytes of a datagram that counts.
    #[inline]
    fn receive(&mut self) -> Result<Option<usize>, Fault> {
        let buffer = self.buffer.as_mut_slice();
        let got = match rustix::io::read(&self.socket, &mut *buffer) {
            Ok(got) => got,
            Err(Errno::AGAIN | Errno::INTR) => {
                self.quiet += 1;
                let ends = self.by_count && self.arrivals.counts.received > 0;
                self.is_over |= ends && self.quiet > LOOKS_AT_END;
                return if self.quiet > LOOKS_MOST { Err(socket::silent(RECEIVING)) } else { Ok(None) };
            }
            Err(e) => return Err(socket::broken(RECEIVING, e)),
        };
        self.quiet = 0;
        if got == HELLO
            && let Some(own) = self.hello
        {
            if buffer[..HELLO] == own {
                let _ = rustix::net::send(&self.socket, &hello::welcome(&own), SendFlags::NOSIGNAL);
                return Ok(None);
            }
            if buffer[..HELLO] == hello::welcome(&own) {
                return Ok(None);
            }
        }
        let head = match self.hello {
            Some(_) => word(buffer, got, 0).zip(word(buffer, got, 8)),
            None => Head::get(true, &buffer[..got]).map(|head| (head.number.wrapping_sub(1), head.sent_ns())),
        };
        let Some((number, sent_ns)) = head else { return Ok(None) };
        if number == LAST {
            self.is_over = true;
            return Ok(None);
        }
        let now_ns = clock::now_ns();
        self.arrivals.note(number, sent_ns, now_ns);
        if self.track.is_due(now_ns) {
            self.track.put(Tally { at_ns: now_ns, counts: self.arrivals.counts });
        }
        Ok(Some(got))
    }
}

/// The number at `at` of a datagram of `got` bytes.
#[inline]
fn word(buffer: &[u8], got: usize, at: usize) -> Option<u64> {
    buffer[..got].get(at..at + 8)?.try_into().ok().map(u64::from_be_bytes)
}

impl Queue for Receiving {
    #[inline]
    fn start(&mut self, slot: usize, _operation: Operation) -> Result<(), Fault> {
        let completion = match self.receive()? {
            Some(got) => Completion { slot, bytes: got as u64, class: RECEIVE, ..Completion::default() },
            None => Completion { slot, class: UNRECORDED, ..Completion::default() },
        };
        self.finished = Some(completion);
        Ok(())
    }

    #[inline]
    fn finished(&mut self) -> Option<Completion> {
        self.finished.take()
    }

    #[inline]
    fn ended(&self) -> bool {
        self.is_over
    }

    fn settle(&mut self) -> Result<bool, Fault> {
        self.track.put(Tally { at_ns: clock::now_ns(), counts: self.arrivals.counts });
        self.book.hand_in(&mut self.track);
        Ok(false)
    }

    /// Takes what still comes, so that the sender is not refused; at most for a
    /// second, for the last datagrams may be lost.
    fn verify(&mut self, life: &WorkerContext<'_>) -> Result<(), Fault> {
        self.quiet = 0;
        while !self.is_over && self.quiet < LOOKS_AT_END {
            match self.receive() {
                Err(Fault::Cancelled) => return Err(Fault::Cancelled),
                // It has gone already, and all that counts was counted.
                Err(_) => return Ok(()),
                Ok(_) => {}
            }
            life.beat()?;
        }
        Ok(())
    }

    fn facts(&self) -> Vec<(FactName, Value)> {
        socket::facts(&self.socket)
    }
}

/// Metrics of all receivers of this end.
pub(super) fn seen(book: &SampleCollector<Tally>, window: Window, into: &mut SideMetrics) {
    let change = |of: fn(&Counts) -> u64| book.change(window, |t| Some(of(&t.counts) as f64));
    let (Some(received), Some(expected)) = (change(|c| c.received), change(|c| c.expected)) else { return };
    let mut put = |name: MetricName, value: f64, unit| {
        into.metrics.insert(name, Quantity { value, unit });
    };
    if expected > 0.0 {
        // A late one of before the window may make it more than all.
        put(metric::LOSS, (1.0 - received / expected).max(0.0), Unit::One);
    }
    put(MetricName::new("reordered"), change(|c| c.reordered).unwrap_or_default(), Unit::One);
    put(MetricName::new("duplicates"), change(|c| c.duplicates).unwrap_or_default(), Unit::One);
    let jitter = book.values(window, |t| Some(t.counts.jitter_s));
    if let Some(jitter) = stats::interval::median(&jitter) {
        put(metric::JITTER, jitter, Unit::Seconds);
    }
    let lost = |t: &Tally| Some(t.counts.expected.saturating_sub(t.counts.received) as f64);
    into.series.extend(book.rate((SeriesName::new("lost"), Unit::PerSecond), window.end_ns, lost));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sending(gap_ns: f64) -> (Sending, UdpSocket) {
        let there = UdpSocket::bind("127.0.0.1:0").unwrap();
        let here = UdpSocket::bind("127.0.0.1:0").unwrap();
        here.connect(there.local_addr().unwrap()).unwrap();
        (Sending::new(here, (Buffer::new(100).unwrap(), 100), None, (gap_ns, false)), there)
    }

    #[test]
    fn the_first_datagram_goes_at_once_and_the_next_when_it_is_due() {
        // A minute apart: the second is not there after a look, and nobody waited
        // for longer.
        let (mut slow, _there) = sending(60e9);
        assert_eq!(slow.send().unwrap().bytes, 100);
        assert_eq!(slow.send().unwrap().class, UNRECORDED);
        assert_eq!(slow.number, 1);
    }

    #[test]
    fn a_sender_that_was_held_up_makes_up_for_a_little_only() {
        let (mut held, _there) = sending(1e6);
        held.send().unwrap();
        // As if a minute had passed since the last.
        held.due_ns -= 60e9;
        let before_ns = (clock::now_ns() - held.origin_ns.unwrap()) as f64;
        held.send().unwrap();
        assert!(held.due_ns >= before_ns - DEBT_NS, "{} {before_ns}", held.due_ns);
    }
}
