//! The kernel's counters and gauges, read at a steady pace while a load runs,
//! by fast parsers over files that stay open. A sampler is one file and one
//! line in [`TABLE`].

mod block;
mod cpu;

use model::Unit;

use crate::Host;

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nature {
    /// It only grows; what matters is how far it went.
    Counter,
    /// It is a state; what matters is its value.
    Gauge,
}

/// One column that a sampler reads.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// The resource: `cpu`, `cpu:3`, `block:vda`, `nic:eth0`, `memory`.
    pub resource: String,
    /// What it is, in the kernel's word: `user`, `reads`, `pswpin`.
    pub name: &'static str,
    /// Whether it grows or stands.
    pub nature: Nature,
    /// The unit of the raw value times `scale`.
    pub unit: Unit,
    /// What one step of the raw value is in `unit`.
    pub scale: f64,
}

impl Column {
    /// A counter.
    #[must_use]
    pub fn counter(resource: impl Into<String>, name: &'static str, unit: Unit, scale: f64) -> Self {
        Self { resource: resource.into(), name, nature: Nature::Counter, unit, scale }
    }

    /// A gauge.
    #[must_use]
    pub fn gauge(resource: impl Into<String>, name: &'static str, unit: Unit, scale: f64) -> Self {
        Self { resource: resource.into(), name, nature: Nature::Gauge, unit, scale }
    }
}

/// A raw value that is not there: the device has gone, the kernel is older.
pub const ABSENT: u64 = u64::MAX;

/// One file, or a few of one kind, read at one pace.
pub trait Sampler: Send {
    /// The file that is read, for the document: `/proc/stat`.
    fn source(&self) -> &'static str;
    /// What is read, in the order of [`Sampler::read`]; it never changes.
    fn columns(&self) -> &[Column];
    /// Reads now and writes one raw value for each column; what is not there is
    /// [`ABSENT`]. Does not allocate.
    fn read(&mut self, values: &mut [u64]);
    /// Whether once a second is enough: it is dear, or it changes slowly.
    fn is_slow(&self) -> bool {
        false
    }
}

/// What may be sampled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    /// Block devices, without `/dev/`.
    pub block: Vec<String>,
    /// Network interfaces.
    pub network: Vec<String>,
}

/// One kind of sampler.
pub struct SamplerKind {
    /// Its name.
    pub name: &'static str,
    /// What it reads, in a sentence.
    pub doc: &'static str,
    /// Opens it; none where the machine does not have it.
    pub open: fn(&Host, &Scope) -> Vec<Box<dyn Sampler>>,
}

/// Every kind of sampler.
pub const TABLE: &[SamplerKind] = &[cpu::KIND, block::KIND];

/// All samplers for `scope`.
#[must_use]
pub fn open_all(host: &Host, scope: &Scope) -> Vec<Box<dyn Sampler>> {
    TABLE.iter().flat_map(|kind| (kind.open)(host, scope)).collect()
}

/// A small text file of the kernel that is read again and again from its start.
#[derive(Debug)]
struct OpenFile {
    file: std::fs::File,
    buffer: Vec<u8>,
}

impl OpenFile {
    fn open(host: &Host, path: &str) -> Option<Self> {
        Some(Self { file: host.file(path)?, buffer: vec![0; 4096] })
    }

    /// Its present content, up to a page.
    fn read(&mut self) -> Option<&[u8]> {
        use std::os::unix::fs::FileExt;
        let length = self.file.read_at(&mut self.buffer, 0).ok()?;
        Some(&self.buffer[..length])
    }
}

/// Whole numbers separated by anything else.
fn numbers(bytes: &[u8]) -> impl Iterator<Item = u64> + '_ {
    bytes
        .split(|b| !b.is_ascii_digit())
        .filter(|part| !part.is_empty())
        .map(|part| part.iter().fold(0u64, |n, d| n.wrapping_mul(10).wrapping_add(u64::from(d - b'0'))))
}
