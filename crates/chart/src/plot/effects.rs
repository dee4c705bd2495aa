//! What changes did to a result: how much it moved, with its interval, beside how much it would have
//! moved in proportion.

use language::Words;
use language::format::fine_percent;

use super::canvas::{Canvas, LINE, MIDDLE, TEXT};
use super::rows::Names;
use super::scale::{Base, Domain, Scale, with_intervals};
use super::ticks::{TickDirection, ticks};
use super::{Axis, DataTable, Drawing, Measured, Numbers, Plot, Spread};
use super::{frame, rows, series, text, wording};
use crate::svg::clean;

/// Effects, one below the other, on an even axis around 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Effects {
    /// The rows.
    pub rows: Vec<EffectRow>,
}

/// What one change did.
#[derive(Clone, Debug, PartialEq)]
pub struct EffectRow {
    /// What was changed, and of which case.
    pub label: String,
    /// How much the result moved: -0.1 is a tenth less.
    pub effect: Measured,
    /// How much it was to move; absent where nobody can say.
    pub expected: Option<f64>,
    /// What the change was for, in a word of the page's language.
    pub role: String,
    /// The place of that among roles, which decides the mark.
    pub mark: usize,
}

/// How many rows are drawn; the table has all.
const MOST_ROWS: usize = 40;
const PITCH: f64 = 24.0;
/// How far an effect is drawn at most.
const FAR: f64 = 4.0;
/// The least that the axis reaches to each side.
const NEAR: f64 = 0.02;

impl Plot for Effects {
    fn draw(&self, words: &Words, width: f64) -> Drawing {
        if self.rows.is_empty() {
            return Canvas::nothing(words, width);
        }
        let mut canvas = Canvas::new(width);
        let drawn = &self.rows[..self.rows.len().min(MOST_ROWS)];
        let mut top = frame::heading(&mut canvas, &words.say("effects-legend"), 0.0, "q");
        let cut = wording::drawn(words, "effects-drawn", drawn.len(), self.rows.len());
        top = frame::heading(&mut canvas, &cut, top, "q");
        let names = Names::of(drawn.iter().map(|r| r.label.as_str()), &canvas);
        let widest =
            |text: fn(&EffectRow) -> String| drawn.iter().map(|r| TEXT.width(&text(r))).fold(0.0, f64::max);
        // A hair more than the widest needs, or it would be cut by rounding.
        let roles = width - (widest(role) + 0.5).min(width * 0.3);
        let figures = roles - 8.0;
        let room = width - figures + widest(figure) + 14.0;
        let names = names.leaving(room);
        let right = if canvas.is_pointed() { width - room } else { width - 10.0 };
        let axis = axis();
        let scale = Scale { domain: domain(&axis, drawn), from: names.right() + 8.0, to: right };
        let area_top = top + 8.0;
        let height = |row: &EffectRow| names.height(&row.label, PITCH).max(names.height("-", PITCH)) + 2.0;
        let bottom = area_top + drawn.iter().map(height).sum::<f64>() + 2.0;
        let left = names.right().min(right);
        let marks = ticks(&scale, axis.numbers, "", TickDirection::Across(left, width));
        rows::grid(&mut canvas, &marks, area_top, bottom);
        canvas.down("a", scale.place(0.0), area_top, bottom);
        let mut y = area_top + 2.0;
        for row in drawn {
            let height = height(row);
            names.draw(&mut canvas, &row.label, y, height);
            let (middle, line) = match names.beside {
                Some(_) => (y + height / 2.0, y + height / 2.0),
                None => (y + height - 2.0 - PITCH / 2.0, y + LINE - 4.0 - MIDDLE),
            };
            canvas.text((figures, line + MIDDLE), "e o", &figure(row));
            canvas.text((roles, line + MIDDLE), "o", &TEXT.fit(&role(row), width - roles));
            draw_row(&mut canvas, &scale, row, middle, words);
            y += height;
        }
        let end = frame::foot(&mut canvas, &marks, bottom, (0.0, width), &words.say("effects-axis"));
        canvas.finish(end)
    }

    fn describe(&self, words: &Words) -> String {
        if self.rows.is_empty() {
            return words.say("chart-nothing");
        }
        let told = self.rows.iter().take(MOST_ROWS).map(|row| format!("{}.", told(row, words)));
        told.collect::<Vec<_>>().join(" ")
    }

    fn table(&self, words: &Words) -> DataTable {
        let head = [
            "effects-column-what",
            "effects-column-role",
            "effects-column-expected",
            "effects-column-effect",
            "effects-column-interval",
        ];
        let row = |row: &EffectRow| {
            let expected = row.expected.map_or_else(|| words.say("chart-missing"), percent);
            let interval = interval(row, words).unwrap_or_default();
            vec![clean(&row.label), clean(&row.role), expected, figure(row), interval]
        };
        DataTable { head: head.map(|key| words.say(key)).into(), rows: self.rows.iter().map(row).collect() }
    }
}

