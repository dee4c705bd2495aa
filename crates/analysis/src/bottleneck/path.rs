//! A path that is full, though nobody says how much it can do: a link on the way, a shaper or
//! whoever else lets no more through. TCP knows that it waited for the path; that the path is full,
//! and not lossy or merely slow to answer, shows in one of two ways:
//!
//! * **queue**: the round trip stands well above its least. What is sent beyond what the
//!   narrowest link takes waits before it, and lengthens the round trip by the queue over its rate
//!   (Jacobson, "Congestion Avoidance and Control", SIGCOMM 1988). What the queue cannot take is
//!   lost: loss beside a queue is its consequence, and not the cause.
//! * **delivery**: the sender is under BBR, which keeps no queue. It paces by the most that arrives
//!   (Cardwell and others, "BBR: Congestion-Based Congestion Control", ACM Queue 14(5), 2016), so
//!   that one which waits for the path, with a rate that stands, sends what the path delivers.
//!
//! Both only where no processor of either end is near full, for a slow one makes a queue, too, and
//! no window is. What the path can do is what it did; whether that is constant is `constant`'s.
//!
//! A path has an interface at each end. The narrower one is marked, by how much of what it can is used. Where
//! one of them does not say what it can, it may be the narrower, for the other is known to have room.

use model::finding::{Evidence, Place};
use model::limit::LimitKind;
use model::profile::Transport;
use model::run::{CaseResult, Utilization};
use model::{Finding, Resource, ResourceKind, Severity, Trial, Unit, fact, metric, series};

use super::link::{self, NEARLY_ALL};
use super::network::{self, DECIDES};
use super::{Verdict, end_core, finding, loss, reorder, unsent};
use crate::measure::End;
use crate::{Context, measure};

/// A round trip of more than so many times the least has a queue on its way.
pub(super) const QUEUED: f64 = 1.5;

/// A queue holds so many segments at least: what is longer by less is who wakes up late, over a way of some microseconds.
const QUEUE_LEAST: f64 = 2.0;

/// And so many where segments are lost, for it is said to overflow: the ends of a way that loses them are kept waiting as well.
const OVERFLOWS: f64 = 16.0;

/// A rate stands where means of five intervals differ by no more (relative standard deviation): BBR
/// probes with a quarter more or less for one round trip in eight.
const STANDS: f64 = 0.1;

/// A rate grows where each quarter of the window has so many times as much as the one before it, but for the first: in slow
/// start it doubles with each round trip (RFC 5681), and over a long way CUBIC takes seconds to find what it may send.
const GROWS: f64 = 1.1;

pub(super) const ENGLISH: &str = r#"
finding-path-full =
    the way to the other end is full: it lets { SHORT($rate, $unit) } through{ $by ->
        [queue] , and what is sent beyond waits in a queue (a round trip of { SHORT($rtt_s, unit: "s") }, of
            { SHORT($least_s, unit: "s") } without)
       *[delivery] , and BBR, which sends as fast as that, waited for it { PERCENT($path) } of the time
    }
    .advice =
        a link, a shaper or who else is on the way sets this; which one shows at the switches and routers between, or by
        measuring to machines nearer by

evidence-path-full =
    { $by ->
        [queue] the round trip is { FIXED($times, decimals: 1) } times its least, and the connection waited for the path
            { PERCENT($path) } of the time
       *[delivery] the connection is under BBR and waited for the path { PERCENT($path) } of the time
    }

evidence-paced =
    each connection is paced at { SHORT($paced, $unit) } by its congestion control ({ $congestion }), and had { PERCENT($share) } of
    that
evidence-still-growing =
    the rate still grew at the end of the window, whose last quarter had { FIXED($times, decimals: 1) } times as much as the one
    before it: a longer --duration or --warmup shows where it ends
"#;

/// Whether this is a TCP stream that leaves the machine, one way.
pub(super) fn is_watched(case: &CaseResult) -> bool {
    leaves(case) && !measure::goes_both_ways(case)
}

