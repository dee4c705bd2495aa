//! How servers are spoken to over TLS, and whose certificates are believed: those that the
//! machine's own store vouches for, those of a file, or any.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use engine::fault::Fault;
use rustls::client::Resumption;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};

use crate::workload::http::certificate_check::CertificateCheck;

/// What HTTP/2 over TLS is called (RFC 9113, section 3.2).
pub(in crate::workload) const HTTP2: &[u8] = b"h2";

/// Whose certificates are believed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::workload) enum Trust {
    /// Those of authorities that this machine trusts.
    Machine,
    /// Those of authorities in a file of PEM.
    File(PathBuf),
    /// Any.
    Any,
}

/// What connections over TLS are made with: nothing is resumed, so that each is a whole handshake.
///
/// # Errors
/// If the certificates of authorities cannot be read.
pub(in crate::workload) fn config(trust: &Trust) -> Result<Arc<ClientConfig>, Fault> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|e| Fault::Other(format!("no version of TLS can be spoken: {e}")))?;
    let builder = match trust {
        Trust::Machine => builder.with_root_certificates(of_machine()?),
        Trust::File(path) => builder.with_root_certificates(of_file(path)?),
        Trust::Any => {
            let any = CertificateCheck::new(provider, |_: &CertificateDer<'_>| Ok(()));
            builder.dangerous().with_custom_certificate_verifier(Arc::new(any))
        }
    };
    let mut config = builder.with_no_client_auth();
    config.resumption = Resumption::disabled();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

fn of_machine() -> Result<RootCertStore, Fault> {
    let found = rustls_native_certs::load_native_certs();
    let mut roots = RootCertStore::empty();
    let (taken, _) = roots.add_parsable_certificates(found.certs);
    if taken > 0 {
        return Ok(roots);
    }
    let why = found.errors.first().map(|e| format!(" ({e})")).unwrap_or_default();
    Err(Fault::Other(format!(
        "this machine has no certificates of authorities{why}, so no server can be believed: install \
         ca-certificates, or name a file of them (ca-file)"
    )))
}

fn of_file(path: &Path) -> Result<RootCertStore, Fault> {
    let wrong = |why: String| {
        Fault::Other(format!("{} has no certificate of an authority in PEM: {why}", path.display()))
    };
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(path).map_err(|e| wrong(e.to_string()))? {
        let certificate = certificate.map_err(|e| wrong(e.to_string()))?;
        roots.add(certificate).map_err(|e| wrong(e.to_string()))?;
    }
    if roots.is_empty() { Err(wrong("it is empty".to_owned())) } else { Ok(roots) }
}
