//! Our own CPU time, the loads' and the sampler's: what is left of the busy
//! time of all CPUs is others'.

use model::Unit;

use crate::sampler::{Pace, SamplerColumn, SamplerKind, reader};

pub(super) const KIND: SamplerKind = SamplerKind {
    name: "self",
    doc: "CPU time of this process, to the microsecond",
    open: |host, _| {
        // A recording has no process of ours.
        if !host.is_this() {
            return Vec::new();
        }
        let columns =
            ["user", "system"].map(|name| SamplerColumn::counter("self", name, Unit::Seconds, 1e-6));
        reader("getrusage(2)", Pace::Fast, Vec::from(columns), read)
    },
};

fn read(values: &mut [u64]) {
    // SAFETY: an all-zero rusage is a valid value of this plain C struct.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer is to a live rusage of the right type.
    if unsafe { libc::getrusage(libc::RUSAGE_SELF, &raw mut usage) } != 0 {
        return;
    }
    for (value, time) in values.iter_mut().zip([usage.ru_utime, usage.ru_stime]) {
        *value = time.tv_sec.cast_unsigned() * 1_000_000 + time.tv_usec.cast_unsigned();
    }
}
