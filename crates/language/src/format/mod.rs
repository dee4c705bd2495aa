//! Numbers as people read them: decimal bytes per second as vendors print them,
//! four significant digits, one scale for an estimate and its interval.

mod digits;
mod scale;

use model::profile::RateUnit;
use model::run::Estimate;
pub use model::scalar::binary;
use model::{Resource, ResourceKind, Unit};

pub use self::digits::{
    amount, fine_percent, fixed, grouped, percent, percents, probability, ratio, rough_percent, short,
    trimmed,
};
use self::digits::{digits, tenths, three_digits};
use self::scale::{BINARY_BYTES, BITS_PER_SECOND, Multiples};
pub use self::scale::{Scale, is_unit};

/// What stands behind a ratio, in every language.
pub const TIMES: &str = "\u{d7}";

/// In what bytes per second are written: as such, or, where a network carries them,
/// in bits. Every tool for networks does the latter, and every link is sold by it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rates {
    /// `125.0 MB/s`.
    #[default]
    Bytes,
    /// `1.000 Gbit/s`.
    Bits,
}

impl Rates {
    /// Those of a load.
    #[must_use]
    pub fn of(unit: RateUnit) -> Self {
        match unit {
            RateUnit::Bits => Rates::Bits,
            RateUnit::Bytes => Rates::Bytes,
        }
    }

    /// Those of a resource.
    #[must_use]
    pub fn of_resource(resource: &Resource) -> Self {
        if resource.kind() == ResourceKind::Nic { Rates::Bits } else { Rates::Bytes }
    }

    /// How a number of this size is scaled. The ticks of an axis share one scale.
    #[must_use]
    pub fn scale(self, value: f64, unit: Unit) -> Scale {
        let multiples = match (self, unit) {
            (Rates::Bits, Unit::BytesPerSecond) => BITS_PER_SECOND,
            _ => Multiples::of(unit),
        };
        multiples.scale(value)
    }

    fn written(self, value: f64, unit: Unit, digits: fn(f64) -> String) -> String {
        let scale = self.scale(value, unit);
        scale.join(&digits(value / scale.factor))
    }

    /// As [`quantity`].
    #[must_use]
    pub fn quantity(self, value: f64, unit: Unit) -> String {
        self.written(value, unit, digits)
    }

    /// As [`setting`].
    #[must_use]
    pub fn setting(self, value: f64, unit: Unit) -> String {
        self.written(value, unit, short)
    }

    /// As a drawing writes it, whose parts have little room: `3.9 GB/s`, `985 MB/s`.
    #[must_use]
    pub fn rough(self, value: f64, unit: Unit) -> String {
        self.written(if value.is_finite() { value.max(0.0) } else { 0.0 }, unit, tenths)
    }

    /// As [`quantity`], under a title that says "per second" already: `183.7 k`.
    #[must_use]
    pub fn under_title(self, value: f64, unit: Unit, title: &str) -> String {
        without_per_second(self.quantity(value, unit), unit, title)
    }

    /// As [`interval`].
    #[must_use]
    pub fn interval(self, estimate: &Estimate) -> Option<String> {
        let (low, high) = self.interval_ends(estimate)?;
        Some(if low.is_empty() { "too wide to show".to_owned() } else { format!("{low} to {high}") })
    }

    /// The ends that [`interval`] writes; empty texts for one that is
    /// too wide to say anything.
    #[must_use]
    pub fn interval_ends(self, estimate: &Estimate) -> Option<(String, String)> {
        let Scale { factor, .. } = self.scale(estimate.median, estimate.unit);
        let (low, high) = (estimate.low?, estimate.high?);
        // Two trials that differ give bounds of many digits that say one thing.
        if high > estimate.median * WIDEST || low * WIDEST < estimate.median {
            return Some(<(String, String)>::default());
        }
        let differ = [low, high].iter().any(|bound| self.scale(*bound, estimate.unit).factor != factor);
        if differ && high > low * WIDE {
            let own = |bound: f64| {
                let text = self.quantity(bound, estimate.unit);
                match estimate.unit {
                    Unit::PerSecond => text.trim_end_matches("/s").trim_end().to_owned(),
                    _ => text,
                }
            };
            return Some((own(low), own(high)));
        }
        Some((digits(low / factor), digits(high / factor)))
    }
}

/// A quantity with its unit: `1.234 GB/s`.
#[must_use]
pub fn quantity(value: f64, unit: Unit) -> String {
    Rates::Bytes.quantity(value, unit)
}

