//! Memory was swapped while the window was open.

use model::finding::Evidence;
use model::run::CaseResult;
use model::{Finding, FindingKind, Resource, Severity};

use crate::{Context, Rule, RuleCheck, measure};

/// Bytes per second that are felt: a stray page fetched back is not.
const FELT: f64 = 1e6;

pub(crate) const RULE: Rule = Rule {
    code: "swapping",
    doc: "Memory was swapped while the window was open.",
    english: r#"
finding-swapping =
    the machine swapped in the window ({ SHORT($in, unit: "B/s") } in, { SHORT($out, unit: "B/s") } out): the figure
    may hold the swap device's speed
    .advice = use smaller sizes, free memory, or switch swap off for the measurement

evidence-swap = { SHORT($rate, unit: "B/s") } swapped
"#,
    check: RuleCheck::One(check),
};

fn check(case: &CaseResult, _context: &Context<'_>) -> Option<Finding> {
    let rate =
        |name: &str| measure::median(case, |t| measure::rate(t, &Resource::MEMORY, name)).unwrap_or(0.0);
    let (into, out) = (rate("pswpin"), rate("pswpout"));
    let worst = if into >= out { "pswpin" } else { "pswpout" };
    let place = measure::place(case, &Resource::MEMORY, worst).filter(|_| into.max(out) >= FELT)?;
    Some(
        Finding::new(FindingKind::Validity, RULE.code, Severity::Warning)
            .on(Resource::MEMORY)
            .arg("in", into)
            .arg("out", out)
            .because(Evidence::at("swap", place).arg("rate", into.max(out))),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::fixture;
    use model::study::Controls;

    #[test]
    fn a_page_or_two_is_no_swapping() {
        let count = |pages: u64| {
            let mut case = fixture::case(1);
            case.trials[0].result.local_mut().counters =
                vec![fixture::counter("memory", "/proc/vmstat pswpout", 4096.0, pages)];
            fixture::count(&RULE, &case, &Controls::default())
        };
        assert_eq!((count(0), count(2), count(10_000)), (0, 0, 1));
    }
}
