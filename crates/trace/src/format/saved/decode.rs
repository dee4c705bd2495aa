//! The records of a block again.

use super::codec::Source;
use super::encode::{BeforeByCpu, DIRECTIONS, PLAIN, first};
use super::{CALLS, CPUS_MAX};
use crate::event::{Action, BlockEvent, BlockOperation, Device, Flags, TaskName, TraceRecord};

/// Takes records from the bytes of a block.
#[derive(Debug, Default)]
pub(super) struct Decoder {
    bytes: Vec<u8>,
    at: usize,
    state: DecoderState,
}

/// What is known from the records before.
#[derive(Debug, Default)]
struct DecoderState {
    time_ns: u64,
    cpu: u32,
    before: BeforeByCpu,
    names: Vec<TaskName>,
    devices: Vec<Device>,
}

impl Decoder {
    /// For a block.
    pub(super) fn new(bytes: Vec<u8>) -> Self {
        Self { bytes, ..Self::default() }
    }

    /// Whether all was taken.
    pub(super) fn is_empty(&self) -> bool {
        self.at >= self.bytes.len()
    }

    /// The next record; nothing where the bytes make none.
    pub(super) fn record(&mut self) -> Option<TraceRecord> {
        let mut source = Source(self.bytes.get(self.at..)?);
        let record = self.state.record(&mut source)?;
        self.at = self.bytes.len() - source.0.len();
        Some(record)
    }
}

impl DecoderState {
    fn record(&mut self, source: &mut Source<'_>) -> Option<TraceRecord> {
        let mut head = source.byte()?;
        let mut error = 0;
        if head == first::ERROR {
            error = source.small()?;
            head = source.byte()?;
        }
        Some(match head {
            first::LOST => {
                let time_ns = self.time(source)?;
                let cpu = source.small()?;
                let is_known = source.byte()? != 0;
                let events = Some(source.number()?).filter(|_| is_known);
                TraceRecord::Lost { time_ns, cpu, events }
            }
            first::DIRTIED => {
                let time_ns = self.time(source)?;
                let (thread, task) = self.thread(source)?;
                let device = self.device(source)?;
                TraceRecord::Dirtied {
                    time_ns,
                    thread,
                    task,
                    device,
                    inode: source.number()?,
                    bytes: source.number()?,
                }
            }
            first::SYNCED => {
                let ended_ns = self.time(source)?;
                let began_ns = source.changed(ended_ns)?;
                let (thread, task) = self.thread(source)?;
                let call = CALLS.get(source.small::<usize>()?).copied().unwrap_or(CALLS[0]);
                let result = source.changed(0)? as i64;
                TraceRecord::Synced { began_ns, ended_ns, thread, task, call, result }
            }
            _ => TraceRecord::Block(self.event(source, head, error)?),
        })
    }

    fn event(&mut self, source: &mut Source<'_>, head: u8, error: u32) -> Option<BlockEvent> {
        let time_ns = self.time(source)?;
        if head & first::SAME_CPU == 0 {
            self.cpu = source.small().filter(|cpu| *cpu < CPUS_MAX)?;
        }
        let cpu = self.cpu;
        let mut now = *self.before.of(cpu)?;
        if head & first::SAME_THREAD == 0 {
            (now.thread, now.task) = self.thread(source)?;
        }
        if head & first::SAME_OPERATION == 0 {
            now.device = self.device(source)?;
            now.operation = operation(source)?;
        }
        now.sector = source.changed(now.sector)?;
        let bytes = source.number()?.rotate_left(9);
        let kind = head & first::KIND;
        let action = match kind {
            first::REMAP => {
                Action::Remap { from: self.device(source)??, from_sector: source.changed(now.sector)? }
            }
            first::SPLIT => Action::Split { new_sector: source.changed(now.sector)? },
            first::UNPLUG => Action::Unplug { requests: source.small()? },
            _ => PLAIN.iter().find(|(known, _)| *known == kind)?.1,
        };
        *self.before.of(cpu)? = now;
        Some(BlockEvent {
            time_ns,
            cpu,
            action,
            device: now.device,
            sector: now.sector,
            bytes,
            operation: now.operation,
            thread: now.thread,
            task: now.task,
            error,
        })
    }

    fn time(&mut self, source: &mut Source<'_>) -> Option<u64> {
        self.time_ns = source.changed(self.time_ns)?;
        Some(self.time_ns)
    }

    fn thread(&mut self, source: &mut Source<'_>) -> Option<(u32, TaskName)> {
        let thread = source.small()?;
        let task = match source.small::<usize>()? {
            0 => {
                let task = TaskName(source.take(16)?.try_into().ok()?);
                self.names.push(task);
                task
            }
            number => *self.names.get(number - 1)?,
        };
        Some((thread, task))
    }

    /// A device, or that it is none; nothing where the bytes make neither.
    fn device(&mut self, source: &mut Source<'_>) -> Option<Option<Device>> {
        Some(match source.small::<usize>()? {
            0 => None,
            1 => {
                let device = Device { major: source.small()?, minor: source.small()? };
                self.devices.push(device);
                Some(device)
            }
            number => Some(*self.devices.get(number - 2)?),
        })
    }
}

fn operation(source: &mut Source<'_>) -> Option<BlockOperation> {
    let direction = *DIRECTIONS.get(usize::from(source.byte()?))?;
    let bits = source.byte()?;
    let has = |place: u8| bits >> place & 1 != 0;
    let flags =
        Flags { preflush: has(0), fua: has(1), ahead: has(2), sync: has(3), meta: has(4), atomic: has(5) };
    Some(BlockOperation { direction, flags })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_bytes_end(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            let length = bytes.len();
            let mut decoder = Decoder::new(bytes);
            let records = std::iter::from_fn(|| decoder.record()).count();
            prop_assert!(records <= length, "{records} of {length} bytes");
        }
    }
}
