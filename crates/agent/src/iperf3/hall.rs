//! Who is being served: by its cookie, which test a new stream belongs to, and
//! how much all tests together may use.
//!
//! A UDP stream's greeting has no cookie, only an address. So of tests from one
//! address, one at a time waits for such streams; the others get their turn when
//! it has them.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr, TcpStream, UdpSocket};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use load::workload::net::iperf3::COOKIE;

use crate::iperf3::server::Caps;

pub(crate) type Cookie = [u8; COOKIE];

/// A stream that came in.
#[derive(Debug)]
pub(crate) struct Came {
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
pub(crate) enum Turned {
    /// As many are served as may be.
    Busy,
    /// One with the same cookie is being served.
    Known,
}

/// All tests.
#[derive(Debug)]
pub(crate) struct Hall {
    caps: Caps,
    inner: Mutex<Inner>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Inner {
    tests: HashMap<Cookie, Slot>,
    streams: u64,
    memory: u64,
}

#[derive(Debug)]
struct Slot {
    /// The address of its control connection at the client, and here.
    from: IpAddr,
    here: SocketAddr,
    udp: bool,
    /// How many streams it still waits for.
    wants: u64,
    send: Sender<Came>,
}

/// The place of one test; gives back what it holds.
#[derive(Debug)]
pub(crate) struct Place<'a> {
    hall: &'a Hall,
    cookie: Cookie,
    streams: u64,
    memory: u64,
    pub(crate) came: Receiver<Came>,
}

impl Hall {
    pub(crate) fn new(caps: Caps) -> Self {
        Self { caps, inner: Mutex::default(), changed: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives a new test its place.
    pub(crate) fn enter(
        &self,
        cookie: Cookie,
        from: IpAddr,
        here: SocketAddr,
        most: usize,
    ) -> Result<Place<'_>, Turned> {
        let mut inner = self.lock();
        if inner.tests.contains_key(&cookie) {
            return Err(Turned::Known);
        }
        if inner.tests.len() >= most {
            return Err(Turned::Busy);
        }
        let (send, came) = channel();
        inner.tests.insert(cookie, Slot { from, here, udp: false, wants: 0, send });
        Ok(Place { hall: self, cookie, streams: 0, memory: 0, came })
    }

    /// Whether a test with that cookie is being served.
    pub(crate) fn knows(&self, cookie: &Cookie) -> bool {
        self.lock().tests.contains_key(cookie)
    }

    /// Hands a TCP stream to its test; gives it back if that waits for none.
    pub(crate) fn deliver(&self, cookie: &Cookie, order: u64, stream: TcpStream) -> Option<TcpStream> {
        let mut inner = self.lock();
        match inner.tests.get_mut(cookie) {
            Some(slot) if slot.wants > 0 && !slot.udp => {
                slot.wants -= 1;
                // A test that has just ended does not want it any more.
                let _ = slot.send.send(Came { order, socket: Socket::Tcp(stream) });
                None
            }
            _ => Some(stream),
        }
    }

    /// The address here that a client at `from` talks to, if a test of it waits
    /// for UDP streams.
    pub(crate) fn awaits_udp(&self, from: IpAddr) -> Option<SocketAddr> {
        let inner = self.lock();
        inner.tests.values().find(|s| s.udp && s.wants > 0 && s.from == from).map(|s| s.here)
    }

    /// Hands a UDP stream to the test that waits for it.
    pub(crate) fn deliver_udp(&self, from: IpAddr, order: u64, socket: UdpSocket) {
        let mut inner = self.lock();
        if let Some(slot) = inner.tests.values_mut().find(|s| s.udp && s.wants > 0 && s.from == from) {
            slot.wants -= 1;
            let _ = slot.send.send(Came { order, socket: Socket::Udp(socket) });
        }
    }
}

impl Place<'_> {
    /// Takes what a test needs of what all may use together; `false` if there is
    /// not so much left.
    pub(crate) fn claim(&mut self, streams: u64, memory: u64) -> bool {
        let mut inner = self.hall.lock();
        let caps = &self.hall.caps;
        if inner.streams + streams > caps.streams || inner.memory + memory > caps.memory_bytes {
            return false;
        }
        inner.streams += streams;
        inner.memory += memory;
        (self.streams, self.memory) = (streams, memory);
        true
    }

