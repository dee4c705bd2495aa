//! The axis of time that panels and the load of CPUs have: its ticks, and the
//! window that counts, as a bracket above and as what lies outside it.

use language::{Words, format};
use model::Unit;

use super::Numbers;
use super::canvas::{Area, Canvas, MIDDLE, TEXT};
use super::path::Path;
use super::scale::{self, Domain, Scale};
use super::ticks::{self, Tick, TickDirection};
use super::wording::{self, MINUTES_FROM, duration};

/// How far down a bracket's ends reach.
const HOOK: f64 = 5.0;

pub(super) const BRACKET: f64 = 24.0;

/// A clock with a beginning and an end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Clock {
    /// From when to when, in seconds; both finite, the second greater.
    pub(super) span: (f64, f64),
    /// The part of it that counts, within it.
    pub(super) window: Option<(f64, f64)>,
}

impl Clock {
    /// A clock; `None` where the times make no sense. A window that does not
    /// lie on it is none.
    pub(super) fn new(span: (f64, f64), window: Option<(f64, f64)>) -> Option<Self> {
        let length = span.1 - span.0;
        let usable = length.is_finite() && length > 0.0 && length > span.0.abs() * 1e-12;
        let inside = |(from, to): (f64, f64)| (from.max(span.0), to.min(span.1));
        let window = window.filter(|w| w.0.is_finite() && w.1.is_finite()).map(inside);
        usable.then_some(Self { span, window: window.filter(|(from, to)| from < to) })
    }

    pub(super) fn length(&self) -> f64 {
        self.span.1 - self.span.0
    }

    /// The window, or all of it where there is none.
    pub(super) fn counted(&self) -> (f64, f64) {
        self.window.unwrap_or(self.span)
    }

    /// Times as pixels between two edges.
    pub(super) fn scale(&self, left: f64, right: f64) -> Scale {
        let step = step((right - left) / 60.0, self.length());
        Scale { domain: Domain::exact(self.span.0, self.span.1, step), from: left, to: right }
    }

    /// Ticks below the axis, on a sheet of this width.
    pub(super) fn ticks(&self, time: &Scale, width: f64) -> Vec<Tick> {
        let step = time.domain.step;
        let first = (self.span.0 / step - 1e-9).ceil();
        let count = ((self.span.1 / step + 1e-9).floor() - first).clamp(0.0, 100.0) as usize;
        let like = self.span.0.abs().max(self.span.1.abs());
        let tick = |i: usize| {
            let at = (first + i as f64) * step;
            ticks::tick(time.place(at), label(at, step, like), TickDirection::Across(0.0, width))
        };
        let mut all: Vec<Tick> = (0..=count).map(tick).collect();
        while !ticks::fits(&all, TickDirection::Across(0.0, width)) && all.len() > 1 {
            all = all.into_iter().step_by(2).collect();
        }
        all
    }

    /// Shades what lies outside the window in an area.
    pub(super) fn shade(&self, canvas: &mut Canvas, time: &Scale, class: &str, y: (f64, f64)) {
        let Some((from, to)) = self.window else { return };
        let height = y.1 - y.0;
        for (left, right) in [(time.from, time.place(from)), (time.place(to), time.to)] {
            if right - left >= 0.5 {
                canvas.rect(class, Area { x: left, y: y.0, width: right - left, height }, None);
            }
        }
    }

    /// The bracket over the window, its label above it; `y` is its lower end. The
    /// answer is from where to where both reach.
    pub(super) fn bracket(&self, canvas: &mut Canvas, words: &Words, time: &Scale, y: f64) -> (f64, f64) {
        let Some((from, to)) = self.window else { return (time.to, time.from) };
        let (left, right) = (time.place(from), time.place(to));
        let path = Path::through([(left, y), (left, y - HOOK), (right, y - HOOK), (right, y)]);
        canvas.path("a", &path.pen(), None);
        let length = [("length", wording::text(duration(to - from)))];
        let mut text = words.tell("panels-window", &length);
        if TEXT.width(&text) > canvas.width {
            text = TEXT.fit(&words.tell("panels-window-short", &length), canvas.width);
        }
        let half = TEXT.width(&text) / 2.0;
        let middle = f64::midpoint(left, right).min(canvas.width - half).max(half);
        canvas.text((middle, y - HOOK - 9.0 + MIDDLE), "m", &text);
        (left.min(middle - half), right.max(middle + half))
    }
}

fn label(at: f64, step: f64, like: f64) -> String {
    if at == 0.0 || step < MINUTES_FROM || at.abs() > 1e9 {
        return Numbers::Unit(Unit::Seconds).tick(at, step, like, "");
    }
    let (number, unit) = if step % 3600.0 == 0.0 { (at / 3600.0, "h") } else { (at / 60.0, "min") };
    format::fixed(number, 0, unit)
}

/// The step of an axis of about so many ticks.
fn step(ticks: f64, length: f64) -> f64 {
    const STEPS: [f64; 11] =
        [60.0, 120.0, 300.0, 600.0, 1200.0, 1800.0, 3600.0, 7200.0, 14_400.0, 36_000.0, 86_400.0];
    let least = length / ticks.max(1.0);
    if least <= 30.0 {
        return scale::step(least, Numbers::Unit(Unit::Seconds));
    }
    let fits = STEPS.into_iter().find(|s| *s >= least);
    fits.unwrap_or_else(|| scale::step(least / 86_400.0, Numbers::Count) * 86_400.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(from: f64, to: f64) -> Vec<String> {
        let clock = Clock::new((from, to), None).unwrap();
        clock.ticks(&clock.scale(60.0, 740.0), 760.0).into_iter().map(|t| t.label).collect()
    }

    #[test]
    fn time_is_told_in_what_people_count_it_in() {
        assert_eq!(labels(0.0, 1.3)[..3], ["0", "0.2 s", "0.4 s"]);
        assert_eq!(labels(-10.0, 50.0)[..3], ["-10 s", "0", "10 s"]);
        assert_eq!(labels(0.0, 3600.0)[..3], ["0", "10 min", "20 min"]);
        assert_eq!(labels(0.0, 36_000.0)[..3], ["0", "1 h", "2 h"]);
        assert_eq!(labels(0.0, 0.02)[..3], ["0", "2 ms", "4 ms"]);
    }

    #[test]
    fn a_clock_without_an_end_is_none() {
        for span in
            [(0.0, 0.0), (5.0, 1.0), (f64::NAN, 1.0), (0.0, f64::INFINITY), (-1e308, 1.5e308), (1e300, 1e300)]
        {
            assert_eq!(Clock::new(span, None), None, "{span:?}");
        }
        let clock = |window| Clock::new((0.0, 10.0), Some(window)).unwrap().window;
        assert_eq!(clock((-5.0, 4.0)), Some((0.0, 4.0)));
        assert_eq!(clock((11.0, 12.0)), None);
        assert_eq!(clock((f64::NAN, 4.0)), None);
    }

    #[test]
    fn there_are_never_many_ticks() {
        for length in [1e-9, 0.3, 7.0, 59.0, 61.0, 100.0, 4000.0, 9e4, 1e6, 1e12, 1e300] {
            for start in [0.0, -length / 3.0, length * 1e6] {
                let Some(clock) = Clock::new((start, start + length), None) else { continue };
                let ticks = clock.ticks(&clock.scale(60.0, 330.0), 340.0);
                assert!(ticks.len() < 12, "{length} {start} {ticks:?}");
                assert!(ticks::fits(&ticks, TickDirection::Across(0.0, 340.0)), "{length} {start} {ticks:?}");
            }
        }
    }
}
