//! What block devices did: `/proc/diskstats`.

use model::Unit;

use crate::sampler::{ABSENT, Column, Nature, OpenFile, Sampler, SamplerKind, numbers};

/// `Documentation/admin-guide/iostats.rst`: sectors are 512 bytes whatever the
/// device has, times are milliseconds.
const COLUMNS: &[(&str, Nature, Unit, f64)] = &[
    ("reads", Nature::Counter, Unit::One, 1.0),
    ("reads_merged", Nature::Counter, Unit::One, 1.0),
    ("read_sectors", Nature::Counter, Unit::Bytes, 512.0),
    ("read_ms", Nature::Counter, Unit::Seconds, 1e-3),
    ("writes", Nature::Counter, Unit::One, 1.0),
    ("writes_merged", Nature::Counter, Unit::One, 1.0),
    ("written_sectors", Nature::Counter, Unit::Bytes, 512.0),
    ("write_ms", Nature::Counter, Unit::Seconds, 1e-3),
    ("in_flight", Nature::Gauge, Unit::One, 1.0),
    ("io_ms", Nature::Counter, Unit::Seconds, 1e-3),
    ("queue_ms", Nature::Counter, Unit::Seconds, 1e-3),
    ("discards", Nature::Counter, Unit::One, 1.0),
    ("discards_merged", Nature::Counter, Unit::One, 1.0),
    ("discarded_sectors", Nature::Counter, Unit::Bytes, 512.0),
    ("discard_ms", Nature::Counter, Unit::Seconds, 1e-3),
    ("flushes", Nature::Counter, Unit::One, 1.0),
    ("flush_ms", Nature::Counter, Unit::Seconds, 1e-3),
];

/// Its line in the table.
pub(super) const KIND: SamplerKind = SamplerKind {
    name: "block",
    doc: "requests, bytes and times of each block device",
    open: |host, scope| {
        let mut all: Vec<Box<dyn Sampler>> = Vec::new();
        for name in &scope.block {
            let Some(file) = OpenFile::open(host, &format!("/sys/block/{name}/stat")) else { continue };
            let resource = format!("block:{name}");
            let column = |(name, nature, unit, scale): &(&'static str, Nature, Unit, f64)| Column {
                resource: resource.clone(),
                name,
                nature: *nature,
                unit: *unit,
                scale: *scale,
            };
            all.push(Box::new(BlockCounters { columns: COLUMNS.iter().map(column).collect(), file }));
        }
        all
    },
};

#[derive(Debug)]
struct BlockCounters {
    columns: Vec<Column>,
    file: OpenFile,
}

impl Sampler for BlockCounters {
    fn source(&self) -> &'static str {
        "/proc/diskstats"
    }

    fn columns(&self) -> &[Column] {
        &self.columns
    }

    fn read(&mut self, values: &mut [u64]) {
        values.fill(ABSENT);
        let bytes = self.file.read().unwrap_or_default();
        for (value, number) in values.iter_mut().zip(numbers(bytes)) {
            *value = number;
        }
    }
}
