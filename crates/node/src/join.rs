//! The join string: all that a controller must know of a node, in one word to be
//! copied. `headroom://HOST:PORT#FINGERPRINT.KEY`
//!
//! The fingerprint is the SHA-256 of the node's certificate, so that nobody else
//! can answer in its place; the key proves that the controller was given the
//! string. Both are base64 for URLs (RFC 4648, section 5) without padding.
//! Whoever has the string may measure with that machine, so the key is shown by
//! [`JoinString::secret`] alone, never by `Debug` or `Display`.

use std::fmt;
use std::net::Ipv6Addr;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use subtle::ConstantTimeEq;

/// How a join string begins.
pub const SCHEME: &str = "headroom://";

/// The port of a node where none is said.
pub const DEFAULT_PORT: u16 = 7117;

/// The SHA-256 of a certificate, as it is sent (DER).
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Fingerprint(pub [u8; 32]);

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&URL_SAFE_NO_PAD.encode(self.0))
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// What a controller must know to be let in: 128 random bits.
#[derive(Clone)]
pub struct Key([u8; 16]);

impl Key {
    /// A new one.
    ///
    /// # Errors
    /// If the kernel gives no random bytes.
    pub fn random() -> std::io::Result<Self> {
        let mut bytes = [0; 16];
        rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty())?;
        Ok(Self(bytes))
    }

    /// Whether `said` is this key; takes the same time wherever they differ.
    #[must_use]
    pub fn is(&self, said: &str) -> bool {
        // What is no key differs in no secret way.
        let Ok(said) = URL_SAFE_NO_PAD.decode(said) else { return false };
        self.0[..].ct_eq(&said).into()
    }

    /// The key as text, to be sent or kept, never to be printed.
    pub(super) fn secret(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.0)
    }

    /// The reverse of [`Key::secret`].
    pub(super) fn of(text: &str) -> Option<Self> {
        bytes(text).map(Self)
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(hidden)")
    }
}

/// Where a node is, and what lets one in.
#[derive(Clone, Debug)]
pub struct JoinString {
    /// Its name or address, without brackets.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// Its certificate's.
    pub fingerprint: Fingerprint,
    /// What lets one in.
    pub key: Key,
}

/// Why a text is no join string. The message never holds the key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JoinError {
    /// It begins otherwise.
    #[error("a join string begins with `{SCHEME}`")]
    Scheme,
    /// There is no `#`, as where a shell took the rest for a comment.
    #[error("the join string has no `#` with a fingerprint and a key behind it (quote it for the shell)")]
    NoSecret,
    /// No name, or one that cannot be.
    #[error("`{0}` is no name or address of a machine (an IPv6 address stands in brackets: [fd00::2]:7117)")]
    Host(String),
    /// No port.
    #[error("`{0}` is no port (1 to 65535)")]
    Port(String),
    /// Not 43 letters that are 32 bytes.
    #[error("the fingerprint in the join string is not whole: it has {0} characters and should have 43")]
    Fingerprint(usize),
    /// Not 22 letters that are 16 bytes.
    #[error("the key in the join string is not whole: it has {0} characters and should have 22")]
    Key(usize),
}

impl JoinString {
    /// Reads what [`JoinString::secret`] wrote. A port that is not said is
    /// [`DEFAULT_PORT`].
    ///
    /// # Errors
    /// If it is no join string.
    pub fn parse(text: &str) -> Result<Self, JoinError> {
        let rest = text.trim().strip_prefix(SCHEME).ok_or(JoinError::Scheme)?;
        let (place, secret) = rest.split_once('#').ok_or(JoinError::NoSecret)?;
        let (host, port) = place_of(place)?;
        let (fingerprint, key) = secret.split_once('.').unwrap_or((secret, ""));
        let print = bytes(fingerprint).ok_or(JoinError::Fingerprint(fingerprint.chars().count()))?;
        let key = Key::of(key).ok_or(JoinError::Key(key.chars().count()))?;
        Ok(Self { host, port, fingerprint: Fingerprint(print), key })
    }

    /// `HOST:PORT`: what may be shown and kept.
    #[must_use]
    pub fn place(&self) -> String {
        if self.host.contains(':') {
            format!("[{}]:{}", self.host, self.port)
        } else {
            format!("{}:{}", self.host, self.port)
        }
    }

    /// The whole string with its key, for the person who may have it.
    #[must_use]
    pub fn secret(&self) -> String {
        format!("{SCHEME}{}#{}.{}", self.place(), self.fingerprint, self.key.secret())
    }
}

/// Without the key.
impl fmt::Display for JoinString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{SCHEME}{}#...", self.place())
    }
}

