//! Series of a long run: what noise is, and how a second and an hour go.

use model::trial::Series;
use model::{Resource, ResourceKind, Unit};

use super::{CPUS, DIP, Figures, HOUR, SPIKE};

/// Values that look random and are the same every time (splitmix64, Steele,
/// Lea and Flood 2014).
#[derive(Clone, Debug)]
pub(super) struct Noise(pub(super) u64);

impl Noise {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// 0 to 1.
    pub(super) fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// About normal, mean 0 and deviation 1: the sum of four uniforms.
    fn normal(&mut self) -> f64 {
        let sum: f64 = (0..4).map(|_| self.uniform()).sum();
        (sum - 2.0) * 3.0_f64.sqrt()
    }

    /// A factor around 1 with this spread, above 0.
    pub(super) fn factor(&mut self, spread: f64) -> f64 {
        (spread * self.normal()).exp()
    }
}

/// Four digits: what a sampler keeps.
fn rounded(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let scale = 10_f64.powf(3.0 - value.abs().log10().floor());
    (value * scale).round() / scale
}

/// Where a series comes from and what it is.
struct Column<'a> {
    resource: &'a str,
    name: &'a str,
    unit: Unit,
    interval_ns: u64,
}

impl Column<'_> {
    fn of(&self, start_ns: u64, values: impl Iterator<Item = f64>) -> Series {
        Series {
            resource: Resource::from(self.resource),
            name: model::SeriesName::intern(self.name).unwrap(),
            unit: self.unit,
            start_ns,
            interval_ns: self.interval_ns,
            values: values.map(rounded).collect(),
        }
    }
}

/// A column read every so many milliseconds.
fn every<'a>(interval_ms: u64, resource: &'a str, name: &'a str, unit: Unit) -> Column<'a> {
    Column { resource, name, unit, interval_ns: interval_ms * 1_000_000 }
}

/// A second with its warm-up, and of each busy CPU where asked.
pub(super) fn series_of_a_second(
    start_ns: u64,
    figures: &Figures,
    every_cpu: bool,
    noise: &mut Noise,
) -> Vec<Series> {
    let busy = f64::from(figures.busy_cpus);
    let mut all = Vec::new();
    let mut load = |name, unit, level: f64, noise: &mut Noise| {
        // The warm-up is seen too.
        let before = start_ns - 300_000_000;
        all.push(every(10, "load", name, unit).of(before, (0..130).map(|_| level * noise.factor(0.05))));
    };
    load("operations", Unit::PerSecond, figures.rate, noise);
    load("throughput", Unit::BytesPerSecond, figures.bytes_per_s, noise);
    for (name, level) in [("user", 0.6 * busy), ("system", 0.35 * busy), ("idle", f64::from(CPUS) - busy)] {
        let values = (0..20).map(|_| level * noise.factor(0.03));
        all.push(every(50, "cpu", name, Unit::One).of(start_ns, values));
    }
    for cpu in 0..if every_cpu { figures.busy_cpus } else { 0 } {
        let resource = Resource::of(ResourceKind::Cpu, cpu);
        let values = (0..20).map(|_| 1.0 - 0.05 * noise.uniform());
        all.push(every(50, resource.as_str(), "user", Unit::One).of(start_ns, values));
    }
    all
}

/// An hour: a drive whose cache is full after 20 minutes and that tidies up
/// every 5 minutes, heat that rises, CPUs that come and go.
pub(super) fn series_of_an_hour(
    start_ns: u64,
    figures: &Figures,
    every_cpu: bool,
    noise: &mut Noise,
) -> Vec<Series> {
    let share = |point: usize, noise: &mut Noise| match point {
        DIP => 0.0,
        SPIKE => 3.0,
        _ if point % 3000 < 80 && point > 12_000 => 0.25 * noise.factor(0.2),
        0..12_000 => noise.factor(0.03),
        _ => 0.6 * noise.factor(0.06),
    };
    let shares: Vec<f64> = (0..HOUR).map(|point| share(point, noise)).collect();
    let busy = f64::from(figures.busy_cpus);
    let mut all = vec![
        every(100, "load", "operations", Unit::PerSecond)
            .of(start_ns, shares.iter().map(|s| s * figures.rate)),
        every(100, "load", "throughput", Unit::BytesPerSecond)
            .of(start_ns, shares.iter().map(|s| s * figures.bytes_per_s)),
        every(100, "cpu", "user", Unit::One).of(start_ns, shares.iter().map(|s| (s * busy * 0.6).min(busy))),
        every(100, "cpu", "system", Unit::One)
            .of(start_ns, shares.iter().map(|s| (s * busy * 0.35).min(busy))),
    ];
    let heat = |second: usize| 38.0 + 34.0 * (1.0 - (-(second as f64) / 900.0).exp());
    for (resource, above) in [("sensor:coretemp/Package id 0", 14.0), ("sensor:nvme/Composite", 0.0)] {
        let values = (0..3600).map(|second| heat(second) + above + 0.5 * noise.normal());
        all.push(every(1000, resource, "temperature", Unit::Celsius).of(start_ns, values));
    }
    let clock = (0..3600).map(|second| if second < 2400 { 3.7e9 } else { 2.9e9 } * noise.factor(0.01));
    all.push(every(1000, "cpu:0", "scaling_cur_freq", Unit::Hertz).of(start_ns, clock));
    for cpu in 0..if every_cpu { CPUS } else { 0 } {
        let level = if cpu < figures.busy_cpus { 0.9 } else { 0.04 };
        let values = shares.iter().map(|s| (level * s).min(1.0) * (1.0 - 0.1 * noise.uniform()));
        all.push(every(100, &format!("cpu:{cpu}"), "user", Unit::One).of(start_ns, values));
    }
    all
}
