//! An upload to a server that is no end of ours, which takes what comes. What is left of the time then is told by TCP: data
//! was under way while the server's window had room, so that the way held it, or all was acknowledged before the last byte
//! was sent, so that the client itself had nothing to send. If the way loses segments, by this machine's kernel, that is what
//! holds it back (`loss`).

use model::finding::{Evidence, Place};
use model::run::CaseResult;
use model::{Severity, Trial, fact, metric};

use super::network::DECIDES;
use super::{Verdict, finding, loss, server};
use crate::{Context, measure};

pub(super) const ENGLISH: &str = r#"
evidence-under-way =
    data was under way { PERCENT($share) } of the time while the window of the server had room
evidence-nothing-to-send =
    for { PERCENT($share) } of the time all that was sent was acknowledged and more was due: the client itself had nothing to
    send, as where it reads a file from a disk
"#;

pub(super) fn examine(case: &CaseResult, _context: &Context<'_>) -> Verdict {
    let Some(spent) = Spent::of(case) else { return Verdict::Elsewhere };
    let told = |code: &str, share: f64| {
        Evidence::at(code, Place::Fact(fact::ALL_ACKNOWLEDGED_SHARE)).arg("share", share)
    };
    if spent.source >= DECIDES {
        return Verdict::Unknown(told("nothing-to-send", spent.source));
    }
    if spent.way < DECIDES {
        return Verdict::Elsewhere;
    }
    let evidence = told("under-way", spent.way);
    let Some((share, lost)) = lost(case) else { return Verdict::Unknown(evidence) };
    Verdict::Full(Box::new(
        finding("loss-bound", Severity::Warning)
            .arg("how", "segments")
            .arg("share", share)
            .arg("path", spent.way)
            .because(lost)
            .because(evidence),
    ))
}

/// Where the time of uploads goes that a server does not take, as shares of it.
struct Spent {
    /// Data was under way, and the window had room.
    way: f64,
    /// The client had nothing to send.
    source: f64,
}

impl Spent {
    fn of(case: &CaseResult) -> Option<Self> {
        let kept = server::kept_waiting(case).filter(|_| !measure::has_far_end(case))?;
        let number = |name| measure::median(case, |trial| measure::number(trial, name));
        let (full, idle) = (number(fact::SERVER_WINDOW_FULL_SHARE)?, number(fact::ALL_ACKNOWLEDGED_SHARE)?);
        Some(Self { way: (1.0 - full - idle).max(0.0), source: (full + idle - kept).clamp(0.0, 1.0) })
    }
}

/// The share of the segments that were lost, where it is what such a connection gets little for.
fn lost(case: &CaseResult) -> Option<(f64, Evidence)> {
    let evidence = loss::sent_again(case)?;
    let share = evidence.args.get("share")?.number()?;
    let of = |trial: &Trial| {
        let rtt_s = measure::number(trial, fact::RTT_LEAST).filter(|rtt_s| *rtt_s > 0.0)?;
        let each = measure::measured(trial, metric::THROUGHPUT)? / measure::concurrency(case);
        Some(each / loss::allowed(measure::number(trial, fact::MSS)?, rtt_s, share))
    };
    let is_felt = measure::median(case, of).is_none_or(|part| part >= loss::ALLOWED);
    is_felt.then_some((share, evidence))
}

#[cfg(test)]
mod tests {
    use model::profile::{Flow, FlowUnit, OperationClass, Peer, Transport};
    use model::trial::Window;
    use model::{Better, Finding, Quantity, Unit};

    use super::*;
    use crate::validity::fixture;

    /// What holds back an upload of 1 MB/s over 10 ms for so much of whose time all was acknowledged, and so many of whose
    /// segments were sent again beside 1,000.
    fn verdict(idle: f64, again: u64) -> Finding {
        let mut case = fixture::case(1);
        let profile = &mut case.loads.main.profile;
        profile.flows = vec![Flow::only(OperationClass::Send, FlowUnit::Bytes)];
        profile.peer = Some(Peer::AnotherProgram);
        profile.transport = Some(Transport::Tcp);
        let estimate = fixture::estimate(1e6, Unit::BytesPerSecond, Better::Higher);
        case.loads.main.estimates.insert(metric::THROUGHPUT, estimate);
        let result = &mut case.trials[0].result;
        result.window = Some(Window { start_ns: 0, end_ns: 1_000_000_000 });
        let counter =
            |name: &str, count| fixture::counter("tcp", &format!("/proc/net/snmp {name}"), 1.0, count);
        result.local_mut().counters = vec![counter("RetransSegs", again), counter("OutSegs", 1000)];
        let main = result.main_mut();
        let rate = Quantity { value: 1e6, unit: Unit::BytesPerSecond };
        main.metrics = [(metric::THROUGHPUT, rate)].into();
        for (name, value) in [
            (fact::SERVER_WINDOW_FULL_SHARE, 0.0),
            (fact::ALL_ACKNOWLEDGED_SHARE, idle),
            (fact::RTT_LEAST, 0.01),
            (fact::MSS, 1448.0),
        ] {
            main.facts.insert(name, value.into());
        }
        for (name, ns) in [(metric::LATENCY, 1_000_000_000), (metric::ANSWER, 20_000_000)] {
            let mut times = stats::histogram::new_latency();
            times.record(ns).unwrap();
            main.histograms.insert(name, stats::histogram::encode(&times).unwrap());
        }
        let found = crate::bottleneck::check(&case, &fixture::context(&Default::default()));
        crate::said::written(found).remove(0)
    }

    /// Bug: of an upload over a way that loses segments nobody could tell what held it back.
    #[test]
    fn an_upload_that_is_under_way_most_of_the_time_is_held_back_by_what_is_lost() {
        let lossy = verdict(0.05, 10);
        assert_eq!(lossy.code, "loss-bound");
        assert!(lossy.text.contains("waits for the path 95 % of the time"), "{}", lossy.text);
        let has = |found: &Finding, code: &str| found.evidence.iter().any(|one| one.code == code);
        let narrow = verdict(0.05, 0);
        assert!(narrow.code == "cannot-tell" && has(&narrow, "under-way"), "{narrow:?}");
        let slow = verdict(0.9, 0);
        assert!(slow.code == "cannot-tell" && has(&slow, "nothing-to-send"), "{slow:?}");
    }
}
