//! What a data connection says first, and how the near end gets one.
//!
//! A hello is the cookie of the trial, the load and the number of the worker that
//! it is for. The worker of the far end answers with one byte, so that a near
//! worker that has its answer knows that its partner is ready. Over UDP the rendezvous address
//! first tells the port of a socket that is for this worker alone, and a word; a hello
//! with that word in the cookie's place then goes there, again and again until it is
//! answered, because any of these datagrams may be lost. The word proves that who
//! says hello receives at the address that it says it from.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream, UdpSocket};
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use engine::clock;
use engine::fault::Fault;
use model::message::RendezvousAddress;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketFlags, SocketType, ipproto};

use crate::workload::net::ports;
use crate::workload::net::socket::{self, SocketOptions};

pub(super) const COOKIE: usize = 16;

/// Bytes of a hello: the cookie, the load and the worker, both as `u16` in network
/// order.
pub(super) const HELLO: usize = COOKIE + 4;

/// What answers a hello.
pub(super) const WELCOME: u8 = 1;

/// Bytes of what the rendezvous address answers over UDP: [`WELCOME`], the port in network order
/// and the word. Fewer than the hello has, so that an address that another one uses
/// as its own is sent no more than that one sent.
const SEATED: usize = 3 + COOKIE;

/// How long the near end tries to be let in.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// How often a datagram that nobody answered is sent again.
const AGAIN: Duration = Duration::from_millis(100);

/// Which worker a connection is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct WorkerSlot {
    /// The load, among those of the trial that have two ends.
    pub(super) load: u16,
    pub(super) worker: u16,
}

/// A hello as it goes over the wire.
pub(super) fn written(cookie: &[u8; COOKIE], place: WorkerSlot) -> [u8; HELLO] {
    let mut hello = [0; HELLO];
    hello[..COOKIE].copy_from_slice(cookie);
    hello[COOKIE..COOKIE + 2].copy_from_slice(&place.load.to_be_bytes());
    hello[COOKIE + 2..].copy_from_slice(&place.worker.to_be_bytes());
    hello
}

/// What answers a hello over UDP: as long, so that no datagram of a load is taken
/// for it.
pub(super) fn welcome(hello: &[u8; HELLO]) -> [u8; HELLO] {
    hello.map(|byte| !byte)
}

/// What the rendezvous address answers a hello over UDP.
pub(super) fn seated(port: u16, word: &[u8; COOKIE]) -> [u8; SEATED] {
    let mut answer = [WELCOME; SEATED];
    answer[1..3].copy_from_slice(&port.to_be_bytes());
    answer[3..].copy_from_slice(word);
    answer
}

/// The reverse.
fn seat_of(answer: &[u8]) -> Option<(u16, [u8; COOKIE])> {
    let answer: &[u8; SEATED] = answer.try_into().ok()?;
    let [WELCOME, high, low, word @ ..] = answer else { return None };
    Some((u16::from_be_bytes([*high, *low]), *word))
}

/// Who a hello is for; `None` if its cookie is another.
pub(super) fn read(cookie: &[u8; COOKIE], hello: &[u8; HELLO]) -> Option<WorkerSlot> {
    let number = |at: usize| u16::from_be_bytes([hello[at], hello[at + 1]]);
    is_same(cookie, hello).then(|| WorkerSlot { load: number(COOKIE), worker: number(COOKIE + 2) })
}

/// Whether `said` begins with the cookie. All bytes are looked at whatever they
/// are, so that the time taken says nothing about how many were right.
pub(super) fn is_same(cookie: &[u8; COOKIE], said: &[u8]) -> bool {
    let difference = cookie.iter().zip(said).fold(0, |all, (a, b)| std::hint::black_box(all | (a ^ b)));
    said.len() >= COOKIE && difference == 0
}

/// The cookie of a rendezvous address.
///
/// # Errors
/// If it is not 32 hexadecimal digits.
pub(super) fn cookie_of(rendezvous: &RendezvousAddress) -> Result<[u8; COOKIE], Fault> {
    let wrong = || Fault::Other("the other end's cookie is not 32 hexadecimal digits".to_owned());
    let digits = &rendezvous.cookie;
    let number = u128::from_str_radix(digits, 16).ok().filter(|_| digits.len() == 2 * COOKIE);
    number.map(u128::to_be_bytes).ok_or_else(wrong)
}

