//! Draws panels.

use language::Words;

use super::{Panel, Panels, PhaseSpan, Track};
use crate::plot::canvas::{BOLD, Canvas, LINE, MIDDLE, POINTED_FROM, TEXT};
use crate::plot::clock::{BRACKET, Clock};
use crate::plot::path::Path;
use crate::plot::reference;
use crate::plot::scale::{Base, Domain, Scale, with_references};
use crate::plot::series::{self, Sample};
use crate::plot::thin::Column;
use crate::plot::ticks::{self, TICK, Tick, TickDirection};
use crate::plot::wording::{self, rough_duration};
use crate::plot::{Axis, Drawing, Numbers, ReadoutArea, Reference, Spread};
use crate::svg::clean;

/// A share up to here is the whole, counted by two clocks.
const OVER: f64 = 1.2;
/// The width of a column of a thinned track, in pixels.
const COLUMN: f64 = 2.0;
/// From the base line of text down to its bottom.
const DESCENT: f64 = 3.0;
/// Between a tick's label and the axis.
const GAP: f64 = 6.0;
/// The room right of the panels.
const MARGIN: f64 = 8.0;
/// How high panels are when there are few, when there are many, and on a phone.
const HEIGHTS: (f64, f64, f64) = (84.0, 60.0, 56.0);
/// From so many panels on they are lower.
const MANY: usize = 4;
/// More panels than this are not drawn; the table has them.
const MOST: usize = 24;

/// A track between two times.
#[derive(Clone, Copy, Debug)]
struct Slot {
    from_s: f64,
    to_s: f64,
    column: Option<Column>,
}

/// So much of the window a phase in it may reach beyond it: both are told by their own readings of the clock.
const BEYOND: f64 = 0.01;

/// A column of nothing, for a sum to begin with.
const NONE: Column = Column { min: 0.0, max: 0.0, mean: 0.0 };

struct Sheet<'a> {
    panel: &'a Panel,
    /// Of each track its slots, and whether they are columns of many intervals.
    tracks: Vec<(Vec<Slot>, bool)>,
    /// Of a thinned stack the columns of the sums.
    peaks: Option<Vec<Slot>>,
    domain: Domain,
    height: f64,
    /// Where a phase of the window ends and the next begins, in pixels.
    edges: Vec<f64>,
}

pub(super) fn draw(panels: &Panels, words: &Words, width: f64) -> Drawing {
    let Some(clock) = Clock::new(panels.span, panels.window) else { return Canvas::nothing(words, width) };
    let mut canvas = Canvas::new(width);
    let Layout { shown, made, height, left, columns } = layout(panels, &clock, width);
    let time = clock.scale(left, left + columns as f64 * COLUMN);
    let mut y = 0.0;
    if clock.window.is_some() {
        y += BRACKET;
        let taken = clock.bracket(&mut canvas, words, &time, y);
        name_phases(&mut canvas, panels, &clock, &time, taken, y);
    }
    let within: Vec<&PhaseSpan> = panels.phases.iter().filter(|phase| is_within(phase, &clock)).collect();
    y = name_within(&mut canvas, &within, &time, y);
    let edges: Vec<f64> = within.iter().skip(1).map(|phase| time.place(phase.from)).collect();
    let below = clock.ticks(&time, width);
    for (panel, rough) in shown.iter().zip(made) {
        let edges = edges.clone();
        let sheet = Sheet { domain: rough.domain, edges, ..sheet(panel, &clock, columns, height) };
        y = sheet.draw(&mut canvas, words, &clock, &time, &below, y);
    }
    for tick in &below {
        canvas.text((tick.middle, y + 14.0), "t m", &tick.label);
    }
    y += 14.0 + DESCENT;
    y = notes(&mut canvas, words, panels, &clock, columns, y);
    canvas.finish(y + DESCENT + 1.0)
}

/// What is drawn, and where its time lies.
struct Layout<'a> {
    shown: &'a [Panel],
    made: Vec<Sheet<'a>>,
    /// How high each panel is.
    height: f64,
    left: f64,
    columns: usize,
}

