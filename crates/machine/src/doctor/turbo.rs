//! Whether turbo is on.

use model::Severity;

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
        let giga =
            |hz: Option<u64>| hz.map(|hz| format!(" ({:.1} GHz)", hz as f64 / 1e9)).unwrap_or_default();
        let (text, advice) = match boost {
            true => (
                format!(
                    "turbo is on: the clock rate, up to the highest{}, depends on heat and on busy cores",
                    giga(frequency.hardware_max_hz)
                ),
                "let trials be long enough to warm up; turn it off in the firmware to compare single cores",
            ),
            false => (
                format!("turbo is off: results are those of the base rate{}", giga(frequency.base_hz)),
                "turn it on to measure what the machine can do at most",
            ),
        };
        vec![
            condition(CODE, Severity::Note, text.clone())
                .on("cpu")
                .arg("on", boost)
                .because(listed("boost", "cpu", text))
                .advise(advice),
        ]
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
        look(Some(false)).one(Severity::Note, "turbo is off: results are those of the base rate (2.1 GHz)");
        assert_eq!(look(None), Shown::nothing());
    }
}
