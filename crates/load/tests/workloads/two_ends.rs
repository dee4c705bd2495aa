//! Both ends of a load in one process: two sessions in two threads over the
//! loopback interface, joined as the agents join them.

use std::net::Ipv4Addr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use engine::numa::Confinement;
use engine::outcome::LoadOutcome;
use engine::stop::StopRule;
use engine::{Begin, Fault, IdlePhases, LoadPlan, Observer, Session};
use engine::{Prepared, SideMetrics};
use load::fixture::FixtureStore;
use load::workload::net::RendezvousListener;
use load::workload::{FIXTURES, HostInfo, Load, LoadContext, LoadEndpoint, Rendezvous, Workload, catalogue};
use model::message::RendezvousAddress;
use model::plan::Problem;
use model::trial::Timeline;
use model::trial::{LOCAL, LoadTrial, TrialResult};
use model::{MetricName, ParameterName, Parameters, Phase, Value};

/// The cookie of all rendezvous addresses here.
pub(crate) const COOKIE: [u8; 16] = *b"a cookie of ours";

/// Keeps the times that the near end decides.
#[derive(Default)]
struct Times(Mutex<Option<Timeline>>);

impl Observer for Times {
    fn starts(&self, timeline: Timeline) {
        *self.0.lock().unwrap() = Some(timeline);
    }
    fn phase(&self, _phase: Phase, _at_ns: u64) {}
}

/// What one end did.
#[derive(Debug)]
pub(crate) struct One {
    pub(crate) result: TrialResult,
    pub(crate) outcome: LoadOutcome,
}

/// What both did, and what became of it.
#[derive(Debug)]
pub(crate) struct Both {
    pub(crate) near: One,
    pub(crate) far: One,
    pub(crate) united: TrialResult,
}

impl Both {
    pub(crate) fn metric(&self, name: MetricName) -> f64 {
        let metrics = &self.united.main().metrics;
        metrics.get(&name).unwrap_or_else(|| panic!("no {name} in {metrics:?}")).value
    }
}

/// The defaults of a workload with `changes`, as a person writes them, surveyed.
pub(crate) fn surveyed(workload: &dyn Workload, changes: &[(&str, &str)]) -> Result<Parameters, Problem> {
    let catalogue = catalogue();
    let mut parameters = Parameters::default();
    parameters.set(ParameterName::new("duration"), 0.1);
    for spec in catalogue.parameters(workload.spec()) {
        let changed = changes.iter().find(|(name, _)| *name == spec.name.as_str()).map(|(_, text)| *text);
        if let Some(text) = changed {
            parameters.set(spec.name, spec.parse(text).unwrap());
        }
    }
    catalogue.fill(workload.spec(), &mut parameters);
    catalogue.drop_idle(workload.spec(), &mut parameters);
    let mut load = Load::new(workload, parameters, 2)?;
    load.schedule.check()?;
    load.survey(&HostInfo { cpus: 2, ..HostInfo::default() })?;
    Ok(load.parameters)
}

/// What happens beside a trial.
pub(crate) struct TrialConditions<'a> {
    /// Done, with the rendezvous address, before the near end comes.
    pub(crate) first: &'a (dyn Fn(&RendezvousAddress) + Sync),
    /// The far end dies so long after the start.
    pub(crate) far_dies: Option<Duration>,
    /// The far end goes to the near one, not the other way round.
    pub(crate) far_goes: bool,
}

impl Default for TrialConditions<'_> {
    fn default() -> Self {
        Self { first: &|_| {}, far_dies: None, far_goes: false }
    }
}

/// A whole trial.
pub(crate) fn run(workload: &'static dyn Workload, parameters: &Parameters) -> Both {
    run_beside(workload, parameters, &TrialConditions::default())
}

/// A whole trial whose far end goes to the near one.
pub(crate) fn run_inward(workload: &'static dyn Workload, parameters: &Parameters) -> Both {
    run_beside(workload, parameters, &TrialConditions { far_goes: true, ..TrialConditions::default() })
}

fn run_beside(
    workload: &'static dyn Workload,
    parameters: &Parameters,
    beside: &TrialConditions<'_>,
) -> Both {
    let (near, far) = attempt(workload, parameters, beside);
    let (near, far) =
        (near.unwrap_or_else(|e| panic!("near: {e}")), far.unwrap_or_else(|e| panic!("far: {e}")));
    let mut united = near.result.clone();
    let load = Load::new(workload, parameters.clone(), 2).unwrap();
    load.merge(&mut united, &far.result).unwrap();
    Both { near, far, united }
}

