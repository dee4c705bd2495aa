//! What is known of the work behind a result: from the parameters of the workload that does the
//! same, or else from the options of its tool, in the tool's words. Nothing is assumed of an option
//! that is not there, but for those whose default every version of the tool has.

use model::tool_result::{Counting, PrintedValue, ToolMeasurement, ToolPart, ToolPartKind, ToolResult};
use model::{MetricName, ParameterName, metric};

/// Rates of operations, those of devices first.
pub(super) const OPERATION_RATES: &[MetricName] = &[
    metric::IOPS,
    metric::OPERATIONS_PER_SECOND,
    metric::TRANSACTIONS_PER_SECOND,
    metric::REQUESTS_PER_SECOND,
    metric::EVENTS_PER_SECOND,
];

/// How many operations are in flight at once, where that is known: of all threads together.
pub(super) fn outstanding(result: &ToolResult) -> Option<u64> {
    let of_parameters = || {
        result.workload?;
        let given = |name| result.parameters.integer(name).ok();
        let others = given(ParameterName::CONNECTIONS).or_else(|| given(ParameterName::CLIENTS));
        let workers = others.or_else(|| given(ParameterName::THREADS));
        let depth = given(ParameterName::QUEUE_DEPTH);
        workers.or(depth).map(|_| workers.unwrap_or(1).saturating_mul(depth.unwrap_or(1)))
    };
    of_parameters().or_else(|| outstanding_by_options(result))
}

fn outstanding_by_options(result: &ToolResult) -> Option<u64> {
    let engine = option(result, &["ioengine"]);
    if let Some(engine) = engine {
        // These wait for each operation, whatever depth is asked for.
        let waits = ["psync", "sync", "pvsync", "pvsync2", "vsync", "mmap"].contains(&engine);
        // Of jobs with different depths there is none.
        let depth = if waits { 1 } else { number(option(result, &["iodepth"])?)? };
        return Some(depth.saturating_mul(number(option(result, &["numjobs"])?)?));
    }
    // Of asynchronous requests of sysbench as many are in flight as there is room for.
    if option(result, &["file-io-mode"]) == Some("async") {
        return None;
    }
    let waiting =
        option(result, &["connections", "clients", "client", "concurrency", "threads", "num-threads"])?;
    // CrystalDiskMark has so many in flight for each of its threads, redis-benchmark for each client.
    let depth = option(result, &["queues", "pipeline"]).map_or(Some(1), number)?;
    Some(number(waiting)?.saturating_mul(depth))
}

/// Whether what is in flight is to be as much as there may be: no rate is asked for.
pub(super) fn is_closed_loop(result: &ToolResult) -> bool {
    const OPEN: &[&str] =
        &["rate", "rate_iops", "rate_min", "thinktime", "qps", "query-per-second", "R", "q"];
    // A tool that was asked for a rate tells how late it was, too.
    let is_scheduled = result.whole.figure(metric::SCHEDULE_LAG_MEAN).is_some();
    !is_scheduled && option(result, OPEN).is_none_or(|rate| rate == "0")
}

/// Bytes of an operation, where all have as many.
pub(super) fn block_bytes(result: &ToolResult) -> Option<u64> {
    if option(result, &["bssplit", "bsrange", "blocksize_range", "bs_unaligned"]).is_some() {
        return None;
    }
    let of_workload = || result.parameters.integer(ParameterName::BLOCK_SIZE).ok();
    of_workload().or_else(|| bytes(option(result, &["bs", "blocksize", "block-size"])?))
}

/// Bytes of an option; multiples are of 1024, as those of fio and dd are. fio prints `64.0KiB` of `64k`.
pub(super) fn bytes(text: &str) -> Option<u64> {
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    let shift = match text.get(end..)?.to_ascii_lowercase().as_str() {
        "" | "b" => 0,
        "k" | "kib" => 10,
        "m" | "mib" => 20,
        "g" | "gib" => 30,
        _ => return None,
    };
    let number = text.get(..end)?;
    number.strip_suffix(".0").unwrap_or(number).parse::<u64>().ok()?.checked_mul(1 << shift)
}

