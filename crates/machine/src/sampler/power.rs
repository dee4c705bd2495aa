//! What the processors used: the energy counters of powercap
//! (`Documentation/power/powercap/powercap.rst`), in microjoules. Reading one
//! interrupts a core of its package, so once a second.

use model::{Resource, ResourceKind, Unit};

use crate::Host;
use crate::sampler::cyclic::Cyclic;
use crate::sampler::single::NumberFile;
use crate::sampler::{ABSENT, Pace, SamplerColumn, SamplerKind, reader};

const FOLDER: &str = "/sys/class/powercap";

pub(super) const KIND: SamplerKind = SamplerKind {
    name: "power",
    doc: "energy that the packages of processors, and their memory, used",
    open: |host, _| {
        let mut columns: Vec<SamplerColumn> = Vec::new();
        // Each with where it begins again.
        let mut counters = Vec::new();
        let mut zones = host.names(FOLDER);
        // The same counters may be there a second time, through another interface.
        zones.sort_by_key(|zone| zone.contains("-mmio"));
        for zone in zones {
            let Some(name) = name(host, &zone) else { continue };
            let resource = Resource::of(ResourceKind::Power, name);
            if columns.iter().any(|column| column.resource == resource) {
                continue;
            }
            let folder = format!("{FOLDER}/{zone}");
            let range = host.number(format!("{folder}/max_energy_range_uj"));
            let file = NumberFile::open(host, &format!("{folder}/energy_uj"));
            if let (Some(range), Some(file)) = (range, file) {
                counters.push((file, range, Cyclic::default()));
                columns.push(SamplerColumn::counter(resource, "energy_uj", Unit::Joules, 1e-6));
            }
        }
        reader(FOLDER, Pace::Slow, columns, move |values| {
            for (value, (file, range, count)) in values.iter_mut().zip(&mut counters) {
                let raw = file.read().and_then(|n| u64::try_from(n).ok());
                *value = count.unroll(raw.unwrap_or(ABSENT), *range);
            }
        })
    },
};

/// `package-0`, or `package-0/core` for a part of it; none for what is no zone.
fn name(host: &Host, zone: &str) -> Option<String> {
    let (above, _) = zone.rsplit_once(':')?;
    let own = host.text(format!("{FOLDER}/{zone}/name"))?;
    if !above.contains(':') {
        return Some(own);
    }
    Some(format!("{}/{own}", host.text(format!("{FOLDER}/{above}/name"))?))
}
