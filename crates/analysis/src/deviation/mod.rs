//! How far a result is from a promise: one file a rule.

pub(crate) mod promise;

use model::Unit;

/// A figure as a person reads it.
fn shown(value: f64, unit: Unit) -> String {
    match unit {
        Unit::Seconds => crate::words::seconds(value),
        Unit::BytesPerSecond => crate::words::bytes_per_second(value),
        Unit::PerSecond => format!("{value:.0}/s"),
        other => format!("{value:.3} {}", other.symbol()),
    }
}
