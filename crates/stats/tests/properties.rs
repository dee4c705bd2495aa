//! What must hold for any values, not only for those someone thought of.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use proptest::collection::vec;
use proptest::prelude::*;
use stats::comparison::{Judgement, Preference, holm, paired_ratio, verdict};
use stats::distribution::Distribution;
use stats::histogram::{SparseCounts, encode, max, new_latency, percentile};
use stats::interval::{median, of_center, order};
use stats::steady::mser5;
use stats::stopping::{StopDecision, StoppingRule, decide};

fn positive() -> impl Strategy<Value = f64> {
    (-6.0..6.0f64).prop_map(|exponent| 10f64.powf(exponent))
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1e-300)
}

/// No file of failures: a case worth keeping becomes a test of its own.
fn cases(count: u32) -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(count) }
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn the_interval_holds_the_median(values in vec(positive(), 2..40)) {
        let interval = of_center(&values, 0.95).unwrap();
        let median = median(&values).unwrap();
        prop_assert!(interval.low <= interval.high);
        // Up to four values the t interval reaches past all of them, at five past the median.
        prop_assert!(interval.contains(median), "{interval:?} {median}");
    }

    #[test]
    fn any_finite_values_have_an_ordered_interval(values in vec(-1e6..1e6f64, 2..30)) {
        let interval = of_center(&values, 0.95).unwrap();
        prop_assert!(interval.low <= interval.high);
    }

    #[test]
    fn the_interval_scales_with_the_values(
        values in vec(positive(), 2..20), factor in positive()
    ) {
        let scaled: Vec<f64> = values.iter().map(|value| value * factor).collect();
        let (one, other) = (of_center(&values, 0.95), of_center(&scaled, 0.95));
        let (one, other) = (one.unwrap(), other.unwrap());
        prop_assert!(close(one.low * factor, other.low), "{one:?} {other:?}");
        prop_assert!(close(one.high * factor, other.high), "{one:?} {other:?}");
        prop_assert_eq!(one.method, other.method);
    }

    #[test]
    fn the_interval_does_not_know_the_order(mut values in vec(positive(), 6..20)) {
        let before = of_center(&values, 0.95);
        values.reverse();
        prop_assert_eq!(before, of_center(&values, 0.95));
    }

    #[test]
    fn more_confidence_is_never_narrower(values in vec(positive(), 6..40)) {
        let widths: Vec<f64> = [0.5, 0.8, 0.9, 0.95, 0.968]
            .iter()
            .map(|confidence| order::interval(&values, *confidence).unwrap().half_width())
            .collect();
        prop_assert!(widths.is_sorted(), "{widths:?}");
    }

    #[test]
    fn interpolation_lies_within_the_exact_interval(values in vec(positive(), 6..40)) {
        let interval = order::interval(&values, 0.95).unwrap();
        let exact = order::exact(&values, 0.95).unwrap();
        prop_assert!(exact.low <= interval.low && interval.high <= exact.high);
        prop_assert!(exact.coverage >= 0.95);
    }

    #[test]
    fn swapped_sides_give_the_inverse(pairs in vec((positive(), positive()), 2..20)) {
        let swapped: Vec<(f64, f64)> = pairs.iter().map(|(a, b)| (*b, *a)).collect();
        let (Some(one), Some(other)) = (paired_ratio(&pairs, 0.95), paired_ratio(&swapped, 0.95))
        else {
            // Two pairs far apart have ends beyond f64, on both sides.
            prop_assert_eq!(paired_ratio(&pairs, 0.95), None);
            return Ok(());
        };
        prop_assert!(close(one.ratio, 1.0 / other.ratio));
        prop_assert!(close(one.interval.low, 1.0 / other.interval.high));
        prop_assert!(close(one.p_value, other.p_value));
        prop_assert!((0.0..=1.0).contains(&one.p_value));
        let mirrored = match verdict(&other, Preference::Higher, 0.05) {
            Judgement::Better => Judgement::Worse,
            Judgement::Worse => Judgement::Better,
            same => same,
        };
        prop_assert_eq!(verdict(&one, Preference::Higher, 0.05), mirrored);
    }

    #[test]
    fn the_p_value_agrees_with_the_interval(
        values in vec(-3.0..5.0f64, 6..20), alpha in 0.032..0.6f64
    ) {
        let p = order::p_value(&values, 0.0).unwrap();
        prop_assume!((p - alpha).abs() > 1e-9);
        let excluded = !order::interval(&values, 1.0 - alpha).unwrap().contains(0.0);
        prop_assert_eq!(p < alpha, excluded, "p {} alpha {}", p, alpha);
    }

    #[test]
    fn holm_keeps_the_order_and_only_raises(p_values in vec(0.0..=1.0f64, 0..20)) {
        let adjusted = holm(&p_values);
        for (i, p) in p_values.iter().enumerate() {
            prop_assert!(adjusted[i] >= *p && adjusted[i] <= 1.0);
            for (j, q) in p_values.iter().enumerate() {
                prop_assert!(p > q || adjusted[i] <= adjusted[j]);
            }
        }
        let mut reversed: Vec<f64> = p_values.clone();
        reversed.reverse();
        let mut back = holm(&reversed);
        back.reverse();
        prop_assert_eq!(adjusted, back);
    }

    #[test]
    fn cuts_are_whole_batches(series in vec(-1e3..1e3f64, 0..400)) {
        match mser5(&series) {
            None => prop_assert!(series.len() < 100),
            Some(found) => {
                prop_assert_eq!(found.truncate % 5, 0);
                prop_assert!(found.truncate + 25 <= series.len());
                prop_assert_eq!(found.settled, found.truncate * 2 <= found.batches * 5);
            }
        }
    }

    #[test]
    fn a_rule_ends_between_its_bounds(values in vec(positive(), 30), min in 0..10usize) {
        let rule = StoppingRule { min, max: 12, precision: Some(0.1), confidence: 0.95 };
        let end = (0..30).find(|n| decide(&rule, &values[..*n]) != StopDecision::More).unwrap();
        prop_assert!(end >= min && end <= 12, "{end}");
    }
}

