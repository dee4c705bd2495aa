//! Where a server of a database is, and a connection to it whose calls wait.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, ToSocketAddrs};
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use bytes::{Buf, BytesMut};
use engine::clock;
use model::plan::Problem;
use rustix::event::PollFlags;
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, ipproto, sockopt};
use rustls::pki_types::ServerName;

use crate::workload::db::client::StatementFailure;
use crate::workload::db::password::Password;
use crate::workload::db::url::DatabaseUrl;
use crate::workload::db::wire::{Account, Codec, lost};
use crate::workload::http::client::wait;
use crate::workload::http::stream::{Nothing, Secure, Stream};
use crate::workload::http::tls::{self, Trust};

/// How much longer than a lock a server may keep silent: it gives the lock up by itself first, and says so.
const MORE_PATIENCE: Duration = Duration::from_secs(20);

/// How long is waited before a Unix socket whose queue is full is tried again.
const QUEUE_FULL: Duration = Duration::from_millis(1);

/// What one call receives.
const ROOM: usize = 16 << 10;

/// The options of a URL that say how TLS is used, by the words of PostgreSQL's and MySQL's own clients too.
const TLS_OPTIONS: [&str; 4] = ["tls", "sslmode", "ssl-mode", "sslMode"];
/// Those that name a file with the certificates of authorities.
const AUTHORITY_OPTIONS: [&str; 3] = ["ca-file", "sslrootcert", "ssl-ca"];

/// The one that says that a server of MySQL may send the key that a password is encrypted for, by the word of MySQL's own
/// clients.
const SENT_KEY_OPTION: &str = "get-server-public-key";

/// Where it listens.
#[derive(Clone, Debug, PartialEq, Eq)]
enum ServerAddress {
    Network(Vec<SocketAddr>),
    Socket(PathBuf),
}

/// A server, and how it is spoken to.
#[derive(Clone, Debug)]
pub(in crate::workload) struct DatabaseServer {
    pub(in crate::workload) url: DatabaseUrl,
    pub(in crate::workload) account: Account,
    address: ServerAddress,
    secure: Option<Secure>,
    /// How long a statement waits for a lock.
    timeout: Duration,
    /// What each session begins with.
    pub(super) session: Vec<String>,
}

impl DatabaseServer {
    /// The server that `url` names, which speaks the protocol of `C`. A statement waits for a lock for `timeout`.
    ///
    /// # Errors
    /// If its name means nothing here, or an option is not known.
    pub(in crate::workload) fn find<C: Codec>(
        url: &DatabaseUrl,
        password: Option<Password>,
        timeout: Duration,
    ) -> Result<Self, StatementFailure> {
        let trust = trust(url).map_err(|problem| lost(problem.message))?;
        let port = url.port.unwrap_or(C::PORT);
        let socket = C::socket(&url.host, port);
        let is_socket = url.host.starts_with('/') || url.host.is_empty() && socket.exists();
        let address = if is_socket { ServerAddress::Socket(socket) } else { network(&url.host, port)? };
        let secure = match (trust, &address) {
            (Some(trust), ServerAddress::Network(_)) => Some(secure(&url.host, &trust)?),
            _ => None,
        };
        let user = if url.user.is_empty() { own_name() } else { url.user.clone() };
        let trusts_sent_key = trusts_sent_key(url).map_err(|problem| lost(problem.message))?;
        let account = Account { user, database: url.database.clone(), password, trusts_sent_key };
        Ok(Self { url: url.clone(), account, address, secure, timeout, session: Vec::new() })
    }

    /// The same server, and another of its databases.
    pub(in crate::workload) fn with_database(&self, database: &str) -> Self {
        let mut other = self.clone();
        database.clone_into(&mut other.account.database);
        database.clone_into(&mut other.url.database);
        other
    }

    /// The same server; each session executes `statements` first.
    pub(in crate::workload) fn with_session(self, statements: Vec<String>) -> Self {
        Self { session: statements, ..self }
    }