fn layout<'a>(panels: &'a Panels, clock: &Clock, width: f64) -> Layout<'a> {
    let shown = &panels.panels[..panels.panels.len().min(MOST)];
    let height = match shown.len() {
        _ if width < POINTED_FROM => HEIGHTS.2,
        n if n >= MANY => HEIGHTS.1,
        _ => HEIGHTS.0,
    };
    // Ticks decide on the left edge, and that on the columns; ticks need no columns.
    let count = |inner: f64| (inner / COLUMN).max(1.0) as usize;
    let rough = count(width - 60.0);
    let made: Vec<Sheet<'_>> = shown.iter().map(|p| sheet(p, clock, rough, height)).collect();
    let labels = made.iter().flat_map(|s| s.ticks(0.0)).map(|t| TICK.width(&t.label));
    let left = labels.fold(20.0, f64::max).ceil() + GAP;
    Layout { shown, made, height, left, columns: count(width - MARGIN - left) }
}

/// Where the time lies on a sheet of this width.
pub(super) fn area(panels: &Panels, clock: &Clock, width: f64) -> ReadoutArea {
    let Layout { left, columns, .. } = layout(panels, clock, width);
    ReadoutArea { width, left, right: left + columns as f64 * COLUMN }
}

/// Whether a phase is a part of the window.
fn is_within(phase: &PhaseSpan, clock: &Clock) -> bool {
    let Some((from, to)) = clock.window else { return false };
    let slack = (to - from) * BEYOND;
    phase.from >= from - slack && phase.to <= to + slack && phase.to > phase.from
}

/// Names of the phases of the window, in a line below its bracket; the answer is where that ends.
fn name_within(canvas: &mut Canvas, phases: &[&PhaseSpan], time: &Scale, y: f64) -> f64 {
    let base = y + LINE;
    let mut is_named = false;
    for phase in phases {
        let (left, right) = (time.place(phase.from).max(time.from), time.place(phase.to).min(time.to));
        let name = clean(&phase.name);
        if TEXT.width(&name) + GAP <= right - left {
            canvas.text((f64::midpoint(left, right), base), "q m", &name);
            is_named = true;
        }
    }
    if is_named { base + DESCENT } else { y }
}

/// Names of phases beside the window's, where there is room.
fn name_phases(canvas: &mut Canvas, panels: &Panels, clock: &Clock, time: &Scale, taken: (f64, f64), y: f64) {
    let beside = panels.phases.iter().filter(|phase| !is_within(phase, clock));
    for phase in beside.filter(|p| p.from.is_finite() && p.to > p.from) {
        let (left, right) = (time.place(phase.from), time.place(phase.to));
        // The window's own name may reach beyond its bracket.
        let (left, right) =
            if right <= taken.1 { (left, right.min(taken.0)) } else { (left.max(taken.1), right) };
        let name = clean(&phase.name);
        if TEXT.width(&name) + 2.0 * GAP <= right - left {
            canvas.text((f64::midpoint(left, right), y - BRACKET + LINE - 2.0), "q m", &name);
        }
    }
}

/// What must be known to read it.
fn notes(canvas: &mut Canvas, words: &Words, panels: &Panels, clock: &Clock, columns: usize, y: f64) -> f64 {
    let length = clock.length() / columns as f64;
    let thinned = |track: &Track| is_thinned(track, length);
    let mut text = Vec::new();
    if panels.tracks().any(|(_, t)| thinned(t)) {
        text.push(words.tell("panels-columns", &[("length", wording::text(rough_duration(length)))]));
    }
    if panels.panels.iter().any(|p| p.stacked && p.tracks.iter().any(thinned) && are_alike(&p.tracks)) {
        text.push(words.say("panels-stack"));
    }
    text.extend(wording::rest(words, "panels-rest", panels.panels.len(), MOST));
    canvas.lines(y, &TICK.wrap(&text.join(" "), canvas.width, canvas.width, 6))
}

/// Whether intervals are shorter than a column.
fn is_thinned(track: &Track, column_s: f64) -> bool {
    track.interval_s < column_s
}

fn slots_of_all(panel: &Panel, clock: &Clock, columns: usize) -> Vec<(Vec<Slot>, bool)> {
    let column_s = clock.length() / columns as f64;
    let alike = are_alike(&panel.tracks);
    let steps = |track: &Track| !is_thinned(track, column_s) && (alike || !panel.stacked);
    let slots =
        |track: &Track| if steps(track) { as_steps(track, clock) } else { as_columns(track, clock, columns) };
    panel.tracks.iter().map(|track| (slots(track), !steps(track))).collect()
}

/// Each interval by itself; what was not seen is a slot too.
fn as_steps(track: &Track, clock: &Clock) -> Vec<Slot> {
    let cut = |(from, to, value): (f64, f64, f64)| {
        let (from_s, to_s) = (from.max(clock.span.0), to.min(clock.span.1));
        let column = value.is_finite().then_some(Column { min: value, max: value, mean: value });
        (to_s > from_s).then_some(Slot { from_s, to_s, column })
    };
    track.series().intervals().filter_map(cut).collect()
}

