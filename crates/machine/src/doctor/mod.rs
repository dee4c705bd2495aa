//! What could disturb a measurement now. A check is one file and one line in
//! [`CHECKS`]; each says what it saw, how bad it is and what to do.

mod memory;

use model::machine::Inventory;
use model::{Finding, FindingKind, Severity};

use crate::Host;

/// What checks may look at.
#[derive(Clone, Copy, Debug)]
pub struct Patient<'a> {
    /// The machine.
    pub host: &'a Host,
    /// What it is made of, just read.
    pub inventory: &'a Inventory,
}

/// One check.
pub struct Check {
    /// The code of its findings.
    pub code: &'static str,
    /// What it looks at, in a sentence.
    pub doc: &'static str,
    /// What it finds.
    pub look: fn(&Patient<'_>) -> Vec<Finding>,
}

/// Every check, the gravest first.
pub const CHECKS: &[Check] = &[memory::CHECK];

/// All checks.
#[must_use]
pub fn look(host: &Host, inventory: &Inventory) -> Vec<Finding> {
    let patient = Patient { host, inventory };
    CHECKS.iter().flat_map(|check| (check.look)(&patient)).collect()
}

/// A finding of a check.
fn condition(code: &str, severity: Severity, text: impl Into<String>) -> Finding {
    Finding::new(FindingKind::Condition, code, severity, text)
}