fn axis() -> Axis {
    Axis { title: String::new(), numbers: Numbers::Share, spread: Spread::Linear }
}

fn domain(axis: &Axis, drawn: &[EffectRow]) -> Domain {
    let measured: Vec<&Measured> = drawn.iter().map(|row| &row.effect).collect();
    let mut values = with_intervals(measured);
    values.extend(drawn.iter().filter_map(|row| row.expected));
    // How sure an effect is counts as much as how large it is.
    let ends = drawn.iter().filter_map(|row| row.effect.interval).flat_map(|(low, high)| [low, high]);
    values.extend(ends.filter(|end| end.is_finite()));
    values.extend([-NEAR, 0.0, NEAR]);
    values.iter_mut().for_each(|value| *value = value.clamp(-FAR, FAR));
    Domain::of(axis, &values, Base::Free, 6)
}

fn figure(row: &EffectRow) -> String {
    percent(row.effect.value)
}

/// With a decimal, where that is not lost in the number.
fn percent(value: f64) -> String {
    if value.abs() < 10.0 { fine_percent(value) } else { Numbers::Share.write(value) }
}

/// The interval of an effect, with a decimal: a tenth of a tenth matters here.
fn interval(row: &EffectRow, words: &Words) -> Option<String> {
    let (low, high) = row.effect.interval.filter(|(low, high)| low.is_finite() && high.is_finite())?;
    let (low, high) = (percent(low), percent(high));
    Some(words.tell("chart-interval", &[("low", text(&low)), ("high", text(&high))]))
}

fn role(row: &EffectRow) -> String {
    clean(&row.role)
}

/// A row in words.
fn told(row: &EffectRow, words: &Words) -> String {
    let effect = match interval(row, words) {
        Some(interval) => format!("{} ({interval})", figure(row)),
        None => figure(row),
    };
    let expected = row.expected.map(percent);
    let parts = [
        ("label", text(&clean(&row.label))),
        ("role", text(&role(row))),
        ("effect", text(&effect)),
        ("known", text(if expected.is_some() { "yes" } else { "no" })),
        ("expected", text(expected.as_deref().unwrap_or_default())),
    ];
    words.tell("effects-row", &parts)
}

fn draw_row(canvas: &mut Canvas, scale: &Scale, row: &EffectRow, middle: f64, words: &Words) {
    if !row.effect.value.is_finite() {
        return;
    }
    // The shape tells as well as the colour.
    canvas.group(&format!("u{}", row.mark % 3));
    if let Some(whisker) = rows::whisker(scale, row.effect.interval, middle, 4.0) {
        canvas.path("n", &whisker, None);
    }
    let x = scale.place(row.effect.value.clamp(-FAR, FAR));
    canvas.path("f", &series::mark(row.mark, x, middle, 5.0), Some(&told(row, words)));
    canvas.end();
    if let Some(expected) = row.expected.filter(|expected| scale.domain.holds(*expected)) {
        canvas.down("a", scale.place(expected), middle - PITCH / 2.0 + 2.0, middle + PITCH / 2.0 - 2.0);
    }
}

#[cfg(test)]
mod tests {
    use super::super::check::texts;
    use super::super::svg;
    use super::*;
    use language::Language;

    fn proof() -> Effects {
        let row = |label: &str, effect: f64, expected, role: &str, mark| EffectRow {
            label: label.to_owned(),
            effect: Measured { value: effect, interval: Some((effect - 0.008, effect + 0.008)) },
            expected,
            role: role.to_owned(),
            mark,
        };
        Effects {
            rows: vec![
                row("10 % less of CPU 0", -0.096, Some(-0.1), "named", 0),
                row("10 % less of disk vda", 0.0005, Some(0.0), "not named", 1),
                row("threads 2 instead of 1", 0.84, None, "more of it", 2),
            ],
        }
    }

    #[test]
    fn effects_look_as_they_did() {
        insta::assert_snapshot!(svg(&proof(), "What was taken, and what it did", Language::English.words()));
    }

    #[test]
    fn every_row_has_its_figure_and_what_it_is_for_at_both_widths() {
        for width in [760.0, 340.0] {
            let texts = texts(&proof(), Language::English.words(), width);
            for text in ["named", "not named", "84 %", "0"] {
                assert!(texts.iter().any(|t| t == text), "{text} in {texts:?}");
            }
        }
    }

    #[test]
    fn what_was_expected_is_in_words_where_it_is_known() {
        let told = proof().describe(Language::English.words());
        assert!(told.contains("expected -10 %") && !told.contains("expected ."), "{told}");
        assert_eq!(proof().table(Language::English.words()).rows.len(), 3);
    }
}
