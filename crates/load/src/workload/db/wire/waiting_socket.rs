//! How a thread that serves one connection waits for it: in the call that receives. To ask epoll first would be one call
//! more for each answer, of three.

use std::os::fd::AsFd;
use std::time::Duration;

use engine::clock;
use engine::fault::Fault;
use engine::queue::Wait;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::net::RecvFlags;
use rustix::net::sockopt::{self, Timeout};

use crate::workload::db::wire::turns::LOOK_NS;
use crate::workload::http::stream::Nothing;

/// Lets calls that receive wait: each until something comes, but not longer than [`LOOK_NS`]. Those that ask not to wait
/// do not.
///
/// # Errors
/// If the kernel refuses it.
pub(super) fn let_wait(socket: &impl AsFd) -> Result<(), Fault> {
    let failed = |e: Errno| Fault::system("letting a connection wait", e);
    rustix::io::ioctl_fionbio(socket, false).map_err(failed)?;
    let most = Some(Duration::from_nanos(LOOK_NS));
    sockopt::set_socket_timeout(socket, Timeout::Recv, most).map_err(failed)
}

/// Receives what comes; 0 if the other end said that no more does.
///
/// # Errors
/// If nothing came in time, or the connection is broken.
#[inline]
pub(super) fn receive(socket: &impl AsFd, into: &mut [u8]) -> Result<usize, Nothing> {
    match rustix::net::recv(socket, into, RecvFlags::empty()) {
        // A signal ends it as well, in calls with a limit of time (signal(7)).
        Err(Errno::AGAIN | Errno::INTR) => Err(Nothing::Yet),
        result => Ok(result?.0),
    }
}

/// Waits until something comes, or, if it `sends`, something can be sent, as long as `wait` says.
///
/// # Errors
/// If the kernel refuses to wait.
#[cold]
pub(super) fn await_ready(socket: &impl AsFd, sends: bool, wait: Wait) -> Result<(), Fault> {
    let wait_ns = match wait {
        Wait::Poll => 0,
        Wait::For(ns) => ns.min(LOOK_NS),
        Wait::One => LOOK_NS,
    };
    let wanted = if sends { PollFlags::IN | PollFlags::OUT } else { PollFlags::IN };
    match poll(&mut [PollFd::new(socket, wanted)], Some(&clock::timespec(wait_ns))) {
        Ok(_) | Err(Errno::INTR) => Ok(()),
        Err(e) => Err(Fault::system("waiting for answers", e)),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::os::unix::net::UnixStream;

    use super::*;

    #[test]
    fn a_call_waits_for_what_comes_and_not_for_ever() {
        let (mut far, near) = UnixStream::pair().unwrap();
        near.set_nonblocking(true).unwrap();
        let mut room = [0; 8];
        assert!(matches!(receive(&near, &mut room), Err(Nothing::Yet)));
        let_wait(&near).unwrap();
        // Nobody sends, and yet it returns.
        assert!(matches!(receive(&near, &mut room), Err(Nothing::Yet)));
        let sender = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(20));
            far.write_all(b"abc").unwrap();
        });
        let mut got = receive(&near, &mut room);
        // On a busy machine it may come after the limit.
        while matches!(got, Err(Nothing::Yet)) {
            got = receive(&near, &mut room);
        }
        assert!(matches!(got, Ok(3)) && room.starts_with(b"abc"), "{got:?}");
        sender.join().unwrap();
        assert!(matches!(receive(&near, &mut room), Ok(0)), "the other end is gone");
    }

    #[test]
    fn who_asks_not_to_wait_does_not() {
        let (_far, near) = UnixStream::pair().unwrap();
        let_wait(&near).unwrap();
        await_ready(&near, true, Wait::One).unwrap();
        await_ready(&near, false, Wait::Poll).unwrap();
        let nothing = rustix::net::recv(&near, &mut [0_u8; 1][..], RecvFlags::DONTWAIT);
        assert_eq!(nothing.map(|(got, _)| got), Err(Errno::AGAIN));
    }
}
