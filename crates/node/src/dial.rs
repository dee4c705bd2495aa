//! The way from who dials to who listens, and what can be wrong on it. Each error
//! says what a person would look at next: by itself as a controller says it, by
//! [`DialError::at_node`] as a node does that dials out.

use std::io::{self, ErrorKind};
use std::net::{IpAddr, SocketAddr, TcpStream, ToSocketAddrs};
use std::os::fd::BorrowedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketFlags, SocketType, ipproto, sockopt};
use rustls::{AlertDescription, ClientConnection};

use super::frame::Frames;
use super::handshake::{
    Dialer, FULL, HANDSHAKE_MAX, HandshakeAnswer, HandshakeRequest, PROTOCOL, WRONG_CALLER, WRONG_KEY,
    WRONG_VERSION,
};
use super::join::JoinString;
use super::secure::{Secure, wait_until};
use super::tls;

/// How long an address may take to answer, and then a node to let us in.
const PATIENCE: Duration = Duration::from_secs(5);

/// The longest answer of a node: longer than a [`HandshakeRequest`], for it has a reason.
const ANSWER_MAX: usize = 4 * HANDSHAKE_MAX;

/// Why a node was not reached. `place` is its `HOST:PORT`.
#[derive(Debug, thiserror::Error)]
pub enum DialError {
    /// The name means nothing.
    #[error("the name in {place} means no address: {source}")]
    Name {
        /// Where.
        place: String,
        /// What the resolver said.
        source: io::Error,
    },
    /// The connection was refused.
    #[error("nobody listens at {0}: is `headroom node` running there, at this port?")]
    Nobody(String),
    /// The connection was not answered.
    #[error(
        "nothing answers at {0} within {seconds} s: the address may be wrong, the machine down, or a firewall may \
         drop what comes to that port",
        seconds = PATIENCE.as_secs()
    )]
    NoAnswer(String),
    /// There is another reason.
    #[error("{place} cannot be reached: {source}")]
    Connect {
        /// Where.
        place: String,
        /// What the kernel said.
        source: io::Error,
    },
    /// The address means nothing without an interface.
    #[error(
        "{0} is a link-local address, which means something on one interface only; data connections do not carry its \
         name. Give another address of that machine: if it has none, `ip address add fd00::2/64 dev INTERFACE` makes \
         one (and fd00::1/64 here)"
    )]
    LinkLocal(String),
    /// Something listens that stays silent.
    #[error("something listens at {0} and says nothing: it is no node, or one that hangs")]
    Silent(String),
    /// It closed at once.
    #[error(
        "what listens at {0} closed the connection before it said who it is: it is no node, or one with too many \
         connections"
    )]
    Closed(String),
    /// It does not speak TLS, or not as a node does.
    #[error("what answers at {place} is no node: {said}")]
    NoNode {
        /// Where.
        place: String,
        /// What was wrong with what it said.
        said: String,
    },
    /// Its certificate is another.
    #[error(
        "somebody else answers at {0}: the certificate is not the one in the join string. Either the node was given a \
         new key since (copy the string again), or somebody is in between; the key was not sent"
    )]
    Other(String),
    /// The node takes no connections from our address.
    #[error(
        "the node at {0} takes no connections from this machine's address (its --allow does not name it)"
    )]
    NotAllowed(String),
    /// The key is not the node's.
    #[error("the node at {0} does not know the key in the join string: copy the string again, whole")]
    WrongKey(String),
    /// The versions do not fit.
    #[error(
        "the versions do not fit: the node at {place} is headroom {program} (protocol {protocol}), this is headroom \
         {ours} (protocol {PROTOCOL}); use the same version on both machines",
        ours = env!("CARGO_PKG_VERSION")
    )]
    Version {
        /// Where.
        place: String,
        /// The node's version.
        program: String,
        /// Its protocol.
        protocol: u32,
    },
    /// The node has no place for another controller.
    #[error("the node at {place} takes nobody more: {reason}")]
    Full {
        /// Where.
        place: String,
        /// As the node says it.
        reason: String,
    },
    /// It listens for the same as we are.
    #[error("{place}: {reason}")]
    Alike {
        /// Where.
        place: String,
        /// As the other end says it.
        reason: String,
    },
    /// The node has another reason.
    #[error("the node at {place} lets nobody in: {reason}")]
    Refused {
        /// Where.
        place: String,
        /// As the node says it.
        reason: String,
    },
}

