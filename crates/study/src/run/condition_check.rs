//! A look at what could disturb a measurement, before the first trial and after
//! the last, at every machine that takes part.

use agent::{Agent, CallContext};
use model::Machine;
use model::machine::{CheckTime, ConditionCheck, Diagnosis};

/// Looks now. Of a machine that cannot look, which measures all the same, the look
/// is absent.
pub(super) fn take(
    agent: &mut dyn Agent,
    moment: CheckTime,
    machines: &mut [Machine],
    cancelled: &dyn Fn() -> bool,
) {
    if cancelled() {
        return;
    }
    let mut watch = CallContext { on_event: &mut |_| {}, cancelled };
    for (machine, look) in machines.iter_mut().zip(agent.looks(&mut watch)) {
        machine.looks.extend(look.map(|Diagnosis { findings, written_bytes }| ConditionCheck {
            moment,
            findings,
            written_bytes,
        }));
    }
}
