//! Events are of whole disks: where a partition was asked for, those of its neighbours are left
//! out.

use std::ops::Range;

use machine::trace::{DevicePart, TracedDevice};
use report::trace::TraceCaution;
use trace::{Device, TraceRecord};

/// A partition that was asked for.
#[derive(Debug)]
struct Part {
    disk: Device,
    disk_name: String,
    part: DevicePart,
    left_out: u64,
}

impl Part {
    fn sectors(&self) -> Range<u64> {
        self.part.start_sector..self.part.start_sector.saturating_add(self.part.sectors)
    }
}

/// Leaves out what lies in no partition that was asked for.
#[derive(Debug, Default)]
pub(super) struct PartFilter {
    parts: Vec<Part>,
}

impl PartFilter {
    /// For these devices. A disk that was asked for as a whole has no parts here.
    pub(super) fn of(devices: &[TracedDevice]) -> Self {
        let is_whole =
            |disk: Device| devices.iter().any(|device| device.device == disk && device.asked.is_none());
        let mut parts: Vec<Part> = Vec::new();
        for device in devices.iter().filter(|device| !is_whole(device.device)) {
            let Some(part) = device.asked.clone() else { continue };
            if parts.iter().all(|known| known.part != part) {
                let (disk, disk_name) = (device.device, device.name.clone());
                parts.push(Part { disk, disk_name, part, left_out: 0 });
            }
        }
        Self { parts }
    }

    /// Whether a record is of what was asked for. Flushes have no place, and stay.
    pub(super) fn keeps(&mut self, record: &TraceRecord) -> bool {
        let TraceRecord::Block(event) = record else { return true };
        let Some(device) = event.device.filter(|_| event.bytes > 0) else { return true };
        let mut of_disk = self.parts.iter_mut().filter(|part| part.disk == device).peekable();
        if of_disk.peek().is_none() {
            return true;
        }
        let mut is_in = false;
        let mut first = None;
        for part in of_disk {
            is_in |= part.sectors().contains(&event.sector);
            first.get_or_insert(part);
        }
        if let Some(part) = first.filter(|_| !is_in) {
            part.left_out += 1;
        }
        is_in
    }

    /// What was left out.
    pub(super) fn cautions(self) -> impl Iterator<Item = TraceCaution> {
        self.parts.into_iter().map(|part| TraceCaution::Partition {
            part: part.part.name,
            disk: part.disk_name,
            left_out: part.left_out,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use trace::event::{Action, BlockOperation, TaskName};

    fn event(sector: u64, bytes: u64) -> TraceRecord {
        TraceRecord::Block(trace::BlockEvent {
            time_ns: 1,
            cpu: 0,
            action: Action::Queue,
            device: Some(Device { major: 8, minor: 0 }),
            sector,
            bytes,
            operation: BlockOperation::default(),
            thread: 1,
            task: TaskName::default(),
            error: 0,
        })
    }

    fn disk(asked: Option<(u32, u64)>) -> TracedDevice {
        TracedDevice {
            name: "sda".to_owned(),
            device: Device { major: 8, minor: 0 },
            asked: asked.map(|(minor, start_sector)| DevicePart {
                name: format!("sda{minor}"),
                device: Device { major: 8, minor },
                start_sector,
                sectors: 100,
            }),
            partitions: Vec::new(),
            has_requests: true,
            backing_file: None,
            members: Vec::new(),
            backings: Vec::new(),
        }
    }

    #[test]
    fn only_what_lies_in_a_part_that_was_asked_for_is_kept() {
        let mut filter = PartFilter::of(&[disk(Some((1, 100))), disk(Some((2, 200)))]);
        let kept = [(99, 512), (100, 512), (250, 512), (300, 512), (0, 0)];
        let kept = kept.map(|(sector, bytes)| filter.keeps(&event(sector, bytes)));
        assert_eq!(kept, [false, true, true, false, true]);
        let cautions: Vec<TraceCaution> = filter.cautions().collect();
        let part = |name: &str, left_out| TraceCaution::Partition {
            part: name.to_owned(),
            disk: "sda".to_owned(),
            left_out,
        };
        assert_eq!(cautions, [part("sda1", 2), part("sda2", 0)]);
    }

    #[test]
    fn a_whole_disk_is_kept_whole() {
        let mut filter = PartFilter::of(&[disk(Some((1, 100))), disk(None)]);
        assert!(filter.keeps(&event(0, 512)));
        assert_eq!(filter.cautions().count(), 0);
    }
}
