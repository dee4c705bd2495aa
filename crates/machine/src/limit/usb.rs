//! USB links of disks, by the speed of the device behind any hubs. What else hangs on a hub shares the link above
//! it: that is not known here.
//!
//! **High speed** (USB 2.0) has 480 Mbit/s without a coding, 60 MB/s, one way at a time. At most 13 packets of bulk
//! data of 512 bytes fit in a microframe of 125 us (table 5-10): 53.2 MB/s is the **bound**. What is **usual** is far
//! less, for hosts leave gaps and each command waits for its answer: disks read 30 to 43 MB/s.
//!
//! **SuperSpeed** has 5 Gbit/s each way, 8b/10b, 500 MB/s; at 10 and 20 Gbit/s it codes 128 bits in 132. A packet
//! carries 1,024 bytes with 32 around them (USB 3.2, section 7.2: 20 of the header packet, 12 of framing and CRC):
//! 0.970 is the bound. What is usual of 5 Gbit/s begins at 400 MB/s, which USB 3.0 calls realistic (section 4.4.11),
//! and ends at the 450 MB/s that Samsung prints of its T3; 1,000 to 1,050 MB/s of 10 Gbit/s are those of its T7, 1,950
//! to 2,000 MB/s of 20 Gbit/s those of its T9, writes and reads.

use language::format;
use model::limit::{Direction, UsualRange};
use model::machine::{BlockDevice, Inventory};
use model::{Limit, Resource, ResourceKind};

use super::{Rates, is_guest, link};

/// Packets of USB 2.0 in a second, and the bytes of each.
const BULK_PACKETS: f64 = 13.0 * 8000.0;
const BULK_BYTES: f64 = 512.0;

/// The same of SuperSpeed: bytes in a packet, and around them.
const SUPER_BYTES: f64 = 1024.0;
const SUPER_AROUND: f64 = 32.0;

/// What is known of a speed.
struct Speed {
    bits: u64,
    /// After coding, bytes a second.
    line: f64,
    /// What payload can get at most.
    effective: f64,
    /// The least and the most that payload usually gets.
    usual: [f64; 2],
    /// Whether both ways carry data at once.
    is_duplex: bool,
}

const SPEEDS: &[Speed] = &[
    Speed {
        bits: 480_000_000,
        line: 60e6,
        effective: BULK_PACKETS * BULK_BYTES,
        usual: [30e6, 43e6],
        is_duplex: false,
    },
    Speed::super_speed(5_000_000_000, 500e6, [400e6, 450e6]),
    Speed::super_speed(10_000_000_000, 1.25e9 * 128.0 / 132.0, [1e9, 1.05e9]),
    Speed::super_speed(20_000_000_000, 2.5e9 * 128.0 / 132.0, [1.95e9, 2e9]),
];

impl Speed {
    const fn super_speed(bits: u64, line: f64, usual: [f64; 2]) -> Self {
        let effective = line * (SUPER_BYTES / (SUPER_BYTES + SUPER_AROUND));
        Self { bits, line, effective, usual, is_duplex: true }
    }
}

/// What the link of a device is called, if it hangs on one.
pub(super) fn resource(device: &BlockDevice) -> Option<Resource> {
    let is_it = device.transport.as_deref() == Some("usb") && device.link_bits.is_some();
    is_it.then(|| Resource::of(ResourceKind::Usb, &device.name))
}

pub(super) fn limits(inventory: &Inventory) -> Vec<Limit> {
    if is_guest(inventory) {
        return Vec::new();
    }
    inventory.block.iter().flat_map(of_device).collect()
}

fn of_device(device: &BlockDevice) -> Vec<Limit> {
    let speed = SPEEDS.iter().find(|speed| Some(speed.bits) == device.link_bits);
    let Some((resource, speed)) = resource(device).zip(speed) else { return Vec::new() };
    let ways: &[Option<Direction>] =
        if speed.is_duplex { &[Some(Direction::Read), Some(Direction::Write)] } else { &[None] };
    let packets =
        if speed.is_duplex { "packets of 1,024 bytes" } else { "13 packets of 512 bytes in 125 us" };
    let limit = |way: &Option<Direction>| {
        let source = format!(
            "USB at {}, {packets}; usual is what disks behind it are known to read and write",
            format::bits(speed.bits)
        );
        let rates = Rates { line: speed.line, effective: Some(speed.effective) };
        let [least, most] = speed.usual;
        let usual = vec![UsualRange { direction: None, least, most }];
        Limit { usual, ..link(resource.clone(), *way, rates, source) }
    };
    ways.iter().map(limit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn disk(transport: &str, bits: Option<u64>) -> Inventory {
        let device = BlockDevice {
            name: "sdb".to_owned(),
            transport: Some(transport.to_owned()),
            link_bits: bits,
            ..BlockDevice::default()
        };
        Inventory { block: vec![device], ..Inventory::default() }
    }

    #[test]
    fn rates_are_those_of_packets_and_what_is_usual_lies_below() {
        for (bits, line, effective, ways) in [
            (480_000_000, 60.0, 53.2, 1),
            (5_000_000_000, 500.0, 484.8, 2),
            (10_000_000_000, 1212.1, 1175.4, 2),
            (20_000_000_000, 2424.2, 2350.8, 2),
        ] {
            let all = limits(&disk("usb", Some(bits)));
            assert_eq!(all.len(), ways, "{bits}");
            for limit in &all {
                assert_eq!(limit.resource.as_str(), "usb:sdb");
                let close = |found: Option<f64>, expected: f64| (found.unwrap() / 1e6 - expected).abs() < 0.1;
                assert!(close(limit.line, line) && close(limit.effective, effective), "{limit:?}");
                let usual = limit.usual_of(None).unwrap();
                assert!(usual.least < usual.most && usual.most < limit.bound().unwrap(), "{limit:?}");
            }
        }
    }

    #[test]
    fn other_buses_and_speeds_of_no_disk_have_none() {
        for (transport, bits) in
            [("sata", Some(5_000_000_000)), ("usb", None), ("usb", Some(12_000_000)), ("usb", Some(u64::MAX))]
        {
            assert!(limits(&disk(transport, bits)).is_empty(), "{transport} {bits:?}");
        }
    }

    #[test]
    fn a_path_to_a_disk_behind_usb_passes_its_link() {
        let steps = |bits: Option<u64>| {
            let write = crate::limit::WriteShare { written: 1.0 };
            let steps = crate::limit::to_block_devices(&disk("usb", bits), &[Some("sdb")], write, &|_| None);
            steps.into_iter().map(|step| step.resource.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(steps(Some(5_000_000_000)), ["block:sdb", "usb:sdb"]);
        assert_eq!(steps(None), ["block:sdb"]);
    }
}
