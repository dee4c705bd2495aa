//! The way: each statement goes to the server and back, one after the other. What remains is the server's own.

use model::database::{fact as facts, metric as names};
use model::finding::{Evidence, Place};
use model::run::CaseResult;
use model::{Severity, Trial, metric};

use super::{client_cpu, client_option, clients, is_served, known, median_of, share};
use crate::bottleneck::network::DECIDES;
use crate::bottleneck::{Verdict, finding, server};
use crate::{Context, measure};

pub(in crate::bottleneck) const ENGLISH: &str = r#"
evidence-trips =
    the round trips of a transaction, { FIXED($trips, decimals: 1) } of { SHORT($rtt_s, unit: "s") }, are
    { PERCENT($share) } of its time
"#;

/// The round trips of a transaction.
struct RoundTrips {
    /// How many, and how long one takes, s.
    count: f64,
    rtt_s: f64,
    /// How long the transaction takes, s.
    latency_s: f64,
}

impl RoundTrips {
    fn of(case: &CaseResult) -> Option<Self> {
        // From when it was due, a transaction waits for others as well.
        let latency_s = server::answered_after(case).filter(|latency| *latency > 0.0)?;
        let rtt_s = known(case, facts::ROUND_TRIP)?;
        let of = |trial: &Trial| {
            let all = measure::measured(trial, metric::TRANSACTIONS_PER_SECOND).filter(|all| *all > 0.0)?;
            Some(measure::measured(trial, names::QUERIES_PER_SECOND)? / all)
        };
        Some(Self { count: measure::median(case, of)?, rtt_s, latency_s })
    }

    fn share(&self) -> f64 {
        (self.count * self.rtt_s / self.latency_s).min(1.0)
    }

    fn evidence(&self) -> Evidence {
        Evidence::at("trips", Place::Fact(facts::ROUND_TRIP))
            .arg("trips", self.count)
            .arg("rtt_s", self.rtt_s)
            .arg("share", self.share())
    }
}

pub(in crate::bottleneck) fn examine(case: &CaseResult, _context: &Context<'_>) -> Verdict {
    if !is_served(case) {
        return Verdict::Elsewhere;
    }
    let Some(trips) = RoundTrips::of(case) else { return Verdict::Elsewhere };
    if trips.share() < DECIDES {
        return Verdict::Free(trips.evidence());
    }
    Verdict::Full(Box::new(
        finding("round-trip-bound", Severity::Note)
            .arg("how", "statements")
            .arg("share", trips.share())
            .arg("trips", trips.count)
            .arg("rtt_s", trips.rtt_s)
            .arg("latency_s", trips.latency_s)
            .arg("outstanding", clients(case))
            .arg("option", client_option(case))
            .because(measure::latency_evidence(trips.latency_s))
            .because(trips.evidence()),
    ))
}

/// The share of a transaction that is neither the way, nor anybody's computing, nor a wait that the server tells of; with how
/// long a transaction takes, s.
pub(super) fn left(case: &CaseResult) -> Option<(f64, f64)> {
    let (trips, used) = (RoundTrips::of(case)?, client_cpu(case)?);
    // Answers wait for a thread that computes for long.
    if used / measure::workers(case).max(1.0) >= DECIDES {
        return None;
    }
    let computed = (used + median_of(case, names::SERVER_CPU).unwrap_or(0.0)) / clients(case);
    let told =
        [names::CLIENTS_WAITING_FOR_LOCKS, names::CLIENTS_WAITING_FOR_LOG, names::CLIENTS_WAITING_FOR_READS];
    let waits: f64 = told.into_iter().filter_map(|name| share(case, name)).sum();
    Some((1.0 - trips.share() - computed - waits, trips.latency_s))
}

/// What a server takes for itself.
pub(in crate::bottleneck) fn examine_rest(case: &CaseResult, _context: &Context<'_>) -> Verdict {
    if !is_served(case) {
        return Verdict::Elsewhere;
    }
    let (Some(trips), Some((left, _))) = (RoundTrips::of(case), left(case)) else {
        return Verdict::Elsewhere;
    };
    if left < DECIDES {
        return Verdict::Elsewhere;
    }
    Verdict::Full(Box::new(
        finding("server-bound", Severity::Note)
            .arg("how", "requests")
            .arg("option", client_option(case))
            .arg("outstanding", clients(case))
            .arg("latency_s", trips.latency_s)
            .arg("rtt_s", trips.count * trips.rtt_s)
            .because(measure::latency_evidence(trips.latency_s)),
    ))
}
