//! The devices that the load of a trial passes. An array among them that is being synchronised, checked or rebuilt is
//! waited for, as long as that is bearable: whoever does that takes the members from the load.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use engine::Fault;
use machine::Host;
use machine::inventory::block;
use model::AgentEvent;
use model::layer::StorageLayers;
use model::machine::Inventory;
use model::message::TrialRole;
use model::trial::MachineTrial;

use crate::trial::TrialContext;

/// A trial waits so long; then it is measured, and its result says what went on meanwhile.
const WAIT_MOST: Duration = Duration::from_secs(600);
/// After so long the kernel's speed is that of the work, and not of its begin: what takes longer than a trial waits is
/// not waited for, and neither is what has no speed, since it is delayed or held.
const SPEED_KNOWN: Duration = Duration::from_secs(5);
/// How often somebody looks whether it is over.
const PAUSE: Duration = Duration::from_millis(200);
/// How often the person is told how far it is.
const TELL: Duration = Duration::from_secs(1);

/// The devices of these names, once no array among them is busy with itself, or the wait is over. A trial with
/// another end does not wait: that end has begun to.
///
/// # Errors
/// If the person ends it meanwhile.
pub(crate) fn ready(
    role: &TrialRole,
    blocks: &[String],
    inventory: &Inventory,
    context: &TrialContext<'_>,
) -> Result<Option<StorageLayers>, Fault> {
    let (host, begin) = (Host::this(), Instant::now());
    let mut told: Option<Instant> = None;
    loop {
        let found = block::layers(&host, &inventory.block, blocks);
        let Some(busy) = found.as_ref().and_then(|layers| BusyArray::among(&host, layers)) else {
            return Ok(found);
        };
        let waited = begin.elapsed();
        let is_far = waited >= SPEED_KNOWN && busy.left_s.is_none_or(|left| left > WAIT_MOST.as_secs_f64());
        if !matches!(role, TrialRole::Alone) || waited >= WAIT_MOST || is_far {
            return Ok(found);
        }
        if context.cancel.load(Ordering::Relaxed) {
            return Err(Fault::Cancelled);
        }
        if told.is_none_or(|told| told.elapsed() >= TELL) {
            told = Some(Instant::now());
            (context.tell)(AgentEvent::Waiting { why: busy.why });
        }
        std::thread::sleep(PAUSE);
    }
}

/// Adds the devices to what was seen of the machine. Without any, nobody asks what the kernel's queues did.
pub(crate) fn note(machine: &mut MachineTrial, before: Option<StorageLayers>, inventory: &Inventory) {
    machine.storage = after(before, inventory);
    if machine.storage.is_none() {
        machine.work_queues.clear();
    }
}

/// The same devices when the trial is over: what an array did at its begin or at its end, it did beside the load.
fn after(before: Option<StorageLayers>, inventory: &Inventory) -> Option<StorageLayers> {
    let mut layers = before?;
    let names: Vec<String> = layers.devices.iter().map(|device| device.resource.name().to_owned()).collect();
    let now = block::layers(&Host::this(), &inventory.block, &names).unwrap_or_default();
    for device in &mut layers.devices {
        let Some(array) = device.array.as_mut().filter(|array| array.action.is_none()) else { continue };
        let same = now.devices.iter().find(|now| now.resource == device.resource);
        array.action = same.and_then(|now| now.array.as_ref()?.action.clone());
    }
    Some(layers)
}

/// An array that is busy with itself.
#[derive(Debug, PartialEq)]
struct BusyArray {
    /// What it does, and how far it is.
    why: String,
    /// How long it is going to take at the speed of now, where the kernel says that.
    left_s: Option<f64>,
}

impl BusyArray {
    /// The first one among these devices.
    fn among(host: &Host, layers: &StorageLayers) -> Option<Self> {
        layers.devices.iter().find_map(|device| {
            let action = device.array.as_ref()?.action.as_ref()?;
            let name = device.resource.name();
            let text = |file: &str| host.text(format!("/sys/block/{name}/md/{file}")).unwrap_or_default();
            // Sectors of 512 bytes that are done and that there are, and KiB a second
            // (`Documentation/admin-guide/md.rst`).
            let completed = text("sync_completed");
            let sectors = completed.split_once('/').and_then(|(done, all)| {
                let (done, all): (f64, f64) = (done.trim().parse().ok()?, all.trim().parse().ok()?);
                (all > 0.0 && done <= all).then_some((done, all))
            });
            let speed = text("sync_speed").trim().parse::<f64>().ok().filter(|speed| *speed > 0.0);
            let far = sectors.map(|(done, all)| format!(", {:.0} % done", done / all * 100.0));
            let left_s = sectors.zip(speed).map(|((done, all), speed)| (all - done) / 2.0 / speed);
            let why = format!("{action} of the array {name} goes on{}", far.unwrap_or_default());
            Some(Self { why, left_s })
        })
    }
}

#[cfg(test)]
mod tests {
    use model::layer::{LayerArray, LayerDevice};
    use model::{Resource, ResourceKind};

    use super::*;

    fn layers(action: Option<&str>) -> StorageLayers {
        let array = LayerArray { action: action.map(str::to_owned), ..LayerArray::default() };
        let resource = Resource::of(ResourceKind::Block, "md7");
        let device = LayerDevice { resource, array: Some(array), ..LayerDevice::default() };
        StorageLayers { devices: vec![device], ..StorageLayers::default() }
    }

    #[test]
    fn what_an_array_does_is_told_with_how_far_it_is() {
        let host = Host::parse(
            "==> /sys/block/md7/md/sync_completed\n250 / 1000\n==> /sys/block/md7/md/sync_speed\n25\n",
        );
        assert_eq!(BusyArray::among(&host, &layers(None)), None);
        let found = BusyArray::among(&host, &layers(Some("resync"))).unwrap();
        let why = "resync of the array md7 goes on, 25 % done".to_owned();
        assert_eq!(found, BusyArray { why, left_s: Some(15.0) });
        let delayed = Host::parse("==> /sys/block/md7/md/sync_completed\ndelayed\n");
        let found = BusyArray::among(&delayed, &layers(Some("check"))).unwrap();
        assert_eq!(found, BusyArray { why: "check of the array md7 goes on".to_owned(), left_s: None });
    }

    #[test]
    fn what_went_on_at_the_begin_went_on_beside_the_load() {
        let known = Inventory::default();
        assert_eq!(after(Some(layers(Some("check"))), &known), Some(layers(Some("check"))));
        assert_eq!(after(Some(layers(None)), &known), Some(layers(None)));
        assert_eq!(after(None, &known), None);
    }
}
