//! Connections that a load makes for its requests, of which the first segment is lost: TCP sends it again after a second, and
//! later still if that is lost too (RFC 6298, section 2). A load that times its requests alone has fewer under way meanwhile, so
//! that by Little's law something is missing of what it is asked for; where the kernel sent first segments again for so long, that
//! is what it waited for. A listen queue that is full loses them so, at whatever end or machine it is.

use model::finding::Evidence;
use model::profile::Transport;
use model::run::CaseResult;
use model::{Finding, Resource, Severity, Trial, metric};

use super::network::DECIDES;
use super::{Verdict, finding};
use crate::{Context, measure};

/// First segments of connections, and answers to them, that were sent again.
const AGAIN: &str = "TCPSynRetrans";

/// A first segment is sent again after this time at least (`TCP_TIMEOUT_INIT` of include/net/tcp.h), s.
const AFTER_S: f64 = 1.0;

/// So much of what is missing at least they must explain.
const EXPLAINED: f64 = 0.5;

/// From this share of the time on it is told beside another verdict.
const FELT: f64 = 0.1;

/// Verdicts beside which it is told.
const BESIDE: [&str; 4] = ["server-bound", "round-trip-bound", "client-bound", "cannot-tell"];

pub(super) const ENGLISH: &str = r#"
evidence-connecting =
    { PERCENT($share) } of the time no request is under way where one could be: the first segments of { FIXED($again) } connections
    were lost, and TCP sends them again after a second or later
"#;

/// What passes until connections are made, as a share of the time of all requests that might be under way.
struct Connecting {
    share: f64,
    again: f64,
}

impl Connecting {
    fn of(case: &CaseResult) -> Option<Self> {
        let profile = measure::profile(case);
        let is_watched = measure::is_net(case)
            && measure::is_closed(case)
            && profile.transport != Some(Transport::Udp)
            && !profile.is_stream();
        let of = |trial: &Trial| {
            let (at_once, window_s) = (measure::concurrency(case), trial.result.window?.seconds());
            let busy_s = measure::trial_operations(trial)?
                * measure::mean_of(&trial.result.main().histograms, metric::LATENCY)?;
            let share = 1.0 - busy_s / at_once;
            let ends = measure::counted_ends(case).iter();
            let again: f64 = ends.filter_map(|end| end.change(trial, &Resource::TCP, AGAIN)).sum();
            let explained = again * AFTER_S / (at_once * window_s);
            (explained >= EXPLAINED * share).then_some((share, Self { share, again }))
        };
        if is_watched { measure::middle(case, of) } else { None }
    }

    fn evidence(&self, case: &CaseResult) -> Option<Evidence> {
        let ends = measure::counted_ends(case);
        let counted = |trial: &Trial| {
            ends.iter().find_map(|end| measure::named(end.counters(trial), &Resource::TCP, AGAIN).cloned())
        };
        let counter = measure::good(case).find_map(counted)?;
        let evidence = Evidence::at("connecting", measure::place_of(&counter));
        Some(evidence.arg("share", self.share.min(1.0)).arg("again", self.again))
    }
}

/// Requests most of whose time passes until there is a connection.
pub(super) fn bound(case: &CaseResult) -> Option<Verdict> {
    let found = Connecting::of(case).filter(|found| found.share >= DECIDES)?;
    let window_s = measure::median(case, |trial| Some(trial.result.window?.seconds()))?;
    Some(Verdict::Full(Box::new(
        finding("loss-bound", Severity::Warning)
            .arg("how", "timeouts")
            .arg("first", true)
            .arg("share", found.share.min(1.0))
            .arg("rate", found.again / window_s)
            .because_all(found.evidence(case)),
    )))
}

/// The same where something else takes most of the time.
pub(super) fn told(named: &Finding, case: &CaseResult, _context: &Context<'_>) -> Option<Evidence> {
    let is_open = BESIDE.contains(&named.code.as_str());
    let found = Connecting::of(case).filter(|found| is_open && found.share >= FELT)?;
    found.evidence(case)
}

#[cfg(test)]
mod tests {
    use model::trial::Window;
    use model::{Better, ParameterName, Quantity, Unit, fact};

    use super::*;
    use crate::validity::fixture;
    use model::profile::Aspect;

    /// What holds back eight connections to a server that answers so many requests a second, each after 10 ms, while so many
    /// first segments were sent again in three seconds.
    fn verdict(rate: f64, again: u64) -> Finding {
        let mut case = fixture::case(1);
        fixture::workload(&mut case, "net.pingpong");
        fixture::set(&mut case, "peer", "10.0.0.2:80");
        let profile = &mut case.loads.main.profile;
        profile.concurrency.operations = 8;
        profile.aspects.insert(ParameterName::new("peer"), Aspect::Server);
        let estimate = fixture::estimate(rate, Unit::PerSecond, Better::Higher);
        case.loads.main.estimates.insert(metric::OPERATIONS_PER_SECOND, estimate);
        let result = &mut case.trials[0].result;
        result.window = Some(Window { start_ns: 0, end_ns: 3_000_000_000 });
        let count =
            |name: &str, count| fixture::counter("tcp", &format!("/proc/net/netstat {name}"), 1.0, count);
        result.local_mut().counters = vec![count("TCPSynRetrans", again), count("ListenOverflows", again)];
        let main = result.main_mut();
        let quantity = Quantity { value: rate, unit: Unit::PerSecond };
        main.metrics.insert(metric::OPERATIONS_PER_SECOND, quantity);
        let mut latency = stats::histogram::new_latency();
        latency.record(10_000_000).unwrap();
        main.histograms.insert(metric::LATENCY, stats::histogram::encode(&latency).unwrap());
        main.facts.insert(fact::RTT_LEAST, 0.0001.into());
        let found = crate::bottleneck::check(&case, &fixture::context(&Default::default()));
        crate::said::written(found).remove(0)
    }

    /// Bug: a server whose listen queue takes one connection was said to answer late, though most of the time there is no
    /// connection.
    #[test]
    fn connections_whose_first_segment_is_lost_are_what_is_waited_for() {
        let found = verdict(300.0, 14);
        assert_eq!(found.code, "loss-bound", "{found:?}");
        assert!(
            found
                .text
                .contains("63 % of the time requests wait for connections whose first segment was lost"),
            "{}",
            found.text
        );
        assert!(found.text.ends_with("is dropped by the listen queue, which is full"), "{}", found.text);
    }

    #[test]
    fn a_server_that_answers_late_is_named_though_some_connections_wait() {
        let told = |rate, again| {
            let found = verdict(rate, again);
            assert_eq!(found.code, "server-bound", "{found:?}");
            found.evidence.iter().any(|one| one.code == "connecting" && one.beside)
        };
        assert!(told(600.0, 5));
        assert!(!told(790.0, 5), "all are under way");
        assert!(!told(300.0, 0), "the load itself is not ready");
    }
}
