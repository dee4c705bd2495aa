//! How many requests a device takes at once, and how many the kernel allots it.

use model::finding::{Evidence, Place};
use model::machine::BlockDevice;
use model::run::CaseResult;
use model::trial::LOCAL;
use model::{Resource, ResourceKind};

use super::phases::{GIVEN, IN_USE};
use crate::measure::{BlockPhases, UnderWay};
use crate::{Context, measure};

/// From this share of their way on, requests wait in the host for about as long as they are at the device.
const AS_LONG: f64 = 0.4;

/// Requests that the device takes at once, as far as its driver says.
pub(super) fn takes(phases: &BlockPhases, context: &Context<'_>) -> Option<f64> {
    let name = phases.resource.named(ResourceKind::Block)?;
    takes_at_once(context.machine?.inventory.block_device(name)?)
}

/// The same: the tags of all its hardware queues, and no more than the commands that a SCSI disk takes.
fn takes_at_once(device: &BlockDevice) -> Option<f64> {
    let tags = device.hardware_requests.map(|each| f64::from(each) * queues(device));
    let commands = device.device_queue_depth.map(f64::from);
    [tags, commands].into_iter().flatten().filter(|takes| *takes > 0.0).reduce(f64::min)
}

/// Requests that a device has at once at most: those that it takes, or the fewer that the kernel allots it while a case is
/// measured.
pub(super) fn most_at_once(resource: &Resource, case: &CaseResult, context: &Context<'_>) -> Option<f64> {
    let device = measure::whole(context.machine?, resource.named(ResourceKind::Block)?)?;
    let resource = Resource::of(ResourceKind::Block, &device.name);
    let allotted = allotted(case, &resource, device).map(|each| each * queues(device));
    [takes_at_once(device), allotted].into_iter().flatten().reduce(f64::min)
}

fn queues(device: &BlockDevice) -> f64 {
    f64::from(device.hardware_queues.unwrap_or(1).max(1))
}

/// Why a greater depth says nothing of the device, where nobody watched: the kernel passes fewer requests on
/// to it than it takes, and no more of these at the greater depth.
pub(super) fn not_reached(
    case: &CaseResult,
    (from, to): (f64, f64),
    context: &Context<'_>,
) -> Option<Evidence> {
    let [step] = measure::devices(case)[..] else { return None };
    let device = measure::whole(context.machine?, step.resource.named(ResourceKind::Block)?)?;
    let resource = Resource::of(ResourceKind::Block, &device.name);
    let takes = takes_at_once(device)?;
    let most = allotted(case, &resource, device)? * queues(device);
    let is_given_more = to.min(most) >= GIVEN * from.min(most);
    let evidence = Evidence::at("device-not-reached", Place::Inventory(resource.clone()));
    (most < IN_USE * takes && !is_given_more).then(|| {
        evidence
            .arg("resource", resource.as_str())
            .arg("most", most)
            .arg("takes", takes)
            .arg("from", from)
            .arg("to", to)
    })
}

/// Requests of a device that are all in use, though it takes more at once: the kernel allots it fewer.
pub(super) struct UsedUp {
    pub(super) resource: Resource,
    /// How many it had in the mean, and may have at most.
    pub(super) had: f64,
    pub(super) most: f64,
    pub(super) takes: f64,
}

/// Whether a load past the page cache has far more under way than the kernel allots its device, which has all of these and would
/// take more: by the device's own count, for the others wait until they have a request.
pub(super) fn used_up(case: &CaseResult, context: &Context<'_>) -> Option<UsedUp> {
    let [step] = measure::devices(case)[..] else { return None };
    let device = measure::whole(context.machine?, step.resource.named(ResourceKind::Block)?)?;
    let resource = Resource::of(ResourceKind::Block, &device.name);
    let takes = takes_at_once(device)?;
    // A thread gets its requests of the queue of its CPU.
    let most = allotted(case, &resource, device)? * queues(device).min(measure::workers(case).max(1.0));
    let under_way = UnderWay::of(case, &resource)?;
    let is_fewer = most < IN_USE * takes && under_way.load >= GIVEN * most;
    let is_it = is_fewer && (IN_USE..=1.0 + IN_USE).contains(&(under_way.device / most));
    is_it.then_some(UsedUp { resource, had: under_way.device, most, takes })
}

/// Requests that the kernel allots each queue of a disk while a case is measured.
fn allotted(case: &CaseResult, resource: &Resource, device: &BlockDevice) -> Option<f64> {
    let state = |name: &str| {
        // The key may name the resource: `queue-requests@sda`.
        let is_it = |key: &str| key.split('@').next() == Some(name);
        let mut all = case.settings.iter().filter(|(key, _)| is_it(key)).flat_map(|(_, states)| states);
        all.find(|state| state.machine == LOCAL && state.resource.as_ref() == Some(resource))
    };
    match (state("queue-requests"), state("scheduler")) {
        (Some(state), _) => state.read_back.as_ref()?.number(),
        // A scheduler sets it anew.
        (None, Some(_)) => None,
        (None, None) => device.queue_requests.map(f64::from),
    }
}

/// Whether requests wait in the host for about as long as at the device, which has all that the kernel allots it,
/// and would take more.
pub(super) fn is_held(phases: &BlockPhases, case: &CaseResult, context: &Context<'_>) -> bool {
    let (wait_s, whole_s) = phases.in_host();
    let device = || {
        let name = phases.resource.named(ResourceKind::Block)?;
        context.machine?.inventory.block_device(name)
    };
    let Some((device, takes)) = device().zip(takes(phases, context)) else { return false };
    let had = phases.depth_mean.unwrap_or(phases.depth_max as f64);
    let most = allotted(case, &phases.resource, device).map(|each| each * queues(device));
    wait_s >= AS_LONG * whole_s && most.is_some_and(|most| most < IN_USE * takes && had >= IN_USE * most)
}
