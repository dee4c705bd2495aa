//! The samples of samplers that are read at one pace: flat rows of raw values
//! while the trial runs, counters and series after it.

use engine::clock;
use machine::sampler::{ABSENT, Sampler, SamplerColumn, ValueKind};
use model::trial::{Counter, Series, Window};
use model::{SeriesName, Unit};

/// Samples kept of one trial at most.
const SAMPLES_MAX: usize = 3_000;
/// Values kept of one trial at most, 32 MiB of them: a machine of many CPUs and
/// disks has fewer samples of a long window.
const VALUES_MAX: usize = 4 << 20;

/// Some samplers and what they saw.
#[derive(Default)]
pub(super) struct SampleBuffer {
    samplers: Vec<Box<dyn Sampler>>,
    /// Columns of all samplers.
    width: usize,
    /// When the window opened.
    window_ns: u64,
    spacing_ns: u64,
    /// The number of the window's first sample; before it the machine was idle.
    opens: usize,
    /// Whether samples are further apart before or behind the window.
    rests: bool,
    /// When each sample was taken.
    at_ns: Vec<u64>,
    /// The rows of all samples, one after the other.
    values: Vec<u64>,
}

impl SampleBuffer {
    pub(super) fn new(samplers: Vec<Box<dyn Sampler>>) -> Self {
        let width = samplers.iter().map(|sampler| sampler.columns().len()).sum();
        Self { samplers, width, spacing_ns: 1, ..Self::default() }
    }

    /// Reads these too; before the first sample.
    pub(super) fn add(&mut self, samplers: Vec<Box<dyn Sampler>>) {
        self.width += samplers.iter().map(|sampler| sampler.columns().len()).sum::<usize>();
        self.samplers.extend(samplers);
    }

    /// How many samples may be kept.
    pub(super) fn samples_max(&self) -> usize {
        (VALUES_MAX / self.width.max(1)).clamp(2, SAMPLES_MAX)
    }

    /// How many are kept.
    pub(super) fn samples(&self) -> usize {
        self.at_ns.len()
    }

    /// How many of them are of the window, or after it.
    pub(super) fn samples_of_window(&self) -> usize {
        self.at_ns.len() - self.opens
    }

    pub(super) fn spacing_ns(&self) -> u64 {
        self.spacing_ns
    }

    /// A window starts then whose samples are so far apart; those taken before it
    /// stay. The intervals of series are laid out from its start to both sides.
    pub(super) fn open_window(&mut self, window_ns: u64, spacing_ns: u64) {
        if self.at_ns.is_empty() {
            return self.start(window_ns, spacing_ns);
        }
        self.opens = self.at_ns.len();
        (self.window_ns, self.spacing_ns) = (window_ns, spacing_ns);
    }

    /// From now on samples may be further apart than in the window.
    pub(super) fn rests(&mut self) {
        self.rests = true;
    }

    /// Where intervals of series begin, and how long they are: an edge of theirs
    /// is the window's start.
    fn grid(&self) -> (u64, u64) {
        let mut spacing_ns = self.spacing_ns.max(1);
        let (Some(first), Some(last)) = (self.at_ns.first(), self.at_ns.last()) else {
            return (self.window_ns, spacing_ns);
        };
        let length_ns = last.saturating_sub(*first);
        while self.rests && length_ns / spacing_ns > self.samples() as u64 {
            spacing_ns = spacing_ns.saturating_mul(2);
        }
        let before = self.window_ns.saturating_sub(*first) / spacing_ns;
        (self.window_ns - before * spacing_ns, spacing_ns)
    }

    /// Begins anew with a window that starts then and samples so far apart.
    pub(super) fn start(&mut self, start_ns: u64, spacing_ns: u64) {
        (self.window_ns, self.spacing_ns, self.opens, self.rests) = (start_ns, spacing_ns, 0, false);
        self.at_ns.clear();
        self.values.clear();
        self.values.reserve(self.width * 64);
    }

