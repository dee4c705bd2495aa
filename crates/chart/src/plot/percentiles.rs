//! Percentiles on an axis of nines: 90, 99, 99.9 %. As far as it is from 90 to
//! 99 it is from 99 to 99.9, so that the tail is seen as well as the middle
//! (after HdrHistogram's plots, G. Tene).

use language::{Words, format};

use super::canvas::{Canvas, LINE, MIDDLE, TEXT};
use super::frame::{self, Frame, TickedAxis};
use super::path::{Path, simplify};
use super::scale::{Base, Domain, Scale, with_references};
use super::series::{self, Sample};
use super::ticks::{self, Tick, TickDirection};
use super::{Axis, DataTable, Drawing, Numbers, Plot, Reference, numbers, reference, wording};
use crate::svg::clean;

/// Values against the share of operations that are no greater.
#[derive(Clone, Debug, PartialEq)]
pub struct Percentiles {
    /// The axis of values.
    pub value: Axis,
    /// The curves.
    pub curves: Vec<Curve>,
    /// Lines across.
    pub references: Vec<Reference>,
}

/// One distribution.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Its name; empty where it is the only one.
    pub name: String,
    /// Shares (0 to below 1) and the values at them, ascending; nothing beyond
    /// what the count supports.
    pub points: Vec<(f64, f64)>,
    /// How many operations it rests on.
    pub count: u64,
}

/// The shares that people ask for, in the order in which they are named where
/// not all have room.
const NAMED: [f64; 10] = [0.99, 0.5, 0.999, 0.9, 0.9999, 0.99999, 0.999_999, 0.0, 0.999_999_9, 0.999_999_99];
/// Those in the table and in words.
const TOLD: [f64; 6] = [0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999];
/// More nines no count supports.
const MOST_NINES: f64 = 10.0;
const WIDEST: f64 = 170.0;
/// More curves than this are not drawn.
const MOST: usize = 12;
/// At most so many curves are described in words.
const SAID: usize = 4;
/// A line less bent than this, in pixels, is straight.
const STRAIGHT: f64 = 0.3;

/// How many nines a share has: 0.99 has 2.
fn nines(share: f64) -> f64 {
    (-(1.0 - share).log10()).clamp(0.0, MOST_NINES)
}

/// A share with as many digits as its nines need, never rounded up: `99.9 %`.
fn percent(share: f64) -> String {
    let decimals = (nines(share).floor() as i32 - 1).clamp(0, 8);
    let scale = 10f64.powi(decimals);
    let down = (share * 100.0 * scale + 1e-4).floor() / scale;
    format!("{} %", format::trimmed(format::fixed(down, decimals as usize, "")))
}

impl Curve {
    fn seen(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        self.points.iter().copied().filter(|(share, value)| (0.0..1.0).contains(share) && value.is_finite())
    }

    /// The value that a share of operations does not exceed; `None` beyond what
    /// is known.
    fn at(&self, share: f64) -> Option<f64> {
        self.seen().find(|(s, _)| *s >= share - 1e-12).map(|(_, value)| value)
    }
}

impl Percentiles {
    fn drawn(&self) -> &[Curve] {
        &self.curves[..self.curves.len().min(MOST)]
    }

    fn shares(&self, (left, right): (f64, f64), width: f64) -> TickedAxis {
        let reached = self.drawn().iter().flat_map(Curve::seen).map(|(share, _)| nines(share));
        let last = reached.fold(1.0, f64::max);
        let scale = Scale { domain: Domain::exact(0.0, last, 1.0), from: left, to: right };
        let along = TickDirection::Across(0.0, width);
        let mut ticks: Vec<Tick> = Vec::new();
        for share in NAMED.into_iter().filter(|share| nines(*share) <= last + 1e-9) {
            let mut tried = ticks.clone();
            tried.push(ticks::tick(scale.place(nines(share)), percent(share), along));
            tried.sort_by(|a, b| a.at.total_cmp(&b.at));
            if ticks::fits(&tried, along) {
                ticks = tried;
            }
        }
        TickedAxis { scale, ticks }
    }

    /// Whether names stand at the ends of lines, and the room that they take.
    fn room(&self, canvas: &Canvas) -> Option<f64> {
        let names = self.drawn().iter().map(|c| TEXT.width(&clean(&c.name)));
        let widest = names.fold(0.0, f64::max).min(WIDEST);
        (canvas.is_pointed() && widest > 0.0).then_some(widest + 16.0)
    }

