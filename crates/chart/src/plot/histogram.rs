//! How often each value occurred.

use language::Words;

use super::canvas::{Area, Canvas};
use super::frame::{self, Frame, TickedAxis};
use super::path::Path;
use super::reference::Flags;
use super::scale::{Base, Domain, Scale, ends};
use super::ticks::{self, TickDirection};
use super::{Axis, DataTable, Drawing, Numbers, Plot, Reference, Spread, wording};

/// A histogram. Bins may differ in width; on a logarithmic axis their areas
/// are as they look.
#[derive(Clone, Debug, PartialEq)]
pub struct Histogram {
    /// The axis of values.
    pub value: Axis,
    /// The bins, ascending, without overlap.
    pub bins: Vec<Bin>,
    /// Values to be named: the median, the 99th percentile.
    pub references: Vec<Reference>,
}

/// One bin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bin {
    /// Its least value.
    pub low: f64,
    /// Its greatest value.
    pub high: f64,
    /// How many values lie in it.
    pub count: u64,
}

/// Narrower bins are drawn as one.
const NARROWEST: f64 = 3.0;
/// The least height of a bar that stands for something: one value among
/// millions is seen.
const LOWEST: f64 = 1.5;
/// Bars that differ less than this in width are compared by their heights.
const EVEN: f64 = 0.1;
/// More bars than this tell nothing to a pointer.
const POINTED: usize = 48;
const ROWS: usize = 24;
/// What a range must hold to be called where most lie.
const MOST: f64 = 0.8;

/// Bins side by side as one bar, in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Bar {
    left: f64,
    right: f64,
    bin: Bin,
}

impl Histogram {
    /// Bins that make sense.
    fn seen(&self) -> Vec<Bin> {
        let usable = |b: &&Bin| b.low.is_finite() && b.high.is_finite() && b.low < b.high;
        let mut last = f64::NEG_INFINITY;
        let mut ascends = |b: &&Bin| {
            b.low >= last && {
                last = b.high;
                true
            }
        };
        self.bins.iter().filter(usable).filter(|b| ascends(b)).copied().collect()
    }

    /// The axis of values: of bins that hold something, and of what is between.
    fn domain(&self, bins: &[Bin]) -> Domain {
        let mut edges: Vec<f64> = bins.iter().filter(|b| b.count > 0).flat_map(|b| [b.low, b.high]).collect();
        let positive = edges.iter().filter(|e| **e > 0.0).count();
        // A first bin that begins at zero does not forbid a logarithm.
        if edges.first() == Some(&0.0) && positive + 1 == edges.len() && edges.len() > 8 {
            edges.remove(0);
        }
        let mut axis = self.value.clone();
        if axis.spread == Spread::Doublings {
            axis.spread = Spread::Decades;
        }
        Domain::of(&axis, &edges, Base::Data, 7)
    }

    fn bars(bins: &[Bin], scale: &Scale) -> Vec<Bar> {
        let mut bars: Vec<Bar> = Vec::new();
        for bin in bins {
            let (left, right) = (scale.place(bin.low), scale.place(bin.high));
            match bars.last_mut() {
                Some(last) if last.right - last.left < NARROWEST && left - last.right < 0.5 => {
                    last.right = right;
                    last.bin.high = bin.high;
                    last.bin.count = last.bin.count.saturating_add(bin.count);
                }
                _ => bars.push(Bar { left, right, bin: *bin }),
            }
        }
        bars.retain(|b| b.bin.count > 0 && b.right > b.left);
        bars
    }

    /// Draws the bars; `place` puts a height's share on the sheet.
    fn draw_bars(&self, canvas: &mut Canvas, bars: &[(Bar, f64)], ground: f64, all: f64, words: &Words) {
        canvas.group("c0");
        if bars.len() <= POINTED && canvas.is_pointed() {
            for (bar, top) in bars {
                let area = Area { x: bar.left, y: *top, width: bar.right - bar.left, height: ground - top };
                canvas.rect("s", area, Some(&self.told(&bar.bin, all, words)));
            }
        } else {
            let mut path = Path::default();
            for run in bars.chunk_by(|(a, _), (b, _)| b.left - a.right < 0.5) {
                path.go(run[0].0.left, ground);
                for (bar, top) in run {
                    path.line(path.x(), *top);
                    path.line(bar.right, *top);
                }
                path.line(path.x(), ground);
                path.close();
            }
            canvas.path("s", &path.pen(), None);
        }
        canvas.end();
    }