/// How many seconds it was to run, where it is told.
pub(super) fn asked_seconds(result: &ToolResult) -> Option<f64> {
    let of_workload = || result.parameters.number(ParameterName::DURATION).ok();
    of_workload().or_else(|| seconds(option(result, &["runtime", "max-time", "time", "duration"])?))
}

/// Whether it ends when so much is done: it says how much, and no time.
pub(super) fn ends_by_amount(result: &ToolResult) -> bool {
    let names = [ParameterName::BYTES, ParameterName::REQUESTS];
    if result.workload.is_none() {
        return ends_by_count(result);
    }
    names.iter().any(|name| result.parameters.get(*name).is_some())
        && result.parameters.get(ParameterName::DURATION).is_none()
}

/// The same by the options of a tool that does operations.
fn ends_by_count(result: &ToolResult) -> bool {
    let count = option(result, &["n", "requests", "transactions"]);
    let time = option(result, &["t", "z", "time", "duration", "max-time", "runtime"]);
    let is_off = |value: &str| value == "0";
    operation_rate(&result.whole).is_some()
        && count.is_some_and(|count| !is_off(count))
        && time.is_none_or(is_off)
}

/// Whether it writes to storage.
pub(super) fn writes_to_storage(result: &ToolResult) -> bool {
    let pattern = result.parameters.text(ParameterName::PATTERN).ok();
    pattern.or_else(|| option(result, &["rw", "readwrite"])).is_some_and(|pattern| {
        let operation = pattern.strip_prefix("rand").unwrap_or(pattern);
        ["write", "rw", "readwrite"].contains(&operation)
    })
}

/// The value of the first of these options that is there.
pub(super) fn option<'a>(result: &'a ToolResult, names: &[&str]) -> Option<&'a str> {
    names.iter().find_map(|name| result.options.get(*name)).map(String::as_str)
}

fn number(text: &str) -> Option<u64> {
    text.trim().parse().ok()
}

/// Seconds of an option: a number of them, or with a unit behind it.
fn seconds(text: &str) -> Option<f64> {
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    let value: f64 = text.get(..end)?.parse().ok()?;
    let scale = match text.get(end..)?.trim() {
        "" | "s" | "sec" => 1.0,
        "ms" => 1e-3,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return None,
    };
    Some(value * scale)
}

/// The rate of operations that was printed first of those that there are.
pub(super) fn operation_rate(measured: &ToolMeasurement) -> Option<(MetricName, &PrintedValue)> {
    OPERATION_RATES.iter().find_map(|name| Some((*name, measured.figure(*name)?)))
}

/// A rate of operations with its unit, which tools leave out: `2500 IOPS`.
pub(super) fn iops_as_printed(rate: &PrintedValue) -> String {
    let text = rate.text.as_str();
    let has_unit = text.contains("/s") || text.to_ascii_lowercase().contains("iops");
    if has_unit { text.to_owned() } else { format!("{text} IOPS") }
}

/// The parts of one kind.
pub(super) fn parts(result: &ToolResult, kind: ToolPartKind) -> Vec<&ToolPart> {
    result.parts.iter().filter(|part| part.kind == kind).collect()
}

