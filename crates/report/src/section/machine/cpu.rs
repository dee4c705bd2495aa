//! The processors: what lscpu shows, with clock rate, sleep and mitigations.

use model::Unit;
use model::machine::{Cpu, Frequency, FrequencyPolicy, Idle};

use super::layout::number_list;
use super::{Detail, pairs};
use crate::format;
use crate::text::{counted, facts, glued, groups};

/// The section's body.
pub(super) fn text(cpu: &Cpu, detail: Detail) -> String {
    if *cpu == Cpu::default() {
        return String::new();
    }
    let mut rows = pairs();
    rows.add("model", cpu.model.as_deref().map(words))
        .add("layout", layout(cpu))
        .add("CPUs", cpus(cpu))
        .add("cores", core_kinds(cpu))
        .add("signature", facts([cpu.vendor.clone(), cpu.signature.clone()]))
        .add("microcode", cpu.microcode.clone())
        .add("caches", caches(cpu));
    if let Some(frequency) = &cpu.frequency {
        let groups = frequency.policies.iter().map(policy);
        rows.list("clock rate", groups.chain([rates(frequency)]));
        rows.add("", chosen_by(frequency));
    }
    if let Some(idle) = &cpu.idle {
        rows.list("sleep", sleep(idle));
    }
    rows.add("features", cpu.flags.join(" ")).list("flaws", flaws(cpu, detail));
    rows.text()
}

