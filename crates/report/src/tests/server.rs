//! A server made by hand, with a bit of everything.

use std::collections::BTreeMap;

use model::limit::{Access, Direction, Limit, LimitKind};
use model::machine::{
    Absent, Array, BlockDevice, BlockKind, Bond, CacheKind, Cgroup, CheckTime, ConditionCheck, CpuPlace,
    Frequency, Idle, IdleState, IoThrottle, Machine, Mapping, MemoryModule, Mount, NetworkInterface,
    NumaNode, PciDevice, PciLink, Sensor, SensorKind, Swap,
};
use model::{Finding, FindingKind, Severity, Unit, metric};

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

/// A server with a bit of everything.
pub(crate) fn server() -> Machine {
    let mut machine = Machine { hostname: "db1".to_owned(), ..Machine::default() };
    let inventory = &mut machine.inventory;
    inventory.kernel = "6.1.0-18-amd64".to_owned();
    inventory.os = some("Debian GNU/Linux 12 (bookworm)");
    inventory.architecture = "x86_64".to_owned();
    let system = &mut inventory.system;
    system.vendor = some("Dell Inc.");
    system.product = some("PowerEdge R740");
    system.board = some("Dell Inc. 0923K0 A05");
    system.firmware = some("Dell Inc. 2.10.2, 02/24/2021");
    system.kernel_version = some(
        "Linux version 6.1.0-18-amd64 (debian-kernel@lists.debian.org) (gcc-12 (Debian 12.2.0-14) 12.2.0, GNU ld \
         2.40) #1 SMP PREEMPT_DYNAMIC Debian 6.1.76-1 (2024-02-01)",
    );
    system.command_line =
        some("BOOT_IMAGE=/vmlinuz-6.1.0-18-amd64 root=/dev/mapper/vg0-root ro quiet mitigations=auto");
    system.uptime_s = Some(1_036_800);
    system.clock_source = some("tsc");
    system.clock_sources = ["tsc", "hpet", "acpi_pm"].map(str::to_owned).to_vec();
    processors(&mut machine);
    memory(&mut machine);
    buses(&mut machine);
    disks(&mut machine);
    network(&mut machine);
    rest(&mut machine);
    machine
}

fn processors(machine: &mut Machine) {
    let cpu = &mut machine.inventory.cpu;
    cpu.model = some("Intel(R) Xeon(R) Gold 6148 CPU @ 2.40GHz");
    cpu.vendor = some("GenuineIntel");
    cpu.signature = some("family 6 model 85 stepping 4");
    cpu.microcode = some("0x2006906");
    cpu.online = (0..80).collect();
    cpu.allowed = (0..40).collect();
    for number in 0..80 {
        let (package, core) = (number / 20 % 2, number % 20);
        cpu.topology.push(CpuPlace { cpu: number, core, die: 0, package, node: Some(package) });
    }
    for (level, kind, bytes, instances) in [
        (1, "Data", 32 << 10, 40),
        (1, "Instruction", 32 << 10, 40),
        (2, "Unified", 1 << 20, 40),
        (3, "Unified", 28_835_840, 2),
    ] {
        cpu.cache_kinds.push(CacheKind { level, kind: kind.to_owned(), bytes, instances });
    }
    cpu.flags =
        ["aes", "avx2", "avx512f", "constant_tsc", "nonstop_tsc", "sse4_2"].map(str::to_owned).to_vec();
    for (flaw, state) in [
        ("meltdown", "Mitigation: PTI"),
        (
            "spectre_v2",
            "Mitigation: IBRS; IBPB: conditional; STIBP: conditional; RSB filling; PBRSB-eIBRS: Not affected",
        ),
        ("retbleed", "Vulnerable"),
        ("srbds", "Not affected"),
        ("tsx_async_abort", "Not affected"),
    ] {
        cpu.mitigations.insert(flaw.to_owned(), state.to_owned());
    }
    cpu.frequency = Some(Frequency {
        driver: some("intel_pstate"),
        governors: vec!["powersave".to_owned()],
        preferences: vec!["balance_performance".to_owned()],
        min_hz: Some(1_000_000_000),
        max_hz: Some(3_700_000_000),
        hardware_max_hz: Some(3_700_000_000),
        base_hz: Some(2_400_000_000),
        boost: Some(true),
        ..Frequency::default()
    });
    let state =
        |name: &str, exit_latency_s, disabled| IdleState { name: name.to_owned(), exit_latency_s, disabled };
    cpu.idle = Some(Idle {
        driver: some("intel_idle"),
        governor: some("menu"),
        states: vec![state("POLL", 0.0, false), state("C1E", 10e-6, false), state("C6", 133e-6, true)],
    });
}

