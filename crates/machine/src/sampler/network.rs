//! What network interfaces carried: `/proc/net/dev`, all from one reading.

use std::collections::HashMap;

use model::{Resource, ResourceKind, Unit};

use crate::sampler::file::{fill, lines, split_word};
use crate::sampler::{SamplerColumn, SamplerKind, of_file};

/// proc_pid_net(5) and `dev_seq_printf_stats` in `net/core/net-procfs.c`.
const COLUMNS: &[&str] = &[
    "rx_bytes",
    "rx_packets",
    "rx_errs",
    "rx_drop",
    "rx_fifo",
    "rx_frame",
    "rx_compressed",
    "rx_multicast",
    "tx_bytes",
    "tx_packets",
    "tx_errs",
    "tx_drop",
    "tx_fifo",
    "tx_colls",
    "tx_carrier",
    "tx_compressed",
];

pub(super) const KIND: SamplerKind = SamplerKind {
    name: "network",
    doc: "bytes, packets, errors and drops of each network interface",
    open: |host, scope| {
        let columns = scope.network.iter().flat_map(|name| {
            let resource = Resource::of(ResourceKind::Nic, name);
            COLUMNS.iter().map(move |name| {
                let unit = if name.ends_with("_bytes") { Unit::Bytes } else { Unit::One };
                SamplerColumn::counter(resource.clone(), name, unit, 1.0)
            })
        });
        // By an interface's name: where its values begin in the row.
        let places = scope.network.iter().enumerate();
        let places: HashMap<Vec<u8>, usize> =
            places.map(|(i, name)| (name.clone().into_bytes(), i * COLUMNS.len())).collect();
        of_file(host, "/proc/net/dev", columns.collect(), move |bytes, values| {
            for line in lines(bytes) {
                // No interface's name has a colon (`dev_valid_name`), and older
                // kernels put no blank behind it.
                let Some(colon) = line.iter().position(|b| *b == b':') else { continue };
                let (name, _) = split_word(&line[..colon]);
                if let Some(place) = places.get(name) {
                    fill(&mut values[*place..place + COLUMNS.len()], &line[colon + 1..]);
                }
            }
        })
    },
};