fn as_columns(track: &Track, clock: &Clock, count: usize) -> Vec<Slot> {
    let width = clock.length() / count as f64;
    let at = |i: usize| clock.span.0 + i as f64 * width;
    let columns = track.series().columns(clock.span, count).into_iter().enumerate();
    columns.map(|(i, column)| Slot { from_s: at(i), to_s: at(i + 1), column }).collect()
}

/// Whether all tracks of a panel have the same intervals.
fn are_alike(tracks: &[Track]) -> bool {
    let times = |t: &Track| (t.start_s, t.interval_s, t.values.len());
    tracks.windows(2).all(|pair| times(&pair[0]) == times(&pair[1]))
}

/// The columns of the sum of all tracks: the greatest sum is not the sum of the
/// greatest, which need not have been at one time. `None` where intervals differ.
fn peaks(panel: &Panel, clock: &Clock, columns: usize) -> Option<Vec<Slot>> {
    let first = panel.tracks.first().filter(|_| are_alike(&panel.tracks))?;
    // Where a part was not seen, so is the sum: no number plus it is none.
    let part = |value: f64| if value.is_finite() { value.max(0.0) } else { f64::NAN };
    let values = (0..first.values.len()).map(|i| panel.tracks.iter().map(|t| part(t.values[i])).sum());
    Some(as_columns(&Track { values: values.collect(), ..first.clone() }, clock, columns))
}

/// The sums of tracks upon one another, the lowest first: of each slot the means
/// up to and with a track. Where one was not seen, their sum is not known.
fn sums(tracks: &[(Vec<Slot>, bool)]) -> Vec<Vec<Slot>> {
    let first = tracks.iter().take(1).flat_map(|(slots, _)| slots);
    let mut sum: Vec<Slot> = first.map(|s| Slot { column: Some(NONE), ..*s }).collect();
    let mut all = Vec::new();
    for (slots, _) in tracks {
        sum = sum.iter().zip(slots).map(|(a, b)| Slot { column: plus(a.column, b.column), ..*a }).collect();
        all.push(sum.clone());
    }
    let seen: Vec<bool> = sum.iter().map(|s| s.column.is_some()).collect();
    for sum in &mut all {
        sum.iter_mut().zip(&seen).filter(|(_, seen)| !**seen).for_each(|(slot, _)| slot.column = None);
    }
    all
}

fn plus(a: Option<Column>, b: Option<Column>) -> Option<Column> {
    let (a, b) = (a?, b?);
    let mean = a.mean.max(0.0) + b.mean.max(0.0);
    Some(Column { min: mean, max: mean, mean })
}

fn sheet<'a>(panel: &'a Panel, clock: &Clock, columns: usize, height: f64) -> Sheet<'a> {
    let tracks = slots_of_all(panel, clock, columns);
    let thinned = tracks.iter().any(|(_, thinned)| *thinned);
    let peaks = if panel.stacked && thinned { peaks(panel, clock, columns) } else { None };
    let of = |slots: &[Slot]| -> Vec<f64> {
        slots.iter().filter_map(|s| s.column).flat_map(|c| [c.min, c.max]).collect()
    };
    let mut values: Vec<f64> = match panel.stacked {
        true => sums(&tracks).last().into_iter().chain(&peaks).flat_map(|slots| of(slots)).collect(),
        false => tracks.iter().flat_map(|(slots, _)| of(slots)).collect(),
    };
    // Shares of a whole are seen against it, unless they are tiny.
    if panel.numbers == Numbers::Share && values.iter().any(|v| *v > 0.4) {
        // Clocks that differ a little count a little more than the whole.
        values.iter_mut().filter(|v| (1.0..OVER).contains(*v)).for_each(|v| *v = 1.0);
        values.push(1.0);
    }
    let axis = Axis { title: String::new(), numbers: panel.numbers, spread: Spread::Linear };
    let values = with_references(&axis, &values, &panel.references);
    let domain = Domain::of(&axis, &values, base(panel), 3);
    Sheet { panel, tracks, peaks, domain, height, edges: Vec::new() }
}

