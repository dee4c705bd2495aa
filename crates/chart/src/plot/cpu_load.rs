//! The load of each CPU over time: a row a CPU, the darker the busier.
//!
//! A cell is the mean of its time, so that the ink of a row is the work that
//! was done in it; the greatest interval of each CPU stands in figures at the
//! row's end, and in the table. Colours are steps: a CPU that was full is told
//! from one that was nearly so, and neighbours of one step are one stroke.

use language::{Words, format};

use super::canvas::{Area, Canvas, LINE, MIDDLE, TEXT};
use super::clock::{BRACKET, Clock};
use super::path::Path;
use super::scale::Scale;
use super::style::WIDTHS;
use super::thin::{Series, Summary};
use super::ticks::TICK;
use super::wording::{self, duration, rough_duration};
use super::{DataTable, Drawing, Numbers, Plot, PlotPart, Readout, ReadoutArea, ReadoutTrack, readout};
use crate::svg::clean;
use crate::theme::{self, STEP_FROM, STEPS};

/// How busy each CPU was.
#[derive(Clone, Debug, PartialEq)]
pub struct CpuLoad {
    /// From when to when, in seconds.
    pub span: (f64, f64),
    /// The part that counts, in the same seconds.
    pub window: Option<(f64, f64)>,
    /// The CPUs.
    pub cpus: Vec<CpuRow>,
}

/// One CPU.
#[derive(Clone, Debug, PartialEq)]
pub struct CpuRow {
    /// Its number.
    pub cpu: u32,
    /// When the first interval began, in seconds.
    pub start_s: f64,
    /// How long an interval is, in seconds.
    pub interval_s: f64,
    /// The share of each interval that it was busy, 0 to 1.
    pub busy: Vec<f64>,
    /// What it did besides computing for others, such as `takes the disk's
    /// interrupts`; shown at its name.
    pub note: Option<String>,
}

/// Up to so many rows each has its label and figures.
const LABELLED: usize = 48;
/// Beyond, every so manieth has.
const EVERY: usize = 8;
/// More rows than this are several CPUs each.
const MOST: usize = 256;
/// How high all rows may be together, and each at least and at most.
const HEIGHT: f64 = 512.0;
const ROW: (f64, f64) = (2.0, 16.0);
/// Notes of so many CPUs are shown below.
const NOTES: usize = 6;
/// Columns become fewer by as much as is needed: so many are joined to one.
const JOINED: [usize; 9] = [1, 2, 3, 4, 6, 8, 12, 16, 24];
/// Strokes of a drawing, for each pixel of its width: beyond, columns are joined.
const STROKES: f64 = 1.6;
/// From the area to the figures.
const GAP: f64 = 8.0;

impl CpuRow {
    fn series(&self) -> Series<'_> {
        Series { start_s: self.start_s, interval_s: self.interval_s, values: &self.busy }
    }

    fn name(&self, words: &Words) -> String {
        words.tell("cpu-load-cpu", &[("cpu", u64::from(self.cpu).into())])
    }
}

struct Row<'a> {
    cpus: &'a [CpuRow],
}

impl Row<'_> {
    fn name(&self, words: &Words) -> String {
        match self.cpus {
            [one] => one.name(words),
            [first, .., last] => {
                let ends = [("first", u64::from(first.cpu).into()), ("last", u64::from(last.cpu).into())];
                words.tell("cpu-load-cpus", &ends)
            }
            [] => String::new(),
        }
    }

    /// The mean of each of `count` columns over all its CPUs; `None` where none
    /// was seen.
    fn means(&self, clock: &Clock, count: usize) -> Vec<Option<f64>> {
        let mut all = vec![(0.0, 0u32); count];
        for cpu in self.cpus {
            for (sum, column) in all.iter_mut().zip(cpu.series().columns(clock.span, count)) {
                if let Some(column) = column {
                    *sum = (sum.0 + column.mean.clamp(0.0, 1.0), sum.1 + 1);
                }
            }
        }
        all.into_iter().map(|(sum, n)| (n > 0).then(|| sum / f64::from(n))).collect()
    }

    /// Its mean and its greatest interval in the window.
    fn summary(&self, clock: &Clock) -> Option<(f64, f64)> {
        let all = self.cpus.iter().filter_map(|c| c.series().summary(clock.counted()));
        let (mut sum, mut count, mut most) = (0.0, 0u32, 0.0f64);
        for Summary { mean, max, .. } in all {
            (sum, count, most) = (sum + mean, count + 1, most.max(max.value));
        }
        (count > 0).then(|| (sum / f64::from(count), most))
    }
}

