//! The store in a browser: lists, pages of runs, comparisons and trends, served over HTTP to whoever may see them.
//!
//! What is shown is made by the same code as files are (`report`, `chart`); this crate adds the ways between pages, the
//! checks at the door, and one small script. Without script every page still has all its content.
//!
//! Nothing that comes in a request names a file: runs are asked of the store by their ids, and assets are part of the
//! program. [`guard`] is in front of every page.

mod assets;
mod cache;
mod choices;
mod client;
mod connections;
mod door;
mod error;
mod failed_logins;
mod guard;
mod host;
mod language_choice;
mod page;
mod policy;
mod query;
mod router;
mod session;
mod shared;
mod stores;
#[cfg(test)]
mod tests;
mod timed_stream;
mod tls;
mod token;
mod trouble;

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use language::Language;
use rustls::ServerConfig;
use store::{SqliteStore, StoreError};

pub use error::WebServerError;

use crate::door::Door;
use crate::shared::Shared;

/// The port where none is said.
pub const DEFAULT_PORT: u16 = 7118;

/// Opens the store: once for each reader that needs one at the same time.
pub type OpenStore = Box<dyn Fn() -> Result<SqliteStore, StoreError> + Send + Sync>;

/// A certificate with its chain, and its private key, as PEM.
pub type CertificateFiles = (Vec<u8>, Vec<u8>);

/// What is to be served, where and to whom.
pub struct WebServerOptions {
    /// Where to listen.
    pub listen: SocketAddr,
    /// Names by which browsers may call this machine, beside `localhost` and addresses.
    pub names: Vec<String>,
    /// The certificate; a new one is made where TLS is needed and none is given.
    pub certificate: Option<CertificateFiles>,
    /// Whether root may listen on an address that others reach.
    pub as_root: bool,
    /// The language of pages where the browser asks for none that there is.
    pub language: Language,
    /// Opens the store.
    pub open: OpenStore,
    /// Told what goes wrong with the store, in a line: browsers are not told where it is.
    pub tell: fn(&str),
}

impl std::fmt::Debug for WebServerOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WebServerOptions").field("listen", &self.listen).finish_non_exhaustive()
    }
}

/// A server that listens and waits to be run.
pub struct WebServer {
    listener: TcpListener,
    address: SocketAddr,
    tls: Option<(Arc<ServerConfig>, String)>,
    shared: Arc<Shared>,
}

impl std::fmt::Debug for WebServer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WebServer").field("address", &self.address).finish_non_exhaustive()
    }
}

impl WebServer {
    /// Listens, and opens the store once.
    ///
    /// # Errors
    /// If the address is taken or not this machine's, root would listen on one that others reach, there is no certificate
    /// that can be used, or the store cannot be opened.
    pub fn bind(options: WebServerOptions) -> Result<Self, WebServerError> {
        let is_foreign = !options.listen.ip().to_canonical().is_loopback();
        if is_foreign && rustix::process::geteuid().is_root() && !options.as_root {
            return Err(WebServerError::Root(options.listen));
        }
        let listener = TcpListener::bind(options.listen)
            .map_err(|source| WebServerError::Listen { address: options.listen, source })?;
        let unusable = |source| WebServerError::Listen { address: options.listen, source };
        listener.set_nonblocking(true).map_err(unusable)?;
        let address = listener.local_addr().map_err(unusable)?;
        let tls = match (options.certificate, is_foreign) {
            (Some((certificate, key)), _) => Some(tls::given(&certificate, &key)?),
            (None, true) => Some(tls::made(address.ip(), &options.names)?),
            (None, false) => None,
        };
        let door = Door::new(address.port(), is_foreign, tls.is_some(), options.names)?;
        let shared = Shared::new(door, options.language, options.open, options.tell)?;
        Ok(Self { listener, address, tls, shared: Arc::new(shared) })
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where a browser finds it on this machine.
    #[must_use]
    pub fn url(&self) -> String {
        let scheme = if self.tls.is_some() { "https" } else { "http" };
        let mut address = self.address;
        if address.ip().is_unspecified() {
            address.set_ip(match address {
                SocketAddr::V4(_) => std::net::Ipv4Addr::LOCALHOST.into(),
                SocketAddr::V6(_) => std::net::Ipv6Addr::LOCALHOST.into(),
            });
        }
        format!("{scheme}://{address}/")
    }

    /// The token that lets one read, where one is needed.
    #[must_use]
    pub fn read_token(&self) -> Option<String> {
        self.shared.door.read_token()
    }

    /// The token that lets one stop and remove runs, too.
    #[must_use]
    pub fn write_token(&self) -> String {
        self.shared.door.write_token()
    }

    /// The SHA-256 of the certificate, where there is one, by which a person knows this server.
    #[must_use]
    pub fn fingerprint(&self) -> Option<&str> {
        self.tls.as_ref().map(|(_, fingerprint)| fingerprint.as_str())
    }

    /// Serves until `stop` is set; then what is under way has a moment to end.
    ///
    /// # Errors
    /// If the kernel refuses what a server needs.
    pub fn run(self, stop: &Arc<AtomicBool>) -> Result<(), WebServerError> {
        let Self { listener, address, tls, shared } = self;
        connections::run(listener, tls.map(|(config, _)| config), &shared, stop)
            .map_err(|source| WebServerError::Listen { address, source })
    }
}