// Histograms of 270 KB are slow without optimisation, and a damaged header may claim 50 MB.
proptest! {
    #![proptest_config(cases(24))]

    #[test]
    fn percentiles_rise_and_stay_in_range(values in vec(0..u64::MAX, 20..200)) {
        let mut histogram = new_latency();
        for value in &values {
            histogram.saturating_record(*value);
        }
        let found: Vec<f64> = (0..=100)
            .filter_map(|p| percentile(&histogram, f64::from(p)))
            .collect();
        prop_assert!(!found.is_empty() && found.is_sorted());
        prop_assert!(found.iter().all(|value| *value <= max(&histogram).unwrap()));
    }

    #[test]
    fn histograms_survive_storage(values in vec(0..10_000_000_000_000u64, 0..200)) {
        let mut histogram = new_latency();
        for value in &values {
            histogram.saturating_record(*value);
        }
        prop_assert_eq!(Distribution::decode(&encode(&histogram).unwrap()).unwrap(), Distribution::from(&histogram));
        let mut again = new_latency();
        SparseCounts::from(&histogram).add_to(&mut again);
        prop_assert_eq!(&again, &histogram);
    }

    #[test]
    fn no_bytes_make_reading_panic(
        changes in vec((0..400usize, any::<u8>()), 0..12), payload in vec(any::<u8>(), 0..60)
    ) {
        let mut histogram = new_latency();
        (1..300u64).for_each(|i| histogram.saturating_record(i * 1_000_003));
        let mut bytes = STANDARD.decode(encode(&histogram).unwrap()).unwrap();
        bytes.truncate(bytes.len().min(200));
        bytes.extend(payload);
        for (at, byte) in changes {
            let len = bytes.len();
            bytes[at % len] = byte;
        }
        // With the right length, so that it gets past the first check.
        let length = (bytes.len() - 40) as u32;
        bytes[4..8].copy_from_slice(&length.to_be_bytes());
        if let Ok(found) = Distribution::decode(&STANDARD.encode(&bytes)) {
            let _ = (found.percentile(99.0), found.max(), found.mean(), found.variation());
        }
    }
}
