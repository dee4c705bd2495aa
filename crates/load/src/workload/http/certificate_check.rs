//! Whether a certificate is taken where no authority is to say so. That whoever answers has its private key is proved
//! by TLS itself, as always.

use std::fmt;
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{DigitallySignedStruct, Error, SignatureScheme};

/// Looks at a server's own certificate and at nothing else: names, dates and chains say nothing.
pub struct CertificateCheck<F> {
    takes: F,
    provider: Arc<CryptoProvider>,
}

impl<F: Fn(&CertificateDer<'_>) -> Result<(), Error> + Send + Sync> CertificateCheck<F> {
    /// One that takes the certificates that `takes` does; signatures are verified by the algorithms of `provider`.
    pub fn new(provider: Arc<CryptoProvider>, takes: F) -> Self {
        Self { takes, provider }
    }
}

impl<F> fmt::Debug for CertificateCheck<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CertificateCheck").finish_non_exhaustive()
    }
}

impl<F: Fn(&CertificateDer<'_>) -> Result<(), Error> + Send + Sync> ServerCertVerifier
    for CertificateCheck<F>
{
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        (self.takes)(end_entity).map(|()| ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signed, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signed, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
