//! TLS 1.3 (RFC 8446) as both ends speak it: rustls over ring. The certificate
//! is signed by itself, so names, dates and chains say nothing; the controller
//! compares its SHA-256 with the one in the join string, and TLS proves that who
//! answers has its private key.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use load::workload::http::certificate_check::CertificateCheck;
use rustls::client::Resumption;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::server::NoServerSessionStorage;
use rustls::{CertificateError, ClientConfig, Error, ServerConfig};
use sha2::{Digest, Sha256};

use super::join::Fingerprint;

/// What every node's certificate is for; it identifies nobody.
pub(super) const NAME: &str = "headroom-node";

/// An alert "access denied" (RFC 8446, section 6.2) as it is sent in the clear:
/// what an address hears from which no connection is taken.
pub(super) const ACCESS_DENIED: [u8; 7] = [21, 3, 3, 0, 2, 2, 49];

fn provider() -> Arc<CryptoProvider> {
    Arc::new(rustls::crypto::ring::default_provider())
}

/// The SHA-256 of a certificate.
pub(super) fn fingerprint(certificate: &CertificateDer<'_>) -> Fingerprint {
    Fingerprint(Sha256::digest(certificate).into())
}

/// A node's side. Nothing is resumed: each connection is a whole handshake.
pub(super) fn server(
    certificate: CertificateDer<'static>,
    private: PrivateKeyDer<'static>,
) -> Result<Arc<ServerConfig>, Error> {
    let mut config = ServerConfig::builder_with_provider(provider())
        .with_protocol_versions(&[&rustls::version::TLS13])?
        .with_no_client_auth()
        .with_single_cert(vec![certificate], private)?;
    config.session_storage = Arc::new(NoServerSessionStorage {});
    config.send_tls13_tickets = 0;
    Ok(Arc::new(config))
}

/// A controller's side; `is_other` is set if who answers has another certificate.
pub(super) fn client(
    pinned: Fingerprint,
    is_other: Arc<AtomicBool>,
) -> Result<(Arc<ClientConfig>, ServerName<'static>), Error> {
    let provider = provider();
    let check = CertificateCheck::new(Arc::clone(&provider), move |certificate: &CertificateDer<'_>| {
        if fingerprint(certificate) == pinned {
            return Ok(());
        }
        is_other.store(true, Ordering::Relaxed);
        Err(Error::InvalidCertificate(CertificateError::ApplicationVerificationFailure))
    });
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&rustls::version::TLS13])?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(check))
        .with_no_client_auth();
    config.resumption = Resumption::disabled();
    config.enable_sni = false;
    let name = ServerName::try_from(NAME).map_err(|e| Error::General(e.to_string()))?;
    Ok((Arc::new(config), name))
}
