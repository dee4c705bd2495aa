//! By which names this server may be called. A page of another site can make a browser ask this machine under that site's
//! name (DNS rebinding), and would then read the answers; so a name is served only if it is `localhost`, an address, or one
//! that was given at the start.

use std::net::{Ipv4Addr, Ipv6Addr};

/// The name in a `Host` header, without its port; nothing where it is malformed.
pub(crate) fn name(host: &str) -> Option<&str> {
    let (name, port) = match host.strip_prefix('[') {
        Some(rest) => {
            let (inner, behind) = rest.split_once(']')?;
            inner.parse::<Ipv6Addr>().ok()?;
            (&host[..inner.len() + 2], behind)
        }
        None => host.split_at(host.find(':').unwrap_or(host.len())),
    };
    let is_port = |digits: &str| !digits.is_empty() && digits.parse::<u16>().is_ok();
    (port.is_empty() || port.strip_prefix(':').is_some_and(is_port)).then_some(name)
}

/// Whether the name is `localhost`, an address, or one of these.
pub(crate) fn is_allowed(name: &str, names: &[String]) -> bool {
    let bare = name.strip_suffix('.').unwrap_or(name);
    name.starts_with('[')
        || bare.eq_ignore_ascii_case("localhost")
        || name.parse::<Ipv4Addr>().is_ok()
        || names.iter().any(|known| known.eq_ignore_ascii_case(bare))
}

/// Whether a text can be the name of a machine.
pub(crate) fn is_name(text: &str) -> bool {
    let is_label = |label: &str| {
        !label.is_empty()
            && label.len() <= 63
            && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
    };
    text.len() <= 253 && text.split('.').all(is_label)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn serves(host: &str) -> bool {
        name(host).is_some_and(|name| is_allowed(name, &["lab.example".to_owned()]))
    }

    #[test]
    fn localhost_addresses_and_given_names_are_served() {
        for good in [
            "localhost",
            "localhost:7118",
            "LOCALHOST.:80",
            "127.0.0.1:7118",
            "10.1.2.3",
            "[::1]:7118",
            "[fe80::1]",
            "lab.example",
            "Lab.Example:443",
        ] {
            assert!(serves(good), "{good}");
        }
    }

    #[test]
    fn other_names_and_what_is_no_host_are_not() {
        for bad in [
            "evil.example",
            "evil.example:7118",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "127.0.0.1:80:80",
            "xlab.example",
            "[::1",
            "[::1]x",
            "[evil]",
            "::1",
            "localhost:",
            "localhost:x",
            "localhost:99999",
            "",
            "localhost@evil.example",
            "0x7f.1",
            "127.1",
        ] {
            assert!(!serves(bad), "{bad}");
        }
    }

    #[test]
    fn names_have_letters_digits_and_dashes() {
        assert!(is_name("lab") && is_name("a-1.example"));
        assert!(
            !is_name("")
                && !is_name("a..b")
                && !is_name("a/b")
                && !is_name("a b")
                && !is_name(&"a.".repeat(200))
        );
    }
}
