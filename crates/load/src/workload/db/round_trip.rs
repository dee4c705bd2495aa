//! How much of the latency is the way to the server: each statement is sent when the one before it was answered, so
//! that a transaction takes as many round trips as it has statements.

use engine::outcome::LoadOutcome;
use model::{FactName, Value};

use crate::workload::db::metrics::FIRST_STATEMENT;

/// How long a statement takes that asks for nothing, s: the fact that [`super::remote`] finds before each trial.
const ROUND_TRIP: FactName = FactName::new("database_round_trip");

/// The share of the transactions' time that so many round trips take.
const ROUND_TRIP_SHARE: FactName = FactName::new("database_round_trip_share");

/// That share in `outcome`, by what is `known` of the server, of a load whose first `classes` classes are of
/// transactions as such and of statements.
pub(in crate::workload) fn share(
    known: &[(FactName, Value)],
    outcome: &LoadOutcome,
    classes: usize,
) -> Option<(FactName, Value)> {
    let (_, trip) = known.iter().find(|(name, _)| *name == ROUND_TRIP)?;
    let statements = outcome.classes.iter().take(classes).skip(usize::from(FIRST_STATEMENT));
    let trips: f64 = statements.map(|class| class.operations).sum();
    let whole_s = outcome.operations * outcome.latency.mean() / 1e9;
    Some((ROUND_TRIP_SHARE, Value::Number(of(trip.number()?, trips, whole_s)?)))
}

/// The share of `whole_s` that `trips` of `trip_s` each take: all of it at most, since one that is timed alone may take
/// longer than one among many.
fn of(trip_s: f64, trips: f64, whole_s: f64) -> Option<f64> {
    (whole_s > 0.0 && trips > 0.0).then(|| (trips * trip_s / whole_s).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_is_that_of_as_many_round_trips_as_there_are_statements() {
        // 20 statements in each of 100 transactions of 4 ms, 100 us away.
        assert_eq!(of(100e-6, 2000.0, 0.4), Some(0.5));
        assert_eq!(of(1.0, 2000.0, 0.4), Some(1.0));
        assert_eq!((of(100e-6, 0.0, 0.4), of(100e-6, 1.0, 0.0)), (None, None));
    }
}