/// Temperatures and clock rates have no zero that anybody looks for.
fn base(panel: &Panel) -> Base {
    let floats = matches!(panel.numbers, Numbers::Unit(model::Unit::Celsius | model::Unit::Hertz));
    if floats && !panel.stacked { Base::Near } else { Base::Zero }
}

impl Sheet<'_> {
    fn scale(&self, top: f64) -> Scale {
        Scale { domain: self.domain, from: top + self.height, to: top }
    }

    fn ticks(&self, top: f64) -> Vec<Tick> {
        ticks::ticks(&self.scale(top), self.panel.numbers, &self.panel.title, TickDirection::Up)
    }

    /// Draws it from `y` down; the answer is where it ends.
    fn draw(
        &self,
        canvas: &mut Canvas,
        words: &Words,
        clock: &Clock,
        time: &Scale,
        below: &[Tick],
        y: f64,
    ) -> f64 {
        let top = self.header(canvas, words, y) + 7.0;
        let bottom = top + self.height;
        let scale = self.scale(top);
        clock.shade(canvas, time, "v", (top, bottom));
        for tick in below {
            canvas.down("g", tick.at, top, bottom);
        }
        for tick in self.ticks(top) {
            canvas.across("g", tick.at, time.from, time.to);
            canvas.text((time.from - GAP, tick.middle + MIDDLE), "t e", &tick.label);
        }
        canvas.across("a", bottom, time.from, time.to);
        for edge in self.edges.iter().filter(|edge| (time.from..=time.to).contains(*edge)) {
            canvas.down("a", *edge, top, bottom);
        }
        if self.panel.stacked {
            self.stack(canvas, words, clock, time, &scale);
        } else {
            self.lines(canvas, words, clock, time, &scale);
        }
        self.references(canvas, time, &scale);
        bottom + 6.0
    }

    /// Title and legend; the answer is their lower end.
    fn header(&self, canvas: &mut Canvas, words: &Words, y: f64) -> f64 {
        let Panel { title, tracks, stacked, .. } = self.panel;
        let mut base = y + LINE;
        let title = BOLD.fit(&clean(title), canvas.width);
        canvas.text((0.0, base), "b", &title);
        let mut x = if title.is_empty() { 0.0 } else { BOLD.width(&title) + 14.0 };
        for note in self.header_notes(words) {
            let width = TEXT.width(&note);
            if x > 0.0 && x + width > canvas.width {
                (x, base) = (0.0, base + LINE);
            }
            canvas.text((x, base), "q", &TEXT.fit(&note, canvas.width - x));
            x += width + 14.0;
        }
        let named = tracks.iter().enumerate().filter(|(_, t)| !t.name.is_empty());
        let entries: Vec<(usize, String)> = named.map(|(i, t)| (i, t.name.clone())).collect();
        if entries.is_empty() {
            return base + DESCENT;
        }
        if let ([(_, name)], true) = (entries.as_slice(), tracks.len() == 1) {
            // A line alone needs no sample.
            let name = clean(name);
            if x + TEXT.width(&name) > canvas.width {
                (x, base) = (0.0, base + LINE);
            }
            canvas.text((x, base), "q", &TEXT.fit(&name, canvas.width - x));
            return base + DESCENT;
        }
        let needed: f64 = entries.iter().map(|(_, n)| TEXT.width(&clean(n)).min(240.0) + 43.0).sum();
        if x + needed > canvas.width {
            (x, base) = (0.0, base + LINE);
        }
        let sample = if *stacked { Sample::Fill } else { Sample::Line };
        let height = series::legend(canvas, &entries, sample, (x, base - MIDDLE), words);
        base - MIDDLE - LINE / 2.0 + height + DESCENT
    }

    /// Limits beyond the axis, and an axis that does not begin at zero.
    fn header_notes(&self, words: &Words) -> Vec<String> {
        let (_, mut notes) = self.split();
        if self.domain.low > 0.0 {
            let value = self.panel.numbers.write(self.domain.low);
            notes.push(words.tell("chart-from", &[("value", wording::text(value))]));
        }
        notes
    }

    fn lines(&self, canvas: &mut Canvas, words: &Words, clock: &Clock, time: &Scale, scale: &Scale) {
        for (i, (slots, thinned)) in self.tracks.iter().enumerate() {
            let track = &self.panel.tracks[i];
            let told = track.told(self.panel, clock, words);
            canvas.group(&series::class(i));
            let mut line = Path::default();
            if *thinned {
                let mut shade = Path::default();
                for run in runs(slots) {
                    envelope(&mut shade, run, time, scale);
                    ridge(&mut line, run, time, |c| (scale.place(c.mean) * 2.0).round() / 2.0);
                }
                canvas.path("u", &shade.pen(), told.as_deref());
                canvas.path("j", &line.pen(), None);
            } else {
                runs(slots).into_iter().for_each(|run| steps(&mut line, run, time, scale));
                canvas.path("j", &line.pen(), told.as_deref());
            }
            canvas.end();
        }
    }

    fn stack(&self, canvas: &mut Canvas, words: &Words, clock: &Clock, time: &Scale, scale: &Scale) {
        let sums = sums(&self.tracks);
        // From the top down, each over the one above: their edges need no second drawing.
        for (i, sum) in sums.iter().enumerate().rev() {
            let track = &self.panel.tracks[i];
            canvas.group(&series::colour(i));
            let mut path = Path::default();
            for run in runs(sum) {
                steps(&mut path, run, time, scale);
                path.line(time.place(run[run.len() - 1].to_s), scale.from);
                path.line(time.place(run[0].from_s), scale.from);
                path.close();
            }
            canvas.path("s", &path.pen(), track.told(self.panel, clock, words).as_deref());
            canvas.end();
        }
        if let Some(peaks) = &self.peaks {
            let mut path = Path::default();
            for run in runs(peaks) {
                ridge(&mut path, run, time, |c| up(scale.place(c.max)));
            }
            canvas.path("h", &path.pen(), None);
        }
    }

    /// Lines across with their names, where the least of the data is in the way.
    fn references(&self, canvas: &mut Canvas, time: &Scale, scale: &Scale) {
        let (shown, _) = self.split();
        let tracks = self.tracks.iter().flat_map(|(slots, _)| slots);
        let points: Vec<(f64, f64)> =
            tracks.filter_map(|s| Some((time.place(s.from_s), scale.place(s.column?.mean)))).collect();
        let area = (time.from, time.to, scale.to, scale.from);
        reference::across(canvas, &shown, |value| scale.place(value), area, &points);
    }

    fn split(&self) -> (Vec<&Reference>, Vec<String>) {
        reference::split(&self.panel.references, &self.domain, ("↓", "↑"))
    }
}

