//! One stream of a test and the thread that moves its bytes. What it counts can
//! be read while it runs.
//!
//! A receiver goes on after the client's end of the test until what was on the
//! way is there: a stock server throws that away, and its figures then say that
//! less came than was sent.

use std::io::{ErrorKind, Read, Write};
use std::net::Shutdown;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use engine::{clock, lock};
use load::workload::net::iperf3::{DatagramCount, Head};

use crate::iperf3::socket;
use crate::iperf3::test_registry::Socket;
use crate::iperf3::wire::parameters::Parameters;

/// How long a call of a UDP stream waits before it looks around.
const LOOK: Duration = Duration::from_millis(50);

/// How long a paced sender sleeps at most before it looks around.
const SLEEP_MOST_NS: u64 = 50_000_000;

/// Where a test stands.
#[derive(Debug, Default)]
pub(crate) struct StreamBarrier {
    phase: AtomicU8,
    lock: Mutex<()>,
    moved: Condvar,
}

const SHUT: u8 = 0;
const RUNNING: u8 = 1;
const ENDING: u8 = 2;
const OVER: u8 = 3;

impl StreamBarrier {
    /// Streams may begin.
    pub(crate) fn open(&self) {
        self.advance(RUNNING);
    }

    /// Senders end; receivers take what is on the way.
    pub(crate) fn end(&self) {
        self.advance(ENDING);
    }

    /// All end.
    pub(crate) fn close(&self) {
        self.advance(OVER);
    }

    fn advance(&self, phase: u8) {
        let _held = lock(&self.lock);
        self.phase.store(phase, Relaxed);
        self.moved.notify_all();
    }

    fn wait(&self) {
        let mut held = lock(&self.lock);
        while self.phase.load(Relaxed) == SHUT {
            held = self.moved.wait(held).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn is(&self, phase: u8) -> bool {
        self.phase.load(Relaxed) == phase
    }
}

#[derive(Debug)]
pub(crate) struct Stream {
    pub(crate) socket: Socket,
    pub(crate) sends: bool,
    bytes: AtomicU64,
    /// Datagrams sent, or the highest number received.
    number: AtomicU64,
    lost: AtomicU64,
    jitter: AtomicU64,
    /// When the last byte came after the end of the test, ns.
    last_ns: AtomicU64,
}

/// What a stream has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct StreamCounts {
    pub(crate) bytes: u64,
    pub(crate) number: u64,
    pub(crate) lost: u64,
    pub(crate) jitter_s: f64,
    pub(crate) last_ns: u64,
    pub(crate) retransmits: Option<u64>,
}

impl Stream {
    pub(crate) fn new(socket: Socket, sends: bool) -> Self {
        let zero = || AtomicU64::new(0);
        Self { socket, sends, bytes: zero(), number: zero(), lost: zero(), jitter: zero(), last_ns: zero() }
    }

    pub(crate) fn done(&self) -> StreamCounts {
        StreamCounts {
            bytes: self.bytes.load(Relaxed),
            number: self.number.load(Relaxed),
            lost: self.lost.load(Relaxed),
            jitter_s: f64::from_bits(self.jitter.load(Relaxed)),
            last_ns: self.last_ns.load(Relaxed),
            retransmits: if self.sends { socket::retransmits(&self.socket) } else { None },
        }
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes.load(Relaxed)
    }

    /// Lets a thread that waits in a call on it go on: nothing more is received,
    /// or sent.
    pub(crate) fn wake(&self, both: bool) {
        if let Socket::Tcp(stream) = &self.socket {
            // One that is closed already needs no waking.
            let _ = stream.shutdown(if both { Shutdown::Both } else { Shutdown::Write });
        }
    }

