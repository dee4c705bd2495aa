//! The kernel's counters and gauges, read at a steady pace while a load runs,
//! by fast parsers over files that stay open. A sampler is one file and one
//! line in [`TABLE`]. Processes come and go, so they are watched by a part of
//! their own, [`Processes`]; so are the threads that drive a load, [`WorkerWaits`].

mod allowance;
mod block;
mod cgroup;
mod conntrack;
mod cpu;
mod cyclic;
mod ebs;
mod errors;
mod file;
mod frequency;
mod group_io;
mod group_memory;
mod group_pressure;
mod group_processes;
mod ip;
mod keyed;
pub mod limited;
mod link;
mod memory;
mod memory_bandwidth;
mod missed;
mod network;
mod nfs;
mod own;
mod pause;
mod power;
mod pressure;
mod process;
mod qdisc;
mod scope;
mod single;
mod softnet;
mod tcp;
mod temperature;
#[cfg(test)]
mod tests;
mod throttle;
mod worker;

use model::{Resource, Unit};

use crate::Host;
use file::OpenFile;

pub(crate) use cpu::TICK_S;
pub(crate) use errors::counts as error_counts;
pub use memory_bandwidth::MEMORY_TRAFFIC;
pub(crate) use process::KERNEL_THREAD;
pub use process::Processes;
pub use scope::Scope;
pub use worker::{CountedMode, WorkerWaits, delays, hardware};

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// It only grows; what matters is how far it went.
    Counter,
    /// It is a state; what matters is its value.
    Gauge,
}

/// One column that a sampler reads.
#[derive(Clone, Debug, PartialEq)]
pub struct SamplerColumn {
    /// The resource: `cpu`, `cpu:3`, `block:vda`, `nic:eth0`, `memory`.
    pub resource: Resource,
    /// What it is, in the kernel's word: `user`, `reads`, `pswpin`.
    pub name: &'static str,
    /// Whether it grows or stands.
    pub nature: ValueKind,
    /// The unit of the raw value times `scale`.
    pub unit: Unit,
    /// What one step of the raw value is in `unit`.
    pub scale: f64,
    /// What was added to make a raw value of one that may be negative.
    pub bias: u64,
}

impl SamplerColumn {
    /// A counter.
    #[must_use]
    pub fn counter(resource: impl Into<Resource>, name: &'static str, unit: Unit, scale: f64) -> Self {
        Self { resource: resource.into(), name, nature: ValueKind::Counter, unit, scale, bias: 0 }
    }

    /// A gauge.
    #[must_use]
    pub fn gauge(resource: impl Into<Resource>, name: &'static str, unit: Unit, scale: f64) -> Self {
        Self { resource: resource.into(), name, nature: ValueKind::Gauge, unit, scale, bias: 0 }
    }

    /// The same, for values that may be as low as `-bias`.
    #[must_use]
    pub fn biased(self, bias: u64) -> Self {
        Self { bias, ..self }
    }

    /// A raw value in `unit`; none where it is [`ABSENT`].
    #[must_use]
    pub fn value(&self, raw: u64) -> Option<f64> {
        let value = i128::from(raw) - i128::from(self.bias);
        (raw != ABSENT).then_some(value as f64 * self.scale)
    }
}

/// A raw value that is not there: the device has gone, the kernel is older.
pub const ABSENT: u64 = u64::MAX;

/// One file, or a few of one kind, read at one pace.
pub trait Sampler: Send {
    /// The file that is read, for the document: `/proc/stat`.
    fn source(&self) -> &str;
    /// What is read, in the order of [`Sampler::read`]; it never changes.
    fn columns(&self) -> &[SamplerColumn];
    /// Reads now and writes one raw value for each column; what is not there is
    /// [`ABSENT`]. Does not allocate, once its buffer has met its longest file.
    fn read(&mut self, values: &mut [u64]);
    /// Whether once a second is enough: it is dear, or it changes slowly.
    fn is_slow(&self) -> bool {
        false
    }
}

/// How often is enough.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pace {
    Fast,
    /// Once a second.
    Slow,
}

/// A sampler whose reading is a closure.
struct Reader<F> {
    source: String,
    pace: Pace,
    columns: Vec<SamplerColumn>,
    read: F,
}

impl<F: FnMut(&mut [u64]) + Send> Sampler for Reader<F> {
    fn source(&self) -> &str {
        &self.source
    }

    fn columns(&self) -> &[SamplerColumn] {
        &self.columns
    }

    fn read(&mut self, values: &mut [u64]) {
        values.fill(ABSENT);
        (self.read)(values);
    }

    fn is_slow(&self) -> bool {
        self.pace == Pace::Slow
    }
}

/// The sampler of these columns, unless there are none; what `read` does not write is [`ABSENT`].
fn reader(
    source: &str,
    pace: Pace,
    columns: Vec<SamplerColumn>,
    read: impl FnMut(&mut [u64]) + Send + 'static,
) -> Vec<Box<dyn Sampler>> {
    if columns.is_empty() {
        return Vec::new();
    }
    vec![Box::new(Reader { source: source.to_owned(), pace, columns, read })]
}

/// The same of the content of one file that is read often, where it can be opened.
fn of_file(
    host: &Host,
    path: &str,
    columns: Vec<SamplerColumn>,
    mut read: impl FnMut(&[u8], &mut [u64]) + Send + 'static,
) -> Vec<Box<dyn Sampler>> {
    let Some(mut file) = OpenFile::open(host, path) else { return Vec::new() };
    reader(path, Pace::Fast, columns, move |values| {
        if let Some(bytes) = file.read() {
            read(bytes, values);
        }
    })
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
pub const TABLE: &[SamplerKind] = &[
    cpu::KIND,
    block::KIND,
    ebs::KIND,
    nfs::KIND,
    network::KIND,
    missed::KIND,
    pause::KIND,
    allowance::KIND,
    qdisc::KIND,
    softnet::KIND,
    conntrack::KIND,
    ip::KIND,
    tcp::KIND,
    tcp::UDP6_KIND,
    memory::KIND,
    memory_bandwidth::KIND,
    pressure::KIND,
    group_pressure::KIND,
    group_io::KIND,
    group_memory::KIND,
    cgroup::KIND,
    own::KIND,
    temperature::KIND,
    frequency::KIND,
    throttle::KIND,
    power::KIND,
    link::KIND,
    errors::KIND,
];

/// What tells our own CPU time alone, for who watches nothing else.
#[must_use]
pub fn open_own(host: &Host) -> Vec<Box<dyn Sampler>> {
    (own::KIND.open)(host, &Scope::default())
}

/// All samplers for `scope` that have something to say on `host`.
#[must_use]
pub fn open_all(host: &Host, scope: &Scope) -> Vec<Box<dyn Sampler>> {
    let mut all: Vec<_> = TABLE.iter().flat_map(|kind| (kind.open)(host, scope)).collect();
    // This first reading also makes every buffer as long as it must be.
    all.retain_mut(|sampler| {
        let mut values = vec![ABSENT; sampler.columns().len()];
        sampler.read(&mut values);
        values.iter().any(|value| *value != ABSENT)
    });
    all
}
