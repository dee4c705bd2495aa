//! Datagrams that were sent and did not arrive. UDP keeps no account of why it waited, for it waits for nobody: what holds
//! back what arrives is where the rest was lost. A kernel counts those that a full socket dropped (`RcvbufErrors`,
//! `Documentation/networking/snmp_counter.rst`): then the receiver does not read as fast as they come, and a sender that
//! computes all the time is not what is slow. If its threads had the time to read, its buffer is what does not hold what comes.

use model::finding::{Evidence, Place};
use model::profile::Transport;
use model::run::CaseResult;
use model::{Finding, Resource, Severity, Trial, fact, metric};

use super::network::DECIDES;
use super::{Verdict, finding};
use crate::measure::End;
use crate::{Context, measure};

/// From this share of what was sent on, losing it is felt.
const FELT: f64 = 0.01;

/// So much of what was lost must have been dropped by sockets.
const MOST: f64 = 0.5;

/// From this share of the rate that was asked for on, all of it was sent: what is under way at the edges is missing.
const SENT: f64 = 0.98;

/// How a verdict on a window says that it is of datagrams.
pub(crate) const BY_DATAGRAMS: &str = "datagrams";

/// What a kernel calls those that a full socket dropped, and those that it delivered.
const DROPPED: [&str; 2] = ["RcvbufErrors", "Udp6RcvbufErrors"];
const DELIVERED: [&str; 2] = ["InDatagrams", "Udp6InDatagrams"];

pub(super) const ENGLISH: &str = r#"
evidence-datagrams-dropped =
    { PERCENT($lost) } of what was sent did not arrive; sockets of the receiver dropped { PERCENT($dropped) } of what came
    to them
evidence-datagrams-lost =
    { PERCENT($lost) } of what was sent did not arrive, and sockets of the receiver are not known to have dropped as much
"#;

pub(super) fn examine(case: &CaseResult, _context: &Context<'_>) -> Verdict {
    let profile = measure::profile(case);
    let is_watched = profile.transport == Some(Transport::Udp) && profile.is_stream();
    let lost = measure::median(case, |trial| measure::measured(trial, metric::LOSS));
    let Some(lost) = lost.filter(|lost| is_watched && *lost >= FELT) else { return Verdict::Elsewhere };
    let receiver = measure::receiver(case);
    let counted = measure::counted_receiver(case);
    let dropped = measure::median(case, |trial| dropped(trial, counted));
    let is_counted = dropped.is_some();
    let Some(dropped) = dropped.filter(|dropped| *dropped >= MOST * lost) else {
        let evidence = Evidence::at("datagrams-lost", Place::Metric(metric::LOSS)).arg("lost", lost);
        // Whoever sends more loses more where most is lost on the way; and where all that was asked for was sent, nothing is
        // missing but what was lost.
        if !is_counted || lost < DECIDES && !sends_as_asked(case) {
            return Verdict::Unknown(evidence);
        }
        let found = finding("loss-bound", Severity::Warning).arg("how", "datagrams").arg("share", lost);
        return Verdict::Full(Box::new(found.because(evidence)));
    };
    let evidence = Evidence::at("datagrams-dropped", Place::Metric(metric::LOSS))
        .arg("lost", lost)
        .arg("dropped", dropped);
    if let Some(found) = small_buffer(case, receiver, dropped) {
        return Verdict::Full(Box::new(found.because(evidence)));
    }
    Verdict::Full(Box::new(
        finding("receiver-cpu", Severity::Note)
            .on(Resource::CPUS)
            .arg("by", "threads")
            .arg("behind", "drops")
            .arg("share", receiver.worker_share(case).unwrap_or_default().min(1.0))
            .arg("dropped", dropped)
            .arg("loopback", measure::is_loopback(case))
            .because(evidence),
    ))
}

/// Whether a sender sent at the rate that it was asked for.
fn sends_as_asked(case: &CaseResult) -> bool {
    let asked: Option<f64> = measure::profile(case).flows.iter().map(|flow| flow.asked_bytes_per_s).sum();
    let sent = measure::median(case, |trial| measure::measured(trial, metric::SENDER_THROUGHPUT));
    asked.zip(sent).is_some_and(|(asked, sent)| asked > 0.0 && sent >= SENT * asked)
}

/// That the buffer of a receiver is small: its threads neither compute for half of the time nor stand ready for a CPU, so that
/// they read what comes, and yet at some moments more comes than it holds.
fn small_buffer(case: &CaseResult, receiver: End, dropped: f64) -> Option<Finding> {
    let computes = receiver.wanted_share(case).filter(|share| *share < DECIDES)?;
    let window = measure::median(case, |trial| receiver.number(trial, fact::WINDOW_GRANTED_RECEIVE));
    Some(
        finding("window-bound", Severity::Note)
            .arg("by", BY_DATAGRAMS)
            .arg("which", "receive")
            .arg("share", dropped)
            .arg("computes", computes)
            .arg("known", window.is_some())
            .arg("window", window.unwrap_or_default()),
    )
}

/// What is lost on the way of a sender that computes all the time: as much less arrives.
pub(super) fn lost_beside(named: &Finding, case: &CaseResult, context: &Context<'_>) -> Option<Evidence> {
    match examine(case, context) {
        Verdict::Unknown(lost) if named.code == "sender-cpu" => Some(lost),
        _ => None,
    }
}

/// The share of the datagrams that came to the sockets of an end that these dropped.
fn dropped(trial: &Trial, end: End) -> Option<f64> {
    let sum = |names: [&str; 2]| {
        names.iter().filter_map(|name| end.change(trial, &Resource::UDP, name)).reduce(|a, b| a + b)
    };
    let (dropped, delivered) = (sum(DROPPED)?, sum(DELIVERED)?);
    let all = dropped + delivered;
    (all > 0.0).then(|| dropped / all)
}

