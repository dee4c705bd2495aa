//! The words of iperf3's control connection: one byte for a state, and JSON with
//! its length before it. Every wait has an end, and every length a bound.

use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use load::workload::net::iperf3::cookie_bytes;
use rustix::event::{PollFd, PollFlags, poll};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// What one end tells the other (`iperf_api.h` of iperf3 3.12).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// All streams are there.
    TestStart,
    /// Data flows.
    TestRunning,
    /// The client has enough.
    TestEnd,
    /// Send your parameters.
    ParamExchange,
    /// Connect your streams.
    CreateStreams,
    /// The server was ended.
    ServerTerminate,
    /// The client was ended.
    ClientTerminate,
    /// Send your results, and read mine.
    ExchangeResults,
    /// That was all.
    DisplayResults,
    /// Farewell.
    IperfDone,
    /// Busy, or not for you.
    AccessDenied,
    /// Followed by two numbers that say what.
    ServerError,
}

/// States and their numbers.
const STATES: [(State, i8); 12] = [
    (State::TestStart, 1),
    (State::TestRunning, 2),
    (State::TestEnd, 4),
    (State::ParamExchange, 9),
    (State::CreateStreams, 10),
    (State::ServerTerminate, 11),
    (State::ClientTerminate, 12),
    (State::ExchangeResults, 13),
    (State::DisplayResults, 14),
    (State::IperfDone, 16),
    (State::AccessDenied, -1),
    (State::ServerError, -2),
];

impl State {
    fn number(self) -> i8 {
        STATES.iter().find(|(state, _)| *state == self).map_or(0, |(_, number)| *number)
    }

    fn of(number: i8) -> Option<Self> {
        STATES.iter().find(|(_, n)| *n == number).map(|(state, _)| *state)
    }
}

/// Why a test is refused: the numbers that a stock client has sentences for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RefusalCode {
    /// `IEDURATION`: longer than this server allows.
    Duration = 5,
    /// `IENUMSTREAMS`: more streams than this server allows.
    Streams = 6,
    /// `IEBLOCKSIZE`.
    BlockSize = 7,
    /// `IEUNIMP`: a protocol that is not spoken here.
    Unimplemented = 13,
    /// `IEUDPBLOCKSIZE`.
    DatagramSize = 20,
    /// `IERECVPARAMS`: what came is not what parameters are.
    Parameters = 114,
    /// `IECREATESTREAM`: its streams did not come.
    CreateStream = 200,
}

impl RefusalCode {
    /// The sentence that iperf3 has for the number of an error that a server
    /// sent, as far as servers send it.
    pub(crate) fn meaning(number: i32) -> &'static str {
        match number {
            5 => "the duration is longer than it allows",
            6 => "it does not take so many streams",
            7 => "it does not take such a buffer length",
            13 => "it does not know that protocol",
            20 => "it does not take datagrams of that size",
            27 | 28 => "the rate is higher than it allows",
            114 => "it did not understand the parameters",
            134 => "it does not have that congestion control",
            142 => "it asks for a user name and a password, which Headroom does not send",
            200..=208 => "a data stream failed",
            _ => "it did not say why in words that are known",
        }
    }
}

/// A control connection, of either end.
#[derive(Debug)]
pub(crate) struct ControlConnection {
    stream: TcpStream,
}

impl ControlConnection {
    /// Takes over a connected stream.
    ///
    /// # Errors
    /// If the kernel refuses an option.
    pub(crate) fn new(stream: TcpStream) -> io::Result<Self> {
        stream.set_nonblocking(false)?;
        stream.set_nodelay(true)?;
        // What is written here fits into any socket's buffer; a peer that takes
        // nothing for so long is gone.
        stream.set_write_timeout(Some(Duration::from_secs(5)))?;
        Ok(Self { stream })
    }

    pub(crate) fn say(&mut self, state: State) -> io::Result<()> {
        self.stream.write_all(&state.number().to_ne_bytes())
    }

    pub(crate) fn refuse(&mut self, code: RefusalCode) -> io::Result<()> {
        let mut words = Vec::from(State::ServerError.number().to_ne_bytes());
        words.extend((code as i32).to_be_bytes());
        words.extend(0_i32.to_be_bytes());
        self.stream.write_all(&words)
    }

    /// Both numbers after [`State::ServerError`].
    pub(crate) fn error_numbers(&mut self, until: Instant) -> io::Result<(i32, i32)> {
        let mut words = [0; 8];
        self.read_until(&mut words, until)?;
        let word = |at: usize| i32::from_be_bytes([words[at], words[at + 1], words[at + 2], words[at + 3]]);
        Ok((word(0), word(4)))
    }

