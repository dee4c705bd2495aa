//! Running one trial: the loads are placed, driven and watched.

use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::channel;

use engine::numa::Confinement;
use engine::outcome::SessionOutcome;
use engine::placement::{LoadPlace, PlacementDecision, PlacementInput, cores_first, place_around};
use engine::stop::StopRule;
use engine::{Begin, Fault, IdlePhases, LoadPlan, Observer, Prepared, Session, clock};
use load::fixture::FixtureStore;
use load::workload::net::{self, RendezvousListener, RouteCache};
use load::workload::{Load, LoadContext, LoadEndpoint, Rendezvous, Watch};
use machine::Host;
use machine::inventory::{cpu, interrupt};
use machine::sampler::Scope;
use model::machine::{Cpu, Inventory};
use model::message::{RendezvousAddress, TrialOrder, TrialReport, TrialRole};
use model::plan::LoadSpec;
use model::resource::cpu_list;
use model::scalar::nanoseconds;
use model::study::Pin;
use model::trial::{InterruptLine, Placement, Timeline, WorkerPlace};
use model::{AgentEvent, FactName, Phase, Value, fact};

use crate::observers::Observers;
use crate::rate_search::{self, Drive, FoundRate};
use crate::sampling::Watcher;
use crate::take_cpu::CpuTaker;
use crate::trial_observer::{TrialObserver, WindowOperations};
use crate::{layers, result, stacked, survey};

/// A load, looked up and ready.
struct ReadyLoad<'a> {
    spec: &'a LoadSpec,
    planned: Load,
    prepared: Box<dyn Prepared>,
    workers: usize,
    confinement: Confinement,
}

impl ReadyLoad<'_> {
    /// What it has to say of where its workers run.
    fn place(&self) -> LoadPlace {
        match self.prepared.cpus() {
            Some(own) => LoadPlace::Own(own),
            None if self.confinement.cpus.is_empty() => LoadPlace::Anywhere(self.workers),
            None => LoadPlace::Within { cpus: self.confinement.cpus.clone(), workers: self.workers },
        }
    }
}

/// What a trial works with.
pub(crate) struct TrialContext<'a> {
    pub(crate) fixtures: &'a FixtureStore,
    /// What is known of the ways to far ends.
    pub(crate) ways: &'a RouteCache,
    /// The rendezvous address that was opened for it, where the other end comes to this one.
    pub(crate) listening: Option<&'a RendezvousListener>,
    /// The times that the near end decided, once they are known.
    pub(crate) told: &'a (dyn Fn() -> Option<Timeline> + Sync),
    pub(crate) cancel: &'a AtomicBool,
    /// Hears events, from several threads.
    pub(crate) tell: &'a (dyn Fn(AgentEvent) + Sync),
}

impl<'a> TrialContext<'a> {
    /// Who says when the loads of `order` start.
    fn begin(&self, order: &TrialOrder) -> Begin<'_> {
        match &order.role {
            TrialRole::Alone => Begin::Soon,
            TrialRole::Drives { lead_ns, .. } => Begin::Ahead(*lead_ns),
            TrialRole::Answers { .. } => Begin::Told(self.told),
        }
    }

    /// What load number `load` of those with two ends is made ready with.
    fn context(&self, role: &'a TrialRole, load: usize, watch: Watch<'a>) -> LoadContext<'a> {
        LoadContext { fixtures: self.fixtures, endpoint: self.endpoint(role, load), watch }
    }

    fn endpoint(&self, role: &'a TrialRole, load: usize) -> Option<LoadEndpoint<'a>> {
        let (drives, rendezvous) = match role {
            TrialRole::Drives { rendezvous, .. } => (true, rendezvous),
            TrialRole::Answers { rendezvous } => (false, rendezvous),
            TrialRole::Alone => return None,
        };
        let rendezvous = match rendezvous {
            Some(address) => Rendezvous::Out(address),
            None => Rendezvous::In(self.listening?),
        };
        Some(LoadEndpoint { drives, rendezvous, load })
    }
}