/// A TCP connection through `rendezvous` for the worker at `place`, with its options.
///
/// # Errors
/// If nobody lets it in within [`PATIENCE`], or an option is refused.
pub(super) fn tcp(
    rendezvous: &RendezvousAddress,
    cookie: &[u8; COOKIE],
    place: WorkerSlot,
    options: &SocketOptions,
) -> Result<TcpStream, Fault> {
    let to = SocketAddr::new(rendezvous.address, rendezvous.tcp);
    let until = Instant::now() + PATIENCE;
    let stream = connect(to, options, until)?;
    options.apply(&stream)?;
    rustix::net::send(&stream, &written(cookie, place), rustix::net::SendFlags::NOSIGNAL)
        .map_err(|e| Fault::system(format!("greeting {to}"), e))?;
    await_welcome(&stream, to, until)?;
    Ok(stream)
}

/// Waits until the other end says that it is ready.
pub(super) fn await_welcome(stream: &TcpStream, to: SocketAddr, until: Instant) -> Result<(), Fault> {
    let mut answer = [0; 1];
    loop {
        match rustix::io::read(stream, &mut answer) {
            Ok(1) if answer[0] == WELCOME => return Ok(()),
            Ok(0) | Err(Errno::CONNRESET) => return Err(turned_away(to)),
            Ok(_) => {
                return Err(Fault::Other(format!("what answers at {to} is not the other end of this trial")));
            }
            Err(Errno::AGAIN | Errno::INTR) if Instant::now() < until => {}
            Err(Errno::AGAIN | Errno::INTR) => return Err(nobody(to)),
            Err(e) => return Err(Fault::system(format!("waiting for {to} to answer"), e)),
        }
    }
}

fn nobody(to: SocketAddr) -> Fault {
    Fault::Other(format!(
        "nobody was let in at {to} within {} s: a firewall between the two, or an address that does not lead there? \
         Data goes to ports that the kernel there chooses",
        PATIENCE.as_secs()
    ))
}

fn turned_away(to: SocketAddr) -> Fault {
    Fault::Other(format!(
        "the other end closed the connection at {to} before it answered: its trial has ended, or another program \
         answers there"
    ))
}

/// A connection within the time, blocking from then on.
pub(super) fn connect(to: SocketAddr, options: &SocketOptions, until: Instant) -> Result<TcpStream, Fault> {
    let failed = |e: Errno| Fault::system(format!("connecting to {to}"), e);
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let family = if to.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    let socket =
        rustix::net::socket_with(family, SocketType::STREAM, flags, Some(ipproto::TCP)).map_err(failed)?;
    // Before the handshake, in which the window's scale is told.
    options.apply_early(&socket)?;
    options.bind(&socket)?;
    match rustix::net::connect(&socket, &to) {
        Ok(()) => {}
        Err(Errno::INPROGRESS | Errno::INTR) => wait_connected(&socket, to, until)?,
        Err(e) if ports::are_used_up(e) => return Err(ports::used_up(None, ports::WIDER)),
        Err(e) => return Err(failed(e)),
    }
    rustix::io::ioctl_fionbio(&socket, false).map_err(failed)?;
    Ok(TcpStream::from(socket))
}

fn wait_connected(socket: &OwnedFd, to: SocketAddr, until: Instant) -> Result<(), Fault> {
    loop {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(nobody(to));
        }
        let mut fds = [PollFd::new(socket, PollFlags::OUT)];
        match poll(&mut fds, Some(&clock::timespec(left.as_nanos() as u64))) {
            Ok(0) | Err(Errno::INTR) => continue,
            Ok(_) => {}
            Err(e) => return Err(Fault::system(format!("connecting to {to}"), e)),
        }
        let outcome = rustix::net::sockopt::socket_error(socket).and_then(|inner| inner);
        return outcome.map_err(|e| match e {
            Errno::CONNREFUSED => turned_away(to),
            Errno::TIMEDOUT => nobody(to),
            e => Fault::system(format!("connecting to {to}"), e),
        });
    }
}

