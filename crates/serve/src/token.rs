//! Secrets: 256 random bits of the operating system, compared in the same time wherever they differ.

use std::fmt;
use std::io;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rustix::rand::{GetRandomFlags, getrandom};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// What lets one in. It is shown by [`Token::secret`] alone.
#[derive(Clone)]
pub(crate) struct Token([u8; 32]);

impl Token {
    /// A new one. Fails if the kernel gives no random bytes.
    pub(crate) fn random() -> io::Result<Self> {
        let mut bytes = [0; 32];
        let got = getrandom(&mut bytes, GetRandomFlags::empty())?;
        match got == bytes.len() {
            true => Ok(Self(bytes)),
            false => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }

    /// Whether the text is this token.
    pub(crate) fn is(&self, text: &str) -> bool {
        // What is no token differs in no secret way.
        let Ok(bytes) = URL_SAFE_NO_PAD.decode(text.trim()) else { return false };
        self.0[..].ct_eq(&bytes).into()
    }

    /// As text, to be shown or sent once.
    pub(crate) fn secret(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.0)
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(hidden)")
    }
}

/// What is kept of a secret that somebody else holds.
pub(crate) fn digest(secret: &str) -> [u8; 32] {
    Sha256::digest(secret.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_itself_and_nothing_else() {
        let (one, other) = (Token::random().unwrap(), Token::random().unwrap());
        let text = one.secret();
        assert_eq!(text.len(), 43);
        assert!(one.is(&text) && one.is(&format!(" {text}\n")));
        assert!(!other.is(&text) && !one.is("") && !one.is(&text[1..]) && !one.is(&format!("{text}AAAA")));
        assert!(!format!("{one:?}").contains(&text));
    }
}
