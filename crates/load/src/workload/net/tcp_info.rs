//! What the kernel knows of a TCP connection: `struct tcp_info` of
//! include/uapi/linux/tcp.h, read field by field at its offsets. The struct has
//! grown with nearly every release and grows only at its end, so a field is
//! there when the kernel gave bytes enough for it.

use std::os::fd::{AsFd, AsRawFd};
use std::time::Duration;

/// More than the struct of any kernel so far (6.18: 280 bytes).
const ROOM: usize = 512;

/// Bit of `tcpi_options`: the connection uses timestamps (RFC 7323).
const TIMESTAMPS: u8 = 1;

/// Another: both ends agreed on ECN (RFC 3168) when the connection was made.
const ECN: u8 = 8;

/// Fields, with what each is and where it begins.
macro_rules! fields {
    ($($(#[$doc:meta])* $name:ident: $number:ty = $offset:literal;)*) => {
        impl TcpInfo {
            $($(#[$doc])*
            pub(super) fn $name(&self) -> Option<$number> {
                self.at($offset).map(<$number>::from_ne_bytes)
            })*
        }
    };
}

fields! {
    /// Bytes of payload in a full segment that is sent, options of TCP taken off.
    send_mss: u32 = 16;
    /// How long ago the other end acknowledged something last, ms.
    since_acknowledged_ms: u32 = 56;
    /// The MTU of the path as TCP knows it, bytes.
    path_mtu: u32 = 60;
    /// The smoothed round-trip time, us.
    rtt_us: u32 = 68;
    /// The congestion window, in segments.
    congestion_window: u32 = 80;
    /// Segments sent again since the connection was made.
    retransmits: u32 = 100;
    /// The rate at which the connection is paced, B/s; all ones where it has none.
    pacing_rate: u64 = 104;
    /// The most that somebody set for it.
    pacing_rate_most: u64 = 112;
    /// Bytes of payload that the other end acknowledged.
    bytes_acknowledged: u64 = 120;
    /// The least round-trip time seen, us.
    least_rtt_us: u32 = 148;
    /// The latest rate at which data reached the other end, B/s.
    delivery_rate: u64 = 160;
    /// How long there was data that was sent and not acknowledged, us.
    busy_us: u64 = 168;
    /// How much of that the receiver's window held it up, us.
    receive_window_limited_us: u64 = 176;
    /// How much of that the own send buffer did, us.
    send_buffer_limited_us: u64 = 184;
    /// Segments that reached the other end marked by a queue on the way (CE of ECN, RFC 3168).
    marked: u32 = 196;
    /// Segments that the other end said it had twice (DSACK, RFC 2883): they were late,
    /// not lost.
    duplicates: u32 = 216;
    /// The window that the other end offers, bytes.
    peer_window: u32 = 228;
    /// The window that this end offers, bytes.
    own_window: u32 = 232;
}

/// How long ago the kernel of the other end acknowledged something of a connection; none where
/// that is not told.
pub fn since_acknowledged(socket: &impl AsFd) -> Option<Duration> {
    let ms = TcpInfo::of(socket)?.since_acknowledged_ms()?;
    Some(Duration::from_millis(u64::from(ms)))
}

/// What `getsockopt(TCP_INFO)` gave.
#[derive(Clone, Debug)]
pub(super) struct TcpInfo {
    bytes: [u8; ROOM],
    length: usize,
}

impl TcpInfo {
    /// Of this socket; `None` if it is no TCP connection.
    pub(super) fn of(socket: &impl AsFd) -> Option<Self> {
        let mut bytes = [0; ROOM];
        let mut length = ROOM as libc::socklen_t;
        // SAFETY: the kernel writes at most `length` bytes, the size of `bytes`,
        // at its address, and how many it wrote at that of `length`.
        let result = unsafe {
            libc::getsockopt(
                socket.as_fd().as_raw_fd(),
                libc::IPPROTO_TCP,
                libc::TCP_INFO,
                bytes.as_mut_ptr().cast(),
                &raw mut length,
            )
        };
        (result == 0).then_some(Self { bytes, length: (length as usize).min(ROOM) })
    }

    #[cfg(test)]
    pub(super) fn read(given: &[u8]) -> Self {
        let mut bytes = [0; ROOM];
        bytes[..given.len()].copy_from_slice(given);
        Self { bytes, length: given.len() }
    }

    fn at<const N: usize>(&self, offset: usize) -> Option<[u8; N]> {
        self.bytes[..self.length].get(offset..offset + N)?.try_into().ok()
    }

    /// Whether segments carry timestamps, which take 12 bytes of each.
    pub(super) fn has_timestamps(&self) -> Option<bool> {
        self.at::<1>(5).map(|[options]| options & TIMESTAMPS != 0)
    }

    /// Whether queues on the way may mark segments in place of dropping them.
    pub(super) fn has_ecn(&self) -> Option<bool> {
        self.at::<1>(5).map(|[options]| options & ECN != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{TcpListener, TcpStream, UdpSocket};

    /// Byte `i` of the struct is `i`.
    fn counted(length: usize) -> TcpInfo {
        TcpInfo::read(&(0..length).map(|i| i as u8).collect::<Vec<_>>())
    }

    #[test]
    fn fields_are_where_the_kernel_puts_them() {
        // The offsets of the C compiler for libc's own declaration.
        use std::mem::offset_of;
        assert_eq!(offset_of!(libc::tcp_info, tcpi_snd_mss), 16);
        assert_eq!(offset_of!(libc::tcp_info, tcpi_last_ack_recv), 56);
        assert_eq!(offset_of!(libc::tcp_info, tcpi_pmtu), 60);
        assert_eq!(offset_of!(libc::tcp_info, tcpi_rtt), 68);
        assert_eq!(offset_of!(libc::tcp_info, tcpi_snd_cwnd), 80);
        assert_eq!(offset_of!(libc::tcp_info, tcpi_total_retrans), 100);
        let info = counted(240);
        assert_eq!(info.rtt_us(), Some(u32::from_ne_bytes([68, 69, 70, 71])));
        assert_eq!(
            info.bytes_acknowledged(),
            Some(u64::from_ne_bytes([120, 121, 122, 123, 124, 125, 126, 127]))
        );
        assert_eq!(info.least_rtt_us(), Some(u32::from_ne_bytes([148, 149, 150, 151])));
        let eight = |first: u8| u64::from_ne_bytes(std::array::from_fn(|i| first + i as u8));
        assert_eq!((info.pacing_rate(), info.pacing_rate_most()), (Some(eight(104)), Some(eight(112))));
        assert_eq!(info.busy_us(), Some(u64::from_ne_bytes([168, 169, 170, 171, 172, 173, 174, 175])));
        assert_eq!(info.marked(), Some(u32::from_ne_bytes([196, 197, 198, 199])));
        // Bits 1 and 4 of 5, of which 8 is none.
        assert_eq!((info.has_timestamps(), info.has_ecn()), (Some(true), Some(false)));
        assert_eq!(TcpInfo::read(&[0, 0, 0, 0, 0, 8]).has_ecn(), Some(true));
        assert_eq!(info.peer_window(), Some(u32::from_ne_bytes([228, 229, 230, 231])));
        assert_eq!(info.own_window(), Some(u32::from_ne_bytes([232, 233, 234, 235])));
        assert_eq!(info.duplicates(), Some(u32::from_ne_bytes([216, 217, 218, 219])));
        assert_eq!(info.has_timestamps(), Some(true));
    }

    #[test]
    fn what_an_old_kernel_does_not_tell_is_absent() {
        // 3.x ends after tcpi_total_retrans.
        let info = counted(104);
        assert!(info.retransmits().is_some());
        assert_eq!((info.delivery_rate(), info.busy_us(), info.least_rtt_us()), (None, None, None));
        // Half a field is none.
        assert_eq!(counted(102).retransmits(), None);
    }

    #[test]
    fn a_connection_tells_and_a_datagram_socket_does_not() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let stream = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let info = TcpInfo::of(&stream).unwrap();
        assert!(info.congestion_window().unwrap() > 0 && info.send_mss().unwrap() >= 500);
        assert!(TcpInfo::of(&UdpSocket::bind("127.0.0.1:0").unwrap()).is_none());
    }
}
