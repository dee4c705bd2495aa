//! `--prove`: are verdicts on induced limits proved, and are wrong ones that are planted refuted?
//! Each scenario is run with `--prove` as it is, and once more with another verdict put in the place
//! of the one that was found. What cannot be moved is counted apart: it is to say so.

use std::fmt;

use serde_json::Value;

use crate::attempt::{Means, kept, measured};
use crate::judge::{Grade, judge, judged_case};
use crate::scenario::{Area, Scenario};
use crate::tally::share;

/// What a proof came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Outcome {
    Proved,
    Refuted,
    Unproved,
    /// Nothing can be taken or given.
    Cannot,
    /// The verdict itself was not right, or there was none.
    NoVerdict,
    /// It could not be tried.
    Apart,
}

const OUTCOMES: &[Outcome] = &[
    Outcome::Proved,
    Outcome::Refuted,
    Outcome::Unproved,
    Outcome::Cannot,
    Outcome::NoVerdict,
    Outcome::Apart,
];

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Proved => "proved",
            Self::Refuted => "refuted",
            Self::Unproved => "not proved",
            Self::Cannot => "cannot be proved here",
            Self::NoVerdict => "no right verdict",
            Self::Apart => "apart",
        })
    }
}

/// Verdicts that name processors.
const PROCESSORS: &[&str] =
    &["one-core-full", "own-cores-full", "all-cores-full", "sender-cpu", "receiver-cpu"];

/// A verdict that is wrong where a scenario's is right.
fn wrong(scenario: &Scenario) -> &'static str {
    let is_processor = scenario.right.iter().any(|code| PROCESSORS.contains(code));
    match (scenario.area, is_processor) {
        (Area::Disk, true) => "device-full",
        (Area::Network, true) => "link-full",
        (Area::Network, false) => "sender-cpu",
        (_, true) => "cpu-quota",
        (_, false) => "one-core-full",
    }
}

/// Tries a scenario: what came of the proof of its own verdict, or of a wrong one, and what was said.
fn attempt(scenario: &Scenario, means: &Means<'_>, planted: Option<&str>) -> (Outcome, String) {
    let (document, samples) = match measured(scenario, means, &["--prove"], planted) {
        Ok(found) => found,
        Err(grade) => return (Outcome::Apart, format!("{grade:?}")),
    };
    if let Err(why) = kept(scenario, &document, means.keep) {
        return (Outcome::Apart, why);
    }
    match judge(scenario, &document, &samples).pop() {
        Some(Grade::Right) => {}
        Some(other @ (Grade::CannotTell(_) | Grade::Wrong(_) | Grade::FalseAlarm(_))) => {
            return (Outcome::NoVerdict, format!("{other:?}"));
        }
        other => return (Outcome::Apart, format!("{other:?}")),
    }
    judged_case(&document, scenario.judged).map_or((Outcome::Apart, String::new()), outcome)
}

fn outcome(case: &Value) -> (Outcome, String) {
    let findings = case["findings"].as_array().map(Vec::as_slice).unwrap_or_default();
    let said = findings.iter().find(|f| f["kind"] == "proof");
    let text = said.and_then(|f| f["text"].as_str()).unwrap_or_default().to_owned();
    let outcome = match case["proof"]["outcome"].as_str() {
        Some("proved") => Outcome::Proved,
        Some("refuted") => Outcome::Refuted,
        Some(_) => Outcome::Unproved,
        None => Outcome::Cannot,
    };
    (outcome, text)
}

/// Tries all so many times, and prints what came of it.
///
/// # Errors
/// If the user wanted an end.
pub(crate) fn try_all(
    chosen: &[&'static Scenario],
    times: u16,
    means: &Means<'_>,
) -> Result<(), xtask::Error> {
    let (mut own, mut planted) = (Vec::new(), Vec::new());
    for _ in 0..times {
        for scenario in chosen {
            let wrong = wrong(scenario);
            for (code, all) in [(None, &mut own), (Some(wrong), &mut planted)] {
                let (outcome, said) = attempt(scenario, means, code);
                if means.stop.load(std::sync::atomic::Ordering::Relaxed) {
                    return Err(xtask::Error::Interrupted);
                }
                let named = code.map_or_else(String::new, |code| format!(", planted `{code}`"));
                println!("{:<8} {}{named}: {outcome}: {said}", scenario.area.word(), scenario.name);
                all.push(outcome);
            }
        }
    }
    println!();
    totals(&own, &planted).iter().for_each(|line| println!("{line}"));
    Ok(())
}

/// The totals, a line each.
fn totals(own: &[Outcome], planted: &[Outcome]) -> Vec<String> {
    let count = |all: &[Outcome], one: Outcome| all.iter().filter(|outcome| **outcome == one).count() as u32;
    let moved = |all: &[Outcome]| -> u32 {
        [Outcome::Proved, Outcome::Refuted, Outcome::Unproved].iter().map(|one| count(all, *one)).sum()
    };
    let line = |what: &str, all: &[Outcome], one: Outcome| {
        format!("{what}, {one}: {}", share(count(all, one), moved(all)))
    };
    let apart = |what: &str, all: &[Outcome]| {
        let counts: Vec<String> =
            OUTCOMES.iter().skip(3).map(|one| format!("{one} {}", count(all, *one))).collect();
        format!("{what}, counted apart: {}", counts.join(", "))
    };
    let mut lines = Vec::new();
    for (what, all) in [("the verdict itself", own), ("a planted wrong one", planted)] {
        lines.extend(OUTCOMES.iter().take(3).map(|one| line(what, all, *one)));
        lines.push(apart(what, all));
    }
    lines
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::table;

    #[test]
    fn no_right_verdict_is_planted_as_a_wrong_one() {
        for scenario in table::all() {
            assert!(!scenario.right.contains(&wrong(scenario)), "{}", scenario.name);
        }
    }

    #[test]
    fn shares_are_of_what_can_be_moved() {
        let own = [Outcome::Proved, Outcome::Proved, Outcome::Unproved, Outcome::Cannot, Outcome::NoVerdict];
        let lines = totals(&own, &[Outcome::Refuted]);
        assert!(lines[0].starts_with("the verdict itself, proved: 2 of 3"), "{lines:?}");
        assert!(lines[3].contains("cannot be proved here 1, no right verdict 1"), "{lines:?}");
        assert!(lines[5].starts_with("a planted wrong one, refuted: 1 of 1"), "{lines:?}");
    }

    #[test]
    fn an_outcome_is_read_from_the_case() {
        let said = |proof: Value| outcome(&json!({"proof": proof, "findings": []})).0;
        assert_eq!(said(json!({"outcome": "refuted"})), Outcome::Refuted);
        assert_eq!(said(json!({"outcome": "unproved"})), Outcome::Unproved);
        assert_eq!(said(Value::Null), Outcome::Cannot);
    }
}