    /// Moves bytes until the test is over, or the client closes the stream;
    /// returns the CPU seconds of its thread: all, and in user mode.
    pub(crate) fn work(&self, asked: &Parameters, content: &[u8], barrier: &StreamBarrier) -> (f64, f64) {
        let length = asked.length() as usize;
        let pace = Pace::of(asked);
        barrier.wait();
        // A stream that breaks has done what it did; the client knows why it
        // broke it.
        match (&self.socket, self.sends) {
            (Socket::Tcp(tcp), true) => self.send(tcp, content, pace, barrier),
            (Socket::Tcp(tcp), false) => self.receive(tcp, length, barrier),
            (Socket::Udp(udp), true) => self.send_datagrams(udp, content, (pace, asked.wide()), barrier),
            (Socket::Udp(udp), false) => self.receive_datagrams(udp, length, asked.wide(), barrier),
        }
        socket::thread_cpu()
    }

    fn send(
        &self,
        mut tcp: &std::net::TcpStream,
        content: &[u8],
        mut pace: Option<Pace>,
        barrier: &StreamBarrier,
    ) {
        let mut bytes = 0;
        while barrier.is(RUNNING) {
            if let Some(pace) = &mut pace
                && !pace.is_due(bytes, barrier)
            {
                continue;
            }
            match tcp.write(content) {
                Ok(0) => return,
                Ok(sent) => {
                    bytes += sent as u64;
                    self.bytes.store(bytes, Relaxed);
                }
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(_) => return,
            }
        }
    }

    fn receive(&self, mut tcp: &std::net::TcpStream, length: usize, barrier: &StreamBarrier) {
        let mut room = vec![0; length];
        let mut bytes = 0;
        while !barrier.is(OVER) {
            match tcp.read(&mut room) {
                Ok(0) => return,
                Ok(got) => {
                    bytes += got as u64;
                    if barrier.is(ENDING) {
                        self.last_ns.store(clock::now_ns(), Relaxed);
                    }
                    self.bytes.store(bytes, Relaxed);
                }
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(_) => return,
            }
        }
    }

    fn send_datagrams(
        &self,
        udp: &std::net::UdpSocket,
        content: &[u8],
        (mut pace, wide): (Option<Pace>, bool),
        barrier: &StreamBarrier,
    ) {
        let mut datagram = content.to_vec();
        let (mut bytes, mut number) = (0, 0);
        if udp.set_write_timeout(Some(LOOK)).is_err() {
            return;
        }
        while barrier.is(RUNNING) {
            if let Some(pace) = &mut pace
                && !pace.is_due(bytes, barrier)
            {
                continue;
            }
            Head::at(clock::now_ns(), number + 1).put(wide, &mut datagram);
            match udp.send(&datagram) {
                Ok(sent) => {
                    number += 1;
                    bytes += sent as u64;
                    self.bytes.store(bytes, Relaxed);
                    self.number.store(number, Relaxed);
                }
                // No room in a queue is no end: ENOBUFS, and EAGAIN after LOOK.
                Err(e) if is_passing(&e) => {}
                Err(_) => return,
            }
        }
    }

    fn receive_datagrams(
        &self,
        udp: &std::net::UdpSocket,
        length: usize,
        wide: bool,
        barrier: &StreamBarrier,
    ) {
        // One byte more shows a datagram that is longer than agreed.
        let mut room = vec![0; length + 1];
        let mut tally = DatagramCount::default();
        if udp.set_read_timeout(Some(LOOK)).is_err() {
            return;
        }
        while !barrier.is(OVER) {
            let got = match udp.recv(&mut room) {
                Ok(got) => got,
                Err(e) if is_passing(&e) || e.kind() == ErrorKind::ConnectionRefused => continue,
                Err(_) => return,
            };
            // A greeting that was sent twice is no datagram of the test.
            let Some(head) = Head::get(wide, &room[..got]) else { continue };
            let now_ns = clock::now_ns();
            tally.take(head, now_ns, got);
            if barrier.is(ENDING) {
                self.last_ns.store(now_ns, Relaxed);
            }
            self.number.store(tally.highest, Relaxed);
            self.lost.store(tally.lost, Relaxed);
            self.jitter.store(tally.jitter_s.to_bits(), Relaxed);
            self.bytes.store(tally.bytes, Relaxed);
        }
    }
}

fn is_passing(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::WouldBlock)
        || error.raw_os_error() == Some(libc::ENOBUFS)
}

