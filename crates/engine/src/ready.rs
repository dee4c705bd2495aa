//! Which of many sockets can go on: what lets one thread serve them all (epoll(7),
//! edge-triggered).
//!
//! A socket that can go on stays in the set's queue until a call on it would wait; only
//! then does the kernel have to say when it can again. So a thread whose sockets always
//! have something to do asks the kernel nothing, and each gets its call in turn.

use std::collections::VecDeque;
use std::os::fd::{AsFd, OwnedFd};

use rustix::buffer::spare_capacity;
use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::io::Errno;

use crate::clock;

/// What a socket is to be ready for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interest {
    /// For reading.
    Read,
    /// For writing.
    Write,
}

/// Sockets, each with a number that the caller chose, and those of them that can go on.
pub struct ReadySet {
    epoll: OwnedFd,
    events: Vec<Event>,
    ready: VecDeque<usize>,
}

impl std::fmt::Debug for ReadySet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ReadySet").field("ready", &self.ready).finish_non_exhaustive()
    }
}

impl ReadySet {
    /// One for up to `sockets` sockets.
    ///
    /// # Errors
    /// If the kernel makes none.
    pub fn new(sockets: usize) -> Result<Self, Errno> {
        let epoll = epoll::create(CreateFlags::CLOEXEC)?;
        let (events, ready) = (Vec::with_capacity(sockets.max(1)), VecDeque::with_capacity(sockets));
        Ok(Self { epoll, events, ready })
    }

    /// Puts a socket in, as one that can go on: the first call on it tells.
    ///
    /// # Errors
    /// If the kernel does not take it.
    pub fn add(&mut self, number: usize, socket: impl AsFd, interest: Interest) -> Result<(), Errno> {
        let wanted = match interest {
            Interest::Read => EventFlags::IN | EventFlags::RDHUP,
            Interest::Write => EventFlags::OUT,
        };
        let data = EventData::new_u64(number as u64);
        epoll::add(&self.epoll, socket, data, wanted | EventFlags::ET)?;
        self.ready.push_back(number);
        Ok(())
    }

    /// Takes out the next socket that can go on, waiting at most `wait_ns` for one. The caller
    /// makes its call, and puts it back with [`ReadySet::keep`] unless the call would have waited.
    ///
    /// # Errors
    /// If the kernel refuses to wait.
    #[inline]
    pub fn next(&mut self, wait_ns: u64) -> Result<Option<usize>, Errno> {
        match self.ready.pop_front() {
            None => self.wait(wait_ns),
            next => Ok(next),
        }
    }

    /// A socket that can still go on, after all others that can.
    #[inline]
    pub fn keep(&mut self, number: usize) {
        self.ready.push_back(number);
    }

    fn wait(&mut self, wait_ns: u64) -> Result<Option<usize>, Errno> {
        self.events.clear();
        match epoll::wait(&self.epoll, spare_capacity(&mut self.events), Some(&clock::timespec(wait_ns))) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(e) => return Err(e),
        }
        // One that is in the queue already has told its state since: nothing of it is there twice,
        // for the queue was empty.
        self.ready.extend(self.events.iter().map(|event| { event.data }.u64() as usize));
        Ok(self.ready.pop_front())
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};

    use super::*;

    fn pairs(count: usize) -> Vec<(TcpStream, TcpStream)> {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let pair = |_| {
            let near = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
            let (far, _) = listener.accept().unwrap();
            near.set_nonblocking(true).unwrap();
            (near, far)
        };
        (0..count).map(pair).collect()
    }

    #[test]
    fn all_begin_ready_take_turns_and_come_back_when_something_came() {
        let mut pairs = pairs(3);
        let mut set = ReadySet::new(3).unwrap();
        for (number, (near, _)) in pairs.iter().enumerate() {
            set.add(number, near, Interest::Read).unwrap();
        }
        let turns: Vec<usize> = (0..6)
            .map(|_| {
                let number = set.next(0).unwrap().unwrap();
                set.keep(number);
                number
            })
            .collect();
        assert_eq!(turns, [0, 1, 2, 0, 1, 2]);
        // None has anything.
        while let Some(number) = set.next(0).unwrap() {
            assert!(pairs[number].0.read(&mut [0; 8]).is_err());
        }
        assert_eq!(set.next(1_000_000).unwrap(), None);
        pairs[1].1.write_all(b"x").unwrap();
        assert_eq!(set.next(1_000_000_000).unwrap(), Some(1));
        assert_eq!(pairs[1].0.read(&mut [0; 8]).unwrap(), 1);
        assert_eq!(set.next(0).unwrap(), None, "it was not kept");
        // An end that goes away is something, too.
        drop(pairs.remove(2).1);
        assert_eq!(set.next(1_000_000_000).unwrap(), Some(2));
    }

    #[test]
    fn a_full_socket_can_go_on_once_it_was_emptied() {
        let mut pairs = pairs(1);
        let (near, far) = &mut pairs[0];
        let mut set = ReadySet::new(1).unwrap();
        set.add(0, &*near, Interest::Write).unwrap();
        assert_eq!(set.next(0).unwrap(), Some(0));
        let block = vec![1; 1 << 16];
        while near.write(&block).is_ok() {}
        // What the kernel said before it was full.
        while set.next(0).unwrap().is_some() {}
        assert_eq!(set.next(1_000_000).unwrap(), None);
        far.set_nonblocking(true).unwrap();
        let mut buffer = vec![0; 1 << 20];
        let began = clock::now_ns();
        let found = loop {
            let _ = far.read(&mut buffer);
            if let Some(found) = set.next(1_000_000).unwrap() {
                break found;
            }
            assert!(clock::now_ns() - began < 10_000_000_000);
        };
        assert_eq!(found, 0);
    }
}
