//! What is watched as metrics in Prometheus' text format, version 0.0.4
//! (<https://prometheus.io/docs/instrumenting/exposition_formats/>). Their names and units are fixed.
//!
//! Who asks every 15 s sees one value of many. So the shares of limits and the latencies of disks are histograms, too, to
//! which each sample adds.

#[cfg(test)]
mod dashboard_tests;
mod histogram;
mod server;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};

use crate::situation::{LimitOrigin, LimitShare, ResourceActivity, ResourceRow, Situation, UseMeasure};
use histogram::Histogram;
pub use server::{MetricServer, MetricServerError};

/// Upper bounds of the buckets of shares.
const SHARES: &[f64] = &[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0];
/// Upper bounds of the buckets of latencies, s.
const LATENCIES: &[f64] = &[
    0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5,
];

/// What of all metrics is said of: labels, in the order of the text.
type Labels = Vec<(&'static str, String)>;

/// All metrics, as of the latest sample.
#[derive(Debug, Default)]
struct MetricState {
    situation: Situation,
    shares: BTreeMap<Labels, Histogram>,
    latencies: BTreeMap<Labels, Histogram>,
    version: String,
    hostname: String,
    samples: u64,
    cpu_s: f64,
}

/// Metrics that one thread makes and others hand out.
#[derive(Clone, Debug, Default)]
pub struct WatchMetrics(Arc<Mutex<MetricState>>);

impl WatchMetrics {
    /// None yet, of this machine by this release.
    #[must_use]
    pub fn new(hostname: &str, version: &str) -> Self {
        let (hostname, version) = (hostname.to_owned(), version.to_owned());
        Self(Arc::new(Mutex::new(MetricState { hostname, version, ..MetricState::default() })))
    }

    /// Takes a situation, and adds to the histograms what it says of `seconds`.
    pub fn take(&self, situation: &Situation, seconds: f64) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.samples += 1;
        state.cpu_s += situation.own_cpu.unwrap_or_default() * seconds;
        for row in situation.rows.iter().filter(|row| row.machine.is_none()) {
            for used in &row.uses {
                if let Some(share) = used.middle() {
                    state
                        .shares
                        .entry(of_use(row, used))
                        .or_insert_with(|| Histogram::new(SHARES))
                        .add(share, 1);
                }
            }
            if let ResourceActivity::Disk { operations, latency_s, .. } = &row.activity {
                for (way, direction) in ["read", "write"].into_iter().enumerate() {
                    let count = (operations[way] * seconds).round() as u64;
                    if let Some(latency) = latency_s[way].filter(|_| count > 0) {
                        let labels = vec![
                            ("device", row.resource.name().to_owned()),
                            ("direction", direction.to_owned()),
                        ];
                        let known = state.latencies.entry(labels);
                        known.or_insert_with(|| Histogram::new(LATENCIES)).add(latency, count);
                    }
                }
            }
        }
        state.situation = situation.clone();
        // Another machine hands out its own.
        state.situation.rows.retain(|row| row.machine.is_none());
    }

    /// All of them, as text.
    #[must_use]
    pub fn text(&self) -> String {
        let state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        written(&state)
    }
}

fn resource(row: &ResourceRow) -> (&'static str, String) {
    ("resource", row.resource.to_string())
}

fn of_use(row: &ResourceRow, used: &LimitShare) -> Labels {
    let measure = match used.measure {
        UseMeasure::Cpu => "cpu",
        UseMeasure::Operations => "operations",
        UseMeasure::Reads => "reads",
        UseMeasure::Writes => "writes",
        UseMeasure::Flushes => "flushes",
        UseMeasure::Bytes => "bytes",
        UseMeasure::BytesIn => "bytes_in",
        UseMeasure::BytesOut => "bytes_out",
        UseMeasure::Memory => "memory",
    };
    let origin = used.limit.as_ref().map(|limit| match &limit.origin {
        LimitOrigin::Mixes { .. } | LimitOrigin::Goodput { .. } | LimitOrigin::Syncs { .. } => "measured",
        LimitOrigin::Link(_) => "link",
        LimitOrigin::Datasheet(_) => "datasheet",
        LimitOrigin::Quota(_) => "quota",
        LimitOrigin::Hardware => "hardware",
    });
    vec![resource(row), ("measure", measure.to_owned()), ("origin", origin.unwrap_or("unknown").to_owned())]
}

