//! What a tool prints again and again of one thing: one sample a span of time.

use std::collections::BTreeMap;

use model::tool_result::{PrintedValue, ToolMeasurement, ToolPart, ToolPartKind, ToolResult};
use model::{MetricName, Unit};

use super::cell::Mean;
use crate::tool::number::plain;

/// The name of the part that is of all the time since the machine started.
pub(super) const SINCE_BOOT: &str = "since boot";

/// What was printed of one span of time.
#[derive(Clone, Debug, Default)]
pub(super) struct Sample {
    /// When it began, in seconds from the start of the first one; absent where that is not told.
    pub(super) start_s: Option<f64>,
    /// How long it was, where that is told.
    pub(super) length_s: Option<f64>,
    /// Its figures.
    pub(super) cells: Vec<SampleCell>,
}

/// One figure of a sample.
#[derive(Clone, Debug)]
pub(super) struct SampleCell {
    pub(super) metric: MetricName,
    pub(super) printed: PrintedValue,
    pub(super) mean: Mean,
}

impl Sample {
    /// Its figures, with nothing else.
    pub(super) fn measurement(&self) -> ToolMeasurement {
        let mut measured = ToolMeasurement::default();
        for cell in &self.cells {
            measured.add(cell.metric, Some(cell.printed.clone()));
        }
        measured
    }

    fn value(&self, metric: MetricName) -> Option<f64> {
        self.cells.iter().find(|cell| cell.metric == metric).map(|cell| cell.printed.value)
    }
}

/// All samples of one thing.
#[derive(Clone, Debug, Default)]
pub(super) struct Series {
    /// Which thing: a device, a processor.
    pub(super) item: String,
    /// Of all the time since the machine started.
    pub(super) since_boot: Option<Sample>,
    /// Of the spans, in order.
    pub(super) samples: Vec<Sample>,
    /// What the tool itself prints of all of them.
    pub(super) average: Option<Sample>,
}

impl Series {
    /// Adds the next span, which begins where the one before it ended, as far as it is told how long they were.
    pub(super) fn add(&mut self, length_s: Option<f64>, cells: Vec<SampleCell>) {
        let ended_s = match self.samples.last() {
            Some(last) => last.start_s.zip(last.length_s).map(|(start, length)| start + length),
            None => Some(0.0),
        };
        self.samples.push(Sample { start_s: ended_s.filter(|_| length_s.is_some()), length_s, cells });
    }

    /// What was measured of all spans: what the tool prints of them, or their mean.
    pub(super) fn whole(&self) -> ToolMeasurement {
        let mut whole = match (&self.average, self.samples.as_slice()) {
            (Some(average), _) => average.measurement(),
            (None, [only]) => only.measurement(),
            (None, []) => return self.since_boot.as_ref().map(Sample::measurement).unwrap_or_default(),
            (None, several) => mean(several),
        };
        let line = whole.figures.first().map_or(0, |figure| figure.printed.line);
        whole.window = self.window(line);
        whole
    }

    /// Whether it has nothing but figures of all the time since the machine started.
    pub(super) fn is_since_boot(&self) -> bool {
        self.since_boot.is_some() && self.samples.is_empty() && self.average.is_none()
    }

    /// The time that all spans took, where it is told of each.
    fn window(&self, line: u64) -> Option<PrintedValue> {
        let lengths: Option<Vec<f64>> = self.samples.iter().map(|sample| sample.length_s).collect();
        let lengths = lengths.filter(|lengths| !lengths.is_empty())?;
        let texts: Vec<String> = match (lengths.first(), lengths.len()) {
            (Some(first), count @ 2..) if lengths.iter().all(|length| length == first) => {
                vec![format!("{count} * {first} s")]
            }
            _ => lengths.iter().map(|length| format!("{length} s")).collect(),
        };
        let seconds: f64 = lengths.iter().sum();
        // Of times of day, the first and the last may be off by half a second.
        let half_step = 0.5;
        Some(PrintedValue { half_step, ..plain(line, shortened(&texts), seconds, Unit::Seconds) })
    }

