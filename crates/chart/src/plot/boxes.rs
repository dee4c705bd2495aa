//! Every trial of every case: the spread that an interval sums up.

use language::Words;

use super::canvas::{Area, Canvas, MIDDLE, PathBuilder, TEXT};
use super::reference::Flags;
use super::rows::{self, Names};
use super::scale::{Base, Domain, Scale, with_intervals, with_references};
use super::ticks::TickDirection;
use super::{Axis, DataTable, Drawing, Measured, Numbers, Plot, Reference, frame, series, wording};
use crate::svg::clean;

/// A row a case: its trials as dots, from five on a box of the quartiles behind
/// them, and the estimate with its interval.
#[derive(Clone, Debug, PartialEq)]
pub struct Boxes {
    /// The axis of values.
    pub value: Axis,
    /// The rows, top to bottom.
    pub rows: Vec<BoxRow>,
    /// Lines across all of them.
    pub references: Vec<Reference>,
}

/// One case.
#[derive(Clone, Debug, PartialEq)]
pub struct BoxRow {
    /// What it is called.
    pub label: String,
    /// The trials, in the order they ran; one that gave no figure is no number.
    pub trials: Vec<f64>,
    /// What they say together.
    pub estimate: Option<Measured>,
    /// The place among them of one that lies apart from the others, where one does.
    pub apart: Option<usize>,
}

/// From so many trials on quartiles say something.
const BOXED: usize = 5;
/// More rows are not drawn; those that spread most are.
const MOST: usize = 40;
/// More trials than this get no tooltips.
const POINTED: usize = 12;
/// More trials of a row are drawn as a line from the least to the greatest.
const DOTTED: usize = 400;
/// Half the width of the ring around a trial that lies apart.
const RING: f64 = 6.0;
/// Half the height in which the trials of a row stand, and half a box.
const HALF: f64 = 9.0;
/// From the middle of the trials down to the estimate.
const BELOW: f64 = 16.0;
/// The height of a row beside its name.
const ROW: f64 = 44.0;

impl BoxRow {
    /// The trials that have a number, in their order.
    fn seen(&self) -> Vec<f64> {
        self.trials.iter().copied().filter(|v| v.is_finite()).collect()
    }

    /// The trial that lies apart: its place among those that have a number, and that number.
    fn apart(&self) -> Option<(usize, f64)> {
        let value = self.apart.and_then(|place| self.trials.get(place)).filter(|value| value.is_finite())?;
        let before = self.trials.iter().take(self.apart?).filter(|v| v.is_finite()).count();
        Some((before, *value))
    }

    fn sorted(&self) -> Vec<f64> {
        let mut sorted = self.seen();
        sorted.sort_by(f64::total_cmp);
        sorted
    }

    /// From the least to the greatest, as a share of the median.
    fn spread(&self) -> Option<f64> {
        let sorted = self.sorted();
        let median = quantile(&sorted, 0.5)?;
        let spread = (sorted.last()? - sorted.first()?) / median.abs();
        (sorted.len() > 1 && spread.is_finite()).then_some(spread)
    }
}

/// The quantile of sorted values by linear interpolation between closest ranks:
/// type 7 of Hyndman and Fan, "Sample Quantiles in Statistical Packages", 1996.
fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let rank = share * sorted.len().checked_sub(1)? as f64;
    let (low, high) = (sorted[rank.floor() as usize], sorted[rank.ceil() as usize]);
    // Halves first: the difference of great values would overflow.
    let part = rank.fract();
    Some(low * (1.0 - part) + high * part)
}

impl Boxes {
    /// The rows that are drawn: all of a few, of many those that spread most, in
    /// their order.
    fn drawn(&self) -> Vec<&BoxRow> {
        let mut order: Vec<usize> = (0..self.rows.len()).collect();
        if order.len() > MOST {
            let spread = |i: &usize| self.rows[*i].spread().unwrap_or(-1.0);
            order.sort_by(|a, b| spread(b).total_cmp(&spread(a)));
            order.truncate(MOST);
            order.sort_unstable();
        }
        order.into_iter().map(|i| &self.rows[i]).collect()
    }

    fn domain(&self, rows: &[&BoxRow]) -> Domain {
        let alone = |value: f64| Measured { value, interval: None };
        let trials = rows.iter().flat_map(|row| row.seen()).map(alone);
        let all: Vec<Measured> = trials.chain(rows.iter().filter_map(|row| row.estimate)).collect();
        let values = with_intervals(&all);
        let base = if self.is_relative() { Base::Free } else { Base::Near };
        Domain::of(&self.value, &with_references(&self.value, &values, &self.references), base, 6)
    }