/// A whole trial of which something may fail.
pub(crate) fn attempt(
    workload: &'static dyn Workload,
    parameters: &Parameters,
    beside: &TrialConditions<'_>,
) -> (Result<One, Fault>, Result<One, Fault>) {
    let listening = RendezvousListener::open(Ipv4Addr::LOCALHOST.into(), COOKIE).unwrap();
    let rendezvous = listening.rendezvous();
    let (mut near_meets, mut far_meets) = (Rendezvous::Out(&rendezvous), Rendezvous::In(&listening));
    if beside.far_goes {
        std::mem::swap(&mut near_meets, &mut far_meets);
    }
    let times = Times::default();
    let (near_off, far_off) = (AtomicBool::new(false), AtomicBool::new(false));
    let begin = || *times.0.lock().unwrap();
    std::thread::scope(|scope| {
        let far = scope.spawn(|| {
            let endpoint = LoadEndpoint { drives: false, rendezvous: far_meets, load: 0 };
            let result = end(workload, parameters, endpoint, Begin::Told(&begin), &Silent, &far_off);
            if result.is_err() && beside.far_dies.is_none() {
                near_off.store(true, Ordering::Relaxed);
            }
            result
        });
        let _released = Released(&far_off);
        (beside.first)(&rendezvous);
        if let Some(after) = beside.far_dies {
            let far_off = &far_off;
            let begun = || begin().is_some();
            scope.spawn(move || {
                while !begun() {
                    std::thread::sleep(Duration::from_millis(1));
                }
                std::thread::sleep(after);
                far_off.store(true, Ordering::Relaxed);
            });
        }
        let endpoint = LoadEndpoint { drives: true, rendezvous: near_meets, load: 0 };
        let near = end(workload, parameters, endpoint, Begin::Ahead(5_000_000), &times, &near_off);
        if near.is_err() {
            far_off.store(true, Ordering::Relaxed);
        }
        (near, far.join().unwrap())
    })
}

/// Ends the far end where a test fails, which would wait for its times for ever.
struct Released<'a>(&'a AtomicBool);

impl Drop for Released<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}

/// Hears nothing.
struct Silent;

impl Observer for Silent {
    fn starts(&self, _timeline: Timeline) {}
    fn phase(&self, _phase: Phase, _at_ns: u64) {}
}

fn end(
    workload: &'static dyn Workload,
    parameters: &Parameters,
    endpoint: LoadEndpoint<'_>,
    begin: Begin<'_>,
    observer: &dyn Observer,
    off: &AtomicBool,
) -> Result<One, Fault> {
    let context = LoadContext {
        fixtures: &FixtureStore::new(FIXTURES),
        endpoint: Some(endpoint),
        watch: load::workload::Watch::NONE,
    };
    let load = Load::new(workload, parameters.clone(), 2)?;
    let prepared = load.prepare(&context)?;
    let (stop, rate) = if endpoint.drives {
        (load.schedule.stop(), load.schedule.open_loop())
    } else {
        (StopRule::FollowMain, None)
    };
    let threads = load.schedule.threads as usize;
    let (cpus, confinement) = (vec![None; prepared.workers(threads)], Confinement::default());
    let plan = LoadPlan { prepared: &*prepared, cpus, confinement, rate, stop, seed: 1 };
    let warm_up_ns = if prepared.counts_from_start() { 0 } else { 10_000_000 };
    let session = Session { loads: vec![plan], warm_up_ns, interval_ns: None, cut_least_ns: 0 };
    let mut outcome = session.run_between(IdlePhases::default(), begin, observer, off)?;
    let of_load = outcome.loads.remove(0);
    Ok(One { result: shaped(&load, &*prepared, &of_load, outcome.window), outcome: of_load })
}

fn shaped(
    load: &Load,
    prepared: &dyn Prepared,
    outcome: &LoadOutcome,
    window: model::trial::Window,
) -> TrialResult {
    let SideMetrics { metrics, series, facts } = prepared.seen(window);
    let mut done = LoadTrial::of(0, LOCAL);
    done.metrics = load.metrics(outcome, window);
    done.metrics.extend(metrics);
    done.facts.clone_from(&outcome.facts);
    done.facts.extend(facts);
    done.series = series;
    TrialResult { window: Some(window), loads: vec![done], ..TrialResult::default() }
}

/// A fact of one end.
pub(crate) fn fact(one: &One, name: &str) -> Value {
    one.result
        .main()
        .facts
        .get(&model::FactName::intern(name).unwrap())
        .unwrap_or_else(|| panic!("no {name} in {:?}", one.result.main().facts))
        .clone()
}

/// Bytes of one class that an end moved from the first operation on.
pub(crate) fn class_bytes(one: &One, name: &str) -> f64 {
    one.outcome.classes.iter().find(|c| c.class.name == name).map_or(0.0, |c| c.bytes)
}

/// Operations of one class that an end did in its window.
pub(crate) fn class_count(one: &One, name: &str) -> f64 {
    one.outcome.classes.iter().find(|c| c.class.name == name).map_or(0.0, |c| c.operations)
}
