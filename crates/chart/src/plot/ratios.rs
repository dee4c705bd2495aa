//! How much a result is to its baseline: a ratio with its interval a row.

use language::Words;
use language::format::{self, TIMES};

use super::canvas::{Area, Canvas, LINE, MIDDLE, PathBuilder, TEXT};
use super::rows::Names;
use super::scale::{Domain, Scale};
use super::ticks::{Tick, TickDirection};
use super::{DataTable, Drawing, Measured, Numbers, Plot, Spread};
use super::{count, frame, rows, series, text, ticks, wording};
use crate::svg::clean;

/// Ratios, one below the other, on a logarithmic axis around 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Ratios {
    /// What is compared with what: baseline, new.
    pub sides: (String, String),
    /// The difference that does not matter, as a fraction; drawn as a band.
    pub margin: f64,
    /// The rows.
    pub rows: Vec<RatioRow>,
}

/// One ratio.
#[derive(Clone, Debug, PartialEq)]
pub struct RatioRow {
    /// What it is of: the case and the metric.
    pub label: String,
    /// The ratio; absent where there is none.
    pub ratio: Option<Measured>,
    /// The verdict in a word of the page's language.
    pub verdict: String,
    /// Whether the difference is to the good, to the bad, or neither.
    pub good: Option<bool>,
}

/// How many rows are drawn; of more, those that differ first.
const MOST_ROWS: usize = 60;
const PITCH: f64 = 22.0;
/// How far the axis reaches at most, as a multiple; beyond stands an arrow.
const MOST_TIMES: f64 = 16.0;
const LEAST_TIMES: f64 = 1.02;
/// How many verdicts are counted in words.
const MOST_VERDICTS: usize = 6;

impl Plot for Ratios {
    fn draw(&self, words: &Words, width: f64) -> Drawing {
        if self.rows.is_empty() {
            return Canvas::nothing(words, width);
        }
        let mut canvas = Canvas::new(width);
        let rows = self.drawn();
        let sides = [("baseline", text(&self.sides.0)), ("new", text(&self.sides.1))];
        let mut top = frame::heading(&mut canvas, &words.tell("ratios-sides", &sides), 0.0, "");
        if let Some(margin) = self.margin() {
            let margin = words.tell("ratios-margin", &[("margin", margin.into())]);
            top = frame::heading(&mut canvas, &margin, top, "q");
        }
        let cut = wording::drawn(words, "ratios-drawn", rows.len(), self.rows.len());
        top = frame::heading(&mut canvas, &cut, top, "q");
        let names = Names::of(rows.iter().map(|r| r.label.as_str()), &canvas);
        let widest =
            |text: fn(&RatioRow) -> String| rows.iter().map(|r| TEXT.width(&text(r))).fold(0.0, f64::max);
        // A hair more than the widest needs, or it would be cut by rounding.
        let verdicts = width - (widest(verdict) + 0.5).min(width * 0.3);
        let figures = verdicts - 8.0;
        let room = width - figures + widest(figure) + 14.0;
        // On a phone the figures stand in the line of the name, above the row.
        let names = names.leaving(room);
        let right = if canvas.is_pointed() { width - room } else { width - 10.0 };
        let scale = self.scale(&rows, names.right() + 8.0, right);
        let (area_top, area_left) = (top + 8.0, names.right());
        let height = |row: &&RatioRow| names.height(&row.label, PITCH).max(names.height("-", PITCH)) + 2.0;
        let heights: Vec<f64> = rows.iter().map(height).collect();
        let bottom = area_top + heights.iter().sum::<f64>() + 2.0;
        if let Some(margin) = self.margin() {
            let (low, high) = (scale.place(1.0 / (1.0 + margin)), scale.place(1.0 + margin));
            let area = Area { x: low, y: area_top, width: high - low, height: bottom - area_top };
            canvas.rect("v", area, None);
        }
        let ticks = ticks_around_one(&scale, (area_left.min(right), width));
        rows::grid(&mut canvas, &ticks, area_top, bottom);
        canvas.down("a", scale.place(1.0), area_top, bottom);
        let mut y = area_top + 2.0;
        for (row, height) in rows.iter().zip(heights) {
            names.draw(&mut canvas, &row.label, y, height);
            let (middle, line) = match names.beside {
                Some(_) => (y + height / 2.0, y + height / 2.0),
                None => (y + height - 2.0 - PITCH / 2.0, y + LINE - 4.0 - MIDDLE),
            };
            draw_figures(&mut canvas, row, (line, figures, verdicts));
            draw_row(&mut canvas, &scale, row, middle, words);
            y += height;
        }
        let end = frame::foot(&mut canvas, &ticks, bottom, (0.0, width), "");
        canvas.finish(end)
    }

