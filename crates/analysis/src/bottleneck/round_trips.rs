//! Requests each of which waits for its answer, so that the way there and back, and what answers, set their rate: more of them
//! at once, or fewer round trips for each, bring more.

use model::Severity;
use model::profile::Aspect;
use model::run::CaseResult;

use super::cores::READY;
use super::{FULL, Verdict, connecting, finding, late_answers, loss, remade, server};
use crate::measure::End;
use crate::{Context, measure};

/// From so many round trips for each request on, half of the requests or more have a connection made for them.
const REMADE: f64 = 1.5;

pub(super) const ENGLISH: &str = r#"
round-trip-advice =
    { $named ->
        [yes] with a larger --{ $option } more requests are on the way at once
       *[no] send more requests at once
    }{ $kept ->
        [yes] {""}
       *[no] ; connections that are kept open save the round trips that open each
    }; larger requests need fewer round trips

finding-round-trip-bound =
    round-trip-bound: { FIXED($outstanding) } at a time, each { $how ->
        [statements] takes { SHORT($latency_s, unit: "s") }, of which { FIXED($trips, decimals: 1) } round trips of
            { SHORT($rtt_s, unit: "s") } are { PERCENT($share) }
       *[requests] answered after { SHORT($latency_s, unit: "s") }
    }
    .advice =
        { $how ->
            [statements] fewer statements in a transaction (several rows in one, a procedure of the server) need fewer round
                trips; with a larger --{ $option } more of them are on the way at once; a client nearer to the server waits less for each
           *[requests] { round-trip-advice }
        }
"#;

/// Each request waits for its answer.
pub(super) fn bound(case: &CaseResult, context: &Context<'_>) -> Verdict {
    let Some(mean) = server::answered_after(case) else {
        return loss::by_timeouts(case).unwrap_or(Verdict::Elsewhere);
    };
    if computes_itself(case) || late_answers::lack_cpus_here(case, context) {
        return Verdict::Elsewhere;
    }
    let late = loss::by_timeouts(case).or_else(|| connecting::bound(case));
    let late = late.or_else(|| late_answers::lack_cpus_there(case));
    let late = late.or_else(|| server::answers_all_the_time(case, mean));
    if let Some(found) = late.or_else(|| server::answers(case, mean)) {
        return found;
    }
    let option = more_at_once(case);
    Verdict::Full(Box::new(
        finding("round-trip-bound", Severity::Note)
            .arg("how", "requests")
            .arg("outstanding", measure::concurrency(case))
            .arg("latency_s", mean)
            .arg("named", option.is_some())
            .arg("option", option.unwrap_or_default())
            .arg("kept", remade::trips(case) < REMADE)
            .because(measure::latency_evidence(mean)),
    ))
}

/// Whether the load itself computes all the time: who does is slow by itself.
fn computes_itself(case: &CaseResult) -> bool {
    let computes = End::Drives.worker_share(case).is_some_and(|share| share >= FULL);
    if measure::profile(case).parameter(Aspect::Server).is_some() {
        return computes || End::Drives.wanted_share(case).is_some_and(|share| share >= READY);
    }
    // Of one at a time the end that answers has a part, too.
    computes && measure::concurrency(case) > 1.0
}

/// The option that has more requests under way at once, where there is one.
fn more_at_once(case: &CaseResult) -> Option<String> {
    let profile = measure::profile(case);
    let named = [Aspect::Depth, Aspect::Streams, Aspect::Workers]
        .into_iter()
        .find_map(|aspect| profile.parameter(aspect));
    named.map(|name| name.to_string())
}

#[cfg(test)]
mod tests {
    use model::{Better, Finding, ParameterName, Unit, fact, metric};

    use super::*;
    use crate::validity::fixture;

    /// What holds back requests over 10 ms that are answered after 11 ms, by an option or none, with so many round trips each.
    fn verdict(option: Option<&'static str>, trips: f64) -> Finding {
        let mut case = fixture::case(1);
        fixture::workload(&mut case, "net.pingpong");
        fixture::set(&mut case, "peer", "10.0.0.2:7117");
        let aspects = &mut case.loads.main.profile.aspects;
        aspects.clear();
        aspects.extend(option.map(|name| (ParameterName::new(name), Aspect::Streams)));
        let estimate = fixture::estimate(90.0, Unit::PerSecond, Better::Higher);
        case.loads.main.estimates.insert(metric::OPERATIONS_PER_SECOND, estimate);
        let main = case.trials[0].result.main_mut();
        let mut latency = stats::histogram::new_latency();
        latency.record(11_000_000).unwrap();
        main.histograms.insert(metric::LATENCY, stats::histogram::encode(&latency).unwrap());
        main.facts.insert(fact::ROUND_TRIPS, trips.into());
        let found = crate::bottleneck::check(&case, &fixture::context(&Default::default()));
        crate::said::written(found).remove(0)
    }

    /// Bug: of requests that wait for their answers nothing was advised.
    #[test]
    fn requests_that_wait_for_answers_are_told_what_brings_more() {
        let advice = |option, trips| {
            let found = verdict(option, trips);
            assert_eq!(found.code, "round-trip-bound");
            found.advice.unwrap_or_default()
        };
        let kept = advice(Some("connections"), 1.0);
        assert!(
            kept.starts_with(
                "with a larger --connections more requests are on the way at once; larger requests"
            ),
            "{kept}"
        );
        let made = advice(Some("connections"), 2.0);
        assert!(made.contains("connections that are kept open save the round trips"), "{made}");
        assert!(advice(None, 1.0).starts_with("send more requests at once"));
    }
}
