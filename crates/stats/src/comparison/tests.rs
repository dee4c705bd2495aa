//! Known answers of ratios and verdicts.

use super::*;

fn near(got: f64, want: f64) {
    assert!((got - want).abs() <= 1e-9 * want.abs(), "{got} is not {want}");
}

const EIGHT: [(f64, f64); 8] = [
    (110.0, 100.0),
    (104.0, 101.0),
    (98.0, 99.0),
    (120.0, 103.0),
    (107.0, 102.0),
    (109.0, 100.0),
    (103.0, 100.0),
    (111.0, 104.0),
];

#[test]
fn below_six_pairs_student_on_logarithms() {
    // SciPy 1.17.1: stats.t.interval and stats.ttest_1samp on log(a / b).
    let found = paired_ratio(&EIGHT[..4], 0.95).unwrap();
    near(found.ratio, 1.0690792203841626);
    near(found.interval.low, 0.953420988242117);
    near(found.interval.high, 1.19876779885505);
    near(found.equivalence.low, 0.982288334334335);
    near(found.equivalence.high, 1.163538585879405);
    near(found.p_value, 0.16036164115765117);
    assert_eq!(found.interval.method, Method::StudentLog);
    near(found.equivalence.confidence, 0.90);
}

#[test]
fn from_six_pairs_the_median_ratio() {
    // SciPy 1.17.1: exp(median), exp(mstats.median_cihs(logs, alpha)) for alpha .05 and .1;
    // the p-value by brentq over alpha.
    let found = paired_ratio(&EIGHT, 0.95).unwrap();
    near(found.ratio, 1.0581241405584598);
    near(found.interval.low, 1.027093813995591);
    near(found.interval.high, 1.1040747155943);
    near(found.equivalence.low, 1.029798077226107);
    near(found.equivalence.high, 1.096787807550468);
    near(found.p_value, 0.01076315254320674);
    assert_eq!(found.interval.method, Method::OrderStatistic);
}

#[test]
fn six_pairs_can_be_significant() {
    let pairs = [1.01, 1.02, 1.03, 1.04, 1.05, 1.06].map(|a| (a, 1.0));
    let found = paired_ratio(&pairs, 0.95).unwrap();
    near(found.p_value, 0.03125);
    assert_eq!(verdict(&found, Preference::Higher, 0.0), Judgement::Better);
}

#[test]
fn pairs_without_a_ratio_are_refused() {
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(paired_ratio(&[(1.0, 1.0), (bad, 1.0)], 0.95), None);
        assert_eq!(paired_ratio(&[(1.0, 1.0), (1.0, bad)], 0.95), None);
    }
    assert_eq!(paired_ratio(&[(1.0, 2.0)], 0.95), None);
    assert_eq!(paired_ratio(&[(1.0, 2.0), (1.0, 3.0)], 0.5), None);
    assert_eq!(paired_ratio(&[(1.0, 2.0), (1.0, 3.0)], 1.0), None);
}

fn ratio(interval: (f64, f64), equivalence: (f64, f64)) -> RatioEstimate {
    let make = |(low, high): (f64, f64), confidence| {
        Interval::new(low, high, confidence, Method::StudentLog).unwrap()
    };
    RatioEstimate {
        trials: Trials { a: 5, b: 5 },
        paired: true,
        ratio: 1.0,
        interval: make(interval, 0.95),
        equivalence: make(equivalence, 0.90),
        p_value: 0.5,
    }
}

#[test]
fn verdicts() {
    let above = ratio((1.01, 1.10), (1.02, 1.09));
    assert_eq!(verdict(&above, Preference::Higher, 0.05), Judgement::Better);
    assert_eq!(verdict(&above, Preference::Lower, 0.05), Judgement::Worse);
    // Certain, and too small to matter: the margin wins.
    assert_eq!(verdict(&above, Preference::Higher, 0.10), Judgement::Same);
    let below = ratio((0.80, 0.90), (0.81, 0.89));
    assert_eq!(verdict(&below, Preference::Higher, 0.05), Judgement::Worse);
    assert_eq!(verdict(&below, Preference::Lower, 0.05), Judgement::Better);
    let around = ratio((0.97, 1.04), (0.98, 1.03));
    assert_eq!(verdict(&around, Preference::Higher, 0.05), Judgement::Same);
    assert_eq!(verdict(&around, Preference::Higher, 0.02), Judgement::CannotTell);
    // 0.955 lies within -5 % but not within 1 / 1.05.
    let lower = ratio((0.94, 1.01), (0.951, 1.0));
    assert_eq!(verdict(&lower, Preference::Higher, 0.05), Judgement::CannotTell);
}

