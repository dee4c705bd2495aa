//! A load that puts the same few rows in again and again, as mysqlslap does.

use model::database::fact;
use model::finding::{Evidence, Place};
use model::run::CaseResult;
use model::{Finding, FindingKind, Severity};

use crate::{Context, Rule, RuleCheck, measure};

pub(crate) const RULE: Rule = Rule {
    code: "repeated-inserts",
    doc: "The same few insertions came again and again, as mysqlslap makes them unless it is told otherwise: their texts \
         and their values are those that were there before.",
    english: r#"
finding-repeated-inserts =
    the same { FIXED($different) } insertions came again and again, as mysqlslap makes them: their rows compress and are cached
    as no others do
    .advice = compare it with figures of mysqlslap only; without repeated-inserts each row is another one
"#,
    check: RuleCheck::One(check),
};

fn check(case: &CaseResult, _context: &Context<'_>) -> Option<Finding> {
    let different = measure::median(case, |trial| measure::number(trial, fact::REPEATED_INSERTS))?;
    let found = Finding::new(FindingKind::Validity, RULE.code, Severity::Note).arg("different", different);
    Some(found.because_same(Evidence::at(RULE.code, Place::Fact(fact::REPEATED_INSERTS))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::database::simulated;
    use model::Value;

    #[test]
    fn only_a_load_that_says_so_is_named() {
        let repeats = simulated::case(&[(fact::REPEATED_INSERTS, Value::Integer(10))], &[]);
        assert!(simulated::said(&RULE, &repeats)[0].starts_with("the same 10 insertions"));
        assert!(simulated::found(&RULE, &simulated::case(&[], &[])).is_empty());
    }
}