struct Layout<'a> {
    rows: Vec<Row<'a>>,
    height: f64,
    left: f64,
    right: f64,
    /// How many columns there are; the last may be cut.
    columns: f64,
    /// The step of each cell, row by row.
    cells: Vec<Vec<Option<usize>>>,
}

impl CpuLoad {
    /// The CPUs by row, and how many share one.
    fn rows(&self) -> (Vec<Row<'_>>, usize) {
        let each = self.cpus.len().div_ceil(MOST).max(1);
        (self.cpus.chunks(each).map(|cpus| Row { cpus }).collect(), each)
    }

    fn layout(&self, words: &Words, clock: &Clock, width: f64) -> Layout<'_> {
        let (rows, _) = self.rows();
        let height = (HEIGHT / rows.len() as f64).floor().clamp(ROW.0, ROW.1);
        let label = rows.iter().map(|r| TICK.width(&r.name(words))).fold(0.0, f64::max);
        let left = label.ceil() + GAP;
        let figures = TICK.width(&words.say("cpu-load-figures")).max(TICK.width("100 %, 100 %"));
        let right = if rows.len() <= LABELLED { width - figures.ceil() - GAP } else { width - GAP };
        // Cells no narrower than two pixels, nor shorter than an interval.
        let intervals = self.cpus.iter().map(|c| clock.length() / c.interval_s).filter(|n| n.is_finite());
        let intervals = intervals.fold(1.0, f64::max).round() as usize;
        let most = (((right - left) / 2.0) as usize).min(intervals).max(1);
        let fine: Vec<Vec<Option<f64>>> = rows.iter().map(|r| r.means(clock, most)).collect();
        let (mut cells, mut joined) = (Vec::new(), 1);
        for count in JOINED {
            joined = count;
            cells = fine.iter().map(|means| steps(means, count)).collect();
            if strokes(&cells) as f64 <= STROKES * width {
                break;
            }
        }
        let columns = most as f64 / joined as f64;
        Layout { rows, height, left, right, columns, cells }
    }

    /// The steps and their colours, above the rows; the answer is their end.
    fn legend(&self, canvas: &mut Canvas, words: &Words, y: f64) -> f64 {
        let mut labels = vec![format!("0–{}", format::percent(STEP_FROM[0]))];
        let number = |share: f64| format::fixed(share * 100.0, 0, "");
        labels.extend(STEP_FROM.windows(2).map(|p| format!("{}–{}", number(p[0]), format::percent(p[1]))));
        labels.push(format!("≥ {}", format::percent(STEP_FROM[STEPS - 2])));
        let (mut x, mut base) = (0.0, y + LINE - 4.0);
        let title = words.say("cpu-load-legend");
        canvas.text((x, base), "q", &title);
        x += TEXT.width(&title) + GAP;
        for (step, label) in labels.iter().enumerate() {
            let width = 18.0 + TICK.width(label);
            if x + width > canvas.width {
                (x, base) = (0.0, base + LINE);
            }
            let area = Area { x, y: base - 10.0, width: 14.0, height: 11.0 };
            canvas.rect(&format!("p{step}"), area, None);
            canvas.rect("g", area, None);
            canvas.text((x + 18.0, base), "t", label);
            x += width + 12.0;
        }
        base + 4.0
    }

    /// What must be known to read it, and what CPUs did besides.
    fn notes(&self, canvas: &mut Canvas, words: &Words, clock: &Clock, layout: &Layout<'_>, y: f64) -> f64 {
        let length = clock.length() / layout.columns;
        let is_one = self.cpus.iter().all(|c| (c.interval_s / length - 1.0).abs() < 0.05);
        let key = if is_one { "cpu-load-one" } else { "cpu-load-cell" };
        let mut text = vec![words.tell(key, &[("length", wording::text(rough_duration(length)))])];
        let each = layout.rows.iter().map(|r| r.cpus.len()).max().unwrap_or(1);
        if each > 1 {
            text.push(words.tell("cpu-load-row", &[("count", wording::count(each))]));
        }
        if layout.cells.iter().flatten().any(Option::is_none) {
            text.push(words.say("cpu-load-not-seen"));
        }
        let mut lines = TICK.wrap(&text.join(" "), canvas.width, canvas.width, 3);
        let noted = self.cpus.iter().filter(|c| c.note.is_some());
        for cpu in noted.take(NOTES) {
            let note = clean(cpu.note.as_deref().unwrap_or_default());
            let note = [("cpu", wording::text(cpu.name(words))), ("note", wording::text(note))];
            lines.extend(TICK.wrap(&words.tell("cpu-load-note", &note), canvas.width, canvas.width, 2));
        }
        canvas.lines(y, &lines)
    }
}

