//! Who is being served: by its cookie, which test a new stream belongs to, and
//! how much all tests together may use.
//!
//! Who has said a cookie, or what it wants, has proved nothing: until its streams are
//! there a test is a stranger's. Where there is no room for a new connection, one of those
//! goes ([`crowd::gives_way`]), so that clients that begin and do not go on hold
//! nobody out. What runs is never ended for another.
//!
//! A UDP stream's greeting has no cookie, only an address. So of tests from one
//! address, one at a time waits for such streams; the others get their turn when
//! it has them.

use std::collections::HashMap;
use std::net::{IpAddr, Shutdown, SocketAddr, TcpStream, UdpSocket};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Instant;

use engine::lock;
use load::workload::net::crowd;
use load::workload::net::iperf3::COOKIE;

use crate::iperf3::server::ServerLimits;

pub(crate) type Cookie = [u8; COOKIE];

/// A stream that came in.
#[derive(Debug)]
pub(crate) struct AcceptedStream {
    /// Streams are numbered in the order in which they were accepted.
    pub(crate) order: u64,
    pub(crate) socket: Socket,
}

/// What carries a stream.
#[derive(Debug)]
pub(crate) enum Socket {
    Tcp(TcpStream),
    Udp(UdpSocket),
}

/// Why nobody new gets in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rejection {
    /// As many are served as may be.
    Busy,
    /// One with the same cookie is being served.
    Known,
}

/// All tests.
#[derive(Debug)]
pub(crate) struct TestRegistry {
    caps: ServerLimits,
    inner: Mutex<Inner>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Inner {
    tests: HashMap<Cookie, Slot>,
    /// Tests whose threads are not gone: those that gave way among them.
    threads: usize,
    number: u64,
}

/// Who comes with a new test.
#[derive(Debug)]
pub(crate) struct NewTest {
    pub(crate) cookie: Cookie,
    /// The address of its control connection at the client, and here.
    pub(crate) from: IpAddr,
    pub(crate) here: SocketAddr,
    /// The control connection once more, to end it; none where it cannot be had,
    /// or where nobody gives way.
    pub(crate) control: Option<TcpStream>,
}

#[derive(Debug)]
struct Slot {
    /// In the order in which they came.
    number: u64,
    /// Its control connection is kept to end it, as long as it is a stranger's.
    connection: NewTest,
    /// What it has of what all may use together.
    streams: u64,
    memory: u64,
    udp: bool,
    /// How many streams it still waits for.
    wants: u64,
    send: Sender<AcceptedStream>,
}

/// The place of one test; gives back what it holds.
#[derive(Debug)]
pub(crate) struct TestSlot<'a> {
    registry: &'a TestRegistry,
    cookie: Cookie,
    number: u64,
    pub(crate) came: Receiver<AcceptedStream>,
}

impl Slot {
    /// Whether it waits for UDP streams of a client at `from`.
    fn awaits_udp(&self, from: IpAddr) -> bool {
        self.udp && self.wants > 0 && self.connection.from == from
    }
}

impl Inner {
    /// The test of a place, unless it gave way.
    fn of(&mut self, place: &TestSlot<'_>) -> Option<&mut Slot> {
        self.tests.get_mut(&place.cookie).filter(|slot| slot.number == place.number)
    }

    /// Ends a test of which nobody knows yet whether it goes on, where `new connection`
    /// has no room beside it; whether there was one.
    fn show_one_out(&mut self, connection: IpAddr, but: Option<u64>) -> bool {
        let strangers = self.tests.iter().filter(|(_, slot)| slot.connection.control.is_some());
        let mut strangers: Vec<_> = strangers
            .filter(|(_, slot)| Some(slot.number) != but)
            .map(|(cookie, slot)| (slot.number, crowd::network(slot.connection.from), *cookie))
            .collect();
        strangers.sort_unstable();
        let mut networks: Vec<IpAddr> = strangers.iter().map(|(_, network, _)| *network).collect();
        networks.push(crowd::network(connection));
        // Where the new connection is the only one there is none.
        let gone = crowd::gives_way(&networks).and_then(|at| strangers.get(at));
        let slot = gone.and_then(|(_, _, cookie)| self.tests.remove(cookie));
        if let Some(control) = slot.as_ref().and_then(|slot| slot.connection.control.as_ref()) {
            // One that is closed already goes by itself.
            let _ = control.shutdown(Shutdown::Both);
        }
        slot.is_some()
    }

    fn has_room(&self, caps: &ServerLimits, streams: u64, memory: u64) -> bool {
        let sum = |of: fn(&Slot) -> u64| self.tests.values().map(of).fold(0, u64::saturating_add);
        let fits = |used: u64, more: u64, most: u64| used.saturating_add(more) <= most;
        fits(sum(|s| s.streams), streams, caps.streams) && fits(sum(|s| s.memory), memory, caps.memory_bytes)
    }
}

