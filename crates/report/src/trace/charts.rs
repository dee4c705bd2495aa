//! Pictures over time: where on the device requests lay and how large they were, how long they
//! took, how many were under way, and who submitted.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use chart::plot::{Axis, CellPlot, Curve, Numbers, Panel, Panels, Percentiles, PlotCell, Spread, Track};
use model::Unit;
use trace::analysis::{DepthReport, DeviceReport, GridReport, IoClass, IoPhase, SECTOR_BYTES, ValueSummary};

use super::phases;
use super::view::{TraceView, counted, duration};
use crate::document::{Block, Section};

/// Devices that have pictures.
const DEVICES_MOST: usize = 4;
/// Names that have a track of their own.
const NAMES_MOST: usize = 6;
/// Observations that must lie beyond the last point of a curve.
const BEYOND: u64 = trace::analysis::PERCENTILE_MIN_BEYOND;
/// Points for each further nine: 90 to 99 %, 99 to 99.9 %.
const POINTS_A_NINE: i32 = 10;
/// No count of requests supports more nines than this.
const NINES_MOST: i32 = 9;

pub(super) fn write(view: &TraceView<'_>) -> Section {
    let mut section = Section::new("charts", view.words().say("trace-charts"));
    let is_done = !view.subject.is_steps;
    for device in view.devices().take(DEVICES_MOST) {
        section.extend(offsets(view, device));
        if is_done {
            section.extend(latencies(view, device));
            section.extend(percentiles(view, device));
        }
    }
    if is_done {
        section.extend(over_time(view));
    }
    section
}

/// Where requests lay, and how large the largest of each place was.
fn offsets(view: &TraceView<'_>, device: &DeviceReport) -> Option<Block> {
    let words = view.words();
    let grid = &device.offsets;
    let upright =
        Axis { title: words.say("trace-chart-offset"), numbers: Numbers::Binary, spread: Spread::Linear };
    let mut plot = cells(view, grid, upright, |sector| sector as f64 * SECTOR_BYTES as f64)?;
    for (cell, own) in plot.cells.iter_mut().zip(&grid.cells) {
        cell.bytes = Some(own.largest);
    }
    let title = words.tell_texts("trace-chart-offsets", &[("device", &view.device(device.device))]);
    Some(Block::Chart { title, note: Some(note(view, grid)), plot: Box::new(plot) })
}

/// How long requests took, by when they were completed.
fn latencies(view: &TraceView<'_>, device: &DeviceReport) -> Option<Block> {
    let words = view.words();
    let (grid, key) = if device.is_bio_based {
        (&device.whole_latencies, "trace-chart-whole-latencies")
    } else {
        (&device.device_latencies, "trace-chart-device-latencies")
    };
    let upright = Axis {
        title: words.say("trace-chart-latency"),
        numbers: Numbers::Unit(Unit::Seconds),
        spread: Spread::Decades,
    };
    let plot = cells(view, grid, upright, |latency_ns| latency_ns as f64 / 1e9)?;
    let title = words.tell_texts(key, &[("device", &view.device(device.device))]);
    Some(Block::Chart { title, note: Some(note(view, grid)), plot: Box::new(plot) })
}

/// A grid as a plot; nothing where there is nothing in it.
fn cells(
    view: &TraceView<'_>,
    grid: &GridReport,
    upright: Axis,
    value: impl Fn(u64) -> f64,
) -> Option<CellPlot> {
    let words = view.words();
    let start_ns = view.report().span.start_ns;
    let cells: Vec<PlotCell> = grid
        .cells
        .iter()
        .map(|cell| PlotCell {
            time_s: seconds_since(start_ns, cell.time_ns),
            value: value(cell.value),
            counts: [u64::from(cell.reads), u64::from(cell.writes)],
            bytes: None,
        })
        .collect();
    let names = ["trace-reads", "trace-chart-not-reads"].map(|key| words.say(key));
    (!cells.is_empty()).then(|| CellPlot { span_s: span_s(view), upright, names, cells })
}

/// How a grid was thinned.
fn note(view: &TraceView<'_>, grid: &GridReport) -> String {
    let all: u64 = grid.cells.iter().map(|cell| u64::from(cell.reads) + u64::from(cell.writes)).sum();
    let arguments = [
        ("requests", counted(all).into()),
        ("cells", counted(grid.cells.len() as u64).into()),
        ("width", duration(grid.column_ns).into()),
    ];
    view.words().tell("trace-chart-note", &arguments)
}

