//! Network interfaces: what they carry each way against their links, shapers and what runs measured.
//!
//! What counts against a link are frames as the wire has them. The kernel counts what it hands to the adapter, and that may
//! be many packets in one (segmentation offload); so where packets are larger than the MTU they are taken to be as many as
//! the MTU makes of them, each with heads of its own.

use model::limit::{Direction, LimitKind};
use model::machine::NetworkInterface;
use model::{Limit, Resource, ResourceKind, Unit, WorkloadName, metric};

use super::{KnownLimit, LimitOrigin, LimitShare, ResourceActivity, ResourceRow, SituationInput, UseMeasure};
use crate::limit_book::age_s;

/// The head of Ethernet, which the kernel counts.
const ETHERNET: f64 = 14.0;
/// Preamble, check and gap, which it does not (IEEE 802.3).
const AROUND_FRAME: f64 = 8.0 + 4.0 + 12.0;
/// Heads of IPv4 and of TCP with timestamps.
const HEADS: f64 = 20.0 + 20.0 + 12.0;
/// Packets of at least this share of the MTU are of a stream.
const LARGE: f64 = 0.85;
/// A demand that is so much more than what was measured says that it was something else.
const BEYOND: f64 = 1.15;

/// What passes one way in each second.
#[derive(Clone, Copy, Debug)]
struct Way {
    /// Bytes of frames without what is around them.
    frames: f64,
    /// Packets as a wire would have them.
    packets: f64,
}

impl Way {
    fn of(bytes: f64, packets: f64, mtu: u32) -> Self {
        let largest = f64::from(mtu) + ETHERNET;
        let on_wire = if packets > 0.0 && bytes / packets > largest {
            // Each packet of many has one head; the others are to be added.
            let each = (f64::from(mtu) - HEADS).max(1.0);
            ((bytes - packets * (ETHERNET + HEADS)) / each).max(packets)
        } else {
            packets
        };
        Self { frames: bytes + (on_wire - packets) * (ETHERNET + HEADS), packets: on_wire }
    }

    fn on_wire(self) -> f64 {
        self.frames + self.packets * AROUND_FRAME
    }

    /// What TCP over IPv4 with timestamps carries in them.
    fn payload(self) -> f64 {
        (self.frames - self.packets * (ETHERNET + HEADS)).max(0.0)
    }
}

pub(super) fn rows(input: &SituationInput<'_>) -> Vec<ResourceRow> {
    let told = input.scope.network.iter().filter(|name| *name != "lo");
    told.filter_map(|name| row(input, name)).collect()
}

fn row(input: &SituationInput<'_>, name: &str) -> Option<ResourceRow> {
    let resource = Resource::of(ResourceKind::Nic, name);
    let interface = input.inventory.network.iter().find(|interface| interface.name == name);
    let mtu = interface.map_or(1500, |interface| interface.mtu).max(68);
    let rate = |column: &str| input.readings.rate(&resource, column);
    let came = Way::of(rate("rx_bytes")?, rate("rx_packets")?, mtu);
    let went = Way::of(rate("tx_bytes")?, rate("tx_packets")?, mtu);
    let drops = ["rx_drop", "tx_drop", "rx_missed", "qdisc_drops"];
    let dropped = drops.iter().filter_map(|name| rate(name)).sum();
    let mut uses = Vec::new();
    for (direction, way) in [(Direction::Read, came), (Direction::Write, went)] {
        if way.packets > 0.0 {
            let found = by_limits(input, &resource, direction, way);
            uses.extend(by_measured(input, name, interface, direction, way, found.is_empty()));
            uses.extend(found);
        }
    }
    let activity = ResourceActivity::Interface {
        bytes: [came.frames, went.frames],
        packets: [came.packets, went.packets],
        dropped,
        mtu,
    };
    Some(ResourceRow::new(resource, activity, uses))
}

fn measure(direction: Direction) -> UseMeasure {
    match direction {
        Direction::Read => UseMeasure::BytesIn,
        Direction::Write => UseMeasure::BytesOut,
    }
}

/// Against the link and what shapes it: in payload of packets as they are now.
fn by_limits(
    input: &SituationInput<'_>,
    resource: &Resource,
    direction: Direction,
    way: Way,
) -> Vec<LimitShare> {
    let used = |limit: &Limit| {
        let is_it = limit.resource == *resource
            && limit.quantity == metric::THROUGHPUT
            && limit.direction.is_none_or(|own| own == direction);
        let line = limit.line.or(limit.effective).filter(|line| is_it && *line > 0.0)?;
        // A queueing discipline counts frames alone.
        let counted = if limit.kind == LimitKind::Link { way.on_wire() } else { way.frames };
        let most = line * way.payload() / counted;
        let origin = match limit.kind {
            LimitKind::Link => LimitOrigin::Link(limit.source.clone()),
            _ => LimitOrigin::Quota(limit.source.clone()),
        };
        // Packets without payload fill a line too.
        let (demand, most) = if most > 0.0 { (way.payload(), most) } else { (counted, line) };
        let known = KnownLimit { low: most, high: most, origin };
        Some(LimitShare {
            measure: measure(direction),
            demand,
            unit: Unit::BytesPerSecond,
            limit: Some(known),
            study: None,
        })
    };
    input.book.limits.iter().filter_map(used).collect()
}

/// Against what a run carried, where packets are as large; of others nothing is known.
fn by_measured(
    input: &SituationInput<'_>,
    name: &str,
    interface: Option<&NetworkInterface>,
    direction: Direction,
    way: Way,
    is_unknown: bool,
) -> Option<LimitShare> {
    let mtu = f64::from(interface.map_or(1500, |interface| interface.mtu));
    let is_large = way.frames / way.packets >= LARGE * mtu;
    let known =
        input.book.goodputs.iter().find(|known| known.interface == name && known.direction == direction);
    let demand = way.payload();
    let limit = known.filter(|known| is_large && demand <= known.bytes_per_s * BEYOND).map(|known| {
        let origin = LimitOrigin::Goodput { run: known.run.clone(), age_s: age_s(&known.started, input.now) };
        KnownLimit { low: known.bytes_per_s, high: known.bytes_per_s, origin }
    });
    let words = ["run", WorkloadName::NET_STREAM.as_str(), "--peer", "NODE"].map(str::to_owned);
    let study = (limit.is_none() && is_unknown).then(|| words.to_vec());
    (limit.is_some() || study.is_some()).then_some(LimitShare {
        measure: measure(direction),
        demand,
        unit: Unit::BytesPerSecond,
        limit,
        study,
    })
}
