//! What md held the synchronisation of an array to: the speed that it may have at most, or the one that is left to it
//! beside other work. The members could do more.

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

pub(crate) const RULE: Rule = Rule {
    code: "resync-held",
    doc: "The first synchronisation of an array, or its rebuild, reshape or scrub beside a load, ran at 90 % or more of \
          sync_speed_max; or beside a load at no more than 1.25 times sync_speed_min, to which md goes down where others use \
          the members. The members could do more.",
    english: r#"
finding-resync-held =
    { $what ->
        [initial] the first synchronisation of the array ran at
       *[load] beside the load, the array synchronised at
    } { SHORT($rate, unit: "B/s") } of each member, { $how ->
        [least] near the { SHORT($limit, unit: "B/s") } to which md goes down for the load (sync_speed_min)
       *[most] which is what md allows (sync_speed_max: { SHORT($limit, unit: "B/s") })
    }
    .advice =
        { $how ->
            [least] a greater sync_speed_min makes the array whole sooner and the load slower: compare stacks with several
                values of sync-speed-min
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
    let found = |what: &str, rate: f64, least: Option<f64>, metric: Option<MetricName>| {
        let at_most = most.filter(|most| rate >= AT_MOST * most).map(|most| ("most", most));
        let at_least = || least.filter(|least| rate <= AT_LEAST * least).map(|least| ("least", least));
        let (how, limit) = at_most.or_else(at_least)?;
        let args =
            [("what", what.into()), ("how", how.into()), ("rate", rate.into()), ("limit", limit.into())];
        Some(finding(RULE.code, Severity::Note, &args, metric))
    };
    // Nobody else uses an array that is being made.
    let initial = number(fact::INITIAL_SYNC_RATE).and_then(|rate| found("initial", rate, None, None));
    let rate = median(&|trial| measure::measured(trial, metric::RESYNC_RATE));
    let beside = rate.and_then(|rate| found("load", rate, least, Some(metric::RESYNC_RATE)));
    initial.into_iter().chain(beside).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::fixture;
    use model::study::Controls;
    use model::unit::Quantity;
    use model::{Unit, Value};

    const MB: f64 = 1e6;

    /// What is said of an array that may have 1 to 200 MB/s and was synchronised so fast at first, and beside a load.
    fn said(initial: Option<f64>, beside: Option<f64>) -> Vec<String> {
        let mut case = fixture::case(3);
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
        assert_eq!(fixture::count(&RULE, &fixture::case(3), &Controls::default()), 0);
    }
}
