//! Two metrics against each other.

use language::Words;

use super::canvas::{Area, Canvas, PathBuilder};
use super::frame::{Frame, TickedAxis};
use super::reference::Flags;
use super::scale::{Base, Domain, Scale};
use super::series::Sample;
use super::ticks::{TICK, TickDirection};
use super::{Axis, Better, DataTable, Drawing, Measured, Numbers, Plot, Reference};
use super::{between, count, frame, reference, rows, scale, series, text, wording};
use crate::svg::{clean, join};

/// Points of two metrics, such as latency against throughput.
#[derive(Clone, Debug, PartialEq)]
pub struct Scatter {
    /// The axis from left to right.
    pub x: Axis,
    /// The axis from bottom to top.
    pub y: Axis,
    /// Which way is better, from left to right and from bottom to top.
    pub better: (Option<Better>, Option<Better>),
    /// The groups of points.
    pub groups: Vec<Dots>,
    /// Lines across, on the axis `x`.
    pub references: Vec<Reference>,
}

/// Points that belong together.
#[derive(Clone, Debug, PartialEq)]
pub struct Dots {
    /// Their name; empty where they are the only ones.
    pub name: String,
    /// The points, in the order of their factor.
    pub dots: Vec<Dot>,
    /// Whether a line joins them in that order.
    pub joined: bool,
}

/// One point.
#[derive(Clone, Debug, PartialEq)]
pub struct Dot {
    /// Left to right.
    pub x: Measured,
    /// Bottom to top.
    pub y: Measured,
    /// What it is: `depth 8`.
    pub label: String,
}

/// How many points are drawn in all.
const MOST_DOTS: usize = 400;
/// At most so many groups are described.
const MOST_TOLD: usize = 6;
/// From the area's edges to the outermost points.
const INSET: f64 = 8.0;
/// More points than this are drawn smaller, and of one group as one path.
const CROWD: usize = 40;
/// Of more points that no line joins only those at the ends are named.
const NAMED: usize = 12;
/// Names are cut to this width.
const NAME: f64 = 190.0;
/// How many at either end.
const AT_ENDS: usize = 2;
/// Half of a mark.
const HALF: f64 = 4.0;

impl Plot for Scatter {
    fn draw(&self, words: &Words, width: f64) -> Drawing {
        let groups = self.drawn();
        if groups.is_empty() {
            return Canvas::nothing(words, width);
        }
        let mut canvas = Canvas::new(width);
        let dots = || groups.iter().flat_map(|(_, _, dots)| dots.iter());
        let y_values = scale::with_intervals(dots().map(|d| &d.y));
        let base = if self.y.numbers == Numbers::Times { Base::Free } else { Base::Loose };
        let y_domain = Domain::of(&self.y, &y_values, base, 5);
        let x_values = scale::with_intervals(dots().map(|d| &d.x));
        let x_values = scale::with_references(&self.x, &x_values, &self.references);
        let x_domain = Domain::of(&self.x, &x_values, Base::Loose, 6);
        // Nobody looks for the zero of ratios.
        let low = if self.y.numbers == Numbers::Times { 0.0 } else { y_domain.low };
        let title = frame::title(&self.y, &Domain { low, ..y_domain }, self.better.1, words);
        let mut top = frame::heading(&mut canvas, &title, 0.0, "");
        if groups.len() > 1 {
            let entries: Vec<_> =
                groups.iter().map(|(series, group, _)| (*series, clean(&group.name))).collect();
            let sample = if groups.iter().any(|g| g.1.joined) { Sample::Line } else { Sample::Mark };
            top += 4.0 + series::legend(&mut canvas, &entries, sample, (0.0, top + 10.0), words);
        }
        let mut frame = self.frame((x_domain, y_domain), width);
        let cut = match dots().count() {
            MOST_DOTS => wording::drawn(words, "scatter-drawn", MOST_DOTS, self.dots()),
            _ => String::new(),
        };
        let flags = Flags::of(&self.references, &frame.x.scale, cut, width);
        let height = if canvas.is_pointed() { 280.0 } else { 220.0 };
        frame.stand(top + 12.0 + flags.height(), height, &self.y);
        // Marks have room at the edges.
        (frame.y.scale.from, frame.y.scale.to) = (frame.bottom, frame.top + INSET);
        frame.y.ticks = self.y.ticks(&frame.y.scale, TickDirection::Up);
        let bottom = frame.draw(&mut canvas, &frame::title(&self.x, &x_domain, self.better.0, words));
        flags.draw(&mut canvas, top + 6.0, frame.bottom);
        for (series, group, dots) in &groups {
            canvas.group(&series::class(*series));
            self.draw_group(&mut canvas, &frame, (*series, group), dots, words);
            canvas.end();
        }
        name_dots(&mut canvas, &frame, &groups);
        canvas.finish(bottom)
    }

