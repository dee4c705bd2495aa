//! TLS of the server: with the user's certificate, or with one that is made at the start and signed by itself.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;

use rcgen::{CertificateParams, DnType, KeyPair, SanType};
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use sha2::{Digest, Sha256};

use crate::error::WebServerError;

/// How the server speaks TLS, and the SHA-256 of its certificate.
type Identity = (Arc<ServerConfig>, String);

/// With a chain and a key as PEM.
pub(crate) fn given(certificate: &[u8], key: &[u8]) -> Result<Identity, WebServerError> {
    let wrong = |what: &str, e: &dyn std::fmt::Display| WebServerError::Certificate(format!("{what}: {e}"));
    let chain: Vec<CertificateDer<'static>> = CertificateDer::pem_slice_iter(certificate)
        .collect::<Result<_, _>>()
        .map_err(|e| wrong("the chain cannot be read", &e))?;
    if chain.is_empty() {
        return Err(WebServerError::Certificate("the file has no certificate".to_owned()));
    }
    let key = PrivateKeyDer::from_pem_slice(key).map_err(|e| wrong("the key cannot be read", &e))?;
    config(chain, key)
}

/// With a new certificate for this address and these names.
pub(crate) fn made(address: IpAddr, names: &[String]) -> Result<Identity, WebServerError> {
    let failed = |e: rcgen::Error| WebServerError::Certificate(e.to_string());
    let pair = KeyPair::generate().map_err(failed)?;
    let all = names.iter().cloned().chain(["localhost".to_owned()]).collect::<Vec<_>>();
    let mut parameters = CertificateParams::new(all).map_err(failed)?;
    let addresses = [address, Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()];
    let addresses = addresses.into_iter().filter(|a| !a.is_unspecified()).map(SanType::IpAddress);
    parameters.subject_alt_names.extend(addresses);
    parameters.distinguished_name.push(DnType::CommonName, "Headroom");
    let certificate = parameters.self_signed(&pair).map_err(failed)?;
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(pair.serialize_der()));
    config(vec![certificate.der().clone()], key)
}

fn config(
    chain: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
) -> Result<Identity, WebServerError> {
    let refused = |e: rustls::Error| WebServerError::Certificate(e.to_string());
    let fingerprint = chain.first().map(|own| colons(&Sha256::digest(own))).unwrap_or_default();
    let mut config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_protocol_versions(&[&rustls::version::TLS13, &rustls::version::TLS12])
        .map_err(refused)?
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .map_err(refused)?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok((Arc::new(config), fingerprint))
}

/// As browsers show it.
fn colons(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect::<Vec<_>>().join(":")
}

/// A new certificate for `localhost`, and its chain and key as PEM.
#[cfg(test)]
pub(crate) fn example() -> (CertificateDer<'static>, Vec<u8>, Vec<u8>) {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;

    let pem = |kind: &str, der: &[u8]| {
        format!("-----BEGIN {kind}-----\n{}\n-----END {kind}-----\n", STANDARD.encode(der))
    };
    let pair = KeyPair::generate().expect("there are random bytes");
    let own = CertificateParams::new(vec!["localhost".to_owned()]).and_then(|all| all.self_signed(&pair));
    let own = own.expect("a name is enough").der().clone();
    let (chain, key) = (pem("CERTIFICATE", &own), pem("PRIVATE KEY", &pair.serialize_der()));
    (own, chain.into_bytes(), key.into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_certificate_is_made_and_told_by_its_hash() {
        let (_, one) = made(Ipv4Addr::new(192, 0, 2, 1).into(), &["lab.example".to_owned()]).unwrap();
        let (_, other) = made(Ipv4Addr::UNSPECIFIED.into(), &[]).unwrap();
        assert_eq!(one.len(), 95);
        assert_ne!(one, other);
    }

    #[test]
    fn a_given_certificate_must_fit_its_key() {
        let ((_, chain, key), (_, _, foreign)) = (example(), example());
        given(&chain, &key).unwrap();
        let none: &[u8] = b"";
        for (chain, key) in
            [(&chain[..], &foreign[..]), (none, &key), (&chain, none), (b"x", b"y"), (&key, &chain)]
        {
            assert!(matches!(given(chain, key), Err(WebServerError::Certificate(_))));
        }
    }
}
