//! PCI Express links: their line rate, and what payload can get at the packet
//! size that is set.
//!
//! **Line rate** = transfers per second x lanes x line coding. Coding by PCI
//! Express Base Specification 6.0, section 4.2: 8b/10b at 2.5 and 5 GT/s,
//! 128b/130b from 8 to 32 GT/s, none at 64 GT/s, where a bit of two is carried
//! by each PAM4 symbol and "64 GT/s" counts bits.
//!
//! **Effective rate** = line x payload / (payload + what is around it). Around
//! the payload of each packet stand, below 64 GT/s:
//!
//! | bytes | what | section of the specification |
//! |---|---|---|
//! | 4 | start and end symbols with the sequence number (8b/10b: 1 + 2 + 1), or the STP token that holds both (128b/130b) | 3.6.1, 4.2.1.2, 4.2.2.3 |
//! | 12 or 16 | head: 3 double words for a completion or an address below 4 GiB, 4 for a longer address | 2.2.1, 2.2.4.1, 2.2.9 |
//! | 4 | LCRC | 3.6.1 |
//!
//! A device's write to memory (what a disk read is) has 4 + 16 + 4 = 24 bytes.
//! What a device reads from memory (a disk write) comes as completions, 4 + 12 +
//! 4 = 20 bytes, and the same way go, for each request of the device, an Ack
//! and an `UpdateFC` packet of 8 bytes each at most (sections 3.5 and 2.6.1): 16
//! bytes for each MaxReadRequest of payload. The better of the two is taken,
//! because one bound stands for both ways. At 64 GT/s 236 of the 256 bytes of a
//! flit are for packets (section 4.2.3.4) and a packet has its head alone.
//!
//! Skip ordered sets (section 4.2.8) take 4 symbols in at most 1,538 at 8b/10b
//! and one block in at most 375 at 128b/130b. So 2.0 x2 at 128 bytes has 1.0
//! GB/s on the line and 128 / 152 x 1534 / 1538 of it, 0.84 GB/s, for payload.
//!
//! **State.** Links slow down when idle and speed up under load, so the speed is
//! the highest that both ends can, not the present one; lanes do not sleep on
//! what servers have, so their number is the present one. What was slowed down
//! or narrowed for good is a condition for the doctor to find, and the limit's
//! source names both.

use std::ops::RangeInclusive;

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
    let packet = own.max_payload.filter(|p| is_packet_size(*p)).map(|p| Packet::new(generation, p, request));
    let flit = if generation.flits { FLIT_SHARE } else { 1.0 };
    let effective = packet.as_ref().map(|packet| line * generation.skips * flit * packet.share());
    let sharers = inventory.link_sharers(device).len();
    let source = source(own, generation, lanes, packet.as_ref(), sharers);
    Some(link(Resource::of(ResourceKind::Pci, &device.address), None, Rates { line, effective }, source))
}

/// A payload and the bytes around it, by what they are.
struct Packet {
    payload: f64,
    around: Vec<(&'static str, f64)>,
}

impl Packet {
    fn new(generation: &Generation, payload: u32, request: u32) -> Self {
        let shares = f64::from(payload) / f64::from(request.max(payload));
        let payload = f64::from(payload);
        if generation.flits {
            return Self { payload, around: vec![("head", HEAD_LONG)] };
        }
        let towards_memory = vec![("frame", PACKET_FRAME), ("head", HEAD_LONG)];
        let towards_device =
            vec![("frame", PACKET_FRAME), ("head", HEAD_SHORT), ("Acks", ACKNOWLEDGEMENTS * shares)];
        let sum = |around: &[(_, f64)]| around.iter().map(|(_, bytes)| bytes).sum::<f64>();
        let around =
            if sum(&towards_device) < sum(&towards_memory) { towards_device } else { towards_memory };
        Self { payload, around }
    }

    fn whole(&self) -> f64 {
        self.payload + self.around.iter().map(|(_, bytes)| bytes).sum::<f64>()
    }

    fn share(&self) -> f64 {
        self.payload / self.whole()
    }

    /// `512 of each 536 bytes are payload (frame 8, head 16)`.
    fn words(&self) -> String {
        let around: Vec<String> = self.around.iter().map(|(what, bytes)| format!("{what} {bytes}")).collect();
        format!("{} of each {} bytes are payload ({})", self.payload, self.whole(), around.join(", "))
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
    packet: Option<&Packet>,
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
    match packet {
        Some(packet) => {
            text.push_str(&format!("; {}", packet.words()));
            if generation.flits {
                text.push_str("; 236 of the 256 bytes of a flit are for packets");
            }
            if generation.skips < 1.0 {
                text.push_str(&format!("; x {:.4}, as skips take the rest", generation.skips));
            }
        }
        None => text.push_str("; the packet size could not be read"),
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

    #[test]
    fn gen_2_x2_with_small_packets_carries_study_es_rate() {
        let (line, effective) = rates(a_link(5.0, 2, 128));
        assert_eq!(line, 1e9);
        assert!((effective - 1e9 * 128.0 / 152.0 * 1534.0 / 1538.0).abs() < 1.0, "{effective}");
        assert!((0.76e9..=0.86e9).contains(&effective));
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
            assert_eq!(limits(&machine(link))[0].effective, None, "{payload:?}");
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
            (16.0, 512, 512, "512 of each 536 bytes are payload (frame 8, head 16); x 0.9973"),
            (16.0, 512, 4096, "512 of each 534 bytes are payload (frame 8, head 12, Acks 2); x 0.9973"),
            (5.0, 128, 512, "128 of each 152 bytes are payload (frame 8, head 16); x 0.9974"),
            (64.0, 256, 512, "256 of each 272 bytes are payload (head 16); 236 of the 256"),
        ] {
            let link = PciLink { max_read_request: Some(request), ..a_link(giga, 4, payload) };
            let found = &limits(&machine(link))[0];
            assert!(found.source.contains(words), "{}", found.source);
            let said = |from: &str, to: &str| -> f64 {
                let rest = found.source.split(from).nth(1).unwrap();
                rest.split(to).next().unwrap().trim().parse().unwrap()
            };
            let share = f64::from(payload) / said("of each ", " bytes are");
            let rest = if giga == 64.0 { 236.0 / 256.0 } else { said("; x ", ",") };
            let product = found.line.unwrap() * share * rest;
            assert!((product / found.effective.unwrap() - 1.0).abs() < 1e-4, "{}", found.source);
        }
    }

    #[test]
    fn what_a_hypervisor_shows_bounds_nothing() {
        let mut guest = machine(a_link(2.5, 1, 128));
        guest.system.virtualization = Some("kvm".to_owned());
        assert!(limits(&guest).is_empty());
    }
}