fn leaves(case: &CaseResult) -> bool {
    let profile = measure::profile(case);
    let is_lo = |t: &Trial| End::Drives.fact(t, fact::INTERFACE).is_some_and(|name| name.to_string() == "lo");
    profile.transport == Some(Transport::Tcp)
        && profile.is_stream()
        && !measure::is_loopback(case)
        && !measure::good(case).any(is_lo)
}

/// The share of the time for which the sender waited for the path, where that decides: no
/// processor is near full, and no window is. Where nobody counted, nobody knows.
pub(super) fn waited_for(case: &CaseResult) -> Option<f64> {
    let is_free = |end: &End| end_core::has_room(case, *end).unwrap_or(false);
    let waits = network::path_share(case).filter(|share| *share >= DECIDES)?;
    let decides = [End::Drives, End::Answers].iter().all(is_free) && network::full_window(case).is_none();
    decides.then_some(waits)
}

/// The round trip and the least one, s, of the trial with the median of their ratio.
pub(super) fn round_trips(case: &CaseResult) -> Option<(f64, f64)> {
    let sender = measure::sender(case);
    measure::middle(case, |t| {
        let least = sender.number(t, fact::LEAST_RTT).filter(|least| *least > 0.0)?;
        let rtt = measure::measured(t, metric::RTT)?;
        Some((rtt / least, (rtt, least)))
    })
}

/// The interface that may be what is full, with its end: the narrower of the two that the data passes, or the
/// one that does not say how much it can do.
pub(super) fn interface(case: &CaseResult) -> Option<(Resource, End)> {
    let near = case.path.iter().map(|step| &step.resource).find(|r| r.is_named(ResourceKind::Nic))?;
    let far = measure::good(case).find_map(|trial| End::Answers.fact(trial, fact::INTERFACE));
    let Some(far) = far.map(|name| Resource::of(ResourceKind::Nic, name)) else {
        return Some((near.clone(), End::Drives));
    };
    match (used_at(case, near, End::Drives), used_at(case, &far, End::Answers)) {
        (Some(near), Some(far)) if far <= near => {}
        (None, _) => {}
        (Some(_), _) => return Some((far, End::Answers)),
    }
    Some((near.clone(), End::Drives))
}

/// How much of what an interface of an end can is used, as a share.
fn used_at(case: &CaseResult, interface: &Resource, end: End) -> Option<f64> {
    let is_its = |used: &&Utilization| {
        used.resource == *interface
            && used.quantity == metric::THROUGHPUT
            && used.machine.as_deref() == end.machine(case)
            && matches!(used.kind, LimitKind::Link | LimitKind::Quota)
    };
    case.utilization.iter().filter(is_its).map(|used| used.fraction).reduce(f64::max)
}

/// A path that is full.
pub(super) fn full(case: &CaseResult) -> Option<Verdict> {
    of_share(case, Some(case).filter(|case| leaves(case)).and_then(waited_for)?)
}

