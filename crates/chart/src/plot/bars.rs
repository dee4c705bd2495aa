//! Bars with intervals, in groups: categories against one value.

use std::collections::VecDeque;

use language::Words;

use super::canvas::{Area, Canvas, LINE, MIDDLE, TEXT};
use super::reference::Flags;
use super::rows::Names;
use super::scale::{Base, Domain, Scale};
use super::ticks::TickDirection;
use super::{Axis, Better, DataTable, Drawing, Measured, Plot, Reference, Spread};
use super::{count, frame, numbers, reference, rows, scale, series, text, wording};
use crate::svg::{clean, join};

/// Bars that lie, one below the other, so that long names are read.
#[derive(Clone, Debug, PartialEq)]
pub struct Bars {
    /// The axis of values.
    pub value: Axis,
    /// The names of the series; one needs no name.
    pub series: Vec<String>,
    /// The groups, top to bottom.
    pub groups: Vec<BarGroup>,
    /// Lines across all of them.
    pub references: Vec<Reference>,
    /// Which way is better.
    pub better: Option<Better>,
}

/// Bars that belong together.
#[derive(Clone, Debug, PartialEq)]
pub struct BarGroup {
    /// What they are about.
    pub label: String,
    /// One a series that has a value here.
    pub bars: Vec<Bar>,
}

/// One bar.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// Which series, from 0.
    pub series: usize,
    /// Its value; absent where nothing was measured.
    pub value: Option<Measured>,
    /// A line of its own, such as the limit of this case alone.
    pub reference: Option<Reference>,
    /// Said beside it: why it has no value, that it is not to be trusted.
    pub note: Option<String>,
}

/// How many bars are drawn; of more, the highest and the lowest.
const MOST_BARS: usize = 48;
/// A bar, and from one to the next.
const BAR: f64 = 14.0;
/// See [`BAR`].
const PITCH: f64 = 20.0;
/// Between groups of several bars.
const BETWEEN: f64 = 8.0;
/// From a bar's end to its figure, and from that to the other labels.
const TO_TEXT: f64 = 6.0;
/// From the greatest value to the right edge.
const INSET: f64 = 16.0;
/// How many lines of its own a note may take.
const NOTE_LINES: usize = 2;

struct Layout {
    names: Names,
    /// Where the names of series begin and how wide they are.
    series: Option<(f64, f64)>,
    figures: f64,
    scale: Scale,
    right: f64,
}

impl Plot for Bars {
    fn draw(&self, words: &Words, width: f64) -> Drawing {
        let groups = self.drawn();
        if groups.is_empty() {
            return Canvas::nothing(words, width);
        }
        let mut canvas = Canvas::new(width);
        let domain = self.domain(&groups);
        let title = frame::title(&self.value, &domain, self.better, words);
        let top = frame::heading(&mut canvas, &title, 0.0, "");
        let layout = self.layout(&canvas, &groups, domain);
        let drawn = groups.iter().map(|g| g.bars.len()).sum();
        let drawn = wording::drawn(words, "bars-drawn", drawn, self.bars());
        let flags = Flags::of(&self.references, &layout.scale, drawn, width);
        let area_top = top + 6.0 + flags.height();
        let heights: Vec<f64> = groups.iter().map(|g| self.group_height(&layout, g, words)).collect();
        let bottom = area_top + 4.0 + heights.iter().sum::<f64>();
        let ticks = self.value.ticks(&layout.scale, TickDirection::Across(0.0, width));
        rows::grid(&mut canvas, &ticks, area_top, bottom);
        canvas.down("a", layout.scale.place(0.0), area_top, bottom);
        flags.draw(&mut canvas, top + 6.0, bottom);
        let mut y = area_top + 4.0;
        for (group, height) in groups.iter().zip(heights) {
            self.draw_group(&mut canvas, &layout, group, (y, height), words);
            y += height;
        }
        let end = frame::foot(&mut canvas, &ticks, bottom, (0.0, width), "");
        canvas.finish(end)
    }

