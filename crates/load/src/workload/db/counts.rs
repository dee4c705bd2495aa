//! What clients count beside the times of their operations, and how transactions failed.

use std::collections::BTreeMap;
use std::sync::Mutex;

use engine::{Fault, lock};
use model::database::metric as names;
use model::trial::Window;
use model::{FactName, MetricName, Quantity, Unit, Value};

use crate::workload::db::client::{PageLookups, StatementFailure};
use crate::workload::db::counters::BUFFER_HIT_SHARE;
use crate::workload::db::metrics;
use crate::workload::net::worker_samples::{SampleCollector, Timed, WorkerSamples};

/// So many different reasons are kept; the rest are counted together.
const REASONS_MOST: usize = 16;

/// What one client has counted until a moment.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::workload) struct ClientCounts {
    /// When it was looked, ns.
    pub(in crate::workload) at_ns: u64,
    /// Rows that statements gave or changed.
    pub(in crate::workload) rows: u64,
    /// Transactions that were rolled back and begun again.
    pub(in crate::workload) retries: u64,
    /// Waits for locks, where that is known.
    pub(in crate::workload) lock_waits: Option<u64>,
    /// How long they were, ns, where that is known.
    pub(in crate::workload) lock_wait_ns: Option<u64>,
    /// How long statements took that commit, without those waits, ns, where that is known.
    pub(in crate::workload) commit_ns: Option<u64>,
    /// Pages that were looked for in its own cache, where that is known.
    pub(in crate::workload) pages: Option<PageLookups>,
}

impl Timed for ClientCounts {
    fn at_ns(&self) -> u64 {
        self.at_ns
    }
}

/// How the transactions of a client ended, over a whole trial.
#[derive(Debug, Default)]
pub(in crate::workload) struct TransactionCounts {
    pub(in crate::workload) committed: u64,
    pub(in crate::workload) failed: u64,
    pub(in crate::workload) retries: u64,
    /// Why they failed, or were begun again, and how often.
    reasons: BTreeMap<String, u64>,
    /// Why the last failed.
    last: Option<String>,
}

impl TransactionCounts {
    /// Counts a failure of a transaction that is begun again.
    #[cold]
    pub(in crate::workload) fn retry(&mut self, failure: StatementFailure) {
        self.retries += 1;
        self.count(failure.message, 1);
    }

    /// Counts a transaction that failed.
    #[cold]
    pub(in crate::workload) fn fail(&mut self, failure: StatementFailure) {
        self.failed += 1;
        self.last = Some(failure.message.clone());
        self.count(failure.message, 1);
    }

    fn count(&mut self, reason: String, times: u64) {
        let is_known = self.reasons.contains_key(&reason);
        let is_kept = is_known || self.reasons.len() < REASONS_MOST;
        let reason = if is_kept { reason } else { "other reasons".to_owned() };
        *self.reasons.entry(reason).or_default() += times;
    }

    fn add(&mut self, other: Self) {
        self.committed += other.committed;
        self.failed += other.failed;
        self.retries += other.retries;
        other.reasons.into_iter().for_each(|(reason, times)| self.count(reason, times));
        self.last = other.last.or(self.last.take());
    }
}

/// What all clients of a load saw, handed in as each ends.
#[derive(Debug, Default)]
pub(in crate::workload) struct AllCounts {
    samples: SampleCollector<ClientCounts>,
    transactions: Mutex<TransactionCounts>,
}

impl AllCounts {
    /// Takes what one client counted.
    pub(in crate::workload) fn hand_in(
        &self,
        track: &mut WorkerSamples<ClientCounts>,
        transactions: TransactionCounts,
    ) {
        self.samples.hand_in(track);
        lock(&self.transactions).add(transactions);
    }

