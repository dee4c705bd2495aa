//! fio's JSON. Its times are in nanoseconds, its rates in bytes per second; all figures of a
//! result stand at the line where the text begins.

use std::collections::BTreeMap;

use model::tool_result::{PrintedValue, ToolMeasurement};
use model::{MetricName, Unit, metric};
use serde::Deserialize;

use super::run::{FioDirection, FioJob, FioRun, percentile};
use crate::tool::block::ToolBlock;
use crate::tool::number::{exact, plain};
use crate::tool::reader::NotUnderstood;

/// What is read of a document; it has more.
#[derive(Deserialize)]
struct Document {
    #[serde(rename = "fio version")]
    version: String,
    time: Option<String>,
    #[serde(default, rename = "global options")]
    options: BTreeMap<String, String>,
    #[serde(default)]
    jobs: Vec<Job>,
}

#[derive(Deserialize)]
struct Job {
    jobname: String,
    #[serde(default)]
    groupid: u64,
    #[serde(default, rename = "job options")]
    options: Option<BTreeMap<String, String>>,
    read: Option<Direction>,
    write: Option<Direction>,
    trim: Option<Direction>,
}

#[derive(Deserialize)]
struct Direction {
    io_bytes: u64,
    bw_bytes: Option<u64>,
    iops: Option<f64>,
    /// Milliseconds.
    runtime: Option<u64>,
    total_ios: Option<u64>,
    slat_ns: Option<Times>,
    clat_ns: Option<Times>,
    lat_ns: Option<Times>,
}

#[derive(Deserialize)]
struct Times {
    max: Option<f64>,
    mean: Option<f64>,
    #[serde(default, rename = "N")]
    count: u64,
    #[serde(default)]
    percentile: BTreeMap<String, f64>,
}

/// Reads a document.
///
/// # Errors
/// If it is cut, or not fio's of version 3.
pub(super) fn read(block: &ToolBlock<'_>) -> Result<FioRun, NotUnderstood> {
    let document: Document = serde_json::from_str(&block.text()).map_err(|error| match error.is_eof() {
        true => NotUnderstood::CutShort,
        false => NotUnderstood::OtherText,
    })?;
    let line = block.range().first;
    let version = document.version.strip_prefix("fio-").unwrap_or(&document.version);
    let mut run = FioRun {
        version: Some(version.to_owned()),
        moment: document.time,
        // Options without a value are missing, as time_based is.
        knows_options: document.jobs.iter().all(|job| job.options.is_some()),
        jobs: document.jobs.into_iter().map(|job| of_job(line, job)).collect(),
        status: Vec::new(),
        options: document.options,
    };
    run.add_command(block);
    Ok(run)
}

fn of_job(line: u64, job: Job) -> FioJob {
    let directions = [("read", job.read), ("write", job.write), ("trim", job.trim)];
    let did = directions.into_iter().filter_map(|(class, direction)| {
        let direction = direction.filter(|direction| direction.io_bytes > 0)?;
        Some(FioDirection { class, measured: measured(line, &direction) })
    });
    FioJob {
        name: job.jobname,
        group: job.groupid,
        jobs: None,
        directions: did.collect(),
        options: job.options.unwrap_or_default(),
    }
}

fn measured(line: u64, direction: &Direction) -> ToolMeasurement {
    let mut measured = ToolMeasurement {
        window: direction.runtime.map(|ms| PrintedValue {
            half_step: 0.0005,
            ..plain(line, format!("{ms} ms"), ms as f64 / 1000.0, Unit::Seconds)
        }),
        bytes: Some(exact(line, direction.io_bytes, Unit::Bytes)),
        operations: direction.total_ios.map(|total| exact(line, total, Unit::One)),
        ..ToolMeasurement::default()
    };
    let rate = |bytes: u64| PrintedValue { half_step: 0.5, ..exact(line, bytes, Unit::BytesPerSecond) };
    measured.add(metric::THROUGHPUT, direction.bw_bytes.map(rate));
    let iops = |iops: f64| plain(line, iops.to_string(), iops, Unit::PerSecond);
    measured.add(metric::IOPS, direction.iops.map(iops));
    let ns = |ns: f64| plain(line, format!("{ns} ns"), ns / 1e9, Unit::Seconds);
    let whole = direction.lat_ns.as_ref().filter(|times| times.count > 0);
    measured.add(metric::LATENCY_MAX, whole.and_then(|times| times.max).map(ns));
    measured.add(MetricName::new("latency_mean"), whole.and_then(|times| times.mean).map(ns));
    // Where submission was timed, the times until completion are not all.
    let is_submitted = direction.slat_ns.as_ref().is_some_and(|times| times.count > 0);
    let until_completion = if is_submitted { "device_latency" } else { "latency" };
    for (distribution, times) in [(until_completion, &direction.clat_ns), ("latency", &direction.lat_ns)] {
        let percentiles = times.iter().flat_map(|times| &times.percentile);
        for (percent, value) in percentiles {
            if let Some(metric) = percentile(distribution, percent).filter(|m| measured.figure(*m).is_none())
            {
                measured.add(metric, Some(ns(*value)));
            }
        }
    }
    measured
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"{"fio version" : "fio-3.33", "jobs" : [{"jobname" : "a", "groupid" : 0, "job options" : {"rw" : "read"},
        "read" : {"io_bytes" : 4096000, "bw_bytes" : 2048000, "iops" : 500.0, "runtime" : 2000, "total_ios" : 1000,
        "slat_ns" : {"max" : 0, "mean" : 0.0, "N" : 0},
        "clat_ns" : {"max" : 9000, "mean" : 1000.5, "N" : 1000, "percentile" : {"99.000000" : 5000}},
        "lat_ns" : {"max" : 9100, "mean" : 1100.5, "N" : 1000}},
        "write" : {"io_bytes" : 0}}]}"#;

    #[test]
    fn a_direction_that_did_nothing_is_none() {
        let lines = super::super::lines(TEXT);
        let run = read(&ToolBlock { lines: &lines, command: None }).unwrap();
        let job = &run.jobs[0];
        assert_eq!(
            (run.version.as_deref(), job.directions.len(), run.knows_options),
            (Some("3.33"), 1, true)
        );
        let read = &job.directions[0].measured;
        assert_eq!(read.figure(metric::LATENCY_P99).map(|p99| p99.value), Some(5e-6));
        assert_eq!(read.figure(metric::LATENCY_MAX).map(|max| max.value), Some(9.1e-6));
        assert_eq!(read.window.as_ref().map(|window| window.value), Some(2.0));
    }

    #[test]
    fn cut_text_is_told_from_another() {
        let error = |text: &str| {
            let lines = super::super::lines(text);
            read(&ToolBlock { lines: &lines, command: None }).unwrap_err()
        };
        assert_eq!(error(&TEXT[..200]), NotUnderstood::CutShort);
        assert_eq!(error("{\"fio version\" : 3}"), NotUnderstood::OtherText);
    }
}
