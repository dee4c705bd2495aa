//! How long tasks of our own control group waited for CPU, memory and I/O: the
//! files `*.pressure` of version 2 (`Documentation/admin-guide/cgroup-v2.rst`),
//! which has them also where it stands beside version 1. What the machine's
//! pressure says others may feel; this is what we feel.

use model::{Resource, ResourceKind, Unit};

use crate::inventory::cgroup;
use crate::sampler::file::OpenFile;
use crate::sampler::{Pace, SamplerColumn, SamplerKind, pressure, reader};

pub(super) const KIND: SamplerKind = SamplerKind {
    name: "group-pressure",
    doc: "how long tasks of our own control group stood still for want of CPU, memory or I/O",
    open: |host, _| {
        let Some(folder) = cgroup::unified_folder(host) else { return Vec::new() };
        // The uppermost group of a machine has no such file, and its pressure is the
        // machine's; that of a container has it.
        if !host.exists(format!("{folder}/cgroup.events")) {
            return Vec::new();
        }
        let open = |name: &&str| {
            let resource = Resource::of(ResourceKind::Cgroup, name);
            let column =
                |name: &&'static str| SamplerColumn::counter(resource.clone(), name, Unit::Seconds, 1e-6);
            let columns = pressure::NAMES.iter().map(column).collect();
            // A group's folder is named by what identifies it.
            let source = format!("{name}.pressure");
            let Some(mut file) = OpenFile::open(host, &format!("{folder}/{source}")) else {
                return Vec::new();
            };
            reader(&source, Pace::Fast, columns, move |values| {
                if let Some(bytes) = file.read() {
                    pressure::read(bytes, values);
                }
            })
        };
        pressure::FILES.iter().flat_map(open).collect()
    },
};
