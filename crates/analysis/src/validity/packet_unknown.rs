//! What packets the path carries could not be found out: a firewall lets no
//! datagrams through, as a rule.

use model::run::CaseResult;
use model::{Finding, Severity, fact};

use super::finding;
use crate::{Context, Rule, RuleCheck, measure};

pub(crate) const RULE: Rule = Rule {
    code: "packet-size-unknown",
    doc: "The datagrams that would have shown how large packets the path carries were not answered, not even the smallest: a \
         path that carries less than the MTU of the interface here would not be seen. Said once in a run.",
    english: r#"
finding-packet-size-unknown =
    how large packets the path carries could not be probed: no datagram was answered
    .advice = let UDP through between the two machines, or see that all MTUs on the path are the same
"#,
    check: RuleCheck::One(check),
};

fn check(case: &CaseResult, context: &Context<'_>) -> Option<Finding> {
    if !context.siblings.is_first(case, RULE.code, is_unknown) {
        return None;
    }
    Some(finding(RULE.code, Severity::Note, &[], context.headline))
}

fn is_unknown(case: &CaseResult) -> bool {
    let number = |t, name| measure::number(t, name);
    measure::good(case)
        .any(|t| number(t, fact::PACKET_OF_ROUTE).is_some() && number(t, fact::PACKET_CARRIED).is_none())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::fixture;
    use model::study::Controls;

    #[test]
    fn a_path_that_could_not_be_probed_is_told() {
        for (route, carried, count) in
            [(Some(1500u64), None, 1), (Some(1500), Some(1500u64), 0), (None, None, 0)]
        {
            let mut case = fixture::case(1);
            fixture::workload(&mut case, "net.stream");
            let facts = &mut case.trials[0].result.main_mut().facts;
            facts.extend(route.map(|bytes| (fact::PACKET_OF_ROUTE, bytes.into())));
            facts.extend(carried.map(|bytes| (fact::PACKET_CARRIED, bytes.into())));
            assert_eq!(fixture::count(&RULE, &case, &Controls::default()), count);
        }
    }
}