/// The step of each column, so many means joined to one.
fn steps(means: &[Option<f64>], joined: usize) -> Vec<Option<usize>> {
    let join = |part: &[Option<f64>]| {
        let seen: Vec<f64> = part.iter().copied().flatten().collect();
        (!seen.is_empty()).then(|| theme::step(seen.iter().sum::<f64>() / seen.len() as f64))
    };
    means.chunks(joined).map(join).collect()
}

/// How many strokes the cells take: neighbours of one step are one.
fn strokes(cells: &[Vec<Option<usize>>]) -> usize {
    cells.iter().map(|row| row.chunk_by(|a, b| a == b).filter(|run| run[0].is_some()).count()).sum()
}

impl Layout<'_> {
    fn bottom(&self, top: f64) -> f64 {
        top + self.height * self.rows.len() as f64
    }

    /// A path a step: all its strokes in all rows.
    fn draw_cells(&self, canvas: &mut Canvas, top: f64) {
        let width = (self.right - self.left) / self.columns;
        // Rows of some height have paper between them.
        let gap = if self.height >= 6.0 { 1.0 } else { 0.0 };
        for step in 0..STEPS {
            let mut path = Path::default();
            for (i, row) in self.cells.iter().enumerate() {
                let y = top + self.height * i as f64 + (self.height - gap) / 2.0;
                let mut at = 0;
                for run in row.chunk_by(|a, b| a == b) {
                    // Whole pixels are sharper, and shorter to write.
                    let edge = |column: usize| (self.left + width * column as f64).min(self.right).round();
                    let (from, to) = (edge(at), edge(at + run.len()));
                    at += run.len();
                    if run[0] == Some(step) {
                        path.skip_to(from, y);
                        path.line(to, y);
                    }
                }
            }
            canvas.strokes(&format!("s{step}"), &path.pen(), self.height - gap);
        }
    }

    /// Names at the left, means and greatest intervals at the right.
    fn label(&self, canvas: &mut Canvas, words: &Words, clock: &Clock, top: f64) {
        let every = if self.rows.len() > LABELLED { EVERY } else { 1 };
        let every = every.max((13.0 / self.height).ceil() as usize);
        let mut free = f64::NEG_INFINITY;
        for (i, row) in self.rows.iter().enumerate() {
            let middle = top + self.height * (i as f64 + 0.5);
            if i % every != 0 || middle < free {
                continue;
            }
            free = middle + 13.0;
            let base = middle + MIDDLE - 0.5;
            canvas.text((self.left - 6.0, base), "t e", &row.name(words));
            if self.rows.len() <= LABELLED && every == 1 {
                let figures = row.summary(clock);
                let figures = figures.map(|(mean, most)| {
                    format!("{}, {}", Numbers::Share.write(mean), Numbers::Share.write(most))
                });
                canvas.text((canvas.width, base), "t e", &figures.unwrap_or_default());
            }
        }
    }
}

impl Plot for CpuLoad {
    fn is_over_time(&self) -> bool {
        true
    }

    fn readout(&self, words: &Words) -> Option<Readout> {
        let clock = Clock::new(self.span, self.window).filter(|_| !self.cpus.is_empty())?;
        let area = |(_, width): (&str, f64)| {
            let Layout { left, right, .. } = self.layout(words, &clock, width);
            ReadoutArea { width, left, right }
        };
        let track = |(place, cpu): (usize, &CpuRow)| {
            let (start_s, step_s, values) = readout::values(cpu.series(), Numbers::Share, &clock, words);
            let (panel, name) = (String::new(), cpu.name(words));
            ReadoutTrack { place, panel, name, colour: String::new(), start_s, step_s, values }
        };
        let tracks = self.cpus.iter().take(LABELLED).enumerate().map(track).collect();
        Some(Readout { span: clock.span, areas: WIDTHS.map(area).to_vec(), tracks })
    }

    fn part(&self, part: &PlotPart) -> Option<Box<dyn Plot>> {
        Some(Box::new(Self { span: part.of(self.span)?, ..self.clone() }))
    }

