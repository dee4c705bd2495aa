//! What all sections need: names and numbers of a trace.

use language::{Words, format};
use model::{Unit, Value};
use trace::analysis::{DeviceReport, IoClass, ValueSummary};
use trace::event::TaskName;
use trace::{Device, Report};

use super::TraceSubject;
use crate::document::{Column, Table, Text};

/// A trace as sections see it.
#[derive(Clone, Copy, Debug)]
pub(super) struct TraceView<'a> {
    pub(super) subject: &'a TraceSubject<'a>,
}

impl<'a> TraceView<'a> {
    pub(super) fn words(&self) -> &'static Words {
        self.subject.words
    }

    pub(super) fn report(&self) -> &'a Report {
        self.subject.report
    }

    /// The devices that got anything. One that a stacked device only passed something on to, as
    /// its remaps say, was not traced.
    pub(super) fn devices(&self) -> impl Iterator<Item = &'a DeviceReport> + use<'a> {
        self.subject.report.devices.iter().filter(|device| {
            let counts = &device.counts;
            let any = [counts.queued, counts.issued, counts.completed];
            any.iter().any(|counted| counted.reads.count + counted.writes.count > 0)
        })
    }

    pub(super) fn title(&self) -> String {
        self.words().tell_texts("trace-title", &[("target", self.subject.target)])
    }

    pub(super) fn byline(&self) -> Vec<String> {
        let span = &self.report().span;
        let events = [
            ("events", Value::from(counted(span.block_events))),
            ("seconds", (span.length_ns() as f64 / 1e9).into()),
        ];
        let mut facts = vec![self.words().tell("trace-byline", &events)];
        facts.extend(self.subject.command.map(|command| command.line.clone()));
        facts
    }

    /// The kernel's name of a device, or else its number.
    pub(super) fn device(&self, device: Device) -> String {
        self.subject.names.get(&device).cloned().unwrap_or_else(|| device.to_string())
    }

    /// The name of a thread, which need not be text.
    pub(super) fn task(&self, task: &TaskName) -> String {
        let name = String::from_utf8_lossy(task.bytes()).into_owned();
        if name.is_empty() { self.words().say("trace-nameless") } else { name }
    }

    /// A time on the trace's clock, since its beginning.
    pub(super) fn at(&self, time_ns: u64) -> String {
        duration(time_ns.saturating_sub(self.report().span.start_ns))
    }

    /// What a class is called in a table.
    pub(super) fn class(&self, class: IoClass) -> String {
        self.words().say(match class {
            IoClass::Read => "trace-reads",
            IoClass::Write => "trace-writes",
            IoClass::Other => "trace-others",
        })
    }

    /// A table of several devices: the rows of each, under its name where there are several.
    pub(super) fn table<'d>(
        &self,
        columns: Vec<Column>,
        devices: impl Iterator<Item = &'d DeviceReport>,
        rows: impl Fn(&DeviceReport) -> Vec<Vec<Text>>,
    ) -> Table {
        let mut table = Table { columns, ..Table::default() };
        let all: Vec<(Device, Vec<Vec<Text>>)> = devices
            .map(|device| (device.device, rows(device)))
            .filter(|(_, rows)| !rows.is_empty())
            .collect();
        for (device, rows) in &all {
            if all.len() > 1 {
                table.groups.push((table.rows.len(), self.device(*device).into()));
            }
            table.rows.extend(rows.iter().cloned());
        }
        table.without_empty_columns()
    }

    /// A column of words with the title of this key.
    pub(super) fn words_column(&self, key: &str) -> Column {
        Column::words(self.words().say(key))
    }

    /// A column of numbers with the title of this key.
    pub(super) fn column(&self, key: &str) -> Column {
        Column::numbers(self.words().say(key))
    }

    /// The columns of [`times`].
    pub(super) fn time_columns(&self) -> [Column; 7] {
        [
            self.column("trace-column-count").to_spare(3),
            self.column("trace-column-mean"),
            Column::numbers("p50"),
            Column::numbers("p90").to_spare(2),
            Column::numbers("p99"),
            Column::numbers("p99.9").to_spare(1),
            self.column("trace-column-longest"),
        ]
    }
}

/// Times in cells: how many, the mean, percentiles where enough lies beyond, the longest.
pub(super) fn times(times_ns: &ValueSummary) -> [Text; 7] {
    let time = |value: Option<u64>| Text::from(value.map(duration).unwrap_or_default());
    let mean = times_ns.mean().map(|mean| seconds(mean / 1e9)).unwrap_or_default();
    [
        counted(times_ns.count).into(),
        mean.into(),
        time(times_ns.p50),
        time(times_ns.p90),
        time(times_ns.p99),
        time(times_ns.p999),
        time(times_ns.max),
    ]
}

/// A whole number: one that can be held against another tool's.
pub(super) fn counted(count: u64) -> String {
    count.to_string()
}

/// A count in a table, where none says nothing.
pub(super) fn some(count: u64) -> Text {
    if count == 0 { Text::default() } else { counted(count).into() }
}

/// Bytes of what a program asked for, in powers of two.
pub(super) fn bytes(bytes: u64) -> String {
    format::rough_binary(bytes)
}

/// A span of time, of nanoseconds.
pub(super) fn duration(time_ns: u64) -> String {
    seconds(time_ns as f64 / 1e9)
}

/// A span of time, of seconds.
pub(super) fn seconds(seconds: f64) -> String {
    format::setting(seconds, Unit::Seconds)
}

/// A share in whole per cent; nothing where there is none.
pub(super) fn share(share: Option<f64>) -> Text {
    share.map(format::percent).unwrap_or_default().into()
}
