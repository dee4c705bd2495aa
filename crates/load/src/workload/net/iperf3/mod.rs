//! What data connections of iperf3 say: the cookie that begins a TCP stream, the
//! greeting of a UDP stream, and the head of each datagram with what a receiver
//! makes of it. Both of our sides of that protocol use it: the near end of
//! `net.stream` before a stock server, and our server before stock clients.
//!
//! The protocol is nowhere written down but in iperf3's source (`iperf_udp.c`,
//! `iperf_tcp.c` and `iperf.h` of <https://github.com/esnet/iperf>, 3.12).

pub(super) mod client;

use std::io::{ErrorKind, Write};
use std::net::{TcpStream, UdpSocket};
use std::time::{Duration, Instant};

use engine::fault::Fault;

/// Bytes of a cookie: 36 characters and a zero.
pub const COOKIE: usize = 37;

/// What a client sends first on a UDP stream: 0x36373839 as x86 stores it.
pub const HELLO: [u8; 4] = *b"9876";

/// What a server answers.
pub const WELCOME: [u8; 4] = *b"6789";

/// The same two before version 3.13: 123456789 and 987654321, as x86 stores them.
pub const HELLO_OLD: [u8; 4] = 123_456_789_u32.to_le_bytes();
/// See [`HELLO_OLD`].
pub const WELCOME_OLD: [u8; 4] = 987_654_321_u32.to_le_bytes();

/// How many datagrams that are no answer are passed over: of other streams, which
/// already run the other way.
const STRAY_MOST: u32 = 64;

/// The cookie as it goes over the wire.
///
/// # Errors
/// If it is not 36 characters of ASCII.
pub fn cookie_bytes(cookie: &str) -> Result<[u8; COOKIE], Fault> {
    let mut bytes = [0; COOKIE];
    if cookie.len() != COOKIE - 1 || !cookie.bytes().all(|b| b.is_ascii_graphic()) {
        return Err(Fault::Other("a cookie of iperf3 has 36 letters or digits".to_owned()));
    }
    bytes[..COOKIE - 1].copy_from_slice(cookie.as_bytes());
    Ok(bytes)
}

/// Says on a connected TCP stream to which test it belongs. The server answers
/// nothing; one that does not want it closes it.
///
/// # Errors
/// If the connection is gone.
pub fn greet_tcp(mut stream: &TcpStream, cookie: &str) -> Result<(), Fault> {
    stream
        .write_all(&cookie_bytes(cookie)?)
        .map_err(|e| Fault::system("telling the iperf3 server to which test a stream belongs", e))
}

/// Makes a connected UDP socket a stream of the test that the server is about to
/// begin; the address that it comes from is all that the server goes by. Sent
/// once: a server takes a second one for another stream.
///
/// # Errors
/// If there is no answer within `patience`.
pub fn greet_udp(socket: &UdpSocket, patience: Duration) -> Result<(), Fault> {
    let failed = |e| Fault::system("greeting the iperf3 server over UDP", e);
    let before = socket.read_timeout().map_err(failed)?;
    socket.send(&HELLO).map_err(failed)?;
    let until = Instant::now() + patience;
    let mut room = [0; 2048];
    let mut strays = 0;
    while strays < STRAY_MOST {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            break;
        }
        socket.set_read_timeout(Some(left)).map_err(failed)?;
        match socket.recv(&mut room) {
            Ok(4) if room[..4] == WELCOME || room[..4] == WELCOME_OLD => {
                return socket.set_read_timeout(before).map_err(failed);
            }
            Ok(_) => strays += 1,
            Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
            Err(e) => return Err(failed(e)),
        }
    }
    Err(Fault::Other(format!(
        "the iperf3 server did not answer over UDP within {} s: a firewall that lets only TCP through, or the one \
         datagram that says hello was lost",
        patience.as_secs()
    )))
}

/// The head of a datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// When it was sent, on the sender's clock.
    pub seconds: u32,
    /// See `seconds`.
    pub microseconds: u32,
    /// Its number, from 1.
    pub number: u64,
}

/// Bytes of the longer of both forms of a [`Head`].
pub const HEAD_MOST: usize = 16;

impl Head {
    /// The head of datagram `number`, sent at `now_ns` of any clock.
    #[must_use]
    pub fn at(now_ns: u64, number: u64) -> Self {
        Self {
            seconds: (now_ns / 1_000_000_000) as u32,
            microseconds: (now_ns / 1000 % 1_000_000) as u32,
            number,
        }
    }

    /// Bytes of a head: its number has 32 bits or, if both ends agreed, 64.
    #[must_use]
    pub fn bytes(wide: bool) -> usize {
        if wide { HEAD_MOST } else { 12 }
    }

    /// Writes it to the front of `datagram`, which is at least as long as
    /// [`Head::bytes`] says.
    pub fn put(self, wide: bool, datagram: &mut [u8]) {
        datagram[..4].copy_from_slice(&self.seconds.to_be_bytes());
        datagram[4..8].copy_from_slice(&self.microseconds.to_be_bytes());
        if wide {
            datagram[8..16].copy_from_slice(&self.number.to_be_bytes());
        } else {
            // As iperf3 does, it begins again from 0 after 2^32.
            datagram[8..12].copy_from_slice(&(self.number as u32).to_be_bytes());
        }
    }