/// Host and port of `10.0.0.2:7117`, `[fd00::2]:7117`, `name`.
fn place_of(place: &str) -> Result<(String, u16), JoinError> {
    let wrong_host = || JoinError::Host(place.to_owned());
    let (host, port) = if let Some(rest) = place.strip_prefix('[') {
        let (host, after) = rest.split_once(']').ok_or_else(wrong_host)?;
        // A link-local address has a zone: fe80::1%eth0.
        let address = host.split_once('%').map_or(host, |(address, _)| address);
        address.parse::<Ipv6Addr>().map_err(|_| wrong_host())?;
        match after.strip_prefix(':') {
            Some(port) => (host, Some(port)),
            None if after.is_empty() => (host, None),
            None => return Err(wrong_host()),
        }
    } else {
        match place.split_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (place, None),
        }
    };
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | ':' | '%');
    if host.is_empty() || host.len() > 253 || !host.chars().all(is_name) {
        return Err(wrong_host());
    }
    let port = match port {
        None => DEFAULT_PORT,
        Some(text) => match text.parse() {
            // Two colons outside of brackets are an IPv6 address.
            Err(_) if text.contains(':') => return Err(wrong_host()),
            Ok(port) if port > 0 => port,
            _ => return Err(JoinError::Port(text.to_owned())),
        },
    };
    Ok((host.to_owned(), port))
}

fn bytes<const N: usize>(text: &str) -> Option<[u8; N]> {
    URL_SAFE_NO_PAD.decode(text).ok()?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8.ICEiIyQlJicoKSorLC0uLw";

    fn join(place: &str) -> Result<JoinString, JoinError> {
        JoinString::parse(&format!("headroom://{place}#{SECRET}"))
    }

    #[test]
    fn what_is_written_is_read_again() {
        for (place, host, port, shown) in [
            ("10.0.0.2:7117", "10.0.0.2", 7117, "10.0.0.2:7117"),
            ("[fd00::2]:80", "fd00::2", 80, "[fd00::2]:80"),
            ("[fe80::1%eth0]", "fe80::1%eth0", 7117, "[fe80::1%eth0]:7117"),
            ("db-2.example.org", "db-2.example.org", 7117, "db-2.example.org:7117"),
        ] {
            let join = join(place).unwrap();
            assert_eq!((join.host.as_str(), join.port, join.place().as_str()), (host, port, shown));
            assert_eq!(join.fingerprint.0[31], 31);
            assert!(join.key.is("ICEiIyQlJicoKSorLC0uLw"));
            let again = JoinString::parse(&join.secret()).unwrap();
            assert_eq!(again.secret(), format!("headroom://{shown}#{SECRET}"));
        }
    }

    #[test]
    fn what_is_wrong_is_named_and_the_key_is_not() {
        let whole = |text: &str| JoinString::parse(text).unwrap_err();
        assert_eq!(whole("10.0.0.2:7117"), JoinError::Scheme);
        assert_eq!(whole("headroom://10.0.0.2:7117"), JoinError::NoSecret);
        assert_eq!(whole("headroom://a:1#short.ICEiIyQlJicoKSorLC0uLw"), JoinError::Fingerprint(5));
        let cut = &format!("headroom://a:1#{SECRET}")[..60];
        assert!(matches!(whole(cut), JoinError::Key(_)), "{:?}", whole(cut));
        for host in
            ["", ":7117", "fd00::2", "[10.0.0.2]:1", "[fd00::2", "[fd00::2]7", "a b:1", "a/b:1", "u@h"]
        {
            assert!(matches!(join(host), Err(JoinError::Host(_))), "{host}: {:?}", join(host));
        }
        for port in ["a:0", "a:65536", "a:", "a:x"] {
            assert!(matches!(join(port), Err(JoinError::Port(_))), "{port}: {:?}", join(port));
        }
        let long = format!("headroom://a:1#{SECRET}x");
        assert!(!whole(&long).to_string().contains("ICEi"));
    }

    #[test]
    fn neither_debug_nor_display_shows_the_key() {
        let join = join("a:1").unwrap();
        let shown = format!("{join:?} {join}");
        assert!(!shown.contains("ICEi") && shown.contains("headroom://a:1#...") && shown.contains("hidden"));
    }

    #[test]
    fn only_the_whole_key_is_the_key() {
        let key = join("a:1").unwrap().key;
        assert!(key.is("ICEiIyQlJicoKSorLC0uLw"));
        // One bit, one byte less, one more, nothing, no base64.
        for wrong in ["ICEiIyQlJicoKSorLC0uLg", "ICEiIyQlJicoKSorLC0u", "ICEiIyQlJicoKSorLC0uLwA", "", "="] {
            assert!(!key.is(wrong), "{wrong}");
        }
        assert!(!Key::random().unwrap().is(&Key::random().unwrap().secret()));
    }
}
