//! SATA and SAS links.
//!
//! **SATA** (Serial ATA revision 3.x) codes 8b/10b, so 6 Gbit/s are 600 MB/s. Of
//! those, payload in frames of 8,192 bytes (section 10.5, the largest data FIS)
//! gets at most what is left after
//!
//! - 16 bytes of each frame: start, head of the FIS, CRC, end (sections 9.5 and
//!   10.5), a double word each;
//! - two ALIGN primitives in each 256 double words (section 9.6.5.3).
//!
//! 8192 / (8192 + 16) x 254 / 256 = 0.990: 594 of 600 MB/s is the **bound**. The
//! turn-arounds of each frame take more: the link is half duplex, and X_RDY waits
//! for R_RDY, WTRM for R_OK, before the next may start (section 9.6). The standard
//! bounds them loosely, so what they take is known from drives alone: makers whose
//! drives are faster than the link print 550 to 560 MB/s of reads (Intel's SSD 520
//! and Samsung's 860 PRO, both in `specs/`), which is the **usual** range. It is 125
//! to 165 double words a frame, 0.8 to 1.1 us at 6 Gbit/s; as they are counted in
//! double words, the share is the same at each speed.
//!
//! **SAS** (SPL-4) is full duplex; a frame carries 1,024 bytes with 36 around
//! them (start, 24 of head, CRC, end), 0.966, which is the bound. 8b/10b up to 12
//! Gbit/s; 22.5 Gbit/s carries 128 bits in 150 (SPL-4, packet mode with forward
//! error correction). What a full one usually gives nobody publishes.

use language::format;
use model::limit::UsualRange;
use model::machine::{BlockDevice, Inventory};
use model::{Limit, Resource, ResourceKind};

use super::{Rates, is_guest, link};

const FIS: f64 = 8192.0;
const FIS_FRAME: f64 = 16.0;
const ALIGN_SHARE: f64 = 254.0 / 256.0;
/// What the fastest drives read at 6 Gbit/s, by their datasheets, of the line.
const USUAL: [f64; 2] = [550.0 / 600.0, 560.0 / 600.0];

const SSP: f64 = 1024.0;
const SSP_FRAME: f64 = 36.0;

/// Whether a device hangs on such a link, and what the link is called.
pub(super) fn resource(device: &BlockDevice) -> Option<Resource> {
    let kind = match device.transport.as_deref()? {
        "sata" => ResourceKind::Sata,
        "sas" => ResourceKind::Sas,
        _ => return None,
    };
    Some(Resource::of(kind, &device.name))
}

pub(super) fn limits(inventory: &Inventory) -> Vec<Limit> {
    if is_guest(inventory) {
        return Vec::new();
    }
    inventory.block.iter().filter_map(limit).collect()
}

fn limit(device: &BlockDevice) -> Option<Limit> {
    let resource = resource(device)?;
    let is_sas = device.transport.as_deref() == Some("sas");
    let bits = device.link_bits.filter(|bits| is_a_speed(*bits, is_sas))?;
    let coding = if bits > 12_000_000_000 { 128.0 / 150.0 } else { 0.8 };
    let line = bits as f64 * coding / 8.0;
    let share = if is_sas { SSP / (SSP + SSP_FRAME) } else { FIS / (FIS + FIS_FRAME) * ALIGN_SHARE };
    let mut source = format!("{} at {}, ", if is_sas { "SAS" } else { "SATA" }, format::bits(bits));
    source.push_str(match (is_sas, bits > 12_000_000_000) {
        (false, _) => {
            "8b/10b; frames of 8,192 bytes; usual is what the fastest drives read by their datasheets"
        }
        (true, false) => "8b/10b; frames of 1,024 bytes",
        (true, true) => "128b/150b; frames of 1,024 bytes",
    });
    if let Some(max) = device.link_max_bits.filter(|max| *max > bits) {
        source.push_str(&format!("; the port can {}", format::bits(max)));
    }
    let [least, most] = USUAL.map(|share| line * share);
    let usual = if is_sas { Vec::new() } else { vec![UsualRange { direction: None, least, most }] };
    Some(Limit { usual, ..link(resource, None, Rates { line, effective: Some(line * share) }, source) })
}

/// The speeds of the two standards.
fn is_a_speed(bits: u64, is_sas: bool) -> bool {
    matches!(bits, 1_500_000_000 | 3_000_000_000 | 6_000_000_000)
        || is_sas && matches!(bits, 12_000_000_000 | 22_500_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rates(transport: &str, bits: u64) -> Option<(f64, f64)> {
        let device = BlockDevice {
            name: "sda".to_owned(),
            transport: Some(transport.to_owned()),
            link_bits: Some(bits),
            link_max_bits: Some(6_000_000_000),
            ..BlockDevice::default()
        };
        let inventory = Inventory { block: vec![device], ..Inventory::default() };
        let limits = limits(&inventory);
        limits.first().map(|l| (l.line.unwrap() / 1e6, l.effective.unwrap() / 1e6))
    }

    #[test]
    fn sata_rates_are_after_coding() {
        for (bits, line, effective) in
            [(1_500_000_000, 150.0, 148.5), (3_000_000_000, 300.0, 297.1), (6_000_000_000, 600.0, 594.2)]
        {
            let (found_line, found) = rates("sata", bits).unwrap();
            assert_eq!(found_line, line);
            assert!((found - effective).abs() < 0.5, "{bits}: {found}");
        }
    }

    /// Drives of which the link is the limit give less than the frames leave.
    #[test]
    fn what_is_usual_of_sata_is_what_the_fastest_drives_print() {
        let device = BlockDevice {
            name: "sda".to_owned(),
            transport: Some("sata".to_owned()),
            link_bits: Some(6_000_000_000),
            ..BlockDevice::default()
        };
        let found = limit(&device).unwrap();
        let range = found.usual_of(None).unwrap();
        assert!((range.least - 550e6).abs() < 1.0 && (range.most - 560e6).abs() < 1.0, "{range:?}");
        assert!(range.most < found.effective.unwrap());
        let sas = BlockDevice { transport: Some("sas".to_owned()), ..device };
        assert!(limit(&sas).unwrap().usual.is_empty());
    }

    #[test]
    fn sas_rates_are_after_coding() {
        for (bits, line) in [(3_000_000_000, 300.0), (12_000_000_000, 1200.0), (22_500_000_000, 2400.0)] {
            let (found_line, found) = rates("sas", bits).unwrap();
            assert!((found_line - line).abs() < 1e-6);
            assert!((found / line - 0.966).abs() < 0.001, "{found}");
        }
    }

    #[test]
    fn other_buses_and_absurd_speeds_have_none() {
        for (transport, bits) in
            [("usb", 5_000_000_000), ("sata", 0), ("sata", 12_000_000_000), ("sas", u64::MAX)]
        {
            assert_eq!(rates(transport, bits), None, "{transport} {bits}");
        }
    }

    #[test]
    fn a_slow_link_names_what_its_port_can() {
        let device = BlockDevice {
            name: "sda".to_owned(),
            transport: Some("sata".to_owned()),
            link_bits: Some(3_000_000_000),
            link_max_bits: Some(6_000_000_000),
            ..BlockDevice::default()
        };
        let found = limit(&device).unwrap();
        assert!(found.source.contains("the port can 6 Gbit/s"), "{}", found.source);
        assert_eq!(found.resource.as_str(), "sata:sda");
    }
}
