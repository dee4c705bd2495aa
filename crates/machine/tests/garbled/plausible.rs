//! A plausible machine in one text: two packages, a PCI tree with an NVMe disk
//! and a SATA disk, an array, a bond, sensors, groups of both versions. It
//! holds every kind of file that readers know, not a true machine.

use std::fmt::Write;

const CPUS: u32 = 4;

/// The text of its recording.
pub(crate) fn host() -> String {
    [cpus(), FILES.to_owned(), devices(), disks(), networks()].concat()
}

fn entry(out: &mut String, path: &str, content: &str) {
    let _ = writeln!(out, "==> {path}\n{content}");
}

fn cpus() -> String {
    let mut out = String::new();
    let mut info = String::new();
    let root = "/sys/devices/system/cpu";
    for cpu in 0..CPUS {
        let _ = writeln!(
            info,
            "processor\t: {cpu}\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 85\n\
             model name\t: Intel(R) Xeon(R)\nstepping\t: 7\nmicrocode\t: 0x5003604\ncpu MHz\t\t: 2100.000\n\
             physical id\t: {}\ncore id\t\t: {}\nflags\t\t: fpu aes avx2 ht\nCPU implementer\t: 0x41\n\
             CPU variant\t: 0x1\nCPU part\t: 0xd0c\nCPU revision\t: 1\n",
            cpu / 2,
            cpu % 2
        );
        let base = format!("{root}/cpu{cpu}");
        entry(&mut out, &format!("{base}/topology/core_id"), &(cpu % 2).to_string());
        entry(&mut out, &format!("{base}/topology/physical_package_id"), &(cpu / 2).to_string());
        entry(&mut out, &format!("{base}/topology/die_id"), "0");
        let caches =
            [(1, "Data", "32K"), (1, "Instruction", "32K"), (2, "Unified", "1024K"), (3, "Unified", "28M")];
        for (index, (level, kind, size)) in caches.into_iter().enumerate() {
            let folder = format!("{base}/cache/index{index}");
            entry(&mut out, &format!("{folder}/level"), &level.to_string());
            entry(&mut out, &format!("{folder}/type"), kind);
            entry(&mut out, &format!("{folder}/size"), size);
            let shared =
                if level == 3 { format!("{}-{}", cpu / 2 * 2, cpu / 2 * 2 + 1) } else { cpu.to_string() };
            entry(&mut out, &format!("{folder}/shared_cpu_list"), &shared);
        }
        let policy = format!("{root}/cpufreq/policy{cpu}");
        for (leaf, content) in [
            ("scaling_driver", "intel_pstate"),
            ("scaling_governor", "powersave"),
            ("energy_performance_preference", "balance_power"),
            ("scaling_min_freq", "800000"),
            ("scaling_max_freq", "3900000"),
            ("cpuinfo_max_freq", "3900000"),
            ("base_frequency", "2100000"),
            ("scaling_cur_freq", "1200000"),
        ] {
            entry(&mut out, &format!("{policy}/{leaf}"), content);
        }
        let _ = writeln!(out, "==> {base}/cpufreq -> ../cpufreq/policy{cpu}");
        for (state, (name, latency)) in [("POLL", "0"), ("C1", "2"), ("C6", "133")].into_iter().enumerate() {
            let folder = format!("{base}/cpuidle/state{state}");
            entry(&mut out, &format!("{folder}/name"), name);
            entry(&mut out, &format!("{folder}/latency"), latency);
            entry(&mut out, &format!("{folder}/disable"), "0");
        }
        entry(&mut out, &format!("{base}/thermal_throttle/core_throttle_count"), "3");
        entry(&mut out, &format!("{base}/thermal_throttle/package_throttle_count"), "4");
        entry(&mut out, &format!("{base}/microcode/version"), "0x5003604");
    }
    entry(&mut out, "/proc/cpuinfo", &info);
    out
}