pub(crate) fn run(
    order: &TrialOrder,
    inventory: &Inventory,
    trial_context: &TrialContext<'_>,
) -> Result<TrialReport, Fault> {
    let TrialContext { cancel, tell, .. } = *trial_context;
    let (life, beats) = (TrialObserver::unwatched(tell), AtomicU64::new(0));
    let beat = || life.alive(beats.fetch_add(1, Ordering::Relaxed));
    let is_told = AtomicBool::new(false);
    // From here on, what was put there is taken away again.
    let cleans = || {
        if !is_told.swap(true, Ordering::Relaxed) {
            tell(AgentEvent::Phase { phase: Phase::Clean, at_ns: clock::now_ns() });
        }
    };
    let watch = || {
        beat();
        if !cancel.load(Ordering::Relaxed) {
            return Ok(());
        }
        cleans();
        Err(Fault::Cancelled)
    };
    let mut loads = Vec::new();
    let report = make_ready(order, inventory, trial_context, Watch::new(&watch), &mut loads)
        .and_then(|()| run_ready(order, inventory, trial_context, &loads));
    if report.is_err() {
        cleans();
    }
    // What is removed after a good trial is told, too: whoever stops the run meanwhile gives it time.
    let cleaned = clean_up(&loads, &|| {
        cleans();
        beat();
    });
    match report {
        Ok(report) => cleaned.map(|()| report),
        Err(fault) => Err(fault.and(cleaned)),
    }
}

/// Runs what is ready.
fn run_ready<'a>(
    order: &'a TrialOrder,
    inventory: &Inventory,
    trial_context: &TrialContext<'_>,
    ready: &[ReadyLoad<'a>],
) -> Result<TrialReport, Fault> {
    let host = Host::this();
    let TrialContext { cancel, tell, .. } = *trial_context;
    let dialled = dialled(order, ready);
    let probe = |known: &_| dialled.map_or(Ok(None), |(address, load)| net::probe(address, load, known));
    let carried = probe(trial_context.ways)?;
    tell_narrow(carried, tell);
    let (blocks, interrupts) = driven(ready, inventory, &host);
    let decision = decide(order, ready, &cpus_now(&inventory.cpu, &host), &interrupts)?;
    let main = ready.first().ok_or_else(|| Fault::Other("there is no load to run".to_owned()))?;
    let schedule = &main.planned.schedule;
    let rest = schedule.rest();
    let scope = Scope::of(inventory, &host).and_block(blocks.clone()).and_cores(rest.is_asked());
    let storage = layers::ready(&order.role, &blocks, inventory, trial_context)?;
    let unwatched = TrialObserver::unwatched(tell);
    let mut held = rate_search::search(schedule, &mut |drive| {
        session(order, ready, &decision, Some(drive)).run(&unwatched, cancel)
    })?;
    let taker = order.take_cpu.as_ref().map(CpuTaker::start).transpose()?;
    let (outcome, watcher, observers) = loop {
        let session = session(order, ready, &decision, held.as_ref().map(FoundRate::drive));
        let mut watcher =
            if is_watched_there(order) { Watcher::of_itself(&host) } else { Watcher::open(&host, &scope) };
        let observers = Observers::begin(&order.observe, &blocks)?;
        let operations = WindowOperations::default();
        let keep = |event: AgentEvent| operations.pass(event, tell);
        let messenger = TrialObserver::of(order, &observers.times, &keep);
        let outcome = watched(&session, (rest, trial_context.begin(order)), &mut watcher, messenger, cancel);
        let outcome = outcome.inspect_err(|_| {
            // A trial that was called off is not kept, and neither is what it did.
            if !cancel.load(Ordering::Relaxed) {
                operations.tell(tell);
                // The path may have become another one meanwhile.
                tell_narrow(probe(&RouteCache::default()).ok().flatten(), tell);
            }
        })?;
        // What did not hold does not count.
        if held.as_mut().map_or(Ok(true), |held| held.holds(&outcome))? {
            operations.tell(tell);
            break (outcome, watcher, observers);
        }
    };
    let taken = taker.map(CpuTaker::end);
    let mut result = result::shape(ready.iter().map(|l| &l.planned).collect(), &outcome)?;
    if let Some(held) = held {
        held.tell(&mut result);
    }
    let after = outcome.loads.first().map(|outcome| main.prepared.facts_after(outcome)).unwrap_or_default();
    let stack = stacked::facts(main.spec, trial_context.fixtures);
    result.main_mut().facts.extend(after.into_iter().chain(stack).chain(watcher.facts()));
    result.main_mut().facts.extend(taken.map(|share| (fact::CPU_TAKEN, share.into())));
    result.main_mut().facts.extend(carried.into_iter().flat_map(packet_sizes));
    for (index, load) in ready.iter().enumerate() {
        result::add_seen(&mut result, index, load.prepared.seen(outcome.window));
    }
    let mut machine = watcher.machine(outcome.window);
    layers::note(&mut machine, storage, inventory);
    observers.finish(&mut machine)?;
    result.machines.push(machine);
    result::add_hardware(&mut result, &outcome);
    result::add_course(&mut result, &main.planned, &survey::path(&main.planned, inventory, &host));
    result.observer = Some(watcher.cost);
    result.placement = Some(describe_placement(order, decision, ready, interrupts));
    Ok(TrialReport { result, observer: watcher.cost })
}