/// The distribution of the main phases of reads and writes.
fn percentiles(view: &TraceView<'_>, device: &DeviceReport) -> Option<Block> {
    let words = view.words();
    let phases = [IoPhase::QueueToIssue, IoPhase::IssueToComplete, IoPhase::QueueToComplete].into_iter();
    let each = phases.flat_map(|phase| [IoClass::Read, IoClass::Write].map(|class| (phase, class)));
    let curves: Vec<Curve> = each
        .filter_map(|(phase, class)| {
            let times_ns = device.phase(phase, class)?;
            let points = points(times_ns);
            let name = format!("{}, {}", phases::name(view, phase), view.class(class));
            (points.len() > 1).then_some(Curve { name, points, count: times_ns.count })
        })
        .collect();
    let value = Axis {
        title: words.say("trace-chart-latency"),
        numbers: Numbers::Unit(Unit::Seconds),
        spread: Spread::Auto,
    };
    let title = words.tell_texts("trace-chart-phases", &[("device", &view.device(device.device))]);
    (!curves.is_empty()).then(|| {
        let plot = Percentiles { value, curves, references: Vec::new() };
        Block::Chart { title, note: None, plot: Box::new(plot) }
    })
}

/// Shares and the times that they do not exceed, as far as enough lies beyond.
fn points(times_ns: &ValueSummary) -> Vec<(f64, f64)> {
    let Some(histogram) = &times_ns.histogram else { return Vec::new() };
    let steps = 0..=NINES_MOST * POINTS_A_NINE;
    let share = |step: i32| 1.0 - 10f64.powf(-f64::from(step) / f64::from(POINTS_A_NINE));
    let supported = |share: &f64| times_ns.count as f64 * (1.0 - share) >= BEYOND as f64;
    let shares = steps.map(share).take_while(supported);
    shares.map(|share| (share, histogram.value_at_quantile(share) as f64 / 1e9)).collect()
}

/// Depth and who submitted, on one clock.
fn over_time(view: &TraceView<'_>) -> Option<Block> {
    let words = view.words();
    let mut panels: Vec<Panel> = submitters(view).into_iter().collect();
    for device in view.devices().take(DEVICES_MOST) {
        panels.extend(depth(view, device));
    }
    (!panels.is_empty()).then(|| Block::Chart {
        title: words.say("trace-chart-over-time"),
        note: None,
        plot: Box::new(Panels { span: span_s(view), window: None, phases: Vec::new(), panels }),
    })
}

fn depth(view: &TraceView<'_>, device: &DeviceReport) -> Option<Panel> {
    let words = view.words();
    let start_ns = view.report().span.start_ns;
    let track = |key: &str, depth: &DepthReport| {
        let first = depth.points.first()?;
        Some(Track {
            name: words.say(key),
            start_s: seconds_since(start_ns, first.time_ns),
            interval_s: depth.interval_ns as f64 / 1e9,
            values: depth.points.iter().map(|point| point.mean).collect(),
        })
    };
    let waiting = device.waiting.as_ref().and_then(|waiting| track("trace-depth-waiting", waiting));
    let tracks: Vec<Track> = track("trace-depth-device", &device.depth).into_iter().chain(waiting).collect();
    let title = words.tell_texts("trace-chart-depth", &[("device", &view.device(device.device))]);
    (device.depth.max > 0 && !tracks.is_empty()).then(|| Panel {
        title,
        numbers: Numbers::Count,
        stacked: false,
        tracks,
        references: Vec::new(),
    })
}

/// The rate of each name, the others together.
fn submitters(view: &TraceView<'_>) -> Option<Panel> {
    let words = view.words();
    let report = &view.report().threads;
    let mut by_name: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for (_, io) in &report.threads {
        add(by_name.entry(view.task(&io.task)).or_default(), &io.series_bytes);
    }
    let mut named: Vec<(String, Vec<u64>)> = by_name.into_iter().collect();
    named.sort_by_key(|(name, series)| (Reverse(series.iter().sum::<u64>()), name.clone()));
    let mut rest = report.rest.as_ref().map(|rest| rest.series_bytes.clone()).unwrap_or_default();
    for (_, series) in named.drain(NAMES_MOST.min(named.len())..) {
        add(&mut rest, &series);
    }
    named.extend((rest.iter().any(|bytes| *bytes > 0)).then(|| (words.say("trace-all-others"), rest)));
    let interval_s = report.interval_ns as f64 / 1e9;
    if named.is_empty() || interval_s <= 0.0 {
        return None;
    }
    let length = named.iter().map(|(_, series)| series.len()).max().unwrap_or(0);
    let tracks = named.into_iter().map(|(name, mut series)| {
        series.resize(length, 0);
        let values = series.into_iter().map(|bytes| bytes as f64 / interval_s).collect();
        Track { name, start_s: 0.0, interval_s, values }
    });
    Some(Panel {
        title: words.say("trace-chart-submitters"),
        numbers: Numbers::Unit(Unit::BytesPerSecond),
        stacked: true,
        tracks: tracks.collect(),
        references: Vec::new(),
    })
}

fn add(sum: &mut Vec<u64>, more: &[u64]) {
    if sum.len() < more.len() {
        sum.resize(more.len(), 0);
    }
    sum.iter_mut().zip(more).for_each(|(own, more)| *own += more);
}

fn span_s(view: &TraceView<'_>) -> (f64, f64) {
    (0.0, view.report().span.length_ns() as f64 / 1e9)
}

fn seconds_since(start_ns: u64, time_ns: u64) -> f64 {
    time_ns.saturating_sub(start_ns) as f64 / 1e9
}