    /// The spans as parts, where there are several; and what is of all the time since the start of the
    /// machine.
    pub(super) fn parts(&self) -> Vec<ToolPart> {
        let part = |kind, name: String, sample: &Sample| ToolPart {
            kind,
            name,
            start_s: sample.start_s,
            measured: sample.measurement(),
        };
        let boot = self.since_boot.iter().filter(|_| !self.is_since_boot());
        let boot = boot.map(|sample| part(ToolPartKind::Phase, SINCE_BOOT.to_owned(), sample));
        let is_several = self.samples.len() > 1 || self.average.is_some();
        let spans = (1..).zip(&self.samples).filter(|_| is_several);
        let spans = spans.map(|(at, sample): (u64, _)| part(ToolPartKind::Interval, at.to_string(), sample));
        boot.chain(spans).collect()
    }

    /// Puts all of it into a result.
    pub(super) fn fill(&self, result: &mut ToolResult) {
        result.whole = self.whole();
        result.parts = self.parts();
        if self.is_since_boot() {
            result.options.insert("since".to_owned(), "boot".to_owned());
        }
    }
}

/// The samples of several things, in the order in which these came first. There may be many thousands.
#[derive(Debug, Default)]
pub(super) struct SeriesByItem {
    all: Vec<Series>,
    places: BTreeMap<String, usize>,
}

impl SeriesByItem {
    /// Those of one thing, which is added if it is new.
    pub(super) fn entry(&mut self, item: &str) -> &mut Series {
        let at = match self.places.get(item) {
            Some(at) => *at,
            None => {
                let at = self.all.len();
                self.places.insert(item.to_owned(), at);
                self.all.push(Series { item: item.to_owned(), ..Series::default() });
                at
            }
        };
        &mut self.all[at]
    }

    /// Those of each.
    pub(super) fn all(&self) -> &[Series] {
        &self.all
    }

    /// What was measured of each, as parts of a result: of processes, or of processors.
    pub(super) fn threads(&self) -> Vec<ToolPart> {
        let part = |series: &Series| ToolPart {
            kind: ToolPartKind::Thread,
            name: series.item.clone(),
            start_s: None,
            measured: series.whole(),
        };
        self.all.iter().map(part).collect()
    }
}

/// The mean of each figure that all samples have. They are of the same length.
fn mean(samples: &[Sample]) -> ToolMeasurement {
    let mut whole = ToolMeasurement::default();
    let Some(first) = samples.first() else { return whole };
    for cell in &first.cells {
        let own = |sample: &Sample| {
            let found = sample.cells.iter().find(|own| own.metric == cell.metric)?;
            Some(found.printed.clone())
        };
        let Some(values) = samples.iter().map(own).collect::<Option<Vec<_>>>() else { continue };
        let weights = match cell.mean {
            Mean::Plain => vec![1.0; values.len()],
            Mean::By(metrics) => samples.iter().map(|sample| weight(sample, metrics)).collect(),
            Mean::No => continue,
        };
        whole.add(cell.metric, weighted(&values, &weights, cell.mean == Mean::Plain));
    }
    whole
}

/// How many operations a sample had.
fn weight(sample: &Sample, metrics: &[MetricName]) -> f64 {
    metrics.iter().filter_map(|metric| sample.value(*metric)).sum()
}

fn weighted(values: &[PrintedValue], weights: &[f64], is_plain: bool) -> Option<PrintedValue> {
    let total: f64 = weights.iter().sum();
    let sum = |of: fn(&PrintedValue) -> f64| -> f64 {
        values.iter().zip(weights).map(|(value, weight)| of(value) * weight).sum()
    };
    let (value, half_step) = (sum(|value| value.value) / total, sum(|value| value.half_step) / total);
    let texts: Vec<String> = match is_plain {
        true => values.iter().map(|value| value.text.clone()).collect(),
        false => values.iter().zip(weights).map(|(value, n)| format!("{n} * {}", value.text)).collect(),
    };
    let text = format!("({}) / {total}", shortened(&texts));
    let first = values.first()?;
    (total > 0.0 && value.is_finite()).then(|| PrintedValue { text, value, half_step, ..first.clone() })
}

