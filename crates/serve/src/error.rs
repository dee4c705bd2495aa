//! Why there is no server.

use std::io::{self, ErrorKind};
use std::net::SocketAddr;

use store::StoreError;

/// Why a server could not be started, or ended.
#[derive(Debug, thiserror::Error)]
pub enum WebServerError {
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {}", reason(source))]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The kernel's error.
        source: io::Error,
    },
    /// Root would be reached by others.
    #[error("as root, only this machine is served: {0} is an address that others may reach")]
    Root(SocketAddr),
    /// The certificate or its key cannot be used.
    #[error("the certificate cannot be used: {0}")]
    Certificate(String),
    /// A name of `--name` is none.
    #[error("`{0}` is no name of a machine")]
    Name(String),
    /// There are no random bytes.
    #[error("the system gives no random bytes: {0}")]
    Random(io::Error),
    /// The store cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What the kernel's error means here.
fn reason(source: &io::Error) -> String {
    match source.kind() {
        ErrorKind::AddrInUse => "another program listens there already".to_owned(),
        ErrorKind::AddrNotAvailable => "this machine has no such address".to_owned(),
        ErrorKind::PermissionDenied => "ports below 1024 are root's".to_owned(),
        _ => source.to_string(),
    }
}

impl WebServerError {
    /// What to do about it.
    #[must_use]
    pub fn help(&self) -> String {
        match self {
            WebServerError::Listen { address, source } => match source.kind() {
                ErrorKind::AddrInUse => {
                    let next = address.port().checked_add(1).unwrap_or(0);
                    format!(
                        "end it, or choose another port: --listen {}",
                        SocketAddr::new(address.ip(), next)
                    )
                }
                ErrorKind::AddrNotAvailable => "`ip address` lists the addresses of this machine".to_owned(),
                ErrorKind::PermissionDenied => "choose a port from 1024 on".to_owned(),
                _ => "choose another address: --listen ADDR[:PORT]".to_owned(),
            },
            WebServerError::Root(_) => {
                "start it as another user, listen on 127.0.0.1, or say --as-root if it must be so".to_owned()
            }
            WebServerError::Certificate(_) => {
                "--certificate takes a chain and --key its private key, both as PEM".to_owned()
            }
            WebServerError::Name(_) => {
                "a name has letters, digits, dashes and points: --name host.example".to_owned()
            }
            WebServerError::Random(_) => {
                "start it again when the machine has been up for a moment".to_owned()
            }
            WebServerError::Store(error) => error.help(),
        }
    }
}
