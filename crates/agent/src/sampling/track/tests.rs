//! What becomes of the samples of samplers.

use super::*;

struct Fake(Vec<SamplerColumn>);

impl Sampler for Fake {
    fn source(&self) -> &str {
        "/fake"
    }
    fn columns(&self) -> &[SamplerColumn] {
        &self.0
    }
    fn read(&mut self, _: &mut [u64]) {}
}

/// A track of 100 ms with these samples: when, in ms, and a row.
fn track(columns: Vec<SamplerColumn>, samples: &[(u64, &[u64])]) -> SampleBuffer {
    let mut track = SampleBuffer::new(vec![Box::new(Fake(columns))]);
    track.start(1_000_000_000, 100_000_000);
    for (ms, row) in samples {
        track.at_ns.push(1_000_000_000 + ms * 1_000_000);
        track.values.extend_from_slice(row);
    }
    track
}

fn bytes() -> SamplerColumn {
    SamplerColumn::counter("block:x", "read_sectors", Unit::Bytes, 512.0)
}

fn values(track: &SampleBuffer) -> Vec<(String, u64, Vec<f64>)> {
    let of = |s: Series| (s.name.to_string(), (s.start_ns - 1_000_000_000) / 1_000_000, s.values);
    track.series().into_iter().map(of).collect()
}

#[test]
fn counters_become_rates_and_gauges_stay() {
    let idle = SamplerColumn::counter("x", "idle", Unit::One, 1.0);
    let stands = SamplerColumn::gauge("x", "stands", Unit::Bytes, 2.0);
    let track = track(
        vec![bytes(), idle, stands],
        &[(0, &[1000, 7, 5]), (100, &[1100, 7, 6]), (200, &[1100, 7, 0]), (310, &[1300, 7, 6])],
    );
    let series = track.series();
    assert_eq!((series[0].unit, series[1].unit), (Unit::BytesPerSecond, Unit::Bytes));
    assert_eq!(series[0].interval_ns, 100_000_000);
    let name = |n: &str| n.to_owned();
    assert_eq!(
        values(&track),
        [
            // 200 sectors in 110 ms, as it was, not as it was planned.
            (name("read_sectors"), 0, vec![512_000.0, 0.0, 930_909.0]),
            (name("stands"), 0, vec![12.0, 0.0, 12.0]),
        ]
    );
    let late = Window { start_ns: 900_000_000, end_ns: 990_000_000 };
    assert!(track.counters(late).is_empty(), "one reading counts nothing");
    let window = Window { start_ns: 1_090_000_000, end_ns: 1_300_000_000 };
    let counters = track.counters(window);
    assert_eq!(counters.len(), 2, "a gauge is no counter: {counters:?}");
    assert_eq!((counters[0].before, counters[0].after), (1100, 1300));
    assert_eq!((counters[0].before_ns, counters[0].after_ns), (1_100_000_000, 1_310_000_000));
    assert_eq!((counters[0].change(), counters[0].source.as_str()), (Some(102_400.0), "/fake read_sectors"));
    assert_eq!(counters[1].change(), Some(0.0), "one that stood still is told");
}

#[test]
fn a_missing_sample_does_not_move_the_others() {
    let track = track(vec![bytes()], &[(0, &[0]), (100, &[10]), (305, &[60]), (400, &[70]), (430, &[73])]);
    let rates: Vec<f64> = values(&track)[0].2.iter().map(|v| (v / 512.0).round()).collect();
    assert_eq!(rates, [100.0, 244.0, 244.0, 105.0]);
}

#[test]
fn a_device_that_comes_and_goes_has_a_series_for_each_time() {
    let track = track(
        vec![bytes()],
        &[(0, &[9]), (100, &[10]), (200, &[ABSENT]), (300, &[ABSENT]), (400, &[20]), (500, &[30])],
    );
    let found: Vec<_> = values(&track).into_iter().map(|(_, start, values)| (start, values.len())).collect();
    assert_eq!(found, [(0, 1), (400, 1)]);
    let all = |start_ns, end_ns| track.counters(Window { start_ns, end_ns });
    assert_eq!(all(1_000_000_000, 1_500_000_000).len(), 1);
    assert!(all(1_200_000_000, 1_500_000_000).is_empty());
}

#[test]
fn a_reset_has_no_rate_and_a_wobble_stands_still() {
    let counter = SamplerColumn::counter("cpu", "iowait", Unit::Seconds, 0.1);
    let rows = [100u64, 110, 108, 112, 5, 15].map(|raw| [raw]);
    let samples: Vec<(u64, &[u64])> = (0..).step_by(100).zip(rows.iter().map(|r| &r[..])).collect();
    let track = track(vec![counter], &samples);
    let found: Vec<_> = values(&track).into_iter().map(|(_, start, values)| (start, values)).collect();
    assert_eq!(found, [(0, vec![10.0, 0.0, 2.0]), (400, vec![10.0])]);
}

