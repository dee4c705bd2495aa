//! The shape of one distribution: of the only case, or of the one with the best
//! figure.

use chart::plot::{Axis, Bin, Histogram, Numbers, Reference, ReferenceKind, Spread};
use language::format;
use model::run::CaseResult;
use model::trial::Status;
use model::{Better, Unit, Value};
use stats::histogram::{Histogram as Counts, SparseCounts, decode, new_latency, percentile};

use super::percentiles::distribution;
use crate::figure::{Figure, Scene, metric};

pub(super) const KIND: &str = "histogram";

/// Bins of equal width on a logarithmic axis.
const BINS: usize = 50;

/// Buckets of the recorder are up to a thousandth wide; bins narrower than a few
/// of them would show its comb, not the distribution.
const NARROWEST: f64 = 1.004;

/// Percentiles to be named, where the count supports them.
const NAMED: &[(f64, &str)] = &[(50.0, "figure-median"), (99.0, "figure-p99")];

/// The distribution `name` of all good trials of a case together; `None` where
/// there is none, or none that can be read.
pub(in crate::figure) fn merged(case: &CaseResult, name: &str) -> Option<Counts<u64>> {
    let good = case.trials.iter().filter(|t| t.status == Status::Ok);
    let mut all = new_latency();
    for text in good.filter_map(|t| t.result.histograms.get(name)) {
        let Ok(one) = decode(text) else { continue };
        // Other tools record with other bounds.
        if all.add(&one).is_err() {
            SparseCounts::from(&one).add_to(&mut all);
        }
    }
    (!all.is_empty()).then_some(all)
}

pub(super) fn charts(scene: &Scene<'_>) -> Vec<Figure> {
    chart(scene).into_iter().collect()
}

fn chart(scene: &Scene<'_>) -> Option<Figure> {
    let words = scene.view.words;
    let (name, key) = distribution(&scene.cases)?;
    let group = scene.groups.iter().find(|g| distribution(&g.cases).is_some())?;
    let metric = metric::common(words, &group.cases, scene.spec);
    let better = metric.as_ref().map_or(Better::Higher, |m| m.better);
    let value = |c: &CaseResult| {
        let value = metric.as_ref().and_then(|m| m.at(c)).map(|m| m.value);
        value.map_or(f64::MIN, |v| if better == Better::Higher { v } else { -v })
    };
    let mut by_figure = group.cases.clone();
    by_figure.sort_by(|a, b| value(b).total_cmp(&value(a)));
    let (case, all) = by_figure.into_iter().find_map(|c| Some((c, merged(c, name)?)))?;
    let bins = bins(&all);
    if bins.len() < 2 {
        return None;
    }
    let title = Value::Text(words.say(key));
    let title = match group.cases.len() {
        1 => words.tell("figure-distribution", &[("metric", title)]),
        _ => words
            .tell("figure-distribution-of", &[("metric", title), ("case", Value::Text(group.label(case)))]),
    };
    let note = (scene.cases.len() > 1).then(|| {
        let figure = metric.as_ref().map(|m| m.title.clone()).unwrap_or_default();
        words.tell("figure-distribution-note", &[("metric", Value::Text(figure))])
    });
    let axis = Axis { title: words.say(key), numbers: Numbers::Unit(Unit::Seconds), spread: Spread::Decades };
    let plot = Histogram { value: axis, bins, references: named(scene, &all) };
    Some(Figure::new(KIND, scene.title(&title, group), plot).note(note))
}

fn named(scene: &Scene<'_>, all: &Counts<u64>) -> Vec<Reference> {
    let one = |(p, key): &(f64, &str)| {
        let value = percentile(all, *p)? * 1e-9;
        let shown = Value::Text(format::quantity(value, Unit::Seconds));
        let label = scene.view.words.tell(key, &[("value", shown)]);
        Some(Reference { value, label, kind: ReferenceKind::Ideal })
    };
    NAMED.iter().filter_map(one).collect()
}

/// Bins of equal logarithmic width from the least to the greatest value, in
/// seconds, with every operation in one of them; empty ones are left out.
pub(super) fn bins(all: &Counts<u64>) -> Vec<Bin> {
    let buckets: Vec<(f64, f64, u64)> = all
        .iter_recorded()
        .map(|b| {
            let value = b.value_iterated_to();
            // What took no time at all is within the recorder's least bucket.
            let low = all.lowest_equivalent(value).max(1) as f64;
            (low, (all.highest_equivalent(value).max(1) as f64).max(low), b.count_at_value())
        })
        .collect();
    let (Some(first), Some(last)) = (buckets.first(), buckets.last()) else { return Vec::new() };
    let (low, high) = (first.0, last.1 + 1.0);
    let ratio = high / low;
    let count = ((ratio.ln() / NARROWEST.ln()).floor() as usize).clamp(1, BINS);
    let edge = |at: usize| low * ratio.powf(at as f64 / count as f64);
    let mut counts = vec![0u64; count];
    for (low_of, high_of, n) in &buckets {
        let middle = (low_of * high_of).sqrt();
        let at = ((middle / low).ln() / ratio.ln() * count as f64).floor().max(0.0) as usize;
        counts[at.min(count - 1)] += n;
    }
    let bins = counts.into_iter().enumerate().filter(|(_, n)| *n > 0);
    bins.map(|(at, count)| Bin { low: edge(at) * 1e-9, high: edge(at + 1) * 1e-9, count }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_is_in_one_bin() {
        let mut all = new_latency();
        for value in 0..20_000u64 {
            all.saturating_record(80_000 + value * value / 7);
        }
        all.saturating_record(0);
        all.saturating_record(u64::MAX);
        let bins = bins(&all);
        assert_eq!(bins.iter().map(|b| b.count).sum::<u64>(), all.len());
        assert!(bins.len() <= BINS);
        for pair in bins.windows(2) {
            assert!(pair[0].high <= pair[1].low * (1.0 + 1e-9), "{pair:?}");
        }
        let width = |b: &Bin| (b.high / b.low).ln();
        assert!(bins.iter().all(|b| (width(b) - width(&bins[0])).abs() < 1e-9));
    }

    #[test]
    fn bins_of_known_values() {
        let mut all = new_latency();
        all.saturating_record_n(1_000, 7);
        all.saturating_record_n(1_000_000, 3);
        let bins = bins(&all);
        assert_eq!(bins.iter().map(|b| b.count).collect::<Vec<_>>(), [7, 3]);
        assert!((bins[0].low - 1e-6).abs() < 1e-9, "{bins:?}");
        assert!((bins[1].high - 1e-3).abs() < 2e-6, "{bins:?}");
    }

    #[test]
    fn narrow_ones_do_not_show_the_recorder() {
        let mut all = new_latency();
        (0..1000u64).for_each(|v| all.saturating_record(1_000_000 + v * 10));
        assert!(bins(&all).len() <= 3, "{:?}", bins(&all));
        assert!(bins(&new_latency()).is_empty());
    }
}