    fn told(&self, bin: &Bin, all: f64, words: &Words) -> String {
        let write = |value: f64| wording::text(self.value.numbers.write(value));
        let arguments = [
            ("low", write(bin.low)),
            ("high", write(bin.high)),
            ("count", wording::text(Numbers::Count.write(bin.count as f64))),
            ("share", wording::text(Numbers::Share.write(bin.count as f64 / all))),
        ];
        words.tell("histogram-bin", &arguments)
    }
}

fn sum(bins: &[Bin]) -> f64 {
    bins.iter().map(|b| b.count as f64).sum()
}

/// Whether the widths of bars are alike, so that heights can be compared.
fn is_even(bars: &[Bar]) -> bool {
    let (least, most) = ends(bars.iter().map(|b| b.right - b.left));
    most <= least * (1.0 + EVEN)
}

/// The fewest bins side by side that hold most of all.
fn most(bins: &[Bin]) -> Option<(Bin, f64)> {
    let all = sum(bins);
    let (mut from, mut held) = (0, 0.0);
    let mut best: Option<(usize, usize, f64)> = None;
    for to in 0..bins.len() {
        held += bins[to].count as f64;
        while held - bins[from].count as f64 >= MOST * all && from < to {
            held -= bins[from].count as f64;
            from += 1;
        }
        if held >= MOST * all && best.is_none_or(|(a, b, _)| to - from < b - a) {
            best = Some((from, to, held));
        }
    }
    let (from, to, held) = best?;
    Some((Bin { low: bins[from].low, high: bins[to].high, count: held as u64 }, held / all))
}

impl Plot for Histogram {
    fn draw(&self, words: &Words, width: f64) -> Drawing {
        let bins = self.seen();
        let all = sum(&bins);
        if all == 0.0 {
            return Canvas::nothing(words, width);
        }
        let mut canvas = Canvas::new(width);
        let height = if canvas.is_pointed() { 200.0 } else { 160.0 };
        let domain = self.domain(&bins);
        // The labels of heights are no wider than this.
        let left = 46.0;
        let right = width - 10.0;
        let x = Scale { domain, from: left, to: right };
        let bars = Self::bars(&bins, &x);
        let even = is_even(&bars);
        let share = |bar: &Bar| {
            let share = bar.bin.count as f64 / all;
            if even { share } else { share / (bar.right - bar.left) }
        };
        let heights: Vec<f64> = bars.iter().map(share).collect();
        let key = if even { "histogram-by-height" } else { "histogram-by-area" };
        let mut y = frame::heading(&mut canvas, &words.say(key), 0.0, "q");
        let flags = Flags::of(&self.references, &x, String::new(), width);
        y += flags.height() + 6.0;
        let (top, bottom) = (y, y + height);
        let axis = Axis { title: String::new(), numbers: Numbers::Share, spread: Spread::Linear };
        let up = Domain::of(&axis, &heights, Base::Zero, 4);
        let up = Scale { domain: up, from: bottom, to: top };
        let labels = if even { ticks::ticks(&up, Numbers::Share, "", TickDirection::Up) } else { Vec::new() };
        let title = frame::title(&self.value, &Domain { low: 0.0, ..domain }, None, words);
        let frame = Frame {
            x: TickedAxis::new(&self.value, x, TickDirection::Across(0.0, width)),
            y: TickedAxis { scale: up, ticks: labels },
            left,
            right,
            top,
            bottom,
        };
        let end = frame.draw(&mut canvas, &title);
        let tops: Vec<(Bar, f64)> =
            bars.iter().zip(&heights).map(|(bar, h)| (*bar, up.place(*h).min(bottom - LOWEST))).collect();
        self.draw_bars(&mut canvas, &tops, bottom, all, words);
        flags.draw(&mut canvas, top - flags.height() - 6.0, bottom);
        canvas.finish(end)
    }

