//! The rows: each metric of each pair of cases, its ratio, and what may be said.
//!
//! Judged are, unless others are asked for, the metric that the workload shows first and the 99th
//! percentile of its latency. The other metrics of a case mostly say the same again (IOPS,
//! throughput and the median latency of a closed loop are one number in three units), and each row
//! that is judged makes Holm ask more of all others.

use std::collections::BTreeSet;

use model::comparison::{Pairing, Ratio, Remark, Row, Verdict};
use model::run::{CaseResult, Estimate};
use model::{Better, MetricName, Parameters, Trial, Unit, metric};
use stats::comparison::{self, ConfidenceLevel, holm, paired_ratio, unpaired_ratio};

use super::error::ComparisonError;
use super::pair::CasePair;
use super::{ComparisonOptions, Judged};
use crate::{CONFIDENCE, measure};

/// Judged beside the headline.
const JUDGED: MetricName = metric::LATENCY_P99;

/// The trials of both sides, ready for a ratio of the new to the baseline.
enum Sample {
    Pairs(Vec<(f64, f64)>),
    Sides(Vec<f64>, Vec<f64>),
}

/// A row whose ratio is still to be made.
struct Candidate {
    row: Row,
    sample: Result<Sample, Remark>,
}

/// That each metric that was asked for is there somewhere.
pub(super) fn check_metrics(pairs: &[CasePair<'_>], asked: &[MetricName]) -> Result<(), ComparisonError> {
    let known: BTreeSet<MetricName> = pairs
        .iter()
        .flat_map(|p| {
            p.new.loads.main.estimates.keys().filter(|m| p.baseline.loads.main.estimates.contains_key(*m))
        })
        .copied()
        .collect();
    match asked.iter().find(|m| !known.contains(m)) {
        Some(metric) => Err(ComparisonError::NoMetric {
            metric: *metric,
            known: known.iter().map(ToString::to_string).collect(),
        }),
        None => Ok(()),
    }
}

/// All rows, those of a case together and its headline first; and how many were judged together.
pub(super) fn rows(pairs: &[CasePair<'_>], options: &ComparisonOptions<'_>) -> (Vec<Row>, usize) {
    let candidates: Vec<Candidate> = pairs.iter().flat_map(|pair| candidates(pair, options)).collect();
    let family = candidates.iter().filter(|c| c.row.judged && c.sample.is_ok()).count();
    let level = ConfidenceLevel { confidence: CONFIDENCE, family };
    let mut judged: Vec<(usize, comparison::RatioEstimate)> = Vec::new();
    let mut rows = Vec::with_capacity(candidates.len());
    for Candidate { mut row, sample } in candidates {
        match sample.and_then(|s| ratio(&s, level).ok_or_else(|| Remark::new("no-interval"))) {
            Ok(found) => {
                row.ratio = Some(in_document(&found));
                if row.judged {
                    judged.push((rows.len(), found));
                }
            }
            Err(reason) => {
                row.verdict = row.judged.then_some(Verdict::CannotTell);
                row.reason = Some(reason);
            }
        }
        rows.push(row);
    }
    let adjusted = holm(&judged.iter().map(|(_, ratio)| ratio.p_value).collect::<Vec<_>>());
    let count = judged.len();
    for ((place, ratio), p) in judged.into_iter().zip(adjusted) {
        judge(&mut rows[place], &ratio, p, count, options.margin);
    }
    (rows, count)
}

fn ratio(sample: &Sample, level: ConfidenceLevel) -> Option<comparison::RatioEstimate> {
    match sample {
        Sample::Pairs(pairs) => paired_ratio(pairs, level),
        Sample::Sides(new, baseline) => unpaired_ratio(new, baseline, level),
    }
}

/// *Same* by the margin; *better* and *worse* only where the corrected p agrees.
fn judge(row: &mut Row, ratio: &comparison::RatioEstimate, p_adjusted: f64, family: usize, margin: f64) {
    let better = match row.better {
        Better::Higher => comparison::Preference::Higher,
        Better::Lower => comparison::Preference::Lower,
    };
    let is_certain = p_adjusted < 1.0 - CONFIDENCE;
    let verdict = match comparison::verdict(ratio, better, margin) {
        comparison::Judgement::Same => Verdict::Same,
        comparison::Judgement::Better if is_certain => Verdict::Better,
        comparison::Judgement::Worse if is_certain => Verdict::Worse,
        comparison::Judgement::Better | comparison::Judgement::Worse => {
            row.reason = Some(Remark::new("lost-among-many").arg("family", family as u64));
            Verdict::CannotTell
        }
        comparison::Judgement::CannotTell => Verdict::CannotTell,
    };
    row.verdict = Some(verdict);
    if let Some(shown) = &mut row.ratio {
        shown.p_adjusted = Some(p_adjusted);
    }
}

fn in_document(ratio: &comparison::RatioEstimate) -> Ratio {
    Ratio {
        point: ratio.ratio,
        low: ratio.interval.low,
        high: ratio.interval.high,
        same_low: ratio.equivalence.low,
        same_high: ratio.equivalence.high,
        method: ratio.interval.method.code().to_owned(),
        pairing: if ratio.paired { Pairing::Paired } else { Pairing::Independent },
        baseline_trials: ratio.trials.b,
        trials: ratio.trials.a,
        p_value: ratio.p_value,
        p_adjusted: None,
    }
}

/// The rows of one pair of cases.
fn candidates(pair: &CasePair<'_>, options: &ComparisonOptions<'_>) -> Vec<Candidate> {
    let headline = headline(pair);
    let both = |m: &MetricName| pair.new.loads.main.estimates.contains_key(m);
    let common = pair.baseline.loads.main.estimates.keys().copied().filter(both);
    let mut metrics: Vec<MetricName> = headline.into_iter().collect();
    metrics.extend(common.filter(|m| Some(*m) != headline));
    // What would be judged and one side does not have is told, with the reason.
    let is_named = |metric| match options.judged {
        Judged::Usual => metric == JUDGED,
        Judged::All(chosen) | Judged::These(chosen) => chosen.contains(&metric),
    };
    for metric in pair.baseline.loads.main.estimates.keys().chain(pair.new.loads.main.estimates.keys()) {
        if is_named(*metric) && !metrics.contains(metric) {
            metrics.push(*metric);
        }
    }
    let asked = |metric: MetricName| match options.judged {
        Judged::Usual => Some(metric) == headline || metric == JUDGED,
        Judged::All(_) => true,
        Judged::These(chosen) => chosen.contains(&metric),
    };
    let parameters = in_common(&pair.baseline.loads.main.parameters, &pair.new.loads.main.parameters);
    let one = |metric: MetricName| {
        let (baseline, new) =
            (pair.baseline.loads.main.estimates.get(&metric), pair.new.loads.main.estimates.get(&metric));
        let defined = || pair.definitions.metric(pair.baseline.loads.main.workload, metric);
        let (unit, better) = match baseline.or(new) {
            Some(estimate) => (estimate.unit, estimate.better),
            None => defined().map_or((Unit::One, Better::Higher), |m| (m.unit, m.better)),
        };
        let row = Row {
            case: pair.case.to_string(),
            case_parts: Some(pair.case.clone()),
            workload: pair.baseline.loads.main.workload,
            rate_unit: measure::profile(pair.baseline).rate_unit,
            parameters: parameters.clone(),
            baseline_side: pair.baseline_side,
            side: pair.side,
            metric: metric.to_owned(),
            unit,
            better,
            headline: Some(metric) == headline,
            judged: asked(metric),
            baseline: baseline.cloned(),
            new: new.cloned(),
            ratio: None,
            verdict: None,
            reason: None,
        };
        Candidate { row, sample: sample(pair, metric, baseline.zip(new)) }
    };
    metrics.into_iter().map(one).collect()
}

/// The metric to show first: how long it took where the same amount of work ended it on both sides,
/// the rate that kept to a latency, otherwise that of the workload.
fn headline(pair: &CasePair<'_>) -> Option<MetricName> {
    let (baseline, new) = (&pair.baseline.loads.main, &pair.new.loads.main);
    let has = |metric: MetricName| {
        Some(metric).filter(|m| baseline.estimates.contains_key(m) && new.estimates.contains_key(m))
    };
    let same_end =
        baseline.profile.end == new.profile.end && baseline.profile.span_bytes == new.profile.span_bytes;
    let usual = Some(baseline.profile.headline).filter(|m| !m.is_empty());
    let first = || baseline.estimates.keys().find_map(|m| has(*m));
    has(metric::ELAPSED)
        .filter(|_| same_end)
        .or_else(|| has(metric::RATE_HELD))
        .or(usual)
        .or_else(|| has(metric::THROUGHPUT))
        .or_else(first)
}

fn in_common(a: &Parameters, b: &Parameters) -> Parameters {
    let same = a.iter().filter(|(name, value)| b.get(*name) == Some(*value));
    same.map(|(name, value)| (name, value.clone())).collect()
}

/// Why there is no verdict, in English.
pub(super) const ENGLISH: &str = r#"
remark-no-figure =
    { $side ->
        [neither] neither side has
        [new] the new side has not
       *[baseline] the baseline has not
    } a trial that gave it
remark-other-unit = the units differ: { $baseline } and { $new }
remark-not-above-zero = a trial measured 0 or less, of which there is no ratio
remark-in-some-trials =
    { $have ->
        [0] { $of ->
            [1] the only trial has not
           *[other] none of the { $of } trials has
        }
        [1] only 1 of the { $of } trials has
       *[other] only { $have } of the { $of } trials have
    } enough operations for this percentile; the figure shown comes from all trials together
remark-too-few-trials =
    { $new ->
        [1] 1 trial
       *[other] { $new } trials
    } against { $baseline }: an interval needs two on each side
remark-no-interval = the trials lie too far apart for an interval
remark-lost-among-many =
    alone it would be a difference; among { $family } that are looked at it may be chance
"#;

/// What the trials of both sides measured, or why that makes no ratio.
fn sample(
    pair: &CasePair<'_>,
    metric: MetricName,
    estimates: Option<(&Estimate, &Estimate)>,
) -> Result<Sample, Remark> {
    let Some((baseline, new)) = estimates else {
        let side = match (has_figures(pair.baseline, metric), has_figures(pair.new, metric)) {
            (false, false) => "neither",
            (true, false) => "new",
            _ => "baseline",
        };
        return Err(Remark::new("no-figure").arg("side", side));
    };
    if baseline.unit != new.unit {
        let remark = Remark::new("other-unit").arg("baseline", baseline.unit.symbol());
        return Err(remark.arg("new", new.unit.symbol()));
    }
    let (of_baseline, of_new) = (values(pair.baseline, metric)?, values(pair.new, metric)?);
    let all = of_baseline.iter().chain(&of_new).map(|(_, value)| *value);
    if !all.clone().all(|value| value.is_finite() && value > 0.0) {
        return Err(Remark::new("not-above-zero"));
    }
    let sample = if pair.is_one_run && pair.baseline.block == pair.new.block {
        let partner = |block: u32| of_baseline.iter().find(|(b, _)| *b == block).map(|(_, value)| *value);
        let pairs: Vec<(f64, f64)> =
            of_new.iter().filter_map(|(block, value)| Some((*value, partner(*block)?))).collect();
        if pairs.len() < 2 {
            return Err(too_few(of_baseline.len(), of_new.len()));
        }
        Sample::Pairs(pairs)
    } else {
        if of_baseline.len() < 2 || of_new.len() < 2 {
            return Err(too_few(of_baseline.len(), of_new.len()));
        }
        let bare = |of: Vec<(u32, f64)>| of.into_iter().map(|(_, value)| value).collect();
        Sample::Sides(bare(of_new), bare(of_baseline))
    };
    Ok(sample)
}

fn has_figures(case: &CaseResult, metric: MetricName) -> bool {
    measure::good(case).any(|t| t.result.main().metrics.contains_key(&metric))
}

/// Each good trial's own value, with its block. A percentile that only the longer trials have is
/// none of the case.
fn values(case: &CaseResult, metric: MetricName) -> Result<Vec<(u32, f64)>, Remark> {
    let value = |t: &Trial| Some((t.block, measure::measured(t, metric)?));
    let found: Vec<(u32, f64)> = measure::good(case).filter_map(value).collect();
    let all = measure::good(case).count();
    if found.len() < all {
        return Err(Remark::new("in-some-trials").arg("have", found.len() as u64).arg("of", all as u64));
    }
    Ok(found)
}

fn too_few(baseline: usize, new: usize) -> Remark {
    Remark::new("too-few-trials").arg("baseline", baseline as u64).arg("new", new as u64)
}
