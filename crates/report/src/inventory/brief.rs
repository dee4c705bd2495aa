//! A machine in a line.

use language::Words;
use model::Machine;
use model::machine::{Cpu, Inventory};

use crate::format;

/// `Xeon E3-1220 v6, 4 cores; 32 GiB; Debian 12, Linux 6.1; KVM guest`.
pub(crate) fn line(words: &Words, machine: &Machine) -> String {
    let inventory = &machine.inventory;
    let bytes = Some(inventory.memory.total_bytes).filter(|b| *b > 0).map(format::binary);
    let groups = [
        Some(processors(words, &inventory.cpu)),
        bytes,
        Some(software(inventory)),
        held_by(words, inventory),
    ];
    let groups: Vec<String> = groups.into_iter().flatten().filter(|g| !g.is_empty()).collect();
    groups.join("; ")
}

/// What a machine is called; a recording has letters without meaning for a name.
pub(crate) fn name(machine: &Machine) -> Option<&str> {
    let name = machine.hostname.trim();
    name.chars().any(|c| c.is_alphanumeric() && !matches!(c, 'x' | '0')).then_some(name)
}

fn processors(words: &Words, cpu: &Cpu) -> String {
    let model = cpu.model.as_deref().map_or_else(|| words.say("machine-no-cpu"), short_model);
    let model = match cpu.packages() {
        0 | 1 => model,
        several => format!("{several} × {model}"),
    };
    format!("{model}, {}", counts(words, cpu))
}

/// Cores and threads, and how many of them a program may use.
pub(crate) fn counts(words: &Words, cpu: &Cpu) -> String {
    let online = cpu.online.len().max(cpu.allowed.len());
    let mut parts = match (cpu.cores(), cpu.threads_per_core()) {
        (0, _) => vec![words.count("machine-cpus", online)],
        (cores, 0 | 1) => vec![words.count("machine-cores", cores)],
        (cores, _) => vec![words.count("machine-cores", cores), words.count("machine-threads", online)],
    };
    if !cpu.allowed.is_empty() && cpu.allowed.len() < cpu.online.len() {
        parts.push(words.count("machine-allowed", cpu.allowed.len()));
    }
    parts.join(", ")
}

fn software(inventory: &Inventory) -> String {
    let os = inventory.os.as_deref().map(|os| os.split(" (").next().unwrap_or(os).replace("GNU/Linux ", ""));
    let kernel = (!inventory.kernel.is_empty()).then(|| {
        let release: Vec<&str> = inventory.kernel.split(['.', '-']).take(2).collect();
        format!("Linux {}", release.join("."))
    });
    [os, kernel].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// A processor's name without what every name has: `Intel(R) Xeon(R) CPU E3-1220
/// v6 @ 3.00GHz` is a Xeon E3-1220 v6.
pub(crate) fn short_model(model: &str) -> String {
    let plain = model.replace("(R)", " ").replace("(TM)", " ").replace("(tm)", " ");
    let before_rate = plain.split(" @ ").next().unwrap_or(&plain);
    let words: Vec<&str> = before_rate
        .split_whitespace()
        .filter(|w| {
            !matches!(*w, "Intel" | "AMD" | "CPU" | "Processor" | "processor") && !w.ends_with("-Core")
        })
        .collect();
    if words.is_empty() { model.to_owned() } else { words.join(" ") }
}

/// What it is a guest of.
pub(crate) fn held_by(words: &Words, inventory: &Inventory) -> Option<String> {
    let guest = inventory.system.virtualization.as_deref().map(|v| {
        let name = match v {
            "kvm" => "KVM",
            "vmware" => "VMware",
            "xen" => "Xen",
            "hyperv" => "Hyper-V",
            "firecracker" => "Firecracker",
            other => other,
        };
        words.tell("machine-guest", &[("of", name.into())])
    });
    let container =
        inventory.system.container.as_deref().map(|c| words.tell("machine-container", &[("of", c.into())]));
    let both: Vec<String> = [guest, container].into_iter().flatten().collect();
    (!both.is_empty()).then(|| both.join(", "))
}

#[cfg(test)]
mod tests {
    use language::Language;
    use model::machine::{CpuPlace, Memory, System};

    use super::*;

    fn told(machine: &Machine) -> String {
        line(Language::English.words(), machine)
    }

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
        assert_eq!(told(&m), "Xeon E3-1220 v6, 4 cores; 31.3 GiB; Debian 12, Linux 6.1");
        m.inventory.system = System { virtualization: Some("kvm".to_owned()), ..System::default() };
        assert_eq!(told(&m), "Xeon E3-1220 v6, 4 cores; 31.3 GiB; Debian 12, Linux 6.1; KVM guest");
    }

    #[test]
    fn packages_threads_and_what_is_allowed_are_told() {
        let mut m = machine(2, 8, 2);
        m.inventory.cpu.allowed = vec![0, 1];
        m.inventory.cpu.model = Some("AMD EPYC 7282 16-Core Processor".to_owned());
        assert!(
            told(&m).starts_with("2 × EPYC 7282, 16 cores, 32 threads, 2 of them allowed; "),
            "{}",
            told(&m)
        );
    }

    #[test]
    fn what_is_unknown_is_left_out() {
        let text = told(&Machine::default());
        assert_eq!(text, "unknown processor, 0 CPUs");
    }
}