    /// How long a statement waits for a lock, ms; at least one.
    pub(in crate::workload) fn lock_timeout_ms(&self) -> u64 {
        u64::try_from(self.timeout.as_millis()).unwrap_or(u64::MAX).max(1)
    }

    /// How long it may be silent before it is taken for dead.
    pub(in crate::workload) fn patience(&self) -> Duration {
        self.timeout.saturating_add(MORE_PATIENCE)
    }

    /// How bytes get there, for facts.
    pub(in crate::workload) fn way(&self) -> &'static str {
        match (&self.address, &self.secure) {
            (ServerAddress::Socket(_), _) => "Unix socket",
            (ServerAddress::Network(_), None) => "TCP",
            (ServerAddress::Network(_), Some(_)) => "TLS",
        }
    }

    /// A connection that stands; nothing is said over it yet.
    ///
    /// # Errors
    /// If it does not come about.
    pub(in crate::workload) fn connect(&self) -> Result<WireStream, StatementFailure> {
        let until_ns = clock::now_ns().saturating_add(nanoseconds(self.patience()));
        let socket = match &self.address {
            ServerAddress::Socket(path) => self.connect_socket(path, until_ns),
            ServerAddress::Network(all) => self.connect_network(all, until_ns),
        }?;
        let stream = Stream::new(socket, None).map_err(|e| lost(format!("{}: {e}", self.url.who())))?;
        Ok(WireStream {
            stream,
            received: BytesMut::new(),
            who: self.url.who(),
            secure: self.secure.clone(),
            is_secure: false,
            patience: self.patience(),
            farewell: &[],
        })
    }

    fn connect_socket(&self, path: &Path, until_ns: u64) -> Result<OwnedFd, StatementFailure> {
        let is_ours = self.url.started.is_some();
        let at = if is_ours { self.url.who() } else { path.display().to_string() };
        let refused = |e: Errno| self.refused(e, &at);
        let to = SocketAddrUnix::new(path).map_err(refused)?;
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let socket = rustix::net::socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)
            .map_err(refused)?;
        loop {
            match rustix::net::connect(&socket, &to) {
                Ok(()) => return Ok(socket),
                Err(Errno::AGAIN) if clock::now_ns() < until_ns => std::thread::sleep(QUEUE_FULL),
                Err(e) => return Err(refused(e)),
            }
        }
    }

    /// To the first of its addresses that takes a connection.
    fn connect_network(&self, all: &[SocketAddr], until_ns: u64) -> Result<OwnedFd, StatementFailure> {
        let mut last = lost(format!("{} has no address", self.url.host));
        for to in all {
            match connect_to(to, until_ns) {
                Ok(socket) => return Ok(socket),
                Err(e) => last = self.refused(e, &to.to_string()),
            }
        }
        Err(last)
    }

    /// The failure of a connection that did not come about.
    #[cold]
    fn refused(&self, error: Errno, at: &str) -> StatementFailure {
        let why = match error {
            Errno::CONNREFUSED | Errno::NOENT if self.url.started.is_some() => {
                format!("{at} takes no connections: it has ended")
            }
            Errno::CONNREFUSED | Errno::NOENT => {
                format!("nothing takes connections at {at}: the server is not there, or has ended")
            }
            Errno::TIMEDOUT | Errno::AGAIN => format!(
                "could not connect to {at} within {} s: the server is down, or something on the way drops the packets",
                self.patience().as_secs()
            ),
            e => format!("connecting to {at}: {}", std::io::Error::from(e)),
        };
        lost(why)
    }
}

/// A TCP connection to this address.
fn connect_to(to: &SocketAddr, until_ns: u64) -> Result<OwnedFd, Errno> {
    let family = if to.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = rustix::net::socket_with(family, SocketType::STREAM, flags, Some(ipproto::TCP))?;
    sockopt::set_tcp_nodelay(&socket, true)?;
    sockopt::set_socket_keepalive(&socket, true)?;
    match rustix::net::connect(&socket, to) {
        Ok(()) | Err(Errno::INPROGRESS) => {}
        Err(e) => return Err(e),
    }
    if !wait(&socket, PollFlags::OUT, until_ns).map_err(|_| Errno::IO)? {
        return Err(Errno::TIMEDOUT);
    }
    sockopt::socket_error(&socket).and_then(|result| result)?;
    Ok(socket)
}

