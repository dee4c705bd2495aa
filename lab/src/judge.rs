//! What a run's document says, held against what a scenario calls right.

use serde_json::Value;

use crate::count::{Samples, WindowNs};
use crate::scenario::{Judged, Proof, Scenario};

/// What came of one try of a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Grade {
    Right,
    /// Nothing that is right was named, and nothing that is wrong: what was said instead.
    CannotTell(String),
    /// Something else was named.
    Wrong(String),
    /// In a quiet run a foreign or imposed cause was named.
    FalseAlarm(String),
    /// The limit was not there.
    NotInduced(String),
    /// Somebody else used the machine meanwhile.
    Disturbed(String),
    /// It could not be laid here, or headroom could not be run.
    Skipped(String),
}

/// Causes that somebody imposed, or that are others': in a quiet run each is a false alarm.
const FOREIGN: &[&str] = &[
    "cache-too-small",
    "cpu-quota",
    "cpu-stolen",
    "disturbed-by-others",
    "io-quota",
    "loss-bound",
    "more-threads-than-quota",
    "other-route",
    "others-use-the-device",
    "own-cores-full",
    "packet-not-carried",
    "packets-dropped",
    "paused",
    "swapping",
    "throttled",
];

/// What says that nobody knows.
const UNKNOWN: &str = "cannot-tell";

/// A finding, as far as it matters here.
#[derive(Clone, Debug)]
struct Said<'a> {
    code: &'a str,
    resource: &'a str,
    text: &'a str,
    is_verdict: bool,
}

impl<'a> Said<'a> {
    fn of(finding: &'a Value) -> Self {
        let word = |name: &str| finding[name].as_str().unwrap_or_default();
        Self {
            code: word("code"),
            resource: word("resource"),
            text: word("text"),
            is_verdict: word("kind") == "bottleneck",
        }
    }

    fn told(&self) -> String {
        format!("`{}`: {}", self.code, self.text)
    }
}

/// The case that is judged, and the one before it.
fn cases(document: &Value, judged: Judged) -> Option<(&Value, Option<&Value>)> {
    let all = document["cases"].as_array()?;
    match judged {
        Judged::First => Some((all.first()?, None)),
        Judged::Last => Some((all.last()?, all.len().checked_sub(2).and_then(|index| all.get(index)))),
    }
}

fn findings(case: &Value) -> Vec<Said<'_>> {
    let all = case["findings"].as_array().map(Vec::as_slice).unwrap_or_default();
    all.iter().map(Said::of).collect()
}

/// The windows of a case's trials.
///
/// # Errors
/// If a trial failed, with its reason.
fn windows(case: &Value) -> Result<Vec<WindowNs>, String> {
    let trials = case["trials"].as_array().map(Vec::as_slice).unwrap_or_default();
    let one = |trial: &Value| {
        if trial["status"] != "ok" {
            return Err(format!("a trial failed: {}", trial["reason"]));
        }
        let edge = |name: &str| trial["window"][name].as_u64();
        edge("start_ns").zip(edge("end_ns")).ok_or_else(|| "a trial has no window".to_owned())
    };
    let all: Vec<WindowNs> = trials.iter().map(one).collect::<Result<_, String>>()?;
    if all.is_empty() { Err("there is no trial".to_owned()) } else { Ok(all) }
}

/// Whether the limit was there, by what was counted.
fn prove(proof: Proof, samples: &Samples, own: &[WindowNs], before: &[WindowNs]) -> Result<(), String> {
    let count = proof.count();
    let of = |windows: &[WindowNs]| {
        samples.rate(count, windows).ok_or_else(|| format!("{count} could not be counted"))
    };
    let rate = of(own)?;
    let (holds, wanted) = match proof {
        Proof::AtLeast(_, least) => (rate >= least, format!("at least {least}")),
        Proof::AtMost(_, most) => (rate <= most, format!("at most {most}")),
        Proof::Flat(_) => {
            let rate_before = of(before)?;
            (rate <= 1.05 * rate_before, format!("at most 5 % more than {rate_before:.4}"))
        }
    };
    if holds { Ok(()) } else { Err(format!("{count}: {rate:.4} a second, not {wanted}")) }
}

/// What came of a run of which this is the document.
pub(crate) fn judge(scenario: &Scenario, document: &Value, samples: &Samples) -> Grade {
    let Some((case, case_before)) = cases(document, scenario.judged) else {
        return Grade::Skipped("the document has no case".to_owned());
    };
    let own = match windows(case) {
        Ok(own) => own,
        Err(why) => return Grade::Skipped(why),
    };
    let before = case_before.and_then(|case| windows(case).ok()).unwrap_or_default();
    for proof in scenario.proofs {
        if let Err(why) = prove(*proof, samples, &own, &before) {
            return Grade::NotInduced(why);
        }
    }
    if scenario.is_quiet() {
        let mut all = document["cases"].as_array().into_iter().flatten().flat_map(findings);
        if let Some(alarm) = all.find(|said| FOREIGN.contains(&said.code)) {
            return Grade::FalseAlarm(alarm.told());
        }
    }
    answer(scenario, &findings(case))
}

