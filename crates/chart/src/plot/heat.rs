//! A heat map of two factors.

use language::{Words, format};

use super::canvas::{Area, Canvas, LINE, MIDDLE, PathBuilder, TEXT};
use super::scale::{Domain, ends};
use super::ticks::TICK;
use super::{Axis, Better, DataTable, Drawing, Measured, Numbers, Plot, Spread};
use super::{count, frame, text, wording};
use crate::svg::clean;
use crate::theme::STEPS;

/// One value for each pair of two factors' levels.
#[derive(Clone, Debug, PartialEq)]
pub struct HeatMap {
    /// What the values are.
    pub title: String,
    /// How they are written.
    pub numbers: Numbers,
    /// The factor from left to right, and its levels.
    pub x: (String, Vec<String>),
    /// The factor from top to bottom, and its levels.
    pub y: (String, Vec<String>),
    /// The values, row by row; absent where nothing was measured.
    pub cells: Vec<Vec<Option<Measured>>>,
    /// Which way is better.
    pub better: Option<Better>,
}

/// Of more rows, some are drawn.
pub(super) const MOST_ROWS: usize = 64;
const ROW: f64 = 26.0;
/// The least width of a column, and height of a row without figures.
const LEAST: f64 = 10.0;
/// The greatest.
const MOST: f64 = 110.0;
/// Up to so many cells each tell their value to a pointer.
const MOST_TOLD: usize = 400;
const GAP: f64 = 2.0;
/// Values that span more than so many times are coloured by their logarithm.
const BY_FACTOR_FROM: f64 = 20.0;
/// A sample in the legend.
const SAMPLE: f64 = 16.0;

/// Which levels are drawn: all, or of too many some, evenly among them.
fn thinned(levels: usize, most: usize) -> Vec<usize> {
    if levels <= most {
        return (0..levels).collect();
    }
    let most = most.max(2);
    let mut kept: Vec<usize> = (0..most).map(|i| i * (levels - 1) / (most - 1)).collect();
    kept.dedup();
    kept
}

/// From values to the steps of the scale of shares.
#[derive(Clone, Copy)]
struct Steps {
    low: f64,
    high: f64,
    by_factor: bool,
    /// Whether no value has a part behind the point.
    are_whole: bool,
}

impl Steps {
    fn of(values: &[f64]) -> Option<Self> {
        let (low, high) = ends(values.iter().copied());
        let by_factor = low > 0.0 && high / low > BY_FACTOR_FROM;
        let are_whole = values.iter().all(|value| value.fract() == 0.0);
        (low <= high).then_some(Self { low, high, by_factor, are_whole })
    }

    fn step(&self, value: f64) -> usize {
        let share = if self.by_factor {
            (value / self.low).ln() / (self.high / self.low).ln()
        } else {
            (value / 2.0 - self.low / 2.0) / (self.high / 2.0 - self.low / 2.0)
        };
        if share.is_finite() { ((share * STEPS as f64) as usize).min(STEPS - 1) } else { STEPS / 2 }
    }

    fn from(&self, step: usize) -> f64 {
        let share = step as f64 / STEPS as f64;
        if self.by_factor {
            self.low * (self.high / self.low).powf(share)
        } else {
            self.low * (1.0 - share) + self.high * share
        }
    }

    /// Whether the values are counts of things, of which there are no parts.
    fn are_counts(&self, numbers: Numbers) -> bool {
        self.are_whole && matches!(numbers, Numbers::Count)
    }

    /// Each step with the least that it holds. Of counts that is a whole one, and a step in which none lies is left
    /// out.
    fn begins(&self, numbers: Numbers) -> Vec<(usize, f64)> {
        let all = (0..STEPS).map(|step| (step, self.from(step)));
        if !self.are_counts(numbers) {
            return all.collect();
        }
        // What arithmetic adds to a whole number does not make it the next one.
        let mut whole: Vec<(usize, f64)> =
            all.map(|(step, from)| (step, (from - from.abs() * 1e-9).ceil())).collect();
        // Of steps that begin with the same count, the last holds it.
        whole.reverse();
        whole.dedup_by(|one, kept| one.1 == kept.1);
        whole.reverse();
        whole
    }
}