    fn describe(&self, words: &Words) -> String {
        let mut said =
            vec![words.tell("scatter-what", &[("x", text(&self.x.title)), ("y", text(&self.y.title))])];
        let known: Vec<_> =
            self.groups.iter().map(|g| (g, finite(g))).filter(|(_, d)| !d.is_empty()).collect();
        if known.is_empty() {
            said.push(words.say("chart-nothing"));
        }
        for (group, dots) in known.iter().take(MOST_TOLD) {
            let is_way = group.joined && dots.len() > 1;
            let what = if is_way { self.tell_way(dots, words) } else { self.tell_cloud(dots, words) };
            let named = [("name", text(&group.name)), ("what", text(&what))];
            let told = if group.name.is_empty() { what } else { words.tell("chart-named", &named) };
            said.push(format!("{told}."));
        }
        said.extend(wording::rest(words, "chart-others", known.len(), MOST_TOLD));
        let greatest = known.iter().flat_map(|(_, dots)| dots.iter().map(|d| d.x.value));
        let greatest = greatest.fold(f64::NEG_INFINITY, f64::max);
        said.extend(reference::describe(&self.references, greatest, words));
        said.join(" ")
    }

    fn table(&self, words: &Words) -> DataTable {
        let has_groups = self.groups.len() > 1;
        let mut head: Vec<String> = has_groups.then(|| words.say("scatter-group")).into_iter().collect();
        head.extend([words.say("scatter-point"), clean(&self.x.title), clean(&self.y.title)]);
        let mut rows = Vec::new();
        for group in &self.groups {
            for dot in &group.dots {
                let mut row: Vec<String> = has_groups.then(|| clean(&group.name)).into_iter().collect();
                row.push(clean(&dot.label));
                row.push(self.x.numbers.measured(&dot.x, words));
                row.push(self.y.numbers.measured(&dot.y, words));
                rows.push(row);
            }
        }
        DataTable { head, rows }
    }
}

/// A group as it is drawn: its number, itself, and those of its points that can be.
type Group<'a> = (usize, &'a Dots, Vec<&'a Dot>);