/// Where this end dials, and for which load.
fn dialled<'a>(
    order: &'a TrialOrder,
    ready: &[ReadyLoad<'a>],
) -> Option<(&'a RendezvousAddress, &'a LoadSpec)> {
    let two_ended = ready.iter().find(|load| load.planned.has_far_end());
    match (&order.role, two_ended) {
        (
            TrialRole::Drives { rendezvous: Some(rendezvous), .. }
            | TrialRole::Answers { rendezvous: Some(rendezvous) },
            Some(load),
        ) => Some((rendezvous, load.spec)),
        _ => None,
    }
}

/// Tells of a path that carries less than the route here allows: a trial that fails may fail
/// by that.
fn tell_narrow(found: Option<net::PathMtu>, tell: &(dyn Fn(AgentEvent) + Sync)) {
    if let Some(net::PathMtu { route, carried: Some(carried) }) = found.filter(|f| f.carried < Some(f.route))
    {
        tell(AgentEvent::Narrow { route, carried });
    }
}

/// The largest packets of a path, as facts.
fn packet_sizes(path: net::PathMtu) -> impl Iterator<Item = (FactName, Value)> {
    let net::PathMtu { route, carried } = path;
    let sizes = [(fact::PACKET_OF_ROUTE, Some(route)), (fact::PACKET_CARRIED, carried)];
    sizes.into_iter().filter_map(|(name, bytes)| Some((name, u64::from(bytes?).into())))
}

/// Runs a session beside the sampler.
fn watched(
    session: &Session<'_>,
    (rest, begin): (IdlePhases, Begin<'_>),
    watcher: &mut Watcher,
    messenger: TrialObserver<'_>,
    cancel: &AtomicBool,
) -> Result<SessionOutcome, Fault> {
    let (send, commands) = channel();
    let messenger = messenger.beside(send);
    std::thread::scope(|scope| {
        let watching = std::thread::Builder::new()
            .spawn_scoped(scope, move || watcher.watch(&commands, rest))
            .map_err(|e| Fault::system("starting the sampler", e))?;
        let outcome = session.run_between(rest, begin, &messenger, cancel);
        messenger.hang_up();
        // A trial without counters is better than none.
        let _ = watching.join();
        outcome
    })
}

/// The block devices on the way of the main load's data, and the interrupts of
/// those under its targets.
fn driven(ready: &[ReadyLoad<'_>], inventory: &Inventory, host: &Host) -> (Vec<String>, Vec<InterruptLine>) {
    let Some(main) = ready.first() else { return Default::default() };
    let mut interrupts: Vec<InterruptLine> = Vec::new();
    for device in survey::under(&main.planned, host).into_iter().flatten().filter_map(|u| u.device) {
        for line in interrupt::of_block_device(host, &device) {
            if interrupts.iter().all(|known| known.irq != line.irq) {
                interrupts.push(line);
            }
        }
    }
    (survey::blocks(&main.planned, inventory, host), interrupts)
}

/// Makes the loads ready, one after the other; those that are stand in `loads` even if the next one cannot be.
fn make_ready<'a>(
    order: &'a TrialOrder,
    inventory: &Inventory,
    trial_context: &TrialContext<'_>,
    watch: Watch<'_>,
    loads: &mut Vec<ReadyLoad<'a>>,
) -> Result<(), Fault> {
    let mut two_ended = 0;
    for spec in &order.loads {
        let cpus = inventory.cpu.allowed.len();
        let planned = stacked::load(spec, trial_context.fixtures, cpus)?;
        let context = trial_context.context(&order.role, two_ended, watch);
        two_ended += usize::from(planned.has_far_end());
        let confinement = planned.schedule.nodes.confinement()?;
        // What is made ready here, and threads that it starts, are the load's too.
        let confined = confinement.enter()?;
        let prepared = planned.prepare(&context)?;
        drop(confined);
        let workers = prepared.workers(planned.schedule.threads as usize);
        loads.push(ReadyLoad { spec, planned, prepared, workers, confinement });
    }
    Ok(())
}

/// Removes what loads have put somewhere; the first fault of any.
fn clean_up(ready: &[ReadyLoad<'_>], beat: &dyn Fn()) -> Result<(), Fault> {
    ready.iter().map(|load| load.prepared.clean_up(beat)).fold(Ok(()), Result::and)
}

/// Whether the end that drives watches this machine already: it is under the same kernel and started
/// this one.
pub(crate) fn is_watched_there(order: &TrialOrder) -> bool {
    order.from_last && matches!(order.role, TrialRole::Answers { .. })
}

/// The CPUs as they are: a setting (`smt`) may have taken some offline, or brought some back, since the
/// machine was described.
fn cpus_now<'a>(cpu: &'a Cpu, host: &Host) -> Cow<'a, Cpu> {
    match host.cpu_list("/sys/devices/system/cpu/online") {
        Some(online) if !cpu.online.is_empty() && online != cpu.online => {
            Cow::Owned(cpu::describe(host, &mut Vec::new()))
        }
        _ => Cow::Borrowed(cpu),
    }
}

