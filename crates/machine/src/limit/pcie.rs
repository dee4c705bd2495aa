//! PCI Express links: their line rate, what payload can get at most at the packet
//! size that is set, and what it usually gets each way.
//!
//! **Line rate** = transfers per second x lanes x line coding. Coding by PCI
//! Express Base Specification 6.0, section 4.2: 8b/10b at 2.5 and 5 GT/s,
//! 128b/130b from 8 to 32 GT/s, none at 64 GT/s, where a bit of two is carried
//! by each PAM4 symbol and "64 GT/s" counts bits.
//!
//! **Bound** = line x payload / (payload + what is around it). Around the payload
//! of each packet stand, below 64 GT/s:
//!
//! | bytes | what | section of the specification |
//! |---|---|---|
//! | 4 | start and end symbols with the sequence number (8b/10b: 1 + 2 + 1), or the STP token that holds both (128b/130b) | 3.6.1, 4.2.1.2, 4.2.2.3 |
//! | 12 or 16 | head: 3 double words for a completion or an address below 4 GiB, 4 for a longer address | 2.2.1, 2.2.4.1, 2.2.9 |
//! | 4 | LCRC | 3.6.1 |
//!
//! No packet has less around it than 4 + 12 + 4 = 20 bytes, so each way nothing
//! exceeds payload / (payload + 20): of 2.0 x2 at 128 bytes 128 / 148 of 1.0 GB/s,
//! 865 MB/s. At 64 GT/s 236 of the 256 bytes of a flit are for packets (section
//! 4.2.3.4; the others are 6 of the data link layer, 8 of CRC and 6 of error
//! correction) and a packet has its head alone.
//!
//! **Usual range.** It differs by the way:
//!
//! - *From the device to memory* (a disk read, a receive) go writes, in packets of
//!   the largest payload; those to addresses from 4 GiB up have the long head:
//!   payload / (payload + 24) to payload / (payload + 20).
//! - *From memory to the device* (a disk write, a send) go completions, which have
//!   the short head always. The root complex may answer a read in pieces of its
//!   Read Completion Boundary, 64 bytes (section 2.3.1.1; Intel's document 683504,
//!   "Throughput for Reads"). The same way go, for each request of the device, an
//!   Ack and an `UpdateFC` packet of 8 bytes each at most (sections 3.5 and 2.6.1),
//!   16 bytes for each MaxReadRequest; in flits they have a place of their own. So
//!   64 / (64 + 20 + Acks) to payload / (payload + 20).
//!
//! Of both, skip ordered sets (section 4.2.8) take 4 symbols in at most 1,538 at
//! 8b/10b and one block in at most 375 at 128b/130b. So 2.0 x2 at 128 bytes usually
//! gives 840 to 863 MB/s one way and 742 to 863 the other. (64 / 84 = 0.76 of the
//! line is what completions of 64 bytes get without Acks.)
//!
//! The payload is the Device Control register's (section 7.5.3.4), which the
//! function sends no more than and is sent no more than. Where it cannot be read
//! (the kernel shows it to root alone) the line rate is the bound.
//!
//! **State.** Links slow down when idle and speed up under load, so the speed is
//! the highest that both ends can, not the present one; lanes do not sleep on
//! what servers have, so their number is the present one. What was slowed down
//! or narrowed for good is a condition for the doctor to find, and the limit's
//! source names both.

use std::ops::RangeInclusive;

use model::limit::{Direction, UsualRange};
use model::machine::{Inventory, PciDevice, PciLink};
use model::{Limit, Resource, ResourceKind};

use super::{Rates, is_guest, link};

/// One generation of PCI Express.
struct Generation {
    name: &'static str,
    /// Per second and lane.
    transfers: f64,
    coding: &'static str,
    /// Bits of data for each bit on the lane.
    share: f64,
    /// The share of time that skip ordered sets leave.
    skips: f64,
    /// Whether packets travel in flits.
    flits: bool,
}

const fn bytes_of_10_bits(name: &'static str, giga: f64) -> Generation {
    let skips = 1.0 - 4.0 / 1538.0;
    Generation { name, transfers: giga * 1e9, coding: "8b/10b", share: 0.8, skips, flits: false }
}

const fn blocks_of_130_bits(name: &'static str, giga: f64) -> Generation {
    let (share, skips) = (128.0 / 130.0, 1.0 - 1.0 / 375.0);
    Generation { name, transfers: giga * 1e9, coding: "128b/130b", share, skips, flits: false }
}

