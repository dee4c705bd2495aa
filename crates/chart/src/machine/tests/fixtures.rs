//! Machines made by hand, after real ones.

use model::limit::{Direction, LimitKind};
use model::machine::*;
use model::resource::PathStep;
use model::run::{CaseResult, Utilization};
use model::{Limit, Unit};

pub(super) const GIB: u64 = 1 << 30;
pub(super) const GB: u64 = 1_000_000_000;

pub(super) fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

/// A limit on bytes per second.
pub(super) fn limit(resource: &str, kind: LimitKind, line: Option<f64>, effective: Option<f64>) -> Limit {
    Limit {
        resource: resource.to_owned(),
        quantity: "throughput".to_owned(),
        direction: None,
        kind,
        line,
        effective,
        unit: Unit::BytesPerSecond,
        block_bytes: None,
        access: None,
        source: "made by hand".to_owned(),
    }
}

fn link(resource: &str, line: f64, effective: f64) -> Limit {
    limit(resource, LimitKind::Link, Some(line), Some(effective))
}

fn pci(
    address: &str,
    parent: Option<&str>,
    class: u32,
    name: (&str, &str),
    link: Option<(f64, u32)>,
) -> PciDevice {
    PciDevice {
        address: address.to_owned(),
        parent: parent.map(str::to_owned),
        class,
        class_name: "device".to_owned(),
        vendor: 0x8086,
        device: 0x1234,
        vendor_name: some(name.0).filter(|n| !n.is_empty()),
        device_name: some(name.1).filter(|n| !n.is_empty()),
        link: link.map(|(transfers, lanes)| PciLink {
            transfers: Some(transfers),
            lanes: Some(lanes),
            ..PciLink::default()
        }),
        ..PciDevice::default()
    }
}

pub(super) fn disk(name: &str, bytes: u64, model: &str, transport: &str, at: Option<&str>) -> BlockDevice {
    BlockDevice {
        name: name.to_owned(),
        bytes,
        model: some(model).filter(|m| !m.is_empty()),
        transport: some(transport),
        pci: at.map(str::to_owned),
        rotational: Some(false),
        ..BlockDevice::default()
    }
}

fn on(name: &str, kind: BlockKind, bytes: u64, below: &[&str], mount: Option<(&str, &str)>) -> BlockDevice {
    BlockDevice {
        name: name.to_owned(),
        kind,
        bytes,
        below: below.iter().map(|b| (*b).to_owned()).collect(),
        mounts: mount
            .map(|(point, kind)| Mount {
                point: point.to_owned(),
                kind: kind.to_owned(),
                options: "rw".to_owned(),
            })
            .into_iter()
            .collect(),
        ..BlockDevice::default()
    }
}

fn mapped(mut device: BlockDevice, name: &str, kind: &str) -> BlockDevice {
    device.mapping = Some(Mapping { name: name.to_owned(), kind: some(kind) });
    device
}

fn array(mut device: BlockDevice, level: &str, members: u32) -> BlockDevice {
    device.array = Some(Array { level: level.to_owned(), members, ..Array::default() });
    device
}

fn interface(name: &str, at: Option<&str>, gigabits: Option<u64>, mtu: u32) -> NetworkInterface {
    NetworkInterface {
        name: name.to_owned(),
        kind: "ethernet".to_owned(),
        state: "up".to_owned(),
        pci: at.map(str::to_owned),
        speed_bits: gigabits.map(|g| g * GB),
        mtu,
        ..NetworkInterface::default()
    }
}

fn cores(packages: u32, cores: u32, threads: u32) -> Vec<CpuPlace> {
    let total = packages * cores;
    (0..total * threads)
        .map(|cpu| {
            let core = cpu % total;
            let package = core / cores;
            CpuPlace { cpu, core: core % cores, die: 0, package, node: Some(package) }
        })
        .collect()
}

fn modules(n: u32, bytes: u64, kind: &str, transfers: u64) -> Vec<MemoryModule> {
    let module = |i| MemoryModule {
        slot: format!("DIMM_{i}"),
        bytes,
        kind: some(kind),
        configured_transfers: Some(transfers * 1_000_000),
        ecc: Some(true),
        ..MemoryModule::default()
    };
    (0..n).map(module).collect()
}

