//! The places of connections that have not shown the key yet. There are only so
//! many, and anybody can take one by connecting. So whoever comes gets one, and
//! when all are taken another loses its own ([`crowd::gives_way`]): silent ones hold
//! nobody out, and a crowd from one network drives out only itself. Who shows the
//! key is a stranger no more, and its place is free.

use std::net::{IpAddr, Shutdown, TcpStream};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use engine::lock;
use load::workload::net::crowd;

/// One that lost its place is gone in a moment, for its connection is shut down. So
/// long a new connection waits for that where many are on their way out.
const GOING: Duration = Duration::from_millis(100);

/// That one lost its place is told so often at most: thousands may in a second.
const TELL_EVERY: Duration = Duration::from_secs(10);

/// Those that hold places.
pub(super) struct PendingConnections {
    most: usize,
    held: Mutex<State>,
    left: Condvar,
}

#[derive(Default)]
struct State {
    /// In the order in which they came, those on their way out among them.
    all: Vec<PendingConnection>,
    number: u64,
    told: Option<Instant>,
}

struct PendingConnection {
    number: u64,
    network: IpAddr,
    tcp: TcpStream,
    /// Whether another has its place.
    goes: bool,
}

/// A stranger's place; free again when this is dropped.
pub(super) struct PendingSlot<'a> {
    strangers: &'a PendingConnections,
    number: u64,
}

impl PendingConnections {
    pub(super) fn new(most: usize) -> Self {
        Self { most, held: Mutex::default(), left: Condvar::new() }
    }

    /// A place for a connection from `from`. None where there are no descriptors,
    /// or as many on their way out as there are places.
    pub(super) fn admit(&self, tcp: &TcpStream, from: IpAddr) -> Option<PendingSlot<'_>> {
        let tcp = tcp.try_clone().ok()?;
        let are_many = |held: &mut State| held.all.len() >= 2 * self.most;
        let waited = self.left.wait_timeout_while(lock(&self.held), GOING, are_many);
        let (mut held, waited) = waited.unwrap_or_else(PoisonError::into_inner);
        if waited.timed_out() {
            return None;
        }
        held.number += 1;
        let number = held.number;
        held.all.push(PendingConnection { number, network: crowd::network(from), tcp, goes: false });
        let mut staying: Vec<&mut PendingConnection> = held.all.iter_mut().filter(|s| !s.goes).collect();
        if staying.len() > self.most {
            let networks: Vec<IpAddr> = staying.iter().map(|s| s.network).collect();
            let oldest = crowd::gives_way(&networks)?;
            staying[oldest].goes = true;
            // One that is closed already goes by itself.
            let _ = staying[oldest].tcp.shutdown(Shutdown::Both);
        }
        Some(PendingSlot { strangers: self, number })
    }

    /// Whether it is long enough ago that one was told to have lost its place.
    pub(super) fn may_tell(&self) -> bool {
        let told = &mut lock(&self.held).told;
        let may = told.is_none_or(|at| at.elapsed() >= TELL_EVERY);
        if may {
            *told = Some(Instant::now());
        }
        may
    }
}

impl PendingSlot<'_> {
    /// Whether another has it now.
    pub(super) fn is_lost(&self) -> bool {
        lock(&self.strangers.held).all.iter().any(|s| s.number == self.number && s.goes)
    }

    /// Gives the place back for good; whether it was still this one's.
    pub(super) fn leave(&self) -> bool {
        let mut held = lock(&self.strangers.held);
        let Some(at) = held.all.iter().position(|s| s.number == self.number) else { return false };
        let stayed = !held.all.remove(at).goes;
        self.strangers.left.notify_all();
        stayed
    }
}

impl Drop for PendingSlot<'_> {
    fn drop(&mut self) {
        self.leave();
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::net::TcpListener;

    use super::*;

    fn pair() -> (TcpStream, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let there = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        there.set_read_timeout(Some(Duration::from_millis(50))).unwrap();
        (listener.accept().unwrap().0, there)
    }

    #[test]
    fn a_crowd_from_one_network_drives_out_only_itself() {
        let strangers = PendingConnections::new(3);
        let ends: Vec<_> = (0..6).map(|_| pair()).collect();
        let alone = strangers.admit(&ends[0].0, IpAddr::from([10, 1, 0, 1])).unwrap();
        let crowd: Vec<_> = ends[1..]
            .iter()
            .map(|end| strangers.admit(&end.0, IpAddr::from([10, 2, 0, 1])).unwrap())
            .collect();
        assert!(!alone.is_lost(), "the oldest, and the only one of its network");
        let lost: Vec<bool> = crowd.iter().map(PendingSlot::is_lost).collect();
        assert_eq!(lost, [true, true, true, false, false]);
    }

    #[test]
    fn who_loses_its_place_is_shut_out_and_who_showed_the_key_never_is() {
        let strangers = PendingConnections::new(2);
        let mut ends: Vec<_> = (0..4).map(|_| pair()).collect();
        let from = |last: u8| IpAddr::from([10, 0, 0, last]);
        let one = strangers.admit(&ends[0].0, from(1)).unwrap();
        let two = strangers.admit(&ends[1].0, from(2)).unwrap();
        assert!(one.leave());
        let three = strangers.admit(&ends[2].0, from(2)).unwrap();
        assert!(!two.is_lost());
        let four = strangers.admit(&ends[3].0, from(3)).unwrap();
        assert!(two.is_lost() && !three.is_lost() && !four.is_lost());
        let mut read = |at: usize| ends[at].1.read(&mut [0]).map_err(|e| e.kind());
        assert_eq!(read(1), Ok(0));
        for stays in [0, 2, 3] {
            assert_eq!(read(stays), Err(std::io::ErrorKind::WouldBlock), "{stays}");
        }
        assert!(!two.leave() && three.leave() && !three.leave());
        assert!(strangers.may_tell() && !strangers.may_tell());
    }

    #[test]
    fn those_on_their_way_out_have_a_bound_too() {
        let strangers = PendingConnections::new(1);
        let ends: Vec<_> = (0..3).map(|_| pair()).collect();
        let from = IpAddr::from([10, 0, 0, 1]);
        let _one = strangers.admit(&ends[0].0, from).unwrap();
        let two = strangers.admit(&ends[1].0, from).unwrap();
        assert!(strangers.admit(&ends[2].0, from).is_none());
        drop(two);
        assert!(strangers.admit(&ends[2].0, from).is_some());
    }
}
