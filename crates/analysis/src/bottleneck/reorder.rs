//! Segments that overtake one another on the way. None is lost, but TCP takes some of them for lost, sends them again and sends
//! less for a while (RFC 5681, section 3.2; RFC 8985 waits a part of the round trip before it does). The receiver's kernel counts
//! those that came before their turn (`TCPOFOQueue`, `Documentation/networking/snmp_counter.rst`). Behind one that was lost all
//! others come so as well: it is told only where hardly any was.

use model::Finding;
use model::finding::{Evidence, Place};
use model::profile::Transport;
use model::run::CaseResult;
use model::{Resource, Severity, Trial, fact, metric};

use super::network::DECIDES;
use super::{Verdict, finding, loss, path};
use crate::{Context, measure};

/// From this share of the segments on.
const FELT: f64 = 0.01;

/// From this share on the round trip varies by itself: a queue keeps the order of what stands in it.
const MUCH: f64 = 0.1;

/// Segments that are sent again in vain are felt from this share of all on, as lost ones are (`loss`).
const IN_VAIN: f64 = 0.001;

/// Verdicts on a stream that waits for the network and for nothing that is known.
const OF_PATHS: [&str; 2] = ["cannot-tell", "path-full"];

pub(super) const ENGLISH: &str = r#"
finding-reordering-bound =
    segments that overtake one another hold this back: { PERCENT($share) } came out of order, and TCP took some for lost and sent
    { PERCENT($again, decimals: 1) } again, of which { PERCENT($spurious) } had arrived; the connection waits for the path
    { PERCENT($path) } of the time
    .advice =
        look for what sends the packets of one connection over several ways, or delays them unevenly (a bond in balance-rr,
        routes that are chosen for each packet, a delay that varies): what keeps a connection on one way keeps their order

evidence-reordered =
    { PERCENT($share) } of the segments came out of order, though hardly any was lost: TCP slows down for those that it takes
    for lost
evidence-out-of-order =
    { PERCENT($share) } of the segments came before their turn: others before them were lost on the way, or were overtaken
"#;

/// That segments came out of order.
pub(super) fn told(named: &Finding, case: &CaseResult, _context: &Context<'_>) -> Option<Evidence> {
    let profile = measure::profile(case);
    let is_stream = profile.transport == Some(Transport::Tcp) && profile.is_stream();
    // What a server that is no end of ours sent again, only its kernel knows.
    let is_server_s = measure::only_receives(case) && !measure::has_far_end(case);
    let is_unsure = OF_PATHS.contains(&named.code.as_str()) || is_server_s && named.code == "server-bound";
    if !is_stream || !is_unsure || loss::felt(case).is_some() {
        return None;
    }
    let share = early(case).filter(|share| *share >= FELT)?;
    let code = if is_server_s { "out-of-order" } else { "reordered" };
    Some(Evidence::at(code, Place::Metric(metric::THROUGHPUT)).arg("share", share))
}

/// The share of the segments that came before their turn, by the receiver's kernel.
fn early(case: &CaseResult) -> Option<f64> {
    let counted = measure::counted_receiver(case);
    let of = |trial: &Trial| {
        let all = counted.change(trial, &Resource::TCP, "InSegs").filter(|all| *all > 0.0)?;
        Some(counted.change(trial, &Resource::TCP, EARLY)? / all)
    };
    measure::median(case, of)
}

/// What counts them.
const EARLY: &str = "TCPOFOQueue";

/// Whether so many segments overtake others, with hardly any lost, that the round trip varies by itself.
pub(super) fn is_much(case: &CaseResult) -> bool {
    early(case).is_some_and(|share| share >= MUCH) && loss::felt(case).is_none()
}

/// A stream that waits for the path, none of whose segments are lost, while TCP sends some again because others overtook them:
/// the other end says that it had most of these (duplicate SACK, RFC 2883).
pub(super) fn bound(case: &CaseResult) -> Option<Verdict> {
    let share = early(case).filter(|share| *share >= FELT && loss::felt(case).is_none())?;
    let path = path::waited_for(case).filter(|_| path::is_watched(case))?;
    let sender = measure::sender(case);
    let of = |trial: &Trial| {
        let again = measure::measured(trial, metric::RETRANSMITS).filter(|again| *again > 0.0)?;
        let spurious = sender.number(trial, fact::SPURIOUS_RETRANSMITS)?.min(again);
        let mss = sender.number(trial, fact::MSS).filter(|mss| *mss > 0.0)?;
        let sent = measure::measured(trial, metric::THROUGHPUT)? * trial.result.window?.seconds() / mss;
        Some((spurious / again, (spurious / again, again / (sent + again))))
    };
    let (spurious, again) = measure::middle(case, of)?;
    if spurious < DECIDES || again < IN_VAIN {
        return None;
    }
    let evidence = Evidence::at("reordered", Place::Metric(metric::THROUGHPUT)).arg("share", share);
    Some(Verdict::Full(Box::new(
        finding("reordering-bound", Severity::Warning)
            .arg("share", share)
            .arg("again", again)
            .arg("spurious", spurious)
            .arg("path", path)
            .because(evidence),
    )))
}

#[cfg(test)]
mod tests {
    use model::{Better, Unit};

    use super::*;
    use crate::validity::fixture;

