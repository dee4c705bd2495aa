//! How many of the bytes written were on the device in the end.
//!
//! The page cache writes a block to the device once, however often it was
//! overwritten there before. So bytes written through it are bytes on the device
//! only as long as hardly any was overwritten. Where more was, nobody knows how
//! many there were, and nothing is claimed.

use engine::outcome::LoadOutcome;
use model::{FactName, Value};

use crate::workload::disk::distribution::Distribution;
use crate::workload::disk::pattern::Pattern;
use crate::workload::disk::plan::{DiskPlan, SyncRule};

/// The fact that tells why there is no rate until all was on the device: bytes
/// written over bytes of the span.
pub(super) const REWRITTEN: FactName = FactName::new("rewritten");

/// With random places up to this share of the span. Of `x` times the span that
/// is written at uniformly random places, a share of 1 - (1 - exp(-x)) / x is
/// overwritten: 4.8 % for a tenth.
const RANDOM_SHARE: f64 = 0.1;

/// Bytes written, of all that was moved.
pub(super) fn written(pattern: Pattern, outcome: &LoadOutcome) -> f64 {
    match (pattern.writes(), pattern.reads()) {
        (true, false) => outcome.bytes,
        (true, true) => outcome.classes.iter().find(|c| c.class.name == "write").map_or(0.0, |w| w.bytes),
        _ => 0.0,
    }
}

/// Bytes written that were all on the device when the load had settled, from its
/// first operation on, within 5 %: each write that went around the page cache or
/// was synced; of others one pass over the span, in order or with `once`, or a
/// tenth of it at random places. `None` where more may have been overwritten
/// before it came there.
pub(super) fn bytes(plan: &DiskPlan, outcome: &LoadOutcome) -> Option<f64> {
    let written = written(plan.pattern, outcome);
    if plan.is_direct() || matches!(plan.sync, SyncRule::Each | SyncRule::Every(_)) {
        return (written > 0.0).then_some(written * whole(outcome));
    }
    let span = span(plan)?;
    let all = whole(outcome);
    // Reads go on in the order of the writes: with them it may be a second pass.
    let one_pass =
        !plan.pattern.random || (plan.distribution == Distribution::Once && plan.blocks.len() == 1);
    let fits = if one_pass {
        outcome.bytes * all <= span && !outcome.facts.contains_key(&REWRITTEN)
    } else {
        plan.distribution == Distribution::Uniform && written * all <= span * RANDOM_SHARE
    };
    (fits && written > 0.0).then_some(written * all)
}

/// Why there is no such number, of a load that brought all to the device.
pub(super) fn rewritten(plan: &DiskPlan, outcome: &LoadOutcome) -> Option<(FactName, Value)> {
    let written = written(plan.pattern, outcome);
    if written <= 0.0 || bytes(plan, outcome).is_some() {
        return None;
    }
    let passes = written * whole(outcome) / span(plan)?;
    // Three digits, however small it is.
    let digits = 10f64.powi(2 - passes.log10().floor() as i32);
    Some((REWRITTEN, Value::Number((passes * digits).round() / digits)))
}

/// Bytes that are touched of all targets.
fn span(plan: &DiskPlan) -> Option<f64> {
    Some(plan.touched()? as f64 * plan.targets.len() as f64)
}

/// All that the load did over what counts of it: its front may have been cut off
/// as not yet steady, but it was written.
fn whole(outcome: &LoadOutcome) -> f64 {
    let (all, counted) = (outcome.done_bytes, outcome.bytes);
    if counted > 0.0 { (all / counted).max(1.0) } else { 1.0 }
}
