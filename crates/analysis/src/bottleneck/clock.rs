//! What holds the clock of cores that are full: they compute as fast as it goes. Policy may keep it below what the hardware
//! can, and heat or power may slow it down; that is said beside such a verdict, for another clock would change the result.

use model::finding::{Evidence, Place};
use model::run::CaseResult;
use model::{Finding, Resource, series};

use crate::validity::throttled;
use crate::{Context, measure};

/// Verdicts on the cores of the machine that drives.
const OF_CORES: [&str; 3] = ["one-core-full", "own-cores-full", "all-cores-full"];

/// Policies are whole steps, and what is read of a clock is rounded: what differs by less is the same.
const SAME: f64 = 0.02;

pub(super) const ENGLISH: &str = r#"
evidence-clock-held =
    policy holds the clock to { SHORT($most_hz, unit: "Hz") }, of { SHORT($hardware_hz, unit: "Hz") } that the hardware can
"#;

/// That policy holds the clock below what the hardware can.
pub(super) fn held(named: &Finding, case: &CaseResult, context: &Context<'_>) -> Option<Evidence> {
    let frequency = context.machine.filter(|_| is_of_cores(named))?.inventory.cpu.frequency.as_ref()?;
    let (most_hz, hardware_hz) = (frequency.max_hz? as f64, frequency.hardware_max_hz? as f64);
    // Without turbo the highest rate is out of reach anyway.
    let has_turbo = frequency.boost != Some(false);
    let is_held = most_hz > 0.0 && most_hz < (1.0 - SAME) * hardware_hz;
    let clocks = measure::good(case).flat_map(|trial| &trial.result.local().series);
    let clocks = clocks.filter(|one| one.name == series::FREQUENCY);
    let highest = clocks.flat_map(|one| one.values.iter().copied()).reduce(f64::max);
    // A setting of the study may have lifted it since.
    let is_passed = highest.is_some_and(|hz| hz > (1.0 + SAME) * most_hz);
    let evidence = Evidence::at("clock-held", Place::Inventory(Resource::CPUS));
    (has_turbo && is_held && !is_passed)
        .then(|| evidence.arg("most_hz", most_hz).arg("hardware_hz", hardware_hz))
}

/// That a processor slowed itself down, for heat or to keep within its power, by its own count.
pub(super) fn slowed(named: &Finding, case: &CaseResult, context: &Context<'_>) -> Option<Evidence> {
    let found = throttled::RULE.look(case, context).into_iter().next().filter(|_| is_of_cores(named))?;
    found.evidence.into_iter().next()
}

fn is_of_cores(named: &Finding) -> bool {
    OF_CORES.contains(&named.code.as_str())
}

#[cfg(test)]
mod tests {
    use model::machine::Frequency;
    use model::trial::Series;
    use model::{ResourceKind, Unit};

    use super::super::tests::{disk, machine, verdict_on};
    use super::*;
    use crate::validity::fixture;

    const GHZ: u64 = 1_000_000_000;

    /// What is said beside a core that is full, on a machine of 4 GHz of which policy allows so much, whose clock was seen at
    /// so much.
    fn beside(most_hz: u64, boost: bool, seen_hz: Option<f64>) -> Option<String> {
        let mut machine = machine();
        machine.inventory.cpu.frequency = Some(Frequency {
            max_hz: Some(most_hz),
            hardware_max_hz: Some(4 * GHZ),
            boost: Some(boost),
            ..Frequency::default()
        });
        let mut case = disk(32, 500_000.0, 60.0, 1.97);
        for trial in &mut case.trials {
            trial.result.local_mut().series.extend(seen_hz.map(|hz| Series {
                resource: Resource::of(ResourceKind::Cpu, 0),
                name: series::FREQUENCY,
                unit: Unit::Hertz,
                start_ns: 0,
                interval_ns: 1_000_000_000,
                values: vec![hz],
            }));
        }
        let found = verdict_on(&machine, &[case]);
        assert_eq!(found.code, "one-core-full");
        found.evidence.into_iter().find(|evidence| evidence.code == "clock-held")?.text
    }

    #[test]
    fn a_clock_that_policy_holds_is_told_beside_a_full_core() {
        let text = beside(2 * GHZ, true, Some(2e9));
        assert!(text.is_some_and(|text| text.contains("holds the clock to 2 GHz, of 4 GHz that")));
        assert!(beside(2 * GHZ, true, None).is_some(), "nobody looked at it");
        assert_eq!(beside(2 * GHZ, true, Some(3.9e9)), None, "it was lifted");
        assert_eq!(beside(4 * GHZ, true, Some(2e9)), None, "policy allows all");
        assert_eq!(beside(2 * GHZ, false, Some(2e9)), None, "turbo is off");
    }

    #[test]
    fn a_processor_that_slowed_itself_down_is_told_beside_a_full_core() {
        let mut case = disk(32, 500_000.0, 60.0, 1.97);
        let source = "/sys/devices/system/cpu/cpu*/thermal_throttle core_throttle_count";
        for trial in &mut case.trials {
            trial.result.local_mut().counters.push(fixture::counter("cpu:0", source, 1.0, 7));
        }
        let found = verdict_on(&machine(), &[case]);
        assert_eq!(found.code, "one-core-full");
        assert!(
            found.evidence.iter().any(|evidence| evidence.code == "throttle" && evidence.beside),
            "{found:?}"
        );
    }
}
