//! Policy holds the clock rate below what the hardware can.

use model::{Resource, Severity};

use super::{Check, condition, listed};

const CODE: &str = "clock-capped";
/// Policies are whole steps of 100 MHz or kHz that were rounded: below this
/// share it is meant.
const SHARE: f64 = 0.98;

/// The check. Where turbo is off the highest rate is out of reach anyway, which
/// another check says.
pub(super) const CHECK: Check = Check {
    code: CODE,
    doc: "the highest clock rate that policy allows is below the hardware's",
    english: r#"
condition-clock-capped =
    the clock rate is held to { SHORT($max_hz, unit: "Hz") } by policy; the hardware can do
    { SHORT($hardware_max_hz, unit: "Hz") }
    .advice = type `cpupower frequency-set -u 100GHz` to lift it, or find the power profile that set it

evidence-scaling-max = { condition-clock-capped }
"#,
    look: |context| {
        let Some(frequency) = &context.inventory.cpu.frequency else { return Vec::new() };
        let Some((most, hardware)) = frequency.max_hz.zip(frequency.hardware_max_hz) else {
            return Vec::new();
        };
        if frequency.boost == Some(false) || most == 0 || most as f64 >= hardware as f64 * SHARE {
            return Vec::new();
        }
        let finding = condition(CODE, Severity::Warning).on(Resource::CPUS);
        let finding = finding.arg("max_hz", most).arg("hardware_max_hz", hardware);
        vec![finding.because_same(listed("scaling-max", &Resource::CPUS))]
    },
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::tests::{CheckResult, diagnose_inventory, with_frequency};
    use model::machine::Frequency;

    fn look(max_hz: u64, boost: Option<bool>) -> CheckResult {
        let frequency = Frequency {
            max_hz: Some(max_hz),
            hardware_max_hz: Some(4_900_000_000),
            boost,
            ..Frequency::default()
        };
        diagnose_inventory(&CHECK, with_frequency(frequency))
    }

    #[test]
    fn a_cap_is_seen_unless_turbo_is_off() {
        look(2_000_000_000, Some(true))
            .one(Severity::Warning, "held to 2 GHz by policy; the hardware can do 4.9 GHz");
        assert_eq!(look(2_000_000_000, Some(false)), CheckResult::nothing());
        assert_eq!(look(4_900_000_000, None), CheckResult::nothing());
    }
}
