//! CPUs may sleep so deeply that waking up is seen in latencies.

use model::machine::IdleState;
use model::{Resource, Severity};

use super::{Check, clip, condition, listed};

const CODE: &str = "idle-states";
/// A tenth of a read from a fast NVMe drive, a third of a round trip on a wire:
/// what takes longer is seen in either.
const LATENCY_S: f64 = 10e-6;

/// No state takes so long to leave.
const ABSURD_S: f64 = 10.0;

pub(super) const CHECK: Check = Check {
    code: CODE,
    doc: "an idle state is in use that takes more than 10 us to leave",
    english: r#"
condition-idle-states =
    idle CPUs may sleep down to { $state }, which takes { SHORT($latency_s, unit: "s") } to leave
    .advice = for latencies at low load type `cpupower idle-set -D 10`, and `-E` to put it back

evidence-idle-state = { condition-idle-states }
"#,
    look: |context| {
        let states = context.inventory.cpu.idle.as_ref().map_or(&[][..], |idle| &idle.states);
        let is_deep =
            |s: &&IdleState| !s.disabled && s.exit_latency_s > LATENCY_S && s.exit_latency_s < ABSURD_S;
        let deepest =
            states.iter().filter(is_deep).max_by(|a, b| a.exit_latency_s.total_cmp(&b.exit_latency_s));
        let Some(state) = deepest else { return Vec::new() };
        let finding = condition(CODE, Severity::Note).general().on(Resource::CPUS);
        let finding = finding.arg("state", clip(&state.name)).arg("latency_s", state.exit_latency_s);
        vec![finding.because_same(listed("idle-state", &Resource::CPUS))]
    },
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::tests::{CheckResult, diagnose_inventory};
    use model::machine::{Cpu, Idle, Inventory};

    fn look(states: &[(&str, f64, bool)]) -> CheckResult {
        let state = |(name, exit_latency_s, disabled): &(&str, f64, bool)| IdleState {
            name: (*name).to_owned(),
            exit_latency_s: *exit_latency_s,
            disabled: *disabled,
        };
        let idle = Idle { states: states.iter().map(state).collect(), ..Idle::default() };
        diagnose_inventory(
            &CHECK,
            Inventory { cpu: Cpu { idle: Some(idle), ..Cpu::default() }, ..Inventory::default() },
        )
    }

    #[test]
    fn the_deepest_state_in_use_is_named() {
        let all = [("POLL", 0.0, false), ("C1", 2e-6, false), ("C6", 133e-6, false), ("C10", 890e-6, true)];
        look(&all).one(Severity::Note, "down to C6, which takes 133 us to leave");
        assert_eq!(look(&all[..2]), CheckResult::nothing());
        assert_eq!(look(&[("odd", f64::NAN, false)]), CheckResult::nothing());
    }
}
