//! Whether turbo is on.

use model::{Resource, Severity};

use super::{Check, condition, listed, maybe_arg};

const CODE: &str = "turbo";

/// The check. Neither is wrong, but results with and without it are not to be
/// compared.
pub(super) const CHECK: Check = Check {
    code: CODE,
    doc: "whether turbo (boost) is on, where the kernel says",
    english: r#"
turbo-rate =
    { $rated ->
        [yes] {" "}({ SHORT($hz, unit: "Hz") })
       *[no] {""}
    }
condition-turbo =
    { $on ->
        [yes] turbo is on: the clock rate, up to the highest{ turbo-rate }, depends on heat and on busy cores
       *[no] turbo is off: results are those of the base rate{ turbo-rate }
    }
    .advice =
        { $on ->
            [yes] let trials be long enough to warm up; turn it off in the firmware to compare single cores
           *[no] turn it on to measure what the machine can do at most
        }

evidence-boost = { condition-turbo }
"#,
    look: |context| {
        let Some(frequency) = &context.inventory.cpu.frequency else { return Vec::new() };
        let Some(boost) = frequency.boost else { return Vec::new() };
        let hz = if boost { frequency.hardware_max_hz } else { frequency.base_hz };
        let finding = condition(CODE, Severity::Note)
            .general()
            .on(Resource::CPUS)
            .arg("on", boost)
            .arg("rated", hz.is_some());
        vec![maybe_arg(finding, "hz", hz).because_same(listed("boost", &Resource::CPUS))]
    },
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::tests::{CheckResult, diagnose_inventory, with_frequency};
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
        assert_eq!(look(None), CheckResult::nothing());
    }
}
