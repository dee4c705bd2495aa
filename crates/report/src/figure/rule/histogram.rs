//! The shape of one distribution: of the only case, or of the one with the best
//! figure.

use chart::plot::{Axis, Bin, Histogram, Numbers, Reference, ReferenceKind, Spread};
use language::{Words, format};
use model::run::CaseResult;
use model::trial::Status;
use model::{Better, MetricName, Unit, Value};
use stats::distribution::{Bucket, Distribution};

use super::percentiles::distribution;
use crate::figure::{Figure, RuleInput, quantity};

/// Bins of equal width on a logarithmic axis.
const BINS: usize = 50;

/// Buckets of the recorder are up to a thousandth wide; bins narrower than a few
/// of them would show its comb, not the distribution.
const NARROWEST: f64 = 1.004;

/// Bins reach so many times beyond the last hundredth at either end, at most.
const FAR: f64 = 1.5;

/// Percentiles to be named, where the count supports them.
const NAMED: &[(f64, &str)] = &[(50.0, "figure-median"), (99.0, "figure-p99")];

/// The distribution `name` of all good trials of a case together; `None` where
/// there is none, or none that can be read.
pub(in crate::figure) fn merged(case: &CaseResult, name: MetricName) -> Option<Distribution> {
    let good = case.trials.iter().filter(|t| t.status == Status::Ok);
    let mut all = Distribution::default();
    let texts = good.filter_map(|t| t.result.main().histograms.get(&name));
    texts.filter_map(|text| Distribution::decode(text).ok()).for_each(|one| all.add(&one));
    (!all.is_empty()).then_some(all)
}

pub(super) fn charts(input: &RuleInput<'_>) -> Vec<Figure> {
    chart(input).into_iter().collect()
}

fn chart(input: &RuleInput<'_>) -> Option<Figure> {
    let words = input.view.words;
    let (name, key) = distribution(&input.cases)?;
    let group = input.groups.iter().find(|g| distribution(&g.cases).is_some())?;
    let metric = quantity::common(words, &group.cases);
    let better = metric.as_ref().map_or(Better::Higher, |m| m.better);
    let value = |c: &CaseResult| {
        let value = metric.as_ref().and_then(|m| m.at(c)).map(|m| m.value);
        value.map_or(f64::MIN, |v| if better == Better::Higher { v } else { -v })
    };
    let mut by_figure = group.cases.clone();
    by_figure.sort_by(|a, b| value(b).total_cmp(&value(a)));
    let (case, all) = by_figure.into_iter().find_map(|c| Some((c, merged(c, name)?)))?;
    let (bins, beyond) = bins(&all);
    if bins.len() < 2 {
        return None;
    }
    let name = words.say(key);
    let title = match group.cases.len() {
        1 => words.tell_texts("figure-distribution", &[("metric", &name)]),
        _ => words.tell_texts("figure-distribution-of", &[("metric", &name), ("case", &group.label(case))]),
    };
    let note = (input.cases.len() > 1).then(|| {
        let figure = metric.as_ref().map_or("", |m| &m.title);
        words.tell_texts("figure-distribution-note", &[("metric", figure)])
    });
    let axis = Axis { title: name, numbers: Numbers::Unit(Unit::Seconds), spread: Spread::Decades };
    let plot = Histogram { value: axis, bins, references: named(input, &all) };
    Some(
        Figure::new("histogram", input.title(&title, group), plot)
            .note(note.into_iter().chain(beyond_text(words, &all, beyond))),
    )
}

/// What lies outside the bins, and how far off.
fn beyond_text(words: &Words, all: &Distribution, (below, above): (u64, u64)) -> Option<String> {
    let seconds = |ns: u64| Value::Text(format::quantity(ns as f64 * 1e-9, Unit::Seconds));
    let count = |n: u64| [("count", Value::from(n)), ("share", Value::Number(n as f64 / all.len() as f64))];
    let said = |key: &str, n: u64, end: u64| {
        let [count, share] = count(n);
        (n > 0).then(|| words.tell(key, &[count, share, ("end", seconds(end))]))
    };
    let both = [said("figure-above", above, all.max()?), said("figure-below", below, all.min()?)];
    let both: Vec<String> = both.into_iter().flatten().collect();
    (!both.is_empty()).then(|| both.join(" "))
}