fn network(host: &str, port: u16) -> Result<ServerAddress, StatementFailure> {
    if host.is_empty() {
        let here = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port);
        return Ok(ServerAddress::Network(vec![here]));
    }
    let unknown = |why: String| lost(format!("the name `{host}` leads nowhere: {why}"));
    let all: Vec<SocketAddr> = (host, port).to_socket_addrs().map_err(|e| unknown(e.to_string()))?.collect();
    if all.is_empty() {
        Err(unknown("it has no address".to_owned()))
    } else {
        Ok(ServerAddress::Network(all))
    }
}

fn secure(host: &str, trust: &Trust) -> Result<Secure, StatementFailure> {
    let host = if host.is_empty() { "localhost" } else { host };
    let name = ServerName::try_from(host.to_owned())
        .map_err(|_| lost(format!("no certificate can have the name `{host}`")))?;
    let mut config = tls::config(trust).map_err(|fault| lost(fault.to_string()))?;
    // These are other protocols than HTTP.
    Arc::make_mut(&mut config).alpn_protocols = Vec::new();
    Ok(Secure { config, name })
}

/// Whose certificates are believed, where the options of `url` ask for TLS.
///
/// # Errors
/// If one is not known.
pub(in crate::workload) fn trust(url: &DatabaseUrl) -> Result<Option<Trust>, Problem> {
    let mut file = None;
    let mut way = None;
    for (name, value) in &url.options {
        if TLS_OPTIONS.contains(&name.as_str()) {
            way = Some(value.to_ascii_lowercase());
        } else if AUTHORITY_OPTIONS.contains(&name.as_str()) {
            file = Some(PathBuf::from(value));
        } else if name != SENT_KEY_OPTION {
            return Err(Problem::invalid(
                format!("the url has an option `{name}`, which is not known"),
                "tls=off, tls=require, tls=verify and ca-file=FILE are",
            ));
        }
    }
    let way = way.unwrap_or_else(|| if file.is_some() { "verify" } else { "off" }.to_owned());
    match way.as_str() {
        "off" | "disable" | "disabled" => Ok(None),
        "require" | "required" => Ok(Some(Trust::Any)),
        // The name is looked at, too: a certificate that anybody may have proves nothing.
        "verify" | "verify-full" | "verify-ca" | "verify_ca" | "verify_identity" => {
            Ok(Some(file.map_or(Trust::Machine, Trust::File)))
        }
        _ => Err(Problem::invalid(
            format!(
                "the url asks for `{way}` as TLS, which leaves open or does not say whether there is any"
            ),
            "tls=off, tls=require (any certificate) or tls=verify",
        )),
    }
}

/// Whether the options of `url` allow a password to be encrypted for whatever key the server sends.
///
/// # Errors
/// If it says neither yes nor no.
pub(in crate::workload) fn trusts_sent_key(url: &DatabaseUrl) -> Result<bool, Problem> {
    let said = url.options.iter().rev().find(|(name, _)| name == SENT_KEY_OPTION);
    match said.map_or("no", |(_, value)| value.as_str()) {
        "yes" => Ok(true),
        "no" => Ok(false),
        other => Err(Problem::invalid(
            format!("`{other}` is nothing that {SENT_KEY_OPTION} can be"),
            "get-server-public-key=yes, or leave it out",
        )),
    }
}

