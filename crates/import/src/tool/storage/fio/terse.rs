//! fio's terse text: one line a job, of versions 2 to 5 of that format. Its sizes are in KiB, its
//! times in microseconds; what is behind the point of a rate is cut off.

use model::tool_result::{Counting, PrintedValue, ToolMeasurement};
use model::{MetricName, Unit, metric};

use super::options::of_command;
use super::run::{FioDirection, FioJob, FioRun, percentile};
use crate::tool::block::{ToolBlock, ToolLine};
use crate::tool::number::{plain, time};
use crate::tool::reader::{NotUnderstood, ToolReader as _};

/// The fewest fields of a job: 1.x, without percentiles.
const FIELDS_MIN: usize = 50;

/// Whether a line is of a job.
pub(super) fn is_line(text: &str) -> bool {
    text.starts_with(['2', '3', '4', '5']) && head(text).is_some()
}

/// What a line begins with.
struct Head<'a> {
    version: Option<&'a str>,
    name: &'a str,
    group: u64,
    /// All fields that follow.
    rest: Vec<&'a str>,
}

/// `3;fio-3.33;NAME;GROUP;ERROR;...`, in version 2 of the format without the program's.
fn head(text: &str) -> Option<Head<'_>> {
    let (format, rest) = text.split_once(';')?;
    let (version, rest) = match format {
        "2" => (None, rest),
        "3" | "4" | "5" => {
            let (version, rest) = rest.split_once(';')?;
            (Some(version.strip_prefix("fio").filter(|v| v.starts_with(['-', ' ']))?.get(1..)?), rest)
        }
        _ => return None,
    };
    let mut fields = rest.split(';');
    let (name, group, error) = (fields.next()?, fields.next()?, fields.next()?);
    error.parse::<i64>().ok()?;
    let rest: Vec<&str> = fields.collect();
    (rest.len() >= FIELDS_MIN).then_some(Head { version, name, group: group.parse().ok()?, rest })
}

/// The lines of each execution. A group prints as many lines of one name as it has jobs; a line more is of
/// another execution.
pub(super) fn executions<'a>(block: &ToolBlock<'a>) -> Vec<&'a [ToolLine]> {
    let command = block.command.and_then(|command| command.invocation(super::Fio.programs()));
    let command = command.map(of_command).unwrap_or_default();
    let option = |name: &str| {
        let own = command.jobs.iter().map(|(_, options)| options);
        own.chain([&command.common]).find_map(|options| options.get(name)).map(String::as_str)
    };
    let jobs: usize = option("numjobs").and_then(|jobs| jobs.parse().ok()).unwrap_or(1);
    let (mut all, mut start) = (Vec::new(), 0);
    let mut seen: Vec<(&str, u64)> = Vec::new();
    for (at, line) in block.lines.iter().enumerate() {
        let Some(head) = head(&line.text) else { continue };
        let job = (head.name, head.group);
        if seen.iter().filter(|other| **other == job).count() >= jobs {
            all.extend(block.lines.get(start..at));
            start = at;
            seen.clear();
        }
        seen.push(job);
    }
    all.extend(block.lines.get(start..));
    // What was done up to then is printed again and again: the last time counts.
    if option("status-interval").is_some() {
        all.drain(..all.len().saturating_sub(1));
    }
    all
}

/// Reads one execution.
///
/// # Errors
/// If no job did anything.
pub(super) fn read(block: &ToolBlock<'_>) -> Result<FioRun, NotUnderstood> {
    let mut run = FioRun::default();
    for line in block.lines {
        let Some(head) = head(&line.text) else { continue };
        run.version = head.version.map(str::to_owned).or(run.version);
        let (name, group) = (head.name.to_owned(), head.group);
        let directions = directions(line.number, &head.rest);
        run.jobs.push(FioJob { name, group, directions, ..FioJob::default() });
    }
    if run.jobs.iter().all(|job| job.directions.is_empty()) {
        return Err(NotUnderstood::CutShort);
    }
    run.knows_options = run.add_command(block).unwrap_or(false);
    Ok(run)
}

/// Reads, writes and, but in version 3 of the format, discards stand one behind the other.
fn directions(line: u64, fields: &[&str]) -> Vec<FioDirection> {
    let mut rest = fields;
    let mut all = Vec::new();
    for class in ["read", "write", "trim"] {
        let Some((measured, behind)) = direction(line, rest) else { break };
        rest = behind;
        if measured.bytes.as_ref().is_some_and(|bytes| bytes.value > 0.0) {
            all.push(FioDirection { class, measured });
        }
    }
    all
}

