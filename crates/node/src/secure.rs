//! A TLS connection over a TCP socket that never blocks: what both ends have in
//! common. Who uses it waits with `poll`, for other things too, and knows until
//! when.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::os::fd::BorrowedFd;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::sockopt;
use rustls::Connection;

use super::frame::Frames;
use super::relay::SendBuffer;

/// How long a connection may say nothing before the kernel asks whether the
/// other side is still there.
const ASK_AFTER: Duration = Duration::from_secs(10);
/// How often it asks.
const ASK_EVERY: Duration = Duration::from_secs(5);
/// How often it asks in vain.
const ASK_TIMES: u32 = 4;
/// How long what was sent may be without an answer of the other side's kernel,
/// ms: as long as the above in all.
const UNANSWERED_MS: u32 = 30_000;

pub(super) struct Secure {
    tcp: TcpStream,
    tls: Connection,
}

impl Secure {
    /// Over a connected socket.
    pub(super) fn new(tcp: TcpStream, tls: impl Into<Connection>) -> io::Result<Self> {
        tcp.set_nonblocking(true)?;
        tcp.set_nodelay(true)?;
        // A cable that was pulled says nothing: without these it would never
        // be noticed.
        sockopt::set_socket_keepalive(&tcp, true)?;
        sockopt::set_tcp_keepidle(&tcp, ASK_AFTER)?;
        sockopt::set_tcp_keepintvl(&tcp, ASK_EVERY)?;
        sockopt::set_tcp_keepcnt(&tcp, ASK_TIMES)?;
        sockopt::set_tcp_user_timeout(&tcp, UNANSWERED_MS)?;
        Ok(Self { tcp, tls: tls.into() })
    }

    /// What to wait for, beside bytes that come.
    pub(super) fn poll_fd(&self, hears: bool) -> PollFd<'_> {
        PollFd::new(&self.tcp, flags(hears, self.tls.wants_write()))
    }

    pub(super) fn tcp(&self) -> &TcpStream {
        &self.tcp
    }

    /// Adds what came to `into`; whether more may come.
    ///
    /// # Errors
    /// If the connection broke, or what came is no TLS: then the error holds a
    /// [`rustls::Error`].
    pub(super) fn receive(&mut self, into: &mut Vec<u8>) -> io::Result<bool> {
        let is_open = match self.tls.read_tls(&mut &self.tcp) {
            Ok(length) => length > 0,
            Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => true,
            Err(e) => return Err(e),
        };
        let state = match self.tls.process_new_packets() {
            Ok(state) => state,
            Err(error) => {
                // The other side hears why, if it can.
                let _ = self.flush();
                return Err(io::Error::new(ErrorKind::InvalidData, error));
            }
        };
        let length = into.len();
        into.resize(length + state.plaintext_bytes_to_read(), 0);
        self.tls.reader().read_exact(&mut into[length..])?;
        Ok(is_open && !state.peer_has_closed())
    }

    /// Takes bytes to be sent, as many as there is room for.
    fn offer(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.tls.writer().write(bytes)
    }

    /// Sends what the socket takes now.
    fn flush(&mut self) -> io::Result<()> {
        while self.tls.wants_write() {
            match self.tls.write_tls(&mut &self.tcp) {
                Ok(_) => {}
                Err(e) if e.kind() == ErrorKind::WouldBlock => break,
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        Ok(())
    }

    /// Sends what waits in `out`, as much as the socket takes now.
    pub(super) fn push(&mut self, out: &mut SendBuffer) -> io::Result<()> {
        loop {
            let moved = out.push(|bytes| self.offer(bytes))?;
            self.flush()?;
            if !moved || self.wants_write() {
                return Ok(());
            }
        }
    }

    pub(super) fn wants_write(&self) -> bool {
        self.tls.wants_write()
    }

    /// Sends all of it, until `until` at most.
    pub(super) fn say(
        &mut self,
        mut bytes: &[u8],
        until: Instant,
        stop: Option<BorrowedFd<'_>>,
    ) -> io::Result<()> {
        loop {
            let taken = self.offer(bytes)?;
            bytes = &bytes[taken..];
            self.flush()?;
            // Before the handshake is done, nothing of it is sent.
            if bytes.is_empty() && (!self.wants_write() || self.tls.is_handshaking()) {
                return Ok(());
            }
            wait_until(self.poll_fd(false), until, stop)?;
        }
    }

    /// The next frame, until `until` at most; none if the other side closed.
    pub(super) fn hear(
        &mut self,
        frames: &mut Frames,
        until: Instant,
        stop: Option<BorrowedFd<'_>>,
    ) -> io::Result<Option<Vec<u8>>> {
        let mut is_open = true;
        let mut bytes = Vec::new();
        loop {
            let frame = frames.take().map_err(|e| io::Error::new(ErrorKind::InvalidData, e))?;
            match frame {
                Some(frame) => return Ok(Some(frame.to_vec())),
                None if !is_open => return Ok(None),
                None => {}
            }
            self.flush()?;
            wait_until(self.poll_fd(true), until, stop)?;
            bytes.clear();
            is_open = self.receive(&mut bytes)?;
            frames.push(&bytes);
        }
    }

    /// Says that nothing more comes from here.
    pub(super) fn end(&mut self) {
        self.tls.send_close_notify();
        let _ = self.flush();
        let _ = self.tcp.shutdown(Shutdown::Write);
    }
}

/// What to wait for.
pub(super) fn flags(hears: bool, says: bool) -> PollFlags {
    let mut flags = PollFlags::empty();
    flags.set(PollFlags::IN, hears);
    flags.set(PollFlags::OUT, says);
    flags
}

/// Waits for `fd`, until `until` at most; whether it is ready.
///
/// # Errors
/// If the time is over, or `stop` can be read from.
pub(super) fn wait_until(fd: PollFd<'_>, until: Instant, stop: Option<BorrowedFd<'_>>) -> io::Result<bool> {
    let left = until.saturating_duration_since(Instant::now());
    if left.is_zero() {
        return Err(ErrorKind::TimedOut.into());
    }
    let mut fds = vec![fd];
    fds.extend(stop.map(|stop| PollFd::from_borrowed_fd(stop, PollFlags::IN)));
    wait(&mut fds, Some(left))?;
    if fds.get(1).is_some_and(|stop| !stop.revents().is_empty()) {
        return Err(ErrorKind::ConnectionAborted.into());
    }
    Ok(!fds[0].revents().is_empty())
}

/// Waits for one of `fds`, or until the time is over.
pub(super) fn wait(fds: &mut [PollFd<'_>], timeout: Option<Duration>) -> io::Result<()> {
    // A little more, or the caller would look at its clock just too early.
    let timeout = timeout.map(|left| left + Duration::from_millis(1));
    let timeout = timeout.and_then(|left| Timespec::try_from(left).ok());
    match poll(fds, timeout.as_ref()) {
        Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
        Err(e) => Err(e.into()),
    }
}
