//! Ticks: round numbers on an axis, as many as there is room for.

use super::scale::{Domain, Scale};
use super::{Axis, Numbers, Spread};
use crate::text::Font;

pub(crate) const TICK: Font = Font::plain(11.0);

/// Between two labels side by side, in pixels.
const GAP: f64 = 12.0;

/// Between two labels one above the other, middle to middle.
const ROW: f64 = 20.0;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tick {
    /// Where, in pixels along the axis.
    pub(crate) at: f64,
    /// Its label; empty where there is no room for one.
    pub(crate) label: String,
    /// The middle of the label: off `at` where the label would leave the sheet.
    pub(crate) middle: f64,
}

/// How labels lie along an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum TickDirection {
    /// Side by side, within these ends of the sheet.
    Across(f64, f64),
    /// One above the other.
    Up,
}

/// The ticks of a scale: the densest of its round numbers whose labels do not
/// touch one another.
pub(crate) fn ticks(scale: &Scale, numbers: Numbers, title: &str, along: TickDirection) -> Vec<Tick> {
    let mut best = Vec::new();
    for values in candidates(&scale.domain) {
        let ticks = label(scale, &values, numbers, title, along);
        if fits(&ticks, along) {
            return ticks;
        }
        best = ticks;
    }
    // Not even the sparsest fit: one label says more than none.
    for tick in best.iter_mut().skip(1) {
        tick.label.clear();
    }
    best
}

impl Axis {
    pub(crate) fn ticks(&self, scale: &Scale, along: TickDirection) -> Vec<Tick> {
        ticks(scale, self.numbers, &self.title, along)
    }

    /// Ticks at these values, such as the levels of a factor, if all their labels
    /// have room, else at round ones.
    pub(crate) fn ticks_at(&self, levels: &[f64], scale: &Scale, along: TickDirection) -> Vec<Tick> {
        let at = |v: &f64| tick(scale.place(*v), self.numbers.write_under(*v, &self.title), along);
        let made: Vec<Tick> = levels.iter().map(at).collect();
        if fits(&made, along) { made } else { self.ticks(scale, along) }
    }
}

/// A tick with a label, which is moved until it lies on the sheet.
pub(crate) fn tick(at: f64, label: String, along: TickDirection) -> Tick {
    let middle = match along {
        TickDirection::Across(low, high) => {
            let half = TICK.width(&label) / 2.0;
            at.min(high - half).max(low + half)
        }
        TickDirection::Up => at,
    };
    Tick { at, label, middle }
}

/// Whether no two labels touch.
pub(crate) fn fits(ticks: &[Tick], along: TickDirection) -> bool {
    ticks.windows(2).all(|pair| {
        let apart = (pair[1].middle - pair[0].middle).abs();
        match along {
            TickDirection::Across(..) => {
                apart >= (TICK.width(&pair[0].label) + TICK.width(&pair[1].label)) / 2.0 + GAP
            }
            TickDirection::Up => apart >= ROW,
        }
    })
}

fn label(scale: &Scale, values: &[f64], numbers: Numbers, title: &str, along: TickDirection) -> Vec<Tick> {
    let Domain { low, high, .. } = scale.domain;
    let step = if values.len() > 1 { values[1] - values[0] } else { high - low };
    // All in the unit of the greatest: `0.8 ms` before `1.0 ms`.
    let like = values.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
    let text = |value: f64| {
        if scale.domain.is_logarithmic() {
            numbers.tick(value, value, value, title)
        } else {
            numbers.tick(value, step, like, title)
        }
    };
    values.iter().map(|value| tick(scale.place(*value), text(*value), along)).collect()
}

/// Sets of round numbers within the domain, dense ones first.
fn candidates(domain: &Domain) -> Vec<Vec<f64>> {
    match domain.spread {
        Spread::Decades => decades(domain),
        Spread::Doublings => doublings(domain),
        Spread::Auto | Spread::Linear => even(domain),
    }
}

fn even(domain: &Domain) -> Vec<Vec<f64>> {
    // Multiples of the step that are again steps of 1, 2, 5 from 1 or from 5;
    // from 2 they are 2, 4, 10, 20.
    let times = [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0];
    let sets = times.map(|m| multiples(domain, domain.step * m)).into_iter().filter(|s| s.len() > 1);
    sets.chain([vec![domain.low, domain.high]]).collect()
}

