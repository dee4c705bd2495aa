//! What a client computes for each of its requests to a server that is no end of ours: it writes the question, reads the
//! answer, and where connections are not kept makes one, with the keys of TLS. Of the time until an answer is there this is
//! neither the way nor the server's.

use model::profile::Aspect;
use model::run::CaseResult;
use model::{Resource, Severity};

use super::network::DECIDES;
use super::{Verdict, finding, server, shown};
use crate::measure;

/// CPU seconds of the client for each request; none where nobody counted, or where the other end is ours.
pub(super) fn each_s(case: &CaseResult) -> f64 {
    let is_client = measure::profile(case).parameter(Aspect::Server).is_some();
    let used = measure::worker_cpu(case).filter(|_| is_client);
    let rate = measure::operations(case).filter(|(_, rate)| *rate > 0.0);
    used.zip(rate).map_or(0.0, |((_, used), (_, rate))| used / rate)
}

/// A client whose own computing is most of the `mean` seconds until an answer is there.
pub(super) fn bound(case: &CaseResult, mean: f64) -> Option<Verdict> {
    let each_s = Some(each_s(case)).filter(|each_s| mean > 0.0 && *each_s >= DECIDES * mean)?;
    let (metric, used) = measure::worker_cpu(case)?;
    let in_thread = (used / measure::workers(case).max(1.0)).min(1.0);
    Some(Verdict::Full(Box::new(
        finding("client-bound", Severity::Note)
            .on(Resource::CPUS)
            .arg("how", "requests")
            .arg("share", (each_s / mean).min(1.0))
            .arg("each_s", each_s)
            .arg("option", server::option(case))
            .because(shown("worker-cpu", metric).arg("share", in_thread))
            .because(measure::latency_evidence(mean)),
    )))
}

#[cfg(test)]
mod tests {
    use model::{Better, Finding, ParameterName, Unit, fact, metric};

    use super::*;
    use crate::validity::fixture;

    /// What holds back requests that are answered after 1 ms, of which the way takes 0.1 ms and the client computes for so
    /// long; to a server, or to an end of ours.
    fn verdict(cpu_s: f64, is_server: bool) -> Finding {
        let mut case = fixture::case(1);
        fixture::workload(&mut case, "net.pingpong");
        fixture::set(&mut case, "peer", "10.0.0.2:7117");
        let estimates = [
            (metric::OPERATIONS_PER_SECOND, 1000.0, Unit::PerSecond, Better::Higher),
            (metric::CPU_PER_OPERATION, cpu_s, Unit::Seconds, Better::Lower),
        ];
        for (name, value, unit, better) in estimates {
            case.loads.main.estimates.insert(name, fixture::estimate(value, unit, better));
        }
        if is_server {
            case.loads.main.profile.aspects.insert(ParameterName::new("peer"), Aspect::Server);
        }
        let main = case.trials[0].result.main_mut();
        let mut latency = stats::histogram::new_latency();
        latency.record(1_000_000).unwrap();
        main.histograms.insert(metric::LATENCY, stats::histogram::encode(&latency).unwrap());
        main.facts.insert(fact::RTT_LEAST, 0.0001.into());
        let found = crate::bottleneck::check(&case, &fixture::context(&Default::default()));
        crate::said::written(found).remove(0)
    }

    /// Bug: what a client computes, as for a connection with TLS that is made anew for each request, was said to be spent
    /// in the server.
    #[test]
    fn what_a_client_computes_is_not_spent_in_the_server() {
        let found = verdict(0.0006, true);
        assert_eq!(found.code, "client-bound");
        assert!(found.text.contains("60 % of the time until an answer is there"), "{}", found.text);
        assert!(found.text.ends_with("for each request"), "{}", found.text);
        assert_eq!(verdict(0.0003, true).code, "server-bound");
        assert_eq!(verdict(0.00045, true).code, "round-trip-bound", "neither has most of it");
        assert_eq!(verdict(0.0006, false).code, "round-trip-bound");
    }
}