    fn describe(&self, words: &Words) -> String {
        let sides = [("baseline", text(&self.sides.0)), ("new", text(&self.sides.1))];
        let mut sentences = vec![format!("{}.", words.tell("ratios-sides", &sides))];
        let mut verdicts: Vec<(&str, usize)> = Vec::new();
        for row in &self.rows {
            match verdicts.iter_mut().find(|(verdict, _)| *verdict == row.verdict) {
                Some((_, n)) => *n += 1,
                None => verdicts.push((&row.verdict, 1)),
            }
        }
        if verdicts.is_empty() {
            sentences.push(words.say("chart-nothing"));
        }
        for (verdict, n) in verdicts.iter().filter(|(verdict, _)| !verdict.is_empty()).take(MOST_VERDICTS) {
            sentences.push(words.tell("ratios-count", &[("label", text(verdict)), ("count", count(*n))]));
        }
        let off = |row: &&RatioRow| ratio(row).map_or(0.0, |m| m.value.ln().abs());
        let different = self.rows.iter().filter(|row| row.good.is_some() && ratio(row).is_some());
        if let Some(row) = different.max_by(|a, b| off(a).total_cmp(&off(b))) {
            let value = ratio(row).map_or_else(String::new, |m| Numbers::Times.measured(&m, words));
            let parts =
                [("label", text(&row.label)), ("ratio", text(&value)), ("verdict", text(&row.verdict))];
            let row = words.tell("ratios-row", &parts);
            sentences.push(words.tell("ratios-widest", &[("row", text(&row))]));
        }
        sentences.join(" ")
    }

    fn table(&self, words: &Words) -> DataTable {
        let head =
            ["ratios-column-what", "ratios-column-ratio", "ratios-column-interval", "ratios-column-verdict"];
        let row = |row: &RatioRow| {
            let (value, interval) = match row.ratio {
                Some(m) => (times(m.value), Numbers::Times.interval(&m, words).unwrap_or_default()),
                None => (words.say("chart-missing"), String::new()),
            };
            vec![clean(&row.label), value, interval, clean(&row.verdict)]
        };
        DataTable { head: head.map(|key| words.say(key)).into(), rows: self.rows.iter().map(row).collect() }
    }
}

impl Ratios {
    fn margin(&self) -> Option<f64> {
        (self.margin > 0.0 && self.margin < 10.0).then_some(self.margin)
    }

    /// The rows that are drawn: all, or of too many those that differ before
    /// others, in their order.
    fn drawn(&self) -> Vec<&RatioRow> {
        let mut order: Vec<usize> = (0..self.rows.len()).collect();
        order.sort_by_key(|i| self.rows[*i].good.is_none());
        order.truncate(MOST_ROWS);
        order.sort_unstable();
        order.into_iter().map(|i| &self.rows[i]).collect()
    }

    /// As far to one side of 1 as to the other, so that half and twice as much
    /// look alike.
    fn scale(&self, rows: &[&RatioRow], from: f64, to: f64) -> Scale {
        let ratios = rows.iter().filter_map(|row| ratio(row));
        let ends = ratios.flat_map(|m| {
            let interval = m.interval.filter(|(low, high)| *low > 0.0 && high.is_finite());
            // A wide interval may end beyond the axis; a point only where it must.
            let near = |bound: f64| (bound / m.value).clamp(0.25, 4.0) * m.value;
            let (low, high) = interval.map_or((m.value, m.value), |(low, high)| (near(low), near(high)));
            [m.value, low, high]
        });
        let far = ends.map(|v| v.max(1.0 / v)).fold(LEAST_TIMES, f64::max);
        let far = (1.0 + (far - 1.0) * 1.08).max(1.0 + self.margin().unwrap_or(0.0) * 1.5).min(MOST_TIMES);
        let domain = Domain { low: 1.0 / far, high: far, spread: Spread::Decades, step: 0.0 };
        Scale { domain, from, to }
    }
}

/// A row's ratio, where it is one.
fn ratio(row: &RatioRow) -> Option<Measured> {
    row.ratio.filter(|m| m.value.is_finite() && m.value > 0.0)
}

/// A ratio with the digits that a small difference needs: `1.013×`.
fn times(value: f64) -> String {
    if (value - 1.0).abs() < 0.0995 { format::fixed(value, 3, TIMES) } else { Numbers::Times.write(value) }
}

/// The ratio at the right end of a row, and what it means.
fn figure(row: &RatioRow) -> String {
    ratio(row).map_or_else(String::new, |m| times(m.value))
}

fn verdict(row: &RatioRow) -> String {
    clean(&row.verdict)
}

fn draw_figures(canvas: &mut Canvas, row: &RatioRow, (middle, figures, verdicts): (f64, f64, f64)) {
    let (figure_class, class) = if row.good == Some(false) { ("w e o", "w o") } else { ("e o", "o") };
    canvas.text((figures, middle + MIDDLE), figure_class, &figure(row));
    canvas.text((verdicts, middle + MIDDLE), class, &TEXT.fit(&verdict(row), canvas.width - verdicts));
}