    /// Reads it; none where the datagram is too short to have one.
    #[must_use]
    pub fn get(wide: bool, datagram: &[u8]) -> Option<Self> {
        let word = |at: usize| Some(u32::from_be_bytes(datagram.get(at..at + 4)?.try_into().ok()?));
        let number = if wide {
            u64::from_be_bytes(datagram.get(8..16)?.try_into().ok()?)
        } else {
            u64::from(word(8)?)
        };
        Some(Self { seconds: word(0)?, microseconds: word(4)?, number })
    }

    /// When it was sent, ns of the sender's clock.
    #[must_use]
    pub fn sent_ns(self) -> u64 {
        u64::from(self.seconds) * 1_000_000_000 + u64::from(self.microseconds) * 1000
    }
}

/// What a receiver of datagrams makes of them, as iperf3 counts: a gap in the
/// numbers is a loss until a late one fills it; what was lost at the very end
/// leaves no gap and is not seen.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DatagramCount {
    /// Datagrams that came.
    pub came: u64,
    /// Their bytes, payload only.
    pub bytes: u64,
    /// The highest number.
    pub highest: u64,
    /// Numbers that are missing below it.
    pub lost: u64,
    /// Datagrams that came after one with a higher number.
    pub late: u64,
    /// Interarrival jitter, s (RFC 3550, section 6.4.1).
    pub jitter_s: f64,
    transit_s: Option<f64>,
}

impl DatagramCount {
    /// Counts a datagram of `bytes` that came at `now_ns` of any clock.
    pub fn take(&mut self, head: Head, now_ns: u64, bytes: usize) {
        self.came += 1;
        self.bytes += bytes as u64;
        if head.number > self.highest {
            self.lost += head.number - self.highest - 1;
            self.highest = head.number;
        } else {
            self.late += 1;
            self.lost = self.lost.saturating_sub(1);
        }
        let transit_s = (now_ns as f64 - head.sent_ns() as f64) / 1e9;
        if let Some(before_s) = self.transit_s {
            self.jitter_s += ((transit_s - before_s).abs() - self.jitter_s) / 16.0;
        }
        self.transit_s = Some(transit_s);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_read_as_it_was_written() {
        let head = Head::at(5_000_123_456, 7);
        assert_eq!(head, Head { seconds: 5, microseconds: 123, number: 7 });
        for wide in [false, true] {
            let mut datagram = [0; 20];
            head.put(wide, &mut datagram);
            assert_eq!(Head::get(wide, &datagram), Some(head));
            assert_eq!(Head::get(wide, &datagram[..Head::bytes(wide) - 1]), None);
        }
        let mut datagram = [0; 12];
        head.put(false, &mut datagram);
        assert_eq!(datagram, [0, 0, 0, 5, 0, 0, 0, 123, 0, 0, 0, 7]);
    }

    #[test]
    fn gaps_are_losses_until_late_ones_fill_them() {
        let mut tally = DatagramCount::default();
        for number in [1, 2, 5, 4, 8] {
            tally.take(Head::at(number * 1_000_000, number), number * 1_000_000, 100);
        }
        assert_eq!((tally.came, tally.bytes, tally.highest), (5, 500, 8));
        // 3, 6 and 7 are missing; 4 came late.
        assert_eq!((tally.lost, tally.late), (3, 1));
        assert!(tally.jitter_s.abs() < 1e-9);
    }

    #[test]
    fn jitter_follows_the_differences_of_transit_times() {
        let mut tally = DatagramCount::default();
        // Sent at 0 and 1 ms, came after 10 and 26 ms: D = 16 ms, J = D / 16.
        tally.take(Head::at(0, 1), 10_000_000, 1);
        tally.take(Head::at(1_000_000, 2), 27_000_000, 1);
        assert!((tally.jitter_s - 1e-3).abs() < 1e-9, "{tally:?}");
    }

    #[test]
    fn a_cookie_has_36_characters_and_a_zero() {
        let cookie = "abcdefghijklmnopqrstuvwxyz0123456789";
        assert_eq!(cookie_bytes(cookie).unwrap()[36], 0);
        assert!(cookie_bytes("short").is_err());
        assert!(cookie_bytes(&cookie.replace('a', "\n")).is_err());
    }

    #[test]
    fn a_greeting_that_nobody_answers_is_explained() {
        let there = UdpSocket::bind("127.0.0.1:0").unwrap();
        let here = UdpSocket::bind("127.0.0.1:0").unwrap();
        here.connect(there.local_addr().unwrap()).unwrap();
        let silence = greet_udp(&here, Duration::from_millis(20)).unwrap_err().to_string();
        assert!(silence.contains("did not answer over UDP"), "{silence}");
        let mut heard = [0; 8];
        assert_eq!(there.recv(&mut heard).unwrap(), 4);
        assert_eq!(heard[..4], [0x39, 0x38, 0x37, 0x36]);
        there.send_to(&WELCOME, here.local_addr().unwrap()).unwrap();
        greet_udp(&here, Duration::from_secs(1)).unwrap();
    }
}
