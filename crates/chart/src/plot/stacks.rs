//! Bars made of parts that add up, such as the means of the times that an
//! operation spends in one place after the other. What does not add up, such as
//! percentiles, has no place here.

use language::Words;

use super::canvas::{Area, Canvas, LINE, MIDDLE, TEXT};
use super::rows::{self, Names};
use super::scale::{Base, Domain, Scale};
use super::series::Sample;
use super::ticks::TickDirection;
use super::{Axis, Better, DataTable, Drawing, Plot, Spread, frame, series, text, wording};
use crate::svg::{clean, join};

/// Bars of parts, one below the other.
#[derive(Clone, Debug, PartialEq)]
pub struct Stacks {
    /// The axis of values.
    pub value: Axis,
    /// Which way is better.
    pub better: Option<Better>,
    /// The names of the parts, in their order.
    pub parts: Vec<String>,
    /// The bars, top to bottom.
    pub rows: Vec<Stack>,
}

/// One bar.
#[derive(Clone, Debug, PartialEq)]
pub struct Stack {
    /// What it is about.
    pub label: String,
    /// One value a part, at least 0; absent where it was not measured.
    pub values: Vec<Option<f64>>,
}

/// Bars that are drawn; the table has all.
const MOST: usize = 40;
/// At most so many bars are described in words.
const MOST_TOLD: usize = 4;
/// A bar, and from one to the next.
const BAR: f64 = 14.0;
/// See [`BAR`].
const PITCH: f64 = 20.0;
/// Between bars whose names stand above them.
const BETWEEN: f64 = 6.0;
/// From a bar's end to its label.
const TO_TEXT: f64 = 6.0;
/// From the greatest value to the right edge.
const INSET: f64 = 16.0;

impl Stack {
    /// Its parts by their number, as far as they can be drawn.
    fn known(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        let all = self.values.iter().enumerate().filter_map(|(i, v)| Some((i, (*v)?)));
        all.filter(|(_, v)| v.is_finite() && *v >= 0.0)
    }

    fn sum(&self) -> f64 {
        self.known().map(|(_, v)| v).sum()
    }
}

struct Layout {
    names: Names,
    sums: f64,
    scale: Scale,
}

impl Plot for Stacks {
    fn draw(&self, words: &Words, width: f64) -> Drawing {
        let known = self.rows.iter().filter(|r| r.known().next().is_some() && r.sum().is_finite());
        let drawn: Vec<&Stack> = known.take(MOST).collect();
        if drawn.is_empty() {
            return Canvas::nothing(words, width);
        }
        let mut canvas = Canvas::new(width);
        let sums: Vec<f64> = drawn.iter().map(|r| r.sum()).collect();
        // Lengths that stand behind one another have no logarithm.
        let axis = Axis { spread: Spread::Linear, ..self.value.clone() };
        let domain = Domain::of(&axis, &sums, Base::Zero, 5);
        let mut top = frame::heading(&mut canvas, &frame::title(&axis, &domain, self.better, words), 0.0, "");
        let cut = wording::drawn(words, "stacks-drawn", drawn.len(), self.rows.len());
        top = frame::heading(&mut canvas, &cut, top, "q");
        let entries: Vec<_> = self.parts.iter().cloned().enumerate().collect();
        top += 4.0 + series::legend(&mut canvas, &entries, Sample::Fill, (0.0, top + 10.0), words);
        let layout = self.layout(&canvas, &drawn, domain);
        let heights: Vec<f64> = drawn.iter().map(|r| self.height(&layout, r)).collect();
        let (area, bottom) = (top + 4.0, top + 8.0 + heights.iter().sum::<f64>());
        let ticks = self.value.ticks(&layout.scale, TickDirection::Across(0.0, width));
        rows::grid(&mut canvas, &ticks, area, bottom);
        canvas.down("a", layout.scale.place(0.0), area, bottom);
        let mut y = area + 2.0;
        for (row, height) in drawn.iter().zip(heights) {
            self.draw_row(&mut canvas, &layout, row, (y, height));
            y += height;
        }
        let end = frame::foot(&mut canvas, &ticks, bottom, (0.0, width), "");
        canvas.finish(end)
    }

