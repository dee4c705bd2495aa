//! Requests that are answered late because a thread that has to do with them stands ready without a CPU: of the time from
//! question to answer that is neither the way nor anybody's computing. One that wakes up on an idle machine stands ready for
//! a moment, too; so it counts only beside a CPU that is full.

use model::finding::{Evidence, Place};
use model::run::CaseResult;
use model::{Resource, Severity, fact};

use super::network::DECIDES;
use super::{Verdict, cores, end_core, finding, remade, server};
use crate::measure::End;
use crate::{Context, measure};

pub(super) const ENGLISH: &str = r#"
evidence-beyond-way =
    the least round trip that TCP saw is { SHORT($rtt_s, unit: "s") }: the rest of the time passes in queues on the way, at the
    other end, or until an acknowledgement that was kept back
"#;

/// Whether the CPUs of this machine are what requests wait for, as the rule of cores says: several at a time and their
/// answers fill all of them, or the threads of an end that is here stand ready without one for most of their time.
pub(super) fn lack_cpus_here(case: &CaseResult, context: &Context<'_>) -> bool {
    let is_one = measure::is_one_machine(case);
    let here: &[End] = if is_one { &[End::Drives, End::Answers] } else { &[End::Drives] };
    let waits = here.iter().any(|end| ready(case, *end).is_some_and(|share| share >= DECIDES));
    let fill = is_one && measure::concurrency(case) > 1.0;
    let is_full = || match cores::examine(case, context) {
        Verdict::Full(found) => waits || found.code == "all-cores-full",
        _ => false,
    };
    (waits || fill) && is_full()
}

/// The share of the time for which each worker of an end stood ready without a CPU; absent where its kernel does not tell.
fn ready(case: &CaseResult, end: End) -> Option<f64> {
    let waited = measure::median(case, |trial| end.number(trial, fact::RUN_DELAY))?;
    Some(waited / measure::workers(case).max(1.0))
}

/// An end of ours that answers, and for most of the time has no CPU to do so.
pub(super) fn lack_cpus_there(case: &CaseResult) -> Option<Verdict> {
    let end = End::Answers;
    let share = ready(case, end).filter(|share| *share >= DECIDES && end_core::is_full(case, end))?;
    let wanted = end.wanted_share(case).unwrap_or(share).min(1.0);
    let evidence = Evidence::at("ready", Place::Fact(fact::RUN_DELAY)).arg("share", share.min(1.0));
    let found = finding("receiver-cpu", Severity::Note)
        .on(Resource::CPUS)
        .arg("by", "ready")
        .arg("share", wanted)
        .arg("loopback", measure::is_loopback(case))
        .arg("behind", false);
    Some(Verdict::Full(Box::new(found.because(evidence).because_all(end_core::evidence(case, end)))))
}

/// From this share of the time on that is no round trip, and so long at least, s, it is told: waking up takes tens of
/// microseconds, and a connection that is made goes there and back twice.
const NO_WAY: f64 = 0.75;
const NO_WAY_S: f64 = 1e-3;

/// That requests are answered far later than the least round trip, though nothing shows why.
pub(super) fn beyond_way(case: &CaseResult) -> Option<Evidence> {
    if measure::profile(case).is_stream() || measure::does_transactions(case) {
        return None;
    }
    let mean_s = server::answered_after(case)?;
    let rtt_s = measure::median(case, |trial| measure::number(trial, fact::RTT_LEAST))?;
    let beyond_s = mean_s - rtt_s * remade::trips(case);
    if beyond_s < NO_WAY_S || beyond_s < NO_WAY * mean_s {
        return None;
    }
    Some(Evidence::at("beyond-way", Place::Fact(fact::RTT_LEAST)).arg("rtt_s", rtt_s))
}

#[cfg(test)]
mod tests {
    use model::{Better, Finding, Unit, metric};

    use super::*;
    use crate::validity::fixture;

    /// What holds messages back that take 3.3 ms there and back, while the thread that answers stands ready without a CPU
    /// for so much of the time, and the CPU there is busy for so many hundredths of it.
    fn found(ready_s: f64, busy: u64, is_one_machine: bool) -> Finding {
        said(&case(ready_s, busy, is_one_machine))
    }

    fn case(ready_s: f64, busy: u64, is_one_machine: bool) -> CaseResult {
        let mut case = fixture::case(1);
        fixture::workload(&mut case, "net.pingpong");
        fixture::set(&mut case, "peer", "10.0.0.2:7117");
        let estimate = fixture::estimate(300.0, Unit::PerSecond, Better::Higher);
        case.loads.main.estimates.insert(metric::OPERATIONS_PER_SECOND, estimate);
        let mut latency = stats::histogram::new_latency();
        latency.record_n(3_300_000, 300).unwrap();
        let text = stats::histogram::encode(&latency).unwrap();
        let main = case.trials[0].result.main_mut();
        main.histograms.insert(metric::LATENCY, text);
        main.facts.insert(fact::ONE_MACHINE, is_one_machine.into());
        fixture::far(&mut case).facts.insert(fact::RUN_DELAY, ready_s.into());
        let ticks = [("user", busy), ("system", 0), ("softirq", 0), ("idle", 100 - busy)];
        let counter = |(name, ticks): (&str, u64)| {
            fixture::counter("cpu:1", &format!("/proc/stat {name}"), 0.01, ticks)
        };
        fixture::far_machine(&mut case).counters = ticks.map(counter).to_vec();
        case
    }

    fn said(case: &CaseResult) -> Finding {
        let found = crate::bottleneck::check(case, &fixture::context(&Default::default()));
        crate::said::written(found).remove(0)
    }

    /// Bug: the way there and back was said to be all that counts, though the other end had no CPU to answer.
    #[test]
    fn an_end_that_has_no_cpu_to_answer_is_named() {
        for is_one_machine in [false, true] {
            let late = found(0.9, 99, is_one_machine);
            assert_eq!(late.code, "receiver-cpu", "{late:?}");
            assert!(late.text.contains("computes, or waits for a CPU, 90 % of the time"), "{}", late.text);
            assert!(late.evidence.iter().any(|evidence| evidence.code == "ready"), "{late:?}");
        }
    }

    /// Bug: messages that take 3.3 ms were said to be bound by the way there and back, though it takes 0.1 ms.
    #[test]
    fn the_least_round_trip_stands_beside_one_that_takes_much_longer() {
        let with = |rtt_s: f64| {
            let mut case = case(0.1, 20, false);
            case.trials[0].result.main_mut().facts.insert(fact::RTT_LEAST, rtt_s.into());
            said(&case)
        };
        let late = with(1e-4);
        assert_eq!(late.code, "round-trip-bound");
        assert!(late.evidence.iter().any(|one| one.code == "beyond-way" && one.beside), "{late:?}");
        assert!(with(3e-3).evidence.iter().all(|one| one.code != "beyond-way"));
    }

    #[test]
    fn one_that_wakes_up_on_an_idle_machine_or_waits_little_is_not() {
        assert_eq!(found(0.9, 60, false).code, "round-trip-bound");
        assert_eq!(found(0.3, 99, false).code, "round-trip-bound");
    }
}
