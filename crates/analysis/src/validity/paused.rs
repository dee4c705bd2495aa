//! Pause frames (IEEE 802.3, annex 31B): one end of a wire, or a switch between,
//! asked the other to stop sending, because its buffers were full. Nothing is lost,
//! and nothing but this counter shows it.

use model::run::CaseResult;
use model::{Finding, Severity};

use super::dropped::{self, EndCount};
use crate::measure::End;
use crate::{Context, Rule, RuleCheck, measure};

pub(crate) const RULE: Rule = Rule {
    code: "paused",
    doc: "The driver of the interface that the data passed, at either end, counted pause frames in the window: it was asked to \
         stop sending, or asked for it. The number is that of the worst trial.",
    english: r#"
finding-paused =
    { $what ->
        [asked] { RESOURCE($resource) }{ of-end } was asked to stop sending
       *[asks] { RESOURCE($resource) }{ of-end } asked the other side to stop sending
    } by { FIXED($count) } pause frames in the window
    .advice =
        { $what ->
            [asked] a switch or the machine behind it has no room: look at its ports and at the receiver
           *[asks] this machine does not take packets out in time: a larger ring (`ethtool -G`), more receive queues
                (`ethtool -L`)
        }
"#,
    check: RuleCheck::Many(check),
};

fn check(case: &CaseResult, _context: &Context<'_>) -> Vec<Finding> {
    dropped::at_ends(case, |end| {
        ["rx_pause", "tx_pause"].into_iter().filter_map(move |name| one(case, end, name))
    })
}

fn one(case: &CaseResult, end: End, name: &str) -> Option<Finding> {
    let seen = |trial: &model::Trial| {
        let resource = dropped::interface(trial, end)?;
        let counter = measure::named(end.counters(trial), &resource, name)?;
        Some((counter.change()?, resource, counter.source.clone()))
    };
    let all = measure::good(case).filter_map(seen);
    let (count, resource, source) =
        all.max_by(|a, b| a.0.total_cmp(&b.0)).filter(|(count, ..)| *count >= 1.0)?;
    let what = if name == "rx_pause" { "asked" } else { "asks" };
    let counted = EndCount { end, count, resource: resource.clone(), source };
    Some(dropped::of_end(RULE.code, Severity::Warning, case, counted).on(resource).arg("what", what))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::fixture;
    use model::fact;
    use model::study::Controls;

    #[test]
    fn one_pause_frame_is_told_and_none_is_not() {
        let told = |received: u64, sent: u64| {
            let mut case = fixture::case(1);
            fixture::workload(&mut case, "net.stream");
            fixture::set(&mut case, "peer", "10.0.0.2:7117");
            fixture::far(&mut case).facts.insert(fact::INTERFACE, "eth2".into());
            fixture::far_machine(&mut case).counters = vec![
                fixture::counter("nic:eth2", "ethtool(8) rx_pause", 1.0, received),
                fixture::counter("nic:eth2", "ethtool(8) tx_pause", 1.0, sent),
            ];
            let found = fixture::found(&RULE, &case, &fixture::context(&Controls::default()));
            found.into_iter().map(|f| f.text).collect::<Vec<_>>()
        };
        assert!(told(0, 0).is_empty());
        let both = told(1, 7);
        assert!(both[0].contains("eth2 of 10.0.0.2:7117 was asked to stop sending by 1 pause"), "{both:?}");
        assert!(both[1].contains("asked the other side to stop sending by 7 pause frames"), "{both:?}");
    }
}