fn caches(list: &[(u32, &str, u64, u32)]) -> Vec<CacheKind> {
    let kind = |(level, kind, bytes, instances): &(u32, &str, u64, u32)| CacheKind {
        level: *level,
        kind: (*kind).to_owned(),
        bytes: *bytes,
        instances: *instances,
    };
    list.iter().map(kind).collect()
}

/// A small virtual machine: two CPUs, one virtio disk, one virtio network.
pub(super) fn small_guest() -> Machine {
    let mut m = Machine { hostname: "vm".to_owned(), ..Machine::default() };
    let i = &mut m.inventory;
    i.kernel = "6.18.44".to_owned();
    i.os = some("Debian GNU/Linux 12 (bookworm)");
    i.system.virtualization = some("kvm");
    i.cpu.model = some("AMD EPYC");
    i.cpu.online = vec![0, 1];
    i.cpu.topology = cores(1, 1, 2);
    i.cpu.cache_kinds =
        caches(&[(1, "Data", 32 << 10, 1), (2, "Unified", 1 << 20, 1), (3, "Unified", 260 << 20, 1)]);
    i.memory.total_bytes = 25_232_932_864;
    i.block = vec![
        BlockDevice {
            rotational: Some(true),
            content: some("ext4"),
            mounts: vec![Mount { point: "/".to_owned(), kind: "ext4".to_owned(), options: String::new() }],
            ..disk("vda", 274_877_906_944, "", "virtio", None)
        },
        BlockDevice { kind: BlockKind::Zram, ..disk("zram0", 12 * GIB, "", "", None) },
        BlockDevice { kind: BlockKind::Loop, ..disk("loop0", GIB, "", "", None) },
    ];
    i.network = vec![
        NetworkInterface { kind: "loopback".to_owned(), ..interface("lo", None, None, 65536) },
        NetworkInterface {
            bus: some("virtio"),
            driver: some("virtio_net"),
            ..interface("eth0", None, None, 1500)
        },
    ];
    m.limits = vec![limit("memory", LimitKind::Measured, None, Some(33.7e9))];
    m
}

