//! Locks: clients wait for one another, or undo what they did because of one another.

use model::database::metric as names;
use model::run::CaseResult;
use model::{Severity, Trial, metric};

use super::{client_option, clients, is_one, is_served, median_of, share};
use crate::bottleneck::network::DECIDES;
use crate::bottleneck::{Verdict, finding, shown};
use crate::{Context, measure};

pub(in crate::bottleneck) const ENGLISH: &str = r#"
finding-lock-bound =
    lock-bound: { $how ->
        [conflicts] { PERCENT($share) } of what is begun meets another transaction, and is rolled back and begun again
       *[waits] { FIXED($outstanding) } clients wait { PERCENT($share) } of the time for what others have locked
    }
    .advice =
        { $engine ->
            [library] SQLite has one writer at a time: fewer --{ $option } wait less, and a transaction that does more needs
                the lock less often
           *[server] clients wait for rows that many of them change: make transactions shorter, spread the changes over
                more rows, or use fewer --{ $option }
        }

evidence-lock-wait = its clients wait { PERCENT($share) } of the time for locks
"#;

pub(in crate::bottleneck) fn examine(case: &CaseResult, _context: &Context<'_>) -> Verdict {
    if !is_one(case) {
        return Verdict::Elsewhere;
    }
    let waits = share(case, names::CLIENTS_WAITING_FOR_LOCKS);
    let evidence = |share: f64| shown("lock-wait", names::CLIENTS_WAITING_FOR_LOCKS).arg("share", share);
    let (how, share, evidence) = match (waits, conflicts(case)) {
        (Some(share), _) if share >= DECIDES => ("waits", share, evidence(share)),
        (_, Some(share)) if share >= DECIDES => {
            ("conflicts", share, shown("rate", names::RETRIES_PER_SECOND).arg("rate", retries(case)))
        }
        (Some(share), _) => return Verdict::Free(evidence(share)),
        (None, _) => return Verdict::Elsewhere,
    };
    Verdict::Full(Box::new(
        finding("lock-bound", Severity::Note)
            .arg("how", how)
            .arg("share", share)
            .arg("outstanding", clients(case))
            .arg("engine", if is_served(case) { "server" } else { "library" })
            .arg("option", client_option(case))
            .because(evidence),
    ))
}

fn retries(case: &CaseResult) -> f64 {
    median_of(case, names::RETRIES_PER_SECOND).unwrap_or(0.0)
}

/// The share of what was begun that had to be begun again.
fn conflicts(case: &CaseResult) -> Option<f64> {
    let of = |trial: &Trial| {
        let again = measure::measured(trial, names::RETRIES_PER_SECOND)?;
        let all = again + measure::measured(trial, metric::TRANSACTIONS_PER_SECOND)?;
        (all > 0.0).then_some(again / all)
    };
    measure::median(case, of)
}
