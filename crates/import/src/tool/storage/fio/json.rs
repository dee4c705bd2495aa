//! fio's JSON, of 2.x and 3.x, of clients too. All figures of a result stand at the line where the text begins.
//!
//! Since 2.99 its times are in nanoseconds, before in microseconds; since 2.21 `io_bytes` is in bytes,
//! before in KiB. JSON+ has histograms, of which percentiles are read that are not listed.

use std::collections::BTreeMap;

use model::tool_result::{Counting, LineRange, PrintedValue, ToolMeasurement};
use model::{MetricName, Unit, metric};
use serde::Deserialize;
use serde_json::error::Category;

use super::run::{ALL_CLIENTS, FioDirection, FioJob, FioRun, KEPT, MIXED, percentile};
use crate::tool::block::ToolBlock;
use crate::tool::number::{exact, plain};
use crate::tool::reader::NotUnderstood;
use crate::tool::storage::failure;

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
    /// In place of `jobs`, where a client prints it.
    #[serde(default, rename = "client_stats")]
    clients: Vec<Job>,
}

#[derive(Deserialize)]
struct Job {
    jobname: String,
    #[serde(default)]
    groupid: u64,
    /// Seconds since the start.
    elapsed: Option<u64>,
    #[serde(default, rename = "job options")]
    options: Option<BTreeMap<String, String>>,
    read: Option<Direction>,
    write: Option<Direction>,
    trim: Option<Direction>,
    mixed: Option<Direction>,
    sync: Option<Syncs>,
    /// Milliseconds that its threads ran, one added to the other.
    job_runtime: Option<u64>,
    /// The number of the error that ended it, or 0.
    error: Option<i64>,
}

#[derive(Deserialize)]
struct Direction {
    io_bytes: u64,
    /// Since 2.21; `io_bytes` was in KiB before.
    io_kbytes: Option<u64>,
    bw_bytes: Option<u64>,
    /// KiB a second.
    bw: Option<f64>,
    iops: Option<f64>,
    /// Milliseconds.
    runtime: Option<u64>,
    total_ios: Option<u64>,
    slat_ns: Option<Times>,
    clat_ns: Option<Times>,
    lat_ns: Option<Times>,
    /// Microseconds, before 2.99.
    slat: Option<Times>,
    clat: Option<Times>,
    lat: Option<Times>,
}

#[derive(Deserialize)]
struct Syncs {
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
    /// How many operations took how long.
    #[serde(default)]
    bins: BTreeMap<String, u64>,
}

impl Job {
    /// How many threads ran at least, by the times of all of them and of the longest direction.
    fn threads(&self) -> Option<u64> {
        let directions = [&self.read, &self.write, &self.trim, &self.mixed];
        let longest = directions.into_iter().flatten().filter_map(|direction| direction.runtime).max()?;
        let threads = self.job_runtime? as f64 / longest as f64;
        (longest >= TIMED_MS && threads.is_finite()).then(|| threads.round() as u64)
    }
}

/// Of shorter runs the time that threads take to begin is too large a part.
const TIMED_MS: u64 = 1000;

impl Times {
    /// Whether there was an operation.
    fn is_any(&self) -> bool {
        self.count > 0 || self.max.is_some_and(|max| max > 0.0)
    }

    /// The time within which so many per cent were done, as fio computes it: of the first bin with which
    /// that share is reached.
    fn of_bins(&self, percent: f64) -> Option<f64> {
        let bins = self.bins.iter().map(|(time, count)| Some((time.parse::<f64>().ok()?, *count)));
        let mut bins = bins.collect::<Option<Vec<(f64, u64)>>>()?;
        bins.sort_by(|a, b| a.0.total_cmp(&b.0));
        let all: u64 = bins.iter().map(|(_, count)| *count).try_fold(0u64, u64::checked_add)?;
        let mut sum = 0u64;
        let reached = |sum: u64| sum as f64 >= percent / 100.0 * all as f64;
        bins.into_iter().find_map(|(time, count)| {
            sum = sum.saturating_add(count);
            reached(sum).then_some(time)
        })
    }
}

/// A unit of time, by its name and how many of it a second has.
#[derive(Clone, Copy)]
struct TimeUnit {
    name: &'static str,
    per_second: f64,
}

const NANOSECONDS: TimeUnit = TimeUnit { name: "ns", per_second: 1e9 };

const MICROSECONDS: TimeUnit = TimeUnit { name: "us", per_second: 1e6 };

impl TimeUnit {
    fn printed(self, line: u64, time: f64) -> PrintedValue {
        plain(line, format!("{time} {}", self.name), time / self.per_second, Unit::Seconds)
    }
}

