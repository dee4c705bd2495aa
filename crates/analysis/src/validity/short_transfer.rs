//! A transfer that the sender's socket buffer could hold a good part of: what the
//! sender wrote is more than what arrived. Study D's 8 MiB were over in 70 ms, and
//! the sender counted 1,040 Mbit/s on a wire of 1,000.

use model::finding::{Evidence, Place};
use model::profile::Transport;
use model::run::CaseResult;
use model::{Finding, FindingKind, Severity, fact, metric};

use crate::measure::End;
use crate::{Context, Rule, RuleCheck, measure};

/// From this share of what was sent on, what the sender's buffer can hold shows
/// in the sender's figure.
const MATTERS: f64 = 0.02;

pub(crate) const RULE: Rule = Rule {
    code: "short-transfer",
    doc: "The sender's socket buffer can hold at least 2 % of all that was sent in a trial: the sender's figure counts what \
         had not left the machine. The receiver's, which is the result, does not.",
    english: r#"
finding-short-transfer =
    the sender's socket buffers can hold { BINARY($held) }, { PERCENT($share) } of the { BINARY($sent) } that were
    sent: the sender's figure counts what had not left the machine
    .advice = go by throughput, which the receiver counted, or measure for longer

evidence-held = { BINARY($bytes) } in buffers
"#,
    check: RuleCheck::One(check),
};

fn check(case: &CaseResult, _context: &Context<'_>) -> Option<Finding> {
    let profile = measure::profile(case);
    if !profile.is_stream() || profile.transport != Some(Transport::Tcp) {
        return None;
    }
    let held = |t: &model::trial::Trial| {
        let buffers =
            [End::Drives, End::Answers].iter().filter_map(|end| end.number(t, fact::SEND_BUFFER_MOST));
        let streams = profile.concurrency.operations as f64 / profile.on_network().count() as f64;
        let held = buffers.fold(0.0, f64::max) * streams;
        let sent = measure::measured(t, metric::THROUGHPUT)? * t.result.window?.seconds();
        (sent > 0.0 && held > 0.0).then_some((held / sent, (held, sent)))
    };
    let (held, sent) = measure::middle(case, held)?;
    let share = held / sent;
    if share < MATTERS {
        return None;
    }
    let evidence = Evidence::at("held", Place::Metric(metric::SENDER_THROUGHPUT));
    Some(
        Finding::new(FindingKind::Validity, RULE.code, Severity::Note)
            .arg("held", held as u64)
            .arg("sent", sent as u64)
            .arg("share", share.min(1.0))
            .because(evidence.arg("bytes", held as u64)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::fixture;
    use model::study::Controls;
    use model::trial::Window;
    use model::{Quantity, Unit};

    #[test]
    fn what_the_buffer_can_hold_must_be_little_of_what_was_sent() {
        // Study D: 8 MiB at 920 Mbit/s, behind a buffer of 2.5 MiB.
        for (seconds, count) in [(0.073, 1), (10.0, 0)] {
            let mut case = fixture::case(1);
            fixture::workload(&mut case, "net.stream");
            fixture::set(&mut case, "protocol", "tcp");
            fixture::set(&mut case, "streams", 1u64);
            let result = &mut case.trials[0].result;
            result.window = Some(Window { start_ns: 0, end_ns: (seconds * 1e9) as u64 });
            let rate = Quantity { value: 115e6, unit: Unit::BytesPerSecond };
            result.main_mut().metrics.insert(metric::THROUGHPUT, rate);
            result.main_mut().facts.insert(fact::SEND_BUFFER_MOST, (2_621_440u64).into());
            assert_eq!(fixture::count(&RULE, &case, &Controls::default()), count, "{seconds}");
        }
    }
}