/// A number that is written already, without its `/s` where the title says that.
#[must_use]
pub fn without_per_second(text: String, unit: Unit, title: &str) -> String {
    let is_said = ["per second", "IOPS", "FLOPS"].iter().any(|word| title.contains(word));
    match text.strip_suffix("/s") {
        Some(short) if is_said && unit == Unit::PerSecond => short.trim_end().to_owned(),
        _ => text,
    }
}

/// The interval of an estimate, in the scale of its point: `1.230 to 1.239`; a
/// wide one with a scale for each end: `36.84 k to 1.311 M`. Absent with fewer than two trials.
#[must_use]
pub fn interval(estimate: &Estimate) -> Option<String> {
    Rates::Bytes.interval(estimate)
}

/// Ends so many times apart are written each in its own scale, where those
/// differ.
const WIDE: f64 = 10.0;

/// An interval with an end so many times off its point says nothing.
pub const WIDEST: f64 = 20.0;

/// Bits per second as makers print them: `10 Gbit/s`, `2.5 Gbit/s`.
#[must_use]
pub fn bits(rate: u64) -> String {
    Rates::Bits.setting(rate as f64 / 8.0, Unit::BytesPerSecond)
}

fn binary_bytes(bytes: u64, digits: fn(f64) -> String) -> String {
    let scale = binary_scale(bytes as f64);
    scale.join(&digits(bytes as f64 / scale.factor))
}

/// How bytes of what is built in powers of two are scaled.
#[must_use]
pub fn binary_scale(bytes: f64) -> Scale {
    BINARY_BYTES.scale(bytes)
}

/// The bytes of a part that is built in steps of a power of two, as a cache is:
/// as [`binary`] with two decimals where they say something, `1.25 MiB`.
#[must_use]
pub fn part(bytes: u64) -> String {
    if bytes < 1024 { binary(bytes) } else { binary_bytes(bytes, |value| trimmed(format!("{value:.2}"))) }
}

/// The same in three digits: `23.5 GiB`.
#[must_use]
pub fn rough_binary(bytes: u64) -> String {
    binary_bytes(bytes, three_digits)
}

/// Bytes as makers of disks print them: `4.001 TB`, `512.1 GB`.
#[must_use]
pub fn decimal(bytes: u64) -> String {
    if bytes < 1000 { format!("{bytes} bytes") } else { setting(bytes as f64, Unit::Bytes) }
}

/// The same in three digits: `256 GB`, `3.84 TB`.
#[must_use]
pub fn rough_decimal(bytes: u64) -> String {
    Rates::Bytes.written(bytes as f64, Unit::Bytes, three_digits)
}

/// As [`quantity`], without zeros at the end that say nothing: `3.7 GHz`.
#[must_use]
pub fn setting(value: f64, unit: Unit) -> String {
    Rates::Bytes.setting(value, unit)
}

/// A long span of time in words: `12 d 4 h`.
#[must_use]
pub fn age(seconds: u64) -> String {
    match (seconds / 86_400, seconds / 3600 % 24) {
        (0, _) => span(seconds as f64),
        (d, h) => format!("{d} d {h} h"),
    }
}

