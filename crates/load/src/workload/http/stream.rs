//! A connection to a server, in the clear or over TLS, of which no call waits.

use std::io::{ErrorKind, Read, Write};
use std::ops::Range;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags};
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection};

/// Bytes of TLS that one call receives: a session itself takes 4 KiB at a time.
const RAW: usize = 64 << 10;

/// Why a call gave nothing.
#[derive(Debug, thiserror::Error)]
pub(in crate::workload) enum Nothing {
    /// It would have waited.
    #[error("nothing yet")]
    Yet,
    /// The kernel refused it, or the connection is broken.
    #[error("{0}")]
    Broken(#[from] Errno),
    /// What came is no TLS that can be believed.
    #[error("{0}")]
    Tls(#[from] rustls::Error),
}

impl Nothing {
    /// Whether the other end closed the connection or broke it off.
    pub(in crate::workload) fn is_closed(&self) -> bool {
        matches!(self, Self::Broken(Errno::CONNRESET | Errno::PIPE))
    }
}

/// The session over a connection, made for a server's name.
#[derive(Clone, Debug)]
pub(in crate::workload) struct Secure {
    pub(in crate::workload) config: Arc<ClientConfig>,
    pub(in crate::workload) name: ServerName<'static>,
}

/// A session, and what was received for it.
#[derive(Debug)]
struct Tls {
    session: ClientConnection,
    /// Where what is received lies; empty until something is.
    raw: Vec<u8>,
    /// What of it the session has not taken.
    held: Range<usize>,
}

/// A connection.
#[derive(Debug)]
pub(in crate::workload) struct Stream {
    socket: OwnedFd,
    tls: Option<Box<Tls>>,
}

impl AsFd for Stream {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

impl Stream {
    /// Over a socket that is connected or connects.
    ///
    /// # Errors
    /// If no session can be made.
    pub(in crate::workload) fn new(socket: OwnedFd, secure: Option<&Secure>) -> Result<Self, rustls::Error> {
        let tls = secure.map(|secure| {
            let session = ClientConnection::new(Arc::clone(&secure.config), secure.name.clone())?;
            Ok::<_, rustls::Error>(Box::new(Tls { session, raw: Vec::new(), held: 0..0 }))
        });
        Ok(Self { socket, tls: tls.transpose()? })
    }

    /// The session, where there is one.
    pub(in crate::workload) fn session(&self) -> Option<&ClientConnection> {
        self.tls.as_ref().map(|tls| &tls.session)
    }

    /// Whether bytes go as they are.
    #[inline]
    pub(in crate::workload) fn is_plain(&self) -> bool {
        self.tls.is_none()
    }

    /// Goes on with a handshake; whether it is done.
    ///
    /// # Errors
    /// If it would wait, or failed.
    pub(in crate::workload) fn shake_hands(&mut self) -> Result<(), Nothing> {
        let Some(tls) = &mut self.tls else { return Ok(()) };
        loop {
            flush(&mut tls.session, &self.socket)?;
            if !tls.session.is_handshaking() {
                return Ok(());
            }
            if take_in(tls, &self.socket)? == 0 {
                return Err(Errno::CONNRESET.into());
            }
        }
    }

    /// Whether something waits to be sent that was already taken.
    #[inline]
    pub(in crate::workload) fn holds(&self) -> bool {
        self.session().is_some_and(|session| session.wants_write())
    }

    /// Sends of `bytes` what can be taken now.
    ///
    /// # Errors
    /// If nothing can, or the connection is broken.
    #[inline]
    pub(in crate::workload) fn send(&mut self, bytes: &[u8]) -> Result<usize, Nothing> {
        let Some(Tls { session, .. }) = self.tls.as_deref_mut() else {
            loop {
                match rustix::net::send(&self.socket, bytes, SendFlags::NOSIGNAL | SendFlags::DONTWAIT) {
                    Err(Errno::INTR) => {}
                    Err(Errno::AGAIN) => return Err(Nothing::Yet),
                    result => return Ok(result?),
                }
            }
        };
        match flush(session, &self.socket) {
            Ok(()) | Err(Nothing::Yet) => {}
            Err(e) => return Err(e),
        }
        // What is encrypted and not taken by the kernel is bounded.
        let taken = session.writer().write(bytes).unwrap_or_default();
        match flush(session, &self.socket) {
            Err(Nothing::Yet) if taken > 0 => Ok(taken),
            Ok(()) if taken > 0 || bytes.is_empty() => Ok(taken),
            Ok(()) => Err(Nothing::Yet),
            Err(e) => Err(e),
        }
    }

    /// Receives what is there, 0 if the other end said that no more comes.
    ///
    /// # Errors
    /// If nothing is there, or the connection is broken.
    #[inline]
    pub(in crate::workload) fn receive(&mut self, into: &mut [u8]) -> Result<usize, Nothing> {
        let Some(tls) = &mut self.tls else {
            loop {
                match rustix::net::recv(&self.socket, &mut *into, RecvFlags::DONTWAIT) {
                    Err(Errno::INTR) => {}
                    Err(Errno::AGAIN) => return Err(Nothing::Yet),
                    result => return Ok(result?.0),
                }
            }
        };
        loop {
            match tls.session.reader().read(into) {
                Ok(bytes) => return Ok(bytes),
                Err(e) if e.kind() == ErrorKind::WouldBlock => {}
                // The end without a farewell of TLS: what is whole is told by its length.
                Err(_) => return Ok(0),
            }
            take_in(tls, &self.socket)?;
        }
    }
}

/// Hands over what the session has to send.
fn flush(session: &mut ClientConnection, socket: &OwnedFd) -> Result<(), Nothing> {
    while session.wants_write() {
        if let Err(e) = session.write_tls(&mut Raw(socket)) {
            return Err(nothing(&e));
        }
    }
    Ok(())
}

/// Takes in some of what is there; 0 if no more comes.
fn take_in(tls: &mut Tls, socket: &OwnedFd) -> Result<usize, Nothing> {
    let Tls { session, raw, held } = tls;
    let bytes = session.read_tls(&mut Incoming { socket, raw, held }).map_err(|e| nothing(&e))?;
    if let Err(e) = session.process_new_packets() {
        // Tells the server why, if it still hears.
        let _ = flush(session, socket);
        return Err(e.into());
    }
    match flush(session, socket) {
        Ok(()) | Err(Nothing::Yet) => Ok(bytes),
        Err(e) => Err(e),
    }
}

fn nothing(error: &std::io::Error) -> Nothing {
    match error.kind() {
        ErrorKind::WouldBlock => Nothing::Yet,
        _ => Nothing::Broken(Errno::from_io_error(error).unwrap_or(Errno::IO)),
    }
}

/// The socket as a session reads it: of one call that receives, as often as there is something left.
struct Incoming<'a> {
    socket: &'a OwnedFd,
    raw: &'a mut Vec<u8>,
    held: &'a mut Range<usize>,
}

impl Read for Incoming<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        if self.held.start >= self.held.end {
            self.raw.resize(RAW, 0);
            let room = &mut self.raw[..];
            let receive = || rustix::net::recv(self.socket, &mut *room, RecvFlags::DONTWAIT);
            *self.held = 0..rustix::io::retry_on_intr(receive)?.0;
        }
        let most = self.held.len().min(into.len());
        let end = self.held.start + most;
        into[..most].copy_from_slice(&self.raw[self.held.start..end]);
        self.held.start = end;
        Ok(most)
    }
}

