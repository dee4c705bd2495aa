//! One sentence for each thing that the analysis found to matter.

use language::Argument;
use machine::trace::swap_page_bytes;
use model::Value;
use trace::Device;
use trace::analysis::{IoClass, Observation, SlowSync, SwapDeviceIo};

use super::view::{TraceView, bytes, duration, seconds};

/// The key of a sentence, and what fills it.
type Sentence = (&'static str, Vec<Argument<'static>>);

/// What is said of it.
pub(super) fn sentence(view: &TraceView<'_>, seen: &Observation) -> String {
    let (key, mut arguments) = told(view, seen);
    if let Some(device) = device_of(seen) {
        arguments.push(("device", view.device(device).into()));
    }
    view.words().tell(key, &arguments)
}

/// The key of the sentence, and what fills it beside the device.
fn told(view: &TraceView<'_>, seen: &Observation) -> Sentence {
    match seen {
        Observation::NothingSeen => ("trace-saw-nothing", Vec::new()),
        Observation::LostEvents { .. }
        | Observation::DepthUnexplained { .. }
        | Observation::Errors { .. }
        | Observation::Stall { .. }
        | Observation::Swapping { .. }
        | Observation::SlowSync { .. } => of_faults(view, seen),
        Observation::FlushStorm { .. }
        | Observation::Requeues { .. }
        | Observation::DeviceBound { .. }
        | Observation::WaitsInHost { .. }
        | Observation::OneAtATime { .. } => of_time(seen),
        _ => of_pattern(view, seen),
    }
}

/// What makes figures doubtful, and faults.
fn of_faults(view: &TraceView<'_>, seen: &Observation) -> Sentence {
    match seen {
        Observation::LostEvents { times, events, .. } => match events {
            Some(events) => ("trace-saw-lost", vec![number("events", *events), ("times", (*times).into())]),
            None => ("trace-saw-lost-unknown", vec![("times", (*times).into())]),
        },
        Observation::DepthUnexplained { law, .. } => {
            let depths =
                vec![("depth", law.depth_mean.into()), ("explained", law.depth_by_requests().into())];
            ("trace-saw-depth", depths)
        }
        Observation::Errors { count, last, .. } => {
            let last = last.map_or_else(|| "?".to_owned(), |number| number.to_string());
            ("trace-saw-errors", vec![number("count", *count), ("last", last.into())])
        }
        Observation::Stall { began_ns, length_ns, is_over, at_device, waiting, .. } => {
            let key = if *is_over { "trace-saw-stall" } else { "trace-saw-stall-to-the-end" };
            let had = at_device + waiting.unwrap_or(0);
            let at = ("at", view.at(*began_ns).into());
            (key, vec![("length", duration(*length_ns).into()), at, number("count", had)])
        }
        Observation::Swapping { devices, pages_in, pages_out } => swapping(devices, pages_in.zip(*pages_out)),
        Observation::SlowSync { slowest, calls, .. } => slow_sync(view, slowest, *calls),
        _ => ("trace-saw-nothing", Vec::new()),
    }
}

/// How much was swapped: by the kernel's counters, or else by what swap devices got.
fn swapping(devices: &[SwapDeviceIo], pages: Option<(u64, u64)>) -> Sentence {
    let (read, written) = pages.map_or_else(
        || {
            let sum = |of: fn(&SwapDeviceIo) -> u64| devices.iter().map(of).sum::<u64>();
            (sum(|swap| swap.io.reads.bytes), sum(|swap| swap.io.writes.bytes))
        },
        |(pages_in, pages_out)| (pages_in * swap_page_bytes(), pages_out * swap_page_bytes()),
    );
    ("trace-saw-swapping", vec![("read", bytes(read).into()), ("written", bytes(written).into())])
}

fn slow_sync(view: &TraceView<'_>, slowest: &SlowSync, calls: u64) -> Sentence {
    let arguments = vec![
        ("task", view.task(&slowest.call.task).into()),
        ("call", slowest.call.call.into()),
        ("length", duration(slowest.call.length_ns()).into()),
        ("device_time", duration(slowest.inside.device_ns).into()),
        ("flush_time", duration(slowest.inside.flush_ns).into()),
        number("count", calls),
    ];
    let key = if slowest.inside.is_whole { "trace-saw-slow-sync" } else { "trace-saw-slow-sync-partly" };
    (key, arguments)
}

