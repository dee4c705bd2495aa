//! Percentiles of distributions that were kept whole.

use chart::plot::{Axis, Curve, Numbers, Percentiles, Reference, ReferenceKind, Spread};
use language::{Words, format};
use model::run::CaseResult;
use model::{MetricName, Unit, Value, metric};
use stats::distribution::Distribution;

use super::histogram::merged;
use super::sweep::evenly;
use crate::figure::factors::{CaseGroup, Factor};
use crate::figure::{Figure, RuleInput, quantity};
use crate::label;

/// Curves that are told apart at a glance.
const CURVES_MOST: usize = 6;

/// Points for each further nine: 90 to 99 %, 99 to 99.9 %.
const POINTS_A_NINE: u32 = 10;

/// No count of operations supports more nines than this.
const NINES_MOST: u32 = 12;

/// Distributions that may be kept, the first that a case has, with their words.
pub(super) const DISTRIBUTIONS: &[(MetricName, &str)] =
    &[(metric::LATENCY, "figure-latency"), (metric::SERVICE_TIME, "figure-service-time")];

/// The distribution that these cases have. Where the workload makes no metric
/// of it, as of the time that one pass over memory takes, it is nobody's question.
pub(super) fn distribution(cases: &[&CaseResult]) -> Option<(MetricName, &'static str)> {
    let has = |case: &CaseResult, name: MetricName| {
        let is_asked =
            case.loads.main.estimates.keys().any(|m| m.statistic().is_some_and(|(of, _)| of == name));
        is_asked && case.trials.iter().any(|t| t.result.main().histograms.contains_key(&name))
    };
    DISTRIBUTIONS.iter().copied().find(|(name, _)| cases.iter().any(|c| has(c, *name)))
}

pub(super) fn chart(input: &RuleInput<'_>, group: &CaseGroup<'_>) -> Option<Figure> {
    let words = input.view.words;
    let (name, key) = distribution(&group.cases)?;
    let (chosen, note) = chosen(input, group, name);
    let curves: Vec<Curve> = chosen
        .iter()
        .filter_map(|case| {
            let all = merged(case, name)?;
            let label = match (group.cases.len(), group.factors.len()) {
                (1, _) => String::new(),
                // Two counts, such as `16, 4`, need their names to be told apart.
                (_, 2) if group.factors.iter().any(Factor::speaks) => group.short_label(case),
                _ => group.label(case),
            };
            let points = points(&all);
            (points.len() > 1).then(|| Curve { name: label, points, count: all.len() })
        })
        .collect();
    if curves.is_empty() {
        return None;
    }
    let value = Axis { title: words.say(key), numbers: Numbers::Unit(Unit::Seconds), spread: Spread::Auto };
    let title = title(words, group, &value.title);
    let references = promises(input, group);
    let plot = Percentiles { value, curves, references };
    Some(
        Figure::new("percentiles", input.title(&title, group), plot)
            .note(note)
            .note(Some(words.say("figure-percentiles-note"))),
    )
}

/// The title says what the names of the curves leave out.
fn title(words: &Words, group: &CaseGroup<'_>, of: &str) -> String {
    let what = words.tell_texts("figure-percentiles", &[("metric", of)]);
    let mut factors: Vec<&Factor> = group.factors.iter().collect();
    factors.sort_by_key(|f| f.is_ordered());
    let [one, other] = factors.as_slice() else { return what };
    let by = [("metric", what.as_str()), ("factor", &one.title), ("other", &other.title)];
    words.tell_texts("figure-by-two", &by)
}

/// The cases that get a curve: all, or of many those at even steps of the
/// headline from the lowest to the highest.
fn chosen<'a>(
    input: &RuleInput<'_>,
    group: &CaseGroup<'a>,
    name: MetricName,
) -> (Vec<&'a CaseResult>, Option<String>) {
    let has = |c: &&CaseResult| c.trials.iter().any(|t| t.result.main().histograms.contains_key(&name));
    let mut with: Vec<&CaseResult> = group.cases.iter().copied().filter(has).collect();
    if with.len() <= CURVES_MOST {
        return (with, None);
    }
    let words = input.view.words;
    let metric = quantity::common(words, &group.cases);
    let value = |c: &CaseResult| metric.as_ref().and_then(|m| m.at(c)).map_or(f64::MIN, |m| m.value);
    let all = with.len();
    with.sort_by(|a, b| value(a).total_cmp(&value(b)));
    let some: Vec<&CaseResult> = match group.factors.iter().find(|f| f.is_side()) {
        Some(side) => of_all_sides(group, side, &with),
        None => evenly(all, CURVES_MOST).into_iter().filter_map(|at| with.get(at).copied()).collect(),
    };
    let title = metric.as_ref().map(|m| m.title.clone()).unwrap_or_default();
    let note = words.tell(
        "figure-percentiles-some",
        &[
            ("shown", Value::from(some.len() as u64)),
            ("all", Value::from(all as u64)),
            ("metric", Value::Text(title)),
        ],
    );
    (some, Some(note))
}

