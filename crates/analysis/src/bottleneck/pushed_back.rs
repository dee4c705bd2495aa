//! A device that gives requests back undone: its driver was given more than it takes. The kernel
//! counts each one (requeue), so nothing is concluded here.

use model::Severity;
use model::run::CaseResult;

use super::{Verdict, finding};
use crate::measure::BlockPhases;
use crate::{Context, measure};

/// From this share of the requests on, what is given back is felt: each of them waits once more.
const FELT: f64 = 0.05;
/// So few say nothing.
const LEAST: u64 = 100;

pub(super) const ENGLISH: &str = r#"
finding-device-pushes-back =
    { RESOURCE($resource) } take{ verb-s } no more: { pronoun-its } driver gave back { PERCENT($share) } of the requests undone ({ FIXED($requeued) } of
    { FIXED($issued) } in all trials)
    .advice = a smaller queue depth asks for less at once, and loses nothing if the device is full

evidence-requeued = { FIXED($requeued) } of { FIXED($issued) } requests were given back by the driver
"#;

/// What was traced of a device that gives so many back that it is felt, and their share.
pub(super) fn felt(case: &CaseResult, context: &Context<'_>) -> Option<(BlockPhases, f64)> {
    let found = measure::block_phases(case, context)?;
    let share = found.requeued as f64 / found.issued.max(1) as f64;
    (share >= FELT && found.requeued >= LEAST).then_some((found, share))
}

pub(super) fn examine(case: &CaseResult, context: &Context<'_>) -> Verdict {
    // That nothing was given back rules no more out than a trace does anyway.
    let Some((found, share)) = felt(case, context) else { return Verdict::Elsewhere };
    let evidence = model::finding::Evidence { code: "requeued".to_owned(), ..Default::default() };
    Verdict::Full(Box::new(
        finding("device-pushes-back", Severity::Note)
            .on(found.resource.clone())
            .arg("share", share)
            .arg("requeued", found.requeued as f64)
            .arg("issued", found.issued as f64)
            .because(evidence.arg("requeued", found.requeued as f64).arg("issued", found.issued as f64)),
    ))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{disk, verdict};
    use crate::observed::tests::traced;

    #[test]
    fn a_driver_that_gives_requests_back_is_named_from_a_share_on() {
        let case = disk(32, 100_000.0, 320.0, 2.0);
        let with = |requeued: u64| {
            let mut cases = traced(&case, 310.0, 300.0, 32);
            for trial in &mut cases[1].trials {
                let trace = trial.result.local_mut().block_trace.as_mut().unwrap();
                trace.devices[0].counts.requeued = requeued;
            }
            verdict(&cases)
        };
        let found = with(20_000);
        assert_eq!(found.code, "device-pushes-back");
        assert!(found.text.contains("gave back 20 % of the requests undone"), "{}", found.text);
        assert_ne!(with(100).code, "device-pushes-back");
    }
}