/// One node of study A.
pub(super) fn study_a() -> Machine {
    let mut m = Machine { hostname: "node1".to_owned(), ..Machine::default() };
    let i = &mut m.inventory;
    i.kernel = "4.9.0-8-amd64".to_owned();
    i.os = some("Debian GNU/Linux 9 (stretch)");
    i.system.vendor = some("Supermicro");
    i.system.product = some("X11SSL-F");
    i.cpu.model = some("Intel(R) Xeon(R) CPU E3-1220 v6 @ 3.00GHz");
    i.cpu.online = vec![0, 1, 2, 3];
    i.cpu.topology = cores(1, 4, 1);
    i.cpu.cache_kinds = caches(&[
        (1, "Data", 32 << 10, 4),
        (1, "Instruction", 32 << 10, 4),
        (2, "Unified", 256 << 10, 4),
        (3, "Unified", 8 << 20, 1),
    ]);
    i.cpu.frequency =
        Some(Frequency { base_hz: Some(3_000_000_000), max_hz: Some(3_500_000_000), ..Frequency::default() });
    i.memory.total_bytes = 33_600_000_000;
    i.memory.modules = modules(2, 16 * GIB, "DDR4", 2400);
    i.memory.slots = Some(4);
    i.pci = vec![
        pci("0000:00:00.0", None, 0x060000, ("Intel Corporation", "Host Bridge"), None),
        pci("0000:00:01.0", None, 0x060400, ("Intel Corporation", "PCIe Controller (x16)"), Some((5e9, 8))),
        pci("0000:00:14.0", None, 0x0c0330, ("Intel Corporation", "USB 3.0 xHCI Controller"), None),
        pci("0000:00:17.0", None, 0x010601, ("Intel Corporation", "SATA Controller [AHCI mode]"), None),
        pci(
            "0000:00:1c.0",
            None,
            0x060400,
            ("Intel Corporation", "PCI Express Root Port #1"),
            Some((2.5e9, 1)),
        ),
        pci("0000:00:1f.0", None, 0x060100, ("Intel Corporation", "C232 Chipset LPC/eSPI Controller"), None),
        pci("0000:00:1f.4", None, 0x0c0500, ("Intel Corporation", "SMBus"), None),
        pci(
            "0000:01:00.0",
            Some("0000:00:01.0"),
            0x020000,
            ("Intel Corporation", "82599ES 10-Gigabit SFI/SFP+ Network Connection"),
            Some((5e9, 8)),
        ),
        pci(
            "0000:01:00.1",
            Some("0000:00:01.0"),
            0x020000,
            ("Intel Corporation", "82599ES 10-Gigabit SFI/SFP+ Network Connection"),
            Some((5e9, 8)),
        ),
        pci(
            "0000:02:00.0",
            Some("0000:00:1c.0"),
            0x020000,
            ("Intel Corporation", "I210 Gigabit Network Connection"),
            Some((2.5e9, 1)),
        ),
    ];
    i.block = vec![
        disk("sda", 256_060_514_304, "Samsung SSD 860 PRO 256GB", "sata", Some("0000:00:17.0")),
        on("sda1", BlockKind::Partition, 512_000_000, &["sda"], Some(("/boot/efi", "vfat"))),
        on("sda2", BlockKind::Partition, 247_000_000_000, &["sda"], Some(("/", "ext4"))),
        BlockDevice { content: some("swap"), ..on("sda3", BlockKind::Partition, 8 * GB, &["sda"], None) },
    ];
    i.block[0].link_bits = Some(6 * GB);
    i.network = vec![
        interface("enp1s0f0", Some("0000:01:00.0"), Some(10), 9000),
        interface("enp1s0f1", Some("0000:01:00.1"), Some(10), 9000),
        interface("eno1", Some("0000:02:00.0"), Some(1), 1500),
    ];
    let datasheet = |direction, rate| Limit {
        direction: Some(direction),
        ..limit("block:sda", LimitKind::Datasheet, None, Some(rate))
    };
    m.limits = vec![
        link("memory", 38.4e9, 38.4e9),
        link("dmi", 3.938e9, 3.3e9),
        link("pci:0000:01:00.0", 4e9, 3.2e9),
        link("pci:0000:01:00.1", 4e9, 3.2e9),
        link("pci:0000:02:00.0", 0.25e9, 0.2e9),
        link("sata:sda", 600e6, 560e6),
        datasheet(Direction::Read, 560e6),
        datasheet(Direction::Write, 530e6),
        link("nic:enp1s0f0", 1.25e9, 1.2375e9),
        link("nic:enp1s0f1", 1.25e9, 1.2375e9),
        link("nic:eno1", 0.125e9, 0.1176e9),
    ];
    m
}