fn draw_row(canvas: &mut Canvas, scale: &Scale, row: &RatioRow, middle: f64, words: &Words) {
    let Some(measured) = ratio(row) else { return };
    // The shape tells as well as the colour: up is better, down is worse.
    let (colour, shape) = match row.good {
        Some(true) => ("u0", 2),
        Some(false) => ("u1", 4),
        None => ("u2", 0),
    };
    canvas.group(colour);
    if let Some((low, high)) = rows::ends(scale, measured.interval) {
        canvas.path("n", &PathBuilder::whisker_across(middle, low, high, 4.0), None);
    }
    let x = scale.place(measured.value);
    let ratio = Numbers::Times.measured(&measured, words);
    let told = format!("{}: {ratio}, {}", clean(&row.label), clean(&row.verdict));
    if scale.domain.holds(measured.value) {
        canvas.path("f", &series::mark(shape, x, middle, 5.0), Some(&told));
    } else {
        let tip = if measured.value > 1.0 { x + 6.0 } else { x - 6.0 };
        let arrow = PathBuilder::through([(tip, middle), (x, middle - 5.0), (x, middle + 5.0)]).close();
        canvas.path("f", &arrow, Some(&told));
    }
    canvas.end();
}

/// Ticks at 1 and at round multiples on both sides of it.
fn ticks_around_one(scale: &Scale, (left, right): (f64, f64)) -> Vec<Tick> {
    const ROUND: &[&[f64]] = &[
        &[1.002, 1.004, 1.006, 1.008, 1.01],
        &[1.005, 1.01, 1.015, 1.02],
        &[1.01, 1.02, 1.03, 1.04, 1.05],
        &[1.02, 1.04, 1.06, 1.08, 1.1],
        &[1.05, 1.1, 1.15, 1.2],
        &[1.1, 1.2, 1.3, 1.4, 1.5],
        &[1.25, 1.5, 1.75, 2.0],
        &[1.5, 2.0, 3.0, 4.0],
        &[2.0, 4.0, 8.0, 16.0],
        &[4.0, 16.0],
    ];
    let along = TickDirection::Across(left, right);
    for set in ROUND {
        // Up to 10 % as many below as above; from there what is its inverse.
        let below = |v: &f64| if *v <= 1.1 { 2.0 - v } else { 1.0 / v };
        let mut values: Vec<f64> = set.iter().map(below).chain(set.iter().copied()).chain([1.0]).collect();
        values.retain(|v| scale.domain.holds(*v));
        values.sort_by(f64::total_cmp);
        let label = |v: f64| {
            let decimals = if set.iter().any(|v| v.fract() > 0.0 && *v < 1.05) { 3 } else { 2 };
            format!("{}{TIMES}", format::trimmed(format::fixed(v, decimals, "")))
        };
        let made: Vec<Tick> = values.iter().map(|v| ticks::tick(scale.place(*v), label(*v), along)).collect();
        if made.len() >= 3
            && ticks::fits(&made, along)
            && set.last().is_some_and(|v| *v * *v >= scale.domain.high)
        {
            return made;
        }
    }
    vec![ticks::tick(scale.place(1.0), "1×".to_owned(), along)]
}

#[cfg(test)]
mod tests {
    use super::super::check::texts;
    use super::super::svg;
    use super::*;
    use language::Language;

    fn kernels() -> Ratios {
        let row = |label: &str, ratio: Option<f64>, verdict: &str, good| RatioRow {
            label: label.to_owned(),
            ratio: ratio.map(|r| Measured { value: r, interval: Some((r * 0.97, r * 1.03)) }),
            verdict: verdict.to_owned(),
            good,
        };
        Ratios {
            sides: ("6.1".to_owned(), "6.18".to_owned()),
            margin: 0.05,
            rows: vec![
                row("IOPS", Some(1.21), "better", Some(true)),
                row("latency", Some(1.3), "worse", Some(false)),
                row("copy", Some(1.004), "same", None),
                row("primes", None, "not comparable", None),
                row("absurd", Some(1e9), "better", Some(true)),
            ],
        }
    }

    #[test]
    fn ratios_look_as_they_did() {
        insta::assert_snapshot!(svg(&kernels(), "6.18 to 6.1", Language::English.words()));
    }

    #[test]
    fn every_row_has_its_figure_and_verdict_at_both_widths() {
        for width in [760.0, 340.0] {
            let texts = texts(&kernels(), Language::English.words(), width);
            for text in ["1.21×", "better", "worse", "1.004×", "same", "not comparable", "1×"] {
                assert!(texts.iter().any(|t| t == text), "{text} in {texts:?}");
            }
        }
    }

    #[test]
    fn half_and_twice_as_much_are_equally_far_from_one() {
        let plot = kernels();
        let rows = plot.drawn();
        let scale = plot.scale(&rows, 0.0, 100.0);
        assert!((scale.place(2.0) + scale.place(0.5) - 100.0).abs() < 1e-9);
        assert!((scale.place(1.0) - 50.0).abs() < 1e-9);
        assert!(scale.domain.high <= MOST_TIMES);
    }

    #[test]
    fn of_very_many_rows_those_that_differ_are_drawn() {
        let mut plot = kernels();
        let same = plot.rows[2].clone();
        plot.rows = std::iter::repeat_n(same, 200).chain(plot.rows[..2].to_vec()).collect();
        let texts = texts(&plot, Language::English.words(), 760.0);
        assert!(texts.contains(&"worse".to_owned()));
        assert!(texts.iter().any(|t| t.starts_with("Of 202, 60 are drawn")), "{texts:?}");
    }
}
