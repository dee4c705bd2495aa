//! What binds a sign-in to a connection of TLS: the hash of the server's certificate (RFC 5929, section 4.1), with
//! the hash function of its signature, and SHA-256 where that is MD5 or SHA-1.

use sha2::{Digest, Sha256, Sha384, Sha512};

/// The identifiers of signature algorithms, as DER has them: of RSA by PKCS #1 (RFC 8017, appendix C) and of ECDSA
/// (RFC 5758, section 3.2). Those of RSA differ in their last byte, as do those of ECDSA.
const RSA: [u8; 8] = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01];
const ECDSA_SHA1: [u8; 7] = [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x01];
const ECDSA_SHA2: [u8; 7] = [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03];

const SEQUENCE: u8 = 0x30;
const OBJECT_IDENTIFIER: u8 = 0x06;

/// That of a certificate in DER; none if its signature says no hash function (Ed25519, PSS).
pub(super) fn of_certificate(der: &[u8]) -> Option<Vec<u8>> {
    // Certificate ::= SEQUENCE { tbsCertificate, signatureAlgorithm SEQUENCE { algorithm, ... }, signature }
    let (certificate, _) = value(SEQUENCE, der)?;
    let (_, rest) = value(SEQUENCE, certificate)?;
    let (algorithm, _) = value(SEQUENCE, rest)?;
    let (identifier, _) = value(OBJECT_IDENTIFIER, algorithm)?;
    let (last, family) = identifier.split_last()?;
    match (family, *last) {
        // md5WithRSAEncryption, sha1WithRSAEncryption, sha256WithRSAEncryption.
        (family, 4 | 5 | 11) if family == RSA => Some(Sha256::digest(der).to_vec()),
        (family, 12) if family == RSA => Some(Sha384::digest(der).to_vec()),
        (family, 13) if family == RSA => Some(Sha512::digest(der).to_vec()),
        (family, 2) if family == ECDSA_SHA2 => Some(Sha256::digest(der).to_vec()),
        (family, 3) if family == ECDSA_SHA2 => Some(Sha384::digest(der).to_vec()),
        (family, 4) if family == ECDSA_SHA2 => Some(Sha512::digest(der).to_vec()),
        _ if identifier == ECDSA_SHA1 => Some(Sha256::digest(der).to_vec()),
        _ => None,
    }
}

/// The content of the value with this tag at the beginning of `der`, and what follows it (X.690, section 8.1).
fn value(tag: u8, der: &[u8]) -> Option<(&[u8], &[u8])> {
    let (first, rest) = der.split_first()?;
    let (length, rest) = rest.split_first()?;
    let (length, rest) = match *length {
        0..=0x7f => (usize::from(*length), rest),
        // Longer than 4 bytes is no certificate.
        0x81..=0x84 => {
            let (bytes, rest) = rest.split_at_checked(usize::from(length & 0x7f))?;
            (bytes.iter().fold(0, |all, byte| all << 8 | usize::from(*byte)), rest)
        }
        _ => return None,
    };
    let (content, rest) = rest.split_at_checked(length)?;
    (*first == tag).then_some((content, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A certificate of the shape, with nothing in its first part but its length.
    fn shaped(identifier: &[u8], long: usize) -> Vec<u8> {
        let value = |tag: u8, content: &[u8]| {
            let mut all = vec![tag, 0x82];
            all.extend_from_slice(&u16::try_from(content.len()).unwrap().to_be_bytes());
            all.extend_from_slice(content);
            all
        };
        let algorithm = value(SEQUENCE, &value(OBJECT_IDENTIFIER, identifier));
        let signature = [0x03, 0x02, 0x00, 0x55];
        value(SEQUENCE, &[value(SEQUENCE, &vec![7; long]), algorithm, signature.to_vec()].concat())
    }

    #[test]
    fn the_signature_chooses_the_hash() {
        let with = |family: &[u8], last: u8| shaped(&[family, &[last]].concat(), 300);
        let length = |der: &[u8]| of_certificate(der).map(|hash| hash.len());
        for (family, last, expected) in [
            (&RSA[..], 5, Some(32)),
            (&RSA[..], 11, Some(32)),
            (&RSA[..], 12, Some(48)),
            (&RSA[..], 13, Some(64)),
            (&RSA[..], 10, None),
            (&ECDSA_SHA2[..], 3, Some(48)),
        ] {
            assert_eq!(length(&with(family, last)), expected, "{family:?} {last}");
        }
        assert_eq!(length(&shaped(&ECDSA_SHA1, 10)), Some(32));
        let der = with(&RSA[..], 11);
        assert_eq!(of_certificate(&der), Some(Sha256::digest(&der).to_vec()));
        // Ed25519 (RFC 8410).
        assert_eq!(length(&shaped(&[0x2b, 0x65, 0x70], 10)), None);
        for short in 0..der.len() {
            assert_eq!(of_certificate(&der[..short]), None);
        }
    }

    #[test]
    fn a_real_certificate_has_one() {
        let key = rcgen::generate_simple_self_signed(["here".to_owned()]).unwrap();
        let der = key.cert.der();
        // ECDSA with SHA-256 is what it makes by itself.
        assert_eq!(of_certificate(der), Some(Sha256::digest(der).to_vec()));
    }
}
