//! Who listens, a node or a run that waits for one: its certificate, the certificate's private key, and the key
//! that lets others in. Kept in one file that only its owner may read, so
//! that a join string stays valid when it is started again. A node and the runs of
//! its machine have a file each: who may measure with a machine is not who may be
//! measured with.

use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::net::{IpAddr, SocketAddr};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use machine::file::{self as files, Bounds};
use rustls::ServerConfig;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use serde::{Deserialize, Serialize};

use super::join::{Fingerprint, JoinString, Key};
use super::{addresses, tls};

/// Where root's are kept.
const OF_ROOT: &str = "/var/lib/headroom";

/// The file of a node.
pub const NODE_FILE: &str = "node.json";
/// The file of the runs of a machine that wait for a node.
pub const RUN_FILE: &str = "run.json";

/// Far more than such a file has, and no pipe, which would be empty the next time.
const BOUNDS: Bounds = Bounds { bytes: 64 << 10, pipe: None };

/// Who listens.
pub struct NodeIdentity {
    certificate: CertificateDer<'static>,
    private: PrivatePkcs8KeyDer<'static>,
    key: Key,
}

/// Why there is no identity.
#[derive(Debug, thiserror::Error)]
pub enum IdentityError {
    /// The file cannot be read or written.
    #[error("the key file {path} cannot be {what}: {source}")]
    File {
        /// `read` or `written`.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// What the kernel said.
        source: io::Error,
    },
    /// Others may read it.
    #[error("others may read the key file {0}, so the key in it is no secret")]
    Open(PathBuf),
    /// It belongs to somebody else.
    #[error("the key file {0} belongs to another user, who knows the key in it")]
    Foreign(PathBuf),
    /// It holds something else.
    #[error("{0} is no key file of Headroom")]
    Invalid(PathBuf),
    /// There is no place for it.
    #[error("there is no place for the key file: neither XDG_STATE_HOME nor HOME is set")]
    NoPlace,
    /// No certificate can be made.
    #[error("no certificate can be made: {0}")]
    Certificate(String),
}

/// The file's content; the bytes in base64.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    certificate: String,
    private_key: String,
    key: String,
}

impl NodeIdentity {
    /// A new one.
    ///
    /// # Errors
    /// If there are no random bytes.
    pub fn new() -> Result<Self, IdentityError> {
        let failed = |e: rcgen::Error| IdentityError::Certificate(e.to_string());
        let pair = rcgen::KeyPair::generate().map_err(failed)?;
        let parameters = rcgen::CertificateParams::new(vec![tls::NAME.to_owned()]).map_err(failed)?;
        let certificate = parameters.self_signed(&pair).map_err(failed)?;
        let key = Key::random().map_err(|e| IdentityError::Certificate(e.to_string()))?;
        let private = PrivatePkcs8KeyDer::from(pair.serialize_der());
        Ok(Self { certificate: certificate.der().clone(), private, key })
    }

    /// Where `file` is kept: in /var/lib for root, else in the user's folder for
    /// states.
    ///
    /// # Errors
    /// If the user has no such folder.
    pub fn usual_path(file: &str) -> Result<PathBuf, IdentityError> {
        if rustix::process::geteuid().is_root() {
            return Ok(Path::new(OF_ROOT).join(file));
        }
        let variable = |name| std::env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
        let folder = variable("XDG_STATE_HOME").or_else(|| variable("HOME").map(|h| h.join(".local/state")));
        folder.map(|f| f.join("headroom").join(file)).ok_or(IdentityError::NoPlace)
    }

    /// The one that is kept at `path`; a new one is made and kept where there is
    /// none, or where `renew` asks for one.
    ///
    /// # Errors
    /// If the file cannot be read or written, or others know what is in it.
    pub fn kept(path: &Path, renew: bool) -> Result<Self, IdentityError> {
        if !renew && let Some(identity) = Self::read(path)? {
            return Ok(identity);
        }
        let identity = Self::new()?;
        identity.write(path).map_err(|e| file("written", path)(e))?;
        Ok(identity)
    }

    fn read(path: &Path) -> Result<Option<Self>, IdentityError> {
        let file_of = match files::open(path, BOUNDS) {
            Ok(opened) => opened,
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(file("read", path)(e)),
        };
        // Of what was opened, not of what the name means now.
        let metadata = file_of.metadata().map_err(file("read", path))?;
        if !metadata.is_file() {
            return Err(IdentityError::Invalid(path.to_owned()));
        }
        let us = rustix::process::geteuid().as_raw();
        if metadata.uid() != us && metadata.uid() != 0 {
            return Err(IdentityError::Foreign(path.to_owned()));
        }
        if metadata.mode() & 0o077 != 0 {
            return Err(IdentityError::Open(path.to_owned()));
        }
        let text = files::contents(&file_of, BOUNDS).map_err(file("read", path))?;
        let identity = Self::parse(&text).filter(|identity| identity.server().is_ok());
        identity.map(Some).ok_or_else(|| IdentityError::Invalid(path.to_owned()))
    }

