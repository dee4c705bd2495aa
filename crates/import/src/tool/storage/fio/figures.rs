//! Lines of fio's normal text that have figures, of every version: `read: IOPS=14.4k, BW=...` since
//! 2.17, `read : io=3071.7MB, bw=...` before.

use model::tool_result::{Counting, PrintedValue, ToolMeasurement, ToolPart};
use model::{MetricName, Unit, metric};

use super::run::{FioDirection, FioGroupStatus, are_the_same, percentile, second};
use crate::tool::number::{count, exact, leading, quantity, time, whole};

/// What is read, written, discarded, or, with `unified_rw_reporting`, all of these.
const CLASSES: &[(&str, &str)] =
    &[("read", "READ"), ("write", "WRITE"), ("trim", "TRIM"), ("mixed", "MIXED")];

/// The direction that a line is of; `None` if it is no such line.
pub(super) fn class(text: &str) -> Option<&'static str> {
    let (name, rest) = text.trim_start().split_once(':')?;
    let rest = rest.trim_start();
    let is_direction = rest.starts_with("IOPS=") || rest.starts_with("io=") && rest.contains("runt=");
    let (class, _) = CLASSES.iter().find(|(class, _)| is_direction && *class == name.trim_end())?;
    Some(*class)
}

/// Reads the line of a direction. Multiples without an i are of `counting` before 2.17.
pub(super) fn direction(line: u64, text: &str, counting: Counting) -> Option<FioDirection> {
    let class = class(text)?;
    let (_, rest) = text.split_once(':')?;
    let rest = rest.trim_start();
    let measured = match rest.strip_prefix("IOPS=") {
        Some(rest) => since_2_17(line, rest)?,
        None => before_2_17(line, rest, counting)?,
    };
    Some(FioDirection { class, measured })
}

/// `14.4k, BW=56.4MiB/s (59.1MB/s)(113MiB/2001msec); 0 zone resets`.
fn since_2_17(line: u64, rest: &str) -> Option<ToolMeasurement> {
    let (iops, rest) = rest.split_once(", BW=")?;
    let (rate, rest) = rest.split_once('(').unwrap_or((rest, ""));
    let mut measured = ToolMeasurement::default();
    let decimal = rest.split_once(")(").and_then(|(rate, _)| quantity(line, rate, Counting::Decimal));
    // Of all clients together it leaves out the unit.
    let bare = || count(line, rate, Counting::Decimal, Unit::BytesPerSecond);
    let rate = quantity(line, rate, Counting::Decimal).or_else(bare);
    let rate = rate.map(|rate| agreeing(rate, decimal.as_ref()));
    // The last parenthesis has what was done, and how long that took.
    let amount = rest.rsplit('(').next().and_then(|last| last.split(')').next()?.split_once('/'));
    if let Some((bytes, window)) = amount
        && let Some(window) = quantity(line, window, Counting::Decimal).filter(|w| w.unit == Unit::Seconds)
    {
        let moved = rate.as_ref().map(|rate| moved(rate, &window));
        measured.bytes =
            quantity(line, bytes, Counting::Decimal).map(|bytes| agreeing(bytes, moved.as_ref()));
        measured.window = Some(window);
    }
    measured.add(metric::THROUGHPUT, rate);
    measured.add(metric::IOPS, per_second(line, iops));
    (!measured.is_empty()).then_some(measured)
}

/// The rate in decimal units of a line that has another one in binary ones: `BW=56.4MiB/s (99.1MB/s)(113MiB/2001msec)`.
pub(super) fn contradicting(line: u64, text: &str, direction: &FioDirection) -> Option<ToolPart> {
    let (_, rest) = text.split_once(", BW=")?.1.split_once(" (")?;
    let other = quantity(line, rest.split_once(")(")?.0, Counting::Decimal)?;
    let FioDirection { class, measured } = direction;
    let rate = measured.figure(metric::THROUGHPUT).filter(|rate| rate.unit == other.unit)?;
    if candidates(&other).iter().any(|other| are_the_same(rate, other)) {
        return None;
    }
    let ToolMeasurement { window, bytes, .. } = measured.clone();
    let mut measured = ToolMeasurement { window, bytes, ..ToolMeasurement::default() };
    measured.add(metric::THROUGHPUT, Some(other));
    Some(second(format!("{class}, in parentheses"), measured))
}