/// Reads a document.
///
/// # Errors
/// If it is cut before its figures, or not fio's.
pub(super) fn read(block: &ToolBlock<'_>) -> Result<FioRun, NotUnderstood> {
    let Parsed { document, is_cut } = parsed(&block.text())?;
    let LineRange { first: line, last } = block.range();
    let version = document.version.strip_prefix("fio-").unwrap_or(&document.version);
    let jobs: Vec<Job> = document.jobs.into_iter().chain(document.clients).collect();
    // Options without a value are missing, as time_based is.
    let knows_options = jobs.iter().all(|job| job.options.is_some());
    let elapsed: Vec<Option<u64>> = jobs.iter().map(|job| job.elapsed).collect();
    let mut run = FioRun {
        version: Some(version.to_owned()),
        moment: document.time,
        jobs: jobs.into_iter().map(|job| of_job(line, job, &document.options)).collect(),
        options: document.options,
        ..FioRun::default()
    };
    if is_cut {
        let directions = || run.jobs.iter().flat_map(|job| &job.directions);
        if directions().all(|direction| direction.measured.figures.is_empty()) {
            return Err(NotUnderstood::CutShort);
        }
        run.unread.push(LineRange { first: last, last });
    }
    let knows_command = run.add_command(block).unwrap_or(false);
    run.knows_options = knows_options || knows_command;
    // What is printed on the way is no repetition of what is printed at the end.
    let is_on_the_way = |options: &BTreeMap<String, String>| options.contains_key("status-interval");
    let is_common = is_on_the_way(&run.options);
    for (job, elapsed) in run.jobs.iter_mut().zip(elapsed) {
        if let Some(elapsed) = elapsed.filter(|_| is_common || is_on_the_way(&job.options)) {
            // The last of them may be of the same second as the end.
            let windows = job.directions.iter().filter_map(|direction| direction.measured.window.as_ref());
            let window = windows.map(|window| window.text.as_str()).next();
            let elapsed = window.map_or_else(|| elapsed.to_string(), str::to_owned);
            job.options.insert("elapsed".to_owned(), elapsed);
        }
    }
    Ok(run)
}

/// A document, and whether its end is missing.
struct Parsed {
    document: Document,
    is_cut: bool,
}

/// Reads a text; where it is cut, up to its last value that is whole.
fn parsed(text: &str) -> Result<Parsed, NotUnderstood> {
    let error = match serde_json::from_str(text) {
        Ok(document) => return Ok(Parsed { document, is_cut: false }),
        Err(error) => error,
    };
    let end = match error.classify() {
        Category::Eof => text.len(),
        // Something else follows it.
        Category::Syntax => {
            text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum()
        }
        Category::Data | Category::Io => return Err(NotUnderstood::OtherText),
    };
    let whole = text.get(..end).and_then(closed).ok_or(NotUnderstood::CutShort)?;
    let document = serde_json::from_str(&whole).map_err(|_| NotUnderstood::CutShort)?;
    Ok(Parsed { document, is_cut: true })
}

/// The beginning of a JSON text up to its last value that is whole, with all closed that is open there.
fn closed(text: &str) -> Option<String> {
    let mut open: Vec<char> = Vec::new();
    let (mut is_string, mut is_escaped) = (false, false);
    // Where the last value ended, and how much was open there. Behind it only further things were opened.
    let mut end = (0, 0);
    for (at, letter) in text.char_indices() {
        if is_string {
            is_string = letter != '"' || is_escaped;
            is_escaped = letter == '\\' && !is_escaped;
            continue;
        }
        match letter {
            '"' => is_string = true,
            '{' => open.push('}'),
            '[' => open.push(']'),
            '}' | ']' => {
                open.pop();
                end = (at + 1, open.len());
            }
            ',' => end = (at, open.len()),
            _ => {}
        }
    }
    let (at, count) = end;
    let closing: String = open.get(..count)?.iter().rev().collect();
    let whole = text.get(..at).filter(|whole| !whole.is_empty())?;
    Some(format!("{whole}{closing}"))
}

/// A job; of those that are printed as one, what is told of all.
fn of_job(line: u64, job: Job, common: &BTreeMap<String, String>) -> FioJob {
    let threads = job.threads().filter(|_| job.options.is_some() && job.jobname != ALL_CLIENTS);
    let directions =
        [("read", job.read), ("write", job.write), ("trim", job.trim), (MIXED, job.mixed)].into_iter();
    let did = directions.filter_map(|(class, direction)| {
        let direction = direction.filter(|direction| direction.io_bytes > 0)?;
        Some(FioDirection { class, measured: measured(line, &direction) })
    });
    let mut all = FioJob {
        name: job.jobname,
        group: job.groupid,
        directions: did.collect(),
        options: job.options.unwrap_or_default(),
        error: job
            .error
            .and_then(|number| u64::try_from(number).ok())
            .filter(|n| *n > 0)
            .map(failure::of_number),
        line,
        ..FioJob::default()
    };
    let given = |name: &str| all.options.get(name).or_else(|| common.get(name));
    let told = given("numjobs").map_or(Some(1), |jobs| jobs.parse::<u64>().ok());
    let is_verified = given("verify").is_some();
    let several = threads.zip(told).filter(|(threads, told)| threads > told && !is_verified);
    // With group_reporting the options are those of the first of several jobs.
    if let Some((threads, _)) = several {
        all.options.clear();
        (all.jobs, all.is_mixed) = (Some(threads), true);
    }
    all.drop_mixed();
    let synced = all.directions.iter_mut().find(|direction| direction.class == "write");
    if let Some(FioDirection { measured, .. }) = synced
        && let Some(times) = job.sync.as_ref().and_then(|sync| sync.lat_ns.as_ref())
    {
        add_times(line, "sync_latency", times, NANOSECONDS, measured);
        add_percentiles(line, "sync_latency", times, NANOSECONDS, measured);
    }
    all
}