/// The socket as a session writes it.
struct Raw<'a>(&'a OwnedFd);

impl Write for Raw<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
        Ok(rustix::io::retry_on_intr(|| rustix::net::send(self.0, bytes, flags))?)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixStream;

    use super::*;

    #[test]
    fn regression_a_session_is_fed_by_calls_that_receive_much() {
        let (mut far, near) = UnixStream::pair().unwrap();
        let sent: Vec<u8> = (0..10_000_u32).map(|place| (place % 251) as u8).collect();
        far.write_all(&sent).unwrap();
        let socket = OwnedFd::from(near);
        let (mut raw, mut held) = (Vec::new(), 0..0);
        let mut read = |most: usize| {
            let mut room = vec![0; most];
            let got = Incoming { socket: &socket, raw: &mut raw, held: &mut held }.read(&mut room)?;
            room.truncate(got);
            Ok::<_, std::io::Error>(room)
        };
        assert_eq!(read(4096).unwrap(), &sent[..4096]);
        // The first call has taken all.
        let left = rustix::net::recv(&socket, &mut [0_u8; 1][..], RecvFlags::DONTWAIT);
        assert_eq!(left.map(|(got, _)| got), Err(Errno::AGAIN));
        assert_eq!(read(4096).unwrap(), &sent[4096..8192]);
        assert_eq!(read(4096).unwrap(), &sent[8192..]);
        assert_eq!(read(4096).unwrap_err().kind(), ErrorKind::WouldBlock);
        drop(far);
        assert!(read(4096).unwrap().is_empty());
    }
}
