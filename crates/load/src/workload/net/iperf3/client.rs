//! The near end of `net.stream` before a stock server of iperf3: how its workers
//! get their streams, and how they end.

use std::net::{SocketAddr, TcpStream, UdpSocket};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use engine::drive::WorkerContext;
use engine::fault::Fault;
use model::message::RendezvousAddress;
use rustix::io::Errno;

use crate::workload::net::hello::{self, PATIENCE};
use crate::workload::net::iperf3::{greet_tcp, greet_udp};
use crate::workload::net::socket::{self, SocketOptions};

/// How long a near end waits for the server to close a stream.
const END_PATIENCE: Duration = Duration::from_secs(3);

/// How the workers of the near end reach a stock server. It knows its streams
/// only by the order in which they come (where data goes both ways, those on
/// which the client sends come first), so one connects after the other.
#[derive(Debug)]
pub(in crate::workload::net) struct Iperf3Client {
    rendezvous: RendezvousAddress,
    next: Mutex<usize>,
    moved: Condvar,
}

impl Iperf3Client {
    pub(in crate::workload::net) fn new(rendezvous: RendezvousAddress) -> Self {
        Self { rendezvous, next: Mutex::new(0), moved: Condvar::new() }
    }

    /// Acts when those with lower numbers have.
    fn in_turn<T>(&self, worker: usize, act: impl FnOnce() -> Result<T, Fault>) -> Result<T, Fault> {
        let next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.moved.wait_timeout_while(next, PATIENCE, |next| *next < worker);
        let (mut next, patience) = waited.unwrap_or_else(PoisonError::into_inner);
        if patience.timed_out() {
            return Err(Fault::Other(
                "the streams before this one did not reach the iperf3 server".to_owned(),
            ));
        }
        let done = act();
        *next = (*next).max(worker + 1);
        self.moved.notify_all();
        done
    }

    /// The TCP stream of worker `worker`.
    pub(in crate::workload::net) fn tcp(
        &self,
        worker: usize,
        options: &SocketOptions,
    ) -> Result<TcpStream, Fault> {
        self.in_turn(worker, || {
            let to = SocketAddr::new(self.rendezvous.address, self.rendezvous.tcp);
            let stream = hello::connect(to, options, Instant::now() + PATIENCE)?;
            options.apply(&stream)?;
            greet_tcp(&stream, &self.rendezvous.cookie)?;
            Ok(stream)
        })
    }

    /// The UDP stream of worker `worker`.
    pub(in crate::workload::net) fn udp(
        &self,
        worker: usize,
        options: &SocketOptions,
    ) -> Result<UdpSocket, Fault> {
        self.in_turn(worker, || {
            let to = SocketAddr::new(self.rendezvous.address, self.rendezvous.udp);
            let socket = hello::bound(self.rendezvous.address, options)?;
            socket
                .connect(to)
                .map_err(|e| Fault::system(format!("reaching the iperf3 server at {to}"), e))?;
            greet_udp(&socket, PATIENCE)?;
            socket::patience(&socket)?;
            Ok(socket)
        })
    }
}

/// Takes what still comes until the server closes the stream, which it does when
/// it is told over the control connection that the test is over; one that closed
/// it before would lose a test that a slow machine still counts.
pub(in crate::workload::net) fn await_end(stream: &TcpStream, life: &WorkerContext<'_>) -> Result<(), Fault> {
    let until = Instant::now() + END_PATIENCE;
    let mut room = vec![0; 1 << 16];
    while Instant::now() < until {
        match rustix::io::read(stream, &mut room[..]) {
            Ok(got) if got > 0 => {}
            Err(Errno::AGAIN | Errno::INTR) => {}
            // Closed, or reset because something of ours was still unread.
            _ => return Ok(()),
        }
        life.beat()?;
    }
    Ok(())
}