    /// What the signs stand for, on as many lines as they need.
    fn key(&self, canvas: &mut Canvas, words: &Words, boxed: bool, y: f64) -> f64 {
        let estimate = if self.is_relative() { "boxes-estimate-relative" } else { "boxes-estimate" };
        let keys = [
            ("boxes-trial", true),
            ("boxes-apart", self.rows.iter().any(|row| row.apart().is_some())),
            ("boxes-box", boxed),
            (estimate, true),
        ];
        let shown = keys.into_iter().filter(|(_, is_drawn)| *is_drawn).map(|(key, _)| key);
        let text = shown.map(|key| words.say(key)).collect::<Vec<_>>().join(" · ");
        frame::heading(canvas, &text, y, "q")
    }

    fn row(&self, canvas: &mut Canvas, words: &Words, row: &BoxRow, scale: &Scale, middle: f64) {
        let (trials, sorted) = (row.seen(), row.sorted());
        canvas.group("c0");
        if sorted.len() >= BOXED
            && let (Some(low), Some(high)) = (quantile(&sorted, 0.25), quantile(&sorted, 0.75))
        {
            let (left, right) = (scale.place(low), scale.place(high));
            let area =
                Area { x: left, y: middle - HALF - 2.0, width: right - left, height: 2.0 * HALF + 4.0 };
            canvas.rect("k", area, None);
            if let Some(median) = quantile(&sorted, 0.5) {
                canvas.down("n", scale.place(median), middle - HALF - 2.0, middle + HALF + 2.0);
            }
        }
        if trials.len() > DOTTED {
            let (left, right) = (scale.place(sorted[0]), scale.place(sorted[sorted.len() - 1]));
            canvas.across("l", middle, left, right);
        } else {
            self.dots(canvas, words, row, &trials, scale, middle);
        }
        canvas.end();
        let Some(estimate) = row.estimate.filter(|m| m.value.is_finite()) else { return };
        let y = middle + BELOW;
        if let Some(whisker) = rows::whisker(scale, estimate.interval, y, 3.0) {
            canvas.path("h", &whisker, None);
        }
        let told = format!("{}: {}", clean(&row.label), self.value.numbers.measured(&estimate, words));
        canvas.path("h z", &series::mark(3, scale.place(estimate.value), y, 4.0), Some(&told));
    }

    /// The trials, the first on top, so that a drift is seen as a slope.
    fn dots(
        &self,
        canvas: &mut Canvas,
        words: &Words,
        row: &BoxRow,
        trials: &[f64],
        scale: &Scale,
        middle: f64,
    ) {
        let step = if trials.len() > 1 { 2.0 * HALF / (trials.len() - 1) as f64 } else { 0.0 };
        let top = if trials.len() > 1 { middle - HALF } else { middle };
        let places = trials.iter().enumerate().map(|(i, v)| (scale.place(*v), top + step * i as f64));
        if let Some((place, value)) = row.apart() {
            let ring = series::mark(0, scale.place(value), top + step * place as f64, RING);
            canvas.path("h", &ring, None);
        }
        if trials.len() > POINTED {
            let small = places.fold(PathBuilder::default(), |pen, (x, y)| {
                pen.jump(x - 1.2, y - 1.2).across(x + 1.2).up(y + 1.2).across(x - 1.2).close()
            });
            canvas.path("f", &small, None);
            return;
        }
        // Lines without a length have round ends: dots, in few bytes.
        let dots = places.fold(PathBuilder::default(), |pen, (x, y)| pen.jump(x, y).across(x));
        let values: Vec<String> = trials.iter().map(|v| self.value.numbers.write(*v)).collect();
        let arguments = [("name", wording::name(&row.label)), ("values", wording::text(values.join(", ")))];
        canvas.path("i", &dots, Some(&words.tell("boxes-said", &arguments)));
    }

    /// Whether values are ratios to each case's own median: then all estimates
    /// are 1, and their intervals are what differs.
    fn is_relative(&self) -> bool {
        self.value.numbers == Numbers::Times
    }