struct Grid {
    rows: Vec<usize>,
    columns: Vec<usize>,
    left: f64,
    column: f64,
    row: f64,
    /// What values are divided by to be written in cells, and their digits that
    /// count; none where there is no room.
    digits: Option<(f64, usize)>,
}

impl Plot for HeatMap {
    fn draw(&self, words: &Words, width: f64) -> Drawing {
        let Some(steps) = Steps::of(&self.values()) else {
            return Canvas::nothing(words, width);
        };
        let mut canvas = Canvas::new(width);
        let grid = self.grid(width, steps);
        let mut top = self.heading(&mut canvas, (&grid, steps), words);
        let x_title = TEXT.fit(&format!("{} →", clean(&self.x.0)), width - grid.left);
        let y_title = format!("{} ↓", clean(&self.y.0));
        let (all, drawn) = ((self.y.1.len(), self.x.1.len()), (grid.rows.len(), grid.columns.len()));
        if all != drawn {
            let counts = [
                ("rows", count(all.0)),
                ("columns", count(all.1)),
                ("drawn_rows", count(drawn.0)),
                ("drawn_columns", count(drawn.1)),
            ];
            top = frame::heading(&mut canvas, &words.tell("heat-drawn", &counts), top, "q");
        }
        if TEXT.width(&y_title) > grid.left - 8.0 {
            top = frame::heading(&mut canvas, &y_title, top, "q");
        }
        top += LINE + 4.0;
        canvas.text((grid.left, top - 4.0), "q", &x_title);
        if TEXT.width(&y_title) <= grid.left - 8.0 {
            canvas.text((grid.left - 8.0, top + 11.0), "q e", &y_title);
        }
        self.column_names(&mut canvas, &grid, top + 11.0);
        top += 18.0;
        let mut end = top - ROW;
        for (i, row) in grid.rows.iter().enumerate() {
            let middle = top + (i as f64 + 0.5) * grid.row;
            // Of low rows not all have room for their name.
            if middle - end >= 13.0 {
                let name = TICK.fit(&clean(&self.y.1[*row]), grid.left - 8.0);
                canvas.text((grid.left - 8.0, middle + MIDDLE - 1.0), "t e", &name);
                end = middle;
            }
        }
        self.cells(&mut canvas, &grid, steps, top, words);
        canvas.finish(top + grid.rows.len() as f64 * grid.row + 4.0)
    }

    fn describe(&self, words: &Words) -> String {
        let titles = [("title", text(&self.title)), ("x", text(&self.x.0)), ("y", text(&self.y.0))];
        let mut said = vec![words.tell("heat-what", &titles)];
        let known = self.known();
        let tell = |key: &str, at: &(usize, usize, f64)| {
            let place = format!("{}, {}", clean(&self.x.1[at.1]), clean(&self.y.1[at.0]));
            words.tell(key, &[("value", text(&self.numbers.write(at.2))), ("at", text(&place))])
        };
        let by_value = |a: &&(usize, usize, f64), b: &&(usize, usize, f64)| a.2.total_cmp(&b.2);
        match (known.iter().max_by(by_value), known.iter().min_by(by_value)) {
            (Some(high), Some(low)) => said.extend([tell("heat-highest", high), tell("heat-lowest", low)]),
            _ => said.push(words.say("chart-nothing")),
        }
        said.extend(wording::rest(words, "heat-missing", self.x.1.len() * self.y.1.len(), known.len()));
        said.join(" ")
    }

    fn table(&self, words: &Words) -> DataTable {
        let corner = format!("{} \\ {}", clean(&self.y.0), clean(&self.x.0));
        let head = [corner].into_iter().chain(self.x.1.iter().map(|level| clean(level))).collect();
        let cell = |row: usize, column: usize| {
            self.cell(row, column)
                .map_or_else(|| words.say("chart-missing"), |m| self.numbers.measured(&m, words))
        };
        let row = |(i, level): (usize, &String)| {
            let cells = (0..self.x.1.len()).map(|column| cell(i, column));
            [clean(level)].into_iter().chain(cells).collect()
        };
        DataTable { head, rows: self.y.1.iter().enumerate().map(row).collect() }
    }
}

impl HeatMap {
    fn cell(&self, row: usize, column: usize) -> Option<Measured> {
        self.cells.get(row)?.get(column).copied().flatten().filter(|m| m.value.is_finite())
    }

