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

    /// Whether both ends say farewell; otherwise the other one closes the connection.
    fn has_farewell(&self) -> bool;

    /// One call on the way to the farewell, once no more time counts.
    ///
    /// # Errors
    /// If the connection is broken.
    fn part(&mut self) -> Result<Parting, Fault>;
}

/// How far a farewell is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Parting {
    /// It is said, or was heard.
    Done,
    /// The next call may not wait.
    Moves,
    /// The next call would wait.
    Waits,
}

/// Several of them.
#[derive(Debug)]
pub(super) struct Several<C> {
    all: Vec<C>,
    ready: ReadySet,
    /// Whether something moved on each since the last look.
    moved: Vec<bool>,
    look_ns: u64,
    /// Calls since the clock was read.
    calls: u32,
    finished: Option<Completion>,
}

/// Calls that do not wait are so short that the clock is read after so many.
const CALLS: u32 = 64;

const LOOK_NS: u64 = LOOK.as_nanos() as u64;

impl<C: Connection> Several<C> {
    /// Serves `all`.
    pub(super) fn new(all: Vec<C>) -> Result<Self, Fault> {
        let failed = |e| Fault::system("making an epoll instance for connections", e);
        let mut ready = ReadySet::new(all.len()).map_err(failed)?;
        for connection in &all {
            waits(connection.socket(), false)?;
            ready.add(connection.socket().as_fd(), C::INTEREST).map_err(failed)?;
        }
        let moved = vec![false; all.len()];
        Ok(Self { all, ready, moved, look_ns: clock::now_ns() + LOOK_NS, calls: 0, finished: None })
    }

    /// Tells those on which nothing moved and which are not `over`.
    #[inline]
    fn look(&mut self, over: impl Fn(usize, &C) -> bool) -> Result<(), Fault> {
        self.calls += 1;
        if self.calls < CALLS {
            return Ok(());
        }
        self.calls = 0;
        let now_ns = clock::now_ns();
        if now_ns < self.look_ns {
            return Ok(());
        }
        self.look_ns = now_ns + LOOK_NS;
        for (number, (connection, moved)) in self.all.iter_mut().zip(&mut self.moved).enumerate() {
            if !std::mem::take(moved) && !over(number, connection) {
                connection.lasts()?;
            }
        }
        Ok(())
    }

    fn next(&mut self) -> Result<Option<usize>, Fault> {
        let next = self.ready.next(LOOK_NS).map_err(|e| Fault::system("waiting for connections", e))?;
        if next.is_none() {
            // It waited.
            self.calls = CALLS;
        }
        Ok(next)
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
        if let Some(number) = self.next()?
            && let connection = &mut self.all[number]
            && !connection.ended()
        {
            let (done, goes_on) = connection.call()?;
            self.moved[number] |= done.class != UNRECORDED;
            match goes_on {
                _ if connection.ended() => {}
                true => self.ready.keep(number),
                false => self.ready.rest(number),
            }
            completion = done;
        }
        self.finished = Some(Completion { slot, ..completion });
        self.look(|_, connection| connection.ended())
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

    /// All at once: one that is not read has a window of 0 at the other end.
    fn verify(&mut self, life: &WorkerContext<'_>) -> Result<(), Fault> {
        if !self.all.iter().all(Connection::has_farewell) {
            return self.all.iter_mut().try_for_each(|connection| {
                waits(connection.socket(), true)?;
                connection.verify(life)
            });
        }
        let mut over = vec![false; self.all.len()];
        self.ready.wake_all();
        while !over.iter().all(|over| *over) {
            if let Some(number) = self.next()?.filter(|number| !over[*number]) {
                let parting = self.all[number].part()?;
                match parting {
                    Parting::Done => over[number] = true,
                    Parting::Moves => self.ready.keep(number),
                    Parting::Waits => self.ready.rest(number),
                }
                self.moved[number] |= parting != Parting::Waits;
            }
            self.look(|number, _| over[number])?;
            life.beat()?;
        }
        Ok(())
    }

    fn facts(&self) -> Vec<(FactName, Value)> {
        self.all.first().map(Queue::facts).unwrap_or_default()
    }
}