    fn describe(&self, words: &Words) -> String {
        let bins = self.seen();
        let full: Vec<&Bin> = bins.iter().filter(|b| b.count > 0).collect();
        let (Some(first), Some(last)) = (full.first(), full.last()) else {
            return words.say("chart-nothing");
        };
        let write = |value: f64| wording::text(self.value.numbers.write(value));
        let arguments = [
            ("value", wording::name(&self.value.title)),
            ("count", wording::text(Numbers::Count.write(sum(&bins)))),
            ("low", write(first.low)),
            ("high", write(last.high)),
        ];
        let mut sentences = vec![words.tell("histogram-describe", &arguments)];
        if let Some((range, share)) = most(&bins).filter(|_| full.len() > 2) {
            let share = wording::text(Numbers::Share.write(share));
            let arguments = [("share", share), ("low", write(range.low)), ("high", write(range.high))];
            sentences.push(words.tell("histogram-most", &arguments));
        }
        let named = self.references.iter().map(|r| crate::svg::clean(&r.label)).filter(|l| !l.is_empty());
        let named: Vec<String> = named.take(6).collect();
        if !named.is_empty() {
            sentences.push(format!("{}.", named.join(", ")));
        }
        sentences.join(" ")
    }

    fn table(&self, words: &Words) -> DataTable {
        let keys = ["from", "to", "count", "share", "so-far"];
        let head = keys.map(|key| words.say(&format!("histogram-{key}"))).to_vec();
        let bins: Vec<Bin> = self.seen().into_iter().filter(|b| b.count > 0).collect();
        let all = sum(&bins);
        let mut so_far = 0.0;
        let row = |group: &[Bin]| {
            let (count, first, last) = (sum(group), group.first()?, group.last()?);
            so_far += count;
            let write = |value: f64| self.value.numbers.write(value);
            let share = |count: f64| Numbers::Share.write(count / all);
            Some(vec![
                write(first.low),
                write(last.high),
                Numbers::Count.write(count),
                share(count),
                share(so_far),
            ])
        };
        let rows = bins.chunks(bins.len().div_ceil(ROWS).max(1)).filter_map(row).collect();
        DataTable { head, rows }
    }
}

#[cfg(test)]
mod tests {
    use language::Language;
    use model::Unit;

    use super::*;
    use crate::plot::ReferenceKind;
    use crate::plot::check::{self, Dice};
    use crate::plot::path::corners;

    fn chart(bins: &[(f64, f64, u64)]) -> Histogram {
        let value =
            Axis { title: "latency".into(), numbers: Numbers::Unit(Unit::Seconds), spread: Spread::Auto };
        let bins =
            bins.iter().map(|(low, high, count)| Bin { low: *low, high: *high, count: *count }).collect();
        Histogram { value, bins, references: vec![] }
    }

    fn boxes(chart: &Histogram) -> Vec<(f64, f64)> {
        let drawing = chart.draw(Language::English.words(), 760.0);
        let corners = check::paths(&drawing, "s").into_iter().flat_map(|d| corners(&d));
        let size = |points: Vec<(f64, f64)>| (points[1].0 - points[0].0, points[2].1 - points[1].1);
        corners.map(size).collect()
    }

    #[test]
    fn areas_are_shares_where_bins_differ_in_width() {
        let all = boxes(&chart(&[(0.0, 1.0, 10), (1.0, 3.0, 10), (3.0, 4.0, 20)]));
        let areas: Vec<f64> = all.iter().map(|(w, h)| w * h).collect();
        assert!(
            (areas[1] / areas[0] - 1.0).abs() < 0.02 && (areas[2] / areas[0] - 2.0).abs() < 0.02,
            "{all:?}"
        );
    }