/// Files that stand for themselves.
const FILES: &str = "\
==> /sys/devices/system/cpu/online
0-3
==> /sys/devices/system/cpu/possible
0-3
==> /sys/devices/system/cpu/present
0-3
==> /sys/devices/system/cpu/intel_pstate/no_turbo
0
==> /sys/devices/system/cpu/cpufreq/boost
1
==> /sys/devices/system/cpu/cpuidle/current_driver
intel_idle
==> /sys/devices/system/cpu/cpuidle/current_governor
menu
==> /sys/devices/system/cpu/vulnerabilities/meltdown
Mitigation: PTI
==> /probe/affinity
[0, 1, 2, 3]
==> /probe/uname
\"x86_64\"
==> /probe/cpuid
{\"hypervisor\": \"KVMKVMKVM\", \"vendor\": \"GenuineIntel\", \"brand\": \"Intel(R) Xeon(R)\"}
==> /probe/acpi-oem
\"BOCHS\"
==> /probe/dmi
{\"slots\": 4, \"modules\": [{\"slot\": \"DIMM_A1\", \"bytes\": 17179869184, \"kind\": \"DDR4\",
 \"speed_transfers\": 3200000000, \"configured_transfers\": 2933000000, \"data_bits\": 64, \"ecc\": true, \"ranks\": 2}]}
==> /proc/meminfo
MemTotal:       32768000 kB
MemFree:        16384000 kB
MemAvailable:   24576000 kB
SwapTotal:       1048576 kB
SwapFree:        1000000 kB
Dirty:              1234 kB
HugePages_Total:       0
==> /proc/swaps
Filename\tType\tSize\tUsed\tPriority
/dev/sda2 partition 1048576 48576 -2
==> /sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages
8
==> /sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages
4
==> /sys/kernel/mm/transparent_hugepage/enabled
always [madvise] never
==> /sys/devices/system/node/online
0-1
==> /sys/devices/system/node/node0/meminfo
Node 0 MemTotal: 16384000 kB
Node 0 MemFree: 8192000 kB
==> /sys/devices/system/node/node0/cpulist
0-1
==> /sys/devices/system/node/node0/distance
10 21
==> /sys/devices/system/node/node1/meminfo
Node 1 MemTotal: 16384000 kB
Node 1 MemFree: 8192000 kB
==> /sys/devices/system/node/node1/cpulist
2-3
==> /sys/devices/system/node/node1/distance
21 10
==> /proc/self/cgroup
4:blkio:/load
3:cpuset:/
0::/load/one
==> /sys/fs/cgroup/load/one/cpu.max
150000 100000
==> /sys/fs/cgroup/load/cpu.stat
nr_periods 10
nr_throttled 3
throttled_usec 1000
==> /sys/fs/cgroup/load/memory.max
8589934592
==> /sys/fs/cgroup/load/memory.current
1073741824
==> /sys/fs/cgroup/load/memory.stat
anon 1000
inactive_file 536870912
==> /sys/fs/cgroup/load/io.max
8:0 rbps=1048576 wbps=max riops=max wiops=120
==> /sys/fs/cgroup/blkio/load/blkio.throttle.read_bps_device
8:0 2097152
==> /sys/class/dmi/id/sys_vendor
Supermicro
==> /sys/class/dmi/id/product_name
SYS-5019S
==> /sys/class/dmi/id/board_vendor
Supermicro
==> /sys/class/dmi/id/board_name
X11SSL-F
==> /sys/class/dmi/id/bios_vendor
American Megatrends Inc.
==> /sys/class/dmi/id/bios_version
2.2
==> /sys/class/dmi/id/bios_date
05/23/2018
==> /sys/firmware/devicetree/base/model
A board
==> /sys/firmware/devicetree/base/compatible
maker,board
==> /sys/hypervisor/type
xen
==> /run/systemd/container
lxc
==> /proc/version
Linux version 6.12.9 (a@b) #1 SMP
==> /proc/cmdline
BOOT_IMAGE=/vmlinuz root=/dev/sda1 ro isolcpus=2-3
==> /proc/uptime
12345.67 23456.78
==> /etc/os-release
PRETTY_NAME=\"Debian GNU/Linux 12\"
==> /proc/sys/kernel/osrelease
6.12.9
==> /proc/sys/kernel/hostname
box
==> /sys/devices/system/clocksource/clocksource0/current_clocksource
tsc
==> /sys/devices/system/clocksource/clocksource0/available_clocksource
tsc hpet acpi_pm
==> /proc/loadavg
0.50 0.40 0.30 1/234 5678
==> /proc/mdstat
Personalities : [raid1]
md0 : active raid1 sda3[0] nvme0n1p1[1]
      1000 blocks [2/2] [UU]
      [==>..................]  resync = 12.6% (126/1000) finish=1.0min speed=10K/sec
unused devices: <none>
==> /proc/interrupts
           CPU0       CPU1       CPU2       CPU3
 35:  0  0  0  0 PCI-MSIX-0000:01:00.0 0-edge nvme0q0
 36:  0  31171  0  5 PCI-MSIX-0000:01:00.0 1-edge nvme0q1
==> /proc/irq/36/effective_affinity_list
1
==> /proc/stat
cpu  100 0 100 1000 10 0 5 7 0 0
cpu0 25 0 25 250 2 0 1 2 0 0
intr 1000 1
ctxt 1000
==> /proc/diskstats
   8       0 sda 100 0 800 10 50 0 400 20 0 30 40
==> /proc/pressure/cpu
some avg10=0.00 avg60=0.00 avg300=0.00 total=1000
==> /proc/pressure/io
some avg10=1.00 avg60=0.00 avg300=0.00 total=1000
full avg10=0.50 avg60=0.00 avg300=0.00 total=500
==> /proc/1/stat
1 (init) S 0 1 1 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 100 1000 100 18446744073709551615 0 0 0 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0
==> /proc/1/comm
init
==> /proc/77/stat
77 (ext4lazyinit) R 2 0 0 0 -1 2129984 0 0 0 0 0 100 0 0 20 0 1 0 200 0 0 18446744073709551615 0 0 0 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0
==> /proc/77/comm
ext4lazyinit
";

/// PCI functions, sensors and zones.
fn devices() -> String {
    let mut out = String::new();
    let bridge = "/sys/devices/pci0000:00/0000:00:1d.0";
    let functions = [
        (bridge.to_owned(), "0x060400", "0x8086", "0xa118", "8.0 GT/s PCIe", "4"),
        (format!("{bridge}/0000:01:00.0"), "0x010802", "0x144d", "0xa808", "8.0 GT/s PCIe", "4"),
        ("/sys/devices/pci0000:00/0000:00:17.0".to_owned(), "0x010601", "0x8086", "0xa102", "", ""),
        (
            "/sys/devices/pci0000:00/0000:00:1f.6".to_owned(),
            "0x020000",
            "0x8086",
            "0x15b7",
            "5.0 GT/s PCIe",
            "1",
        ),
    ];
    for (folder, class, vendor, device, speed, width) in functions {
        let address = folder.rsplit('/').next().unwrap_or_default();
        let _ = writeln!(
            out,
            "==> /sys/bus/pci/devices/{address} -> ../../../{}",
            folder.trim_start_matches("/sys/")
        );
        let files = [
            ("class", class),
            ("vendor", vendor),
            ("device", device),
            ("numa_node", "0"),
            ("current_link_speed", speed),
            ("current_link_width", width),
            ("max_link_speed", speed),
            ("max_link_width", width),
        ];
        for (leaf, content) in files.into_iter().filter(|(_, content)| !content.is_empty()) {
            entry(&mut out, &format!("{folder}/{leaf}"), content);
        }
        let _ = writeln!(out, "==> {folder}/driver -> ../../../bus/pci/drivers/some");
        entry(
            &mut out,
            &format!("/probe/pcie/{address}"),
            "{\"max_payload\": 256, \"max_read_request\": 512}",
        );
    }
    out.push_str(
        "==> /probe/pci-names\n{\"8086:a118\": [\"Intel Corporation\", \"A port\"]}\n\
         ==> /sys/class/hwmon/hwmon0 -> ../../devices/pci0000:00/0000:00:1d.0/0000:01:00.0/nvme/nvme0/hwmon0\n",
    );
    let chip = format!("{bridge}/0000:01:00.0/nvme/nvme0/hwmon0");
    let _ = writeln!(out, "==> {chip}/device -> ../../nvme0");
    for (leaf, content) in [
        ("name", "nvme"),
        ("temp1_input", "38850"),
        ("temp1_label", "Composite"),
        ("temp1_max", "84850"),
        ("temp1_crit", "89850"),
        ("temp1_fault", "0"),
        ("fan1_input", "1200"),
        ("power1_average", "5000000"),
        ("in0_input", "11984"),
    ] {
        entry(&mut out, &format!("{chip}/{leaf}"), content);
    }
    let zone = "/sys/class/thermal/thermal_zone0";
    for (leaf, content) in [
        ("type", "x86_pkg_temp"),
        ("temp", "45000"),
        ("trip_point_0_type", "passive"),
        ("trip_point_0_temp", "95000"),
        ("trip_point_1_type", "critical"),
        ("trip_point_1_temp", "105000"),
    ] {
        entry(&mut out, &format!("{zone}/{leaf}"), content);
    }
    let rapl = "/sys/class/powercap/intel-rapl:0";
    for (leaf, content) in
        [("name", "package-0"), ("energy_uj", "123456789"), ("max_energy_range_uj", "262143328850")]
    {
        entry(&mut out, &format!("{rapl}/{leaf}"), content);
    }
    out
}

/// An NVMe disk, a SATA disk with partitions, an array, a mapping, a loop.
fn disks() -> String {
    let mut out = String::new();
    let nvme = "/sys/devices/pci0000:00/0000:00:1d.0/0000:01:00.0/nvme/nvme0/nvme0n1";
    let port = "/sys/devices/pci0000:00/0000:00:17.0/ata1";
    let sata = format!("{port}/host0/target0:0:0/0:0:0:0/block/sda");
    let all = [
        (nvme.to_owned(), "259:0", "2000409264"),
        (sata.clone(), "8:0", "7814037168"),
        ("/sys/devices/virtual/block/md0".to_owned(), "9:0", "2000"),
        ("/sys/devices/virtual/block/dm-0".to_owned(), "253:0", "1000"),
        ("/sys/devices/virtual/block/loop0".to_owned(), "7:0", "500"),
    ];
    for (folder, number, size) in &all {
        let name = folder.rsplit('/').next().unwrap_or_default();
        let inside = folder.trim_start_matches("/sys/");
        let _ = writeln!(
            out,
            "==> /sys/block/{name} -> ../{inside}\n==> /sys/dev/block/{number} -> ../../{inside}"
        );
        for (leaf, content) in [
            ("size", *size),
            ("ro", "0"),
            ("removable", "0"),
            ("dev", number),
            ("queue/rotational", "0"),
            ("queue/logical_block_size", "512"),
            ("queue/physical_block_size", "4096"),
            ("queue/write_cache", "write back"),
            ("queue/fua", "1"),
            ("queue/scheduler", "[none] mq-deadline"),
            ("queue/nr_requests", "1023"),
            ("queue/read_ahead_kb", "128"),
            ("queue/discard_max_bytes", "2199023255040"),
            ("mq/0/cpu_list", "0, 1"),
            ("device/model", "A disk"),
            ("device/vendor", "ATA"),
            ("device/rev", "1.0"),
            ("device/firmware_rev", "2B2QEXE7"),
            ("device/queue_depth", "32"),
            ("device/state", "running"),
            ("device/transport", "pcie"),
            ("device/type", "0"),
            ("stat", "100 0 800 10 50 0 400 20 0 30 40"),
        ] {
            entry(&mut out, &format!("{folder}/{leaf}"), content);
        }
    }
    for (part, start) in [("sda1", "2048"), ("sda2", "1050624"), ("sda3", "3147776")] {
        let minor = &part[3..];
        let folder = format!("{sata}/{part}");
        let inside = folder.trim_start_matches("/sys/").to_owned();
        let _ = writeln!(out, "==> /sys/dev/block/8:{minor} -> ../../{inside}");
        let dev = format!("8:{minor}");
        for (leaf, content) in [("partition", minor), ("size", "1048576"), ("start", start), ("dev", &*dev)] {
            entry(&mut out, &format!("{folder}/{leaf}"), content);
        }
    }
    let (md, dm) = ("/sys/devices/virtual/block/md0", "/sys/devices/virtual/block/dm-0");
    let _ = writeln!(
        out,
        "==> {md}/slaves/sda3 -> ../../../../{}/sda3",
        sata.trim_start_matches("/sys/devices/")
    );
    let _ = writeln!(out, "==> {dm}/slaves/md0 -> ../../md0");
    for (leaf, content) in [
        ("md/level", "raid1"),
        ("md/raid_disks", "2"),
        ("md/degraded", "1"),
        ("md/chunk_size", "524288"),
        ("md/array_state", "clean"),
        ("md/sync_action", "resync"),
        ("md/sync_completed", "126 / 1000"),
    ] {
        entry(&mut out, &format!("{md}/{leaf}"), content);
    }
    entry(&mut out, &format!("{dm}/dm/name"), "vg0-data");
    entry(&mut out, &format!("{dm}/dm/uuid"), "LVM-00000000000000000000000000000000");
    entry(&mut out, "/sys/devices/virtual/block/loop0/loop/backing_file", "/var/a.img");
    entry(&mut out, &format!("{port}/link1/ata_link/link1/sata_spd"), "6.0 Gbps");
    let _ = writeln!(
        out,
        "==> /sys/class/ata_link/link1 -> ../../{}/link1/ata_link/link1",
        port.trim_start_matches("/sys/")
    );
    entry(&mut out, &format!("{port}/link1/ata_link/link1/hw_sata_spd_limit"), "6.0 Gbps");
    entry(
        &mut out,
        "/proc/self/mountinfo",
        "1 0 8:1 / / rw,relatime - ext4 /dev/sda1 rw\n2 1 253:0 / /data rw shared:1 - xfs /dev/mapper/vg0-data rw",
    );
    entry(
        &mut out,
        "/probe/blkid",
        "{\"sda1\": \"ext4\", \"sda3\": \"linux_raid_member\", \"dm-0\": \"xfs\"}",
    );
    entry(
        &mut out,
        "/probe/blk/sda",
        "{\"logical\": 512, \"physical\": 4096, \"read_only\": false, \"bytes\": 4000787030016}",
    );
    out
}

/// Two interfaces in a bond, and a VLAN on it.
fn networks() -> String {
    let mut out = String::new();
    for (name, device) in [("eth0", true), ("eth1", true), ("bond0", false), ("vlan5", false), ("lo", false)]
    {
        let folder = format!("/sys/class/net/{name}");
        let kind = if name == "lo" { "772" } else { "1" };
        for (leaf, content) in [
            ("type", kind),
            ("operstate", "up"),
            ("carrier", "1"),
            ("speed", "10000"),
            ("duplex", "full"),
            ("mtu", "1500"),
            ("queues/rx-0/rps_cpus", "0"),
            ("queues/tx-0/xps_cpus", "0"),
            ("statistics/rx_bytes", "1000"),
        ] {
            entry(&mut out, &format!("{folder}/{leaf}"), content);
        }
        if device {
            let _ = writeln!(out, "==> {folder}/device -> ../../../devices/pci0000:00/0000:00:1f.6");
            let _ = writeln!(out, "==> {folder}/master -> ../bond0");
        }
        entry(
            &mut out,
            &format!("/probe/ethtool/{name}"),
            "{\"driver\": \"ixgbe\", \"version\": \"6.12\", \"firmware\": \"1.2\", \"bus\": \"0000:00:1f.6\",\n \
             \"speed_mbit\": 10000, \"duplex\": \"full\", \"supported_max_mbit\": 10000, \"partner_max_mbit\": null,\n \
             \"rings\": {\"rx\": [512, 4096], \"tx\": [512, 4096]}, \"channels\": {\"combined\": [8, 63]},\n \
             \"offloads\": {\"tcp-segmentation-offload\": true}}",
        );
        let word = if name == "bond0" { "\"bond\"" } else { "null" };
        let answer =
            format!("{{\"kind\": {word}, \"max_mtu\": 9710, \"qdisc\": \"mq\", \"qdisc_rate\": null}}");
        entry(&mut out, &format!("/probe/netlink/{name}"), &answer);
    }
    let bond = "/sys/class/net/bond0/bonding";
    for (leaf, content) in [
        ("mode", "802.3ad 4"),
        ("slaves", "eth0 eth1"),
        ("active_slave", ""),
        ("xmit_hash_policy", "layer3+4 1"),
    ] {
        entry(&mut out, &format!("{bond}/{leaf}"), content);
    }
    entry(&mut out, "/sys/class/net/vlan5/uevent", "DEVTYPE=vlan\nINTERFACE=vlan5");
    out.push_str("==> /sys/class/net/vlan5/lower_bond0 -> ../bond0\n");
    entry(
        &mut out,
        "/proc/net/dev",
        "Inter-|   Receive\n face |bytes\n  eth0: 1000 10 0 0 0 0 0 0 2000 20 0 0 0 0 0 0",
    );
    out
}
