//! The processors: which may be used, how they sleep, what they can do, and what
//! stands against their flaws.

use model::Unit;
use model::machine::{Cpu, Frequency, FrequencyPolicy, Idle, Inventory};

use super::layout::{Pairs, number_list};
use crate::format;
use crate::text::facts;

/// What the list of parts does not say.
pub(super) fn details(inventory: &Inventory) -> Pairs {
    let cpu = &inventory.cpu;
    let has_caches = !cpu.caches.is_empty() || !cpu.cache_kinds.is_empty();
    let is_claimed = has_caches && inventory.system.virtualization.is_some();
    let mut rows = Pairs::default();
    rows.add("maker", cpu.vendor.clone())
        .add("CPUs", cpus(cpu))
        .add("cores", Some(core_kinds(cpu)))
        .add("caches", is_claimed.then(|| "as the hypervisor claims".to_owned()));
    if let Some(frequency) = &cpu.frequency {
        rows.add("clock rate", frequency.policies.iter().map(policy).chain([rates(frequency)]));
    }
    if let Some(idle) = &cpu.idle {
        rows.add("sleep", sleep(idle));
    }
    rows.add("features", Some(cpu.flags.join(" ")));
    flaws(&mut rows, cpu);
    rows
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
    // Turbo without a rate of its own: nobody says how high it goes.
    let is_open = f.boost == Some(true) && f.hardware_max_hz.is_none() && f.base_hz.is_some();
    let hardware = if f.policies.is_empty() { hardware(f.hardware_max_hz, f.max_hz) } else { None };
    let preferences = Some(f.preferences.join(" and ")).filter(|p| !p.is_empty());
    facts([
        hardware,
        is_open.then(|| "highest not known".to_owned()),
        preferences.map(|p| format!("preference {p}")),
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

/// What stands between each known flaw and a program: nothing, the kernel, or the
/// processor, which has none of it.
fn flaws(rows: &mut Pairs, cpu: &Cpu) {
    let mut groups: [(&str, Vec<String>); 4] =
        ["vulnerable", "mitigated", "unknown", "not affected"].map(|title| (title, Vec::new()));
    for (name, state) in &cpu.mitigations {
        let (place, how) = judged(state);
        groups[place].1.push(if how.is_empty() { name.clone() } else { format!("{name}: {how}") });
    }
    let [.., (unaffected, names)] = &mut groups;
    let names = facts(std::mem::take(names).into_iter().map(Some));
    let unaffected = *unaffected;
    for (title, all) in groups {
        rows.add(title, all);
    }
    rows.add(unaffected, Some(names));
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
    use crate::document::Block;
    use model::machine::{Cache, CoreKind, System};

    fn shown(inventory: &Inventory) -> Vec<String> {
        let Some(Block::Pairs(pairs)) = details(inventory).blocks() else { return Vec::new() };
        pairs.iter().map(|(name, text)| format!("{name}: {}", text.words()).replace('\u{a0}', " ")).collect()
    }

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
        let expected = ["vulnerable: mds", "mitigated: l1tf: PTE Inversion", "not affected: srbds"];
        assert_eq!(shown(&inventory), expected);
    }

    #[test]
    fn caches_of_a_guest_are_what_its_hypervisor_claims() {
        let mut inventory = Inventory::default();
        inventory.cpu.caches = vec![Cache { level: 3, bytes: 480 << 20, shared_by: vec![0] }];
        assert!(shown(&inventory).is_empty());
        inventory.system = System { virtualization: Some("kvm".to_owned()), ..System::default() };
        assert_eq!(shown(&inventory), ["caches: as the hypervisor claims"]);
        inventory.cpu.caches.clear();
        assert!(shown(&inventory).is_empty());
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
        let inventory = Inventory { cpu, ..Inventory::default() };
        let expected = [
            "cores: Cortex-A53 0-3, Cortex-A72 4-5",
            "clock rate: CPU 0-3, 408 MHz to 1.416 GHz",
            "clock rate: CPU 4-5, 408 MHz to 1.8 GHz",
        ];
        assert_eq!(shown(&inventory), expected);
    }

    #[test]
    fn turbo_without_a_rate_says_so() {
        let frequency = Frequency {
            min_hz: Some(1_200_000_000),
            base_hz: Some(2_667_000_000),
            boost: Some(true),
            ..Frequency::default()
        };
        assert_eq!(rates(&frequency).replace('\u{a0}', " "), "highest not known");
    }
}
