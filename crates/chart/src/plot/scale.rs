//! From values to pixels: how far an axis reaches, and where a value stands.

use super::{Axis, Measured, Numbers, Reference, Spread};

/// Beyond this a value is drawn as if it were this, so that differences are
/// still numbers.
const ENORMOUS: f64 = 1e300;

/// The least a logarithmic axis shows; nothing that is measured is less.
const TINY: f64 = 1e-300;

/// Values that span more than this are spread by decades, unless the axis asks for something else.
const DECADES_FROM: f64 = 100.0;

/// Powers of two that span at least this are spread by doublings.
const DOUBLINGS_FROM: f64 = 8.0;

/// Values within this share of the greatest may have an axis that does not begin
/// at zero, where the chart allows it: else their differences could not be seen.
const NARROW: f64 = 0.2;

/// The same for points, whose distance from an axis says less.
const LOOSE: f64 = 0.65;

/// More of an axis than this without data is too much.
const EMPTY: f64 = 0.2;

/// A limit is on the axis up to so many times the greatest value; beyond, it
/// would squash the data, and is labelled at the edge.
const REACH: f64 = 2.0;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Base {
    /// At zero: what is drawn has a length.
    Zero,
    /// At zero, unless the values lie close together far from it.
    Near,
    /// At zero, unless the values lie far from it: a place, not a length.
    Loose,
    /// Anywhere: of ratios 1 is the ground, not 0.
    Free,
    /// At the least value: a factor.
    Data,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Domain {
    pub(crate) low: f64,
    /// Its greatest value, always greater.
    pub(crate) high: f64,
    /// How it spreads them; never [`Spread::Auto`].
    pub(crate) spread: Spread,
    /// Between two ticks, where it spreads them evenly.
    pub(crate) step: f64,
}

impl Domain {
    /// An axis for these values with about so many ticks. Values that are not
    /// finite, and on a logarithmic axis those that are not positive, do not
    /// count.
    pub(crate) fn of(axis: &Axis, values: &[f64], base: Base, ticks: usize) -> Self {
        let tame = |v: &f64| if v.abs() < TINY { 0.0 } else { v.clamp(-ENORMOUS, ENORMOUS) };
        let seen: Vec<f64> = values.iter().filter(|v| v.is_finite()).map(tame).collect();
        match spread_of(axis.spread, &seen) {
            spread @ (Spread::Decades | Spread::Doublings) => by_factors(&seen, base, spread),
            Spread::Auto | Spread::Linear => evenly(&seen, base, ticks, axis.numbers),
        }
    }

    /// Evenly from one value to the other, as they are: for time.
    pub(crate) fn exact(low: f64, high: f64, step: f64) -> Self {
        Self { low, high, spread: Spread::Linear, step }
    }

    pub(crate) fn holds(&self, value: f64) -> bool {
        let slack = (self.high - self.low) * 1e-9;
        value >= self.low - slack && value <= self.high + slack
    }

    pub(crate) fn is_logarithmic(&self) -> bool {
        matches!(self.spread, Spread::Decades | Spread::Doublings)
    }
}

/// The values with those references that are near enough to be on one axis with
/// them.
pub(crate) fn with_references<'a>(
    axis: &Axis,
    values: &[f64],
    references: impl IntoIterator<Item = &'a Reference>,
) -> Vec<f64> {
    let seen: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
    let (low, high) = ends_of(&seen);
    let logarithmic = matches!(spread_of(axis.spread, &seen), Spread::Decades | Spread::Doublings);
    let near = |value: f64| {
        if seen.is_empty() {
            return true;
        }
        if logarithmic {
            value > low / 10.0 && value < high * 10.0
        } else {
            value <= high.max(0.0) * REACH && value >= low.min(0.0) * REACH
        }
    };
    let near = references.into_iter().map(|r| r.value).filter(|v| v.is_finite() && near(*v));
    values.iter().copied().chain(near).collect()
}

/// Values and the ends of their intervals. An end far from all values, as few
/// trials give, does not count: it would squash them, and is given in numbers.
pub(crate) fn with_intervals<'a>(measured: impl IntoIterator<Item = &'a Measured>) -> Vec<f64> {
    let all: Vec<&Measured> = measured.into_iter().filter(|m| m.value.is_finite()).collect();
    let mut values: Vec<f64> = all.iter().map(|m| m.value).collect();
    let (low, high) = ends_of(&values);
    let slack = (high - low).max(high.abs().max(low.abs()) * 0.5);
    let bounds = all.iter().filter_map(|m| m.interval).flat_map(|(a, b)| [a, b]);
    let least = if low > 0.0 { low / 10.0 } else { low - slack };
    values.extend(bounds.filter(|b| *b >= least && *b <= high + slack).collect::<Vec<_>>());
    values
}

