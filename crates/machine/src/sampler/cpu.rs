//! Where all CPUs together spent their time: the first line of `/proc/stat`.

use model::Unit;

use crate::sampler::{ABSENT, Column, OpenFile, Sampler, SamplerKind, numbers};

/// proc_stat(5), in clock ticks (1/100 s on Linux).
const NAMES: &[&str] = &["user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal"];

/// Seconds in a clock tick as the kernel shows it: USER_HZ is 100 on all
/// architectures that Linux has left (`include/asm-generic/param.h`).
const TICK_S: f64 = 0.01;

/// Its line in the table.
pub(super) const KIND: SamplerKind = SamplerKind {
    name: "cpu",
    doc: "where all CPUs together spent their time",
    open: |host, _| {
        let file = OpenFile::open(host, "/proc/stat");
        let columns = NAMES.iter().map(|name| Column::counter("cpu", name, Unit::Seconds, TICK_S)).collect();
        file.map(|file| Box::new(CpuTimes { file, columns }) as Box<dyn Sampler>).into_iter().collect()
    },
};

#[derive(Debug)]
struct CpuTimes {
    file: OpenFile,
    columns: Vec<Column>,
}

impl Sampler for CpuTimes {
    fn source(&self) -> &'static str {
        "/proc/stat"
    }

    fn columns(&self) -> &[Column] {
        &self.columns
    }

    fn read(&mut self, values: &mut [u64]) {
        values.fill(ABSENT);
        let line = self.file.read().and_then(|b| b.split(|b| *b == b'\n').next()?.strip_prefix(b"cpu "));
        for (value, number) in values.iter_mut().zip(line.into_iter().flat_map(numbers)) {
            *value = number;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use procfs::prelude::*;

    #[test]
    fn the_values_are_those_that_procfs_reads() {
        let mut ours = (KIND.open)(&crate::Host::this(), &crate::sampler::Scope::default()).remove(0);
        let mut read = || {
            let mut values = vec![0; NAMES.len()];
            ours.read(&mut values);
            values
        };
        let before = read();
        let theirs = procfs::KernelStats::current().unwrap().total;
        let after = read();
        let theirs = [
            theirs.user,
            theirs.nice,
            theirs.system,
            theirs.idle,
            theirs.iowait.unwrap(),
            theirs.irq.unwrap(),
            theirs.softirq.unwrap(),
            theirs.steal.unwrap(),
        ];
        // The kernel lets idle and iowait step back at times.
        for (i, name) in NAMES.iter().enumerate().filter(|(_, n)| !["idle", "iowait"].contains(n)) {
            assert!(
                before[i] <= theirs[i] && theirs[i] <= after[i],
                "{name}: {before:?} {theirs:?} {after:?}"
            );
        }
    }
}
