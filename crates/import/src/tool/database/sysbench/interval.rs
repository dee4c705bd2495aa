//! What sysbench tells on the way: `[ 10s ] thds: 4 tps: 425.54 ...`, and the words of 0.5 for it.

use model::database::metric::QUERIES_PER_SECOND;
use model::tool_result::{Counting, PrintedValue, ToolMeasurement};
use model::{MetricName, Unit, metric};

use crate::tool::database::{behind, number};
use crate::tool::number::{leading, quantity, time};

/// The seconds from the start, and what was told then.
pub(super) fn moment(text: &str) -> Option<(f64, &str)> {
    let (inside, rest) = text.strip_prefix('[')?.split_once(']')?;
    let seconds = leading(inside, false).filter(|number| number.rest.trim_end() == "s")?;
    Some((seconds.value, rest.trim()))
}

/// Whether a checkpoint's full report follows.
pub(super) fn is_checkpoint(told: &str) -> bool {
    told.starts_with("Checkpoint report")
}

/// Names of rates, with their metrics.
const RATES: &[(&str, MetricName)] = &[
    ("tps:", metric::TRANSACTIONS_PER_SECOND),
    ("qps:", QUERIES_PER_SECOND),
    ("eps:", metric::EVENTS_PER_SECOND),
    ("err/s:", MetricName::new("ignored_errors_per_second")),
    ("errors:", MetricName::new("ignored_errors_per_second")),
    ("reconn/s:", MetricName::new("reconnects_per_second")),
    ("reconnects:", MetricName::new("reconnects_per_second")),
    ("fsyncs:", metric::SYNCS_PER_SECOND),
];

/// Statements of the three kinds that are counted.
const READS: MetricName = MetricName::new("read_queries_per_second");
const WRITES: MetricName = MetricName::new("write_queries_per_second");
const OTHERS: MetricName = MetricName::new("other_queries_per_second");

/// The figures of an interval; `None` if there are none.
pub(super) fn figures(line: u64, told: &str) -> Option<ToolMeasurement> {
    let mut measured = ToolMeasurement::default();
    // Of memory it tells the rate alone.
    measured.add(metric::THROUGHPUT, rate(line, told));
    for (name, metric) in RATES {
        measured.add(*metric, behind(told, name).and_then(|rest| number(line, rest, Unit::PerSecond)));
    }
    if let Some(each) = behind(told, "r/w/o:") {
        for (metric, text) in [READS, WRITES, OTHERS].into_iter().zip(each.split('/')) {
            measured.add(metric, number(line, text, Unit::PerSecond));
        }
    }
    for (name, bytes, queries) in
        [("reads:", metric::READ_THROUGHPUT, READS), ("writes:", metric::WRITE_THROUGHPUT, WRITES)]
    {
        let Some(rest) = behind(told, name) else { continue };
        match rate(line, rest) {
            Some(rate) => measured.add(bytes, Some(rate)),
            None => measured.add(queries, number(line, rest, Unit::PerSecond)),
        }
    }
    if let Some((metric, printed)) = latency(line, told) {
        measured.add(metric, Some(printed));
    }
    for (name, metric) in [("queue length:", "queue_length"), ("concurrency:", "concurrency")] {
        let printed = behind(told, name).and_then(|rest| number(line, rest, Unit::One));
        measured.add(MetricName::intern(metric)?, printed);
    }
    (!measured.is_empty()).then_some(measured)
}

/// `620.43 MiB/s` at the beginning of a text; 0.5 writes MB/s for as much.
fn rate(line: u64, text: &str) -> Option<PrintedValue> {
    let mut words = text.split_whitespace();
    let (value, unit) = (words.next()?, words.next()?.trim_end_matches(','));
    let printed = quantity(line, &format!("{value} {unit}"), Counting::Binary)?;
    (printed.unit == Unit::BytesPerSecond).then_some(printed)
}

/// `lat (ms,95%): 12.08`, `latency (ms,95%): 0.141`, `response time: 5.12ms (95%)`.
fn latency(line: u64, told: &str) -> Option<(MetricName, PrintedValue)> {
    if let Some(rest) = behind(told, "response time:") {
        let (value, rest) = rest.split_once(' ')?;
        let percent = rest.strip_prefix('(')?.split_once('%')?.0;
        return Some((percentile(percent)?, quantity(line, value, Counting::Decimal)?));
    }
    let rest = behind(told, "lat (").or_else(|| behind(told, "latency ("))?;
    let (unit, rest) = rest.split_once(',')?;
    let (percent, value) = rest.split_once("%):")?;
    Some((percentile(percent)?, time(line, value.split_whitespace().next()?, unit)?))
}

/// The metric of a percentile; sysbench has whole ones only.
pub(super) fn percentile(percent: &str) -> Option<MetricName> {
    let percent: u32 = percent.trim().parse().ok()?;
    if (1..=100).contains(&percent) { MetricName::intern(&format!("latency_p{percent}")) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> String {
        let (at, told) = moment(text).unwrap_or_else(|| panic!("{text}"));
        let measured = figures(1, told).unwrap_or_else(|| panic!("{text}"));
        let figure =
            |figure: &model::tool_result::ToolFigure| format!("{}={}", figure.metric, figure.printed.value);
        let each: Vec<String> = measured.figures.iter().map(figure).collect();
        format!("{at}: {}", each.join(" "))
    }

    #[test]
    fn intervals_of_every_version_have_the_same_figures() {
        assert_eq!(
            read(
                "[ 1s ] thds: 2 tps: 4.5 qps: 8.5 (r/w/o: 5.5/1.5/0.5) lat (ms,95%): 500 err/s: 1.00 reconn/s: 0.00"
            ),
            "1: transactions_per_second=4.5 queries_per_second=8.5 ignored_errors_per_second=1 \
             reconnects_per_second=0 read_queries_per_second=5.5 write_queries_per_second=1.5 \
             other_queries_per_second=0.5 latency_p95=0.5"
        );
        assert_eq!(
            read(
                "[  10s] threads: 4, tps: 4.50, reads: 5.50, writes: 1.50, response time: 500.00ms (95%), errors: 0.50, \
                 reconnects:  0.25"
            ),
            "10: transactions_per_second=4.5 ignored_errors_per_second=0.5 reconnects_per_second=0.25 \
             read_queries_per_second=5.5 write_queries_per_second=1.5 latency_p95=0.5"
        );
        assert_eq!(
            read("[ 2s ] reads: 2.00 MiB/s writes: 0.00 MiB/s fsyncs: 1.50/s latency (ms,99%): 250"),
            "2: syncs_per_second=1.5 read_throughput=2097152 write_throughput=0 latency_p99=0.25"
        );
        assert_eq!(read("[ 1s ] 2.00 MiB/sec"), "1: throughput=2097152");
        assert_eq!(read("[  10s] 2.00 MB/sec,"), "10: throughput=2097152", "0.5 counts so, too");
        assert_eq!(read("[ 3s ] queue length: 7, concurrency: 2"), "3: queue_length=7 concurrency=2");
    }

    #[test]
    fn other_brackets_are_no_intervals() {
        assert_eq!(moment("[root@host ~]# ls"), None);
        assert_eq!(moment("[  1] 0.0-10.0 sec"), None);
        assert_eq!(figures(1, "connected"), None);
    }
}