    /// Row, column and value of all that were measured.
    fn known(&self) -> Vec<(usize, usize, f64)> {
        let all = (0..self.y.1.len()).flat_map(|row| (0..self.x.1.len()).map(move |column| (row, column)));
        all.filter_map(|(row, column)| self.cell(row, column).map(|m| (row, column, m.value))).collect()
    }

    fn values(&self) -> Vec<f64> {
        self.known().into_iter().map(|(_, _, value)| value).collect()
    }

    fn best(&self) -> Option<(usize, usize)> {
        let known = self.known();
        if known.len() < 2 {
            return None;
        }
        let found = match self.better? {
            Better::Higher => known.iter().max_by(|a, b| a.2.total_cmp(&b.2)),
            Better::Lower => known.iter().min_by(|a, b| a.2.total_cmp(&b.2)),
        };
        found.map(|(row, column, _)| (*row, *column))
    }

    fn grid(&self, width: f64, steps: Steps) -> Grid {
        let rows = thinned(self.y.1.len(), MOST_ROWS);
        let names = rows.iter().map(|row| TICK.width(&clean(&self.y.1[*row])));
        let names = names.fold(0.0, f64::max).min(width * 0.25);
        // Their title stands above them where there is room, else on its own.
        let title = TEXT.width(&format!("{} ↓", clean(&self.y.0)));
        let left = (if title <= width * 0.16 { names.max(title) } else { names } + 9.0).ceil();
        let columns = thinned(self.x.1.len(), ((width - left) / LEAST) as usize);
        let column = ((width - left) / columns.len().max(1) as f64).min(MOST).floor();
        let factor = self.numbers.scale(steps.low.abs().max(steps.high.abs())).factor;
        let values = self.values();
        let fits = |digits: &usize| {
            let widest = values.iter().map(|v| TICK.width(&figure(*v / factor, *digits))).fold(0.0, f64::max);
            widest + 6.0 <= column - GAP
        };
        let digits = [3, 2].into_iter().find(fits).map(|digits| (factor, digits));
        let row = if digits.is_some() { ROW } else { column.clamp(LEAST, ROW) };
        Grid { rows, columns, left, column, row, digits }
    }

    /// The title with the unit that the cells share, and the legend.
    fn heading(&self, canvas: &mut Canvas, (grid, steps): (&Grid, Steps), words: &Words) -> f64 {
        let unit = self.numbers.scale(steps.low.abs().max(steps.high.abs())).unit();
        let numbers = self.numbers;
        let mut title = clean(&self.title);
        let short = numbers.write_under(1e3, &title);
        let unit = if short.ends_with("/s") { &*unit } else { unit.trim_end_matches("/s") };
        // Counts that stand in no cell are written out in the legend.
        let are_written_out = steps.are_counts(numbers) && grid.digits.is_none();
        let says_unit = !unit.is_empty() && !are_written_out;
        if says_unit {
            title = words.tell("heat-in", &[("title", text(&title)), ("unit", text(unit))]);
        }
        let axis = Axis { title, numbers, spread: Spread::Linear };
        let mut title = frame::title(&axis, &Domain::exact(0.0, 1.0, 1.0), self.better, words);
        if self.best().is_some() {
            title = format!("{title} · {}", words.say("heat-best"));
        }
        let top = frame::heading(canvas, &title, 0.0, "");
        if steps.low < steps.high { legend(canvas, steps, numbers, says_unit, top + 6.0) } else { top }
    }

    fn column_names(&self, canvas: &mut Canvas, grid: &Grid, y: f64) {
        let mut end = grid.left - 8.0;
        for (i, column) in grid.columns.iter().enumerate() {
            let name = clean(&self.x.1[*column]);
            let middle = grid.left + (i as f64 + 0.5) * grid.column;
            let room = if self.fits(grid) { grid.column - 2.0 } else { 80.0 };
            let name = TICK.fit(&name, room);
            let half = TICK.width(&name) / 2.0;
            if middle - half >= end + 4.0 && middle + half <= canvas.width {
                canvas.text((middle, y), "t m", &name);
                end = middle + half;
            }
        }
    }

    /// Whether the name of each column fits over it.
    fn fits(&self, grid: &Grid) -> bool {
        grid.columns.iter().all(|c| TICK.width(&clean(&self.x.1[*c])) + 4.0 <= grid.column)
    }

