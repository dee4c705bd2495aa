//! What held the synchronisation of an array: the speed that md may have at most, the one that is left to it beside other
//! work, or the members themselves, where it was as fast as when nothing else used them.

use model::layer::LayerArray;
use model::run::CaseResult;
use model::trial::Trial;
use model::{Finding, MetricName, Severity, fact, metric};

use super::finding;
use crate::{Context, Rule, RuleCheck, measure};

/// From this share of the greatest speed on, that is what holds it: md looks at its own speed over the last seconds and
/// sleeps when it is above.
const AT_MOST: f64 = 0.9;
/// Up to so many times the least speed, the load holds it: md yields to other requests until it is down there
/// (`is_mddev_idle` in `drivers/md/md.c`).
const AT_LEAST: f64 = 1.25;
/// From this share of the rate of the first synchronisation on, the load does not hold it.
const AS_ALONE: f64 = 0.8;

pub(crate) const RULE: Rule = Rule {
    code: "resync-held",
    doc: "The first synchronisation of an array, or its rebuild, reshape or scrub beside a load, ran at 90 % or more of \
          sync_speed_max; or beside a load at no more than 1.25 times sync_speed_min, to which md goes down where others use \
          the members; or beside a load at 80 % or more of the rate of the first synchronisation.",
    english: r#"
finding-resync-held =
    { $what ->
        [initial] the first synchronisation of the array ran at { SHORT($rate, unit: "B/s") } of each member
        [initial-array] the first synchronisation of the array ran at { SHORT($rate, unit: "B/s") }
        [load-array] beside the load, the array synchronised at { SHORT($rate, unit: "B/s") }
       *[load] beside the load, the array synchronised at { SHORT($rate, unit: "B/s") } of each member
    }, { $how ->
        [least] near the { SHORT($limit, unit: "B/s") } to which md goes down for the load (sync_speed_min)
        [alone] about as fast as at first, when nothing else used it ({ SHORT($limit, unit: "B/s") }): the members hold it, or the
            thread that computes parity
       *[most] which is what md allows (sync_speed_max: { SHORT($limit, unit: "B/s") })
    }
    .advice =
        { $how ->
            [least] a greater sync_speed_min makes the array whole sooner and the load slower: compare stacks with several
                values of sync-speed-min
            [alone] {""}
           *[most] the members may do more: raise sync_speed_max, as with the option sync-speed-max of the stack
        }
"#,
    check: RuleCheck::Many(check),
};

fn check(case: &CaseResult, _context: &Context<'_>) -> Vec<Finding> {
    let median = |of: &dyn Fn(&Trial) -> Option<f64>| {
        let all: Vec<f64> = measure::good(case).filter_map(of).collect();
        stats::interval::median(&all).filter(|value| *value > 0.0)
    };
    let number = |name| median(&|trial| measure::number(trial, name));
    let (least, most) = (number(fact::SYNC_SPEED_LEAST), number(fact::SYNC_SPEED_MOST));
    let initial = number(fact::INITIAL_SYNC_RATE);
    let counts_whole = measure::stacked(case).is_some_and(|layers| {
        layers.devices.iter().any(|device| device.array.as_ref().is_some_and(LayerArray::counts_whole))
    });
    let (first, later) = if counts_whole { ("initial-array", "load-array") } else { ("initial", "load") };
    let at_most = |rate: f64| most.filter(|most| rate >= AT_MOST * most).map(|most| ("most", most));
    let at_least = |rate: f64| least.filter(|least| rate <= AT_LEAST * least).map(|least| ("least", least));
    // What a rebuild counts is not what the first synchronisation did, if that counted the whole array.
    let alike = initial.filter(|_| !counts_whole);
    let as_alone = |rate: f64| alike.filter(|alone| rate >= AS_ALONE * alone).map(|alone| ("alone", alone));
    let found = |what: &str, rate: f64, held: Option<(&str, f64)>, metric: Option<MetricName>| {
        let (how, limit) = held?;
        let args =
            [("what", what.into()), ("how", how.into()), ("rate", rate.into()), ("limit", limit.into())];
        Some(finding(RULE.code, Severity::Note, &args, metric))
    };
    // Nobody else uses an array that is being made.
    let alone = initial.and_then(|rate| found(first, rate, at_most(rate), None));
    let beside = median(&|trial| measure::measured(trial, metric::RESYNC_RATE)).and_then(|rate| {
        let held = at_most(rate).or_else(|| at_least(rate)).or_else(|| as_alone(rate));
        found(later, rate, held, Some(metric::RESYNC_RATE))
    });
    alone.into_iter().chain(beside).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::layers::tests::{put, stack};
    use crate::validity::fixture;
    use model::study::Controls;
    use model::unit::Quantity;
    use model::{Unit, Value};

    const MB: f64 = 1e6;

    /// What is said of an array that may have 1 to 200 MB/s and was synchronised so fast at first, and beside a load.
    fn said(initial: Option<f64>, beside: Option<f64>) -> Vec<String> {
        said_of("raid5", initial, beside)
    }

    /// The same of an array of this level.
    fn said_of(level: &str, initial: Option<f64>, beside: Option<f64>) -> Vec<String> {
        let mut case = fixture::case(3);
        put(&mut case, &stack(level));
        for trial in &mut case.trials {
            let main = trial.result.main_mut();
            main.facts.insert(fact::SYNC_SPEED_LEAST, Value::Number(MB));
            main.facts.insert(fact::SYNC_SPEED_MOST, Value::Number(200.0 * MB));
            let initial = initial.map(|rate| (fact::INITIAL_SYNC_RATE, Value::Number(rate)));
            main.facts.extend(initial);
            let beside = beside.map(|value| Quantity { value, unit: Unit::BytesPerSecond });
            main.metrics.extend(beside.map(|rate| (metric::RESYNC_RATE, rate)));
        }
        let found = fixture::found(&RULE, &case, &fixture::context(&Controls::default()));
        found.into_iter().map(|finding| finding.text).collect()
    }

    #[test]
    fn a_synchronisation_at_the_speed_that_is_allowed_is_held_by_it() {
        let all = said(Some(195.0 * MB), Some(190.0 * MB));
        assert_eq!(all.len(), 2, "{all:?}");
        assert!(all[0].starts_with("the first synchronisation of the array ran at"), "{all:?}");
        assert!(all[0].contains("sync_speed_max") && all[1].contains("beside the load"), "{all:?}");
    }

    #[test]
    fn beside_a_load_md_goes_down_to_what_it_has_at_least() {
        let all = said(None, Some(1.1 * MB));
        assert!(all.len() == 1 && all[0].contains("sync_speed_min"), "{all:?}");
        assert!(said(Some(1.1 * MB), None).is_empty(), "nothing else used it when it was made");
    }

    #[test]
    fn between_both_the_members_hold_it_or_the_load() {
        assert!(said(Some(80.0 * MB), Some(40.0 * MB)).is_empty());
        let members = said(Some(80.0 * MB), Some(75.0 * MB));
        assert!(members.len() == 1 && members[0].contains("the members hold it"), "{members:?}");
        assert_eq!(fixture::count(&RULE, &fixture::case(3), &Controls::default()), 0);
    }

    #[test]
    fn what_counts_the_whole_array_is_no_measure_of_a_member() {
        assert!(said_of("raid10", Some(80.0 * MB), Some(75.0 * MB)).is_empty());
        let all = said_of("raid10", Some(195.0 * MB), None);
        assert!(all.len() == 1 && !all[0].contains("of each member"), "{all:?}");
        assert!(said(Some(195.0 * MB), None)[0].contains("of each member"));
    }
}