    fn describe(&self, words: &Words) -> String {
        let what = [("value", text(&self.value.title)), ("count", count(self.bars()))];
        let mut said = vec![words.tell("bars-what", &what)];
        let mut known: Vec<(String, f64)> = Vec::new();
        for (group, bar) in self.groups.iter().flat_map(|g| g.bars.iter().map(move |b| (g, b))) {
            if let Some(value) = bar.value.map(|m| m.value).filter(|v| v.is_finite()) {
                known.push((self.name(group, bar), value));
            }
        }
        known.sort_by(|a, b| a.1.total_cmp(&b.1));
        let tell = |key: &str, (name, value): &(String, f64)| {
            words.tell(key, &[("label", text(name)), ("value", text(&self.value.numbers.write(*value)))])
        };
        match known.as_slice() {
            [] => said.push(words.say("chart-nothing")),
            [only] => said.push(tell("bars-highest", only)),
            [low, .., high] => {
                said.extend([tell("bars-highest", high), tell("bars-lowest", low)]);
                let times = high.1 / low.1;
                if low.1 > 0.0 && (1.05..1e6).contains(&times) {
                    said.push(words.tell("bars-times", &[("times", text(&numbers::times(times)))]));
                }
            }
        }
        said.extend(wording::rest(words, "bars-unmeasured", self.bars(), known.len()));
        if let Some((_, greatest)) = known.last() {
            said.extend(reference::describe(&self.references, *greatest, words));
        }
        said.join(" ")
    }

    fn table(&self, words: &Words) -> DataTable {
        let has_series = self.has_series();
        let all = || self.groups.iter().flat_map(|g| g.bars.iter());
        let (has_reference, has_note) =
            (all().any(|b| b.reference.is_some()), all().any(|b| b.note.is_some()));
        let mut head = vec![words.say("bars-column-what")];
        head.extend(has_series.then(|| words.say("bars-column-series")));
        head.push(clean(&self.value.title));
        head.extend([words.say("chart-column-low"), words.say("chart-column-high")]);
        head.extend(has_reference.then(|| words.say("bars-column-reference")));
        head.extend(has_note.then(|| words.say("bars-column-note")));
        let numbers = self.value.numbers;
        let mut rows = Vec::new();
        for (group, bar) in self.groups.iter().flat_map(|g| g.bars.iter().map(move |b| (g, b))) {
            let interval = bar.value.and_then(|m| m.interval);
            let mut row = vec![clean(&group.label)];
            row.extend(has_series.then(|| self.series_name(bar.series)));
            row.push(bar.value.map_or_else(|| words.say("chart-missing"), |m| numbers.write(m.value)));
            row.push(interval.map_or_else(String::new, |i| numbers.write(i.0)));
            row.push(interval.map_or_else(String::new, |i| numbers.write(i.1)));
            row.extend(
                has_reference.then(|| bar.reference.as_ref().map_or_else(String::new, |r| clean(&r.label))),
            );
            row.extend(has_note.then(|| bar.note.as_deref().map_or_else(String::new, clean)));
            rows.push(row);
        }
        DataTable { head, rows }
    }
}

impl Bars {
    fn bars(&self) -> usize {
        self.groups.iter().map(|g| g.bars.len()).sum()
    }

    fn has_series(&self) -> bool {
        self.groups.iter().any(|g| g.bars.len() > 1 || g.bars.iter().any(|b| b.series > 0))
    }

    fn series_name(&self, series: usize) -> String {
        self.series.get(series).map_or_else(String::new, |name| clean(name))
    }

    fn name(&self, group: &BarGroup, bar: &Bar) -> String {
        let series = if self.has_series() { self.series_name(bar.series) } else { String::new() };
        join([clean(&group.label), series], ", ")
    }

    /// The groups that are drawn: all, or of too many those with the highest and
    /// the lowest values, in their order.
    fn drawn(&self) -> Vec<BarGroup> {
        let groups = self.groups.iter().filter(|g| !g.bars.is_empty());
        if self.bars() <= MOST_BARS {
            return groups.cloned().collect();
        }
        let cut = |group: &BarGroup| {
            let bars = group.bars.iter().take(MOST_BARS).cloned().collect();
            BarGroup { label: group.label.clone(), bars }
        };
        let groups: Vec<BarGroup> = groups.map(cut).collect();
        let value = |group: &BarGroup| {
            let values = group.bars.iter().filter_map(|b| b.value).map(|m| m.value).filter(|v| v.is_finite());
            values.fold(f64::NEG_INFINITY, f64::max)
        };
        let mut order: VecDeque<usize> = (0..groups.len()).collect();
        order.make_contiguous().sort_by(|a, b| value(&groups[*b]).total_cmp(&value(&groups[*a])));
        let (mut kept, mut room, mut from_top) = (Vec::new(), MOST_BARS, true);
        while let Some(next) = if from_top { order.pop_front() } else { order.pop_back() } {
            if groups[next].bars.len() > room {
                break;
            }
            room -= groups[next].bars.len();
            kept.push(next);
            from_top = !from_top;
        }
        kept.sort_unstable();
        kept.into_iter().map(|i| groups[i].clone()).collect()
    }

