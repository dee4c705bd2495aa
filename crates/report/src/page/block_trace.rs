//! What the kernel sent to the device, where that was traced: a table of the parts of each
//! request's way, and one of what came to the device.

use model::block_trace::{DeviceTrace, TraceCounts};
use model::run::CaseResult;
use model::{MetricName, Unit, metric};
use stats::distribution::Distribution;
use stats::interval;

use crate::document::{Block, Column, Table, Text};
use crate::format;
use crate::traced::TracedCase;
use crate::view::View;

/// Cases that get rows: a table is read.
const CASES_MOST: usize = 60;

/// The parts of the way, in its order, with their words.
const PHASES: &[(MetricName, &str)] = &[
    (metric::QUEUE_TO_GET, "phase-q2g"),
    (metric::GET_TO_INSERT, "phase-g2i"),
    (metric::INSERT_TO_ISSUE, "phase-i2d"),
    (metric::QUEUE_TO_ISSUE, "phase-q2d"),
    (metric::ISSUE_TO_COMPLETE, "phase-d2c"),
    (metric::QUEUE_TO_COMPLETE, "phase-q2c"),
];

/// Both tables; nothing where no case was traced.
pub(super) fn blocks(view: &View<'_>, cases: &[&CaseResult]) -> Vec<Block> {
    let traced: Vec<(&CaseResult, TracedCase<'_>)> = cases
        .iter()
        .filter_map(|case| Some((*case, TracedCase::of(view.run, case)?)))
        .take(CASES_MOST)
        .collect();
    if traced.is_empty() {
        return Vec::new();
    }
    vec![
        Block::Table(phases(view, &traced, cases.len() > 1)),
        Block::Table(requests(view, &traced).without_empty_columns()),
    ]
}

fn phases(view: &View<'_>, all: &[(&CaseResult, TracedCase<'_>)], are_several: bool) -> Table {
    let mut columns = vec![Column::words(view.say("column-phase"))];
    let numbers = [
        "column-phase-count",
        "column-phase-mean",
        "column-phase-p50",
        "column-phase-p99",
        "column-phase-share",
    ];
    columns.extend(numbers.iter().map(|key| Column::numbers(view.say(key))));
    let mut table = Table { caption: view.say("block-phases-table"), columns, ..Table::default() };
    for (case, traced) in all {
        if are_several {
            table.groups.push((table.rows.len(), view.short(case).into()));
        }
        let whole = traced.phase(metric::QUEUE_TO_COMPLETE).and_then(|all| total(&all));
        let own = traced.latency().map(|latency| row(view, "phase-load", &latency, None));
        let parts = PHASES.iter().filter_map(|(phase, key)| {
            Some(row(
                view,
                key,
                &traced.phase(*phase)?,
                whole.filter(|_| *phase != metric::QUEUE_TO_COMPLETE),
            ))
        });
        table.rows.extend(own.into_iter().chain(parts));
    }
    table.without_empty_columns()
}

/// All the time of a phase together, ns.
fn total(all: &Distribution) -> Option<f64> {
    Some(all.mean()? * all.len() as f64).filter(|total| *total > 0.0)
}

fn row(view: &View<'_>, key: &str, times: &Distribution, whole_ns: Option<f64>) -> Vec<Text> {
    let time = |ns: Option<f64>| ns.map_or_else(String::new, |ns| format::quantity(ns / 1e9, Unit::Seconds));
    let share = whole_ns.zip(total(times)).map(|(whole, own)| format::percent(own / whole));
    let cells = [
        view.say(key),
        format::fixed(times.len() as f64, 0, ""),
        time(times.mean()),
        time(times.percentile(50.0)),
        time(times.percentile(99.0)),
        share.unwrap_or_default(),
    ];
    cells.into_iter().map(Text::from).collect()
}

fn requests(view: &View<'_>, all: &[(&CaseResult, TracedCase<'_>)]) -> Table {
    let mut columns = vec![Column::words(view.say("column-case"))];
    let numbers = [
        "column-trace-queued",
        "column-trace-would-block",
        "column-trace-merged",
        "column-trace-split",
        "column-trace-issued",
        "column-trace-requeued",
        "column-trace-flushes",
        "column-trace-size",
        "column-trace-sequential",
        "column-trace-depth",
        "column-trace-depth-max",
        "column-trace-lost",
    ];
    columns.extend(numbers.iter().map(|key| Column::numbers(view.say(key))));
    let mut table = Table { caption: view.say("block-requests-table"), columns, ..Table::default() };
    for (case, traced) in all {
        table.rows.push(counts(view, case, traced));
    }
    table
}

