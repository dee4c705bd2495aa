//! Who gives way where strangers crowd a listener. A place for a connection of
//! which nobody knows yet who it is costs whoever takes it nothing, so a listener
//! that turns new connections away when it is full is shut by anybody. Here new connections
//! always get in, and the oldest goes of the network that has the most: who fills
//! all places drives out only itself.

use std::net::{IpAddr, Ipv6Addr};

/// The part of an IPv6 address that one subscriber, or one link, has as a whole
/// (RFC 4291, section 2.5.1; RFC 6177): 64 bits.
const OF_IPV6: u128 = !0 << 64;

/// What counts as one place of origin: an IPv4 address, or the /64 of an IPv6 one,
/// for any of its 2^64 addresses is as easily had as one.
#[must_use]
pub fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() & OF_IPV6).into(),
        address => address,
    }
}

/// Which one goes, of strangers that came from `networks`, in the order in which
/// they came, the new connection last: the oldest of the network that has the most, and
/// of networks that have as many the one whose oldest is older.
#[must_use]
pub fn gives_way(networks: &[IpAddr]) -> Option<usize> {
    let of = |network: &IpAddr| networks.iter().filter(|other| *other == network).count();
    let counts: Vec<usize> = networks.iter().map(of).collect();
    let most = counts.iter().max()?;
    counts.iter().position(|count| count == most)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn networks(all: &[&str]) -> Vec<IpAddr> {
        all.iter().map(|text| network(text.parse().unwrap())).collect()
    }

    #[test]
    fn a_crowd_of_one_network_drives_out_only_itself() {
        let crowd = networks(&["10.0.0.1", "10.0.0.9", "10.0.0.9", "10.0.0.9", "10.0.0.2"]);
        assert_eq!(gives_way(&crowd), Some(1));
        // All alike: the oldest.
        assert_eq!(gives_way(&networks(&["10.0.0.1", "10.0.0.2", "10.0.0.3"])), Some(0));
        assert_eq!(gives_way(&networks(&["10.0.0.1", "10.0.0.2", "10.0.0.2"])), Some(1));
        assert_eq!(gives_way(&[]), None);
    }

    /// Bug: each address of an IPv6 network counted by itself, and one machine
    /// has 2^64 of them.
    #[test]
    fn the_addresses_of_one_ipv6_network_count_as_one() {
        let crowd = networks(&["2001:db8:0:1::5", "2001:db8::1", "2001:db8::2:3", "2001:db8:0:2::7"]);
        assert_eq!(gives_way(&crowd), Some(1));
        assert_eq!(networks(&["::ffff:10.0.0.1"]), networks(&["10.0.0.1"]));
        assert_ne!(networks(&["10.0.0.1"]), networks(&["10.0.0.2"]));
    }
}