/// The unit of a figure as it is printed, without its number: `MB/s` of `1.7 GB/s` with M in place of
/// G, so that figures of one tool have one.
pub(super) fn unit_as_printed(printed: &PrintedValue) -> Option<(String, Counting)> {
    let counting = printed.counting?;
    let behind = printed.text.trim_start_matches(|c: char| !c.is_alphabetic());
    let unit: String = behind.split(|c: char| c.is_whitespace() || c == ',').next()?.to_owned();
    let unit = unit.replace("/sec", "/s").replace("ps", "/s");
    // One with an i says itself what it is.
    let mut letters = unit.chars();
    letters.next().filter(|c| "kKMGTP".contains(*c))?;
    let rest = letters.as_str();
    let is_plain = rest.starts_with(['B', 'b']);
    is_plain.then(|| (format!("M{rest}"), counting))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_options(options: &[(&str, &str)]) -> ToolResult {
        let options = options.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        ToolResult { options: options.collect(), ..ToolResult::default() }
    }

    #[test]
    fn what_is_in_flight_is_known_by_the_words_of_tools() {
        let deep = [("ioengine", "libaio"), ("iodepth", "32"), ("numjobs", "4")];
        assert_eq!(outstanding(&of_options(&deep)), Some(128));
        let waits = [("ioengine", "psync"), ("iodepth", "32"), ("numjobs", "4")];
        assert_eq!(outstanding(&of_options(&waits)), Some(4));
        assert_eq!(outstanding(&of_options(&[("ioengine", "libaio"), ("iodepth", "32")])), None);
        let of_several = [("ioengine", "libaio"), ("numjobs", "6")];
        assert_eq!(outstanding(&of_options(&of_several)), None, "each job has a depth of its own");
        assert_eq!(outstanding(&of_options(&[("threads", "8")])), Some(8));
        assert_eq!(outstanding(&of_options(&[("threads", "2"), ("queues", "32")])), Some(64));
        assert_eq!(outstanding(&of_options(&[("clients", "50"), ("pipeline", "16")])), Some(800));
        assert_eq!(outstanding(&of_options(&[("client", "10"), ("jobs", "2")])), Some(10));
        assert_eq!(outstanding(&of_options(&[("threads", "1"), ("file-io-mode", "async")])), None);
        assert_eq!(outstanding(&of_options(&[])), None);
    }

    #[test]
    fn a_count_of_requests_without_a_time_ends_a_run() {
        let ends = |options: &[(&str, &str)]| {
            let mut result = of_options(options);
            let rate = PrintedValue {
                line: 1,
                text: "100".to_owned(),
                value: 100.0,
                unit: model::Unit::PerSecond,
                half_step: 0.0,
                counting: None,
            };
            result.whole.add(metric::REQUESTS_PER_SECOND, Some(rate));
            ends_by_amount(&result)
        };
        assert!(ends(&[("n", "1000"), ("c", "10")]) && ends(&[("requests", "10000"), ("time", "0")]));
        assert!(!ends(&[("n", "1000"), ("t", "30")]) && !ends(&[("requests", "0"), ("time", "10")]));
        assert!(!ends_by_amount(&of_options(&[("n", "1000")])), "it is no count of operations");
    }

    #[test]
    fn a_rate_that_is_asked_for_is_an_open_loop() {
        assert!(is_closed_loop(&of_options(&[("threads", "8"), ("rate", "0")])));
        assert!(!is_closed_loop(&of_options(&[("threads", "8"), ("rate", "100")])));
    }

    #[test]
    fn sizes_are_read_as_tools_take_them() {
        let block = |size: &str| block_bytes(&of_options(&[("bs", size)]));
        assert_eq!((block("4096B"), block("4k"), block("1M")), (Some(4096), Some(4096), Some(1 << 20)));
        assert_eq!((block("64.0KiB"), block("4k,8k"), block("x")), (Some(1 << 16), None, None));
        assert_eq!(block_bytes(&of_options(&[("block-size", "64k")])), Some(1 << 16), "of yabs");
        assert_eq!(block_bytes(&of_options(&[("bs", "4k"), ("bssplit", "4k/50:8k/50")])), None);
    }

    #[test]
    fn seconds_are_read_with_their_units() {
        let asked = |time: &str| asked_seconds(&of_options(&[("runtime", time)]));
        assert_eq!((asked("180"), asked("3m"), asked("500ms")), (Some(180.0), Some(180.0), Some(0.5)));
        assert_eq!((asked("long"), asked_seconds(&of_options(&[]))), (None, None));
    }

    #[test]
    fn the_unit_of_a_figure_is_what_stands_behind_its_number() {
        let unit = |text: &str| {
            let printed = PrintedValue {
                line: 1,
                text: text.to_owned(),
                value: 1.0,
                unit: model::Unit::BytesPerSecond,
                half_step: 0.0,
                counting: Some(Counting::Decimal),
            };
            unit_as_printed(&printed).map(|(unit, _)| unit)
        };
        assert_eq!(unit("1.7 GB/s").as_deref(), Some("MB/s"));
        assert_eq!(unit("941 Mbits/sec").as_deref(), Some("Mbits/s"));
        assert_eq!(unit("56.4MiB/s"), None, "that says itself what it is");
        assert_eq!(unit("12 B/s"), None);
    }
}