fn counts(view: &View<'_>, case: &CaseResult, traced: &TracedCase<'_>) -> Vec<Text> {
    let devices: Vec<&DeviceTrace> = traced.devices().collect();
    let count = |f: fn(&TraceCounts) -> u64| {
        let all: u64 = devices.iter().map(|device| f(&device.counts)).sum();
        format::fixed(all as f64, 0, "")
    };
    // What is seldom there is left out where it never was.
    let rare = |f: fn(&TraceCounts) -> u64| {
        let is_there = devices.iter().any(|device| f(&device.counts) > 0);
        if is_there { count(f) } else { String::new() }
    };
    let median = |f: fn(&DeviceTrace) -> Option<f64>| {
        interval::median(&devices.iter().filter_map(|device| f(device)).collect::<Vec<_>>())
    };
    let size = median(|device| device.sizes.map(|sizes| sizes.commonest as f64));
    let deepest = devices.iter().map(|device| device.depth_max).max().unwrap_or(0);
    let (_, lost) = traced.events();
    let cells = [
        format!("{}, {}", view.short(case), view.resource(&traced.device)),
        count(|counts| counts.queued),
        rare(|counts| counts.would_block),
        rare(|counts| counts.merged),
        rare(|counts| counts.split),
        rare(|counts| counts.issued),
        rare(|counts| counts.requeued),
        rare(|counts| counts.flushes),
        size.map(|bytes| format::part(bytes as u64)).unwrap_or_default(),
        median(|device| device.sequential).map(format::percent).unwrap_or_default(),
        median(|device| device.depth_mean).map(|depth| format::fixed(depth, 1, "")).unwrap_or_default(),
        deepest.to_string(),
        // That nothing was lost is worth a word.
        lost.to_string(),
    ];
    cells.into_iter().map(Text::from).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use model::Resource;
    use model::block_trace::BlockTrace;
    use model::run::CaseRole;
    use model::trial::{Status, Trial, TrialResult};

    use super::*;

    fn trial(order: u32, device: &DeviceTrace) -> Trial {
        let mut result = TrialResult::default();
        let trace = BlockTrace {
            events: 10_000,
            lost_events: 3,
            devices: vec![device.clone()],
            ..BlockTrace::default()
        };
        result.local_mut().block_trace = Some(trace);
        Trial { order, block: order, started: String::new(), status: Status::Ok, reason: None, result }
    }

    #[test]
    fn the_way_of_requests_stands_in_a_table_beside_what_the_load_saw() {
        let mut histogram = stats::histogram::new_latency();
        histogram.record_n(200_000, 2_000).unwrap();
        let text = stats::histogram::encode(&histogram).unwrap();
        let phase =
            BTreeMap::from([(metric::QUEUE_TO_COMPLETE, text.clone()), (metric::ISSUE_TO_COMPLETE, text)]);
        let device = DeviceTrace {
            resource: Resource::from("block:sda"),
            has_requests: true,
            counts: TraceCounts { queued: 2_000, issued: 2_000, completed: 2_000, ..TraceCounts::default() },
            phases: phase,
            depth_max: 8,
            ..DeviceTrace::default()
        };
        let mut run = crate::tests::run();
        let mut twin = run.cases[0].clone();
        twin.role = CaseRole::Observed { of: 0 };
        twin.trials = (0..3).map(|order| trial(order, &device)).collect();
        run.cases.push(twin);
        let subject = crate::page::Subject { run: &run, words: language::Language::English.words() };
        let view = View::new(&subject);
        let blocks = blocks(&view, &[&run.cases[0]]);
        let tables: Vec<&Table> = blocks
            .iter()
            .filter_map(|b| if let Block::Table(table) = b { Some(table) } else { None })
            .collect();
        let cells: Vec<String> = tables.iter().flat_map(|t| &t.rows).flatten().map(Text::words).collect();
        assert!(cells.iter().any(|cell| cell.contains("D2C")), "{cells:?}");
        assert!(cells.contains(&format::fixed(6_000.0, 0, "")), "{cells:?}");
        assert!(cells.contains(&"9".to_owned()), "lost events are said: {cells:?}");
        assert!(super::blocks(&view, &[]).is_empty());
    }
}
