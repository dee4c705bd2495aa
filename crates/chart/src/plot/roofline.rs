//! The roofline: what a processor can do at most with each byte that it gets
//! (Williams, Waterman, Patterson, "Roofline: An Insightful Visual Performance
//! Model for Multicore Architectures", Communications of the ACM 52(4), 2009).
//!
//! To the left, work that does little with each byte is held back by bandwidth,
//! along a roof that rises; to the right by what the processor computes, under a
//! level ceiling. Both axes go by factors, so that roofs are straight and rise
//! alike.

use language::Words;

use super::canvas::{Canvas, LINE, PathBuilder, TEXT};
use super::frame::{Frame, TickedAxis};
use super::reference::Flags;
use super::scale::{Base, Domain, Scale};
use super::ticks::TickDirection;
use super::{Axis, Better, DataTable, Drawing, Measured, Numbers, Plot, Spread};
use super::{count, frame, series, text};
use crate::svg::clean;

/// Roofs over all that a byte may be worth.
#[derive(Clone, Debug, PartialEq)]
pub struct Roofline {
    /// The axis of operations for each byte; its title.
    pub x: String,
    /// The axis of operations per second.
    pub y: Axis,
    /// What memory and caches give, in bytes per second, the fastest first.
    pub roofs: Vec<Roof>,
    /// What the processor computes, in operations per second, the most first.
    pub ceilings: Vec<Roof>,
}

/// One bound.
#[derive(Clone, Debug, PartialEq)]
pub struct Roof {
    /// Its name: `L2`, `AVX-512`.
    pub name: String,
    /// What it allows.
    pub most: Measured,
}

/// Roofs and ceilings that are told apart.
const MOST: usize = 6;

/// How far the axis goes on beyond the first and the last ridge, as a factor.
const BEYOND: f64 = 8.0;

/// A bound as a straight line: operations for each byte, and per second.
struct Bound<'a> {
    roof: &'a Roof,
    from: (f64, f64),
    to: (f64, f64),
}

/// All lines, and from where to where they go.
struct Shape<'a> {
    ceilings: Vec<Bound<'a>>,
    slopes: Vec<Bound<'a>>,
    x: (f64, f64),
}

impl Roofline {
    fn known(all: &[Roof]) -> Vec<&Roof> {
        let is_sound = |r: &&Roof| r.most.value.is_finite() && r.most.value > 0.0;
        all.iter().filter(is_sound).take(MOST).collect()
    }

    /// From how many operations for each byte on `roof` does not hold back what
    /// the best ceiling allows.
    fn ridge(&self, roof: &Roof) -> Option<f64> {
        let peak = Self::known(&self.ceilings).first()?.most.value;
        Some(peak / roof.most.value).filter(|r| r.is_finite() && *r > 0.0)
    }

