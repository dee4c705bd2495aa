//! A server that refuses most of what it is asked for: a limit of rate or of connections, or a queue that is full. What is
//! refused is over soon and costs little, so that what the client computes or waits for says nothing of what is served.

use model::profile::Aspect;
use model::run::CaseResult;
use model::{Severity, metric};

use super::network::DECIDES;
use super::{FULL, Verdict, finding, server, shown};
use crate::{Context, measure};

pub(super) const ENGLISH: &str = r#"
evidence-refused = { PERCENT($share) } of the operations failed
"#;

pub(super) fn examine(case: &CaseResult, _context: &Context<'_>) -> Verdict {
    let is_server = measure::profile(case).parameter(Aspect::Server).is_some();
    let failed = measure::median(case, |trial| measure::measured(trial, metric::ERROR_SHARE));
    let is_why = |share: f64| share >= DECIDES || is_what_is_missing(case, share);
    let Some(share) = failed.filter(|share| is_server && is_why(*share)) else {
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

/// From this share of the operations on, those that are refused are worth naming.
const FELT: f64 = 0.02;

/// Whether a load that is asked for a rate would have had it, but for what was refused: nothing else is missing of it.
fn is_what_is_missing(case: &CaseResult, share: f64) -> bool {
    let asked = measure::profile(case).concurrency.rate_per_s.filter(|_| !measure::is_closed(case));
    let served = measure::operations(case).map(|(_, rate)| rate);
    share >= FELT && asked.zip(served).is_some_and(|(asked, served)| served / (1.0 - share) >= FULL * asked)
}

#[cfg(test)]
mod tests {
    use model::{Better, Finding, ParameterName, Quantity, Unit};

    use super::*;
    use crate::validity::fixture;

    /// What holds back 100 requests a second that are answered after 100 us, beside which such a share fails.
    fn verdict(failed: f64) -> Finding {
        asked_for(None, failed)
    }

    /// The same, of requests that are asked for at a rate.
    fn asked_for(rate: Option<f64>, failed: f64) -> Finding {
        let mut case = fixture::case(1);
        fixture::workload(&mut case, "net.pingpong");
        if let Some(rate) = rate {
            fixture::set(&mut case, "rate", rate);
        }
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

    /// Bug: of a rate of which a limit of the server's refused a third nobody could tell why it was not kept.
    #[test]
    fn a_rate_that_is_kept_but_for_what_is_refused_is_held_back_by_the_server() {
        let found = asked_for(Some(140.0), 0.29);
        assert_eq!(found.code, "server-bound", "{found:?}");
        assert!(found.text.contains("29 % of the requests"), "{}", found.text);
        assert_ne!(asked_for(Some(300.0), 0.29).code, "server-bound", "far more is missing");
    }
}
