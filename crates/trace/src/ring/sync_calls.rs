//! System calls that wait for data to be on the medium: the begin and the end of each, which
//! may be on two CPUs, become one record.

use std::collections::HashMap;

use crate::event::{TaskName, TraceRecord};

/// How many threads may be in such a call at once; the call of one more is not seen.
const THREADS_MAX: usize = 1 << 16;

/// The calls that began and did not end yet.
#[derive(Debug, Default)]
pub(super) struct SyncCalls(HashMap<u32, (u64, &'static str)>);

impl SyncCalls {
    /// That `thread` began a call.
    pub(super) fn began(&mut self, time_ns: u64, thread: u32, call: &'static str) {
        if self.0.len() < THREADS_MAX || self.0.contains_key(&thread) {
            self.0.insert(thread, (time_ns, call));
        }
    }

    /// That a call of `thread` ended. Nothing where its begin was not seen: it was before the
    /// trace, or lost.
    pub(super) fn ended(&mut self, end: CallEnd) -> Option<TraceRecord> {
        let (began_ns, call) = self.0.remove(&end.thread)?;
        let CallEnd { time_ns: ended_ns, thread, task, result, .. } = end;
        (call == end.call).then_some(TraceRecord::Synced { began_ns, ended_ns, thread, task, call, result })
    }

    /// How many did not end.
    pub(super) fn unfinished(&self) -> u64 {
        self.0.len() as u64
    }
}

/// The end of a call.
#[derive(Clone, Copy, Debug)]
pub(super) struct CallEnd {
    pub(super) time_ns: u64,
    pub(super) thread: u32,
    pub(super) task: TaskName,
    pub(super) call: &'static str,
    pub(super) result: i64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_told_when_both_its_ends_were_seen() {
        let mut calls = SyncCalls::default();
        let end = CallEnd { time_ns: 9, thread: 7, task: TaskName::default(), call: "fsync", result: -5 };
        assert_eq!(calls.ended(end), None);
        calls.began(3, 7, "fsync");
        calls.began(4, 8, "sync");
        let synced = calls.ended(end).unwrap();
        assert!(matches!(
            synced,
            TraceRecord::Synced { began_ns: 3, ended_ns: 9, call: "fsync", result: -5, .. }
        ));
        // The end of one and the begin of the next were lost.
        assert_eq!(calls.ended(CallEnd { thread: 8, ..end }), None);
        calls.began(5, 7, "fsync");
        assert_eq!(calls.unfinished(), 1);
    }
}
