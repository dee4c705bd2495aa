//! The ports of this machine that connections go out from, and what to do when
//! none is left: each connection to one address needs one of its own, and those
//! that were closed from here keep theirs for 60 s (TIME_WAIT, RFC 9293, section
//! 3.6.1; TCP_TIMEWAIT_LEN of include/net/tcp.h).

use std::ops::RangeInclusive;

use engine::fault::Fault;
use rustix::io::Errno;

/// The setting of the ports that the kernel chooses from (ip(7)); of the network
/// namespace of who reads it.
const RANGE: &str = "/proc/sys/net/ipv4/ip_local_port_range";

fn range() -> Option<RangeInclusive<u16>> {
    parse(&std::fs::read_to_string(RANGE).ok()?)
}

fn parse(text: &str) -> Option<RangeInclusive<u16>> {
    let mut words = text.split_whitespace().map(str::parse);
    Some(words.next()?.ok()?..=words.next()?.ok()?)
}

/// Whether the kernel said that no port is left.
pub(in crate::workload) fn are_used_up(error: Errno) -> bool {
    error == Errno::ADDRNOTAVAIL
}

/// The fault of a connection for which there is no port; `made` were made before,
/// where that is counted, and `advice` is what else may help.
pub(in crate::workload) fn used_up(made: Option<u64>, advice: &str) -> Fault {
    let there = match range() {
        Some(range) => format!(
            "net.ipv4.ip_local_port_range has {} ports, {} to {}",
            u32::from(*range.end()).saturating_sub(u32::from(*range.start())) + 1,
            range.start(),
            range.end()
        ),
        None => "net.ipv4.ip_local_port_range says how many there are".to_owned(),
    };
    let made = made.map(|made| format!(" after {made} connections")).unwrap_or_default();
    Fault::Other(format!(
        "no port of this machine is left for another connection to that address{made}: {there}, and those that were \
         closed from here within the last 60 s keep theirs (TIME_WAIT). {advice}"
    ))
}

/// What helps every load.
pub(super) const WIDER: &str = "Use fewer connections, or a wider net.ipv4.ip_local_port_range";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_range_is_read_and_told() {
        assert_eq!(parse("32768\t60999\n"), Some(32768..=60999));
        assert_eq!(parse("32768"), None);
        assert_eq!(parse("a b"), None);
        let there = range().unwrap();
        let said = used_up(Some(7), WIDER).to_string();
        assert!(said.contains("after 7 connections") && said.contains(&there.end().to_string()), "{said}");
        assert!(!used_up(None, WIDER).to_string().contains("after"));
    }
}
