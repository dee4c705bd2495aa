//! However large or garbled a machine is, its picture is finite and whole.

use model::machine::{BlockDevice, BlockKind, CpuPlace, Machine, NetworkInterface, PciDevice, PciLink};
use roxmltree::Document;

use super::*;

/// Nobody waits for more.
const MOST_BYTES: usize = 300_000;

#[track_caller]
fn is_bounded(machine: &Machine) -> String {
    let text = svg(machine, Some(&study_e_case()));
    assert!(text.len() < MOST_BYTES, "{} bytes", text.len());
    Document::parse(&text).unwrap();
    text
}

#[test]
fn five_hundred_unlike_disks_become_some_and_a_number() {
    let mut machine = many_disks(500);
    machine.inventory.network.clear();
    machine.inventory.pci.retain(|d| d.class >> 16 != 2);
    let text = is_bounded(&machine);
    assert!(text.contains(">and 476 more<"));
}

#[test]
fn a_network_is_not_lost_among_disks_and_the_path_is_not_lost_at_all() {
    let text = svg(&many_disks(500), Some(&case("last", &[("block:sd499", Some(0.5), 1e9)])));
    assert!(text.contains(">eno1<") && text.contains(">sd499: 500 GB<") && text.contains(">50 %, highest<"));
}

#[test]
fn five_hundred_equal_disks_become_one_card() {
    let mut machine = many_disks(500);
    for disk in &mut machine.inventory.block {
        (disk.bytes, disk.model) = (GB, some("Model"));
    }
    assert!(is_bounded(&machine).contains(">500 × 1 GB: sd0 … sd499<"));
}

#[test]
fn many_of_everything_stay_bounded() {
    let mut machine = nvme_server(64, 24);
    let i = &mut machine.inventory;
    for n in 0..500 {
        let below = vec![format!("nvme{}n1", n % 24)];
        i.block.push(BlockDevice {
            name: format!("dm-{n}"),
            kind: BlockKind::Dm,
            bytes: n * GB,
            below: below.clone(),
            ..BlockDevice::default()
        });
        let both = vec![format!("dm-{n}"), format!("dm-{}", n / 2)];
        i.block.push(BlockDevice {
            name: format!("md{n}"),
            below: both,
            kind: BlockKind::Md,
            ..BlockDevice::default()
        });
        i.network.push(NetworkInterface {
            name: format!("eth{n}"),
            kind: "ethernet".to_owned(),
            bus: some("usb"),
            mtu: n as u32,
            ..NetworkInterface::default()
        });
    }
    is_bounded(&machine);
    machine.inventory.cpu.topology =
        (0..4096).map(|cpu| CpuPlace { cpu, core: 0, die: 0, package: cpu, node: None }).collect();
    assert!(is_bounded(&machine).contains("more CPU packages"));
}

#[test]
fn long_names_are_cut_and_told_whole_beside() {
    let mut machine = small_guest();
    machine.inventory.block[0].model = some(&"Longname ".repeat(20));
    let text = is_bounded(&machine);
    assert!(text.contains("…</text>"));
    assert!(text.contains(&"Longname ".repeat(19)));
    machine.inventory.block[0].model = some(&"x".repeat(10_000_000));
    is_bounded(&machine);
}

#[test]
fn what_stands_on_itself_ends() {
    let mut machine = study_e();
    let i = &mut machine.inventory;
    for (name, below) in [("dm-0", "dm-1"), ("dm-1", "dm-0"), ("md0", "md0"), ("sda", "dm-1"), ("sdb", "sdb")]
    {
        if let Some(device) = i.block.iter_mut().find(|d| d.name == name) {
            device.below.push(below.to_owned());
        }
    }
    for (name, master) in [("eno1", "br0"), ("br0", "eno1")] {
        i.network.push(NetworkInterface {
            name: name.to_owned(),
            master: some(master),
            below: vec![master.to_owned(), name.to_owned()],
            ..NetworkInterface::default()
        });
    }
    is_bounded(&machine);
}

#[test]
fn bridges_in_a_circle_end_and_their_disks_are_shown_nevertheless() {
    let mut machine = study_e();
    for device in &mut machine.inventory.pci {
        if device.address == "0000:00:03.0" {
            device.parent = some("0000:03:00.0");
        }
    }
    assert!(is_bounded(&machine).contains("8 × 1 TB: sda … sdh"));
}