/// `io=3071.7MB, bw=97414KB/s, iops=24353, runt= 32289msec`.
fn before_2_17(line: u64, rest: &str, counting: Counting) -> Option<ToolMeasurement> {
    let mut measured = ToolMeasurement::default();
    for (name, value) in fields(rest) {
        match name {
            "io" => measured.bytes = early(line, value, counting),
            "runt" => measured.window = quantity(line, value, counting),
            "bw" => measured.add(metric::THROUGHPUT, early(line, value, counting)),
            "iops" => measured.add(metric::IOPS, per_second(line, value)),
            _ => {}
        }
    }
    (!measured.figures.is_empty()).then_some(measured)
}

/// `io=1, bw=2`, by name and value.
fn fields(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split(',').filter_map(|part| part.split_once('=')).map(|(name, value)| (name.trim(), value.trim()))
}

/// A quantity as fio printed it before 2.17. Behind the point it put the remainder of the division by 1024,
/// as many digits of it as there was room for: 50/1024 became `.5`, and so did 500/1024
/// (lib/num2str.c). Only the whole part is known.
fn early(line: u64, text: &str, counting: Counting) -> Option<PrintedValue> {
    let printed = quantity(line, text, counting)?;
    let digits = leading(text, false)?.digits;
    let decimals = digits.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    // What one of the whole part is.
    let one = printed.half_step * 2.0 * 10f64.powi(i32::try_from(decimals).unwrap_or(0).min(9));
    Some(if decimals == 0 { printed } else { PrintedValue { half_step: one, ..printed } })
}

/// Operations a second. fio cuts off what is behind the point, so there may be nearly one more.
fn per_second(line: u64, text: &str) -> Option<PrintedValue> {
    let printed = count(line, text, Counting::Decimal, Unit::PerSecond)?;
    let half_step = match candidates(&printed).get(1) {
        Some(more) => more.value - printed.value,
        None if printed.counting.is_none() => 1.0,
        None => printed.half_step,
    };
    Some(PrintedValue { half_step, ..printed })
}

/// What a number may be. Where it rounds what is behind the point up to one, fio drops it since 2.17: 11.98 becomes `11.0`
/// (lib/num2str.c says so itself, "complete with carry rounding error").
fn candidates(printed: &PrintedValue) -> Vec<PrintedValue> {
    let mut all = vec![printed.clone()];
    let Some(number) = leading(&printed.text, false).filter(|number| number.value > 0.0) else { return all };
    let decimals = number.digits.split_once('.').map_or("", |(_, decimals)| decimals);
    if !decimals.is_empty() && decimals.chars().all(|c| c == '0') {
        let one = printed.value / number.value;
        all.push(PrintedValue { value: printed.value + one, ..printed.clone() });
    }
    all
}

/// A quantity that may have lost a carry.
pub(super) fn either(line: u64, text: &str) -> Option<PrintedValue> {
    let printed = quantity(line, text, Counting::Decimal)?;
    let most = candidates(&printed).last().map_or(printed.value, |last| last.value);
    Some(PrintedValue { half_step: printed.half_step + (most - printed.value), ..printed })
}

/// Puts back the carry of operations a second where their count says that it was dropped.
fn carry(printed: &mut PrintedValue, counted: f64) {
    if let [_, more] = candidates(printed).as_slice()
        && (more.value - counted).abs() < (counted - printed.value).abs()
        && counted < more.value * 1.01
    {
        *printed = more.clone();
    }
}

/// A number as what was printed beside it has it, too, where that tells which of the candidates it is.
fn agreeing(printed: PrintedValue, other: Option<&PrintedValue>) -> PrintedValue {
    let Some(other) = other else { return printed };
    let own = candidates(&printed);
    let found =
        candidates(other).iter().find_map(|other| own.iter().find(|own| are_the_same(own, other)).cloned());
    found.unwrap_or(printed)
}