fn named(input: &RuleInput<'_>, all: &Distribution) -> Vec<Reference> {
    let one = |(p, key): &(f64, &str)| {
        let value = all.percentile(*p)? * 1e-9;
        let shown = Value::Text(format::quantity(value, Unit::Seconds));
        let label = input.view.words.tell(key, &[("value", shown)]);
        Some(Reference { value, label, kind: ReferenceKind::Ideal })
    };
    NAMED.iter().filter_map(one).collect()
}

/// Bins of equal logarithmic width, in seconds, with every operation of their
/// range in one of them; empty ones are left out. And how many operations lie
/// below and above: a tail that is far from the bulk would leave that one bin
/// wide, and is shown by percentiles.
pub(super) fn bins(all: &Distribution) -> (Vec<Bin>, (u64, u64)) {
    // What took no time at all is within the recorder's least bucket.
    let ends = |bucket: &Bucket| {
        let low = bucket.low.max(1) as f64;
        (low, (bucket.high as f64 + 1.0).max(low + 1.0))
    };
    let (Some(first), Some(last)) = (all.buckets().first(), all.buckets().last()) else {
        return (Vec::new(), (0, 0));
    };
    let low = all.percentile(1.0).map_or(0.0, |p| p / FAR).max(ends(first).0);
    let high = all.percentile(99.0).map_or(f64::MAX, |p| p.max(1.0) * FAR).min(ends(last).1);
    let ratio = high / low;
    let count = ((ratio.ln() / NARROWEST.ln()).floor() as usize).clamp(1, BINS);
    let edge = |at: usize| low * ratio.powf(at as f64 / count as f64);
    let mut counts = vec![0u64; count];
    let (mut below, mut above) = (0, 0);
    for bucket in all.buckets() {
        let (low_of, high_of) = ends(bucket);
        let middle = (low_of * high_of).sqrt();
        match bucket.count {
            n if middle < low => below += n,
            n if middle >= high => above += n,
            n => counts[(((middle / low).ln() / ratio.ln() * count as f64) as usize).min(count - 1)] += n,
        }
    }
    let bins = counts.into_iter().enumerate().filter(|(_, n)| *n > 0);
    let bins =
        bins.map(|(at, count)| Bin { low: edge(at) * 1e-9, high: edge(at + 1) * 1e-9, count }).collect();
    (bins, (below, above))
}

#[cfg(test)]
mod tests {
    use stats::histogram::new_latency;

    use super::*;

    #[test]
    fn every_operation_is_counted_once() {
        let mut all = new_latency();
        for value in 0..20_000u64 {
            all.saturating_record(80_000 + value * value / 7);
        }
        all.saturating_record(0);
        all.saturating_record(u64::MAX);
        let (bins, (below, above)) = bins(&Distribution::from(&all));
        assert_eq!(bins.iter().map(|b| b.count).sum::<u64>() + below + above, all.len());
        assert_eq!(below, 1);
        // The one far beyond; 1.5 times the 99th percentile is past all others.
        assert_eq!(above, 1);
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
        let (bins, beyond) = bins(&Distribution::from(&all));
        // Ten operations have no 99th percentile: nothing is cut off.
        assert_eq!(bins.iter().map(|b| b.count).collect::<Vec<_>>(), [7, 3]);
        assert_eq!(beyond, (0, 0));
        assert!((bins[0].low - 1e-6).abs() < 1e-9, "{bins:?}");
        assert!((bins[1].low..bins[1].high).contains(&1e-3), "{bins:?}");
    }

    #[test]
    fn a_far_tail_leaves_the_bulk_its_room() {
        let mut all = new_latency();
        (0..10_000u64).for_each(|v| all.saturating_record(300_000 + v * 10));
        all.saturating_record_n(33_000_000, 50);
        let (bins, beyond) = bins(&Distribution::from(&all));
        assert_eq!(beyond, (0, 50));
        assert!(bins.len() > 15, "{}", bins.len());
    }

    #[test]
    fn narrow_ones_do_not_show_the_recorder() {
        let mut all = new_latency();
        (0..1000u64).for_each(|v| all.saturating_record(1_000_000 + v * 10));
        assert!(bins(&Distribution::from(&all)).0.len() <= 8, "{:?}", bins(&Distribution::from(&all)));
        assert!(bins(&Distribution::default()).0.is_empty());
        let mut all = new_latency();
        all.saturating_record_n(0, 100);
        assert_eq!(bins(&Distribution::from(&all)).0.iter().map(|b| b.count).sum::<u64>(), 100);
    }
}
