//! A classic histogram: how many values were at most as large as each of some bounds.

/// Counts of values up to fixed bounds.
#[derive(Clone, Debug)]
pub(super) struct Histogram {
    bounds: &'static [f64],
    /// Of each bound those above the one before; the last are those above all.
    counts: Vec<u64>,
    sum: f64,
}

impl Histogram {
    pub(super) fn new(bounds: &'static [f64]) -> Self {
        Self { bounds, counts: vec![0; bounds.len() + 1], sum: 0.0 }
    }

    pub(super) fn add(&mut self, value: f64, count: u64) {
        let place = self.bounds.partition_point(|bound| *bound < value);
        self.counts[place] += count;
        self.sum += value * count as f64;
    }

    pub(super) fn sum(&self) -> f64 {
        self.sum
    }

    pub(super) fn count(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Each bound with how many were at most as large; the last one is infinite.
    pub(super) fn cumulative(&self) -> Vec<(f64, u64)> {
        let bounds = self.bounds.iter().copied().chain([f64::INFINITY]);
        let mut sum = 0;
        let up_to = |count: &u64| {
            sum += count;
            sum
        };
        bounds.zip(self.counts.iter().map(up_to)).collect()
    }
}
