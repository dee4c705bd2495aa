//! Lines over a factor, with intervals as bands.

use language::Words;

use super::canvas::{Canvas, Direction, LINE, MIDDLE, POINTED_FROM, Pen, TEXT};
use super::frame::{Frame, Ruler};
use super::reference::Flags;
use super::scale::{Base, Domain, Scale};
use super::series::Sample;
use super::ticks::Along;
use super::{Axis, Better, Drawing, Measured, Plot, Reference, Table};
use super::{between, count, frame, reference, scale, series, text, ticks};
use crate::svg::clean;

/// Lines over an ordered factor.
#[derive(Clone, Debug, PartialEq)]
pub struct Lines {
    /// The axis of the factor.
    pub x: Axis,
    /// The axis of values.
    pub y: Axis,
    /// The lines.
    pub lines: Vec<Line>,
    /// Lines across.
    pub references: Vec<Reference>,
    /// Places to be named, such as a knee.
    pub marks: Vec<Mark>,
    /// Which way is better.
    pub better: Option<Better>,
}

/// One line.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Its name; empty where it is the only one.
    pub name: String,
    /// Its points, by `x`.
    pub points: Vec<(f64, Measured)>,
}

/// A place with a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// Where, on the factor's axis.
    pub x: f64,
    /// What is there.
    pub label: String,
}

/// How many lines are drawn; more could not be told apart.
const MOST_LINES: usize = 12;
/// How many points of a line are drawn; of more, the least and the greatest of
/// each stretch.
const MOST_POINTS: usize = 240;
/// Up to so many points of a line have marks.
const MOST_MARKS: usize = 40;
/// How many lines a description tells of.
const MOST_TOLD: usize = 6;
/// A table has a column a line up to so many, else a row a point of each.
const MOST_COLUMNS: usize = 6;
/// From the area's ends to the first and the last point.
const INSET: f64 = 10.0;
/// From a line's end to its name.
const TO_NAME: f64 = 12.0;

/// A line as it is drawn: its number and name, and what of its points can be.
struct Drawn<'a> {
    series: usize,
    name: String,
    points: Vec<&'a (f64, Measured)>,
}

impl Plot for Lines {
    fn draw(&self, words: &Words, width: f64) -> Drawing {
        let (drawn, common) = self.drawn();
        if drawn.iter().all(|line| line.points.is_empty()) {
            return Canvas::nothing(words, width);
        }
        let mut canvas = Canvas::new(width);
        let y_domain = self.y_domain(&drawn);
        let (references, mut beyond) = reference::split(&self.references, &y_domain, ("↓", "↑"));
        if drawn.len() < self.lines.len() {
            let counts = [("all", count(self.lines.len())), ("drawn", count(drawn.len()))];
            beyond.insert(0, words.tell("lines-drawn", &counts));
        }
        let title = frame::title(&self.y, &y_domain, self.better, words);
        let mut top = frame::heading(&mut canvas, &title, 0.0, "");
        top = frame::heading(&mut canvas, &common, top, "q");
        let height = if canvas.is_pointed() { 250.0 } else { 190.0 };
        let names = EndNames::of(&drawn, width, height);
        if names.is_none() && drawn.len() > 1 {
            let mut entries: Vec<_> = drawn.iter().collect();
            // In the order in which the lines end, top to bottom.
            let last = |line: &Drawn<'_>| line.points.last().map_or(f64::NEG_INFINITY, |p| p.1.value);
            entries.sort_by(|a, b| last(b).total_cmp(&last(a)));
            let entries: Vec<_> = entries.iter().map(|line| (line.series, line.name.clone())).collect();
            let more = |n| words.tell("chart-more", &[("count", count(n))]);
            top += 4.0 + series::legend(&mut canvas, &entries, Sample::Line, (0.0, top + 10.0), more);
        }
        let right = width - names.as_ref().map_or(4.0, |n| n.width + TO_NAME);
        let x_domain = Domain::of(&self.x, &xs(&drawn), Base::Data, 6);
        let mut frame = self.frame(&drawn, (x_domain, y_domain), (right, width));
        let long = references.iter().filter(|r| !reference::has_room(r, right - frame.left));
        beyond.extend(long.map(|r| clean(&r.label)));
        let at = |mark: &Mark| (frame.x.scale.place(mark.x), "a", mark.label.clone());
        let known = self.marks.iter().filter(|m| x_domain.holds(m.x));
        let flags = Flags::lay(known.map(at).collect(), beyond, (0.0, width));
        frame.stand(top + 6.0 + flags.height() + 6.0, height, |scale| {
            ticks::ticks(scale, self.y.numbers, &self.y.title, Along::Up)
        });
        let bottom = frame.draw(&mut canvas, &clean(&self.x.title));
        flags.draw(&mut canvas, width, top + 6.0, frame.bottom);
        for line in &drawn {
            canvas.group(&series::class(line.series));
            self.draw_line(&mut canvas, &frame, line, words);
            canvas.end();
        }
        let edges = (frame.left, frame.right, frame.top, frame.bottom);
        let obstacles: Vec<_> = drawn.iter().flat_map(|line| along(&frame, line)).collect();
        reference::across(&mut canvas, &references, |v| frame.y.scale.place(v), edges, &obstacles);
        if let Some(names) = &names {
            names.draw(&mut canvas, &frame, &drawn);
        }
        canvas.finish(bottom)
    }

