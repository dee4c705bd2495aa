//! What TCP did, all connections together: the line `Tcp` of `/proc/net/snmp`
//! and the line `TcpExt` of `/proc/net/netstat`. Each is two lines: the names,
//! which differ from kernel to kernel, and the values below them.

use model::Unit;

use crate::Host;
use crate::sampler::file::{Numbers, OpenFile, lines, split_word};
use crate::sampler::{ABSENT, Column, Sampler, SamplerKind};

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
];

/// Its line in the table.
pub(super) const KIND: SamplerKind = SamplerKind {
    name: "tcp",
    doc: "segments, retransmissions and timeouts of TCP, all connections together",
    open: |host, _| {
        let parts = [("/proc/net/snmp", "Tcp:", TCP), ("/proc/net/netstat", "TcpExt:", TCP_EXT)];
        parts
            .into_iter()
            .filter_map(|(path, head, names)| TcpCounters::open(host, path, head, names))
            .collect()
    },
};

#[derive(Debug)]
struct TcpCounters {
    path: &'static str,
    head: &'static str,
    file: OpenFile,
    columns: Vec<Column>,
    /// By the place in the line of values: the column.
    places: Vec<Option<usize>>,
}

impl TcpCounters {
    fn open(
        host: &Host,
        path: &'static str,
        head: &'static str,
        names: &'static [&'static str],
    ) -> Option<Box<dyn Sampler>> {
        let mut file = OpenFile::open(host, path)?;
        let line = file.read().and_then(|bytes| of(bytes, head).next())?;
        let mut columns = Vec::new();
        let mut places = Vec::new();
        for word in line.split(|b| *b == b' ').filter(|word| !word.is_empty()) {
            let name = names.iter().find(|name| name.as_bytes() == word);
            places.push(name.map(|_| columns.len()));
            columns.extend(name.map(|name| match *name {
                "CurrEstab" => Column::gauge("tcp", name, Unit::One, 1.0),
                name => Column::counter("tcp", name, Unit::One, 1.0),
            }));
        }
        Some(Box::new(Self { path, head, file, columns, places }))
    }
}

/// The lines that begin with `head`, without it.
fn of<'a>(bytes: &'a [u8], head: &'static str) -> impl Iterator<Item = &'a [u8]> {
    lines(bytes).filter_map(move |line| {
        let (word, rest) = split_word(line);
        (word == head.as_bytes()).then_some(rest)
    })
}

impl Sampler for TcpCounters {
    fn source(&self) -> &str {
        self.path
    }

    fn columns(&self) -> &[Column] {
        &self.columns
    }

    fn read(&mut self, values: &mut [u64]) {
        values.fill(ABSENT);
        let Some(line) = self.file.read().and_then(|bytes| of(bytes, self.head).nth(1)) else { return };
        for (place, number) in self.places.iter().zip(Numbers(line)) {
            if let Some(column) = place {
                values[*column] = number;
            }
        }
    }
}