#[cfg(test)]
mod tests {
    use model::{Better, Quantity, Unit};

    use super::*;
    use crate::validity::fixture;

    /// What holds back a stream of datagrams of which so many were lost, and so many of a thousand dropped by sockets of
    /// the other end. The sender computes all the time.
    fn verdict(lost: f64, dropped: u64) -> Finding {
        received(lost, dropped, 0.7, 0.0)
    }

    /// The same, of a receiver that computes and stands ready without a CPU for such shares of the time.
    fn received(lost: f64, dropped: u64, computes: f64, ready: f64) -> Finding {
        said(&case(lost, dropped, computes, ready))
    }

    fn case(lost: f64, dropped: u64, computes: f64, ready: f64) -> CaseResult {
        let mut case = fixture::case(1);
        fixture::workload(&mut case, "net.stream");
        for (name, value) in [("direction", "send"), ("protocol", "udp"), ("peer", "10.0.0.2:7117")] {
            fixture::set(&mut case, name, value);
        }
        fixture::set(&mut case, "streams", 1u64);
        let estimate = fixture::estimate(100e6, Unit::BytesPerSecond, Better::Higher);
        case.loads.main.estimates.insert(metric::THROUGHPUT, estimate);
        let quantity = |value: f64, unit| Quantity { value, unit };
        let metrics = |cpu: f64| {
            [
                (metric::THROUGHPUT, quantity(100e6, Unit::BytesPerSecond)),
                (metric::CPU_PER_BYTE, quantity(cpu / 100e6, Unit::SecondsPerByte)),
            ]
        };
        let main = case.trials[0].result.main_mut();
        main.metrics = metrics(0.99).into();
        main.metrics.insert(metric::LOSS, quantity(lost, Unit::One));
        let far = fixture::far(&mut case);
        far.metrics = metrics(computes).into();
        far.facts.insert(fact::RUN_DELAY, ready.into());
        far.facts.insert(fact::WINDOW_GRANTED_RECEIVE, 8192.0.into());
        let counter =
            |name: &str, count| fixture::counter("udp", &format!("/proc/net/snmp {name}"), 1.0, count);
        fixture::far_machine(&mut case).counters =
            vec![counter("RcvbufErrors", dropped), counter("InDatagrams", 1000 - dropped)];
        case
    }

    fn said(case: &CaseResult) -> Finding {
        let found = crate::bottleneck::check(case, &fixture::context(&Default::default()));
        crate::said::written(found).remove(0)
    }

    /// Bug: the sender was blamed, though the receiver dropped what came.
    #[test]
    fn a_receiver_whose_sockets_drop_what_comes_does_not_keep_up() {
        let found = verdict(0.2, 180);
        assert_eq!(found.code, "receiver-cpu");
        assert!(
            found.text.contains("its sockets dropped 18 % of the datagrams that came")
                && found.text.contains("computes 70 % of the time"),
            "{}",
            found.text
        );
        assert_eq!(verdict(0.005, 4).code, "sender-cpu", "hardly any are lost");
    }

    /// Bug: a receiver that had the time to read, and a small buffer, was said not to keep up.
    #[test]
    fn a_buffer_that_is_small_is_told_from_a_receiver_that_does_not_keep_up() {
        let found = received(0.2, 180, 0.1, 0.05);
        assert_eq!(found.code, "window-bound");
        assert!(found.text.contains("buffer of 8 KiB holds"), "{}", found.text);
        assert!(found.advice.is_some_and(|advice| advice.contains("rmem_max")));
        assert_eq!(received(0.2, 180, 0.1, 0.8).code, "receiver-cpu", "it had no CPU");
    }

    #[test]
    fn what_was_lost_on_the_way_is_not_the_receiver_s() {
        let found = verdict(0.2, 10);
        assert_eq!(found.code, "sender-cpu");
        assert!(found.ruled_out.iter().all(|evidence| evidence.code != "datagrams-dropped"), "{found:?}");
        let beside = |evidence: &Evidence| evidence.beside && evidence.code == "datagrams-lost";
        assert!(found.evidence.iter().any(beside), "{found:?}");
    }

    /// Bug: the sender was blamed though most of what it sent was lost on the way.
    #[test]
    fn where_most_is_lost_on_the_way_that_holds_it_back() {
        let found = verdict(0.6, 10);
        assert_eq!(found.code, "loss-bound");
        assert!(found.text.contains("60 % of the datagrams that were sent do not arrive"), "{}", found.text);
        assert_eq!(verdict(0.6, 550).code, "receiver-cpu", "its sockets dropped them");
    }

    /// Bug: of datagrams that were sent as fast as asked, and some of which the way lost, nobody could tell why fewer arrived.
    #[test]
    fn what_is_lost_of_a_rate_that_was_sent_as_asked_is_all_that_is_missing() {
        let sent = |bytes_per_s: f64| {
            let mut case = case(0.2, 10, 0.1, 0.0);
            case.loads.main.profile.flows[0].asked_bytes_per_s = Some(125e6);
            let quantity = Quantity { value: bytes_per_s, unit: Unit::BytesPerSecond };
            case.trials[0].result.main_mut().metrics.insert(metric::SENDER_THROUGHPUT, quantity);
            said(&case).code
        };
        assert_eq!(sent(125e6), "loss-bound");
        assert_eq!(sent(110e6), "sender-cpu", "it does not send as much");
    }
}