/// One metric: its name, what it is, and its samples.
struct Family {
    name: &'static str,
    kind: &'static str,
    help: &'static str,
    samples: Vec<(Labels, f64)>,
}

fn written(state: &MetricState) -> String {
    let mut out = String::new();
    for family in families(state) {
        head(&mut out, family.name, family.kind, family.help);
        for (labels, value) in &family.samples {
            let _ = writeln!(out, "{}{} {}", family.name, labels_text(labels, None), number(*value));
        }
    }
    let histograms = [
        (
            "headroom_limit_use_ratio",
            "How full each limit was, in the middle of its range, of each sample.",
            &state.shares,
        ),
        (
            "headroom_disk_latency_seconds",
            "Time that operations took, each counted with the mean of its interval.",
            &state.latencies,
        ),
    ];
    for (name, help, all) in histograms {
        head(&mut out, name, "histogram", help);
        for (labels, histogram) in all {
            for (bound, count) in histogram.cumulative() {
                let labels = labels_text(labels, Some(bound));
                let _ = writeln!(out, "{name}_bucket{labels} {count}");
            }
            let labels = labels_text(labels, None);
            let _ = writeln!(out, "{name}_sum{labels} {}", number(histogram.sum()));
            let _ = writeln!(out, "{name}_count{labels} {}", histogram.count());
        }
    }
    out
}

fn head(out: &mut String, name: &str, kind: &str, help: &str) {
    let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}");
}

fn families(state: &MetricState) -> Vec<Family> {
    let rows = &state.situation.rows;
    let shares = |end: fn((f64, f64)) -> f64| -> Vec<(Labels, f64)> {
        let of = |row: &ResourceRow| -> Vec<(Labels, f64)> {
            row.uses.iter().filter_map(|used| Some((of_use(row, used), end(used.share()?)))).collect()
        };
        rows.iter().flat_map(of).collect()
    };
    let known = |row: &ResourceRow| (vec![resource(row)], f64::from(u8::from(row.nearest().is_some())));
    let first = state.situation.nearest().and_then(|(row, used)| Some((vec![resource(row)], used.middle()?)));
    let pressure = state.situation.pressure.iter().flat_map(|(name, some, full)| {
        let of = |kind: &str, share: f64| {
            (vec![("resource", (*name).to_owned()), ("kind", kind.to_owned())], share)
        };
        [of("some", *some), of("full", *full)]
    });
    let gauge = |name, help, samples| Family { name, kind: "gauge", help, samples };
    let mut all = vec![
        gauge(
            "headroom_build_info",
            "The release that watches, and the machine; always 1.",
            vec![(vec![("version", state.version.clone()), ("hostname", state.hostname.clone())], 1.0)],
        ),
        gauge("headroom_limit_used_low_ratio", "How full each known limit is, at least.", shares(|s| s.0)),
        gauge("headroom_limit_used_high_ratio", "How full each known limit is, at most.", shares(|s| s.1)),
        gauge(
            "headroom_limit_known",
            "Whether any limit of the resource is known at its present use.",
            rows.iter().map(known).collect(),
        ),
        gauge(
            "headroom_limit_age_seconds",
            "How long ago the nearest limit was measured.",
            rows.iter().filter_map(|row| Some((vec![resource(row)], limit_age_s(row)?))).collect(),
        ),
        gauge(
            "headroom_nearest_ratio",
            "How full the resource is that is nearest to being full.",
            first.into_iter().collect(),
        ),
        gauge(
            "headroom_pressure_ratio",
            "Share of time in which some or all tasks waited (PSI).",
            pressure.collect(),
        ),
    ];
    all.extend(activities(rows));
    all.push(Family {
        name: "headroom_watch_samples_total",
        kind: "counter",
        help: "Samples taken.",
        samples: vec![(Vec::new(), state.samples as f64)],
    });
    all.push(Family {
        name: "headroom_watch_cpu_seconds_total",
        kind: "counter",
        help: "CPU time that watching took.",
        samples: vec![(Vec::new(), state.cpu_s)],
    });
    all
}

/// How long ago the nearest limit of a resource was measured, in seconds.
fn limit_age_s(row: &ResourceRow) -> Option<f64> {
    let age_s = match &row.nearest()?.limit.as_ref()?.origin {
        LimitOrigin::Mixes { age_s, .. }
        | LimitOrigin::Goodput { age_s, .. }
        | LimitOrigin::Syncs { age_s, .. } => (*age_s)?,
        _ => return None,
    };
    Some(age_s as f64)
}