/// What a rate is in a time.
fn moved(rate: &PrintedValue, window: &PrintedValue) -> PrintedValue {
    PrintedValue {
        text: String::new(),
        value: rate.value * window.value,
        half_step: rate.half_step * window.value + window.half_step * rate.value,
        unit: Unit::Bytes,
        ..rate.clone()
    }
}

/// The totals of reads, writes and discards: `issued rwts: total=28883,0,0,0 short=0,0,0,0`, before 3.0
/// `issued    : total=r=28883/w=0/d=0, short=...`, in 1.x `issued r/w: total=28883/0, short=0/0`.
pub(super) fn issued(line: u64, text: &str, directions: &mut [FioDirection]) {
    let Some((_, totals)) = text.split_once("total=") else { return };
    let totals = totals.split(' ').next().unwrap_or_default().trim_end_matches(',');
    let separator = if totals.contains('/') { '/' } else { ',' };
    let totals: Vec<u64> = totals
        .split(separator)
        .map_while(|total| whole(total.rsplit('=').next()?).map(|(total, _)| total))
        .collect();
    if totals.is_empty() {
        return;
    }
    for direction in directions {
        let total = match direction.class {
            "read" => totals.first().copied(),
            "write" => totals.get(1).copied(),
            "trim" => totals.get(2).copied(),
            _ => totals.iter().take(3).copied().try_fold(0u64, u64::checked_add),
        };
        let measured = &mut direction.measured;
        let window = measured.window.as_ref().map(|window| window.value).filter(|seconds| *seconds > 0.0);
        if let Some((total, seconds)) = total.zip(window) {
            let iops = measured.figures.iter_mut().filter(|figure| figure.metric == metric::IOPS);
            iops.for_each(|figure| carry(&mut figure.printed, total as f64 / seconds));
        }
        measured.operations = total.map(|total| exact(line, total, Unit::One));
    }
}

/// `lat (usec): min=40, max=3124, avg=67.93, stdev=51.87` as the longest and the mean of a distribution.
pub(super) fn times(line: u64, text: &str, unit: &str, distribution: &str, measured: &mut ToolMeasurement) {
    let value = |name: &str| {
        let (_, rest) = text.split_once(name)?;
        time(line, rest.split(',').next()?, unit)
    };
    for (name, of) in [("max=", "max"), ("avg=", "mean")] {
        if let Some(metric) = MetricName::intern(&format!("{distribution}_{of}")) {
            measured.add(metric, value(name));
        }
    }
}

/// `  1.00th=[   46],  5.00th=[   49],`, in 1.x ` 1.00th=46,`.
pub(super) fn list_of_percentiles(
    line: u64,
    list: &str,
    distribution: &str,
    unit: &str,
) -> Vec<(MetricName, PrintedValue)> {
    let one = |part: &str| {
        let (percent, value) = part.split_once("th=")?;
        let value = value.trim_matches(['[', ']', ' ']);
        Some((percentile(distribution, percent)?, time(line, value, unit)?))
    };
    list.split(',').filter_map(one).collect()
}

/// What a line says of a group: `READ: bw=56.4MiB/s (59.1MB/s), 56.4MiB/s-56.4MiB/s (...), io=113MiB (118MB),
/// run=2001-2001msec`, before 2.17 `READ: io=3071.7MB, aggrb=97413KB/s, minb=..., maxb=..., mint=32289msec,
/// maxt=32289msec`.
pub(super) fn status(line: u64, text: &str, group: u64, counting: Counting) -> Option<FioGroupStatus> {
    let (name, rest) = text.trim_start().split_once(": ")?;
    let (class, _) = CLASSES.iter().find(|(_, told)| *told == name)?;
    let field = |name: &str| fields(rest).find(|(own, _)| *own == name).map(|(_, value)| value);
    let (rate, bytes, window) = if let Some(rate) = field("aggrb") {
        let bytes = field("io").and_then(|bytes| early(line, bytes, counting));
        (early(line, rate, counting), bytes, field("maxt").and_then(|run| quantity(line, run, counting)))
    } else {
        let first = |value: &str| {
            let (own, other) = value.split_once(" (").unwrap_or((value, ""));
            let other = quantity(line, other.trim_end_matches(')'), Counting::Decimal);
            Some(agreeing(quantity(line, own, Counting::Decimal)?, other.as_ref()))
        };
        let longest = field("run").and_then(|run| run.split_once('-')).map(|(_, longest)| longest);
        let window = longest.and_then(|longest| quantity(line, longest, Counting::Decimal));
        (field("bw").and_then(first), field("io").and_then(first), window)
    };
    Some(FioGroupStatus { group, class, rate: rate?, bytes, window })
}

