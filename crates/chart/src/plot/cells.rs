//! Millions of things over time: where on a device requests lay, or how long they took. What
//! lies close together is one mark, whose size says how large the largest in it is; none is
//! left out, and how many a mark stands for is in the words beside it.

use std::collections::BTreeMap;

use language::Words;
use model::Unit;

use super::canvas::{Canvas, PathBuilder};
use super::clock::Clock;
use super::frame::{self, Frame, TickedAxis};
use super::scale::{self, Base, Domain, Scale};
use super::series::{self, Sample};
use super::ticks::TickDirection;
use super::{Axis, DataTable, Drawing, Numbers, Plot, text, wording};
use crate::svg::clean;

/// Cells over time: of each how many things of two kinds lie in it.
#[derive(Clone, Debug, PartialEq)]
pub struct CellPlot {
    /// From when to when, in seconds.
    pub span_s: (f64, f64),
    /// The upright axis.
    pub upright: Axis,
    /// What the two kinds are called.
    pub names: [String; 2],
    /// The cells.
    pub cells: Vec<PlotCell>,
}

/// One cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlotCell {
    /// When it begins, in seconds.
    pub time_s: f64,
    /// Where it stands on the upright axis.
    pub value: f64,
    /// How many of each kind.
    pub counts: [u64; 2],
    /// How many bytes the largest has, where that is shown.
    pub bytes: Option<u64>,
}

/// Marks of one kind that are drawn at most; more cells share marks.
const MARKS_MOST: usize = 2500;
/// The least distance of two marks, in pixels.
const STEP: f64 = 2.0;
/// How thick marks are: of less than the first size, of less than the second, of more, and where
/// sizes are not shown.
const THICK: [f64; 4] = [2.0, 3.5, 5.0, 2.5];
/// From how many bytes on a mark is thicker.
const LARGER: [u64; 2] = [16 << 10, 128 << 10];
/// Rows of the table.
const ROWS_MOST: usize = 24;

impl Plot for CellPlot {
    fn draw(&self, words: &Words, width: f64) -> Drawing {
        let cells = self.known();
        let Some(clock) = Clock::new(self.span_s, None).filter(|_| !cells.is_empty()) else {
            return Canvas::nothing(words, width);
        };
        let mut canvas = Canvas::new(width);
        let values: Vec<f64> = cells.iter().map(|cell| cell.value).collect();
        let domain = Domain::of(&self.upright, &values, Base::Loose, 5);
        let title = frame::title(&self.upright, &domain, None, words);
        let mut top = frame::heading(&mut canvas, &title, 0.0, "");
        if let Some(sizes) = self.sizes(words) {
            top = frame::heading(&mut canvas, &sizes, top, "q");
        }
        let entries: Vec<(usize, String)> =
            self.kinds(&cells).map(|kind| (kind, clean(&self.names[kind]))).collect();
        top += 4.0 + series::legend(&mut canvas, &entries, Sample::Mark, (0.0, top + 10.0), words);
        let mut frame = self.frame(&clock, domain, width);
        let height = if canvas.is_pointed() { 260.0 } else { 200.0 };
        frame.stand(top + 8.0, height, &self.upright);
        let bottom = frame.draw(&mut canvas, &words.say("cells-time"));
        for kind in self.kinds(&cells) {
            canvas.group(&series::class(kind));
            for (thickness, marks) in marks(&frame, &cells, kind) {
                canvas.strokes("i0", &marks, thickness);
            }
            canvas.end();
        }
        canvas.finish(bottom)
    }

    fn describe(&self, words: &Words) -> String {
        let cells = self.known();
        let mut said = vec![words.tell("cells-what", &[("title", text(&self.upright.title))])];
        if cells.is_empty() {
            said.push(words.say("chart-nothing"));
        }
        for kind in self.kinds(&cells) {
            let own = cells.iter().filter(|cell| cell.counts[kind] > 0);
            let (low, high) = scale::ends(own.clone().map(|cell| cell.value));
            let count: u64 = own.map(|cell| cell.counts[kind]).fold(0, u64::saturating_add);
            let arguments = [
                ("name", text(&self.names[kind])),
                ("count", wording::text(count.to_string())),
                ("low", wording::text(self.upright.numbers.write(low))),
                ("high", wording::text(self.upright.numbers.write(high))),
            ];
            said.push(words.tell("cells-said", &arguments));
        }
        said.extend(self.sizes(words));
        said.join(" ")
    }

    fn table(&self, words: &Words) -> DataTable {
        let mut head: Vec<String> = vec![words.say("cells-time")];
        head.extend(self.names.iter().map(|name| clean(name)));
        head.extend(["cells-lowest", "cells-highest"].map(|key| words.say(key)));
        let length = self.span_s.1 - self.span_s.0;
        let cells = self.known();
        if cells.is_empty() || !length.is_finite() || length <= 0.0 {
            return DataTable { head, rows: Vec::new() };
        }
        let mut rows: BTreeMap<usize, Vec<&PlotCell>> = BTreeMap::new();
        for cell in cells {
            let place = (cell.time_s - self.span_s.0) / length * ROWS_MOST as f64;
            rows.entry((place.max(0.0) as usize).min(ROWS_MOST - 1)).or_default().push(cell);
        }
        let row = |(place, cells): (usize, Vec<&PlotCell>)| {
            let from = self.span_s.0 + length * place as f64 / ROWS_MOST as f64;
            let (low, high) = scale::ends(cells.iter().map(|cell| cell.value));
            let count = |kind: usize| {
                let sum = cells.iter().map(|cell| cell.counts[kind]).fold(0, u64::saturating_add);
                sum.to_string()
            };
            let numbers = self.upright.numbers;
            vec![
                Numbers::Unit(Unit::Seconds).write(from),
                count(0),
                count(1),
                numbers.write(low),
                numbers.write(high),
            ]
        };
        DataTable { head, rows: rows.into_iter().map(row).collect() }
    }
}