/// Reads one direction: size, rate, since 2.0 operations a second, duration; times until submission,
/// until completion, its percentiles, times of the whole; rates of intervals. `None` if these are not there.
fn direction<'a, 'b>(line: u64, fields: &'b [&'a str]) -> Option<(ToolMeasurement, &'b [&'a str])> {
    // The first with decimals is the mean of the times until submission, behind their least and most.
    let mean = fields.iter().position(|field| field.contains('.'))?;
    let numbers: Vec<u64> =
        fields.get(..mean)?.iter().map(|field| field.parse().ok()).collect::<Option<_>>()?;
    let (kib, rate, iops, ms, submission_max) = match numbers.as_slice() {
        [kib, rate, iops, ms, _, max] => (*kib, *rate, Some(*iops), *ms, *max),
        [kib, rate, ms, _, max] => (*kib, *rate, None, *ms, *max),
        _ => return None,
    };
    let mut measured = ToolMeasurement {
        window: Some(cut_off(line, ms, "ms", 0.001, Unit::Seconds)),
        bytes: Some(cut_off(line, kib, "KiB", 1024.0, Unit::Bytes)),
        ..ToolMeasurement::default()
    };
    // Before 2.0 it was bytes for each millisecond.
    let (name, scale) = if iops.is_some() { ("KiB/s", 1024.0) } else { ("kB/s", 1000.0) };
    measured.add(metric::THROUGHPUT, Some(cut_off(line, rate, name, scale, Unit::BytesPerSecond)));
    measured.add(metric::IOPS, iops.map(|iops| cut_off(line, iops, "", 1.0, Unit::PerSecond)));
    let mut rest = fields.get(mean + 2..)?.get(4..)?;
    let mut percentiles = Vec::new();
    while let Some((percent, value)) = rest.first().and_then(|field| field.split_once("%=")) {
        percentiles.push((percent, value));
        rest = rest.get(1..)?;
    }
    let [_, longest, mean, _, behind @ ..] = rest else { return None };
    measured.add(metric::LATENCY_MAX, time(line, longest, "usec").filter(|time| time.value > 0.0));
    measured.add(MetricName::new("latency_mean"), time(line, mean, "usec").filter(|time| time.value > 0.0));
    let distribution = if submission_max > 0 { "device_latency" } else { "latency" };
    for (percent, value) in percentiles {
        if let Some(metric) = percentile(distribution, percent) {
            measured.add(metric, time(line, value, "usec").filter(|time| time.value > 0.0));
        }
    }
    Some((measured, after_intervals(behind)))
}

/// What stands behind the rates of intervals: least, most, share, mean and deviation, and in version 5 of the
/// format their number and the same of operations.
fn after_intervals<'a, 'b>(fields: &'b [&'a str]) -> &'b [&'a str] {
    let is_count = |at: usize| fields.get(at).is_some_and(|field| field.parse::<u64>().is_ok());
    let has_decimals = |at: usize| fields.get(at).is_some_and(|field| field.contains('.'));
    let is_version_5 = is_count(5) && is_count(6) && is_count(7) && has_decimals(8) && is_count(10);
    let end = if is_version_5 { 11 } else { 5 };
    fields.get(end..).unwrap_or_default()
}

/// A whole number of which what is behind the point was cut off.
fn cut_off(line: u64, number: u64, name: &str, scale: f64, unit: Unit) -> PrintedValue {
    PrintedValue {
        half_step: scale,
        counting: match name {
            "KiB" | "KiB/s" => Some(Counting::Binary),
            "kB/s" => Some(Counting::Decimal),
            _ => None,
        },
        ..plain(line, format!("{number} {name}").trim_end(), number as f64 * scale, unit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line of this version, with the reads that are given.
    fn line(head: &str, reads: &str, trims: bool) -> String {
        let percentiles = ["99.000000%=164"].into_iter().chain(["0%=0"; 19]).collect::<Vec<_>>().join(";");
        let direction = |first: &str| {
            format!(
                "{first};26;7232;75.04;202.7;{percentiles};26;7232;75.1;202.7;52776;52776;100.0%;52776.0;0.0"
            )
        };
        let nothing = direction("0;0;0;0;0;0;0.0;0.0");
        let trim = if trims { format!("{nothing};") } else { String::new() };
        format!(
            "{head};{};{nothing};{trim}2.0%;31.5%;13099;0;12;{}",
            direction(reads),
            ["0.0%"; 30].join(";")
        )
    }

    #[test]
    fn the_fields_of_each_version_are_told_apart() {
        for (head, reads, trims) in [
            ("3;fio-3.33;rr;0;0", "52480;52427;13106;1001;0;0;0.000000;0.000000", false),
            ("3;fio-3.33;rr;0;0", "52480;52427;13106;1001;3;2796;7.26;38.8", false),
            ("4;fio-3.33;rr;0;0", "52480;52427;13106;1001;3;2796;7.26;38.8", true),
            ("2;rr;0;0", "52480;52427;13106;1001;3;2796;7.26;38.8", true),
        ] {
            let text = line(head, reads, trims);
            assert!(is_line(&text), "{text}");
            let lines = super::super::lines(&text);
            let run = read(&ToolBlock { lines: &lines, command: None }).unwrap();
            assert_eq!((run.jobs[0].name.as_str(), run.jobs[0].directions.len()), ("rr", 1));
            let read = &run.jobs[0].directions[0].measured;
            assert_eq!(read.bytes.as_ref().unwrap().value, 52480.0 * 1024.0);
            assert_eq!(read.figure(metric::THROUGHPUT).unwrap().value, 52427.0 * 1024.0);
            assert_eq!(read.figure(metric::IOPS).unwrap().value, 13106.0);
            let p99 = if reads.contains(";2796;") { "device_latency_p99" } else { "latency_p99" };
            assert!((read.figure(MetricName::new(p99)).unwrap().value - 164e-6).abs() < 1e-12);
        }
    }

    #[test]
    fn before_2_0_a_rate_was_bytes_for_each_millisecond() {
        let fields = "7139336;121836;60004;1;10109;27.932460;116.93;220;126861;3495.4;1085.3;223;126864;3523.6;1089.0;\
                      24063;99944;50.2%;59818.2;5540.6;1;2";
        let fields: Vec<&str> = fields.split(';').collect();
        let (measured, rest) = direction(1, &fields).unwrap();
        let computed = measured.bytes.as_ref().unwrap().value / measured.window.as_ref().unwrap().value;
        let printed = measured.figure(metric::THROUGHPUT).unwrap();
        assert!((computed - printed.value).abs() < 1000.0 && printed.value == 121_836_000.0);
        assert_eq!(rest, ["1", "2"]);
    }

    #[test]
    fn other_lines_with_semicolons_are_none() {
        for text in ["3;4;5", "2;a;b;c", "3;fio-3.33;rr;0;0;1;2", "5 apples; 3 pears"] {
            assert!(!is_line(text), "{text}");
        }
    }
}