    /// From now on, streams of this test are taken; `false` if its turn did not
    /// come before `until`.
    pub(crate) fn open(&self, udp: bool, streams: u64, until: Instant) -> bool {
        let mut inner = self.hall.lock();
        loop {
            let Some(from) = inner.tests.get(&self.cookie).map(|s| s.from) else { return false };
            let is_free = !udp || !inner.tests.values().any(|s| s.udp && s.wants > 0 && s.from == from);
            if is_free {
                if let Some(slot) = inner.tests.get_mut(&self.cookie) {
                    (slot.udp, slot.wants) = (udp, streams);
                }
                return true;
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            let waited = self.hall.changed.wait_timeout(inner, left);
            inner = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Its streams are there.
    pub(crate) fn close(&self) {
        if let Some(slot) = self.hall.lock().tests.get_mut(&self.cookie) {
            slot.wants = 0;
        }
        self.hall.changed.notify_all();
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut inner = self.hall.lock();
        inner.tests.remove(&self.cookie);
        inner.streams -= self.streams;
        inner.memory -= self.memory;
        drop(inner);
        self.hall.changed.notify_all();
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

    fn enter(hall: &Hall, cookie: u8, last: u8) -> Result<Place<'_>, Turned> {
        hall.enter([cookie; COOKIE], from(last), HERE.parse().unwrap(), 3)
    }

    #[test]
    fn all_tests_together_have_a_bound_and_what_ends_gives_back() {
        let hall = Hall::new(Caps { streams: 4, memory_bytes: 100, ..Caps::default() });
        let mut one = enter(&hall, 1, 1).unwrap();
        assert_eq!(enter(&hall, 1, 1).unwrap_err(), Turned::Known);
        let mut two = enter(&hall, 2, 1).unwrap();
        let three = enter(&hall, 3, 1).unwrap();
        assert_eq!(enter(&hall, 4, 1).unwrap_err(), Turned::Busy);
        assert!(one.claim(3, 10));
        assert!(!two.claim(2, 10) && !two.claim(1, 91));
        drop((one, three));
        assert!(two.claim(4, 100));
    }

    #[test]
    fn a_stream_reaches_the_test_that_waits_for_it() {
        let hall = Hall::new(Caps::default());
        let place = enter(&hall, 1, 1).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let stream = || TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        assert!(hall.deliver(&[1; COOKIE], 0, stream()).is_some());
        assert!(place.open(false, 1, Instant::now()));
        assert!(hall.deliver(&[2; COOKIE], 1, stream()).is_some());
        assert!(hall.deliver(&[1; COOKIE], 2, stream()).is_none());
        assert!(hall.deliver(&[1; COOKIE], 3, stream()).is_some());
        assert_eq!(place.came.try_recv().unwrap().order, 2);
    }

    #[test]
    fn tests_of_one_address_wait_for_udp_streams_one_after_the_other() {
        let hall = Hall::new(Caps::default());
        let one = enter(&hall, 1, 1).unwrap();
        let two = enter(&hall, 2, 1).unwrap();
        let other = enter(&hall, 3, 2).unwrap();
        let soon = || Instant::now() + Duration::from_millis(10);
        assert!(one.open(true, 1, soon()));
        assert!(!two.open(true, 1, soon()));
        assert!(other.open(true, 1, soon()));
        assert_eq!(hall.awaits_udp(from(1)), Some(HERE.parse().unwrap()));
        assert_eq!(hall.awaits_udp(from(9)), None);
        hall.deliver_udp(from(1), 0, UdpSocket::bind("127.0.0.1:0").unwrap());
        assert!(one.came.try_recv().is_ok());
        one.close();
        assert!(two.open(true, 1, soon()));
    }
}
