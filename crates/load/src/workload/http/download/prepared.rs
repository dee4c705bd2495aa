//! A download that is ready: what its streams fetch, and what is known of it.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use engine::fault::Fault;
use engine::outcome::LoadOutcome;
use engine::queue::Class;
use engine::schedule::WorkerIndex;
use engine::stop::StopRule;
use engine::{Prepared, Worker};
use model::{FactName, Value, fact};

use crate::workload::disk::residency;
use crate::workload::http::download::exchange::Exchange;
use crate::workload::http::download::fetching::{Fetch, Fetching};
use crate::workload::http::own_server::OwnServer;

/// What its operations are: those that wait for a head move nothing that counts.
const CLASSES: &[Class] = &[
    Class { name: "receive", counts: true, fails: false },
    Class { name: "first_byte", counts: false, fails: false },
];

/// By one protocol.
#[derive(Debug)]
pub(super) struct PreparedDownload<E: Exchange> {
    fetch: Arc<Fetch<E>>,
    known: Vec<(FactName, Value)>,
    /// Answers as long as this is there.
    _own: Option<OwnServer>,
}

impl<E: Exchange> PreparedDownload<E> {
    /// One of which so much is `known`; `own` is the server of this program, if it answers.
    pub(super) fn new(fetch: Fetch<E>, known: Vec<(FactName, Value)>, own: Option<OwnServer>) -> Self {
        Self { fetch: Arc::new(fetch), known, _own: own }
    }
}

impl<E: Exchange> Prepared for PreparedDownload<E> {
    fn classes(&self) -> &'static [Class] {
        CLASSES
    }

    /// A download has a beginning, which is part of it.
    fn counts_from_start(&self) -> bool {
        self.fetch.once
    }

    /// Each stream sees its own end.
    fn stop(&self, rule: StopRule) -> StopRule {
        if rule == StopRule::End { StopRule::Full } else { rule }
    }

    fn facts(&self) -> Vec<(FactName, Value)> {
        self.known.clone()
    }

    fn facts_after(&self, _outcome: &LoadOutcome) -> Vec<(FactName, Value)> {
        let files = self.fetch.files.lock().unwrap_or_else(PoisonError::into_inner);
        let all: u64 = files.iter().map(|(_, bytes)| bytes).sum();
        let of = |(file, bytes): &(_, u64)| Some(residency::cached_share(file, *bytes)? * *bytes as f64);
        let cached: Option<f64> = files.iter().filter(|(_, bytes)| *bytes > 0).map(of).sum();
        let share = cached.filter(|_| all > 0 && !self.fetch.sink.direct).map(|cached| cached / all as f64);
        let spent = self.fetch.spent.shares();
        let written = spent.and_then(|(_, written)| Some((fact::WRITE_SHARE, written?)));
        let connections = self.fetch.connections.load(Ordering::Relaxed);
        let mut facts = vec![(FactName::new("connections_made"), Value::Integer(connections))];
        let length = self.fetch.length.get().map(|bytes| Value::Integer(*bytes));
        facts.extend(length.map(|bytes| (FactName::new("content_length"), bytes)));
        if self.fetch.checksum.is_some() {
            let compared = self.fetch.compared.load(Ordering::Relaxed);
            facts.push((FactName::new("checksums_compared"), Value::Integer(compared)));
        }
        let shares = [
            share.map(|share| (fact::CACHED_SHARE_AFTER, share)),
            spent.map(|(waited, _)| (fact::SERVER_WAIT_SHARE, waited)),
            written,
        ];
        let rounded = |share: f64| Value::Number((share * 1000.0).round() / 1000.0);
        facts.extend(shares.into_iter().flatten().map(|(name, share)| (name, rounded(share))));
        facts
    }

    /// Each stream has compared what it fetched whole; a window may end before any was.
    fn verdict(&self) -> Result<(), Fault> {
        if self.fetch.checksum.is_none() || self.fetch.compared.load(Ordering::Relaxed) > 0 {
            return Ok(());
        }
        Err(Fault::Other(
            "the checksum was compared with nothing, because no download was completed: use until=end or a longer \
             duration"
                .to_owned(),
        ))
    }

    fn worker(&self, worker: WorkerIndex, _seed: u64) -> Result<Box<dyn Worker>, Fault> {
        Ok(Box::new(Fetching::new(Arc::clone(&self.fetch), worker.index)?))
    }
}