/// Whether the answer is right.
fn answer(scenario: &Scenario, said: &[Said<'_>]) -> Grade {
    let verdicts: Vec<&Said<'_>> = said.iter().filter(|said| said.is_verdict).collect();
    if !scenario.right.is_empty() {
        let is_right = |said: &&Said<'_>| {
            scenario.right.contains(&said.code)
                && scenario.resource.is_none_or(|resource| said.resource.starts_with(resource))
        };
        match verdicts.as_slice() {
            [] => return Grade::CannotTell("no verdict".to_owned()),
            all if all.iter().all(is_right) => {}
            all => {
                let other = all.iter().find(|said| !is_right(said));
                let other = other.map_or_else(String::new, |said| said.told());
                return match all.iter().all(|said| is_right(said) || said.code == UNKNOWN) {
                    true => Grade::CannotTell(other),
                    false => Grade::Wrong(other),
                };
            }
        }
    }
    let is_there = |code: &str| said.iter().any(|said| said.code == code);
    match scenario.also.iter().find(|code| !is_there(code)) {
        None => Grade::Right,
        Some(missing) => Grade::CannotTell(format!("`{missing}` is not said")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::{Area, Count};
    use serde_json::json;

    const QUOTA: Scenario =
        Scenario::limit("quota", Area::Disk, &[], &["disk"]).right(&["io-quota"]).on("block:");

    fn document(findings: &Value) -> Value {
        let trial = json!({"status": "ok", "window": {"start_ns": 1, "end_ns": 2}});
        json!({"cases": [{"trials": [trial], "findings": findings}]})
    }

    fn judged(scenario: &Scenario, findings: &Value) -> Grade {
        judge(scenario, &document(findings), &Samples::default())
    }

    fn verdict(code: &str, resource: &str) -> Value {
        json!({"kind": "bottleneck", "code": code, "resource": resource, "text": "t"})
    }

    #[test]
    fn a_verdict_is_right_with_its_resource_only() {
        assert_eq!(judged(&QUOTA, &json!([verdict("io-quota", "block:vda")])), Grade::Right);
        let other = Grade::Wrong("`io-quota`: t".to_owned());
        assert_eq!(judged(&QUOTA, &json!([verdict("io-quota", "nic:near0")])), other);
        assert_eq!(
            judged(&QUOTA, &json!([verdict("latency-bound", "")])),
            Grade::Wrong("`latency-bound`: t".to_owned())
        );
        assert_eq!(
            judged(&QUOTA, &json!([verdict("cannot-tell", "")])),
            Grade::CannotTell("`cannot-tell`: t".to_owned())
        );
        assert_eq!(judged(&QUOTA, &json!([])), Grade::CannotTell("no verdict".to_owned()));
    }

    #[test]
    fn what_must_be_said_too_is_looked_for() {
        let also = QUOTA.also(&["disturbed-by-others"]);
        let one = verdict("io-quota", "block:vda");
        let disturbed = json!({"kind": "validity", "code": "disturbed-by-others", "text": "t"});
        assert_eq!(judged(&also, &json!([one, disturbed])), Grade::Right);
        assert!(matches!(judged(&also, &json!([one])), Grade::CannotTell(_)));
    }

    #[test]
    fn a_limit_that_was_not_there_is_no_merit() {
        let proved = QUOTA.proved(&[Proof::AtLeast(Count::Busy, 1.0)]);
        assert!(matches!(judged(&proved, &json!([verdict("io-quota", "block:vda")])), Grade::NotInduced(_)));
    }

    #[test]
    fn a_quiet_run_is_accused_wrongly_only_of_what_is_foreign() {
        let quiet = Scenario::quiet("primes", &["cpu.primes"], &["one-core-full"]);
        let few = json!({"kind": "validity", "code": "too-few-trials", "text": "t"});
        let full = verdict("one-core-full", "cpu");
        assert_eq!(judged(&quiet, &json!([full, few])), Grade::Right);
        let others = json!({"kind": "validity", "code": "disturbed-by-others", "text": "t"});
        let alarm = Grade::FalseAlarm("`disturbed-by-others`: t".to_owned());
        assert_eq!(judged(&quiet, &json!([full, others])), alarm);
    }

    #[test]
    fn a_failed_trial_is_no_answer() {
        let document = json!({"cases": [{"trials": [{"status": "failed", "reason": "no room"}]}]});
        let grade = judge(&QUOTA, &document, &Samples::default());
        assert!(matches!(&grade, Grade::Skipped(why) if why.contains("no room")), "{grade:?}");
    }
}
