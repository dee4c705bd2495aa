//! A server that refuses most of what it is asked for: a limit of rate or of connections, or a queue that is full. What is
//! refused is over soon and costs little, so that what the client computes or waits for says nothing of what is served.

use model::profile::Aspect;
use model::run::CaseResult;
use model::{Severity, metric};

use super::network::DECIDES;
use super::{Verdict, finding, server, shown};
use crate::{Context, measure};

pub(super) const ENGLISH: &str = r#"
evidence-refused = { PERCENT($share) } of the operations failed
"#;

pub(super) fn examine(case: &CaseResult, _context: &Context<'_>) -> Verdict {
    let is_server = measure::profile(case).parameter(Aspect::Server).is_some();
    let failed = measure::median(case, |trial| measure::measured(trial, metric::ERROR_SHARE));
    let Some(share) = failed.filter(|share| is_server && *share >= DECIDES) else {
        return Verdict::Elsewhere;
    };
    Verdict::Full(Box::new(
        finding("server-bound", Severity::Warning)
            .arg("how", "refused")
            .arg("option", server::option(case))
            .arg("share", share)
            .because(shown("refused", metric::ERROR_SHARE).arg("share", share)),
    ))
}

#[cfg(test)]
mod tests {
    use model::{Better, Finding, ParameterName, Quantity, Unit};

    use super::*;
    use crate::validity::fixture;

    /// What holds back 100 requests a second that are answered after 100 us, beside which such a share fails.
    fn verdict(failed: f64) -> Finding {
        let mut case = fixture::case(1);
        fixture::workload(&mut case, "net.pingpong");
        fixture::set(&mut case, "peer", "10.0.0.2:7117");
        case.loads.main.profile.aspects.insert(ParameterName::new("peer"), Aspect::Server);
        let estimate = fixture::estimate(100.0, Unit::PerSecond, Better::Higher);
        case.loads.main.estimates.insert(metric::OPERATIONS_PER_SECOND, estimate);
        let main = case.trials[0].result.main_mut();
        main.metrics.insert(metric::ERROR_SHARE, Quantity { value: failed, unit: Unit::One });
        let mut latency = stats::histogram::new_latency();
        latency.record(100_000).unwrap();
        main.histograms.insert(metric::LATENCY, stats::histogram::encode(&latency).unwrap());
        let found = crate::bottleneck::check(&case, &fixture::context(&Default::default()));
        crate::said::written(found).remove(0)
    }

    /// Bug: a server that answered nine in ten requests with an error was said to be held back by the round trip.
    #[test]
    fn a_server_that_refuses_most_requests_is_named() {
        let found = verdict(0.9);
        assert_eq!(found.code, "server-bound");
        assert!(found.text.contains("90 % of the requests"), "{}", found.text);
        assert!(found.advice.is_some_and(|advice| advice.contains("limit of rate")));
        assert_eq!(verdict(0.1).code, "round-trip-bound", "most are served");
    }
}
