//! From where connections are taken: networks in CIDR (RFC 4632), such as
//! `10.0.0.0/8,fd00::/8`. Without any, from everywhere: it is the key that
//! admits.

use std::fmt;
use std::net::IpAddr;

use ipnet::IpNet;

/// The networks from which connections are taken.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Allow(Vec<IpNet>);

/// A word that is no network.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no network or address (10.0.0.0/8, fd00::/8 and 10.0.0.2 are)")]
pub struct NoNetwork(String);

impl Allow {
    /// Reads networks and addresses with commas between them.
    ///
    /// # Errors
    /// If one of them is neither.
    pub fn parse(text: &str) -> Result<Self, NoNetwork> {
        let one = |word: &str| {
            let word = word.trim();
            let net = word.parse::<IpNet>().ok();
            net.or_else(|| word.parse::<IpAddr>().ok().map(IpNet::from))
                .map(|net| net.trunc())
                .ok_or_else(|| NoNetwork(word.to_owned()))
        };
        text.split(',').map(one).collect::<Result<_, _>>().map(Self)
    }

    /// Whether a connection from `address` is taken.
    #[must_use]
    pub fn admits(&self, address: IpAddr) -> bool {
        // A socket for both families shows IPv4 as ::ffff:10.0.0.2.
        let address = address.to_canonical();
        self.0.is_empty() || self.0.iter().any(|net| net.contains(&address))
    }
}

impl fmt::Display for Allow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("any address");
        }
        let all: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&all.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_admit_what_is_in_them_and_nothing_else() {
        let allow = Allow::parse("10.0.0.0/8, 192.168.1.7,fd00::/8").unwrap();
        let admits = |text: &str| allow.admits(text.parse().unwrap());
        for inside in ["10.255.0.1", "192.168.1.7", "fd12::1", "::ffff:10.0.0.1"] {
            assert!(admits(inside), "{inside}");
        }
        for outside in ["11.0.0.1", "192.168.1.8", "fe80::1", "::1", "::ffff:11.0.0.1"] {
            assert!(!admits(outside), "{outside}");
        }
        assert_eq!(allow.to_string(), "10.0.0.0/8, 192.168.1.7/32, fd00::/8");
    }

    #[test]
    fn nothing_said_admits_all_and_what_is_no_network_is_an_error() {
        assert!(Allow::default().admits("203.0.113.1".parse().unwrap()));
        assert_eq!(Allow::default().to_string(), "any address");
        for wrong in ["", "10.0.0.0/33", "10.0.0/8", "10.0.0.0/8,", "lan"] {
            assert!(Allow::parse(wrong).is_err(), "{wrong}");
        }
        assert_eq!(Allow::parse("10.1.2.3/8").unwrap().to_string(), "10.0.0.0/8");
    }
}
