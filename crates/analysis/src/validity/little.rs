//! Little's law: the mean number of operations under way is their rate times
//! their mean duration. More than were ever started at once is impossible.

use language::format;
use model::finding::{Evidence, Place};
use model::run::CaseResult;
use model::{Finding, FindingKind, Severity, Unit};

use crate::{Context, Rule, measure};

/// How far beyond the depth the product may be: the rate counts operations
/// partly in the window, the histogram those that end in it.
const BEYOND: f64 = 0.05;
/// How far below: a worker starts its operations one after the other, and
/// hands over an interval's record now and then.
const BELOW: f64 = 0.25;
/// Operations as short as this are mostly what the worker does beside them.
const SHORT_S: f64 = 10e-6;
/// So few operations, for each one under way, and the edges decide.
const FEW: f64 = 20.0;

/// The rule.
pub(crate) struct Little;

impl Rule for Little {
    fn code(&self) -> &'static str {
        "littles-law-broken"
    }

    fn doc(&self) -> &'static str {
        "Little's law: the mean number of operations under way is their rate times their mean duration. More than were ever started at once is impossible."
    }

    fn check(&self, case: &CaseResult, _context: &Context<'_>) -> Vec<Finding> {
        if !measure::is_closed(case) || measure::is_null(case) {
            return Vec::new();
        }
        let (Some((metric, rate)), Some(mean)) = (measure::operations(case), measure::mean_latency(case))
        else {
            return Vec::new();
        };
        let depth = measure::concurrency(case);
        let window = measure::median(case, |t| Some(t.result.window?.seconds())).unwrap_or(0.0);
        if mean < SHORT_S || rate * window < FEW * depth {
            return Vec::new();
        }
        // Of each trial by itself: rates and latencies of different trials have
        // no law.
        let product = |t: &model::Trial| Some(measure::trial_operations(t)? * measure::trial_latency(t)?);
        let Some(under_way) = measure::median(case, product) else { return Vec::new() };
        let ratio = under_way / depth;
        if (1.0 - BELOW..=1.0 + BEYOND).contains(&ratio) {
            return Vec::new();
        }
        let shown = format::setting(mean, Unit::Seconds);
        let (severity, how, text) = if ratio > 1.0 {
            (
                Severity::Error,
                "impossible",
                format!(
                    "Little's law is broken: {rate:.0} operations a second of {shown} need {under_way:.1} at once, and \
                     only {depth:.0} were under way; the rate or the latency is wrong"
                ),
            )
        } else {
            (
                Severity::Warning,
                "idle",
                format!(
                    "{rate:.0} operations a second of {shown} make {under_way:.1} at once, {} of the depth of \
                     {depth:.0}: the rest of the time the load itself was not ready",
                    format::percent(ratio)
                ),
            )
        };
        let at = |metric: &str| Place::Metric(metric.to_owned());
        vec![
            Finding::new(FindingKind::Validity, self.code(), severity, text)
                .arg("how", how)
                .arg("depth", depth)
                .arg("under_way", under_way)
                .arg("share", ratio)
                .arg("rate", rate)
                .arg("latency_s", mean)
                .because(
                    Evidence::at("rate", at(metric), format::setting(rate, Unit::PerSecond))
                        .arg("rate", rate),
                )
                .because(measure::latency_evidence(mean)),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::fixture;
    use model::study::Controls;
    use model::{Better, Quantity, Unit};

    fn case(rate: f64, latency_ns: u64, depth: u64) -> CaseResult {
        let mut case = fixture::case(1);
        case.parameters.set("queue-depth", depth);
        let trial = &mut case.trials[0];
        trial.result.window = Some(model::trial::Window { start_ns: 0, end_ns: 1_000_000_000 });
        let mut histogram = stats::histogram::new_latency();
        histogram.record_n(latency_ns, rate as u64).unwrap();
        let text = stats::histogram::encode(&histogram).unwrap();
        trial.result.histograms.insert("latency".to_owned(), text);
        trial.result.metrics.insert("iops".to_owned(), Quantity { value: rate, unit: Unit::PerSecond });
        case.estimates.insert("iops".to_owned(), fixture::estimate(rate, Unit::PerSecond, Better::Higher));
        case
    }

    #[test]
    fn what_cannot_be_is_found() {
        let count = |rate, ns, depth| fixture::count(&Little, &case(rate, ns, depth), &Controls::default());
        assert_eq!(count(10_000.0, 100_000, 1), 0);
        assert_eq!(count(9_000.0, 100_000, 1), 0, "a worker's own time");
        assert_eq!(count(12_000.0, 100_000, 1), 1, "more than one at once");
        assert_eq!(count(10_000.0, 100_000, 4), 1, "three of four were idle");
        assert_eq!(count(1_000_000.0, 100, 1), 0, "too short to judge");
    }
}
