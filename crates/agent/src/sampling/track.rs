//! The samples of samplers that are read at one pace: flat rows of raw values
//! while the trial runs, counters and series after it. Who watches for ever drops
//! old samples from the front.

use engine::clock;
use machine::sampler::{ABSENT, Sampler, SamplerColumn, ValueKind};
use model::trial::{Counter, Series, Window};
use model::{Resource, SeriesName, Unit};

/// Samples kept of one trial at most.
const SAMPLES_MAX: usize = 3_000;
/// Values kept of one trial at most, 32 MiB of them: a machine of many CPUs and
/// disks has fewer samples of a long window.
const VALUES_MAX: usize = 4 << 20;

/// A column, and the file that it is read from.
#[derive(Clone, Debug, PartialEq)]
pub struct SampledColumn {
    /// The file, for the document: `/proc/stat`.
    pub source: String,
    /// What is read of it.
    pub column: SamplerColumn,
}

/// Some samplers and what they saw.
#[derive(Default)]
pub struct SampleBuffer {
    samplers: Vec<Box<dyn Sampler>>,
    /// Those of all samplers.
    columns: Vec<SampledColumn>,
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
    /// One that reads these samplers.
    #[must_use]
    pub fn new(samplers: Vec<Box<dyn Sampler>>) -> Self {
        let mut buffer = Self { spacing_ns: 1, ..Self::default() };
        buffer.add(samplers);
        buffer
    }

    /// One that reads nothing, and takes rows of these columns that another one read.
    #[must_use]
    pub fn of_columns(columns: Vec<SampledColumn>) -> Self {
        Self { width: columns.len(), columns, spacing_ns: 1, ..Self::default() }
    }

    /// Reads these too; before the first sample.
    pub(super) fn add(&mut self, samplers: Vec<Box<dyn Sampler>>) {
        for sampler in &samplers {
            let of = |column: &SamplerColumn| SampledColumn {
                source: sampler.source().to_owned(),
                column: column.clone(),
            };
            self.columns.extend(sampler.columns().iter().map(of));
        }
        self.width = self.columns.len();
        self.samplers.extend(samplers);
    }

    /// What a row is of.
    #[must_use]
    pub fn sampled_columns(&self) -> &[SampledColumn] {
        &self.columns
    }

    /// The latest sample, and when it was taken, ns of the monotonic clock.
    #[must_use]
    pub fn last(&self) -> Option<(u64, &[u64])> {
        let at = *self.at_ns.last()?;
        Some((at, &self.values[self.values.len() - self.width..]))
    }

    /// When the first and the last sample were taken.
    #[must_use]
    pub fn span(&self) -> Option<Window> {
        Some(Window { start_ns: *self.at_ns.first()?, end_ns: *self.at_ns.last()? })
    }

    /// Takes a row that was read elsewhere; one of another width is left out. Where there are too many,
    /// every second one is dropped.
    pub fn take_row(&mut self, at_ns: u64, row: &[u64]) {
        if row.len() != self.width {
            return;
        }
        self.at_ns.push(at_ns);
        self.values.extend_from_slice(row);
        if self.samples() > self.samples_max() {
            self.thin();
        }
    }

    /// Drops the samples before this time, but the last of them, from which the first interval begins.
    pub fn forget_before(&mut self, at_ns: u64) {
        let gone = self.at_ns.partition_point(|at| *at < at_ns).saturating_sub(1);
        // All at once now and then, for the rest is moved each time.
        if gone < self.samples() / 2 {
            return;
        }
        self.at_ns.drain(..gone);
        self.values.drain(..gone * self.width);
        self.opens = self.opens.saturating_sub(gone);
        if let Some(first) = self.at_ns.first() {
            self.window_ns = self.window_ns.max(*first);
        }
    }

