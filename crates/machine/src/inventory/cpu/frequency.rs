//! How the clock rate is chosen (`Documentation/admin-guide/pm/cpufreq.rst`,
//! `intel_pstate.rst`, `amd-pstate.rst`). CPUs that share a policy are read
//! once. The present rate is not read here, for it changes: samplers do that.
//! Of some drivers `base_frequency` and `energy_performance_preference` are
//! registers, for which a CPU of the policy is interrupted, and `intel_pstate`
//! has a policy for each CPU. They may differ from policy to policy (cores of
//! several kinds), so that all are read, some microseconds each.

use std::collections::BTreeSet;

use model::machine::{Absent, Frequency};

use super::FOLDER;
use crate::Host;
use crate::inventory::{line, note, numbered};

/// No processor's clock is near it: 100 GHz; a greater one is garbled.
const HZ_MAX: u64 = 100_000_000_000;

/// How the clock rate is chosen.
pub(super) fn read(host: &Host, present: &[u32], absent: &mut Vec<Absent>) -> Option<Frequency> {
    let policies = policies(host, present);
    if policies.is_empty() {
        note(absent, "clock rate", "the kernel does not choose the clock rate");
        return None;
    }
    let mut found = Frequency::default();
    let (mut governors, mut preferences) = (BTreeSet::new(), BTreeSet::new());
    for policy in &policies {
        let word = |leaf: &str| line(&host.text(format!("{policy}/{leaf}"))?);
        let hz = |leaf: &str| khz(host, &format!("{policy}/{leaf}"));
        found.driver = found.driver.take().or_else(|| word("scaling_driver"));
        governors.extend(word("scaling_governor"));
        preferences.extend(word("energy_performance_preference"));
        found.min_hz = [found.min_hz, hz("scaling_min_freq")].into_iter().flatten().min();
        found.max_hz = found.max_hz.max(hz("scaling_max_freq"));
        found.hardware_max_hz = found.hardware_max_hz.max(hz("cpuinfo_max_freq"));
        found.base_hz = found.base_hz.max(hz("base_frequency"));
    }
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

/// A rate, which the kernel writes in kHz.
fn khz(host: &Host, path: &str) -> Option<u64> {
    host.number(path)?.checked_mul(1000).filter(|hz| (1..=HZ_MAX).contains(hz))
}

/// Whether turbo is on: `no_turbo` of intel_pstate says the reverse; else the
/// switch of all policies, or that of the first where each has one.
fn boost(host: &Host, policies: &[String]) -> Option<bool> {
    let switch = |path: &str| match host.number(path)? {
        0 => Some(false),
        1 => Some(true),
        _ => None,
    };
    switch(&format!("{FOLDER}/intel_pstate/no_turbo"))
        .map(|off| !off)
        .or_else(|| switch(&format!("{FOLDER}/cpufreq/boost")))
        .or_else(|| switch(&format!("{}/boost", policies.first()?)))
}
