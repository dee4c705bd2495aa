//! All figures of a trace for programs: `headroom.trace/1`. Times are in nanoseconds, sizes in
//! bytes, shares from 0 to 1, moments in nanoseconds of the trace's clock. What is not known is
//! absent.

use machine::trace::{CaptureSummary, ProcessIo};
use serde_json::{Map, Value, json};
use trace::Device;
use trace::analysis::{
    CountedBytes, DepthReport, DeviceReport, DirtiedPages, FlushReport, IoClass, IoStall, OperationMix,
    ReadWrite, SlowSync, SyncCaller, ThreadIo, TrafficReport, ValueSummary,
};

use super::super::{CommandEnding, TraceSubject, TracedCommandEnd};
use super::csv::{kind, phase_name};
use crate::export::ExportError;
use crate::trace::observation;
use crate::trace::view::TraceView;

/// The whole document.
///
/// # Errors
/// If a number cannot be written as JSON.
pub fn json(subject: &TraceSubject<'_>) -> Result<Vec<u8>, ExportError> {
    let bytes = serde_json::to_vec_pretty(&document(&TraceView { subject }));
    let mut bytes = bytes.map_err(|e| ExportError::Format { format: "json", reason: e.to_string() })?;
    bytes.push(b'\n');
    Ok(bytes)
}

fn document(view: &TraceView<'_>) -> Value {
    let report = view.report();
    let observations: Vec<Value> = report
        .observations
        .iter()
        .map(|seen| json!({ "code": observation::code(seen), "text": observation::sentence(view, seen) }))
        .collect();
    whole(json!({
        "schema": "headroom.trace/1",
        "target": view.subject.target,
        "start_ns": report.span.start_ns,
        "end_ns": report.span.end_ns,
        "records": report.span.records,
        "block_events": report.span.block_events,
        "out_of_order": report.span.out_of_order,
        "observations": observations,
        "devices": report.devices.iter().map(|device| of_device(view, device)).collect::<Vec<_>>(),
        "threads": report.threads.threads.iter().map(|(id, io)| thread(view, *id, io)).collect::<Vec<_>>(),
        "dirtied": dirtied(view),
        "syncs": syncs(view),
        "lost": {
            "times": report.losses.times,
            "events": report.losses.events,
            "times_unknown": report.losses.times_unknown,
            "unmatched": report.unmatched_by_loss(),
        },
        "swap": report.swap.counters.map(|swap| json!({ "pages_in": swap.pages_in, "pages_out": swap.pages_out })),
        "after_command": after_command(view),
        "capture": view.subject.capture.map(capture),
        "command": view.subject.command.map(command),
    }))
}

/// Without what is not known.
fn whole(value: Value) -> Value {
    match value {
        Value::Object(entries) => {
            let known = entries.into_iter().filter(|(_, value)| !value.is_null());
            Value::Object(known.map(|(key, value)| (key, whole(value))).collect())
        }
        Value::Array(values) => Value::Array(values.into_iter().map(whole).collect()),
        other => other,
    }
}

fn of_device(view: &TraceView<'_>, device: &DeviceReport) -> Value {
    let counts = &device.counts;
    let mut phases = Map::new();
    for times in &device.phases {
        let entry = phases.entry(phase_name(times.phase)).or_insert_with(|| json!({}));
        entry[kind(times.class)] = values(&times.times_ns);
    }
    let mut requests = Map::new();
    for class in IoClass::ALL {
        let times = &device.request_ns[class as usize];
        if times.count > 0 {
            requests.insert(kind(class).to_owned(), values(times));
        }
    }
    json!({
        "device": device.device.to_string(),
        "name": view.device(device.device),
        "has_requests": !device.is_bio_based,
        "events": counts.events,
        "queued": read_write(counts.queued),
        "merged": read_write(counts.merged()),
        "issued": read_write(counts.issued),
        "requeued": read_write(counts.requeued),
        "given_back": (device.given_back > 0).then_some(device.given_back),
        "completed": read_write(counts.completed),
        "would_block": (counts.would_block != ReadWrite::default()).then(|| read_write(counts.would_block)),
        "split": counts.split,
        "remapped": counts.remapped,
        "asked": traffic(&device.queued),
        "sent": (!device.is_bio_based).then(|| traffic(&device.issued)),
        "bios_per_request": device.bios_per_request.mean(),
        "phases_ns": phases,
        "request_ns": requests,
        "device_share": device.time_shares.device(),
        "depth": depth(&device.depth),
        "waiting": device.waiting.as_ref().map(depth),
        "flushes": flushes(&device.flushes),
        "stalls": device.stalls.iter().map(stall).collect::<Vec<_>>(),
        "errors": { "count": device.errors.count, "last": device.errors.last },
        "unfinished": device.unmatched.unfinished_bios,
    })
}

fn counted(counted: CountedBytes) -> Value {
    json!({ "count": counted.count, "bytes": counted.bytes })
}

fn read_write(both: ReadWrite<CountedBytes>) -> Value {
    json!({ "reads": counted(both.reads), "writes": counted(both.writes) })
}

fn values(values: &ValueSummary) -> Value {
    json!({
        "count": values.count,
        "mean": values.mean(),
        "min": values.min,
        "p50": values.p50,
        "p90": values.p90,
        "p99": values.p99,
        "p99_9": values.p999,
        "max": values.max,
    })
}