/// Slots without those in which nothing was seen.
fn runs(slots: &[Slot]) -> Vec<&[Slot]> {
    slots
        .chunk_by(|a, b| {
            a.column.is_some() && b.column.is_some() && (b.from_s - a.to_s).abs() < 0.01 * (a.to_s - a.from_s)
        })
        .filter(|run| run[0].column.is_some())
        .collect()
}

/// Half pixels, up and down: a shade is never less than what it stands for.
fn up(y: f64) -> f64 {
    (y * 2.0).floor() / 2.0
}

fn down(y: f64) -> f64 {
    (y * 2.0).ceil() / 2.0
}

/// A line through the middles of slots, from the first's beginning to the
/// last's end.
fn ridge(path: &mut Path, run: &[Slot], time: &Scale, place: impl Fn(&Column) -> f64) {
    path.run(knots(run, time).map(|(x, column)| (x, place(column))));
}

/// The points that a line over slots goes through.
fn knots<'a>(run: &'a [Slot], time: &Scale) -> impl DoubleEndedIterator<Item = (f64, &'a Column)> {
    let time = *time;
    let of = |slot: &'a Slot| slot.column.as_ref();
    let first = run.first().and_then(|s| Some((time.place(s.from_s), of(s)?)));
    let last = run.last().and_then(|s| Some((time.place(s.to_s), of(s)?)));
    let middles = run.iter().filter_map(move |s| Some((time.place(f64::midpoint(s.from_s, s.to_s)), of(s)?)));
    first.into_iter().chain(middles).chain(last)
}

/// The shade from the least to the greatest.
fn envelope(path: &mut Path, run: &[Slot], time: &Scale, scale: &Scale) {
    ridge(path, run, time, |c| up(scale.place(c.max)));
    for (x, column) in knots(run, time).rev() {
        path.line(x, down(scale.place(column.min)));
    }
    path.close();
}

fn steps(path: &mut Path, run: &[Slot], time: &Scale, scale: &Scale) {
    for (i, slot) in run.iter().enumerate() {
        let Some(column) = slot.column else { continue };
        let (x, y) = (time.place(slot.from_s), scale.place(column.mean));
        if i == 0 {
            path.go(x, y);
        } else {
            path.line(path.x(), y);
        }
        path.line(time.place(slot.to_s), y);
    }
}
