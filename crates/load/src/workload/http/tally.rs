//! What a worker saw of answers and connections beside their times.

use std::collections::{BTreeMap, VecDeque};
use std::os::fd::{AsFd, OwnedFd};

use model::{FactName, Value};
use rustix::event::epoll;

use crate::workload::http::handshakes::Handshakes;
use crate::workload::http::stream::Stream;

/// Connections that were closed here are kept until so many came after them: by then the server
/// has closed them too, and its end is the one that keeps them in TIME_WAIT.
pub(in crate::workload) const PARTING: usize = 64;

/// Counts of one worker, or of several together, over a whole trial.
#[derive(Debug, Default)]
pub(in crate::workload) struct Tally {
    /// Answers by their status.
    statuses: BTreeMap<u16, u64>,
    /// Those of the status that came last.
    last: (u16, u64),
    /// Answers that ended early.
    early: u64,
    /// Connections that were begun.
    pub(in crate::workload) connections: u64,
    pub(in crate::workload) handshakes: Handshakes,
    parting: VecDeque<Stream>,
}

impl Tally {
    /// Counts an answer.
    #[inline]
    pub(in crate::workload) fn count(&mut self, status: u16, is_whole: bool) {
        if !is_whole {
            self.early += 1;
            return;
        }
        if self.last.0 != status {
            self.settle();
            self.last = (status, 0);
        }
        self.last.1 += 1;
    }

    fn settle(&mut self) {
        let (status, count) = std::mem::take(&mut self.last);
        if count > 0 {
            *self.statuses.entry(status).or_default() += count;
        }
    }

    /// Lets a connection go that has answered.
    pub(in crate::workload) fn part(&mut self, stream: Stream, epoll: &OwnedFd) {
        // One that cannot be taken out ends at once.
        if epoll::delete(epoll, stream.as_fd()).is_ok() {
            self.parting.push_back(stream);
        }
        if self.parting.len() > PARTING {
            self.parting.pop_front();
        }
    }

    /// Adds what another worker saw.
    pub(in crate::workload) fn add(&mut self, mut other: Self) {
        other.settle();
        for (status, count) in other.statuses {
            *self.statuses.entry(status).or_default() += count;
        }
        self.early += other.early;
        self.connections += other.connections;
        self.handshakes.add(other.handshakes);
    }

    /// Whether there were answers, and none of success.
    pub(in crate::workload) fn has_only_errors(&self) -> bool {
        let is_success = |(status, count): (u16, u64)| count > 0 && (200..300).contains(&status);
        let mut all = self.statuses.iter().map(|(status, count)| (*status, *count)).chain([self.last]);
        let counted = self.statuses.values().sum::<u64>() + self.last.1 + self.early;
        counted > 0 && !all.any(is_success)
    }

    /// How many answers there were of each kind.
    pub(in crate::workload) fn answers(&self) -> String {
        let each = self.statuses.iter().map(|(status, count)| format!("{status}: {count}"));
        let early = (self.early > 0).then(|| format!("ended early: {}", self.early));
        let all: Vec<String> = each.chain(early).collect();
        all.join(", ")
    }

    /// What is told of it.
    pub(in crate::workload) fn facts(&self) -> Vec<(FactName, Value)> {
        let counts = [
            (FactName::new("answers"), Value::Text(self.answers())),
            (FactName::new("connections_made"), Value::Integer(self.connections)),
        ];
        counts.into_iter().chain(self.handshakes.fact()).collect()
    }
}