/// The same of a stream that leaves the machine and is known to wait for the path for so much of the time, which decides.
pub(super) fn of_share(case: &CaseResult, path: f64) -> Option<Verdict> {
    if !leaves(case) {
        return None;
    }
    // What still grows has not found yet what the path can do, and what overtakes stands in no one queue.
    if growth(case).is_some() || reorder::is_much(case) {
        return None;
    }
    let (resource, end) = interface(case)?;
    let (rtt, least) = round_trips(case)?;
    let by = if rtt >= QUEUED * least && is_queue(case, rtt - least) {
        "queue"
    } else if is_delivered(case) {
        "delivery"
    } else {
        return None;
    };
    // Of both ways, that in which the end that drives sends: it is its account.
    let is_both = measure::goes_both_ways(case);
    let rate = measure::estimated(case, if is_both { metric::SEND_THROUGHPUT } else { metric::THROUGHPUT })?;
    let (written, symbol) = measure::written(rate, Unit::BytesPerSecond, &resource);
    // Others may use the way as well: what passes the interface is not all the load's.
    let carried = link::passed(case, &resource, end).filter(|carried| rate < NEARLY_ALL * carried);
    let carried = carried.map(|carried| Evidence {
        beside: true,
        ..Evidence::at("link-carried", Place::Path(resource.clone()))
            .arg("resource", resource.as_str())
            .arg("end", end.word())
            .arg("machine", end.machine(case).unwrap_or_default())
            .arg("carried", measure::written(carried, Unit::BytesPerSecond, &resource).0)
            .arg("unit", symbol)
    });
    let figures = [("rtt_s", rtt), ("least_s", least), ("times", rtt / least), ("path", path)];
    let mut found = finding("path-full", Severity::Note)
        .on(resource)
        .arg("rate", written)
        .arg("unit", symbol)
        .arg("end", end.word())
        .arg("by", by);
    let mut evidence = Evidence::at("path-full", Place::Metric(metric::RTT)).arg("by", by);
    for (name, value) in figures {
        found = found.arg(name, value);
        evidence = evidence.arg(name, value);
    }
    // What a narrow link does not take is lost, and so is what a bad one breaks: nobody can tell the two without a queue.
    let lost = loss::evidence(case).map(|lost| Evidence { beside: true, ..lost });
    Some(Verdict::Full(Box::new(found.because(evidence).because_all(lost).because_all(carried))))
}

/// Whether what passes in so many seconds by which the round trip is longer is so much that it stands in a queue.
fn is_queue(case: &CaseResult, longer_s: f64) -> bool {
    let sender = measure::sender(case);
    let segments = measure::median(case, |trial| {
        let mss = sender.number(trial, fact::MSS).filter(|mss| *mss > 0.0)?;
        Some(measure::measured(trial, metric::THROUGHPUT)? * longer_s / mss)
    });
    let least = if loss::felt(case).is_some() { OVERFLOWS } else { QUEUE_LEAST };
    segments.is_none_or(|segments| segments >= least)
}

/// Whether the sender, under BBR, sends what the path delivers, and nothing that is lost or dropped makes it less.
fn is_delivered(case: &CaseResult) -> bool {
    loss::is_under_bbr(case) && loss::felt(case).is_none() && unsent::share(case).is_none() && stands(case)
}

/// How many times as much the last quarter of a window has as the one before it, where the rate grows until then.
fn growth(case: &CaseResult) -> Option<f64> {
    let of = |trial: &Trial| {
        let course = measure::course(case, trial, series::THROUGHPUT)?;
        let rates = measure::within_window(trial, course)?;
        let quarter = Some(rates.len() / 4).filter(|quarter| *quarter >= 2)?;
        let [second, third, last] = [1, 2, 3].map(|place| {
            let part = &rates[rates.len() - (4 - place) * quarter..][..quarter];
            part.iter().sum::<f64>() / quarter as f64
        });
        let (before, times) = (third / second, last / third);
        (second > 0.0).then_some((before.min(times), times))
    };
    let (least, times) =
        measure::middle(case, |trial| of(trial).map(|(least, times)| (least, (least, times))))?;
    (least >= GROWS).then_some(times)
}

/// That the rate of a stream of which nobody knows what holds it back still grew.
pub(super) fn growing(named: &Finding, case: &CaseResult, _context: &Context<'_>) -> Option<Evidence> {
    if named.code != "cannot-tell" || !leaves(case) {
        return None;
    }
    let times = growth(case)?;
    Some(Evidence::at("still-growing", Place::Metric(metric::THROUGHPUT)).arg("times", times))
}

/// Verdicts on streams of which it may be their own pacing that sets the rate.
const PACED: [&str; 2] = ["path-full", "cannot-tell"];

/// A connection that had less of the rate at which it was paced was held back by something else; more is a burst.
const OF_PACE: std::ops::RangeInclusive<f64> = 0.7..=1.1;

