//! The rounds of a trial: clients commit, the database is killed at a random moment, it recovers, and what is there is
//! compared with what was acknowledged. They run in a thread of their own, since each waits for long, and since what
//! that thread starts dies with it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use engine::fault::Fault;
use engine::lock;
use engine::queue::{Completion, Operation, Queue, Wait};
use model::{FactName, Value};

use crate::workload::db::durability::ledger::{AcknowledgedRows, CommitLedger, RoundNumbers, RoundOutcome};
use crate::workload::disk::distribution::random;

/// How long a round is waited for before the engine looks around.
const LOOK: Duration = Duration::from_millis(20);

/// The earliest moment of a kill, as a share of the latest.
const EARLIEST: f64 = 0.1;

/// What all rounds of a trial came to, as facts of the trial; metrics are made from them.
pub(super) const KILLS: FactName = FactName::new("process_kills");
pub(super) const ACKNOWLEDGED: FactName = FactName::new("commits_acknowledged");
pub(super) const LOST: FactName = FactName::new("commits_lost");
pub(super) const UNACKNOWLEDGED: FactName = FactName::new("commits_unacknowledged");
pub(super) const COMMITTING: FactName = FactName::new("seconds_committing");
pub(super) const RECOVERING: FactName = FactName::new("seconds_recovering");

/// Whether a trial goes on.
#[derive(Clone, Debug, Default)]
pub(super) struct TrialLife(Arc<AtomicBool>);

impl TrialLife {
    /// Whether it does.
    pub(super) fn goes_on(&self) -> bool {
        !self.0.load(Ordering::Relaxed)
    }

