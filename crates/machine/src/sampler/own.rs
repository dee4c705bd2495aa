//! Our own CPU time, the loads' and the sampler's: what is left of the busy
//! time of all CPUs is others'.

use model::Unit;

use crate::sampler::{Pace, SamplerColumn, SamplerKind, reader};

pub(super) const KIND: SamplerKind = SamplerKind {
    name: "self",
    doc: "CPU time of this process and of its children that ended, to the microsecond",
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
    // What a load starts and waits for is its own work, too.
    let (Some(own), Some(children)) = (used_us(libc::RUSAGE_SELF), used_us(libc::RUSAGE_CHILDREN)) else {
        return;
    };
    for (value, (own, children)) in values.iter_mut().zip(own.into_iter().zip(children)) {
        *value = own + children;
    }
}

/// Microseconds outside of the kernel and in it.
fn used_us(whose: libc::c_int) -> Option<[u64; 2]> {
    // SAFETY: an all-zero rusage is a valid value of this plain C struct.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer is to a live rusage of the right type.
    let is_told = unsafe { libc::getrusage(whose, &raw mut usage) } == 0;
    let us = |time: libc::timeval| time.tv_sec.cast_unsigned() * 1_000_000 + time.tv_usec.cast_unsigned();
    is_told.then(|| [us(usage.ru_utime), us(usage.ru_stime)])
}
