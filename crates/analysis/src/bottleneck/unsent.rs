//! Segments that the sender's TCP gives out and that never leave its machine, for a firewall there drops them. TCP is told so
//! at once: it does not count them as lost, and tries again when the next acknowledgement comes, or after its timer. So neither
//! segments that are sent again nor a window shows it; that more was given out than left does (`OutSegs` counts each segment
//! before IP has it, `tcp_output.c`).

use model::finding::Evidence;
use model::run::CaseResult;
use model::{Resource, Severity};

use super::{Verdict, finding};
use crate::measure::{self, End};
use crate::validity::packets_dropped;

/// From this share of the segments on it is felt: one that is tried again with the next acknowledgement costs little.
const FELT: f64 = 0.05;

pub(super) const ENGLISH: &str = r#"
evidence-unsent =
    TCP gave out { SHORT($given) } segments in the window, and { PERCENT($share) } of them did not leave the machine
"#;

/// The share of the segments that a firewall of the sender's machine does not let leave, where it is felt.
pub(super) fn share(case: &CaseResult) -> Option<f64> {
    of(case).map(|(share, _)| share)
}

/// A stream that waits for the path for so much of the time because its own machine drops what it sends.
pub(super) fn bound(case: &CaseResult, path: f64) -> Option<Verdict> {
    let (share, evidence) = of(case)?;
    Some(Verdict::Full(Box::new(
        finding("loss-bound", Severity::Warning)
            .arg("how", "unsent")
            .arg("share", share)
            .arg("path", path)
            .because(evidence),
    )))
}

fn of(case: &CaseResult) -> Option<(f64, Evidence)> {
    let end = measure::sender(case);
    let end = if measure::counted_ends(case).contains(&end) { end } else { End::Drives };
    let (share, given) = measure::middle(case, |trial| {
        let found = measure::unsent(case, trial, end)?;
        Some((found.0, found))
    })?;
    if share < FELT || !packets_dropped::is_kept_by_firewall(case, end) {
        return None;
    }
    let counted = measure::good(case).find_map(|trial| {
        let counter = measure::named(end.counters(trial), &Resource::TCP, measure::GIVEN_OUT)?;
        Some(measure::place_of(counter))
    })?;
    Some((share, Evidence::at("unsent", counted).arg("share", share).arg("given", given)))
}

#[cfg(test)]
mod tests {
    use model::{Better, Finding, Quantity, Unit, Value, fact, metric};

    use crate::validity::fixture;

    /// What holds back a stream of 10 MB/s, of which TCP gave out so many segments, while IP had so many packets to send
    /// of which so many left; beside `others` bytes that left by the same interface.
    fn verdict(given: u64, packets: (u64, u64), others: u64) -> Finding {
        let mut case = fixture::case(1);
        fixture::workload(&mut case, "net.stream");
        for (name, value) in [("direction", "send"), ("protocol", "tcp"), ("peer", "10.0.0.2:7117")] {
            fixture::set(&mut case, name, value);
        }
        fixture::set(&mut case, "streams", 1u64);
        let estimate = fixture::estimate(10e6, Unit::BytesPerSecond, Better::Higher);
        case.loads.main.estimates.insert(metric::THROUGHPUT, estimate);
        let rate = Quantity { value: 10e6, unit: Unit::BytesPerSecond };
        let result = &mut case.trials[0].result;
        result.window = Some(model::trial::Window { start_ns: 0, end_ns: 1_000_000_000 });
        let count = |resource: &str, name: &str, count| {
            fixture::counter(resource, &format!("/proc/net/x {name}"), 1.0, count)
        };
        result.local_mut().counters = vec![
            count("tcp", "OutSegs", given),
            count("ip", "OutRequests", packets.0),
            count("ip", "OutTransmits", packets.1),
            count("nic:eth0", "tx_bytes", 10_450_000 + others),
        ];
        let main = result.main_mut();
        main.metrics = [(metric::THROUGHPUT, rate)].into();
        main.facts.insert(fact::INTERFACE, Value::from("eth0"));
        for (name, value) in [
            (fact::BUSY_TIME, 1.0),
            (fact::RECEIVE_WINDOW_LIMITED_TIME, 0.0),
            (fact::SEND_BUFFER_LIMITED_TIME, 0.0),
            (fact::MSS, 1448.0),
        ] {
            main.facts.insert(name, value.into());
        }
        fixture::far(&mut case).metrics = [(metric::THROUGHPUT, rate)].into();
        let found = crate::bottleneck::check(&case, &fixture::context(&Default::default()));
        crate::said::written(found).remove(0)
    }

    /// Bug: of a stream whose own machine drops what it sends (nftables, chain output) nobody could tell what holds it back.
    #[test]
    fn what_a_firewall_of_the_sender_drops_is_what_holds_it_back() {
        // 6,906 segments arrived.
        let found = verdict(12_000, (400, 250), 0);
        assert_eq!(found.code, "loss-bound", "{found:?}");
        assert!(
            found.text.contains("40 % of the segments that TCP gives out do not leave the sender's machine"),
            "{}",
            found.text
        );
        assert!(found.text.ends_with("is dropped by a firewall (nftables, iptables)"), "{}", found.text);
        assert!(found.advice.is_some_and(|advice| advice.contains("nft list ruleset")));
        // Most of what was to leave is dropped.
        let most = verdict(40_000, (1000, 200), 0);
        assert!(most.text.contains("82 % of the segments"), "{}", most.text);
        // Half of it, as where IPsec counts each twice: that TCP gave out more tells the two apart.
        assert_eq!(verdict(12_000, (233, 129), 0).code, "loss-bound");
        assert_eq!(verdict(7_050, (400, 200), 0).code, "cannot-tell", "they left within others");
    }

    #[test]
    fn what_leaves_or_is_not_known_to_be_the_loads_is_not() {
        assert_eq!(verdict(12_000, (400, 400), 0).code, "cannot-tell", "IP handed on all");
        assert_eq!(verdict(7_050, (400, 380), 0).code, "cannot-tell", "hardly any was dropped");
        assert_eq!(verdict(22_000, (400, 250), 20_000_000).code, "cannot-tell", "others send more");
    }
}