    /// What is drawn; `None` where nothing is known of either kind.
    fn shape(&self) -> Option<Shape<'_>> {
        let (roofs, ceilings) = (Self::known(&self.roofs), Self::known(&self.ceilings));
        let ridges: Vec<f64> = roofs.iter().filter_map(|r| self.ridge(r)).collect();
        let (top, peak) = (roofs.first()?.most.value, ceilings.first()?.most.value);
        let low = ridges.iter().copied().fold(f64::MAX, f64::min) / BEYOND;
        let high = ridges.iter().copied().fold(0.0, f64::max) * BEYOND;
        let line = |roof, from: f64, to: f64, at: &dyn Fn(f64) -> f64| Bound {
            roof,
            from: (from, at(from)),
            to: (to, at(to)),
        };
        let level = |r: &Roof| r.most.value;
        let ceilings = ceilings.iter().map(|r| line(*r, (level(r) / top).max(low), high, &|_| level(r)));
        let ceilings = ceilings.collect();
        let slopes = roofs.iter().map(|r| line(*r, low, (peak / level(r)).min(high), &|x| x * level(r)));
        let slopes = slopes.collect();
        Some(Shape { ceilings, slopes, x: (low, high) })
    }

    fn frame(&self, shape: &Shape<'_>, width: f64) -> Option<(Frame, Domain, Domain)> {
        let numbers = Numbers::Unit(model::Unit::One);
        let x = Axis { title: self.x.clone(), numbers, spread: Spread::Decades };
        let y = Axis { spread: Spread::Decades, ..self.y.clone() };
        let ends = || shape.ceilings.iter().chain(&shape.slopes);
        let least = ends().map(|b| b.from.1).fold(f64::MAX, f64::min);
        let most = ends().map(|b| b.to.1).fold(0.0, f64::max);
        // Below the lowest roof is room for its name, above the highest for its.
        let y_domain = Domain::of(&y, &[least / 2.0, most * 1.5], Base::Near, 5);
        let x_domain = Domain::of(&x, &[shape.x.0, shape.x.1], Base::Data, 6);
        let upright = Scale { domain: y_domain, from: 240.0, to: 0.0 };
        let y = TickedAxis::new(&y, upright, TickDirection::Up);
        let (left, right) = (Frame::left_of(&y.ticks), width - 4.0);
        let scale = Scale { domain: x_domain, from: left, to: right };
        let x = TickedAxis::new(&x, scale, TickDirection::Across(0.0, width));
        (right > left).then_some((Frame { x, y, left, right, top: 0.0, bottom: 0.0 }, x_domain, y_domain))
    }

    fn draw_bounds(&self, canvas: &mut Canvas, frame: &Frame, shape: &Shape<'_>, words: &Words) {
        let place = |(x, y): (f64, f64)| (frame.x.scale.place(x), frame.y.scale.place(y));
        let bytes = Numbers::Unit(model::Unit::BytesPerSecond);
        let ceilings = shape.ceilings.iter().map(|b| (b, self.y.numbers));
        let all = ceilings.chain(shape.slopes.iter().map(|b| (b, bytes)));
        for (series, (bound, numbers)) in all.enumerate() {
            let told = format!("{}, {}", clean(&bound.roof.name), numbers.measured(&bound.roof.most, words));
            canvas.group(&series::class(series));
            canvas.path("l", &PathBuilder::through([place(bound.from), place(bound.to)]), Some(&told));
            canvas.end();
        }
        let within = (frame.top + LINE, frame.bottom - 2.0);
        let room = (frame.right - frame.left) * 0.4;
        // A ceiling has its name above its end, a roof below its beginning, where
        // it rises away from it.
        let names = |bounds: &[Bound<'_>], at: &dyn Fn(&Bound<'_>) -> (f64, f64)| {
            let wanted: Vec<f64> = bounds.iter().map(|b| at(b).1).collect();
            let placed = series::apart(&wanted, LINE, within).unwrap_or_default();
            let named = bounds.iter().zip(placed);
            named.map(|(b, y)| (at(b).0, y, TEXT.fit(&clean(&b.roof.name), room))).collect::<Vec<_>>()
        };
        let above = |b: &Bound<'_>| (frame.right - 4.0, place(b.to).1 - 5.0);
        let below = |b: &Bound<'_>| (frame.left + LINE, place(b.from).1 + 10.0);
        for (x, y, name) in names(&shape.ceilings, &above) {
            canvas.text((x, y), "e", &name);
        }
        for (x, y, name) in names(&shape.slopes, &below) {
            canvas.text((x, y), "", &name);
        }
    }

    fn told(&self, key: &str, roof: &Roof, ridge: f64, words: &Words) -> String {
        // It is where it is by a tenth or so: two digits count.
        let step = 10f64.powf(ridge.log10().floor() - 1.0);
        let ridge = text(&Numbers::Unit(model::Unit::One).write((ridge / step).round() * step));
        words.tell(key, &[("roof", text(&roof.name)), ("ridge", ridge)])
    }
}

impl Plot for Roofline {
    fn draw(&self, words: &Words, width: f64) -> Drawing {
        let framed = self.shape().and_then(|shape| Some((self.frame(&shape, width)?, shape)));
        let Some(((mut frame, x, y), shape)) = framed else { return Canvas::nothing(words, width) };
        let mut canvas = Canvas::new(width);
        let title = frame::title(&self.y, &y, Some(Better::Higher), words);
        let top = frame::heading(&mut canvas, &title, 0.0, "");
        let ridge = Self::known(&self.roofs).last().and_then(|r| Some((*r, self.ridge(r)?)));
        let flag = ridge
            .filter(|(_, at)| x.holds(*at))
            .map(|(roof, at)| (frame.x.scale.place(at), "a", self.told("roofline-ridge", roof, at, words)));
        let flags = Flags::lay(flag.into_iter().collect(), None, width);
        let height = if canvas.is_pointed() { 280.0 } else { 220.0 };
        frame.stand(top + 12.0 + flags.height(), height, &self.y);
        let below = Axis { title: self.x.clone(), ..self.y.clone() };
        let bottom = frame.draw(&mut canvas, &frame::title(&below, &x, None, words));
        flags.draw(&mut canvas, top + 6.0, frame.bottom);
        self.draw_bounds(&mut canvas, &frame, &shape, words);
        canvas.finish(bottom)
    }

