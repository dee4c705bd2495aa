//! What IP did with packets, all of this network namespace together: the line `Ip` of `/proc/net/snmp`, and for IPv6
//! `/proc/net/snmp6`. What came and was neither handed to a protocol nor sent on, and is no error, somebody dropped on the
//! way: a firewall does that between the counters (`ip_rcv` and `ip_local_deliver` in `net/ipv4/ip_input.c`, `__ip_local_out` and
//! `ip_finish_output2` in `net/ipv4/ip_output.c`), and counts only where its rules say so.

use model::Unit;

use crate::sampler::tcp::table;
use crate::sampler::{Pace, SamplerColumn, SamplerKind, keyed};

/// `Documentation/networking/snmp_counter.rst`; `OutTransmits` is there since Linux 6.6.
const IP: &[&str] = &[
    "InReceives",
    "InHdrErrors",
    "InAddrErrors",
    "ForwDatagrams",
    "InUnknownProtos",
    "InDiscards",
    "InDelivers",
    "OutRequests",
    "ReasmReqds",
    "ReasmOKs",
    "FragOKs",
    "FragCreates",
    "OutTransmits",
];

/// The same of IPv6 (`net/ipv6/proc.c`).
const IP6: &[&str] = &[
    "Ip6InReceives",
    "Ip6InHdrErrors",
    "Ip6InTooBigErrors",
    "Ip6InNoRoutes",
    "Ip6InAddrErrors",
    "Ip6InUnknownProtos",
    "Ip6InTruncatedPkts",
    "Ip6InDiscards",
    "Ip6InDelivers",
    "Ip6OutForwDatagrams",
    "Ip6OutRequests",
    "Ip6ReasmReqds",
    "Ip6ReasmOKs",
    "Ip6FragOKs",
    "Ip6FragCreates",
    "Ip6OutTransmits",
    "Ip6InMcastPkts",
];

pub(super) const KIND: SamplerKind = SamplerKind {
    name: "ip",
    doc: "packets that came to IP and were handed on, that were to be sent and were, and errors",
    open: |host, _| {
        let first = table(host, ("/proc/net/snmp", "Ip:", "ip", IP), Pace::Slow).unwrap_or_default();
        let columns = IP6.iter().map(|name| (*name, SamplerColumn::counter("ip", name, Unit::One, 1.0)));
        // The file has a hundred lines.
        let second = keyed::open(host, "/proc/net/snmp6", "/proc/net/snmp6", Pace::Slow, columns);
        first.into_iter().chain(second).collect()
    },
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Host;
    use crate::sampler::{ABSENT, Scope};

    #[test]
    fn what_came_and_what_was_handed_on_is_read_of_both_versions() {
        let host = Host::parse(
            "==> /proc/net/snmp\nIp: Forwarding InReceives ForwDatagrams InDelivers OutTransmits\nIp: 1 100 4 90 55\n\
             ==> /proc/net/snmp6\nIp6InReceives 7\nIp6InDelivers 6\n",
        );
        let mut found = Vec::new();
        for mut sampler in (KIND.open)(&host, &Scope::default()) {
            let mut values = vec![ABSENT; sampler.columns().len()];
            sampler.read(&mut values);
            let named = sampler.columns().iter().map(|column| column.name).zip(values);
            found.extend(named.filter(|(_, value)| *value != ABSENT));
        }
        let expected = [
            ("InReceives", 100),
            ("ForwDatagrams", 4),
            ("InDelivers", 90),
            ("OutTransmits", 55),
            ("Ip6InReceives", 7),
            ("Ip6InDelivers", 6),
        ];
        assert_eq!(found, expected);
    }
}