const GENERATIONS: &[Generation] = &[
    bytes_of_10_bits("1.0", 2.5),
    bytes_of_10_bits("2.0", 5.0),
    blocks_of_130_bits("3.0", 8.0),
    blocks_of_130_bits("4.0", 16.0),
    blocks_of_130_bits("5.0", 32.0),
    Generation { name: "6.0", transfers: 64e9, coding: "1b/1b", share: 1.0, skips: 1.0, flits: true },
];

/// The widest link (Base Specification, section 4.2.6.2).
const LANES_MAX: u32 = 32;

/// Functions of Intel's C620 chipset, its X722 network adapter among them, whose
/// link registers hold placeholders (`I40E_HW_NO_PCI_LINK_CHECK` in
/// `drivers/net/ethernet/intel/i40e/`): "2.5 GT/s x1" would bound 40 Gbit/s.
const PLACEHOLDERS: RangeInclusive<u16> = 0x37c0..=0x37d3;

/// Framing, sequence number and LCRC of a packet.
const PACKET_FRAME: f64 = 8.0;
/// The head of a packet with a long address.
const HEAD_LONG: f64 = 16.0;
/// The head of a completion.
const HEAD_SHORT: f64 = 12.0;
/// The smallest piece in which a root complex answers a read (Read Completion Boundary).
const COMPLETION_LEAST: f64 = 64.0;
/// An Ack and an `UpdateFC`, for each request to read.
const ACKNOWLEDGEMENTS: f64 = 16.0;
/// The value of Max_Read_Request_Size after a reset (section 7.5.3.4).
const READ_REQUEST_DEFAULT: u32 = 512;
/// The share of a flit that is for packets.
const FLIT_SHARE: f64 = 236.0 / 256.0;

fn generation_of(transfers: f64) -> Option<&'static Generation> {
    GENERATIONS.iter().find(|g| (g.transfers - transfers).abs() < g.transfers * 0.01)
}

pub(super) fn limits(inventory: &Inventory) -> Vec<Limit> {
    inventory.pci.iter().filter_map(|device| limit(inventory, device)).collect()
}

/// The link that is named after `device`, the one above it.
///
/// A root port and a port of a switch that faces down say in their registers
/// what the link *below* them does, which the function at its other end says as
/// well: that link is named after the lower function.
pub(super) fn own_link<'a>(inventory: &Inventory, device: &'a PciDevice) -> Option<&'a PciLink> {
    if is_guest(inventory) {
        return None;
    }
    let link = device.link.as_ref().filter(|l| matches!(l.lanes, Some(1..=LANES_MAX)))?;
    if device.vendor == 0x8086 && PLACEHOLDERS.contains(&device.device) {
        return None;
    }
    if !inventory.link_faces_down(device) {
        return Some(link);
    }
    let mut below =
        inventory.pci.iter().filter(|d| d.parent.as_deref() == Some(device.address.as_str())).peekable();
    let is_empty_slot = below.peek().is_none();
    (!is_empty_slot && below.all(|d| d.link.is_none())).then_some(link)
}

fn limit(inventory: &Inventory, device: &PciDevice) -> Option<Limit> {
    let own = own_link(inventory, device)?;
    // One link has one limit, however many functions use it.
    if inventory.link_function(device).address != device.address {
        return None;
    }
    // The port at the other end, whose registers tell of the same link.
    let other = (!inventory.link_faces_down(device))
        .then(|| inventory.pci_device(device.parent.as_deref()?)?.link)
        .flatten();
    let able =
        [own.max_transfers, other.and_then(|o| o.max_transfers)].into_iter().flatten().reduce(f64::min);
    let transfers = [able, own.transfers].into_iter().flatten().reduce(f64::max)?;
    let generation = generation_of(transfers)?;
    let lanes = own.lanes?;
    let line = generation.transfers * f64::from(lanes) * generation.share / 8.0;
    let request = own.max_read_request.filter(|r| is_packet_size(*r)).unwrap_or(READ_REQUEST_DEFAULT);
    let packets =
        own.max_payload.filter(|p| is_packet_size(*p)).map(|p| Packets::new(generation, p, request));
    let flit = if generation.flits { FLIT_SHARE } else { 1.0 };
    let effective = packets.as_ref().map(|packets| line * flit * packets.best.share());
    let usual = packets.as_ref().map(|packets| packets.usual(line * flit * generation.skips));
    let sharers = inventory.link_sharers(device).len();
    let source = source(own, generation, lanes, packets.as_ref(), sharers);
    let resource = Resource::of(ResourceKind::Pci, &device.address);
    let bound = link(resource, None, Rates { line, effective }, source);
    Some(Limit { usual: usual.unwrap_or_default(), ..bound })
}