#[test]
fn a_margin_of_zero_calls_only_equal_pairs_the_same() {
    for n in [2, 6] {
        let found = paired_ratio(&vec![(3.3, 3.3); n], 0.95).unwrap();
        assert_eq!(verdict(&found, Preference::Higher, 0.0), Judgement::Same);
        assert_eq!(found.p_value, 1.0);
    }
    let around = ratio((0.97, 1.04), (0.98, 1.03));
    for margin in [0.0, -1.0, f64::NAN] {
        assert_eq!(verdict(&around, Preference::Higher, margin), Judgement::CannotTell);
    }
}

#[test]
fn holm_is_that_of_the_published_example() {
    // The example of Wikipedia's "Holm-Bonferroni method"; R: p.adjust(p, "holm").
    let adjusted = holm(&[0.01, 0.04, 0.03, 0.005]);
    for (got, want) in adjusted.iter().zip([0.03, 0.06, 0.06, 0.02]) {
        near(*got, want);
    }
    assert_eq!(holm(&[0.6, 0.7]), [1.0, 1.0]);
    assert_eq!(holm(&[]), Vec::<f64>::new());
    let with_nan = holm(&[0.02, f64::NAN, 0.03]);
    assert!(with_nan[1].is_nan());
    near(with_nan[0], 0.04);
    near(with_nan[2], 0.04);
}

#[test]
fn below_six_on_a_side_welch_on_logarithms() {
    // SciPy 1.17.1: stats.ttest_ind(log(a), log(b), equal_var=False), .confidence_interval(c).
    let (a, b) = ([110.0, 104.0, 98.0, 120.0, 107.0], [100.0, 101.0, 99.0, 103.0]);
    let found = unpaired_ratio(&a, &b, 0.95).unwrap();
    near(found.ratio, 1.0676895116811649);
    near(found.interval.low, 0.9742673007609026);
    near(found.interval.high, 1.1700699515047412);
    near(found.equivalence.low, 0.9943736904788969);
    near(found.equivalence.high, 1.14641095623211);
    near(found.p_value, 0.12202435178425347);
    assert_eq!(found.interval.method, Method::WelchLog);
    assert_eq!((found.trials, found.paired), (Trials { a: 5, b: 4 }, false));
    // The other way round it is the inverse.
    let inverse = unpaired_ratio(&b, &a, 0.95).unwrap();
    near(inverse.interval.low, 1.0 / found.interval.high);
    near(inverse.p_value, found.p_value);
}

#[test]
fn from_six_on_both_sides_the_shift_of_hodges_and_lehmann() {
    // SciPy 1.17.1: exp of the median of all differences of logarithms and of those that the
    // distribution in stats.mannwhitneyu(method="exact") gives; the p-value of that test.
    let (a, b) = (EIGHT.map(|(a, _)| a), [100.0, 101.0, 99.0, 103.0, 102.0, 97.0]);
    let a = [a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]];
    let found = unpaired_ratio(&a, &b, 0.95).unwrap();
    near(found.ratio, 1.0710819272330945);
    near(found.interval.low, 1.0103092783505159);
    near(found.interval.high, 1.1237113402061853);
    near(found.equivalence.low, 1.0198019801980196);
    near(found.equivalence.high, 1.1111111111111116);
    near(found.p_value, 0.01998001998001998);
    assert_eq!(found.interval.method, Method::HodgesLehmann);
}

