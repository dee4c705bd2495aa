//! A sweep over message sizes as NetPIPE draws it, one path or several over each
//! other: the time of a message against its size, both by their logarithm, with
//! the **saturation point** from which time grows as the size does; and the
//! **signature**, throughput against time, which takes off at the latency. The
//! third of NetPIPE's plots, throughput against size, is the sweep's own chart.
//! What the point is and how its interval is made says [`stats::saturation`].

use chart::plot::{Axis, Dot, Dots, Line, Lines, Mark, Numbers, Scatter, Spread};
use language::format;
use model::profile::Aspect;
use model::run::CaseResult;
use model::{MetricName, Unit, Value, metric};
use stats::saturation::{self, TransferPoint};

use super::sweep::{LEVELS_LEAST, LINES_MOST, plain_lines};
use crate::figure::factors::{CaseGroup, Factor};
use crate::figure::quantity::Metric;
use crate::figure::{Figure, RuleInput};

/// The time of one message one way.
const TIME: MetricName = metric::HALF_ROUND_TRIP;

/// What that makes of a message's bytes.
const THROUGHPUT: MetricName = metric::THROUGHPUT;

/// The confidence of intervals.
const CONFIDENCE: f64 = 0.95;

/// What a group is drawn with.
struct SweepLine<'a> {
    size: &'a Factor,
    time: Metric,
    rate: Metric,
}

pub(super) fn charts(input: &RuleInput<'_>, group: &CaseGroup<'_>) -> Vec<Figure> {
    let words = input.view.words;
    let size = group.axis().filter(|f| f.says == Some(Aspect::Sizes) && f.levels.len() >= LEVELS_LEAST);
    let lines = group.series().map_or(1, |f| f.levels.len());
    let of = |name: MetricName| group.cases.iter().find_map(|c| Metric::of(words, c, name));
    let (Some(size), Some(time), Some(rate)) = (size, of(TIME), of(THROUGHPUT)) else { return Vec::new() };
    let fits = time.unit == Unit::Seconds && rate.unit == Unit::BytesPerSecond;
    if !fits || lines > LINES_MOST || group.collides() {
        return Vec::new();
    }
    let course = SweepLine { size, time, rate };
    let levels: Vec<(String, Vec<&CaseResult>)> =
        (0..lines).map(|level| (group.name_of(level), course.ordered(group.of_level(level)))).collect();
    vec![course.saturation(input, group, &levels), course.signature(input, group, &levels)]
}

impl SweepLine<'_> {
    /// The cases that have all, by size.
    fn ordered<'c>(&self, cases: Vec<&'c CaseResult>) -> Vec<&'c CaseResult> {
        let size = |c: &&CaseResult| self.size.number_of(c).unwrap_or(f64::NAN);
        let mut all: Vec<&CaseResult> =
            cases.into_iter().filter(|c| size(c) > 0.0 && self.time.at(c).is_some()).collect();
        all.sort_by(|a, b| size(a).total_cmp(&size(b)));
        all
    }

    fn points(&self, cases: &[&CaseResult]) -> Vec<TransferPoint> {
        let point = |c: &&CaseResult| {
            Some(TransferPoint { size: self.size.number_of(c)?, time: self.time.at(c)?.value })
        };
        cases.iter().filter_map(point).collect()
    }

    /// The same by throughput, which goes by the mean: where a few messages wait
    /// long, only the faster half has the rate of the median.
    fn rates(&self, cases: &[&CaseResult]) -> Vec<TransferPoint> {
        let point = |c: &&CaseResult| {
            let size = self.size.number_of(c)?;
            Some(TransferPoint { size, time: size / self.rate.at(c)?.value })
        };
        cases.iter().filter_map(point).collect()
    }

    fn saturation(
        &self,
        input: &RuleInput<'_>,
        group: &CaseGroup<'_>,
        levels: &[(String, Vec<&CaseResult>)],
    ) -> Figure {
        let words = input.view.words;
        let (mut lines, mut marks, mut notes) = (Vec::new(), Vec::new(), Vec::new());
        for (name, cases) in levels {
            let at = |c: &&CaseResult| Some((self.size.number_of(c)?, self.time.at(c)?));
            lines.push(Line { name: name.clone(), points: cases.iter().filter_map(at).collect() });
            let points = self.points(cases);
            let said = self.said(input, &points, &self.rates(cases));
            notes.push(if name.is_empty() { said } else { format!("{name}: {said}") });
            if let Some(found) = saturation::fit(&points, CONFIDENCE) {
                let size = ("size", Value::Text(format::part(found.size.round() as u64)));
                let key = if name.is_empty() { "figure-saturation" } else { "figure-saturation-of" };
                let label = words.tell(key, &[size, ("line", Value::Text(name.clone()))]);
                marks.push(Mark { x: found.size, label });
            }
        }
        let of = [("metric", self.time.title.as_str()), ("other", &self.size.title)];
        let title = words.tell_texts("figure-against", &of);
        let x = Axis { title: self.size.title.clone(), numbers: Numbers::Binary, spread: Spread::Doublings };
        let y = Axis { spread: Spread::Decades, ..self.time.axis() };
        let plot = Lines { marks, ..plain_lines(x, y, lines, self.time.better) };
        Figure::new("saturation", input.title(&title, group), plot).note(notes)
    }

    /// What a path is, in a sentence.
    fn said(&self, input: &RuleInput<'_>, points: &[TransferPoint], rates: &[TransferPoint]) -> String {
        let words = input.view.words;
        let bytes = |size: f64| Value::Text(format::part(size.round() as u64));
        let mut parts = vec![match saturation::fit(points, CONFIDENCE) {
            Some(found) => words.tell(
                "figure-saturation-note",
                &[("size", bytes(found.size)), ("low", bytes(found.low)), ("high", bytes(found.high))],
            ),
            None => words.say("figure-saturation-none"),
        }];
        if let Some(half) = saturation::half(rates) {
            parts.push(words.tell("figure-saturation-half", &[("size", bytes(half))]));
        }
        let most = rates.iter().map(|p| p.size / p.time).fold(0.0, f64::max);
        let most = match self.rate.numbers {
            Numbers::Bits => format::bits((most * 8.0).round() as u64),
            _ => format::setting(most, Unit::BytesPerSecond),
        };
        parts.push(words.tell("figure-saturation-most", &[("rate", Value::Text(most))]));
        parts.join(" ")
    }

    fn signature(
        &self,
        input: &RuleInput<'_>,
        group: &CaseGroup<'_>,
        levels: &[(String, Vec<&CaseResult>)],
    ) -> Figure {
        let words = input.view.words;
        let dot = |c: &&CaseResult| {
            let label = self.size.text_of(c).to_owned();
            Some(Dot { x: self.time.at(c)?, y: self.rate.at(c)?, label })
        };
        let groups = levels.iter().map(|(name, cases)| Dots {
            name: name.clone(),
            dots: cases.iter().filter_map(dot).collect(),
            joined: true,
        });
        let of = [("metric", self.rate.title.as_str()), ("other", &self.time.title)];
        let title = words.tell_texts("figure-against", &of);
        let plot = Scatter {
            x: Axis { spread: Spread::Decades, ..self.time.axis() },
            y: self.rate.axis(),
            better: (Some(self.time.better), Some(self.rate.better)),
            groups: groups.collect(),
            references: Vec::new(),
        };
        let note = words.say("figure-signature-note");
        Figure::new("signature", input.title(&title, group), plot).note(Some(note))
    }
}
