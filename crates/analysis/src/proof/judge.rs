//! What perturbations together say of a verdict.

use model::ResourceKind;
use model::run::{ProofEffect, ProofOutcome, ProofStep};
use model::search::UnprovedReason;
use stats::response::Response;

/// One perturbation, and what its trials say.
#[derive(Clone, Debug)]
pub(super) struct Tried {
    pub(super) effect: ProofEffect,
    pub(super) response: Response,
    /// Whether so little was taken, or given, that it says nothing.
    pub(super) little: bool,
    /// Whether the load did its work in another way meanwhile.
    pub(super) otherwise: bool,
}

/// From this share on a result is a processor's. What it waits for adds up to all of its time, so no
/// more than the rest of that can be another resource's.
const WHOLE: f64 = 0.75;

/// Whether slices of processors that were taken moved the result in proportion.
fn is_processor_s(tried: &Tried) -> bool {
    let ProofEffect { resource, taken, effect, .. } = &tried.effect;
    let is_cpu = resource.as_ref().is_some_and(|r| r.kind() == ResourceKind::Cpu);
    is_cpu && taken.is_some_and(|taken| -effect >= WHOLE * taken)
}

/// From this share of idle time on CPUs hold nothing back. Slices of them may still delay a load that
/// waits: a thread that its device wakes finds its CPU taken, or the hypervisor's own work does.
const IDLE: f64 = 0.5;

/// Whether what was taken was of CPUs that had so much to spare.
pub(super) fn is_idle(effect: &ProofEffect) -> bool {
    effect.idle.is_some_and(|idle| idle >= IDLE)
}

/// What came of it, and why it is neither, where that is so.
pub(super) fn judge(tried: &[Tried]) -> (ProofOutcome, Option<UnprovedReason>) {
    use ProofOutcome::{Proved, Refuted};
    let of = |step: ProofStep| tried.iter().find(move |t| t.effect.step == step);
    let (other, relief) = (of(ProofStep::Other), of(ProofStep::Relief));
    let not = |why| (ProofOutcome::Unproved, Some(why));
    // A limit that is ours and was raised is the stronger proof.
    let raised = relief.filter(|t| t.effect.setting.is_some() && t.response != Response::Open);
    if let Some(raised) = raised {
        return (if raised.response == Response::Stays { Refuted } else { Proved }, None);
    }
    if let Some(named) = of(ProofStep::Named) {
        return match (named.response, other.map(|t| t.response)) {
            _ if named.little => not(UnprovedReason::Little),
            _ if is_idle(&named.effect) => (Refuted, None),
            _ if named.otherwise => not(UnprovedReason::Otherwise),
            (Response::Stays, _) => (Refuted, None),
            // What runs beside it takes processor time too; slices take nothing else.
            (_, Some(Response::Follows)) if other.is_some_and(is_processor_s) => (Refuted, None),
            (Response::Open, _) => not(UnprovedReason::Noisy),
            (Response::Exceeds, _) => not(UnprovedReason::Exceeds),
            (Response::Follows, None | Some(Response::Stays)) => (Proved, None),
            (Response::Follows, Some(Response::Open)) => not(UnprovedReason::Noisy),
            (Response::Follows, Some(Response::Follows | Response::Exceeds)) => not(UnprovedReason::Both),
        };
    }
    if let Some(rival) = of(ProofStep::Rival) {
        return match rival.response {
            _ if rival.little => not(UnprovedReason::Little),
            Response::Stays => (Proved, None),
            Response::Follows | Response::Exceeds => (Refuted, None),
            Response::Open => not(UnprovedReason::Noisy),
        };
    }
    match relief {
        Some(relief) if relief.little => not(UnprovedReason::Little),
        Some(relief) => match relief.response {
            Response::Follows | Response::Exceeds => (Proved, None),
            Response::Stays => (Refuted, None),
            Response::Open => not(UnprovedReason::Noisy),
        },
        None => not(UnprovedReason::Other),
    }
}