    fn describe(&self, words: &Words) -> String {
        let (roofs, ceilings) = (Self::known(&self.roofs), Self::known(&self.ceilings));
        let (Some(slow), Some(best)) = (roofs.last(), ceilings.first()) else {
            return words.say("chart-nothing");
        };
        let counts = [("roofs", count(roofs.len())), ("ceilings", count(ceilings.len()))];
        let what = words.tell("roofline-what", &counts);
        let most = text(&self.y.numbers.write_under(best.most.value, &self.y.title));
        let highest = words.tell("roofline-highest", &[("name", text(&best.name)), ("value", most)]);
        let ridge = self.ridge(slow).map(|x| self.told("roofline-ridge-of", slow, x, words));
        [Some(what), Some(highest), ridge].into_iter().flatten().collect::<Vec<_>>().join(" ")
    }

    fn table(&self, words: &Words) -> DataTable {
        let head = ["roofline-bound", "roofline-most", "roofline-ridge-column"].map(|key| words.say(key));
        let bytes = Numbers::Unit(model::Unit::BytesPerSecond);
        let one = Numbers::Unit(model::Unit::One);
        let ceiling = |r: &Roof| vec![clean(&r.name), self.y.numbers.measured(&r.most, words), String::new()];
        let roof = |r: &Roof| {
            let ridge = self.ridge(r).map_or_else(String::new, |x| one.write(x));
            vec![clean(&r.name), bytes.measured(&r.most, words), ridge]
        };
        let rows = self.ceilings.iter().map(ceiling).chain(self.roofs.iter().map(roof)).collect();
        DataTable { head: head.into(), rows }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::check::{self, texts};
    use language::Language;
    use model::Unit;

    fn roof(name: &str, value: f64) -> Roof {
        Roof { name: name.to_owned(), most: Measured { value, interval: Some((value * 0.98, value * 1.02)) } }
    }

    fn example() -> Roofline {
        let numbers = Numbers::Unit(Unit::PerSecond);
        Roofline {
            x: "operations for each byte".to_owned(),
            y: Axis { title: "operations per second".to_owned(), numbers, spread: Spread::Auto },
            roofs: vec![roof("L1", 400e9), roof("L2", 150e9), roof("memory", 20e9)],
            ceilings: vec![roof("AVX-512", 100e9), roof("scalar", 12e9)],
        }
    }

    #[test]
    fn a_roofline_holds_what_every_chart_must() {
        check::hold(&example(), "a roofline");
        let empty = Roofline { roofs: Vec::new(), ..example() };
        check::hold(&empty, "no roofs");
        let odd = Roofline { ceilings: vec![roof("none", f64::NAN), roof("less", -1.0)], ..example() };
        check::hold(&odd, "no ceiling that can be");
        let many =
            (0..20).map(|i| roof(&format!("a rather long name of a cache {i}"), 1e9 / f64::from(i + 1)));
        check::hold(&Roofline { roofs: many.collect(), ..example() }, "too many");
    }

    #[test]
    fn the_ridge_is_the_peak_over_the_bandwidth() {
        let words = Language::English.words();
        let table = example().table(words);
        assert_eq!(table.rows[4][0], "memory");
        assert_eq!(table.rows[4][2], "5");
        assert_eq!(table.rows[0][2], "");
        assert!(example().describe(words).contains("From 5 operations for each byte on"));
    }

    #[test]
    fn nothing_goes_above_a_roof_and_all_have_their_names() {
        let example = example();
        let shape = example.shape().unwrap();
        let all = || shape.ceilings.iter().chain(&shape.slopes);
        for bound in all() {
            for (x, y) in [bound.from, bound.to] {
                assert!(y <= (400e9 * x).min(100e9) * 1.000_001, "{} at {x}", bound.roof.name);
            }
        }
        let names: Vec<&str> = all().map(|b| b.roof.name.as_str()).collect();
        assert_eq!(names, ["AVX-512", "scalar", "L1", "L2", "memory"]);
        for width in [760.0, 340.0] {
            let shown = texts(&example, Language::English.words(), width);
            assert!(names.iter().all(|n| shown.iter().any(|t| t == n)), "{width}: {shown:?}");
        }
    }
}
