//! Connections that are made anew though the load would keep them: a server, or what stands before it, closes them after an
//! answer. Each goes there and back once more, and with TLS twice (RFC 9293, RFC 8446), so that of the time until an answer is
//! there less is the server's. The kernel counts what was opened (`ActiveOpens`).

use model::finding::Evidence;
use model::profile::Aspect;
use model::run::CaseResult;
use model::{Resource, Trial, fact};

use super::network::DECIDES;
use crate::measure;

/// What a kernel calls connections that were opened from here.
const OPENED: &str = "ActiveOpens";

pub(super) const ENGLISH: &str = r#"
evidence-connections-remade =
    for { PERCENT($share) } of the requests a connection is made though the load keeps them: the server, or what stands before
    it, closes them, and each new one goes there and back once more{ $tls ->
        [yes] , and again for TLS
       *[no] {""}
    }
"#;

/// How often a request goes there and back at least, with the connection that is made for it.
pub(super) fn trips(case: &CaseResult) -> f64 {
    let asked = asked(case);
    let opened = opened(case).unwrap_or(0.0);
    asked.max(1.0 + opened * if has_tls(case) { 2.0 } else { 1.0 })
}

/// What the load asks for: once where it keeps connections.
fn asked(case: &CaseResult) -> f64 {
    measure::median(case, |trial| measure::number(trial, fact::ROUND_TRIPS)).unwrap_or(1.0)
}

fn has_tls(case: &CaseResult) -> bool {
    measure::good(case).any(|trial| trial.result.main().facts.contains_key(&fact::TLS_SUITE))
}

/// How many connections are opened for each request to a server, at most one.
fn opened(case: &CaseResult) -> Option<f64> {
    let profile = measure::profile(case);
    let is_watched = profile.parameter(Aspect::Server).is_some() && !profile.is_stream();
    let (_, rate) = measure::operations(case).filter(|(_, rate)| is_watched && *rate > 0.0)?;
    let opened = measure::median(case, |trial: &Trial| measure::rate(trial, &Resource::TCP, OPENED))?;
    Some((opened / rate).min(1.0))
}

/// That most requests have a connection of their own, which nobody asked for.
pub(super) fn told(case: &CaseResult) -> Option<Evidence> {
    let share = opened(case).filter(|share| *share >= DECIDES && asked(case) <= 1.0)?;
    let is_transaction = measure::does_transactions(case);
    let place = measure::place(case, &Resource::TCP, OPENED).filter(|_| !is_transaction)?;
    Some(Evidence::at("connections-remade", place).arg("share", share).arg("tls", has_tls(case)))
}

#[cfg(test)]
mod tests {
    use model::{Better, Finding, ParameterName, Unit, metric};

    use super::*;
    use crate::validity::fixture;

    /// What holds back 40 requests a second over 10 ms that are answered after 25 ms, while so many connections are opened.
    fn verdict(opened: u64) -> Finding {
        let mut case = fixture::case(1);
        fixture::workload(&mut case, "net.pingpong");
        fixture::set(&mut case, "peer", "10.0.0.2:7117");
        case.loads.main.profile.aspects.insert(ParameterName::new("peer"), Aspect::Server);
        let estimate = fixture::estimate(40.0, Unit::PerSecond, Better::Higher);
        case.loads.main.estimates.insert(metric::OPERATIONS_PER_SECOND, estimate);
        let result = &mut case.trials[0].result;
        result.local_mut().counters =
            vec![fixture::counter("tcp", "/proc/net/snmp ActiveOpens", 1.0, opened)];
        let main = result.main_mut();
        let mut latency = stats::histogram::new_latency();
        latency.record(25_000_000).unwrap();
        main.histograms.insert(metric::LATENCY, stats::histogram::encode(&latency).unwrap());
        main.facts.insert(fact::RTT_LEAST, 0.01.into());
        let found = crate::bottleneck::check(&case, &fixture::context(&Default::default()));
        crate::said::written(found).remove(0)
    }

    /// Bug: a server was blamed for round trips of connections that it closes after each answer.
    #[test]
    fn connections_that_a_server_closes_go_there_and_back_once_more() {
        let found = verdict(40);
        assert_eq!(found.code, "round-trip-bound");
        let told = found.evidence.iter().find(|one| one.code == "connections-remade");
        let text = told.and_then(|one| one.text.clone()).unwrap_or_default();
        assert!(text.starts_with("for 100 % of the requests a connection is made"), "{found:?}");
        let kept = verdict(0);
        assert_eq!(kept.code, "server-bound");
        assert!(kept.evidence.iter().all(|one| one.code != "connections-remade"), "{kept:?}");
    }
}