    fn curve(&self, canvas: &mut Canvas, index: usize, frame: &Frame) -> Vec<(f64, f64)> {
        let curve = &self.curves[index];
        let place = |(share, value)| (frame.x.scale.place(nines(share)), frame.y.scale.place(value));
        let points: Vec<(f64, f64)> = curve.seen().map(place).collect();
        canvas.group(&series::class(index));
        canvas.path("l", &Path::through(simplify(&points, STRAIGHT)).pen(), None);
        for share in TOLD {
            let Some(value) = curve.at(share) else { continue };
            let (x, y) = place((share, value));
            let told =
                format!("{} {}: {}", clean(&curve.name), percent(share), self.value.numbers.write(value));
            canvas.path("f", &series::mark(index, x, y, 3.2), Some(told.trim_start()));
        }
        canvas.end();
        points
    }

    fn names(&self, canvas: &mut Canvas, frame: &Frame, ends: &[(usize, f64, f64)]) {
        let wanted: Vec<f64> = ends.iter().map(|(_, _, y)| *y).collect();
        let Some(placed) = series::apart(&wanted, LINE - 2.0, (frame.top, frame.bottom)) else { return };
        for ((index, x, y), at) in ends.iter().zip(placed) {
            let name = TEXT.fit(&clean(&self.curves[*index].name), WIDEST);
            canvas.group(&series::colour(*index));
            let leader = Path::through([(x + 4.0, *y), (frame.right + 2.0, *y), (frame.right + 10.0, at)]);
            canvas.path("n0", &leader.pen(), None);
            canvas.end();
            canvas.text((frame.right + 13.0, at + MIDDLE), "", &name);
        }
    }

    fn frame(&self, width: f64, top: f64, room: f64) -> Frame {
        let height = if room > 0.0 || width > 500.0 { 260.0 } else { 220.0 };
        let values: Vec<f64> = self.drawn().iter().flat_map(Curve::seen).map(|(_, value)| value).collect();
        let values = with_references(&self.value, &values, &self.references);
        let domain = Domain::of(&self.value, &values, Base::Near, 6);
        let scale = Scale { domain, from: top + height, to: top };
        let y = TickedAxis::new(&self.value, scale, TickDirection::Up);
        let left = Frame::left_of(&y.ticks);
        let right = width - if room > 0.0 { room } else { 10.0 };
        let x = self.shares((left + 14.0, right), width);
        Frame { x, y, left, right, top, bottom: top + height }
    }
}

impl Plot for Percentiles {
    fn draw(&self, words: &Words, width: f64) -> Drawing {
        if self.drawn().iter().all(|c| c.seen().next().is_none()) {
            return Canvas::nothing(words, width);
        }
        let mut canvas = Canvas::new(width);
        let room = self.room(&canvas).unwrap_or(0.0);
        let domain = self.frame(width, 0.0, room).y.scale.domain;
        let mut y = frame::heading(&mut canvas, &frame::title(&self.value, &domain, None, words), 0.0, "q");
        let (on, off) = reference::split(&self.references, &domain, ("↓", "↑"));
        for told in off {
            y = frame::heading(&mut canvas, &told, y, "w");
        }
        if room == 0.0 && self.drawn().iter().any(|c| !c.name.is_empty()) {
            let entries: Vec<(usize, String)> =
                self.drawn().iter().enumerate().map(|(i, c)| (i, c.name.clone())).collect();
            y +=
                4.0 + series::legend(&mut canvas, &entries, Sample::Line, (0.0, y + LINE / 2.0 + 2.0), words);
        }
        let frame = self.frame(width, y + 10.0, room);
        for tick in &frame.x.ticks {
            canvas.down("g", tick.at, frame.top, frame.bottom);
        }
        let end = frame.draw(&mut canvas, &words.say("percentiles-axis"));
        let mut all = Vec::new();
        let mut ends = Vec::new();
        for index in 0..self.drawn().len() {
            let points = self.curve(&mut canvas, index, &frame);
            ends.extend(points.last().map(|(x, y)| (index, *x, *y)));
            all.extend(points);
        }
        let area = (frame.left, frame.right, frame.top, frame.bottom);
        reference::across(&mut canvas, &on, |value| frame.y.scale.place(value), area, &all);
        if room > 0.0 {
            self.names(&mut canvas, &frame, &ends);
        }
        canvas.finish(end)
    }