    /// The metrics of `window` that follow from counts.
    pub(in crate::workload) fn metrics(&self, window: Window) -> BTreeMap<MetricName, Quantity> {
        let change = |of: fn(&ClientCounts) -> Option<u64>| {
            self.samples.change(window, |counts| of(counts).map(|count| count as f64))
        };
        let all = [
            (metrics::ROWS, change(|counts| Some(counts.rows))),
            (metrics::RETRIES, change(|counts| Some(counts.retries))),
            (metrics::LOCK_WAITS, change(|counts| counts.lock_waits)),
        ];
        let quantity = |(spec, change): (model::MetricSpec, Option<f64>)| {
            Some((spec.name, Quantity { value: change? / window.seconds(), unit: spec.unit }))
        };
        // So many seconds of all clients in each second are so many clients in the mean.
        let times = [
            (names::CLIENTS_WAITING_FOR_LOCKS, change(|counts| counts.lock_wait_ns)),
            (names::CLIENTS_COMMITTING, change(|counts| counts.commit_ns)),
        ];
        let clients = |(name, ns): (MetricName, Option<f64>)| {
            Some((name, Quantity { value: ns? / 1e9 / window.seconds(), unit: Unit::One }))
        };
        let hits = change(|counts| counts.pages.map(|pages| pages.hits));
        let misses = change(|counts| counts.pages.map(|pages| pages.misses));
        let looked_for = hits.zip(misses).filter(|(hits, misses)| hits + misses > 0.0);
        let cached = looked_for.map(|(hits, misses)| {
            let value = hits / (hits + misses);
            (BUFFER_HIT_SHARE.name, Quantity { value, unit: BUFFER_HIT_SHARE.unit })
        });
        let times = times.into_iter().filter_map(clients);
        all.into_iter().filter_map(quantity).chain(times).chain(cached).collect()
    }

    /// How many transactions ended well and otherwise, and why.
    pub(in crate::workload) fn facts(&self) -> Vec<(FactName, Value)> {
        let counts = lock(&self.transactions);
        let number = |name, count| (FactName::new(name), Value::Integer(count));
        let mut facts = vec![
            number("transactions_committed", counts.committed),
            number("transactions_failed", counts.failed),
            number("transactions_retried", counts.retries),
        ];
        if !counts.reasons.is_empty() {
            let reasons: Vec<_> =
                counts.reasons.iter().map(|(reason, times)| format!("{reason}: {times}")).collect();
            facts.push((FactName::new("transaction_errors"), Value::Text(reasons.join(", "))));
        }
        facts
    }

    /// Fails if there were transactions, and none ended well.
    pub(in crate::workload) fn verdict(&self) -> Result<(), Fault> {
        let counts = lock(&self.transactions);
        match &counts.last {
            Some(reason) if counts.committed == 0 => {
                Err(Fault::Other(format!("none of {} transactions succeeded: {reason}", counts.failed)))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::db::client::FailureKind;

    fn failure(message: &str) -> StatementFailure {
        StatementFailure { kind: FailureKind::Refused, message: message.to_owned() }
    }

    #[test]
    fn reasons_are_counted_and_bounded() {
        let all = AllCounts::default();
        let (mut one, mut other) = (TransactionCounts::default(), TransactionCounts::default());
        one.fail(failure("no such table"));
        for number in 0..40 {
            other.retry(failure(&format!("conflict {number}")));
        }
        all.hand_in(&mut WorkerSamples::default(), one);
        assert!(
            all.verdict()
                .unwrap_err()
                .to_string()
                .contains("none of 1 transactions succeeded: no such table")
        );
        other.committed = 2;
        all.hand_in(&mut WorkerSamples::default(), other);
        assert!(all.verdict().is_ok());
        let facts = all.facts();
        let text =
            facts.iter().find(|(name, _)| name.as_str() == "transaction_errors").unwrap().1.to_string();
        assert!(text.contains("no such table: 1") && text.contains("other reasons: "), "{text}");
        assert!(text.split(", ").count() <= REASONS_MOST + 1, "{text}");
    }

    #[test]
    fn counts_are_those_of_the_window() {
        let all = AllCounts::default();
        let mut track = WorkerSamples::default();
        for second in 0..4u64 {
            let (at_ns, rows) = (second * 1_000_000_000, second * 100);
            let (lock_wait_ns, commit_ns) = (Some(second * 500_000_000), None);
            track.put(ClientCounts {
                at_ns,
                rows,
                retries: second,
                lock_waits: None,
                lock_wait_ns,
                commit_ns,
                pages: Some(PageLookups { hits: second * 90, misses: second * 10 }),
            });
        }
        all.hand_in(&mut track, TransactionCounts::default());
        let found = all.metrics(Window { start_ns: 1_000_000_000, end_ns: 3_000_000_000 });
        assert_eq!(found[&metrics::ROWS.name].value, 100.0);
        assert_eq!(found[&metrics::RETRIES.name].value, 1.0);
        assert_eq!(found[&names::CLIENTS_WAITING_FOR_LOCKS].value, 0.5);
        assert_eq!(found[&BUFFER_HIT_SHARE.name].value, 0.9);
        for unknown in [metrics::LOCK_WAITS.name, names::CLIENTS_COMMITTING] {
            assert!(!found.contains_key(&unknown), "nobody knows of {unknown}");
        }
    }
}
