//! The engine against queues whose behaviour is known: what it reports must be
//! what was put in.
#![allow(clippy::unwrap_used)]

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use engine::numa::Confinement;
use engine::outcome::SessionOutcome;
use engine::schedule::{Arrivals, WorkerIndex};
use engine::stop::StopRule;
use engine::{Begin, Blocking, Fault, IdlePhases, LoadPlan, Observer, Operate, Operation, Session};
use engine::{Prepared, Worker};
use model::Phase;
use model::trial::Timeline;

const MS: u64 = 1_000_000;

/// A load whose operation `index` sleeps as long as a function says.
struct Sleeper {
    nap: fn(u64) -> Duration,
    naps: Arc<Mutex<Vec<Duration>>>,
    seen: Arc<SideMetrics>,
}

impl std::fmt::Debug for Sleeper {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Sleeper")
    }
}

impl Sleeper {
    fn new(nap: fn(u64) -> Duration) -> Self {
        Self { nap, naps: Arc::default(), seen: Arc::default() }
    }
}

struct Napping {
    nap: fn(u64) -> Duration,
    naps: Arc<Mutex<Vec<Duration>>>,
    to_end: u64,
    seen: Arc<SideMetrics>,
}

/// What happened in which order.
#[derive(Debug, Default)]
struct SideMetrics(Mutex<Vec<&'static str>>);

impl Operate for Napping {
    fn operate(&mut self, operation: Operation) -> Result<u64, Fault> {
        let nap = (self.nap)(operation.index);
        if nap == Duration::MAX {
            return Err(Fault::Other(format!("operation {} was made to fail", operation.index)));
        }
        let begin = Instant::now();
        std::thread::sleep(nap);
        self.naps.lock().unwrap().push(begin.elapsed());
        self.seen.0.lock().unwrap().push("operation");
        Ok(10)
    }

    fn verify(&mut self) -> Result<(), Fault> {
        self.seen.0.lock().unwrap().push("verify");
        Ok(())
    }

    fn operations_to_end(&self) -> Option<u64> {
        Some(self.to_end)
    }
}

impl Prepared for Sleeper {
    fn operation_bytes(&self) -> u64 {
        10
    }

    fn worker(&self, _seat: WorkerIndex, _seed: u64) -> Result<Box<dyn Worker>, Fault> {
        let (naps, seen) = (Arc::clone(&self.naps), Arc::clone(&self.seen));
        Ok(Box::new(Blocking::new(Napping { nap: self.nap, naps, to_end: 7, seen })))
    }
}

/// Remembers what it was told.
#[derive(Default)]
struct Notes(Mutex<Vec<(Phase, u64)>>);

impl Observer for Notes {
    fn starts(&self, _timeline: Timeline) {}
    fn phase(&self, phase: Phase, at_ns: u64) {
        self.0.lock().unwrap().push((phase, at_ns));
    }
}

fn plan(prepared: &Sleeper, workers: usize, stop: StopRule) -> LoadPlan<'_> {
    let confinement = Confinement::default();
    LoadPlan { prepared, cpus: vec![None; workers], confinement, rate: None, stop, seed: 1 }
}

fn run(loads: Vec<LoadPlan<'_>>, warm_up_ns: u64) -> Result<SessionOutcome, Fault> {
    let session = Session { loads, warm_up_ns, interval_ns: None, cut_least_ns: 0 };
    session.run(&Notes::default(), &AtomicBool::new(false))
}

#[test]
fn the_rate_is_that_of_the_queue_even_with_long_operations() {
    // Operations of about 30 ms in a 200 ms window: counted whole, the rate
    // would jump by 2.5 %; shared out by time it is workers / mean time.
    let sleeper = Sleeper::new(|_| Duration::from_millis(30));
    let outcome = run(vec![plan(&sleeper, 2, StopRule::Time(200 * MS))], 40 * MS).unwrap();
    let rate = outcome.loads[0].operations / outcome.window.seconds();
    let naps = sleeper.naps.lock().unwrap().clone();
    let mean = naps.iter().sum::<Duration>().as_secs_f64() / naps.len() as f64;
    assert!((rate * mean / 2.0 - 1.0).abs() < 0.1, "{rate}/s of {mean} s");
    assert!((outcome.window.seconds() - 0.2).abs() < 1e-6);
}

