//! Which CPUs take the interrupts of a block device or of a network adapter.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use model::trial::InterruptLine;

use super::block::controllers;
use super::distinct;
use crate::Host;

/// The interrupt lines of block device `name` (`vda`, `nvme0n1p1`, `dm-0`) that
/// carry completions, as far as sysfs shows them: those of the nearest PCI
/// device above it, or above every disk that it stands on. Empty for devices
/// without, such as loop or zram.
#[must_use]
pub fn of_block_device(host: &Host, name: &str) -> Vec<InterruptLine> {
    let mut numbers: Vec<u32> = Vec::new();
    for disk in disks(host, name) {
        let of_disk = of_disk(host, &disk);
        numbers.extend(of_disk.into_iter().filter(|irq| !numbers.contains(irq)).collect::<Vec<_>>());
    }
    lines(host, &numbers)
}

/// The folders of the controllers that `name` has message interrupts of: of the nearest
/// device above it, or above every disk that it stands on.
pub(crate) fn controllers_of(host: &Host, name: &str) -> BTreeSet<PathBuf> {
    disks(host, name).iter().flat_map(|disk| interrupting(host, disk)).collect()
}

/// The disks whose interrupts are those of `controller` too, and on which `name` does
/// not stand.
pub(crate) fn others_on(host: &Host, name: &str, controller: &Path) -> Vec<String> {
    let own = disks(host, name);
    let is_other = |disk: &String| {
        // A way to a drive that has several is no drive (`nvme0c1n1`).
        let is_hidden = host.flag(format!("/sys/block/{disk}/hidden")) == Some(true);
        !own.contains(disk) && !is_hidden && interrupting(host, disk).iter().any(|at| at == controller)
    };
    host.names("/sys/block").into_iter().filter(is_other).collect()
}

/// The interfaces, other than `name`, whose adapter is at `controller` too, as far as sysfs shows them.
pub(crate) fn other_interfaces_on(host: &Host, name: &str, controller: &Path) -> Vec<String> {
    let is_there = |interface: &String| {
        let device = host.resolve(format!("/sys/class/net/{interface}/device"));
        interface != name && device.is_some_and(|device| Path::new(&device).starts_with(controller))
    };
    host.names("/sys/class/net").into_iter().filter(is_there).collect()
}

/// The interrupt lines of a controller's folder that carry completions.
pub(crate) fn of_controller(host: &Host, controller: &Path) -> Vec<InterruptLine> {
    lines(host, &message_interrupts(host, controller))
}

/// The controllers that an NVMe namespace is reached by, where it stands below a subsystem; none where
/// it stands below its only one.
pub(crate) fn nvme_controllers(host: &Host, disk: &str) -> Vec<String> {
    controllers(host, &format!("/sys/block/{disk}"))
}

/// The disks that `name` stands on, in order of their names; itself where it
/// stands on nothing.
pub(crate) fn disks(host: &Host, name: &str) -> BTreeSet<String> {
    let mut met = BTreeSet::new();
    let mut disks = BTreeSet::new();
    let mut open = vec![name.to_owned()];
    while let Some(name) = open.pop() {
        if name.contains('/') || !met.insert(name.clone()) {
            continue;
        }
        let folder = host.resolve(format!("/sys/class/block/{name}"));
        let folder = folder.or_else(|| host.resolve(format!("/sys/block/{name}")));
        let Some(folder) = folder.map(PathBuf::from) else { continue };
        let whole = if host.exists(folder.join("partition")) { folder.parent() } else { None };
        let slaves = host.names(folder.join("slaves"));
        match whole.and_then(Path::file_name) {
            Some(whole) => open.push(whole.to_string_lossy().into_owned()),
            None if slaves.is_empty() => drop(disks.insert(name)),
            None => open.extend(slaves),
        }
    }
    disks
}

