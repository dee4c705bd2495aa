//! Where the time of a disk's operations went, by a trace of the kernel's block layer.

use std::collections::BTreeMap;
use std::time::Duration;

use machine::Host;
use trace::Device;
use trace::analysis::{DevicePhases, IoClass, IoPhase, PhaseTimes};

/// The phases of what a disk did of late.
#[derive(Clone, Debug, PartialEq)]
pub struct DiskPhases {
    /// The disk, without `/dev/`.
    pub device: String,
    /// Reads, writes and what else there was.
    pub ways: Vec<WayPhases>,
}

/// The same of reads, or of writes: means in seconds.
#[derive(Clone, Debug, PartialEq)]
pub struct WayPhases {
    /// What kind of I/O.
    pub class: IoClass,
    /// How many were done.
    pub count: u64,
    /// Until a request was allocated for it.
    pub request_s: Option<f64>,
    /// All until the driver had it; the wait for a request is a part of it.
    pub driver_s: Option<f64>,
    /// At the driver and the device.
    pub device_s: Option<f64>,
    /// One in a hundred was there longer than that; the longest where there were too few to say.
    pub device_slow_s: Option<f64>,
}

/// What a trace told of the time before.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TracedPhases {
    /// Each disk that did something.
    pub disks: Vec<DiskPhases>,
    /// Events in each second.
    pub events_per_s: f64,
    /// Why there is no more: the trace broke off.
    pub broken: Option<String>,
}

impl TracedPhases {
    /// What was told of `events` in so long.
    #[must_use]
    pub fn of(told: &[DevicePhases], names: &mut DeviceNames, events: u64, took: Duration) -> Self {
        let disk = |one: &DevicePhases| {
            let ways = IoClass::ALL.into_iter().filter_map(|class| way(&one.phases, class));
            Some(DiskPhases { device: names.name(one.device)?, ways: ways.collect() })
        };
        let disks: Vec<DiskPhases> =
            told.iter().filter_map(disk).filter(|disk| !disk.ways.is_empty()).collect();
        Self { disks, events_per_s: events as f64 / took.as_secs_f64().max(1e-9), broken: None }
    }
}

fn way(phases: &[PhaseTimes], class: IoClass) -> Option<WayPhases> {
    let of = |phase: IoPhase| {
        let found = phases.iter().find(|times| times.phase == phase && times.class == class);
        found.map(|times| &times.times_ns)
    };
    let mean = |phase: IoPhase| of(phase)?.mean().map(|ns| ns / 1e9);
    let slow = || {
        let device = of(IoPhase::IssueToComplete)?;
        device.p99.or(device.max).map(|ns| ns as f64 / 1e9)
    };
    let count = of(IoPhase::QueueToComplete).or_else(|| of(IoPhase::IssueToComplete))?.count;
    Some(WayPhases {
        class,
        count,
        request_s: mean(IoPhase::QueueToGet),
        driver_s: mean(IoPhase::QueueToIssue),
        device_s: mean(IoPhase::IssueToComplete),
        device_slow_s: slow(),
    })
}

/// The kernel's names of devices by their numbers.
#[derive(Debug)]
pub struct DeviceNames {
    host: Host,
    known: BTreeMap<(u32, u32), String>,
}

impl DeviceNames {
    /// Of this machine.
    #[must_use]
    pub fn of(host: Host) -> Self {
        Self { host, known: BTreeMap::new() }
    }

    /// The name of a device; none of one that is gone.
    pub fn name(&mut self, device: Device) -> Option<String> {
        let number = (device.major, device.minor);
        if let Some(known) = self.known.get(&number) {
            return Some(known.clone());
        }
        let place = self.host.resolve(format!("/sys/dev/block/{}:{}", device.major, device.minor))?;
        let name = place.rsplit('/').next()?.to_owned();
        self.known.insert(number, name.clone());
        Some(name)
    }
}

#[cfg(test)]
mod tests {
    use trace::TraceRecord;
    use trace::analysis::PhaseWatch;
    use trace::event::{Action, BlockEvent, BlockOperation, Flags, IoDirection, TaskName};

    use super::*;

    /// A write to 8:16 at that time.
    fn event(time_ns: u64, action: Action) -> TraceRecord {
        let flags =
            Flags { preflush: false, fua: false, ahead: false, sync: false, meta: false, atomic: false };
        TraceRecord::Block(BlockEvent {
            time_ns,
            cpu: 0,
            action,
            device: Some(Device { major: 8, minor: 16 }),
            sector: 8,
            bytes: 4096,
            operation: BlockOperation { direction: IoDirection::Write, flags },
            thread: 7,
            task: TaskName::default(),
            error: 0,
        })
    }

    #[test]
    fn the_phases_of_a_disk_are_told_by_its_name() {
        let mut watch = PhaseWatch::default();
        for (at_ns, action) in [
            (0, Action::Queue),
            (2_000, Action::GetRequest),
            (9_000, Action::Issue),
            (109_000, Action::Complete),
        ] {
            watch.take(&event(at_ns, action));
        }
        let host = Host::parse(
            "==> /sys/dev/block/8:16 -> ../../devices/block/sdb\n==> /sys/devices/block/sdb/size\n1\n",
        );
        let mut names = DeviceNames::of(host);
        let found = TracedPhases::of(&watch.drain(), &mut names, 4, Duration::from_secs(2));
        assert_eq!(found.events_per_s, 2.0);
        let way = WayPhases {
            class: IoClass::Write,
            count: 1,
            request_s: Some(2e-6),
            driver_s: Some(9e-6),
            device_s: Some(1e-4),
            device_slow_s: Some(1e-4),
        };
        assert_eq!(found.disks, [DiskPhases { device: "sdb".to_owned(), ways: vec![way] }]);
        let gone = TracedPhases::of(&watch.drain(), &mut names, 0, Duration::ZERO);
        assert!(gone.disks.is_empty());
    }
}