    fn end(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A round: the rows that are made, and how long after the first of them the database is killed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Round {
    pub(super) numbers: RoundNumbers,
    pub(super) kill_after: Duration,
}

/// A database that is killed.
pub(super) trait CrashTarget: Send {
    /// Has clients commit rows, and kills the process that does the work.
    ///
    /// # Errors
    /// If it ended before it was killed, or refused a row.
    fn commit_until_killed(&mut self, round: Round, life: &TrialLife) -> Result<AcknowledgedRows, Fault>;

    /// Brings it up again; how long that took until it gave an answer.
    ///
    /// # Errors
    /// If it does not come up.
    fn recover(&mut self, life: &TrialLife) -> Result<Duration, Fault>;

    /// The numbers of all rows that are there.
    ///
    /// # Errors
    /// If they cannot be read.
    fn rows(&mut self) -> Result<Vec<u64>, Fault>;
}

/// What is asked of the thread: the seed of the trial, and the number of the round.
type RoundOrder = (u64, u64);

/// The rounds of a trial, in their thread. Dropping this ends them.
#[derive(Debug)]
pub(super) struct RoundThread {
    /// For the one worker, once.
    ends: Mutex<Option<RoundEnds>>,
    life: TrialLife,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct RoundEnds {
    orders: Sender<RoundOrder>,
    outcomes: Receiver<Result<RoundOutcome, Fault>>,
}

impl RoundThread {
    /// Starts it for `target`, on which `clients` commit; a kill comes within `within`.
    ///
    /// # Errors
    /// If there is no thread to be had.
    pub(super) fn start(target: Box<dyn CrashTarget>, clients: u64, within: Duration) -> Result<Self, Fault> {
        let (orders, asked) = channel();
        let (told, outcomes) = channel();
        let life = TrialLife::default();
        let own = life.clone();
        let thread = std::thread::Builder::new()
            .name("rounds".to_owned())
            .spawn(move || run(target, (clients, within), &asked, &told, &own))
            .map_err(|e| Fault::system("starting a thread", e))?;
        Ok(Self { ends: Mutex::new(Some(RoundEnds { orders, outcomes })), life, thread: Some(thread) })
    }

    /// What the one worker drives: `rounds` of them.
    ///
    /// # Errors
    /// If it was asked for before.
    pub(super) fn queue(&self, seed: u64, rounds: u64) -> Result<RoundQueue, Fault> {
        let ends = lock(&self.ends).take();
        let ends = ends.ok_or_else(|| Fault::Other("one worker drives the rounds, once".to_owned()))?;
        Ok(RoundQueue { ends, seed, rounds, slot: None, totals: Totals::default() })
    }
}

impl Drop for RoundThread {
    fn drop(&mut self) {
        self.life.end();
        drop(lock(&self.ends).take());
        if let Some(thread) = self.thread.take() {
            // What it panicked with was told as the end of its outcomes.
            let _ = thread.join();
        }
    }
}

/// Does the rounds that are asked for, until one fails.
fn run(
    mut target: Box<dyn CrashTarget>,
    (clients, within): (u64, Duration),
    asked: &Receiver<RoundOrder>,
    told: &Sender<Result<RoundOutcome, Fault>>,
    life: &TrialLife,
) {
    let mut ledger = CommitLedger::default();
    for (seed, index) in asked {
        let kill_after = within.mul_f64(moment(seed, index));
        let round = Round { numbers: ledger.numbers(clients), kill_after };
        let outcome = one_round(&mut *target, round, &mut ledger, life);
        let is_over = outcome.is_err();
        if told.send(outcome).is_err() || is_over {
            return;
        }
    }
}

/// The moment of a kill, as a share of the latest: uniform from [`EARLIEST`] on.
fn moment(seed: u64, index: u64) -> f64 {
    // The upper 53 bits are what a float can say.
    let share = (random(seed, index) >> 11) as f64 / (1u64 << 53) as f64;
    EARLIEST + share * (1.0 - EARLIEST)
}

fn one_round(
    target: &mut dyn CrashTarget,
    round: Round,
    ledger: &mut CommitLedger,
    life: &TrialLife,
) -> Result<RoundOutcome, Fault> {
    let told = target.commit_until_killed(round, life)?;
    let recovery = target.recover(life)?;
    let outcome = ledger.compare(round.numbers, &told.numbers, &target.rows()?)?;
    Ok(RoundOutcome { committing: told.time, recovery, ..outcome })
}

/// The sums of all rounds.
#[derive(Clone, Copy, Debug, Default)]
struct Totals {
    rounds: u64,
    of: RoundOutcome,
}

impl Totals {
    fn add(&mut self, other: RoundOutcome) {
        self.rounds += 1;
        self.of.acknowledged += other.acknowledged;
        self.of.lost += other.lost;
        self.of.unacknowledged += other.unacknowledged;
        self.of.committing += other.committing;
        self.of.recovery += other.recovery;
    }
}

/// The rounds, as operations of a load: one at a time.
#[derive(Debug)]
pub(super) struct RoundQueue {
    ends: RoundEnds,
    seed: u64,
    rounds: u64,
    /// Of the round that is under way.
    slot: Option<usize>,
    totals: Totals,
}

impl Queue for RoundQueue {
    fn start(&mut self, slot: usize, operation: Operation) -> Result<(), Fault> {
        self.slot = Some(slot);
        let order = (self.seed, operation.sequence);
        self.ends.orders.send(order).map_err(|_| Fault::Other("the rounds have ended".to_owned()))
    }

    fn reap(&mut self, _wait: Wait, done: &mut Vec<Completion>) -> Result<(), Fault> {
        match self.ends.outcomes.recv_timeout(LOOK) {
            Ok(outcome) => {
                self.totals.add(outcome?);
                done.extend(self.slot.take().map(|slot| Completion { slot, ..Completion::default() }));
                Ok(())
            }
            // The engine tells that it is alive, and asks again.
            Err(RecvTimeoutError::Timeout) => Ok(()),
            Err(RecvTimeoutError::Disconnected) => {
                Err(Fault::Panic("the thread that kills the database ended".to_owned()))
            }
        }
    }

    fn operations_to_end(&self) -> Option<u64> {
        Some(self.rounds)
    }

    fn facts(&self) -> Vec<(FactName, Value)> {
        let Totals { rounds, of } = self.totals;
        let seconds = |time: Duration| Value::Number(time.as_secs_f64());
        vec![
            (KILLS, Value::Integer(rounds)),
            (ACKNOWLEDGED, Value::Integer(of.acknowledged)),
            (LOST, Value::Integer(of.lost)),
            (UNACKNOWLEDGED, Value::Integer(of.unacknowledged)),
            (COMMITTING, seconds(of.committing)),
            (RECOVERING, seconds(of.recovery)),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A database that loses its last row at each kill, or ends by itself.
    struct Forgetful {
        rows: Vec<u64>,
        ends_at: usize,
    }

    impl CrashTarget for Forgetful {
        fn commit_until_killed(
            &mut self,
            round: Round,
            _life: &TrialLife,
        ) -> Result<AcknowledgedRows, Fault> {
            if self.rows.len() >= self.ends_at {
                return Err(Fault::Other("it ended by itself".to_owned()));
            }
            let numbers: Vec<u64> = (0..3).map(|row| round.numbers.first + row).collect();
            self.rows.extend(&numbers);
            Ok(AcknowledgedRows { numbers, time: round.kill_after })
        }

        fn recover(&mut self, _life: &TrialLife) -> Result<Duration, Fault> {
            self.rows.pop();
            Ok(Duration::from_millis(5))
        }

        fn rows(&mut self) -> Result<Vec<u64>, Fault> {
            Ok(self.rows.clone())
        }
    }

    fn thread(ends_at: usize) -> RoundThread {
        let target = Box::new(Forgetful { rows: Vec::new(), ends_at });
        RoundThread::start(target, 1, Duration::from_secs(1)).unwrap()
    }

    /// Does one round; whether it ended well.
    fn round(queue: &mut RoundQueue, sequence: u64) -> Result<usize, String> {
        queue.start(7, Operation { index: sequence, sequence }).map_err(|fault| fault.to_string())?;
        let mut done = Vec::new();
        while done.is_empty() {
            queue.reap(Wait::One, &mut done).map_err(|fault| fault.to_string())?;
        }
        Ok(done[0].slot)
    }

    #[test]
    fn rounds_add_up_and_what_fails_ends_them() {
        let thread = thread(4);
        let mut queue = thread.queue(1, 5).unwrap();
        assert!(thread.queue(1, 5).is_err(), "there is one worker");
        assert_eq!(queue.operations_to_end(), Some(5));
        assert_eq!((round(&mut queue, 0), round(&mut queue, 1)), (Ok(7), Ok(7)));
        let facts: Vec<_> = queue.facts().into_iter().map(|(_, value)| value).collect();
        assert_eq!(facts[..4], [2, 6, 2, 0].map(Value::Integer));
        assert_eq!(facts[5], Value::Number(0.01));
        assert_eq!(round(&mut queue, 2), Err("it ended by itself".to_owned()));
        assert!(round(&mut queue, 3).is_err());
    }

    #[test]
    fn kills_come_at_random_moments_by_the_seed() {
        let moments: Vec<f64> = (0..1000).map(|index| moment(3, index)).collect();
        assert!(moments.iter().all(|share| (EARLIEST..1.0).contains(share)));
        assert_eq!(moments[5], moment(3, 5));
        assert_ne!(moments[5], moment(4, 5));
        let mean = moments.iter().sum::<f64>() / 1000.0;
        assert!((0.52..0.58).contains(&mean), "{mean}");
    }
}