fn memory(machine: &mut Machine) {
    let memory = &mut machine.inventory.memory;
    memory.total_bytes = 540_940_000_000;
    memory.available_bytes = 500_000_000_000;
    memory.slots = Some(24);
    for slot in 1..=16 {
        memory.modules.push(MemoryModule {
            slot: format!("A{slot}"),
            bank: None,
            bytes: 32 << 30,
            kind: some("DDR4"),
            speed_transfers: Some(2_933_000_000),
            configured_transfers: Some(2_666_000_000),
            data_bits: Some(64),
            ecc: Some(true),
            ranks: Some(2),
            maker: some("Samsung"),
            part: some("M393A4K40CB2-CVF"),
        });
    }
    for id in 0..2 {
        memory.nodes.push(NumaNode {
            id,
            total_bytes: 270_470_000_000,
            free_bytes: Some(200_000_000_000),
            cpus: (id * 20..id * 20 + 20).chain(id * 20 + 40..id * 20 + 60).collect(),
            distances: if id == 0 { vec![10, 21] } else { vec![21, 10] },
        });
    }
    let swap = |path: &str, used_bytes| Swap {
        path: path.to_owned(),
        kind: "partition".to_owned(),
        bytes: 8 << 30,
        used_bytes,
        priority: -2,
    };
    memory.swap = vec![swap("/dev/dm-1", 12 << 20)];
    memory.transparent_huge_pages = some("madvise");
}

fn function(
    address: &str,
    parent: Option<&str>,
    class: u32,
    class_name: &str,
    name: &str,
    driver: &str,
) -> PciDevice {
    PciDevice {
        address: format!("0000:{address}"),
        parent: parent.map(|p| format!("0000:{p}")),
        class,
        class_name: class_name.to_owned(),
        vendor: 0x8086,
        device: 0x1572,
        vendor_name: some("Intel Corporation"),
        device_name: some(name),
        driver: some(driver),
        node: Some(0),
        link: None,
    }
}

fn buses(machine: &mut Machine) {
    let link = |transfers: f64, lanes, max_transfers: f64, max_lanes| {
        Some(PciLink {
            transfers: Some(transfers),
            lanes: Some(lanes),
            max_transfers: Some(max_transfers),
            max_lanes: Some(max_lanes),
            max_payload: Some(256),
            max_read_request: Some(512),
        })
    };
    let root = "Sky Lake-E PCI Express Root Port A";
    let nic = "Ethernet Controller X710 for 10GbE SFP+";
    machine.inventory.pci = vec![
        function(
            "00:05.0",
            None,
            0x08_80_00,
            "System peripheral",
            "Sky Lake-E MM/Vt-d Configuration Registers",
            "none",
        ),
        function(
            "00:17.0",
            None,
            0x01_06_01,
            "SATA controller",
            "C620 Series Chipset SATA [AHCI mode]",
            "ahci",
        ),
        PciDevice {
            link: link(8e9, 8, 8e9, 16),
            ..function("3a:00.0", None, 0x06_04_00, "PCI bridge", root, "pcieport")
        },
        PciDevice {
            link: link(8e9, 8, 8e9, 8),
            ..function("3b:00.0", Some("3a:00.0"), 0x02_00_00, "Ethernet controller", nic, "i40e")
        },
        PciDevice {
            link: link(8e9, 8, 8e9, 8),
            ..function("3b:00.1", Some("3a:00.0"), 0x02_00_00, "Ethernet controller", nic, "i40e")
        },
    ];
}