    fn domain(&self, groups: &[BarGroup]) -> Domain {
        let bars = || groups.iter().flat_map(|g| g.bars.iter());
        let values = scale::with_intervals(bars().filter_map(|b| b.value.as_ref()));
        let own = bars().filter_map(|b| b.reference.as_ref());
        let values = scale::with_references(&self.value, &values, self.references.iter().chain(own));
        // A bar's length is its value: without being asked to, it has no logarithm.
        let spread = if self.value.spread == Spread::Auto { Spread::Linear } else { self.value.spread };
        let axis = Axis { spread, ..self.value.clone() };
        Domain::of(&axis, &values, Base::Zero, 5)
    }

    fn layout(&self, canvas: &Canvas, groups: &[BarGroup], domain: Domain) -> Layout {
        let names = Names::of(groups.iter().map(|g| g.label.as_str()), canvas);
        let bars = || groups.iter().flat_map(|g| g.bars.iter());
        let widest = |text: &dyn Fn(&Bar) -> String, most: f64| {
            bars().map(|b| TEXT.width(&text(b))).fold(0.0, f64::max).min(canvas.width * most).ceil()
        };
        // On a phone names take more of the width, or all of them are cut alike.
        let of_names = if canvas.is_pointed() { 0.2 } else { 0.3 };
        let series =
            self.has_series().then(|| (names.right(), widest(&|b| self.series_name(b.series), of_names)));
        let left =
            series.map_or(names.right(), |(at, width)| if width > 0.0 { at + width + rows::GAP } else { at });
        let figures = left + widest(&|b| self.figure(b), 0.3);
        let from = if figures > left { figures + rows::GAP } else { left + 1.0 };
        let scale = Scale { domain, from, to: canvas.width - INSET };
        Layout { names, series, figures, scale, right: canvas.width }
    }

    fn figure(&self, bar: &Bar) -> String {
        let value = bar.value.filter(|m| m.value.is_finite());
        value.map_or_else(String::new, |m| self.value.numbers.write_under(m.value, &self.value.title))
    }

    /// The label of a bar: at its end where there is room, before or
    /// behind its own limit, else in lines of its own below.
    fn tail(&self, layout: &Layout, bar: &Bar, words: &Words) -> (Option<(f64, String)>, Vec<String>) {
        let beyond = |r: &Reference| if r.value > layout.scale.domain.high { " →" } else { "" };
        let reference = bar.reference.as_ref().map(|r| format!("{}{}", clean(&r.label), beyond(r)));
        let value = bar.value.filter(|m| m.value.is_finite());
        let missing = (value.is_none() && bar.note.is_none()).then(|| words.say("chart-missing"));
        let parts = [missing, reference, bar.note.as_deref().map(clean)];
        let tail = join(parts.into_iter().flatten(), " · ");
        if tail.is_empty() {
            return (None, Vec::new());
        }
        let (scale, width) = (&layout.scale, TEXT.width(&tail));
        let ends = value.and_then(|m| rows::ends(scale, m.interval)).map(|e| e.1);
        let end = value.map(|m| scale.place(m.value));
        let start = [Some(scale.place(0.0)), end, ends].into_iter().flatten().fold(0.0, f64::max) + TO_TEXT;
        let own = bar.reference.as_ref().filter(|r| scale.domain.holds(r.value));
        let own = own.map(|r| scale.place(r.value)).filter(|x| *x > start - TO_TEXT);
        match own {
            Some(x) if start + width > x - TO_TEXT && x + TO_TEXT + width <= layout.right => {
                return (Some((x + TO_TEXT, tail)), Vec::new());
            }
            Some(x) if start + width > x - TO_TEXT => {}
            _ if start + width <= layout.right => return (Some((start, tail)), Vec::new()),
            _ => {}
        }
        let room = layout.right - layout.scale.from - TO_TEXT;
        let mut lines = TEXT.wrap(&tail, room, room, NOTE_LINES + usize::from(value.is_none()));
        // Without a bar there is room on its line.
        let inline = (value.is_none() && !lines.is_empty()).then(|| (scale.from + TO_TEXT, lines.remove(0)));
        (inline, lines)
    }

