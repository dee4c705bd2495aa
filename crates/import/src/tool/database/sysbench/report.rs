//! One run of sysbench, whichever version printed it, and the figures that it has.

use std::collections::BTreeMap;

use model::database::metric::QUERIES_PER_SECOND;
use model::tool_result::{LineRange, PrintedValue, ToolFigure, ToolMeasurement, ToolPart, ToolPartKind};
use model::{MetricName, Unit, metric};

use crate::tool::database::{added, divided, mean};

/// Its built-in tests, and those of its SQL scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SysbenchTest {
    Cpu,
    Memory,
    Fileio,
    Threads,
    Mutex,
    Oltp,
}

/// What sysbench prints of one run.
#[derive(Debug, Default)]
pub(super) struct SysbenchRun {
    pub(super) version: Option<String>,
    /// What was run, as far as the text tells.
    pub(super) test: Option<SysbenchTest>,
    /// What its heading says, in the words of its options.
    pub(super) options: BTreeMap<String, String>,
    /// How often it tells something on the way.
    pub(super) interval: Option<PrintedValue>,
    /// What it told then.
    pub(super) intervals: Vec<ToolPart>,
    /// What it told at checkpoints, and then began to count anew.
    pub(super) checkpoints: Vec<SysbenchReport>,
    /// What it tells at the end.
    pub(super) report: SysbenchReport,
    /// Lines that were not understood.
    pub(super) unread: Vec<LineRange>,
}

/// The statistics of a run, or of a part of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct SysbenchReport {
    /// Of a checkpoint: when it was, in seconds from the start.
    pub(super) at_s: Option<f64>,
    pub(super) window: Option<PrintedValue>,
    pub(super) events: Option<PrintedValue>,
    pub(super) bytes: Option<PrintedValue>,
    /// What the test counts, where it prints more than events.
    pub(super) operations: Option<PrintedValue>,
    /// Rates of the whole.
    pub(super) rates: Vec<ToolFigure>,
    /// How long events took.
    pub(super) latencies: Vec<ToolFigure>,
    /// What else it prints.
    pub(super) others: Vec<ToolFigure>,
    /// Of files: what was read and what was written.
    pub(super) read: ToolMeasurement,
    pub(super) written: ToolMeasurement,
    pub(super) syncs: Option<PrintedValue>,
}

/// Errors that its scripts begin again for.
pub(super) const IGNORED_ERRORS: MetricName = MetricName::new("ignored_errors_per_second");

/// Adds a figure to a list, where there is one.
pub(super) fn push(list: &mut Vec<ToolFigure>, metric: MetricName, printed: Option<PrintedValue>) {
    list.extend(printed.map(|printed| ToolFigure { metric, printed }));
}

impl SysbenchReport {
    /// Whether nothing was printed.
    pub(super) fn is_empty(&self) -> bool {
        *self == Self { at_s: self.at_s, ..Self::default() }
    }

    /// Its figures, those that matter most first.
    fn measured(&self, test: Option<SysbenchTest>) -> (ToolMeasurement, Vec<ToolPart>) {
        let mut whole = ToolMeasurement {
            window: self.window.clone(),
            bytes: self.bytes.clone(),
            operations: self.operations.clone().or_else(|| self.events.clone()),
            figures: self.rates.clone(),
        };
        if test == Some(SysbenchTest::Mutex) {
            whole.figures.clear();
            whole.add(MetricName::new("total_time"), self.window.clone());
            whole.figures.extend(self.rates.iter().cloned());
        }
        let parts = if test == Some(SysbenchTest::Fileio) { self.files(&mut whole) } else { Vec::new() };
        if let Some(main) = main_rate(test).filter(|main| whole.figure(*main).is_none()) {
            let rate = self.events.as_ref().zip(self.window.as_ref());
            whole.add(main, rate.and_then(|(events, window)| divided(events, window, Unit::PerSecond)));
        }
        let mut latencies = self.latencies.clone();
        if self.times_syncs() {
            latencies.iter_mut().for_each(rename);
        }
        whole.figures.extend(latencies);
        whole.figures.extend(self.others.iter().cloned());
        whole.add(metric::ERROR_SHARE, error_share(&whole));
        (whole, parts)
    }

    /// The figures of files. Since 1.0 an fsync is an event, too, and in its times; before, it is not.
    fn files(&self, whole: &mut ToolMeasurement) -> Vec<ToolPart> {
        let classes = [("read", &self.read), ("write", &self.written)];
        let active: Vec<_> = classes.into_iter().filter(|(_, measured)| moves(measured)).collect();
        let all = |metric| {
            let each = active.iter().map(|(_, measured)| measured.figure(metric)).collect::<Option<Vec<_>>>();
            each.and_then(|each| added(&each))
        };
        for metric in [metric::THROUGHPUT, metric::IOPS] {
            if whole.figure(metric).is_none() {
                whole.add(metric, all(metric));
            }
        }
        let operations = active.iter().map(|(_, m)| m.operations.as_ref()).collect::<Option<Vec<_>>>();
        let operations = operations.and_then(|each| added(&each));
        if operations.is_none() {
            whole.add(MetricName::new("events"), self.events.clone());
        }
        whole.operations = operations;
        whole.add(metric::SYNCS_PER_SECOND, self.syncs.clone());
        if active.len() < 2 {
            return Vec::new();
        }
        for (class, measured) in &active {
            for figure in &measured.figures {
                if let Some(own) = figure.metric.of(class) {
                    whole.add(own, Some(figure.printed.clone()));
                }
            }
        }
        let part = |(class, measured): (&str, &ToolMeasurement)| ToolPart {
            kind: ToolPartKind::Direction,
            name: class.to_owned(),
            start_s: None,
            measured: ToolMeasurement { window: self.window.clone(), ..measured.clone() },
        };
        active.into_iter().map(part).collect()
    }

