//! Requests that wait in the host, though the device is not shown to be full: it is given no more at once,
//! by an I/O scheduler or for want of requests that the kernel allots. Only a trace of the kernel's events
//! tells this wait from the device's own time.

use model::Severity;
use model::run::CaseResult;

use super::device::{self, Deepening};
use super::phases::{self, WaitPlace};
use super::{Verdict, finding, latency};
use crate::measure::BlockPhases;
use crate::{Context, measure};

pub(super) const ENGLISH: &str = r#"
finding-host-queue =
    { $to ->
        [0] {""}
       *[other] with { FIXED($to) } operations in flight instead of { FIXED($from) } the rate { $change ->
            [less] falls
           *[more] grows
        } by { PERCENT($more) }, and{" "}
    }requests wait for { RESOURCE($resource) } in the host { PERCENT($waiting) } of their time
    ({ SHORT($wait_s, unit: "s") } of { SHORT($whole_s, unit: "s") }): { pronoun-it } { verb-was } never given more than { FIXED($most) } at once{ $takes ->
        [0] {""}
       *[other] {" "}of the { FIXED($takes) } that { pronoun-it } take{ verb-s }
    }
    .advice =
        a greater depth only makes that queue longer; another I/O scheduler (--set scheduler=none), more requests for the device
        (--set queue-requests) or more of its driver's own queue show whether it can do more at once

evidence-block-phases =
    by the kernel's events, { RESOURCE($resource) } had each { $requests ->
        [no] bio for { SHORT($device_s, unit: "s") }
       *[yes] request for { SHORT($device_s, unit: "s") } of { SHORT($whole_s, unit: "s") }, and { PERCENT($waiting) } of its
            time it waited in the host
    }{ $direct ->
        [yes] ; the load waited { SHORT($latency_s, unit: "s") } for an operation
       *[no] {""}
    }: { $most ->
        [device] most of it is the device's own time
        [host] most of it is the queue before it
        [upper] most of it is spent in { RESOURCE($other) }, which passes bios on to it
        [above] most of it is spent above the block layer
       *[both] neither the device nor the queue before it is most of it
    }
"#;

pub(super) fn examine(case: &CaseResult, context: &Context<'_>) -> Verdict {
    // What is written back waits in a queue as well, and nobody waits for it.
    if !measure::is_direct(case) {
        return Verdict::Elsewhere;
    }
    if let Some((wait, deepening)) = device::added_wait(case, context) {
        return match wait.place {
            WaitPlace::Host => Verdict::Full(Box::new(held(&wait.phases, Some(deepening), context))),
            _ => Verdict::Elsewhere,
        };
    }
    let own = phases::of_case(case, context).filter(|wait| matches!(wait.place, WaitPlace::Host));
    // What waits to be merged and sorted may do more with a greater depth.
    match own.filter(|_| latency::deeper_and_better(case, context).is_none()) {
        Some(wait) => Verdict::Full(Box::new(held(&wait.phases, None, context))),
        None => Verdict::Elsewhere,
    }
}

fn held(phases: &BlockPhases, deepening: Option<Deepening>, context: &Context<'_>) -> model::Finding {
    let (wait_s, whole_s) = phases.in_host();
    let Deepening { from, to, more } = deepening.unwrap_or(Deepening { from: 0.0, to: 0.0, more: 0.0 });
    finding("host-queue", Severity::Note)
        .on(phases.resource.clone())
        .arg("from", from)
        .arg("to", to)
        .arg("change", if more < 0.0 { "less" } else { "more" })
        .arg("more", more.abs())
        .arg("waiting", wait_s / whole_s)
        .arg("wait_s", wait_s)
        .arg("whole_s", whole_s)
        .arg("most", phases.depth_max as f64)
        .arg("takes", phases::takes(phases, context).unwrap_or(0.0))
        .because(phases.evidence())
}

#[cfg(test)]
mod tests {
    use super::super::tests::{disk, verdict};
    use crate::observed::tests::traced;

    #[test]
    fn a_wait_in_the_host_is_told_from_the_device_s_own_time() {
        // 32 in flight for 320 us each, of which the device has them 50 us.
        let case = disk(32, 100_000.0, 320.0, 2.0);
        let found = verdict(&traced(&case, 310.0, 50.0, 5));
        assert_eq!(found.code, "host-queue");
        assert!(found.text.contains("in the host 84 % of their time ("), "{}", found.text);
        assert!(found.text.contains("more than 5 at once"), "{}", found.text);
        let said: Vec<&str> = found.evidence.iter().filter_map(|e| e.text.as_deref()).collect();
        assert!(said[0].contains("most of it is the queue before it"), "{said:?}");
    }

    #[test]
    fn a_device_that_has_them_most_of_the_time_is_not_waited_for_in_the_host() {
        let case = disk(32, 100_000.0, 320.0, 2.0);
        let found = verdict(&traced(&case, 310.0, 300.0, 32));
        assert_ne!(found.code, "host-queue");
        // A load that waits elsewhere.
        let found = verdict(&traced(&case, 100.0, 20.0, 5));
        assert_ne!(found.code, "host-queue");
        // At a depth of one the device's time stands beside the verdict.
        let alone = disk(1, 3_000.0, 330.0, 2.0);
        let found = verdict(&traced(&alone, 310.0, 300.0, 1));
        assert_eq!(found.code, "latency-bound");
        let beside = found.evidence.iter().find(|e| e.code == "block-phases").unwrap();
        assert!(beside.text.as_ref().unwrap().contains("most of it is the device's own time"), "{beside:?}");
    }

    #[test]
    fn of_a_trace_with_holes_nothing_is_concluded() {
        let case = disk(32, 100_000.0, 320.0, 2.0);
        let mut cases = traced(&case, 310.0, 50.0, 5);
        for trial in &mut cases[1].trials {
            trial.result.local_mut().block_trace.as_mut().unwrap().lost_events = 1_000_000;
        }
        assert_ne!(verdict(&cases).code, "host-queue");
    }
}
