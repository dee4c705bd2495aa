//! Both ends of a trial as one agent: the near end drives and says when the
//! window opens, the far end is told by its own clock, and what both measured in
//! the same window becomes one result.

mod merged;
mod offset;
mod peer_nodes;
mod presented_trial;
mod presenting;

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, Ordering};

use load::workload::{catalogue, has_far_end, net};
use machine::route;
use model::machine::Diagnosis;
use model::message::{
    OpenOrder, RendezvousAddress, RendezvousKind, Reply, Request, TrialOrder, TrialReport, TrialRole,
};
use model::plan::{LoadSpec, Problem, Survey};
use model::profile::Aspect;
use model::resource::PathStep;
use model::search::CpuTake;
use model::trial::Timeline;
use model::{AgentEvent, Kind, Machine, ParameterSpec, Parameters, Phase, Resource, ResourceKind, fact};

use merged::merge;
use offset::{Offset, compare_clocks, far_times};

use crate::link::Link;
use crate::{
    Agent, AgentError, CallContext, OutOfBand, condition_check, iperf3, paired_settings, route_facts,
    run_connections, unexpected,
};

/// How far ahead of the start the far end is told, at least, ns.
const LEAD_NS: u64 = 20_000_000;

/// A far end.
pub struct FarEnd {
    /// What answers for it.
    pub agent: Box<dyn Agent + Send>,
    /// The address at which this machine reaches it, or from which it came.
    pub address: IpAddr,
    /// The address of this machine to which it makes the connections for data,
    /// where it can only dial out; none where this machine makes them.
    pub dials: Option<IpAddr>,
    /// What the run document calls its machine; none where it is this machine.
    pub machine: Option<String>,
}

impl FarEnd {
    /// Whether it is Headroom, and no other tool's server.
    fn is_ours(&self) -> bool {
        self.machine.as_ref().is_none_or(|name| !name.starts_with(iperf3::SCHEME))
    }

    /// Whether it is under this very kernel: another process of this machine,
    /// perhaps in a network namespace of its own. A monotonic clock counts from
    /// when its kernel started, so that no two kernels have the same to within the
    /// microseconds of an offset.
    fn is_here(&self, offset: Offset) -> bool {
        let is_own_address = || route::towards(self.address).is_ok_and(|way| way.local);
        // Of a stock server all times are ours.
        self.is_ours() && offset.ns.unsigned_abs() <= offset.uncertainty_ns || is_own_address()
    }

    /// The same, asked now; no where it cannot be told.
    pub(crate) fn shares_kernel(&mut self, watch: &mut CallContext<'_>) -> bool {
        compare_clocks(&mut *self.agent, watch).is_ok_and(|offset| self.is_here(offset))
    }
}

/// Two or more agents that act as one.
pub struct AgentGroup {
    near: Box<dyn Agent>,
    far: BTreeMap<String, FarEnd>,
}

impl AgentGroup {
    /// `near` drives; `far` are the values that the parameter `peer` may have,
    /// and what stands behind them.
    #[must_use]
    pub fn new(near: Box<dyn Agent>, far: BTreeMap<String, FarEnd>) -> Self {
        Self { near, far }
    }

    /// Adds to what the near end says of a case what only both together know.
    fn survey(&self, survey: &mut Survey) {
        let Some(load) = survey.loads.iter().find(|load| has_far_end(load)) else { return };
        if survey.problem.is_some() {
            return;
        }
        let peer = peer_of(load);
        if load.profile.as_ref().is_some_and(|profile| profile.concurrency.is_searched()) {
            survey.problem = Some(Problem::invalid(
                format!("{} searches no rate for a latency-target", load.workload),
                "give a rate",
            ));
            return;
        }
        if others_of(survey).any(|other| peer_of(other) != peer) {
            survey.problem = Some(Problem::invalid(
                "loads that run together have one peer, and here they have several",
                "give them the same peer",
            ));
            return;
        }
        if let Some(problem) = self.far.get(peer).and_then(|far| far.agent.refuses(&two_ended(&survey.loads)))
        {
            survey.problem = Some(problem);
            return;
        }
        let dials = self.far.get(peer).is_some_and(|far| far.dials.is_some());
        if dials && others_of(survey).any(|load| net::far_end(load).is_some_and(|(_, from)| from.is_some())) {
            survey.problem = Some(Problem::invalid(
                "local-address says where this machine's connections come from, and this peer makes them",
                "leave it out; let the peer dial another address of this machine to measure another path",
            ));
            return;
        }
        let way = self.far.get(peer).and_then(|far| route::towards(far.address).ok());
        if let Some(way) = way {
            let resource = Resource::of(ResourceKind::Nic, &way.interface);
            survey.path.push(PathStep { resource, amplification: 1.0 });
        }
    }