    /// For the right end of a row the estimate in figures; of ratios how far its
    /// interval reaches to either side: `−8 % +12 %`.
    fn figure(&self, row: &BoxRow) -> String {
        if self.is_relative() {
            let side = |ratio: f64| match Numbers::Share.write((ratio - 1.0).abs()) {
                share if ratio < 1.0 => format!("\u{2212}{share}"),
                share => format!("+{share}"),
            };
            let interval = row.estimate.and_then(|m| m.interval);
            let ends = interval.filter(|(low, high)| low.is_finite() && high.is_finite());
            return ends.map(|(low, high)| format!("{} {}", side(low), side(high))).unwrap_or_default();
        }
        row.estimate.map(|m| self.value.numbers.write_under(m.value, &self.value.title)).unwrap_or_default()
    }
}

impl Plot for Boxes {
    fn draw(&self, words: &Words, width: f64) -> Drawing {
        let rows = self.drawn();
        if rows.iter().all(|r| r.seen().is_empty() && r.estimate.is_none()) {
            return Canvas::nothing(words, width);
        }
        let mut canvas = Canvas::new(width);
        let domain = self.domain(&rows);
        let mut y = 0.0;
        if rows.len() < self.rows.len() {
            let arguments =
                [("shown", wording::count(rows.len())), ("count", wording::count(self.rows.len()))];
            y = frame::heading(&mut canvas, &words.tell("boxes-cut", &arguments), y, "q");
        }
        y = self.key(&mut canvas, words, rows.iter().any(|r| r.seen().len() >= BOXED), y);
        let names = Names::of(rows.iter().map(|r| r.label.as_str()), &canvas);
        let figures = rows.iter().map(|r| TEXT.width(&self.figure(r))).fold(0.0, f64::max);
        let (left, right) = (names.right() + 8.0, width - figures - 18.0);
        let scale = Scale { domain, from: left, to: right };
        let flags = Flags::of(&self.references, &scale, String::new(), width);
        let flags_top = y;
        y += flags.height() + 4.0;
        let top = y;
        let bottom = top + rows.iter().map(|r| names.height(&r.label, ROW)).sum::<f64>();
        let ticks = self.value.ticks(&scale, TickDirection::Across(0.0, width));
        rows::grid(&mut canvas, &ticks, top, bottom);
        canvas.across("a", bottom, left - 8.0, right + 8.0);
        for row in rows {
            let start = names.draw(&mut canvas, &row.label, y, ROW);
            let middle = start + HALF + 5.0;
            self.row(&mut canvas, words, row, &scale, middle);
            canvas.text((width, middle + BELOW + MIDDLE - 8.0), "e", &self.figure(row));
            y += names.height(&row.label, ROW);
        }
        flags.draw(&mut canvas, flags_top, bottom);
        // Nobody looks for the zero of ratios.
        let low = if self.is_relative() { 0.0 } else { domain.low };
        let title = frame::title(&self.value, &Domain { low, ..domain }, None, words);
        let end = frame::foot(&mut canvas, &ticks, bottom, (0.0, width), &title);
        canvas.finish(end)
    }

    fn describe(&self, words: &Words) -> String {
        let known = self.rows.iter().filter(|r| !r.seen().is_empty()).count();
        if known == 0 {
            return words.say("chart-nothing");
        }
        let arguments = [("value", wording::name(&self.value.title)), ("count", wording::count(known))];
        let mut sentences = vec![words.tell("boxes-describe", &arguments)];
        let spreads = || self.rows.iter().filter_map(|row| Some((row, row.spread()?)));
        if let Some((row, spread)) = spreads().max_by(|a, b| a.1.total_cmp(&b.1)) {
            let sorted = row.sorted();
            let write =
                |value: Option<&f64>| wording::text(self.value.numbers.write(*value.unwrap_or(&f64::NAN)));
            let arguments = [
                ("name", wording::name(&row.label)),
                ("low", write(sorted.first())),
                ("high", write(sorted.last())),
                ("share", wording::text(Numbers::Share.write(spread))),
            ];
            sentences.push(words.tell("boxes-widest", &arguments));
        }
        let closest = spreads().min_by(|a, b| a.1.total_cmp(&b.1));
        if let Some((row, spread)) = closest.filter(|_| spreads().count() > 1) {
            let share = wording::text(Numbers::Share.write(spread));
            let arguments = [("name", wording::name(&row.label)), ("share", share)];
            sentences.push(words.tell("boxes-closest", &arguments));
        }
        for row in &self.rows {
            if let (Some(place), Some((_, value))) = (row.apart, row.apart()) {
                let arguments = [
                    ("name", wording::name(&row.label)),
                    ("trial", wording::count(place + 1)),
                    ("value", wording::text(self.value.numbers.write(value))),
                ];
                sentences.push(words.tell("boxes-lies-apart", &arguments));
            }
        }
        sentences.join(" ")
    }

