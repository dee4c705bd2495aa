//! Where a server is, and connections to it.

use std::net::{SocketAddr, ToSocketAddrs};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::time::Duration;

use engine::clock;
use engine::fault::Fault;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketFlags, SocketType, ipproto, sockopt};
use rustls::AlertDescription;
use rustls::pki_types::ServerName;

use crate::workload::http::certificates;
use crate::workload::http::peer::{self, PEER};
use crate::workload::http::stream::{Nothing, Secure, Stream};
use crate::workload::http::tls::{self, Trust};
use crate::workload::http::url::Url;
use crate::workload::net::ports;

/// A server, and how it is spoken to.
#[derive(Clone, Debug)]
pub(in crate::workload) struct Server {
    pub(in crate::workload) url: Url,
    /// Where it is; the one that answered first stands first.
    addresses: Vec<SocketAddr>,
    pub(in crate::workload) secure: Option<Secure>,
    /// How long it may be silent.
    pub(in crate::workload) patience: Duration,
    /// Whether it is the other end of the load, which is met and not found.
    is_peer: bool,
}

impl Server {
    /// The server that `url` names.
    ///
    /// # Errors
    /// If its name means nothing here, or no certificate could be believed.
    pub(in crate::workload) fn find(url: Url, trust: &Trust, patience: Duration) -> Result<Self, Fault> {
        let unknown = |why: String| Fault::Other(format!("the name `{}` leads nowhere: {why}", url.host));
        let addresses: Vec<SocketAddr> =
            (url.host.as_str(), url.port).to_socket_addrs().map_err(|e| unknown(e.to_string()))?.collect();
        if addresses.is_empty() {
            return Err(unknown("it has no address".to_owned()));
        }
        let secure = if url.is_secure {
            let name = ServerName::try_from(url.host.clone())
                .map_err(|_| unknown("no certificate can have it".to_owned()))?;
            Some(Secure { config: tls::config(trust)?, name })
        } else {
            None
        };
        Ok(Self { url, addresses, secure, patience, is_peer: false })
    }

    /// The other end of a load: what is said to it and of it; who makes its connections is
    /// `PeerServer`.
    pub(in crate::workload) fn peer(patience: Duration) -> Self {
        let (host, authority, path) = (PEER.to_owned(), PEER.to_owned(), "/".to_owned());
        let url = Url { is_secure: false, host, port: 80, authority, path };
        Self { url, addresses: Vec::new(), secure: None, patience, is_peer: true }
    }

    /// Whether it is the other end of the load.
    pub(in crate::workload) fn is_peer(&self) -> bool {
        self.is_peer
    }

    /// Whether a request without an answer goes again over a new connection, where the server closed the one that it
    /// was sent over ([`Nothing::is_closed`]): it may close one that was kept just as that is used again (RFC 9110,
    /// section 9.2.2; RFC 9112, section 9.5; nginx does after 1,000 answers). The other end of a load does not.
    pub(in crate::workload) fn asks_again(&self, is_kept: bool) -> bool {
        is_kept && !self.is_peer
    }

    /// Connections over TLS are to be of HTTP/2, and nothing else is offered.
    pub(in crate::workload) fn offer_http2(&mut self) {
        if let Some(secure) = &mut self.secure {
            Arc::make_mut(&mut secure.config).alpn_protocols = vec![tls::HTTP2.to_vec()];
        }
    }

    /// Where connections go.
    pub(in crate::workload) fn address(&self) -> SocketAddr {
        // There is one, or there would be no server.
        self.addresses.first().copied().unwrap_or_else(|| SocketAddr::from(([127, 0, 0, 1], self.url.port)))
    }

    /// Keeps to the first of its addresses that takes a connection, which is returned.
    ///
    /// # Errors
    /// If none does: what the last one said.
    pub(in crate::workload) fn reach(&mut self) -> Result<Stream, Fault> {
        let mut last = None;
        for place in 0..self.addresses.len() {
            self.addresses.swap(0, place);
            match self.connect() {
                Ok(stream) => return Ok(stream),
                Err(fault) => last = Some(fault),
            }
        }
        Err(last.unwrap_or_else(|| Fault::Other(format!("{} has no address", self.url.host))))
    }

    /// A socket that connects; whoever waits for it sees whether it does.
    ///
    /// # Errors
    /// If it cannot even begin.
    pub(in crate::workload) fn begin(&self) -> Result<OwnedFd, Errno> {
        let to = self.address();
        let family = if to.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let socket = rustix::net::socket_with(family, SocketType::STREAM, flags, Some(ipproto::TCP))?;
        sockopt::set_tcp_nodelay(&socket, true)?;
        match rustix::net::connect(&socket, &to) {
            Ok(()) | Err(Errno::INPROGRESS) => Ok(socket),
            Err(e) => Err(e),
        }
    }