    fn bar_height(&self, layout: &Layout, bar: &Bar, words: &Words) -> f64 {
        PITCH + self.tail(layout, bar, words).1.len() as f64 * LINE
    }

    fn group_height(&self, layout: &Layout, group: &BarGroup, words: &Words) -> f64 {
        let bars: f64 = group.bars.iter().map(|b| self.bar_height(layout, b, words)).sum();
        let between = if group.bars.len() > 1 || layout.names.beside.is_none() { BETWEEN } else { 2.0 };
        layout.names.height(&group.label, bars) + between
    }

    fn draw_group(
        &self,
        canvas: &mut Canvas,
        layout: &Layout,
        group: &BarGroup,
        (y, height): (f64, f64),
        words: &Words,
    ) {
        let bars: f64 = group.bars.iter().map(|b| self.bar_height(layout, b, words)).sum();
        let inner = layout.names.height(&group.label, bars);
        let named = match group.bars.len() {
            // A single bar's name stands at the bar, not at its notes.
            1 => PITCH.max(layout.names.lines(&group.label).len() as f64 * LINE),
            _ => inner,
        };
        let start = layout.names.draw(canvas, &group.label, y, named);
        let mut at = match (layout.names.beside, group.bars.len()) {
            (None, _) => start,
            (Some(_), 1) => y + (named - PITCH) / 2.0,
            (Some(_), _) => y + (height - BETWEEN - bars).max(0.0) / 2.0,
        };
        for bar in &group.bars {
            self.draw_bar(canvas, layout, (group, bar), at, words);
            at += self.bar_height(layout, bar, words);
        }
    }

