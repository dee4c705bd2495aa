//! The roofline: what a processor can do at most with each byte that it gets
//! (Williams, Waterman, Patterson, "Roofline: An Insightful Visual Performance
//! Model for Multicore Architectures", Communications of the ACM 52(4), 2009).
//!
//! To the left, work that does little with each byte is held back by bandwidth,
//! along a roof that rises; to the right by what the processor computes, under a
//! level ceiling. Both axes go by factors, so that roofs are straight and rise
//! alike.

use language::Words;

use super::{Axis, Better, Drawing, Line, Lines, Mark, Measured, Numbers, Plot, Spread, Table};
use super::{count, text};
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

/// Places along a line: more than a chart of lines marks, since nothing was
/// measured at any of them.
const PLACES: usize = 48;

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

    /// As lines; none where nothing is known of either kind.
    fn lines(&self, words: &Words) -> Option<Lines> {
        let (roofs, ceilings) = (Self::known(&self.roofs), Self::known(&self.ceilings));
        let ridges: Vec<f64> = roofs.iter().filter_map(|r| self.ridge(r)).collect();
        let (top, peak) = (roofs.first()?.most.value, ceilings.first()?.most.value);
        let low = ridges.iter().copied().fold(f64::MAX, f64::min) / BEYOND;
        let high = ridges.iter().copied().fold(0.0, f64::max) * BEYOND;
        let along = |from: f64, to: f64, at: &dyn Fn(f64) -> f64| -> Vec<(f64, Measured)> {
            let step = (to / from).powf(1.0 / (PLACES - 1) as f64);
            let x = |i: usize| if i + 1 == PLACES { to } else { from * step.powi(i as i32) };
            (0..PLACES).map(|i| (x(i), Measured { value: at(x(i)), interval: None })).collect()
        };
        let mut lines = Vec::new();
        for ceiling in &ceilings {
            let most = ceiling.most.value;
            let points = along((most / top).max(low), high, &|_| most);
            lines.push(Line { name: clean(&ceiling.name), points });
        }
        for roof in &roofs {
            let most = roof.most.value;
            let points = along(low, (peak / most).min(high), &|x| x * most);
            lines.push(Line { name: clean(&roof.name), points });
        }
        let ridge = roofs.last().and_then(|r| Some((r, self.ridge(r)?)));
        let marks = ridge.map(|(roof, x)| Mark { x, label: self.told("roofline-ridge", roof, x, words) });
        let x =
            Axis { title: self.x.clone(), numbers: Numbers::Unit(model::Unit::One), spread: Spread::Decades };
        let y = Axis { spread: Spread::Decades, ..self.y.clone() };
        Some(Lines {
            x,
            y,
            lines,
            references: Vec::new(),
            marks: marks.into_iter().collect(),
            zones: Vec::new(),
            better: Some(Better::Higher),
        })
    }

    fn told(&self, key: &str, roof: &Roof, ridge: f64, words: &Words) -> String {
        let ridge = text(&Numbers::Unit(model::Unit::One).write(ridge));
        words.tell(key, &[("roof", text(&roof.name)), ("ridge", ridge)])
    }
}

impl Plot for Roofline {
    fn draw(&self, words: &Words, width: f64) -> Drawing {
        match self.lines(words) {
            Some(lines) => lines.draw(words, width),
            None => super::canvas::Canvas::nothing(words, width),
        }
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

    fn table(&self, words: &Words) -> Table {
        let head = ["roofline-bound", "roofline-most", "roofline-ridge-column"].map(|key| words.say(key));
        let bytes = Numbers::Unit(model::Unit::BytesPerSecond);
        let one = Numbers::Unit(model::Unit::One);
        let ceiling = |r: &Roof| vec![clean(&r.name), self.y.numbers.measured(&r.most, words), String::new()];
        let roof = |r: &Roof| {
            let ridge = self.ridge(r).map_or_else(String::new, |x| one.write(x));
            vec![clean(&r.name), bytes.measured(&r.most, words), ridge]
        };
        let rows = self.ceilings.iter().map(ceiling).chain(self.roofs.iter().map(roof)).collect();
        Table { head: head.into(), rows }
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
    fn nothing_is_drawn_above_a_roof_or_marked_as_measured() {
        let lines = example().lines(Language::English.words()).unwrap();
        for line in &lines.lines {
            for (x, m) in &line.points {
                assert!(m.value <= (400e9 * x).min(100e9) * 1.000_001, "{} at {x}", line.name);
            }
        }
        let names: Vec<&str> = lines.lines.iter().map(|l| l.name.as_str()).collect();
        assert_eq!(names, ["AVX-512", "scalar", "L1", "L2", "memory"]);
        let drawing = example().draw(Language::English.words(), 760.0);
        assert!(!drawing.elements.contains("class=\"f\""), "no marks");
        assert!(texts(&example(), Language::English.words(), 760.0).iter().any(|t| t == "memory"));
    }
}