/// A model without the rows of spaces that some have.
fn words(model: &str) -> String {
    model.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Packages, cores and threads, and the nodes that hold them.
fn layout(cpu: &Cpu) -> Option<String> {
    if cpu.topology.is_empty() {
        return None;
    }
    let mut nodes: Vec<u32> = cpu.topology.iter().filter_map(|p| p.node).collect();
    nodes.sort_unstable();
    nodes.dedup();
    let threads = cpu.threads_per_core();
    Some(facts([
        Some(counted(cpu.packages(), "package")),
        Some(counted(cpu.cores(), "core")),
        Some(format!("{threads} thread{} a core", if threads == 1 { "" } else { "s" })),
        (nodes.len() > 1).then(|| counted(nodes.len(), "NUMA node")),
    ]))
}

fn cpus(cpu: &Cpu) -> Option<String> {
    let online = number_list(&cpu.online);
    let allowed = number_list(&cpu.allowed);
    match (online.is_empty(), allowed == online || allowed.is_empty()) {
        (true, true) => None,
        (false, true) => Some(online),
        (true, false) => Some(format!("{allowed} allowed")),
        (false, false) => Some(format!("{online}, of which {allowed} are allowed")),
    }
}

/// `Cortex-A53 0-3, Cortex-A72 4-5`.
fn core_kinds(cpu: &Cpu) -> String {
    facts(cpu.core_kinds.iter().map(|kind| Some(format!("{} {}", kind.model, number_list(&kind.cpus)))))
}

/// `L1d 4 x 32 KiB, L2 4 x 256 KiB`; where only CPU 0's are known, those.
fn caches(cpu: &Cpu) -> String {
    let kinds = cpu.cache_kinds.iter().map(|c| {
        let letter = match c.kind.as_str() {
            "Data" => "d",
            "Instruction" => "i",
            _ => "",
        };
        Some(format!("L{}{letter} {} x {}", c.level, c.instances, format::binary(c.bytes)))
    });
    if cpu.cache_kinds.is_empty() {
        facts(cpu.caches.iter().map(|c| Some(format!("L{} {}", c.level, format::binary(c.bytes)))))
    } else {
        facts(kinds)
    }
}

fn hertz(hz: u64) -> String {
    format::setting(hz as f64, Unit::Hertz)
}

/// The rates that policy allows.
fn allowed(min_hz: Option<u64>, max_hz: Option<u64>) -> Option<String> {
    match (min_hz, max_hz) {
        (Some(min), Some(max)) => Some(format!("{} to {}", hertz(min), hertz(max))),
        (None, Some(max)) => Some(format!("at most {}", hertz(max))),
        (Some(min), None) => Some(format!("at least {}", hertz(min))),
        (None, None) => None,
    }
}

fn hardware(hardware_max_hz: Option<u64>, max_hz: Option<u64>) -> Option<String> {
    hardware_max_hz.filter(|hz| Some(*hz) != max_hz).map(|hz| format!("hardware at most {}", hertz(hz)))
}

/// The rates of CPUs that differ from others in them.
fn policy(p: &FrequencyPolicy) -> String {
    let cpus = format!("CPU {}", number_list(&p.cpus));
    facts([Some(cpus), allowed(p.min_hz, p.max_hz), hardware(p.hardware_max_hz, p.max_hz)])
}

fn rates(f: &Frequency) -> String {
    let is_one = f.policies.is_empty();
    let turbo = f.boost.map(|on| if on { "turbo on" } else { "turbo off" }.to_owned());
    // Turbo without a rate of its own: nobody says how high it goes.
    let is_open = f.boost == Some(true) && f.hardware_max_hz.is_none() && f.base_hz.is_some();
    facts([
        if is_one { allowed(f.min_hz, f.max_hz) } else { None },
        f.base_hz.map(|hz| format!("base {}", hertz(hz))),
        if is_one { hardware(f.hardware_max_hz, f.max_hz) } else { None },
        turbo,
        is_open.then(|| "highest not known".to_owned()),
    ])
}

fn chosen_by(f: &Frequency) -> String {
    let listed =
        |name: &str, all: &[String]| (!all.is_empty()).then(|| format!("{name} {}", all.join(" and ")));
    facts([
        f.driver.as_ref().map(|d| format!("driver {d}")),
        listed("governor", &f.governors),
        listed("preference", &f.preferences),
    ])
}

fn sleep(idle: &Idle) -> Vec<String> {
    let by = facts([
        idle.driver.as_ref().map(|d| format!("driver {d}")),
        idle.governor.as_ref().map(|g| format!("governor {g}")),
    ]);
    let states = facts(idle.states.iter().map(|s| {
        let off = if s.disabled { " (off)" } else { "" };
        Some(format!("{} {}{off}", s.name, format::setting(s.exit_latency_s, Unit::Seconds)))
    }));
    vec![by, if states.is_empty() { states } else { format!("waking from {states}") }]
}

/// What the kernel does against flaws; what is not affected in one line.
fn flaws(cpu: &Cpu, detail: Detail) -> Vec<String> {
    let unaffected: Vec<&str> = cpu
        .mitigations
        .iter()
        .filter(|(_, state)| *state == "Not affected")
        .map(|(name, _)| name.as_str())
        .collect();
    let mut lines: Vec<String> = cpu
        .mitigations
        .iter()
        .filter(|(_, state)| *state != "Not affected")
        .map(|(name, state)| {
            // The mitigation is the usual; whatever is not, stands out.
            let state = match detail {
                Detail::Usual => state.strip_prefix("Mitigation: ").unwrap_or(state),
                Detail::All => state,
            };
            format!("{name}: {state}")
        })
        .collect();
    if !unaffected.is_empty() {
        let names = unaffected.iter().map(|n| glued((*n).to_owned())).collect::<Vec<_>>().join(", ");
        lines.push(groups([Some(format!("not affected: {names}"))]));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::machine::CoreKind;

    #[test]
    fn cpus_of_two_kinds_stand_with_their_rates() {
        let policy = |cpus: &[u32], max_hz| FrequencyPolicy {
            cpus: cpus.to_vec(),
            min_hz: Some(408_000_000),
            max_hz: Some(max_hz),
            hardware_max_hz: Some(max_hz),
        };
        let kind = |model: &str, cpus: &[u32]| CoreKind { model: model.to_owned(), cpus: cpus.to_vec() };
        let frequency = Frequency {
            max_hz: Some(1_800_000_000),
            policies: vec![policy(&[0, 1, 2, 3], 1_416_000_000), policy(&[4, 5], 1_800_000_000)],
            ..Frequency::default()
        };
        let core_kinds = vec![kind("Cortex-A53", &[0, 1, 2, 3]), kind("Cortex-A72", &[4, 5])];
        let cpu = Cpu { core_kinds, frequency: Some(frequency), ..Cpu::default() };
        let expected = "  cores          Cortex-A53 0-3, Cortex-A72 4-5\n\
                        \x20 clock rate     CPU 0-3, 408 MHz to 1.416 GHz\n\
                        \x20                CPU 4-5, 408 MHz to 1.8 GHz\n";
        assert_eq!(super::text(&cpu, Detail::Usual).replace('\u{a0}', " "), expected);
    }

    #[test]
    fn turbo_without_a_rate_says_so() {
        let frequency = Frequency {
            min_hz: Some(1_200_000_000),
            base_hz: Some(2_667_000_000),
            boost: Some(true),
            ..Frequency::default()
        };
        let said = rates(&frequency).replace('\u{a0}', " ");
        assert_eq!(said, "at least 1.2 GHz, base 2.667 GHz, turbo on, highest not known");
    }
}