/// The spread that these values get.
fn spread_of(asked: Spread, values: &[f64]) -> Spread {
    let (low, high) = ends_of(values);
    let positive = values.iter().any(|v| *v > 0.0);
    match asked {
        Spread::Auto if values.len() > 1 && low > 0.0 => {
            if values.iter().all(|v| is_power_of_two(*v)) && high / low >= DOUBLINGS_FROM {
                Spread::Doublings
            } else if high / low > DECADES_FROM {
                Spread::Decades
            } else {
                Spread::Linear
            }
        }
        Spread::Auto | Spread::Linear => Spread::Linear,
        // There is nothing that a logarithm could show.
        _ if !positive => Spread::Linear,
        asked => asked,
    }
}

fn is_power_of_two(value: f64) -> bool {
    (1.0..1e18).contains(&value) && value.fract() == 0.0 && (value as u64).is_power_of_two()
}

/// The least and the greatest; 0 and 0 of none.
fn ends_of(values: &[f64]) -> (f64, f64) {
    if values.is_empty() { (0.0, 0.0) } else { ends(values.iter().copied()) }
}

/// The least and the greatest; of none infinities, the first the greater.
pub(crate) fn ends(values: impl IntoIterator<Item = f64>) -> (f64, f64) {
    let none = (f64::INFINITY, f64::NEG_INFINITY);
    values.into_iter().fold(none, |(low, high), value| (low.min(value), high.max(value)))
}

fn evenly(values: &[f64], base: Base, ticks: usize, numbers: Numbers) -> Domain {
    let (mut low, mut high) = ends_of(values);
    match base {
        Base::Zero => (low, high) = (low.min(0.0), high.max(0.0)),
        Base::Near if low >= 0.0 && high - low > NARROW * high => low = 0.0,
        Base::Loose if low >= 0.0 && high - low > LOOSE * high => low = 0.0,
        Base::Near | Base::Loose if low < 0.0 || values.len() < 2 || low == high => {
            (low, high) = (low.min(0.0), high.max(0.0))
        }
        Base::Near | Base::Loose | Base::Free | Base::Data => {}
    }
    if high - low <= high.abs().max(low.abs()) * 1e-9 {
        // One value, or all the same.
        let room = if high == 0.0 { 1.0 } else { high.abs() / 2.0 };
        (low, high) =
            if base == Base::Data || low != 0.0 { (low - room, high + room) } else { (low, high + room) };
    }
    let rough = (high - low) / ticks.max(1) as f64;
    let wide = step(rough, numbers);
    if base == Base::Data {
        return Domain { low, high, spread: Spread::Linear, step: wide };
    }
    let rounded = |step: f64| {
        let (low, high) = ((low / step + 1e-9).floor() * step, (high / step - 1e-9).ceil() * step);
        Domain { low, high, spread: Spread::Linear, step }
    };
    // Where much of the axis would be empty, steps of the next size down leave
    // less; labels then stand at every other where they have no room.
    let (domain, finer) = (rounded(wide), rounded(step(rough / 2.0, numbers)));
    let empty = (domain.high - domain.low) - (high - low);
    let saves = (domain.high - domain.low) - (finer.high - finer.low);
    if empty > EMPTY * (domain.high - domain.low) && saves > 0.0 { finer } else { domain }
}

/// The least of 1, 2, 5 times a power of ten that is not less; of bytes in
/// powers of two, a power of two.
pub(crate) fn step(least: f64, numbers: Numbers) -> f64 {
    if !least.is_normal() || least < 0.0 {
        return 1.0;
    }
    if numbers == Numbers::Binary && least >= 1.0 {
        return least.log2().ceil().exp2();
    }
    let ten = 10f64.powf(least.log10().floor());
    let found = [1.0, 2.0, 5.0].into_iter().map(|m| m * ten).find(|s| *s >= least * (1.0 - 1e-9));
    let step = found.unwrap_or(ten * 10.0);
    if numbers == Numbers::Count { step.max(1.0) } else { step }
}

fn by_factors(values: &[f64], base: Base, spread: Spread) -> Domain {
    let positive: Vec<f64> = values.iter().copied().filter(|v| *v > 0.0).map(|v| v.max(TINY)).collect();
    let (mut low, mut high) = ends_of(&positive);
    if base != Base::Data {
        let round = if spread == Spread::Doublings { round_to_two } else { round_to_one_two_five };
        (low, high) = (round(low, false), round(high, true));
    }
    if high / low < 1.5 {
        (low, high) = (low / 2.0, high * 2.0);
    }
    Domain { low, high, spread, step: 0.0 }
}

fn round_to_two(value: f64, up: bool) -> f64 {
    let log = value.log2();
    (if up { (log - 1e-9).ceil() } else { (log + 1e-9).floor() }).exp2()
}