impl TestRegistry {
    pub(crate) fn new(caps: ServerLimits) -> Self {
        Self { caps, inner: Mutex::default(), changed: Condvar::new() }
    }

    /// Gives a new test its place among `most`.
    pub(crate) fn enter(&self, connection: NewTest, most: usize) -> Result<TestSlot<'_>, Rejection> {
        let NewTest { cookie, from, .. } = connection;
        let mut inner = lock(&self.inner);
        if inner.tests.contains_key(&cookie) {
            return Err(Rejection::Known);
        }
        // Those that gave way are gone in a moment, but not at once.
        if inner.threads >= 2 * most || inner.tests.len() >= most && !inner.show_one_out(from, None) {
            return Err(Rejection::Busy);
        }
        let (send, came) = channel();
        inner.number += 1;
        inner.threads += 1;
        let number = inner.number;
        let slot = Slot { number, connection, streams: 0, memory: 0, udp: false, wants: 0, send };
        inner.tests.insert(cookie, slot);
        Ok(TestSlot { registry: self, cookie, number, came })
    }

    /// Whether a test with that cookie is being served.
    pub(crate) fn knows(&self, cookie: &Cookie) -> bool {
        lock(&self.inner).tests.contains_key(cookie)
    }

    /// Hands a TCP stream to its test; gives it back if that waits for none.
    pub(crate) fn deliver(&self, cookie: &Cookie, order: u64, stream: TcpStream) -> Option<TcpStream> {
        let mut inner = lock(&self.inner);
        match inner.tests.get_mut(cookie) {
            Some(slot) if slot.wants > 0 && !slot.udp => {
                slot.wants -= 1;
                // A test that has just ended does not want it any more.
                let _ = slot.send.send(AcceptedStream { order, socket: Socket::Tcp(stream) });
                None
            }
            _ => Some(stream),
        }
    }

    /// The address here that a client at `from` talks to, if a test of it waits
    /// for UDP streams.
    pub(crate) fn awaits_udp(&self, from: IpAddr) -> Option<SocketAddr> {
        let inner = lock(&self.inner);
        inner.tests.values().find(|s| s.awaits_udp(from)).map(|s| s.connection.here)
    }

    /// Hands a UDP stream to the test that waits for it.
    pub(crate) fn deliver_udp(&self, from: IpAddr, order: u64, socket: UdpSocket) {
        let mut inner = lock(&self.inner);
        if let Some(slot) = inner.tests.values_mut().find(|s| s.awaits_udp(from)) {
            slot.wants -= 1;
            let _ = slot.send.send(AcceptedStream { order, socket: Socket::Udp(socket) });
        }
    }
}

