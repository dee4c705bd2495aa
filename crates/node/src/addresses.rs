//! By which addresses others may reach this machine: for the join strings that a
//! node prints. Nobody can know from here which of them a firewall lets through.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The addresses behind a listening socket at `at`: itself, or where it is
/// "any", those of the machine, first the ones that others reach.
pub(super) fn of(at: IpAddr) -> io::Result<Vec<IpAddr>> {
    if !at.is_unspecified() {
        return Ok(vec![at]);
    }
    let all = if_addrs::get_if_addrs()?.into_iter().map(|interface| interface.ip());
    Ok(chosen(at, all.collect()))
}

fn chosen(at: IpAddr, all: Vec<IpAddr>) -> Vec<IpAddr> {
    // A link-local address says nothing without the name of an interface of the
    // other machine.
    let is_local = |ip: &IpAddr| match ip {
        IpAddr::V4(ip) => ip.is_loopback() || ip.is_link_local(),
        IpAddr::V6(ip) => ip.is_loopback() || ip.is_unicast_link_local(),
    };
    let mut found: Vec<IpAddr> =
        all.into_iter().filter(|ip| (ip.is_ipv4() || at.is_ipv6()) && !is_local(ip)).collect();
    found.sort_by_key(|ip| ip.is_ipv6());
    found.dedup();
    if found.is_empty() {
        found.push(if at.is_ipv4() { Ipv4Addr::LOCALHOST.into() } else { Ipv6Addr::LOCALHOST.into() });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_are_named_by_which_others_may_reach_it() {
        let ip = |text: &str| text.parse::<IpAddr>().unwrap();
        let all = || ["127.0.0.1", "fe80::1", "fd00::2", "10.0.0.2", "::1", "169.254.3.4"].map(ip).to_vec();
        assert_eq!(chosen(ip("0.0.0.0"), all()), [ip("10.0.0.2")]);
        assert_eq!(chosen(ip("::"), all()), [ip("10.0.0.2"), ip("fd00::2")]);
        assert_eq!(chosen(ip("0.0.0.0"), vec![ip("127.0.0.1")]), [ip("127.0.0.1")]);
        assert_eq!(of(ip("10.9.9.9")).unwrap(), [ip("10.9.9.9")]);
    }
}
