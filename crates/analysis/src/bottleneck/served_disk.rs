//! The disk of an end of ours that sends a file. Nobody counts there how long a read takes; but TCP knows that its program had
//! nothing to send, and its kernel that the program did not compute: of a file that the page cache did not hold it then
//! waits for the disk.

use model::finding::{Evidence, Place};
use model::run::CaseResult;
use model::{Severity, metric};

use super::network::{self, DECIDES};
use super::{Verdict, finding, server};
use crate::{Context, measure};

pub(super) fn examine(case: &CaseResult, _context: &Context<'_>) -> Verdict {
    bound(case).unwrap_or(Verdict::Elsewhere)
}

fn bound(case: &CaseResult) -> Option<Verdict> {
    let sender = measure::sender(case);
    measure::served_cached(case)
        .filter(|_| measure::has_far_end(case) && sender.answers() && !measure::is_served_from_cache(case))?;
    let waits = network::sum_share(case, |spent| spent.program).filter(|share| *share >= DECIDES)?;
    let computes = sender.wanted_share(case).or_else(|| sender.worker_share(case))?;
    if computes >= DECIDES {
        return None;
    }
    let path = network::path_share(case).unwrap_or_default();
    let evidence = Evidence::at("account", Place::Metric(metric::THROUGHPUT));
    Some(Verdict::Full(Box::new(
        finding("server-bound", Severity::Note)
            .arg("how", "file")
            .arg("option", server::option(case))
            .arg("share", waits)
            .because(evidence.arg("path", path).arg("program", waits)),
    )))
}

#[cfg(test)]
mod tests {
    use model::profile::Aspect;
    use model::trial::Window;
    use model::{Better, Finding, ParameterName, Quantity, Unit, fact};

    use super::*;
    use crate::validity::fixture;

    /// What holds back 10 MB/s of a file of which the page cache of the other end held such a share, and whose thread there
    /// computes for so much of the time, and has something to send for a fifth of it.
    fn verdict(cached: f64, computes: f64) -> Finding {
        let mut case = fixture::case(1);
        fixture::workload(&mut case, "net.stream");
        for (name, value) in [("direction", "receive"), ("protocol", "tcp"), ("peer", "10.0.0.2:7117")] {
            fixture::set(&mut case, name, value);
        }
        fixture::set(&mut case, "streams", 1u64);
        case.loads.main.profile.aspects.insert(ParameterName::new("serve-file"), Aspect::ServedFile);
        case.loads.main.parameters.set(ParameterName::new("serve-file"), "/srv/big.iso");
        let estimate = fixture::estimate(10e6, Unit::BytesPerSecond, Better::Higher);
        case.loads.main.estimates.insert(metric::THROUGHPUT, estimate);
        let rate = Quantity { value: 10e6, unit: Unit::BytesPerSecond };
        let result = &mut case.trials[0].result;
        result.window = Some(Window { start_ns: 0, end_ns: 1_000_000_000 });
        let main = result.main_mut();
        main.metrics.insert(metric::THROUGHPUT, rate);
        main.facts.insert(fact::SERVED_CACHED_SHARE, cached.into());
        let far = fixture::far(&mut case);
        let per_byte = Quantity { value: computes / 10e6, unit: Unit::SecondsPerByte };
        far.metrics = [(metric::SENDER_THROUGHPUT, rate), (metric::CPU_PER_BYTE, per_byte)].into();
        for (name, value) in [
            (fact::BUSY_TIME, 0.2),
            (fact::RECEIVE_WINDOW_LIMITED_TIME, 0.0),
            (fact::SEND_BUFFER_LIMITED_TIME, 0.0),
        ] {
            far.facts.insert(name, value.into());
        }
        let found = crate::bottleneck::check(&case, &fixture::context(&Default::default()));
        crate::said::written(found).remove(0)
    }

    /// Bug: of a file that comes from a slow disk of the other end nobody could tell what held it back.
    #[test]
    fn a_file_that_the_other_end_reads_from_its_disk_waits_for_that() {
        let found = verdict(0.1, 0.05);
        assert_eq!(found.code, "server-bound");
        assert!(found.text.contains("80 % of the time"), "{}", found.text);
        assert!(found.advice.as_ref().is_some_and(|advice| advice.contains("headroom run disk")));
        assert!(found.evidence.iter().any(|one| one.code == "served-file"), "{found:?}");
        assert_eq!(verdict(1.0, 0.05).code, "cannot-tell", "it comes from memory");
        assert_eq!(verdict(0.1, 0.6).code, "sender-cpu", "it computes");
    }
}