    /// All cells: with figures and tooltips, or, of
    /// very many, each colour as one path.
    fn cells(&self, canvas: &mut Canvas, grid: &Grid, steps: Steps, top: f64, words: &Words) {
        let area = |i: usize, k: usize| Area {
            x: grid.left + k as f64 * grid.column,
            y: top + i as f64 * grid.row,
            width: grid.column - GAP,
            height: grid.row - GAP,
        };
        if grid.digits.is_some() || grid.rows.len() * grid.columns.len() <= MOST_TOLD {
            for (i, row) in grid.rows.iter().enumerate() {
                for (k, column) in grid.columns.iter().enumerate() {
                    self.draw_cell(canvas, (grid, steps), (*row, *column), area(i, k), words);
                }
            }
        } else {
            self.draw_runs(canvas, grid, steps, top);
        }
        let Some((row, column)) = self.best() else { return };
        let shown = |all: &[usize], one: usize| all.iter().position(|level| *level == one);
        if let (Some(i), Some(k)) = (shown(&grid.rows, row), shown(&grid.columns, column)) {
            canvas.rect("h2", area(i, k), None);
        }
    }

    fn draw_cell(
        &self,
        canvas: &mut Canvas,
        (grid, steps): (&Grid, Steps),
        (row, column): (usize, usize),
        area: Area,
        words: &Words,
    ) {
        let (x, y) = (area.x + area.width / 2.0, area.y + area.height / 2.0);
        let Some(measured) = self.cell(row, column) else {
            if area.width > 20.0 {
                canvas.text((x, y + MIDDLE), "t m", "–");
            }
            return;
        };
        let class = format!("p{}", steps.step(measured.value));
        let place = format!("{}, {}", clean(&self.x.1[column]), clean(&self.y.1[row]));
        let told = format!("{place}: {}", self.numbers.measured(&measured, words));
        canvas.rect(&class, area, Some(&told));
        if let Some((factor, digits)) = grid.digits {
            canvas.text((x, y + MIDDLE), &format!("t m {class}"), &figure(measured.value / factor, digits));
        }
    }

    /// Neighbours in a row that have one colour are one box.
    fn draw_runs(&self, canvas: &mut Canvas, grid: &Grid, steps: Steps, top: f64) {
        let mut paths: [PathBuilder; STEPS] = Default::default();
        for (i, row) in grid.rows.iter().enumerate() {
            let step = |column: &usize| self.cell(*row, *column).map(|m| steps.step(m.value));
            let (y, mut k) = (top + i as f64 * grid.row, 0);
            for run in grid.columns.chunk_by(|a, b| step(a) == step(b)) {
                let (from, to) = (grid.left + k as f64 * grid.column, k + run.len());
                k = to;
                if let Some(path) = step(&run[0]).and_then(|step| paths.get_mut(step)) {
                    let right = grid.left + to as f64 * grid.column;
                    let pen = std::mem::take(path).jump(from, y);
                    *path = pen.across(right).up(y + grid.row).across(from).close();
                }
            }
        }
        for (step, path) in paths.iter().enumerate().filter(|(_, path)| **path != PathBuilder::default()) {
            canvas.path(&format!("p{step}"), path, None);
        }
    }
}

/// What the colours mean: where each begins.
fn legend(canvas: &mut Canvas, steps: Steps, numbers: Numbers, says_unit: bool, top: f64) -> f64 {
    let (mut x, mut y) = (0.0, top);
    let scale = numbers.scale(steps.low.abs().max(steps.high.abs()));
    let unit = if says_unit { String::new() } else { scale.unit() };
    for (step, from) in steps.begins(numbers) {
        let from = if steps.are_counts(numbers) && !says_unit {
            format!("≥ {}", numbers.write(from))
        } else {
            format!("≥ {} {unit}", figure(from / scale.factor, 3))
        };
        let from = from.trim_end();
        let width = SAMPLE + 5.0 + TICK.width(from) + 12.0;
        if x > 0.0 && x + width > canvas.width {
            (x, y) = (0.0, y + LINE);
        }
        let area = Area { x, y: y + 2.0, width: SAMPLE, height: 11.0 };
        canvas.rect(&format!("p{step}"), area, None);
        canvas.text((x + SAMPLE + 5.0, y + 11.5), "t", from);
        x += width;
    }
    y + LINE + 4.0
}

