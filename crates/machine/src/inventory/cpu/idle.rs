//! How a CPU sleeps (`Documentation/admin-guide/pm/cpuidle.rst`).

use model::machine::{Absent, Idle, IdleState};

use super::FOLDER;
use crate::Host;
use crate::inventory::{line, note, numbered, unless_left_out};

/// How CPUs sleep, with the states of `cpu`.
pub(super) fn read(host: &Host, cpu: u32, absent: &mut Vec<Absent>) -> Option<Idle> {
    // Where nothing is chosen, the kernel writes `none`.
    let word =
        |leaf: &str| line(&host.text(format!("{FOLDER}/cpuidle/{leaf}"))?).filter(|name| name != "none");
    let folder = format!("{FOLDER}/cpu{cpu}/cpuidle");
    let states = numbered(host, &folder, "state");
    let idle = Idle {
        driver: word("current_driver"),
        governor: word("current_governor").or_else(|| word("current_governor_ro")),
        states: states.iter().filter_map(|(_, name)| state(host, &format!("{folder}/{name}"))).collect(),
    };
    if idle.driver.is_none() && idle.states.is_empty() {
        note(
            absent,
            "idle states",
            unless_left_out(host, FOLDER, "the kernel does not choose how a CPU sleeps"),
        );
        return None;
    }
    Some(idle)
}

/// The kernel keeps the latency as 32 bits of microseconds
/// (`include/linux/cpuidle.h`).
fn state(host: &Host, folder: &str) -> Option<IdleState> {
    let latency_us = u32::try_from(host.number(format!("{folder}/latency"))?).ok()?;
    Some(IdleState {
        name: line(&host.text(format!("{folder}/name"))?)?,
        exit_latency_s: f64::from(latency_us) / 1e6,
        disabled: host.number(format!("{folder}/disable")).is_some_and(|off| off != 0),
    })
}
