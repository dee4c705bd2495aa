//! What block devices did: `/proc/diskstats`, all of them from one reading.

use std::collections::HashMap;

use model::{Resource, ResourceKind, Unit};

use crate::sampler::cyclic::Cyclic;
use crate::sampler::file::{fill, lines, split_word};
use crate::sampler::{SamplerColumn, SamplerKind, ValueKind, of_file};

/// `Documentation/admin-guide/iostats.rst`: sectors are 512 bytes whatever the
/// device has, times are milliseconds. Kernels before 5.5 have no flushes, and
/// those before 4.18 no discards.
const COLUMNS: &[(&str, ValueKind, Unit, f64)] = &[
    ("reads", ValueKind::Counter, Unit::One, 1.0),
    ("reads_merged", ValueKind::Counter, Unit::One, 1.0),
    ("read_sectors", ValueKind::Counter, Unit::Bytes, 512.0),
    ("read_ms", ValueKind::Counter, Unit::Seconds, 1e-3),
    ("writes", ValueKind::Counter, Unit::One, 1.0),
    ("writes_merged", ValueKind::Counter, Unit::One, 1.0),
    ("written_sectors", ValueKind::Counter, Unit::Bytes, 512.0),
    ("write_ms", ValueKind::Counter, Unit::Seconds, 1e-3),
    ("in_flight", ValueKind::Gauge, Unit::One, 1.0),
    ("io_ms", ValueKind::Counter, Unit::Seconds, 1e-3),
    ("queue_ms", ValueKind::Counter, Unit::Seconds, 1e-3),
    ("discards", ValueKind::Counter, Unit::One, 1.0),
    ("discards_merged", ValueKind::Counter, Unit::One, 1.0),
    ("discarded_sectors", ValueKind::Counter, Unit::Bytes, 512.0),
    ("discard_ms", ValueKind::Counter, Unit::Seconds, 1e-3),
    ("flushes", ValueKind::Counter, Unit::One, 1.0),
    ("flush_ms", ValueKind::Counter, Unit::Seconds, 1e-3),
];

/// Times are printed as 32 bits (`diskstats_show` in `block/genhd.c`): a queue
/// of 1,000 requests goes round in 72 minutes.
const TIMES_RANGE: u64 = 1 << 32;

pub(super) const KIND: SamplerKind = SamplerKind {
    name: "block",
    doc: "requests, bytes and times of each block device",
    open: |host, scope| {
        let columns = scope.block.iter().flat_map(|name| {
            let resource = Resource::of(ResourceKind::Block, name);
            COLUMNS.iter().map(move |(name, nature, unit, scale)| SamplerColumn {
                nature: *nature,
                ..SamplerColumn::counter(resource.clone(), name, *unit, *scale)
            })
        });
        let columns: Vec<_> = columns.collect();
        // By a device's name: where its values begin in the row.
        let places = scope.block.iter().enumerate();
        let places: HashMap<Vec<u8>, usize> =
            places.map(|(i, name)| (name.clone().into_bytes(), i * COLUMNS.len())).collect();
        // One for each column; only those of times are used.
        let mut times = vec![Cyclic::default(); columns.len()];
        of_file(host, "/proc/diskstats", columns, move |bytes, values| {
            for line in lines(bytes) {
                let (_major, rest) = split_word(line);
                let (_minor, rest) = split_word(rest);
                let (name, rest) = split_word(rest);
                let Some(place) = places.get(name).copied() else { continue };
                let own = place..place + COLUMNS.len();
                fill(&mut values[own.clone()], rest);
                let own = values[own.clone()].iter_mut().zip(&mut times[own]);
                for ((value, time), column) in own.zip(COLUMNS) {
                    if column.2 == Unit::Seconds {
                        *value = time.unroll(*value, TIMES_RANGE);
                    }
                }
            }
        })
    },
};