/// That the rate of a stream is that at which its congestion control paces it: BBR sends what it saw arrive, a little more for
/// one round trip in eight and a little less for the next.
pub(super) fn paced(named: &Finding, case: &CaseResult, _context: &Context<'_>) -> Option<Evidence> {
    if !PACED.contains(&named.code.as_str()) || !loss::is_under_bbr(case) {
        return None;
    }
    let sender = measure::sender(case);
    let (paced, share) = measure::middle(case, |trial| {
        let paced = sender.number(trial, fact::PACING_RATE).filter(|rate| *rate > 0.0)?;
        let each = measure::measured(trial, metric::THROUGHPUT)? / measure::sending(case) as f64;
        Some((each / paced, (paced, each / paced)))
    })?;
    let congestion = measure::good(case).find_map(|trial| sender.fact(trial, fact::CONGESTION))?.to_string();
    let place = Place::Metric(metric::THROUGHPUT);
    let evidence = Evidence::at("paced", place).arg("paced", paced * 8.0).arg("unit", "bit/s");
    OF_PACE.contains(&share).then(|| evidence.arg("share", share).arg("congestion", congestion))
}

/// Whether the rate within each trial stands.
fn stands(case: &CaseResult) -> bool {
    let of = |trial: &Trial| {
        let course = measure::course(case, trial, series::THROUGHPUT)?;
        stats::bucket::spread(measure::within_window(trial, course)?).map(|spread| spread.of_five)
    };
    measure::median(case, of).is_some_and(|spread| spread <= STANDS)
}

#[cfg(test)]
mod tests {
    use super::super::constant::tests::{course, stream};
    use super::super::tests::{used, verdict};
    use super::*;
    use crate::validity::fixture;
    use model::{Better, Quantity, Value};

    /// A stream whose rate is that of a path that others use, too: no meter has it.
    fn over(rtt_s: f64, congestion: &str, lost: f64, busy: u64) -> CaseResult {
        let mut case = stream(1, 12.5e6, busy);
        let rates: Vec<f64> = (0..20).map(|i| if i < 10 { 12e6 } else { 13e6 }).collect();
        course(&mut case, series::THROUGHPUT, Unit::BytesPerSecond, &rates);
        for trial in &mut case.trials {
            let main = trial.result.main_mut();
            main.metrics.insert(metric::RTT, Quantity { value: rtt_s, unit: Unit::Seconds });
            main.metrics.insert(metric::RETRANSMITS, Quantity { value: lost, unit: Unit::One });
            main.facts.insert(fact::CONGESTION, Value::from(congestion));
        }
        case
    }

    fn code(case: CaseResult) -> String {
        verdict(&[case]).code
    }

    #[test]
    fn a_queue_on_the_way_is_that_of_a_path_that_is_full_and_loses_what_it_does_not_take() {
        let found = verdict(&[over(0.012, "cubic", 0.0, 20)]);
        assert_eq!((found.code.as_str(), &found.args["by"]), ("path-full", &"queue".into()));
        let text = "it lets 100 Mbit/s through, and what is sent beyond waits in a queue (a round trip of 12 ms, of 5 ms";
        assert!(found.text.contains(text), "{}", found.text);
        // Of some 17,000 segments.
        assert_eq!(code(over(0.012, "cubic", 400.0, 20)), "path-full");
        // Without a queue it is the loss.
        assert_eq!(code(over(0.0055, "cubic", 400.0, 20)), "loss-bound");
        assert_eq!(code(over(0.0055, "cubic", 0.0, 20)), "cannot-tell");
        // A processor that answers late makes a queue, too.
        assert_eq!(code(over(0.012, "cubic", 0.0, 85)), "cannot-tell");
    }

