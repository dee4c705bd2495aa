//! A trial of a load on what a node presents: the near end drives alone, and the node's machine is watched in the same
//! window.

use std::collections::BTreeMap;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use load::workload::disk::stack::presented_for;
use model::message::{Reply, Request, TrialOrder, TrialReport, TrialRole};
use model::present::{PresentOrder, WatchedMachine};
use model::trial::{MachineTrial, Timeline, TrialResult};
use model::{AgentEvent, Phase, Value, fact};

use super::offset::{Offset, compare_clocks, far_times, to_clock};
use super::{FarEnd, LEAD_NS, of_far, report};
use crate::{Agent, AgentError, CallContext, unexpected};

/// The node's window may close so long after the near end is done: its clock differs, and its word takes time.
const LATE: Duration = Duration::from_secs(10);

/// Runs a trial whose load has no other end.
pub(super) fn run(
    near: &mut dyn Agent,
    far: &mut BTreeMap<String, FarEnd>,
    order: TrialOrder,
    watch: &mut CallContext<'_>,
) -> Result<Reply, AgentError> {
    let presented = order.loads.first().filter(|_| !is_searched(&order)).and_then(presented_for);
    let Some((peer, asked)) = presented else { return near.call(Request::Trial(Box::new(order)), watch) };
    let missing = || AgentError::Failed(format!("there is no peer `{peer}`"));
    let end = far.get_mut(&peer).ok_or_else(missing)?;
    let asked = PresentOrder { listen: end.address, ..asked };
    let offset = compare_clocks(&mut *end.agent, watch).map_err(of_far)?;
    let is_here = end.is_here(offset);
    let role = TrialRole::Drives { rendezvous: None, lead_ns: LEAD_NS + 4 * offset.uncertainty_ns };
    let (mut report, watched) = both(near, TrialOrder { role, ..order }, end, asked, offset, watch)?;
    let machine = end.machine.clone().unwrap_or_default();
    add(&mut report.result, watched, machine, offset);
    if is_here {
        report.result.main_mut().facts.insert(fact::ONE_MACHINE, true.into());
    }
    Ok(Reply::Trial(Box::new(report)))
}

/// Whether a trial has several windows, of which nobody knows beforehand which one counts.
fn is_searched(order: &TrialOrder) -> bool {
    let mut profiles = order.loads.iter().filter_map(|load| load.profile.as_ref());
    profiles.any(|profile| profile.concurrency.is_searched())
}