impl Scatter {
    fn drawn(&self) -> Vec<Group<'_>> {
        let mut room = MOST_DOTS;
        let mut groups = Vec::new();
        for (series, group) in self.groups.iter().enumerate() {
            let dots: Vec<&Dot> = finite(group).into_iter().take(room).collect();
            room -= dots.len();
            if !dots.is_empty() {
                groups.push((series, group, dots));
            }
        }
        groups
    }

    fn frame(&self, (x, y): (Domain, Domain), width: f64) -> Frame {
        let y = TickedAxis::new(&self.y, Scale { domain: y, from: 240.0, to: 0.0 }, TickDirection::Up);
        let (left, right) = (Frame::left_of(&y.ticks), width - 4.0);
        let from = if x.low == 0.0 { left } else { left + INSET };
        let scale = Scale { domain: x, from, to: right - INSET };
        let x = TickedAxis::new(&self.x, scale, TickDirection::Across(0.0, width));
        Frame { x, y, left, right, top: 0.0, bottom: 0.0 }
    }

    fn dots(&self) -> usize {
        self.groups.iter().map(|g| g.dots.len()).sum()
    }

    fn draw_group(
        &self,
        canvas: &mut Canvas,
        frame: &Frame,
        (series, group): (usize, &Dots),
        dots: &[&Dot],
        words: &Words,
    ) {
        let places: Vec<_> = dots.iter().map(|dot| place(frame, dot)).collect();
        if group.joined && places.len() > 1 {
            canvas.path("l", &PathBuilder::through(places.iter().copied()), None);
        }
        let mut whiskers = PathBuilder::default();
        for (dot, (x, y)) in dots.iter().zip(&places) {
            if let Some((low, high)) = rows::ends(&frame.x.scale, dot.x.interval) {
                whiskers = whiskers.jump(low, *y).across(high);
            }
            if let Some((low, high)) = rows::ends(&frame.y.scale, dot.y.interval) {
                whiskers = whiskers.jump(*x, low).up(high);
            }
        }
        if whiskers != PathBuilder::default() {
            canvas.path("n2", &whiskers, None);
        }
        if dots.len() > CROWD && self.groups.len() == 1 && !group.joined {
            // A line without a length has round ends: a dot, in few bytes.
            let dots = places.iter().fold(PathBuilder::default(), |pen, (x, y)| pen.jump(*x, *y).across(*x));
            canvas.path("i", &dots, None);
            return;
        }
        let half = if self.dots() > CROWD { 2.6 } else { HALF };
        for (dot, (x, y)) in dots.iter().zip(places) {
            let figures = [self.x.numbers.measured(&dot.x, words), self.y.numbers.measured(&dot.y, words)];
            let told = join([clean(&group.name), clean(&dot.label), figures.join("; ")], ", ");
            canvas.path("f", &series::mark(series, x, y, half), Some(&told));
        }
    }

    fn tell_way(&self, dots: &[&Dot], words: &Words) -> String {
        let (first, last) = (dots[0], dots[dots.len() - 1]);
        let x = |dot: &Dot| text(&self.x.numbers.write_under(dot.x.value, &self.x.title));
        let y = |dot: &Dot| text(&self.y.numbers.write_under(dot.y.value, &self.y.title));
        let ends = [
            ("first", text(&first.label)),
            ("first_x", x(first)),
            ("first_y", y(first)),
            ("last", text(&last.label)),
            ("last_x", x(last)),
            ("last_y", y(last)),
        ];
        words.tell("scatter-way", &ends)
    }

    fn tell_cloud(&self, dots: &[&Dot], words: &Words) -> String {
        let (x_low, x_high) = scale::ends(dots.iter().map(|d| d.x.value));
        let (y_low, y_high) = scale::ends(dots.iter().map(|d| d.y.value));
        let (x, y) = (&self.x, &self.y);
        let arguments = [
            ("count", count(dots.len())),
            ("x", text(&x.title)),
            ("x_low", text(&x.numbers.write_under(x_low, &x.title))),
            ("x_high", text(&x.numbers.write_under(x_high, &x.title))),
            ("y", text(&y.title)),
            ("y_low", text(&y.numbers.write_under(y_low, &y.title))),
            ("y_high", text(&y.numbers.write_under(y_high, &y.title))),
        ];
        words.tell("scatter-cloud", &arguments)
    }
}

fn finite(group: &Dots) -> Vec<&Dot> {
    group.dots.iter().filter(|d| d.x.value.is_finite() && d.y.value.is_finite()).collect()
}

fn place(frame: &Frame, dot: &Dot) -> (f64, f64) {
    (frame.x.scale.place(dot.x.value), frame.y.scale.place(dot.y.value))
}

/// Names points where there is room: the first and the last of each group
/// before those between. A name covers no other name and no point.
fn name_dots(canvas: &mut Canvas, frame: &Frame, groups: &[Group<'_>]) {
    let marks: Vec<(f64, f64)> =
        groups.iter().flat_map(|(_, _, dots)| dots.iter().map(|dot| place(frame, dot))).collect();
    let in_the_way: Vec<(f64, f64)> = groups.iter().flat_map(|group| lines_of(frame, group)).collect();
    let mut wanted: Vec<(usize, (f64, f64), String)> = Vec::new();
    let free: usize = groups.iter().filter(|g| !g.1.joined).map(|g| g.2.len()).sum();
    for (_, group, dots) in groups {
        let extreme = (!group.joined && free > NAMED).then(|| extremes(dots));
        for (i, dot) in dots.iter().enumerate() {
            let rank = match &extreme {
                Some(kept) if kept.contains(&i) => 0,
                Some(_) => continue,
                None if i == 0 || i + 1 == dots.len() => 0,
                None => 1 + i % 2,
            };
            wanted.push((rank, place(frame, dot), TICK.fit(&clean(&dot.label), NAME)));
        }
    }
    wanted.sort_by_key(|(rank, _, _)| *rank);
    let mut taken: Vec<Area> = Vec::new();
    for (_, (x, y), name) in wanted.into_iter().filter(|(_, _, name)| !name.is_empty()) {
        let width = TICK.width(&name);
        let beside = [
            (x + 8.0, y + 4.0),
            (x - width - 8.0, y + 4.0),
            (x - width / 2.0, y - 9.0),
            (x - width / 2.0, y + 17.0),
            (x + 6.0, y - 6.0),
            (x - width - 6.0, y - 6.0),
        ];
        let area = |(left, base): (f64, f64)| Area { x: left, y: base - 10.0, width, height: 13.0 };
        let free = beside.into_iter().map(area).find(|a| {
            a.x >= frame.left + 2.0
                && a.x + a.width <= canvas.width
                && a.y >= frame.top
                && a.y + a.height <= frame.bottom - 2.0
                && taken.iter().all(|t| !touch(a, t))
                && marks.iter().all(|p| *p == (x, y) || !touch(a, &around(*p)))
                && !in_the_way.iter().any(|p| touch(a, &Area { x: p.0, y: p.1, width: 0.0, height: 0.0 }))
        });
        if let Some(area) = free {
            canvas.text((area.x, area.y + 10.0), "t o", &name);
            taken.push(area);
        }
    }
}

/// Which points have the least and the greatest values from bottom to top.
fn extremes(dots: &[&Dot]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..dots.len()).collect();
    order.sort_by(|a, b| dots[*a].y.value.total_cmp(&dots[*b].y.value));
    let ends = order.iter().take(AT_ENDS).chain(order.iter().rev().take(AT_ENDS));
    ends.copied().collect()
}