fn round_to_one_two_five(value: f64, up: bool) -> f64 {
    let ten = 10f64.powf(value.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|m| m * ten);
    if up {
        steps.into_iter().find(|s| *s >= value * (1.0 - 1e-9)).unwrap_or(value)
    } else {
        steps.into_iter().rev().find(|s| *s <= value * (1.0 + 1e-9)).unwrap_or(value)
    }
}

/// Where values stand, in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Scale {
    pub(crate) domain: Domain,
    /// Where its least value stands.
    pub(crate) from: f64,
    /// Where its greatest value stands; less than `from` on an axis that goes up.
    pub(crate) to: f64,
}

impl Scale {
    /// Where `value` stands. What lies beyond an end, or is no number, stands at
    /// the end: nothing is ever drawn outside a chart.
    pub(crate) fn place(&self, value: f64) -> f64 {
        let Domain { low, high, .. } = self.domain;
        let share = if self.domain.is_logarithmic() {
            let (low, high) = (low.ln(), high.ln());
            (value.max(TINY).ln() - low) / (high - low)
        } else {
            (value - low) / (high - low)
        };
        let share = if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) };
        self.from + share * (self.to - self.from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Unit;

    fn axis(spread: Spread) -> Axis {
        Axis { title: String::new(), numbers: Numbers::Unit(Unit::PerSecond), spread }
    }

    fn domain(values: &[f64], base: Base) -> (f64, f64, Spread) {
        let d = Domain::of(&axis(Spread::Auto), values, base, 5);
        (d.low, d.high, d.spread)
    }

    #[test]
    fn the_data_choose_the_spread() {
        assert_eq!(domain(&[1.0, 2.0, 4.0, 8.0], Base::Data), (1.0, 8.0, Spread::Doublings));
        assert_eq!(domain(&[1.0, 2.0, 4.0], Base::Data), (1.0, 4.0, Spread::Linear));
        assert_eq!(domain(&[3.0, 20.0, 400.0], Base::Near), (2.0, 500.0, Spread::Decades));
        assert_eq!(domain(&[0.0, 400.0], Base::Near), (0.0, 400.0, Spread::Linear));
        assert_eq!(domain(&[-4.0, 400.0], Base::Near).2, Spread::Linear);
    }

    #[test]
    fn an_axis_begins_at_zero_unless_the_values_lie_close_together() {
        assert_eq!(domain(&[50.0, 91.0], Base::Near), (0.0, 100.0, Spread::Linear));
        let (low, high, _) = domain(&[90.0, 91.0], Base::Near);
        assert!((low - 90.0).abs() < 1e-6 && (high - 91.0).abs() < 1e-6, "{low} {high}");
        assert_eq!(domain(&[90.0, 91.0], Base::Zero), (0.0, 100.0, Spread::Linear));
    }

    #[test]
    fn no_data_is_too_odd_for_a_domain() {
        let odd: &[&[f64]] = &[
            &[],
            &[0.0],
            &[5.0],
            &[-5.0],
            &[f64::NAN],
            &[f64::INFINITY, f64::NEG_INFINITY, 3.0],
            &[1e300, -1e300],
            &[f64::MAX],
            &[f64::MIN_POSITIVE],
            &[1e-300, 1e300],
            &[7.0, 7.0, 7.0],
            &[0.0, 0.0],
        ];
        for values in odd {
            for spread in [Spread::Auto, Spread::Linear, Spread::Decades, Spread::Doublings] {
                for base in [Base::Zero, Base::Near, Base::Loose, Base::Free, Base::Data] {
                    let domain = Domain::of(&axis(spread), values, base, 5);
                    assert!(
                        domain.low < domain.high && (domain.high - domain.low).is_finite(),
                        "{values:?} {domain:?}"
                    );
                    let scale = Scale { domain, from: 10.0, to: 90.0 };
                    for value in values.iter().chain(&[0.0, -1.0, f64::NAN, f64::INFINITY]) {
                        assert!((10.0..=90.0).contains(&scale.place(*value)), "{values:?} {value}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_limit_far_above_the_data_does_not_squash_them() {
        let limit =
            |value| Reference { value, label: String::new(), kind: super::super::ReferenceKind::Limit };
        let (near, far) = (limit(150.0), limit(5000.0));
        assert_eq!(with_references(&axis(Spread::Linear), &[100.0], [&near, &far]), [100.0, 150.0]);
    }

    #[test]
    fn equal_factors_are_equally_far_apart() {
        let domain = Domain::of(&axis(Spread::Decades), &[1.0, 100.0], Base::Data, 5);
        let scale = Scale { domain, from: 0.0, to: 100.0 };
        assert!((scale.place(10.0) - 50.0).abs() < 1e-9);
        assert!((Scale { domain, from: 100.0, to: 0.0 }.place(10.0) - 50.0).abs() < 1e-9);
    }
}
