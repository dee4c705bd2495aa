//! How lines are drawn, in one panel or in several that share the factor's axis.

use language::Words;

use super::super::canvas::{Area, Canvas, LINE, MIDDLE, POINTED_FROM, PathBuilder, TEXT};
use super::super::frame::{Frame, TickedAxis};
use super::super::reference::Flags;
use super::super::scale::{Base, Domain, Scale};
use super::super::series::Sample;
use super::super::ticks::TickDirection;
use super::super::{Drawing, Measured, Reference, between, frame, reference, scale, series, wording};
use super::{Line, Lines, Mark, Zone};
use crate::svg::{clean, join};

/// How many panels are drawn.
const MOST_PANELS: usize = 4;
/// How many lines of each; more could not be told apart.
const MOST_LINES: usize = 12;
/// How many points of a line are drawn; of more, the least and the greatest of
/// each stretch.
pub(super) const MOST_POINTS: usize = 240;
/// Up to so many points of a line have marks.
const MOST_MARKS: usize = 40;
/// From the area's ends to the first and the last point.
const INSET: f64 = 10.0;
/// From a line's end to its name.
const TO_NAME: f64 = 12.0;
/// The height of an area on a screen and on a phone: of one panel alone, and of
/// each of several.
const HEIGHTS: [(f64, f64); 2] = [(250.0, 190.0), (170.0, 140.0)];
/// Between two panels.
const BETWEEN: f64 = 12.0;
/// How far a level reaches beyond its ends.
const BEYOND: f64 = 8.0;

/// A line as it is drawn: its number and name, and what of its points can be.
pub(super) struct Drawn<'a> {
    pub(super) series: usize,
    pub(super) name: String,
    pub(super) points: Vec<&'a (f64, Measured)>,
}

/// Draws panels below one another; those in which nothing was measured are left
/// out.
pub(super) fn draw(all: &[&Lines], words: &Words, width: f64) -> Drawing {
    let known = all.iter().take(MOST_PANELS).map(|lines| Panel::of(lines, words));
    let mut panels: Vec<Panel<'_>> = known.filter(|p| !p.drawn.is_empty()).collect();
    if panels.is_empty() {
        return Canvas::nothing(words, width);
    }
    number(&mut panels);
    let mut canvas = Canvas::new(width);
    let (wide, narrow) = HEIGHTS[usize::from(panels.len() > 1)];
    let height = if canvas.is_pointed() { wide } else { narrow };
    let names = EndNames::of(&panels, width, height);
    let (x, left) = across(&panels, width - names.as_ref().map_or(4.0, |n| n.width + TO_NAME), width);
    let (mut bottom, mut flags, mut told) = (0.0, Flags::default(), Vec::new());
    for (i, panel) in panels.iter().enumerate() {
        let mut top = panel.heading(&mut canvas, bottom + if i > 0 { BETWEEN } else { 0.0 }, words);
        let entries = panel.entries();
        if names.is_none() && entries.len() > 1 && told != entries {
            top += 4.0 + series::legend(&mut canvas, &entries, Sample::Line, (0.0, top + 10.0), words);
            told = entries;
        }
        let mut frame = panel.frame(&x, left);
        let own = panel.flags(&frame, (i == 0).then_some(panel.lines), width);
        frame.stand(top + 6.0 + own.height() + 6.0, height, &panel.lines.y);
        shade(&mut canvas, &frame, &panels[0].lines.zones);
        bottom = match i + 1 == panels.len() {
            true => frame.draw(&mut canvas, &clean(&panels[0].lines.x.title)),
            false => frame.draw_grid(&mut canvas),
        };
        flags.draw_lines(&mut canvas, frame.top, frame.bottom);
        own.draw(&mut canvas, top + 6.0, frame.bottom);
        if i == 0 {
            flags = own;
        }
        panel.draw(&mut canvas, &frame, words);
        if let Some(names) = &names {
            names.draw(&mut canvas, &frame, &panel.drawn);
        }
    }
    canvas.finish(bottom)
}