/// A way of a resource that has two, with what passes it.
fn ways(device: (&'static str, &str), words: [&str; 2], values: [f64; 2]) -> Vec<(Labels, f64)> {
    let of = |way: usize| {
        (vec![(device.0, device.1.to_owned()), ("direction", words[way].to_owned())], values[way])
    };
    vec![of(0), of(1)]
}

/// What each resource does now.
fn activities(rows: &[ResourceRow]) -> Vec<Family> {
    let mut samples: BTreeMap<&'static str, Vec<(Labels, f64)>> = BTreeMap::new();
    let mut add = |name, more: Vec<(Labels, f64)>| samples.entry(name).or_default().extend(more);
    for row in rows {
        let name = row.resource.name();
        match &row.activity {
            ResourceActivity::Processors { busy, online, .. } => {
                add("headroom_cpus_busy", vec![(Vec::new(), *busy)]);
                add("headroom_cpus", vec![(Vec::new(), *online as f64)]);
            }
            ResourceActivity::Disk { operations, bytes, depth, .. } => {
                let device = ("device", name);
                add("headroom_disk_operations_per_second", ways(device, ["read", "write"], *operations));
                add("headroom_disk_bytes_per_second", ways(device, ["read", "write"], *bytes));
                add("headroom_disk_in_flight", vec![(vec![("device", name.to_owned())], *depth)]);
            }
            ResourceActivity::Interface { bytes, packets, .. } => {
                let device = ("interface", name);
                add("headroom_network_bytes_per_second", ways(device, ["receive", "send"], *bytes));
                add("headroom_network_packets_per_second", ways(device, ["receive", "send"], *packets));
            }
            ResourceActivity::Memory { used, total, .. } => {
                add("headroom_memory_used_bytes", vec![(vec![resource(row)], *used)]);
                add("headroom_memory_bytes", vec![(vec![resource(row)], *total)]);
            }
            ResourceActivity::Group { cpu, .. } => {
                let of = |cpu: f64| (vec![("group", name.to_owned())], cpu);
                add("headroom_group_cpus_busy", cpu.map(of).into_iter().collect());
            }
            ResourceActivity::MemoryTraffic { bytes } => {
                add("headroom_memory_bytes_per_second", vec![(Vec::new(), *bytes)]);
            }
            ResourceActivity::GroupDevice { .. } => {}
        }
    }
    let family = |(name, help): &(&'static str, &'static str)| {
        let samples = samples.remove(name).filter(|samples| !samples.is_empty())?;
        Some(Family { name, kind: "gauge", help, samples })
    };
    ACTIVITIES.iter().filter_map(family).collect()
}

/// The metrics of what resources do, in the order of the text.
const ACTIVITIES: &[(&str, &str)] = &[
    ("headroom_cpus_busy", "CPUs that were busy."),
    ("headroom_cpus", "CPUs that are online."),
    ("headroom_disk_operations_per_second", "Operations of a disk."),
    ("headroom_disk_bytes_per_second", "Bytes that a disk moved."),
    ("headroom_disk_in_flight", "Operations that a disk had in the mean."),
    (
        "headroom_network_bytes_per_second",
        "Bytes of frames, as a wire would have them, without what is around them.",
    ),
    ("headroom_network_packets_per_second", "Packets, as a wire would have them."),
    ("headroom_memory_used_bytes", "Memory that cannot be had at once."),
    ("headroom_memory_bytes", "Memory that there is or that a control group may have."),
    ("headroom_memory_bytes_per_second", "Bytes between processors and memory, where something counts them."),
    ("headroom_group_cpus_busy", "CPUs that a control group with a quota used."),
];

/// Labels in braces; of a bucket with its upper bound.
fn labels_text(labels: &Labels, bound: Option<f64>) -> String {
    let escaped = |value: &str| value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    let mut all: Vec<String> =
        labels.iter().map(|(name, value)| format!("{name}=\"{}\"", escaped(value))).collect();
    all.extend(bound.map(|bound| format!("le=\"{}\"", number(bound))));
    if all.is_empty() { String::new() } else { format!("{{{}}}", all.join(",")) }
}

/// As the format writes numbers.
fn number(value: f64) -> String {
    match value {
        v if v.is_nan() => "NaN".to_owned(),
        f64::INFINITY => "+Inf".to_owned(),
        f64::NEG_INFINITY => "-Inf".to_owned(),
        v => format!("{v}"),
    }
}
