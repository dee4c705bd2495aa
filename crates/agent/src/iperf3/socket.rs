//! Options of a stream's socket that a client of iperf3 may ask for, and what the
//! kernel tells of it.

use std::io;
use std::net::SocketAddr;
use std::os::fd::{AsFd, AsRawFd};

use rustix::io::Errno;
use rustix::net::sockopt;

use crate::iperf3::test_registry::Socket;
use crate::iperf3::wire::parameters::Parameters;
use crate::sampling::thread_cpu_s;

/// The greatest segment that can be asked for: iperf3's own bound.
const MSS_MOST: u64 = 9216;

/// Makes a stream as asked. A window is set on a connection that is there
/// already, so the window's scale is what the listening socket had.
///
/// # Errors
/// If the kernel refuses something other than an unknown congestion control,
/// which stock servers pass over too.
pub(crate) fn prepare(socket: &Socket, asked: &Parameters) -> io::Result<()> {
    match socket {
        Socket::Tcp(stream) => {
            stream.set_nonblocking(false)?;
            common(stream, stream.peer_addr()?, asked)?;
            if asked.nodelay {
                stream.set_nodelay(true)?;
            }
            if let Some(mss) = asked.mss.filter(|mss| (1..=MSS_MOST).contains(mss)) {
                set(stream, libc::IPPROTO_TCP, libc::TCP_MAXSEG, mss as libc::c_int)?;
            }
            match asked.congestion.as_deref().map(|name| sockopt::set_tcp_congestion(stream, name)) {
                None | Some(Ok(()) | Err(Errno::NOENT)) => Ok(()),
                Some(Err(e)) => Err(e.into()),
            }
        }
        Socket::Udp(socket) => {
            socket.set_nonblocking(false)?;
            common(socket, socket.peer_addr()?, asked)?;
            if asked.dont_fragment.is_some_and(|wanted| wanted != 0) && socket.peer_addr()?.is_ipv4() {
                sockopt::set_ip_mtu_discover(socket, sockopt::Ipv4PathMtuDiscovery::DO)?;
            }
            Ok(())
        }
    }
}

fn common(socket: &impl AsFd, peer: SocketAddr, asked: &Parameters) -> io::Result<()> {
    if let Some(window) = asked.window.filter(|window| *window > 0) {
        let window = window.min(i32::MAX as u64) as usize;
        sockopt::set_socket_send_buffer_size(socket, window)?;
        sockopt::set_socket_recv_buffer_size(socket, window)?;
    }
    if let Some(tos) = asked.tos.and_then(|tos| u8::try_from(tos).ok()).filter(|tos| *tos > 0) {
        if peer.ip().to_canonical().is_ipv4() {
            sockopt::set_ip_tos(socket, tos)?;
        } else {
            sockopt::set_ipv6_tclass(socket, u32::from(tos))?;
        }
    }
    let rate = asked.fqrate.unwrap_or(0) / 8;
    if rate > 0 {
        // Bytes per second, as 32 bits: socket(7).
        let rate = u32::try_from(rate).unwrap_or(u32::MAX);
        set(socket, libc::SOL_SOCKET, libc::SO_MAX_PACING_RATE, rate)?;
    }
    Ok(())
}

/// Sets an option that rustix does not have.
fn set<T: Copy>(socket: &impl AsFd, level: libc::c_int, name: libc::c_int, value: T) -> io::Result<()> {
    // SAFETY: the pointer is to `value`, which lives through the call, and the
    // length is its size; the kernel only reads.
    let result = unsafe {
        libc::setsockopt(
            socket.as_fd().as_raw_fd(),
            level,
            name,
            (&raw const value).cast(),
            size_of::<T>() as libc::socklen_t,
        )
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Segments that TCP sent again so far (`tcpi_total_retrans` of tcp(7)).
pub(crate) fn retransmits(socket: &Socket) -> Option<u64> {
    let Socket::Tcp(stream) = socket else { return None };
    // SAFETY: an all-zero tcp_info is a valid value of this plain C struct.
    let mut info: libc::tcp_info = unsafe { std::mem::zeroed() };
    let mut length = size_of::<libc::tcp_info>() as libc::socklen_t;
    // SAFETY: the kernel writes at most `length` bytes, the size of `info`, at
    // its address, and how many it wrote at that of `length`.
    let result = unsafe {
        libc::getsockopt(
            stream.as_raw_fd(),
            libc::IPPROTO_TCP,
            libc::TCP_INFO,
            (&raw mut info).cast(),
            &raw mut length,
        )
    };
    (result == 0).then_some(u64::from(info.tcpi_total_retrans))
}

pub(crate) fn congestion(socket: &Socket) -> Option<String> {
    match socket {
        Socket::Tcp(stream) => sockopt::tcp_congestion(stream).ok(),
        Socket::Udp(_) => None,
    }
}

/// CPU seconds of the calling thread: all, and of these in user mode. The sum is
/// the thread's own clock's; user mode is sampled by the tick in most kernels.
pub(crate) fn thread_cpu() -> (f64, f64) {
    // SAFETY: an all-zero rusage is a valid value of this plain C struct.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer is to a live rusage of the right type.
    unsafe { libc::getrusage(libc::RUSAGE_THREAD, &raw mut usage) };
    let all_s = thread_cpu_s();
    let user_s = usage.ru_utime.tv_sec as f64 + usage.ru_utime.tv_usec as f64 / 1e6;
    (all_s, user_s.min(all_s))
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};

    use super::*;

    #[test]
    fn what_was_asked_is_set() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let stream = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let socket = Socket::Tcp(stream);
        let mut asked = Parameters {
            window: Some(60_000),
            mss: Some(1000),
            tos: Some(0x10),
            nodelay: true,
            fqrate: Some(8_000_000),
            congestion: Some("nosuch".to_owned()),
            ..Parameters::default()
        };
        prepare(&socket, &asked).unwrap();
        let Socket::Tcp(stream) = &socket else { unreachable!() };
        // socket(7): the kernel doubles what is asked.
        assert_eq!(sockopt::socket_recv_buffer_size(stream).unwrap(), 120_000);
        assert_eq!(sockopt::ip_tos(stream).unwrap(), 0x10);
        assert!(stream.nodelay().unwrap());
        let before = congestion(&socket).unwrap();
        asked.congestion = Some("reno".to_owned());
        prepare(&socket, &asked).unwrap();
        assert_eq!(congestion(&socket).as_deref(), Some("reno"), "it was {before}");
        assert_eq!(retransmits(&socket), Some(0));
    }
}