/// Lines of one name are one series in all panels; those of other names follow.
fn number(panels: &mut [Panel<'_>]) {
    let mut known: Vec<(String, usize)> = Vec::new();
    let mut next = 0;
    for (i, panel) in panels.iter_mut().enumerate() {
        for line in &mut panel.drawn {
            let same = known.iter().find(|(name, _)| *name == line.name && !name.is_empty());
            match same.map(|(_, series)| *series) {
                Some(series) if i > 0 => line.series = series,
                None if i > 0 => line.series = next,
                _ => {}
            }
            next = next.max(line.series + 1);
            known.push((line.name.clone(), line.series));
        }
    }
}

/// The axis of the factor for all panels, and where their areas begin.
fn across(panels: &[Panel<'_>], right: f64, width: f64) -> (TickedAxis, f64) {
    let axis = &panels[0].lines.x;
    let mut levels: Vec<f64> = panels.iter().flat_map(|p| xs(&p.drawn)).collect();
    levels.sort_by(f64::total_cmp);
    let domain = Domain::of(axis, &levels, Base::Data, 6);
    levels.dedup();
    let left = panels.iter().map(Panel::left).fold(0.0, f64::max);
    let scale = Scale { domain, from: left + INSET, to: (right - INSET).max(left + INSET + 1.0) };
    let ticks = axis.ticks_at(&levels, &scale, TickDirection::Across(0.0, width));
    (TickedAxis { scale, ticks }, left)
}

/// A panel before it has a place.
struct Panel<'a> {
    lines: &'a Lines,
    drawn: Vec<Drawn<'a>>,
    common: String,
    y: Domain,
    references: Vec<&'a Reference>,
    /// The labels above the area.
    beyond: Vec<String>,
}

impl<'a> Panel<'a> {
    fn of(lines: &'a Lines, words: &Words) -> Self {
        let (drawn, common) = drawn(lines);
        let y = y_domain(lines, &drawn);
        let (references, mut beyond) = reference::split(&lines.references, &y, ("↓", "↑"));
        beyond.insert(0, wording::drawn(words, "lines-drawn", drawn.len(), lines.lines.len()));
        Self { lines, drawn, common, y, references, beyond }
    }

    /// What its upright axis needs at the left.
    fn left(&self) -> f64 {
        Frame::left_of(&self.upright().ticks)
    }

    /// Its upright axis; how high it stands is not known yet.
    fn upright(&self) -> TickedAxis {
        let scale = Scale { domain: self.y, from: 200.0, to: 0.0 };
        TickedAxis::new(&self.lines.y, scale, TickDirection::Up)
    }

    fn frame(&self, x: &TickedAxis, left: f64) -> Frame {
        let right = x.scale.to + INSET;
        Frame { x: x.clone(), y: self.upright(), left, right, top: 0.0, bottom: 0.0 }
    }

    fn heading(&self, canvas: &mut Canvas, top: f64, words: &Words) -> f64 {
        let title = frame::title(&self.lines.y, &self.y, self.lines.better, words);
        let top = frame::heading(canvas, &title, top, "");
        frame::heading(canvas, &self.common, top, "q")
    }

    /// Its legend, in the order in which the lines end, top to bottom.
    fn entries(&self) -> Vec<(usize, String)> {
        let last = |line: &Drawn<'_>| line.points.last().map_or(f64::NEG_INFINITY, |p| p.1.value);
        let mut entries: Vec<_> = self.drawn.iter().collect();
        entries.sort_by(|a, b| last(b).total_cmp(&last(a)));
        entries.iter().map(|line| (line.series, line.name.clone())).collect()
    }

    /// What stands above the area: what has no room within it, and the marks and
    /// zones of `marked`.
    fn flags(&self, frame: &Frame, marked: Option<&Lines>, width: f64) -> Flags {
        let room = frame.right - frame.left;
        let long = self.references.iter().filter(|r| !reference::has_room(r, room));
        let beyond = self.beyond.iter().cloned().chain(long.map(|r| clean(&r.label)));
        let x = &frame.x.scale;
        let marks = marked.into_iter().flat_map(|l| l.marks.iter().filter(|m| x.domain.holds(m.x)));
        let zones = marked.into_iter().flat_map(|l| l.zones.iter().filter(|z| !z.label.is_empty()));
        let of_mark = |mark: &Mark| (x.place(mark.x), "a", mark.label.clone());
        let of_zone = |zone: &Zone| ((x.place(zone.from) + x.place(zone.to)) / 2.0, "r2", zone.label.clone());
        Flags::lay(marks.map(of_mark).chain(zones.map(of_zone)).collect(), beyond, width)
    }

    fn draw(&self, canvas: &mut Canvas, frame: &Frame, words: &Words) {
        for zone in &self.lines.zones {
            let Some(level) = zone.level.filter(|v| self.y.holds(*v)) else { continue };
            let place = |x: f64, by: f64| (frame.x.scale.place(x) + by).clamp(frame.left, frame.right);
            let (from, to) = (place(zone.from, -BEYOND), place(zone.to, BEYOND));
            canvas.across("h2", frame.y.scale.place(level), from, to);
        }
        for line in &self.drawn {
            canvas.group(&series::class(line.series));
            self.draw_line(canvas, frame, line, words);
            canvas.end();
        }
        let edges = (frame.left, frame.right, frame.top, frame.bottom);
        let obstacles: Vec<_> = self.drawn.iter().flat_map(|line| along(frame, line)).collect();
        reference::across(canvas, &self.references, |v| frame.y.scale.place(v), edges, &obstacles);
    }

    fn draw_line(&self, canvas: &mut Canvas, frame: &Frame, line: &Drawn<'_>, words: &Words) {
        for stretch in line.points.chunk_by(|a, b| a.1.interval.is_some() == b.1.interval.is_some()) {
            band(canvas, frame, stretch);
        }
        let points: Vec<_> = line.points.iter().map(|point| place(frame, point)).collect();
        if points.len() > 1 {
            canvas.path("l", &PathBuilder::through(points.iter().copied()), None);
        }
        if points.len() > MOST_MARKS {
            return;
        }
        for ((x, y), (level, measured)) in points.iter().zip(&line.points) {
            let at = self.lines.x.numbers.write(*level);
            let what = self.lines.y.numbers.measured(measured, words);
            let told = join([&line.name, &at, &what], ", ");
            canvas.path("f", &series::mark(line.series, *x, *y, 3.6), Some(&told));
        }
    }
}

/// Shades the zones in which something changes.
fn shade(canvas: &mut Canvas, frame: &Frame, zones: &[Zone]) {
    for zone in zones.iter().filter(|z| z.level.is_none()) {
        let (a, b) = (frame.x.scale.place(zone.from), frame.x.scale.place(zone.to));
        let area = Area { x: a.min(b), y: frame.top, width: (b - a).abs(), height: frame.bottom - frame.top };
        canvas.rect("v", area, None);
    }
}

/// The lines that are drawn, and what their names have in common.
pub(super) fn drawn(lines: &Lines) -> (Vec<Drawn<'_>>, String) {
    let all = lines.lines.iter().enumerate().map(|(i, line)| finite(i, line));
    let mut drawn: Vec<_> = all.filter(|line| !line.points.is_empty()).take(MOST_LINES).collect();
    for line in &mut drawn {
        line.points = thinned(std::mem::take(&mut line.points));
    }
    let common = shorten(&mut drawn);
    (drawn, common)
}

fn y_domain(lines: &Lines, drawn: &[Drawn<'_>]) -> Domain {
    let measured = drawn.iter().flat_map(|line| line.points.iter().map(|(_, m)| m));
    let values = scale::with_intervals(measured);
    let values = scale::with_references(&lines.y, &values, &lines.references);
    Domain::of(&lines.y, &values, Base::Near, 5)
}

/// The points that can be drawn, by `x`.
pub(super) fn finite(series: usize, line: &Line) -> Drawn<'_> {
    let mut points: Vec<_> =
        line.points.iter().filter(|(x, m)| x.is_finite() && m.value.is_finite()).collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    Drawn { series, name: clean(&line.name), points }
}

/// Takes out of the names what all have in common, and answers it.
pub(super) fn shorten(lines: &mut [Drawn<'_>]) -> String {
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
    drawn.iter().flat_map(|line| line.points.iter().map(|p| p.0)).collect()
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
            canvas.path("n", &PathBuilder::whisker_up(at, low, end(*x, *high).1, 4.0), None);
        }
        many => {
            let up = many.iter().map(|(x, i)| end(*x, i.1));
            let back = many.iter().rev().map(|(x, i)| end(*x, i.0));
            canvas.path("k", &PathBuilder::through(up.chain(back)).close(), None);
        }
    }
}

