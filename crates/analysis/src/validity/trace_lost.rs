//! Events that the kernel had no room for while a load was traced.

use model::finding::Evidence;
use model::run::CaseResult;
use model::{Finding, FindingKind, Severity};

use crate::{Context, Rule, RuleCheck, measure};

pub(crate) const RULE: Rule = Rule {
    code: "trace-lost",
    doc: "The kernel had no room for events of the block trace: its counts are too low, and its times are of those requests \
          that were seen. Beyond 1 % no verdict is decided by it.",
    english: r#"
finding-trace-lost =
    the kernel had no room for { FIXED($lost) } events of the block trace beside { FIXED($events) } that were read: its counts
    are too low, and its times are of the requests that were seen
"#,
    check: RuleCheck::One(check),
};

fn check(case: &CaseResult, context: &Context<'_>) -> Option<Finding> {
    let twin = measure::observed(case, context.siblings)?;
    let of_all = |f: fn(&model::block_trace::BlockTrace) -> u64| -> u64 {
        measure::traces(twin).map(|(_, trace)| f(trace)).sum()
    };
    let (lost, events) = (of_all(|trace| trace.lost_events), of_all(|trace| trace.events));
    if lost == 0 {
        return None;
    }
    Some(
        Finding::new(FindingKind::Validity, RULE.code, Severity::Warning)
            .arg("lost", lost as f64)
            .arg("events", events as f64)
            .because_same(Evidence { code: RULE.code.to_owned(), ..Evidence::default() }),
    )
}

#[cfg(test)]
mod tests {
    use model::study::Controls;

    use super::*;
    use crate::Siblings;
    use crate::observed::tests::traced;
    use crate::validity::fixture;

    #[test]
    fn lost_events_are_said() {
        let with = |lost: u64| {
            let mut cases = traced(&fixture::case(3), 300.0, 200.0, 8);
            for trial in &mut cases[1].trials {
                trial.result.local_mut().block_trace.as_mut().unwrap().lost_events = lost;
            }
            let controls = Controls::default();
            let siblings = Siblings::of(&cases);
            let context = Context { siblings: &siblings, ..fixture::context(&controls) };
            fixture::found(&RULE, &cases[0], &context)
        };
        assert!(with(0).is_empty());
        let found = with(7);
        assert!(found[0].text.contains("no room for 21 events"), "{}", found[0].text);
        assert_eq!(found[0].severity, Severity::Warning);
    }
}