fn traffic(traffic: &TrafficReport) -> Value {
    let mut sizes = Map::new();
    for class in IoClass::ALL {
        let (size, sequence) = (traffic.sizes_of(class), traffic.sequence_of(class));
        if size.count > 0 {
            let each: Vec<Value> =
                size.sizes.iter().map(|size| json!({ "bytes": size.bytes, "count": size.count })).collect();
            let one = json!({
                "count": size.count,
                "bytes": size.bytes,
                "min": size.min_bytes,
                "median": size.median_bytes,
                "max": size.max_bytes,
                "each": each,
                "others": size.others,
                "sequential_share": sequence.share(),
                "sequential_share_in_streams": sequence.share_in_streams(),
            });
            sizes.insert(kind(class).to_owned(), one);
        }
    }
    json!({ "operations": mix(&traffic.mix), "sizes": sizes, "seek_sectors_p50": traffic.seeks_sectors.p50 })
}

fn mix(mix: &OperationMix) -> Value {
    json!({
        "total": mix.total,
        "reads": mix.reads,
        "writes": mix.writes,
        "flushes": mix.flushes,
        "discards": mix.discards,
        "secure_erases": mix.secure_erases,
        "write_zeroes": mix.write_zeroes,
        "zone_operations": mix.zone_operations,
        "passthrough": mix.passthrough,
        "preflush": mix.preflush,
        "fua": mix.fua,
        "sync": mix.sync,
        "meta": mix.meta,
        "ahead": mix.ahead,
        "atomic": mix.atomic,
    })
}

fn depth(depth: &DepthReport) -> Value {
    json!({ "mean": depth.mean, "mean_busy": depth.mean_busy, "max": depth.max, "busy_ns": depth.busy_ns })
}

fn flushes(flushes: &FlushReport) -> Value {
    json!({
        "asked": flushes.asked,
        "sent": flushes.sent,
        "device_ns": values(&flushes.device_ns),
        "busy_ns": flushes.busy_ns,
        "storms": flushes.storms,
        "storm_flushes": flushes.storm_flushes,
    })
}

fn stall(stall: &IoStall) -> Value {
    json!({
        "began_ns": stall.began_ns,
        "ended_ns": stall.ended_ns,
        "is_over": stall.is_over,
        "at_device": stall.at_device,
        "waiting": stall.waiting,
    })
}

fn thread(view: &TraceView<'_>, id: u32, io: &ThreadIo) -> Value {
    json!({
        "thread": id,
        "name": view.task(&io.task),
        "reads": counted(io.reads),
        "writes": counted(io.writes),
        "others": counted(io.others),
        "flushes": io.flushes,
        "sync": io.sync,
        "completed": io.completed,
        "longest_ns": io.longest_ns,
    })
}

fn dirtied(view: &TraceView<'_>) -> Option<Value> {
    let report = &view.report().dirtied;
    let thread = |(id, DirtiedPages { task, pages }): &(u32, DirtiedPages)| json!({ "thread": id, "name": view.task(task), "pages": pages.count, "bytes": pages.bytes });
    (report.pages.count > 0).then(|| {
        let threads: Vec<Value> = report.threads.iter().map(thread).collect();
        json!({ "pages": report.pages.count, "bytes": report.pages.bytes, "threads": threads })
    })
}

fn syncs(view: &TraceView<'_>) -> Option<Value> {
    let report = &view.report().syncs;
    let caller = |caller: &SyncCaller| {
        json!({
            "name": view.task(&caller.task),
            "call": caller.call,
            "failed": caller.failed,
            "times_ns": values(&caller.times_ns),
        })
    };
    let slow = |slow: &SlowSync| {
        json!({
            "name": view.task(&slow.call.task),
            "call": slow.call.call,
            "began_ns": slow.call.began_ns,
            "ended_ns": slow.call.ended_ns,
            "result": slow.call.result,
            "flush_ns": slow.inside.flush_ns,
            "device_ns": slow.inside.device_ns,
            "waiting_ns": slow.inside.waiting_ns,
            "host_ns": slow.inside.host_ns,
            "is_whole": slow.inside.is_whole,
        })
    };
    (report.calls > 0).then(|| {
        let callers: Vec<Value> = report.callers.iter().map(caller).collect();
        let slowest: Vec<Value> = report.slowest.iter().map(slow).collect();
        json!({ "calls": report.calls, "callers": callers, "slowest": slowest })
    })
}

/// What was completed once the command had ended, which is also in the figures of the devices.
fn after_command(view: &TraceView<'_>) -> Option<Value> {
    let after = view.report().after_command.as_ref()?;
    let of_device = |(device, completed): &(Device, ReadWrite<CountedBytes>)| json!({ "device": device.to_string(), "name": view.device(*device), "completed": read_write(*completed) });
    let devices: Vec<Value> = after.devices.iter().map(of_device).collect();
    Some(json!({ "began_ns": after.began_ns, "devices": devices }))
}

fn capture(capture: &CaptureSummary) -> Value {
    json!({
        "began_ns": capture.began_ns,
        "ended_ns": capture.ended_ns,
        "events_read": capture.events_read(),
        "events_lost": capture.events_lost(),
        "is_accounted_for": capture.is_accounted_for(),
        "buffer_bytes": capture.buffer_bytes,
        "cpus": capture.cpus.len(),
        "late_records": capture.late_records,
    })
}

fn command(command: &TracedCommandEnd) -> Value {
    let (code, signal) = match command.ending {
        CommandEnding::Code(code) => (Some(code), None),
        CommandEnding::Signal(signal) => (None, Some(signal)),
    };
    let io = |io: ProcessIo| {
        json!({
            "call_bytes_read": io.call_bytes_read,
            "call_bytes_written": io.call_bytes_written,
            "device_bytes_read": io.device_bytes_read,
            "device_bytes_written": io.device_bytes_written,
            "cancelled_bytes_written": io.cancelled_bytes_written,
        })
    };
    json!({ "line": command.line, "exit_code": code, "signal": signal, "io": command.io.map(io) })
}
