//! Packets that the interface here sends and the path does not carry: a switch or
//! the other end has a smaller MTU, and what is larger vanishes.

use model::finding::{Evidence, Place};
use model::run::CaseResult;
use model::{Finding, FindingKind, Severity, fact, metric};

use crate::{Context, Rule, RuleCheck, measure};

pub(crate) const RULE: Rule = Rule {
    code: "packet-not-carried",
    doc: "Before each trial packets of the size that the route allows are sent to the other end, and smaller ones where those do \
         not arrive: the path carries less than the MTU of the interface here.",
    english: r#"
finding-packet-not-carried =
    packets of { FIXED($route) } bytes, which the interface here sends, do not reach the other end: the path carries
    { FIXED($carried) } bytes at most
    .advice = give all interfaces and switches on the path the same MTU

evidence-carried = { FIXED($carried) } bytes arrived, more did not
"#,
    check: RuleCheck::One(check),
};

fn check(case: &CaseResult, _context: &Context<'_>) -> Option<Finding> {
    let of = |t: &model::trial::Trial| {
        let number = |name| measure::number(t, name);
        number(fact::PACKET_OF_ROUTE)
            .zip(number(fact::PACKET_CARRIED))
            .filter(|(route, carried)| carried < route)
    };
    let (route, carried) = measure::good(case).find_map(of)?;
    let evidence = Evidence::at("carried", Place::Metric(metric::THROUGHPUT));
    Some(
        Finding::new(FindingKind::Validity, RULE.code, Severity::Warning)
            .arg("route", route)
            .arg("carried", carried)
            .because(evidence.arg("carried", carried)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::fixture;
    use model::study::Controls;

    #[test]
    fn a_path_that_carries_less_than_the_interface_is_named() {
        for (route, carried, count) in [(9000u64, 1500u64, 1), (1500, 1500, 0)] {
            let mut case = fixture::case(1);
            fixture::workload(&mut case, "net.stream");
            let facts = &mut case.trials[0].result.main_mut().facts;
            facts.insert(fact::PACKET_OF_ROUTE, route.into());
            facts.insert(fact::PACKET_CARRIED, carried.into());
            assert_eq!(fixture::count(&RULE, &case, &Controls::default()), count);
        }
    }
}