/// Bytes of payload in a packet, and the bytes around them.
#[derive(Clone, Copy)]
struct Packet {
    payload: f64,
    around: f64,
}

impl Packet {
    fn whole(self) -> f64 {
        self.payload + self.around
    }

    fn share(self) -> f64 {
        self.payload / self.whole()
    }
}

/// The packets that a link carries, at the sizes that are set.
struct Packets {
    /// The largest payload with the shortest head: none has more payload.
    best: Packet,
    /// A write to memory with a long address.
    long: Packet,
    /// A completion as small as they may be, with its part of what answers a request.
    small: Packet,
    /// Framing, sequence number and LCRC of each.
    frame: f64,
    /// Of the small one, its part of Acks.
    acks: f64,
}

impl Packets {
    fn new(generation: &Generation, payload: u32, request: u32) -> Self {
        let payload = f64::from(payload);
        let frame = if generation.flits { 0.0 } else { PACKET_FRAME };
        let pieces = f64::from(request) / COMPLETION_LEAST;
        let acks = if generation.flits { 0.0 } else { ACKNOWLEDGEMENTS / pieces };
        Self {
            best: Packet { payload, around: frame + HEAD_SHORT },
            long: Packet { payload, around: frame + HEAD_LONG },
            small: Packet { payload: COMPLETION_LEAST, around: frame + HEAD_SHORT + acks },
            frame,
            acks,
        }
    }

    /// What payload usually gets each way of so many bytes per second.
    fn usual(&self, rate: f64) -> Vec<UsualRange> {
        let most = rate * self.best.share();
        let way = |direction, least: Packet| UsualRange {
            direction: Some(direction),
            least: rate * least.share(),
            most,
        };
        vec![way(Direction::Read, self.long), way(Direction::Write, self.small)]
    }

    /// `at most 512 of each 532 bytes are payload (frame 8, head 12); usually 512 of 536
    /// (head 16) or more read, 64 of 86 (completions of 64 bytes, Acks 2) or more written`.
    fn words(&self) -> String {
        let Self { best, long, small, .. } = self;
        let frame = if self.frame > 0.0 { format!("frame {}, ", self.frame) } else { String::new() };
        let acks = if self.acks > 0.0 { format!(", Acks {}", self.acks) } else { String::new() };
        format!(
            "at most {} of each {} bytes are payload ({frame}head {HEAD_SHORT}); usually {} of {} (head \
             {HEAD_LONG}) or more read, {} of {} (completions of {COMPLETION_LEAST} bytes{acks}) or more written",
            best.payload,
            best.whole(),
            long.payload,
            long.whole(),
            small.payload,
            small.whole(),
        )
    }
}

/// Sizes that the Device Control register can hold (section 7.5.3.4).
fn is_packet_size(bytes: u32) -> bool {
    (128..=4096).contains(&bytes) && bytes.is_power_of_two()
}