#[cfg(test)]
mod tests {
    use super::*;

    const BINARY: Counting = Counting::Binary;

    #[test]
    fn the_line_of_a_direction_has_rate_bytes_and_time() {
        let text = "read: IOPS=14.4k, BW=56.4MiB/s (59.1MB/s)(113MiB/2001msec); 0 zone resets";
        let read = direction(4, text, BINARY).unwrap().measured;
        let (bytes, window) = (read.bytes.unwrap(), read.window.unwrap());
        assert_eq!((bytes.text.as_str(), bytes.value), ("113MiB", 113.0 * 1_048_576.0));
        assert!(window.text == "2001msec" && (window.value - 2.001).abs() < 1e-9);
        assert_eq!(read.figures.len(), 2);
        let read = direction(4, "read: IOPS=12.7k, BW=49.7Mi (52.1M)(8192KiB/161msec)", BINARY).unwrap();
        assert_eq!(read.measured.figure(metric::THROUGHPUT).unwrap().value, 49.7 * 1_048_576.0);
        let read = direction(4, "read: IOPS=1, BW=8Mibit/s (8Mbit/s)(2048KiB/2000msec)", BINARY).unwrap();
        assert_eq!(read.measured.figure(metric::THROUGHPUT).unwrap().value, 1_048_576.0);
        assert!(direction(4, "read: I measured IOPS=5", BINARY).is_none());
    }

    #[test]
    fn regression_a_carry_that_fio_dropped_was_taken_for_another_unit() {
        let mib = |value: &PrintedValue| value.value / 1_048_576.0;
        let read = |text: &str| {
            let found = direction(4, text, BINARY).unwrap();
            let (rate, bytes) = (found.measured.figure(metric::THROUGHPUT), found.measured.bytes.as_ref());
            (mib(rate.unwrap()), mib(bytes.unwrap()), contradicting(4, text, &found).is_some())
        };
        let dropped = "write: IOPS=3068, BW=11.0MiB/s (12.6MB/s)(4096MiB/341704msec)";
        assert_eq!(read(dropped), (12.0, 4096.0, false));
        let kept = "write: IOPS=3068, BW=11.0MiB/s (11.5MB/s)(3759MiB/341704msec)";
        assert_eq!(read(kept), (11.0, 3759.0, false));
        assert_eq!(read("write: IOPS=15, BW=61.0MiB/s (63.0MB/s)(122MiB/2000msec)"), (61.0, 122.0, false));
        assert_eq!(read("write: IOPS=273, BW=613KiB/s (628kB/s)(9.00MiB/16695msec)").1, 10.0);
        assert!(read("read: IOPS=9, BW=11.0MiB/s (99.6MB/s)(110MiB/10000msec)").2, "no carry explains it");
        let text = "  WRITE: bw=11.0MiB/s (12.6MB/s), io=4096MiB (4295MB), run=341704-341704msec";
        assert_eq!(mib(&status(1, text, 0, BINARY).unwrap().rate), 12.0);
        assert_eq!(per_second(1, "12.0k").unwrap().half_step, 1000.0);
        let mut run =
            [direction(4, "write: IOPS=12.0k, BW=50.6MiB/s (53.1MB/s)(101MiB/2000msec)", BINARY).unwrap()];
        issued(5, "issued rwts: total=0,25920,0,0 short=0,0,0,0", &mut run);
        assert_eq!(run[0].measured.figure(metric::IOPS).unwrap().value, 13_000.0);
    }