#[test]
fn the_shift_is_that_of_the_book() {
    // Hollander & Wolfe 1973, page 69, the example of R's `wilcox.test`: W = 35, one-sided
    // p = 0.1272; with conf.int the shift 0.305 and (-0.15, 0.76).
    let x = [0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46];
    let y = [1.15, 0.88, 0.90, 0.74, 1.21];
    let shift = HodgesLehmann::new(&x, &y).unwrap();
    near(shift.point(), 0.305);
    near(shift.p_value(), 0.2544122544122544);
    let interval = shift.interval(0.95).unwrap();
    near(interval.low, -0.15);
    near(interval.high, 0.76);
}

#[test]
fn a_confidence_that_ranks_cannot_reach_and_many_trials_take_welch() {
    let a = [1.01, 1.02, 1.03, 1.04, 1.05, 1.06];
    let b = [1.0, 0.99, 0.98, 0.97, 0.96, 0.95];
    assert_eq!(unpaired_ratio(&a, &b, 0.95).unwrap().interval.method, Method::HodgesLehmann);
    near(unpaired_ratio(&a, &b, 0.95).unwrap().p_value, 2.0 / 924.0);
    assert_eq!(unpaired_ratio(&a, &b, 0.999).unwrap().interval.method, Method::WelchLog);
    let many: Vec<f64> = (0..51).map(|i| 1.0 + f64::from(i) / 100.0).collect();
    assert_eq!(unpaired_ratio(&many, &many[1..], 0.95).unwrap().interval.method, Method::WelchLog);
    assert_eq!(unpaired_ratio(&many[1..], &many[1..], 0.95).unwrap().interval.method, Method::HodgesLehmann);
    // Half as many again is still one shape's due; more is not.
    let with_six = |n: usize| unpaired_ratio(&many[..n], &b, 0.95).unwrap().interval.method;
    assert_eq!((with_six(9), with_six(10)), (Method::HodgesLehmann, Method::WelchLog));
}

#[test]
fn sides_without_a_ratio_are_refused() {
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(unpaired_ratio(&[1.0, bad], &[1.0, 2.0], 0.95), None);
        assert_eq!(unpaired_ratio(&[1.0, 2.0], &[1.0, bad], 0.95), None);
    }
    assert_eq!(unpaired_ratio(&[1.0], &[1.0, 2.0], 0.95), None);
    assert_eq!(unpaired_ratio(&[1.0, 2.0], &[], 0.95), None);
    assert_eq!(unpaired_ratio(&[1.0, 2.0], &[1.0, 3.0], 0.5), None);
    // Ends that no `f64` holds.
    assert_eq!(unpaired_ratio(&[1e-300, 1e300], &[1e-300, 1e300], 0.95), None);
}

#[test]
fn sides_without_spread_are_equal_or_not() {
    for n in [2, 6] {
        let same = unpaired_ratio(&vec![3.3; n], &vec![3.3; n], 0.95).unwrap();
        assert_eq!((same.ratio, same.p_value), (1.0, 1.0));
        assert_eq!(verdict(&same, Preference::Higher, 0.0), Judgement::Same);
        let other = unpaired_ratio(&vec![6.6; n], &vec![3.3; n], 0.95).unwrap();
        near(other.ratio, 2.0);
        assert!(other.p_value < 0.05);
        assert_eq!(verdict(&other, Preference::Higher, 0.02), Judgement::Better);
    }
}

#[test]
fn ranks_that_could_show_nothing_in_a_long_page_give_way() {
    let pairs = [1.01, 1.02, 1.03, 1.04, 1.05, 1.06].map(|a| (a, 1.0));
    let among = |family| paired_ratio(&pairs, ConfidenceLevel { confidence: 0.95, family }).unwrap();
    assert_eq!(among(1), paired_ratio(&pairs, 0.95).unwrap());
    assert_eq!(among(1).interval.method, Method::OrderStatistic);
    assert_eq!(among(2).interval.method, Method::StudentLog);
    assert!(among(2).p_value < 0.025);
    let sides = (pairs.map(|(a, _)| a), [1.0, 0.99, 0.98, 0.97, 0.96, 0.95]);
    let method = |family| {
        unpaired_ratio(&sides.0, &sides.1, ConfidenceLevel { confidence: 0.95, family })
            .unwrap()
            .interval
            .method
    };
    // 0.05 * 924 / 2 = 23.1.
    assert_eq!((method(23), method(24)), (Method::HodgesLehmann, Method::WelchLog));
}