/// A sum in writing; of many terms, the first and the last ones.
fn shortened(terms: &[String]) -> String {
    match terms {
        [first, second, .., last] if terms.len() > 4 => format!("{first} + {second} + ... + {last}"),
        all => all.join(" + "),
    }
}

#[cfg(test)]
mod tests {
    use model::metric;

    use super::*;
    use crate::tool::system::cell::CellUnit;

    const AWAIT: MetricName = MetricName::new("read_latency_mean");

    fn sample(reads: &str, wait: &str) -> Sample {
        let cell = |metric, unit: CellUnit, word: &str, mean| SampleCell {
            metric,
            printed: unit.read(3, word).unwrap(),
            mean,
        };
        let cells = vec![
            cell(metric::READ_IOPS, CellUnit::PER_SECOND, reads, Mean::Plain),
            cell(AWAIT, CellUnit::MILLISECONDS, wait, Mean::By(&[metric::READ_IOPS])),
        ];
        Sample { length_s: Some(2.0), cells, ..Sample::default() }
    }

    #[test]
    fn times_count_as_often_as_there_were_operations() {
        let samples = vec![sample("300", "1.00"), sample("100", "5.00")];
        let whole = Series { samples, ..Series::default() }.whole();
        let wait = whole.figure(AWAIT).unwrap();
        assert!((wait.value - 2e-3).abs() < 1e-12);
        assert_eq!(wait.text, "(300 * 1.00 ms + 100 * 5.00 ms) / 400");
        assert_eq!(whole.figure(metric::READ_IOPS).unwrap().value, 200.0);
        assert_eq!(whole.window.unwrap().text, "2 * 2 s");
    }

    #[test]
    fn without_an_operation_there_is_no_time_of_one() {
        let samples = vec![sample("0", "0.00"), sample("0", "0.00")];
        let whole = Series { samples, ..Series::default() }.whole();
        assert!(whole.figure(AWAIT).is_none());
        assert_eq!(whole.figure(metric::READ_IOPS).unwrap().value, 0.0);
    }

    #[test]
    fn a_span_begins_where_the_one_before_it_ended() {
        let mut series = Series::default();
        for length_s in [Some(2.0), Some(3.0), None, Some(1.0)] {
            series.add(length_s, Vec::new());
        }
        let starts: Vec<Option<f64>> = series.samples.iter().map(|sample| sample.start_s).collect();
        assert_eq!(starts, [Some(0.0), Some(2.0), None, None]);
    }

    #[test]
    fn things_stand_in_the_order_in_which_they_came() {
        let mut all = SeriesByItem::default();
        for (item, reads) in [("b", "1"), ("a", "2"), ("b", "3")] {
            all.entry(item).samples.push(sample(reads, "1.00"));
        }
        let reads: Vec<(String, Option<f64>)> = all
            .threads()
            .into_iter()
            .map(|part| (part.name, part.measured.figure(metric::READ_IOPS).map(|reads| reads.value)))
            .collect();
        assert_eq!(reads, [("b".to_owned(), Some(2.0)), ("a".to_owned(), Some(2.0))]);
    }

    #[test]
    fn what_is_since_boot_is_no_span() {
        let boot = Some(sample("5", "9.00"));
        let series = Series { since_boot: boot, samples: vec![sample("1", "1.00")], ..Series::default() };
        assert_eq!(series.whole().figure(metric::READ_IOPS).unwrap().value, 1.0);
        let names: Vec<String> = series.parts().into_iter().map(|part| part.name).collect();
        assert_eq!(names, ["since boot"]);
    }
}