    #[test]
    fn the_line_of_an_earlier_version_counts_by_1024() {
        let text = "  read : io=3071.7MB, bw=97414KB/s, iops=24353, runt= 32289msec";
        let read = direction(4, text, BINARY).unwrap();
        assert_eq!(read.class, "read");
        let bytes = read.measured.bytes.clone().unwrap();
        assert!((bytes.value - 3071.7 * 1_048_576.0).abs() < 1.0);
        assert!((bytes.half_step - 1_048_576.0).abs() < 1e-3, "behind the point stands a remainder");
        let rate = read.measured.figure(metric::THROUGHPUT).unwrap();
        assert_eq!((rate.value, rate.half_step), (97_414.0 * 1024.0, 512.0));
        assert!((read.measured.window.unwrap().value - 32.289).abs() < 1e-9);
        assert_eq!(read.measured.figures.len(), 2);
        let write =
            direction(4, "write: io=1024.4MB, bw=1 B/s, iops=1416 , runt=  3027msec", BINARY).unwrap();
        assert_eq!(write.measured.figure(metric::IOPS).unwrap().value, 1416.0);
    }

    #[test]
    fn what_was_issued_is_read_of_each_version() {
        for text in [
            "issued rwts: total=10,20,30,0 short=0,0,0,0 dropped=0,0,0,0",
            "issued rwt: total=10,20,30, short=0,0,0, dropped=0,0,0",
            "issued    : total=r=10/w=20/d=30, short=r=0/w=0/d=0, drop=r=0/w=0/d=0",
            "issued r/w/d: total=10/20/30, short=0/0/0",
        ] {
            let of = |class: &'static str| FioDirection { class, measured: ToolMeasurement::default() };
            let mut directions = [of("read"), of("write"), of("trim"), of("mixed")];
            issued(1, text, &mut directions);
            let told = directions.map(|d| d.measured.operations.map(|operations| operations.value));
            assert_eq!(told, [Some(10.0), Some(20.0), Some(30.0), Some(60.0)], "{text}");
        }
    }

    #[test]
    fn the_status_of_a_group_is_read_of_each_version() {
        let text = "   READ: bw=56.4MiB/s (59.1MB/s), 56.4MiB/s-56.4MiB/s (59.1MB/s-59.1MB/s), io=113MiB (118MB), run=2001-2001msec";
        let now = status(1, text, 0, BINARY).unwrap();
        assert_eq!(now.rate.text, "56.4MiB/s");
        assert_eq!(now.bytes.unwrap().text, "113MiB");
        assert!((now.window.unwrap().value - 2.001).abs() < 1e-9);
        let text = "  WRITE: io=1024.4MB, aggrb=32485KB/s, minb=32485KB/s, maxb=32485KB/s, mint=32289msec, maxt=32290msec";
        let before = status(1, text, 3, BINARY).unwrap();
        assert_eq!((before.class, before.group, before.rate.value), ("write", 3, 32_485.0 * 1024.0));
        assert!((before.window.unwrap().value - 32.29).abs() < 1e-9);
        assert!(status(1, "  vda: ios=27349/0, merge=0/0", 0, BINARY).is_none());
    }

    #[test]
    fn percentiles_are_of_the_times_that_their_heading_names() {
        let names = |list: &str| -> Vec<String> {
            let read = list_of_percentiles(9, list, "latency", "usec");
            read.iter().map(|(metric, value)| format!("{metric} {}", value.text)).collect()
        };
        let list = "|  1.00th=[   46], 50.00th=[   63], 99.90th=[  693],";
        assert_eq!(names(list), ["latency_p50 63 usec", "latency_p99_9 693 usec"]);
        assert_eq!(names(" 90.00th=46, 95.00th=49"), ["latency_p90 46 usec", "latency_p95 49 usec"]);
    }
}