fn disks(machine: &mut Machine) {
    let block = &mut machine.inventory.block;
    for letter in 'a'..='h' {
        block.push(BlockDevice {
            name: format!("sd{letter}"),
            bytes: 4_000_787_030_016,
            vendor: some("ATA"),
            model: some("WDC WD4003FZEX-00Z4SA0"),
            firmware: some("01.01A01"),
            transport: some("sata"),
            link_bits: Some(6_000_000_000),
            link_max_bits: Some(6_000_000_000),
            pci: some("0000:00:17.0"),
            rotational: Some(true),
            logical_sector: Some(512),
            physical_sector: Some(4096),
            write_cache: some("write back"),
            fua: Some(false),
            scheduler: some("mq-deadline"),
            queue_requests: Some(64),
            hardware_queues: Some(1),
            device_queue_depth: Some(32),
            read_ahead_bytes: Some(128 << 10),
            discards: Some(false),
            content: some("linux_raid_member"),
            ..BlockDevice::default()
        });
    }
    let mount = |point: &str, kind: &str, options: &str| Mount {
        point: point.to_owned(),
        kind: kind.to_owned(),
        options: options.to_owned(),
    };
    let stacked = |name: &str, kind: BlockKind, bytes, below: &[&str]| BlockDevice {
        name: name.to_owned(),
        kind,
        bytes,
        below: below.iter().map(|b| (*b).to_owned()).collect(),
        ..BlockDevice::default()
    };
    block.push(BlockDevice {
        array: Some(Array {
            level: "raid6".to_owned(),
            members: 8,
            degraded: 1,
            chunk_bytes: Some(512 << 10),
            state: some("clean"),
            action: some("recover"),
            progress: Some(0.346),
        }),
        content: some("crypto_LUKS"),
        ..stacked(
            "md0",
            BlockKind::Md,
            24_004_000_000_000,
            &["sda", "sdb", "sdc", "sdd", "sde", "sdf", "sdg", "sdh"],
        )
    });
    block.push(BlockDevice {
        mapping: Some(Mapping { name: "data".to_owned(), kind: some("CRYPT-LUKS2") }),
        content: some("xfs"),
        mounts: vec![mount(
            "/srv/자료",
            "xfs",
            "rw,noatime,attr2,inode64,logbufs=8,logbsize=32k,sunit=1024,swidth=6144,noquota",
        )],
        ..stacked("dm-0", BlockKind::Dm, 24_003_983_000_000, &["md0"])
    });
    block.push(BlockDevice {
        model: some("Evil\u{1b}]0;owned\u{7} NVMe"),
        transport: some("nvme"),
        rotational: Some(false),
        ..stacked("nvme0n1", BlockKind::Disk, 960_197_124_096, &[])
    });
    block.push(BlockDevice {
        content: some("ext4"),
        mounts: vec![mount("/", "ext4", "rw,relatime,errors=remount-ro")],
        ..stacked("nvme0n1p1", BlockKind::Partition, 960_195_000_000, &["nvme0n1"])
    });
    block.push(stacked("loop0", BlockKind::Loop, 0, &[]));
}

fn network(machine: &mut Machine) {
    let network = &mut machine.inventory.network;
    network.push(NetworkInterface {
        name: "lo".to_owned(),
        kind: "loopback".to_owned(),
        state: "unknown".to_owned(),
        mtu: 65_536,
        qdisc: some("noqueue"),
        ..NetworkInterface::default()
    });
    for port in 0..2 {
        let offloads = [
            ("tcp-segmentation-offload", true),
            ("generic-receive-offload", true),
            ("large-receive-offload", false),
        ];
        network.push(NetworkInterface {
            name: format!("eno{}", port + 1),
            kind: "ethernet".to_owned(),
            state: "up".to_owned(),
            carrier: Some(true),
            pci: Some(format!("0000:3b:00.{port}")),
            driver: some("i40e"),
            driver_version: some("6.1.0-18-amd64"),
            firmware: some("8.30 0x8000a4ae 20.5.13"),
            speed_bits: Some(10_000_000_000),
            max_speed_bits: Some(10_000_000_000),
            duplex: some("full"),
            mtu: 9000,
            max_mtu: Some(9702),
            rx_queues: Some(80),
            tx_queues: Some(80),
            rx_ring: Some((512, 4096)),
            tx_ring: Some((512, 4096)),
            offloads: offloads.iter().map(|(name, on)| ((*name).to_owned(), *on)).collect(),
            qdisc: some("mq"),
            master: some("bond0"),
            node: Some(0),
            ..NetworkInterface::default()
        });
    }
    network.push(NetworkInterface {
        name: "bond0".to_owned(),
        kind: "bond".to_owned(),
        state: "up".to_owned(),
        speed_bits: Some(20_000_000_000),
        duplex: some("full"),
        mtu: 9000,
        bond: Some(Bond {
            mode: "802.3ad".to_owned(),
            members: vec!["eno1".to_owned(), "eno2".to_owned()],
            active: None,
            hash: some("layer3+4"),
        }),
        ..NetworkInterface::default()
    });
}

