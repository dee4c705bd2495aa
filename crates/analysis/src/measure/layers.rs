//! What rules read of the devices that a load passed, one on the other, and of the kernel's work for them.

use model::layer::{LayerDevice, StorageLayers, WorkQueueSource};
use model::run::CaseResult;
use model::{Resource, Trial, metric};

use super::{good, measured, rate};

/// What the kernel calls threads that run the work of queues: those are told by the queues.
pub(crate) const WORKER: &str = "kworker/";

/// The devices that the load of a case passed, the highest first; absent where they are plain disks, or nobody looked.
pub(crate) fn storage_layers(case: &CaseResult) -> Option<&StorageLayers> {
    good(case).find_map(|trial| trial.result.local().storage.as_ref())
}

/// The same, where one of them is an array, a mapping or a loop device.
pub(crate) fn stacked(case: &CaseResult) -> Option<&StorageLayers> {
    storage_layers(case).filter(|layers| layers.devices.iter().any(LayerDevice::is_layer))
}

/// The devices that one stands on, as far as they are known.
pub(crate) fn below<'a>(layers: &'a StorageLayers, device: &LayerDevice) -> Vec<&'a LayerDevice> {
    let of = |name: &Resource| layers.devices.iter().find(|other| other.resource == *name);
    device.below.iter().filter_map(of).collect()
}

/// Whether an array was synchronised, rebuilt or scrubbed in trials of a case: then its members do what is not the
/// load's.
pub(crate) fn is_resynced(case: &CaseResult) -> bool {
    let is_busy = |layers: &StorageLayers| {
        layers.devices.iter().any(|device| device.array.as_ref().is_some_and(|array| array.action.is_some()))
    };
    good(case).any(|trial| {
        measured(trial, metric::RESYNC_RATE).is_some()
            || trial.result.local().storage.as_ref().is_some_and(is_busy)
    })
}

/// Whether the kernel's events told what its queues did, in the trials of an observed case.
pub(crate) fn has_work_events(case: &CaseResult) -> bool {
    let mut queues = good(case).flat_map(|trial| &trial.result.local().work_queues);
    queues.any(|queue| queue.by == WorkQueueSource::Events)
}

/// CPU time that the kernel used for a device: one thread, or the work of one queue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KernelUse<'a> {
    /// The device.
    pub(crate) device: &'a LayerDevice,
    /// What the thread or the queue is called.
    pub(crate) name: &'a str,
    /// CPU seconds for each second.
    pub(crate) cpus: f64,
    /// Whether it is a queue, whose work may run on several CPUs at once.
    pub(crate) is_queue: bool,
}

/// What threads and queues used in a trial that are called by one of these devices.
pub(crate) fn kernel_uses<'a>(layers: &'a StorageLayers, trial: &'a Trial) -> Vec<KernelUse<'a>> {
    let machine = trial.result.local();
    let queues = machine.work_queues.iter().map(|q| (q.queue.as_str(), q.cpu_s, q.watched_s, true));
    let is_thread = |name: &str| !name.starts_with(WORKER);
    let threads = machine.processes.iter().filter(|p| p.kernel && p.pid != 0 && is_thread(&p.name));
    let threads = threads.map(|p| (p.name.as_str(), p.cpu_s, p.watched_s, false));
    let of = |(name, cpu_s, watched_s, is_queue): (&'a str, f64, f64, bool)| {
        let device = layers.devices.iter().find(|device| is_called_by(name, device))?;
        (watched_s > 0.0).then(|| KernelUse { device, name, cpus: cpu_s / watched_s, is_queue })
    };
    queues.chain(threads).filter_map(of).collect()
}

/// Whether a thread or a queue of the kernel is called by a device: by its name (`md127_raid6`, `jbd2/dm-1-8`), or by
/// its number (`dmcrypt_write/253:0`, `kcryptd-253:0-1`).
fn is_called_by(name: &str, device: &LayerDevice) -> bool {
    let holds = |part: &str| {
        name.match_indices(part).any(|(at, _)| {
            let before = name[..at].chars().next_back();
            let behind = name[at + part.len()..].chars().next();
            !before.is_some_and(|c| c.is_ascii_alphanumeric()) && !behind.is_some_and(|c| c.is_ascii_digit())
        })
    };
    holds(device.resource.name()) || device.number.as_deref().is_some_and(holds)
}

/// What one device did in a trial, by its counters.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DeviceWork {
    /// Bytes read in each second.
    pub(crate) read: f64,
    /// Bytes written in each second.
    pub(crate) written: f64,
    /// Reads and writes in each second.
    pub(crate) operations: f64,
    /// How many were under way, in the mean.
    pub(crate) queue: f64,
}

impl DeviceWork {
    pub(crate) fn of(trial: &Trial, resource: &Resource) -> Option<Self> {
        let rate = |name: &str| rate(trial, resource, name);
        Some(Self {
            read: rate("read_sectors")?,
            written: rate("written_sectors")?,
            operations: rate("reads")? + rate("writes")?,
            queue: rate("read_ms")? + rate("write_ms")?,
        })
    }

    /// How long each took, seconds; none where there was none.
    pub(crate) fn latency_s(&self) -> Option<f64> {
        (self.operations > 0.0).then(|| self.queue / self.operations)
    }