/// Drives here and watches there at once.
fn both(
    near: &mut dyn Agent,
    near_order: TrialOrder,
    far: &mut FarEnd,
    asked: PresentOrder,
    offset: Offset,
    watch: &mut CallContext<'_>,
) -> Result<(TrialReport, WatchedMachine), AgentError> {
    let out_of_band = far.agent.out_of_band().map_err(of_far)?;
    let (near_failed, far_failed) = (AtomicBool::new(false), AtomicBool::new(false));
    let near_done: OnceLock<Instant> = OnceLock::new();
    let (ours, theirs) = std::thread::scope(|scope| {
        let there = scope.spawn(|| {
            let is_late = || near_done.get().is_some_and(|at| at.elapsed() >= LATE);
            let cancelled = || near_failed.load(Ordering::Relaxed) || is_late();
            let mut deaf = CallContext { on_event: &mut |_| {}, cancelled: &cancelled };
            let answer = far.agent.call(Request::Watch(asked), &mut deaf);
            far_failed.store(!matches!(answer, Ok(Reply::Watched(_))), Ordering::Relaxed);
            answer
        });
        let person = watch.cancelled;
        let on_event = &mut *watch.on_event;
        let mut last: Option<Timeline> = None;
        let mut hear = |event: AgentEvent| {
            let times = match &event {
                AgentEvent::Starts(times) => {
                    last = Some(*times);
                    Some(*times)
                }
                // Nobody knew before when it ends. By now it may have begun longer ago than a node believes.
                AgentEvent::Phase { phase: Phase::CoolDown | Phase::Verify, at_ns } => {
                    let open = last.take_if(|times| times.end_ns == u64::MAX);
                    open.map(|times| ended(times, *at_ns))
                }
                _ => None,
            };
            if let Some(times) = times {
                // If that fails, the far end is gone, which its own call says.
                let _ = out_of_band(&Request::Begin(far_times(times, offset.ns)));
            }
            on_event(event);
        };
        let cancelled = || person() || far_failed.load(Ordering::Relaxed);
        let mut context = CallContext { on_event: &mut hear, cancelled: &cancelled };
        let ours = report(near.call(Request::Trial(Box::new(near_order)), &mut context));
        near_failed.store(ours.is_err(), Ordering::Relaxed);
        let _ = near_done.set(Instant::now());
        (ours, there.join())
    });
    let theirs = theirs.map_err(|_| AgentError::Failed("the thread of the node panicked".to_owned()))?;
    let is_stopped = (watch.cancelled)();
    match (ours, theirs) {
        (Ok(ours), Ok(Reply::Watched(theirs))) => Ok((ours, *theirs)),
        (Ok(_), Ok(other)) => Err(of_far(unexpected(other))),
        (Ok(_), Err(AgentError::Cancelled)) if !is_stopped => {
            Err(AgentError::Failed("the node did not hear when the window was over".to_owned()))
        }
        (Ok(_), Err(error)) => Err(of_far(error)),
        // One was called off because the other failed.
        (Err(AgentError::Cancelled), Ok(Reply::Failed { reason })) if !is_stopped => {
            Err(of_far(AgentError::Failed(reason)))
        }
        (Err(AgentError::Cancelled), Err(error)) if !is_stopped => Err(of_far(error)),
        (Err(error), _) => Err(error),
    }
}

/// The times by which a window is over at `at_ns` that began with `times`: the node knows when.
fn ended(times: Timeline, at_ns: u64) -> Timeline {
    let last_ns = at_ns.saturating_sub(1);
    Timeline { start_ns: last_ns, window_ns: last_ns, end_ns: at_ns, ..times }
}

/// Puts what the node saw of itself beside the result, by the near end's clock.
fn add(result: &mut TrialResult, watched: WatchedMachine, name: String, offset: Offset) {
    let WatchedMachine { machine, devices } = watched;
    let mut far = TrialResult { machines: vec![machine], ..TrialResult::default() };
    to_clock(&mut far, offset.ns.saturating_neg());
    let named = |machine: MachineTrial| MachineTrial { machine: name.clone(), ..machine };
    result.machines.extend(far.machines.into_iter().map(named));
    let devices: Vec<Value> = devices.iter().map(|device| Value::from(device.as_str())).collect();
    if !devices.is_empty() {
        result.main_mut().facts.insert(fact::PRESENTED_ON, Value::List(devices));
    }
}

#[cfg(test)]
mod tests {
    use model::trial::{Counter, LOCAL};
    use model::{Resource, ResourceKind};

    use super::*;

    #[test]
    fn what_a_node_saw_stands_beside_the_result_under_its_name_and_on_this_clock() {
        let counter =
            Counter { resource: Resource::CPUS, before_ns: 1_000, after_ns: 2_000, ..Counter::default() };
        let machine = MachineTrial { counters: vec![counter], ..MachineTrial::of(LOCAL) };
        let devices = vec![Resource::of(ResourceKind::Block, "sdb")];
        let mut result = TrialResult::default();
        add(
            &mut result,
            WatchedMachine { machine, devices },
            "b".to_owned(),
            Offset { ns: 600, uncertainty_ns: 1 },
        );
        let node = result.machine("b");
        assert_eq!((node.counters[0].before_ns, node.counters[0].after_ns), (400, 1_400));
        let devices = Value::List(vec![Value::from("block:sdb")]);
        assert_eq!(result.main().facts.get(&fact::PRESENTED_ON), Some(&devices));
    }
}
