//! The highest rate of the main load that keeps to a latency
//! (`latency-target`): first what a closed loop reaches, then probes of rates
//! below it, then the window that counts at the rate found. Loads beside the
//! main one run in each of them.

use engine::Fault;
use engine::outcome::{LoadOutcome, SessionOutcome};
use engine::search::{Next, Probe, STEP_DOWN, Search, Target};
use load::workload::common::LoadSchedule;
use model::trial::TrialResult;
use model::{Quantity, Unit, Value, fact, metric};

/// The part of the window that a probe takes, unless that is too short to judge
/// its rate.
const PROBE: f64 = 0.25;

/// More operations than it takes to judge a rate: a slow start may be cut off.
const SPARE: f64 = 1.25;

/// How the main load is driven once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Drive {
    /// The rate of an open loop, 1/s; a closed loop without.
    pub(crate) rate: Option<f64>,
    /// How long, in seconds.
    pub(crate) window_s: f64,
    /// Which time it is, from 0.
    pub(crate) attempt: u64,
}

/// A rate that was found, and how.
#[derive(Debug)]
pub(crate) struct FoundRate {
    target: Target,
    search: Search,
    /// What a closed loop reached, 1/s.
    ceiling: f64,
    rate: f64,
    window_s: f64,
    attempt: u64,
    steps: u32,
}

/// Searches the rate that the main load asks for, if it asks for one; `probe` drives
/// it once.
///
/// # Errors
/// If no rate holds, or a probe fails.
pub(crate) fn search(
    main: &LoadSchedule,
    probe: &mut dyn FnMut(Drive) -> Result<SessionOutcome, Fault>,
) -> Result<Option<FoundRate>, Fault> {
    let Some(target) = main.latency_target else { return Ok(None) };
    let window_s = main.duration_s;
    let needed = target.operations() as f64 * SPARE;
    let mut attempt = 0;
    let mut drive = |rate: Option<f64>, window_s: f64| {
        let outcome = probe(Drive { rate, window_s, attempt });
        attempt += 1;
        outcome
    };
    let outcome = drive(None, window_s * PROBE)?;
    let ceiling = of_main(&outcome)?.operations / outcome.window.seconds();
    let mut search = Search::new(needed / window_s, ceiling);
    loop {
        match search.next() {
            Next::Try(rate) => {
                let outcome = drive(Some(rate), (window_s * PROBE).max(needed / rate))?;
                search.tell(judge(target, rate, of_main(&outcome)?));
            }
            Next::Found(rate) => {
                return Ok(Some(FoundRate { target, search, ceiling, rate, window_s, attempt, steps: 0 }));
            }
            Next::Nothing => return Err(none_held(target, window_s, ceiling, &search)),
        }
    }
}

pub(crate) fn of_main(outcome: &SessionOutcome) -> Result<&LoadOutcome, Fault> {
    outcome.loads.first().ok_or_else(|| Fault::Other("nothing was measured".to_owned()))
}

/// What came of a rate: operations that failed kept to no latency, however soon they did.
fn judge(target: Target, rate: f64, load: &LoadOutcome) -> Probe {
    let failed: u64 = load.classes.iter().filter(|c| c.class.fails).map(|c| c.latency.len()).sum();
    let well = load.latency.len();
    let share = if failed > 0 { well as f64 / (well + failed) as f64 } else { 1.0 };
    let kept = target.kept(&load.latency) * share;
    Probe { rate, kept, holds: well + failed >= target.operations() && kept >= target.share }
}

fn none_held(target: Target, window_s: f64, ceiling: f64, search: &Search) -> Fault {
    let percent = |share: f64| format!("{} %", (share * 1e4).round() / 100.0);
    let asked = format!("{} of the operations within {} ms", percent(target.share), target.latency_s * 1e3);
    let shown = |rate: f64| language::format::setting(rate, Unit::PerSecond);
    let lowest = target.operations() as f64 * SPARE / window_s;
    let (least, ceiling) = (shown(lowest), shown(ceiling));
    Fault::Other(match search.tried().last() {
        None => format!(
            "no rate can be judged by {asked}: that takes {least} in a window of {window_s} s, and a closed loop \
             reached {ceiling}; use a longer duration, or more threads or depth"
        ),
        // Probes held more, and the window that counts was tried again and again.
        Some(Probe { rate, kept, .. }) if rate / STEP_DOWN >= lowest => format!(
            "no rate kept {asked} in a whole window of {window_s} s, though higher ones did in shorter probes: at {}, the last \
             tried, {} did; what is driven does less as it goes on, or others disturb it. A longer duration makes the probes \
             longer",
            shown(*rate),
            percent(*kept)
        ),
        Some(Probe { rate, kept, .. }) => format!(
            "no rate kept {asked}: at {}, the lowest tried, {} did; a lower rate takes a longer duration to be \
             judged",
            shown(*rate),
            percent(*kept)
        ),
    })
}

impl FoundRate {
    /// How the main load is driven in the window that counts.
    pub(crate) fn drive(&self) -> Drive {
        Drive { rate: Some(self.rate), window_s: self.window_s, attempt: self.attempt }
    }

    /// Whether the rate held in the window that was to count. If not, the next
    /// one is lower.
    ///
    /// # Errors
    /// If that was done often enough.
    pub(crate) fn holds(&mut self, outcome: &SessionOutcome) -> Result<bool, Fault> {
        let main = of_main(outcome)?;
        let probe = judge(self.target, self.rate, main);
        if probe.holds {
            self.search.tell(probe);
            return Ok(true);
        }
        let done = main.operations / outcome.window.seconds();
        match self.search.lower(probe, done, self.steps) {
            Some(rate) => self.rate = rate,
            None => return Err(none_held(self.target, self.window_s, self.ceiling, &self.search)),
        }
        self.steps += 1;
        self.attempt += 1;
        Ok(false)
    }

    /// Puts what was found into the trial.
    pub(crate) fn tell(&self, result: &mut TrialResult) {
        let held = Quantity { value: self.rate, unit: Unit::PerSecond };
        result.main_mut().metrics.insert(metric::RATE_HELD, held);
        let list = |of: fn(&Probe) -> f64| {
            Value::List(self.search.tried().iter().map(|probe| Value::Number(of(probe))).collect())
        };
        let facts = [
            (fact::CLOSED_LOOP_RATE, Value::Number(self.ceiling.round())),
            (fact::RATES_TRIED, list(|probe| (probe.rate * 10.0).round() / 10.0)),
            (fact::SHARES_KEPT, list(|probe| (probe.kept * 1e5).round() / 1e5)),
        ];
        result.main_mut().facts.extend(facts);
    }
}

#[cfg(test)]
mod tests;
