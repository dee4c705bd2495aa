//! What TCP and UDP did, all connections of this network namespace together: the
//! lines `Tcp` and `Udp` of `/proc/net/snmp` and the line `TcpExt` of
//! `/proc/net/netstat`. Each is two lines: the names, which differ from kernel to
//! kernel, and the values below them. UDP over IPv6 has a file of its own,
//! `/proc/net/snmp6`, with a name on each line.

use model::Unit;

use crate::Host;
use crate::sampler::file::{Numbers, OpenFile, lines, split_word};
use crate::sampler::{Pace, Sampler, SamplerColumn, SamplerKind, keyed, reader};

/// `Documentation/networking/snmp_counter.rst`.
const TCP: &[&str] = &[
    "ActiveOpens",
    "PassiveOpens",
    "AttemptFails",
    "EstabResets",
    "CurrEstab",
    "InSegs",
    "OutSegs",
    "RetransSegs",
    "InErrs",
    "OutRsts",
];

const TCP_EXT: &[&str] = &[
    "TCPTimeouts",
    "TCPLossProbes",
    "TCPFastRetrans",
    "TCPSlowStartRetrans",
    "TCPLostRetransmit",
    "TCPSynRetrans",
    "TCPSpuriousRTOs",
    "TCPOFOQueue",
    "TCPRcvCollapsed",
    "TCPRcvQDrop",
    "TCPBacklogDrop",
    "PruneCalled",
    "TCPFromZeroWindowAdv",
    "TCPToZeroWindowAdv",
    "ListenOverflows",
    "ListenDrops",
    "TCPReqQFullDrop",
    "TCPMemoryPressures",
    "TCPMemoryPressuresChrono",
];

/// The same document. `RcvbufErrors` are datagrams for which a socket's buffer had
/// no room, `InErrors` all that were dropped after they had come.
const UDP: &[&str] =
    &["InDatagrams", "OutDatagrams", "InErrors", "RcvbufErrors", "SndbufErrors", "MemErrors"];

/// `net/ipv6/proc.c`.
const UDP6: &[&str] =
    &["Udp6InDatagrams", "Udp6OutDatagrams", "Udp6InErrors", "Udp6RcvbufErrors", "Udp6SndbufErrors"];

pub(super) const KIND: SamplerKind = SamplerKind {
    name: "tcp",
    doc: "segments, retransmissions, timeouts and drops of TCP, datagrams and drops of UDP, all connections together",
    open: |host, _| {
        let parts = [
            ("/proc/net/snmp", "Tcp:", "tcp", TCP),
            ("/proc/net/netstat", "TcpExt:", "tcp", TCP_EXT),
            ("/proc/net/snmp", "Udp:", "udp", UDP),
        ];
        parts.into_iter().filter_map(|part| table(host, part, Pace::Fast)).flatten().collect()
    },
};

/// The line in the table of UDP over IPv6.
pub(super) const UDP6_KIND: SamplerKind = SamplerKind {
    name: "udp6",
    doc: "datagrams of UDP over IPv6, and those that were dropped",
    open: |host, _| {
        let columns = UDP6.iter().map(|name| (*name, SamplerColumn::counter("udp", name, Unit::One, 1.0)));
        // The file has a hundred lines.
        keyed::open(host, "/proc/net/snmp6", "/proc/net/snmp6", Pace::Slow, columns)
    },
};

/// A file, how two of its lines begin, the resource, and the names to read.
pub(super) type Part = (&'static str, &'static str, &'static str, &'static [&'static str]);

/// None where the file or the line is not there.
pub(super) fn table(
    host: &Host,
    (path, head, resource, names): Part,
    pace: Pace,
) -> Option<Vec<Box<dyn Sampler>>> {
    let mut file = OpenFile::open(host, path)?;
    let line = file.read().and_then(|bytes| of(bytes, head).next())?;
    let mut columns = Vec::new();
    // By the place in the line of values: the column.
    let mut places = Vec::new();
    for word in line.split(|b| *b == b' ').filter(|word| !word.is_empty()) {
        let name = names.iter().find(|name| name.as_bytes() == word);
        places.push(name.map(|_| columns.len()));
        columns.extend(name.map(|name| match *name {
            "CurrEstab" => SamplerColumn::gauge(resource, name, Unit::One, 1.0),
            name => SamplerColumn::counter(resource, name, Unit::One, 1.0),
        }));
    }
    Some(reader(path, pace, columns, move |values| {
        let Some(line) = file.read().and_then(|bytes| of(bytes, head).nth(1)) else { return };
        for (place, number) in places.iter().zip(Numbers(line)) {
            if let Some(column) = place {
                values[*column] = number;
            }
        }
    }))
}

/// The lines that begin with `head`, without it.
fn of<'a>(bytes: &'a [u8], head: &'static str) -> impl Iterator<Item = &'a [u8]> {
    lines(bytes).filter_map(move |line| {
        let (word, rest) = split_word(line);
        (word == head.as_bytes()).then_some(rest)
    })
}