    /// A connection that stands, with its handshake done.
    ///
    /// # Errors
    /// If it does not come about.
    pub(in crate::workload) fn connect(&self) -> Result<Stream, Fault> {
        let until_ns = clock::now_ns() + self.patience.as_nanos() as u64;
        let socket = self.begin().map_err(|e| self.refused(e, None))?;
        if !wait(&socket, PollFlags::OUT, until_ns)? {
            return Err(self.refused(Errno::TIMEDOUT, None));
        }
        sockopt::socket_error(&socket).and_then(|result| result).map_err(|e| self.refused(e, None))?;
        let mut stream = Stream::new(socket, self.secure.as_ref()).map_err(|e| self.distrusted(&e))?;
        loop {
            match stream.shake_hands() {
                Ok(()) => return Ok(stream),
                Err(Nothing::Yet) => {
                    let wanted = if stream.holds() { PollFlags::IN | PollFlags::OUT } else { PollFlags::IN };
                    if !wait(&stream, wanted, until_ns)? {
                        return Err(self.silent("in the handshake of TLS"));
                    }
                }
                Err(e) => return Err(self.broken(&e, "in the handshake of TLS")),
            }
        }
    }

    /// The fault of a connection that did not come about, after `made` that did.
    pub(in crate::workload) fn refused(&self, error: Errno, made: Option<u64>) -> Fault {
        let at = format!("{} ({})", self.address(), self.url.host);
        match error {
            e if ports::are_used_up(e) => {
                ports::used_up(made, "Use keep-alive=yes, a rate, or a wider net.ipv4.ip_local_port_range")
            }
            Errno::CONNREFUSED => Fault::Other(format!(
                "nothing takes connections at {at}: the server is not there, or has ended"
            )),
            Errno::TIMEDOUT => Fault::Other(format!(
                "could not connect to {at} within {} s: the server is down, or something on the way drops the packets",
                self.patience.as_secs_f64()
            )),
            e => Fault::system(format!("connecting to {at}"), e),
        }
    }

    /// The fault of a connection that gave nothing while something was done.
    pub(in crate::workload) fn broken(&self, why: &Nothing, doing: &str) -> Fault {
        match why {
            Nothing::Yet => self.silent(doing),
            Nothing::Tls(e) => self.distrusted(e),
            // Why, only it can say.
            Nothing::Broken(e) if self.is_peer => peer::broken(*e),
            why if why.is_closed() => Fault::Other(format!(
                "{} broke the connection off {doing}: its program ended, or refuses such requests",
                self.url.authority
            )),
            Nothing::Broken(e) => Fault::system(format!("{} {doing}", self.url.authority), *e),
        }
    }

    /// The fault of a server that says nothing.
    pub(in crate::workload) fn silent(&self, doing: &str) -> Fault {
        let who = if self.is_peer { "the other end" } else { self.url.authority.as_str() };
        let seconds = self.patience.as_secs_f64();
        Fault::Other(format!("{who} sent nothing for {seconds} s {doing} (timeout)"))
    }

    /// The fault of a response that is none.
    pub(in crate::workload) fn malformed(&self, why: impl std::fmt::Display) -> Fault {
        Fault::Other(format!("the response from {} is no HTTP/1.1: {why}", self.url.authority))
    }

    /// The fault of a server that does not choose HTTP/2.
    pub(in crate::workload) fn refuses_http2(&self) -> Fault {
        Fault::Other(format!(
            "{} does not choose HTTP/2, and nothing else was offered (h2 by ALPN): use http=1.1",
            self.url.authority
        ))
    }

    fn distrusted(&self, error: &rustls::Error) -> Fault {
        let at = &self.url.authority;
        let offers_http2 =
            self.secure.as_ref().is_some_and(|secure| secure.config.alpn_protocols == [tls::HTTP2]);
        let why = match error {
            rustls::Error::AlertReceived(AlertDescription::NoApplicationProtocol) if offers_http2 => {
                return self.refuses_http2();
            }
            rustls::Error::InvalidCertificate(why) => certificates::explained(why, &self.url.host),
            other => return Fault::Other(format!("{at} cannot be spoken to over TLS: {other}")),
        };
        Fault::Other(format!(
            "the certificate of {at} is not believed: {why}. Name a file of authorities (ca-file), or measure \
             without looking at it (insecure=yes)"
        ))
    }
}

/// Waits until a call on `fd` would not; whether that was before `until_ns`.
pub(in crate::workload) fn wait(fd: &impl AsFd, wanted: PollFlags, until_ns: u64) -> Result<bool, Fault> {
    loop {
        let left_ns = until_ns.saturating_sub(clock::now_ns());
        let mut fds = [PollFd::new(fd, wanted)];
        match poll(&mut fds, Some(&clock::timespec(left_ns))) {
            Ok(0) if left_ns == 0 => return Ok(false),
            Ok(0) | Err(Errno::INTR) => {}
            Ok(_) => return Ok(true),
            Err(e) => return Err(Fault::system("waiting for a server", e)),
        }
    }
}
