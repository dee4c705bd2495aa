//! One worker that serves several connections: each that can go on gets a call in turn, and
//! none is waited for while another can go on.

use std::net::TcpStream;
use std::os::fd::AsFd;

use engine::clock;
use engine::drive::WorkerContext;
use engine::fault::Fault;
use engine::queue::{Completion, Operation, Queue, UNRECORDED};
use engine::ready::{Interest, ReadySet};
use model::{FactName, Value};

use crate::workload::net::socket::LOOK;

/// A connection of which every call comes back at once.
pub(super) trait Connection: Queue {
    /// What it has to be ready for.
    const INTEREST: Interest;

    /// Its socket.
    fn socket(&self) -> &TcpStream;

    /// One call, and whether the next one would not wait.
    ///
    /// # Errors
    /// If the connection is broken.
    fn call(&mut self) -> Result<(Completion, bool), Fault>;

    /// Nothing moved on it for [`LOOK`].
    ///
    /// # Errors
    /// If that lasts too long.
    fn lasts(&mut self) -> Result<(), Fault>;
}

/// Several of them.
#[derive(Debug)]
pub(super) struct Several<C> {
    all: Vec<C>,
    ready: ReadySet,
    /// Whether something moved on each since the last look.
    moved: Vec<bool>,
    look_ns: u64,
    finished: Option<Completion>,
}

const LOOK_NS: u64 = LOOK.as_nanos() as u64;

impl<C: Connection> Several<C> {
    /// Serves `all`.
    pub(super) fn new(all: Vec<C>) -> Result<Self, Fault> {
        let failed = |e| Fault::system("making an epoll instance for connections", e);
        let mut ready = ReadySet::new(all.len()).map_err(failed)?;
        for (number, connection) in all.iter().enumerate() {
            waits(connection.socket(), false)?;
            ready.add(number, connection.socket().as_fd(), C::INTEREST).map_err(failed)?;
        }
        let moved = vec![false; all.len()];
        Ok(Self { all, ready, moved, look_ns: clock::now_ns() + LOOK_NS, finished: None })
    }

    /// Tells those on which nothing moved.
    #[cold]
    fn look(&mut self, now_ns: u64) -> Result<(), Fault> {
        self.look_ns = now_ns + LOOK_NS;
        for (connection, moved) in self.all.iter_mut().zip(&mut self.moved) {
            if !std::mem::take(moved) && !connection.ended() {
                connection.lasts()?;
            }
        }
        Ok(())
    }
}

/// Whether calls on `socket` wait.
fn waits(socket: &TcpStream, waits: bool) -> Result<(), Fault> {
    socket.set_nonblocking(!waits).map_err(|e| Fault::system("setting whether calls wait", e))
}

impl<C: Connection> Queue for Several<C> {
    #[inline]
    fn start(&mut self, slot: usize, _operation: Operation) -> Result<(), Fault> {
        let mut completion = Completion { class: UNRECORDED, ..Completion::default() };
        let next = self.ready.next(LOOK_NS).map_err(|e| Fault::system("waiting for connections", e))?;
        if let Some(number) = next {
            let connection = &mut self.all[number];
            let (done, goes_on) = connection.call()?;
            self.moved[number] |= done.class != UNRECORDED;
            if goes_on && !connection.ended() {
                self.ready.keep(number);
            }
            completion = done;
        }
        self.finished = Some(Completion { slot, ..completion });
        let now_ns = clock::now_ns();
        if now_ns >= self.look_ns { self.look(now_ns) } else { Ok(()) }
    }

    #[inline]
    fn finished(&mut self) -> Option<Completion> {
        self.finished.take()
    }

    #[inline]
    fn ended(&self) -> bool {
        self.all.iter().all(Queue::ended)
    }

    fn settle(&mut self) -> Result<bool, Fault> {
        self.all.iter_mut().try_fold(false, |any, connection| Ok(connection.settle()? || any))
    }

    /// In the order in which the other end has them: it says and awaits farewells likewise.
    fn verify(&mut self, life: &WorkerContext<'_>) -> Result<(), Fault> {
        for connection in &mut self.all {
            waits(connection.socket(), true)?;
            connection.verify(life)?;
        }
        Ok(())
    }

    fn facts(&self) -> Vec<(FactName, Value)> {
        self.all.first().map(Queue::facts).unwrap_or_default()
    }
}