/// A figure with so many digits that count, never an exponent where it can be
/// without.
fn figure(value: f64, digits: usize) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    if !(1e-3..1e6).contains(&value.abs()) {
        return format!("{value:.0e}");
    }
    let whole = value.abs().log10().floor() as i32 + 1;
    let decimals = (digits as i32 - whole).clamp(0, 3) as usize;
    format::trimmed(format::fixed(value, decimals, ""))
}

#[cfg(test)]
mod tests {
    use super::super::check::texts;
    use super::super::svg;
    use super::*;
    use language::Language;
    use model::Unit;

    fn grid() -> HeatMap {
        let cell = |value: f64| Some(Measured { value, interval: Some((value * 0.9, value * 1.1)) });
        HeatMap {
            title: "IOPS".to_owned(),
            numbers: Numbers::Unit(Unit::PerSecond),
            x: ("block size".to_owned(), ["4 KiB", "64 KiB", "1 MiB"].map(str::to_owned).into()),
            y: ("queue depth".to_owned(), ["1", "32"].map(str::to_owned).into()),
            cells: vec![vec![cell(11.4e3), cell(5.1e3), cell(984.0)], vec![cell(101.9e3), cell(8.4e3), None]],
            better: Some(Better::Higher),
        }
    }

    #[test]
    fn a_small_map_looks_as_it_did() {
        insta::assert_snapshot!(svg(&grid(), "IOPS", Language::English.words()));
    }

    #[test]
    fn cells_share_a_unit_and_what_is_missing_is_no_zero() {
        for width in [760.0, 340.0] {
            let texts = texts(&grid(), Language::English.words(), width);
            for text in ["102", "11.4", "0.984", "–", "4 KiB", "32"] {
                assert!(texts.iter().any(|t| t == text), "{text} in {texts:?}");
            }
            assert!(texts[0].starts_with("IOPS in k · higher is better"), "{texts:?}");
        }
    }

    #[test]
    fn a_map_is_told_in_words() {
        assert_eq!(
            grid().describe(Language::English.words()),
            "IOPS for each pair of block size (across) and queue depth (down). Highest: 101.9 k/s at 4 KiB, 32. \
             Lowest: 984 /s at 1 MiB, 1. 1 not measured."
        );
    }

    #[test]
    fn the_legend_has_no_parts_of_what_is_counted() {
        let legend = |counts: &[f64], width: f64| -> Vec<String> {
            let cell = |value: &f64| Some(Measured { value: *value, interval: None });
            let map = HeatMap {
                numbers: Numbers::Count,
                x: ("time".to_owned(), (0..counts.len()).map(|at| at.to_string()).collect()),
                y: ("latency".to_owned(), vec!["1 ms".to_owned()]),
                cells: vec![counts.iter().map(cell).collect()],
                ..grid()
            };
            let texts = texts(&map, Language::English.words(), width);
            texts.into_iter().filter(|text| text.starts_with('≥')).collect()
        };
        assert_eq!(legend(&[1.0, 18.0], 700.0), ["≥ 1", "≥ 5", "≥ 8", "≥ 12", "≥ 15"]);
        // What begins at 1.4 and at 1.8 begins with the same count.
        assert_eq!(legend(&[1.0, 2.0, 3.0], 700.0), ["≥ 1", "≥ 2", "≥ 3"]);
        let many: Vec<f64> = (0..60).map(|at| if at == 0 { 1.0 } else { 1e5 }).collect();
        assert_eq!(legend(&many, 700.0), ["≥ 1", "≥ 10", "≥ 100", "≥ 1000", "≥ 10000"]);
        assert_eq!(legend(&[1.0, 2.5], 700.0)[1], "≥ 1.3", "these are no counts");
    }

    #[test]
    fn colours_follow_values_by_their_logarithm_where_those_span_decades() {
        let steps = Steps::of(&[1.0, 100_000.0]).unwrap();
        assert_eq!([1.0, 9.0, 11.0, 9e3, 11e3, 1e5].map(|v| steps.step(v)), [0, 0, 1, 3, 4, 4]);
        let steps = Steps::of(&[100.0, 200.0]).unwrap();
        assert_eq!([100.0, 119.0, 121.0, 200.0].map(|v| steps.step(v)), [0, 0, 1, 4]);
        assert_eq!(Steps::of(&[3.0]).unwrap().step(3.0), 2);
    }
}