/// Nobody can type it, but a controller may order it.
#[test]
fn regression_a_window_without_length_panicked() {
    let sleeper = Sleeper::new(|_| Duration::from_micros(50));
    let outcome = run(vec![plan(&sleeper, 1, StopRule::Time(0))], 0).unwrap();
    assert!(outcome.window.end_ns > outcome.window.start_ns);
}

#[test]
fn an_open_loop_counts_latency_from_the_due_time() {
    // 1000/s into one worker; one operation stalls for 200 ms. Those due during
    // the stall wait for it: the one due right after its start waits 200 ms, the
    // last none, so the median of all in a 400 ms window is far above the
    // service time. A closed loop would show one slow operation of 400.
    let sleeper =
        Sleeper::new(
            |index| if index == 100 { Duration::from_millis(200) } else { Duration::from_micros(50) },
        );
    let mut load = plan(&sleeper, 1, StopRule::Time(400 * MS));
    load.rate = Some((1000.0, Arrivals::Fixed));
    let outcome = run(vec![load], 0).unwrap();
    let load = &outcome.loads[0];
    let p75 = load.latency.value_at_quantile(0.75) as f64 / 1e6;
    assert!(p75 > 50.0, "p75 of latency is {p75} ms");
    let service = load.service.as_ref().unwrap().value_at_quantile(0.75) as f64 / 1e6;
    assert!(service < p75 / 2.0, "p75 of service time is {service} ms");
    assert!(load.late_starts >= 150, "{} late starts", load.late_starts);
    assert!(load.latency.max() as f64 / 1e6 >= 195.0);
}

#[test]
fn an_open_loop_keeps_its_rate_and_is_not_late_by_itself() {
    let sleeper = Sleeper::new(|_| Duration::ZERO);
    let mut load = plan(&sleeper, 2, StopRule::Time(500 * MS));
    load.rate = Some((2000.0, Arrivals::Poisson));
    let outcome = run(vec![load], 50 * MS).unwrap();
    let rate = outcome.loads[0].operations / outcome.window.seconds();
    // 1000 arrivals: six standard deviations of a Poisson count are 190.
    assert!((1600.0..2400.0).contains(&rate), "{rate}");
}

#[test]
fn nobody_verifies_while_others_are_measured() {
    // The odd worker's seven operations take twenty times as long.
    let sleeper = Sleeper::new(|index| Duration::from_millis(if index % 2 == 1 { 20 } else { 1 }));
    run(vec![plan(&sleeper, 2, StopRule::End)], 0).unwrap();
    let seen = sleeper.seen.0.lock().unwrap().clone();
    assert_eq!(seen.len(), 16);
    assert_eq!(seen[14..], ["verify"; 2], "{seen:?}");
}

#[test]
fn a_count_ends_exactly_and_the_warm_up_uses_up_none_of_it() {
    for stop in [StopRule::Operations(23), StopRule::Bytes(225)] {
        let sleeper = Sleeper::new(|_| Duration::from_millis(2));
        let outcome = run(vec![plan(&sleeper, 3, stop)], 20 * MS).unwrap();
        assert_eq!(outcome.loads[0].completions, 23);
        assert!((outcome.loads[0].operations - 23.0).abs() < 1e-6);
        assert!((outcome.loads[0].bytes - 230.0).abs() < 1e-6);
        assert!(outcome.steady.is_none());
    }
}

#[test]
fn each_worker_goes_to_the_end_of_its_share() {
    let sleeper = Sleeper::new(|_| Duration::from_millis(1));
    let outcome = run(vec![plan(&sleeper, 3, StopRule::End)], 0).unwrap();
    assert_eq!(outcome.loads[0].completions, 21);
}

#[test]
fn loads_share_a_window_and_company_ends_with_the_main_load() {
    let main = Sleeper::new(|_| Duration::from_millis(1));
    let company = Sleeper::new(|_| Duration::from_millis(2));
    let loads = vec![plan(&main, 1, StopRule::Time(200 * MS)), plan(&company, 1, StopRule::FollowMain)];
    let outcome = run(loads, 20 * MS).unwrap();
    let rate = |i: usize| outcome.loads[i].operations / outcome.window.seconds();
    assert!(rate(0) > rate(1) && rate(1) > 0.0, "{} {}", rate(0), rate(1));
    assert_eq!(outcome.loads.len(), 2);
}

