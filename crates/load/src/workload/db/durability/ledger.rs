//! What clients were told against what is there: each row has a number, each client its own, in order, so that of every
//! row it is known who made it, whether that was acknowledged, and whether it may be there.

use std::collections::HashSet;
use std::time::Duration;

use engine::fault::Fault;

/// The rows of a round: number `first + sequence * clients + client` is the row that `client` made after `sequence`
/// others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RoundNumbers {
    pub(super) first: u64,
    pub(super) clients: u64,
}

impl RoundNumbers {
    /// The client that makes the row of this number.
    fn client(self, number: u64) -> u64 {
        number.saturating_sub(self.first) % self.clients.max(1)
    }
}

/// What clients did until the database was killed.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct AcknowledgedRows {
    /// The numbers of the rows whose commit was acknowledged.
    pub(super) numbers: Vec<u64>,
    /// How long it took from the first of them to the kill.
    pub(super) time: Duration,
}

/// What one kill came to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct RoundOutcome {
    /// Rows whose commit was acknowledged.
    pub(super) acknowledged: u64,
    /// Those of this round and of earlier ones that were there before, or acknowledged, and are gone.
    pub(super) lost: u64,
    /// Rows that are there though nobody was told so: their answers were on the way.
    pub(super) unacknowledged: u64,
    /// From the first acknowledged commit to the kill.
    pub(super) committing: Duration,
    /// From the restart to the first answer.
    pub(super) recovery: Duration,
}

/// The rows of all rounds so far.
#[derive(Debug, Default)]
pub(super) struct CommitLedger {
    /// Acknowledged, and there when it was looked last.
    standing: HashSet<u64>,
    /// There, and not acknowledged.
    unacknowledged: HashSet<u64>,
    /// No row has this number or a greater one.
    next: u64,
}

impl CommitLedger {
    /// The numbers of the next round.
    pub(super) fn numbers(&self, clients: u64) -> RoundNumbers {
        RoundNumbers { first: self.next, clients }
    }

    /// Compares what was told in a round with the rows that are there after it. Times are left at 0.
    ///
    /// # Errors
    /// If a row is there that nobody can have made.
    pub(super) fn compare(
        &mut self,
        round: RoundNumbers,
        told: &[u64],
        present: &[u64],
    ) -> Result<RoundOutcome, Fault> {
        let there: HashSet<u64> = present.iter().copied().collect();
        // The one that each client made last, of which nobody knows whether it was committed.
        let mut under_way: Vec<u64> = (0..round.clients).map(|client| round.first + client).collect();
        for number in told {
            let client = usize::try_from(round.client(*number)).unwrap_or(usize::MAX);
            if let Some(next) = under_way.get_mut(client) {
                *next = (*next).max(number.saturating_add(round.clients));
            }
        }
        self.next = under_way.iter().copied().max().unwrap_or(round.first).saturating_add(round.clients);
        self.standing.extend(told);
        let strangers = there.iter().copied().filter(|number| {
            !self.standing.contains(number)
                && !self.unacknowledged.contains(number)
                && !under_way.contains(number)
        });
        if let Some(stranger) = strangers.min() {
            return Err(Fault::Verification(format!("row {stranger} is there, which nobody made")));
        }
        let of_round: Vec<u64> = under_way.iter().copied().filter(|number| there.contains(number)).collect();
        self.unacknowledged.extend(&of_round);
        let before = self.standing.len();
        self.standing.retain(|number| there.contains(number));
        Ok(RoundOutcome {
            acknowledged: told.len() as u64,
            lost: (before - self.standing.len()) as u64,
            unacknowledged: of_round.len() as u64,
            ..RoundOutcome::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(outcome: &RoundOutcome) -> (u64, u64, u64) {
        (outcome.acknowledged, outcome.lost, outcome.unacknowledged)
    }

    #[test]
    fn rows_that_were_told_and_are_gone_are_lost() {
        let mut ledger = CommitLedger::default();
        let round = ledger.numbers(2);
        assert_eq!(round, RoundNumbers { first: 0, clients: 2 });
        // Client 0 was told of 0, 2 and 4, client 1 of 1; its row 3 was on the way.
        let told = [0, 1, 2, 4];
        let outcome = ledger.compare(round, &told, &[0, 1, 2, 3]).unwrap();
        assert_eq!(counts(&outcome), (4, 1, 1));
        // The next round has numbers that nobody had; what was there before must still be.
        let round = ledger.numbers(2);
        assert_eq!(round.first, 8);
        let outcome = ledger.compare(round, &[8, 9], &[0, 1, 3, 8, 9]).unwrap();
        assert_eq!(counts(&outcome), (2, 1, 0));
        // What was lost once is not lost again.
        let round = ledger.numbers(2);
        let outcome = ledger.compare(round, &[], &[0, 1, 3, 8, 9]).unwrap();
        assert_eq!(counts(&outcome), (0, 0, 0));
    }

    #[test]
    fn a_row_that_nobody_made_is_wrong() {
        let mut ledger = CommitLedger::default();
        let round = ledger.numbers(2);
        let wrong = ledger.compare(round, &[0], &[0, 4]).unwrap_err();
        assert_eq!(wrong.to_string(), "verification failed: row 4 is there, which nobody made");
        // Its second row may be there, as it may have been on the way.
        let mut ledger = CommitLedger::default();
        assert_eq!(counts(&ledger.compare(round, &[0], &[0, 2]).unwrap()), (1, 0, 1));
    }

    #[test]
    fn a_row_that_comes_back_was_not_there() {
        let mut ledger = CommitLedger::default();
        let round = ledger.numbers(1);
        assert_eq!(counts(&ledger.compare(round, &[0, 1], &[0]).unwrap()), (2, 1, 0));
        let round = ledger.numbers(1);
        let wrong = ledger.compare(round, &[], &[0, 1]).unwrap_err();
        assert!(wrong.to_string().contains("row 1 is there"), "{wrong}");
    }
}
