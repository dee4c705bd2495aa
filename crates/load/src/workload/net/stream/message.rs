//! Sending without copying, with `MSG_ZEROCOPY`
//! (Documentation/networking/msg_zerocopy.rst of the kernel).
//!
//! The kernel reads the pages later, and says in the socket's error queue when it needs them no
//! more. What is sent here never changes, so nothing waits for that; the queue is emptied, because
//! what lies in it counts against the socket.

use std::mem::MaybeUninit;
use std::net::TcpStream;
use std::os::fd::{AsFd, AsRawFd};

use engine::clock;
use engine::fault::Fault;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::net::SendFlags;

use crate::workload::memory::buffer::Buffer;
use crate::workload::net::stream::source::Told;

/// A notification's origin (`SO_EE_ORIGIN_ZEROCOPY` of include/uapi/linux/errqueue.h).
const ORIGIN: u8 = 5;

/// The flag of calls whose bytes were copied after all (`SO_EE_CODE_ZEROCOPY_COPIED`, there).
const COPIED: u8 = 1;

/// Calls after which the error queue is emptied. The kernel puts notifications of calls that follow
/// each other together, so that there are fewer than calls.
const CALLS: u32 = 32;

/// What lies in memory of this process, and is sent from there.
#[derive(Debug)]
pub(in crate::workload::net) struct Message {
    buffer: Buffer,
    /// Since the error queue was emptied.
    calls: u32,
    /// Calls that took bytes.
    sent: u64,
    told: Told,
}

impl Message {
    /// Sends what lies in `buffer` over `stream`.
    pub(super) fn new(stream: &TcpStream, buffer: Buffer) -> Result<Self, Fault> {
        let yes: libc::c_int = 1;
        // SAFETY: the kernel reads one int, the size given, at the address of `yes`.
        let result = unsafe {
            libc::setsockopt(
                stream.as_raw_fd(),
                libc::SOL_SOCKET,
                libc::SO_ZEROCOPY,
                (&raw const yes).cast(),
                size_of::<libc::c_int>() as libc::socklen_t,
            )
        };
        if result != 0 {
            let error = std::io::Error::last_os_error();
            return Err(Fault::system("having the socket send without copying (SO_ZEROCOPY)", error));
        }
        Ok(Self { buffer, calls: 0, sent: 0, told: Told::default() })
    }

    /// Hands up to `bytes` bytes to the socket; as many as it took.
    #[inline]
    pub(super) fn send(&mut self, stream: &TcpStream, bytes: usize) -> rustix::io::Result<usize> {
        let flags = SendFlags::NOSIGNAL | SendFlags::from_bits_retain(libc::MSG_ZEROCOPY as u32);
        let sent = rustix::net::send(stream, &self.buffer.as_mut_slice()[..bytes], flags);
        self.calls += 1;
        if sent == Err(Errno::NOBUFS) {
            return self.without_room(stream, bytes);
        }
        if sent.is_ok() {
            self.sent += 1;
        }
        if self.calls >= CALLS || sent.is_err() {
            self.calls = 0;
            self.hear(stream);
        }
        sent
    }

    /// The socket may have no more notifications outstanding (`net.core.optmem_max`), or this user no
    /// more pages (`RLIMIT_MEMLOCK`): waits a moment for one to come. Where none is outstanding nothing
    /// would come, and the call is copied.
    #[cold]
    fn without_room(&mut self, stream: &TcpStream, bytes: usize) -> rustix::io::Result<usize> {
        const MOMENT_NS: u64 = 10_000_000;
        self.hear(stream);
        if self.told.calls < self.sent {
            // Errors are told without being asked for.
            let mut polled = [PollFd::from_borrowed_fd(stream.as_fd(), PollFlags::empty())];
            let _ = poll(&mut polled, Some(&clock::timespec(MOMENT_NS)));
            self.hear(stream);
            return Err(Errno::AGAIN);
        }
        let sent = rustix::net::send(stream, &self.buffer.as_mut_slice()[..bytes], SendFlags::NOSIGNAL)?;
        self.sent += 1;
        self.told.calls += 1;
        self.told.copied += 1;
        Ok(sent)
    }

