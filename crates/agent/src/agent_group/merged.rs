//! The results of both ends of a trial as one.

use load::workload::{Load, has_far_end};
use model::message::TrialOrder;
use model::trial::{LoadTrial, MachineTrial, TrialResult};
use model::{Resource, fact};

use super::offset::{Offset, to_clock};
use crate::AgentError;

/// Puts `far` into `near`: the workload makes one result of both, and the far
/// end's own figures stand beside it, on the near end's clock.
pub(super) fn merge(
    order: &TrialOrder,
    near: &mut TrialResult,
    mut far: TrialResult,
    machine: Option<&str>,
    offset: Offset,
) -> Result<(), AgentError> {
    to_clock(&mut far, offset.ns.saturating_neg());
    // The far end was asked for the loads of two ends only.
    let places: Vec<usize> =
        (0..order.loads.len()).filter(|place| has_far_end(&order.loads[*place])).collect();
    for (there, here) in places.iter().enumerate() {
        let order = &order.loads[*here];
        let load = Load::named(order.workload, order.parameters.clone(), 1).map_err(|p| p.message);
        let merged = load.and_then(|load| match here {
            0 => load.merge(near, &far),
            _ => merge_beside(&load, (near, *here), (&far, there)),
        });
        merged.map_err(AgentError::Failed)?;
    }
    let name = machine.unwrap_or(FAR);
    if machine.is_none() {
        // The near end watched this machine already; but only this one knows what
        // it used itself.
        for watched in &mut far.machines {
            watched.series.clear();
            let own = [Resource::OWN_PROCESS, Resource::WORKERS];
            watched.counters.retain(|c| own.contains(&c.resource));
            watched.processes.retain(|p| p.own);
        }
    }
    let named =
        |load: LoadTrial| Some(LoadTrial { load: *places.get(load.load)?, machine: name.to_owned(), ..load });
    near.loads.extend(far.loads.into_iter().filter_map(named));
    near.loads.sort_by_key(|load| load.load);
    near.machines.extend(far.machines.into_iter().map(|m| MachineTrial { machine: name.to_owned(), ..m }));
    near.main_mut().facts.insert(fact::CLOCK_UNCERTAINTY, (offset.uncertainty_ns as f64 / 1e9).into());
    Ok(())
}

/// The same for a load beside the main one, with its place in the results of either end: a workload
/// knows of no load but its own.
fn merge_beside(
    load: &Load,
    (near, here): (&mut TrialResult, usize),
    (far, there): (&TrialResult, usize),
) -> Result<(), String> {
    let alone = |result: &TrialResult, place: usize| {
        let own = result.load(place).map(|own| LoadTrial { load: 0, ..own.clone() });
        own.map(|own| TrialResult { window: result.window, loads: vec![own], ..TrialResult::default() })
    };
    let Some((mut ours, theirs)) = alone(near, here).zip(alone(far, there)) else { return Ok(()) };
    load.merge(&mut ours, &theirs)?;
    let merged = LoadTrial { load: here, ..std::mem::take(ours.main_mut()) };
    near.loads.iter_mut().filter(|own| own.load == here).for_each(|own| *own = merged.clone());
    Ok(())
}

/// What it calls a far end that is on the same machine.
const FAR: &str = "far end";