    /// Reads all samplers now.
    pub(super) fn sample(&mut self) {
        let row = self.values.len();
        self.values.resize(row + self.width, ABSENT);
        let begin = clock::now_ns();
        let mut rest = &mut self.values[row..];
        for sampler in &mut self.samplers {
            let (own, others) = rest.split_at_mut(sampler.columns().len());
            sampler.read(own);
            rest = others;
        }
        self.at_ns.push(begin.midpoint(clock::now_ns()));
    }

    /// Takes a sample from other samplers of the same machine, as of then.
    #[cfg(test)]
    pub(super) fn take(&mut self, at_ns: u64, samplers: Vec<Box<dyn Sampler>>) {
        let row = self.values.len();
        for mut sampler in samplers {
            let begin = self.values.len();
            self.values.resize(begin + sampler.columns().len(), ABSENT);
            sampler.read(&mut self.values[begin..]);
        }
        assert_eq!(self.values.len() - row, self.width, "the machine has other files now");
        self.at_ns.push(at_ns);
    }

    /// Drops every second sample but the window's first; those to come are twice
    /// as far apart.
    pub(super) fn thin(&mut self) {
        let odd = self.opens % 2;
        let kept = (self.at_ns.len() - odd).div_ceil(2);
        self.opens /= 2;
        for to in 0..kept {
            let from = to * 2 + odd;
            self.at_ns[to] = self.at_ns[from];
            self.values.copy_within(from * self.width..(from + 1) * self.width, to * self.width);
        }
        self.at_ns.truncate(kept);
        self.values.truncate(kept * self.width);
        self.spacing_ns = self.spacing_ns.saturating_mul(2);
    }

    fn columns(&self) -> impl Iterator<Item = (usize, &str, &SamplerColumn)> {
        let all = self.samplers.iter().flat_map(|s| s.columns().iter().map(|c| (s.source(), c)));
        all.enumerate().map(|(index, (source, column))| (index, source, column))
    }

    fn raw(&self, sample: usize, column: usize) -> u64 {
        self.values[sample * self.width + column]
    }

    /// Every counter at the window's edges: the samples nearest to them. None if
    /// that is one sample: on a busy machine the reader gets its CPU late, and one
    /// reading counts nothing.
    pub(super) fn counters(&self, window: Window) -> Vec<Counter> {
        let nearest = |at_ns: u64| (0..self.samples()).min_by_key(|i| self.at_ns[*i].abs_diff(at_ns));
        let (Some(first), Some(last)) = (nearest(window.start_ns), nearest(window.end_ns)) else {
            return Vec::new();
        };
        if first == last {
            return Vec::new();
        }
        self.columns()
            .filter(|(.., column)| column.nature == ValueKind::Counter)
            .map(|(index, source, column)| Counter {
                resource: column.resource.clone(),
                source: format!("{source} {}", column.name),
                before: self.raw(first, index),
                after: self.raw(last, index),
                before_ns: self.at_ns[first],
                after_ns: self.at_ns[last],
                unit: Some(column.unit),
                scale: Some(column.scale),
            })
            .filter(|counter| counter.before != ABSENT && counter.after != ABSENT)
            .collect()
    }

    /// Each column over time: a counter that moved as a rate, a gauge that was
    /// not 0 all the time as it stood at the end of each interval. A part of the
    /// window in which there was no value parts a series in two.
    pub(super) fn series(&self) -> Vec<Series> {
        let (start_ns, interval_ns) = self.grid();
        let pairs = self.pairs(start_ns, interval_ns);
        let mut all = Vec::new();
        if pairs.is_empty() {
            return all;
        }
        for (index, _, column) in self.columns() {
            let (values, unit) = match column.nature {
                ValueKind::Counter => (self.rates(index, column, &pairs), rate_unit(column.unit)),
                ValueKind::Gauge => {
                    let of = |pair: &usize| column.value(self.raw(pair + 1, index)).map(rounded);
                    (pairs.iter().map(of).collect(), column.unit)
                }
            };
            if values.iter().flatten().all(|value| *value == 0.0) {
                continue;
            }
            let mut begin = 0;
            for run in values.split(Option::is_none) {
                if !run.is_empty() {
                    all.push(Series {
                        resource: column.resource.clone(),
                        name: SeriesName::new(column.name),
                        unit,
                        start_ns: start_ns + begin as u64 * interval_ns,
                        interval_ns,
                        values: run.iter().flatten().copied().collect(),
                    });
                }
                begin += run.len() + 1;
            }
        }
        all
    }

