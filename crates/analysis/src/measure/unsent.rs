//! How much of what TCP gave out did not leave the machine.

use model::profile::Transport;
use model::run::CaseResult;
use model::{Resource, ResourceKind, Trial, fact, metric};

use super::End;

/// What counts segments that TCP gave out, without those that it sends again.
pub(crate) const GIVEN_OUT: &str = "OutSegs";

/// At least this share of what left must be the load's own: segments of others are given out as well.
const OWN: f64 = 0.5;

/// The share of the segments that did not leave in one trial, and how many were given out.
pub(crate) fn unsent(case: &CaseResult, trial: &Trial, end: End) -> Option<(f64, f64)> {
    let profile = super::profile(case);
    let is_watched = profile.transport == Some(Transport::Tcp) && profile.is_stream();
    if !is_watched || super::goes_both_ways(case) {
        return None;
    }
    let given = end.change(trial, &Resource::TCP, GIVEN_OUT).filter(|given| *given > 0.0)?;
    let load = super::sender(case);
    let mss = load.number(trial, fact::MSS).filter(|mss| *mss > 0.0)?;
    let own = super::measured(trial, metric::THROUGHPUT)? * trial.result.window?.seconds();
    // What others send leaves by the same interface; what only acknowledges is small.
    let left = interface(case, trial, load).and_then(|nic| end.change(trial, &nic, "tx_bytes"));
    let left = left.unwrap_or_default().max(own);
    (own >= OWN * left).then(|| ((1.0 - left / (given * mss)).max(0.0), given))
}

/// The interface by which an end sends.
fn interface(case: &CaseResult, trial: &Trial, end: End) -> Option<Resource> {
    let of_fact = end.fact(trial, fact::INTERFACE).map(|name| Resource::of(ResourceKind::Nic, name));
    let of_path = || case.path.iter().map(|step| &step.resource).find(|one| one.is_named(ResourceKind::Nic));
    of_fact.or_else(|| of_path().filter(|_| !end.answers()).cloned())
}