    /// Empties the error queue.
    fn hear(&mut self, stream: &TcpStream) {
        while let Some(told) = notification(stream) {
            self.told.calls += told.calls;
            self.told.copied += told.copied;
        }
    }

    /// What the kernel told so far.
    pub(super) fn told(&self) -> Told {
        self.told
    }
}

/// Room for a control message, aligned as one.
#[repr(C, align(8))]
struct Room([MaybeUninit<u8>; 256]);

/// The next notification of a socket's error queue, if there is one.
fn notification(stream: &TcpStream) -> Option<Told> {
    let mut room = Room([MaybeUninit::uninit(); 256]);
    // SAFETY: all-zero bytes are a message header without name, data and control.
    let mut header: libc::msghdr = unsafe { std::mem::zeroed() };
    header.msg_control = (&raw mut room).cast();
    header.msg_controllen = size_of::<Room>() as _;
    // SAFETY: the kernel writes at most `msg_controllen` bytes, the size of `room`, at its address,
    // and nothing else, for there is no other room.
    let got = unsafe {
        libc::recvmsg(stream.as_raw_fd(), &raw mut header, libc::MSG_ERRQUEUE | libc::MSG_DONTWAIT)
    };
    if got < 0 {
        return None;
    }
    let mut told = Told::default();
    // SAFETY: `header` is as the kernel filled it in, and `room` lives.
    let mut message = unsafe { libc::CMSG_FIRSTHDR(&raw const header) };
    while !message.is_null() {
        // SAFETY: the macros give pointers to whole headers in `room` only.
        let kind = unsafe { ((*message).cmsg_level, (*message).cmsg_type, (*message).cmsg_len) };
        let least = size_of::<libc::sock_extended_err>() + size_of::<libc::cmsghdr>();
        let is_error =
            matches!(kind, (libc::SOL_IP, libc::IP_RECVERR, _) | (libc::SOL_IPV6, libc::IPV6_RECVERR, _));
        if is_error && kind.2 as usize >= least {
            // SAFETY: the message is long enough for one, and any bytes are one.
            let error: libc::sock_extended_err =
                unsafe { libc::CMSG_DATA(message).cast::<libc::sock_extended_err>().read_unaligned() };
            told = of(&error);
        }
        // SAFETY: `message` came from the same header.
        message = unsafe { libc::CMSG_NXTHDR(&raw const header, message) };
    }
    Some(told)
}

/// What a notification tells: of the calls from `ee_info` to `ee_data`, which are counted on for
/// ever in 32 bits.
fn of(error: &libc::sock_extended_err) -> Told {
    if error.ee_origin != ORIGIN {
        return Told::default();
    }
    let calls = u64::from(error.ee_data.wrapping_sub(error.ee_info)) + 1;
    Told { calls, copied: if error.ee_code & COPIED != 0 { calls } else { 0 } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notification_tells_of_a_range_of_calls() {
        let told = |ee_origin, ee_code, ee_info, ee_data| {
            of(&libc::sock_extended_err {
                ee_errno: 0,
                ee_origin,
                ee_type: 0,
                ee_code,
                ee_pad: 0,
                ee_info,
                ee_data,
            })
        };
        assert_eq!(told(ORIGIN, COPIED, 3, 3), Told { calls: 1, copied: 1 });
        assert_eq!(told(ORIGIN, 0, 0, 9), Told { calls: 10, copied: 0 });
        assert_eq!(told(ORIGIN, 0, u32::MAX, 1), Told { calls: 3, copied: 0 });
        // An ICMP error of the path.
        assert_eq!(told(2, COPIED, 0, 9), Told::default());
    }
}