    /// For each interval of an even grid, the first of the two samples that hold
    /// its middle. Where a sample is missing, since this thread did not get a
    /// CPU in time, two intervals have one rate.
    fn pairs(&self, start_ns: u64, interval_ns: u64) -> Vec<usize> {
        let (Some(end_ns), true) = (self.at_ns.last(), self.samples() > 1) else { return Vec::new() };
        let length_ns = end_ns.saturating_sub(start_ns);
        // A machine that was stopped for an hour has no samples of it.
        let most = 4 * self.samples() as u64;
        let intervals = ((length_ns + interval_ns / 2) / interval_ns).clamp(1, most);
        let middle = |k: u64| start_ns + k * interval_ns + interval_ns / 2;
        let of = |k| {
            let before = self.at_ns.partition_point(|at| *at <= middle(k));
            before.clamp(1, self.samples() - 1) - 1
        };
        (0..intervals).map(of).collect()
    }

    /// The rate of a counter between the two samples of each pair. One that
    /// steps back a little (the kernel's idle times do) stands still meanwhile;
    /// one that steps back far was reset, and there is no rate.
    fn rates(&self, index: usize, column: &SamplerColumn, pairs: &[usize]) -> Vec<Option<f64>> {
        let mut rates = Vec::with_capacity(self.samples());
        let mut high = self.raw(0, index);
        for sample in 1..self.samples() {
            let raw = self.raw(sample, index);
            let known = raw != ABSENT && high != ABSENT;
            let wobbles = known && raw < high && raw >= high / 2;
            let seconds = self.at_ns[sample].saturating_sub(self.at_ns[sample - 1]) as f64 / 1e9;
            let moved = if wobbles { Some(0) } else { raw.checked_sub(high).filter(|_| known) };
            let rate = moved.map(|moved| moved as f64 * column.scale / seconds);
            rates.push(rate.filter(|rate| rate.is_finite()).map(rounded));
            if !wobbles {
                high = raw;
            }
        }
        pairs.iter().map(|pair| rates[*pair]).collect()
    }
}

/// The unit of how much there is of `unit` in each second.
fn rate_unit(unit: Unit) -> Unit {
    match unit {
        Unit::Bytes => Unit::BytesPerSecond,
        Unit::Seconds => Unit::One,
        Unit::Joules => Unit::Watts,
        _ => Unit::PerSecond,
    }
}

/// With six digits: more than a clock tick in a tenth of a second can tell, and
/// half of what the document would hold otherwise.
fn rounded(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let digits = 5 - value.abs().log10().floor() as i32;
    let factor = 10f64.powi(digits.abs());
    if digits >= 0 { (value * factor).round() / factor } else { (value / factor).round() * factor }
}

#[cfg(test)]
mod tests {
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
        assert_eq!(
            (counters[0].change(), counters[0].source.as_str()),
            (Some(102_400.0), "/fake read_sectors")
        );
        assert_eq!(counters[1].change(), Some(0.0), "one that stood still is told");
    }

    #[test]
    fn a_missing_sample_does_not_move_the_others() {
        let track =
            track(vec![bytes()], &[(0, &[0]), (100, &[10]), (305, &[60]), (400, &[70]), (430, &[73])]);
        let rates: Vec<f64> = values(&track)[0].2.iter().map(|v| (v / 512.0).round()).collect();
        assert_eq!(rates, [100.0, 244.0, 244.0, 105.0]);
    }

    #[test]
    fn a_device_that_comes_and_goes_has_a_series_for_each_time() {
        let track = track(
            vec![bytes()],
            &[(0, &[9]), (100, &[10]), (200, &[ABSENT]), (300, &[ABSENT]), (400, &[20]), (500, &[30])],
        );
        let found: Vec<_> =
            values(&track).into_iter().map(|(_, start, values)| (start, values.len())).collect();
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
        track.samplers = vec![Box::new(Fake(vec![bytes()]))];
        let counter = &track.counters(window)[0];
        assert_eq!((counter.before, counter.after), (350, 450), "counters stay at its edges");
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
}