/// What takes the time.
fn of_time(seen: &Observation) -> Sentence {
    match seen {
        Observation::FlushStorm { storms, flushes, busy_share, .. } => {
            let counts = vec![
                ("storms", (*storms).into()),
                number("flushes", *flushes),
                ("share", (*busy_share).into()),
            ];
            ("trace-saw-flush-storm", counts)
        }
        Observation::Requeues { count, share, .. } => {
            ("trace-saw-requeues", vec![number("count", *count), ("share", (*share).into())])
        }
        Observation::DeviceBound { device_share, device_mean_ns, .. } => {
            let mean = ("mean", seconds(device_mean_ns / 1e9).into());
            ("trace-saw-device-bound", vec![("share", (*device_share).into()), mean])
        }
        Observation::WaitsInHost { waiting_share, waiting_mean_ns, depth_max, .. } => {
            let mean = ("mean", seconds(waiting_mean_ns / 1e9).into());
            let share = ("share", (*waiting_share).into());
            ("trace-saw-waits", vec![share, mean, number("depth", *depth_max)])
        }
        Observation::OneAtATime { depth, busy_share, .. } => {
            ("trace-saw-one", vec![("depth", (*depth).into()), ("share", (*busy_share).into())])
        }
        _ => ("trace-saw-nothing", Vec::new()),
    }
}

/// What kind of load it was.
fn of_pattern(view: &TraceView<'_>, seen: &Observation) -> Sentence {
    match seen {
        Observation::MostlySequential { class, share, share_in_streams, median_bytes, .. } => {
            let has_streams = share_in_streams - share >= SEVERAL;
            let key = if has_streams { "trace-saw-streams" } else { "trace-saw-sequential" };
            (key, vec![kind(*class), ("share", (*share_in_streams).into()), size(*median_bytes)])
        }
        Observation::MostlyRandom { class, share_in_streams, median_bytes, .. } => {
            let share = ("share", (1.0 - share_in_streams).into());
            ("trace-saw-random", vec![kind(*class), share, size(*median_bytes)])
        }
        Observation::SmallSequential { class, median_bytes, .. } => {
            ("trace-saw-small", vec![kind(*class), size(*median_bytes)])
        }
        Observation::Splits { count, share, .. } => {
            ("trace-saw-splits", vec![number("count", *count), ("share", (*share).into())])
        }
        Observation::MostlyWriteback { share, bytes: all, .. } => {
            ("trace-saw-writeback", vec![("share", (*share).into()), ("bytes", bytes(*all).into())])
        }
        Observation::MainWriter { task, share, .. } => {
            let task = ("task", view.task(task).into());
            ("trace-saw-writer", vec![task, ("share", (*share).into())])
        }
        _ => ("trace-saw-nothing", Vec::new()),
    }
}

/// From this difference on, order is seen only by following several streams.
const SEVERAL: f64 = 0.2;

/// The device that it is about, where it is about one.
const fn device_of(seen: &Observation) -> Option<Device> {
    match seen {
        Observation::DepthUnexplained { device, .. }
        | Observation::Errors { device, .. }
        | Observation::Stall { device, .. }
        | Observation::FlushStorm { device, .. }
        | Observation::Requeues { device, .. }
        | Observation::DeviceBound { device, .. }
        | Observation::WaitsInHost { device, .. }
        | Observation::OneAtATime { device, .. }
        | Observation::MostlySequential { device, .. }
        | Observation::MostlyRandom { device, .. }
        | Observation::SmallSequential { device, .. }
        | Observation::Splits { device, .. }
        | Observation::MostlyWriteback { device, .. } => Some(*device),
        Observation::NothingSeen
        | Observation::LostEvents { .. }
        | Observation::Swapping { .. }
        | Observation::SlowSync { .. }
        | Observation::MainWriter { .. } => None,
    }
}

fn number(name: &'static str, count: u64) -> Argument<'static> {
    (name, count.into())
}

fn size(bytes: u64) -> Argument<'static> {
    ("size", bytes.into())
}

fn kind(class: IoClass) -> Argument<'static> {
    let class = match class {
        IoClass::Read => "read",
        IoClass::Write => "write",
        IoClass::Other => "other",
    };
    ("class", Value::from(class))
}

/// What programs know it by.
pub(super) const fn code(seen: &Observation) -> &'static str {
    match seen {
        Observation::NothingSeen => "nothing-seen",
        Observation::LostEvents { .. } => "lost-events",
        Observation::DepthUnexplained { .. } => "depth-unexplained",
        Observation::Errors { .. } => "errors",
        Observation::Stall { .. } => "stall",
        Observation::Swapping { .. } => "swapping",
        Observation::SlowSync { .. } => "slow-sync",
        Observation::FlushStorm { .. } => "flush-storm",
        Observation::Requeues { .. } => "requeues",
        Observation::DeviceBound { .. } => "device-bound",
        Observation::WaitsInHost { .. } => "waits-in-host",
        Observation::OneAtATime { .. } => "one-at-a-time",
        Observation::MostlySequential { .. } => "mostly-sequential",
        Observation::MostlyRandom { .. } => "mostly-random",
        Observation::SmallSequential { .. } => "small-sequential",
        Observation::Splits { .. } => "splits",
        Observation::MostlyWriteback { .. } => "mostly-writeback",
        Observation::MainWriter { .. } => "main-writer",
    }
}