    #[test]
    fn bins_that_are_even_on_the_axis_are_told_by_height() {
        let bins: Vec<(f64, f64, u64)> =
            (0..10).map(|i| (1e-5 * 2f64.powi(i), 1e-5 * 2f64.powi(i + 1), 1 + i as u64)).collect();
        let all = boxes(&chart(&bins));
        assert!((all[9].1 / all[0].1 - 10.0).abs() < 0.3, "{all:?}");
        let texts = check::texts(&chart(&bins), Language::English.words(), 760.0);
        assert!(texts.iter().any(|t| t == "share of values"), "{texts:?}");
    }

    #[test]
    fn one_value_among_millions_is_seen() {
        let all = boxes(&chart(&[(0.0, 1.0, 50_000_000), (1.0, 2.0, 0), (2.0, 3.0, 1)]));
        assert_eq!(all.len(), 2);
        assert!(all[1].1 >= 1.4, "{all:?}");
    }

    #[test]
    fn no_count_is_lost_when_bins_are_drawn_as_one() {
        let bins: Vec<Bin> = (0..5000)
            .map(|i| Bin { low: f64::from(i), high: f64::from(i + 1), count: 1 + i as u64 % 7 })
            .collect();
        let chart = Histogram { bins: bins.clone(), ..chart(&[]) };
        let scale = Scale { domain: chart.domain(&bins), from: 0.0, to: 700.0 };
        let bars = Histogram::bars(&bins, &scale);
        assert!(bars.len() < 240, "{}", bars.len());
        assert_eq!(bars.iter().map(|b| b.bin.count).sum::<u64>(), bins.iter().map(|b| b.count).sum::<u64>());
    }

    #[test]
    fn words_say_where_most_lie() {
        let words = Language::English.words();
        let chart = chart(&[(0.0, 1.0, 5), (1.0, 2.0, 60), (2.0, 3.0, 30), (3.0, 4.0, 0), (9.0, 10.0, 5)]);
        assert_eq!(
            chart.describe(words),
            "100 values of latency, from 0 s to 10 s. 90 % lie from 1 s to 3 s."
        );
        assert_eq!(chart.table(words).rows[1], ["1 s", "2 s", "60", "60 %", "65 %"]);
        assert_eq!(chart.table(words).rows.len(), 4);
    }

    #[test]
    fn a_histogram_looks_as_it_did() {
        let count =
            |i: i32| (1000.0 * (-f64::from((i - 6) * (i - 6)) / 8.0).exp()) as u64 + u64::from(i == 19);
        let bins: Vec<(f64, f64, u64)> =
            (0..20).map(|i| (1e-5 * 1.5f64.powi(i), 1e-5 * 1.5f64.powi(i + 1), count(i))).collect();
        let mut chart = chart(&bins);
        let median = Reference { value: 1.4e-4, label: "median 140 us".into(), kind: ReferenceKind::Ideal };
        chart.references.push(median);
        insta::assert_snapshot!(crate::plot::svg(&chart, "Latency", Language::English.words()));
    }

    #[test]
    fn whatever_comes_is_drawn_within_the_sheet() {
        let mut dice = Dice(9);
        check::hold(&chart(&[]), "no bins");
        for round in 0..80 {
            let mut low = if dice.below(3) == 0 { 0.0 } else { dice.share() * 1e-4 };
            let mut bins = Vec::new();
            for _ in 0..dice.below(300) {
                let high =
                    if dice.below(50) == 0 { dice.value() } else { low + low.max(1e-6) * dice.share() };
                bins.push(Bin { low, high, count: dice.roll() >> dice.below(40) });
                low = high;
            }
            let reference = |dice: &mut Dice| Reference {
                value: dice.value(),
                label: dice.name(),
                kind: ReferenceKind::Ideal,
            };
            let references = (0..dice.below(5)).map(|_| reference(&mut dice)).collect();
            let spread = [Spread::Auto, Spread::Linear, Spread::Decades][dice.below(3)];
            let value = Axis { title: dice.name(), spread, ..chart(&[]).value };
            check::hold(&Histogram { value, bins, references }, &format!("round {round}"));
        }
    }
}
