//! A disk load that was told to hand nothing over (`engine=null`): its figure is
//! the cost of the loop, and stands among those of disks.

use model::run::CaseResult;
use model::{Finding, Severity};

use super::finding;
use crate::{Context, Rule, RuleCheck, measure};

pub(crate) const RULE: Rule = Rule {
    code: "nothing-driven",
    doc: "A disk load with engine=null: nothing was read or written, so the figure is what the tool itself can do at most.",
    english: r#"
finding-nothing-driven =
    engine=null: nothing was read or written; this is what the tool itself can do at most
"#,
    check: RuleCheck::One(check),
};

fn check(case: &CaseResult, context: &Context<'_>) -> Option<Finding> {
    let profile = measure::profile(case);
    if !profile.is_null || profile.targets == 0 {
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
    fn what_drives_nothing_is_no_disk() {
        let mut case = fixture::case(1);
        for (engine, count) in [("io_uring", 0), ("null", 1)] {
            fixture::set(&mut case, "engine", engine);
            assert_eq!(fixture::count(&RULE, &case, &Controls::default()), count);
        }
    }
}
