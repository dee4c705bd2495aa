//! A machine in a line.

use model::Machine;
use model::machine::{Cpu, Inventory};

use crate::format;
use crate::page::View;
use crate::section::machine::brief::short_model;

/// `Xeon E3-1220 v6, 4 cores; 32 GiB; Debian 12, Linux 6.1; KVM guest`.
pub(in crate::page) fn line(view: &View<'_>, machine: &Machine) -> String {
    let inventory = &machine.inventory;
    let bytes = Some(inventory.memory.total_bytes).filter(|b| *b > 0).map(format::binary);
    let groups =
        [Some(processors(view, &inventory.cpu)), bytes, Some(software(inventory)), held_by(view, inventory)];
    let groups: Vec<String> = groups.into_iter().flatten().filter(|g| !g.is_empty()).collect();
    groups.join("; ")
}

fn processors(view: &View<'_>, cpu: &Cpu) -> String {
    let model = cpu.model.as_deref().map_or_else(|| view.say("machine-no-cpu"), short_model);
    let model = match cpu.packages() {
        0 | 1 => model,
        several => format!("{several} × {model}"),
    };
    format!("{model}, {}", counts(view, cpu))
}

/// Cores and threads, and how many of them a program may use.
pub(super) fn counts(view: &View<'_>, cpu: &Cpu) -> String {
    let online = cpu.online.len().max(cpu.allowed.len());
    let mut parts = match (cpu.cores(), cpu.threads_per_core()) {
        (0, _) => vec![view.count("machine-cpus", online)],
        (cores, 0 | 1) => vec![view.count("machine-cores", cores)],
        (cores, _) => vec![view.count("machine-cores", cores), view.count("machine-threads", online)],
    };
    if !cpu.allowed.is_empty() && cpu.allowed.len() < cpu.online.len() {
        parts.push(view.count("machine-allowed", cpu.allowed.len()));
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

/// What it is a guest of.
pub(super) fn held_by(view: &View<'_>, inventory: &Inventory) -> Option<String> {
    let guest = inventory.system.virtualization.as_deref().map(|v| {
        let name = match v {
            "kvm" => "KVM",
            "vmware" => "VMware",
            "xen" => "Xen",
            "hyperv" => "Hyper-V",
            "firecracker" => "Firecracker",
            other => other,
        };
        view.tell("machine-guest", &[("of", name)])
    });
    let container =
        inventory.system.container.as_deref().map(|c| view.tell("machine-container", &[("of", c)]));
    let both: Vec<String> = [guest, container].into_iter().flatten().collect();
    (!both.is_empty()).then(|| both.join(", "))
}
