//! How often the processors slowed themselves down because they were too hot, or
//! to keep within their power where the kernel was told to count that
//! (`Documentation/ABI/testing/sysfs-devices-system-cpu`, `thermal_throttle`).

use std::collections::BTreeSet;

use model::{Resource, ResourceKind, Unit};

use crate::sampler::frequency::cpus;
use crate::sampler::{SamplerColumn, SamplerKind, single};

const FOLDER: &str = "/sys/devices/system/cpu";

pub(super) const KIND: SamplerKind = SamplerKind {
    name: "throttle",
    doc: "how often a core or a package slowed down because it was too hot or drew too much",
    open: |host, _| {
        let mut packages = BTreeSet::new();
        let mut wanted = Vec::new();
        for cpu in cpus(host) {
            let file = |name: &str| format!("{FOLDER}/cpu{cpu}/{name}");
            let mut want = |name: &'static str| {
                let column =
                    SamplerColumn::counter(Resource::of(ResourceKind::Cpu, cpu), name, Unit::One, 1.0);
                wanted.push((file(&format!("thermal_throttle/{name}")), column));
            };
            want("core_throttle_count");
            want("core_power_limit_count");
            // All CPUs of a package count the same.
            if packages.insert(host.number(file("topology/physical_package_id"))) {
                want("package_throttle_count");
                want("package_power_limit_count");
            }
        }
        single::open(host, FOLDER, wanted)
    },
};
