//! Answers, or requests, so large that the way takes a part of the time: what passed the interface stands beside a verdict
//! on the server, for a path that carries no more makes each request wait as a slow server does. How much that path can, nobody
//! says; where the interface itself is the limit, it is named before.

use model::database::metric as names;
use model::finding::Evidence;
use model::run::CaseResult;
use model::{ResourceKind, Unit};

use crate::measure;

/// A server sends 10 segments before anything is acknowledged (RFC 6928). What is several times as much goes there and back
/// more than once, bytes.
const LARGE: f64 = 65536.0;

/// Bytes that an interface counts.
const CAME_IN: &str = "rx_bytes";
const WENT_OUT: &str = "tx_bytes";

pub(super) const ENGLISH: &str = r#"
evidence-large-answers =
    each { $way ->
        [out] request is about { BINARY($each) }, and { SHORT($rate, $unit) } leave
       *[in] answer is about { BINARY($each) }, and { SHORT($rate, $unit) } come in
    } through { RESOURCE($resource) }: where the way carries no more, the time is spent there and not in the server
"#;

/// How large the answers are, or the requests where these are larger, and what passed with them.
pub(super) fn told(case: &CaseResult) -> Option<Evidence> {
    let is_request = !measure::profile(case).is_stream();
    // A transaction asks several times.
    let statements = measure::median(case, |trial| measure::measured(trial, names::QUERIES_PER_SECOND));
    let operations = || measure::operations(case).map(|(_, rate)| rate);
    let rate = statements.or_else(operations).filter(|rate| *rate > 0.0)?;
    let nic = case.path.iter().map(|step| &step.resource).find(|one| one.is_named(ResourceKind::Nic))?;
    let passed = |counter: &str| measure::median(case, |trial| measure::rate(trial, nic, counter));
    let ways = [("in", CAME_IN), ("out", WENT_OUT)];
    let ways = ways.into_iter().filter_map(|(way, counter)| Some((way, counter, passed(counter)?)));
    let (way, counter, moved) = ways.reduce(|most, one| if one.2 > most.2 { one } else { most })?;
    let is_large = moved / rate >= LARGE && is_request && !measure::is_one_machine(case);
    let place = measure::place(case, nic, counter).filter(|_| is_large)?;
    let (written, unit) = measure::written(moved, Unit::BytesPerSecond, nic);
    let evidence = Evidence::at("large-answers", place).arg("resource", nic.as_str()).arg("way", way);
    Some(evidence.arg("each", (moved / rate) as u64).arg("rate", written).arg("unit", unit))
}

#[cfg(test)]
mod tests {
    use model::profile::Aspect;
    use model::resource::PathStep;
    use model::{Better, Finding, ParameterName, Resource, fact, metric};

    use super::*;
    use crate::validity::fixture;

    /// What holds back 100 requests a second that are answered after 10 ms, while so many bytes came in through `eth0`.
    fn verdict(came: u64) -> Finding {
        verdict_of(came, 0)
    }

    /// The same, while so many left as well.
    fn verdict_of(came: u64, went: u64) -> Finding {
        let mut case = fixture::case(1);
        fixture::workload(&mut case, "net.pingpong");
        fixture::set(&mut case, "peer", "10.0.0.2:7117");
        case.loads.main.profile.aspects.insert(ParameterName::new("peer"), Aspect::Server);
        let estimate = fixture::estimate(100.0, Unit::PerSecond, Better::Higher);
        case.loads.main.estimates.insert(metric::OPERATIONS_PER_SECOND, estimate);
        case.path = vec![PathStep { resource: Resource::from("nic:eth0"), amplification: 1.0 }];
        let result = &mut case.trials[0].result;
        result.local_mut().counters = vec![
            fixture::counter("nic:eth0", "/proc/net/dev rx_bytes", 1.0, came),
            fixture::counter("nic:eth0", "/proc/net/dev tx_bytes", 1.0, went),
        ];
        let main = result.main_mut();
        let mut latency = stats::histogram::new_latency();
        latency.record(10_000_000).unwrap();
        main.histograms.insert(metric::LATENCY, stats::histogram::encode(&latency).unwrap());
        main.facts.insert(fact::RTT_LEAST, 0.0001.into());
        let found = crate::bottleneck::check(&case, &fixture::context(&Default::default()));
        crate::said::written(found).remove(0)
    }

    /// Bug: of large answers over a way that is narrow only the server was spoken of.
    #[test]
    fn what_came_in_stands_beside_a_server_of_large_answers() {
        let large = verdict(12_500_000);
        assert_eq!(large.code, "server-bound");
        let seen = large.evidence.iter().find(|one| one.code == "large-answers");
        let text = seen.and_then(|one| one.text.clone()).unwrap_or_default();
        assert!(text.contains("100 Mbit/s come in through network interface eth0"), "{large:?}");
        assert!(verdict(100_000).evidence.iter().all(|one| one.code != "large-answers"));
    }

    /// Bug: of large requests, such as objects that are put, the server was spoken of alone.
    #[test]
    fn what_went_out_stands_beside_a_server_of_large_requests() {
        let found = verdict_of(100_000, 12_500_000);
        let seen = found.evidence.iter().find(|one| one.code == "large-answers");
        let text = seen.and_then(|one| one.text.clone()).unwrap_or_default();
        assert!(text.contains("100 Mbit/s leave through network interface eth0"), "{found:?}");
    }
}
