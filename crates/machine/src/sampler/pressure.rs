//! How long tasks waited for CPU, memory and I/O: `/proc/pressure`.

use model::{Resource, ResourceKind, Unit};

use crate::sampler::file::{lines, number, split_word};
use crate::sampler::{SamplerColumn, SamplerKind, of_file};

/// `Documentation/accounting/psi.rst`: the time in which some, or all, tasks
/// that had work stood still, in microseconds. `irq` has `full` only, and only
/// since Linux 6.1.
pub(super) const FILES: &[&str] = &["cpu", "memory", "io", "irq"];

pub(super) const NAMES: &[&str] = &["some", "full"];

pub(super) const KIND: SamplerKind = SamplerKind {
    name: "pressure",
    doc: "how long tasks stood still for want of CPU, memory or I/O",
    open: |host, _| {
        let open = |name: &&str| {
            let resource = Resource::of(ResourceKind::Pressure, name);
            let column =
                |name: &&'static str| SamplerColumn::counter(resource.clone(), name, Unit::Seconds, 1e-6);
            of_file(host, &format!("/proc/pressure/{name}"), NAMES.iter().map(column).collect(), read)
        };
        FILES.iter().flat_map(open).collect()
    },
};

pub(super) fn read(bytes: &[u8], values: &mut [u64]) {
    for line in lines(bytes) {
        let (word, rest) = split_word(line);
        let Some(index) = NAMES.iter().position(|name| name.as_bytes() == word) else { continue };
        let mut fields = rest.split(|b| *b == b' ');
        if let Some(total) = fields.find_map(|field| field.strip_prefix(b"total=")) {
            values[index] = number(total);
        }
    }
}