/// The numbers of a disk's message interrupts.
fn of_disk(host: &Host, name: &str) -> Vec<u32> {
    interrupting(host, name).iter().flat_map(|folder| message_interrupts(host, folder)).collect()
}

/// The folders of a disk's message interrupts: of all controllers where several
/// may lead to it (NVMe below a subsystem, which has none of its own).
fn interrupting(host: &Host, name: &str) -> Vec<PathBuf> {
    let folder = format!("/sys/block/{name}");
    let mut starts = if name.starts_with("nvme") { controllers(host, &folder) } else { Vec::new() };
    if starts.is_empty() {
        starts.extend(host.resolve(format!("{folder}/device")));
    }
    starts.into_iter().filter_map(|start| above(host, PathBuf::from(start))).collect()
}

/// The nearest device from `folder` upwards that has message interrupts.
fn above(host: &Host, mut folder: PathBuf) -> Option<PathBuf> {
    while folder.starts_with("/sys/devices") {
        if !message_interrupts(host, &folder).is_empty() {
            return Some(folder);
        }
        // A PCI function without message interrupts: those above it are a
        // bridge's.
        if host.exists(folder.join("vendor")) && host.exists(folder.join("class")) {
            return None;
        }
        if !folder.pop() {
            break;
        }
    }
    None
}

fn message_interrupts(host: &Host, folder: &Path) -> Vec<u32> {
    let mut numbers: Vec<u32> =
        host.names(folder.join("msi_irqs")).iter().filter_map(|name| name.parse().ok()).collect();
    numbers.sort_unstable();
    numbers
}

/// How the names of lines end, and begin, that carry no completions of queues: changes of configuration
/// (virtio), and what the firmware of a network adapter has to say (i40e, ice, iavf; mlx5; ena).
const CONTROL_ENDS: &[&str] = &["-config", ":misc", ":mbx"];
const CONTROL_BEGINS: &[&str] = &["mlx5_async", "mlx5_cmd", "mlx5_pages", "ena-mgmnt"];

/// Whether a line carries completions: nor does that of the queue for commands to the drive itself (NVMe:
/// `nvme0q0`, `drivers/nvme/host/pci.c`).
fn carries(name: &str) -> bool {
    let is_admin =
        name.strip_prefix("nvme").and_then(|rest| rest.split_once('q')).is_some_and(|(_, q)| q == "0");
    let is_control = CONTROL_ENDS.iter().any(|end| name.ends_with(end))
        || CONTROL_BEGINS.iter().any(|begin| name.starts_with(begin));
    !is_control && !is_admin
}

fn lines(host: &Host, numbers: &[u32]) -> Vec<InterruptLine> {
    if numbers.is_empty() {
        return Vec::new();
    }
    // A table of 128 CPUs has megabytes: it is read and taken apart once.
    let table = host.text("/proc/interrupts").unwrap_or_default();
    let columns: Vec<u32> = table
        .lines()
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .filter_map(|c| c.strip_prefix("CPU")?.parse().ok())
        .collect();
    let wanted: BTreeSet<u32> = numbers.iter().copied().collect();
    let mut found: BTreeMap<u32, (Vec<u64>, String)> =
        table.lines().filter_map(|line| table_line(line, &wanted, columns.len())).collect();
    numbers
        .iter()
        .filter_map(|irq| {
            let (counts, name) = found.remove(irq).filter(|(_, name)| carries(name))?;
            let cpus = host
                .cpu_list(format!("/proc/irq/{irq}/effective_affinity_list"))
                .or_else(|| host.cpu_list(format!("/proc/irq/{irq}/smp_affinity_list")))
                .unwrap_or_default();
            let count = |cpu: &u32| {
                columns.iter().position(|c| c == cpu).and_then(|i| counts.get(i)).copied().unwrap_or(0)
            };
            let counts = cpus.iter().map(count).collect();
            Some(InterruptLine { irq: *irq, name, cpus, counts })
        })
        .collect()
}

