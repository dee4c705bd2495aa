//! The workers did not run where it was asked.

use model::run::CaseResult;
use model::study::Pin;
use model::{Finding, Severity};

use super::finding;
use crate::{Context, Rule, RuleCheck};

pub(crate) const RULE: Rule = Rule {
    code: "placement-not-as-asked",
    doc: "The workers did not run where it was asked.",
    english: r#"
finding-placement-not-as-asked =
    { $how ->
        [too-many] the workers were not pinned: { $workers } are more than the CPUs that they may run on
        [partly] not all of { $workers } workers could be placed by `{ $done }`: there are too few such CPUs
       *[no-interrupts] the workers were placed by `{ $done }`, not `{ $asked }`: no interrupts of this resource are
            known
    }
"#,
    check: RuleCheck::One(check),
};

fn check(case: &CaseResult, _context: &Context<'_>) -> Option<Finding> {
    let placement = case.trials.iter().find_map(|t| t.result.placement.as_ref());
    let placement = placement.filter(|p| p.reason.is_some())?;
    let severity = if placement.asked == Pin::Auto { Severity::Note } else { Severity::Warning };
    let (asked, done) = (placement.asked.name(), placement.policy.name());
    let workers = placement.workers.len() as u64;
    // The agent's decision, told by what came of it.
    let how = match &placement.policy {
        Pin::None => "too-many",
        policy if *policy == placement.asked => "partly",
        _ => "no-interrupts",
    };
    let args =
        [("asked", asked.into()), ("done", done.into()), ("how", how.into()), ("workers", workers.into())];
    Some(finding(RULE.code, severity, &args, None))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::fixture;
    use model::study::Controls;

    #[test]
    fn only_a_placement_with_a_reason_is_named() {
        let mut case = fixture::case(1);
        let mut text = |asked, policy, reason: Option<&str>| {
            case.trials[0].result.placement = Some(model::trial::Placement {
                asked,
                policy,
                reason: reason.map(str::to_owned),
                workers: vec![model::trial::WorkerPlace { load: 0, cpu: None }; 5],
                interrupts: vec![],
            });
            let found = fixture::found(&RULE, &case, &fixture::context(&Controls::default()));
            found.into_iter().map(|f| f.text).next().unwrap_or_default()
        };
        assert_eq!(text(Pin::Local, Pin::None, None), "");
        assert!(text(Pin::Local, Pin::None, Some("too many")).contains("5 are more than"));
        assert!(text(Pin::Local, Pin::Spread, Some("not known")).contains("`spread`, not `local`"));
        assert!(text(Pin::Remote, Pin::Remote, Some("some")).contains("not all of 5"));
    }
}
