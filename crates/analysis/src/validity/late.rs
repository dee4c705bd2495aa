//! An open loop could not keep its rate.

use model::run::CaseResult;
use model::{Finding, Severity, Value};

use super::finding;
use crate::{Context, Rule, RuleCheck, measure};

/// Below this share of the asked rate the target did not keep up.
const KEPT: f64 = 0.98;

/// Whether the main load, an open loop, kept its rate; where it counts no
/// operations nobody can say, and it is taken to.
pub fn is_kept(case: &CaseResult) -> bool {
    findings(case, 1).is_empty()
}

pub(crate) const RULE: Rule = Rule {
    code: "rate-not-kept",
    doc: "An open loop could not keep its rate.",
    english: r#"
finding-rate-not-kept =
    { $workload } kept { PERCENT($share) } of the { SHORT($asked, unit: "1/s") } asked for: latency then grows with the
    length of the trial and says how long the queue got, not how fast the target is
"#,
    check: RuleCheck::Many(check),
};

fn check(case: &CaseResult, _context: &Context<'_>) -> Vec<Finding> {
    findings(case, usize::MAX)
}

/// Of the first `loads` loads, main load first.
fn findings(case: &CaseResult, loads: usize) -> Vec<Finding> {
    let main = (case.loads.main.workload.as_str(), measure::profile(case), &case.loads.main.estimates);
    let company = case.loads.beside.iter().map(|c| (c.workload.as_str(), &c.profile, &c.estimates));
    let window_s = case.trials.iter().find_map(|t| t.result.window).map_or(1.0, |w| w.seconds());
    std::iter::once(main)
        .chain(company)
        .take(loads)
        .filter_map(|(workload, profile, estimates)| {
            let asked = profile.concurrency.rate_per_s?;
            let (metric, got) = measure::RATES.iter().find_map(|m| Some((*m, estimates.get(m)?)))?;
            let (share, n) = (got.median / asked, got.n);
            let arrivals = asked * window_s * n.max(1) as f64;
            // Poisson arrivals vary by the square root of their number.
            if share >= KEPT - 4.0 / arrivals.sqrt() {
                return None;
            }
            let args = [
                ("workload", workload.into()),
                ("share", Value::Number(share)),
                ("asked", Value::Number(asked)),
                ("got", Value::Number(got.median)),
            ];
            Some(finding(RULE.code, Severity::Warning, &args, Some(metric)))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::fixture;
    use model::run::Estimate;
    use model::study::Controls;
    use model::{Better, Unit, metric};

    #[test]
    fn a_kept_rate_is_no_finding() {
        let mut case = fixture::case(5);
        fixture::set(&mut case, "rate", 1000.0);
        let mut at = |name, median| {
            let estimate = Estimate {
                n: 5,
                median,
                low: None,
                high: None,
                confidence: None,
                method: None,
                unit: Unit::PerSecond,
                better: Better::Higher,
            };
            case.loads.main.estimates = [(name, estimate)].into();
            fixture::count(&RULE, &case, &Controls::default())
        };
        for name in [metric::IOPS, metric::TRANSACTIONS_PER_SECOND] {
            assert_eq!(at(name, 995.0), 0, "{name}");
            assert_eq!(at(name, 600.0), 1, "{name}");
        }
    }
}