/// Places along the lines and the intervals of a group.
fn lines_of(frame: &Frame, (_, group, dots): &Group<'_>) -> Vec<(f64, f64)> {
    let mut places = Vec::new();
    if group.joined {
        for pair in dots.windows(2) {
            places.extend(between(place(frame, pair[0]), place(frame, pair[1])));
        }
    }
    for dot in dots {
        let (x, y) = place(frame, dot);
        if let Some((low, high)) = rows::ends(&frame.x.scale, dot.x.interval) {
            places.extend(between((low, y), (high, y)));
        }
        if let Some((low, high)) = rows::ends(&frame.y.scale, dot.y.interval) {
            places.extend(between((x, low), (x, high)));
        }
    }
    places
}

fn around((x, y): (f64, f64)) -> Area {
    Area { x: x - HALF, y: y - HALF, width: 2.0 * HALF, height: 2.0 * HALF }
}

fn touch(a: &Area, b: &Area) -> bool {
    a.x < b.x + b.width + 2.0 && b.x < a.x + a.width + 2.0 && a.y < b.y + b.height && b.y < a.y + a.height
}

#[cfg(test)]
mod tests {
    use super::super::check::texts;
    use super::super::{Numbers, ReferenceKind, Spread, svg};
    use super::*;
    use language::Language;
    use model::Unit;

    fn curve() -> Scatter {
        let exact = |value| Measured { value, interval: None };
        let dot = |depth: u32, rate: f64, latency: f64| Dot {
            x: Measured { value: rate, interval: Some((rate * 0.95, rate * 1.05)) },
            y: exact(latency),
            label: format!("depth {depth}"),
        };
        Scatter {
            better: (None, None),
            x: Axis {
                title: "IOPS".to_owned(),
                numbers: Numbers::Unit(Unit::PerSecond),
                spread: Spread::Auto,
            },
            y: Axis {
                title: "latency".to_owned(),
                numbers: Numbers::Unit(Unit::Seconds),
                spread: Spread::Auto,
            },
            groups: vec![Dots {
                name: "io_uring".to_owned(),
                dots: vec![dot(1, 10.5e3, 95e-6), dot(8, 48e3, 167e-6), dot(64, 86.7e3, 738e-6)],
                joined: true,
            }],
            references: vec![Reference {
                value: 1e6,
                label: "datasheet: 1 M".to_owned(),
                kind: ReferenceKind::Promise,
            }],
        }
    }

    #[test]
    fn a_curve_looks_as_it_did() {
        insta::assert_snapshot!(svg(&curve(), "latency against IOPS", Language::English.words()));
    }

    #[test]
    fn points_have_their_names_and_a_far_promise_an_arrow() {
        let texts = texts(&curve(), Language::English.words(), 760.0);
        for text in ["depth 1", "depth 8", "depth 64", "datasheet: 1 M →"] {
            assert!(texts.iter().any(|t| t == text), "{text} in {texts:?}");
        }
    }

    #[test]
    fn a_curve_is_told_in_words() {
        assert_eq!(
            curve().describe(Language::English.words()),
            "latency against IOPS. io_uring: from depth 1 (10.5 k, 95 us) to depth 64 (86.7 k, 738 us). \
             datasheet: 1 M (promise): the highest value is 9 % of it."
        );
    }
}
