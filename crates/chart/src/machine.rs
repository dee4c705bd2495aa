//! The picture of a machine.

use model::Machine;
use model::run::CaseResult;

/// Draws `machine`; with `case`, the resources of its path coloured by their
/// share of their limit.
#[must_use]
pub fn svg(_machine: &Machine, _case: Option<&CaseResult>) -> String {
    String::new()
}