    /// Bug: beside other programs that fill all CPUs a path that is full was not told, though the load hardly wants one.
    #[test]
    fn a_path_is_full_beside_programs_that_fill_the_cpus_and_keep_nobody_waiting() {
        let beside = |ready_s: f64, softirq: u64| {
            let mut case = over(0.012, "cubic", 0.0, 100);
            for trial in &mut case.trials {
                for load in &mut trial.result.loads {
                    load.facts.insert(fact::RUN_DELAY, ready_s.into());
                }
                for machine in &mut trial.result.machines {
                    let all = machine.counters.iter_mut();
                    for one in all.filter(|one| one.source == "/proc/stat softirq") {
                        one.after = one.before + softirq;
                    }
                }
            }
            code(case)
        };
        assert_eq!(beside(0.01, 2), "path-full");
        assert_eq!(beside(0.4, 2), "cannot-tell", "the load waits for a CPU");
        assert_eq!(beside(0.01, 60), "cannot-tell", "packets take their time");
    }

    /// Bug: 40 microseconds in which not a whole segment passes were taken for a queue on the way.
    #[test]
    fn what_holds_less_than_two_segments_is_no_queue() {
        let with = |longer_s: f64| {
            let mut case = over(1e-5 + longer_s, "cubic", 0.0, 20);
            for trial in &mut case.trials {
                trial.result.main_mut().facts.insert(fact::LEAST_RTT, 1e-5.into());
            }
            code(case)
        };
        // At 12.5 MB/s a segment takes 116 us.
        assert_eq!(with(0.0004), "path-full");
        assert_eq!(with(0.0001), "cannot-tell");
        // Bug: a way that loses one segment in fifty was said to be full for some 5 segments that were kept waiting.
        let losing = |longer_s: f64| {
            let mut case = over(1e-5 + longer_s, "cubic", 400.0, 20);
            for trial in &mut case.trials {
                trial.result.main_mut().facts.insert(fact::LEAST_RTT, 1e-5.into());
            }
            code(case)
        };
        assert_eq!(losing(0.0006), "loss-bound");
        assert_eq!(losing(0.004), "path-full");
    }

    /// Bug: of a stream both ways over a path that is full nothing was said.
    #[test]
    fn a_path_that_is_full_both_ways_is_told_by_what_is_sent() {
        let mut case = over(0.012, "cubic", 0.0, 20);
        fixture::set(&mut case, "direction", "both");
        let estimate = fixture::estimate(6e6, Unit::BytesPerSecond, Better::Higher);
        case.loads.main.estimates.insert(metric::SEND_THROUGHPUT, estimate);
        let found = verdict(&[case]);
        assert_eq!(found.code, "path-full");
        assert!(found.text.contains("it lets 48 Mbit/s through"), "{}", found.text);
    }

    /// Bug: the near interface was marked though the far one is the narrower.
    #[test]
    fn the_narrower_interface_is_marked_at_its_end() {
        const FAR: &str = "10.0.0.2:7117";
        let marked = |near: Option<f64>, far: Option<f64>| {
            let mut case = over(0.012, "cubic", 0.0, 20);
            for trial in &mut case.trials {
                let end = trial.result.loads.iter_mut().find(|load| load.machine == FAR).unwrap();
                end.facts.insert(fact::INTERFACE, "eth1".into());
            }
            let of = |name: &str, machine: Option<&str>, fraction: f64| Utilization {
                machine: machine.map(str::to_owned),
                ..used(name, LimitKind::Link, fraction)
            };
            case.utilization = near.map(|fraction| of("nic:eth0", None, fraction)).into_iter().collect();
            case.utilization.extend(far.map(|fraction| of("nic:eth1", Some(FAR), fraction)));
            let found = verdict(&[case.clone()]);
            assert_eq!(found.code, "path-full");
            let is_far = found.args["end"] == Value::from("far");
            assert_eq!(crate::is_of_other_end(&case, &found), is_far);
            (found.resource.unwrap().to_string(), is_far)
        };
        let (near, far) = (("nic:eth0".to_owned(), false), ("nic:eth1".to_owned(), true));
        assert_eq!(marked(Some(0.08), Some(0.8)), far);
        assert_eq!(marked(Some(0.8), Some(0.08)), near);
        assert_eq!(marked(Some(0.5), Some(0.5)), near, "of two that are as wide the nearer");
        assert_eq!(marked(Some(0.1), None), far, "the near one has room");
        assert_eq!(marked(None, Some(0.1)), near);
        assert_eq!(marked(None, None), near);
    }

