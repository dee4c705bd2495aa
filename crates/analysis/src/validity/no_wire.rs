//! Both ends of a network load on one machine: no wire was measured.

use model::run::CaseResult;
use model::{Finding, Severity};

use super::finding;
use crate::{Context, Rule, RuleCheck, measure};

pub(crate) const RULE: Rule = Rule {
    code: "no-wire",
    doc: "Both ends of a network load ran on this machine (peer=self, url=self), over its loopback: what is measured is the kernel and \
         the processor, and both ends share them. Said once in a run.",
    english: r#"
finding-no-wire =
    both ends ran on this machine over loopback: no network was measured, and both ends shared the processor
    .advice =
        run the other end on another machine: `headroom node` there and its join string as --peer, or a server there and its
        --url
"#,
    check: RuleCheck::One(check),
};

fn check(case: &CaseResult, context: &Context<'_>) -> Option<Finding> {
    if !context.siblings.is_first(case, RULE.code, measure::is_loopback) {
        return None;
    }
    Some(finding(RULE.code, Severity::Warning, &[], context.headline))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::fixture;
    use model::study::Controls;

    #[test]
    fn loopback_is_no_wire() {
        let mut case = fixture::case(1);
        fixture::workload(&mut case, "net.stream");
        for (peer, count) in [("10.0.0.2:7117", 0), ("self", 1)] {
            fixture::set(&mut case, "peer", peer);
            assert_eq!(fixture::count(&RULE, &case, &Controls::default()), count);
        }
    }
}