    /// A download from a server that is no end of ours, for which the client waits, and so many of whose 1,000 segments came
    /// out of order.
    fn download(early: u64) -> Finding {
        let mut case = fixture::case(1);
        fixture::workload(&mut case, "net.stream");
        for (name, value) in [("direction", "receive"), ("protocol", "tcp"), ("peer", "10.0.0.2:7117")] {
            fixture::set(&mut case, name, value);
        }
        fixture::set(&mut case, "streams", 1u64);
        let estimate = fixture::estimate(1e6, Unit::BytesPerSecond, Better::Higher);
        case.loads.main.estimates.insert(metric::THROUGHPUT, estimate);
        let counter =
            |name: &str, count| fixture::counter("tcp", &format!("/proc/net/snmp {name}"), 1.0, count);
        let result = &mut case.trials[0].result;
        result.main_mut().facts.insert(model::fact::SERVER_WAIT_SHARE, 0.9.into());
        result.local_mut().counters = vec![counter("InSegs", 1000), counter("TCPOFOQueue", early)];
        let found = crate::bottleneck::check(&case, &fixture::context(&Default::default()));
        crate::said::written(found).remove(0)
    }

    /// Bug: a server was blamed for what its segments lost on the way cost.
    #[test]
    fn what_a_server_sent_that_came_out_of_order_stands_beside_it() {
        let found = download(60);
        assert_eq!(found.code, "server-bound");
        let is_told =
            |found: &Finding| found.evidence.iter().any(|one| one.code == "out-of-order" && one.beside);
        assert!(is_told(&found), "{found:?}");
        assert!(found.evidence.iter().all(|one| one.code != "reordered"), "nobody knows what was lost");
        assert!(!is_told(&download(5)));
    }

    /// A stream of which nothing shows what holds it back, and so many of whose 1,000 segments came out of order.
    fn verdict(early: u64) -> Finding {
        let mut case = fixture::case(1);
        fixture::workload(&mut case, "net.stream");
        for (name, value) in [("direction", "send"), ("protocol", "tcp"), ("peer", "10.0.0.2:7117")] {
            fixture::set(&mut case, name, value);
        }
        fixture::set(&mut case, "streams", 1u64);
        let estimate = fixture::estimate(100e6, Unit::BytesPerSecond, Better::Higher);
        case.loads.main.estimates.insert(metric::THROUGHPUT, estimate);
        fixture::far(&mut case);
        let counter =
            |name: &str, count| fixture::counter("tcp", &format!("/proc/net/snmp {name}"), 1.0, count);
        fixture::far_machine(&mut case).counters =
            vec![counter("InSegs", 1000), counter("TCPOFOQueue", early)];
        let found = crate::bottleneck::check(&case, &fixture::context(&Default::default()));
        crate::said::written(found).remove(0)
    }

    /// Bug: of a way on which segments overtake one another nothing was said.
    #[test]
    fn segments_that_come_out_of_order_are_told_where_nothing_else_is() {
        let found = verdict(60);
        assert_eq!(found.code, "cannot-tell");
        let seen = found.evidence.iter().find(|one| one.code == "reordered");
        let text = seen.and_then(|one| one.text.clone()).unwrap_or_default();
        assert!(
            text.starts_with("6.0 % of the segments") || text.starts_with("6 % of the segments"),
            "{found:?}"
        );
        assert!(verdict(5).evidence.iter().all(|one| one.code != "reordered"));
    }

    /// Bug: of segments that overtake one another, so that TCP sends some again in vain, nothing was named.
    #[test]
    fn segments_that_tcp_sends_again_in_vain_hold_a_stream_back() {
        use super::super::constant::tests::{course, stream};
        use model::Quantity;
        let with = |early: u64, again: f64, spurious: f64| {
            let mut case = stream(1, 12.5e6, 20);
            let rates: Vec<f64> = (0..20).map(|i| if i < 10 { 12e6 } else { 13e6 }).collect();
            course(&mut case, model::series::THROUGHPUT, Unit::BytesPerSecond, &rates);
            for trial in &mut case.trials {
                let main = trial.result.main_mut();
                main.metrics.insert(metric::RTT, Quantity { value: 0.012, unit: Unit::Seconds });
                main.metrics.insert(metric::RETRANSMITS, Quantity { value: again, unit: Unit::One });
                main.facts.insert(fact::SPURIOUS_RETRANSMITS, spurious.into());
                let far = trial
                    .result
                    .machines
                    .iter_mut()
                    .find(|machine| machine.machine == "10.0.0.2:7117")
                    .unwrap();
                let count = |name: &str, count| {
                    fixture::counter("tcp", &format!("/proc/net/snmp {name}"), 1.0, count)
                };
                far.counters.extend([count("InSegs", 1000), count("TCPOFOQueue", early)]);
            }
            crate::bottleneck::tests::verdict(&[case])
        };
        // Of some 17,000 segments.
        let found = with(300, 200.0, 195.0);
        assert_eq!(found.code, "reordering-bound", "{found:?}");
        assert!(found.text.contains("1.1 % again, of which 98 % had arrived"), "{}", found.text);
        assert_ne!(with(300, 5.0, 5.0).code, "reordering-bound", "hardly any was sent again");
        assert_ne!(with(2, 200.0, 195.0).code, "reordering-bound", "they came in order");
        assert_ne!(with(300, 200.0, 20.0).code, "reordering-bound", "they were lost");
    }
}
