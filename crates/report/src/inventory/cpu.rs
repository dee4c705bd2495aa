//! The processors: what lscpu shows, with clock rate, sleep and mitigations.

use model::Unit;
use model::machine::{Cpu, Frequency, FrequencyPolicy, Idle, Inventory};

use super::layout::number_list;
use super::{Detail, Pairs, pairs};
use crate::format;
use crate::text::{counted, facts, groups};

/// The section's body.
pub(super) fn text(inventory: &Inventory, detail: Detail) -> String {
    let cpu = &inventory.cpu;
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
        .add("caches", caches(cpu, inventory.system.virtualization.is_some()));
    if let Some(frequency) = &cpu.frequency {
        let groups = frequency.policies.iter().map(policy);
        rows.list("clock rate", groups.chain([rates(frequency)]));
        rows.add("", chosen_by(frequency));
    }
    if let Some(idle) = &cpu.idle {
        rows.list("sleep", sleep(idle));
    }
    rows.add("features", cpu.flags.join(" "));
    flaws(&mut rows, cpu, detail);
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

/// `L1d 4 x 32 KiB, L2 4 x 256 KiB`; where only CPU 0's are known, those. A
/// guest often sees its host's, of which it has a share.
fn caches(cpu: &Cpu, is_guest: bool) -> String {
    let kinds = cpu.cache_kinds.iter().map(|c| {
        let letter = match c.kind.as_str() {
            "Data" => "d",
            "Instruction" => "i",
            _ => "",
        };
        Some(format!("L{}{letter} {} x {}", c.level, c.instances, format::part(c.bytes)))
    });
    let all = if cpu.cache_kinds.is_empty() {
        facts(cpu.caches.iter().map(|c| Some(format!("L{} {}", c.level, format::part(c.bytes)))))
    } else {
        facts(kinds)
    };
    let claimed = (is_guest && !all.is_empty()).then(|| "as the hypervisor claims".to_owned());
    groups([Some(all), claimed])
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

/// The known flaws by what stands between them and a program: nothing, the
/// kernel, or the processor, which has none of it.
fn flaws(rows: &mut Pairs, cpu: &Cpu, detail: Detail) {
    let mut groups: [(&str, Vec<String>); 4] =
        ["vulnerable", "mitigated", "unknown", "not affected"].map(|title| (title, Vec::new()));
    for (name, state) in &cpu.mitigations {
        let (place, how) = judged(state);
        let how = match detail {
            Detail::Usual => how,
            Detail::All => state.clone(),
        };
        let says =
            if how.is_empty() || place == UNAFFECTED { name.clone() } else { format!("{name}: {how}") };
        groups[place].1.push(says);
    }
    let counts =
        groups.iter().map(|(title, all)| (!all.is_empty()).then(|| format!("{} {title}", all.len())));
    rows.add("flaws", facts(counts));
    for (place, (title, all)) in groups.into_iter().enumerate() {
        if place == UNAFFECTED {
            rows.add(title, facts(all.into_iter().map(Some)));
        } else {
            rows.list(title, all);
        }
    }
}

/// The place of the group that needs no more words than its names.
pub(crate) const UNAFFECTED: usize = 3;

/// The group of a flaw's state, and the state without what its group says, by
/// the kernel's words for each (`Documentation/ABI/testing/sysfs-devices-system-cpu`,
/// "vulnerabilities"; `KVM: Mitigation: Split huge pages` among them).
pub(crate) fn judged(state: &str) -> (usize, String) {
    const VULNERABLE: &str = "Vulnerable";
    let rest = |word: &str| state.replacen(word, "", 1).trim_start_matches([':', ',', ';', ' ']).to_owned();
    if state == "Not affected" {
        (UNAFFECTED, String::new())
    } else if state.starts_with(VULNERABLE) {
        (0, rest(VULNERABLE))
    } else if state.contains("Mitigation: ") {
        (1, rest("Mitigation: "))
    } else if state.contains(VULNERABLE) || state.contains("vulnerable") {
        (0, state.to_owned())
    } else {
        (2, rest("Unknown"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::machine::{Cache, CacheKind, CoreKind, System};

    #[test]
    fn a_mitigated_flaw_does_not_read_like_one_that_is_open() {
        for (state, place, how) in [
            ("Mitigation: PTE Inversion; VMX: vulnerable", 1, "PTE Inversion; VMX: vulnerable"),
            ("KVM: Mitigation: Split huge pages", 1, "KVM: Split huge pages"),
            ("Vulnerable", 0, ""),
            ("Vulnerable: Safe RET, no microcode", 0, "Safe RET, no microcode"),
            ("Vulnerable; SMT vulnerable", 0, "SMT vulnerable"),
            ("KVM: Vulnerable", 0, "KVM: Vulnerable"),
            ("Processor vulnerable", 0, "Processor vulnerable"),
            ("Unknown: Dependent on hypervisor status", 2, "Dependent on hypervisor status"),
            ("Not affected", UNAFFECTED, ""),
        ] {
            assert_eq!(judged(state), (place, how.to_owned()), "{state}");
        }
        let mut cpu = Cpu::default();
        for (name, state) in
            [("l1tf", "Mitigation: PTE Inversion"), ("mds", "Vulnerable"), ("srbds", "Not affected")]
        {
            cpu.mitigations.insert(name.to_owned(), state.to_owned());
        }
        let inventory = Inventory { cpu, ..Inventory::default() };
        let expected = "  flaws          1 vulnerable, 1 mitigated, 1 not affected\n  \
                        vulnerable     mds\n  mitigated      l1tf: PTE Inversion\n  not affected   srbds\n";
        assert_eq!(text(&inventory, Detail::Usual), expected);
    }

    #[test]
    fn caches_of_a_guest_are_what_its_hypervisor_claims() {
        let kind = CacheKind { level: 2, kind: "Unified".to_owned(), bytes: 1280 << 10, instances: 32 };
        let cache = Cache { level: 3, bytes: 480 << 20, shared_by: vec![0] };
        let mut inventory = Inventory::default();
        inventory.cpu.caches = vec![cache];
        assert_eq!(text(&inventory, Detail::Usual), "  caches         L3 480 MiB\n");
        inventory.cpu.cache_kinds = vec![kind];
        inventory.system = System { virtualization: Some("kvm".to_owned()), ..System::default() };
        let expected = "  caches         L2 32 x 1.25 MiB; as the hypervisor claims\n";
        assert_eq!(text(&inventory, Detail::Usual), expected);
        inventory.cpu.caches.clear();
        inventory.cpu.cache_kinds.clear();
        assert!(!text(&inventory, Detail::Usual).contains("claims"));
    }

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
        let inventory = Inventory { cpu, ..Inventory::default() };
        assert_eq!(text(&inventory, Detail::Usual).replace('\u{a0}', " "), expected);
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
