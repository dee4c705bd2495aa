//! What queueing disciplines dropped of what an interface was to send: the
//! statistics of those at the root, by routing netlink (rtnetlink(7),
//! `include/uapi/linux/{pkt_sched,gen_stats}.h`). `/proc/net/dev` does not have
//! them: for the interface, such a packet never was.

use model::{Resource, ResourceKind, Unit};

use crate::inventory::network::wire::{GET_QDISC, ROOT, TC_HEAD, attribute, dump, number};
use crate::sampler::cyclic::Cyclic;
use crate::sampler::{Pace, SamplerColumn, SamplerKind, reader};

const TCA_STATS2: u16 = 7;
const TCA_STATS_QUEUE: u16 = 3;
/// Counters of `struct gnet_stats_queue` have 32 bits.
const RANGE: u64 = 1 << 32;

pub(super) const KIND: SamplerKind = SamplerKind {
    name: "qdisc",
    doc: "packets that the queueing discipline of each network interface dropped, and what waits in it",
    open: |host, scope| {
        // A recording has no kernel that could be asked.
        if !host.is_this() {
            return Vec::new();
        }
        // By place: the number of the interface, and its count of drops.
        let (mut of, mut columns) = (Vec::new(), Vec::new());
        for name in &scope.network {
            let index = host.number(format!("/sys/class/net/{name}/ifindex"));
            let Some(index) = index.and_then(|index| u32::try_from(index).ok()) else { continue };
            let resource = Resource::of(ResourceKind::Nic, name);
            columns.push(SamplerColumn::counter(resource.clone(), "qdisc_drops", Unit::One, 1.0));
            columns.push(SamplerColumn::gauge(resource, "qdisc_backlog", Unit::Bytes, 1.0));
            of.push((index, Cyclic::default()));
        }
        // A dump asks the kernel anew.
        reader("rtnetlink(7)", Pace::Slow, columns, move |values| {
            let Ok(messages) = dump(GET_QDISC, &[0; TC_HEAD]) else { return };
            for message in &messages {
                let Some(Queue { index, drops, backlog }) = Queue::at_root(message) else { continue };
                let known = of.iter_mut().zip(values.chunks_mut(2)).find(|((own, _), _)| *own == index);
                if let Some(((_, count), values)) = known {
                    values[0] = count.unroll(u64::from(drops), RANGE);
                    values[1] = u64::from(backlog);
                }
            }
        })
    },
};

/// What is told of one at the root.
#[derive(Debug, PartialEq, Eq)]
struct Queue {
    index: u32,
    drops: u32,
    backlog: u32,
}

impl Queue {
    fn at_root(message: &[u8]) -> Option<Self> {
        // `struct tcmsg`: the interface is at 4, the parent at 12.
        let parent = number(message, 12)?;
        let statistics = attribute(message.get(TC_HEAD..)?, TCA_STATS2)?;
        // `struct gnet_stats_queue`: packets that wait, their bytes, drops.
        let queue = attribute(statistics, TCA_STATS_QUEUE)?;
        let found = Self { index: number(message, 4)?, backlog: number(queue, 4)?, drops: number(queue, 8)? };
        (parent == ROOT).then_some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inventory::network::wire::push_attribute;

    fn message(parent: u32) -> Vec<u8> {
        let mut message = vec![0; TC_HEAD];
        message[4..8].copy_from_slice(&7_u32.to_ne_bytes());
        message[12..16].copy_from_slice(&parent.to_ne_bytes());
        let queue: Vec<u8> = [2_u32, 3000, 41, 0, 9].iter().flat_map(|n| n.to_ne_bytes()).collect();
        let mut statistics = Vec::new();
        push_attribute(&mut statistics, TCA_STATS_QUEUE, &queue);
        push_attribute(&mut message, TCA_STATS2, &statistics);
        message
    }

    #[test]
    fn the_queue_at_the_root_tells_what_it_dropped_and_no_other() {
        let whole = message(ROOT);
        assert_eq!(Queue::at_root(&whole), Some(Queue { index: 7, drops: 41, backlog: 3000 }));
        assert_eq!(Queue::at_root(&message(1)), None);
        for length in 0..whole.len() {
            assert_eq!(Queue::at_root(&whole[..length]), None, "{length}");
        }
    }
}