    fn describe(&self, words: &Words) -> String {
        let titles = [("y", text(&self.y.title)), ("x", text(&self.x.title))];
        let what = words.tell("lines-what", &titles);
        let all = self.lines.iter().enumerate().map(|(i, line)| finite(i, line));
        let mut told: Vec<_> = all.filter(|line| !line.points.is_empty()).collect();
        let common = shorten(&mut told);
        let what = if common.is_empty() { what } else { format!("{what} ({common})") };
        let mut said = Vec::new();
        match told.as_slice() {
            [] => said.extend([format!("{what}."), words.say("chart-nothing")]),
            [only] if only.name.is_empty() => said.push(self.tell(only, &what, words)),
            many => {
                said.push(format!("{what}."));
                said.extend(many.iter().take(MOST_TOLD).map(|line| self.tell(line, &line.name, words)));
            }
        }
        if told.len() > MOST_TOLD {
            said.push(words.tell("chart-others", &[("count", count(told.len() - MOST_TOLD))]));
        }
        let values = told.iter().flat_map(|line| line.points.iter().map(|(_, m)| m.value));
        let greatest = values.fold(f64::NEG_INFINITY, f64::max);
        said.extend(reference::describe(&self.references, greatest, words));
        for mark in self.marks.iter().filter(|m| m.x.is_finite()).take(MOST_TOLD) {
            said.push(words.tell("lines-mark", &[("label", text(&mark.label))]));
        }
        said.join(" ")
    }

    fn table(&self, words: &Words) -> Table {
        if self.lines.len() == 1 || self.lines.len() > MOST_COLUMNS {
            self.long_table(words)
        } else {
            self.wide_table(words)
        }
    }
}

impl Lines {
    /// The lines that are drawn, and what their names have in common.
    fn drawn(&self) -> (Vec<Drawn<'_>>, String) {
        let all = self.lines.iter().enumerate().map(|(i, line)| finite(i, line));
        let mut drawn: Vec<_> = all.filter(|line| !line.points.is_empty()).take(MOST_LINES).collect();
        for line in &mut drawn {
            line.points = thinned(std::mem::take(&mut line.points));
        }
        let common = shorten(&mut drawn);
        (drawn, common)
    }

