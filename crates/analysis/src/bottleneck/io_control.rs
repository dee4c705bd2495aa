//! An I/O controller of control groups that holds the load back, and has no rate that could be read: `io.cost` shares a device out
//! by what it is modelled to do, and `io.latency` lets groups beside a protected one have fewer requests at once. Both hold
//! requests before the device counts them (`rq_qos_throttle` in `block/blk-mq.c`), so that a load whose operations are neither
//! at its device nor with a thread that computes waits for them, where one is at work on that device.

use model::finding::{Evidence, Place};
use model::machine::IoController;
use model::run::CaseResult;
use model::{Resource, ResourceKind, Severity};

use super::network::DECIDES;
use super::{Verdict, device_queue, finding};
use crate::measure::UnderWay;
use crate::{Context, measure};

pub(super) const ENGLISH: &str = r#"
finding-io-control =
    the controller { io-controller } of control groups holds this back: of the { FIXED($under_way, decimals: 1) } operations that are in
    flight in the mean, { RESOURCE($resource) } has { FIXED($queue, decimals: 2) }, and the others wait until the controller lets them
    pass
    .advice =
        { $by ->
            [cost] a greater io.weight of the group, or of one above it, lets more pass; io.cost.qos and io.cost.model of the
                uppermost group say what the device is taken to do
           *[other] a group beside this one has a latency to keep (io.latency): a longer one there, or none, lets more pass here
        }

io-controller =
    { $by ->
        [cost] io.cost
       *[latency] io.latency
    }
evidence-cost-waited = the control group waited { FIXED($waited, decimals: 2) } s of each second for io.cost
"#;

pub(super) fn examine(case: &CaseResult, context: &Context<'_>) -> Verdict {
    let found = || {
        let [step] = measure::devices(case)[..] else { return None };
        let device = measure::whole(context.machine?, step.resource.named(ResourceKind::Block)?)?;
        let all = &context.machine?.inventory.cgroup.io_control;
        let control = all.iter().find(|control| control.device == device.name)?;
        let resource = Resource::of(ResourceKind::Block, &device.name);
        Some((resource, control.controller, device_queue::few(case, context)?))
    };
    let Some((resource, controller, few)) = found() else { return Verdict::Elsewhere };
    let waited = measure::median(case, |trial| measure::rate(trial, &resource, WAITED));
    let under_way = UnderWay::of(case, &resource);
    // Where the kernel counts its waits, they must be the load's.
    let is_waited_for = match (controller, waited, under_way) {
        (IoController::Cost, Some(waited), Some(under_way)) => waited >= DECIDES * under_way.load,
        _ => true,
    };
    if !is_waited_for {
        return Verdict::Elsewhere;
    }
    let place = measure::place(case, &resource, WAITED).unwrap_or(Place::Inventory(Resource::CGROUP));
    let waited = waited.map(|waited| Evidence::at("cost-waited", place).arg("waited", waited));
    let figure = |name: &str| few.args.get(name).and_then(model::Value::number).unwrap_or_default();
    let found = finding("io-control", Severity::Warning)
        .on(resource)
        .arg("by", if controller == IoController::Cost { "cost" } else { "latency" })
        .arg("under_way", figure("under_way"))
        .arg("queue", figure("queue"));
    Verdict::Full(Box::new(found.because(few).because_all(waited)))
}

/// How long the tasks of a group waited for `io.cost`, by the sampler.
const WAITED: &str = "cost_wait";

#[cfg(test)]
mod tests {
    use model::Finding;
    use model::machine::{BlockDevice, IoControl};

    use super::super::tests::{disk, machine, verdict_on};
    use super::*;
    use crate::measure::layers::tests::did;
    use crate::validity::fixture;

    /// A load with 16 under way of which the device has so many, in a group beside a controller; its tasks waited so long for it.
    fn found(controller: Option<IoController>, queue: f64, waited_s: Option<f64>) -> Finding {
        let mut case = disk(16, 1_000.0, 16_000.0, 5.0);
        did(&mut case, "sda", 4096e3, 0.0, queue);
        for trial in &mut case.trials {
            let waited =
                waited_s.map(|s| fixture::counter("block:sda", "io.stat cost_wait", 1e-6, (s * 1e6) as u64));
            trial.result.local_mut().counters.extend(waited);
        }
        let mut machine = machine();
        machine.inventory.block = vec![BlockDevice { name: "sda".to_owned(), ..BlockDevice::default() }];
        let control = |controller| IoControl { device: "sda".to_owned(), controller };
        machine.inventory.cgroup.io_control = controller.map(control).into_iter().collect();
        verdict_on(&machine, &[case])
    }

    /// Bug: of operations that wait for a controller of control groups it was said that they wait somewhere above the disk.
    #[test]
    fn a_controller_that_keeps_operations_from_their_device_is_named() {
        let cost = found(Some(IoController::Cost), 0.4, None);
        assert_eq!(cost.code, "io-control", "{cost:?}");
        assert!(
            cost.text.starts_with("the controller io.cost of control groups holds this back"),
            "{}",
            cost.text
        );
        assert!(found(Some(IoController::Latency), 0.4, None).text.contains("io.latency"));
        let counted = found(Some(IoController::Cost), 0.4, Some(15.0));
        assert!(counted.evidence.iter().any(|one| one.code == "cost-waited"), "{counted:?}");
    }

    #[test]
    fn a_device_that_has_most_of_it_and_a_group_that_hardly_waits_are_not_held() {
        assert_ne!(found(Some(IoController::Cost), 14.0, None).code, "io-control");
        assert_ne!(
            found(Some(IoController::Cost), 0.4, Some(0.5)).code,
            "io-control",
            "it waits for something else"
        );
        assert_ne!(found(None, 0.4, None).code, "io-control");
    }
}