impl DialError {
    /// The same where a node dialled and a run should have answered.
    #[must_use]
    pub fn at_node(&self) -> String {
        match self {
            DialError::Nobody(place) => format!("nobody listens at {place}: no run waits there now"),
            DialError::Silent(place) => {
                format!("something listens at {place} and says nothing: it is no run, or one that hangs")
            }
            DialError::Closed(place) => format!(
                "what listens at {place} closed the connection before it said who it is: it is no run that waits for \
                 a node, or one that just ended"
            ),
            DialError::NoNode { place, said } => {
                format!("what answers at {place} is no run that waits for a node: {said}")
            }
            DialError::Other(place) => format!(
                "somebody else answers at {place}: the certificate is not the one in the join string. Either runs \
                 there have a new key file (copy the string again), or somebody is in between; the key was not sent"
            ),
            DialError::WrongKey(_)
            | DialError::Version { .. }
            | DialError::Full { .. }
            | DialError::Refused { .. } => self.to_string().replacen("the node at", "the run at", 1),
            DialError::Name { .. }
            | DialError::NoAnswer(_)
            | DialError::Connect { .. }
            | DialError::NotAllowed(_)
            | DialError::LinkLocal(_)
            | DialError::Alike { .. } => self.to_string(),
        }
    }

    /// Whether to dial again would end in the same way, until somebody changes
    /// something at one of the ends.
    #[must_use]
    pub fn is_lasting(&self) -> bool {
        matches!(
            self,
            DialError::Other(_)
                | DialError::WrongKey(_)
                | DialError::Version { .. }
                | DialError::Alike { .. }
                | DialError::NotAllowed(_)
                | DialError::LinkLocal(_)
        )
    }
}

/// Dials as a `caller` and is let in; gives the connection, what came after the
/// answer, and the address that was reached. It gives up when `stop` can be read
/// from.
pub(super) fn dial(
    join: &JoinString,
    caller: Dialer,
    stop: Option<BorrowedFd<'_>>,
) -> Result<(Secure, Frames, IpAddr), DialError> {
    let place = join.place();
    let addresses = (join.host.as_str(), join.port)
        .to_socket_addrs()
        .map_err(|source| DialError::Name { place: place.clone(), source })?;
    let mut last = None;
    for address in addresses {
        if matches!(address.ip(), IpAddr::V6(ip) if ip.is_unicast_link_local()) {
            last.get_or_insert_with(|| DialError::LinkLocal(place.clone()));
            continue;
        }
        match connect(address, stop) {
            Ok(tcp) => {
                let hello = HandshakeRequest::frame(&join.key, caller);
                let hello = hello.map_err(|source| DialError::Connect { place: place.clone(), source })?;
                let (secure, frames) = introduce(tcp, join, &hello, stop)?;
                return Ok((secure, frames, address.ip().to_canonical()));
            }
            Err(source) => last = Some(unconnected(source, &place)),
        }
    }
    Err(last.unwrap_or_else(|| DialError::Name { place, source: ErrorKind::NotFound.into() }))
}

/// A connection within [`PATIENCE`]. (Not `TcpStream::connect_timeout`, which
/// nothing ends.)
fn connect(address: SocketAddr, stop: Option<BorrowedFd<'_>>) -> io::Result<TcpStream> {
    let family = if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = rustix::net::socket_with(family, SocketType::STREAM, flags, Some(ipproto::TCP))?;
    match rustix::net::connect(&socket, &address) {
        Ok(()) | Err(Errno::INPROGRESS | Errno::INTR) => {}
        Err(error) => return Err(error.into()),
    }
    let until = Instant::now() + PATIENCE;
    while !wait_until(PollFd::new(&socket, PollFlags::OUT), until, stop)? {}
    sockopt::socket_error(&socket)??;
    Ok(TcpStream::from(socket))
}