    fn describe(&self, words: &Words) -> String {
        let known: Vec<&Curve> = self.curves.iter().filter(|c| c.seen().next().is_some()).collect();
        if known.is_empty() {
            return words.say("chart-nothing");
        }
        let write = |value: f64| wording::text(self.value.numbers.write(value));
        let mut sentences =
            vec![words.tell("percentiles-describe", &[("value", wording::name(&self.value.title))])];
        for curve in known.iter().take(SAID) {
            let item = |share: f64| {
                let arguments =
                    [("share", wording::text(percent(share))), ("value", write(curve.at(share)?))];
                Some(words.tell("percentiles-item", &arguments))
            };
            let list: Vec<String> = [0.5, 0.99, 0.999].into_iter().filter_map(item).collect();
            let key = if curve.name.is_empty() { "percentiles-said-alone" } else { "percentiles-said" };
            let arguments = [
                ("name", wording::name(&curve.name)),
                ("list", wording::text(list.join(", "))),
                ("count", wording::text(Numbers::Count.write(curve.count as f64))),
                ("number", wording::count(curve.count as usize)),
            ];
            if !list.is_empty() {
                sentences.push(words.tell(key, &arguments));
            }
        }
        sentences.extend(wording::rest(words, "percentiles-rest", known.len(), SAID));
        sentences.extend(stands_out(&known, words));
        sentences.join(" ")
    }

    fn table(&self, words: &Words) -> DataTable {
        let mut head = vec![words.say("percentiles-name"), words.say("percentiles-count")];
        let reached = |share: f64| self.curves.iter().any(|c| c.at(share).is_some());
        let shares: Vec<f64> = TOLD.into_iter().filter(|share| reached(*share)).collect();
        head.extend(shares.iter().map(|share| percent(*share)));
        let row = |curve: &Curve| {
            let mut row = vec![clean(&curve.name), Numbers::Count.write(curve.count as f64)];
            let told = |share: &f64| match curve.at(*share) {
                Some(value) => self.value.numbers.write(value),
                None => words.say("percentiles-too-few"),
            };
            row.extend(shares.iter().map(told));
            row
        };
        DataTable { head, rows: self.curves.iter().map(row).collect() }
    }
}

/// Of one curve how far its tail is from its middle; of several how far the
/// worst is from the best, at the last of the usual shares that all have.
fn stands_out(curves: &[&Curve], words: &Words) -> Option<String> {
    let share = TOLD.into_iter().rev().find(|share| curves.iter().all(|c| c.at(*share).is_some()))?;
    let times = |a: f64, b: f64| (b > 0.0 && a / b >= 1.05).then(|| wording::text(numbers::times(a / b)));
    if let [only] = curves {
        let times = times(only.at(share)?, only.at(0.5)?)?;
        let arguments = [("share", wording::text(percent(share))), ("times", times)];
        return (share > 0.5).then(|| words.tell("percentiles-tail", &arguments));
    }
    let by = |a: &&&Curve, b: &&&Curve| a.at(share).unwrap_or(0.0).total_cmp(&b.at(share).unwrap_or(0.0));
    let (worst, best) = (curves.iter().max_by(by)?, curves.iter().min_by(by)?);
    let arguments = [
        ("share", wording::text(percent(share))),
        ("name", wording::name(&worst.name)),
        ("times", times(worst.at(share)?, best.at(share)?)?),
        ("other", wording::name(&best.name)),
    ];
    Some(words.tell("percentiles-worst", &arguments))
}

#[cfg(test)]
mod tests {
    use language::Language;
    use model::Unit;

    use super::*;
    use crate::plot::check::{self, Dice};
    use crate::plot::{ReferenceKind, Spread};

    fn latency() -> Axis {
        Axis { title: "latency".into(), numbers: Numbers::Unit(Unit::Seconds), spread: Spread::Auto }
    }

    fn one(name: &str, factor: f64) -> Curve {
        let points = vec![(0.0, 8e-5), (0.5, 1e-4), (0.9, 2e-4), (0.99, 1e-3), (0.999, 4e-3)];
        let points = points.into_iter().map(|(s, v)| (s, v * factor)).collect();
        Curve { name: name.into(), points, count: 20_000 }
    }