fn rest(machine: &mut Machine) {
    let sensor = |chip: &str, label: &str, kind, value| Sensor {
        chip: chip.to_owned(),
        label: label.to_owned(),
        kind,
        value: Some(value),
        ..Sensor::default()
    };
    machine.inventory.sensors = vec![
        Sensor {
            max: Some(82.0),
            critical: Some(92.0),
            ..sensor("coretemp", "Package id 0", SensorKind::Temperature, 54.0)
        },
        sensor("dell_smm", "Fan 1", SensorKind::Fan, 4200.0),
        Sensor { device: some("nvme0n1"), ..sensor("nvme", "Composite", SensorKind::Temperature, 38.85) },
    ];
    machine.inventory.cgroup = Cgroup {
        version: Some(2),
        cpu_quota: Some(1.5),
        memory_bytes: Some(64 << 30),
        io: vec![IoThrottle {
            device: "nvme0n1".to_owned(),
            read_bytes: Some(100_000_000),
            write_operations: Some(500),
            ..IoThrottle::default()
        }],
        ..Cgroup::default()
    };
    let absent = |what: &str, reason: &str| Absent { what: what.to_owned(), reason: reason.to_owned() };
    machine.inventory.absent = vec![
        absent("memory modules", "permission denied"),
        absent("eno1: ring sizes", "not supported"),
        absent("0000:3b:00.0: payload", "permission denied"),
    ];
    let link = |resource: String, line, effective, source: &str| Limit {
        resource: resource.into(),
        quantity: metric::THROUGHPUT,
        direction: None,
        kind: LimitKind::Link,
        line: Some(line),
        effective: Some(effective),
        usual: Vec::new(),
        unit: Unit::BytesPerSecond,
        block_bytes: None,
        access: None,
        chipset: None,
        promise: None,
        allowance: None,
        scope: model::limit::LimitScope::All,
        payload: None,
        source: source.to_owned(),
    };
    let pcie = "PCIe 3.0 x8, 2 functions share it: 8 GT/s x 8 lanes, 128b/130b";
    machine.limits = vec![link("pci:0000:3b:00.0".to_owned(), 7.877e9, 7.151e9, pcie)];
    for letter in 'a'..='h' {
        let sata = "SATA 6 Gbit/s, 8b/10b (Serial ATA 3.5)";
        machine.limits.push(link(format!("sata:sd{letter}"), 600e6, 560e6, sata));
    }
    machine.limits.push(Limit {
        quantity: metric::IOPS,
        direction: Some(Direction::Read),
        kind: LimitKind::Datasheet,
        line: None,
        effective: Some(850_000.0),
        unit: Unit::PerSecond,
        block_bytes: Some(4096),
        access: Some(Access::Random),
        chipset: None,
        promise: None,
        allowance: None,
        scope: model::limit::LimitScope::All,
        payload: None,
        ..link("block:nvme0n1".to_owned(), 0.0, 0.0, "the maker's datasheet of 2021")
    });
    let condition = Finding::new(FindingKind::Condition, "governor", Severity::Warning)
        .worded("The governor is powersave.");
    machine.looks = vec![ConditionCheck {
        moment: CheckTime::Before,
        findings: vec![condition],
        written_bytes: BTreeMap::new(),
    }];
}