fn decide(
    order: &TrialOrder,
    ready: &[ReadyLoad<'_>],
    cpu: &Cpu,
    interrupts: &[InterruptLine],
) -> Result<PlacementDecision, Fault> {
    if let Pin::Cpus(cpus) = &order.pin {
        let outside = cpus.outside(&cpu.allowed);
        if !outside.is_empty() {
            return Err(Fault::Other(format!(
                "{} names CPU {}, which is offline or not among those that this process may run on ({})",
                order.pin,
                cpu_list(&outside),
                cpu_list(&cpu.allowed)
            )));
        }
        let elsewhere = |load: &&ReadyLoad<'_>| {
            let home = &load.confinement.cpus;
            !home.is_empty() && !cpus.outside(home).is_empty()
        };
        if let Some(load) = ready.iter().find(elsewhere) {
            let home = cpu_list(&load.confinement.cpus);
            return Err(Fault::Other(format!(
                "{} names CPUs that are not of the NUMA node that was asked for, which has {home}",
                order.pin
            )));
        }
    }
    let mut local = interrupt::cpus_of(interrupts);
    local.retain(|local| cpu.allowed.contains(local));
    let mut allowed = cores_first(cpu);
    if order.from_last {
        allowed.reverse();
    }
    let input = PlacementInput { allowed, local };
    let loads: Vec<LoadPlace> = ready.iter().map(ReadyLoad::place).collect();
    Ok(place_around(order.pin.clone(), &loads, &input))
}

/// What is run; `main` says how the main load is driven where its parameters do
/// not.
fn session<'a>(
    order: &TrialOrder,
    ready: &'a [ReadyLoad<'_>],
    decision: &PlacementDecision,
    main: Option<Drive>,
) -> Session<'a> {
    let mut cpus = decision.cpus.iter().copied();
    let mut loads = Vec::with_capacity(ready.len());
    for (index, load) in ready.iter().enumerate() {
        let schedule = &load.planned.schedule;
        let mut stop = schedule.stop();
        if index > 0 && matches!(stop, StopRule::Time(_)) {
            stop = StopRule::FollowMain;
        }
        let mut rate = schedule.open_loop();
        if matches!(order.role, TrialRole::Answers { .. }) {
            // The near end drives; this one answers until it has enough.
            (stop, rate) = (StopRule::FollowMain, None);
        }
        let mut seed = order.seed.wrapping_add(index as u64);
        if let Some(drive) = main {
            // Other places each time, or a cache would hold them.
            seed ^= drive.attempt << 32;
            if index == 0 {
                stop = StopRule::Time(nanoseconds(drive.window_s));
                rate = drive.rate.map(|rate| (rate, schedule.arrivals));
            }
        }
        loads.push(LoadPlan {
            prepared: &*load.prepared,
            cpus: cpus.by_ref().take(load.workers).collect(),
            confinement: load.confinement.clone(),
            rate,
            stop,
            seed,
        });
    }
    // One pass to the end must be the first, or a cache would answer it; and
    // what a warm-up left in the page cache would be brought to the device in
    // the window.
    let first =
        |l: &LoadPlan<'_>| matches!(l.stop, StopRule::End | StopRule::Full) || l.prepared.counts_from_start();
    let warm_up_s = main.map_or(order.warm_up_s, |drive| drive.window_s / 2.0).min(order.warm_up_s);
    let warm_up_ns = if loads.iter().any(first) { 0 } else { nanoseconds(warm_up_s) };
    let interval_ns = order.interval_s.map(|s| nanoseconds(s).max(1_000_000));
    Session { loads, warm_up_ns, interval_ns, cut_least_ns: nanoseconds(order.cut_least_s) }
}

fn describe_placement(
    order: &TrialOrder,
    decision: PlacementDecision,
    ready: &[ReadyLoad<'_>],
    interrupts: Vec<InterruptLine>,
) -> Placement {
    let loads = ready.iter().enumerate().flat_map(|(load, l)| std::iter::repeat_n(load, l.workers));
    Placement {
        asked: order.pin.clone(),
        policy: decision.policy,
        reason: decision.reason,
        workers: loads.zip(decision.cpus).map(|(load, cpu)| WorkerPlace { load, cpu }).collect(),
        interrupts,
    }
}
