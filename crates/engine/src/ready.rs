//! Which of many sockets can go on: what lets one thread serve them all (epoll(7),
//! edge-triggered).
//!
//! A socket that can go on stays in the set's queue until a call on it would wait; then the
//! kernel says when it can again. It is asked once each round, so that those that come back
//! do not wait for the others to run dry; a thread whose sockets all have something to do
//! asks nothing.

use std::collections::VecDeque;
use std::os::fd::{AsFd, OwnedFd};

use rustix::buffer::spare_capacity;
use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

use crate::clock;

/// What epoll_wait(2) counts time in, ns.
const EPOLL_STEP_NS: u64 = 1_000_000;

/// What an epoll instance tells within `wait_ns`, in place of what `events` had: as much as it has room for, and
/// nothing if the time is over or a signal came.
///
/// epoll_wait(2) takes whole milliseconds, to which a time is rounded up: what is due before would begin late.
/// ppoll(2) waits for any other time. epoll_pwait2(2) takes nanoseconds, but needs Linux 5.11.
///
/// # Errors
/// If the kernel refuses to wait.
#[inline]
pub fn wait(epoll: &OwnedFd, events: &mut Vec<Event>, mut wait_ns: u64) -> Result<(), Errno> {
    events.clear();
    if !wait_ns.is_multiple_of(EPOLL_STEP_NS) {
        let mut fds = [PollFd::new(epoll, PollFlags::IN)];
        match poll(&mut fds, Some(&clock::timespec(wait_ns))) {
            Ok(0) | Err(Errno::INTR) => return Ok(()),
            Ok(_) => wait_ns = 0,
            Err(e) => return Err(e),
        }
    }
    match epoll::wait(epoll, spare_capacity(events), Some(&clock::timespec(wait_ns))) {
        Ok(_) | Err(Errno::INTR) => Ok(()),
        Err(e) => Err(e),
    }
}

/// What a socket is to be ready for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interest {
    /// For reading.
    Read,
    /// For writing.
    Write,
}

/// Sockets, numbered from 0 as they were put in, and those of them that can go on.
pub struct ReadySet {
    epoll: OwnedFd,
    events: Vec<Event>,
    ready: VecDeque<usize>,
    members: Vec<Member>,
    /// Sockets that are still handed out before the kernel is asked again.
    round: usize,
}

