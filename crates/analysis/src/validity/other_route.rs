//! Data that went over another interface than the one that was meant. Study D's
//! runs over "the single port" went to an address on none of the ports shown.

use model::finding::{Evidence, Place};
use model::run::CaseResult;
use model::trial::{Counter, Trial};
use model::{Finding, FindingKind, Resource, ResourceKind, Severity, fact, metric};

use crate::measure::End;
use crate::{Context, Rule, RuleCheck, measure};

/// An interface that the data passed counts at least this share of the payload:
/// heads only make it more.
const PASSED: f64 = 0.5;

/// Loads that move less than this in a trial say nothing: others' packets are
/// among them, bytes.
const LEAST: f64 = 1e6;

/// Readings closer together than this share of the window speak not for it: the
/// reader of a busy machine gets its CPU late.
const READ: f64 = 0.5;

pub(crate) const RULE: Rule = Rule {
    code: "other-route",
    doc: "The interface that the route to the peer names counted less than half of the payload in the window, by the kernel's \
         counters of its bytes: the data went another way.",
    english: r#"
finding-other-route =
    the data did not pass { RESOURCE($resource) }, which the route names: it counted { PERCENT($share) } of the
    payload{ $known ->
        [yes] , and { RESOURCE($other) } counted it
       *[no] {""}
    }
    .advice =
        look at `ip route get ADDRESS` on both machines, and give the node's address on the path that is meant

evidence-passed = { PERCENT($share) } of the payload
"#,
    check: RuleCheck::One(check),
};

fn check(case: &CaseResult, _context: &Context<'_>) -> Option<Finding> {
    if !measure::is_net(case) {
        return None;
    }
    let ends = |t: &Trial| [End::Drives, End::Answers].into_iter().find_map(|end| seen(case, t, end));
    let InterfaceShare { interface, share, other } = measure::good(case).find_map(ends)?;
    let place = Place::Counter { resource: interface.clone(), source: "/proc/net/dev".to_owned() };
    Some(
        Finding::new(FindingKind::Validity, RULE.code, Severity::Warning)
            .on(interface)
            .arg("share", share)
            .arg("known", if other.is_some() { "yes" } else { "no" })
            .arg("other", other.map_or_else(String::new, |other| other.to_string()))
            .because(Evidence::at("passed", place).arg("share", share)),
    )
}

/// What an interface saw that should have seen all.
struct InterfaceShare {
    interface: Resource,
    share: f64,
    /// The one that saw it.
    other: Option<Resource>,
}

fn seen(case: &CaseResult, trial: &Trial, end: End) -> Option<InterfaceShare> {
    let interface = Resource::of(ResourceKind::Nic, end.fact(trial, fact::INTERFACE)?);
    let counters = end.counters(trial);
    let payload = payload(case, trial)?;
    if payload < LEAST {
        return None;
    }
    let window = trial.result.window?.seconds();
    let own = passed(counters, &interface, window)?;
    if own >= payload * PASSED {
        return None;
    }
    let mut names = counters.iter().map(|c| &c.resource).filter(|r| r.is_named(ResourceKind::Nic));
    let other = names.find(|name| passed(counters, name, window).is_some_and(|b| b >= payload * PASSED));
    Some(InterfaceShare { share: own / payload, interface, other: other.cloned() })
}

/// Bytes of payload that passed one way in the window.
fn payload(case: &CaseResult, trial: &Trial) -> Option<f64> {
    let of = |name| measure::measured(trial, name);
    let seconds = trial.result.window?.seconds();
    let profile = measure::profile(case);
    if profile.is_stream() {
        return Some(of(metric::THROUGHPUT)? * seconds / profile.on_network().count() as f64);
    }
    Some(of(metric::OPERATIONS_PER_SECOND)? * measure::message(case)? as f64 * seconds)
}

/// Bytes that passed an interface in a window of so many seconds, the greater of
/// both ways, by the rate between its readings; none where these are too close
/// together to speak for the window.
fn passed(counters: &[Counter], interface: &Resource, window: f64) -> Option<f64> {
    let of = |name: &str| {
        let found = counters.iter().find(|c| c.resource == *interface && c.source.ends_with(name))?;
        let seconds = found.seconds();
        (seconds >= window * READ).then_some(found.change()? / seconds * window)
    };
    [of(" rx_bytes"), of(" tx_bytes")].into_iter().flatten().reduce(f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validity::fixture;
    use model::study::Controls;
    use model::trial::Window;
    use model::{Quantity, ResourceKind, Unit};

    fn counter(interface: &str, bytes: u64) -> Counter {
        Counter {
            resource: Resource::of(ResourceKind::Nic, interface),
            source: "/proc/net/dev tx_bytes".to_owned(),
            after: bytes,
            after_ns: 1_000_000_000,
            unit: Some(Unit::Bytes),
            ..Counter::default()
        }
    }

    fn case(near: &[(&str, u64)], far: &[(&str, u64)]) -> CaseResult {
        let mut case = fixture::case(1);
        fixture::workload(&mut case, "net.stream");
        let result = &mut case.trials[0].result;
        result.window = Some(Window { start_ns: 0, end_ns: 1_000_000_000 });
        let rate = Quantity { value: 100e6, unit: Unit::BytesPerSecond };
        result.main_mut().metrics.insert(metric::THROUGHPUT, rate);
        result.main_mut().facts.insert(fact::INTERFACE, "eth0".into());
        result.local_mut().counters = near.iter().map(|(name, bytes)| counter(name, *bytes)).collect();
        fixture::far(&mut case).facts.insert(fact::INTERFACE, "eth2".into());
        fixture::far_machine(&mut case).counters =
            far.iter().map(|(name, bytes)| counter(name, *bytes)).collect();
        case
    }

    #[test]
    fn what_the_named_interface_did_not_count_went_another_way() {
        let count = |case| fixture::count(&RULE, &case, &Controls::default());
        assert_eq!(count(case(&[("eth0", 104_000_000)], &[("eth2", 104_000_000)])), 0);
        assert_eq!(count(case(&[("eth0", 4_000), ("eth1", 104_000_000)], &[("eth2", 104_000_000)])), 1);
        assert_eq!(count(case(&[("eth0", 104_000_000)], &[("eth2", 4_000)])), 1);
        // Nothing was counted: nothing is known.
        assert_eq!(count(case(&[], &[])), 0);
        // Read twice shortly after each other: as little.
        let mut late = case(&[("eth0", 4_000)], &[]);
        late.trials[0].result.local_mut().counters[0].before_ns = 900_000_000;
        assert_eq!(count(late), 0);
    }
}
