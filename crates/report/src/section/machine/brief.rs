//! A machine in one line: `db1: 2 x Xeon Gold 6148, 40 cores; 768 GiB; Debian
//! 12, Linux 6.1; KVM guest`.

use model::Machine;
use model::machine::{Cpu, Inventory};

use crate::format;
use crate::text::{counted, printable};

/// The line.
pub(crate) fn line(machine: &Machine) -> String {
    let inventory = &machine.inventory;
    let groups =
        [Some(processors(&inventory.cpu)), memory(inventory), Some(software(inventory)), held_by(inventory)];
    let about: Vec<String> = groups.into_iter().flatten().filter(|g| !g.is_empty()).collect();
    let name = printable(machine.hostname.trim());
    // A recording has letters without meaning for a name.
    let masked = name.chars().all(|c| !c.is_alphanumeric() || matches!(c, 'x' | '0'));
    if masked { about.join("; ") } else { format!("{name}: {}", about.join("; ")) }
}

fn processors(cpu: &Cpu) -> String {
    let model = cpu.model.as_deref().map_or_else(|| "unknown processor".to_owned(), short_model);
    let packages = match cpu.packages() {
        0 | 1 => String::new(),
        n => format!("{n} x "),
    };
    let (cores, threads) = (cpu.cores(), cpu.threads_per_core());
    let online = cpu.online.len().max(cpu.allowed.len());
    let mut parts = vec![format!("{packages}{model}")];
    match (cores, threads) {
        (0, _) => parts.push(counted(online, "CPU")),
        (_, 0 | 1) => parts.push(counted(cores, "core")),
        _ => parts.push(format!("{}, {}", counted(cores, "core"), counted(online, "thread"))),
    }
    if !cpu.allowed.is_empty() && cpu.allowed.len() < cpu.online.len() {
        parts.push(format!("{} of them allowed", cpu.allowed.len()));
    }
    parts.join(", ")
}

/// A processor's name without what every name has: `Intel(R) Xeon(R) CPU E3-1220
/// v6 @ 3.00GHz` is a Xeon E3-1220 v6.
pub(crate) fn short_model(model: &str) -> String {
    let printed = printable(model);
    let plain = printed.replace("(R)", " ").replace("(TM)", " ").replace("(tm)", " ");
    let before_rate = plain.split(" @ ").next().unwrap_or(&plain);
    let words: Vec<&str> = before_rate
        .split_whitespace()
        .filter(|w| {
            !matches!(*w, "Intel" | "AMD" | "CPU" | "Processor" | "processor") && !w.ends_with("-Core")
        })
        .collect();
    if words.is_empty() { printed } else { words.join(" ") }
}

/// What is built in, or else what the kernel has.
fn memory(inventory: &Inventory) -> Option<String> {
    let memory = &inventory.memory;
    let modules = memory.modules.iter().fold(0u64, |sum, m| sum.saturating_add(m.bytes));
    // A guest's tables may tell of its host.
    let built_in = (memory.total_bytes..memory.total_bytes.saturating_mul(2)).contains(&modules);
    let bytes = if built_in { modules } else { memory.total_bytes };
    (bytes > 0).then(|| format::binary(bytes))
}

fn software(inventory: &Inventory) -> String {
    let os = inventory.os.as_deref().map(|os| {
        let before_name = os.split(" (").next().unwrap_or(os);
        printable(&before_name.replace("GNU/Linux ", ""))
    });
    let kernel =
        (!inventory.kernel.is_empty()).then(|| format!("Linux {}", short_release(&inventory.kernel)));
    [os, kernel].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// The first two numbers of a kernel's release: what changes less is the
/// matter of the whole inventory.
fn short_release(release: &str) -> String {
    let mut numbers = release.split(['.', '-']);
    match (numbers.next(), numbers.next()) {
        (Some(major), Some(minor)) if [major, minor].iter().all(|n| n.parse::<u32>().is_ok()) => {
            format!("{major}.{minor}")
        }
        _ => printable(release),
    }
}

fn held_by(inventory: &Inventory) -> Option<String> {
    let guest = inventory.system.virtualization.as_deref().map(|v| match v {
        "kvm" => "KVM guest".to_owned(),
        "vmware" => "VMware guest".to_owned(),
        "xen" => "Xen guest".to_owned(),
        "hyperv" => "Hyper-V guest".to_owned(),
        other => format!("{} guest", printable(other)),
    });
    let container = inventory.system.container.as_deref().map(|c| format!("in {}", printable(c)));
    let both: Vec<String> = [guest, container].into_iter().flatten().collect();
    (!both.is_empty()).then(|| both.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::machine::{CpuPlace, Memory, MemoryModule, System};

    fn machine(packages: u32, cores: u32, threads: u32) -> Machine {
        let mut topology = Vec::new();
        for cpu in 0..packages * cores * threads {
            let core = cpu % (packages * cores);
            topology.push(CpuPlace { cpu, core: core % cores, package: core / cores, ..CpuPlace::default() });
        }
        let online: Vec<u32> = (0..packages * cores * threads).collect();
        let cpu = Cpu {
            model: Some("Intel(R) Xeon(R) CPU E3-1220 v6 @ 3.00GHz".to_owned()),
            allowed: online.clone(),
            online,
            topology,
            ..Cpu::default()
        };
        let inventory = Inventory {
            kernel: "6.1.0-18-amd64".to_owned(),
            os: Some("Debian GNU/Linux 12 (bookworm)".to_owned()),
            cpu,
            memory: Memory { total_bytes: 33_566_695_424, ..Memory::default() },
            ..Inventory::default()
        };
        Machine { hostname: "db1".to_owned(), inventory, ..Machine::default() }
    }

    #[test]
    fn a_machine_is_one_line() {
        let mut m = machine(1, 4, 1);
        assert_eq!(line(&m), "db1: Xeon E3-1220 v6, 4 cores; 31.3 GiB; Debian 12, Linux 6.1");
        m.inventory.memory.modules = vec![MemoryModule { bytes: 16 << 30, ..MemoryModule::default() }; 2];
        m.inventory.system = System { virtualization: Some("kvm".to_owned()), ..System::default() };
        m.hostname = "xx0".to_owned();
        assert_eq!(line(&m), "Xeon E3-1220 v6, 4 cores; 32 GiB; Debian 12, Linux 6.1; KVM guest");
    }

    #[test]
    fn packages_threads_and_what_is_allowed_are_told() {
        let mut m = machine(2, 8, 2);
        m.inventory.cpu.allowed = vec![0, 1];
        m.inventory.cpu.model = Some("AMD EPYC 7282 16-Core Processor".to_owned());
        assert!(
            line(&m).starts_with("db1: 2 x EPYC 7282, 16 cores, 32 threads, 2 of them allowed; "),
            "{}",
            line(&m)
        );
    }

    #[test]
    fn what_is_unknown_is_left_out() {
        let text = line(&Machine::default());
        assert_eq!(text, "unknown processor, 0 CPUs");
    }
}
