//! Packets for which an adapter had no room in its receive ring
//! (`rx_missed_errors`, `Documentation/networking/statistics.rst`): the host does
//! not take them out in time. `/proc/net/dev` has them among those that the
//! kernel dropped for other reasons.

use model::{Resource, ResourceKind, Unit};

use crate::sampler::{SamplerColumn, SamplerKind, single};

pub(super) const KIND: SamplerKind = SamplerKind {
    name: "missed",
    doc: "packets that network adapters missed for want of room",
    open: |host, scope| {
        let wanted = scope.network.iter().map(|name| {
            let column =
                SamplerColumn::counter(Resource::of(ResourceKind::Nic, name), "rx_missed", Unit::One, 1.0);
            (format!("/sys/class/net/{name}/statistics/rx_missed_errors"), column)
        });
        single::open(host, "/sys/class/net/*/statistics", wanted)
    },
};