#[test]
fn phases_are_announced_in_order_with_their_times() {
    let sleeper = Sleeper::new(|_| Duration::from_millis(1));
    let notes = Notes::default();
    let loads = vec![plan(&sleeper, 1, StopRule::Time(100 * MS))];
    let session = Session { loads, warm_up_ns: 50 * MS, interval_ns: None, cut_least_ns: 0 };
    let outcome = session.run(&notes, &AtomicBool::new(false)).unwrap();
    let notes = notes.0.into_inner().unwrap();
    let phases: Vec<Phase> = notes.iter().map(|(phase, _)| *phase).collect();
    assert_eq!(phases, [Phase::WarmUp, Phase::Measure, Phase::Verify]);
    assert_eq!(notes[1].1 - notes[0].1, 50 * MS);
    assert!(notes[2].1 >= outcome.window.end_ns);
}

#[test]
fn nothing_runs_for_so_long_before_and_after() {
    let sleeper = Sleeper::new(|_| Duration::from_millis(1));
    let notes = Notes::default();
    let loads = vec![plan(&sleeper, 2, StopRule::Time(100 * MS))];
    let session = Session { loads, warm_up_ns: 20 * MS, interval_ns: None, cut_least_ns: 0 };
    let rest = IdlePhases { idle_ns: 120 * MS, cool_down_ns: 150 * MS };
    let outcome = session.run_between(rest, Begin::Soon, &notes, &AtomicBool::new(false)).unwrap();
    let notes = notes.0.into_inner().unwrap();
    let phases: Vec<Phase> = notes.iter().map(|(phase, _)| *phase).collect();
    assert_eq!(phases, [Phase::Idle, Phase::WarmUp, Phase::Measure, Phase::CoolDown, Phase::Verify]);
    assert!(notes[1].1 - notes[0].1 >= rest.idle_ns, "{notes:?}");
    assert!(notes[4].1 - notes[3].1 >= rest.cool_down_ns, "{notes:?}");
    assert!(notes[3].1 >= outcome.window.end_ns);
    assert!((outcome.window.seconds() - 0.1).abs() < 1e-6, "the window is what it was");
    let seen = sleeper.seen.0.lock().unwrap().clone();
    assert_eq!(seen.iter().filter(|what| **what == "verify").count(), 2, "{seen:?}");
}

#[test]
fn a_cancel_ends_a_rest_at_once() {
    for (rest, phase) in [
        (IdlePhases { idle_ns: 60_000 * MS, cool_down_ns: 0 }, Phase::Idle),
        (IdlePhases { idle_ns: 0, cool_down_ns: 60_000 * MS }, Phase::CoolDown),
    ] {
        let sleeper = Sleeper::new(|_| Duration::from_millis(1));
        let cancel = AtomicBool::new(false);
        let session = Session {
            loads: vec![plan(&sleeper, 2, StopRule::Time(20 * MS))],
            warm_up_ns: 0,
            interval_ns: None,
            cut_least_ns: 0,
        };
        let notes = Notes::default();
        let begin = Instant::now();
        let result = std::thread::scope(|scope| {
            scope.spawn(|| {
                while !notes.0.lock().unwrap().iter().any(|(seen, _)| *seen == phase) {
                    std::thread::sleep(Duration::from_millis(5));
                }
                cancel.store(true, Ordering::Relaxed);
            });
            session.run_between(rest, Begin::Soon, &notes, &cancel)
        });
        assert!(matches!(result, Err(Fault::Cancelled)), "{result:?}");
        // A minute was asked for.
        assert!(begin.elapsed() < Duration::from_secs(30));
    }
}

#[test]
fn a_failing_operation_ends_all_workers_with_its_reason() {
    let sleeper = Sleeper::new(|index| if index == 50 { Duration::MAX } else { Duration::from_millis(1) });
    let fault = run(vec![plan(&sleeper, 2, StopRule::Time(60_000 * MS))], 0).unwrap_err();
    assert_eq!(fault.to_string(), "operation 50 was made to fail");
}

#[test]
fn a_cancel_ends_a_long_trial_soon() {
    let sleeper = Sleeper::new(|_| Duration::from_millis(1));
    let cancel = AtomicBool::new(false);
    let loads = vec![plan(&sleeper, 2, StopRule::Time(60_000 * MS))];
    let session = Session { loads, warm_up_ns: 0, interval_ns: None, cut_least_ns: 0 };
    let result = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(100));
            cancel.store(true, Ordering::Relaxed);
        });
        session.run(&Notes::default(), &cancel)
    });
    assert!(matches!(result, Err(Fault::Cancelled)), "{result:?}");
}
