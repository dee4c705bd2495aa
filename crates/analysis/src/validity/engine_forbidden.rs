//! An engine of disk loads that the machine forbids, so that another was used.

use model::run::CaseResult;
use model::{Finding, Severity, Value, fact};

use super::finding;
use crate::{Context, Rule, RuleCheck};

pub(crate) const RULE: Rule = Rule {
    code: "engine-forbidden",
    doc: "The machine forbids the engine that would have been taken first, so another was used.",
    english: r#"
finding-engine-forbidden = operations were handed over by the engine { $engine }: { $reason }
"#,
    check: RuleCheck::One(check),
};

fn check(case: &CaseResult, context: &Context<'_>) -> Option<Finding> {
    let why = case.trials.iter().find_map(|t| t.result.main().facts.get(&fact::ENGINE_FORBIDDEN));
    let (Some(Value::Text(why)), Some(engine)) = (why, &crate::measure::profile(case).interface) else {
        return None;
    };
    let args = [("reason", why.as_str().into()), ("engine", engine.as_str().into())];
    Some(finding(RULE.code, Severity::Note, &args, context.headline))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::fixture;
    use model::study::Controls;

    #[test]
    fn a_forbidden_engine_is_named_with_the_reason() {
        let mut case = fixture::case(1);
        fixture::set(&mut case, "engine", "aio");
        assert_eq!(fixture::count(&RULE, &case, &Controls::default()), 0);
        let why = Value::from("io_uring is forbidden here");
        case.trials[0].result.main_mut().facts.insert(fact::ENGINE_FORBIDDEN, why);
        let found = fixture::found(&RULE, &case, &fixture::context(&Controls::default()));
        assert_eq!(
            found[0].text,
            "operations were handed over by the engine aio: io_uring is forbidden here"
        );
        assert_eq!(found[0].severity, Severity::Note);
    }
}