    fn draw(&self, words: &Words, width: f64) -> Drawing {
        let clock = Clock::new(self.span, self.window).filter(|_| !self.cpus.is_empty());
        let Some(clock) = clock else { return Canvas::nothing(words, width) };
        let mut canvas = Canvas::new(width);
        let layout = self.layout(words, &clock, width);
        let mut y = self.legend(&mut canvas, words, 0.0);
        let time: Scale = clock.scale(layout.left, layout.right);
        y += if clock.window.is_some() { BRACKET + 4.0 } else { LINE };
        clock.bracket(&mut canvas, words, &time, y);
        if layout.rows.len() <= LABELLED && layout.height >= 13.0 {
            // Level with the bracket's hooks, below its label.
            y += LINE - 4.0;
            canvas.text((width, y), "t e", &words.say("cpu-load-figures"));
        }
        let (top, bottom) = (y + 5.0, layout.bottom(y + 5.0));
        layout.draw_cells(&mut canvas, top);
        clock.shade(&mut canvas, &time, "x", (top, bottom));
        if let Some((from, to)) = clock.window {
            canvas.down("a", time.place(from), top, bottom);
            canvas.down("a", time.place(to), top, bottom);
        }
        layout.label(&mut canvas, words, &clock, top);
        for tick in clock.ticks(&time, width) {
            canvas.down("a", tick.at, bottom, bottom + 4.0);
            canvas.text((tick.middle, bottom + 16.0), "t m", &tick.label);
        }
        y = self.notes(&mut canvas, words, &clock, &layout, bottom + 20.0);
        canvas.finish(y + 4.0)
    }

    fn describe(&self, words: &Words) -> String {
        let clock = Clock::new(self.span, self.window);
        let known: Vec<(&CpuRow, f64)> = clock
            .iter()
            .flat_map(|clock| self.cpus.iter().map(|c| (c, c.series().summary(clock.counted()))))
            .filter_map(|(cpu, summary)| Some((cpu, summary?.mean)))
            .collect();
        let by = |a: &&(&CpuRow, f64), b: &&(&CpuRow, f64)| a.1.total_cmp(&b.1);
        let (Some(clock), Some(most), Some(least)) =
            (clock, known.iter().max_by(by), known.iter().min_by(by))
        else {
            return words.say("chart-nothing");
        };
        let percent = |share: f64| wording::text(Numbers::Share.write(share));
        let name = |cpu: &CpuRow| wording::text(cpu.name(words));
        let mean = known.iter().map(|(_, mean)| mean).sum::<f64>() / known.len() as f64;
        let (from, to) = clock.counted();
        let arguments = [
            ("count", wording::count(known.len())),
            ("length", wording::text(duration(to - from))),
            ("mean", percent(mean)),
        ];
        let mut sentences = vec![words.tell("cpu-load-describe", &arguments)];
        if known.len() > 1 {
            let arguments = [
                ("cpu", name(most.0)),
                ("mean", percent(most.1)),
                ("other", name(least.0)),
                ("low", percent(least.1)),
            ];
            sentences.push(words.tell("cpu-load-busiest", &arguments));
        }
        let full = known.iter().filter(|(_, mean)| *mean >= STEP_FROM[STEPS - 2]).count();
        if full > 0 {
            sentences.push(words.tell("cpu-load-full", &[("count", wording::count(full))]));
        }
        for cpu in self.cpus.iter().filter(|c| c.note.is_some()).take(3) {
            let note = wording::name(cpu.note.as_deref().unwrap_or_default());
            let told = words.tell("cpu-load-note", &[("cpu", name(cpu)), ("note", note)]);
            sentences.push(format!("{told}."));
        }
        sentences.join(" ")
    }

    fn table(&self, words: &Words) -> DataTable {
        let keys = ["name", "mean", "greatest", "full-time", "remark"];
        let head = keys.map(|key| words.say(&format!("cpu-load-{key}"))).to_vec();
        let Some(clock) = Clock::new(self.span, self.window) else {
            return DataTable { head, rows: Vec::new() };
        };
        let row = |cpu: &CpuRow| {
            let mut row = vec![cpu.name(words)];
            match cpu.series().summary(clock.counted()) {
                Some(Summary { mean, max, .. }) => {
                    row.extend([mean, max.value, full_time(cpu, &clock)].map(|v| Numbers::Share.write(v)));
                }
                None => row.extend([words.say("panels-none"), String::new(), String::new()]),
            }
            row.push(clean(cpu.note.as_deref().unwrap_or_default()));
            row
        };
        DataTable { head, rows: self.cpus.iter().map(row).collect() }
    }
}

/// The share of the time that was seen in which a CPU was full.
fn full_time(cpu: &CpuRow, clock: &Clock) -> f64 {
    let (mut full, mut all) = (0.0, 0.0);
    for (from, to, busy) in cpu.series().within(clock.counted()) {
        all += to - from;
        full += if busy >= STEP_FROM[STEPS - 2] { to - from } else { 0.0 };
    }
    if all > 0.0 { full / all } else { 0.0 }
}

#[cfg(test)]
mod tests;
