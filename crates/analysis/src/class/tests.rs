//! Classes of parts: files, parts, work, and figures beside ranges.

use std::collections::BTreeSet;

use model::machine::{BlockDevice, BlockKind, NetworkInterface, PciDevice, PciLink};
use model::resource::PathStep;
use model::{Better, Finding, Machine, ParameterName, Resource, ResourceKind, Value, WorkloadName, metric};

use super::*;
use crate::comparison::tests::run as run_of;
use crate::validity::fixture;

const GIB: u64 = 1 << 30;

fn sata_ssd() -> BlockDevice {
    BlockDevice {
        name: "sda".to_owned(),
        transport: Some("sata".to_owned()),
        rotational: Some(false),
        link_bits: Some(6_000_000_000),
        ..BlockDevice::default()
    }
}

fn nvme(transfers: f64, lanes: u32) -> (BlockDevice, PciDevice) {
    let address = "0000:01:00.0".to_owned();
    let disk = BlockDevice {
        name: "sda".to_owned(),
        transport: Some("nvme".to_owned()),
        rotational: Some(false),
        pci: Some(address.clone()),
        ..BlockDevice::default()
    };
    let link = PciLink {
        transfers: Some(2.5e9),
        lanes: Some(lanes),
        max_transfers: Some(transfers),
        max_lanes: Some(4),
        ..PciLink::default()
    };
    (disk, PciDevice { address, link: Some(link), ..PciDevice::default() })
}

fn step(resource: Resource) -> PathStep {
    PathStep { resource, amplification: 1.0 }
}

/// Random reads of 4 KiB one at a time.
fn disk_case(iops: f64) -> CaseResult {
    let mut case = fixture::case(5);
    for (name, value) in [("pattern", "randread"), ("target", "/data/x")] {
        fixture::set(&mut case, name, value);
    }
    fixture::set(&mut case, "block-size", 4096u64);
    fixture::set(&mut case, "queue-depth", 1u64);
    fixture::set(&mut case, "size", GIB);
    case.path = vec![step(Resource::of(ResourceKind::Block, "sda"))];
    figure(&mut case, metric::IOPS, Unit::PerSecond, iops);
    case
}

fn figure(case: &mut CaseResult, name: MetricName, unit: Unit, value: f64) {
    let estimate = fixture::estimate(value, unit, Better::Higher);
    case.loads.main.estimates.insert(name, estimate);
}

fn on(disk: BlockDevice) -> Machine {
    let mut machine = Machine::default();
    machine.inventory.block = vec![disk];
    machine
}

fn run(machine: Machine, case: CaseResult) -> Run {
    Run { machines: vec![machine], ..run_of("20261128-120000-aaaa", &[], vec![case]) }
}

/// How the first case stands, or why it has no reference, in a word.
fn told(run: &Run) -> String {
    match reference(run, &run.cases[0]) {
        Ok(found) => format!("{} {:?}", found.class.name, found.standing),
        Err(why) => format!("{why:?}").split('(').next().unwrap().to_owned(),
    }
}

fn on_sata(change: impl FnOnce(&mut CaseResult)) -> String {
    let mut case = disk_case(9000.0);
    change(&mut case);
    told(&run(on(sata_ssd()), case))
}

#[test]
fn every_file_of_the_folder_is_read_and_listed() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../specs/class");
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<String> =
        entries.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect();
    files.sort();
    let listed: Vec<&str> = SHEETS.iter().map(|(name, _)| *name).collect();
    assert_eq!(files, listed);
    for (name, text) in SHEETS {
        let class = sheet::parse(name, text).unwrap();
        for range in &class.ranges {
            assert!(range.least < range.most, "{name}: {range:?}");
            let sources: BTreeSet<&str> = range.figures.iter().map(|f| f.source.url.as_str()).collect();
            assert!(sources.len() > 1, "{name}: {range:?}");
            assert!(range.figures.iter().all(|figure| figure.source.how.len() > 10), "{name}: {range:?}");
        }
    }
    assert_eq!(all().len(), SHEETS.len());
    assert!(named("sata-ssd").is_some() && named("sata").is_none());
}