    /// A trial; if it fails and packets of full size do not arrive, its reason says that, too.
    fn trial(
        &mut self,
        order: TrialOrder,
        peer: &str,
        watch: &mut CallContext<'_>,
    ) -> Result<TrialReport, AgentError> {
        let mut narrow = None;
        let on_event = &mut *watch.on_event;
        let mut hear = |event: AgentEvent| {
            if let AgentEvent::Narrow { route, carried } = event {
                narrow = Some((route, carried));
            }
            on_event(event);
        };
        let mut watch = CallContext { on_event: &mut hear, cancelled: watch.cancelled };
        let result = self.trial_of_both(order, peer, &mut watch);
        match (result, narrow) {
            (Err(AgentError::Failed(why)), Some((route, carried))) => {
                Err(AgentError::Failed(net::with_narrow_path(&why, route, carried)))
            }
            (result, _) => result,
        }
    }

    fn trial_of_both(
        &mut self,
        order: TrialOrder,
        peer: &str,
        watch: &mut CallContext<'_>,
    ) -> Result<TrialReport, AgentError> {
        let Self { near, far } = self;
        let far =
            far.get_mut(peer).ok_or_else(|| AgentError::Failed(format!("there is no peer `{peer}`")))?;
        let offset = compare_clocks(&mut *far.agent, watch).map_err(of_far)?;
        let listen = far.address;
        let near_way = route::towards(listen).ok();
        let link = Link::of(near_way.as_ref());
        let near_address = near_way.as_ref().and_then(|way| way.source);
        let open = OpenOrder { listen, near: near_address, loads: two_ended(&order.loads) };
        let mut rendezvous = open_rendezvous(&mut *far.agent, open, watch).map_err(of_far)?;
        rendezvous.address = listen;
        let far_way = rendezvous.way.clone();
        let kind = rendezvous.kind;
        let is_here = far.is_here(offset);
        let lead_ns = LEAD_NS + 4 * offset.uncertainty_ns;
        // Both ends of one kernel share its CPUs: one takes the first, the other the last. A node takes
        // the first, whoever asks.
        let from_last = far.machine.is_none();
        let near_from_last = is_here && !from_last && far.is_ours();
        // What it opened gave it its turn, and stays empty where it dials.
        let (there, here) = match far.dials {
            None => (Some(rendezvous), None),
            Some(listen) => {
                let open = OpenOrder { listen, near: None, loads: Vec::new() };
                (None, Some(open_rendezvous(&mut **near, open, watch)?))
            }
        };
        let loads = two_ended(&order.loads);
        let (take_here, take_there) = cpu_takes(order.take_cpu.as_ref(), far)?;
        let far_order = TrialOrder {
            loads,
            role: TrialRole::Answers { rendezvous: here },
            from_last,
            pin: order.pin.of_other_end(),
            take_cpu: take_there,
            observe: Vec::new(),
            ..order.clone()
        };
        let role = TrialRole::Drives { rendezvous: there, lead_ns };
        let near_order = TrialOrder { role, take_cpu: take_here, from_last: near_from_last, ..order.clone() };
        let out_of_band = far.agent.out_of_band().map_err(of_far)?;
        link.set_disconnect(far.agent.disconnect());
        let ends = both(&mut **near, near_order, far, far_order, (&out_of_band, offset), &link, watch);
        let (mut report, mut theirs) = ends?;
        report.result.main_mut().facts.extend(near_way.map(route_facts::as_facts).unwrap_or_default());
        theirs.result.main_mut().facts.extend(far_way);
        if is_here {
            report.result.main_mut().facts.insert(fact::ONE_MACHINE, true.into());
        }
        merge(&order, &mut report.result, theirs.result, far.machine.as_deref(), offset)?;
        if kind == RendezvousKind::Iperf3 {
            // Its clock is not known: all its times are ours.
            report.result.main_mut().facts.remove(&fact::CLOCK_UNCERTAINTY);
        }
        Ok(report)
    }
}

/// What is taken of CPUs at this end and at the far one. Another tool takes nothing for us.
fn cpu_takes(
    asked: Option<&CpuTake>,
    far: &FarEnd,
) -> Result<(Option<CpuTake>, Option<CpuTake>), AgentError> {
    match asked {
        Some(take) if take.far && !far.is_ours() => {
            Err(AgentError::Failed("CPU time can be taken at this end and at a node only".to_owned()))
        }
        Some(take) if take.far => Ok((None, Some(take.clone()))),
        take => Ok((take.cloned(), None)),
    }
}

fn peer_of(load: &LoadSpec) -> &str {
    net::far_end(load).map_or("", |(peer, _)| peer)
}

