//! fio's normal text.

use model::tool_result::{Counting, PrintedValue, ToolMeasurement};
use model::{MetricName, Unit, metric};

use super::options;
use super::run::{FioDirection, FioGroupStatus, FioJob, FioRun, percentile};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::number::{count, exact, quantity, time, whole};
use crate::tool::reader::NotUnderstood;

/// `NAME: (g=0): rw=randread, bs=...`.
pub(super) fn is_header(line: &str) -> bool {
    line.split_once(": (g=").is_some_and(|(_, rest)| rest.contains("): rw="))
}

/// `fio-3.33`.
pub(super) fn is_version(line: &str) -> bool {
    version(line).is_some()
}

fn version(line: &str) -> Option<&str> {
    let version = line.strip_prefix("fio-")?;
    let is_one = version.starts_with(|c: char| c.is_ascii_digit()) && !version.contains(' ');
    is_one.then_some(version)
}

/// `NAME: (groupid=0, jobs=1): err= 0: pid=524: Fri Nov 27 19:33:55 2026`.
pub(super) fn is_job(line: &str) -> bool {
    line.split_once(": (groupid=").is_some_and(|(_, rest)| rest.contains("): err="))
}

/// Whether fio may print such a line.
pub(super) fn is_of_fio(line: &ToolLine) -> bool {
    const BEGINNINGS: &[&str] =
        &["Starting ", "...", "Run status group", "Disk stats", "Jobs:", "note: ", "fio: ", "All clients"];
    let text = line.text.as_str();
    line.is_blank()
        || line.is_indented()
        || is_header(text)
        || is_version(text)
        || is_job(text)
        || BEGINNINGS.iter().any(|beginning| text.starts_with(beginning))
        || text.contains(": Laying out IO file")
}

/// Reads all of it.
///
/// # Errors
/// If there are no figures, or those of an earlier version.
pub(super) fn read(block: &ToolBlock<'_>) -> Result<FioRun, NotUnderstood> {
    let mut reading = Reading::default();
    block.lines.iter().for_each(|line| reading.take(line));
    let mut run = reading.run;
    if run.version.as_deref().is_some_and(|version| version.starts_with(['1', '2'])) {
        return Err(NotUnderstood::OtherText);
    }
    if run.jobs.iter().all(|job| job.directions.is_empty()) {
        return Err(NotUnderstood::CutShort);
    }
    run.knows_options = run.add_command(block).unwrap_or(false);
    Ok(run)
}

/// The text as far as it was read.
#[derive(Default)]
struct Reading {
    run: FioRun,
    /// The group whose status follows.
    group: Option<u64>,
    /// Of which times the percentiles that follow are, and their unit.
    percentiles: Option<(&'static str, String)>,
    /// Whether the direction has times until submission: those until completion are then not all.
    is_submitted: bool,
}

impl Reading {
    fn take(&mut self, line: &ToolLine) {
        let text = line.text.as_str();
        if let Some(version) = version(text) {
            self.run.version = Some(version.to_owned());
        } else if is_header(text) {
            // Several jobs may have several; they are told apart by their status.
            let header = text.split_once("): ").map_or("", |(_, rest)| rest);
            self.run.options.extend(options::of_header(header));
        } else if is_job(text) {
            self.job(text);
        } else if let Some(rest) = text.strip_prefix("Run status group ") {
            self.group = whole(rest).map(|(group, _)| group);
        } else if let Some(group) = self.group {
            self.run.status.extend(status(line, group));
        } else {
            self.figures(line);
        }
    }

    fn job(&mut self, text: &str) {
        let Some((name, rest)) = text.split_once(": (groupid=") else { return };
        let group = whole(rest).map_or(0, |(group, _)| group);
        let jobs = rest.split_once("jobs=").and_then(|(_, rest)| whole(rest)).map(|(jobs, _)| jobs);
        let moment = rest.split_once(": pid=").and_then(|(_, rest)| rest.split_once(": "));
        self.run.moment = self.run.moment.take().or_else(|| moment.map(|(_, moment)| moment.to_owned()));
        self.run.jobs.push(FioJob { name: name.to_owned(), group, jobs, ..FioJob::default() });
    }

    /// What stands below the line of a job.
    fn figures(&mut self, line: &ToolLine) {
        let Some(job) = self.run.jobs.last_mut() else { return };
        let text = line.text.trim_start();
        if let Some(direction) = direction(line.number, text) {
            job.directions.push(direction);
            (self.percentiles, self.is_submitted) = (None, false);
            return;
        }
        if let Some((_, totals)) =
            text.split_once("total=").filter(|(before, _)| before.starts_with("issued rwt"))
        {
            issued(line.number, totals, &mut job.directions);
            return;
        }
        let Some(last) = job.directions.last_mut() else { return };
        if text.starts_with("slat (") {
            self.is_submitted = true;
        } else if let Some(unit) = between(text, "lat (", "): ") {
            times(line.number, text, unit, &mut last.measured);
        } else if let Some(unit) = between(text, "clat percentiles (", "):") {
            let distribution = if self.is_submitted { "device_latency" } else { "latency" };
            self.percentiles = Some((distribution, unit.to_owned()));
        } else if let Some(unit) = between(text, "lat percentiles (", "):") {
            self.percentiles = Some(("latency", unit.to_owned()));
        } else if let (Some(list), Some((distribution, unit))) = (text.strip_prefix('|'), &self.percentiles) {
            for (metric, value) in list_of_percentiles(line.number, list, distribution, unit) {
                last.measured.add(metric, Some(value));
            }
        } else {
            self.percentiles = None;
        }
    }
}

/// What stands between two texts at the beginning of a line.
fn between<'a>(text: &'a str, before: &str, behind: &str) -> Option<&'a str> {
    Some(text.strip_prefix(before)?.split_once(behind)?.0)
}