/// A span of time in words: `1 min 24 s`, and a short one as `43.2 ms`.
#[must_use]
pub fn span(seconds: f64) -> String {
    let whole = seconds.max(0.0).round() as u64;
    match (whole / 3600, whole / 60 % 60, whole % 60) {
        (0, 0, 0) if seconds > 0.0 && seconds < 0.05 => format!("{:.1} ms", seconds * 1e3),
        (0, 0, 0..=9) if seconds < 9.5 => format!("{seconds:.1} s"),
        (0, 0, s) => format!("{s} s"),
        (0, m, s) => format!("{m} min {s} s"),
        (h, m, _) => format!("{h} h {m} min"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn estimate(median: f64, low: f64, high: f64, unit: Unit) -> Estimate {
        Estimate {
            n: 3,
            median,
            low: Some(low),
            high: Some(high),
            confidence: Some(0.95),
            method: None,
            unit,
            better: model::Better::Higher,
        }
    }

    #[test]
    fn numbers_have_the_unit_that_people_use() {
        assert_eq!(quantity(897e6, Unit::BytesPerSecond), "897.0 MB/s");
        assert_eq!(quantity(1_234_567_890.0, Unit::BytesPerSecond), "1.235 GB/s");
        assert_eq!(quantity(183_737.0, Unit::PerSecond), "183.7 k/s");
        assert_eq!(quantity(0.000_013_25, Unit::Seconds), "13.25 us");
        assert_eq!(quantity(1.84, Unit::Seconds), "1.840 s");
        assert_eq!(quantity(0.0, Unit::Seconds), "0.000 s");
        assert_eq!(quantity(999_960.0, Unit::PerSecond), "1.000 M/s");
        assert_eq!(quantity(0.3, Unit::PerSecond), "0.300 /s");
        assert_eq!(quantity(42.0, Unit::One), "42.00");
        assert_eq!(span(84.4), "1 min 24 s");
        assert_eq!(span(3.25), "3.2 s");
        assert_eq!([0.0432, 0.06, 0.0].map(span), ["43.2 ms", "0.1 s", "0.0 s"]);
    }

    #[test]
    fn what_a_network_carries_is_written_in_bits() {
        let bits = Rates::of(RateUnit::Bits);
        assert_eq!(bits.quantity(1.177e9, Unit::BytesPerSecond), "9.416 Gbit/s");
        assert_eq!(bits.setting(12.5e6, Unit::BytesPerSecond), "100 Mbit/s");
        assert_eq!(bits.quantity(0.0, Unit::BytesPerSecond), "0.000 bit/s");
        assert_eq!(bits.quantity(3.0, Unit::PerSecond), quantity(3.0, Unit::PerSecond));
        assert_eq!(Rates::of(RateUnit::Bytes).quantity(125e6, Unit::BytesPerSecond), "125.0 MB/s");
        assert_eq!(Rates::of_resource(&"nic:eth0".into()), Rates::Bits);
        let shown = bits.interval(&estimate(119.6e6, 119.5e6, 119.7e6, Unit::BytesPerSecond));
        assert_eq!(shown.unwrap(), "956.0 to 957.6");
    }

    #[test]
    fn sizes_and_links_are_written_as_on_the_label() {
        assert_eq!(bits(10_000_000_000), "10 Gbit/s");
        assert_eq!(bits(2_500_000_000), "2.5 Gbit/s");
        assert_eq!(bits(100_000_000), "100 Mbit/s");
        assert_eq!(bits(7), "7 bit/s");
        assert_eq!(decimal(4_000_787_030_016), "4.001 TB");
        assert_eq!(decimal(512_110_190_592), "512.1 GB");
        assert_eq!(decimal(10_000_000_000), "10 GB");
        assert_eq!(decimal(999_999_999), "1 GB");
        assert_eq!(decimal(100), "100 bytes");
        assert_eq!(setting(3.7e9, Unit::Hertz), "3.7 GHz");
        assert_eq!(setting(800e6, Unit::Hertz), "800 MHz");
        assert_eq!(percent(0.957), "96 %");
        assert_eq!(percent(0.004), "0.4 %");
        assert_eq!(percent(0.0), "0 %");
        assert_eq!((fine_percent(0.0244), fine_percent(0.05)), ("2.4 %".to_owned(), "5 %".to_owned()));
        assert_eq!(age(270_000), "3 d 3 h");
        assert_eq!(age(59), "59 s");
    }

    #[test]
    fn the_ends_of_an_interval_have_the_scale_of_its_point_unless_they_are_far_apart() {
        let shown = |median, low, high, unit| interval(&estimate(median, low, high, unit)).unwrap();
        assert_eq!(shown(281.2e3, 36.84e3, 1.311e6, Unit::PerSecond), "36.84 k to 1.311 M");
        assert_eq!(shown(12e3, 950.0, 20e3, Unit::PerSecond), "950.0 to 20.00 k");
        assert_eq!(shown(90e-6, 20e-6, 1.2e-3, Unit::Seconds), "20.00 us to 1.200 ms");
        assert_eq!(shown(999e3, 990e3, 1.005e6, Unit::PerSecond), "990.0 to 1005");
        assert_eq!(shown(400e6, 30e6, 900e6, Unit::BytesPerSecond), "30.00 to 900.0");
        assert_eq!(shown(1.0, 0.01, 2.0, Unit::One), "too wide to show");
    }

    #[test]
    fn sizes_of_parts_are_exact() {
        assert_eq!(part(1280 << 10), "1.25 MiB");
        assert_eq!(part(28_835_840), "27.5 MiB");
        assert_eq!(part(32 << 10), "32 KiB");
        assert_eq!(part(480 << 20), "480 MiB");
        assert_eq!(part(3 << 39), "1.5 TiB");
        assert_eq!(part(1000), "1000 bytes");
    }

    proptest! {
        #[test]
        fn what_is_shown_is_near_what_is_meant(value in 1e-9f64..1e15) {
            for unit in [Unit::PerSecond, Unit::Seconds] {
                let shown = quantity(value, unit);
                let (number, suffix) = shown.split_once(' ').unwrap();
                let Scale { factor, .. } = Multiples::of(unit).all().find(|s| s.unit() == suffix).unwrap();
                let back = number.parse::<f64>().unwrap() * factor;
                prop_assert!((back / value - 1.0).abs() < 1e-3 || value < 1e-3, "{value} {shown}");
            }
        }
    }
}