#[test]
fn thinning_keeps_the_first_and_every_second() {
    let samples: Vec<(u64, [u64; 2])> = (0..7).map(|i| (i * 100, [i, i * 10])).collect();
    let samples: Vec<(u64, &[u64])> = samples.iter().map(|(at, row)| (*at, &row[..])).collect();
    let mut track = track(vec![bytes(), bytes()], &samples);
    track.thin();
    assert_eq!(track.values, [0, 0, 2, 20, 4, 40, 6, 60]);
    assert_eq!((track.samples(), track.spacing_ns()), (4, 200_000_000));
    assert_eq!(track.series()[0].values, [5120.0; 3]);
}

#[test]
fn a_rest_before_and_behind_the_window_is_seen_on_one_grid() {
    let of = |ms: &[u64]| ms.iter().map(|ms| (*ms, [*ms])).collect::<Vec<_>>();
    // Idle every 100 ms from 30 on; the window from 350 to 450 every 25 ms.
    let samples = of(&[30, 130, 230, 330, 350, 375, 400, 425, 450, 550, 650, 750]);
    let mut track = track(vec![SamplerColumn::gauge("x", "t", Unit::Celsius, 1.0)], &[]);
    track.rests();
    for (ms, row) in &samples {
        if *ms == 350 {
            track.open_window(1_350_000_000, 25_000_000);
        }
        track.at_ns.push(1_000_000_000 + ms * 1_000_000);
        track.values.extend_from_slice(row);
    }
    assert_eq!(track.samples_of_window(), 8);
    let series = &track.series()[0];
    // 720 ms and 12 samples: 100 ms an interval, an edge of which is 350.
    assert_eq!((series.start_ns, series.interval_ns), (1_050_000_000, 100_000_000));
    assert_eq!(series.values, [130.0, 230.0, 330.0, 425.0, 550.0, 650.0, 750.0]);
    let window = Window { start_ns: 1_350_000_000, end_ns: 1_450_000_000 };
    track.thin();
    assert_eq!(track.values, [30, 230, 350, 400, 450, 650], "the window's first sample stays");
    track.columns = SampleBuffer::new(vec![Box::new(Fake(vec![bytes()]))]).columns;
    let counter = &track.counters(window)[0];
    assert_eq!((counter.before, counter.after), (350, 450), "counters stay at its edges");
}

/// Who watches for ever keeps the samples of a while, and the one before it.
#[test]
fn old_samples_are_dropped_and_what_is_left_counts_as_before() {
    let samples: Vec<(u64, [u64; 1])> = (0..10).map(|i| (i * 100, [i * i])).collect();
    let samples: Vec<(u64, &[u64])> = samples.iter().map(|(at, row)| (*at, &row[..])).collect();
    let mut track = track(vec![bytes()], &samples);
    let window = Window { start_ns: 1_700_000_000, end_ns: 1_900_000_000 };
    let before = track.counters(window);
    track.forget_before(1_200_000_000);
    assert_eq!(track.samples(), 10, "not for a few");
    track.forget_before(1_700_000_000);
    assert_eq!((track.samples(), track.counters(window)), (4, before));
    let span = track.span().unwrap();
    assert_eq!((span.start_ns, track.last().unwrap()), (1_600_000_000, (1_900_000_000, &[81][..])));
    assert_eq!(track.series()[0].start_ns, 1_600_000_000);
    let mut copy = SampleBuffer::of_columns(track.sampled_columns().to_vec());
    copy.start(1_000_000_000, 100_000_000);
    for at in [0u64, 1, 2] {
        copy.take_row(1_000_000_000 + at * 100_000_000, &[at * 10]);
    }
    copy.take_row(2_000_000_000, &[1, 2]);
    assert_eq!(values(&copy)[0].2, [51_200.0; 2]);
}

#[test]
fn one_sample_makes_no_series() {
    assert!(track(vec![bytes()], &[(0, &[1])]).series().is_empty());
    assert!(track(vec![bytes()], &[]).series().is_empty());
    assert!(track(vec![], &[(0, &[]), (100, &[])]).series().is_empty());
}

#[test]
fn six_digits_are_kept() {
    for (value, kept) in [(0.0, 0.0), (1.0 / 3.0, 0.333333), (-1234567.0, -1234570.0), (0.1, 0.1)] {
        assert_eq!(rounded(value), kept);
    }
    assert_eq!(rounded(98_765_432_198.0), 98_765_400_000.0);
    assert_eq!(rounded(1.0e-9), 1.0e-9);
}