#[test]
fn a_wrong_file_is_refused() {
    let good = SHEETS.iter().find(|(name, _)| *name == "sata-ssd").unwrap().1;
    assert!(sheet::parse("x", good).is_ok());
    for (from, to) in [
        ("from = \"860-qvo-measured\"", "from = \"nobody\""),
        ("kind = \"measured\"", "kind = \"promised\""),
        ("value = 8314", "value = 0"),
        ("4KiB", "4 apples"),
        ("operations = [1, 1]", "operations = [2, 1]"),
        ("operations = [1, 1], ", ""),
        ("metric = \"iops\"", "metric = \"ipos\""),
        ("unit = \"1/s\"", "unit = \"per day\""),
        ("https://pastebin.com", "pastebin.com"),
        ("[disk]", "[interface]\nkind = \"x\"\nspeed-bits = 1\nmtu = 1\n[disk]"),
        ("rotational = false", "rotates = false"),
    ] {
        assert!(good.contains(from), "{from}");
        assert!(sheet::parse("x", &good.replace(from, to)).is_err(), "{to}");
    }
}

#[test]
fn a_figure_stands_within_below_or_above_what_is_usual() {
    for (iops, standing) in [
        (9000.0, "Usual"),
        (7500.0, "Usual"),
        (7450.0, "Usual"),
        (13_100.0, "Usual"),
        (5000.0, "Less"),
        (20_000.0, "More"),
    ] {
        let text = told(&run(on(sata_ssd()), disk_case(iops)));
        assert_eq!(text, format!("sata-ssd {standing}"), "{iops}");
    }
    let wide = on_sata(|case| {
        let estimate = case.loads.main.estimates.get_mut(&metric::IOPS).unwrap();
        (estimate.median, estimate.low, estimate.high) = (6000.0, Some(4000.0), Some(8000.0));
    });
    assert_eq!(wide, "sata-ssd CannotTell");
}

#[test]
fn other_work_has_no_reference() {
    let set = |name: &'static str, value: Value| on_sata(|case| fixture::set(case, name, value));
    for (name, value) in [
        ("block-size", Value::Integer(8192)),
        ("queue-depth", Value::Integer(4)),
        ("pattern", Value::from("randrw")),
        ("sync", Value::from("dsync")),
        ("direct", Value::Bool(false)),
        ("rate", Value::Number(1000.0)),
        ("size", Value::Integer(GIB * 512)),
    ] {
        assert_eq!(set(name, value), "OtherWork", "{name}");
    }
    let beside = on_sata(|case| case.loads.beside.push(case.loads.main.clone()));
    assert_eq!(beside, "OtherWork");
    // At other depths, and for other directions, there are other ranges.
    let deep = on_sata(|case| {
        fixture::set(case, "queue-depth", 32u64);
        figure(case, metric::IOPS, Unit::PerSecond, 80e3);
    });
    assert_eq!(deep, "sata-ssd Usual");
    let stream = on_sata(|case| {
        fixture::set(case, "pattern", "read");
        fixture::set(case, "block-size", 1u64 << 20);
        figure(case, metric::THROUGHPUT, Unit::BytesPerSecond, 540e6);
    });
    assert_eq!(stream, "sata-ssd Usual");
}

#[test]
fn a_parameter_that_no_range_bounds_makes_it_other_work() {
    let with = |name: &'static str, value: &str| {
        let mut case = disk_case(9000.0);
        fixture::set(&mut case, name, value);
        let mut run = run(on(sata_ssd()), case);
        run.definitions = import::v1::definitions([WorkloadName::new("disk")]);
        told(&run)
    };
    assert_eq!(with("distribution", "zipf"), "OtherWork");
    assert_eq!(with("distribution", "uniform"), "sata-ssd Usual");
    assert_eq!(with("engine", "psync"), "sata-ssd Usual");
}

