//! What it cost to observe a load: the figures are of trials without, but what the observers saw is of
//! trials with.

use model::finding::{Evidence, Place};
use model::metric::Better;
use model::run::CaseResult;
use model::{Finding, FindingKind, Severity};

use crate::{Context, Rule, RuleCheck};

/// What costs surely more than this watches another load than the one that nobody watches.
const MUCH: f64 = 0.05;

pub(crate) const RULE: Rule = Rule {
    code: "observer-cost",
    doc: "What observers cost, by pairs of trials with and without them, or what they cost at most where the pairs do not show \
          that they cost anything. The case's figures are of the trials without. A \
          warning where they surely cost more than 5 %: what they saw is then of a load that was held back by them.",
    english: r#"
finding-observer-cost =
    { $how ->
        [sure] observing it ({ $name }) cost { PERCENT($cost, decimals: 1) } of the result
            ({ PERCENT($low, decimals: 1) } to { PERCENT($high, decimals: 1) }, { FIXED($pairs) } pairs of trials)
        [most] whether observing it ({ $name }) cost anything cannot be told by { FIXED($pairs) } pairs of trials: at most
            { PERCENT($high, decimals: 1) } of the result
       *[none] observing it ({ $name }) cost nothing that { FIXED($pairs) } pairs of trials show
    }; the figures are of the trials without{ $much ->
        [yes] , and what was seen is of a load that was held back so much
       *[no] {""}
    }
"#,
    check: RuleCheck::One(check),
};

fn check(case: &CaseResult, _context: &Context<'_>) -> Option<Finding> {
    let effect = case.observer_effect.as_ref()?;
    let ratio = &effect.ratio;
    let is_rate = ratio.better == Better::Higher;
    let cost = |ratio: f64| if is_rate { 1.0 - ratio } else { ratio - 1.0 };
    let ends = [cost(ratio.low?), cost(ratio.high?)];
    let (low, high) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
    let names: Vec<&str> = effect.observers.iter().map(|kind| kind.name()).collect();
    let how = match () {
        () if low > 0.0 => "sure",
        // Less would be no more than nothing.
        () if high > 0.0 => "most",
        () => "none",
    };
    let is_much = low > MUCH;
    let severity = if is_much { Severity::Warning } else { Severity::Note };
    Some(
        Finding::new(FindingKind::Validity, RULE.code, severity)
            .arg("how", how)
            .arg("name", names.join(", ").as_str())
            .arg("cost", cost(ratio.median))
            .arg("low", low)
            .arg("high", high)
            .arg("pairs", ratio.n as u64)
            .arg("much", is_much)
            .because_same(Evidence::at(RULE.code, Place::Metric(effect.metric))),
    )
}

#[cfg(test)]
mod tests {
    use model::observer::{ObserverEffect, ObserverKind};
    use model::study::Controls;
    use model::{Unit, metric};

    use super::*;
    use crate::validity::fixture;

    fn found(median: f64, half: f64, better: Better) -> Finding {
        let mut case = fixture::case(5);
        let (low, high) = (Some(median - half), Some(median + half));
        let ratio = model::run::Estimate { low, high, ..fixture::estimate(median, Unit::One, better) };
        let observers = vec![ObserverKind::BlockTrace];
        case.observer_effect = Some(ObserverEffect { observers, metric: metric::IOPS, ratio });
        let controls = Controls::default();
        fixture::found(&RULE, &case, &fixture::context(&controls)).remove(0)
    }

    #[test]
    fn what_it_cost_is_said_and_too_much_is_a_warning() {
        let little = found(0.98, 0.01, Better::Higher);
        assert_eq!(little.severity, Severity::Note);
        assert!(
            little.text.contains("(block-trace) cost 2 % of the result (1 % to 3 %, 5 pairs"),
            "{}",
            little.text
        );
        let much = found(0.80, 0.05, Better::Higher);
        assert_eq!(much.severity, Severity::Warning);
        assert!(much.text.contains("held back"), "{}", much.text);
        // A time that grew.
        assert_eq!(found(1.20, 0.05, Better::Lower).severity, Severity::Warning);
        assert_eq!(found(0.80, 0.05, Better::Lower).severity, Severity::Note);
    }

    /// Bug: it "cost -1 %".
    #[test]
    fn what_does_not_show_is_said_to_be_at_most_so_much_or_nothing() {
        let unsure = found(1.01, 0.03, Better::Higher);
        let text = "whether observing it (block-trace) cost anything cannot be told by 5 pairs of trials: at most 2 % of the result";
        assert!(unsure.text.starts_with(text), "{}", unsure.text);
        for (median, better) in [(1.02, Better::Higher), (0.98, Better::Lower)] {
            let none = found(median, 0.01, better);
            assert!(
                none.text.starts_with("observing it (block-trace) cost nothing that 5 pairs"),
                "{}",
                none.text
            );
            assert!(!none.text.contains('%'), "{}", none.text);
        }
    }

    #[test]
    fn nothing_is_said_of_a_case_that_nobody_observed() {
        assert_eq!(fixture::count(&RULE, &fixture::case(5), &Controls::default()), 0);
    }
}