    fn draw_bar(
        &self,
        canvas: &mut Canvas,
        layout: &Layout,
        (group, bar): (&BarGroup, &Bar),
        y: f64,
        words: &Words,
    ) {
        let middle = y + PITCH / 2.0;
        if let Some((at, width)) = layout.series {
            canvas.text((at, middle + MIDDLE), "q", &TEXT.fit(&self.series_name(bar.series), width));
        }
        let scale = &layout.scale;
        if let Some(measured) = bar.value.filter(|m| m.value.is_finite()) {
            let told =
                format!("{}: {}", self.name(group, bar), self.value.numbers.measured(&measured, words));
            canvas.group(&series::colour(bar.series));
            let (zero, end) = (scale.place(0.0), scale.place(measured.value));
            if scale.domain.is_logarithmic() {
                canvas.path("f", &series::mark(bar.series, end, middle, 4.5), Some(&told));
            } else {
                let area = Area {
                    x: zero.min(end),
                    y: middle - BAR / 2.0,
                    width: (end - zero).abs().max(0.5),
                    height: BAR,
                };
                canvas.rect("f", area, Some(&told));
            }
            canvas.end();
            if let Some(whisker) = rows::whisker(scale, measured.interval, middle, 3.5) {
                canvas.path("h", &whisker, None);
            }
        }
        if let Some(own) = bar.reference.as_ref().filter(|r| scale.domain.holds(r.value)) {
            let half = BAR / 2.0 + 2.0;
            canvas.down(own.kind.class(), scale.place(own.value), middle - half, middle + half);
        }
        canvas.text((layout.figures, middle + MIDDLE), "e", &self.figure(bar));
        let (inline, below) = self.tail(layout, bar, words);
        if let Some((at, tail)) = inline {
            canvas.text((at, middle + MIDDLE), "q o", &tail);
        }
        let own = bar.reference.as_ref().filter(|r| scale.domain.holds(r.value));
        for (i, line) in below.iter().enumerate() {
            // At its mark, if it is about one, as far as the sheet allows.
            let (least, most) = (scale.from + TO_TEXT, layout.right - TEXT.width(line));
            let at = own.map_or(least, |r| scale.place(r.value) - TEXT.width(line) / 2.0);
            let at = at.min(most).max(least);
            canvas.text((at, y + PITCH + (i + 1) as f64 * LINE - 5.0), "q o", line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::check::texts;
    use super::super::{Numbers, ReferenceKind, svg};
    use super::*;
    use language::Language;
    use model::Unit;

    fn bar(series: usize, value: Option<f64>) -> Bar {
        let value = value.map(|v| Measured { value: v, interval: Some((v * 0.9, v * 1.05)) });
        Bar { series, value, reference: None, note: None }
    }

    fn two() -> Bars {
        let group = |label: &str, read: f64, write: Option<f64>| BarGroup {
            label: label.to_owned(),
            bars: vec![bar(0, Some(read)), bar(1, write)],
        };
        let mut plot = Bars {
            value: Axis {
                title: "throughput".to_owned(),
                numbers: Numbers::Unit(Unit::BytesPerSecond),
                spread: Spread::Auto,
            },
            series: vec!["read".to_owned(), "write".to_owned()],
            groups: vec![group("ext4", 541e6, Some(2e6)), group("XFS", 508e6, None)],
            references: vec![Reference {
                value: 560e6,
                label: "SATA 3: 560 MB/s".to_owned(),
                kind: ReferenceKind::Limit,
            }],
            better: Some(Better::Higher),
        };
        plot.groups[0].bars[1].note = Some("burst".to_owned());
        plot
    }

    #[test]
    fn bars_of_two_series_look_as_they_did() {
        insta::assert_snapshot!(svg(&two(), "throughput", Language::English.words()));
    }

    #[test]
    fn all_bars_have_names_figures_and_notes_at_both_widths() {
        for width in [760.0, 340.0] {
            let texts = texts(&two(), Language::English.words(), width);
            for text in [
                "ext4",
                "XFS",
                "read",
                "write",
                "541 MB/s",
                "2 MB/s",
                "burst",
                "not measured",
                "SATA 3: 560 MB/s",
            ] {
                assert!(texts.iter().any(|t| t == text), "{text} in {texts:?}");
            }
        }
    }

    #[test]
    fn bars_are_told_in_words() {
        assert_eq!(
            two().describe(Language::English.words()),
            "throughput of 4 cases. Highest: ext4, read with 541 MB/s. Lowest: ext4, write with 2 MB/s. That is \
             270 times as much. 1 without a value. SATA 3: 560 MB/s (limit): the highest value is 97 % of it."
        );
        assert_eq!(
            two().table(Language::English.words()).rows[3],
            ["XFS", "write", "not measured", "", "", ""]
        );
    }

    #[test]
    fn a_bar_is_as_long_as_its_value_though_values_span_decades() {
        let plot = two();
        let domain = plot.domain(&plot.drawn());
        assert_eq!((domain.low, domain.spread), (0.0, Spread::Linear));
    }

    #[test]
    fn a_group_of_too_many_bars_is_cut_and_not_lost() {
        let mut plot = two();
        plot.groups.truncate(1);
        plot.groups[0].bars = (0..60).map(|i| bar(i, Some(1e6))).collect();
        let texts = texts(&plot, Language::English.words(), 760.0);
        assert!(texts.iter().any(|t| t.starts_with("Of 60, 48 are drawn")), "{texts:?}");
    }

    #[test]
    fn of_very_many_bars_the_highest_and_the_lowest_are_drawn_and_that_is_said() {
        let mut plot = two();
        plot.groups = (0..500)
            .map(|i| BarGroup { label: format!("case {i}"), bars: vec![bar(0, Some(f64::from(i) * 1e6))] })
            .collect();
        let texts = texts(&plot, Language::English.words(), 760.0);
        assert!(texts.contains(&"case 499".to_owned()) && texts.contains(&"case 0".to_owned()));
        assert!(!texts.contains(&"case 250".to_owned()));
        assert!(texts.iter().any(|t| t.starts_with("Of 500, 48 are drawn")), "{texts:?}");
        assert_eq!(plot.table(Language::English.words()).rows.len(), 500);
    }
}