    fn chart(curves: Vec<Curve>) -> Percentiles {
        Percentiles { value: latency(), curves, references: vec![] }
    }

    #[test]
    fn a_share_has_as_many_nines_as_it_says_and_is_never_rounded_up() {
        let said = [0.0, 0.5, 0.9, 0.99, 0.993, 0.999, 0.9999, 0.99996, 0.999_999_9].map(percent);
        assert_eq!(
            said,
            ["0 %", "50 %", "90 %", "99 %", "99.3 %", "99.9 %", "99.99 %", "99.996 %", "99.99999 %"]
        );
        assert_eq!(percent(1.0 - 1e-9), "99.9999999 %");
    }

    #[test]
    fn a_nine_more_is_as_far_as_the_one_before() {
        let ruler = chart(vec![one("a", 1.0)]).shares((0.0, 300.0), 300.0);
        for (share, at) in [(0.0, 0.0), (0.9, 100.0), (0.99, 200.0), (0.999, 300.0)] {
            assert!((ruler.scale.place(nines(share)) - at).abs() < 1e-6, "{share}");
        }
    }

    #[test]
    fn nothing_is_told_beyond_what_the_count_supports() {
        let mut few = one("few", 1.0);
        few.points.truncate(3);
        let words = Language::English.words();
        let table = chart(vec![one("many", 2.0), few]).table(words);
        assert_eq!(table.head, ["Distribution", "Operations", "50 %", "90 %", "99 %", "99.9 %"]);
        assert_eq!(table.rows[0][2..], ["200 us", "400 us", "2 ms", "8 ms"]);
        assert_eq!(table.rows[1][2..], ["100 us", "200 us", "too few operations", "too few operations"]);
    }

    #[test]
    fn words_say_the_middle_the_tail_and_the_worst() {
        let words = Language::English.words();
        assert_eq!(
            chart(vec![one("", 1.0)]).describe(words),
            "Percentiles of latency. 50 % at most 100 us, 99 % at most 1 ms, 99.9 % at most 4 ms \
             (20000 operations). At 99.9 % it is 40.0 times the median."
        );
        let two = chart(vec![one("depth 1", 1.0), one("depth 8", 3.0)]).describe(words);
        assert!(two.ends_with("At 99.9 %, depth 8 is 3.00 times depth 1."), "{two}");
        assert_eq!(chart(vec![]).describe(words), "Nothing was measured.");
    }

    #[test]
    fn the_last_point_is_drawn_however_near_it_is() {
        let mut curve = one("", 1.0);
        curve.points.extend((0..5000).map(|i| (0.999 + f64::from(i) * 1e-8, 4e-3 + f64::from(i) * 1e-9)));
        let drawing = chart(vec![curve.clone()]).draw(Language::English.words(), 760.0);
        let line = check::paths(&drawing, "l").remove(0);
        assert!(line.len() < 400, "{}", line.len());
        let end = *crate::plot::path::corners(&line)[0].last().unwrap();
        assert!((end.0 - 750.0).abs() < 0.2, "{end:?}");
    }

    #[test]
    fn two_curves_look_as_they_did() {
        let mut chart = chart(vec![one("depth 1", 1.0), one("depth 8", 3.0)]);
        let promise =
            Reference { value: 0.01, label: "promised: 10 ms".into(), kind: ReferenceKind::Promise };
        chart.references.push(promise);
        insta::assert_snapshot!(crate::plot::svg(&chart, "Latency", Language::English.words()));
    }

    #[test]
    fn whatever_comes_is_drawn_within_the_sheet() {
        let mut dice = Dice(5);
        check::hold(&chart(vec![]), "no curves");
        for round in 0..80 {
            let curve = |dice: &mut Dice| {
                let points =
                    (0..dice.below(40)).map(|i| (1.0 - 0.7f64.powi(i as i32), dice.value())).collect();
                Curve { name: dice.name(), points, count: dice.roll() }
            };
            let curves = (0..dice.below(16)).map(|_| curve(&mut dice)).collect();
            let references = (0..dice.below(3))
                .map(|_| Reference { value: dice.value(), label: dice.name(), kind: ReferenceKind::Promise })
                .collect();
            let value = Axis { title: dice.name(), ..latency() };
            check::hold(&Percentiles { value, curves, references }, &format!("round {round}"));
        }
    }
}
