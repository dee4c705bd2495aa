//! How fast the CPUs run: `scaling_cur_freq`
//! (`Documentation/admin-guide/pm/cpufreq.rst`), in kHz. On some kernels a
//! reading interrupts the CPU, so once a second.

use model::{Resource, ResourceKind, Unit};

use crate::Host;
use crate::sampler::{SamplerColumn, SamplerKind, single};

const FOLDER: &str = "/sys/devices/system/cpu";

pub(super) const KIND: SamplerKind = SamplerKind {
    name: "frequency",
    doc: "the clock rate of each CPU, as its driver tells",
    open: |host, _| {
        let wanted = cpus(host).into_iter().map(|cpu| {
            let path = format!("{FOLDER}/cpu{cpu}/cpufreq/scaling_cur_freq");
            (
                path,
                SamplerColumn::gauge(
                    Resource::of(ResourceKind::Cpu, cpu),
                    "scaling_cur_freq",
                    Unit::Hertz,
                    1e3,
                ),
            )
        });
        single::open(host, FOLDER, wanted)
    },
};

/// The CPUs that are online.
pub(super) fn cpus(host: &Host) -> Vec<u32> {
    host.cpu_list(format!("{FOLDER}/online")).unwrap_or_default()
}