/// The loads of two ends.
fn others_of(survey: &Survey) -> impl Iterator<Item = &LoadSpec> {
    survey.loads.iter().filter(|load| has_far_end(load))
}

fn open_rendezvous(
    agent: &mut dyn Agent,
    order: OpenOrder,
    watch: &mut CallContext<'_>,
) -> Result<RendezvousAddress, AgentError> {
    match agent.call(Request::Open(order), watch)? {
        Reply::Open(rendezvous) => Ok(rendezvous),
        other => Err(unexpected(other)),
    }
}

/// What the other end has to know of the loads that it takes part in. It makes their
/// profiles itself; files and NUMA nodes are this end's, but for a file that the other is to send.
fn two_ended(loads: &[LoadSpec]) -> Vec<LoadSpec> {
    let two_ended = loads.iter().filter(|load| has_far_end(load));
    let theirs = |load: &LoadSpec| LoadSpec { profile: None, parameters: of_other_end(load), ..load.clone() };
    two_ended.map(theirs).collect()
}

/// The parameters of a load that name nothing of this end's.
fn of_other_end(load: &LoadSpec) -> Parameters {
    let (mut parameters, catalogue) = (load.parameters.clone(), catalogue());
    let all = catalogue.workload(load.workload).into_iter().flat_map(|spec| catalogue.parameters(spec));
    let is_here = |p: &&ParameterSpec| p.kind == Kind::Path && p.says != Some(Aspect::ServedFile);
    all.filter(is_here).for_each(|path| {
        parameters.remove(path.name);
    });
    peer_nodes::of_far_end(load, parameters)
}

fn of_far(error: AgentError) -> AgentError {
    match error {
        AgentError::Cancelled => AgentError::Cancelled,
        // The next trial tries to reach it anew.
        other => AgentError::Failed(format!("the other end: {other}")),
    }
}

/// Runs both orders at once.
fn both(
    near: &mut dyn Agent,
    near_order: TrialOrder,
    far: &mut FarEnd,
    far_order: TrialOrder,
    (out_of_band, offset): (&OutOfBand, Offset),
    link: &Link,
    watch: &mut CallContext<'_>,
) -> Result<(TrialReport, TrialReport), AgentError> {
    let near_ended = AtomicBool::new(false);
    let far_failed = AtomicBool::new(false);
    let (ours, theirs) = std::thread::scope(|scope| {
        let there = scope.spawn(|| {
            let cancelled = || near_ended.load(Ordering::Relaxed);
            let mut deaf = CallContext { on_event: &mut |_| {}, cancelled: &cancelled };
            let answer = report(far.agent.call(Request::Trial(Box::new(far_order)), &mut deaf));
            far_failed.store(answer.is_err(), Ordering::Relaxed);
            answer
        });
        // Who is not of us does not see how our connections end.
        let is_theirs = |rendezvous: &RendezvousAddress| rendezvous.kind == RendezvousKind::Iperf3;
        let tells_end = matches!(&near_order.role, TrialRole::Drives { rendezvous: Some(rendezvous), .. } if is_theirs(rendezvous));
        let mut last: Option<Timeline> = None;
        let asked = watch.cancelled;
        let on_event = &mut *watch.on_event;
        let mut hear = |event: AgentEvent| {
            if let AgentEvent::Starts(times) = &event {
                // If that fails, the far end is gone, which its own call says.
                let _ = out_of_band(&Request::Begin(far_times(*times, offset.ns)));
                last = Some(*times);
            }
            if let AgentEvent::Phase { phase: Phase::CoolDown | Phase::Verify, at_ns } = event
                && let Some(times) = last.take_if(|_| tells_end)
            {
                let ended = Timeline { end_ns: times.end_ns.min(at_ns), ..times };
                let _ = out_of_band(&Request::Begin(far_times(ended, offset.ns)));
            }
            on_event(event);
        };
        let cancelled = || asked() || far_failed.load(Ordering::Relaxed) || link.is_lost();
        let mut watch = CallContext { on_event: &mut hear, cancelled: &cancelled };
        let ours = report(near.call(Request::Trial(Box::new(near_order)), &mut watch));
        // A near end that failed closes no connection in order.
        near_ended.store(ours.is_err(), Ordering::Relaxed);
        (ours, there.join())
    });
    let theirs = theirs.map_err(|_| AgentError::Failed("the thread of the other end panicked".to_owned()))?;
    let asked = (watch.cancelled)();
    match (ours, theirs, link.error()) {
        (Ok(ours), Ok(theirs), _) => Ok((ours, theirs)),
        (Err(_), _, Some(lost)) if !asked => Err(lost),
        // One was called off because the other failed.
        (Ok(_), Err(error), _) => Err(of_far(error)),
        (Err(AgentError::Cancelled), Err(error), _) if !asked => Err(of_far(error)),
        (Err(AgentError::Failed(cut)), Err(error), _)
            if cut.contains(net::CUT) && error != AgentError::Cancelled =>
        {
            Err(of_far(error))
        }
        (Err(error), ..) => Err(error),
    }
}