/// A server of two sockets, eight NVMe drives and a bond of two times 25 GbE.
pub(super) fn nvme_server(cores_each: u32, drives: u32) -> Machine {
    let mut m = Machine { hostname: "db3".to_owned(), ..Machine::default() };
    let i = &mut m.inventory;
    i.kernel = "6.1.0".to_owned();
    i.os = some("Debian GNU/Linux 12 (bookworm)");
    i.system.vendor = some("Dell Inc.");
    i.system.product = some("PowerEdge R7525");
    i.cpu.model = some("AMD EPYC 7543 32-Core Processor");
    i.cpu.topology = cores(2, cores_each, 2);
    i.cpu.online = (0..cores_each * 4).collect();
    i.cpu.cache_kinds = caches(&[
        (1, "Data", 32 << 10, 2 * cores_each),
        (2, "Unified", 512 << 10, 2 * cores_each),
        (3, "Unified", 32 << 20, 16),
    ]);
    i.memory.total_bytes = 512 * GIB;
    i.memory.modules = modules(16, 32 * GIB, "DDR4", 3200);
    i.memory.slots = Some(32);
    let node = |id: u32| NumaNode {
        id,
        total_bytes: 256 * GIB,
        cpus: (0..cores_each * 4).filter(|c| c / cores_each % 2 == id).collect(),
        distances: if id == 0 { vec![10, 32] } else { vec![32, 10] },
        ..NumaNode::default()
    };
    i.memory.nodes = vec![node(0), node(1)];
    m.limits = vec![link("memory", 409.6e9, 409.6e9)];
    for n in 0..drives {
        let (port, drive) =
            (format!("0000:{:02x}:01.1", 0x40 + n * 2), format!("0000:{:02x}:00.0", 0x41 + n * 2));
        let home = Some(n * 2 / drives);
        let mut bridge = pci(&port, None, 0x060400, ("AMD", "GPP Bridge"), Some((16e9, 4)));
        let mut nvme = pci(&drive, Some(&port), 0x010802, ("Samsung", "PM9A3"), Some((16e9, 4)));
        (bridge.node, nvme.node) = (home, home);
        i.pci.extend([bridge, nvme]);
        let name = format!("nvme{n}n1");
        i.block.push(disk(&name, 3_840_755_982_336, "SAMSUNG MZQL23T8HCLS-00A07", "nvme", Some(&drive)));
        m.limits.push(link(&format!("pci:{drive}"), 7.877e9, 7.0e9));
        let below = [name.as_str()];
        if n == 0 {
            i.block.push(on("nvme0n1p1", BlockKind::Partition, GB, &below, Some(("/boot/efi", "vfat"))));
            i.block.push(on("nvme0n1p2", BlockKind::Partition, 400 * GB, &below, Some(("/", "ext4"))));
        } else {
            let part = format!("{name}p1");
            i.block.push(on(&part, BlockKind::Partition, 3_840 * GB, &below, None));
        }
    }
    let parts: Vec<String> = (1..drives).map(|n| format!("nvme{n}n1p1")).collect();
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    i.block.push(array(
        on("md0", BlockKind::Md, 13_440 * GB, &parts, Some(("/srv/db", "xfs"))),
        "raid10",
        drives - 1,
    ));
    let nics = [("0000:c1:00.0", 1), ("0000:c1:00.1", 1)];
    i.pci.push(pci("0000:c0:01.1", None, 0x060400, ("AMD", "GPP Bridge"), Some((8e9, 8))));
    for (n, (address, home)) in nics.into_iter().enumerate() {
        let mut nic = pci(
            address,
            Some("0000:c0:01.1"),
            0x020000,
            ("Mellanox Technologies", "MT27800 Family [ConnectX-5]"),
            Some((8e9, 8)),
        );
        nic.node = Some(home);
        i.pci.push(nic);
        let name = format!("enp193s0f{n}");
        let mut port = interface(&name, Some(address), Some(25), 9000);
        port.master = some("bond0");
        i.network.push(port);
        m.limits.push(link(&format!("pci:{address}"), 7.877e9, 6.9e9));
        m.limits.push(link(&format!("nic:{name}"), 3.125e9, 3.09e9));
    }
    let mut bond = interface("bond0", None, Some(50), 9000);
    bond.kind = "bond".to_owned();
    bond.bond = Some(Bond {
        mode: "802.3ad".to_owned(),
        members: vec!["enp193s0f0".to_owned(), "enp193s0f1".to_owned()],
        hash: some("layer3+4"),
        ..Bond::default()
    });
    i.network.push(bond);
    let mut vlan = interface("bond0.100", None, None, 9000);
    vlan.kind = "vlan".to_owned();
    vlan.below = vec!["bond0".to_owned()];
    i.network.push(vlan);
    m
}

