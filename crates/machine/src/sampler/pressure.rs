//! How long tasks waited for CPU, memory and I/O: `/proc/pressure`.

use model::{Resource, ResourceKind, Unit};

use crate::sampler::file::{OpenFile, lines, number, split_word};
use crate::sampler::{ABSENT, Sampler, SamplerColumn, SamplerKind};

/// `Documentation/accounting/psi.rst`: the time in which some, or all, tasks
/// that had work stood still, in microseconds. `irq` has `full` only, and only
/// since Linux 6.1.
const FILES: &[(&str, &str)] = &[
    ("cpu", "/proc/pressure/cpu"),
    ("memory", "/proc/pressure/memory"),
    ("io", "/proc/pressure/io"),
    ("irq", "/proc/pressure/irq"),
];

const NAMES: &[&str] = &["some", "full"];

/// Its line in the table.
pub(super) const KIND: SamplerKind = SamplerKind {
    name: "pressure",
    doc: "how long tasks stood still for want of CPU, memory or I/O",
    open: |host, _| {
        let open = |(name, path): &(&str, &'static str)| {
            let file = OpenFile::open(host, path)?;
            let resource = Resource::of(ResourceKind::Pressure, name);
            let column =
                |name: &&'static str| SamplerColumn::counter(resource.clone(), name, Unit::Seconds, 1e-6);
            let columns = NAMES.iter().map(column).collect();
            Some(Box::new(Pressure { path, file, columns }) as Box<dyn Sampler>)
        };
        FILES.iter().filter_map(open).collect()
    },
};

#[derive(Debug)]
struct Pressure {
    path: &'static str,
    file: OpenFile,
    columns: Vec<SamplerColumn>,
}

impl Sampler for Pressure {
    fn source(&self) -> &str {
        self.path
    }

    fn columns(&self) -> &[SamplerColumn] {
        &self.columns
    }

    fn read(&mut self, values: &mut [u64]) {
        values.fill(ABSENT);
        let Some(bytes) = self.file.read() else { return };
        for line in lines(bytes) {
            let (word, rest) = split_word(line);
            let Some(index) = NAMES.iter().position(|name| name.as_bytes() == word) else { continue };
            let mut fields = rest.split(|b| *b == b' ');
            if let Some(total) = fields.find_map(|field| field.strip_prefix(b"total=")) {
                values[index] = number(total);
            }
        }
    }
}