fn unconnected(source: io::Error, place: &str) -> DialError {
    let place = place.to_owned();
    match source.kind() {
        ErrorKind::ConnectionRefused => DialError::Nobody(place),
        ErrorKind::TimedOut | ErrorKind::WouldBlock => DialError::NoAnswer(place),
        _ => DialError::Connect { place, source },
    }
}

/// TLS, then `hello` with the key and the version.
pub(super) fn introduce(
    tcp: TcpStream,
    join: &JoinString,
    hello: &[u8],
    stop: Option<BorrowedFd<'_>>,
) -> Result<(Secure, Frames), DialError> {
    let place = &join.place();
    let until = Instant::now() + PATIENCE;
    let is_other = Arc::new(AtomicBool::new(false));
    let broken = |e: io::Error| match e.kind() {
        _ if is_other.load(Ordering::Relaxed) => DialError::Other(place.to_owned()),
        _ => of_error(e, place),
    };
    let (config, name) =
        tls::client(join.fingerprint, Arc::clone(&is_other)).map_err(|e| no_node(place, &e))?;
    let tls = ClientConnection::new(config, name).map_err(|e| no_node(place, &e))?;
    let mut secure = Secure::new(tcp, tls).map_err(broken)?;
    // TLS keeps it until it knows who answers.
    secure.say(hello, until, stop).map_err(broken)?;
    let mut frames = Frames::new(ANSWER_MAX);
    let heard = secure.hear(&mut frames, until, stop).map_err(broken)?;
    let heard = heard.ok_or_else(|| DialError::Closed(place.to_owned()))?;
    let answer: HandshakeAnswer = serde_json::from_slice(&heard).map_err(|e| no_node(place, &e))?;
    judge(answer, place)?;
    frames.allow(usize::MAX);
    Ok((secure, frames))
}

fn judge(answer: HandshakeAnswer, place: &str) -> Result<(), DialError> {
    let place = place.to_owned();
    let Some(refused) = answer.refused else {
        return match answer.headroom {
            PROTOCOL => Ok(()),
            protocol => Err(DialError::Version { place, program: answer.program, protocol }),
        };
    };
    let reason = refused.reason;
    Err(match refused.kind.as_str() {
        WRONG_KEY => DialError::WrongKey(place),
        WRONG_VERSION => DialError::Version { place, program: answer.program, protocol: answer.headroom },
        FULL => DialError::Full { place, reason },
        WRONG_CALLER => DialError::Alike { place, reason },
        _ => DialError::Refused { place, reason },
    })
}

fn no_node(place: &str, said: &dyn std::fmt::Display) -> DialError {
    DialError::NoNode { place: place.to_owned(), said: said.to_string() }
}

fn of_error(error: io::Error, place: &str) -> DialError {
    let said = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
    match (said, error.kind()) {
        (Some(rustls::Error::AlertReceived(AlertDescription::AccessDenied)), _) => {
            DialError::NotAllowed(place.to_owned())
        }
        (Some(said), _) => no_node(place, said),
        (None, ErrorKind::TimedOut) => DialError::Silent(place.to_owned()),
        (
            None,
            ErrorKind::ConnectionReset
            | ErrorKind::BrokenPipe
            | ErrorKind::UnexpectedEof
            | ErrorKind::NotConnected,
        ) => DialError::Closed(place.to_owned()),
        (None, ErrorKind::InvalidData) => no_node(place, &error),
        _ => DialError::Connect { place: place.to_owned(), source: error },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_local_address_is_refused_with_what_to_do() {
        let secret = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8.ICEiIyQlJicoKSorLC0uLw";
        // The loopback's name is known everywhere.
        let join = JoinString::parse(&format!("headroom://[fe80::1%lo]:7117#{secret}")).unwrap();
        let Err(error) = dial(&join, Dialer::Controller, None) else { panic!("nobody is there") };
        assert!(matches!(&error, DialError::LinkLocal(place) if place == "[fe80::1%lo]:7117"), "{error}");
    }
}