fn source(
    own: &PciLink,
    generation: &Generation,
    lanes: u32,
    packets: Option<&Packets>,
    sharers: usize,
) -> String {
    let giga = generation.transfers / 1e9;
    let mut text = format!("PCIe {} x{lanes}", generation.name);
    if sharers > 1 {
        text.push_str(&format!(", {sharers} functions share it"));
    }
    text.push_str(&format!(
        ": {giga} GT/s x {lanes} {}, {}",
        if lanes == 1 { "lane" } else { "lanes" },
        generation.coding
    ));
    match packets {
        Some(packets) => {
            text.push_str(&format!("; {}", packets.words()));
            if generation.skips < 1.0 {
                text.push_str(&format!(", x {:.4}, as skips take the rest", generation.skips));
            }
            if generation.flits {
                text.push_str("; 236 of the 256 bytes of a flit are for packets");
            }
        }
        None => text.push_str("; the packet size could not be read, so the line rate is the bound"),
    }
    if let Some(now) = own.transfers.filter(|now| *now < generation.transfers * 0.99) {
        text.push_str(&format!("; at {} GT/s when it was read, as idle links are", now / 1e9));
    }
    if let Some(max) = own.max_lanes.filter(|max| *max > lanes) {
        text.push_str(&format!("; the function has x{max}"));
    }
    if let Some(max) = own.max_transfers.filter(|max| *max > generation.transfers * 1.01) {
        text.push_str(&format!("; the function can {} GT/s, the port above it cannot", max / 1e9));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(link: PciLink) -> Inventory {
        let device =
            PciDevice { address: "0000:01:00.0".to_owned(), link: Some(link), ..PciDevice::default() };
        Inventory { pci: vec![device], ..Inventory::default() }
    }

    fn a_link(giga: f64, lanes: u32, payload: u32) -> PciLink {
        PciLink {
            transfers: Some(giga * 1e9),
            lanes: Some(lanes),
            max_transfers: Some(giga * 1e9),
            max_lanes: Some(lanes),
            max_payload: Some(payload),
            max_read_request: Some(512),
        }
    }

    fn rates(link: PciLink) -> (f64, f64) {
        let limits = limits(&machine(link));
        (limits[0].line.unwrap(), limits[0].effective.unwrap())
    }

    #[test]
    fn line_rates_are_those_of_the_standard() {
        // GB/s of one lane: the standard's own round figures.
        for (giga, expected) in
            [(2.5, 0.25), (5.0, 0.5), (8.0, 0.985), (16.0, 1.969), (32.0, 3.938), (64.0, 8.0)]
        {
            let (line, effective) = rates(a_link(giga, 1, 256));
            assert!((line / 1e9 - expected).abs() < 0.001, "{giga} GT/s: {line}");
            assert!(effective < line * 0.95 && effective > line * 0.8, "{giga} GT/s: {effective}");
        }
    }

    /// Study E's: 865 MB/s were more than the 840 that long heads leave.
    #[test]
    fn gen_2_x2_with_small_packets_carries_study_es_rate() {
        let found = &limits(&machine(a_link(5.0, 2, 128)))[0];
        let near = |found: f64, expected: f64| {
            assert!((found - expected).abs() < 1.0, "{found} is not {expected}");
        };
        assert_eq!((found.line, found.direction), (Some(1e9), None));
        near(found.effective.unwrap(), 1e9 * 128.0 / 148.0);
        let (read, write) =
            (found.usual_of(Some(Direction::Read)).unwrap(), found.usual_of(Some(Direction::Write)).unwrap());
        let payload = 1e9 * 1534.0 / 1538.0;
        near(read.least, payload * 128.0 / 152.0);
        near(write.least, payload * 64.0 / 86.0);
        for way in [read, write] {
            near(way.most, payload * 128.0 / 148.0);
        }
        // What the specification's figures leave of a line: 0.865, 0.842, 0.76.
        let share = |payload, around| (Packet { payload, around }.share() * 1e3).round();
        assert_eq!((share(128.0, 20.0), share(128.0, 24.0), share(64.0, 20.0)), (865.0, 842.0, 762.0));
    }

    #[test]
    fn what_is_usual_is_never_more_than_the_bound() {
        for giga in [2.5, 5.0, 8.0, 16.0, 32.0, 64.0] {
            for payload in [128, 256, 512, 1024, 2048, 4096] {
                let found = &limits(&machine(a_link(giga, 4, payload)))[0];
                let bound = found.effective.unwrap();
                assert!(bound < found.line.unwrap());
                for range in &found.usual {
                    let sane = 0.0 < range.least && range.least < range.most && range.most <= bound;
                    assert!(sane, "{giga} GT/s, {payload}: {found:?}");
                }
                assert_eq!(found.usual.len(), 2);
            }
        }
    }

    #[test]
    fn larger_packets_carry_more() {
        let at = |payload| rates(a_link(8.0, 4, payload)).1;
        assert!(at(128) < at(256) && at(256) < at(512) && at(512) < at(4096));
    }

    #[test]
    fn an_idle_link_is_bounded_by_what_both_ends_can() {
        let mut link = a_link(16.0, 4, 256);
        link.transfers = Some(2.5e9);
        let found = &limits(&machine(link))[0];
        assert!((found.line.unwrap() / 1e9 - 7.877).abs() < 0.001);
        assert!(found.source.contains("at 2.5 GT/s when it was read"), "{}", found.source);

        // The same in a slot that can 8 GT/s.
        let mut slow_slot = machine(link);
        slow_slot.pci[0].parent = Some("0000:00:01.0".to_owned());
        slow_slot.pci.push(PciDevice {
            address: "0000:00:01.0".to_owned(),
            class: 0x06_0400,
            link: Some(PciLink { transfers: Some(2.5e9), ..a_link(8.0, 4, 256) }),
            ..PciDevice::default()
        });
        let found = limits(&slow_slot);
        assert_eq!(found.len(), 1, "both ends tell of one link: {found:?}");
        assert!((found[0].line.unwrap() / 1e9 - 3.938).abs() < 0.001);
        assert!(found[0].source.contains("can 16 GT/s"), "{}", found[0].source);
    }

    #[test]
    fn a_narrow_link_is_bounded_by_its_present_lanes() {
        let link = PciLink { lanes: Some(2), ..a_link(5.0, 4, 128) };
        let found = &limits(&machine(link))[0];
        assert_eq!(found.line, Some(1e9));
        assert!(found.source.contains("the function has x4"), "{}", found.source);
    }

    #[test]
    fn without_a_packet_size_there_is_no_effective_rate() {
        for payload in [None, Some(0), Some(100), Some(u32::MAX)] {
            let link = PciLink { max_payload: payload, ..a_link(8.0, 4, 128) };
            let found = &limits(&machine(link))[0];
            assert_eq!((found.effective, found.usual.len()), (None, 0), "{payload:?}");
            assert_eq!(found.bound(), found.line);
        }
    }

    #[test]
    fn what_is_absurd_has_no_limit() {
        let sane = a_link(8.0, 4, 128);
        for absurd in [
            PciLink::default(),
            PciLink { lanes: Some(0), ..sane },
            PciLink { lanes: Some(u32::MAX), ..sane },
            // A link that is down.
            PciLink { lanes: None, ..sane },
            PciLink { transfers: Some(f64::NAN), max_transfers: None, ..sane },
            PciLink { transfers: Some(-8e9), max_transfers: None, ..sane },
            PciLink { transfers: None, max_transfers: Some(1e300), ..sane },
        ] {
            assert!(limits(&machine(absurd)).is_empty(), "{absurd:?}");
        }
    }

    #[test]
    fn placeholders_of_a_chipset_are_no_links() {
        let mut x722 = machine(a_link(2.5, 1, 128));
        (x722.pci[0].vendor, x722.pci[0].device) = (0x8086, 0x37d2);
        assert!(limits(&x722).is_empty());
        x722.pci[0].vendor = 0x15b3;
        assert_eq!(limits(&x722).len(), 1);
    }

    #[test]
    fn two_functions_of_a_card_have_one_limit_that_says_so() {
        let mut card = machine(a_link(5.0, 8, 256));
        card.pci.push(PciDevice { address: "0000:01:00.1".to_owned(), ..card.pci[0].clone() });
        let found = limits(&card);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].resource.as_str(), "pci:0000:01:00.0");
        assert!(found[0].source.starts_with("PCIe 2.0 x8, 2 functions share it: "), "{}", found[0].source);
    }

    #[test]
    fn the_figures_of_a_source_multiply_to_the_effective_rate() {
        for (giga, payload, request, words) in [
            (
                16.0,
                512,
                512,
                "at most 512 of each 532 bytes are payload (frame 8, head 12); usually 512 of 536",
            ),
            (16.0, 512, 4096, "64 of 84.25 (completions of 64 bytes, Acks 0.25) or more written, x 0.9973"),
            (5.0, 128, 512, "64 of 86 (completions of 64 bytes, Acks 2) or more written, x 0.9974"),
            (64.0, 256, 512, "at most 256 of each 268 bytes are payload (head 12); usually 256 of 272"),
            (64.0, 256, 512, "64 of 76 (completions of 64 bytes) or more written; 236 of the 256"),
        ] {
            let link = PciLink { max_read_request: Some(request), ..a_link(giga, 4, payload) };
            let found = &limits(&machine(link))[0];
            assert!(found.source.contains(words), "{}", found.source);
            let said = |from: &str, to: &str| -> f64 {
                let rest = found.source.split(from).nth(1).unwrap();
                rest.split(to).next().unwrap().trim().parse().unwrap()
            };
            let near =
                |found: f64, expected: f64| assert!((found / expected - 1.0).abs() < 1e-4, "{expected}");
            let flit = if giga == 64.0 { 236.0 / 256.0 } else { 1.0 };
            let payload = f64::from(payload);
            let rate = found.line.unwrap() * flit;
            near(rate * payload / said("of each ", " bytes are"), found.effective.unwrap());
            let skips = if giga == 64.0 { 1.0 } else { said("written, x ", ",") };
            let least = |way| found.usual_of(Some(way)).unwrap().least;
            near(
                rate * skips * payload / said(&format!("usually {payload} of "), " (head"),
                least(Direction::Read),
            );
            near(rate * skips * 64.0 / said("read, 64 of ", " (completions"), least(Direction::Write));
        }
    }

    #[test]
    fn what_a_hypervisor_shows_bounds_nothing() {
        let mut guest = machine(a_link(2.5, 1, 128));
        guest.system.virtualization = Some("kvm".to_owned());
        assert!(limits(&guest).is_empty());
    }
}