/// When a sender may send: the mean since its start holds the rate.
#[derive(Clone, Copy, Debug)]
struct Pace {
    start_ns: Option<u64>,
    ns_per_byte: f64,
}

impl Pace {
    fn of(asked: &Parameters) -> Option<Self> {
        let rate = asked.bandwidth.filter(|rate| *rate > 0)?;
        Some(Self { start_ns: None, ns_per_byte: 8e9 / rate as f64 })
    }

    /// Sleeps until the byte after `bytes` is due; `false` if it has to look
    /// around before.
    fn is_due(&mut self, bytes: u64, barrier: &StreamBarrier) -> bool {
        let now_ns = clock::now_ns();
        let start_ns = *self.start_ns.get_or_insert(now_ns);
        let due_ns = start_ns.saturating_add((bytes as f64 * self.ns_per_byte) as u64);
        let left_ns = due_ns.saturating_sub(now_ns);
        if left_ns > 0 {
            std::thread::sleep(Duration::from_nanos(left_ns.min(SLEEP_MOST_NS)));
        }
        left_ns <= SLEEP_MOST_NS && barrier.is(RUNNING)
    }
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream, UdpSocket};

    use super::*;

    fn asked(udp: bool, len: u64, bandwidth: u64) -> Parameters {
        Parameters {
            udp,
            tcp: !udp,
            len: Some(len),
            bandwidth: Some(bandwidth),
            parallel: 1,
            ..Parameters::default()
        }
    }

    /// Runs both streams for a moment; what each did.
    fn run(send: Stream, receive: Stream, asked: &Parameters) -> (StreamCounts, StreamCounts) {
        let barrier = StreamBarrier::default();
        let content = vec![7; asked.length() as usize];
        std::thread::scope(|scope| {
            for stream in [&send, &receive] {
                scope.spawn(|| stream.work(asked, &content, &barrier));
            }
            barrier.open();
            std::thread::sleep(Duration::from_millis(100));
            barrier.end();
            send.wake(false);
            // What is on the way: the bytes are few.
            let begun = clock::now_ns();
            while receive.bytes() < send.bytes() && clock::now_ns() - begun < 1_000_000_000 {
                std::thread::sleep(Duration::from_millis(1));
            }
            barrier.close();
            receive.wake(true);
        });
        (send.done(), receive.done())
    }

    #[test]
    fn every_byte_sent_is_received_at_no_more_than_the_rate() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let here = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let there = listener.accept().unwrap().0;
        let asked = asked(false, 1000, 8_000_000);
        let (sent, received) =
            run(Stream::new(Socket::Tcp(here), true), Stream::new(Socket::Tcp(there), false), &asked);
        assert_eq!(sent.bytes, received.bytes);
        assert_eq!(sent.retransmits, Some(0));
        assert!(sent.bytes > 0 && sent.bytes % 1000 == 0, "{sent:?}");
    }

    #[test]
    fn datagrams_are_numbered_and_counted() {
        let here = UdpSocket::bind("127.0.0.1:0").unwrap();
        let there = UdpSocket::bind("127.0.0.1:0").unwrap();
        here.connect(there.local_addr().unwrap()).unwrap();
        there.connect(here.local_addr().unwrap()).unwrap();
        // A stray greeting does not count.
        here.send(b"9876").unwrap();
        let asked = asked(true, 100, 800_000);
        let (sent, received) =
            run(Stream::new(Socket::Udp(here), true), Stream::new(Socket::Udp(there), false), &asked);
        assert!(sent.number > 0, "{sent:?}");
        assert_eq!((received.number, received.lost, received.bytes), (sent.number, 0, sent.bytes));
    }
}