/// Places along a line, close enough together that no name lies between two.
fn along(frame: &Frame, line: &Drawn<'_>) -> Vec<(f64, f64)> {
    let mut places: Vec<_> = line.points.iter().map(|point| place(frame, point)).collect();
    for pair in places.clone().windows(2) {
        places.extend(between(pair[0], pair[1]));
    }
    places
}

fn place(frame: &Frame, (x, measured): &(f64, Measured)) -> (f64, f64) {
    (frame.x.scale.place(*x), frame.y.scale.place(measured.value))
}

struct EndNames {
    width: f64,
}

impl EndNames {
    /// Where all lines have names that leave room for the lines, and there is
    /// height for all. A panel with one line needs no name.
    fn of(panels: &[Panel<'_>], width: f64, height: f64) -> Option<Self> {
        let several = || panels.iter().filter(|p| p.drawn.len() > 1);
        let lines = || several().flat_map(|p| &p.drawn);
        let widest = lines().map(|line| TEXT.width(&line.name)).fold(0.0, f64::max);
        let has_room = widest <= width * if width < POINTED_FROM { 0.15 } else { 0.26 }
            && several().all(|p| p.drawn.len() as f64 * LINE <= height);
        let is_named = several().next().is_some() && lines().all(|line| !line.name.is_empty());
        (is_named && has_room).then_some(Self { width: widest })
    }

    fn draw(&self, canvas: &mut Canvas, frame: &Frame, drawn: &[Drawn<'_>]) {
        if drawn.len() < 2 {
            return;
        }
        let last = drawn.iter().filter_map(|line| line.points.last());
        let ends: Vec<_> = last.map(|point| place(frame, point)).collect();
        let wanted: Vec<f64> = ends.iter().map(|end| end.1).collect();
        let Some(placed) = series::apart(&wanted, LINE - 1.0, (frame.top + 2.0, frame.bottom - 2.0)) else {
            return;
        };
        let x = frame.right + TO_NAME;
        for ((line, (end_x, end_y)), y) in drawn.iter().zip(ends).zip(placed) {
            if (y - end_y).abs() > 3.0 || end_x < frame.right - INSET - 1.0 {
                canvas.group(&series::colour(line.series));
                canvas.path("n", &PathBuilder::at(end_x + 5.0, end_y).line(x - 3.0, y), None);
                canvas.end();
            }
            canvas.text((x, y + MIDDLE), "", &line.name);
        }
    }
}