    fn table(&self, words: &Words) -> DataTable {
        let keys = ["name", "trials", "least", "lower", "median", "upper", "greatest", "point"];
        let head = keys.map(|key| words.say(&format!("boxes-{key}"))).to_vec();
        let row = |row: &BoxRow| {
            let sorted = row.sorted();
            let write = |value: Option<f64>| value.map(|v| self.value.numbers.write(v)).unwrap_or_default();
            let quartile = |share: f64| write(quantile(&sorted, share).filter(|_| sorted.len() >= BOXED));
            let estimate = row.estimate.map(|m| self.value.numbers.measured(&m, words));
            vec![
                clean(&row.label),
                sorted.len().to_string(),
                write(sorted.first().copied()),
                quartile(0.25),
                write(quantile(&sorted, 0.5)),
                quartile(0.75),
                write(sorted.last().copied()),
                estimate.unwrap_or_default(),
            ]
        };
        DataTable { head, rows: self.rows.iter().map(row).collect() }
    }
}

#[cfg(test)]
mod tests {
    use language::Language;

    use super::*;
    use crate::plot::check::{self, Dice};
    use crate::plot::path::corners;
    use crate::plot::{ReferenceKind, Spread};

    fn row(label: &str, trials: &[f64]) -> BoxRow {
        let estimate = Some(Measured { value: 100.0, interval: Some((98.0, 103.0)) });
        BoxRow { label: label.into(), trials: trials.to_vec(), estimate, apart: None }
    }

    fn chart(rows: Vec<BoxRow>) -> Boxes {
        let value = Axis { title: "IOPS".into(), numbers: Numbers::Count, spread: Spread::Auto };
        Boxes { value, rows, references: vec![] }
    }

    #[test]
    fn quartiles_are_those_of_r() {
        // quantile(c(1, 2, 4, 7, 11, 16), c(.25, .5, .75)) in R: 2.5, 5.5, 10.
        let sorted = [1.0, 2.0, 4.0, 7.0, 11.0, 16.0];
        assert_eq!([0.25, 0.5, 0.75].map(|share| quantile(&sorted, share).unwrap()), [2.5, 5.5, 10.0]);
        assert_eq!(quantile(&[], 0.5), None);
        assert_eq!(quantile(&[7.0], 0.25), Some(7.0));
    }

    #[test]
    fn four_trials_have_no_box_and_five_have_one() {
        let boxes = |trials: &[f64]| {
            let drawing = chart(vec![row("a", trials)]).draw(Language::English.words(), 760.0);
            let dots = check::paths(&drawing, "i").iter().map(|d| corners(d).len()).sum::<usize>();
            (check::paths(&drawing, "k").len(), dots)
        };
        assert_eq!(boxes(&[90.0, 95.0, 105.0, 110.0]), (0, 4));
        assert_eq!(boxes(&[90.0, 95.0, f64::NAN, 105.0, 110.0]), (0, 4));
        assert_eq!(boxes(&[90.0, 95.0, 100.0, 105.0, 110.0]), (1, 5));
    }

    #[test]
    fn trials_stand_from_top_to_bottom_in_their_order() {
        let drawing = chart(vec![row("a", &[90.0, 110.0, 100.0])]).draw(Language::English.words(), 760.0);
        let dots = corners(&check::paths(&drawing, "i")[0]).iter().map(|d| d[0]).collect::<Vec<_>>();
        assert!(dots[0].1 < dots[1].1 && dots[1].1 < dots[2].1, "{dots:?}");
        assert!(dots[0].0 < dots[2].0 && dots[2].0 < dots[1].0, "{dots:?}");
    }

    #[test]
    fn of_ratios_the_reach_of_the_interval_is_told_and_the_axis_leaves_zero_out() {
        let mut chart = chart(vec![row("a", &[0.9, 1.0, 1.12]), row("b", &[0.55, 1.0, 1.7])]);
        chart.value.numbers = Numbers::Times;
        for (row, interval) in chart.rows.iter_mut().zip([Some((0.92, 1.12)), None]) {
            row.estimate = Some(Measured { value: 1.0, interval });
        }
        let texts = check::texts(&chart, Language::English.words(), 760.0);
        assert!(texts.iter().any(|t| t == "\u{2212}8 % +12 %"), "{texts:?}");
        assert!(!texts.iter().any(|t| t == "0" || t == "1.00×"), "{texts:?}");
        check::hold(&chart, "ratios");
    }