#[test]
fn a_chain_of_a_hundred_thousand_bridges_ends() {
    let mut machine = study_a();
    machine.inventory.pci = (0..100_000)
        .map(|n: u32| PciDevice {
            address: format!("{n:08}"),
            parent: n.checked_sub(1).map(|p| format!("{p:08}")),
            class: 0x06_0400,
            ..PciDevice::default()
        })
        .collect();
    machine.inventory.block[0].pci = some("00099999");
    assert!(is_bounded(&machine).contains(">sda: 256 GB<"));
}

/// Numbers that repeat, for machines thrown together.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        // Knuth's MMIX generator.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    fn number(&mut self) -> u64 {
        [0, 1, 7, 4096, u64::from(u32::MAX), u64::MAX][self.roll(6) as usize]
    }

    fn rate(&mut self) -> Option<f64> {
        [None, Some(0.0), Some(-1.0), Some(1e9), Some(f64::NAN), Some(f64::INFINITY), Some(1e300)]
            [self.roll(7) as usize]
    }

    fn name(&mut self) -> String {
        format!("{}{}", ["sd", "", "dm-", "é<", "\u{0}"][self.roll(5) as usize], self.roll(12))
    }
}

fn thrown_together(seed: u64) -> Machine {
    let mut d = Dice(seed);
    let mut machine = [study_a(), study_e(), nvme_server(2, 4), small_guest()][d.roll(4) as usize].clone();
    let i = &mut machine.inventory;
    i.memory.total_bytes = d.number();
    for place in &mut i.cpu.topology {
        (place.package, place.core) = (d.number() as u32, d.number() as u32);
    }
    for node in &mut i.memory.nodes {
        (node.id, node.total_bytes) = (d.number() as u32, d.number());
        node.distances = vec![d.number() as u32];
    }
    for kind in &mut i.cpu.cache_kinds {
        (kind.level, kind.bytes, kind.instances) = (d.number() as u32, d.number(), d.number() as u32);
    }
    for module in &mut i.memory.modules {
        (module.bytes, module.configured_transfers) = (d.number(), Some(d.number()));
    }
    for _ in 0..d.roll(40) {
        let kinds = [BlockKind::Disk, BlockKind::Partition, BlockKind::Md, BlockKind::Dm, BlockKind::Loop];
        i.block.push(BlockDevice {
            name: d.name(),
            kind: kinds[d.roll(5) as usize],
            bytes: d.number(),
            link_bits: Some(d.number()),
            pci: some(&d.name()),
            below: (0..d.roll(4)).map(|_| d.name()).collect(),
            ..BlockDevice::default()
        });
        i.network.push(NetworkInterface {
            name: d.name(),
            master: some(&d.name()),
            pci: some(&d.name()),
            speed_bits: Some(d.number()),
            mtu: d.number() as u32,
            ..NetworkInterface::default()
        });
        i.pci.push(PciDevice {
            address: d.name(),
            parent: some(&d.name()),
            class: [0x06_0400, 0x01_0802, 0x02_0000][d.roll(3) as usize],
            node: Some(d.number() as u32),
            link: Some(PciLink { transfers: d.rate(), lanes: Some(d.number() as u32), ..PciLink::default() }),
            ..PciDevice::default()
        });
        let resource = format!("{}:{}", ["pci", "block", "nic", "sata"][d.roll(4) as usize], d.name());
        let (line, effective) = (d.rate(), d.rate());
        machine.limits.push(limit(&resource, model::limit::LimitKind::Link, line, effective));
    }
    machine
}

#[test]
fn machines_thrown_together_are_drawn_nevertheless() {
    for seed in 0..300 {
        let machine = thrown_together(seed);
        let mut steps = study_e_case();
        let mut dice = Dice(seed ^ 0xabc);
        for used in &mut steps.utilization {
            used.fraction = dice.rate().unwrap_or(0.3);
        }
        let text = svg(&machine, Some(&steps));
        assert!(text.len() < MOST_BYTES && !text.contains("NaN") && !text.contains("inf "), "seed {seed}");
        Document::parse(&text).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
    }
}