fn decades(domain: &Domain) -> Vec<Vec<f64>> {
    let (low, high) = (domain.low.log10().floor() as i32, domain.high.log10().ceil() as i32);
    let set = |mantissas: &[f64], every: i32| -> Vec<f64> {
        let all = (low..=high).filter(|e| e.rem_euclid(every) == 0);
        let all = all.flat_map(|e| mantissas.iter().map(move |m| m * 10f64.powi(e)));
        all.filter(|v| domain.holds_by_factor(*v)).collect()
    };
    let mut sets = vec![set(&[1.0, 2.0, 5.0], 1)];
    for every in [1, 2, 3, 6, 12, 24, 48, 96, 192] {
        let thin = set(&[1.0], every);
        if thin.len() > 1 {
            sets.push(thin);
        }
    }
    if domain.high < domain.low * 10.0 {
        // Within a decade round numbers that are evenly apart say more than two.
        let step = |parts: f64| super::scale::step((domain.high - domain.low) / parts, Numbers::Share);
        let within = [8.0, 5.0, 3.0].map(|parts| multiples(domain, step(parts)));
        sets.splice(0..0, within.into_iter().filter(|s| s.len() > 2));
    }
    sets.push(vec![domain.low, domain.high]);
    sets.retain(|s| s.len() > 1 && s.len() < 200);
    sets
}

/// The multiples of a step within the domain.
fn multiples(domain: &Domain, step: f64) -> Vec<f64> {
    let first = (domain.low / step - 1e-9).ceil();
    let count = ((domain.high / step + 1e-9).floor() - first).clamp(0.0, 200.0) as usize;
    (0..=count).map(|i| (first + i as f64) * step).collect()
}

fn doublings(domain: &Domain) -> Vec<Vec<f64>> {
    let (low, high) = (domain.low.log2().floor() as i32, domain.high.log2().ceil() as i32);
    let set = |every: i32| -> Vec<f64> {
        let all = (low..=high).filter(|e| e.rem_euclid(every) == 0).map(|e| f64::from(e).exp2());
        all.filter(|v| domain.holds_by_factor(*v)).collect()
    };
    let mut sets: Vec<Vec<f64>> = [1, 2, 5, 10, 20, 50, 100, 200, 500].map(set).into();
    sets.push(vec![domain.low, domain.high]);
    sets.retain(|s| s.len() > 1 && s.len() < 200);
    sets
}

impl Domain {
    fn holds_by_factor(&self, value: f64) -> bool {
        value >= self.low * (1.0 - 1e-9) && value <= self.high * (1.0 + 1e-9)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Axis;
    use super::super::scale::Base;
    use super::*;
    use model::Unit;

    fn labels(numbers: Numbers, spread: Spread, values: &[f64], base: Base, width: f64) -> Vec<String> {
        let domain = Domain::of(&Axis { title: String::new(), numbers, spread }, values, base, 5);
        let scale = Scale { domain, from: 0.0, to: width };
        ticks(&scale, numbers, "", TickDirection::Across(0.0, width)).into_iter().map(|t| t.label).collect()
    }

    #[test]
    fn ticks_are_round_in_the_units_of_the_field() {
        let rate = Numbers::Unit(Unit::BytesPerSecond);
        assert_eq!(
            labels(rate, Spread::Linear, &[870e6], Base::Zero, 600.0),
            ["0", "0.2 GB/s", "0.4 GB/s", "0.6 GB/s", "0.8 GB/s", "1.0 GB/s"]
        );
        assert_eq!(
            labels(Numbers::Unit(Unit::Seconds), Spread::Decades, &[2e-4, 3e-1], Base::Near, 500.0),
            ["1 ms", "10 ms", "100 ms"]
        );
        assert_eq!(
            labels(Numbers::Binary, Spread::Doublings, &[4096.0, 65536.0], Base::Data, 400.0),
            ["4 KiB", "8 KiB", "16 KiB", "32 KiB", "64 KiB"]
        );
    }

    #[test]
    fn labels_never_touch_however_little_room_there_is() {
        for width in [20.0, 60.0, 120.0, 300.0, 700.0] {
            for spread in [Spread::Linear, Spread::Decades, Spread::Doublings] {
                for values in [&[1.0, 1e9][..], &[1e-300, 1e300], &[3.0, 5.0], &[0.0], &[1.0, 2.0, 1024.0]] {
                    let numbers = Numbers::Unit(Unit::Seconds);
                    let domain =
                        Domain::of(&Axis { title: String::new(), numbers, spread }, values, Base::Near, 6);
                    let scale = Scale { domain, from: 0.0, to: width };
                    let made = ticks(&scale, numbers, "", TickDirection::Across(0.0, width));
                    assert!(!made.is_empty() && made.len() < 200);
                    let shown: Vec<Tick> = made.into_iter().filter(|t| !t.label.is_empty()).collect();
                    assert!(fits(&shown, TickDirection::Across(0.0, width)), "{width} {spread:?} {shown:?}");
                }
            }
        }
    }
}