    fn y_domain(&self, drawn: &[Drawn<'_>]) -> Domain {
        let measured = drawn.iter().flat_map(|line| line.points.iter().map(|(_, m)| m));
        let values = scale::with_intervals(measured);
        let references: Vec<&Reference> = self.references.iter().collect();
        let values = scale::with_references(&self.y, &values, &references);
        Domain::of(&self.y, &values, Base::Near, 5)
    }

    /// The frame; how high it stands is not known yet, but what its upright
    /// axis needs at the left is.
    fn frame(&self, drawn: &[Drawn<'_>], (x, y): (Domain, Domain), (right, width): (f64, f64)) -> Frame {
        let upright = Scale { domain: y, from: 200.0, to: 0.0 };
        let y_ticks = ticks::ticks(&upright, self.y.numbers, &self.y.title, Along::Up);
        let left = Frame::left_of(&y_ticks);
        let scale = Scale { domain: x, from: left + INSET, to: (right - INSET).max(left + INSET + 1.0) };
        let along = Along::Across(0.0, width);
        let mut levels = xs(drawn);
        levels.dedup();
        let at_levels = ticks::at_levels(&scale, &levels, self.x.numbers, &self.x.title, along);
        let x_ticks = at_levels.unwrap_or_else(|| ticks::ticks(&scale, self.x.numbers, &self.x.title, along));
        let x = Ruler { scale, ticks: x_ticks };
        Frame { x, y: Ruler { scale: upright, ticks: y_ticks }, left, right, top: 0.0, bottom: 0.0 }
    }

    fn draw_line(&self, canvas: &mut Canvas, frame: &Frame, line: &Drawn<'_>, words: &Words) {
        let place = |x: f64, y: f64| (frame.x.scale.place(x), frame.y.scale.place(y));
        for stretch in line.points.chunk_by(|a, b| a.1.interval.is_some() == b.1.interval.is_some()) {
            band(canvas, frame, stretch);
        }
        let points: Vec<_> = line.points.iter().map(|(x, m)| place(*x, m.value)).collect();
        if points.len() > 1 {
            canvas.path("l", &Pen::through(points.iter().copied()), None);
        }
        if points.len() > MOST_MARKS {
            return;
        }
        for ((x, y), (level, measured)) in points.iter().zip(&line.points) {
            let at = self.x.numbers.write(*level);
            let what = self.y.numbers.measured(measured, words);
            let told = [line.name.as_str(), at.as_str(), what.as_str()];
            let told: Vec<_> = told.into_iter().filter(|part| !part.is_empty()).collect();
            canvas.path("f", &series::mark(line.series, *x, *y, 3.6), Some(&told.join(", ")));
        }
    }

    fn tell(&self, line: &Drawn<'_>, name: &str, words: &Words) -> String {
        let y = |m: &Measured| text(&self.y.numbers.write_under(m.value, &self.y.title));
        let x = |at: f64| text(&self.x.numbers.write(at));
        let (first, last) = (line.points[0], line.points[line.points.len() - 1]);
        let mut what = if line.points.len() == 1 {
            words.tell("lines-point", &[("value", y(&first.1)), ("at", x(first.0))])
        } else {
            let ends =
                [("first", y(&first.1)), ("from", x(first.0)), ("last", y(&last.1)), ("to", x(last.0))];
            words.tell("lines-change", &ends)
        };
        let by_value = |a: &&&(f64, Measured), b: &&&(f64, Measured)| a.1.value.total_cmp(&b.1.value);
        let (low, high) = (line.points.iter().min_by(by_value), line.points.iter().max_by(by_value));
        if let (Some(low), Some(high)) = (low, high)
            && ![low.0, high.0].iter().all(|at| *at == first.0 || *at == last.0)
        {
            let ends =
                [("high", y(&high.1)), ("high_at", x(high.0)), ("low", y(&low.1)), ("low_at", x(low.0))];
            what = format!("{what}; {}", words.tell("lines-between", &ends));
        }
        format!("{}.", words.tell("chart-named", &[("name", text(name)), ("what", text(&what))]))
    }

    /// A row a level, a column a line.
    fn wide_table(&self, words: &Words) -> Table {
        let mut head = vec![clean(&self.x.title)];
        head.extend(self.lines.iter().map(|line| clean(&line.name)));
        let mut levels: Vec<f64> = self.lines.iter().flat_map(|l| l.points.iter().map(|p| p.0)).collect();
        levels.sort_by(f64::total_cmp);
        levels.dedup_by(|a, b| a.total_cmp(b).is_eq());
        let cell = |line: &Line, level: f64| {
            let point = line.points.iter().find(|p| p.0.total_cmp(&level).is_eq());
            point.map_or_else(String::new, |p| self.y.numbers.measured(&p.1, words))
        };
        let row = |level: &f64| {
            let cells = self.lines.iter().map(|line| cell(line, *level));
            [self.x.numbers.write(*level)].into_iter().chain(cells).collect()
        };
        Table { head, rows: levels.iter().map(row).collect() }
    }

    /// A row a point; the line's name first where there are many.
    fn long_table(&self, words: &Words) -> Table {
        let is_one = self.lines.len() == 1;
        let mut head = vec![clean(&self.x.title), clean(&self.y.title)];
        head.extend([words.say("chart-column-low"), words.say("chart-column-high")]);
        if !is_one {
            head.insert(0, words.say("lines-name"));
        }
        let mut rows = Vec::new();
        for line in &self.lines {
            for (x, measured) in &line.points {
                let end = |pick: fn((f64, f64)) -> f64| {
                    measured.interval.map_or_else(String::new, |i| self.y.numbers.write(pick(i)))
                };
                let mut row = vec![self.x.numbers.write(*x), self.y.numbers.write(measured.value)];
                row.extend([end(|i| i.0), end(|i| i.1)]);
                if !is_one {
                    row.insert(0, clean(&line.name));
                }
                rows.push(row);
            }
        }
        Table { head, rows }
    }
}

/// The points that can be drawn, by `x`.
fn finite(series: usize, line: &Line) -> Drawn<'_> {
    let mut points: Vec<_> =
        line.points.iter().filter(|(x, m)| x.is_finite() && m.value.is_finite()).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    Drawn { series, name: clean(&line.name), points }
}

/// Takes out of the names what all have in common, and answers it.
fn shorten(lines: &mut [Drawn<'_>]) -> String {
    let names: Vec<String> = lines.iter().map(|line| line.name.clone()).collect();
    let (short, common) = series::without_common(&names);
    lines.iter_mut().zip(short).for_each(|(line, name)| line.name = name);
    common
}

/// Of many points, the least and the greatest of each stretch.
fn thinned(points: Vec<&(f64, Measured)>) -> Vec<&(f64, Measured)> {
    if points.len() <= MOST_POINTS {
        return points;
    }
    let stretch = points.len().div_ceil(MOST_POINTS / 2);
    let mut kept = Vec::new();
    for part in points.chunks(stretch) {
        let value = |i: &usize| part[*i].1.value;
        let least = (0..part.len()).min_by(|a, b| value(a).total_cmp(&value(b))).unwrap_or_default();
        let greatest = (0..part.len()).max_by(|a, b| value(a).total_cmp(&value(b))).unwrap_or_default();
        kept.push(part[least.min(greatest)]);
        if least != greatest {
            kept.push(part[least.max(greatest)]);
        }
    }
    kept
}

fn xs(drawn: &[Drawn<'_>]) -> Vec<f64> {
    let mut xs: Vec<f64> = drawn.iter().flat_map(|line| line.points.iter().map(|p| p.0)).collect();
    xs.sort_by(f64::total_cmp);
    xs
}

/// The intervals of points that follow on one another, as a band; of a single
/// one, as a whisker.
fn band(canvas: &mut Canvas, frame: &Frame, points: &[&(f64, Measured)]) {
    let end = |x: f64, bound: f64| (frame.x.scale.place(x), frame.y.scale.place(bound));
    let ends: Vec<_> = points
        .iter()
        .filter_map(|(x, m)| m.interval.filter(|i| i.0.is_finite() && i.1.is_finite()).map(|i| (*x, i)))
        .collect();
    match ends.as_slice() {
        [] => {}
        [(x, (low, high))] => {
            let (at, low) = end(*x, *low);
            canvas.path("n", &Pen::whisker(Direction::Y, at, low, end(*x, *high).1, 4.0), None);
        }
        many => {
            let up = many.iter().map(|(x, i)| end(*x, i.1));
            let back = many.iter().rev().map(|(x, i)| end(*x, i.0));
            canvas.path("k", &Pen::through(up.chain(back)).close(), None);
        }
    }
}

/// Places along a line, close enough together that no name lies between two.
fn along(frame: &Frame, line: &Drawn<'_>) -> Vec<(f64, f64)> {
    let place = |p: &(f64, Measured)| (frame.x.scale.place(p.0), frame.y.scale.place(p.1.value));
    let mut places: Vec<_> = line.points.iter().map(|p| place(p)).collect();
    for pair in line.points.windows(2) {
        places.extend(between(place(pair[0]), place(pair[1])));
    }
    places
}

/// Names at the ends of lines.
struct EndNames {
    width: f64,
}

impl EndNames {
    /// Where all lines have names that leave room for the lines, and there is
    /// height for all.
    fn of(drawn: &[Drawn<'_>], width: f64, height: f64) -> Option<Self> {
        let widest = drawn.iter().map(|line| TEXT.width(&line.name)).fold(0.0, f64::max);
        let has_room = widest <= width * if width < POINTED_FROM { 0.15 } else { 0.26 }
            && drawn.len() as f64 * LINE <= height;
        (drawn.len() > 1 && drawn.iter().all(|line| !line.name.is_empty()) && has_room)
            .then_some(Self { width: widest })
    }

    fn draw(&self, canvas: &mut Canvas, frame: &Frame, drawn: &[Drawn<'_>]) {
        let ends: Vec<_> = drawn
            .iter()
            .filter_map(|line| line.points.last())
            .map(|p| (frame.x.scale.place(p.0), frame.y.scale.place(p.1.value)))
            .collect();
        let wanted: Vec<f64> = ends.iter().map(|end| end.1).collect();
        let Some(placed) = series::apart(&wanted, LINE - 1.0, (frame.top + 2.0, frame.bottom - 2.0)) else {
            return;
        };
        let x = frame.right + TO_NAME;
        for ((line, (end_x, end_y)), y) in drawn.iter().zip(ends).zip(placed) {
            if (y - end_y).abs() > 3.0 || end_x < frame.right - INSET - 1.0 {
                canvas.group(&series::colour(line.series));
                canvas.path("n", &Pen::at(end_x + 5.0, end_y).line(x - 3.0, y), None);
                canvas.end();
            }
            canvas.text((x, y + MIDDLE), "", &line.name);
        }
    }
}

#[cfg(test)]
mod tests;