    /// Bytes in each second.
    pub(crate) fn bytes(&self) -> f64 {
        self.read + self.written
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use model::ResourceKind;
    use model::layer::{LayerArray, WorkQueueSource, WorkQueueUse};
    use model::machine::BlockKind;
    use model::trial::ProcessUse;

    use super::*;
    use crate::validity::fixture;

    fn block(name: &str) -> Resource {
        Resource::of(ResourceKind::Block, name)
    }

    /// A device that stands on these.
    pub(crate) fn device(name: &str, kind: BlockKind, below: &[&str]) -> LayerDevice {
        let below = below.iter().map(|name| block(name)).collect();
        LayerDevice { resource: block(name), kind, below, ..LayerDevice::default() }
    }

    /// A LUKS mapping on an array of four disks.
    pub(crate) fn stack(level: &str) -> StorageLayers {
        let disks = ["sda", "sdb", "sdc", "sdd"];
        let mut devices = vec![device("dm-0", BlockKind::Dm, &["md0"]), device("md0", BlockKind::Md, &disks)];
        devices[0].mapping = Some("CRYPT-LUKS2".to_owned());
        devices[0].number = Some("253:0".to_owned());
        devices[1].number = Some("9:0".to_owned());
        let array = LayerArray { level: level.to_owned(), members: 4, ..LayerArray::default() };
        devices[1].array = Some(array);
        devices.extend(disks.map(|name| device(name, BlockKind::Disk, &[])));
        StorageLayers { devices, work_cpus: Vec::new() }
    }

    /// Gives each trial of a case these devices.
    pub(crate) fn put(case: &mut CaseResult, layers: &StorageLayers) {
        for trial in &mut case.trials {
            trial.result.local_mut().storage = Some(layers.clone());
        }
    }

    /// A thread of the kernel that computed for so much of a second, and work of a queue.
    pub(crate) fn kernel(case: &mut CaseResult, threads: &[(&str, f64)], queues: &[(&str, f64)]) {
        for trial in &mut case.trials {
            let machine = trial.result.local_mut();
            machine.processes.extend((9..).zip(threads).map(|(pid, (name, cpu_s))| ProcessUse {
                pid,
                name: (*name).to_owned(),
                own: false,
                kernel: true,
                cpu_s: *cpu_s,
                watched_s: 1.0,
            }));
            machine.work_queues.extend(queues.iter().map(|(queue, cpu_s)| WorkQueueUse {
                queue: (*queue).to_owned(),
                cpu_s: *cpu_s,
                watched_s: 1.0,
                by: WorkQueueSource::Names,
            }));
        }
    }

    /// What a device counted in a second: bytes read and written, in operations of 4 KiB, and how many were under way.
    pub(crate) fn did(case: &mut CaseResult, name: &str, read: f64, written: f64, queue: f64) {
        for trial in &mut case.trials {
            let counters = &mut trial.result.local_mut().counters;
            counters.retain(|counter| counter.resource != block(name));
            for (source, steps) in [
                ("read_sectors", read / 512.0),
                ("written_sectors", written / 512.0),
                ("reads", read / 4096.0),
                ("writes", written / 4096.0),
                ("read_ms", 0.0),
                ("write_ms", queue * 1e3),
            ] {
                let scale = match source {
                    "read_sectors" | "written_sectors" => 512.0,
                    "read_ms" | "write_ms" => 1e-3,
                    _ => 1.0,
                };
                let source = format!("/proc/diskstats {source}");
                counters.push(fixture::counter(block(name), &source, scale, steps as u64));
            }
        }
    }

    #[test]
    fn threads_and_queues_are_of_the_device_that_they_are_called_by() {
        let mut case = fixture::case(1);
        put(&mut case, &stack("raid6"));
        let threads = [("md0_raid6", 0.9), ("md01_raid6", 0.1), ("jbd2/dm-0-8", 0.2), ("amd0", 0.1)];
        kernel(
            &mut case,
            &threads,
            &[("kcryptd/253:0", 0.7), ("kcryptd-253:0-1", 0.3), ("kcryptd/253:01", 0.1)],
        );
        kernel(&mut case, &[("kworker/9:0-events", 0.5)], &[]);
        let uses = kernel_uses(storage_layers(&case).unwrap(), &case.trials[0]);
        let found: Vec<(&str, &str, bool)> =
            uses.iter().map(|one| (one.device.resource.name(), one.name, one.is_queue)).collect();
        let expected = [
            ("dm-0", "kcryptd/253:0", true),
            ("dm-0", "kcryptd-253:0-1", true),
            ("md0", "md0_raid6", false),
            ("dm-0", "jbd2/dm-0-8", false),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn what_a_device_did_is_what_it_counted() {
        let mut case = fixture::disk_case("randwrite", 4096e3, 4096e3);
        did(&mut case, "sda", 0.0, 4096e3, 2.0);
        let work = DeviceWork::of(&case.trials[0], &block("sda")).unwrap();
        assert!((work.latency_s().unwrap() - 2e-3).abs() < 1e-9 && (work.bytes() - 4096e3).abs() < 1.0);
        assert_eq!(DeviceWork::default().latency_s(), None);
        assert!(DeviceWork::of(&case.trials[0], &block("sdb")).is_none());
    }
}