    fn parse(text: &[u8]) -> Option<Self> {
        let kept: Kept = serde_json::from_slice(text).ok()?;
        let certificate = CertificateDer::from(STANDARD.decode(kept.certificate).ok()?);
        let private = PrivatePkcs8KeyDer::from(STANDARD.decode(kept.private_key).ok()?);
        Some(Self { certificate, private, key: Key::of(&kept.key)? })
    }

    /// Put in place whole, and readable by nobody else at any moment.
    fn write(&self, path: &Path) -> io::Result<()> {
        let kept = Kept {
            certificate: STANDARD.encode(&self.certificate),
            private_key: STANDARD.encode(self.private.secret_pkcs8_der()),
            key: self.key.secret(),
        };
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let new = path.with_extension(format!("new-{}", std::process::id()));
        let _ = fs::remove_file(&new);
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&new)?;
        let written = serde_json::to_vec_pretty(&kept)
            .map_err(io::Error::from)
            .and_then(|text| file.write_all(&text))
            .and_then(|()| file.sync_all())
            .and_then(|()| fs::rename(&new, path));
        if written.is_err() {
            let _ = fs::remove_file(&new);
        }
        written
    }

    fn fingerprint(&self) -> Fingerprint {
        tls::fingerprint(&self.certificate)
    }

    pub(super) fn key(&self) -> &Key {
        &self.key
    }

    /// What controllers of a node at `at` must know, once for each address by
    /// which this machine may be reached.
    ///
    /// # Errors
    /// If the addresses cannot be read.
    pub fn join_strings(&self, at: SocketAddr) -> io::Result<Vec<JoinString>> {
        let one = |address: IpAddr| JoinString {
            host: address.to_string(),
            port: at.port(),
            fingerprint: self.fingerprint(),
            key: self.key.clone(),
        };
        Ok(addresses::of(at.ip())?.into_iter().map(one).collect())
    }

    /// How it speaks TLS.
    ///
    /// # Errors
    /// If certificate and private key do not fit.
    pub(super) fn server(&self) -> Result<Arc<ServerConfig>, rustls::Error> {
        let private = PrivateKeyDer::Pkcs8(self.private.clone_key());
        tls::server(self.certificate.clone(), private)
    }
}

fn file<'a>(what: &'static str, path: &'a Path) -> impl Fn(io::Error) -> IdentityError + 'a {
    move |source| IdentityError::File { what, path: path.to_owned(), source }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn it_stays_the_same_until_another_is_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/node.json");
        let first = NodeIdentity::kept(&path, false).unwrap();
        assert_eq!(path.metadata().unwrap().mode() & 0o777, 0o600);
        let again = NodeIdentity::kept(&path, false).unwrap();
        assert_eq!(again.fingerprint(), first.fingerprint());
        assert!(again.key().is(&first.key().secret()));
        let other = NodeIdentity::kept(&path, true).unwrap();
        assert_ne!(other.fingerprint(), first.fingerprint());
        assert!(!other.key().is(&first.key().secret()));
        assert!(NodeIdentity::kept(&path, false).unwrap().key().is(&other.key().secret()));
        // Nothing else is left in the folder.
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }

    /// Of no node that is anywhere: made for this test.
    #[test]
    fn a_key_file_of_version_0_1_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("node.json");
        let written = include_str!("../../../tests/corpus/key-0.1.json");
        fs::write(&path, written).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        let kept: Kept = serde_json::from_str(written).unwrap();
        let identity = NodeIdentity::kept(&path, false).unwrap();
        assert!(identity.key().is(&kept.key));
        assert_eq!(fs::read_to_string(&path).unwrap(), written);
    }

    #[test]
    fn regression_a_pipe_in_the_place_of_a_key_file_was_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("node.json");
        assert!(
            std::process::Command::new("mkfifo").args(["-m", "600"]).arg(&path).status().unwrap().success()
        );
        // In a thread: a test that waits for ever fails nowhere.
        let (send, done) = std::sync::mpsc::channel();
        std::thread::spawn(move || send.send(NodeIdentity::kept(&path, false).map(drop)));
        let found = done.recv_timeout(std::time::Duration::from_secs(20)).unwrap();
        assert!(matches!(found, Err(IdentityError::File { .. })), "{found:?}");
    }

    #[test]
    fn a_file_that_others_may_read_or_that_holds_something_else_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("node.json");
        NodeIdentity::kept(&path, false).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        assert!(matches!(NodeIdentity::kept(&path, false), Err(IdentityError::Open(_))));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        for wrong in ["", "{}", &text[..text.len() / 2], &text.replace("private_key", "private")] {
            fs::write(&path, wrong).unwrap();
            assert!(matches!(NodeIdentity::kept(&path, false), Err(IdentityError::Invalid(_))), "{wrong}");
        }
        // What does not fit together.
        let mut kept: Kept = serde_json::from_str(&text).unwrap();
        kept.private_key = STANDARD.encode(NodeIdentity::new().unwrap().private.secret_pkcs8_der());
        fs::write(&path, serde_json::to_vec(&kept).unwrap()).unwrap();
        assert!(matches!(NodeIdentity::kept(&path, false), Err(IdentityError::Invalid(_))));
    }
}