    fn describe(&self, words: &Words) -> String {
        let parts: Vec<String> = self.parts.iter().map(|p| clean(p)).collect();
        let what = [("value", text(&self.value.title)), ("parts", text(&parts.join(" + ")))];
        let mut said = vec![words.tell("stacks-what", &what)];
        let known: Vec<&Stack> =
            self.rows.iter().filter(|r| r.known().next().is_some() && r.sum().is_finite()).collect();
        if known.is_empty() {
            said.push(words.say("chart-nothing"));
        }
        let row = |row: &&Stack| {
            let name = if row.label.is_empty() { &self.value.title } else { &row.label };
            let arguments = [
                ("name", text(name)),
                ("parts", text(&self.written(row))),
                ("sum", text(&self.value.numbers.write(row.sum()))),
            ];
            words.tell("stacks-row", &arguments)
        };
        said.extend(known.iter().take(MOST_TOLD).map(row));
        said.extend(wording::rest(words, "chart-others", known.len(), MOST_TOLD));
        said.join(" ")
    }

    fn table(&self, words: &Words) -> DataTable {
        let mut head = vec![words.say("bars-column-what")];
        head.extend(self.parts.iter().map(|p| clean(p)));
        head.push(words.say("stacks-sum"));
        let cell = |row: &Stack, part: usize| {
            let value = row.known().find(|(i, _)| *i == part);
            value.map_or_else(|| words.say("chart-missing"), |(_, v)| self.value.numbers.write(v))
        };
        let row = |row: &Stack| {
            let mut cells = vec![clean(&row.label)];
            cells.extend((0..self.parts.len()).map(|part| cell(row, part)));
            cells.push(match row.known().next() {
                Some(_) => self.value.numbers.write(row.sum()),
                None => words.say("chart-missing"),
            });
            cells
        };
        DataTable { head, rows: self.rows.iter().map(row).collect() }
    }
}

impl Stacks {
    fn layout(&self, canvas: &Canvas, drawn: &[&Stack], domain: Domain) -> Layout {
        let names = Names::of(drawn.iter().map(|r| r.label.as_str()), canvas);
        let widest = drawn.iter().map(|r| TEXT.width(&self.sum(r))).fold(0.0, f64::max);
        let sums = names.right() + widest.min(canvas.width * 0.3).ceil();
        let scale = Scale { domain, from: sums + rows::GAP, to: canvas.width - INSET };
        Layout { names, sums, scale }
    }

    fn sum(&self, row: &Stack) -> String {
        self.value.numbers.write_under(row.sum(), &self.value.title)
    }

    /// `8 us + 112 us`.
    fn written(&self, row: &Stack) -> String {
        row.known().map(|(_, v)| self.value.numbers.write(v)).collect::<Vec<_>>().join(" + ")
    }

    /// Where the parts of a row are written, if there is room behind its bar.
    fn tail(&self, layout: &Layout, row: &Stack) -> Option<f64> {
        let at = layout.scale.place(row.sum()) + TO_TEXT;
        (at + TEXT.width(&self.written(row)) <= layout.scale.to + INSET).then_some(at)
    }

    fn bar_height(&self, layout: &Layout, row: &Stack) -> f64 {
        if self.tail(layout, row).is_some() { PITCH } else { PITCH + LINE }
    }

    fn height(&self, layout: &Layout, row: &Stack) -> f64 {
        let between = if layout.names.beside.is_none() { BETWEEN } else { 2.0 };
        layout.names.height(&row.label, self.bar_height(layout, row)) + between
    }

