//! What bounds the results of a run and is known before its trials: what is calibrated, and what was promised.

use agent::{Agent, AgentError, CallContext, unexpected};
use model::machine::Calibration;
use model::message::{Reply, Request};
use model::plan::Plan;
use model::{Limit, ResourceKind, Study};

/// What the machine can do, measured before the trials of loads like these.
pub(super) fn calibrate(
    agent: &mut dyn Agent,
    plan: &Plan,
    cancelled: &dyn Fn() -> bool,
) -> Result<Vec<Calibration>, AgentError> {
    let mut loads: Vec<_> = plan.cases.iter().flat_map(|c| c.loads.iter().cloned()).collect();
    loads.dedup();
    let mut watch = CallContext { on_event: &mut |_| {}, cancelled };
    match agent.call(Request::Calibrate { loads }, &mut watch) {
        Ok(Reply::Calibration(calibration)) => Ok(calibration),
        // A run that is cancelled this early ends in its first trial.
        Err(AgentError::Cancelled) => Ok(Vec::new()),
        Ok(other) => Err(unexpected(other)),
        Err(error) => Err(error),
    }
}

/// What the study promises of the devices that its cases drive: of each, the
/// uppermost one below the file system.
pub(super) fn promised(study: &Study, plan: &Plan) -> Vec<Limit> {
    let mut devices: Vec<&str> = Vec::new();
    for case in &plan.cases {
        let device = case.path.iter().find_map(|step| step.resource.named(ResourceKind::Block));
        devices.extend(device.filter(|d| !devices.contains(d)));
    }
    devices.into_iter().flat_map(|device| machine::limit::promised(&study.expect, device)).collect()
}
