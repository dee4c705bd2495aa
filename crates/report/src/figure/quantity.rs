//! Which figure of a case a chart shows, and how.

use chart::plot::{Axis, Measured, Numbers, Spread};
use language::Words;
use language::format::{Rates, WIDEST};
use model::parameter::Kind;
use model::profile::Aspect;
use model::run::{CaseResult, Estimate};
use model::{Better, MetricName, Unit, metric};

use super::factors::Factor;
use crate::{label, load};

/// What is looked at first where the load's profile does not say it.
const USUAL: &[MetricName] = &[
    metric::THROUGHPUT,
    metric::IOPS,
    metric::OPERATIONS_PER_SECOND,
    metric::TRANSACTIONS_PER_SECOND,
    metric::EVENTS_PER_SECOND,
    metric::REQUESTS_PER_SECOND,
    metric::LATENCY_P50,
];

/// Latencies that are held against a rate, the first that all cases have.
pub(crate) const LATENCIES: &[MetricName] = &[metric::LATENCY_P99, metric::LATENCY_P90, metric::LATENCY_P50];

/// A metric that charts show.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Metric {
    /// Its name in the document.
    pub(crate) name: MetricName,
    /// How it is called.
    pub(crate) title: String,
    pub(crate) unit: Unit,
    pub(crate) better: Better,
    /// How its numbers are written.
    pub(crate) numbers: Numbers,
}

impl Metric {
    /// The metric `name` of `case`, if it has it.
    pub(crate) fn of(words: &Words, case: &CaseResult, name: MetricName) -> Option<Self> {
        let estimate = case.loads.main.estimates.get(&name)?;
        // Networks are sold and asked for in bits.
        let is_network = load::rates(case) == Rates::Bits;
        let numbers = match estimate.unit {
            Unit::BytesPerSecond if is_network => Numbers::Bits,
            unit => Numbers::Unit(unit),
        };
        Some(Self {
            name,
            title: label::metric_of_chart(words, name),
            unit: estimate.unit,
            better: estimate.better,
            numbers,
        })
    }

    /// The quantity `name` of `case`, in this unit, wherever it stands.
    pub(crate) fn of_quantity(words: &Words, case: &CaseResult, (name, unit): (MetricName, Unit)) -> Self {
        Self::of(words, case, name).filter(|m| m.unit == unit).unwrap_or_else(|| Self {
            name,
            title: label::metric_of_chart(words, name),
            unit,
            better: if unit == Unit::Seconds { Better::Lower } else { Better::Higher },
            numbers: Numbers::Unit(unit),
        })
    }

    /// What a case has of it.
    pub(crate) fn at(&self, case: &CaseResult) -> Option<Measured> {
        case.loads.main.estimates.get(&self.name).filter(|e| e.unit == self.unit).and_then(measured)
    }

    pub(crate) fn axis(&self) -> Axis {
        Axis { title: self.title.clone(), numbers: self.numbers, spread: Spread::Auto }
    }

    /// Whether more of it is better and it counts per second.
    pub(crate) fn is_rate(&self) -> bool {
        matches!(self.unit, Unit::PerSecond | Unit::BytesPerSecond)
    }
}

/// The point and its interval, where they are numbers and the interval says
/// something.
pub(crate) fn measured(estimate: &Estimate) -> Option<Measured> {
    let value = Some(estimate.median).filter(|m| m.is_finite())?;
    let interval = estimate.low.zip(estimate.high).filter(|(low, high)| {
        low.is_finite()
            && high.is_finite()
            && (*low..=*high).contains(&value)
            && (value <= 0.0 || *high <= value * WIDEST && value <= low * WIDEST)
    });
    Some(Measured { value, interval })
}

/// The figure that people ask of one case: the workload's headline; of large
/// operations their bytes per second; of a fixed amount of work its time.
pub(crate) fn figure(case: &CaseResult) -> Option<MetricName> {
    let estimates = &case.loads.main.estimates;
    let has = |name: MetricName| Some(name).filter(|name| estimates.contains_key(name));
    // What was asked for is asked of the result: how long it takes, or which
    // rate keeps a latency.
    let elapsed = has(metric::ELAPSED).filter(|_| !load::goes_to_its_end(case));
    if let Some(asked) = elapsed.or_else(|| has(metric::RATE_HELD)) {
        return Some(asked);
    }
    let headline = has(case.loads.main.profile.headline)
        .or_else(|| USUAL.iter().find_map(|name| has(*name)))
        .or_else(|| estimates.keys().next().copied())?;
    match load::bytes_an_operation(case, headline) {
        Some(bytes) if bytes >= load::LARGE_BYTES => has(metric::THROUGHPUT).or(Some(headline)),
        _ => Some(headline),
    }
}

/// The figure of several cases on one axis: the one that they agree on; where
/// some are of small and some of large operations, that of most of them, and of
/// as many each bytes per second.
pub(crate) fn common(words: &Words, cases: &[&CaseResult]) -> Option<Metric> {
    let all: Vec<MetricName> = cases.iter().filter_map(|c| figure(c)).collect();
    let wanted = |name: MetricName| all.iter().filter(|n| **n == name).count();
    let name = all.iter().max_by_key(|n| (wanted(**n), **n == metric::THROUGHPUT, std::cmp::Reverse(**n)))?;
    cases.iter().find_map(|c| Metric::of(words, c, *name))
}

/// The axis of an ordered factor.
pub(crate) fn factor_axis(factor: &Factor) -> Axis {
    let numbers = match factor.kind {
        Some(Kind::Size) => Numbers::Binary,
        Some(Kind::Rate) => Numbers::Unit(Unit::PerSecond),
        Some(Kind::Duration) => Numbers::Unit(Unit::Seconds),
        Some(Kind::Share) => Numbers::Share,
        Some(Kind::Number) => Numbers::Unit(Unit::One),
        _ => Numbers::Count,
    };
    // A place on a disk is as far from the next as their bytes say.
    let spread = if factor.says == Some(Aspect::Offset) { Spread::Linear } else { Spread::Auto };
    Axis { title: factor.title.clone(), numbers, spread }
}