    #[test]
    fn of_many_cases_those_that_spread_most_are_drawn_and_the_table_has_all() {
        let rows: Vec<BoxRow> = (0..500)
            .map(|i| row(&format!("case {i}"), &[100.0, 100.0 + f64::from(i * 7 % 500) / 10.0]))
            .collect();
        let chart = chart(rows);
        let words = Language::English.words();
        let texts = check::texts(&chart, words, 760.0);
        // 500 / 7 leaves a remainder: the widest is case 357 (2499 % 500).
        assert!(texts.iter().any(|t| t == "case 357") && !texts.iter().any(|t| t == "case 0"));
        assert!(texts[0].starts_with("The 40 of 500 cases"), "{}", texts[0]);
        assert_eq!(chart.table(words).rows.len(), 500);
        check::hold(&chart, "500 cases");
    }

    #[test]
    fn a_trial_that_lies_apart_has_a_ring_and_is_told() {
        let words = Language::English.words();
        let mut chart = chart(vec![row("a", &[99.0, 100.0, 41.0, 101.0]), row("b", &[99.0, 100.0])]);
        let rings = |chart: &Boxes| check::paths(&chart.draw(words, 760.0), "h").len();
        let without = rings(&chart);
        let key = words.say("boxes-apart");
        let is_in_key =
            |chart: &Boxes| check::texts(chart, words, 760.0).iter().any(|text| text.contains(&key));
        assert!(!is_in_key(&chart));
        chart.rows[0].apart = Some(2);
        assert_eq!(rings(&chart), without + 1);
        assert!(is_in_key(&chart));
        let said = chart.describe(words);
        assert!(said.ends_with("Trial 3 of a lies apart, at 41."), "{said}");
        // Those that gave no figure are counted, and not drawn.
        chart.rows[0].trials.insert(0, f64::NAN);
        chart.rows[0].apart = Some(3);
        assert_eq!(rings(&chart), without + 1);
        let said = chart.describe(words);
        assert!(said.ends_with("Trial 4 of a lies apart, at 41."), "{said}");
        chart.rows[0].trials.remove(0);
        // A place that no trial has marks nothing.
        chart.rows[0].apart = Some(4);
        assert_eq!(rings(&chart), without);
        check::hold(&chart, "apart");
    }

    #[test]
    fn words_name_the_widest_and_the_closest() {
        let words = Language::English.words();
        let chart = chart(vec![row("a", &[90.0, 100.0, 110.0]), row("b", &[99.0, 100.0, 101.0])]);
        assert_eq!(
            chart.describe(words),
            "Every trial of 2 cases: IOPS. The trials of a differ most, from 90 to 110 (20 % of their median). \
             Those of b differ least, by 2 %."
        );
        assert_eq!(chart.table(words).rows[0], ["a", "3", "90", "", "100", "", "110", "100 (98 to 103)"]);
    }

    #[test]
    fn boxes_look_as_they_did() {
        let limit = Reference { value: 120.0, label: "limit: 120".into(), kind: ReferenceKind::Limit };
        let rows = vec![row("read", &[99.0, 101.0, 97.0, 104.0, 100.0]), row("write", &[96.0, 108.0, 90.0])];
        let chart = Boxes { references: vec![limit], ..chart(rows) };
        insta::assert_snapshot!(crate::plot::svg(&chart, "Trials", Language::English.words()));
    }

    #[test]
    fn whatever_comes_is_drawn_within_the_sheet() {
        let mut dice = Dice(21);
        check::hold(&chart(vec![]), "no rows");
        for round in 0..60 {
            let row = |dice: &mut Dice| {
                let trials = (0..[0, 1, 3, 7, 30, 900][dice.below(6)]).map(|_| dice.value()).collect();
                let measured = Measured { value: dice.value(), interval: Some((dice.value(), dice.value())) };
                let estimate = (dice.below(3) > 0).then_some(measured);
                let apart = (dice.below(3) > 0).then(|| dice.below(8));
                BoxRow { label: dice.name(), trials, estimate, apart }
            };
            let rows = (0..dice.below(9)).map(|_| row(&mut dice)).collect();
            let references = (0..dice.below(3))
                .map(|_| Reference { value: dice.value(), label: dice.name(), kind: ReferenceKind::Limit })
                .collect();
            check::hold(&Boxes { references, ..chart(rows) }, &format!("round {round}"));
        }
    }
}
