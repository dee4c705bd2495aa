//! A connection to a server, in the clear or over TLS, of which no call waits.

use std::io::{ErrorKind, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags};
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection};

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

/// The session over a connection, made for a server's name.
#[derive(Clone, Debug)]
pub(in crate::workload) struct Secure {
    pub(in crate::workload) config: Arc<ClientConfig>,
    pub(in crate::workload) name: ServerName<'static>,
}

/// A connection.
#[derive(Debug)]
pub(in crate::workload) struct Stream {
    socket: OwnedFd,
    session: Option<Box<ClientConnection>>,
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
        let session = secure.map(|secure| {
            ClientConnection::new(Arc::clone(&secure.config), secure.name.clone()).map(Box::new)
        });
        Ok(Self { socket, session: session.transpose()? })
    }

    /// The session, where there is one.
    pub(in crate::workload) fn session(&self) -> Option<&ClientConnection> {
        self.session.as_deref()
    }

    /// Whether bytes go as they are.
    #[inline]
    pub(in crate::workload) fn is_plain(&self) -> bool {
        self.session.is_none()
    }

    /// Goes on with a handshake; whether it is done.
    ///
    /// # Errors
    /// If it would wait, or failed.
    pub(in crate::workload) fn shake_hands(&mut self) -> Result<(), Nothing> {
        let Some(session) = &mut self.session else { return Ok(()) };
        loop {
            flush(session, &self.socket)?;
            if !session.is_handshaking() {
                return Ok(());
            }
            if take_in(session, &self.socket)? == 0 {
                return Err(Errno::CONNRESET.into());
            }
        }
    }

    /// Whether something waits to be sent that was already taken.
    #[inline]
    pub(in crate::workload) fn holds(&self) -> bool {
        self.session.as_ref().is_some_and(|session| session.wants_write())
    }

    /// Sends of `bytes` what can be taken now.
    ///
    /// # Errors
    /// If nothing can, or the connection is broken.
    #[inline]
    pub(in crate::workload) fn send(&mut self, bytes: &[u8]) -> Result<usize, Nothing> {
        let Some(session) = &mut self.session else {
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
        let Some(session) = &mut self.session else {
            loop {
                match rustix::net::recv(&self.socket, &mut *into, RecvFlags::DONTWAIT) {
                    Err(Errno::INTR) => {}
                    Err(Errno::AGAIN) => return Err(Nothing::Yet),
                    result => return Ok(result?.0),
                }
            }
        };
        loop {
            match session.reader().read(into) {
                Ok(bytes) => return Ok(bytes),
                Err(e) if e.kind() == ErrorKind::WouldBlock => {}
                // The end without a farewell of TLS: what is whole is told by its length.
                Err(_) => return Ok(0),
            }
            take_in(session, &self.socket)?;
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

/// Takes in what is there; 0 if no more comes.
fn take_in(session: &mut ClientConnection, socket: &OwnedFd) -> Result<usize, Nothing> {
    let bytes = session.read_tls(&mut Raw(socket)).map_err(|e| nothing(&e))?;
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

/// The socket as a session reads and writes it.
struct Raw<'a>(&'a OwnedFd);

impl Read for Raw<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        Ok(rustix::io::retry_on_intr(|| rustix::net::recv(self.0, &mut *into, RecvFlags::DONTWAIT))?.0)
    }
}

impl Write for Raw<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let flags = SendFlags::NOSIGNAL | SendFlags::DONTWAIT;
        Ok(rustix::io::retry_on_intr(|| rustix::net::send(self.0, bytes, flags))?)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
