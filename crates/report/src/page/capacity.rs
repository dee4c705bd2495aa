//! The most that a load was found to give at any concurrency, and from which on it gives nearly as
//! much: what the search saw, beside its workload.

use model::run::{CaseResult, CaseRole, Estimate, LevelSearch};
use model::{MetricName, Value, metric};

use super::View;
use crate::view::label;

/// Operations of so many bytes are counted in bytes.
const LARGE: u64 = 64 << 10;

/// A search and what it found, measured anew.
struct Capacity<'a> {
    case: &'a CaseResult,
    search: &'a LevelSearch,
    /// The case of the least concurrency that gives nearly as much; the case itself where that
    /// gives the most.
    knee: &'a CaseResult,
    /// Its levels, in the order in which they were first measured.
    levels: Vec<&'a CaseResult>,
    /// What was measured at shares of the most, each with its share, 0 to 1.
    shares: Vec<(f64, &'a CaseResult)>,
    metric: MetricName,
    most: &'a Estimate,
}

impl Capacity<'_> {
    /// The least concurrency that gives nearly the most.
    fn knee_value(&self) -> u64 {
        let own = self.knee.loads.main.parameters.integer(self.search.parameter);
        own.unwrap_or(self.search.best)
    }
}

/// What a search found; none if the case was not searched, or not measured since.
fn of<'a>(view: &View<'a>, case: &'a CaseResult) -> Option<Capacity<'a>> {
    let search = case.search.as_ref()?;
    let place = view.run.cases.iter().position(|other| std::ptr::eq(other, case))?;
    let with = |role: CaseRole| view.run.cases.iter().filter(move |other| other.role == role);
    let (headline, shown_first) = analysis::headline(case)?;
    let sizes = case.loads.main.profile.flows.first().map(|flow| &flow.sizes[..]).unwrap_or_default();
    let large = !sizes.is_empty() && sizes.iter().all(|size| size.bytes >= LARGE);
    let moved = case.loads.main.estimates.get(&metric::THROUGHPUT).filter(|_| large);
    let (metric, most) = moved.map_or((headline, shown_first), |moved| (metric::THROUGHPUT, moved));
    let knee = analysis::knee_of(&view.run.cases, case);
    let levels = with(CaseRole::Level { of: place }).collect();
    let share = |other: &'a CaseResult| match other.role {
        CaseRole::Share { of, share } if of == place => Some((share, other)),
        _ => None,
    };
    let shares = view.run.cases.iter().filter_map(share).collect();
    Some(Capacity { case, search, knee, levels, shares, metric, most })
}

/// What a search saw, beside its workload.
pub(super) fn remark(view: &View<'_>, case: &CaseResult) -> Option<String> {
    // The case is one of the run's, wherever this reference came from.
    let case = view.run.cases.iter().find(|own| std::ptr::eq(*own, case))?;
    let capacity = of(view, case)?;
    let Capacity { search, knee, levels, metric, most, .. } = &capacity;
    let rates = crate::load::rates(case);
    let near = knee.loads.main.estimates.get(metric).filter(|_| most.median > 0.0);
    let share = near.map(|near| near.median / most.median);
    let latency = |case: &CaseResult| {
        let estimate = case.loads.main.estimates.get(&metric::LATENCY_P50)?;
        Some(view.figure(rates, metric::LATENCY_P50, estimate))
    };
    let alone = levels.iter().find(|level| level.loads.main.parameters.integer(search.parameter) == Ok(1));
    let tried = levels.iter().filter_map(|level| level.loads.main.parameters.integer(search.parameter).ok());
    let times = latency(knee).zip(alone.and_then(|level| latency(level)));
    let timed = if times.is_some() { "yes" } else { "no" };
    let (at_knee, at_one) = times.unwrap_or_default();
    let texts = [
        ("parameter", Value::Text(label::title(view.words, search.parameter.as_str()))),
        ("tried", Value::Integer(levels.len() as u64)),
        ("highest", Value::Integer(tried.max().unwrap_or(search.best))),
        ("rate", Value::Text(view.with_metric(rates, *metric, most))),
        ("best", Value::Integer(search.best)),
        ("knee", Value::Integer(capacity.knee_value())),
        ("share", Value::Number(share.unwrap_or(1.0))),
        ("timed", Value::Text(timed.to_owned())),
        ("latency", Value::Text(at_knee)),
        ("alone", Value::Text(at_one)),
    ];
    let found = view.words.tell("remark-capacity", &texts);
    Some(match waits(view, &capacity) {
        Some(waits) => format!("{found}{waits}"),
        None => found,
    })
}

/// What operations wait at shares of the most: of the highest percentile that every share has. Where
/// a share was not kept, the latency is that of a queue which grew as long as the trial was.
fn waits(view: &View<'_>, capacity: &Capacity<'_>) -> Option<String> {
    let rates = crate::load::rates(capacity.case);
    let percentiles = [(metric::LATENCY_P99, 0.99), (metric::LATENCY_P90, 0.90), (metric::LATENCY_P50, 0.50)];
    let of = |name: MetricName| -> Option<Vec<(f64, Option<String>)>> {
        let one = |(share, case): &(f64, &CaseResult)| {
            let estimate = case.loads.main.estimates.get(&name)?;
            Some((*share, analysis::keeps_rate(case).then(|| view.figure(rates, name, estimate))))
        };
        capacity.shares.iter().map(one).collect()
    };
    let (percent, all) = percentiles.iter().find_map(|(name, percent)| {
        let all = of(*name).filter(|all| !all.is_empty())?;
        Some((*percent, all))
    })?;
    let at = |(share, latency): (f64, Option<String>)| {
        let share = ("share", Value::Number(share));
        match latency {
            Some(latency) => {
                view.words.tell("remark-capacity-at", &[share, ("latency", Value::Text(latency))])
            }
            None => view.words.tell("remark-capacity-beyond", &[share]),
        }
    };
    let list: Vec<String> = all.into_iter().map(at).collect();
    let texts = [("percent", Value::Number(percent)), ("list", Value::Text(list.join(", ")))];
    Some(view.words.tell("remark-capacity-waits", &texts))
}