/// `read: IOPS=14.4k, BW=56.4MiB/s (59.1MB/s)(113MiB/2001msec)`.
fn direction(line: u64, text: &str) -> Option<FioDirection> {
    let (name, rest) = text.split_once(": IOPS=")?;
    let class = *["read", "write", "trim"].iter().find(|class| **class == name.trim_end())?;
    let (iops, rest) = rest.split_once(", BW=")?;
    let (rate, rest) = rest.split_once(" (")?;
    let (bytes, window) = rest.split_once(")(")?.1.split_once(')')?.0.split_once('/')?;
    let mut measured = ToolMeasurement {
        window: quantity(line, window, Counting::Decimal),
        bytes: quantity(line, bytes, Counting::Decimal),
        ..ToolMeasurement::default()
    };
    measured.add(metric::THROUGHPUT, quantity(line, rate, Counting::Decimal));
    measured.add(metric::IOPS, count(line, iops, Counting::Decimal, Unit::PerSecond));
    Some(FioDirection { class, measured })
}

/// The totals of reads, writes and discards.
fn issued(line: u64, totals: &str, directions: &mut [FioDirection]) {
    let totals = totals.split(' ').next().unwrap_or_default().split(',');
    for (class, total) in ["read", "write", "trim"].into_iter().zip(totals) {
        let Some((total, "")) = whole(total) else { continue };
        for direction in directions.iter_mut().filter(|direction| direction.class == class) {
            direction.measured.operations = Some(exact(line, total, Unit::One));
        }
    }
}

/// `lat (usec): min=40, max=3124, avg=67.93, stdev=51.87`.
fn times(line: u64, text: &str, unit: &str, measured: &mut ToolMeasurement) {
    let value = |name: &str| {
        let (_, rest) = text.split_once(name)?;
        time(line, rest.split(',').next()?, unit)
    };
    measured.add(metric::LATENCY_MAX, value("max="));
    measured.add(MetricName::new("latency_mean"), value("avg="));
}

/// `  1.00th=[   46],  5.00th=[   49],`.
fn list_of_percentiles(
    line: u64,
    list: &str,
    distribution: &str,
    unit: &str,
) -> Vec<(MetricName, PrintedValue)> {
    let one = |part: &str| {
        let (percent, value) = part.split_once("th=[")?;
        let percent = percent.trim_start_matches([',', ' ']);
        Some((percentile(distribution, percent)?, time(line, value, unit)?))
    };
    list.split(']').filter_map(one).collect()
}

/// `READ: bw=56.4MiB/s (59.1MB/s), 56.4MiB/s-56.4MiB/s (...), io=113MiB (118MB), run=2001-2001msec`.
fn status(line: &ToolLine, group: u64) -> Option<FioGroupStatus> {
    let (name, rest) = line.text.trim_start().split_once(": bw=")?;
    let class = match name {
        "READ" => "read",
        "WRITE" => "write",
        "TRIM" => "trim",
        _ => return None,
    };
    let value = |text: &str| quantity(line.number, text.split(" (").next()?, Counting::Decimal);
    let bytes = rest.split_once(", io=").and_then(|(_, bytes)| value(bytes));
    let longest =
        rest.split_once(", run=").and_then(|(_, run)| run.split_once('-')).map(|(_, longest)| longest);
    let window = longest.and_then(|longest| quantity(line.number, longest, Counting::Decimal));
    Some(FioGroupStatus { group, class, rate: value(rest)?, bytes, window })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_a_direction_has_rate_bytes_and_time() {
        let text = "read: IOPS=14.4k, BW=56.4MiB/s (59.1MB/s)(113MiB/2001msec); 0 zone resets";
        let read = direction(4, text).unwrap().measured;
        let (bytes, window) = (read.bytes.unwrap(), read.window.unwrap());
        assert_eq!((bytes.text.as_str(), bytes.value), ("113MiB", 113.0 * 1_048_576.0));
        assert!(window.text == "2001msec" && (window.value - 2.001).abs() < 1e-9);
        assert_eq!(read.figures.len(), 2);
        assert!(direction(4, "read : io=113MB, bw=56.4MB/s, iops=14433, runt= 2001msec").is_none());
    }

    #[test]
    fn percentiles_are_of_the_times_that_their_heading_names() {
        let list = "  1.00th=[   46], 50.00th=[   63], 99.90th=[  693],";
        let read = list_of_percentiles(9, list, "latency", "usec");
        let names: Vec<&str> = read.iter().map(|(metric, _)| metric.as_str()).collect();
        assert_eq!(names, ["latency_p50", "latency_p99_9"]);
        assert!((read[1].1.value - 693e-6).abs() < 1e-12);
    }

    #[test]
    fn the_output_of_an_earlier_version_is_not_guessed_at() {
        let lines = super::super::lines(
            "x: (g=0): rw=read, bs=4K-4K\nfio-2.16\nx: (groupid=0, jobs=1): err= 0: pid=1: now\n",
        );
        let block = ToolBlock { lines: &lines, command: None };
        assert_eq!(read(&block).unwrap_err(), NotUnderstood::OtherText);
    }
}