/// The report of a trial; that there is none is an error.
fn report(answer: Result<Reply, AgentError>) -> Result<TrialReport, AgentError> {
    match answer? {
        Reply::Trial(report) => Ok(*report),
        other => Err(unexpected(other)),
    }
}

impl Agent for AgentGroup {
    fn call(&mut self, request: Request, watch: &mut CallContext<'_>) -> Result<Reply, AgentError> {
        match request {
            Request::Trial(order) => {
                let peer = order.loads.iter().find(|load| has_far_end(load));
                let peer = peer.and_then(|load| Some(net::far_end(load)?.0.to_owned()));
                match peer {
                    Some(peer) => {
                        let way = self.far.get(&peer).and_then(|far| route::towards(far.address).ok());
                        let report = self.trial(*order, &peer, watch);
                        let report = report.map_err(|error| Link::of(way.as_ref()).explains(error))?;
                        Ok(Reply::Trial(Box::new(report)))
                    }
                    None => presented_trial::run(&mut *self.near, &mut self.far, *order, watch),
                }
            }
            Request::Survey { .. } => match self.near.call(request, watch)? {
                Reply::Survey(mut surveys) => {
                    surveys.iter_mut().for_each(|survey| self.survey(survey));
                    peer_nodes::check(&mut self.far, &mut surveys, watch)?;
                    presenting::check(&mut self.far, &mut surveys, watch)?;
                    Ok(Reply::Survey(surveys))
                }
                other => Ok(other),
            },
            Request::LookAtSettings { changes } => {
                let cut = run_connections::refusals(&changes, &self.far);
                let found = paired_settings::look(&mut *self.near, &mut self.far, changes, watch)?;
                Ok(Reply::Missing(cut.into_iter().zip(found).map(|(cut, lack)| lack.or(cut)).collect()))
            }
            Request::Set { changes } => {
                let mut refusals = run_connections::refusals(&changes, &self.far).into_iter().flatten();
                if let Some(reason) = refusals.next() {
                    return Err(AgentError::Failed(reason));
                }
                paired_settings::set(&mut *self.near, &mut self.far, &changes, watch).map(Reply::Set)
            }
            Request::Restore => paired_settings::restore(&mut *self.near, &mut self.far, watch),
            Request::Prepare { fixtures } => {
                presenting::prepare(&mut *self.near, &mut self.far, fixtures, watch)
            }
            Request::Release { fixtures } => {
                presenting::release(&mut *self.near, &mut self.far, fixtures, watch)
            }
            other => self.near.call(other, watch),
        }
    }

    fn looks(&mut self, watch: &mut CallContext<'_>) -> Vec<Option<Diagnosis>> {
        let near = self.near.looks(watch).pop().flatten();
        let mut all = vec![near];
        let mut known: Vec<&str> = Vec::new();
        for far in self.far.values_mut() {
            let Some(name) = far.machine.as_deref().filter(|name| !known.contains(name)) else { continue };
            known.push(name);
            if !far.agent.lives() {
                all.push(None);
                continue;
            }
            // What another end on this machine would see was seen already.
            match compare_clocks(&mut *far.agent, watch) {
                Ok(offset) if far.is_here(offset) => {
                    all[0] = all[0].take().map(condition_check::without_our_node);
                    all.push(None);
                }
                _ => all.extend(far.agent.looks(watch).pop()),
            }
        }
        all
    }

    fn machines(&mut self, watch: &mut CallContext<'_>) -> Result<Vec<Machine>, AgentError> {
        let mut all = vec![self.near.describe(watch)?];
        for (peer, far) in &mut self.far {
            let Some(name) = &far.machine else { continue };
            // Another path to it.
            if let Some(known) = all.iter_mut().find(|known| known.id == *name) {
                known.reached_as.push(peer.clone());
                continue;
            }
            let offset = compare_clocks(&mut *far.agent, watch).map_err(of_far)?;
            let mut machine = far.agent.describe(watch).map_err(of_far)?;
            machine.id.clone_from(name);
            "peer".clone_into(&mut machine.role);
            machine.reached_as = vec![peer.clone()];
            // Its times are kept on the clock of the machine that drives.
            machine.clock.offset_ns = all[0].clock.offset_ns;
            machine.clock.uncertainty_ns = all[0].clock.uncertainty_ns.max(offset.uncertainty_ns);
            all.push(machine);
        }
        Ok(all)
    }
}

#[cfg(test)]
mod tests;