impl TestSlot<'_> {
    /// Takes what a test needs of what all may use together; `false` if there is
    /// not so much left.
    pub(crate) fn claim(&mut self, streams: u64, memory: u64) -> bool {
        let mut inner = lock(&self.registry.inner);
        let Some(from) = inner.of(self).map(|slot| slot.connection.from) else { return false };
        let caps = &self.registry.caps;
        if streams > caps.streams || memory > caps.memory_bytes {
            return false;
        }
        while !inner.has_room(caps, streams, memory) {
            if !inner.show_one_out(from, Some(self.number)) {
                return false;
            }
        }
        if let Some(slot) = inner.of(self) {
            (slot.streams, slot.memory) = (streams, memory);
        }
        true
    }

    /// From now on, streams of this test are taken; `false` if its turn did not
    /// come before `until`.
    pub(crate) fn open(&self, udp: bool, streams: u64, until: Instant) -> bool {
        let mut inner = lock(&self.registry.inner);
        loop {
            let Some(from) = inner.of(self).map(|slot| slot.connection.from) else { return false };
            let is_free = !udp || !inner.tests.values().any(|s| s.awaits_udp(from));
            if is_free {
                if let Some(slot) = inner.of(self) {
                    (slot.udp, slot.wants) = (udp, streams);
                }
                return true;
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            let waited = self.registry.changed.wait_timeout(inner, left);
            inner = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Its streams are there: it is a stranger's no more. `false` if it gave way
    /// before.
    pub(crate) fn close(&self) -> bool {
        let mut inner = lock(&self.registry.inner);
        let Some(slot) = inner.of(self) else { return false };
        (slot.wants, slot.connection.control) = (0, None);
        drop(inner);
        self.registry.changed.notify_all();
        true
    }
}

impl Drop for TestSlot<'_> {
    fn drop(&mut self) {
        let mut inner = lock(&self.registry.inner);
        if inner.of(self).is_some() {
            inner.tests.remove(&self.cookie);
        }
        inner.threads -= 1;
        drop(inner);
        self.registry.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::time::Duration;

    use super::*;

    const HERE: &str = "127.0.0.1:5201";

    fn from(last: u8) -> IpAddr {
        IpAddr::from([127, 0, 0, last])
    }

    fn enter(registry: &TestRegistry, cookie: u8, last: u8) -> Result<TestSlot<'_>, Rejection> {
        registry.enter(connection(cookie, last, None), 3)
    }

    fn connection(cookie: u8, last: u8, control: Option<TcpStream>) -> NewTest {
        NewTest { cookie: [cookie; COOKIE], from: from(last), here: HERE.parse().unwrap(), control }
    }

    /// A control connection, as the registry and as its client have it.
    fn control() -> (Option<TcpStream>, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let there = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        (Some(listener.accept().unwrap().0), there)
    }

    /// Bug: clients that had said a cookie, or claimed all streams, and did not go on
    /// kept all others out.
    #[test]
    fn a_test_that_does_not_go_on_gives_way_and_one_that_runs_does_not() {
        use std::io::Read;
        let registry =
            TestRegistry::new(ServerLimits { streams: 4, memory_bytes: 100, ..ServerLimits::default() });
        let mut ends: Vec<_> = (0..5).map(|_| control()).collect();
        let mut enter = |cookie: u8, last: u8| {
            let control = ends[usize::from(cookie)].0.take();
            registry.enter(connection(cookie, last, control), 2)
        };
        let mut runs = enter(0, 1).unwrap();
        assert!(runs.claim(1, 10) && runs.open(false, 1, Instant::now()) && runs.close());
        let mut idle = enter(1, 2).unwrap();
        assert!(idle.claim(3, 10));
        let mut new = enter(2, 3).unwrap();
        assert!(!registry.knows(&[1; COOKIE]) && registry.knows(&[0; COOKIE]));
        // What it had claimed is free, and it claims and opens nothing any more.
        assert!(new.claim(3, 90) && !idle.claim(1, 1) && !idle.open(false, 1, Instant::now()));
        assert!(!idle.close());
        // Its thread is not gone: that has a bound as well.
        let last = enter(3, 3).unwrap();
        assert_eq!(enter(4, 3).unwrap_err(), Rejection::Busy);
        drop((idle, new, last));
        assert!(registry.knows(&[0; COOKIE]) && !registry.knows(&[3; COOKIE]));
        assert!(enter(4, 3).unwrap().claim(3, 90));
        assert_eq!(ends[1].1.read(&mut [0]).unwrap(), 0, "its connection was ended");
    }

    #[test]
    fn all_tests_together_have_a_bound_and_what_ends_gives_back() {
        let registry =
            TestRegistry::new(ServerLimits { streams: 4, memory_bytes: 100, ..ServerLimits::default() });
        let mut one = enter(&registry, 1, 1).unwrap();
        assert_eq!(enter(&registry, 1, 1).unwrap_err(), Rejection::Known);
        let mut two = enter(&registry, 2, 1).unwrap();
        let three = enter(&registry, 3, 1).unwrap();
        assert_eq!(enter(&registry, 4, 1).unwrap_err(), Rejection::Busy);
        assert!(one.claim(3, 10));
        assert!(!two.claim(2, 10) && !two.claim(1, 91));
        drop((one, three));
        assert!(two.claim(4, 100));
    }

    #[test]
    fn a_stream_reaches_the_test_that_waits_for_it() {
        let registry = TestRegistry::new(ServerLimits::default());
        let place = enter(&registry, 1, 1).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let stream = || TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        assert!(registry.deliver(&[1; COOKIE], 0, stream()).is_some());
        assert!(place.open(false, 1, Instant::now()));
        assert!(registry.deliver(&[2; COOKIE], 1, stream()).is_some());
        assert!(registry.deliver(&[1; COOKIE], 2, stream()).is_none());
        assert!(registry.deliver(&[1; COOKIE], 3, stream()).is_some());
        assert_eq!(place.came.try_recv().unwrap().order, 2);
    }

    #[test]
    fn tests_of_one_address_wait_for_udp_streams_one_after_the_other() {
        let registry = TestRegistry::new(ServerLimits::default());
        let one = enter(&registry, 1, 1).unwrap();
        let two = enter(&registry, 2, 1).unwrap();
        let other = enter(&registry, 3, 2).unwrap();
        let soon = || Instant::now() + Duration::from_millis(10);
        assert!(one.open(true, 1, soon()));
        assert!(!two.open(true, 1, soon()));
        assert!(other.open(true, 1, soon()));
        assert_eq!(registry.awaits_udp(from(1)), Some(HERE.parse().unwrap()));
        assert_eq!(registry.awaits_udp(from(9)), None);
        registry.deliver_udp(from(1), 0, UdpSocket::bind("127.0.0.1:0").unwrap());
        assert!(one.came.try_recv().is_ok());
        one.close();
        assert!(two.open(true, 1, soon()));
    }
}
