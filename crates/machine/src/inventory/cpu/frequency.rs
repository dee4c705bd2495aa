//! How the clock rate is chosen (`Documentation/admin-guide/pm/cpufreq.rst`,
//! `intel_pstate.rst`, `amd-pstate.rst`). CPUs that share a policy are read
//! once. The present rate is not read here, for it changes: samplers do that.
//! Of some drivers `base_frequency` and `energy_performance_preference` are
//! registers, for which a CPU of the policy is interrupted, and `intel_pstate`
//! has a policy for each CPU. They may differ from policy to policy (cores of
//! several kinds), so that all are read, some microseconds each.

use std::collections::BTreeSet;

use model::machine::{Absent, Frequency, FrequencyPolicy};

use super::FOLDER;
use crate::Host;
use crate::inventory::{distinct, line, note, numbered, unless_left_out};

/// No processor's clock is near it: 100 GHz; a greater one is garbled.
const HZ_MAX: u64 = 100_000_000_000;

/// How the clock rate is chosen.
pub(super) fn read(host: &Host, present: &[u32], absent: &mut Vec<Absent>) -> Option<Frequency> {
    let policies = policies(host, present);
    if policies.is_empty() {
        note(
            absent,
            "clock rate",
            unless_left_out(host, FOLDER, "the kernel does not choose the clock rate"),
        );
        return None;
    }
    let mut found = Frequency::default();
    let (mut governors, mut preferences) = (BTreeSet::new(), BTreeSet::new());
    let mut groups: Vec<FrequencyPolicy> = Vec::new();
    for policy in &policies {
        let word = |leaf: &str| line(&host.text(format!("{policy}/{leaf}"))?);
        let hz = |leaf: &str| khz(host, &format!("{policy}/{leaf}"));
        found.driver = found.driver.take().or_else(|| word("scaling_driver"));
        governors.extend(word("scaling_governor"));
        preferences.extend(word("energy_performance_preference"));
        let turbo = turbo_mark(host, policy);
        let unless_mark = |hz: &u64| turbo.is_none_or(|(mark, _)| *hz < mark);
        let own = FrequencyPolicy {
            cpus: cpus(host, policy),
            min_hz: hz("scaling_min_freq"),
            max_hz: hz("scaling_max_freq").filter(unless_mark),
            hardware_max_hz: hz("cpuinfo_max_freq").filter(unless_mark),
        };
        found.min_hz = [found.min_hz, own.min_hz].into_iter().flatten().min();
        found.max_hz = found.max_hz.max(own.max_hz);
        found.hardware_max_hz = found.hardware_max_hz.max(own.hardware_max_hz);
        found.base_hz = found.base_hz.max(hz("base_frequency").or(turbo.map(|(_, base)| base)));
        add(&mut groups, own);
    }
    groups.retain(|group| !group.cpus.is_empty());
    found.policies = if groups.len() > 1 { groups } else { Vec::new() };
    found.governors = governors.into_iter().collect();
    found.preferences = preferences.into_iter().collect();
    found.boost = boost(host, &policies);
    Some(found)
}

/// The folders of all policies, each once; old kernels have them with the CPUs
/// only.
fn policies(host: &Host, present: &[u32]) -> Vec<String> {
    let folder = format!("{FOLDER}/cpufreq");
    let named = numbered(host, &folder, "policy");
    if !named.is_empty() {
        return named.into_iter().map(|(_, name)| format!("{folder}/{name}")).collect();
    }
    let of_cpus = present.iter().filter_map(|cpu| host.resolve(format!("{FOLDER}/cpu{cpu}/cpufreq")));
    let distinct: BTreeSet<String> = of_cpus.collect();
    distinct.into_iter().collect()
}

/// The CPUs of a policy that are online.
fn cpus(host: &Host, policy: &str) -> Vec<u32> {
    let text = host.text(format!("{policy}/affected_cpus")).unwrap_or_default();
    distinct(text.split_whitespace().filter_map(|cpu| cpu.parse::<u32>().ok()))
}

/// Puts the CPUs of a policy to those that have the same rates.
fn add(groups: &mut Vec<FrequencyPolicy>, policy: FrequencyPolicy) {
    let rates = |p: &FrequencyPolicy| (p.min_hz, p.max_hz, p.hardware_max_hz);
    match groups.iter_mut().find(|group| rates(group) == rates(&policy)) {
        Some(group) => group.cpus = distinct(group.cpus.drain(..).chain(policy.cpus)),
        None => groups.push(policy),
    }
}

/// The rate by which ACPI tables ask for turbo, and the base rate. They cannot
/// say how high turbo goes: its entry is 1 MHz above the base
/// (`drivers/cpufreq/acpi-cpufreq.c`; Intel's processors before `intel_pstate`).
fn turbo_mark(host: &Host, policy: &str) -> Option<(u64, u64)> {
    const ABOVE_HZ: u64 = 1_000_000;
    host.text(format!("{policy}/scaling_driver")).filter(|driver| driver.trim() == "acpi-cpufreq")?;
    let listed = host.text(format!("{policy}/scaling_available_frequencies"))?;
    let mut rates: Vec<u64> = listed.split_whitespace().filter_map(|khz| hertz(khz.parse().ok()?)).collect();
    rates.sort_unstable_by(|a, b| b.cmp(a));
    let [mark, base, ..] = *rates else { return None };
    (mark - base == ABOVE_HZ).then_some((mark, base))
}

/// A rate, which the kernel writes in kHz.
fn khz(host: &Host, path: &str) -> Option<u64> {
    hertz(host.number(path)?)
}

fn hertz(khz: u64) -> Option<u64> {
    khz.checked_mul(1000).filter(|hz| (1..=HZ_MAX).contains(hz))
}

/// Whether turbo is on: `no_turbo` of intel_pstate says the reverse; else the
/// switch of all policies, or that of the first where each has one.
fn boost(host: &Host, policies: &[String]) -> Option<bool> {
    host.flag(format!("{FOLDER}/intel_pstate/no_turbo"))
        .map(|off| !off)
        .or_else(|| host.flag(format!("{FOLDER}/cpufreq/boost")))
        .or_else(|| host.flag(format!("{}/boost", policies.first()?)))
}
