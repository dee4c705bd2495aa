//! Where in a stack of devices the time of operations is. A device that passes them on has under way what those below it have,
//! and what it keeps itself: a mapping that delays or encrypts, a lock of an array, a throttle before a member. Each counts the
//! time of its own (`/proc/diskstats`; mappings and arrays count from when they are given a bio, `bio_start_io_acct` in
//! `block/blk-core.c`).

use model::finding::{Evidence, Place};
use model::layer::LayerDevice;
use model::machine::BlockKind;
use model::profile::Durability;
use model::run::CaseResult;
use model::{Resource, Trial};

use crate::measure::{self, DeviceWork};

/// One that has this share of what the load has under way is where it waits.
const MOST: f64 = 0.5;

pub(in crate::bottleneck) const ENGLISH: &str = r#"
evidence-held-at =
    of the { FIXED($under_way, decimals: 2) } operations that are in flight in the mean, { FIXED($own, decimals: 2) } are in
    { RESOURCE($resource) }{ $inside ->
        [yes] , and not at the devices below it
       *[no] {""}
    }
"#;

/// The device of a stack that has most of what the load has under way.
pub(in crate::bottleneck) struct Held {
    pub(in crate::bottleneck) resource: Resource,
    /// Whether it stands on others, which do not have it.
    pub(in crate::bottleneck) inside: bool,
    /// The share of all that is under way.
    pub(in crate::bottleneck) share: f64,
    under_way: f64,
}

impl Held {
    /// Of a load past the page cache on one stack; a flush is neither a read nor a write.
    pub(in crate::bottleneck) fn of(case: &CaseResult) -> Option<Self> {
        let layers = measure::stacked(case)?;
        let syncs = !matches!(measure::profile(case).durability, Durability::None | Durability::End);
        let is_one = measure::devices(case).len() == 1;
        if syncs || !is_one || !measure::is_direct(case) || !measure::is_closed(case) {
            return None;
        }
        let (_, rate) = measure::operations(case)?;
        let under_way = rate * measure::mean_latency(case)?;
        let own = |device: &LayerDevice| {
            let own = measure::median(case, |trial| own_queue(device, trial))?;
            let inside = device.is_layer();
            Some(Self { resource: device.resource.clone(), inside, share: own / under_way, under_way })
        };
        // A partition has what its disk has.
        let counts = layers.devices.iter().filter(|device| device.kind != BlockKind::Partition);
        let most = counts.filter_map(own).max_by(|a, b| a.share.total_cmp(&b.share));
        most.filter(|most| under_way > 0.0 && (MOST..=1.0 + MOST).contains(&most.share))
    }

    pub(in crate::bottleneck) fn evidence(&self, case: &CaseResult) -> Evidence {
        let place = measure::place(case, &self.resource, "read_ms");
        Evidence::at("held-at", place.unwrap_or(Place::Path(self.resource.clone())))
            .arg("resource", self.resource.as_str())
            .arg("under_way", self.under_way)
            .arg("own", self.share * self.under_way)
            .arg("inside", self.inside)
    }
}

/// What a device has under way, less what those below it have. Of a loop device nobody knows what its file has.
fn own_queue(device: &LayerDevice, trial: &Trial) -> Option<f64> {
    let queue = |resource: &Resource| Some(DeviceWork::of(trial, resource)?.queue);
    let all = queue(&device.resource)?;
    if device.is_layer() && device.below.is_empty() {
        return None;
    }
    let below: f64 = device.below.iter().map(queue).sum::<Option<f64>>()?;
    Some((all - below).max(0.0))
}

#[cfg(test)]
mod tests {
    use model::layer::StorageLayers;
    use model::resource::PathStep;

    use super::*;
    use crate::bottleneck::tests::{disk, verdict};
    use crate::measure::layers::tests::{device, did, put};

    /// One read after the other of 10 ms on a mapping that stands on two others, of which the second has a disk of its own; each
    /// has so many under way.
    fn found(depth: u64, queues: [f64; 5]) -> model::Finding {
        let mut case = disk(depth, 100.0 * depth as f64, 10_000.0, 15.0);
        let devices = vec![
            device("dm-0", BlockKind::Dm, &["dm-1", "dm-2"]),
            device("dm-1", BlockKind::Dm, &["sda"]),
            device("dm-2", BlockKind::Dm, &["sdb"]),
            device("sda", BlockKind::Disk, &[]),
            device("sdb", BlockKind::Disk, &[]),
        ];
        let step = |(device, amplification): (&LayerDevice, f64)| PathStep {
            resource: device.resource.clone(),
            amplification,
        };
        case.path = devices.iter().zip([1.0, 0.5, 0.5, 0.5, 0.5]).map(step).collect();
        for (device, queue) in devices.iter().zip(queues) {
            let bytes = if queue > 0.0 { 100.0 * depth as f64 * 4096.0 } else { 0.0 };
            did(&mut case, device.resource.name(), bytes, 0.0, 0.0);
            for trial in &mut case.trials {
                let is_time = |c: &&mut model::trial::Counter| {
                    c.resource == device.resource && c.source.ends_with(" read_ms")
                };
                let counters = trial.result.local_mut().counters.iter_mut();
                counters.filter(is_time).for_each(|c| c.after = (queue * 1e3) as u64);
            }
        }
        put(&mut case, &StorageLayers { devices, work_cpus: Vec::new() });
        verdict(&[case])
    }

    /// Bug: of a mapping that delays what it passes on the highest device was said to be waited for, or nothing was told.
    #[test]
    fn a_layer_that_keeps_what_it_is_given_is_named() {
        for depth in [1, 8] {
            let all = depth as f64;
            let kept = found(depth, [all, all, 0.0, 0.05 * all, 0.0]);
            assert_eq!(kept.code, "latency-bound", "{kept:?}");
            assert_eq!(kept.resource.as_ref().map(Resource::as_str), Some("block:dm-1"));
            assert!(kept.text.ends_with("are in it, and not at the devices below it"), "{}", kept.text);
        }
    }

    #[test]
    fn a_disk_that_has_what_a_mapping_passes_on_is_named() {
        let passed = found(1, [1.0, 0.98, 0.0, 0.97, 0.0]);
        assert_eq!(passed.resource.as_ref().map(Resource::as_str), Some("block:sda"));
        assert!(passed.text.ends_with("nothing known is full"), "{}", passed.text);
        assert!(passed.evidence.iter().any(|e| e.code == "held-at"), "{passed:?}");
    }

    #[test]
    fn where_no_device_has_most_the_highest_is_named() {
        let spread = found(1, [1.0, 0.6, 0.0, 0.3, 0.0]);
        assert_eq!(spread.resource.as_ref().map(Resource::as_str), Some("block:dm-0"));
    }
}
