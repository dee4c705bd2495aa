//! How charts write numbers: [`language::format`]'s way, with one scale for the
//! ticks of an axis, and sane where a number is not.

use language::Words;
use language::format::{self, Rates, Scale, TIMES};
use model::Unit;

use super::{Measured, Numbers};

/// What stands for a number that is none.
const NONE: &str = "–";

/// From so many of the largest unit (and below its inverse of the smallest) a
/// number is written with an exponent; else a garbled one would fill a page.
const ENORMOUS: f64 = 1e6;

/// Up to here a count is written out.
const COUNTED_OUT: f64 = 99_999.0;

impl Numbers {
    /// A figure with its unit, in up to four digits that count: `10.93 k/s`.
    pub(crate) fn write(self, value: f64) -> String {
        if !value.is_finite() {
            return NONE.to_owned();
        }
        let scale = self.scale(value);
        let scaled = value / scale.factor;
        if is_beyond_words(scaled) {
            return scale.join(&format!("{scaled:.1e}"));
        }
        match self {
            Numbers::Share => format::percent(value),
            Numbers::Times => scale.join(&format::ratio(scaled)),
            Numbers::Count if scale.factor == 1.0 && scaled.fract() == 0.0 => format!("{scaled}"),
            _ => scale.join(&format::short(scaled)),
        }
    }

    /// As [`Numbers::write`], under a title that says "per second" already.
    pub(crate) fn write_under(self, value: f64, title: &str) -> String {
        self.under(self.write(value), title)
    }

    /// A figure and its interval: `10.93 k/s (10.7 k/s to 11.1 k/s)`.
    pub(crate) fn measured(self, measured: &Measured, words: &Words) -> String {
        let point = self.write(measured.value);
        match self.interval(measured, words) {
            Some(interval) => format!("{point} ({interval})"),
            None => point,
        }
    }

    /// An interval, where there is one: `10.7 k/s to 11.1 k/s`.
    pub(crate) fn interval(self, measured: &Measured, words: &Words) -> Option<String> {
        let (low, high) = measured.interval.filter(|(low, high)| low.is_finite() && high.is_finite())?;
        let ends = [("low", self.write(low).as_str().into()), ("high", self.write(high).as_str().into())];
        Some(words.tell("chart-interval", &ends))
    }

    /// A tick at `value` on an axis whose largest number is `like` and whose
    /// ticks are `step` apart.
    pub(crate) fn tick(self, value: f64, step: f64, like: f64, title: &str) -> String {
        if value == 0.0 {
            return "0".to_owned();
        }
        let scale = self.scale(like);
        let (scaled, step) = (value / scale.factor, (step / scale.factor).abs());
        if is_beyond_words(scaled) || !step.is_normal() {
            return scale.join(&format!("{scaled:.0e}"));
        }
        let decimals = (-step.log10() - 1e-9).ceil().clamp(0.0, 6.0) as usize;
        // A step of 2.5 (of bytes in powers of two: 0.25) needs one more.
        let written = step * 10f64.powi(decimals as i32);
        let more = usize::from((written - written.round()).abs() > 1e-6);
        let text = format!("{scaled:.*}", (decimals + more).min(6));
        self.under(scale.join(&text), title)
    }

    pub(crate) fn scale(self, like: f64) -> Scale {
        match self {
            Numbers::Unit(unit) => Rates::Bytes.scale(like, unit),
            Numbers::Bits => Rates::Bits.scale(like, Unit::BytesPerSecond),
            Numbers::Binary => format::binary_scale(like),
            Numbers::Count if like.abs() <= COUNTED_OUT => Scale::new(1.0, ""),
            Numbers::Count => Rates::Bytes.scale(like, Unit::One),
            Numbers::Share => Scale::new(0.01, "%"),
            Numbers::Times => Scale::new(1.0, TIMES),
        }
    }

    fn under(self, text: String, title: &str) -> String {
        match self {
            Numbers::Unit(unit) => format::without_per_second(text, unit, title),
            _ => text,
        }
    }
}

/// A ratio in three digits that count, for a sentence that says `times` in its
/// own language.
pub(crate) fn times(ratio: f64) -> String {
    Numbers::Times.write(ratio).trim_end_matches(TIMES).to_owned()
}

fn is_beyond_words(scaled: f64) -> bool {
    scaled != 0.0 && !(1.0 / ENORMOUS..ENORMOUS).contains(&scaled.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_the_unit_of_their_field() {
        assert_eq!(Numbers::Unit(Unit::BytesPerSecond).write(429.3e6), "429.3 MB/s");
        assert_eq!(Numbers::Bits.write(1.25e9), "10 Gbit/s");
        assert_eq!(Numbers::Binary.write(4096.0), "4 KiB");
        assert_eq!(Numbers::Binary.write(512.0), "512 B");
        assert_eq!(Numbers::Count.write(65_536.0), "65536");
        assert_eq!(Numbers::Count.write(1_048_576.0), "1.049 M");
        assert_eq!(Numbers::Share.write(0.834), "83 %");
        assert_eq!(Numbers::Times.write(1.054), "1.05×");
        assert_eq!(Numbers::Times.write(123.4), "123×");
        assert_eq!(Numbers::Unit(Unit::PerSecond).write_under(91.4e3, "IOPS"), "91.4 k");
    }

    #[test]
    fn what_is_no_number_or_beyond_words_is_short() {
        for numbers in [Numbers::Bits, Numbers::Binary, Numbers::Count, Numbers::Share, Numbers::Times] {
            for value in [1e300, -1e300, 1e-300, f64::NAN, f64::INFINITY, f64::MIN_POSITIVE, -0.0] {
                assert!(numbers.write(value).len() < 20, "{}", numbers.write(value));
                assert!(
                    numbers.tick(value, value, value, "").len() < 20,
                    "{}",
                    numbers.tick(value, value, value, "")
                );
            }
        }
        assert_eq!(Numbers::Count.write(f64::NAN), "–");
    }

    #[test]
    fn the_ticks_of_an_axis_share_a_scale_and_as_many_decimals_as_they_need() {
        let rate = Numbers::Unit(Unit::BytesPerSecond);
        assert_eq!(rate.tick(500e6, 500e6, 1.5e9, ""), "0.5 GB/s");
        assert_eq!(rate.tick(1e9, 500e6, 1.5e9, ""), "1.0 GB/s");
        assert_eq!(rate.tick(200e6, 200e6, 800e6, ""), "200 MB/s");
        assert_eq!(Numbers::Unit(Unit::PerSecond).tick(20e3, 20e3, 100e3, "IOPS"), "20 k");
        assert_eq!(Numbers::Share.tick(0.25, 0.25, 1.0, ""), "25 %");
        assert_eq!(Numbers::Times.tick(0.9, 0.1, 1.3, ""), "0.9×");
        assert_eq!(Numbers::Unit(Unit::Seconds).tick(0.0012, 0.0002, 0.002, ""), "1.2 ms");
    }
}