    /// Whether its times are also those of fsyncs, which its rates do not count.
    fn times_syncs(&self) -> bool {
        let has_synced = self.syncs.as_ref().is_some_and(|syncs| syncs.value > 0.0);
        has_synced && self.read.operations.is_none() && self.written.operations.is_none()
    }
}

/// How many transactions were begun again because of an error that is ignored, of all that were tried; `None` where
/// there was none.
fn error_share(whole: &ToolMeasurement) -> Option<PrintedValue> {
    let errors = whole.figure(IGNORED_ERRORS).filter(|errors| errors.value > 0.0)?;
    let tried = added(&[whole.figure(metric::TRANSACTIONS_PER_SECOND)?, errors])?;
    divided(errors, &tried, Unit::One)
}

/// Whether anything was moved.
fn moves(measured: &ToolMeasurement) -> bool {
    let amounts = [measured.bytes.as_ref(), measured.operations.as_ref()];
    let rates = measured.figures.iter().map(|figure| &figure.printed);
    amounts.into_iter().flatten().chain(rates).any(|printed| printed.value > 0.0)
}

/// The rate that a test is about; of files there are several, none of them of all events.
fn main_rate(test: Option<SysbenchTest>) -> Option<MetricName> {
    match test {
        Some(SysbenchTest::Fileio) => None,
        Some(SysbenchTest::Memory) => Some(metric::OPERATIONS_PER_SECOND),
        Some(SysbenchTest::Oltp) => Some(metric::TRANSACTIONS_PER_SECOND),
        Some(SysbenchTest::Cpu | SysbenchTest::Threads | SysbenchTest::Mutex) | None => {
            Some(metric::EVENTS_PER_SECOND)
        }
    }
}

/// Rates that it tells on the way.
const OF_INTERVALS: &[MetricName] = &[
    metric::TRANSACTIONS_PER_SECOND,
    QUERIES_PER_SECOND,
    metric::EVENTS_PER_SECOND,
    metric::THROUGHPUT,
    metric::READ_THROUGHPUT,
    metric::WRITE_THROUGHPUT,
];

impl SysbenchRun {
    /// The whole and its parts.
    pub(super) fn measured(mut self) -> (ToolMeasurement, Vec<ToolPart>) {
        let mut intervals = std::mem::take(&mut self.intervals);
        drop_idle_classes(&mut intervals);
        if self.report.times_syncs() {
            intervals.iter_mut().flat_map(|part| &mut part.measured.figures).for_each(rename);
        }
        if self.report.is_empty() && self.checkpoints.is_empty() {
            return (mean(&intervals, OF_INTERVALS), intervals);
        }
        if self.checkpoints.is_empty() {
            let (whole, parts) = self.report.measured(self.test);
            return (whole, parts.into_iter().chain(intervals).collect());
        }
        let (whole, parts) = self.by_checkpoints();
        (whole, parts.into_iter().chain(intervals).collect())
    }

    /// What is counted anew at each checkpoint: the whole is their sum, and each report a part. The
    /// time that a report tells goes from the start of the run.
    fn by_checkpoints(self) -> (ToolMeasurement, Vec<ToolPart>) {
        let window = self.report.window.clone();
        let reports: Vec<SysbenchReport> = self.checkpoints.into_iter().chain([self.report]).collect();
        let events = reports.iter().map(|report| report.events.as_ref()).collect::<Option<Vec<_>>>();
        let events = events.and_then(|each| added(&each));
        let mut whole = ToolMeasurement { window, operations: events, ..ToolMeasurement::default() };
        let rate = whole.operations.as_ref().zip(whole.window.as_ref());
        let rate = rate.and_then(|(events, window)| divided(events, window, Unit::PerSecond));
        whole.add(main_rate(self.test).unwrap_or(metric::EVENTS_PER_SECOND), rate);
        let mut start_s = 0.0;
        let mut parts = Vec::new();
        for report in reports.into_iter().filter(|report| !report.is_empty()) {
            let end_s = report.at_s.or(report.window.as_ref().map(|window| window.value)).unwrap_or(start_s);
            let (measured, _) = SysbenchReport { window: None, ..report }.measured(self.test);
            let name = format!("until {end_s} s");
            parts.push(ToolPart { kind: ToolPartKind::Interval, name, start_s: Some(start_s), measured });
            start_s = end_s;
        }
        (whole, parts)
    }
}

/// A test that only reads prints 0.00 of writes in each interval, and the other way round.
fn drop_idle_classes(intervals: &mut [ToolPart]) {
    let classes = [metric::READ_THROUGHPUT, metric::WRITE_THROUGHPUT];
    let is_idle = |metric: &MetricName| {
        let mut each = intervals.iter().filter_map(|part| part.measured.figure(*metric));
        each.all(|printed| printed.value == 0.0)
    };
    let idle: Vec<MetricName> = classes.into_iter().filter(is_idle).collect();
    if idle.len() == classes.len() {
        return;
    }
    for part in intervals {
        part.measured.figures.retain(|figure| !idle.contains(&figure.metric));
    }
}

/// `latency_p95` becomes `event_latency_p95`.
fn rename(figure: &mut ToolFigure) {
    let is_latency = figure.metric.statistic().is_some() || figure.metric.as_str().starts_with("latency_");
    if let Some(metric) = figure.metric.of("event").filter(|_| is_latency) {
        figure.metric = metric;
    }
}
