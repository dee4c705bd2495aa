//! What queueing disciplines dropped or held of what an interface was to send: the
//! statistics of those at the root, by routing netlink (rtnetlink(7),
//! `include/uapi/linux/{pkt_sched,gen_stats}.h`). `/proc/net/dev` does not have
//! them: for the interface, such a packet never was.
//!
//! One that holds packets to a rate counts each time that it had some and let none through as an *overlimit*
//! (`qdisc_qstats_overlimit` in `net/sched/sch_{tbf,htb,cake}.c`). It may stand below another, as TBF does below netem: the
//! greatest count of an interface is taken. `ingress` and `clsact` keep no queue; what their filters drop,
//! as a policer does, they count themselves (`sch_handle_ingress` in `net/core/dev.c`).

use model::{Resource, ResourceKind, Unit};

use crate::inventory::network::wire::{GET_QDISC, ROOT, TC_HEAD, attribute, dump, number};
use crate::sampler::cyclic::Cyclic;
use crate::sampler::{Pace, SamplerColumn, SamplerKind, reader};

const TCA_STATS2: u16 = 7;
const TCA_STATS_QUEUE: u16 = 3;
/// The parent of `ingress` and `clsact` (`TC_H_CLSACT` of `include/uapi/linux/pkt_sched.h`).
const INGRESS: u32 = 0xffff_fff1;
/// Counters of `struct gnet_stats_queue` have 32 bits.
const RANGE: u64 = 1 << 32;

pub(super) const KIND: SamplerKind = SamplerKind {
    name: "qdisc",
    doc: "packets that the queueing discipline of each network interface dropped, how often it held some back, what waits in \
          it, and packets that filters dropped",
    open: |host, scope| {
        // A recording has no kernel that could be asked.
        if !host.is_this() {
            return Vec::new();
        }
        // By place: the number of the interface, and its counts.
        let (mut of, mut columns) = (Vec::new(), Vec::new());
        for name in &scope.network {
            let index = host.number(format!("/sys/class/net/{name}/ifindex"));
            let Some(index) = index.and_then(|index| u32::try_from(index).ok()) else { continue };
            let resource = Resource::of(ResourceKind::Nic, name);
            columns.push(SamplerColumn::counter(resource.clone(), "qdisc_drops", Unit::One, 1.0));
            columns.push(SamplerColumn::gauge(resource.clone(), "qdisc_backlog", Unit::Bytes, 1.0));
            columns.push(SamplerColumn::counter(resource.clone(), "qdisc_overlimits", Unit::One, 1.0));
            columns.push(SamplerColumn::counter(resource, "filter_drops", Unit::One, 1.0));
            of.push((index, <[Cyclic; 3]>::default()));
        }
        // A dump asks the kernel anew.
        reader("rtnetlink(7)", Pace::Slow, columns, move |values| {
            let Ok(messages) = dump(GET_QDISC, &[0; TC_HEAD]) else { return };
            let all: Vec<Queue> = messages.iter().filter_map(|message| Queue::of(message)).collect();
            for ((index, counts), values) in of.iter_mut().zip(values.chunks_mut(4)) {
                let Some(seen) = Seen::of(&all, *index) else { continue };
                let [drops, overlimits, filtered] = counts;
                values[0] = drops.unroll(u64::from(seen.drops), RANGE);
                values[1] = u64::from(seen.backlog);
                values[2] = overlimits.unroll(u64::from(seen.overlimits), RANGE);
                values[3] = filtered.unroll(u64::from(seen.filtered), RANGE);
            }
        })
    },
};

/// What one queueing discipline counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Queue {
    index: u32,
    parent: u32,
    backlog: u32,
    drops: u32,
    overlimits: u32,
}

impl Queue {
    fn of(message: &[u8]) -> Option<Self> {
        // `struct tcmsg`: the interface is at 4, the parent at 12.
        let statistics = attribute(message.get(TC_HEAD..)?, TCA_STATS2)?;
        // `struct gnet_stats_queue`: packets that wait, their bytes, drops, requeues, overlimits.
        let queue = attribute(statistics, TCA_STATS_QUEUE)?;
        Some(Self {
            index: number(message, 4)?,
            parent: number(message, 12)?,
            backlog: number(queue, 4)?,
            drops: number(queue, 8)?,
            overlimits: number(queue, 16)?,
        })
    }
}

/// What is told of an interface.
#[derive(Debug, PartialEq, Eq)]
struct Seen {
    drops: u32,
    backlog: u32,
    overlimits: u32,
    /// Packets that filters of `ingress` or `clsact` dropped.
    filtered: u32,
}

impl Seen {
    fn of(all: &[Queue], index: u32) -> Option<Self> {
        let own = || all.iter().filter(|queue| queue.index == index);
        let root = own().find(|queue| queue.parent == ROOT)?;
        let queues = own().filter(|queue| queue.parent != INGRESS);
        Some(Self {
            drops: root.drops,
            backlog: root.backlog,
            overlimits: queues.map(|queue| queue.overlimits).max().unwrap_or_default(),
            filtered: own().find(|queue| queue.parent == INGRESS).map_or(0, |queue| queue.drops),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inventory::network::wire::push_attribute;

    fn message(parent: u32, [drops, overlimits]: [u32; 2]) -> Vec<u8> {
        let mut message = vec![0; TC_HEAD];
        message[4..8].copy_from_slice(&7_u32.to_ne_bytes());
        message[12..16].copy_from_slice(&parent.to_ne_bytes());
        let queue: Vec<u8> =
            [2_u32, 3000, drops, 0, overlimits].iter().flat_map(|n| n.to_ne_bytes()).collect();
        let mut statistics = Vec::new();
        push_attribute(&mut statistics, TCA_STATS_QUEUE, &queue);
        push_attribute(&mut message, TCA_STATS2, &statistics);
        message
    }

    #[test]
    fn what_a_queue_counts_is_read() {
        let whole = message(ROOT, [41, 9]);
        let expected = Queue { index: 7, parent: ROOT, backlog: 3000, drops: 41, overlimits: 9 };
        assert_eq!(Queue::of(&whole), Some(expected));
        for length in 0..whole.len() {
            assert_eq!(Queue::of(&whole[..length]), None, "{length}");
        }
    }

    /// Bug: of a rate that a queueing discipline below another holds, and of a policer, nothing was counted.
    #[test]
    fn an_interface_has_the_drops_of_its_root_what_any_of_its_queues_held_and_what_filters_drop() {
        let read = |all: &[(u32, [u32; 2])]| {
            let all: Vec<Queue> =
                all.iter().filter_map(|(parent, counts)| Queue::of(&message(*parent, *counts))).collect();
            Seen::of(&all, 7)
        };
        let seen = read(&[(0x1_0001, [5, 900]), (ROOT, [41, 0]), (INGRESS, [77, 0])]);
        assert_eq!(seen, Some(Seen { drops: 41, backlog: 3000, overlimits: 900, filtered: 77 }));
        assert_eq!(read(&[(ROOT, [1, 2])]).map(|seen| (seen.overlimits, seen.filtered)), Some((2, 0)));
        assert_eq!(read(&[(0x1_0001, [1, 2])]), None, "without a root");
    }
}
