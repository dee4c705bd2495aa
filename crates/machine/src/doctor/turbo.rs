//! Whether turbo is on.

use language::format::setting;
use model::{Severity, Unit};

use super::{Check, condition, listed};

const CODE: &str = "turbo";

/// The check. Neither is wrong, but results with and without it are not to be
/// compared.
pub(super) const CHECK: Check = Check {
    code: CODE,
    doc: "whether turbo (boost) is on, where the kernel says",
    look: |patient| {
        let Some(frequency) = &patient.inventory.cpu.frequency else { return Vec::new() };
        let Some(boost) = frequency.boost else { return Vec::new() };
        let hz = if boost { frequency.hardware_max_hz } else { frequency.base_hz };
        let rate = hz.map(|hz| format!(" ({})", setting(hz as f64, Unit::Hertz))).unwrap_or_default();
        let (text, advice) = match boost {
            true => (
                format!(
                    "turbo is on: the clock rate, up to the highest{rate}, depends on heat and on busy cores"
                ),
                "let trials be long enough to warm up; turn it off in the firmware to compare single cores",
            ),
            false => (
                format!("turbo is off: results are those of the base rate{rate}"),
                "turn it on to measure what the machine can do at most",
            ),
        };
        let mut evidence = listed("boost", "cpu", text.clone());
        let mut finding = condition(CODE, Severity::Note, text).on("cpu").advise(advice);
        for (key, value) in [("on", boost), ("rated", hz.is_some())] {
            (finding, evidence) = (finding.arg(key, value), evidence.arg(key, value));
        }
        if let Some(hz) = hz {
            (finding, evidence) = (finding.arg("hz", hz), evidence.arg("hz", hz));
        }
        vec![finding.because(evidence)]
    },
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::tests::{Shown, diagnose_inventory, with_frequency};
    use model::machine::Frequency;

    #[test]
    fn on_and_off_are_both_noted() {
        let look = |boost| {
            let base_hz = Some(2_100_000_000);
            diagnose_inventory(&CHECK, with_frequency(Frequency { boost, base_hz, ..Frequency::default() }))
        };
        look(Some(true)).one(Severity::Note, "turbo is on");
        let hardware_max_hz = Some(4_700_000_000);
        let on = Frequency { boost: Some(true), hardware_max_hz, ..Frequency::default() };
        diagnose_inventory(&CHECK, with_frequency(on)).one(Severity::Note, "up to the highest (4.7 GHz)");
        let off = Frequency { boost: Some(false), ..Frequency::default() };
        diagnose_inventory(&CHECK, with_frequency(off)).one(Severity::Note, "those of the base rate");
        look(Some(false)).one(Severity::Note, "turbo is off: results are those of the base rate (2.1 GHz)");
        assert_eq!(look(None), Shown::nothing());
    }
}