fn measured(line: u64, direction: &Direction) -> ToolMeasurement {
    let mut measured = ToolMeasurement {
        window: direction.runtime.map(|ms| PrintedValue {
            half_step: 0.0005,
            ..plain(line, format!("{ms} ms"), ms as f64 / 1000.0, Unit::Seconds)
        }),
        bytes: Some(if direction.io_kbytes.or(direction.bw_bytes).is_some() {
            exact(line, direction.io_bytes, Unit::Bytes)
        } else {
            kib(line, direction.io_bytes as f64, "KiB", Unit::Bytes)
        }),
        operations: direction.total_ios.map(|total| exact(line, total, Unit::One)),
        ..ToolMeasurement::default()
    };
    let rate = |bytes: u64| PrintedValue { half_step: 0.5, ..exact(line, bytes, Unit::BytesPerSecond) };
    let in_kib = || direction.bw.map(|rate| kib(line, rate, "KiB/s", Unit::BytesPerSecond));
    measured.add(metric::THROUGHPUT, direction.bw_bytes.map(rate).or_else(in_kib));
    let iops = |iops: f64| plain(line, iops.to_string(), iops, Unit::PerSecond);
    measured.add(metric::IOPS, direction.iops.map(iops));
    let (unit, submission, completion, whole) = if direction.clat_ns.is_some() || direction.lat_ns.is_some() {
        (NANOSECONDS, &direction.slat_ns, &direction.clat_ns, &direction.lat_ns)
    } else {
        (MICROSECONDS, &direction.slat, &direction.clat, &direction.lat)
    };
    if let Some(whole) = whole {
        add_times(line, "latency", whole, unit, &mut measured);
    }
    // Where submission was timed, the times until completion are not all.
    let is_submitted = submission.as_ref().is_some_and(Times::is_any);
    let until_completion = if is_submitted { "device_latency" } else { "latency" };
    for (distribution, times) in [(until_completion, completion), ("latency", whole)] {
        if let Some(times) = times {
            add_percentiles(line, distribution, times, unit, &mut measured);
        }
    }
    measured
}

/// A number of KiB, of which what is behind the point was cut off.
fn kib(line: u64, number: f64, name: &str, unit: Unit) -> PrintedValue {
    PrintedValue {
        half_step: 1024.0,
        counting: Some(Counting::Binary),
        ..plain(line, format!("{number} {name}"), number * 1024.0, unit)
    }
}

/// The longest and the mean of a distribution.
fn add_times(line: u64, distribution: &str, times: &Times, unit: TimeUnit, measured: &mut ToolMeasurement) {
    for (value, of) in [(times.max, "max"), (times.mean, "mean")] {
        let value = value.filter(|_| times.is_any()).map(|value| unit.printed(line, value));
        if let Some(metric) = MetricName::intern(&format!("{distribution}_{of}")) {
            measured.add(metric, value);
        }
    }
}

