//! What was done to the devices, by whom, in sentences.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use language::Argument;
use trace::analysis::{CountedBytes, DeviceReport, IoClass, Observation, SizeReport, ThreadIo};

use super::CommandEnding;
use super::view::{TraceView, bytes};

/// A size that so many requests have is the one that is named; else the median is.
const COMMON_SHARE: f64 = 0.5;
/// So many bios merged are worth a sentence: what the device got is then another load than what
/// was asked for.
const MERGED_SHARE: f64 = 0.1;

/// What one device completed, and in which pieces.
pub(super) fn of_device(view: &TraceView<'_>, device: &DeviceReport) -> Vec<String> {
    let mut said = vec![done(view, device)];
    said.extend(without_data(view, device));
    for class in [IoClass::Read, IoClass::Write] {
        said.extend(pieces(view, device, class));
    }
    said.extend(merged(view, device));
    said
}

fn done(view: &TraceView<'_>, device: &DeviceReport) -> String {
    let is_steps = view.subject.is_steps;
    let counts = if is_steps { device.counts.queued } else { device.counts.done() };
    let (reads, writes) = (counts.reads, of_data(counts.writes, others(view, device)));
    // A flush that the device was sent counts as a read of nothing.
    let flushes = device.flushes.sent.unwrap_or(0).min(reads.count);
    let reads_count = if reads.bytes == 0 { 0 } else { reads.count - flushes };
    let key = match (reads_count > 0, writes.count > 0) {
        (true, true) => "trace-did-both",
        (true, false) => "trace-did-reads",
        (false, true) => "trace-did-writes",
        (false, false) => "trace-did-nothing",
    };
    let arguments: [Argument<'_>; 7] = [
        ("state", if is_steps { "asked" } else { "done" }.into()),
        ("device", view.device(device.device).into()),
        ("seconds", (view.report().span.length_ns() as f64 / 1e9).into()),
        ("reads", reads_count.into()),
        ("read_bytes", bytes(reads.bytes).into()),
        ("writes", writes.count.into()),
        ("written_bytes", bytes(writes.bytes).into()),
    ];
    view.words().tell(key, &arguments)
}

/// What is done to ranges without data: it was asked for in a list of steps, else completed. blkparse counts it among the
/// writes.
fn others(view: &TraceView<'_>, device: &DeviceReport) -> CountedBytes {
    if view.subject.is_steps {
        let asked = device.queued.sizes_of(IoClass::Other);
        return CountedBytes { count: asked.count, bytes: asked.bytes };
    }
    let mut all = CountedBytes::default();
    for point in &device.rates.points {
        let completed = point.completed[IoClass::Other as usize];
        all.count += completed.count;
        all.bytes = all.bytes.saturating_add(completed.bytes);
    }
    all
}

/// Writes without those that are none of data.
const fn of_data(writes: CountedBytes, others: CountedBytes) -> CountedBytes {
    CountedBytes {
        count: writes.count.saturating_sub(others.count),
        bytes: writes.bytes.saturating_sub(others.bytes),
    }
}

/// Discards and the like, which are no writes of data.
fn without_data(view: &TraceView<'_>, device: &DeviceReport) -> Option<String> {
    let others = others(view, device);
    let arguments: [Argument<'_>; 4] = [
        ("state", if view.subject.is_steps { "asked" } else { "done" }.into()),
        ("device", view.device(device.device).into()),
        ("count", others.count.into()),
        ("bytes", bytes(others.bytes).into()),
    ];
    (others.count > 0).then(|| view.words().tell("trace-did-others", &arguments))
}

/// The sizes of a class, where no sentence about its order says them.
fn pieces(view: &TraceView<'_>, device: &DeviceReport, class: IoClass) -> Option<String> {
    let is_said = view.report().observations.iter().any(|seen| match seen {
        Observation::MostlySequential { device: own, class: of, .. }
        | Observation::MostlyRandom { device: own, class: of, .. } => (*own, *of) == (device.device, class),
        _ => false,
    });
    let sizes: &SizeReport = device.traffic().sizes_of(class);
    let median = sizes.median_bytes.filter(|_| !is_said)?;
    let (key, size, share) = match sizes.commonest() {
        Some((size, share)) if share >= COMMON_SHARE => ("trace-did-pieces", size.bytes, share),
        _ => ("trace-did-pieces-various", median, 0.0),
    };
    let class = if class == IoClass::Read { "read" } else { "write" };
    let arguments = [
        ("class", class.into()),
        ("device", view.device(device.device).into()),
        ("size", size.into()),
        ("share", share.into()),
    ];
    Some(view.words().tell(key, &arguments))
}

/// What merging made of what was asked for.
fn merged(view: &TraceView<'_>, device: &DeviceReport) -> Option<String> {
    let queued = device.counts.queued;
    let merged = device.counts.merged();
    let (bios, joined) = (queued.reads.count + queued.writes.count, merged.reads.count + merged.writes.count);
    let share = joined as f64 / bios.max(1) as f64;
    (share >= MERGED_SHARE).then(|| {
        let arguments = [
            ("device", view.device(device.device).into()),
            ("share", share.into()),
            ("mean", device.bios_per_request.mean().unwrap_or(1.0).into()),
        ];
        view.words().tell("trace-did-merged", &arguments)
    })
}

/// What was written while the command ran, and after it had ended, if something was.
pub(super) fn after_command(view: &TraceView<'_>, device: &DeviceReport) -> Option<String> {
    let after = view.report().after_command.as_ref()?.completed(device.device).writes;
    let all = of_data(device.counts.done().writes, others(view, device));
    let arguments = [
        ("device", view.device(device.device).into()),
        ("before", bytes(all.bytes.saturating_sub(after.bytes)).into()),
        ("after", bytes(after.bytes).into()),
    ];
    (after.bytes > 0).then(|| view.words().tell("trace-did-after", &arguments))
}

/// Who submitted most, and how the command ended.
pub(super) fn by_whom(view: &TraceView<'_>) -> Vec<String> {
    let mut said: Vec<String> = main_submitter(view).into_iter().collect();
    said.extend(command(view));
    said
}

fn main_submitter(view: &TraceView<'_>) -> Option<String> {
    let threads = &view.report().threads;
    let data_bytes = |io: &ThreadIo| io.reads.bytes.saturating_add(io.writes.bytes);
    let mut by_name: BTreeMap<String, u64> = BTreeMap::new();
    for (_, io) in &threads.threads {
        *by_name.entry(view.task(&io.task)).or_default() += data_bytes(io);
    }
    let rest = threads.rest.as_ref().map_or(0, data_bytes);
    let all: u64 = by_name.values().sum::<u64>() + rest;
    let (task, most) = by_name.into_iter().max_by_key(|(name, bytes)| (*bytes, Reverse(name.clone())))?;
    (all > 0).then(|| {
        let arguments = [("task", task.into()), ("share", (most as f64 / all as f64).into())];
        view.words().tell("trace-did-by", &arguments)
    })
}

fn command(view: &TraceView<'_>) -> Option<String> {
    let command = view.subject.command?;
    let line = ("command", command.line.as_str().into());
    let words = view.words();
    match command.ending {
        CommandEnding::Code(0) => None,
        CommandEnding::Code(code) => {
            Some(words.tell("trace-command-failed", &[line, ("code", code.to_string().into())]))
        }
        CommandEnding::Signal(signal) => {
            Some(words.tell("trace-command-killed", &[line, ("signal", signal.to_string().into())]))
        }
    }
}
