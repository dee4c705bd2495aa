//! Segments that overtake one another on the way. None is lost, but TCP takes some of them for lost, sends them again and sends
//! less for a while (RFC 5681, section 3.2; RFC 8985 waits a part of the round trip before it does). The receiver's kernel counts
//! those that came before their turn (`TCPOFOQueue`, `Documentation/networking/snmp_counter.rst`). Behind one that was lost all
//! others come so as well: it is told only where hardly any was.

use model::Finding;
use model::finding::{Evidence, Place};
use model::profile::Transport;
use model::run::CaseResult;
use model::{Resource, Trial, metric};

use super::loss;
use crate::{Context, measure};

/// From this share of the segments on.
const FELT: f64 = 0.01;

/// Verdicts on a stream that waits for the network and for nothing that is known.
const OF_PATHS: [&str; 2] = ["cannot-tell", "path-full"];

pub(super) const ENGLISH: &str = r#"
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
    let counted = measure::counted_receiver(case);
    let of = |trial: &Trial| {
        let all = counted.change(trial, &Resource::TCP, "InSegs").filter(|all| *all > 0.0)?;
        Some(counted.change(trial, &Resource::TCP, "TCPOFOQueue")? / all)
    };
    let share = measure::median(case, of).filter(|share| *share >= FELT)?;
    let code = if is_server_s { "out-of-order" } else { "reordered" };
    Some(Evidence::at(code, Place::Metric(metric::THROUGHPUT)).arg("share", share))
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
}