    fn draw_row(&self, canvas: &mut Canvas, layout: &Layout, row: &Stack, (y, height): (f64, f64)) {
        let lines = layout.names.lines(&row.label).len() as f64 * LINE;
        let start = layout.names.draw(canvas, &row.label, y, PITCH.max(lines));
        let top = match layout.names.beside {
            None => start,
            Some(_) => y + (PITCH.max(lines) - PITCH) / 2.0,
        };
        let middle = top + PITCH / 2.0;
        let mut before = 0.0;
        for (part, value) in row.known() {
            let (from, to) = (layout.scale.place(before), layout.scale.place(before + value));
            before += value;
            let name = self.parts.get(part).map_or_else(String::new, |p| clean(p));
            let told = join([clean(&row.label), name, self.value.numbers.write(value)], ", ");
            canvas.group(&series::colour(part));
            let area = Area { x: from, y: middle - BAR / 2.0, width: to - from, height: BAR };
            canvas.rect("s", area, Some(&told));
            canvas.end();
        }
        canvas.text((layout.sums, middle + MIDDLE), "e", &self.sum(row));
        let parts = self.written(row);
        match self.tail(layout, row) {
            Some(at) => canvas.text((at, middle + MIDDLE), "q o", &parts),
            None => {
                let room = layout.scale.to + INSET;
                let at = (layout.scale.from + TO_TEXT).min(room - TEXT.width(&parts)).max(0.0);
                let base = (top + PITCH + LINE - 5.0).min(y + height - 3.0);
                canvas.text((at, base), "q o", &TEXT.fit(&parts, room - at));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::check::{self, texts};
    use super::super::{Numbers, svg};
    use super::*;
    use language::Language;
    use model::Unit;

    fn split() -> Stacks {
        let row = |label: &str, values: &[f64]| Stack {
            label: label.to_owned(),
            values: values.iter().map(|v| Some(*v)).collect(),
        };
        Stacks {
            value: Axis {
                title: "mean latency".to_owned(),
                numbers: Numbers::Unit(Unit::Seconds),
                spread: Spread::Auto,
            },
            better: Some(Better::Lower),
            parts: vec!["submit".to_owned(), "device".to_owned()],
            rows: vec![
                row("io_uring", &[2e-6, 84e-6]),
                row("sync", &[1e-6, 93e-6]),
                row("deep", &[21e-6, 679e-6]),
            ],
        }
    }

    #[test]
    fn parts_look_as_they_did() {
        insta::assert_snapshot!(svg(&split(), "mean latency", Language::English.words()));
    }

    #[test]
    fn parts_stand_behind_one_another_and_add_up() {
        for width in [760.0, 340.0] {
            let texts = texts(&split(), Language::English.words(), width);
            for text in ["io_uring", "submit", "device", "86 us", "2 us + 84 us", "700 us", "21 us + 679 us"]
            {
                assert!(texts.iter().any(|t| t == text), "{text} in {texts:?}");
            }
        }
        let bars = check::paths(&split().draw(Language::English.words(), 760.0), "s");
        assert_eq!(bars.len(), 6);
        // The second part begins where the first ends.
        let end = |d: &str| d.split('H').nth(1).unwrap().split('V').next().unwrap().to_owned();
        assert!(bars[5].starts_with(&format!("M{} ", end(&bars[4]))), "{bars:?}");
    }

    #[test]
    fn parts_are_told_in_words() {
        assert_eq!(
            split().describe(Language::English.words()),
            "mean latency, made of submit + device. io_uring: 2 us + 84 us = 86 us. sync: 1 us + 93 us = 94 us. \
             deep: 21 us + 679 us = 700 us."
        );
        let table = split().table(Language::English.words());
        assert_eq!(table.head, ["What", "submit", "device", "Together"]);
        assert_eq!(table.rows[0], ["io_uring", "2 us", "84 us", "86 us"]);
    }

    #[test]
    fn what_was_not_measured_is_no_part() {
        let mut plot = split();
        plot.rows[0].values[1] = None;
        plot.rows[1].values = vec![None, None];
        check::hold(&plot, "missing parts");
        let rows = plot.table(Language::English.words()).rows;
        assert_eq!(rows[0][1..], ["2 us", "not measured", "2 us"]);
        assert_eq!(rows[1][1..], ["not measured", "not measured", "not measured"]);
    }
}
