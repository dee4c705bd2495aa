//! Memory was swapped while the window was open.

use language::format;
use model::finding::Evidence;
use model::run::CaseResult;
use model::{Finding, FindingKind, Severity, Unit};

use crate::{Context, Rule, measure};

/// Bytes per second that are felt: a stray page fetched back is not.
const FELT: f64 = 1e6;

/// The rule.
pub(crate) struct Swapping;

impl Rule for Swapping {
    fn code(&self) -> &'static str {
        "swapping"
    }

    fn doc(&self) -> &'static str {
        "Memory was swapped while the window was open."
    }

    fn check(&self, case: &CaseResult, _context: &Context<'_>) -> Vec<Finding> {
        let rate = |name: &str| measure::median(case, |t| measure::rate(t, "memory", name)).unwrap_or(0.0);
        let (into, out) = (rate("pswpin"), rate("pswpout"));
        let worst = if into >= out { "pswpin" } else { "pswpout" };
        let Some(place) = measure::place(case, "memory", worst).filter(|_| into.max(out) >= FELT) else {
            return Vec::new();
        };
        let show = |rate: f64| format::setting(rate, Unit::BytesPerSecond);
        let text = format!(
            "the machine swapped in the window ({} in, {} out): the figure may hold the swap device's speed",
            show(into),
            show(out)
        );
        vec![
            Finding::new(FindingKind::Validity, self.code(), Severity::Warning, text)
                .on("memory")
                .arg("in", into)
                .arg("out", out)
                .because(
                    Evidence::at("swap", place, format!("{} swapped", show(into.max(out))))
                        .arg("rate", into.max(out)),
                )
                .advise("use smaller sizes, free memory, or switch swap off for the measurement"),
        ]
    }
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
            case.trials[0].result.counters =
                vec![fixture::counter("memory", "/proc/vmstat pswpout", 4096.0, pages)];
            fixture::count(&Swapping, &case, &Controls::default())
        };
        assert_eq!((count(0), count(2), count(10_000)), (0, 0, 1));
    }
}