impl CellPlot {
    /// The cells that can be drawn.
    fn known(&self) -> Vec<&PlotCell> {
        self.cells.iter().filter(|cell| cell.time_s.is_finite() && cell.value.is_finite()).collect()
    }

    /// The kinds of which there is something.
    fn kinds(&self, cells: &[&PlotCell]) -> impl Iterator<Item = usize> + use<> {
        let there = [0, 1].map(|kind| cells.iter().any(|cell| cell.counts[kind] > 0));
        (0..2).filter(move |kind| there[*kind])
    }

    /// What the size of marks means, where it means something.
    fn sizes(&self, words: &Words) -> Option<String> {
        let is_shown = self.cells.iter().any(|cell| cell.bytes.is_some());
        is_shown.then(|| {
            let size = |bytes: u64| wording::text(Numbers::Binary.write(bytes as f64));
            words.tell("cells-sizes", &[("small", size(LARGER[0])), ("large", size(LARGER[1]))])
        })
    }

    fn frame(&self, clock: &Clock, domain: Domain, width: f64) -> Frame {
        let y = TickedAxis::new(&self.upright, Scale { domain, from: 240.0, to: 0.0 }, TickDirection::Up);
        let (left, right) = (Frame::left_of(&y.ticks), width - 8.0);
        let time = clock.scale(left, right);
        let x = TickedAxis { scale: time, ticks: clock.ticks(&time, width) };
        Frame { x, y, left, right, top: 0.0, bottom: 0.0 }
    }
}

/// The marks of a kind by their thickness: neighbours share one until there are few enough.
fn marks(frame: &Frame, cells: &[&PlotCell], kind: usize) -> Vec<(f64, PathBuilder)> {
    let mut step = STEP;
    let mut places = gathered(frame, cells, kind, step);
    while places.len() > MARKS_MOST {
        step *= 1.5;
        places = gathered(frame, cells, kind, step);
    }
    let mut paths: BTreeMap<usize, PathBuilder> = BTreeMap::new();
    for ((column, row), size) in places {
        // In the middle of what it stands for, and within the frame.
        let x = (frame.left + (f64::from(column) + 0.5) * step).min(frame.right);
        let y = (frame.bottom - (f64::from(row) + 0.5) * step).max(frame.top);
        let pen = paths.remove(&size).unwrap_or_default();
        // A line without a length has round ends: a dot, in few bytes.
        paths.insert(size, pen.jump(x, y).across(x));
    }
    paths.into_iter().map(|(size, path)| (THICK[size], path)).collect()
}

/// Which marks there are, and which size each has.
fn gathered(frame: &Frame, cells: &[&PlotCell], kind: usize, step: f64) -> BTreeMap<(u32, u32), usize> {
    let mut places = BTreeMap::new();
    for cell in cells.iter().filter(|cell| cell.counts[kind] > 0) {
        let column = ((frame.x.scale.place(cell.time_s) - frame.left) / step).max(0.0) as u32;
        let row = ((frame.bottom - frame.y.scale.place(cell.value)) / step).max(0.0) as u32;
        let size =
            cell.bytes.map_or(THICK.len() - 1, |bytes| LARGER.iter().filter(|from| bytes >= **from).count());
        let own = places.entry((column, row)).or_insert(size);
        *own = size.max(*own);
    }
    places
}

#[cfg(test)]
mod tests {
    use super::super::Spread;
    use super::super::check::texts;
    use super::*;
    use language::Language;

    fn plot(cells: usize) -> CellPlot {
        let cell = |index: usize| PlotCell {
            time_s: index as f64 / cells as f64,
            value: (index * 7919 % 1000) as f64 * 1048576.0,
            counts: [u64::from(index.is_multiple_of(3)), 2],
            bytes: Some(if index.is_multiple_of(2) { 4096 } else { 1 << 20 }),
        };
        CellPlot {
            span_s: (0.0, 1.0),
            upright: Axis { title: "offset".to_owned(), numbers: Numbers::Binary, spread: Spread::Linear },
            names: ["reads".to_owned(), "writes".to_owned()],
            cells: (0..cells).map(cell).collect(),
        }
    }

    #[test]
    fn many_cells_share_marks_and_all_are_counted() {
        let words = Language::English.words();
        let many = plot(60_000);
        let drawing = many.draw(words, 760.0);
        assert!(drawing.elements.len() < 200_000, "{}", drawing.elements.len());
        let said = many.describe(words);
        assert!(said.contains(": 20000, from") && said.contains(": 120000, from"), "{said}");
        let table = many.table(words);
        assert_eq!((table.rows.len(), table.head.len()), (ROWS_MOST, table.rows[0].len()));
        let texts = texts(&many, words, 760.0);
        assert!(texts.iter().any(|text| text == "reads") && texts.iter().any(|text| text == "writes"));
    }

    #[test]
    fn nothing_is_said_to_be_nothing() {
        let words = Language::English.words();
        let none = plot(0);
        assert!(none.describe(words).contains("Nothing was measured."));
        assert!(none.table(words).rows.is_empty());
    }
}
