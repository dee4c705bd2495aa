//! One row a figure: counts, sizes and times of each device, with what it does not have left
//! empty. Times are in seconds, sizes in bytes.

use trace::analysis::{CountedBytes, DeviceReport, IoClass, IoPhase, ValueSummary};

use super::super::TraceSubject;
use crate::export::ExportError;
use crate::trace::view::TraceView;

const HEAD: &str = "device,figure,kind,unit,count,total,mean,least,p50,p90,p99,p99_9,largest";

/// The rows.
pub(super) fn csv(subject: &TraceSubject<'_>) -> Result<Vec<u8>, ExportError> {
    let failed = |e: csv::Error| ExportError::Format { format: "csv", reason: e.to_string() };
    let view = TraceView { subject };
    let mut out = csv::Writer::from_writer(Vec::new());
    out.write_record(HEAD.split(',')).map_err(failed)?;
    for device in view.devices() {
        let name = view.device(device.device);
        for row in rows(device) {
            out.write_record(std::iter::once(&name).chain(&row)).map_err(failed)?;
        }
    }
    out.into_inner().map_err(|e| ExportError::Format { format: "csv", reason: e.to_string() })
}

/// All cells of a row but the device.
type Row = [String; 12];

fn rows(device: &DeviceReport) -> Vec<Row> {
    let counts = &device.counts;
    let mut rows: Vec<Row> = Vec::new();
    for (name, counted) in [
        ("queued", counts.queued),
        ("merged", counts.merged()),
        ("issued", counts.issued),
        ("requeued", counts.requeued),
        ("completed", counts.completed),
    ] {
        rows.push(counted_row(name, "read", counted.reads));
        rows.push(counted_row(name, "write", counted.writes));
    }
    for class in IoClass::ALL {
        let sizes = device.traffic().sizes_of(class);
        if sizes.count > 0 {
            let size = |value: Option<u64>| value.map(|value| value.to_string()).unwrap_or_default();
            let mut row =
                counted_row("size", kind(class), CountedBytes { count: sizes.count, bytes: sizes.bytes });
            (row[6], row[7], row[11]) =
                (size(sizes.min_bytes), size(sizes.median_bytes), size(sizes.max_bytes));
            rows.push(row);
        }
        for phase in IoPhase::ALL {
            rows.extend(
                device.phase(phase, class).map(|times| times_row(phase_name(phase), kind(class), times)),
            );
        }
        let at_device = &device.request_ns[class as usize];
        if at_device.count > 0 {
            rows.push(times_row("request", kind(class), at_device));
        }
    }
    if device.flushes.device_ns.count > 0 {
        rows.push(times_row("request", "flush", &device.flushes.device_ns));
    }
    rows
}

fn counted_row(figure: &str, kind: &str, counted: CountedBytes) -> Row {
    let mut row = Row::default();
    row[0] = figure.to_owned();
    row[1] = kind.to_owned();
    row[2] = "B".to_owned();
    row[3] = counted.count.to_string();
    row[4] = counted.bytes.to_string();
    row
}

fn times_row(figure: &str, kind: &str, times_ns: &ValueSummary) -> Row {
    let time = |value: Option<u64>| value.map(|ns| (ns as f64 / 1e9).to_string()).unwrap_or_default();
    [
        figure.to_owned(),
        kind.to_owned(),
        "s".to_owned(),
        times_ns.count.to_string(),
        (times_ns.total as f64 / 1e9).to_string(),
        times_ns.mean().map(|ns| (ns / 1e9).to_string()).unwrap_or_default(),
        time(times_ns.min),
        time(times_ns.p50),
        time(times_ns.p90),
        time(times_ns.p99),
        time(times_ns.p999),
        time(times_ns.max),
    ]
}

/// What programs call a class.
pub(super) const fn kind(class: IoClass) -> &'static str {
    match class {
        IoClass::Read => "read",
        IoClass::Write => "write",
        IoClass::Other => "other",
    }
}

/// What programs call a phase: btt's letters.
pub(super) const fn phase_name(phase: IoPhase) -> &'static str {
    match phase {
        IoPhase::QueueToGet => "q2g",
        IoPhase::GetToInsert => "g2i",
        IoPhase::QueueToInsert => "q2i",
        IoPhase::QueueToMerge => "q2m",
        IoPhase::GetToIssue => "g2d",
        IoPhase::InsertToIssue => "i2d",
        IoPhase::MergeToIssue => "m2d",
        IoPhase::QueueToIssue => "q2d",
        IoPhase::IssueToComplete => "d2c",
        IoPhase::QueueToComplete => "q2c",
    }
}