/// What is known of a socket.
#[derive(Clone, Copy, Debug, Default)]
struct Member {
    /// Whether it is in the queue.
    queued: bool,
    /// Whether the other end has said that no more comes, or the connection broke: nothing
    /// that the kernel would tell of comes after that.
    over: bool,
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
        Ok(Self { epoll, events, ready, members: Vec::with_capacity(sockets), round: 0 })
    }

    /// Puts a socket in, as one that can go on: the first call on it tells.
    ///
    /// # Errors
    /// If the kernel does not take it.
    pub fn add(&mut self, socket: impl AsFd, interest: Interest) -> Result<(), Errno> {
        let wanted = match interest {
            Interest::Read => EventFlags::IN | EventFlags::RDHUP,
            Interest::Write => EventFlags::OUT,
        };
        let number = self.members.len();
        let data = EventData::new_u64(number as u64);
        epoll::add(&self.epoll, socket, data, wanted | EventFlags::ET)?;
        self.members.push(Member::default());
        self.keep(number);
        Ok(())
    }

    /// Takes out the next socket that can go on, waiting at most `wait_ns` for one. The caller
    /// makes its call and gives it back: with [`ReadySet::keep`] if the next call would not wait,
    /// else with [`ReadySet::rest`]; or not at all, if there is nothing more to do on it.
    ///
    /// # Errors
    /// If the kernel refuses to wait.
    #[inline]
    pub fn next(&mut self, wait_ns: u64) -> Result<Option<usize>, Errno> {
        if self.round == 0 && self.ready.len() < self.members.len() {
            self.ask(if self.ready.is_empty() { wait_ns } else { 0 })?;
        }
        let Some(number) = self.ready.pop_front() else { return Ok(None) };
        self.round = if self.round == 0 { self.ready.len() } else { self.round - 1 };
        self.members[number].queued = false;
        Ok(Some(number))
    }

    /// A socket that can still go on, after all others that can.
    #[inline]
    pub fn keep(&mut self, number: usize) {
        let member = &mut self.members[number];
        if !member.queued {
            member.queued = true;
            self.ready.push_back(number);
        }
    }

    /// A socket on which a call would wait now, or may: the kernel says when it would not. One
    /// whose connection is over stays, for the end of it is to be seen by a call.
    #[inline]
    pub fn rest(&mut self, number: usize) {
        if self.members[number].over {
            self.keep(number);
        }
    }

    /// All of them can go on, as far as is known.
    pub fn wake_all(&mut self) {
        (0..self.members.len()).for_each(|number| self.keep(number));
    }

    fn ask(&mut self, wait_ns: u64) -> Result<(), Errno> {
        wait(&self.epoll, &mut self.events, wait_ns)?;
        // One that broke has HUP, too (tcp_poll of net/ipv4/tcp.c); ERR alone is a notification.
        let over = EventFlags::RDHUP | EventFlags::HUP;
        for place in 0..self.events.len() {
            let Event { flags, data, .. } = self.events[place];
            let number = data.u64() as usize;
            self.members[number].over |= flags.intersects(over);
            self.keep(number);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};

    use super::*;

    /// Connections, the near ends of which do not wait.
    fn connected<const COUNT: usize>() -> [(TcpStream, TcpStream); COUNT] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        std::array::from_fn(|_| {
            let near = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
            let (far, _) = listener.accept().unwrap();
            near.set_nonblocking(true).unwrap();
            (near, far)
        })
    }

    fn set<'a>(ends: impl Iterator<Item = &'a TcpStream>, interest: Interest) -> ReadySet {
        let mut set = ReadySet::new(3).unwrap();
        ends.for_each(|end| set.add(end, interest).unwrap());
        set
    }

    #[test]
    fn all_begin_ready_take_turns_and_come_back_when_something_came() {
        let [(mut a, _far_a), (mut b, mut far_b), (mut c, far_c)] = connected();
        let mut set = set([&a, &b, &c].into_iter(), Interest::Read);
        let turns: Vec<usize> = (0..6)
            .map(|_| {
                let number = set.next(0).unwrap().unwrap();
                set.keep(number);
                number
            })
            .collect();
        assert_eq!(turns, [0, 1, 2, 0, 1, 2]);
        // None has anything.
        let ends = [&mut a, &mut b, &mut c];
        while let Some(number) = set.next(0).unwrap() {
            assert!(ends[number].read(&mut [0; 8]).is_err());
            set.rest(number);
        }
        assert_eq!(set.next(1_000_000).unwrap(), None);
        far_b.write_all(b"x").unwrap();
        assert_eq!(set.next(1_000_000_000).unwrap(), Some(1));
        assert_eq!(b.read(&mut [0; 8]).unwrap(), 1);
        set.rest(1);
        assert_eq!(set.next(0).unwrap(), None);
        // An end that goes away is something, too, until it was seen.
        drop(far_c);
        for _ in 0..3 {
            assert_eq!(set.next(1_000_000_000).unwrap(), Some(2));
            set.rest(2);
        }
        assert_eq!(c.read(&mut [0; 8]).unwrap(), 0);
    }

    /// Whole milliseconds go to epoll_wait(2), other times to ppoll(2) first.
    #[test]
    fn what_there_is_comes_whatever_the_time_is_given_in() {
        let [(near, mut far)] = connected();
        let epoll = epoll::create(CreateFlags::CLOEXEC).unwrap();
        epoll::add(&epoll, &near, EventData::new_u64(7), EventFlags::IN).unwrap();
        let mut events = Vec::with_capacity(4);
        let mut told = |wait_ns| {
            wait(&epoll, &mut events, wait_ns).unwrap();
            events.iter().map(|event| event.data.u64()).collect::<Vec<_>>()
        };
        let (short, long) = ([0, 1, 1_000_000, 1_000_001], [0, 1, 10_000_000_000, 10_000_000_001]);
        assert_eq!(short.map(&mut told), [[0_u64; 0]; 4]);
        far.write_all(b"x").unwrap();
        assert_eq!(long.map(&mut told), [[7_u64]; 4]);
    }

    /// One that always has something to do does not keep others from coming back.
    #[test]
    fn who_comes_back_waits_for_a_round_only() {
        let [(a, _far_a), (b, mut far_b), (c, _far_c)] = connected();
        let mut set = set([&a, &b, &c].into_iter(), Interest::Read);
        for number in 0..3 {
            assert_eq!(set.next(0).unwrap(), Some(number));
            if number != 1 {
                set.keep(number);
            }
        }
        far_b.write_all(b"x").unwrap();
        let came = (0..8).position(|_| {
            let number = set.next(1_000_000).unwrap().unwrap();
            set.keep(number);
            number == 1
        });
        assert!(came.is_some_and(|came| came <= 4), "{came:?}");
    }

    #[test]
    fn a_full_socket_can_go_on_once_it_was_emptied() {
        let [(mut near, mut far)] = connected();
        let mut set = set([&near].into_iter(), Interest::Write);
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