    /// What every counter went forward in each second of a window; none before the second sample.
    #[must_use]
    pub fn rates_in(&self, window: Window) -> Vec<(&Resource, &'static str, f64)> {
        let Some((first, last)) = self.edges(window).filter(|(first, last)| first < last) else {
            return Vec::new();
        };
        let seconds = self.at_ns[last].saturating_sub(self.at_ns[first]) as f64 / 1e9;
        let counters =
            self.columns.iter().enumerate().filter(|(_, of)| of.column.nature == ValueKind::Counter);
        let rate = |(index, of): (usize, &SampledColumn)| {
            let (before, after) = (self.raw(first, index), self.raw(last, index));
            let moved = after.checked_sub(before).filter(|_| after != ABSENT && before != ABSENT)?;
            let rate = moved as f64 * of.column.scale / seconds;
            rate.is_finite().then_some((index, rate))
        };
        let named = |(index, rate): (usize, f64)| {
            let column = &self.columns[index].column;
            (&column.resource, column.name, rate)
        };
        counters.filter_map(rate).map(named).collect()
    }

    /// What every gauge showed at last.
    #[must_use]
    pub fn gauges(&self) -> Vec<(&Resource, &'static str, f64)> {
        let Some((_, row)) = self.last() else { return Vec::new() };
        let gauges = self.columns.iter().zip(row).filter(|(of, _)| of.column.nature == ValueKind::Gauge);
        gauges
            .filter_map(|(of, raw)| Some((&of.column.resource, of.column.name, of.column.value(*raw)?)))
            .collect()
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

    /// How far apart samples are, ns.
    #[must_use]
    pub fn spacing_ns(&self) -> u64 {
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
    pub fn start(&mut self, start_ns: u64, spacing_ns: u64) {
        (self.window_ns, self.spacing_ns, self.opens, self.rests) = (start_ns, spacing_ns, 0, false);
        self.at_ns.clear();
        self.values.clear();
        self.values.reserve(self.width * 64);
    }

    /// Reads all samplers now.
    pub fn sample(&mut self) {
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
        self.columns.iter().enumerate().map(|(index, of)| (index, of.source.as_str(), &of.column))
    }

    /// The column of a resource that has this name; of several files the first.
    fn column(&self, resource: &Resource, name: &str) -> Option<(usize, &SamplerColumn)> {
        let is_it = |of: &&SampledColumn| of.column.name == name && of.column.resource == *resource;
        self.columns.iter().position(|of| is_it(&of)).map(|index| (index, &self.columns[index].column))
    }

    /// What a gauge of a resource shows in the latest sample.
    #[must_use]
    pub fn gauge(&self, resource: &Resource, name: &str) -> Option<f64> {
        let (index, column) = self.column(resource, name)?;
        column.value(*self.last()?.1.get(index)?)
    }

    /// How much of a counter there was in each second of a window, between the samples nearest to its edges; none where
    /// it was not there or was reset.
    #[must_use]
    pub fn rate(&self, resource: &Resource, name: &str, window: Window) -> Option<f64> {
        let (index, column) = self.column(resource, name)?;
        let (first, last) = self.edges(window)?;
        let (before, after) = (self.raw(first, index), self.raw(last, index));
        let moved = after.checked_sub(before).filter(|_| after != ABSENT && before != ABSENT)?;
        let seconds = self.at_ns[last].saturating_sub(self.at_ns[first]) as f64 / 1e9;
        Some(moved as f64 * column.scale / seconds).filter(|rate| rate.is_finite())
    }

    /// The samples nearest to the edges of a window, where these are two.
    fn edges(&self, window: Window) -> Option<(usize, usize)> {
        let nearest = |at_ns: u64| {
            let behind = self.at_ns.partition_point(|at| *at < at_ns);
            let around = behind.saturating_sub(1)..(behind + 1).min(self.samples());
            around.min_by_key(|sample| self.at_ns[*sample].abs_diff(at_ns))
        };
        let (first, last) = (nearest(window.start_ns)?, nearest(window.end_ns)?);
        (first != last).then_some((first, last))
    }

    fn raw(&self, sample: usize, column: usize) -> u64 {
        self.values[sample * self.width + column]
    }

    /// Every counter at the window's edges: the samples nearest to them. None if
    /// that is one sample: on a busy machine the reader gets its CPU late, and one
    /// reading counts nothing.
    #[must_use]
    pub fn counters(&self, window: Window) -> Vec<Counter> {
        let Some((first, last)) = self.edges(window) else { return Vec::new() };
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
    #[must_use]
    pub fn series(&self) -> Vec<Series> {
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
mod tests;