    /// Says which test this connection is of.
    pub(crate) fn say_cookie(&mut self, cookie: &str) -> io::Result<()> {
        let bytes = cookie_bytes(cookie).map_err(|e| io::Error::other(e.to_string()))?;
        self.stream.write_all(&bytes)
    }

    /// What the other end says within `wait`; `Ok(None)` if nothing.
    ///
    /// # Errors
    /// If the connection is closed, broken, or says what is no state.
    pub(crate) fn hear(&mut self, wait: Duration) -> io::Result<Option<State>> {
        let ns = i64::try_from(wait.as_nanos()).unwrap_or(i64::MAX);
        let timeout = rustix::time::Timespec { tv_sec: ns / 1_000_000_000, tv_nsec: ns % 1_000_000_000 };
        match poll(&mut [PollFd::new(&self.stream, PollFlags::IN)], Some(&timeout)) {
            Ok(0) | Err(rustix::io::Errno::INTR) => return Ok(None),
            Ok(_) => {}
            Err(e) => return Err(e.into()),
        }
        let mut byte = [0];
        self.stream.set_read_timeout(Some(Duration::from_secs(1)))?;
        self.stream.read_exact(&mut byte)?;
        let number = i8::from_ne_bytes(byte);
        let unknown = || io::Error::new(ErrorKind::InvalidData, format!("{number} is no state of iperf3"));
        State::of(number).ok_or_else(unknown).map(Some)
    }

    pub(crate) fn write_json(&mut self, thing: &impl Serialize) -> io::Result<()> {
        let text = serde_json::to_vec(thing)?;
        let length = u32::try_from(text.len()).map_err(|_| io::Error::from(ErrorKind::InvalidInput))?;
        let mut frame = Vec::from(length.to_be_bytes());
        frame.extend(text);
        self.stream.write_all(&frame)
    }

    /// Reads something of at most `most` bytes of JSON, whole before `until`.
    pub(crate) fn read_json<T: DeserializeOwned>(&mut self, most: usize, until: Instant) -> io::Result<T> {
        let mut length = [0; 4];
        self.read_until(&mut length, until)?;
        let length = u32::from_be_bytes(length) as usize;
        if length > most {
            let text = format!("a message of {length} bytes is too long (at most {most})");
            return Err(io::Error::new(ErrorKind::InvalidData, text));
        }
        let mut text = vec![0; length];
        self.read_until(&mut text, until)?;
        // cJSON ends at a zero, and some clients send it.
        while text.last() == Some(&0) {
            text.pop();
        }
        Ok(serde_json::from_slice(&text)?)
    }

    /// Fills `room` before `until`, however slowly the bytes come.
    fn read_until(&mut self, room: &mut [u8], until: Instant) -> io::Result<()> {
        let mut filled = 0;
        while filled < room.len() {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(ErrorKind::TimedOut.into());
            }
            self.stream.set_read_timeout(Some(left))?;
            match self.stream.read(&mut room[filled..]) {
                Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(got) => filled += got,
                Err(e) if matches!(e.kind(), ErrorKind::Interrupted | ErrorKind::WouldBlock) => {}
                Err(e) => return Err(e),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    fn both() -> (ControlConnection, ControlConnection) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let here = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        (ControlConnection::new(here).unwrap(), ControlConnection::new(listener.accept().unwrap().0).unwrap())
    }

    fn soon() -> Instant {
        Instant::now() + Duration::from_millis(50)
    }

    #[test]
    fn states_and_json_come_as_they_went() {
        let (mut here, mut there) = both();
        for (state, _) in STATES {
            here.say(state).unwrap();
            assert_eq!(there.hear(Duration::from_secs(1)).unwrap(), Some(state));
        }
        here.write_json(&vec![1, 2]).unwrap();
        assert_eq!(there.read_json::<Vec<u8>>(10, soon()).unwrap(), [1, 2]);
        here.refuse(RefusalCode::Streams).unwrap();
        assert_eq!(there.hear(Duration::from_secs(1)).unwrap(), Some(State::ServerError));
        assert_eq!(there.error_numbers(soon()).unwrap(), (6, 0));
        assert_eq!(there.hear(Duration::from_millis(1)).unwrap(), None);
    }

    #[test]
    fn what_is_too_long_too_slow_or_no_state_is_refused() {
        let (mut here, mut there) = both();
        here.stream.write_all(&[0xff; 4]).unwrap();
        let error = there.read_json::<Vec<u8>>(1000, soon()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidData, "{error}");
        here.stream.write_all(&[0, 0, 0, 9, b'[']).unwrap();
        assert_eq!(there.read_json::<Vec<u8>>(1000, soon()).unwrap_err().kind(), ErrorKind::TimedOut);
        here.stream.write_all(&[77]).unwrap();
        assert!(there.hear(Duration::from_secs(1)).is_err());
        drop(here);
        assert!(there.hear(Duration::from_secs(1)).is_err());
    }
}