/// The number of a line, if it is wanted, with its counts by column and its last
/// word.
fn table_line(line: &str, wanted: &BTreeSet<u32>, columns: usize) -> Option<(u32, (Vec<u64>, String))> {
    let (number, rest) = line.split_once(':')?;
    let irq = number.trim().parse().ok().filter(|irq| wanted.contains(irq))?;
    let words: Vec<&str> = rest.split_whitespace().collect();
    let counts = words.iter().take(columns).filter_map(|w| w.parse().ok()).collect();
    Some((irq, (counts, (*words.last()?).to_owned())))
}

/// CPUs that take interrupts of these lines, in order.
#[must_use]
pub fn cpus_of(lines: &[InterruptLine]) -> Vec<u32> {
    distinct(lines.iter().flat_map(|l| l.cpus.iter().copied()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_of_a_virtio_disk_are_found_through_its_parent() {
        let tree = tempfile::tempdir().unwrap();
        let root = tree.path();
        let device = root.join("sys/devices/pci0/0000:00:02.0");
        std::fs::create_dir_all(device.join("msi_irqs")).unwrap();
        for irq in ["35", "36"] {
            std::fs::write(device.join("msi_irqs").join(irq), "msix").unwrap();
            std::fs::create_dir_all(root.join("proc/irq").join(irq)).unwrap();
            std::fs::write(root.join("proc/irq").join(irq).join("effective_affinity_list"), "1\n").unwrap();
        }
        std::fs::create_dir_all(device.join("virtio1/block/vda")).unwrap();
        std::fs::create_dir_all(root.join("sys/block/vda")).unwrap();
        let target = "../../devices/pci0/0000:00:02.0/virtio1";
        std::os::unix::fs::symlink(target, root.join("sys/block/vda/device")).unwrap();
        std::fs::write(
            root.join("proc/interrupts"),
            "           CPU0       CPU1\n 35:  0  0 PCI-MSIX-0000:00:02.0 0-edge virtio1-config\n 36:  0  31171 PCI-MSIX-0000:00:02.0 1-edge virtio1-req.0\n",
        )
        .unwrap();
        let lines = of_block_device(&Host::recorded(root), "vda");
        assert_eq!(lines.len(), 1);
        assert_eq!((lines[0].irq, lines[0].name.as_str()), (36, "virtio1-req.0"));
        assert_eq!((&lines[0].cpus, &lines[0].counts), (&vec![1], &vec![31_171]));
        assert_eq!(cpus_of(&lines), [1]);
        assert!(of_block_device(&Host::recorded(root), "loop0").is_empty());
    }

    #[test]
    fn of_an_adapter_the_interrupts_of_its_queues_count() {
        for (name, is_of_queue) in [
            ("virtio2-input.0", true),
            ("virtio2-config", false),
            ("eth0-TxRx-3", true),
            ("i40e-eth0-TxRx-0", true),
            ("i40e-0000:01:00.0:misc", false),
            ("mlx5_comp0@pci:0000:01:00.0", true),
            ("mlx5_async0@pci:0000:01:00.0", false),
            ("ena-mgmnt@pci:0000:00:05.0", false),
            ("eth0", true),
        ] {
            assert_eq!(carries(name), is_of_queue, "{name}");
        }
    }

    #[test]
    fn a_mapping_on_an_array_has_the_interrupts_of_its_disks() {
        let disk = |name: &str, function: &str, irq: u32| {
            let place = format!("/sys/devices/pci0/{function}");
            format!(
                "==> /sys/block/{name} -> ..{}/block/{name}\n\
                 ==> /sys/class/block/{name} -> ../..{}/block/{name}\n\
                 ==> {place}/block/{name}/device -> ../..\n==> {place}/msi_irqs/{irq}\nmsi\n\
                 ==> {place}/class\n0x010601\n==> {place}/vendor\n0x8086\n",
                &place[4..],
                &place[4..],
            )
        };
        let stack = |name: &str, below: &[&str]| {
            let links = below.iter().map(|b| format!("==> /sys/block/{name}/slaves/{b} -> ../../{b}\n"));
            links.collect::<String>()
        };
        let text = [
            disk("sda", "0000:00:17.0", 40),
            disk("sdb", "0000:00:17.0", 40),
            disk("sdc", "0000:01:00.0", 41),
            "==> /sys/class/block/sda1 -> ../../devices/pci0/0000:00:17.0/block/sda/sda1\n".to_owned(),
            "==> /sys/devices/pci0/0000:00:17.0/block/sda/sda1/partition\n1\n".to_owned(),
            stack("md0", &["sda1", "sdb", "sdc"]),
            stack("dm-0", &["md0", "dm-0"]),
            "==> /proc/interrupts\n   CPU0\n 40: 7 PCI-MSI ahci\n 41: 8 PCI-MSI ahci2\n".to_owned(),
        ];
        let host = Host::parse(&text.concat());
        let numbers = |name: &str| of_block_device(&host, name).iter().map(|l| l.irq).collect::<Vec<_>>();
        assert_eq!(numbers("dm-0"), [40, 41]);
        assert_eq!(numbers("sda1"), [40]);
        assert!(numbers("dm-9").is_empty());
        let controllers = |name: &str| controllers_of(&host, name).into_iter().collect::<Vec<_>>();
        let ahci = PathBuf::from("/sys/devices/pci0/0000:00:17.0");
        assert_eq!(controllers("sda1"), std::slice::from_ref(&ahci));
        assert_eq!(controllers("sda1"), controllers("sdb"));
        assert_eq!(controllers("dm-0"), [ahci.clone(), PathBuf::from("/sys/devices/pci0/0000:01:00.0")]);
        assert_eq!(others_on(&host, "sda1", &ahci), ["sdb"]);
        assert!(others_on(&host, "md0", &ahci).is_empty(), "it stands on both");
        assert_eq!(of_controller(&host, &ahci).iter().map(|l| l.irq).collect::<Vec<_>>(), [40]);
    }

    #[test]
    fn a_namespace_below_a_subsystem_has_the_queues_of_its_controllers() {
        let controller = |n: u32, function: &str| {
            let place = format!("/sys/devices/pci0/{function}/nvme/nvme{n}");
            format!(
                "==> /sys/devices/virtual/nvme-subsystem/nvme-subsys0/nvme{n} -> ../../../pci0/{function}/nvme/nvme{n}\n\
                 ==> {place}/transport\npcie\n==> /sys/devices/pci0/{function}/msi_irqs/{0}\nmsix\n\
                 ==> /sys/devices/pci0/{function}/msi_irqs/{1}\nmsix\n",
                50 + 10 * n,
                51 + 10 * n
            )
        };
        let text = [
            "==> /sys/block/nvme0n1 -> ../devices/virtual/nvme-subsystem/nvme-subsys0/nvme0n1\n".to_owned(),
            "==> /sys/devices/virtual/nvme-subsystem/nvme-subsys0/nvme0n1/device -> ../../nvme-subsys0\n"
                .to_owned(),
            controller(0, "0000:01:00.0"),
            controller(1, "0000:02:00.0"),
            "==> /proc/interrupts\n   CPU0\n 50: 9 PCI-MSIX nvme0q0\n 51: 8 PCI-MSIX nvme0q1\n\
              60: 9 PCI-MSIX nvme1q0\n 61: 7 PCI-MSIX nvme1q10\n"
                .to_owned(),
        ];
        let lines = of_block_device(&Host::parse(&text.concat()), "nvme0n1");
        let names: Vec<(u32, &str)> = lines.iter().map(|l| (l.irq, l.name.as_str())).collect();
        assert_eq!(names, [(51, "nvme0q1"), (61, "nvme1q10")]);
    }
}
