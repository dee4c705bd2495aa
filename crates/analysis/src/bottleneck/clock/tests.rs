//! Clocks that hold full cores back, and those that stand beside them.

use model::machine::Machine;
use model::trial::Series;
use model::{ResourceKind, Unit};

use super::super::tests::{disk, machine, verdict_on};
use super::*;
use crate::validity::fixture;

const GHZ: u64 = 1_000_000_000;

/// A machine of 4 GHz, of which 3 GHz are guaranteed and policy allows so much.
fn of_policy(most_hz: u64) -> Machine {
    let mut machine = machine();
    machine.inventory.cpu.frequency = Some(Frequency {
        max_hz: Some(most_hz),
        min_hz: Some(GHZ),
        hardware_max_hz: Some(4 * GHZ),
        base_hz: Some(3 * GHZ),
        boost: Some(true),
        ..Frequency::default()
    });
    machine
}

/// A load whose one thread computes all the time, on a CPU whose clock was seen at so much.
fn seen_at(seen_hz: Option<f64>) -> CaseResult {
    let mut case = disk(32, 500_000.0, 60.0, 1.97);
    for trial in &mut case.trials {
        let clock = |cpu: u32, hz: f64| Series {
            resource: Resource::of(ResourceKind::Cpu, cpu),
            name: series::FREQUENCY,
            unit: Unit::Hertz,
            start_ns: 0,
            interval_ns: 1_000_000_000,
            values: vec![hz],
        };
        // The other one sleeps.
        let all = seen_hz.into_iter().flat_map(|hz| [clock(0, hz), clock(1, 0.8e9)]);
        trial.result.local_mut().series.extend(all);
    }
    case
}

fn told(found: &Finding, code: &str) -> Option<String> {
    found.evidence.iter().find(|evidence| evidence.code == code)?.text.clone()
}

/// Bug: of cores that are full at half of the clock that the hardware has it was said that they are full, and no more.
#[test]
fn a_clock_that_policy_holds_low_is_what_holds_full_cores_back() {
    let found = verdict_on(&of_policy(2 * GHZ), &[seen_at(Some(2e9))]);
    assert_eq!(found.code, "clock-held", "{found:?}");
    let text = "the clock of the processor holds this back: policy holds it to 2 GHz, of 4 GHz that the hardware can, and the core \
                of each of its threads is full at that";
    assert_eq!(found.text, text);
    assert!(told(&found, "worker-cpu").is_some(), "{found:?}");
    let lifted = verdict_on(&of_policy(2 * GHZ), &[seen_at(Some(3.9e9))]);
    assert_eq!((lifted.code.as_str(), told(&lifted, "clock-held")), ("one-core-full", None));
    assert_eq!(
        verdict_on(&of_policy(4 * GHZ), &[seen_at(Some(2.9e9))]).code,
        "one-core-full",
        "policy allows all"
    );
}

#[test]
fn a_clock_that_nobody_saw_or_that_is_hardly_lower_stands_beside_full_cores() {
    let unseen = verdict_on(&of_policy(2 * GHZ), &[seen_at(None)]);
    assert_eq!(unseen.code, "one-core-full");
    assert!(
        told(&unseen, "clock-held").is_some_and(|text| text.contains("holds the clock to 2 GHz, of 4 GHz"))
    );
    let hardly = verdict_on(&of_policy(3_800_000_000), &[seen_at(Some(3.8e9))]);
    assert_eq!(hardly.code, "one-core-full");
    assert!(told(&hardly, "clock-held").is_some());
    let mut off = of_policy(2 * GHZ);
    off.inventory.cpu.frequency.as_mut().unwrap().boost = Some(false);
    let found = verdict_on(&off, &[seen_at(Some(2e9))]);
    assert_eq!((found.code.as_str(), told(&found, "clock-held")), ("one-core-full", None), "turbo is off");
}

#[test]
fn a_governor_that_keeps_the_clock_low_is_named_and_one_that_chooses_is_not() {
    let with = |governor: &str, driver: &str, hz: f64| {
        let mut machine = of_policy(4 * GHZ);
        let frequency = machine.inventory.cpu.frequency.as_mut().unwrap();
        frequency.governors = vec![governor.to_owned()];
        frequency.driver = Some(driver.to_owned());
        let found = verdict_on(&machine, &[seen_at(Some(hz))]);
        (found.code, found.text)
    };
    let (code, text) = with("powersave", "acpi-cpufreq", 1e9);
    assert_eq!(code, "clock-held");
    assert!(text.contains("the governor powersave keeps it at 1 GHz, of 3 GHz that it may have"), "{text}");
    assert_eq!(with("powersave", "intel_pstate", 2.4e9).0, "one-core-full", "it chooses by itself");
    assert_eq!(with("performance", "acpi-cpufreq", 2.4e9).0, "one-core-full");
    assert_eq!(with("powersave", "acpi-cpufreq", 3e9).0, "one-core-full", "it is as fast as it goes");
}

#[test]
fn a_processor_that_slowed_itself_down_is_named_where_its_clock_is_low_and_told_elsewhere() {
    let slowed = |events: u64, seen_hz: Option<f64>| {
        let mut case = seen_at(seen_hz);
        let source = "/sys/devices/system/cpu/cpu*/thermal_throttle core_throttle_count";
        for trial in &mut case.trials {
            trial.result.local_mut().counters.push(fixture::counter("cpu:0", source, 1.0, events));
        }
        verdict_on(&of_policy(4 * GHZ), &[case])
    };
    let hot = slowed(7, Some(1.5e9));
    assert_eq!(hot.code, "clock-held", "{hot:?}");
    assert!(hot.text.contains("heat slowed it down to 1.5 GHz, of 3 GHz"), "{}", hot.text);
    assert_eq!(slowed(0, Some(1.5e9)).code, "one-core-full", "nobody knows why");
    let unseen = slowed(7, None);
    assert_eq!(unseen.code, "one-core-full");
    assert!(
        unseen.evidence.iter().any(|evidence| evidence.code == "throttle" && evidence.beside),
        "{unseen:?}"
    );
    assert_eq!(slowed(7, Some(3.2e9)).code, "one-core-full", "it is above what is guaranteed");
}