#[test]
fn other_parts_have_no_reference() {
    let of = |change: fn(&mut Machine)| {
        let mut machine = on(sata_ssd());
        change(&mut machine);
        told(&run(machine, disk_case(9000.0)))
    };
    assert_eq!(of(|_| ()), "sata-ssd Usual");
    assert_eq!(of(|m| m.inventory.block[0].rotational = Some(true)), "Unknown");
    assert_eq!(of(|m| m.inventory.block[0].link_bits = Some(3_000_000_000)), "Unknown");
    assert_eq!(of(|m| m.inventory.block[0].kind = BlockKind::Md), "Several");
    assert_eq!(of(|m| m.inventory.block.clear()), "Unknown");
    assert_eq!(of(|m| m.inventory.system.virtualization = Some("kvm".to_owned())), "Guest");
    let two = on_sata(|case| {
        let half =
            |name: &str| PathStep { resource: Resource::of(ResourceKind::Block, name), amplification: 0.5 };
        case.path = vec![half("sda"), half("sdb")];
    });
    assert_eq!(two, "Several");
    assert_eq!(on_sata(|case| case.path.clear()), "NoPart");
    let none = Run { machines: Vec::new(), ..run(on(sata_ssd()), disk_case(9000.0)) };
    assert_eq!(told(&none), "Unknown");
}

#[test]
fn generations_of_nvme_are_told_by_what_the_drive_is_made_for() {
    let of = |transfers, lanes| {
        let (disk, function) = nvme(transfers, lanes);
        let mut machine = on(disk);
        machine.inventory.pci = vec![function];
        told(&run(machine, disk_case(15e3)))
    };
    assert_eq!(of(8e9, 4), "nvme-gen3 Usual", "its link sleeps");
    assert_eq!(of(16e9, 4), "OtherWork", "of PCIe 4.0 only sequential reads are kept");
    assert_eq!(of(32e9, 4), "Unknown");
    assert_eq!(of(8e9, 2), "Unknown", "in a slot of two lanes");
}

#[test]
fn streams_are_held_against_links_of_their_speed() {
    let of = |mtu, direction: &str, rate: f64| {
        let mut case = fixture::case(5);
        fixture::workload(&mut case, "net.stream");
        fixture::set(&mut case, "peer", "headroom://10.0.0.2:7117#key");
        fixture::set(&mut case, "direction", direction);
        case.path = vec![step(Resource::of(ResourceKind::Nic, "eth0"))];
        figure(&mut case, metric::THROUGHPUT, Unit::BytesPerSecond, rate / 8.0);
        let mut machine = Machine::default();
        machine.inventory.network = vec![NetworkInterface {
            name: "eth0".to_owned(),
            kind: "ethernet".to_owned(),
            speed_bits: Some(10_000_000_000),
            mtu,
            ..NetworkInterface::default()
        }];
        told(&run(machine, case))
    };
    assert_eq!(of(1500, "send", 9.4e9), "ethernet-10g Usual");
    assert_eq!(of(1500, "receive", 5e9), "ethernet-10g Less");
    assert_eq!(of(9000, "send", 9.9e9), "Unknown");
    assert_eq!(of(1500, "both", 9.4e9), "OtherWork");
}

#[test]
fn a_figure_that_is_not_the_parts_is_held_against_nothing() {
    let doubted = on_sata(|case| {
        case.findings = vec![Finding::new(FindingKind::Validity, "page-cache", Severity::Error)];
    });
    assert_eq!(doubted, "Doubted");
    assert_eq!(on_sata(|case| case.loads.main.estimates.clear()), "NoFigure");
}

#[test]
fn own_figures_are_those_of_like_work_on_like_machines() {
    let made = |iops: f64, work: &str, processor: &str| {
        let mut case = disk_case(iops);
        case.work_id = work.to_owned();
        let mut machine = on(sata_ssd());
        machine.inventory.cpu.model = Some(processor.to_owned());
        run(machine, case)
    };
    let mut own = OwnFigures::default();
    for (iops, work, processor) in
        [(9000.0, "w", "A"), (8000.0, "w", "A"), (1.0, "other", "A"), (2.0, "w", "B"), (3.0, "", "A")]
    {
        own.add(&made(iops, work, processor));
    }
    let asked = made(7000.0, "w", "A");
    let found = own.of(&asked, &asked.cases[0], Some(metric::IOPS));
    assert_eq!(found, Some(OwnRange { runs: 2, least: 8000.0, most: 9000.0 }));
    assert_eq!(own.of(&asked, &asked.cases[0], None), found, "its load shows it first");
    let mut elsewhere = asked.clone();
    elsewhere.cases[0].loads.main.parameters.set(ParameterName::new("target"), "/other");
    assert_eq!(own.of(&elsewhere, &elsewhere.cases[0], None), found);
    let nameless = made(7000.0, "", "A");
    assert_eq!(own.of(&nameless, &nameless.cases[0], None), None);
}
