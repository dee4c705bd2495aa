//! Runs with settings that start together: one at a time gets in, and each trial
//! that is ok ran under the setting that it is labelled with.

use std::time::Duration;

use serde_json::Value;

use super::Attack;
use super::kill_settings::{LAY, difference, state};
use crate::namespaces::Namespaces;
use crate::process::{PATIENCE, Running};
use crate::round::{Round, Trouble};

pub(super) const ATTACK: Attack = Attack {
    name: "two-runs",
    about: "starts runs with `--set` together; one gets in at a time, and settings are as labelled",
    round,
};

fn round(round: &mut Round) -> Result<(), Trouble> {
    let namespaces = Namespaces::new()?;
    namespaces.shell(round, LAY)?;
    let before = state(round, &namespaces)?;
    let mut runs = Vec::new();
    for number in 0..2 + round.below(3) {
        let set = format!("mtu@va={}", 2000 + 100 * number);
        let store = round.path(&format!("store-{number}.db"));
        let words = ["run", "null", "--duration", "40ms", "--warm-up", "0", "--trials", "4", "--json"];
        let more = ["--set", &set, "--store", &store];
        let run = Running::start(namespaces.headroom(round, &[&words[..], &more].concat()))?;
        runs.push((2000 + 100 * number, run));
        round.wait(Duration::from_millis(60));
    }
    let mut got_in = 0;
    for (mtu, run) in runs {
        let ended = run.end(PATIENCE, &[])?;
        match ended.code() {
            Some(0) => got_in += 1,
            Some(3) if ended.said.contains("another run") => {
                round.count("refused, for another had changed settings")
            }
            Some(1) if ended.said.contains("another run") => {
                round.count("failed their trials, for another had changed settings");
            }
            _ => return Err(ended.fault("it got in neither, nor was it told of another run")),
        }
        if ended.code() == Some(0) {
            let document: Value = serde_json::from_str(&ended.printed)
                .map_err(|e| ended.fault(&format!("it printed no document: {e}")))?;
            let settings = document["cases"][0]["settings"]["mtu@va"][0].clone();
            if settings["asked"] != mtu || settings["read_back"] != mtu {
                return Err(ended.fault(&format!("it did not run under the MTU that was typed: {settings}")));
            }
            if settings["before"] != 1500 {
                return Err(ended.fault(&format!("it got in while another held the MTU: {settings}")));
            }
        }
    }
    if got_in == 0 {
        return Err(Trouble::Fault("none of the runs got in".to_owned()));
    }
    round.count_times("got in", got_in);
    round.nobody_is_left()?;
    match state(round, &namespaces)? {
        after if after == before => Ok(()),
        after => Err(Trouble::Fault(format!("settings stayed changed:\n{}", difference(&before, &after)))),
    }
}
