//! Which CPUs take a block device's interrupts.

use std::path::{Path, PathBuf};

use model::trial::InterruptLine;

use crate::Host;

/// The interrupt lines of block device `name` (`vda`, `nvme0n1`) that carry
/// completions, as far as sysfs shows them: those of the nearest PCI device
/// above it. Empty for devices without, such as loop or zram.
#[must_use]
pub fn of_block_device(host: &Host, name: &str) -> Vec<InterruptLine> {
    let Some(mut folder) = host.resolve(format!("/sys/block/{name}/device")).map(PathBuf::from) else {
        return Vec::new();
    };
    while folder.starts_with("/sys/devices") {
        let numbers = message_interrupts(host, &folder);
        if !numbers.is_empty() {
            return lines(host, &numbers);
        }
        // A PCI function without message interrupts: those above it are a
        // bridge's.
        if host.exists(folder.join("vendor")) && host.exists(folder.join("class")) {
            return Vec::new();
        }
        if !folder.pop() {
            break;
        }
    }
    Vec::new()
}

fn message_interrupts(host: &Host, folder: &Path) -> Vec<u32> {
    let mut numbers: Vec<u32> =
        host.names(folder.join("msi_irqs")).iter().filter_map(|name| name.parse().ok()).collect();
    numbers.sort_unstable();
    numbers
}

fn lines(host: &Host, numbers: &[u32]) -> Vec<InterruptLine> {
    let table = host.text("/proc/interrupts").unwrap_or_default();
    let columns: Vec<u32> = table
        .lines()
        .next()
        .unwrap_or_default()
        .split_whitespace()
        .filter_map(|c| c.strip_prefix("CPU")?.parse().ok())
        .collect();
    numbers
        .iter()
        .filter_map(|irq| {
            let (counts, name) = table_line(&table, *irq, columns.len())?;
            let cpus = host
                .cpu_list(format!("/proc/irq/{irq}/effective_affinity_list"))
                .or_else(|| host.cpu_list(format!("/proc/irq/{irq}/smp_affinity_list")))
                .unwrap_or_default();
            let count = |cpu: &u32| {
                columns.iter().position(|c| c == cpu).and_then(|i| counts.get(i)).copied().unwrap_or(0)
            };
            let counts = cpus.iter().map(count).collect();
            // Lines for configuration changes carry no completions.
            let carries = !name.ends_with("-config");
            carries.then_some(InterruptLine { irq: *irq, name, cpus, counts })
        })
        .collect()
}

/// Counts by column and the last word of the line of `irq`.
fn table_line(table: &str, irq: u32, columns: usize) -> Option<(Vec<u64>, String)> {
    let rest = table.lines().find_map(|line| {
        let (number, rest) = line.split_once(':')?;
        (number.trim().parse() == Ok(irq)).then_some(rest)
    })?;
    let words: Vec<&str> = rest.split_whitespace().collect();
    let counts = words.iter().take(columns).filter_map(|w| w.parse().ok()).collect();
    Some((counts, (*words.last()?).to_owned()))
}

/// CPUs that take interrupts of these lines, in order.
#[must_use]
pub fn cpus_of(lines: &[InterruptLine]) -> Vec<u32> {
    let mut cpus: Vec<u32> = lines.iter().flat_map(|l| l.cpus.iter().copied()).collect();
    cpus.sort_unstable();
    cpus.dedup();
    cpus
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
}
