//! What is said of events that belong together: what was on its way, when, and how long.

use super::device::{DeviceState, SharedState};
use super::device_table::DeviceTable;
use super::losses::LossRecorder;
use super::processes::ThreadRecorder;
use super::syncs::{RecentCompletions, SyncCall, SyncRecorder};
use crate::event::{BlockEvent, TraceRecord};

/// The half of an analysis that holds events against earlier ones. It needs nothing of the other
/// half.
#[derive(Clone, Debug)]
pub(super) struct MatchedEvents {
    start_ns: u64,
    /// The time of the latest record, which never goes back.
    now_ns: u64,
    pub(super) devices: DeviceTable<DeviceState>,
    pub(super) shared: SharedState,
    pub(super) syncs: SyncRecorder,
}

impl MatchedEvents {
    /// Of a trace whose first record is of `start_ns`.
    pub(super) fn new(start_ns: u64) -> Self {
        Self {
            start_ns,
            now_ns: start_ns,
            devices: DeviceTable::new(),
            shared: SharedState {
                threads: ThreadRecorder::new(start_ns),
                recent: RecentCompletions::default(),
                losses: LossRecorder::default(),
            },
            syncs: SyncRecorder::new(),
        }
    }

    /// Takes the next records.
    pub(super) fn take_all(&mut self, records: &[TraceRecord]) {
        records.iter().for_each(|record| self.take(record));
    }

    /// Takes the next record.
    pub(super) fn take(&mut self, record: &TraceRecord) {
        self.now_ns = self.now_ns.max(record.time_ns());
        let now = self.now_ns;
        match record {
            TraceRecord::Block(event) => self.block(event, now),
            TraceRecord::Lost { cpu, events, .. } => self.shared.losses.take(now, *cpu, *events),
            TraceRecord::Synced { began_ns, ended_ns, thread, task, call: name, result } => {
                let call = SyncCall {
                    began_ns: *began_ns,
                    ended_ns: *ended_ns,
                    thread: *thread,
                    task: *task,
                    call: name,
                    result: *result,
                };
                self.syncs.take(call, &self.shared.recent, self.start_ns);
            }
            TraceRecord::Dirtied { .. } => {}
        }
    }

    fn block(&mut self, event: &BlockEvent, now: u64) {
        let Some(device) = event.device else { return };
        let start_ns = self.start_ns;
        if let Some(state) = self.devices.entry(device, || DeviceState::new(start_ns, now)) {
            state.take(event, now, &mut self.shared);
        }
    }
}