/// The machine of study E: eight disks on a card of four controllers.
pub(super) fn study_e() -> Machine {
    let mut m = Machine { hostname: "backup".to_owned(), ..Machine::default() };
    let i = &mut m.inventory;
    i.kernel = "5.10.0-8-amd64".to_owned();
    i.os = some("Debian GNU/Linux 11 (bullseye)");
    i.system.board = some("Intel S3420GP");
    i.cpu.model = some("Intel(R) Xeon(R) CPU           X3450  @ 2.67GHz");
    i.cpu.online = (0..8).collect();
    i.cpu.topology = cores(1, 4, 2);
    i.cpu.cache_kinds =
        caches(&[(1, "Data", 32 << 10, 4), (2, "Unified", 256 << 10, 4), (3, "Unified", 8 << 20, 1)]);
    i.memory.total_bytes = 16 * GIB;
    i.memory.modules = modules(4, 4 * GIB, "DDR3", 1333);
    let (root, up) = ("0000:00:03.0", "0000:02:00.0");
    i.pci = vec![
        pci(
            root,
            None,
            0x060400,
            ("Intel Corporation", "Core Processor PCI Express Root Port 1"),
            Some((5e9, 2)),
        ),
        pci(
            "0000:00:1f.0",
            None,
            0x060100,
            ("Intel Corporation", "3420 Chipset LPC Interface Controller"),
            None,
        ),
        pci("0000:00:1f.2", None, 0x010601, ("Intel Corporation", "6 port SATA AHCI Controller"), None),
        pci(
            "0000:00:1c.4",
            None,
            0x060400,
            ("Intel Corporation", "PCI Express Root Port 5"),
            Some((2.5e9, 1)),
        ),
        pci(
            up,
            Some(root),
            0x060400,
            ("ASMedia Technology Inc.", "ASM1184e PCIe Switch Port"),
            Some((5e9, 2)),
        ),
        pci(
            "0000:08:00.0",
            Some("0000:00:1c.4"),
            0x020000,
            ("Intel Corporation", "82574L Gigabit Network Connection"),
            Some((2.5e9, 1)),
        ),
    ];
    m.limits = vec![
        link("memory", 21.333e9, 21.333e9),
        link("dmi", 1e9, 0.8e9),
        link(&format!("pci:{up}"), 1e9, 0.8e9),
        link("pci:0000:08:00.0", 0.25e9, 0.2e9),
        link("sata:sdi", 300e6, 280e6),
        link("nic:eno1", 0.125e9, 0.1176e9),
    ];
    for n in 0..4 {
        let (port, card) = (format!("0000:03:{n:02x}.0"), format!("0000:{:02x}:00.0", 4 + n));
        i.pci.push(pci(&port, Some(up), 0x060400, ("ASMedia Technology Inc.", "ASM1184e"), Some((5e9, 1))));
        i.pci.push(pci(
            &card,
            Some(&port),
            0x010601,
            ("ASMedia Technology Inc.", "ASM1062 Serial ATA Controller"),
            Some((5e9, 1)),
        ));
        m.limits.push(link(&format!("pci:{card}"), 0.5e9, 0.4e9));
        for d in 0..2 {
            let name = format!("sd{}", char::from(b'a' + n * 2 + d));
            let mut disk = disk(&name, 1_000_204_886_016, "Hitachi HDS721010CLA332", "sata", Some(&card));
            (disk.rotational, disk.link_bits) = (Some(true), Some(6 * GB));
            i.block.push(disk);
            m.limits.push(link(&format!("sata:{name}"), 600e6, 560e6));
            m.limits.push(limit(&format!("block:{name}"), LimitKind::Measured, None, Some(206e6)));
        }
    }
    let mut system = disk("sdi", 120 * GB, "INTEL SSDSC2BW120A4", "sata", Some("0000:00:1f.2"));
    system.link_bits = Some(3 * GB);
    i.block.push(system);
    i.block.push(on("sdi1", BlockKind::Partition, 119 * GB, &["sdi"], Some(("/", "ext4"))));
    let names: Vec<String> = ('a'..='h').map(|c| format!("sd{c}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let six = 6_001_000_000_000;
    i.block.push(array(on("md0", BlockKind::Md, six, &names, None), "raid6", 8));
    i.block.push(mapped(on("dm-0", BlockKind::Dm, six, &["md0"], None), "crypt", "CRYPT-LUKS2"));
    i.block.push(mapped(
        on("dm-1", BlockKind::Dm, six, &["dm-0"], Some(("/srv/backup", "xfs"))),
        "vg0-backup",
        "LVM",
    ));
    i.network = vec![interface("eno1", Some("0000:08:00.0"), Some(1), 1500)];
    m
}

/// A board with an ARM processor, an eMMC chip and no PCI.
pub(super) fn arm_board() -> Machine {
    let mut m = Machine { hostname: "rock".to_owned(), ..Machine::default() };
    let i = &mut m.inventory;
    i.kernel = "6.6.31".to_owned();
    i.os = some("Armbian 24.5");
    i.architecture = "aarch64".to_owned();
    i.system.product = some("Radxa ROCK Pi 4B");
    i.cpu.model = some("Cortex-A72");
    i.cpu.online = (0..6).collect();
    i.memory.total_bytes = 4_000_000_000;
    i.block = vec![
        disk("mmcblk0", 31_268_536_320, "DG4032", "mmc", None),
        disk("mmcblk0boot0", 4 << 20, "", "mmc", None),
        on("mmcblk0p1", BlockKind::Partition, 256_000_000, &["mmcblk0"], Some(("/boot", "vfat"))),
        on("mmcblk0p2", BlockKind::Partition, 31_000_000_000, &["mmcblk0"], Some(("/", "ext4"))),
    ];
    i.network = vec![
        NetworkInterface {
            bus: some("platform"),
            driver: some("rk_gmac-dwmac"),
            ..interface("end0", None, Some(1), 1500)
        },
        NetworkInterface {
            bus: some("sdio"),
            driver: some("brcmfmac"),
            kind: "wifi".to_owned(),
            state: "down".to_owned(),
            ..interface("wlan0", None, None, 1500)
        },
    ];
    m.limits = vec![link("nic:end0", 0.125e9, 0.1176e9), link("mmc:mmcblk0", 400e6, 330e6)];
    m
}

/// A case that passes `steps`: resource, share of its limit, if one is known,
/// and that limit in bytes per second.
pub(super) fn case(label: &str, steps: &[(&str, Option<f64>, f64)]) -> CaseResult {
    CaseResult {
        workload: "disk".to_owned(),
        definition_version: 1,
        work_id: String::new(),
        label: label.to_owned(),
        parameters: model::Parameters::default(),
        with: Vec::new(),
        block: 0,
        path: steps
            .iter()
            .map(|(resource, _, _)| PathStep { resource: (*resource).to_owned(), amplification: 1.0 })
            .collect(),
        trials: Vec::new(),
        estimates: Default::default(),
        utilization: steps
            .iter()
            .filter_map(|(resource, share, limit)| {
                share.map(|fraction| Utilization {
                    resource: (*resource).to_owned(),
                    quantity: "throughput".to_owned(),
                    kind: LimitKind::Link,
                    demand: fraction * limit,
                    limit: *limit,
                    unit: Unit::BytesPerSecond,
                    fraction,
                    source: "made by hand".to_owned(),
                })
            })
            .collect(),
        findings: Vec::new(),
    }
}

/// Study E's write through all layers: 314 MB/s of XFS are 419 MB/s below.
pub(super) fn study_e_case() -> CaseResult {
    let mut steps: Vec<(String, Option<f64>, f64)> = [
        ("cpu:0-7", Some(0.83), 8.0),
        ("memory", Some(0.06), 21.3e9),
        ("filesystem:/srv/backup (xfs)", None, 0.0),
        ("block:dm-1", None, 0.0),
        ("block:dm-0", None, 0.0),
        ("block:md0", Some(0.73), 429e6),
        ("pci:0000:02:00.0", Some(0.52), 0.8e9),
    ]
    .map(|(resource, share, limit)| (resource.to_owned(), share, limit))
    .into();
    for n in 0..4 {
        steps.push((format!("pci:0000:{:02x}:00.0", 4 + n), Some(0.26), 0.4e9));
    }
    for (n, c) in ('a'..='h').enumerate() {
        steps.push((format!("sata:sd{c}"), Some(0.09), 560e6));
        steps.push((format!("block:sd{c}"), Some(0.24 + n as f64 * 0.005), 206e6));
    }
    let steps: Vec<(&str, Option<f64>, f64)> = steps.iter().map(|(r, s, l)| (r.as_str(), *s, *l)).collect();
    case("pattern=write block-size=1MiB", &steps)
}

/// `n` disks of which no two are alike, on one controller.
pub(super) fn many_disks(n: usize) -> Machine {
    let mut m = study_a();
    m.inventory.block = (0..n)
        .map(|k| {
            disk(&format!("sd{k}"), (k as u64 + 1) * GB, &format!("Model {k}"), "sas", Some("0000:00:17.0"))
        })
        .collect();
    m
}