/// The percentiles that are listed, and of those that are not what the bins say.
fn add_percentiles(
    line: u64,
    distribution: &str,
    times: &Times,
    unit: TimeUnit,
    measured: &mut ToolMeasurement,
) {
    for (percent, value) in times.percentile.iter().filter(|_| times.is_any()) {
        if let Some(metric) = percentile(distribution, percent).filter(|m| measured.figure(*m).is_none()) {
            measured.add(metric, Some(unit.printed(line, *value)));
        }
    }
    for (percent, _) in KEPT {
        let metric = percentile(distribution, &percent.to_string());
        let Some(metric) = metric.filter(|metric| measured.figure(*metric).is_none()) else { continue };
        // A bin is a 64th wide, and is named by its middle.
        let printed = times.of_bins(*percent).map(|time| unit.printed(line, time));
        let printed = printed.map(|printed| PrintedValue { half_step: printed.value / 128.0, ..printed });
        measured.add(metric, printed);
    }
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

    fn run(text: &str) -> FioRun {
        let lines = super::super::lines(text);
        read(&ToolBlock { lines: &lines, command: None }).unwrap()
    }

    #[test]
    fn a_direction_that_did_nothing_is_none() {
        let run = run(TEXT);
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
    fn regression_jobs_of_a_group_were_taken_for_those_of_the_first() {
        let of = |told: &str, all_ms: u64| {
            let options =
                format!("\"job options\" : {{\"rw\" : \"read\"{told}}}, \"job_runtime\" : {all_ms}");
            let run = run(&TEXT.replace("\"job options\" : {\"rw\" : \"read\"}", &options));
            (run.jobs[0].jobs, run.jobs[0].is_mixed, run.jobs[0].options.contains_key("rw"))
        };
        assert_eq!(of(", \"numjobs\" : \"2\"", 8001), (Some(4), true, false));
        assert_eq!(of(", \"numjobs\" : \"4\"", 8001), (None, false, true), "it says of them all");
        assert_eq!(of(", \"numjobs\" : \"4\"", 6000), (None, false, true), "some of them ended earlier");
        assert_eq!(
            of(", \"verify\" : \"crc32c\"", 4000),
            (None, false, true),
            "what was written is read again"
        );
    }

    #[test]
    fn before_2_21_bytes_were_kib_and_times_microseconds() {
        let text = r#"{"fio version" : "fio-2.2.10", "jobs" : [{"jobname" : "a", "groupid" : 0, "error" : 0,
            "read" : {"io_bytes" : 7116, "bw" : 275, "iops" : 68.99, "runtime" : 25788, "total_ios" : 1779,
            "slat" : {"min" : 0, "max" : 0, "mean" : 0.00, "stddev" : 0.00},
            "clat" : {"min" : 53, "max" : 6329, "mean" : 90.5, "percentile" : {"99.000000" : 164, "0.00" : 0, "0.00" : 0}},
            "lat" : {"min" : 53, "max" : 6330, "mean" : 91.5}}}]}"#;
        let run = run(text);
        let read = &run.jobs[0].directions[0].measured;
        let (bytes, window) = (read.bytes.as_ref().unwrap(), read.window.as_ref().unwrap());
        let rate = read.figure(metric::THROUGHPUT).unwrap();
        assert_eq!((bytes.value, rate.value), (7116.0 * 1024.0, 275.0 * 1024.0));
        assert!((bytes.value / window.value - rate.value).abs() < rate.half_step);
        assert_eq!(read.figure(metric::LATENCY_P99).map(|p99| p99.value), Some(164e-6));
        assert_eq!(read.figure(metric::LATENCY_MAX).map(|max| max.value), Some(6330e-6));
        assert!(!run.knows_options);
    }

    #[test]
    fn percentiles_that_are_not_listed_come_of_the_bins() {
        let text = TEXT.replace(
            "\"percentile\" : {\"99.000000\" : 5000}",
            "\"percentile\" : {\"99.000000\" : 5000}, \"bins\" : {\"1000\" : 899, \"9000\" : 1, \"2000\" : 100}",
        );
        let run = run(&text);
        let read = &run.jobs[0].directions[0].measured;
        let value = |name: &str| read.figure(MetricName::intern(name).unwrap()).map(|p| p.value);
        assert_eq!(value("latency_p50"), Some(1e-6));
        assert_eq!(value("latency_p90"), Some(2e-6));
        assert_eq!(value("latency_p99"), Some(5e-6), "that is listed");
        assert_eq!(value("latency_p99_99"), Some(9e-6));
    }

    #[test]
    fn cut_text_is_told_from_another() {
        let error = |text: &str| {
            let lines = super::super::lines(text);
            read(&ToolBlock { lines: &lines, command: None }).unwrap_err()
        };
        assert_eq!(error(TEXT.split("\"io_bytes\"").next().unwrap()), NotUnderstood::CutShort);
        assert_eq!(error("{\"fio version\" : 3}"), NotUnderstood::OtherText);
    }

    #[test]
    fn of_cut_text_what_is_whole_is_read() {
        let cut = TEXT.split("\"lat_ns\"").next().unwrap();
        for text in [cut.to_owned(), format!("{cut}\n[... and so on]\n")] {
            let run = run(&text);
            let read = &run.jobs[0].directions[0].measured;
            assert_eq!(read.figure(metric::IOPS).map(|iops| iops.value), Some(500.0));
            assert_eq!(read.figure(metric::LATENCY_MAX), None, "that is cut");
            assert_eq!(run.unread.len(), 1, "it is told");
        }
        assert_eq!(
            closed("{\"a\" : [1, {\"b\" : \"x]\\\"}\", \"c\""),
            Some("{\"a\" : [1, {\"b\" : \"x]\\\"}\"}]}".to_owned())
        );
        assert_eq!(closed("{\"a"), None);
    }
}