/// Cases of the first side at even steps, each with those of the other sides
/// that did the same.
fn of_all_sides<'a>(group: &CaseGroup<'_>, side: &Factor, with: &[&'a CaseResult]) -> Vec<&'a CaseResult> {
    let first: Vec<&CaseResult> = with.iter().copied().filter(|c| side.level_of(c) == Some(0)).collect();
    let is_partner = |one: &CaseResult, other: &CaseResult| {
        group.factors.iter().filter(|f| !f.is_side()).all(|f| f.level_of(one) == f.level_of(other))
    };
    let steps = evenly(first.len(), (CURVES_MOST / side.levels.len().max(1)).max(1));
    let chosen: Vec<&CaseResult> = steps.into_iter().filter_map(|at| first.get(at).copied()).collect();
    chosen.iter().flat_map(|c| with.iter().copied().filter(|o| is_partner(c, o))).take(CURVES_MOST).collect()
}

/// Shares at even steps on the axis of nines, with the values at them in
/// seconds; only those with ten operations beyond
/// ([`stats::histogram::PERCENTILE_MIN_BEYOND`]).
pub(in crate::figure) fn points(all: &Distribution) -> Vec<(f64, f64)> {
    let steps = 0..=NINES_MOST * POINTS_A_NINE;
    let nines =
        steps.map(|step| -(-f64::from(step) / f64::from(POINTS_A_NINE) * std::f64::consts::LN_10).exp_m1());
    // The median is no round number of nines.
    let mut shares: Vec<f64> = nines.filter(|s| *s < 1.0).chain([0.01, 0.05, 0.1, 0.25, 0.5]).collect();
    shares.sort_by(f64::total_cmp);
    let known: Vec<(f64, f64)> = shares
        .into_iter()
        .filter_map(|s| Some((rounded(s), all.percentile(rounded(s) * 100.0)? * 1e-9)))
        .collect();
    without_flat(known)
}

/// Rounded where it is a plain percentile but for the arithmetic: 0.9, 0.999.
fn rounded(share: f64) -> f64 {
    let plain = (share * 1e12).round() / 1e12;
    if (plain - share).abs() < 1e-13 { plain } else { share }
}

/// Without those between equal neighbours, which a line does not need.
fn without_flat(points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    let is_needed = |at: usize| {
        at == 0
            || at + 1 == points.len()
            || points[at - 1].1 != points[at].1
            || points[at + 1].1 != points[at].1
    };
    (0..points.len()).filter(|at| is_needed(*at)).map(|at| points[at]).collect()
}

/// Latencies that the study promises for operations of this size.
fn promises(input: &RuleInput<'_>, group: &CaseGroup<'_>) -> Vec<Reference> {
    let words: &Words = input.view.words;
    let fits = |p: &&model::study::Promise| {
        let sizes = group.cases.iter().map(|c| crate::load::one_block(crate::load::profile(c)));
        let fits = p.block_bytes.is_none() || sizes.clone().all(|s| s == p.block_bytes);
        fits && p.metric.statistic().is_some_and(|(of, _)| of == metric::LATENCY)
            && p.unit == Unit::Seconds
            && p.direction.is_none()
            && p.access.is_none()
    };
    let all = input.view.run.study.expect.promises.iter().filter(fits);
    all.filter(|p| p.value.is_finite() && p.value > 0.0)
        .map(|p| {
            let value = format::setting(p.value, p.unit);
            let metric = label::metric_of_chart(words, p.metric);
            let label = words.tell_texts("figure-promised", &[("metric", &metric), ("value", &value)]);
            Reference { value: p.value, label, kind: ReferenceKind::Promise }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use stats::histogram::new_latency;

    fn of(values: impl IntoIterator<Item = u64>) -> Distribution {
        let mut all = new_latency();
        values.into_iter().for_each(|v| all.saturating_record(v));
        Distribution::from(&all)
    }

    #[test]
    fn percentiles_go_as_far_as_the_count_supports() {
        let points = points(&of(1..=10_000));
        let at = |share: f64| points.iter().find(|p| p.0 == share).map(|p| (p.1 * 1e9).round());
        // To three digits, rounded up to a bucket: 8 ns wide from 8192 on.
        assert_eq!((at(0.5), at(0.9), at(0.99)), (Some(5003.0), Some(9007.0), Some(9903.0)));
        assert_eq!(points.last().map(|p| p.0), Some(0.999));
        assert!(points.windows(2).all(|p| p[0].0 < p[1].0 && p[0].1 <= p[1].1), "{points:?}");
    }

    #[test]
    fn a_step_needs_its_corners_only() {
        let points = points(&of((0..10_000).map(|i| if i < 9_500 { 1000 } else { 5000 })));
        assert_eq!(points.len(), 4, "{points:?}");
        assert!(points[1].0 < 0.951 && points[2].0 > 0.949, "{points:?}");
    }

    #[test]
    fn of_few_operations_nothing_is_said() {
        assert_eq!(points(&of(1..=19)).len(), 0);
        assert_eq!(points(&Distribution::default()).len(), 0);
    }
}
