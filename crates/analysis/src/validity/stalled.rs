//! The load stood still for a noticeable part of a window.

use model::run::CaseResult;
use model::{Finding, Severity, Trial, Value, series};

use super::finding;
use crate::{Context, Rule, RuleCheck, measure};

/// Below this share of the usual rate the load stands still.
const STILL: f64 = 0.05;
/// Shorter than this is not noticeable, s; nor is a twentieth of the window.
const SHORTEST_S: f64 = 0.05;
/// Nor is one in which fewer operations than this were due at the usual rate: of slow ones some intervals have none.
const DUE: f64 = 5.0;

pub(crate) const RULE: Rule = Rule {
    code: "stalled",
    doc: "The load stood still for a noticeable part of a window.",
    english: r#"
finding-stalled =
    the load stalled in { $trials } of { $of ->
        [1] 1 trial
       *[other] { $of } trials
    }, the longest stall lasting { SHORT($longest_s, unit: "s") }: the figure mixes two states
"#,
    check: RuleCheck::One(check),
};

fn check(case: &CaseResult, context: &Context<'_>) -> Option<Finding> {
    // An open loop may have nothing to do.
    if !measure::is_closed(case) {
        return None;
    }
    let stalls: Vec<f64> = measure::good(case).filter_map(longest_stall_s).collect();
    let longest = stalls.iter().copied().fold(0.0, f64::max);
    if stalls.is_empty() {
        return None;
    }
    let count = stalls.len() as u64;
    let all = case.trials.len() as u64;
    let args = [("trials", count.into()), ("of", all.into()), ("longest_s", Value::Number(longest))];
    Some(finding(RULE.code, Severity::Warning, &args, context.headline))
}

/// The longest time within the window for which nearly nothing was done.
fn longest_stall_s(trial: &Trial) -> Option<f64> {
    let window = trial.result.window?;
    let series = trial.result.main().series.iter().find(|s| s.name == series::OPERATIONS)?;
    let inside: Vec<f64> = (series.start_ns..)
        .step_by(usize::try_from(series.interval_ns.max(1)).ok()?)
        .zip(&series.values)
        .filter(|(at, _)| *at >= window.start_ns && *at < window.end_ns)
        .map(|(_, value)| *value)
        .collect();
    // The upper quartile: a stall of more than half must not become the usual.
    let mut sorted = inside.clone();
    sorted.sort_unstable_by(f64::total_cmp);
    let usual = stats::interval::quantile_sorted(&sorted, 0.75)?;
    let still = inside.split(|v| *v >= usual * STILL).map(<[f64]>::len).max()?;
    let seconds = still as f64 * series.interval_ns as f64 / 1e9;
    let is_felt = seconds >= SHORTEST_S && seconds >= window.seconds() / 20.0;
    (is_felt && usual * seconds >= DUE).then_some(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::fixture;
    use model::study::Controls;
    use model::trial::{Series, Window};
    use model::{Resource, ResourceKind};

    #[test]
    fn only_a_long_stop_within_the_window_is_found() {
        let mut case = fixture::case(1);
        let mut count = |stop: std::ops::Range<usize>| {
            let values = (0..110).map(|i| if stop.contains(&i) { 0.0 } else { 100.0 }).collect();
            case.trials[0].result.window = Some(Window { start_ns: 100_000_000, end_ns: 1_100_000_000 });
            case.trials[0].result.main_mut().series = vec![Series {
                resource: Resource::whole(ResourceKind::Load),
                name: series::OPERATIONS,
                unit: model::Unit::PerSecond,
                start_ns: 0,
                interval_ns: 10_000_000,
                values,
            }];
            fixture::count(&RULE, &case, &Controls::default())
        };
        assert_eq!(count(0..0), 0);
        assert_eq!(count(50..53), 0, "30 ms");
        assert_eq!(count(0..10), 0, "warm-up");
        assert_eq!(count(40..100), 1, "600 ms");
    }

    /// Bug: a load of ten operations a second was said to stall in each tenth of a second that none ended in.
    #[test]
    fn an_interval_in_which_no_slow_operation_ends_is_no_stall() {
        let mut case = fixture::case(1);
        let mut count = |values: &[f64]| {
            case.trials[0].result.window =
                Some(Window { start_ns: 0, end_ns: values.len() as u64 * 100_000_000 });
            case.trials[0].result.main_mut().series = vec![Series {
                resource: Resource::whole(ResourceKind::Load),
                name: series::OPERATIONS,
                unit: model::Unit::PerSecond,
                start_ns: 0,
                interval_ns: 100_000_000,
                values: values.to_vec(),
            }];
            fixture::count(&RULE, &case, &Controls::default())
        };
        let slow = [10.0, 10.0, 10.0, 0.0, 20.0, 10.0, 10.0, 0.0, 10.0, 10.0];
        assert_eq!(count(&slow), 0);
        assert_eq!(count(&slow.map(|rate| 10.0 * rate)), 1, "ten were due meanwhile");
    }
}
