//! What clients of a database wait for most, where nothing takes half of their time: two things at once may hold them back.

use model::Finding;
use model::finding::Evidence;
use model::run::CaseResult;

use super::{is_one, locks, log, reads, round_trip};
use crate::Context;
use crate::bottleneck::{Candidate, Verdict};

/// From this share of the time on a wait is told.
const FELT: f64 = 0.25;

/// That wait, as its own rule says it.
pub(in crate::bottleneck) fn told(
    named: &Finding,
    case: &CaseResult,
    context: &Context<'_>,
) -> Option<Evidence> {
    if named.code != "cannot-tell" || !is_one(case) {
        return None;
    }
    let looks: [Candidate; 4] = [locks::examine, log::examine, reads::examine, round_trip::examine];
    let waits = looks.into_iter().filter_map(|look| match look(case, context) {
        Verdict::Free(evidence) => Some((evidence.args.get("share")?.number()?, evidence)),
        _ => None,
    });
    let (share, most) = waits.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (share >= FELT).then_some(most)
}