    /// Bug: of a way that others use as well nobody said how much passes it.
    #[test]
    fn what_others_send_over_a_full_path_is_told() {
        let told = |bytes: u64| {
            let mut case = over(0.012, "cubic", 0.0, 20);
            case.utilization = vec![used("nic:eth0", LimitKind::Link, 0.1)];
            for trial in &mut case.trials {
                let sent =
                    crate::validity::fixture::counter("nic:eth0", "/proc/net/dev tx_bytes", 1.0, bytes);
                trial.result.local_mut().counters.push(sent);
            }
            let found = verdict(&[case]);
            assert_eq!(found.code, "path-full");
            found.evidence.into_iter().find(|evidence| evidence.code == "link-carried")?.text
        };
        assert!(told(25_000_000).is_some_and(|text| text.starts_with("200 Mbit/s passed")));
        assert_eq!(told(13_000_000), None, "heads of its own packets");
    }

    #[test]
    fn bbr_fills_a_path_without_a_queue_and_bears_loss() {
        let found = verdict(&[over(0.0055, "bbr", 0.0, 20)]);
        assert_eq!((found.code.as_str(), &found.args["by"]), ("path-full", &"delivery".into()));
        assert!(
            found.text.contains("and BBR, which sends as fast as that, waited for it 100 %"),
            "{}",
            found.text
        );
        let loses = verdict(&[over(0.0055, "bbr", 400.0, 20)]);
        assert_eq!(loses.code, "path-full");
        assert!(loses.evidence.iter().any(|e| e.code == "retransmits" && e.beside), "{loses:?}");
        assert!(found.evidence.iter().all(|e| e.code != "retransmits"), "{found:?}");
        assert_eq!(code(over(0.0055, "bbr", 2000.0, 20)), "loss-bound");
        assert_eq!(code(over(0.0055, "bbr", 0.0, 85)), "cannot-tell");
        // It still finds out how fast it may go.
        let mut early = over(0.0055, "bbr", 0.0, 20);
        let rates: Vec<f64> = (1..=20).map(|i| f64::from(i) * 1e6).collect();
        course(&mut early, series::THROUGHPUT, Unit::BytesPerSecond, &rates);
        assert_eq!(code(early), "cannot-tell");
    }

    /// Bug: a stream that had not found yet what it may send was said to fill its path.
    #[test]
    fn a_rate_that_still_grows_fills_no_path() {
        let with = |rates: &[f64]| {
            let mut case = over(0.012, "cubic", 0.0, 20);
            course(&mut case, series::THROUGHPUT, Unit::BytesPerSecond, rates);
            verdict(&[case])
        };
        let grows: Vec<f64> = (1..=20).map(|i| f64::from(i) * 1e6).collect();
        let found = with(&grows);
        assert_eq!(found.code, "cannot-tell");
        let told = found.evidence.iter().find(|one| one.code == "still-growing" && one.beside);
        let text = told.and_then(|one| one.text.clone()).unwrap_or_default();
        assert!(text.contains("had 1.4 times as much as the one before"), "{found:?}");
        let stands: Vec<f64> = (1..=20).map(|i| f64::from(i.min(8)) * 1.5e6).collect();
        let found = with(&stands);
        assert_eq!(found.code, "path-full");
        assert!(found.evidence.iter().all(|one| one.code != "still-growing"));
    }

    /// Bug: a round trip that varies, so that segments overtake one another, was taken for a queue.
    #[test]
    fn a_round_trip_that_varies_by_itself_is_no_queue() {
        let with = |early: u64| {
            let mut case = over(0.012, "cubic", 0.0, 20);
            for trial in &mut case.trials {
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
            code(case)
        };
        assert_eq!(with(20), "path-full");
        assert_eq!(with(400), "cannot-tell");
    }
}