/// What this machine calls the user of this process, whom servers let in by their socket; `root` if it has no name.
fn own_name() -> String {
    let own = rustix::process::geteuid().as_raw().to_string();
    let users = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    let is_own = |line: &&str| line.split(':').nth(2) == Some(own.as_str());
    let name = users.lines().find(is_own).and_then(|line| line.split(':').next());
    name.unwrap_or("root").to_owned()
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// A connection whose calls wait.
#[derive(Debug)]
pub(in crate::workload) struct WireStream {
    pub(super) stream: Stream,
    received: BytesMut,
    /// Whom it leads to, in messages.
    who: String,
    /// How TLS is begun, where it is asked for.
    secure: Option<Secure>,
    is_secure: bool,
    patience: Duration,
    /// What is sent when it is dropped, so that the server does not take it for an accident.
    farewell: &'static [u8],
}

impl Drop for WireStream {
    fn drop(&mut self) {
        if !self.farewell.is_empty() {
            // Who does not hear it sees the connection end.
            let _ = self.stream.send(self.farewell);
        }
    }
}

impl WireStream {
    /// Whether TLS is asked for and was not begun yet.
    pub(in crate::workload) fn wants_tls(&self) -> bool {
        self.secure.is_some() && !self.is_secure
    }

    /// Whether nobody on the way can read what is sent: TLS, or a Unix socket.
    pub(in crate::workload) fn is_private(&self) -> bool {
        let family = rustix::net::getsockname(&self.stream).map(|name| name.address_family());
        self.is_secure || family == Ok(AddressFamily::UNIX)
    }

    /// The certificate that the server showed, in DER.
    pub(in crate::workload) fn certificate(&self) -> Option<&[u8]> {
        self.stream.session()?.peer_certificates()?.first().map(|certificate| certificate.as_ref())
    }

    /// How long the server may be silent from now on.
    pub(in crate::workload) fn set_patience(&mut self, patience: Duration) {
        self.patience = patience;
    }

    /// What came and was not taken.
    pub(in crate::workload) fn received(&self) -> &[u8] {
        &self.received
    }

    /// The same, for who takes messages out of it.
    pub(in crate::workload) fn received_mut(&mut self) -> &mut BytesMut {
        &mut self.received
    }

    /// Takes so many bytes of it.
    pub(in crate::workload) fn advance(&mut self, bytes: usize) {
        self.received.advance(bytes.min(self.received.len()));
    }

    /// Sends all of `bytes`.
    ///
    /// # Errors
    /// If the connection breaks, or the server takes nothing for too long.
    pub(in crate::workload) fn send(&mut self, mut bytes: &[u8]) -> Result<(), StatementFailure> {
        while !bytes.is_empty() || self.stream.holds() {
            match self.stream.send(bytes) {
                Ok(sent) => bytes = &bytes[sent..],
                Err(Nothing::Yet) => self.wait(PollFlags::OUT, "while a request was sent")?,
                Err(e) => return Err(self.broken(&e)),
            }
        }
        Ok(())
    }

    /// Waits until something more was received.
    ///
    /// # Errors
    /// If nothing comes for too long, or the connection ends.
    pub(in crate::workload) fn receive(&mut self) -> Result<(), StatementFailure> {
        let mut room = [0; ROOM];
        loop {
            match self.stream.receive(&mut room) {
                Ok(0) => return Err(self.broken(&Nothing::Broken(Errno::CONNRESET))),
                Ok(got) => {
                    self.received.extend_from_slice(&room[..got]);
                    return Ok(());
                }
                Err(Nothing::Yet) => self.wait(PollFlags::IN, "when it was to answer")?,
                Err(e) => return Err(self.broken(&e)),
            }
        }
    }

    /// Begins TLS, which the server has agreed to.
    ///
    /// # Errors
    /// If the handshake fails; or if bytes came before it, which somebody else may have sent (CVE-2021-23222).
    pub(in crate::workload) fn begin_tls(&mut self) -> Result<(), StatementFailure> {
        if !self.received.is_empty() {
            return Err(lost(format!("{} sent bytes in the clear after it had agreed to TLS", self.who)));
        }
        let Some(secure) = self.secure.clone() else { return Ok(()) };
        let kept = self.stream.as_fd().try_clone_to_owned();
        let kept = kept.map_err(|e| lost(format!("{}: {e}", self.who)))?;
        self.stream = Stream::new(kept, Some(&secure)).map_err(|e| self.broken(&Nothing::Tls(e)))?;
        loop {
            match self.stream.shake_hands() {
                Ok(()) => break,
                Err(Nothing::Yet) => {
                    let wanted =
                        if self.stream.holds() { PollFlags::IN | PollFlags::OUT } else { PollFlags::IN };
                    self.wait(wanted, "in the handshake of TLS")?;
                }
                Err(e) => return Err(self.broken(&e)),
            }
        }
        self.is_secure = true;
        Ok(())
    }

    /// Says what ends the connection in the server's protocol, once the server would understand it.
    pub(in crate::workload) fn set_farewell(&mut self, farewell: &'static [u8]) {
        self.farewell = farewell;
    }

    /// The connection itself, for who does not wait.
    #[inline]
    pub(in crate::workload) fn stream(&mut self) -> &mut Stream {
        &mut self.stream
    }

    /// How long the server may be silent.
    pub(in crate::workload) fn patience(&self) -> Duration {
        self.patience
    }

    fn wait(&self, wanted: PollFlags, doing: &str) -> Result<(), StatementFailure> {
        let until_ns = clock::now_ns().saturating_add(nanoseconds(self.patience));
        match wait(&self.stream, wanted, until_ns) {
            Ok(true) => Ok(()),
            Ok(false) => Err(self.silent(doing)),
            Err(fault) => Err(lost(fault.to_string())),
        }
    }

    /// The failure of a server that says nothing.
    #[cold]
    pub(in crate::workload) fn silent(&self, doing: &str) -> StatementFailure {
        lost(format!("{} did nothing for {} s {doing}", self.who, self.patience.as_secs()))
    }

    /// The failure of a connection that broke.
    #[cold]
    pub(in crate::workload) fn broken(&self, why: &Nothing) -> StatementFailure {
        let who = &self.who;
        lost(match why {
            Nothing::Broken(Errno::CONNRESET | Errno::PIPE) => {
                format!(
                    "{who} ended the connection: the server was stopped or restarted, or has ended this client"
                )
            }
            Nothing::Tls(rustls::Error::InvalidCertificate(why)) => format!(
                "the certificate of {who} is not believed ({why}): name a file of authorities (ca-file=FILE in the url), \
                 or do not look at it (tls=require)"
            ),
            Nothing::Tls(e) => format!("{who} cannot be spoken to over TLS: {e}"),
            other => format!("{who}: {other}"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_say_whether_there_is_tls_and_whom_it_believes() {
        let of = |options: &str| trust(&DatabaseUrl::parse(&format!("postgres://here/x{options}")).unwrap());
        assert_eq!(of(""), Ok(None));
        assert_eq!(of("?sslmode=disable"), Ok(None));
        assert_eq!(of("?tls=require"), Ok(Some(Trust::Any)));
        assert_eq!(of("?ssl-mode=VERIFY_IDENTITY"), Ok(Some(Trust::Machine)));
        let file = Trust::File(PathBuf::from("/ca.pem"));
        assert_eq!(of("?ca-file=/ca.pem"), Ok(Some(file.clone())));
        assert_eq!(of("?sslmode=verify-full&sslrootcert=/ca.pem"), Ok(Some(file)));
        assert!(of("?sslmode=prefer").unwrap_err().message.contains("leaves open"));
        assert!(of("?charset=utf8").unwrap_err().message.contains("`charset`"));
    }

    #[test]
    fn a_key_that_is_sent_is_believed_only_where_the_url_says_so() {
        let url = |options: &str| DatabaseUrl::parse(&format!("mysql://here/x{options}")).unwrap();
        assert_eq!(trusts_sent_key(&url("")), Ok(false));
        let allowed = url("?get-server-public-key=yes");
        assert_eq!((trusts_sent_key(&allowed), trust(&allowed)), (Ok(true), Ok(None)));
        assert!(trusts_sent_key(&url("?get-server-public-key=1")).unwrap_err().message.contains("`1`"));
    }
}