/// A UDP socket connected to a socket of the far end's worker at `place`, and what
/// was said there to be let in.
///
/// # Errors
/// If nobody answers within [`PATIENCE`], or an option is refused.
pub(super) fn udp(
    rendezvous: &RendezvousAddress,
    cookie: &[u8; COOKIE],
    place: WorkerSlot,
    options: &SocketOptions,
) -> Result<(UdpSocket, [u8; HELLO]), Fault> {
    let to = SocketAddr::new(rendezvous.address, rendezvous.udp);
    let socket = bound(rendezvous.address, options)?;
    let until = Instant::now() + PATIENCE;
    let mut answer = [0; 64];
    let told = ask(&socket, to, &written(cookie, place), &mut answer, until)?;
    let Some((port, word)) = seat_of(&answer[..told]) else {
        return Err(Fault::Other(format!("what answers at {to} is not the other end of this trial")));
    };
    let hello = written(&word, place);
    // Anything from there says that it is ready: the answer may be lost, and
    // data that follows it may be here first.
    ask(&socket, SocketAddr::new(rendezvous.address, port), &hello, &mut answer, until)?;
    socket::patience(&socket)?;
    Ok((socket, hello))
}

/// A UDP socket with its options from which `to` can be reached.
pub(super) fn bound(to: IpAddr, options: &SocketOptions) -> Result<UdpSocket, Fault> {
    let any = match to {
        IpAddr::V4(_) => IpAddr::V4(Ipv4Addr::UNSPECIFIED),
        IpAddr::V6(_) => IpAddr::V6(Ipv6Addr::UNSPECIFIED),
    };
    let from = options.local()?.unwrap_or(any);
    let socket = UdpSocket::bind((from, 0)).map_err(|e| Fault::system(format!("binding to {from}"), e))?;
    options.apply_early(&socket)?;
    options.apply(&socket)?;
    Ok(socket)
}

/// Sends `hello` until something comes back.
fn ask(
    socket: &UdpSocket,
    to: SocketAddr,
    hello: &[u8],
    answer: &mut [u8],
    until: Instant,
) -> Result<usize, Fault> {
    let failed = |e: std::io::Error| Fault::system(format!("sending datagrams to {to}"), e);
    socket.connect(to).map_err(failed)?;
    socket.set_read_timeout(Some(AGAIN)).map_err(failed)?;
    while Instant::now() < until {
        // A refusal of the one before is told here, and passes.
        let _ = socket.send(hello);
        let asked = Instant::now();
        match socket.recv(answer) {
            Ok(got) if got > 0 => return Ok(got),
            _ => std::thread::sleep(AGAIN.saturating_sub(asked.elapsed())),
        }
    }
    Err(nobody(to))
}

/// Waits, at the far end, for the hello that proves the way to this socket, and
/// answers it.
pub(super) fn answer_udp(socket: &UdpSocket, hello: &[u8; HELLO]) -> Result<(), Fault> {
    let failed = |e: std::io::Error| Fault::system("waiting for a first datagram", e);
    socket.set_read_timeout(Some(AGAIN)).map_err(failed)?;
    let until = Instant::now() + PATIENCE;
    let mut got = [0; 64];
    while Instant::now() < until {
        if let Ok(HELLO) = socket.recv(&mut got)
            && got[..HELLO] == hello[..]
        {
            // Three, for one may be lost, and nobody asks a second time once
            // data flows.
            for _ in 0..3 {
                let _ = socket.send(&welcome(hello));
            }
            return Ok(());
        }
    }
    Err(Fault::Other(
        "nothing came from the other end to the port that it was given: does a firewall let only one port \
         through, or did another machine knock there in its name?"
            .to_owned(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hello_is_read_by_who_knows_the_cookie_only() {
        let place = WorkerSlot { load: 3, worker: 517 };
        let hello = written(b"0123456789abcdef", place);
        assert_eq!(read(b"0123456789abcdef", &hello), Some(place));
        for at in 0..COOKIE {
            let mut wrong = hello;
            wrong[at] ^= 0x80;
            assert_eq!(read(b"0123456789abcdef", &wrong), None, "byte {at}");
        }
    }

    #[test]
    fn a_cookie_is_read_from_hexadecimal_digits() {
        let rendezvous = |cookie: &str| RendezvousAddress {
            way: std::collections::BTreeMap::new(),
            address: Ipv4Addr::LOCALHOST.into(),
            tcp: 1,
            udp: 2,
            cookie: cookie.to_owned(),
            kind: model::message::RendezvousKind::Ours,
        };
        let cookie = cookie_of(&rendezvous("000102030405060708090a0b0c0d0eff")).unwrap();
        assert_eq!((cookie[1], cookie[15]), (1, 255));
        for wrong in ["", "00", "zz0102030405060708090a0b0c0d0eff", "éé0102030405060708090a0b0c0d0e"] {
            assert!(cookie_of(&rendezvous(wrong)).is_err(), "{wrong}");
        }
    }
}
